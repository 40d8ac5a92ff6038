#include "rules/grant/mail.h"

#include "base/sbuf.h"
#include "base/str.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_JOINED 3 /* lines that one grant may be wrapped into */
#define MAX_DAYS 3660

struct reading {
	struct arena *a;
	struct grant_mail *out;
	struct line {
		const char *text; /* plain */
		unsigned signs;
	} * lines;
	size_t n_lines;
	size_t cap_lines, cap_refused, cap_unread;
	int days_line;
};

static void add_remark(struct reading *r, struct grant_mail_remark **list, size_t *n,
	size_t *cap, int line, const char *source, const char *text)
{
	*list = arena_grow(r->a, *list, *n, cap, sizeof(**list));
	(*list)[(*n)++] = (struct grant_mail_remark){
		.line = line, .source = source, .text = text};
}

static void mail_refuse(struct reading *r, int line, const char *source, const char *text)
{
	add_remark(r, &r->out->refused, &r->out->n_refused, &r->cap_refused, line, source,
		text);
}

/* Something was read from these lines. */
static void mail_used(struct reading *r, int first, int last)
{
	struct grant_mail *m = r->out;

	m->first = !m->first || first < m->first ? first : m->first;
	m->last = last > m->last ? last : m->last;
}

static void split_lines(struct reading *r, const char *text)
{
	size_t cap = 0;

	while (*text) {
		size_t len = strcspn(text, "\n");
		const char *line = grant_plain(arena_strndup(r->a, text, len), r->a);

		r->lines = arena_grow(r->a, r->lines, r->n_lines, &cap, sizeof(*r->lines));
		r->lines[r->n_lines++] = (struct line){line, grant_signs(line)};
		text += len + (text[len] == '\n');
	}
}

/* ---- lines of grants ----------------------------------------------------------------------- */

/* Type, and two of count, class and zone; or all but the type. A sentence that mentions TPUs has
 * fewer, and a command line does not count. */
static bool is_grant(unsigned signs)
{
	int beside = !!(signs & GRANT_SIGN_COUNT) + !!(signs & GRANT_SIGN_CLASS) +
		!!(signs & GRANT_SIGN_ZONE);

	if (signs & GRANT_SIGN_SHELL)
		return false;
	return (signs & GRANT_SIGN_TYPE) ? beside >= 2
					 : beside == 3 && (signs & GRANT_SIGN_TPU);
}

/* The beginning of a grant whose zone is on a later line. */
static bool is_cut(unsigned signs)
{
	return (signs & GRANT_SIGN_BEGINS) &&
		!(signs & (GRANT_SIGN_ZONE | GRANT_SIGN_SHELL)) &&
		(signs & (GRANT_SIGN_CLASS | GRANT_SIGN_TPU | GRANT_SIGN_TYPE));
}

/* Join with the lines that continue it; *used is their number, *signs those of all of them. */
static const char *mail_joined(
	const struct reading *r, size_t i, size_t *used, unsigned *signs)
{
	const char *text = r->lines[i].text;

	*used = 1;
	*signs = r->lines[i].signs;
	if (!is_cut(*signs))
		return text;
	for (size_t k = 1; k < MAX_JOINED && i + k < r->n_lines && *r->lines[i + k].text;
		k++) {
		unsigned all;

		if (r->lines[i + k].signs & GRANT_SIGN_BEGINS)
			break;
		text = arena_printf(r->a, "%s %s", text, r->lines[i + k].text);
		all = grant_signs(text);
		if (!(all & GRANT_SIGN_ZONE))
			continue;
		*used = k + 1;
		*signs = all;
		return text;
	}
	return r->lines[i].text;
}

static void take_grant(struct reading *r, int line, const char *source)
{
	struct grant_mail *m = r->out;
	struct grant_mail_line l = {.line = line, .source = source};
	struct err e = {0};

	if (grant_parse_line(source, r->a, &l.g, &e)) {
		const char *what = str_starts(e.msg, "grant line: ") ? e.msg + 12 : e.msg;

		mail_refuse(r, line, source, arena_strdup(r->a, what));
		return;
	}
	for (size_t i = 0; i < m->n; i++)
		l.again = l.again || grant_alike(&m->lines[i].g, &l.g);
	m->lines = arena_grow(r->a, m->lines, m->n, &r->cap_lines, sizeof(*m->lines));
	m->lines[m->n++] = l;
}

static void read_grants(struct reading *r)
{
	struct grant_mail *m = r->out;

	for (size_t i = 0, used; i < r->n_lines; i += used) {
		unsigned signs;
		const char *text = mail_joined(r, i, &used, &signs);

		if (is_grant(signs)) {
			mail_used(r, (int)i + 1, (int)(i + used));
			take_grant(r, (int)i + 1, text);
		} else if ((signs & GRANT_SIGN_NAMES) && !(signs & GRANT_SIGN_SHELL)) {
			add_remark(r, &m->unread, &m->n_unread, &r->cap_unread, (int)i + 1,
				r->lines[i].text,
				"names a TPU type, but was not read as a grant");
		}
	}
}

/* ---- days and project ---------------------------------------------------------------------- */

struct words {
	char **v;
	int *line;
	size_t n;
};

/* All words of the text, without the punctuation around them: sentences may be wrapped. */
static struct words words_of(const struct reading *r)
{
	struct words w = {0};
	size_t cap = 0, line_cap = 0;

	for (size_t i = 0; i < r->n_lines; i++) {
		char *line = arena_strdup(r->a, r->lines[i].text), *save = NULL, *word;

		for (word = strtok_r(line, " ", &save); word;
			word = strtok_r(NULL, " ", &save)) {
			size_t len = strlen(word);

			while (len && strchr(".,:;!)", word[len - 1]))
				word[--len] = '\0';
			word += strspn(word, "(");
			if (!*word)
				continue;
			w.v = arena_grow(r->a, w.v, w.n, &cap, sizeof(*w.v));
			w.line = arena_grow(r->a, w.line, w.n, &line_cap, sizeof(*w.line));
			w.v[w.n] = word;
			w.line[w.n++] = (int)i + 1;
		}
	}
	return w;
}

static const char *word_at(const struct words *w, size_t i)
{
	return i < w->n ? w->v[i] : "";
}

static void take_length(struct reading *r, const struct words *w, size_t at,
	const char *count, const char *unit)
{
	struct grant_mail *m = r->out;
	int line = w->line[at];
	const char *source = r->lines[line - 1].text;
	int64_t days;

	mail_used(r, line, w->line[at + (at + 1 < w->n)]);
	if (!str_starts(unit, "day")) {
		mail_refuse(r, line, source,
			arena_printf(r->a, "a length in %.20s (expected days)", unit));
	} else if (!str_to_i64(count, 1, MAX_DAYS, &days)) {
		mail_refuse(r, line, source,
			arena_printf(
				r->a, "%.20s days (expected 1 to %d)", count, MAX_DAYS));
	} else if (m->days && m->days != days) {
		mail_refuse(r, line, source,
			arena_printf(r->a,
				"two lengths: %" PRId64 " days on line %d, %" PRId64
				" here",
				m->days, r->days_line, days));
	} else {
		r->days_line = m->days ? r->days_line : line;
		m->days = days;
	}
}

static bool is_unit(const char *word)
{
	return str_starts(word, "day") || str_starts(word, "week") ||
		str_starts(word, "month");
}

static bool is_digits(const char *s)
{
	return *s && !s[strspn(s, "0123456789")];
}

/* "free of charge for 90 days", "free 90-day trial" */
static void read_length(struct reading *r, const struct words *w, size_t i)
{
	char *count, *dash;

	if (!str_eq(w->v[i], "free"))
		return;
	i++;
	if (str_eq(word_at(w, i), "of") && str_eq(word_at(w, i + 1), "charge"))
		i += 2;
	if (str_eq(word_at(w, i), "for"))
		i++;
	if (i >= w->n)
		return;
	count = arena_strdup(r->a, w->v[i]);
	dash = strchr(count, '-');
	if (dash) {
		*dash = '\0';
		if (is_digits(count) && is_unit(dash + 1))
			take_length(r, w, i, count, dash + 1);
	} else if (is_digits(count) && is_unit(word_at(w, i + 1))) {
		take_length(r, w, i, count, word_at(w, i + 1));
	}
}

/* Resource Manager documentation, "project ID": 6 to 30 of a-z, 0-9 and '-'; begins with a
 * letter, does not end with a '-'. A project number is digits. */
static bool mail_is_project(const char *s)
{
	size_t len = strlen(s);

	if (len < 6 || len > 30 || s[len - 1] == '-')
		return false;
	if (is_digits(s))
		return true;
	return islower((unsigned char)s[0]) &&
		!s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-")];
}

/* "Your Google Cloud project demo-1234 now has access ..." */
static void read_project(struct reading *r, const struct words *w, size_t i)
{
	struct grant_mail *m = r->out;
	const char *id = word_at(w, i + 1);

	if (!str_eq(w->v[i], "project") || !mail_is_project(id) ||
		!str_eq(word_at(w, i + 2), "now") || !str_eq(word_at(w, i + 3), "has"))
		return;
	mail_used(r, w->line[i], w->line[i + 3]);
	if (m->project && !str_eq(m->project, id))
		mail_refuse(r, w->line[i], r->lines[w->line[i] - 1].text,
			arena_printf(
				r->a, "two projects: %s, and %s here", m->project, id));
	else
		m->project = arena_strdup(r->a, id);
}

void grant_mail_read(const char *text, struct arena *a, struct grant_mail *out)
{
	struct reading r = {.a = a, .out = out};
	struct words w;

	*out = (struct grant_mail){0};
	split_lines(&r, text);
	read_grants(&r);
	w = words_of(&r);
	for (size_t i = 0; i < w.n; i++) {
		read_length(&r, &w, i);
		read_project(&r, &w, i);
	}
}

static int64_t count_of(const struct grant_mail *m, const struct grant *g)
{
	int64_t sum = 0;

	for (size_t i = 0; i < m->n; i++)
		if (grant_alike(&m->lines[i].g, g))
			sum += m->lines[i]
				       .g.count; /* at most a million lines of a million */
	return sum;
}

bool grant_mail_same(const struct grant_mail *a, const struct grant_mail *b)
{
	if (a->n != b->n || a->n_refused || b->n_refused || a->days != b->days)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (count_of(a, &a->lines[i].g) != count_of(b, &a->lines[i].g))
			return false;
	return true;
}
