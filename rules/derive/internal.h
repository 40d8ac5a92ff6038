/* Declarations that the parts of derive share. Private to rules/derive/. */
#ifndef TPUCOST_RULES_DERIVE_INTERNAL_H
#define TPUCOST_RULES_DERIVE_INTERNAL_H

#include "base/mem.h"
#include "base/strmap.h"
#include "db_sql.h"
#include "rules/activity.h"
#include "rules/bill/days.h"
#include "rules/grant/coverage.h"
#include "rules/derive/derive.h"
#include "rules/enforce/exempt.h"
#include "rules/price/machine.h"
#include "rules/price/place.h"
#include "rules/price/account.h"

struct burn_part {
	const char *category;
	struct price price;
};

/* Properties that few resources have. */
struct fact_more {
	const char *gpu_type;
	const char *queued;    /* the queued resource that made it */
	const char *end_disks; /* names of those that are deleted with it; NULL: none */
	struct opt_i64 bytes, gpu_count, local_ssd_gib;
	/* of a slice: its group's size, and its hosts that use quota, and that are starting */
	struct opt_i64 target_hosts, busy_hosts, starting_hosts;
	struct opt_i64
		nodes; /* of a queued resource: all of its type that it is to create */
};

/* Names and place of a resource. */
#define NAMED const char *id, *kind, *project, *location, *zone, *region, *name
struct named {
	NAMED;
};

#define PARTS_MAX 3

/* One resource: as stored, and as evaluated by the rules. There may be hundreds of thousands: keep
 * it small. */
struct fact {
	union {
		struct named named;
		struct {
			NAMED;
		};
	};
	const char *uid, *state, *raw_state, *type;
	const char *source, *provisioning, *labels, *attached_to;
	const struct fact_more *more; /* never NULL */
	const struct burn_part *parts;
	ts_t created, running_since; /* TS_NONE: unknown */
	struct opt_i64 ends;         /* in the future: it stops or is deleted by itself */
	struct opt_i32 hosts, size_gib;
	struct opt_i32 vcpus, memory_mib; /* from the machine type, or by its name */
	/* derived from the above */
	const char *family; /* of a TPU; see fact_family */
	char machine[MACHINE_FAMILY_BUF];
	struct opt_i32 chips;
	struct opt_i32 quota_held; /* see quota_held() */
	const struct keep *keep;   /* exemptions that its labels request; never NULL */
	struct price price;        /* gross per hour */
	const struct cov_verdict *verdict; /* of a TPU that runs, else NULL */
	struct opt_i64 gross_24h, net_24h; /* recent costs; see derive_past */
	const struct activity *activity;   /* never NULL; see derive_signals */
	const struct commitment *reserved; /* that it uses; see derive_commitments */
	int32_t month_seconds;             /* seconds that it ran since the month began */
	uint8_t unpriced; /* of a machine: parts without a known price (VM_CPU, ...) */
	uint8_t n_parts;
	bool complete; /* its location was reached in the last poll */
	bool held;     /* has an active hold; see derive_held */
	bool advised;  /* to be stopped; see derive_advised */
};

extern const struct fact_more fact_no_more;
extern const struct keep fact_no_keep;
extern const struct activity fact_no_activity;

/* NULL: unknown. */
static inline const char *fact_family(const struct fact *f)
{
	return f->family ? f->family : *f->machine ? f->machine : NULL;
}

/* Amount and currency of a price in a row; absent if it is unknown. */
static inline struct opt_i64 price_amount(const struct price *p)
{
	return p->known ? SOME(p->nanos) : NONE;
}
static inline const char *price_currency(const struct price *p)
{
	return p->known ? p->cur : NULL;
}

/* Burn of one of its parts per hour. False: it costs nothing. */
bool fact_burn(
	const struct fact *f, const struct burn_part *part, struct row_burn_part *out);

/* Recent cost of a resource in one category and currency, or ("") without a price. There is one for each resource at
 * least. */
struct burned {
	union {
		const struct fact *fact;
		const struct row_burned_part
			*row; /* of a deleted resource: its properties */
	};
	const char *category;
	int64_t money[4]; /* gross_24h, net_24h, gross_7d, net_7d */
	char cur[4];
	int32_t unpriced[2]; /* seconds in 24 h, in 7 days */
	uint8_t known;       /* set of the amounts that fit */
	bool gone;
};

struct commitment;
struct deriving;
/* Charge of reserved capacity that no machine uses, with the currency but no amount if its use is not
 * known. False: it costs nothing, or that is not certain. */
bool commitment_charge(
	struct deriving *d, const struct commitment *of, struct row_charge_part *out);

/* TPUs over time, as input of coverage. */
struct past {
	struct cov_input in;
	struct cov_node *nodes;
	struct past_of {
		const char *uid;
		struct price price; /* gross per hour at today's list price */
		ts_t known;         /* see known_until */
	} * of;                     /* per node */
};

/* Result of one line of a grant so far. */
struct grant_tally {
	int64_t chip_seconds;
	int64_t saved;
	bool unknown; /* some of it had no price, or another currency */
	const char *currency;
};

/* Days before today of which estimates are compared with the bill. */
#define ESTIMATE_DAYS 24

/* A part of a resource while it ran at one size and no grant paid for it, at today's price. Both are of the fact, if it
 * still exists at that size. */
struct usage {
	const struct named *of;
	const struct burn_part *part;
	ts_t starts, ends;
	bool open; /* a TPU that ran when it was last seen, and is not observed now */
};

/* Cost that is not on the bill yet: of a part of a resource that runs, of its past, of a reservation, or of
 * a part of a TPU that is covered now and later is not. */
struct charge {
	union {
		const struct fact *fact;
		const struct usage *usage;
		const struct row_charge_part *reserved;
		/* [begins, ends), TS_NONE: without an end */
		const struct lapse {
			const struct fact *fact;
			ts_t begins, ends;
		} * lapse;
	};
	enum { CHARGE_FACT, CHARGE_USAGE, CHARGE_RESERVED, CHARGE_LAPSE } is : 8;
	unsigned part : 8; /* of the fact */
};
struct row_charge_part charge_row(const struct deriving *d, const struct charge *c);

/* Moment until which each project of the bill is billed. Google writes the usage of some services hours later than that
 * of others: usage of TPUs has an end of its own. */
enum billed_service { BILLED_OTHER, BILLED_TPU, BILLED_SERVICES };
struct billed_until {
	bool bill; /* one was read */
	/* end of the newest usage hour; TS_NONE: too long ago to matter */
	ts_t (*v)[BILLED_SERVICES];
	struct strmap by_name; /* project -> place in v; all that were ever billed */
};

/* Reserved capacity, and its price. */
struct commitment {
	const struct q_commitments *c;
	struct row_commitment_state row;
};

struct deriving {
	struct db *db;
	const struct derive_opts *o;
	uint64_t begun, done; /* parts of derive.c */
	struct arena kept;    /* until the next derivation: what computed rows refer to */
	struct arena arena;   /* while tables are derived */
	struct arena
		spent; /* activity, usage, charges: until all but the reconciliation is derived */
	struct arena temp;  /* until the table that is read has its rows */
	struct arena brief; /* until the next row is computed */
	struct price_book book;
	struct account_prices account; /* part of the price list */
	struct fact
		*facts; /* by id; on the heap, where a large array grows without a copy */
	size_t n_facts, cap_facts;
	struct commitment *commitments; /* by id, set by derive_commitments */
	size_t n_commitments;
	struct past past;                /* all of it, set by derive_history */
	const struct cov_row *past_rows; /* without texts */
	size_t n_past_rows;
	struct grant_tally *grant_tallies; /* by line, set by derive_history */
	int64_t *grant_used;               /* chips, by line, set by derive_verdicts */
	struct billing_month month;        /* of the present moment, set by derive_past */
	struct {
		struct burned *v;
		size_t n, cap;
	} burned; /* set by derive_past */
	struct {
		struct loser *v;
		size_t n, cap;
	} losers; /* of all grants, set by derive_ends */
	struct {
		struct usage *v;
		size_t n, cap;
	} usage; /* of the last ESTIMATE_DAYS, set by derive_past */
	struct {
		struct charge *v;
		size_t n, cap;
	} charges;                  /* by project and resource, set by derive_charges */
	struct measured **measured; /* per fact, NULL without data; set by derive_signals */
	struct {
		const struct fact **v;
		size_t n, cap;
	} tpus; /* running in a zone, set by derive_advised */
	struct {
		struct row_estimate_error *v;
		size_t n, cap;
	} errors;               /* newest day first, set by derive_errors */
	struct bill_line *bill; /* of the last weeks, read by derive_bill */
	size_t n_bill;
	/* names of the bill for its numbers, read by the first budget */
	struct q_bill_projects *bill_projects;
	size_t n_bill_projects;
	struct charge_money {
		int64_t ref, money; /* place in moneys */
	} * charge_moneys;
	size_t n_charge_moneys;
	struct {
		struct bill_money {
			const char *currency;
			int64_t rate; /* 0: unknown */
		} * v;
		size_t n, cap;
	} moneys;                   /* of all charges, each once */
	struct billed_until *until; /* set by billed_until() */
	bool has_bill;
	struct price_rates rates; /* read by newest_rate() */
};

/* One part: rows in memory, or tables for SQL. derive.c lists the tables that each fills, and its
 * dependencies. */
typedef enum err_code derive_fn(struct deriving *d, struct err *e);
must_check derive_fn derive_history, derive_grants, derive_stretches, derive_signals,
	derive_activity, derive_ends, derive_quotas, derive_belongings, derive_reconcile,
	derive_past, derive_window, derive_errors, derive_error_rows, derive_credits,
	derive_credit_projects, derive_held, derive_advised, derive_advised_rows,
	derive_charges, derive_charge_rows, derive_budget_periods, derive_budgets,
	derive_commitments, derive_commitment_rows, derive_capacity;

/* The price lists. */
derive_fn derive_book must_check;
/* Facts and price lists: the input of all other parts. */
derive_fn derive_load must_check;
void derive_done(struct deriving *d);
/* The facts, with their texts in that arena. Not derived yet: prices, verdicts, held quota. */
enum err_code facts_read(struct deriving *d, struct arena *texts, struct err *e) must_check;
/* Size and family from the type's name. */
void fact_describe(struct fact *f);
/* End of the requested period, as far as it is known yet. */
static inline ts_t derive_until(const struct derive_opts *o)
{
	return o->until == TS_NONE || o->until > o->now ? o->now : o->until;
}
/* Place of the first fact whose id is not before this: they are sorted by it. */
size_t fact_first(const struct deriving *d, const char *id);
/* Does its id begin so? True for all after fact_first(prefix) until the first false. */
bool fact_has_id(const struct deriving *d, size_t at, const char *prefix);
/* The fact of that id, or NULL. */
struct fact *fact_find(const struct deriving *d, const char *id);
static inline bool fact_covered(const struct fact *f)
{
	return f->verdict && f->verdict->covered;
}
/* It runs, and may be covered or not: sums count it as one without a price. */
static inline bool fact_unclear(const struct fact *f)
{
	return f->verdict && f->verdict->why == WHY_PROVISIONING_UNKNOWN;
}

/* Every TPU that ran in [from, to), and its coverage: rows without the times that were not
 * observed. */
enum err_code past_sweep(struct deriving *d, ts_t from, ts_t to, struct past *p,
	const struct cov_row **rows, size_t *n, struct err *e) must_check;

/* Moment until which a resource in the list is known to exist: the moment it was last seen, when
 * three polls of its group were missed since; TS_NONE: until now, or of a source that is not
 * polled. */
ts_t known_until(
	const struct deriving *d, struct opt_i64 last_seen, const char *poll_group);

/* Gross price per hour of one fact, which points into `parts` then, and of all. */
void fact_price(struct deriving *d, struct fact *f, struct burn_part parts[PARTS_MAX]);
void derive_prices(struct deriving *d);
/* Store the present verdicts in the facts. */
void derive_verdicts(struct deriving *d);
/* TPUs that run now, as input of coverage; nodes[i].id is the same pointer as in its fact. */
void derive_running(struct deriving *d, struct cov_input *in);
/* One of them, assumed to be running. */
void derive_node(const struct fact *f, struct cov_node *out);
/* Chips that are left in a grant's line; absent: unknown. `used` is the result of coverage_at() for each. */
struct opt_i64 grant_room(
	const struct settings *s, size_t line, const int64_t *used, ts_t now);
/* The fact at the time of the interval, with what its price depends on. It points into *q and the
 * buffer. */
struct fact_then_buf {
	char region[REGION_BUF];
	struct fact_more more;
};
struct fact fact_then(const struct q_interval_past *q, struct fact_then_buf *buf);
/* Sustained use discount per hour; absent where it does not apply. */
struct opt_i64 fact_sustained(const struct fact *f, const struct billing_month *month);
/* Is it one of the days that derive_bill() keeps? These are the days of this month, those that
 * estimates are compared with, and any after today. */
bool derive_keeps_bill(const struct deriving *d, day_t first);
/* Bill of such days. */
enum err_code derive_bill(struct deriving *d, day_t first, day_t last,
	const struct bill_line **out, size_t *n, struct err *e) must_check;
/* Whole days of the configured zone in a time, [first, end) and as instants [from, until): their
 * sums are kept, the remainder is summed by hours. None: from and until are the end of the time.
 * Where the time has no beginning or end (TS_NONE), the days have none. */
struct whole_days {
	day_t first, end;
	ts_t from, until;
};
struct whole_days whole_days(const struct tz *tz, ts_t starts, ts_t ends);
/* Computed once, and owned by `d`. E_DB. */
enum err_code billed_until(
	struct deriving *d, const struct billed_until **out, struct err *e) must_check;
/* Beginnings of the bill, on days of the zone. */
enum err_code bill_since(
	struct deriving *d, struct q_budget_bill_since *out, struct err *e) must_check;
/* Of all its services; TS_NONE also for a project that was never billed. */
ts_t billed_until_of(const struct billed_until *u, const char *project);
/* Of the service of that category of costs. It is at most BILLED_BEHIND behind the others: what Google never bills
 * would be unbilled for ever. Of a project whose VMs are billed until 10:00, TPUs are billed until 19:00 of the day
 * before, or, without any usage on the bill, count as billed until 10:00 of the day before. */
#define BILLED_BEHIND DAY_SECONDS
ts_t billed_service_until(
	const struct billed_until *u, const char *project, const char *category);
void billed_until_done(struct billed_until *u); /* or NULL */

/* State of the knowledge about running resources. */
enum inventory {
	INVENTORY_READ,
	INVENTORY_OLD,    /* not complete for three intervals */
	INVENTORY_PARTLY, /* a part has not been read completely yet */
	INVENTORY_NEVER
};
/* *until: the oldest complete poll; 0: there was none. */
enum err_code inventory_state(
	struct deriving *d, enum inventory *out, ts_t *until, struct err *e) must_check;

/* TPU chips of a project that count towards a quota, by the inventory. */
struct quota_use {
	int64_t chips;
	int64_t held; /* of them those of resources that are of no use and hold them until deleted */
	bool unknown, held_unknown;
};
struct tpu_quota;
/* `tpus` are facts for which quota_concerns() is true. */
struct quota_use quota_use_of(const struct tpu_quota *of, const char *project,
	const char *location, const struct fact *const *tpus, size_t n);
bool quota_concerns(const struct fact *f);
/* Chips of quota that it holds until it is deleted, of no use; NONE: unknown, or not a TPU. */
struct opt_i64 quota_held(struct deriving *d, const struct fact *f);
/* A zone of a project: the combined signal of its TPUs. */
struct duty_zone {
	const char *project, *subject; /* zone, slash, asterisk */
	struct signal_points points;
	/* of the inventory: TPUs that may have reported */
	size_t tpus;
	int64_t hosts; /* of those that run; 0: unknown */
};

struct duty_zones {
	struct duty_zone *v;
	size_t n;
};
enum err_code duty_read(
	struct deriving *d, struct duty_zones *out, struct err *e) must_check;
/* Signal of the zone about this TPU. */
struct signal duty_says(const struct deriving *d, const struct duty_zones *zones,
	const struct fact *f, const struct active *what);
struct tpu_target;
/* This TPU or queued resource, for its commands. */
struct tpu_target derive_target(
	const struct deriving *d, const struct fact *f, struct arena *a);

/* See bill_rate(). */
enum err_code newest_rate(
	struct deriving *d, const char *cur, int64_t *out, struct err *e) must_check;

#endif
