#include "reports/message/action_doc.h"

#include "reports/message/action_text.h"
#include "rules/judge/alert.h"

#include <string.h>

enum {
	COL_ID,
	COL_EVENT,
	COL_NAME,
	COL_TYPE,
	COL_WORDS,
	COL_WHEN,
	COL_SAVES,
	COL_PROJECT,
	COL_LOCATION,
	COL_ACTION,
	COL_STAGE,
	COL_HELD,
	COL_RULE,
	COL_RESOURCE,
	COL_UID,
	COL_KIND,
	COL_SEVERITY,
	COL_SUMMARY,
	COL_REASON,
	COL_OWNER,
	COL_STARTED,
	COL_SENT,
	COL_ENDED,
	COL_OPERATION,
	COL_RESIDUAL,
	COL_COST,
	COL_CURRENCY,
	COL_RESTART,
	COLS,
};

/* As in the view actions, where it has them. */
static const struct doc_column columns[COLS] = {
	[COL_ID] = {"id", NULL, DOC_INT, 0, 0},
	[COL_EVENT] = {"event", NULL, DOC_TEXT, 0, 0},
	[COL_NAME] = {"name", "What", DOC_TEXT, 0, 0},
	[COL_TYPE] = {"type", "Type", DOC_TEXT, 0, 1},
	[COL_WORDS] = {"news", "Action", DOC_TEXT, 0, 0},
	[COL_WHEN] = {"due", "When", DOC_TIME, 0, 0},
	[COL_SAVES] = {"saves_per_hour", NULL, DOC_RATE, -1, 0}, /* the sentences say it */
	[COL_PROJECT] = {"project", "Project", DOC_TEXT, 0, 3},
	[COL_LOCATION] = {"location", "Zone", DOC_TEXT, 0, 2},
	[COL_ACTION] = {"action", NULL, DOC_TEXT, 0, 0},
	[COL_STAGE] = {"stage", NULL, DOC_TEXT, 0, 0},
	[COL_HELD] = {"held", NULL, DOC_TEXT, 0, 0},
	[COL_RULE] = {"rule", NULL, DOC_TEXT, 0, 0},
	[COL_RESOURCE] = {"resource", NULL, DOC_CODE, 0, 0},
	[COL_UID] = {"uid", NULL, DOC_TEXT, 0, 0},
	[COL_KIND] = {"kind", NULL, DOC_TEXT, 0, 0},
	[COL_SEVERITY] = {"severity", NULL, DOC_TEXT, 0, 0},
	[COL_SUMMARY] = {"summary", NULL, DOC_TEXT, 0, 0},
	[COL_REASON] = {"reason", NULL, DOC_TEXT, 0, 0},
	[COL_OWNER] = {"owner", NULL, DOC_TEXT, 0, 0},
	[COL_STARTED] = {"started", NULL, DOC_TIME, 0, 0},
	[COL_SENT] = {"sent", NULL, DOC_TIME, 0, 0},
	[COL_ENDED] = {"ended", NULL, DOC_TIME, 0, 0},
	[COL_OPERATION] = {"operation", NULL, DOC_TEXT, 0, 0},
	[COL_RESIDUAL] = {"residual_per_hour", NULL, DOC_RATE, -1, 0},
	[COL_COST] = {"cost", NULL, DOC_MONEY, -1, 0},
	[COL_CURRENCY] = {"currency", NULL, DOC_TEXT, 0, 0},
	[COL_RESTART] = {"restart", NULL, DOC_CODE, 0, 0},
};

static bool is_good(const struct action_note *n)
{
	return n->kind == NOTE_CANCELLED ||
		(n->kind == NOTE_OUTCOME && n->a.state == ACTION_DONE);
}

static enum doc_tone tone_of(const struct action_note *n)
{
	if (is_good(n))
		return TONE_GOOD;
	return n->kind == NOTE_WARNING && n->a.severity != SEVERITY_CRITICAL ? TONE_WARN
									     : TONE_BAD;
}

/* That something did not happen is always grave. */
static enum severity gravity(const struct action_note *n)
{
	return tone_of(n) == TONE_BAD ? SEVERITY_CRITICAL : n->a.severity;
}

static const char *some(const char *s)
{
	return s && *s ? s : NULL;
}

static void add_target(struct doc_cell *c, const struct target *t)
{
	c[COL_NAME] = cell_text(t->name);
	c[COL_PROJECT] = cell_text(t->project);
	c[COL_LOCATION] = cell_text(t->location);
	c[COL_RESOURCE] = cell_code(t->id);
	c[COL_UID] = cell_text(some(t->uid));
	c[COL_KIND] = cell_text(t->kind);
}

static void add_money(struct doc_cell *c, const struct action *x, ts_t now)
{
	if (!x->currency)
		return;
	c[COL_SAVES] = cell_estimate(cell_rate(x->saves, x->currency));
	c[COL_RESIDUAL] = cell_estimate(cell_rate(x->residual, x->currency));
	c[COL_COST] = cell_estimate(cell_money(action_cost(x, now), x->currency));
	c[COL_CURRENCY] = cell_text(x->currency);
}

static void add_times(struct doc_cell *c, const struct action_note *n)
{
	c[COL_WHEN] = cell_time(n->kind == NOTE_WARNING ? n->a.due
			: n->kind == NOTE_OUTCOME       ? n->a.ended
							: n->a.since);
	c[COL_STARTED] = cell_time(n->a.started);
	c[COL_SENT] = cell_time(n->a.sent);
	c[COL_ENDED] = cell_time(n->a.ended);
}

static void add_note(struct doc *d, struct doc_section *s, const struct action_note *n,
	size_t full, struct arena *a)
{
	struct doc_row *row = doc_row(d, s);
	struct doc_cell *c = row->cells;
	const struct action *x = &n->a;

	add_target(c, &x->t);
	add_money(c, x, d->now);
	add_times(c, n);
	c[COL_ID] = cell_int(x->number);
	c[COL_EVENT] = cell_text(note_kind_name(n->kind));
	c[COL_TYPE] = cell_text(n->type);
	c[COL_WORDS] = cell_toned(cell_text(action_words(n)), tone_of(n));
	c[COL_ACTION] = cell_text(verb_name(x->verb));
	c[COL_STAGE] = cell_text(action_state_name(x->state));
	c[COL_HELD] = cell_text(some(x->held));
	c[COL_RULE] = cell_text(x->rule);
	c[COL_SEVERITY] = cell_text(severity_name(gravity(n)));
	c[COL_SUMMARY] = cell_text(n->summary);
	c[COL_REASON] = cell_text(some(x->reason));
	c[COL_OWNER] = cell_text(n->owner);
	c[COL_OPERATION] = cell_text(x->operation);
	c[COL_RESTART] = cell_code(restart_command(x, a));
	row->detail = action_detail(d, n, a);
	row->command = action_command(d, n, a);
	row->also = action_also(n, a, &row->also_command);
	row->tone = tone_of(n);
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
	d->tone = tone_of(&notes->v[0]);
}

struct doc *action_doc(struct doc *d, size_t alerts, const struct settings *s,
	const struct action_notes *notes, size_t full, ts_t now, struct arena *a)
{
	bool alone = d == NULL;
	struct doc_section *section;

	if (alone)
		d = doc_new(a, "alerts", s->tz, now);
	section = doc_section(d, "actions", "What is done to machines", columns, COLS);
	section->brief = section->whole = true;
	section->more = "tpucost enforce";
	section->tone = tone_of(&notes->v[0]);
	for (size_t i = 0; i < notes->n; i++)
		add_note(d, section, &notes->v[i], full, a);
	if (notes->later)
		section->note = arena_printf(
			a, "Not in this message: %zu more; they follow.", notes->later);
	put_first(d);
	head(d, alerts, notes, a);
	if (alone)
		doc_note_zone(d);
	doc_note_brief(d,
		"All actions: tpucost enforce. To stop nothing at all from now on: "
		"tpucost enforce halt");
	return d;
}
