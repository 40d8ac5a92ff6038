/* Columns of the views that hold what was seen against what was billed. */
#include "rules/vocab/internal.h"

#define VIEW(ident, text, cols)            \
	const struct view view_##ident = { \
		.name = #ident, .doc = text, .columns = cols, .n = ARRAY_LEN(cols)}

static const struct column reconciliation_columns[] = {
	{"day", COL_TEXT, "calendar day in the configured time zone"},
	{"project", COL_TEXT, "project id"},
	{"family", COL_TEXT, "v2 v3 v4 v5litepod v5p v6e; NULL: the SKU does not tell"},
	{"location", COL_TEXT, "zone, or region where the bill has no more"},
	{"provisioning", COL_TEXT, "on-demand or spot; reservations count as on-demand"},
	{"covered_chip_hours", COL_DECIMAL, "ran, and a grant covers it"},
	{"uncovered_chip_hours", COL_DECIMAL, "ran, and no grant covers it"},
	{"why", COL_TEXT, "why most of those are not covered, as in resources"},
	{"billed_chip_hours", COL_DECIMAL,
		"on the bill; NULL: nothing is, or in a unit that is not understood"},
	{"cost", COL_MONEY, "on the bill, before credits"},
	{"credits", COL_MONEY, "zero or negative"},
	{"promo", COL_MONEY, "the part of credits that a coupon or trial paid"},
	{"net", COL_MONEY, "cost plus credits"},
	{"currency", COL_TEXT, "of the bill"},
	{"status", COL_TEXT, "partial settling settled: how final that day is"},
	{"verdict", COL_TEXT,
		"ok billed-but-covered free-unexplained coupon not-in-bill not-seen "
		"not-final not-understood"},
	{"why_text", COL_TEXT, "the verdict as a sentence"},
	{"sku", COL_TEXT, "the SKU that costs most there"},
	{"skus", COL_INT, "lines of the bill, one a SKU and unit"},
};
VIEW(reconciliation,
	"TPUs as seen against TPUs as billed, in the last 35 days or the asked period",
	reconciliation_columns);

static const struct column daily_costs_columns[] = {
	{"day", COL_TEXT, "calendar day in the configured time zone"},
	{"project", COL_TEXT, "NULL: charged to the account (tax, support)"},
	{"cost", COL_MONEY, "before credits"},
	{"credits", COL_MONEY, "zero or negative"},
	{"net", COL_MONEY, "cost plus credits"},
	{"currency", COL_TEXT, "of the billing account"},
	{"status", COL_TEXT, "partial settling settled: how final that day is"},
	{"days_7d", COL_INT, "days of the 7 before it that have costs and are not partial"},
	{"mean_7d", COL_MONEY, "mean of net of those days; NULL when fewer than 3"},
	{"ratio", COL_DECIMAL,
		"net divided by that mean; NULL without one, or when it is not positive"},
};
VIEW(daily_costs, "what each project cost, day by day, beside the mean of the week before",
	daily_costs_columns);

static const struct column hidden_costs_columns[] = {
	{"id", COL_TEXT, "the TPU"},
	{"project", COL_TEXT, "project id"},
	{"location", COL_TEXT, "zone of the TPU"},
	{"name", COL_TEXT, "short name of the TPU"},
	{"type", COL_TEXT, "type of the TPU"},
	{"state", COL_TEXT, "state of the TPU"},
	{"covered", COL_FLAG, "1: the TPU itself is free"},
	{"part", COL_TEXT, "id of what goes with it"},
	{"kind", COL_TEXT, "disk vm ip bucket"},
	{"relation", COL_TEXT,
		"attached data-disk: as Google says; same-name label: a machine or bucket "
		"that is called or labelled like the TPU"},
	{"via", COL_TEXT, "the machine that it is attached to, where not to the TPU"},
	{"certain", COL_FLAG, "1: Google says so; 0: by names alone"},
	{"gross_per_hour", COL_MONEY, "list price; NULL when not known"},
	{"gross_per_day", COL_MONEY, "24 times that"},
	{"currency", COL_TEXT, "of the two prices"},
};
VIEW(hidden_costs,
	"what is paid beside a TPU, free or not: disks, machines, addresses, buckets",
	hidden_costs_columns);

static const struct column estimate_errors_columns[] = {
	{"day", COL_TEXT, "a settled day in the configured time zone"},
	{"estimate", COL_MONEY,
		"list price of what was seen of machines, GPUs, TPUs no grant covers, "
		"disks, addresses and snapshots"},
	{"billed", COL_MONEY,
		"the same on the bill: before credits, of TPUs what is left but for "
		"coupons"},
	{"currency", COL_TEXT, "of the bill"},
	{"percent", COL_DECIMAL,
		"how much the estimate is above the bill; NULL: nothing billed"},
	{"converted", COL_FLAG,
		"1: some of it was converted from USD by the rate of the bill"},
	{"rate", COL_DECIMAL, "units of currency in one USD"},
	{"left_out", COL_TEXT,
		"categories of which something has no known price: of neither side in "
		"those projects"},
};
VIEW(estimate_errors, "list-price estimates beside the bill, for the last 14 settled days",
	estimate_errors_columns);
