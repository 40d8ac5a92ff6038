/* Words of a statement that may be names of tables: all that are, and few others. Columns, aliases
 * and the content of comments are skipped. */
#ifndef TPUCOST_DB_NAMES_H
#define TPUCOST_DB_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <strings.h>

#define NAMES_DEPTH 64 /* of parentheses; deeper, every word counts */

struct names {
	const char *sql, *p; /* the statement, and the part that is still to be read */
	bool columns[NAMES_DEPTH]; /* at this depth only columns follow */
	size_t depth;              /* may be more than that */
	const char *before;        /* the last word, if nothing is between */
	size_t before_len;
	bool point; /* the last character was a point */
	char quote; /* quote in which it is; '\0': outside */
};

void names_begin(struct names *it, const char *sql);
/* *word points into the statement; false: no more words. */
bool names_next(struct names *it, const char **word, size_t *len);
/* Case-insensitive, as in SQL; `name` is in lower case. */
static inline bool names_same(const char *word, size_t len, const char *name)
{
	return (*word | 0x20) == *name && !strncasecmp(word, name, len) && !name[len];
}

#endif
