/* Mails of the TPU Research Cloud in the wordings that grantees have shown: what is read, what
 * is refused, and that nothing in between is guessed. */
#include "rules/grant/mail.h"

#include "base/net/mail.h"
#include "base/sbuf.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static struct arena arena;

static int teardown(void **state)
{
	arena_done(&arena);
	return 0;
}

static struct grant_mail read_text(const char *text)
{
	struct grant_mail m;

	grant_mail_read(text, &arena, &m);
	return m;
}

/* "LINE chips provisioning thing zone" of every grant, then "!LINE reason" of every refusal;
 * joined with "; ". */
static const char *summary(const char *text)
{
	struct grant_mail m = read_text(text);
	struct sbuf b = SBUF_INIT;
	const char *out;

	for (size_t i = 0; i < m.lines.n; i++) {
		const struct grant *g = &m.lines.v[i].g;

		sbuf_addf(&b, "%s%d %lld %s %s %s%s", b.len ? "; " : "", m.lines.v[i].line,
			(long long)g->chips, g->provisioning, g->type ? g->type : g->family,
			g->zone, m.lines.v[i].again ? " again" : "");
	}
	for (size_t i = 0; i < m.refused.n; i++)
		sbuf_addf(&b, "%s!%d %s", b.len ? "; " : "", m.refused.v[i].line,
			m.refused.v[i].text);
	out = arena_strdup(&arena, b.s);
	sbuf_done(&b);
	return out;
}

static void expect(const char *text, const char *want)
{
	const char *got = summary(text);

	if (strcmp(got, want) != 0)
		fail_msg("%s\n  gave %s\n  want %s", text, got, want);
}

/* What 5, 100 and 5 devices come to: 20, 400 and 20 chips. */
static void bullets_quotes_numbers_and_emphasis_are_the_same_grant(void **state)
{
	static const char want[] = "1 20 on-demand v2-8 us-central1-f; 2 400 spot v2-8 "
				   "us-central1-f; 3 20 on-demand v3-8 europe-west4-a";
	static const char *const forms[] = {"%s\n%s\n%s\n", "* %s\n* %s\n* %s",
		"- %s\n- %s\n- %s", "> **%s**\n> **%s**\n> **%s**",
		"    %s\n    %s\n    %s\n", "1. %s\n2. %s\n3. %s\n", "1) %s\n2) %s\n3) %s",
		"# %s\n# %s\n# %s", "> * `%s`\n> * `%s`\n> * `%s`",
		"\xe2\x80\xa2 %s\r\n\xe2\x80\xa2 %s\r\n\xe2\x80\xa2 %s\r\n",
		"%s.\n%s;\n%s,\n", "| %s |\n| %s |\n| %s |", "＞ %s\n» %s\n│ %s\n",
		"\xe2\x80\x8f> "
		"%s\n\xe2\x80\xaa%s\xe2\x80\xac\n\xe2\x81\xa6%s\xe2\x81\xa9\n"};

	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		static const char *const lines[] = {
			"5 on-demand Cloud TPU v2-8 device(s) in zone us-central1-f",
			"100 preemptible Cloud TPU v2-8 device(s) in zone us-central1-f",
			"5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a"};
		char text[1024] = "", *at = text;
		const char *form = forms[i], *mark;

		for (size_t k = 0; (mark = strstr(form, "%s")); k++, form = mark + 2)
			at += snprintf(at, sizeof(text) - (size_t)(at - text), "%.*s%s",
				(int)(mark - form), form, lines[k]);
		snprintf(at, sizeof(text) - (size_t)(at - text), "%s", form);
		expect(text, want);
	}
}

static void chips_of_the_current_mail(void **state)
{
	expect("32 on-demand Cloud TPU v4 chips in zone us-central2-b\n"
	       "32 spot Cloud TPU v4 chips in zone us-central2-b\n"
	       "64 spot Cloud TPU v5e chips in zone us-central1-a\n"
	       "64 spot Cloud TPU v5e chips in zone europe-west4-b\n"
	       "64 spot Cloud TPU v6e chips in zone us-east1-d\n"
	       "64 spot Cloud TPU v6e chips in zone europe-west4-a\n",
		"1 32 on-demand v4 us-central2-b; 2 32 spot v4 us-central2-b; "
		"3 64 spot v5litepod us-central1-a; 4 64 spot v5litepod europe-west4-b; "
		"5 64 spot v6e us-east1-d; 6 64 spot v6e europe-west4-a");
	expect("| Chips | TPU | Zone | Class |\n|---|---|---|---|\n"
	       "| 32 chips | Cloud TPU v4 | us-central2-b | on-demand |\n",
		"3 32 on-demand v4 us-central2-b");
	expect("64 TPU v5e cores in zone europe-west4-b (preemptible)",
		"1 64 spot v5litepod europe-west4-b");
	expect("50 preemptible Cloud TPU v3-8 device(s) in zone europe-west4-a",
		"1 200 spot v3-8 europe-west4-a");
	expect("1,024 spot Cloud TPU v6e chips in zone us-south1-ai1b",
		"1 1024 spot v6e us-south1-ai1b");
	expect("2 on-demand Cloud TPU v3-32 slices in zone europe-west4-a",
		"1 32 on-demand v3-32 europe-west4-a");
	expect("8 on\xe2\x80\x91"
	       "demand Cloud\xc2\xa0TPU v4 chips in zone us\xe2\x80\x91"
	       "central2\xe2\x80\x91"
	       "b",
		"1 8 on-demand v4 us-central2-b");
}

static void wrapped_lines_are_one(void **state)
{
	expect("> 5 on-demand Cloud TPU\n> v3-8 device(s) in zone europe-west4-a\n"
	       "> 4 spot Cloud TPU v4 chips in\n> zone\n> us-central2-b",
		"1 20 on-demand v3-8 europe-west4-a; 3 4 spot v4 us-central2-b");
	/* an empty line, or another grant, is an end */
	expect("5 on-demand Cloud TPU\n\nv3-8 device(s) in zone europe-west4-a\n", "");
	expect("5 on-demand Cloud TPU v3-8\n4 spot Cloud TPU v4 chips in zone "
	       "us-central2-b",
		"2 4 spot v4 us-central2-b; !1 the zone is missing");
	assert_int_equal(
		read_text(
			"5 on-demand Cloud TPU\n\nv3-8 device(s) in zone europe-west4-a\n")
			.unread.n,
		1);
}

static void what_can_be_read_in_two_ways_is_refused(void **state)
{
	expect("- 32 spot + 32 on-demand Cloud TPU v4 chips in `us-central2-b`",
		"!1 '+' joins two grants: write a line for each");
	expect("32 spot and 32 on-demand Cloud TPU v4 chips in us-central2-b",
		"!1 'and' joins two grants: write a line for each");
	expect("preemptible Cloud TPU v2-8 device(s) in zone us-central1-f",
		"!1 the count is missing");
	expect("5 on-demand Cloud TPU v2-8", "!1 the zone is missing");
	expect("100 preemptible Cloud TPU v2-8 devices", "!1 the zone is missing");
	expect("On-Demand Cloud TPU v3 5\xea\xb0\x9c", /* Korean for "5 pieces" */
		"!1 '5\xea\xb0\x9c' is not a count");
	expect("| v4 | Spot | us-central2-b | 32 |",
		"!1 32 of what? (expected chips, cores or a type with its size (v3-8))");
	expect("32 spot Cloud TPU v4-64 chips in zone us-central2-b",
		"!1 chips of v4-64 is ambiguous (expected 'v4 chips' or 'v4-64 "
		"device(s)')");
	expect("0 spot Cloud TPU v4 chips in zone us-central2-b",
		"!1 a count of 0 is not valid (expected 1 to 1000000)");
	expect("5 free Cloud TPU v3-8 device(s) in zone europe-west4-a",
		"!1 the word 'free' is not understood");
	expect("5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4",
		"!1 europe-west4 is a region (expected a zone of it, such as "
		"europe-west4-a)");
	expect("7 on-demand Cloud TPU v3 cores in zone europe-west4-a",
		"!1 7 cores are not a whole number of v3 chips");
	/* one bad line is named, the good ones are still there to see */
	expect("4 spot Cloud TPU v4 chips in zone us-central2-b\n"
	       "preemptible Cloud TPU v2-8 device(s) in zone us-central1-f\n",
		"1 4 spot v4 us-central2-b; !2 the count is missing");
}

static void sentences_and_commands_are_no_grants(void **state)
{
	static const char text[] =
		"This free 90-day trial is only available for new Cloud TPUs you create.\n"
		"On-demand and preemptible v2-8 and v3-8 devices cannot form pods.\n"
		"gcloud compute tpus tpu-vm create x --zone us-central2-b "
		"--accelerator-type "
		"v4-8 --spot\n"
		"If you have a new account, the $300 USD introductory credit may offset "
		"them.\n";
	struct grant_mail m = read_text(text);

	expect(text, "");
	/* but a line that names a type is shown */
	assert_int_equal(m.unread.n, 1);
	assert_int_equal(m.unread.v[0].line, 2);
	assert_int_equal(
		read_text("\xe4\xba\x94\xe4\xb8\xaav3-8\xe5\x85\x8d\xe8\xb4\xb9").unread.n,
		1); /* glued to letters of another script */
	assert_int_equal(read_text("see v1.2, curve9, v10 and 4v8").unread.n, 0);
}

#define ANY "5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a\n"

static void mails_that_end_or_refuse_access_are_no_grants(void **state)
{
	static const char *const no[] = {"Your project demo no longer has access to:\n",
		"Your project\nno longer has access to the following quota:\n",
		"Your free 30-day trial of Cloud TPUs has ended. These were:\n",
		"You had access to:\n", "Access to the following was revoked:\n",
		"Sorry, no. You asked for:\n", "Unfortunately, we cannot offer:\n"};
	static const char *const yes[] = {"Once your trial has ended, you are charged:\n",
		"Sorry for the delay. You have access to:\n",
		"If your access has ended or was revoked, write to us.\n"};

	for (size_t i = 0; i < ARRAY_LEN(no); i++) {
		struct grant_mail m = read_text(arena_printf(&arena, "%s" ANY, no[i]));

		assert_int_equal(m.refused.n, 1);
		assert_non_null(strstr(m.refused.v[0].text, "may end or refuse access"));
	}
	for (size_t i = 0; i < ARRAY_LEN(yes); i++)
		assert_int_equal(
			read_text(arena_printf(&arena, "%s" ANY, yes[i])).refused.n, 0);
	/* in a mail without grants it does not matter */
	assert_int_equal(read_text(no[0]).refused.n, 0);
}

static void equal_lines_add_up_and_are_marked(void **state)
{
	expect("4 spot Cloud TPU v4 chips in zone us-central2-b\n"
	       "8 preemptible Cloud TPU v4 chips in zone us-central2-b\n"
	       "8 on-demand Cloud TPU v4 chips in zone us-central2-b\n",
		"1 4 spot v4 us-central2-b; 2 8 spot v4 us-central2-b again; 3 8 on-demand "
		"v4 "
		"us-central2-b");
}

static void days_of(const char *text, int64_t want, size_t refused)
{
	struct grant_mail m = read_text(text);

	if (m.days != want || m.refused.n != refused)
		fail_msg("%s\n  gave %lld days, %zu refused", text, (long long)m.days,
			m.refused.n);
}

static void the_length_is_what_the_mail_says(void **state)
{
	days_of("quota free of charge for 90 days:", 90, 0);
	days_of("quota **free of charge** for 60\n> days:", 60, 0);
	days_of("This free 30-day trial is", 30, 0);
	days_of("This free 180\xe2\x80\x91"
		"day trial is",
		180, 0);
	days_of("free of charge for 90 days. This free 90-day trial", 90, 0);
	days_of("free for 30 days", 30, 0);
	days_of("free for 30 days\nThis free 90-day trial", 30, 1);
	days_of("free of charge for 6 months:", 0, 1);
	days_of("free of charge for 0 days:", 0, 1);
	days_of("free of charge for 99999999999999999999 days:", 0, 1);
	days_of("While TPUs are free, you will be charged for 3 days", 0, 0);
	days_of("the free tier of 2020", 0, 0);
	expect("free for 30 days\n\nThis free 90-day trial",
		"!3 two lengths: 30 days on line 1, 90 here");
}

static void project_of(const char *text, const char *want)
{
	struct grant_mail m = read_text(text);

	if (!m.project != !want || (want && strcmp(m.project, want) != 0))
		fail_msg("%s\n  gave %s", text, m.project ? m.project : "none");
}

static void the_project_is_an_id_or_a_number(void **state)
{
	project_of("Your Google Cloud project demo-proj-1234 now has access",
		"demo-proj-1234");
	project_of(
		"Your Google Cloud project 123456789012 now\nhas access", "123456789012");
	project_of("> project **[demo-1](https://notifications.example.org/x?y=z)** now "
		   "has access",
		"demo-1");
	project_of("send us your project number, and the project before it", NULL);
	project_of("project x now has access", NULL);
	expect("project first-one now has access\nproject other-one now has access",
		"!2 two projects: first-one, and other-one here");
}

static void lines_of(const char *text, int first, int last)
{
	struct grant_mail m = read_text(text);

	assert_int_equal(m.first, first);
	assert_int_equal(m.last, last);
}

static void the_lines_that_were_read_are_known(void **state)
{
	lines_of("5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a\n", 1, 1);
	lines_of("Hi\n\nYour project demo-1234\nnow\nhas access free of charge\nfor 90\n"
		 "days:\n\n5 on-demand Cloud TPU\nv3-8 devices\nin zone us-a1-b\nbye\n",
		3, 11);
	lines_of("5 spot v4 chips in us-central2-b\n\nfree 30-day\ntrial\n", 1, 4);
	lines_of("5 spot v4 chips\nin us-central2-b\nfree for 30\ndays", 1, 4);
	lines_of("nothing\n", 0, 0);
}

static void the_same_in_another_order_is_the_same(void **state)
{
	struct grant_mail a = read_text(
		"4 spot v4 chips in us-central2-b\n5 spot v4 chips in "
		"us-central2-b\n5 spot v3-8 devices in europe-west4-a");
	struct grant_mail b = read_text(
		"5 spot v3-8 devices in europe-west4-a\n6 spot v4 chips "
		"in us-central2-b\n3 spot v4 chips in us-central2-b");
	struct grant_mail c = read_text(
		"5 spot v3-8 devices in europe-west4-a\n6 spot v4 chips "
		"in us-central2-b\n2 spot v4 chips in us-central2-b");

	assert_int_equal(a.lines.n, 3);
	assert_true(grant_mail_same(&a, &b)); /* 4 + 5 = 6 + 3 */
	assert_false(grant_mail_same(&a, &c));
	b.days = 30;
	assert_false(grant_mail_same(&a, &b));
}

static void long_and_odd_text_is_no_danger(void **state)
{
	char *big = xmalloc(200001);

	memset(big, 'v', 200000);
	big[200000] = '\0';
	expect(big, "");
	for (size_t i = 0; i < 200000; i += 4)
		memcpy(big + i, "v4 5", 4);
	expect(big, "");
	memcpy(big, "5 on-demand v3-8 in us-central1-f ", 34);
	expect(big, "!1 more than 1000 characters");
	expect("", "");
	expect("\n\n\n", "");
	free_ptr(&big);
}

/* One line as long as a mail may be, in far less time than looking through it for each of its
 * characters takes: that was minutes. */
static void a_line_of_a_mebibyte_is_read_at_once(void **state)
{
	static const char *const parts[] = {"a", "<a", "http://", "v3-8 "};
	const struct rlimit cpu = {.rlim_cur = 20, .rlim_max = 20};
	pid_t pid = fork();
	int status = 0;

	assert_true(pid >= 0);
	if (!pid) {
		for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
			char *big = xmalloc(MAIL_MAX_BYTES + 1);
			size_t len = strlen(parts[i]);

			for (size_t k = 0; k < MAIL_MAX_BYTES; k++)
				big[k] = parts[i][k % len];
			big[MAIL_MAX_BYTES] = '\0';
			if (setrlimit(RLIMIT_CPU, &cpu) || read_text(big).lines.n)
				_exit(1);
			free_ptr(&big);
		}
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && !WEXITSTATUS(status));
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bullets_quotes_numbers_and_emphasis_are_the_same_grant),
		cmocka_unit_test(chips_of_the_current_mail),
		cmocka_unit_test(wrapped_lines_are_one),
		cmocka_unit_test(what_can_be_read_in_two_ways_is_refused),
		cmocka_unit_test(sentences_and_commands_are_no_grants),
		cmocka_unit_test(mails_that_end_or_refuse_access_are_no_grants),
		cmocka_unit_test(equal_lines_add_up_and_are_marked),
		cmocka_unit_test(the_length_is_what_the_mail_says),
		cmocka_unit_test(the_project_is_an_id_or_a_number),
		cmocka_unit_test(the_lines_that_were_read_are_known),
		cmocka_unit_test(the_same_in_another_order_is_the_same),
		cmocka_unit_test(long_and_odd_text_is_no_danger),
		cmocka_unit_test(a_line_of_a_mebibyte_is_read_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}
