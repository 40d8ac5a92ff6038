/* Commands: one file and one line in cli/cmds.c each. */
#ifndef TPUCOST_CLI_CMD_H
#define TPUCOST_CLI_CMD_H

#include "base/time/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "cli/opts.h"

struct config;
struct db;

/* What the dispatcher prepares before a command runs. */
enum cmd_needs {
	NEED_CONFIG = 1,  /* configuration loaded */
	NEED_DB = 2,      /* database opened read-only, see cli/session.h */
	NEED_NET = 4,     /* runs in tpucost-net */
	MAY_ACT = 8,      /* judges, and stops what it is told to */
	TAKES_WORDS = 16, /* its arguments are words of another program's command */
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
	ts_t now; /* one moment for the whole command */
	struct config *cfg;
	struct db *db;
	bool daemon; /* `run` without --once: who lasts tells what began and ended itself */
	const struct cmd *cmd;
	char **args; /* positional arguments */
	int n_args;
	char **argv; /* as given, for handing over to tpucost-net */
};

/* Where `help` and the manual put a command. */
enum cmd_group {
	GROUP_OTHER,
	GROUP_FIRST,  /* first steps: set up, fill the database */
	GROUP_EXISTS, /* what exists and what is free */
	GROUP_MONEY,
	GROUP_RULES,  /* rules and alerts */
	GROUP_ACT,    /* enforcement */
	GROUP_SEND,   /* reports and messages */
	GROUP_KEEP,   /* upkeep and reference */
	GROUP_HIDDEN, /* for other programs: in no list */
};
#define CMD_GROUPS GROUP_HIDDEN

struct cmd {
	const char *name;    /* one word or two */
	const char *args;    /* synopsis of positional arguments */
	const char *summary; /* one line for `help` */
	const char *text;    /* paragraphs for `help NAME`: cli/cmds.c */
	const char *example;
	unsigned needs;
	int max_args;
	const char *opts; /* names of its options, besides the common ones */
	/* Returns an exit code; on failure sets `e` and returns cmd_exit(e). */
	int (*run)(struct app *app, struct err *e);
	enum cmd_group group;
	/* What completion offers, where it can: columns of this view for --columns and the like,
	 * and things of these kinds for arguments (cli/help/complete_command.c); NULL: none. */
	const char *view, *takes;
};

/* Headings of the groups; [0] for what has none. */
extern const char *const cmd_group_names[CMD_GROUPS];

struct doc;
struct report_kind;
/* `report --send`, in the program that has the network; NULL in the other one. */
extern int (*const report_sender)(struct app *app, const struct report_kind *kind,
	const struct doc *doc, struct err *e);

/* `enforce --apply`, likewise. */
extern int (*const enforce_applier)(struct app *app, struct err *e);

extern const struct cmd cmds[];
extern const size_t n_cmds;

const struct cmd *cmd_find(const char *name);
/* The command that the first words of `args` name: of two words ("grant import") before one of
 * a single word ("grant"). *used gets how many words those are; NULL: there is none. */
const struct cmd *cmd_find_words(char *const *args, int n, int *used);
/* Is `c` a command of two words that begins with the word of `parent`? */
bool cmd_is_under(const struct cmd *parent, const struct cmd *c);
/* Print "tpucost: msg; fix" and give the exit code of the error. */
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
