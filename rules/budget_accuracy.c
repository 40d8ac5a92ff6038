/* How good the estimates of last week were. */
#include "rules/derive_budget.h"

#include "db_sql.h"

#include <string.h>

#define WORST_MAX 1000 /* as much again as the bill, or nothing of it */

/* |a - b| / b in thousandths, up to the cap. */
static int64_t off_by(int64_t a, int64_t b)
{
	__int128 off = ((__int128)a - b) * 1000;

	off = (off < 0 ? -off : off) / b;
	return off < WORST_MAX ? (int64_t)off : WORST_MAX;
}

struct week {
	const char *last_day, *currency;
	int64_t estimate, billed;
	bool mixed;
};

static void add_day(struct deriving *d, struct week *w, const struct q_last_errors *q,
	struct accuracy *out)
{
	int64_t off = off_by(q->estimate, q->billed);

	if (off > out->worst)
		out->worst = off;
	if (!w->last_day || strcmp(w->last_day, q->day) != 0)
		out->days++;
	if (w->currency && strcmp(w->currency, q->currency) != 0)
		w->mixed = true;
	w->last_day = arena_strdup(&d->arena, q->day);
	w->currency = arena_strdup(&d->arena, q->currency);
	if (!nanos_add(w->estimate, q->estimate, &w->estimate) ||
		!nanos_add(w->billed, q->billed, &w->billed))
		w->mixed = true;
}

enum err_code budget_accuracy(struct deriving *d, struct accuracy *out, struct err *e)
{
	struct q_last_errors q;
	struct db_rows rows;
	struct week w = {0};

	*out = (struct accuracy){0};
	if (q_last_errors_open(d->db, &rows, e))
		return e->code;
	while (q_last_errors_next(&rows, &q))
		add_day(d, &w, &q, out);
	if (out->days && !w.mixed) {
		out->mean = SOME(off_by(w.estimate, w.billed));
		if (w.estimate < w.billed)
			out->mean.v = -out->mean.v;
	}
	return db_rows_close(&rows, e);
}
