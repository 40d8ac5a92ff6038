/* Metrics of the machines and TPUs that run now: signals, activity and egress_part. */
#include "base/money.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "db_sql.h"
#include "rules/activity.h"
#include "rules/derive/internal.h"
#include "rules/egress.h"

#include <stdlib.h>
#include <string.h>

#define KIB 1024.0
#define FLOW_LATE \
	300 /* seconds of a flow behind its machine's counter: its period is five minutes */

/* Counters of one direction; without a rate, nothing is known. */
struct counter {
	ts_t at;
	struct opt_i64 rate, peak, bytes;
	int64_t workers;
};

/* Metrics of a resource. */
struct measured {
	struct active what;
	struct signal signals[N_SIGNALS];
	struct counter sent, received;
	struct counter class_a, class_b; /* of a bucket: requests */
	struct flow_parts to, from;      /* of sent and received */
};

/* Work in one of the two signals is work; the idle time begins when both report it, if both do. */
static struct signal signals_either(struct signal a, struct signal b)
{
	if (a.says == SAYS_WORK || b.says == SAYS_NOTHING)
		return a;
	if (b.says == SAYS_WORK || a.says == SAYS_NOTHING)
		return b;
	return a.since > b.since ? a : b;
}

/* ---- one resource --------------------------------------------------------------------- */

static struct active signals_describe(const struct fact *f)
{
	struct active x = {.tpu = str_eq(f->kind, "tpu"),
		.gpus = f->more->gpu_count.set && f->more->gpu_count.v > 0,
		.hosts = str_eq(f->source, "vm") ? 1
			: f->hosts.set           ? f->hosts.v
						 : 0,
		.started = f->running_since};

	if (f->created != TS_NONE && (x.started == TS_NONE || f->created > x.started))
		x.started = f->created;
	return x;
}

/* Zeros for a resource without metrics. */
static const struct measured *measured_of(const struct deriving *d, const struct fact *f)
{
	static const struct measured none;
	const struct measured *m = d->measured[f - d->facts];

	return m ? m : &none;
}

static struct measured *measured_make(struct deriving *d, const struct fact *f)
{
	struct measured **m = &d->measured[f - d->facts];

	if (!*m) {
		*m = arena_new(&d->spent, struct measured);
		(*m)->what = signals_describe(f);
	}
	return *m;
}

static bool signals_is_recent(const struct measured *m, ts_t at, ts_t now)
{
	return at >= now - SIGNAL_FRESH &&
		(m->what.started == TS_NONE || at >= m->what.started);
}

static void read_counter(
	struct measured *m, struct counter *c, const struct q_signal_list *q, ts_t now)
{
	if (!signals_is_recent(m, q->at, now))
		return;
	*c = (struct counter){.at = q->at,
		.rate = SOME(q->value),
		.peak = q->peak.set ? q->peak : SOME(q->value),
		.bytes = SOME(q->bytes.set ? q->bytes.v : 0),
		.workers = q->series};
}

static void read_signal(struct measured *m, const struct q_signal_list *q, ts_t now)
{
	static const char *const names[] = {[SIGNAL_CPU] = "cpu",
		[SIGNAL_SENT] = "sent",
		[SIGNAL_RECEIVED] = "received",
		[SIGNAL_CHIPS] = "chips"};
	struct signal_points p = {.at = q->at,
		.idle_since = ts_of_opt(q->idle_since),
		.workers = q->series,
		.at_least = q->at_least};

	for (size_t i = 0; i < N_SIGNALS; i++)
		if (str_eq(q->signal, names[i]))
			m->signals[i] = signal_read(&p, &m->what, now);
	if (str_eq(q->signal, "sent"))
		read_counter(m, &m->sent, q, now);
	if (str_eq(q->signal, "received"))
		read_counter(m, &m->received, q, now);
	if (str_eq(q->signal, "class A"))
		read_counter(m, &m->class_a, q, now);
	if (str_eq(q->signal, "class B"))
		read_counter(m, &m->class_b, q, now);
}

static enum err_code put_activity(struct deriving *d, const struct fact *f, struct err *e)
{
	const struct activity *a = f->activity;
	struct row_activity in = {
		.id = f->id, .works = a->is == ACTIVITY_WORKS, .basis = a->basis};

	if (!*a->basis)
		return E_OK;
	if (a->is == ACTIVITY_IDLE)
		in.idle_since = SOME(a->idle_since);
	in.at_least = a->at_least;
	return derived_put_activity(d->db, &in, e);
}

/* ---- egress --------------------------------------------------------------------------- */

static int64_t sum_capped(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* *far_sent: what those outside the region send, as far as it is known. */
static size_t signals_buckets_of(struct deriving *d, const char *project,
	const char *region, struct place_of_bucket **out, int64_t *far_sent)
{
	const char *ids = arena_printf(&d->spent, "%s/bucket/", project);
	size_t n = 0, cap = 0;

	*far_sent = 0;
	*out = NULL;
	for (size_t i = fact_first(d, ids); fact_has_id(d, i, ids); i++) {
		const struct fact *f = &d->facts[i];

		*arena_append(&d->spent, *out, n, cap) = (struct place_of_bucket){
			f->name, f->location};
		if (region && !price_same_place(region, f->location))
			*far_sent = sum_capped(*far_sent, measured_of(d, f)->sent.rate.v);
	}
	return n;
}

static void rate_add(struct sbuf *b, int64_t rate)
{
	static const char *const units[] = {"KiB/s", "MiB/s", "GiB/s", "TiB/s"};
	double x = (double)rate / KIB;
	size_t i = 0;

	while (x >= KIB && i + 1 < ARRAY_LEN(units)) {
		x /= KIB;
		i++;
	}
	sbuf_addf(b, "%.1f %s", x, units[i]);
}

static void signals_add_rate(struct sbuf *b, const char *verb, const struct counter *c)
{
	if (!c->rate.set)
		return;
	sbuf_addf(b, "%s%s ", b->len ? ", " : "", verb);
	rate_add(b, c->rate.v);
}

/* "europe-west4 12.0 MiB/s, external 40.0 KiB/s", the largest first; NULL without one. */
static const char *flows_list(struct deriving *d, const struct flow_parts *l)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	for (size_t i = 0; i < l->n; i++) {
		if (!l->v[i].rate)
			continue;
		sbuf_addf(&b, "%s%s ", b.len ? ", " : "", l->v[i].place);
		rate_add(&b, l->v[i].rate);
	}
	return b.len ? arena_strdup(&d->spent, b.s) : NULL;
}

/* Machines of one project and region are adjacent: they share their surroundings. */
struct look {
	const char *project, *region;
	struct surroundings around;
	int64_t far_sent; /* by its buckets elsewhere, as far as it is known */
};

static const char *tell_basis(struct deriving *d, const struct fact *f,
	const struct measured *m, const struct look *l, bool counted)
{
	const struct surroundings *s = &l->around;
	int64_t told = m->sent.rate.set ? m->sent.workers : m->received.workers;
	const char *to = flows_list(d, &m->to), *from = flows_list(d, &m->from);
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	signals_add_rate(&b, "sends", &m->sent);
	signals_add_rate(&b, "receives", &m->received);
	if (m->what.hosts > told)
		sbuf_addf(&b, " (%lld of %lld workers reported)", (long long)told,
			(long long)m->what.hosts);
	if (s->far_only)
		sbuf_addf(&b, "; every known bucket of %s is elsewhere: %s", f->project,
			s->far_buckets);
	else if (s->far_buckets)
		sbuf_addf(&b, "; buckets elsewhere: %s", s->far_buckets);
	else
		sbuf_addf(&b, "; no bucket of %s elsewhere is known", f->project);
	if (s->far_buckets && !l->far_sent)
		sbuf_adds(&b, ", whose traffic is not known");
	if (counted)
		sbuf_adds(&b, ", which send as much and have rows of their own");
	if (to || from) {
		sbuf_addf(&b, "; VM flow counters: %s%s%s%s%s", to ? "to " : "",
			to ? to : "", to && from ? "; " : "", from ? "from " : "",
			from ? from : "");
		sbuf_adds(&b, "; the rest is not measured: an estimate at list prices");
	} else
		sbuf_adds(&b,
			"; where the bytes go is not measured: an estimate at list prices");
	return arena_strdup(&d->spent, b.s);
}

static void put_prices(struct row_egress_part *in, const struct egress *x)
{
	in->currency = price_currency(x->high.known ? &x->high : &x->low);
	/* A range in two currencies is not a range. */
	if (x->low.known && x->high.known && strcmp(x->low.cur, x->high.cur) != 0)
		return;
	in->low = price_amount(&x->low);
	in->high = price_amount(&x->high);
}

static ts_t signals_older(const struct counter *a, const struct counter *b)
{
	if (!a->rate.set || !b->rate.set)
		return a->rate.set ? a->at : b->at;
	return a->at < b->at ? a->at : b->at;
}

/* `leaving`: the rate that may be charged. Most of it is known to go to other regions; or nearly all traffic is known to
 * remain in the region. */
static const char *flows_path(
	const struct measured *m, const struct surroundings *s, int64_t leaving)
{
	int64_t all = sum_capped(m->sent.rate.v, m->received.rate.v), away = 0;
	int64_t open = sum_capped(egress_leaving(&m->to, m->sent.rate.v, false),
		egress_leaving(&m->from, m->received.rate.v, false));

	for (size_t i = 0; i < m->to.n; i++)
		if (m->to.v[i].price.known && !m->to.v[i].within)
			away = sum_capped(away, m->to.v[i].rate);
	if (away && egress_mostly(away, leaving))
		return "inter-region";
	return (m->to.n || m->from.n) && open <= all / 10 ? "region" : egress_path(s);
}

/* Received bytes count once: if its buckets elsewhere send as much, they are in their rows. */
static enum err_code put_egress(struct deriving *d, const struct fact *f,
	const struct measured *m, const struct look *l, struct err *e)
{
	const struct surroundings *s = &l->around;
	bool counted = l->far_sent && egress_mostly(l->far_sent, m->received.rate.v);
	bool adds = s->far_only && !counted;
	struct traffic t = {.sent = egress_leaving(&m->to, m->sent.rate.v, false),
		.received = counted ? 0
				    : egress_leaving(&m->from, m->received.rate.v, false),
		.to = m->to};
	struct egress x = egress_estimate(s, &t);
	int64_t rate = sum_capped(t.sent, adds ? t.received : 0);
	struct row_egress_part in = {.id = f->id,
		.at = signals_older(&m->sent, &m->received),
		.rate = rate,
		.bytes = sum_capped(egress_leaving(&m->to, m->sent.bytes.v, true),
			adds ? egress_leaving(&m->from, m->received.bytes.v, true) : 0),
		.sent = m->sent.rate,
		.sent_peak = m->sent.peak,
		.sent_bytes = m->sent.bytes,
		.received = m->received.rate,
		.received_peak = m->received.peak,
		.received_bytes = m->received.bytes,
		.far_buckets = s->far_buckets,
		.destinations = flows_list(d, &m->to),
		.path = flows_path(m, s, rate),
		.basis = tell_basis(d, f, m, l, counted)};

	put_prices(&in, &x);
	return derived_put_egress_part(d->db, &in, e);
}

static bool signals_can_run(const struct fact *f)
{
	return str_eq(f->state, "running") &&
		(str_eq(f->source, "vm") || str_eq(f->source, "slice") ||
			str_eq(f->source, "tpu"));
}

/* ---- egress of buckets ------------------------------------------------------------------ */

/* Buckets that send, and machines that receive, by project and region. */
struct flows {
	struct sender *senders;
	const struct fact **buckets; /* of the senders */
	struct receiver *receivers;
	struct top {
		int64_t rate;
		const char *id;
	} * top; /* of the receivers: the machine that receives most */
	size_t n_senders, n_buckets, n_receivers, n_top;
	size_t cap_senders, cap_buckets, cap_receivers, cap_top;
};

static void flows_add_sender(struct deriving *d, struct flows *x, const struct fact *f)
{
	const struct measured *m = measured_of(d, f);
	const struct counter *c = &m->sent;

	if (!c->bytes.v && !m->class_a.bytes.v && !m->class_b.bytes.v)
		return;
	*arena_append(&d->spent, x->buckets, x->n_buckets, x->cap_buckets) = f;
	*arena_append(&d->spent, x->senders, x->n_senders,
		x->cap_senders) = (struct sender){.project = f->project,
		.location = f->location,
		.left = {c->rate.v, c->bytes.v}};
}

static void flows_add_receiver(struct deriving *d, struct flows *x, const struct fact *f)
{
	const struct counter *c = &measured_of(d, f)->received;
	size_t i = x->n_receivers;
	struct receiver *r;
	struct top *top;

	if (!f->region || !c->rate.set)
		return;
	/* those of one project follow each other */
	while (i && !strcmp(x->receivers[i - 1].project, f->project) &&
		strcmp(x->receivers[i - 1].region, f->region) != 0)
		i--;
	if (!i || strcmp(x->receivers[i - 1].project, f->project) != 0) {
		*arena_append(&d->spent, x->receivers, x->n_receivers, x->cap_receivers) =
			(struct receiver){.project = f->project, .region = f->region};
		*arena_append(&d->spent, x->top, x->n_top, x->cap_top) = (struct top){
			.rate = -1};
		i = x->n_receivers;
	}
	r = &x->receivers[i - 1];
	top = &x->top[i - 1];
	r->left[FLOW_RATE] = sum_capped(r->left[FLOW_RATE], c->rate.v);
	r->left[FLOW_HOUR] = sum_capped(r->left[FLOW_HOUR], c->bytes.v);
	if (c->rate.v > top->rate) {
		*top = (struct top){c->rate.v, f->id};
		r->name = f->name;
	}
}

static void bucket_add_price(
	struct deriving *d, struct sbuf *b, const struct price *p, const char *whither)
{
	if (p->known)
		sbuf_addf(b, "%s per GiB %s", money_words(&d->spent, p->nanos, p->cur),
			whither);
	else
		sbuf_addf(b, "unknown %s", whither);
}

static void bucket_add_traffic(struct deriving *d, struct sbuf *b, const struct fact *f,
	const struct surroundings *s, int64_t left)
{
	const struct counter *sent = &measured_of(d, f)->sent;
	struct counter rest = {.rate = SOME(left)};

	signals_add_rate(b, "sends", sent);
	if (!left) {
		sbuf_addf(
			b, "; machines in %s receive as much: free of charge", f->location);
		return;
	}
	if (left != sent->rate.v)
		signals_add_rate(b, "of which not to machines in its location", &rest);
	if (s->far_buckets)
		sbuf_addf(b, "; machines elsewhere receive as much: %s", s->far_buckets);
	else
		sbuf_adds(b, "; no machine that is known receives as much elsewhere");
	sbuf_adds(b, "; an estimate at list prices: ");
	if (s->far_buckets)
		bucket_add_price(d, b, &s->least,
			"between the locations (billed as Network Inter Region Data "
			"Transfer Out), ");
	bucket_add_price(d, b, &s->internet, "to the internet");
}

static void bucket_add_operations(struct deriving *d, struct sbuf *b,
	const struct measured *m, const struct price *cost)
{
	int64_t class_a, class_b;

	if (!egress_hourly(m->class_a.rate.v, &class_a) ||
		!egress_hourly(m->class_b.rate.v, &class_b) || (!class_a && !class_b))
		return;
	sbuf_addf(b, "%s%lld class A and %lld class B operations an hour",
		b->len ? "; " : "", (long long)class_a, (long long)class_b);
	if (cost->known)
		sbuf_addf(b, ": about %s", money_words(&d->spent, cost->nanos, cost->cur));
}

static const char *bucket_basis(struct deriving *d, const struct fact *f,
	const struct surroundings *s, int64_t left, const struct price *likely,
	const struct price *operations)
{
	const struct measured *m = measured_of(d, f);
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	if (m->sent.bytes.v)
		bucket_add_traffic(d, &b, f, s, left);
	if (likely->known && likely->nanos)
		sbuf_addf(&b, ": about %s an hour",
			money_words(&d->spent, likely->nanos, likely->cur));
	bucket_add_operations(d, &b, m, operations);
	return arena_strdup(&d->spent, b.len ? b.s : "it was read in the last hour");
}

/* Requests of both classes, per hour at the present rate. */
static struct price bucket_operations(const struct deriving *d, const struct fact *f)
{
	const struct measured *m = measured_of(d, f);
	struct price a = price_unknown, b = price_unknown;
	int64_t hourly;

	if (egress_hourly(m->class_a.rate.v, &hourly))
		a = price_operations(&d->book, f->type, f->location, "A", hourly);
	if (egress_hourly(m->class_b.rate.v, &hourly))
		b = price_operations(&d->book, f->type, f->location, "B", hourly);
	return price_add(&a, &b);
}

/* The machine elsewhere that receives most of it, or NULL. */
static const char *bucket_receiver(const struct flows *x, const struct sender *s)
{
	const struct top *best = NULL;

	for (size_t i = 0; i < x->n_receivers; i++)
		for (size_t k = 0; k < s->n_far; k++)
			if (s->far[k].name == x->receivers[i].name &&
				(!best || x->top[i].rate > best->rate))
				best = &x->top[i];
	return best ? best->id : NULL;
}

static enum err_code put_bucket(struct deriving *d, const struct flows *flows,
	const struct sender *from, const struct fact *f, struct err *e)
{
	const struct measured *m = measured_of(d, f);
	const struct counter *sent = &m->sent;
	struct price operations = bucket_operations(d, f);
	struct surroundings s = egress_look(
		&d->book, f->location, from->far, from->n_far, &d->spent);
	struct traffic t = {.sent = from->left[FLOW_RATE]};
	struct egress x = egress_estimate(&s, &t);
	const struct price *likely = from->n_far ? &x.low : &x.high;
	struct row_egress_part in = {.id = f->id,
		.at = sent->rate.set                    ? sent->at
			: m->class_a.at > m->class_b.at ? m->class_a.at
							: m->class_b.at,
		.rate = t.sent,
		.bytes = from->left[FLOW_HOUR],
		.sent = sent->rate,
		.sent_peak = sent->peak,
		.sent_bytes = sent->bytes,
		.far_buckets = s.far_buckets,
		.receiver = bucket_receiver(flows, from),
		.class_a = m->class_a.bytes,
		.class_b = m->class_b.bytes,
		.requests = SOME(sum_capped(m->class_a.rate.v, m->class_b.rate.v)),
		.path = t.sent || from->left[FLOW_HOUR] ? egress_path(&s) : "region",
		.basis = bucket_basis(d, f, &s, t.sent, likely, &operations)};

	put_prices(&in, &x);
	in.likely = likely == &x.low ? in.low : in.high;
	if (!in.currency)
		in.currency = price_currency(&operations);
	if (!operations.nanos || str_eq(in.currency, operations.cur))
		in.operations = price_amount(&operations);
	return derived_put_egress_part(d->db, &in, e);
}

static enum err_code put_buckets(struct deriving *d, struct err *e)
{
	struct flows x = {0};

	for (size_t i = 0; i < d->n_facts; i++)
		if (!strcmp(d->facts[i].kind, "bucket"))
			flows_add_sender(d, &x, &d->facts[i]);
	for (size_t i = 0; x.n_senders && i < d->n_facts; i++)
		if (signals_can_run(&d->facts[i]))
			flows_add_receiver(d, &x, &d->facts[i]);
	egress_match(x.senders, x.n_senders, x.receivers, x.n_receivers, &d->spent);
	for (size_t i = 0; i < x.n_senders; i++)
		if (put_bucket(d, &x, &x.senders[i], x.buckets[i], e))
			return e->code;
	return E_OK;
}

/* ---- all resources -------------------------------------------------------------------- */

static enum err_code load_signals(struct deriving *d, struct err *e)
{
	struct q_signal_list q;
	struct db_rows rows;

	if (q_signal_list_open(d->db, &rows, e))
		return e->code;
	while (q_signal_list_next(&rows, &q)) {
		const struct fact *f = fact_find(d, q.id);

		if (f)
			read_signal(measured_make(d, f), &q, d->o->now);
	}
	return db_rows_close(&rows, e);
}

static enum err_code load_flows(struct deriving *d, struct err *e)
{
	struct q_flow_list q;
	struct db_rows rows;

	if (q_flow_list_open(d->db, &rows, e))
		return e->code;
	while (q_flow_list_next(&rows, &q)) {
		const struct fact *f = fact_find(d, q.id);
		struct measured *m = f ? measured_make(d, f) : NULL;
		const struct counter *c;
		struct flow_part *x;

		if (!f || !f->region || !signals_is_recent(m, q.at, d->o->now))
			continue;
		c = q.received ? &m->received : &m->sent;
		x = arena_push(&d->spent, q.received ? &m->from : &m->to);
		*x = (struct flow_part){.place = arena_strdup(&d->spent, q.place),
			/* one that has ended has no more points */
			.rate = c->rate.set && q.at < c->at - FLOW_LATE ? 0 : q.value,
			.hour = q.bytes.v,
			.within = price_same_place(f->region, q.place),
			.price = price_free};
		if (!x->within)
			x->price = price_transfer(&d->book, f->region, x->place, PRICE_GIB);
	}
	return db_rows_close(&rows, e);
}

static const struct look *look_around(
	struct deriving *d, struct look *last, const struct fact *f)
{
	struct place_of_bucket *buckets;
	int64_t far_sent;
	size_t n;

	if (last->project && str_eq(last->project, f->project) &&
		str_eq(last->region, f->region))
		return last;
	n = signals_buckets_of(d, f->project, f->region, &buckets, &far_sent);
	*last = (struct look){.project = f->project,
		.region = f->region,
		.around = egress_look(&d->book, f->region, buckets, n, &d->spent),
		.far_sent = far_sent};
	return last;
}

static void signals_judge_all(struct deriving *d, const struct duty_zones *zones)
{
	for (size_t i = 0; i < d->n_facts; i++) {
		struct fact *f = &d->facts[i];
		struct signal signals[N_SIGNALS], *chips = &signals[SIGNAL_CHIPS];
		struct activity *judged;
		struct active what;

		if (!signals_can_run(f))
			continue;
		what = signals_describe(f);
		memcpy(signals, measured_of(d, f)->signals, sizeof(signals));
		if (what.tpu && zones->n)
			*chips = signals_either(*chips, duty_says(d, zones, f, &what));
		judged = arena_new(&d->spent, struct activity);
		*judged = activity_judge(signals, &what);
		f->activity = judged;
	}
}

enum err_code derive_signals(struct deriving *d, struct err *e)
{
	struct duty_zones zones = {0};

	d->measured = arena_alloc(&d->spent, d->n_facts * sizeof(*d->measured));
	if (load_signals(d, e) || load_flows(d, e) || duty_read(d, &zones, e))
		return e->code;
	signals_judge_all(d, &zones);
	return E_OK;
}

enum err_code derive_activity(struct deriving *d, struct err *e)
{
	struct look last = {0};

	for (size_t i = 0; i < d->n_facts; i++) {
		const struct fact *f = &d->facts[i];
		const struct measured *m = measured_of(d, f);

		if (!signals_can_run(f))
			continue;
		if (put_activity(d, f, e))
			return e->code;
		if ((m->sent.rate.set || m->received.rate.set) &&
			put_egress(d, f, m, look_around(d, &last, f), e))
			return e->code;
	}
	return put_buckets(d, e);
}
