/* The cause of an error is the same for all lists and projects that met it. */
#include "reports/cause.h"
#include "tests/support/assert.h"
#include "tests/support/unit.h"

static void it_is_without_the_call(void **state)
{
	static const struct {
		const char *error, *cause;
	} cases[] = {
		{"list disks: credentials file /k.json: token: HTTP 400: invalid_grant",
			"credentials file /k.json: token: HTTP 400: invalid_grant"},
		{"credentials file /k.json: token: HTTP 400",
			"credentials file /k.json: token: HTTP 400"},
		{"list disks: after 5 attempts: GET https://c.googleapis.com/x: connection "
		 "refused",
			"no usable answer from Google: connection refused"},
		{"list disks: credentials file /k.json: token: after 2 attempts: POST "
		 "https://o.googleapis.com/token: connection refused",
			"no usable answer from Google: connection refused"},
		{"table a.b.c: read it: credentials file /k.json: token: the clock of "
		 "this machine is ahead of Google's",
			"the clock of this machine is ahead of Google's"},
		{"list TPU nodes: HTTP 403 SERVICE_DISABLED: Cloud TPU API has not been "
		 "used in project 5 before or it is disabled. Enable it by visiting "
		 "https://console.developers.google.com/x then retry.",
			"Cloud TPU API is not enabled"},
		{"list disks: HTTP 401 UNAUTHENTICATED: no",
			"HTTP 401 UNAUTHENTICATED: no"},
		{"list disks: no Google credentials: none is set",
			"no Google credentials: none is set"},
		/* an address in the text of Google is not a request that failed */
		{"list disks: HTTP 500: see https://example.org/a b: c",
			"HTTP 500: see https://example.org/a b: c"},
		{"list disks: HTTP 403: denied", "HTTP 403: denied"},
		{"get billing info: the response is not JSON", "the response is not JSON"},
		{"table a.b.c: HTTP 403: denied", "table a.b.c: HTTP 403: denied"},
		{NULL, ""},
	};
	struct arena a = {0};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(cause_of(cases[i].error, &a), cases[i].cause);
	arena_done(&a);
}

static void that_of_an_alert_is_at_its_end(void **state)
{
	const struct rule rules[] = {
		{.name = "old", .builtin = "source-stale", .on = "sources"},
		{.name = "mine", .on = "resources"}};
	const struct settings s = {.rules = rules, .n_rules = ARRAY_LEN(rules)};
	const char *summary =
		"vm lab is old. Last complete poll: unknown. Error: list VMs: HTTP "
		"401: no";
	struct arena a = {0};

	assert_string_equal(cause_of_alert(&s, "old", summary, &a), "HTTP 401: no");
	assert_null(cause_of_alert(&s, "old", "vm lab is old.", &a));
	assert_null(cause_of_alert(&s, "mine", summary, &a));
	assert_null(cause_of_alert(&s, "gone", summary, &a));
	arena_done(&a);
}

static void a_group_that_ended_keeps_the_reason(void **state)
{
	const struct rule rules[] = {
		{.name = "old", .builtin = "source-stale", .on = "sources"}};
	const struct settings s = {.rules = rules, .n_rules = ARRAY_LEN(rules)};
	const char *summary = "was: tpu lab is old. Error: list TPU nodes: HTTP 403: Cloud "
			      "TPU API has not been used in project 5 before or it is "
			      "disabled. Ended: the condition no longer holds.";
	const char *net =
		"was: tpu lab is old. Error: GET https://c.example.org/x: refused. "
		"Ended: the rule was switched off or removed.";
	struct arena a = {0};

	assert_string_equal(cause_summary(&s, "old", 3,
				    cause_of_alert(&s, "old", summary, &a), summary, &a),
		"was: 3 stale sources: Cloud TPU API is not enabled. Ended: the condition "
		"no longer holds.");
	assert_string_equal(
		cause_summary(&s, "old", 2, cause_of_alert(&s, "old", net, &a), net, &a),
		"was: 2 stale sources: no usable answer from Google: refused. Ended: the "
		"rule was switched off or removed.");
	assert_string_equal(cause_summary(&s, "old", 1, "x", summary, &a), summary);
	assert_string_equal(cause_summary(&s, "old", 34, "unknown", "tpu lab is old.", &a),
		"34 stale sources");
	arena_done(&a);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_without_the_call),
		cmocka_unit_test(that_of_an_alert_is_at_its_end),
		cmocka_unit_test(a_group_that_ended_keeps_the_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
