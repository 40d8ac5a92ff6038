#include "gcp/bill/bq_load.h"

#include "base/str.h"
#include "base/time/civil.h"
#include "base/url/url.h"
#include "gcp/auth/auth.h"
#include "gcp/call.h"
#include "gcp/decode.h"
#include "gcp/internal.h"

#include <string.h>

/* A line of JSON has no line end inside, so rows cannot contain it. */
#define BOUNDARY "tpucost_part"
#define UPLOAD_TIMEOUT_MS 30000L
#define WHAT "load into BigQuery"

/* ---- errors ---------------------------------------------------------------- */

const char *bq_grant_writing(
	const char *project, const char *dataset, const char *member, struct arena *a)
{
	return arena_printf(a,
		"bq query --use_legacy_sql=false 'GRANT `roles/bigquery.dataEditor` ON "
		"SCHEMA `%s.%s` TO \"%s\"'",
		project, dataset, member);
}

/* Google names the permission that is missing: that for jobs is granted on the project, the others on the
 * dataset. */
static enum err_code load_advise(
	const struct gcp *g, const char *project, const char *dataset, struct err *e)
{
	const char *member = g->auth->member ? g->auth->member : "MEMBER";
	cleanup(arena_done) struct arena a = {0};

	if (e->code == E_DENIED && strstr(e->msg, "jobs.create"))
		err_fix(e,
			"run: gcloud projects add-iam-policy-binding %s --member=%s "
			"--role=roles/bigquery.jobUser",
			project, member);
	else if (e->code == E_DENIED)
		err_fix(e, "run: %s", bq_grant_writing(project, dataset, member, &a));
	else if (e->code == E_NOTFOUND && strstr(e->msg, "not found in location"))
		err_fix(e,
			"the dataset was moved; the next cycle loads into its new "
			"location");
	else if (e->code == E_NOTFOUND)
		err_fix(e, "run: bq mk --dataset %s:%s; or correct `publish:`", project,
			dataset);
	else if (e->code == E_RATE)
		err_fix(e,
			"nothing is lost, the next cycles try again; quotas: "
			"https://console.cloud.google.com/iam-admin/quotas?project=%s",
			project);
	return e->code;
}

/* The error of a job that ended. */
static enum err_code load_job_error(const struct cJSON *result, struct err *e)
{
	static const char *const full[] = {
		"quotaExceeded", "rateLimitExceeded", "jobRateLimitExceeded"};
	static const char *const passing[] = {"backendError", "internalError",
		"jobBackendError", "jobInternalError", "stopped", "timeout"};
	const char *reason = json_text(json_get(result, "reason"), "");
	char message[400];

	text_clean(json_text(json_get(result, "message"), ""), message, sizeof(message));
	return err_set(e,
		str_in(reason, full, ARRAY_LEN(full))                 ? E_RATE
			: str_eq(reason, "accessDenied")              ? E_DENIED
			: str_eq(reason, "notFound")                  ? E_NOTFOUND
			: str_in(reason, passing, ARRAY_LEN(passing)) ? E_HTTP
								      : E_DATA,
		WHAT ": %.40s: %s", reason, message);
}

/* ---- request ---------------------------------------------------------------- */

static void load_add_fields(struct jw *w, const struct bq_load *l)
{
	jw_key(w, "schema");
	jw_begin(w, '{');
	jw_key(w, "fields");
	jw_begin(w, '[');
	for (size_t i = 0; i < l->n_fields; i++) {
		jw_begin(w, '{');
		jw_kstr(w, "name", l->fields[i].name);
		jw_kstr(w, "type", l->fields[i].type);
		if (l->create && l->fields[i].doc)
			jw_kstr(w, "description", l->fields[i].doc);
		jw_end(w, '}');
	}
	jw_end(w, ']');
	jw_end(w, '}');
}

/* "burn$20261118": the partition of a day */
static void load_add_partition(struct sbuf *b, const struct bq_name *table, day_t of)
{
	int year, month, day;

	civil_from_day(of, &year, &month, &day);
	sbuf_addf(b, "%s$%04d%02d%02d", table->table, year, month, day);
}

static void load_add_target(struct jw *w, const struct bq_load *l)
{
	cleanup(sbuf_done) struct sbuf table = SBUF_INIT;

	load_add_partition(&table, &l->table, l->day);
	jw_key(w, "destinationTable");
	jw_begin(w, '{');
	jw_kstr(w, "projectId", l->table.project);
	jw_kstr(w, "datasetId", l->table.dataset);
	jw_kstr(w, "tableId", table.s);
	jw_end(w, '}');
}

static void load_add_job(struct sbuf *b, const struct bq_load *l)
{
	struct jw w = {.b = b};

	jw_begin(&w, '{');
	jw_key(&w, "jobReference");
	jw_begin(&w, '{');
	jw_kstr(&w, "projectId", l->table.project);
	jw_kstr(&w, "jobId", l->job);
	jw_kstr(&w, "location", l->location);
	jw_end(&w, '}');
	jw_key(&w, "configuration");
	jw_begin(&w, '{');
	jw_key(&w, "labels");
	jw_raw(&w, "{\"app\":\"tpucost\"}");
	jw_key(&w, "load");
	jw_begin(&w, '{');
	load_add_target(&w, l);
	jw_kstr(&w, "sourceFormat", "NEWLINE_DELIMITED_JSON");
	jw_key(&w,
		"ignoreUnknownValues"); /* rows that wait may have columns of an earlier version */
	jw_bool(&w, true);
	load_add_fields(&w, l);
	jw_key(&w, "timePartitioning");
	jw_raw(&w, "{\"type\":\"DAY\",\"field\":\"" BQ_LOAD_FIELD "\"}");
	jw_kstr(&w, "createDisposition", "CREATE_IF_NEEDED");
	jw_kstr(&w, "writeDisposition", l->replace ? "WRITE_TRUNCATE" : "WRITE_APPEND");
	jw_key(&w, "schemaUpdateOptions");
	jw_raw(&w, "[\"ALLOW_FIELD_ADDITION\"]");
	jw_end(&w, '}');
	jw_end(&w, '}');
	jw_end(&w, '}');
}

static void load_add_body(struct sbuf *b, const struct bq_load *l)
{
	sbuf_adds(b,
		"--" BOUNDARY "\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n");
	load_add_job(b, l);
	sbuf_adds(
		b, "\r\n--" BOUNDARY "\r\nContent-Type: application/octet-stream\r\n\r\n");
	sbuf_adds(b, l->rows);
	sbuf_adds(b, "\r\n--" BOUNDARY "--\r\n");
}

/* ---- calls ------------------------------------------------------------------ */

/* Reads a Job. */
static enum err_code load_read_job(
	struct bq_load *l, const struct cJSON *job, struct err *e)
{
	const struct cJSON *status = json_get(job, "status");
	const struct cJSON *result = json_get(status, "errorResult");
	bool ended = str_eq(json_text(json_get(status, "state"), ""), "DONE");

	if (!status)
		return err_set(e, E_DATA, WHAT ": a job without 'status'");
	l->done = ended && !result;
	l->failed = ended && result;
	return l->failed ? load_job_error(result, e) : E_OK;
}

/* projectWriters and the like have roles on the project. */
static enum bq_writes load_writes(const struct cJSON *access, const char *member)
{
	static const char *const roles[] = {"WRITER", "OWNER", "roles/bigquery.dataEditor",
		"roles/bigquery.dataOwner", "roles/bigquery.admin"};
	enum bq_writes best = access ? BQ_WRITES_NO : BQ_WRITES_UNKNOWN;

	JSON_EACH (x, access) {
		const char *user = json_text(json_get(x, "userByEmail"), NULL);

		if (!str_in(json_text(json_get(x, "role"), ""), roles, ARRAY_LEN(roles)))
			continue;
		if (user && member && str_ieq(user, member + strcspn(member, ":") + 1))
			return BQ_WRITES;
		if ((user && !member) || json_get(x, "groupByEmail") ||
			json_get(x, "domain") || json_get(x, "iamMember"))
			best = BQ_WRITES_UNKNOWN;
	}
	return best;
}

enum err_code bq_dataset_get(struct gcp *g, const char *project, const char *dataset,
	bool access, struct arena *a, struct bq_dataset *out, struct err *e)
{
	cleanup(gcp_call_free) struct gcp_call c;
	struct dec d;

	gcp_call_init(&c, g, GCP_BIGQUERY, project, "describe BigQuery dataset");
	gcp_url(g, &c.url, GCP_BIGQUERY, "/projects/{}/datasets/{}", project, dataset,
		NULL);
	url_param(&c.url, "datasetView", access ? "FULL" : "METADATA");
	if (gcp_call_do(&c, e)) {
		if (e->code != E_DENIED || !access)
			return load_advise(g, project, dataset, e);
		err_clear(e);
		return bq_dataset_get(g, project, dataset, false, a, out, e);
	}
	d = dec_begin(c.json, a, e);
	out->location = dec_need(&d, "location");
	out->writes = load_writes(json_get(c.json, "access"), g->auth->member);
	return d.code ? err_wrap(e, "%s", c.what) : E_OK;
}

static enum err_code load_look(struct gcp *g, struct bq_load *l, struct err *e)
{
	cleanup(gcp_call_free) struct gcp_call c;

	gcp_call_init(&c, g, GCP_BIGQUERY, l->table.project, WHAT);
	gcp_url(g, &c.url, GCP_BIGQUERY, "/projects/{}/jobs/{}", l->table.project, l->job,
		NULL);
	url_param(&c.url, "location", l->location);
	return gcp_call_do(&c, e) ? e->code : load_read_job(l, c.json, e);
}

enum err_code bq_load_look(struct gcp *g, struct bq_load *l, struct err *e)
{
	l->done = l->failed = false;
	return load_look(g, l, e) ? load_advise(g, l->table.project, l->table.dataset, e)
				  : E_OK;
}

/* Not `write`: sent twice, it is done once. */
static enum err_code load_send(struct gcp *g, struct bq_load *l, struct err *e)
{
	cleanup(sbuf_done) struct sbuf body = SBUF_INIT;
	cleanup(gcp_call_free) struct gcp_call c;
	enum err_code rc;

	load_add_body(&body, l);
	gcp_call_init(&c, g, GCP_BIGQUERY_UPLOAD, l->table.project, WHAT);
	gcp_url(g, &c.url, GCP_BIGQUERY_UPLOAD, "/projects/{}/jobs", l->table.project,
		NULL);
	url_param(&c.url, "uploadType", "multipart");
	c.method = "POST";
	c.body_type = "Content-Type: multipart/related; boundary=" BOUNDARY;
	c.body = body.s;
	c.timeout_ms = UPLOAD_TIMEOUT_MS;
	rc = gcp_call_do(&c, e);
	c.body = NULL;
	return rc ? rc : load_read_job(l, c.json, e);
}

enum err_code bq_load_send(struct gcp *g, struct bq_load *l, struct err *e)
{
	l->done = l->failed = false;
	if (load_send(g, l, e) == E_CONFLICT)
		return bq_load_look(g, l, e);
	return e->code ? load_advise(g, l->table.project, l->table.dataset, e) : E_OK;
}

enum err_code bq_day_has_rows(
	struct gcp *g, const struct bq_name *table, day_t day, bool *has, struct err *e)
{
	cleanup(sbuf_done) struct sbuf partition = SBUF_INIT;
	cleanup(gcp_call_free) struct gcp_call c;

	*has = false;
	load_add_partition(&partition, table, day);
	gcp_call_init(&c, g, GCP_BIGQUERY, table->project, "read BigQuery table");
	gcp_url(g, &c.url, GCP_BIGQUERY, "/projects/{}/datasets/{}/tables/{}/data",
		table->project, table->dataset, partition.s, NULL);
	url_param(&c.url, "maxResults", "1");
	url_param(&c.url, "selectedFields", BQ_LOAD_FIELD);
	if (gcp_call_do(&c, e) == E_NOTFOUND)
		return err_clear(e), E_OK;
	if (e->code)
		return load_advise(g, table->project, table->dataset, e);
	if (!json_get(c.json, "totalRows"))
		return err_set(e, E_DATA, "%s: an answer without 'totalRows'", c.what);
	*has = json_len(json_get(c.json, "rows")) > 0;
	return E_OK;
}
