/* Channels of owners: which there are, whom they reach and what each is about. */
#include "tests/support/world/outbox_world.h"

#include "tests/support/assert.h"
#include "tests/support/fault/faultstmt.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define RULE(rule, address)                                                     \
	{                                                                       \
		.name = (rule), .on = "resources", .enabled = true, .notify = { \
			.to_owner = (address),                                  \
			.channel = "mail"                                       \
		}                                                               \
	}

static struct rule rules[4];

static int setup(void **state)
{
	const struct rule all[] = {RULE("vm", "{owner}@example.org"), RULE("quiet", NULL),
		RULE("tpu", "tpu-{owner}@lab.example"),
		RULE("behind", "{owner}@elsewhere.example")};

	ow_setup(state);
	memcpy(rules, all, sizeof(all));
	ow.settings.rules = rules;
	ow.settings.n_rules = 3;
	*ow_channel("mail") = (struct channel){.name = "mail",
		.kind = CHANNEL_SENDMAIL,
		.min_severity = SEVERITY_CRITICAL,
		.version = "1"};
	ow_channel("log");
	return 0;
}

/* An alert of the rule about a machine of that owner. */
static void put(const char *rule, const char *subject, const char *owner)
{
	tempdb_execf(&ow.t,
		"INSERT INTO resource (id, uid, source, kind, project, location, name, "
		"state, "
		"raw_state, labels, owner, first_seen, last_seen, complete) VALUES (%Q, "
		"'1', "
		"'vm', 'vm', 'p', 'l', %Q, 'running', 'RUNNING', '{}', %Q, 1, 1, 1) "
		"ON CONFLICT DO NOTHING",
		subject, subject, owner);
	tempdb_execf(&ow.t,
		"INSERT INTO alert (rule, subject, state, data, severity, since, "
		"last_true, "
		"fired, stage, summary, labels) VALUES (%Q, %Q, 'firing', 'fresh', "
		"'warning', 1, 1, 1, 0, 'x', '{}')",
		rule, subject);
}

/* An event that the channel of an owner was told of, or that waits for it. */
static void told(const char *channel, const char *subject, const char *state)
{
	tempdb_execf(&ow.t,
		"INSERT INTO outbox (channel, rule, subject, kind, severity, summary, at, "
		"since, state, message) VALUES (%Q, 'vm', %Q, 'firing', 'warning', 'x', 1, "
		"1, "
		"%Q, %Q)",
		channel, subject, state, subject);
	tempdb_execf(&ow.t,
		"INSERT OR IGNORE INTO channel_state (channel, kind, version) VALUES (%Q, "
		"'sendmail', '1')",
		channel);
	tempdb_execf(&ow.t,
		"INSERT INTO notification (message, channel, recipient, kind, dedup, "
		"critical, "
		"subject, body, refs, state, attempts, fence, created, lost_told, format, "
		"perhaps_sent) VALUES (%Q, %Q, '', 'alerts', %Q, 0, 's', 'b', '', 'sent', "
		"1, 1, "
		"1, 0, 'text', 0)",
		subject, channel, subject);
}

/* The channels behind those of the configuration: "name>recipient". */
static void expect_owners(bool letters, const char *want)
{
	struct outbox o = {.channels = ow.channels, .n = ow.o.n, .settings = &ow.settings};
	const char *got = "";
	struct err e = {0};

	assert_ok(outbox_add_owners(ow.t.db, &o, letters, &ow.t.a, &e), e);
	for (size_t i = 0; i < ow.o.n; i++)
		assert_string_equal(o.channels[i].name, ow.channels[i].name);
	for (size_t i = ow.o.n; i < o.n; i++) {
		const struct channel *c = &o.channels[i];

		assert_string_equal(c->base, "mail");
		assert_int_equal(c->n_to, 1);
		assert_int_equal(c->kind, CHANNEL_SENDMAIL);
		assert_int_equal(c->min_severity, SEVERITY_INFO);
		got = arena_printf(
			&ow.t.a, "%s%s%s>%s", got, *got ? "; " : "", c->name, c->to[0]);
	}
	assert_string_equal(got, want);
	ow.o.left_out = o.left_out;
	ow.o.owners_missed = o.owners_missed;
}

static void an_owner_has_an_address_in_our_domain(void **state)
{
	static const char *const owners[] = {"", "a b", "a@b", "a,b", "a%b", ".", "a\n"};

	for (size_t i = 0; i < ARRAY_LEN(owners); i++)
		assert_null(outbox_owner_address(
			"tpu-{owner}@lab.example", owners[i], &ow.t.a));
	assert_string_equal(
		outbox_owner_address("tpu-{owner}@lab.example", "ann.b", &ow.t.a),
		"tpu-ann.b@lab.example");
}

static void each_owner_hears_of_what_is_theirs(void **state)
{
	struct outbox o = ow.o;
	const struct channel *ann, *bob, *tpu;
	struct err e = {0};

	put("gone", "x", "ann"); /* of a rule that is no longer there */
	put("quiet", "a", "ann");
	put("tpu", "a", "ann");
	put("tpu", "b", "ann");
	put("vm", "a", "ann");
	put("vm", "f", "bob");
	put("vm", "c", "ann");
	put("vm", "d", "no name");
	put("vm", "e", NULL);
	expect_owners(true, "");
	expect_owners(false,
		"mail/tpu-ann@lab.example>tpu-ann@lab.example; "
		"mail/ann@example.org>ann@example.org; "
		"mail/bob@example.org>bob@example.org");
	assert_int_equal(ow.o.left_out.code, E_OK);
	assert_ok(outbox_add_owners(ow.t.db, &o, false, &ow.t.a, &e), e);
	tpu = &o.channels[2];
	ann = &o.channels[3];
	bob = &o.channels[4];
	assert_true(channel_is_about(tpu, "tpu", "a"));
	assert_false(channel_is_about(tpu, "vm", "a") || channel_is_about(tpu, "a", "a"));
	assert_true(channel_is_about(ann, "vm", "a") && channel_is_about(ann, "vm", "c"));
	assert_false(channel_is_about(ann, "vm", "f") || channel_is_about(ann, "tpu", "a"));
	assert_false(channel_is_about(ann, "vm", "d") || channel_is_about(ann, "vm", "e"));
	assert_true(channel_is_about(bob, "vm", "f"));
	assert_true(channel_is_about(&o.channels[0], "quiet", "a"));
}

/* What was sent there has its end there, whoever owns it now, but not in a domain of no rule. */
static void who_was_told_hears_of_the_end(void **state)
{
	put("vm", "a", "ann");
	told("mail/eve@example.org", "x", "told");
	told("mail/zoe@lab.example", "y", "told");
	told("mail/old@elsewhere.example", "z", "told");
	told("log", "a", "told");
	expect_owners(false,
		"mail/eve@example.org>eve@example.org; "
		"mail/zoe@lab.example>zoe@lab.example; "
		"mail/ann@example.org>ann@example.org");
	assert_i64_eq(ow.o.owners_missed, 1);
	/* those that only hear of an end are about nothing */
	expect_owners(true, "");
	assert_i64_eq(ow.o.owners_missed, 0);
	rules[2].enabled = false;
	expect_owners(false,
		"mail/eve@example.org>eve@example.org; "
		"mail/ann@example.org>ann@example.org");
	assert_i64_eq(ow.o.owners_missed, 2);
}

/* An owner whom nothing is left to tell has no channel; a letter that waits makes one. */
static void letters_that_wait_have_a_channel(void **state)
{
	tempdb_exec(&ow.t,
		"INSERT INTO channel_state (channel, kind, version) VALUES "
		"('mail/old@example.org', 'sendmail', '1'), "
		"('mail/old@elsewhere.example', 'sendmail', '1')");
	expect_owners(false, "");
	assert_i64_eq(ow.o.owners_missed, 0);
	told("mail/eve@example.org", "x", "waiting");
	told("mail/bad@elsewhere.example", "z", "waiting");
	expect_owners(true, "mail/eve@example.org>eve@example.org");
	assert_i64_eq(ow.o.owners_missed, 0);
	expect_owners(false, "mail/eve@example.org>eve@example.org");
	assert_i64_eq(ow.o.owners_missed, 1);
}

static void an_owner_s_channel_has_a_name(void **state)
{
	static const char *const none[] = {"mail", "mail/", "mail/ann",
		"log/ann@example.org", "mai/ann@example.org", "mail/ann@elsewhere.example",
		"mail/a, b@example.org", "mail/-ann@example.org"};
	const struct channel *c = outbox_owner(&ow.o, "mail/ann@example.org", &ow.t.a);

	assert_string_equal(c->name, "mail/ann@example.org");
	assert_string_equal(c->to[0], "ann@example.org");
	assert_false(channel_is_about(c, "vm", "a"));
	for (size_t i = 0; i < ARRAY_LEN(none); i++)
		assert_null(outbox_owner(&ow.o, none[i], &ow.t.a));
}

static void a_hundred_owners_are_enough(void **state)
{
	static const char *const left_out[] = {"", "owner mail/n100@example.org",
		"owners mail/n100@example.org, mail/n101@example.org",
		"owners mail/n100@example.org, mail/n101@example.org, "
		"mail/n102@example.org",
		"owners mail/n100@example.org, mail/n101@example.org, "
		"mail/n102@example.org and 1 more",
		"owners mail/n100@example.org, mail/n101@example.org, "
		"mail/n102@example.org and 2 more"};
	char name[16], want[200];

	for (int i = 0; i < OUTBOX_OWNERS + (int)ARRAY_LEN(left_out) - 1; i++) {
		struct outbox o = ow.o;
		struct err e = {0};

		snprintf(name, sizeof(name), "n%03d", i);
		put("vm", name, name);
		if (i < OUTBOX_OWNERS - 1)
			continue;
		assert_ok(outbox_add_owners(ow.t.db, &o, false, &ow.t.a, &e), e);
		assert_i64_eq(o.n, 2 + OUTBOX_OWNERS);
		assert_int_equal(o.left_out.code, i >= OUTBOX_OWNERS ? E_LIMIT : E_OK);
		snprintf(want, sizeof(want),
			"no mail to %s: at most 100 owners are mailed at a time",
			left_out[i + 1 - OUTBOX_OWNERS]);
		assert_string_equal(o.left_out.msg, i < OUTBOX_OWNERS ? "" : want);
		assert_string_equal(o.channels[o.n - 1].to[0], "n099@example.org");
	}
}

/* Told to eve: an alert that ended unnoticed, one of a machine that is ann's now, and one of her own. */
static void what_is_no_longer_theirs_ends_for_owners(void **state)
{
	static const char *const subjects[] = {"a", "b", "x"};
	struct err e = {0};

	put("vm", "a", "ann");
	put("vm", "b", "eve");
	for (size_t i = 0; i < ARRAY_LEN(subjects); i++)
		told("mail/eve@example.org", subjects[i], "told");
	assert_ok(outbox_add_owners(ow.t.db, &ow.o, false, &ow.t.a, &e), e);
	ow_note("firing", "vm", "c", SEVERITY_INFO);
	ow_expect("SELECT group_concat(channel || ' ' || subject || ' ' || kind || ' ' || "
		  "severity || ' ' || since || ': ' || summary, '; ') FROM (SELECT * FROM "
		  "outbox WHERE state = 'waiting' AND channel <> 'log' ORDER BY item)",
		"mail/eve@example.org a resolved warning 1: was: x. Ended: it is no longer "
		"reported to you, because its owner or the rule has changed.; "
		"mail/eve@example.org x resolved warning 1: x");
}

static void each_query_is_heeded(void **state)
{
	size_t failed = 0;

	put("vm", "a", "ann");
	told("mail/eve@example.org", "x", "told");
	for (;; failed++) {
		struct outbox o = ow.o;
		struct err e = {0};
		enum err_code rc;

		faultstmt_arm(ow.t.db, FAULT_RUN, (int64_t)failed + 1);
		rc = outbox_add_owners(ow.t.db, &o, false, &ow.t.a, &e);
		if (!faultstmt_disarm(ow.t.db))
			break;
		assert_int_not_equal(rc, E_OK);
		assert_contains(e.msg, "mail to owners");
	}
	assert_true(failed >= 3);
}

/* Owners can start and stop their machines; what the operator can do is not for them. */
static void an_owner_is_told_what_owners_can_do(void **state)
{
	struct err e = {0};

	put("vm", "p/vm/us-central1-b/a", "ann");
	assert_ok(outbox_add_owners(ow.t.db, &ow.o, false, &ow.t.a, &e), e);
	ow.channels[0].min_severity = SEVERITY_CRITICAL;
	ow_note("firing", "vm", "p/vm/us-central1-b/a", SEVERITY_WARNING);
	ow_cycle();
	assert_int_equal(ow.n, 2);
	assert_string_equal(ow.letters[0].channel, "log");
	assert_contains(ow.letters[0].body, "tpucost silence");
	assert_string_equal(ow.letters[1].recipient, "ann@example.org");
	assert_contains(ow.letters[1].body,
		"    vm of p/vm/us-central1-b/a\n\nTimes are in UTC. To keep a machine, or "
		"if "
		"this is wrong, ask whoever runs\ntpucost.");
	assert_null(strstr(ow.letters[1].body, "tpucost silence"));
	assert_null(strstr(ow.letters[1].body, "tpucost why"));
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, tempdb_teardown)
		TEST(an_owner_has_an_address_in_our_domain),
		TEST(each_owner_hears_of_what_is_theirs),
		TEST(who_was_told_hears_of_the_end),
		TEST(letters_that_wait_have_a_channel),
		TEST(an_owner_s_channel_has_a_name),
		TEST(a_hundred_owners_are_enough),
		TEST(an_owner_is_told_what_owners_can_do),
		TEST(what_is_no_longer_theirs_ends_for_owners),
		TEST(each_query_is_heeded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
