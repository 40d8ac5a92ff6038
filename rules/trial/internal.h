/* What the parts of a world share. Private to rules/trial/. */
#ifndef TPUCOST_RULES_TRIAL_INTERNAL_H
#define TPUCOST_RULES_TRIAL_INTERNAL_H

#include "rules/trial/world.h"

/* Put into the database what a poll sees of it now. */
enum err_code world_store_thing(
	struct world *w, struct world_item *item, ts_t now, struct err *e) must_check;
/* The export was looked at without trouble. */
enum err_code world_bill_looked(struct world *w, ts_t now, struct err *e) must_check;
/* Something is polled in this project. */
static inline void world_project(struct world *w, const char *project)
{
	if (!strmap_put(&w->known_projects, project, w->n_projects))
		return;
	w->projects = arena_grow(&w->arena, w->projects, w->n_projects, &w->cap_projects,
		sizeof(*w->projects));
	w->projects[w->n_projects++] = project;
}

#endif
