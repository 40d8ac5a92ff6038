#include "base/net/smtp.h"

#include "base/net/http_internal.h"
#include "base/url/address.h"
#include "base/url/netguard.h"
#include "base/sbuf.h"
#include "base/str.h"

#include <ctype.h>
#include <curl/curl.h>
#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define DEFAULT_CONNECT_MS 10000
#define DEFAULT_WAIT_MS 30000
#define DEFAULT_TOTAL_MS 120000
#define GOODBYE_MS 1000 /* the answer to QUIT no longer matters */
#define LINE_MAX_BYTES 512

/* Progress of the session: the last command sent. */
enum stage {
	CONNECTING,
	GREETED, /* the server spoke first */
	HELLO,
	STARTTLS,
	LOGIN,
	SENDER,
	RECIPIENT,
	DATA,
	BODY,
};

struct session {
	const struct smtp_opts *o;
	const struct smtp_mail *m;
	struct mail_server server;
	CURL *c;
	enum stage stage;
	bool goodbye; /* QUIT was sent: later replies belong to no command */
	bool secure;  /* replies of the server are authenticated from now on */
	size_t at;    /* of the mail */
	bool ended; /* libcurl has reached the end of the data: the last dot may be sent */
	bool answered;
	int code;
	char line[LINE_MAX_BYTES];
	size_t size_limit;
	bool too_large, address_refused;
	int64_t started_ms, last_ms; /* monotonic */
	bool connected;
	const char *gave_up; /* message of an exceeded limit */
	char errbuf[CURL_ERROR_SIZE];
};

/* ---- commands ----------------------------------------------------------------------------- */

static int64_t smtp_now_ms(const struct session *s)
{
	return clock_mono_ms(s->o->clock);
}

static enum stage smtp_stage_of(const char *command, size_t len, enum stage before)
{
	static const struct {
		const char *verb;
		enum stage stage;
	} verbs[] = {
		{"EHLO ", HELLO},
		{"HELO ", HELLO},
		{"STARTTLS", STARTTLS},
		{"AUTH ", LOGIN},
		{"MAIL ", SENDER},
		{"RCPT ", RECIPIENT},
		{"DATA", DATA},
	};

	/* The lines of a login are base64; a line that matches a verb would contain control
	 * characters. */
	for (size_t i = 0; i < ARRAY_LEN(verbs); i++) {
		size_t n = strlen(verbs[i].verb);

		if (len >= n && !memcmp(command, verbs[i].verb, n) &&
			(verbs[i].verb[n - 1] == ' ' || len == n || command[n] == '\r'))
			return verbs[i].stage;
	}
	return before;
}

/* Only the kind of command is examined: a login must not be stored anywhere. */
static int smtp_on_traffic(CURL *c, curl_infotype type, char *data, size_t len, void *arg)
{
	struct session *s = arg;

	(void)c;
	if (type == CURLINFO_HEADER_OUT) {
		s->goodbye = s->goodbye || (len >= 4 && !memcmp(data, "QUIT", 4));
		s->stage = smtp_stage_of(data, len, s->stage);
		s->last_ms = smtp_now_ms(s);
	}
	return 0;
}

/* "250-SIZE 35882577"; without a number or with 0 the limit is unknown. */
static void smtp_read_size(struct session *s, const char *line)
{
	char digits[20] = "";
	int64_t limit;
	size_t n;

	if (strncasecmp(line + 4, "SIZE ", 5) != 0)
		return;
	n = strspn(line + 9, "0123456789");
	if (n >= sizeof(digits))
		return;
	memcpy(digits, line + 9, n);
	if (str_to_i64(digits, 1, INT64_MAX, &limit) && (uint64_t)limit < s->m->len) {
		s->too_large = true;
		s->size_limit = (size_t)limit;
	}
}

static bool smtp_is_reply(const char *line)
{
	return isdigit((unsigned char)line[0]) && isdigit((unsigned char)line[1]) &&
		isdigit((unsigned char)line[2]) && (line[3] == ' ' || !line[3]);
}

/* Called for every line of the server. */
static size_t smtp_on_line(char *data, size_t size, size_t n, void *arg)
{
	struct session *s = arg;
	size_t len = size * n, keep = len;

	s->last_ms = smtp_now_ms(s);
	if (s->goodbye)
		return len;
	if (s->stage == CONNECTING)
		s->stage = GREETED;
	if (keep >= sizeof(s->line))
		keep = sizeof(s->line) - 1;
	memcpy(s->line, data, keep);
	while (keep && (s->line[keep - 1] == '\n' || s->line[keep - 1] == '\r'))
		keep--;
	s->line[keep] = '\0';
	if (s->stage == HELLO && s->secure && strlen(s->line) > 4)
		smtp_read_size(s, s->line);
	if (s->too_large)
		return 0;
	if (smtp_is_reply(s->line)) {
		s->code = (int)strtol(s->line, NULL, 10);
		s->answered = s->ended;
		s->secure = s->secure || s->stage == STARTTLS;
	}
	return len;
}

static size_t smtp_on_read(char *out, size_t size, size_t n, void *arg)
{
	struct session *s = arg;
	size_t len = s->m->len - s->at;

	if (len > size * n)
		len = size * n;
	s->stage = BODY;
	s->last_ms = smtp_now_ms(s);
	memcpy(out, s->m->data + s->at, len);
	s->at += len;
	s->ended = len == 0;
	return len;
}

/* ---- limits ------------------------------------------------------------------------------- */

static long smtp_or_default(long v, long otherwise)
{
	return v > 0 ? v : otherwise;
}

/* Called about once a second, and on every event. libcurl counts the greeting and everything before
 * the mail as connecting; once connected, other limits apply. */
static int smtp_on_progress(
	void *arg, curl_off_t a, curl_off_t b, curl_off_t d, curl_off_t u)
{
	struct session *s = arg;
	long total = smtp_or_default(s->o->total_ms, DEFAULT_TOTAL_MS);
	curl_off_t connect_us = 0;
	int64_t now = smtp_now_ms(s);

	(void)a, (void)b, (void)d, (void)u;
	if (!s->connected &&
		curl_easy_getinfo(s->c, CURLINFO_CONNECT_TIME_T, &connect_us) == CURLE_OK &&
		connect_us > 0) {
		s->connected = true;
		s->last_ms = now;
		curl_easy_setopt(s->c, CURLOPT_CONNECTTIMEOUT_MS, total);
	}
	if (s->goodbye)
		return now - s->last_ms >= GOODBYE_MS;
	if (now - s->started_ms >= total)
		s->gave_up = "it takes too long";
	else if (s->connected &&
		now - s->last_ms >= smtp_or_default(s->o->wait_ms, DEFAULT_WAIT_MS))
		s->gave_up = "the server does not respond";
	return s->gave_up != NULL;
}

/* The address is checked, not the name. */
static curl_socket_t smtp_on_socket(
	void *arg, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct session *s = arg;
	int type = address->socktype | SOCK_CLOEXEC;

	(void)purpose;
	if (!net_address_allowed(&address->addr, s->o->allow_private) ||
		(s->o->plain && !net_address_is_loopback(&address->addr))) {
		s->address_refused = true;
		return CURL_SOCKET_BAD;
	}
	return socket(address->family, type, address->protocol);
}

/* ---- options ------------------------------------------------------------------------------ */

static CURLcode smtp_set_callbacks(CURL *c, struct session *s)
{
	CURLcode rc = CURLE_OK;

	SET(CURLOPT_ERRORBUFFER, s->errbuf);
	SET(CURLOPT_HEADERFUNCTION, smtp_on_line);
	SET(CURLOPT_HEADERDATA, (void *)s);
	SET(CURLOPT_WRITEFUNCTION, smtp_on_line);
	SET(CURLOPT_WRITEDATA, (void *)s);
	SET(CURLOPT_READFUNCTION, smtp_on_read);
	SET(CURLOPT_READDATA, (void *)s);
	SET(CURLOPT_XFERINFOFUNCTION, smtp_on_progress);
	SET(CURLOPT_XFERINFODATA, (void *)s);
	SET(CURLOPT_OPENSOCKETFUNCTION, smtp_on_socket);
	SET(CURLOPT_OPENSOCKETDATA, (void *)s);
	/* With a callback, libcurl prints nothing. */
	SET(CURLOPT_DEBUGFUNCTION, smtp_on_traffic);
	SET(CURLOPT_DEBUGDATA, (void *)s);
	SET(CURLOPT_VERBOSE, 1L);
	return rc;
}

static CURLcode smtp_set_limits(CURL *c, const struct session *s)
{
	const struct smtp_opts *o = s->o;
	CURLcode rc = CURLE_OK;

	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_NOPROGRESS, 0L);
	SET(CURLOPT_CONNECTTIMEOUT_MS, smtp_or_default(o->connect_ms, DEFAULT_CONNECT_MS));
	SET(CURLOPT_TIMEOUT_MS, smtp_or_default(o->total_ms, DEFAULT_TOTAL_MS));
	SET(CURLOPT_SERVER_RESPONSE_TIMEOUT,
		smtp_or_default(o->wait_ms, DEFAULT_WAIT_MS) / 1000 + 1);
	/* A name lookup cannot be cancelled: without this option, an abort waits for it. */
	SET(CURLOPT_QUICK_EXIT, 1L);
	/* The connection ends with this mail, by the limits here and not by libcurl's. */
	SET(CURLOPT_FRESH_CONNECT, 1L);
	SET(CURLOPT_FORBID_REUSE, 1L);
	return rc;
}

static CURLcode smtp_set_security(CURL *c, const struct session *s)
{
	const struct smtp_opts *o = s->o;
	CURLcode rc = CURLE_OK;

	SET(CURLOPT_PROTOCOLS_STR, s->server.tls ? "smtps" : "smtp");
	SET(CURLOPT_USE_SSL, o->plain ? (long)CURLUSESSL_NONE : (long)CURLUSESSL_ALL);
	if (rc == CURLE_OK)
		rc = curl_set_trust(c, NULL, o->ca_file);
	if (o->username && o->password) {
		SET(CURLOPT_USERNAME, o->username);
		SET(CURLOPT_PASSWORD, o->password);
		/* libcurl would prefer Kerberos and NTLM where they are offered, and would not
		 * continue with a password when they fail. */
		SET(CURLOPT_LOGIN_OPTIONS, "AUTH=PLAIN;AUTH=LOGIN;AUTH=CRAM-MD5");
	}
	return rc;
}

static CURLcode smtp_set_mail(CURL *c, struct session *s, struct curl_slist **list)
{
	cleanup(sbuf_done) struct sbuf url = SBUF_INIT;
	bool v6 = strchr(s->server.host, ':') != NULL;
	CURLcode rc = CURLE_OK;

	sbuf_addf(&url, "%s://%s%s%s:%d/%s", s->server.tls ? "smtps" : "smtp",
		v6 ? "[" : "", s->server.host, v6 ? "]" : "", s->server.port, s->o->hello);
	*list = curl_slist_append(NULL, s->m->to);
	SET(CURLOPT_URL, url.s);
	SET(CURLOPT_MAIL_FROM, s->m->from);
	SET(CURLOPT_MAIL_RCPT, *list);
	SET(CURLOPT_UPLOAD, 1L);
	/* The size is not announced: libcurl 7.88 compares it with the bytes sent, including added
	 * dots, and stops when they are equal, which can be before the end. */
	return *list ? rc : CURLE_OUT_OF_MEMORY;
}

/* ---- result ------------------------------------------------------------------------------- */

static enum smtp_end smtp_end_of_reply(const struct session *s)
{
	int kind = s->code / 100;

	if (s->ended && s->answered)
		return kind == 2    ? SMTP_ACCEPTED
			: kind == 4 ? SMTP_LATER
			: kind == 5 ? SMTP_REFUSED
				    : SMTP_UNCLEAR;
	if (s->ended)
		return SMTP_UNCLEAR;
	if (s->code == 530 || s->code == 534 || s->code == 535 || s->code == 538)
		return SMTP_NO_LOGIN;
	if (kind == 4)
		return SMTP_LATER;
	if (kind != 5 || s->stage == STARTTLS)
		return SMTP_NOT_SENT;
	if (s->stage == LOGIN)
		return SMTP_NO_LOGIN;
	/* A greeting of 554 refers to this server or the client's address, not to this mail. */
	return s->stage <= HELLO ? SMTP_LATER : SMTP_REFUSED;
}

static const struct {
	CURLcode rc;
	const char *why, *fix; /* NULL: libcurl's message */
} smtp_faults[] = {
	{CURLE_COULDNT_RESOLVE_HOST, "host name not found",
		"check the network connection, DNS and the name in `smtp`"},
	{CURLE_COULDNT_CONNECT, "could not connect",
		"check the host and the port in `smtp`: networks of clouds block port 25, "
		"but usually not 465 and 587"},
	{CURLE_PEER_FAILED_VERIFICATION, NULL,
		"check the host name in `smtp`, this machine's clock and CA certificates; "
		"set `ca_file` for a private authority"},
	{CURLE_SSL_CACERT_BADFILE, NULL, "check `ca_file`: it must be a PEM file"},
	{CURLE_SSL_CONNECT_ERROR, NULL,
		"smtps:// is for port 465, smtp:// for 587: check `smtp`"},
	{CURLE_USE_SSL_FAILED, "the server offers no TLS (STARTTLS), so nothing was sent",
		"write smtps:// (port 465) if the server supports it, or ask its operator"},
	{CURLE_OPERATION_TIMEDOUT, "timed out", NULL},
	{CURLE_SEND_ERROR, "the connection broke", NULL},
	{CURLE_RECV_ERROR, "the connection broke", NULL},
	{CURLE_LOGIN_DENIED, "the server supports no login with a password", NULL},
	{CURLE_WEIRD_SERVER_REPLY, "the server does not speak SMTP", NULL},
};

static void smtp_say_fault(const struct session *s, CURLcode rc, struct err *e)
{
	const char *why = s->errbuf[0] ? s->errbuf : curl_easy_strerror(rc), *fix = NULL;

	for (size_t i = 0; i < ARRAY_LEN(smtp_faults); i++)
		if (smtp_faults[i].rc == rc) {
			why = smtp_faults[i].why ? smtp_faults[i].why : why;
			fix = smtp_faults[i].fix;
		}
	if (s->gave_up)
		why = s->gave_up;
	if (s->address_refused) {
		why = "its address is private or reserved: nothing is sent there";
		fix = "set allow_private: true if it is a server of your own network";
	}
	if (s->ended)
		why = "the connection broke before the server confirmed the mail";
	err_set(e, E_NET, "mail server %s:%d: %s", s->server.host, s->server.port, why);
	if (fix)
		err_fix(e, "%s", fix);
}

/* A server can echo the client's text. */
static bool smtp_has_secret(const struct session *s, const char *line)
{
	const char *user = s->o->username ? s->o->username : "", *word = s->o->password;
	cleanup(sbuf_done) struct sbuf both = SBUF_INIT;
	char *forms[2];
	bool found = false;

	if (!word || !*word)
		return false;
	sbuf_add(&both, "", 1);
	sbuf_adds(&both, user);
	sbuf_add(&both, "", 1);
	sbuf_adds(&both, word);
	forms[0] = g_base64_encode((const guchar *)word, strlen(word));
	forms[1] = g_base64_encode((const guchar *)both.s, both.len);
	found = strstr(line, word) != NULL;
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		found = found || strstr(line, forms[i]);
		explicit_bzero(forms[i], strlen(forms[i]));
		g_free(forms[i]);
	}
	explicit_bzero(both.s, both.len);
	return found;
}

static void smtp_say_reply(const struct session *s, struct smtp_result *out)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	size_t n;

	if (smtp_has_secret(s, s->line))
		sbuf_addf(&b, "%d (the rest is not shown: it contains the password)",
			s->code);
	else
		sbuf_add_term(&b, s->line);
	n = utf8_fit(b.s, SMTP_REPLY_MAX);
	memcpy(out->reply, b.s, n);
	out->reply[n] = '\0';
	out->code = s->code;
}

static void smtp_conclude(struct session *s, CURLcode rc, struct smtp_result *out)
{
	static const struct {
		const char *what, *fix;
	} parts[] = {
		[GREETED] = {"rejects the connection", NULL},
		[HELLO] = {"rejects the connection", NULL},
		[STARTTLS] = {"does not begin TLS", NULL},
		[LOGIN] = {"refuses the login", NULL},
		[SENDER] = {"refuses the sender",
			"check `from`: many servers let users send only from their own "
			"address"},
		[RECIPIENT] = {"refuses the recipient", "check the address in `to`"},
		[DATA] = {"refuses the mail", NULL},
		[BODY] = {"refuses the mail", NULL},
	};
	struct err *e = &out->err;

	curl_one_line(s->errbuf);
	smtp_say_reply(s, out);
	out->end = smtp_end_of_reply(s);
	if (out->end == SMTP_ACCEPTED)
		return;
	if (s->too_large) {
		out->end = SMTP_TOO_LARGE;
		out->size_limit = s->size_limit;
		err_set(e, E_LIMIT,
			"mail server %s:%d: it accepts mails of at most %zu bytes, and "
			"this one has %zu",
			s->server.host, s->server.port, s->size_limit, s->m->len);
		return;
	}
	if (rc == CURLE_LOGIN_DENIED && s->code < 400)
		out->end = SMTP_NO_LOGIN;
	if (s->code < 400 || s->stage == CONNECTING) {
		smtp_say_fault(s, rc, e);
		return;
	}
	err_set(e, out->end == SMTP_NO_LOGIN ? E_AUTH : E_NET, "mail server %s:%d %s: %s",
		s->server.host, s->server.port, parts[s->stage].what, out->reply);
	if (out->end == SMTP_REFUSED && parts[s->stage].fix)
		err_fix(e, "%s", parts[s->stage].fix);
}

static void smtp_run(struct session *s, struct smtp_result *out)
{
	struct curl_slist *list = NULL;
	CURLcode rc = smtp_set_callbacks(s->c, s);

	if (rc == CURLE_OK)
		rc = smtp_set_limits(s->c, s);
	if (rc == CURLE_OK)
		rc = smtp_set_security(s->c, s);
	if (rc == CURLE_OK)
		rc = smtp_set_mail(s->c, s, &list);
	if (rc == CURLE_OK)
		rc = curl_easy_perform(s->c);
	smtp_conclude(s, rc, out);
	curl_easy_cleanup(s->c);
	curl_slist_free_all(list);
}

void smtp_send(
	const struct smtp_opts *o, const struct smtp_mail *m, struct smtp_result *out)
{
	struct session s = {.o = o, .m = m};

	*out = (struct smtp_result){.end = SMTP_NOT_SENT};
	if (mail_server_parse(o->url, o->plain, &s.server, &out->err))
		return;
	s.secure = s.server.tls || o->plain;
	s.started_ms = s.last_ms = smtp_now_ms(&s);
	unsetenv("SSLKEYLOGFILE");
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK ||
		!(s.c = curl_easy_init())) {
		err_set(&out->err, E_NET, "mail: cannot initialize libcurl");
		return;
	}
	smtp_run(&s, out);
	curl_global_cleanup();
}
