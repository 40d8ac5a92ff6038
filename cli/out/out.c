/* Output formats, and the size of the terminal. */
#include "cli/out/out.h"

#include "base/str.h"
#include "base/time/civil.h"
#include "cli/cmd.h"
#include "cli/out/internal.h"
#include "reports/doc/formats.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum err_code out_format_parse(const char *name, enum out_format *out, struct err *e)
{
	static const char *const names[] = {
		[OUT_TABLE] = "table",
		[OUT_JSON] = "json",
		[OUT_CSV] = "csv",
		[OUT_MARKDOWN] = "markdown",
	};

	if (!name) {
		*out = OUT_TABLE;
		return E_OK;
	}
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (!strcmp(names[i], name)) {
			*out = (enum out_format)i;
			return E_OK;
		}
	}
	err_set(e, E_USAGE, "unknown format '%.60s'", name);
	return near_fix(e, str_nearest(name, names, ARRAY_LEN(names)),
		"use table, json, csv or markdown");
}

/* LC_ALL before LC_CTYPE before LANG: the first that is not empty; if there is none, "C" (POSIX,
 * environment variables). */
static bool locale_is_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *v = getenv(names[i]);

		if (v && *v)
			return strcasestr(v, "utf-8") || strcasestr(v, "utf8");
	}
	return false;
}

/* Columns or lines: from the environment, else the terminal, else the usual number. */
static int extent(const char *name, unsigned short of_terminal, int usual)
{
	const char *given = getenv(name);
	int64_t n;

	if (given && str_to_i64(given, 10, 10000, &n))
		return (int)n;
	return of_terminal ? of_terminal : usual;
}

static const struct out_style *fixed_style;
static bool no_pager;

void out_no_pager(void)
{
	no_pager = true;
}

void out_style_fix(const struct out_style *style)
{
	fixed_style = style;
}

struct out_style out_style_stdout(void)
{
	struct out_style s = {.totals = true, .pager = !no_pager};
	const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
	struct winsize w = {0};

	if (fixed_style)
		return *fixed_style;
	if (!isatty(STDOUT_FILENO))
		return s;
	s.color = !(no_color && *no_color) && !(term && !strcmp(term, "dumb"));
	s.ascii = !locale_is_utf8();
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w))
		w = (struct winsize){0};
	s.width = extent("COLUMNS", w.ws_col, 80);
	s.height = extent("LINES", w.ws_row, 24);
	return s;
}

static const struct tz *zone;
static bool zone_note, zone_used;

void out_zone(const struct tz *tz, bool note)
{
	zone = strcmp(tz_name(tz), "UTC") ? tz : NULL;
	zone_note = note;
}

void out_zone_of_utc(const struct tz *tz)
{
	zone = tz;
}

const char *out_zone_take(void)
{
	bool used = zone_used && zone_note;

	zone_used = false;
	return used ? tz_name(zone) : NULL;
}

/* Data has RFC 3339 in UTC; what is read has the clocks of the configured zone. */
static void out_local_times(const struct doc_section *t)
{
	char at[TZ_TIME_BUF];

	for (size_t r = 0; zone && r < t->n; r++)
		for (int i = 0; i < t->n_columns; i++) {
			struct doc_cell *c = &t->rows[r].cells[i];
			ts_t when;

			if (c->type == DOC_TIME)
				when = c->v;
			else if (t->columns[i].type != DOC_TIME || c->type != DOC_TEXT ||
				rfc3339_parse(c->text, &when, NULL, NULL))
				continue;
			*c = cell_text(arena_strdup(t->arena, tz_time(zone, when, at)));
			zone_used = true;
		}
}

void out_render(struct sbuf *b, const struct doc_section *t, enum out_format format,
	const struct out_style *style)
{
	if (format == OUT_TABLE || format == OUT_MARKDOWN)
		out_local_times(t);
	switch (format) {
	case OUT_TABLE:
		out_table(b, t, style);
		break;
	case OUT_JSON:
		doc_json_rows(t, b);
		break;
	case OUT_CSV:
		doc_csv_rows(t, style->raw, b);
		break;
	case OUT_MARKDOWN:
		doc_markdown_rows(t, b);
		break;
	}
}

void out_sentence(struct sbuf *b, const char *text, const struct out_style *style)
{
	sbuf_add_wrapped(b, text, 0, 0, style->width ? (size_t)style->width : SIZE_MAX);
}
