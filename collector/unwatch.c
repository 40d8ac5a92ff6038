#include "collector/unwatch.h"

#include "collector/source/source.h"
#include "db/db.h"
#include "db_sql.h"

static enum err_code drop_resources(struct unwatch *u, const char *project, struct err *e)
{
	struct q_intervals_end_in ends = {.project = project};
	struct q_project_resources_drop_in resources = {.project = project};
	struct q_project_quotas_drop_in quotas = {.project = project};
	struct q_project_metrics_drop_in metrics = {.project = project};

	u->changed = true;
	if (q_intervals_end(u->db, &ends, e) ||
		q_project_resources_drop(u->db, &resources, e) ||
		q_project_quotas_drop(u->db, &quotas, e))
		return e->code;
	return q_project_metrics_drop(u->db, &metrics, e);
}

static enum err_code drop_projects(struct unwatch *u, struct err *e)
{
	struct q_inventory_projects row;
	struct db_rows rows;
	enum err_code rc = E_OK;

	if (q_inventory_projects_open(u->db, &rows, e))
		return e->code;
	while (!rc && q_inventory_projects_next(&rows, &row))
		if ((row.last_seen < u->before || u->left_out(u->ctx, row.project)) &&
			!u->watches(u->ctx, row.project))
			rc = drop_resources(u, row.project, e);
	return db_rows_end(&rows, rc, e);
}

static enum err_code drop_source(
	struct unwatch *u, const char *source, const char *project, struct err *e)
{
	struct q_source_drop_in status = {.source = source, .project = project};
	struct q_gap_clear_in gaps = {.source = source, .project = project};

	if (q_gap_clear(u->db, &gaps, e))
		return e->code;
	return q_source_drop(u->db, &status, e);
}

static enum err_code drop_sources(struct unwatch *u, struct err *e)
{
	struct q_source_list row;
	struct db_rows rows;
	enum err_code rc = E_OK;

	if (q_source_list_open(u->db, &rows, e))
		return e->code;
	while (!rc && q_source_list_next(&rows, &row)) {
		const struct source *s = source_find(row.source);

		if ((row.last_attempt < u->before || u->left_out(u->ctx, row.project)) &&
			!(s && u->polls(u->ctx, s, row.project)))
			rc = drop_source(u, row.source, row.project, e);
	}
	return db_rows_end(&rows, rc, e);
}

enum err_code unwatch(struct unwatch *u, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (db_begin(u->db, &tx, e) || drop_projects(u, e) || drop_sources(u, e))
		return e->code;
	return db_commit(&tx, e);
}
