/* Many projects like one: what a project of `project_count` has is copied from `project_template` for the request
 * that asks for it, so that ten thousand projects take no more memory than their names. */
#include "tests/sandbox/world_parts.h"

#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lists of a world whose items belong to a project. */
static const struct {
	size_t array, n, size, project, id; /* id: SIZE_MAX: they have none */
} lists[] = {
#define LIST(type, list, id)                                                    \
	{                                                                       \
		offsetof(struct world, list), offsetof(struct world, n_##list), \
			sizeof(struct type), offsetof(struct type, project), id \
	}
#define WITH_ID(type, list) LIST(type, list, offsetof(struct type, id))
	WITH_ID(instance, instances),
	WITH_ID(disk, disks),
	WITH_ID(address, addresses),
	WITH_ID(node, nodes),
	WITH_ID(snapshot, snapshots),
	WITH_ID(vm_group, groups),
	WITH_ID(reservation, reservations),
	LIST(queued, queued, SIZE_MAX),
	LIST(quota, quotas, SIZE_MAX),
	LIST(limit, limits, SIZE_MAX),
	LIST(metric, metrics, SIZE_MAX),
};

size_t fleet_number(const struct world *w, const char *project)
{
	const char *digits = str_starts(project, "lab-") ? project + 4
		: *project == '2'                        ? project + 1
							 : "";
	size_t n = strtoul(digits, NULL, 10);
	char id[40], number[40];

	if (n < 1 || n > (size_t)w->project_count)
		return 0;
	snprintf(id, sizeof(id), "lab-%03zu", n);
	snprintf(number, sizeof(number), "2%011zu", n);
	return !strcmp(project, id) || !strcmp(project, number) ? n : 0;
}

/* Of the path or, for buckets, of the parameter. */
static const char *asked_project(const struct request *q)
{
	const char *project = q->param(q, "project");

	for (size_t i = 0; !project && i + 1 < q->n_seg; i++)
		if (!strcmp(q->seg[i], "projects"))
			project = q->seg[i + 1];
	return project ? arena_strndup(q->a, project, strcspn(project, ":")) : "";
}

static void *copy_of(const struct world *w, size_t list, const char *project,
	const struct project *as, struct arena *a, size_t *n)
{
	size_t size = lists[list].size, all;
	const char *from;
	char *to;

	memcpy(&from, (const char *)w + lists[list].array, sizeof(from));
	memcpy(&all, (const char *)w + lists[list].n, sizeof(all));
	to = arena_alloc(a, all * size);
	*n = 0;
	for (size_t i = 0; i < all; i++) {
		const char *of, *id;
		char *item = to + *n * size;

		memcpy(&of, from + i * size + lists[list].project, sizeof(of));
		if (strcmp(of, project) != 0)
			continue;
		memcpy(item, from + i * size, size);
		memcpy(item + lists[list].project, &as->id, sizeof(as->id));
		if (lists[list].id != SIZE_MAX) {
			memcpy(&id, item + lists[list].id, sizeof(id));
			id = arena_printf(a, "%.13s%s", id, as->number + 6);
			memcpy(item + lists[list].id, &id, sizeof(id));
		}
		++*n;
	}
	return to;
}

/* The world with this project only, if it is one of those; otherwise the world of the request. */
struct world *fleet_world(const struct request *q)
{
	struct world *w = q->w, *view;
	size_t number = w->project_template ? fleet_number(w, asked_project(q)) : 0;
	bool active;

	if (!number)
		return w;
	active = !w->project_active || number <= (size_t)w->project_active;
	view = arena_new(q->a, struct world);
	*view = *w;
	view->projects =
		&w->projects[w->n_projects - (size_t)w->project_count + number - 1];
	view->n_projects = 1;
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		size_t n;
		void *copy = copy_of(
			w, i, active ? w->project_template : "", view->projects, q->a, &n);

		memcpy((char *)view + lists[i].array, &copy, sizeof(copy));
		memcpy((char *)view + lists[i].n, &n, sizeof(n));
	}
	return view;
}
