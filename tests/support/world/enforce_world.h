/* Machines, a fake Google that can stop them, and enforcement over both: for tests of the state
 * machine. One at a time; every function fails the test where something goes wrong. */
#ifndef TPUCOST_TESTS_SUPPORT_ENFORCE_WORLD_H
#define TPUCOST_TESTS_SUPPORT_ENFORCE_WORLD_H

#include "rules/enforce/enforce.h"
#include "rules/judge/judge.h"
#include "tests/support/tempdb.h"

#define EW_NOW INT64_C(1795219200) /* 2026-11-21T00:00:00Z, a Saturday */
#define EW_MACHINES 40

struct ew_machine {
	char name[64], uid[24];
	const char *kind, *source; /* "vm" "tpu" */
	const char *type, *state;  /* ours: running stopping stopped */
	const char *labels, *owner;
	ts_t created, started, stopped; /* stopped 0: at its start */
	int64_t hosts;
	const char *managed_by;
	bool deletion_protection, local_ssd, own_host, hidden_labels, there;
	int looks_to_stop; /* while stopping: so many looks more */
};

struct enforce_world {
	struct tempdb t;
	struct rule rules[8];
	struct enforcement en;
	struct settings settings;
	struct enforce_opts opts;
	struct hands hands;
	struct ew_machine m[EW_MACHINES];
	size_t n;
	struct judgement judged;
	struct enforce_result result; /* of the newest run */
	bool deliver;                 /* channels take warnings */
	bool poll;                    /* cycles poll; else the data stays as it was */
	/* How Google behaves. */
	enum err_code look_fails, act_fails; /* what the next calls give; E_OK */
	bool act_lost;        /* it is done, and the answer is lost: E_UNCERTAIN */
	bool no_effect;       /* says done and does nothing */
	const char *op_error; /* operations end with it */
	bool op_stuck;
	enum err_code op_fails;
	const char *number; /* of the project, as the credentials see it */
	int64_t skew;
	void (*before_act)(struct ew_machine *m); /* the world moves at the worst moment */
	void (*after_look)(struct ew_machine *m);
	/* What it was asked: "stop NAME UID REQUEST\n" for each change, and how often it looked. */
	char log[8192];
	size_t acts, effects, looks;
};
extern struct enforce_world ew;

int ew_setup(void **state);
/* project/vm/us-central1-b/NAME, n1-highmem-96, running since an hour. */
struct ew_machine *ew_vm(const char *name);
/* project/tpu/us-central1-a/NAME, v3-8. */
struct ew_machine *ew_tpu(const char *name);
struct ew_machine *ew_find(const char *name);
/* A rule on resources that stops, armed, for 0, with this grace. */
struct rule *ew_rule(const char *name, const char *where, int64_t grace);
/* Poll, derive, judge and track, deliver warnings, run; `seconds` later than before. */
void ew_cycle(int64_t seconds);
/* The same without running: what is decided before anybody acts. */
void ew_track(int64_t seconds);
void ew_run(void);
/* First column of the first row of a SELECT. */
void ew_expect(const char *sql, const char *want);
/* "name state held" of all actions in order, with "; " between. */
void ew_expect_actions(const char *want);
/* Is the audit whole? */
void ew_expect_audit(void);

#endif
