/* Lines of a mail that contains only HTML. */
#include "base/net/mail.h"
#include "base/sbuf.h"
#include "base/str.h"

#include <gmime/gmime.h>
#include <libxml/HTMLparser.h>
#include <string.h>

/* HTML standard, "flow content" that browsers show on separate lines. */
static const char *const blocks[] = {"address", "article", "blockquote", "body", "br",
	"caption", "center", "dd", "div", "dl", "dt", "footer", "form", "h1", "h2", "h3",
	"h4", "h5", "h6", "header", "hr", "li", "main", "ol", "p", "pre", "section",
	"table", "tbody", "tfoot", "thead", "title", "tr", "ul"};
static const char *const rule[] = {"hr"};
/* Their text is hidden or struck out. */
static const char *const skipped[] = {
	"head", "script", "style", "template", "s", "strike", "del"};
static const char *const cells[] = {"td", "th"};

static bool is_one_of(const xmlNode *n, const char *const *names, size_t count)
{
	for (size_t i = 0; n->type == XML_ELEMENT_NODE && i < count; i++)
		if (str_ieq((const char *)n->name, names[i]))
			return true;
	return false;
}

static bool is_cell(const xmlNode *n)
{
	return is_one_of(n, cells, ARRAY_LEN(cells));
}

/* ---- elements of an original mail ---------------------------------------------------------- */

/* Declarations that do not move or draw anything. */
/* clang-format off */
#define NIL "(?:0(?:px|pt|em|%)?|auto|none)"
#define STYLES \
	"(?:\\s*(?:(?:margin|padding|border)(?:-(?:top|right|bottom|left))?:\\s*" NIL "(?:\\s+" NIL ")*+" \
	"|padding:\\s*\\d+px 0|font:\\s*\\d\\dpx [\\w ]+|text-align:\\s*left|width:\\s*100%" \
	"|border-collapse:\\s*collapse|-webkit-text-size-adjust:\\s*100%)" \
	"(?:\\s*!important)?\\s*(?:;|(?=[\"}])))*+\\s*"
#define STYLE " style=\"" STYLES "\""
#define LINK \
	"a(?: href=\"https://(?:[\\w-]+\\.)*google\\.com/[^\"\\s]*\"" \
	"| style=\"(?:(?:color:[\\w#]+|border:1px solid);?)*\")*"
#define INLINE "(?:text|br|b|" LINK ")"
#define FLOW INLINE "|(?:p|ul)(?:" STYLE ")?"
/* "parent>element" and its attributes. What could move other text has its own text, too: items of
 * lists, headings, and cells before others. */
#define KNOWN \
	"^(?:>html|html>head|html>body(?:" STYLE ")?|head>(?:title|meta.*|style)|(?:title|style)>text" \
	"|(?:body|div)>(?:" FLOW "|div(?:" STYLE ")?" \
		"|table(?: class=\"(?:quota-table|moz-email-headers-table)\"|" STYLE "))" \
	"|table>tbody|(?:table|tbody)>tr|tr>td(?:" STYLE "|=[ \\t\\n]*\\xa0?[ \\t\\n]*)?|tr>th=[^:]*:\\s*" \
	"|td>(?:" FLOW ")|ul>li=\\s*\\d.*|(?:p|li|th|a|b)>" INLINE ")$"
#define SHEET "^(?:\\s|<!--|-->|/\\*[^*]*\\*/|[\\w\\s,]++\\{" STYLES "\\})*+$"
/* clang-format on */

/* A text that is too long is not known. */
static bool html_matches(GRegex **kept, const char *pattern, const char *s)
{
	if (!*kept)
		*kept = g_regex_new(pattern, G_REGEX_DOTALL, 0, NULL);
	return g_regex_match(*kept, s, 0, NULL);
}

static bool is_blank(const char *s)
{
	return !s[strspn(s, " \t\r\n\f")];
}

static bool has_cell_after(const xmlNode *n)
{
	while ((n = n->next))
		if (is_cell(n))
			return true;
	return false;
}

static void add_attributes(struct sbuf *b, const xmlNode *n)
{
	for (const xmlAttr *at = n->properties; at; at = at->next) {
		xmlChar *value = xmlNodeListGetString(n->doc, at->children, 1);

		sbuf_addf(b, " %s=\"%s\"", (const char *)at->name,
			value ? (const char *)value : "");
		xmlFree(value);
	}
}

/* Only elements, attributes and nesting of original mails of TRC are known: mail programs mark quotes
 * in hundreds of ways. In another element everything begins as in a body. */
static bool is_known(const xmlNode *n)
{
	static const char *const with_text[] = {"li", "th"};
	static GRegex *known; /* kept until the program ends */
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	bool text = n->type == XML_TEXT_NODE || n->type == XML_CDATA_SECTION_NODE;
	const xmlNode *up = n->parent;

	if (text && is_blank(n->content ? (const char *)n->content : ""))
		return true;
	if (!text && n->type != XML_ELEMENT_NODE)
		return false;
	sbuf_addf(&b, "%s>%s",
		up->type != XML_ELEMENT_NODE ? ""
			: up->_private       ? "body"
					     : (const char *)up->name,
		text ? "text" : (const char *)n->name);
	if (!text)
		add_attributes(&b, n);
	if (is_one_of(n, with_text, ARRAY_LEN(with_text)) ||
		(is_cell(n) && has_cell_after(n))) {
		xmlChar *all = xmlNodeGetContent(n);

		sbuf_addf(&b, "=%s%s", all ? (const char *)all : "",
			xmlChildElementCount((xmlNode *)(uintptr_t)n) ? "<" : "");
		xmlFree(all);
	}
	return html_matches(&known, KNOWN, b.s);
}

static bool is_known_sheet(const char *css)
{
	static GRegex *sheet; /* kept until the program ends */

	return html_matches(&sheet, SHEET, css);
}

/* ---- lines --------------------------------------------------------------------------------- */

/* Blanks and line ends of the source are seen. */
static bool is_pre(const xmlNode *n)
{
	static const char *const pre[] = {"pre"};
	xmlChar *style = n->type == XML_ELEMENT_NODE
		? xmlGetProp(n, (const xmlChar *)"style")
		: NULL;
	bool yes = is_one_of(n, pre, 1) ||
		(style && strcasestr((const char *)style, "white-space"));

	xmlFree(style);
	return yes;
}

static bool is_skipped(const xmlNode *n)
{
	xmlChar *style = n->type == XML_ELEMENT_NODE
		? xmlGetProp(n, (const xmlChar *)"style")
		: NULL;
	const char *s = style ? (const char *)style : "";
	bool yes = is_one_of(n, skipped, ARRAY_LEN(skipped)) ||
		(n->type == XML_ELEMENT_NODE && xmlHasProp(n, (const xmlChar *)"hidden")) ||
		g_regex_match_simple(
			"display\\s*:\\s*none|visibility\\s*:\\s*hidden|line-through", s,
			G_REGEX_CASELESS, 0);

	xmlFree(style);
	return yes;
}

struct html_out {
	struct sbuf b;
	struct sbuf line; /* the last one, without its marks */
	int marks;        /* of it: depth of its deepest text or element */
	bool moved;       /* a style sheet can move any text */
	int hidden;       /* depth of elements that are not seen */
	int depth;        /* of elements that are not known */
	int pre;          /* depth of elements whose source is seen as it is */
};

static void html_mark(struct html_out *o)
{
	if (o->depth > o->marks)
		o->marks = o->depth < MAIL_MAX_MARKS ? o->depth : MAIL_MAX_MARKS;
}

static void html_write_line(struct html_out *o)
{
	sbuf_pad(&o->b, '>', (size_t)o->marks);
	sbuf_adds(&o->b, o->marks ? " " : "");
	sbuf_add(&o->b, o->line.s, o->line.len);
	sbuf_addc(&o->b, '\n');
	sbuf_reset(&o->line);
	o->marks = 0;
}

/* An empty element marks the line after it. */
static void html_end_line(struct html_out *o)
{
	if (o->line.len)
		html_write_line(o);
}

static void html_add_text(struct html_out *o, const char *s)
{
	for (; *s; s++) {
		char c = (*s == '\n' || *s == '\r') && !o->pre ? ' ' : *s;

		if (c == '\n') {
			html_write_line(o);
		} else if (c != ' ' || o->line.len || o->pre) {
			html_mark(o);
			sbuf_addc(&o->line, c);
		}
	}
}

/* Text that is not seen can be a style sheet. */
static void enter_text(struct html_out *o, const xmlNode *n)
{
	const char *s = n->content ? (const char *)n->content : "";

	if (!o->hidden)
		html_add_text(o, s);
	else if (str_ieq((const char *)n->parent->name, "style"))
		o->moved = o->moved || !is_known_sheet(s);
}

static void enter(struct html_out *o, xmlNode *n)
{
	bool known = is_known(n);

	n->_private = known ? NULL : n;
	o->depth += !known;
	if (!o->hidden && is_one_of(n, blocks, ARRAY_LEN(blocks)))
		html_end_line(o);
	if (!known && o->hidden)
		o->moved = true;
	else if (!known)
		html_mark(o);
	if (n->type == XML_TEXT_NODE || n->type == XML_CDATA_SECTION_NODE)
		enter_text(o, n);
	o->hidden += is_skipped(n);
	if (!o->hidden && is_one_of(n, rule, 1))
		html_add_text(o, "---");
	o->pre += is_pre(n);
}

static void leave(struct html_out *o, const xmlNode *n)
{
	o->pre -= is_pre(n);
	o->hidden -= is_skipped(n);
	if (!o->hidden && is_one_of(n, blocks, ARRAY_LEN(blocks)))
		html_end_line(o);
	else if (!o->hidden && is_cell(n) && o->line.len)
		html_add_text(o, " | ");
	o->depth -= n->_private != NULL;
}

/* In the order of the source, without recursion. */
static void html_walk(struct html_out *o, xmlNode *root)
{
	xmlNode *n = root;

	while (n) {
		enter(o, n);
		if (n->children && n->type == XML_ELEMENT_NODE) {
			n = n->children;
			continue;
		}
		while (n) {
			leave(o, n);
			if (n == root)
				return;
			if (n->next) {
				n = n->next;
				break;
			}
			n = n->parent;
		}
	}
}

enum err_code mail_html_text(const char *html, size_t len, bool keep_lines, struct arena *a,
	const char **out, struct err *e)
{
	const int how = HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING |
		HTML_PARSE_NONET;
	struct html_out o = {.b = SBUF_INIT, .line = SBUF_INIT, .pre = keep_lines};
	htmlParserCtxtPtr ctx = htmlNewParserCtxt();
	htmlDocPtr doc = NULL;
	xmlNode *root;
	bool whole;

	if (ctx && len <= MAIL_MAX_BYTES * 4)
		doc = htmlCtxtReadMemory(ctx, html, (int)len, NULL, "UTF-8", how);
	/* The parser stops, with a partial result, if elements are nested too deeply. */
	whole = doc && ctx->lastError.level != XML_ERR_FATAL && !ctx->disableSAX;
	root = doc ? xmlDocGetRootElement(doc) : NULL;
	html_walk(&o, root);
	if (o.moved) { /* it is unknown how deep */
		sbuf_reset(&o.b);
		sbuf_reset(&o.line);
		o.depth = MAIL_MAX_MARKS;
		html_walk(&o, root);
	}
	if (o.line.len || o.marks)
		html_write_line(&o);
	*out = arena_strdup(a, o.b.s);
	sbuf_done(&o.b);
	sbuf_done(&o.line);
	xmlFreeDoc(doc);
	htmlFreeParserCtxt(ctx);
	return whole || !len
		? E_OK
		: err_set(e, E_DATA, "HTML: cannot be read to its end: nested too deeply");
}
