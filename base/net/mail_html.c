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

/* Parts of a class or an id of elements in which mail programs put a quoted or forwarded mail:
 * gmail_quote, yahoo_quoted, moz-cite-prefix, moz-forward-container, divRplyFwdMsg, appendonsend,
 * OutlookMessageHeader, isForwardContent, ntes-mail-quote, qmbox, AppleOriginalContents. Outlook and
 * others mark it only with a line on the left. */
static bool is_quote(const xmlNode *n)
{
	static const char *const block[] = {"blockquote"};
	static const char *const words[] = {"quote", "cite", "forward", "fwd", "reply",
		"rply", "appendonsend", "original", "messageheader", "qmbox"};

	if (n->type != XML_ELEMENT_NODE || is_one_of(n, skipped, ARRAY_LEN(skipped)))
		return false;
	for (const xmlAttr *at = n->properties; at; at = at->next) {
		const char *name = (const char *)at->name;
		const char *value = at->children ? (const char *)at->children->content
						 : NULL;

		if (value && str_ieq(name, "style") && strcasestr(value, "border-left"))
			return true;
		for (size_t i = 0; value && i < ARRAY_LEN(words); i++)
			if ((str_ieq(name, "class") || str_ieq(name, "id")) &&
				strcasestr(value, words[i]))
				return true;
	}
	return is_one_of(n, block, 1);
}

struct html_out {
	struct sbuf b;
	bool keep_lines;
	int depth; /* of quoting */
};

static void html_add(struct html_out *o, char c)
{
	if (o->depth && c != '\n' && (!o->b.len || o->b.s[o->b.len - 1] == '\n')) {
		sbuf_pad(&o->b, '>',
			(size_t)(o->depth < MAIL_MAX_MARKS ? o->depth : MAIL_MAX_MARKS));
		sbuf_addc(&o->b, ' ');
	}
	sbuf_addc(&o->b, c);
}

static void html_end_line(struct html_out *o)
{
	if (o->b.len && o->b.s[o->b.len - 1] != '\n')
		html_add(o, '\n');
}

static void html_add_text(struct html_out *o, const char *s)
{
	for (; *s; s++)
		html_add(o, (*s == '\n' || *s == '\r') && !o->keep_lines ? ' ' : *s);
}

static void enter(struct html_out *o, const xmlNode *n)
{
	if ((n->type == XML_TEXT_NODE || n->type == XML_CDATA_SECTION_NODE) && n->content) {
		html_add_text(o, (const char *)n->content);
	} else if (is_quote(n)) {
		html_end_line(o);
		o->depth++;
		html_add(o, ' '); /* also of an empty one */
	} else if (is_one_of(n, blocks, ARRAY_LEN(blocks))) {
		html_end_line(o);
	}
}

static void leave(struct html_out *o, const xmlNode *n)
{
	if (is_quote(n)) {
		html_end_line(o);
		o->depth--;
	} else if (is_one_of(n, blocks, ARRAY_LEN(blocks))) {
		html_end_line(o);
	} else if (is_cell(n)) {
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
	struct html_out o = {.b = SBUF_INIT, .keep_lines = keep_lines};
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
