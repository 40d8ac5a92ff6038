/* What a row of a view is to a rule: its name, and whether it is fresh enough to be judged. */
#ifndef TPUCOST_RULES_VOCAB_SUBJECT_H
#define TPUCOST_RULES_VOCAB_SUBJECT_H

#include "base/sbuf.h"
#include "db/vocab.h"

struct subject {
	const char *view;
	const char *key;   /* SQL text: unique among the rows, stable over time */
	const char *fresh; /* SQL condition: what the row rests on is fresh and complete */
	/* SQL condition without a row: what is not in the view is not there; NULL: `fresh` */
	const char *whole;
	/* SQL condition on :subject: it is there, though the view lacks it, so nothing is known
	 * of it; NULL: what the view lacks is gone */
	const char *still;
};

/* Adds the SQL condition that says whether a row of the view can be judged by `where`: that it is
 * fresh, and, where the condition looks for other resources ("no TPU in its zone"), that those
 * were read too. What did not answer may be there: what is not found is then no answer. `holds`:
 * for rows of which `where` is true, for which less is enough where sums only grow. */
void subject_fresh(const struct subject *s, const char *where, bool holds, struct sbuf *b);

/* NULL: rules cannot be on that view. */
const struct subject *subject_of(const struct view *v);

#endif
