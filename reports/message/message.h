/* Messages as documents: alerts, actions on machines, letters that could not be delivered, and savings. */
#ifndef TPUCOST_REPORTS_MESSAGE_MESSAGE_H
#define TPUCOST_REPORTS_MESSAGE_MESSAGE_H

#include "db_sql.h"
#include "reports/doc/doc.h"
#include "reports/message/action_notes.h"

/* n > 0. `db` has the derived tables; NULL: no resources are read. `digest`: the events are too
 * many to report singly. */
enum err_code alert_doc(struct db *db, const struct settings *s,
	const struct q_outbox_list *news, size_t n, bool digest, ts_t now, struct arena *a,
	struct doc **out, struct err *e) must_check;

/* Puts `notes` (at least one) before the sections of `d`, which has `alerts` alerts, and makes the
 * first note its subject; `d` NULL: creates a document. Formats for reading show the first `full`
 * notes in full and one line for each other note: no resource is acted on before a message names
 * it. */
struct doc *action_doc(struct doc *d, size_t alerts, const struct settings *s,
	const struct action_notes *notes, size_t full, ts_t now, struct arena *a);

/* Undeliverable letters of one channel, reported on another. `v` are letters of one channel, n > 0. */
struct doc *lost_doc(const struct settings *s, const struct q_notification_lost *v,
	size_t n, ts_t now, struct arena *a);

/* ---- savings of actions ------------------------------------------------------------------------ */

/* Savings of actions: the cost of what was stopped, at the price that it had, from the stop until
 * it ran again or was deleted. An estimate, like every price of a running resource. Includes
 * actions in [since, until); counted until `until` or now, whichever is earlier. */

/* One row for each, and the sums by currency: the section `receipts`. */
void receipts_section(const struct db_reader *r, ts_t since, ts_t until, const char *title,
	struct doc *d);
/* All of them as one note: "tpucost saved about 12.30 USD in these days: 2 machines stopped or
 * deleted."; no note for none. `when`: "in these days". */
void receipts_say(
	const struct db_reader *r, ts_t since, ts_t until, const char *when, struct doc *d);

#endif
