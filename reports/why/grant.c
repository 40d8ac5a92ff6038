/* Explains a grant: its lines, the TPUs that use it, and its value so far. */
#include "base/time/civil.h"
#include "base/money.h"
#include "reports/why/internal.h"
#include "rules/grant/coverage.h"
#include "rules/price/place.h"

static void add_window(
	struct explaining *x, const struct q_explain_grant_state *q, const struct grant *g)
{
	const struct settings *s = x->settings;
	ts_t since = cov_created_since(s->grants, s->n_grants, (size_t)q->line);

	if (q->starts.set)
		explain_when(x, "begins", q->starts);
	else
		explain_say(x, "begins", "no beginning is configured: always valid");
	if (q->until.set)
		explain_when(x, "ends", q->until);
	else
		explain_say(x, "ends", "no end is configured");
	if (g->extends)
		explain_say(x, "renews",
			"%s: the windows are joined, the capacities are not added",
			g->extends);
	if (g->project)
		explain_say(x, "project", "%s only", g->project);
	if (since == TS_NONE)
		explain_say(x, "covers TPUs", "regardless of their creation");
	else
		explain_when(x, "TPUs created since", SOME(since));
	explain_fact(x, "check", g->note);
}

/* Hours as the view shows them, with four digits. */
static struct opt_i64 why_grant_chip_hours(struct opt_i64 chip_seconds)
{
	int64_t tenthousandths;

	if (!chip_seconds.set ||
		!nanos_muldiv(chip_seconds.v, 10000, HOUR_SECONDS, &tenthousandths) ||
		__builtin_mul_overflow(tenthousandths, NANOS / 10000, &tenthousandths))
		return NONE;
	return SOME(tenthousandths);
}

static void why_grant_add_line(struct explaining *x, const struct q_explain_grant_state *q)
{
	const struct grant *g = &x->settings->grants[q->line];
	struct explain_row *row;
	char region[REGION_BUF] = "";

	explain_section(x, arena_printf(x->a, "Granted: %s", grant_describe(g, x->a)));
	add_window(x, q, g);
	explain_count(x, "granted", SOME(q->granted_chips), "chips");
	explain_count(x, "used now", q->used_chips, "chips");
	explain_count(x, "free now", q->free_chips, "chips");
	row = explain_nanos(x, "covered so far",
		why_grant_chip_hours(q->covered_chip_seconds), "chip-hours");
	if (q->covered_chip_seconds.set)
		row->formula = arena_printf(x->a, "%lld chip-seconds / 3600",
			(long long)q->covered_chip_seconds.v);
	row->source = "inventory history";
	row = explain_nanos(x, "saved so far", q->saved, q->currency);
	row->formula = "covered time x today's list price";
	if (!zone_to_region(g->zone, region))
		*region = 0;
	explain_rows(x, NULL,
		q_explain_grant_bill_read(
			x, .family = g->family, .zone = g->zone, .region = region),
		NULL);
	explain_fact(x, "quota", q->quota_note);
}

static void users_of(struct explaining *x, const char *name)
{
	if (!explain_rows(x, "Used now by: cost of each without the grant",
		    q_explain_covered_read(x, .grant = name), "tpucost coverage"))
		explain_say(x, "none", "it covers no running TPU");
}

/* Costs that begin at its end; `grant plan` has the commands. */
static void end_of(struct explaining *x, const char *name)
{
	struct explain_row *row;
	const struct q_grant_ends *q = q_grant_ends_row(x, .name = name);

	if (!q)
		return;
	explain_section(x, "Costs that begin at its end");
	if (q->renewed_by)
		explain_say(x, "renewed by", "%s", q->renewed_by);
	explain_rows(x, NULL, q_explain_grant_end_parts_read(x, .grant = name),
		"tpucost grant plan");
	row = explain_rate(x, "together", q->per_hour, q->currency);
	row->formula = arena_printf(x->a, "TPUs: %lld", (long long)q->becomes_paid);
	explain_say(x, "commands", "run: tpucost grant plan %s", name);
}

void explain_grant(struct explaining *x, const char *key)
{
	struct q_explain_grant_state_rows rows;

	x->title = arena_printf(x->a, "grant %s, defined in %s", key, x->config);
	rows = q_explain_grant_state_rows(x, .name = key);
	for (size_t i = 0; i < rows.n; i++)
		why_grant_add_line(x, &rows.v[i]);
	users_of(x, key);
	end_of(x, key);
	explain_alerts_of(x, "grant_ends", key);
}
