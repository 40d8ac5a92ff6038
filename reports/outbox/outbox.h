/* Outbox: messages that wait to be sent, the channel of each, and the state of their delivery.
 *
 * Each event of an alert is recorded for every channel in the transaction that changes the alert.
 * outbox_compose combines all items that wait for a channel into one message, so that a bad hour
 * results in a few messages instead of a hundred. outbox_send sends each message at least once: a
 * sender claims the message for a limited time with a unique number (the fence), and only the
 * outcome with the newest number counts. Only a crash between sending a message and recording it
 * can cause a repeat, and the repeated message is marked as a possible repeat. */
#ifndef TPUCOST_REPORTS_OUTBOX_OUTBOX_H
#define TPUCOST_REPORTS_OUTBOX_OUTBOX_H

#include "reports/channel.h"
#include "reports/doc/doc.h"
#include "rules/judge/judge.h"

struct db;

#define OUTBOX_LEASE 300 /* seconds; longer than the maximum duration of channel_send */
#define OUTBOX_MAX_AGE (48 * 3600) /* after that the letter is undeliverable (dead) */
#define OUTBOX_STORM 20            /* messages per hour on a channel; more become digests */
#define OUTBOX_DIGEST_GAP (15 * 60) /* between digests */

struct outbox {
	const struct channel *channels;
	size_t n;
	const struct settings *settings;
	/* from outbox_add_owners: */
	struct err
		left_out; /* E_LIMIT: there are more than OUTBOX_OWNERS, with their names */
	size_t owners_missed; /* get no end of an alert: no rule names their domain */
};

const struct channel *outbox_channel(const struct outbox *o, const char *name);

/* Adds a channel "mail/ann@example.org" for each owner whom a rule mails (`notify: to_owner`): a
 * copy of channel "mail" with that one recipient, for alerts and actions about resources of that
 * owner, and for the end of each alert and action that was sent there. At most OUTBOX_OWNERS; the
 * channels are allocated from `a`. `letters`: only those with messages that wait to be sent. */
#define OUTBOX_OWNERS 100
enum err_code outbox_add_owners(struct db *db, struct outbox *o, bool letters,
	struct arena *a, struct err *e) must_check;
/* The channel "mail/ann@example.org"; NULL: "mail" sends no mail, or no rule mails owners in that
 * domain. */
const struct channel *outbox_owner(struct outbox *o, const char *name, struct arena *a);
/* The address of an owner: `template` with the label's value in place of {owner}; NULL: the value
 * is not the name of a mailbox. The domain is always that of the template. */
const char *outbox_owner_address(const char *template, const char *owner, struct arena *a);

/* Records the results of an evaluation for every channel that subscribes to them. Call it in the
 * transaction of the evaluation. An alert that ends before it was sent is dropped; an end is sent
 * only to recipients to whom the alert was announced. An owner to whom an alert is no longer reported gets an end
 * too. */
enum err_code outbox_note(struct db *db, const struct outbox *o, const struct judgement *j,
	ts_t now, struct err *e) must_check;

/* Records the alerts that fire now and were not announced to each recipient of a channel, which is new or was
 * changed. `rule`: of that rule only; NULL: of all. Call it in a transaction. */
enum err_code outbox_catch_up(struct db *db, const struct settings *s,
	const struct channel *c, const char *rule, ts_t now, struct arena *a,
	struct err *e) must_check;

/* Composes messages from the due items of every channel; detects removed and changed channels;
 * marks messages that are too old as undeliverable; reports them on the other channels. Uses one
 * transaction. */
enum err_code outbox_compose(struct db *db, const struct outbox *o, ts_t now,
	struct arena *a, struct err *e) must_check;

/* Properties of a message other than its text. */
struct outbox_what {
	const char *kind;  /* alerts digest daily weekly month grant lost test */
	const char *dedup; /* identifies the content, without the channel: sent only once */
	int critical; /* 1: sent before others; 2: also, but not in quiet hours; 0: neither */
	const char *refs; /* messages of the thread, separated by blanks; or NULL */
};

/* Puts one document into the outbox for a channel, as one message for each recipient; does nothing
 * if it exists already. *message receives its id (allocated from the arena), or NULL if it exists.
 * Uses the transaction of the caller or a new one. */
enum err_code outbox_put(struct db *db, const struct channel *c,
	const struct outbox_what *w, const struct doc *d, ts_t now, struct arena *a,
	const char **message, struct err *e) must_check;

/* Reports whether a document with that `dedup` was put into the outbox for a recipient of the channel ("": of one
 * that sends no mail). */
enum err_code outbox_has(struct db *db, const struct channel *c, const char *dedup,
	const char *recipient, struct arena *a, bool *out, struct err *e) must_check;

/* Recipients of the channel: "" if it sends no mail. */
size_t outbox_recipients(const struct channel *c);
const char *outbox_recipient(const struct channel *c, size_t i);

/* A recipient was sent an alert, or will be (`waits`), and not its end. */
struct heard {
	bool any, waits;
};
/* *out receives one for each recipient of the channel. `since`: the alert as it began then; NONE: at any time. */
enum err_code outbox_heard(struct db *db, const struct channel *c, const char *rule,
	const char *subject, struct opt_i64 since, struct arena *a, struct heard **out,
	struct err *e) must_check;

/* Reports whether a message for the channel would contain every row of the `whole` sections in
 * every format of the channel. */
bool outbox_fits(const struct channel *c, const struct doc *d);

/* ---- sending ----------------------------------------------------------------------------------- */

typedef void (*outbox_send_fn)(void *ctx, const struct channel *c, const struct letter *l,
	struct send_result *out);

struct outbox_post {
	outbox_send_fn send;
	void *ctx;
	struct clock *clock;
	int64_t max_seconds; /* no new message begins after that time */
	/* Called after each attempt; may be NULL. */
	void (*step)(void *ctx, const struct channel *c, const struct letter *l,
		const struct send_result *r);
	void *step_ctx;
	/* Id of a message: sends only this one, even on a channel that is switched off; NULL:
	 * all. */
	const char *only;
};

struct outbox_sent {
	size_t sent, failed;  /* attempts */
	size_t waiting, dead; /* messages that remain */
	size_t off;           /* channels that are switched off */
};

/* Sends the due messages. Never call it inside a transaction. */
enum err_code outbox_send(struct db *db, const struct outbox *o,
	const struct outbox_post *p, struct outbox_sent *out, struct err *e) must_check;

/* Counts the remaining messages: all members of *out except sent and failed. */
enum err_code outbox_count(struct db *db, const struct outbox *o, struct outbox_sent *out,
	struct err *e) must_check;

/* ---- public for tests -------------------------------------------------------------------------- */

enum letter_state {
	LETTER_PENDING,
	LETTER_SENDING,
	LETTER_SENT,
	LETTER_UNCLEAR,
	LETTER_DEAD,
};

struct delivery {
	enum letter_state
		state; /* before the attempt: PENDING, UNCLEAR, or SENDING if the previous
				  * owner did not record the outcome */
	int64_t attempts;     /* including this one */
	bool once;            /* a test: not retried */
	bool to_one;          /* one of several recipients */
	ts_t next_at;         /* TS_NONE: no more attempts */
	ts_t channel_next_at; /* no message of the channel is sent before; TS_NONE: no limit */
	bool switch_off;      /* the channel */
};

/* Computes the next state of a message from the outcome of an attempt. Pure. `jitter` is any
 * number. */
void delivery_step(
	struct delivery *d, const struct send_result *r, ts_t now, uint32_t jitter);
const char *letter_state_name(enum letter_state s);

#endif
