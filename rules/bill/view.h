/* Which view of the bill is enough for a sum: by project and SKU alone it has far fewer rows. */
#ifndef TPUCOST_RULES_BILL_VIEW_H
#define TPUCOST_RULES_BILL_VIEW_H

/* "sku_costs_exact", or "costs_exact" when the SQL (a condition, a list of columns; NULL: none)
 * has a word that only this one can answer: a place, a resource, an amount of usage, and amounts of
 * money, as a condition is about single rows. */
const char *bill_view(const char *sql);

#endif
