/* Repeated output: --watch and `top`. */
#include "cli/screen/screen.h"

#include "base/time/civil.h"
#include "base/str.h"
#include "base/time/tz.h"
#include "cli/config/config.h"
#include "cli/out/out.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define OUTPUT_MOST (16 << 20)

/* ---- the screen -------------------------------------------------------------------------------- */

/* Control sequences of xterm: alternate screen and cursor. All common terminals support them. */
#define ENTER "\033[?1049h\033[?25l"
#define LEAVE "\033[?25h\033[?1049l"
#define HOME "\033[H"
#define CLEAR_LINE "\033[K"
#define CLEAR_BELOW "\033[J"

struct screen {
	bool on;               /* the alternate screen is shown, the cursor hidden */
	bool keys;             /* standard input is read key by key */
	struct termios before; /* settings of standard input to restore */
};

/* Is this process in the foreground? A background job must not read keys. */
static bool in_foreground(void)
{
	return isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
}

static void screen_enter(struct screen *s)
{
	struct termios raw;

	fputs(ENTER, stdout);
	fflush(stdout);
	s->on = true;
	if (s->keys || !in_foreground() || tcgetattr(STDIN_FILENO, &s->before))
		return;
	raw = s->before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	s->keys = !tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

static void screen_leave(struct screen *s)
{
	if (s->on) {
		fputs(LEAVE, stdout);
		fflush(stdout);
	}
	if (s->keys && in_foreground())
		tcsetattr(STDIN_FILENO, TCSANOW, &s->before);
	s->on = s->keys = false;
}

/* Width of a line without its colours. */
static size_t shown_width(const char *line, size_t n)
{
	cleanup(sbuf_done) struct sbuf plain = SBUF_INIT;
	size_t w;

	for (size_t i = 0; i < n; i++) {
		if (line[i] == '\033') {
			while (i < n && line[i] != 'm')
				i++;
			continue;
		}
		sbuf_addc(&plain, line[i]);
	}
	w = utf8_width(plain.s);
	return w;
}

static size_t rows_of(const char *line, size_t n, size_t width)
{
	size_t w = shown_width(line, n);

	return w > width ? (w + width - 1) / width : 1;
}

static size_t rows_of_all(const char *text, size_t width, size_t *lines)
{
	size_t rows = 0;

	*lines = 0;
	for (const char *p = text; *p; ++*lines) {
		size_t n = strcspn(p, "\n");

		rows += rows_of(p, n, width);
		p += n + (p[n] == '\n');
	}
	return rows;
}

static void add_line(struct sbuf *b, const char *line, size_t n)
{
	sbuf_add(b, line, n);
	sbuf_adds(b, CLEAR_LINE "\r\n");
}

/* Prints the head, then the part of the body that fits below it and the number of lines left out. A line wider than
 * the terminal counts as several. */
static void screen_draw(const char *head, const char *body, int width, int height)
{
	size_t w = (size_t)width, lines, used = 0, shown = 0;
	size_t room = (size_t)height - rows_of(head, strlen(head), w);
	bool whole = rows_of_all(body, w, &lines) <= room;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_adds(&b, HOME);
	add_line(&b, head, strlen(head));
	for (const char *p = body; *p; shown++) {
		size_t n = strcspn(p, "\n"), rows = rows_of(p, n, w);

		if (!whole && used + rows + 1 > room)
			break;
		add_line(&b, p, n);
		used += rows;
		p += n + (p[n] == '\n');
	}
	if (whole && b.len >= 2) /* no newline after the last line: it would scroll */
		sbuf_trunc(&b, b.len - 2);
	else
		sbuf_addf(&b, "and %zu more lines" CLEAR_LINE, lines - shown);
	sbuf_adds(&b, CLEAR_BELOW);
	fwrite(b.s, 1, b.len, stdout);
	fflush(stdout);
}

/* ---- the command ------------------------------------------------------------------------------- */

/* Reason of a wake-up. */
enum wake { WAKE_DRAW, WAKE_DONE, WAKE_QUIT, WAKE_DIE };

struct watching {
	struct app *app;
	const struct watch *w;
	struct screen screen;
	struct out_style style; /* of the present output */
	bool redraw;            /* otherwise append */
	bool deaf;              /* standard input has ended */
	int signals;            /* signalfd */
	sigset_t blocked, before;
	int died_of;
	pid_t child;
	int out, err;     /* output of the child */
	int status;       /* exit status of the child */
	struct sbuf last; /* the last successful output */
	bool any;
	int unwritten; /* errno of a failed write to standard output */
};

bool watch_can_redraw(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

enum err_code watch_check(const struct app *app, enum out_format *format, struct err *e)
{
	const char *name = app->o.format && !strcmp(app->o.format, "text") ? NULL
									   : app->o.format;

	if (app->o.watch < 1 || app->o.watch > WATCH_MOST)
		return err_set_fix(e, E_USAGE, "e.g. --watch 5",
			"--watch: expected 1 to %d seconds", WATCH_MOST);
	if (app->o.apply || app->o.output)
		return err_set(e, E_USAGE, "--watch cannot be used with --%s",
			app->o.apply ? "apply" : "output");
	if (out_format_parse(name, format, e))
		return e->code;
	if (*format == OUT_TABLE || *format == OUT_JSON)
		return E_OK;
	return err_set_fix(e, E_USAGE, "use table or json",
		"--watch does not support %s: each output would repeat the header", name);
}

/* ---- the child --------------------------------------------------------------------------------- */

static _Noreturn void draw_and_exit(struct watching *x)
{
	struct err e = {0};
	int rc;

	sigprocmask(SIG_SETMASK, &x->before, NULL);
	if (dup2(x->out, STDOUT_FILENO) < 0 || dup2(x->err, STDERR_FILENO) < 0)
		_exit(EXIT_FAILED);
	out_style_fix(&x->style);
	x->app->now = clock_now(x->app->clock);
	rc = x->w->draw(x->app, &e);
	fflush(stdout);
	fflush(stderr);
	_exit(rc);
}

static enum err_code start(struct watching *x, struct err *e)
{
	fflush(stdout);
	x->style = out_style_stdout();
	x->out = memfd_create("out", MFD_CLOEXEC);
	x->err = memfd_create("err", MFD_CLOEXEC);
	x->child = x->out < 0 || x->err < 0 ? -1 : fork();
	if (x->child < 0)
		return err_sys(e, E_IO, errno, "start a process");
	if (!x->child)
		draw_and_exit(x);
	return E_OK;
}

/* Reads the output of the child and closes the file. */
static void take(int fd, struct sbuf *b)
{
	char part[8192];
	ssize_t n;

	if (fd < 0)
		return;
	lseek(fd, 0, SEEK_SET);
	while (b->len < OUTPUT_MOST && (n = read(fd, part, sizeof(part))) > 0)
		sbuf_add(b, part, (size_t)n);
	close(fd);
}

static void stop_child(struct watching *x)
{
	if (x->child <= 0)
		return;
	kill(x->child, SIGKILL);
	waitpid(x->child, NULL, 0);
	x->child = 0;
	close(x->out);
	close(x->err);
}

/* ---- waiting ----------------------------------------------------------------------------------- */

static void suspend(struct watching *x)
{
	screen_leave(&x->screen);
	kill(getpid(), SIGSTOP);
	if (x->redraw)
		screen_enter(&x->screen);
}

/* Handles one signal. False: keep waiting. */
static bool heard(struct watching *x, enum wake *why)
{
	struct signalfd_siginfo info;

	if (read(x->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return false;
	switch (info.ssi_signo) {
	case SIGCHLD:
		*why = WAKE_DONE;
		return x->child > 0 && waitpid(x->child, &x->status, WNOHANG) == x->child;
	case SIGTSTP:
		suspend(x);
		*why = WAKE_DRAW;
		return !x->child;
	case SIGWINCH:
	case SIGCONT:
		*why = WAKE_DRAW;
		return x->redraw && !x->child;
	case SIGINT:
		*why = WAKE_QUIT;
		return true;
	default:
		x->died_of = (int)info.ssi_signo;
		*why = WAKE_DIE;
		return true;
	}
}

static bool typed(struct watching *x, enum wake *why)
{
	char key;
	ssize_t n = read(STDIN_FILENO, &key, 1);

	x->deaf = n == 0 || (n < 0 && errno != EINTR);
	*why = key == 'q' || key == 'Q' ? WAKE_QUIT : WAKE_DRAW;
	return n == 1 && (*why == WAKE_QUIT || (key == ' ' && !x->child));
}

/* Waits for the end of the child, or without one for the next interval. */
static enum wake wait_for(struct watching *x)
{
	int64_t until = clock_mono_ms(x->app->clock) + x->w->seconds * 1000;
	enum wake why = WAKE_DRAW;

	for (;;) {
		struct pollfd fds[] = {{.fd = x->signals, .events = POLLIN},
			{.fd = x->screen.keys && !x->deaf ? STDIN_FILENO : -1,
				.events = POLLIN}};
		int64_t left = until - clock_mono_ms(x->app->clock);
		int n = poll(fds, ARRAY_LEN(fds), x->child ? -1 : left > 0 ? (int)left : 0);

		if (!n)
			return WAKE_DRAW;
		if (n > 0 && fds[0].revents && heard(x, &why))
			return why;
		if (n > 0 && fds[1].revents && typed(x, &why))
			return why;
	}
}

/* ---- showing ----------------------------------------------------------------------------------- */

/* Position of the last character. */
static size_t last_char(const struct sbuf *b)
{
	size_t at = b->len - 1;

	while (at && ((unsigned char)b->s[at] & 0xc0) == 0x80)
		at--;
	return at;
}

static void add_head(struct watching *x, struct sbuf *b)
{
	size_t width = (size_t)x->style.width, w, room;
	char at[TZ_TIME_BUF], clock[TZ_TIME_BUF + 8], seconds[DURATION_BUF];
	cleanup(sbuf_done) struct sbuf title = SBUF_INIT;
	ts_t now = clock_now(x->app->clock);

	snprintf(clock, sizeof(clock), "%s:%02d", tz_time(x->app->cfg->tz, now, at),
		(int)(now % 60));
	sbuf_addf(&title, "Every %s: ", duration_format(x->w->seconds, seconds));
	sbuf_add_term(&title, x->w->title);
	w = utf8_width(title.s);
	room = width > strlen(clock) + 2 ? width - strlen(clock) - 2 : 0;
	for (; w > room;
		w = utf8_width(title.s)) /* shorten the title rather than the time */
		sbuf_trunc(&title, last_char(&title));
	sbuf_adds(b, title.s);
	w = utf8_width(title.s);
	if (w + strlen(clock) < width)
		sbuf_pad(b, ' ', width - w - strlen(clock));
	sbuf_adds(b, clock);
}

/* Wraps text at the width of the screen, but not commands. */
static void add_notes(struct sbuf *b, const char *notes, size_t width)
{
	cleanup(sbuf_done) struct sbuf line = SBUF_INIT;

	for (const char *p = notes; *p; p += *p == '\n') {
		size_t n = strcspn(p, "\n");

		sbuf_reset(&line);
		sbuf_add(&line, p, n);
		p += n;
		if (!str_starts(line.s, "tpucost: ") && utf8_width(line.s) > width)
			sbuf_add_wrapped(b, line.s, 0, 0, width);
		else
			sbuf_addf(b, "%s\n", line.s);
	}
}

/* After a failure the last output stays, below the error. */
static void show(struct watching *x, const struct sbuf *out, const struct sbuf *notes)
{
	cleanup(sbuf_done) struct sbuf head = SBUF_INIT, body = SBUF_INIT;

	if (!x->redraw) {
		char at[RFC3339_BUF];

		if (x->any && !x->w->document)
			printf("\n--- %s\n", rfc3339_format(clock_now(x->app->clock), at));
		errno = 0;
		fwrite(out->s, 1, out->len, stdout);
		fflush(stdout);
		x->unwritten = ferror(stdout) ? errno : 0;
		fputs(notes->s, stderr);
		return;
	}
	if (!x->screen.on)
		screen_enter(&x->screen);
	add_head(x, &head);
	add_notes(&body, notes->s, (size_t)x->style.width);
	sbuf_adds(&body, body.len ? "\n" : "");
	sbuf_adds(&body, out->s);
	screen_draw(head.s, body.s, x->style.width, x->style.height);
}

/* Handles the end of the child. False: the first one failed, and its exit status is in *rc. */
static bool finish_drawing(struct watching *x, int *rc)
{
	cleanup(sbuf_done) struct sbuf out = SBUF_INIT, notes = SBUF_INIT;
	bool failed;

	x->child = 0;
	take(x->out, &out);
	take(x->err, &notes);
	*rc = WIFEXITED(x->status) ? WEXITSTATUS(x->status) : EXIT_FAILED;
	failed = *rc == EXIT_FAILED || *rc == EXIT_USAGE;
	if (failed && !(x->any && x->redraw)) {
		fputs(notes.s, stderr);
	} else if (failed) {
		show(x, &x->last, &notes);
	} else {
		show(x, &out, &notes);
		sbuf_reset(&x->last);
		sbuf_adds(&x->last, out.s);
		x->any = true;
	}
	return x->any;
}

/* A closed pipe is a normal end. Anything else is a failure. */
static int unwritten(const struct watching *x, struct err *e)
{
	if (x->unwritten == EPIPE)
		return EXIT_FINE;
	err_sys(e, E_IO, x->unwritten, "write to standard output");
	return cmd_fail(e);
}

static int loop(struct watching *x, struct err *e)
{
	int rc = EXIT_FINE;

	if (start(x, e))
		return cmd_fail(e);
	for (;;) {
		switch (wait_for(x)) {
		case WAKE_DONE:
			if (!finish_drawing(x, &rc))
				return rc;
			if (x->unwritten)
				return unwritten(x, e);
			break;
		case WAKE_DRAW:
			if (start(x, e)) {
				screen_leave(
					&x->screen); /* the alternate screen would hide it */
				return cmd_fail(e);
			}
			break;
		case WAKE_QUIT:
			return EXIT_FINE;
		case WAKE_DIE:
			return EXIT_FAILED;
		}
	}
}

static enum err_code hear_signals(struct watching *x, struct err *e)
{
	static const int which[] = {
		SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH};

	sigemptyset(&x->blocked);
	for (size_t i = 0; i < ARRAY_LEN(which); i++)
		sigaddset(&x->blocked, which[i]);
	sigprocmask(SIG_BLOCK, &x->blocked, &x->before);
	x->signals = signalfd(-1, &x->blocked, SFD_CLOEXEC);
	return x->signals < 0 ? err_sys(e, E_IO, errno, "wait for signals") : E_OK;
}

int watch_run(struct app *app, const struct watch *w, struct err *e)
{
	struct watching x = {.app = app, .w = w, .last = SBUF_INIT};
	int rc;

	x.redraw = watch_can_redraw() && !w->document;
	if (hear_signals(&x, e))
		return cmd_fail(e);
	rc = loop(&x, e);
	stop_child(&x);
	screen_leave(&x.screen);
	sbuf_done(&x.last);
	close(x.signals);
	sigprocmask(SIG_SETMASK, &x.before, NULL);
	if (x.died_of)
		raise(x.died_of);
	return rc;
}
