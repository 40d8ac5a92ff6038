/* What a channel is to be told of actions: read from the table action and from what was told there
 * already, so that nothing has to be noted when an action moves on. */
#ifndef TPUCOST_REPORTS_MESSAGE_ACTION_NOTES_H
#define TPUCOST_REPORTS_MESSAGE_ACTION_NOTES_H

#include "reports/channel.h"
#include "rules/enforce/action.h"

struct db;

enum note_kind {
	NOTE_UNCLEAR, /* sent long ago, and nobody knows what came of it */
	NOTE_OUTCOME, /* done or failed */
	NOTE_HELD, /* it would be stopped now, but a person has to approve or mend something */
	NOTE_WARNING, /* it will be stopped */
	NOTE_CANCELLED,
};
const char *note_kind_name(enum note_kind k); /* as in the table action_notice */

/* Texts are the arena's; those that nobody knows are NULL. */
struct action_note {
	enum note_kind kind;
	struct action
		a;  /* `due` of a warning that nobody took yet: what it will be at best */
	ts_t opens; /* of a warning: `due` is when a window opens; TS_NONE: it is not */
	const char *summary, *type, *provisioning, *owner, *queued;
	int64_t hosts;     /* 0: not known */
	const char *nodes; /* names of those that a queued resource takes with it */
};

struct action_notes {
	struct action_note *v; /* the gravest first */
	size_t n, cap;
	bool urgent;  /* goes out at night, and before others */
	size_t later; /* more of them, for which the message has no room: the next one has */
};

/* What `c` was not told yet and may be told now: in quiet hours neither that something is
 * cancelled nor warnings that are not critical, whose grace does not begin then. */
enum err_code action_notes_read(struct db *db, const struct channel *c,
	const struct settings *s, ts_t now, struct arena *a, struct action_notes *out,
	struct err *e) must_check;
/* Write down which message tells them. In the transaction that made it. */
enum err_code action_notes_mark(struct db *db, const struct action_notes *n,
	const char *channel, const char *message, struct err *e) must_check;
/* The channel is new, or another one than before: what never got there is told again, and what was
 * over before it was there is not told. */
enum err_code action_notes_renew(struct db *db, const char *channel, bool is_new, ts_t now,
	struct err *e) must_check;

#endif
