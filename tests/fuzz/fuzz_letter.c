/* Mails that are written, of any name, subject and text. A reader of heads written from RFC 5322 and
 * RFC 2047 finds the lines that belong there and no other one, and in them what was given; the reader of
 * mails gives the text back. */
#include "base/url/address.h"
#include "base/net/mail.h"
#include "base/net/mail_write.h"
#include "base/str.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

#define SEPARATOR '\xff' /* between the fields of an input; no byte of UTF-8 */
#define FIELDS 5
#define MAX_LINE 998   /* RFC 5322 2.1.1 */
#define MAX_ENCODED 75 /* RFC 2047 2 */

struct input {
	char *copy, *sender, *recipient, *subject, *text, *html;
};

static void split(const uint8_t *data, size_t size, struct input *in)
{
	char **fields[FIELDS] = {
		&in->sender, &in->recipient, &in->subject, &in->text, &in->html};
	char *s = in->copy = fuzz_text(data, size);

	for (size_t i = 0; i < FIELDS; i++) {
		char *end = s ? strchr(s, SEPARATOR) : NULL;

		*fields[i] = s;
		s = end ? end + 1 : NULL;
		if (end)
			*end = '\0';
	}
}

/* ---- the head, read by its RFCs ---------------------------------------------------------------- */

#define MAX_HEADS 12

struct head {
	const char *name[MAX_HEADS];
	struct sbuf value[MAX_HEADS]; /* unfolded */
	size_t n;
	const char *body;
};

static void head_done(struct head *h)
{
	for (size_t i = 0; i < h->n; i++)
		sbuf_done(&h->value[i]);
}

/* One line; its end is CR LF or LF alone, throughout. */
static size_t line_length(const char *s, bool crlf)
{
	size_t n = strcspn(s, "\r\n");

	fuzz_require(s[n] && n <= MAX_LINE);
	fuzz_require(crlf ? s[n] == '\r' && s[n + 1] == '\n' : s[n] == '\n');
	return n;
}

static void add_line(struct head *h, const char *s, size_t n, const char *const *names)
{
	size_t len = strcspn(s, ":");

	for (size_t i = 0; i < n; i++)
		fuzz_require(s[i] >= 0x20 && s[i] <= 0x7e);
	if (*s == ' ') {
		/* some take a line of blanks for the end of the head */
		fuzz_require(h->n && strspn(s, " ") < n);
		sbuf_add(&h->value[h->n - 1], s, n);
		return;
	}
	fuzz_require(h->n < MAX_HEADS && names[h->n]);
	fuzz_require(len == strlen(names[h->n]) && !memcmp(s, names[h->n], len));
	h->name[h->n] = names[h->n];
	h->value[h->n] = (struct sbuf)SBUF_INIT;
	sbuf_add(&h->value[h->n++], s + len + 1, n - len - 1);
}

static void read_head(const char *s, bool crlf, const char *const *names, struct head *h)
{
	size_t n;

	while ((n = line_length(s, crlf))) {
		add_line(h, s, n, names);
		s += n + 1 + crlf;
	}
	fuzz_require(h->n && !names[h->n]);
	h->body = s + 1 + crlf;
}

static const char *value_of(const struct head *h, const char *name)
{
	size_t i = 0;

	while (i < h->n && strcmp(h->name[i], name) != 0)
		i++;
	fuzz_require(i < h->n);
	return h->value[i].s + strspn(h->value[i].s, " ");
}

static void add_base64(struct sbuf *b, const char *s, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned bits = 0, held = 0;

	fuzz_require(n % 4 == 0);
	for (; n && *s != '='; s++, n--) {
		const char *digit = strchr(digits, *s);

		fuzz_require(digit);
		bits = bits << 6 | (unsigned)(digit - digits);
		held += 6;
		if (held >= 8) {
			held -= 8;
			sbuf_addc(b, (char)(bits >> held & 0xff));
		}
	}
	fuzz_require(n <= 2);
}

/* Words of "=?UTF-8?B?...?=" with blanks between them, each of whole characters. */
static const char *decode_words(struct sbuf *b, const char *s)
{
	static const char begin[] = "=?UTF-8?B?";

	while (str_starts(s, begin)) {
		const char *end = strstr(s + strlen(begin), "?=");
		size_t before = b->len;

		fuzz_require(end && end + 2 - s <= MAX_ENCODED);
		add_base64(b, s + strlen(begin), (size_t)(end - s) - strlen(begin));
		fuzz_require(utf8_valid(b->s + before, b->len - before));
		s = end + 2;
		if (str_starts(s + strspn(s, " "), begin))
			s += strspn(s, " ");
	}
	return s;
}

/* Blanks at its ends and more than one in a row are nothing that a reader of heads has to keep. */
static void add_words(struct sbuf *b, const char *s)
{
	while (*(s += strspn(s, " "))) {
		size_t n = strcspn(s, " ");

		sbuf_adds(b, b->len ? " " : "");
		sbuf_add(b, s, n);
		s += n;
	}
}

static void require_same_words(const char *a, const char *b)
{
	cleanup(sbuf_done) struct sbuf x = SBUF_INIT, y = SBUF_INIT;

	add_words(&x, a);
	add_words(&y, b);
	fuzz_require(!strcmp(x.s, y.s));
}

/* ---- what it has to be ------------------------------------------------------------------------- */

static void check_subject(const struct head *h, const char *want)
{
	cleanup(sbuf_done) struct sbuf got = SBUF_INIT;
	const char *s = value_of(h, "Subject");

	if (str_starts(s, "=?"))
		fuzz_require(!*decode_words(&got, s));
	else
		sbuf_adds(&got, s);
	fuzz_require(!strstr(got.s, "=?") || str_starts(s, "=?"));
	require_same_words(got.s, want);
}

/* The address at `s`, and what follows it. */
static const char *check_address(const char *s, const struct mail_address *want)
{
	cleanup(sbuf_done) struct sbuf name = SBUF_INIT;
	size_t n;

	if (*s == '"') {
		n = strcspn(++s, "\"\\");
		fuzz_require(s[n] == '"');
		sbuf_add(&name, s, n);
		s += n + 1;
	} else {
		s = decode_words(&name, s);
	}
	fuzz_require(!strcmp(name.s, want->name));
	if (*want->name) {
		s += strspn(s, " ");
		fuzz_require(*s++ == '<');
	}
	n = strlen(want->addr);
	fuzz_require(!strncmp(s, want->addr, n) && (!*want->name || s[n] == '>'));
	return s + n + (*want->name != '\0');
}

static void check_addresses(const struct head *h, const struct mail_address *from,
	const struct mail_address *to)
{
	const char *rest = check_address(value_of(h, "To"), to);

	fuzz_require(!strcmp(rest, ", ann@example.org"));
	rest = check_address(value_of(h, "From"), from);
	fuzz_require(!*rest);
}

/* As it is shown, of 200 bytes at most. */
static void add_subject(struct sbuf *b, const struct mail_draft *d)
{
	cleanup(sbuf_done) struct sbuf shown = SBUF_INIT;
	size_t keep = MAIL_MAX_SUBJECT;

	sbuf_add_term(&shown, d->subject);
	if (shown.len > keep) {
		while (((unsigned char)shown.s[keep] & 0xc0) == 0x80)
			keep--;
		sbuf_trunc(&shown, keep);
		sbuf_adds(&shown, "...");
	}
	sbuf_addf(b, "%s%s", shown.s, d->repeat ? " [may be a repeat]" : "");
}

static void add_text(struct sbuf *b, const char *s)
{
	size_t n;

	for (; *s; s += n) {
		uint32_t c = utf8_next(s, &n);

		if (*s == '\r' && s[1] == '\n')
			continue;
		if (c == 0xfffd)
			sbuf_adds(b, "\xef\xbf\xbd");
		else if (c == 0x7f || (c < 0x20 && c != '\t' && c != '\n'))
			sbuf_addf(b, "\\x%02x", c);
		else
			sbuf_add(b, s, n);
	}
	if (b->len && b->s[b->len - 1] != '\n')
		sbuf_addc(b, '\n');
}

/* Our reader of mails, whose heads are the library's. */
static void check_read_again(const struct sbuf *mail, const struct mail_draft *d)
{
	cleanup(sbuf_done) struct sbuf subject = SBUF_INIT, text = SBUF_INIT,
				       got = SBUF_INIT;
	struct arena a = {0};
	struct mail m = {0};
	struct err e = {0};

	if (mail_read(mail->s, mail->len, &a, &m, &e)) {
		fuzz_require(d->html); /* nested too deeply */
		arena_done(&a);
		return;
	}
	fuzz_require(m.mime && m.n == (d->html ? 2 : 1) && !m.texts[0].html);
	fuzz_require(m.texts[0].date == d->date);
	add_subject(&subject, d);
	/* the library decodes words together, and stops where one within them is padded */
	if (!strstr(mail->s, "=?=\n =?") && !strstr(mail->s, "=?=\r\n =?"))
		require_same_words(m.texts[0].subject ? m.texts[0].subject : "", subject.s);
	add_text(&text, d->text);
	for (const char *s = m.texts[0].text; *s; s++)
		if (*s != '\r')
			sbuf_addc(&got, *s);
	fuzz_require(!strcmp(got.s, text.s));
	arena_done(&a);
}

static void check_mail(const struct sbuf *mail, const struct mail_draft *d)
{
	static const char *const text[] = {"Date", "From", "To", "Message-Id", "Subject",
		"Auto-Submitted", "List-Id", "MIME-Version", "Content-Type",
		"Content-Transfer-Encoding", NULL};
	static const char *const both[] = {"Date", "From", "To", "Message-Id", "Subject",
		"Auto-Submitted", "List-Id", "MIME-Version", "Content-Type", NULL};
	cleanup(sbuf_done) struct sbuf subject = SBUF_INIT;
	cleanup(head_done) struct head h = {0};
	struct mail_address from, to;
	const char *type = strstr(mail->s, "\nContent-Type: ");
	bool html;

	fuzz_require(type && strlen(mail->s) == mail->len);
	html = str_starts(strchr(type, ':'), ": multipart/alternative;");
	read_head(mail->s, d->crlf, html ? both : text, &h);
	fuzz_require(mail_address_parse(d->from, &from, NULL) == E_OK);
	fuzz_require(mail_address_parse(d->to[0], &to, NULL) == E_OK);
	check_addresses(&h, &from, &to);
	add_subject(&subject, d);
	check_subject(&h, subject.s);
	for (const char *s = h.body; *s;)
		s += line_length(s, d->crlf) + 1 + d->crlf;
}

/* Nothing of a mail that cannot be written; and what has less room is cut, not broken. */
static void check_draft(const struct mail_draft *d, size_t room)
{
	cleanup(sbuf_done) struct sbuf mail = SBUF_INIT, less = SBUF_INIT;
	struct err e = {0};
	enum err_code rc = mail_write(d, MAIL_WRITE_MAX, &mail, &e);
	bool fine = mail_address_check(d->from, NULL) == E_OK &&
		mail_address_check(d->to[0], NULL) == E_OK;

	fuzz_require(rc == (fine ? E_OK : E_CONFIG));
	fuzz_require(!rc || (e.code == rc && e.msg[0] && !mail.len));
	if (rc)
		return;
	check_mail(&mail, d);
	check_read_again(&mail, d);
	rc = mail_write(d, room, &less, &e);
	fuzz_require(rc == E_OK || (rc == E_LIMIT && !less.len));
	fuzz_require(less.len <= room && (rc || mail.len > room || mail.len == less.len));
	if (!rc)
		check_mail(&less, d);
}

int fuzz_letter(const uint8_t *data, size_t size)
{
	cleanup(sbuf_done) struct sbuf from = SBUF_INIT;
	struct input in = {0};
	const char *to[2] = {"ann@example.org", "ann@example.org"};
	struct mail_draft d = {.id = "c0ffee-1",
		.to = to,
		.n_to = 2,
		.date = 1795219200,
		.crlf = size % 2,
		.repeat = size % 3 == 0};

	split(data, size, &in);
	sbuf_addf(
		&from, strchr(in.sender, '@') ? "%s" : "%s <t@lab.example.org>", in.sender);
	d.from = from.s;
	if (in.recipient && *in.recipient)
		to[0] = in.recipient;
	d.subject = in.subject ? in.subject : "";
	d.text = in.text ? in.text : "";
	d.html = in.html;
	check_draft(&d, 700 + size % 7 * 100);
	free(in.copy);
	return 0;
}
