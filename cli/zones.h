/* Zones of TPUs that the commands know. */
#ifndef TPUCOST_CLI_ZONES_H
#define TPUCOST_CLI_ZONES_H

#include "cli/cmd.h"
#include "rules/grant/zones.h"

/* Adds the zones of the configuration, if it was loaded, and those of its database, if it exists and
 * can be read; the built-in ones are always known. */
void zones_known(struct app *app, struct tpu_zones *z);

#endif
