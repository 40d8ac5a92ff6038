/* Answers of Google that are cut, swollen, refused, late or of somebody else, on every step of
 * the way to machines, TPUs and costs: nothing that was known is lost, nothing is half stored,
 * the message says where it failed, and the next good poll heals it. What lies below HTTP (names,
 * TLS, proxies, slow lines) is in test_faults_tls.c.
 *
 * Not here: A36, a write whose connection breaks, belongs to stopping and deleting; the collector
 * only reads. A40, private addresses in webhooks, belongs to notifications. */
#include "tests/support/assert.h"
#include "tests/support/world/wire_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define HEAD "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
/* Whole, and good of every list: what goes wrong is not in it. */
#define WHOLE "{\"kind\":\"k\",\"items\":{},\"nodes\":[]}"
#define ERROR(code, reason)           \
	"{\"error\":{\"code\":" #code \
	",\"message\":\"Some reason.\",\"errors\":[{\"reason\":\"" reason "\"}]}}"
#define HTML "<html><body>Please log in to Hotel WLAN</body></html>"
#define HTML_TYPE "Content-Type: text/html\r\n"

struct row {
	const char *name;
	unsigned on; /* BIT(...) */
	struct fault_step steps[2];
	size_t requests;
	const char *error; /* NULL: it goes well after all */
	const char *fix, *state;
};

#define RAW(text)                                     \
	{                                             \
		{                                     \
			.how = FAULT_RAW, .raw = text \
		}                                     \
	}
#define SAYS(code, text)                             \
	{                                            \
		{                                    \
			.status = code, .body = text \
		}                                    \
	}
#define DOES(what)                  \
	{                           \
		{                   \
			.how = what \
		}                   \
	}
#define ONCE(code, text)                                         \
	{                                                        \
		{                                                \
			.times = 1, .status = code, .body = text \
		}                                                \
	}

static const struct row rows[] = {
	/* ---- cut, and swollen ---- */
	{"A5 a length larger than the body", EVERYWHERE,
		RAW(HEAD "Content-Length: 5000\r\n\r\n" WHOLE), 5,
		.error = "the answer was cut short"},
	{"A6 a length smaller than the body", EVERYWHERE,
		RAW(HEAD "Content-Length: 10\r\n\r\n" WHOLE), 1, .error = ""},
	{"A6 two lengths", EVERYWHERE,
		RAW(HEAD "Content-Length: 10\r\nContent-Length: 5000\r\n\r\n" WHOLE), 5,
		.error = ""},
	{"A7 a chunk that is cut", EVERYWHERE,
		RAW(HEAD "Transfer-Encoding: chunked\r\n\r\n5000\r\n" WHOLE), 5,
		.error = "the answer was cut short"},
	{"A7 no last chunk", EVERYWHERE,
		RAW(HEAD "Transfer-Encoding: chunked\r\n\r\n22\r\n" WHOLE "\r\n"), 5,
		.error = "the answer was cut short"},
	{"A7 a chunk of no size", EVERYWHERE,
		RAW(HEAD "Transfer-Encoding: chunked\r\n\r\nzz\r\n" WHOLE "\r\n0\r\n\r\n"),
		5, .error = "connection broke while receiving"},
	{"A8 cut where the connection ends", EVERYWHERE,
		RAW(HEAD "\r\n{\"kind\":\"k\",\"items\":{"), 1,
		.error = "the text ends too early"},
	{"A9 a gzip bomb, in a list", LISTS_ONLY, DOES(FAULT_BIG_GZIP), 2,
		.error = "answer larger than 33554432 bytes"},
	{"A9 a gzip bomb", BIT(ON_ROWS) | BIT(ON_TABLE), DOES(FAULT_BIG_GZIP), 1,
		.error = "answer larger than 33554432 bytes"},
	{"A9 a gzip bomb for a token", BIT(ON_TOKEN), DOES(FAULT_BIG_GZIP), 1,
		.error = "answer larger than 65536 bytes"},
	{"A10 a body without end, in a list", LISTS_ONLY, DOES(FAULT_ENDLESS), 2,
		.error = "answer larger than 33554432 bytes"},
	{"A10 a body without end", BIT(ON_ROWS) | BIT(ON_TABLE), DOES(FAULT_ENDLESS), 1,
		.error = "answer larger than 33554432 bytes"},
	{"A10 a token without end", BIT(ON_TOKEN), DOES(FAULT_ENDLESS), 1,
		.error = "answer larger than 65536 bytes"},
	{"A11 400 KB of headers, of a list", LISTS_ONLY, DOES(FAULT_BIG_HEAD), 2,
		.error = "answer's header larger than 65536 bytes"},
	{"A11 400 KB of headers", QUERIES_ONLY | BIT(ON_TABLE) | BIT(ON_TOKEN),
		DOES(FAULT_BIG_HEAD), 1,
		.error = "answer's header larger than 65536 bytes"},
	{"A12 gzip that is none", EVERYWHERE,
		RAW(HEAD "Content-Encoding: gzip\r\nContent-Length: 34\r\n\r\n" WHOLE), 1,
		.error = "the answer's compression is damaged"},
	{"A12 deflate that is none", EVERYWHERE,
		RAW(HEAD "Content-Encoding: deflate\r\nContent-Length: 34\r\n\r\n" WHOLE),
		1, .error = "the answer's compression is damaged"},
	{"A12 a compression nobody knows", EVERYWHERE,
		RAW(HEAD "Content-Encoding: zebra\r\nContent-Length: 34\r\n\r\n" WHOLE), 1,
		.error = "the answer's compression is damaged"},
	/* One page of more than is read: requested in tenths, once. */
	{"A13 a page that is too large", LISTS_ONLY, {{.times = 1, .how = FAULT_ENDLESS}},
		2, .error = NULL},

	/* ---- something else than what was asked for ---- */
	{"A20 an error that says 200", ALL_APIS, SAYS(200, ERROR(403, "forbidden")), 1,
		.error = "HTTP 403 forbidden: Some reason"},
	{"A20 a token error that says 200", BIT(ON_TOKEN),
		SAYS(200, "{\"error\":\"invalid_grant\"}"), 1,
		.error = "the response has no usable access_token"},
	{"A20 a captive portal", ALL_APIS, {{.headers = HTML_TYPE, .body = HTML}}, 1,
		.error = "the response is not JSON but text/html"},
	{"A20 a captive portal instead of a token", BIT(ON_TOKEN),
		{{.headers = HTML_TYPE, .body = HTML}}, 1, .error = "expected a value"},
	{"A20 HTML that says it is JSON", EVERYWHERE, SAYS(200, HTML), 1,
		.error = "expected a value"},
	{"A20 HTML that says nothing", EVERYWHERE, RAW("HTTP/1.1 200 OK\r\n\r\n" HTML), 1,
		.error = "expected a value"},
	{"A20 a login page that says 511", EVERYWHERE,
		{{.status = 511, .headers = HTML_TYPE, .body = HTML}}, 1,
		.error = "HTTP 511"},
	{"A20 something that is no HTTP", EVERYWHERE, RAW("SSH-2.0-OpenSSH_9.2p1\r\n"), 1,
		.error = "the answer is not HTTP"},
	{"A21 an empty answer", ALL_APIS, SAYS(200, ""), 1,
		.error = "the response is empty"},
	{"A21 an empty token answer", BIT(ON_TOKEN), SAYS(200, ""), 1,
		.error = "the text is empty"},
	{"A22 204", ALL_APIS, SAYS(204, NULL), 1, .error = "the response is empty"},
	{"A22 204 instead of a token", BIT(ON_TOKEN), SAYS(204, NULL), 1,
		.error = "HTTP 204"},

	/* ---- refused ---- */
	{"A23 a token that has run out", ALL_APIS, ONCE(401, ERROR(401, "authError")), 2,
		.error = NULL},
	{"A25 401 always", ALL_APIS, SAYS(401, ERROR(401, "authError")), 2,
		.error = "HTTP 401 authError",
		"Google refuses a new token of the credentials file"},
	{"A25 401 instead of a token", BIT(ON_TOKEN),
		SAYS(401, "{\"error\":\"invalid_client\"}"), 1,
		.error = "HTTP 401: invalid_client"},
	{"A26 an API that is not enabled", ALL_APIS & ~BIT(ON_TABLE) & ~QUERIES_ONLY,
		SAYS(403, ERROR(403, "accessNotConfigured")), 1,
		.error = "HTTP 403 accessNotConfigured", "run: gcloud services enable ",
		"disabled"},
	{"A26 the API of a table that is not enabled", BIT(ON_TABLE),
		SAYS(403, ERROR(403, "accessNotConfigured")), 1,
		.error = "HTTP 403 accessNotConfigured", "run: gcloud services enable "},
	{"A26 machines may not be listed", BIT(ON_VMS), SAYS(403, ERROR(403, "forbidden")),
		1, .error = "HTTP 403 forbidden", "--role=roles/compute.viewer"},
	{"A26 TPUs may not be listed", BIT(ON_TPUS),
		SAYS(403,
			"{\"error\":{\"code\":403,\"status\":\"PERMISSION_DENIED\","
			"\"message\":\"Permission 'tpu.nodes.list' denied\"}}"),
		1, .error = "PERMISSION_DENIED: Permission 'tpu.nodes.list' denied",
		"--role=roles/tpu.viewer"},
	{"A26 the table may not be read", BIT(ON_TABLE),
		SAYS(403, ERROR(403, "accessDenied")), 1, .error = "HTTP 403 accessDenied",
		"--role="},
	{"A26 no queries allowed", QUERIES_ONLY, SAYS(403, ERROR(403, "accessDenied")), 1,
		.error = "HTTP 403 accessDenied", "--role=roles/bigquery.jobUser"},
	{"A26 a scope is lacking", ALL_APIS,
		SAYS(403, ERROR(403, "ACCESS_TOKEN_SCOPE_INSUFFICIENT")), 1,
		.error = "HTTP 403", "the credentials lack the scope cloud-platform"},
	{"A27 403 because we are too fast", ALL_APIS,
		{{.times = 2, .status = 403, .body = ERROR(403, "rateLimitExceeded")}}, 3,
		.error = NULL},
	{"A27 403 because we are always too fast", ALL_APIS,
		SAYS(403, ERROR(403, "userRateLimitExceeded")), 5,
		.error = "HTTP 403 userRateLimit"},
	{"A27 403 because the day's share is used up", ALL_APIS,
		SAYS(403, ERROR(403, "dailyLimitExceeded")), 1,
		.error = "HTTP 403 dailyLimitExceeded"},
	/* No project, no zone, no table: never "there are none". */
	{"A28 404", ALL_APIS, SAYS(404, ERROR(404, "notFound")), 1,
		.error = "HTTP 404 notFound"},
	{"A28 404 in HTML", ALL_APIS, {{.status = 404, .headers = HTML_TYPE, .body = HTML}},
		1, .error = "HTTP 404"},
	{"A28 404 instead of a token", BIT(ON_TOKEN),
		{{.status = 404, .headers = HTML_TYPE, .body = HTML}}, 1,
		.error = "token: HTTP 404"},
	{"A28 400", ALL_APIS, SAYS(400, ERROR(400, "invalid")), 1,
		.error = "HTTP 400 invalid"},

	/* ---- broken for the moment ---- */
	{"A30 four times 500", EVERYWHERE, {{.times = 4, .status = 500, .body = "{}"}}, 5,
		.error = NULL},
	{"A30 five times 500", EVERYWHERE, {{.times = 5, .status = 500, .body = "{}"}}, 5,
		.error = "HTTP 500"},
	{"A30 502, 504, and good", EVERYWHERE,
		{{.times = 1, .status = 502, .headers = HTML_TYPE, .body = HTML},
			{.times = 1, .status = 504}},
		3, .error = NULL},
	{"A30 501 is for ever", EVERYWHERE, SAYS(501, HTML), 1, .error = "HTTP 501"},
	{"A31 503", EVERYWHERE, SAYS(503, HTML), 5, .error = "HTTP 503"},
	/* A connection that was kept is closed when the next request comes down it. */
	{"A37 closed at the request", EVERYWHERE, {{.times = 1, .how = FAULT_CLOSE}}, 2,
		.error = NULL},
	{"A37 reset at the request", EVERYWHERE, {{.times = 1, .how = FAULT_RESET}}, 2,
		.error = NULL},
	{"A37 closed at a fresh connection, always", BIT(ON_TOKEN), DOES(FAULT_CLOSE), 5,
		.error = "the server closed without an answer"},
	{"A37 reset at a fresh connection, always", BIT(ON_TOKEN), DOES(FAULT_RESET), 5,
		.error = "connection broke"},
	/* One more: libcurl's own second try where the connection was a kept one. */
	{"A37 closed, always", ALL_APIS, DOES(FAULT_CLOSE), 6,
		.error = "the server closed without an answer"},
	{"A37 reset, always", ALL_APIS, DOES(FAULT_RESET), 6, .error = "connection broke"},
};

static void run_row(const struct row *r, enum wire_on on)
{
	size_t n = 0;
	struct wire_outcome o;

	while (n < ARRAY_LEN(r->steps) &&
		(r->steps[n].how || r->steps[n].status || r->steps[n].body))
		n++;
	wire_begin(on, r->name);
	o = wire_poll(r->steps, n, NULL);
	if (r->error)
		wire_expect_kept(r->state ? r->state : "failed", r->error);
	else
		wire_expect_new("ok");
	if (r->fix)
		wire_expect_fix(r->fix);
	if (o.requests != r->requests)
		fail_msg("%s: %s: %zu requests, want %zu", r->name, wire_match(on),
			o.requests, r->requests);
	wire_heal();
}

static void whatever_comes_facts_are_kept_and_heal(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i += (size_t)unit_step(1))
		for (enum wire_on on = 0; on < ON_ALL; on++)
			if (rows[i].on & BIT(on))
				run_row(&rows[i], on);
}

/* A25: who is refused asks for one new token, not for one after the other. */
static void a_refused_token_is_renewed_once(void **state)
{
	static const struct fault_step once = {.times = 1,
					       .status = 401,
					       .body = ERROR(401, "authError")},
				       always = {.status = 401,
					       .body = ERROR(401, "authError")};

	for (enum wire_on on = 0; on < ON_ALL; on++) {
		if (on == ON_TOKEN)
			continue;
		wire_begin(on, "A23");
		assert_int_equal(wire_poll(&once, 1, NULL).tokens, 2);
		wire_expect_new("ok");
		wire_begin(on, "A25");
		assert_int_equal(wire_poll(&always, 1, NULL).tokens, 2);
		wire_expect_kept("failed", "HTTP 401");
		wire_heal();
	}
}

/* A37: the server had closed the connection since; libcurl asks again on a new one, at once. */
static void a_kept_connection_that_died_costs_no_wait(void **state)
{
	static const struct fault_step closed = {.times = 1, .how = FAULT_CLOSE};

	for (enum wire_on on = 0; on < ON_ALL; on++) {
		struct wire_outcome o;

		if (on == ON_TOKEN)
			continue; /* the first request: no connection is kept yet */
		wire_begin(on, "A37");
		o = wire_poll(&closed, 1, NULL);
		assert_i64_eq(o.requests, 2);
		assert_i64_eq(o.waited, 0);
		wire_expect_new("ok");
	}
}

/* A32: neither followed nor told who we are. */
static void a_redirect_leads_nowhere(void **state)
{
	static const int statuses[] = {301, 302, 303, 307, 308};
	static const char *const places[] = {"file:///etc/passwd", "http://127.0.0.1:1/",
		"https://example.invalid/", "/v2/elsewhere", "%s/stolen"};
	struct fault_step other = {.body = WHOLE};
	struct fault_server *s = fault_start(&other, 1);
	char place[200], headers[256];

	for (size_t i = 0; i < ARRAY_LEN(statuses); i++)
		for (enum wire_on on = 0; on < ON_ALL; on++) {
			struct fault_step step = {
				.status = statuses[i], .headers = headers, .body = WHOLE};

			strcpy(place, places[i]);
			if (strstr(place, "%s"))
				snprintf(place, sizeof(place), "%s/stolen", fault_base(s));
			snprintf(headers, sizeof(headers), "Location: %s\r\n", place);
			wire_begin(on, place);
			assert_int_equal(wire_poll(&step, 1, NULL).requests, 1);
			wire_expect_kept("failed",
				on == ON_TOKEN ? "token: HTTP 30"
					       : "redirects are not followed");
			wire_heal();
		}
	assert_int_equal(fault_count(s), 0);
	fault_stop(s);
}

/* ---- pages --------------------------------------------------------------------------------------- */

#define VM_PAGE(items, more) \
	"{\"items\":{\"zones/us-central1-a\":{\"instances\":[" items "]}}" more "}"
#define NODE_PAGE(items, more) "{\"nodes\":[" items "]" more "}"
#define VM(id, name, status)                                            \
	"{\"id\":\"" id "\",\"name\":\"" name "\",\"status\":\"" status \
	"\",\"machineType\":\"t/n1-standard-1\"}"
#define NODE(id, name, state)                                                   \
	"{\"id\":\"" id                                                         \
	"\",\"name\":\"projects/my-project/locations/us-central1-a/nodes/" name \
	"\",\"state\":\"" state "\",\"acceleratorType\":\"v3-8\"}"
#define NEXT(token) ",\"nextPageToken\":\"" token "\""
#define FIRST_VM VM_PAGE(VM("12", "new", "RUNNING"), NEXT("a"))
#define FIRST_NODE NODE_PAGE(NODE("12", "new", "READY"), NEXT("a"))
#define KEPT_VM VM("11", "kept", "RUNNING")
#define KEPT_NODE NODE("11", "kept", "READY")

/* The first page has what is new, and lacks what is known; then this comes. */
static const struct page_row {
	const char *name;
	struct fault_step then;
	const char *vms, *nodes; /* bodies of it, when they differ */
	size_t requests;
	const char *error; /* NULL: it goes well */
} page_rows[] = {
	{"A15 the same token for ever", {.body = ""}, FIRST_VM, FIRST_NODE, 2,
		"page 2: the page token was repeated"},
	{"A17 page 2 is not there", {.status = 404, .body = ERROR(404, "notFound")}, NULL,
		NULL, 2, "page 2: "},
	{"A17 page 2 is for others", {.status = 403, .body = ERROR(403, "forbidden")}, NULL,
		NULL, 2, "page 2: "},
	{"A17 page 2 fails for ever", {.status = 503, .body = HTML}, NULL, NULL, 6,
		"HTTP 503"},
	{"A17 page 2 is cut",
		{.how = FAULT_RAW, .raw = HEAD "Content-Length: 5000\r\n\r\n" WHOLE}, NULL,
		NULL, 6, "the answer was cut short"},
	{"A17 page 2 is half a text", {.body = "{\"kind\":\"k\",\"items\":{"}, NULL, NULL,
		2, "the text ends too early"},
	{"A17 page 2 is empty", {.body = ""}, NULL, NULL, 2, "page 2: "},
	{"A17 page 2 has no end", {.how = FAULT_ENDLESS}, NULL, NULL, 2,
		"answer larger than"},
	{"A17 page 2 has an item that reads wrong", {.body = ""},
		VM_PAGE("{\"id\":\"11\"}", ""), NODE_PAGE("{\"id\":\"11\"}", ""), 2,
		"page 2: "},
	{"A17 page 2 comes at the third try", {.times = 2, .status = 502, .body = HTML},
		NULL, NULL, 4, NULL},
	/* With a new token, and the same page again. */
	{"A24 the token runs out before page 2",
		{.times = 1, .status = 401, .body = ERROR(401, "authError")}, NULL, NULL, 3,
		NULL},
};

static void one_bad_page_spoils_the_list(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(page_rows); i++)
		for (enum wire_on on = ON_VMS; on <= ON_TPUS; on++) {
			const struct page_row *r = &page_rows[i];
			bool vms = on == ON_VMS;
			struct fault_step steps[] = {
				{.times = 1, .body = vms ? FIRST_VM : FIRST_NODE}, r->then,
				{.body = vms ? VM_PAGE(KEPT_VM, "")
					     : NODE_PAGE(KEPT_NODE, "")}};
			struct wire_outcome o;

			if (r->vms)
				steps[1].body = vms ? r->vms : r->nodes;
			wire_begin(on, r->name);
			o = wire_poll(steps, ARRAY_LEN(steps), NULL);
			if (o.requests != r->requests)
				fail_msg("%s: %zu requests", r->name, o.requests);
			if (r->error)
				wire_expect_kept("failed", r->error);
			else
				wire_expect_new("ok");
			wire_heal();
		}
}

static void tokens_that_go_in_a_circle_are_found_out(void **state)
{
	static const char *const bodies[][3] = {
		{FIRST_VM, VM_PAGE("", NEXT("b")), FIRST_VM},
		{FIRST_NODE, NODE_PAGE("", NEXT("b")), FIRST_NODE}};

	for (enum wire_on on = ON_VMS; on <= ON_TPUS; on++) {
		const struct fault_step steps[] = {{.times = 1, .body = bodies[on][0]},
			{.times = 1, .body = bodies[on][1]}, {.body = bodies[on][2]}};

		wire_begin(on, "A16");
		assert_i64_eq(wire_poll(steps, ARRAY_LEN(steps), NULL).requests, 3);
		wire_expect_kept("failed", "page 3: the page token was repeated");
		wire_heal();
	}
}

static void a_list_without_end_is_given_up(void **state)
{
	enum { PAGES = 1001 };
	static struct fault_step steps[PAGES];
	static char bodies[PAGES][256];

	for (enum wire_on on = ON_VMS; on <= ON_TPUS; on++) {
		for (int i = 0; i < PAGES; i++) {
			snprintf(bodies[i], sizeof(bodies[i]),
				on == ON_VMS
					? VM_PAGE(VM("12", "new", "RUNNING"), NEXT("t%d"))
					: NODE_PAGE(
						  NODE("12", "new", "READY"), NEXT("t%d")),
				i);
			steps[i] = (struct fault_step){.times = 1, .body = bodies[i]};
		}
		wire_begin(on, "A14");
		assert_i64_eq(wire_poll(steps, PAGES, NULL).requests, 1000);
		wire_expect_kept("failed", "more than 1000 pages");
		wire_heal();
	}
}

/* A18: a list that shifted while it was read. Nothing is wrong then, and nothing is said. */
static void what_stands_on_two_pages_counts_once_as_it_was_last(void **state)
{
	static const char *const bodies[][2] = {
		{VM_PAGE(KEPT_VM "," VM("12", "new", "RUNNING"), NEXT("a")),
			VM_PAGE(VM("12", "new", "TERMINATED"), "")},
		{NODE_PAGE(KEPT_NODE "," NODE("12", "new", "READY"), NEXT("a")),
			NODE_PAGE(NODE("12", "new", "STOPPED"), "")}};

	for (enum wire_on on = ON_VMS; on <= ON_TPUS; on++) {
		const struct fault_step steps[] = {
			{.times = 1, .body = bodies[on][0]}, {.body = bodies[on][1]}};

		wire_begin(on, "A18");
		assert_i64_eq(wire_poll(steps, ARRAY_LEN(steps), NULL).requests, 2);
		wire_expect_new("ok");
		wire_expect("SELECT group_concat(x) FROM (SELECT name || ' ' || state AS x "
			    "FROM resource ORDER BY name)",
			"kept running,new stopped");
	}
}

/* A19: not there, and not gone. */
static void a_zone_that_did_not_answer_keeps_what_it_had(void **state)
{
	static const char *const bodies[][3] = {
		{"{\"items\":{\"zones/"
		 "us-central1-a\":{\"warning\":{\"code\":\"UNREACHABLE\"}}}}",
			"{\"items\":{},\"unreachables\":[\"zones/us-central1-a\"]}",
			"{\"items\":{\"zones/"
			"us-central1-a\":{\"warning\":{\"code\":\"NEW_ONE\"}}}}"},
		{"{\"unreachable\":[\"projects/my-project/locations/us-central1-a\"]}",
			"{\"nodes\":[],\"unreachable\":[\"us-central1-a\"]}",
			"{\"nodes\":[],\"unreachable\":[\"us-east1-b\",\"us-central1-a\"]"
			"}"}};

	for (enum wire_on on = ON_VMS; on <= ON_TPUS; on++)
		for (int i = 0; i < 3; i++) {
			const struct fault_step step = {.body = bodies[on][i]};

			wire_begin(on, "A19");
			/* Once: what is lacking lies where nobody answered. */
			assert_i64_eq(wire_poll(&step, 1, NULL).requests, 1);
			wire_expect_facts();
			wire_expect("SELECT state || ' ' || failures || ' ' || "
				    "(last_attempt - last_success) FROM source_status",
				"partial 0 3600");
			wire_expect_error("no answer from ");
			wire_expect_error("us-central1-a");
			wire_expect("SELECT COUNT(*) FROM source_gap WHERE location = "
				    "'us-central1-a'",
				"1");
			wire_heal();
			wire_expect("SELECT COUNT(*) FROM source_gap", "0");
		}
}

/* ---- waiting ---------------------------------------------------------------------------------------- */

/* A29, with a poll at six o'clock by our clock. */
static void the_server_says_how_long_to_wait(void **state)
{
	static const struct {
		const char *headers;
		int64_t least, most;
		bool waits; /* else it is longer than we wait at all */
	} cases[] = {
		{"Retry-After: 7\r\n", 7, 7, true},
		{"Retry-After: Sat, 21 Nov 2026 06:00:20 GMT\r\n", 20, 20, true},
		/* its own clock, which need not be ours */
		{"Date: Sat, 21 Nov 2026 08:00:00 GMT\r\n"
		 "Retry-After: Sat, 21 Nov 2026 08:00:09 GMT\r\n",
			9, 9, true},
		{"Retry-After: -5\r\n", 0, 1, true},
		{"Retry-After: abc\r\n", 0, 1, true},
		{"Retry-After: 1e99\r\n", 0, 1, true},
		{"Retry-After: 99999999999999999999\r\n", 0, 0, false},
		{"Retry-After: Sat, 21 Nov 2099 06:00:00 GMT\r\n", 0, 0, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (enum wire_on on = 0; on < ON_ALL; on++) {
			const struct fault_step step = {.times = 1,
				.status = 429,
				.headers = cases[i].headers,
				.body = ERROR(429, "slowDown")};
			struct wire_outcome o;

			wire_begin(on, cases[i].headers);
			o = wire_poll(&step, 1, NULL);
			if (o.waited < cases[i].least || o.waited > cases[i].most)
				fail_msg("%s: waited %lld s", cases[i].headers,
					(long long)o.waited);
			assert_i64_eq(o.requests, cases[i].waits ? 2 : 1);
			if (cases[i].waits)
				wire_expect_new("ok");
			else
				wire_expect_kept("failed", "HTTP 429");
			wire_heal();
		}
}

static int64_t every_minute(void *ctx, const struct source *s)
{
	(void)ctx;
	(void)s;
	return 60;
}

/* Once a minute, what is due; returns how often something was. */
static size_t poll_for(struct gcp_world *w, ts_t from, int minutes)
{
	static const char *const projects[] = {"my-project"}, *const only[] = {"vm"};
	struct collect_settings settings = {
		.projects = projects, .n_projects = 1, .tz = ww.t.tz};
	struct collector c = {.settings = &settings,
		.gcp = w->g,
		.db = ww.t.db,
		.clock = &w->clock,
		.only = only,
		.n_only = 1,
		.interval = every_minute};
	struct collect_result r;
	size_t polls = 0;

	for (int i = 0; i < minutes; i++) {
		if (w->clock.fake_now < from + i * 60)
			w->clock.fake_now = from + i * 60;
		assert_ok(collect(&c, &r, &w->e), w->e);
		polls += r.polled;
	}
	return polls;
}

/* A31: the circuit opens, and is tried every five minutes. */
static void six_hours_of_503_are_asked_about_every_five_minutes(void **state)
{
	const struct fault_step steps[] = {
		{.match = wire_match(ON_VMS), .status = 503, .body = HTML},
		{.match = wire_match(ON_VMS), .body = VM_PAGE(KEPT_VM, "")}};
	struct gcp_world w;
	size_t polls;
	char want[64];

	wire_begin(ON_VMS, "A31");
	world_open(&w, &steps[0], 1);
	polls = poll_for(&w, WORLD_NOW + 3600, 360);
	assert_in_range(polls, 60, 76);
	assert_i64_eq(fault_count_of(w.s, wire_match(ON_VMS)), 5 * polls);
	snprintf(want, sizeof(want), "failed %zu kept 0 0", polls);
	wire_expect("SELECT s.state || ' ' || failures || ' ' || name || ' ' || complete "
		    "|| ' ' || (last_seen - 1795237200) FROM source_status s, resource",
		want);
	wire_expect("SELECT COUNT(*) || ' ' || COUNT(ends) FROM resource_interval", "1 0");
	world_close(&w);
	/* Five minutes after it ends all is well, and asked every minute again. */
	world_open(&w, &steps[1], 1);
	polls = poll_for(&w, WORLD_NOW + 7 * 3600, 10);
	assert_in_range(polls, 4, 10);
	wire_expect(
		"SELECT s.state || ' ' || failures || ' ' || name || ' ' || complete FROM "
		"source_status s, resource",
		"ok 0 kept 1");
	world_close(&w);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whatever_comes_facts_are_kept_and_heal),
		cmocka_unit_test(a_refused_token_is_renewed_once),
		cmocka_unit_test(a_kept_connection_that_died_costs_no_wait),
		cmocka_unit_test(a_redirect_leads_nowhere),
		cmocka_unit_test(one_bad_page_spoils_the_list),
		cmocka_unit_test(tokens_that_go_in_a_circle_are_found_out),
		cmocka_unit_test(a_list_without_end_is_given_up),
		cmocka_unit_test(what_stands_on_two_pages_counts_once_as_it_was_last),
		cmocka_unit_test(a_zone_that_did_not_answer_keeps_what_it_had),
		cmocka_unit_test(the_server_says_how_long_to_wait),
		cmocka_unit_test(six_hours_of_503_are_asked_about_every_five_minutes),
	};

	return cmocka_run_group_tests(tests, wire_setup, wire_teardown);
}
