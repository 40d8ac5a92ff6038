/* The outbox: what is to be told, where, and how far it came.
 *
 * What happens to an alert is noted for every channel in the transaction that changes the alert.
 * Messages are made of it (outbox_compose): everything that waits for a channel goes into one, so
 * that a bad hour is a few messages and not a hundred. Each is sent (outbox_send) at least once:
 * whoever sends takes it in hand for a while under a number of its own (the fence), and only the
 * newest number's outcome counts. A crash between sending and noting that it was sent is the one
 * moment that can make a repeat, and then the message says that it may be one. */
#ifndef TPUCOST_REPORTS_OUTBOX_OUTBOX_H
#define TPUCOST_REPORTS_OUTBOX_OUTBOX_H

#include "reports/channel.h"
#include "reports/doc/doc.h"
#include "rules/judge/judge.h"

struct db;

#define OUTBOX_LEASE 300            /* seconds; longer than any channel_send takes */
#define OUTBOX_MAX_AGE (48 * 3600)  /* then it is a dead letter */
#define OUTBOX_STORM 20             /* messages an hour on a channel; then digests */
#define OUTBOX_DIGEST_GAP (15 * 60) /* between those */

struct outbox {
	const struct channel *channels;
	size_t n;
	const struct settings *settings;
};

const struct channel *outbox_channel(const struct outbox *o, const char *name);

/* Note what a judgement said, for every channel that wants to hear it. In the transaction of the
 * judgement. What is over before it was told is dropped; that something is over is told only where
 * it was announced. */
enum err_code outbox_note(struct db *db, const struct outbox *o, const struct judgement *j,
	ts_t now, struct err *e) must_check;

/* Note what fires now and was not announced on a channel, which is new or was changed. In a
 * transaction of the caller. */
enum err_code outbox_catch_up(struct db *db, const struct channel *c, ts_t now,
	struct arena *a, struct err *e) must_check;

/* Make messages of what waits and is due, for every channel; note that channels are gone or were
 * changed; give up what is too old; tell of dead letters where that can still be told. One
 * transaction. */
enum err_code outbox_compose(struct db *db, const struct outbox *o, ts_t now,
	struct arena *a, struct err *e) must_check;

/* What a message is besides its text. */
struct outbox_what {
	const char *kind;  /* alerts digest daily weekly month grant lost test */
	const char *dedup; /* what must not be said twice, without the channel */
	bool critical;     /* before others */
	const char *refs;  /* messages of the thread, with a blank between; or NULL */
};

/* Put one document into the outbox for a channel, a message for each of its recipients; nothing
 * when it is there already. *message gets its id (in the arena), also then NULL. In a
 * transaction of the caller or its own. */
enum err_code outbox_put(struct db *db, const struct channel *c,
	const struct outbox_what *w, const struct doc *d, ts_t now, struct arena *a,
	const char **message, struct err *e) must_check;

/* Would a message for the channel have every row of the sections that are `whole`, in every
 * form of it? */
bool outbox_fits(const struct channel *c, const struct doc *d);

/* ---- sending ----------------------------------------------------------------------------------- */

typedef void (*outbox_send_fn)(void *ctx, const struct channel *c, const struct letter *l,
	struct send_result *out);

struct outbox_post {
	outbox_send_fn send;
	void *ctx;
	struct clock *clock;
	int64_t max_seconds; /* stop beginning new ones after so long */
	/* After each attempt; may be NULL. */
	void (*step)(void *ctx, const struct channel *c, const struct letter *l,
		const struct send_result *r);
	void *step_ctx;
	/* A message's id: it alone, also on a channel that is switched off; NULL: all. */
	const char *only;
};

struct outbox_sent {
	size_t sent, failed;  /* attempts */
	size_t waiting, dead; /* messages, afterwards */
	size_t off;           /* channels that are switched off */
};

/* Send what is due. Never inside a transaction. */
enum err_code outbox_send(struct db *db, const struct outbox *o,
	const struct outbox_post *p, struct outbox_sent *out, struct err *e) must_check;

/* What is left: all of *out but what was sent and failed. */
enum err_code outbox_count(struct db *db, const struct outbox *o, struct outbox_sent *out,
	struct err *e) must_check;

/* ---- parts, for tests -------------------------------------------------------------------------- */

enum letter_state {
	LETTER_PENDING,
	LETTER_SENDING,
	LETTER_SENT,
	LETTER_UNCLEAR,
	LETTER_DEAD,
};

struct delivery {
	enum letter_state state; /* before the attempt: PENDING, UNCLEAR, or SENDING when an
				  * earlier owner never said how it ended */
	int64_t attempts;        /* with this one */
	bool once;               /* a test: not tried again */
	bool to_one;             /* one recipient of several */
	ts_t created;
	ts_t next_at;         /* TS_NONE: never again */
	ts_t channel_next_at; /* nothing goes out there before; TS_NONE: no such limit */
	bool switch_off;      /* the channel */
};

/* What an attempt's outcome makes of a message. Pure. `jitter` is any number. */
void delivery_step(
	struct delivery *d, const struct send_result *r, ts_t now, uint32_t jitter);
const char *letter_state_name(enum letter_state s);

#endif
