#include "reports/shared.h"

#include "base/money.h"
#include "base/str.h"
#include "base/time/civil.h"
#include "db/answer.h"
#include "db_sql.h"
#include "reports/kinds.h"
#include "rules/bill/days.h"
#include "rules/price/price.h"

#include <string.h>

bool there_are_actions(const struct db_reader *r)
{
	return q_any_row_row(r, .table = "action") != NULL;
}

bool there_are_silences(const struct db_reader *r)
{
	return q_any_row_row(r, .table = "silence") != NULL;
}

/* ---- words ------------------------------------------------------------------------------------- */

const char *change_text(struct arena *a, int64_t nanos, const char *currency)
{
	return arena_printf(
		a, "%s%s", nanos < 0 ? "" : "+", money_words(a, nanos, currency));
}

const char *sentences_text(struct arena *a, const char *first, const char *second)
{
	if (!first || !*first || !second)
		return second ? second : first;
	return arena_printf(a, "%s%s %s", first,
		strchr(".!?", first[strlen(first) - 1]) ? "" : ".", second);
}

const char *date_text(struct arena *a, day_t day)
{
	char buf[DATE_BUF];

	return arena_strdup(a, date_format(day, buf));
}

const char *moment_text(const struct doc *d, ts_t at)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	doc_time_text(d, at, &b);
	return arena_strdup(d->arena, b.s);
}

const char *watched_words(const struct doc *d, const struct watched *w, ts_t from, ts_t to)
{
	const char *since = moment_text(d, w->since);

	if (watched_until(w, to))
		return arena_printf(d->arena, "since %s", since);
	if (watched_from(w, from))
		return arena_printf(d->arena, "until %s", moment_text(d, w->until));
	return arena_printf(d->arena, "from %s until %s", since, moment_text(d, w->until));
}

#define SUBJECT_MARK "[tpucost] "

static void begin_stale(
	struct doc *d, const struct watched *w, ts_t to, ts_t bill, const char *joint)
{
	ts_t inventory = watched_until(w, to) ? TS_NONE : w->until;
	bool old = inventory != TS_NONE && w->unread;
	ts_t since = bill == TS_NONE || (old && inventory < bill) ? inventory : bill;
	bool stale = old || bill != TS_NONE;
	const char *text;

	if (since == TS_NONE)
		return;
	text = arena_printf(d->arena, "%s since %s",
		stale ? "DATA STALE" : "Not everything could be read",
		moment_text(d, since));
	d->headline = arena_printf(d->arena, "%s (%s)%s%s", text,
		bill == TS_NONE ? "inventory"
			: old   ? "inventory and bill"
				: "bill",
		joint, d->headline);
	d->tone = stale ? TONE_BAD : TONE_WARN;
	if (d->subject)
		d->subject = arena_printf(d->arena, SUBJECT_MARK "%s; %s", text,
			d->subject + strlen(SUBJECT_MARK));
}

void doc_begin_stale(struct doc *d, const struct watched *w, ts_t to, ts_t bill)
{
	begin_stale(d, w, to, bill, "; last known: ");
}

void doc_begin_stale_letter(struct doc *d, const struct watched *w, ts_t to)
{
	begin_stale(d, w, to, TS_NONE, ". ");
}

void doc_note_list(struct doc *d, const struct db_reader *r, const char *projects, ts_t now)
{
	struct q_builtin_prices_rows rows = q_builtin_prices_rows(r);
	const char *oldest = NULL;
	int64_t n = 0;

	for (size_t i = 0; i < rows.n; i++) {
		const struct q_builtin_prices *q = &rows.v[i];

		if (projects && !str_in_list(q->project, projects))
			continue;
		n += q->n;
		if (!oldest || strcmp(q->date, oldest) < 0)
			oldest = q->date;
	}
	if (n)
		doc_note(d, "The %s of %lld %s from the built-in list of %s.",
			n == 1 ? "price" : "prices", (long long)n,
			n == 1 ? "resource is" : "resources are",
			price_date_words(oldest, now, r->a));
}

bool lines_show(const struct db_reader *r, const struct report_ask *ask,
	const struct billing_question *q, struct doc_section *s)
{
	struct err e = {0};
	bool found;

	if (!bill_only_days(r))
		return true;
	if (db_answer_show(r->db, q, ask->settings->tz, &found, &e))
		err_first(r->e, e.code, "%s", e.msg);
	s->unknown = !found;
	if (!found)
		s->empty = arena_printf(r->a, "Not known: %s.",
			ask->unanswered ? ask->unanswered : BILL_ONLY_DAYS);
	return found;
}

struct opt_i64 opt_add(struct opt_i64 a, struct opt_i64 b)
{
	int64_t v;

	return a.set && b.set && nanos_add(a.v, b.v, &v) ? SOME(v) : NONE;
}

struct opt_i64 opt_sub(struct opt_i64 a, struct opt_i64 b)
{
	int64_t v;

	return a.set && b.set && nanos_sub(a.v, b.v, &v) ? SOME(v) : NONE;
}

struct opt_i64 nano_hours(struct opt_i64 seconds)
{
	int64_t v;

	return seconds.set && nanos_muldiv(seconds.v, NANOS, HOUR_SECONDS, &v) ? SOME(v)
									       : NONE;
}

struct opt_i64 percent_of(int64_t part, int64_t whole)
{
	int64_t v;

	return whole > 0 && nanos_muldiv(part, 100 * NANOS, whole, &v) ? SOME(v) : NONE;
}

/* ---- amounts by currency ----------------------------------------------------------------------- */

static struct sum *sums_find(const struct sums *s, const char *currency)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->v[i].currency, currency))
			return &s->v[i];
	return NULL;
}

bool sums_add(struct sums *s, struct arena *a, const char *currency, int64_t nanos)
{
	struct sum *sum = sums_find(s, currency);

	if (sum)
		return nanos_add(sum->nanos, nanos, &sum->nanos);
	*arena_push(a, s) = (struct sum){currency, nanos};
	return true;
}

struct opt_i64 sums_of(const struct sums *s, const char *currency)
{
	const struct sum *sum = sums_find(s, currency);

	return sum ? SOME(sum->nanos) : NONE;
}

static void sums_add_one(const struct sum *x, const char *unit, struct sbuf *b)
{
	char num[NANOS_BUF];

	sbuf_addf(b, "%s %s%s",
		nanos_format_money(
			x->nanos, money_digits(x->currency, str_eq(unit, "/h")), num),
		x->currency, unit);
}

void sums_words(const struct sums *s, const char *unit, struct sbuf *b)
{
	for (size_t i = 0; i < s->n; i++) {
		sbuf_adds(b, i ? " + " : "");
		sums_add_one(&s->v[i], unit, b);
	}
}

void sums_say(const struct sums *s, const char *currency, const char *unit, struct sbuf *b)
{
	size_t one = 0, other = 0, others = 0;

	for (size_t i = 1; i < s->n; i++)
		if (s->v[i].nanos &&
			(!s->v[one].nanos || str_eq(s->v[i].currency, currency)))
			one = i;
	for (size_t i = 0; i < s->n; i++)
		if (i != one && s->v[i].nanos) {
			other = i;
			others++;
		}
	if (!s->n)
		return;
	sums_add_one(&s->v[one], unit, b);
	if (others == 1) {
		sbuf_adds(b, " and ");
		sums_add_one(&s->v[other], unit, b);
	} else if (others) {
		sbuf_addf(b, " and more in %zu currencies", others);
	}
}

/* ---- sections ---------------------------------------------------------------------------------- */

static void hide_in(struct doc_section *s, const char *key)
{
	for (int k = 0; k < s->n_columns; k++) {
		size_t size = (size_t)s->n_columns * sizeof(struct doc_column);
		struct doc_column *own;

		if (!s->columns[k].title || strcmp(s->columns[k].key, key) != 0)
			continue;
		own = arena_alloc(s->arena, size);
		memcpy(own, s->columns, size);
		own[k].title = NULL;
		s->columns = own;
	}
}

void hide_column(struct doc *d, const char *key)
{
	for (size_t i = 0; i < d->n; i++)
		hide_in(d->sections[i], key);
}

void hide_unknown(struct doc_section *s, const char *key)
{
	for (size_t i = 0; i < s->n; i++)
		if (doc_at(s, &s->rows[i], key)->type != DOC_NONE)
			return;
	hide_in(s, key);
}

void section_rest(struct doc_section *s, struct db_rows rows)
{
	while (doc_read(s, &rows))
		;
}

const struct doc_column section_days[SECTION_DAYS] = {
	{"account", NULL, DOC_CODE},
	{"day", "day"},
	{"net", "net"},
	{"cost", "before credits", .rank = 1},
	{"credits", "credits", .rank = 1},
	{"currency"},
	{"status", "status", .rank = 2},
};

struct opt_i64 section_net(struct doc_section *s, struct doc_row *row, bool partial)
{
	struct opt_i64 net = opt_add(
		cell_value(doc_at(s, row, "cost")), cell_value(doc_at(s, row, "credits")));

	*doc_at(s, row, "net") = cell_money(net, doc_at(s, row, "currency")->text);
	for (int i = 0; partial && i < s->n_columns; i++)
		if (row->cells[i].type == DOC_MONEY)
			row->cells[i].status = STATUS_PARTIAL;
	return net;
}

static const struct doc_column coupon_columns[] = {
	{"name", "credit"},
	{"amount", "amount", .rank = 1},
	{"used", "used"},
	{"left", "left"},
	{"runs_out", "used up", .status = STATUS_ESTIMATE, .rank = 2},
	{"expires", "expires", .rank = 1},
	{"ends_text"},
	{"billed_from"},
	{"state"},
	{"currency"},
};

void coupon_say_spent(const struct doc *d, struct doc_section *s, struct doc_row *row)
{
	const struct doc_cell *runs_out = doc_at(s, row, "runs_out");

	if ((runs_out->type && runs_out->v <= d->now) ||
		doc_at(s, row, "billed_from")->type ||
		!str_eq(doc_at(s, row, "state")->text, "valid"))
		row->detail = doc_at(s, row, "ends_text")->text;
}

void period_coupons(const struct db_reader *r, struct doc *d, const char *note)
{
	struct doc_section *s = doc_section_like(d, "credits", "Promotional credits, now",
		"credits", coupon_columns, ARRAY_LEN(coupon_columns));
	struct db_rows rows = q_daily_credits_read(r);
	struct doc_row *row;

	s->note = note;
	while ((row = doc_read(s, &rows)))
		coupon_say_spent(d, s, row);
	hide_unknown(s, "runs_out");
}

static const struct doc_column audit_columns[] = {
	{"seq"}, {"hash", NULL, DOC_CODE}, {"entries", NULL, DOC_INT}};

void audit_head_say(const struct db_reader *r, bool section, struct doc *doc)
{
	const struct q_audit_head *h = q_audit_head_row(r);
	struct doc_section *s = section ? doc_section_like(doc, "audit", NULL, "audit",
						  audit_columns, ARRAY_LEN(audit_columns))
					: NULL;
	struct doc_row *row;

	if (!h || !h->entries)
		return;
	doc_note_brief(doc,
		arena_printf(doc->arena, "Audit: %lld %s, newest hash %s.",
			(long long)h->entries, h->entries == 1 ? "entry" : "entries",
			h->hash));
	if (!s)
		return;
	row = doc_row(s);
	*doc_at(s, row, "seq") = cell_int(h->seq.v);
	*doc_at(s, row, "hash") = cell_code(h->hash);
	*doc_at(s, row, "entries") = cell_int(h->entries);
}

/* ---- sums of the bill -------------------------------------------------------------------------- */

void bill_sums_add(
	struct ref_sums *sums, struct db_rows rows, const char *too_large, struct err *e)
{
	static const char *const names[] = {[REF_SKU] = "sku_ref",
		[REF_PROJECT] = "project_ref",
		[REF_PLACE] = "place_ref",
		[REF_RESOURCE] = "resource_ref",
		[REF_CHARGE] = "charge_ref",
		[REF_PART] = "part"};
	int cost = db_rows_column(&rows, "cost"),
	    credits = db_rows_column(&rows, "credits"),
	    promo = db_rows_column(&rows, "promo"),
	    earlier = db_rows_column(&rows, "earlier"), refs[REFS];
	bool fits = true;

	for (int i = 0; i < REFS; i++)
		refs[i] = db_rows_column(&rows, names[i]);
	while (db_rows_step(&rows)) {
		int64_t numbers[REFS], c = db_rows_i64(&rows, cost),
				       r = db_rows_i64(&rows, credits);
		struct ref_sum *sum;

		for (int i = 0; i < REFS; i++)
			numbers[i] = db_rows_i64(&rows, refs[i]);
		sum = ref_sums_of(sums, numbers);
		fits &= db_rows_i64(&rows, earlier)
			? ref_sum_add_before(sum, c, r)
			: ref_sum_add(sum, c, r, db_rows_i64(&rows, promo));
	}
	if (!fits)
		err_first(e, E_OVERFLOW, "%s", too_large);
}

void bill_sums_show(const struct db_reader *r, const struct ref_sums *sums,
	bill_sums_tell_fn *tell, void *ctx)
{
	if (r->e->code || ref_sums_show(r->db, sums, r->e))
		return;
	tell(ctx);
	ref_sums_hide(r->db);
}
