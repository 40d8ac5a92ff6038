/* What the reports of a period (week, month, grant) share. Private to them. */
#ifndef TPUCOST_REPORTS_PERIOD_H
#define TPUCOST_REPORTS_PERIOD_H

#include "reports/doc/doc.h"
#include "rules/period.h"

struct db;

/* "-3.10 USD" or "+3.10 USD". */
const char *change_text(struct arena *a, int64_t nanos, const char *currency);
const char *date_text(struct arena *a, day_t day);
/* "2026-11-22 03:04", as the document shows moments. In its arena. */
const char *moment_text(const struct doc *d, ts_t at);

/* Coupons as they are now, as the section "credits". */
enum err_code period_coupons(
	struct doc *d, struct db *db, struct doc_section **out, struct err *e) must_check;

/* Does the inventory say until `to` what ran? */
static inline bool watched_until(const struct watched *w, ts_t to)
{
	return w->until == TS_NONE || to <= w->until;
}
/* "DATA STALE since 2026-11-22 03:04", or of what is read in part "Not everything could be read
 * since ..."; NULL where all was watched until `to`. */
const char *stale_text(const struct doc *d, const struct watched *w, ts_t to);

/* Sum and difference; absent where it does not fit or one of them is. */
struct opt_i64 opt_add(struct opt_i64 a, struct opt_i64 b);
struct opt_i64 opt_sub(struct opt_i64 a, struct opt_i64 b);

/* Chip-seconds or seconds as nano-hours, rounded half to even. */
struct opt_i64 nano_hours(struct opt_i64 seconds);

/* The columns of that name are for programs only, in every section. */
void hide_column(struct doc *d, const char *key);

/* 100 x part / whole in nanos; absent where the whole is 0. */
struct opt_i64 percent_of(int64_t part, int64_t whole);

#endif
