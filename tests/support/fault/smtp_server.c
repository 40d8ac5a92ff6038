#include "tests/support/fault/smtp_server.h"

#include "base/mem.h"
#include "base/sbuf.h"
#include "base/str.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_CONNECTIONS 64
#define MAX_MAILS 64
#define MAX_LINE 4096

struct smtp_server {
	struct smtp_server_opts o;
	SSL_CTX *ctx;
	int listen_fd, port;
	pthread_t acceptor;
	pthread_mutex_t lock;
	struct conn {
		pthread_t thread;
		struct smtp_server *s;
		SSL *tls;
		int fd; /* -1: closed */
		char buf[MAX_LINE];
		size_t at, len;
		struct smtp_got got;
	} conns[MAX_CONNECTIONS];
	size_t n_conns, n_mails;
	struct smtp_got mails[MAX_MAILS];
	int *used; /* of each step */
	struct sbuf heard;
	char *shown;
	bool stopping;
};

/* ---- lines -------------------------------------------------------------------------------- */

static ssize_t take(struct conn *c, char *buf, size_t room)
{
	return c->tls ? SSL_read(c->tls, buf, (int)room) : recv(c->fd, buf, room, 0);
}

static bool say(struct conn *c, const char *text)
{
	size_t len = strlen(text);

	if (c->tls)
		return SSL_write(c->tls, text, (int)len) == (int)len;
	return send(c->fd, text, len, MSG_NOSIGNAL) == (ssize_t)len;
}

/* With its line end; false at the end of the connection. */
static bool next_line(struct conn *c, char line[MAX_LINE])
{
	size_t n = 0;

	while (n + 1 < MAX_LINE) {
		if (c->at == c->len) {
			ssize_t got = take(c, c->buf, sizeof(c->buf));

			if (got <= 0)
				return false;
			c->at = 0;
			c->len = (size_t)got;
		}
		line[n++] = c->buf[c->at++];
		if (line[n - 1] == '\n')
			break;
	}
	line[n] = '\0';
	return true;
}

static void note(struct conn *c, const char *line)
{
	pthread_mutex_lock(&c->s->lock);
	sbuf_addf(&c->s->heard, "%s%.*s\n", c->tls ? "* " : "", (int)strcspn(line, "\r\n"),
		line);
	pthread_mutex_unlock(&c->s->lock);
}

/* ---- what it was told to do --------------------------------------------------------------- */

static const struct smtp_step *find_step(struct conn *c, const char *verb, const char *line)
{
	struct smtp_server *s = c->s;
	const struct smtp_step *found = NULL;

	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->o.n_steps && !found; i++) {
		const struct smtp_step *step = &s->o.steps[i];

		if (!str_eq(step->verb, verb) ||
			(step->match && !strstr(line, step->match)) ||
			(step->times && s->used[i] >= step->times))
			continue;
		s->used[i]++;
		found = step;
	}
	pthread_mutex_unlock(&s->lock);
	return found;
}

/* False: the connection is over. *usual: nothing else was asked for. */
static bool as_told(struct conn *c, const char *verb, const char *line, bool *usual)
{
	const struct smtp_step *step = find_step(c, verb, line);
	char rest[256];

	*usual = !step;
	if (!step)
		return true;
	if (step->how == SMTP_MUTE) {
		while (take(c, rest, sizeof(rest)) > 0)
			continue;
		return false;
	}
	return (!step->say || say(c, step->say)) && step->how == SMTP_SAY;
}

/* ---- commands ----------------------------------------------------------------------------- */

static bool begin_tls(struct conn *c)
{
	SSL *tls = SSL_new(c->s->ctx);

	if (!tls || SSL_set_fd(tls, c->fd) != 1)
		abort();
	c->tls = tls;
	c->at = c->len = 0;
	return SSL_accept(tls) == 1;
}

static bool hello(struct conn *c)
{
	const struct smtp_server_opts *o = &c->s->o;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_adds(&b, "250-mail.example\r\n");
	if (o->tls == SMTP_STARTTLS && !c->tls)
		sbuf_adds(&b, "250-STARTTLS\r\n");
	if (o->mechanisms && (c->tls || o->tls == SMTP_CLEAR))
		sbuf_addf(&b, "250-AUTH %s\r\n", o->mechanisms);
	if (o->size)
		sbuf_addf(&b, "250-SIZE %ld\r\n", o->size);
	sbuf_adds(&b, o->extras ? o->extras : "");
	sbuf_adds(&b, "250 8BITMIME\r\n");
	return say(c, b.s);
}

/* Base64 of a line; NUL bytes stay. */
static size_t decode(const char *line, char out[MAX_LINE])
{
	size_t n = strcspn(line, "\r\n");
	int len = EVP_DecodeBlock(
		(unsigned char *)out, (const unsigned char *)line, (int)n);

	if (len < 0)
		return 0;
	for (; n && line[n - 1] == '='; n--)
		len--;
	out[len] = '\0';
	return (size_t)len;
}

static bool plain_matches(const struct smtp_server_opts *o, const char *line)
{
	char got[MAX_LINE], want[512] = "";
	size_t n = decode(line, got), user = strlen(o->username),
	       pass = strlen(o->password);

	memcpy(want + 1, o->username, user);
	memcpy(want + 2 + user, o->password, pass);
	return n == 2 + user + pass && !memcmp(got, want, n);
}

static bool login(struct conn *c, const char *line)
{
	const struct smtp_server_opts *o = &c->s->o;
	char user[MAX_LINE], pass[MAX_LINE], given[MAX_LINE];

	if (str_starts(line, "AUTH PLAIN")) {
		if (!say(c, "334 \r\n") || !next_line(c, user))
			return false;
		c->got.login = plain_matches(o, user);
	} else {
		if (!say(c, "334 VXNlcm5hbWU6\r\n") || !next_line(c, user) ||
			!say(c, "334 UGFzc3dvcmQ6\r\n") || !next_line(c, pass))
			return false;
		c->got.login = decode(user, given) && str_eq(given, o->username) &&
			decode(pass, given) && str_eq(given, o->password);
	}
	return say(c, c->got.login ? "235 fine\r\n" : "535 5.7.8 wrong password\r\n");
}

static void keep(struct conn *c, struct sbuf *data)
{
	struct smtp_server *s = c->s;
	struct smtp_got *g = &c->got;

	g->secure = c->tls != NULL;
	g->len = data->len;
	pthread_mutex_lock(&s->lock);
	if (s->n_mails == MAX_MAILS)
		abort();
	s->mails[s->n_mails] = *g;
	s->mails[s->n_mails++].data = sbuf_detach(data);
	pthread_mutex_unlock(&s->lock);
	g->stuffed = g->bare = g->n_to = 0;
	g->from[0] = g->to[0] = '\0';
}

static bool read_mail(struct conn *c)
{
	cleanup(sbuf_done) struct sbuf data = SBUF_INIT;
	char line[MAX_LINE];
	bool usual = true;

	if (!say(c, "354 go on\r\n"))
		return false;
	for (;;) {
		const char *text = line;

		if (!next_line(c, line) || !as_told(c, "LINE", line, &usual))
			return false;
		if (str_eq(line, ".\r\n"))
			break;
		c->got.bare += !str_ends(line, "\r\n");
		c->got.stuffed += *text == '.';
		text += *text == '.';
		sbuf_adds(&data, text);
	}
	keep(c, &data);
	return as_told(c, "END", "", &usual) && (!usual || say(c, "250 2.0.0 kept\r\n"));
}

static void copy_rest(char *out, size_t room, const char *line, size_t from)
{
	size_t n = strcspn(line, "\r\n");

	snprintf(out, room, "%.*s", (int)(n > from ? n - from : 0),
		line + (n > from ? from : n));
}

static bool envelope(struct conn *c, const char *line, bool recipient)
{
	struct smtp_got *g = &c->got;
	size_t n = strlen(g->to);

	if (c->s->o.mechanisms && !g->login)
		return say(c, "530 5.7.0 log in first\r\n");
	if (!recipient) {
		copy_rest(g->from, sizeof(g->from), line, strlen("MAIL FROM:"));
	} else {
		snprintf(g->to + n, sizeof(g->to) - n, "%s", n ? "," : "");
		n = strlen(g->to);
		copy_rest(g->to + n, sizeof(g->to) - n, line, strlen("RCPT TO:"));
		g->n_to++;
	}
	return say(c, "250 fine\r\n");
}

/* False: the connection is over. */
static bool obey(struct conn *c, const char *verb, const char *line)
{
	if (str_eq(verb, "EHLO") || str_eq(verb, "HELO")) {
		copy_rest(c->got.hello, sizeof(c->got.hello), line, 5);
		return hello(c);
	}
	if (str_eq(verb, "STARTTLS") && c->s->o.tls == SMTP_STARTTLS)
		return say(c, "220 go on\r\n") && begin_tls(c);
	if (str_eq(verb, "AUTH"))
		return login(c, line);
	if (str_eq(verb, "MAIL") || str_eq(verb, "RCPT"))
		return envelope(c, line, verb[0] == 'R');
	if (str_eq(verb, "DATA"))
		return c->got.n_to ? read_mail(c) : say(c, "503 no recipients\r\n");
	if (str_eq(verb, "QUIT")) {
		say(c, "221 bye\r\n");
		return false;
	}
	return say(c, "502 no such command\r\n");
}

static void converse(struct conn *c)
{
	char line[MAX_LINE], verb[16];
	bool usual;

	if (c->s->o.tls == SMTP_IMPLICIT && !begin_tls(c))
		return;
	if (!as_told(c, "GREETING", "", &usual) ||
		(usual && !say(c, "220 mail.example ESMTP\r\n")))
		return;
	while (next_line(c, line)) {
		size_t n = 0;

		for (; n + 1 < sizeof(verb) && isalpha((unsigned char)line[n]); n++)
			verb[n] = (char)toupper((unsigned char)line[n]);
		verb[n] = '\0';
		note(c, line);
		if (!as_told(c, verb, line, &usual) || (usual && !obey(c, verb, line)))
			return;
	}
}

static void *serve(void *arg)
{
	struct conn *c = arg;

	converse(c);
	if (c->tls)
		SSL_free(c->tls);
	pthread_mutex_lock(&c->s->lock);
	close(c->fd);
	c->fd = -1;
	pthread_mutex_unlock(&c->s->lock);
	return NULL;
}

/* ---- the listener ------------------------------------------------------------------------- */

static void *accept_all(void *arg)
{
	struct smtp_server *s = arg;

	for (;;) {
		int fd = accept(s->listen_fd, NULL, NULL);
		bool full;

		pthread_mutex_lock(&s->lock);
		full = s->stopping || fd < 0 || s->n_conns >= MAX_CONNECTIONS;
		if (!full) {
			struct conn *c = &s->conns[s->n_conns];

			*c = (struct conn){.s = s, .fd = fd};
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

static SSL_CTX *new_context(const struct smtp_server_opts *o)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());

	/* Old versions too, whatever this system thinks of them: the client is to refuse. */
	if (!ctx || SSL_CTX_use_certificate(ctx, o->cert->x) != 1 ||
		SSL_CTX_use_PrivateKey(ctx, o->cert->key) != 1 ||
		SSL_CTX_set_cipher_list(ctx, "ALL:@SECLEVEL=0") != 1 ||
		SSL_CTX_set_min_proto_version(ctx, TLS1_VERSION) != 1 ||
		SSL_CTX_set_max_proto_version(ctx, o->max_version) != 1)
		abort();
	return ctx;
}

struct smtp_server *smtp_server_start(const struct smtp_server_opts *o)
{
	struct smtp_server *s = xcalloc(1, sizeof(*s));
	struct sockaddr_in at = {.sin_family = AF_INET};
	socklen_t len = sizeof(at);
	int room = 65536;

	s->o = *o;
	s->heard = SBUF_INIT;
	s->used = xcalloc(o->n_steps + 1, sizeof(*s->used));
	pthread_mutex_init(&s->lock, NULL);
	if (o->tls != SMTP_CLEAR)
		s->ctx = new_context(o);
	s->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	/* What it does not read stays with the client: the kernel is not to take it all. */
	if (setsockopt(s->listen_fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room)) != 0 ||
		bind(s->listen_fd, (struct sockaddr *)&at, sizeof(at)) != 0 ||
		listen(s->listen_fd, MAX_CONNECTIONS) != 0 ||
		getsockname(s->listen_fd, (struct sockaddr *)&at, &len) != 0 ||
		pthread_create(&s->acceptor, NULL, accept_all, s) != 0)
		abort();
	s->port = ntohs(at.sin_port);
	return s;
}

void smtp_server_stop(struct smtp_server *s)
{
	pthread_mutex_lock(&s->lock);
	s->stopping = true;
	shutdown(s->listen_fd, SHUT_RDWR);
	for (size_t i = 0; i < s->n_conns; i++)
		if (s->conns[i].fd >= 0)
			shutdown(s->conns[i].fd, SHUT_RDWR);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->acceptor, NULL);
	for (size_t i = 0; i < s->n_conns; i++)
		pthread_join(s->conns[i].thread, NULL);
	for (size_t i = 0; i < s->n_mails; i++)
		free(s->mails[i].data);
	close(s->listen_fd);
	if (s->ctx)
		SSL_CTX_free(s->ctx);
	sbuf_done(&s->heard);
	free(s->shown);
	free(s->used);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* ---- what came ---------------------------------------------------------------------------- */

int smtp_server_port(const struct smtp_server *s)
{
	return s->port;
}

size_t smtp_server_mails(struct smtp_server *s)
{
	size_t n;

	pthread_mutex_lock(&s->lock);
	n = s->n_mails;
	pthread_mutex_unlock(&s->lock);
	return n;
}

size_t smtp_server_connections(struct smtp_server *s)
{
	size_t n;

	pthread_mutex_lock(&s->lock);
	n = s->n_conns;
	pthread_mutex_unlock(&s->lock);
	return n;
}

const struct smtp_got *smtp_server_mail(struct smtp_server *s, size_t i)
{
	return i < smtp_server_mails(s) ? &s->mails[i] : NULL;
}

const char *smtp_server_heard(struct smtp_server *s)
{
	pthread_mutex_lock(&s->lock);
	free(s->shown);
	s->shown = xstrdup(s->heard.s);
	pthread_mutex_unlock(&s->lock);
	return s->shown;
}
