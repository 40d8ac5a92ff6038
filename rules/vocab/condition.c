#include "rules/vocab/condition.h"

#include "base/sbuf.h"
#include "base/str.h"
#include "db/db.h"
#include "rules/price/price.h"
#include "rules/settings.h"
#include "rules/vocab/subject.h"
#include "rules/vocab/template.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum err_code condition_shape(const char *text, struct err *e)
{
	int depth = 0;
	char quote = 0;

	if (!text[strspn(text, " \t\r\n")])
		return err_set(e, E_USAGE, "the condition is empty");
	if (strlen(text) > CONDITION_MAX)
		return err_set(
			e, E_USAGE, "the condition is longer than %d bytes", CONDITION_MAX);
	for (const char *p = text; *p; p++) {
		if (quote) {
			quote = *p == quote ? 0 : quote;
		} else if (strchr("'\"`[", *p)) {
			quote = *p == '[' ? ']' : *p;
		} else if (*p == '(') {
			depth++;
		} else if (*p == ')' && --depth < 0) {
			return err_set(e, E_USAGE,
				"a closing parenthesis has no opening parenthesis");
		} else if (*p == ';' || str_starts(p, "--") || str_starts(p, "/*")) {
			return err_set(e, E_USAGE,
				"comments and ';' are not allowed in a condition");
		} else if (strchr("?:@$", *p)) {
			return err_set(e, E_USAGE,
				"parameters (%.10s) are not allowed in a condition; write "
				"the value",
				p);
		}
	}
	if (depth || quote)
		return err_set(e, E_USAGE, "a parenthesis or quote is not closed");
	return E_OK;
}

static const char *nearest_view(const char *word)
{
	const char *names[64];
	size_t n = n_views < ARRAY_LEN(names) ? n_views : ARRAY_LEN(names);

	for (size_t i = 0; i < n; i++)
		names[i] = views[i]->name;
	return str_nearest(word, names, n);
}

/* Text after `mark` in the message of SQLite, without the name of its table; NULL when the message
 * is another one. */
static const char *unknown_name(const char *msg, const char *mark, char buf[128])
{
	const char *at = strstr(msg, mark);

	if (!at)
		return NULL;
	snprintf(buf, 128, "%s", str_after_last(at + strlen(mark), '.'));
	return buf;
}

bool condition_ends_early(struct db *db, const char *text, struct err *e)
{
	size_t end = strlen(text), word;
	struct err alone = {0};
	struct db_cursor c;
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;

	if (!strstr(e->msg, "near \")\": syntax error"))
		return false;
	/* The parenthesis may be that of the author. */
	sbuf_addf(&sql, "SELECT 1 WHERE %s", text);
	if (!db_cursor_open_rule(db, sql.s, false, &c, &alone))
		db_cursor_close(&c);
	if (!strstr(alone.msg, "incomplete input"))
		return false;
	while (end && strchr(" \t\r\n", text[end - 1]))
		end--;
	for (word = end; word && !strchr(" \t\r\n", text[word - 1]);)
		word--;
	err_set(e, E_USAGE, "the condition ends too early: text is missing after '%.*s'",
		(int)(end - word < 60 ? end - word : 60), text + word);
	return true;
}

/* View of an unknown column: `v`, or the one before the dot, as in "coverage.project". NULL: no view has
 * that name: it may be an alias. */
static const struct view *view_of_column(const struct view *v, const char *column)
{
	size_t n = strcspn(column, ".");

	if (!column[n])
		return v;
	for (size_t i = 0; i < n_views; i++)
		if (!strncasecmp(column, views[i]->name, n) && !views[i]->name[n])
			return views[i];
	return NULL;
}

/* Turn the message of SQLite into one for the author of the condition. */
static enum err_code explain(const struct view *v, const char *text, struct err *e)
{
	char name[128], quoted[140];
	const char *near;

	if (unknown_name(e->msg, "no such column: ", name)) {
		const struct view *of;

		near = strstr(e->msg, "no such column: ") + strlen("no such column: ");
		of = view_of_column(v, near);
		if (!of) {
			snprintf(quoted, sizeof(quoted), "%s", near);
			err_set(e, E_USAGE, "there is no column '%s'", quoted);
			return err_fix(e, "columns: tpucost views");
		}
		near = view_nearest_column(of, name);
		snprintf(quoted, sizeof(quoted), "\"%s\"", name);
		err_set(e, E_USAGE, "%s has no column '%s'", of->name, name);
		if (near)
			return err_fix(e, "did you mean '%s'?", near);
		if (of != v)
			return err_fix(e, "columns: tpucost views");
		if (strstr(text, quoted))
			return err_fix(e, "text goes in single quotes: '%s'", name);
		return err_fix(e,
			"text goes in single quotes: '%s'; columns: tpucost views", name);
	}
	if (unknown_name(e->msg, "no such table: ", name)) {
		near = nearest_view(name);
		err_set(e, E_USAGE, "there is no view '%s'", name);
		return near ? err_fix(e, "did you mean '%s'?", near)
			    : err_fix(e, "views: tpucost views");
	}
	return e->code;
}

/* ---- classes ----------------------------------------------------------------------------------- */

static const char *condition_blank(const char *p)
{
	return p + strspn(p, " \t\r\n(,");
}

/* Behind a comparison that a class can follow: "=", "NOT IN (". NULL: there is none. */
static const char *condition_operator(const char *p)
{
	static const char *const operators[] = {
		"==", "=", "<>", "!=", "IS NOT ", "IS ", "NOT IN", "IN"};

	p += strspn(p, " \t\r\n");
	for (size_t i = 0; i < ARRAY_LEN(operators); i++)
		if (!strncasecmp(p, operators[i], strlen(operators[i])))
			return condition_blank(p + strlen(operators[i]));
	return NULL;
}

/* A class that does not exist never matches, which would not be noticed. */
static enum err_code condition_classes(const char *text, struct err *e)
{
	static const char column[] = "provisioning";
	const char *p = text;

	while ((p = strcasestr(p, column))) {
		const char *next = condition_operator(p += strlen(column));

		for (size_t n; next && *next == '\'';
			next = condition_blank(next + n + 2)) {
			char word[32];

			n = strcspn(next + 1, "'");
			snprintf(word, sizeof(word), "%.*s", (int)n, next + 1);
			if (price_class_of(word) == PRICE_UNSTATED &&
				strcmp(word, price_class_name(PRICE_UNSTATED)) != 0)
				return err_set(e, E_USAGE,
					"provisioning is never '%s' (expected on-demand, "
					"spot, "
					"flex-start, reserved or unknown)",
					word);
			if (!next[n + 1])
				break;
		}
	}
	return E_OK;
}

enum err_code condition_check(
	struct db *db, const struct view *v, const char *text, struct err *e)
{
	struct sbuf sql = SBUF_INIT;
	struct db_cursor c;
	enum err_code rc;

	if (condition_shape(text, e))
		return e->code;
	sbuf_addf(&sql, "SELECT 1 FROM %s WHERE (%s)", v->name, text);
	rc = db_cursor_open_rule(db, sql.s, false, &c, e);
	sbuf_done(&sql);
	if (rc)
		return condition_ends_early(db, text, e) ? e->code : explain(v, text, e);
	db_cursor_close(&c);
	return condition_classes(text, e);
}

/* ---- rules ---------------------------------------------------------------------------------- */

static enum err_code check_one(struct db *db, const struct view *v, const char *key,
	const char *text, struct err *e)
{
	return text && condition_check(db, v, text, e) ? err_wrap(e, "%s", key) : E_OK;
}

enum err_code rule_check(struct db *db, const struct rule *r, struct err *e)
{
	const struct view *v = view_find(r->on);
	struct arena a = {0};
	struct template t;
	enum err_code rc = E_OK;

	if (!v || !subject_of(v)) {
		err_set(e, E_USAGE, "on: rules cannot use the view %s", r->on);
		return err_fix(
			e, "use a view such as resources, grants, budgets or quotas");
	}
	if (check_one(db, v, "where", r->where, e) ||
		check_one(db, v, "critical_when", r->critical_when, e) ||
		check_one(db, v, "stage", r->stage, e) ||
		check_one(db, v, "value", r->value, e))
		return e->code;
	if (r->summary && template_parse(r->summary, v, &a, &t, e))
		rc = err_wrap(e, "summary");
	arena_done(&a);
	return rc;
}
