/* Prices of reserved capacity, and the charge of the part that no machine uses. */
#include "base/str.h"
#include "rules/derive/internal.h"
#include "rules/grant/tpu.h"

#include <string.h>

/* Calendar mode has a price of its own; a reservation costs as much as its machines do on demand
 * (Compute Engine: "Reservations of zonal resources", billing). */
static enum price_class commitment_class(const struct q_commitments *c)
{
	return str_eq(c->kind, "calendar") ? PRICE_RESERVED : PRICE_ON_DEMAND;
}

/* Price of `per` machines or chips, and the TPU family. */
static struct price commitment_price(struct deriving *d, const struct q_commitments *c,
	const char **family, int64_t *per)
{
	char region[REGION_BUF];
	struct vm_spec spec = {.machine_type = c->type,
		.region = region,
		.class = commitment_class(c),
		.gpu_type = c->gpu_type,
		.gpus = c->gpu_count.set ? c->gpu_count.v : 0,
		.local_ssd_gib = c->local_ssd_gib.set ? c->local_ssd_gib.v : 0};
	struct tpu_type t;

	*per = 1;
	if (!c->type || !zone_to_region(c->location, region))
		return price_unknown;
	if (tpu_type_parse(c->type, &t)) {
		*family = t.family;
		return price_tpu(&d->book, c->type, c->location, spec.class);
	}
	if (strchr(c->type, '-'))
		return price_vm(&d->book, &spec).total;
	if (!tpu_series_host(c->type, &t))
		return price_unknown;
	*family = t.family;
	*per = t.chips;
	return price_tpu(&d->book, t.name, c->location, spec.class);
}

static bool commitment_later(const struct deriving *d, const struct q_commitments *c)
{
	return str_eq(c->kind, "calendar") && c->starts.set && c->starts.v > d->o->now;
}

/* Absent: Google does not state it. */
static struct opt_i64 commitment_unused(
	const struct deriving *d, const struct q_commitments *c)
{
	if (commitment_later(d, c))
		return c->amount;
	if (!c->amount.set || !c->used.set)
		return NONE;
	return SOME(c->amount.v > c->used.v ? c->amount.v - c->used.v : 0);
}

static struct opt_i64 commitment_times(
	const struct price *p, struct opt_i64 count, int64_t per)
{
	int64_t nanos;

	return p->known && count.set && nanos_muldiv(p->nanos, count.v, per, &nanos)
		? SOME(nanos)
		: NONE;
}

/* Is it charged now, or certain to be charged? An unknown state counts as running. */
static bool commitment_counts(const struct deriving *d, const struct q_commitments *c)
{
	bool calendar = str_eq(c->kind, "calendar");

	if (str_eq(c->kind, "future-reservation") ||
		(c->ends.set && c->ends.v <= d->o->now))
		return false;
	return str_eq(c->state, "running") || str_eq(c->state, "unknown") ||
		(calendar && str_eq(c->state, "committed"));
}

static const struct commitment *commitment_find(
	const struct deriving *d, const struct q_reservation_users *u)
{
	for (size_t i = 0; i < d->n_commitments; i++) {
		const struct q_commitments *c = d->commitments[i].c;
		size_t n = strlen(c->location);

		if (commitment_counts(d, c) && !strcmp(c->project, u->project) &&
			!strncmp(u->reservation, c->location, n) &&
			u->reservation[n] == '/' &&
			!strcmp(u->reservation + n + 1, c->name))
			return &d->commitments[i];
	}
	return NULL;
}

static enum err_code commitment_find_users(struct deriving *d, struct err *e)
{
	struct q_reservation_users *v;
	size_t n;

	if (!d->n_commitments)
		return E_OK;
	if (q_reservation_users_all(d->db, &d->temp, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++) {
		struct fact *f = fact_find(d, v[i].id);

		if (f)
			f->reserved = commitment_find(d, &v[i]);
	}
	return E_OK;
}

enum err_code derive_commitments(struct deriving *d, struct err *e)
{
	struct q_commitments *v;

	if (q_commitments_all(d->db, &d->kept, &v, &d->n_commitments, e))
		return e->code;
	d->commitments = arena_alloc(
		&d->kept, (d->n_commitments + 1) * sizeof(*d->commitments));
	for (size_t i = 0; i < d->n_commitments; i++) {
		struct row_commitment_state row = {.id = v[i].id};
		int64_t per;
		struct price p = commitment_price(d, &v[i], &row.family, &per);

		row.gross = commitment_times(&p, v[i].amount, per);
		row.currency = row.gross.set ? arena_strdup(&d->kept, p.cur) : NULL;
		if (row.gross.set) /* not more than all of it, and in the same currency */
			row.unused = commitment_times(&p, commitment_unused(d, &v[i]), per);
		d->commitments[i] = (struct commitment){&v[i], row};
	}
	return commitment_find_users(d, e);
}

enum err_code derive_commitment_rows(struct deriving *d, struct err *e)
{
	for (size_t i = 0; i < d->n_commitments; i++)
		if (derived_put_commitment_state(d->db, &d->commitments[i].row, e))
			return e->code;
	return E_OK;
}

/* 16 machines, of which 8 are used, cost the price of 16. The 8 that use it are resources with a price,
 * so the charge is that of the 8 others. It lasts until the reservation ends, whatever is stopped. */
bool commitment_charge(
	struct deriving *d, const struct commitment *of, struct row_charge_part *out)
{
	const struct q_commitments *c = of->c;
	struct opt_i64 unused = commitment_unused(d, c);
	char region[REGION_BUF];

	if (!commitment_counts(d, c) || (unused.set && !unused.v) ||
		!zone_to_region(c->location, region))
		return false;
	*out = (struct row_charge_part){.id = c->id,
		.kind = "reservation",
		.project = c->project,
		.location = c->location,
		.region = arena_strdup(&d->arena, region),
		.zone = c->location,
		.name = c->name,
		.category = of->row.family ? "tpu" : "cpu",
		.gross = of->row.unused,
		.net = of->row.unused,
		.currency = of->row.currency,
		.begins = commitment_later(d, c) ? c->starts : NONE,
		.ends = c->ends};
	return true;
}
