#include "reports/access.h"

#include "base/sbuf.h"
#include "db/db.h"
#include "db_sql.h"

enum { FILES, INVENTORY, METRICS, BILLING, LEVELS };

/* Levels, as in the view `access`, and the figures that are unknown without each. */
static const struct {
	const char *name, *missing;
} levels[LEVELS] = {
	[FILES] = {"imported files", NULL},
	[INVENTORY] = {"inventory", "resources, coverage and run rate are unknown"},
	[METRICS] = {"metrics", "idle and egress are unknown"},
	[BILLING] = {"billing export", "cost and credit are unknown"},
};

struct reached {
	bool have[LEVELS];
	bool configured; /* the configuration names a table of the export */
	bool tried;      /* a read was attempted */
};

/* Reads the configured tables only if no table has been read. */
static enum err_code access_read_levels(
	struct db *db, struct arena *a, struct reached *r, struct err *e)
{
	struct q_access_reached q = {0};
	struct q_access_tables wanted = {0};
	bool found;

	if (q_access_reached_one(db, a, &q, &found, e) ||
		(!q.billing && !q.files && q_access_tables_one(db, a, &wanted, &found, e)))
		return e->code;
	*r = (struct reached){.have = {q.files, q.inventory, q.metrics, q.billing},
		.configured = wanted.tables > 0,
		.tried = q.billing_tried};
	return E_OK;
}

/* Metrics need an inventory; imported files replace the billing export. */
static bool is_missed(const bool *have, int level)
{
	return !have[level] &&
		(level == INVENTORY || (level == METRICS && have[INVENTORY]) ||
			(level == BILLING && !have[FILES]));
}

/* A configured table of the export exists: only its data is missing. */
static void add_missed(struct sbuf *b, const struct reached *r, int level, bool first)
{
	if (level == BILLING && r->configured)
		sbuf_addf(b, "%se %s %s", first ? ". Th" : "; th", levels[level].name,
			r->tried ? "cannot be read" : "has not been read yet");
	else
		sbuf_addf(b, "%so %s", first ? ". N" : "; n", levels[level].name);
	sbuf_addf(b, ": %s", levels[level].missing);
}

enum err_code access_words(
	struct db *db, struct arena *a, const char **out, bool *missing, struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct reached r = {0};
	size_t n = 0;

	if (access_read_levels(db, a, &r, e))
		return e->code;
	for (int i = FILES; i <= BILLING; i++)
		if (r.have[i])
			sbuf_addf(&b, "%s%s", b.len ? ", " : "", levels[i].name);
	*missing = true;
	if (!b.len) {
		*out = "no data yet; run: tpucost doctor";
		return E_OK;
	}
	for (int i = INVENTORY; i <= BILLING; i++)
		if (is_missed(r.have, i))
			add_missed(&b, &r, i, !n++);
	/* If only the first poll is missing, doctor is not needed. */
	if (n)
		sbuf_adds(&b,
			n == 1 && is_missed(r.have, BILLING) && r.configured && !r.tried
				? "; run: tpucost collect"
				: "; run: tpucost doctor");
	*missing = n > 0;
	*out = arena_strdup(a, b.s);
	return E_OK;
}

void access_fact(const struct db_reader *r, struct doc *doc, const char *label)
{
	const char *words;
	bool missing;

	if (!r->e->code && !access_words(r->db, doc->arena, &words, &missing, r->e))
		doc_fact(doc, "rests_on", missing ? label : NULL, cell_text(words));
}
