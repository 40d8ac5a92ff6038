/* Is there any row at all? Asked in front of a statement that is long: to prepare that takes many times as
 * long as to see that it would find nothing, which is so on most days. */
#ifndef TPUCOST_REPORTS_THERE_H
#define TPUCOST_REPORTS_THERE_H

#include "base/err.h"
#include "base/mem.h"

struct db;

/* An action in any state, a silence, over or not. */
enum err_code there_are_actions(
	struct db *db, struct arena *a, bool *out, struct err *e) must_check;
enum err_code there_are_silences(
	struct db *db, struct arena *a, bool *out, struct err *e) must_check;

#endif
