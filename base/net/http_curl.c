/* One attempt of a request as a libcurl easy handle: limits that libcurl does not enforce are
 * enforced in the callbacks here. */
#include "base/net/http_internal.h"

#include "base/url/netguard.h"
#include "base/str.h"
#include "base/url/url.h"

#include <ctype.h>
#include <errno.h>
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

_Static_assert(sizeof(((struct http_priv *)0)->errbuf) >= CURL_ERROR_SIZE,
	"libcurl writes up to CURL_ERROR_SIZE bytes");

#define LOW_SPEED_BYTES 100L
#define URL_SHOWN 200 /* characters of a query that messages show */
#define URL_ROOM 900

/* ---- callbacks ----------------------------------------------------------- */

/* CURLOPT_MAXFILESIZE checks only Content-Length: a gzip bomb or an endless chunked body passes it.
 * This callback counts the bytes after decoding. */
static size_t attempt_on_body(char *data, size_t size, size_t n, void *arg)
{
	struct http_priv *p = arg;
	long status = 0;

	if (p->r->download)
		curl_easy_getinfo(p->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status >= 200 && status < 300) {
		p->downloaded += (int64_t)(size * n);
		p->body_over = p->downloaded > p->r->max_download;
		return p->body_over ? 0 : size * fwrite(data, size, n, p->r->download);
	}

	if (!sbuf_add(&p->r->resp, data, size * n)) {
		p->body_over = true;
		return 0;
	}
	return size * n;
}

static void attempt_copy_value(char *out, size_t room, const char *value, size_t len)
{
	while (len && isspace((unsigned char)*value)) {
		value++;
		len--;
	}
	while (len && isspace((unsigned char)value[len - 1]))
		len--;
	if (len >= room)
		len = room - 1;
	memcpy(out, value, len);
	out[len] = '\0';
}

static void attempt_forget_headers(struct http_priv *p)
{
	p->retry_after[0] = '\0';
	p->r->content_type[0] = '\0';
	p->r->metadata_flavor[0] = '\0';
	p->r->generation[0] = '\0';
	p->r->date = TS_NONE;
}

static size_t attempt_on_header(char *line, size_t size, size_t n, void *arg)
{
	struct http_priv *p = arg;
	size_t len = size * n;
	const char *colon = memchr(line, ':', len);
	char name[32] = "", date[64];
	size_t rest;

	p->header_bytes += len;
	if (p->header_bytes > HTTP_MAX_HEADERS) {
		p->headers_over = true;
		return 0;
	}
	if (len > 5 && memcmp(line, "HTTP/", 5) == 0)
		attempt_forget_headers(p); /* earlier ones belonged to a 1xx answer */
	if (!colon)
		return len;
	attempt_copy_value(name, sizeof(name), line, (size_t)(colon - line));
	rest = len - (size_t)(colon + 1 - line);
	if (str_ieq(name, "Content-Type"))
		attempt_copy_value(
			p->r->content_type, sizeof(p->r->content_type), colon + 1, rest);
	else if (str_ieq(name, "Metadata-Flavor"))
		attempt_copy_value(p->r->metadata_flavor, sizeof(p->r->metadata_flavor),
			colon + 1, rest);
	else if (str_ieq(name, "X-Goog-Generation"))
		attempt_copy_value(
			p->r->generation, sizeof(p->r->generation), colon + 1, rest);
	else if (str_ieq(name, "Retry-After"))
		attempt_copy_value(p->retry_after, sizeof(p->retry_after), colon + 1, rest);
	else if (str_ieq(name, "Date")) {
		attempt_copy_value(date, sizeof(date), colon + 1, rest);
		if (!http_date_parse(date, &p->r->date))
			p->r->date = TS_NONE;
	}
	return len;
}

/* This is the address of the actual connection, independent of the name. */
static curl_socket_t attempt_on_socket(
	void *arg, curlsocktype purpose, struct curl_sockaddr *a)
{
	struct http_priv *p = arg;
	struct url u = {0};

	(void)purpose;
	p->refused = !net_address_allowed(&a->addr, p->r->allow_private) ||
		(net_address_is_loopback(&a->addr) &&
			!(url_parse(p->url, &u, NULL) == E_OK && url_is_loopback(&u)));
	if (p->refused)
		return CURL_SOCKET_BAD;
	return socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
}

/* ---- starting ------------------------------------------------------------ */

void curl_one_line(char *s)
{
	for (; *s; s++)
		if (iscntrl((unsigned char)*s))
			*s = ' ';
}

/* The system's authorities: $SSL_CERT_FILE, or where distributions keep them. NULL: libcurl's default. */
static const char *system_authorities(void)
{
	static const char *const files[] = {
		"/etc/ssl/certs/ca-certificates.crt", /* Debian, Arch, Alpine */
		"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", /* Fedora */
		"/etc/ssl/ca-bundle.pem",                            /* openSUSE */
		"/etc/ssl/cert.pem"};
	const char *file = getenv("SSL_CERT_FILE");

	if (file && *file)
		return file;
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		if (!access(files[i], R_OK))
			return files[i];
	return NULL;
}

CURLcode curl_set_trust(CURL *c, const char *proxy, const char *ca_file)
{
	CURLcode rc = CURLE_OK;

	SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	SET(CURLOPT_SSL_VERIFYPEER, 1L);
	SET(CURLOPT_SSL_VERIFYHOST, 2L);
	/* An empty string also keeps libcurl from reading the environment. */
	SET(CURLOPT_PROXY, proxy ? proxy : "");
	SET(CURLOPT_NOPROXY, "");
	if (!ca_file)
		ca_file = system_authorities();
	if (ca_file)
		SET(CURLOPT_CAINFO, ca_file);
	return rc;
}

static CURLcode attempt_set_callbacks(CURL *c, struct http_priv *p)
{
	CURLcode rc = CURLE_OK;

	SET(CURLOPT_PRIVATE, (void *)p);
	SET(CURLOPT_ERRORBUFFER, p->errbuf);
	SET(CURLOPT_WRITEFUNCTION, attempt_on_body);
	SET(CURLOPT_WRITEDATA, (void *)p);
	SET(CURLOPT_HEADERFUNCTION, attempt_on_header);
	SET(CURLOPT_HEADERDATA, (void *)p);
	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_NOPROGRESS, 1L);
	return rc;
}

static CURLcode attempt_set_limits(CURL *c, const struct http_priv *p)
{
	const struct http_opts *o = &p->h->o;
	CURLcode rc = CURLE_OK;

	SET(CURLOPT_CONNECTTIMEOUT_MS, o->connect_timeout_ms);
	SET(CURLOPT_TIMEOUT_MS,
		p->r->total_timeout_ms ? p->r->total_timeout_ms : o->total_timeout_ms);
	SET(CURLOPT_LOW_SPEED_LIMIT, LOW_SPEED_BYTES);
	SET(CURLOPT_LOW_SPEED_TIME, o->low_speed_s);
	/* A name lookup cannot be cancelled: without this option, an abort waits for it, and so
	 * does everything else. It ends by itself. */
	SET(CURLOPT_QUICK_EXIT, 1L);
	/* Detect closed unused connections before a request uses one. */
	SET(CURLOPT_TCP_KEEPALIVE, 1L);
	/* libcurl repeats a request by itself when a kept connection turns out to be dead, even a
	 * POST: a request that must not arrive twice gets a new connection. */
	SET(CURLOPT_FRESH_CONNECT, p->r->idempotent ? 0L : 1L);
	return rc;
}

/* A connection that another request may have been permitted to make is not reused. */
static CURLcode attempt_set_guard(CURL *c, struct http_priv *p, bool through_proxy)
{
	CURLcode rc = CURLE_OK;

	if (!p->h->o.guard || through_proxy)
		return CURLE_OK;
	SET(CURLOPT_FRESH_CONNECT, 1L);
	SET(CURLOPT_FORBID_REUSE, 1L);
	SET(CURLOPT_OPENSOCKETFUNCTION, attempt_on_socket);
	SET(CURLOPT_OPENSOCKETDATA, (void *)p);
	return rc;
}

static CURLcode attempt_set_security(CURL *c, struct http_priv *p)
{
	const struct http_opts *o = &p->h->o;
	struct url u = {0};
	const char *ca_file = p->ca_file ? p->ca_file : o->ca_file;
	bool direct, https;
	CURLcode rc = CURLE_OK;

	if (url_parse(p->url, &u, NULL) != E_OK)
		return CURLE_URL_MALFORMAT;
	https = u.https;
	direct = url_is_loopback(&u) || str_eq(u.host, p->plain_host);
	SET(CURLOPT_PROTOCOLS_STR, https ? "https" : "http");
	SET(CURLOPT_FOLLOWLOCATION, 0L);
	SET(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
	SET(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	if (rc == CURLE_OK)
		rc = curl_set_trust(c, direct ? NULL : o->proxy, ca_file);
	if (p->username) {
		SET(CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
		SET(CURLOPT_USERNAME, p->username);
		SET(CURLOPT_PASSWORD, p->password ? p->password : "");
	}
	SET(CURLOPT_HTTP_VERSION,
		https ? (long)CURL_HTTP_VERSION_2TLS : (long)CURL_HTTP_VERSION_1_1);
	SET(CURLOPT_PIPEWAIT, https && p->r->idempotent ? 1L : 0L);
	return rc == CURLE_OK ? attempt_set_guard(c, p, !direct && o->proxy) : rc;
}

/* libcurl sends a body again after a connection that turned out to be closed. */
static int attempt_on_seek(void *arg, curl_off_t offset, int origin)
{
	return fseeko(arg, offset, origin) ? CURL_SEEKFUNC_FAIL : CURL_SEEKFUNC_OK;
}

static CURLcode attempt_set_body(CURL *c, const struct http_priv *p)
{
	bool post = str_eq(p->method, "POST");
	CURLcode rc = CURLE_OK;

	if (p->r->upload) {
		rewind(p->r->upload);
		SET(CURLOPT_POST, 1L);
		SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)p->r->upload_size);
		SET(CURLOPT_READDATA, (void *)p->r->upload);
		SET(CURLOPT_SEEKFUNCTION, attempt_on_seek);
		SET(CURLOPT_SEEKDATA, (void *)p->r->upload);
	} else if (post || p->body) {
		SET(CURLOPT_POST, 1L);
		SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)p->body_len);
		SET(CURLOPT_POSTFIELDS, p->body ? p->body : "");
	}
	if (!post && !str_eq(p->method, "GET"))
		SET(CURLOPT_CUSTOMREQUEST, p->method);
	return rc;
}

static CURLcode attempt_set_request(CURL *c, struct http_priv *p)
{
	struct curl_slist *list = NULL, *more;
	bool has_type = false;
	CURLcode rc = CURLE_OK;

	for (char **h = p->headers; h && *h; h++) {
		has_type = has_type || strncasecmp(*h, "Content-Type:", 13) == 0;
		more = curl_slist_append(list, *h);
		list = more ? more : list;
		rc = more ? rc : CURLE_OUT_OF_MEMORY;
	}
	/* No waiting for "100 Continue", and no default type for an empty body. */
	more = curl_slist_append(list, "Expect:");
	list = more ? more : list;
	if (!has_type) {
		more = curl_slist_append(list, "Content-Type:");
		list = more ? more : list;
	}
	p->slist = list;
	SET(CURLOPT_URL, p->url);
	SET(CURLOPT_USERAGENT, p->h->o.user_agent);
	SET(CURLOPT_ACCEPT_ENCODING, "gzip");
	SET(CURLOPT_HTTPHEADER, list);
	return rc == CURLE_OK ? attempt_set_body(c, p) : rc;
}

/* The URL as messages show it. */
static const char *attempt_shown(const struct http_priv *p, char out[URL_ROOM])
{
	size_t path = strcspn(p->url, "?"), len = strlen(p->url);

	_Static_assert(URL_ROOM >= URL_SHOWN_HOST, "a host fits");
	if (p->r->secret_url)
		return url_show_host(p->url, out);
	len = len > path + URL_SHOWN ? path + URL_SHOWN : len;
	snprintf(out, URL_ROOM, "%.*s", (int)len, p->url);
	return out;
}

enum err_code http_attempt_start(struct http_priv *p, struct err *e)
{
	char url[URL_ROOM];
	CURL *c = curl_easy_init();
	CURLcode rc = c ? CURLE_OK : CURLE_OUT_OF_MEMORY;

	p->easy = c;
	p->header_bytes = 0;
	p->body_over = p->headers_over = p->refused = false;
	p->downloaded = 0;
	if (p->r->download &&
		(fflush(p->r->download) || ftruncate(fileno(p->r->download), 0)))
		return err_sys(e, E_IO, errno, "empty a file for a download");
	if (p->r->download)
		rewind(p->r->download);
	p->errbuf[0] = '\0';
	sbuf_done(&p->r->resp);
	p->r->resp = SBUF_MAX(p->r->max_body ? p->r->max_body : HTTP_MAX_BODY);
	p->r->status = 0;
	p->r->retry_after = -1;
	attempt_forget_headers(p);
	if (rc == CURLE_OK)
		rc = attempt_set_callbacks(c, p);
	if (rc == CURLE_OK)
		rc = attempt_set_limits(c, p);
	if (rc == CURLE_OK)
		rc = attempt_set_security(c, p);
	if (rc == CURLE_OK)
		rc = attempt_set_request(c, p);
	if (rc == CURLE_OK && curl_multi_add_handle(p->h->multi, c) == CURLM_OK)
		return E_OK;
	http_attempt_drop(p);
	return err_set(e, E_BUG, "%s %s: libcurl: %s", p->method, attempt_shown(p, url),
		curl_easy_strerror(rc ? rc : CURLE_FAILED_INIT));
}

void http_attempt_drop(struct http_priv *p)
{
	if (p->easy) {
		curl_multi_remove_handle(p->h->multi, p->easy);
		curl_easy_cleanup(p->easy);
	}
	curl_slist_free_all(p->slist);
	p->easy = NULL;
	p->slist = NULL;
}

/* ---- ending -------------------------------------------------------------- */

static const struct {
	CURLcode rc;
	enum http_fault fault;
	const char *why; /* NULL = libcurl's message */
} faults[] = {
	{CURLE_COULDNT_RESOLVE_HOST, FAULT_CONNECT, "host name not found"},
	{CURLE_COULDNT_RESOLVE_PROXY, FAULT_CONNECT, "proxy: host name not found"},
	{CURLE_COULDNT_CONNECT, FAULT_CONNECT, "could not connect"},
	{CURLE_SSL_CONNECT_ERROR, FAULT_CONNECT, NULL},
	{CURLE_PEER_FAILED_VERIFICATION, FAULT_FINAL, NULL},
	{CURLE_SSL_CACERT_BADFILE, FAULT_FINAL, NULL},
	{CURLE_OPERATION_TIMEDOUT, FAULT_BROKEN, "timed out"},
	{CURLE_SEND_ERROR, FAULT_BROKEN, "connection broke while sending"},
	{CURLE_RECV_ERROR, FAULT_BROKEN, "connection broke while receiving"},
	{CURLE_GOT_NOTHING, FAULT_BROKEN, "the server closed without an answer"},
	{CURLE_PARTIAL_FILE, FAULT_BROKEN, "the answer was cut short"},
	{CURLE_HTTP2, FAULT_BROKEN, NULL},
	{CURLE_HTTP2_STREAM, FAULT_BROKEN, NULL},
	{CURLE_BAD_CONTENT_ENCODING, FAULT_GARBLED, "the answer's compression is damaged"},
	{CURLE_WEIRD_SERVER_REPLY, FAULT_GARBLED, "the answer is not HTTP"},
	{CURLE_UNSUPPORTED_PROTOCOL, FAULT_GARBLED, "the answer is not HTTP"},
};

static const char *attempt_fault_fix(CURLcode rc)
{
	if (rc == CURLE_COULDNT_RESOLVE_HOST)
		return "check the network connection and DNS";
	if (rc == CURLE_PEER_FAILED_VERIFICATION)
		return "check this machine's clock and its CA certificates";
	return NULL;
}

/* "connection refused" is more precise than "could not connect". */
static const char *attempt_connect_reason(CURL *c, const char *why, char *buf, size_t room)
{
	long errnum = 0;

	if (curl_easy_getinfo(c, CURLINFO_OS_ERRNO, &errnum) != CURLE_OK || errnum <= 0)
		return why;
	snprintf(buf, room, "%s", strerror((int)errnum));
	buf[0] = (char)tolower((unsigned char)buf[0]);
	return buf;
}

/* Was any of the request written to the connection? */
static bool attempt_request_left(CURL *c)
{
	long bytes = 0;

	return curl_easy_getinfo(c, CURLINFO_REQUEST_SIZE, &bytes) != CURLE_OK || bytes > 0;
}

/* A tunnel that a proxy refused appears as a broken connection. */
static const char *attempt_proxy_reason(CURL *c, const char *why, char *buf, size_t room)
{
	long status = 0;

	if (curl_easy_getinfo(c, CURLINFO_HTTP_CONNECTCODE, &status) != CURLE_OK ||
		status < 300)
		return why;
	snprintf(buf, room, "the proxy refused: HTTP %ld", status);
	return buf;
}

static enum http_fault attempt_fail_limit(struct http_priv *p)
{
	char url[URL_ROOM];

	err_set(&p->r->err, E_LIMIT, "%s %s: %s larger than %zu bytes", p->method,
		attempt_shown(p, url), p->body_over ? "answer" : "answer's header",
		p->body_over ? p->r->resp.max : (size_t)HTTP_MAX_HEADERS);
	return FAULT_LIMIT;
}

static enum http_fault attempt_fail_net(struct http_priv *p, CURLcode rc)
{
	/* A failure that is not listed may have occurred before or after the request. */
	enum http_fault fault = attempt_request_left(p->easy) ? FAULT_GARBLED : FAULT_FINAL;
	const char *why = NULL, *fix = attempt_fault_fix(rc);
	char buf[128], url[URL_ROOM];

	for (size_t i = 0; i < ARRAY_LEN(faults); i++)
		if (faults[i].rc == rc) {
			fault = faults[i].fault;
			why = faults[i].why;
		}
	if (rc == CURLE_COULDNT_CONNECT)
		why = attempt_connect_reason(p->easy, why, buf, sizeof(buf));
	if (rc == CURLE_RECV_ERROR)
		why = attempt_proxy_reason(p->easy, why, buf, sizeof(buf));
	if (fault == FAULT_BROKEN && !attempt_request_left(p->easy)) {
		fault = FAULT_CONNECT;
		if (rc == CURLE_OPERATION_TIMEDOUT)
			why = "timed out while connecting";
	}
	curl_one_line(p->errbuf);
	if (!why)
		why = p->errbuf[0] ? p->errbuf : curl_easy_strerror(rc);
	if (p->refused && rc == CURLE_COULDNT_CONNECT) {
		fault = FAULT_FINAL;
		why = "sending to its address is not allowed";
		fix = p->r->allow_private
			? NULL
			: "set allow_private: true if it is in a private network";
	}
	err_set(&p->r->err, E_NET, "%s %s: %s", p->method, attempt_shown(p, url), why);
	if (fix)
		err_fix(&p->r->err, "%s", fix);
	return fault;
}

enum http_fault http_attempt_end(struct http_priv *p, int code)
{
	CURLcode rc = (CURLcode)code;
	enum http_fault fault = FAULT_NONE;
	long status = 0;

	if (p->body_over || p->headers_over)
		fault = attempt_fail_limit(p);
	else if (rc != CURLE_OK)
		fault = attempt_fail_net(p, rc);
	else if (curl_easy_getinfo(p->easy, CURLINFO_RESPONSE_CODE, &status) != CURLE_OK ||
		status < 200)
		fault = attempt_fail_net(p, CURLE_WEIRD_SERVER_REPLY);
	p->r->status = status;
	http_attempt_drop(p);
	return fault;
}
