/* Stopping and deleting: what is sent, byte for byte, and what every answer means. The oracle is the
 * log of a server. */
#include "gcp/live/act.h"
#include "gcp/live/operation.h"

#include "base/str.h"
#include "gcp/auth/auth.h"
#include "gcp/internal.h"
#include "gcp/compute/compute.h"
#include "tests/support/assert.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#define UUID "6f2d1c9a-0b3e-5c4d-8a7f-112233445566"
#define VM_OP "operation-1771900000000-64a1b-00000001"
#define TPU_OP "projects/my-project/locations/us-central1-f/operations/operation-17-5f"
#define P "my-project"
#define Z "us-central1-f"
#define VM_PATH "/compute/v1/projects/" P "/zones/" Z
#define TPU_PATH "/v2/projects/" P "/locations/" Z
#define VM_DONE "{\"name\":\"" VM_OP "\",\"status\":\"RUNNING\",\"targetId\":\"77\"}"

static struct act act_on(enum gcp_kind kind, enum act_verb verb)
{
	return (struct act){
		.thing = {.kind = kind, .project = P, .location = Z, .name = "big"},
		.uid = kind == GCP_VM ? "77" : "",
		.verb = verb,
		.request_id = UUID};
}

/* Everything but tokens. */
static size_t asked(struct gcp_world *w)
{
	return fault_count(w->s) - fault_count_of(w->s, "POST /token ");
}

static const char *request(struct gcp_world *w, const char *method)
{
	for (size_t i = 0; i < fault_count(w->s); i++) {
		const char *r = fault_request(w->s, i);

		if (str_starts(r, method) && !str_starts(r, "POST /token "))
			return r;
	}
	fail_msg("no %s request", method);
	return "";
}

/* ---- what is sent ------------------------------------------------------------------------------ */

static void each_action_is_one_exact_request(void **state)
{
	static const struct {
		enum gcp_kind kind;
		enum act_verb verb;
		const char *method, *line, *operation;
		bool body;
	} cases[] = {
		{GCP_VM, ACT_STOP, "POST",
			"POST " VM_PATH "/instances/big/stop?requestId=" UUID
			"&prettyPrint=false HTTP/1.1\r\n",
			VM_OP, false},
		{GCP_VM, ACT_DELETE, "DELETE",
			"DELETE " VM_PATH "/instances/big?requestId=" UUID
			"&prettyPrint=false HTTP/1.1\r\n",
			VM_OP, false},
		{GCP_NODE, ACT_STOP, "POST",
			"POST " TPU_PATH "/nodes/big:stop?prettyPrint=false HTTP/1.1\r\n",
			TPU_OP, true},
		{GCP_NODE, ACT_DELETE, "DELETE",
			"DELETE " TPU_PATH "/nodes/big?prettyPrint=false HTTP/1.1\r\n",
			TPU_OP, false},
		{GCP_QUEUED, ACT_DELETE, "DELETE",
			"DELETE " TPU_PATH "/queuedResources/big?force=true&requestId=" UUID
			"&prettyPrint=false HTTP/1.1\r\n",
			TPU_OP, false},
		{GCP_GROUP, ACT_DELETE, "POST",
			"POST " VM_PATH
			"/instanceGroupManagers/big/resize?size=0&requestId=" UUID
			"&prettyPrint=false HTTP/1.1\r\n",
			VM_OP, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fault_step steps[] = {
			{.match = "POST /compute/", .body = VM_DONE},
			{.match = "DELETE /compute/", .body = VM_DONE},
			{.match = "POST /v2/", .body = "{\"name\":\"" TPU_OP "\"}"},
			{.match = "DELETE /v2/", .body = "{\"name\":\"" TPU_OP "\"}"},
		};
		struct act act = act_on(cases[i].kind, cases[i].verb);
		const char *operation = NULL, *sent;
		struct gcp_world w;

		world_open(&w, steps, ARRAY_LEN(steps));
		assert_ok(act_send(w.g, &act, &w.a, &operation, &w.e), w.e);
		assert_string_equal(operation, cases[i].operation);
		assert_i64_eq(asked(&w), 1);
		sent = request(&w, cases[i].method);
		assert_contains(sent, cases[i].line);
		assert_contains(sent, "Authorization: Bearer ya29.first\r\n");
		if (cases[i].body)
			assert_contains(sent, "\r\n\r\n{}");
		else if (!strcmp(cases[i].method, "POST"))
			assert_contains(sent, "Content-Length: 0\r\n");
		world_close(&w);
	}
}

static void nothing_is_sent_that_cannot_be_meant(void **state)
{
	struct act cases[] = {act_on(GCP_QUEUED, ACT_STOP), act_on(GCP_VM, ACT_STOP),
		act_on(GCP_VM, ACT_STOP), act_on(GCP_VM, ACT_STOP),
		act_on(GCP_VM, ACT_STOP), act_on(GCP_VM, ACT_STOP),
		act_on(GCP_NODE, ACT_STOP), act_on(GCP_NODE, ACT_STOP)};
	struct gcp_world w;

	cases[1].thing.name = "../../zones/other/instances/x";
	cases[2].thing.location = "";
	cases[3].thing.project = "..";
	cases[4].request_id = NULL;
	cases[5].request_id = "00000000-0000-0000-0000-000000000000";
	cases[6].request_id = "6f2d1c9a-0b3e-5c4d-8a7f-11223344556G";
	cases[7].thing.name = "big:delete";
	world_open(&w, NULL, 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *operation = "untouched";
		enum err_code rc = act_send(w.g, &cases[i], &w.a, &operation, &w.e);

		if (rc != E_CONFIG)
			fail_msg("case %zu: %s", i, w.e.msg);
		assert_string_equal(operation, "untouched");
		err_clear(&w.e);
	}
	assert_i64_eq(fault_count(w.s), 0);
	world_close(&w);
}

/* ---- what answers mean ------------------------------------------------------------------------- */

#define REASON(r) \
	"{\"error\":{\"code\":400,\"message\":\"m\",\"errors\":[{\"reason\":\"" r "\"}]}}"
#define INFO(code, r)                                                               \
	"{\"error\":{\"code\":" code                                                \
	",\"message\":\"m\",\"details\":[{\"@type\":\"type.googleapis.com/"         \
	"google.rpc.ErrorInfo\",\"reason\":\"" r "\",\"domain\":\"googleapis.com\"" \
	"}]}}"

static void every_answer_has_its_meaning_and_is_asked_for_once(void **state)
{
	static const struct {
		struct fault_step step;
		enum err_code code;
		const char *said;
	} cases[] = {
		{{.status = 400, .body = REASON("invalidResourceUsage")}, E_HTTP,
			"HTTP 400"},
		{{.status = 400, .body = REASON("resourceNotReady")}, E_CONFLICT,
			"HTTP 400"},
		{{.status = 400, .body = REASON("resourceInUseByAnotherResource")},
			E_CONFLICT, "HTTP 400"},
		{{.status = 400, .body = "<html>"}, E_HTTP, "HTTP 400"},
		{{.status = 403, .body = INFO("403", "IAM_PERMISSION_DENIED")}, E_DENIED,
			"IAM_PERMISSION_DENIED"},
		{{.status = 403, .body = INFO("403", "SERVICE_DISABLED")}, E_DENIED,
			"SERVICE_DISABLED"},
		{{.status = 403, .body = INFO("403", "RATE_LIMIT_EXCEEDED")}, E_RATE,
			"RATE_LIMIT_EXCEEDED"},
		{{.status = 404, .body = "{}"}, E_NOTFOUND, "HTTP 404"},
		{{.status = 408}, E_UNCERTAIN, "HTTP 408"},
		{{.status = 409, .body = "{}"}, E_CONFLICT, "HTTP 409"},
		{{.status = 412, .body = "{}"}, E_CONFLICT, "HTTP 412"},
		{{.status = 429, .headers = "Retry-After: 7\r\n"}, E_RATE, "HTTP 429"},
		{{.status = 499, .body = "{}"}, E_UNCERTAIN, "HTTP 499"},
		{{.status = 500}, E_UNCERTAIN, "HTTP 500"},
		{{.status = 502, .body = "<html>"}, E_UNCERTAIN, "HTTP 502"},
		{{.status = 503, .body = INFO("503", "RATE_LIMIT_EXCEEDED")}, E_UNCERTAIN,
			"HTTP 503"},
		/* what the body calls it does not make a 500 harmless */
		{{.status = 500, .body = INFO("400", "INVALID")}, E_UNCERTAIN, "INVALID"},
		{{.status = 302, .headers = "Location: http://127.0.0.1:1/\r\n"}, E_HTTP,
			"redirects are not followed"},
		{{.how = FAULT_RESET}, E_UNCERTAIN, ""},
		{{.how = FAULT_CLOSE}, E_UNCERTAIN, "closed without an answer"},
		{{.how = FAULT_ENDLESS}, E_UNCERTAIN, ""},
		{{.how = FAULT_BIG_HEAD}, E_UNCERTAIN, ""},
		{{.how = FAULT_RAW, .raw = "garbage\r\n\r\n"}, E_UNCERTAIN, ""},
		{{.how = FAULT_RAW,
			 .raw = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
				"Content-Length: 500\r\n\r\n{\"name\":"},
			E_UNCERTAIN, "cut short"},
		{{.headers = "Content-Encoding: gzip\r\n", .body = "not gzip"}, E_UNCERTAIN,
			""},
		{{.body = ""}, E_UNCERTAIN, "empty"},
		{{.body = "[]"}, E_UNCERTAIN, "not a JSON object"},
		{{.body = "{\"name\":"}, E_UNCERTAIN, "JSON"},
		{{.headers = "Content-Type: text/html\r\n", .body = "<html>"}, E_UNCERTAIN,
			"not JSON"},
		{{.body = INFO("403", "IAM_PERMISSION_DENIED")}, E_UNCERTAIN,
			"IAM_PERMISSION_DENIED"},
		{{.body = "{}"}, E_UNCERTAIN, "does not name an operation"},
		{{.body = "{\"name\":\"../x\"}"}, E_UNCERTAIN,
			"does not name an operation"},
		{{.body = "{\"name\":\"a/b?c\"}"}, E_UNCERTAIN,
			"does not name an operation"},
		{{.body = "{\"name\":\"op\",\"targetId\":\"78\"}"}, E_UNCERTAIN,
			"another machine of that name: number 78 instead of 77"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct act act = act_on(GCP_VM, ACT_STOP);
		struct fault_step step = cases[i].step;
		const char *operation = "untouched";
		struct gcp_world w;
		enum err_code rc;

		step.match = "POST /compute/";
		world_open(&w, &step, 1);
		rc = act_send(w.g, &act, &w.a, &operation, &w.e);
		if (rc != cases[i].code || !strstr(w.e.msg, cases[i].said))
			fail_msg("case %zu: %s: %s", i, err_name(rc), w.e.msg);
		assert_int_equal(w.e.code, rc);
		assert_true(str_starts(w.e.msg, "stop Compute Engine instance: "));
		assert_string_equal(operation, "untouched");
		assert_i64_eq(asked(&w), 1);
		world_close(&w);
	}
}

static void a_server_that_says_nothing_leaves_it_open(void **state)
{
	struct fault_step step = {.match = "POST /compute/", .how = FAULT_SILENT};
	struct act act = act_on(GCP_VM, ACT_STOP);
	struct gcp_opts o = {0};
	const char *operation;
	struct gcp_world w;

	world_open_bare(&w, &step, 1);
	http_free(w.http);
	assert_ok(http_new(&(struct http_opts){.clock = &w.clock, .total_timeout_ms = 300},
			  &w.http, &w.e),
		w.e);
	o = (struct gcp_opts){.endpoint_all = fault_base(w.s),
		.credentials = w.key_file,
		.http = w.http,
		.clock = &w.clock};
	assert_ok(gcp_new(&o, &w.g, &w.e), w.e);
	assert_err(
		act_send(w.g, &act, &w.a, &operation, &w.e), w.e, E_UNCERTAIN, "timed out");
	assert_i64_eq(asked(&w), 1);
	world_close(&w);
}

static void what_never_left_was_not_done(void **state)
{
	struct act act = act_on(GCP_VM, ACT_STOP);
	struct gcp_opts o = {0};
	const char *operation;
	struct gcp_world w;
	char dead[64];

	world_open_bare(&w, NULL, 0);
	o = (struct gcp_opts){.endpoint_all = fault_base(w.s),
		.credentials = w.key_file,
		.http = w.http,
		.clock = &w.clock};
	o.endpoints[GCP_COMPUTE] = fault_dead_url(dead);
	assert_ok(gcp_new(&o, &w.g, &w.e), w.e);
	assert_err(act_send(w.g, &act, &w.a, &operation, &w.e), w.e, E_NET,
		"connection refused");
	/* nor is it tried again here, where the look is getting old */
	assert_i64_eq(world_waited(&w), 0);
	world_close(&w);
}

static void without_a_token_nothing_is_sent(void **state)
{
	static const struct {
		int status;
		const char *body;
		enum err_code code;
	} cases[] = {
		{400, "{\"error\":\"invalid_grant\"}", E_AUTH},
		{503, "", E_NET},
		{429, "{\"error\":\"slow\"}", E_RATE},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fault_step step = {.match = "POST /token ",
			.status = cases[i].status,
			.body = cases[i].body};
		struct act act = act_on(GCP_VM, ACT_STOP);
		const char *operation;
		struct gcp_world w;

		world_open(&w, &step, 1);
		assert_err(act_send(w.g, &act, &w.a, &operation, &w.e), w.e, cases[i].code,
			"token");
		assert_i64_eq(asked(&w), 0);
		world_close(&w);
	}
}

static void a_token_that_is_refused_is_renewed_once(void **state)
{
	struct fault_step steps[] = {
		{.match = "POST /compute/", .times = 1, .status = 401, .body = "{}"},
		{.match = "POST /compute/", .body = VM_DONE},
	};
	struct act act = act_on(GCP_VM, ACT_STOP);
	const char *operation;
	struct gcp_world w;

	world_open(&w, steps, 2);
	assert_ok(act_send(w.g, &act, &w.a, &operation, &w.e), w.e);
	assert_i64_eq(asked(&w), 2);
	world_close(&w);

	steps[0].times = 0;
	world_open(&w, steps, 2);
	assert_err(act_send(w.g, &act, &w.a, &operation, &w.e), w.e, E_AUTH, "HTTP 401");
	assert_i64_eq(asked(&w), 2);
	world_close(&w);
}

#define GRANT                                                                 \
	"run: gcloud projects add-iam-policy-binding my-project "             \
	"--member=serviceAccount:tpucost@my-project.iam.gserviceaccount.com " \
	"--role=projects/my-project/roles/"
#define NEEDS ", or see docs/iam.md: it needs the permission "

static void a_refusal_names_the_permission(void **state)
{
	static const struct {
		enum gcp_kind kind;
		enum act_verb verb;
		const char *want;
	} cases[] = {
		{GCP_VM, ACT_STOP, GRANT "tpucostStopper" NEEDS "compute.instances.stop"},
		{GCP_VM, ACT_DELETE,
			GRANT "tpucostDeleter" NEEDS "compute.instances.delete"},
		{GCP_NODE, ACT_STOP, GRANT "tpucostStopper" NEEDS "tpu.nodes.stop"},
		{GCP_NODE, ACT_DELETE, GRANT "tpucostDeleter" NEEDS "tpu.nodes.delete"},
	};
	struct fault_step steps[] = {{.match = "POST /compute/", .status = 403},
		{.match = "POST /v2/", .status = 403},
		{.match = "DELETE /", .status = 403}};
	struct act act = act_on(GCP_VM, ACT_STOP);
	const char *operation;
	struct gcp_world w;

	world_open(&w, steps, ARRAY_LEN(steps));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		act = act_on(cases[i].kind, cases[i].verb);
		assert_int_equal(act_send(w.g, &act, &w.a, &operation, &w.e), E_DENIED);
		assert_string_equal(w.e.fix, cases[i].want);
	}
	/* of an account whose name is not known */
	w.g->auth->member = NULL;
	assert_int_equal(act_send(w.g, &act, &w.a, &operation, NULL), E_DENIED);
	assert_int_equal(act_send(w.g, &act, &w.a, &operation, &w.e), E_DENIED);
	assert_string_equal(w.e.fix,
		"the account that acts needs the permission tpu.nodes.delete in project " P
		" (role tpucostDeleter of docs/iam.md)");
	world_close(&w);
}

/* ---- operations -------------------------------------------------------------------------------- */

static void an_operation_is_running_done_failed_or_gone(void **state)
{
	static const struct {
		enum gcp_kind kind;
		const char *body;
		int status;
		enum gcp_op_outcome outcome;
		const char *error;
	} cases[] = {
		{GCP_VM, "{\"name\":\"o\",\"status\":\"PENDING\"}", 200, GCP_OP_RUNNING,
			""},
		{GCP_VM, "{\"name\":\"o\",\"status\":\"RUNNING\",\"progress\":100}", 200,
			GCP_OP_RUNNING, ""},
		{GCP_VM, "{\"name\":\"o\",\"status\":\"DONE\"}", 200, GCP_OP_DONE, ""},
		{GCP_VM,
			"{\"name\":\"o\",\"status\":\"DONE\",\"error\":{\"errors\":[{"
			"\"code\":\"ZONE_RESOURCE_POOL_EXHAUSTED\",\"message\":\"Not\\n"
			"enough.\"}]},\"httpErrorStatusCode\":503}",
			200, GCP_OP_FAILED, "ZONE_RESOURCE_POOL_EXHAUSTED: Not enough."},
		{GCP_VM,
			"{\"name\":\"o\",\"status\":\"DONE\",\"httpErrorStatusCode\":403,"
			"\"httpErrorMessage\":\"FORBIDDEN\"}",
			200, GCP_OP_FAILED, "HTTP 403 FORBIDDEN"},
		{GCP_VM,
			"{\"name\":\"o\",\"status\":\"DONE\",\"error\":{\"errors\":[{"
			"\"code\":\"QUOTA\"}]}}",
			200, GCP_OP_FAILED, "QUOTA"},
		{GCP_VM,
			"{\"name\":\"o\",\"status\":\"DONE\",\"error\":{\"errors\":[{"
			"\"message\":\"It is busy.\"}]}}",
			200, GCP_OP_FAILED, "It is busy."},
		{GCP_VM, "{\"name\":\"o\",\"status\":\"DONE\",\"error\":{}}", 200,
			GCP_OP_FAILED, "no reason given"},
		{GCP_VM, "{\"name\":\"o\",\"status\":\"DONE\",\"httpErrorStatusCode\":400}",
			200, GCP_OP_FAILED, "HTTP 400"},
		{GCP_VM, "{\"name\":\"o\",\"status\":\"DONE\",\"httpErrorStatusCode\":399}",
			200, GCP_OP_DONE, ""},
		{GCP_VM,
			"{\"name\":\"o\",\"status\":\"DONE\",\"httpErrorStatusCode\":"
			"\"many\"}",
			200, GCP_OP_FAILED, "no reason given"},
		{GCP_VM, "{}", 404, GCP_OP_GONE, ""},
		{GCP_NODE, "{\"name\":\"o\"}", 200, GCP_OP_RUNNING, ""},
		{GCP_NODE, "{\"name\":\"o\",\"done\":false}", 200, GCP_OP_RUNNING, ""},
		{GCP_NODE, "{\"name\":\"o\",\"done\":true,\"response\":{}}", 200,
			GCP_OP_DONE, ""},
		{GCP_NODE,
			"{\"name\":\"o\",\"done\":true,\"error\":{\"code\":9,\"message\":"
			"\"It is busy.\"}}",
			200, GCP_OP_FAILED, "It is busy. (code 9)"},
		{GCP_NODE, "{\"name\":\"o\",\"done\":true,\"error\":{\"code\":9}}", 200,
			GCP_OP_FAILED, "no reason given (code 9)"},
		{GCP_NODE, "{\"name\":\"o\",\"done\":true,\"error\":{\"code\":\"nine\"}}",
			200, GCP_OP_FAILED, "no reason given"},
		{GCP_QUEUED, "{}", 404, GCP_OP_GONE, ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		bool vm = cases[i].kind == GCP_VM;
		struct fault_step step = {.match = vm
				? "GET " VM_PATH "/operations/" VM_OP "?"
				: "GET " TPU_PATH "/operations/operation-17-5f?",
			.status = cases[i].status,
			.body = cases[i].body};
		struct act act = act_on(cases[i].kind, ACT_DELETE);
		struct gcp_op op = {0};
		struct gcp_world w;

		world_open(&w, &step, 1);
		assert_ok(gcp_op_get(w.g, &act.thing, vm ? VM_OP : TPU_OP, &w.a, &op, &w.e),
			w.e);
		assert_int_equal(op.outcome, cases[i].outcome);
		assert_string_equal(op.error, cases[i].error);
		assert_i64_eq(asked(&w), 1);
		world_close(&w);
	}
}

static void an_operation_that_cannot_be_read_is_not_done(void **state)
{
	static const char *const bodies[] = {"{\"name\":\"o\",\"status\":\"FINISHED\"}",
		"{\"name\":\"o\"}", "[]", "{\"name\":\"o\",\"status\":\"DONE\"}}",
		"{\"name\":\"o\",\"status\":\"DONE\",\"status\":\"RUNNING\"}"};

	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		struct fault_step step = {.match = "GET ", .body = bodies[i]};
		struct act act = act_on(GCP_VM, ACT_STOP);
		struct gcp_op op = {.outcome = GCP_OP_GONE};
		struct gcp_world w;

		world_open(&w, &step, 1);
		assert_int_equal(
			gcp_op_get(w.g, &act.thing, VM_OP, &w.a, &op, &w.e), E_DATA);
		assert_int_equal(op.outcome, GCP_OP_GONE);
		world_close(&w);
	}
}

static void names_of_operations_stay_in_their_place(void **state)
{
	static const struct {
		enum gcp_kind kind;
		const char *name;
		bool valid;
	} cases[] = {
		{GCP_VM, VM_OP, true},
		{GCP_VM, "7128461", true},
		{GCP_VM, "", false},
		{GCP_VM, "..", false},
		{GCP_VM, "a/b", false},
		{GCP_VM, "a b", false},
		{GCP_VM, TPU_OP, false},
		{GCP_NODE, TPU_OP, true},
		{GCP_NODE, "projects/123/locations/us-central1-f/operations/x", true},
		{GCP_NODE, "projects/123/locations/us-central1-fx/operations/x", false},
		{GCP_NODE, "projects/123/locations/us-central1-a/operations/x", false},
		{GCP_NODE, "projects/123/locations/us-central1-f/operations/", false},
		{GCP_NODE, "projects/123/locations/us-central1-f/operations/x:cancel",
			false},
		{GCP_NODE, "projects/123/locations/us-central1-f/nodes/x", false},
		{GCP_NODE, "projects/", false},
		{GCP_NODE, "operation-17", false},
		{GCP_QUEUED, TPU_OP, true},
	};
	struct gcp_world w;
	struct gcp_op op;
	struct act act;

	world_open(&w, NULL, 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		act = act_on(cases[i].kind, ACT_DELETE);
		if (gcp_op_name_valid(&act.thing, cases[i].name) != cases[i].valid)
			fail_msg("%s", cases[i].name);
		if (cases[i].valid)
			continue;
		err_clear(&w.e);
		assert_int_equal(
			gcp_op_get(w.g, &act.thing, cases[i].name, &w.a, &op, &w.e),
			E_CONFIG);
		assert_contains(w.e.msg, ": malformed name");
	}
	act = act_on(GCP_VM, ACT_STOP);
	act.thing.name = "..";
	err_clear(&w.e);
	assert_int_equal(gcp_op_get(w.g, &act.thing, VM_OP, &w.a, &op, &w.e), E_CONFIG);
	assert_i64_eq(fault_count(w.s), 0);
	world_close(&w);
}

/* ---- who acts ---------------------------------------------------------------------------------- */

#define BOT "bot@my-project.iam.gserviceaccount.com"
#define BORROW \
	"POST /v1/projects/-/serviceAccounts/bot%40my-project.iam.gserviceaccount.com:"
#define BORROWED                                             \
	"{\"accessToken\":\"ya29.borrowed\",\"expireTime\":" \
	"\"2026-11-21T06:00:00Z\"}"

static void open_as(struct gcp_world *w, const struct fault_step *steps, size_t n)
{
	struct gcp_opts o;

	world_open_bare(w, steps, n);
	o = (struct gcp_opts){.endpoint_all = fault_base(w->s),
		.credentials = w->key_file,
		.impersonate = BOT,
		.http = w->http,
		.clock = &w->clock};
	assert_ok(gcp_new(&o, &w->g, &w->e), w->e);
}

static void it_acts_as_another_account(void **state)
{
	struct fault_step steps[] = {{.match = BORROW, .body = BORROWED},
		{.match = "POST /compute/", .body = VM_DONE}};
	struct act act = act_on(GCP_VM, ACT_STOP);
	const char *operation, *sent;
	struct gcp_world w;

	open_as(&w, steps, 2);
	assert_string_equal(w.g->auth->member, "serviceAccount:" BOT);
	assert_ok(act_send(w.g, &act, &w.a, &operation, &w.e), w.e);
	assert_ok(act_send(w.g, &act, &w.a, &operation, &w.e), w.e);
	assert_i64_eq(fault_count_of(w.s, "POST /token "), 1);
	assert_i64_eq(fault_count_of(w.s, BORROW), 1);
	sent = request(&w, "POST /v1/");
	assert_contains(sent, "Authorization: Bearer ya29.first\r\n");
	assert_contains(sent,
		"{\"scope\":[\"https://www.googleapis.com/auth/cloud-platform\"],"
		"\"lifetime\":\"3600s\"}");
	assert_contains(request(&w, "POST /compute/"), "Bearer ya29.borrowed\r\n");
	/* an hour later there is another one */
	clock_fake_advance(&w.clock, 3400);
	assert_ok(act_send(w.g, &act, &w.a, &operation, &w.e), w.e);
	assert_i64_eq(fault_count_of(w.s, BORROW), 2);
	world_close(&w);
}

static void an_account_that_cannot_be_acted_as_says_what_is_missing(void **state)
{
	static const struct {
		struct fault_step step;
		enum err_code code;
		const char *said, *fix;
	} cases[] = {
		{{.match = BORROW, .status = 403}, E_AUTH, "service account " BOT ": token",
			"gcloud iam service-accounts add-iam-policy-binding " BOT
			" --member=serviceAccount:" WORLD_EMAIL
			" --role=roles/iam.serviceAccountTokenCreator"},
		{{.match = BORROW, .status = 404}, E_AUTH, "HTTP 404",
			"the service account " BOT},
		{{.match = BORROW, .status = 503}, E_NET, "HTTP 503", ""},
		{{.match = BORROW, .status = 401}, E_AUTH, "HTTP 401", ""},
		{{.match = BORROW, .body = "{}"}, E_AUTH, "no usable access_token", ""},
		{{.match = BORROW, .body = "{\"accessToken\":\"a\\nb\"}"}, E_AUTH,
			"no usable access_token", ""},
		{{.match = "POST /token ",
			 .status = 400,
			 .body = "{\"error\":\"invalid_grant\"}"},
			E_AUTH, "service account " BOT ": credentials file", ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct act act = act_on(GCP_VM, ACT_STOP);
		const char *operation;
		struct gcp_world w;

		open_as(&w, &cases[i].step, 1);
		assert_err(act_send(w.g, &act, &w.a, &operation, &w.e), w.e, cases[i].code,
			cases[i].said);
		assert_contains(w.e.fix, cases[i].fix);
		assert_i64_eq(fault_count_of(w.s, "POST /compute/"), 0);
		world_close(&w);
	}
}

static void only_an_address_can_be_acted_as(void **state)
{
	static const char *const bad[] = {"", "bot", "bot@x y", "$(id)@x", "a@b'c"};
	struct gcp_world w;

	world_open_bare(&w, NULL, 0);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct gcp_opts o = {.endpoint_all = fault_base(w.s),
			.credentials = w.key_file,
			.impersonate = bad[i],
			.http = w.http,
			.clock = &w.clock};

		assert_err(gcp_new(&o, &w.g, &w.e), w.e, E_CONFIG, "not a service account");
	}
	assert_null(w.g);
	world_close(&w);
}

static void the_number_of_a_project_is_in_its_account(void **state)
{
	static const struct {
		const char *project, *body;
		enum err_code code;
		const char *number;
	} cases[] = {
		{P,
			"{\"id\":\"999\",\"name\":\"" P
			"\",\"defaultServiceAccount\":\"123-compute@developer."
			"gserviceaccount.com\"}",
			E_OK, "123"},
		{"123",
			"{\"name\":\"" P "\",\"defaultServiceAccount\":\"123-compute@"
			"developer.gserviceaccount.com\"}",
			E_OK, "123"},
		{P, "{\"name\":\"" P "\"}", E_OK, ""},
		{P,
			"{\"name\":\"" P "\",\"defaultServiceAccount\":\"123x-compute@"
			"developer.gserviceaccount.com\"}",
			E_OK, ""},
		{P, "{\"name\":\"other-project\"}", E_DATA, "untouched"},
		{P, "{}", E_DATA, "untouched"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fault_step step = {
			.match = "GET /compute/v1/projects/", .body = cases[i].body};
		const char *number = "untouched";
		struct gcp_world w;

		world_open(&w, &step, 1);
		assert_int_equal(
			gce_project_number(w.g, cases[i].project, &w.a, &number, &w.e),
			cases[i].code);
		assert_string_equal(number, cases[i].number);
		world_close(&w);
	}
}

/* ---- the clock --------------------------------------------------------------------------------- */

static void the_largest_difference_of_the_newest_dates_counts(void **state)
{
	struct fault_step step = {.match = "GET ",
		.headers = "Date: Sat, 21 Nov 2026 04:00:00 GMT\r\n",
		.body = "{\"name\":\"" P "\"}"};
	int64_t seconds = 7;
	const char *number;
	struct gcp_world w;

	world_open(&w, &step, 1);
	/* whatever answers on plain http is not Google */
	assert_ok(gce_project_number(w.g, P, &w.a, &number, &w.e), w.e);
	assert_int_equal(gcp_clock_skew(w.g, &seconds), E_NOTFOUND);
	assert_i64_eq(seconds, 7);
	gcp_note_date(w.g, GCP_TPU, "https://tpu.googleapis.com/v2", TS_NONE);
	gcp_note_date(w.g, GCP_TPU, "http://metadata.google.internal/x", WORLD_NOW - 9);
	assert_int_equal(gcp_clock_skew(w.g, &seconds), E_NOTFOUND);
	gcp_note_date(w.g, GCP_TPU, "https://tpu.googleapis.com/v2", WORLD_NOW - 3);
	assert_int_equal(gcp_clock_skew(w.g, &seconds), E_OK);
	assert_i64_eq(seconds, 3);
	gcp_note_date(
		w.g, GCP_OAUTH, "https://oauth2.googleapis.com/token", WORLD_NOW + 400);
	assert_int_equal(gcp_clock_skew(w.g, &seconds), E_OK);
	assert_i64_eq(seconds, -400);
	assert_int_equal(gcp_check_clock(w.g, GCP_OAUTH, &w.e), E_AUTH);
	assert_string_equal(w.e.msg, "the clock of this machine is behind Google's");
	assert_ok(gcp_check_clock(w.g, GCP_TPU, &w.e), w.e);
	for (int off = -301; off <= 301; off += off == -301 || off == 300 ? 1 : 600) {
		gcp_note_date(w.g, GCP_OAUTH, "https://oauth2.googleapis.com/token",
			WORLD_NOW - off);
		assert_int_equal(gcp_check_clock(w.g, GCP_OAUTH, &w.e),
			off == 301 || off == -301 ? E_AUTH : E_OK);
	}
	/* it was set right meanwhile */
	gcp_note_date(w.g, GCP_OAUTH, "https://oauth2.googleapis.com/token", WORLD_NOW + 1);
	assert_int_equal(gcp_clock_skew(w.g, &seconds), E_OK);
	assert_i64_eq(seconds, 3);
	world_close(&w);
}

UNIT_TESTS()
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_action_is_one_exact_request),
		cmocka_unit_test(nothing_is_sent_that_cannot_be_meant),
		cmocka_unit_test(every_answer_has_its_meaning_and_is_asked_for_once),
		cmocka_unit_test(a_server_that_says_nothing_leaves_it_open),
		cmocka_unit_test(what_never_left_was_not_done),
		cmocka_unit_test(without_a_token_nothing_is_sent),
		cmocka_unit_test(a_token_that_is_refused_is_renewed_once),
		cmocka_unit_test(a_refusal_names_the_permission),
		cmocka_unit_test(an_operation_is_running_done_failed_or_gone),
		cmocka_unit_test(an_operation_that_cannot_be_read_is_not_done),
		cmocka_unit_test(names_of_operations_stay_in_their_place),
		cmocka_unit_test(it_acts_as_another_account),
		cmocka_unit_test(an_account_that_cannot_be_acted_as_says_what_is_missing),
		cmocka_unit_test(only_an_address_can_be_acted_as),
		cmocka_unit_test(the_number_of_a_project_is_in_its_account),
		cmocka_unit_test(the_largest_difference_of_the_newest_dates_counts),
	};

	return cmocka_run_group_tests_name("act", tests, NULL, NULL);
}
