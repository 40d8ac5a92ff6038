/* Idleness of a machine or TPU. A working resource must never be called idle: it is idle only when
 * every known signal indicates so, including one for its main purpose: the CPU of a machine, the
 * chips of a TPU. A TPU can train for days while the CPU of its host is idle, so the host alone proves
 * nothing. GPUs are not measured, so a machine with GPUs can only be known to work.
 *
 * Thresholds (collector/source/metric.c): CPU below 5 %; less than 16 KiB/s sent, and received, by
 * each worker, which allows keepalives; no active TensorCore for a minute, or a duty cycle below 1
 * %. All are averages of five minutes. */
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
	ts_t since;    /* for SAYS_IDLE: since when */
	bool at_least; /* idle as far back as was read, perhaps longer */
};

/* Present value of the newest points of a metric. */
struct signal_points {
	ts_t at;         /* end of the newest point */
	ts_t idle_since; /* TS_NONE: not idle */
	int64_t workers; /* that reported */
	bool at_least;   /* idle in the whole time that was read */
};
#define SIGNAL_FRESH 1800 /* seconds; older points are not used for the present state */

/* Resource that may be idle. */
struct active {
	bool tpu, gpus;
	int64_t hosts; /* that must have reported; 0: unknown */
	ts_t started;  /* last start or creation; TS_NONE: unknown */
};

/* Points that are old, from before the last start or of too few hosts are inconclusive; one working
 * host is enough to know that the resource works. */
struct signal signal_read(const struct signal_points *p, const struct active *x, ts_t now);

enum activity_is { ACTIVITY_UNKNOWN, ACTIVITY_WORKS, ACTIVITY_IDLE };
struct activity {
	enum activity_is is;
	ts_t idle_since;   /* for ACTIVITY_IDLE: no signal showed work since then */
	bool at_least;     /* perhaps for longer: nothing older was read */
	const char *basis; /* known signals: "cpu,network,tpu"; "" without any; static */
};
struct activity activity_judge(const struct signal v[N_SIGNALS], const struct active *x);

#endif
