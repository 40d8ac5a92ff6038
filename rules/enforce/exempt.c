#include "rules/enforce/exempt.h"

#include "base/time/civil.h"
#include "base/data/json.h"
#include "base/str.h"
#include "db/db.h"
#include "db_sql.h"
#include "rules/enforce/guard_internal.h"

#include <string.h>

#define UNTIL "until-"
#define SHOWN 80 /* bytes of a value in messages */

/* ---- the label --------------------------------------------------------------------------------- */

/* "until-20261201" */
static bool read_until(const char *value, day_t *day)
{
	char date[DATE_BUF];
	const char *d = value + strlen(UNTIL);

	if (!str_starts(value, UNTIL) || strlen(d) != 8)
		return false;
	memcpy(date, d, 4);
	memcpy(date + 5, d + 4, 2);
	memcpy(date + 8, d + 6, 2);
	date[4] = date[7] = '-';
	date[10] = '\0';
	return !date_parse(date, day, NULL);
}

static struct keep keep_read_value(
	const char *value, const struct tz *tz, ts_t now, struct arena *a)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct keep k = {.until = TS_NONE};
	day_t day;

	if (str_eq(value, "forever")) {
		k.exempt = true;
	} else if (read_until(value, &day)) {
		k.until = tz_day_start(tz, day + 1);
		k.exempt = now < k.until;
	} else {
		sbuf_adds(&b, "label " KEEP_LABEL " has an invalid value: ");
		sbuf_add_quoted(&b, value, SHOWN);
		k.exempt = k.bad = true;
		k.why = arena_strdup(a, b.s);
		return k;
	}
	if (k.exempt)
		k.why = arena_printf(a, "label " KEEP_LABEL "=%s", value);
	return k;
}

struct keep keep_read(const char *labels, const struct tz *tz, ts_t now, struct arena *a)
{
	const struct keep unreadable = {.exempt = true,
		.bad = true,
		.until = TS_NONE,
		.why = "its labels cannot be read"};
	cleanup(json_free_ptr) struct cJSON *j = NULL;

	if (!labels || json_parse(labels, strlen(labels), &j, NULL) || !json_is_object(j))
		return unreadable;
	JSON_EACH (label, j) {
		if (str_eq(json_key(label), KEEP_LABEL))
			return keep_read_value(json_text(label, "(no text)"), tz, now, a);
	}
	return (struct keep){.until = TS_NONE};
}

/* ---- the guard --------------------------------------------------------------------------------- */

static const char *held_until(const struct guard_ask *q, ts_t until)
{
	char at[TZ_TIME_BUF];

	return arena_printf(q->a, "hold until %s (%s)", tz_time(q->s->tz, until, at),
		tz_name(q->s->tz));
}

static enum err_code by_hold(const struct guard_ask *q, const char **why, struct err *e)
{
	struct q_hold_get_in in = {.id = q->action->t.id};
	struct q_hold_get row;
	bool found;

	if (q_hold_get_one(q->db, &in, q->a, &row, &found, e))
		return e->code;
	if (found && row.until > q->now)
		*why = held_until(q, row.until);
	return E_OK;
}

static const char *keep_listed(const struct guard_ask *q, const char *id, const char *name)
{
	const struct enforcement *en = q->s->enforcement;

	for (size_t i = 0; en && i < en->n_exempt; i++)
		if (str_eq(en->exempt[i], id) || str_eq(en->exempt[i], name))
			return arena_printf(
				q->a, "'%s' is in enforcement.exempt", en->exempt[i]);
	return NULL;
}

/* An error of the condition itself, or a timeout, protects the machine. Other errors are errors of
 * the database. */
static enum err_code protect_failed(
	const struct guard_ask *q, const char **why, const struct err *was, struct err *e)
{
	if (was->code != E_USAGE && was->code != E_LIMIT) {
		*e = *was;
		return err_wrap(e, "enforcement.protect");
	}
	*why = arena_printf(q->a, "enforcement.protect cannot be evaluated: %s", was->msg);
	return E_OK;
}

static enum err_code judge_condition(
	const struct guard_ask *q, const char *id, const char **why, struct err *e)
{
	const struct enforcement *en = q->s->enforcement;
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;
	struct db_cursor c;
	struct err was = {0};
	bool row = false;

	if (!en || !en->protect)
		return E_OK;
	sbuf_addf(&sql,
		"SELECT CASE WHEN (%s) THEN 1 WHEN NOT (%s) THEN 0 END FROM resources "
		"WHERE id = :id",
		en->protect, en->protect);
	if (db_cursor_open_rule(q->db, sql.s, false, &c, &was))
		return protect_failed(q, why, &was, e);
	db_cursor_bind(&c, ":id", id);
	if (db_cursor_step(&c, &row, &was)) {
		db_cursor_close(&c);
		return protect_failed(q, why, &was, e);
	}
	if (!row)
		*why = "enforcement.protect cannot be evaluated: it is not in the view "
		       "resources";
	else if (db_cursor_type(&c, 0) != DB_INT)
		*why = "enforcement.protect is unknown for it: the condition gives NULL; "
		       "use COALESCE(column, '') to define the result";
	else if (db_cursor_i64(&c, 0))
		*why = "enforcement.protect matches it";
	db_cursor_close(&c);
	return E_OK;
}

/* ---- what ends with it --------------------------------------------------------------------------- */

struct other {
	const char *id, *name, *labels;
	struct opt_i64 held_until;
};

static enum err_code exempt_other(const struct guard_ask *q, const struct other *o,
	const char *what, const char **why, struct err *e)
{
	struct keep k = keep_read(o->labels, q->s->tz, q->now, q->a);
	const char *own = k.exempt ? k.why : NULL;

	if (!own && o->held_until.set && o->held_until.v > q->now)
		own = held_until(q, o->held_until.v);
	if (!own)
		own = keep_listed(q, o->id, o->name);
	if (!own && judge_condition(q, o->id, &own, e))
		return e->code;
	if (own)
		*why = arena_printf(q->a, "of %s %s: %s", what, o->id, own);
	return E_OK;
}

/* The protection of one host is that of its slice. `group` is NULL for a TPU node. */
static enum err_code by_host(const struct guard_ask *q, const char *id, const char *group,
	const char **why, struct err *e)
{
	struct q_slice_hosts_in in = {
		.project = q->action->t.project, .group = group, .id = id};
	struct q_slice_hosts *v;
	size_t n;

	if (q_slice_hosts_all(q->db, &in, q->a, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++) {
		const char *own = keep_listed(q, v[i].id, v[i].name);

		if (!own)
			own = keep_listed(q, v[i].tpu_id, v[i].name);
		if (!own && v[i].held_until.set && v[i].held_until.v > q->now)
			own = held_until(q, v[i].held_until.v);
		if (own) {
			*why = arena_printf(q->a, "of its host %s: %s", v[i].name, own);
			break;
		}
	}
	return E_OK;
}

/* Deleting a queued resource deletes its nodes, so an exemption of one node protects it, too. Searches until there is a
 * reason. */
static enum err_code by_node(const struct guard_ask *q, const char **why, struct err *e)
{
	const struct target *t = &q->action->t;
	struct q_queued_nodes_in in = {
		.project = t->project, .location = t->location, .name = t->name};
	struct q_queued_nodes *v;
	size_t n;

	if (q_queued_nodes_all(q->db, &in, q->a, &v, &n, e))
		return e->code;
	for (size_t i = 0; !*why && i < n; i++) {
		struct other o = {v[i].id, v[i].name, v[i].labels, v[i].held_until};

		if (exempt_other(q, &o, "its node", why, e) ||
			(!*why && by_host(q, v[i].id, NULL, why, e)))
			return e->code;
	}
	return E_OK;
}

/* A node pool is scaled to 0 in all of its zones. Searches until there is a reason. */
static enum err_code by_zone(const struct guard_ask *q, const char **why, struct err *e)
{
	const struct target *t = &q->action->t;
	struct q_pool_others_in in = {
		.project = t->project, .group = t->group, .id = t->id};
	struct q_pool_others *v;
	size_t n;

	if (q_pool_others_all(q->db, &in, q->a, &v, &n, e))
		return e->code;
	for (size_t i = 0; !*why && i < n; i++) {
		struct other o = {v[i].id, v[i].name, v[i].labels, v[i].held_until};

		if (exempt_other(q, &o, "its node pool,", why, e))
			return e->code;
	}
	return E_OK;
}

enum err_code guard_exempt(const struct guard_ask *q, const char **why, struct err *e)
{
	const struct target *t = &q->action->t;

	if (by_hold(q, why, e))
		return e->code;
	if (!*why && q->subject)
		*why = keep_read(q->subject->labels, q->s->tz, q->now, q->a).why;
	if (!*why && q->live && q->live->found)
		*why = keep_read(q->live->labels, q->s->tz, q->now, q->a).why;
	if (!*why)
		*why = keep_listed(q, t->id, t->name);
	if (str_eq(t->kind, "queued") && by_node(q, why, e))
		return e->code;
	if (target_is_pool(t) && by_zone(q, why, e))
		return e->code;
	if (!*why && str_eq(t->kind, "tpu") && by_host(q, t->id, t->group, why, e))
		return e->code;
	if (!*why && judge_condition(q, t->id, why, e))
		return e->code;
	/* As of the last cycle: an exemption that it found is valid until the next one. */
	if (!*why && q->subject && q->subject->exempt)
		*why = "it was exempt at the last poll";
	return E_OK;
}
