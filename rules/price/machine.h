/* Machine types of Compute Engine: vCPUs and memory, and the billed part of them. */
#ifndef TPUCOST_RULES_PRICE_MACHINE_H
#define TPUCOST_RULES_PRICE_MACHINE_H

#include "base/time/tz.h"

#define MACHINE_FAMILY_BUF 16

struct machine {
	char family[MACHINE_FAMILY_BUF]; /* "n1", "e2", "ct5lp" */
	bool custom;
	bool tpu_host; /* a TPU, priced as one */
	bool gpus;     /* the type has GPUs of its own */
	int64_t vcpus; /* as visible to the guest */
	int64_t memory_mib;
	int64_t billed_vcpus; /* nanos: e2-micro has 2 vCPUs and is billed for 0.25 */
	int64_t billed_mib; /* nanos: 1843.2 for n1-highcpu-2, where the API returns 1843 */
	int64_t extended_mib; /* part of the memory beyond the family's normal limit */
};

/* Find a predefined type, or parse a custom one: "custom-4-5120" (n1), "n2-custom-8-16384",
 * "e2-custom-micro-2048", with "-ext" for extended memory (Compute Engine: custom machine types;
 * the last number is MiB). False for anything else: the type may be newer than the table. *out is
 * not changed then. */
bool machine_parse(const char *type, struct machine *out) must_check;

/* Size of the local SSDs that a machine of that type always has, in addition to its price; 0: none, or not a
 * type with them; negative: unknown. */
int64_t machine_bundled_ssd_gib(const char *type);

/* The predefined type of the same series with the nearest size, else with the nearest name; or NULL. */
const char *machine_nearest(const char *type);

/* "n2" for "n2-standard-80": the text before the first '-'. "custom-..." is n1. False for text of
 * another form. */
bool machine_family(const char *type, char buf[MACHINE_FAMILY_BUF]) must_check;

/* ---- sustained use --------------------------------------------------------------------------- */

/* Machines that run for more than a quarter of a calendar month get cheaper by the hour. Source:
 * Compute Engine, "Sustained use discounts". Google applies them to the sum of like machines of a
 * region; here they are estimated for each machine separately, which gives at most Google's
 * discount. */

/* Month of Google's bills: Pacific time, [starts, ends). */
struct billing_month {
	ts_t starts, ends;
};
/* The month that contains `now`. E_CONFIG if the zone is missing on this system. */
enum err_code billing_month_of(
	ts_t now, struct billing_month *out, struct err *e) must_check;

/* Has this machine type sustained-use discounts? N1, N2, N2D, C2, M1, M2, f1-micro and
 * g1-small do; E2 and all others do not. */
bool sustained_family(const char *machine_type);

/* Part of a price per hour that the discount subtracts now, for a machine that has run for
 * `seconds` of the month. Zero or negative, rounded half to even. */
int64_t sustained_per_hour(const char *machine_type, int64_t nanos,
	const struct billing_month *month, int64_t seconds);

#endif
