/* Fields of a file of credentials, and of the form that asks for a token. */
#include "gcp/auth/auth.h"

#include "base/data/json.h"
#include "base/mem.h"
#include "base/sbuf.h"

enum err_code auth_field(const struct gcp_auth *a, const struct cJSON *file,
	const char *key, char **out, struct err *e)
{
	const char *s = json_text(json_get(file, key), NULL);

	if (!s || !*s)
		return err_set(e, E_AUTH, "%s: it has no \"%s\"", a->source, key);
	*out = xstrdup(s);
	return E_OK;
}

void auth_form_add(struct sbuf *form, const char *name, const char *value)
{
	if (form->len)
		sbuf_addc(form, '&');
	sbuf_add_url(form, name);
	sbuf_addc(form, '=');
	sbuf_add_url(form, value);
}
