#include "rules/judge/builtin.h"

#include "base/str.h"

#include <string.h>

#define HOUR INT64_C(3600)
#define DAY (24 * HOUR)

#define TPU_IN_ITS_ZONE                                                             \
	"EXISTS (SELECT 1 FROM resources t WHERE t.kind = 'tpu' "                   \
	"AND t.state IN ('running', 'starting') AND t.project = resources.project " \
	"AND t.zone = resources.zone)"
/* Whatever their state: one that is preempted or stopped comes back where it was. */
#define TPU_ELSEWHERE_ONLY                                                \
	"EXISTS (SELECT 1 FROM resources t WHERE t.kind = 'tpu' "         \
	"AND t.project = resources.project) "                             \
	"AND NOT EXISTS (SELECT 1 FROM resources t WHERE t.kind = 'tpu' " \
	"AND t.project = resources.project AND t.region = resources.region)"

/* One USD in the currency of the view's row; 1 where no bill tells. */
#define USD(view)                                                                          \
	"COALESCE((SELECT r.per_usd FROM rates r WHERE r.currency = " #view ".currency), " \
	"1)"

const struct rule builtin_rules[] = {
	{.name = "tpu-not-covered",
		.doc = "A TPU runs that no grant pays: wrong zone, type or class, too "
		       "many, too early or too late.",
		.on = "resources",
		.where = "kind = 'tpu' AND state = 'running' AND covered = 0",
		.value = "net_per_hour",
		.summary =
			"{name} ({type}, {provisioning}, {zone}) is not free: {why_text}. "
			"It costs {gross_per_hour} {currency} an hour.",
		.severity = SEVERITY_CRITICAL},
	{.name = "grant-ending",
		.doc = "A grant ends within 7 days; said again at 3 days, 1 day and 2 "
		       "hours. One that is renewed is left out, unless something becomes "
		       "paid all the same.",
		.on = "grant_ends",
		.where = "stage BETWEEN 1 AND 4 AND (renewed_by IS NULL OR becomes_paid > "
			 "0)",
		.critical_when = "stage >= 3 AND becomes_paid > 0",
		.stage = "stage",
		.value = "hours_left",
		.summary =
			"grant {name} ends at {until}, in {hours_left} hours. "
			"{becomes_paid} of the TPUs it pays become paid then, "
			"{per_hour} {currency} an hour together: tpucost grant plan {name}",
		.repeat = DAY, /* its stages say more */
		.end_unsaid = true,
		.severity = SEVERITY_WARNING},
	{.name = "grant-over-used",
		.doc = "More TPUs run than a grant has room for.",
		.on = "grants",
		.where = "days_left > 0 AND EXISTS (SELECT 1 FROM resources t "
			 "WHERE t.kind = 'tpu' AND t.why = 'over-capacity' "
			 "AND t.family = grants.family AND t.zone = grants.zone "
			 "AND t.provisioning = grants.provisioning "
			 "AND (grants.type IS NULL OR t.type = grants.type))",
		.value = "used_chips",
		.summary = "grant {name} is full: {used_chips} of {granted_chips} {family} "
			   "chips in {zone} are in use, and more run there than it pays.",
		.severity = SEVERITY_WARNING},
	{.name = "budget",
		.doc = "What is spent of a budget, with what is not billed yet, reached "
		       "one of its alert_at: said at each of them, until a week after "
		       "its end.",
		.on = "budgets",
		.where = "reached IS NOT NULL "
			 "AND ends >= (SELECT date(today, '-7 days') FROM present)",
		.critical_when = "expected >= amount",
		.stage = "CAST(reached AS INTEGER)",
		.value = "percent",
		.summary = "budget {name} ({period}) is used to {percent} %: {expected} of "
			   "{amount} {currency}, {spent} of it billed.",
		/* what is expected falls whenever the bill takes over from an estimate */
		.keep_for = DAY,
		.repeat = DAY,
		.severity = SEVERITY_WARNING},
	{.name = "budget-forecast",
		.doc = "If everything goes on as now, a budget ends above one of its "
		       "forecast_at.",
		.on = "budgets",
		.where = "forecast_reached IS NOT NULL AND expected < amount",
		.stage = "CAST(forecast_reached AS INTEGER)",
		.value = "forecast_percent",
		.summary =
			"budget {name} ({period}) is going to be used to "
			"{forecast_percent} % if nothing changes: {forecast} of {amount} "
			"{currency}. It runs out at {runs_out}.",
		.hold_for = HOUR / 6,
		.severity = SEVERITY_WARNING},
	{.name = "credit-low",
		.doc = "A coupon has a fifth or less left, or is used up or expires "
		       "within a week; said again at a twentieth or a day, and when it "
		       "is dry.",
		.on = "credits",
		.where = "(\"left\" <= amount * 0.2 OR COALESCE(days_left, 8) <= 7) "
			 "AND COALESCE(days_left, 0) > -2",
		.critical_when = "\"left\" <= amount * 0.05 OR days_left <= 1",
		.stage = "CASE WHEN \"left\" <= 0 THEN 3 WHEN \"left\" <= amount * 0.05 "
			 "OR days_left <= 1 THEN 2 ELSE 1 END",
		.value = "\"left\"",
		.summary = "credit {name}: {left} of {amount} {currency} is left. Used up: "
			   "{runs_out} if nothing changes. Expires: {expires}.",
		.repeat = 7 * DAY,
		.severity = SEVERITY_WARNING},
	{.name = "burn-high",
		.doc = "One category of a project costs 50 USD a day or more, after "
		       "grants; critical from 200 USD. Other currencies by the rate of "
		       "the bill.",
		.on = "burn",
		.where = "net_per_day >= 50 * " USD(burn),
		.critical_when = "net_per_day >= 200 * " USD(burn),
		.value = "net_per_day",
		.summary =
			"{project} burns {net_per_hour} {currency} an hour on {category}: "
			"{net_per_day} a day.",
		.hold_for = HOUR / 6,
		.repeat = DAY,
		.severity = SEVERITY_WARNING},
	{.name = "vm-forgotten",
		.doc = "A machine runs idle for an hour while no TPU runs in its zone. "
		       "What is not known to be idle does not count.",
		.on = "resources",
		.where = "kind = 'vm' AND state = 'running' AND idle_minutes >= 60 "
			 "AND NOT " TPU_IN_ITS_ZONE,
		.critical_when = "net_per_hour * 24 >= 50 * " USD(resources),
		.value = "net_per_hour",
		.summary =
			"{name} ({type}, {zone}) has been idle for {idle_minutes} minutes "
			"and there is no TPU beside it. It costs {gross_per_hour} "
			"{currency} an hour.",
		.severity = SEVERITY_WARNING},
	{.name = "tpu-idle",
		.doc = "A TPU runs without doing anything for two hours.",
		.on = "resources",
		.where = "kind = 'tpu' AND state = 'running' AND idle_minutes >= 120",
		.critical_when = "covered = 0",
		.value = "idle_minutes",
		.summary =
			"{name} ({type}, {zone}) has been idle for {idle_minutes} minutes.",
		.severity = SEVERITY_WARNING},
	{.name = "disk-orphan",
		.doc = "A disk of a day or older is attached to nothing, and no TPU lists "
		       "it.",
		.on = "resources",
		.where = "kind = 'disk' AND attached_to IS NULL AND age_hours >= 24 "
			 "AND NOT EXISTS (SELECT 1 FROM hidden_costs h "
			 "WHERE h.part = resources.id AND h.relation = 'data-disk')",
		.value = "net_per_hour",
		.summary = "disk {name} ({size_gib} GiB {type}, {location}) is attached to "
			   "nothing and costs {gross_per_hour} {currency} an hour.",
		.hold_for = HOUR,
		.repeat = 7 * DAY,
		.severity = SEVERITY_WARNING},
	{.name = "stopped-paying",
		.doc = "A machine or TPU was stopped three days ago, and its disks and "
		       "addresses go on costing.",
		.on = "resources",
		.where = "kind IN ('vm', 'tpu') AND state = 'stopped' AND "
			 "residual_per_hour > 0",
		.value = "residual_per_hour",
		.summary = "{kind} {name} ({zone}) is stopped, but its disks and "
			   "addresses cost {residual_per_hour} {residual_currency} an "
			   "hour.",
		.hold_for = 3 * DAY,
		.repeat = 7 * DAY,
		.severity = SEVERITY_INFO},
	{.name = "ip-unused",
		.doc = "A reserved external address is used by nothing.",
		.on = "resources",
		.where = "kind = 'ip' AND state = 'stopped' AND gross_per_hour > 0",
		.value = "net_per_hour",
		.summary = "address {name} ({location}) is used by nothing and costs "
			   "{gross_per_hour} {currency} an hour.",
		.hold_for = HOUR,
		.repeat = 7 * DAY,
		.severity = SEVERITY_INFO},
	{.name = "tpu-leftover",
		.doc = "A preempted or failed TPU, or a suspended or failed queued "
		       "resource, is still listed: it may hold quota, or come up by "
		       "itself.",
		.on = "resources",
		.where = "(kind = 'tpu' AND state IN ('preempted', 'failed')) OR "
			 "(kind = 'queued' AND raw_state IN ('SUSPENDED', 'FAILED'))",
		.summary =
			"{kind} {name} ({zone}) is {state} and still listed; it may hold "
			"quota until it is deleted.",
		.hold_for = HOUR,
		.repeat = 7 * DAY,
		.severity = SEVERITY_INFO},
	{.name = "far-apart",
		.doc = "A machine or bucket is in another region than every TPU of its "
		       "project, or a bucket spans several regions: traffic "
		       "between them is paid.",
		.on = "resources",
		.where = "((kind = 'vm' AND state = 'running') OR kind = 'bucket') "
			 "AND " TPU_ELSEWHERE_ONLY,
		.summary = "{kind} {name} is in {location}, and the TPUs of {project} are "
			   "elsewhere: what goes between them is paid by the GiB.",
		.hold_for = HOUR / 6,
		.repeat = 7 * DAY,
		.severity = SEVERITY_WARNING},
	{.name = "egress-fast",
		.doc = "A machine or TPU moves 10 GiB an hour in a project whose buckets "
		       "are all far away, or sends 50 GiB an hour to where nobody can "
		       "tell. An estimate: counters say how much, not where to.",
		.on = "egress",
		.where = "(path = 'inter-region' AND gib_last_hour >= 10) "
			 "OR sent_gib_last_hour >= 50",
		.critical_when = "path = 'inter-region' AND gib_last_hour >= 50",
		.value = "gib_last_hour",
		.summary = "{kind} {name} ({zone}) sent {sent_gib_last_hour} GiB and "
			   "received {received_gib_last_hour} GiB in the last hour. That "
			   "may cost {estimated_low_per_hour} to {estimated_high_per_hour} "
			   "{currency} an hour (estimate). Far buckets: {far_buckets}",
		.severity = SEVERITY_WARNING},
	{.name = "quota-high",
		.doc = "A quota is used to 90 % or more.",
		.on = "quotas",
		.where = "limit_value > 0 AND percent >= 90",
		.value = "percent",
		.summary =
			"quota {metric} of {project} in {location} is used to {percent} %: "
			"{used} of {limit_value}.",
		.hold_for = HOUR / 6,
		.repeat = 7 * DAY,
		.severity = SEVERITY_INFO},
	{.name = "price-unknown",
		.doc = "Something runs whose price is not known: it is missing in every "
		       "sum.",
		.on = "resources",
		.where = "price_source = 'unknown' AND kind NOT IN ('bucket', 'queued') "
			 "AND state IN ('running', 'stopping', 'suspended', 'unknown')",
		.summary =
			"the price of {kind} {name} ({type}, {location}) is not known: it "
			"is missing in burn and budgets.",
		.hold_for = HOUR,
		.repeat = 7 * DAY,
		.severity = SEVERITY_INFO},
	{.name = "billed-but-covered",
		.doc = "A TPU that a grant pays shows net cost on the bill of the last two "
		       "weeks.",
		.on = "reconciliation",
		.where = "verdict = 'billed-but-covered' "
			 "AND day >= (SELECT date(today, '-14 days') FROM present)",
		.value = "net",
		.summary = "{day}: {why_text}",
		.repeat = 7 * DAY,
		.end_unsaid = true,
		.severity = SEVERITY_WARNING},
	{.name = "cost-jump",
		.doc = "A day of a project cost at least twice the mean of the week "
		       "before, and 5 USD or more above it. Days that are not billed to "
		       "their end do not count.",
		.on = "daily_costs",
		.where = "status <> 'partial' AND ratio >= 2 AND net - mean_7d >= 5 * " USD(
			daily_costs) " AND day >= (SELECT date(today, '-4 days') FROM "
				     "present)",
		.critical_when = "ratio >= 5",
		.value = "net",
		.summary = "{project} cost {net} {currency} on {day}, {ratio} times the "
			   "mean of the week before ({mean_7d}).",
		.repeat = 7 * DAY, /* what is over is said once */
		.end_unsaid = true,
		.severity = SEVERITY_WARNING},
	{.name = "keep-unreadable",
		.doc = "The label tpucost-keep of something that runs means nothing, so it "
		       "is never acted on.",
		.on = "resources",
		.where =
			"exempt = 1 AND kind IN ('vm', 'tpu') AND state = 'running' AND "
			"(exempt_why LIKE '%means nothing%' OR exempt_why LIKE '%cannot be "
			"read%')",
		.summary = "{kind} {name} ({location}) is never acted on: {exempt_why}. "
			   "What means something: forever, until-20261231.",
		.repeat = 7 * DAY,
		.severity = SEVERITY_INFO},
	{.name = "keep-ending",
		.doc = "What exempts something that runs from being acted on ends within a "
		       "day.",
		.on = "resources",
		.where = "exempt = 1 AND kind IN ('vm', 'tpu') AND state = 'running' AND "
			 "COALESCE(exempt_hours, 25) <= 24",
		.value = "exempt_hours",
		.summary = "{kind} {name} ({location}) is exempt for {exempt_hours} hours "
			   "more: {exempt_why}.",
		/* that it came true is told by what happens then */
		.end_unsaid = true,
		.severity = SEVERITY_INFO},
	{.name = "source-stale",
		.doc = "Something was not completely read for three intervals: figures "
		       "that rest on it are old.",
		.on = "sources",
		.where = "stale = 1",
		.value = "age_minutes",
		.summary = "{source} {project} {stale_text}. Last complete poll: "
			   "{last_success}. "
			   "Error: {error}",
		.severity = SEVERITY_WARNING},
};
const size_t n_builtin_rules = ARRAY_LEN(builtin_rules);

const struct rule *builtin_find(const char *name)
{
	for (size_t i = 0; i < n_builtin_rules; i++)
		if (!strcmp(builtin_rules[i].name, name))
			return &builtin_rules[i];
	return NULL;
}

const char *builtin_nearest(const char *name)
{
	const char *names[64];
	size_t n = n_builtin_rules < ARRAY_LEN(names) ? n_builtin_rules : ARRAY_LEN(names);

	for (size_t i = 0; i < n; i++)
		names[i] = builtin_rules[i].name;
	return str_nearest(name, names, n);
}
