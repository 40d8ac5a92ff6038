/* The reference of configuration keys, from the tables that read them. */
#ifndef TPUCOST_CLI_CONFIG_DOC_H
#define TPUCOST_CLI_CONFIG_DOC_H

#include "base/mem.h"
#include "cli/config/bind.h"

struct config_key {
	const char
		*path; /* "billing.tables[].from"; "[]" stands for each entry of a list */
	const struct field *field;
	int depth;
};

/* All keys in the order of the tables, each before those inside it. In the arena. */
size_t config_doc_keys(struct arena *a, struct config_key **out);
/* Does `path` name the key or one that it is inside of? "[]" may be left out. */
bool config_key_within(const char *key, const char *path);

#endif
