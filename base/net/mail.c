#include "base/net/mail.h"

#include "base/sbuf.h"
#include "base/str.h"

#include <ctype.h>
#include <gmime/gmime.h>
#include <string.h>
#include <strings.h>

/* More of these words are an attack on the parser, not a mail. */
#define MAX_TYPE_WORDS 200
#define MAX_HEAD_LINES 200

/* ---- detection of a mail ------------------------------------------------------------------- */

/* Length of the header name that the line begins with, or 0: "Date: ..." gives 4. */
static size_t header_name(const char *line)
{
	size_t n = 0;

	while (isalnum((unsigned char)line[n]) || line[n] == '-')
		n++;
	return n && line[n] == ':' ? n : 0;
}

static const char *next_line(const char *s)
{
	s += strcspn(s, "\n");
	return *s ? s + 1 : s;
}

/* Headers, followed by an empty line, with one that every mail has. */
static bool has_head(const char *s)
{
	static const char *const marks[] = {
		"from", "date", "mime-version", "content-type", "received", "return-path"};
	bool marked = false;

	for (int lines = 0; lines < MAX_HEAD_LINES && *s; lines++, s = next_line(s)) {
		size_t n = header_name(s);

		if (s[strspn(s, " \t\r")] == '\n')
			return marked;
		if (!n && (!lines || (*s != ' ' && *s != '\t')))
			return false;
		for (size_t i = 0; i < ARRAY_LEN(marks); i++)
			marked = marked ||
				(n == strlen(marks[i]) && !strncasecmp(s, marks[i], n));
	}
	return false;
}

static size_t count_words(const char *s, const char *word)
{
	size_t n = 0;

	for (s = strcasestr(s, word); s; s = strcasestr(s + 1, word))
		n++;
	return n;
}

/* ---- parts --------------------------------------------------------------------------------- */

struct walk {
	struct arena *a;
	struct mail *out;
	size_t cap;
	size_t parts;
	int depth;
	struct mail_text of; /* of the message that is read */
	int messages;
	struct err *e;
};

static void mime_add_text(struct walk *w, const char *text, bool html)
{
	struct mail *m = w->out;

	m->texts = arena_grow(w->a, m->texts, m->n, &w->cap, sizeof(*m->texts));
	m->texts[m->n] = w->of;
	m->texts[m->n].text = text;
	m->texts[m->n++].html = html;
}

/* Tags in text that was saved or copied from a page. */
static bool has_tags(const char *s)
{
	static const char *const tags[] = {"<!doctype html", "<html", "<body", "<li>",
		"<li ", "<td", "<br", "<p>", "<div"};

	for (size_t i = 0; i < ARRAY_LEN(tags); i++)
		if (strcasestr(s, tags[i]))
			return true;
	return false;
}

static enum err_code add_html(struct walk *w, const char *s, bool keep_lines)
{
	const char *text;

	if (mail_html_text(s, strlen(s), keep_lines, w->a, &text, w->e))
		return w->e->code;
	mime_add_text(w, text, true);
	return E_OK;
}

/* Undecoded content of the mail; release it with g_byte_array_unref. */
static GByteArray *raw_content(GMimeDataWrapper *content)
{
	GMimeStream *stream = g_mime_data_wrapper_get_stream(content);
	GByteArray *bytes = g_byte_array_new();
	GMimeStream *mem = g_mime_stream_mem_new_with_byte_array(bytes);

	g_mime_stream_mem_set_owner(GMIME_STREAM_MEM(mem), FALSE);
	g_mime_stream_reset(stream);
	g_mime_stream_write_to_stream(stream, mem);
	g_object_unref(mem);
	return bytes;
}

/* The library skips invalid base64, and loses its content. */
static bool base64_whole(const GByteArray *bytes)
{
	size_t digits = 0, pads = 0;

	for (guint i = 0; i < bytes->len; i++) {
		unsigned char c = bytes->data[i];

		if (isspace(c))
			continue;
		if (c == '=')
			pads++;
		else if (pads || !(isalnum(c) || c == '+' || c == '/'))
			return false;
		else
			digits++;
	}
	return pads <= 2 && (digits + pads) % 4 == 0;
}

static enum err_code check_base64(
	struct walk *w, GMimePart *part, GMimeDataWrapper *content)
{
	GByteArray *raw;
	bool whole;

	if (g_mime_part_get_content_encoding(part) != GMIME_CONTENT_ENCODING_BASE64)
		return E_OK;
	raw = raw_content(content);
	whole = base64_whole(raw);
	g_byte_array_unref(raw);
	return whole ? E_OK : err_set(w->e, E_DATA, "mail: a part has damaged base64");
}

/* Decoded, as UTF-8. */
static enum err_code decode(struct walk *w, GMimePart *part, char **out)
{
	GMimeDataWrapper *content = g_mime_part_get_content(part);
	const char *charset = g_mime_object_get_content_type_parameter(
		GMIME_OBJECT(part), "charset");
	GMimeFilter *to_utf8 = NULL;
	GMimeStream *mem, *filtered;
	GByteArray *bytes;
	enum err_code rc = E_OK;

	*out = arena_strdup(w->a, "");
	if (!content)
		return E_OK;
	if (check_base64(w, part, content))
		return w->e->code;
	if (charset && !str_ieq(charset, "utf-8") && !str_ieq(charset, "us-ascii")) {
		to_utf8 = g_mime_filter_charset_new(charset, "utf-8");
		if (!to_utf8)
			return err_set(w->e, E_DATA,
				"mail: a part is in the unknown charset '%.40s'", charset);
	}
	mem = g_mime_stream_mem_new();
	filtered = g_mime_stream_filter_new(mem);
	if (to_utf8) {
		g_mime_stream_filter_add(GMIME_STREAM_FILTER(filtered), to_utf8);
		g_object_unref(to_utf8);
	}
	g_mime_data_wrapper_write_to_stream(content, filtered);
	g_mime_stream_flush(filtered);
	bytes = g_mime_stream_mem_get_byte_array(GMIME_STREAM_MEM(mem));
	*out = arena_strndup(w->a, bytes->len ? (char *)bytes->data : "", bytes->len);
	if (bytes->len && memchr(bytes->data, '\0', bytes->len))
		rc = err_set(w->e, E_DATA, "mail: a part has NUL bytes: it is not text");
	g_object_unref(filtered);
	g_object_unref(mem);
	return rc;
}

static enum err_code take_part(struct walk *w, GMimePart *part)
{
	GMimeContentType *type = g_mime_object_get_content_type(GMIME_OBJECT(part));
	bool html = g_mime_content_type_is_type(type, "text", "html");
	enum err_code rc = E_OK;
	char *text;

	if (g_mime_part_is_attachment(part) ||
		!g_mime_content_type_is_type(type, "text", "*"))
		return E_OK;
	w->of.later = w->of.later || g_mime_part_get_filename(part);
	if (html || g_mime_content_type_is_type(type, "text", "plain")) {
		if (decode(w, part, &text))
			return w->e->code;
		if (html)
			rc = add_html(w, text, false);
		else
			mime_add_text(w, text, false);
	}
	w->of.later = true;
	return rc;
}

static enum err_code take_object(struct walk *w, GMimeObject *o);

/* Decoded value of the header; NULL if there is not exactly one. */
static const char *only_header(const struct walk *w, GMimeMessage *m, const char *name)
{
	GMimeHeaderList *list = g_mime_object_get_header_list(GMIME_OBJECT(m));
	const char *got = NULL;

	for (int i = 0; i < g_mime_header_list_get_count(list); i++) {
		GMimeHeader *h = g_mime_header_list_get_header_at(list, i);

		if (!str_ieq(g_mime_header_get_name(h), name))
			continue;
		if (got)
			return NULL;
		got = g_mime_header_get_value(h);
	}
	return arena_strdup(w->a, got);
}

/* Sender, or "" if that is not certain; NULL: none. A mailing list that writes itself into From:
 * keeps it in X-Original-From:. */
static const char *sender(const struct walk *w, GMimeMessage *m)
{
	const char *original = only_header(w, m, "X-Original-From");
	const char *from = original ? original : only_header(w, m, "From");

	return from || !g_mime_object_get_header(GMIME_OBJECT(m), "From") ? from : "";
}

static void add_fields(struct walk *w, GMimeObject *o)
{
	GMimeHeaderList *head = g_mime_object_get_header_list(o);
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	for (int i = 0; i < g_mime_header_list_get_count(head); i++)
		sbuf_addf(&b, "%s\n",
			g_mime_header_get_name(g_mime_header_list_get_header_at(head, i)));
	w->of.fields = arena_printf(w->a, "%s%s", w->of.fields, b.s);
}

static enum err_code take_message(struct walk *w, GMimeMessage *m)
{
	struct mail_text outer = w->of;
	enum err_code rc = E_OK;

	w->of = (struct mail_text){.message = ++w->messages,
		.date = mail_date_parse(only_header(w, m, "Date"), w->a),
		.from = sender(w, m),
		.subject = only_header(w, m, "Subject"),
		.list = only_header(w, m, "List-Id"),
		.fields = ""};
	add_fields(w, GMIME_OBJECT(m));
	if (g_mime_message_get_mime_part(m))
		rc = take_object(w, g_mime_message_get_mime_part(m));
	w->of = outer;
	w->of.later = true;
	return rc;
}

static enum err_code take_children(struct walk *w, GMimeMultipart *parts)
{
	bool same = g_mime_content_type_is_type(
		g_mime_object_get_content_type(GMIME_OBJECT(parts)), "multipart",
		"alternative");
	bool later = w->of.later;
	int n = g_mime_multipart_get_count(parts);

	for (int i = 0; i < n; i++) {
		w->of.later = same ? later : w->of.later;
		if (take_object(w, g_mime_multipart_get_part(parts, i)))
			return w->e->code;
	}
	return E_OK;
}

/* Bounded by MAIL_MAX_DEPTH. */
static enum err_code take_object(struct walk *w, GMimeObject *o)
{
	const char *outer = w->of.fields;
	enum err_code rc = E_OK;

	if (++w->parts > MAIL_MAX_PARTS)
		return err_set(w->e, E_LIMIT, "mail: more than %d parts", MAIL_MAX_PARTS);
	if (w->depth == MAIL_MAX_DEPTH)
		return err_set(w->e, E_LIMIT, "mail: parts within parts, more than %d deep",
			MAIL_MAX_DEPTH);
	w->depth++;
	add_fields(w, o);
	if (GMIME_IS_MULTIPART(o))
		rc = take_children(w, GMIME_MULTIPART(o));
	else if (GMIME_IS_MESSAGE_PART(o) &&
		g_mime_message_part_get_message(GMIME_MESSAGE_PART(o)))
		rc = take_message(
			w, g_mime_message_part_get_message(GMIME_MESSAGE_PART(o)));
	else if (GMIME_IS_PART(o))
		rc = take_part(w, GMIME_PART(o));
	w->depth--;
	w->of.fields = outer;
	return rc;
}

/* ---- whole mail ---------------------------------------------------------------------------- */

/* Warnings about skipped text, which may contain a line. */
static void on_warning(
	gint64 offset, GMimeParserWarning what, const gchar *item, gpointer ctx)
{
	bool *damaged = ctx;

	(void)offset;
	(void)item;
	if (what == GMIME_WARN_TRUNCATED_MESSAGE ||
		what == GMIME_WARN_MALFORMED_MULTIPART ||
		what == GMIME_CRIT_MULTIPART_WITHOUT_BOUNDARY ||
		what == GMIME_CRIT_NESTING_OVERFLOW ||
		what == GMIME_CRIT_PART_WITHOUT_HEADERS_OR_CONTENT)
		*damaged = true;
}

static enum err_code read_mime(struct walk *w, const char *bytes, size_t len)
{
	GMimeStream *stream = g_mime_stream_mem_new_with_buffer(bytes, len);
	GMimeParser *parser = g_mime_parser_new_with_stream(stream);
	GMimeParserOptions *options = g_mime_parser_options_new();
	bool damaged = false;
	GMimeMessage *message;
	enum err_code rc;

	g_mime_parser_options_set_warning_callback(options, on_warning, &damaged);
	message = g_mime_parser_construct_message(parser, options);
	if (!message || damaged)
		rc = err_set(w->e, E_DATA, "mail: it is damaged or cut off");
	else
		rc = take_message(w, message);
	if (message)
		g_object_unref(message);
	g_mime_parser_options_free(options);
	g_object_unref(parser);
	g_object_unref(stream);
	return rc;
}

/* Value of the pasted line if its header has this name. */
static void paste_header(
	const struct walk *w, const char *line, const char *name, const char **value)
{
	size_t n = strlen(name);

	if (!strncasecmp(line, name, n) && line[n] == ':')
		*value = *value
			? ""
			: arena_strndup(w->a, line + n + 1, strcspn(line + n + 1, "\r\n"));
}

/* Text may begin with the head of the mail, without the empty line after it. */
static enum err_code read_pasted(struct walk *w, const char *text)
{
	cleanup(sbuf_done) struct sbuf fields = SBUF_INIT;
	const char *date = NULL;

	for (const char *s = text; w->of.head < MAX_HEAD_LINES && header_name(s);
		s = next_line(s)) {
		paste_header(w, s, "date", &date);
		paste_header(w, s, "from", &w->of.from);
		paste_header(w, s, "subject", &w->of.subject);
		sbuf_add(&fields, s, header_name(s));
		sbuf_addc(&fields, '\n');
		w->of.head++;
	}
	w->of.fields = arena_strdup(w->a, fields.s);
	w->of.date = mail_date_parse(date, w->a);
	if (has_tags(text)) {
		w->of.head = 0; /* its lines are others */
		return add_html(w, text, true);
	}
	mime_add_text(w, text, false);
	return E_OK;
}

static enum err_code check_bytes(const char *bytes, size_t len, struct err *e)
{
	if (len > MAIL_MAX_BYTES)
		return err_set(e, E_LIMIT, "mail: more than %d bytes", MAIL_MAX_BYTES);
	if (len >= 5 && !memcmp(bytes, "%PDF-", 5)) {
		err_set(e, E_DATA, "mail: this is a PDF, not text");
		return err_fix(
			e, "run: pdftotext -layout FILE.pdf - | tpucost grant import -");
	}
	if (memchr(bytes, '\0', len))
		return err_set(e, E_DATA, "mail: it has NUL bytes: it is not text");
	return E_OK;
}

enum err_code mail_read(
	const char *bytes, size_t len, struct arena *a, struct mail *out, struct err *e)
{
	struct mail m = {0};
	struct err own;
	struct walk w = {.a = a, .out = &m, .of.date = TS_NONE};
	const char *text = arena_strndup(a, bytes, len);

	w.e = e = e ? e : &own;
	if (check_bytes(bytes, len, e))
		return e->code;
	g_mime_init();
	if (!digest_sha256(bytes, len, m.sha256))
		return err_set(e, E_BUG, "mail: SHA-256 failed");
	if (str_starts(text, "From ")) /* of a mailbox file */
		text = next_line(text);
	if (str_starts(text, "\xef\xbb\xbf"))
		text += 3;
	m.mime = has_head(text);
	if (m.mime && count_words(text, "content-type") > MAX_TYPE_WORDS)
		return err_set(e, E_LIMIT, "mail: more than %d parts", MAIL_MAX_PARTS);
	if (m.mime ? read_mime(&w, text, strlen(text)) : read_pasted(&w, text))
		return e->code;
	if (!m.n)
		return err_set(e, E_DATA, "mail: it has no text");
	*out = m;
	return E_OK;
}
