#include "rules/bill/reconcile.h"

#include "base/time/civil.h"
#include "base/money.h"

/* Polls detect a TPU up to a minute late, and a grant may end between two polls: less than one part
 * in twenty is not a difference. */
#define TOLERANCE 20

const char *rec_verdict_name(enum rec_verdict v)
{
	static const char *const names[] = {
		[REC_OK] = "ok",
		[REC_BILLED_BUT_COVERED] = "billed-but-covered",
		[REC_FREE_UNEXPLAINED] = "free-unexplained",
		[REC_COUPON] = "coupon",
		[REC_NOT_IN_BILL] = "not-in-bill",
		[REC_NOT_SEEN] = "not-seen",
		[REC_NOT_FINAL] = "not-final",
		[REC_NOT_UNDERSTOOD] = "not-understood",
	};

	return names[v];
}

const char *rec_status_name(enum rec_status s)
{
	static const char *const names[] = {
		[REC_PARTIAL] = "partial",
		[REC_SETTLING] = "settling",
		[REC_SETTLED] = "settled",
	};

	return names[s];
}

enum rec_status rec_status_at(ts_t ends, ts_t known, ts_t now)
{
	ts_t until = known < now ? known : now;

	if (until < ends + DAY_SECONDS)
		return REC_PARTIAL;
	return until < ends + 3 * DAY_SECONDS ? REC_SETTLING : REC_SETTLED;
}

/* ---- figures ------------------------------------------------------------------------------ */

static int64_t rec_net_of(const struct rec_case *c)
{
	int64_t net;

	return nanos_add(c->cost, c->credits, &net) ? net : c->cost;
}

/* Part that the user or a promotional credit pays. */
static int64_t rec_paid(const struct rec_case *c)
{
	int64_t amount;

	return nanos_sub(rec_net_of(c), c->promo, &amount) ? amount : rec_net_of(c);
}

static bool rec_ran(const struct rec_case *c)
{
	return c->covered_seconds || c->uncovered_seconds;
}

/* chip-seconds -> nano chip-hours; a result that does not fit becomes the maximum. */
static int64_t rec_chip_hours(int64_t chip_seconds)
{
	int64_t out;

	return nanos_muldiv(chip_seconds, NANOS, 3600, &out) ? out : INT64_MAX;
}

static bool rec_comparable(const struct rec_case *c)
{
	return c->chips_known && c->billed_known && c->billed_chips > 0;
}

/* Chip-hours on the bill in excess of all that were observed. */
static int64_t rec_unseen(const struct rec_case *c)
{
	int64_t more;

	if (!rec_comparable(c) ||
		__builtin_sub_overflow(c->billed_chips,
			rec_chip_hours(c->covered_chips + c->uncovered_chips), &more))
		return 0;
	return more > c->billed_chips / TOLERANCE ? more : 0;
}

/* The amount to pay exceeds the price, on the bill, of the hours that no grant covers. */
static bool rec_too_much(const struct rec_case *c)
{
	int64_t owed = c->cost, slack = c->cost / TOLERANCE, hours;

	if (!c->uncovered_seconds && !rec_unseen(c))
		return rec_net_of(c) > REC_NOTHING;
	if (!rec_comparable(c) || c->cost <= 0)
		return false;
	if (slack < REC_NOTHING)
		slack = REC_NOTHING;
	if (nanos_add(rec_chip_hours(c->uncovered_chips), rec_unseen(c), &hours) &&
		hours < c->billed_chips &&
		!nanos_muldiv(c->cost, hours, c->billed_chips, &owed))
		return false;
	return rec_net_of(c) - owed > slack;
}

static bool rec_mostly_covered(const struct rec_case *c)
{
	return c->uncovered_seconds <=
		(c->covered_seconds + c->uncovered_seconds) / TOLERANCE;
}

/* The bill has clearly fewer hours than ran uncovered. */
static bool rec_too_few(const struct rec_case *c)
{
	int64_t hours = rec_chip_hours(c->uncovered_chips);

	return rec_comparable(c) && c->billed_chips < hours - hours / TOLERANCE;
}

/* ---- verdict ------------------------------------------------------------------------------ */

static enum rec_verdict rec_judge_unseen(const struct rec_case *c)
{
	if (!c->usage && !c->cost && !c->credits)
		return REC_OK;
	if (rec_net_of(c) > REC_NOTHING)
		return REC_NOT_SEEN;
	if (rec_paid(c) > REC_NOTHING)
		return REC_COUPON;
	return c->granted ? REC_NOT_SEEN : REC_FREE_UNEXPLAINED;
}

static enum rec_verdict rec_judge_absent(const struct rec_case *c)
{
	if (rec_mostly_covered(c))
		return REC_OK;
	if (c->others_unknown)
		return REC_NOT_UNDERSTOOD;
	return c->status == REC_SETTLED ? REC_NOT_IN_BILL : REC_NOT_FINAL;
}

static enum rec_verdict rec_judge(const struct rec_case *c)
{
	if (c->status == REC_PARTIAL)
		return REC_NOT_FINAL;
	if (c->billed && !c->family_known)
		return REC_NOT_UNDERSTOOD;
	if (!rec_ran(c))
		return rec_judge_unseen(c);
	if (!c->billed)
		return rec_judge_absent(c);
	if (rec_too_much(c))
		return REC_BILLED_BUT_COVERED;
	if (rec_net_of(c) > REC_NOTHING && rec_unseen(c))
		return REC_NOT_SEEN;
	if (rec_net_of(c) > REC_NOTHING)
		return c->status == REC_SETTLED && rec_too_few(c) ? REC_NOT_IN_BILL
								  : REC_OK;
	if (rec_mostly_covered(c))
		return REC_OK;
	return rec_paid(c) > REC_NOTHING ? REC_COUPON : REC_FREE_UNEXPLAINED;
}

/* ---- sentences ---------------------------------------------------------------------------- */

static const char *rec_hours_text(struct arena *a, bool known, int64_t nano_chip_hours)
{
	char buf[NANOS_BUF];

	return known ? arena_printf(a, "%s chip-hours",
			       nanos_format_fixed(nano_chip_hours, 2, buf))
		     : "hours";
}

static const char *rec_uncovered_text(struct arena *a, const struct rec_case *c)
{
	return arena_printf(a, "%s ran uncovered (%s)",
		rec_hours_text(a, c->chips_known, rec_chip_hours(c->uncovered_chips)),
		c->why ? c->why : "no-grant");
}

static const char *rec_ok_text(struct arena *a, const struct rec_case *c)
{
	const char *covered = rec_hours_text(
		a, c->chips_known, rec_chip_hours(c->covered_chips));

	if (!rec_ran(c))
		return "nothing ran and nothing is to be paid";
	if (rec_mostly_covered(c) && c->billed && c->promo && rec_paid(c) > REC_NOTHING)
		return arena_printf(a,
			"a grant covered %s; a promotional credit of %s leaves nothing to "
			"pay: check whether it is your credit",
			covered, money_words(a, c->promo, c->currency));
	if (rec_mostly_covered(c))
		return arena_printf(
			a, "a grant covered %s; nothing is to be paid", covered);
	return arena_printf(a, "%s, and %s is to be paid", rec_uncovered_text(a, c),
		money_words(a, rec_net_of(c), c->currency));
}

static const char *rec_billed_but_covered_text(struct arena *a, const struct rec_case *c)
{
	const char *covered = rec_hours_text(
		a, c->chips_known, rec_chip_hours(c->covered_chips));
	const char *net = money_words(a, rec_net_of(c), c->currency);

	if (!c->uncovered_seconds)
		return arena_printf(a, "a grant covers all of the %s, and %s is to be paid",
			covered, net);
	return arena_printf(a,
		"a grant covers %s, and %s is to be paid: more than the %s that ran "
		"uncovered cost",
		covered, net, rec_hours_text(a, true, rec_chip_hours(c->uncovered_chips)));
}

static const char *rec_not_in_bill_text(struct arena *a, const struct rec_case *c)
{
	if (!c->billed)
		return arena_printf(a, "%s, and the settled bill has none of it",
			rec_uncovered_text(a, c));
	return arena_printf(a, "%s, and the settled bill has only %s",
		rec_uncovered_text(a, c), rec_hours_text(a, true, c->billed_chips));
}

static const char *rec_not_seen_text(struct arena *a, const struct rec_case *c)
{
	const char *billed = rec_hours_text(a, c->billed_known, c->billed_chips);
	const char *net = money_words(a, rec_net_of(c), c->currency);

	if (!rec_ran(c))
		return arena_printf(a,
			"the bill has %s (%s to pay), but no TPU was observed there: "
			"nothing was polled, or it was deleted before the next poll",
			billed, net);
	return arena_printf(a, "the bill has %s (%s to pay), but only %s were observed",
		billed, net,
		rec_hours_text(
			a, true, rec_chip_hours(c->covered_chips + c->uncovered_chips)));
}

static const char *rec_coupon_text(struct arena *a, const struct rec_case *c)
{
	const char *promo = money_words(a, c->promo, c->currency);

	return rec_ran(c)
		? arena_printf(a, "%s: a promotional credit of %s paid for it, not a grant",
			  rec_uncovered_text(a, c), promo)
		: arena_printf(a,
			  "a promotional credit of %s paid for TPUs that were not observed",
			  promo);
}

static const char *rec_text_of(
	struct arena *a, const struct rec_case *c, enum rec_verdict verdict)
{
	switch (verdict) {
	case REC_OK:
		return rec_ok_text(a, c);
	case REC_BILLED_BUT_COVERED:
		return rec_billed_but_covered_text(a, c);
	case REC_FREE_UNEXPLAINED:
		return rec_ran(c)
			? arena_printf(a,
				  "%s, and nothing is to be paid for it: no grant in the "
				  "configuration explains that",
				  rec_uncovered_text(a, c))
			: arena_printf(a,
				  "the bill has %s free of charge, and no grant in the "
				  "configuration matches",
				  rec_hours_text(a, c->billed_known, c->billed_chips));
	case REC_COUPON:
		return rec_coupon_text(a, c);
	case REC_NOT_IN_BILL:
		return rec_not_in_bill_text(a, c);
	case REC_NOT_SEEN:
		return rec_not_seen_text(a, c);
	case REC_NOT_UNDERSTOOD:
		return "a TPU line on the bill does not name its generation";
	case REC_NOT_FINAL:
		break;
	}
	return "the bill of that day is not complete yet";
}

struct rec_finding reconcile(const struct rec_case *c, struct arena *a)
{
	enum rec_verdict verdict = rec_judge(c);

	return (struct rec_finding){.verdict = verdict, .text = rec_text_of(a, c, verdict)};
}
