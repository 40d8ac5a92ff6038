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

/* Declarations that can draw or move the left edge of a text, unless their value does neither. */
/* clang-format off */
#define LEFT \
	"\\\\|(?:^|[;{])(?>[^:;{}]*?(?:margin|border|padding|left|inset|indent|position|" \
	"transform|translate|shadow|outline))[^:;{}]*+:(?!" \
	"(?>\\s*(?:[-+]?[0.]++(?:%|[a-z]{1,3}+)?|auto|none|static|collapse|!\\s*important))*+" \
	"\\s*(?:[;}]|$))"
/* clang-format on */

static bool has_left(const char *css)
{
	static GRegex *comment, *left; /* kept until the program ends */
	char *plain;
	bool yes;

	if (!comment)
		comment = g_regex_new("/\\*.*?(?:\\*/|$)|<!--|-->",
			G_REGEX_DOTALL | G_REGEX_RAW, 0, NULL);
	if (!left)
		left = g_regex_new(LEFT, G_REGEX_CASELESS | G_REGEX_RAW, 0, NULL);
	plain = g_regex_replace_literal(comment, css, -1, 0, "", 0, NULL);
	yes = !plain || g_regex_match(left, plain, 0, NULL);
	g_free(plain);
	return yes;
}

/* Its style can move its text, as mail programs show a quote. */
static bool is_moved(const xmlNode *n)
{
	xmlChar *style = n->type == XML_ELEMENT_NODE
		? xmlGetProp(n, (const xmlChar *)"style")
		: NULL;
	bool yes = style && has_left((const char *)style);

	xmlFree(style);
	return yes;
}

/* Parts of a class or an id of elements in which mail programs put a quoted or forwarded mail:
 * gmail_quote, yahoo_quoted, moz-cite-prefix, moz-forward-container, divRplyFwdMsg, appendonsend,
 * OutlookMessageHeader, isForwardContent, ntes-mail-quote, qmbox, AppleOriginalContents. */
static bool is_quote(const xmlNode *n)
{
	static const char *const block[] = {
		"blockquote", "dd", "details", "fieldset", "q", "textarea"};
	static const char *const words[] = {"quote", "cite", "forward", "fwd", "reply",
		"rply", "appendonsend", "original", "messageheader", "qmbox"};

	if (n->type != XML_ELEMENT_NODE)
		return false;
	for (const xmlAttr *at = n->properties; at; at = at->next) {
		const char *name = (const char *)at->name;
		const char *value = at->children ? (const char *)at->children->content
						 : NULL;

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
	bool text;  /* in the line, after its marks */
	bool moved; /* a style sheet can move any of it */
	int hidden; /* depth of elements that are not seen */
	int depth;  /* of quoting */
	int pre;    /* depth of elements whose source is seen as it is */
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

/* Text that is not seen can be a style sheet. */
static void enter_text(struct html_out *o, const xmlNode *n)
{
	const char *s = n->content ? (const char *)n->content : "";

	if (!o->hidden)
		html_add_text(o, s);
	else if (str_ieq((const char *)n->parent->name, "style"))
		o->moved = o->moved || has_left(s);
}

static void enter(struct html_out *o, const xmlNode *n)
{
	bool quote = is_quote(n);

	if (n->type == XML_TEXT_NODE || n->type == XML_CDATA_SECTION_NODE)
		enter_text(o, n);
	o->hidden += is_one_of(n, skipped, ARRAY_LEN(skipped));
	if (o->hidden)
		return;
	if (quote || is_one_of(n, blocks, ARRAY_LEN(blocks)))
		html_end_line(o);
	o->depth += quote || is_moved(n);
	if (quote)
		html_begin_line(o); /* also of an empty one */
	if (is_one_of(n, rule, 1))
		html_add_text(o, "---");
	o->pre += is_pre(n);
}

static void leave(struct html_out *o, const xmlNode *n)
{
	bool quote = is_quote(n);

	if (o->hidden) {
		o->hidden -= is_one_of(n, skipped, ARRAY_LEN(skipped));
		return;
	}
	o->pre -= is_pre(n);
	if (quote || is_one_of(n, blocks, ARRAY_LEN(blocks)))
		html_end_line(o);
	else if (is_cell(n) && o->text)
		html_add_text(o, " | ");
	o->depth -= quote || is_moved(n);
}

/* In the order of the source, without recursion. */
static void html_walk(struct html_out *o, const xmlNode *root)
{
	const xmlNode *n = root;

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
	struct html_out o = {.b = SBUF_INIT, .pre = keep_lines};
	htmlParserCtxtPtr ctx = htmlNewParserCtxt();
	htmlDocPtr doc = NULL;
	const xmlNode *root;
	bool whole;

	if (ctx && len <= MAIL_MAX_BYTES * 4)
		doc = htmlCtxtReadMemory(ctx, html, (int)len, NULL, "UTF-8", how);
	/* The parser stops, with a partial result, if elements are nested too deeply. */
	whole = doc && ctx->lastError.level != XML_ERR_FATAL && !ctx->disableSAX;
	root = doc ? xmlDocGetRootElement(doc) : NULL;
	html_walk(&o, root);
	if (o.moved) { /* it is unknown how deep */
		sbuf_reset(&o.b);
		o.text = false;
		o.depth = MAIL_MAX_MARKS;
		html_walk(&o, root);
	}
	html_end_line(&o);
	*out = arena_strdup(a, o.b.s);
	sbuf_done(&o.b);
	xmlFreeDoc(doc);
	htmlFreeParserCtxt(ctx);
	return whole || !len
		? E_OK
		: err_set(e, E_DATA, "HTML: cannot be read to its end: nested too deeply");
}
