#include "rules/bill/known.h"

#include <stdlib.h>
#include <string.h>

static int by_account_and_day(const void *pa, const void *pb)
{
	const struct known_day *a = pa, *b = pb;
	int order = strcmp(a->account, b->account);

	return order ? order : (a->day > b->day) - (a->day < b->day);
}

struct opt_i64 bill_known_day(const struct bill_known *k, const char *account, day_t day)
{
	const struct known_day key = {.account = account, .day = day}, *at;

	at = k->n_days ? bsearch(&key, k->days, k->n_days, sizeof(key), by_account_and_day)
		       : NULL;
	return at ? SOME(at->until) : NONE;
}

/* A day without any line is known since the export of its account was looked at. */
static ts_t account_until(const struct bill_known *k, const char *account, day_t day)
{
	struct opt_i64 known = bill_known_day(k, account, day);

	if (known.set)
		return known.v;
	for (size_t i = 0; i < k->n_looks; i++)
		if (!strcmp(k->looks[i].account, account))
			return k->looks[i].looked;
	return 0;
}

ts_t bill_known_until(const struct bill_known *k, const char *project, day_t day)
{
	ts_t least = INT64_MAX, t;

	for (size_t i = 0; i < k->n_owners; i++) {
		if (strcmp(k->owners[i].project, project) != 0)
			continue;
		t = account_until(k, k->owners[i].account, day);
		least = t < least ? t : least;
	}
	for (size_t i = 0; least == INT64_MAX && i < k->n_looks; i++) {
		t = account_until(k, k->looks[i].account, day);
		least = t < least ? t : least;
	}
	return least == INT64_MAX ? 0 : least;
}
