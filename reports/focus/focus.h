/* FOCUS, the FinOps Open Cost and Usage Specification: the dataset Cost and Usage of versions 1.2, 1.3
 * and 1.4 as CSV (focus.finops.org).
 *
 * A line of the bill is a row. Discounts (committed use, sustained use, ...) are in its BilledCost, as
 * the specification wants it, and by type in x_Credits. Promotions, free tiers and benefits of
 * subscriptions are paid afterwards: each is a row of its own with ChargeCategory Credit. The sums of
 * BilledCost are those of net, to the nano-unit. */
#ifndef TPUCOST_REPORTS_FOCUS_FOCUS_H
#define TPUCOST_REPORTS_FOCUS_FOCUS_H

#include "base/err.h"
#include "base/mem.h"
#include "base/sbuf.h"

struct tz;

enum focus_version { FOCUS_1_2, FOCUS_1_3, FOCUS_1_4 };

/* "1.2" "1.3" "1.4"; NULL is 1.2, the version of Google's own export. E_USAGE. */
enum err_code focus_version_read(
	const char *text, enum focus_version *out, struct err *e) must_check;

/* Line of the bill: usage of one hour, with its credits. Texts are never NULL; "": none. */
struct focus_line {
	const char *account, *project, *number;
	const char *service_id, *service, *sku_id, *sku, *category;
	const char *location, *region, *zone, *resource, *global_name, *labels;
	const char *invoice_month, *cost_type, *currency, *usage_unit;
	const char *model, *model_name;
	const char *credits; /* JSON: [[type, nano-units as text], ...] */
	ts_t hour;
	int64_t rate; /* units of currency in one USD, nanos; 0: unknown */
	struct opt_i64 usage;
	int64_t cost, discount, committed; /* nanos, as in usage_line */
};

/* Adds the header. */
void focus_header(enum focus_version version, struct sbuf *b);
/* Adds the rows of a line. `pacific`: the zone of Google's months. E_OVERFLOW: a sum leaves 64 bits. */
enum err_code focus_rows(enum focus_version version, const struct focus_line *l,
	const struct tz *pacific, struct arena *scratch, struct sbuf *b,
	struct err *e) must_check;

#endif
