/* Choice of the smallest view of the bill for a sum: by project and SKU alone, it has far fewer
 * rows. */
#ifndef TPUCOST_RULES_BILL_VIEW_H
#define TPUCOST_RULES_BILL_VIEW_H

/* "sku_costs_exact", or "costs_exact" when the SQL (a condition, a list of columns; NULL: none)
 * contains a word that only this one supports: a place, a resource, an amount of usage, or an
 * amount of money, as a condition applies to single rows. */
const char *bill_view(const char *sql);

#endif
