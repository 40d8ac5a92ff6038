#include "tests/support/gcp_sync.h"

#include "base/str.h"
#include "gcp/list.h"
#include "tests/support/assert.h"
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#define MOST 4096 /* bytes of a result */

/* Every result begins with how it went. */
static enum err_code finish(struct gcp *g, enum err_code started, const void *own,
	size_t size, void *out, struct err *e)
{
	enum err_code rc = gcp_typed_wait(g, started, own, e);

	if (rc == E_OK)
		memcpy(out, own, size);
	return rc;
}

enum err_code gcp_sync(const struct gcp_listing *k, struct gcp *g, const char *project,
	const char *where, struct arena *a, void *out, size_t size, struct err *e)
{
	void *own = xcalloc(1, size);
	enum err_code rc = finish(
		g, gcp_listing_start(k, g, project, where, a, own, e), own, size, out, e);

	free(own);
	return rc;
}

enum err_code catalog_skus(struct gcp *g, const char *service_id, const char *currency,
	catalog_keep keep, void *ctx, struct arena *a, struct catalog_skus *out,
	struct err *e)
{
	struct catalog_skus own = {0};

	return finish(g, catalog_skus_start(g, service_id, currency, keep, ctx, a, &own, e),
		&own, sizeof(own), out, e);
}

enum err_code monitoring_series(struct gcp *g, const char *project,
	const struct series_query *q, struct arena *a, struct series_list *out,
	struct err *e)
{
	struct series_list own = {0};

	return finish(g, monitoring_series_start(g, project, q, a, &own, e), &own,
		sizeof(own), out, e);
}

void list_start(struct gcp_world *w, const struct gcp_listing *k, const char *project,
	const char *where, struct gcp_result *out)
{
	assert_ok(gcp_listing_start(k, w->g, project, where, &w->a, out, &w->e), w->e);
}

/* ---- what a list is read as ---------------------------------------------- */

enum err_code list_ask(const struct asked_list *l, struct gcp_world *w, const char *before,
	const char *text, const char *after, void *out)
{
	struct fault_step step = {.match = l->match};
	struct sbuf b = SBUF_INIT;
	enum err_code rc;

	sbuf_addf(&b, "%s%s%s", before, text, after);
	step.body = b.s;
	world_open(w, &step, 1);
	rc = l->ask(w, out);
	sbuf_done(&b);
	return rc;
}

/* A result that shows whether anything was stored. */
static struct gcp_items *fresh(char room[MOST])
{
	memset(room, 77, MOST);
	return (struct gcp_items *)(void *)room;
}

static void assert_untouched(const char room[MOST], const char *what)
{
	for (size_t i = 0; i < MOST; i++)
		if (room[i] != 77)
			fail_msg("%s: byte %zu was stored", what, i);
}

void list_spoiled(const struct asked_list *l, const char *where, const char *before,
	const char *after, const struct list_fault *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		_Alignas(max_align_t) char room[MOST];
		struct gcp_world w;
		enum err_code rc = list_ask(
			l, &w, before, cases[i].text, after, fresh(room));

		if (rc != E_DATA || !str_starts(w.e.msg, where) ||
			!strstr(w.e.msg, cases[i].part))
			fail_msg("case %zu: %s", i, w.e.msg);
		assert_untouched(room, cases[i].text);
		assert_true(fault_count_of(w.s, "GET ") <= 2);
		world_close(&w);
	}
}

void list_empty(const struct asked_list *l, const char *const *bodies, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		_Alignas(max_align_t) char room[MOST];
		struct gcp_items *list = fresh(room);
		struct gcp_world w;

		assert_ok(list_ask(l, &w, "", bodies[i], "", list), w.e);
		assert_i64_eq(list->n, 0);
		assert_i64_eq(list->r.scopes.n, 0);
		world_close(&w);
	}
}

void list_refused(const struct asked_list *l, const struct list_refusal *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct fault_step step = cases[i].step;
		_Alignas(max_align_t) char room[MOST];
		struct gcp_world w;

		step.match = l->match;
		world_open(&w, &step, 1);
		assert_err(l->ask(&w, fresh(room)), w.e, cases[i].code, l->what);
		assert_contains(w.e.fix, cases[i].fix);
		assert_untouched(room, cases[i].fix);
		world_close(&w);
	}
}

const char *quota_text(struct arena *a, const struct quota_list *list)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	for (size_t i = 0; i < list->n; i++)
		sbuf_addf(&b, "%s %s %lld%s\n", list->v[i].location, list->v[i].dimensions,
			(long long)list->v[i].value,
			list->v[i].is_default ? " default" : "");
	return arena_strdup(a, b.s);
}
