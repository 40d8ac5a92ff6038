/* Messages with {columns}. What is read, written again, reads as the same; what is refused says why. */
#include "base/mem.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "rules/vocab/template.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static void unparse(struct sbuf *b, const struct template *t)
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->parts[i].col)
			sbuf_addf(b, "{%s}", t->parts[i].col->name);
		for (const char *p = t->parts[i].text; p && *p; p++) {
			sbuf_addc(b, *p);
			if (*p == '{' || *p == '}')
				sbuf_addc(b, *p);
		}
	}
}

/* Fewer braces than the text has columns would be a column that vanished. */
static size_t columns_of(const struct template *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += t->parts[i].col != NULL;
	return n;
}

static size_t count(const char *s, char c)
{
	size_t n = 0;

	for (; *s; s++)
		n += *s == c;
	return n;
}

int fuzz_template(const uint8_t *data, size_t size)
{
	cleanup(free_ptr) char *s = fuzz_text(data, size);
	cleanup(sbuf_done) struct sbuf once = SBUF_INIT, twice = SBUF_INIT;
	const struct view *v = view_find("resources");
	struct template t = {0}, again = {0};
	struct arena a = {0};
	struct err e = {0};

	if (template_parse(s, v, &a, &t, &e)) {
		fuzz_require(e.code == E_USAGE && e.msg[0] && !t.n);
		fuzz_require(strlen(s) > TEMPLATE_MAX || strpbrk(s, "{}"));
	} else {
		fuzz_require(strlen(s) <= TEMPLATE_MAX);
		unparse(&once, &t);
		fuzz_require(!strcmp(once.s, s));
		fuzz_require(count(s, '{') >= columns_of(&t));
		fuzz_require(template_parse(once.s, v, &a, &again, &e) == E_OK);
		unparse(&twice, &again);
		fuzz_require(!strcmp(once.s, twice.s) && again.n == t.n);
	}
	arena_done(&a);
	return 0;
}
