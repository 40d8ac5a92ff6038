#include "base/url/netguard.h"

#include "base/str.h"
#include "base/url/url.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* From the most to the least permitted. */
enum place { PLACE_PUBLIC, PLACE_LOOPBACK, PLACE_PRIVATE, PLACE_NEVER };

/* The first match counts. */
static const struct {
	uint8_t net[4];
	int bits;
	enum place place;
} v4_places[] = {
	{{0}, 8, PLACE_NEVER}, {{10}, 8, PLACE_PRIVATE}, {{100, 64}, 10, PLACE_PRIVATE},
	{{127}, 8, PLACE_LOOPBACK}, {{169, 254}, 16, PLACE_NEVER},
	{{172, 16}, 12, PLACE_PRIVATE}, {{192, 0, 0}, 24, PLACE_NEVER},
	{{192, 0, 2}, 24, PLACE_NEVER}, {{192, 168}, 16, PLACE_PRIVATE},
	{{198, 18}, 15, PLACE_PRIVATE}, {{198, 51, 100}, 24, PLACE_NEVER},
	{{203, 0, 113}, 24, PLACE_NEVER},
	{{224}, 3, PLACE_NEVER}, /* multicast, reserved, broadcast */
};

static const struct {
	const char *net;
	int bits;
	enum place place;
	int v4_at; /* offset of an embedded IPv4 address, which is checked, too; 0: none */
} v6_places[] = {
	{"::1", 128, PLACE_LOOPBACK, 0},
	{"::", 128, PLACE_NEVER, 0},
	{"::ffff:0:0", 96, PLACE_PUBLIC, 12},
	{"::", 96, PLACE_PUBLIC, 12},
	{"64:ff9b::", 96, PLACE_PUBLIC, 12},
	{"64:ff9b:1::", 48, PLACE_PRIVATE, 12},
	{"100::", 64, PLACE_NEVER, 0},
	{"2001::", 32, PLACE_NEVER, 0}, /* Teredo, obsolete */
	{"2001:db8::", 32, PLACE_NEVER, 0},
	{"2002::", 16, PLACE_PUBLIC, 2},
	{"3fff::", 20, PLACE_NEVER, 0},
	{"fd00:ec2::254", 128, PLACE_NEVER, 0},
	{"fd20:ce::254", 128, PLACE_NEVER, 0},
	{"fc00::", 7, PLACE_PRIVATE, 0},
	{"fe80::", 10, PLACE_NEVER, 0},
	{"fec0::", 10, PLACE_NEVER, 0},
	{"ff00::", 8, PLACE_NEVER, 0},
};

static bool in_net(const uint8_t *addr, const uint8_t *net, int bits)
{
	int whole = bits / 8, rest = bits % 8;

	if (memcmp(addr, net, (size_t)whole) != 0)
		return false;
	return !rest || (addr[whole] ^ net[whole]) >> (8 - rest) == 0;
}

static enum place place_of_v4(const uint8_t *addr)
{
	for (size_t i = 0; i < ARRAY_LEN(v4_places); i++)
		if (in_net(addr, v4_places[i].net, v4_places[i].bits))
			return v4_places[i].place;
	return PLACE_PUBLIC;
}

static enum place place_of_v6(const uint8_t *addr)
{
	for (size_t i = 0; i < ARRAY_LEN(v6_places); i++) {
		uint8_t net[16] = {0};
		enum place p = v6_places[i].place, inside;

		inet_pton(AF_INET6, v6_places[i].net, net);
		if (!in_net(addr, net, v6_places[i].bits))
			continue;
		if (!v6_places[i].v4_at)
			return p;
		inside = place_of_v4(addr + v6_places[i].v4_at);
		/* Only the mapped form is this machine; the loopback of a gateway is not. */
		if (inside == PLACE_LOOPBACK && !str_eq(v6_places[i].net, "::ffff:0:0"))
			return PLACE_NEVER;
		return inside > p ? inside : p;
	}
	return PLACE_PUBLIC;
}

static enum place guard_place_of(const struct sockaddr *sa)
{
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;

	if (sa->sa_family == AF_INET) {
		memcpy(&v4, sa, sizeof(v4));
		return place_of_v4((const uint8_t *)&v4.sin_addr);
	}
	if (sa->sa_family == AF_INET6) {
		memcpy(&v6, sa, sizeof(v6));
		return place_of_v6(v6.sin6_addr.s6_addr);
	}
	return PLACE_NEVER;
}

static bool allowed(enum place p, bool allow_private)
{
	return p == PLACE_PUBLIC || p == PLACE_LOOPBACK ||
		(p == PLACE_PRIVATE && allow_private);
}

bool net_address_allowed(const struct sockaddr *sa, bool allow_private)
{
	return allowed(guard_place_of(sa), allow_private);
}

bool net_address_is_loopback(const struct sockaddr *sa)
{
	return guard_place_of(sa) == PLACE_LOOPBACK;
}

/* ---- URLs ---------------------------------------------------------------- */

static bool is_metadata_name(const char *host)
{
	static const char *const names[] = {"metadata", "metadata.google.internal",
		"metadata.goog", "instance-data", "instance-data.ec2.internal"};
	size_t len = strlen(host);

	while (host[len - 1] == '.') /* url_parse_why: a host is more than dots */
		len--;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strlen(names[i]) == len && !memcmp(names[i], host, len))
			return true;
	return false;
}

static enum err_code guard_refuse(
	const char *url, const char *why, const char *fix, struct err *e)
{
	char shown[URL_SHOWN_HOST];

	err_set(e, E_CONFIG, "URL %s: %s", url_show_host(url, shown), why);
	if (fix && e)
		err_fix(e, "%s", fix);
	return E_CONFIG;
}

static enum err_code check_place(
	const char *url, enum place p, bool allow_private, struct err *e)
{
	if (allowed(p, allow_private))
		return E_OK;
	if (p == PLACE_PRIVATE)
		return guard_refuse(url, "this is a private address",
			"set allow_private: true if it is meant", e);
	return guard_refuse(url, "nothing may be sent to this address", NULL, e);
}

enum err_code net_url_check(const char *url, bool allow_private, struct err *e)
{
	struct url u = {0};
	uint8_t addr[16];
	const char *why = url_parse_why(url, &u);

	if (why)
		return guard_refuse(
			url, why, why == url_usual_form ? URL_USUAL_FORM_FIX : NULL, e);
	if (inet_pton(AF_INET6, u.host, addr) == 1) {
		if (check_place(url, place_of_v6(addr), allow_private, e) != E_OK)
			return E_CONFIG;
	} else if (inet_pton(AF_INET, u.host, addr) == 1) {
		if (check_place(url, place_of_v4(addr), allow_private, e) != E_OK)
			return E_CONFIG;
	} else if (is_metadata_name(u.host)) {
		return guard_refuse(
			url, "nothing may be sent to a metadata server", NULL, e);
	}
	if (!u.https && !url_is_loopback(&u))
		return guard_refuse(url,
			"plain http is allowed on this machine only (127.0.0.1, ::1, "
			"localhost)",
			"use https://", e);
	return E_OK;
}

/* ---- addresses of servers ------------------------------------------------------------------------ */

bool net_listen_parse(const char *text, union net_address *out)
{
	const char *colon = strrchr(text, ':');
	bool six = *text == '[';
	char host[64];
	int64_t port;

	*out = (union net_address){.any.sa_family = six ? AF_INET6 : AF_INET};
	if (!colon || !str_to_i64(colon + 1, 0, 65535, &port) || (six && colon[-1] != ']'))
		return false;
	snprintf(host, sizeof(host), "%.*s", (int)(colon - text) - 2 * six, text + six);
	if (six)
		out->v6.sin6_port = htons((uint16_t)port);
	else
		out->v4.sin_port = htons((uint16_t)port);
	return six ? inet_pton(AF_INET6, host, &out->v6.sin6_addr) == 1
		   : inet_pton(AF_INET, str_eq(host, "localhost") ? "127.0.0.1" : host,
			     &out->v4.sin_addr) == 1;
}
