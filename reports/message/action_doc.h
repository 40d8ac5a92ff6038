/* Actions in a message: above the alerts, or alone. */
#ifndef TPUCOST_REPORTS_MESSAGE_ACTION_DOC_H
#define TPUCOST_REPORTS_MESSAGE_ACTION_DOC_H

#include "reports/message/action_notes.h"
#include "reports/doc/doc.h"

/* Puts `notes` (at least one) before the sections of `d`, which has `alerts` alerts, and makes the
 * first note its subject; `d` NULL: creates a document. Formats for reading show the first `full`
 * notes in full and one line for each other note: no resource is acted on before a message names
 * it. */
struct doc *action_doc(struct doc *d, size_t alerts, const struct settings *s,
	const struct action_notes *notes, size_t full, ts_t now, struct arena *a);

#endif
