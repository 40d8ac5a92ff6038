/* Runs a query: jobs.query, then jobs.getQueryResults until the last page. */
#include "gcp/bill/bigquery.h"

#include "base/str.h"
#include "base/strmap.h"
#include "base/url/url.h"
#include "gcp/call.h"
#include "gcp/decode.h"
#include "gcp/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define PAGE_ROWS 5000
#define LONG_POLL_MS 20000 /* maximum time for which the server may delay a response */
#define SHORT_POLL_MS 500  /* the same, of a query that can be stopped */
#define CALL_TIMEOUT_MS 90000L
#define DEADLINE_MS (INT64_C(600) * 1000)
#define MAX_POLL_WAIT_MS 8000
#define MIN_BYTES_BILLED INT64_C(10485760)
#define MAX_PAGES 100000 /* of 5000 rows */
#define TURN_ROWS 200    /* rows between two turns of the network */
#define WHAT "BigQuery query"

/* A running query. */
struct run {
	struct gcp *g;
	struct bq_query *q;
	struct arena a;
	struct bq_columns columns;
	struct bq_row row;
	struct strmap tokens;
	const char *job_project, *job, *location; /* allocated from the arena */
	int64_t began_ms;
	bool schema_known;
	bool callers_own; /* the error is not in BigQuery's response */
};

/* ---- request ------------------------------------------------------------- */

static void query_write_scalar(struct jw *w, const char *value)
{
	jw_begin(w, '{');
	if (value)
		jw_kstr(w, "value", value); /* omitted = NULL */
	jw_end(w, '}');
}

static void query_write_param(struct jw *w, const struct bq_param *p)
{
	jw_begin(w, '{');
	jw_kstr(w, "name", p->name);
	jw_key(w, "parameterType");
	jw_begin(w, '{');
	jw_kstr(w, "type", p->array ? "ARRAY" : p->type);
	if (p->array) {
		jw_key(w, "arrayType");
		jw_begin(w, '{');
		jw_kstr(w, "type", p->type);
		jw_end(w, '}');
	}
	jw_end(w, '}');
	jw_key(w, "parameterValue");
	if (p->array) {
		jw_begin(w, '{');
		jw_key(w, "arrayValues");
		jw_begin(w, '[');
		for (size_t i = 0; i < p->n_values; i++)
			query_write_scalar(w, p->values[i]);
		jw_end(w, ']');
		jw_end(w, '}');
	} else {
		query_write_scalar(w, p->value);
	}
	jw_end(w, '}');
}

/* Lets the server recognize a repeated request. */
static void query_write_request_id(struct jw *w)
{
	unsigned char r[16];
	char text[37];

	if (getrandom(r, sizeof(r), 0) != (ssize_t)sizeof(r))
		return;
	snprintf(text, sizeof(text),
		"%02x%02x%02x%02x-%02x%02x-4%01x%02x-a%01x%02x-%02x%02x%02x%02x%02x%"
		"02x",
		r[0], r[1], r[2], r[3], r[4], r[5], r[6] & 15u, r[7], r[8] & 15u, r[9],
		r[10], r[11], r[12], r[13], r[14], r[15]);
	jw_kstr(w, "requestId", text);
}

static void query_write_body(const struct bq_query *q, struct sbuf *out)
{
	struct jw w = {.b = out};
	char bytes[24];

	snprintf(bytes, sizeof(bytes), "%lld", (long long)q->max_bytes_billed);
	jw_begin(&w, '{');
	jw_kstr(&w, "query", q->sql);
	jw_key(&w, "useLegacySql");
	jw_bool(&w, false); /* true if absent */
	jw_kstr(&w, "parameterMode", "NAMED");
	jw_key(&w, "queryParameters");
	jw_begin(&w, '[');
	for (size_t i = 0; i < q->n_params; i++)
		query_write_param(&w, &q->params[i]);
	jw_end(&w, ']');
	if (q->location && *q->location)
		jw_kstr(&w, "location", q->location);
	jw_ki64(&w, "maxResults", PAGE_ROWS);
	jw_ki64(&w, "timeoutMs", q->stopped ? SHORT_POLL_MS : LONG_POLL_MS);
	if (q->dry_run) {
		jw_key(&w, "dryRun");
		jw_bool(&w, true);
	} else {
		jw_kstr(&w, "maximumBytesBilled", bytes);
	}
	query_write_request_id(&w);
	jw_key(&w, "formatOptions");
	jw_raw(&w, "{\"useInt64Timestamp\":true}");
	jw_key(&w, "labels");
	jw_raw(&w, "{\"app\":\"tpucost\"}");
	jw_end(&w, '}');
}

/* ---- responses ----------------------------------------------------------- */

static enum err_code query_take_job(struct run *r, const struct cJSON *j, struct err *e)
{
	struct dec d = dec_begin(json_get(j, "jobReference"), &r->a, e);
	const char *job;

	if (r->job)
		return E_OK;
	r->job_project = dec_need(&d, "projectId");
	job = dec_need(&d, "jobId");
	r->location = dec_text(&d, "location");
	if (d.code != E_OK)
		return err_wrap(e, "jobReference");
	if (!gcp_project_valid(r->job_project))
		return err_set(e, E_DATA, "jobReference: the project is missing");
	r->job = job;
	return E_OK;
}

static enum err_code query_take_schema(struct run *r, const struct cJSON *j, struct err *e)
{
	if (r->schema_known)
		return E_OK;
	if (bq_read_fields(
		    json_get(j, "schema"), &r->a, &r->columns.fields, &r->columns.n, e))
		return e->code;
	if (r->columns.n == 0 || r->columns.n > BQ_MAX_COLUMNS)
		return err_set(e, E_DATA, "%zu columns", r->columns.n);
	r->row.columns = &r->columns;
	r->row.cells = arena_alloc(&r->a, r->columns.n * sizeof(*r->row.cells));
	r->schema_known = true;
	return E_OK;
}

/* Delivers the rows of one page. The pending request for the next page gets a turn from time to
 * time. */
static enum err_code query_take_rows(struct run *r, struct gcp_call *c, struct err *e)
{
	const struct cJSON *left = json_get(c->json, "rows");
	const char *text;
	size_t len;

	if (left && !json_is_array(left))
		return err_set(e, E_DATA, "'rows' is not an array");
	while (json_rows_next(&c->rows, &text, &len, e)) {
		if (bq_read_row(&r->row, text, len, e))
			return e->code;
		if (r->q->on_row(r->q->ctx, &r->row, e)) {
			r->callers_own = e->code != E_DATA && e->code != E_BUG;
			return e->code;
		}
		if (++r->q->rows % TURN_ROWS == 0 && gcp_turn(r->g, e))
			return e->code;
		if (r->q->stopped && r->q->stopped())
			return err_set(e, E_BUSY, "the read was cancelled");
	}
	return e->code;
}

/* Reads the part around the rows of a complete response; *token receives the next page's token
 * (heap) or NULL. */
static enum err_code query_take_page(
	struct run *r, const struct cJSON *j, char **token, struct err *e)
{
	const char *next = json_text(json_get(j, "pageToken"), "");

	if (query_take_schema(r, j, e) ||
		json_get_i64(j, "totalRows", &r->q->total_rows, e))
		return e->code;
	if (!*next)
		return E_OK;
	/* Without a reference the next page cannot be requested. */
	if (query_take_job(r, j, e))
		return e->code;
	if (!strmap_put(&r->tokens, next, 0))
		return err_set(e, E_DATA, "the same page token was repeated");
	if (r->tokens.n >= MAX_PAGES)
		return err_set(e, E_LIMIT, "more than %d pages", MAX_PAGES);
	*token = xstrdup(next);
	return E_OK;
}

/* ---- calls --------------------------------------------------------------- */

static void query_init_call(struct run *r, struct gcp_call *c)
{
	gcp_call_init(c, r->g, GCP_BIGQUERY, r->job ? r->job_project : r->q->project, WHAT);
	c->timeout_ms = CALL_TIMEOUT_MS;
	c->rows_key = "rows";
}

/* A query only reads, and carries a requestId: it may be sent twice. */
static enum err_code query_send(struct run *r, struct gcp_call *c, struct err *e)
{
	cleanup(sbuf_done) struct sbuf body = SBUF_INIT;
	enum err_code rc;

	query_init_call(r, c);
	gcp_url(r->g, &c->url, GCP_BIGQUERY, "/projects/{}/queries", r->q->project, NULL);
	query_write_body(r->q, &body);
	c->method = "POST";
	c->body = body.s;
	rc = gcp_call_do(c, e);
	c->body = NULL;
	return rc;
}

static void query_results(struct run *r, struct gcp_call *c, const char *token)
{
	query_init_call(r, c);
	gcp_url(r->g, &c->url, GCP_BIGQUERY, "/projects/{}/queries/{}", r->job_project,
		r->job, NULL);
	if (*r->location)
		url_param(&c->url, "location", r->location);
	url_param(&c->url, "maxResults", STR(PAGE_ROWS));
	url_param(&c->url, "timeoutMs",
		r->q->stopped ? STR(SHORT_POLL_MS) : STR(LONG_POLL_MS));
	url_param(&c->url, "formatOptions.useInt64Timestamp", "true");
	if (token)
		url_param(&c->url, "pageToken", token);
}

/* The result of the cancellation does not matter. */
static void query_cancel_job(struct run *r)
{
	struct gcp_call c;
	struct err ignored;

	query_init_call(r, &c);
	gcp_url(r->g, &c.url, GCP_BIGQUERY, "/projects/{}/jobs/{}/cancel", r->job_project,
		r->job, NULL);
	if (*r->location)
		url_param(&c.url, "location", r->location);
	c.method = "POST";
	if (gcp_call_do(&c, &ignored) != E_OK)
		err_clear(&ignored);
	gcp_call_free(&c);
}

static bool query_complete(const struct gcp_call *c)
{
	return json_true(json_get(c->json, "jobComplete"));
}

/* Polls with increasing delays until the job has finished. */
static enum err_code query_wait_for_job(struct run *r, struct gcp_call *c, struct err *e)
{
	int64_t deadline = r->began_ms +
		(r->q->deadline_ms ? r->q->deadline_ms : DEADLINE_MS);
	int64_t wait = 1000;
	enum err_code rc = query_take_job(r, c->json, e);

	while (rc == E_OK && !query_complete(c)) {
		gcp_call_free(c);
		if (r->q->stopped && r->q->stopped()) {
			query_cancel_job(r);
			query_init_call(r, c);
			return err_set(e, E_BUSY, "the job was cancelled");
		}
		if (clock_mono_ms(r->g->clock) + wait > deadline) {
			query_cancel_job(r);
			query_init_call(r, c);
			return err_set(e, E_NET, "the job did not finish within %lld s",
				(long long)((deadline - r->began_ms) / 1000));
		}
		clock_sleep_ms(r->g->clock, r->q->stopped ? SHORT_POLL_MS : wait);
		wait = wait * 2 < MAX_POLL_WAIT_MS ? wait * 2 : MAX_POLL_WAIT_MS;
		query_results(r, c, NULL);
		rc = gcp_call_do(c, e);
	}
	return rc;
}

static void query_take_statistics(struct run *r, const struct cJSON *j)
{
	int64_t billed = 0;

	if (json_opt_i64(j, "totalBytesBilled", 0, &billed, NULL) == E_OK)
		r->q->bytes_billed = billed;
	if (json_opt_i64(j, "totalBytesProcessed", 0, &billed, NULL) == E_OK)
		r->q->bytes_processed = billed;
	r->q->cache_hit = json_true(json_get(j, "cacheHit"));
}

static enum err_code query_fetched(struct run *r, struct gcp_call *c, struct err *e)
{
	enum err_code rc = gcp_run(r->g, e);

	if (rc != E_OK || c->code == E_OK)
		return rc;
	/* An earlier result is no longer available: BigQuery keeps page tokens and anonymous tables
	 * for a limited time. The query can be run again. */
	if (c->status == 400 || c->status == 404 || c->status == 410)
		r->q->expired = true;
	*e = c->err;
	return c->code;
}

/* The first page is in pages[0]. While the rows of one page are read, the next is fetched into the
 * other. */
static enum err_code query_read_pages(
	struct run *r, struct gcp_call pages[2], struct err *e)
{
	enum err_code rc = E_OK;

	for (size_t i = 0; rc == E_OK; i ^= 1) {
		struct gcp_call *c = &pages[i], *next = &pages[i ^ 1];
		char *token = NULL;

		if (!query_complete(c))
			return err_set(e, E_DATA,
				"a page of a finished job is marked as unfinished");
		rc = query_take_page(r, c->json, &token, e);
		if (rc != E_OK || !token)
			return rc != E_OK ? rc : query_take_rows(r, c, e);
		gcp_call_free(next);
		query_results(r, next, token);
		free(token);
		rc = gcp_call_start(next, e);
		if (rc == E_OK)
			rc = query_take_rows(r, c, e);
		if (rc == E_OK)
			rc = query_fetched(r, next, e);
	}
	return rc;
}

static enum err_code bq_query_query_run(struct run *r, struct err *e)
{
	struct gcp_call pages[2];
	enum err_code rc;

	query_init_call(r, &pages[1]);
	rc = query_send(r, &pages[0], e);
	if (rc == E_OK && !query_complete(&pages[0]))
		rc = query_wait_for_job(r, &pages[0], e);
	if (rc == E_OK) {
		query_take_statistics(r, pages[0].json);
		if (!r->q->dry_run)
			rc = query_read_pages(r, pages, e);
	}
	gcp_call_free(&pages[0]);
	gcp_call_free(&pages[1]);
	if (rc == E_OK && r->q->rows != r->q->total_rows)
		rc = err_set(e, E_DATA, "received %lld rows of %lld", (long long)r->q->rows,
			(long long)r->q->total_rows);
	return rc;
}

enum err_code bq_run(struct gcp *g, struct bq_query *q, struct err *e)
{
	struct run r = {.g = g, .q = q, .began_ms = clock_mono_ms(g->clock)};
	enum err_code rc;

	if (q->max_bytes_billed < MIN_BYTES_BILLED)
		return err_set(
			e, E_CONFIG, WHAT ": the limit on billed bytes is below 10 MiB");
	q->rows = q->total_rows = q->bytes_billed = q->bytes_processed = 0;
	q->cache_hit = q->expired = false;
	rc = bq_query_query_run(&r, e);
	if (rc == E_RATE && e && !e->fix[0])
		err_fix(e,
			"wait, or increase its quotas: "
			"https://console.cloud.google.com/iam-admin/quotas?project=%s",
			q->project);
	if (rc != E_OK && e && !r.callers_own && !str_starts(e->msg, WHAT))
		err_wrap(e, WHAT);
	bq_row_done(&r.row);
	arena_done(&r.a);
	strmap_done(&r.tokens);
	return rc;
}
