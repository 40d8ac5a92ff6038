#include "tests/support/world/wire_world.h"

#include "base/sbuf.h"
#include "base/str.h"
#include "base/time/tz.h"
#include "db/internal.h"
#include "tests/support/assert.h"
#include "tests/support/fault/faultvfs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MAX_STEPS 8 /* of the good answers */
#define APART 3600

struct wire_world ww;
static sqlite3 *empty, *filled[ON_ALL]; /* the database before and after the good poll */
static struct sbuf before = SBUF_INIT, after = SBUF_INIT; /* what the database holds */

/* ---- good answers ------------------------------------------------------------------------- */

#define VMS "GET /compute/v1/projects/my-project/aggregated/instances"
#define NODES "GET /v2/projects/my-project/locations/-/nodes"
#define TOKEN "POST /token "
#define TABLE "GET /bigquery/v2/projects/my-project/datasets/billing/tables/export"
#define QUERIES "POST /bigquery/v2/projects/my-project/queries"

static const struct {
	const char *source, *match, *name; /* `name`: in every message */
	enum gcp_api api;
} steps_of[ON_ALL] = {
	[ON_VMS] = {"vm", VMS, "list Compute Engine instances", GCP_COMPUTE},
	[ON_TPUS] = {"tpu", NODES, "list TPU nodes", GCP_TPU},
	[ON_TOKEN] = {"vm", TOKEN, "list Compute Engine instances: ", GCP_OAUTH},
	[ON_TABLE] = {"billing", TABLE, "table my-project.billing.export: ", GCP_BIGQUERY},
	[ON_UNITS] = {"billing", QUERIES, "billing export: BigQuery query", GCP_BIGQUERY},
	[ON_ROWS] = {"billing", QUERIES, "billing export: BigQuery query", GCP_BIGQUERY},
};

#define VM(id, name)                                                     \
	"{\"id\":\"" id "\",\"name\":\"" name                            \
	"\",\"status\":\"RUNNING\",\"machineType\":\"t/n1-standard-1\"," \
	"\"creationTimestamp\":\"2026-11-20T00:00:00Z\",\"labels\":{\"owner\":\"ada\"}}"
#define NODE(id, name)                                                          \
	"{\"id\":\"" id                                                         \
	"\",\"name\":\"projects/my-project/locations/us-central1-a/nodes/" name \
	"\",\"state\":\"READY\",\"acceleratorType\":\"v3-8\",\"createTime\":"   \
	"\"2026-11-20T00:00:00Z\",\"labels\":{\"owner\":\"ada\"}}"
#define VM_LIST(vms) "{\"items\":{\"zones/us-central1-a\":{\"instances\":[" vms "]}}}"
#define NODE_LIST(nodes) "{\"nodes\":[" nodes "]}"

#define FIELD(name, type) "{\"name\":\"" name "\",\"type\":\"" type "\"}"
#define RECORD(name, fields) \
	"{\"name\":\"" name "\",\"type\":\"RECORD\",\"fields\":[" fields "]}"

static const char schema[] = FIELD("usage_start_time", "TIMESTAMP") "," FIELD(
	"export_time", "TIMESTAMP") "," FIELD("cost", "FLOAT") "," FIELD("currency",
	"STRING") "," RECORD("service",
	FIELD("id", "STRING") "," FIELD("description", "STRING")) "," RECORD("sku",
	FIELD("id", "STRING") "," FIELD("description", "STRING")) "," RECORD("project",
	FIELD("id", "STRING")) "," RECORD("invoice",
	FIELD("month", "STRING")) "," RECORD("location",
	FIELD("location", "STRING") "," FIELD("region", "STRING") "," FIELD(
		"zone", "STRING")) "," RECORD("usage",
	FIELD("unit", "STRING") "," FIELD("amount", "FLOAT")) "," RECORD("credits",
	FIELD("type", "STRING") "," FIELD("amount", "FLOAT"));

struct column {
	const char *name, *type, *value;
};
static const struct column unit_columns[] = {{"unit", "DATE", "2026-11-18"},
	{"currency", "STRING", "USD"}, {"row_count", "INTEGER", "1"},
	{"cost_sum", "NUMERIC", NULL}, {"credits_sum", "NUMERIC", "0"},
	{"exported", "TIMESTAMP", NULL}};
static const struct column row_columns[] = {{"unit", "DATE", "2026-11-18"},
	{"hour", "TIMESTAMP", "1795014000000000"}, {"credit_type", "STRING", ""},
	{"invoice_month", "STRING", "202611"}, {"currency", "STRING", "USD"},
	{"project_id", "STRING", "my-project"}, {"service_id", "STRING", "6F81-5844-456A"},
	{"service_name", "STRING", "Compute Engine"},
	{"sku_id", "STRING", "2E27-4F75-95CD"}, {"sku_name", "STRING", "Core"},
	{"place", "STRING", "us-central1"}, {"region", "STRING", "us-central1"},
	{"zone", "STRING", "us-central1-b"}, {"usage_unit", "STRING", "hour"},
	{"account", "STRING", ""}, {"project_number", "STRING", ""},
	{"cost_type", "STRING", "regular"}, {"resource_name", "STRING", ""},
	{"global_name", "STRING", ""}, {"label_set", "STRING", ""}, {"model", "STRING", ""},
	{"model_name", "STRING", ""}, {"price_default", "NUMERIC", "10"},
	{"list_sum", "NUMERIC", NULL}, {"default_sum", "NUMERIC", NULL},
	{"rate", "NUMERIC", "1"}, {"price", "NUMERIC", "10"}, {"usage_sum", "NUMERIC", "1"},
	{"cost_sum", "NUMERIC", NULL}, {"credits_sum", "NUMERIC", "0"},
	{"row_count", "INTEGER", "1"}};

/* Cost and time of export grow with every poll: the query is run each time. */
static const char *changing(const struct column *c)
{
	static const char *const costs[] = {"10", "20", "30", "40"};
	static const char *const times[] = {"1795100000000000", "1795100001000000",
		"1795100002000000", "1795100003000000"};

	return c->value ? c->value
			: (str_eq(c->name, "exported") ? times : costs)[ww.phase];
}

static const char *query_answer(const struct column *columns, size_t n)
{
	struct sbuf b = SBUF_INIT;
	const char *text;

	sbuf_adds(&b,
		"{\"jobComplete\":true,\"jobReference\":{\"projectId\":\"my-project\","
		"\"jobId\":\"j\",\"location\":\"EU\"},\"schema\":{\"fields\":[");
	for (size_t i = 0; i < n; i++)
		sbuf_addf(&b, "%s" FIELD("%s", "%s"), i ? "," : "", columns[i].name,
			columns[i].type);
	sbuf_adds(&b, "]},\"totalRows\":\"1\",\"rows\":[{\"f\":[");
	for (size_t i = 0; i < n; i++)
		sbuf_addf(&b, "%s{\"v\":\"%s\"}", i ? "," : "", changing(&columns[i]));
	sbuf_adds(&b, "]}],\"totalBytesBilled\":\"10485760\"}");
	text = arena_strdup(&ww.w.a, b.s);
	sbuf_done(&b);
	return text;
}

static const char *good_body(enum wire_on on)
{
	bool more = ww.phase > 0;

	switch (on) {
	case ON_VMS:
		return more ? VM_LIST(VM("11", "kept") "," VM("12", "new"))
			    : VM_LIST(VM("11", "kept"));
	case ON_TPUS:
		return more ? NODE_LIST(NODE("11", "kept") "," NODE("12", "new"))
			    : NODE_LIST(NODE("11", "kept"));
	case ON_TABLE:
		return arena_printf(&ww.w.a,
			"{\"kind\":\"bigquery#table\",\"location\":\"EU\",\"numRows\":"
			"\"1\",\"lastModifiedTime\":\"%d\",\"type\":\"TABLE\","
			"\"creationTime\":\"1\",\"timePartitioning\":{\"type\":\"DAY\"},"
			"\"schema\":{\"fields\":[%s]}}",
			100 + ww.phase, schema);
	case ON_UNITS:
		return query_answer(unit_columns, ARRAY_LEN(unit_columns));
	case ON_ROWS:
		return query_answer(row_columns, ARRAY_LEN(row_columns));
	default:
		return WORLD_TOKEN;
	}
}

const char *wire_good_body(void)
{
	return good_body(ww.on);
}

const char *wire_match(enum wire_on on)
{
	return steps_of[on].match;
}

const char *wire_source(enum wire_on on)
{
	return steps_of[on].source;
}

/* ---- polling ---------------------------------------------------------------------------------- */

/* The answer to the first query comes before those to the second, on the same path. */
static size_t add_units(struct fault_step *out, size_t n)
{
	out[n] = (struct fault_step){
		.match = QUERIES, .times = 1, .body = good_body(ON_UNITS)};
	return n + 1;
}

static size_t lay_out(struct fault_step *out, const struct fault_step *steps, size_t n)
{
	static const enum wire_on lists[] = {ON_VMS, ON_TPUS, ON_TOKEN, ON_TABLE};
	size_t count = ww.on == ON_ROWS ? add_units(out, 0) : 0;

	for (size_t i = 0; i < n; i++) {
		out[count] = steps[i];
		if (!out[count].match)
			out[count].match = steps_of[ww.on].match;
		count++;
	}
	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		out[count++] = (struct fault_step){
			.match = steps_of[lists[i]].match, .body = good_body(lists[i])};
	if (ww.on != ON_ROWS)
		count = add_units(out, count);
	out[count++] = (struct fault_step){.match = QUERIES, .body = good_body(ON_ROWS)};
	return count;
}

static struct front *front, *proxy;

static struct front *start_front(
	const struct front_opts *how, const char *to, const char *format, char url[128])
{
	struct front_opts o = *how;
	const char *mark = strstr(format, "%s");
	struct front *f;

	o.to = to;
	f = front_start(&o);
	snprintf(url, 128, "%.*s%s%s", mark ? (int)(mark - format) : (int)strlen(format),
		format, mark ? front_at(f) : "", mark ? mark + 2 : "");
	return f;
}

/* The client of gcp_world gives way to one that takes the other way. */
static void redirect(const struct wire *via)
{
	static char base[128], proxy_url[128], behind[128];
	struct gcp_opts o = {.endpoint_all = fault_base(ww.w.s),
		.credentials = via->metadata ? NULL : ww.w.key_file,
		.clock = &ww.w.clock};
	struct http_opts h = via->http;

	snprintf(base, sizeof(base), "%s", via->base ? via->base : "");
	if (via->front)
		front = start_front(via->front, fault_base(ww.w.s), via->base, base);
	if (via->proxy) {
		snprintf(behind, sizeof(behind), "http://%s",
			front ? front_at(front) : ":0");
		proxy = start_front(via->proxy, behind, h.proxy, proxy_url);
		h.proxy = proxy_url;
	}
	gcp_free(ww.w.g);
	http_free(ww.w.http);
	ww.w.g = NULL;
	h.clock = &ww.w.clock;
	h.seed = 3;
	if (http_new(&h, &ww.w.http, &ww.w.e))
		fail_msg("%s: %s", ww.row, ww.w.e.msg);
	o.http = ww.w.http;
	if (via->metadata)
		setenv("GCE_METADATA_HOST", base, 1);
	else if (*base)
		o.endpoints[steps_of[ww.on].api] = base;
	if (gcp_new(&o, &ww.w.g, &ww.w.e))
		fail_msg("%s: %s", ww.row, ww.w.e.msg);
}

static void stop_fronts(struct wire_outcome *o)
{
	if (proxy) {
		snprintf(o->heard, sizeof(o->heard), "%s", front_heard(proxy));
		front_stop(proxy);
	}
	if (front) {
		o->connections = front_connections(front);
		o->handshakes = front_handshakes(front);
		front_stop(front);
	}
	front = proxy = NULL;
}

static void run(struct wire_outcome *o)
{
	static const char *const projects[] = {"my-project"};
	static const struct billing_export tables[] = {
		{.name = "my-project.billing.export", .from = DAY_NONE, .until = DAY_NONE}};
	struct collect_settings settings = {.projects = projects,
		.n_projects = 1,
		.tables = tables,
		.n_tables = 1,
		.max_bytes = INT64_C(1) << 34,
		.tz = ww.t.tz};
	struct collector c = {.settings = &settings,
		.gcp = ww.w.g,
		.db = ww.t.db,
		.clock = &ww.w.clock,
		.only = &steps_of[ww.on].source,
		.n_only = 1};
	ts_t began = WORLD_NOW + ww.phase * APART;

	ww.w.clock.fake_now = began;
	assert_ok(collect(&c, &o->r, &ww.w.e), ww.w.e);
	o->waited = ww.w.clock.fake_now - began;
	o->requests = fault_count_of(ww.w.s, steps_of[ww.on].match);
	/* the other query */
	if (ww.on == ON_ROWS || (ww.on == ON_UNITS && o->r.ok))
		o->requests--;
	o->tokens = fault_count_of(ww.w.s, TOKEN);
	o->all = fault_count(ww.w.s);
}

static sqlite3_stmt *prepare(const char *sql)
{
	sqlite3_stmt *st;

	if (sqlite3_prepare_v2(ww.t.db->sq, sql, -1, &st, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(ww.t.db->sq));
	return st;
}

static void dump_table(const char *name, struct sbuf *out)
{
	char sql[128];
	sqlite3_stmt *st;

	snprintf(sql, sizeof(sql), "SELECT * FROM \"%s\" ORDER BY 1", name);
	st = prepare(sql);
	sbuf_addf(out, "%s:\n", name);
	while (sqlite3_step(st) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(st); i++) {
			const unsigned char *v = sqlite3_column_text(st, i);

			if (!str_eq(sqlite3_column_name(st, i), "complete"))
				sbuf_addf(out, " %s", v ? (const char *)v : "NULL");
		}
		sbuf_addc(out, '\n');
	}
	sqlite3_finalize(st);
}

/* Every fact in every table; what a failed poll may change is left out: whether facts are
 * complete, how the poll went and what it cost. */
static void dump(struct sbuf *out)
{
	sqlite3_stmt *st = prepare(
		"SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN "
		"('source_status', 'source_gap', 'billing_bytes', 'meta') AND name NOT "
		"LIKE 'sqlite_%'");

	sbuf_done(out);
	*out = SBUF_INIT;
	while (sqlite3_step(st) == SQLITE_ROW)
		dump_table((const char *)sqlite3_column_text(st, 0), out);
	sqlite3_finalize(st);
}

/* Nothing secret in any file of the database, or in any message. */
static void expect_no_secret(void)
{
	static const char *const ends[] = {"", "-wal"},
				 *const secrets[] = {
					 "ya29.", "PRIVATE KEY", "eyJhbGci", "hunter2"};
	struct sbuf all = SBUF_INIT;
	char path[128], buf[65536];
	size_t n;

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		FILE *f;

		snprintf(path, sizeof(path), "%s%s", ww.t.path, ends[i]);
		f = fopen(path, "rb");
		while (f && (n = fread(buf, 1, sizeof(buf), f)) > 0)
			sbuf_add(&all, buf, n);
		if (f)
			fclose(f);
	}
	sbuf_adds(&all, ww.w.e.msg);
	sbuf_adds(&all, ww.w.e.fix);
	for (size_t i = 0; i < ARRAY_LEN(secrets); i++)
		if (memmem(all.s, all.len, secrets[i], strlen(secrets[i])))
			fail_msg("%s: \"%s\" came to light", ww.row, secrets[i]);
	if (!memmem(all.s, all.len, "my-project", 10))
		fail_msg("the database was not read");
	sbuf_done(&all);
}

struct wire_outcome wire_poll(
	const struct fault_step *steps, size_t n, const struct wire *via)
{
	struct fault_step *all = calloc(n + MAX_STEPS, sizeof(*all));
	struct wire_outcome o = {0};
	struct fault_step none = {.match = "nothing"};

	assert_non_null(all);
	dump(&before);
	world_open(&ww.w, &none, 0);
	/* Answers are in the world's arena: the server is told of them once it is there. */
	fault_stop(ww.w.s);
	n = lay_out(all, steps, n);
	ww.w.s = fault_start(all, n);
	redirect(via ? via : &(const struct wire){0});
	run(&o);
	free(all);
	stop_fronts(&o);
	world_close(&ww.w);
	ww.phase++;
	expect_no_secret();
	return o;
}

/* ---- expectations ------------------------------------------------------------------------------ */

void wire_expect(const char *sql, const char *want)
{
	char got[2048];

	tempdb_text(&ww.t, sql, got, sizeof(got));
	if (strcmp(got, want) != 0)
		fail_msg("%s: %s\n%s\n  gave %s\n  want %s", ww.row, steps_of[ww.on].match,
			sql, got, want);
}

static void expect_part(const char *sql, const char *part)
{
	char got[2048];

	tempdb_text(&ww.t, sql, got, sizeof(got));
	if (!strstr(got, part))
		fail_msg("%s: %s: \"%s\" does not say \"%s\"", ww.row,
			steps_of[ww.on].match, got, part);
}

void wire_expect_error(const char *part)
{
	expect_part("SELECT error FROM source_status", part);
}

void wire_expect_fix(const char *part)
{
	expect_part("SELECT fix FROM source_status", part);
}

static bool is_list(void)
{
	return str_eq(steps_of[ww.on].source, "vm") || ww.on == ON_TPUS;
}

void wire_expect_kept(const char *state, const char *error)
{
	char want[64];

	wire_expect(
		"SELECT state || ' ' || failures || ' ' || items || ' ' || (last_attempt "
		"- last_success) FROM source_status",
		(snprintf(want, sizeof(want), "%s %d 1 %d", state, ww.phase - 1,
			 (ww.phase - 1) * APART),
			want));
	wire_expect_error(steps_of[ww.on].name);
	wire_expect_error(error);
	wire_expect_facts();
}

void wire_expect_facts(void)
{
	dump(&after);
	if (strcmp(before.s, after.s) != 0)
		fail_msg("%s: %s: before\n%s\nafter\n%s", ww.row, steps_of[ww.on].match,
			before.s, after.s);
	if (is_list())
		wire_expect("SELECT group_concat(name || ' ' || complete) FROM resource",
			"kept 0");
	else
		wire_expect("SELECT SUM(cost_n) FROM costs_exact", "10000000000");
}

void wire_expect_new(const char *state)
{
	char want[128];
	int ago = (ww.phase - 1) * APART;

	wire_expect("SELECT state || ' ' || failures FROM source_status",
		(snprintf(want, sizeof(want), "%s 0", state), want));
	if (str_eq(state, "ok"))
		wire_expect("SELECT COALESCE(error, '-') || COALESCE(fix, '-') || "
			    "(last_attempt - last_success) FROM source_status",
			"--0");
	if (is_list()) {
		snprintf(want, sizeof(want), "kept 11 1 %d,new 12 1 %d", ago, ago);
		wire_expect(
			"SELECT group_concat(x) FROM (SELECT name || ' ' || uid || ' ' || "
			"complete || ' ' || (last_seen - 1795237200) AS x FROM resource "
			"ORDER BY name)",
			want);
		wire_expect("SELECT COUNT(*) || ' ' || COUNT(ends) FROM resource_interval",
			"2 0");
		return;
	}
	snprintf(want, sizeof(want), "%d0000000000 1", ww.phase);
	wire_expect("SELECT SUM(cost_n) || ' ' || COUNT(*) FROM costs_exact", want);
	wire_expect("SELECT COUNT(*) FROM billing_unit", "1");
}

/* ---- a case -------------------------------------------------------------------------------------- */

static void copy(sqlite3 *from, sqlite3 *to)
{
	sqlite3_backup *b = sqlite3_backup_init(to, "main", from, "main");

	if (!b || sqlite3_backup_step(b, -1) != SQLITE_DONE ||
		sqlite3_backup_finish(b) != SQLITE_OK)
		fail_msg("copying a database: %s", sqlite3_errmsg(to));
}

/* The good poll is the same for every row: its outcome is kept. */
void wire_begin(enum wire_on on, const char *row)
{
	sqlite3 *sq = ww.t.db->sq;
	struct wire_outcome o;

	ww.on = on;
	ww.row = row;
	ww.phase = 0;
	if (filled[on]) {
		copy(filled[on], sq);
		sqlite3_wal_checkpoint_v2(sq, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
		ww.phase = 1;
		return;
	}
	copy(empty, sq);
	o = wire_poll(NULL, 0, NULL);
	if (o.r.ok != 1 || o.requests != 1 || o.waited)
		fail_msg("%s: the good poll before is not", row);
	assert_i64_eq(sqlite3_open(":memory:", &filled[on]), SQLITE_OK);
	copy(sq, filled[on]);
}

void wire_heal(void)
{
	struct wire_outcome o = wire_poll(NULL, 0, NULL);

	if (o.r.ok != 1 || o.requests != 1)
		fail_msg("%s: %s: the good poll after it is not", ww.row,
			steps_of[ww.on].match);
	wire_expect_new("ok");
}

int wire_setup(void **state)
{
	faultvfs_install(); /* no waiting for the disk */
	tempdb_open_as_of(&ww.t, WORLD_NOW);
	assert_i64_eq(sqlite3_open(":memory:", &empty), SQLITE_OK);
	copy(ww.t.db->sq, empty);
	return 0;
}

int wire_teardown(void **state)
{
	tempdb_close(&ww.t);
	sqlite3_close(empty);
	for (size_t i = 0; i < ARRAY_LEN(filled); i++)
		sqlite3_close(filled[i]);
	sbuf_done(&before);
	sbuf_done(&after);
	return 0;
}
