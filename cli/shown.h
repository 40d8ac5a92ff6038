/* Columns of rows that commands make themselves, without a view of the database. */
#ifndef TPUCOST_CLI_SHOWN_H
#define TPUCOST_CLI_SHOWN_H

#include "db/vocab.h"

extern const struct view view_enforce;   /* cli/enforce/enforce.c */
extern const struct view view_estimate;  /* cli/estimate/rows.c */
extern const struct view view_rule_list; /* cli/rules/rules.c */

/* Finds one of these, or a view of the database; NULL: there is none. */
const struct view *shown_find(const char *name);

#endif
