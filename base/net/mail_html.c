/* Lines of a mail that contains only HTML. */
#include "base/net/mail.h"
#include "base/sbuf.h"
#include "base/str.h"

#include <libxml/HTMLparser.h>
#include <string.h>

/* HTML standard, "flow content" that browsers show on separate lines. */
static const char *const blocks[] = {"address", "article", "blockquote", "body", "br",
	"caption", "center", "dd", "div", "dl", "dt", "footer", "form", "h1", "h2", "h3",
	"h4", "h5", "h6", "header", "hr", "li", "main", "ol", "p", "pre", "section",
	"table", "tbody", "tfoot", "thead", "title", "tr", "ul"};
static const char *const rule[] = {"hr"};
static const char *const skipped[] = {"head", "script", "style", "template"};

static bool is_one_of(const xmlNode *n, const char *const *names, size_t count)
{
	for (size_t i = 0; n->type == XML_ELEMENT_NODE && i < count; i++)
		if (str_ieq((const char *)n->name, names[i]))
			return true;
	return false;
}

static bool is_cell(const xmlNode *n)
{
	static const char *const cells[] = {"td", "th"};

	return is_one_of(n, cells, ARRAY_LEN(cells));
}

/* A line or a margin on the left. */
static bool has_left(const char *style)
{
	const char *margin = strcasestr(style, "margin-left:");

	if (margin)
		margin += strlen("margin-left:");
	return strcasestr(style, "border-left") ||
		(margin && strchr("123456789", margin[strspn(margin, " ")]));
}

/* Parts of a class or an id of elements in which mail programs put a quoted or forwarded mail:
 * gmail_quote, yahoo_quoted, moz-cite-prefix, moz-forward-container, divRplyFwdMsg, appendonsend,
 * OutlookMessageHeader, isForwardContent, ntes-mail-quote, qmbox, AppleOriginalContents. Outlook and
 * others mark it only with a line or a margin on the left. */
static bool is_quote(const xmlNode *n)
{
	static const char *const block[] = {"blockquote", "dd", "q"};
	static const char *const words[] = {"quote", "cite", "forward", "fwd", "reply",
		"rply", "appendonsend", "original", "messageheader", "qmbox"};

	if (n->type != XML_ELEMENT_NODE || is_one_of(n, skipped, ARRAY_LEN(skipped)))
		return false;
	for (const xmlAttr *at = n->properties; at; at = at->next) {
		const char *name = (const char *)at->name;
		const char *value = at->children ? (const char *)at->children->content
						 : NULL;

		if (value && str_ieq(name, "style") && has_left(value))
			return true;
		for (size_t i = 0; value && i < ARRAY_LEN(words); i++)
			if ((str_ieq(name, "class") || str_ieq(name, "id")) &&
				strcasestr(value, words[i]))
				return true;
	}
	return is_one_of(n, block, ARRAY_LEN(block));
}

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

struct html_out {
	struct sbuf b;
	bool text; /* in the line, after its marks */
	int depth; /* of quoting */
	int pre;   /* depth of elements whose source is seen as it is */
};

static bool html_begins(const struct html_out *o)
{
	return !o->b.len || o->b.s[o->b.len - 1] == '\n';
}

static void html_begin_line(struct html_out *o)
{
	if (!o->depth || !html_begins(o))
		return;
	sbuf_pad(&o->b, '>',
		(size_t)(o->depth < MAIL_MAX_MARKS ? o->depth : MAIL_MAX_MARKS));
	sbuf_addc(&o->b, ' ');
}

static void html_add(struct html_out *o, char c)
{
	if (c == ' ' && !o->text && !o->pre)
		return;
	if (c != '\n')
		html_begin_line(o);
	o->text = c != '\n';
	sbuf_addc(&o->b, c);
}

static void html_end_line(struct html_out *o)
{
	if (!html_begins(o))
		html_add(o, '\n');
}

static void html_add_text(struct html_out *o, const char *s)
{
	for (; *s; s++)
		html_add(o, (*s == '\n' || *s == '\r') && !o->pre ? ' ' : *s);
}

static void enter(struct html_out *o, const xmlNode *n)
{
	if ((n->type == XML_TEXT_NODE || n->type == XML_CDATA_SECTION_NODE) && n->content) {
		html_add_text(o, (const char *)n->content);
	} else if (is_quote(n)) {
		html_end_line(o);
		o->depth++;
		html_begin_line(o); /* also of an empty one */
	} else if (is_one_of(n, blocks, ARRAY_LEN(blocks))) {
		html_end_line(o);
	}
	if (is_one_of(n, rule, 1))
		html_add_text(o, "---");
	o->pre += is_pre(n);
}

static void leave(struct html_out *o, const xmlNode *n)
{
	o->pre -= is_pre(n);
	if (is_quote(n)) {
		html_end_line(o);
		o->depth--;
	} else if (is_one_of(n, blocks, ARRAY_LEN(blocks))) {
		html_end_line(o);
	} else if (is_cell(n) && o->text) {
		html_add_text(o, " | ");
	}
}

/* In the order of the source, without recursion. */
static void html_walk(struct html_out *o, const xmlNode *root)
{
	const xmlNode *n = root;

	while (n) {
		bool skip = is_one_of(n, skipped, ARRAY_LEN(skipped));

		if (!skip)
			enter(o, n);
		if (n->children && !skip && n->type == XML_ELEMENT_NODE) {
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
	struct html_out o = {.b = SBUF_INIT, .pre = keep_lines};
	htmlParserCtxtPtr ctx = htmlNewParserCtxt();
	htmlDocPtr doc = NULL;
	bool whole;

	if (ctx && len <= MAIL_MAX_BYTES * 4)
		doc = htmlCtxtReadMemory(ctx, html, (int)len, NULL, "UTF-8", how);
	/* The parser stops, with a partial result, if elements are nested too deeply. */
	whole = doc && ctx->lastError.level != XML_ERR_FATAL && !ctx->disableSAX;
	if (doc && xmlDocGetRootElement(doc))
		html_walk(&o, xmlDocGetRootElement(doc));
	html_end_line(&o);
	*out = arena_strdup(a, o.b.s);
	sbuf_done(&o.b);
	xmlFreeDoc(doc);
	htmlFreeParserCtxt(ctx);
	return whole || !len
		? E_OK
		: err_set(e, E_DATA, "HTML: cannot be read to its end: nested too deeply");
}
