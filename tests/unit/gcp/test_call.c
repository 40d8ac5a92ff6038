#include "gcp/call.h"

#include "base/str.h"
#include "base/url/url.h"
#include "gcp/list.h"
#include "gcp/internal.h"
#include "gcp/internal.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INFO(reason)                                                                   \
	"\"details\":[{\"@type\":\"type.googleapis.com/"                               \
	"google.rpc.Help\",\"links\":[]},"                                             \
	"{\"@type\":\"type.googleapis.com/google.rpc.ErrorInfo\",\"reason\":\"" reason \
	"\",\"domain\":\"googleapis.com\",\"metadata\":{\"service\":\"tpu.googleapis." \
	"com\"}}]"

static void begin(struct gcp_world *w, struct gcp_call *c)
{
	gcp_call_init(c, w->g, GCP_TPU, "my-project", "do this");
	gcp_url(w->g, &c->url, GCP_TPU, "/x", NULL);
}

/* ---- names and URLs ------------------------------------------------------ */

static void project_ids_follow_googles_rules(void **state)
{
	static const struct {
		const char *id;
		bool ok;
	} cases[] = {
		{"my-project", true},
		{"tpu-develop", true},
		{"a12345", true},
		{"123456789012", true},
		{"example.com:my-project", true},
		{"a234567890123456789012345678901", false},
		{"a23456789012345678901234567890", true},
		{"short", false},
		{"My-project", false},
		{"1my-project", false},
		{"my-project-", false},
		{"my_project", false},
		{"my/project", false},
		{"../../etc", false},
		{"my project", false},
		{"my-project\n", false},
		{"x:my-project", false},
		{".com:my-project", false},
		{"example.com:", false},
		{"-", false},
		{"", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (gcp_project_valid(cases[i].id) != cases[i].ok)
			fail_msg("%s", cases[i].id);
}

static void names_cannot_leave_their_place_in_a_path(void **state)
{
	static const struct {
		const char *name;
		bool ok;
	} cases[] = {{"us-central1-f", true}, {"tpu_1.x", true}, {"A9", true}, {"", false},
		{".", false}, {"..", false}, {"a/b", false}, {"a b", false},
		{"a%2f", false}, {"a?b", false}, {"a\nb", false}, {"-", true},
		{"\xc3\xa4", false}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (gcp_name_valid(cases[i].name) != cases[i].ok)
			fail_msg("%s", cases[i].name);
}

static void urls_are_google_s_unless_overridden(void **state)
{
	struct gcp_opts o = {0};
	struct sbuf b = SBUF_INIT;
	struct gcp_world w;

	world_open_bare(&w, NULL, 0);
	o.endpoints[GCP_TPU] = "http://127.0.0.1:9/base/";
	o.credentials = w.key_file;
	o.http = w.http;
	o.clock = &w.clock;
	assert_int_equal(gcp_new(&o, &w.g, &w.e), E_OK);
	gcp_url(w.g, &b, GCP_COMPUTE, "/projects/{}/zones/{}/instances/{}", "example.com:p",
		"us-a", "a/b?c", NULL);
	assert_string_equal(b.s,
		"https://compute.googleapis.com/compute/v1/projects/"
		"example.com%3Ap/zones/us-a/instances/a%2Fb%3Fc");
	sbuf_reset(&b);
	gcp_url(w.g, &b, GCP_TPU, "/projects/{}/locations/-/nodes", "p", NULL);
	assert_string_equal(b.s, "http://127.0.0.1:9/base/v2/projects/p/locations/-/nodes");
	sbuf_reset(&b);
	gcp_url(w.g, &b, GCP_BIGQUERY, "", NULL);
	assert_string_equal(b.s, "https://bigquery.googleapis.com/bigquery/v2");
	sbuf_done(&b);
	assert_string_equal(gcp_service(GCP_TPU), "tpu.googleapis.com");
	world_close(&w);
}

static void text_from_outside_becomes_one_line(void **state)
{
	static const struct {
		const char *in, *want;
	} cases[] = {
		{"plain", "plain"},
		{"  a \n\t b\x1b[31m ", "a b [31m"},
		{"", ""},
		{"\xff\xfe", ""},
		{"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
		{"0123456789abcdef", "0123456789abcde"},
		{"0123456789abcd\xc3\xbc", "0123456789abcd"},
	};
	char out[16];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		text_clean(cases[i].in, out, sizeof(out));
		assert_string_equal(out, cases[i].want);
	}
}

/* ---- refusals ------------------------------------------------------------ */

static void an_error_is_named_by_its_best_reason(void **state)
{
	static const struct {
		const char *body;
		int code;
		const char *reason, *message;
		int64_t retry_after;
	} cases[] = {
		{"{\"error\":{\"code\":403,\"message\":\"m\",\"status\":\"PERMISSION_"
		 "DENIED\","
		 "\"errors\":[{\"reason\":\"accessNotConfigured\"}]," INFO(
			 "SERVICE_DISABLED") "}}",
			403, "SERVICE_DISABLED", "m", -1},
		{"{\"error\":{\"code\":404,\"message\":\"a\\nb\",\"errors\":[{"
		 "\"reason\":\"notFound\"}]}}",
			404, "notFound", "a b", -1},
		{"{\"error\":{\"code\":500,\"status\":\"INTERNAL\"}}", 500, "INTERNAL", "",
			-1},
		{"[{\"error\":{\"code\":404,\"status\":\"NOT_FOUND\"}}]", 404, "NOT_FOUND",
			"", -1},
		{"{\"error\":{\"details\":[{\"@type\":\"type.googleapis.com/"
		 "google.rpc.RetryInfo"
		 "\",\"retryDelay\":\"3.5s\"}]}}",
			418, "", "", 4},
		{"{\"error\":{\"details\":[{\"@type\":\"x/"
		 "google.rpc.RetryInfo\",\"retryDelay\":"
		 "\"-3s\"}]}}",
			418, "", "", -1},
		{"{\"error\":\"invalid_grant\"}", 418, "", "invalid_grant", -1},
		{"{\"error\":{\"code\":99999}}", 418, "", "", -1},
		{"{\"error\":{\"code\":\"x\",\"message\":7,\"errors\":{},\"details\":3}"
		 "}",
			418, "", "", -1},
		{"<html>503</html>", 418, "", "", -1},
		{"{\"error\":", 418, "", "", -1},
		{"{}", 418, "", "", -1},
		{"", 418, "", "", -1},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct gcp_refusal f;

		gcp_refusal_read(cases[i].body, strlen(cases[i].body), 418, &f);
		if (f.code != cases[i].code || !str_eq(f.reason, cases[i].reason) ||
			!str_eq(f.message, cases[i].message) ||
			f.retry_after != cases[i].retry_after)
			fail_msg("case %zu: %d %s %s %lld", i, f.code, f.reason, f.message,
				(long long)f.retry_after);
	}
}

static void refusals_become_errors_with_a_way_out(void **state)
{
	static const struct {
		int status;
		const char *body;
		enum err_code code;
		size_t sent;
		const char *msg, *fix;
	} cases[] = {
		{403,
			"{\"error\":{\"code\":403,\"message\":\"Cloud TPU API has not "
			"been used\","
			"\"status\":\"PERMISSION_DENIED\"," INFO("SERVICE_DISABLED") "}}",
			E_DISABLED, 1,
			"do this: HTTP 403 SERVICE_DISABLED: Cloud TPU API has not "
			"been used",
			"run: gcloud services enable tpu.googleapis.com --project "
			"my-project"},
		{403, "{\"error\":{\"errors\":[{\"reason\":\"accessNotConfigured\"}]}}",
			E_DISABLED, 1, "HTTP 403 accessNotConfigured",
			"services enable tpu.googleapis.com"},
		{403,
			"{\"error\":{\"message\":\"no\",\"status\":\"PERMISSION_"
			"DENIED\"}}",
			E_DENIED, 1, "HTTP 403 PERMISSION_DENIED: no",
			"add-iam-policy-binding my-project "
			"--member=serviceAccount:" WORLD_EMAIL " --role=roles/tpu.viewer"},
		{403, "{\"error\":{" INFO("BILLING_DISABLED") "}}", E_DENIED, 1,
			"BILLING_DISABLED", "gcloud billing projects link my-project"},
		{403, "{\"error\":{" INFO("USER_PROJECT_DENIED") "}}", E_DENIED, 1,
			"HTTP 403", "roles/serviceusage.serviceUsageConsumer"},
		{403, "{\"error\":{" INFO("ACCESS_TOKEN_SCOPE_INSUFFICIENT") "}}", E_DENIED,
			1, "HTTP 403", "scope"},
		{403, "<html>", E_DENIED, 1, "do this: HTTP 403", "roles/tpu.viewer"},
		{403, "{\"error\":{\"errors\":[{\"reason\":\"rateLimitExceeded\"}]}}",
			E_RATE, 5, "rateLimitExceeded", ""},
		{403, "{\"error\":{" INFO("RATE_LIMIT_EXCEEDED") "}}", E_RATE, 5,
			"HTTP 403", ""},
		{403, "{\"error\":{\"errors\":[{\"reason\":\"quotaExceeded\"}]}}", E_RATE,
			1, "quotaExceeded", ""},
		{429, "{\"error\":{" INFO("RESOURCE_QUOTA_EXCEEDED") "}}", E_RATE, 1, "429",
			""},
		{429, "", E_RATE, 5, "do this: HTTP 429", ""},
		{404, "{\"error\":{\"status\":\"NOT_FOUND\"}}", E_NOTFOUND, 1, "HTTP 404",
			""},
		{409, "{}", E_CONFLICT, 1, "HTTP 409", ""},
		{412, "{}", E_CONFLICT, 1, "HTTP 412", ""},
		{400,
			"{\"error\":{\"status\":\"INVALID_ARGUMENT\",\"message\":"
			"\"bad\"}}",
			E_HTTP, 1, "HTTP 400 INVALID_ARGUMENT: bad", ""},
		{400, "{\"error\":{\"errors\":[{\"reason\":\"jobBackendError\"}]}}", E_HTTP,
			5, "jobBackendError", ""},
		{500, "{}", E_HTTP, 5, "HTTP 500", ""},
		{503, "<html>", E_HTTP, 5, "HTTP 503", ""},
		{501, "", E_HTTP, 1, "HTTP 501", ""},
		{302, "", E_HTTP, 1, "redirects are not followed", ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fault_step step = {
			.match = "GET ", .status = cases[i].status, .body = cases[i].body};
		struct gcp_world w;
		struct gcp_call c;

		world_open(&w, &step, 1);
		begin(&w, &c);
		if (gcp_call_do(&c, &w.e) != cases[i].code || w.e.code != cases[i].code ||
			!strstr(w.e.msg, cases[i].msg) || !strstr(w.e.fix, cases[i].fix) ||
			fault_count_of(w.s, "GET ") != cases[i].sent)
			fail_msg("case %zu: %d %s; %s (%zu)", i, (int)w.e.code, w.e.msg,
				w.e.fix, fault_count_of(w.s, "GET "));
		assert_null(c.json);
		assert_null(strstr(w.e.msg, "ya29"));
		gcp_call_free(&c);
		world_close(&w);
	}
}

static void answers_that_are_not_what_they_should_be(void **state)
{
	static const struct {
		struct fault_step step;
		enum err_code code;
		const char *msg;
	} cases[] = {
		{{.body = ""}, E_DATA, "the response is empty"},
		{{.status = 204}, E_DATA, "the response is empty"},
		{{.headers = "Content-Type: text/html\r\n", .body = "<html>Log in</html>"},
			E_DATA, "not JSON but text/html"},
		{{.body = "<html>"}, E_DATA, "do this: "},
		{{.body = "{\"a\":1} x"}, E_DATA, "do this: "},
		{{.body = "{\"a\":1,\"a\":2}"}, E_DATA, "do this: "},
		{{.body = "{\"a\":\"\\u0000\"}"}, E_DATA, "do this: "},
		{{.body = "\xef\xbb\xbf{}"}, E_DATA, "do this: "},
		{{.body = "{\"a\":"}, E_DATA, "do this: "},
		{{.body = "[]"}, E_DATA, "not a JSON object"},
		{{.body = "null"}, E_DATA, "not a JSON object"},
		{{.body = "{\"error\":{\"code\":403,\"status\":\"PERMISSION_DENIED\"}"
			  "}"},
			E_DENIED, "HTTP 403 PERMISSION_DENIED"},
		{{.body = "{\"error\":{\"message\":\"odd\"}}"}, E_HTTP, "HTTP 200: odd"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fault_step step = cases[i].step;
		struct gcp_world w;
		struct gcp_call c;

		step.match = "GET ";
		world_open(&w, &step, 1);
		begin(&w, &c);
		if (gcp_call_do(&c, &w.e) != cases[i].code ||
			!strstr(w.e.msg, cases[i].msg))
			fail_msg("case %zu: %d %s", i, (int)w.e.code, w.e.msg);
		assert_null(c.json);
		gcp_call_free(&c);
		world_close(&w);
	}
}

static void json_is_known_by_its_content_type_or_by_none(void **state)
{
	static const char *const types[] = {"Content-Type: application/json\r\n",
		"Content-Type: Application/JSON; charset=UTF-8\r\n",
		"Content-Type: application/problem+json\r\n", "Content-Type:\r\n"};

	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		struct fault_step step = {
			.match = "GET ", .headers = types[i], .body = "{\"a\":\"b\"}"};
		struct gcp_world w;
		struct gcp_call c;

		world_open(&w, &step, 1);
		begin(&w, &c);
		assert_int_equal(gcp_call_do(&c, &w.e), E_OK);
		assert_string_equal(json_text(json_get(c.json, "a"), ""), "b");
		assert_int_equal(c.status, 200);
		gcp_call_free(&c);
		world_close(&w);
	}
}

/* An operation that failed is an answer, not a refusal. */
static void an_operation_with_an_error_is_handed_over(void **state)
{
	struct fault_step step = {.match = "GET ",
		.body = "{\"name\":\"operation-1\",\"done\":true,\"error\":{\"code\":8}"
			"}"};
	struct gcp_world w;
	struct gcp_call c;

	world_open(&w, &step, 1);
	begin(&w, &c);
	assert_int_equal(gcp_call_do(&c, &w.e), E_OK);
	assert_non_null(json_get(c.json, "error"));
	gcp_call_free(&c);
	world_close(&w);
}

/* ---- tokens -------------------------------------------------------------- */

static void a_token_that_ran_out_is_renewed_once(void **state)
{
	struct fault_step steps[] = {
		{.match = "POST /token", .times = 1, .body = WORLD_TOKEN},
		{.match = "POST /token",
			.body = "{\"access_token\":\"ya29.second\",\"expires_in\":"
				"3599}"},
		{.match = "GET ", .times = 1, .status = 401},
		{.match = "GET ", .body = "{}"},
	};
	struct gcp_world w;
	struct gcp_call c;

	world_open(&w, steps, ARRAY_LEN(steps));
	begin(&w, &c);
	assert_int_equal(gcp_call_do(&c, &w.e), E_OK);
	assert_int_equal(fault_count(w.s), 4);
	assert_non_null(strstr(fault_request(w.s, 1), "Bearer ya29.first\r\n"));
	assert_non_null(strstr(fault_request(w.s, 3), "Bearer ya29.second\r\n"));
	gcp_call_free(&c);
	world_close(&w);
}

static void a_token_that_is_always_refused_is_no_loop(void **state)
{
	struct fault_step steps[] = {{.match = "GET ", .status = 401}};
	struct gcp_world w;

	world_open(&w, steps, 1);
	for (int i = 0; i < 3; i++) {
		struct gcp_call c;

		begin(&w, &c);
		assert_int_equal(gcp_call_do(&c, &w.e), E_AUTH);
		assert_non_null(strstr(w.e.msg, "HTTP 401"));
		assert_non_null(strstr(w.e.fix, "credentials file"));
		gcp_call_free(&c);
	}
	/* twice for the first call, once for those in the ten minutes after it */
	assert_int_equal(fault_count_of(w.s, "GET "), 4);
	assert_int_equal(fault_count_of(w.s, "POST /token"), 2);
	world_close(&w);
}

struct counter {
	int done;
	enum err_code codes[8];
};

static void count_done(struct gcp_call *c)
{
	struct counter *n = c->ctx;

	n->codes[n->done++] = c->code;
}

static void calls_share_one_renewal(void **state)
{
	/* all four have been sent with the first token before any is refused */
	struct fault_step steps[] = {{.match = "GET ",
					     .times = 4,
					     .how = FAULT_RENDEZVOUS,
					     .count = 5,
					     .status = 401},
		{.match = "GET ", .body = "{}"}};
	struct gcp_call c[4];
	struct counter n = {0};
	struct gcp_world w;

	world_open(&w, steps, 2);
	for (int i = 0; i < 4; i++) {
		begin(&w, &c[i]);
		c[i].done = count_done;
		c[i].ctx = &n;
		assert_int_equal(gcp_call_start(&c[i], &w.e), E_OK);
	}
	assert_int_equal(gcp_run(w.g, &w.e), E_OK);
	assert_int_equal(n.done, 4);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(n.codes[i], E_OK);
		gcp_call_free(&c[i]);
	}
	assert_int_equal(fault_count_of(w.s, "POST /token"), 2);
	world_close(&w);
}

/* The second call hears of the old token's end when there is a new one already. */
static void a_late_refusal_of_an_old_token_renews_nothing(void **state)
{
	struct fault_step steps[] = {
		{.match = "GET /v2/x", .times = 1, .status = 401},
		{.match = "GET /v2/y",
			.times = 1,
			.how = FAULT_RENDEZVOUS,
			.count = 5, /* token, x, y, token, x */
			.status = 401},
		{.match = "GET ", .body = "{}"},
	};
	struct gcp_call c[2];
	struct counter n = {0};
	struct gcp_world w;

	world_open(&w, steps, 3);
	for (int i = 0; i < 2; i++) {
		gcp_call_init(&c[i], w.g, GCP_TPU, "my-project", "do this");
		gcp_url(w.g, &c[i].url, GCP_TPU, i ? "/y" : "/x", NULL);
		c[i].done = count_done;
		c[i].ctx = &n;
		assert_int_equal(gcp_call_start(&c[i], &w.e), E_OK);
	}
	assert_int_equal(gcp_run(w.g, &w.e), E_OK);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(n.codes[i], E_OK);
		gcp_call_free(&c[i]);
	}
	assert_int_equal(fault_count_of(w.s, "POST /token"), 2);
	world_close(&w);
}

static void without_a_token_every_call_fails_and_none_is_sent(void **state)
{
	struct fault_step steps[] = {{.match = "POST /token",
		.status = 400,
		.body = "{\"error\":\"invalid_grant\"}"}};
	struct gcp_call c[3];
	struct counter n = {0};
	struct gcp_world w;

	world_open(&w, steps, 1);
	for (int i = 0; i < 3; i++) {
		begin(&w, &c[i]);
		c[i].done = count_done;
		c[i].ctx = &n;
		assert_int_equal(gcp_call_start(&c[i], &w.e), E_OK);
	}
	assert_int_equal(gcp_run(w.g, &w.e), E_OK);
	assert_int_equal(n.done, 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(c[i].code, E_AUTH);
		assert_non_null(strstr(c[i].err.msg, "do this: "));
		gcp_call_free(&c[i]);
	}
	assert_int_equal(fault_count(w.s), 1);
	world_close(&w);
}

static void a_call_that_waits_for_a_token_can_be_taken_back(void **state)
{
	struct gcp_call c[2];
	struct counter n = {0};
	struct gcp_world w;

	world_open(&w, (struct fault_step[]){{.match = "GET ", .body = "{}"}}, 1);
	for (int i = 0; i < 2; i++) {
		begin(&w, &c[i]);
		c[i].done = count_done;
		c[i].ctx = &n;
		assert_int_equal(gcp_call_start(&c[i], &w.e), E_OK);
	}
	gcp_call_free(&c[0]);
	assert_int_equal(gcp_run(w.g, &w.e), E_OK);
	assert_int_equal(n.done, 1);
	gcp_call_free(&c[1]);
	world_close(&w);
}

static void a_bad_project_is_refused_before_anything_is_sent(void **state)
{
	struct gcp_world w;
	struct gcp_call c;

	world_open(&w, NULL, 0);
	begin(&w, &c);
	c.project = "../x";
	assert_int_equal(gcp_call_do(&c, &w.e), E_CONFIG);
	assert_int_equal(fault_count(w.s), 0);
	gcp_call_free(&c);
	world_close(&w);
}

/* ---- writes -------------------------------------------------------------- */

static void a_write_whose_outcome_is_open_says_so(void **state)
{
	static const struct {
		struct fault_step step;
		enum err_code code;
		size_t sent;
	} cases[] = {
		{{.how = FAULT_RESET}, E_UNCERTAIN, 1},
		{{.status = 500}, E_UNCERTAIN, 1},
		{{.status = 503}, E_UNCERTAIN, 1},
		{{.body = "not json"}, E_UNCERTAIN, 1},
		{{.body = ""}, E_UNCERTAIN, 1},
		{{.status = 403, .body = "{}"}, E_DENIED, 1},
		{{.status = 404, .body = "{}"}, E_NOTFOUND, 1},
		{{.status = 429, .body = "{}"}, E_RATE, 5},
		{{.body = "{\"name\":\"op\"}"}, E_OK, 1},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fault_step step = cases[i].step;
		struct gcp_world w;
		struct gcp_call c;

		step.match = "POST /v2/x";
		world_open(&w, &step, 1);
		begin(&w, &c);
		c.method = "POST";
		c.body = "{}";
		c.write = true;
		assert_int_equal(gcp_call_do(&c, &w.e), cases[i].code);
		assert_int_equal(fault_count_of(w.s, "POST /v2/x"), cases[i].sent);
		gcp_call_free(&c);
		world_close(&w);
	}
}

static void an_empty_answer_may_be_fine(void **state)
{
	struct gcp_world w;
	struct gcp_call c;

	world_open(&w, (struct fault_step[]){{.match = "DELETE ", .status = 204}}, 1);
	begin(&w, &c);
	c.method = "DELETE";
	c.write = true;
	c.empty_ok = true;
	assert_int_equal(gcp_call_do(&c, &w.e), E_OK);
	assert_null(c.json);
	gcp_call_free(&c);
	world_close(&w);
}

/* ---- lists --------------------------------------------------------------- */

struct pages {
	struct gcp_list l;
	int n;
	enum err_code fail_at_2;
	bool ended;
};

static enum err_code on_page(struct gcp_list *l, const struct cJSON *page, struct err *e)
{
	struct pages *p = l->ctx;

	(void)page;
	p->n++;
	if (p->n == 2 && p->fail_at_2)
		return err_set(e, p->fail_at_2, "I do not like it");
	return E_OK;
}

static void on_end(struct gcp_list *l)
{
	((struct pages *)l->ctx)->ended = true;
}

static void run_list(struct gcp_world *w, struct pages *p)
{
	gcp_list_init(&p->l, w->g, GCP_TPU, "my-project", "list things");
	gcp_url(w->g, &p->l.call.url, GCP_TPU, "/things", NULL);
	p->l.on_page = on_page;
	p->l.on_done = on_end;
	p->l.ctx = p;
	assert_int_equal(gcp_list_start(&p->l, &w->e), E_OK);
	assert_int_equal(gcp_run(w->g, &w->e), E_OK);
	assert_true(p->ended);
}

static void pages_are_asked_for_one_after_the_other(void **state)
{
	struct fault_step steps[] = {
		{.match = "GET /v2/things?pageSize=500&prettyPrint=false ",
			.body = "{\"nextPageToken\":\"a/b c\"}"},
		{.match = "GET "
			  "/v2/things?pageSize=500&pageToken=a%2Fb%20c&prettyPrint=false ",
			.body = "{\"nextPageToken\":\"z\"}"},
		{.match = "GET /v2/things?pageSize=500&pageToken=z&prettyPrint=false ",
			.body = "{\"nextPageToken\":\"\"}"},
	};
	struct pages p = {0};
	struct gcp_world w;

	world_open(&w, steps, ARRAY_LEN(steps));
	run_list(&w, &p);
	assert_int_equal(p.l.code, E_OK);
	assert_int_equal(p.n, 3);
	assert_int_equal(p.l.pages, 3);
	gcp_list_free(&p.l);
	world_close(&w);
}

static void a_list_that_would_never_end_is_refused(void **state)
{
	static const struct {
		struct fault_step steps[3];
		int max_pages;
		enum err_code code;
		const char *msg;
	} cases[] = {
		/* the same token for ever */
		{{{.match = "GET ", .body = "{\"nextPageToken\":\"a\"}"}}, 0, E_DATA,
			"page token was repeated"},
		/* a cycle a, b, a, b */
		{{{.match = "GET /v2/things?pageSize=500&pageToken=a",
			  .body = "{\"nextPageToken\":\"b\"}"},
			 {.match = "GET ", .body = "{\"nextPageToken\":\"a\"}"}},
			0, E_DATA, "page token was repeated"},
		/* more pages than we read */
		{{{.match = "GET /v2/things?pageSize=500&pageToken=a",
			  .body = "{\"nextPageToken\":\"b\"}"},
			 {.match = "GET ", .body = "{\"nextPageToken\":\"a\"}"}},
			2, E_LIMIT, "more than 2 pages"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct pages p = {0};
		struct gcp_world w;

		world_open(&w, cases[i].steps, cases[i].steps[1].match ? 2 : 1);
		gcp_list_init(&p.l, w.g, GCP_TPU, "my-project", "list things");
		gcp_url(w.g, &p.l.call.url, GCP_TPU, "/things", NULL);
		p.l.max_pages = cases[i].max_pages;
		p.l.on_page = on_page;
		p.l.on_done = on_end;
		p.l.ctx = &p;
		assert_int_equal(gcp_list_start(&p.l, &w.e), E_OK);
		assert_int_equal(gcp_run(w.g, &w.e), E_OK);
		assert_int_equal(p.l.code, cases[i].code);
		assert_non_null(strstr(p.l.err.msg, cases[i].msg));
		gcp_list_free(&p.l);
		world_close(&w);
	}
}

static void one_bad_page_spoils_the_list(void **state)
{
	static const struct {
		struct fault_step second;
		enum err_code fail, code;
		const char *msg;
	} cases[] = {
		{{.status = 404, .body = "{}"}, E_OK, E_NOTFOUND,
			"page 2: list things: HTTP 404"},
		{{.how = FAULT_CLOSE}, E_OK, E_NET, "page 2: list things: "},
		{{.body = "{\"x\":"}, E_OK, E_DATA, "page 2: list things: "},
		{{.body = "{}"}, E_DATA, E_DATA, "list things: page 2: I do not like it"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fault_step steps[] = {
			{.match = "GET ", .times = 1, .body = "{\"nextPageToken\":\"a\"}"},
			cases[i].second};
		struct pages p = {.fail_at_2 = cases[i].fail};
		struct gcp_world w;

		steps[1].match = "GET ";
		world_open(&w, steps, 2);
		run_list(&w, &p);
		assert_int_equal(p.l.code, cases[i].code);
		if (!strstr(p.l.err.msg, cases[i].msg))
			fail_msg("case %zu: %s", i, p.l.err.msg);
		gcp_list_free(&p.l);
		world_close(&w);
	}
}

static void a_token_that_runs_out_between_pages_repeats_the_page(void **state)
{
	struct fault_step steps[] = {
		{.match = "GET ", .times = 1, .body = "{\"nextPageToken\":\"a\"}"},
		{.match = "GET ", .times = 1, .status = 401},
		{.match = "GET /v2/things?pageSize=500&pageToken=a", .body = "{}"},
	};
	struct pages p = {0};
	struct gcp_world w;

	world_open(&w, steps, 3);
	run_list(&w, &p);
	assert_int_equal(p.l.code, E_OK);
	assert_int_equal(p.n, 2);
	assert_int_equal(fault_count_of(w.s, "GET "), 3);
	gcp_list_free(&p.l);
	world_close(&w);
}

static void a_first_page_that_is_too_big_is_asked_for_in_tenths(void **state)
{
	struct fault_step steps[] = {
		{.match = "GET /v2/things?pageSize=500", .how = FAULT_ENDLESS},
		{.match = "GET /v2/things?pageSize=50&", .body = "{}"}};
	struct pages p = {0};
	struct gcp_world w;

	world_open(&w, steps, 2);
	p.l.call.max_body = 0;
	gcp_list_init(&p.l, w.g, GCP_TPU, "my-project", "list things");
	gcp_url(w.g, &p.l.call.url, GCP_TPU, "/things", NULL);
	p.l.call.max_body = 10000;
	p.l.on_page = on_page;
	p.l.on_done = on_end;
	p.l.ctx = &p;
	assert_int_equal(gcp_list_start(&p.l, &w.e), E_OK);
	assert_int_equal(gcp_run(w.g, &w.e), E_OK);
	assert_int_equal(p.l.code, E_OK);
	assert_int_equal(p.n, 1);
	gcp_list_free(&p.l);
	world_close(&w);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(project_ids_follow_googles_rules),
		cmocka_unit_test(names_cannot_leave_their_place_in_a_path),
		cmocka_unit_test(urls_are_google_s_unless_overridden),
		cmocka_unit_test(text_from_outside_becomes_one_line),
		cmocka_unit_test(an_error_is_named_by_its_best_reason),
		cmocka_unit_test(refusals_become_errors_with_a_way_out),
		cmocka_unit_test(answers_that_are_not_what_they_should_be),
		cmocka_unit_test(json_is_known_by_its_content_type_or_by_none),
		cmocka_unit_test(an_operation_with_an_error_is_handed_over),
		cmocka_unit_test(a_token_that_ran_out_is_renewed_once),
		cmocka_unit_test(a_token_that_is_always_refused_is_no_loop),
		cmocka_unit_test(calls_share_one_renewal),
		cmocka_unit_test(a_late_refusal_of_an_old_token_renews_nothing),
		cmocka_unit_test(without_a_token_every_call_fails_and_none_is_sent),
		cmocka_unit_test(a_call_that_waits_for_a_token_can_be_taken_back),
		cmocka_unit_test(a_bad_project_is_refused_before_anything_is_sent),
		cmocka_unit_test(a_write_whose_outcome_is_open_says_so),
		cmocka_unit_test(an_empty_answer_may_be_fine),
		cmocka_unit_test(pages_are_asked_for_one_after_the_other),
		cmocka_unit_test(a_list_that_would_never_end_is_refused),
		cmocka_unit_test(one_bad_page_spoils_the_list),
		cmocka_unit_test(a_token_that_runs_out_between_pages_repeats_the_page),
		cmocka_unit_test(a_first_page_that_is_too_big_is_asked_for_in_tenths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
