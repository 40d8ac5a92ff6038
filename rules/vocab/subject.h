/* Row of a view as the subject of a rule: its name, and whether it is fresh enough to be
 * evaluated. */
#ifndef TPUCOST_RULES_VOCAB_SUBJECT_H
#define TPUCOST_RULES_VOCAB_SUBJECT_H

#include "base/mem.h"
#include "base/sbuf.h"
#include "db/vocab.h"

struct db;

struct subject {
	const char *view;
	const char *key; /* SQL text: unique among the rows, stable over time */
	int project; /* the part of it between slashes that is the project, from 1; 0: none */
	const char *fresh; /* SQL condition: the data that the row depends on is fresh and
			    * complete */
	/* The same for sums that only grow with missing data: if a part of it is too much, the whole
	 * is, as long as the other parts were read recently; NULL: `fresh` */
	const char *growing;
	/* SQL condition without a row: a subject that is not in the view does not exist; NULL:
	 * `fresh` */
	const char *whole;
	/* SQL condition on :subject: it exists, though the view lacks it, so its state is unknown;
	 * NULL: a subject that the view lacks is gone */
	const char *still;
	/* SQL text: time at which the period of the row began; an alert of an earlier one has ended.
	 * NULL: it has no periods */
	const char *begins;
};

/* Searches of the built-in rules, of which subject_fresh() knows where they look. */
#define TPU_IN_ITS_ZONE                                                             \
	"EXISTS (SELECT 1 FROM resources t WHERE t.kind = 'tpu' "                   \
	"AND t.state IN ('running', 'starting') AND t.project = resources.project " \
	"AND t.zone = resources.zone)"
/* Whatever their state: one that is preempted or stopped comes back where it was. */
#define TPU_ELSEWHERE_ONLY                                                \
	"EXISTS (SELECT 1 FROM resources t WHERE t.kind = 'tpu' "         \
	"AND t.project = resources.project) "                             \
	"AND NOT EXISTS (SELECT 1 FROM resources t WHERE t.kind = 'tpu' " \
	"AND t.project = resources.project AND t.region = resources.region)"
#define DISK_OF_A_TPU                                                           \
	"EXISTS (SELECT 1 FROM hidden_costs h WHERE h.part = resources.id AND " \
	"h.relation = 'data-disk')"

/* Add the SQL condition that tests whether a row of the view can be evaluated by `where`: that it
 * is fresh; that so is what the columns in `where` depend on, such as the other TPUs of a grant; and, where it
 * searches other rows ("no TPU in its zone"), that those were read too: what it does not find may be where
 * nothing was read. A search that is not known reads all watched projects. `holds`: for rows of which `where` is
 * true, for which a weaker condition suffices if sums only grow. */
void subject_fresh(struct db *db, const struct subject *s, const char *where, bool holds,
	struct sbuf *b);

/* NULL: rules cannot use that view. */
const struct subject *subject_of(const struct view *v);
/* The project in a key; NULL: it has none. `s` may be NULL. */
const char *subject_project(const struct subject *s, const char *key, struct arena *a);

#endif
