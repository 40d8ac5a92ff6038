/* Full-screen terminal output. Private to cli/screen/watch*.c. */
#ifndef TPUCOST_CLI_SCREEN_WATCH_SCREEN_H
#define TPUCOST_CLI_SCREEN_WATCH_SCREEN_H

#include "base/sbuf.h"

#include <termios.h>

struct screen {
	bool on;               /* the alternate screen is shown, the cursor hidden */
	bool keys;             /* standard input is read key by key */
	struct termios before; /* settings of standard input to restore */
};

void screen_enter(struct screen *s);
void screen_leave(struct screen *s);
/* Prints the head, then the part of the body that fits below it and the number of lines left out. A line wider than
 * the terminal counts as several. */
void screen_draw(const char *head, const char *body, int width, int height);

#endif
