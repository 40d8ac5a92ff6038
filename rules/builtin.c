#include "rules/builtin.h"

#include "base/str.h"

#include <string.h>

#define HOUR INT64_C(3600)
#define DAY (24 * HOUR)

#define TPU_IN_ITS_ZONE                                                             \
	"EXISTS (SELECT 1 FROM resources t WHERE t.kind = 'tpu' "                   \
	"AND t.state IN ('running', 'starting') AND t.project = resources.project " \
	"AND t.zone = resources.zone)"
#define TPU_ELSEWHERE_ONLY                                                                \
	"EXISTS (SELECT 1 FROM resources t WHERE t.kind = 'tpu' AND t.state = 'running' " \
	"AND t.project = resources.project) "                                             \
	"AND NOT EXISTS (SELECT 1 FROM resources t WHERE t.kind = 'tpu' "                 \
	"AND t.state = 'running' AND t.project = resources.project "                      \
	"AND t.region = resources.region)"

const struct rule builtin_rules[] = {
	{.name = "tpu-not-covered",
		.doc = "A TPU runs that no grant pays: wrong zone, type or class, too "
		       "many, "
		       "too early or too late.",
		.on = "resources",
		.where = "kind = 'tpu' AND covered = 0",
		.value = "net_per_hour",
		.summary =
			"{name} ({type}, {provisioning}, {zone}) is not free: {why_text}. "
			"It costs {gross_per_hour} {currency} an hour.",
		.severity = SEVERITY_CRITICAL},
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
	{.name = "burn-high",
		.doc = "One category of a project costs 50 a day or more (in the currency "
		       "of "
		       "the price list, after grants); critical from 200.",
		.on = "burn",
		.where = "net_per_day >= 50",
		.critical_when = "net_per_day >= 200",
		.value = "net_per_day",
		.summary =
			"{project} burns {net_per_hour} {currency} an hour on {category}: "
			"{net_per_day} a day, {resources} resources.",
		.hold_for = HOUR / 6,
		.severity = SEVERITY_WARNING},
	{.name = "vm-forgotten",
		.doc = "A machine runs idle for an hour while no TPU runs in its zone. "
		       "What "
		       "is not known to be idle does not count.",
		.on = "resources",
		.where = "kind = 'vm' AND state = 'running' AND idle_minutes >= 60 "
			 "AND NOT " TPU_IN_ITS_ZONE,
		.critical_when = "net_per_hour * 24 >= 50",
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
		.doc = "A disk of a day or older is attached to nothing.",
		.on = "resources",
		.where = "kind = 'disk' AND attached_to IS NULL AND age_hours >= 24",
		.value = "net_per_hour",
		.summary = "disk {name} ({size_gib} GiB {type}, {location}) is attached to "
			   "nothing and costs {gross_per_hour} {currency} an hour.",
		.hold_for = HOUR,
		.repeat = 7 * DAY,
		.severity = SEVERITY_WARNING},
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
		       "resource, "
		       "is still listed: it may hold quota, or come up by itself.",
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
		.doc = "A machine or bucket is in another region than every TPU that runs "
		       "in "
		       "its project, or a bucket spans several regions: traffic between "
		       "them "
		       "is paid.",
		.on = "resources",
		.where = "((kind = 'vm' AND state = 'running') OR kind = 'bucket') "
			 "AND " TPU_ELSEWHERE_ONLY,
		.summary = "{kind} {name} is in {location}, and the TPUs of {project} run "
			   "elsewhere: what goes between them is paid by the GiB.",
		.hold_for = HOUR / 6,
		.repeat = 7 * DAY,
		.severity = SEVERITY_WARNING},
	{.name = "quota-high",
		.doc = "A quota is used to 90 % or more.",
		.on = "quotas",
		.where = "percent >= 90",
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
	{.name = "source-stale",
		.doc = "Something was not completely read for three intervals: figures "
		       "that "
		       "rest on it are old.",
		.on = "sources",
		.where = "stale = 1",
		.value = "age_minutes",
		.summary =
			"{source} of {project} was last read completely at {last_success}: "
			"{error}",
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
