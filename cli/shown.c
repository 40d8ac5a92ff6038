#include "cli/shown.h"

#include <string.h>

const struct view *shown_find(const char *name)
{
	const struct view *const own[] = {&view_enforce, &view_estimate, &view_rule_list};

	for (size_t i = 0; i < ARRAY_LEN(own); i++)
		if (!strcmp(own[i]->name, name))
			return own[i];
	return view_find(name);
}
