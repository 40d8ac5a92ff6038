#include "rules/bill/view.h"

#include "base/base.h"

#include <string.h>
#include <strings.h>

static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789"
			      "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

const char *bill_view(const char *sql)
{
	static const char *const fine[] = {"location", "zone", "region", "resource",
		"owner", "labels", "usage", "usage_n", "cost", "cost_n", "credits",
		"credits_n", "net", "promo", "promo_n", "rowid", "_rowid_", "oid"};

	while (sql && *sql) {
		size_t n = strspn(sql, letters);

		for (size_t i = 0; n && i < ARRAY_LEN(fine); i++)
			if (!strncasecmp(fine[i], sql, n) && !fine[i][n])
				return "costs_exact";
		sql += n ? n : 1;
	}
	return "sku_costs_exact";
}
