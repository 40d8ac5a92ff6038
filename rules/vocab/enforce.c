/* Columns of the views of what is done to machines. */
#include "rules/vocab/internal.h"

static const struct column actions_columns[] = {
	{"id", COL_INT, "number, for: tpucost enforce approve"},
	{"rule", COL_TEXT, "name of the rule"},
	{"resource", COL_TEXT, "id of the machine, as in resources"},
	{"uid", COL_TEXT, "Google's numeric id; another uid is another machine"},
	{"action", COL_TEXT, "stop delete"},
	{"mode", COL_TEXT, "dry-run: nothing is done; armed"},
	{"state", COL_TEXT,
		"pending warning grace recheck intent sent verify unknown done failed "
		"superseded cleared; held: a guard keeps it from going on"},
	{"at", COL_TIME, "in that stage since then"},
	{"reason", COL_TEXT, "why it is there, in a sentence"},
	{"stage", COL_TEXT, "the state, also of one that is held"},
	{"held", COL_TEXT, "name of the guard that holds it"},
	{"severity", COL_TEXT, "of the alert: info warning critical"},
	{"kind", COL_TEXT, "vm tpu queued"},
	{"project", COL_TEXT, "project id"},
	{"location", COL_TEXT, "its zone"},
	{"name", COL_TEXT, "short name"},
	{"started", COL_TIME, "its last start; another start is another action"},
	{"began", COL_TIME, "when the rule first held"},
	{"warned", COL_TIME, "when a channel took the warning"},
	{"due", COL_TIME, "end of the grace"},
	{"approved", COL_TIME, "when a person let it pass limits and back-off"},
	{"next_at", COL_TIME, "not tried again before"},
	{"sent", COL_TIME, "when Google had the request"},
	{"ended", COL_TIME, "when it was over"},
	{"operation", COL_TEXT, "name of Google's operation"},
	{"request_id", COL_TEXT, "of the request; repeats of it have the same"},
	{"attempts", COL_INT, "how often it was sent"},
	{"saves_per_hour", COL_MONEY,
		"net, what it costs no more when it is done; NULL when not known"},
	{"residual_per_hour", COL_MONEY,
		"what its disks and addresses go on costing; NULL when not known"},
	{"currency", COL_TEXT, "of the two amounts"},
	{"restart", COL_TEXT, "the command that brings it back"},
};
const struct view view_actions = {.name = "actions",
	.doc = "what rules do to machines, or would do if they were armed",
	.columns = actions_columns,
	.n = ARRAY_LEN(actions_columns)};

static const struct column audit_columns[] = {
	{"seq", COL_INT, "number, in order, without gaps"},
	{"at", COL_TIME, "when it was written"},
	{"actor", COL_TEXT, "who did it: tpucost, or user and name"},
	{"event", COL_TEXT, "what was done"},
	{"action", COL_INT, "id in actions"},
	{"resource", COL_TEXT, "id of the machine, as in resources"},
	{"detail", COL_JSON, "what belongs to it, such as the words of --comment"},
	{"hash", COL_TEXT,
		"SHA-256 of the entry and of the hash before it; for: tpucost audit "
		"verify"},
};
const struct view view_audit = {.name = "audit",
	.doc = "what was done to machines, and what people said about that; never deleted",
	.columns = audit_columns,
	.n = ARRAY_LEN(audit_columns)};
