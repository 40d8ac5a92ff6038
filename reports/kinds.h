/* The kinds of reports: one file and one line of the table each. A kind says what it is to be
 * told, and makes a document of it. */
#ifndef TPUCOST_REPORTS_KINDS_H
#define TPUCOST_REPORTS_KINDS_H

#include "reports/doc/doc.h"
#include "rules/settings.h"

struct db;

/* Where there is no bill at all. */
#define NO_BILLING_DATA                                                                   \
	"No billing data yet: it comes with billing.table in the configuration, or with " \
	"tpucost import."

/* What is asked. Strings are the caller's. */
struct report_ask {
	struct db *db; /* derived for `now` */
	const struct settings *settings;
	ts_t now;
	const char *name;  /* of a grant; NULL: all */
	const char *month; /* "2026-11"; NULL: the present one */
	ts_t since, until; /* TS_NONE: as the kind has it */
	/* Of the daily report: nothing but what is to be done, what is in the way of that, and how old
	 * it all is; no headline. */
	bool glance;
};

struct report_kind {
	const char *name;    /* "daily" */
	const char *summary; /* one line for help */
	const char *takes;   /* which of "name month since until", with blanks between */
	/* Fills in since and until, the period that coverage is derived for, and checks what is
	 * asked (E_USAGE). Needs no database. NULL: nothing of a period is read. */
	enum err_code (*period)(struct report_ask *ask, struct err *e);
	/* The document lives in `a`. */
	enum err_code (*build)(const struct report_ask *ask, struct arena *a,
		struct doc **out, struct err *e);
};

extern const struct report_kind report_kinds[];
extern const size_t n_report_kinds;
const struct report_kind *report_kind_find(const char *name); /* or NULL */

/* Is it one of those that the kind takes? */
bool report_takes(const struct report_kind *k, const char *what);

enum err_code daily_period(struct report_ask *ask, struct err *e) must_check;
enum err_code daily_build(const struct report_ask *ask, struct arena *a, struct doc **out,
	struct err *e) must_check;

/* reports/weekly/weekly.c: seven whole days before `until` (today) beside the seven before them. */
enum err_code weekly_period(struct report_ask *ask, struct err *e) must_check;
enum err_code weekly_build(const struct report_ask *ask, struct arena *a, struct doc **out,
	struct err *e) must_check;

/* reports/month*.c: an invoice month, tied to the calendar month in both zones. */
enum err_code month_period(struct report_ask *ask, struct err *e) must_check;
enum err_code month_build(const struct report_ask *ask, struct arena *a, struct doc **out,
	struct err *e) must_check;

/* reports/grant/report.c: what was used of a grant, for the TPU Research Cloud. */
enum err_code grant_report_period(struct report_ask *ask, struct err *e) must_check;
enum err_code grant_report_build(const struct report_ask *ask, struct arena *a,
	struct doc **out, struct err *e) must_check;

#endif
