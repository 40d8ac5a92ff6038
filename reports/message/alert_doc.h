/* A message about alerts as a document. */
#ifndef TPUCOST_REPORTS_MESSAGE_ALERT_DOC_H
#define TPUCOST_REPORTS_MESSAGE_ALERT_DOC_H

#include "reports/doc/doc.h"
#include "rules/settings.h"

struct db;

/* One event of an alert. */
struct alert_news {
	const char *event; /* firing worse repeat resolved */
	const char *rule, *subject, *severity, *summary;
	ts_t at, since;
};

/* n > 0. `db` has the derived tables; NULL: no resources are read. `digest`: the events are too
 * many to report singly. */
enum err_code alert_doc(struct db *db, const struct settings *s,
	const struct alert_news *news, size_t n, bool digest, ts_t now, struct arena *a,
	struct doc **out, struct err *e) must_check;

#endif
