/* Requests of a poll and their results, for the sources. */
#include "collector/source/source.h"
#include "gcp/list.h"

#include <string.h>

#define HTTP_BAD_REQUEST 400

void poll_await(struct poll *p, struct gcp_result *r)
{
	r->done = p->answered;
	r->ctx = p;
	p->waiting++;
	p->asked++;
}

enum err_code poll_started(struct poll *p, enum err_code rc)
{
	if (rc)
		p->waiting--;
	return rc;
}

enum err_code poll_list(struct poll *p, const struct gcp_listing *l, const char *where,
	struct gcp_result *r, struct err *e)
{
	poll_await(p, r);
	return poll_started(
		p, gcp_listing_start(l, p->gcp, p->project, where, p->arena, r, e));
}

bool poll_refused(const struct gcp_result *r)
{
	return r->code == E_NOTFOUND || r->code == E_DENIED ||
		(r->code == E_HTTP && r->status == HTTP_BAD_REQUEST);
}

enum err_code poll_result(struct poll *p, const struct gcp_result *r, struct err *e)
{
	if (r->code) {
		*e = r->err;
		return r->code;
	}
	for (size_t i = 0; i < r->scopes.n; i++)
		poll_gap(p, r->scopes.incomplete[i]);
	return E_OK;
}

void poll_gap(struct poll *p, const char *location)
{
	const char **bigger;

	for (size_t i = 0; i < p->n_gaps; i++)
		if (!strcmp(p->gaps[i], location))
			return;
	bigger = arena_alloc(p->arena, (p->n_gaps + 1) * sizeof(*bigger));
	if (p->n_gaps)
		memcpy(bigger, p->gaps, p->n_gaps * sizeof(*bigger));
	bigger[p->n_gaps++] = arena_strdup(p->arena, location);
	p->gaps = bigger;
}
