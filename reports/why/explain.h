/* What a figure or verdict is made of: rows of label and value in sections, each with the
 * formula, the source and the age of what it rests on. Figures come from the derived tables
 * that the views read, never from a second computation. */
#ifndef TPUCOST_REPORTS_WHY_EXPLAIN_H
#define TPUCOST_REPORTS_WHY_EXPLAIN_H

#include "base/err.h"
#include "base/mem.h"
#include "base/sbuf.h"
#include "rules/settings.h"

struct db;

enum explain_value {
	EXPLAIN_UNKNOWN, /* there is such a figure, and nobody knows it */
	EXPLAIN_TEXT,
	EXPLAIN_COMMAND, /* text to paste */
	EXPLAIN_NANOS,   /* an exact decimal: money or a count */
	EXPLAIN_TIME,
};

struct explain_row {
	const char *section, *label;
	enum explain_value kind;
	const char *text;
	int64_t nanos;
	ts_t at;
	const char *unit;    /* "USD/h", "chips"; NULL: none */
	const char *formula; /* how the value is made; NULL */
	const char *source;  /* where it comes from; NULL: see the rest of the section */
	struct opt_i64 age;  /* seconds since that source was read */
};

struct explaining {
	struct db *db;
	const struct settings *settings;
	ts_t now;
	const char *config; /* path of the configuration */
	bool people;     /* times within texts are of the configured zone; else RFC 3339 */
	struct arena *a; /* owns all that follows */

	const char *title;
	const char *section; /* that rows are added to */
	struct explain_row *rows;
	size_t n_rows, cap;

	const char **matches; /* of a name that says too little */
	size_t n_matches;
};

/* Explain what `words` name: "grant:trc" or "grant" "trc", the id of a resource, or a part of
 * a name that only one thing has. E_USAGE when nothing has it, with the nearest name, or when
 * several have: these are in matches. */
enum err_code explain(
	struct explaining *x, const char *const *words, size_t n, struct err *e) must_check;

/* As it is to be said within a text. In the arena. */
const char *explain_time(const struct explaining *x, ts_t at);

/* Sections and lines of at most `width` columns, but for commands. */
void explain_text(const struct explaining *x, size_t width, struct sbuf *b);

#endif
