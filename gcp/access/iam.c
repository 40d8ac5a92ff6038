#include "gcp/access/iam.h"

#include "base/data/json.h"
#include "base/str.h"
#include "gcp/auth/auth.h"
#include "gcp/call.h"
#include "gcp/internal.h"

#include <ctype.h>
#include <string.h>

#define MAX_ASKED 100 /* of one call (reference of testIamPermissions) */

/* ---- permissions --------------------------------------------------------------------------- */

/* Permissions to test in one call: those that Google has not rejected as unknown. */
struct asked {
	const char *const *permissions;
	enum iam_has *has;
	size_t n;
};

static bool write_body(const struct asked *q, struct sbuf *body)
{
	struct jw w = {.b = body};
	bool any = false;

	jw_begin(&w, '{');
	jw_key(&w, "permissions");
	jw_begin(&w, '[');
	for (size_t i = 0; i < q->n; i++) {
		if (q->has[i] == IAM_UNKNOWN)
			continue;
		jw_str(&w, q->permissions[i]);
		any = true;
	}
	jw_end(&w, ']');
	jw_end(&w, '}');
	return any;
}

/* The response has the granted ones, and no list if none is granted. */
static enum err_code iam_read_answer(
	const struct cJSON *answer, const struct asked *q, struct err *e)
{
	const struct cJSON *list = json_get(answer, "permissions");

	if (list && !json_is_array(list))
		return err_set(e, E_DATA, "permissions: expected a list");
	for (size_t i = 0; i < q->n; i++) {
		if (q->has[i] == IAM_UNKNOWN)
			continue;
		q->has[i] = IAM_NO;
		JSON_EACH (item, list)
			if (str_eq(json_text(item, ""), q->permissions[i]))
				q->has[i] = IAM_YES;
	}
	return E_OK;
}

/* An unknown permission fails the whole call, and the error names it. */
static bool note_unknown(const struct gcp_call *c, const struct asked *q)
{
	bool found = false;

	if (c->status != 400)
		return false;
	for (size_t i = 0; i < q->n; i++) {
		const char *at = strstr(c->err.msg, q->permissions[i]);
		size_t len = strlen(q->permissions[i]);

		if (q->has[i] == IAM_UNKNOWN || !at || isalnum((unsigned char)at[len]))
			continue;
		q->has[i] = IAM_UNKNOWN;
		found = true;
	}
	return found;
}

static enum err_code test_some(struct gcp *g, const char *project, const struct asked *q,
	bool *again, struct err *e)
{
	struct sbuf body = SBUF_INIT;
	struct gcp_call c;
	enum err_code rc;

	/* Without a project: the API must be enabled in the project of the caller. */
	gcp_call_init(&c, g, GCP_RESOURCEMANAGER, NULL, "test permissions");
	gcp_url(g, &c.url, GCP_RESOURCEMANAGER, "/projects/{}:testIamPermissions", project,
		NULL);
	*again = false;
	if (!write_body(q, &body)) {
		gcp_call_free(&c);
		sbuf_done(&body);
		return E_OK;
	}
	c.method = "POST";
	c.body = body.s;
	rc = gcp_call_do(&c, e);
	if (rc == E_OK)
		rc = iam_read_answer(c.json, q, e);
	else
		*again = note_unknown(&c, q);
	gcp_call_free(&c);
	sbuf_done(&body);
	return rc;
}

enum err_code iam_test(struct gcp *g, const char *project, const char *const *permissions,
	size_t n, enum iam_has *has, struct err *e)
{
	enum err_code rc = gcp_project_check(project, e);

	for (size_t i = 0; i < n; i++)
		has[i] = IAM_NO;
	for (size_t from = 0; from < n && rc == E_OK;) {
		size_t left = n - from;
		struct asked q = {.permissions = permissions + from,
			.has = has + from,
			.n = left < MAX_ASKED ? left : MAX_ASKED};
		bool again;

		rc = test_some(g, project, &q, &again, e);
		if (again) {
			err_clear(e);
			rc = E_OK;
		} else {
			from += q.n;
		}
	}
	return rc;
}

/* ---- identity ------------------------------------------------------------------------------ */

struct wait {
	struct auth_waiter w;
	bool told;
	enum err_code code;
	struct err err;
};

static void iam_on_token(struct auth_waiter *w, enum err_code code, const struct err *why)
{
	struct wait *own = (struct wait *)w;

	own->told = true;
	own->code = code;
	if (code != E_OK)
		own->err = *why;
}

enum err_code iam_token(struct gcp *g, struct err *e)
{
	struct wait wait = {.w.ready = iam_on_token};
	enum err_code rc = E_OK;

	gcp_auth_wait(g->auth, &wait.w);
	if (!wait.told)
		rc = gcp_run(g, e);
	if (rc != E_OK) {
		gcp_auth_unwait(g->auth, &wait.w);
		return rc;
	}
	if (wait.code != E_OK && e)
		*e = wait.err;
	return wait.code;
}

enum err_code iam_whose(struct gcp *g, struct arena *a, struct iam_who *out, struct err *e)
{
	const char *member = g->auth->member;
	cleanup(sbuf_done) struct sbuf email = SBUF_INIT;
	enum err_code rc = E_OK;

	out->source = arena_strdup(a, g->auth->source);
	out->member = member ? arena_strdup(a, member) : NULL;
	out->person = g->auth->kind == AUTH_USER;
	out->metadata = g->auth->kind == AUTH_METADATA;
	out->project = g->auth->project ? arena_strdup(a, g->auth->project) : NULL;
	out->quota_project = g->auth->quota_project
		? arena_strdup(a, g->auth->quota_project)
		: NULL;
	if (member || g->auth->kind != AUTH_METADATA)
		return E_OK;
	rc = auth_metadata_email(g->auth, &email, e);
	if (rc == E_OK)
		out->member = arena_printf(a, "serviceAccount:%s", email.s);
	return rc;
}
