/* Sockets of the page: of systemd, of an address of this machine, or of a path; and the names under which
 * browsers may ask for it. */
#include "base/str.h"
#include "base/url/netguard.h"
#include "cli/web/web.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define FIRST_FD 3 /* of systemd: sd_listen_fds(3) */
#define BACKLOG 128
#define UNIX "unix:"

static enum err_code use(const struct sockaddr *a, socklen_t len, const char *where,
	struct web_socket *out, struct err *e)
{
	int one = 1;

	out->fd = socket(a->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (out->fd < 0)
		return err_sys(e, E_IO, errno, "web: create a socket");
	setsockopt(out->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (!bind(out->fd, a, len) && !listen(out->fd, BACKLOG))
		return E_OK;
	err_sys(e, E_IO, errno, "web: listen on %s", where);
	close_fd(&out->fd);
	return e->code;
}

/* A socket without a listener was left by a process that was killed. */
static bool is_left(const struct sockaddr_un *a)
{
	struct stat st;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool left = !lstat(a->sun_path, &st) && S_ISSOCK(st.st_mode) && fd >= 0 &&
		connect(fd, (const struct sockaddr *)a, sizeof(*a)) &&
		errno == ECONNREFUSED;

	close_fd(&fd);
	return left;
}

static enum err_code listen_path(const char *path, struct web_socket *out, struct err *e)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	mode_t old;

	if (!*path || strlen(path) >= sizeof(a.sun_path))
		return err_set_fix(e, E_USAGE, "use a path of at most 107 bytes",
			"web: '%.120s' is not a valid path of a socket", path);
	memcpy(a.sun_path, path, strlen(path));
	if (is_left(&a))
		unlink(path);
	old = umask(0117); /* the group of the directory may use it */
	use((const struct sockaddr *)&a, sizeof(a), path, out, e);
	umask(old);
	if (e->code)
		return e->code;
	out->path = path;
	snprintf(out->name, sizeof(out->name), UNIX "%s", path);
	return E_OK;
}

static enum err_code bad_address(const char *where, struct err *e)
{
	return err_set_fix(e, E_USAGE,
		"use 127.0.0.1:8420, [::1]:8420, localhost:8420 or unix:PATH",
		"web: '%.80s' is not a valid address", where);
}

/* Sets the address, in its shortest spelling. Returns the port; 0: it is the socket of a path. */
static int add_address(struct web_socket *s)
{
	union net_address a = {0};
	socklen_t len = sizeof(a);
	bool six;
	char text[INET6_ADDRSTRLEN];

	if (getsockname(s->fd, &a.any, &len))
		return 0;
	six = a.any.sa_family == AF_INET6;
	if ((!six && a.any.sa_family != AF_INET) ||
		!inet_ntop(a.any.sa_family,
			six ? (void *)&a.v6.sin6_addr : (void *)&a.v4.sin_addr, text,
			sizeof(text)))
		return 0;
	snprintf(s->host, sizeof(s->host), six ? "[%s]" : "%s", text);
	return ntohs(six ? a.v6.sin6_port : a.v4.sin_port);
}

static enum err_code listen_address(
	const char *where, struct web_socket *out, struct err *e)
{
	union net_address a;
	int port;

	if (!net_listen_parse(where, &a))
		return bad_address(where, e);
	out->local = net_address_is_loopback(&a.any);
	if (use(&a.any, a.any.sa_family == AF_INET6 ? sizeof(a.v6) : sizeof(a.v4), where,
		    out, e))
		return e->code;
	port = add_address(out);
	snprintf(out->name, sizeof(out->name), "http://%s:%d/", out->host, port);
	return E_OK;
}

/* systemd passes one socket, bound and listening. */
static bool take_passed(struct web_socket *out)
{
	const char *pid = getenv("LISTEN_PID"), *n = getenv("LISTEN_FDS");
	int64_t v;

	if (!pid || !n || strcmp(n, "1") != 0 || !str_to_i64(pid, 1, INT32_MAX, &v) ||
		v != getpid())
		return false;
	out->fd = FIRST_FD;
	fcntl(out->fd, F_SETFD, FD_CLOEXEC);
	fcntl(out->fd, F_SETFL, fcntl(out->fd, F_GETFL) | O_NONBLOCK);
	out->local = true; /* the administrator of the machine chose the address */
	add_address(out);
	snprintf(out->name, sizeof(out->name), "the socket of systemd");
	return true;
}

enum err_code web_listen(const char *where, struct web_socket *out, struct err *e)
{
	*out = (struct web_socket){.fd = -1, .local = true};
	if (take_passed(out))
		return E_OK;
	if (str_starts(where, UNIX))
		return listen_path(where + strlen(UNIX), out, e);
	return listen_address(where, out, e);
}

/* ---- names ------------------------------------------------------------------------------------- */

/* Length of "name" in "name:8420"; 0: the port is not a number. */
static size_t name_length(const char *host)
{
	const char *end = *host == '[' ? strchr(host, ']') : host + strcspn(host, ":");
	size_t n;

	if (!end)
		return 0;
	n = (size_t)(end - host) + (*host == '[');
	if (host[n] &&
		(host[n] != ':' || !host[n + 1] ||
			host[n + 1 + strspn(host + n + 1, "0123456789")]))
		return 0;
	return n;
}

bool web_host_allowed(
	const char *host, const char *address, const char *const *allowed, size_t n)
{
	const char *const own[] = {"localhost", "127.0.0.1", "[::1]", address};
	size_t len = name_length(host);

	for (size_t i = 0; len && i < ARRAY_LEN(own) + n; i++) {
		const char *name = i < ARRAY_LEN(own) ? own[i]
						      : allowed[i - ARRAY_LEN(own)];

		if (strlen(name) == len && !strncasecmp(name, host, len))
			return true;
	}
	return false;
}
