/* Letters by SMTP: what arrives, what becomes of one that is refused, and that no secret gets
 * anywhere (G5, H1 to H6). What happens on the wire is in test_smtp.c. */
#include "reports/channel.h"

#include "tests/support/assert.h"
#include "tests/support/fault/smtp_server.h"
#include "tests/support/tempdir.h"

#include "base/net/mail.h"
#include "base/sbuf.h"
#include "tests/support/unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PASSWORD "correct horse"

static struct tempdir dir;
static struct cert authority, server_cert;
static char ca_file[128], password_file[128], url[64];

static int setup(void **state)
{
	static const struct cert_opts ca = {NULL, "test authority", NULL, -1, 10};
	static const struct cert_opts srv = {&authority, NULL, "IP:127.0.0.1", -1, 10};
	static const char word[] = PASSWORD "\r\n";

	signal(SIGPIPE, SIG_IGN);
	tempdir_make(&dir);
	cert_make(&ca, &authority);
	cert_make(&srv, &server_cert);
	snprintf(ca_file, sizeof(ca_file), "%s", tempdir_name(&dir, "ca.pem"));
	cert_write(&authority, ca_file);
	snprintf(password_file, sizeof(password_file), "%s",
		tempdir_write(&dir, "word", word, strlen(word), 0600));
	return 0;
}

static int teardown(void **state)
{
	cert_done(&server_cert);
	cert_done(&authority);
	tempdir_remove(&dir);
	return 0;
}

static const char *const to[] = {"ann@example.org", "Bob <bob@example.org>"};

static struct smtp_server *serve(struct smtp_server_opts o)
{
	struct smtp_server *s;

	o.tls = SMTP_STARTTLS;
	o.cert = &server_cert;
	o.mechanisms = "PLAIN";
	o.username = "me";
	o.password = PASSWORD;
	s = smtp_server_start(&o);
	snprintf(url, sizeof(url), "smtp://127.0.0.1:%d", smtp_server_port(s));
	return s;
}

static struct channel channel(void)
{
	return (struct channel){.name = "me",
		.kind = CHANNEL_EMAIL,
		.to = to,
		.n_to = 2,
		.from = "tpucost <tpucost@lab.example.org>",
		.smtp = url,
		.username = "me",
		.password_file = password_file,
		.ca_file = ca_file};
}

static struct letter letter(void)
{
	return (struct letter){.id = "c0ffee01",
		.recipient = to[0],
		.subject = "tpucost: a subject",
		.body = "the text\n.\nlast\n",
		.html = "<p>the html</p>\n",
		.created = INT64_C(1763600000)};
}

static void send_one(const struct channel *c, const struct letter *l, struct send_result *r)
{
	struct sender s = {.clock = clock_system()};

	memset(r, 0x55, sizeof(*r));
	channel_send(&s, c, l, r);
	assert_null(strstr(r->err.msg, PASSWORD));
	assert_null(strstr(r->err.fix, PASSWORD));
	assert_null(strstr(r->reply, PASSWORD));
}

static void is(const struct send_result *r, enum send_class class, const char *why)
{
	if (r->class != class || !strstr(r->err.msg, why))
		fail_msg("%s: %s", send_class_name(r->class), r->err.msg);
	assert_i64_eq(r->retry_after, -1);
}

static void read_mail(const struct smtp_got *got, struct arena *a, struct mail *out)
{
	struct err e = {0};

	assert_ok(mail_read(got->data, got->len, a, out, &e), e);
}

static void a_letter_arrives(void **state)
{
	struct smtp_server *s = serve((struct smtp_server_opts){0});
	static const char *const refs[] = {"c0ffee00"};
	struct arena a = {0};
	struct channel c = channel();
	struct letter l = letter();
	const struct smtp_got *got;
	struct send_result r;
	struct mail m;

	l.refs = refs;
	l.n_refs = 1;
	send_one(&c, &l, &r);
	is(&r, SEND_SENT, "");
	assert_string_equal(r.reply, "250 2.0.0 kept");
	got = smtp_server_mail(s, 0);
	assert_true(got->secure && got->login);
	assert_string_equal(got->hello, "lab.example.org");
	assert_memory_equal(got->from, "<tpucost@lab.example.org>", 25);
	assert_string_equal(got->to, "<ann@example.org>");
	assert_i64_eq(got->n_to, 1);
	assert_i64_eq(got->bare, 0);
	assert_i64_eq(got->stuffed, 1);
	assert_contains(got->data, "\r\nMessage-Id: <c0ffee01@lab.example.org>\r\n");
	assert_contains(got->data, "\r\nIn-Reply-To: <c0ffee00@lab.example.org>\r\n");
	assert_contains(
		got->data, "\r\nTo: ann@example.org,\r\n \"Bob\" <bob@example.org>\r\n");
	read_mail(got, &a, &m);
	assert_i64_eq(m.n, 2);
	assert_string_equal(m.texts[0].text, "the text\r\n.\r\nlast\r\n");
	assert_true(m.texts[1].html);
	assert_contains(m.texts[1].text, "the html");
	arena_done(&a);
	smtp_server_stop(s);
}

static void a_repeat_is_the_same_mail_that_says_so(void **state)
{
	struct smtp_server *s = serve((struct smtp_server_opts){0});
	cleanup(sbuf_done) struct sbuf want = SBUF_INIT;
	struct channel c = channel();
	struct letter l = letter();
	const char *subject, *first;
	struct send_result r;

	send_one(&c, &l, &r);
	send_one(&c, &l, &r);
	l.may_be_repeat = true;
	send_one(&c, &l, &r);
	first = smtp_server_mail(s, 0)->data;
	assert_string_equal(smtp_server_mail(s, 1)->data, first);
	subject = strstr(first, "a subject\r\n") + strlen("a subject");
	sbuf_add(&want, first, (size_t)(subject - first));
	sbuf_addf(&want, " [may be a repeat]%s", subject);
	assert_string_equal(smtp_server_mail(s, 2)->data, want.s);
	smtp_server_stop(s);
}

static void one_recipient_of_two_is_refused(void **state)
{
	static const struct smtp_step step = {
		"RCPT", "ann@", 0, SMTP_SAY, "550 5.1.1 who?\r\n"};
	struct smtp_server *s = serve(
		(struct smtp_server_opts){.steps = &step, .n_steps = 1});
	struct channel c = channel();
	struct letter l = letter();
	struct send_result r;

	/* H2 */
	send_one(&c, &l, &r);
	is(&r, SEND_REJECTED, "mail to ann@example.org: mail server 127.0.0.1:");
	assert_contains(r.err.msg, " refuses the recipient: 550 5.1.1 who?");
	assert_string_equal(r.reply, "550 5.1.1 who?");
	assert_string_equal(r.err.fix, "check the address in `to`");
	l.recipient = to[1];
	send_one(&c, &l, &r);
	is(&r, SEND_SENT, "");
	assert_i64_eq(smtp_server_mails(s), 1);
	assert_string_equal(smtp_server_mail(s, 0)->to, "<bob@example.org>");
	smtp_server_stop(s);
}

static void classes_are_those_of_letters(void **state)
{
	static const struct {
		struct smtp_step step;
		enum send_class class;
	} cases[] = {
		{{"GREETING", NULL, 0, SMTP_CLOSE, NULL}, SEND_NOT_SENT},
		{{"STARTTLS", NULL, 0, SMTP_SAY, "502 no\r\n"}, SEND_NOT_SENT},
		{{"RCPT", NULL, 0, SMTP_SAY, "451 later\r\n"}, SEND_LATER},
		{{"END", NULL, 0, SMTP_SAY, "552 no\r\n"}, SEND_REJECTED},
		{{"AUTH", NULL, 0, SMTP_SAY, "535 no\r\n"}, SEND_SWITCHED_OFF},
		{{"MAIL", NULL, 0, SMTP_SAY, "530 log in\r\n"}, SEND_SWITCHED_OFF},
		{{"END", NULL, 0, SMTP_CLOSE, NULL}, SEND_UNCLEAR},
	};
	struct channel c = channel();
	struct letter l = letter();
	struct send_result r;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct smtp_server *s = serve(
			(struct smtp_server_opts){.steps = &cases[i].step, .n_steps = 1});

		send_one(&c, &l, &r);
		is(&r, cases[i].class, "mail to ann@example.org: mail server 127.0.0.1:");
		smtp_server_stop(s);
	}
}

static void a_wrong_password_switches_the_channel_off(void **state)
{
	struct smtp_server *s = serve((struct smtp_server_opts){0});
	struct channel c = channel();
	struct letter l = letter();
	struct send_result r;
	char file[128];

	/* H4 */
	snprintf(file, sizeof(file), "%s", tempdir_write(&dir, "wrong", "x\n", 2, 0600));
	c.password_file = file;
	send_one(&c, &l, &r);
	is(&r, SEND_SWITCHED_OFF, "refuses the login: 535 5.7.8 wrong password");
	assert_string_equal(r.err.fix,
		"check username and password_file of channel me; tpucost tries again after "
		"the configuration changes");
	assert_i64_eq(smtp_server_connections(s), 1); /* and not tried in another way */
	smtp_server_stop(s);
}

static void password_files_must_be_private_and_have_one(void **state)
{
	struct smtp_server *s = serve((struct smtp_server_opts){0});
	struct channel c = channel();
	struct letter l = letter();
	struct send_result r;
	char file[128];

	c.password_file = file;
	snprintf(file, sizeof(file), "%s", tempdir_write(&dir, "open", PASSWORD, 5, 0644));
	send_one(&c, &l, &r);
	is(&r, SEND_NOT_SENT, "readable by group or others");
	assert_contains(r.err.fix, "chmod 600 ");
	snprintf(file, sizeof(file), "%s", tempdir_write(&dir, "empty", "\n", 1, 0600));
	send_one(&c, &l, &r);
	is(&r, SEND_NOT_SENT, " is empty");
	snprintf(file, sizeof(file), "%s", tempdir_name(&dir, "missing"));
	send_one(&c, &l, &r);
	is(&r, SEND_NOT_SENT, "No such file");
	assert_i64_eq(smtp_server_connections(s), 0);
	smtp_server_stop(s);
}

static void a_small_server_gets_a_short_mail(void **state)
{
	struct smtp_server *s = serve((struct smtp_server_opts){.size = 1500});
	cleanup(sbuf_done) struct sbuf html = SBUF_INIT, text = SBUF_INIT;
	struct channel c = channel();
	struct letter l = letter();
	struct send_result r;
	struct arena a = {0};
	struct mail m;

	/* H6 */
	sbuf_pad(&html, 'h', 5000);
	for (int i = 0; i < 100; i++)
		sbuf_addf(&text, "line %d of the text\n", i);
	l.html = html.s;
	send_one(&c, &l, &r);
	is(&r, SEND_SENT, "");
	read_mail(smtp_server_mail(s, 0), &a, &m);
	assert_i64_eq(m.n, 1);
	assert_string_equal(m.texts[0].text, "the text\r\n.\r\nlast\r\n");
	l.body = text.s;
	send_one(&c, &l, &r);
	is(&r, SEND_SENT, "");
	assert_true(smtp_server_mail(s, 1)->len <= 1500);
	read_mail(smtp_server_mail(s, 1), &a, &m);
	assert_i64_eq(m.n, 1);
	assert_contains(m.texts[0].text, "line 0 of the text\r\nline 1 of");
	assert_contains(
		m.texts[0].text, " of the text\r\n\r\n(Shortened: the mail server ");
	assert_i64_eq(smtp_server_mails(s), 2);
	arena_done(&a);
	smtp_server_stop(s);
}

static void a_server_that_takes_nothing_is_said(void **state)
{
	struct smtp_server *s = serve((struct smtp_server_opts){.size = 10});
	struct channel c = channel();
	struct letter l = letter();
	struct send_result r;

	send_one(&c, &l, &r);
	is(&r, SEND_REJECTED, "mail to ann@example.org: mail: not even its head fits");
	assert_i64_eq(smtp_server_mails(s), 0);
	smtp_server_stop(s);
}

static void hostile_letters_stay_letters(void **state)
{
	struct smtp_server *s = serve((struct smtp_server_opts){0});
	struct channel c = channel();
	struct letter l = letter();
	struct send_result r;

	/* G5 */
	l.subject = "x\r\nRCPT TO:<evil@x>\r\nBcc: evil@x";
	send_one(&c, &l, &r);
	is(&r, SEND_SENT, "");
	assert_null(strstr(smtp_server_mail(s, 0)->data, "\nRCPT"));
	assert_null(strstr(smtp_server_mail(s, 0)->data, "\nBcc"));
	assert_null(strstr(smtp_server_heard(s), "evil"));
	l = letter();
	l.recipient = "ann@example.org>\r\nRCPT TO:<evil@x";
	send_one(&c, &l, &r);
	is(&r, SEND_REJECTED, "line ends and control characters");
	l = letter();
	c.from = "me@example.org\r\nRCPT TO:<evil@x>";
	send_one(&c, &l, &r);
	is(&r, SEND_REJECTED, "line ends and control characters");
	assert_i64_eq(smtp_server_connections(s), 1);
	smtp_server_stop(s);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_letter_arrives),
		cmocka_unit_test(a_repeat_is_the_same_mail_that_says_so),
		cmocka_unit_test(one_recipient_of_two_is_refused),
		cmocka_unit_test(classes_are_those_of_letters),
		cmocka_unit_test(a_wrong_password_switches_the_channel_off),
		cmocka_unit_test(password_files_must_be_private_and_have_one),
		cmocka_unit_test(a_small_server_gets_a_short_mail),
		cmocka_unit_test(a_server_that_takes_nothing_is_said),
		cmocka_unit_test(hostile_letters_stay_letters),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
