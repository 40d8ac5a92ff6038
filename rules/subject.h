/* What a row of a view is to a rule: its name, and whether it is fresh enough to be judged. */
#ifndef TPUCOST_RULES_SUBJECT_H
#define TPUCOST_RULES_SUBJECT_H

#include "rules/vocab.h"

struct subject {
	const char *view;
	const char *key;   /* SQL text: unique among the rows, stable over time */
	const char *fresh; /* SQL condition: what the row rests on is fresh and complete */
	const char *index; /* columns that conditions look rows up by; NULL: rarely read */
	/* SQL condition without a row: what is not in the view is not there; NULL: `fresh` */
	const char *whole;
};

/* NULL: rules cannot be on that view. */
const struct subject *subject_of(const struct view *v);

#endif
