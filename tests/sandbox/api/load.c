/* BigQuery v2: datasets of the world, load jobs by multipart upload, and the tables that they fill. After the REST
 * reference (jobs.insert, jobs.get, tables.get, tabledata.list, tables.patch, tables.delete). What a load may do to a
 * table is what Google's guide to load jobs says: only NEWLINE_DELIMITED_JSON into one day of a table that is
 * partitioned by a DATE. */
#include "tests/sandbox/sandbox.h"

#include "base/money.h"
#include "base/str.h"
#include "base/time/civil.h"
#include "tests/sandbox/api/export.h"

#include <stdlib.h>
#include <string.h>

/* A table, for as long as the sandbox runs. */
struct stored {
	char *project, *dataset, *name;
	char *fields;    /* JSON */
	char *partition; /* the field */
	int64_t created_ms, modified_ms;
	struct stored_row {
		char *day, *text; /* text: the JSON object */
	} * rows;
	size_t n, cap;
	struct stored *next;
};

struct load_job {
	char *project, *id, *location, *reason, *message;
	bool ready;
	struct load_job *next;
};

static struct stored *stored;
static struct load_job *load_jobs;
static int64_t n_created;

static const struct dataset *dataset_of(
	const struct request *q, const char *project, const char *name)
{
	for (size_t i = 0; i < q->w->n_datasets; i++)
		if (str_eq(q->w->datasets[i].project, project) &&
			str_eq(q->w->datasets[i].name, name))
			return &q->w->datasets[i];
	return NULL;
}

static struct stored *stored_find(
	const char *project, const char *dataset, const char *name)
{
	for (struct stored *t = stored; t; t = t->next)
		if (str_eq(t->project, project) && str_eq(t->dataset, dataset) &&
			str_eq(t->name, name))
			return t;
	return NULL;
}

/* ---- tables ------------------------------------------------------------------------------------ */

bool load_serve_dataset(const struct request *q, struct response *r)
{
	const struct dataset *d = dataset_of(q, q->seg[3], q->seg[5]);
	struct jw w = {.b = &r->body};

	if (!d)
		return false;
	jw_begin(&w, '{');
	jw_kstr(&w, "kind", "bigquery#dataset");
	jw_kstr(&w, "id", arena_printf(q->a, "%s:%s", d->project, d->name));
	jw_key(&w, "datasetReference");
	dataset_reference(&w, d->project, d->name, NULL);
	jw_kstr(&w, "location", d->location);
	jw_key(&w, "access");
	jw_begin(&w, '[');
	for (size_t i = 0; i < d->writers.n; i++) {
		jw_begin(&w, '{');
		jw_kstr(&w, "role", "WRITER");
		jw_kstr(&w,
			str_starts(d->writers.v[i], "group-") ? "groupByEmail"
							      : "userByEmail",
			d->writers.v[i]);
		jw_end(&w, '}');
	}
	jw_end(&w, ']');
	jw_end(&w, '}');
	return true;
}

bool load_serve_table(const struct request *q, struct response *r)
{
	struct stored *t = stored_find(q->seg[3], q->seg[5], q->seg[7]);
	const struct dataset *d = dataset_of(q, q->seg[3], q->seg[5]);
	struct jw w = {.b = &r->body};

	if (!t || !d)
		return false;
	jw_begin(&w, '{');
	jw_kstr(&w, "kind", "bigquery#table");
	jw_key(&w, "tableReference");
	dataset_reference(&w, t->project, t->dataset, t->name);
	jw_key(&w, "schema");
	jw_begin(&w, '{');
	jw_key(&w, "fields");
	jw_raw(&w, t->fields);
	jw_end(&w, '}');
	jw_key(&w, "timePartitioning");
	jw_begin(&w, '{');
	jw_kstr(&w, "type", "DAY");
	jw_kstr(&w, "field", t->partition);
	jw_end(&w, '}');
	jw_kstr(&w, "numRows", arena_printf(q->a, "%zu", t->n));
	jw_kstr(&w, "creationTime", arena_printf(q->a, "%lld", (long long)t->created_ms));
	jw_kstr(&w, "lastModifiedTime",
		arena_printf(q->a, "%lld", (long long)t->modified_ms));
	jw_kstr(&w, "type", "TABLE");
	jw_kstr(&w, "location", d->location);
	jw_end(&w, '}');
	return true;
}

static void write_value(const struct request *q, struct jw *w, const struct cJSON *field,
	const struct cJSON *value)
{
	cleanup(sbuf_done) struct sbuf number = SBUF_INIT;
	ts_t at;

	if (!value) {
		jw_null(w);
	} else if (!json_is_string(value)) {
		json_print(&number, value);
		jw_str(w, number.s);
	} else if (str_eq(json_text(json_get(field, "type"), ""), "TIMESTAMP") &&
		!rfc3339_parse(json_text(value, ""), &at, NULL, NULL)) {
		jw_str(w, arena_printf(q->a, "%lld000000", (long long)at));
	} else {
		jw_str(w, json_text(value, ""));
	}
}

/* Of all days, or of that of a decorator, "burn$20261118". TIMESTAMPs as with useInt64Timestamp. */
bool load_serve_rows(const struct request *q, struct response *r)
{
	char *table = arena_strdup(q->a, q->seg[7]), *of = strchr(table, '$');
	int64_t most = INT64_MAX, n = 0;
	struct cJSON *fields = NULL;
	struct jw w = {.b = &r->body};
	struct stored *t;

	if (q->param(q, "maxResults"))
		(void)!str_to_i64(q->param(q, "maxResults"), 0, INT64_MAX, &most);
	if (of) {
		*of++ = '\0';
		of = arena_printf(q->a, "%.4s-%.2s-%.2s", of, of + 4, of + 6);
	}
	t = stored_find(q->seg[3], q->seg[5], table);
	if (!t || json_parse(t->fields, strlen(t->fields), &fields, NULL))
		return false;
	jw_begin(&w, '{');
	jw_kstr(&w, "kind", "bigquery#tableDataList");
	jw_kstr(&w, "totalRows", arena_printf(q->a, "%zu", t->n));
	jw_key(&w, "rows");
	jw_begin(&w, '[');
	for (size_t i = 0; i < t->n && n < most; i++) {
		cleanup(json_free_ptr) struct cJSON *row = NULL;

		if ((of && strcmp(of, t->rows[i].day) != 0) ||
			json_parse(t->rows[i].text, strlen(t->rows[i].text), &row, NULL))
			continue;
		n++;
		jw_begin(&w, '{');
		jw_key(&w, "f");
		jw_begin(&w, '[');
		JSON_EACH (f, fields) {
			jw_begin(&w, '{');
			jw_key(&w, "v");
			write_value(q, &w, f,
				json_get(row, json_text(json_get(f, "name"), "")));
			jw_end(&w, '}');
		}
		jw_end(&w, ']');
		jw_end(&w, '}');
	}
	jw_end(&w, ']');
	jw_end(&w, '}');
	json_free(fields);
	return true;
}

static void stored_clear(struct stored *t, const char *day)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (day && strcmp(t->rows[i].day, day) != 0) {
			t->rows[kept++] = t->rows[i];
			continue;
		}
		free(t->rows[i].day);
		free(t->rows[i].text);
	}
	t->n = kept;
}

void serve_table_delete(const struct request *q, struct response *r)
{
	struct stored *t = stored_find(q->seg[3], q->seg[5], q->seg[7]), **at = &stored;

	if (!t) {
		respond_error(r, 404, "notFound", "Not found: Table");
		return;
	}
	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	stored_clear(t, NULL);
	free(t->rows);
	free(t->project);
	free(t->dataset);
	free(t->name);
	free(t->fields);
	free(t->partition);
	free(t);
}

/* Only its schema, and to any other: a test changes it by hand. */
void serve_table_patch(const struct request *q, struct response *r)
{
	struct stored *t = stored_find(q->seg[3], q->seg[5], q->seg[7]);
	cleanup(sbuf_done) struct sbuf fields = SBUF_INIT;
	struct cJSON *body = NULL;

	if (!t || json_parse(q->body, q->body_len, &body, NULL)) {
		respond_error(r, 404, "notFound", "Not found: Table");
		return;
	}
	json_print(&fields, json_path(body, "schema", "fields", NULL));
	free(t->fields);
	t->fields = sbuf_detach(&fields);
	json_free(body);
}

/* ---- jobs --------------------------------------------------------------------------------------- */

static void job_fails(struct load_job *j, const char *reason, const char *message)
{
	if (j->reason)
		return;
	j->reason = xstrdup(reason);
	j->message = xstrdup(message);
}

static const struct cJSON *field_named(const struct cJSON *fields, const char *name)
{
	JSON_EACH (f, fields)
		if (str_ieq(json_text(json_get(f, "name"), ""), name))
			return f;
	return NULL;
}

static bool value_fits(const char *type, const struct cJSON *v)
{
	const char *text = json_text(v, NULL);
	int64_t nanos, i;
	day_t day;
	ts_t at;

	if (str_eq(type, "INTEGER"))
		return !text && !json_nanos(v, &nanos, NULL) && nanos % NANOS == 0;
	if (!text)
		return str_eq(type, "NUMERIC") && !json_nanos(v, &i, NULL);
	if (str_eq(type, "NUMERIC"))
		return !nanos_parse_exact(text, &nanos, NULL);
	if (str_eq(type, "TIMESTAMP"))
		return !rfc3339_parse(text, &at, NULL, NULL);
	if (str_eq(type, "DATE"))
		return !date_parse(text, &day, NULL);
	return str_eq(type, "STRING");
}

/* What is wrong with a row, or NULL. */
static const char *row_problem(const struct request *q, const struct cJSON *row,
	const struct cJSON *fields, const char *partition, const char *day, bool ignore)
{
	if (!json_is_object(row))
		return "JSON parsing error in row";
	JSON_EACH (v, row) {
		const struct cJSON *f = field_named(fields, json_key(v));

		if (!f && ignore)
			continue;
		if (!f)
			return arena_printf(q->a, "No such field: %s.", json_key(v));
		if (!value_fits(json_text(json_get(f, "type"), ""), v))
			return arena_printf(q->a, "Could not convert value of %s to %s.",
				json_key(v), json_text(json_get(f, "type"), ""));
	}
	if (!str_eq(json_text(json_get(row, partition), ""), day))
		return "Some rows belong to different partitions rather than destination "
		       "partition";
	return NULL;
}

/* The fields of an existing table must be there and the same; more may be added. */
static const char *schema_problem(const struct request *q, const struct stored *t,
	const struct cJSON *load, const struct cJSON *fields)
{
	cleanup(json_free_ptr) struct cJSON *old = NULL;
	bool may_add = json_len(json_get(load, "schemaUpdateOptions"));
	const char *table = arena_printf(q->a,
		"Provided Schema does not match Table %s:%s.%s.", t->project, t->dataset,
		t->name);

	if (json_parse(t->fields, strlen(t->fields), &old, NULL))
		return "the sandbox cannot read its own fields";
	JSON_EACH (f, old) {
		const char *name = json_text(json_get(f, "name"), "");
		const struct cJSON *now = field_named(fields, name);

		if (!now)
			return arena_printf(
				q->a, "%s Field %s is missing in new schema", table, name);
		if (strcmp(json_text(json_get(f, "type"), ""),
			    json_text(json_get(now, "type"), "")) != 0)
			return arena_printf(
				q->a, "%s Field %s has changed type", table, name);
	}
	JSON_EACH (f, fields)
		if (!may_add && !field_named(old, json_text(json_get(f, "name"), "")))
			return arena_printf(q->a, "%s Cannot add fields", table);
	return NULL;
}

struct incoming {
	const struct cJSON *load, *fields;
	const char *project, *dataset, *table, *day; /* table: without "$20261118" */
	const char *partition, *rows;
};

/* All rows or none. */
static void run_load(const struct request *q, struct load_job *j, const struct incoming *in)
{
	struct stored *t = stored_find(in->project, in->dataset, in->table);
	struct stored more = {0};
	cleanup(sbuf_done) struct sbuf fields = SBUF_INIT;
	char *copy = arena_strdup(q->a, in->rows), *line;
	const char *problem = t ? schema_problem(q, t, in->load, in->fields) : NULL;

	while (!problem && (line = strsep(&copy, "\n"))) {
		cleanup(json_free_ptr) struct cJSON *row = NULL;

		if (!*line || str_eq(line, "\r"))
			continue;
		problem = json_parse(line, strlen(line), &row, NULL)
			? "JSON parsing error"
			: row_problem(q, row, in->fields, in->partition, in->day,
				  json_true(json_get(in->load, "ignoreUnknownValues")));
		more.rows = arena_grow(
			q->a, more.rows, more.n, &more.cap, sizeof(*more.rows));
		more.rows[more.n++] = (struct stored_row){.text = line};
	}
	if (problem) {
		job_fails(j, "invalid", problem);
		return;
	}
	json_print(&fields, in->fields);
	if (!t) {
		t = xcalloc(1, sizeof(*t));
		*t = (struct stored){.project = xstrdup(in->project),
			.dataset = xstrdup(in->dataset),
			.name = xstrdup(in->table),
			.partition = xstrdup(in->partition),
			.created_ms = q->now * 1000 + ++n_created,
			.next = stored};
		stored = t;
	}
	free(t->fields);
	t->fields = sbuf_detach(&fields);
	t->modified_ms = q->now * 1000;
	if (str_eq(json_text(json_get(in->load, "writeDisposition"), ""), "WRITE_TRUNCATE"))
		stored_clear(t, in->day);
	t->rows = xrealloc(t->rows, (t->n + more.n + 1) * sizeof(*t->rows));
	for (size_t i = 0; i < more.n; i++)
		t->rows[t->n++] = (struct stored_row){
			.day = xstrdup(in->day), .text = xstrdup(more.rows[i].text)};
}

static void write_load_job(const struct request *q, struct response *r, struct load_job *j)
{
	struct jw w = {.b = &r->body};

	jw_begin(&w, '{');
	jw_kstr(&w, "kind", "bigquery#job");
	jw_kstr(&w, "id", arena_printf(q->a, "%s:%s.%s", j->project, j->location, j->id));
	jw_key(&w, "jobReference");
	jw_begin(&w, '{');
	jw_kstr(&w, "projectId", j->project);
	jw_kstr(&w, "jobId", j->id);
	jw_kstr(&w, "location", j->location);
	jw_end(&w, '}');
	jw_key(&w, "status");
	jw_begin(&w, '{');
	jw_kstr(&w, "state", j->ready ? "DONE" : "RUNNING");
	if (j->ready && j->reason) {
		jw_key(&w, "errorResult");
		jw_begin(&w, '{');
		jw_kstr(&w, "reason", j->reason);
		jw_kstr(&w, "message", j->message);
		jw_end(&w, '}');
	}
	jw_end(&w, '}');
	jw_end(&w, '}');
	j->ready = true; /* the next look finds it done */
}

static struct load_job *job_find(const char *project, const char *id)
{
	for (struct load_job *j = load_jobs; j; j = j->next)
		if (str_eq(j->project, project) && str_eq(j->id, id))
			return j;
	return NULL;
}

void serve_job(const struct request *q, struct response *r)
{
	struct load_job *j = job_find(q->seg[3], q->seg[5]);
	const char *given = q->param(q, "location");

	if (j && (given ? str_ieq(given, j->location) : str_ieq(j->location, "US")))
		write_load_job(q, r, j);
	else
		respond_error(r, 404, "notFound",
			arena_printf(q->a, "Not found: Job %s:%s", q->seg[3], q->seg[5]));
}

/* The part of a multipart body that begins at *at, without its headers; NULL: there is none. */
static char *next_part(const struct request *q, const char *boundary, const char **at)
{
	const char *start = strstr(*at, "\r\n\r\n"), *end;

	if (!start)
		return NULL;
	start += 4;
	end = strstr(start, boundary);
	if (!end)
		return NULL;
	*at = end + strlen(boundary);
	return arena_strndup(q->a, start, (size_t)(end - start));
}

static bool read_incoming(
	const struct request *q, const struct cJSON *job, struct incoming *in)
{
	const struct cJSON *to;
	char *table, *day;

	in->load = json_path(job, "configuration", "load", NULL);
	to = json_get(in->load, "destinationTable");
	in->fields = json_path(in->load, "schema", "fields", NULL);
	in->project = json_text(json_get(to, "projectId"), NULL);
	in->dataset = json_text(json_get(to, "datasetId"), NULL);
	in->partition = json_text(
		json_path(in->load, "timePartitioning", "field", NULL), "");
	table = arena_strdup(q->a, json_text(json_get(to, "tableId"), ""));
	day = strchr(table, '$');
	if (!in->project || !in->dataset || !day || strlen(day) != 9 || !*in->partition ||
		!json_len(in->fields) ||
		strcmp(json_text(json_get(in->load, "sourceFormat"), ""),
			"NEWLINE_DELIMITED_JSON") != 0)
		return false;
	*day++ = '\0';
	in->table = table;
	in->day = arena_printf(q->a, "%.4s-%.2s-%.2s", day, day + 4, day + 6);
	return true;
}

static void insert_job(const struct request *q, struct response *r, const struct cJSON *job,
	struct incoming *in)
{
	const struct cJSON *ref = json_get(job, "jobReference");
	const char *id = json_text(json_get(ref, "jobId"), "");
	const struct dataset *d;
	struct load_job *j;

	if (!read_incoming(q, job, in)) {
		respond_error(r, 400, "invalid", "sandbox: unknown kind of job");
		return;
	}
	if (job_find(q->seg[4], id)) {
		respond_error(r, 409, "duplicate",
			arena_printf(q->a, "Already Exists: Job %s:%s", q->seg[4], id));
		return;
	}
	d = dataset_of(q, in->project, in->dataset);
	if (!d || strcmp(json_text(json_get(ref, "location"), ""), d->location) != 0) {
		respond_error(r, 404, "notFound",
			arena_printf(q->a, "Not found: Dataset %s:%s%s%s", in->project,
				in->dataset, d ? " was not found in location " : "",
				d ? json_text(json_get(ref, "location"), "US") : ""));
		return;
	}
	if (!iam_may(q, in->project, "bigquery.tables.updateData")) {
		respond_error(r, 403, "accessDenied",
			arena_printf(q->a,
				"Access Denied: Table %s:%s.%s: Permission "
				"bigquery.tables.updateData denied on table %s:%s.%s (or "
				"it may not exist).",
				in->project, in->dataset, in->table, in->project,
				in->dataset, in->table));
		return;
	}
	j = xcalloc(1, sizeof(*j));
	*j = (struct load_job){.project = xstrdup(q->seg[4]),
		.id = xstrdup(id),
		.location = xstrdup(d->location),
		.ready = !q->w->slow_jobs,
		.next = load_jobs};
	load_jobs = j;
	run_load(q, j, in);
	write_load_job(q, r, j);
}

void serve_upload(const struct request *q, struct response *r)
{
	const char *end = strstr(q->body, "\r\n"), *at = end;
	struct incoming in = {0};
	struct cJSON *job = NULL;
	const char *boundary, *text;

	if (!end || strncmp(q->body, "--", 2) != 0) {
		respond_error(r, 400, "badRequest", "Malformed multipart body.");
		return;
	}
	boundary = arena_printf(q->a, "\r\n%.*s", (int)(end - q->body), q->body);
	text = next_part(q, boundary, &at);
	in.rows = next_part(q, boundary, &at);
	if (!text || !in.rows || json_parse(text, strlen(text), &job, NULL))
		respond_error(r, 400, "badRequest", "Malformed multipart body.");
	else
		insert_job(q, r, job, &in);
	json_free(job);
}
