/* What is gathered for one budget. Private to rules/budget/. */
#ifndef TPUCOST_RULES_BUDGET_INTERNAL_H
#define TPUCOST_RULES_BUDGET_INTERNAL_H

#include "base/sbuf.h"
#include "db_sql.h"
#include "rules/derive/internal.h"

/* How far an estimate may be off where none could be compared with a bill yet, in thousandths:
 * the largest discount that Google takes off a list price by itself (sustained use of N1). */
#define BUDGET_ERROR_ASSUMED 300

/* What is known of what runs. */
enum inventory {
	INVENTORY_READ,
	INVENTORY_OLD,    /* not completely for three intervals */
	INVENTORY_PARTLY, /* some of it never completely */
	INVENTORY_NEVER
};

/* What all budgets share. */
struct billed {
	const struct billed_until *until;
	enum inventory inventory;
	ts_t read_until; /* the oldest complete poll; 0: there was none */
	/* How far list prices of what was seen were from the settled bill, in thousandths of it. */
	size_t days; /* that were compared; 0: none could be */
	int64_t worst;
	struct opt_i64
		mean; /* of all these days, above 0: too high; none: several currencies */
};

/* A part of a resource that costs something. */
struct live_part {
	const char *cur; /* of its price; NULL: it has none */
	int64_t per_hour;
	ts_t since; /* TS_NONE: not known */
	bool advised;
};

struct budget_project {
	const char *name; /* "": the billing account itself */
	int64_t spent;
	struct live_part *parts;
	size_t n, cap;
	size_t first_burn, n_burns; /* of budget_facts.burns */
};

/* An amount or burn in another currency, at its rate. */
struct budget_sum {
	size_t project;
	const char *cur;
	int64_t rate, amount;
};

struct budget_work {
	struct deriving *d;
	const struct budget *b;
	const struct billed *billed;
	struct budget_facts f;
	struct budget_burn *burns; /* f.burns, f.n */
	size_t cap_burns;
	struct budget_project *projects;
	size_t n, cap;
	struct strmap by_name;
	int64_t rate; /* of the budget's currency; 0: not known */
	int64_t spent;
	struct budget_sum *sums; /* of the bill: one project, currency and rate each */
	size_t n_sums, cap_sums;
	struct strmap sum_of;
	struct budget_sum live[8]; /* rates of the currencies of prices */
	size_t n_live;
	const char *converted;  /* from another currency, the last of them; NULL: nothing */
	int64_t converted_rate; /* of that one */
	struct passing {
		int64_t sum, before; /* up to here, and up to the step before */
		int64_t step;
		bool found;
	} passing;
	const char *no_rate; /* an amount in this currency could not be converted */
	const char *broken;  /* why the condition failed */
	struct err failed;   /* reading a rate did, in the midst of rows */
	size_t resources, unpriced, undecided, late;
	const char *last_id, *last_undecided, *last_unpriced;
};

/* Both make a budget unknown instead of failing, where it is the budget that is wrong:
 * w->broken, w->no_rate. */
enum err_code budget_sum_spent(struct budget_work *w, struct err *e) must_check;
enum err_code budget_sum_live(struct budget_work *w, struct err *e) must_check;
extern const char budget_too_large[];

/* w->f.passed: the end of the hour with which the bill reached the amount. */
enum err_code budget_find_passed(struct budget_work *w, struct err *e) must_check;

/* The number of a project in w->projects, where it comes if it is not there yet. */
size_t budget_project_of(struct budget_work *w, const char *name);

/* What the project's parts burn, into w->burns. */
void budget_add_burns(struct budget_work *w, struct budget_project *p);

/* "(condition)", true where there is none; of the arena. */
const char *budget_where(const struct budget_work *w);
/* Run a SELECT for its rows. A condition that fails makes this budget unknown (w->broken), and
 * nothing else. */
enum err_code budget_select(struct budget_work *w, const char *sql,
	void (*row)(struct budget_work *w, const struct db_cursor *c),
	struct err *e) must_check;
/* `amount` in the currency of the budget. `rate` is of `from`, 0: not known. False: there is
 * no way, or it does not fit. */
bool budget_exchange(struct budget_work *w, int64_t amount, const char *from, int64_t rate,
	int64_t *out) must_check;

/* Of the newest seven days that have a bill. */
void budget_set_accuracy(const struct deriving *d, struct billed *out);

/* What the figures rest on, in words; of the arena. */
const char *budget_basis(const struct budget_work *w);

#endif
