#include "tests/support/paste.h"

#include "base/time/civil.h"
#include "base/sbuf.h"

#include <inttypes.h>

static const char *or_dash(const char *s)
{
	return s ? s : "-";
}

static void add_wish(struct sbuf *b, const struct wish *w)
{
	char buf[RFC3339_BUF];

	sbuf_addf(b, "%s %s %s %s %s %s", w->kind, or_dash(w->name), or_dash(w->project),
		w->zone ? w->zone : or_dash(w->region), or_dash(w->type),
		or_dash(w->provisioning));
	if (w->count != 1)
		sbuf_addf(b, " x%" PRId64, w->count);
	if (w->size_gib)
		sbuf_addf(b, " %" PRId64 "GiB", w->size_gib);
	if (w->queued)
		sbuf_adds(b, " queued");
	if (w->gpu_count)
		sbuf_addf(b, " gpu=%" PRId64 "x%s", w->gpu_count, w->gpu_type);
	if (w->local_ssd_gib)
		sbuf_addf(b, " ssd=%" PRId64, w->local_ssd_gib);
	if (w->beside)
		sbuf_addf(b, " of=%s", w->beside);
	if (w->from != TS_NONE)
		sbuf_addf(b, " from=%s", rfc3339_format(w->from, buf));
	if (w->wait)
		sbuf_addf(b, " wait=%" PRId64, w->wait);
	if (w->run_limit)
		sbuf_addf(b, " limit=%" PRId64, w->run_limit);
	if (w->run_until)
		sbuf_addf(b, " until=%s", rfc3339_format(w->run_until, buf));
	if ((w->run_limit || w->run_until) && w->stops)
		sbuf_adds(b, " stops");
	if (w->stays)
		sbuf_adds(b, " stays");
}

const char *proposal_summary(struct arena *a, const struct proposal *p, bool notes)
{
	struct sbuf b = SBUF_INIT;
	const char *out;

	for (size_t i = 0; i < p->n; i++) {
		sbuf_adds(&b, i ? "; " : "");
		add_wish(&b, &p->v[i]);
	}
	for (size_t i = 0; notes && i < p->n_notes; i++)
		sbuf_addf(&b, " # %s", p->notes[i]);
	out = arena_strdup(a, b.s);
	sbuf_done(&b);
	return out;
}

const char *paste_summary(
	struct arena *a, const char *text, const struct paste_env *env, bool notes)
{
	struct proposal p = {0};
	struct err e = {0};

	if (paste_text(a, text, env, &p, &e))
		return arena_printf(a, "!%s; %s", e.msg, e.fix);
	return proposal_summary(a, &p, notes);
}
