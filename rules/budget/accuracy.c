/* How good the estimates of last week were. */
#include "rules/derive/budget.h"

#include <string.h>

#define DAYS 7
#define WORST_MAX 1000 /* as much again as the bill, or nothing of it */

/* |a - b| / b in thousandths, up to the cap. */
static int64_t off_by(int64_t a, int64_t b)
{
	__int128 off = ((__int128)a - b) * 1000;

	off = (off < 0 ? -off : off) / b;
	return off < WORST_MAX ? (int64_t)off : WORST_MAX;
}

struct week {
	const char *currency;
	int64_t estimate, billed;
	bool mixed;
};

static void add_error(struct week *w, const struct day_error *x, struct accuracy *out)
{
	int64_t off = off_by(x->estimate, x->billed);

	if (off > out->worst)
		out->worst = off;
	if (w->currency && strcmp(w->currency, x->currency) != 0)
		w->mixed = true;
	w->currency = x->currency;
	if (!nanos_add(w->estimate, x->estimate, &w->estimate) ||
		!nanos_add(w->billed, x->billed, &w->billed))
		w->mixed = true;
}

struct accuracy budget_accuracy(const struct day_error *v, size_t n)
{
	struct accuracy out = {.days = 0};
	struct week w = {0};
	day_t last = 0;

	for (size_t i = 0; i < n; i++) {
		if (v[i].billed <= 0)
			continue;
		if (!out.days || v[i].day != last) {
			if (out.days == DAYS)
				break;
			out.days++;
		}
		last = v[i].day;
		add_error(&w, &v[i], &out);
	}
	if (out.days && !w.mixed) {
		out.mean = SOME(off_by(w.estimate, w.billed));
		if (w.estimate < w.billed)
			out.mean.v = -out.mean.v;
	}
	return out;
}
