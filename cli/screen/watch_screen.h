/* A terminal that is drawn over. Private to cli/watch*.c. */
#ifndef TPUCOST_CLI_SCREEN_WATCH_SCREEN_H
#define TPUCOST_CLI_SCREEN_WATCH_SCREEN_H

#include "base/sbuf.h"

#include <termios.h>

struct screen {
	bool on;               /* the other screen is shown, the cursor hidden */
	bool keys;             /* standard input is read key by key */
	struct termios before; /* what standard input was set to */
};

void screen_enter(struct screen *s);
void screen_leave(struct screen *s);
/* The head, then as much of the body as there is room for below it; says how much is left out. A
 * line wider than the terminal takes several. */
void screen_draw(const char *head, const char *body, int width, int height);

#endif
