/* Commands `enforce halt` and `enforce resume`. The file is what halts; a failure to record it
 * must not prevent the halt. */
#include "base/fs.h"
#include "cli/config/config.h"
#include "cli/enforce/enforce.h"
#include "cli/session.h"
#include "db/db.h"
#include "db_sql.h"
#include "rules/act/audit.h"
#include "rules/act/leader.h"
#include "rules/enforce/enforce.h"
#include "rules/enforce/generation.h"
#include "rules/enforce/halt.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define HALT_MODE 0600

static const char *file_member(struct app *app, const char *path)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_adds(&b, "\"file\":");
	sbuf_add_json(&b, path);
	return arena_strdup(&app->arena, b.s);
}

/* ---- halt -------------------------------------------------------------------------------------- */

static void halt_text(struct app *app, struct sbuf *b)
{
	sbuf_addf(b, "halted by %s at %s\n", audit_user(&app->arena),
		person_time(app, app->now));
	if (app->o.comment) {
		sbuf_adds(b, "why: ");
		sbuf_add_term(b, app->o.comment);
		sbuf_addc(b, '\n');
	}
	sbuf_adds(b,
		"While this file exists, tpucost does not stop or delete anything.\n"
		"To resume: tpucost enforce resume\n");
}

/* Any existing file with this name halts. Only files that can be checked count here: the process
 * that acts may have access to other directories. */
static bool halting_is_there(const struct halt_place *p)
{
	struct stat st;

	return p->written && !lstat(p->path, &st);
}

/* Writes all halt files that can be written; E_IO if a required one cannot. */
static enum err_code write_halt(
	struct app *app, const struct halt_place *v, size_t n, struct err *e)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;
	const char *missed = NULL;

	halt_text(app, &text);
	for (size_t i = 0; i < n; i++) {
		struct err own;

		if (!v[i].written ||
			!fs_write_atomic(v[i].path, text.s, text.len, HALT_MODE, &own) ||
			halting_is_there(&v[i]) || !v[i].must || missed)
			continue;
		missed = v[i].path;
		*e = own;
	}
	if (!missed)
		return E_OK;
	err_wrap(e, "NOT halted");
	return err_fix(e,
		"set mode: off under enforcement: in %s, or create %s as its owner",
		app->cfg->path, missed);
}

/* *first is set to the file that the audit entry names. */
static void say_halted(const struct halt_place *v, size_t n, bool all, const char **first)
{
	for (size_t i = 0; i < n; i++) {
		if (!halting_is_there(&v[i]))
			continue;
		*first = *first ? *first : v[i].path;
		say_unless_quiet(all ? "halted: nothing is stopped while %s exists"
				     : "%s exists: it halts only processes that check it",
			v[i].path);
	}
}

/* Reports operations already requested from Google: they continue. */
static enum err_code say_in_flight(struct app *app, struct err *e)
{
	struct q_decide_in_flight_in in = {.resource = ""};
	struct q_decide_in_flight row;
	struct db_rows rows;

	if (q_decide_in_flight_open(app->db, &in, &rows, e))
		return e->code;
	while (q_decide_in_flight_next(&rows, &row))
		say("tpucost: too late for action %lld: the %s of %s is in progress (%s)",
			(long long)row.action, row.verb, row.resource, row.state);
	return db_rows_close(&rows, e);
}

static enum err_code record_halt(struct app *app, const char *path, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};

	app->on_standby = true;
	if (session_open_to_write(app, e) || db_begin(app->db, &tx, e) ||
		person_note(app, "halted", 0, NULL, file_member(app, path), e) ||
		db_commit(&tx, e))
		return e->code;
	return say_in_flight(app, e);
}

int cmd_enforce_halt(struct app *app, struct err *e)
{
	const struct halt_place *v;
	const char *path = NULL;
	enum err_code recorded;
	struct err why = {0};
	struct lease was;
	bool halted;
	size_t n;

	if (person_comment(app, e))
		return cmd_fail(e);
	v = halt_places(app->cfg->settings.enforcement, &app->arena, &n);
	halted = !write_halt(app, v, n, e);
	say_halted(v, n, halted, &path);
	if (!halted)
		return cmd_fail(e);
	recorded = record_halt(app, path, &why);
	if (leader_halt_all(app,
		    arena_printf(&app->arena, "%s at %s", audit_user(&app->arena),
			    person_time(app, app->now)),
		    &was, e)) {
		err_wrap(e,
			e->code == E_UNCERTAIN ? "perhaps NOT halted on other machines"
					       : "NOT halted on other machines");
		return cmd_fail(e);
	}
	if (!recorded)
		return EXIT_FINE;
	*e = why;
	err_wrap(e, "enforcement is halted, but there is no audit entry");
	cmd_fail(e);
	return EXIT_PARTIAL;
}

/* ---- resume ------------------------------------------------------------------------------------ */

struct resuming {
	struct app *app;
	const struct halt_place *places;
	size_t n;
	size_t halted, rearmed, left;
	bool all;             /* all machines that share a lease were halted */
	const char *restored; /* why the database was not armed; NULL: it was armed */
};

/* Arms rules again that were disarmed because of an error. */
static enum err_code rearm(struct resuming *x, struct err *e)
{
	struct q_disarmed_list row;
	struct db_rows rows;

	if (q_disarmed_list_open(x->app->db, &rows, e))
		return e->code;
	while (q_disarmed_list_next(&rows, &row)) {
		x->rearmed++;
		say_unless_quiet(
			"rule %s is armed again in project %s; it was disarmed: %s",
			row.rule, row.project, row.reason);
	}
	return db_rows_close(&rows, e) ? e->code : q_rearm_all(x->app->db, e);
}

/* The first cycle that holds the lease ends the mark of a backup, and may replace the database. */
static enum err_code resume_refuse(struct resuming *x, struct err *e)
{
	const char *copied;

	if (!x->app->cfg->enforcement.lease)
		return E_OK;
	if (generation_copied(x->app->db, &x->app->arena, &copied, e))
		return e->code;
	return copied
		? err_set_fix(e, E_BUSY,
			  "start tpucost and wait until this machine holds the lease, then "
			  "resume",
			  "this database was restored")
		: E_OK;
}

/* Recorded before it is done: each rule that acts again has an audit entry. */
static enum err_code record_resume(struct resuming *x, struct err *e)
{
	const struct settings *s = &x->app->cfg->settings;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	cleanup(db_tx_end) struct db_tx tx = {0};

	sbuf_adds(&b, "\"files\":[");
	for (size_t i = 0; i < x->n; i++) {
		if (!halt_is_at(x->places[i].path))
			continue;
		sbuf_adds(&b, x->halted++ ? "," : "");
		sbuf_add_json(&b, x->places[i].path);
	}
	sbuf_addc(&b, ']');
	x->app->on_standby = true;
	if (session_open_to_write(x->app, e) || db_begin(x->app->db, &tx, e) ||
		resume_refuse(x, e) || rearm(x, e) ||
		enforce_start_over(
			x->app->db, s, x->app->now, &x->app->arena, &x->restored, e))
		return e->code;
	if (x->rearmed)
		sbuf_addf(&b, ",\"rearmed\":%zu", x->rearmed);
	if (x->restored) {
		sbuf_adds(&b, ",\"restored\":");
		sbuf_add_json(&b, x->restored);
	}
	if ((x->halted || x->rearmed || x->restored) &&
		person_note(x->app, "resumed", 0, NULL, b.s, e))
		return e->code;
	return db_commit(&tx, e);
}

/* After it was recorded: if the process is killed in between, the database is still not armed. */
static enum err_code arm(struct resuming *x, struct err *e)
{
	const struct settings *s = &x->app->cfg->settings;
	const char *why;

	if (!x->restored)
		return enforce_note(x->app->db, s, &x->app->arena, &why, e);
	if (enforce_accept(x->app->db, s, &x->app->arena, e))
		return e->code;
	say_unless_quiet("all actions start over from their warning; the database did not "
			 "act: %s",
		x->restored);
	return E_OK;
}

/* A standby can end a halt of all machines; it has nothing to note. */
static enum err_code resume_all(struct resuming *x, struct err *e)
{
	struct app *app = x->app;
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct lease was;

	if (leader_halt_all(app, NULL, &was, e))
		return e->code;
	if (was.halted) {
		x->all = true;
		say_unless_quiet(
			"the halt of all machines has ended: it was by %s; a machine "
			"with a halt file stays halted until you run there: tpucost "
			"enforce resume",
			was.halted);
		if (db_begin(app->db, &tx, e) ||
			person_note(app, "resumed", 0, NULL, "", e) || db_commit(&tx, e))
			return e->code;
	}
	if (was.halt_file)
		say("tpucost: %s is halted while it has %s", was.host, was.halt_file);
	if (leader_decided(app, true, e) == E_BUSY || e->code == E_NOTFOUND)
		err_clear(e);
	return e->code;
}

static enum err_code remove_halt(struct resuming *x, const char *path, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct err why;

	if (!halt_is_at(path))
		return E_OK;
	if (!unlink(path)) {
		say_unless_quiet("%s was removed", path);
		return E_OK;
	}
	err_sys(&why, E_IO, errno, "still halted: cannot remove %s", path);
	err_fix(&why, "remove it as its owner");
	say_err("tpucost", &why);
	x->left++;
	if (db_begin(x->app->db, &tx, e) ||
		person_note(x->app, "resume-failed", 0, NULL, file_member(x->app, path), e))
		return e->code;
	return db_commit(&tx, e);
}

int cmd_enforce_resume(struct app *app, struct err *e)
{
	const struct enforcement *en = app->cfg->settings.enforcement;
	struct resuming x = {.app = app};

	x.places = halt_places(en, &app->arena, &x.n);
	if (person_comment(app, e) || record_resume(&x, e) || arm(&x, e) ||
		resume_all(&x, e))
		return cmd_fail(e);
	for (size_t i = 0; i < x.n; i++)
		if (remove_halt(&x, x.places[i].path, e))
			return cmd_fail(e);
	if (x.left)
		return EXIT_FAILED;
	say_unless_quiet("%s",
		x.halted || x.rearmed || x.restored || x.all
			? arena_printf(&app->arena, "enforcement resumed: mode %s",
				  enforce_mode_name(en->mode))
			: "enforcement is not halted");
	return EXIT_FINE;
}
