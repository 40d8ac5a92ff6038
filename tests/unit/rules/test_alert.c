/* The life of an alert. */
#include "rules/judge/alert.h"
#include "tests/support/unit.h"

#include <stddef.h>

#define T INT64_C(1795219200)
#define MINUTE INT64_C(60)
#define HOUR INT64_C(3600)

static const struct observation yes = {.holds = true, .severity = SEVERITY_WARNING};
static const struct observation no = {.holds = false};
static const struct observation stale = {.data = DATA_STALE, .holds = true};
static const struct observation unknown = {.data = DATA_UNKNOWN};

static struct rule rule_for(int64_t hold)
{
	return (struct rule){.name = "r", .hold_for = hold, .severity = SEVERITY_WARNING};
}

static struct alert none(void)
{
	return (struct alert){.state = ALERT_NONE};
}

static void without_for_it_fires_at_once(void **state)
{
	struct rule r = rule_for(0);
	struct alert a = none();

	assert_int_equal(alert_step(&a, &r, &yes, T), EVENT_FIRING);
	assert_int_equal(a.state, ALERT_FIRING);
	assert_int_equal(a.since, T);
	assert_int_equal(a.fired, T);
	assert_int_equal(a.said, T);
	assert_int_equal(a.resolved, TS_NONE);
}

static void it_fires_when_it_held_for_long_enough(void **state)
{
	struct rule r = rule_for(10 * MINUTE);
	struct alert a = none();

	assert_int_equal(alert_step(&a, &r, &yes, T), EVENT_NONE);
	assert_int_equal(a.state, ALERT_PENDING);
	assert_int_equal(alert_step(&a, &r, &yes, T + 10 * MINUTE - 1), EVENT_NONE);
	assert_int_equal(alert_step(&a, &r, &yes, T + 10 * MINUTE), EVENT_FIRING);
	assert_int_equal(a.since, T);
	assert_int_equal(a.fired, T + 10 * MINUTE);
	assert_int_equal(a.last_true, T + 10 * MINUTE);
}

static void what_was_pending_and_ends_was_never_said(void **state)
{
	struct rule r = rule_for(10 * MINUTE);
	struct alert a = none();

	alert_step(&a, &r, &yes, T);
	assert_int_equal(alert_step(&a, &r, &no, T + MINUTE), EVENT_NONE);
	assert_int_equal(a.state, ALERT_NONE);
	/* and time begins anew */
	alert_step(&a, &r, &yes, T + 9 * MINUTE);
	assert_int_equal(a.since, T + 9 * MINUTE);
	assert_int_equal(alert_step(&a, &r, &yes, T + 11 * MINUTE), EVENT_NONE);
}

static void it_is_said_once_and_then_every_repeat(void **state)
{
	struct rule r = rule_for(0);
	struct alert a = none();
	size_t said = 0;

	for (ts_t t = T; t <= T + 48 * HOUR; t += MINUTE)
		said += alert_step(&a, &r, &yes, t) != EVENT_NONE;
	assert_int_equal(said, 3); /* at 0, 24 and 48 h */
	assert_int_equal(alert_repeat(&r, SEVERITY_CRITICAL), 4 * HOUR);
	r.repeat = HOUR;
	assert_int_equal(alert_repeat(&r, SEVERITY_CRITICAL), HOUR);
}

static void only_fresh_data_moves_it(void **state)
{
	struct rule r = rule_for(10 * MINUTE);
	struct alert a = none();

	/* stale data begins nothing */
	assert_int_equal(alert_step(&a, &r, &stale, T), EVENT_NONE);
	assert_int_equal(a.state, ALERT_NONE);
	/* it does not fire on it */
	alert_step(&a, &r, &yes, T);
	assert_int_equal(alert_step(&a, &r, &stale, T + HOUR), EVENT_NONE);
	assert_int_equal(a.state, ALERT_PENDING);
	assert_int_equal(a.data, DATA_STALE);
	assert_int_equal(a.last_true, T);
	/* time went on meanwhile */
	assert_int_equal(alert_step(&a, &r, &yes, T + HOUR + MINUTE), EVENT_FIRING);
	assert_int_equal(a.data, DATA_FRESH);
	/* it does not resolve on it either, and is not repeated */
	assert_int_equal(alert_step(&a, &r, &stale, T + 2 * HOUR), EVENT_NONE);
	assert_int_equal(alert_step(&a, &r, &unknown, T + 90 * HOUR), EVENT_NONE);
	assert_int_equal(a.state, ALERT_FIRING);
	assert_int_equal(a.data, DATA_UNKNOWN);
	assert_int_equal(alert_step(&a, &r, &no, T + 91 * HOUR), EVENT_RESOLVED);
	assert_int_equal(a.data, DATA_FRESH);
}

static void what_is_resolved_and_comes_back_is_new(void **state)
{
	struct rule r = rule_for(0);
	struct alert a = none();

	alert_step(&a, &r, &yes, T);
	assert_int_equal(alert_step(&a, &r, &no, T + HOUR), EVENT_RESOLVED);
	assert_int_equal(a.resolved, T + HOUR);
	assert_int_equal(a.since, T);
	assert_int_equal(alert_step(&a, &r, &no, T + 2 * HOUR), EVENT_NONE);
	assert_int_equal(a.resolved, T + HOUR);
	assert_int_equal(alert_step(&a, &r, &yes, T + 3 * HOUR), EVENT_FIRING);
	assert_int_equal(a.since, T + 3 * HOUR);
	assert_int_equal(a.resolved, TS_NONE);
}

/* A figure that goes to and fro around its limit is said once. */
static void it_is_kept_for_a_while(void **state)
{
	struct rule r = rule_for(0);
	struct alert a = none();
	size_t said = 0;

	r.keep_for = 2 * HOUR;
	for (ts_t t = T; t < T + 12 * HOUR; t += HOUR)
		said += alert_step(&a, &r, (t - T) / HOUR % 2 ? &no : &yes, t) !=
			EVENT_NONE;
	assert_int_equal(said, 1);
	assert_int_equal(a.last_true, T + 10 * HOUR);
	assert_int_equal(alert_step(&a, &r, &no, T + 12 * HOUR - 1), EVENT_NONE);
	assert_int_equal(alert_step(&a, &r, &unknown, T + 13 * HOUR), EVENT_NONE);
	assert_int_equal(a.state, ALERT_FIRING);
	assert_int_equal(alert_step(&a, &r, &no, T + 13 * HOUR), EVENT_RESOLVED);
	assert_int_equal(a.resolved, T + 13 * HOUR);
}

/* Nothing was evaluated for three hours: it may have held until now. */
static void it_is_kept_since_fresh_data_contradicts_it(void **state)
{
	struct rule r = rule_for(0);
	struct alert a = none();

	r.keep_for = 2 * HOUR;
	alert_step(&a, &r, &yes, T);
	alert_step(&a, &r, &unknown, T + HOUR);
	assert_int_equal(alert_step(&a, &r, &no, T + 3 * HOUR), EVENT_NONE);
	assert_int_equal(a.ceased, T + 3 * HOUR);
	assert_int_equal(alert_step(&a, &r, &yes, T + 4 * HOUR), EVENT_NONE);
	assert_int_equal(a.ceased, TS_NONE);
	assert_int_equal(alert_step(&a, &r, &no, T + 8 * HOUR), EVENT_NONE);
	assert_int_equal(alert_step(&a, &r, &no, T + 10 * HOUR - 1), EVENT_NONE);
	assert_int_equal(alert_step(&a, &r, &no, T + 10 * HOUR), EVENT_RESOLVED);
}

static void worse_is_said_better_is_not(void **state)
{
	struct rule r = rule_for(0);
	struct alert a = none();
	struct observation o = yes;

	o.stage = 50;
	assert_int_equal(alert_step(&a, &r, &o, T), EVENT_FIRING);
	assert_int_equal(alert_step(&a, &r, &o, T + 1), EVENT_NONE);
	o.stage = 80;
	assert_int_equal(alert_step(&a, &r, &o, T + 2), EVENT_WORSE);
	/* to and fro around 80 is one message */
	o.stage = 50;
	assert_int_equal(alert_step(&a, &r, &o, T + 3), EVENT_NONE);
	o.stage = 80;
	assert_int_equal(alert_step(&a, &r, &o, T + 4), EVENT_NONE);
	o.severity = SEVERITY_CRITICAL;
	assert_int_equal(alert_step(&a, &r, &o, T + 5), EVENT_WORSE);
	o.severity = SEVERITY_INFO;
	assert_int_equal(alert_step(&a, &r, &o, T + 6), EVENT_NONE);
	assert_int_equal(a.severity, SEVERITY_INFO);
	assert_int_equal(a.stage, 80);
	/* the next message is due when one of the reported severity is: 4 h later if critical */
	assert_int_equal(alert_step(&a, &r, &o, T + 4 + 4 * HOUR), EVENT_NONE);
	assert_int_equal(alert_step(&a, &r, &o, T + 5 + 4 * HOUR), EVENT_REPEAT);
	assert_int_equal(alert_step(&a, &r, &o, T + 4 + 28 * HOUR), EVENT_NONE);
	assert_int_equal(alert_step(&a, &r, &o, T + 5 + 28 * HOUR), EVENT_REPEAT);
	o.severity = SEVERITY_WARNING;
	assert_int_equal(alert_step(&a, &r, &o, T + 29 * HOUR), EVENT_WORSE);
}

/* One that is critical at every second evaluation, or of which that is unknown. */
static void a_severity_to_and_fro_is_one_message(void **state)
{
	struct rule r = rule_for(0);
	struct alert a = none();
	struct observation o = yes;
	size_t said = 0, worse = 0;

	for (ts_t t = T; t < T + 12 * HOUR; t += 10 * MINUTE) {
		enum alert_event ev;

		o.severity = o.severity == SEVERITY_CRITICAL ? SEVERITY_WARNING
							     : SEVERITY_CRITICAL;
		ev = alert_step(&a, &r, &o, t);
		assert_int_equal(a.severity, o.severity);
		said += ev != EVENT_NONE;
		worse += ev == EVENT_WORSE;
	}
	assert_int_equal(said, 3); /* at 0, 4 and 8 h */
	assert_int_equal(worse, 0);
	o.severity = SEVERITY_CRITICAL;
	alert_step(&a, &r, &o, T + 12 * HOUR);
	o.severity = SEVERITY_WARNING;
	o.unsure = true;
	alert_step(&a, &r, &o, T + 12 * HOUR + MINUTE);
	assert_int_equal(a.severity, SEVERITY_CRITICAL);
}

static void a_clock_set_back_fires_nothing(void **state)
{
	struct rule r = rule_for(10 * MINUTE);
	struct alert a = none();

	alert_step(&a, &r, &yes, T);
	assert_int_equal(alert_step(&a, &r, &yes, T - 24 * HOUR), EVENT_NONE);
	assert_int_equal(a.state, ALERT_PENDING);
	assert_int_equal(a.last_true, T);
	assert_int_equal(alert_step(&a, &r, &yes, T + 10 * MINUTE), EVENT_FIRING);
}

/* What held only in the future need not wait until then for its end. */
static void an_alert_of_the_future_ends_at_once(void **state)
{
	static const int64_t keeps[] = {0, 2 * HOUR};

	for (size_t i = 0; i < ARRAY_LEN(keeps); i++) {
		struct rule r = rule_for(0);
		struct alert a = none();

		r.keep_for = keeps[i];
		assert_int_equal(alert_step(&a, &r, &yes, T + HOUR), EVENT_FIRING);
		assert_int_equal(alert_step(&a, &r, &unknown, T), EVENT_NONE);
		assert_int_equal(alert_step(&a, &r, &no, T), EVENT_RESOLVED);
		assert_int_equal(a.resolved, T);
	}
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_for_it_fires_at_once),
		cmocka_unit_test(it_fires_when_it_held_for_long_enough),
		cmocka_unit_test(what_was_pending_and_ends_was_never_said),
		cmocka_unit_test(it_is_said_once_and_then_every_repeat),
		cmocka_unit_test(only_fresh_data_moves_it),
		cmocka_unit_test(what_is_resolved_and_comes_back_is_new),
		cmocka_unit_test(it_is_kept_for_a_while),
		cmocka_unit_test(it_is_kept_since_fresh_data_contradicts_it),
		cmocka_unit_test(worse_is_said_better_is_not),
		cmocka_unit_test(a_severity_to_and_fro_is_one_message),
		cmocka_unit_test(a_clock_set_back_fires_nothing),
		cmocka_unit_test(an_alert_of_the_future_ends_at_once),
	};

	return cmocka_run_group_tests_name("alert", tests, NULL, NULL);
}
