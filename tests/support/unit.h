/* A file of unit tests: cmocka, and UNIT_TESTS() in place of main. All files of a folder of
 * tests/unit are linked into one program, which runs those that it is asked for:
 *
 *	build/release/unit/base                          every file, each in a process of its own
 *	build/release/unit/base test_money               one file
 *	build/release/unit/base test_money 'sums_*'      the tests of it whose names match
 *	build/release/unit/base --list                   the names of the files */
#ifndef TPUCOST_TESTS_SUPPORT_UNIT_H
#define TPUCOST_TESTS_SUPPORT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct unit_file {
	const char *path; /* as the compiler was given it */
	int (*run)(void); /* runs its group; the number of tests that failed */
	struct unit_file *next;
};

/* Adds a file to those of this program; called before main. */
void unit_file_add(struct unit_file *f);

/* The step of a loop over all places where something can fail: `step`, TEST_QUICK times as much
 * when that is set: one place in TEST_QUICK. */
int64_t unit_step(int64_t step);

/* Stands in front of the body of the function that runs the tests of this file. */
#define UNIT_TESTS()                                                             \
	static int unit_run(void);                                               \
	__attribute__((constructor)) static void unit_register(void)             \
	{                                                                        \
		static struct unit_file f = {.path = __FILE__, .run = unit_run}; \
                                                                                 \
		unit_file_add(&f);                                               \
	}                                                                        \
	static int unit_run(void)

#endif
