#include "gcp/auth/auth.h"

#include "base/fs.h"
#include "base/data/json.h"
#include "base/net/digest.h"
#include "base/str.h"
#include "gcp/internal.h"

#include <stdlib.h>
#include <string.h>

#define MAX_FILE (64u << 10)
#define MAX_TOKEN 16384
#define MAX_ANSWER (64u << 10)
#define MARGIN_SECONDS 300   /* a token with less remaining time is renewed */
#define DEFAULT_LIFETIME 600 /* if the response has no lifetime */
#define MAX_LIFETIME (12 * 3600)
#define USELESS_MS (INT64_C(600) * 1000)
#define METADATA_TIMEOUT_MS 2000L
#define FAILED_MS 20000 /* no new attempt for that long after a failure */

/* ---- loading ------------------------------------------------------------- */

static void auth_wipe(char **s)
{
	if (*s) {
		explicit_bzero(*s, strlen(*s));
		free(*s);
	}
	*s = NULL;
}

static void sbuf_wipe(struct sbuf *b)
{
	if (b->cap)
		explicit_bzero(b->s, b->cap);
	sbuf_done(b);
}

static enum err_code auth_load_type(
	struct gcp_auth *a, const struct cJSON *file, struct err *e)
{
	const char *type = json_text(json_get(file, "type"), "");
	const char *universe = json_text(
		json_get(file, "universe_domain"), "googleapis.com");
	const char *quota = json_text(json_get(file, "quota_project_id"), NULL);
	const char *project = json_text(json_get(file, "project_id"), NULL);

	if (!str_eq(universe, "googleapis.com"))
		return err_set(e, E_AUTH, "%s: universe '%.60s' is not supported",
			a->source, universe);
	if (quota)
		a->quota_project = arena_strdup(&a->texts, quota);
	if (project && gcp_project_valid(project))
		a->project = arena_strdup(&a->texts, project);
	if (str_eq(type, "service_account"))
		return auth_sa_load(a, file, e);
	if (str_eq(type, "authorized_user"))
		return auth_user_load(a, file, e);
	err_set(e, E_AUTH, "%s: credentials of type '%.60s' are not supported", a->source,
		type);
	err_fix(e,
		"use a service account key, `gcloud auth application-default login`, or "
		"run on a Google Cloud VM with a service account");
	return E_AUTH;
}

static enum err_code auth_load_file(struct gcp_auth *a, const char *path, struct err *e)
{
	cleanup(sbuf_wipe) struct sbuf text = SBUF_INIT;
	cleanup(json_free_ptr) struct cJSON *file = NULL;
	enum err_code rc;

	a->source = arena_printf(&a->texts, "credentials file %s", path);
	rc = fs_read_secret(path, MAX_FILE, &text, e);
	if (rc == E_OK) {
		rc = json_parse(text.s, text.len, &file, e);
		if (rc != E_OK)
			err_wrap(e, "%s", a->source);
	}
	return rc == E_OK ? auth_load_type(a, file, e) : rc;
}

/* gcloud's well-known file; false if the environment does not define its location. */
static bool well_known(struct sbuf *path)
{
	const char *dir = auth_env("CLOUDSDK_CONFIG"), *home = auth_env("HOME");

	if (dir)
		return sbuf_addf(path, "%s/application_default_credentials.json", dir);
	return home &&
		sbuf_addf(path, "%s/.config/gcloud/application_default_credentials.json",
			home);
}

/* A missing or unreadable file is an error of the credentials, not of the file system.
 */
static enum err_code as_auth(enum err_code rc, struct err *e)
{
	if (rc == E_OK)
		return rc;
	if (e)
		e->code = E_AUTH;
	return E_AUTH;
}

/* A file named by the configuration or the environment. The account of the key is unknown, so the
 * fix is not a command that could be run unchanged. */
static enum err_code auth_load_named(struct gcp_auth *a, const char *path, struct err *e)
{
	cleanup(sbuf_done) struct sbuf word = SBUF_INIT;
	enum err_code rc = auth_load_file(a, path, e);

	if (rc == E_NOTFOUND) {
		sbuf_add_shell(&word, path);
		err_fix(e,
			"name an existing file, or create one: gcloud iam service-accounts "
			"keys create %s --iam-account=NAME@PROJECT.iam.gserviceaccount.com",
			word.s);
	}
	return as_auth(rc, e);
}

static enum err_code auth_load_default(struct gcp_auth *a, struct err *e)
{
	const char *named = auth_env("GOOGLE_APPLICATION_CREDENTIALS");
	cleanup(sbuf_done) struct sbuf path = SBUF_INIT;
	enum err_code rc = E_NOTFOUND;

	if (!named)
		named = auth_env("google_application_credentials");
	if (named) {
		rc = auth_load_named(a, named, e);
		if (rc != E_OK)
			err_wrap(e, "GOOGLE_APPLICATION_CREDENTIALS");
		return rc;
	}
	if (well_known(&path))
		rc = auth_load_file(a, path.s, e);
	if (rc != E_NOTFOUND)
		return as_auth(rc, e);
	err_clear(e); /* a machine of Google Cloud needs no file */
	return auth_metadata_load(a, e);
}

enum err_code gcp_auth_new(
	struct gcp *g, const char *credentials, struct gcp_auth **out, struct err *e)
{
	struct gcp_auth *a = xcalloc(1, sizeof(*a));
	enum err_code rc;

	a->g = g;
	a->useless_until_ms = a->failed_until_ms = INT64_MIN;
	a->req.resp = SBUF_INIT;
	if (credentials && !str_eq(credentials, "adc"))
		rc = auth_load_named(a, credentials, e);
	else
		rc = auth_load_default(a, e);
	if (rc == E_OK)
		*out = a;
	else
		gcp_auth_free(a);
	return rc;
}

void gcp_auth_free(struct gcp_auth *a)
{
	if (!a)
		return;
	if (a->base)
		gcp_auth_unwait(a->base, &a->base_waiter);
	gcp_auth_free(a->base);
	http_req_done(&a->req);
	jwt_key_free(a->key);
	auth_wipe(&a->header);
	auth_wipe(&a->client_secret);
	auth_wipe(&a->refresh_token);
	arena_done(&a->texts);
	free(a);
}

/* ---- token --------------------------------------------------------------- */

/* A clock that was set back makes the age unknown, and the token expired. */
static bool auth_fresh(const struct gcp_auth *a)
{
	ts_t now = clock_now(a->g->clock);

	return a->header && now >= a->obtained && now < a->stale_at;
}

static bool token_valid(const char *s)
{
	size_t n = strlen(s);

	if (n == 0 || n > MAX_TOKEN)
		return false;
	for (; *s; s++)
		if (*s <= 0x20 || *s >= 0x7f)
			return false;
	return true;
}

static enum err_code auth_take_token(
	struct gcp_auth *a, const struct cJSON *answer, struct err *e)
{
	bool borrowed = a->kind == AUTH_IMPERSONATED;
	const char *token = json_text(
		json_get(answer, borrowed ? "accessToken" : "access_token"), "");
	struct sbuf line = SBUF_INIT;
	int64_t life = DEFAULT_LIFETIME, margin;

	if (!token_valid(token))
		return err_set(e, E_AUTH, "%s: the response has no usable access_token",
			a->source);
	if (borrowed)
		life = auth_impersonated_life(a, answer, DEFAULT_LIFETIME);
	else if (json_opt_i64(answer, "expires_in", DEFAULT_LIFETIME, &life, NULL) != E_OK)
		life = 1;
	if (life < 1)
		life = 1;
	if (life > MAX_LIFETIME)
		life = MAX_LIFETIME;
	margin = life / 4 < MARGIN_SECONDS ? life / 4 : MARGIN_SECONDS;
	sbuf_addf(&line, "Authorization: Bearer %s", token);
	auth_wipe(&a->header);
	a->header = sbuf_detach(&line);
	a->number++;
	a->obtained = clock_now(a->g->clock);
	a->stale_at = a->obtained + life - margin;
	return E_OK;
}

static enum err_code auth_read_answer(struct gcp_auth *a, struct http_req *r, struct err *e)
{
	cleanup(json_free_ptr) struct cJSON *answer = NULL;
	enum err_code rc;

	if (r->code != E_OK || r->status != 200)
		return auth_explain(a, r, e);
	if (a->kind == AUTH_METADATA && !str_eq(r->metadata_flavor, "Google"))
		return err_set(
			e, E_AUTH, "%s: the server is not a metadata server", a->source);
	rc = json_parse(r->resp.s, r->resp.len, &answer, e);
	if (rc == E_OK)
		rc = auth_take_token(a, answer, e);
	else
		err_wrap(e, "%s: token", a->source);
	return as_auth(rc, e);
}

void auth_tell_waiters(struct gcp_auth *a, enum err_code code, const struct err *why)
{
	struct auth_waiter *w;

	a->under_way = false;
	if (code != E_OK) {
		a->failed = *why;
		a->failed_until_ms = clock_mono_ms(a->g->clock) + FAILED_MS;
	}
	/* A waiter that joins in the meantime does not receive this result. */
	a->telling = a->waiters;
	a->waiters = NULL;
	while ((w = a->telling)) {
		a->telling = w->next;
		w->ready(w, code, why);
	}
}

void auth_on_answer(struct http_req *r)
{
	struct gcp_auth *a = r->ctx;
	struct err why = {0};
	enum err_code rc = auth_read_answer(a, r, &why);

	if (r->code == E_OK)
		gcp_note_date(a->g, GCP_OAUTH, a->token_url, r->date);
	a->metadata_seen = a->metadata_seen || rc == E_OK;
	sbuf_wipe(&r->resp);
	http_req_done(r);
	auth_tell_waiters(a, rc, &why);
}

static enum err_code auth_ask(struct gcp_auth *a, struct err *e)
{
	static const char *const form_headers[] = {
		"Content-Type: application/x-www-form-urlencoded", NULL};
	static const char *const metadata_headers[] = {"Metadata-Flavor: Google", NULL};
	cleanup(sbuf_wipe) struct sbuf form = SBUF_INIT;
	bool meta = a->kind == AUTH_METADATA;
	enum err_code rc = E_OK;

	if (a->kind == AUTH_IMPERSONATED) {
		auth_impersonated_ask(a);
		return E_OK;
	}
	if (a->kind == AUTH_SERVICE_ACCOUNT)
		rc = auth_sa_form(a, &form, e);
	else if (a->kind == AUTH_USER)
		auth_user_form(a, &form);
	if (rc == E_OK) {
		a->req.method = meta ? "GET" : "POST";
		a->req.url = a->token_url;
		a->req.headers = meta ? metadata_headers : form_headers;
		a->req.body = meta ? NULL : form.s;
		a->req.body_len = form.len;
		a->req.max_body = MAX_ANSWER;
		a->req.idempotent = true;
		a->req.plain_http_host = a->metadata_host;
		/* Outside Google Cloud there is no response: use a short timeout. */
		if (meta)
			a->req.total_timeout_ms = METADATA_TIMEOUT_MS;
		a->req.max_attempts = meta && !a->metadata_seen ? 1 : 0;
		a->req.done = auth_on_answer;
		a->req.ctx = a;
		rc = http_submit(a->g->http, &a->req, e);
	}
	return rc;
}

void gcp_auth_wait(struct gcp_auth *a, struct auth_waiter *w)
{
	struct err why = {0};
	enum err_code rc;

	if (auth_fresh(a)) {
		w->ready(w, E_OK, NULL);
		return;
	}
	if (!a->under_way && clock_mono_ms(a->g->clock) < a->failed_until_ms) {
		why = a->failed;
		w->ready(w, why.code, &why);
		return;
	}
	w->next = a->waiters;
	a->waiters = w;
	if (a->under_way)
		return;
	a->under_way = true;
	rc = auth_ask(a, &why);
	if (rc != E_OK)
		auth_tell_waiters(a, rc, &why);
}

void gcp_auth_unwait(struct gcp_auth *a, struct auth_waiter *w)
{
	struct auth_waiter **lists[] = {&a->waiters, &a->telling};

	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		for (struct auth_waiter **p = lists[i]; *p; p = &(*p)->next)
			if (*p == w) {
				*p = w->next;
				return;
			}
}

const char *gcp_auth_header(const struct gcp_auth *a, uint64_t *number)
{
	*number = a->number;
	return a->header;
}

bool gcp_auth_refused(struct gcp_auth *a, uint64_t number, bool was_second)
{
	int64_t now = clock_mono_ms(a->g->clock);

	if (was_second)
		a->useless_until_ms = now + USELESS_MS;
	if (was_second || now < a->useless_until_ms)
		return false;
	/* Another caller may have renewed it in the meantime. */
	if (number == a->number)
		a->stale_at = a->obtained;
	return true;
}
