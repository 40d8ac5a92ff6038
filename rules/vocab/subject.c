#include "rules/vocab/subject.h"

#include "db/db.h"

#include <string.h>

/* None of the sources has it: stale, or unread. */
#define NONE_IS(what, sources)                              \
	"NOT EXISTS (SELECT 1 FROM sources s WHERE s." what \
	" = 1 AND s.source IN (" sources "))"
#define NO_STALE(sources) NONE_IS("stale", sources)
/* The same, of the project of a row of burn. */
#define NONE_OF_BURN_IS(what)                                       \
	"NOT EXISTS (SELECT 1 FROM sources s WHERE s." what " = 1 " \
	"AND s.project = burn.project AND s.source IN (" PRICED "))"
#define INVENTORY "'vm','slice','tpu','disk','ip','queued','snapshot','bucket'"
/* Buckets and requests have no price: burn does not depend on them. */
#define PRICED "'vm','slice','tpu','disk','ip','snapshot'"

static const struct subject subjects[] = {
	/* TPU slices of newer kinds are read with the machines. A place without data does not
	 * invalidate the others: `complete` is that of the row's own place. */
	{.view = "resources",
		.project = 1,
		.key = "id",
		.fresh = "resources.complete = 1 AND NOT EXISTS (SELECT 1 FROM sources s "
			 "WHERE s.unread = 1 AND s.project = resources.project AND "
			 "(s.source = resources.kind OR (resources.kind = 'tpu' AND "
			 "s.source IN ('vm', 'slice'))))",
		/* A resource ends when two complete snapshots lack it; nothing else ends it. */
		.whole = "1"},
	/* The end of a grant is independent of polls. */
	{.view = "grants",
		.key = "name || '/' || zone || '/' || COALESCE(type, family) || '/' || "
		       "provisioning",
		.fresh = "1"},
	{.view = "grant_ends", .key = "name", .fresh = "1"},
	{.view = "hidden_costs",
		.project = 1,
		.key = "id || ' ' || part",
		.fresh = NO_STALE(INVENTORY)},
	{.view = "budgets",
		.key = "name",
		.fresh = NO_STALE(PRICED ",'billing'"),
		.growing = NONE_IS("unread", PRICED ",'billing'"),
		.begins = "unixepoch(starts)"},
	{.view = "daily_costs",
		.project = 2,
		.key = "day || '/' || COALESCE(project, '-') || '/' || currency",
		.fresh = NO_STALE("'billing'")},
	{.view = "reconciliation",
		.project = 2,
		.key = "day || '/' || COALESCE(project, '-') || '/' || COALESCE(family, "
		       "'-') || '/' || COALESCE(location, '-') || COALESCE('/' || "
		       "provisioning, '') || COALESCE('/' || currency, '')",
		.fresh = NO_STALE("'billing','vm','slice','tpu'")},
	{.view = "egress",
		.project = 1,
		.key = "id",
		.fresh = "age_minutes <= 30 AND "
			 "NOT EXISTS (SELECT 1 FROM sources s WHERE s.stale = 1 "
			 "AND s.source = 'metric' AND s.project = egress.project)",
		.whole = NO_STALE("'metric','vm','slice','tpu'"),
		/* its agent stopped reporting; a bucket without requests has no counters */
		.still = "EXISTS (SELECT 1 FROM resources r WHERE r.id = :subject "
			 "AND r.state = 'running' AND r.kind <> 'bucket')"},
	{.view = "coverage",
		.project = 1,
		.key = "id || ' ' || starts",
		.fresh = NO_STALE("'vm','slice','tpu'")},
	{.view = "burn",
		.project = 1,
		.key = "project || '/' || category || '/' || COALESCE(currency, 'unknown')",
		.fresh = NONE_OF_BURN_IS("stale"),
		.growing = NONE_OF_BURN_IS("unread"),
		.whole = NO_STALE(PRICED)},
	{.view = "costs",
		.project = 2,
		.key = "day || '/' || COALESCE(project, '-') || '/' || sku_id || '/' || "
		       "COALESCE(location, '-') || '/' || COALESCE(resource, '-') || '/' "
		       "|| invoice_month || '/' || cost_type || '/' || currency",
		.fresh = NO_STALE("'billing'")},
	{.view = "credits", .key = "name", .fresh = NO_STALE("'billing'")},
	{.view = "quotas",
		.project = 1,
		.key = "project || '/' || service || '/' || metric || '/' || location || "
		       "COALESCE('/' || dimensions, '') || COALESCE('/' || quota_id, '')",
		.fresh = NO_STALE("'quota','tpu-quota','compute-tpu-quota'")},
	{.view = "alerts",
		.key = "rule || ' ' || subject",
		.fresh = "data = 'fresh'",
		.whole = "1"},
	{.view = "actions",
		.key = "rule || ' ' || resource || ' ' || CAST(id AS TEXT)",
		.fresh = "1"},
	{.view = "sources", .project = 2, .key = "source || '/' || project", .fresh = "1"},
	{.view = "restatements",
		.key = "day || '/' || invoice_month || '/' || currency || '/' || source || "
		       "'/' || noticed",
		.fresh = "1"},
};

const struct subject *subject_of(const struct view *v)
{
	for (size_t i = 0; i < ARRAY_LEN(subjects); i++)
		if (!strcmp(subjects[i].view, v->name))
			return &subjects[i];
	return NULL;
}

const char *subject_project(const struct subject *s, const char *key, struct arena *a)
{
	size_t len;

	if (!s || !s->project)
		return NULL;
	for (int i = 1; i < s->project; i++) {
		key = strchr(key, '/');
		if (!key++)
			return NULL;
	}
	len = strcspn(key, "/");
	return len == 1 && *key == '-' ? NULL : arena_strndup(a, key, len);
}

/* ---- other rows that a condition reads ----------------------------------------------------- */

/* The sources were read in the last poll, in these projects and at these places. */
#define READ(sources, of, at)                                                            \
	" AND NOT EXISTS (SELECT 1 FROM sources s WHERE s.source IN (" sources ")" of    \
	" AND (s.unread = 1 OR s.state = 'failed')) AND NOT EXISTS (SELECT 1 FROM gaps " \
	"s WHERE s.source IN (" sources ")" of at ")"
#define OWN_PROJECT " AND s.project = resources.project"
#define OWN_ZONE " AND s.location IN (resources.zone, resources.region, 'somewhere')"
#define TPUS "'vm','slice','tpu'"

/* Columns of a row that depend on more than the list that contains it. */
static const struct needing {
	const char *columns[8], *fresh;
} needing[] = {
	/* Of a TPU: on all that can use the same grant, and may be gone. One that names no project is for all. */
	{{"covered", "grant_name", "why", "why_text", "net_per_hour", "net_24h"},
		" AND (resources.kind <> 'tpu' OR (1" READ(TPUS,
			" AND (s.project = resources.project OR EXISTS (SELECT 1 FROM "
			"grants g WHERE g.zone = resources.zone AND g.project IS NULL)) "
			"AND EXISTS (SELECT 1 FROM resources t WHERE t.kind = 'tpu' AND "
			"t.project = s.project AND t.zone = resources.zone)",
			OWN_ZONE) "))"},
	/* Idle time grows until a metric shows work. */
	{{"idle_minutes", "idle_basis", "idle_text"}, READ("'metric'", OWN_PROJECT, "")},
};

static const struct search {
	const char *text, *fresh;
} searches[] = {
	{TPU_IN_ITS_ZONE, READ(TPUS, OWN_PROJECT, OWN_ZONE)},
	{TPU_ELSEWHERE_ONLY, READ(TPUS, OWN_PROJECT, "")},
	{DISK_OF_A_TPU, READ(TPUS, OWN_PROJECT, "")},
};

/* The condition, without its only search if that is known. */
static const struct search *search_known(const char *where, struct sbuf *rest)
{
	for (size_t i = 0; i < ARRAY_LEN(searches); i++) {
		const char *at = strstr(where, searches[i].text);

		if (!at)
			continue;
		sbuf_addf(rest, "%.*sNULL%s", (int)(at - where), where,
			at + strlen(searches[i].text));
		if (!strcasestr(rest->s, "select"))
			return &searches[i];
		sbuf_reset(rest);
	}
	sbuf_adds(rest, where);
	return NULL;
}

void subject_fresh(struct db *db, const struct subject *s, const char *where, bool holds,
	struct sbuf *b)
{
	cleanup(sbuf_done) struct sbuf rest = SBUF_INIT;
	const struct view *v = view_find(s->view);
	const struct search *known;

	sbuf_addf(b, "(%s)", holds && s->growing ? s->growing : s->fresh);
	if (strcmp(s->view, "resources") != 0)
		return;
	known = search_known(where, &rest);
	if (known)
		sbuf_adds(b, known->fresh);
	if (db_condition_reads(db, v, rest.s, NULL, 0)) {
		sbuf_adds(b, READ(INVENTORY ",'metric'", "", ""));
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(needing); i++) {
		const struct needing *x = &needing[i];
		size_t n = 0;

		while (n < ARRAY_LEN(x->columns) && x->columns[n])
			n++;
		if (db_condition_reads(db, v, rest.s, x->columns, n))
			sbuf_adds(b, x->fresh);
	}
}
