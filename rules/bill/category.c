/* Cost category of a SKU, and the view for a sum of the bill. */
#include "rules/bill/days.h"

#include <string.h>
#include <strings.h>

/* Ids from the SKU lists of the Cloud Billing Catalog. */
#define CLOUD_TPU "E000-3F24-B8AA"
#define CLOUD_STORAGE "95FF-2EF5-5EA1"

struct pattern {
	const char *service; /* id or name of the only service; NULL: any */
	const char *words;   /* text that the description contains; NULL: any */
	const char *category;
};

/* The first match wins: an address or a transfer whose description names a machine is not the
 * machine. */
static const struct pattern patterns[] = {
	{NULL, "data transfer", "network"},
	{NULL, "egress", "network"},
	{NULL, "ingress", "network"},
	{NULL, "inter zone", "network"},
	{NULL, "nat gateway", "network"},
	{NULL, "vpn", "network"},
	{NULL, "load balanc", "network"},
	{NULL, "external ip", "ip"},
	{NULL, "static ip", "ip"},
	{CLOUD_TPU, NULL, "tpu"},
	{"Cloud TPU", NULL, "tpu"},
	{NULL, "tpu", "tpu"},
	{NULL, "snapshot", "snapshot"},
	{NULL, "machine image", "snapshot"},
	{"Compute Engine", "storage image", "snapshot"},
	{NULL, "gpu", "gpu"},
	{"Compute Engine", " pd ", "disk"},
	{"Compute Engine", "pd capacity", "disk"},
	{"Compute Engine", "pd iops", "disk"},
	{"Compute Engine", "hyperdisk", "disk"},
	{"Compute Engine", "local ssd", "disk"},
	{"Compute Engine", "ssd backed", "disk"},
	{"Compute Engine", "extreme pd", "disk"},
	{CLOUD_STORAGE, NULL, "storage"},
	{"Cloud Storage", NULL, "storage"},
	{"Compute Engine", "instance", "cpu"},
	{"Compute Engine", " core", "cpu"},
	{"Compute Engine", " ram", "cpu"},
	{"Compute Engine", "compute optimized", "cpu"},
	{"Compute Engine", "memory-optimized", "cpu"},
	{"Compute Engine", "licensing fee", "cpu"},
	{"Networking", NULL, "network"},
};

const char *category_of_sku(const char *service_id, const char *service, const char *sku)
{
	for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
		const struct pattern *p = &patterns[i];

		if (p->service && strcmp(p->service, service_id) != 0 &&
			strcmp(p->service, service) != 0)
			continue;
		if (p->words && !strcasestr(sku, p->words))
			continue;
		return p->category;
	}
	return "other";
}

/* ---- views --------------------------------------------------------------------------------- */

static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789"
			      "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

static bool bill_names_one(const char *sql, const char *const *words, size_t n_words)
{
	while (sql && *sql) {
		size_t n = strspn(sql, letters);

		for (size_t i = 0; n && i < n_words; i++)
			if (!strncasecmp(words[i], sql, n) && !words[i][n])
				return true;
		sql += n ? n : 1;
	}
	return false;
}

static const char *const places[] = {
	"location", "zone", "region", "resource", "owner", "labels"};
static const char *const amounts[] = {"usage", "usage_n", "cost", "cost_n", "credits",
	"credits_n", "net", "promo", "promo_n", "list_cost", "list_cost_n", "savings",
	"savings_n", "discount_n", "committed_n", "rowid", "_rowid_", "oid"};
static const char *const moments[] = {"day", "day_n", "status", "select", "random"};

const char *bill_view(const char *sql)
{
	return bill_names_one(sql, places, ARRAY_LEN(places)) ||
			bill_names_one(sql, amounts, ARRAY_LEN(amounts))
		? "costs_exact"
		: "sku_costs_exact";
}

bool bill_needs_detail(const char *sql)
{
	static const char *const detail[] = {"resource", "owner", "labels"};

	return bill_names_one(sql, detail, ARRAY_LEN(detail));
}

bool bill_by_line(const char *sql)
{
	static const char *const other[] = {"select", "random"};

	return bill_names_one(sql, amounts, ARRAY_LEN(amounts)) ||
		bill_names_one(sql, other, ARRAY_LEN(other));
}

bool bill_only_days(const struct db_reader *r)
{
	const struct q_bill_only_days *row = q_bill_only_days_row(r);

	return row && row->yes;
}

bool bill_by_names(const char *sql)
{
	return !bill_names_one(sql, amounts, ARRAY_LEN(amounts)) &&
		!bill_names_one(sql, moments, ARRAY_LEN(moments));
}
