/* Tables that are published in BigQuery. Private to cli/net/publish*.c. */
#ifndef TPUCOST_CLI_NET_PUBLISH_H
#define TPUCOST_CLI_NET_PUBLISH_H

#include "cli/cmd.h"
#include "db/db.h"
#include "gcp/bill/bq_load.h"

#define PUBLISH_WINDOW 35 /* days whose rows are compared with those that were sent */
#define N_PUBLISHED 8

/* A table: a view, and which rows of it are sent when. */
struct published {
	const char *view;
	int64_t every;   /* rows of the present, added so often; 0: the rows of each day */
	bool whole_days; /* not of a day that has not ended */
	bool adds; /* those since a gap are added to rows of another database (publish_gap) */
	struct db_rows (*read)(const struct db_reader *r, const void *in);
};
extern const struct published published[N_PUBLISHED];

struct publisher {
	struct app *app;
	ts_t now;
	day_t today;
	struct http *http;
	struct gcp *gcp;
	struct bq_dataset dataset;
	struct destination {
		struct bq_field *fields;
		size_t n_fields;
		bool looked;  /* its table was compared with the columns */
		bool missing; /* the table does not exist yet */
		bool blocked; /* it cannot be written in this cycle */
	} targets[N_PUBLISHED];
	size_t loaded;
	int64_t until;  /* of the monotonic clock: no request begins later in this cycle */
	struct err why; /* the first error of a table */
};

/* The columns of a table, from the vocabulary. */
void publish_fields(struct publisher *p, const struct published *t, struct destination *x);
/* End of the newest time in which another database may have published rows of a day; 0: none did. */
enum err_code publish_gap(struct publisher *p, const struct published *t, day_t day,
	ts_t *gap, struct err *e) must_check;
/* Confirms that this machine still holds the lease, if there is one: it may have been suspended since the cycle began. */
enum err_code publish_confirm(struct publisher *p, struct err *e) must_check;
/* Stores what is to be sent; `any`: it was time for that. */
enum err_code publish_compose(struct publisher *p, bool *any, struct err *e) must_check;

#endif
