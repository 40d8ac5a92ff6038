/* Gross list prices per hour of running resources: TPUs, VMs, GPUs, disks, snapshots, addresses.
 *
 * Prices come from an ordered list of sources: overrides in the configuration, recently billed
 * prices of the account, the Cloud Billing Catalog, the table built into this program. A resource
 * is priced completely by the first source that has all its parts, so that no two currencies are
 * mixed. A resource without a known price has no price, which is not the same as 0.
 *
 * Rates are computed exactly and rounded half to even to nano-units once, at the end. */
#ifndef TPUCOST_RULES_PRICE_PRICE_H
#define TPUCOST_RULES_PRICE_PRICE_H

#include "base/money.h"

enum price_source { /* in order of preference */
	PRICE_CONFIG,
	PRICE_BILLED,
	PRICE_CATALOG,
	PRICE_BUILTIN,
	PRICE_UNKNOWN,
};
#define PRICE_SOURCES 4
/* "config" "billed" "catalog" "builtin" "unknown" */
const char *price_source_name(enum price_source s);

/* Amount per hour. If unknown: nanos 0, cur "", source PRICE_UNKNOWN. */
struct price {
	int64_t nanos;
	const char *as_of; /* date of the price list, "2026-07-30", or NULL; static */
	char cur[4];
	bool known;
	enum price_source source : 8; /* there is one for each part of each resource */
};

/* Of the same amount and currency, from the same list. */
bool price_eq(const struct price *a, const struct price *b);

extern const struct price price_unknown;
extern const struct price price_free; /* known to be free of charge */

/* Provisioning class. The price of a reserved resource is that of its reservation. */
enum price_class {
	PRICE_ON_DEMAND,
	PRICE_SPOT,
	PRICE_FLEX,
	PRICE_RESERVED,
	PRICE_UNSTATED, /* not known */
	PRICE_CLASSES
};
#define PRICE_BUILTIN_CLASSES \
	PRICE_RESERVED /* the classes before it have a built-in price */
/* "on-demand" "spot" "flex-start" "reserved" "unknown" */
const char *price_class_name(enum price_class c);
/* NULL counts as on-demand, another word as unknown. */
enum price_class price_class_of(const char *provisioning);
/* Does it use preemptible quota, and is a node of it deleted instead of stopped: spot, flex-start? */
bool price_class_preemptible(const char *provisioning);

/* `prices:` of the configuration. Strings are static or allocated from the arena. */
struct price_override {
	const char *family; /* canonical: v5litepod */
	const char *zone;
	const char *provisioning; /* a class; NULL matches all */
	struct money per_chip_hour;
};

/* ---- sources -------------------------------------------------------------------------------- */

enum price_item {
	PRICE_TPU_DEVICE, /* chip-hour of v2-8, v3-8; name is the family, place the zone
			   */
	PRICE_TPU,        /* chip-hour of slices and of all other families */
	PRICE_CORE,       /* vCPU-hour; name is the machine family ("n1", "n1-custom") */
	PRICE_RAM,        /* GiB-hour */
	PRICE_RAM_EXT,    /* GiB-hour of extended memory */
	PRICE_MACHINE,    /* hour of a whole machine; name is the machine type */
	PRICE_GPU,        /* hour; name is the accelerator type without vendor ("v100") */
	PRICE_DISK,      /* GiB-month; name is the disk type, "regional-" before it if so */
	PRICE_SNAPSHOT,  /* GiB-month; name is "" */
	PRICE_IP_UNUSED, /* hour of a reserved unused address; name is "" */
	PRICE_IP_VM,     /* hour of an external address of a VM; name is "" */
	PRICE_INTERNET,  /* GiB sent from a region to the internet; name is "" */
	PRICE_TRANSFER,  /* GiB from region to region; place is a scope ("europe") */
	PRICE_OPERATION, /* request to a bucket; name is the class "A" or "B", place "region" */
};

struct price_key {
	enum price_item item;
	const char *name;
	const char *place; /* zone for TPUs, else region */
	enum price_class class;
};

/* Conversion rate of the newest bill in that currency. */
struct price_rate {
	char cur[4];
	int64_t per_usd;   /* units of it in one USD, in nanos */
	const char *as_of; /* day of usage (UTC) */
};

struct price_rates {
	struct price_rate *v; /* one is of USD, without as_of */
	size_t n, cap;
};
/* NULL: the bill has no rate of that currency. */
const struct price_rate *price_rate_of(const struct price_rates *r, const char *cur);

/* `nanos` of `cur` buy `per` units of the item. */
struct unit_price {
	int64_t nanos;
	int64_t per;
	char cur[4];
	const char *as_of;
	const char *sku; /* SKU id at Google, or NULL */
};

struct price_list {
	enum price_source source;
	bool (*find)(const void *ctx, const struct price_key *key, struct unit_price *out);
	const void *ctx;
};

/* One term of a price per hour: quantity / quantity_per x percent / 100 x unit price / den, converted with
 * to / from. Terms are summed exactly and rounded once; `amount` is this term rounded separately. */
struct price_term {
	enum price_source source;
	enum price_item item;
	const char *name; /* as in price_key; valid during the call */
	const char *place;
	int64_t quantity, quantity_per;
	int64_t percent;
	struct unit_price unit;
	int64_t den; /* hours of a month, bytes of a GiB, ...; without unit.per */
	const struct price_rate *from, *to; /* NULL: not converted */
	int64_t amount;
};
/* Currency of the amount. Valid as long as the term. */
const char *price_term_cur(const struct price_term *t);

/* Receives every term of every computed price, to explain the computation. */
struct price_trace {
	void (*term)(void *ctx, const struct price_term *t);
	void *ctx;
};

struct price_book {
	const struct price_trace *trace; /* NULL: no trace */
	const struct price_override *overrides;
	size_t n_overrides;
	struct price_list lists[PRICE_SOURCES];
	size_t n_lists;
	/* Prices in other currencies are converted to this one as far as there are rates. NULL: they are not. */
	const char *currency;
	const struct price_rates *rates;
};

/* Initialize with the overrides (kept by reference) and the built-in table. */
void price_book_init(
	struct price_book *b, const struct price_override *overrides, size_t n_overrides);
/* Replace the source of the same kind; there is one of each kind. */
void price_book_add(struct price_book *b, const struct price_list *list);

/* Search the built-in list prices (USD, before tax, credits and discounts). */
bool price_builtin_find(
	const void *ctx, const struct price_key *key, struct unit_price *out);
/* The i-th place of all built-in prices of an item, with the name of its kind, such as the TPU family;
 * NULL after the last one. Static. */
const char *price_builtin_place(enum price_item item, size_t i, const char **name);
/* The date of the built-in list that the price is from; of several dates the oldest. NULL: from another source. */
const char *price_list_date(const struct price *p);
/* "2026-07-02", or "2026-07-02 (139 days old)" if it is older than a month: Google changes spot prices up to
 * once a month. Allocated from the arena. */
const char *price_date_words(const char *date, ts_t now, struct arena *a);
extern const char price_table_date[]; /* date of its oldest part: "2026-06-05" */

/* ---- prices per hour ------------------------------------------------------------------------ */

/* Price of a TPU node. `type` as in tpu_type_parse. Google's prices are by region. */
struct price price_tpu(const struct price_book *b, const char *type, const char *zone,
	enum price_class class);

struct vm_spec {
	const char *machine_type;
	const char *region;
	enum price_class class;
	const char *gpu_type;  /* accelerator type as in the API; NULL: none */
	int64_t gpus;          /* 0 with a type: unknown */
	int64_t local_ssd_gib; /* 0: none; negative: unknown size */
	/* Values from the API, for types that the table lacks. */
	struct opt_i64 vcpus, memory_mib;
};

/* "v100" for "nvidia-tesla-v100"; virtual workstations ("...-vws") keep their suffix and are therefore
 * unknown: they include a licence. */
const char *gpu_model(const char *type);

struct vm_price {
	struct price total; /* unknown when one part is unknown */
	struct price
		cpu; /* vCPUs and memory; a2, a3, g2 and g4 including GPUs (one price) */
	struct price gpu; /* known and 0 if there are none, like the next one */
	struct price local_ssd;
	unsigned unpriced; /* the parts that it has and whose price is unknown */
};
enum { VM_CPU = 1, VM_GPU = 2, VM_LOCAL_SSD = 4 };
/* Price of a running VM with its local SSDs, without its other disks, addresses and licences. TPU
 * hosts (ct5lp-...) are unknown here: they are priced as TPUs. */
struct vm_price price_vm(const struct price_book *b, const struct vm_spec *vm);

/* GiB x month price / 730, which is how Google prorates. `type` is the API's name ("pd-ssd"); the
 * class matters for local-ssd only. Capacity only: provisioned IOPS and throughput are extra. */
struct price price_disk(const struct price_book *b, const char *type, const char *region,
	int64_t size_gib, bool regional, enum price_class class);
/* `bytes` as stored; location is a region or multi-region ("us"). */
struct price price_snapshot(
	const struct price_book *b, const char *location, int64_t bytes);

enum ip_use {
	IP_UNUSED, /* reserved, but not attached */
	IP_ON_VM,
};
struct price price_ip(const struct price_book *b, const char *region, enum ip_use use,
	enum price_class class);

/* Bytes sent from a region to the internet, at the price of the first TiB of a month. */
struct price price_internet(const struct price_book *b, const char *region, int64_t bytes);
/* Bytes between two places: regions, multi-regions ("us") or dual-regions ("nam4"). Known and 0
 * within one region or between a dual-region and a region of it. */
struct price price_transfer(
	const struct price_book *b, const char *from, const char *to, int64_t bytes);

/* Requests of a class, "A" or "B", to a bucket; its storage class as the inventory has it. Unknown unless it is
 * Standard storage in one region. */
struct price price_operations(const struct price_book *b, const char *storage_class,
	const char *location, const char *class, int64_t requests);

/* Is the transfer between them free of charge? */
bool price_same_place(const char *a, const char *b);

#define PRICE_GIB INT64_C(1073741824)

/* `num / den` units of one item from the first list that has it. */
struct price price_item(
	const struct price_book *b, const struct price_key *key, int64_t num, int64_t den);

/* Sum of both: unknown when one is, when the currencies of amounts other than 0 differ, or when it does not
 * fit. The source is the weaker of the two. */
struct price price_add(const struct price *a, const struct price *b);

/* ---- prices x time -------------------------------------------------------------------------- */

/* Nano-units of a sum of prices per hour x seconds, rounded once; absent if it does not fit. 600 s
 * at 3.22 USD an hour and 1800 s at 1 USD are
 *
 *   3 220 000 000 x 600 + 1 000 000 000 x 1800 = 3 732 000 000 000
 *                                       / 3600 =     1 036 666 667 nano-USD */
struct opt_i64 price_hours(__int128 nanos_seconds);
/* One price for a time; also absent if it is unknown. */
struct opt_i64 price_for(const struct price *p, int64_t seconds);

/* Convert an amount to another currency. Rates are units of a currency in one USD, in nanos, from
 * the bill; 0: unknown. The rate of USD is not needed, nor any when both currencies are the same.
 * False: a rate is missing, or it does not fit. */
bool price_exchange(int64_t amount, const char *from, int64_t rate, const char *to,
	int64_t to_rate, int64_t *out) must_check;

/* ---- before rounding ------------------------------------------------------------------------ */

/* Price per hour before rounding, so that a day or a month of many prices is rounded once:
 * num / den nano-units per hour; all 0: nothing was added yet. */
struct price_exact {
	__int128 num, den;
	bool lost; /* it does not fit, or currencies differ */
	char cur[4];
};

void price_exact_add(struct price_exact *x, const struct price_term *t);
/* The price for so many seconds, rounded half to even. False if unknown. */
bool price_exact_for(
	const struct price_exact *x, int64_t seconds, int64_t *nanos) must_check;

#endif
