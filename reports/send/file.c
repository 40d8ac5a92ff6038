/* Appends each letter to a file, as one line of JSON. */
#include "base/data/json.h"
#include "base/mem.h"
#include "reports/send/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK_TRIES 100
#define LOCK_STEP_MS 20

/* The problem can be fixed without a change of the configuration (a permission, a disk that is full
 * or not mounted), so the letter waits and the channel stays on. */
static void fail(const struct channel *c, const char *what, int errnum,
	enum send_class class, struct send_result *out)
{
	out->class = class;
	err_sys(&out->err, E_IO, errnum, "file: cannot %s %s", what, c->path);
}

/* Opening a FIFO or a device can block or have side effects. */
static bool is_regular(
	const struct channel *c, const struct stat *st, struct send_result *out)
{
	if (S_ISREG(st->st_mode))
		return true;
	out->class = SEND_SWITCHED_OFF;
	err_set(&out->err, E_IO, "file: %s is not a regular file", c->path);
	err_fix(&out->err, "set path of channel %s to a file", c->name);
	return false;
}

static int open_log(const struct channel *c, struct send_result *out)
{
	struct stat st;
	int fd;

	if (stat(c->path, &st) == 0 && !is_regular(c, &st, out))
		return -1;
	/* O_NONBLOCK: the path may have been replaced in between. */
	fd = open(c->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
		0600);
	if (fd < 0) {
		int errnum = errno;

		fail(c, "open", errnum,
			errnum == EROFS || errnum == ENOSPC || errnum == EDQUOT
				? SEND_LATER
				: SEND_NOT_SENT,
			out);
		if (errnum == ENOENT)
			err_fix(&out->err, "create the directory");
		return -1;
	}
	if (fstat(fd, &st) != 0 || !is_regular(c, &st, out)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Reports whether the last line is complete. */
static bool ends_in_line(int fd)
{
	struct stat st;
	char last = '\n';

	if (fstat(fd, &st) == 0 && st.st_size > 0 &&
		pread(fd, &last, 1, st.st_size - 1) != 1)
		return true;
	return last == '\n';
}

static void append(
	int fd, const struct channel *c, const struct sbuf *line, struct send_result *out)
{
	/* The line break at the beginning ends a line that a crash or a full disk cut off. */
	const char *from = ends_in_line(fd) ? line->s + 1 : line->s;
	size_t len = line->len - (size_t)(from - line->s);
	ssize_t n;

	do
		n = write(fd, from, len);
	while (n < 0 && errno == EINTR);
	if (n < 0 || (size_t)n < len)
		fail(c, "write", n < 0 ? errno : ENOSPC, SEND_LATER, out);
	else if (fsync(fd) != 0) /* the line is written, and may persist */
		fail(c, "sync", errno, SEND_UNCLEAR, out);
	else
		out->class = SEND_SENT;
}

/* Other processes hold the lock for a short time only. */
static int lock(int fd)
{
	for (int i = 0; flock(fd, LOCK_EX | LOCK_NB); i++) {
		if ((errno != EWOULDBLOCK && errno != EINTR) || i >= LOCK_TRIES)
			return -1;
		poll(NULL, 0, LOCK_STEP_MS);
	}
	return 0;
}

void send_file(struct sender *s, const struct channel *c, const struct letter *l,
	struct send_result *out)
{
	cleanup(json_free_ptr) struct cJSON *body = NULL;
	cleanup(close_fd) int fd = -1;
	cleanup(sbuf_done) struct sbuf line = SBUF_INIT;

	(void)s;
	if (!send_parse_body(l, &body, out))
		return;
	fd = open_log(c, out);
	if (fd < 0)
		return;
	sbuf_addc(&line, '\n');
	send_envelope(l, body, NULL, &line);
	sbuf_addc(&line, '\n');
	/* Other tpucost processes must find whole lines. */
	if (lock(fd) != 0)
		fail(c, "lock", errno, SEND_LATER, out);
	else
		append(fd, c, &line, out);
}
