/* Advised stops and holds: advised_stop. */
#include "base/str.h"
#include "db_sql.h"
#include "rules/derive/internal.h"
#include "rules/grant/tpu.h"

#define FORGOTTEN_MINUTES 60

/* Collect the running TPUs: there may be many machines, and each is compared with them. */
static void advised_find_running(struct deriving *d)
{
	for (size_t i = 0; i < d->n_facts; i++) {
		const struct fact *f = &d->facts[i];

		if (str_eq(f->kind, "tpu") && str_eq(f->state, "running") && f->zone)
			*arena_push(&d->arena, &d->tpus) = f;
	}
}

/* For idle machines: the user of a TPU next to the machine may still need it. */
static bool tpu_beside(const struct deriving *d, const struct fact *vm)
{
	for (size_t i = 0; i < d->tpus.n; i++)
		if (str_eq(d->tpus.v[i]->zone, vm->zone) &&
			str_eq(d->tpus.v[i]->project, vm->project))
			return true;
	return false;
}

/* Resources that must not be touched are never advised. */
static bool is_advised(const struct deriving *d, const struct fact *f)
{
	if (!str_eq(f->state, "running") || f->keep->exempt || f->held)
		return false;
	if (tpu_family_unknown(f->type, f->kind))
		return false;
	if (str_eq(f->kind, "tpu"))
		return f->verdict && !f->verdict->covered && !fact_unclear(f);
	return str_eq(f->kind, "vm") && f->activity->is == ACTIVITY_IDLE &&
		(d->o->now - f->activity->idle_since) / 60 >= FORGOTTEN_MINUTES &&
		!tpu_beside(d, f);
}

enum err_code derive_held(struct deriving *d, struct err *e)
{
	struct q_held_list_in in = {.now = d->o->now};
	struct q_held_list *held;
	size_t n;

	if (q_held_list_all(d->db, &in, &d->arena, &held, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++) {
		struct fact *f = fact_find(d, held[i].id);

		if (f)
			f->held = true;
	}
	return E_OK;
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
