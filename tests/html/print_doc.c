/* Prints a sample document: print_doc sample|hostile|many FORMAT [mail] [MAX_BYTES]. */
#include "reports/doc_formats.h"
#include "tests/support/sample_doc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MANY 10000

static struct doc *document(const char *name)
{
	if (!strcmp(name, "sample"))
		return sample_doc();
	if (!strcmp(name, "hostile"))
		return sample_hostile();
	return strcmp(name, "many") ? NULL : sample_many(MANY);
}

int main(int argc, char **argv)
{
	const struct doc_format *f = argc > 2 ? doc_format_find(argv[2]) : NULL;
	struct format_opts o = {.mail = argc > 3 && !strcmp(argv[3], "mail"),
		.max_bytes = argc > 4 ? strtoul(argv[4], NULL, 10) : 0};
	struct sbuf b = SBUF_INIT;
	struct doc *d;

	sample_setup(NULL);
	d = argc > 1 ? document(argv[1]) : NULL;
	if (!f || !d) {
		fputs("usage: print_doc sample|hostile|many FORMAT [mail|file] "
		      "[MAX_BYTES]\n",
			stderr);
		return 2;
	}
	f->render(d, &o, &b);
	fwrite(b.s, 1, b.len, stdout);
	sbuf_done(&b);
	sample_teardown(NULL);
	return 0;
}
