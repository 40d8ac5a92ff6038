#include "rules/estimate/estimate.h"

#include "base/str.h"
#include "base/time/civil.h"
#include "db/db.h"
#include "rules/estimate/internal.h"
#include "rules/grant/tpu.h"
#include "rules/price/machine.h"

#include <inttypes.h>

/* ---- from wishes to resources ------------------------------------------------------------------ */

/* Newer TPUs are machines to Google: "instances create --machine-type=ct6e-standard-4t". */
static const char *wish_kind_of(const struct wish *w)
{
	return str_eq(w->kind, "vm") && w->type && tpu_host_chips(w->type) ? "tpu"
									   : w->kind;
}

/* Name of a type that is given only by its size. */
static const char *wish_type_of(struct estimating *x, const struct wish *w)
{
	struct tpu_type t;

	if (str_eq(w->kind, "tpu") && w->type && tpu_type_parse(w->type, &t))
		return arena_strdup(x->a, t.name);
	if (str_eq(w->kind, "vm") && !w->type && w->vcpus && w->memory_mib)
		return arena_printf(
			x->a, "custom-%" PRId64 "-%" PRId64, w->vcpus, w->memory_mib);
	if (str_eq(w->kind, "ip"))
		return w->type ? w->type : "external";
	return w->type;
}

static ts_t wish_start(const struct estimating *x, const struct wish *w)
{
	ts_t after = x->now + w->wait;

	return w->from > after ? w->from : after;
}

static int64_t wish_run(struct estimating *x, const struct wish *w)
{
	int64_t rest = w->run_until - wish_start(x, w);

	if (!w->run_until)
		return w->run_limit;
	if (rest <= 0)
		estimate_note(x, "it would end in the past: Google refuses the command");
	return rest > 0 ? rest : 0;
}

static void wish_describe(
	struct estimating *x, const struct wish *w, struct estimate_thing *t)
{
	const char *kind = wish_kind_of(w);
	/* Compute Engine reports whether a disk or an address is in use. */
	const char *state = str_eq(kind, "disk")   ? w->beside ? "attached" : "unattached"
		: str_eq(kind, "ip") && !w->beside ? "stopped"
						   : "running";
	char region[REGION_BUF];
	int64_t ssd = w->local_ssd_gib;

	if (!ssd && str_eq(w->kind, "vm"))
		ssd = machine_bundled_ssd_gib(w->type);
	*t = (struct estimate_thing){.wish = w,
		.r = {.source = str_eq(w->kind, "vm") ? "vm" : kind,
			.kind = kind,
			.project = w->project,
			.zone = w->zone,
			.region = w->region,
			.name = w->name,
			.type = wish_type_of(x, w),
			.size_gib = w->size_gib ? SOME(w->size_gib) : NONE,
			.gpu_type = w->gpu_type,
			.gpu_count = w->gpu_count ? SOME(w->gpu_count) : NONE,
			.local_ssd_gib = ssd ? SOME(ssd) : NONE,
			.state = state,
			.raw_state = state,
			.labels = "{}",
			.created = SOME(x->now),
			.now = x->now,
			.end_action = w->stops ? "stop" : "delete"},
		.count = w->count > 1 ? w->count : 1,
		.starts = wish_start(x, w),
		.grant = -1};
	if (w->zone && zone_to_region(w->zone, region))
		t->r.region = arena_strdup(x->a, region);
	if (str_eq(t->r.kind, "ip") || str_eq(t->r.kind, "bucket"))
		t->r.zone = NULL;
	t->r.location = t->r.zone ? t->r.zone : t->r.region;
	if (str_eq(t->r.kind, "tpu") || str_eq(t->r.kind, "vm"))
		t->r.provisioning = w->provisioning ? w->provisioning : "on-demand";
	t->run = wish_run(x, w);
	if (!t->r.name)
		t->r.name = arena_printf(x->a, "new-%s", t->r.kind);
}

/* Addresses, and disks that are deleted with their machine, end with it. Other disks remain, but the
 * run of their machine includes them. */
static void wish_end(struct estimating *x, struct estimate_thing *t)
{
	const struct estimate_thing *owner = estimate_owner(x, t);

	if (owner && (str_eq(t->r.kind, "ip") || str_eq(t->r.kind, "disk"))) {
		t->run = owner->run;
		t->remains = t->run && str_eq(t->r.kind, "disk") &&
			(owner->wish->stops || t->wish->stays);
	}
	if (t->run && !t->remains)
		t->r.ends = SOME((owner ? owner : t)->starts + t->run);
}

/* An unused id. */
static const char *free_id(
	struct estimating *x, const struct estimate_thing *t, int64_t i, const char **name)
{
	const char *base = t->count > 1
		? arena_printf(x->a, "%s-%" PRId64, t->r.name, i + 1)
		: t->r.name;
	const char *id;

	*name = base;
	for (int k = 2;; k++) {
		id = arena_printf(
			x->a, "%s/%s/%s/%s", t->r.project, t->r.kind, t->r.location, *name);
		if (!strmap_get(&x->taken, id) && !strmap_get(&x->ids, id))
			return id;
		if (k == 2 && t->wish->name && strmap_get(&x->taken, id))
			estimate_note(x,
				arena_printf(x->a,
					"there is already a %s %s in %s: the command would "
					"fail; estimated as one more",
					t->r.kind, *name, t->r.location));
		*name = arena_printf(x->a, "%s-%d", base, k);
	}
}

static enum err_code wish_put_one(
	struct estimating *x, const struct estimate_thing *t, int64_t i, struct err *e)
{
	struct q_resource_put_in in = t->r;

	in.id = free_id(x, t, i, &in.name);
	in.uid = arena_printf(x->a, "proposed-%zu", x->ids.n);
	if (t->wish->beside && !str_eq(in.kind, "vm")) {
		const struct estimate_thing *owner = estimate_owner(x, t);

		in.attached_to = owner ? owner->r.name : t->wish->beside;
	}
	strmap_put(&x->ids, in.id, (size_t)(t - x->out->things));
	return q_resource_put(x->db, &in, e);
}

static enum err_code put_things(struct estimating *x, struct err *e)
{
	static const char *const tables[] = {"resource"};
	struct q_complete_resources_in all = {.most = INT64_MAX};
	struct q_complete_resources *v;
	size_t n;

	if (q_complete_resources_all(x->db, &all, x->a, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++)
		strmap_put(&x->taken, v[i].id, 0);
	if (db_shadow(x->db, tables, 1, false, e) ||
		db_shadow_copy(x->db, "resource", NULL, 0, 0, e))
		return e->code;
	for (size_t i = 0; i < x->out->n_things; i++)
		for (int64_t k = 0; k < x->out->things[i].count; k++)
			if (wish_put_one(x, &x->out->things[i], k, e))
				return e->code;
	return E_OK;
}

static enum err_code take_wishes(struct estimating *x, struct err *e)
{
	struct estimate *out = x->out;
	int64_t all = 0;

	out->n_things = x->p->n;
	out->things = arena_alloc(x->a, (out->n_things + 1) * sizeof(*out->things));
	for (size_t i = 0; i < out->n_things; i++) {
		wish_describe(x, &x->p->v[i], &out->things[i]);
		all += out->things[i].count;
		out->tpus = out->tpus || str_eq(out->things[i].r.kind, "tpu");
	}
	for (size_t i = 0; i < out->n_things; i++)
		wish_end(x, &out->things[i]);
	if (all > ESTIMATE_MAX_THINGS) {
		err_set(e, E_LIMIT, "%" PRId64 " resources at once are more than %d", all,
			ESTIMATE_MAX_THINGS);
		return err_fix(e, "ask for fewer");
	}
	return E_OK;
}

/* ---- prices ------------------------------------------------------------------------------------ */

/* Of one, or of several for that many seconds in total. */
static struct opt_i64 cost_for(const struct estimate_thing *t, int64_t n, int64_t seconds)
{
	int64_t all, sum;

	if (!n || !seconds)
		return SOME(0); /* free, regardless of its price */
	if (!t->each.known || __builtin_mul_overflow(n, seconds, &all))
		return NONE;
	if (seconds != HOUR_SECONDS && price_exact_for(&t->exact, all, &sum))
		return SOME(sum);
	return nanos_muldiv(t->each.nanos, all, HOUR_SECONDS, &sum) ? SOME(sum) : NONE;
}

struct opt_i64 estimate_cost(const struct estimate_thing *t, bool net, int64_t seconds)
{
	if (net && t->unknown)
		return NONE;
	return cost_for(t, net ? t->count - t->covered : t->count, seconds);
}

struct opt_i64 estimate_run_cost(const struct estimate_thing *t, bool net)
{
	if (!t->run || (net && t->unknown))
		return NONE;
	return net ? cost_for(t, 1, t->run_paid) : cost_for(t, t->count, t->run);
}

static void wish_keep_term(void *ctx, const struct price_term *t)
{
	price_exact_add(ctx, t);
}

/* An address in use by a machine is not part of the burn, but it is charged. A region is the
 * location of a machine created in a zone that Google chooses: its disks are not regional. */
static struct price price_each(
	struct estimating *x, const struct estimate_thing *t, struct fact *f)
{
	const struct price_book *book = &x->world.book;
	bool beside = t->wish->beside != NULL;

	if (str_eq(t->r.kind, "ip") && beside && str_eq(t->r.type, "external"))
		return price_ip(
			book, t->r.region, IP_ON_VM, price_class_of(t->wish->provisioning));
	if (str_eq(t->r.kind, "disk") && beside && !t->r.zone && !t->wish->regional &&
		f->price.known)
		return price_disk(
			book, t->r.type, t->r.region, t->wish->size_gib, false, false);
	fact_price(&x->world, f, arena_alloc(x->a, PARTS_MAX * sizeof(*f->parts)));
	return f->price;
}

/* The parts of a machine without a known price: the sum of the others would be wrong. */
static void price_say_unknown(
	struct estimating *x, const struct estimate_thing *t, unsigned unpriced)
{
	static const char *const parts[] = {"vCPUs and memory", "GPUs", "local SSDs"};
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (unpriced & 1u << i)
			sbuf_addf(&b, "%s%s", b.len ? ", " : "", parts[i]);
	if (b.len && t->r.type)
		estimate_note(x,
			arena_printf(x->a, "%.60s in %s: unknown price of %s", t->r.type,
				t->r.region ? t->r.region : "an unknown region", b.s));
}

/* Price of the first resource, which the fact belongs to: for an hour like the burn, for longer by
 * the terms of its price, so that nothing is rounded before the multiplication. */
static void price_thing(
	struct estimating *x, struct estimate_thing *t, const struct fact *f)
{
	struct price_trace trace = {.term = wish_keep_term, .ctx = &t->exact};
	struct fact again = *f;
	int64_t nanos;

	t->exact = (struct price_exact){0};
	x->world.book.trace = &trace;
	t->each = price_each(x, t, &again);
	x->world.book.trace = NULL;
	t->each.as_of = arena_strdup(x->a, t->each.as_of);
	/* incomplete terms would give another price */
	if (!price_exact_for(&t->exact, HOUR_SECONDS, &nanos) || nanos != t->each.nanos ||
		!str_eq(t->exact.cur, t->each.cur))
		t->exact = (struct price_exact){.lost = true};
	t->gross = estimate_cost(t, false, HOUR_SECONDS);
	if (!t->each.known)
		price_say_unknown(x, t, again.unpriced);
	if (!t->each.known && price_class_of(t->r.provisioning) == PRICE_RESERVED)
		estimate_note(x,
			"a reservation has its own price; set it under prices: with "
			"provisioning: reserved");
}

/* The known disk type with the nearest name, or NULL. */
static const char *disk_type_nearest(const char *type, struct arena *a)
{
	static const char *const unpriced[] = {"hyperdisk-balanced",
		"hyperdisk-balanced-high-availability", "hyperdisk-ml",
		"hyperdisk-throughput"};
	struct {
		const char **v;
		size_t n, cap;
	} names = {0};
	const char *name;

	for (size_t i = 0; i < ARRAY_LEN(unpriced); i++)
		*arena_push(a, &names) = unpriced[i];
	for (size_t i = 0; price_builtin_place(PRICE_DISK, i, &name); i++)
		if (name != names.v[names.n - 1])
			*arena_push(a, &names) = name;
	return str_nearest(type, names.v, names.n);
}

/* A machine of a family that is known, which has no such type. */
static bool is_no_tpu(const char *type)
{
	struct tpu_type t;

	return tpu_host_chips(type) && tpu_family_of_type(type) &&
		!tpu_type_parse(type, &t);
}

/* A misspelt type has no price either; one that Google has listed does exist. */
static enum err_code check_type(
	struct estimating *x, const struct estimate_thing *t, struct err *e)
{
	struct q_estimate_type_in in = {.type = t->r.type, .kind = t->r.kind};
	bool disk = str_eq(in.kind, "disk"), found;
	struct q_estimate_type row;
	const char *near;
	struct machine m;

	if (t->each.known || !in.type ||
		(!disk && !str_eq(in.kind, "vm") && !is_no_tpu(in.type)) ||
		machine_parse(in.type, &m))
		return E_OK;
	if (q_estimate_type_one(x->db, &in, x->a, &row, &found, e))
		return e->code;
	near = disk ? disk_type_nearest(in.type, x->a) : machine_nearest(in.type);
	if (!found && !str_eq(near, in.type))
		x->out->unknown_type = arena_printf(x->a,
			"there is no %s type %.60s in the list of %s, so its price is "
			"unknown; %s%s%s",
			disk ? "disk" : "machine", in.type, price_table_date,
			near           ? "did you mean '"
				: disk ? "see: gcloud compute disk-types list"
				       : "see: gcloud compute machine-types list",
			near ? near : "", near ? "'?" : "");
	return E_OK;
}

static enum err_code look_at_things(struct estimating *x, struct err *e)
{
	struct deriving *d = &x->world;

	if (derive_load(d, e))
		return e->code;
	derive_prices(d);
	for (size_t i = 0; i < d->n_facts; i++) {
		const struct fact *f = &d->facts[i];
		size_t *at = strmap_get(&x->ids, f->id);
		struct estimate_thing *t = at ? &x->out->things[*at] : NULL;

		if (!t || t->priced)
			continue;
		t->priced = true;
		t->chips = opt_wide(f->chips);
		t->vcpus = opt_wide(f->vcpus);
		t->memory_mib = opt_wide(f->memory_mib);
		price_thing(x, t, f);
		if (check_type(x, t, e))
			return e->code;
	}
	if (estimate_coverage(x, e) || estimate_quotas(x, e))
		return e->code;
	estimate_places(x);
	for (size_t i = 0; i < x->out->n_things; i++) {
		struct estimate_thing *t = &x->out->things[i];

		t->net = estimate_cost(t, true, HOUR_SECONDS);
		if (!t->applies)
			t->run_paid = t->count * t->run;
	}
	return account_prices_check(&d->account, e);
}

/* ---- decision ---------------------------------------------------------------------------------- */

/* Coverage decides where there are TPUs; a denial by the configuration itself always counts.
 * Built-in rules only advise. */
static bool is_refused(const struct estimate *out)
{
	for (size_t i = 0; i < out->n_things; i++)
		if (out->things[i].applies && out->things[i].covered < out->things[i].count)
			return true;
	if (out->unknown_type && !out->tpus)
		return true;
	for (size_t i = 0; i < out->n_hits; i++)
		if (out->hits[i].refuses)
			return true;
	for (size_t i = 0; !out->tpus && i < out->n_budgets; i++)
		if (out->budgets[i].breaks)
			return true;
	return false;
}

/* As observed so far: before the proposal. */
static enum err_code estimate_memory(struct estimating *x, struct err *e)
{
	for (size_t i = 0; i < x->out->n_things; i++) {
		struct estimate_thing *t = &x->out->things[i];
		struct q_capacity_text_in in = {.zone = t->r.location,
			.family = tpu_family_of_type(t->r.type),
			.provisioning = t->r.provisioning};
		struct q_capacity_text row;
		bool found;

		if (!in.family || !in.provisioning)
			continue;
		if (q_capacity_text_one(x->db, &in, x->a, &row, &found, e))
			return e->code;
		t->capacity = found ? row.text : NULL;
	}
	return E_OK;
}

static enum err_code wish_compare(struct estimating *x, struct err *e)
{
	if (estimate_budgets_before(x, e) || estimate_rules(x, false, e) ||
		estimate_memory(x, e) || put_things(x, e) ||
		derive_begin(x->db, x->world.o, e) || look_at_things(x, e) ||
		estimate_budgets_after(x, e) || estimate_rules(x, true, e))
		return e->code;
	x->out->refused = is_refused(x->out);
	return E_OK;
}

enum err_code estimate(struct db *db, const struct settings *s, const struct proposal *p,
	ts_t now, struct arena *a, struct estimate *out, struct err *e)
{
	struct derive_opts o = {
		.settings = s, .now = now, .since = TS_NONE, .until = TS_NONE};
	struct estimating x = {.db = db,
		.s = s,
		.p = p,
		.now = now,
		.a = a,
		.out = out,
		.world = {.db = db, .o = &o}};
	enum err_code rc;

	*out = (struct estimate){0};
	rc = take_wishes(&x, e);
	if (!rc) {
		rc = wish_compare(&x, e);
		derive_done(&x.world);
	}
	strmap_done(&x.ids);
	strmap_done(&x.taken);
	strmap_done(&x.hits);
	return rc ? err_wrap(e, "estimate") : E_OK;
}
