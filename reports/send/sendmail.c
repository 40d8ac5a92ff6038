/* Sends letters as mail through the sendmail program of this machine, which queues them. */
#include "reports/send/internal.h"

#include "base/libc.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#define DEFAULT_PROGRAM "/usr/sbin/sendmail"
#define LIMIT_MS 60000
#define STEP_MS 20
#define MAX_OUTPUT 4096 /* further output is discarded */

struct job {
	const char *program;
	char *argv[8];
	int mail; /* a file without a name: the program's input */
	size_t len;
	int said[2]; /* the program's output: read end, write end */
	pid_t pid;
	struct sbuf output;
};

/* ---- the program -------------------------------------------------------------------------- */

/* The mail as a file: a program that stops reading cannot block tpucost, and the position shows how
 * much it has read. */
static enum err_code make_input(struct job *j, const struct sbuf *mail, struct err *e)
{
	size_t at = 0;
	ssize_t n = 0;

	j->len = mail->len;
	j->mail = memfd_create("mail", MFD_CLOEXEC);
	while (j->mail >= 0 && at < mail->len && (n >= 0 || errno == EINTR)) {
		n = write(j->mail, mail->s + at, mail->len - at);
		at += n > 0 ? (size_t)n : 0;
	}
	if (at < mail->len || lseek(j->mail, 0, SEEK_SET) != 0)
		return err_sys(e, E_IO, errno, "cannot store the mail for %s", j->program);
	if (pipe2(j->said, O_CLOEXEC))
		return err_sys(e, E_IO, errno, "cannot create a pipe for %s", j->program);
	return fcntl(j->said[0], F_SETFL, O_NONBLOCK) ? err_sys(e, E_IO, errno, "pipe")
						      : E_OK;
}

/* Only the variables with which programs find their configuration. */
static void make_environment(char *env[5], struct arena *a)
{
	static const char *const kept[] = {"HOME", "USER", "LOGNAME"};
	int n = 0;

	env[n++] = arena_strdup(a, "PATH=/usr/sbin:/usr/bin:/sbin:/bin");
	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		if (getenv(kept[i]))
			env[n++] = arena_printf(a, "%s=%s", kept[i], getenv(kept[i]));
	env[n] = NULL;
}

static int spawn(struct job *j, char *const env[])
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t all, none;
	int rc;

	sigfillset(&all);
	sigemptyset(&none);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, j->mail, 0);
	posix_spawn_file_actions_adddup2(&files, j->said[1], 1);
	posix_spawn_file_actions_adddup2(&files, j->said[1], 2);
	posix_spawn_file_actions_addclosefrom_np(&files, 3);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setsigmask(&attr, &none);
	/* A separate process group, so that its children can be ended with it. */
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setflags(&attr,
		POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	rc = posix_spawn(&j->pid, j->program, &files, &attr, j->argv, env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return rc;
}

static void hear(struct job *j)
{
	char buf[1024];
	ssize_t n;

	while ((n = read(j->said[0], buf, sizeof(buf))) > 0)
		sbuf_add(&j->output, buf, (size_t)n);
}

/* Returns its status; -1: it was killed. The pipe does not signal the end: a process that the
 * program left running can keep it open. */
static int wait_for(struct job *j, struct clock *clock)
{
	int64_t until = clock_mono_ms(clock) + LIMIT_MS;
	int status;

	for (;;) {
		struct pollfd p = {.fd = j->said[0], .events = POLLIN};

		hear(j);
		if (waitpid(j->pid, &status, WNOHANG) == j->pid)
			break;
		if (clock_mono_ms(clock) >= until) {
			kill(-j->pid, SIGKILL);
			waitpid(j->pid, &status, 0);
			status = -1;
			break;
		}
		/* A closed pipe is always readable. */
		if (poll(&p, 1, STEP_MS) > 0 && (p.revents & POLLHUP))
			poll(NULL, 0, STEP_MS);
	}
	hear(j);
	return status;
}

/* ---- exit status -------------------------------------------------------------------------- */

/* Codes of sysexits.h, which every sendmail uses; shells use 126 and 127. */
static enum send_class class_of_exit(int code)
{
	switch (code) {
	case EX_OK:
		return SEND_SENT;
	case EX_USAGE:
	case EX_DATAERR:
	case EX_NOUSER:
	case EX_NOHOST:
		return SEND_REJECTED;
	case EX_NOPERM:
	case EX_CONFIG:
	case 126:
	case 127:
		return SEND_SWITCHED_OFF;
	default:
		return SEND_LATER;
	}
}

static const char *last_line(struct sbuf *b)
{
	const char *line;

	while (b->len && (b->s[b->len - 1] == '\n' || b->s[b->len - 1] == '\r'))
		sbuf_trunc(b, b->len - 1);
	line = strrchr(b->s, '\n');
	return line ? line + 1 : b->s;
}

static void conclude(
	struct job *j, const struct channel *c, int status, struct send_result *out)
{
	bool read_all = lseek(j->mail, 0, SEEK_CUR) >= (off_t)j->len;
	const char *said = last_line(&j->output);

	send_set_reply(out, said);
	if (status >= 0 && WIFEXITED(status)) {
		out->class = class_of_exit(WEXITSTATUS(status));
		if (out->class == SEND_SENT)
			return;
		err_set(&out->err, E_IO, "%s: exit status %d%s%s", j->program,
			WEXITSTATUS(status), *out->reply ? ": " : "", out->reply);
	} else {
		out->class = read_all ? SEND_UNCLEAR : SEND_NOT_SENT;
		err_set(&out->err, E_IO, "%s: %s", j->program,
			status < 0 ? "killed after a timeout"
				   : strsignal(WTERMSIG(status)));
	}
	if (out->class == SEND_SWITCHED_OFF)
		err_fix(&out->err,
			"check `program` of channel %s; tpucost tries again after the "
			"configuration changes",
			c->name);
}

static void run(
	struct sender *s, const struct channel *c, struct job *j, struct send_result *out)
{
	cleanup(arena_done) struct arena a = {0};
	char *env[5];
	int rc;

	make_environment(env, &a);
	rc = spawn(j, env);
	if (!rc) {
		close(j->said[1]);
		j->said[1] = -1;
		conclude(j, c, wait_for(j, s->clock), out);
		return;
	}
	/* A lack of memory or processes is a state of this machine, not of the configuration. */
	out->class = rc == EAGAIN || rc == ENOMEM ? SEND_NOT_SENT : SEND_SWITCHED_OFF;
	err_sys(&out->err, E_IO, rc, "cannot run %s", j->program);
	if (out->class == SEND_SWITCHED_OFF)
		err_fix(&out->err,
			"install a mail server (exim4, postfix, msmtp-mta) or set "
			"`program` "
			"of channel %s",
			c->name);
}

void send_sendmail(struct sender *s, const struct channel *c, const struct letter *l,
	struct send_result *out)
{
	cleanup(sbuf_done) struct sbuf mail = SBUF_INIT;
	struct letter_mail m = {0};
	struct job j = {.program = c->program ? c->program : DEFAULT_PROGRAM,
		.mail = -1,
		.said = {-1, -1},
		.output = SBUF_MAX(MAX_OUTPUT)};
	char *argv[] = {(char *)(uintptr_t)j.program, (char[]){"-i"}, (char[]){"-f"},
		m.from.addr, (char[]){"--"}, m.to.addr, NULL};

	*out = (struct send_result){.class = SEND_NOT_SENT, .retry_after = -1};
	memcpy(j.argv, argv, sizeof(argv));
	if (letter_mail(c, l, &m, &out->err) ||
		mail_write(&m.draft, MAIL_WRITE_MAX, &mail, &out->err))
		out->class = SEND_REJECTED;
	else if (!make_input(&j, &mail, &out->err))
		run(s, c, &j, out);
	close_fd(&j.mail);
	close_fd(&j.said[0]);
	close_fd(&j.said[1]);
	sbuf_done(&j.output);
	if (out->class != SEND_SENT)
		err_wrap(&out->err, "cannot send mail to %s", l->recipient);
}
