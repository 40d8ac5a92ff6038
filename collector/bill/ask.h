/* Questions about lines of the bill of which only sums of days are kept: BigQuery adds up what the question needs, and the
 * answer is stored until the bill changes. */
#ifndef TPUCOST_COLLECTOR_BILL_ASK_H
#define TPUCOST_COLLECTOR_BILL_ASK_H

#include "collector/source/source.h"
#include "db/answer.h"

struct billing_asking {
	struct db *db; /* open for writing */
	struct gcp *gcp;
	const struct collect_settings *settings; /* max_bytes: of the whole question */
	struct arena *a;
	ts_t now;
	/* Called with the bytes that it will read, before it does; an error ends it. */
	enum err_code (*tell)(void *ctx, int64_t bytes, struct err *e);
	void *ctx;
	bool (*stopped)(void);
};

/* Puts the answer into the database. E_CONFLICT: the export is another one than that of the stored sums. E_NOTFOUND: it no
 * longer has some of the days. */
enum err_code billing_ask(const struct billing_asking *x, const struct billing_question *q,
	struct err *e) must_check;

#endif
