/* Total burn by currency, for a line of `status` and `top`. */
#ifndef TPUCOST_CLI_SCREEN_GLANCE_BURN_H
#define TPUCOST_CLI_SCREEN_GLANCE_BURN_H

#include "cli/cmd.h"

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
/* Is the project selected by --project? Without the option, all are. */
bool glance_is_asked(const struct app *app, const char *project);

#endif
