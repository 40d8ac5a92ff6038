/* Explains the gross and net cost per hour of a resource. */
#include "base/time/civil.h"
#include "base/money.h"
#include "base/str.h"
#include "reports/why/internal.h"
#include "rules/price/explain.h"

#include <string.h>

/* Unit of an item: "96 vCPU". Memory is stored in MiB and priced per GiB. */
static const struct {
	const char *label, *unit;
} items[] = {
	[PRICE_TPU_DEVICE] = {"TPU device", "chips"},
	[PRICE_TPU] = {"TPU", "chips"},
	[PRICE_CORE] = {"vCPUs", "vCPU"},
	[PRICE_RAM] = {"memory", "GiB"},
	[PRICE_RAM_EXT] = {"extended memory", "GiB"},
	[PRICE_MACHINE] = {"machine", "machine"},
	[PRICE_GPU] = {"GPUs", "GPU"},
	[PRICE_DISK] = {"disk", "GiB"},
	[PRICE_SNAPSHOT] = {"snapshot", "bytes"},
	[PRICE_IP_UNUSED] = {"unused address", "address"},
	[PRICE_IP_VM] = {"address", "address"},
	[PRICE_INTERNET] = {"to the internet", "GiB"},
	[PRICE_TRANSFER] = {"between regions", "GiB"},
	[PRICE_OPERATION] = {"operations", "operation"},
};

static bool is_memory(const struct price_term *t)
{
	return t->item == PRICE_RAM || t->item == PRICE_RAM_EXT;
}

static void add_quantity(struct sbuf *b, const struct price_term *t)
{
	char num[NANOS_BUF];
	int64_t nanos;

	/* GiB of a machine are few and exact to the nano; bytes have no fraction. */
	if (t->item == PRICE_SNAPSHOT ||
		!nanos_muldiv(t->quantity, NANOS / t->quantity_per, is_memory(t) ? 1024 : 1,
			&nanos))
		sbuf_addf(b, "%lld", (long long)t->quantity);
	else
		sbuf_adds(b, nanos_format(nanos, num));
}

/* " x 7.8 HKD/USD", between two others than USD " x 7.8 HKD/USD / 0.9 EUR/USD" */
static void rates_say_conversion(const struct price_term *t, struct sbuf *b)
{
	const struct price_rate *const rates[] = {t->to, t->from};
	char num[NANOS_BUF];

	for (size_t i = 0; i < ARRAY_LEN(rates); i++)
		if (rates[i]->as_of)
			sbuf_addf(b, " %s %s %s/USD", i ? "/" : "x",
				nanos_format(rates[i]->per_usd, num), rates[i]->cur);
}

/* "800 GiB x 0.17 USD / 730" */
static const char *formula_of(struct explaining *x, const struct price_term *t)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	add_quantity(&b, t);
	sbuf_addf(&b, " %s", items[t->item].unit);
	if (t->percent != 100)
		sbuf_addf(&b, " x %lld %%", (long long)t->percent);
	sbuf_addf(&b, " x %s", explain_money(x, t->unit.nanos, t->unit.cur));
	if (t->to)
		rates_say_conversion(t, &b);
	if (t->unit.per != 1)
		sbuf_addf(&b, " / %lld %s", (long long)t->unit.per, items[t->item].unit);
	if (t->item == PRICE_SNAPSHOT)
		sbuf_addf(&b, " / 2^30 / %lld h", (long long)(t->den / GIB));
	else if (t->den != 1 && !is_memory(t))
		sbuf_addf(&b, " / %lld h", (long long)t->den);
	return arena_strdup(x->a, b.s);
}

static const char *rates_origin_of(struct explaining *x, const struct price_term *t)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_adds(&b, price_source_name(t->source));
	if (t->source == PRICE_CONFIG)
		sbuf_addf(&b, " %s", x->config);
	if (t->unit.sku)
		sbuf_addf(&b, " SKU %s", t->unit.sku);
	if (t->unit.as_of)
		sbuf_addf(&b, " of %s",
			t->source == PRICE_BUILTIN
				? price_date_words(t->unit.as_of, x->now, x->a)
				: t->unit.as_of);
	if (t->to && t->to->as_of)
		sbuf_addf(&b, ", rate of the bill of %s", t->to->as_of);
	else if (t->to)
		sbuf_addf(&b, ", rate of the bill of %s", t->from->as_of);
	return arena_strdup(x->a, b.s);
}

static void rates_add_term(struct explaining *x, const struct price_term *t)
{
	struct explain_row *row;
	const char *label = items[t->item].label;

	if (*t->name)
		label = arena_printf(x->a, "%s %s", label, t->name);
	row = explain_rate(x, label, SOME(t->amount), price_term_cur(t));
	row->formula = formula_of(x, t);
	row->source = rates_origin_of(x, t);
}

static void rates_add_unknown(struct explaining *x, const struct q_explain_resource *r)
{
	const char *place = r->zone ? r->zone : r->location;

	if (!strcmp(r->kind, "bucket"))
		explain_say(x, "note", "the amount of data in the bucket is unknown");
	else if (!strcmp(r->state, "suspended"))
		explain_say(x, "note",
			"a suspended machine is charged for its stored memory, whose list "
			"price is unknown");
	else if (price_class_of(r->provisioning) == PRICE_RESERVED)
		explain_say(x, "note",
			"its price is that of its reservation, which is unknown; set it "
			"under prices: in the configuration, with provisioning: reserved");
	else if (price_class_of(r->provisioning) == PRICE_UNSTATED)
		explain_say(x, "note",
			"its class is unknown: Google does not state it, or it is newer "
			"than "
			"this version of tpucost");
	else
		explain_say(x, "note",
			"no price list has all its parts: %s in %s; see prices: in the "
			"configuration",
			r->type ? r->type : r->kind, place);
}

void explain_gross(struct explaining *x, const struct q_explain_resource *r)
{
	struct priced p;
	struct explain_row *row;
	__int128 sum = 0;

	if (explain_price(x->db, x->settings, r->id, x->a, &p, x->e))
		return;
	explain_section(x, "Gross: the list price per hour");
	for (size_t i = 0; i < p.n_terms; i++) {
		rates_add_term(x, &p.terms[i]);
		sum += p.terms[i].amount;
	}
	row = explain_rate(x, "gross", r->gross, r->currency);
	row->source = r->price_source;
	if (!r->gross.set)
		rates_add_unknown(x, r);
	else if (p.free)
		row->formula = arena_printf(x->a, "not charged while %s", r->state);
	else if (price_class_of(r->provisioning) == PRICE_RESERVED &&
		p.total.source != PRICE_CONFIG)
		row->formula = "the price of calendar mode; for a reservation of another "
			       "kind, set prices: in the configuration";
	else if (p.n_terms > 1)
		row->formula = sum == r->gross.v ? "the sum"
						 : "the sum, rounded once at the end";
}

/* ---- net ----------------------------------------------------------------------------------- */

/* `project`: that of the TPU */
static void add_grant(
	struct explaining *x, const struct q_explain_grant_state *q, const char *project)
{
	const struct grant *g = &x->settings->grants[q->line];
	const char *stands = "", *other = "";
	struct explain_row *row;

	if (q->until.set && q->until.v <= x->now)
		stands = ", has ended";
	else if (q->starts.set && q->starts.v > x->now)
		stands = ", has not begun";
	if (g->project && !str_eq(g->project, project))
		other = arena_printf(x->a, ", only for project %s", g->project);
	row = explain_say(x, arena_printf(x->a, "grant %s", q->name), "%s: %s%s%s",
		grant_describe(g, x->a),
		q->used_chips.set && q->free_chips.set
			? arena_printf(x->a, "%lld of %lld chips used, %lld free",
				  (long long)q->used_chips.v, (long long)q->granted_chips,
				  (long long)q->free_chips.v)
			: "use unknown: TPUs of its projects were not read, or one has an "
			  "unknown class",
		stands, other);
	row->source = x->config;
}

static void grants_of(struct explaining *x, const struct q_explain_resource *r)
{
	struct q_explain_grant_state_rows rows = q_explain_grant_state_rows(
		x, .family = r->family);

	for (size_t i = 0; i < rows.n; i++)
		add_grant(x, &rows.v[i], r->project);
}

void explain_stretch(struct explaining *x, const struct q_explain_stretches *q)
{
	const char *to = q->ends.set ? explain_time(x, q->ends.v) : "now";
	char length[DURATION_BUF] = "";
	struct explain_row *row;

	if (q->ends.set)
		duration_format(q->ends.v - q->starts, length);
	row = explain_say(x, explain_time(x, q->starts), "%s until %s%s%s%s%s%s%s",
		q->state, to, *length ? ", " : "", length, q->type ? ", " : "",
		q->type ? q->type : "", price_class_of(q->provisioning) ? ", " : "",
		price_class_of(q->provisioning)
			? price_class_name(price_class_of(q->provisioning))
			: "");
	row->source = "inventory history";
}

/* Recent cost at the current list price, and its history. */
void explain_lately(struct explaining *x, const char *id)
{
	struct q_explain_stretches_rows rows;

	explain_rows(x, NULL, q_explain_lately_read(x, .id = id), NULL);
	rows = q_explain_stretches_rows(x, .id = id, .newest = 1);
	explain_section(x, "History, newest first");
	for (size_t i = 0; i < rows.n; i++)
		explain_stretch(x, &rows.v[i]);
}

void explain_net(struct explaining *x, const struct q_explain_resource *r)
{
	explain_rows(x, "Net: amount to pay after grants, per hour",
		q_explain_net_read(x, .id = r->id), NULL);
	if (!r->covered.set)
		return;
	explain_rows(x, NULL, q_explain_covered_until_read(x, .id = r->id), NULL);
	grants_of(x, r);
	/* TPUs that use the capacity: every covered TPU that could be replaced by this one */
	explain_rows(x, NULL,
		q_explain_room_read(x, .family = r->family, .location = r->location,
			.provisioning = r->provisioning, .but = r->id,
			.project = r->project),
		"tpucost coverage");
}
