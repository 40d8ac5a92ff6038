/* Functions shared by several reports and pages: words, sections of queries, sums of the bill. */
#ifndef TPUCOST_REPORTS_SHARED_H
#define TPUCOST_REPORTS_SHARED_H

#include "db/rollup/ref_sums.h"
#include "reports/doc/doc.h"
#include "rules/period.h"

/* Reports whether there is any action in any state, or any silence, current or ended. Checked
 * before a long statement: preparing it takes much longer than finding no rows, which is the usual
 * case. */
bool there_are_actions(const struct db_reader *r);
bool there_are_silences(const struct db_reader *r);

/* ---- words ------------------------------------------------------------------------------------- */

/* "-3.10 USD" or "+3.10 USD". */
const char *change_text(struct arena *a, int64_t nanos, const char *currency);
/* Both in this order. The first may end without a full stop; either may be absent. */
const char *sentences_text(struct arena *a, const char *first, const char *second);
const char *date_text(struct arena *a, day_t day);
/* "2026-11-22 03:04", as the document shows times. Allocated from its arena. */
const char *moment_text(const struct doc *d, ts_t at);

/* Reports whether the inventory is known up to `to`. */
static inline bool watched_until(const struct watched *w, ts_t to)
{
	return w->until == TS_NONE || to <= w->until;
}
/* Reports whether [from, to) was watched in part, or completely. */
static inline bool watched_any(const struct watched *w, ts_t from, ts_t to)
{
	return w->since != TS_NONE && w->since < to &&
		(w->until == TS_NONE || w->until > from);
}
static inline bool watched_from(const struct watched *w, ts_t from)
{
	return w->since != TS_NONE && w->since <= from;
}
static inline bool watched_all(const struct watched *w, ts_t from, ts_t to)
{
	return watched_from(w, from) && watched_until(w, to);
}
/* "since A", "until B" or "from A until B": the watched part, if it is not all. */
const char *watched_words(const struct doc *d, const struct watched *w, ts_t from, ts_t to);

/* Beginning of every report, before its headline and in its subject: "DATA STALE since 2026-11-22
 * 03:04 (inventory and bill); last known: ", or for partial reads "Not everything could be read since ...".
 * `bill`: last complete read of the bill if it is too old, else TS_NONE; the same of the inventory if
 * it is not watched until `to`. Call it when both texts and the tone are set. */
void doc_begin_stale(struct doc *d, const struct watched *w, ts_t to, ts_t bill);
/* The same for a headline of several sentences: "DATA STALE since 2026-11-22 03:04 (inventory). ...". */
void doc_begin_stale_letter(struct doc *d, const struct watched *w, ts_t to);

/* Adds how old the built-in list prices are that figures of running resources depend on, as a note; `projects` as in
 * struct report_ask. Nothing if none does. */
void doc_note_list(
	struct doc *d, const struct db_reader *r, const char *projects, ts_t now);

/* If only sums of days are kept of the bill: shows the answer to the question of a report, until db_answer_hide().
 * False: there is none, and the section says so in place of rows. */
struct billing_question;
struct report_ask;
bool lines_show(const struct db_reader *r, const struct report_ask *ask,
	const struct billing_question *q, struct doc_section *s);

/* Sum and difference; absent if the result overflows or an operand is absent. */
struct opt_i64 opt_add(struct opt_i64 a, struct opt_i64 b);
struct opt_i64 opt_sub(struct opt_i64 a, struct opt_i64 b);

/* Chip-seconds or seconds as nano-hours, rounded half to even. */
struct opt_i64 nano_hours(struct opt_i64 seconds);

/* 100 x part / whole in nanos; absent if the whole is 0. */
struct opt_i64 percent_of(int64_t part, int64_t whole);

/* ---- amounts by currency: different currencies are never added --------------------------------- */

struct sum {
	const char *currency;
	int64_t nanos;
};

struct sums {
	struct sum *v; /* in order of the first use */
	size_t n, cap;
};

/* Adds an amount; the currency must live as long as the arena. False: overflow. */
bool sums_add(struct sums *s, struct arena *a, const char *currency, int64_t nanos);
struct opt_i64 sums_of(const struct sums *s, const char *currency);

/* "12.30 USD/h~ + 3.00 HKD/h~", with a suffix for each amount; appends nothing for no amounts. */
void sums_words(const struct sums *s, const char *unit, struct sbuf *b);
/* "12.30 USD/h and 3.00 HKD/h", "12.30 USD/h and more in 2 currencies": the amounts that are not 0, and first the one in
 * `currency`; appends nothing for no amounts. */
void sums_say(const struct sums *s, const char *currency, const char *unit, struct sbuf *b);

/* ---- sections ---------------------------------------------------------------------------------- */

/* Adds all rows of a query unchanged. */
void section_rest(struct doc_section *s, struct db_rows rows);
/* Hides the columns with that name from formats for reading, in every section. */
void hide_column(struct doc *d, const char *key);
/* The same, in a section without a value in that column. */
void hide_unknown(struct doc_section *s, const char *key);
static inline struct opt_i64 cell_value(const struct doc_cell *c)
{
	return c->type ? SOME(c->v) : NONE;
}
/* Columns of billed days, by account; from the second one on, without the account. */
#define SECTION_DAYS 7
extern const struct doc_column section_days[SECTION_DAYS];
/* Sets the row's "net" to the sum of its cost and credits; `partial` marks its billed amounts. */
struct opt_i64 section_net(struct doc_section *s, struct doc_row *row, bool partial);
/* A credit that has expired, is used up or begins later: in words. If unbilled use has used it up, instead of a time,
 * because the moment is unknown. The row has the columns runs_out, state and ends_text. */
void coupon_say_spent(const struct doc *d, struct doc_section *s, struct doc_row *row);
/* Promotional credits as of now, as the section "credits". */
void period_coupons(const struct db_reader *r, struct doc *d, const char *note);

/* Adds the newest entry of the audit log as a note, and for programs as the section `audit` if `section` is set, so
 * that a log that was truncated or rewritten can be detected later (tpucost audit verify --anchor HASH). An empty log
 * adds no note. */
void audit_head_say(const struct db_reader *r, bool section, struct doc *doc);

#define OF_THE_ACCOUNT "Charges of the billing account itself: tax, support, adjustments."

/* ---- sums of the bill -------------------------------------------------------------------------- */

/* Adds the rows of a query, which has numbers of names (sku_ref, project_ref, resource_ref,
 * charge_ref, part), cost, credits and optionally promo; rows of the `earlier` period are for comparison.
 * E_OVERFLOW with that text. */
void bill_sums_add(
	struct ref_sums *sums, struct db_rows rows, const char *too_large, struct err *e);
/* Queries of the callback can read the sums from the table ref_sum. */
typedef void bill_sums_tell_fn(void *ctx);
void bill_sums_show(const struct db_reader *r, const struct ref_sums *sums,
	bill_sums_tell_fn *tell, void *ctx);

#endif
