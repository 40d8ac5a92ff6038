/* HTTP server on libmicrohttpd: limits, checks of requests, headers, and the answers that are kept. */
#include "base/log.h"
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/web/web.h"

#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define OPEN_MOST 128 /* connections; the oldest is closed for one more */
#define OPEN_LIMIT (OPEN_MOST + 16)
#define IDLE_SECONDS 10
#define REQUEST_MS 20000 /* from the first byte of a request to the last of its answer */
#define HEADERS_BYTES 16384
#define KEPT 64 /* answers */
#define KEPT_BYTES (4 * 1024 * 1024)
#define TICK_MS 1000

struct request {
	char *uri; /* as sent */
	bool begun, bad;
	struct web_request r;
};

struct open_connection {
	int fd;           /* -1: not in use */
	int64_t since_ms; /* begin of the connection or end of its last request */
	struct request q; /* the last one */
};

struct kept {
	char *uri;
	struct MHD_Response *response;
};

struct web {
	struct app *app;
	const struct web_socket *socket;
	struct open_connection open[OPEN_LIMIT];
	char stamp[WEB_HASH]; /* of the data and the minute */
	struct kept kept[KEPT];
	size_t n_kept, kept_bytes;
};

/* ---- connections ------------------------------------------------------------------------------- */

/* A client that sends a byte now and then is never idle: it has a limited time all the same. The library closes a
 * connection whose socket is shut down. */
static void close_late(struct web *w)
{
	int64_t now = clock_mono_ms(w->app->clock);

	for (size_t i = 0; i < OPEN_LIMIT; i++)
		if (w->open[i].fd >= 0 && now - w->open[i].since_ms > REQUEST_MS)
			shutdown(w->open[i].fd, SHUT_RDWR);
}

static void make_room(struct web *w)
{
	struct open_connection *oldest = NULL;
	size_t n = 0;

	for (size_t i = 0; i < OPEN_LIMIT; i++) {
		struct open_connection *c = &w->open[i];

		if (c->fd < 0)
			continue;
		n++;
		if (!oldest || c->since_ms < oldest->since_ms)
			oldest = c;
	}
	if (n > OPEN_MOST) {
		shutdown(oldest->fd, SHUT_RDWR);
		oldest->since_ms = INT64_MAX; /* until it is gone */
	}
}

static void end_request(struct request *q)
{
	free(q->uri);
	memset(q, 0, sizeof(*q));
}

static void on_connection(void *cls, struct MHD_Connection *c, void **slot,
	enum MHD_ConnectionNotificationCode code)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		c, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct open_connection *o = *slot;
	struct web *w = cls;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (o) {
			end_request(&o->q);
			o->fd = -1;
		}
		return;
	}
	for (size_t i = 0; info && i < OPEN_LIMIT; i++)
		if (w->open[i].fd < 0) {
			w->open[i] = (struct open_connection){.fd = info->connect_fd,
				.since_ms = clock_mono_ms(w->app->clock)};
			*slot = &w->open[i];
			break;
		}
	make_room(w);
}

/* ---- requests ---------------------------------------------------------------------------------- */

static struct open_connection *open_of(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

/* The connection owns its request: the library does not report the end of every request that it refuses. */
static void *on_uri(void *cls, const char *uri, struct MHD_Connection *c)
{
	struct open_connection *o = open_of(c);

	(void)cls;
	if (!o)
		return NULL;
	end_request(&o->q);
	o->q.uri = xstrdup(uri);
	return &o->q;
}

static void on_completed(void *cls, struct MHD_Connection *c, void **ctx,
	enum MHD_RequestTerminationCode code)
{
	struct open_connection *o = open_of(c);
	struct web *w = cls;

	(void)code;
	if (o)
		o->since_ms = clock_mono_ms(w->app->clock);
	*ctx = NULL;
}

static enum MHD_Result on_arg(void *cls, enum MHD_ValueKind kind, const char *name,
	size_t name_len, const char *value, size_t value_len)
{
	struct request *q = cls;

	(void)kind;
	/* text after a zero byte would be lost */
	if (q->r.n_args == WEB_ARGS_MAX || strlen(name) != name_len ||
		(value && strlen(value) != value_len) || !utf8_valid(name, name_len) ||
		(value && !utf8_valid(value, value_len))) {
		q->bad = true;
		return MHD_NO;
	}
	q->r.args[q->r.n_args++] = (struct web_arg){name, value ? value : ""};
	return MHD_YES;
}

static const char *header(struct MHD_Connection *c, const char *name)
{
	return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

static enum MHD_Result count_host(
	void *cls, enum MHD_ValueKind kind, const char *name, const char *value)
{
	(void)kind;
	(void)value;
	*(int *)cls += !strcasecmp(name, "Host");
	return MHD_YES;
}

/* A page of another site must not read this one, even if its name leads to this machine. Of two names, a proxy may
 * have checked the other one. */
static bool is_foreign(const struct web *w, struct MHD_Connection *c)
{
	const struct texts *t = &w->app->cfg->web.hosts;
	const char *at = w->socket->host, *host = header(c, "Host"),
		   *origin = header(c, "Origin");
	const char *from = origin ? strstr(origin, "://") : NULL;
	int hosts = 0;

	MHD_get_connection_values(c, MHD_HEADER_KIND, count_host, &hosts);
	return hosts != 1 || !web_host_allowed(host, at, t->v, t->n) ||
		(origin && (!from || !web_host_allowed(from + 3, at, t->v, t->n)));
}

/* ---- answers ----------------------------------------------------------------------------------- */

static void add_headers(struct MHD_Response *m, const struct web_request *r,
	const struct web_answer *a, const char *etag)
{
	cleanup(sbuf_done) struct sbuf csp = SBUF_INIT;

	sbuf_addf(&csp,
		"default-src 'none'; style-src 'nonce-%s'; script-src 'nonce-%s'; img-src "
		"data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
		"frame-ancestors 'none'",
		r->nonce, r->nonce);
	MHD_add_response_header(m, "Content-Type", a->type);
	MHD_add_response_header(m, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(m, "Referrer-Policy", "no-referrer");
	MHD_add_response_header(m, "Cross-Origin-Resource-Policy", "same-origin");
	MHD_add_response_header(m, "Content-Security-Policy", csp.s);
	MHD_add_response_header(m, "Cache-Control",
		a->fixed ? "public, max-age=31536000, immutable" : "private, no-cache");
	if (etag)
		MHD_add_response_header(m, "ETag", etag);
	if (a->status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(m, "Allow", "GET, HEAD");
}

static struct MHD_Response *respond(
	const struct web_request *r, struct web_answer *a, const char *etag)
{
	size_t len = a->body.len;
	struct MHD_Response *m = MHD_create_response_from_buffer(len,
		len ? sbuf_detach(&a->body) : NULL,
		len ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);

	if (m)
		add_headers(m, r, a, etag);
	return m;
}

static enum MHD_Result send_once(
	struct MHD_Connection *c, unsigned status, struct MHD_Response *m)
{
	enum MHD_Result rc = m ? MHD_queue_response(c, status, m) : MHD_NO;

	if (m)
		MHD_destroy_response(m);
	return rc;
}

static enum MHD_Result refuse(const struct web *w, struct MHD_Connection *c,
	struct request *q, unsigned status, const char *text)
{
	struct web_answer a = {.body = SBUF_INIT};
	struct MHD_Response *m;
	char nonce[WEB_HASH];

	web_hash(q->uri, w->stamp, true, nonce);
	q->r.nonce = nonce;
	web_error(w->app, &q->r, status, text, &a);
	m = respond(&q->r, &a, NULL);
	sbuf_done(&a.body);
	return send_once(c, status, m);
}

/* One of a list of tags, weak or not. "*" matches none: whether there is such a page is not known yet. */
static bool has_tag(const char *list, const char *etag)
{
	return list && strstr(list, etag);
}

/* ---- kept answers ------------------------------------------------------------------------------- */

static void forget_kept(struct web *w)
{
	for (size_t i = 0; i < w->n_kept; i++) {
		free(w->kept[i].uri);
		MHD_destroy_response(w->kept[i].response);
	}
	w->n_kept = w->kept_bytes = 0;
}

/* Those of an earlier state are forgotten. */
static void look_at_state(struct web *w)
{
	char state[WEB_HASH], stamp[WEB_HASH], minute[32];

	web_state(w->app, state);
	snprintf(
		minute, sizeof(minute), "%lld", (long long)(clock_now(w->app->clock) / 60));
	web_hash(state, minute, false, stamp);
	if (strcmp(stamp, w->stamp) != 0)
		forget_kept(w);
	memcpy(w->stamp, stamp, sizeof(stamp));
}

static bool keep(struct web *w, const char *key, struct MHD_Response *m, size_t bytes)
{
	if (w->n_kept == KEPT || w->kept_bytes + bytes > KEPT_BYTES)
		return false;
	w->kept[w->n_kept++] = (struct kept){xstrdup(key), m};
	w->kept_bytes += bytes;
	return true;
}

static struct MHD_Response *kept_of(const struct web *w, const char *key)
{
	for (size_t i = 0; i < w->n_kept; i++)
		if (!strcmp(w->kept[i].uri, key))
			return w->kept[i].response;
	return NULL;
}

/* ---- dispatch ----------------------------------------------------------------------------------- */

static bool add_file(const struct request *q, struct web_answer *a)
{
	for (int f = 0; f < WEB_FILES; f++) {
		if (strcmp(q->r.path, web_file_url((enum web_file)f)) != 0)
			continue;
		a->status = MHD_HTTP_OK;
		a->type = f == WEB_CSS ? "text/css; charset=utf-8"
				       : "text/javascript; charset=utf-8";
		a->fixed = true;
		sbuf_adds(&a->body, web_file_text((enum web_file)f));
		return true;
	}
	return false;
}

static enum MHD_Result not_modified(struct MHD_Connection *c, const char *etag)
{
	struct MHD_Response *m = MHD_create_response_from_buffer(
		0, NULL, MHD_RESPMEM_PERSISTENT);

	/* without a policy: that of the stored page stays in effect */
	MHD_add_response_header(m, "ETag", etag);
	MHD_add_response_header(m, "Cache-Control", "private, no-cache");
	return send_once(c, MHD_HTTP_NOT_MODIFIED, m);
}

static enum MHD_Result get(struct web *w, struct MHD_Connection *c, struct request *q)
{
	struct web_answer a = {.body = SBUF_INIT};
	char hash[WEB_HASH], nonce[WEB_HASH], etag[WEB_HASH + 4];
	const char *user = w->app->cfg->web.user;
	cleanup(sbuf_done) struct sbuf key = SBUF_INIT;
	struct MHD_Response *m;
	size_t bytes;

	if (add_file(q, &a))
		return send_once(c, a.status, respond(&q->r, &a, NULL));
	look_at_state(w);
	q->r.user = user ? header(c, user) : NULL;
	sbuf_addf(&key, "%s %s", q->uri, q->r.user ? q->r.user : "");
	web_hash(key.s, w->stamp, false, hash);
	web_hash(key.s, w->stamp, true, nonce);
	snprintf(etag, sizeof(etag), "\"%s\"", hash);
	q->r.nonce = nonce;
	if (has_tag(header(c, "If-None-Match"), etag))
		return not_modified(c, etag);
	m = kept_of(w, key.s);
	if (m)
		return MHD_queue_response(c, MHD_HTTP_OK, m);
	web_answer(w->app, &q->r, &a);
	log_info("%u %s", a.status, q->uri);
	bytes = a.body.len;
	m = respond(&q->r, &a, a.status == MHD_HTTP_OK ? etag : NULL);
	sbuf_done(&a.body);
	if (m && a.status == MHD_HTTP_OK && keep(w, key.s, m, bytes))
		return MHD_queue_response(c, a.status, m);
	return send_once(c, a.status, m);
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *c, const char *url,
	const char *method, const char *version, const char *data, size_t *data_len,
	void **ctx)
{
	struct request *q = *ctx;
	struct web *w = cls;

	(void)version;
	(void)data;
	if (!q)
		return MHD_NO;
	q->r.path = url;
	q->r.nonce = "";
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return refuse(w, c, q, MHD_HTTP_METHOD_NOT_ALLOWED,
			"only GET and HEAD: the page changes nothing");
	if (!q->begun || *data_len) { /* a body is ignored */
		q->begun = true;
		*data_len = 0;
		return MHD_YES;
	}
	if (is_foreign(w, c))
		return refuse(w, c, q, MHD_HTTP_MISDIRECTED_REQUEST,
			"this name is not allowed; add it to web: {allowed_hosts: [...]}");
	MHD_get_connection_values_n(c, MHD_GET_ARGUMENT_KIND, on_arg, q);
	if (q->bad || strstr(q->uri, "%00") || !utf8_valid(url, strlen(url)))
		return refuse(w, c, q, MHD_HTTP_BAD_REQUEST,
			"the request is not valid: too many parameters, or not UTF-8");
	return get(w, c, q);
}

/* ---- the process -------------------------------------------------------------------------------- */

static int ended_by(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void quiet_log(void *cls, const char *fmt, va_list ap)
{
	(void)cls;
	(void)fmt;
	(void)ap;
}

static struct MHD_Daemon *start(struct web *w, int fd)
{
	return MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, on_request, w,
		MHD_OPTION_EXTERNAL_LOGGER, quiet_log, NULL, MHD_OPTION_LISTEN_SOCKET, fd,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)OPEN_LIMIT,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADERS_BYTES,
		MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_URI_LOG_CALLBACK, on_uri, w,
		MHD_OPTION_NOTIFY_COMPLETED, on_completed, w, MHD_OPTION_NOTIFY_CONNECTION,
		on_connection, w, MHD_OPTION_END);
}

static void run(struct web *w, struct MHD_Daemon *d, int signals)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(d, MHD_DAEMON_INFO_EPOLL_FD);
	struct pollfd fds[] = {{.fd = info->epoll_fd, .events = POLLIN},
		{.fd = signals, .events = POLLIN}};

	while (!(fds[1].revents & POLLIN)) {
		MHD_UNSIGNED_LONG_LONG wait;
		int ms = TICK_MS;

		if (MHD_get_timeout(d, &wait) == MHD_YES && wait < TICK_MS)
			ms = (int)wait;
		if (poll(fds, ARRAY_LEN(fds), ms) < 0 && errno != EINTR)
			return;
		close_late(w);
		MHD_run(d);
	}
}

enum err_code web_serve(struct app *app, const struct web_socket *socket, struct err *e)
{
	struct web *w = xcalloc(1, sizeof(*w));
	int signals = ended_by();
	struct MHD_Daemon *d;

	w->app = app;
	w->socket = socket;
	for (size_t i = 0; i < OPEN_LIMIT; i++)
		w->open[i].fd = -1;
	d = start(w, socket->fd);
	if (!d) {
		err_sys(e, E_IO, errno, "web: start the server");
	} else {
		printf("%s\n", socket->name);
		if (fflush(stdout))
			log_warn("web: the address could not be printed");
		run(w, d, signals);
		forget_kept(w);
		MHD_stop_daemon(d);
	}
	close_fd(&signals);
	free(w);
	return e->code;
}
