/* Attributes, scalar types and helpers that every file uses. Includes no other header of
 * tpucost. */
#ifndef TPUCOST_BASE_BASE_H
#define TPUCOST_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define must_check __attribute__((warn_unused_result))
#define printf_like(fmt, first) __attribute__((format(printf, fmt, first)))
#define cleanup(fn) __attribute__((cleanup(fn)))
#define noreturn_fn __attribute__((noreturn))

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define STR_(x) #x
#define STR(x) STR_(x)
#define MIB (INT64_C(1) << 20) /* bytes */
#define GIB (INT64_C(1) << 30)
#define TIB (INT64_C(1) << 40)

/* Seconds since 1970-01-01T00:00:00Z. */
typedef int64_t ts_t;
/* Days since 1970-01-01 of a calendar whose zone the context states. */
typedef int32_t day_t;

#define TS_NONE INT64_MIN /* "no such instant" where a ts_t is optional */

/* An integer that may be absent (SQL NULL, a missing JSON field). */
struct opt_i64 {
	bool set;
	int64_t v;
};
#define SOME(x) ((struct opt_i64){.set = true, .v = (x)})
#define NONE ((struct opt_i64){0})

/* The same in half the room. Absent also if it does not fit. */
struct opt_i32 {
	int32_t v;
	bool set;
};
static inline struct opt_i32 opt_narrow(struct opt_i64 x)
{
	bool fits = x.set && x.v >= INT32_MIN && x.v <= INT32_MAX;

	return (struct opt_i32){.set = fits, .v = fits ? (int32_t)x.v : 0};
}
static inline struct opt_i64 opt_wide(struct opt_i32 x)
{
	return x.set ? SOME(x.v) : NONE;
}

/* Less than, equal to or greater than 0, as strcmp() returns it. */
static inline int i64_order(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static inline bool opt_i64_same(struct opt_i64 a, struct opt_i64 b)
{
	return a.set == b.set && (!a.set || a.v == b.v);
}

/* An instant as an integer that may be absent, and back. */
static inline struct opt_i64 opt_of_ts(ts_t t)
{
	return t == TS_NONE ? NONE : SOME(t);
}
static inline ts_t ts_of_opt(struct opt_i64 v)
{
	return v.set ? v.v : TS_NONE;
}

#endif
