/* The looks, and the smallest pieces of markup. What mail clients know of CSS is from
 * caniemail.com: colours as #rrggbb, no variables, no flex, grid or position; Outlook for
 * Windows keeps to padding and borders in cells of tables only. */
#include "reports/doc/html_internal.h"

#include "base/str.h"

#include <stdio.h>
#include <string.h>

#define SANS "-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
#define MONO "ui-monospace,SFMono-Regular,Menlo,Consolas,monospace"
#define BREAK "word-break:break-word"
#define WRAPS "white-space:normal;" BREAK /* texts, where it is narrow */
#define CELL "padding:7px 14px 7px 0;vertical-align:top;border-top:1px solid #dfe3e8;"
#define NUMBER "text-align:right;white-space:nowrap"
#define LEAD                                                                        \
	"margin:0 0 14px;padding:12px 14px;font-size:17px;line-height:1.45;border-" \
	"left:4px solid "

/* `css` is the light version; `dark` and `narrow` are what changes. */
static const struct look {
	const char *name, *css, *dark, *narrow;
} looks[HTML_STYLES] = {
	[HTML_PAGE] = {"page",
		"margin:0;padding:0;background:#f3f4f6;color:#1f2328;font:15px/1.45 " SANS,
		"background:#0d1117;color:#e6edf3", NULL},
	[HTML_CARD] = {"card", "background:#ffffff;padding:24px 28px", "background:#161b22",
		"padding:16px"},
	[HTML_OUTER] = {"out", "width:100%;table-layout:fixed;background:#f3f4f6",
		"background:#0d1117", NULL},
	[HTML_COLUMN] = {"col", "width:640px;max-width:100%", NULL, "width:100%"},
	[HTML_PREHEADER] = {"pre0",
		"display:none;mso-hide:all;max-height:0;overflow:hidden;font-size:1px;line-"
		"height:1px;"
		"color:#f3f4f6",
		NULL, NULL},
	[HTML_H1] = {"h1",
		"margin:0 0 12px;font-size:14px;line-height:1.3;font-weight:600;color:#"
		"59636e",
		"color:#9da7b3", NULL},
	[HTML_H2] = {"h2",
		"margin:28px 0 6px;font-size:16px;line-height:1.3;font-weight:700", NULL,
		NULL},
	[HTML_LEAD_BOX] = {"lead0", "width:100%;margin:0 0 14px;font:17px/1.45 " SANS, NULL,
		NULL},
	[HTML_LEAD] = {"lead", LEAD "#8c959f;background:#f3f4f6",
		"background:#21262d;border-color:#6e7681", "font-size:16px"},
	[HTML_LEAD_GOOD] = {"lead1", LEAD "#1a7f37;background:#eaf7ed",
		"background:#12261e;border-color:#3fb950", "font-size:16px"},
	[HTML_LEAD_WARN] = {"lead2", LEAD "#bf8700;background:#fdf5e0",
		"background:#2b2312;border-color:#d29922", "font-size:16px"},
	[HTML_LEAD_BAD] = {"lead3", LEAD "#cf222e;background:#fdeeed",
		"background:#321818;border-color:#f85149", "font-size:16px"},
	[HTML_LEAD_SOFT] = {"lead4", LEAD "#d0d7de;background:#f6f8fa",
		"background:#1c2128;border-color:#444c56", "font-size:16px"},
	[HTML_FACTS] = {"facts", "margin:0 0 4px;font-size:13px;color:#59636e",
		"color:#9da7b3", NULL},
	[HTML_NOTE] = {"note", "margin:0 0 8px;font-size:14px;color:#59636e",
		"color:#9da7b3", NULL},
	[HTML_FEET] = {"feet",
		"margin:32px 0 0;padding:14px 0 0;border-top:1px solid #dfe3e8",
		"border-color:#30363d", NULL},
	[HTML_FOOT] = {"foot", "margin:0 0 6px;font-size:13px;color:#59636e",
		"color:#9da7b3", NULL},
	[HTML_SCROLL] = {"scroll", "overflow-x:auto", NULL, NULL},
	[HTML_TABLE] = {"table",
		"width:100%;border-collapse:collapse;color:#1f2328;font:14px/1.4 " SANS,
		"color:#e6edf3", NULL},
	[HTML_TH] = {"th",
		"padding:4px 14px 4px 0;vertical-align:bottom;text-align:left;font-weight:"
		"600;font-size:12px;color:#59636e",
		"color:#9da7b3", NULL},
	[HTML_TH_NUMBER] = {"thn",
		"padding:4px 14px 4px 0;vertical-align:bottom;text-align:right;font-"
		"weight:600;font-size:12px;color:#59636e",
		"color:#9da7b3", NULL},
	[HTML_ROW_HEAD] = {"rh", CELL "text-align:left;font-weight:600;white-space:nowrap",
		"border-color:#30363d", WRAPS},
	[HTML_TD] = {"td", CELL "text-align:left", "border-color:#30363d", WRAPS},
	[HTML_TD_SOLID] = {"tds", CELL "text-align:left;white-space:nowrap",
		"border-color:#30363d", WRAPS},
	[HTML_TD_NUMBER] = {"tdn", CELL NUMBER, "border-color:#30363d", NULL},
	[HTML_TOTAL_HEAD] = {"toh",
		"padding:7px 14px 7px 0;vertical-align:top;border-top:2px solid #8c959f;"
		"text-align:left;font-weight:700",
		"border-color:#6e7681", WRAPS},
	[HTML_TOTAL] = {"to",
		"padding:7px 14px 7px 0;vertical-align:top;border-top:2px solid #8c959f;"
		"text-align:left;font-weight:700",
		"border-color:#6e7681", WRAPS},
	[HTML_TOTAL_NUMBER] = {"ton",
		"padding:7px 14px 7px 0;vertical-align:top;border-top:2px solid #8c959f;"
		"font-weight:700;" NUMBER,
		"border-color:#6e7681", NULL},
	[HTML_DETAIL] = {"de", "padding:0 0 10px;vertical-align:top;text-align:left", NULL,
		NULL},
	[HTML_MORE] = {"more", "margin:6px 0 10px;font-size:13px;color:#59636e",
		"color:#9da7b3", NULL},
	[HTML_COMMAND] = {"cmd",
		"margin:6px 0 0;padding:8px 10px;background:#f0f2f5;border:1px solid "
		"#dfe3e8;color:#1f2328;font:12px/1.5 " MONO ";white-space:pre-wrap;" BREAK,
		"background:#0d1117;border-color:#30363d;color:#e6edf3", NULL},
	[HTML_CODE] = {"code", "font-family:" MONO ";font-size:13px", NULL, NULL},
	[HTML_LONG] = {"long", WRAPS, NULL, NULL},
	[HTML_SOLID] = {"nw", "white-space:nowrap", NULL, NULL},
	[HTML_GOOD] = {"good", "color:#116329", "color:#56d364", NULL},
	[HTML_WARN] = {"warn", "color:#8a4600", "color:#e3b341", NULL},
	[HTML_BAD] = {"bad", "color:#b42318", "color:#ff7b72", NULL},
	[HTML_SOFT] = {"soft", "color:#59636e", "color:#9da7b3", NULL},
	[HTML_BADGE_WARN] = {"b2",
		"padding:0 6px;background:#8a5a00;color:#ffffff;font-size:12px;font-weight:"
		"700",
		"background:#d29922;color:#0d1117", NULL},
	[HTML_BADGE_BAD] = {"b3",
		"padding:0 5px;background:#cf222e;color:#ffffff;font-size:12px;font-weight:"
		"700",
		"background:#f85149;color:#0d1117", NULL},
	[HTML_CHART_TITLE] = {"ct", "margin:10px 0 6px;font-size:13px;font-weight:600",
		NULL, NULL},
	[HTML_CHART] = {"chart", "width:100%;table-layout:fixed", NULL, NULL},
	[HTML_BAR] = {"bar", "background:#3b6fb6;font-size:1px", "background:#6ea8fe",
		NULL},
	[HTML_BAR_LIGHT] = {"bar1", "background:#9dbbe0;font-size:1px",
		"background:#3f6796", NULL},
	[HTML_BAR_BAD] = {"bar3", "background:#cf222e;font-size:1px", "background:#f85149",
		NULL},
	[HTML_TRACK] = {"track", "background:#dfe3e8;font-size:1px", "background:#30363d",
		NULL},
	[HTML_MARK] = {"mk",
		"padding:0;border-top:1px dashed #8a4600;font-size:1px;line-height:1px",
		"border-color:#e3b341", NULL},
	[HTML_AXIS] = {"ax",
		"padding:0;border-top:1px solid #8c959f;font-size:1px;line-height:1px",
		"border-color:#6e7681", NULL},
};

/* Of the file only: its shape on the screen, and charts as SVG. */
static const char file_css[] =
	"main{max-width:880px;margin:24px auto;border-radius:10px;box-shadow:0 1px 3px "
	"rgba(0,0,0,.12)}\n.td,.tdn,.rh,.to,.toh,.ton{font-variant-numeric:tabular-nums}\n"
	".cmd,.lead,.lead1,.lead2,.lead3,.lead4,.b2,.b3{border-radius:4px}\n"
	".plot{display:block;margin-left:64px;width:calc(100% - 64px);overflow:visible;"
	"font:11px " SANS "}\n.plot text{fill:#59636e}\n.fb{fill:#3b6fb6}\n"
	".fl{fill:#9dbbe0}\n.fr{fill:#cf222e}\n.ft{fill:#dfe3e8}\n"
	".gr{stroke:#dfe3e8}\n.ze{stroke:#8c959f}\n"
	".ml{stroke:#8a4600;stroke-dasharray:5 3}\n.plot "
	".mt{fill:#8a4600;font-weight:600}\n"
	".meter{display:block;margin:4px 0 0 auto}\n";
static const char file_dark[] =
	".plot text{fill:#9da7b3}.fb{fill:#6ea8fe}.fl{fill:#3f6796}.fr{fill:#f85149}\n"
	".ft{fill:#30363d}.gr{stroke:#30363d}.ze{stroke:#6e7681}\n"
	".ml{stroke:#e3b341}.plot .mt{fill:#e3b341}\n";
static const char file_narrow[] = "main{margin:0;border-radius:0}\n";

/* One rule a line; in mail the style of the element itself has to be beaten. */
static void add_rule(struct html *h, const char *name, const char *css)
{
	if (!css)
		return;
	sbuf_addf(h->b, ".%s{", name);
	for (; h->o->mail && strchr(css, ';'); css = strchr(css, ';') + 1)
		sbuf_addf(h->b, "%.*s !important;", (int)strcspn(css, ";"), css);
	sbuf_addf(h->b, "%s%s}\n", css, h->o->mail ? " !important" : "");
}

void html_style_sheet(struct html *h)
{
	sbuf_adds(h->b, "<style>\n:root{color-scheme:light dark}\n");
	for (int i = 0; i < HTML_STYLES && !h->o->mail; i++)
		if (looks[i].name)
			add_rule(h, looks[i].name, looks[i].css);
	sbuf_addf(h->b, ".table td:last-child,.table th:last-child{padding-right:0%s}\n%s",
		h->o->mail ? " !important" : "", h->o->mail ? "" : file_css);
	sbuf_adds(h->b, "@media (max-width:600px){\n");
	for (int i = 0; i < HTML_STYLES; i++)
		if (looks[i].name)
			add_rule(h, looks[i].name, looks[i].narrow);
	add_rule(h, "wide", "display:none");
	sbuf_adds(h->b, h->o->mail ? "" : file_narrow);
	sbuf_adds(h->b, "}\n@media (prefers-color-scheme:dark){\n");
	for (int i = 0; i < HTML_STYLES; i++)
		if (looks[i].name)
			add_rule(h, looks[i].name, looks[i].dark);
	sbuf_adds(h->b, h->o->mail ? "" : file_dark);
	sbuf_adds(h->b, "}\n</style>\n");
}

#define LINE 450 /* bytes: from here on a line is broken where it can be */

static size_t line_length(const struct sbuf *b)
{
	const char *end = memrchr(b->s, '\n', b->len);

	return b->len - (end ? (size_t)(end + 1 - b->s) : 0);
}

static void open_tag(struct html *h, const char *name, enum html_style style, bool wide,
	const char *attrs)
{
	const struct look *k = &looks[style];
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
	open_tag(h, name, style, false, attrs);
}

void html_open_wide(
	struct html *h, const char *name, enum html_style style, const char *attrs)
{
	open_tag(h, name, style, true, attrs);
}

/* ---- text -------------------------------------------------------------------------------------- */

/* Strong right-to-left in Unicode: Hebrew, Arabic and what lies between and after them. */
static bool is_rtl(uint32_t c)
{
	return (c >= 0x590 && c <= 0x8ff) || (c >= 0xfb1d && c <= 0xfdff) ||
		(c >= 0xfe70 && c <= 0xfefe) || (c >= 0x10800 && c <= 0x10fff) ||
		(c >= 0x1e800 && c <= 0x1efff);
}

/* Bytes up to the first letter from right to left. */
static size_t ltr_span(const char *s)
{
	const char *p = s;
	size_t n;

	for (; *p && !is_rtl(utf8_next(p, &n)); p += n)
		;
	return (size_t)(p - s);
}

/* Bytes up to the end of the last such letter before one from left to right. */
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

#define PIECE 64 /* bytes of text: at most 6 times that when escaped */

/* Bytes of the first word with the blanks behind it, or of a piece of it. */
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

/* Mail wants short lines, and a text can be broken only within a tag. */
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
	struct sbuf safe = SBUF_INIT;
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
	sbuf_done(&safe);
}

void html_plain(struct html *h, const char *s)
{
	struct sbuf safe = SBUF_INIT;

	sbuf_add_term(&safe, s);
	sbuf_add_html(h->b, safe.s);
	sbuf_done(&safe);
}

/* ---- cells ------------------------------------------------------------------------------------- */

void html_badge(struct html *h, enum doc_tone tone)
{
	if (tone != TONE_WARN && tone != TONE_BAD)
		return;
	html_open(h, "span", tone == TONE_BAD ? HTML_BADGE_BAD : HTML_BADGE_WARN, NULL);
	sbuf_addf(h->b, "%s</span> ", tone == TONE_BAD ? "!!" : "!");
}

#define WIDE 28 /* columns of text: from here on a text is broken where it must be */

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
	struct sbuf text = SBUF_INIT;

	doc_cell_text(h->d, col, c, &text);
	sbuf_adds(h->b, strong ? "<strong>" : "");
	add_toned(h, text.s, tone, c->type == DOC_CODE, utf8_width(text.s) > WIDE);
	sbuf_adds(h->b, strong ? "</strong>" : "");
	h->used[c->status] |= c->type != DOC_NONE;
	sbuf_done(&text);
}

void html_open_bar(struct html *h, enum html_style style, int pixels)
{
	sbuf_addf(h->b, "<div class=\"%s\" style=\"%s;line-height:%dpx\">",
		looks[style].name, looks[style].css, pixels);
}

void html_meter(struct html *h, int tenths, enum html_style bar)
{
	int n = tenths < 0 ? 0 : tenths > 1000 ? 1000 : tenths;
	int percent = (n + 9) / 10;
	char attrs[64];

	if (!h->o->mail) {
		sbuf_addf(h->b,
			"<svg class=\"meter\" width=\"72\" height=\"5\" "
			"aria-hidden=\"true\"><rect class=\"ft\" width=\"100%%\" "
			"height=\"5\" rx=\"2\"/><rect class=\"%s\" width=\"%d.%d%%\" "
			"height=\"5\" rx=\"2\"/></svg>",
			bar == HTML_BAR_BAD             ? "fr"
				: bar == HTML_BAR_LIGHT ? "fl"
							: "fb",
			n / 10, n % 10);
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
