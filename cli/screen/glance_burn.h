/* What everything that runs burns together, by currency: for a line of `status` and `top`. */
#ifndef TPUCOST_CLI_SCREEN_GLANCE_BURN_H
#define TPUCOST_CLI_SCREEN_GLANCE_BURN_H

#include "cli/cmd.h"

#define GLANCE_CURRENCIES 8 /* others are left out */

struct glance_burn {
	const char *currency[GLANCE_CURRENCIES]; /* the one of the dearest part first */
	int64_t hour[GLANCE_CURRENCIES], day[GLANCE_CURRENCIES]; /* net, nanos */
	size_t n;
	int64_t unknown; /* parts without a price */
};

/* As the view burn, which also looks up what was before: that takes several times as long. Of the
 * projects of --project. The session is open; texts are its own. E_OVERFLOW: it does not add up. */
enum err_code glance_burn_read(
	struct app *app, struct glance_burn *out, struct err *e) must_check;
/* Is that project one of --project, or none asked for? */
bool glance_is_asked(const struct app *app, const char *project);

#endif
