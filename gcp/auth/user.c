/* A person's own login, as `gcloud auth application-default login` stores it: a refresh
 * token buys access tokens (RFC 6749, section 6). */
#include "gcp/auth/auth.h"

#include "gcp/internal.h"

enum err_code auth_user_load(struct gcp_auth *a, const struct cJSON *file, struct err *e)
{
	struct sbuf url = SBUF_INIT;
	enum err_code rc;

	a->kind = AUTH_USER;
	rc = auth_field(a, file, "client_id", &a->client_id, e);
	if (rc == E_OK)
		rc = auth_field(a, file, "client_secret", &a->client_secret, e);
	if (rc == E_OK)
		rc = auth_field(a, file, "refresh_token", &a->refresh_token, e);
	if (rc != E_OK)
		return rc;
	gcp_url(a->g, &url, GCP_OAUTH, "", NULL);
	a->token_url = sbuf_detach(&url);
	return E_OK;
}

void auth_user_form(struct gcp_auth *a, struct sbuf *form)
{
	auth_form_add(form, "client_id", a->client_id);
	auth_form_add(form, "client_secret", a->client_secret);
	auth_form_add(form, "grant_type", "refresh_token");
	auth_form_add(form, "refresh_token", a->refresh_token);
}
