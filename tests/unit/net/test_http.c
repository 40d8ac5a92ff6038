#include "base/net/http.h"
#include "base/net/http_internal.h"

#include "base/time/civil.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/url/url.h"
#include "tests/support/fault/fault_server.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOW INT64_C(1795237200) /* 2026-11-21T05:00:00Z */

/* A client on a clock that only sleeping moves, and a server. */
struct world {
	struct clock clock;
	struct http *h;
	struct fault_server *s;
	struct http_req r;
	struct err e;
	char url[256];
};

static void open_world(struct world *w, const struct http_opts *more,
	const struct fault_step *steps, size_t n)
{
	struct http_opts o = more ? *more : (struct http_opts){0};

	memset(w, 0, sizeof(*w));
	clock_fake_init(&w->clock, NOW);
	o.clock = &w->clock;
	o.seed = 7;
	assert_int_equal(http_new(&o, &w->h, &w->e), E_OK);
	w->s = fault_start(steps, n);
	w->r.method = "GET";
	w->r.idempotent = true;
	w->r.url = w->url;
	snprintf(w->url, sizeof(w->url), "%s/x", fault_base(w->s));
}

static void close_world(struct world *w)
{
	http_req_done(&w->r);
	http_free(w->h);
	fault_stop(w->s);
}

static int64_t waited(const struct world *w)
{
	return w->clock.fake_now - NOW;
}

static struct fault_step one(enum fault_how how)
{
	return (struct fault_step){.how = how, .body = "{}"};
}

/* ---- texts --------------------------------------------------------------- */

static void plain_http_is_for_loopback_only(void **state)
{
	static const struct {
		const char *url;
		bool ok;
	} cases[] = {
		{"https://compute.googleapis.com/compute/v1", true},
		{"https://compute.googleapis.com:8443/x?y=z", true},
		{"http://127.0.0.1:8080", true},
		{"http://127.9.8.7/x", true},
		{"http://localhost/x", true},
		{"http://LOCALHOST/x", true},
		{"http://[::1]:80/x", true},
		{"http://example.org/", false},
		{"http://127.0.0.1.example.org/", false},
		{"http://127.1/", false},
		{"http://2130706433/", false},
		{"http://0x7f.0.0.1/", false},
		{"http://127.0.0.256/", false},
		{"http://127.0.0.01/", false},
		{"http://169.254.169.254/", false},
		{"http://[::2]/", false},
		{"http://127.0.0.1@example.org/", false},
		{"https://user:secret@example.org/", false},
		{"https://example.org#x", false},
		{"https://example.org\\@127.0.0.1/", false},
		{"https://exa mple.org/", false},
		{"https://example.org/\n", false},
		{"https:///x", false},
		{"https://example.org:0/", false},
		{"https://example.org:65536/", false},
		{"https://example.org:x/", false},
		{"https://[::1/", false},
		{"https://ex\xc3\xa4mple.org/", false},
		{"file:///etc/passwd", false},
		{"ftp://127.0.0.1/", false},
		{"HTTPS://example.org/", false},
		{"", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e = {0};

		if (http_url_allowed(cases[i].url, &e) != cases[i].ok)
			fail_msg("%s", cases[i].url);
		assert_int_equal(e.msg[0] == '\0', cases[i].ok);
		assert_int_equal(http_url_allowed(cases[i].url, NULL), cases[i].ok);
	}
}

/* curl reads the first four as 127.0.0.1 and 0.0.0.0. */
static void a_host_that_others_read_as_another_is_refused(void **state)
{
	static const char *const wrong[] = {"https://2130706433/", "https://0x7f.1/",
		"https://127.1/", "https://0", "https://127.0.0.1.2/", "https://1.2.3.256",
		"https://a.0x1f/", "https://[:::]/", "https://[::1.2]/", "https://-a.org/",
		"https://.a.org/", "https://a..b/", "https://[fe]/", "https://[1.2.3.4]/"};
	static const char *const right[] = {"https://127.0.0.1/",
		"https://[::ffff:1.2.3.4]/", "https://1a.org/", "https://0x.org/",
		"https://a.0xg/", "https://a.org./", "https://a-b.c_d/"};
	struct url u;
	struct err e = {0};

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
		if (url_parse(wrong[i], &u, &e) != E_CONFIG)
			fail_msg("taken: %s", wrong[i]);
	for (size_t i = 0; i < ARRAY_LEN(right); i++)
		if (url_parse(right[i], &u, &e) != E_OK)
			fail_msg("%s", e.msg);
	assert_int_equal(url_parse("https://127.1/", &u, &e), E_CONFIG);
	assert_string_equal(e.msg,
		"URL 'https://127.1/': its address is not written in the usual form");
	assert_string_equal(e.fix, URL_USUAL_FORM_FIX);
}

static void a_url_is_taken_apart(void **state)
{
	struct err e;
	struct url u;

	assert_int_equal(url_parse("https://Compute.GoogleApis.com/a?b=c", &u, &e), E_OK);
	assert_true(u.https);
	assert_string_equal(u.host, "compute.googleapis.com");
	assert_int_equal(u.port, 443);
	assert_string_equal(u.path, "/a?b=c");
	assert_int_equal(url_parse("http://[::1]:8080", &u, &e), E_OK);
	assert_false(u.https);
	assert_string_equal(u.host, "::1");
	assert_int_equal(u.port, 8080);
	assert_string_equal(u.path, "");
	assert_int_equal(url_parse("http://a/", &u, &e), E_OK);
	assert_int_equal(u.port, 80);
}

static void parameters_are_encoded_and_joined(void **state)
{
	struct sbuf b = SBUF_INIT;

	sbuf_adds(&b, "https://x/y");
	url_param(&b, "pageToken", "a b&c=d/\xc3\xa4");
	url_param(&b, "formatOptions.useInt64Timestamp", "true");
	assert_string_equal(b.s,
		"https://x/y?pageToken=a%20b%26c%3Dd%2F%C3%A4"
		"&formatOptions.useInt64Timestamp=true");
	sbuf_done(&b);
}

static void retry_after_is_clamped_and_nonsense_ignored(void **state)
{
	static const struct {
		const char *value;
		int64_t want;
	} cases[] = {
		{"7", 7},
		{"0", 1},
		{"900", 900},
		{"901", 900},
		{"99999999999999999999999999", 900},
		{"Sat, 21 Nov 2026 05:00:30 GMT", 30},
		{"Sat, 21 Nov 2026 04:00:00 GMT", 1},
		{"Sat, 21 Nov 2099 05:00:00 GMT", 900},
		{"-5", -1},
		{"abc", -1},
		{"1e99", -1},
		{"1.5", -1},
		{"7 s", -1},
		{"", -1},
		{"Sat, 31 Feb 2026 05:00:30 GMT", -1},
		{"Sat, 21 Nov 2026 05:00:30 HKT", -1},
		{"Sat, 21 Nov 2026 25:00:30 GMT", -1},
		{"Sat, 21 Xxx 2026 05:00:30 GMT", -1},
		{"Sat, 21 Nov 2026 05:00:30 GMT+1", -1},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (http_retry_after(cases[i].value, NOW) != cases[i].want)
			fail_msg("%s: %lld", cases[i].value,
				(long long)http_retry_after(cases[i].value, NOW));
}

static void an_http_date_is_an_instant(void **state)
{
	ts_t t = 5;

	assert_true(http_date_parse("Sun, 06 Nov 1994 08:49:37 GMT", &t));
	assert_int_equal(t, 784111777);
	t = 5;
	assert_false(http_date_parse("Sunday, 06-Nov-94 08:49:37 GMT", &t));
	assert_false(http_date_parse("", &t));
	assert_false(http_date_parse("Sun, 06 Nov 1994 08:49:37 GMT ", &t));
	assert_false(http_date_parse("Sun, 06 Nov 1994 08:49:\t37 GMT", &t));
	assert_false(http_date_parse("Sun, +6 Nov 1994 08:49:37 GMT", &t));
	assert_false(http_date_parse("Sun, 31 Feb 1994 08:49:37 GMT", &t));
	assert_int_equal(t, 5);
}

static void backoff_grows_to_its_cap_with_full_jitter(void **state)
{
	static const int64_t caps[] = {
		0, 0, 1000, 2000, 4000, 8000, 16000, 32000, 32000, 32000};
	uint64_t rng = 12345;

	for (int attempt = 2; attempt < 10; attempt++) {
		int64_t least = INT64_MAX, most = -1;

		for (int i = 0; i < 2000; i++) {
			int64_t ms = http_backoff_ms(attempt, &rng);

			least = ms < least ? ms : least;
			most = ms > most ? ms : most;
		}
		assert_true(least >= 0 && least < caps[attempt] / 50);
		assert_true(
			most <= caps[attempt] && most > caps[attempt] - caps[attempt] / 50);
	}
}

static void statuses_have_classes(void **state)
{
	static const struct {
		long status;
		enum http_class want;
	} cases[] = {{200, HTTP_FINAL}, {302, HTTP_FINAL}, {400, HTTP_FINAL},
		{401, HTTP_FINAL}, {403, HTTP_FINAL}, {404, HTTP_FINAL}, {408, HTTP_RETRY},
		{429, HTTP_RATE}, {500, HTTP_RETRY}, {501, HTTP_FINAL}, {502, HTTP_RETRY},
		{503, HTTP_RETRY}, {504, HTTP_RETRY}, {505, HTTP_FINAL}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(http_status_class(cases[i].status), cases[i].want);
}

/* ---- answers ------------------------------------------------------------- */

static void an_answer_arrives_with_its_headers(void **state)
{
	struct fault_step step = {.body = "{\"a\":1}",
		.headers = "metadata-flavor:  Google \r\n"
			   "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"};
	static const char *const headers[] = {
		"Authorization: Bearer secret", "X-A: b", NULL};
	struct world w;

	open_world(&w, NULL, &step, 1);
	w.r.headers = headers;
	assert_int_equal(http_do(w.h, &w.r, &w.e), E_OK);
	assert_int_equal(w.r.status, 200);
	assert_string_equal(w.r.resp.s, "{\"a\":1}");
	assert_string_equal(w.r.content_type, "application/json; charset=UTF-8");
	assert_string_equal(w.r.metadata_flavor, "Google");
	assert_int_equal(w.r.date, 784111777);
	assert_int_equal(w.r.attempts, 1);
	assert_int_equal(w.r.retry_after, -1);
	assert_non_null(strstr(fault_request(w.s, 0), "GET /x HTTP/1.1\r\n"));
	assert_non_null(
		strstr(fault_request(w.s, 0), "\r\nAuthorization: Bearer secret\r\n"));
	assert_non_null(strstr(fault_request(w.s, 0), "\r\nX-A: b\r\n"));
	assert_non_null(strstr(fault_request(w.s, 0), "\r\nUser-Agent: tpucost"));
	assert_non_null(strstr(fault_request(w.s, 0), "\r\nAccept-Encoding: gzip\r\n"));
	close_world(&w);
}

static void a_post_without_body_says_length_zero_and_no_type(void **state)
{
	struct fault_step step = one(FAULT_ANSWER);
	struct world w;

	open_world(&w, NULL, &step, 1);
	w.r.method = "POST";
	assert_int_equal(http_do(w.h, &w.r, &w.e), E_OK);
	assert_non_null(strstr(fault_request(w.s, 0), "POST /x "));
	assert_non_null(strstr(fault_request(w.s, 0), "\r\nContent-Length: 0\r\n"));
	assert_null(strstr(fault_request(w.s, 0), "Content-Type"));
	assert_null(strstr(fault_request(w.s, 0), "Expect"));
	close_world(&w);
}

static void bodies_of_any_bytes_are_sent(void **state)
{
	static const char *const methods[] = {"POST", "PATCH", "PUT", "DELETE"};
	static const char *const headers[] = {"Content-Type: application/json", NULL};
	struct fault_step step = one(FAULT_ANSWER);
	struct world w;

	open_world(&w, NULL, &step, 1);
	w.r.headers = headers;
	for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
		w.r.method = methods[i];
		w.r.body = str_eq(methods[i], "DELETE") ? NULL : "{\"x\":\"y\"}";
		w.r.body_len = w.r.body ? strlen(w.r.body) : 0;
		assert_int_equal(http_do(w.h, &w.r, &w.e), E_OK);
		assert_true(str_starts(fault_request(w.s, i), methods[i]));
		if (w.r.body) {
			assert_non_null(
				strstr(fault_request(w.s, i), "\r\n\r\n{\"x\":\"y\"}"));
			assert_non_null(strstr(fault_request(w.s, i),
				"Content-Type: application/json\r\n"));
		}
	}
	close_world(&w);
}

static void a_redirect_is_an_answer_and_not_followed(void **state)
{
	struct fault_step step = {
		.status = 302, .headers = "Location: http://127.0.0.1:1/stolen\r\n"};
	struct world w;

	open_world(&w, NULL, &step, 1);
	assert_int_equal(http_do(w.h, &w.r, &w.e), E_OK);
	assert_int_equal(w.r.status, 302);
	assert_int_equal(fault_count(w.s), 1);
	close_world(&w);
}

static void empty_answers_are_answers(void **state)
{
	struct fault_step steps[] = {{.times = 1, .body = ""}, {.times = 1, .status = 204}};
	struct world w;

	open_world(&w, NULL, steps, 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(http_do(w.h, &w.r, &w.e), E_OK);
		assert_int_equal(w.r.status, i ? 204 : 200);
		assert_int_equal(w.r.resp.len, 0);
	}
	close_world(&w);
}

static void the_environment_names_no_proxy(void **state)
{
	struct fault_step step = one(FAULT_ANSWER);
	struct world w;
	char dead[64];

	setenv("http_proxy", fault_dead_url(dead), 1);
	setenv("ALL_PROXY", dead, 1);
	open_world(&w, NULL, &step, 1);
	assert_int_equal(http_do(w.h, &w.r, &w.e), E_OK);
	assert_string_equal(w.r.resp.s, "{}");
	close_world(&w);
	unsetenv("http_proxy");
	unsetenv("ALL_PROXY");
}

/* ---- broken answers ------------------------------------------------------ */

static void broken_answers_are_errors_after_all_attempts(void **state)
{
	static const struct {
		enum fault_how how;
		const char *raw, *why;
		enum err_code code;
		int attempts;
	} cases[] = {
		{FAULT_RAW, "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{\"a\":",
			"cut short", E_NET, 5},
		{FAULT_RAW,
			"HTTP/1.1 200 OK\r\nTransfer-Encoding: "
			"chunked\r\n\r\n50\r\n{\"a",
			"cut short", E_NET, 5},
		{FAULT_RAW,
			"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: "
			"5\r\n\r\n"
			"hello",
			"compression", E_NET, 1},
		{FAULT_RAW,
			"HTTP/1.1 200 OK\r\nContent-Encoding: zebra\r\nContent-Length: "
			"5\r\n\r\n"
			"hello",
			"compression", E_NET, 1},
		{FAULT_RAW, "SSH-2.0-OpenSSH_9.2p1\r\n", "not HTTP", E_NET, 1},
		{FAULT_RAW, "", "without an answer", E_NET, 5},
		{FAULT_CLOSE, NULL, "without an answer", E_NET, 5},
		{FAULT_RESET, NULL, "broke", E_NET, 5},
		{FAULT_ENDLESS, NULL, "larger than 100000 bytes", E_LIMIT, 1},
		{FAULT_BIG_GZIP, NULL, "larger than 100000 bytes", E_LIMIT, 1},
		{FAULT_BIG_HEAD, NULL, "header larger than 65536 bytes", E_LIMIT, 1},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fault_step step = {.how = cases[i].how, .raw = cases[i].raw};
		struct world w;

		open_world(&w, NULL, &step, 1);
		w.r.max_body = 100000;
		assert_int_equal(http_do(w.h, &w.r, &w.e), cases[i].code);
		if (!strstr(w.e.msg, cases[i].why))
			fail_msg("case %zu: %s", i, w.e.msg);
		assert_non_null(strstr(w.e.msg, "GET http://127.0.0.1:"));
		assert_int_equal(w.r.attempts, cases[i].attempts);
		assert_int_equal(fault_count(w.s), cases[i].attempts);
		assert_int_equal(w.r.code, cases[i].code);
		assert_true(w.r.resp.len <= 100000);
		close_world(&w);
	}
}

static void bytes_beyond_the_content_length_are_ignored(void **state)
{
	struct fault_step step = {.how = FAULT_RAW,
		.raw = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 500 "
		       "X\r\n\r\n"};
	struct world w;

	open_world(&w, NULL, &step, 1);
	assert_int_equal(http_do(w.h, &w.r, &w.e), E_OK);
	assert_string_equal(w.r.resp.s, "{}");
	close_world(&w);
}

/* Nothing in HTTP tells that this one is cut: the JSON parser has to. */
static void a_body_that_ends_with_the_connection_is_taken_as_it_is(void **state)
{
	struct fault_step step = {
		.how = FAULT_RAW, .raw = "HTTP/1.1 200 OK\r\n\r\n{\"items\":[1,2"};
	struct world w;

	open_world(&w, NULL, &step, 1);
	assert_int_equal(http_do(w.h, &w.r, &w.e), E_OK);
	assert_string_equal(w.r.resp.s, "{\"items\":[1,2");
	close_world(&w);
}

static void a_server_that_says_nothing_times_out(void **state)
{
	struct fault_step step = one(FAULT_SILENT);
	struct http_opts o = {.total_timeout_ms = 60, .max_attempts = 2};
	struct world w;

	open_world(&w, &o, &step, 1);
	assert_int_equal(http_do(w.h, &w.r, &w.e), E_NET);
	assert_non_null(strstr(w.e.msg, "after 2 attempts: GET "));
	assert_non_null(strstr(w.e.msg, ": timed out"));
	assert_int_equal(fault_count(w.s), 2);
	close_world(&w);
}

static void tls_with_a_server_that_speaks_none_fails(void **state)
{
	struct fault_step step = one(FAULT_ANSWER);
	struct http_opts o = {.total_timeout_ms = 60, .max_attempts = 1};
	struct world w;

	open_world(&w, &o, &step, 1);
	snprintf(w.url, sizeof(w.url), "https%s/x", fault_base(w.s) + 4);
	assert_int_equal(http_do(w.h, &w.r, &w.e), E_NET);
	assert_int_equal(fault_count(w.s), 0);
	close_world(&w);
}

static void the_message_shows_the_url_but_not_all_of_a_long_query(void **state)
{
	struct world w;
	struct fault_step step = one(FAULT_CLOSE);
	char url[1200];

	open_world(&w, NULL, &step, 1);
	snprintf(url, sizeof(url), "%s/path?a=%0900d", fault_base(w.s), 1);
	w.r.url = url;
	w.r.max_attempts = 1;
	assert_int_equal(http_do(w.h, &w.r, &w.e), E_NET);
	assert_non_null(strstr(w.e.msg, "/path?a=000"));
	assert_true(strlen(w.e.msg) < 350);
	close_world(&w);
}

/* ---- trying again -------------------------------------------------------- */

static void a_refused_connection_is_tried_five_times(void **state)
{
	struct fault_step step = one(FAULT_ANSWER);
	struct world w;
	char dead[64];

	open_world(&w, NULL, &step, 1);
	w.r.url = fault_dead_url(dead);
	assert_int_equal(http_do(w.h, &w.r, &w.e), E_NET);
	assert_non_null(strstr(w.e.msg, "after 5 attempts: GET http://127.0.0.1:"));
	assert_non_null(strstr(w.e.msg, ": connection refused"));
	assert_int_equal(w.r.attempts, 5);
	assert_true(waited(&w) > 0 && waited(&w) <= 15);
	close_world(&w);
}

static void a_burst_of_500_is_survived(void **state)
{
	struct fault_step steps[] = {
		{.times = 2, .status = 500, .body = "{\"error\":{}}"},
		{.times = 1,
			.status = 503,
			.headers = "Content-Type: text/html\r\n",
			.body = "<html>"},
		{.times = 1, .status = 504},
		{.body = "{\"fine\":true}"},
	};
	struct world w;

	open_world(&w, NULL, steps, ARRAY_LEN(steps));
	assert_int_equal(http_do(w.h, &w.r, &w.e), E_OK);
	assert_int_equal(w.r.status, 200);
	assert_string_equal(w.r.resp.s, "{\"fine\":true}");
	assert_string_equal(w.r.content_type, "application/json; charset=UTF-8");
	assert_int_equal(w.r.attempts, 5);
	close_world(&w);
}

static void the_last_503_is_given_to_the_caller(void **state)
{
	struct fault_step step = {.status = 503, .body = "busy"};
	struct world w;

	open_world(&w, NULL, &step, 1);
	assert_int_equal(http_do(w.h, &w.r, &w.e), E_OK);
	assert_int_equal(w.r.status, 503);
	assert_string_equal(w.r.resp.s, "busy");
	assert_int_equal(fault_count(w.s), 5);
	close_world(&w);
}

static void the_server_decides_how_long_to_wait(void **state)
{
	static const struct {
		const char *headers;
		int64_t least, most;
		long status;
	} cases[] = {
		{"Retry-After: 7\r\n", 7, 7, 200},
		{"Retry-After: Sat, 21 Nov 2026 05:00:20 GMT\r\n", 20, 20, 200},
		/* by the server's clock, which need not be ours */
		{"Date: Sat, 21 Nov 2026 08:00:00 GMT\r\n"
		 "Retry-After: Sat, 21 Nov 2026 08:00:09 GMT\r\n",
			9, 9, 200},
		{"Retry-After: -5\r\n", 0, 1, 200},
		{"Retry-After: abc\r\n", 0, 1, 200},
		{"Retry-After: 1e99\r\n", 0, 1, 200},
		/* longer than the budget of five minutes: no waiting at all */
		{"Retry-After: 301\r\n", 0, 0, 429},
		{"Retry-After: Sat, 21 Nov 2099 05:00:20 GMT\r\n", 0, 0, 429},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fault_step steps[] = {
			{.times = 1, .status = 429, .headers = cases[i].headers},
			{.body = "{}"}};
		struct world w;

		open_world(&w, NULL, steps, 2);
		assert_int_equal(http_do(w.h, &w.r, &w.e), E_OK);
		if (waited(&w) < cases[i].least || waited(&w) > cases[i].most ||
			w.r.status != cases[i].status)
			fail_msg("case %zu: waited %lld s, HTTP %ld", i,
				(long long)waited(&w), w.r.status);
		close_world(&w);
	}
}

static void attempts_stay_within_the_budget(void **state)
{
	struct fault_step step = {.status = 503, .headers = "Retry-After: 100\r\n"};
	struct world w;

	open_world(&w, NULL, &step, 1);
	assert_int_equal(http_do(w.h, &w.r, &w.e), E_OK);
	assert_int_equal(w.r.status, 503);
	/* at 0, 100, 200 and 300 s; 400 s would be too late */
	assert_int_equal(w.r.attempts, 4);
	assert_int_equal(waited(&w), 300);
	close_world(&w);
}

static enum http_class rate_when_403(struct http_req *r)
{
	if (r->status == 403 && strstr(r->resp.s, "slow"))
		r->retry_after = 3;
	return r->status == 403 ? HTTP_RATE : HTTP_FINAL;
}

static void the_caller_may_judge_an_answer(void **state)
{
	struct fault_step steps[] = {
		{.times = 1, .status = 403, .body = "slow down"}, {.status = 503}};
	struct world w;

	open_world(&w, NULL, steps, 2);
	w.r.classify = rate_when_403;
	assert_int_equal(http_do(w.h, &w.r, &w.e), E_OK);
	assert_int_equal(w.r.status, 503);
	assert_int_equal(w.r.attempts, 2);
	assert_int_equal(waited(&w), 3);
	close_world(&w);
}

/* ---- writes -------------------------------------------------------------- */

static void a_write_is_sent_once_unless_it_cannot_have_arrived(void **state)
{
	static const struct {
		enum fault_how how;
		int status;
		enum err_code code;
		size_t sent;
	} cases[] = {
		{FAULT_RESET, 0, E_UNCERTAIN, 1},
		{FAULT_CLOSE, 0, E_UNCERTAIN, 1},
		{FAULT_SILENT, 0, E_UNCERTAIN, 1},
		{FAULT_ENDLESS, 0, E_UNCERTAIN, 1},
		{FAULT_RAW, 0, E_UNCERTAIN, 1}, /* an answer that is no HTTP */
		{FAULT_ANSWER, 500, E_OK, 1},
		{FAULT_ANSWER, 503, E_OK, 1},
		{FAULT_ANSWER, 429, E_OK, 5},
		{FAULT_ANSWER, 200, E_OK, 1},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fault_step step = {.how = cases[i].how,
			.status = cases[i].status,
			.raw = "SSH-2.0-OpenSSH_9.2p1\r\n"};
		struct http_opts o = {.total_timeout_ms = 200};
		struct world w;

		open_world(&w, &o, &step, 1);
		w.r.method = "POST";
		w.r.body = "stop";
		w.r.body_len = 4;
		w.r.max_body = 100000;
		w.r.idempotent = false;
		assert_int_equal(http_do(w.h, &w.r, &w.e), cases[i].code);
		assert_int_equal(fault_await(w.s, cases[i].sent), cases[i].sent);
		close_world(&w);
	}
}

static void a_secret_url_is_not_shown(void **state)
{
	struct fault_step step = one(FAULT_RESET);
	struct world w;

	open_world(&w, NULL, &step, 1);
	snprintf(w.url, sizeof(w.url), "%s/hunter2?k=hunter3", fault_base(w.s));
	w.r.secret_url = true;
	w.r.idempotent = false;
	assert_int_equal(http_do(w.h, &w.r, &w.e), E_UNCERTAIN);
	assert_non_null(strstr(w.r.err.msg, "GET http://127.0.0.1:"));
	assert_non_null(strstr(w.r.err.msg, "/...: connection broke"));
	assert_null(strstr(w.r.err.msg, "hunter"));
	w.r.url = "http://example.org/hunter2";
	assert_int_equal(http_do(w.h, &w.r, &w.e), E_CONFIG);
	assert_string_equal(w.e.msg, "http: this URL is not allowed");
	close_world(&w);
}

static void a_guarded_client_calls_this_machine_by_its_name_only(void **state)
{
	struct http_opts o = {.guard = true};
	struct fault_step step = one(FAULT_ANSWER);
	struct world w;

	open_world(&w, &o, &step, 1);
	assert_int_equal(http_do(w.h, &w.r, &w.e), E_OK);
	assert_int_equal(http_do(w.h, &w.r, &w.e), E_OK);
	assert_int_equal(fault_connections(w.s), 2); /* none is used again */
	w.r.url = "http://169.254.169.254/x";
	w.r.plain_http_host = "169.254.169.254";
	assert_int_equal(http_do(w.h, &w.r, &w.e), E_NET);
	assert_non_null(strstr(w.r.err.msg, "sending to its address is not allowed"));
	assert_int_equal(w.r.attempts, 1);
	close_world(&w);
}

static void a_request_can_name_itself(void **state)
{
	struct fault_step step = one(FAULT_ANSWER);
	struct world w;

	open_world(&w, NULL, &step, 1);
	w.r.username = "me";
	w.r.password = "a:b";
	assert_int_equal(http_do(w.h, &w.r, &w.e), E_OK);
	assert_non_null(
		strstr(fault_request(w.s, 0), "\r\nAuthorization: Basic bWU6YTpi\r\n"));
	close_world(&w);
}

static void a_write_that_cannot_connect_is_tried_again(void **state)
{
	struct fault_step step = one(FAULT_ANSWER);
	struct world w;
	char dead[64];

	open_world(&w, NULL, &step, 1);
	w.r.url = fault_dead_url(dead);
	w.r.method = "POST";
	w.r.idempotent = false;
	assert_int_equal(http_do(w.h, &w.r, &w.e), E_NET);
	assert_int_equal(w.r.attempts, 5);
	close_world(&w);
}

/* libcurl repeats a request by itself when a kept connection is found dead, POST or
 * not. */
static void a_write_never_uses_a_kept_connection(void **state)
{
	struct fault_step steps[] = {
		{.match = "GET", .body = "{}"}, {.match = "POST", .how = FAULT_CLOSE}};
	struct world w;

	open_world(&w, NULL, steps, 2);
	assert_int_equal(http_do(w.h, &w.r, &w.e), E_OK);
	assert_int_equal(http_do(w.h, &w.r, &w.e), E_OK);
	assert_int_equal(fault_connections(w.s), 1);
	w.r.method = "POST";
	w.r.idempotent = false;
	assert_int_equal(http_do(w.h, &w.r, &w.e), E_UNCERTAIN);
	assert_int_equal(fault_connections(w.s), 2);
	assert_int_equal(fault_count_of(w.s, "POST"), 1);
	close_world(&w);
}

static void a_read_survives_a_kept_connection_that_died(void **state)
{
	struct fault_step steps[] = {{.times = 1, .body = "{}"},
		{.times = 1, .how = FAULT_CLOSE}, {.body = "{\"b\":2}"}};
	struct world w;

	open_world(&w, NULL, steps, 3);
	assert_int_equal(http_do(w.h, &w.r, &w.e), E_OK);
	assert_int_equal(http_do(w.h, &w.r, &w.e), E_OK);
	assert_string_equal(w.r.resp.s, "{\"b\":2}");
	close_world(&w);
}

/* ---- many at once -------------------------------------------------------- */

#define MANY 8

struct log {
	int order[MANY];
	int n;
};

struct tagged {
	struct http_req r; /* first: `done` gets its address */
	struct log *log;
	struct http *h;
	int tag;
	char url[128];
};

static void note_done(struct http_req *r)
{
	struct tagged *t = (struct tagged *)r;

	t->log->order[t->log->n++] = t->tag;
}

static void submit_many(struct world *w, struct tagged *t, size_t n, struct log *log)
{
	for (size_t i = 0; i < n; i++) {
		memset(&t[i], 0, sizeof(t[i]));
		snprintf(t[i].url, sizeof(t[i].url), "%s/%zu", fault_base(w->s), i);
		t[i].r.method = "GET";
		t[i].r.url = t[i].url;
		t[i].r.idempotent = true;
		t[i].r.done = note_done;
		t[i].log = log;
		t[i].h = w->h;
		t[i].tag = (int)i;
		assert_int_equal(http_submit(w->h, &t[i].r, &w->e), E_OK);
	}
}

static void requests_are_under_way_together(void **state)
{
	/* No answer before all have come: one after the other would never end. */
	struct fault_step step = {.how = FAULT_RENDEZVOUS, .count = MANY, .body = "{}"};
	struct tagged t[MANY];
	struct log log = {0};
	struct world w;

	open_world(&w, NULL, &step, 1);
	submit_many(&w, t, MANY, &log);
	assert_int_equal(http_run(w.h, &w.e), E_OK);
	assert_int_equal(log.n, MANY);
	for (size_t i = 0; i < MANY; i++) {
		assert_int_equal(t[i].r.status, 200);
		http_req_done(&t[i].r);
	}
	close_world(&w);
}

/* Two of one host are answered only when a third request has come: it is that of the other. */
static void a_host_that_hangs_leaves_places_for_the_others(void **state)
{
	struct fault_step steps[] = {
		{.match = "GET /slow", .how = FAULT_RENDEZVOUS, .count = 3, .body = "{}"},
		{.match = "GET /other", .body = "{}"}};
	struct http_opts o = {.max_per_host = 2};
	struct http_req r[5] = {{0}};
	char url[5][128];
	struct world w;

	open_world(&w, &o, steps, 2);
	for (size_t i = 0; i < ARRAY_LEN(r); i++) {
		bool other = i + 1 == ARRAY_LEN(r);

		snprintf(url[i], sizeof(url[i]), "http://%s:%s/%s",
			other ? "localhost" : "127.0.0.1",
			strrchr(fault_base(w.s), ':') + 1, other ? "other" : "slow");
		r[i] = (struct http_req){
			.method = "GET", .url = url[i], .idempotent = true};
		assert_int_equal(http_submit(w.h, &r[i], &w.e), E_OK);
	}
	assert_int_equal(http_run(w.h, &w.e), E_OK);
	assert_int_equal(fault_count(w.s), 5);
	for (size_t i = 0; i < 3; i++)
		if (!strncmp(fault_request(w.s, i), "GET /other", 10))
			break;
		else
			assert_true(i < 2);
	for (size_t i = 0; i < ARRAY_LEN(r); i++) {
		assert_int_equal(r[i].status, 200);
		http_req_done(&r[i]);
	}
	close_world(&w);
}

static void no_more_than_max_inflight_are_under_way(void **state)
{
	struct fault_step step = one(FAULT_ANSWER);
	struct http_opts o = {.max_inflight = 2};
	struct tagged t[MANY];
	struct log log = {0};
	struct world w;

	open_world(&w, &o, &step, 1);
	submit_many(&w, t, MANY, &log);
	assert_int_equal(http_run(w.h, &w.e), E_OK);
	assert_int_equal(log.n, MANY);
	assert_int_equal(fault_count(w.s), MANY);
	assert_true(fault_connections(w.s) <= 2);
	for (size_t i = 0; i < MANY; i++)
		http_req_done(&t[i].r);
	close_world(&w);
}

static void a_rate_is_kept_and_holds_up_no_other(void **state)
{
	struct fault_step step = one(FAULT_ANSWER);
	struct tagged t[MANY];
	struct log log = {0};
	bool last_is_early = false;
	struct world w;

	open_world(&w, NULL, &step, 1);
	submit_many(&w, t, MANY, &log);
	for (size_t i = 0; i + 1 < MANY; i++) {
		t[i].r.per_minute = 30;
		t[i].r.pace = HTTP_PACES;
	}
	assert_int_equal(http_run(w.h, &w.e), E_OK);
	assert_int_equal(log.n, MANY);
	/* three at once, because five seconds are saved up; the next one in the sixth, then one every two seconds */
	assert_int_equal(waited(&w), (MANY - 1 - 3) * 2 - 1);
	for (size_t i = 0; i < 4; i++)
		last_is_early |= log.order[i] == MANY - 1;
	assert_true(last_is_early);
	for (size_t i = 0; i < MANY; i++)
		http_req_done(&t[i].r);
	close_world(&w);
}

static void one_that_waits_does_not_hold_up_the_others(void **state)
{
	struct fault_step steps[] = {
		{.match = "GET /0",
			.times = 1,
			.status = 429,
			.headers = "Retry-After: 60\r\n"},
		{.match = "GET /1",
			.times = 1,
			.status = 429,
			.headers = "Retry-After: 30\r\n"},
		{.body = "{}"},
	};
	struct tagged t[4];
	struct log log = {0};
	struct world w;

	open_world(&w, NULL, steps, 3);
	submit_many(&w, t, 4, &log);
	assert_int_equal(http_run(w.h, &w.e), E_OK);
	assert_int_equal(log.n, 4);
	assert_true(log.order[0] >= 2 && log.order[1] >= 2);
	assert_int_equal(log.order[2], 1);
	assert_int_equal(log.order[3], 0);
	assert_int_equal(waited(&w), 60);
	for (size_t i = 0; i < 4; i++)
		http_req_done(&t[i].r);
	close_world(&w);
}

static void ask_next(struct http_req *r)
{
	struct tagged *t = (struct tagged *)r;
	struct err e;

	t->tag++;
	if (t->tag < 5) {
		char *last = strrchr(t->url, '/') + 1;

		last[0] = (char)('0' + t->tag);
		assert_int_equal(http_submit(t->h, r, &e), E_OK);
		assert_int_equal(http_run(t->h, &e), E_BUG); /* it runs already */
		return;
	}
	http_req_done(r);
	free(t);
}

static void a_finished_request_may_ask_again_or_free_itself(void **state)
{
	struct fault_step step = one(FAULT_ANSWER);
	struct tagged *t = xcalloc(1, sizeof(*t));
	struct log log = {0};
	struct world w;

	open_world(&w, NULL, &step, 1);
	submit_many(&w, t, 1, &log);
	t->r.done = ask_next;
	assert_int_equal(http_run(w.h, &w.e), E_OK);
	assert_int_equal(fault_count(w.s), 5);
	assert_int_equal(fault_count_of(w.s, "GET /4 "), 1);
	assert_int_equal(fault_connections(w.s), 1);
	close_world(&w);
}

static void requests_that_never_ran_are_freed_with_the_client(void **state)
{
	struct fault_step step = one(FAULT_ANSWER);
	struct tagged t[3];
	struct log log = {0};
	struct world w;

	open_world(&w, NULL, &step, 1);
	submit_many(&w, t, 3, &log);
	http_req_done(&t[1].r); /* taken back */
	close_world(&w);
	assert_int_equal(log.n, 0);
}

/* ---- refusals of our own ------------------------------------------------- */

static void malformed_requests_are_refused_before_sending(void **state)
{
	static const char *const split[] = {"X-A: b\r\nX-Evil: c", NULL};
	static const char *const colon[] = {"X-A", NULL};
	static const struct {
		const char *method, *url;
		const char *const *headers;
		enum err_code code;
	} cases[] = {
		{"GET", "http://example.org/", NULL, E_CONFIG},
		{"GET", "https://example.org/a b", NULL, E_CONFIG},
		{"GET", "file:///etc/passwd", NULL, E_CONFIG},
		{"GET /x HTTP/1.1\r\nX:", "https://example.org/", NULL, E_BUG},
		{"GET", "https://example.org/", split, E_BUG},
		{"GET", "https://example.org/", colon, E_BUG},
	};
	struct fault_step step = one(FAULT_ANSWER);
	struct world w;

	open_world(&w, NULL, &step, 1);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		w.r.method = cases[i].method;
		w.r.url = cases[i].url;
		w.r.headers = cases[i].headers;
		assert_int_equal(http_do(w.h, &w.r, &w.e), cases[i].code);
		assert_true(w.e.msg[0]);
	}
	close_world(&w);
}

static void one_named_host_may_be_spoken_to_in_the_clear(void **state)
{
	struct fault_step step = one(FAULT_ANSWER);
	struct world w;

	open_world(&w, NULL, &step, 1);
	w.r.url = "http://169.254.169.254/x";
	assert_int_equal(http_submit(w.h, &w.r, &w.e), E_CONFIG);
	w.r.plain_http_host = "169.254.169.254";
	assert_int_equal(http_submit(w.h, &w.r, &w.e), E_OK);
	w.r.url = "http://169.254.169.253/x";
	http_req_done(&w.r);
	assert_int_equal(http_submit(w.h, &w.r, &w.e), E_CONFIG);
	close_world(&w);
}

static void a_client_needs_a_clock(void **state)
{
	struct http_opts o = {0};
	struct http *h = NULL;
	struct err e;

	assert_int_equal(http_new(&o, &h, &e), E_BUG);
	assert_null(h);
	http_free(NULL);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_http_is_for_loopback_only),
		cmocka_unit_test(a_url_is_taken_apart),
		cmocka_unit_test(a_host_that_others_read_as_another_is_refused),
		cmocka_unit_test(parameters_are_encoded_and_joined),
		cmocka_unit_test(retry_after_is_clamped_and_nonsense_ignored),
		cmocka_unit_test(an_http_date_is_an_instant),
		cmocka_unit_test(backoff_grows_to_its_cap_with_full_jitter),
		cmocka_unit_test(statuses_have_classes),
		cmocka_unit_test(an_answer_arrives_with_its_headers),
		cmocka_unit_test(a_post_without_body_says_length_zero_and_no_type),
		cmocka_unit_test(bodies_of_any_bytes_are_sent),
		cmocka_unit_test(a_redirect_is_an_answer_and_not_followed),
		cmocka_unit_test(empty_answers_are_answers),
		cmocka_unit_test(the_environment_names_no_proxy),
		cmocka_unit_test(broken_answers_are_errors_after_all_attempts),
		cmocka_unit_test(bytes_beyond_the_content_length_are_ignored),
		cmocka_unit_test(a_body_that_ends_with_the_connection_is_taken_as_it_is),
		cmocka_unit_test(a_server_that_says_nothing_times_out),
		cmocka_unit_test(tls_with_a_server_that_speaks_none_fails),
		cmocka_unit_test(the_message_shows_the_url_but_not_all_of_a_long_query),
		cmocka_unit_test(a_refused_connection_is_tried_five_times),
		cmocka_unit_test(a_burst_of_500_is_survived),
		cmocka_unit_test(the_last_503_is_given_to_the_caller),
		cmocka_unit_test(the_server_decides_how_long_to_wait),
		cmocka_unit_test(attempts_stay_within_the_budget),
		cmocka_unit_test(the_caller_may_judge_an_answer),
		cmocka_unit_test(a_write_is_sent_once_unless_it_cannot_have_arrived),
		cmocka_unit_test(a_secret_url_is_not_shown),
		cmocka_unit_test(a_guarded_client_calls_this_machine_by_its_name_only),
		cmocka_unit_test(a_request_can_name_itself),
		cmocka_unit_test(a_write_that_cannot_connect_is_tried_again),
		cmocka_unit_test(a_write_never_uses_a_kept_connection),
		cmocka_unit_test(a_read_survives_a_kept_connection_that_died),
		cmocka_unit_test(requests_are_under_way_together),
		cmocka_unit_test(a_host_that_hangs_leaves_places_for_the_others),
		cmocka_unit_test(no_more_than_max_inflight_are_under_way),
		cmocka_unit_test(a_rate_is_kept_and_holds_up_no_other),
		cmocka_unit_test(one_that_waits_does_not_hold_up_the_others),
		cmocka_unit_test(a_finished_request_may_ask_again_or_free_itself),
		cmocka_unit_test(requests_that_never_ran_are_freed_with_the_client),
		cmocka_unit_test(malformed_requests_are_refused_before_sending),
		cmocka_unit_test(one_named_host_may_be_spoken_to_in_the_clear),
		cmocka_unit_test(a_client_needs_a_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
