/* Commands. Each has one source file and one entry in cli/cmds.c. */
#ifndef TPUCOST_CLI_CMD_H
#define TPUCOST_CLI_CMD_H

#include "base/time/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "cli/opts.h"

struct config;
struct db;

/* Preparation that the dispatcher does before a command runs. */
enum cmd_needs {
	NEED_CONFIG = 1, /* configuration loaded */
	NEED_DB = 2,     /* database opened read-only, see cli/session.h */
	NEED_NET = 4,    /* runs in tpucost-net */
	MAY_ACT = 8,   /* evaluates rules, and stops resources where enforcement is armed */
	OPENS_DB = 32, /* opens the database itself, after a check of its options */
	TAKES_WORDS = 16, /* its arguments are the words of another program's command */
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
	struct arena arena; /* lives as long as the command */
	struct clock *clock;
	ts_t now; /* the same instant for the whole command */
	struct config *cfg;
	struct db *db;
	bool daemon; /* `run` without --once: the daemon logs when a problem begins and ends */
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

struct cmd {
	const char *name;    /* one word or two */
	const char *args;    /* synopsis of positional arguments */
	const char *summary; /* one line for `help`, begins with an imperative verb */
	const char *text;    /* paragraphs for `help NAME`: cli/cmds.c */
	const char *example;
	unsigned needs;
	int max_args;
	const char *opts; /* names of its options, in addition to the common ones */
	/* Returns an exit code; on failure sets `e` and returns cmd_exit(e). */
	int (*run)(struct app *app, struct err *e);
	enum cmd_group group;
	/* Candidates for completion: the columns of this view for --columns and similar options,
	 * and names of these kinds for arguments (cli/help/complete_command.c); NULL: none. */
	const char *view, *takes;
};

/* Headings of the groups. Entry 0 is for commands without a group. */
extern const char *const cmd_group_names[CMD_GROUPS];

struct doc;
struct report_kind;
/* Implements `report --send` in tpucost-net; NULL in tpucost. */
extern int (*const report_sender)(struct app *app, const struct report_kind *kind,
	const struct doc *doc, struct err *e);

/* Implements `enforce --apply` in tpucost-net; NULL in tpucost. */
extern int (*const enforce_applier)(struct app *app, struct err *e);

extern const struct cmd cmds[];
extern const size_t n_cmds;

const struct cmd *cmd_find(const char *name);
/* Finds the command that the first words of `args` name: a command of two words ("grant import")
 * is preferred to one of a single word ("grant"). *used is set to the number of words. Returns NULL
 * if there is no such command. */
const struct cmd *cmd_find_words(char *const *args, int n, int *used);
/* Tests whether `c` is a command of two words that begins with the word of `parent`. */
bool cmd_is_under(const struct cmd *parent, const struct cmd *c);
/* Prints "tpucost: msg; fix" and returns the exit code of the error. */
int cmd_fail(const struct err *e);

int cmd_import(struct app *app, struct err *e);
int cmd_backup(struct app *app, struct err *e);
int cmd_db(struct app *app, struct err *e);
int cmd_quota(struct app *app, struct err *e);
int cmd_ps(struct app *app, struct err *e);
int cmd_coverage(struct app *app, struct err *e);
int cmd_hidden(struct app *app, struct err *e);
int cmd_reconcile(struct app *app, struct err *e);
int cmd_burn(struct app *app, struct err *e);
int cmd_egress(struct app *app, struct err *e);
int cmd_cost(struct app *app, struct err *e);
int cmd_budget(struct app *app, struct err *e);
int cmd_credit(struct app *app, struct err *e);
int cmd_sources(struct app *app, struct err *e);
int cmd_grant(struct app *app, struct err *e);
int cmd_grant_plan(struct app *app, struct err *e);
int cmd_grant_import(struct app *app, struct err *e); /* cli/net/grant.c */
int cmd_alerts(struct app *app, struct err *e);
int cmd_silence(struct app *app, struct err *e);
int cmd_hold(struct app *app, struct err *e); /* cli/net/hold.c */
int cmd_audit(struct app *app, struct err *e);
int cmd_audit_verify(struct app *app, struct err *e);    /* cli/net/audit.c */
int cmd_enforce_halt(struct app *app, struct err *e);    /* cli/net/halt.c */
int cmd_enforce_resume(struct app *app, struct err *e);  /* cli/net/halt.c */
int cmd_enforce_approve(struct app *app, struct err *e); /* cli/net/approve.c */
int cmd_notify(struct app *app, struct err *e);
int cmd_notify_retry(struct app *app, struct err *e);
int cmd_notify_test(struct app *app, struct err *e); /* cli/net/notify.c */
int send_report(struct app *app, const struct report_kind *kind, const struct doc *doc,
	struct err *e); /* cli/net/notify.c */
int cmd_enforce(struct app *app, struct err *e);
int cmd_enforce_apply(struct app *app, struct err *e); /* cli/net/run.c */
int cmd_estimate(struct app *app, struct err *e);
int cmd_rules(struct app *app, struct err *e);
int cmd_rules_test(struct app *app, struct err *e);
int cmd_rules_replay(struct app *app, struct err *e);
int cmd_sql(struct app *app, struct err *e);
int cmd_views(struct app *app, struct err *e);
int cmd_why(struct app *app, struct err *e);
int cmd_report(struct app *app, struct err *e);
int cmd_status(struct app *app, struct err *e);
int cmd_top(struct app *app, struct err *e);
int cmd_check(struct app *app, struct err *e);
int cmd_version(struct app *app, struct err *e);
int cmd_help(struct app *app, struct err *e);
int cmd_manual(struct app *app, struct err *e);
int cmd_completion(struct app *app, struct err *e);
int cmd_complete(struct app *app, struct err *e);
int cmd_collect(struct app *app, struct err *e); /* cli/net/run.c */
int cmd_run(struct app *app, struct err *e);     /* cli/net/run.c */
int cmd_init(struct app *app, struct err *e);    /* cli/init/init.c */
int cmd_doctor(struct app *app, struct err *e);  /* cli/doctor/doctor.c */

#endif
