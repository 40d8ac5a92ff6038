/* Locations of TPU, machine, disk and bucket: traffic between regions is charged. */
#include "base/sbuf.h"
#include "base/str.h"
#include "rules/estimate/internal.h"

#include <string.h>

#define NAMES_MAX 3

static void place_add(struct estimating *x, const char *text)
{
	struct estimate *out = x->out;

	for (size_t i = 0; i < out->n_places; i++)
		if (!strcmp(out->places[i], text))
			return;
	*arena_append(x->a, out->places, out->n_places, x->cap_places) = text;
}

const struct estimate_thing *estimate_owner(
	const struct estimating *x, const struct estimate_thing *t)
{
	const struct estimate_thing *found = NULL;

	for (size_t i = 0; i < x->out->n_things; i++) {
		const struct estimate_thing *v = &x->out->things[i];

		if (v->wish->beside == t->wish->beside || !t->wish->beside ||
			(!str_eq(v->wish->name, t->wish->beside) &&
				!str_eq(v->r.kind, t->wish->beside)))
			continue;
		if (str_eq(v->r.zone, t->r.zone))
			return v;
		found = found ? found : v;
	}
	return found;
}

static void two_machines(struct estimating *x, const struct estimate_thing *tpu,
	const struct estimate_thing *vm)
{
	if (str_eq(tpu->r.zone, vm->r.zone))
		return;
	place_add(x,
		arena_printf(x->a,
			"the machine is in %s and the TPU in %s: traffic between %s is "
			"charged per GiB",
			vm->r.location, tpu->r.location,
			str_eq(tpu->r.region, vm->r.region) ? "zones" : "regions"));
}

static void disk_and_machine(struct estimating *x, const struct estimate_thing *disk)
{
	const struct estimate_thing *machine = estimate_owner(x, disk);

	if (!machine || str_eq(disk->r.zone, machine->r.zone) ||
		(!disk->r.zone && str_eq(disk->r.region, machine->r.region)))
		return;
	place_add(x,
		arena_printf(x->a,
			"a disk can only be used in its own zone: %s is in %s and the %s "
			"in %s",
			disk->r.type ? disk->r.type : "this one", disk->r.location,
			str_eq(machine->r.kind, "tpu") ? "TPU" : "machine",
			machine->r.location));
}

/* ---- buckets ----------------------------------------------------------------------------------- */

struct buckets {
	struct sbuf far;
	size_t n_far, n_near;
};

static void look_at_bucket(
	struct buckets *b, const char *region, const char *name, const char *location)
{
	if (price_same_place(location, region)) {
		b->n_near++;
		return;
	}
	if (b->n_far++ < NAMES_MAX)
		sbuf_addf(&b->far, "%s%s (%s)", b->n_far > 1 ? ", " : "", name, location);
}

static void place_buckets_of(struct estimating *x, const struct estimate_thing *t)
{
	struct buckets b = {.far = SBUF_INIT};

	for (size_t i = 0; i < x->world.n_facts; i++) {
		const struct fact *f = &x->world.facts[i];

		if (str_eq(f->kind, "bucket") && str_eq(f->project, t->r.project))
			look_at_bucket(&b, t->r.region, f->name, f->location);
	}
	if (b.n_far > NAMES_MAX)
		sbuf_addf(&b.far, " and %zu more", b.n_far - NAMES_MAX);
	if (b.n_far)
		place_add(x,
			arena_printf(x->a,
				"buckets elsewhere than %s: %s: reading from them is "
				"charged per GiB",
				t->r.region, b.far.s));
	else if (b.n_near)
		place_add(x,
			arena_printf(x->a,
				"the project also has buckets in %s: reading them is free",
				t->r.region));
	sbuf_done(&b.far);
}

void estimate_places(struct estimating *x)
{
	const struct estimate *out = x->out;

	for (size_t i = 0; i < out->n_things; i++) {
		const struct estimate_thing *t = &out->things[i];

		for (size_t k = 0; k < out->n_things; k++)
			if (str_eq(t->r.kind, "tpu") && str_eq(out->things[k].r.kind, "vm"))
				two_machines(x, t, &out->things[k]);
		if (str_eq(t->r.kind, "disk"))
			disk_and_machine(x, t);
		if (str_eq(t->r.kind, "tpu") || (str_eq(t->r.kind, "vm") && !out->tpus))
			place_buckets_of(x, t);
	}
}
