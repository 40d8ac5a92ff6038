/* An outbox with channels whose other side is a list: every letter that was sent, and answers of
 * the test's choice. One at a time; every function fails the test where something goes wrong. */
#ifndef TPUCOST_TESTS_SUPPORT_OUTBOX_WORLD_H
#define TPUCOST_TESTS_SUPPORT_OUTBOX_WORLD_H

#include "reports/outbox/outbox.h"
#include "tests/support/tempdb.h"

#define OW_NOW INT64_C(1795219200) /* 2026-11-21T00:00:00Z, a Saturday */

struct ow_letter {
	char *channel, *id, *recipient, *subject, *body, *refs;
	bool may_be_repeat;
	ts_t at;
};

struct outbox_world {
	struct tempdb t;
	struct settings settings;
	struct channel channels[8];
	struct outbox o;
	struct outbox_sent sent; /* of the newest ow_post */
	struct ow_letter *letters;
	size_t n, cap;
	/* What the other side says: of `failing` (NULL: every channel) this, `times` times. */
	struct send_result answer;
	const char *failing;
	int times; /* 0: it accepts everything */
};
extern struct outbox_world ow;

int ow_setup(void **state);
/* One more channel, of files (JSON), that wants everything at once. */
struct channel *ow_channel(const char *name);
/* Something happened to an alert, noted at this moment: "firing" "worse" "repeat" "resolved". */
void ow_note(const char *event, const char *rule, const char *subject, enum severity s);
void ow_compose(void);
void ow_post(void);
/* Both. */
void ow_cycle(void);
void ow_advance(int64_t seconds);
/* The other side answers so from now on. */
void ow_fail(const char *channel, enum send_class class, int times);
void ow_expect(const char *sql, const char *want);
/* "id channel state attempts" of all notifications, with "; " between. */
void ow_expect_states(const char *want);

/* Actions as the state machine leaves them, as rows. NULL and 0: an armed stop of a v3-8 in state warning, of rule "tpu", critical, 8 USD an hour and
 * 0.1 afterwards, running for two hours. Times are seconds from now. */
struct aw_action {
	const char *name, *state, *held, *reason, *mode, *verb, *severity, *source, *kind;
	const char *operation, *restart, *currency, *project;
	int64_t due, sent, ended;
	bool unpriced, over;
};
/* Gives its number. */
int64_t aw_put(const struct aw_action *x);
#define ACT(...) aw_put(&(struct aw_action){__VA_ARGS__})
/* Another state, with a reason. */
void aw_state(int64_t action, const char *state, const char *held, const char *reason);
/* Enforcement is armed, rule "tpu" has a grace of 30 minutes. */
void aw_arm(void);

#endif
