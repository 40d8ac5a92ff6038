/* Remembering what the tables of the present forget, so that rules can be replayed. */
#ifndef TPUCOST_COLLECTOR_PAST_H
#define TPUCOST_COLLECTOR_PAST_H

#include "db_sql.h"

/* A resource as it was just stored. */
enum err_code past_resource(
	struct db *db, const struct q_resource_put_in *r, struct err *e) must_check;
/* A metric as it was just stored. */
enum err_code past_metric(
	struct db *db, const struct q_metric_put_in *m, struct err *e) must_check;
/* What is older than 100 days goes. */
enum err_code past_forget(
	struct db *db, const char *project, ts_t now, struct err *e) must_check;

#endif
