/* Credential files. Service account keys: a JWT signed with the key is exchanged for an access
 * token (RFC 7523; Google's "OAuth 2.0 for server to server applications"). User logins, as stored
 * by `gcloud auth application-default login`: a refresh token is exchanged (RFC 6749, section
 * 6). */
#include "gcp/auth/auth.h"

#include "base/data/json.h"
#include "base/net/digest.h"
#include "base/mem.h"
#include "base/str.h"
#include "gcp/internal.h"

#include <stdlib.h>
#include <string.h>

#define SCOPE "https://www.googleapis.com/auth/cloud-platform"
#define JWT_SECONDS 3600 /* Google's maximum */

static enum err_code auth_add_fix(const struct gcp_auth *a, struct err *e)
{
	err_fix(e, "%s",
		a->kind == AUTH_USER
			? "run: gcloud auth application-default login"
			: "create the key file again: gcloud iam service-accounts "
			  "keys create");
	return E_AUTH;
}

/* A required text of the file. */
static enum err_code auth_field(const struct gcp_auth *a, const struct cJSON *file,
	const char *key, const char **out, struct err *e)
{
	const char *s = json_text(json_get(file, key), NULL);

	if (!s || !*s) {
		err_set(e, E_AUTH, "%s: missing member '%s'", a->source, key);
		return auth_add_fix(a, e);
	}
	*out = s;
	return E_OK;
}

/* Appends "&name=value" of a form (without the '&' at its beginning). */
static void auth_form_add(struct sbuf *form, const char *name, const char *value)
{
	if (form->len)
		sbuf_addc(form, '&');
	sbuf_add_url(form, name);
	sbuf_addc(form, '=');
	sbuf_add_url(form, value);
}

/* The address becomes part of suggested commands. */
bool auth_email_valid(const char *s)
{
	if (!strchr(s, '@') || strlen(s) > 320)
		return false;
	for (; *s; s++)
		if (*s <= 0x20 || *s >= 0x7f || strchr("'\"\\`$;&|<>()", *s))
			return false;
	return true;
}

static enum err_code take_urls(struct gcp_auth *a, const char *uri, struct err *e)
{
	cleanup(sbuf_done) struct sbuf url = SBUF_INIT;

	if (!http_url_allowed(uri, e)) {
		err_wrap(e, "%s: token_uri", a->source);
		if (e)
			e->code = E_AUTH;
		return E_AUTH;
	}
	if (a->g->oauth_overridden)
		gcp_url(a->g, &url, GCP_OAUTH, "", NULL);
	else
		sbuf_adds(&url, uri);
	a->token_uri = arena_strdup(&a->texts, uri);
	a->token_url = arena_strdup(&a->texts, url.s);
	return E_OK;
}

enum err_code auth_sa_load(struct gcp_auth *a, const struct cJSON *file, struct err *e)
{
	const char *email = NULL, *uri = NULL, *pem = NULL;

	a->kind = AUTH_SERVICE_ACCOUNT;
	if (auth_field(a, file, "client_email", &email, e))
		return E_AUTH;
	if (!auth_email_valid(email)) {
		err_set(e, E_AUTH, "%s: its client_email is malformed", a->source);
		return auth_add_fix(a, e);
	}
	if (auth_field(a, file, "token_uri", &uri, e) || take_urls(a, uri, e) ||
		auth_field(a, file, "private_key", &pem, e))
		return E_AUTH;
	if (jwt_key_load(pem, &a->key, e)) {
		err_wrap(e, "%s", a->source);
		return auth_add_fix(a, e);
	}
	a->email = arena_strdup(&a->texts, email);
	a->key_id = arena_strdup(
		&a->texts, json_text(json_get(file, "private_key_id"), NULL));
	a->member = arena_printf(&a->texts, "serviceAccount:%s", email);
	return E_OK;
}

static void write_header(const struct gcp_auth *a, struct sbuf *out)
{
	struct jw w = {.b = out};

	jw_begin(&w, '{');
	jw_kstr(&w, "alg", "RS256");
	jw_kstr(&w, "typ", "JWT");
	if (a->key_id)
		jw_kstr(&w, "kid", a->key_id);
	jw_end(&w, '}');
}

static void write_claims(const struct gcp_auth *a, struct sbuf *out)
{
	ts_t now = clock_now(a->g->clock);
	struct jw w = {.b = out};

	jw_begin(&w, '{');
	jw_kstr(&w, "iss", a->email);
	jw_kstr(&w, "scope", SCOPE);
	jw_kstr(&w, "aud", a->token_uri);
	jw_ki64(&w, "iat", now);
	jw_ki64(&w, "exp", now + JWT_SECONDS);
	jw_end(&w, '}');
}

enum err_code auth_sa_form(struct gcp_auth *a, struct sbuf *form, struct err *e)
{
	cleanup(sbuf_done) struct sbuf header = SBUF_INIT, claims = SBUF_INIT,
				       jwt = SBUF_INIT;
	enum err_code rc;

	write_header(a, &header);
	write_claims(a, &claims);
	rc = jwt_sign(a->key, header.s, claims.s, &jwt, e);
	if (rc == E_OK) {
		auth_form_add(
			form, "grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer");
		auth_form_add(form, "assertion", jwt.s);
	}
	if (jwt.cap)
		explicit_bzero(jwt.s, jwt.cap);
	return rc;
}

/* ---- user login ---------------------------------------------------------- */

enum err_code auth_user_load(struct gcp_auth *a, const struct cJSON *file, struct err *e)
{
	cleanup(sbuf_done) struct sbuf url = SBUF_INIT;
	const char *id = NULL, *secret = NULL, *token = NULL;

	a->kind = AUTH_USER;
	if (auth_field(a, file, "client_id", &id, e) ||
		auth_field(a, file, "client_secret", &secret, e) ||
		auth_field(a, file, "refresh_token", &token, e))
		return E_AUTH;
	gcp_url(a->g, &url, GCP_OAUTH, "", NULL);
	a->client_id = arena_strdup(&a->texts, id);
	a->client_secret = xstrdup(secret);
	a->refresh_token = xstrdup(token);
	a->token_url = arena_strdup(&a->texts, url.s);
	return E_OK;
}

void auth_user_form(struct gcp_auth *a, struct sbuf *form)
{
	auth_form_add(form, "client_id", a->client_id);
	auth_form_add(form, "client_secret", a->client_secret);
	auth_form_add(form, "grant_type", "refresh_token");
	auth_form_add(form, "refresh_token", a->refresh_token);
}
