/* Computes the next state of a message from the outcome of an attempt. */
#include "reports/outbox/outbox.h"

#define FIRST_WAIT 30
#define LONGEST_WAIT 3600
#define UNCLEAR_WAIT 300

const char *letter_state_name(enum letter_state s)
{
	static const char *const names[] = {
		[LETTER_PENDING] = "pending",
		[LETTER_SENDING] = "sending",
		[LETTER_SENT] = "sent",
		[LETTER_UNCLEAR] = "unclear",
		[LETTER_DEAD] = "dead",
	};

	return names[s];
}

/* 30 s, 60 s, ... one hour, and of that a random part of at least half: messages that failed
 * together do not retry together. */
static int64_t backoff(int64_t attempts, uint32_t jitter)
{
	int64_t wait = FIRST_WAIT;

	for (int64_t i = 1; i < attempts && wait < LONGEST_WAIT; i++)
		wait *= 2;
	if (wait > LONGEST_WAIT)
		wait = LONGEST_WAIT;
	return wait / 2 + (int64_t)(jitter % (uint32_t)(wait / 2 + 1));
}

/* Until it is too old, which outbox_compose() finds. */
static void again(struct delivery *d, enum letter_state state, ts_t at)
{
	d->state = d->once ? LETTER_DEAD : state;
	d->next_at = d->once ? TS_NONE : at;
}

static void end(struct delivery *d, enum letter_state state)
{
	d->state = state;
	d->next_at = TS_NONE;
}

void delivery_step(
	struct delivery *d, const struct send_result *r, ts_t now, uint32_t jitter)
{
	bool repeat = d->state != LETTER_PENDING;
	int64_t wait = backoff(d->attempts, jitter);

	d->channel_next_at = TS_NONE;
	d->switch_off = false;
	switch (r->class) {
	case SEND_SENT:
		end(d, LETTER_SENT);
		return;
	case SEND_NOT_SENT:
	case SEND_LATER:
		if (r->retry_after > wait)
			wait = r->retry_after;
		/* The other letters of this channel would fail the same way; a full mailbox,
		 * however, affects one recipient. */
		if (!d->to_one || r->class == SEND_NOT_SENT || r->retry_after >= 0)
			d->channel_next_at = now + wait;
		again(d, repeat ? LETTER_UNCLEAR : LETTER_PENDING, now + wait);
		return;
	case SEND_REJECTED:
		end(d, LETTER_DEAD);
		return;
	case SEND_SWITCHED_OFF:
		end(d, LETTER_DEAD);
		d->switch_off = true;
		return;
	case SEND_UNCLEAR:
		break;
	}
	/* One more attempt, marked as a possible repeat; then the message stays unclear instead of
	 * being sent repeatedly. */
	if (repeat)
		end(d, LETTER_UNCLEAR);
	else
		again(d, LETTER_UNCLEAR, now + UNCLEAR_WAIT);
}
