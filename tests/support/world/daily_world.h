/* A small world for tests of the daily report: what was derived is put into the tables as it
 * stands, and cells of the document are asked for in words. One at a time; every function fails
 * the test where something goes wrong. */
#ifndef TPUCOST_TESTS_SUPPORT_DAILY_WORLD_H
#define TPUCOST_TESTS_SUPPORT_DAILY_WORLD_H

#include "reports/kinds.h"
#include "tests/support/tempdb.h"

#define DW_NOW INT64_C(1795219200) /* 2026-11-21T00:00Z, Saturday 08:00 in Hong Kong */

struct daily_world {
	struct tempdb t;
	struct settings settings; /* in USD, with the built-in rules */
	struct doc *doc;          /* the newest one */
};
extern struct daily_world dw;

int dw_setup(void **state);
/* Nothing was ever seen. */
void dw_clear(void);
/* Everything was read a minute ago. */
void dw_polled(void);
/* A source with its last complete poll; `error` NULL: none. */
void dw_source(const char *source, const char *state, ts_t success, const char *error,
	const char *fix);

/* NULL and 0: project p, us-central1-b, running on demand for two hours, USD; no verdict. */
struct dw_thing {
	const char *kind, *name, *location, *state, *raw_state, *type, *provisioning,
		*queued;
	const char *source, *why, *why_text, *grant, *currency;
	int64_t net, gross, hosts;
	bool unpriced, exempt;
};
void dw_put(const struct dw_thing *x);
#define PUT(...) dw_put(&(struct dw_thing){__VA_ARGS__})
/* The same, with what it burns as one part. */
void dw_burns(const char *id, const char *category, int64_t gross, int64_t net,
	const char *currency);
/* A rule fires for a subject. */
void dw_fires(
	const char *rule, const char *subject, const char *severity, const char *summary);
/* Billed on a day so many before today, in nanos. */
void dw_bill(int days_ago, const char *category, const char *currency, int64_t cost,
	int64_t credits);

const struct doc *dw_build(void);
/* Section, row, key of the column: as people see it, "-" where there is none. */
const char *dw_cell(const char *section, size_t row, const char *key);
void dw_is(const char *section, size_t row, const char *key, const char *want);
void dw_rows(const char *section, size_t want);
const struct doc_row *dw_row(const char *section, size_t row);
const char *dw_render(const char *format);

#endif
