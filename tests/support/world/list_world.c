#include "tests/support/world/list_world.h"

#include "base/time/tz.h"
#include "tests/support/assert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MAX_ANSWERS 4

const struct list lists[LISTS] = {
	[MACHINES] = {.source = "vm",
		.match = "GET /compute/v1/projects/my-project/aggregated/instances",
		.good = VMS(KEPT_VM),
		.head = "{'items':{'zones/" ZONE "':{'instances':[" KEPT_VM ",",
		.tail = "]}}}",
		.depth = 5},
	[TPUS] = {.source = "tpu",
		.match = "GET /v2/projects/my-project/locations/-/nodes",
		.good = NODES(KEPT_NODE),
		.head = "{'nodes':[" KEPT_NODE ",",
		.tail = "]}",
		.depth = 3},
};

struct list_world lw = {.project = "my-project"};

int list_setup(void **state)
{
	/* Wherever this runs, times are what they say. */
	setenv("TZ", "America/New_York", 1);
	return 0;
}

void list_expect(const char *sql, const char *want)
{
	char got[2048];

	tempdb_text(&lw.t, sql, got, sizeof(got));
	if (strcmp(got, want) != 0)
		fail_msg("%s\n%s\n  gave %s\n  want %s", lw.row, sql, got, want);
}

char *list_json(const char *text)
{
	char *out = arena_strdup(&lw.texts, text);

	for (char *p = out; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	return out;
}

void list_begin(const struct list *l, const char *const *bodies, size_t n)
{
	struct fault_step steps[MAX_ANSWERS] = {{0}};

	for (size_t i = 0; i < n; i++)
		steps[i] = (struct fault_step){.match = l->match,
			.times = i + 1 < n ? 1 : 0,
			.body = list_json(bodies[i])};
	world_open(&lw.w, steps, n);
	tempdb_open(&lw.t, WORLD_NOW);
	/* There are hundreds of cases, and none of them outlives a loss of power. */
	tempdb_exec(&lw.t,
		"PRAGMA synchronous = OFF; INSERT INTO as_of (now, timezone, currency) "
		"VALUES (1795237200, 'UTC', 'USD')");
}

void list_finish(void)
{
	tempdb_close(&lw.t);
	world_close(&lw.w);
	arena_done(&lw.texts);
}

struct list_outcome list_poll_of(const struct list *l, ts_t now, struct db *db)
{
	const char *const projects[] = {lw.project, lw.other};
	struct collect_settings settings = {
		.projects = projects, .n_projects = lw.other ? 2 : 1, .tz = lw.t.tz};
	struct collector c = {.settings = &settings,
		.gcp = lw.w.g,
		.db = db,
		.clock = &lw.w.clock,
		.only = &l->source,
		.n_only = 1};
	size_t before = fault_count_of(lw.w.s, l->match);
	struct list_outcome o = {.of = l};

	lw.w.clock.fake_now = now;
	o.code = collect(&c, &o.r, &lw.w.e);
	o.requests = fault_count_of(lw.w.s, l->match) - before;
	return o;
}

struct list_outcome list_poll(const struct list *l, ts_t now)
{
	struct list_outcome o = list_poll_of(l, now, lw.t.db);

	assert_ok(o.code, lw.w.e);
	return o;
}

/* What is known of the one machine there was at first. */
static void expect_kept(const char *want)
{
	list_expect(
		"SELECT COUNT(*) || ' ' || name || ' ' || uid || ' ' || state || ' ' || "
		"owner || ' seen ' || (last_seen - 1795237200) || ' complete ' || complete "
		"FROM resource",
		want);
	list_expect("SELECT COUNT(*) || ' ' || (MAX(ends) IS NULL) FROM resource_interval",
		"1 1");
}

void list_good(const struct list *l)
{
	struct list_outcome o = list_poll(l, WORLD_NOW);

	if (o.r.ok != 1 || o.requests != 1)
		fail_msg("%s: the good poll before is not", lw.row);
	expect_kept("1 kept 11 running ada seen 0 complete 1");
}

void list_refused_and_healed(const struct list *l, struct list_outcome o, const char *why)
{
	char got[512];

	if (o.r.failed != 1 || o.requests != 1)
		fail_msg("%s: %s: %zu failed, %zu requests", lw.row, l->source, o.r.failed,
			o.requests);
	list_expect(
		"SELECT state || ' ' || failures || ' ' || items || ' ' || (last_attempt - "
		"last_success) FROM source_status",
		"failed 1 1 60");
	tempdb_text(&lw.t, "SELECT error FROM source_status", got, sizeof(got));
	if (!strstr(got, why))
		fail_msg("%s: %s: \"%s\" does not say \"%s\"", lw.row, l->source, got, why);
	expect_kept("1 kept 11 running ada seen 0 complete 0");
	o = list_poll(l, WORLD_NOW + 120);
	if (o.r.ok != 1 || o.requests != 1)
		fail_msg("%s: %s: the good poll after it is not", lw.row, l->source);
	list_expect(
		"SELECT state || ' ' || failures || ' ' || COALESCE(error, '-') || ' ' || "
		"(last_success - 1795237200) FROM source_status",
		"ok 0 - 120");
	expect_kept("1 kept 11 running ada seen 120 complete 1");
}

void list_expect_refused(enum which_list k, const char *body, const char *why)
{
	const struct list *l = &lists[k];

	list_begin(l, (const char *const[]){l->good, body, l->good}, 3);
	list_good(l);
	list_refused_and_healed(l, list_poll(l, WORLD_NOW + 60), why);
	list_finish();
}

const char *list_page(const struct list *l, const struct list_item *it)
{
	return arena_printf(&lw.texts,
		"%s{'id':%s,'name':'%s%s','state':'READY','status':'RUNNING'%s}%s", l->head,
		it->id, l == &lists[TPUS] ? PATH : "", it->leaf, it->more, l->tail);
}
