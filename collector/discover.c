/* Discovery of projects. */
#include "base/str.h"
#include "collector/source/source.h"
#include "db_sql.h"
#include "gcp/bill/billing.h"
#include "gcp/compute/compute.h"

#include <string.h>

struct found {
	const char *project, *number;
};

struct found_list {
	struct found *v;
	size_t n, cap;
	size_t seen;          /* number before the patterns were applied */
	const char **deleted; /* projects that Google is deleting */
	size_t n_deleted, cap_deleted;
};

static void discover_add(struct arena *a, const struct discovery *d, struct found_list *l,
	const char *project, const char *number)
{
	l->seen++;
	if (!discovery_wants(d, project))
		return;
	*arena_push(a, l) = (struct found){.project = project, .number = number};
}

static enum err_code ask_account(struct gcp *g, const struct discovery *d, struct arena *a,
	struct found_list *l, struct err *e)
{
	struct billing_projects list;

	if (billing_account_projects(g, d->billing_account, a, &list, e))
		return e->code;
	for (size_t i = 0; i < list.n; i++)
		if (list.v[i].enabled)
			discover_add(a, d, l, list.v[i].project_id, "");
	return E_OK;
}

static enum err_code ask_scope(struct gcp *g, const struct discovery *d, struct arena *a,
	struct found_list *l, struct err *e)
{
	struct asset_projects list;

	if (asset_projects(g, d->scope, a, &list, e))
		return e->code;
	for (size_t i = 0; i < list.n; i++)
		if (list.v[i].active)
			discover_add(a, d, l, list.v[i].project_id, list.v[i].number);
		else if (str_starts(list.v[i].state, "DELETE_"))
			*arena_append(a, l->deleted, l->n_deleted,
				l->cap_deleted) = list.v[i].project_id;
	return E_OK;
}

static const char *discover_origin_of(const struct discovery *d, struct arena *a)
{
	return d->scope ? d->scope
			: arena_printf(a, "billingAccounts/%s", d->billing_account);
}

static enum err_code discover_ask(struct gcp *g, const struct discovery *d, struct arena *a,
	struct found_list *l, struct err *e)
{
	const char *origin = discover_origin_of(d, a);

	if (d->scope ? ask_scope(g, d, a, l, e) : ask_account(g, d, a, l, e))
		return e->code;
	/* An empty list is more likely a missing permission than a removal of all projects. */
	if (!l->n && l->seen) {
		err_set(e, E_CONFIG,
			"%s: none of %zu projects matches only: and except:", origin,
			l->seen);
		return err_fix(
			e, "change the patterns of `projects:` in the configuration");
	}
	if (!l->n) {
		err_set(e, E_NOTFOUND, "%s: no projects found", origin);
		return err_fix(e,
			"check `projects:` in the configuration, and that the account may "
			"list projects");
	}
	return E_OK;
}

static enum err_code discover_store(
	struct poll *p, const char *origin, const struct found_list *l, struct err *e)
{
	struct q_project_gone_in gone = {.origin = origin, .seen = p->now};
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (db_begin(p->db, &tx, e))
		return e->code;
	for (size_t i = 0; i < l->n; i++) {
		struct q_project_put_in in = {.project = l->v[i].project,
			.number = l->v[i].number,
			.origin = origin,
			.seen = p->now};

		if (q_project_put(p->db, &in, e))
			return e->code;
	}
	/* others may be in the next response again: see collect_is_over() */
	for (size_t i = 0; i < l->n_deleted; i++) {
		struct q_project_drop_in drop = {.project = l->deleted[i]};
		struct q_project_sources_drop_in polls = {.project = l->deleted[i]};

		if (q_project_drop(p->db, &drop, e) ||
			q_project_sources_drop(p->db, &polls, e))
			return e->code;
	}
	if (q_project_gone(p->db, &gone, e))
		return e->code;
	return db_commit(&tx, e);
}

enum err_code discover(struct poll *p, struct err *e)
{
	const struct discovery *d = p->settings->discovery;
	struct found_list l = {0};

	if (discover_ask(p->gcp, d, p->arena, &l, e))
		return e->code;
	p->items = l.n;
	return discover_store(p, discover_origin_of(d, p->arena), &l, e);
}

enum err_code discoverable(struct gcp *g, const struct discovery *d, struct arena *a,
	const char *const **projects, size_t *n, struct err *e)
{
	struct found_list l = {0};
	const char **list;

	if (discover_ask(g, d, a, &l, e))
		return e->code;
	list = arena_alloc(a, l.n * sizeof(*list));
	for (size_t i = 0; i < l.n; i++)
		list[i] = l.v[i].project;
	*projects = list;
	*n = l.n;
	return E_OK;
}

enum err_code discovered(struct db *db, const struct discovery *d, struct arena *a,
	const char *const **projects, size_t *n, struct err *e)
{
	struct q_project_list_in in = {.origin = discover_origin_of(d, a)};
	struct q_project_list *rows;
	const char **list;
	size_t all;

	if (q_project_list_all(db, &in, a, &rows, &all, e))
		return e->code;
	list = arena_alloc(a, all * sizeof(*list));
	*n = 0;
	for (size_t i = 0; i < all; i++)
		if (discovery_wants(d, rows[i].project))
			list[(*n)++] = rows[i].project;
	*projects = list;
	return E_OK;
}
