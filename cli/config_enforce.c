/* Enforcement in the configuration. */
#include "cli/config_parts.h"

#include <string.h>

static enum err_code read_mode(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	static const char *const words[] = {"off", "dry-run", "armed"};

	(void)b;
	return config_one_of(n, words, ARRAY_LEN(words), obj, e);
}

#define EN(field) offsetof(struct enforcement_config, field)
static const struct field enforcement_fields[] = {
	{"mode", BIND_OTHER, EN(mode), read_mode, false},
	{"projects", BIND_TEXTS, EN(projects), NULL, false},
	{"max_per_run", BIND_COUNT, EN(max_per_run), NULL, false},
	{"max_per_hour", BIND_COUNT, EN(max_per_hour), NULL, false},
	{"max_per_day", BIND_COUNT, EN(max_per_day), NULL, false},
	{"protect", BIND_TEXT, EN(protect), NULL, false},
	{"credentials", BIND_PATH, EN(credentials), NULL, false},
	{"allow_delete", BIND_FLAG, EN(allow_delete), NULL, false},
};

enum err_code config_read_enforcement(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct enforcement_config *en = obj;

	if (bind_map(b, n, "enforcement", enforcement_fields, ARRAY_LEN(enforcement_fields),
		    en, e))
		return e->code;
	if (en->mode && !strcmp(en->mode, "armed") && !en->projects.n)
		return yaml_err(n, e,
			"enforcement: mode armed needs the projects that may be acted on");
	return E_OK;
}
