/* Actions in a message: above the alerts, or alone. */
#include "reports/message/message.h"

#include "reports/message/action_text.h"
#include "reports/shared.h"
#include "rules/judge/alert.h"

#include <string.h>

/* Keys as in the view actions, if it has the column. */
static const struct doc_column columns[] = {
	{"id"},
	{"event", NULL, DOC_TEXT},
	{"name", "What"},
	{"type", "Type", .rank = 1},
	{"news", "Action", DOC_TEXT},
	{"due", "When"},
	{"saves_per_hour"}, /* part of the sentences */
	{"project", "Project", .rank = 3},
	{"location", "Zone", .rank = 2},
	{"owner", "Owner"},
	{"action"},
	{"stage"},
	{"held"},
	{"rule"},
	{"resource", NULL, DOC_CODE},
	{"uid"},
	{"kind"},
	{"severity"},
	{"summary"},
	{"reason"},
	{"started"},
	{"sent"},
	{"ended"},
	{"operation"},
	{"residual_per_hour"},
	{"cost"},
	{"currency"},
	{"restart", NULL, DOC_CODE},
};

static enum doc_tone acting_tone_of(const struct action_note *n)
{
	if (n->kind == NOTE_CANCELLED ||
		(n->kind == NOTE_OUTCOME && n->a.state == ACTION_DONE))
		return TONE_GOOD;
	return n->kind == NOTE_WARNING && n->a.severity != SEVERITY_CRITICAL ? TONE_WARN
									     : TONE_BAD;
}

static const char *some(const char *s)
{
	return s && *s ? s : NULL;
}

static void acting_add_note(struct doc *d, struct doc_section *s,
	const struct action_note *n, size_t full, struct arena *a)
{
	struct doc_row *row = doc_row(s);
	const struct action *x = &n->a;

	*doc_at(s, row, "id") = cell_int(x->number);
	*doc_at(s, row, "event") = cell_text(note_kind_name(n->kind));
	*doc_at(s, row, "name") = cell_text(n->name);
	*doc_at(s, row, "type") = cell_text(n->type);
	*doc_at(s, row, "news") = cell_toned(
		cell_text(action_words(n, a)), acting_tone_of(n));
	*doc_at(s, row, "due") = cell_time(n->kind == NOTE_WARNING ? x->due
			: n->kind == NOTE_OUTCOME                  ? x->ended
								   : x->since);
	*doc_at(s, row, "project") = cell_text(x->t.project);
	*doc_at(s, row, "location") = cell_text(x->t.location);
	*doc_at(s, row, "action") = cell_text(verb_name(x->verb));
	*doc_at(s, row, "stage") = cell_text(action_state_name(x->state));
	*doc_at(s, row, "held") = cell_text(some(x->held));
	*doc_at(s, row, "rule") = cell_text(x->rule);
	*doc_at(s, row, "resource") = cell_code(x->t.id);
	*doc_at(s, row, "uid") = cell_text(some(x->t.uid));
	*doc_at(s, row, "kind") = cell_text(x->t.kind);
	row->tone = acting_tone_of(n);
	/* an action that did not succeed is always critical */
	*doc_at(s, row, "severity") = cell_text(
		severity_name(row->tone == TONE_BAD ? SEVERITY_CRITICAL : n->a.severity));
	*doc_at(s, row, "summary") = cell_text(n->summary);
	/* the stage of a new action, "no channel has accepted its warning yet", is not why it is taken */
	*doc_at(s, row, "reason") = cell_text(
		n->kind == NOTE_WARNING && !x->attempts ? n->summary : some(x->reason));
	*doc_at(s, row, "owner") = cell_text(n->owner);
	*doc_at(s, row, "started") = cell_time(x->started);
	*doc_at(s, row, "sent") = cell_time(x->sent);
	*doc_at(s, row, "ended") = cell_time(x->ended);
	*doc_at(s, row, "operation") = cell_text(x->operation);
	*doc_at(s, row, "restart") = cell_code(restart_command(x, a));
	*doc_at(s, row, "saves_per_hour") = cell_estimate(cell_rate(x->saves, x->currency));
	*doc_at(s, row, "residual_per_hour") = cell_estimate(
		cell_rate(x->residual, x->currency));
	*doc_at(s, row, "cost") = cell_estimate(
		cell_money(action_cost(x, d->now), x->currency));
	*doc_at(s, row, "currency") = cell_text(x->currency);
	row->detail = action_detail(d, n, a);
	row->command = action_command(d, n, a);
	row->also = action_also(n, a, &row->also_command);
	row->line = action_line(d, n, a);
	row->only_line = s->n > full;
}

static void put_first(struct doc *d)
{
	struct doc_section *last = d->sections[d->n - 1];

	memmove(d->sections + 1, d->sections, (d->n - 1) * sizeof(*d->sections));
	d->sections[0] = last;
}

/* "; and 3 more actions, 2 alerts" */
static const char *besides(size_t actions, size_t alerts, struct arena *a)
{
	if (!actions && !alerts)
		return "";
	return arena_printf(a, "; and %s%s%s",
		!actions ? ""
			 : arena_printf(a, "%zu more action%s", actions,
				   actions == 1 ? "" : "s"),
		actions && alerts ? ", " : "",
		!alerts ? ""
			: arena_printf(a, "%zu alert%s", alerts, alerts == 1 ? "" : "s"));
}

static void head(
	struct doc *d, size_t alerts, const struct action_notes *notes, struct arena *a)
{
	const char *first = action_news(d, &notes->v[0], a);
	size_t more = notes->n - 1 + alerts;

	d->headline = arena_printf(a, "%s%s.", first, besides(notes->n - 1, alerts, a));
	d->title = arena_printf(a, "tpucost: %s", first);
	d->subject = more ? arena_printf(a, "[tpucost] %s (and %zu more)", first, more)
			  : arena_printf(a, "[tpucost] %s", first);
	d->tone = acting_tone_of(&notes->v[0]);
}

struct doc *action_doc(struct doc *d, size_t alerts, const struct settings *s,
	const struct action_notes *notes, size_t full, ts_t now, struct arena *a)
{
	bool alone = d == NULL;
	struct doc_section *section;

	if (alone)
		d = doc_new(a, "alerts", s->tz, now);
	section = doc_section_like(d, "actions", "Actions on machines", "actions", columns,
		ARRAY_LEN(columns));
	section->brief = section->whole = true;
	section->more = "tpucost enforce";
	section->tone = acting_tone_of(&notes->v[0]);
	for (size_t i = 0; i < notes->n; i++)
		acting_add_note(d, section, &notes->v[i], full, a);
	hide_unknown(section, "owner");
	if (notes->later)
		section->note = arena_printf(
			a, "Not in this message: %zu more; they follow.", notes->later);
	put_first(d);
	head(d, alerts, notes, a);
	if (alone)
		doc_note_zone(d);
	doc_note_brief(d,
		"All actions: tpucost enforce. To prevent all further actions: tpucost "
		"enforce halt");
	return d;
}
