#include "base/url/address.h"

#include "base/sbuf.h"
#include "base/str.h"
#include "base/url/url.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define SHOWN 80 /* bytes of a wrong address that a message shows */

static enum err_code address_bad(const char *text, const char *why, struct err *e)
{
	cleanup(sbuf_done) struct sbuf shown = SBUF_INIT;

	sbuf_add_quoted(&shown, text, SHOWN);
	err_set(e, E_CONFIG, "mail address %s: %s", shown.s, why);
	return err_fix(e, "write it as name@host or Name <name@host>"), E_CONFIG;
}

static bool name_char(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("!#$%&'*+-/=?^_`{|}~", c));
}

static bool address_host_char(char c)
{
	return isalnum((unsigned char)c) || c == '-';
}

/* Words of `ok` characters separated by single dots. */
static bool dotted(const char *s, size_t n, bool (*ok)(char))
{
	bool after_dot = true;

	for (size_t i = 0; i < n; i++) {
		if (s[i] == '.' ? after_dot : !ok(s[i]))
			return false;
		after_dot = s[i] == '.';
	}
	return !after_dot;
}

/* NULL or the problem. */
static const char *check_addr(const char *s, size_t n)
{
	const char *at = memchr(s, '@', n), *encoded = strstr(s, "=?");
	size_t local = at ? (size_t)(at - s) : 0;

	for (size_t i = 0; i < n; i++)
		if ((unsigned char)s[i] >= 0x80)
			return "only ASCII letters are possible here (a host in its "
			       "'xn--' form)";
	if (!at)
		return "the '@' is missing";
	if (n > ADDRESS_MAX || local > ADDRESS_MAX_LOCAL)
		return "it is too long";
	if (*s == '-')
		return "it begins with '-', which programs read as an option";
	/* RFC 2047 5 forbids it, but some servers decode it anyway */
	if (encoded && encoded < at)
		return "'=?' begins an encoded word, which an address cannot have";
	if (!dotted(s, local, name_char))
		return "the part before the '@' is malformed";
	if (!dotted(at + 1, n - local - 1, address_host_char) || at[1] == '-' ||
		s[n - 1] == '-')
		return "the part after the '@' is not a host name";
	return NULL;
}

/* Name before "<", without surrounding blanks and without its quotes. */
static const char *take_name(const char *s, size_t n, char out[ADDRESS_MAX_NAME + 1])
{
	while (n && s[n - 1] == ' ')
		n--;
	if (n >= 2 && s[0] == '"' && s[n - 1] == '"') {
		s++;
		n -= 2;
	}
	if (n > ADDRESS_MAX_NAME)
		return "the name is too long";
	if (!utf8_valid(s, n))
		return "the name is not UTF-8";
	if (memchr(s, '<', n) || memchr(s, '>', n) || memchr(s, '"', n) ||
		memchr(s, '\\', n))
		return "the name contains one of <>\"\\";
	memcpy(out, s, n);
	out[n] = '\0';
	return NULL;
}

/* Includes C1 controls: a mail reader may act on them. */
static bool has_controls(const char *s)
{
	size_t n;

	for (; *s; s += n) {
		uint32_t c = utf8_next(s, &n);

		if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029)
			return true;
	}
	return false;
}

enum err_code mail_address_parse(const char *text, struct mail_address *out, struct err *e)
{
	struct mail_address m = {0};
	const char *open = strrchr(text, '<'), *s = text, *why = NULL;
	size_t n = strlen(text);

	if (has_controls(text))
		return address_bad(
			text, "line ends and control characters are not allowed in it", e);
	if (open) {
		why = take_name(text, (size_t)(open - text), m.name);
		s = open + 1;
		n -= (size_t)(s - text);
		if (!why && (!n || s[n - 1] != '>'))
			why = "'>' must end it";
		n -= n ? 1 : 0;
	}
	if (!why)
		why = check_addr(s, n);
	if (why)
		return address_bad(text, why, e);
	memcpy(m.addr, s, n);
	*out = m;
	return E_OK;
}

enum err_code mail_address_check(const char *text, struct err *e)
{
	struct mail_address m;

	return mail_address_parse(text, &m, e);
}

bool mail_address_same(const char *one, const char *other)
{
	struct mail_address a, b;

	return !mail_address_parse(one, &a, NULL) && !mail_address_parse(other, &b, NULL) &&
		str_ieq(a.addr, b.addr);
}

const char *mail_address_host(const struct mail_address *m)
{
	return str_after_last(m->addr, '@');
}

/* ---- servers ----------------------------------------------------------------------------- */

static enum err_code bad_server(const char *url, const char *why, struct err *e)
{
	cleanup(sbuf_done) struct sbuf shown = SBUF_INIT;

	/* there may be a password before the "@" */
	if (strchr(url, '@'))
		sbuf_adds(&shown, "(with a user name)");
	else
		sbuf_add_quoted(&shown, url, SHOWN);
	err_set(e, E_CONFIG, "mail server %s: %s", shown.s, why);
	return err_fix(e,
		       "write it as smtps://HOST[:PORT], or smtp://HOST[:PORT] for "
		       "STARTTLS"),
	       E_CONFIG;
}

/* Hosts and ports follow the rules of other URLs. */
enum err_code mail_server_parse(
	const char *url, bool plain, struct mail_server *out, struct err *e)
{
	cleanup(sbuf_done) struct sbuf as_http = SBUF_INIT;
	struct mail_server m = {.tls = str_starts(url, "smtps://")};
	const char *rest = url + (m.tls ? 8 : 7), *colon;
	struct err why;
	struct url u;

	if (!m.tls && !str_starts(url, "smtp://"))
		return bad_server(url, "it must begin with smtps:// or smtp://", e);
	sbuf_addf(&as_http, "https://%s", rest);
	if (url_parse(as_http.s, &u, &why))
		return bad_server(url, str_after_last(why.msg, '\'') + 2, e);
	if (*u.path)
		return bad_server(url, "nothing may follow the host and port", e);
	colon = strrchr(rest, ':');
	m.port = u.port;
	if (!colon || strchr(colon, ']'))
		m.port = m.tls ? 465 : 587;
	m.loopback = url_is_loopback(&u);
	snprintf(m.host, sizeof(m.host), "%s", u.host);
	if (plain && m.tls)
		return bad_server(url, "smtps and 'tls: off' contradict each other", e);
	if (plain && !m.loopback)
		return bad_server(
			url, "without TLS only a server on this machine is possible", e);
	*out = m;
	return E_OK;
}
