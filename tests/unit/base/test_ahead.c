/* Reading ahead gives what the source gives, in its order, and the end or the error behind it. */
#include "base/ahead.h"

#include "base/mem.h"
#include "tests/support/assert.h"
#include "tests/support/unit.h"

#include <string.h>

/* Bytes that count up, `step` at most at a time, then the end or a failure. */
struct source {
	size_t given, size, step;
	enum err_code fails;
	int calls_behind; /* the end */
};

static char byte_at(size_t i)
{
	return (char)(i * 31 + i / 255);
}

static enum err_code give(void *ctx, char *buf, size_t room, size_t *n, struct err *e)
{
	struct source *s = ctx;
	size_t left = s->size - s->given, most = s->step < room ? s->step : room;

	*n = left < most ? left : most;
	for (size_t i = 0; i < *n; i++)
		buf[i] = byte_at(s->given + i);
	s->given += *n;
	if (*n)
		return E_OK;
	s->calls_behind++;
	return s->fails ? err_set(e, s->fails, "the stream breaks") : E_OK;
}

/* All of it in reads of `room`; how it ends. */
static enum err_code read_all(struct ahead *a, size_t room, size_t *total, struct err *e)
{
	cleanup(free_ptr) char *buf = xcalloc(1, room);
	size_t n;

	*total = 0;
	for (;;) {
		if (ahead_read(a, buf, room, &n, e))
			return e->code;
		if (!n)
			return E_OK;
		assert_true(n <= room);
		for (size_t i = 0; i < n; i++)
			if (buf[i] != byte_at(*total + i))
				fail_msg("byte %zu is wrong", *total + i);
		*total += n;
	}
}

static void every_byte_comes_in_order(void **state)
{
	static const size_t sizes[] = {0, 1, 4096, 262144, 262145, 3000000};
	static const size_t rooms[] = {1000, 262144, 1 << 20};

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
		for (size_t k = 0; k < ARRAY_LEN(rooms); k++) {
			struct source s = {.size = sizes[i], .step = 1 << 20};
			struct ahead *a = ahead_start(give, &s);
			struct err e = {0};
			size_t total, n = 1;

			assert_non_null(a);
			assert_int_equal(read_all(a, rooms[k], &total, &e), E_OK);
			assert_int_equal(total, sizes[i]);
			assert_int_equal(ahead_read(a, (char[1]){0}, 1, &n, &e), E_OK);
			assert_int_equal(n, 0);
			ahead_stop(a);
			assert_int_equal(s.calls_behind, 1);
		}
}

static void small_pieces_are_as_good(void **state)
{
	struct source s = {.size = 5000, .step = 7};
	struct ahead *a = ahead_start(give, &s);
	struct err e = {0};
	size_t total;

	assert_int_equal(read_all(a, 5, &total, &e), E_OK);
	assert_int_equal(total, 5000);
	ahead_stop(a);
}

static void an_error_comes_behind_what_was_read_and_stays(void **state)
{
	struct source s = {.size = 600000, .step = 1 << 20, .fails = E_DATA};
	struct ahead *a = ahead_start(give, &s);
	struct err e = {0};
	size_t total, n;

	assert_err(read_all(a, 100000, &total, &e), e, E_DATA, "the stream breaks");
	assert_int_equal(total, 600000);
	err_clear(&e);
	assert_int_equal(ahead_read(a, (char[1]){0}, 1, &n, &e), E_DATA);
	assert_int_equal(n, 0);
	ahead_stop(a);
	assert_int_equal(s.calls_behind, 1);
}

/* Nobody waits for the rest of a stream that is not wanted. */
static void it_stops_at_any_time(void **state)
{
	struct err e = {0};
	char buf[10];
	size_t n;

	ahead_stop(NULL);
	for (int i = 0; i < 50; i++) {
		struct source s = {.size = SIZE_MAX / 2, .step = 1 << 20};
		struct ahead *a = ahead_start(give, &s);

		for (int k = 0; k < i % 4; k++)
			assert_int_equal(ahead_read(a, buf, sizeof(buf), &n, &e), E_OK);
		ahead_stop(a);
		assert_true(s.given <= (size_t)3 << 18);
	}
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte_comes_in_order),
		cmocka_unit_test(small_pieces_are_as_good),
		cmocka_unit_test(an_error_comes_behind_what_was_read_and_stays),
		cmocka_unit_test(it_stops_at_any_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
