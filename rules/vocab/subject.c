#include "rules/vocab/subject.h"

#include <stdio.h>
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

/* Kinds that it names, as a list of sources; newer TPUs are read with the machines. */
static void add_sources(const char *where, struct sbuf *b)
{
	static const char *const kinds[] = {
		"tpu", "disk", "ip", "queued", "snapshot", "bucket"};
	char quoted[16];

	sbuf_adds(b, "('vm'");
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		snprintf(quoted, sizeof(quoted), "'%s'", kinds[i]);
		if (strstr(where, quoted))
			sbuf_addf(b, ", %s", quoted);
	}
	sbuf_addc(b, ')');
}

void subject_fresh(const struct subject *s, const char *where, bool holds, struct sbuf *b)
{
	struct sbuf list = SBUF_INIT;

	sbuf_addf(b, "(%s)", holds && s->growing ? s->growing : s->fresh);
	if (strcmp(s->view, "resources") != 0 ||
		(!strcasestr(where, "from resources") &&
			!strcasestr(where, "join resources")))
		return;
	add_sources(where, &list);
	sbuf_addf(b,
		" AND NOT EXISTS (SELECT 1 FROM sources s WHERE s.project = "
		"resources.project AND s.source IN %s AND (s.unread = 1 OR s.state = "
		"'failed')) AND NOT EXISTS (SELECT 1 FROM gaps g WHERE g.project = "
		"resources.project AND g.source IN %s%s)",
		list.s, list.s,
		strstr(where, ".zone = resources.zone")
			? " AND g.location IN (resources.zone, "
			  "resources.region, 'somewhere')"
			: "");
	sbuf_done(&list);
}
