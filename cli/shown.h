/* Columns of rows that commands make themselves, where no view of the database has them. */
#ifndef TPUCOST_CLI_SHOWN_H
#define TPUCOST_CLI_SHOWN_H

#include "rules/vocab.h"

extern const struct view view_enforce;   /* cli/cmd_enforce.c */
extern const struct view view_estimate;  /* cli/estimate_rows.c */
extern const struct view view_rule_list; /* cli/rule_list.c */

/* One of these, or a view of the database; NULL: there is none. */
const struct view *shown_find(const char *name);

#endif
