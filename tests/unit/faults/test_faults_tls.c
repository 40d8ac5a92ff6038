/* What fails below HTTP, on the way to machines, TPUs, tokens and the billing export: names that
 * are not found, connections that are never made, lines that drip, certificates of somebody else,
 * proxies, and clocks. Facts are kept, no word of ours reaches who is not Google, and the next
 * good poll heals it. Answers are in test_faults_transport.c. */
#include "tests/support/assert.h"
#include "tests/support/tempdir.h"
#include "tests/support/world/wire_world.h"

#include "base/str.h"
#include "tests/support/unit.h"

#include <dlfcn.h>
#include <netdb.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define ENDPOINTS (LISTS_ONLY | BIT(ON_TOKEN) | BIT(ON_TABLE))
#define QUICK .connect_timeout_ms = 80, .max_attempts = 2

enum which_cert {
	GOOD,
	SELF_SIGNED,
	STRANGER,
	EXPIRED,
	TOO_NEW,
	OTHER_HOST,
	BY_NAME,
	CERTS
};

static struct tempdir dir;
static struct cert authority, stranger, certs[CERTS];
static char ca_file[128], no_file[128];

/* ---- names -------------------------------------------------------------------------------------- */

#define NAME "x.invalid"

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int result;     /* of a look-up of NAME */
	bool slow;      /* it ends when this does */
	size_t lookups; /* of NAME */
	size_t inside;
} names = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* Stands before the C library's, for libcurl too: no test asks a real name server. */
int getaddrinfo(const char *restrict node, const char *restrict service,
	const struct addrinfo *restrict hints, struct addrinfo **restrict out)
{
	__typeof__(&getaddrinfo) real;
	int result;

	if (!node || strcmp(node, NAME) != 0) {
		real = (__typeof__(real))dlsym(RTLD_NEXT, "getaddrinfo");
		return real(node, service, hints, out);
	}
	pthread_mutex_lock(&names.lock);
	names.lookups++;
	names.inside++;
	while (names.slow)
		pthread_cond_wait(&names.changed, &names.lock);
	result = names.result;
	names.inside--;
	pthread_cond_broadcast(&names.changed);
	pthread_mutex_unlock(&names.lock);
	return result;
}

static void names_become(int result, bool slow)
{
	pthread_mutex_lock(&names.lock);
	names.result = result;
	names.slow = slow;
	pthread_cond_broadcast(&names.changed);
	while (!slow && names.inside)
		pthread_cond_wait(&names.changed, &names.lock);
	names.lookups = 0;
	pthread_mutex_unlock(&names.lock);
}

static void a_name_that_is_not_found_stops_nothing_else(void **state)
{
	static const struct {
		const char *name, *why;
		struct wire via;
		int result;
		bool slow;
	} cases[] = {
		{"A33 no such name", "after 5 attempts: ", {.base = "https://" NAME},
			EAI_NONAME, false},
		{"A33 the name server fails", "host name not found",
			{.base = "https://" NAME}, EAI_AGAIN, false},
		{"A33 the name server is slow", "timed out while connecting",
			{.base = "https://" NAME, .http = {QUICK}}, EAI_NONAME, true},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (enum wire_on on = 0; on < ON_ALL; on++) {
			if (!(ENDPOINTS & BIT(on)))
				continue;
			names_become(cases[i].result, cases[i].slow);
			wire_begin(on, cases[i].name);
			assert_i64_eq(wire_poll(NULL, 0, &cases[i].via).requests, 0);
			if (!cases[i].slow)
				assert_i64_eq(names.lookups, 5);
			wire_expect_kept("failed", cases[i].why);
			wire_expect_error("https://" NAME "/");
			if (!cases[i].slow)
				wire_expect_fix("check the network connection and DNS");
			names_become(EAI_NONAME, false);
			wire_heal();
		}
}

/* ---- lines ---------------------------------------------------------------------------------------- */

struct line {
	const char *name;
	unsigned on;
	struct wire via;
	struct front_opts front;
	size_t requests;
	const char *error; /* NULL: it goes well */
	const char *fix;
};

static void run_line(const struct line *l, enum wire_on on)
{
	struct wire via = l->via;
	struct wire_outcome o;

	via.front = &l->front;
	if (!via.base)
		via.base = "http://%s";
	wire_begin(on, l->name);
	o = wire_poll(NULL, 0, &via);
	if (l->error)
		wire_expect_kept("failed", l->error);
	else
		wire_expect_new("ok");
	if (l->fix)
		wire_expect_fix(l->fix);
	if (o.requests != l->requests)
		fail_msg("%s: %s: %zu requests, want %zu", l->name, wire_match(on),
			o.requests, l->requests);
	wire_heal();
}

static void run_lines(const struct line *lines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (enum wire_on on = 0; on < ON_ALL; on++)
			if (lines[i].on & BIT(on))
				run_line(&lines[i], on);
}

static void a_line_that_is_dead_or_drips_is_given_up(void **state)
{
	static const struct line lines[] = {
		{"A2 nobody answers a SYN", ENDPOINTS, {.http = {QUICK}},
			{.how = FRONT_FULL}, 0, .error = "timed out while connecting"},
		{"A3 headers that drip", BIT(ON_VMS),
			{.http = {.low_speed_s = 1, .max_attempts = 1}},
			{.how = FRONT_DRIP, .drip_ms = 20}, 1, .error = "timed out"},
		{"A4 a body that drips", BIT(ON_TPUS),
			{.http = {.low_speed_s = 1, .max_attempts = 1}},
			{.how = FRONT_DRIP, .drip_ms = 20, .at_once = 120}, 1,
			.error = "timed out"},
		/* Fast enough, and yet not done in time. */
		{"A3 headers for ever", BIT(ON_TOKEN) | BIT(ON_TABLE),
			{.http = {.total_timeout_ms = 500, .max_attempts = 1}},
			{.how = FRONT_DRIP, .drip_ms = 8}, 1, .error = "timed out"},
		{"A4 a body for ever", LISTS_ONLY,
			{.http = {.total_timeout_ms = 500, .max_attempts = 1}},
			{.how = FRONT_DRIP, .drip_ms = 20, .at_once = 120}, 1,
			.error = "timed out"},
		{"A4 a line that is only slow", LISTS_ONLY, {.http = {.low_speed_s = 30}},
			{.how = FRONT_DRIP, .drip_ms = 1, .at_once = 120}, 1,
			.error = NULL},
		{"A4 silence", ENDPOINTS,
			{.http = {.total_timeout_ms = 100, .max_attempts = 2}},
			{.how = FRONT_MUTE}, 0, .error = "after 2 attempts: "},
	};

	run_lines(lines, ARRAY_LEN(lines));
}

static void a_refused_connection_keeps_what_is_known(void **state)
{
	char dead[64];
	const struct wire via = {.base = fault_dead_url(dead)};

	for (enum wire_on on = 0; on < ON_ALL; on++) {
		struct wire_outcome o;

		if (!(ENDPOINTS & BIT(on)))
			continue;
		wire_begin(on, "A1");
		o = wire_poll(NULL, 0, &via);
		wire_expect_kept("failed", "connection refused");
		wire_expect_error("after 5 attempts: ");
		wire_expect_fix("the previous data is kept; the next poll tries again");
		assert_i64_eq(o.requests, 0);
		wire_heal();
	}
}

/* ---- TLS ------------------------------------------------------------------------------------------ */

#define TLS_VIA                                                     \
	{                                                           \
		.base = "https://%s", .http = {.ca_file = ca_file } \
	}
#define CERT(which)                                     \
	{                                               \
		.how = FRONT_TLS, .cert = &certs[which] \
	}
#define FIX .fix = "check this machine's clock and its CA certificates"

static const struct line tls_lines[] = {
	{"A34 all is well", ENDPOINTS, TLS_VIA, CERT(GOOD), 1, .error = NULL},
	{"A34 it signed itself", ENDPOINTS, TLS_VIA, CERT(SELF_SIGNED), 0,
		.error = "self-signed certificate", FIX},
	{"A34 signed by a stranger", ENDPOINTS, TLS_VIA, CERT(STRANGER), 0,
		.error = "unable to get local issuer certificate", FIX},
	{"A34 expired", ENDPOINTS, TLS_VIA, CERT(EXPIRED), 0,
		.error = "certificate has expired", FIX},
	{"A34 not valid yet", ENDPOINTS, TLS_VIA, CERT(TOO_NEW), 0,
		.error = "certificate is not yet valid", FIX},
	{"A34 for another host", ENDPOINTS, TLS_VIA, CERT(OTHER_HOST), 0,
		.error = "no alternative certificate subject name matches target host name "
			 "'127.0.0.1'",
		FIX},
	{"A34 TLS 1.1", ENDPOINTS, TLS_VIA,
		{.how = FRONT_TLS, .cert = &certs[GOOD], .max_version = TLS1_1_VERSION}, 0,
		.error = "protocol version"},
	{"A34 no handshake", ENDPOINTS,
		{.base = "https://%s", .http = {.ca_file = ca_file, QUICK}},
		{.how = FRONT_MUTE}, 0, .error = "timed out while connecting"},
	{"A34 a handshake that breaks off", ENDPOINTS, TLS_VIA,
		{.how = FRONT_SAY, .text = ""}, 0, .error = "after 5 attempts: "},
	{"A34 no TLS there", ENDPOINTS, TLS_VIA,
		{.how = FRONT_SAY, .text = "HTTP/1.1 400 Bad Request\r\n\r\n"}, 0,
		.error = "wrong version number"},
	{"A34 no authorities", ENDPOINTS,
		{.base = "https://%s", .http = {.ca_file = no_file}}, CERT(GOOD), 0,
		.error = "no-such-file.pem"},
};

static void who_is_not_google_hears_nothing(void **state)
{
	run_lines(tls_lines, ARRAY_LEN(tls_lines));
}

static void authorities_can_be_named_in_the_environment(void **state)
{
	static const struct line named = {"A34 SSL_CERT_FILE", ENDPOINTS,
		{.base = "https://%s"}, CERT(GOOD), 1, .error = NULL};
	static const struct line unnamed = {"A34 the system's authorities", ENDPOINTS,
		{.base = "https://%s"}, CERT(GOOD), 0,
		.error = "unable to get local issuer certificate", FIX};

	setenv("SSL_CERT_FILE", ca_file, 1);
	run_lines(&named, 1);
	unsetenv("SSL_CERT_FILE");
	run_lines(&unnamed, 1);
}

/* A good answer, and the time of its server shows that the clock of this machine is years ahead: what it says would
 * be kept under a wrong time. On plain http, which is not Google, the time counts for nothing. */
static void what_is_read_by_a_wrong_clock_is_not_kept(void **state)
{
	struct front_opts front = {.how = FRONT_TLS, .cert = &certs[GOOD]};
	const struct wire via = {
		.base = "https://%s", .http = {.ca_file = ca_file}, .front = &front};

	for (enum wire_on on = 0; on < ON_ALL; on++) {
		struct fault_step step = {
			.headers = "Date: Sat, 21 Nov 2020 04:00:00 GMT\r\n"};

		if (!(LISTS_ONLY & BIT(on)))
			continue;
		wire_begin(on, "D4");
		step.body = wire_good_body();
		wire_poll(&step, 1, &via);
		wire_expect_kept(
			"failed", "the clock of this machine is ahead of Google's");
		wire_heal();
		wire_begin(on, "D4 plain");
		step.body = wire_good_body();
		wire_poll(&step, 1, NULL);
		wire_expect_new("ok");
		wire_heal();
	}
}

/* A37: the server says that it did nothing of the request and goes; libcurl asks again at once,
 * on another connection. */
static void a_connection_that_says_goaway_is_replaced(void **state)
{
	static const struct {
		size_t goaways;
		const char *error;
	} cases[] = {{0, NULL}, {1, NULL}, {50, "after 2 attempts: "}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (enum wire_on on = ON_VMS; on <= ON_TPUS; on++) {
			struct front_opts front = {.how = FRONT_H2,
				.cert = &certs[GOOD],
				.goaways = cases[i].goaways};
			const struct wire via = {.base = "https://%s",
				.http = {.ca_file = ca_file, .max_attempts = 2},
				.front = &front};
			struct wire_outcome o;

			wire_begin(on, "A37");
			front.text = wire_good_body();
			o = wire_poll(NULL, 0, &via);
			if (cases[i].error) {
				wire_expect_kept("failed", cases[i].error);
			} else {
				wire_expect_new("ok");
				assert_i64_eq(o.connections, cases[i].goaways + 1);
				assert_i64_eq(o.waited, 0);
			}
			wire_heal();
		}
}

/* ---- proxies ----------------------------------------------------------------------------------------- */

#define PROXY_URL "http://user:hunter2@%s"
#define SAYS(words)                             \
	{                                       \
		.how = FRONT_SAY, .text = words \
	}

static void a_proxy_that_refuses_is_named(void **state)
{
	static const struct {
		const char *name;
		struct front_opts proxy;
		const char *error; /* NULL: it goes well */
	} cases[] = {
		{"A35 all is well", {.how = FRONT_PROXY}, .error = NULL},
		{"A35 407",
			SAYS("HTTP/1.1 407 Proxy Authentication Required\r\n"
			     "Proxy-Authenticate: Basic realm=\"x\"\r\n"
			     "Content-Length: 0\r\n\r\n"),
			.error = "the proxy refused: HTTP 407"},
		{"A35 403 in HTML",
			SAYS("HTTP/1.1 403 Forbidden\r\nContent-Type: text/html\r\n"
			     "Content-Length: 13\r\n\r\n<html></html>"),
			.error = "the proxy refused: HTTP 403"},
		{"A35 502", SAYS("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n"),
			.error = "the proxy refused: HTTP 502"},
		{"A35 HTML instead of a tunnel",
			SAYS("HTTP/1.1 200 OK\r\n\r\n<html>Log in</html>"),
			.error = "wrong version number"},
		{"A35 closed", SAYS(""), .error = "after 2 attempts: "},
		{"A35 silence", {.how = FRONT_MUTE}, .error = "after 2 attempts: "},
	};
	const struct front_opts front = CERT(BY_NAME);

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (enum wire_on on = 0; on < ON_ALL; on++) {
			const struct wire via = {.base = "https://" NAME,
				.http = {.ca_file = ca_file,
					.proxy = PROXY_URL,
					.connect_timeout_ms = 1000,
					.total_timeout_ms =
						str_ends(cases[i].name, "silence") ? 100
										   : 5000,
					.max_attempts = 2},
				.front = &front,
				.proxy = &cases[i].proxy};
			struct wire_outcome o;

			if (!(ENDPOINTS & BIT(on)))
				continue;
			wire_begin(on, cases[i].name);
			o = wire_poll(NULL, 0, &via);
			if (cases[i].error)
				wire_expect_kept("failed", cases[i].error);
			else
				wire_expect_new("ok");
			assert_i64_eq(o.requests, cases[i].error ? 0 : 1);
			/* The proxy is told where to, and not who we are. */
			assert_contains(o.heard,
				i + 1 == ARRAY_LEN(cases) ? ""
							  : "CONNECT " NAME
							    ":443 HTTP/1.1\r\n");
			assert_null(strstr(o.heard, "Bearer"));
			wire_heal();
		}
}

static void a_proxy_that_is_not_there_is_no_way_around_it(void **state)
{
	char dead[64], url[128];
	const struct wire via = {
		.base = "https://" NAME, .http = {.ca_file = ca_file, .proxy = url}};

	snprintf(url, sizeof(url), "http://user:hunter2@%s",
		strrchr(fault_dead_url(dead), '/') + 1);
	wire_begin(ON_TPUS, "A35 refused");
	assert_i64_eq(wire_poll(NULL, 0, &via).requests, 0);
	wire_expect_kept("failed", "connection refused");
	wire_heal();
}

/* What the environment says of proxies is not asked: a token is not for whoever set it. */
static void the_environment_names_no_proxy(void **state)
{
	static const char *const variables[] = {
		"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"};
	static const struct front_opts front = CERT(GOOD);
	static const struct wire via = {
		.base = "https://%s", .http = {.ca_file = ca_file}, .front = &front};
	char dead[64];

	fault_dead_url(dead);
	for (size_t i = 0; i < ARRAY_LEN(variables); i++)
		setenv(variables[i], dead, 1);
	wire_begin(ON_VMS, "A35 the environment");
	assert_i64_eq(wire_poll(NULL, 0, &via).requests, 1);
	wire_expect_new("ok");
	for (size_t i = 0; i < ARRAY_LEN(variables); i++)
		unsetenv(variables[i]);
}

/* ---- tokens -------------------------------------------------------------------------------------------- */

/* A38: it is the last place where credentials may be; there is no next one. */
static void without_a_metadata_server_there_are_no_credentials(void **state)
{
	static const struct front_opts mute = {.how = FRONT_MUTE},
				       other = SAYS("HTTP/1.1 200 OK\r\nContent-Type: "
						    "text/html\r\n\r\n<html></html>"),
				       none = SAYS("HTTP/1.1 404 Not Found\r\n"
						   "Metadata-Flavor: Google\r\n"
						   "Content-Length: 0\r\n\r\n");
	static const struct {
		const char *name;
		const struct front_opts *front;
		const char *error, *fix;
	} cases[] = {
		{"A38 refused", NULL, "no Google credentials: ",
			"run: gcloud auth application-default login"},
		{"A38 silence", &mute, "and no metadata server responds",
			"run: gcloud auth application-default login"},
		{"A38 somebody else", &other, "the server is not a metadata server",
			"check credentials"},
		{"A38 no service account", &none, "metadata server: token: HTTP 404",
			"this VM has no service account"},
	};
	char dead[64];

	fault_dead_url(dead);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct wire via = {.base = cases[i].front ? "http://%s" : dead,
			.metadata = true,
			.front = cases[i].front};
		struct wire_outcome o;

		wire_begin(ON_TOKEN, cases[i].name);
		o = wire_poll(NULL, 0, &via);
		wire_expect_kept("failed", cases[i].error);
		wire_expect_fix(cases[i].fix);
		assert_i64_eq(o.all, 0);
		assert_i64_eq(o.waited, 0); /* asked once */
		assert_i64_eq(o.connections, cases[i].front ? 1 : 0);
		wire_heal();
	}
}

/* A39: Google speaks of "iat"; we say how far the clock is off. */
static void a_clock_that_is_off_is_named_in_seconds(void **state)
{
	static const char body[] = "{\"error\":\"invalid_grant\",\"error_description\":"
				   "\"Invalid JWT: Token must "
				   "be a short-lived token (60 minutes) and in a "
				   "reasonable timeframe. Check your "
				   "iat and exp values in the JWT claim.\"}";
	static const struct {
		const char *date, *error, *fix;
	} cases[] = {
		/* the poll is at six o'clock */
		{"Date: Sat, 21 Nov 2026 04:00:00 GMT\r\n",
			"token: the clock of this machine is ahead of Google's",
			"run: sudo timedatectl set-ntp true # it is 7200 s ahead"},
		{"Date: Sun, 22 Nov 2026 06:00:00 GMT\r\n",
			"token: the clock of this machine is behind Google's",
			"run: sudo timedatectl set-ntp true # it is 86400 s behind"},
		{"Date: Sat, 21 Nov 2026 06:00:01 GMT\r\n",
			"token: HTTP 400: invalid_grant: Invalid JWT", "seems to be wrong"},
		{NULL, "token: HTTP 400: invalid_grant: Invalid JWT", "seems to be wrong"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct fault_step step = {
			.status = 400, .headers = cases[i].date, .body = body};
		struct wire_outcome o;

		wire_begin(ON_TOKEN, "A39");
		o = wire_poll(&step, 1, NULL);
		wire_expect_kept("failed", cases[i].error);
		wire_expect_fix(cases[i].fix);
		assert_i64_eq(o.all, 1);
		wire_heal();
	}
}

/* ---- the whole ------------------------------------------------------------------------------------------- */

static int setup(void **state)
{
	static const struct cert_opts wanted[CERTS] = {
		[GOOD] = {&authority, NULL, "IP:127.0.0.1", -1, 30},
		[SELF_SIGNED] = {NULL, NULL, "IP:127.0.0.1", -1, 30},
		[STRANGER] = {&stranger, NULL, "IP:127.0.0.1", -1, 30},
		[EXPIRED] = {&authority, NULL, "IP:127.0.0.1", -30, -1},
		[TOO_NEW] = {&authority, NULL, "IP:127.0.0.1", 1, 30},
		[OTHER_HOST] = {&authority, NULL, "DNS:tpu.googleapis.com,IP:127.0.0.2", -1,
			30},
		[BY_NAME] = {&authority, NULL, "DNS:" NAME, -1, 30},
	};
	static const struct cert_opts ours = {.name = "ours",
					      .from_days = -1,
					      .until_days = 30},
				      theirs = {.name = "theirs",
					      .from_days = -1,
					      .until_days = 30};

	signal(SIGPIPE, SIG_IGN);
	cert_make(&ours, &authority);
	cert_make(&theirs, &stranger);
	for (size_t i = 0; i < CERTS; i++)
		cert_make(&wanted[i], &certs[i]);
	tempdir_make(&dir);
	strcpy(ca_file, tempdir_name(&dir, "ca.pem"));
	strcpy(no_file, tempdir_name(&dir, "no-such-file.pem"));
	cert_write(&authority, ca_file);
	return wire_setup(state);
}

static int teardown(void **state)
{
	tempdir_remove(&dir);
	cert_done(&authority);
	cert_done(&stranger);
	for (size_t i = 0; i < CERTS; i++)
		cert_done(&certs[i]);
	return wire_teardown(state);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_that_is_not_found_stops_nothing_else),
		cmocka_unit_test(a_refused_connection_keeps_what_is_known),
		cmocka_unit_test(a_line_that_is_dead_or_drips_is_given_up),
		cmocka_unit_test(who_is_not_google_hears_nothing),
		cmocka_unit_test(authorities_can_be_named_in_the_environment),
		cmocka_unit_test(what_is_read_by_a_wrong_clock_is_not_kept),
		cmocka_unit_test(a_connection_that_says_goaway_is_replaced),
		cmocka_unit_test(a_proxy_that_refuses_is_named),
		cmocka_unit_test(a_proxy_that_is_not_there_is_no_way_around_it),
		cmocka_unit_test(the_environment_names_no_proxy),
		cmocka_unit_test(without_a_metadata_server_there_are_no_credentials),
		cmocka_unit_test(a_clock_that_is_off_is_named_in_seconds),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
