/* Actions as the state machine leaves them, put into the outbox's world as rows. */
#ifndef TPUCOST_TESTS_SUPPORT_ACTION_WORLD_H
#define TPUCOST_TESTS_SUPPORT_ACTION_WORLD_H

#include "tests/support/world/outbox_world.h"

/* NULL and 0: an armed stop of a v3-8 in state warning, of rule "tpu", critical, 8 USD an hour and
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
