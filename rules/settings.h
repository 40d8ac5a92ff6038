/* Part of the configuration that the rules use: plain data, filled by cli/config/config.c. */
#ifndef TPUCOST_RULES_SETTINGS_H
#define TPUCOST_RULES_SETTINGS_H

#include "base/money.h"
#include "base/time/civil.h"
#include "base/time/tz.h"
#include "rules/budget/budget.h"
#include "rules/grant/grant.h"
#include "rules/price/price.h"
#include "db/vocab.h"

/* A promotional or trial credit. */
struct credit {
	const char *name;
	struct money amount;
	ts_t starts;  /* TS_NONE: always */
	ts_t expires; /* TS_NONE: never; otherwise the first instant after it */
};

enum severity { SEVERITY_INFO, SEVERITY_WARNING, SEVERITY_CRITICAL };

/* Step of a rule in addition to notifications: an action, not before the rule held (or, for a second
 * step, the machine was stopped by the first) for `after`, and announced `grace` before. */
struct rule_action {
	const char *action; /* notify stop delete; NULL: notify */
	int64_t grace;      /* seconds between the warning and the action */
	int64_t after;      /* seconds; at least `grace`, or 0 */
	bool armed, allow_delete;
};

/* A condition over a view, and the message where it holds. Built-in rules and rules of the
 * configuration are equal. Strings are static or owned by the configuration. */
struct rule {
	const char *name;
	const char *builtin; /* name of the built-in rule it is based on, or NULL */
	const char *doc;     /* a sentence that describes the rule, or NULL */
	const char *on;      /* the view */
	const char *where;
	const char *critical_when; /* condition that makes it critical, or NULL */
	const char *stage; /* SQL integer; another message when it grows; NULL: one stage */
	const char *value; /* SQL number, the figure of the alert, or NULL */
	const char *summary; /* text with {column}; NULL: only the subject */
	const char *labels;  /* JSON object */
	int64_t hold_for;    /* seconds that it must hold before it fires */
	int64_t keep_for;    /* seconds that it must not hold before it ends */
	int64_t repeat;      /* seconds between messages while it fires; 0: by severity */
	enum severity severity;
	bool enabled;
	bool end_unsaid; /* about a past event that disappears: its end is not reported */
	/* Condition of rows that became worse, as another rule reports: the end of their alert is not
	 * reported. NULL: none */
	const char *worse_when;
	struct rule_action then;
	struct rule_action later; /* deletes what `then` stopped; action NULL: none */
	/* Mail to the owner of the resource, through a channel that sends mail; NULL: none. */
	struct {
		const char *to_owner; /* "{owner}@example.org" */
		const char *channel;
	} notify;
	const char *at; /* "file:line:col" of the configuration, or NULL */
};

struct poll_interval {
	const char *group; /* a key of `poll:` */
	int64_t seconds;   /* stale after three intervals */
};

enum enforce_mode { ENFORCE_OFF, ENFORCE_DRY_RUN, ENFORCE_ARMED };
const char *enforce_mode_name(enum enforce_mode m); /* "dry-run"; rules/enforce/action.c */

/* Time in which actions may happen: days and minutes after midnight in the configured zone. */
struct enforce_window {
	unsigned days;   /* bit 0: Monday ... bit 6: Sunday; the day on which it begins */
	int from, until; /* until <= from: ends on the next day; 0, 0: all day */
};

/* A file "halt" next to it stops all actions. */
struct halt_file {
	const char *beside;
	bool written; /* `enforce halt` creates the file there, */
	bool must;    /* and has not halted if it cannot */
};

/* Limits count all actions that were sent; 0 permits none. */
struct enforcement {
	enum enforce_mode mode;
	const char *const *projects; /* only these */
	size_t n_projects;
	int64_t max_per_run, max_per_hour, max_per_rule_hour, max_per_day;
	int64_t max_deletes_per_hour;
	int64_t max_share; /* percent of a kind's running machines in an hour, at least one */
	const char *protect;       /* condition over resources: exempt; or NULL */
	const char *const *exempt; /* ids or names */
	size_t n_exempt;
	const struct enforce_window *windows; /* none: at any time */
	size_t n_windows;
	bool allow_delete;
	bool gke; /* node pools of Kubernetes Engine may be scaled to 0 */
	const struct halt_file *halt_files; /* see rules/enforce/halt.h */
	size_t n_halt_files;
	bool lease; /* of several machines one acts: see rules/act/leader.h */
};

struct settings {
	const struct tz *tz;
	const char *currency; /* of figures: configured, or that of the bill */
	const struct grant *grants;
	size_t n_grants;
	const struct credit *credits;
	size_t n_credits;
	const struct budget *budgets;
	size_t n_budgets;
	const struct price_override *prices;
	size_t n_prices;
	const struct poll_interval *intervals;
	size_t n_intervals;
	const struct rule *rules;
	size_t n_rules;
	const struct enforcement *enforcement; /* NULL: off */
	int64_t keep_history;      /* seconds; 0: HISTORY_SECONDS; see history_from() */
	bool watches;              /* projects are listed, or are searched for */
	const char *const *listed; /* these */
	size_t n_listed;
	size_t n_export_tables; /* of the billing export */
};

/* Intervals of resources, events of alerts, actions and messages from before this are deleted. The bill and the audit are
 * kept for ever. */
#define HISTORY_SECONDS (730 * DAY_SECONDS)
static inline ts_t history_from(const struct settings *s, ts_t now)
{
	return now - (s->keep_history ? s->keep_history : HISTORY_SECONDS);
}

#endif
