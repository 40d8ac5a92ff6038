/* Parts of the daily report: all data is read first, then the sections are added one by one. Private to
 * reports/daily/. */
#ifndef TPUCOST_REPORTS_DAILY_INTERNAL_H
#define TPUCOST_REPORTS_DAILY_INTERNAL_H

#include "base/strmap.h"
#include "db_sql.h"
#include "reports/month/bill_end.h"
#include "reports/kinds.h"
#include "reports/shared.h"

/* Periods over which the bill is summed. */
enum { SPAN_YESTERDAY, SPAN_DAY_BEFORE, SPAN_7_DAYS, SPAN_30_DAYS, SPAN_MONTH, SPANS };

struct daily_bill_row {
	const char *category, *currency;
	int64_t net[SPANS];
	int64_t cost, credits, promo; /* of yesterday */
};

struct daily_bill_day {
	day_t day;
	const char *currency, *status; /* partial settling settled */
	enum rec_status final;         /* the same */
	int64_t cost, credits, promo;
};

#define DAILY_BILL_DAYS 30 /* before today, one by one */

struct daily_bill {
	struct daily_bill_row *rows; /* by category and currency */
	size_t n, cap;
	struct daily_bill_day *days; /* of the last 30 and today, by currency */
	size_t n_days, cap_days;
	struct sums net[SPANS];
	struct sums seen; /* every currency */
	bool any[SPANS];  /* it has billed cost */
	bool open[SPANS]; /* Google may still change it */
	bool ever;        /* a bill exists */
	struct bill_end end;
};

struct todo {
	const char *key; /* identifies the row: each subject has one */
	const char *id, *kind, *project, *location, *name, *type;
	const char *rules, *severity, *detail, *command, *currency;
	const char *stops;    /* tpucost does it, and when; `command` prevents that */
	bool fails;           /* or it cannot: `command` does it manually */
	struct opt_i64 saves; /* nanos an hour */
	size_t also;          /* number of further subjects with the same cause */
	bool acts;            /* the command fixes it; otherwise it explains */
	bool deletes;         /* it deletes it */
	const char *warning;  /* about what it deletes; NULL: none */
	bool ends;            /* a grant that ends soon */
	bool follows; /* a figure that others of the list cause: a budget, a credit, burn */
	bool costs;   /* it costs money; an absent `saves` is an unknown price */
	enum doc_tone tone;
};

/* Is it known that it saves money? */
static inline bool todo_saves(const struct todo *t)
{
	return t->currency && t->saves.set && t->saves.v > 0;
}

/* An action that a silence or a hold leaves out: never without a word. */
struct left_out {
	const char *key;
	bool silenced, held;
	ts_t until;          /* the end of the silence; TS_NONE: none */
	struct opt_i64 rate; /* of the resource, an hour */
	const char *currency;
};

struct daily {
	const struct report_ask *ask;
	/* see struct db_reader */
	struct db *db;
	struct arena *a;
	struct err *e;
	struct doc *doc;
	const struct tz *tz;
	ts_t now;
	day_t today;                         /* of the costs */
	day_t present;                       /* later than today in a report that is late */
	struct q_daily_things_rows things;   /* running */
	struct q_daily_stopped_rows stops;   /* made by tpucost after the last poll */
	struct q_daily_sources_rows sources; /* with a problem */
	struct strmap inventory;             /* projects whose resources are polled */
	const char *only_project;            /* if it is one */
	struct q_grant_ends_rows ends;       /* in the order of their ends */
	struct daily_bill bill;
	struct todo *todo;
	size_t n_todo, cap_todo;
	size_t n_follow; /* of them, at the end: nothing to do themselves */
	bool actions;    /* any action exists */
	bool silences;   /* any silence exists */
	struct {
		struct left_out *v;
		size_t n, cap;
	} left_out;
	const char *left_out_words; /* NULL: nothing is left out */
	/* sums over the running resources and the burn, per hour */
	struct sums burn_gross, burn_net;
	struct uncovered {
		size_t n;
		struct sums rate;
	} uncovered, spared; /* TPUs that no grant covers: to stop, and left out */
	size_t n_covered, unknown_prices;
	/* Last complete poll of the inventory; TS_NONE: none yet. */
	ts_t inventory_from;
	bool polled;           /* at least in part */
	bool unsure;           /* part of it is old or was not polled yet */
	bool inventory_unread; /* it is old */
};

/* "tpucost cost --by category --since 2026-10-22 --until 2026-11-21": the 30 days of the report. `by`: "" or
 * "--by category ". */
const char *daily_cost_command(const struct daily *d, const char *by);

/* Reading. The stops come first: the other parts depend on them. */
void daily_read_stopped(struct daily *d);
void daily_read_things(struct daily *d);
void daily_read_sources(struct daily *d);
void daily_read_grant_ends(struct daily *d);
void daily_read_bill_end(struct daily *d);
/* The day of the report: the present one, or an earlier one. */
day_t daily_today(const struct report_ask *ask);
/* The first day of its month. */
day_t daily_month_start(day_t today);
void daily_read_bill(struct daily *d);
void daily_find_todo(struct daily *d);
/* Marks the actions that tpucost takes itself. */
void daily_find_stops(struct daily *d);

/* The action about reserved TPUs that no machine uses. */
struct todo daily_unused(struct daily *d, const struct q_daily_unused *q);

/* A cost anomaly that Google reports: as an action of its own, or for the row of our alert about the same days. */
struct todo daily_anomaly(struct daily *d, const struct q_daily_anomalies *q);

/* Is a source with that cause an action to take? NULL: no cause. */
bool daily_has_cause(const struct daily *d, const char *cause);

/* Has `collect` anything to read that is not known yet? For a report without a poll of resources. */
bool daily_collects(const struct daily *d);

/* Sections. Some of them read data that only they need. */
void daily_add_todo(struct daily *d);
void daily_add_grants(struct daily *d);
void daily_add_money(struct daily *d);
void daily_add_budgets(struct daily *d);
void daily_add_running(struct daily *d);
void daily_add_burn(struct daily *d);
void daily_add_left(struct daily *d);
void daily_add_commitments(struct daily *d);
void daily_add_limits(struct daily *d);
void daily_add_acts(struct daily *d);
void daily_add_sources(struct daily *d);
void daily_add_trust(struct daily *d);
void daily_headline(struct daily *d);

/* Is this end of a grant within the next days? */
bool daily_ends_soon(const struct daily *d, ts_t until);
/* Time at which tpucost stopped it after the last poll; TS_NONE: it did not. */
ts_t daily_stopped(const struct daily *d, const char *id);
/* "stopped by tpucost at 19:10; the next poll will show it" */
const char *daily_stopped_words(struct daily *d, ts_t at);
/* A sentence about all of them; NULL: none. */
const char *daily_stopped_note(struct daily *d);

/* The name under which a built-in rule is configured. */
const char *daily_rule_named(const struct daily *d, const char *builtin);
/* Does the bill end early although it was read recently? */
bool daily_bill_ends(const struct daily *d);

/* ---- reports/daily/split.c --------------------------------------------------------------------- */

/* Billed cost and burn by project, if there are several, and by owner, if one is known. */
void daily_add_split(struct daily *d);

/* ---- reports/daily/words.c --------------------------------------------------------------------- */

/* "yesterday"; in a report that is late, the date of that day. */
const char *daily_yesterday(const struct daily *d);

/* Number of visible rows that have a currency, without totals. A total of one row is left out. */
size_t daily_lines(const struct doc_section *s, int currency_column);
const char *daily_plural(size_t n, const char *one, const char *many);
void daily_overflow(struct daily *d, const char *what);
/* Sets the command that stops the resource or deletes it; NULL: none. */
void daily_set_command(struct todo *t, const char *command, const struct q_thing *q);

/* Does the report show what concerns that project? NULL: all projects. */
bool daily_concerns(const struct daily *d, const char *project);
const char *daily_grant_project(const struct daily *d, const char *name);
/* The project of a source; NULL: a price list, a billing table. */
const char *daily_source_project(const struct daily *d, const char *project);

#endif
