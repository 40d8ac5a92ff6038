/* Which kind of cost a SKU is. */
#ifndef TPUCOST_RULES_BILL_CATEGORY_H
#define TPUCOST_RULES_BILL_CATEGORY_H

/* tpu cpu gpu disk snapshot ip network storage other, from the SKU's service and
 * description. Google renames descriptions, so this goes by words that have stayed; a
 * description that says nothing known is "other". Static string. */
const char *category_of_sku(const char *service_id, const char *service, const char *sku);

#endif
