/* Functions shared by the commands that poll, act and send messages. */
#ifndef TPUCOST_CLI_NET_WIRE_H
#define TPUCOST_CLI_NET_WIRE_H

#include "base/net/mail.h"
#include "base/sbuf.h"
#include "cli/cmd.h"
#include "cli/config/config.h"
#include "collector/collect.h"
#include "rules/enforce/action.h"
#include "rules/grant/mail.h"
#include "rules/judge/judge.h"

#include <sys/types.h>

struct cycle {
	bool only_due; /* skip sources that were polled within their interval */
	const char *const *only;
	size_t n_only;
};

/* Requests to Google with the account that reads. Zero-initialized is closed. */
struct net {
	struct http *http;
	struct gcp *gcp;
};
enum err_code net_open(struct app *app, struct net *n, struct err *e) must_check;
void net_done(struct net *n);
/* Settings of polls, but their currency. */
struct collect_settings net_settings(const struct config *cfg);

/* Opens the file "DATABASE" (its real path) plus `suffix`, without locking it; E_IO. */
enum err_code lock_open(
	const struct config *cfg, const char *suffix, int *fd, struct err *e) must_check;
/* Locks the file "DATABASE" (its real path) plus `suffix` until *fd is closed. E_BUSY: "another
 * tpucost DOING DATABASE: process N", and `fix`. */
enum err_code lock_take(const struct config *cfg, const char *suffix, const char *doing,
	const char *fix, int *fd, struct err *e) must_check;
/* Opens the database for writing, created or migrated if necessary, with its rollups. Only one
 * writer at a time (E_BUSY). The caller closes *lock. */
enum err_code writer_open(struct app *app, int *lock, struct err *e) must_check;
/* Derives all data again for the present moment, and stores it. */
enum err_code writer_derive(struct app *app, struct err *e) must_check;

/* Stores the result of what is not polled for `sources`: COLLECT_.... `group`: when it is old; `note`: a problem without an
 * error, or NULL; `why`: no error on success; it gets a fix. */
enum err_code writer_record(struct app *app, const char *name, const char *group,
	size_t items, const char *note, struct err *why, struct err *e) must_check;

/* Opens the database for writing, polls and derives. */
enum err_code cycle_run(struct app *app, const struct cycle *c, struct collect_result *r,
	struct err *e) must_check;

/* Evaluates every rule over the derived data, and stores the results together with the messages
 * about them. */
enum err_code writer_judge(
	struct app *app, struct judgement *out, struct err *e) must_check;

/* Exit status for the result of a poll. */
int cycle_exit(const struct collect_result *r);

/* ---- a cycle: cli/net/cycle.c ---------------------------------------------------------------- */

/* Evaluates the rules, and stores their outcome and the messages about it, without sending any.
 * Rules that fail are printed. Returns an exit code. */
int cycle_judge(struct app *app, struct judgement *judged, struct err *e);

/* The part of a cycle from the evaluation of rules to the last message: rules, warnings, actions
 * and their results. Stores the outcome of the rules. Returns an exit code. */
int judge_and_act(struct app *app, struct judgement *judged, struct err *e);

/* A whole cycle, from the operations that an earlier run left unfinished to the heartbeat.
 * *whole: it was completed, and app->db is open. Returns an exit code; EXIT_BUSY only to a
 * daemon. */
#define EXIT_BUSY 99
int cycle_whole(struct app *app, struct judgement *judged, bool *whole, struct err *e);
/* Appends the alerts that began, became worse or ended, and without --quiet those that repeat, one per line; those of
 * sources with the same cause are one. */
void cycle_events(struct app *app, struct sbuf *b, const struct judgement *j);

/* ---- lease of several machines, and copy of the database: cli/net/leader.c ----------------------- */

/* Called before a cycle, with app->db closed: finds whether this machine holds the lease of the configuration, and takes
 * it over if it is free. *standby: another one holds it, and this one does nothing. Without a lease, no effect. */
enum err_code leader_enter(struct app *app, bool *standby, struct err *e) must_check;
void leader_leave(struct app *app);
/* The lease could not be read in this cycle: nothing is stopped. */
bool leader_is_unknown(const struct app *app);
/* Gives the lease up: this machine cannot work. */
void leader_resign(struct app *app);
/* For enforce_run(); NULL: there is no lease. */
struct leader;
const struct leader *leader_of(const struct app *app);
/* Called after a cycle: copies the database to Cloud Storage if that is configured and due. *shipped: it was. */
enum err_code leader_ship(struct app *app, bool *shipped, struct err *e) must_check;
/* A process that renews the lease during a cycle that is not one of the daemon; 0: none. */
pid_t leader_keeper(struct app *app);
void leader_keeper_end(pid_t pid);
/* After leader_enter() with E_BUSY: the command that writes now may take longer than the lease lasts. False: too long, it
 * was not renewed, and `e` says so. */
bool leader_renew(struct app *app, struct err *e);
/* In the process that keeps the lease for the daemon: watches, renews and takes over. Returns an exit code. */
int leader_keep(struct app *app);

/* ---- BigQuery: cli/net/publish.c ----------------------------------------------------------- */

/* Stores the rows that are due, before the database is copied: a machine that takes over with the copy sends the same
 * load jobs, not others with the same rows. */
struct composed {
	bool any;  /* it was time for that */
	bool held; /* nothing is sent in this cycle */
	struct err err;
};
/* Must the backup have what is published, before it is sent? A machine that takes over then knows all of it. */
bool publish_needs_backup(const struct config *cfg);
void cycle_compose(struct app *app, struct composed *made);
/* Without `publish:`, its source is dropped, and after weeks what waits; before rules are evaluated on it. Returns an exit code. */
int cycle_unpublish(struct app *app, struct err *e);
/* Sends what waits. Errors, also of `made`, are printed, and stored for `sources`. Returns an exit code. */
int cycle_publish(struct app *app, struct composed *made, struct err *e);

/* ---- messages: cli/net/notify.c ------------------------------------------------------- */

static inline struct outbox outbox_of(const struct config *cfg)
{
	return (struct outbox){.channels = cfg->channels,
		.n = cfg->n_channels,
		.settings = &cfg->settings};
}

/* Result of one attempt to send a letter on a channel. */
struct told {
	const char *channel, *base, *recipient; /* as in struct channel */
	enum send_class class;
	const char *reply, *error, *fix;
};

struct tellings {
	struct told *v;
	size_t n, cap;
};

/* Sends due messages for at most `max_seconds`. `only`: id of a message, or NULL. All attempts are
 * appended to `list`, allocated from app->arena. */
enum err_code notify_send(struct app *app, struct db *db, int64_t max_seconds,
	const char *only, struct outbox_sent *out, struct tellings *list,
	struct err *e) must_check;

/* Sends due messages on every channel, each in a separate process, so that a channel that hangs
 * does not delay the others. Errors are printed on standard error; `failed` (a flag per channel
 * of the configuration) is set for failing channels. app->db is closed during the call, and open
 * for writing again afterwards. */
enum err_code notify_send_all(struct app *app, int64_t max_seconds, bool *failed,
	struct outbox_sent *out, struct err *e) must_check;

/* Puts due reports into the outbox. */
enum err_code notify_due(struct app *app, struct db *db, struct err *e) must_check;

/* Reports a successful cycle to the service that monitors tpucost; errors are printed. */
void notify_heartbeat(struct app *app);

/* ---- interface of enforcement: cli/net/hands.c ------------------------------------------------- */

/* Implements struct hands (rules/enforce/action.h) with Google's APIs and the account that acts. Does not
 * load or send anything: credentials are read by the first operation (E_AUTH, E_CONFIG then). `app`
 * must remain valid as long as the result. */
const struct hands *hands_open(struct app *app);
void hands_close_ptr(const struct hands **hands); /* for cleanup() */

/* `db plan`: cli/net/plan.c. Returns the exit code. */
int plan_show(struct app *app, struct err *e);

/* ---- grants: cli/net/grant.c ------------------------------------------------------------------ */

/* Mail of a grant, read for a configuration. Strings are allocated from the command's arena. */
struct grant_import {
	struct app *app;
	const char *path; /* for messages */
	struct mail mail;
	const struct mail_text *text; /* the version that is used */
	struct mail_span *spans;      /* lines of each version that contain the grant */
	struct grant_mail read;  /* its project: id or number; NULL: the mail names none */
	const char *name;        /* of the grant */
	const char *starts;      /* a date or RFC 3339 */
	const char *starts_from; /* "the mail's Date": source of the start */
	int64_t days;
	const char *until; /* a date or RFC 3339 */
	size_t problems;
};

/* Reads the mail (`-`: standard input), with --starts, --days, --name and --extends. Returns an
 * exit code: EXIT_FINE, or EXIT_NO if the mail is ambiguous or incomplete; its problems were then
 * printed. */
int grant_mail_import(
	struct app *app, const char *path, struct grant_import *x, struct err *e);

/* "start 2026-11-01 from --starts, end 2026-12-01", allocated from the command's arena */
const char *grant_mail_period(const struct grant_import *x);

/* Appends `grants:` for this project only (NULL: the user decides). */
void grant_mail_write(struct sbuf *b, const struct grant_import *x, const char *project);

#endif
