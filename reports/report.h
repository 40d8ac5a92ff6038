/* The daily report as plain data, and the formats that say it. */
#ifndef TPUCOST_REPORTS_REPORT_H
#define TPUCOST_REPORTS_REPORT_H

#include "base/err.h"
#include "base/mem.h"
#include "base/sbuf.h"
#include "base/tz.h"

struct db;

/* Amounts of one currency; currencies are never added together. */
struct amounts {
	const char *currency;
	int64_t gross,
		net; /* nanos; billed: cost before credits, and what is left to pay */
};

struct report_item {
	const char *id, *kind, *project, *location, *name, *state, *type, *why, *why_text;
	const char *grant_name, *currency;
	struct opt_i64 size_gib, running_since, gross, net;
	const char *command; /* what would end its cost; NULL when nothing should be done */
	bool complete;
	ts_t last_seen;
};

struct report_items {
	struct report_item *v;
	size_t n, cap;
};

struct report_category {
	const char *name;
	struct amounts sum;
	int64_t resources;
};

struct report_grant {
	const char *name, *zone, *type, *family, *provisioning, *currency;
	int64_t granted_chips, used_chips;
	ts_t starts, until;
	struct opt_i64 saved;
};

struct report_day {
	const char *date, *status;
	struct amounts sum;
};

struct report_credit {
	const char *name, *currency;
	int64_t amount;
	struct opt_i64 used;    /* absent: billed in a currency without a known rate */
	ts_t expires, runs_out; /* TS_NONE: not known */
};

struct report_source {
	const char *source, *project, *state, *error, *fix;
	ts_t last_success;
	bool stale;
};

struct report {
	ts_t now;
	const struct tz *tz;
	const char *date;              /* of now, in the zone */
	struct report_items uncovered; /* running TPUs that no grant pays */
	struct report_items covered;   /* running TPUs that a grant pays */
	struct report_items machines;  /* running VMs */
	struct report_items leftovers; /* unattached disks, unused addresses, dead nodes */
	struct amounts *burn;          /* per hour, now */
	size_t n_burn;
	size_t unknown_prices;              /* running things whose price is not known */
	struct report_category *categories; /* of the burn */
	size_t n_categories;
	struct amounts *yesterday;
	size_t n_yesterday;
	const char *yesterday_date, *yesterday_status;
	struct report_day *days; /* the last seven that have data */
	size_t n_days;
	struct report_category *billed; /* yesterday by category */
	size_t n_billed;
	struct report_grant *grants;
	size_t n_grants;
	struct report_credit *credits;
	size_t n_credits;
	struct report_source *sources;
	size_t n_sources;
	ts_t inventory_age_from; /* oldest complete poll of the inventory; TS_NONE: never */
	bool inventory_unsure;   /* a part of it was never read, or not for long */
	ts_t billing_age_from;
};

/* Read everything for `now` from the derived tables; data lives in `a`. */
enum err_code report_daily(struct db *db, const struct tz *tz, ts_t now, struct arena *a,
	struct report *out, struct err *e) must_check;

/* One sentence that says how things stand. */
void report_headline(const struct report *r, struct sbuf *b);

struct report_format {
	const char *name;
	void (*render)(const struct report *r, struct sbuf *b);
};
extern const struct report_format report_formats[];
extern const size_t n_report_formats;
const struct report_format *report_format_find(const char *name);

void report_text(const struct report *r, struct sbuf *b); /* 80 columns */
void report_html(const struct report *r, struct sbuf *b); /* one file, no script */
void report_json(const struct report *r, struct sbuf *b);

/* Shared by the formats. */
double report_hours_since(const struct report *r, ts_t since);
double report_days_left(const struct report *r, ts_t until);
char *report_amount(int64_t nanos, const char *currency, char *buf, size_t size);

#endif
