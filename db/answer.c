#include "db/answer.h"

#include "base/time/civil.h"
#include "db/internal.h"
#include "db/rollup/rollup.h"
#include "db_sql.h"

#include <string.h>

const char *const billing_owner_keys[BILLING_OWNER_KEYS] = {"owner", "creator", "user"};

static void answer_add_list(
	struct sbuf *b, const char *name, const char *const *v, size_t n)
{
	sbuf_addf(b, " %s", name);
	for (size_t i = 0; i < n; i++)
		sbuf_addf(b, "%s%s", i ? "," : " ", v[i]);
}

const char *db_question_text(
	const struct billing_question *q, const struct tz *tz, struct arena *a)
{
	static const char *const times[] = {"sum", "day", "hour"};
	char from[RFC3339_BUF], until[RFC3339_BUF];
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_addf(&b, "%s%s from %s until %s %s month %s", times[q->time],
		q->resource ? " resource" : "", rfc3339_format(q->from, from),
		rfc3339_format(q->until, until), tz_name(tz), q->month ? q->month : "");
	answer_add_list(&b, "projects", q->projects, q->n_projects);
	if (q->labels)
		answer_add_list(&b, "labels", q->keys, q->n_keys);
	return arena_strdup(a, b.s);
}

enum err_code db_answer_find(struct db *db, const struct billing_question *q,
	const struct tz *tz, int64_t *id, struct err *e)
{
	cleanup(arena_done) struct arena a = {0};
	struct q_detail_answer_get_in get = {.question = db_question_text(q, tz, &a)};
	struct q_detail_answer_get row;
	struct q_detail_version now;
	bool found;

	*id = 0;
	if (q_detail_version_one(db, &a, &now, &found, e) ||
		q_detail_answer_get_one(db, &get, &a, &row, &found, e))
		return e->code;
	if (found && !strcmp(row.version, now.version))
		*id = row.answer_id;
	return E_OK;
}

#define LINE                                                                    \
	"table_id, unit, hour, sku_ref, project_ref, place_ref, resource_ref, " \
	"charge_ref, "                                                          \
	"credit_ref, usage, cost, credits, discount, committed, row_count"

/* Lines of the answer, and those of which more than sums of days are stored. */
static enum err_code answer_make_view(
	struct db *db, int64_t id, const struct billing_question *q, struct err *e)
{
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;

	sbuf_addf(&sql,
		"CREATE TEMP VIEW usage AS SELECT " LINE
		" FROM main.detail_line WHERE answer_id = %lld UNION ALL SELECT " LINE
		" FROM main.usage WHERE hour >= %lld AND hour < %lld AND (table_id, unit) "
		"IN "
		"(SELECT table_id, unit FROM main.billing_unit WHERE recipe & 128 = 0)",
		(long long)id, (long long)q->from, (long long)q->until);
	return db_exec(db, sql.s, e);
}

enum err_code db_answer_show(struct db *db, const struct billing_question *q,
	const struct tz *tz, bool *found, struct err *e)
{
	int64_t id;

	*found = false;
	if (db_answer_find(db, q, tz, &id, e))
		return e->code;
	if (!id)
		return E_OK;
	if (db_derived_all(db, NULL, e) || db_own_rollups_hide(db, e))
		return e->code;
	db->answered = true;
	if (answer_make_view(db, id, q, e) || db_make_rollups(db, e) ||
		rollup_all(db, tz, e))
		goto failed;
	*found = true;
	return E_OK;
failed:
	db_answer_hide(db);
	return e->code;
}

void db_answer_hide(struct db *db)
{
	if (!db->answered)
		return;
	db->answered = false;
	sqlite3_exec(db->sq, "DROP VIEW IF EXISTS temp.usage", NULL, NULL, NULL);
	db_drop_rollups(db);
	db_own_rollups_show(db);
}
