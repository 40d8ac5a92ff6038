/* Sizes of the machine types in use. Each is requested once, and again after a month, because sizes
 * do not change. */
#include "base/time/civil.h"
#include "collector/source/source.h"
#include "db_sql.h"
#include "gcp/compute/compute.h"

#include <string.h>

#define FRESH_SECONDS (30 * (int64_t)DAY_SECONDS)
#define AT_ONCE 200 /* the others follow in the next poll */

struct wanted {
	const char *zone;
	struct gce_machine_type type;
};

struct wanted_list {
	struct wanted **v;
	size_t n, cap;
};

static enum err_code list_wanted(struct poll *p, struct wanted_list *l, struct err *e)
{
	struct q_machine_types_missing_in in = {
		.project = p->project, .since = p->now - FRESH_SECONDS};
	struct q_machine_types_missing row;
	struct db_rows rows;

	if (q_machine_types_missing_open(p->db, &in, &rows, e))
		return e->code;
	while (l->n < AT_ONCE && q_machine_types_missing_next(&rows, &row)) {
		struct wanted *w = arena_new(p->arena, struct wanted);

		w->zone = arena_strdup(p->arena, row.zone);
		w->type.name = arena_strdup(p->arena, row.type);
		*arena_push(p->arena, l) = w;
	}
	return db_rows_close(&rows, e);
}

static enum err_code machine_type_ask(struct poll *p, struct err *e)
{
	struct wanted_list *l = arena_new(p->arena, struct wanted_list);

	p->state = l;
	if (list_wanted(p, l, e))
		return e->code;
	for (size_t i = 0; i < l->n; i++) {
		struct gce_machine_type *t = &l->v[i]->type;

		poll_await(p, &t->r);
		if (poll_started(p,
			    gce_machine_type_start(p->gcp, p->project, l->v[i]->zone,
				    t->name, p->arena, t, e)))
			return e->code;
	}
	return E_OK;
}

static enum err_code put_type(struct poll *p, const struct wanted *w, struct err *e)
{
	const struct gce_machine_type *t = &w->type;
	struct q_machine_type_put_in in = {.name = t->name,
		.zone = w->zone,
		.vcpus = t->vcpus,
		.memory_mib = t->memory_mib,
		.shared_cpu = t->shared_cpu,
		.seen = p->now};

	if (*t->gpu_type) {
		in.gpu_type = t->gpu_type;
		in.gpu_count = SOME(t->gpu_count);
	}
	p->items++;
	return q_machine_type_put(p->db, &in, e);
}

static enum err_code machine_type_take(struct poll *p, struct err *e)
{
	const struct wanted_list *l = p->state;
	cleanup(db_tx_end) struct db_tx tx = {0};
	const struct gcp_result *bad = NULL;

	if (db_begin(p->db, &tx, e))
		return e->code;
	for (size_t i = 0; i < l->n; i++) {
		const struct gcp_result *r = &l->v[i]->type.r;

		/* A withdrawn type does not affect the others. */
		if (r->code && r->code != E_NOTFOUND)
			bad = r;
		else if (!r->code && put_type(p, l->v[i], e))
			return e->code;
	}
	if (db_commit(&tx, e))
		return e->code;
	return bad ? poll_result(p, bad, e) : E_OK;
}

const struct source source_machine_type = {
	.name = "machine-type",
	.group = "prices",
	.doc = "sizes of the machine types in use",
	.optional = true,
	.after = {&source_vm},
	.ask = machine_type_ask,
	.take = machine_type_take,
};
