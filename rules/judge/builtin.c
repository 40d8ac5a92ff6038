/* Built-in rules. */
#include "rules/judge/judge.h"

#include "base/str.h"
#include "base/time/civil.h"
#include "rules/vocab/subject.h"

#include <string.h>

/* One USD in the currency of the view's row; 1 without a rate on the bill. */
#define USD(view)                                                                          \
	"COALESCE((SELECT r.per_usd FROM rates r WHERE r.currency = " #view ".currency), " \
	"1)"

const struct rule builtin_rules[] = {
	{.name = "tpu-not-covered",
		.doc = "A running TPU is not covered by a grant: wrong zone, type or "
		       "class, too many, too early or too late.",
		.on = "resources",
		.where = "kind = 'tpu' AND state = 'running' AND covered = 0",
		.value = "net_per_hour",
		.summary = "{name} ({type}, {provisioning}, {zone}) is not covered: "
			   "{why_text}. Its price per hour is {gross_per_hour} {currency}.",
		.severity = SEVERITY_CRITICAL},
	{.name = "grant-ending",
		.doc = "A grant ends within 7 days; repeated at 3 days, 1 day and 2 "
		       "hours. A renewed grant is left out, unless TPUs still become "
		       "paid.",
		.on = "grant_ends",
		.where = "stage BETWEEN 1 AND 4 AND (renewed_by IS NULL OR becomes_paid > "
			 "0)",
		.critical_when = "stage >= 3 AND becomes_paid > 0",
		.stage = "stage",
		.value = "hours_left",
		.summary = "grant {name} ends at {until}, in {hours_left} hours. Then "
			   "{paid_text}.",
		.repeat = DAY_SECONDS, /* the stages repeat it earlier */
		.end_unsaid = true,
		.severity = SEVERITY_WARNING},
	{.name = "grant-over-used",
		.doc = "More TPUs run than a grant covers.",
		.on = "grants",
		.where = "days_left > 0 AND starts <= (SELECT now FROM present) "
			 "AND EXISTS (SELECT 1 FROM resources t "
			 "WHERE t.kind = 'tpu' AND t.why = 'over-capacity' "
			 "AND t.family = grants.family AND t.zone = grants.zone "
			 "AND t.provisioning = grants.provisioning "
			 "AND (grants.type IS NULL OR t.type = grants.type)) "
			 "AND shared_with IS NULL",
		.value = "granted_chips - free_chips",
		.summary = "TPUs in {zone} need more {family} chips than grant {name} has "
			   "left: {free_chips} of {granted_chips} are free.",
		.severity = SEVERITY_WARNING},
	{.name = "budget",
		.doc = "The spent part of a budget, with unbilled use, reached one of its "
		       "alert_at percentages; reported at each, until a week after its "
		       "end.",
		.on = "budgets",
		.where = "reached IS NOT NULL "
			 "AND ends >= (SELECT date(today, '-7 days') FROM present)",
		.critical_when = "expected >= amount",
		.stage = "CAST(reached AS INTEGER)",
		.value = "percent",
		.summary = "budget {name} ({period}): {percent} % used, {expected} of "
			   "{amount} {currency} ({spent} billed).",
		/* the expected amount falls when the bill replaces an estimate */
		.keep_for = DAY_SECONDS,
		.repeat = DAY_SECONDS,
		.severity = SEVERITY_WARNING},
	{.name = "budget-forecast",
		.doc = "At the present burn, and with the cost of TPUs after the end of "
		       "their grant, a budget ends above one of its forecast_at "
		       "percentages.",
		.on = "budgets",
		.where = "forecast_reached IS NOT NULL AND expected < amount",
		.stage = "CAST(forecast_reached AS INTEGER)",
		.value = "forecast_percent",
		.summary = "budget {name} ({period}): {forecast_percent} % forecast, "
			   "{forecast} of {amount} {currency}. It runs out at {runs_out}.",
		.hold_for = HOUR_SECONDS / 6,
		.worse_when = "expected >= amount",
		.severity = SEVERITY_WARNING},
	{.name = "credit-low",
		.doc = "A promotional credit has a fifth or less left, or is used up or "
		       "expires within a week; repeated at a twentieth or a day, and at "
		       "the end.",
		.on = "credits",
		.where = "(\"left\" <= amount * 0.2 OR COALESCE(days_left, 8) <= 7) "
			 "AND COALESCE(days_left, 0) > -2",
		.critical_when = "\"left\" <= amount * 0.05 OR days_left <= 1",
		.stage = "CASE WHEN \"left\" <= 0 THEN 3 WHEN \"left\" <= amount * 0.05 "
			 "OR days_left <= 1 THEN 2 ELSE 1 END",
		.value = "\"left\"",
		.summary = "credit {name}: {left} of {amount} {currency} left, "
			   "{ends_text}.",
		/* the day on which it ends moves with the burn */
		.keep_for = DAY_SECONDS,
		.repeat = 7 * DAY_SECONDS,
		.severity = SEVERITY_WARNING},
	{.name = "burn-high",
		.doc = "One category of a project costs 50 USD a day or more, after "
		       "grants; critical from 200 USD. Other currencies are converted at "
		       "the rate of the bill.",
		.on = "burn",
		.where = "net_per_day >= 50 * " USD(burn),
		.critical_when = "net_per_day >= 200 * " USD(burn),
		.value = "net_per_day",
		.summary = "burn {project}: {category} costs {net_per_hour} {currency} an "
			   "hour, "
			   "{net_per_day} a day.",
		.hold_for = HOUR_SECONDS / 6,
		.repeat = DAY_SECONDS,
		.severity = SEVERITY_WARNING},
	{.name = "vm-forgotten",
		.doc = "A VM has been idle for an hour while no TPU runs in its zone. A VM "
		       "whose activity is unknown does not count.",
		.on = "resources",
		.where = "kind = 'vm' AND state = 'running' AND idle_minutes >= 60 "
			 "AND NOT " TPU_IN_ITS_ZONE,
		.critical_when = "net_per_hour * 24 >= 50 * " USD(resources),
		.value = "net_per_hour",
		.summary = "{name} ({type}, {zone}): {idle_text}, with no TPU in its zone.",
		.severity = SEVERITY_WARNING},
	{.name = "tpu-idle",
		.doc = "A running TPU has been idle for two hours.",
		.on = "resources",
		.where = "kind = 'tpu' AND state = 'running' AND idle_minutes >= 120",
		.critical_when = "covered = 0",
		.value = "idle_minutes",
		.summary = "{name} ({type}, {zone}): {idle_text}.",
		.severity = SEVERITY_WARNING},
	{.name = "disk-orphan",
		.doc = "A disk is a day old or older, not attached, and not listed by a "
		       "TPU.",
		.on = "resources",
		.where = "kind = 'disk' AND attached_to IS NULL AND age_hours >= 24 "
			 "AND NOT " DISK_OF_A_TPU,
		.value = "net_per_hour",
		.summary =
			"disk {name} ({size_gib} GiB {type}, {location}) is not attached "
			"and costs {gross_per_hour} {currency} an hour.",
		.hold_for = HOUR_SECONDS,
		.repeat = 7 * DAY_SECONDS,
		.severity = SEVERITY_WARNING},
	{.name = "stopped-paying",
		.doc = "A VM or TPU was stopped three days ago, and its disks and "
		       "addresses "
		       "still cost money.",
		.on = "resources",
		.where = "kind IN ('vm', 'tpu') AND state = 'stopped' AND "
			 "residual_text <> ''",
		.value = "residual_per_hour",
		.summary = "{kind} {name} ({zone}) is stopped, but its disks and "
			   "addresses still cost {residual_text}.",
		.hold_for = 3 * DAY_SECONDS,
		.repeat = 7 * DAY_SECONDS,
		.severity = SEVERITY_INFO},
	{.name = "ip-unused",
		.doc = "A reserved external address is not in use.",
		.on = "resources",
		.where = "kind = 'ip' AND state = 'stopped' AND gross_per_hour > 0",
		.value = "net_per_hour",
		.summary = "address {name} ({location}) is not in use and costs "
			   "{gross_per_hour} {currency} an hour.",
		.hold_for = HOUR_SECONDS,
		.repeat = 7 * DAY_SECONDS,
		.severity = SEVERITY_INFO},
	{.name = "tpu-leftover",
		.doc = "A preempted or failed TPU, or a suspended or failed queued "
		       "resource, is still listed. It may hold quota, or start again.",
		.on = "resources",
		.where = "(kind = 'tpu' AND state IN ('preempted', 'failed')) OR "
			 "(kind = 'queued' AND raw_state IN ('SUSPENDED', 'FAILED'))",
		.value = "held_chips",
		.summary =
			"{kind} {name} ({zone}) is {state} and still listed; it may hold "
			"quota until it is deleted (chips: {held_chips}).",
		.hold_for = HOUR_SECONDS,
		.repeat = 7 * DAY_SECONDS,
		.severity = SEVERITY_INFO},
	{.name = "slice-incomplete",
		.doc = "A TPU slice runs with other than all of its hosts: it is half "
		       "created or half deleted, and costs money.",
		.on = "resources",
		.where = "kind = 'tpu' AND state = 'running' AND hosts <> target_hosts",
		.value = "net_per_hour",
		.summary =
			"slice {name} ({zone}) runs {hosts} of {target_hosts} hosts. Its "
			"price per hour is {gross_per_hour} {currency}, after grants "
			"{net_per_hour}.",
		.hold_for = HOUR_SECONDS / 2,
		.repeat = DAY_SECONDS,
		.severity = SEVERITY_WARNING},
	{.name = "far-apart",
		.doc = "A VM or bucket is in another region than every TPU of its project, "
		       "or a bucket spans several regions. Traffic between them is paid.",
		.on = "resources",
		.where = "((kind = 'vm' AND state = 'running') OR kind = 'bucket') "
			 "AND " TPU_ELSEWHERE_ONLY,
		.summary = "{kind} {name} is in {location}, and the TPUs of {project} are "
			   "elsewhere. Traffic between them is charged per GiB.",
		.hold_for = HOUR_SECONDS / 6,
		.repeat = 7 * DAY_SECONDS,
		.severity = SEVERITY_WARNING},
	{.name = "egress-fast",
		.doc = "A VM or TPU moves 10 GiB an hour in a project whose buckets are "
		       "all in other locations, or sends 50 GiB an hour to an unknown "
		       "destination; or a bucket sends as much while machines elsewhere "
		       "receive it, or to an unknown destination, or serves operations of "
		       "0.2 USD in an hour. Traffic known to stay in the region does not "
		       "count. An estimate: few counters have the destination.",
		.on = "egress",
		/* list prices of Standard storage in one region: 40,000 of class A are 0.2 USD, 500,000 of class B, too */
		.where = "(path = 'inter-region' AND gib_last_hour >= 10) "
			 "OR gib_last_hour >= 50 "
			 "OR (kind = 'bucket' AND gib_last_hour >= 10 AND gib_per_day >= "
			 "1200) "
			 "OR IFNULL(class_a_last_hour, 0) * 12.5 + "
			 "IFNULL(class_b_last_hour, 0) >= 500000",
		.critical_when = "path = 'inter-region' AND gib_last_hour >= 50",
		.value = "gib_last_hour",
		.summary = "{kind} {display_name} ({zone}): GiB last hour: sent "
			   "{sent_gib_last_hour}, received {received_gib_last_hour}, "
			   "about {estimated_low_per_hour} to {estimated_high_per_hour} "
			   "{currency}; {elsewhere}",
		.severity = SEVERITY_WARNING},
	{.name = "quota-high",
		.doc = "By Google's count, 90 % or more of a quota is used.",
		.on = "quotas",
		/* a grant that is used up is as it should be */
		.where = "limit_value > 0 AND percent >= 90 AND used_basis = 'google'",
		.value = "percent",
		.summary = "quota {metric} of {project} in {location}: {percent} % used, "
			   "{used} of {limit_value}.",
		.hold_for = HOUR_SECONDS / 6,
		.repeat = 7 * DAY_SECONDS,
		.severity = SEVERITY_INFO},
	{.name = "price-unknown",
		.doc = "A running resource, disk or unused address has an unknown price, "
		       "so every sum leaves it out.",
		.on = "resources",
		/* A resource that is not charged has a known price: zero. */
		.where = "price_source = 'unknown' AND kind NOT IN ('bucket', 'queued')",
		.summary =
			"{kind} {name} ({type}, {location}) has an unknown price: burn and "
			"budgets leave it out.",
		.hold_for = HOUR_SECONDS,
		.repeat = 7 * DAY_SECONDS,
		.severity = SEVERITY_INFO},
	{.name = "billed-but-covered",
		.doc = "A TPU that a grant covers has net cost on the bill of the last two "
		       "weeks.",
		.on = "reconciliation",
		.where = "verdict = 'billed-but-covered' "
			 "AND day >= (SELECT date(today, '-14 days') FROM present)",
		.value = "net",
		.summary = "{day}: {why_text}",
		.repeat = 7 * DAY_SECONDS,
		.end_unsaid = true,
		.severity = SEVERITY_WARNING},
	{.name = "cost-jump",
		.doc = "A project cost at least twice the mean of the previous week on one "
		       "day, 5 USD or more above it, and half as much again as on any day "
		       "of it. Days that are partly billed do not count.",
		.on = "daily_costs",
		.where = "status <> 'partial' AND ratio >= 2 AND net >= 1.5 * peak_7d "
			 "AND net - mean_7d >= 5 * " USD(
				 daily_costs) " AND day >= (SELECT date(today, '-4 days') "
					      "FROM present)",
		.critical_when = "ratio >= 5",
		.value = "net",
		.summary = "cost {day}: {project} {net} {currency}, {ratio} times the "
			   "weekly mean of {mean_7d}.",
		.repeat = 7 * DAY_SECONDS, /* it is in the past: one report is enough */
		.end_unsaid = true,
		.severity = SEVERITY_WARNING},
	{.name = "keep-unreadable",
		.doc = "The label tpucost-keep of a running resource has an invalid value, "
		       "so the resource is exempt from all actions.",
		.on = "resources",
		.where = "exempt = 1 AND kind IN ('vm', 'tpu') AND state = 'running' AND "
			 "(exempt_why LIKE '%has an invalid value%' OR exempt_why LIKE "
			 "'%cannot be "
			 "read%')",
		.summary = "{kind} {name} ({location}) is exempt from all actions: "
			   "{exempt_why}. Valid values: forever, until-20261231.",
		.repeat = 7 * DAY_SECONDS,
		.severity = SEVERITY_INFO},
	{.name = "keep-ending",
		.doc = "The exemption of a running resource ends within a day.",
		.on = "resources",
		.where = "exempt = 1 AND kind IN ('vm', 'tpu') AND state = 'running' AND "
			 "COALESCE(exempt_hours, 25) <= 24",
		.value = "exempt_hours",
		.summary = "{kind} {name} ({location}) is exempt until {exempt_until}: "
			   "{exempt_why}.",
		/* the next action reports the end */
		.end_unsaid = true,
		.severity = SEVERITY_INFO},
	{.name = "source-stale",
		.doc = "A source has had no complete poll for three intervals, so its "
		       "figures are old.",
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
