#include "reports/there.h"

#include "db/db.h"
#include "db_sql.h"

enum err_code there_are_actions(struct db *db, struct arena *a, bool *out, struct err *e)
{
	struct q_any_action q;

	return q_any_action_one(db, a, &q, out, e);
}

enum err_code there_are_alerts(struct db *db, struct arena *a, bool *out, struct err *e)
{
	struct q_any_alert q;

	return q_any_alert_one(db, a, &q, out, e);
}

enum err_code there_are_silences(struct db *db, struct arena *a, bool *out, struct err *e)
{
	struct q_any_silence q;

	return q_any_silence_one(db, a, &q, out, e);
}
