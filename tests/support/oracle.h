/* Programs in tests/oracle that judge what a unit test made. */
#ifndef TPUCOST_TESTS_SUPPORT_ORACLE_H
#define TPUCOST_TESTS_SUPPORT_ORACLE_H

#include "base/sbuf.h"

/* Runs tests/oracle/NAME with the text as its input: its exit code, 127 without python3. What it
 * prints is seen. */
int oracle_run(const char *name, const struct sbuf *input);

#endif
