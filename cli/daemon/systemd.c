/* The protocol of sd_notify(3): a datagram of NAME=VALUE lines to the socket $NOTIFY_SOCKET. */
#include "cli/daemon/daemon.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void systemd_notify(const char *fmt, ...)
{
	const char *to = getenv("NOTIFY_SOCKET");
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	size_t len = to ? strlen(to) : 0;
	char text[512];
	va_list ap;
	int n, fd;

	if (!len || len >= sizeof(a.sun_path) || (*to != '/' && *to != '@'))
		return;
	memcpy(a.sun_path, to, len);
	if (*to == '@')
		a.sun_path[0] = '\0'; /* an abstract name */
	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	/* Without systemd at the other end there is nothing to do about it. */
	(void)!sendto(fd, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1,
		MSG_NOSIGNAL, (const struct sockaddr *)&a,
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
	close_fd(&fd);
}

int64_t systemd_watchdog_ms(void)
{
	const char *usec = getenv("WATCHDOG_USEC");
	const char *pid = getenv("WATCHDOG_PID");
	int64_t v;

	if (!usec || (pid && !(str_to_i64(pid, 1, INT32_MAX, &v) && v == getpid())))
		return 0;
	return str_to_i64(usec, 1, INT64_MAX, &v) ? v / 1000 : 0;
}
