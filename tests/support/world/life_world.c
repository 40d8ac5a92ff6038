#include "tests/support/world/life_world.h"

#include "base/str.h"
#include "collector/collect.h"
#include "collector/inventory.h"
#include "gcp/compute/compute.h"
#include "gcp/tpu.h"
#include "tests/support/assert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define PROJECT "p-lab1"

struct life_world lives;

/* xorshift64* */
int64_t life_any(int64_t below)
{
	lives.seed ^= lives.seed >> 12;
	lives.seed ^= lives.seed << 25;
	lives.seed ^= lives.seed >> 27;
	return (int64_t)((lives.seed * UINT64_C(2685821657736338717)) >> 33) % below;
}

int64_t life_between(int64_t least, int64_t most)
{
	return least + life_any(most - least + 1);
}

/* ---- what happens ------------------------------------------------------------------------------ */

static ts_t here(void)
{
	return lives.t->clock.fake_now;
}

/* The same as before, but for what the caller sets. */
static struct life_fact *next_fact(struct life *l, ts_t at)
{
	struct life_fact *f = &l->fact[l->n];

	assert_true(l->n < LIFE_FACTS);
	*f = l->n ? l->fact[l->n - 1] : (struct life_fact){0};
	l->n++;
	f->at = at;
	return f;
}

void life_begin(struct tempdb *t, uint64_t seed)
{
	memset(&lives, 0, sizeof(lives));
	lives.t = t;
	lives.seed = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

void life_add(struct life *l, int number, enum life_kind kind)
{
	struct life_fact *f;

	l->kind = kind;
	l->number = number;
	l->zone = number % 2 ? "us-central1-a" : "us-central1-b";
	snprintf(l->name, sizeof(l->name), "m%d", number);
	f = next_fact(l, here() - 7200);
	f->state = LIFE_RUNNING;
	f->created = f->started = f->at;
}

void life_plan(struct life *l, ts_t at, enum life_what what)
{
	size_t i = l->n_deeds;

	assert_true(i < LIFE_DEEDS);
	for (; i > 0 && l->deed[i - 1].at > at; i--)
		l->deed[i] = l->deed[i - 1];
	l->deed[i] = (struct life_deed){at, what};
	l->n_deeds++;
}

static void go_down(struct life *l, ts_t at, bool ours)
{
	struct life_fact *f = next_fact(l, at);

	f->state = LIFE_STOPPING;
	f->ours = ours;
	if (ours)
		f->policy = lives.policy;
	if (!lives.late_stamps)
		f->stopped = at + lives.ahead;
	life_plan(l, at + life_between(3, 40), LIFE_DOWN);
}

static void go_up(struct life *l, ts_t at, bool anew)
{
	struct life_fact *f = next_fact(l, at);

	f->state = LIFE_STARTING;
	if (anew) {
		f->uid++;
		f->created = at + lives.ahead;
		f->stopped = 0;
		f->exempt = false;
	}
	if (anew || !lives.late_stamps)
		f->started = at + lives.ahead;
	life_plan(l, at + life_between(3, 20), LIFE_UP);
}

static void followed(struct life *l, ts_t at, enum life_what what)
{
	struct life_fact *f;

	if (what == LIFE_BORN) {
		go_up(l, at, true);
		return;
	}
	f = next_fact(l, at);
	f->state = what == LIFE_UP ? LIFE_RUNNING : LIFE_STOPPED;
	if (lives.late_stamps && what == LIFE_UP)
		f->started = at + lives.ahead;
	if (lives.late_stamps && what == LIFE_DOWN)
		f->stopped = at + lives.ahead;
	if (what == LIFE_DOWN && f->ours && lives.on_stop)
		lives.on_stop(l);
}

static void happen(struct life *l, struct life_deed d)
{
	enum life_state s = life_now(l)->state;

	if (d.what >= LIFE_BORN) {
		followed(l, d.at, d.what);
	} else if (d.what == LIFE_ASKED_TO_STOP) {
		l->pending--;
		if (s == LIFE_RUNNING)
			go_down(l, d.at, true);
	} else if (s == LIFE_STARTING || s == LIFE_STOPPING) {
		/* Google does one thing after the other. */
		life_plan(l, d.at + 7, d.what);
	} else if (d.what == LIFE_START && s == LIFE_STOPPED) {
		go_up(l, d.at, false);
	} else if (d.what == LIFE_STOP && s == LIFE_RUNNING) {
		/* in the same seconds as tpucost: nobody can say whose it is */
		go_down(l, d.at, l->pending > 0);
	} else if (d.what == LIFE_ANEW && s != LIFE_GONE) {
		next_fact(l, d.at)->state = LIFE_GONE;
		life_plan(l, d.at + life_between(5, 7200), LIFE_BORN);
	} else if (d.what == LIFE_OWNER && s != LIFE_GONE) {
		next_fact(l, d.at)->owner++;
	} else if ((d.what == LIFE_EXEMPT || d.what == LIFE_NOT_EXEMPT) && s != LIFE_GONE) {
		next_fact(l, d.at)->exempt = d.what == LIFE_EXEMPT;
	}
}

void life_go_on(ts_t until)
{
	for (int i = 0; i < LIVES; i++) {
		struct life *l = &lives.v[i];

		while (l->n_deeds && l->deed[0].at <= until) {
			struct life_deed d = l->deed[0];

			memmove(l->deed, l->deed + 1, --l->n_deeds * sizeof(*l->deed));
			happen(l, d);
		}
	}
}

/* ---- what Google tells ------------------------------------------------------------------------- */

static const char *google_word(const struct life *l, const struct life_fact *f)
{
	static const char *const vm[] = {
		"", "STAGING", "RUNNING", "STOPPING", "TERMINATED"};
	static const char *const node[] = {"", "STARTING", "READY", "STOPPING", "STOPPED"};

	return l->kind == LIFE_NODE ? node[f->state] : vm[f->state];
}

static const char *type_of(const struct life *l)
{
	static const char *const types[] = {"n1-highmem-96", "ct5lp-hightpu-1t", "v3-8"};

	return types[l->kind];
}

static const char *labels_of(const struct life_fact *f, struct arena *a)
{
	return arena_printf(a, "{\"owner\":\"ada-%d\"%s}", f->owner,
		f->exempt ? ",\"tpucost-keep\":\"forever\"" : "");
}

static const char *uid_of(const struct life *l, const struct life_fact *f, struct arena *a)
{
	return arena_printf(a, "%d%03d", 70 + l->number, f->uid);
}

static const char *life_source_of(const struct life *l)
{
	return l->kind == LIFE_NODE ? "tpu" : "vm";
}

/* Lists may be older than what is true. */
static size_t listed(const struct life *l)
{
	ts_t at = here() - life_any(lives.max_lag + 1);
	size_t i = l->n - 1;

	while (i > 0 && l->fact[i].at > at)
		i--;
	return i;
}

static void list_one(struct poll *p, struct inventory *inv, struct life *l)
{
	size_t at = listed(l);
	const struct life_fact *f = &l->fact[at];
	struct gce_instance vm = {.id = uid_of(l, f, p->arena),
		.name = l->name,
		.zone = l->zone,
		.machine_type = type_of(l),
		.status = google_word(l, f),
		.created = f->created,
		.last_start = f->started,
		.last_stop = f->stopped ? f->stopped : TS_NONE,
		.last_suspended = TS_NONE,
		.class = "on-demand",
		.ends = TS_NONE,
		.labels = labels_of(f, p->arena),
		.reservation = "",
		.created_by = ""};
	struct tpu_node node = {.id = vm.id,
		.name = vm.name,
		.location = vm.zone,
		.accelerator_type = vm.machine_type,
		.topology = "",
		.state = vm.status,
		.created = vm.created,
		.class = "on-demand",
		.ends = TS_NONE,
		.n_endpoints = 1,
		.queued_resource = "",
		.labels = vm.labels};

	if (f->state != LIFE_GONE && l->kind == LIFE_NODE)
		source_tpu.add(p, inv, &node);
	else if (f->state != LIFE_GONE)
		source_vm.add(p, inv, &vm);
	assert_true(l->n_seen < LIFE_POLLS);
	l->seen[l->n_seen++] = (struct life_seen){here(), at};
}

static enum err_code list_rows(struct poll *p, struct inventory *inv, struct err *e)
{
	(void)e;
	for (int i = 0; i < LIVES; i++)
		if (!strcmp(life_source_of(&lives.v[i]), p->source->name) &&
			!inventory_has_gap(p, lives.v[i].zone))
			list_one(p, inv, &lives.v[i]);
	return E_OK;
}

static enum err_code list_ask(struct poll *p, struct err *e)
{
	(void)p;
	(void)e;
	return E_OK;
}

void life_poll(const char *source, const char *gap, bool fails)
{
	cleanup(arena_done) struct arena a = {0};
	const struct source s = {.name = source, .group = "instances", .ask = list_ask};
	struct poll p = {.source = &s,
		.project = PROJECT,
		.db = lives.t->db,
		.clock = &lives.t->clock,
		.arena = &a,
		.now = here(),
		.gaps = &gap,
		.n_gaps = gap != NULL};
	struct err e = {0}, why = {0};

	if (fails)
		err_set(&why, E_NET, "no answer");
	else
		assert_ok(inventory_store(&p, list_rows, &e), e);
	assert_ok(status_put(&p, fails ? &why : NULL, &e), e);
}

/* ---- what tpucost asks ------------------------------------------------------------------------- */

static bool trouble(void)
{
	return life_any(100) < lives.trouble;
}

static struct life *life_of(const struct target *t)
{
	int i = 0;

	while (i < LIVES && strcmp(lives.v[i].name, t->name) != 0)
		i++;
	assert_true(i < LIVES);
	return &lives.v[i];
}

static enum err_code hand_project(
	void *ctx, const char *project, struct arena *a, const char **number, struct err *e)
{
	(void)ctx;
	(void)project;
	(void)a;
	(void)e;
	*number = "";
	return E_OK;
}

static enum err_code hand_look(void *ctx, const struct target *t, enum verb verb,
	struct arena *a, struct live *out, struct err *e)
{
	static const char *const words[] = {
		"", "starting", "running", "stopping", "stopped"};
	struct life *l = life_of(t);
	const struct life_fact *f;

	(void)ctx;
	life_go_on(here());
	f = life_now(l);
	if (trouble())
		return err_set(e, E_NET, "look: no answer");
	*out = (struct live){.found = f->state != LIFE_GONE, .uid = ""};
	if (!out->found)
		return E_OK;
	*out = (struct live){.found = true,
		.uid = uid_of(l, f, a),
		.raw_state = google_word(l, f),
		.state = words[f->state],
		.type = type_of(l),
		.created = f->created,
		.started = l->kind == LIFE_NODE ? TS_NONE : f->started,
		.labels = labels_of(f, a),
		.hosts = 1,
		.queued = "",
		.record = "{}",
		.restart = verb == VERB_STOP ? "start" : "create"};
	return E_OK;
}

/* A deletion is at once: nobody can do anything between the live check and it. */
static void deleted(struct life *l, const struct target *t)
{
	if (life_now(l)->state == LIFE_GONE)
		return;
	lives.on_delete(l, t);
	next_fact(l, here())->state = LIFE_GONE;
	/* what was under way ends with it; its owner makes another one some day */
	l->n_deeds = 0;
	l->pending = 0;
	life_plan(l, here() + life_between(3600, 86400), LIFE_BORN);
}

static enum err_code hand_act(void *ctx, const struct target *t, enum verb verb,
	const char *request_id, struct arena *a, const char **operation, struct err *e)
{
	struct life *l = life_of(t);
	int how = trouble() ? (int)life_any(4) : 4;

	(void)ctx;
	(void)request_id;
	lives.asked++;
	life_go_on(here());
	if (how == 0)
		return err_set(e, E_NET, "it was not sent");
	if (lives.on_stop_asked && verb == VERB_STOP)
		lives.on_stop_asked(l);
	if (how == 1)
		return err_set(e, E_UNCERTAIN, "it was lost on its way");
	if (verb == VERB_DELETE) {
		deleted(l, t);
	} else {
		l->pending++;
		life_plan(l, here() + life_any(25), LIFE_ASKED_TO_STOP);
	}
	if (how == 2)
		return err_set(e, E_UNCERTAIN, "the answer was lost");
	*operation = arena_strdup(a, "operation-1");
	return E_OK;
}

static enum err_code hand_operation(void *ctx, const struct target *t,
	const char *operation, struct arena *a, struct op_state *out, struct err *e)
{
	struct life *l = life_of(t);

	(void)ctx;
	(void)operation;
	(void)a;
	life_go_on(here());
	if (trouble())
		return err_set(e, E_DENIED, "operations cannot be read");
	*out = (struct op_state){
		.outcome = l->pending || life_now(l)->state == LIFE_STOPPING ? OP_RUNNING
									     : OP_DONE};
	return E_OK;
}

static enum err_code hand_skew(void *ctx, int64_t *seconds)
{
	(void)ctx;
	*seconds = -lives.ahead;
	return E_OK;
}

const struct hands life_hands = {.project = hand_project,
	.look = hand_look,
	.act = hand_act,
	.operation = hand_operation,
	.clock_skew = hand_skew};
