#include "tests/support/front.h"

#include "base/mem.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MAX_CONNECTIONS 64
#define QUEUE_TRIES 8

struct front {
	struct front_opts o;
	SSL_CTX *ctx;
	int listen_fd;
	int queued[QUEUE_TRIES]; /* connections that fill the queue */
	size_t n_queued;
	char at[32], heard[4096];
	pthread_t acceptor;
	pthread_mutex_t lock;
	struct conn {
		pthread_t thread;
		struct front *f;
		SSL *tls;
		int fd, back; /* to the client, to the server; -1 = closed */
		size_t sent;
	} conns[MAX_CONNECTIONS];
	size_t n_conns, n_handshakes;
	bool stopping;
};

/* ---- TLS -------------------------------------------------------------------------------------- */

static int choose_h2(SSL *ssl, const unsigned char **out, unsigned char *len,
	const unsigned char *in, unsigned n, void *arg)
{
	(void)ssl;
	(void)arg;
	for (unsigned i = 0; i + 1 + in[i] <= n; i += 1u + in[i])
		if (in[i] == 2 && !memcmp(in + i + 1, "h2", 2)) {
			*out = in + i + 1;
			*len = 2;
			return SSL_TLSEXT_ERR_OK;
		}
	return SSL_TLSEXT_ERR_ALERT_FATAL;
}

static SSL_CTX *new_context(const struct front_opts *o)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());

	/* Old versions too, whatever this system thinks of them: the client is to refuse. */
	if (!ctx || SSL_CTX_use_certificate(ctx, o->cert->x) != 1 ||
		SSL_CTX_use_PrivateKey(ctx, o->cert->key) != 1 ||
		SSL_CTX_set_cipher_list(ctx, "ALL:@SECLEVEL=0") != 1 ||
		SSL_CTX_set_min_proto_version(ctx, TLS1_VERSION) != 1 ||
		SSL_CTX_set_max_proto_version(ctx, o->max_version) != 1)
		abort();
	if (o->how == FRONT_H2)
		SSL_CTX_set_alpn_select_cb(ctx, choose_h2, NULL);
	return ctx;
}

/* ---- one connection -------------------------------------------------------------------------------- */

static bool send_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

		if (n <= 0)
			return false;
		data += n;
		len -= (size_t)n;
	}
	return true;
}

static bool drip(struct conn *c, const char *data, size_t len)
{
	const struct timespec pause = {.tv_nsec = c->f->o.drip_ms * 1000000};

	for (; len; data++, len--) {
		if (!send_all(c->fd, data, 1))
			return false;
		if (++c->sent > c->f->o.at_once)
			nanosleep(&pause, NULL);
	}
	return true;
}

static bool give(struct conn *c, const char *data, size_t len)
{
	if (c->tls)
		return SSL_write(c->tls, data, (int)len) == (int)len;
	return c->f->o.how == FRONT_DRIP ? drip(c, data, len) : send_all(c->fd, data, len);
}

static ssize_t take(struct conn *c, char *buf, size_t room)
{
	return c->tls ? SSL_read(c->tls, buf, (int)room) : recv(c->fd, buf, room, 0);
}

/* Bytes go both ways until either side has had enough. */
static void pump(struct conn *c)
{
	char buf[4096];
	ssize_t n;

	for (;;) {
		struct pollfd fds[] = {
			{.fd = c->fd, .events = POLLIN}, {.fd = c->back, .events = POLLIN}};

		if (!(c->tls && SSL_pending(c->tls)) && poll(fds, 2, -1) < 0)
			return;
		if (fds[1].revents) {
			n = recv(c->back, buf, sizeof(buf), 0);
			if (n <= 0 || !give(c, buf, (size_t)n))
				return;
		}
		if (fds[0].revents || (c->tls && SSL_pending(c->tls))) {
			n = take(c, buf, sizeof(buf));
			if (n <= 0 || !send_all(c->back, buf, (size_t)n))
				return;
		}
	}
}

static void pass_on(struct conn *c)
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	at.sin_port = htons((uint16_t)strtoul(strrchr(c->f->o.to, ':') + 1, NULL, 10));
	pthread_mutex_lock(&c->f->lock);
	c->back = fd;
	pthread_mutex_unlock(&c->f->lock);
	if (connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0)
		pump(c);
}

/* ---- HTTP/2 (RFC 9113): as much as a GET needs ---------------------------------------------- */

enum h2_type { H2_DATA = 0, H2_HEADERS = 1, H2_SETTINGS = 4, H2_GOAWAY = 7 };
#define H2_END_STREAM 1
#define H2_ACK 1
#define H2_END_HEADERS 4
#define H2_PREFACE 24 /* bytes the client begins with */
#define H2_HEAD 9     /* bytes before every frame */

static bool take_all(struct conn *c, unsigned char *buf, size_t n)
{
	while (n) {
		int got = SSL_read(c->tls, buf, (int)n);

		if (got <= 0)
			return false;
		buf += got;
		n -= (size_t)got;
	}
	return true;
}

static bool send_frame(struct conn *c, enum h2_type type, int flags, unsigned stream,
	const char *data, size_t len)
{
	const unsigned char head[H2_HEAD] = {(unsigned char)(len >> 16),
		(unsigned char)(len >> 8), (unsigned char)len, (unsigned char)type,
		(unsigned char)flags, 0, 0, (unsigned char)(stream >> 8),
		(unsigned char)stream};

	return give(c, (const char *)head, sizeof(head)) && (!len || give(c, data, len));
}

/* The number of the stream of the next request; 0 = the client is gone. */
static unsigned next_request(struct conn *c)
{
	unsigned char head[H2_HEAD], *rest;
	size_t len;
	bool ok;

	while (take_all(c, head, sizeof(head))) {
		len = (size_t)head[0] << 16 | (size_t)head[1] << 8 | head[2];
		rest = xmalloc(len + 1);
		ok = take_all(c, rest, len);
		free(rest);
		if (!ok)
			return 0;
		if (head[3] == H2_HEADERS)
			return (unsigned)head[7] << 8 | head[8];
		if (head[3] == H2_SETTINGS && !(head[4] & H2_ACK) &&
			!send_frame(c, H2_SETTINGS, H2_ACK, 0, NULL, 0))
			return 0;
	}
	return 0;
}

static void serve_h2(struct conn *c)
{
	static const char nothing_done[8] = "", ok[] = "\x88"; /* ":status: 200" */
	bool last = c < &c->f->conns[c->f->o.goaways];
	const char *body = c->f->o.text;
	unsigned char preface[H2_PREFACE];
	unsigned stream;

	if (!take_all(c, preface, sizeof(preface)) ||
		!send_frame(c, H2_SETTINGS, 0, 0, NULL, 0))
		return;
	while ((stream = next_request(c)) != 0) {
		if (last) {
			send_frame(c, H2_GOAWAY, 0, 0, nothing_done, sizeof(nothing_done));
			/* A close with bytes unread would overtake it. */
			while (take_all(c, preface, 1))
				continue;
			return;
		}
		if (!send_frame(c, H2_HEADERS, H2_END_HEADERS, stream, ok, 1) ||
			!send_frame(c, H2_DATA, H2_END_STREAM, stream, body, strlen(body)))
			return;
	}
}

static void end_tls(struct conn *c)
{
	c->tls = SSL_new(c->f->ctx);
	if (!c->tls || SSL_set_fd(c->tls, c->fd) != 1)
		abort();
	if (SSL_accept(c->tls) == 1) {
		pthread_mutex_lock(&c->f->lock);
		c->f->n_handshakes++;
		pthread_mutex_unlock(&c->f->lock);
		if (c->f->o.how == FRONT_H2)
			serve_h2(c);
		else
			pass_on(c);
	}
	SSL_free(c->tls);
}

/* Up to the blank line, or what comes at once when it is no HTTP. */
static bool hear(struct conn *c)
{
	char buf[sizeof(c->f->heard)] = "";
	size_t len = 0;
	ssize_t n;

	do {
		n = recv(c->fd, buf + len, sizeof(buf) - 1 - len, 0);
		len += n > 0 ? (size_t)n : 0;
	} while (n > 0 && buf[0] >= 'A' && buf[0] <= 'Z' && !strstr(buf, "\r\n\r\n") &&
		len + 1 < sizeof(buf));
	pthread_mutex_lock(&c->f->lock);
	if (!c->f->heard[0])
		memcpy(c->f->heard, buf, len + 1);
	pthread_mutex_unlock(&c->f->lock);
	return len > 0;
}

static void serve_as_told(struct conn *c)
{
	static const char fine[] = "HTTP/1.1 200 Connection established\r\n\r\n";
	char buf[256];

	switch (c->f->o.how) {
	case FRONT_TLS:
	case FRONT_H2:
		end_tls(c);
		break;
	case FRONT_PROXY:
		if (hear(c) && send_all(c->fd, fine, strlen(fine)))
			pass_on(c);
		break;
	case FRONT_DRIP:
		pass_on(c);
		break;
	case FRONT_SAY:
		if (hear(c))
			send_all(c->fd, c->f->o.text, strlen(c->f->o.text));
		break;
	case FRONT_MUTE:
	case FRONT_FULL:
		while (recv(c->fd, buf, sizeof(buf), 0) > 0)
			continue;
		break;
	}
}

static void *serve(void *arg)
{
	struct conn *c = arg;

	serve_as_told(c);
	pthread_mutex_lock(&c->f->lock);
	close(c->fd);
	if (c->back >= 0)
		close(c->back);
	c->fd = c->back = -1;
	pthread_mutex_unlock(&c->f->lock);
	return NULL;
}

/* ---- the listener ------------------------------------------------------------------------------------ */

static void *accept_all(void *arg)
{
	struct front *f = arg;

	for (;;) {
		int fd = accept(f->listen_fd, NULL, NULL);
		bool full;

		pthread_mutex_lock(&f->lock);
		full = f->stopping || fd < 0 || f->n_conns >= MAX_CONNECTIONS;
		if (!full) {
			struct conn *c = &f->conns[f->n_conns];

			*c = (struct conn){.f = f, .fd = fd, .back = -1};
			full = pthread_create(&c->thread, NULL, serve, c) != 0;
			f->n_conns += full ? 0 : 1;
		}
		pthread_mutex_unlock(&f->lock);
		if (full) {
			if (fd >= 0)
				close(fd);
			return NULL;
		}
	}
}

/* Connect until nobody answers any more: then the kernel drops what comes next. */
static void fill_queue(struct front *f, const struct sockaddr_in *at)
{
	bool through = true;

	while (through && f->n_queued < QUEUE_TRIES) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		struct pollfd p = {.fd = fd, .events = POLLOUT};

		f->queued[f->n_queued++] = fd;
		through = connect(fd, (const struct sockaddr *)at, sizeof(*at)) == 0 ||
			poll(&p, 1, 100) > 0;
	}
	if (through)
		abort();
}

struct front *front_start(const struct front_opts *o)
{
	struct front *f = xcalloc(1, sizeof(*f));
	struct sockaddr_in at = {.sin_family = AF_INET};
	socklen_t len = sizeof(at);

	f->o = *o;
	pthread_mutex_init(&f->lock, NULL);
	if (o->how == FRONT_TLS || o->how == FRONT_H2)
		f->ctx = new_context(o);
	f->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(f->listen_fd, (struct sockaddr *)&at, sizeof(at)) != 0 ||
		listen(f->listen_fd, o->how == FRONT_FULL ? 0 : MAX_CONNECTIONS) != 0 ||
		getsockname(f->listen_fd, (struct sockaddr *)&at, &len) != 0)
		abort();
	snprintf(f->at, sizeof(f->at), "127.0.0.1:%d", (int)ntohs(at.sin_port));
	if (o->how == FRONT_FULL)
		fill_queue(f, &at);
	else if (pthread_create(&f->acceptor, NULL, accept_all, f) != 0)
		abort();
	return f;
}

void front_stop(struct front *f)
{
	pthread_mutex_lock(&f->lock);
	f->stopping = true;
	shutdown(f->listen_fd, SHUT_RDWR);
	for (size_t i = 0; i < f->n_conns; i++) {
		if (f->conns[i].fd >= 0)
			shutdown(f->conns[i].fd, SHUT_RDWR);
		if (f->conns[i].back >= 0)
			shutdown(f->conns[i].back, SHUT_RDWR);
	}
	pthread_mutex_unlock(&f->lock);
	if (f->o.how != FRONT_FULL)
		pthread_join(f->acceptor, NULL);
	for (size_t i = 0; i < f->n_conns; i++)
		pthread_join(f->conns[i].thread, NULL);
	for (size_t i = 0; i < f->n_queued; i++)
		close(f->queued[i]);
	close(f->listen_fd);
	if (f->ctx)
		SSL_CTX_free(f->ctx);
	pthread_mutex_destroy(&f->lock);
	free(f);
}

const char *front_at(const struct front *f)
{
	return f->at;
}

static size_t locked(struct front *f, const size_t *n)
{
	size_t v;

	pthread_mutex_lock(&f->lock);
	v = *n;
	pthread_mutex_unlock(&f->lock);
	return v;
}

size_t front_connections(struct front *f)
{
	return locked(f, &f->n_conns);
}

size_t front_handshakes(struct front *f)
{
	return locked(f, &f->n_handshakes);
}

const char *front_heard(struct front *f)
{
	pthread_mutex_lock(&f->lock);
	pthread_mutex_unlock(&f->lock);
	return f->heard;
}
