/* Random lives of machines under a rule that stops and later deletes, compared with an oracle: at every deletion it
 * asks the true history, which tpucost never sees, whether that was right. */
#include "rules/enforce/enforce.h"
#include "tests/support/assert.h"
#include "tests/support/unit.h"
#include "tests/support/world/enforce_world.h"
#include "tests/support/world/life_world.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLDS 30
#define MINUTE INT64_C(60)
#define HOUR INT64_C(3600)
#define DAY INT64_C(86400)
#define UNSEEN (2 * HOUR) /* polls that far apart may hide that a TPU node ran */

static struct {
	int number;
	bool crashed;
	bool calm; /* nothing goes wrong but what owners do */
	struct rule *rule;
	int64_t after[2], grace;
	ts_t end, changed; /* the configuration */
	const char *dies_at;
	sigjmp_buf death;
} world;

struct note {
	bool quiet, held; /* quiet: its owner never does anything */
	ts_t unheld, warned, promised;
	int warned_uid;
	bool gone; /* tpucost deleted it once */
};
static struct note notes[LIVES];

static struct {
	int stops, runs, deletions, prompt, crashes, hidden, kept;
} sum;

static bool chance(int percent)
{
	return life_any(100) < percent;
}

/* ---- the oracle -------------------------------------------------------------------------------- */

static void breach(const struct life *l, const char *why)
{
	static const char *const states[] = {
		"gone", "starting", "running", "stopping", "stopped"};

	for (size_t i = 0; i < l->n; i++)
		printf("%lld id %d %s%s owner %d%s\n", (long long)(l->fact[i].at - EW_NOW),
			l->fact[i].uid, states[l->fact[i].state],
			l->fact[i].state == LIFE_STOPPING && l->fact[i].ours ? " by tpucost"
									     : "",
			l->fact[i].owner, l->fact[i].exempt ? " exempt" : "");
	printf("polls:");
	for (size_t i = 0; i < l->n_seen; i++)
		printf(" %lld", (long long)(l->seen[i].at - EW_NOW));
	fail_msg("world %d, %s of kind %d, deleted %lld: %s", world.number, l->name,
		l->kind, (long long)(ew.t.clock.fake_now - EW_NOW), why);
}

static bool seen_in(const struct life *l, size_t from, size_t to)
{
	for (size_t i = 0; i < l->n_seen; i++)
		if (l->seen[i].fact >= from && l->seen[i].fact <= to)
			return true;
	return false;
}

/* A TPU node that ran entirely between two polls: nobody can know. */
static bool nobody_could_know(const struct life *l, size_t from, size_t to)
{
	ts_t before = 0, after = INT64_MAX;

	if (l->kind != LIFE_NODE || seen_in(l, from, to))
		return false;
	for (size_t i = 0; i < l->n_seen; i++) {
		if (l->seen[i].fact < from && l->seen[i].at > before)
			before = l->seen[i].at;
		if (l->seen[i].fact > to && l->seen[i].at < after)
			after = l->seen[i].at;
	}
	return after - before <= UNSEEN;
}

/* Since its stop, the newest time at which its waiting had to begin again. */
static ts_t waits_since(const struct life *l, size_t down)
{
	const struct note *n = &notes[l - lives.v];
	ts_t at = l->fact[down].at;
	bool noticed = false;

	for (size_t i = down + 1; i < l->n; i++) {
		const struct life_fact *was = &l->fact[i - 1], *is = &l->fact[i];

		noticed = was->exempt && (noticed || seen_in(l, i - 1, i - 1));
		if (was->owner != is->owner || (noticed && !is->exempt))
			at = is->at;
	}
	at = n->unheld > at ? n->unheld : at;
	return world.changed > at ? world.changed : at;
}

/* Where it came to rest after the newest stop by tpucost. */
static size_t its_stop(const struct life *l)
{
	size_t i = l->n - 1;
	int uid = l->fact[i].uid;

	while (i > 0 && l->fact[i].uid == uid &&
		!(l->fact[i].state == LIFE_STOPPING && l->fact[i].ours))
		i--;
	if (!i || l->fact[i].uid != uid)
		breach(l, "tpucost never stopped it");
	while (i < l->n && l->fact[i].state != LIFE_STOPPED)
		i++;
	return i;
}

/* Since then, but for runs that nobody could know of. */
static void has_not_run(const struct life *l, size_t down)
{
	for (size_t i = down; i < l->n; i++) {
		size_t from = i;

		while (i < l->n && l->fact[i].state != LIFE_STOPPED)
			i++;
		if (i == l->n)
			breach(l, "it was not stopped");
		if (i == from)
			continue;
		if (!nobody_could_know(l, from, i - 1))
			breach(l, "it ran since tpucost stopped it");
		sum.hidden++;
	}
}

static void is_deleted(struct life *l, const struct target *t)
{
	struct note *n = &notes[l - lives.v];
	const struct life_fact *f = life_now(l);
	size_t down = its_stop(l);
	ts_t now = ew.t.clock.fake_now, since = waits_since(l, down);
	char uid[24];

	has_not_run(l, down);
	snprintf(uid, sizeof(uid), "%d%03d", 70 + l->number, f->uid);
	if (strcmp(uid, t->uid) != 0)
		breach(l, "it is another machine");
	if (n->held || f->exempt)
		breach(l, "it was protected");
	if (l->fact[down].policy != lives.policy)
		breach(l, "the rule had another text when it was stopped");
	if (ew.en.mode != ENFORCE_ARMED)
		breach(l, "a dry run");
	if (n->warned_uid != f->uid || n->warned < since)
		breach(l, "nobody was warned");
	if (now - n->warned < world.grace)
		breach(l, "its warning was too late");
	if (now - since < world.rule->later.after)
		breach(l, "it is too early");
	if (n->promised && now <= n->promised)
		sum.prompt++;
	n->promised = 0;
	sum.deletions++;
}

/* ---- what owners do ---------------------------------------------------------------------------- */

static int64_t some_time(void)
{
	switch (life_any(4)) {
	case 0:
		return life_between(1, 45);
	case 1:
		return life_between(1, 20 * MINUTE);
	case 2:
		return life_between(1, 3 * HOUR);
	default:
		return life_between(1, world.after[0] + 4 * HOUR);
	}
}

/* Once it is stopped. */
static void its_owner_reacts(struct life *l)
{
	struct note *n = &notes[l - lives.v];
	ts_t at = ew.t.clock.fake_now;

	sum.stops++;
	n->promised = 0;
	if (n->quiet) {
		n->promised = at + world.rule->later.after + 4 * HOUR;
		return;
	}
	if (l->n > LIFE_FACTS - 40)
		return;
	if (chance(60)) {
		at += some_time();
		life_plan(l, at, LIFE_START);
		sum.runs++;
		if (chance(80))
			life_plan(l, at + some_time(), LIFE_STOP);
	}
	if (chance(15))
		life_plan(l, at + some_time(), LIFE_OWNER);
	if (chance(10)) {
		at += some_time();
		life_plan(l, at, LIFE_EXEMPT);
		life_plan(l, at + some_time(), LIFE_NOT_EXEMPT);
	}
	if (chance(6))
		life_plan(l, at + some_time(), LIFE_ANEW);
}

/* Somebody else has the same idea. */
static void its_owner_may_stop(struct life *l)
{
	if (!notes[l - lives.v].quiet && chance(25) && l->n < LIFE_FACTS - 40)
		life_plan(l, ew.t.clock.fake_now + life_between(30, 1200), LIFE_STOP);
}

/* ---- what else goes on ------------------------------------------------------------------------- */

static void die(void *ctx, const char *step)
{
	(void)ctx;
	if (!world.dies_at || strcmp(step, world.dies_at) != 0)
		return;
	world.dies_at = NULL;
	world.crashed = true;
	sum.crashes++;
	for (int i = 0; i < LIVES; i++)
		its_owner_may_stop(&lives.v[i]);
	siglongjmp(world.death, 1);
}

static void hold_or_not(struct life *l)
{
	struct note *n = &notes[l - lives.v];

	if (n->quiet || !chance(n->held ? 10 : 1))
		return;
	n->held = !n->held;
	if (n->held) {
		tempdb_execf(&ew.t,
			"INSERT INTO hold VALUES ('p-lab1/%s/%s/%s', 0, %lld, '')",
			l->kind == LIFE_VM ? "vm" : "tpu", l->zone, l->name,
			(long long)INT32_MAX);
		return;
	}
	n->unheld = ew.t.clock.fake_now;
	tempdb_execf(&ew.t, "DELETE FROM hold WHERE id LIKE '%%/%s'", l->name);
}

static void edit_configuration(void)
{
	if (world.calm || !chance(1))
		return;
	world.changed = ew.t.clock.fake_now;
	if (chance(50)) {
		lives.policy = !lives.policy;
		world.rule->later.after = world.after[lives.policy];
	} else {
		ew.en.mode = ew.en.mode == ENFORCE_ARMED ? ENFORCE_DRY_RUN : ENFORCE_ARMED;
	}
}

static int64_t until_the_next(void)
{
	int64_t r = life_any(100);

	if (world.crashed && chance(40))
		return life_between(HOUR, 6 * HOUR);
	if (r < 35)
		return life_between(20, 5 * MINUTE);
	if (r < 70 || world.calm)
		return life_between(5 * MINUTE, HOUR);
	return r < 97 ? life_between(HOUR, 130 * MINUTE)
		      : life_between(2 * HOUR, 20 * HOUR);
}

static void polls(void)
{
	static const char *const zones[] = {"us-central1-a", "us-central1-b"};
	static const char *const sources[] = {"vm", "tpu"};

	for (int i = 0; i < 2; i++) {
		bool bad = !world.calm && chance(12);

		life_poll(sources[i], bad && chance(50) ? zones[life_any(2)] : NULL,
			bad && chance(50));
	}
}

static void note_warnings(void)
{
	char names[256], name[24];

	tempdb_text(&ew.t,
		"SELECT ' ' || group_concat(name, ' ') || ' ' FROM action WHERE verb = "
		"'delete' AND state = 'warning' AND mode = 'armed'",
		names, sizeof(names));
	for (int i = 0; i < LIVES; i++) {
		snprintf(name, sizeof(name), " %s ", lives.v[i].name);
		if (!strstr(names, name))
			continue;
		notes[i].warned = ew.t.clock.fake_now;
		notes[i].warned_uid = life_now(&lives.v[i])->uid;
	}
}

static void run_once(void)
{
	static const char *const steps[] = {
		"looked", "intent", "noted", "asked", "sent", "verify", "seen", "ended"};

	world.dies_at = !world.calm && chance(25) ? steps[life_any(8)] : NULL;
	ew.opts.wait_seconds = chance(50) ? 30 : 0;
	if (!sigsetjmp(world.death, 1))
		ew_run();
	world.dies_at = NULL;
}

/* Used for some seconds, about when a poll comes. */
static void short_run(ts_t at)
{
	struct life *l = &lives.v[life_any(LIVES)];

	if (notes[l - lives.v].quiet || life_now(l)->state != LIFE_STOPPED || !chance(8))
		return;
	at -= life_between(25, 90);
	life_plan(l, at, LIFE_START);
	life_plan(l, at + life_between(5, 60), LIFE_STOP);
	sum.runs++;
}

/* What a run does first. */
static void recover(void)
{
	int trouble = lives.trouble;

	if (world.crashed && chance(30))
		lives.trouble = 100;
	ew.opts.recover = true;
	run_once();
	ew.opts.recover = false;
	lives.trouble = trouble;
}

static void cycle(void)
{
	ts_t at = ew.t.clock.fake_now + until_the_next();

	short_run(at);
	ew.t.clock.fake_now = at;
	life_go_on(at);
	for (int i = 0; i < LIVES; i++)
		hold_or_not(&lives.v[i]);
	edit_configuration();
	if (world.crashed)
		recover();
	world.crashed = false;
	polls();
	ew.deliver = world.calm || chance(85);
	ew_track(0);
	if (ew.deliver)
		note_warnings();
	run_once();
}

/* ---- worlds ------------------------------------------------------------------------------------ */

static void begin(int number)
{
	static const int64_t after[] = {6 * HOUR, 12 * HOUR, DAY};

	ew_setup(NULL);
	tempdb_exec(&ew.t, "PRAGMA synchronous = OFF");
	life_begin(&ew.t, (uint64_t)number + 1);
	memset(&world, 0, sizeof(world));
	memset(notes, 0, sizeof(notes));
	world.number = number;
	world.calm = number % 4 == 0;
	world.after[0] = after[life_any(3)];
	world.after[1] = world.after[0] + HOUR;
	world.grace = life_between(1, 5) * HOUR;
	world.rule = ew_rule(
		"r", "kind IN ('vm', 'tpu') AND state = 'running'", 10 * MINUTE);
	world.rule->later = (struct rule_action){.action = "delete",
		.after = world.after[0],
		.grace = world.grace,
		.armed = true,
		.allow_delete = true};
	ew.en.allow_delete = true;
	ew.en.max_per_run = ew.en.max_per_hour = ew.en.max_per_rule_hour = 1000;
	ew.en.max_per_day = ew.en.max_deletes_per_hour = 1000;
	ew.poll = false;
	ew.hands = life_hands;
	ew.opts.step = die;
	lives.ahead = life_between(-30, 30);
	lives.max_lag = world.calm ? 0 : 60;
	lives.late_stamps = chance(50);
	lives.trouble = world.calm ? 0 : 10;
	lives.on_stop = its_owner_reacts;
	lives.on_delete = is_deleted;
	lives.on_stop_asked = its_owner_may_stop;
	world.end = EW_NOW + 2 * world.after[0] + 36 * HOUR;
	for (int i = 0; i < LIVES; i++) {
		life_add(&lives.v[i], i, (enum life_kind)(i % LIFE_KINDS));
		notes[i].quiet = chance(40);
	}
}

static void no_life_ends_wrongly(void **state)
{
	(void)state;
	/* Memory that is given back after each step is slow to get again. */
	mallopt(M_TRIM_THRESHOLD, 1 << 29);
	mallopt(M_TOP_PAD, 1 << 24);
	mallopt(M_MMAP_THRESHOLD, 1 << 25);
	for (int w = 0; w < WORLDS; w++) {
		begin(w);
		while (ew.t.clock.fake_now < world.end)
			cycle();
		for (int i = 0; i < LIVES; i++) {
			sum.kept += life_now(&lives.v[i])->state == LIFE_STOPPED;
			if (world.calm && notes[i].promised &&
				notes[i].promised < ew.t.clock.fake_now)
				breach(&lives.v[i], "it was not, and should have been");
		}
		ew_expect_audit();
		tempdb_close(&ew.t);
	}
	printf("%d histories: %d stops, %d runs after them, %d deletions (%d prompt, %d of "
	       "hidden runs), %d still stopped, %d crashes\n",
		WORLDS * LIVES, sum.stops, sum.runs, sum.deletions, sum.prompt, sum.hidden,
		sum.kept, sum.crashes);
	/* else it would prove nothing */
	assert_true(sum.stops > 300 && sum.runs > 150 && sum.deletions > 100);
	assert_true(sum.prompt > 50 && sum.crashes > 30);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(no_life_ends_wrongly)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
