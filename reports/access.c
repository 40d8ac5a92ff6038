#include "reports/access.h"

#include "base/sbuf.h"
#include "db/db.h"
#include "db_sql.h"

enum { FILES, INVENTORY, METRICS, BILLING, LEVELS };

/* As in the view `access`. */
struct level {
	const char *name, *missing;
	bool have;
};

struct levels {
	struct level v[LEVELS];
	bool configured; /* a table of the billing export is */
	bool tried;      /* to read it */
};

/* Which tables are configured is only asked for where none was read. */
static enum err_code read_levels(
	struct db *db, struct arena *a, struct levels *l, struct err *e)
{
	struct q_access_reached q = {0};
	struct q_access_tables wanted = {0};
	bool found;

	if (q_access_reached_one(db, a, &q, &found, e) ||
		(!q.billing && !q.files && q_access_tables_one(db, a, &wanted, &found, e)))
		return e->code;
	*l = (struct levels){
		.v = {[FILES] = {"imported files", NULL, q.files},
			[INVENTORY] = {"inventory",
				"what exists, coverage and burn are unknown", q.inventory},
			[METRICS] = {"metrics", "idle and egress are unknown", q.metrics},
			[BILLING] = {"billing export", "cost and credit are unknown",
				q.billing}},
		.configured = wanted.tables > 0,
		.tried = q.billing_tried};
	return E_OK;
}

/* Metrics are of what exists, and files are a bill. */
static bool is_missed(const struct level *v, int level)
{
	return !v[level].have &&
		(level == INVENTORY || (level == METRICS && v[INVENTORY].have) ||
			(level == BILLING && !v[FILES].have));
}

/* A table of the export that is configured is there: what is missing is that it was read. */
static void add_missed(struct sbuf *b, const struct levels *l, int level, bool first)
{
	const struct level *v = &l->v[level];

	if (level == BILLING && l->configured)
		sbuf_addf(b, "%se %s %s: %s", first ? ". Th" : "; th", v->name,
			l->tried ? "cannot be read" : "was not read yet", v->missing);
	else
		sbuf_addf(b, "%so %s: %s", first ? ". N" : "; n", v->name, v->missing);
}

/* Who missed nothing but the first poll needs no doctor. */
static const char *way_on(const struct levels *l, bool all_missed_is_bill)
{
	return all_missed_is_bill && l->configured && !l->tried
		? "; run: tpucost collect"
		: "; tpucost doctor says how";
}

enum err_code access_words(struct db *db, struct arena *a, const char **out, struct err *e)
{
	struct sbuf b = SBUF_INIT;
	struct levels l = {.tried = false};
	size_t n = 0;

	if (read_levels(db, a, &l, e))
		return e->code;
	for (int i = FILES; i <= BILLING; i++)
		if (l.v[i].have)
			sbuf_addf(&b, "%s%s", b.len ? ", " : "", l.v[i].name);
	if (!b.len) {
		*out = "nothing that was read; tpucost doctor says how";
		return E_OK;
	}
	for (int i = INVENTORY; i <= BILLING; i++)
		if (is_missed(l.v, i))
			add_missed(&b, &l, i, !n++);
	if (n)
		sbuf_adds(&b, way_on(&l, n == 1 && is_missed(l.v, BILLING)));
	*out = arena_strdup(a, b.s);
	sbuf_done(&b);
	return E_OK;
}

enum err_code access_fact(struct doc *doc, struct db *db, const char *label, struct err *e)
{
	const char *words;

	if (access_words(db, doc->arena, &words, e))
		return e->code;
	doc_fact(doc, "rests_on", label, cell_text(words));
	return E_OK;
}
