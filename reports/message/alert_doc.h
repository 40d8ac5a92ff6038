/* A message about alerts as a document. */
#ifndef TPUCOST_REPORTS_MESSAGE_ALERT_DOC_H
#define TPUCOST_REPORTS_MESSAGE_ALERT_DOC_H

#include "db_sql.h"
#include "reports/doc/doc.h"
#include "rules/settings.h"

/* n > 0. `db` has the derived tables; NULL: no resources are read. `digest`: the events are too
 * many to report singly. */
enum err_code alert_doc(struct db *db, const struct settings *s,
	const struct q_outbox_list *news, size_t n, bool digest, ts_t now, struct arena *a,
	struct doc **out, struct err *e) must_check;

#endif
