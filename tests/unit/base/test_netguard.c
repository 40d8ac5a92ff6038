#include "base/url/netguard.h"

#include "base/url/url.h"
#include "tests/support/assert.h"
#include "tests/support/unit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

enum want { ALWAYS, LOOPBACK, PRIVATE, NEVER };

static void address(const char *text, struct sockaddr_storage *out)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};

	memset(out, 0, sizeof(*out));
	if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
		memcpy(out, &v4, sizeof(v4));
	else if (inet_pton(AF_INET6, text, &v6.sin6_addr) == 1)
		memcpy(out, &v6, sizeof(v6));
	else
		fail_msg("%s is no address", text);
}

static const struct {
	const char *text;
	enum want want;
} addresses[] = {
	{"8.8.8.8", ALWAYS},
	{"1.0.0.0", ALWAYS},
	{"0.0.0.0", NEVER},
	{"0.1.2.3", NEVER},
	{"9.255.255.255", ALWAYS},
	{"10.0.0.0", PRIVATE},
	{"10.255.255.255", PRIVATE},
	{"11.0.0.0", ALWAYS},
	{"100.63.255.255", ALWAYS},
	{"100.64.0.0", PRIVATE},
	{"100.127.255.255", PRIVATE},
	{"100.128.0.0", ALWAYS},
	{"126.255.255.255", ALWAYS},
	{"127.0.0.1", LOOPBACK},
	{"127.255.255.254", LOOPBACK},
	{"128.0.0.0", ALWAYS},
	{"169.253.255.255", ALWAYS},
	{"169.254.0.1", NEVER},
	{"169.254.169.254", NEVER},
	{"169.255.0.0", ALWAYS},
	{"172.15.255.255", ALWAYS},
	{"172.16.0.0", PRIVATE},
	{"172.31.255.255", PRIVATE},
	{"172.32.0.0", ALWAYS},
	{"192.0.0.192", NEVER},
	{"192.0.1.0", ALWAYS},
	{"192.0.2.1", NEVER},
	{"192.167.255.255", ALWAYS},
	{"192.168.0.0", PRIVATE},
	{"192.168.255.255", PRIVATE},
	{"192.169.0.0", ALWAYS},
	{"198.17.255.255", ALWAYS},
	{"198.18.0.0", PRIVATE},
	{"198.19.255.255", PRIVATE},
	{"198.20.0.0", ALWAYS},
	{"198.51.100.7", NEVER},
	{"203.0.113.7", NEVER},
	{"223.255.255.255", ALWAYS},
	{"224.0.0.1", NEVER},
	{"239.255.255.255", NEVER},
	{"240.0.0.1", NEVER},
	{"255.255.255.255", NEVER},

	{"2607:f8b0:4005:80a::200e", ALWAYS},
	{"::1", LOOPBACK},
	{"::", NEVER},
	{"::2", NEVER}, /* 0.0.0.2 */
	{"::ffff:8.8.8.8", ALWAYS},
	{"::ffff:10.1.2.3", PRIVATE},
	{"::ffff:127.0.0.1", LOOPBACK},
	{"::ffff:169.254.169.254", NEVER},
	{"::8.8.8.8", ALWAYS},
	{"::192.168.1.1", PRIVATE},
	{"::127.0.0.1", NEVER},
	{"64:ff9b::8.8.8.8", ALWAYS},
	{"64:ff9b::10.0.0.1", PRIVATE},
	{"64:ff9b::127.0.0.1", NEVER},
	{"64:ff9b::169.254.169.254", NEVER},
	{"64:ff9b:1::8.8.8.8", PRIVATE},
	{"64:ff9b:1::169.254.169.254", NEVER},
	{"2002:0808:0808::1", ALWAYS},
	{"2002:0a00:0001::1", PRIVATE},
	{"2002:c0a8:0101::1", PRIVATE},
	{"2002:a9fe:a9fe::1", NEVER},
	{"2002:7f00:0001::1", NEVER},
	{"2001::1", NEVER},
	{"2001:4860:4860::8888", ALWAYS},
	{"2001:db8::1", NEVER},
	{"3fff::1", NEVER},
	{"100::1", NEVER},
	{"fbff::1", ALWAYS},
	{"fc00::1", PRIVATE},
	{"fd12:3456::1", PRIVATE},
	{"fdff:ffff::1", PRIVATE},
	{"fd00:ec2::254", NEVER},
	{"fd20:ce::254", NEVER},
	{"fd20:ce::255", PRIVATE},
	{"fe80::1", NEVER},
	{"febf::1", NEVER},
	{"fec0::1", NEVER},
	{"ff02::1", NEVER},

	/* the first and the last of each net, and what lies beside them */
	{"0.255.255.255", NEVER},
	{"169.254.0.0", NEVER},
	{"169.254.255.255", NEVER},
	{"191.255.255.255", ALWAYS},
	{"192.0.0.0", NEVER},
	{"192.0.0.255", NEVER},
	{"192.0.1.255", ALWAYS},
	{"192.0.2.0", NEVER},
	{"192.0.2.255", NEVER},
	{"192.0.3.0", ALWAYS},
	{"198.51.99.255", ALWAYS},
	{"198.51.100.0", NEVER},
	{"198.51.100.255", NEVER},
	{"198.51.101.0", ALWAYS},
	{"203.0.112.255", ALWAYS},
	{"203.0.113.0", NEVER},
	{"203.0.113.255", NEVER},
	{"203.0.114.0", ALWAYS},
	{"224.0.0.0", NEVER},
	{"::0.255.255.255", NEVER},
	{"::1:0:0", ALWAYS},
	{"::fffe:ffff:ffff", ALWAYS},
	{"::ffff:0.0.0.0", NEVER},
	{"::ffff:255.255.255.255", NEVER},
	{"::1:0:0:0", ALWAYS},
	{"64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff", ALWAYS},
	{"64:ff9b::0.0.0.0", NEVER},
	{"64:ff9b::255.255.255.255", NEVER},
	{"64:ff9b::1:0a00:1", ALWAYS},
	{"64:ff9b:0:ffff:ffff:ffff:0a00:1", ALWAYS},
	{"64:ff9b:1::0808:808", PRIVATE},
	{"64:ff9b:1:ffff:ffff:ffff:0808:808", PRIVATE},
	{"64:ff9b:1:ffff:ffff:ffff:a9fe:1", NEVER},
	{"64:ff9b:2::1", ALWAYS},
	{"ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ALWAYS},
	{"100::", NEVER},
	{"100::ffff:ffff:ffff:ffff", NEVER},
	{"100:0:0:1::", ALWAYS},
	{"2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ALWAYS},
	{"2001::", NEVER},
	{"2001:0:ffff:ffff:ffff:ffff:ffff:ffff", NEVER},
	{"2001:1::", ALWAYS},
	{"2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", ALWAYS},
	{"2001:db8::", NEVER},
	{"2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", NEVER},
	{"2001:db9::", ALWAYS},
	{"2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ALWAYS},
	{"2002::", NEVER}, /* 0.0.0.0 */
	{"2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NEVER},
	{"2002:8000:1::", ALWAYS},
	{"2003:a00:1::", ALWAYS},
	{"3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ALWAYS},
	{"3fff::", NEVER},
	{"3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", NEVER},
	{"3fff:1000::", ALWAYS},
	{"fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ALWAYS},
	{"fc00::", PRIVATE},
	{"fd00:ec2::253", PRIVATE},
	{"fd00:ec2::255", PRIVATE},
	{"fd20:ce::253", PRIVATE},
	{"fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", PRIVATE},
	{"fe00::", ALWAYS},
	{"fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ALWAYS},
	{"fe80::", NEVER},
	{"febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NEVER},
	{"fec0::", NEVER},
	{"feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NEVER},
	{"ff00::", NEVER},
	{"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NEVER},
};

static void an_address_is_judged_by_where_it_is(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(addresses); i++) {
		struct sockaddr_storage ss;
		const struct sockaddr *sa = (const struct sockaddr *)&ss;
		enum want want = addresses[i].want;

		address(addresses[i].text, &ss);
		if (net_address_allowed(sa, false) !=
				(want == ALWAYS || want == LOOPBACK) ||
			net_address_allowed(sa, true) != (want != NEVER) ||
			net_address_is_loopback(sa) != (want == LOOPBACK))
			fail_msg("%s", addresses[i].text);
	}
}

static void other_kinds_of_sockets_are_refused(void **state)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};

	assert_false(net_address_allowed((const struct sockaddr *)&un, true));
	assert_false(net_address_is_loopback((const struct sockaddr *)&un));
}

#define FORM "not written in the usual form"
#define PLAIN "plain http is allowed on this machine only"
#define NOWHERE "nothing may be sent to this address"
#define META "nothing may be sent to a metadata server"
#define LAN "this is a private address"

static void a_url_is_judged_before_it_is_used(void **state)
{
	static const struct {
		const char *url, *why, *with_private; /* NULL: allowed */
	} cases[] = {
		{"https://hooks.slack.com/services/T0/B0/x", NULL, NULL},
		{"https://example.org:8443", NULL, NULL},
		{"https://8.8.8.8/x", NULL, NULL},
		{"https://[2607:f8b0::1]/x", NULL, NULL},
		{"https://localhost/x", NULL, NULL},
		{"https://127.0.0.1/x", NULL, NULL},
		{"http://127.0.0.1:9093/x", NULL, NULL},
		{"http://[::1]:9093/x", NULL, NULL},
		{"http://localhost:9093", NULL, NULL},
		{"http://example.org/x", PLAIN, PLAIN},
		{"http://10.0.0.1/x", LAN, PLAIN},
		{"https://10.0.0.1/x", LAN, NULL},
		{"https://192.168.1.1/x", LAN, NULL},
		{"https://[fd12::1]/x", LAN, NULL},
		{"https://[::ffff:10.0.0.1]/x", LAN, NULL},
		{"https://[::ffff:169.254.169.254]/x", NOWHERE, NOWHERE},
		{"https://169.254.169.254/computeMetadata/v1/", NOWHERE, NOWHERE},
		{"http://169.254.169.254/computeMetadata/v1/", NOWHERE, NOWHERE},
		{"https://[fd00:ec2::254]/", NOWHERE, NOWHERE},
		{"https://[fd20:ce::254]/", NOWHERE, NOWHERE},
		{"https://[fe80::1]/", NOWHERE, NOWHERE},
		{"https://[::]/", NOWHERE, NOWHERE},
		{"https://0.0.0.0/", NOWHERE, NOWHERE},
		{"https://255.255.255.255/", NOWHERE, NOWHERE},
		{"https://2852039166/", FORM, FORM},
		{"https://2130706433/", FORM, FORM},
		{"http://2130706433/", FORM, FORM},
		{"https://0x7f.1/", FORM, FORM},
		{"https://0x7f.0.0.1/", FORM, FORM},
		{"https://0xA9FEA9FE/", FORM, FORM},
		{"https://127.0x1/", FORM, FORM},
		{"https://0x/", FORM, FORM},
		{"https://127.1/", FORM, FORM},
		{"https://127.0.0.1./", FORM, FORM},
		{"https://0251.0376.0251.0376/", FORM, FORM},
		{"https://169.254.43518/", FORM, FORM},
		{"https://127.0.0.01/", FORM, FORM},
		{"https://example.1/", FORM, FORM},
		{"https://[1::2::3]/", FORM, FORM},
		{"https://1.example/", NULL, NULL},
		{"https://0x7f.example/", NULL, NULL},
		{"https://metadata.google.internal/computeMetadata/v1/", META, META},
		{"https://METADATA.google.internal./x", META, META},
		{"https://metadata/x", META, META},
		{"https://metadata.goog/x", META, META},
		{"https://instance-data/x", META, META},
		{"https://metadata.google.internal.example.org/x", NULL, NULL},
		{"https://user@example.org/", "user names are not allowed", "user names"},
		{"ftp://example.org/hunter2", "must begin with https://", "must begin"},
		{"https://example.org/hunter2\n", "must be encoded", "must be encoded"},
		{"", "must begin with https://", "must begin with https://"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (int private = 0; private < 2; private ++) {
			const char *why = private ? cases[i].with_private : cases[i].why;
			struct err e = {0};
			enum err_code rc = net_url_check(cases[i].url, private, &e);

			if (rc != (why ? E_CONFIG : E_OK) || (why && !strstr(e.msg, why)))
				fail_msg("%s: \"%s\"", cases[i].url, e.msg);
			assert_int_equal(net_url_check(cases[i].url, private, NULL), rc);
		}
}

static void no_more_than_the_host_is_shown(void **state)
{
	struct err e = {0};

	assert_err(net_url_check(
			   "http://example.org:81/services/hunter2?k=hunter3", false, &e),
		e, E_CONFIG,
		"URL http://example.org:81/...: plain http is allowed on this machine only "
		"(127.0.0.1, ::1, localhost)");
	assert_string_equal(e.fix, "use https://");
	assert_err(net_url_check("https://10.0.0.1?hunter2", false, &e), e, E_CONFIG,
		"URL https://10.0.0.1/...: this is a private address");
	assert_string_equal(e.fix, "set allow_private: true if it is meant");
	assert_err(net_url_check("https://a:hunter2@b/", false, &e), e, E_CONFIG,
		"URL (not shown): user names are not allowed in it");
}

static void a_host_is_shown_without_what_follows(void **state)
{
	static const struct {
		const char *url, *shown;
	} cases[] = {
		{"https://hooks.slack.com/services/T/B/x", "https://hooks.slack.com/..."},
		{"https://a.example:8443?x=y", "https://a.example:8443/..."},
		{"http://[::1]:80/x", "http://[::1]:80/..."},
		{"https://a.example/", "https://a.example/"},
		{"https://a.example", "https://a.example"},
		{"https://a.example#x", "(not shown)"},
	};
	char out[URL_SHOWN_HOST];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(url_show_host(cases[i].url, out), cases[i].shown);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_is_judged_by_where_it_is),
		cmocka_unit_test(other_kinds_of_sockets_are_refused),
		cmocka_unit_test(a_url_is_judged_before_it_is_used),
		cmocka_unit_test(no_more_than_the_host_is_shown),
		cmocka_unit_test(a_host_is_shown_without_what_follows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
