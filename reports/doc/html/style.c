/* Style sheet (report.css) and the smallest pieces of markup. */
#include "reports/doc/html/internal.h"

#include "base/str.h"

#include <stdio.h>
#include <string.h>

/* One rule per line; in mail it must override the inline style of the element. */
static void add_rule(struct html *h, const char *name, const char *css)
{
	if (!css)
		return;
	sbuf_addf(h->b, ".%s{", name);
	for (; h->o->mail && strchr(css, ';'); css = strchr(css, ';') + 1)
		sbuf_addf(h->b, "%.*s !important;", (int)strcspn(css, ";"), css);
	sbuf_addf(h->b, "%s%s}\n", css, h->o->mail ? " !important" : "");
}

static void add_rules(struct html *h)
{
	sbuf_adds(h->b, ":root{color-scheme:light dark}\n");
	for (int i = 0; i < HTML_STYLES && !h->o->mail; i++)
		if (html_looks[i].name)
			add_rule(h, html_looks[i].name, html_looks[i].css);
	sbuf_addf(h->b, ".table td:last-child,.table th:last-child{padding-right:0%s}\n%s",
		h->o->mail ? " !important" : "", h->o->mail ? "" : html_file_css);
	sbuf_adds(h->b, "@media (max-width:600px){\n");
	for (int i = 0; i < HTML_STYLES; i++)
		if (html_looks[i].name)
			add_rule(h, html_looks[i].name, html_looks[i].narrow);
	add_rule(h, "wide", "display:none");
	sbuf_adds(h->b, h->o->mail ? "" : html_file_narrow);
	sbuf_adds(h->b, "}\n@media (prefers-color-scheme:dark){\n");
	for (int i = 0; i < HTML_STYLES; i++)
		if (html_looks[i].name)
			add_rule(h, html_looks[i].name, html_looks[i].dark);
	sbuf_addf(h->b, "%s}\n", h->o->mail ? "" : html_file_dark);
}

void html_style_sheet(struct html *h)
{
	sbuf_adds(h->b, "<style>\n");
	add_rules(h);
	sbuf_adds(h->b, "</style>\n");
}

void doc_html_css(struct sbuf *b)
{
	const struct format_opts o = {0};
	struct html h = {.b = b, .o = &o};

	add_rules(&h);
}

#define LINE 450 /* bytes: longer lines are broken at the next possible place */

static size_t line_length(const struct sbuf *b)
{
	const char *end = memrchr(b->s, '\n', b->len);

	return b->len - (end ? (size_t)(end + 1 - b->s) : 0);
}

void html_open_cell(struct html *h, const char *name, enum html_style style, bool wide,
	const char *attrs)
{
	const struct html_look *k = &html_looks[style];
	bool class = k->name && (!h->o->mail || k->dark || k->narrow);

	sbuf_addf(h->b, "<%s%s", name, line_length(h->b) > LINE && k->name ? "\n" : "");
	if (class || wide)
		sbuf_addf(h->b, " class=\"%s%s%s\"", class ? k->name : "",
			class && wide ? " " : "", wide ? "wide" : "");
	if (k->css && h->o->mail)
		sbuf_addf(h->b, " style=\"%s\"", k->css);
	sbuf_addf(h->b, "%s%s>", attrs ? " " : "", attrs ? attrs : "");
}

void html_open(struct html *h, const char *name, enum html_style style, const char *attrs)
{
	html_open_cell(h, name, style, false, attrs);
}

/* ---- text -------------------------------------------------------------------------------------- */

/* Strong right-to-left characters in Unicode: Hebrew, Arabic and the ranges between and after
 * them. */
static bool is_rtl(uint32_t c)
{
	return (c >= 0x590 && c <= 0x8ff) || (c >= 0xfb1d && c <= 0xfdff) ||
		(c >= 0xfe70 && c <= 0xfefe) || (c >= 0x10800 && c <= 0x10fff) ||
		(c >= 0x1e800 && c <= 0x1efff);
}

/* Bytes before the first right-to-left letter. */
static size_t ltr_span(const char *s)
{
	const char *p = s;
	size_t n;

	for (; *p && !is_rtl(utf8_next(p, &n)); p += n)
		;
	return (size_t)(p - s);
}

/* Bytes up to the end of the last such letter before a left-to-right letter. */
static size_t rtl_span(const char *s)
{
	const char *p = s, *end = s;
	size_t n;

	for (; *p; p += n) {
		uint32_t c = utf8_next(p, &n);

		if (is_rtl(c))
			end = p + n;
		else if (c >= '0' && c != 0xa0)
			break;
	}
	return (size_t)(end - s);
}

#define PIECE 64 /* bytes of text: at most 6 times as many when escaped */

/* Bytes of the first word with the blanks after it, or of a piece of it. */
static size_t piece_span(const char *s, size_t n)
{
	size_t k = 0;

	while (k < n && s[k] != ' ')
		k++;
	while (k < n && s[k] == ' ')
		k++;
	if (k > PIECE)
		for (k = PIECE; ((unsigned char)s[k] & 0xc0) == 0x80;)
			k--;
	return k;
}

/* Mail requires short lines, and a text can be broken only within a tag. */
static void add_pieces(struct html *h, const char *s, size_t n)
{
	char piece[PIECE + 1];

	for (size_t k; n; s += k, n -= k) {
		k = piece_span(s, n);
		memcpy(piece, s, k);
		piece[k] = '\0';
		if (line_length(h->b) > LINE)
			sbuf_adds(h->b, "<wbr\n>");
		sbuf_add_html(h->b, piece);
	}
}

void html_text(struct html *h, const char *text)
{
	cleanup(sbuf_done) struct sbuf safe = SBUF_INIT;
	const char *s;

	sbuf_add_term(&safe, text);
	for (s = safe.s; *s;) {
		size_t n = ltr_span(s);

		add_pieces(h, s, n);
		s += n;
		if (!*s)
			break;
		n = rtl_span(s);
		sbuf_adds(h->b, "<span dir=\"rtl\">");
		add_pieces(h, s, n);
		sbuf_adds(h->b, "</span>");
		s += n;
	}
}

void html_plain(struct html *h, const char *s)
{
	cleanup(sbuf_done) struct sbuf safe = SBUF_INIT;

	sbuf_add_term(&safe, s);
	sbuf_add_html(h->b, safe.s);
}

/* ---- cells ------------------------------------------------------------------------------------- */

void html_badge(struct html *h, enum doc_tone tone)
{
	if (tone != TONE_WARN && tone != TONE_BAD)
		return;
	html_open(h, "span", tone == TONE_BAD ? HTML_BADGE_BAD : HTML_BADGE_WARN, NULL);
	sbuf_addf(h->b, "%s</span> ", tone == TONE_BAD ? "!!" : "!");
}

#define WIDE 28 /* text columns: longer texts are broken at any place */

static bool has_wide_word(const char *s)
{
	while (*s) {
		size_t n = strcspn(s, " ");

		if (n > WIDE)
			return true;
		s += n + strspn(s + n, " ");
	}
	return false;
}

static void add_toned(
	struct html *h, const char *text, enum doc_tone tone, bool code, bool wraps)
{
	static const enum html_style styles[] = {[TONE_PLAIN] = HTML_NO_STYLE,
		[TONE_GOOD] = HTML_GOOD,
		[TONE_WARN] = HTML_WARN,
		[TONE_BAD] = HTML_BAD,
		[TONE_SOFT] = HTML_SOFT};

	if (styles[tone])
		html_open(h, "span", styles[tone], NULL);
	if (wraps)
		html_open(h, "span", HTML_LONG, NULL);
	if (code)
		html_open(h, "code", HTML_CODE, NULL);
	html_text(h, text);
	sbuf_adds(h->b, code ? "</code>" : "");
	sbuf_adds(h->b, wraps ? "</span>" : "");
	sbuf_adds(h->b, styles[tone] ? "</span>" : "");
}

void html_toned(struct html *h, const char *text, enum doc_tone tone)
{
	add_toned(h, text, tone, false, has_wide_word(text));
}

void html_element(struct html *h, const char *name, enum html_style style, const char *text)
{
	html_open(h, name, style, NULL);
	html_toned(h, text, TONE_PLAIN);
	sbuf_addf(h->b, "</%s>\n", name);
}

void html_cell(struct html *h, const struct doc_column *col, const struct doc_cell *c)
{
	enum doc_tone tone = c->type == DOC_NONE && !c->tone ? TONE_SOFT : c->tone;
	bool strong = tone == TONE_WARN || tone == TONE_BAD;
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;

	doc_cell_text(h->d, col, c, &text);
	sbuf_adds(h->b, strong ? "<strong>" : "");
	add_toned(h, text.s, tone, c->type == DOC_CODE, utf8_width(text.s) > WIDE);
	sbuf_adds(h->b, strong ? "</strong>" : "");
	h->used[c->status] |= c->type != DOC_NONE;
}

void html_open_bar(struct html *h, enum html_style style, int pixels)
{
	sbuf_addf(h->b, "<div class=\"%s\" style=\"%s;line-height:%dpx\">",
		html_looks[style].name, html_looks[style].css, pixels);
}

enum html_style html_bar_style(const struct doc_cell *c)
{
	if (c->tone == TONE_BAD)
		return HTML_BAR_BAD;
	return c->status == STATUS_NONE ? HTML_BAR : HTML_BAR_LIGHT;
}

const char *html_bar_class(enum html_style bar)
{
	return bar == HTML_BAR_BAD ? "fr" : bar == HTML_BAR_LIGHT ? "fl" : "fb";
}

void html_meter(struct html *h, int64_t tenths, enum html_style bar)
{
	int n = tenths < 0 ? 0 : tenths > 1000 ? 1000 : (int)tenths;
	int percent = (n + 9) / 10;
	char attrs[64];

	if (!h->o->mail) {
		sbuf_addf(h->b,
			"<svg class=\"meter\" width=\"72\" height=\"5\" "
			"aria-hidden=\"true\"><rect class=\"ft\" width=\"100%%\" "
			"height=\"5\" rx=\"2\"/><rect class=\"%s\" width=\"%d.%d%%\" "
			"height=\"5\" rx=\"2\"/></svg>",
			html_bar_class(bar), n / 10, n % 10);
		return;
	}
	sbuf_adds(h->b, "<br>");
	html_open(h, "table", HTML_NO_STYLE,
		"role=\"presentation\" align=\"right\" width=\"72\" border=\"0\" "
		"cellpadding=\"0\" cellspacing=\"0\"");
	sbuf_adds(h->b, "<tbody><tr>");
	if (percent) {
		snprintf(attrs, sizeof(attrs), "width=\"%d%%\" height=\"5\"", percent);
		html_open(h, "td", bar, attrs);
		sbuf_adds(h->b, "</td>");
	}
	if (percent < 100) {
		html_open(h, "td", HTML_TRACK, "height=\"5\"");
		sbuf_adds(h->b, "</td>");
	}
	sbuf_adds(h->b, "</tr></tbody></table>");
}

/* ---- axes -------------------------------------------------------------------------------------- */

#define LABEL_MOST 12 /* text columns of a label below the axis */

bool html_is_date(const char *s)
{
	return strlen(s) >= 10 && s[4] == '-' && s[7] == '-' &&
		strspn(s, "0123456789-") == 10 && (!s[10] || s[10] == ' ');
}

void html_axis_label(struct html *h, const char *text)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	cleanup(sbuf_done) struct sbuf end = SBUF_INIT;
	size_t n, width = 0;

	if (html_is_date(text)) {
		int month = (text[5] - '0') * 10 + text[6] - '0';

		if (month >= 1 && month <= 12) {
			sbuf_addf(h->b, "%.3s %d", months + (size_t)(month - 1) * 3,
				(text[8] - '0') * 10 + text[9] - '0');
			return;
		}
	}
	for (const char *s = text; *s && width < LABEL_MOST; s += n, width++) {
		utf8_next(s, &n);
		sbuf_add(&end, s, n);
	}
	sbuf_adds(&end, utf8_width(text) > width ? "..." : "");
	html_plain(h, end.s);
}
