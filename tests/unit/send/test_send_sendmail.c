/* Letters handed to a local program, which is a shell script here: what it gets, and what its end
 * means. */
#include "reports/channel.h"

#include "tests/support/assert.h"
#include "tests/support/tempdir.h"

#include "base/fs.h"
#include "tests/support/unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct tempdir dir;
static char program[128], got[128];

static int setup(void **state)
{
	tempdir_make(&dir);
	snprintf(got, sizeof(got), "%s", tempdir_name(&dir, "got"));
	return 0;
}

static int teardown(void **state)
{
	tempdir_remove(&dir);
	return 0;
}

static const char *const to[] = {"ann@example.org", "Bob <bob@example.org>"};

/* Run the script as sendmail; "$D" is the scratch directory. */
static void run(const char *script, const char *recipient, struct send_result *r)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;
	struct sender s = {.clock = clock_system()};
	struct channel c = {.name = "local",
		.kind = CHANNEL_SENDMAIL,
		.to = to,
		.n_to = 2,
		.from = "tpucost <tpucost@lab.example.org>",
		.program = program};
	struct letter l = {.id = "c0ffee01",
		.recipient = recipient,
		.subject = "a subject",
		.body = "the text\n.\nlast\n",
		.created = INT64_C(1763600000)};

	sbuf_addf(&text, "#!/bin/sh\nD=%s\n%s\n", dir.path, script);
	snprintf(program, sizeof(program), "%s",
		tempdir_write(&dir, "sendmail", text.s, text.len, 0700));
	memset(r, 0x55, sizeof(*r));
	channel_send(&s, &c, &l, r);
	assert_i64_eq(r->retry_after, -1);
}

static void is(const struct send_result *r, enum send_class class, const char *why)
{
	if (r->class != class || !strstr(r->err.msg, why))
		fail_msg("%s: %s", send_class_name(r->class), r->err.msg);
}

static void read_got(struct sbuf *b)
{
	struct err e = {0};

	assert_ok(fs_read(got, 100000, b, &e), e);
}

static void the_program_gets_the_mail(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct send_result r;

	run("printf '%s\\n' \"$@\" >\"$D/got\"; cat >>\"$D/got\"; echo queued as 17", to[1],
		&r);
	is(&r, SEND_SENT, "");
	assert_string_equal(r.reply, "queued as 17");
	read_got(&b);
	assert_string_equal(b.s,
		"-i\n-f\ntpucost@lab.example.org\n--\nbob@example.org\n"
		"Date: Thu, 20 Nov 2025 00:53:20 +0000\n"
		"From: \"tpucost\" <tpucost@lab.example.org>\n"
		"To: ann@example.org,\n \"Bob\" <bob@example.org>\n"
		"Message-Id: <c0ffee01@lab.example.org>\n"
		"Subject: a subject\n"
		"Auto-Submitted: auto-generated\n"
		"List-Id: tpucost <tpucost.lab.example.org>\n"
		"MIME-Version: 1.0\n"
		"Content-Type: text/plain; charset=utf-8\n"
		"Content-Transfer-Encoding: quoted-printable\n"
		"\n"
		"the text\n.\nlast\n");
}

static void its_surroundings_are_clean(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT, want = SBUF_INIT;
	struct send_result r;
	FILE *open_file = fopen(tempdir_name(&dir, "other"), "w");

	assert_non_null(open_file);
	setenv("SECRET_TOKEN", "hunter2", 1);
	setenv("HOME", "/home/x", 1);
	unsetenv("USER");
	unsetenv("LOGNAME");
	signal(SIGPIPE, SIG_IGN);
	/* What the shell sets by itself is left out. */
	run("{ env | grep -v -e '^PWD=' -e '^OLDPWD=' -e '^SHLVL=' -e '^_=' | sort; "
	    "ls -l /proc/$$/fd; grep SigIgn /proc/$$/status; } "
	    ">\"$D/got\"",
		to[0], &r);
	is(&r, SEND_SENT, "");
	fclose(open_file);
	read_got(&b);
	assert_null(strstr(b.s, "hunter2"));
	sbuf_adds(&want, "HOME=/home/x\nPATH=/usr/sbin:/usr/bin:/sbin:/bin\n");
	assert_memory_equal(b.s, want.s, want.len);
	assert_contains(b.s, " 0 -> ");
	assert_null(strstr(b.s, "/other"));
	assert_contains(
		b.s, "80000000\n"); /* of SigIgn: but for two of the C library's, none */
}

static void exit_codes_have_their_classes(void **state)
{
	static const struct {
		const char *script;
		enum send_class class;
		const char *why;
	} cases[] = {
		{"cat >/dev/null; exit 0", SEND_SENT, ""},
		{"exit 0", SEND_SENT, ""}, /* it says that it has it */
		{"cat >/dev/null; echo queue is full >&2; exit 75", SEND_LATER,
			"exit status 75: queue is full"},
		{"exit 69", SEND_LATER, "exit status 69"},
		{"exit 1", SEND_LATER, "exit status 1"},
		{"echo first; echo no such user >&2; echo; exit 67", SEND_REJECTED,
			"exit status 67: no such user"},
		{"exit 68", SEND_REJECTED, "exit status 68"},
		{"exit 65", SEND_REJECTED, "exit status 65"},
		{"exit 64", SEND_REJECTED, "exit status 64"},
		{"exit 78", SEND_SWITCHED_OFF, "exit status 78"},
		{"exit 77", SEND_SWITCHED_OFF, "exit status 77"},
		{"exec /nowhere/at/all", SEND_SWITCHED_OFF, "exit status 127"},
		{"cat >/dev/null; kill -9 $$", SEND_UNCLEAR, "Killed"},
		{"kill -9 $$", SEND_NOT_SENT, "Killed"},
		{"head -c 5 >/dev/null; kill -11 $$", SEND_NOT_SENT, "Segmentation fault"},
	};
	struct send_result r;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		run(cases[i].script, to[0], &r);
		is(&r, cases[i].class, cases[i].why);
		if (r.class != SEND_SENT)
			assert_non_null(strstr(r.err.msg, "mail to ann@example.org: "));
		if (r.class == SEND_SWITCHED_OFF)
			assert_string_equal(r.err.fix,
				"check `program` of channel local; tpucost tries again "
				"after the configuration changes");
	}
}

static void a_program_that_is_not_there_switches_the_channel_off(void **state)
{
	static const char *const programs[] = {"/nowhere/sendmail", "/etc/passwd", "/etc"};
	struct sender s = {.clock = clock_system()};
	struct channel c = {.name = "local",
		.kind = CHANNEL_SENDMAIL,
		.to = to,
		.n_to = 1,
		.from = "tpucost@lab.example.org"};
	struct letter l = {.id = "1", .recipient = to[0], .subject = "", .body = ""};
	struct send_result r;

	for (size_t i = 0; i < ARRAY_LEN(programs); i++) {
		c.program = programs[i];
		channel_send(&s, &c, &l, &r);
		is(&r, SEND_SWITCHED_OFF, "mail to ann@example.org: cannot run /");
		assert_contains(r.err.fix, "set `program` of channel local");
	}
}

static void what_it_says_is_made_harmless(void **state)
{
	struct send_result r;

	run("printf 'a\\nbad \\033[31m \\342\\200\\256 words\\r\\n\\n'; exit 75", to[0],
		&r);
	is(&r, SEND_LATER, "bad \\x1b[31m <U+202E> words");
	assert_string_equal(r.reply, "bad \\x1b[31m <U+202E> words");
	run("head -c 1000000 /dev/zero | tr '\\0' x; exit 75", to[0], &r);
	is(&r, SEND_LATER, "exit status 75");
	assert_i64_eq(strlen(r.reply), SEND_REPLY_MAX);
}

/* As sendmails do that deliver after they have answered. */
static void what_it_leaves_running_is_not_waited_for(void **state)
{
	struct send_result r;
	struct clock *clock = clock_system();
	int64_t begun = clock_mono_ms(clock);

	run("cat >/dev/null; sleep 15 & exit 0", to[0], &r);
	is(&r, SEND_SENT, "");
	assert_true(clock_mono_ms(clock) - begun < 14000);
}

/* The clock of this test leaps a minute at every look. */
static int64_t leaping(struct clock *c)
{
	return c->fake_mono_ms += 60000;
}

static void it_does_not_run_for_ever(void **state)
{
	struct clock clock = {.mono_ms = leaping};
	struct sender s = {.clock = &clock};
	struct channel c = {.name = "local",
		.kind = CHANNEL_SENDMAIL,
		.to = to,
		.n_to = 1,
		.from = "tpucost@lab.example.org",
		.program = program};
	struct letter l = {.id = "1", .recipient = to[0], .subject = "", .body = ""};
	static const char script[] = "#!/bin/sh\nsleep 15 & sleep 15\n";
	struct send_result r;

	snprintf(program, sizeof(program), "%s",
		tempdir_write(&dir, "sendmail", script, strlen(script), 0700));
	channel_send(&s, &c, &l, &r);
	is(&r, SEND_NOT_SENT, "killed after a timeout");
}

static void hostile_addresses_do_not_get_there(void **state)
{
	struct send_result r;

	remove(got);
	run("touch \"$D/got\"", "-oQ/tmp@example.org", &r);
	is(&r, SEND_REJECTED, "begins with '-'");
	run("touch \"$D/got\"", "ann@example.org\nBcc: evil@x", &r);
	is(&r, SEND_REJECTED, "line ends");
	run("touch \"$D/got\"", "ann@example.org;touch$IFS/tmp/x", &r);
	is(&r, SEND_REJECTED, "not a host name");
	assert_int_not_equal(access(got, F_OK), 0);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_program_gets_the_mail),
		cmocka_unit_test(its_surroundings_are_clean),
		cmocka_unit_test(exit_codes_have_their_classes),
		cmocka_unit_test(a_program_that_is_not_there_switches_the_channel_off),
		cmocka_unit_test(what_it_says_is_made_harmless),
		cmocka_unit_test(what_it_leaves_running_is_not_waited_for),
		cmocka_unit_test(it_does_not_run_for_ever),
		cmocka_unit_test(hostile_addresses_do_not_get_there),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
