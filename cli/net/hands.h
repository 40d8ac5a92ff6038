/* The hands of enforcement: struct hands of rules/enforce/hands.h over Google's APIs, with the credentials
 * of who acts. */
#ifndef TPUCOST_CLI_NET_HANDS_H
#define TPUCOST_CLI_NET_HANDS_H

#include "cli/cmd.h"
#include "rules/enforce/hands.h"

struct hands_state; /* opaque */

/* Loads nothing and sends nothing: credentials are read when something is asked of the hands first
 * (E_AUTH, E_CONFIG there). `app` must outlive it. */
struct hands_state *hands_open(struct app *app);
void hands_close_ptr(struct hands_state **h); /* for cleanup() */

/* Good as long as `h`. */
const struct hands *hands_of(const struct hands_state *h);

#endif
