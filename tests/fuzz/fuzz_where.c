/* Conditions of rules and of --where. What passes is one condition: whatever is put beside it with AND
 * still decides, nothing but views was read, and it is the same with another pair of parentheses. What
 * does not pass is refused with words. */
#include "base/time/clock.h"
#include "base/mem.h"
#include "base/sbuf.h"
#include "db/db.h"
#include "rules/vocab/condition.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

/* One row that stands for a view: no table needs to be filled, no view to be prepared. */
#define ROW                                                                                \
	"(SELECT 'v1' AS name, 'vm' AS kind, 'running' AS state, 64 AS vcpus, "            \
	"7.5 AS running_hours, 'p' AS project, '{\"a\":\"b\"}' AS labels, NULL AS owner, " \
	"1.25 AS net_per_hour) AS resources"

enum outcome { REFUSED, NO_ROW, A_ROW, GAVE_UP };

static struct db *open_once(void)
{
	static struct clock still;
	static struct db *db;
	struct err e = {0};

	if (!db) {
		clock_fake_init(&still, 1795219200);
		fuzz_require(db_open_empty(&still, &db, &e) == E_OK);
	}
	return db;
}

/* Does the row pass "BEFORE (TEXT) AFTER"? */
static enum outcome ask(
	struct db *db, const char *before, const char *text, const char *after)
{
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;
	struct db_cursor c;
	struct err e = {0};
	bool row = false;
	enum err_code rc;

	sbuf_addf(&sql, "SELECT 1 FROM " ROW " WHERE %s (%s) %s", before, text, after);
	if (db_cursor_open_rule(db, sql.s, false, &c, &e)) {
		fuzz_require((e.code == E_USAGE || e.code == E_LIMIT) && e.msg[0]);
		return REFUSED;
	}
	c.steps = 200000; /* of fuzzing, not of a rule */
	rc = db_cursor_step(&c, &row, &e);
	db_cursor_close(&c);
	return rc ? GAVE_UP : row ? A_ROW : NO_ROW;
}

int fuzz_where(const uint8_t *data, size_t size)
{
	cleanup(free_ptr) char *s = fuzz_text(data, size);
	struct db *db = open_once();
	struct err e = {0};
	enum outcome is;

	if (condition_shape(s, &e)) {
		fuzz_require(e.code == E_USAGE && e.msg[0] && !strchr(e.msg, '\n'));
		return 0;
	}
	is = ask(db, "", s, "");
	if (is == REFUSED) {
		/* it cannot be made to compile by what stands around it */
		fuzz_require(ask(db, "vcpus < 0 AND", s, "AND vcpus < 0") == REFUSED);
		return 0;
	}
	/* no constants: the engine would not even look at what cannot matter */
	fuzz_require(ask(db, "vcpus < 0 AND", s, "") != A_ROW);
	fuzz_require(ask(db, "", s, "AND vcpus < 0") != A_ROW);
	fuzz_require(ask(db, "vcpus > 0 OR", s, "") != NO_ROW);
	if (is != GAVE_UP && !strcasestr(s, "random"))
		fuzz_require(ask(db, "(", s, ")") == is);
	return 0;
}
