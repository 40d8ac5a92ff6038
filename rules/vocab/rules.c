/* Columns of the views of rules and alerts, and of the moment that they are judged at. */
#include "rules/vocab/internal.h"

#define VIEW(ident, text, cols)            \
	const struct view view_##ident = { \
		.name = #ident, .doc = text, .columns = cols, .n = ARRAY_LEN(cols)}

static const struct column alerts_columns[] = {
	{"rule", COL_TEXT, "name of the rule"},
	{"subject", COL_TEXT, "id of the resource, or the key of the row it is about"},
	{"state", COL_TEXT, "pending firing resolved"},
	{"severity", COL_TEXT, "info warning critical; the worst it has been"},
	{"since", COL_TIME, "the condition holds since then"},
	{"last_seen", COL_TIME, "newest judgement that found it to hold"},
	{"summary", COL_TEXT, "what is wrong, in a sentence"},
	{"value", COL_DECIMAL, "the figure it is about"},
	{"data", COL_TEXT,
		"fresh; stale or unknown: it cannot be judged now, the state is the last "
		"one that could"},
	{"fired", COL_TIME, "when it began to fire"},
	{"resolved", COL_TIME, "when fresh data said that it holds no more"},
	{"silenced_until", COL_TIME, "no messages until then"},
	{"labels", COL_JSON, "labels of the rule"},
};
VIEW(alerts, "conditions that hold now or did in the last week", alerts_columns);

static const struct column alert_events_columns[] = {
	{"event", COL_INT, "number, in order"},
	{"at", COL_TIME, "when it was judged so"},
	{"rule", COL_TEXT, "name of the rule"},
	{"subject", COL_TEXT, "as in alerts"},
	{"kind", COL_TEXT, "firing worse repeat resolved"},
	{"severity", COL_TEXT, "info warning critical"},
	{"summary", COL_TEXT, "what was said"},
	{"muted", COL_FLAG, "1: silenced at that time"},
};
VIEW(alert_events, "what happened to alerts", alert_events_columns);

static const struct column silences_columns[] = {
	{"silence", COL_INT, "number, for: tpucost silence remove"},
	{"rule", COL_TEXT, "name of the rule"},
	{"subject", COL_TEXT, "NULL: every subject"},
	{"until", COL_TIME, "quiet until then"},
	{"comment", COL_TEXT, "why, in the words of who did it"},
	{"created", COL_TIME, "since when"},
	{"active", COL_FLAG, "0: it is over"},
};
VIEW(silences, "rules that are quiet for a while", silences_columns);

static const struct column holds_columns[] = {
	{"id", COL_TEXT, "the resource"},
	{"until", COL_TIME, "nothing acts on it until then"},
	{"comment", COL_TEXT, "why, in the words of who did it"},
	{"created", COL_TIME, "since when"},
	{"active", COL_FLAG, "0: it is over"},
};
VIEW(holds, "resources that nothing acts on for a while", holds_columns);

static const struct column gaps_columns[] = {
	{"source", COL_TEXT, "what is polled"},
	{"project", COL_TEXT, "in which project"},
	{"location", COL_TEXT, "the zone or region that did not answer"},
	{"since", COL_TIME, "the poll that noted it"},
};
VIEW(gaps,
	"places that did not answer when a source was last read; all else of it was read",
	gaps_columns);

static const struct column present_columns[] = {
	{"now", COL_TIME, "this moment"},
	{"today", COL_TEXT, "calendar day in the configured time zone"},
	{"timezone", COL_TEXT, "the configured time zone"},
	{"currency", COL_TEXT, "the configured currency"},
};
VIEW(present, "the moment that everything else is as of", present_columns);

static const struct column rules_columns[] = {
	{"name", COL_TEXT, "name of the rule"},
	{"judged", COL_TIME, "when it was judged last"},
	{"hits", COL_INT, "rows for which it held then"},
	{"error", COL_TEXT, "why it could not be judged"},
	{"text", COL_TEXT, "what decides when it fires"},
	{"firing", COL_INT, "alerts of it that fire"},
};
VIEW(rules, "how the rules fared when they were judged last", rules_columns);

static const struct column rates_columns[] = {
	{"currency", COL_TEXT, "ISO 4217"},
	{"per_usd", COL_DECIMAL, "so much of it is one USD"},
};
VIEW(rates, "what the bill was converted at last", rates_columns);
