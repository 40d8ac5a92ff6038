/* Memory of capacity of random histories, compared with an oracle. The oracle reads what each poll found, not
 * intervals, and has its own estimator: Efron's redistribution to the right, where derive multiplies. */
#include "base/time/civil.h"
#include "rules/derive/derive.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START INT64_C(1795219200)
#define HISTORIES 500
#define POLLS 160
#define THINGS 120
#define NEAR 180    /* three polls of a minute */
#define UNSEEN 7200 /* longest time between polls whose states follow each other */
#define NEVER INT64_MAX
#define LEAST 5

enum { NODE, QUEUED, ITS_NODE, MACHINE, RESIZE, ITS_SLICE, SLICE, REGIONAL, KINDS };
static const char *const sources[] = {
	"tpu", "queued", "tpu", "vm", "resize", "slice", "slice", "slice"};
static const char *const groups[] = {[RESIZE] = "zones/z/instanceGroupManagers/g",
	[ITS_SLICE] = "zones/z/instanceGroupManagers/g",
	[SLICE] = "zones/z/instanceGroupManagers/x",
	[REGIONAL] = "regions/r/instanceGroupManagers/x"};

struct segment {
	const char *state;
	ts_t until;
};

struct thing {
	int kind, place;
	char id[64], error[80];
	ts_t created;
	struct segment seg[8];
	size_t n;
	char uid[8];       /* of a machine */
	ts_t preempted[8]; /* a machine, by Google's operations */
	size_t n_preempted;
	/* as each poll found it; NULL: absent */
	const char *seen[POLLS];
	ts_t first;
};

static const struct place {
	const char *zone, *type, *family, *class;
} places[] = {{"europe-west4-a", "v6e-8", "v6e", "spot"},
	{"europe-west4-a", "v6e-16", "v6e", "on-demand"},
	{"us-east5-b", "v5litepod-16", "v5litepod", "spot"},
	{"us-east5-b", "ct6e-standard-4t", "v6e", "flex-start"}};
#define PLACES (sizeof(places) / sizeof(*places))

static struct tempdb t;
static uint64_t seed;
static ts_t polls[POLLS], now;
static ts_t read_from, preemptions; /* they were read until then; NEVER: never */
static struct thing things[THINGS];

/* xorshift64* */
static int64_t any(int64_t below)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (int64_t)((seed * UINT64_C(2685821657736338717)) >> 33) % below;
}

/* ---- a history --------------------------------------------------------------------------------- */

static void then(struct thing *x, const char *state, int64_t seconds)
{
	ts_t from = x->n ? x->seg[x->n - 1].until : x->created;

	x->seg[x->n++] = (struct segment){
		state, seconds == NEVER || from == NEVER ? NEVER : from + seconds};
}

static void runs(struct thing *x)
{
	int64_t end = any(100);

	then(x, "running", end < 8 ? NEVER : 60 + any(end % 3 ? 9000 : 60000));
	if (end < 70) {
		if (end < 25)
			then(x, "stopping", any(400));
		then(x, "preempted", any(9000));
	} else if (end < 78) {
		then(x, "stopping", any(400));
		then(x, "stopped", any(9000));
	} else if (end < 88 && x->n < 5) {
		then(x, any(2) ? "starting" : "stopped", any(900));
		runs(x);
	}
}

static void lives(struct thing *x)
{
	int64_t how = any(100);

	if (any(4))
		then(x, "starting", how < 6 ? NEVER : any(9000));
	if (how < 60)
		runs(x);
	else if (how < 85 && (x->kind == QUEUED || x->kind == RESIZE))
		then(x, "failed", x->kind == RESIZE ? NEVER : any(20000));
	else if (how < 90)
		then(x, "unknown", any(600));
}

static void make(size_t i)
{
	static const char *const errors[] = {"RESOURCE_EXHAUSTED: no more capacity in it",
		"ZONE_RESOURCE_POOL_EXHAUSTED: none",
		"RESOURCE_EXHAUSTED: Quota TPUV2s exhausted", "code 7: not allowed",
		"code 9: there is NO MORE CAPACITY"};
	struct thing *x = &things[i];
	bool queued;

	memset(x, 0, sizeof(*x));
	x->kind = (int)any(KINDS + 4);
	if (x->kind >= KINDS)
		x->kind = any(2) ? NODE : ITS_NODE;
	x->place = x->kind >= RESIZE ? 3 : any(5) ? 2 * (int)any(2) : 1;
	x->created = polls[any(POLLS)] - (any(5) ? any(90) : any(20000));
	queued = x->kind == QUEUED || x->kind == RESIZE;
	snprintf(x->id, sizeof(x->id), "p/%s/%s/x%03zu", queued ? "queued" : "tpu",
		places[x->place].zone, i);
	if (x->kind == MACHINE)
		snprintf(x->uid, sizeof(x->uid), "7%zu", i);
	lives(x);
	if (queued && any(8))
		snprintf(x->error, sizeof(x->error), "%s (%zu)", errors[any(5)], i);
}

static const char *state_at(const struct thing *x, ts_t at)
{
	for (size_t i = 0; at >= x->created && i < x->n; i++)
		if (at < x->seg[i].until)
			return x->seg[i].state;
	return NULL;
}

/* A preempted machine is stopped, or gone, for those who read its state. */
static void hide_preemptions(struct thing *x)
{
	bool gone = any(2);

	for (size_t i = 0; i < x->n; i++) {
		struct segment *s = &x->seg[i];
		ts_t at = i ? x->seg[i - 1].until : x->created;

		if (strcmp(s->state, "preempted") != 0)
			continue;
		s->state = gone ? NULL : "stopped";
		if (i && !strcmp(x->seg[i - 1].state, "stopping"))
			at = i > 1 ? x->seg[i - 2].until : x->created;
		x->preempted[x->n_preempted++] = at;
	}
}

static void make_history(void)
{
	ts_t at = START;

	for (size_t i = 0; i < POLLS; i++) {
		int64_t way = any(120);

		polls[i] = at;
		at += way == 0 ? UNSEEN + 1 + any(20000) : way < 40 ? any(UNSEEN) + 1 : 60;
	}
	now = polls[POLLS - 1] + (any(3) ? any(NEAR) : NEAR + 1 + any(5000));
	read_from = any(2) ? START - 90000 : polls[any(POLLS / 3)];
	preemptions = !any(4) ? NEVER : any(3) ? now : polls[any(POLLS)] + any(900);
	if (preemptions < read_from)
		preemptions = read_from;
	for (size_t i = 0; i < THINGS; i++) {
		make(i);
		if (things[i].kind == MACHINE)
			hide_preemptions(&things[i]);
		for (size_t k = 0; k < POLLS; k++)
			things[i].seen[k] = state_at(&things[i], polls[k]);
	}
}

/* ---- as the collector stores it ---------------------------------------------------------------- */

static void store_interval(const struct thing *x, ts_t starts, ts_t ends, const char *state)
{
	char end[24] = "NULL";

	if (ends != NEVER)
		snprintf(end, sizeof(end), "%lld", (long long)ends);
	tempdb_execf(&t,
		"INSERT INTO resource_interval (id, uid, starts, ends, kind, project, "
		"location, name, state, type, provisioning, created) VALUES (%Q, %Q, "
		"%lld, %s, %Q, 'p', %Q, 'x', %Q, %Q, %Q, %lld)",
		x->id, x->uid, (long long)starts, end,
		x->kind == QUEUED || x->kind == RESIZE ? "queued" : "tpu",
		places[x->place].zone, state, places[x->place].type, places[x->place].class,
		(long long)x->created);
}

static void store_trait(const struct thing *x, ts_t at, const char *state)
{
	tempdb_execf(&t,
		"INSERT INTO resource_trait (id, uid, starts, source, raw_state, queued, "
		"attached_to, labels, error) VALUES (%Q, %Q, %lld, %Q, %Q, %Q, %Q, '{}', "
		"%Q)",
		x->id, x->uid, (long long)at, sources[x->kind], state,
		x->kind == ITS_NODE ? "q" : NULL, groups[x->kind],
		*x->error && !strcmp(state, "failed") ? x->error : NULL);
}

static void store(const struct thing *x)
{
	const char *state = NULL;
	ts_t starts = 0, last = 0;

	for (size_t i = 0; i < x->n_preempted; i++)
		if (preemptions != NEVER && x->preempted[i] >= read_from &&
			x->preempted[i] <= preemptions)
			tempdb_execf(&t,
				"INSERT OR IGNORE INTO preemption VALUES ('p', %Q, %lld)",
				x->uid, (long long)x->preempted[i]);
	for (size_t k = 0; k < POLLS; k++) {
		const char *is = x->seen[k];
		ts_t ends = polls[k] - last > UNSEEN ? last : polls[k];
		bool over = is && x->kind == RESIZE &&
			(!strcmp(is, "running") || !strcmp(is, "failed"));

		if (state && (!is || strcmp(is, state) != 0))
			store_interval(x, starts, ends, state);
		if (is && (!state || strcmp(is, state) != 0)) {
			starts = state || over ? polls[k] : x->created;
			store_trait(x, polls[k], is);
		}
		if (over) {
			store_interval(x, polls[k], polls[k], is);
			return;
		}
		state = is;
		last = polls[k];
	}
	if (!state)
		return;
	store_interval(x, starts, NEVER, state);
	tempdb_execf(&t,
		"INSERT INTO resource (id, uid, source, kind, project, location, name, "
		"state, raw_state, labels, first_seen, last_seen, complete) VALUES (%Q, "
		"%Q, %Q, 'tpu', 'p', 'z', 'x', %Q, 'X', '{}', 1, %lld, 1)",
		x->id, x->uid, sources[x->kind], state, (long long)last);
}

/* ---- the oracle -------------------------------------------------------------------------------- */

struct datum {
	int64_t seconds;
	bool event;
	long double mass;
};

struct sample {
	struct datum v[THINGS * 4];
	size_t n, events;
};

struct figures {
	int64_t requests, granted, waits, lives, preempted, success, stockout, since;
	int64_t hours[24];
	const char *error;
	struct sample wait, life;
	bool any;
};

static void add(struct sample *s, int64_t seconds, bool event)
{
	s->v[s->n++] = (struct datum){seconds, event, 0};
	s->events += event;
}

static int earlier(const void *a, const void *b)
{
	const struct datum *x = a, *y = b;

	return x->seconds != y->seconds
		? (x->seconds > y->seconds) - (x->seconds < y->seconds)
		: (int)y->event - (int)x->event;
}

/* Each has an equal part; one that is not an event leaves its part to those after it. */
static int64_t quantile(struct sample *s, int percent)
{
	long double sum = 0;

	if (s->events < LEAST)
		return -1;
	qsort(s->v, s->n, sizeof(*s->v), earlier);
	for (size_t i = 0; i < s->n; i++)
		s->v[i].mass = 1.0L / (long double)s->n;
	for (size_t i = 0; i < s->n; i++) {
		if (s->v[i].event) {
			sum += s->v[i].mass;
			if (sum * 100 >= percent - 1e-6L)
				return s->v[i].seconds;
			continue;
		}
		for (size_t k = i + 1; k < s->n; k++)
			s->v[k].mass += s->v[i].mass / (long double)(s->n - i - 1);
	}
	return -1;
}

static bool is(const struct thing *x, size_t k, const char *state)
{
	return k < POLLS && x->seen[k] && !strcmp(x->seen[k], state);
}

/* Until when the state of poll k is known, of which the next poll found another or none. */
static ts_t known(size_t k)
{
	if (k + 1 < POLLS)
		return polls[k + 1] - polls[k] > UNSEEN ? polls[k] : polls[k + 1];
	return now - polls[k] > NEAR ? polls[k] : now;
}

/* Is the change between two polls in sequence known? */
static bool follows(size_t k)
{
	return k + 1 < POLLS && polls[k + 1] - polls[k] <= UNSEEN;
}

static void ask(struct figures *f, const struct thing *x, size_t first, bool begun)
{
	size_t k = first, run = first;

	if (!begun && !is(x, first, "starting"))
		return;
	f->requests++;
	while (run < POLLS && !is(x, run, "running"))
		run++;
	if (run < POLLS) {
		f->granted++;
		if (polls[run] > f->success)
			f->success = polls[run];
	}
	while (is(x, k, "starting") && is(x, k + 1, "starting"))
		k++;
	if (!begun)
		return;
	if (run == first || (is(x, k, "starting") && run == k + 1 && follows(k))) {
		f->waits++;
		add(&f->wait, polls[run] - x->created, true);
	} else if (is(x, first, "starting")) {
		add(&f->wait, known(k) - x->created, false);
	}
}

static void live(struct figures *f, const struct thing *x, size_t first, bool begun)
{
	for (size_t k = first, end; k < POLLS; k = end + 1) {
		size_t next;
		bool gone, seen = k == first ? begun : x->seen[k - 1] && follows(k - 1);

		end = k;
		if (!is(x, k, "running"))
			continue;
		while (is(x, end + 1, "running"))
			end++;
		if (!seen)
			continue;
		for (next = end; follows(next) && is(x, next + 1, "stopping");)
			next++;
		/* the state of the last "stopping" must be followed, too */
		gone = follows(next) && is(x, next + 1, "preempted");
		f->lives++;
		f->preempted += gone;
		if (gone)
			f->hours[civil_from_ts(polls[end + 1]).hour]++;
		add(&f->life, known(end) - polls[k], gone);
	}
}

/* First preemption from then on, as far as the list was read. */
static ts_t preempted_since(const struct thing *x, ts_t from)
{
	ts_t first = NEVER;

	for (size_t i = 0; i < x->n_preempted; i++)
		if (x->preempted[i] > from && x->preempted[i] >= read_from &&
			x->preempted[i] <= preemptions && x->preempted[i] < first)
			first = x->preempted[i];
	return first;
}

static void live_machine(struct figures *f, const struct thing *x, size_t first, bool begun)
{
	for (size_t k = first, end; preemptions != NEVER && k < POLLS; k = end + 1) {
		size_t again;
		ts_t at;

		end = k;
		if (!is(x, k, "running"))
			continue;
		while (is(x, end + 1, "running"))
			end++;
		if (!(k == first ? begun : x->seen[k - 1] && follows(k - 1)))
			continue;
		at = preempted_since(x, k == first ? x->created : polls[k]);
		for (again = end + 1; again < POLLS && !is(x, again, "running");)
			again++;
		if (at != NEVER && (again == POLLS || polls[again] >= at)) {
			f->lives++;
			f->preempted++;
			f->hours[civil_from_ts(at).hour]++;
			add(&f->life, at - polls[k], true);
		} else if (end + 1 == POLLS ||
			(known(end) >= read_from && known(end) <= preemptions)) {
			f->lives++;
			add(&f->life, known(end) - polls[k], false);
		}
	}
}

static void fail_of(struct figures *f, const struct thing *x, size_t first, bool begun)
{
	static const char *const lacks[] = {
		"RESOURCE_EXHAUSTED: no more", "ZONE_RESOURCE_POOL", "code 9: there is NO"};
	size_t k = first;

	while (k < POLLS && !is(x, k, "failed"))
		k++;
	if (k == POLLS || (!begun && k == first))
		return;
	for (size_t i = 0; i < 3; i++)
		if (!strncmp(x->error, lacks[i], strlen(lacks[i])) &&
			polls[k] > f->stockout) {
			f->stockout = polls[k];
			f->error = x->error;
		}
}

static void look(struct figures *f, const struct thing *x)
{
	size_t first = 0;
	bool begun;

	while (first < POLLS && !x->seen[first])
		first++;
	if (first == POLLS)
		return;
	begun = polls[first] - x->created <= NEAR;
	if (!f->any || polls[first] < f->since)
		f->since = polls[first];
	f->any = true;
	if (x->kind != ITS_NODE && x->kind != ITS_SLICE)
		ask(f, x, first, begun);
	if ((x->kind == NODE || x->kind == ITS_NODE) &&
		!strcmp(places[x->place].class, "spot"))
		live(f, x, first, begun);
	if (x->kind == MACHINE && !strcmp(places[x->place].class, "spot"))
		live_machine(f, x, first, begun);
	fail_of(f, x, first, begun);
}

static void add_number(char *out, size_t size, int64_t v, bool known_)
{
	size_t n = strlen(out);

	if (known_)
		snprintf(out + n, size - n, " %lld", (long long)v);
	else
		snprintf(out + n, size - n, " -");
}

static void expect(size_t place, char *out, size_t size)
{
	struct figures f = {0};
	int64_t median, p90, life;
	size_t n;
	bool hours = false;

	for (size_t i = 0; i < THINGS; i++)
		if (things[i].place == (int)place && things[i].kind != REGIONAL)
			look(&f, &things[i]);
	*out = 0;
	if (!f.any)
		return;
	median = quantile(&f.wait, 50);
	p90 = quantile(&f.wait, 90);
	life = quantile(&f.life, 50);
	snprintf(out, size, "%s %s %s", places[place].zone, places[place].family,
		places[place].class);
	add_number(out, size, f.requests, true);
	add_number(out, size, f.granted, true);
	add_number(out, size, f.waits, true);
	add_number(out, size, median, median >= 0);
	add_number(out, size, p90, p90 >= 0);
	add_number(out, size, f.lives, true);
	add_number(out, size, f.preempted, true);
	add_number(out, size, life, life >= 0);
	add_number(out, size, f.success, f.success > 0);
	add_number(out, size, f.stockout, f.stockout > 0);
	add_number(out, size, f.since, true);
	n = strlen(out);
	n += (size_t)snprintf(out + n, size - n, " [%s] ", f.error ? f.error : "-");
	for (int h = 0; h < 24; h++)
		if (f.hours[h]) {
			n += (size_t)snprintf(out + n, size - n, "%s%02d:00 %lld",
				hours ? ", " : "", h, (long long)f.hours[h]);
			hours = true;
		}
	if (!hours)
		snprintf(out + n, size - n, "-");
}

/* ---- the comparison ---------------------------------------------------------------------------- */

#define ROW                                                                                \
	"SELECT COALESCE((SELECT zone || ' ' || family || ' ' || provisioning || ' ' || "  \
	"requests || ' ' || granted || ' ' || waits || ' ' || COALESCE(wait_median, '-') " \
	"|| ' ' || COALESCE(wait_p90, '-') || ' ' || lives || ' ' || preempted || ' ' || " \
	"COALESCE(life_median, '-') || ' ' || COALESCE(last_success, '-') || ' ' || "      \
	"COALESCE(last_stockout, '-') || ' ' || since || ' [' || "                         \
	"COALESCE(stockout_error, '-') || '] ' || COALESCE(preempted_hours, '-') FROM "    \
	"capacity_state WHERE zone = '%s' AND family = '%s' AND provisioning = '%s'), '')"

static void every_figure_of_500_histories_is_that_of_the_oracle(void **state)
{
	static const struct poll_interval minute = {.group = "instances", .seconds = 60};
	int64_t medians = 0, lives_ = 0, none = 0;

	tempdb_open(&t, START);
	tempdb_exec(&t,
		"INSERT INTO source_status (source, project, poll_group, state, "
		"last_attempt, last_success, items) SELECT value, 'p', 'instances', 'ok', "
		"1, 1, 0 FROM "
		"json_each('[\"tpu\",\"queued\",\"vm\",\"resize\",\"slice\"]')");
	for (size_t h = 0; h < HISTORIES; h += (size_t)unit_step(1)) {
		struct settings settings = {.tz = t.tz,
			.currency = "USD",
			.intervals = &minute,
			.n_intervals = 1};
		struct derive_opts o = {.settings = &settings};
		struct err e = {0};

		seed = UINT64_C(88172645463325252) + h * UINT64_C(7919);
		make_history();
		tempdb_exec(&t,
			"BEGIN; DELETE FROM resource; DELETE FROM resource_interval; "
			"DELETE FROM resource_trait; DELETE FROM preemption; "
			"DELETE FROM preemption_read");
		if (preemptions != NEVER)
			tempdb_execf(&t,
				"INSERT INTO preemption_read VALUES ('p', %lld, %lld)",
				(long long)read_from, (long long)preemptions);
		for (size_t i = 0; i < THINGS; i++)
			store(&things[i]);
		tempdb_exec(&t, "COMMIT");
		o.now = now;
		o.since = o.until = TS_NONE;
		if (derive(t.db, &o, &e))
			fail_msg("%s", e.msg);
		for (size_t p = 0; p < PLACES; p++) {
			char want[400], got[400], sql[800];

			expect(p, want, sizeof(want));
			snprintf(sql, sizeof(sql), ROW, places[p].zone, places[p].family,
				places[p].class);
			tempdb_text(&t, sql, got, sizeof(got));
			if (strcmp(want, got) != 0)
				fail_msg("history %zu:\nwant %s\ngot  %s", h, want, got);
		}
		medians += tempdb_int(&t, "SELECT COUNT(wait_median) FROM capacity_state");
		lives_ += tempdb_int(&t, "SELECT COUNT(life_median) FROM capacity_state");
		none += tempdb_int(
			&t, "SELECT COUNT(*) - COUNT(wait_median) FROM capacity_state");
	}
	/* the histories have both: enough for a figure, and too little */
	assert_true(unit_step(1) > 1 || (medians > 300 && lives_ > 300 && none > 100));
	tempdb_close(&t);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_figure_of_500_histories_is_that_of_the_oracle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
