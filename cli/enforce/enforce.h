/* Enforcement for users: its plan, and actions as carried out by `run` and `enforce --apply`. */
#ifndef TPUCOST_CLI_ENFORCE_ENFORCE_H
#define TPUCOST_CLI_ENFORCE_ENFORCE_H

#include "cli/cmd.h"
#include "rules/enforce/plan.h"

/* Handles operations that an earlier run left unfinished, before anything else. Opens the
 * database and closes it again; does nothing if it does not exist yet. Returns an exit code. */
int enforce_recover(struct app *app, struct err *e);
/* Call it before rules are evaluated: reports that the database was restored or copied, in which
 * case all actions start over. app->db must be open for writing. Returns an exit code. */
int enforce_begin(struct app *app, struct err *e);
/* Carries out actions that are ready. app->db must be open for writing. *acted is set if there are
 * changes to report. Returns an exit code. */
int enforce_act(struct app *app, bool *acted, struct err *e);

/* Prints each warning since `since` whose action is still pending: its time, and the command that
 * prevents it. */
enum err_code enforce_say_warned(struct app *app, ts_t since, struct err *e) must_check;

/* ---- the plan ---------------------------------------------------------------------------------- */

/* Prints the settings of enforcement, the actions to take, the blocked ones and what blocks them,
 * those that ended, and the total saving. Returns the exit code. */
int enforce_list(struct app *app, const struct plan *p, struct err *e);

/* Makes the plan from app->db as of app->now, and prints it in the requested format. */
int enforce_show(struct app *app, struct err *e);

/* The only id that the name means: with `held`, of those with a hold; else of machines and TPUs, and
 * of the resource with that id. A host of a slice means the slice; *host (which may be NULL) is then its
 * id, else NULL. E_NOTFOUND without a message: there is no such hold. */
enum err_code enforce_resource(struct app *app, const char *name, bool held,
	const char **id, const char **host, struct err *e) must_check;

/* ---- decisions of the user: comment, end time and audit entry ----------------------------------- */

/* Checks that --comment is UTF-8 and not too long; E_USAGE. */
enum err_code person_comment(struct app *app, struct err *e) must_check;
/* "2026-11-21 15:11 Asia/Hong_Kong", allocated from the arena. */
const char *person_time(struct app *app, ts_t t);

/* Adds an audit entry for the user of this program, in the transaction of the change itself.
 * `detail` contains the members of its JSON object, keys sorted, without "comment". Part of
 * tpucost-net. */
enum err_code person_note(struct app *app, const char *event, int64_t action,
	const char *resource, const char *detail, struct err *e) must_check;

/* Call it after the commit: if enforcement is armed, also records the entry outside of the
 * database, so that an older copy is not mistaken for this one. Part of tpucost-net. */
enum err_code person_keep(struct app *app, struct err *e) must_check;

/* Parts of tpucost-net: cli/net/leader.c. Where machines share a lease, notes the newest decision in it, so that no other
 * one acts without knowing it; E_BUSY: this machine does not hold it. `resumed`: after it was not armed. And halts all of
 * them: `why` names who did; NULL ends that; *was: the lease before, with
 * the halt file of another machine only. */
struct lease;
enum err_code leader_decided(struct app *app, bool resumed, struct err *e) must_check;
enum err_code leader_halt_all(
	struct app *app, const char *why, struct lease *was, struct err *e) must_check;

#endif
