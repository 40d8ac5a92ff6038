#include "cli/screen/watch_screen.h"

#include "base/str.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Control sequences of xterm: alternate screen and cursor. All common terminals support them. */
#define ENTER "\033[?1049h\033[?25l"
#define LEAVE "\033[?25h\033[?1049l"
#define HOME "\033[H"
#define CLEAR_LINE "\033[K"
#define CLEAR_BELOW "\033[J"

/* Is this process in the foreground? A background job must not read keys. */
static bool in_foreground(void)
{
	return isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
}

void screen_enter(struct screen *s)
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

void screen_leave(struct screen *s)
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
	struct sbuf plain = SBUF_INIT;
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
	sbuf_done(&plain);
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

void screen_draw(const char *head, const char *body, int width, int height)
{
	size_t w = (size_t)width, lines, used = 0, shown = 0;
	size_t room = (size_t)height - rows_of(head, strlen(head), w);
	bool whole = rows_of_all(body, w, &lines) <= room;
	struct sbuf b = SBUF_INIT;

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
	sbuf_done(&b);
}
