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

static void html_end_line(struct sbuf *b)
{
	if (b->len && b->s[b->len - 1] != '\n')
		sbuf_addc(b, '\n');
}

static void html_add_text(struct sbuf *b, const char *s, bool keep_lines)
{
	for (; *s; s++)
		if ((*s == '\n' || *s == '\r') && !keep_lines)
			sbuf_addc(b, ' ');
		else
			sbuf_addc(b, *s);
}

static void enter(struct sbuf *b, const xmlNode *n, bool keep_lines)
{
	if ((n->type == XML_TEXT_NODE || n->type == XML_CDATA_SECTION_NODE) && n->content)
		html_add_text(b, (const char *)n->content, keep_lines);
	else if (is_one_of(n, blocks, ARRAY_LEN(blocks)))
		html_end_line(b);
}

static void leave(struct sbuf *b, const xmlNode *n)
{
	if (is_one_of(n, blocks, ARRAY_LEN(blocks)))
		html_end_line(b);
	else if (is_cell(n))
		sbuf_adds(b, " | ");
}

/* In the order of the source, without recursion. */
static void html_walk(struct sbuf *b, const xmlNode *root, bool keep_lines)
{
	const xmlNode *n = root;

	while (n) {
		bool skip = is_one_of(n, skipped, ARRAY_LEN(skipped));

		if (!skip)
			enter(b, n, keep_lines);
		if (n->children && !skip && n->type == XML_ELEMENT_NODE) {
			n = n->children;
			continue;
		}
		while (n) {
			leave(b, n);
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
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	htmlParserCtxtPtr ctx = htmlNewParserCtxt();
	htmlDocPtr doc = NULL;
	bool whole;

	if (ctx && len <= MAIL_MAX_BYTES * 4)
		doc = htmlCtxtReadMemory(ctx, html, (int)len, NULL, "UTF-8", how);
	/* The parser stops, with a partial result, if elements are nested too deeply. */
	whole = doc && ctx->lastError.level != XML_ERR_FATAL && !ctx->disableSAX;
	if (doc && xmlDocGetRootElement(doc))
		html_walk(&b, xmlDocGetRootElement(doc), keep_lines);
	html_end_line(&b);
	*out = arena_strdup(a, b.s);
	xmlFreeDoc(doc);
	htmlFreeParserCtxt(ctx);
	return whole || !len
		? E_OK
		: err_set(e, E_DATA, "HTML: cannot be read to its end: nested too deeply");
}
