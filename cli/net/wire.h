/* What the commands that poll, act and tell share. */
#ifndef TPUCOST_CLI_NET_WIRE_H
#define TPUCOST_CLI_NET_WIRE_H

#include "base/net/mail.h"
#include "base/sbuf.h"
#include "cli/cmd.h"
#include "cli/config/config.h"
#include "collector/collect.h"
#include "collector/discover.h"
#include "rules/enforce/hands.h"
#include "rules/grant/mail.h"
#include "rules/judge/judge.h"

struct cycle {
	bool only_due; /* leave out what was polled within its interval */
	const char *const *only;
	size_t n_only;
};

/* How projects are found; billing_account and scope are NULL where they are listed. */
static inline struct discovery discovery_of(const struct config *cfg)
{
	return (struct discovery){.billing_account = cfg->discovery.billing_account,
		.scope = cfg->discovery.scope,
		.only = cfg->discovery.only.v,
		.n_only = cfg->discovery.only.n,
		.except = cfg->discovery.except.v,
		.n_except = cfg->discovery.except.n};
}

/* "DATABASE" (its real file) and `suffix`, open and not locked; E_IO. */
enum err_code lock_open(
	const struct config *cfg, const char *suffix, int *fd, struct err *e) must_check;
/* A lock file beside the database (its real file), "DATABASE" and `suffix`, held until *fd is closed. E_BUSY:
 * "another tpucost DOING DATABASE: process N", and `fix`. */
enum err_code lock_take(const struct config *cfg, const char *suffix, const char *doing,
	const char *fix, int *fd, struct err *e) must_check;
/* The database for writing, made or migrated where needed, with its rollups; one
 * writer at a time (E_BUSY). *lock is closed by the caller. */
enum err_code writer_open(struct app *app, int *lock, struct err *e) must_check;
/* Derive everything anew for the present moment, and keep it. */
enum err_code writer_derive(struct app *app, struct err *e) must_check;

/* Open the database for writing, poll and derive. */
enum err_code cycle_run(struct app *app, const struct cycle *c, struct collect_result *r,
	struct err *e) must_check;

/* Judge every rule over what was derived, and store what came of it, together with what is to be
 * told of it. */
enum err_code writer_judge(
	struct app *app, struct judgement *out, struct err *e) must_check;

/* What the poll's outcome means for the exit status. */
int cycle_exit(const struct collect_result *r);

/* ---- a cycle: cli/net/cycle.c ---------------------------------------------------------------- */

/* From judging to the last message: rules, warnings, actions, what came of them. Exit code; *judged
 * is what the rules said. */
int judge_and_act(struct app *app, struct judgement *judged, struct err *e);

/* Everything from looking at what an earlier run left to the heartbeat. *whole: it came to its end, and
 * app->db is open. Exit code; EXIT_BUSY only to a daemon. */
#define EXIT_BUSY 99
int cycle_whole(struct app *app, struct judgement *judged, bool *whole, struct err *e);
/* What began, got worse or ended, a line each. */
void cycle_events(struct sbuf *b, const struct judgement *j);

/* ---- telling people: cli/net/notify.c ------------------------------------------------- */

static inline struct outbox outbox_of(const struct config *cfg)
{
	return (struct outbox){.channels = cfg->channels,
		.n = cfg->n_channels,
		.settings = &cfg->settings};
}

/* What one channel said to a letter. */
struct told {
	const char *channel, *recipient;
	enum send_class class;
	const char *reply, *error, *fix;
};

struct tellings {
	struct told *v;
	size_t n, cap;
};

/* Send what is due, for at most `max_seconds`. `only`: a message's id, or NULL. `list` gets every
 * attempt (in app->arena); may be NULL. */
enum err_code notify_send(struct app *app, struct db *db, int64_t max_seconds,
	const char *only, struct outbox_sent *out, struct tellings *list,
	struct err *e) must_check;

/* Send what is due on every channel, each in a process of its own: one that hangs keeps nobody
 * waiting but itself. What fails is said on standard error; `failed` (a flag for each channel of
 * the configuration) tells where. app->db is closed meanwhile, and open for writing again
 * afterwards. */
enum err_code notify_send_all(struct app *app, int64_t max_seconds, bool *failed,
	struct outbox_sent *out, struct err *e) must_check;

/* Put the reports that are due into the outbox. */
enum err_code notify_due(struct app *app, struct db *db, struct err *e) must_check;

/* Tell the one who watches tpucost itself that a cycle went well; what fails is said. */
void notify_heartbeat(struct app *app);

/* ---- the hands of enforcement: cli/net/hands.c ------------------------------------------------ */

/* struct hands of rules/enforce/hands.h over Google's APIs, with the credentials of who acts. */
struct hands_state;

/* Loads nothing and sends nothing: credentials are read when something is asked of the hands first
 * (E_AUTH, E_CONFIG there). `app` must outlive it. */
struct hands_state *hands_open(struct app *app);
void hands_close_ptr(struct hands_state **h); /* for cleanup() */

/* Good as long as `h`. */
const struct hands *hands_of(const struct hands_state *h);

/* ---- grants: cli/net/grant.c ------------------------------------------------------------------ */

/* The mail of a grant, read for a configuration. Strings are of the command's arena. */
struct grant_import {
	struct app *app;
	const char *path; /* for messages */
	struct mail mail;
	const struct mail_text *text; /* the one that was taken */
	struct grant_mail read; /* its project: id or number; NULL: the mail names none */
	const char *name;       /* of the grant */
	const char *starts;     /* a date or RFC 3339 */
	bool dated;             /* starts is what the mail says */
	int64_t days;
	size_t problems;
};

/* Read the mail (`-`: standard input), with --starts, --days, --name and --extends. Returns an exit
 * code: EXIT_FINE, or EXIT_NO when it cannot be used without guessing; then everything has been
 * said. */
int grant_mail_import(
	struct app *app, const char *path, struct grant_import *x, struct err *e);

/* Append it as `grants:`; they are for this project alone (NULL: as the reader decides). */
void grant_mail_write(struct sbuf *b, const struct grant_import *x, const char *project);

#endif
