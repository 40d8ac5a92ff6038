/* Activity and traffic of machines and TPUs, and what buckets send. A machine without points does not count as idle: it
 * may have no agent, or Monitoring may be late. */
#include "base/str.h"
#include "base/time/civil.h"
#include "collector/metric.h"
#include "collector/source/source.h"
#include "db_sql.h"

#include <math.h>
#include <string.h>

#define SETTLED 240      /* delay of points in seconds (Cloud Monitoring) */
#define KEPT DAY_SECONDS /* subjects without points for this long are deleted */
#define FRESH 900        /* an older inventory does not show that nothing runs */
#define NANOS_PER_UNIT 1e9
/* Agents, metadata, keepalives and scanners cause a few KiB/s on an idle machine. */
#define QUIET 16384.0

/* Names, labels and units: the metric lists of Cloud Monitoring for Compute Engine and Cloud TPU.
 * The CPU metric of a TPU has a series for each core, its network metric one for each worker. */
#define OF_MACHINE .resource = "gce_instance", .label = "instance_id"
#define OF_TPU                                                          \
	.resource = "tpu_worker", .label = "zone", .label2 = "node_id", \
	.worker = "worker_id", .of_tpu = true
#define OF_BUCKET                                                            \
	.resource = "gcs_bucket", .label = "bucket_name", .of_bucket = true, \
	.optional = true
#define FLOW .group = metric_remote, .by_remote = true, .optional = true
#define BYTES .kind = METRIC_RATE, .busy = QUIET, .aligner = "ALIGN_RATE"

/* Class of the price of a method, "ReadObject": A writes, lists and copies, B reads. Others (deletions are free of
 * charge) are counted, but have no price. */
static const char *metric_operation_class(const struct series *s)
{
	static const char *const begins[][2] = {{"Write", "A"}, {"List", "A"},
		{"Copy", "A"}, {"Compose", "A"}, {"Rewrite", "A"}, {"Insert", "A"},
		{"Create", "A"}, {"Update", "A"}, {"Patch", "A"}, {"Read", "B"},
		{"Get", "B"}};
	const char *method = series_label(s, "method");

	for (size_t i = 0; i < ARRAY_LEN(begins); i++)
		if (str_starts(method, begins[i][0]))
			return begins[i][1];
	return "other";
}

/* The other end of a VM flow: its region; "external", which may be an address of Google too; "unknown". */
static const char *metric_remote(const struct series *s)
{
	const char *region = series_label(s, "remote_region");

	if (*region && strcmp(region, "NOT_APPLICABLE") != 0)
		return region;
	return str_eq(series_label(s, "remote_location_type"), "EXTERNAL") ? "external"
									   : "unknown";
}

static const struct metric metrics[] = {
	/* a fraction; an idle Linux machine is below it */
	{.type = "compute.googleapis.com/instance/cpu/utilization",
		OF_MACHINE,
		.busy = 0.05,
		.aligner = "ALIGN_MEAN"},
	{.type = "compute.googleapis.com/instance/network/sent_bytes_count",
		OF_MACHINE,
		BYTES},
	{.type = "compute.googleapis.com/instance/network/received_bytes_count",
		OF_MACHINE,
		BYTES},
	/* percent */
	{.type = "tpu.googleapis.com/cpu/utilization",
		OF_TPU,
		.busy = 5,
		.aligner = "ALIGN_MEAN"},
	{.type = "tpu.googleapis.com/network/sent_bytes_count", OF_TPU, BYTES},
	{.type = "tpu.googleapis.com/network/received_bytes_count", OF_TPU, BYTES},
	/* seconds since a TensorCore was active, one series per chip; sampled every minute: a
	 * smaller value means activity between two samples */
	{.type = "tpu.googleapis.com/tpu/tensorcore/idle_duration",
		OF_TPU,
		.kind = METRIC_IDLE_FOR,
		.busy = 60,
		.aligner = "ALIGN_MIN"},
	/* Documented as percent, but some clients read it as a fraction: below one percent in
	 * either case. Its series do not have the node: those of a zone are combined. */
	{.type = "tpu.googleapis.com/accelerator/duty_cycle",
		.resource = "tpu.googleapis.com/GceTpuWorker",
		.busy = 0.01,
		.label = "location",
		.rest = "*",
		.worker = "worker_id",
		.aligner = "ALIGN_MEAN",
		.of_tpu = true},
	/* series for each method and response, without the other end (metric list of Cloud
	 * Storage) */
	{.type = "storage.googleapis.com/network/sent_bytes_count", OF_BUCKET, BYTES},
	/* requests per second, by class: none is idle */
	{.type = "storage.googleapis.com/api/request_count",
		OF_BUCKET,
		.group = metric_operation_class,
		.kind = METRIC_RATE,
		.aligner = "ALIGN_RATE"},
	/* by the region of the other end (metric list of Networking); the machines' counters above
	 * may have more, since flows can be sampled */
	{.type = "networking.googleapis.com/vm_flow/egress_bytes_count",
		OF_MACHINE,
		BYTES,
		FLOW},
	{.type = "networking.googleapis.com/vm_flow/ingress_bytes_count",
		OF_MACHINE,
		BYTES,
		FLOW},
};

struct metric_lists {
	struct series_list v[ARRAY_LEN(metrics)];
	bool asked[ARRAY_LEN(metrics)];
};

static enum err_code metric_ask_one(
	struct poll *p, const struct metric *m, struct series_list *out, struct err *e)
{
	static const char *const remote[] = {"resource.label.instance_id",
		"metric.label.remote_region", "metric.label.remote_location_type"};
	struct series_query q = {.filter = arena_printf(p->arena,
					 "metric.type=\"%s\" AND resource.type=\"%s\"",
					 m->type, m->resource),
		.from = p->now - SETTLED - METRIC_WINDOW,
		.until = p->now - SETTLED,
		.aligner = m->aligner,
		.period = METRIC_PERIOD};

	if (m->by_remote) {
		q.reducer = "REDUCE_SUM";
		q.group_by = remote;
		q.n_group_by = ARRAY_LEN(remote);
	}
	poll_await(p, &out->r);
	return poll_started(
		p, monitoring_series_start(p->gcp, p->project, &q, p->arena, out, e));
}

static bool metric_is_wanted(const struct metric *m, const struct q_metric_wanted *has)
{
	return m->of_bucket ? has->buckets : m->of_tpu ? has->tpus : has->machines;
}

/* If the inventory has no machine, TPU or bucket, their metrics are not requested. */
static enum err_code metric_ask(struct poll *p, struct err *e)
{
	struct q_metric_wanted_in in = {.project = p->project, .since = p->now - FRESH};
	struct metric_lists *l = arena_new(p->arena, struct metric_lists);
	struct q_metric_wanted row;
	bool found;

	p->state = l;
	if (q_metric_wanted_one(p->db, &in, p->arena, &row, &found, e))
		return e->code;
	for (size_t i = 0; i < ARRAY_LEN(metrics); i++) {
		if (!metric_is_wanted(&metrics[i], &row))
			continue;
		l->asked[i] = true;
		if (metric_ask_one(p, &metrics[i], &l->v[i], e))
			return e->code;
	}
	return E_OK;
}

/* ---- results -------------------------------------------------------------------------- */

static int64_t metric_whole(double x, double most)
{
	return (int64_t)llround(fmin(fmax(x, -most), most));
}

#define GAP 1800 /* seconds after which the time between two points is unknown */
#define PAST (100 * DAY_SECONDS)

enum err_code past_metric(struct db *db, const struct q_metric_put_in *m, struct err *e)
{
	struct q_metric_past_put_in in = {.project = m->project,
		.metric = m->metric,
		.subject = m->subject,
		.at = m->at,
		.idle_since = m->idle_since,
		.series = m->series,
		.gap = GAP};

	return q_metric_past_put(db, &in, e);
}

enum err_code past_forget(struct db *db, const char *project, ts_t now, struct err *e)
{
	struct q_metric_drop_in in = {
		.project = project, .before = now - KEPT, .past = now - PAST};

	return q_metric_drop(db, &in, e);
}

/* Idle in the whole window: the beginning is known from the previous poll if there is no gap
 * between the two and all workers had points then. The averages of two polls begin at different
 * times: the same beginning can be less than a period later then. */
static enum err_code metric_put_subject(
	struct poll *p, const struct metric *m, const struct subject *x, struct err *e)
{
	struct q_metric_get_in get = {
		.project = p->project, .metric = m->type, .subject = x->name};
	struct q_metric_get was;
	struct q_metric_put_in in = {.project = p->project,
		.metric = m->type,
		.subject = x->name,
		.at = x->at,
		.series = x->workers,
		.at_least = x->idle_since != TS_NONE && x->at_least};
	bool found;

	if (q_metric_get_one(p->db, &get, p->arena, &was, &found, e))
		return e->code;
	if (m->kind == METRIC_RATE) {
		in.value = metric_whole(x->value, 9e18);
		in.peak = SOME(metric_whole(x->peak, 9e18));
		in.bytes = SOME(metric_whole(x->bytes, 9e18));
		in.seconds = SOME(x->seconds);
	} else {
		in.value = metric_whole(fmin(x->value, 9e9) * NANOS_PER_UNIT, 9e18);
	}
	if (x->idle_since != TS_NONE)
		in.idle_since = SOME(x->idle_since);
	if (x->all_idle && found && was.idle_since.set &&
		was.idle_since.v < x->idle_since + METRIC_PERIOD &&
		was.series >= x->workers && was.at >= x->oldest - METRIC_PERIOD) {
		in.idle_since = was.idle_since;
		in.at_least = was.at_least;
	}
	p->items++;
	return q_metric_put(p->db, &in, e) ? e->code : past_metric(p->db, &in, e);
}

static enum err_code metric_put_list(struct poll *p, const struct metric *m,
	const struct series_list *l, const struct metric_starts *starts, struct err *e)
{
	struct subjects s = metric_subjects(m, l, starts, p->arena);

	for (size_t i = 0; i < s.n; i++) {
		/* With a part of the workers, only activity can be known, not idleness. */
		if (l->partial && s.v[i].idle_since != TS_NONE)
			continue;
		if (metric_put_subject(p, m, &s.v[i], e))
			return e->code;
	}
	return E_OK;
}

static enum err_code metric_load_starts(
	struct poll *p, struct metric_starts *out, struct err *e)
{
	struct q_metric_starts_in in = {.project = p->project};
	struct q_metric_starts row;
	struct db_rows rows;

	if (q_metric_starts_open(p->db, &in, &rows, e))
		return e->code;
	while (q_metric_starts_next(&rows, &row)) {
		if (!strmap_put(&out->by_name, row.subject, out->n))
			continue;
		*arena_append(p->arena, out->since, out->n, out->cap) = row.since;
	}
	return db_rows_close(&rows, e);
}

static enum err_code metric_store(
	struct poll *p, const struct metric_lists *l, struct err *e)
{
	struct metric_starts starts = {0};
	enum err_code rc = metric_load_starts(p, &starts, e);

	for (size_t i = 0; !rc && i < ARRAY_LEN(metrics); i++)
		rc = metric_put_list(p, &metrics[i], &l->v[i], &starts, e);
	strmap_done(&starts.by_name);
	return rc;
}

/* Google refuses a metric that a project has never had: it has no data. */
static bool metric_never_had(const struct gcp_result *r)
{
	return r->code == E_NOTFOUND || strstr(r->err.msg, "any known metric") ||
		strstr(r->err.msg, "valid combination of metric and monitored resource");
}

/* A list that fails does not hide the results of the others. */
static enum err_code metric_check_answers(
	struct poll *p, struct metric_lists *l, struct err *e)
{
	const struct gcp_result *wrong = NULL, *never = NULL, *refused = NULL;
	size_t asked = 0, read = 0;

	for (size_t i = 0; i < ARRAY_LEN(metrics); i++) {
		const struct gcp_result *r = &l->v[i].r;

		/* buckets without requests, and machines without flows, have none */
		if (!l->asked[i] || (metrics[i].optional && r->code && metric_never_had(r)))
			continue;
		if (metrics[i].optional && r->code == E_DENIED) {
			refused = r;
			l->v[i].n = 0;
			continue;
		}
		asked++;
		if (!r->code)
			read++;
		else if (metric_never_had(r))
			never = r;
		else if (!wrong)
			wrong = r;
		if (r->code)
			l->v[i].n = 0;
		if (l->v[i].partial)
			p->note = "Monitoring returned only a part of the metrics";
	}
	if ((asked || refused) && !read)
		return poll_result(p, wrong ? wrong : never ? never : refused, e);
	if (wrong)
		p->note = arena_printf(p->arena, "some metrics: %s", wrong->err.msg);
	return E_OK;
}

static enum err_code metric_take(struct poll *p, struct err *e)
{
	struct metric_lists *l = p->state;
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (metric_check_answers(p, l, e) || db_begin(p->db, &tx, e) ||
		metric_store(p, l, e) || past_forget(p->db, p->project, p->now, e))
		return e->code;
	return db_commit(&tx, e);
}

const struct source source_metric = {
	.name = "metric",
	.group = "metrics",
	.doc = "activity and traffic of machines and TPUs, traffic of buckets",
	.optional = true,
	.after = {&source_vm, &source_tpu, &source_bucket},
	.ask = metric_ask,
	.take = metric_take,
};
