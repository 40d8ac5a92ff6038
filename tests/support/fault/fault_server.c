#include "tests/support/fault/fault_server.h"

#include "base/mem.h"
#include "base/sbuf.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#define MAX_CONNECTIONS 512
#define MAX_REQUESTS 4096
#define BOMB_BYTES (64u << 20)

struct fault_server {
	struct fault_step *steps;
	int *used;
	size_t n;
	int listen_fd;
	char base[64];
	pthread_t acceptor;
	pthread_mutex_t lock;
	pthread_cond_t arrived;
	struct conn {
		pthread_t thread;
		struct fault_server *s;
		int fd; /* -1 = closed */
	} conns[MAX_CONNECTIONS];
	size_t n_conns;
	char *log[MAX_REQUESTS];
	size_t n_log;
	bool stopping;
};

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

/* Read one request; bytes beyond it stay in `in` for the next. */
static bool read_request(int fd, struct sbuf *in, struct sbuf *request)
{
	for (;;) {
		char buf[4096];
		char *end = strstr(in->s, "\r\n\r\n");
		const char *cl = end ? strcasestr(in->s, "\r\nContent-Length:") : NULL;
		size_t need;
		ssize_t n;

		if (end) {
			need = (size_t)(end - in->s) + 4;
			if (cl && cl < end)
				need += (size_t)strtoul(cl + 17, NULL, 10);
			if (in->len >= need) {
				struct sbuf rest = SBUF_INIT;

				sbuf_add(request, in->s, need);
				sbuf_add(&rest, in->s + need, in->len - need);
				sbuf_done(in);
				*in = rest;
				return true;
			}
		}
		n = recv(fd, buf, sizeof(buf), 0);
		if (n <= 0)
			return false;
		sbuf_add(in, buf, (size_t)n);
	}
}

static const struct fault_step *choose(struct fault_server *s, const char *request)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct fault_step *st = &s->steps[i];

		if (st->match && strncmp(request, st->match, strlen(st->match)) != 0)
			continue;
		if (st->times && s->used[i] >= st->times)
			continue;
		s->used[i]++;
		return st;
	}
	return NULL;
}

static bool answer(int fd, const struct fault_step *st)
{
	static const struct fault_step none = {.status = 404, .body = "no such step"};
	struct sbuf out = SBUF_INIT;
	const char *body;
	bool typed, ok;

	if (!st)
		st = &none;
	body = st->body ? st->body : "";
	typed = st->headers && strcasestr(st->headers, "Content-Type:");
	sbuf_addf(&out, "HTTP/1.1 %d Whatever\r\n%s%s", st->status ? st->status : 200,
		typed ? "" : "Content-Type: application/json; charset=UTF-8\r\n",
		st->headers ? st->headers : "");
	if (st->status != 204)
		sbuf_addf(&out, "Content-Length: %zu\r\n", strlen(body));
	sbuf_addf(&out, "\r\n%s", st->status != 204 ? body : "");
	ok = send_all(fd, out.s, out.len);
	sbuf_done(&out);
	return ok;
}

static void be_silent(int fd)
{
	char buf[256];

	while (recv(fd, buf, sizeof(buf), 0) > 0)
		continue;
}

static void be_endless(int fd)
{
	static const char chunk[] = "400\r\n%01024d\r\n";
	char buf[1100];

	if (!send_all(fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 47))
		return;
	snprintf(buf, sizeof(buf), chunk, 0);
	while (send_all(fd, buf, strlen(buf)))
		continue;
}

static void send_bomb(int fd)
{
	static unsigned char zeros[65536];
	unsigned char out[65536];
	z_stream z = {0};
	char head[] = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: "
		      "close\r\n\r\n";
	bool ok = send_all(fd, head, strlen(head));

	if (deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return;
	for (size_t sent = 0; ok && sent < BOMB_BYTES; sent += sizeof(zeros)) {
		/* the first has the head; the others are alike */
		if (sent <= sizeof(zeros)) {
			z.next_in = zeros;
			z.avail_in = sizeof(zeros);
			z.next_out = out;
			z.avail_out = sizeof(out);
			deflate(&z, Z_FULL_FLUSH);
		}
		ok = send_all(fd, (char *)out, sizeof(out) - z.avail_out);
	}
	deflateEnd(&z);
}

static void send_big_head(int fd)
{
	bool ok = send_all(fd, "HTTP/1.1 200 OK\r\n", 17);

	for (int i = 0; ok && i < 4000; i++) {
		char line[128];

		snprintf(line, sizeof(line), "X-Line-%d: %080d\r\n", i, i);
		ok = send_all(fd, line, strlen(line));
	}
	if (ok)
		send_all(fd, "Content-Length: 0\r\n\r\n", 21);
}

static void wait_for(struct fault_server *s, size_t count)
{
	pthread_mutex_lock(&s->lock);
	while (s->n_log < count && !s->stopping)
		pthread_cond_wait(&s->arrived, &s->lock);
	pthread_mutex_unlock(&s->lock);
}

/* True while the connection can be used further. */
static bool perform(struct fault_server *s, int fd, const struct fault_step *st)
{
	struct linger hard = {.l_onoff = 1, .l_linger = 0};

	switch (st ? st->how : FAULT_ANSWER) {
	case FAULT_ANSWER:
		return answer(fd, st);
	case FAULT_RAW:
		send_all(fd, st->raw, strlen(st->raw));
		return false;
	case FAULT_CLOSE:
		return false;
	case FAULT_RESET:
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
		return false;
	case FAULT_SILENT:
		be_silent(fd);
		return false;
	case FAULT_ENDLESS:
		be_endless(fd);
		return false;
	case FAULT_BIG_GZIP:
		send_bomb(fd);
		return false;
	case FAULT_BIG_HEAD:
		send_big_head(fd);
		return false;
	case FAULT_RENDEZVOUS:
		wait_for(s, st->count);
		return answer(fd, st);
	}
	return false;
}

static void hang_up(struct conn *c)
{
	pthread_mutex_lock(&c->s->lock);
	close(c->fd);
	c->fd = -1;
	pthread_mutex_unlock(&c->s->lock);
}

static void *serve(void *arg)
{
	struct conn *c = arg;
	struct fault_server *s = c->s;
	struct sbuf in = SBUF_INIT;
	bool more = true;

	while (more) {
		struct sbuf request = SBUF_INIT;
		const struct fault_step *st;

		if (!read_request(c->fd, &in, &request)) {
			sbuf_done(&request);
			break;
		}
		pthread_mutex_lock(&s->lock);
		st = choose(s, request.s);
		if (s->n_log < MAX_REQUESTS)
			s->log[s->n_log++] = sbuf_detach(&request);
		pthread_cond_broadcast(&s->arrived);
		pthread_mutex_unlock(&s->lock);
		sbuf_done(&request);
		more = perform(s, c->fd, st);
	}
	sbuf_done(&in);
	hang_up(c);
	return NULL;
}

static void *accept_all(void *arg)
{
	struct fault_server *s = arg;

	for (;;) {
		int fd = accept(s->listen_fd, NULL, NULL);
		struct conn *c;
		bool full;

		pthread_mutex_lock(&s->lock);
		full = s->stopping || fd < 0 || s->n_conns >= MAX_CONNECTIONS;
		if (!full) {
			c = &s->conns[s->n_conns];
			c->s = s;
			c->fd = fd;
			full = pthread_create(&c->thread, NULL, serve, c) != 0;
			s->n_conns += full ? 0 : 1;
		}
		pthread_mutex_unlock(&s->lock);
		if (full) {
			if (fd >= 0)
				close(fd);
			return NULL;
		}
	}
}

static int listen_somewhere(char base[64])
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 ||
		listen(fd, 64) != 0 || getsockname(fd, (struct sockaddr *)&at, &len) != 0)
		abort();
	snprintf(base, 64, "http://127.0.0.1:%d", (int)ntohs(at.sin_port));
	return fd;
}

struct fault_server *fault_start(const struct fault_step *steps, size_t n)
{
	struct fault_server *s = xcalloc(1, sizeof(*s));

	s->steps = xcalloc(n, sizeof(*steps));
	memcpy(s->steps, steps, n * sizeof(*steps));
	s->used = xcalloc(n, sizeof(*s->used));
	s->n = n;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->arrived, NULL);
	s->listen_fd = listen_somewhere(s->base);
	if (pthread_create(&s->acceptor, NULL, accept_all, s) != 0)
		abort();
	return s;
}

void fault_stop(struct fault_server *s)
{
	pthread_mutex_lock(&s->lock);
	s->stopping = true;
	pthread_cond_broadcast(&s->arrived);
	shutdown(s->listen_fd, SHUT_RDWR);
	for (size_t i = 0; i < s->n_conns; i++)
		if (s->conns[i].fd >= 0)
			shutdown(s->conns[i].fd, SHUT_RDWR);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->acceptor, NULL);
	for (size_t i = 0; i < s->n_conns; i++)
		pthread_join(s->conns[i].thread, NULL);
	close(s->listen_fd);
	for (size_t i = 0; i < s->n_log; i++)
		free(s->log[i]);
	pthread_cond_destroy(&s->arrived);
	pthread_mutex_destroy(&s->lock);
	free(s->steps);
	free(s->used);
	free(s);
}

const char *fault_base(const struct fault_server *s)
{
	return s->base;
}

const char *fault_request(struct fault_server *s, size_t i)
{
	const char *r;

	pthread_mutex_lock(&s->lock);
	r = i < s->n_log ? s->log[i] : NULL;
	pthread_mutex_unlock(&s->lock);
	return r;
}

size_t fault_count(struct fault_server *s)
{
	return fault_count_of(s, "");
}

size_t fault_await(struct fault_server *s, size_t n)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 30;
	pthread_mutex_lock(&s->lock);
	while (s->n_log < n && !pthread_cond_timedwait(&s->arrived, &s->lock, &until))
		;
	pthread_mutex_unlock(&s->lock);
	return fault_count(s);
}

size_t fault_connections(struct fault_server *s)
{
	size_t n;

	pthread_mutex_lock(&s->lock);
	n = s->n_conns;
	pthread_mutex_unlock(&s->lock);
	return n;
}

size_t fault_count_of(struct fault_server *s, const char *match)
{
	size_t n = 0;

	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->n_log; i++)
		n += strncmp(s->log[i], match, strlen(match)) == 0;
	pthread_mutex_unlock(&s->lock);
	return n;
}

const char *fault_dead_url(char buf[64])
{
	close(listen_somewhere(buf));
	return buf;
}
