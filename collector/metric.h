/* Results of time series about machines and TPUs: for each subject the newest value, the time since
 * which it has been idle, and, for byte counters, the sum of the last hour. Private to
 * collector/source/metric.c and collector/metric_read.c. */
#ifndef TPUCOST_COLLECTOR_METRIC_H
#define TPUCOST_COLLECTOR_METRIC_H

#include "base/mem.h"
#include "base/strmap.h"
#include "gcp/monitoring.h"

#define METRIC_WINDOW 3600 /* seconds of data to read */
#define METRIC_PERIOD 300  /* of the averages in it */

struct db;

enum metric_kind {
	METRIC_LEVEL,    /* load: the maximum counts */
	METRIC_IDLE_FOR, /* seconds without work: the minimum counts */
	METRIC_RATE,     /* bytes per second: summed */
};

struct metric {
	const char *type, *resource;
	enum metric_kind kind;
	/* Values from this on are work; for METRIC_IDLE_FOR values below it. For METRIC_RATE it
	 * applies to one worker. */
	double busy;
	/* Labels that identify the subject: one, or two joined by '/'. Without a second label
	 * `rest` is appended. */
	const char *label, *label2, *rest;
	const char *(*group)(const struct series *); /* instead of the second label */
	const char *worker;  /* label that identifies workers; NULL: only one */
	const char *aligner; /* of the request */
	bool by_remote;      /* the series of one machine and remote region are summed */
	/* requested if the project has TPUs, or buckets, otherwise if it has machines */
	bool of_tpu, of_bucket;
	bool optional; /* without it, traffic has bounds */
};

/* A measured subject, over all its workers. */
struct subject {
	const char *name;
	ts_t at;         /* end of the newest point; of several workers the oldest */
	ts_t oldest;     /* beginning of the contiguous points that end there */
	ts_t idle_since; /* TS_NONE: active */
	bool all_idle;   /* idle in the whole window: it may have been idle before too */
	bool at_least; /* the worker that stopped working last was idle in the whole window */
	double value;    /* sum over workers of a rate */
	int64_t workers; /* workers with recent data */
	/* of rates, since the last start */
	double peak;     /* in the busiest period */
	double bytes;    /* in the last hour */
	int64_t seconds; /* part of that hour with points */
};

struct subjects {
	struct subject *v;
	size_t n;
};

/* Start of each subject, if known: older points are from a predecessor with the same name. Numbers
 * are positions in `since`. */
struct metric_starts {
	struct strmap by_name;
	ts_t *since;
	size_t n, cap;
};

/* Records a metric that was just stored, so that rules can be replayed; deletes metrics without a point
 * for a day, and records older than 100 days. In collector/source/metric.c. */
struct q_metric_put_in;
enum err_code past_metric(
	struct db *db, const struct q_metric_put_in *m, struct err *e) must_check;
enum err_code past_forget(
	struct db *db, const char *project, ts_t now, struct err *e) must_check;

/* Everything is allocated from the arena. */
struct subjects metric_subjects(const struct metric *m, const struct series_list *l,
	const struct metric_starts *starts, struct arena *a);

#endif
