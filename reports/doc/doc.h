/* A report or a message as plain data: sections of typed cells. Whoever says something builds
 * one; every format renders any, so that all of them say the same figures.
 *
 * Everything lives in the arena it was made with. Texts are as they came (names of resources can
 * hold anything): formats escape them. Text that a format adds of its own is plain ASCII, but for
 * the blocks of sparklines. */
#ifndef TPUCOST_REPORTS_DOC_DOC_H
#define TPUCOST_REPORTS_DOC_DOC_H

#include "base/mem.h"
#include "base/sbuf.h"
#include "base/time/tz.h"
#include "db/db.h"
#include "db/vocab.h"

enum doc_type {
	DOC_NONE, /* not known; what it should have been is the column's type */
	DOC_TEXT,
	DOC_CODE, /* text that is typed or pasted: an id, a command */
	DOC_INT,
	DOC_MONEY,    /* nanos; text is the currency */
	DOC_RATE,     /* nanos an hour; text is the currency */
	DOC_DECIMAL,  /* nanos of no currency: chip-hours, GiB */
	DOC_PERCENT,  /* nanos: 80.5 % is 80.5e9 */
	DOC_TIME,     /* UTC seconds */
	DOC_DURATION, /* seconds */
	DOC_FLAG,     /* 0 or 1 */
	DOC_REAL,     /* of a cell alone: a decimal that nano-units do not hold */
};

enum doc_tone { TONE_PLAIN, TONE_GOOD, TONE_WARN, TONE_BAD, TONE_SOFT };

/* How much a figure is to be trusted; people see a mark, data the word (doc_status_name). */
enum doc_status {
	STATUS_NONE,
	STATUS_ESTIMATE, /* from list prices or a forecast: "~" */
	STATUS_PARTIAL,  /* billed, and Google goes on writing: "*" */
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
	const char *key; /* in JSON and CSV: the name of the vocabulary where it has one */
	const char *title; /* heading for people; NULL: only for programs */
	enum doc_type
		type; /* DOC_NONE: what the vocabulary says of the key; see doc_section_like() */
	int digits; /* after the point, for people; -1: as the currency has. Data is exact. */
	int rank; /* 0: always shown; where it is narrow, the highest are left out first */
	enum doc_status status; /* of each figure in it, as it is read */
};

struct doc_row {
	struct doc_cell *cells; /* one a column */
	const char *detail;     /* a sentence about it, below it; NULL: none */
	const char *command;    /* what mends it, to paste into a shell; NULL: none */
	/* Another command, below the first, with words of its own before it; NULL: none. For
	 * people alone: data has it in a cell. */
	const char *also, *also_command;
	/* All that matters of it in one short line, for where there is little room; NULL: none. */
	const char *line;
	bool only_line; /* people see the line instead of the row, whatever the limit of rows */
	enum doc_tone tone; /* of the detail and of what marks the row */
	bool total;         /* a sum of rows above */
	bool folded;        /* in charts and data; people do not see the row itself */
};

/* A series over the rows of its section that are no totals, one for each currency. */
struct doc_chart {
	const char *title;
	int label, value; /* columns; -1 as `value`: no chart */
	/* A line to compare with in every chart (a budget's share of a day): nanos, or NONE. */
	struct opt_i64 mark;
	const char *mark_title;
};

struct doc_section {
	const char *key;   /* in JSON and CSV */
	const char *title; /* NULL: only for programs */
	const char *note;  /* a sentence below the title, or NULL */
	const char *
		empty; /* instead of rows where there are none; NULL: left out for people */
	const char *more; /* where the rest can be seen, after "and N more: " */
	size_t most; /* rows in plain text, where rows are limited; 0: the usual limit */
	enum doc_tone tone;
	bool brief; /* part of the short form: chat messages */
	bool whole; /* who sends it has to know when rows of it are left out: format_opts.cut */
	const struct doc_column *columns;
	int n_columns;
	struct doc_row *rows;
	size_t n, cap;
	struct doc_chart chart;
	/* Of a table of its own: */
	bool droppable; /* columns may be left out where it is narrow */
	bool overlap; /* amounts of different rows are no parts of a whole: they have no sum */
	struct arena *arena;
	int *read_from; /* private: where a query has its columns */
};

/* Of the whole: date, zone, made, ages. JSON members beside the sections. */
struct doc_fact {
	const char *key, *title; /* title NULL: only for programs */
	struct doc_cell cell;
};

struct doc {
	struct arena *arena;
	const struct tz *tz; /* for DOC_TIME; named in the output */
	ts_t now;
	const char *kind;     /* "daily" "weekly" "month" "grant" "alert" "test" ... */
	const char *title;    /* "tpucost daily report, 2026-11-20" */
	const char *subject;  /* one line that carries the news; NULL: the title */
	const char *headline; /* the answer in a sentence or three */
	enum doc_tone tone;   /* of the headline */
	struct doc_fact *facts;
	size_t n_facts, cap_facts;
	struct doc_section **sections;
	size_t n, cap;
	const char **notes; /* at the end */
	size_t n_notes, cap_notes;
	const char **brief; /* of the notes, those that the short form has as well */
	size_t n_brief, cap_brief;
	bool zone_said; /* in a note */
};

struct doc *doc_new(struct arena *a, const char *kind, const struct tz *tz, ts_t now);
/* Columns stay the caller's (static tables); charts are off. */
struct doc_section *doc_section(struct doc *d, const char *key, const char *title,
	const struct doc_column *columns, int n_columns);
/* The same with the types of the view's columns, or of others of that name, where the columns say none: an amount
 * an hour is DOC_RATE, a percentage DOC_PERCENT. Both take a static table. */
struct doc_section *doc_section_like(struct doc *d, const char *key, const char *title,
	const char *view, const struct doc_column *columns, int n_columns);
/* The rest of the rows of a query ("-- cells") become rows of the section: next one, or NULL at the end and on an
 * error, which db_rows_close() tells. A column gets what the result has under its key: amounts in nano-units, of the
 * row's "currency"; the rest as doc_cell_raw() has it. */
struct doc_row *doc_read(struct doc_section *s, struct db_rows *rows);
/* The cell of that key, which the section has to have: another one ends the program. */
struct doc_cell *doc_at(
	const struct doc_section *s, const struct doc_row *r, const char *key);
/* A row of DOC_NONE cells. Good until the next row of the section. */
struct doc_row *doc_row(struct doc_section *s);
void doc_fact(struct doc *d, const char *key, const char *title, struct doc_cell cell);
void doc_note(struct doc *d, const char *fmt, ...) printf_like(2, 3);
/* The same, and part of the short form. Short. */
void doc_note_brief(struct doc *d, const char *text);
/* A note of what zone the times are. */
void doc_note_zone(struct doc *d);
struct doc_section *doc_find(const struct doc *d, const char *key); /* or NULL */

/* A section that stands alone: the table of a command. Its columns stay the caller's. */
struct doc_section *doc_table(
	struct arena *a, const struct doc_column *columns, size_t n_columns);
/* One with all columns of a view. */
struct doc_section *doc_table_like(struct arena *a, const struct view *v);
/* A column as the vocabulary says: an amount an hour is DOC_RATE, a percentage DOC_PERCENT. */
struct doc_column doc_column_of(const struct column *c);
/* A value of SQL that anybody may have written, in a column of that type: what it is decides. Amounts are in
 * units, as views have them. */
struct doc_cell doc_cell_read(struct arena *a, enum doc_type type, const struct db_cell *c);
/* A value of SQL of ours: amounts are integers of nano-units, and so are other decimals that come as integers; times
 * are seconds. */
struct doc_cell doc_cell_raw(struct arena *a, enum doc_type type, const struct db_cell *c);

/* Cells. Texts are not copied: they live in the arena or longer. NULL text, absent numbers,
 * TS_NONE and money without currency are DOC_NONE. */
struct doc_cell cell_text(const char *s);
struct doc_cell cell_code(const char *s);
struct doc_cell cell_int(int64_t v);
struct doc_cell cell_money(struct opt_i64 nanos, const char *currency);
struct doc_cell cell_rate(struct opt_i64 nanos, const char *currency);
struct doc_cell cell_amount(
	struct opt_i64 nanos); /* money whose currency another column says */
struct doc_cell cell_decimal(struct opt_i64 nanos);
struct doc_cell cell_percent(struct opt_i64 nanos);
struct doc_cell cell_time(ts_t t);
struct doc_cell cell_duration(int64_t seconds);
struct doc_cell cell_flag(bool v);
/* The same, labelled; what is not known stays without. */
struct doc_cell cell_estimate(struct doc_cell c);
struct doc_cell cell_partial(struct doc_cell c);
struct doc_cell cell_toned(struct doc_cell c, enum doc_tone tone);

const char *doc_status_name(enum doc_status s); /* NULL "estimate" "partial" */
const char *doc_status_mark(enum doc_status s); /* "" "~" "*" */
bool doc_is_number(enum doc_type t);            /* stands at the right */

/* A cell for people, not escaped: "12.30 HKD", "8.00 USD/h~", "2d 3h", "2026-11-20 09:00",
 * "unknown" for money that is DOC_NONE, else "-". */
void doc_cell_text(const struct doc *d, const struct doc_column *col,
	const struct doc_cell *c, struct sbuf *b);
/* The cell for programs: every digit of it, times as RFC 3339 in UTC, a flag as 1 or 0. */
void doc_cell_exact(const struct doc_cell *c, struct sbuf *b);
/* What a message is headed with: its subject, or its title, as one line of at most
 * DOC_SUBJECT_MAX bytes of valid UTF-8 with controls made visible. Never empty. */
#define DOC_SUBJECT_MAX 200
void doc_subject(const struct doc *d, struct sbuf *b);
/* "2026-11-20 09:00" in the zone of the document. */
void doc_time_text(const struct doc *d, ts_t t, struct sbuf *b);
/* Do people see it: a title, and rows or words for none. */
bool doc_section_shown(const struct doc_section *s);
/* How many rows people see: all totals, and of the others at most `max` (0: all); *left gets how
 * many more there are. */
size_t doc_rows_shown(const struct doc_section *s, size_t max, size_t *left);

/* The same rows one after the other. */
struct doc_rows {
	/* private */
	const struct doc_section *s;
	size_t max, next, seen;
};
struct doc_rows doc_rows(const struct doc_section *s, size_t max);
const struct doc_row *doc_rows_next(struct doc_rows *r); /* NULL at the end */

/* What a chart shows in one currency (NULL where values have none): rows that are no totals and
 * whose value is known, folded ones too. n is 1 or more. */
struct doc_series {
	const char *currency;
	int64_t *v;
	const struct doc_row **rows; /* of each value */
	size_t n, cap, cap_rows;
	size_t lowest, highest; /* the first of each */
};
/* The series of the section's chart in the order of their first rows, in the document's arena; 0
 * without a chart. */
size_t doc_chart_series(
	const struct doc *d, const struct doc_section *s, struct doc_series **out);

#endif
