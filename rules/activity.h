/* Is a machine or TPU idle? Never call a working one so: it is idle only when every signal
 * that is known says so, and among them one that shows what it is for: the CPU of a machine, the
 * chips of a TPU. A TPU can train for days while its host's CPU sleeps, so the host alone says
 * nothing; of GPUs nothing is measured, so a machine with GPUs can be known to work only.
 *
 * Thresholds (collector/source/metric.c): CPU below 5 %; less than 16 KiB/s sent, and received, by
 * each worker, which leaves room for keepalives; no TensorCore at work for a minute, or a duty
 * cycle below 1 %. All in averages of five minutes. */
#ifndef TPUCOST_RULES_ACTIVITY_H
#define TPUCOST_RULES_ACTIVITY_H

#include "base/base.h"

enum signal_kind {
	SIGNAL_CPU,
	SIGNAL_SENT,
	SIGNAL_RECEIVED,
	SIGNAL_CHIPS, /* TensorCores, or the duty cycle */
	N_SIGNALS,
};

enum signal_says { SAYS_NOTHING, SAYS_WORK, SAYS_IDLE };

struct signal {
	enum signal_says says;
	ts_t since; /* SAYS_IDLE: since when */
};

/* What the newest points of a metric are worth now. */
struct signal_points {
	ts_t at;         /* end of the newest one */
	ts_t idle_since; /* TS_NONE: not idle */
	int64_t workers; /* that told something */
};
#define SIGNAL_FRESH 1800 /* seconds; older points say nothing about now */

/* What it is that may be idle. */
struct active {
	bool tpu, gpus;
	int64_t hosts; /* that must have told something; 0: not known */
	ts_t started;  /* last start or creation; TS_NONE: not known */
};

/* Points that are old, from before the last start or of too few hosts say nothing; that one of
 * the hosts works is enough to know that it works. */
struct signal signal_read(const struct signal_points *p, const struct active *x, ts_t now);

enum activity_is { ACTIVITY_UNKNOWN, ACTIVITY_WORKS, ACTIVITY_IDLE };
struct activity {
	enum activity_is is;
	ts_t idle_since; /* ACTIVITY_IDLE: no signal showed work since then */
	/* The signals that are known: "cpu,network,tpu"; "" when none is. */
	char basis[32];
};
struct activity activity_judge(const struct signal v[N_SIGNALS], const struct active *x);

#endif
