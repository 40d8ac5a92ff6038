/* Facts collected for one budget. Private to rules/budget/. */
#ifndef TPUCOST_RULES_BUDGET_INTERNAL_H
#define TPUCOST_RULES_BUDGET_INTERNAL_H

#include "base/sbuf.h"
#include "db/rollup/ref_sums.h"
#include "db_sql.h"
#include "rules/derive/internal.h"

/* Assumed error of an estimate where none could be compared with a bill yet, in thousandths: the
 * largest discount that Google automatically subtracts from a list price (sustained use of N1). */
#define BUDGET_ERROR_ASSUMED 300

/* Data that all budgets share. */
struct billed {
	const struct billed_until *until;
	enum inventory inventory;
	ts_t read_until; /* the oldest complete poll; 0: there was none */
	struct opt_i64
		since; /* the costs of every billing account are known from here on */
	const char *first_account; /* the one that begins then, if there are several */
	/* Difference between list prices of observed resources and the settled bill, in thousandths
	 * of the bill. */
	size_t days; /* days that were compared; 0: none */
	int64_t worst;
	/* of all these days, positive: too high; none: several currencies */
	struct opt_i64 mean;
};

struct budget_project {
	const char *name; /* "": the billing account itself */
	int64_t spent;
	ts_t from,
		billed; /* something is not billed from here on; it is billed until then */
	bool counts;    /* something ran since, or runs now */
	int64_t per_hour; /* of what runs now */
	__int128 work;    /* of what ran since: nano-units an hour x seconds */
};

/* Sums of the bill by time, in its order, and by money: refs REF_PART and REF_CHARGE (deriving.moneys). */
struct budget_steps {
	struct ref_sums sums;
	size_t walked; /* of them, by budget_walk */
	bool seek;     /* only for the moment of passing: reading ends there */
};
struct converted {
	const char *from;
	int64_t lowest, highest; /* rate */
};
enum budget_step { BUDGET_HOURS, BUDGET_DAYS };

struct budget_work {
	struct deriving *d;
	const struct budget *b;
	const struct billed *billed;
	struct budget_facts f;
	struct budget_run *runs; /* f.runs, f.n */
	size_t cap_runs;
	struct {
		struct budget_project *v;
		size_t n, cap;
	} projects;
	struct strmap by_name;
	int64_t rate; /* of the budget's currency; 0: unknown */
	int64_t spent;
	struct budget_steps before, days, after; /* whole days, and the hours around them */
	struct budget_steps *into;               /* the one that is being read */
	struct ref_sums sums;                    /* of all three by project and money */
	struct ref_sums names;                   /* that occurred, and whether they count */
	bool by_resource;                        /* with places and resources */
	struct db_cursor condition;              /* about such names; not open: none */
	struct
	{ /* currencies that were converted: each line of the bill has its own rate */
		struct converted *v;
		size_t n, cap;
	} converted;
	struct passing {
		int64_t sum,
			before; /* up to the end of this step, and of the previous one */
		int64_t step;
		bool found;
	} passing;
	const char *no_rate; /* an amount in this currency could not be converted */
	const char *broken;  /* error message of the condition */
	struct err failed;   /* error between rows */
	size_t resources, unpriced, undecided;
	size_t lapsing;        /* TPUs whose grant ends within the period */
	size_t reservations;   /* with a part that no machine uses */
	size_t unused_unknown; /* of them, those of which Google does not state it */
	struct sbuf last_id, last_lapsing, last_undecided, last_unpriced;
};

/* If the budget itself is wrong, these mark it as unknown instead of failing: w->broken,
 * w->no_rate. */
enum err_code budget_sum_spent(struct budget_work *w, struct err *e) must_check;
enum err_code budget_sum_charges(struct budget_work *w, struct err *e) must_check;
extern const char budget_too_large[];

void budget_work_done(struct budget_work *w);

/* Read lines of the bill with from <= day or hour < until that count, in order. */
enum err_code budget_read(struct budget_work *w, enum budget_step step, int64_t from,
	int64_t until, struct budget_steps *into, struct err *e) must_check;
/* Add further steps to w->passing, until the first one that ends with the amount reached. Corrections may lower
 * the sum below it again. */
void budget_walk(struct budget_work *w, struct budget_steps *steps);
/* Net amount of a sum, or the cost before credits, and its money. False: it does not fit. */
bool budget_amount(const struct budget_work *w, const struct ref_sum *s, int64_t *out);
const struct bill_money *budget_money(const struct budget_work *w, const struct ref_sum *s);

/* Set w->f.passed: the end of the hour in which the bill reached the amount. */
enum err_code budget_find_passed(struct budget_work *w, struct err *e) must_check;

/* Number of a project in w->projects; the project is added if missing. */
size_t budget_project_of(struct budget_work *w, const char *name);

/* "(condition)", true without one; allocated from the arena. */
const char *budget_where(const struct budget_work *w);
/* If w->failed is the fault of the condition, only this budget is unknown (w->broken); another error is
 * returned. */
enum err_code budget_break(struct budget_work *w, struct err *e) must_check;
/* Run a SELECT for its rows. A condition that fails only makes this budget unknown (w->broken). */
enum err_code budget_select(struct budget_work *w, const char *sql,
	void (*row)(struct budget_work *w, const struct db_cursor *c),
	struct err *e) must_check;
/* Convert `amount` to the currency of the budget. `rate` is of `from`, 0: unknown. False: no rate,
 * or it does not fit. */
bool budget_exchange(struct budget_work *w, int64_t amount, const char *from, int64_t rate,
	int64_t *out) must_check;

/* Based on the newest seven days that have a bill. */
void budget_set_accuracy(const struct deriving *d, struct billed *out);

/* The bill of an account begins after the period did: the figures are lower bounds. */
bool budget_billed_late(const struct budget_work *w);
/* Sentence about the basis of the figures; allocated from the arena. */
const char *budget_basis(const struct budget_work *w);

#endif
