/* Files of the billing export: JSON lines, a JSON array, CSV, FOCUS. However the bytes arrive the same
 * lines are staged; what was staged, written as each of the formats, is read as the same lines; sums are
 * those of the lines; what is refused says where and why. */
#include "base/time/civil.h"
#include "base/mem.h"
#include "base/money.h"
#include "base/data/json.h"
#include "base/sbuf.h"
#include "collector/import/row.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#define MOST_TEXT (4u << 20) /* of staged lines, before their memory is given back */

struct import_bytes {
	const char *s;
	size_t n, piece;
};

static enum err_code give_import(
	void *ctx, char *buf, size_t room, size_t *n, struct err *e)
{
	struct import_bytes *b = ctx;

	(void)e;
	*n = b->n < room ? b->n : room;
	*n = b->piece < *n ? b->piece : *n;
	if (*n)
		memcpy(buf, b->s, *n);
	b->s += *n;
	b->n -= *n;
	return E_OK;
}

/* Empty again, with its memory: nothing of it goes to a database. */
static void begin_again(struct import_rows *r)
{
	if (r->stage.filling.texts.used > MOST_TEXT || r->stage.filling.n > 2000) {
		import_rows_done(r);
		memset(r, 0, sizeof(*r));
	}
	billed_prices_done(&r->prices);
	memset(&r->prices, 0, sizeof(r->prices));
	r->stage.filling.n = 0;
	r->stage.lines = r->rows = 0;
	memset(r->sums, 0, sizeof(r->sums));
	memset(r->v, 0, sizeof(r->v));
	r->n_sums = r->n_credits = 0;
	r->no_credits = r->is_focus = r->quantity_is_price = false;
	r->at = r->bad_rates = r->bad_rate_at = 0;
	memset(&r->seen, 0, sizeof(r->seen));
	memset(&r->has, 0, sizeof(r->has));
	memset(&r->focus, 0, sizeof(r->focus));
	r->exported = 0;
}

static enum err_code read_import(struct import_rows *r, const char *s, size_t n,
	size_t piece, int64_t *line, struct err *e)
{
	struct import_bytes b = {s, n, piece};
	struct import_input in = {.read = give_import, .ctx = &b, .name = "f"};
	size_t blanks = strspn(s, " \t\r\n");
	enum err_code rc;

	begin_again(r);
	rc = s[blanks] == '{' || s[blanks] == '[' ? import_json(&in, r, e)
						  : import_csv(&in, r, e);
	*line = in.line;
	return rc;
}

/* ---- the same lines ---------------------------------------------------------------------------- */

static void require_same(const struct import_rows *a, const struct import_rows *b)
{
	fuzz_require(a->stage.filling.n == b->stage.filling.n && a->rows == b->rows);
	fuzz_require(a->n_sums == b->n_sums);
	for (size_t i = 0; i < a->n_sums; i++) {
		fuzz_require(!strcmp(a->sums[i].currency, b->sums[i].currency));
		fuzz_require(a->sums[i].cost == b->sums[i].cost);
		fuzz_require(a->sums[i].credits == b->sums[i].credits);
	}
	for (size_t i = 0; i < a->stage.filling.n; i++) {
		struct usage_line *x = &a->stage.filling.v[i], *y = &b->stage.filling.v[i];

		for (size_t k = 0; k < USAGE_TEXTS; k++)
			fuzz_require(!strcmp(*usage_text(x, k), *usage_text(y, k)));
		fuzz_require(x->unit == y->unit && x->hour == y->hour);
		fuzz_require(x->cost == y->cost && x->credits == y->credits);
		fuzz_require(x->usage.set == y->usage.set && x->usage.v == y->usage.v);
		fuzz_require(x->rate == y->rate && x->rows == y->rows);
	}
}

static void check_sums(const struct import_rows *r)
{
	__int128 cost = 0, credits = 0, said_cost = 0, said_credits = 0;
	int64_t rows = 0;

	for (size_t i = 0; i < r->stage.filling.n; i++) {
		const struct usage_line *l = &r->stage.filling.v[i];

		cost += l->cost;
		credits += l->credits;
		rows += l->rows;
		fuzz_require(l->hour % HOUR_SECONDS == 0);
		fuzz_require(
			l->unit == l->hour / DAY_SECONDS && currency_valid(l->currency));
		fuzz_require(!*l->credit_type == (l->rows == 1));
	}
	for (size_t i = 0; i < r->n_sums; i++) {
		said_cost += r->sums[i].cost;
		said_credits += r->sums[i].credits;
	}
	fuzz_require(rows == r->rows && cost == said_cost && credits == said_credits);
}

/* ---- written again ----------------------------------------------------------------------------- */

static const char *hour_text(ts_t hour, char buf[RFC3339_BUF])
{
	rfc3339_format(hour, buf);
	buf[10] = ' ';
	memcpy(buf + 19, " UTC", 5);
	return buf;
}

static void add_key(struct sbuf *b, const char *key, const char *value)
{
	sbuf_addf(b, "\"%s\":", key);
	sbuf_add_json(b, value);
	sbuf_addc(b, ',');
}

static void add_amount(struct sbuf *b, const char *key, int64_t v)
{
	char buf[NANOS_BUF];

	sbuf_addf(b, "\"%s\":%s,", key, nanos_format(v, buf));
}

static size_t add_credits(struct sbuf *b, const struct usage_line *l, size_t n)
{
	size_t i = 0;

	sbuf_addc(b, '[');
	for (; i < n && *l[i].credit_type; i++) {
		sbuf_adds(b, i ? ",{" : "{");
		add_key(b, "type", l[i].credit_type);
		add_amount(b, "amount", l[i].credits);
		sbuf_adds(b, "\"id\":null}");
	}
	sbuf_addc(b, ']');
	return i;
}

static void add_record(
	struct sbuf *b, const char *name, const char *const (*pairs)[2], size_t n)
{
	sbuf_addf(b, "\"%s\":{", name);
	for (size_t i = 0; i < n; i++)
		add_key(b, pairs[i][0], pairs[i][1]);
	sbuf_adds(b, "\"x\":0},");
}

#define ADD_RECORD(b, name, ...)                              \
	do {                                                  \
		const char *const pairs[][2] = {__VA_ARGS__}; \
		add_record(b, name, pairs, ARRAY_LEN(pairs)); \
	} while (0)

static void add_labels(struct sbuf *b, const struct usage_line *l)
{
	cleanup(json_free_ptr) struct cJSON *labels = NULL;
	bool more = false;

	sbuf_addc(b, '[');
	if (*l->labels && json_parse(l->labels, strlen(l->labels), &labels, NULL))
		abort();
	JSON_EACH (label, labels) {
		sbuf_adds(b, more ? ",{\"key\":" : "{\"key\":");
		sbuf_add_json(b, json_key(label));
		sbuf_adds(b, ",\"value\":");
		sbuf_add_json(b, json_text(label, ""));
		sbuf_addc(b, '}');
		more = true;
	}
	sbuf_addc(b, ']');
}

static const char *add_labels_text(struct sbuf *b, const struct usage_line *l)
{
	add_labels(b, l);
	return b->s;
}

static const char *usage_amount(const struct usage_line *l, char buf[NANOS_BUF])
{
	return l->usage.set ? nanos_format(l->usage.v, buf) : "1e40";
}

static size_t add_json_row(struct sbuf *b, const struct usage_line *l, size_t n)
{
	char at[RFC3339_BUF], amount[NANOS_BUF];
	size_t used;

	sbuf_addc(b, '{');
	add_key(b, "billing_account_id", l->account);
	add_key(b, "usage_start_time", hour_text(l->hour, at));
	add_key(b, "currency", l->currency);
	add_key(b, "cost_type", l->cost_type);
	add_amount(b, "cost", l->cost);
	add_amount(b, "currency_conversion_rate", l->rate);
	ADD_RECORD(b, "service", {"id", l->service_id}, {"description", l->service});
	ADD_RECORD(b, "sku", {"id", l->sku_id}, {"description", l->sku});
	ADD_RECORD(b, "project", {"id", l->project}, {"number", l->number});
	ADD_RECORD(b, "location", {"location", l->location}, {"region", l->region},
		{"zone", l->zone});
	ADD_RECORD(b, "resource", {"name", l->resource}, {"global_name", l->global_name});
	ADD_RECORD(b, "usage", {"amount_in_pricing_units", usage_amount(l, amount)},
		{"pricing_unit", l->usage_unit});
	ADD_RECORD(b, "invoice", {"month", l->invoice_month});
	sbuf_adds(b, "\"labels\":");
	add_labels(b, l);
	sbuf_adds(b, ",\"credits\":");
	used = add_credits(b, l + 1, n - 1);
	sbuf_addc(b, '}');
	return 1 + used;
}

static size_t add_csv_row(struct sbuf *b, const struct usage_line *l, size_t n)
{
	cleanup(sbuf_done) struct sbuf credits = SBUF_INIT, labels = SBUF_INIT;
	char at[RFC3339_BUF], cost[NANOS_BUF], rate[NANOS_BUF], amount[NANOS_BUF];
	size_t used = add_credits(&credits, l + 1, n - 1);
	const char *const fields[] = {l->account, l->service_id, l->service, l->sku_id,
		l->sku, hour_text(l->hour, at), l->project, l->number, l->location,
		l->region, l->zone, l->resource, l->global_name,
		nanos_format(l->cost, cost), l->currency, nanos_format(l->rate, rate),
		usage_amount(l, amount), l->usage_unit, l->invoice_month, l->cost_type,
		credits.s, add_labels_text(&labels, l)};

	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		sbuf_adds(b, i ? "," : "");
		sbuf_add_csv(b, fields[i]);
	}
	sbuf_addc(b, '\n');
	return 1 + used;
}

static const char csv_header[] =
	"billing_account_id,service.id,service.description,sku.id,sku.description,"
	"usage_start_time,project.id,project.number,location.location,location.region,"
	"location.zone,resource.name,resource.global_name,cost,currency,"
	"currency_conversion_rate,usage.amount_in_pricing_units,usage.pricing_unit,"
	"invoice.month,cost_type,credits,labels\n";

enum written { LINES, ARRAY, CSV };

static void check_written(const struct import_rows *r, enum written as)
{
	static struct import_rows again;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	const struct usage_line *l = r->stage.filling.v;
	size_t n = r->stage.filling.n;
	struct err e = {0};
	int64_t line;

	sbuf_adds(&b, as == ARRAY ? "[" : as == CSV ? csv_header : "");
	for (size_t i = 0; i < n;) {
		if (as == ARRAY && i)
			sbuf_addc(&b, ',');
		i += as == CSV ? add_csv_row(&b, l + i, n - i)
			       : add_json_row(&b, l + i, n - i);
		if (as == LINES)
			sbuf_addc(&b, '\n');
	}
	if (as == ARRAY)
		sbuf_addc(&b, ']');
	if (as == CSV && strchr(b.s, '\r'))
		return; /* CR LF within quotes is read as LF */
	if (read_import(&again, b.s, b.len, SIZE_MAX, &line, &e)) {
		fprintf(stderr, "%s\n%s\n", b.s, e.msg);
		fuzz_broken(__FILE__, __LINE__, "what was written is read");
	}
	require_same(r, &again);
}

int fuzz_import(const uint8_t *data, size_t size)
{
	static struct import_rows rows, bytes;
	cleanup(free_ptr) char *s = fuzz_text(data, size);
	struct err e = {0}, e_bytes = {0};
	int64_t line = 0, line_bytes = 0;
	enum err_code rc = read_import(&rows, s, size, SIZE_MAX, &line, &e);

	fuzz_require(read_import(&bytes, s, size, 7, &line_bytes, &e_bytes) == rc);
	fuzz_require(!strcmp(e.msg, e_bytes.msg) && line == line_bytes);
	require_same(&rows, &bytes);
	if (rc) {
		fuzz_require(rc == E_DATA || rc == E_LIMIT || rc == E_OVERFLOW);
		fuzz_require(e.code == rc && e.msg[0] && line >= 0);
		return 0;
	}
	check_sums(&rows);
	if (!rows.rows)
		return 0;
	check_written(&rows, LINES);
	check_written(&rows, ARRAY);
	check_written(&rows, CSV);
	return 0;
}
