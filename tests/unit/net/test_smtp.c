/* One mail by SMTP against a server that refuses, breaks off, stays silent or is somebody else
 * (G6, H1, H3 to H7, and what a wrong class would cost: a mail lost, or sent twice). */
#include "base/net/smtp.h"

#include "tests/support/assert.h"
#include "tests/support/fault/fault_server.h"
#include "tests/support/front.h"
#include "tests/support/fault/smtp_server.h"
#include "tests/support/tempdir.h"
#include "tests/support/unit.h"

#include <dlfcn.h>
#include <netdb.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PASSWORD "pass word & \xc3\xa9"
#define MAIL_TEXT "Subject: x\r\n\r\nfirst\r\n.\r\n..\r\n.three\r\nlast\r\n"
#define STEPS(...)                                                   \
	.steps = (const struct smtp_step[]){__VA_ARGS__},            \
	.n_steps = sizeof((const struct smtp_step[]){__VA_ARGS__}) / \
		sizeof(struct smtp_step)

enum which_cert { GOOD, SELF_SIGNED, STRANGER, EXPIRED, OTHER_HOST, CERTS };

#define NAME "x.invalid"

/* Stands before the C library's, for libcurl too: no test asks a real name server. */
int getaddrinfo(const char *restrict node, const char *restrict service,
	const struct addrinfo *restrict hints, struct addrinfo **restrict out)
{
	__typeof__(&getaddrinfo) real;

	if (node && !strcmp(node, NAME))
		return EAI_NONAME;
	real = (__typeof__(real))dlsym(RTLD_NEXT, "getaddrinfo");
	return real(node, service, hints, out);
}

static struct tempdir dir;
static struct cert authority, stranger, certs[CERTS];
static char ca_file[128];

static int make_certs(void **state)
{
	const struct cert_opts authorities[] = {
		{NULL, "test authority", NULL, -1, 10}, {NULL, "stranger", NULL, -1, 10}};
	const struct cert_opts servers[CERTS] = {
		[GOOD] = {&authority, NULL, "IP:127.0.0.1,DNS:localhost", -1, 10},
		[SELF_SIGNED] = {NULL, NULL, "IP:127.0.0.1", -1, 10},
		[STRANGER] = {&stranger, NULL, "IP:127.0.0.1", -1, 10},
		[EXPIRED] = {&authority, NULL, "IP:127.0.0.1", -10, -1},
		[OTHER_HOST] = {&authority, NULL, "DNS:mail.example", -1, 10},
	};

	signal(SIGPIPE, SIG_IGN);
	tempdir_make(&dir);
	cert_make(&authorities[0], &authority);
	cert_make(&authorities[1], &stranger);
	for (size_t i = 0; i < CERTS; i++)
		cert_make(&servers[i], &certs[i]);
	snprintf(ca_file, sizeof(ca_file), "%s", tempdir_name(&dir, "ca.pem"));
	cert_write(&authority, ca_file);
	return 0;
}

static int drop_certs(void **state)
{
	for (size_t i = 0; i < CERTS; i++)
		cert_done(&certs[i]);
	cert_done(&authority);
	cert_done(&stranger);
	tempdir_remove(&dir);
	return 0;
}

/* ---- sending ------------------------------------------------------------------------------ */

struct attempt {
	struct smtp_server_opts server;
	struct smtp_opts client; /* url, plain, ca_file and clock are filled in */
	const char *host;        /* NULL: 127.0.0.1 */
	struct smtp_mail mail;
	struct smtp_server *s;
	struct smtp_result r;
};

static void begin(struct attempt *a)
{
	static char url[80];
	struct smtp_opts *c = &a->client;

	if (!a->server.cert)
		a->server.cert = &certs[GOOD];
	a->s = smtp_server_start(&a->server);
	snprintf(url, sizeof(url), "%s://%s:%d",
		a->server.tls == SMTP_IMPLICIT ? "smtps" : "smtp",
		a->host ? a->host : "127.0.0.1", smtp_server_port(a->s));
	c->url = c->url ? c->url : url;
	c->plain = c->plain || a->server.tls == SMTP_CLEAR;
	c->ca_file = ca_file;
	c->hello = "example.org";
	c->clock = clock_system();
	if (!a->mail.data)
		a->mail = (struct smtp_mail){
			"tpucost@example.org", "ann@example.org", MAIL_TEXT, 0};
	a->mail.len = strlen(a->mail.data);
}

static void send_it(struct attempt *a)
{
	begin(a);
	smtp_send(&a->client, &a->mail, &a->r);
}

/* How it ended, a part of the error, and how many mails the server kept. */
static void ends(struct attempt *a, enum smtp_end end, const char *why, size_t mails)
{
	send_it(a);
	if (a->r.end != end || !strstr(a->r.err.msg, why))
		fail_msg("ended %d: %s (%s)\n%s", (int)a->r.end, a->r.err.msg, a->r.reply,
			smtp_server_heard(a->s));
	assert_i64_eq(smtp_server_mails(a->s), mails);
	smtp_server_stop(a->s);
}

static void accepted(struct attempt *a)
{
	send_it(a);
	if (a->r.end != SMTP_ACCEPTED)
		fail_msg("ended %d: %s\n%s", (int)a->r.end, a->r.err.msg,
			smtp_server_heard(a->s));
	assert_string_equal(a->r.reply, "250 2.0.0 kept");
	assert_i64_eq(a->r.code, 250);
	assert_i64_eq(smtp_server_mails(a->s), 1);
}

/* ---- what arrives ------------------------------------------------------------------------- */

static void a_mail_arrives_as_it_is(void **state)
{
	struct attempt a = {.server = {.tls = SMTP_STARTTLS}};
	const struct smtp_got *got;

	accepted(&a);
	got = smtp_server_mail(a.s, 0);
	assert_string_equal(got->data, MAIL_TEXT);
	assert_i64_eq(got->stuffed, 3); /* G6 */
	assert_i64_eq(got->bare, 0);
	assert_true(got->secure);
	assert_string_equal(got->hello, "example.org");
	assert_string_equal(got->from, "<tpucost@example.org>");
	assert_string_equal(got->to, "<ann@example.org>");
	assert_i64_eq(got->n_to, 1);
	assert_string_equal(smtp_server_heard(a.s),
		"EHLO example.org\nSTARTTLS\n* EHLO example.org\n"
		"* MAIL FROM:<tpucost@example.org>\n* RCPT TO:<ann@example.org>\n* DATA\n"
		"* QUIT\n");
	smtp_server_stop(a.s);
}

static void tls_begins_at_once_with_smtps(void **state)
{
	struct attempt a = {.server = {.tls = SMTP_IMPLICIT}, .host = "localhost"};

	accepted(&a);
	assert_true(smtp_server_mail(a.s, 0)->secure);
	smtp_server_stop(a.s);
}

static void this_machine_may_speak_in_the_clear(void **state)
{
	struct attempt a = {.server = {.tls = SMTP_CLEAR}};

	accepted(&a);
	assert_false(smtp_server_mail(a.s, 0)->secure);
	smtp_server_stop(a.s);
}

static void a_large_mail_arrives_whole(void **state)
{
	struct attempt a = {.server = {.tls = SMTP_IMPLICIT}};
	char *text = malloc(200001);

	assert_non_null(text);
	for (size_t i = 0; i < 200000; i += 50)
		memcpy(text + i, ".......... .......... .......... .......... ....\r\n",
			50);
	text[200000] = '\0';
	a.mail = (struct smtp_mail){"a@example.org", "b@example.org", text, 0};
	accepted(&a);
	assert_i64_eq(smtp_server_mail(a.s, 0)->len, 200000);
	assert_string_equal(smtp_server_mail(a.s, 0)->data, text);
	smtp_server_stop(a.s);
	free(text);
}

static void the_end_is_known_whatever_is_in_it(void **state)
{
	static const char *const texts[] = {"Subject: x\r\n\r\nno dots\r\n",
		"Subject: x\r\n\r\n.\r\n", ".\r\n", "\r\n", "x\r\n"};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct attempt a = {.server = {.tls = SMTP_CLEAR},
			.mail = {"a@example.org", "b@example.org", texts[i], 0}};
		struct attempt b = {.server = {.tls = SMTP_CLEAR,
					    STEPS({"END", NULL, 0, SMTP_CLOSE, NULL})},
			.mail = {"a@example.org", "b@example.org", texts[i], 0}};

		accepted(&a);
		assert_string_equal(smtp_server_mail(a.s, 0)->data, texts[i]);
		smtp_server_stop(a.s);
		ends(&b, SMTP_UNCLEAR, "", 1);
	}
}

/* ---- logging in --------------------------------------------------------------------------- */

static struct attempt with_login(const char *mechanisms, const char *password)
{
	return (struct attempt){
		.server = {.tls = SMTP_STARTTLS,
			.mechanisms = mechanisms,
			.username = "me@example.org",
			.password = PASSWORD},
		.client = {.username = "me@example.org", .password = password},
	};
}

static void passwords_are_given_within_tls_only(void **state)
{
	/* Kerberos and NTLM are what libcurl would try first. */
	static const char *const mechanisms[] = {
		"PLAIN", "LOGIN", "PLAIN LOGIN", "GSSAPI NTLM LOGIN"};

	for (size_t i = 0; i < ARRAY_LEN(mechanisms); i++) {
		struct attempt a = with_login(mechanisms[i], PASSWORD);

		accepted(&a);
		assert_true(smtp_server_mail(a.s, 0)->login);
		assert_contains(smtp_server_heard(a.s), "* AUTH ");
		assert_null(strstr(smtp_server_heard(a.s), "\nAUTH "));
		smtp_server_stop(a.s);
	}
}

static void without_secrets(const struct attempt *a)
{
	const char *texts[] = {a->r.reply, a->r.err.msg, a->r.err.fix};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		assert_null(strstr(texts[i], "pass word"));
		assert_null(strstr(texts[i], "cGFzcyB3b3Jk")); /* the same as base64 */
		assert_null(strstr(texts[i], "AG1lQGV4YW1w")); /* of AUTH PLAIN */
	}
}

static void a_wrong_password_is_no_reason_to_try_again(void **state)
{
	struct attempt a = with_login("PLAIN", "pass word, the wrong one");
	struct attempt b = with_login("LOGIN", "pass word, the wrong one");

	ends(&a, SMTP_NO_LOGIN, "refuses the login: 535 5.7.8 wrong password", 0);
	assert_i64_eq(a.r.err.code, E_AUTH);
	without_secrets(&a);
	ends(&b, SMTP_NO_LOGIN, "refuses the login: 535 5.7.8 wrong password", 0);
	without_secrets(&b);
}

static void a_login_that_is_missing_is_said(void **state)
{
	struct attempt none = with_login("PLAIN", NULL);
	struct attempt unknown = with_login("GSSAPI", PASSWORD);

	ends(&none, SMTP_NO_LOGIN, "refuses the sender: 530 5.7.0 log in first", 0);
	ends(&unknown, SMTP_NO_LOGIN, "supports no login with a password", 0);
}

static void a_login_can_fail_for_now(void **state)
{
	struct attempt a = with_login("PLAIN", PASSWORD);
	struct attempt b = a;

	a.server.steps = (const struct smtp_step[]){
		{"AUTH", NULL, 0, SMTP_SAY, "454 4.7.0 not now\r\n"}};
	a.server.n_steps = 1;
	ends(&a, SMTP_LATER, "refuses the login: 454 4.7.0 not now", 0);
	b.server.steps = (const struct smtp_step[]){{"AUTH", NULL, 0, SMTP_SAY,
		"534 5.7.9 an application password is needed\r\n"}};
	b.server.n_steps = 1;
	ends(&b, SMTP_NO_LOGIN, "534 5.7.9 an application password", 0);
}

static void our_own_words_are_not_said_back(void **state)
{
	/* "\0me@example.org\0pass word & é" and the password alone, as base64 */
	static const char *const says[] = {
		"535 no user with " PASSWORD "\r\n",
		"535-first\r\n535 AG1lQGV4YW1wbGUub3JnAHBhc3Mgd29yZCAmIMOp\r\n",
		"535 cGFzcyB3b3JkICYgw6k=\r\n",
	};

	for (size_t i = 0; i < ARRAY_LEN(says); i++) {
		struct attempt a = with_login("PLAIN", PASSWORD);
		struct smtp_step step = {"AUTH", NULL, 0, SMTP_SAY, says[i]};

		a.server.steps = &step;
		a.server.n_steps = 1;
		ends(&a, SMTP_NO_LOGIN, "535 (the rest is not shown", 0);
		without_secrets(&a);
	}
}

/* ---- TLS ---------------------------------------------------------------------------------- */

static void without_starttls_nothing_is_said(void **state)
{
	struct attempt a = {.server = {.tls = SMTP_CLEAR},
		.client = {.username = "me", .password = PASSWORD}};

	/* H3 */
	begin(&a);
	a.client.plain = false;
	smtp_send(&a.client, &a.mail, &a.r);
	assert_i64_eq(a.r.end, SMTP_NOT_SENT);
	assert_contains(a.r.err.msg, "offers no TLS (STARTTLS), so nothing was sent");
	assert_contains(a.r.err.fix, "smtps://");
	assert_null(strstr(smtp_server_heard(a.s), "AUTH"));
	assert_null(strstr(smtp_server_heard(a.s), "MAIL"));
	smtp_server_stop(a.s);
}

static void starttls_that_is_refused_ends_it(void **state)
{
	struct attempt a = {
		.server = {.tls = SMTP_STARTTLS,
			STEPS({"STARTTLS", NULL, 0, SMTP_SAY, "454 no TLS today\r\n"})}};
	struct attempt b = {.server = {.tls = SMTP_STARTTLS,
				    STEPS({"STARTTLS", NULL, 0, SMTP_SAY, "501 no\r\n"})}};

	ends(&a, SMTP_LATER, "does not begin TLS: 454 no TLS today", 0);
	ends(&b, SMTP_NOT_SENT, "does not begin TLS: 501 no", 0);
}

static void certificates_of_others_are_refused(void **state)
{
	static const struct {
		enum which_cert cert;
		const char *why;
	} cases[] = {
		{SELF_SIGNED, "self-signed certificate"},
		{STRANGER, "unable to get local issuer certificate"},
		{EXPIRED, "certificate has expired"},
		{OTHER_HOST, "no alternative certificate subject name matches"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases) * 2; i++) {
		struct attempt a = with_login("PLAIN", PASSWORD);

		a.server.tls = i % 2 ? SMTP_STARTTLS : SMTP_IMPLICIT;
		a.server.cert = &certs[cases[i / 2].cert];
		ends(&a, SMTP_NOT_SENT, "", 0);
		if (!strcasestr(a.r.err.msg, cases[i / 2].why))
			fail_msg("%s", a.r.err.msg);
		assert_contains(a.r.err.fix, "ca_file");
	}
}

static void old_tls_is_refused(void **state)
{
	struct attempt a = {
		.server = {.tls = SMTP_IMPLICIT, .max_version = TLS1_1_VERSION}};

	ends(&a, SMTP_NOT_SENT, "mail server 127.0.0.1:", 0);
}

static void tls_where_there_is_none_fails(void **state)
{
	struct attempt a = {.server = {.tls = SMTP_CLEAR}};
	char url[64];

	begin(&a);
	snprintf(url, sizeof(url), "smtps://127.0.0.1:%d", smtp_server_port(a.s));
	a.client.url = url;
	a.client.plain = false;
	smtp_send(&a.client, &a.mail, &a.r);
	assert_i64_eq(a.r.end, SMTP_NOT_SENT);
	assert_contains(a.r.err.fix, "smtp:// for 587");
	smtp_server_stop(a.s);
}

/* ---- refusals ----------------------------------------------------------------------------- */

#define CLEAR(...)                                                 \
	{                                                          \
		.server = {.tls = SMTP_CLEAR, STEPS(__VA_ARGS__) } \
	}

static void refusals_have_their_classes(void **state)
{
	struct {
		struct attempt a;
		enum smtp_end end;
		const char *why;
		size_t mails;
	} cases[] = {
		/* H1 */
		{CLEAR({"GREETING", NULL, 0, SMTP_CLOSE, "421 too busy\r\n"}), SMTP_LATER,
			"rejects the connection: 421 too busy", 0},
		{CLEAR({"GREETING", NULL, 0, SMTP_SAY, "554 no service\r\n"}), SMTP_LATER,
			"rejects the connection: 554 no service", 0},
		{CLEAR({"MAIL", NULL, 0, SMTP_SAY, "451 local error\r\n"}), SMTP_LATER,
			"refuses the sender: 451 local error", 0},
		{CLEAR({"MAIL", NULL, 0, SMTP_CLOSE, "421 going down\r\n"}), SMTP_LATER,
			"refuses the sender: 421 going down", 0},
		{CLEAR({"MAIL", NULL, 0, SMTP_SAY, "553 not yours\r\n"}), SMTP_REFUSED,
			"refuses the sender: 553 not yours", 0},
		{CLEAR({"RCPT", NULL, 0, SMTP_SAY, "452 too many\r\n"}), SMTP_LATER,
			"refuses the recipient: 452 too many", 0},
		{CLEAR({"RCPT", NULL, 0, SMTP_SAY, "450-greylisted\r\n450 come back\r\n"}),
			SMTP_LATER, "refuses the recipient: 450 come back", 0},
		{CLEAR({"RCPT", NULL, 0, SMTP_SAY, "550 5.1.1 who?\r\n"}), SMTP_REFUSED,
			"refuses the recipient: 550 5.1.1 who?", 0},
		{CLEAR({"DATA", NULL, 0, SMTP_SAY, "451 disk full\r\n"}), SMTP_LATER,
			"refuses the mail: 451 disk full", 0},
		{CLEAR({"DATA", NULL, 0, SMTP_SAY, "554 no\r\n"}), SMTP_REFUSED,
			"refuses the mail: 554 no", 0},
		{CLEAR({"END", NULL, 0, SMTP_SAY, "452 4.3.1 disk full\r\n"}), SMTP_LATER,
			"refuses the mail: 452 4.3.1 disk full", 1},
		{CLEAR({"END", NULL, 0, SMTP_CLOSE, "421 going down\r\n"}), SMTP_LATER,
			"refuses the mail: 421 going down", 1},
		{CLEAR({"END", NULL, 0, SMTP_SAY, "550 5.7.1 spam\r\n"}), SMTP_REFUSED,
			"refuses the mail: 550 5.7.1 spam", 1},
		{CLEAR({"EHLO", NULL, 0, SMTP_SAY, "not SMTP at all\r\n250 x\r\n"},
			 {"RCPT", NULL, 0, SMTP_SAY,
				 "550 bad\x1b[31m \xe2\x80\xae words\r\n"}),
			SMTP_REFUSED, "550 bad\\x1b[31m <U+202E> words", 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		ends(&cases[i].a, cases[i].end, cases[i].why, cases[i].mails);
}

static void ehlo_is_not_known_everywhere(void **state)
{
	struct attempt a = CLEAR({"EHLO", NULL, 0, SMTP_SAY, "502 what?\r\n"});

	accepted(&a);
	assert_contains(smtp_server_heard(a.s), "HELO example.org\n");
	smtp_server_stop(a.s);
}

static void long_replies_are_cut_at_a_character(void **state)
{
	char say[700] = "550 ";
	struct smtp_step step = {"RCPT", NULL, 0, SMTP_SAY, say};
	struct attempt a = {.server = {.tls = SMTP_CLEAR, .steps = &step, .n_steps = 1}};

	for (size_t i = 4; i < 600; i += 3)
		memcpy(say + i, "\xe2\x82\xac", 4);
	strcpy(say + strlen(say), "\r\n");
	ends(&a, SMTP_REFUSED, "refuses the recipient: 550 \xe2\x82\xac", 0);
	assert_i64_eq(strlen(a.r.reply), 4 + 195);
	assert_string_equal(a.r.reply + 4 + 192, "\xe2\x82\xac");
}

/* ---- breaking off ------------------------------------------------------------------------- */

static void before_the_last_dot_nothing_has_arrived(void **state)
{
	static const char *const verbs[] = {
		"GREETING", "EHLO", "STARTTLS", "MAIL", "RCPT", "DATA", "LINE"};
	const size_t len = 20000000; /* more than the buffers of a connection hold */
	char *text = calloc(1, len + 1);

	assert_non_null(text);
	for (size_t i = 0; i < len; i += 50)
		memcpy(text + i, "---------- ---------- ---------- ---------- ----\r\n",
			50);
	for (size_t i = 0; i < ARRAY_LEN(verbs) * 2; i++) {
		struct smtp_step step = {verbs[i / 2], NULL, 0, SMTP_CLOSE, NULL};
		struct attempt a = {
			.server = {.tls = i % 2 || i / 2 == 2 ? SMTP_STARTTLS : SMTP_CLEAR,
				.steps = &step,
				.n_steps = 1},
			.mail = {"a@example.org", "b@example.org",
				i / 2 == 6 ? text : MAIL_TEXT, 0}};

		ends(&a, SMTP_NOT_SENT, "mail server 127.0.0.1:", 0);
	}
	free(text);
}

static void after_the_last_dot_nobody_knows(void **state)
{
	struct attempt closed = CLEAR({"END", NULL, 0, SMTP_CLOSE, NULL});
	struct attempt mute = CLEAR({"END", NULL, 0, SMTP_MUTE, NULL});
	struct attempt garbage = CLEAR({"END", NULL, 0, SMTP_CLOSE, "oops\r\n"});
	struct attempt odd = CLEAR({"END", NULL, 0, SMTP_SAY, "354 again?\r\n"});

	/* H5 */
	ends(&closed, SMTP_UNCLEAR, "before the server confirmed the mail", 1);
	assert_string_equal(closed.r.reply, "354 go on");
	mute.client.wait_ms = 100;
	ends(&mute, SMTP_UNCLEAR, "before the server confirmed the mail", 1);
	ends(&garbage, SMTP_UNCLEAR, "before the server confirmed the mail", 1);
	ends(&odd, SMTP_UNCLEAR, "before the server confirmed the mail", 1);
}

static void the_answer_to_the_mail_is_what_counts(void **state)
{
	struct attempt mute = CLEAR({"QUIT", NULL, 0, SMTP_MUTE, NULL});
	struct attempt rude = CLEAR({"QUIT", NULL, 0, SMTP_CLOSE, "500 what?\r\n"});
	struct attempt closed = CLEAR({"END", NULL, 0, SMTP_CLOSE, "250 2.0.0 kept\r\n"});

	accepted(&mute);
	smtp_server_stop(mute.s);
	accepted(&rude);
	smtp_server_stop(rude.s);
	accepted(&closed);
	smtp_server_stop(closed.s);
}

/* ---- waiting ------------------------------------------------------------------------------ */

static void silence_has_an_end(void **state)
{
	static const char *const verbs[] = {"GREETING", "EHLO", "STARTTLS", "MAIL", "DATA"};

	/* H7 */
	for (size_t i = 0; i < ARRAY_LEN(verbs); i++) {
		struct smtp_step step = {verbs[i], NULL, 0, SMTP_MUTE, NULL};
		struct attempt a = {
			.server = {.tls = SMTP_STARTTLS, .steps = &step, .n_steps = 1},
			.client = {.wait_ms = 100}};

		ends(&a, SMTP_NOT_SENT, "the server does not respond", 0);
	}
}

static void the_greeting_may_take_longer_than_connecting(void **state)
{
	struct attempt a = {.server = {.tls = SMTP_CLEAR,
				    STEPS({"GREETING", NULL, 0, SMTP_MUTE, NULL})},
		.client = {.connect_ms = 50, .wait_ms = 1500}};

	ends(&a, SMTP_NOT_SENT, "the server does not respond", 0);
}

static void all_of_it_has_an_end(void **state)
{
	struct attempt a = {
		.server = {.tls = SMTP_CLEAR, STEPS({"MAIL", NULL, 0, SMTP_MUTE, NULL})},
		.client = {.total_ms = 300}};

	ends(&a, SMTP_NOT_SENT, "mail server 127.0.0.1:", 0);
}

static void nobody_is_there(void **state)
{
	char buf[64];
	struct attempt a = {.server = {.tls = SMTP_CLEAR}, .client = {.plain = true}};
	char url[64];

	snprintf(url, sizeof(url), "smtp%s", strchr(fault_dead_url(buf), ':'));
	a.client.url = url;
	ends(&a, SMTP_NOT_SENT, "could not connect", 0);
	assert_string_equal(a.r.reply, "");
	assert_i64_eq(a.r.code, 0);
}

static void a_connection_that_is_never_made_is_given_up(void **state)
{
	struct front *full = front_start(&(struct front_opts){.how = FRONT_FULL});
	struct attempt a = {.server = {.tls = SMTP_CLEAR}, .client = {.connect_ms = 100}};
	char url[64];

	snprintf(url, sizeof(url), "smtp://%s", front_at(full));
	a.client.url = url;
	ends(&a, SMTP_NOT_SENT, "timed out", 0);
	front_stop(full);
}

static void a_name_that_is_not_found_is_said(void **state)
{
	struct attempt a = {
		.server = {.tls = SMTP_IMPLICIT}, .client = {.url = "smtps://" NAME}};

	ends(&a, SMTP_NOT_SENT, "mail server " NAME ":465: host name not found", 0);
	assert_contains(a.r.err.fix, "DNS");
}

/* ---- sizes and addresses ------------------------------------------------------------------ */

static void a_size_that_is_announced_is_kept_to(void **state)
{
	struct attempt a = {
		.server = {.tls = SMTP_STARTTLS, .size = (long)strlen(MAIL_TEXT) - 1}};
	struct attempt b = {
		.server = {.tls = SMTP_STARTTLS, .size = (long)strlen(MAIL_TEXT)}};
	struct attempt c = {
		.server = {.tls = SMTP_CLEAR, .extras = "250-SIZE 0\r\n250-SIZE\r\n"}};
	struct attempt d = {
		.server = {.tls = SMTP_CLEAR, .extras = "250-SIZE -1\r\n250-size 7\r\n"}};

	ends(&a, SMTP_TOO_LARGE, "it accepts mails of ", 0); /* H6 */
	assert_i64_eq(a.r.size_limit, strlen(MAIL_TEXT) - 1);
	accepted(&b);
	smtp_server_stop(b.s);
	accepted(&c);
	smtp_server_stop(c.s);
	ends(&d, SMTP_TOO_LARGE, "it accepts mails of at most 7 bytes", 0);
	assert_i64_eq(d.r.size_limit, 7);
}

/* What is said before TLS can be anybody's word. */
static void a_size_in_the_clear_does_not_count(void **state)
{
	struct attempt a = {
		.server = {.tls = SMTP_STARTTLS,
			STEPS({"EHLO", NULL, 1, SMTP_SAY,
				"250-mail.example\r\n250-SIZE 1\r\n250 STARTTLS\r\n"})}};

	accepted(&a);
	smtp_server_stop(a.s);
}

static void addresses_are_judged_when_known(void **state)
{
	static const char *const urls[] = {"smtps://169.254.169.254", "smtps://10.0.0.1:25",
		"smtps://192.168.1.1", "smtps://[fe80::1]"};

	for (size_t i = 0; i < ARRAY_LEN(urls); i++) {
		struct attempt a = {
			.server = {.tls = SMTP_IMPLICIT}, .client = {.url = urls[i]}};

		ends(&a, SMTP_NOT_SENT, "its address is private or reserved", 0);
		assert_contains(a.r.err.fix, "allow_private");
	}
}

static void the_environment_has_no_say(void **state)
{
	struct attempt a = {.server = {.tls = SMTP_IMPLICIT}};
	const char *keys = tempdir_name(&dir, "keys");
	FILE *f;

	setenv("all_proxy", "http://127.0.0.1:1", 1);
	setenv("smtps_proxy", "http://127.0.0.1:1", 1);
	setenv("SSLKEYLOGFILE", keys, 1);
	accepted(&a);
	smtp_server_stop(a.s);
	unsetenv("all_proxy");
	unsetenv("smtps_proxy");
	f = fopen(tempdir_name(&dir, "keys"), "r");
	assert_null(f);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mail_arrives_as_it_is),
		cmocka_unit_test(tls_begins_at_once_with_smtps),
		cmocka_unit_test(this_machine_may_speak_in_the_clear),
		cmocka_unit_test(a_large_mail_arrives_whole),
		cmocka_unit_test(the_end_is_known_whatever_is_in_it),
		cmocka_unit_test(passwords_are_given_within_tls_only),
		cmocka_unit_test(a_wrong_password_is_no_reason_to_try_again),
		cmocka_unit_test(a_login_that_is_missing_is_said),
		cmocka_unit_test(a_login_can_fail_for_now),
		cmocka_unit_test(our_own_words_are_not_said_back),
		cmocka_unit_test(without_starttls_nothing_is_said),
		cmocka_unit_test(starttls_that_is_refused_ends_it),
		cmocka_unit_test(certificates_of_others_are_refused),
		cmocka_unit_test(old_tls_is_refused),
		cmocka_unit_test(tls_where_there_is_none_fails),
		cmocka_unit_test(refusals_have_their_classes),
		cmocka_unit_test(ehlo_is_not_known_everywhere),
		cmocka_unit_test(long_replies_are_cut_at_a_character),
		cmocka_unit_test(before_the_last_dot_nothing_has_arrived),
		cmocka_unit_test(after_the_last_dot_nobody_knows),
		cmocka_unit_test(the_answer_to_the_mail_is_what_counts),
		cmocka_unit_test(silence_has_an_end),
		cmocka_unit_test(the_greeting_may_take_longer_than_connecting),
		cmocka_unit_test(all_of_it_has_an_end),
		cmocka_unit_test(nobody_is_there),
		cmocka_unit_test(a_connection_that_is_never_made_is_given_up),
		cmocka_unit_test(a_name_that_is_not_found_is_said),
		cmocka_unit_test(a_size_that_is_announced_is_kept_to),
		cmocka_unit_test(a_size_in_the_clear_does_not_count),
		cmocka_unit_test(addresses_are_judged_when_known),
		cmocka_unit_test(the_environment_has_no_say),
	};

	return cmocka_run_group_tests(tests, make_certs, drop_certs);
}
