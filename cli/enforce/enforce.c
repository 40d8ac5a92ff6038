/* Command `enforce`: what would be stopped, why, what that saves, and what blocks it. Changes
 * nothing. Also functions shared by the commands that record a decision of the user. */
#include "base/time/civil.h"
#include "base/str.h"
#include "base/time/tz.h"
#include "cli/config/config.h"
#include "cli/enforce/enforce.h"
#include "cli/query.h"
#include "cli/session.h"
#include "db/db.h"
#include "db_sql.h"
#include "rules/vocab/named.h"

#include <string.h>

#define ENDED_DAYS 7
#define MAX_COMMENT 1000

/* ---- rows -------------------------------------------------------------------------------------- */

static const struct column plan_columns[] = {
	{"id", COL_INT, "number of the action; NULL: the next run creates it"},
	{"resource", COL_TEXT, "id of the machine"},
	{"action", COL_TEXT, "stop delete"},
	{"rule", COL_TEXT, "name of the rule"},
	{"due", COL_TIME, "earliest time of the action"},
	{"delete_due", COL_TIME,
		"earliest time of the second step of its rule; NULL: none, or blocked"},
	{"saves_per_hour", COL_MONEY, "net cost that ends; NULL if unknown"},
	{"residual_per_hour", COL_MONEY, "cost of disks and addresses that continues"},
	{"currency", COL_TEXT, "currency of the two amounts"},
	{"blocked_by", COL_TEXT,
		"guards that block it, or 'warning': no channel accepts the warning; "
		"NULL: none"},
	{"reason", COL_TEXT, "reason of the first guard, else of the action"},
	{"reasons", COL_TEXT, "reasons of all guards"},
	{"state", COL_TEXT, "as in the view actions"},
	{"stage", COL_TEXT, "the state, also while the action is held"},
	{"mode", COL_TEXT, "dry-run armed"},
	{"todo", COL_FLAG,
		"1: it is done when it is due, or would be if enforcement were armed"},
	{"holds", COL_FLAG, "1: the condition of the rule holds now"},
	{"kind", COL_TEXT, "vm tpu queued"},
	{"type", COL_TEXT, "type of the machine"},
	{"project", COL_TEXT, "project id"},
	{"location", COL_TEXT, "its zone"},
	{"name", COL_TEXT, "short name"},
	{"began", COL_TIME, "when the rule first held"},
	{"warned", COL_TIME, "when a channel accepted the warning"},
	{"ended", COL_TIME, "when it ended"},
};
#define N_PLAN ARRAY_LEN(plan_columns)

const struct view view_enforce = {.name = "enforce",
	.doc = "planned actions, and what blocks them",
	.columns = plan_columns,
	.n = N_PLAN};

/* Texts in the database are empty where there is no value. */
static struct doc_cell given_cell(const char *s)
{
	return cell_text(s && *s ? s : NULL);
}

/* "mode,armed", or the sentences of these guards. */
static const char *plan_joined(struct app *app, const struct plan_item *i, bool reasons)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	for (size_t k = 0; k < i->n_no; k++)
		sbuf_addf(&b, "%s%s",
			!k                ? ""
				: reasons ? "; "
					  : ",",
			reasons ? i->no[k].reason : i->no[k].name);
	return arena_strdup(&app->arena, b.s);
}

static void plan_add_row(struct app *app, struct doc_section *t, const struct plan_item *i)
{
	const struct action *x = &i->action;
	const char *state = action_state_name(x->state);
	bool held = *x->held && !action_over(x->state);
	const struct doc_cell none = {0},
			      cells[] = {
				      x->number ? cell_int(x->number) : none,
				      given_cell(x->t.id),
				      given_cell(verb_name(x->verb)),
				      given_cell(x->rule),
				      cell_time(i->due),
				      cell_time(i->later),
				      cell_amount(x->saves),
				      cell_amount(x->residual),
				      given_cell(x->currency),
				      given_cell(plan_joined(app, i, false)),
				      given_cell(i->n_no ? i->no[0].reason : x->reason),
				      given_cell(plan_joined(app, i, true)),
				      given_cell(held ? "held" : state),
				      given_cell(state),
				      given_cell(x->armed ? "armed" : "dry-run"),
				      cell_int(i->todo),
				      cell_int(i->holds),
				      given_cell(x->t.kind),
				      given_cell(i->type),
				      given_cell(x->t.project),
				      given_cell(x->t.location),
				      given_cell(x->t.name),
				      x->number ? cell_time(x->began) : none,
				      cell_time(x->warned),
				      cell_time(x->ended),
			      };

	_Static_assert(ARRAY_LEN(cells) == N_PLAN, "a cell for each column");
	memcpy(doc_row(t)->cells, cells, sizeof(cells));
}

/* Query over the plan as rows, for the options of listings. */
static struct query query_of(struct app *app, const struct plan *p)
{
	struct doc_section *t = doc_table_like(&app->arena, &view_enforce);

	for (size_t i = 0; i < p->n; i++)
		plan_add_row(app, t, &p->items[i]);
	return (struct query){.shown = &view_enforce,
		.rows = t,
		.columns = "name,action,rule,state,due,saves_per_hour,currency,blocked_by,"
			   "reason",
		.order = QUERY_ROW_NUMBER,
		.basis = BASIS_INVENTORY,
		.empty = "No actions: no rule with an action matches.",
		.no_totals = true}; /* if two rules match one machine, only one counts */
}

enum err_code enforce_resource(struct app *app, const char *name, bool held,
	const char **id, const char **host, struct err *e)
{
	struct q_hold_candidates_in in = {.held = held, .name = name};
	struct named found = NAMED_INIT;
	struct q_hold_candidates row;
	struct db_rows rows;
	struct {
		const char **v;
		size_t n, cap;
	} ids = {0}, slices = {0};

	if (q_hold_candidates_open(app->db, &in, &rows, e))
		return e->code;
	while (q_hold_candidates_next(&rows, &row)) {
		*arena_push(&app->arena, &ids) = arena_strdup(&app->arena, row.id);
		*arena_push(&app->arena,
			&slices) = row.slice ? arena_strdup(&app->arena, row.slice) : NULL;
	}
	if (db_rows_close(&rows, e))
		return e->code;
	for (size_t i = 0; i < ids.n; i++)
		named_add(&found, &app->arena, ids.v[i], name);
	if (held && !found.n)
		return E_NOTFOUND;
	if (named_only(&found, ids.v, ids.n, name, "machine or TPU", id, e))
		return e->code;
	if (host)
		*host = NULL;
	for (size_t i = 0; i < ids.n; i++) {
		if (ids.v[i] != *id || !slices.v[i])
			continue;
		if (host)
			*host = ids.v[i];
		*id = slices.v[i];
		break;
	}
	return E_OK;
}

/* Keeps only the items of the resource that is the argument. */
static enum err_code keep_named(struct app *app, struct plan *p, struct err *e)
{
	const char *name = app->n_args ? app->args[0] : NULL, *near, *id;
	size_t n = 0;

	if (!name)
		return E_OK;
	if (enforce_resource(app, name, false, &id, NULL, e)) {
		near = near_below(&app->arena, app->cmd, name);
		if (near)
			near_fix(e, near, "");
		e->code = e->code == E_NOTFOUND ? E_USAGE : e->code;
		return err_wrap(e, "enforce");
	}
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->items[i].action.t.id, id))
			p->items[n++] = p->items[i];
	p->n = n;
	return E_OK;
}

/* Keeps only the items selected by the argument, --project and --where. */
static enum err_code keep_matching(struct app *app, struct plan *p, struct err *e)
{
	struct opts given = app->o;
	struct plan_item *items;
	struct query q;
	size_t *which, n;

	if (keep_named(app, p, e) || (!given.project && !given.where))
		return e->code;
	q = query_of(app, p);
	app->o.limit = -1;
	app->o.sort_by = NULL;
	if (query_pick(app, &q, &which, &n, e))
		return e->code;
	app->o = given;
	items = arena_alloc(&app->arena, (n + 1) * sizeof(*items));
	for (size_t i = 0; i < n; i++)
		items[i] = p->items[which[i]];
	p->items = items;
	p->n = n;
	return E_OK;
}

int enforce_show(struct app *app, struct err *e)
{
	const struct plan_ask ask = {.settings = &app->cfg->settings,
		.now = app->now,
		.ended_since = app->o.all ? app->now - ENDED_DAYS * DAY_SECONDS : TS_NONE,
		.no_channel = !app->cfg->n_channels};
	struct plan plan;
	struct query q;
	int rc;

	if (plan_make(app->db, &ask, &app->arena, &plan, e) || keep_matching(app, &plan, e))
		return cmd_fail(e);
	for (size_t i = 0; i < plan.n_errors; i++)
		say("tpucost: rule %s", plan.errors[i]);
	q = query_of(app, &plan);
	if (app->format != OUT_TABLE || app->o.columns || app->o.sort_by)
		rc = query_run(app, &q, e);
	else
		rc = query_note(app, &q, e) ? cmd_fail(e) : enforce_list(app, &plan, e);
	for (size_t i = 0; !rc && i < plan.n; i++)
		if (app->o.exit_code && plan.items[i].todo)
			return EXIT_NO;
	return !rc && plan.n_errors ? EXIT_PARTIAL : rc;
}

int cmd_enforce(struct app *app, struct err *e)
{
	if (app->o.apply && app->o.dry_run)
		return cmd_refuse(e, "", "enforce: --apply cannot be used with --dry-run");
	if (app->o.apply && app->n_args)
		return cmd_refuse(e, "",
			"enforce: --apply does everything that is due, and takes no name");
	if (app->o.apply)
		return enforce_applier(app, e);
	if (session_open(app, e))
		return cmd_fail(e);
	return enforce_show(app, e);
}

/* ---- decisions of the user --------------------------------------------------------------------- */

enum err_code person_comment(struct app *app, struct err *e)
{
	const char *s = app->o.comment;

	if (s && strlen(s) > MAX_COMMENT)
		return err_set(e, E_USAGE, "--comment: longer than %d bytes", MAX_COMMENT);
	if (s && !utf8_valid(s, strlen(s)))
		return err_set(e, E_USAGE, "--comment: it is not UTF-8");
	return E_OK;
}

const char *person_time(struct app *app, ts_t t)
{
	struct civil c = civil_from_ts(t + tz_offset(app->cfg->tz, t));

	return arena_printf(&app->arena, "%04d-%02d-%02d %02d:%02d %s", c.year, c.month,
		c.day, c.hour, c.minute, app->cfg->timezone);
}
