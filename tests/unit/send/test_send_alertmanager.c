#include "base/data/json.h"
#include "base/str.h"
#include "tests/support/assert.h"
#include "tests/support/world/send_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct fault_step fine[] = {{.body = ""}};

static void open_am(struct send_world *w, const struct fault_step *steps, size_t n)
{
	send_open(w, CHANNEL_ALERTMANAGER, NULL, steps, n);
	send_url(w, fault_base(w->server));
	w->letter.body = "{\"report\":\"alerts\",\"firing\":[],\"resolved\":[]}";
}

/* The body of a letter about one alert; what is posted for it. */
static const char *post_one(struct send_world *w, const char *section, const char *row)
{
	char body[2000];

	snprintf(body, sizeof(body), "{\"report\":\"alerts\",\"%s\":[%s],\"%s\":[]}",
		section, row, str_eq(section, "firing") ? "resolved" : "firing");
	w->letter.body = body;
	assert_int_equal(send_now(w), SEND_SENT);
	send_posted(w, fault_count(w->server) - 1);
	return send_posted_text(w, fault_count(w->server) - 1);
}

#define ROW(event, severity)                                                         \
	"{\"event\":\"" event "\",\"severity\":\"" severity                          \
	"\",\"rule\":\"big-cpu\",\"name\":\"vm-1\",\"subject\":\"p/vm/z/"            \
	"vm-1\",\"summary\":"                                                        \
	"\"vm-1 burns\",\"since\":\"2026-11-21T04:00:00Z\",\"command\":\"stop it\"," \
	"\"labels\":\"{\\\"team\\\":\\\"lab\\\"}\",\"owner\":null}"
#define ALERT(severity, ends)                                                           \
	"{\"labels\":{\"alertname\":\"big-cpu\",\"subject\":\"p/vm/z/vm-1\","           \
	"\"severity\":\"" severity "\",\"team\":\"lab\"},\"annotations\":{\"summary\":" \
	"\"vm-1 burns\",\"command\":\"stop it\",\"name\":\"vm-1\"},\"startsAt\":"       \
	"\"2026-11-21T04:00:00Z\",\"endsAt\":\"" ends "\"}"
#define IN_8_HOURS "2026-11-21T13:00:00Z"
#define IN_2_DAYS "2026-11-23T05:00:00Z"
#define AT_ONCE "2026-11-21T05:00:00Z"

static void an_alert_lives_until_two_messages_were_missed(void **state)
{
	struct send_world w;

	open_am(&w, fine, 1);
	assert_string_equal(post_one(&w, "firing", ROW("firing", "critical")),
		"[" ALERT("critical", IN_8_HOURS) "]");
	assert_contains(fault_request(w.server, 0), "POST /api/v2/alerts HTTP/1.1\r\n");
	assert_contains(fault_request(w.server, 0), "Content-Type: application/json\r\n");
	assert_string_equal(post_one(&w, "firing", ROW("repeat", "warning")),
		"[" ALERT("warning", IN_2_DAYS) "," ALERT("info", AT_ONCE) "," ALERT(
			"critical", AT_ONCE) "]");
	assert_string_equal(post_one(&w, "firing", ROW("firing", "info")),
		"[" ALERT("info", IN_2_DAYS) "]");
	send_close(&w);
}

/* A rule of its own that is said again once a week only. */
static void an_alert_lives_as_its_rule_repeats(void **state)
{
	struct send_world w;

	open_am(&w, fine, 1);
	assert_contains(post_one(&w, "firing",
				"{\"event\":\"firing\",\"severity\":\"critical\",\"rule\":"
				"\"r\",\"repeat_seconds\":604800}"),
		"\"endsAt\":\"2026-12-05T05:00:00Z\"");
	assert_contains(post_one(&w, "firing",
				"{\"event\":\"firing\",\"severity\":\"critical\",\"rule\":"
				"\"r\",\"repeat_seconds\":600}"),
		"\"endsAt\":\"" IN_8_HOURS "\"");
	send_close(&w);
}

#define ACTION(event, severity)                                                          \
	"{\"event\":\"" event "\",\"severity\":\"" severity "\",\"resource\":\"p/tpu/z/" \
	"a\",\"name\":\"a\",\"detail\":\"why\",\"command\":\"c\"}"
#define ACTED(event, severity, ends)                                                  \
	"{\"labels\":{\"alertname\":\"tpucost-action\",\"subject\":\"p/tpu/z/a\","    \
	"\"event\":\"" event "\",\"severity\":\"" severity                            \
	"\"},\"annotations\":{\"summary\":\"why\",\"command\":\"c\",\"name\":\"a\"}," \
	"\"endsAt\":\"" ends "\"}"
#define ENDED                             \
	ACTED("warning", "info", AT_ONCE) \
	"," ACTED("warning", "warning", AT_ONCE) "," ACTED("warning", "critical", AT_ONCE)
#define IN_A_DAY "2026-11-22T05:00:00Z"

/* Alone or beside alerts: a warning that reaches nobody would count as one. */
static void what_is_done_to_machines_is_an_alert(void **state)
{
	struct send_world w;

	open_am(&w, fine, 1);
	assert_string_equal(post_one(&w, "actions", ACTION("warning", "warning")),
		"[" ACTED("warning", "warning", IN_A_DAY) "]");
	assert_string_equal(post_one(&w, "actions", ACTION("held", "critical")),
		"[" ENDED "," ACTED("held", "critical", IN_A_DAY) "]");
	assert_string_equal(post_one(&w, "actions", ACTION("outcome", "critical")),
		"[" ENDED
		"," ACTED("held", "critical", AT_ONCE) "," ACTED("unclear", "critical",
			AT_ONCE) "," ACTED("outcome", "critical", IN_A_DAY) "]");
	assert_string_equal(post_one(&w, "actions", ACTION("cancelled", "warning")),
		"[" ENDED "," ACTED("held", "critical", AT_ONCE) "," ACTED(
			"unclear", "critical", AT_ONCE) "]");
	send_close(&w);
}

static void what_is_over_ends_now(void **state)
{
	struct send_world w;

	open_am(&w, fine, 1);
	assert_string_equal(post_one(&w, "resolved", ROW("resolved", "critical")),
		"[" ALERT("critical", AT_ONCE) "," ALERT("info", AT_ONCE) "," ALERT(
			"warning", AT_ONCE) "]");
	send_close(&w);
}

static void what_got_worse_is_not_there_twice(void **state)
{
	struct send_world w;

	open_am(&w, fine, 1);
	assert_string_equal(post_one(&w, "firing", ROW("worse", "critical")),
		"[" ALERT("critical", IN_8_HOURS) "," ALERT("info", AT_ONCE) "," ALERT(
			"warning", AT_ONCE) "]");
	assert_string_equal(post_one(&w, "firing", ROW("worse", "warning")),
		"[" ALERT("warning", IN_2_DAYS) "," ALERT("info", AT_ONCE) "," ALERT(
			"critical", AT_ONCE) "]");
	send_close(&w);
}

static void labels_are_only_what_it_takes(void **state)
{
	struct send_world w;

	open_am(&w, fine, 1);
	assert_string_equal(
		post_one(&w, "firing",
			"{\"event\":\"firing\",\"severity\":\"info\",\"rule\":\"r\\u0022\","
			"\"subject\":\"\",\"summary\":\"\",\"since\":\"yesterday\","
			"\"labels\":"
			"\"{\\\"a-b\\\":\\\"x\\\",\\\"1a\\\":\\\"x\\\",\\\"\\\":\\\"x\\\","
			"\\\"severity\\\":\\\"x\\\",\\\"alertname\\\":\\\"x\\\","
			"\\\"subject\\\":\\\"x\\\",\\\"n\\\":1,\\\"empty\\\":\\\"\\\","
			"\\\"_ok2\\\":\\\"<\\u00e4>\\\"}\"}"),
		"[{\"labels\":{\"alertname\":\"r\\\"\",\"severity\":\"info\",\"_ok2\":"
		"\"<\xc3\xa4>\"},\"annotations\":{},\"endsAt\":\"" IN_2_DAYS "\"}]");
	/* It cannot begin after it ends. */
	assert_contains(
		post_one(&w, "resolved",
			"{\"event\":\"resolved\",\"severity\":\"info\",\"rule\":"
			"\"r\",\"since\":\"2026-11-21T05:00:01Z\",\"labels\":\"[\"}"),
		"[{\"labels\":{\"alertname\":\"r\",\"severity\":\"info\"},\"annotations\":{"
		"},"
		"\"endsAt\":\"" AT_ONCE "\"},");
	assert_string_equal(post_one(&w, "firing", "{\"event\":\"firing\"},3"), "[]");
	send_close(&w);
}

static void a_message_about_no_alert_is_one(void **state)
{
	struct send_world w;

	open_am(&w, fine, 1);
	w.letter.subject = "tpucost: test of channel lab";
	w.letter.body = "{\"report\":\"test\",\"headline\":\"It works.\"}";
	assert_int_equal(send_now(&w), SEND_SENT);
	assert_string_equal(send_posted_text(&w, 0),
		"[{\"labels\":{\"alertname\":\"tpucost\",\"subject\":\"test\",\"severity\":"
		"\"info\"},\"annotations\":{\"summary\":\"tpucost: test of channel lab\","
		"\"description\":\"It works.\"},\"startsAt\":\"2026-11-21T04:59:00Z\","
		"\"endsAt\":\"2026-11-21T05:10:00Z\"}]");
	w.letter.body = "{\"report\":\"lost\"}";
	assert_int_equal(send_now(&w), SEND_SENT);
	assert_contains(send_posted_text(&w, 1), "\"severity\":\"warning\"");
	assert_contains(send_posted_text(&w, 1), "\"endsAt\":\"2026-11-22T05:00:00Z\"");
	send_close(&w);
}

static void the_path_is_put_behind_the_url(void **state)
{
	static const char *const urls[][2] = {{"/", "/api/v2/alerts"},
		{"/prefix/", "/prefix/api/v2/alerts"}, {"/prefix", "/prefix/api/v2/alerts"},
		{"/api/v2/alerts", "/api/v2/alerts"}};

	for (size_t i = 0; i < ARRAY_LEN(urls); i++) {
		struct send_world w;
		char url[300], want[100];

		open_am(&w, fine, 1);
		snprintf(url, sizeof(url), "%s%s", fault_base(w.server), urls[i][0]);
		send_url(&w, url);
		assert_int_equal(send_now(&w), SEND_SENT);
		snprintf(want, sizeof(want), "POST %s HTTP/1.1\r\n", urls[i][1]);
		assert_contains(fault_request(w.server, 0), want);
		send_close(&w);
	}
}

static void a_password_is_sent_and_never_shown(void **state)
{
	static const struct fault_step no[] = {{.status = 401, .body = "me:pa55word? no"}};
	struct send_world w;

	open_am(&w, no, 1);
	w.channel.username = "me";
	w.channel.password_file = w.password_file;
	assert_int_equal(send_now(&w), SEND_SWITCHED_OFF);
	assert_contains(fault_request(w.server, 0),
		"Authorization: Basic bWU6cGE1NXdvcmQ=\r\n"); /* me:pa55word */
	assert_string_equal(w.result.reply, "me:...? no");
	assert_contains(
		w.result.err.fix, "check username and password_file of channel lab");
	w.channel.password_file = tempdir_name(&w.dir, "none");
	assert_int_equal(send_now(&w), SEND_NOT_SENT);
	assert_i64_eq(fault_count(w.server), 1);
	send_close(&w);
}

static void every_answer_has_its_class(void **state)
{
	static const struct {
		struct fault_step step;
		enum send_class class;
	} cases[] = {
		{{.status = 200}, SEND_SENT},
		{{.status = 302}, SEND_SWITCHED_OFF},
		{{.status = 400, .body = "\"start time must be before end time\""},
			SEND_REJECTED},
		{{.status = 404}, SEND_SWITCHED_OFF},
		{{.status = 429}, SEND_LATER},
		{{.status = 500, .body = "\"oops\""}, SEND_LATER},
		{{.status = 503}, SEND_LATER},
		/* Twice does no harm, so what may have arrived is as what did not. */
		{{.how = FAULT_RESET}, SEND_NOT_SENT},
		{{.how = FAULT_CLOSE}, SEND_NOT_SENT},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct send_world w;

		open_am(&w, &cases[i].step, 1);
		if (send_now(&w) != cases[i].class)
			fail_msg("case %zu: %s: %s", i, send_class_name(w.result.class),
				w.result.err.msg);
		assert_i64_eq(fault_count(w.server), 1);
		send_close(&w);
	}
}

static void ten_thousand_alerts_are_one_request(void **state)
{
	struct sbuf body = SBUF_INIT;
	struct send_world w;

	sbuf_adds(&body, "{\"report\":\"alerts\",\"firing\":[");
	for (size_t i = 0; i < 10000; i++)
		sbuf_addf(&body, "%s%s", i ? "," : "", ROW("firing", "critical"));
	sbuf_adds(&body, "],\"resolved\":[]}");
	open_am(&w, fine, 1);
	w.letter.body = body.s;
	assert_int_equal(send_now(&w), SEND_SENT);
	assert_i64_eq(json_len(send_posted(&w, 0)), 10000);
	sbuf_done(&body);
	send_close(&w);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_alert_lives_until_two_messages_were_missed),
		cmocka_unit_test(an_alert_lives_as_its_rule_repeats),
		cmocka_unit_test(what_is_done_to_machines_is_an_alert),
		cmocka_unit_test(what_is_over_ends_now),
		cmocka_unit_test(what_got_worse_is_not_there_twice),
		cmocka_unit_test(labels_are_only_what_it_takes),
		cmocka_unit_test(a_message_about_no_alert_is_one),
		cmocka_unit_test(the_path_is_put_behind_the_url),
		cmocka_unit_test(a_password_is_sent_and_never_shown),
		cmocka_unit_test(every_answer_has_its_class),
		cmocka_unit_test(ten_thousand_alerts_are_one_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
