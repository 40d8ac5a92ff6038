/* Commands. Each has one source file and one entry in cli/cmds.c. */
#ifndef TPUCOST_CLI_CMD_H
#define TPUCOST_CLI_CMD_H

#include "base/time/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "cli/opts.h"
#include "cli/out/out.h"

struct config;
struct db;
struct leading;
struct rule;

/* Preparation that the dispatcher does before a command runs. */
enum cmd_needs {
	NEED_CONFIG = 1, /* configuration loaded */
	NEED_DB = 2,     /* database opened read-only, see cli/session.h */
	NEED_NET = 4,    /* runs in tpucost-net */
	NEED_WEB = 128,  /* runs in tpucost-web */
	MAY_ACT = 8,   /* evaluates rules, and stops resources where enforcement is armed */
	OPENS_DB = 32, /* opens the database itself, after a check of its options */
	TAKES_WORDS = 16, /* its arguments are the words of another program's command */
	OWN_FORMATS =
		64, /* knows other formats than those of tables, and checks --format itself */
};

enum exit_code {
	EXIT_FINE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_NO = 3,      /* answered, and the answer is "no" */
	EXIT_PARTIAL = 4, /* some source failed, the rest is stored */
};

struct app {
	struct opts o;
	enum out_format format; /* --format, if it is one of tables */
	struct arena arena;     /* lives as long as the command */
	struct clock *clock;
	ts_t now; /* the same instant for the whole command; see session_present() */
	bool clock_wrong, clock_unknown; /* unknown: it was never right */
	bool bill_hidden;                /* in app->db: see session_hide_bill() */
	unsigned basis;                  /* of the answer, a sum of enum basis */
	bool unwatched; /* a part of the period, which query_say_notes() said */
	struct config *cfg;
	struct db *db;
	/* Limits of a query, in milliseconds and rows; 0: the usual ones. */
	int64_t query_ms;
	size_t max_rows;
	bool served; /* a request of a server: standard input and variables of the environment are not its own */
	bool needs_net;  /* the command is to be run by tpucost-net */
	bool on_standby; /* the command may also write the database of a standby */
	bool decides; /* the command itself notes in the lease what it records: leader_decided() */
	bool daemon; /* `run` without --once: the daemon logs when a problem begins and ends */
	struct leading
		*leading; /* lease of several machines: cli/net/leader.c; NULL: none */
	const struct cmd *cmd;
	char **args; /* positional arguments */
	int n_args;
	char **argv; /* as given, for handing over to tpucost-net */
};

/* Groups of commands in `help` and in the manual. */
enum cmd_group {
	GROUP_OTHER,
	GROUP_FIRST,  /* first steps: set up, fill the database */
	GROUP_EXISTS, /* resources and coverage */
	GROUP_MONEY,
	GROUP_RULES,  /* rules and alerts */
	GROUP_ACT,    /* enforcement */
	GROUP_SEND,   /* reports and messages */
	GROUP_KEEP,   /* maintenance and reference */
	GROUP_HIDDEN, /* for other programs: not listed */
};
#define CMD_GROUPS GROUP_HIDDEN

/* Returns an exit code; on failure sets `e` and returns cmd_fail(e). */
typedef int cmd_fn(struct app *app, struct err *e);

struct cmd {
	const char *name;    /* one word or two */
	const char *args;    /* synopsis of positional arguments */
	const char *summary; /* one line for `help`, begins with an imperative verb */
	const char *text;    /* paragraphs for `help NAME`: cli/cmds.c */
	const char *example;
	unsigned needs;
	int max_args;
	const char *opts; /* names of its options, in addition to the common ones */
	cmd_fn *run;
	enum cmd_group group;
	/* "no file is given; use: tpucost backup FILE": usage error without arguments; NULL: it needs none */
	const char *lacks;
	/* Candidates for completion: the columns of this view for --columns and similar options,
	 * and names of these kinds for arguments (cli/help/complete.c); NULL: none. */
	const char *view, *takes;
	/* First arguments with which it prints rows; with others it acts, and accepts no options of rows. NULL: all. */
	const char *lists;
};

/* Headings of the groups. Entry 0 is for commands without a group. */
extern const char *const cmd_group_names[CMD_GROUPS];

extern const struct cmd cmds[];
extern const size_t n_cmds;

const struct cmd *cmd_find(const char *name);
/* Finds the command that the first words of `args` name: a command of two words ("grant import")
 * is preferred to one of a single word ("grant"). *used is set to the number of words. Returns NULL
 * if there is no such command. */
const struct cmd *cmd_find_words(char *const *args, int n, int *used);
/* Tests whether `c` is a command of two words that begins with the word of `parent`. */
bool cmd_is_under(const struct cmd *parent, const struct cmd *c);
/* Names of the topics of `help`; returns their number, at most `max`. */
size_t help_topic_names(const char **out, size_t max);
/* Finds a rule of the configuration or a built-in one; NULL: E_USAGE with the nearest name. */
const struct rule *rule_find(struct app *app, const char *name, struct err *e);

/* ---- messages on standard error: cli/say.c --------------------------------------------------- */

/* Prints "tpucost: msg; fix" and returns the exit code of the error. */
int cmd_fail(const struct err *e);
/* The same for E_USAGE with this message and this hint. */
int cmd_refuse(struct err *e, const char *fix, const char *fmt, ...) printf_like(3, 4);
/* Prints one line "prefix: message; what to do". Messages can quote servers and files, so control
 * characters are made visible. */
void say_err(const char *prefix, const struct err *e);
void say(const char *fmt, ...) printf_like(1, 2);
/* The same, for confirmations: prints nothing with --quiet. */
void say_unless_quiet(const char *fmt, ...) printf_like(1, 2);

/* With --quiet: say() suppresses lines that begin with "note: " or "not shown in ". */
void say_quiet(bool quiet);

/* Passes messages to `fn` instead of standard error, for a process without a terminal; NULL:
 * standard error again. `error`: from say_err. The text is unchanged, including control
 * characters. */
typedef void (*say_fn)(const char *text, bool error);
void say_to(say_fn put);

/* ---- suggestions ("did you mean") for misspelled words: cli/near.c --------------------------- */

/* Lower-case words of a synopsis such as "[list | explain NAME]", each allocated from `a`. */
size_t cmd_words(struct arena *a, const struct cmd *c, const char **out, size_t max);
/* The nearest match for `word` after the command, such as "enforce halt" or "notify list"; NULL:
 * none. Allocated from `a`. */
const char *near_below(struct arena *a, const struct cmd *c, const char *word);
/* The nearest command of one or two words; never a hidden one. */
const char *near_command(struct arena *a, const char *word);
/* The nearest of n names that are `size` bytes apart, the first one at `first`; NULL: none. NEAR_OF takes
 * the names from a member of an array of structs. */
const char *near_of(const char *word, const void *first, size_t n, size_t size);
#define NEAR_OF(word, list, n, member) \
	((n) ? near_of((word), &(list)[0].member, (n), sizeof((list)[0])) : NULL)
/* The nearest view of the database. */
const char *near_view(const char *word);
/* Adds a suggestion to an error `e` in an SQL query of the user: a view or a column of one of
 * its views. Returns the code of `e`. */
enum err_code near_sql(struct arena *a, const char *sql, struct err *e);
/* Sets "did you mean ..." as the fix of the error, or `other` if `near` is NULL. Returns the
 * error's code. */
enum err_code near_fix(struct err *e, const char *near, const char *other);

/* ---- commands -------------------------------------------------------------------------------- */

cmd_fn cmd_alerts, cmd_audit, cmd_backup, cmd_budget, cmd_burn, cmd_capacity, cmd_check,
	cmd_complete, cmd_completion, cmd_cost, cmd_coverage, cmd_credit, cmd_egress,
	cmd_enforce, cmd_estimate, cmd_grant, cmd_grant_plan, cmd_help, cmd_hidden,
	cmd_manual, cmd_mcp, cmd_metrics, cmd_notify, cmd_notify_retry, cmd_ps,
	cmd_commitments, cmd_query, cmd_quota, cmd_reconcile, cmd_report, cmd_rules,
	cmd_rules_replay, cmd_rules_test, cmd_silence, cmd_sources, cmd_sql, cmd_status,
	cmd_top, cmd_version, cmd_views, cmd_why;
/* Part of tpucost-net. */
cmd_fn cmd_web; /* of tpucost-web */
cmd_fn cmd_audit_verify, cmd_collect, cmd_db, cmd_doctor, cmd_enforce_approve,
	cmd_enforce_halt, cmd_enforce_resume, cmd_grant_import, cmd_hold, cmd_import,
	cmd_init, cmd_notify_test, cmd_run;

/* Implements `enforce --apply` and `report --send` in tpucost-net; NULL in tpucost. */
extern cmd_fn *const enforce_applier;
cmd_fn cmd_enforce_apply; /* cli/net/run.c */
struct doc;
struct report_kind;
typedef int report_fn(struct app *app, const struct report_kind *kind,
	const struct doc *doc, struct err *e);
extern report_fn *const report_sender;
/* Asks BigQuery, in at most `max_ms` (0: no limit), and stores the answer: cli/net/detail.c; NULL in other programs.
 * Closes the database. */
struct billing_question;
typedef enum err_code detail_fn(
	struct app *app, const struct billing_question *q, int64_t max_ms, struct err *e);
extern detail_fn *const detail_asker;
detail_fn detail_ask;
/* Asks whether this machine holds the lease, in the epoch of app->db. E_BUSY, E_NOTFOUND: it does not; other errors:
 * unknown: cli/net/leader.c; NULL in other programs. */
typedef enum err_code lease_fn(struct app *app, struct err *e);
extern lease_fn *const lease_asker;
lease_fn leader_ask;
/* gzout_write(), for files whose name ends with .gz. */
struct gzout;
typedef enum err_code gz_fn(struct gzout **state, int fd, const char *name,
	const void *data, size_t len, bool last, struct err *e);
extern gz_fn *const gz_writer;
report_fn send_report; /* cli/net/notify.c */

#endif
