/* Comparison of quota with grants. A quota does not prove a grant: v2, v3, v5e and v6e have one by
 * default (Cloud TPU documentation, quotas). But a quota lower than the grant is reported. */
#include "base/str.h"
#include "db/db.h"
#include "db_sql.h"
#include "rules/derive/internal.h"
#include "rules/grant/tpu.h"
#include "rules/grant/zones.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Largest limit that may apply to a line of a grant, of all projects; -1: unlimited. */
static void take_limit(
	struct deriving *d, const struct q_tpu_quotas *q, struct opt_i64 *limits)
{
	const struct settings *s = d->o->settings;
	struct tpu_quota of;

	if (!tpu_quota_read(q->quota_id, &d->arena, &of) &&
		!tpu_quota_read(q->metric, &d->arena, &of))
		return;
	for (size_t i = 0; i < s->n_grants; i++) {
		const struct grant *g = &s->grants[i];
		struct opt_i64 *l = &limits[i];

		if (strcmp(g->family, of.family) != 0 ||
			!tpu_quota_covers(q->location, g->zone) ||
			of.spot != (price_class_of(g->provisioning) != PRICE_ON_DEMAND))
			continue;
		if (!l->set || q->limit_value < 0 || (l->v >= 0 && q->limit_value > l->v))
			*l = SOME(q->limit_value < 0 ? -1 : q->limit_value);
	}
}

static const char *quota_note_of(
	struct deriving *d, const struct grant *g, struct opt_i64 limit)
{
	int64_t per_chip = tpu_cores_per_chip(g->family);
	char cores[64] = "";

	if (!limit.set || limit.v < 0 || limit.v / per_chip >= g->chips)
		return NULL;
	if (per_chip > 1)
		snprintf(cores, sizeof(cores), " (%" PRId64 " cores)", limit.v);
	return arena_printf(&d->arena,
		"the quota is %" PRId64 " chip%s%s, the grant %" PRId64
		": not active yet or expired?",
		limit.v / per_chip, limit.v / per_chip == 1 ? "" : "s", cores, g->chips);
}

/* The zone may be misspelled; NULL: it exists. */
static const char *zone_note_of(
	struct deriving *d, const struct grant *g, const struct tpu_zones *zones)
{
	struct err why = {0};

	if (!tpu_zone_check(zones, g->type ? g->type : g->family, g->zone, &why))
		return NULL;
	return arena_printf(&d->arena, "%s%s%s", why.msg, *why.fix ? "; " : "", why.fix);
}

enum err_code derive_quota_notes(struct deriving *d, struct err *e)
{
	const struct settings *s = d->o->settings;
	struct opt_i64 *limits = arena_alloc(&d->arena, s->n_grants * sizeof(*limits));
	struct tpu_zones zones = {0};
	struct q_tpu_quotas *quotas;
	size_t n;

	if (q_tpu_quotas_all(d->db, &d->arena, &quotas, &n, e) ||
		tpu_zones_read(d->db, &d->arena, &zones, e))
		return e->code;
	for (size_t i = 0; i < n; i++)
		take_limit(d, &quotas[i], limits);
	tpu_zones_add_prices(&zones, &d->arena, s->prices, s->n_prices);
	for (size_t i = 0; i < s->n_grants; i++) {
		const struct grant *g = &s->grants[i];
		struct row_grant_note in = {
			.line = (int64_t)i, .quota_note = zone_note_of(d, g, &zones)};

		if (!in.quota_note && grant_runs_at(g, d->o->now))
			in.quota_note = quota_note_of(d, g, limits[i]);
		if (in.quota_note && derived_put_grant_note(d->db, &in, e))
			return e->code;
	}
	return E_OK;
}
