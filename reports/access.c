#include "reports/access.h"

#include "base/sbuf.h"
#include "base/str.h"
#include "db/db.h"
#include "db_sql.h"

enum { FILES, INVENTORY, METRICS, BILLING, STOP, LEVELS };

struct level {
	const char *name, *missing;
	bool have, configured, tried;
};

static enum err_code read_levels(
	struct db *db, struct arena *a, struct level *v, struct err *e)
{
	struct q_access_levels q;
	struct db_rows rows;

	if (q_access_levels_open(db, &rows, e))
		return e->code;
	while (q_access_levels_next(&rows, &q))
		if (q.level >= 0 && q.level < LEVELS)
			v[q.level] = (struct level){.name = arena_strdup(a, q.name),
				.missing = q.missing ? arena_strdup(a, q.missing) : NULL,
				.have = q.have,
				.configured = q.configured,
				.tried = str_eq(q.fix, "tpucost doctor")};
	return db_rows_close(&rows, e);
}

/* Metrics are of what exists, and files are a bill. */
static bool is_missed(const struct level *v, int level)
{
	return !v[level].have && v[level].missing &&
		(level == INVENTORY || (level == METRICS && v[INVENTORY].have) ||
			(level == BILLING && !v[FILES].have));
}

/* A table of the export that is configured is there: what is missing is that it was read. */
static void add_missed(struct sbuf *b, const struct level *v, int level, bool first)
{
	if (level == BILLING && v->configured)
		sbuf_addf(b, "%se %s %s: %s", first ? ". Th" : "; th", v->name,
			v->tried ? "cannot be read" : "was not read yet", v->missing);
	else
		sbuf_addf(b, "%so %s: %s", first ? ". N" : "; n", v->name, v->missing);
}

/* Who missed nothing but the first poll needs no doctor. */
static const char *way_on(const struct level *v, bool all_missed_is_bill)
{
	return all_missed_is_bill && v[BILLING].configured && !v[BILLING].tried
		? "; run: tpucost collect"
		: "; tpucost doctor says how";
}

enum err_code access_words(struct db *db, struct arena *a, const char **out, struct err *e)
{
	struct level v[LEVELS] = {0};
	struct sbuf b = SBUF_INIT;
	size_t n = 0;

	if (read_levels(db, a, v, e))
		return e->code;
	for (int i = FILES; i <= BILLING; i++)
		if (v[i].have)
			sbuf_addf(&b, "%s%s", b.len ? ", " : "",
				i == FILES ? "imported files" : v[i].name);
	if (!b.len) {
		*out = "nothing that was read; tpucost doctor says how";
		return E_OK;
	}
	for (int i = INVENTORY; i <= BILLING; i++)
		if (is_missed(v, i))
			add_missed(&b, &v[i], i, !n++);
	if (n)
		sbuf_adds(&b, way_on(v, n == 1 && is_missed(v, BILLING)));
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
