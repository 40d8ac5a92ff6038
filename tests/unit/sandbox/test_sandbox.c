/* The parts of the fake Google Cloud that know nothing of HTTP: worlds and patches, operations,
 * faults, and the answers to tpucost's two queries. Figures are calculated by hand. */
#include "base/time/civil.h"
#include "base/str.h"
#include "tests/sandbox/actions.h"
#include "tests/sandbox/api/export.h"
#include "tests/sandbox/sandbox.h"

#include "tests/support/assert.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define NOW INT64_C(1795251600) /* 2026-11-21T09:00:00Z */

static const char base_world[] =
	"name: t\n"
	"projects: [{id: p-one, number: \"101\"}, {id: p-two, number: \"102\"}]\n"
	"zones: [us-central1-a, us-central1-b, europe-west4-a]\n"
	"instances:\n"
	"  - {zone: us-central1-a, name: big, type: n1-highmem-96, created: -26h}\n"
	"  - {zone: us-central1-b, name: big, type: n1-standard-1, status: TERMINATED}\n"
	"  - {project: p-two, zone: us-central1-a, name: big, type: e2-micro}\n"
	"disks:\n"
	"  - {zone: us-central1-a, name: big, type: pd-ssd, size_gb: 9, users: [big]}\n"
	"  - {zone: us-central1-a, name: data, type: pd-ssd, size_gb: 9, users: [big, x]}\n"
	"  - {project: p-two, zone: us-central1-a, name: big, type: pd-ssd, users: [big]}\n"
	"addresses:\n"
	"  - {region: us-central1, name: ip, users: [big]}\n"
	"nodes:\n"
	"  - {zone: us-central1-a, name: one, type: v3-8, queued: wish}\n"
	"  - {zone: us-central1-a, name: two, type: v2-8, spot: true}\n"
	"queued:\n"
	"  - {zone: us-central1-a, name: wish, type: v3-8, node: one}\n";

/* The answer of the routes, for faults that spoil a right one. */
static const char *routed = "{\"a\":1}";

void route(const struct request *q, struct response *r)
{
	(void)q;
	sbuf_adds(&r->body, routed);
}

static struct world make_world(const char *text)
{
	struct err e = {0};
	struct world w;

	assert_ok(world_read(text, strlen(text), "w.yaml", NOW, &w, &e), e);
	return w;
}

static struct world make_world_with(const char *more)
{
	struct sbuf b = SBUF_INIT;
	struct world w;

	sbuf_adds(&b, base_world);
	sbuf_adds(&b, more);
	w = make_world(b.s);
	sbuf_done(&b);
	return w;
}

/* ---- worlds ------------------------------------------------------------------------------------ */

static void a_world_has_times_relative_to_now(void **state)
{
	struct world w = make_world(base_world);

	assert_ts_eq(w.instances[0].created, NOW - 26 * 3600);
	assert_ts_eq(w.instances[0].started, w.instances[0].created);
	assert_ts_eq(w.instances[1].created, NOW - 3600);
	world_free(&w);
}

static void what_a_world_leaves_out_is_filled_in(void **state)
{
	struct world w = make_world(base_world);

	assert_string_equal(w.instances[0].project, "p-one");
	assert_string_equal(w.instances[0].status, "RUNNING");
	assert_string_equal(w.addresses[0].status, "IN_USE");
	assert_string_equal(w.nodes[0].state, "READY");
	assert_i64_eq(w.nodes[0].hosts, 1);
	assert_string_equal(w.queued[0].state, "ACTIVE");
	assert_i64_eq(w.op_script.looks, 2);
	world_free(&w);
}

static void ids_are_beyond_a_double_and_tell_places_apart(void **state)
{
	struct world w = make_world(base_world), again = make_world(base_world);
	int64_t id;

	assert_true(str_to_i64(w.instances[0].id, 0, INT64_MAX, &id));
	assert_true(id > INT64_C(1) << 53);
	assert_string_not_equal(w.instances[0].id, w.instances[1].id);
	assert_string_equal(w.instances[0].id, again.instances[0].id);
	world_free(&w);
	world_free(&again);
}

static void a_bad_world_is_refused_with_its_line(void **state)
{
	static const struct {
		const char *text, *want;
	} bad[] = {
		{"", "empty"},
		{"name: x\nprojects: []\nzones: [a]\n", "needs a project"},
		{"name: x\nzones: [a]\n", "projects"},
		{"name: x\nprojects: [{id: p}]\nzones: [a]\n", "w.yaml:2:"},
		{"name: x\nprojects: [{id: p, number: \"1\"}]\nzones: [a]\nnods: []\n",
			"w.yaml:4:1: world: unknown key 'nods'"},
		{"name: x\nprojects: [{id: p, number: \"1\"}]\nzones: [a]\n"
		 "nodes:\n  - {zone: a, name: n}\n",
			"w.yaml:5:"},
		{"name: x\nprojects: [{id: p, number: \"1\"}]\nzones: [a]\n"
		 "nodes:\n  - {zone: a, name: n, type: v2-8, created: soon}\n",
			"w.yaml:5:"},
		{"name: x\nprojects: [{id: p, number: \"1\"}]\nzones: [a]\n"
		 "faults: [{match: GET /, how: strangely}]\n",
			"w.yaml:4:10: a fault's how is"},
		{"name: x\nprojects: [{id: p, number: \"1\"}]\nzones: [a]\n"
		 "faults: [{how: empty}]\n",
			"match or regex"},
		{"name: x\nprojects: [{id: p, number: \"1\"}]\nzones: [a]\n"
		 "faults: [{regex: \"(\", how: empty}]\n",
			"not a regular expression"},
		{"name: x\nprojects: [{id: p, number: \"1\"}]\nzones: [a]\n"
		 "faults: [{match: GET, status: 99}]\n",
			"200 to 599"},
		{"name: x\nprojects: [{id: p, number: \"1\"}]\nzones: [a]\n"
		 "operations: {look: 1}\n",
			"did you mean 'looks'"},
		{"name: x\nprojects: [{id: p-one, number: \"1\"}]\nzones: [z]\n"
		 "nodes: [{zone: z, name: n, type: v3-8, provisioning: flexstart}]\n",
			"w.yaml:4:54: "},
	};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct sbuf said = SBUF_INIT;
		struct err e = {0};
		struct world w;

		assert_int_equal(
			world_read(bad[i].text, strlen(bad[i].text), "w.yaml", NOW, &w, &e),
			E_CONFIG);
		sbuf_addf(&said, "%s; %s", e.msg, e.fix);
		assert_contains(said.s, bad[i].want);
		sbuf_done(&said);
		world_free(&w);
	}
}

/* ---- operations -------------------------------------------------------------------------------- */

#define A "us-central1-a"

static struct operation *begin_at(struct world *w, enum target target, const char *verb,
	const char *name, const char *request_id, ts_t now, enum begun want)
{
	struct operation *op = NULL;

	assert_int_equal(operation_begin(w, verb_find(target, verb), "p-one", A, name,
				 request_id, now, &op),
		want);
	return op;
}

static struct operation *begin(
	struct world *w, enum target target, const char *verb, const char *name)
{
	return begin_at(w, target, verb, name, NULL, NOW, BEGUN);
}

static void a_machine_is_stopping_until_its_operation_is_done(void **state)
{
	struct world w = make_world(base_world);
	struct instance *x = &w.instances[0];
	struct operation *op = begin(&w, ON_INSTANCE, "stop", "big");

	assert_string_equal(x->status, "STOPPING");
	operation_look(&w, op, NOW + 1);
	assert_false(op->done);
	assert_string_equal(x->status, "STOPPING");
	operation_look(&w, op, NOW + 2);
	assert_true(op->done);
	assert_null(op->error);
	assert_string_equal(x->status, "TERMINATED");
	assert_ts_eq(x->stopped, NOW + 2);
	assert_ts_eq(op->ended, NOW + 2);
	/* nothing else of that name was touched */
	assert_string_equal(w.instances[1].status, "TERMINATED");
	assert_string_equal(w.instances[2].status, "RUNNING");
	world_free(&w);
}

static void a_machine_that_starts_again_has_a_new_start(void **state)
{
	struct world w = make_world(base_world);
	struct instance *x = &w.instances[0];

	operation_finish(&w, begin(&w, ON_INSTANCE, "stop", "big"), NOW);
	operation_finish(&w, begin(&w, ON_INSTANCE, "start", "big"), NOW + 50);
	assert_string_equal(x->status, "RUNNING");
	assert_ts_eq(x->started, NOW + 50);
	assert_ts_eq(x->created, NOW - 26 * 3600);
	world_free(&w);
}

static void an_operation_is_done_after_a_minute_unseen(void **state)
{
	struct world w = make_world(base_world);
	struct operation *op = begin(&w, ON_INSTANCE, "stop", "big");

	operations_settle(&w, NOW + 59);
	assert_false(op->done);
	operations_settle(&w, NOW + 60);
	assert_true(op->done);
	assert_string_equal(w.instances[0].status, "TERMINATED");
	world_free(&w);
}

static void the_same_request_id_is_the_same_operation(void **state)
{
	struct world w = make_world(base_world);
	struct operation *op = begin_at(&w, ON_INSTANCE, "stop", "big", "id-1", NOW, BEGUN);

	assert_ptr_equal(
		begin_at(&w, ON_INSTANCE, "stop", "big", "id-1", NOW + 5, BEGUN), op);
	operation_finish(&w, op, NOW + 6);
	/* even when the machine runs again meanwhile: a late repeat must not stop it */
	operation_finish(&w, begin(&w, ON_INSTANCE, "start", "big"), NOW + 7);
	assert_ptr_equal(
		begin_at(&w, ON_INSTANCE, "stop", "big", "id-1", NOW + 8, BEGUN), op);
	assert_string_equal(w.instances[0].status, "RUNNING");
	assert_ptr_not_equal(
		begin_at(&w, ON_INSTANCE, "stop", "big", "id-2", NOW + 9, BEGUN), op);
	assert_string_equal(w.instances[0].status, "STOPPING");
	world_free(&w);
}

static void what_cannot_begin_does_not(void **state)
{
	struct world w = make_world(base_world);

	begin_at(&w, ON_INSTANCE, "stop", "none", NULL, NOW, NO_TARGET);
	begin_at(&w, ON_NODE, "stop", "big", NULL, NOW, NO_TARGET);
	begin_at(&w, ON_INSTANCE, "resume", "big", NULL, NOW, BEGUN); /* runs already */
	assert_string_equal(w.instances[0].status, "RUNNING");
	w.instances[0].status = "TERMINATED";
	begin_at(&w, ON_INSTANCE, "suspend", "big", NULL, NOW, NOT_FROM_HERE);
	w.instances[0].status = "RUNNING";
	begin(&w, ON_INSTANCE, "stop", "big");
	begin_at(&w, ON_INSTANCE, "delete", "big", NULL, NOW, BUSY);
	begin(&w, ON_INSTANCE, "stop", "big"); /* once more is fine */
	begin(&w, ON_INSTANCE, "setLabels", "big");
	assert_null(verb_find(ON_NODE, "suspend"));
	world_free(&w);
}

static void stopping_what_is_stopped_changes_nothing(void **state)
{
	struct world w = make_world(base_world);
	struct operation *op;

	w.instances[0].status = "TERMINATED";
	op = begin(&w, ON_INSTANCE, "stop", "big");
	assert_string_equal(w.instances[0].status, "TERMINATED");
	operation_finish(&w, op, NOW);
	assert_true(op->done);
	assert_i64_eq(w.instances[0].stopped, 0);
	world_free(&w);
}

static void an_operation_fails_as_the_world_wants_it(void **state)
{
	struct world w = make_world_with("operations: {error: OUT_OF_LUCK, looks: 1}\n");
	struct operation *op = begin(&w, ON_INSTANCE, "stop", "big");

	operation_look(&w, op, NOW);
	assert_true(op->done);
	assert_string_equal(op->error, "OUT_OF_LUCK");
	assert_string_equal(w.instances[0].status, "RUNNING");
	world_free(&w);
}

static void an_operation_may_say_done_and_change_nothing(void **state)
{
	struct world w = make_world_with("operations: {no_effect: true}\n");
	struct operation *op = begin(&w, ON_NODE, "stop", "one");

	operation_finish(&w, op, NOW);
	assert_true(op->done);
	assert_null(op->error);
	assert_string_equal(w.nodes[0].state, "READY");
	world_free(&w);
}

static void an_operation_may_never_end(void **state)
{
	struct world w = make_world_with("operations: {stuck: true}\n");
	struct operation *op = begin(&w, ON_INSTANCE, "stop", "big");

	for (int i = 0; i < 10; i++)
		operation_look(&w, op, NOW + i);
	operations_settle(&w, NOW + 86400);
	assert_false(op->done);
	assert_string_equal(w.instances[0].status, "STOPPING");
	world_free(&w);
}

static void another_machine_of_the_name_is_left_alone(void **state)
{
	struct world w = make_world(base_world);
	struct operation *op = begin(&w, ON_INSTANCE, "stop", "big");

	w.instances[0].id = "4611686018427387999";
	operation_finish(&w, op, NOW);
	assert_string_equal(w.instances[0].status, "STOPPING");
	world_free(&w);
}

static void a_deleted_machine_takes_its_boot_disk_and_frees_the_rest(void **state)
{
	struct world w = make_world(base_world);
	struct operation *op = begin(&w, ON_INSTANCE, "delete", "big");

	assert_i64_eq(w.n_instances, 3);
	operation_finish(&w, op, NOW);
	assert_i64_eq(w.n_instances, 2);
	assert_null(world_instance(&w, "p-one", A, "big"));
	assert_non_null(world_instance(&w, "p-two", A, "big"));
	assert_i64_eq(w.n_disks, 2);
	assert_string_equal(w.disks[0].name, "data");
	assert_i64_eq(w.disks[0].users.n, 1);
	assert_string_equal(w.disks[0].users.v[0], "x");
	assert_string_equal(w.disks[1].project, "p-two");
	assert_i64_eq(w.disks[1].users.n, 1);
	assert_i64_eq(w.addresses[0].users.n, 0);
	assert_string_equal(w.addresses[0].status, "RESERVED");
	world_free(&w);
}

static void a_node_that_is_deleted_suspends_what_made_it(void **state)
{
	struct world w = make_world(base_world);

	operation_finish(&w, begin(&w, ON_NODE, "delete", "one"), NOW);
	assert_i64_eq(w.n_nodes, 1);
	assert_string_equal(w.nodes[0].name, "two");
	assert_string_equal(w.queued[0].state, "SUSPENDED");
	world_free(&w);
}

static void a_queued_resource_takes_its_nodes_along(void **state)
{
	struct world w = make_world(base_world);

	operation_finish(&w, begin(&w, ON_QUEUED, "delete", "wish"), NOW);
	assert_i64_eq(w.n_queued, 0);
	assert_i64_eq(w.n_nodes, 1);
	assert_string_equal(w.nodes[0].name, "two");
	world_free(&w);
}

static void what_has_an_end_ends_by_itself(void **state)
{
	struct world w = make_world(base_world);
	struct instance *big = world_instance(&w, "p-one", A, "big");
	size_t machines = w.n_instances, disks = w.n_disks;

	big->run_limit = 3600;
	big->started = NOW;
	ends_settle(&w, NOW + 3599);
	assert_string_equal(big->status, "RUNNING");
	ends_settle(&w, NOW + 3600);
	assert_string_equal(big->status, "TERMINATED");
	assert_ts_eq(big->stopped, NOW + 3600);
	assert_i64_eq(w.n_disks, disks);
	big->status = "RUNNING";
	big->provisioning = "flex-start";
	big->ends = NOW;
	ends_settle(&w, NOW);
	assert_i64_eq(w.n_instances, machines - 1);
	assert_i64_eq(w.n_disks, disks - 1);
	/* its queued resource says when */
	w.queued[0].run_limit = 7200;
	assert_ts_eq(end_of_node(&w, &w.nodes[0]), NOW + 3600);
	assert_ts_eq(end_of_node(&w, &w.nodes[1]), 0);
	ends_settle(&w, NOW + 3600);
	assert_i64_eq(w.n_nodes, 1);
	assert_string_equal(w.queued[0].state, "SUSPENDED");
	world_free(&w);
}

static void things_are_found_by_project_number_and_id(void **state)
{
	struct world w = make_world(base_world);
	struct operation *op = begin(&w, ON_INSTANCE, "stop", w.instances[0].id);

	assert_ptr_equal(world_instance(&w, "101", A, w.instances[0].id), &w.instances[0]);
	assert_ptr_equal(operation_find(&w, "101", A, op->name), op);
	assert_ptr_equal(operation_find(&w, "p-one", A, op->id), op);
	assert_null(operation_find(&w, "p-two", A, op->name));
	assert_null(operation_find(&w, "p-one", "us-central1-b", op->name));
	assert_null(world_instance(&w, "nobody", A, "big"));
	world_free(&w);
}

/* ---- patches ----------------------------------------------------------------------------------- */

static void patch(struct world *w, const char *text, enum err_code want, const char *part)
{
	struct err e = {0};

	if (want)
		assert_err(world_patch(text, strlen(text), NOW, w, &e), e, want, part);
	else
		assert_ok(world_patch(text, strlen(text), NOW, w, &e), e);
}

static void a_patch_sets_what_it_names_and_keeps_the_rest(void **state)
{
	struct world w = make_world(base_world);

	patch(&w, "nodes: [{name: two, state: PREEMPTED}]", E_OK, "");
	assert_i64_eq(w.n_nodes, 2);
	assert_string_equal(w.nodes[1].state, "PREEMPTED");
	assert_string_equal(w.nodes[1].type, "v2-8");
	assert_true(w.nodes[1].spot);
	patch(&w,
		"instances: [{name: big, project: p-one, zone: us-central1-b,"
		" status: RUNNING}]",
		E_OK, "");
	assert_string_equal(w.instances[1].status, "RUNNING");
	assert_string_equal(w.instances[1].type, "n1-standard-1");
	world_free(&w);
}

static void a_patch_adds_what_is_not_there(void **state)
{
	struct world w = make_world(base_world);

	patch(&w, "disks: [{zone: us-central1-b, name: new, type: pd-ssd, size_gb: 1}]",
		E_OK, "");
	assert_i64_eq(w.n_disks, 4);
	assert_string_equal(w.disks[3].project, "p-one");
	assert_non_null(w.disks[3].id);
	patch(&w, "disks: [{zone: us-central1-b, name: newer}]", E_CONFIG, "type");
	assert_i64_eq(w.n_disks, 4);
	world_free(&w);
}

static void a_patch_removes(void **state)
{
	struct world w = make_world(base_world);

	patch(&w, "remove: {disks: [{name: data}], addresses: [{name: ip}]}", E_OK, "");
	assert_i64_eq(w.n_disks, 2);
	assert_i64_eq(w.n_addresses, 0);
	patch(&w, "remove: {disks: [{name: data}]}", E_CONFIG, "0 have this name");
	patch(&w, "remove: {projects: [{name: x}]}", E_CONFIG, "unknown list");
	/* where something is does not name it, even if it is alone there */
	patch(&w, "remove: {queued: [{zone: us-central1-a}]}", E_CONFIG, "0 have");
	world_free(&w);
}

static void a_patch_is_made_wholly_or_not_at_all(void **state)
{
	struct world w = make_world(base_world);

	patch(&w,
		"nodes: [{name: two, state: PREEMPTED}]\n"
		"remove: {nodes: [{name: one}]}\n"
		"unreachable: {tpu: [us-central1-a]}\n"
		"instances: [{name: big, status: TERMINATED}]\n",
		E_CONFIG, "patch:4:13: instances: more than one");
	assert_i64_eq(w.n_nodes, 2);
	assert_string_equal(w.nodes[0].name, "one");
	assert_string_equal(w.nodes[1].state, "READY");
	assert_i64_eq(w.unreachable_tpu.n, 0);
	patch(&w, "nodes: [{name: two, stat: X}]", E_CONFIG, "unknown key");
	patch(&w, "projects: []", E_CONFIG, "no key \"projects\"");
	patch(&w, "[]", E_CONFIG, "a map of lists");
	patch(&w, "", E_CONFIG, "a map of lists");
	world_free(&w);
}

static void a_patch_changes_what_is_in_reach(void **state)
{
	struct world w = make_world(base_world);

	patch(&w, "unreachable: {compute: [us-central1-a], tpu: [us-central1-b]}", E_OK,
		"");
	assert_i64_eq(w.unreachable_compute.n, 1);
	patch(&w, "unreachable: {tpu: [us-central1-a]}", E_OK, "");
	assert_i64_eq(w.unreachable_compute.n, 0);
	assert_string_equal(w.unreachable_tpu.v[0], "us-central1-a");
	world_free(&w);
}

static void a_state_that_a_patch_sets_outlives_an_operation(void **state)
{
	struct world w = make_world(base_world);
	struct operation *op = begin(&w, ON_NODE, "stop", "one");

	patch(&w, "nodes: [{name: one, state: PREEMPTED}]", E_OK, "");
	operation_finish(&w, op, NOW);
	assert_string_equal(w.nodes[0].state, "PREEMPTED");
	world_free(&w);
}

/* ---- faults ------------------------------------------------------------------------------------ */

static const char *no_param(const struct request *q, const char *name)
{
	(void)q;
	(void)name;
	return NULL;
}

struct faulty {
	struct world w;
	struct arena a;
	struct request q;
	struct response r;
};

static void faulty_start(struct faulty *f, const char *faults)
{
	struct err e = {0};

	memset(f, 0, sizeof(*f));
	f->w = make_world(base_world);
	assert_ok(faults_read(faults, strlen(faults), &f->w, &e), e);
	f->q = (struct request){.w = &f->w,
		.method = "GET",
		.path = "/compute/v1/x",
		.query = "maxResults=2",
		.param = no_param,
		.a = &f->a};
	f->r = (struct response){.status = 200, .body = SBUF_INIT};
}

static void faulty_end(struct faulty *f)
{
	sbuf_done(&f->r.body);
	arena_done(&f->a);
	world_free(&f->w);
}

static void apply(struct faulty *f)
{
	const struct fault *fault = fault_find(&f->w, &f->q);

	assert_non_null(fault);
	fault_apply(fault, &f->q, &f->r);
}

static void a_fault_waits_and_goes_away_again(void **state)
{
	const bool due[] = {false, false, true, true, true, false, false};
	struct faulty f;

	faulty_start(&f, "- {match: GET /compute, status: 503, skip: 2, times: 3}");
	for (size_t i = 0; i < ARRAY_LEN(due); i++)
		assert_int_equal(fault_find(&f.w, &f.q) != NULL, due[i]);
	faulty_end(&f);
}

static void a_fault_meets_only_what_it_names(void **state)
{
	static const struct {
		const char *fault;
		bool meant;
	} all[] = {
		{"- {match: GET /compute/, status: 500}", true},
		{"- {match: POST /compute/, status: 500}", false},
		{"- {match: /compute/, status: 500}", false},
		{"- {regex: compute, status: 500}", true},
		{"- {regex: \"^GET .*[?]maxResults=2$\", status: 500}", true},
		{"- {regex: \"maxResults=3\", status: 500}", false},
		{"- {match: GET /compute/, regex: \"=3\", status: 500}", false},
		{"", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct faulty f;

		faulty_start(&f, all[i].fault);
		assert_int_equal(fault_find(&f.w, &f.q) != NULL, all[i].meant);
		f.q.path = "/_sandbox/faults"; /* or there would be no way back */
		assert_null(fault_find(&f.w, &f.q));
		faulty_end(&f);
	}
}

static void each_fault_spoils_the_answer_in_its_way(void **state)
{
	static const struct {
		const char *fault, *body;
		int status;
	} all[] = {
		{"- {match: GET, how: empty}", "", 200},
		{"- {match: GET, how: empty, status: 502}", "", 502},
		{"- {match: GET, how: truncate}", "{\"a", 200},
		{"- {match: GET, how: json}", "{\"a\":1}}{\"trailing\": nonsense", 200},
		{"- {match: GET, how: gzip}", "{\"a\":1}", 200},
		{"- {match: GET, how: repeat}", "{\"a\":1,\"nextPageToken\":\"Cj8+/0==\"}",
			200},
		{"- {match: GET, body: hello}", "hello", 200},
		{"- {match: GET, body: hello, status: 418}", "hello", 418},
		{"- {match: GET, delay_ms: 1}", "{\"a\":1}", 200},
	};

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct faulty f;

		faulty_start(&f, all[i].fault);
		apply(&f);
		assert_string_equal(f.r.body.s, all[i].body);
		assert_int_equal(f.r.status, all[i].status);
		faulty_end(&f);
	}
}

static void a_page_that_repeats_leads_to_itself(void **state)
{
	struct faulty f;

	faulty_start(&f, "- {match: GET, how: repeat}");
	routed = "{\"items\":{},\"nextPageToken\":\"Cj8+/2==\"}";
	apply(&f);
	assert_string_equal(f.r.body.s, "{\"items\":{},\"nextPageToken\":\"Cj8+/0==\"}");
	sbuf_reset(&f.r.body);
	routed = "{}";
	apply(&f);
	assert_string_equal(f.r.body.s, "{\"nextPageToken\":\"Cj8+/0==\"}");
	routed = "{\"a\":1}";
	faulty_end(&f);
}

static void a_status_comes_with_googles_error(void **state)
{
	static const struct {
		const char *fault, *reason, *word;
	} all[] = {
		{"- {match: GET, status: 429}", "\"reason\":\"rateLimitExceeded\"",
			"RESOURCE_EXHAUSTED"},
		{"- {match: GET, status: 403}", "\"reason\":\"forbidden\"",
			"PERMISSION_DENIED"},
		{"- {match: GET, status: 403, reason: rateLimitExceeded}",
			"\"reason\":\"rateLimitExceeded\"", "PERMISSION_DENIED"},
		{"- {match: GET, status: 401}", "\"reason\":\"authError\"",
			"UNAUTHENTICATED"},
		{"- {match: GET, status: 503}", "\"reason\":\"backendError\"",
			"UNAVAILABLE"},
		{"- {match: GET, status: 403, reason: BILLING_DISABLED}",
			"google.rpc.ErrorInfo\",\"reason\":\"BILLING_DISABLED\"",
			"PERMISSION_DENIED"},
		{"- {match: GET, status: 403, reason: SERVICE_DISABLED}",
			"has not been used in project 101", "SERVICE_DISABLED"},
	};

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct cJSON *j = NULL;
		struct err e = {0};
		struct faulty f;

		faulty_start(&f, all[i].fault);
		apply(&f);
		assert_ok(json_parse(f.r.body.s, f.r.body.len, &j, &e), e);
		assert_contains(f.r.body.s, all[i].reason);
		assert_contains(f.r.body.s, all[i].word);
		json_free(j);
		faulty_end(&f);
	}
}

static void connections_end_where_the_fault_says(void **state)
{
	struct faulty f;

	faulty_start(&f, "- {match: GET, how: cut, retry_after: 7}");
	apply(&f);
	assert_true(f.r.cut);
	assert_i64_eq(f.r.retry_after, 7);
	faulty_end(&f);
	faulty_start(&f, "- {match: GET, how: close}");
	apply(&f);
	assert_true(f.r.close);
	faulty_end(&f);
	faulty_start(&f, "- {match: GET, how: endless, bytes: 12345}");
	apply(&f);
	assert_i64_eq(f.r.more, 12345);
	faulty_end(&f);
}

static void a_bomb_is_small_and_unpacks_to_what_was_asked(void **state)
{
	static unsigned char out[200000];
	z_stream z = {.next_out = out, .avail_out = sizeof(out)};
	struct faulty f;

	faulty_start(&f, "- {match: GET, how: bomb, bytes: 150001}");
	apply(&f);
	assert_string_equal(f.r.encoding, "gzip");
	assert_true(f.r.body.len < 1000);
	z.next_in = (unsigned char *)f.r.body.s;
	z.avail_in = (unsigned)f.r.body.len;
	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_i64_eq(z.total_out, 150001);
	inflateEnd(&z);
	faulty_end(&f);
}

static void page_tokens_are_read_back_and_nothing_else_is(void **state)
{
	struct arena a = {0};
	struct request q = {.a = &a};
	size_t from = 99;

	assert_true(page_token_read(page_token(&q, 12), &from));
	assert_i64_eq(from, 12);
	assert_false(page_token_read("12", &from));
	assert_false(page_token_read("Cj8+/12", &from));
	assert_false(page_token_read("Cj8+/12==x", &from));
	assert_i64_eq(from, 12);
	arena_done(&a);
}

/* ---- the export -------------------------------------------------------------------------------- */

#define ROW "{project: p-one, service: S, sku: K, unit: hour, "

/* Loads are five hours after the hour of usage unless said otherwise. */
static const char export_world[] =
	"name: t\n"
	"projects: [{id: p-one, number: \"101\"}]\n"
	"zones: [us-central1-a]\n"
	"billing:\n"
	"  table: p-one.d.t\n"
	"  currency: HKD\n"
	"  rate: 7.75\n"
	"  rows:\n"
	/* three hours of the 19th, loaded on the 19th at 7, 8 and 9 */
	"    - " ROW "usage: 2, cost: 0.1, from: 2026-11-19T01:00:00Z,"
	" until: 2026-11-19T04:00:00Z, credits: [{name: c, type: PROMOTION, amount: -0.04},"
	" {name: d, type: DISCOUNT, amount: -0.01}]}\n"
	/* twice the same row within the second of these hours */
	"    - " ROW "usage: 1, cost: 4.4E-5, copies: 2, from: 2026-11-19T02:00:00Z}\n"
	/* a late one for the first hour, loaded on the 20th at 2 */
	"    - " ROW "usage: 0.5, cost: 0.25, from: 2026-11-19T01:00:00Z, lag: 24h}\n"
	/* ten charged on the 1st, taken back and charged anew on the 20th */
	"    - " ROW "cost: 10, from: 2026-11-01T08:00:00Z}\n"
	"    - " ROW "cost: -10, from: 2026-11-01T08:00:00Z, lag: 456h, invoice: next,"
	" cost_type: adjustment}\n"
	"    - " ROW "cost: 5, from: 2026-11-01T08:00:00Z, lag: 456h, invoice: next}\n"
	/* nobody's, and not loaded yet */
	"    - {service: Tax, sku: Tax, cost: 1.5, cost_type: tax,"
	" from: 2026-11-21T01:00:00Z, every: 1d}\n"
	"    - {service: Tax, sku: Tax, cost: 99, from: 2026-11-21T05:00:00Z}\n";

struct asked {
	struct world w;
	struct arena a;
	struct export_ask ask;
	struct export_result result;
	const char *schema;
};

static void ask_start(struct asked *x)
{
	memset(x, 0, sizeof(*x));
	x->w = make_world(export_world);
	x->ask = (struct export_ask){.w = &x->w, .now = NOW, .int64_time = true};
}

static void ask_end(struct asked *x)
{
	arena_done(&x->a);
	world_free(&x->w);
}

static void ask_rows_of(struct asked *x, const char *day)
{
	struct err e = {0};

	assert_ok(date_parse(day, &x->ask.units[0], &e), e);
	x->ask.n_units = 1;
	x->result = (struct export_result){0};
	x->schema = export_run(
		"/* tpucost:billing-rows v2 */ SELECT", &x->ask, &x->a, &x->result);
}

/* Value of a named column in a row of the answer; NULL: null. */
static const char *value(struct asked *x, size_t row, const char *column)
{
	struct cJSON *schema = NULL, *j = NULL, *cell;
	const char *found = NULL;
	struct err e = {0};
	bool any = false;

	assert_ok(json_parse(x->schema, strlen(x->schema), &schema, &e), e);
	assert_ok(json_parse(x->result.rows[row], strlen(x->result.rows[row]), &j, &e), e);
	cell = json_first(json_get(j, "f"));
	JSON_EACH (field, schema) {
		if (!strcmp(json_text(json_get(field, "name"), ""), column)) {
			any = true;
			found = arena_strdup(&x->a, json_text(json_get(cell, "v"), NULL));
		}
		cell = json_next(cell);
	}
	assert_true(any);
	json_free(schema);
	json_free(j);
	return found;
}

static void units_are_the_days_of_loads(void **state)
{
	static const char *const want[][4] = {/* day, rows, cost, credits */
		{"2026-11-01", "1", "10", "0"}, {"2026-11-19", "5", "0.300088", "-0.15"},
		{"2026-11-20", "3", "-4.75", "0"}, {"2026-11-21", "1", "1.5", "0"}};
	struct asked x;

	ask_start(&x);
	x.schema = export_run(
		"/* tpucost:billing-units v2 */ SELECT", &x.ask, &x.a, &x.result);
	assert_i64_eq(x.result.n, ARRAY_LEN(want));
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		assert_string_equal(value(&x, i, "unit"), want[i][0]);
		assert_string_equal(value(&x, i, "row_count"), want[i][1]);
		assert_string_equal(value(&x, i, "cost_sum"), want[i][2]);
		assert_string_equal(value(&x, i, "credits_sum"), want[i][3]);
		assert_string_equal(value(&x, i, "currency"), "HKD");
	}
	/* the newest load of the 19th: the hour from 3 to 4, five hours later */
	assert_string_equal(value(&x, 1, "exported"), "1795078800000000");
	ask_end(&x);
}

static void units_before_since_are_left_out(void **state)
{
	struct asked x;
	struct err e = {0};

	ask_start(&x);
	assert_ok(date_parse("2026-11-20", &x.ask.since, &e), e);
	export_run("/* tpucost:billing-units v2 */", &x.ask, &x.a, &x.result);
	assert_i64_eq(x.result.n, 2);
	ask_end(&x);
}

static void rows_that_agree_are_one_and_so_are_their_credits(void **state)
{
	static const char *const want[][6] = {/* hour, credit, rows, usage, cost, credits */
		{"1795050000000000", "", "1", "2", "0.1", "0"},
		{"1795050000000000", "DISCOUNT", "0", "0", "0", "-0.01"},
		{"1795050000000000", "PROMOTION", "0", "0", "0", "-0.04"},
		{"1795053600000000", "", "3", "4", "0.100088", "0"},
		{"1795053600000000", "DISCOUNT", "0", "0", "0", "-0.01"},
		{"1795053600000000", "PROMOTION", "0", "0", "0", "-0.04"},
		{"1795057200000000", "", "1", "2", "0.1", "0"},
		{"1795057200000000", "DISCOUNT", "0", "0", "0", "-0.01"},
		{"1795057200000000", "PROMOTION", "0", "0", "0", "-0.04"}};
	struct asked x;

	ask_start(&x);
	ask_rows_of(&x, "2026-11-19");
	assert_i64_eq(x.result.n, ARRAY_LEN(want));
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		assert_string_equal(value(&x, i, "hour"), want[i][0]);
		assert_string_equal(value(&x, i, "credit_type"), want[i][1]);
		assert_string_equal(value(&x, i, "row_count"), want[i][2]);
		assert_string_equal(value(&x, i, "usage_sum"), want[i][3]);
		assert_string_equal(value(&x, i, "cost_sum"), want[i][4]);
		assert_string_equal(value(&x, i, "credits_sum"), want[i][5]);
		assert_string_equal(value(&x, i, "rate"), "7.75");
		assert_string_equal(value(&x, i, "project_number"), "101");
	}
	assert_string_equal(value(&x, 0, "price"), "0.05");
	ask_end(&x);
}

static void usage_days_outside_the_cut_are_left_out(void **state)
{
	struct asked x;
	struct err e = {0};

	ask_start(&x);
	x.ask.cut = true;
	assert_ok(date_parse("2026-11-02", &x.ask.usage_from, &e), e);
	assert_ok(date_parse("2026-11-19", &x.ask.usage_until, &e), e);
	ask_rows_of(&x, "2026-11-20");
	assert_i64_eq(x.result.n, 1); /* not the correction of the 1st */
	assert_string_equal(value(&x, 0, "cost_sum"), "0.25");
	ask_end(&x);
}

static void a_correction_is_in_the_next_invoice_of_the_same_hour(void **state)
{
	struct asked x;

	ask_start(&x);
	ask_rows_of(&x, "2026-11-20");
	assert_i64_eq(x.result.n, 3);
	assert_string_equal(value(&x, 0, "cost_sum"), "-10");
	assert_string_equal(value(&x, 0, "invoice_month"), "202612");
	assert_string_equal(value(&x, 0, "cost_type"), "adjustment");
	assert_string_equal(value(&x, 0, "hour"), "1793520000000000");
	assert_string_equal(value(&x, 1, "cost_sum"), "5");
	assert_string_equal(value(&x, 2, "cost_sum"), "0.25");
	assert_string_equal(value(&x, 2, "invoice_month"), "202611");
	ask_rows_of(&x, "2026-11-01");
	/* eight in the morning is midnight in California: the month has begun */
	assert_string_equal(value(&x, 0, "invoice_month"), "202611");
	ask_end(&x);
}

static void what_belongs_to_no_project_is_null(void **state)
{
	struct asked x;

	ask_start(&x);
	ask_rows_of(&x, "2026-11-21");
	assert_i64_eq(x.result.n, 1);
	assert_null(value(&x, 0, "project_id"));
	assert_null(value(&x, 0, "resource_name"));
	assert_string_equal(value(&x, 0, "cost_sum"), "1.5");
	ask_end(&x);
}

static void the_export_grows_with_time(void **state)
{
	int64_t rows, modified, more, later;
	struct asked x;

	ask_start(&x);
	export_extent(&x.w, NOW, &rows, &modified);
	assert_i64_eq(rows, 10);
	assert_ts_eq(modified, NOW - 2 * 3600);
	export_extent(&x.w, NOW + 2 * 3600, &more, &later);
	assert_i64_eq(more, 11);
	assert_ts_eq(later, NOW + 2 * 3600);
	ask_end(&x);
}

static void rows_that_a_patch_adds_are_billed(void **state)
{
	struct asked x;

	ask_start(&x);
	patch(&x.w,
		"billing_rows: [{service: S, sku: Late, cost: 3,"
		" from: 2026-11-20T00:00:00Z}]",
		E_OK, "");
	ask_rows_of(&x, "2026-11-20");
	assert_i64_eq(x.result.n, 4);
	ask_end(&x);
}

static void other_queries_are_not_known(void **state)
{
	assert_true(export_query_known("/* tpucost:billing-units v2 */ SELECT 1"));
	assert_true(export_query_known("/* tpucost:billing-rows v2 */"));
	assert_false(export_query_known("/* tpucost:billing-rows v1 */"));
	assert_false(export_query_known("SELECT 1 /* tpucost:billing-rows v2 */"));
	assert_false(export_query_known(""));
}

static void times_are_floats_unless_asked_otherwise(void **state)
{
	struct asked x;

	ask_start(&x);
	x.ask.int64_time = false;
	ask_rows_of(&x, "2026-11-19");
	assert_string_equal(value(&x, 0, "hour"), "1.79505E9");
	ask_end(&x);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_world_has_times_relative_to_now),
		cmocka_unit_test(what_a_world_leaves_out_is_filled_in),
		cmocka_unit_test(ids_are_beyond_a_double_and_tell_places_apart),
		cmocka_unit_test(a_bad_world_is_refused_with_its_line),
		cmocka_unit_test(a_machine_is_stopping_until_its_operation_is_done),
		cmocka_unit_test(a_machine_that_starts_again_has_a_new_start),
		cmocka_unit_test(an_operation_is_done_after_a_minute_unseen),
		cmocka_unit_test(the_same_request_id_is_the_same_operation),
		cmocka_unit_test(what_cannot_begin_does_not),
		cmocka_unit_test(stopping_what_is_stopped_changes_nothing),
		cmocka_unit_test(an_operation_fails_as_the_world_wants_it),
		cmocka_unit_test(an_operation_may_say_done_and_change_nothing),
		cmocka_unit_test(an_operation_may_never_end),
		cmocka_unit_test(another_machine_of_the_name_is_left_alone),
		cmocka_unit_test(a_deleted_machine_takes_its_boot_disk_and_frees_the_rest),
		cmocka_unit_test(a_node_that_is_deleted_suspends_what_made_it),
		cmocka_unit_test(a_queued_resource_takes_its_nodes_along),
		cmocka_unit_test(what_has_an_end_ends_by_itself),
		cmocka_unit_test(things_are_found_by_project_number_and_id),
		cmocka_unit_test(a_patch_sets_what_it_names_and_keeps_the_rest),
		cmocka_unit_test(a_patch_adds_what_is_not_there),
		cmocka_unit_test(a_patch_removes),
		cmocka_unit_test(a_patch_is_made_wholly_or_not_at_all),
		cmocka_unit_test(a_patch_changes_what_is_in_reach),
		cmocka_unit_test(a_state_that_a_patch_sets_outlives_an_operation),
		cmocka_unit_test(a_fault_waits_and_goes_away_again),
		cmocka_unit_test(a_fault_meets_only_what_it_names),
		cmocka_unit_test(each_fault_spoils_the_answer_in_its_way),
		cmocka_unit_test(a_page_that_repeats_leads_to_itself),
		cmocka_unit_test(a_status_comes_with_googles_error),
		cmocka_unit_test(connections_end_where_the_fault_says),
		cmocka_unit_test(a_bomb_is_small_and_unpacks_to_what_was_asked),
		cmocka_unit_test(page_tokens_are_read_back_and_nothing_else_is),
		cmocka_unit_test(units_are_the_days_of_loads),
		cmocka_unit_test(units_before_since_are_left_out),
		cmocka_unit_test(rows_that_agree_are_one_and_so_are_their_credits),
		cmocka_unit_test(usage_days_outside_the_cut_are_left_out),
		cmocka_unit_test(a_correction_is_in_the_next_invoice_of_the_same_hour),
		cmocka_unit_test(what_belongs_to_no_project_is_null),
		cmocka_unit_test(the_export_grows_with_time),
		cmocka_unit_test(rows_that_a_patch_adds_are_billed),
		cmocka_unit_test(other_queries_are_not_known),
		cmocka_unit_test(times_are_floats_unless_asked_otherwise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
