#include "gcp/bill/bigquery.h"

#include "base/str.h"
#include "base/url/url.h"
#include "gcp/decode.h"
#include "gcp/list.h"

#include <ctype.h>
#include <string.h>

#define MAX_FIELD_DEPTH 15 /* BigQuery's own limit on nesting */
#define MAX_NAME 1024

/* ---- names --------------------------------------------------------------- */

static bool word_valid(const char *s, const char *also)
{
	size_t n = strlen(s);

	if (n == 0 || n > MAX_NAME)
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr(also, *s))
			return false;
	return true;
}

enum err_code bq_name_parse(
	const char *text, struct arena *a, struct bq_name *out, struct err *e)
{
	char *copy = arena_strdup(a, text);
	char *table = strrchr(copy, '.'), *dataset;

	if (table) {
		*table++ = '\0';
		dataset = strrchr(copy, '.');
		if (dataset) {
			*dataset++ = '\0';
			if (gcp_project_valid(copy) && word_valid(dataset, "_") &&
				word_valid(table, "_-")) {
				*out = (struct bq_name){copy, dataset, table};
				return E_OK;
			}
		}
	}
	err_set(e, E_CONFIG, "'%.200s' is not the name of a BigQuery table", text);
	err_fix(e, "write project.dataset.table");
	return E_CONFIG;
}

/* ---- fields -------------------------------------------------------------- */

static const struct {
	const char *alias, *name;
} type_names[] = {
	{"INT64", "INTEGER"},
	{"FLOAT64", "FLOAT"},
	{"BOOL", "BOOLEAN"},
	{"STRUCT", "RECORD"},
	{"DECIMAL", "NUMERIC"},
	{"BIGDECIMAL", "BIGNUMERIC"},
};

/* BigQuery has two spellings of types. */
static const char *one_spelling(const char *type)
{
	for (size_t i = 0; i < ARRAY_LEN(type_names); i++)
		if (str_eq(type, type_names[i].alias))
			return type_names[i].name;
	return type;
}

static enum err_code read_fields(const struct cJSON *schema, struct arena *a, int depth,
	struct bq_field **out, size_t *n, struct err *e)
{
	const struct cJSON *list = json_get(schema, "fields");
	struct bq_field *fields;
	size_t count = 0;

	if (!json_is_array(list))
		return err_set(e, E_DATA, "a schema without 'fields'");
	if (depth > MAX_FIELD_DEPTH || json_len(list) > BQ_MAX_COLUMNS * 10)
		return err_set(e, E_LIMIT, "the schema is too large");
	fields = arena_alloc(a, (json_len(list) + 1) * sizeof(*fields));
	JSON_EACH (j, list) {
		struct bq_field *f = &fields[count++];
		struct dec d = dec_begin(j, a, e);

		f->name = dec_need(&d, "name");
		f->type = one_spelling(dec_need(&d, "type"));
		f->repeated = str_eq(dec_text(&d, "mode"), "REPEATED");
		if (d.code == E_OK && str_eq(f->type, "RECORD"))
			d.code = read_fields(j, a, depth + 1, &f->fields, &f->n_fields, e);
		if (d.code != E_OK)
			return d.code;
	}
	*out = fields;
	*n = count;
	return E_OK;
}

enum err_code bq_read_fields(const struct cJSON *schema, struct arena *a,
	struct bq_field **out, size_t *n, struct err *e)
{
	return read_fields(schema, a, 1, out, n, e);
}

/* BigQuery's column names are case-insensitive. */
static const struct bq_field *find_one(
	const struct bq_field *fields, size_t n, const char *name, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(fields[i].name) == len &&
			strncasecmp(fields[i].name, name, len) == 0)
			return &fields[i];
	return NULL;
}

const struct bq_field *bq_field_find(
	const struct bq_field *fields, size_t n, const char *path)
{
	for (;;) {
		size_t len = strcspn(path, ".");
		const struct bq_field *f = find_one(fields, n, path, len);

		if (!f || !path[len])
			return f;
		fields = f->fields;
		n = f->n_fields;
		path += len + 1;
	}
}

/* ---- tables.get ---------------------------------------------------------- */

static enum err_code read_table(
	const struct cJSON *j, struct arena *a, struct bq_table *out, struct err *e)
{
	struct dec d = dec_begin(j, a, e);
	const struct cJSON *schema = dec_object(&d, "schema");
	const struct cJSON *part = dec_object(&d, "timePartitioning");

	out->type = dec_text(&d, "type");
	out->location = dec_text(&d, "location");
	out->n_rows = dec_i64(&d, "numRows");
	out->modified_ms = dec_i64(&d, "lastModifiedTime");
	out->created_ms = dec_i64(&d, "creationTime");
	out->partition_type = out->partition_field = "";
	if (d.code == E_OK && part) {
		struct dec pd = dec_begin(part, a, e);

		out->partition_type = dec_text(&pd, "type");
		out->partition_field = dec_text(&pd, "field");
		d.code = pd.code;
	}
	/* A table that was just created may have no schema yet. */
	if (d.code == E_OK && json_get(schema, "fields"))
		d.code = bq_read_fields(schema, a, &out->fields, &out->n_fields, e);
	return d.code;
}

enum err_code bq_table_get(struct gcp *g, const struct bq_name *name, struct arena *a,
	struct bq_table *out, struct err *e)
{
	struct bq_table own = {0};
	cleanup(gcp_call_free) struct gcp_call c;

	gcp_call_init(&c, g, GCP_BIGQUERY, name->project, "describe BigQuery table");
	c.role =
		"roles/bigquery.dataViewer"; /* the projects of queries have no tables.get */
	gcp_url(g, &c.url, GCP_BIGQUERY, "/projects/{}/datasets/{}/tables/{}",
		name->project, name->dataset, name->table, NULL);
	if (gcp_call_do(&c, e))
		return e->code;
	if (read_table(c.json, a, &own, e))
		return err_wrap(e, "%s", c.what);
	*out = own;
	return E_OK;
}
