/* Notes about actions that a channel has yet to report. They are derived from the table action and
 * from the notes that the channel has already sent, so that a state change of an action needs no
 * record. */
#ifndef TPUCOST_REPORTS_MESSAGE_ACTION_NOTES_H
#define TPUCOST_REPORTS_MESSAGE_ACTION_NOTES_H

#include "reports/channel.h"
#include "rules/enforce/action.h"

struct db;

enum note_kind {
	NOTE_UNCLEAR, /* requested long ago, outcome unknown */
	NOTE_OUTCOME, /* done or failed */
	NOTE_FAILING, /* several attempts failed; others follow */
	NOTE_HELD,    /* due, but a user must approve it or fix a problem */
	NOTE_WARNING, /* it will be stopped */
	NOTE_CANCELLED,
};
const char *note_kind_name(enum note_kind k); /* as in the table action_notice */

/* Texts are allocated from the arena; unknown texts are NULL. */
struct action_note {
	enum note_kind kind;
	struct action
		a; /* `due` of a warning that no channel has accepted yet: the earliest possible
		     * time */
	ts_t opens; /* of a warning: `due` is the beginning of a window; TS_NONE: it is not */
	ts_t tried;       /* first attempt, if it has attempts */
	const char *name; /* of the machine, for readers */
	const char *summary, *type, *provisioning, *owner, *queued;
	int64_t hosts; /* 0: unknown */
	const char
		*nodes; /* names of the machines that are deleted with a queued resource */
	bool behind;    /* an earlier message about the action is to be sent first */
};

struct action_notes {
	struct action_note *v; /* most severe first */
	size_t n, cap;
	bool urgent; /* sent in quiet hours, and before others */
	size_t later; /* more notes, which do not fit in the message: the next one has them */
};

/* Notes that `c` has not sent yet and may send now. In quiet hours this excludes cancellations and
 * non-critical warnings, whose grace does not begin then. Cancellations that are never to be
 * sent are marked as sent. */
enum err_code action_notes_read(struct db *db, const struct channel *c,
	const struct settings *s, ts_t now, struct arena *a, struct action_notes *out,
	struct err *e) must_check;
void action_notes_add(
	struct action_notes *to, const struct action_note *n, struct arena *a);
/* Records the message that contains the notes. Call it in the transaction that created the
 * message. */
enum err_code action_notes_mark(struct db *db, const struct action_notes *n,
	const char *channel, const char *message, struct err *e) must_check;
/* The channel is new or was changed: undelivered notes are sent again, and outcomes older than the
 * channel are not sent. */
enum err_code action_notes_renew(struct db *db, const char *channel, bool is_new, ts_t now,
	struct err *e) must_check;

#endif
