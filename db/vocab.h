/* Vocabulary: every public view with its columns, as db/views declares them. One list for JSON
 * keys, CSV headers, --where, rules, {placeholders}, tables and docs/views.md. */
#ifndef TPUCOST_DB_VOCAB_H
#define TPUCOST_DB_VOCAB_H

#include "base/base.h"

enum column_type {
	COL_TEXT,
	COL_INT,
	COL_FLAG,    /* 0 or 1, NULL where it does not apply */
	COL_MONEY,   /* exact decimal, the row's currency */
	COL_DECIMAL, /* other decimals: hours, GiB */
	COL_TIME,    /* RFC 3339, UTC */
	COL_JSON,    /* JSON text */
};

struct column {
	const char *name;
	enum column_type type;
	const char *doc; /* meaning and unit */
};

struct view {
	const char *name;
	const char *doc;
	const struct column *columns;
	size_t n;
};

extern const struct view *const views[];
extern const size_t n_views;

/* Is it a percentage? Outputs have one digit after the point. */
bool column_is_percent(const struct column *c);
/* "text", "integer", "money", ... */
const char *column_type_name(enum column_type t);

const struct view *view_find(const char *name);
const struct column *view_column(const struct view *v, const char *name);
/* Nearest column name for a misspelled one, or NULL. For a word such as "cost" that is not a column
 * of the view: a column with an amount. */
const char *view_nearest_column(const struct view *v, const char *word);

#endif
