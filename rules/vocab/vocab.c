#include "rules/vocab/vocab.h"

#include "base/str.h"
#include "rules/vocab/internal.h"

#include <string.h>

#define VIEW(ident, text, cols)            \
	static const struct view ident = { \
		.name = #ident, .doc = text, .columns = cols, .n = ARRAY_LEN(cols)}

static const struct column resources_columns[] = {
	{"id", COL_TEXT, "stable, unique name: project/kind/location/name"},
	{"uid", COL_TEXT, "Google's numeric id; another uid is another resource"},
	{"kind", COL_TEXT, "tpu vm disk ip snapshot bucket queued"},
	{"project", COL_TEXT, "project id"},
	{"location", COL_TEXT, "zone, region or global"},
	{"zone", COL_TEXT, "zone, where it has one"},
	{"region", COL_TEXT, "region, where it has one"},
	{"name", COL_TEXT, "short name"},
	{"state", COL_TEXT,
		"running starting stopping stopped suspended preempted failed deleting "
		"unknown; disks and addresses run while attached or in use"},
	{"raw_state", COL_TEXT, "the state in Google's own word"},
	{"type", COL_TEXT, "v3-8, n1-highmem-96, pd-ssd, ..."},
	{"family", COL_TEXT, "v2 v3 v4 v5litepod v5p v6e; n1, e2, ... for machines"},
	{"provisioning", COL_TEXT, "on-demand spot reserved; preemptible counts as spot"},
	{"chips", COL_INT, "TPU chips"},
	{"hosts", COL_INT, "hosts of a TPU slice"},
	{"vcpus", COL_INT, "virtual CPUs"},
	{"memory_gib", COL_DECIMAL, "memory, GiB"},
	{"size_gib", COL_INT, "disk size, GiB"},
	{"attached_to", COL_TEXT, "the machine that uses a disk or address"},
	{"labels", COL_JSON, "labels as a JSON object"},
	{"owner", COL_TEXT, "label owner, creator or user"},
	{"created", COL_TIME, "when Google created it"},
	{"age_hours", COL_DECIMAL, "hours since created"},
	{"running_hours", COL_DECIMAL, "hours since it last started"},
	{"idle_minutes", COL_INT, "minutes without activity; NULL when not known"},
	{"idle_basis", COL_TEXT,
		"signals that are known now: cpu network tpu; a TPU without tpu and a "
		"machine without cpu are never called idle"},
	{"covered", COL_FLAG, "1: a grant pays; 0: it does not; NULL: not a running TPU"},
	{"grant_name", COL_TEXT, "the grant that pays"},
	{"why", COL_TEXT,
		"covered over-capacity expired not-started created-before "
		"wrong-provisioning wrong-type wrong-zone no-grant"},
	{"why_text", COL_TEXT, "the same as a sentence that names the nearest grant"},
	{"gross_per_hour", COL_MONEY, "list price of what runs now; NULL when not known"},
	{"net_per_hour", COL_MONEY, "gross minus what a grant covers"},
	{"currency", COL_TEXT, "of the two prices"},
	{"price_source", COL_TEXT, "catalog builtin config billed unknown"},
	{"exempt", COL_FLAG, "1: never acted on"},
	{"last_seen", COL_TIME, "last poll that saw it"},
	{"complete", COL_FLAG, "0: its location did not answer in the last poll"},
	{"residual_per_hour", COL_MONEY,
		"what its disks and addresses go on costing when it is stopped; NULL when "
		"not known"},
	{"residual_currency", COL_TEXT, "of residual_per_hour"},
	{"gross_24h", COL_MONEY,
		"list price of what it was in the last 24 h; NULL when a part is not "
		"known"},
	{"net_24h", COL_MONEY, "minus what grants covered"},
	{"sustained_use_per_hour", COL_MONEY,
		"estimate, zero or negative: what sustained use takes off gross_per_hour "
		"now; in no other figure"},
	{"local_ssd_gib", COL_INT, "local SSDs of a machine, GiB; -1: size not told"},
	{"exempt_why", COL_TEXT, "the label tpucost-keep or the hold that exempts it"},
	{"exempt_hours", COL_DECIMAL, "hours until that ends; NULL: it does not end"},
};
VIEW(resources, "one row per thing that exists now, in every project and zone",
	resources_columns);

static const struct column grants_columns[] = {
	{"name", COL_TEXT, "name of the grant"},
	{"zone", COL_TEXT, "the only zone where it pays"},
	{"type", COL_TEXT, "accelerator type of a grant in devices"},
	{"family", COL_TEXT, "v2 v3 v4 v5litepod v5p v6e"},
	{"provisioning", COL_TEXT, "on-demand or spot"},
	{"granted_chips", COL_INT, "chips granted"},
	{"used_chips", COL_INT,
		"chips of TPUs that it covers now; none while TPUs were never read"},
	{"free_chips", COL_INT, "room left now; shared with a grant that this one renews"},
	{"starts", COL_TIME, "first instant"},
	{"until", COL_TIME, "first instant that is not covered any more"},
	{"days_left", COL_DECIMAL, "days until the end, 0 when over"},
	{"covered_chip_hours", COL_DECIMAL, "chip-hours it has covered so far"},
	{"saved", COL_MONEY, "list price of those hours (estimate)"},
	{"currency", COL_TEXT, "of saved"},
	{"quota_note", COL_TEXT, "set when the quota is lower than the grant; no verdict"},
	{"project", COL_TEXT, "the only project that it is for; NULL: every one"},
};
VIEW(grants, "what is granted and how much of it is in use; one row per line of a grant",
	grants_columns);

static const struct column coverage_columns[] = {
	{"id", COL_TEXT, "the TPU"},
	{"grant_name", COL_TEXT, "the grant that pays, or NULL"},
	{"starts", COL_TIME, "start of this stretch"},
	{"ends", COL_TIME, "end of this stretch"},
	{"chip_hours", COL_DECIMAL, "chips times hours"},
	{"covered", COL_FLAG, "1: free; 0: at list price"},
	{"why", COL_TEXT, "as in resources"},
	{"why_text", COL_TEXT, "as in resources"},
	{"gross", COL_MONEY, "list price of the stretch"},
	{"net", COL_MONEY, "0 where covered"},
	{"currency", COL_TEXT, "of gross and net"},
};
VIEW(coverage, "TPUs against grants; one row per TPU and stretch of the asked period",
	coverage_columns);

static const struct column coverage_totals_columns[] = {
	{"grant_name", COL_TEXT, "the grant that pays; NULL: none does"},
	{"why", COL_TEXT, "as in resources"},
	{"covered", COL_FLAG, "1: free; 0: at list price"},
	{"tpus", COL_INT, "how many TPUs"},
	{"chip_hours", COL_DECIMAL, "chips times hours; NULL when a size is not known"},
	{"gross", COL_MONEY, "list price of that time; NULL when not known"},
	{"net", COL_MONEY, "what leaked: 0 where covered"},
	{"saved", COL_MONEY, "gross minus net"},
	{"currency", COL_TEXT, "of gross, net and saved"},
};
VIEW(coverage_totals, "the asked period by grant and reason: chip-hours, saved, leaked",
	coverage_totals_columns);

static const struct column grant_ends_columns[] = {
	{"name", COL_TEXT, "name of the grant"},
	{"until", COL_TIME, "first instant that is not covered any more"},
	{"hours_left", COL_DECIMAL, "hours until then, negative when it is over"},
	{"stage", COL_INT,
		"1: 7 days or less, 2: 3 days, 3: 1 day, 4: 2 hours, 5: ended; NULL: "
		"longer"},
	{"chips_used", COL_INT, "chips it covers just before its end, of what runs now"},
	{"becomes_paid", COL_INT, "how many TPUs nothing covers then"},
	{"resources", COL_TEXT, "their ids"},
	{"per_hour", COL_MONEY, "list price of those TPUs together; NULL when not known"},
	{"per_day", COL_MONEY, "24 times that"},
	{"currency", COL_TEXT, "of the two prices"},
	{"renewed_by", COL_TEXT, "the grant that extends it and joins on without a gap"},
};
VIEW(grant_ends, "grants that run, or ended in the last two days, and what becomes paid",
	grant_ends_columns);

static const struct column grant_plan_columns[] = {
	{"grant_name", COL_TEXT, "the grant that covers it until its end"},
	{"until", COL_TIME, "first instant that is paid"},
	{"id", COL_TEXT, "the TPU or queued resource"},
	{"kind", COL_TEXT, "tpu queued"},
	{"project", COL_TEXT, "project id"},
	{"zone", COL_TEXT, "where it is"},
	{"name", COL_TEXT, "short name"},
	{"type", COL_TEXT, "v3-8, ..."},
	{"waits", COL_FLAG, "1: a queued resource without TPU: paid once it comes up"},
	{"gross_per_hour", COL_MONEY, "list price of it; NULL when not known"},
	{"currency", COL_TEXT, "of gross_per_hour"},
	{"again", COL_TIME, "when another grant begins to cover it"},
	{"again_grant", COL_TEXT, "that grant"},
	{"why_text", COL_TEXT, "why nothing covers it from the end on"},
	{"disks", COL_TEXT, "disks attached to it, which stay and stay paid"},
	{"copy_command", COL_TEXT, "how to copy files of it to this machine"},
	{"storage_command", COL_TEXT, "how to copy them to a bucket of its region"},
	{"delete_command", COL_TEXT, "how to delete it"},
};
VIEW(grant_plan, "what becomes paid when a grant ends, and the commands against it",
	grant_plan_columns);
static const struct column burn_columns[] = {
	{"project", COL_TEXT, "project id"},
	{"category", COL_TEXT, "tpu cpu gpu disk snapshot ip network storage other"},
	{"gross_per_hour", COL_MONEY, "list price of what runs now"},
	{"net_per_hour", COL_MONEY, "minus what grants cover"},
	{"gross_per_day", COL_MONEY, "24 times that"},
	{"net_per_day", COL_MONEY, "24 times that"},
	{"resources", COL_INT, "how many resources"},
	{"currency", COL_TEXT, "NULL: their price is not known"},
	{"gross_24h", COL_MONEY,
		"list price of what ran in the last 24 h, gone or not; NULL when a part "
		"is not known"},
	{"net_24h", COL_MONEY, "minus what grants covered"},
	{"gross_7d", COL_MONEY, "the same of the last 7 days"},
	{"net_7d", COL_MONEY, "the same of the last 7 days"},
	{"known_hours", COL_DECIMAL,
		"for how many of the last 168 hours it is known what there was; what "
		"came and went before is in no figure"},
};
VIEW(burn, "what runs now costs, per hour and day, and has cost lately", burn_columns);

static const struct column burned_columns[] = {
	{"id", COL_TEXT, "the resource"},
	{"kind", COL_TEXT, "tpu vm disk ip snapshot"},
	{"project", COL_TEXT, "project id"},
	{"category", COL_TEXT, "tpu cpu gpu disk snapshot ip"},
	{"owner", COL_TEXT, "as in resources; of what is gone, at its end"},
	{"labels", COL_JSON, "as in resources; of what is gone, at its end"},
	{"is_there", COL_FLAG, "1: it still exists; 0: it is gone"},
	{"gross_24h", COL_MONEY, "list price of what it was in the last 24 h"},
	{"net_24h", COL_MONEY, "minus what grants covered"},
	{"gross_7d", COL_MONEY, "the same of the last 7 days"},
	{"net_7d", COL_MONEY, "the same of the last 7 days"},
	{"currency", COL_TEXT, "NULL: time for which the price is not known"},
	{"unpriced_hours", COL_DECIMAL, "hours of the last 7 days without a price"},
	{"known_hours", COL_DECIMAL, "as in burn"},
};
VIEW(burned, "what each resource has cost lately, whether it still exists or not",
	burned_columns);

static const struct column egress_columns[] = {
	{"id", COL_TEXT, "the machine or TPU"},
	{"kind", COL_TEXT, "vm tpu"},
	{"project", COL_TEXT, "project id"},
	{"zone", COL_TEXT, "where it runs"},
	{"region", COL_TEXT, "where it runs"},
	{"name", COL_TEXT, "short name"},
	{"owner", COL_TEXT, "as in resources"},
	{"sent_bytes_per_second", COL_INT,
		"average of the newest five minutes; NULL: not known"},
	{"received_bytes_per_second", COL_INT, "the same, of what it received"},
	{"sent_peak_bytes_per_second", COL_INT,
		"in the busiest five minutes of the last hour"},
	{"received_peak_bytes_per_second", COL_INT, "the same, of what it received"},
	{"sent_gib_last_hour", COL_DECIMAL, "sent in the last hour since it started"},
	{"received_gib_last_hour", COL_DECIMAL, "the same, of what it received"},
	{"gib_last_hour", COL_DECIMAL,
		"what may be charged of that: sent, and received where the project has "
		"far buckets only"},
	{"gib_per_day", COL_DECIMAL, "the same at the present rate, over a day"},
	{"far_buckets", COL_TEXT,
		"buckets of the project in another region or in a multi-region"},
	{"path", COL_TEXT,
		"inter-region: the project has far buckets only; unknown: within the "
		"region, or the internet"},
	{"estimated_low_per_hour", COL_MONEY,
		"if all goes to and comes from the cheapest far bucket; 0 where it may "
		"stay in the region"},
	{"estimated_high_per_hour", COL_MONEY,
		"if all that is sent leaves for the internet, and what is received comes "
		"from far buckets; NULL when a price is not known"},
	{"currency", COL_TEXT, "of the estimates"},
	{"age_minutes", COL_DECIMAL, "age of the newest counters; Google is minutes late"},
	{"certain", COL_FLAG, "always 0: where bytes go is not measured"},
	{"basis", COL_TEXT, "what the estimate rests on, as a sentence"},
};
VIEW(egress,
	"what running machines and TPUs send and receive, and what it may cost (estimate)",
	egress_columns);

static const struct column costs_columns[] = {
	{"day", COL_TEXT, "calendar day in the configured time zone"},
	{"invoice_month", COL_TEXT, "Google's invoice month, YYYYMM"},
	{"project", COL_TEXT, "NULL: charged to the account (tax, support)"},
	{"service", COL_TEXT, "service, in Google's words"},
	{"sku", COL_TEXT, "SKU, in Google's words"},
	{"category", COL_TEXT, "tpu cpu gpu disk snapshot ip network storage other"},
	{"location", COL_TEXT, "as billed"},
	{"zone", COL_TEXT, "as billed"},
	{"resource", COL_TEXT, "resource name (detailed export only)"},
	{"cost", COL_MONEY, "before credits"},
	{"credits", COL_MONEY, "zero or negative"},
	{"net", COL_MONEY, "cost plus credits"},
	{"promo", COL_MONEY, "the part of credits that a coupon or trial paid"},
	{"currency", COL_TEXT, "of the billing account"},
	{"usage", COL_DECIMAL, "amount in usage_unit"},
	{"usage_unit", COL_TEXT, "pricing unit"},
	{"status", COL_TEXT, "partial settling settled: how final that day is"},
	{"sku_id", COL_TEXT, "SKU id"},
	{"service_id", COL_TEXT, "service id"},
	{"region", COL_TEXT, "as billed"},
	{"cost_type", COL_TEXT, "regular tax adjustment rounding_error"},
};
VIEW(costs, "what Google billed, by day", costs_columns);

static const struct column budgets_columns[] = {
	{"name", COL_TEXT, "name of the budget"},
	{"period", COL_TEXT, "month week day custom"},
	{"starts", COL_TIME, "first instant of the present period"},
	{"ends", COL_TIME, "first instant after it"},
	{"amount", COL_MONEY, "what may be spent in the period"},
	{"spent", COL_MONEY,
		"billed in the period so far, net (count: gross: before credits); NULL: no "
		"bill was read"},
	{"unbilled", COL_MONEY,
		"live net burn since the newest billed usage of each project, at most 72 "
		"hours (estimate)"},
	{"expected", COL_MONEY, "spent plus unbilled"},
	{"forecast", COL_MONEY,
		"expected plus the net burn of now until the end: nothing changes "
		"(estimate)"},
	{"percent", COL_DECIMAL, "expected of the amount"},
	{"forecast_percent", COL_DECIMAL, "forecast of the amount"},
	{"currency", COL_TEXT, "of the amounts"},
	{"runs_out", COL_TIME,
		"when expected plus burn reaches the amount, or did; NULL: not in this "
		"period"},
	{"reached", COL_INT, "highest of alert_at that percent has reached"},
	{"forecast_reached", COL_INT,
		"highest of forecast_at that forecast_percent has reached"},
	{"forecast_if_stopped", COL_MONEY,
		"the forecast if what is advised to stop is stopped now: TPUs that no "
		"grant covers, idle machines"},
	{"runs_out_if_stopped", COL_TIME, "runs_out in that case"},
	{"forecast_low", COL_MONEY,
		"the forecast, if estimates are as far too high as they were lately"},
	{"forecast_high", COL_MONEY, "the same too low; NULL while something has no price"},
	{"safe_per_day", COL_MONEY,
		"what may be spent per day from now: amount minus expected over the days "
		"left"},
	{"unpriced", COL_INT,
		"running resources without a price that no grant covers: nothing counts "
		"for them"},
	{"converted", COL_FLAG, "1: amounts were converted at the rate on the bill"},
	{"basis", COL_TEXT, "what the figures rest on, in words"},
	{"condition", COL_TEXT, "over costs: which of them count; NULL: all"},
};
VIEW(budgets, "budgets: what is spent of them, what will be, when they run out",
	budgets_columns);

static const struct column budget_parts_columns[] = {
	{"name", COL_TEXT, "name of the budget"},
	{"project", COL_TEXT, "project id; NULL: charged to the account"},
	{"spent", COL_MONEY, "as in budgets, of this project"},
	{"billed_until", COL_TIME,
		"end of the newest usage on the bill; NULL: more than 72 hours ago, or "
		"never"},
	{"unbilled_from", COL_TIME, "from when on burn is estimated"},
	{"net_per_hour", COL_MONEY, "live net burn that the budget counts"},
	{"unbilled", COL_MONEY, "net_per_hour since then"},
	{"currency", COL_TEXT, "of the amounts"},
};
VIEW(budget_parts, "what budgets are made of, by project", budget_parts_columns);

static const struct column credits_columns[] = {
	{"name", COL_TEXT, "name of the coupon or credit"},
	{"amount", COL_MONEY, "its worth"},
	{"used", COL_MONEY, "promotion credits on the bill since it began"},
	{"left", COL_MONEY, "amount minus used"},
	{"currency", COL_TEXT, "of the amounts"},
	{"expires", COL_TIME, "when it ends whatever is left"},
	{"runs_out", COL_TIME,
		"when left minus unbilled is used up at the present burn (estimate)"},
	{"safe_per_day", COL_MONEY, "left minus unbilled, over the days until it expires"},
	{"days_left", COL_DECIMAL, "days until it is used up or expires"},
	{"starts", COL_TIME, "first instant; NULL: it always was"},
	{"unbilled", COL_MONEY,
		"live net burn since the newest usage on the bill, 72 hours at most "
		"(estimate); NULL: not known"},
};
VIEW(credits, "coupons and trial credit", credits_columns);

static const struct column sources_columns[] = {
	{"source", COL_TEXT, "what is polled"},
	{"project", COL_TEXT, "in which project"},
	{"last_success", COL_TIME, "last complete poll"},
	{"age_minutes", COL_DECIMAL, "minutes since then"},
	{"complete", COL_FLAG, "1: the last poll was complete"},
	{"stale", COL_FLAG, "1: no complete poll for three intervals"},
	{"unread", COL_FLAG, "1: not even a part of it was read for three intervals"},
	{"error", COL_TEXT, "what went wrong last"},
	{"state", COL_TEXT, "ok partial failed disabled"},
	{"items", COL_INT, "what the last poll found"},
	{"fix", COL_TEXT, "what to do about the error"},
	{"last_attempt", COL_TIME, "last poll, complete or not"},
	{"bytes_billed", COL_INT, "bytes that BigQuery billed for it this month (UTC)"},
	{"stale_text", COL_TEXT,
		"what to say of one that is stale: is old, was never read"},
};
VIEW(sources, "what is polled, how fresh it is and what is wrong", sources_columns);

static const struct column billed_credits_columns[] = {
	{"day", COL_TEXT, "calendar day in the configured time zone"},
	{"invoice_month", COL_TEXT, "Google's invoice month, YYYYMM"},
	{"project", COL_TEXT, "NULL: given to the account"},
	{"service", COL_TEXT, "service, in Google's words"},
	{"sku", COL_TEXT, "SKU, in Google's words"},
	{"category", COL_TEXT, "tpu cpu gpu disk snapshot ip network storage other"},
	{"credit_type", COL_TEXT, "PROMOTION, FREE_TIER, DISCOUNT, ... in Google's words"},
	{"credits", COL_MONEY, "zero or negative"},
	{"currency", COL_TEXT, "of the billing account"},
};
VIEW(billed_credits, "credits on the bill, by day and type", billed_credits_columns);

static const struct column restatements_columns[] = {
	{"day", COL_TEXT, "calendar day in the configured time zone"},
	{"invoice_month", COL_TEXT, "Google's invoice month, YYYYMM"},
	{"old_net", COL_MONEY, "what had been reported"},
	{"new_net", COL_MONEY, "what it is now"},
	{"change", COL_MONEY, "new minus old"},
	{"currency", COL_TEXT, "of the billing account"},
	{"noticed", COL_TIME, "when the change was seen"},
	{"source", COL_TEXT, "table or file it came from"},
};
VIEW(restatements, "days whose cost changed after they had been reported",
	restatements_columns);

static const struct column billing_tables_columns[] = {
	{"name", COL_TEXT, "name of the table, or file:PATH#CHECKSUM"},
	{"kind", COL_TEXT, "export: a table that is polled; file: one that was imported"},
	{"partitions", COL_INT, "days of the export"},
	{"row_count", COL_INT, "rows of the export"},
	{"first_day", COL_TEXT, "first day with usage, UTC"},
	{"last_day", COL_TEXT, "last day with usage, UTC"},
};
VIEW(billing_tables, "where the costs come from: tables and files", billing_tables_columns);

static const struct column quotas_columns[] = {
	{"project", COL_TEXT, "project id"},
	{"service", COL_TEXT, "compute.googleapis.com, tpu.googleapis.com"},
	{"metric", COL_TEXT, "what is limited"},
	{"location", COL_TEXT, "zone, region or global"},
	{"limit_value", COL_INT, "-1: unlimited"},
	{"used", COL_INT, "NULL: Google does not tell"},
	{"percent", COL_DECIMAL, "used of the limit; NULL when one is not known"},
	{"is_default", COL_FLAG,
		"1: what every project has; 0: granted to this one; NULL: not told"},
	{"dimensions", COL_JSON, "further dimensions, such as a machine family"},
	{"quota_id", COL_TEXT, "name for asking for more"},
	{"source", COL_TEXT, "which API said so"},
	{"last_seen", COL_TIME, "when it was read last"},
};
VIEW(quotas, "limits and how much of them is used", quotas_columns);

/* clang-format off */
const struct view *const views[] = {
	&resources,
	&grants,
	&coverage,
	&burn,
	&burned,
	&egress,
	&costs,
	&billed_credits,
	&restatements,
	&billing_tables,
	&budgets,
	&budget_parts,
	&credits,
	&coverage_totals,
	&view_reconciliation,
	&view_hidden_costs,
	&view_period_resources,
	&view_period_burn,
	&view_period_hidden,
	&view_budget_periods,
	&view_credit_projects,
	&view_estimate_errors,
	&view_daily_costs,
	&grant_ends,
	&grant_plan,
	&quotas,
	&sources,
	&view_access,
	&view_gaps,
	&view_alerts,
	&view_alert_events,
	&view_silences,
	&view_holds,
	&view_actions,
	&view_audit,
	&view_notifications,
	&view_channels,
	&view_rules,
	&view_present,
	&view_rates,
};
/* clang-format on */
const size_t n_views = ARRAY_LEN(views);

const char *column_type_name(enum column_type t)
{
	static const char *const names[] = {
		[COL_TEXT] = "text",
		[COL_INT] = "integer",
		[COL_FLAG] = "flag",
		[COL_MONEY] = "money",
		[COL_DECIMAL] = "decimal",
		[COL_TIME] = "time",
		[COL_JSON] = "JSON",
	};

	return names[t];
}

const struct view *view_find(const char *name)
{
	for (size_t i = 0; i < n_views; i++)
		if (!strcmp(views[i]->name, name))
			return views[i];
	return NULL;
}

const struct column *view_column(const struct view *v, const char *name)
{
	for (size_t i = 0; i < v->n; i++)
		if (!strcmp(v->columns[i].name, name))
			return &v->columns[i];
	return NULL;
}

const char *view_nearest_column(const struct view *v, const char *word)
{
	const char *names[64];
	size_t n = v->n < ARRAY_LEN(names) ? v->n : ARRAY_LEN(names);

	for (size_t i = 0; i < n; i++)
		names[i] = v->columns[i].name;
	return str_nearest(word, names, n);
}
