/* Cloud Billing v1beta: cost anomalies of a project. After the REST reference, projects.anomalies.list; the words
 * of severity and scope are made up, because Google documents none. */
#include "tests/sandbox/sandbox.h"

#include "base/time/civil.h"

#include <string.h>

#define DAYS 30   /* without a filter */
#define PAGE 1000 /* maximum size of a page */

/* google.type.Money: what is 0 is left out. */
static void write_money(const struct request *q, struct jw *w, const char *key,
	const char *currency, int64_t amount)
{
	jw_key(w, key);
	jw_begin(w, '{');
	jw_kstr(w, "currencyCode", currency);
	if (amount / NANOS)
		jw_kstr(w, "units",
			arena_printf(q->a, "%lld", (long long)(amount / NANOS)));
	if (amount % NANOS)
		jw_ki64(w, "nanos", amount % NANOS);
	jw_end(w, '}');
}

static void write_deviation(const struct request *q, struct jw *w, const struct anomaly *x)
{
	jw_key(w, "deviation");
	jw_begin(w, '{');
	write_money(q, w, "expectedSpend", x->currency, x->expected);
	write_money(q, w, "actualSpend", x->currency, x->actual);
	write_money(q, w, "deviationAmount", x->currency, x->actual - x->expected);
	if (x->expected) {
		jw_key(w, "deviationPercentage");
		jw_raw(w,
			arena_printf(q->a, "%.4f",
				100.0 * (double)(x->actual - x->expected) /
					(double)x->expected));
	}
	jw_end(w, '}');
}

/* 00:00 of the Pacific day, which is eight hours behind in the worlds of the tests. */
static void write_anomaly(const struct request *q, struct jw *w, const struct anomaly *x)
{
	ts_t pacific = x->detected - 8 * 3600;

	jw_begin(w, '{');
	jw_kstr(w, "name",
		arena_printf(q->a, "projects/%s/anomalies/%s", x->project, x->id));
	jw_kstr(w, "scope", x->scope);
	jw_kstr(w, "severity", x->severity);
	jw_kstr(w, "resourceDisplayName", x->project);
	add_utc(w, "detectionTime", x->detected - pacific % DAY_SECONDS);
	add_utc(w, "updateTime", x->detected);
	write_deviation(q, w, x);
	jw_key(w, "rootCauses");
	jw_begin(w, '[');
	for (size_t i = 0; i < x->causes.n; i++) {
		jw_begin(w, '{');
		jw_kstr(w, "causeType", "SERVICE");
		jw_kstr(w, "displayName", x->causes.v[i]);
		jw_kstr(w, "resource", "services/6F81-5844-456A");
		write_deviation(q, w, x);
		jw_end(w, '}');
	}
	jw_end(w, ']');
	jw_end(w, '}');
}

void serve_anomalies(const struct request *q, struct response *r)
{
	const struct project *p = world_project(q->w, q->seg[2]);
	struct jw w = {.b = &r->body};
	size_t from, to, number = 0;

	if (!p) {
		respond_rpc(
			r, 403, "PERMISSION_DENIED", "The caller does not have permission");
		return;
	}
	if (!page_read(q, r, &from, &to))
		return;
	to = to - from > PAGE ? from + PAGE : to;
	jw_begin(&w, '{');
	jw_key(&w, "anomalies");
	jw_begin(&w, '[');
	for (size_t i = 0; i < q->w->n_anomalies; i++) {
		const struct anomaly *x = &q->w->anomalies[i];

		if (strcmp(x->project, p->id) || x->detected > q->now ||
			x->detected < q->now - DAYS * DAY_SECONDS || number++ < from ||
			number > to)
			continue;
		write_anomaly(q, &w, x);
	}
	jw_end(&w, ']');
	if (number > to)
		jw_kstr(&w, "nextPageToken", page_token(q, to));
	jw_end(&w, '}');
}
