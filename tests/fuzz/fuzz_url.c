/* Addresses of servers and of people. A URL that is taken is read by libcurl as the same: otherwise the
 * one who checks and the one who connects would mean different hosts. A mail address is one line without
 * anything that ends it. */
#include "base/url/address.h"
#include "base/mem.h"
#include "base/url/netguard.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "base/url/url.h"
#include "tests/fuzz/fuzz.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <string.h>

static char *part(CURLU *u, CURLUPart what)
{
	char *s = NULL;

	return curl_url_get(u, what, &s, CURLU_DEFAULT_PORT) ? NULL : s;
}

static void require_same_part(CURLU *u, CURLUPart what, const char *want)
{
	char *s = part(u, what);

	fuzz_require(s && !strcasecmp(s, want));
	curl_free(s);
}

/* libcurl shortens what can be shorter. */
static void require_same_v6(CURLU *u, const char *want)
{
	char *s = part(u, CURLUPART_HOST);
	unsigned char a[16], b[16];

	fuzz_require(s && *s == '[' && s[strlen(s) - 1] == ']');
	s[strlen(s) - 1] = '\0';
	fuzz_require(
		inet_pton(AF_INET6, s + 1, a) == 1 && inet_pton(AF_INET6, want, b) == 1);
	fuzz_require(!memcmp(a, b, sizeof(a)));
	curl_free(s);
}

static void check_as_curl(const char *text, const struct url *u)
{
	cleanup(sbuf_done) struct sbuf port = SBUF_INIT;
	CURLU *c = curl_url();
	char *user;

	fuzz_require(c && !curl_url_set(c, CURLUPART_URL, text, 0));
	sbuf_addf(&port, "%d", u->port);
	require_same_part(c, CURLUPART_SCHEME, u->https ? "https" : "http");
	if (strchr(u->host, ':'))
		require_same_v6(c, u->host);
	else
		require_same_part(c, CURLUPART_HOST, u->host);
	require_same_part(c, CURLUPART_PORT, port.s);
	user = part(c, CURLUPART_USER);
	fuzz_require(!user);
	curl_url_cleanup(c);
}

static void check_url(const char *s)
{
	char shown[URL_SHOWN_HOST];
	struct url u = {0}, again = {0};
	struct err e = {0};

	if (url_parse(s, &u, &e)) {
		fuzz_require(e.code == E_CONFIG && e.msg[0] && !u.host[0]);
		fuzz_require(url_parse_why(s, &again) != NULL);
		return;
	}
	fuzz_require(u.port >= 1 && u.port <= 65535 && u.host[0]);
	fuzz_require(u.path >= s && u.path <= s + strlen(s));
	fuzz_require(!s[strcspn(s, " \t\r\n\\#\x7f")]);
	url_show_host(s, shown);
	fuzz_require(strcasestr(shown, u.host));
	check_as_curl(s, &u);
}

static void check_address(const char *s)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;
	struct mail_address m = {0}, again = {0};
	struct err e = {0};

	if (mail_address_parse(s, &m, &e)) {
		fuzz_require(e.code == E_CONFIG && e.msg[0] && !m.addr[0]);
		fuzz_require(mail_address_check(s, NULL) == E_CONFIG);
		return;
	}
	fuzz_require(m.addr[0] != '-' && !strpbrk(m.addr, " \t\r\n<>,;:\"()[]\\"));
	fuzz_require(!strstr(m.addr, "=?"));
	fuzz_require(strchr(m.addr, '@') && strchr(m.addr, '@') == strrchr(m.addr, '@'));
	fuzz_require(!strpbrk(m.name, "\r\n") && utf8_valid(m.name, strlen(m.name)));
	fuzz_require(!strcmp(mail_address_host(&m), strchr(m.addr, '@') + 1));
	if (*m.name)
		sbuf_addf(&text, "%s <%s>", m.name, m.addr);
	else
		sbuf_adds(&text, m.addr);
	fuzz_require(mail_address_parse(text.s, &again, &e) == E_OK);
	fuzz_require(!strcmp(m.addr, again.addr) && !strcmp(m.name, again.name));
}

static void check_server(const char *s)
{
	struct mail_server m = {0};
	struct err e = {0};

	if (mail_server_parse(s, false, &m, &e)) {
		fuzz_require(e.code == E_CONFIG && e.msg[0]);
		return;
	}
	fuzz_require(m.host[0] && m.host[0] != '-' && m.port >= 1 && m.port <= 65535);
	fuzz_require(m.tls == str_starts(s, "smtps://") || m.tls);
	fuzz_require(mail_server_parse(s, true, &m, NULL) != E_OK || m.loopback);
}

int fuzz_url(const uint8_t *data, size_t size)
{
	cleanup(free_ptr) char *s = fuzz_text(data, size);

	check_url(s);
	check_address(s);
	check_server(s);
	return 0;
}
