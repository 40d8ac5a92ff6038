#include "base/url/url.h"

#include "base/net/http.h"
#include "base/str.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MAX_OBJECT_NAME \
	1000 /* bytes; Cloud Storage allows 1024, and a prefix gets a name */

/* For messages: a part of the URL that fits on a line, without control characters. */
static void url_show(const char *text, char out[81])
{
	size_t n = 0;

	for (; text[n] && n < 80; n++)
		out[n] = isprint((unsigned char)text[n]) ? text[n] : '?';
	out[n] = '\0';
}

static enum err_code url_bad(const char *text, const char *why, struct err *e)
{
	char shown[81];

	url_show(text, shown);
	return err_set(e, E_CONFIG, "URL '%s': %s", shown, why);
}

static bool url_host_char(char c, bool v6)
{
	if (v6)
		return isxdigit((unsigned char)c) || c == ':' || c == '.';
	return isalnum((unsigned char)c) || c == '-' || c == '.' || c == '_';
}

/* Does it end in a number? Then some programs read the name as an address: "2130706433" and
 * "0x7f.1" are 127.0.0.1 to curl and browsers (URL standard, "ends in a number checker"). */
static bool ends_in_number(const char *host)
{
	size_t len = strlen(host), start;

	len -= len && host[len - 1] == '.';
	start = len;
	while (start && host[start - 1] != '.')
		start--;
	if (start == len)
		return false;
	if (strspn(host + start, "0123456789") >= len - start)
		return true;
	return str_starts(host + start, "0x") &&
		strspn(host + start + 2, "0123456789abcdef") >= len - start - 2;
}

const char url_usual_form[] = "its address is not written in the usual form";

/* An address has one form: all programs must read it alike. */
static bool address_fine(const char *host)
{
	unsigned char bytes[16];

	if (strchr(host, ':'))
		return inet_pton(AF_INET6, host, bytes) == 1;
	return !ends_in_number(host) || inet_pton(AF_INET, host, bytes) == 1;
}

/* Parse the host at `s`; *rest is the text after it. NULL or the reason of failure. */
static const char *parse_host(const char *s, struct url *u, const char **rest)
{
	bool v6 = *s == '[';
	size_t n = 0;

	s += v6;
	while (url_host_char(s[n], v6)) {
		if (n + 1 >= sizeof(u->host))
			return "the host name is too long";
		u->host[n] = (char)tolower((unsigned char)s[n]);
		n++;
	}
	u->host[n] = '\0';
	if (n == 0)
		return "there is no host name";
	if (!v6 && (strchr("-.", u->host[0]) || strstr(u->host, "..")))
		return "the host name is malformed";
	if (v6 && s[n++] != ']')
		return "the IPv6 address has no closing bracket";
	if (v6 && !strchr(u->host, ':')) /* "[fe]", "[1.2.3.4]": curl accepts neither */
		return "the text in brackets is not an IPv6 address";
	*rest = s + n;
	return NULL;
}

static const char *parse_port(const char *s, struct url *u, const char **rest)
{
	int64_t port;
	char digits[6];
	size_t n;

	u->port = u->https ? 443 : 80;
	*rest = s;
	if (*s != ':')
		return NULL;
	s++;
	n = strspn(s, "0123456789");
	if (n == 0 || n >= sizeof(digits))
		return "the port is not a number from 1 to 65535";
	memcpy(digits, s, n);
	digits[n] = '\0';
	if (!str_to_i64(digits, 1, 65535, &port))
		return "the port is not a number from 1 to 65535";
	u->port = (int)port;
	*rest = s + n;
	return NULL;
}

static const char *url_take_apart(const char *text, struct url *out)
{
	struct url u = {0};
	const char *host, *rest, *why;

	for (const char *p = text; *p; p++)
		if ((unsigned char)*p <= 0x20 || (unsigned char)*p >= 0x7f ||
			strchr("\\#\"<>^`{|}", *p))
			return "it has a character that must be encoded";
	if (str_starts(text, "https://"))
		u.https = true;
	else if (!str_starts(text, "http://"))
		return "it must begin with https://";
	why = parse_host(text + (u.https ? 8 : 7), &u, &rest);
	if (!why)
		why = parse_port(rest, &u, &rest);
	if (!why && *rest && *rest != '/' && *rest != '?')
		why = "the host name is malformed";
	if (why) {
		host = text + (u.https ? 8 : 7);
		return memchr(host, '@', strcspn(host, "/?"))
			? "user names are not allowed in it"
			: why;
	}
	u.path = rest;
	*out = u;
	return NULL;
}

const char *url_parse_why(const char *text, struct url *out)
{
	struct url u;
	const char *why = url_take_apart(text, &u);

	if (why)
		return why;
	if (!address_fine(u.host))
		return url_usual_form;
	*out = u;
	return NULL;
}

enum err_code url_parse(const char *text, struct url *out, struct err *e)
{
	const char *why = url_parse_why(text, out);

	if (!why)
		return E_OK;
	url_bad(text, why, e);
	if (e && why == url_usual_form)
		err_fix(e, URL_USUAL_FORM_FIX);
	return E_CONFIG;
}

char *url_show_host(const char *text, char out[URL_SHOWN_HOST])
{
	struct url u = {0};

	if (url_take_apart(text, &u))
		snprintf(out, URL_SHOWN_HOST, "(not shown)");
	else
		snprintf(out, URL_SHOWN_HOST, "%.*s%s", (int)(u.path - text), text,
			u.path[0] && !str_eq(u.path, "/") ? "/..." : u.path);
	return out;
}

bool url_is_loopback(const struct url *u)
{
	unsigned a, b, c, d;
	char again[32];

	if (str_eq(u->host, "localhost") || str_eq(u->host, "::1"))
		return true;
	if (sscanf(u->host, "%3u.%3u.%3u.%3u", &a, &b, &c, &d) != 4)
		return false;
	/* "127.1", "0x7f.0.0.1" and "127.0.0.1.example.org" are printed differently. */
	snprintf(again, sizeof(again), "%u.%u.%u.%u", a, b, c, d);
	return a == 127 && b < 256 && c < 256 && d < 256 && str_eq(again, u->host);
}

bool http_url_allowed(const char *url, struct err *e)
{
	struct url u;

	if (url_parse(url, &u, e) != E_OK)
		return false;
	if (u.https || url_is_loopback(&u))
		return true;
	url_bad(url,
		"plain http is allowed on this machine only (127.0.0.1, ::1, "
		"localhost)",
		e);
	err_fix(e, "use https://");
	return false;
}

void url_param(struct sbuf *url, const char *name, const char *value)
{
	sbuf_addc(url, strchr(url->s, '?') ? '&' : '?');
	sbuf_add_url(url, name);
	sbuf_addc(url, '=');
	sbuf_add_url(url, value);
}

/* Cloud Storage documentation, "Bucket naming" and "Object naming". */
bool url_of_object(
	const char *text, struct arena *a, const char **bucket, const char **name)
{
	const char *begin = text + strlen("gs://"), *slash;

	if (!str_starts(text, "gs://"))
		return false;
	slash = strchr(begin, '/');
	if (!slash || slash - begin < 3 || slash - begin > 222 || !slash[1] ||
		strlen(slash + 1) > MAX_OBJECT_NAME || str_ends(slash, "/"))
		return false;
	if (strspn(begin, "abcdefghijklmnopqrstuvwxyz0123456789-_.") !=
		(size_t)(slash - begin))
		return false;
	for (const char *p = slash; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f || strchr("#[]*?", *p))
			return false;
	*bucket = arena_strndup(a, begin, (size_t)(slash - begin));
	*name = arena_strdup(a, slash + 1);
	return true;
}
