#include "db/stage.h"

#include "db/array.h"
#include "db_sql.h"

#include <stddef.h>

#define FIELD(column, nullable, member)                                        \
	{                                                                      \
		column, SQL_I64, nullable, offsetof(struct stage_line, member) \
	}

static const struct sql_field fields[] = {FIELD("unit", false, unit),
	FIELD("hour", false, hour), FIELD("sku_ref", false, sku),
	FIELD("project_ref", false, project), FIELD("place_ref", false, place),
	FIELD("resource_ref", false, resource), FIELD("charge_ref", false, charge),
	FIELD("credit_ref", false, credit), FIELD("usage", true, usage),
	FIELD("cost", false, cost), FIELD("credits", false, credits),
	FIELD("row_count", false, rows)};

enum err_code db_make_stage_line(struct db *db, struct err *e)
{
	return db_make_array(db, "stage_line", fields, ARRAY_LEN(fields),
		sizeof(struct stage_line), &db->staging, e);
}

enum err_code stage_put(
	struct db *db, const struct stage_line *lines, size_t n, struct err *e)
{
	enum err_code rc;

	db->staging->rows = lines;
	db->staging->n = n;
	rc = q_stage_put(db, e);
	db->staging->rows = NULL;
	db->staging->n = 0;
	return rc;
}
