/* Prints a sample document as the mail that would be sent, or one of its texts, for libraries of
 * others to read:  print_mail mail|text|html sample|hostile SUBJECT [FROM TO...] */
#include "base/net/mail_write.h"
#include "reports/doc/formats.h"
#include "tests/support/sample_doc.h"

#include <stdio.h>
#include <string.h>

static void render(const struct doc *d, const char *format, struct sbuf *out)
{
	const struct format_opts o = {
		.mail = true, .max_rows = 40, .max_bytes = 100 * 1024};

	doc_format_find(format)->render(d, &o, out);
}

static int print(const struct sbuf *b)
{
	return fwrite(b->s, 1, b->len, stdout) == b->len ? 0 : 1;
}

int main(int argc, char **argv)
{
	static const char *const refs[] = {"aaaa", "bbbb"};
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT, html = SBUF_INIT, mail = SBUF_INIT;
	struct mail_draft m = {.id = "c0ffee", .refs = refs, .n_refs = 2, .crlf = true};
	const struct doc *d;
	struct err e = {0};

	if (argc < 4 || sample_setup(NULL))
		return 2;
	d = strcmp(argv[2], "hostile") ? sample_doc() : sample_hostile();
	render(d, "text", &text);
	render(d, "html", &html);
	if (!strcmp(argv[1], "text"))
		return print(&text);
	if (!strcmp(argv[1], "html"))
		return print(&html);
	m.subject = argv[3];
	m.from = argc > 4 ? argv[4] : "tpucost@example.org";
	m.to = argc > 5 ? (const char *const *)(argv + 5) : &m.from;
	m.n_to = argc > 5 ? (size_t)argc - 5 : 1;
	m.text = text.s;
	m.html = html.s;
	m.date = SAMPLE_NOW;
	if (mail_write(&m, MAIL_WRITE_MAX, &mail, &e)) {
		fprintf(stderr, "%s\n", e.msg);
		return 1;
	}
	sample_teardown(NULL);
	return print(&mail);
}
