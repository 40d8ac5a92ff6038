/* State of one reading: notes, resources, variables. */
#include "cli/paste/internal.h"

#include "base/sbuf.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#define MAX_NOTES 100
#define MAX_VARS 512

void paste_note(struct pasting *p, const char *fmt, ...)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	sbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < p->out.n_notes; i++)
		if (!strcmp(p->out.notes[i], b.s))
			return;
	if (p->out.n_notes == MAX_NOTES)
		return;
	p->out.notes = arena_grow(
		p->a, p->out.notes, p->out.n_notes, &p->cap_notes, sizeof(*p->out.notes));
	p->out.notes[p->out.n_notes++] = arena_strdup(p->a, b.s);
}

static void fail(
	struct pasting *p, enum err_code code, const char *fix, const char *fmt, va_list ap)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	if (p->e->code)
		return;
	sbuf_vaddf(&b, fmt, ap);
	err_set(p->e, code, "%s", b.s);
	err_fix(p->e, "%s", fix);
}

void paste_refuse(struct pasting *p, const char *fix, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fail(p, E_USAGE, fix, fmt, ap);
	va_end(ap);
}

void paste_limit(struct pasting *p, const char *fix, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fail(p, E_LIMIT, fix, fmt, ap);
	va_end(ap);
}

const char *paste_lower(struct pasting *p, const char *s)
{
	char *out = arena_strdup(p->a, s);

	for (char *c = out; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return out;
}

struct wish *paste_wish(struct pasting *p, const char *kind)
{
	struct wish *w = &p->spare;

	/* all at once: callers keep pointers to the entries */
	if (!p->out.v)
		p->out.v = arena_alloc(p->a, PROPOSAL_MAX * sizeof(*p->out.v));
	if (p->out.n < PROPOSAL_MAX)
		w = &p->out.v[p->out.n++];
	else
		paste_limit(p, "paste fewer commands at a time",
			"the pasted commands create more than %d resources", PROPOSAL_MAX);
	*w = (struct wish){.kind = kind, .count = 1, .from = TS_NONE};
	return w;
}

const struct paste_word *paste_variable(const struct pasting *p, const char *name)
{
	for (size_t i = 0; i < p->vars.n; i++)
		if (!strcmp(p->vars.v[i].name, name))
			return &p->vars.v[i].value;
	return NULL;
}

void paste_set(struct pasting *p, const char *name, const struct paste_word *value)
{
	for (size_t i = 0; i < p->vars.n; i++)
		if (!strcmp(p->vars.v[i].name, name)) {
			p->vars.v[i].value = *value;
			return;
		}
	if (p->vars.n < MAX_VARS)
		*arena_push(p->a, &p->vars) = (struct paste_var){name, *value};
	else
		paste_limit(p, "", "the pasted text sets more than %d variables", MAX_VARS);
}
