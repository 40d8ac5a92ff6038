/* TPUs that the grants cover now, and that they covered before. */
#include "base/time/civil.h"
#include "base/money.h"
#include "base/str.h"
#include "db_sql.h"
#include "rules/derive/internal.h"
#include "rules/grant/tpu.h"

#include <string.h>

/* ---- now ---------------------------------------------------------------------------------- */

void derive_running(struct deriving *d, struct cov_input *in)
{
	const struct settings *s = d->o->settings;
	size_t cap = 8;
	struct cov_node *nodes = arena_alloc(&d->temp, cap * sizeof(*nodes));
	struct cov_span *onward = arena_new(&d->temp, struct cov_span);

	*onward = (struct cov_span){d->o->now, TS_NONE};
	*in = (struct cov_input){.grants = s->grants, .n_grants = s->n_grants, .tz = s->tz};
	for (size_t i = 0; i < d->n_facts; i++) {
		const struct fact *f = &d->facts[i];

		if (!strcmp(f->kind, "tpu") && !strcmp(f->state, "running"))
			derive_node(f, arena_append(&d->temp, nodes, in->n_nodes, cap));
	}
	for (size_t i = 0; i < in->n_nodes; i++) {
		nodes[i].spans = onward;
		nodes[i].n_spans = 1;
	}
	in->nodes = nodes;
}

void derive_node(const struct fact *f, struct cov_node *out)
{
	struct tpu_type t;

	*out = (struct cov_node){.id = f->id,
		.name = f->name,
		.type = f->type,
		.family = tpu_family_of_type(f->type),
		.zone = f->location,
		.provisioning = f->provisioning,
		.created = f->created,
		.running = true};
	if (tpu_type_parse(f->type, &t))
		out->chips = SOME(t.chips);
}

/* For every running TPU. */
void derive_verdicts(struct deriving *d)
{
	struct cov_verdict *out;
	struct cov_input in;

	derive_running(d, &in);
	out = arena_alloc(&d->kept, (in.n_nodes + 1) * sizeof(*out));
	d->grant_used = arena_alloc(&d->kept, (in.n_grants + 1) * sizeof(*d->grant_used));
	coverage_at(&in, d->o->now, &d->kept, out, d->grant_used);
	for (size_t i = 0, k = 0; i < d->n_facts && k < in.n_nodes; i++)
		if (d->facts[i].id == in.nodes[k].id)
			d->facts[i].verdict = &out[k++];
}

/* ---- over time ---------------------------------------------------------------------------- */

int64_t stale_after(const struct settings *s, const char *poll_group)
{
	for (size_t i = 0; i < s->n_intervals; i++)
		if (!strcmp(s->intervals[i].group, poll_group))
			return 3 * s->intervals[i].seconds;
	return 3 * HOUR_SECONDS; /* same as in the view sources */
}

ts_t known_until(const struct deriving *d, struct opt_i64 last_seen, const char *poll_group)
{
	int64_t seconds;

	if (!last_seen.set || !poll_group)
		return TS_NONE;
	seconds = stale_after(d->o->settings, poll_group);
	return d->o->now - last_seen.v > seconds ? last_seen.v : TS_NONE;
}

static enum err_code past_load(
	struct deriving *d, ts_t from, ts_t to, struct past *p, struct err *e)
{
	const struct settings *s = d->o->settings;
	struct q_interval_tpus_in in = {.since = from, .until = to};
	struct q_interval_tpus *v;
	struct cov_span *spans;
	size_t n_rows, n = 0;

	if (q_interval_tpus_all(d->db, &in, &d->arena, &v, &n_rows, e))
		return e->code;
	spans = arena_alloc(&d->arena, n_rows * sizeof(*spans));
	p->nodes = arena_alloc(&d->arena, n_rows * sizeof(*p->nodes));
	p->of = arena_alloc(&d->arena, n_rows * sizeof(*p->of));
	for (size_t i = 0; i < n_rows; i++) {
		const struct q_interval_tpus *q = &v[i];
		struct cov_node *node = n ? &p->nodes[n - 1] : NULL;

		/* A TPU that was created again is another one: the machines of a group have its uid.
		 * And machines change their type. */
		if (!node || strcmp(node->id, q->id) != 0 ||
			strcmp(p->of[n - 1].uid, q->uid) != 0 ||
			node->created != ts_of_opt(q->created) ||
			!str_eq(node->type, q->type) ||
			!str_eq(node->provisioning, q->provisioning)) {
			node = &p->nodes[n];
			derive_node(&(struct fact){.id = q->id,
					    .name = q->name,
					    .type = q->type,
					    .location = q->location,
					    .provisioning = q->provisioning,
					    .created = ts_of_opt(q->created)},
				node);
			node->spans = &spans[i];
			p->of[n++] = (struct past_of){.uid = q->uid,
				.price = price_tpu(&d->book, q->type, q->location,
					price_class_of(q->provisioning))};
		}
		spans[i] = (struct cov_span){q->starts, ts_of_opt(q->ends)};
		node->n_spans++;
		p->of[n - 1].known = known_until(d, q->last_seen, q->poll_group);
	}
	p->in = (struct cov_input){.nodes = p->nodes,
		.n_nodes = n,
		.grants = s->grants,
		.n_grants = s->n_grants,
		.tz = s->tz};
	return E_OK;
}

/* Rows without the times that were not observed; *n is their number. */
static const struct cov_row *past_known(
	struct deriving *d, const struct past *p, const struct cov_row *rows, size_t *n)
{
	struct cov_row *out = arena_alloc(&d->arena, (*n + 1) * sizeof(*out));
	size_t kept = 0;

	for (size_t i = 0; i < *n; i++) {
		const struct cov_node *node = &p->nodes[rows[i].node];
		ts_t end = p->of[rows[i].node].known;
		struct cov_row *row = &out[kept];

		*row = rows[i];
		if (end == TS_NONE || row->ends <= end) {
			kept++;
			continue;
		}
		row->ends = end;
		if (row->starts >= end)
			continue;
		row->chip_seconds = cov_chip_seconds(node->chips, row->starts, end);
		kept++;
	}
	*n = kept;
	return out;
}

enum err_code past_sweep(struct deriving *d, ts_t from, ts_t to, struct past *p,
	const struct cov_row **rows, size_t *n, struct err *e)
{
	if (past_load(d, from, to, p, e))
		return e->code;
	*rows = coverage_sweep(&p->in, from, to, &d->arena, n);
	*rows = past_known(d, p, *rows, n);
	return E_OK;
}

/* ---- history of grants --------------------------------------------------------------------- */

static void history_add_saved(
	struct grant_tally *t, const struct cov_row *row, const struct price *price)
{
	struct opt_i64 saved = price_for(price, row->ends - row->starts);

	if (row->chip_seconds.set &&
		__builtin_add_overflow(
			t->chip_seconds, row->chip_seconds.v, &t->chip_seconds))
		t->unknown = true;
	if (!saved.set || (t->currency && strcmp(t->currency, price->cur) != 0) ||
		!nanos_add(t->saved, saved.v, &t->saved))
		t->unknown = true;
	else
		t->currency = price->cur;
}

/* First grant of a chain of renewals. */
static const char *root_of(const struct settings *s, const struct grant *g)
{
	for (size_t steps = 0; g->extends && steps < s->n_grants; steps++) {
		int64_t i = grant_find(s->grants, s->n_grants, g->extends);

		if (i < 0)
			break;
		g = &s->grants[i];
	}
	return g->name;
}

/* Lines of one grant and its renewals for the same TPUs share one limit: where they overlap in time
 * it is the larger, not the sum. */
static bool shares_room(const struct settings *s, size_t a, size_t b, ts_t now)
{
	const struct grant *g = &s->grants[a], *other = &s->grants[b];

	return grant_runs_at(other, now) && grant_alike(g, other) &&
		str_eq(root_of(s, g), root_of(s, other)) && !str_eq(g->name, other->name);
}

struct opt_i64 grant_room(
	const struct settings *s, size_t line, const int64_t *used, ts_t now)
{
	const struct grant *g = &s->grants[line];
	int64_t room = g->chips, taken = used[line];

	if (!grant_runs_at(g, now)) /* not active: no chips are available */
		return SOME(0);
	if (taken < 0)
		return NONE;
	for (size_t i = 0; i < s->n_grants; i++) {
		if (!shares_room(s, line, i, now))
			continue;
		if (used[i] < 0)
			return NONE;
		taken += used[i];
		if (s->grants[i].chips > room)
			room = s->grants[i].chips;
	}
	return SOME(room > taken ? room - taken : 0);
}

/* Of those that share its limit, the grant that has all of it: the largest, or else the first. NULL: itself. */
static const char *shared_with(const struct settings *s, size_t line, ts_t now)
{
	size_t most = line;

	for (size_t i = 0; i < s->n_grants && grant_runs_at(&s->grants[line], now); i++)
		if (shares_room(s, line, i, now) &&
			(s->grants[i].chips > s->grants[most].chips ||
				(s->grants[i].chips == s->grants[most].chips && i < most)))
			most = i;
	return most == line ? NULL : s->grants[most].name;
}

enum err_code derive_grants(struct deriving *d, struct err *e)
{
	const int64_t *used = d->grant_used;
	const struct settings *s = d->o->settings;

	for (size_t i = 0; i < s->n_grants; i++) {
		const struct grant *g = &s->grants[i];
		const struct grant_tally *t = &d->grant_tallies[i];
		struct row_grant_state in = {.line = (int64_t)i,
			.name = g->name,
			.zone = g->zone,
			.type = g->type,
			.family = g->family,
			.provisioning = g->provisioning,
			.granted_chips = g->chips,
			.used_chips = used[i] < 0 ? NONE : SOME(used[i]),
			.free_chips = grant_room(s, i, used, d->o->now),
			.starts = opt_of_ts(g->starts),
			.until = opt_of_ts(g->until),
			.covered_chip_seconds = t->chip_seconds,
			.currency = t->currency ? t->currency : "USD",
			.project = g->project,
			.shared_with = shared_with(s, i, d->o->now)};

		if (!t->unknown)
			in.saved = SOME(t->saved);
		if (derived_put_grant_state(d->db, &in, e))
			return e->code;
	}
	return E_OK;
}

/* ---- the coverage view --------------------------------------------------------------------- */

static enum err_code put_row(struct deriving *d, const char *id, const struct price *price,
	const struct cov_row *row, struct err *e)
{
	struct opt_i64 gross = price_for(price, row->ends - row->starts);
	struct row_coverage_part in = {.id = id,
		.starts = row->starts,
		.ends = row->ends,
		.chip_seconds = row->chip_seconds,
		.covered = row->covered,
		.why = why_name(row->why),
		.why_text = row->text,
		.grant_name = row->covered ? d->o->settings->grants[row->grant].name : NULL,
		.gross = gross,
		.net = row->covered                            ? SOME(0)
			: row->why == WHY_PROVISIONING_UNKNOWN ? NONE
							       : gross,
		.currency = gross.set ? price->cur : NULL};

	return derived_put_coverage_part(d->db, &in, e);
}

/* The interval of each TPU that lasts until now, by id; one that began in this second has none. */
static void lasting_rows(const struct deriving *d, struct strmap *by_id)
{
	for (size_t i = 0; i < d->n_past_rows; i++) {
		const struct cov_row *row = &d->past_rows[i];
		const struct cov_node *node = &d->past.nodes[row->node];

		if (row->ends == d->o->now &&
			node->spans[node->n_spans - 1].ends == TS_NONE)
			strmap_put(by_id, node->id, i);
	}
}

/* One row per running TPU: the present verdict, since when, and the cost of that interval. */
static enum err_code put_current(struct deriving *d, struct err *e)
{
	cleanup(strmap_done) struct strmap lasting = {0};

	lasting_rows(d, &lasting);
	for (size_t i = 0; i < d->n_facts; i++) {
		const struct fact *f = &d->facts[i];
		const struct cov_verdict *v = f->verdict;
		const size_t *at = v ? strmap_get(&lasting, f->id) : NULL;
		ts_t starts = at ? d->past_rows[*at].starts : d->o->now;

		if (v &&
			put_row(d, f->id, &f->price,
				&(struct cov_row){.starts = starts,
					.ends = d->o->now,
					.covered = v->covered,
					.grant = v->grant,
					.why = v->why,
					.text = v->text,
					.chip_seconds = cov_chip_seconds(
						opt_wide(f->chips), starts, d->o->now)},
				e))
			return e->code;
	}
	return E_OK;
}

static enum err_code sweep_period(struct deriving *d, struct err *e)
{
	struct past p = {0};
	const struct cov_row *rows;
	size_t n;

	if (past_sweep(d, d->o->since, derive_until(d->o), &p, &rows, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++)
		if (put_row(d, p.nodes[rows[i].node].id, &p.of[rows[i].node].price,
			    &rows[i], e))
			return e->code;
	return E_OK;
}

enum err_code derive_stretches(struct deriving *d, struct err *e)
{
	return d->o->since == TS_NONE ? put_current(d, e) : sweep_period(d, e);
}

/* The whole recorded history up to now: the value of each grant. */
enum err_code derive_history(struct deriving *d, struct err *e)
{
	const struct cov_row *known;
	struct cov_input codes;
	size_t n = d->o->settings->n_grants + 1;

	d->grant_tallies = arena_alloc(&d->arena, n * sizeof(*d->grant_tallies));
	if (past_load(d, INT64_MIN + 1, d->o->now, &d->past, e))
		return e->code;
	codes = d->past.in;
	codes.wordless = true;
	d->past_rows = coverage_sweep(
		&codes, INT64_MIN + 1, d->o->now, &d->arena, &d->n_past_rows);
	n = d->n_past_rows;
	known = past_known(d, &d->past, d->past_rows, &n);
	for (size_t i = 0; i < n; i++)
		if (known[i].covered)
			history_add_saved(&d->grant_tallies[known[i].grant], &known[i],
				&d->past.of[known[i].node].price);
	return E_OK;
}
