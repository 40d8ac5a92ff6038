/* The true lives of machines in a fake Google, for tests that compare what tpucost did with what was so. What a list
 * or a live check tells follows from the recorded facts; the polls go through the collector's own code. */
#ifndef TPUCOST_TESTS_SUPPORT_LIFE_WORLD_H
#define TPUCOST_TESTS_SUPPORT_LIFE_WORLD_H

#include "rules/enforce/action.h"
#include "tests/support/tempdb.h"

#define LIVES 8
#define LIFE_FACTS 160
#define LIFE_DEEDS 32
#define LIFE_POLLS 1200

enum life_kind { LIFE_VM, LIFE_TPU_VM, LIFE_NODE, LIFE_KINDS };
enum life_state { LIFE_GONE, LIFE_STARTING, LIFE_RUNNING, LIFE_STOPPING, LIFE_STOPPED };

/* True from `at` until the next fact. Other times are Google's. */
struct life_fact {
	ts_t at;
	enum life_state state;
	int uid, owner;
	ts_t created, started, stopped;
	bool exempt, ours; /* ours: tpucost caused its newest stop */
	int policy;        /* and this was the text of the rule when it was sent */
};

enum life_what {
	LIFE_START,
	LIFE_STOP,
	LIFE_ANEW, /* deleted, and soon created with the same name */
	LIFE_OWNER,
	LIFE_EXEMPT,
	LIFE_NOT_EXEMPT,
	LIFE_ASKED_TO_STOP, /* tpucost's request arrives */
	/* what follows from those above */
	LIFE_BORN,
	LIFE_UP,
	LIFE_DOWN,
};

struct life {
	enum life_kind kind;
	char name[16];
	const char *zone;
	int number, pending; /* requests of tpucost on their way */
	struct life_fact fact[LIFE_FACTS];
	size_t n;
	struct life_deed {
		ts_t at;
		enum life_what what;
	} deed[LIFE_DEEDS];
	size_t n_deeds;
	/* what each poll that listed it found */
	struct life_seen {
		ts_t at;
		size_t fact;
	} seen[LIFE_POLLS];
	size_t n_seen;
};

struct life_world {
	struct life v[LIVES];
	struct tempdb *t;
	int64_t ahead;    /* Google's clock, of this machine's */
	int64_t max_lag;  /* of lists */
	bool late_stamps; /* Google's times are those of the ends of operations */
	int policy;       /* text of the rule, for facts */
	uint64_t seed;
	/* Called when a stop of tpucost took effect, and before a deletion does; may add deeds. */
	void (*on_stop)(struct life *l);
	void (*on_delete)(struct life *l, const struct target *t);
	void (*on_stop_asked)(struct life *l);
	int trouble; /* percent of requests and live checks with one */
	size_t asked;
};
extern struct life_world lives;

int64_t life_any(int64_t below);
int64_t life_between(int64_t least, int64_t most);
static inline struct life_fact *life_now(struct life *l)
{
	return &l->fact[l->n - 1];
}

void life_begin(struct tempdb *t, uint64_t seed);
/* It runs since two hours. */
void life_add(struct life *l, int number, enum life_kind kind);
/* Something happens then; once in the past, at the next occasion. */
void life_plan(struct life *l, ts_t at, enum life_what what);
/* Everything until then happens, in order. */
void life_go_on(ts_t until);
/* Poll a source ("vm", "tpu"). `gap`: a zone that does not answer, or NULL. */
void life_poll(const char *source, const char *gap, bool fails);
/* Live checks and requests. */
extern const struct hands life_hands;

#endif
