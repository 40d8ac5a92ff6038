/* Derivation of a figure or verdict: sections of rows with label and value, each with the formula,
 * the source and the age of its data. Figures are read from the derived tables of the views and
 * never computed a second time. */
#ifndef TPUCOST_REPORTS_WHY_EXPLAIN_H
#define TPUCOST_REPORTS_WHY_EXPLAIN_H

#include "base/err.h"
#include "base/mem.h"
#include "base/sbuf.h"
#include "db/answer.h"
#include "rules/settings.h"

enum explain_value {
	EXPLAIN_UNKNOWN, /* the figure exists but its value is unknown */
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
	const char *formula; /* calculation of the value; NULL: none */
	/* source of the value; NULL: see the other rows of the section */
	const char *source;
	struct opt_i64 age; /* seconds since the source was read */
};

struct explaining {
	struct db *db;
	struct err *e; /* private: the first error; see struct db_reader */
	const struct settings *settings;
	ts_t now;
	const char *config; /* path of the configuration */
	bool people;        /* times in texts are in the configured zone; else RFC 3339 */
	struct arena *a;    /* all of the following is allocated from it */

	const char *view; /* that has the figures */
	const char *title;
	const char *section; /* current section: receives new rows */
	struct explain_row *rows;
	size_t n_rows, cap;

	/* Lines of the bill of which only sums of days are kept, and that have no stored answer: n_projects 0: none. The
	 * caller may ask BigQuery, and explain again; `unanswered` is why that failed, or NULL. */
	struct billing_question question;
	const char *unanswered;

	/* sentence about other resources with the same name, or the host that was meant; NULL: none */
	const char *others;
};

/* Explains the object that `words` name: "grant:trc" or "grant" "trc", the id of a resource, a
 * name as in rules/vocab/named.h, or a unique part of a name. Of resources with the same name, a TPU is
 * preferred, then a machine. Of a host, its slice is explained. E_USAGE if no object matches, with the nearest name, or if several match:
 * these are in matches. */
enum err_code explain(
	struct explaining *x, const char *const *words, size_t n, struct err *e) must_check;

/* The value as text within a sentence. Allocated from `a`. */
const char *explain_time(const struct explaining *x, ts_t at);

/* Appends the value with its unit; a time with the distance from now. */
void explain_value(
	const struct explaining *x, const struct explain_row *row, struct sbuf *b);

/* Writes sections and lines of at most `width` columns, except commands. */
void explain_text(const struct explaining *x, size_t width, struct sbuf *b);

#endif
