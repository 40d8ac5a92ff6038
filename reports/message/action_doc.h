/* Actions in a message: on top of what is said of alerts, or alone. */
#ifndef TPUCOST_REPORTS_MESSAGE_ACTION_DOC_H
#define TPUCOST_REPORTS_MESSAGE_ACTION_DOC_H

#include "reports/message/action_notes.h"
#include "reports/doc/doc.h"

/* Put `notes` (one or more) before everything that `d` says of `alerts` alerts, and make its
 * subject theirs; `d` NULL: a document of its own. People read the first `full` in full and a line
 * of each other: nobody is acted on whom no message named. */
struct doc *action_doc(struct doc *d, size_t alerts, const struct settings *s,
	const struct action_notes *notes, size_t full, ts_t now, struct arena *a);

#endif
