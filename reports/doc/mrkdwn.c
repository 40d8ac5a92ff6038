#include "reports/doc/mrkdwn.h"

#include "base/str.h"

#include <string.h>

#define LOOKS_LIKE_BACKTICK "\xcb\x8b"

/* The visible text, cut at a character; `max` is more than 3. */
static void add_seen(struct sbuf *b, const char *s, size_t max)
{
	sbuf_add_term(b, s);
	if (b->len <= max)
		return;
	sbuf_trunc(b, utf8_fit(b->s, max - 3));
	sbuf_adds(b, "...");
}

static void add_escaped(struct sbuf *b, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '&')
			sbuf_adds(b, "&amp;");
		else if (s[i] == '<')
			sbuf_adds(b, "&lt;");
		else if (s[i] == '>')
			sbuf_adds(b, "&gt;");
		else
			sbuf_addc(b, s[i]);
	}
}

/* "`" and its full-width form. */
static size_t backtick(const char *s)
{
	return *s == '`' ? 1 : str_starts(s, "\xef\xbd\x80") ? 3 : 0;
}

static void add_code(struct sbuf *b, const char *s, size_t len)
{
	for (size_t i = 0; i < len;) {
		size_t n = backtick(s + i);

		if (n)
			sbuf_adds(b, LOOKS_LIKE_BACKTICK);
		else
			add_escaped(b, s + i, n = 1);
		i += n;
	}
}

static bool is_alnum(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* Full-width forms that Slack treats as the ASCII ones: ＊ ＿ ｀ ～ ＞ ＠. */
static bool wide_special(const char *s)
{
	static const char *const marks[] = {"\xef\xbc\x8a", "\xef\xbc\xbf", "\xef\xbd\x80",
		"\xef\xbd\x9e", "\xef\xbc\x9e", "\xef\xbc\xa0"};

	for (size_t i = 0; i < ARRAY_LEN(marks); i++)
		if (str_starts(s, marks[i]))
			return true;
	return false;
}

/* Reports whether a chat program would interpret a part of the word. */
static bool special(const char *word, size_t len)
{
	size_t colons = 0;

	for (size_t i = 0; i < len; i++) {
		char c = word[i];

		if (c == '_' && i && i + 1 < len && is_alnum(word[i - 1]) &&
			is_alnum(word[i + 1]))
			continue; /* no formatting begins within a word */
		if (strchr("*_~`>@|\\", c) || wide_special(word + i))
			return true;
		colons += c == ':';
		if (colons > 1 || (c == ':' && i + 1 < len && word[i + 1] == '/') ||
			(c == ']' && i + 1 < len && word[i + 1] == '('))
			return true;
	}
	return len && (*word == '#' || (len > 4 && !strncmp(word, "www.", 4)));
}

static size_t word_len(const char *s)
{
	return strcspn(s, " ");
}

/* Words from s that need one common code span, with the blanks between them. */
static size_t special_run(const char *s)
{
	size_t end = 0;

	for (;;) {
		size_t blanks = end ? strspn(s + end, " ") : 0;
		size_t n = word_len(s + end + blanks);

		if (!n || !special(s + end + blanks, n))
			return end;
		end += blanks + n;
	}
}

/* Without the full stop or comma of the sentence if the other text still needs its span. */
static size_t without_stop(const char *s, size_t n)
{
	size_t word = n, end = n;

	while (word && s[word - 1] != ' ')
		word--;
	while (end > word + 1 && strchr(".,;)", s[end - 1]))
		end--;
	return special(s + word, end - word) ? end : n;
}

void mrkdwn_sentence(struct sbuf *b, const char *s, size_t max)
{
	cleanup(sbuf_done) struct sbuf seen = SBUF_INIT;
	size_t n;

	add_seen(&seen, s, max);
	for (const char *p = seen.s; *p; p += n) {
		n = strspn(p, " ");
		if (n) {
			sbuf_add(b, p, n);
		} else if ((n = special_run(p))) {
			size_t end = without_stop(p, n);

			sbuf_addc(b, '`');
			add_code(b, p, end);
			sbuf_addc(b, '`');
			add_escaped(b, p + end, n - end);
		} else {
			n = word_len(p);
			add_escaped(b, p, n);
		}
	}
}

void mrkdwn_code(struct sbuf *b, const char *s, size_t max)
{
	cleanup(sbuf_done) struct sbuf seen = SBUF_INIT;

	add_seen(&seen, s, max);
	sbuf_addc(b, '`');
	if (seen.s[strspn(seen.s, " ")])
		add_code(b, seen.s, seen.len);
	else
		sbuf_addf(b, "\"%s\"", seen.s); /* an empty span would be two backticks */
	sbuf_addc(b, '`');
}

void mrkdwn_bold(struct sbuf *b, const char *s, size_t max)
{
	cleanup(sbuf_done) struct sbuf seen = SBUF_INIT;
	bool code;

	add_seen(&seen, s, max);
	code = !seen.len || seen.s[0] == ' ' || seen.s[seen.len - 1] == ' ';
	for (const char *p = seen.s; *p && !code; p += word_len(p)) {
		p += strspn(p, " ");
		code = special(p, word_len(p));
	}
	if (code) {
		mrkdwn_code(b, s, max);
	} else {
		sbuf_addc(b, '*');
		add_escaped(b, seen.s, seen.len);
		sbuf_addc(b, '*');
	}
}

void mrkdwn_fenced(struct sbuf *b, const char *s)
{
	cleanup(sbuf_done) struct sbuf seen = SBUF_INIT;

	sbuf_add_term(&seen, s);
	add_code(b, seen.s, seen.len);
}

void mrkdwn_plain(struct sbuf *b, const char *s, size_t max)
{
	cleanup(sbuf_done) struct sbuf seen = SBUF_INIT;
	size_t start = b->len, fits = start, n;

	sbuf_add_term(&seen, s);
	for (const char *p = seen.s; *p; p += n) {
		utf8_next(p, &n);
		add_escaped(b, p, n);
		if (b->len - start <= max - 3)
			fits = b->len;
		if (b->len - start > max) {
			sbuf_trunc(b, fits);
			sbuf_adds(b, "...");
			break;
		}
	}
}
