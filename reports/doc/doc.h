/* A report or a message as plain data: sections of typed cells. A producer builds one document, and
 * every format renders it, so that all formats show the same figures.
 *
 * Everything is allocated from the arena of the document. Texts are unescaped (names of resources
 * can hold any character): the formats escape them. Text that a format adds is ASCII, except for
 * the blocks of sparklines. */
#ifndef TPUCOST_REPORTS_DOC_DOC_H
#define TPUCOST_REPORTS_DOC_DOC_H

#include "base/mem.h"
#include "base/sbuf.h"
#include "base/time/tz.h"
#include "db/db.h"
#include "db/vocab.h"

enum doc_type {
	DOC_NONE, /* unknown; the column has the type */
	DOC_TEXT,
	DOC_CODE, /* text to type or paste: an id, a command */
	DOC_INT,
	DOC_MONEY,    /* nanos; text is the currency */
	DOC_RATE,     /* nanos an hour; text is the currency */
	DOC_DECIMAL,  /* nanos without a currency: chip-hours, GiB */
	DOC_PERCENT,  /* nanos: 80.5 % is 80.5e9 */
	DOC_TIME,     /* UTC seconds */
	DOC_DURATION, /* seconds */
	DOC_FLAG,     /* 0 or 1 */
	DOC_REAL,     /* single cells only: a decimal that does not fit in nano-units */
};

enum doc_tone { TONE_PLAIN, TONE_GOOD, TONE_WARN, TONE_BAD, TONE_SOFT };

/* Reliability of a figure. Formats for reading show a mark, data shows the word
 * (doc_status_name). */
enum doc_status {
	STATUS_NONE,
	STATUS_ESTIMATE, /* from list prices or a forecast: "~" */
	STATUS_PARTIAL,  /* billed, but Google still adds usage: "*" */
};

struct doc_cell {
	enum doc_type type;
	enum doc_tone tone;
	enum doc_status status;
	union {
		int64_t v;
		double real; /* DOC_REAL */
	};
	const char *text;
};

struct doc_column {
	const char *key;   /* in JSON and CSV: the name from the vocabulary, if any */
	const char *title; /* heading for reading; NULL: only for programs */
	/* DOC_NONE: as the vocabulary defines the key; see doc_section_like() */
	enum doc_type type;
	int digits; /* fraction digits in formats for reading; -1: those of the currency. Data is
		     * exact. */
	int rank; /* 0: always shown; on narrow output the highest are omitted first */
	enum doc_status status; /* status of each figure in the column when it is read */
};

struct doc_row {
	struct doc_cell *cells; /* one for each column */
	const char *detail;     /* a sentence about the row, shown below it; NULL: none */
	const char *command; /* command that fixes it, to paste into a shell; NULL: none */
	/* Second command, shown below the first with an introduction; NULL: none. Not in data,
	 * where a cell holds it. */
	const char *also, *also_command;
	/* The essential facts in one short line, for small outputs; NULL: none. */
	const char *line;
	const char *link; /* on a page: URL of the heading of the row; NULL: none */
	bool only_line; /* formats for reading show the line instead of the row, regardless of the
			 * row limit */
	enum doc_tone tone; /* of the detail and of the mark of the row */
	bool total;         /* a sum of rows above */
	bool folded;        /* in charts and data; formats for reading omit the row */
};

/* A series over the rows of its section except totals, one for each currency. Only files of HTML show
 * the other two kinds. */
struct doc_chart {
	const char *title;
	int label, value; /* columns; -1 as `value`: no chart */
	/* Line to compare with in every chart (a budget's daily share): nanos, or NONE. */
	struct opt_i64 mark;
	const char *mark_title;
	/* Column with the names of the parts of a bar: rows with the same label are stacked. 0: none. */
	int part;
	/* Columns with times instead of `value`: each row is an interval in the line of its label, until now if it has
	 * no end. 0: none. */
	int from, to;
};

/* A table that a page of a web site can sort, filter and offer as data. All texts are part of URLs, and
 * encoded, except where noted. */
struct doc_source {
	const char *path;      /* of the data, without ".json": "/resources" */
	const char *args;      /* "where=...&limit=10", without the order; or "" */
	const char *page;      /* that sorts and filters it; NULL: no page does */
	const char *page_args; /* of the page, without the order; or "" */
	const char *sort; /* its order, not encoded: "-gross_per_hour"; NULL: its own */
	const char *form; /* markup below the title; NULL: none */
};

struct doc_section {
	const char *key;   /* in JSON and CSV */
	const char *title; /* NULL: only for programs */
	const char *note;  /* a sentence below the title, or NULL */
	const char *empty; /* instead of rows where there are none; NULL: hidden */
	bool unknown; /* there are none because they are not known: `empty` is also in formats of data */
	const char *more; /* command that shows the rest, after "and N more: " */
	size_t most; /* rows in plain text, where rows are limited; 0: the usual limit */
	enum doc_tone tone;
	bool brief; /* part of the short form: chat messages */
	bool whole; /* reports omitted rows to the sender: format_opts.cut */
	/* Column whose equal values follow each other: formats for reading show its value once, above the rows, and
	 * its own title is NULL. NULL: none. */
	const char *group;
	const struct doc_column *columns;
	int n_columns;
	struct doc_row *rows;
	size_t n, cap;
	struct doc_chart chart;
	const struct doc_source *source; /* on a page; NULL: none */
	bool closed; /* on a page: the table is shown on demand, below its chart */
	const char *
		linked; /* column with the links of rows; NULL, or not shown: the first one */
	/* For the table of a command: */
	bool droppable; /* columns may be omitted on narrow output */
	bool overlap;   /* amounts of different rows overlap: they cannot be summed */
	struct arena *arena;
	int *read_from; /* private: position of each column in a query */
};

/* Facts about the whole document: date, zone, created, ages. JSON members next to the sections. */
struct doc_fact {
	const char *key, *title; /* title NULL: only for programs */
	struct doc_cell cell;
};

struct doc {
	struct arena *arena;
	const struct tz *tz; /* for DOC_TIME; printed in the output */
	ts_t now;
	const char *kind;     /* "daily" "weekly" "month" "grant" "alert" "test" ... */
	const char *title;    /* "tpucost daily report, 2026-11-20" */
	const char *subject;  /* one line with the main fact; NULL: the title */
	const char *headline; /* the answer in one to three sentences */
	enum doc_tone tone;   /* of the headline */
	struct doc_fact *facts;
	size_t n_facts, cap_facts;
	struct doc_section **sections;
	size_t n, cap;
	const char **notes; /* at the end of the document */
	size_t n_notes, cap_notes;
	const char **brief; /* those of the notes that the short form has as well */
	size_t n_brief, cap_brief;
	bool zone_said; /* a note names the zone */
};

struct doc *doc_new(struct arena *a, const char *kind, const struct tz *tz, ts_t now);
/* The caller owns the columns (static tables); charts are off. */
struct doc_section *doc_section(struct doc *d, const char *key, const char *title,
	const struct doc_column *columns, int n_columns);
/* The same. Columns without a type get the type of the view's column, or of another column of that
 * name: an amount per hour is DOC_RATE, a percentage DOC_PERCENT. Both functions take a static
 * table. */
struct doc_section *doc_section_like(struct doc *d, const char *key, const char *title,
	const char *view, const struct doc_column *columns, int n_columns);
/* Adds the remaining rows of a query to the section, one per call. Returns NULL at the
 * end and after an error, which db_rows_close() returns. Each column gets the value of the result
 * column with its key: amounts are in nano-units of the row's "currency"; other values as in
 * doc_cell_raw(). */
struct doc_row *doc_read(struct doc_section *s, struct db_rows *rows);
/* Returns the cell with that key. An unknown key aborts the program. */
struct doc_cell *doc_at(
	const struct doc_section *s, const struct doc_row *r, const char *key);
/* Adds a row of DOC_NONE cells. Valid until the next row of the section is added. */
struct doc_row *doc_row(struct doc_section *s);
void doc_fact(struct doc *d, const char *key, const char *title, struct doc_cell cell);
void doc_note(struct doc *d, const char *fmt, ...) printf_like(2, 3);
/* The same, and part of the short form. Keep it short. */
void doc_note_brief(struct doc *d, const char *text);
/* Adds a note with the time zone of the document. */
void doc_note_zone(struct doc *d);
struct doc_section *doc_find(const struct doc *d, const char *key); /* or NULL */

/* A section without a document: the table of a command. The caller owns its columns. */
struct doc_section *doc_table(
	struct arena *a, const struct doc_column *columns, size_t n_columns);
/* One with all columns of a view. */
struct doc_section *doc_table_like(struct arena *a, const struct view *v);
/* A column with the type of the vocabulary: an amount per hour is DOC_RATE, a percentage
 * DOC_PERCENT. */
struct doc_column doc_column_of(const struct column *c);
/* A value from any SQL statement, in a column of that type: the value determines the type of the
 * cell. Amounts are in units, as in the views. */
struct doc_cell doc_cell_read(struct arena *a, enum doc_type type, const struct db_cell *c);
/* A value from a query of tpucost: amounts and other decimals that are integers are in nano-units;
 * times are in seconds. */
struct doc_cell doc_cell_raw(struct arena *a, enum doc_type type, const struct db_cell *c);

/* Cells. Texts are not copied: they must live at least as long as the arena. NULL text, absent
 * numbers, TS_NONE and money without a currency become DOC_NONE. */
struct doc_cell cell_text(const char *s);
struct doc_cell cell_code(const char *s);
struct doc_cell cell_int(int64_t v);
struct doc_cell cell_money(struct opt_i64 nanos, const char *currency);
struct doc_cell cell_rate(struct opt_i64 nanos, const char *currency);
struct doc_cell cell_amount(
	struct opt_i64 nanos); /* money whose currency is in another column */
struct doc_cell cell_decimal(struct opt_i64 nanos);
struct doc_cell cell_percent(struct opt_i64 nanos);
struct doc_cell cell_time(ts_t t);
struct doc_cell cell_duration(int64_t seconds);
struct doc_cell cell_flag(bool v);
/* The same with a status; an unknown value gets none. */
struct doc_cell cell_estimate(struct doc_cell c);
struct doc_cell cell_partial(struct doc_cell c);
struct doc_cell cell_toned(struct doc_cell c, enum doc_tone tone);

const char *doc_status_name(enum doc_status s); /* NULL "estimate" "partial" */
const char *doc_status_mark(enum doc_status s); /* "" "~" "*" */
bool doc_is_number(enum doc_type t);            /* aligned right */
bool doc_is_money(enum doc_type t);             /* with a currency */

/* A cell for reading, not escaped: "12.30 HKD", "8.00 USD/h~", "2d 3h", "2026-11-20 09:00";
 * DOC_NONE is "unknown" for money, else "-". */
void doc_cell_text(const struct doc *d, const struct doc_column *col,
	const struct doc_cell *c, struct sbuf *b);
/* The cell for programs: every digit, times as RFC 3339 in UTC, a flag as 1 or 0. */
void doc_cell_exact(const struct doc_cell *c, struct sbuf *b);
/* Heading of a message: its subject, or else its title, as one line of at most DOC_SUBJECT_MAX
 * bytes of valid UTF-8 with visible controls. Never empty. */
#define DOC_SUBJECT_MAX 200
void doc_subject(const struct doc *d, struct sbuf *b);
/* "2026-11-20 09:00" in the zone of the document. */
void doc_time_text(const struct doc *d, ts_t t, struct sbuf *b);
/* Reports whether formats for reading show the section: it needs a title, and rows or a text for no
 * rows. */
bool doc_section_shown(const struct doc_section *s);
/* Number of rows that formats for reading show: all totals and at most `max` others (0: all). *left
 * receives the number of omitted rows. */
size_t doc_rows_shown(const struct doc_section *s, size_t max, size_t *left);

/* Heading of the group of `row`, "account 01AB23-CD45EF-678901:"; NULL: there is none, or the row
 * shown `before` (NULL: none) is in it. */
const char *doc_group(const struct doc_section *s, const struct doc_row *before,
	const struct doc_row *row);

/* Iterates over the same rows. */
struct doc_rows {
	/* private */
	const struct doc_section *s;
	size_t max, next, seen;
};
struct doc_rows doc_rows(const struct doc_section *s, size_t max);
const struct doc_row *doc_rows_next(struct doc_rows *r); /* NULL at the end */

/* Data of one chart in one currency (NULL if the values have none): rows that are not totals and
 * have a known value, including folded rows. n is at least 1. */
struct doc_series {
	const char *currency;
	int64_t *v;
	const struct doc_row **rows; /* of each value */
	size_t n, cap, cap_rows;
	size_t lowest, highest; /* positions of the first such value in v */
};
/* Series of the section's chart in the order of their first rows, allocated from the document's
 * arena; 0 without a chart. */
size_t doc_chart_series(
	const struct doc *d, const struct doc_section *s, struct doc_series **out);

#endif
