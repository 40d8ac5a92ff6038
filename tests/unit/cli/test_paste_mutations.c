/* Any text: reading it never crashes, and what comes out keeps to its caps and can be printed.
 * Commands of the guides are cut, joined and scratched; the seed is fixed. */
#include "cli/paste/paste.h"

#include "base/fs.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "tests/support/unit.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#define DIRECTORY "tests/data/tutorials"
#define TURNS 100000
#define MAX_ENTRIES 512
#define MAX_TEXT 600

static uint64_t seed = UINT64_C(0x9E3779B97F4A7C15);
static struct arena kept;
static const char *entries[MAX_ENTRIES];
static size_t n_entries;

static size_t below(size_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (size_t)(seed % n);
}

static void read_entries(const char *name)
{
	struct sbuf b = SBUF_INIT;
	struct err e = {0};
	char *text, *at;

	assert_int_equal(
		fs_read(arena_printf(&kept, DIRECTORY "/%s", name), 1 << 20, &b, &e), E_OK);
	text = arena_strdup(&kept, b.s);
	sbuf_done(&b);
	while ((at = strstr(text, "\n=> ")) && n_entries < MAX_ENTRIES) {
		char *start;

		*at = '\0';
		start = strrchr(text, '@');
		start = start ? strchr(start, '\n') : NULL;
		if (start)
			entries[n_entries++] = start + 1;
		text = at + 4;
	}
}

static void scratch(char *text, size_t len)
{
	static const char odd[] = "$`'\"\\{}()<>|&;#=-,:\n\r\t ~^\x80\xE2\x93\x01[]!*?0x";

	for (size_t i = below(6); i > 0 && len; i--)
		text[below(len)] = odd[below(sizeof(odd) - 1)];
	if (len && below(4) == 0)
		text[below(len)] = (char)(1 + below(255));
}

/* A piece of one, joined with a piece of another. */
static size_t mutate(char text[MAX_TEXT])
{
	size_t len = 0;

	for (int i = 0; i < 2; i++) {
		const char *from = entries[below(n_entries)];
		size_t all = strlen(from), start = below(3) ? 0 : below(all + 1);
		size_t take = below(3) ? all - start : below(all - start + 1);

		if (take > MAX_TEXT - 1 - len)
			take = MAX_TEXT - 1 - len;
		memcpy(text + len, from + start, take);
		len += take;
		if (below(2))
			break;
	}
	text[len] = '\0';
	scratch(text, len);
	return len;
}

static void check_word(const char *s)
{
	for (; s && *s; s++)
		assert_true(isprint((unsigned char)*s));
}

static void check_wish(const struct wish *w)
{
	assert_non_null(w->kind);
	assert_in_range(w->count, 1, PROPOSAL_MAX_COUNT);
	assert_true(w->size_gib >= 0 && w->local_ssd_gib >= 0 && w->gpu_count >= 0);
	check_word(w->name);
	check_word(w->project);
	check_word(w->zone);
	check_word(w->region);
	check_word(w->type);
	check_word(w->gpu_type);
	check_word(w->beside);
}

static void mutations(void **state)
{
	DIR *d = opendir(DIRECTORY);
	struct dirent *f;
	struct arena a = {0};
	char text[MAX_TEXT];
	int read = 0;

	assert_non_null(d);
	while ((f = readdir(d)))
		if (str_ends(f->d_name, ".txt"))
			read_entries(f->d_name);
	closedir(d);
	assert_true(n_entries > 60);
	for (int i = 0; i < TURNS; i++) {
		struct proposal p = {0};
		struct err e = {0};

		mutate(text);
		if (paste_text(&a, text, NULL, &p, &e)) {
			assert_true(e.code != E_OK && e.code != E_BUG && *e.msg);
		} else {
			read++;
			assert_in_range(p.n, 1, PROPOSAL_MAX);
			for (size_t k = 0; k < p.n; k++)
				check_wish(&p.v[k]);
		}
		arena_reset(&a);
	}
	/* most of them must have been worth reading */
	assert_true(read > TURNS / 10);
	arena_done(&a);
	arena_done(&kept);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mutations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
