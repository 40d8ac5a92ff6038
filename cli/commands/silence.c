/* Command `silence`: suppresses messages of a rule. */
#include "base/time/civil.h"
#include "base/str.h"
#include "cli/enforce/enforce.h"
#include "cli/query.h"
#include "cli/session.h"
#include "db/db.h"
#include "db_sql.h"
#include "rules/judge/judge.h"
#include "rules/settings.h"
#include "rules/vocab/named.h"
#include "rules/vocab/subject.h"

#include <string.h>

static int list(struct app *app, const struct query *q, struct err *e)
{
	if (app->n_args > 1)
		return cmd_refuse(e, "", "%s list: unexpected argument '%s'",
			app->cmd->name, app->args[1]);
	return session_open(app, e) ? cmd_fail(e) : query_run(app, q, e);
}

enum known_from { FROM_ALERTS, FROM_VIEW, FROM_PAST, N_FROM };

static enum err_code subjects_of(struct app *app, const struct rule *r,
	enum known_from from, struct subjects *out, struct err *e)
{
	struct q_alert_subjects_in in = {.rule = r->name, .past = from == FROM_PAST};
	struct q_alert_subjects row;
	struct db_rows rows;

	if (from == FROM_VIEW)
		return judge_subjects(app->db, r, &app->arena, out, e);
	if (q_alert_subjects_open(app->db, &in, &rows, e))
		return e->code;
	while (q_alert_subjects_next(&rows, &row))
		*arena_push(&app->arena, out) = arena_strdup(&app->arena, row.subject);
	return db_rows_close(&rows, e);
}

/* The slice of a host, if it is a subject: alerts are about slices. */
static bool find_slice(
	struct app *app, const struct subjects *all, const char **subject, struct err *e)
{
	struct err none = {0};
	const char *id, *host;

	if (enforce_resource(app, app->o.subject, false, &id, &host, &none) || !host ||
		!str_in(id, all->v, all->n))
		return false;
	say_unless_quiet("%s is a host of %s: the silence is for the whole slice",
		app->o.subject, id);
	*subject = id;
	err_clear(e);
	return true;
}

/* Subjects are whole keys: a short name is replaced by the one that it means, preferably that of an
 * alert. A resource that was deleted may be created again under its id. */
static enum err_code find_subject(
	struct app *app, const struct rule *r, const char **subject, struct err *e)
{
	bool ids = !strcmp(subject_of(view_find(r->on))->key, "id");
	const char *word = app->o.subject;
	struct named x = NAMED_INIT;
	struct subjects all = {0};

	*subject = "";
	if (!word)
		return E_OK;
	for (int from = 0; from < (ids ? N_FROM : FROM_PAST) && x.fit > NAMED_NAME;
		from++) {
		size_t i = all.n;

		if (subjects_of(app, r, (enum known_from)from, &all, e))
			return e->code;
		for (; i < all.n; i++)
			if (!x.n || !str_in(all.v[i], x.ids, x.n))
				named_add(&x, &app->arena, all.v[i], word);
	}
	if (!named_only(&x, all.v, all.n, word, "subject", subject, e) ||
		(e->code == E_NOTFOUND && ids && find_slice(app, &all, subject, e)))
		return E_OK;
	if (e->code == E_NOTFOUND && !ids && str_starts(e->fix, "see:"))
		err_fix(e, "see: tpucost sql \"SELECT * FROM %s\"", r->on);
	return err_wrap(e, "rule %s", r->name);
}

static enum err_code add_silence(struct app *app, const char *name, struct err *e)
{
	const struct rule *rule = rule_find(app, name, e);
	struct q_silence_add_in in = {.rule = name,
		.created = app->now,
		.comment = app->o.comment ? app->o.comment : ""};
	cleanup(db_tx_end) struct db_tx tx = {0};
	int64_t seconds;

	if (!rule) {
		const char *near = near_below(&app->arena, app->cmd, name);

		return near ? near_fix(e, near, "") : e->code;
	}
	if (person_comment(app, e))
		return e->code;
	if (!app->o.hold_for)
		return err_set_fix(e, E_USAGE, "give a time, such as --for 2h",
			"silence: --for is missing");
	if (duration_parse(app->o.hold_for, &seconds, NULL))
		return err_set_fix(e, E_USAGE, "use 30m, 2h or 3d",
			"--for: '%.60s' is not a valid duration", app->o.hold_for);
	if (!seconds)
		return err_set(e, E_USAGE, "--for: the time must be longer than 0");
	if (app->o.subject && !*app->o.subject)
		return err_set_fix(e, E_USAGE,
			"leave --subject out to silence the whole rule",
			"--subject: the subject is empty");
	in.until = app->now + seconds;
	if (session_open_to_write(app, e) || find_subject(app, rule, &in.subject, e))
		return e->code;
	/* messages that were not sent yet are dropped, and the alert is due when the silence ends */
	if (db_begin(app->db, &tx, e) || q_silence_add(app->db, &in, e) ||
		q_alert_unsent(app->db,
			&(struct q_alert_unsent_in){.rule = name, .subject = in.subject},
			e) ||
		q_outbox_silence(app->db,
			&(struct q_outbox_silence_in){.rule = name, .subject = in.subject},
			e) ||
		db_commit(&tx, e))
		return e->code;
	say_unless_quiet("%s is silenced until %s%s%s", name, person_time(app, in.until),
		*in.subject ? " for " : "", in.subject);
	return E_OK;
}

static enum err_code remove_silence(struct app *app, struct err *e)
{
	struct q_silence_drop row;
	cleanup(db_tx_end) struct db_tx tx = {0};
	int64_t number;
	bool found;

	if (app->n_args < 2 || !str_to_i64(app->args[1], 1, INT64_MAX, &number))
		return err_set_fix(e, E_USAGE, "see: tpucost silence list",
			"silence remove: no number is given");
	if (session_open_to_write(app, e) || db_begin(app->db, &tx, e) ||
		q_silence_drop_one(app->db, &(struct q_silence_drop_in){.silence = number},
			&app->arena, &row, &found, e))
		return e->code;
	if (!found)
		return err_set_fix(e, E_NOTFOUND, "see: tpucost silence list",
			"there is no silence %lld", (long long)number);
	if (q_alert_unmute(app->db,
		    &(struct q_alert_unmute_in){.rule = row.rule,
			    .subject = row.subject,
			    .created = row.created},
		    e) ||
		db_commit(&tx, e))
		return e->code;
	say_unless_quiet("%s is no longer silenced", row.rule);
	return E_OK;
}

const struct query query_silences = {
	.view = "silences",
	.columns = "silence,rule,subject,until,active,comment",
	.order = "silence",
	.empty = "There are no silences.",
};

static int silence_exit(const struct app *app, enum err_code rc, const struct err *e)
{
	if (!rc)
		return EXIT_FINE;
	return app->needs_net ? EXIT_FAILED : cmd_fail(e);
}

int cmd_silence(struct app *app, struct err *e)
{
	const char *what = app->n_args ? app->args[0] : "list";
	int adds = !strcmp(what, "add");

	if (adds && app->n_args < 2)
		return cmd_refuse(
			e, "see: tpucost alerts", "silence add: no rule is given");
	if (!strcmp(what, "list"))
		return list(app, &query_silences, e);
	if (!strcmp(what, "remove"))
		return silence_exit(app, remove_silence(app, e), e);
	if (app->n_args > 1 + adds) {
		err_set(e, E_USAGE, "silence: unexpected argument '%.200s'",
			app->args[1 + adds]);
		near_fix(e, near_below(&app->arena, app->cmd, what),
			"give one subject with --subject");
		return cmd_fail(e);
	}
	return silence_exit(app, add_silence(app, app->args[adds], e), e);
}
