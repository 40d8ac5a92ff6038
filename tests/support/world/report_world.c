#include "tests/support/world/report_world.h"

#include "base/time/civil.h"
#include "tests/support/assert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

struct doc *report_make(
	struct cost_world *w, const char *kind, struct report_ask ask, struct arena *a)
{
	const struct report_kind *k = report_kind_find(kind);
	struct doc *d = NULL;
	struct err e = {0};

	assert_non_null(k);
	ask.db = w->t.db;
	ask.settings = &w->settings;
	ask.now = w->now;
	ask.since = ask.since ? ask.since : TS_NONE;
	ask.until = ask.until ? ask.until : TS_NONE;
	if (k->period)
		assert_ok(k->period(&ask, &e), e);
	assert_ok(k->build(&ask, a, &d, &e), e);
	assert_non_null(d);
	/* A key that is misspelt has no type, and would be empty for ever. */
	for (size_t i = 0; i < d->n; i++)
		for (int c = 0; c < d->sections[i]->n_columns; c++)
			if (!d->sections[i]->columns[c].type)
				fail_msg("%s: column %s has no type", d->sections[i]->key,
					d->sections[i]->columns[c].key);
	return d;
}

static void add_cell(const struct doc_cell *c, struct sbuf *b)
{
	if (c->type == DOC_NONE)
		sbuf_addc(b, '-');
	doc_cell_exact(c, b);
	if (c->type == DOC_MONEY || c->type == DOC_RATE)
		sbuf_addf(b, " %s", c->text);
	sbuf_adds(b, doc_status_mark(c->status));
}

static int column_of(const struct doc_section *s, const char *key, size_t len)
{
	for (int i = 0; i < s->n_columns; i++)
		if (strlen(s->columns[i].key) == len &&
			!strncmp(s->columns[i].key, key, len))
			return i;
	fail_msg("%s has no column %.*s", s->key, (int)len, key);
	return -1;
}

const char *report_rows(
	const struct doc *d, const char *section, const char *keys, struct arena *a)
{
	const struct doc_section *s = doc_find(d, section);
	struct sbuf b = SBUF_INIT;
	const char *out;

	for (size_t i = 0; s && i < s->n; i++) {
		if (i)
			sbuf_addc(&b, '\n');
		for (const char *key = keys; *key;) {
			size_t len = strcspn(key, ",");

			sbuf_adds(&b, key == keys ? "" : "|");
			add_cell(&s->rows[i].cells[column_of(s, key, len)], &b);
			key += len + (key[len] == ',');
		}
	}
	out = arena_strdup(a, s ? b.s : "no such section");
	sbuf_done(&b);
	return out;
}

void report_expect(
	const struct doc *d, const char *section, const char *keys, const char *want)
{
	struct arena a = {0};
	const char *got = report_rows(d, section, keys, &a);

	if (strcmp(got, want) != 0)
		fail_msg("%s (%s)\n gave:\n%s\n want:\n%s", section, keys, got, want);
	arena_done(&a);
}

const char *report_all(const struct doc *d, struct arena *a)
{
	struct sbuf b = SBUF_INIT;
	const char *out;

	sbuf_addf(&b, "%s\n%s\n%s\n", d->title, d->subject ? d->subject : "", d->headline);
	for (size_t i = 0; i < d->n_facts; i++) {
		sbuf_addf(&b, "%s ", d->facts[i].key);
		add_cell(&d->facts[i].cell, &b);
		sbuf_addc(&b, '\n');
	}
	for (size_t i = 0; i < d->n; i++) {
		const struct doc_section *s = d->sections[i];

		sbuf_addf(&b, "[%s] %s\n%s\n%s\n", s->key, s->title ? s->title : "",
			s->note ? s->note : "", s->empty ? s->empty : "");
		for (int k = 0; k < s->n_columns; k++)
			sbuf_addf(&b, "%s %s;", s->columns[k].key,
				s->columns[k].title ? s->columns[k].title : "");
		for (size_t r = 0; r < s->n; r++) {
			sbuf_addc(&b, '\n');
			for (int k = 0; k < s->n_columns; k++) {
				sbuf_addc(&b, '|');
				add_cell(&s->rows[r].cells[k], &b);
			}
			if (s->rows[r].detail)
				sbuf_addf(&b, "\n  %s", s->rows[r].detail);
		}
		sbuf_addc(&b, '\n');
	}
	for (size_t i = 0; i < d->n_notes; i++)
		sbuf_addf(&b, "%s\n", d->notes[i]);
	out = arena_strdup(a, b.s);
	sbuf_done(&b);
	return out;
}
