/* Columns of the views of the asked period, --since and --until. */
#include "rules/vocab/internal.h"

#define VIEW(ident, text, cols)            \
	const struct view view_##ident = { \
		.name = #ident, .doc = text, .columns = cols, .n = ARRAY_LEN(cols)}

#define KNOWN                                                                              \
	{                                                                                  \
		"known_hours", COL_DECIMAL,                                                \
			"for how much of the period it is known what there was: while it " \
			"was "                                                             \
			"polled without a pause; what was before is not in the figures. "  \
			"NULL: "                                                           \
			"never read completely"                                            \
	}

static const struct column period_resources_columns[] = {
	{"id", COL_TEXT, "as in resources; another one may have had it before"},
	{"uid", COL_TEXT, "Google's numeric id"},
	{"kind", COL_TEXT, "tpu vm disk ip snapshot; of others no history is kept"},
	{"project", COL_TEXT, "project id"},
	{"location", COL_TEXT, "zone, region or global"},
	{"name", COL_TEXT, "short name"},
	{"state", COL_TEXT, "at its end in the period, as in resources"},
	{"type", COL_TEXT, "v3-8, n1-highmem-96, pd-ssd, ...; at its end in the period"},
	{"family", COL_TEXT, "v2 v3 v4 v5litepod v5p v6e; n1, e2, ... for machines"},
	{"provisioning", COL_TEXT, "on-demand spot reserved"},
	{"chips", COL_INT, "TPU chips"},
	{"vcpus", COL_INT, "virtual CPUs"},
	{"size_gib", COL_INT, "disk size, GiB"},
	{"owner", COL_TEXT, "label owner, creator or user; of now, or of its end"},
	{"labels", COL_JSON, "labels as a JSON object; of now, or of its end"},
	{"seen_from", COL_TIME, "its first moment in the period"},
	{"seen_until", COL_TIME, "its last moment in the period"},
	{"is_there", COL_FLAG, "1: it still exists"},
	{"hours", COL_DECIMAL, "how long it existed in the period"},
	{"running_hours", COL_DECIMAL, "of them running"},
	{"gross", COL_MONEY, "those hours at today's list price; NULL when some have none"},
	{"net", COL_MONEY, "gross minus what a grant covers"},
	{"currency", COL_TEXT, "of the amounts"},
	{"unpriced_hours", COL_DECIMAL, "time for which there is no price"},
	KNOWN,
};
VIEW(period_resources,
	"what there was at some time of the asked period (--since, --until), gone or not; "
	"empty where none is asked for",
	period_resources_columns);

static const struct column period_burn_columns[] = {
	{"project", COL_TEXT, "project id"},
	{"category", COL_TEXT, "tpu cpu gpu disk snapshot ip"},
	{"gross", COL_MONEY,
		"what there was in the period, at today's list price (estimate)"},
	{"net", COL_MONEY, "gross minus what grants cover"},
	{"resources", COL_INT, "how many, gone or not"},
	{"currency", COL_TEXT, "of the amounts; NULL: time without a price"},
	{"unpriced_hours", COL_DECIMAL, "how much time that is, of all of them together"},
	KNOWN,
};
VIEW(period_burn,
	"what everything cost in the asked period (--since, --until) at today's list "
	"prices; empty where none is asked for",
	period_burn_columns);

static const struct column period_hidden_columns[] = {
	{"id", COL_TEXT, "the TPU"},
	{"project", COL_TEXT, "project id"},
	{"location", COL_TEXT, "zone of the TPU"},
	{"name", COL_TEXT, "short name of the TPU"},
	{"type", COL_TEXT, "type of the TPU"},
	{"part", COL_TEXT, "id of what goes with it"},
	{"kind", COL_TEXT, "disk vm ip"},
	{"relation", COL_TEXT, "as in hidden_costs"},
	{"via", COL_TEXT, "the machine that it is attached to, where not to the TPU"},
	{"certain", COL_FLAG, "1: Google says so; 0: by names alone"},
	{"hours", COL_DECIMAL, "how long it existed in the period"},
	{"running_hours", COL_DECIMAL, "of them running"},
	{"gross", COL_MONEY, "those hours at today's list price; NULL when some have none"},
	{"currency", COL_TEXT, "of gross"},
	KNOWN,
};
VIEW(period_hidden,
	"what is there beside the TPUs of now, and what it cost in the asked period "
	"(--since, --until); empty where none is asked for",
	period_hidden_columns);

static const struct column budget_periods_columns[] = {
	{"name", COL_TEXT, "name of the budget"},
	{"period", COL_TEXT, "month week day custom"},
	{"starts", COL_TIME, "first instant of the period"},
	{"ends", COL_TIME, "first instant after it"},
	{"amount", COL_MONEY, "what may be spent in it"},
	{"spent", COL_MONEY,
		"billed in it, as in budgets; NULL: no bill of that time was read"},
	{"percent", COL_DECIMAL, "spent of the amount"},
	{"currency", COL_TEXT, "of the amounts"},
	{"status", COL_TEXT,
		"running: it is not over, and the bill of its last days is to come; "
		"partial "
		"settling settled: how final its last day is; partial also where the bill "
		"begins within the period"},
	{"converted", COL_FLAG, "1: amounts were converted at the rate on the bill"},
};
VIEW(budget_periods,
	"what the bill says of budgets, in periods that the asked one (--since, --until) "
	"has "
	"some of; empty where none is asked for",
	budget_periods_columns);

static const struct column credit_projects_columns[] = {
	{"name", COL_TEXT, "name of the coupon or credit"},
	{"project", COL_TEXT, "project id; NULL: the billing account itself"},
	{"used", COL_MONEY,
		"promotion credits of this project on the bill; NULL: of coupons that ran "
		"at a "
		"time, nobody knows which one paid for whom"},
	{"share_percent", COL_DECIMAL, "of what all projects used together"},
	{"amount", COL_MONEY, "worth of the whole coupon"},
	{"currency", COL_TEXT, "of the amounts"},
	{"starts", COL_TIME, "first instant; NULL: it always was"},
	{"expires", COL_TIME, "when it ends whatever is left"},
};
VIEW(credit_projects, "what each project used of coupons and trial credit",
	credit_projects_columns);
