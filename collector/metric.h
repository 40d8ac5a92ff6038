/* What series of points say about machines and TPUs: of each subject the newest value, since
 * when it has been idle, and, of byte counters, the sum of the last hour. Private to
 * collector/source/metric.c and collector/metric_read.c. */
#ifndef TPUCOST_COLLECTOR_METRIC_H
#define TPUCOST_COLLECTOR_METRIC_H

#include "base/mem.h"
#include "base/strmap.h"
#include "gcp/monitoring.h"

#define METRIC_WINDOW 3600 /* seconds that are read */
#define METRIC_PERIOD 300  /* of the averages in it */

struct db;

enum metric_kind {
	METRIC_LEVEL,    /* how busy: the greatest one counts */
	METRIC_IDLE_FOR, /* seconds without work: the smallest one counts */
	METRIC_RATE,     /* bytes a second: they add up */
};

struct metric {
	const char *type, *resource;
	enum metric_kind kind;
	/* Work is a value from here on; of METRIC_IDLE_FOR one below it. Of METRIC_RATE it is
	 * what one worker sends or receives. */
	double busy;
	/* The subject: a label, or two joined by '/'. Without a second label `rest` follows. */
	const char *label, *label2, *rest;
	const char *worker;  /* label that tells workers apart; NULL: there is one */
	const char *aligner; /* of the request */
	bool of_tpu;         /* asked for where TPUs are, else where machines are */
};

/* One thing that is measured, over all of its workers. */
struct subject {
	const char *name;
	ts_t at;         /* end of the newest point; of several workers the oldest news */
	ts_t oldest;     /* end of the oldest point of the unbroken stretch up to it */
	ts_t idle_since; /* TS_NONE: it works */
	bool all_idle;   /* as far back as can be seen: it may have been idle before too */
	double value;    /* of a rate the sum over workers */
	int64_t workers; /* that told something now */
	/* of rates, as far back as the last start */
	double peak;     /* of the busiest period */
	double bytes;    /* in the last hour */
	int64_t seconds; /* of that hour that the points cover */
};

struct subjects {
	struct subject *v;
	size_t n;
};

/* Since when each subject has run, where that is known: older points are of its predecessor
 * under the same name. Numbers are positions in `since`. */
struct metric_starts {
	struct strmap by_name;
	ts_t *since;
	size_t n, cap;
};

/* Remember a metric as it was just stored, so that rules can be replayed; what is older than 100
 * days goes. In collector/source/metric.c. */
struct q_metric_put_in;
enum err_code past_metric(
	struct db *db, const struct q_metric_put_in *m, struct err *e) must_check;
enum err_code past_forget(
	struct db *db, const char *project, ts_t now, struct err *e) must_check;

/* All in the arena. */
struct subjects metric_subjects(const struct metric *m, const struct series_list *l,
	const struct metric_starts *starts, struct arena *a);

#endif
