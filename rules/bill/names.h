/* The names that numbers of the bill stand for. To sum up some thousand rows by names, the engine
 * looks up and sorts each of them; who adds them up by number looks a name up once. */
#ifndef TPUCOST_RULES_BILL_NAMES_H
#define TPUCOST_RULES_BILL_NAMES_H

#include "base/mem.h"
#include "db/db.h"

struct bill_project {
	int64_t ref;
	const char *project, *account; /* "" where the bill says none */
};

struct bill_sku {
	int64_t ref;
	const char *sku, *category; /* as sku_category has it */
};

struct bill_charge {
	int64_t ref;
	const char *currency, *usage_unit;
	int64_t rate; /* units of the currency in one USD, in nanos; 0: not known */
};

struct bill_place {
	int64_t ref;
	const char *location, *region, *zone; /* "" where the bill says none */
};

struct bill_names {
	struct bill_project *projects;
	struct bill_sku *skus;
	struct bill_charge *charges;
	struct bill_place *places;
	size_t n_projects, n_skus, n_charges, n_places;
};

/* All but places; of the arena. */
enum err_code bill_names_load(
	struct db *db, struct arena *a, struct bill_names *out, struct err *e) must_check;
enum err_code bill_places_load(
	struct db *db, struct arena *a, struct bill_names *names, struct err *e) must_check;
/* `last`, if it is the one, saves the search: neighbours have most in common. NULL: there is none. */
const struct bill_project *bill_project_of(
	const struct bill_names *n, int64_t ref, const struct bill_project *last);
const struct bill_sku *bill_sku_of(
	const struct bill_names *n, int64_t ref, const struct bill_sku *last);
const struct bill_charge *bill_charge_of(
	const struct bill_names *n, int64_t ref, const struct bill_charge *last);
const struct bill_place *bill_place_of(
	const struct bill_names *n, int64_t ref, const struct bill_place *last);
/* E_DB: a number on the bill of that day stands for nothing. */
enum err_code bill_nameless(int64_t day, struct err *e);

#endif
