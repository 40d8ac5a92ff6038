#include "rules/grant/mail.h"

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
	struct {
		struct mail_text {
			const char *text; /* plain */
			unsigned signs;
		} * v;
		size_t n, cap;
	} lines;
	int days_line;
};

static void mail_refuse(struct reading *r, int line, const char *source, const char *text)
{
	*arena_push(r->a, &r->out->refused) = (struct grant_mail_remark){
		.line = line, .source = source, .text = text};
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
	while (*text) {
		size_t len = strcspn(text, "\n");
		const char *line = grant_plain(arena_strndup(r->a, text, len), r->a);

		*arena_push(r->a, &r->lines) = (struct mail_text){line, grant_signs(line)};
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
	const char *text = r->lines.v[i].text;

	*used = 1;
	*signs = r->lines.v[i].signs;
	if (!is_cut(*signs))
		return text;
	for (size_t k = 1; k < MAX_JOINED && i + k < r->lines.n && *r->lines.v[i + k].text;
		k++) {
		unsigned all;

		if (r->lines.v[i + k].signs & GRANT_SIGN_BEGINS)
			break;
		text = arena_printf(r->a, "%s %s", text, r->lines.v[i + k].text);
		all = grant_signs(text);
		if (!(all & GRANT_SIGN_ZONE))
			continue;
		*used = k + 1;
		*signs = all;
		return text;
	}
	return r->lines.v[i].text;
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
	for (size_t i = 0; i < m->lines.n; i++)
		l.again = l.again || grant_alike(&m->lines.v[i].g, &l.g);
	*arena_push(r->a, &m->lines) = l;
}

static void read_grants(struct reading *r)
{
	struct grant_mail *m = r->out;

	for (size_t i = 0, used; i < r->lines.n; i += used) {
		unsigned signs;
		const char *text = mail_joined(r, i, &used, &signs);

		if (is_grant(signs)) {
			mail_used(r, (int)i + 1, (int)(i + used));
			take_grant(r, (int)i + 1, text);
		} else if ((signs & GRANT_SIGN_NAMES) && !(signs & GRANT_SIGN_SHELL)) {
			*arena_push(r->a, &m->unread) = (struct grant_mail_remark){
				.line = (int)i + 1,
				.source = r->lines.v[i].text,
				.text = "names a TPU type, but was not read as a grant"};
		}
	}
}

/* ---- days and project ---------------------------------------------------------------------- */

struct words {
	struct mail_word {
		const char *word;
		int line;
	} * v;
	size_t n, cap;
};

/* All words of the text, without the punctuation around them: sentences may be wrapped. */
static struct words words_of(const struct reading *r)
{
	struct words w = {0};

	for (size_t i = 0; i < r->lines.n; i++) {
		char *line = arena_strdup(r->a, r->lines.v[i].text), *save = NULL, *word;

		for (word = strtok_r(line, " ", &save); word;
			word = strtok_r(NULL, " ", &save)) {
			size_t len = strlen(word);

			while (len && strchr(".,:;!)", word[len - 1]))
				word[--len] = '\0';
			word += strspn(word, "(");
			if (*word)
				*arena_push(r->a, &w) = (struct mail_word){
					word, (int)i + 1};
		}
	}
	return w;
}

static const char *word_at(const struct words *w, size_t i)
{
	return i < w->n ? w->v[i].word : "";
}

static void take_length(struct reading *r, const struct words *w, size_t at,
	const char *count, const char *unit)
{
	struct grant_mail *m = r->out;
	int line = w->v[at].line;
	const char *source = r->lines.v[line - 1].text;
	int64_t days;

	mail_used(r, line, w->v[at + (at + 1 < w->n)].line);
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

	if (!str_eq(w->v[i].word, "free"))
		return;
	i++;
	if (str_eq(word_at(w, i), "of") && str_eq(word_at(w, i + 1), "charge"))
		i += 2;
	if (str_eq(word_at(w, i), "for"))
		i++;
	if (i >= w->n)
		return;
	count = arena_strdup(r->a, w->v[i].word);
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

	if (!str_eq(w->v[i].word, "project") || !mail_is_project(id) ||
		!str_eq(word_at(w, i + 2), "now") || !str_eq(word_at(w, i + 3), "has"))
		return;
	mail_used(r, w->v[i].line, w->v[i + 3].line);
	if (m->project && !str_eq(m->project, id))
		mail_refuse(r, w->v[i].line, r->lines.v[w->v[i].line - 1].text,
			arena_printf(
				r->a, "two projects: %s, and %s here", m->project, id));
	else
		m->project = arena_strdup(r->a, id);
}

/* "once the trial has ended" is in the mail of a grant, too. */
static bool mail_is_later(const struct words *w, size_t i)
{
	static const char *const words[] = {"once", "when", "after", "if", "until"};

	for (size_t k = i > 8 ? i - 8 : 0; k < i; k++)
		for (size_t m = 0; m < ARRAY_LEN(words); m++)
			if (str_ieq(w->v[k].word, words[m]))
				return true;
	return false;
}

/* Mails about the end of access, and answers to requests, list TPUs like a grant. */
static void read_refusal(struct reading *r, const struct words *w, size_t i)
{
	static const char *const alone[] = {
		"unfortunately", "revoked", "declined", "rejected", "denied"};
	const char *word = w->v[i].word, *next = word_at(w, i + 1);
	bool no = (str_ieq(word, "no") && str_ieq(next, "longer")) ||
		(str_ieq(word, "had") && str_ieq(next, "access")) ||
		(str_ieq(word, "sorry") && !str_ieq(next, "for")) ||
		(str_ieq(word, "has") && str_ieq(next, "ended"));

	for (size_t k = 0; k < ARRAY_LEN(alone); k++)
		no |= str_ieq(word, alone[k]);
	if (no && !mail_is_later(w, i))
		mail_refuse(r, w->v[i].line, r->lines.v[w->v[i].line - 1].text,
			"this may end or refuse access; delete in a copy what is not "
			"granted, "
			"and this line");
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
		if (out->lines.n)
			read_refusal(&r, &w, i);
	}
}

static int64_t count_of(const struct grant_mail *m, const struct grant *g)
{
	int64_t sum = 0;

	for (size_t i = 0; i < m->lines.n; i++)
		if (grant_alike(&m->lines.v[i].g, g))
			sum += m->lines.v[i]
				       .g.count; /* at most a million lines of a million */
	return sum;
}

bool grant_mail_same(const struct grant_mail *a, const struct grant_mail *b)
{
	if (a->lines.n != b->lines.n || a->refused.n || b->refused.n || a->days != b->days)
		return false;
	for (size_t i = 0; i < a->lines.n; i++)
		if (count_of(a, &a->lines.v[i].g) != count_of(b, &a->lines.v[i].g))
			return false;
	return true;
}
