/* What the answers rest on. */
#include "rules/vocab/internal.h"

static const struct column access_columns[] = {
	{"level", COL_INT, "0 to 4"},
	{"name", COL_TEXT, "files, inventory, metrics, billing export, stop"},
	{"have", COL_FLAG,
		"1: it is reached: something of it was read; of stop: it is armed"},
	{"configured", COL_FLAG, "1: the configuration asks for it"},
	{"basis", COL_TEXT, "how much of it: 2 of 3 projects"},
	{"missing", COL_TEXT, "what is not known without it"},
	{"fix", COL_TEXT, "the command that leads to it"},
};

const struct view view_access = {"access",
	"levels of access: what figures rest on, and what is not known for lack of the "
	"others",
	access_columns, ARRAY_LEN(access_columns)};
