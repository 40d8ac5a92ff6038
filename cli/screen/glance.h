/* Summary lines of `status` and `top`: burn, budgets, grants and credits. */
#ifndef TPUCOST_CLI_SCREEN_GLANCE_H
#define TPUCOST_CLI_SCREEN_GLANCE_H

#include "cli/cmd.h"
#include "cli/out/out.h"

#define GLANCE_INDENT 9 /* width of the first word of each line, with its blanks */

/* "Burn     62.00 HKD/h net ...". The database must be open. Shows at most `most` lines of each kind and the number of
 * the others. */
enum err_code glance_add(struct app *app, struct sbuf *b, const struct out_style *style,
	size_t most, struct err *e) must_check;
/* One summary line: the word, then the text, wrapped below itself. `color` may be NULL. */
void glance_line(struct sbuf *b, const char *word, const char *text, const char *color,
	const struct out_style *style);

#define GLANCE_CURRENCIES 8 /* others are left out */

struct glance_burn {
	const char *currency[GLANCE_CURRENCIES]; /* that of the most expensive part first */
	int64_t hour[GLANCE_CURRENCIES], day[GLANCE_CURRENCIES]; /* net, nanos */
	size_t n;
	int64_t unknown; /* parts without a price */
};

/* The present burn of the projects of --project. The view burn also reads the past, which takes several times as long.
 * The session must be open; the texts are allocated from its arena. E_OVERFLOW: the sum does not fit. */
enum err_code glance_burn_read(
	struct app *app, struct glance_burn *out, struct err *e) must_check;

#endif
