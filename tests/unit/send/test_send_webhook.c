#include "base/data/json.h"
#include "base/str.h"
#include "tests/support/assert.h"
#include "tests/support/world/send_world.h"
#include "tests/support/unit.h"

#include <dlfcn.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ZWSP "\xe2\x80\x8b"
#define NAME "hook.example.org"

/* ---- names: no test asks a real name server ---------------------------------------------------- */

static const char *resolves_to = "127.0.0.1";

/* Stands before the C library's, for libcurl too. */
int getaddrinfo(const char *restrict node, const char *restrict service,
	const struct addrinfo *restrict hints, struct addrinfo **restrict out)
{
	__typeof__(&getaddrinfo) real;

	real = (__typeof__(real))dlsym(RTLD_NEXT, "getaddrinfo");
	return real(node && !strcmp(node, NAME) ? resolves_to : node, service, hints, out);
}

/* ---- webhooks ---------------------------------------------------------------------------------- */

static const struct fault_step fine[] = {{.status = 204}};

static void open_webhook(struct send_world *w, const struct fault_step *steps, size_t n)
{
	send_open(w, CHANNEL_WEBHOOK, NULL, steps, n);
	w->letter.body = "{\n \"report\":\"daily\",\"headline\":\"All is well.\",\n"
			 " \"cost\":12.300000001}\n";
	w->letter.subject = "tpucost: all is well";
}

static void a_report_is_posted_whole(void **state)
{
	struct send_world w;

	open_webhook(&w, fine, 1);
	w.channel.url_file = NULL;
	w.channel.url = w.url;
	assert_int_equal(send_now(&w), SEND_SENT);
	assert_i64_eq(fault_count(w.server), 1);
	assert_contains(fault_request(w.server, 0), "POST " SEND_PATH " HTTP/1.1\r\n");
	assert_contains(fault_request(w.server, 0), "Content-Type: application/json\r\n");
	assert_contains(fault_request(w.server, 0), "Idempotency-Key: " SEND_ID "\r\n");
	assert_null(strstr(fault_request(w.server, 0), "Authorization"));
	assert_string_equal(send_posted_text(&w, 0),
		"{\"text\":\"tpucost: all is well\\nAll is well.\",\"id\":\"" SEND_ID
		"\",\"created\":\"2026-11-21T04:59:00Z\",\"kind\":\"daily\",\"subject\":"
		"\"tpucost: all is well\",\"may_be_repeat\":false,\"report\":{ \"report\":"
		"\"daily\",\"headline\":\"All is well.\", \"cost\":12.300000001}}");
	send_posted(&w, 0);
	send_close(&w);
}

static void a_chat_is_told_of_actions_with_what_prevents_them(void **state)
{
	struct send_world w;

	open_webhook(&w, fine, 1);
	w.letter.subject = "[tpucost] a will be stopped at 00:30 (and 1 more)";
	w.letter.body =
		"{\"report\":\"alerts\",\"headline\":\"x\",\"actions\":[{\"name\":\"a\","
		"\"event\":\"warning\",\"restart\":\"gcloud start a\",\"news\":\"will be "
		"stopped\",\"detail\":\"Rule r. To prevent it:\","
		"\"command\":\"tpucost hold add p/vm/z/a --until 2026-11-28\"}],"
		"\"firing\":[{\"summary\":\"a burns\"}]}";
	assert_int_equal(send_now(&w), SEND_SENT);
	assert_string_equal(json_text(json_get(send_posted(&w, 0), "text"), ""),
		"[tpucost] a will be stopped at 00:30 (and 1 more)\n- a will be stopped: "
		"Rule "
		"r. To prevent it:\n  tpucost hold add p/vm/z/a --until 2026-11-28\n"
		"  To start it again after that: gcloud start a\n- a burns");
	/* a report has its own section of that name */
	w.letter.subject = "daily";
	w.letter.body = "{\"report\":\"daily\",\"headline\":\"fine\",\"actions\":[{}]}";
	assert_int_equal(send_now(&w), SEND_SENT);
	assert_string_equal(
		json_text(json_get(send_posted(&w, 1), "text"), ""), "daily\nfine");
	send_close(&w);
}

static void a_possible_repeat_says_so(void **state)
{
	struct send_world w;

	open_webhook(&w, fine, 1);
	w.letter.may_be_repeat = true;
	assert_int_equal(send_now(&w), SEND_SENT);
	assert_string_equal(json_text(json_get(send_posted(&w, 0), "text"), ""),
		"[may be a repeat] tpucost: all is well\nAll is well.");
	assert_true(json_true(json_get(w.posted, "may_be_repeat")));
	send_close(&w);
}

static void several_alerts_are_lines(void **state)
{
	struct send_world w;

	open_webhook(&w, fine, 1);
	w.letter.body = "{\"report\":\"alerts\",\"headline\":\"2 critical, 1 resolved\","
			"\"firing\":[{\"summary\":\"a burns\"},{\"summary\":\"@here "
			"<!channel>\\n\\u202e\"}],\"resolved\":[{\"summary\":\"c\"}]}";
	w.letter.subject = "[tpucost] critical: @everyone (and 2 more)";
	assert_int_equal(send_now(&w), SEND_SENT);
	assert_string_equal(json_text(json_get(send_posted(&w, 0), "text"), ""),
		"[tpucost] critical: @" ZWSP "everyone (and 2 more)\n"
		"- a burns\n- @" ZWSP "here <" ZWSP "!channel>\\x0a<" ZWSP
		"U+202E>\n- resolved: c");
	assert_string_equal(json_text(json_get(w.posted, "kind"), ""), "alerts");
	send_close(&w);
}

static void one_alert_is_not_said_twice(void **state)
{
	struct send_world w;

	open_webhook(&w, fine, 1);
	w.letter.body = "{\"headline\":\"a burns\",\"firing\":[{\"summary\":\"a burns\"}],"
			"\"resolved\":[]}";
	w.letter.subject = "[tpucost] critical: a burns";
	assert_int_equal(send_now(&w), SEND_SENT);
	assert_string_equal(json_text(json_get(send_posted(&w, 0), "text"), ""),
		"[tpucost] critical: a burns");
	assert_null(json_get(w.posted, "kind"));
	send_close(&w);
}

static size_t utf16_units(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80 ? (unsigned char)*s >= 0xf0 ? 2 : 1
							: 0;
	return n;
}

static void the_text_is_short_whatever_comes(void **state)
{
	struct sbuf body = SBUF_INIT, fire = SBUF_INIT;
	struct send_world w;
	const char *text;

	for (size_t i = 0; i < 3000; i++)
		sbuf_adds(&fire, "\xf0\x9f\x94\xa5");
	sbuf_adds(&body, "{\"firing\":[");
	for (size_t i = 0; i < 10000; i++)
		sbuf_addf(&body, "%s{\"summary\":\"alert %zu\"}", i ? "," : "", i);
	sbuf_adds(&body, "]}");
	open_webhook(&w, fine, 1);
	w.letter.body = body.s;
	assert_int_equal(send_now(&w), SEND_SENT);
	text = json_text(json_get(send_posted(&w, 0), "text"), "");
	assert_true(utf16_units(text) <= 2000 && utf16_units(text) > 1900);
	assert_contains(text, "tpucost: all is well\n- alert 0\n- alert 1\n");
	assert_contains(text, " more");
	assert_i64_eq(json_len(json_path(w.posted, "report", "firing", NULL)), 10000);
	w.letter.subject = fire.s;
	assert_int_equal(send_now(&w), SEND_SENT);
	text = json_text(json_get(send_posted(&w, 1), "text"), "");
	assert_true(utf16_units(text) <= 2000);
	assert_contains(text, "\xf0\x9f\x94\xa5...");
	assert_string_equal(json_text(json_get(w.posted, "subject"), ""), fire.s);
	sbuf_done(&body);
	sbuf_done(&fire);
	send_close(&w);
}

static void every_answer_has_its_class(void **state)
{
	static const struct {
		int status;
		enum send_class class;
		const char *fix;
	} cases[] = {
		{200, SEND_SENT, ""},
		{201, SEND_SENT, ""},
		{202, SEND_SENT, ""},
		{204, SEND_SENT, ""},
		{301, SEND_SWITCHED_OFF, "redirects elsewhere"},
		{302, SEND_SWITCHED_OFF, "redirects elsewhere"},
		{308, SEND_SWITCHED_OFF, "redirects elsewhere"},
		{400, SEND_REJECTED, ""},
		{401, SEND_SWITCHED_OFF, "create a new webhook"},
		{403, SEND_SWITCHED_OFF, "create a new webhook"},
		{404, SEND_SWITCHED_OFF, "create a new webhook"},
		{405, SEND_REJECTED, ""},
		{408, SEND_LATER, ""},
		{410, SEND_SWITCHED_OFF, "create a new webhook"},
		{413, SEND_REJECTED, ""},
		{422, SEND_REJECTED, ""},
		{425, SEND_LATER, ""},
		{429, SEND_LATER, ""},
		{500, SEND_LATER, ""},
		{501, SEND_LATER, ""},
		{502, SEND_LATER, ""},
		{503, SEND_LATER, ""},
		{504, SEND_LATER, ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fault_step step = {.status = cases[i].status,
			.headers = "Location: http://127.0.0.1:9/\r\n"};
		struct send_world w;
		char want[100];

		open_webhook(&w, &step, 1);
		if (send_now(&w) != cases[i].class)
			fail_msg("%d: %s", cases[i].status, w.result.err.msg);
		assert_contains(w.result.err.fix, cases[i].fix);
		assert_int_equal(w.result.err.fix[0] == '\0', cases[i].fix[0] == '\0');
		snprintf(want, sizeof(want), "webhook: POST %s/...: HTTP %d",
			fault_base(w.server), cases[i].status);
		if (cases[i].class != SEND_SENT)
			assert_string_equal(w.result.err.msg, want);
		assert_i64_eq(fault_count(w.server), 1);
		send_close(&w);
	}
}

/* A40: the address that the name has when it is called is judged. */
static void what_a_name_resolves_to_is_judged(void **state)
{
	static const char *const inside[] = {"127.0.0.1", "169.254.169.254", "0.0.0.0",
		"::1", "::ffff:169.254.169.254", "10.255.255.1", "fd00:ec2::254"};
	struct send_world w;
	char url[300];

	open_webhook(&w, fine, 1);
	snprintf(url, sizeof(url), "https://" NAME ":%s" SEND_PATH,
		str_after_last(fault_base(w.server), ':'));
	send_url(&w, url);
	for (size_t i = 0; i < ARRAY_LEN(inside); i++) {
		resolves_to = inside[i];
		assert_int_equal(send_now(&w), SEND_NOT_SENT);
		assert_err(w.result.err.code, w.result.err, E_NET,
			": sending to its address is not allowed");
		assert_contains(w.result.err.msg, "https://" NAME ":");
		assert_contains(w.result.err.fix, "allow_private: true");
	}
	w.channel.allow_private = true;
	resolves_to = "169.254.169.254";
	assert_int_equal(send_now(&w), SEND_NOT_SENT);
	assert_contains(w.result.err.msg, "sending to its address is not allowed");
	assert_string_equal(w.result.err.fix, "");
	assert_i64_eq(fault_connections(w.server), 0);
	resolves_to = "127.0.0.1";
	send_close(&w);
}

static void what_may_have_arrived_is_unclear(void **state)
{
	static const struct fault_step reset[] = {{.how = FAULT_RESET}};
	struct send_world w;

	open_webhook(&w, reset, 1);
	assert_int_equal(send_now(&w), SEND_UNCLEAR);
	assert_i64_eq(w.result.err.code, E_UNCERTAIN);
	assert_i64_eq(fault_count(w.server), 1);
	send_close(&w);
}

/* H14 */
static void a_parameter_of_the_url_is_a_secret(void **state)
{
	static const struct fault_step no[] = {
		{.status = 400, .body = "bad token 'hunter' for /hook?v=1&token=hunter2"}};
	struct send_world w;
	char url[300];

	open_webhook(&w, no, 1);
	snprintf(url, sizeof(url), "%s/hook?v=1&token=hunter2", fault_base(w.server));
	send_url(&w, url);
	assert_int_equal(send_now(&w), SEND_REJECTED);
	assert_string_equal(w.result.reply, "bad token 'hunter' for ...");
	snprintf(url, sizeof(url), "%s/hook?v=1&token=hunter", fault_base(w.server));
	send_url(&w, url);
	assert_int_equal(send_now(&w), SEND_REJECTED);
	assert_string_equal(w.result.reply, "bad token '...' for ...2");
	send_close(&w);
}

/* ---- heartbeat ------------------------------------------------------------------------------------ */

static enum err_code beat(const struct fault_step *step, const char *path, struct err *e)
{
	struct send_world w;
	enum err_code code;
	char url[300];

	send_open(&w, CHANNEL_WEBHOOK, NULL, step, 1);
	snprintf(url, sizeof(url), "%s%s", fault_base(w.server), path);
	*e = (struct err){0};
	code = heartbeat_send(w.http, url, e);
	assert_i64_eq(code, e->code);
	assert_i64_eq(fault_count(w.server), 1);
	assert_i64_eq(fault_count_of(w.server, "GET /ping/hunter2 "), 1);
	assert_null(strstr(e->msg, "hunter2"));
	send_close(&w);
	return code;
}

static void a_heartbeat_is_a_get(void **state)
{
	static const struct fault_step ok = {.body = "OK"}, gone = {.status = 404},
				       moved = {.status = 302},
				       reset = {.how = FAULT_RESET};
	struct err e;

	assert_int_equal(beat(&ok, "/ping/hunter2", &e), E_OK);
	assert_int_equal(beat(&gone, "/ping/hunter2", &e), E_HTTP);
	assert_contains(e.msg, "heartbeat: GET http://127.0.0.1:");
	assert_contains(e.msg, "/...: HTTP 404");
	assert_string_equal(e.fix, "check the URL of the heartbeat");
	assert_int_equal(beat(&moved, "/ping/hunter2", &e), E_HTTP);
	assert_int_equal(beat(&reset, "/ping/hunter2", &e), E_NET);
	assert_contains(e.msg, "heartbeat: GET http://127.0.0.1:");
}

static void a_heartbeat_goes_nowhere_inside(void **state)
{
	struct send_world w;
	struct err e = {0};

	send_open(&w, CHANNEL_WEBHOOK, NULL, fine, 1);
	assert_err(heartbeat_send(w.http, "https://169.254.169.254/hunter2", &e), e,
		E_CONFIG,
		"heartbeat: URL https://169.254.169.254/...: nothing may be sent");
	resolves_to = "10.0.0.1";
	assert_err(heartbeat_send(w.http, "https://" NAME "/hunter2", &e), e, E_NET,
		"sending to its address is not allowed");
	resolves_to = "127.0.0.1";
	send_close(&w);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_report_is_posted_whole),
		cmocka_unit_test(a_chat_is_told_of_actions_with_what_prevents_them),
		cmocka_unit_test(a_possible_repeat_says_so),
		cmocka_unit_test(several_alerts_are_lines),
		cmocka_unit_test(one_alert_is_not_said_twice),
		cmocka_unit_test(the_text_is_short_whatever_comes),
		cmocka_unit_test(every_answer_has_its_class),
		cmocka_unit_test(what_a_name_resolves_to_is_judged),
		cmocka_unit_test(what_may_have_arrived_is_unclear),
		cmocka_unit_test(a_parameter_of_the_url_is_a_secret),
		cmocka_unit_test(a_heartbeat_is_a_get),
		cmocka_unit_test(a_heartbeat_goes_nowhere_inside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
