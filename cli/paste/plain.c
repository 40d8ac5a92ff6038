/* Reversal of typographic changes of web pages: quotes and dashes, special spaces,
 * prompts. */
#include "cli/paste/internal.h"

#include "base/sbuf.h"
#include "base/str.h"

#include <ctype.h>
#include <string.h>

static bool is_dash(uint32_t c)
{
	return c == 0x2013 || c == 0x2014 || c == 0x2015;
}

/* Keyboard equivalent of the character: NULL if it is unchanged, "" for nothing. A long
 * dash before a word was "--". */
static const char *keyboard(uint32_t c, bool at_start, const char *next)
{
	static const struct {
		uint32_t first, last;
		const char *as;
	} marks[] = {
		{0x201C, 0x201F, "\""},
		{0x00AB, 0x00AB, "\""},
		{0x00BB, 0x00BB, "\""},
		{0x2018, 0x201B, "'"},
		{0x2010, 0x2012, "-"},
		{0x2212, 0x2212, "-"},
		{0xFF0D, 0xFF0D, "-"},
		{0x00A0, 0x00A0, " "},
		{0x2002, 0x2003, " "},
		{0x2007, 0x2007, " "},
		{0x2009, 0x2009, " "},
		{0x202F, 0x202F, " "},
		{0x3000, 0x3000, " "},
		{0x2028, 0x2029, "\n"},
		{0x200B, 0x200D, ""},
		{0x2060, 0x2060, ""},
		{0xFEFF, 0xFEFF, ""},
	};

	if (is_dash(c))
		return at_start && isalpha((unsigned char)*next) ? "--" : "-";
	for (size_t i = 0; i < ARRAY_LEN(marks); i++)
		if (c >= marks[i].first && c <= marks[i].last)
			return marks[i].as;
	return NULL;
}

/* "&quot;" of a page's source: its length; *as is set to its text. 0: not an entity. */
static size_t entity(const char *s, const char **as)
{
	static const char *const entities[][2] = {{"&quot;", "\""}, {"&#34;", "\""},
		{"&#39;", "'"}, {"&#x27;", "'"}, {"&apos;", "'"}, {"&lt;", "<"},
		{"&gt;", ">"}, {"&nbsp;", " "}, {"&#160;", " "}, {"&amp;", "&"}};

	for (size_t i = 0; *s == '&' && i < ARRAY_LEN(entities); i++)
		if (str_starts(s, entities[i][0])) {
			*as = entities[i][1];
			return strlen(entities[i][0]);
		}
	return 0;
}

/* Returns true if a character was replaced. */
static bool untypeset(struct sbuf *b, const char *s)
{
	bool at_start = true, changed = false;

	while (*s) {
		size_t len = 1;
		uint32_t c = (unsigned char)*s < 0x80 ? (unsigned char)*s
						      : utf8_next(s, &len);
		const char *as = c < 0x80 ? NULL : keyboard(c, at_start, s + len);
		size_t named = entity(s, &as);

		len = named ? named : len;
		if (as)
			sbuf_adds(b, as);
		else if (c == 0xfffd && len == 1)
			/* unchanged, it could combine with the character that follows it */
			sbuf_adds(b, "\xef\xbf\xbd");
		else
			sbuf_add(b, s, len);
		changed = changed || as;
		at_start = strchr(" \t\n\r", b->len ? b->s[b->len - 1] : ' ') != NULL;
		s += len;
	}
	return changed;
}

/* Length of a Windows prompt: "PS C:\> ", "C:\Users\me>". */
static size_t windows_prompt(const char *s)
{
	const char *drive = s + 3 * str_starts(s, "PS ");
	size_t n = strcspn(s, ">\n");

	if (!isalpha((unsigned char)*drive) || drive[1] != ':' || drive[2] != '\\' ||
		s[n] != '>')
		return 0;
	return n + 1;
}

/* Length of the prompt at the start of the line: "$ ", "> ", "% ", "(vm)$ ", "me@host:~$ ", or
 * "!" of a notebook. */
static size_t prompt_length(const char *s)
{
	const char *start = s;
	size_t word;

	if (windows_prompt(s))
		return windows_prompt(s);
	if (*s == '(' && (word = strcspn(s, ")\n")) < 64 && s[word] == ')')
		s += word + 1 + strspn(s + word + 1, " ");
	word = strcspn(s, " \t\n$");
	if (memchr(s, '@', word) && !memchr(s, '=', word) &&
		memchr(s, '$', strcspn(s, "\n")))
		s += strcspn(s, "$\n");
	if ((*s == '$' || *s == '%' || *s == '>') && (s[1] == ' ' || s[1] == '\t'))
		return (size_t)(s + 1 - start);
	if (start == s && *s == '!' && isalpha((unsigned char)s[1]))
		return 1;
	return 0;
}

/* Tests whether the line opens or closes a quoted text. */
static bool has_odd_quote(const char *s)
{
	size_t len = strcspn(s, "\n"), single = 0, twice = 0;

	for (size_t i = 0; i < len; i++) {
		single += s[i] == '\'';
		twice += s[i] == '"';
	}
	return single % 2 || twice % 2;
}

/* "- `gcloud ...`", "2. gcloud ...": a command as an item of a list. Returns the bytes before the
 * command; *len is changed from the line to the command, without a backquote at its end. */
static size_t item_length(const char *s, size_t *len)
{
	size_t n = strspn(s, "0123456789"), word, end = *len;

	n = n ? n + (s[n] == '.' || s[n] == ')') : strspn(s, "-*+");
	n += n ? strspn(s + n, " \t") : 0;
	while (end && strchr(" \t\r", s[end - 1]))
		end--;
	word = n + (s[n] == '`' && end > n + 1 && s[end - 1] == '`');
	if (!str_starts(s + word, "gcloud ") && !str_starts(s + word, "ctpu ") &&
		!str_starts(s + word, "gsutil "))
		return 0;
	*len = (word > n ? end - 1 : *len) - word;
	return word;
}

static void unprompt(struct sbuf *b, const char *s)
{
	while (*s) {
		size_t len = strcspn(s, "\n");
		const char *at = s + strspn(s, " \t");

		/* lines of a page around the command, such as the fence of a block or the cell magic of a
		 * notebook, are skipped, but not a line that ends a quoted text */
		if ((!str_starts(at, "```") && !str_starts(at, "~~~") &&
			    !str_starts(at, "%%")) ||
			has_odd_quote(at)) {
			size_t left;

			at += prompt_length(at);
			left = at < s + len ? (size_t)(s + len - at) : 0;
			at += item_length(at, &left);
			if (at < s + len)
				sbuf_add(b, at, left);
		}
		s += len;
		if (*s == '\n') {
			sbuf_addc(b, '\n');
			s++;
		}
	}
}

const char *paste_plain(struct pasting *p, const char *text)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT, lines = SBUF_INIT;
	char *out;

	if (untypeset(&b, text))
		paste_note(p,
			"typographic quotes, dashes or spaces were replaced by those of a "
			"keyboard");
	unprompt(&lines, b.s);
	out = arena_strdup(p->a, lines.s);
	for (char *c = out; *c; c++)
		if (*c == '\r')
			*c = c[1] == '\n' ? ' ' : '\n';
	return out;
}

const char *paste_plain_word(struct pasting *p, const char *word)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	size_t len;

	if (!is_dash((unsigned char)*word < 0x80 ? 0 : utf8_next(word, &len)))
		return word;
	untypeset(&b, word);
	paste_note(p, "the dash of %s was replaced by --", b.s);
	return arena_strdup(p->a, b.s);
}
