/* gen ROWS ndjson|csv|sums: a synthetic Cloud Billing export on standard output, the same on
 * every run. 480 rows an hour from 2025-01-01 on, in the order of usage time: 14 SKUs, 12
 * projects, 420 resources; every fifth row has credits.
 *
 *   ndjson  nested, as `bq extract` writes gcp_billing_export_resource_v1: NUMERIC as strings,
 *           FLOAT as numbers, instants as "2025-01-01 00:00:00 UTC", no NULLs
 *   csv     the same, flat: records as dotted columns, lists as JSON text
 *   sums    rows, cost and credits that the other two add up to, exactly, in decimals
 *
 * Columns: https://cloud.google.com/billing/docs/how-to/export-data-bigquery-tables/detailed-usage */
#include "base/time/civil.h"
#include "base/money.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "base/time/tz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_AN_HOUR 480
#define RESOURCES 420
#define PROJECTS 12
#define MAX_ROWS INT64_C(100000000)
#define FIRST_HOUR INT64_C(1735689600) /* 2025-01-01 00:00 UTC */
#define FLUSH_AT ((size_t)1 << 20)
#define MILLI INT64_C(1000)

noreturn_fn static void die(const char *what)
{
	fprintf(stderr, "gen: %s\n", what);
	exit(1);
}

/* ---- what is billed ---------------------------------------------------------------------------- */

enum { COMPUTE, TPU, STORAGE };

static const struct service {
	const char *id, *name, *api;
} services[] = {
	[COMPUTE] = {"6F81-5844-456A", "Compute Engine", "compute"},
	[TPU] = {"E000-3F24-B8AA", "Cloud TPU", "tpu"},
	[STORAGE] = {"95FF-2EF5-5EA1", "Cloud Storage", "storage"},
};

/* `price` is nanos of a USD for one pricing unit, which is `base` usage units; a row uses
 * `low` to `high` thousandths of it. */
static const struct sku {
	int service;
	const char *id, *name, *unit, *pricing_unit;
	int64_t base, price, low, high;
} skus[] = {
	{COMPUTE, "2E27-4F75-95CD", "N1 Predefined Instance Core running in Americas",
		"seconds", "hour", 3600, 31611000, 96000, 96000},
	{COMPUTE, "6C71-E844-38BC", "N1 Predefined Instance Ram running in Americas",
		"byte-seconds", "gibibyte hour", INT64_C(3865470566400), 4237000, 624000,
		624000},
	{COMPUTE, "D973-5D65-BAB2", "Storage PD Capacity", "byte-seconds", "gibibyte month",
		INT64_C(2875910101401600), 40000000, 100, 1100},
	{COMPUTE, "B188-61DD-52E4", "SSD backed PD Capacity", "byte-seconds",
		"gibibyte month", INT64_C(2875910101401600), 170000000, 10, 700},
	{COMPUTE, "C054-7F72-A02E", "Static Ip Charge", "seconds", "hour", 3600, 10000000,
		1000, 1000},
	{COMPUTE, "DE9E-AFBC-A15A", "Network Inter Zone Data Transfer Out", "bytes",
		"gibibyte", INT64_C(1073741824), 10000000, 0, 90000},
	{COMPUTE, "227B-5B2B-A75A",
		"Network Internet Data Transfer Out from Americas to Americas", "bytes",
		"gibibyte", INT64_C(1073741824), 85000000, 1, 4000},
	{COMPUTE, "1F49-4F34-9C1B", "Tpu-v5e Pod running in Belgium", "seconds", "hour",
		3600, 1560000000, 1000, 8000},
	{COMPUTE, "7A0C-95B2-E7D3", "Tpu-v6e Preemptible, Spot, \"flex\" in Americas",
		"seconds", "hour", 3600, 1350000000, 100, 4000},
	{TPU, "3B3D-4CB4-AECC", "TPU-v2 Accelerator USA", "seconds", "hour", 3600,
		4500000000, 1000, 1000},
	{TPU, "9E5A-01D7-44F0", "TPU-v3 Accelerator Europe", "seconds", "hour", 3600,
		8800000000, 250, 1000},
	{TPU, "F2C4-6B18-3D9A", "Preemptible TPU-v2 Accelerator USA", "seconds", "hour",
		3600, 1350000000, 17, 1000},
	{STORAGE, "E5F0-6A5D-7BAD", "Standard Storage US Regional", "byte-seconds",
		"gibibyte month", INT64_C(2875910101401600), 20000000, 1, 9000},
	{STORAGE, "4DBF-185F-A415", "Regional Standard Class A Operations", "requests",
		"count", 1, 5000, 1000, 40000000},
};

static const struct place {
	const char *location, *country, *region, *zone;
} places[] = {
	{"us-central1-a", "US", "us-central1", "us-central1-a"},
	{"us-central1-f", "US", "us-central1", "us-central1-f"},
	{"europe-west4-a", "NL", "europe-west4", "europe-west4-a"},
	{"us-central1", "US", "us-central1", NULL},
	{"us", "US", NULL, NULL},
};

static const char *const teams[] = {"vision", "speech", "robotics", "search & \"rank\""};

static const struct {
	const char *name, *id, *type;
	int64_t percent;
} credit_kinds[] = {
	{"Free Trial", "FreeTrial", "PROMOTION", 100},
	{"Sustained Usage Discount", "Sustained Usage Discount", "SUSTAINED_USAGE_DISCOUNT",
		30},
	{"Committed Usage Discount: CPU", "Committed Usage Discount: CPU",
		"COMMITTED_USAGE_DISCOUNT", 57},
	{"Research credit", "TpuResearch2025", "PROMOTION", 60},
};

struct credit {
	size_t kind;
	int64_t amount; /* nanos, zero or negative */
};

struct row {
	ts_t start;
	int resource, project;
	const struct sku *sku;
	const struct place *place;
	int64_t used; /* thousandths of the pricing unit */
	int64_t cost; /* nanos */
	int noise; /* the cost as a binary float prints it: a digit far behind the others */
	struct credit credits[2];
	size_t n_credits;
	uint64_t dice;
	char invoice[16];
};

/* splitmix64: what follows from the number of a row, and from nothing else. */
static uint64_t mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

static int64_t muldiv(int64_t a, int64_t num, int64_t den)
{
	int64_t out = 0;

	if (!nanos_muldiv(a, num, den, &out))
		die("an amount is out of range");
	return out;
}

static void add_credit(struct row *r, size_t kind, int64_t of)
{
	int64_t amount = muldiv(of, -credit_kinds[kind].percent, 100);

	r->credits[r->n_credits++] = (struct credit){kind, amount};
}

/* Invoice months are cut where Google's are, in US Pacific time. */
static void set_invoice(struct row *r, const struct tz *pacific)
{
	int year, month, day;

	civil_from_day(tz_day(pacific, r->start), &year, &month, &day);
	snprintf(r->invoice, sizeof(r->invoice), "%04d%02d", year % 10000, month);
}

static void make_row(int64_t i, const struct tz *pacific, struct row *r)
{
	int slot = (int)(i % ROWS_AN_HOUR);
	bool second = slot >= RESOURCES; /* another SKU of a resource that had one */

	*r = (struct row){
		.start = FIRST_HOUR + i / ROWS_AN_HOUR * 3600, .dice = mix((uint64_t)i)};
	r->resource = second ? slot - RESOURCES : slot;
	r->project = r->resource % PROJECTS;
	r->sku = &skus[(size_t)(r->resource + (second ? 5 : 0)) % ARRAY_LEN(skus)];
	r->place = &places[(size_t)r->resource / 7 % ARRAY_LEN(places)];
	r->used = r->sku->low +
		(int64_t)(r->dice % (uint64_t)(r->sku->high - r->sku->low + 1));
	r->cost = muldiv(r->sku->price, r->used, MILLI);
	r->noise = (r->dice >> 32) % 8 == 0 ? (int)(r->dice >> 35) % 7 + 1 : 0;
	set_invoice(r, pacific);
	if ((r->dice >> 40) % 5 == 0) {
		size_t kind = (r->dice >> 48) % ARRAY_LEN(credit_kinds);

		add_credit(r, kind, r->cost);
		if (kind == 1) /* what the discount leaves is paid by the grant */
			add_credit(r, 3, r->cost + r->credits[0].amount);
	}
}

/* ---- fields ------------------------------------------------------------------------------------ */

enum format { NDJSON, CSV_HEADER, CSV };

struct out {
	enum format format;
	struct sbuf b;
	struct sbuf list; /* the list at hand */
	char prefix[32];
	bool begun; /* the row or record has a field already */
};

static void name_of(struct out *o, const char *name)
{
	if (o->begun)
		sbuf_addc(&o->b, ',');
	o->begun = true;
	if (o->format == NDJSON)
		sbuf_addf(&o->b, "\"%s\":", name);
	else if (o->format == CSV_HEADER)
		sbuf_addf(&o->b, "%s%s", o->prefix, name);
}

static void open_record(struct out *o, const char *name)
{
	if (o->format != NDJSON) {
		snprintf(o->prefix, sizeof(o->prefix), "%s.", name);
		return;
	}
	name_of(o, name);
	sbuf_addc(&o->b, '{');
	o->begun = false;
}

static void close_record(struct out *o)
{
	o->prefix[0] = '\0';
	o->begun = true;
	if (o->format == NDJSON)
		sbuf_addc(&o->b, '}');
}

/* Most texts need no escapes, and finding that out is most of the time. */
static void add_json(struct sbuf *b, const char *s)
{
	if (s[strcspn(s, "\"\\")]) {
		sbuf_add_json(b, s);
		return;
	}
	sbuf_addc(b, '"');
	sbuf_adds(b, s);
	sbuf_addc(b, '"');
}

/* NULL is not written in JSON, and empty in CSV. */
static void text(struct out *o, const char *name, const char *value)
{
	if (!value && o->format == NDJSON)
		return;
	name_of(o, name);
	if (value && o->format == NDJSON)
		add_json(&o->b, value);
	else if (value && o->format == CSV)
		sbuf_add_csv(&o->b, value);
}

/* What JSON has without quotes. */
static void bare(struct out *o, const char *name, const char *value)
{
	name_of(o, name);
	if (o->format != CSV_HEADER)
		sbuf_adds(&o->b, value);
}

/* The list that stands in o->list. */
static void list(struct out *o, const char *name)
{
	name_of(o, name);
	if (o->format == NDJSON)
		sbuf_addf(&o->b, "[%s]", o->list.s);
	else if (o->format == CSV) {
		cleanup(sbuf_done) struct sbuf whole = SBUF_INIT;

		sbuf_addf(&whole, "[%s]", o->list.s);
		sbuf_add_csv(&o->b, whole.s);
	}
	sbuf_reset(&o->list);
}

static void item_text(struct out *o, const char *name, const char *value)
{
	bool first = !o->list.len || o->list.s[o->list.len - 1] == '{';

	sbuf_addf(&o->list, "%s\"%s\":", first ? "" : ",", name);
	add_json(&o->list, value);
}

static void open_item(struct out *o)
{
	sbuf_adds(&o->list, o->list.len ? ",{" : "{");
}

static void pair(struct out *o, const char *key, const char *value)
{
	open_item(o);
	item_text(o, "key", key);
	item_text(o, "value", value);
	sbuf_addc(&o->list, '}');
}

/* A FLOAT as BigQuery prints it: 3600.0, 0.0316, 4.4E-5, 1.2E7. The value is `v` with `scale`
 * digits behind the point, 0 to 9. */
#define FLOAT_BUF 64
static char *float_text(int64_t v, int scale, int noise, char buf[FLOAT_BUF])
{
	char digits[32], *d = digits + 10; /* room for zeros before */
	int n = snprintf(d, 22, "%llu", (unsigned long long)(v < 0 ? -v : v));
	int exp = n - 1 - scale; /* of the first digit */
	const char *sign = v < 0 ? "-" : "";

	if (!v)
		return strcpy(buf, "0.0");
	if (exp < -3 || exp >= 7) {
		while (n > 1 && d[n - 1] == '0')
			d[--n] = '\0';
		snprintf(buf, FLOAT_BUF, "%s%c.%sE%d", sign, *d, n > 1 ? d + 1 : "0", exp);
		return buf;
	}
	for (; n <= scale; n++)
		*--d = '0';
	n -= scale; /* digits before the point */
	scale = noise && exp < 3 ? scale : (int)strlen(d + n);
	while (!noise && scale > 0 && d[n + scale - 1] == '0')
		d[n + --scale] = '\0';
	snprintf(buf, FLOAT_BUF, "%s%.*s.%s", sign, n, d, scale ? d + n : "0");
	if (noise && exp < 3)
		snprintf(buf + strlen(buf), 16, "%06d%d", 0, noise);
	return buf;
}

static void number(struct out *o, const char *name, int64_t nanos, int noise)
{
	bare(o, name, float_text(nanos, 9, noise, (char[FLOAT_BUF]){0}));
}

/* NUMERIC has more digits than a float: BigQuery writes it as a string. */
static void numeric(struct out *o, const char *name, int64_t nanos)
{
	text(o, name, nanos_format(nanos, (char[NANOS_BUF]){0}));
}

static void instant(struct out *o, const char *name, ts_t t, int64_t micros)
{
	struct civil c = civil_from_ts(t);
	char buf[96], fraction[24] = "";

	if (micros)
		snprintf(fraction, sizeof(fraction), ".%06lld", (long long)micros);
	snprintf(buf, sizeof(buf), "%04d-%02d-%02d %02d:%02d:%02d%s UTC", c.year, c.month,
		c.day, c.hour, c.minute, c.second, fraction);
	text(o, name, buf);
}

/* ---- rows -------------------------------------------------------------------------------------- */

static void write_what(struct out *o, const struct row *r)
{
	const struct service *s = &services[r->sku->service];

	text(o, "billing_account_id", "01AB23-CD45EF-678901");
	open_record(o, "service");
	text(o, "id", s->id);
	text(o, "description", s->name);
	close_record(o);
	open_record(o, "sku");
	text(o, "id", r->sku->id);
	text(o, "description", r->sku->name);
	close_record(o);
	instant(o, "usage_start_time", r->start, 0);
	instant(o, "usage_end_time", r->start + 3600, 0);
}

static void write_project(struct out *o, const struct row *r)
{
	char id[32], number_text[32], node[48];

	snprintf(id, sizeof(id), "tpu-lab-%02d", r->project + 1);
	snprintf(number_text, sizeof(number_text), "%lld", 100000000001LL + r->project);
	snprintf(node, sizeof(node), "projects/%s", number_text);
	open_record(o, "project");
	text(o, "id", id);
	text(o, "number", number_text);
	text(o, "name", id);
	if (r->project % 2)
		pair(o, "cost-center", "4711");
	list(o, "labels");
	text(o, "ancestry_numbers", "/8/");
	if (r->project % 4 == 0) {
		open_item(o);
		item_text(o, "resource_name", node);
		item_text(o, "display_name", id);
		sbuf_addc(&o->list, '}');
	}
	list(o, "ancestors");
	close_record(o);
}

static void write_labels(struct out *o, const struct row *r)
{
	char owner[32];

	snprintf(owner, sizeof(owner), "user-%02d", r->resource % 37);
	pair(o, "owner", owner);
	if (r->resource % 3)
		pair(o, "team", teams[(size_t)r->resource % ARRAY_LEN(teams)]);
	list(o, "labels");
	if (r->sku < &skus[2]) { /* of machines */
		pair(o, "compute.googleapis.com/machine_spec", "n1-highmem-96");
		pair(o, "compute.googleapis.com/cores", "96");
		pair(o, "compute.googleapis.com/memory", "638976");
	}
	list(o, "system_labels");
}

static void write_where(struct out *o, const struct row *r)
{
	const struct service *s = &services[r->sku->service];
	char name[48], global[160];

	open_record(o, "location");
	text(o, "location", r->place->location);
	text(o, "country", r->place->country);
	text(o, "region", r->place->region);
	text(o, "zone", r->place->zone);
	close_record(o);
	snprintf(name, sizeof(name), "t1v-n-%08x-w-%d",
		(unsigned)mix((uint64_t)r->resource), 0);
	snprintf(global, sizeof(global),
		"//%s.googleapis.com/projects/tpu-lab-%02d/locations/%s/%s", s->api,
		r->project + 1, r->place->location, name);
	open_record(o, "resource");
	text(o, "name", name);
	text(o, "global_name", global);
	close_record(o);
	if (r->project % 3 == 0) {
		open_item(o);
		item_text(o, "key", "environment");
		item_text(o, "value", "prod");
		sbuf_adds(&o->list, ",\"inherited\":true");
		item_text(o, "namespace", "8");
		sbuf_addc(&o->list, '}');
	}
	list(o, "tags");
}

static void write_price(struct out *o, const struct row *r)
{
	open_record(o, "price");
	numeric(o, "effective_price", r->sku->price);
	numeric(o, "tier_start_amount", 0);
	text(o, "unit", r->sku->pricing_unit);
	numeric(o, "pricing_unit_quantity", NANOS);
	numeric(o, "list_price", r->sku->price);
	close_record(o);
	text(o, "transaction_type", "GOOGLE");
	text(o, "seller_name", NULL);
	/* loaded some hours later, each load at one instant */
	instant(o, "export_time", r->start + 5 * 3600 + 754,
		123456 + r->start / 3600 % 1000);
	number(o, "cost", r->cost, r->noise);
	text(o, "currency", "USD");
	number(o, "currency_conversion_rate", NANOS, 0);
}

static void write_usage(struct out *o, const struct row *r)
{
	int64_t whole = muldiv(r->sku->base, r->used, MILLI);

	/* byte-seconds are more than nano-units can hold */
	open_record(o, "usage");
	bare(o, "amount", float_text(whole, 0, 0, (char[FLOAT_BUF]){0}));
	text(o, "unit", r->sku->unit);
	number(o, "amount_in_pricing_units", r->used * (NANOS / MILLI), 0);
	text(o, "pricing_unit", r->sku->pricing_unit);
	close_record(o);
}

static void write_credits(struct out *o, const struct row *r)
{
	for (size_t i = 0; i < r->n_credits; i++) {
		size_t kind = r->credits[i].kind;

		open_item(o);
		item_text(o, "name", credit_kinds[kind].name);
		sbuf_addf(&o->list, ",\"amount\":%s",
			float_text(r->credits[i].amount, 9, 0, (char[FLOAT_BUF]){0}));
		item_text(o, "full_name", credit_kinds[kind].name);
		item_text(o, "id", credit_kinds[kind].id);
		item_text(o, "type", credit_kinds[kind].type);
		sbuf_addc(&o->list, '}');
	}
	list(o, "credits");
}

static void write_row(struct out *o, const struct row *r)
{
	o->begun = false;
	if (o->format == NDJSON)
		sbuf_addc(&o->b, '{');
	write_what(o, r);
	write_project(o, r);
	write_labels(o, r);
	write_where(o, r);
	write_price(o, r);
	write_usage(o, r);
	write_credits(o, r);
	open_record(o, "invoice");
	text(o, "month", r->invoice);
	text(o, "publisher_type", "GOOGLE");
	close_record(o);
	text(o, "cost_type", "regular");
	number(o, "cost_at_list", r->cost, 0);
	sbuf_adds(&o->b, o->format == NDJSON ? "}\n" : "\n");
}

static void flush(struct out *o, size_t at)
{
	if (o->b.len < at)
		return;
	if (fwrite(o->b.s, 1, o->b.len, stdout) != o->b.len)
		die("cannot write");
	sbuf_reset(&o->b);
}

static void write_rows(int64_t n, enum format format, const struct tz *pacific)
{
	struct out o = {.format = format, .b = SBUF_INIT, .list = SBUF_INIT};
	struct row r;

	if (format == CSV) {
		make_row(0, pacific, &r);
		o.format = CSV_HEADER;
		write_row(&o, &r);
		o.format = CSV;
	}
	for (int64_t i = 0; i < n; i++) {
		make_row(i, pacific, &r);
		write_row(&o, &r);
		flush(&o, FLUSH_AT);
	}
	flush(&o, 0);
	sbuf_done(&o.b);
	sbuf_done(&o.list);
}

static void write_sums(int64_t n, const struct tz *pacific)
{
	int64_t cost = 0, credits = 0;
	struct row r;

	for (int64_t i = 0; i < n; i++) {
		make_row(i, pacific, &r);
		if (!nanos_add(cost, r.cost, &cost))
			die("the sum is out of range");
		for (size_t k = 0; k < r.n_credits; k++)
			if (!nanos_add(credits, r.credits[k].amount, &credits))
				die("the sum is out of range");
	}
	printf("rows %lld\n", (long long)n);
	printf("cost %s\n", nanos_format(cost, (char[NANOS_BUF]){0}));
	printf("credits %s\n", nanos_format(credits, (char[NANOS_BUF]){0}));
}

int main(int argc, char **argv)
{
	struct tz *pacific = NULL;
	struct err e = {0};
	int64_t n;

	if (argc != 3 || !str_to_i64(argv[1], 0, MAX_ROWS, &n))
		die("usage: gen ROWS ndjson|csv|sums");
	if (tz_open("America/Los_Angeles", &pacific, &e))
		die(e.msg);
	if (!strcmp(argv[2], "ndjson"))
		write_rows(n, NDJSON, pacific);
	else if (!strcmp(argv[2], "csv"))
		write_rows(n, CSV, pacific);
	else if (!strcmp(argv[2], "sums"))
		write_sums(n, pacific);
	else
		die("usage: gen ROWS ndjson|csv|sums");
	tz_free(pacific);
	if (fflush(stdout))
		die("cannot write");
	return 0;
}
