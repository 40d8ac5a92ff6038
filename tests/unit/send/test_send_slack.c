#include "base/data/json.h"
#include "base/str.h"
#include "tests/support/assert.h"
#include "tests/support/front.h"
#include "tests/support/world/send_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAYLOAD                                                                         \
	"{\"text\":\"all of it\",\"blocks\":[{\"type\":\"header\",\"text\":"            \
	"{\"type\":\"plain_text\",\"text\":\"head\"}},{\"type\":\"section\",\"text\":{" \
	"\"type\":\"mrkdwn\",\"text\":\"<b>\"}}]}"

static void open_slack(struct send_world *w, const struct fault_step *steps, size_t n)
{
	send_open(w, CHANNEL_SLACK, NULL, steps, n);
	w->letter.body = PAYLOAD;
}

static const struct fault_step fine[] = {{.body = "ok"}};

static void a_payload_arrives_as_it_is(void **state)
{
	struct send_world w;

	open_slack(&w, fine, 1);
	assert_int_equal(send_now(&w), SEND_SENT);
	assert_string_equal(w.result.reply, "ok");
	assert_i64_eq(w.result.retry_after, -1);
	assert_i64_eq(fault_count(w.server), 1);
	assert_contains(fault_request(w.server, 0), "POST " SEND_PATH " HTTP/1.1\r\n");
	assert_contains(fault_request(w.server, 0), "Content-Type: application/json\r\n");
	assert_string_equal(send_posted_text(&w, 0), PAYLOAD);
	send_close(&w);
}

static void a_possible_repeat_is_marked(void **state)
{
	const struct cJSON *j, *blocks;
	struct send_world w;

	open_slack(&w, fine, 1);
	w.letter.may_be_repeat = true;
	assert_int_equal(send_now(&w), SEND_SENT);
	j = send_posted(&w, 0);
	assert_string_equal(
		json_text(json_get(j, "text"), ""), "[may be a repeat] all of it");
	blocks = json_first(json_get(j, "blocks"));
	assert_string_equal(json_text(json_path(blocks, "text", "text", NULL), ""),
		"[may be a repeat] head");
	assert_string_equal(
		json_text(json_path(json_next(blocks), "text", "text", NULL), ""), "<b>");
	send_close(&w);
}

static void a_long_header_stays_within_the_limit(void **state)
{
	char body[1200], head[601] = "", want[700] = "[may be a repeat] ";
	struct send_world w;

	for (size_t i = 0; i < 150; i++)
		memcpy(head + 4 * i, "\xf0\x9f\x94\xa5", 5);
	memcpy(want + 18, head, 129 * 4);
	memcpy(want + 18 + 129 * 4, "...", 4);
	snprintf(body, sizeof(body),
		"{\"text\":\"x\",\"blocks\":[{\"type\":\"header\",\"text\":{\"text\":\"%"
		"s\"}}]}",
		head);
	open_slack(&w, fine, 1);
	w.letter.body = body;
	w.letter.may_be_repeat = true;
	assert_int_equal(send_now(&w), SEND_SENT);
	assert_string_equal(
		json_text(json_path(json_first(json_get(send_posted(&w, 0), "blocks")),
				  "text", "text", NULL),
			""),
		want);
	send_close(&w);
}

/* H8 */
static void every_answer_has_its_class(void **state)
{
	static const struct {
		int status;
		const char *headers, *body;
		enum send_class class;
		int64_t retry_after;
		enum err_code code;
		size_t requests;
		const char *reply;
	} cases[] = {
		{200, NULL, "ok", SEND_SENT, -1, E_OK, 1, "ok"},
		{200, NULL, "ok\n", SEND_SENT, -1, E_OK, 1, "ok"},
		{200, NULL, "<html>Sign in</html>", SEND_UNCLEAR, -1, E_UNCERTAIN, 1,
			"<html>Sign in</html>"},
		{200, NULL, "", SEND_UNCLEAR, -1, E_UNCERTAIN, 1, ""},
		{200, NULL, "{\"ok\":false,\"error\":\"not_authed\"}", SEND_SWITCHED_OFF,
			-1, E_HTTP, 1, "{\"ok\":false,\"error\":\"not_authed\"}"},
		{204, NULL, "", SEND_UNCLEAR, -1, E_UNCERTAIN, 1, ""},
		{302, "Location: https://slack.com/\r\n", "", SEND_SWITCHED_OFF, -1, E_HTTP,
			1, ""},
		{400, NULL, "invalid_payload", SEND_REJECTED, -1, E_HTTP, 2,
			"invalid_payload"},
		{400, NULL, "invalid_blocks", SEND_REJECTED, -1, E_HTTP, 2,
			"invalid_blocks"},
		{400, NULL, "invalid_token", SEND_SWITCHED_OFF, -1, E_HTTP, 1,
			"invalid_token"},
		{401, NULL, "", SEND_SWITCHED_OFF, -1, E_HTTP, 1, ""},
		{403, NULL, "action_prohibited", SEND_SWITCHED_OFF, -1, E_HTTP, 1,
			"action_prohibited"},
		{403, NULL, "invalid_token", SEND_SWITCHED_OFF, -1, E_HTTP, 1,
			"invalid_token"},
		{404, NULL, "channel_not_found", SEND_SWITCHED_OFF, -1, E_HTTP, 1,
			"channel_not_found"},
		{404, NULL, "no_service", SEND_SWITCHED_OFF, -1, E_HTTP, 1, "no_service"},
		{405, NULL, "", SEND_REJECTED, -1, E_HTTP, 1, ""},
		{410, NULL, "channel_is_archived", SEND_SWITCHED_OFF, -1, E_HTTP, 1,
			"channel_is_archived"},
		{413, NULL, "too large", SEND_REJECTED, -1, E_HTTP, 2, "too large"},
		{429, "Retry-After: 30\r\n", "rate_limited", SEND_LATER, 30, E_RATE, 1,
			"rate_limited"},
		{429, "Retry-After: 86400\r\n", "", SEND_LATER, 900, E_RATE, 1, ""},
		{429, "Retry-After: -1\r\n", "", SEND_LATER, -1, E_RATE, 1, ""},
		{429, NULL, "", SEND_LATER, -1, E_RATE, 1, ""},
		{500, NULL, "rollup_error", SEND_LATER, -1, E_HTTP, 1, "rollup_error"},
		{503, "Retry-After: 7\r\n", "", SEND_LATER, 7, E_HTTP, 1, ""},
		{504, NULL, "", SEND_LATER, -1, E_HTTP, 1, ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fault_step step = {.status = cases[i].status,
			.headers = cases[i].headers,
			.body = cases[i].body};
		struct send_world w;

		open_slack(&w, &step, 1);
		if (send_now(&w) != cases[i].class || w.result.err.code != cases[i].code ||
			w.result.retry_after != cases[i].retry_after ||
			fault_count(w.server) != cases[i].requests ||
			!str_eq(w.result.reply, cases[i].reply))
			fail_msg("%d %s: %s, %s, retry after %lld, %zu requests, %s",
				cases[i].status, cases[i].body,
				send_class_name(w.result.class), w.result.err.msg,
				(long long)w.result.retry_after, fault_count(w.server),
				w.result.reply);
		assert_i64_eq(clock_now(&w.clock), SEND_NOW); /* nothing was waited for */
		send_close(&w);
	}
}

static void what_it_dislikes_is_sent_plain(void **state)
{
	static const struct fault_step steps[] = {
		{.times = 1, .status = 400, .body = "invalid_blocks"}, {.body = "ok"}};
	struct send_world w;

	open_slack(&w, steps, 2);
	assert_int_equal(send_now(&w), SEND_SENT);
	assert_i64_eq(fault_count(w.server), 2);
	assert_string_equal(send_posted_text(&w, 0), PAYLOAD);
	assert_string_equal(send_posted_text(&w, 1), "{\"text\":\"all of it\"}");
	send_close(&w);
	open_slack(&w, steps, 2);
	w.letter.body = "{\"blocks\":[]}";
	w.letter.subject = "\"news\"";
	assert_int_equal(send_now(&w), SEND_SENT);
	assert_string_equal(send_posted_text(&w, 1), "{\"text\":\"\\\"news\\\"\"}");
	send_close(&w);
	open_slack(&w, steps, 2);
	w.letter.may_be_repeat = true;
	assert_int_equal(send_now(&w), SEND_SENT);
	assert_string_equal(
		send_posted_text(&w, 1), "{\"text\":\"[may be a repeat] all of it\"}");
	send_close(&w);
}

static void the_second_answer_counts(void **state)
{
	static const struct fault_step later[] = {
		{.times = 1, .status = 400, .body = "invalid_blocks"},
		{.status = 429, .headers = "Retry-After: 2\r\n"}};
	static const struct fault_step lost[] = {
		{.times = 1, .status = 400, .body = "invalid_blocks"},
		{.how = FAULT_RESET}};
	struct send_world w;

	open_slack(&w, later, 2);
	assert_int_equal(send_now(&w), SEND_LATER);
	assert_i64_eq(w.result.retry_after, 2);
	send_close(&w);
	open_slack(&w, lost, 2);
	assert_int_equal(send_now(&w), SEND_UNCLEAR);
	send_close(&w);
}

static void what_may_have_arrived_is_unclear(void **state)
{
	static const struct {
		struct fault_step step;
		const char *why;
	} cases[] = {
		{{.how = FAULT_RESET}, "connection broke while receiving"},
		{{.how = FAULT_CLOSE}, "the server closed without an answer"},
		{{.how = FAULT_SILENT}, "timed out"},
		{{.how = FAULT_RAW,
			 .raw = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok"},
			"the answer was cut short"},
		{{.how = FAULT_RAW, .raw = "SSH-2.0-OpenSSH_9.2p1\r\n"},
			"the answer is not HTTP"},
		{{.how = FAULT_BIG_GZIP}, "answer larger than 1048576 bytes"},
		{{.how = FAULT_BIG_HEAD}, "larger than 65536 bytes"},
	};
	const struct http_opts quick = {.low_speed_s = 1};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct send_world w;

		send_open(&w, CHANNEL_SLACK, &quick, &cases[i].step, 1);
		assert_int_equal(send_now(&w), SEND_UNCLEAR);
		assert_err(w.result.err.code, w.result.err, E_UNCERTAIN, cases[i].why);
		assert_contains(w.result.err.msg, "slack: POST http://127.0.0.1:");
		assert_contains(w.result.err.msg, "/...: ");
		assert_i64_eq(fault_count(w.server), 1);
		send_close(&w);
	}
}

static void what_cannot_have_arrived_is_not_sent(void **state)
{
	char dead[64], url[300], tls[300];
	struct front_opts say = {.how = FRONT_SAY, .text = "no TLS here\r\n"};
	struct front_opts full = {.how = FRONT_FULL};
	const struct http_opts quick = {.connect_timeout_ms = 80};
	struct front *f;
	struct send_world w;

	open_slack(&w, fine, 1);
	snprintf(url, sizeof(url), "%s" SEND_PATH, fault_dead_url(dead));
	send_url(&w, url);
	assert_int_equal(send_now(&w), SEND_NOT_SENT);
	assert_err(w.result.err.code, w.result.err, E_NET, "connection refused");
	f = front_start(&say);
	snprintf(tls, sizeof(tls), "https://%s" SEND_PATH, front_at(f));
	send_url(&w, tls);
	assert_int_equal(send_now(&w), SEND_NOT_SENT);
	assert_i64_eq(w.result.err.code, E_NET);
	front_stop(f);
	send_close(&w);

	send_open(&w, CHANNEL_SLACK, &quick, fine, 1);
	f = front_start(&full);
	snprintf(tls, sizeof(tls), "https://%s" SEND_PATH, front_at(f));
	send_url(&w, tls);
	assert_int_equal(send_now(&w), SEND_NOT_SENT);
	assert_err(w.result.err.code, w.result.err, E_NET, "timed out while connecting");
	front_stop(f);
	assert_i64_eq(fault_count(w.server), 0);
	send_close(&w);
}

static void its_certificate_is_checked(void **state)
{
	const struct cert_opts ca = {.name = "authority", .from_days = -1, .until_days = 9};
	struct cert authority, good;
	struct cert_opts of = {.issuer = &authority,
		.name = "hook",
		.names = "IP:127.0.0.1",
		.from_days = -1,
		.until_days = 9};
	struct front_opts tls = {.how = FRONT_TLS, .cert = &good};
	char url[300], ca_file[128];
	struct send_world w;
	struct front *f;

	cert_make(&ca, &authority);
	cert_make(&of, &good);
	open_slack(&w, fine, 1);
	tls.to = fault_base(w.server);
	f = front_start(&tls);
	snprintf(url, sizeof(url), "https://%s" SEND_PATH, front_at(f));
	send_url(&w, url);
	assert_int_equal(send_now(&w), SEND_NOT_SENT);
	assert_contains(w.result.err.msg, "unable to get local issuer certificate");
	assert_i64_eq(fault_count(w.server), 0);
	snprintf(ca_file, sizeof(ca_file), "%s", tempdir_name(&w.dir, "ca.pem"));
	cert_write(&authority, ca_file);
	w.channel.ca_file = ca_file;
	assert_int_equal(send_now(&w), SEND_SENT);
	assert_string_equal(send_posted_text(&w, 0), PAYLOAD);
	front_stop(f);
	send_close(&w);
	cert_done(&good);
	cert_done(&authority);
}

/* A40: what it resolves to when it is called counts, not what it looks like. */
static void an_address_inside_is_never_called(void **state)
{
	static const struct {
		const char *url, *why, *fix;
		bool private;
	} cases[] = {
		{"https://169.254.169.254" SEND_PATH, "nothing may be sent to this address",
			"", true},
		{"https://2130706433" SEND_PATH, "not written in the usual form",
			"write it as", true},
		{"https://0x7f.1" SEND_PATH, "not written in the usual form", "write it as",
			true},
		{"https://metadata.google.internal" SEND_PATH, "metadata server", "", true},
		{"https://10.0.0.1" SEND_PATH, "a private address", "allow_private: true",
			false},
		{"http://example.org" SEND_PATH,
			"plain http is allowed on this machine only", "use https://", true},
	};
	struct send_world w;

	open_slack(&w, fine, 1);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		send_url(&w, cases[i].url);
		w.channel.allow_private = cases[i].private;
		assert_int_equal(send_now(&w), SEND_NOT_SENT);
		assert_err(w.result.err.code, w.result.err, E_CONFIG, cases[i].why);
		assert_contains(w.result.err.fix, cases[i].fix);
	}
	assert_i64_eq(fault_connections(w.server), 0);
	send_close(&w);
}

static void a_secret_file_that_is_wrong_holds_the_letter(void **state)
{
	char two[] = "https://a.example/hunter2\nhunter2\n";
	struct send_world w;

	open_slack(&w, fine, 1);
	tempdir_write(&w.dir, "url", two, strlen(two), 0600);
	assert_int_equal(send_now(&w), SEND_NOT_SENT);
	assert_contains(w.result.err.msg, "must contain exactly one line");
	tempdir_write(&w.dir, "url", "\n", 1, 0600);
	assert_int_equal(send_now(&w), SEND_NOT_SENT);
	assert_contains(w.result.err.msg, "must contain exactly one line");
	tempdir_write(&w.dir, "open", "https://a.example/hunter2", 25, 0644);
	w.channel.url_file = tempdir_name(&w.dir, "open");
	assert_int_equal(send_now(&w), SEND_NOT_SENT);
	assert_contains(w.result.err.msg, "readable by group or others");
	assert_contains(w.result.err.fix, "chmod 600");
	w.channel.url_file = tempdir_name(&w.dir, "none");
	assert_int_equal(send_now(&w), SEND_NOT_SENT);
	assert_i64_eq(fault_connections(w.server), 0);
	send_close(&w);
}

/* H14: servers repeat paths; what they say is kept without them. */
static void a_reply_holds_no_secret(void **state)
{
	static const struct {
		const char *body, *reply;
	} cases[] = {
		{"Cannot POST " SEND_PATH "!", "Cannot POST ...!"},
		{"no such hook: hunter2hunter2hunter2xyz,\r\n\tteam T0AB1CD2E",
			"no such hook: ..., team ..."},
		{"the services are down", "the services are down"},
		{"bad \x1b[31m\xe2\x80\xae name", "bad \\x1b[31m<U+202E> name"},
		{"not UTF-8: \xff", "not UTF-8: \\xff"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fault_step step = {.status = 404, .body = cases[i].body};
		struct send_world w;

		open_slack(&w, &step, 1);
		assert_int_equal(send_now(&w), SEND_SWITCHED_OFF);
		assert_string_equal(w.result.reply, cases[i].reply);
		assert_contains(w.result.err.msg, "HTTP 404: ");
		assert_contains(w.result.err.fix, "create a new webhook");
		assert_contains(w.result.err.fix, "of channel lab");
		send_close(&w);
	}
}

static void a_long_reply_is_cut_at_a_character(void **state)
{
	char body[1001] = "";
	struct fault_step step = {.status = 500, .body = body};
	struct send_world w;

	for (size_t i = 0; i < 333; i++)
		memcpy(body + 3 * i, "\xe7\x81\xab", 4);
	open_slack(&w, &step, 1);
	assert_int_equal(send_now(&w), SEND_LATER);
	assert_i64_eq(strlen(w.result.reply), 198);
	send_close(&w);
}

static void a_body_that_is_no_json_is_never_sent(void **state)
{
	static const char *const bodies[] = {"", "{", "[]", "{} x"};
	struct send_world w;

	open_slack(&w, fine, 1);
	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		w.letter.body = bodies[i];
		assert_int_equal(send_now(&w), SEND_REJECTED);
		assert_contains(w.result.err.msg, "message " SEND_ID ": JSON");
	}
	assert_i64_eq(fault_count(w.server), 0);
	send_close(&w);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_payload_arrives_as_it_is),
		cmocka_unit_test(a_possible_repeat_is_marked),
		cmocka_unit_test(a_long_header_stays_within_the_limit),
		cmocka_unit_test(every_answer_has_its_class),
		cmocka_unit_test(what_it_dislikes_is_sent_plain),
		cmocka_unit_test(the_second_answer_counts),
		cmocka_unit_test(what_may_have_arrived_is_unclear),
		cmocka_unit_test(what_cannot_have_arrived_is_not_sent),
		cmocka_unit_test(its_certificate_is_checked),
		cmocka_unit_test(an_address_inside_is_never_called),
		cmocka_unit_test(a_secret_file_that_is_wrong_holds_the_letter),
		cmocka_unit_test(a_reply_holds_no_secret),
		cmocka_unit_test(a_long_reply_is_cut_at_a_character),
		cmocka_unit_test(a_body_that_is_no_json_is_never_sent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
