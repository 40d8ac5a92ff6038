#include "cli/zones.h"

#include "cli/config/config.h"
#include "db/db.h"

#include <unistd.h>

void zones_known(struct app *app, struct tpu_zones *z)
{
	const struct config *cfg = app->cfg;
	struct db *own = NULL, *db = app->db;
	struct err ignored = {0};

	*z = (struct tpu_zones){0};
	if (!cfg)
		return;
	tpu_zones_add_prices(z, &app->arena, cfg->prices, cfg->n_prices);
	if (!db && !access(cfg->database, F_OK) &&
		!db_open(cfg->database, DB_READ, app->clock, &own, &ignored))
		db = own;
	/* without the database, the built-in list is used */
	if (db && tpu_zones_read(db, &app->arena, z, &ignored))
		err_clear(&ignored);
	if (own)
		db_close(own);
}
