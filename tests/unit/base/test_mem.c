#include "base/mem.h"

#include "tests/support/assert.h"
#include "tests/support/unit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool all_zero(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

/* ---- the heap ---------------------------------------------------------------------------- */

static void nothing_is_still_a_valid_pointer(void **state)
{
	void *a = xmalloc(0), *b = xcalloc(0, 8), *c = xrealloc(NULL, 0);

	assert_non_null(a);
	assert_non_null(b);
	assert_non_null(c);
	free(a);
	free(b);
	free(c);
}

static void memory_is_zeroed_kept_and_copied(void **state)
{
	char *p = xcalloc(100, 10);
	char *s = xstrdup("abc");

	assert_true(all_zero(p, 1000));
	memcpy(p, "hello", 6);
	p = xrealloc(p, 100000);
	assert_string_equal(p, "hello");
	assert_string_equal(s, "abc");
	free(p);
	free(s);
}

/* Runs `fn` in a child; how did it end, and what did it say? */
static int status_of(void (*fn)(void), char *text, size_t size)
{
	int ends[2], status;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(ends[1], STDERR_FILENO);
		signal(SIGABRT, SIG_DFL);
		fn();
		_exit(0);
	}
	close(ends[1]);
	n = read(ends[0], text, size - 1);
	text[n > 0 ? n : 0] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void ask_for_everything(void)
{
	struct arena a = {0};

	arena_alloc(&a, SIZE_MAX - 3);
}

static void grow_beyond_everything(void)
{
	struct arena a = {0};
	size_t cap = SIZE_MAX / 8;

	arena_grow(&a, NULL, cap, &cap, 64);
}

static void impossible_sizes_end_with_a_word(void **state)
{
	char text[4096];

	assert_int_equal(WEXITSTATUS(status_of(ask_for_everything, text, sizeof(text))), 1);
	assert_contains(text, "tpucost: out of memory");
	assert_int_equal(
		WEXITSTATUS(status_of(grow_beyond_everything, text, sizeof(text))), 1);
	assert_contains(text, "tpucost: out of memory");
}

/* ---- cleanup ----------------------------------------------------------------------------- */

static void handles_close_at_the_end_of_their_scope(void **state)
{
	int seen;

	{
		cleanup(close_fd) int fd = open("/dev/null", O_RDONLY);
		cleanup(close_fd) int none = -1;
		cleanup(free_ptr) char *text = xstrdup(
			"x"); /* else the leak checker objects */
		cleanup(free_ptr) char *null = NULL;

		seen = fd;
		assert_true(fcntl(seen, F_GETFD) >= 0);
		assert_non_null(text);
		assert_null(null);
		assert_int_equal(none, -1);
	}
	assert_int_equal(fcntl(seen, F_GETFD), -1);
}

/* ---- arenas ------------------------------------------------------------------------------ */

static void arena_memory_is_zeroed_aligned_and_apart(void **state)
{
	struct arena a = {0};
	char *last = NULL;

	for (size_t n = 0; n < 3000; n++) {
		size_t size = n % 97;
		char *p = arena_alloc(&a, size);

		assert_non_null(p);
		assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
		assert_true(all_zero(p, size));
		assert_ptr_not_equal(p, last);
		memset(p, 0xff, size); /* a neighbour that shared it would not be zero */
		last = p;
	}
	assert_true(a.used >= 2999u / 97 * (96 * 97 / 2));
	arena_done(&a);
	assert_i64_eq(a.used, 0);
}

static void one_allocation_may_be_larger_than_a_block(void **state)
{
	struct arena a = {0};
	char *small = arena_strdup(&a, "before"), *big = arena_alloc(&a, 1000000), *after;

	assert_true(all_zero(big, 1000000));
	memset(big, 'x', 1000000);
	after = arena_strdup(&a, "after");
	assert_string_equal(small, "before");
	assert_string_equal(after, "after");
	assert_int_equal(big[999999], 'x');
	arena_done(&a);
}

static void an_arena_may_be_used_again(void **state)
{
	struct arena a = {0};

	arena_done(&a); /* also when it never was used */
	for (int i = 0; i < 3; i++) {
		assert_string_equal(arena_strdup(&a, "x"), "x");
		arena_done(&a);
	}
}

static void strings_are_copied_into_the_arena(void **state)
{
	struct arena a = {0};
	char text[] = "europe-west4-a";
	char *whole = arena_strdup(&a, text), *part = arena_strndup(&a, text, 6);

	memset(text, '?', sizeof(text) - 1);
	assert_string_equal(whole, "europe-west4-a");
	assert_string_equal(part, "europe");
	assert_string_equal(arena_strndup(&a, text, 0), "");
	assert_null(arena_strdup(&a, NULL));
	arena_done(&a);
}

static void text_is_formatted_at_its_full_length(void **state)
{
	struct arena a = {0};
	char *s = arena_printf(&a, "%0*d|%s", 50000, 7, "end");

	assert_i64_eq(strlen(s), 50004);
	assert_string_equal(s + 49999, "7|end");
	assert_string_equal(arena_printf(&a, "%s", ""), "");
	for (int n = 1; n < 600; n++) {
		s = arena_printf(&a, "%0*d", n, 7);
		assert_i64_eq(strlen(s), n);
		assert_string_equal(s + n - 1, "7");
	}
	arena_done(&a);
}

static void an_array_grows_and_keeps_its_elements(void **state)
{
	struct arena a = {0};
	int64_t *v = NULL;
	size_t n = 0, cap = 0;

	for (; n < 10000; n++) {
		v = arena_grow(&a, v, n, &cap, sizeof(*v));
		assert_true(cap > n);
		v[n] = (int64_t)n * 3;
	}
	for (size_t i = 0; i < n; i++)
		assert_i64_eq(v[i], i * 3);
	assert_true(cap < 2 * n + 8);
	arena_done(&a);
}

struct pair {
	int a;
	void *b;
};

static void a_typed_allocation_is_zeroed(void **state)
{
	struct arena a = {0};
	struct pair *p = arena_new(&a, struct pair);

	assert_int_equal(p->a, 0);
	assert_null(p->b);
	arena_done(&a);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_still_a_valid_pointer),
		cmocka_unit_test(memory_is_zeroed_kept_and_copied),
		cmocka_unit_test(impossible_sizes_end_with_a_word),
		cmocka_unit_test(handles_close_at_the_end_of_their_scope),
		cmocka_unit_test(arena_memory_is_zeroed_aligned_and_apart),
		cmocka_unit_test(one_allocation_may_be_larger_than_a_block),
		cmocka_unit_test(an_arena_may_be_used_again),
		cmocka_unit_test(strings_are_copied_into_the_arena),
		cmocka_unit_test(text_is_formatted_at_its_full_length),
		cmocka_unit_test(an_array_grows_and_keeps_its_elements),
		cmocka_unit_test(a_typed_allocation_is_zeroed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
