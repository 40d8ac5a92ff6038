/* Values of options that several commands have: groups, order and columns, times and months. */
#include "base/str.h"
#include "base/time/civil.h"
#include "base/time/tz.h"
#include "cli/config/config.h"
#include "cli/query.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- groups --------------------------------------------------------------------------- */

/* Bytes. Resource Manager has up to 63 characters; on a bill with GKE cost allocation, a key contains one of Kubernetes,
 * which has up to 253 + 1 + 63. */
#define LABEL_MAX 400

/* Letters of any script, digits and "_-./:": nothing that could end the SQL text around it. */
static bool label_key_valid(const char *key)
{
	size_t n = 0;

	for (const char *p = key; *p; p++, n++)
		if (!isalnum((unsigned char)*p) && !strchr("_-./:", *p) &&
			!((unsigned char)*p & 0x80))
			return false;
	return n && n <= LABEL_MAX && utf8_valid(key, n);
}

enum err_code query_label(struct app *app, const char *name, const char *labels,
	const char **sql, struct err *e)
{
	const char *key = name + strlen(QUERY_LABEL);

	if (!label_key_valid(key))
		return err_set_fix(e, E_USAGE, "use label:KEY, such as label:team",
			"--by: '%.80s' does not name a label", name);
	*sql = arena_printf(&app->arena,
		"CASE WHEN json_valid(%s) THEN json_extract(%s, '$.\"%s\"') END", labels,
		labels, key);
	return E_OK;
}

static int shown(const struct doc_section *t, const char *name)
{
	for (int i = 0; i < t->n_columns; i++)
		if (!strcmp(t->columns[i].key, name))
			return i;
	return -1;
}

void query_add_order(struct app *app, struct sbuf *b, const char *order)
{
	for (const char *p = order; *p; p++)
		if (*p == '$')
			sbuf_addf(b,
				"CASE currency WHEN '%s' THEN '' ELSE COALESCE(currency, "
				"'~') END",
				app->cfg->settings.currency);
		else
			sbuf_addc(b, *p);
}

bool query_order_minus(char **order)
{
	char *p = *order + strspn(*order, " ");

	if (*p != '-')
		return false;
	*order = p + 1;
	return true;
}

enum err_code query_group_order(
	struct app *app, const struct doc_section *t, struct sbuf *sql, struct err *e)
{
	char name[96] = "", dir[8] = "", rest;
	char *order = arena_strdup(&app->arena, app->o.sort_by);
	bool minus = query_order_minus(&order);
	int words = sscanf(order, " %95[^ ] %7[a-zA-Z] %c", name, dir, &rest);

	if (words < 1 || words > 2 || shown(t, name) < 0 || (dir[0] && minus) ||
		(dir[0] && !str_ieq(dir, "asc") && !str_ieq(dir, "desc")))
		return err_set_fix(e, E_USAGE,
			"use a column that is shown, with asc or desc",
			"--sort-by: cannot sort by '%.80s'", app->o.sort_by);
	if (doc_is_money(t->columns[shown(t, name)].type) && shown(t, "currency") >= 0)
		query_add_order(app, sql, BY_CURRENCY);
	sbuf_addf(sql, "\"%s\" %s", name, minus ? "desc" : dir);
	return E_OK;
}

enum err_code query_keep_columns(struct app *app, struct doc_section *t, struct err *e)
{
	struct doc_column *cols = arena_alloc(
		&app->arena, ((size_t)t->n_columns + 1) * sizeof(*cols));
	int *from = arena_alloc(&app->arena, ((size_t)t->n_columns + 1) * sizeof(*from));
	char *copy = arena_strdup(&app->arena, app->o.columns), *name;
	struct doc_section *out = doc_table(&app->arena, cols, 0);

	while ((name = strsep(&copy, ","))) {
		int i = shown(t, name);

		if (i < 0 || out->n_columns == t->n_columns)
			return err_set_fix(e, E_USAGE, "add it to --by",
				"--columns: '%s' is not a column of this grouping", name);
		cols[out->n_columns] = t->columns[i];
		from[out->n_columns++] = i;
	}
	for (size_t r = 0; r < t->n; r++) {
		struct doc_cell *row = doc_row(out)->cells;

		for (int i = 0; i < out->n_columns; i++)
			row[i] = t->rows[r].cells[from[i]];
	}
	*t = *out;
	return E_OK;
}

/* ---- times and months ----------------------------------------------------------------- */

/* "today", "yesterday", "week" (since Monday), "month" (since the first) */
static bool named_day(struct app *app, const char *text, day_t *out)
{
	day_t today = tz_day(app->cfg->tz, app->now);
	int year, month, day;

	civil_from_day(today, &year, &month, &day);
	if (!strcmp(text, "today"))
		*out = today;
	else if (!strcmp(text, "yesterday"))
		*out = today - 1;
	else if (!strcmp(text, "week"))
		*out = today - civil_weekday(today);
	else if (!strcmp(text, "month"))
		*out = today - (day - 1);
	else
		return false;
	return true;
}

bool query_has_period(const struct app *app)
{
	return app->o.since || app->o.until;
}

enum err_code query_time(struct app *app, const char *text, ts_t *out, struct err *e)
{
	int64_t seconds;
	day_t day;

	if (named_day(app, text, &day)) {
		*out = tz_day_start(app->cfg->tz, day);
		return E_OK;
	}
	if (!duration_parse(text, &seconds, NULL)) {
		*out = app->now - seconds;
		return E_OK;
	}
	if (!rfc3339_parse(text, out, NULL, NULL))
		return E_OK;
	if (!date_parse(text, &day, NULL)) {
		*out = tz_day_start(app->cfg->tz, day);
		return E_OK;
	}
	return err_set_fix(e, E_USAGE,
		"use 7d, 12h, today, yesterday, week, month, 2026-11-01 or "
		"2026-11-01T08:00:00Z",
		"'%.60s' is not a valid time", text);
}

enum err_code query_month(const char *text, char out[8], struct err *e)
{
	char first[DATE_BUF];
	day_t day;

	snprintf(first, sizeof(first), "%.8s-01", text); /* not a date if it is longer */
	if (date_parse(first, &day, NULL))
		return err_set_fix(e, E_USAGE, "use --month 2026-11",
			"--month: '%.60s' is not a valid month (expected YYYY-MM)", text);
	snprintf(out, 8, "%.4s%.2s", text, text + 5);
	return E_OK;
}
