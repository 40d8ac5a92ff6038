/* Which words of a statement may be names of tables: all that are, and few that are not. Columns,
 * aliases and what is inside of comments are left out. */
#ifndef TPUCOST_DB_NAMES_H
#define TPUCOST_DB_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <strings.h>

#define NAMES_DEPTH 64 /* of parentheses; deeper, every word counts */

struct names {
	const char *sql, *p;       /* the statement, and what is still to be read of it */
	bool columns[NAMES_DEPTH]; /* at this depth only columns come now */
	size_t depth;              /* may be more than that */
	const char *before;        /* the last word, where nothing stands between */
	size_t before_len;
	bool point; /* was the last sign a point? */
	char quote; /* inside of it; '\0': outside */
};

void names_begin(struct names *it, const char *sql);
/* *word points into the statement; false: there are no more. */
bool names_next(struct names *it, const char **word, size_t *len);
/* Without regard to case, as in SQL; `name` is in small letters. */
static inline bool names_same(const char *word, size_t len, const char *name)
{
	return (*word | 0x20) == *name && !strncasecmp(word, name, len) && !name[len];
}

#endif
