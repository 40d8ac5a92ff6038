#include "base/net/mail_write.h"

#include "base/url/address.h"
#include "base/str.h"

#include <ctype.h>
#include <gmime/gmime.h>
#include <string.h>

#define LIST "tpucost" /* name for filters of mail readers */
#define MAX_WORD 60    /* of a plain subject: limit for its line */
#define MAX_NAME 65
#define ENCODED_BYTES 39 /* become 52 of base64: lines have at most 76 */
#define NOTE_CUT \
	"\n(Shortened: the mail server accepts no more. Full text: tpucost report)\n"

/* ---- texts -------------------------------------------------------------------------------- */

/* Valid UTF-8 with "\n" as line end and without control characters except for layout. */
static void add_clean(struct sbuf *b, const char *s)
{
	size_t n;

	for (; *s; s += n) {
		uint32_t c = utf8_next(s, &n);

		if (c == 0xfffd && n == 1)
			sbuf_adds(b, "\xef\xbf\xbd");
		else if (c == '\r' && s[1] == '\n')
			continue;
		else if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
			sbuf_addf(b, "\\x%02x", c);
		else
			sbuf_add(b, s, n);
	}
	if (b->len && b->s[b->len - 1] != '\n')
		sbuf_addc(b, '\n');
}

/* The subject line as shown to users. */
static void draft_add_subject(struct sbuf *b, const struct mail_draft *d)
{
	cleanup(sbuf_done) struct sbuf shown = SBUF_INIT;
	size_t n;

	sbuf_add_term(&shown, d->subject);
	n = utf8_fit(shown.s, MAIL_MAX_SUBJECT);
	sbuf_add(b, shown.s, n);
	sbuf_adds(b, shown.s[n] ? "..." : "");
	sbuf_adds(b, d->repeat ? " [may be a repeat]" : "");
}

/* Can it be in a head unencoded, and be folded at its blanks? */
static bool draft_is_plain(const char *s)
{
	size_t word = 0;

	for (const char *p = s; *p; p++) {
		word = *p == ' ' ? 0 : word + 1;
		if (*p < 0x20 || *p > 0x7e || word > MAX_WORD)
			return false;
	}
	return !strstr(s, "=?");
}

/* RFC 2047: words of at most 75 bytes, none ending within a character. The library makes one word
 * of any text without blanks, regardless of its length. */
static void add_encoded(struct sbuf *b, const char *s)
{
	while (*s) {
		size_t n = utf8_fit(s, ENCODED_BYTES);
		char *word = g_base64_encode((const guchar *)s, n);

		sbuf_addf(b, " =?UTF-8?B?%s?=\n", word);
		g_free(word);
		s += n;
	}
}

static enum err_code check_id(const char *id, struct err *e)
{
	size_t n = 0;

	while (isalnum((unsigned char)id[n]) || (id[n] && strchr(".-_", id[n])))
		n++;
	if (!n || n > 64 || id[n])
		return err_set(e, E_BUG, "mail: the id '%.64s' cannot be sent", id);
	return E_OK;
}

/* ---- the head ----------------------------------------------------------------------------- */

struct writing {
	const struct mail_draft *d;
	const char *host; /* of the sender */
	GMimeMessage *m;
	struct err *e;
};

static void set_head(struct writing *w, const char *name, const char *value)
{
	g_mime_object_append_header(GMIME_OBJECT(w->m), name, value, "utf-8");
}

/* `raw` begins with a blank and ends with a line end, as it is written to the mail. */
static void set_raw(struct writing *w, const char *name, const char *raw)
{
	GMimeHeaderList *head = g_mime_object_get_header_list(GMIME_OBJECT(w->m));

	set_head(w, name, "");
	g_mime_header_set_raw_value(g_mime_header_list_get_header(head, name), raw);
}

static void draft_set_subject(struct writing *w)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT, encoded = SBUF_INIT;

	draft_add_subject(&text, w->d);
	if (draft_is_plain(text.s)) {
		set_head(w, "Subject", text.s);
		return;
	}
	add_encoded(&encoded, text.s);
	set_raw(w, "Subject", encoded.s);
}

/* One address per line; names cannot contain a closing quote. */
static void draft_add_address(struct sbuf *b, const struct mail_address *m)
{
	if (*m->name && draft_is_plain(m->name) && strlen(m->name) < MAX_NAME)
		sbuf_addf(b, " \"%s\"%s", m->name,
			strlen(m->name) + strlen(m->addr) > MAX_WORD ? "\n" : "");
	else if (*m->name)
		add_encoded(b, m->name);
	sbuf_addf(b, *m->name ? " <%s>" : " %s", m->addr);
}

static enum err_code set_addresses(struct writing *w)
{
	cleanup(sbuf_done) struct sbuf from = SBUF_INIT, to = SBUF_INIT;
	struct mail_address m;

	if (mail_address_parse(w->d->from, &m, w->e))
		return w->e->code;
	draft_add_address(&from, &m);
	for (size_t i = 0; i < w->d->n_to; i++) {
		if (mail_address_parse(w->d->to[i], &m, w->e))
			return w->e->code;
		sbuf_adds(&to, i ? ",\n" : "");
		draft_add_address(&to, &m);
	}
	sbuf_addc(&from, '\n');
	sbuf_addc(&to, '\n');
	set_raw(w, "From", from.s);
	set_raw(w, "To", to.s);
	return E_OK;
}

static void set_thread(struct writing *w)
{
	const struct mail_draft *d = w->d;
	cleanup(sbuf_done) struct sbuf refs = SBUF_INIT;

	for (size_t i = 0; i < d->n_refs; i++)
		if (!i || i + MAIL_MAX_REFS > d->n_refs)
			sbuf_addf(&refs, "%s<%s@%s>", i ? " " : "", d->refs[i], w->host);
	if (!d->n_refs)
		return;
	set_head(w, "In-Reply-To", strrchr(refs.s, '<'));
	set_head(w, "References", refs.s);
}

static enum err_code set_ids(struct writing *w)
{
	const struct mail_draft *d = w->d;
	cleanup(sbuf_done) struct sbuf id = SBUF_INIT;

	if (check_id(d->id, w->e))
		return w->e->code;
	for (size_t i = 0; i < d->n_refs; i++)
		if (check_id(d->refs[i], w->e))
			return w->e->code;
	sbuf_addf(&id, "%s@%s", d->id, w->host);
	g_mime_message_set_message_id(w->m, id.s);
	set_thread(w);
	return E_OK;
}

static enum err_code make_head(struct writing *w)
{
	cleanup(sbuf_done) struct sbuf list = SBUF_INIT;
	GDateTime *date = g_date_time_new_from_unix_utc(w->d->date);

	if (!date)
		return err_set(w->e, E_BUG, "mail: its date is not valid");
	g_mime_message_set_date(w->m, date);
	g_date_time_unref(date);
	if (set_addresses(w) || set_ids(w))
		return w->e->code;
	draft_set_subject(w);
	/* RFC 3834: suppress out-of-office answers. RFC 2919: a name for sorting. */
	set_head(w, "Auto-Submitted", "auto-generated");
	sbuf_addf(&list, LIST " <" LIST ".%s>", w->host);
	set_head(w, "List-Id", list.s);
	return E_OK;
}

/* ---- the body ----------------------------------------------------------------------------- */

/* Without g_mime_text_part_set_text, which uses ISO-8859-1 for texts that fit into it. */
static GMimeObject *text_part(const char *subtype, const char *text)
{
	GMimeTextPart *part = g_mime_text_part_new_with_subtype(subtype);
	GMimeStream *bytes = g_mime_stream_mem_new_with_buffer(text, strlen(text));
	GMimeDataWrapper *content = g_mime_data_wrapper_new_with_stream(
		bytes, GMIME_CONTENT_ENCODING_DEFAULT);

	g_mime_part_set_content(GMIME_PART(part), content);
	g_object_unref(content);
	g_object_unref(bytes);
	g_mime_text_part_set_charset(part, "utf-8");
	g_mime_part_set_content_encoding(
		GMIME_PART(part), GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE);
	return GMIME_OBJECT(part);
}

static void set_body(struct writing *w, const char *text, const char *html)
{
	cleanup(sbuf_done) struct sbuf boundary = SBUF_INIT;
	GMimeMultipart *both;
	GMimeObject *part = text_part("plain", text);

	if (html) {
		both = g_mime_multipart_new_with_subtype("alternative");
		/* "=_" is never written by quoted-printable. */
		sbuf_addf(&boundary, "=_" LIST "_%s", w->d->id);
		g_mime_multipart_set_boundary(both, boundary.s);
		g_mime_multipart_add(both, part);
		g_object_unref(part);
		part = text_part("html", html);
		g_mime_multipart_add(both, part);
		g_object_unref(part);
		part = GMIME_OBJECT(both);
	}
	g_mime_message_set_mime_part(w->m, part);
	g_object_unref(part);
}

static void to_bytes(const struct writing *w, struct sbuf *out)
{
	GMimeFormatOptions *o = g_mime_format_options_new();
	GMimeStream *mem = g_mime_stream_mem_new();
	GByteArray *bytes;

	g_mime_format_options_set_newline_format(
		o, w->d->crlf ? GMIME_NEWLINE_FORMAT_DOS : GMIME_NEWLINE_FORMAT_UNIX);
	g_mime_object_write_to_stream(GMIME_OBJECT(w->m), o, mem);
	bytes = g_mime_stream_mem_get_byte_array(GMIME_STREAM_MEM(mem));
	sbuf_add(out, bytes->data, bytes->len);
	g_object_unref(mem);
	g_mime_format_options_free(o);
}

/* Compose the mail with these texts. */
static enum err_code compose(const struct mail_draft *d, const char *text, const char *html,
	struct sbuf *out, struct err *e)
{
	struct mail_address from;
	struct writing w = {.d = d, .e = e};
	enum err_code rc;

	if (mail_address_parse(d->from, &from, e))
		return e->code;
	w.host = mail_address_host(&from);
	w.m = g_mime_message_new(FALSE);
	rc = make_head(&w);
	if (!rc) {
		set_body(&w, text, html);
		to_bytes(&w, out);
	}
	g_object_unref(w.m);
	return rc;
}

#define LEAST_LINES 5 /* a title, a note, the head of a table and two rows */

/* Texts are in blocks with an empty line between them; those of tables have a title and lines that
 * are indented. A block that would be cut within its first lines would be a head without rows, and
 * is removed completely. `keep` is at the beginning of a line. */
static size_t without_bare_head(const struct sbuf *text, size_t keep)
{
	size_t start = keep, lines = 0, title;

	while (start &&
		!(start > 1 && text->s[start - 1] == '\n' && text->s[start - 2] == '\n'))
		start--;
	for (size_t i = start; i < keep; i++)
		lines += text->s[i] == '\n';
	title = start + strcspn(text->s + start, "\n");
	if (!text->s[keep] || text->s[keep] == '\n' || text->s[start] == ' ' ||
		!text->s[title] || text->s[title + 1] != ' ')
		return keep;
	return lines < LEAST_LINES ? start : keep;
}

/* Omit another tenth, back to the end of a line, until it fits. */
static enum err_code compose_cut(const struct mail_draft *d, struct sbuf *text, size_t max,
	struct sbuf *out, struct err *e)
{
	cleanup(sbuf_done) struct sbuf cut = SBUF_INIT;
	size_t keep = text->len;

	for (;;) {
		sbuf_reset(out);
		sbuf_reset(&cut);
		sbuf_add(&cut, text->s, keep);
		sbuf_adds(&cut, NOTE_CUT);
		if (compose(d, cut.s, NULL, out, e))
			return e->code;
		if (out->len <= max)
			return E_OK;
		if (!keep)
			return err_set(e, E_LIMIT,
				"mail: not even its head fits into %zu bytes", max);
		keep = keep * 9 / 10;
		while (keep && text->s[keep - 1] != '\n')
			keep--;
		keep = without_bare_head(text, keep);
	}
}

enum err_code mail_write(
	const struct mail_draft *d, size_t max, struct sbuf *out, struct err *e)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT, html = SBUF_INIT, mail = SBUF_INIT;
	struct err own;
	enum err_code rc;

	e = e ? e : &own;
	g_mime_init();
	add_clean(&text, d->text);
	if (d->html)
		add_clean(&html, d->html);
	rc = compose(d, text.s, d->html ? html.s : NULL, &mail, e);
	if (!rc && mail.len > max && d->html) {
		sbuf_reset(&mail);
		rc = compose(d, text.s, NULL, &mail, e);
	}
	if (!rc && mail.len > max)
		rc = compose_cut(d, &text, max, &mail, e);
	if (!rc && !sbuf_add(out, mail.s, mail.len))
		rc = err_set(e, E_LIMIT, "mail: it is too large");
	return rc;
}
