/* Escapers. What each appends is read again by a reader written from the rules of its destination: it
 * gives the text back, and nothing in between ends the place that the text stands in. */
#include "base/data/csv.h"
#include "base/data/json.h"
#include "base/mem.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "reports/doc/mrkdwn.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

/* The text with U+FFFD for each byte that is no UTF-8, and for controls where asked. */
static void add_valid(struct sbuf *b, const char *s, bool controls)
{
	size_t n;

	for (; *s; s += n) {
		uint32_t c = utf8_next(s, &n);

		if (c == 0xfffd ||
			(controls && (c < 0x20 || c == 0x7f) && c != '\n' && c != '\t'))
			sbuf_adds(b, REPLACEMENT);
		else
			sbuf_add(b, s, n);
	}
}

/* No control of ASCII or Latin-1, no character that turns or hides others, nothing invalid. */
static void require_visible(const char *s, const char *but)
{
	size_t n;

	fuzz_require(utf8_valid(s, strlen(s)));
	for (; *s; s += n) {
		uint32_t c = utf8_next(s, &n);

		fuzz_require((c >= 0x20 && c != 0x7f) || strchr(but, (int)c));
		fuzz_require(c < 0x80 || c >= 0xa0);
		fuzz_require(c < 0x200b || c > 0x200f);
		fuzz_require(c < 0x202a || c > 0x202e);
		fuzz_require(c < 0x2066 || c > 0x2069);
		fuzz_require(c != 0xfeff && c != 0x2028 && c != 0x2029);
	}
}

/* ---- HTML -------------------------------------------------------------------------------------- */

static void undo_html(struct sbuf *b, const char *s)
{
	static const char *const names[][2] = {{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"},
		{"&quot;", "\""}, {"&#39;", "'"}};

	while (*s) {
		size_t n = 1;

		fuzz_require(!strchr("<>\"'", *s));
		if (*s != '&') {
			sbuf_addc(b, *s++);
			continue;
		}
		for (size_t i = 0; i < ARRAY_LEN(names) && n == 1; i++)
			if (str_starts(s, names[i][0])) {
				sbuf_adds(b, names[i][1]);
				n = strlen(names[i][0]);
			}
		fuzz_require(n > 1);
		s += n;
	}
}

static void check_html(const char *s)
{
	cleanup(sbuf_done) struct sbuf out = SBUF_INIT, back = SBUF_INIT, want = SBUF_INIT;

	sbuf_add_html(&out, s);
	undo_html(&back, out.s);
	add_valid(&want, s, true);
	fuzz_require(!strcmp(back.s, want.s));
}

/* ---- JSON -------------------------------------------------------------------------------------- */

static void check_json(const char *s)
{
	cleanup(sbuf_done) struct sbuf out = SBUF_INIT, want = SBUF_INIT;
	struct cJSON *j = NULL;

	sbuf_addc(&out, '[');
	sbuf_add_json(&out, s);
	sbuf_addc(&out, ']');
	fuzz_require(out.s[strcspn(out.s, "\x7f\n\r\t")] == '\0');
	fuzz_require(json_parse(out.s, out.len, &j, NULL) == E_OK && json_len(j) == 1);
	add_valid(&want, s, false);
	fuzz_require(str_eq(json_text(json_first(j), NULL), want.s));
	json_free(j);
}

/* ---- CSV --------------------------------------------------------------------------------------- */

static enum err_code give_csv(void *ctx, void *buf, size_t room, size_t *n, struct err *e)
{
	struct sbuf *b = ctx;

	(void)e;
	*n = b->len < room ? b->len : room;
	memcpy(buf, b->s, *n);
	sbuf_reset(b);
	return E_OK;
}

/* Between two other fields, read with the reader of RFC 4180. */
static void check_csv_field(const char *field, const char *want)
{
	cleanup(sbuf_done) struct sbuf line = SBUF_INIT;
	struct csv_row row = {0};
	struct csv c;

	sbuf_addf(&line, "a,%s,b\n", field);
	csv_init(&c, "f", give_csv, &line);
	fuzz_require(csv_row(&c, &row, NULL) == E_OK && row.n == 3);
	fuzz_require(!strcmp(row.f[1].s, want) && !strcmp(row.f[2].s, "b"));
	fuzz_require(csv_row(&c, &row, NULL) == E_OK && !row.n);
	csv_done(&c);
}

static void check_csv(const char *s)
{
	cleanup(sbuf_done) struct sbuf valid = SBUF_INIT, plain = SBUF_INIT,
				       safe = SBUF_INIT;
	const char *text, *seen;

	add_valid(&valid, s, false);
	sbuf_add_csv(&plain, valid.s);
	sbuf_add_csv_safe(&safe, valid.s);
	if (!strchr(s, '\r')) /* the reader takes CR LF within quotes for LF */
		check_csv_field(plain.s, valid.s);
	text = safe.s + (safe.s[0] == '"');
	if (*text == '\'' && strcmp(plain.s, safe.s) != 0)
		return;
	/* what a spreadsheet sees first is no sign of a formula */
	fuzz_require(!strcmp(plain.s, safe.s));
	seen = text + strspn(text, " \"'");
	fuzz_require(!*seen || !strchr("=+-@\t\r\n", *seen));
}

/* ---- shell ------------------------------------------------------------------------------------- */

/* One word of sh, by POSIX 2.2: '...' is literal, \x is x, everything else must be harmless. */
static void undo_shell(struct sbuf *b, const char *s)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789-._/:=@,+%";
	bool quoted = false;

	fuzz_require(*s);
	for (; *s; s++)
		if (*s == '\'')
			quoted = !quoted;
		else if (quoted)
			sbuf_addc(b, *s);
		else if (*s == '\\')
			sbuf_addc(b, *++s);
		else
			fuzz_require(strchr(safe, *s)), sbuf_addc(b, *s);
	fuzz_require(!quoted);
}

static void check_shell(const char *s)
{
	cleanup(sbuf_done) struct sbuf out = SBUF_INIT, back = SBUF_INIT;

	sbuf_add_shell(&out, s);
	undo_shell(&back, out.s);
	fuzz_require(!strcmp(back.s, s));
}

/* ---- URL --------------------------------------------------------------------------------------- */

static int hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static void check_url(const char *s)
{
	cleanup(sbuf_done) struct sbuf out = SBUF_INIT, back = SBUF_INIT;

	sbuf_add_url(&out, s);
	for (const char *p = out.s; *p; p++) {
		fuzz_require(!strchr("/?#&=+ :@\"<>\\", *p) && *p > 0x20 && *p < 0x7f);
		if (*p != '%') {
			sbuf_addc(&back, *p);
			continue;
		}
		fuzz_require(hex(p[1]) >= 0 && hex(p[2]) >= 0);
		sbuf_addc(&back, (char)(hex(p[1]) * 16 + hex(p[2])));
		p += 2;
	}
	fuzz_require(!strcmp(back.s, s));
}

/* ---- terminal, markdown ------------------------------------------------------------------------ */

static void check_term(const char *s, size_t max)
{
	cleanup(sbuf_done) struct sbuf out = SBUF_INIT, again = SBUF_INIT,
				       quoted = SBUF_INIT, wrapped = SBUF_INIT;
	size_t width = 0;

	sbuf_add_term(&out, s);
	require_visible(out.s, "");
	sbuf_add_term(&again, out.s);
	fuzz_require(!strcmp(out.s, again.s));
	fuzz_require(utf8_width(out.s) <= out.len * 2);
	sbuf_add_quoted(&quoted, s, max);
	require_visible(quoted.s, "");
	fuzz_require(
		quoted.len >= 2 && quoted.s[0] == '\'' && quoted.s[quoted.len - 1] == '\'');
	fuzz_require(strlen(s) > max
			? str_ends(quoted.s, "...'") && quoted.len <= max * 8 + 5
			: quoted.len == out.len + 2 &&
				!strncmp(quoted.s + 1, out.s, out.len));
	sbuf_add_wrapped(&wrapped, s, 4, 4, 40);
	require_visible(wrapped.s, "\n");
	fuzz_require(str_ends(wrapped.s, "\n"));
	/* only lines of one word may be longer */
	for (char *line = wrapped.s; *line; line += strlen(line) + 1) {
		line[strcspn(line, "\n")] = '\0';
		width = utf8_width(line) + (line == wrapped.s ? 4 : 0);
		fuzz_require(width <= 40 || !strchr(line + strspn(line, " "), ' '));
	}
}

/* By CommonMark a backslash before punctuation is that; nothing else that formats may be left. */
static void check_markdown(const char *s)
{
	cleanup(sbuf_done) struct sbuf out = SBUF_INIT, back = SBUF_INIT, want = SBUF_INIT;

	sbuf_add_markdown(&out, s, true);
	sbuf_add_term(&want, s);
	require_visible(out.s, "");
	fuzz_require(!out.len || !strchr("-+#=", out.s[0]));
	for (const char *p = out.s; *p; p++) {
		if (*p == '\\') {
			p++;
			fuzz_require(
				*p && strchr("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", *p));
		} else {
			fuzz_require(!strchr("`*_[]<>|~&$", *p));
			fuzz_require(!str_starts(p, "://"));
		}
		sbuf_addc(&back, *p);
	}
	fuzz_require(!strcmp(back.s, want.s));
}

/* ---- Slack ------------------------------------------------------------------------------------- */

/* What of mrkdwn is outside of code spans must format nothing; entities are those three. */
static void require_plain_mrkdwn(const char *s, bool bold)
{
	bool code = false;
	size_t len = strlen(s);

	if (bold && s[0] == '*') {
		fuzz_require(len > 2 && s[len - 1] == '*');
		s++;
		len -= 2;
	}
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '`') {
			code = !code;
			fuzz_require(!code || s[i + 1] != '`');
			continue;
		}
		fuzz_require(s[i] != '<' && s[i] != '>' && s[i] != '\n');
		fuzz_require(s[i] != '&' || str_starts(s + i, "&amp;") ||
			str_starts(s + i, "&lt;") || str_starts(s + i, "&gt;"));
		fuzz_require(code || !strchr("*~@|", s[i]));
		fuzz_require(code || !str_starts(s + i, "://"));
	}
	fuzz_require(!code);
}

static void check_slack(const char *s, size_t max)
{
	cleanup(sbuf_done) struct sbuf out = SBUF_INIT;

	mrkdwn_sentence(&out, s, max);
	require_visible(out.s, "");
	require_plain_mrkdwn(out.s, false);
	sbuf_reset(&out);
	mrkdwn_bold(&out, s, max);
	require_visible(out.s, "");
	require_plain_mrkdwn(out.s, true);
	sbuf_reset(&out);
	mrkdwn_code(&out, s, max);
	require_visible(out.s, "");
	require_plain_mrkdwn(out.s, false);
	fuzz_require(out.len > 2 && out.s[0] == '`' &&
		strchr(out.s + 1, '`') == out.s + out.len - 1);
	sbuf_reset(&out);
	mrkdwn_fenced(&out, s);
	require_visible(out.s, "");
	fuzz_require(!strpbrk(out.s, "`<>"));
	sbuf_reset(&out);
	mrkdwn_plain(&out, s, max);
	require_visible(out.s, "");
	fuzz_require(!strpbrk(out.s, "<>") && out.len <= max);
}

int fuzz_escape(const uint8_t *data, size_t size)
{
	cleanup(free_ptr) char *s = fuzz_text(data, size);
	size_t max = 20 + size % 7 * 10;

	/* by turns, as all of them would take long; a corpus that is cut at every length meets all */
	switch (size % 4) {
	case 0:
		check_html(s);
		check_json(s);
		check_shell(s);
		check_url(s);
		break;
	case 1:
		check_csv(s);
		check_markdown(s);
		break;
	case 2:
		check_term(s, max);
		break;
	default:
		check_slack(s, max);
	}
	return 0;
}
