/* Columns of the views of messages. */
#include "rules/vocab/internal.h"

static const struct column notifications_columns[] = {
	{"id", COL_INT, "number, in order"},
	{"channel", COL_TEXT, "name of the channel"},
	{"kind", COL_TEXT,
		"alerts; digest: many of them; daily weekly month grant: a report; lost: "
		"dead "
		"letters of another "
		"channel; test"},
	{"subject", COL_TEXT, "what it says, in a line"},
	{"state", COL_TEXT,
		"pending sending sent; unclear: it may have arrived; dead: given up; "
		"dropped: its channel is gone"},
	{"attempts", COL_INT, "how often it was tried"},
	{"next_at", COL_TIME, "when it is tried next"},
	{"error", COL_TEXT, "what stood in the way last, and what to do"},
	{"recipient", COL_TEXT, "of mail"},
	{"created", COL_TIME, "when it was written"},
	{"finished", COL_TIME, "when it was sent or given up"},
	{"reply", COL_TEXT, "what the other side answered last"},
	{"message", COL_TEXT,
		"the same for all recipients: part of the Message-ID of mail"},
};
const struct view view_notifications = {.name = "notifications",
	.doc = "messages, one for each recipient: where they went, or why they did not",
	.columns = notifications_columns,
	.n = ARRAY_LEN(notifications_columns)};

static const struct column channels_columns[] = {
	{"name", COL_TEXT, "name of the channel"},
	{"kind", COL_TEXT, "email sendmail slack webhook alertmanager file"},
	{"state", COL_TEXT,
		"ok; failing: the last attempt did not arrive; off: it is not tried until "
		"its configuration changes"},
	{"waiting", COL_INT, "messages and alerts that are still to go out"},
	{"dead", COL_INT, "messages that were given up"},
	{"last_sent", COL_TIME, "when a message last arrived"},
	{"off_since", COL_TIME, "when it was switched off"},
	{"error", COL_TEXT, "what stood in the way last"},
};
const struct view view_channels = {.name = "channels",
	.doc = "where messages go: does it work, what waits, what was given up",
	.columns = channels_columns,
	.n = ARRAY_LEN(channels_columns)};
