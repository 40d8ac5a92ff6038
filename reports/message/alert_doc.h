/* A message about alerts as a document. */
#ifndef TPUCOST_REPORTS_MESSAGE_ALERT_DOC_H
#define TPUCOST_REPORTS_MESSAGE_ALERT_DOC_H

#include "reports/doc/doc.h"
#include "rules/settings.h"

struct db;

/* One thing that happened to an alert. */
struct alert_news {
	const char *event; /* firing worse repeat resolved */
	const char *rule, *subject, *severity, *summary;
	ts_t at, since;
};

/* n > 0. `db` holds derived tables; NULL: nothing is looked up. `digest`: too much happened to
 * tell it singly. */
enum err_code alert_doc(struct db *db, const struct settings *s,
	const struct alert_news *news, size_t n, bool digest, ts_t now, struct arena *a,
	struct doc **out, struct err *e) must_check;

#endif
