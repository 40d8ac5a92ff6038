/* Reservations and future reservations. Two requests in each poll of a project, as often as its machines:
 * only these lists contain a reservation that no machine uses, and an older number of used machines
 * would count machines twice that started since. */
#include "base/str.h"
#include "collector/inventory.h"
#include "db/db.h"
#include "gcp/compute/reservation.h"

#include <string.h>

struct reservation_lists {
	struct gce_reservations now;
	struct gce_futures future;
	struct q_commitment_known *known; /* before this poll */
	size_t n_known;
};

static enum err_code reservation_ask(struct poll *p, struct err *e)
{
	struct reservation_lists *l = p->state = arena_new(
		p->arena, struct reservation_lists);

	return poll_list(p, &gce_reservation_listing, NULL, &l->now.r, e)
		? e->code
		: poll_list(p, &gce_future_listing, NULL, &l->future.r, e);
}

static bool reservation_made_by(const struct gce_future *f, const struct gce_reservation *r)
{
	return !strcmp(f->zone, r->zone) && str_in(r->name, f->made, f->n_made);
}

static struct q_commitment_put_in reservation_row(struct poll *p, const char *kind,
	const char *zone, const char *name, const char *status,
	const struct gce_capacity *what)
{
	return (struct q_commitment_put_in){
		.id = arena_printf(p->arena, "%s/%s/%s/%s", p->project, kind, zone, name),
		.project = p->project,
		.kind = kind,
		.location = zone,
		.name = name,
		.state = gce_reservation_state(status),
		.raw_state = status,
		.type = *what->type ? what->type : NULL,
		.amount = what->count,
		.used = what->used,
		.gpu_type = *what->gpu_type ? what->gpu_type : NULL,
		.gpu_count = what->gpus ? SOME(what->gpus) : NONE,
		.local_ssd_gib = what->local_ssd_gib ? SOME(what->local_ssd_gib) : NONE,
		.now = p->now};
}

/* A gap of one list hides which future reservation created which reservation: what is known there stays one
 * commitment of its kind, and no other appears. */
static const struct q_commitment_known *reservation_known(
	const struct reservation_lists *l, const char *zone, const char *name, bool future)
{
	const struct q_commitment_known *found = NULL;

	for (size_t i = 0; i < l->n_known; i++) {
		const struct q_commitment_known *k = &l->known[i];
		bool calendar = !strcmp(k->kind, "calendar");

		if (!strcmp(k->location, zone) && !strcmp(k->name, name) &&
			(calendar || (!strcmp(k->kind, "future-reservation") == future)) &&
			(!found || calendar))
			found = k;
	}
	return found;
}

/* A reservation that a future reservation created replaces it: they are one commitment. Google does
 * not allow to delete one of calendar mode or of a commitment before its end; of others that were
 * created automatically this is not known. */
static enum err_code reservation_put(struct poll *p, const struct reservation_lists *l,
	const struct gce_reservation *r, struct err *e)
{
	const struct gce_future *by = NULL;
	const struct q_commitment_known *was = NULL;
	bool gap = inventory_has_gap(p, r->zone), calendar;
	struct q_commitment_put_in row;

	if (gap && !(was = reservation_known(l, r->zone, r->name, false)))
		return E_OK;
	for (size_t i = 0; !by && i < l->future.n; i++)
		if (reservation_made_by(&l->future.v[i], r))
			by = &l->future.v[i];
	calendar = gap ? !strcmp(was->kind, "calendar")
		       : by && str_eq(by->mode, "CALENDAR");
	row = reservation_row(p, calendar ? "calendar" : "reservation", r->zone, r->name,
		r->status, &r->what);
	p->items++;
	if (gap) {
		row.starts = was->starts;
		row.ends = r->ends != TS_NONE ? SOME(r->ends) : was->ends;
		row.fixed = was->fixed;
		return q_commitment_put(p->db, &row, e);
	}
	row.starts = opt_of_ts(calendar && by->starts != TS_NONE ? by->starts : r->created);
	row.ends = opt_of_ts(calendar && r->ends == TS_NONE ? by->ends : r->ends);
	row.fixed = calendar || r->committed ? SOME(1) : by ? NONE : SOME(0);
	return q_commitment_put(p->db, &row, e);
}

static bool reservation_is_made(
	const struct reservation_lists *l, const struct gce_future *f)
{
	for (size_t i = 0; i < l->now.n; i++)
		if (reservation_made_by(f, &l->now.v[i]))
			return true;
	return false;
}

static enum err_code reservation_put_future(struct poll *p,
	const struct reservation_lists *l, const struct gce_future *f, struct err *e)
{
	bool calendar = str_eq(f->mode, "CALENDAR");
	struct q_commitment_put_in row = reservation_row(p,
		calendar ? "calendar" : "future-reservation", f->zone, f->name, f->status,
		&f->what);

	if (reservation_is_made(l, f) ||
		(inventory_has_gap(p, f->zone) &&
			!reservation_known(l, f->zone, f->name, true)))
		return E_OK;
	p->items++;
	row.starts = opt_of_ts(f->starts);
	row.ends = opt_of_ts(f->ends);
	row.fixed = calendar ? SOME(1) : NONE;
	return q_commitment_put(p->db, &row, e);
}

/* Those that are no longer listed are removed, except where the list has a gap. */
static enum err_code reservation_forget(
	struct poll *p, struct reservation_lists *l, struct err *e)
{
	struct q_commitment_known_in in = {.project = p->project};

	if (q_commitment_known_all(p->db, &in, p->arena, &l->known, &l->n_known, e))
		return e->code;
	for (size_t i = 0; i < l->n_known; i++) {
		struct q_commitment_drop_in gone = {.id = l->known[i].id};

		if (!inventory_has_gap(p, l->known[i].location) &&
			q_commitment_drop(p->db, &gone, e))
			return e->code;
	}
	return E_OK;
}

static enum err_code reservation_take(struct poll *p, struct err *e)
{
	struct reservation_lists *l = p->state;
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (poll_result(p, &l->now.r, e) || poll_result(p, &l->future.r, e) ||
		db_begin(p->db, &tx, e) || reservation_forget(p, l, e))
		return e->code;
	for (size_t i = 0; i < l->now.n; i++)
		if (reservation_put(p, l, &l->now.v[i], e))
			return e->code;
	for (size_t i = 0; i < l->future.n; i++)
		if (reservation_put_future(p, l, &l->future.v[i], e))
			return e->code;
	return db_commit(&tx, e);
}

const struct source source_reservation = {
	.name = "reservation",
	.group = "instances",
	.doc = "reserved capacity",
	.index = INDEX_MACHINES,
	.newer = true,
	.ask = reservation_ask,
	.take = reservation_take,
};
