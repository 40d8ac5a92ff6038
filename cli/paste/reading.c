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

enum err_code paste_refuse(struct pasting *p, const char *fix, const char *fmt, ...)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	sbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	err_set(p->e, E_USAGE, "%s", b.s);
	return err_fix(p->e, "%s", fix);
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
	struct wish *w;

	if (p->out.n == PROPOSAL_MAX) {
		err_set(p->e, E_LIMIT, "the pasted commands create more than %d resources",
			PROPOSAL_MAX);
		err_fix(p->e, "paste fewer commands at a time");
		return NULL;
	}
	/* all at once: callers keep pointers to the entries */
	if (!p->out.v)
		p->out.v = arena_alloc(p->a, PROPOSAL_MAX * sizeof(*p->out.v));
	w = &p->out.v[p->out.n++];
	*w = (struct wish){.kind = kind, .count = 1, .from = TS_NONE, .until = TS_NONE};
	return w;
}

const struct paste_word *paste_variable(const struct pasting *p, const char *name)
{
	for (size_t i = 0; i < p->n_vars; i++)
		if (!strcmp(p->vars[i].name, name))
			return &p->vars[i].value;
	return NULL;
}

enum err_code paste_set(struct pasting *p, const char *name, const struct paste_word *value)
{
	size_t i = 0;

	while (i < p->n_vars && strcmp(p->vars[i].name, name) != 0)
		i++;
	if (i == MAX_VARS)
		return err_set(p->e, E_LIMIT, "the pasted text sets more than %d variables",
			MAX_VARS);
	if (i == p->n_vars)
		p->vars = arena_grow(
			p->a, p->vars, p->n_vars++, &p->cap_vars, sizeof(*p->vars));
	p->vars[i] = (struct paste_var){name, *value};
	return E_OK;
}
