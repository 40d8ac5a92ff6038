/* Kinds of reports. Each has one file and one row in the table. A kind declares its parameters and
 * builds a document. */
#ifndef TPUCOST_REPORTS_KINDS_H
#define TPUCOST_REPORTS_KINDS_H

#include "reports/doc/doc.h"
#include "rules/settings.h"

struct billing_question;
struct db;

/* Shown if there is no bill. */
#define NO_BILLING_DATA                                                        \
	"No billing data yet: set billing.table in the configuration, or run " \
	"tpucost import."

/* Parameters of a report. The caller owns the strings. */
struct report_ask {
	struct db *db; /* derived for `now` */
	const struct settings *settings;
	ts_t now;
	const char *name;  /* of a grant; NULL: all */
	const char *month; /* "2026-11"; NULL: the current month */
	/* TS_NONE: the default of the kind. `until` of the daily report: in its "today", if that is an earlier day. */
	ts_t since, until;
	/* Daily report only: the actions to take, the problems that prevent it, and the age of the
	 * data; no headline. */
	bool glance;
	bool status; /* daily report only: without running resources, and costs by project and owner */
	/* Daily report only: the projects, "a,b", of the actions to take, the grants, the burn and the
	 * sources; NULL: all. */
	const char *projects;
	/* Reason for which the database has no answer to the question of the kind. NULL: it was not asked. */
	const char *unanswered;
};

struct report_kind {
	const char *name;    /* "daily" */
	const char *summary; /* one line of help */
	const char *takes;   /* any of "name month since until", separated by blanks */
	/* Sets since and until, the period for which coverage is derived, and checks the parameters
	 * (E_USAGE). Needs no database. NULL: the kind has no period. */
	enum err_code (*period)(struct report_ask *ask, struct err *e);
	/* The lines of the bill that it needs, where only sums of days are kept: the database has the answer, or the
	 * report says what it lacks. NULL: it needs none. */
	void (*question)(const struct report_ask *ask, struct billing_question *q);
	/* The document is allocated from `a`. */
	enum err_code (*build)(const struct report_ask *ask, struct arena *a,
		struct doc **out, struct err *e);
};

extern const struct report_kind report_kinds[];
extern const size_t n_report_kinds;
const struct report_kind *report_kind_find(const char *name); /* or NULL */

/* Reports whether the kind has that parameter. */
bool report_takes(const struct report_kind *k, const char *what);

enum err_code daily_period(struct report_ask *ask, struct err *e) must_check;
void daily_question(const struct report_ask *ask, struct billing_question *q);
enum err_code daily_build(const struct report_ask *ask, struct arena *a, struct doc **out,
	struct err *e) must_check;

/* reports/weekly/weekly.c: seven whole days before `until` (today) compared with the previous
 * seven. */
enum err_code weekly_period(struct report_ask *ask, struct err *e) must_check;
void weekly_question(const struct report_ask *ask, struct billing_question *q);
enum err_code weekly_build(const struct report_ask *ask, struct arena *a, struct doc **out,
	struct err *e) must_check;

/* reports/month/: an invoice month, reconciled with the calendar month in both zones. */
enum err_code month_period(struct report_ask *ask, struct err *e) must_check;
enum err_code month_build(const struct report_ask *ask, struct arena *a, struct doc **out,
	struct err *e) must_check;

/* reports/grant/report.c: use of a grant, for the TPU Research Cloud. */
enum err_code grant_report_period(struct report_ask *ask, struct err *e) must_check;
enum err_code grant_report_build(const struct report_ask *ask, struct arena *a,
	struct doc **out, struct err *e) must_check;

#endif
