#include "tests/support/world/bill_world.h"

#include "base/time/civil.h"
#include "base/money.h"
#include "base/sbuf.h"
#include "base/time/tz.h"
#include "tests/support/assert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define HOUR INT64_C(3600)
#define COMPUTE "6F81-5844-456A"

struct bill_world bw;

int bill_setup(void **state)
{
	tempdb_open_as_of(&bw.t, WORLD_NOW);
	bw.row = "";
	return 0;
}

void bill_expect(const char *sql, const char *want)
{
	char got[2048];

	tempdb_text(&bw.t, sql, got, sizeof(got));
	if (strcmp(got, want) != 0)
		fail_msg("%s\n%s\n  gave %s\n  want %s", bw.row, sql, got, want);
}

#define OR(value, otherwise) ((value) ? (value) : (otherwise))

static void add_field(
	struct sbuf *b, const struct bill_export *x, const char *name, const char *type)
{
	bool other = x->column && !strcmp(x->column, name);

	if (!other || *x->as)
		sbuf_addf(b, "%s{\"name\":\"%s\",\"type\":\"%s\"}",
			b->s[b->len - 1] == '[' ? "" : ",", name, other ? x->as : type);
}

static void add_record(
	struct sbuf *b, const struct bill_export *x, const char *name, const char *members)
{
	char all[128], *save = NULL;

	snprintf(all, sizeof(all), "%s", members);
	sbuf_addf(b, ",{\"name\":\"%s\",\"type\":\"RECORD\",\"fields\":[", name);
	for (char *m = strtok_r(all, " ", &save); m; m = strtok_r(NULL, " ", &save))
		add_field(b, x, m, "STRING");
	sbuf_adds(b, "]}");
}

static size_t rows_of(const struct bill_export *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n; i++)
		n += x->lines[i].credit_type ? 0 : (size_t)OR(x->lines[i].rows, 1);
	return n;
}

const char *bill_table(const struct bill_export *x)
{
	struct sbuf b = SBUF_INIT;
	const char *text;

	sbuf_addf(&b,
		"{\"type\":\"TABLE\",\"location\":\"%s\",\"numRows\":\"%zu\","
		"\"lastModifiedTime\":\"%s\",\"creationTime\":\"%s\","
		"\"timePartitioning\":{\"type\":\"DAY\"},\"schema\":{\"fields\":[",
		OR(x->location, "EU"), rows_of(x), x->modified, OR(x->created, "1"));
	add_field(&b, x, "billing_account_id", "STRING");
	add_field(&b, x, "usage_start_time", "TIMESTAMP");
	add_field(&b, x, "export_time", "TIMESTAMP");
	add_field(&b, x, "cost", "FLOAT");
	add_field(&b, x, "currency", "STRING");
	add_field(&b, x, "cost_type", "STRING");
	if (x->column && !strcmp(x->column, "new"))
		add_field(&b, x, "new", "");
	add_record(&b, x, "service", "id description");
	add_record(&b, x, "sku", "id description");
	add_record(&b, x, "project", "id number");
	add_record(&b, x, "invoice", "month");
	add_record(&b, x, "location", "location region zone");
	add_record(&b, x, "usage", "amount unit");
	add_record(&b, x, "credits", "name amount type");
	sbuf_adds(&b, "]}}");
	text = arena_strdup(&bw.texts, b.s);
	sbuf_done(&b);
	return text;
}

/* ---- answers to queries ---------------------------------------------------------------------------- */

struct answer {
	struct sbuf rows;
	size_t n;
};

static void cell(struct sbuf *b, const char *value)
{
	char end = b->s[b->len - 1];

	sbuf_adds(b, end == '[' ? "{\"v\":" : ",{\"v\":");
	if (value)
		sbuf_add_json(b, value);
	else
		sbuf_adds(b, "null");
	sbuf_addc(b, '}');
}

static void cells(struct answer *a, const char *const *values, size_t n)
{
	sbuf_adds(&a->rows, a->n++ ? ",{\"f\":[" : "{\"f\":[");
	for (size_t i = 0; i < n; i++)
		cell(&a->rows, values[i]);
	sbuf_adds(&a->rows, "]}");
}

/* "name:TYPE ..." -> the whole answer. */
static const char *answer_of(
	const struct bill_export *x, struct answer *a, const char *columns)
{
	struct sbuf b = SBUF_INIT;
	char all[1024], *save = NULL;
	const char *text;

	snprintf(all, sizeof(all), "%s", columns);
	sbuf_adds(&b,
		"{\"jobComplete\":true,\"jobReference\":{\"projectId\":\"my-project\","
		"\"jobId\":\"j\"},\"schema\":{\"fields\":[");
	for (char *c = strtok_r(all, " ", &save); c; c = strtok_r(NULL, " ", &save)) {
		char *type = strchr(c, ':');

		*type++ = '\0';
		sbuf_addf(&b, "%s{\"name\":\"%s\",\"type\":\"%s\"}",
			b.s[b.len - 1] == '[' ? "" : ",", c,
			strcmp(type, "SUM") ? type : OR(x->sum_type, "NUMERIC"));
	}
	sbuf_addf(&b, "]},\"totalRows\":\"%zu\",\"rows\":[%s]}", a->n, a->rows.s);
	text = arena_strdup(&bw.texts, b.s);
	sbuf_done(&b);
	sbuf_done(&a->rows);
	return text;
}

static void add_unit(
	struct answer *a, const struct bill_export *x, const struct bill_unit *u)
{
	const char *values[] = {u->day, u->currency, u->rows, u->cost, u->credits,
		OR(x->exported, "1795100000000000")};

	cells(a, values, ARRAY_LEN(values));
}

static int64_t nanos(const char *text)
{
	int64_t v = 0;

	return nanos_parse(OR(text, "0"), &v, NULL) ? 0 : v;
}

static bool same_unit(const struct bill_line *a, const struct bill_line *b)
{
	return !strcmp(OR(a->day, BILL_DAY), OR(b->day, BILL_DAY)) &&
		!strcmp(OR(a->currency, "USD"), OR(b->currency, "USD"));
}

/* The unit of a line, of all the lines that it has. */
static void sum_unit(struct answer *a, const struct bill_export *x, size_t of)
{
	char rows[24], cost[NANOS_BUF], credits[NANOS_BUF];
	int64_t sums[2] = {0}, n = 0;

	for (size_t i = 0; i < x->n; i++) {
		const struct bill_line *l = &x->lines[i];

		if (!same_unit(l, &x->lines[of]))
			continue;
		sums[0] += nanos(l->cost);
		sums[1] += nanos(l->credits);
		n += l->credit_type ? 0 : OR(l->rows, 1);
	}
	snprintf(rows, sizeof(rows), "%lld", (long long)n);
	add_unit(a, x,
		&(struct bill_unit){OR(x->lines[of].day, BILL_DAY),
			OR(x->lines[of].currency, "USD"), rows, nanos_format(sums[0], cost),
			nanos_format(sums[1], credits)});
}

const char *bill_units(const struct bill_export *x)
{
	struct answer a = {.rows = SBUF_INIT};

	for (size_t i = 0; i < x->n_units; i++)
		add_unit(&a, x, &x->units[i]);
	for (size_t i = 0; !x->units && i < x->n; i++) {
		size_t first = 0;

		while (!same_unit(&x->lines[first], &x->lines[i]))
			first++;
		if (first == i)
			sum_unit(&a, x, i);
	}
	return answer_of(x, &a,
		"unit:DATE currency:STRING row_count:INTEGER cost_sum:SUM credits_sum:SUM "
		"exported:TIMESTAMP");
}

static void add_line(struct answer *a, const struct bill_line *l)
{
	const char *project = l->account_level ? NULL : OR(l->project, "p-one");
	const char *number = l->account_level ? NULL : OR(l->number, "123");
	const char *service = l->account_level ? NULL : COMPUTE;
	char hour[32], rows[24];
	day_t day;

	if (date_parse(OR(l->day, BILL_DAY), &day, NULL))
		fail_msg("%s is no day", l->day);
	snprintf(hour, sizeof(hour), "%lld000000",
		(long long)OR(l->hour, day * DAY_SECONDS + 10 * HOUR));
	snprintf(rows, sizeof(rows), "%d", l->credit_type ? 0 : OR(l->rows, 1));
	{
		const char *values[] = {OR(l->day, BILL_DAY), hour, OR(l->credit_type, ""),
			OR(l->invoice, "202611"), OR(l->currency, "USD"), project, service,
			"Service", OR(l->sku, "SKU-1"), OR(l->sku, "SKU-1"), "us-central1",
			"us-central1", NULL, "hour", "01AB23-CD45EF-678901", number,
			OR(l->cost_type, "regular"), NULL, NULL, NULL, NULL, NULL, "0",
			OR(l->cost, "0"), OR(l->credits, "0"), rows, NULL, NULL, NULL,
			OR(l->cost, "0"), OR(l->cost, "0")};

		cells(a, values, ARRAY_LEN(values));
	}
}

const char *bill_lines(const struct bill_export *x)
{
	struct answer a = {.rows = SBUF_INIT};

	for (size_t i = 0; i < x->n; i++)
		if (!x->lines[i].stored)
			add_line(&a, &x->lines[i]);
	return answer_of(x, &a,
		"unit:DATE hour:TIMESTAMP credit_type:STRING invoice_month:STRING "
		"currency:STRING project_id:STRING service_id:STRING service_name:STRING "
		"sku_id:STRING sku_name:STRING place:STRING region:STRING zone:STRING "
		"usage_unit:STRING account:STRING project_number:STRING cost_type:STRING "
		"resource_name:STRING global_name:STRING label_set:STRING rate:NUMERIC "
		"price:NUMERIC usage_sum:NUMERIC cost_sum:SUM credits_sum:SUM "
		"row_count:INTEGER model:STRING model_name:STRING "
		"price_default:NUMERIC list_sum:SUM default_sum:SUM");
}

/* ---- polling ---------------------------------------------------------------------------------------- */

static const struct billing_export tables[] = {
	{.name = "my-project.billing.export", .from = DAY_NONE, .until = DAY_NONE}};

enum err_code bill_collect(
	struct gcp *g, struct db *db, ts_t now, struct collect_result *r, struct err *e)
{
	static const char *const only[] = {"billing"};
	struct collect_settings settings = {.tables = tables,
		.n_tables = 1,
		.max_bytes = INT64_C(1) << 34,
		.tz = bw.t.tz};
	struct clock clock;
	struct collector c = {.settings = &settings,
		.gcp = g,
		.db = db,
		.clock = &clock,
		.only = only,
		.n_only = 1};

	clock_fake_init(&clock, now);
	return collect(&c, r, e);
}

struct bill_outcome bill_poll(const struct bill_export *x, ts_t now)
{
	struct bill_outcome o = {.queries = 0};
	struct fault_step steps[] = {{.match = BILL_TABLE, .body = bill_table(x)},
		{.match = BILL_QUERIES, .times = 1, .body = bill_units(x)},
		{.match = BILL_QUERIES, .body = bill_lines(x)}};

	if (x->refused) {
		steps[x->refused].status = x->status;
		steps[x->refused].body = x->refusal;
	}
	world_open(&bw.w, steps, ARRAY_LEN(steps));
	bw.w.clock.fake_now = now;
	assert_ok(bill_collect(bw.w.g, bw.t.db, now, &o.r, &bw.w.e), bw.w.e);
	o.queries = fault_count_of(bw.w.s, BILL_QUERIES);
	for (size_t i = 0; !o.first[0] && i < fault_count(bw.w.s); i++)
		if (!strncmp(fault_request(bw.w.s, i), BILL_QUERIES, strlen(BILL_QUERIES)))
			snprintf(o.first, sizeof(o.first), "%s", fault_request(bw.w.s, i));
	world_close(&bw.w);
	arena_done(&bw.texts);
	return o;
}

void bill_good(const struct bill_export *x, ts_t now)
{
	struct bill_outcome o = bill_poll(x, now);
	char why[512];

	if (o.r.ok != 1)
		fail_msg("%s: %s", bw.row,
			tempdb_text(&bw.t, "SELECT error FROM source_status", why,
				sizeof(why)));
}

/* Refused after so many queries, and nothing is changed. */
void bill_refused(const struct bill_export *x, ts_t now, const char *why, size_t queries)
{
	char before[64], got[512];
	struct bill_outcome o;

	tempdb_text(&bw.t, "SELECT SUM(cost_n) || ' ' || COUNT(*) FROM costs_exact", before,
		sizeof(before));
	o = bill_poll(x, now);
	tempdb_text(&bw.t, "SELECT error FROM source_status", got, sizeof(got));
	if (o.r.failed != 1 || !strstr(got, why))
		fail_msg("%s: %zu failed: \"%s\" does not say \"%s\"", bw.row, o.r.failed,
			got, why);
	if (o.queries != queries)
		fail_msg("%s: %zu queries", bw.row, o.queries);
	bill_expect("SELECT SUM(cost_n) || ' ' || COUNT(*) FROM costs_exact", before);
}
