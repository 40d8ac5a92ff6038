/* Undeliverable letters of one channel, reported on another. */
#ifndef TPUCOST_REPORTS_MESSAGE_LOST_DOC_H
#define TPUCOST_REPORTS_MESSAGE_LOST_DOC_H

#include "reports/doc/doc.h"
#include "rules/settings.h"

struct q_notification_lost;

/* `v` are letters of one channel, n > 0. */
struct doc *lost_doc(const struct settings *s, const struct q_notification_lost *v,
	size_t n, ts_t now, struct arena *a);

#endif
