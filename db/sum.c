/* SUM() over amounts of the views, without the errors of binary floating point.
 *
 * Views print nano-units as units, in floating point: 0.1 + 0.2 is not 0.3. Amounts that are decimals with at
 * most nine digits after the point are added as integers of nano-units, and their sum is rounded once. Integers,
 * text and other numbers are added as SQLite's own function adds them. */
#include "base/money.h"
#include "db/internal.h"

#include <math.h>
#include <sqlite3.h>

/* Largest amount whose nano-units all differ in a double. */
#define SUM_EXACT 4000000.0

/* Memory of SQLite is aligned to 8 bytes only. */
typedef __int128 sum_int __attribute__((aligned(8)));
typedef long double sum_real __attribute__((aligned(8)));

struct sum_state {
	int64_t n;     /* values that are not NULL */
	int64_t reals; /* of them */
	int64_t odd;   /* of them, not such decimals */
	sum_int nanos;
	sum_int ints;
	sum_real rest; /* of the odd ones */
};

static bool sum_nanos(double x, int64_t *nanos)
{
	if (!(x >= -SUM_EXACT && x <= SUM_EXACT))
		return false;
	*nanos = llround(x * 1e9);
	return (double)*nanos / 1e9 == x;
}

/* Adds the value, or with sign -1 takes it away. */
static void sum_add(struct sum_state *s, sqlite3_value *v, int sign)
{
	int type = sqlite3_value_numeric_type(v);
	int64_t nanos;

	if (type == SQLITE_NULL)
		return;
	s->n += sign;
	if (type == SQLITE_INTEGER) {
		s->ints += (__int128)sign * sqlite3_value_int64(v);
		return;
	}
	s->reals += sign;
	if (sum_nanos(sqlite3_value_double(v), &nanos)) {
		s->nanos += (__int128)sign * nanos;
	} else {
		s->odd += sign;
		s->rest += sign * (long double)sqlite3_value_double(v);
	}
}

static struct sum_state *sum_of(sqlite3_context *c)
{
	return sqlite3_aggregate_context(c, sizeof(struct sum_state));
}

static void sum_step(sqlite3_context *c, int n, sqlite3_value **v)
{
	struct sum_state *s = sum_of(c);

	(void)n;
	if (s)
		sum_add(s, v[0], 1);
}

static void sum_inverse(sqlite3_context *c, int n, sqlite3_value **v)
{
	struct sum_state *s = sum_of(c);

	(void)n;
	if (s)
		sum_add(s, v[0], -1);
}

static void sum_value(sqlite3_context *c)
{
	const struct sum_state *s = sqlite3_aggregate_context(c, 0);

	if (!s || !s->n)
		sqlite3_result_null(c);
	else if (s->reals)
		sqlite3_result_double(c,
			(double)(((long double)s->nanos / NANOS + (long double)s->ints) +
				(s->odd ? s->rest : 0)));
	else if (s->ints > INT64_MAX || s->ints < INT64_MIN)
		sqlite3_result_error(c, "integer overflow", -1);
	else
		sqlite3_result_int64(c, (int64_t)s->ints);
}

void db_sum_install(struct db *db)
{
	sqlite3_create_window_function(db->sq, "sum", 1,
		SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, NULL, sum_step,
		sum_value, sum_value, sum_inverse, NULL);
}
