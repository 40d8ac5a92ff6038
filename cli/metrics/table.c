/* Table of metrics. A row of a query is a sample: "value" is its value, the other columns are its labels. */
#include "cli/metrics/internal.h"

#define GAUGE "gauge"
#define COUNTER "counter"
/* Seconds since 1970 of a time in a view. */
#define SECONDS(time) "CAST(strftime('%s', " time ") AS INTEGER)"
#define COVERED \
	"CASE covered WHEN 1 THEN 'yes' WHEN 0 THEN 'no' ELSE 'unknown' END AS covered"
#define OF_BUDGET(figure) \
	"SELECT name AS budget, currency, " figure " AS value FROM budgets"
#define OF_CREDIT(figure) \
	"SELECT name AS credit, currency, " figure " AS value FROM credits"
#define OF_RESOURCE "SELECT id, kind, project, location, type"
#define VALID_GRANTS                                                         \
	"grants g, present p WHERE (g.starts IS NULL OR g.starts <= p.now) " \
	"AND (g.until IS NULL OR g.until > p.now)"
#define OF_GRANT "g.name AS grant, g.family, g.zone, g.provisioning"
#define OF_LINE "1, 2, 3, 4"
/* Quotas in use and those of TPUs: a project has thousands of others. */
#define OF_QUOTA "SELECT project, quota, location, service, dimensions, quota_id"
#define SOME_QUOTAS " FROM quotas WHERE (used > 0 OR pool IS NOT NULL)"

/* clang-format off */
const struct metric metrics[] = {
	{"tpucost_build_info", GAUGE, "Version of tpucost.",
	 "SELECT '" TPUCOST_VERSION "' AS version, 1 AS value"},
	{"tpucost_source_success_timestamp_seconds", GAUGE,
	 "Time of the last complete poll of a source.",
	 "SELECT source, project, " SECONDS("last_success") " AS value FROM sources"},
	{"tpucost_source_up", GAUGE,
	 "Whether the last poll was complete: 1 or 0. Disabled sources are left out.",
	 "SELECT source, project, complete AS value FROM sources WHERE state <> 'disabled'"},
	{"tpucost_source_stale", GAUGE,
	 "Whether no poll was complete for three intervals: 1 or 0.",
	 "SELECT source, project, stale AS value FROM sources WHERE state <> 'disabled'"},
	{"tpucost_cost_month_to_date", GAUGE,
	 "Billed cost of the current calendar month after credits, in the currency of the label. basis is settled, or "
	 "partial while Google still adds usage.",
	 "SELECT account, project, category, currency, CASE status WHEN 'settled' THEN 'settled' ELSE 'partial' END AS "
	 "basis, SUM(cost_n + credits_n) / 1e9 AS value FROM sku_costs_exact WHERE day >= (SELECT substr(today, 1, 8) || '01' FROM present) "
	 "GROUP BY 1, 2, 3, 4, 5"},
	{"tpucost_burn_rate_per_hour", GAUGE,
	 "Cost per hour of what runs now, without what grants cover.",
	 "SELECT project, category, currency, 'estimate' AS basis, SUM(net_per_hour) AS value FROM burn "
	 "WHERE currency IS NOT NULL GROUP BY 1, 2, 3"},
	{"tpucost_burn_list_rate_per_hour", GAUGE,
	 "The same at list price, with what grants cover.",
	 "SELECT project, category, currency, 'estimate' AS basis, SUM(gross_per_hour) AS value FROM burn "
	 "WHERE currency IS NOT NULL GROUP BY 1, 2, 3"},
	{"tpucost_burn_unpriced_resources", GAUGE,
	 "Running resources without a known price: no burn rate includes them.",
	 "SELECT project, SUM(CASE WHEN currency IS NULL THEN resources ELSE 0 END) AS value FROM burn GROUP BY 1"},
	{"tpucost_budget_limit", GAUGE, "Amount of a budget for its period.", OF_BUDGET("amount")},
	{"tpucost_budget_spent", GAUGE, "Amount billed in the period so far.", OF_BUDGET("spent")},
	{"tpucost_budget_expected", GAUGE,
	 "Amount billed, and the estimated cost since the newest usage on the bill.", OF_BUDGET("expected")},
	{"tpucost_budget_forecast", GAUGE, "Amount expected at the end of the period, if nothing changes.",
	 OF_BUDGET("forecast")},
	{"tpucost_budget_used_ratio", GAUGE, "Amount billed divided by the amount of the budget.",
	 "SELECT name AS budget, spent / NULLIF(amount, 0) AS value FROM budgets"},
	{"tpucost_credit_amount", GAUGE, "Total amount of a promotional credit.", OF_CREDIT("amount")},
	{"tpucost_credit_left", GAUGE, "Amount of it that is not used on the bill.", OF_CREDIT("left")},
	{"tpucost_credit_end_timestamp_seconds", GAUGE, "Time when it expires.",
	 "SELECT name AS credit, " SECONDS("expires") " AS value FROM credits"},
	{"tpucost_tpu_chips", GAUGE,
	 "TPU chips that exist now. covered is unknown for those that do not run.",
	 "SELECT project, family, zone, provisioning, " COVERED ", SUM(chips) AS value FROM resources "
	 "WHERE kind = 'tpu' GROUP BY 1, 2, 3, 4, 5"},
	{"tpucost_grant_chips", GAUGE,
	 "Chips of a valid grant: granted, used by TPUs, and queued by waiting requests that it would cover.",
	 "SELECT " OF_GRANT ", 'granted' AS state, SUM(g.granted_chips) AS value FROM " VALID_GRANTS
	 " GROUP BY " OF_LINE " UNION ALL SELECT " OF_GRANT ", 'used', SUM(g.used_chips) FROM " VALID_GRANTS
	 " GROUP BY " OF_LINE " UNION ALL SELECT q.grant_name, r.family, r.zone, r.provisioning, 'queued', "
	 "SUM(r.chips) FROM grant_plan q JOIN resources r ON r.id = q.id WHERE q.waits = 1 GROUP BY " OF_LINE},
	{"tpucost_grant_start_timestamp_seconds", GAUGE, "First moment of a grant.",
	 "SELECT name AS grant, " SECONDS("MIN(starts)") " AS value FROM grants GROUP BY 1"},
	{"tpucost_grant_end_timestamp_seconds", GAUGE, "Time when a grant ends.",
	 "SELECT name AS grant, " SECONDS("MAX(until)") " AS value FROM grants GROUP BY 1"},
	{"tpucost_quota_limit", GAUGE, "Limit of a quota that is in use or of TPUs; +Inf: unlimited.",
	 OF_QUOTA ", CASE WHEN limit_value < 0 THEN '+Inf' ELSE limit_value END AS value" SOME_QUOTAS},
	{"tpucost_quota_used", GAUGE, "Use of that quota.", OF_QUOTA ", used AS value" SOME_QUOTAS},
	{"tpucost_egress_bytes_per_second", GAUGE,
	 "Bytes that machines and TPUs send, average of the newest five minutes of Cloud Monitoring.",
	 "SELECT project, SUM(sent_bytes_per_second) AS value FROM egress "
	 "WHERE kind <> 'bucket' GROUP BY 1"},
	{"tpucost_alerts_firing", GAUGE, "Alerts that fire now.",
	 "SELECT rule, severity, COUNT(*) AS value FROM alerts WHERE state = 'firing' GROUP BY 1, 2"},
	{"tpucost_rules_evaluation_timestamp_seconds", GAUGE, "Time of the last evaluation of the rules.",
	 "SELECT " SECONDS("MAX(judged)") " AS value FROM rules"},
	{"tpucost_rule_errors", GAUGE, "Rules that could not be evaluated.",
	 "SELECT COUNT(error) AS value FROM rules"},
	{"tpucost_enforcement_enabled", GAUGE,
	 "Whether rules may act in a project: 1 if enforcement is armed there and not halted.", NULL},
	{"tpucost_actions_open", GAUGE, "Actions that have not ended, by state; held: blocked by a guard.",
	 "SELECT mode, action, state, COUNT(*) AS value FROM actions WHERE ended IS NULL GROUP BY 1, 2, 3"},
	{"tpucost_actions_total", COUNTER, "Armed actions that ended since the database was created.",
	 "SELECT action, state AS outcome, COUNT(*) AS value FROM actions WHERE mode = 'armed' AND ended IS NOT NULL "
	 "GROUP BY 1, 2"},
	{"tpucost_channel_up", GAUGE, "Whether the last attempt to send to a channel succeeded: 1 or 0.",
	 "SELECT name AS channel, state = 'ok' AS value FROM channels"},
	{"tpucost_outbox_messages", GAUGE, "Messages that wait for a channel, and undeliverable ones.",
	 "SELECT name AS channel, 'pending' AS state, waiting AS value FROM channels "
	 "UNION ALL SELECT name, 'dead', dead FROM channels"},

	{"tpucost_resource_rate_per_hour", GAUGE, "Cost per hour of a resource, without what a grant covers.",
	 OF_RESOURCE ", currency, net_per_hour AS value FROM resources WHERE currency IS NOT NULL", true},
	{"tpucost_resource_list_rate_per_hour", GAUGE, "The same at list price.",
	 OF_RESOURCE ", currency, gross_per_hour AS value FROM resources WHERE currency IS NOT NULL", true},
	{"tpucost_resource_chips", GAUGE, "Chips of a TPU.",
	 OF_RESOURCE ", " COVERED ", chips AS value FROM resources WHERE kind = 'tpu'", true},
	{"tpucost_resource_idle_seconds", GAUGE, "Time without activity of a machine or TPU.",
	 OF_RESOURCE ", idle_minutes * 60 AS value FROM resources", true},
};
/* clang-format on */
const size_t n_metrics = ARRAY_LEN(metrics);
