/* Comparison of a proposal with the quota of its project. */
#include "base/str.h"
#include "rules/estimate/internal.h"
#include "rules/grant/tpu.h"

#include <ctype.h>
#include <stdio.h>

struct limit_of {
	const struct q_proposal_quotas *q;
	bool tpu;   /* of TPUs, otherwise of other resources of Compute Engine */
	bool apart; /* spot machines have a quota of their own there */
	struct tpu_quota of;
};

/* Chips or, in generations that Google counts in cores, cores. */
static int64_t tpu_units(const struct limit_of *l, struct opt_i64 chips)
{
	return chips.set ? chips.v * l->of.per_chip : 0;
}

bool estimate_uses_quota(const struct estimate_thing *t)
{
	return str_eq(t->r.kind, "tpu") && !str_eq(t->r.provisioning, "reserved");
}

static bool counts_here(const struct limit_of *l, const struct estimate_thing *t)
{
	return estimate_uses_quota(t) && t->r.type && tpu_quota_counts(&l->of, t->r.type) &&
		t->r.zone && tpu_quota_covers(l->q->location, t->r.zone) &&
		price_class_preemptible(t->r.provisioning) == l->of.spot;
}

/* Newer machines have a separate quota: N2_CPUS. The oldest ones share CPUS. */
static void cpu_metric(const char *type, char buf[64])
{
	static const char *const shared[] = {"n1", "e2", "f1", "g1", "n4", "t2a"};
	char family[MACHINE_FAMILY_BUF];

	snprintf(buf, 64, "CPUS");
	if (!type || !machine_family(type, family))
		return;
	for (size_t i = 0; i < ARRAY_LEN(shared); i++)
		if (str_eq(family, shared[i]))
			return;
	for (char *p = family; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	snprintf(buf, 64, "%s_CPUS", family);
}

static int64_t machine_needs(const struct estimate_thing *t, const char *metric, bool spot)
{
	char own[64];

	if (str_eq(metric, "CPUS_ALL_REGIONS"))
		return t->vcpus.set ? t->vcpus.v : 0;
	if (str_eq(metric, "LOCAL_SSD_TOTAL_GB"))
		return t->wish->local_ssd_gib;
	if (str_eq(metric, "GPUS_ALL_REGIONS"))
		return t->wish->gpu_count;
	if (t->wish->gpu_type) {
		snprintf(own, sizeof(own), "%sNVIDIA_%s_GPUS",
			str_eq(t->r.provisioning, "spot") ? "PREEMPTIBLE_" : "",
			gpu_model(t->wish->gpu_type));
		for (char *p = own; *p; p++)
			*p = *p == '-' ? '_' : (char)toupper((unsigned char)*p);
		if (str_eq(metric, own))
			return t->wish->gpu_count;
	}
	/* if spot machines have a quota, they count only there */
	if (spot && str_eq(t->r.provisioning, "spot"))
		snprintf(own, sizeof(own), "PREEMPTIBLE_CPUS");
	else
		cpu_metric(t->r.type, own);
	return str_eq(metric, own) && t->vcpus.set ? t->vcpus.v : 0;
}

/* Use of a Compute Engine quota by one resource. */
static int64_t compute_needs(const struct estimate_thing *t, const char *metric, bool spot)
{
	if (str_eq(t->r.kind, "vm"))
		return machine_needs(t, metric, spot);
	if (str_eq(t->r.kind, "disk"))
		return str_eq(metric,
			       str_eq(t->r.type, "pd-standard") ? "DISKS_TOTAL_GB"
								: "SSD_TOTAL_GB")
			? t->wish->size_gib
			: 0;
	if (str_eq(t->r.kind, "ip") && str_eq(t->r.type, "external"))
		return str_eq(
			metric, t->wish->beside ? "IN_USE_ADDRESSES" : "STATIC_ADDRESSES");
	return 0;
}

static int64_t thing_needs(const struct limit_of *l, const struct estimate_thing *t)
{
	const char *place = l->q->location;

	if (!str_eq(t->r.project, l->q->project))
		return 0;
	if (l->tpu)
		return counts_here(l, t) ? tpu_units(l, t->chips) * t->count : 0;
	return str_eq(place, "global") || str_eq(place, t->r.region) ||
			str_eq(place, t->r.zone)
		? compute_needs(t, l->q->metric, l->apart) * t->count
		: 0;
}

static int64_t needs_of(struct estimating *x, const struct limit_of *l)
{
	int64_t sum = 0;

	for (size_t i = 0; i < x->out->n_things; i++)
		sum += thing_needs(l, &x->out->things[i]);
	return sum;
}

/* If Google does not report the usage of a TPU quota, it is computed from the inventory. */
static struct opt_i64 used_of(struct estimating *x, const struct limit_of *l)
{
	const struct fact **tpus = NULL;
	size_t n = 0, cap = 0;
	struct quota_use use;

	if (l->q->used.set || !l->tpu)
		return l->q->used;
	for (size_t i = 0; i < x->world.n_facts; i++) {
		const struct fact *f = &x->world.facts[i];

		if (quota_concerns(f) && !strmap_get(&x->ids, f->id))
			*arena_append(x->a, tpus, n, cap) = f;
	}
	use = quota_use_of(&l->of, l->q->project, l->q->location, tpus, n);
	return SOME(use.chips * l->of.per_chip);
}

/* -1 is unlimited. */
static int64_t quota_left(const struct estimate_quota *q)
{
	if (q->q.limit_value < 0)
		return INT64_MAX;
	return q->q.limit_value - (q->q.used.set ? q->q.used.v : 0) - q->needs;
}

static void add_quota(struct estimating *x, const struct limit_of *l, int64_t needs)
{
	struct estimate *out = x->out;
	struct estimate_quota *q = arena_alloc(x->a, sizeof(*q));

	*q = (struct estimate_quota){.q = *l->q, .needs = needs};
	q->q.used = used_of(x, l);
	q->fits = quota_left(q) >= 0;
	if (q->q.limit_value >= 0)
		*arena_append(x->a, out->quotas, out->n_quotas, x->cap_quotas) = *q;
	for (size_t i = 0; i < out->n_things; i++) {
		struct estimate_thing *t = &out->things[i];

		if (thing_needs(l, t) &&
			(!t->quota || quota_left(q) < quota_left(t->quota)))
			t->quota = q;
	}
}

static void name_pools(struct estimating *x)
{
	for (size_t i = 0; i < x->out->n_things; i++) {
		struct estimate_thing *t = &x->out->things[i];

		if (estimate_uses_quota(t) && t->r.type)
			t->pool_metric = tpu_quota_metric(t->r.type,
				price_class_preemptible(t->r.provisioning), x->a);
	}
}

static const char *quota_place(struct estimating *x, const struct q_proposal_quotas *q)
{
	return arena_printf(x->a, "%s/%s", q->project, q->location);
}

enum err_code estimate_quotas(struct estimating *x, struct err *e)
{
	/* Regions in which spot machines have a separate quota. */
	cleanup(strmap_done) struct strmap spot = {0};
	struct q_proposal_quotas *v;
	size_t n;

	name_pools(x);
	if (q_proposal_quotas_all(x->db, x->a, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++)
		if (v[i].limit_value && str_eq(v[i].metric, "PREEMPTIBLE_CPUS"))
			strmap_put(&spot, quota_place(x, &v[i]), 0);
	for (size_t i = 0; i < n; i++) {
		struct tpu_quota_names names = {.service = v[i].service,
			.quota_id = v[i].quota_id,
			.metric = v[i].metric,
			.dimensions = v[i].dimensions};
		struct limit_of l = {.q = &v[i],
			.apart = strmap_get(&spot, quota_place(x, &v[i])) != NULL};
		int64_t needs;

		l.tpu = tpu_quota_read(&names, x->a, &l.of);
		needs = needs_of(x, &l);
		if (needs)
			add_quota(x, &l, needs);
	}
	return E_OK;
}
