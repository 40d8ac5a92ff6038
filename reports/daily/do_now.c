/* The sections of actions to take, and of what follows from them. */
#include "base/str.h"
#include "reports/daily/internal.h"

#include <string.h>

static const struct doc_column todo_columns[] = {
	{"name", "what"},
	{"type", "type", .rank = 1},
	{"location", "where", .rank = 1},
	/* a rate, but not typed as one: an absent saving is not an unknown price */
	{"saves_per_hour", "saves", DOC_DECIMAL, -1},
	{"rule"},
	{"id"},
	{"kind"},
	{"project"},
	{"severity"},
	{"currency"},
};

/* A sentence without its subject, which the row names already: of "vm tpu-vm (n1-highmem-96, us-central1-b) has been
 * idle", "has been idle". Whole, if no known verb follows: "tpu-vm of ada runs". */
static const char *todo_predicate(const struct todo *t, struct arena *a)
{
	static const char *const verbs[] = {"is", "has", "was", "had", "does", "runs",
		"costs", "burns", "uses", "needs", "can", "may", "must", "should", "will"};
	const char *p = t->detail, *end;
	size_t kind = t->kind ? strlen(t->kind) : 0;

	if (!str_starts(p, t->name) && kind && str_starts(p, t->kind) && p[kind] == ' ')
		p += kind + 1;
	if (!str_starts(p, t->name))
		return t->detail;
	p += strlen(t->name);
	if (*p != ' ' && *p != ':')
		return t->detail;
	if (str_starts(p, " (") && (end = strchr(p, ')')))
		p = end + 1;
	if (str_starts(p, ": "))
		return p + 2;
	return *p == ' ' &&
			str_in(arena_strndup(a, p + 1, strcspn(p + 1, " .,;")), verbs,
				ARRAY_LEN(verbs))
		? p + 1
		: t->detail;
}

static const char *todo_detail_of(struct daily *d, const struct todo *t)
{
	const char *text = t->detail && t->name ? todo_predicate(t, d->a) : t->detail;

	if (t->costs && !t->saves.set)
		text = sentences_text(d->a, text, "Its price is unknown.");
	text = sentences_text(d->a, text, t->stops);
	/* not about the command that prevents it */
	return t->stops && !t->fails ? text : sentences_text(d->a, text, t->warning);
}

static void todo_add_row(struct daily *d, struct doc_section *s, const struct todo *t)
{
	struct doc_row *row = doc_row(s);

	*doc_at(s, row, "name") = cell_text(t->also
			? arena_printf(d->a, "%s and %zu more", t->name, t->also)
			: t->name);
	*doc_at(s, row, "type") = cell_text(t->type);
	*doc_at(s, row, "location") = cell_text(t->location);
	*doc_at(s, row, "saves_per_hour") = cell_estimate(cell_rate(t->saves, t->currency));
	*doc_at(s, row, "rule") = cell_text(t->rules);
	*doc_at(s, row, "id") = cell_text(t->id);
	*doc_at(s, row, "kind") = cell_text(t->kind);
	*doc_at(s, row, "project") = cell_text(t->project);
	*doc_at(s, row, "severity") = cell_text(t->severity);
	*doc_at(s, row, "currency") = cell_text(t->currency);
	row->detail = todo_detail_of(d, t);
	row->command = t->command;
	row->tone = t->tone;
}

/* Consequences show only their names: the sentences of figures have the rest. */
static struct doc_section *todo_section(
	struct daily *d, const char *key, const char *title, bool follows)
{
	struct doc_column columns[ARRAY_LEN(todo_columns)];
	struct doc_section *s;

	memcpy(columns, todo_columns, sizeof(columns));
	for (size_t i = 1; follows && i < ARRAY_LEN(columns); i++)
		columns[i].title = NULL;
	s = doc_section_like(
		d->doc, key, title, "resources", columns, ARRAY_LEN(todo_columns));
	s->brief = true;
	s->more = "tpucost alerts";
	return s;
}

bool daily_collects(const struct daily *d)
{
	const struct settings *s = d->ask->settings;

	return s->watches || (s->n_export_tables && !d->bill.ever);
}

void daily_add_todo(struct daily *d)
{
	struct doc_section *s = todo_section(d, "do_now", "Do now", false);
	size_t n = d->n_todo - d->n_follow;
	bool costs = false; /* some action changes the other figures */

	s->unknown = !d->polled && !n;
	s->empty = d->polled        ? "Nothing."
		: daily_collects(d) ? "Collect first: tpucost collect"
				    : "Not known: the configuration lists no project.";
	s->note = daily_stopped_note(d);
	if (d->left_out_words)
		s->note = s->note ? arena_printf(d->a, "%s %s", s->note, d->left_out_words)
				  : d->left_out_words;
	for (size_t i = 0; i < n; i++) {
		todo_add_row(d, s, &d->todo[i]);
		costs |= d->todo[i].costs;
	}
	if (d->n_follow)
		s = todo_section(
			d, "consequences", costs ? "Because of these" : "Limits", true);
	for (size_t i = n; i < d->n_todo; i++)
		todo_add_row(d, s, &d->todo[i]);
}
