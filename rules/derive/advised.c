/* Advised stops and holds: advised_stop. */
#include "base/str.h"
#include "db_sql.h"
#include "rules/derive/internal.h"
#include "rules/grant/tpu.h"

#include <string.h>

#define FORGOTTEN_MINUTES 60

/* Collect the running TPUs: there may be many machines, and each is compared with them. */
static void advised_find_running(struct deriving *d)
{
	size_t cap = 0;

	for (size_t i = 0; i < d->n_facts; i++) {
		const struct fact *f = &d->facts[i];

		if (!str_eq(f->kind, "tpu") || !str_eq(f->state, "running") || !f->zone)
			continue;
		d->tpus = arena_grow(&d->arena, d->tpus, d->n_tpus, &cap, sizeof(*d->tpus));
		d->tpus[d->n_tpus++] = f;
	}
}

/* For idle machines: the user of a TPU next to the machine may still need it. */
static bool tpu_beside(const struct deriving *d, const struct fact *vm)
{
	for (size_t i = 0; i < d->n_tpus; i++)
		if (str_eq(d->tpus[i]->zone, vm->zone) &&
			str_eq(d->tpus[i]->project, vm->project))
			return true;
	return false;
}

/* Resources that must not be touched are never advised. */
static bool is_advised(const struct deriving *d, const struct fact *f)
{
	if (!str_eq(f->state, "running") || f->keep.exempt || f->held)
		return false;
	if (tpu_family_unknown(f->type, str_eq(f->kind, "tpu")))
		return false;
	if (str_eq(f->kind, "tpu"))
		return f->verdict.applies && !f->verdict.covered;
	return str_eq(f->kind, "vm") && f->activity.is == ACTIVITY_IDLE &&
		(d->o->now - f->activity.idle_since) / 60 >= FORGOTTEN_MINUTES &&
		!tpu_beside(d, f);
}

enum err_code derive_held(struct deriving *d, struct err *e)
{
	struct q_held_list_in in = {.now = d->o->now};
	struct q_held_list q;
	struct db_rows rows;

	if (q_held_list_open(d->db, &in, &rows, e))
		return e->code;
	while (q_held_list_next(&rows, &q)) {
		struct fact *f = fact_find(d, q.id);

		if (f)
			f->held = true;
	}
	return db_rows_close(&rows, e);
}

enum err_code derive_advised(struct deriving *d, struct err *e)
{
	(void)e;
	advised_find_running(d);
	for (size_t i = 0; i < d->n_facts; i++)
		d->facts[i].advised = is_advised(d, &d->facts[i]);
	return E_OK;
}

enum err_code derive_advised_rows(struct deriving *d, struct err *e)
{
	if (!d->o->settings->n_budgets)
		return E_OK; /* no query reads it */
	for (size_t i = 0; i < d->n_facts; i++) {
		struct row_advised_stop in = {.id = d->facts[i].id};

		if (d->facts[i].advised && derived_put_advised_stop(d->db, &in, e))
			return e->code;
	}
	return E_OK;
}
