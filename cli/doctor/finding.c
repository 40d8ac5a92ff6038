/* What a check found. */
#include "cli/doctor/doctor.h"

#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>

struct finding *doctor_add(
	struct doctor *d, enum doctor_status status, const char *fmt, ...)
{
	char text[2048];
	struct finding *f;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	d->v = arena_grow(d->a, d->v, d->n, &d->cap, sizeof(*d->v));
	f = &d->v[d->n++];
	*f = (struct finding){.status = status,
		.check = d->check,
		.detail = arena_strdup(d->a, text),
		.fix = ""};
	return f;
}

/* Nobody answered, or not in a way that means something: it may be fine. */
static bool unasked(enum err_code code)
{
	return code == E_NET || code == E_RATE || code == E_HTTP || code == E_LIMIT;
}

struct finding *doctor_add_err(struct doctor *d, const struct err *e)
{
	bool skip = unasked(e->code);
	struct finding *f = doctor_add(d, skip ? DOCTOR_SKIP : DOCTOR_FAIL, "%s%s",
		skip ? "could not be asked: " : "", e->msg);

	d->unasked = d->unasked || skip;
	f->fix = arena_strdup(d->a, str_starts(e->fix, "run: ") ? e->fix + 5 : e->fix);
	return f;
}

const char *doctor_join(
	const struct doctor *d, const char *const *v, size_t n, const char *between)
{
	struct sbuf b = SBUF_INIT;
	const char *text;

	for (size_t i = 0; i < n; i++)
		sbuf_addf(&b, "%s%s", i ? between : "", v[i]);
	text = arena_strdup(d->a, b.len ? b.s : "");
	sbuf_done(&b);
	return text;
}
