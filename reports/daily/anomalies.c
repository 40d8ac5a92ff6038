/* Google's cost anomalies among the actions: in the row of our alert about the same days, or alone. */
#include "base/money.h"
#include "base/str.h"
#include "base/time/civil.h"
#include "reports/daily/internal.h"
#include "reports/fix.h"

/* "Google reported it first, on 2026-11-18." */
static const char *anomaly_order(struct daily *d, const struct q_daily_anomalies *q)
{
	return arena_printf(d->a, "Google reported it %s %s.",
		str_eq(q->seen_first, "google")            ? "first, on"
			: str_eq(q->seen_first, "tpucost") ? "later, on"
							   : "on the same day,",
		q->day);
}

static const char *anomaly_words(struct daily *d, const struct q_daily_anomalies *q)
{
	const char *amounts = q->actual.set && q->expected.set && q->currency
		? arena_printf(d->a, "%s instead of %s",
			  money_words(d->a, q->actual.v, q->currency),
			  money_words(d->a, q->expected.v, q->currency))
		: "unknown amounts";

	return arena_printf(d->a, "Google reported it on %s: %s%s%s%s.", q->day, amounts,
		q->causes ? " (" : "", q->causes ? q->causes : "", q->causes ? ")" : "");
}

/* Google detects it the day after the usage, as a rule. */
static const char *anomaly_command(struct daily *d, const struct q_daily_anomalies *q)
{
	char text[DATE_BUF];
	day_t day;

	if (date_parse(q->day, &day, NULL))
		return "tpucost cost --by day";
	return fix_with("tpucost why cost:", date_format(day - 1, text), d->a);
}

struct todo daily_anomaly(struct daily *d, const struct q_daily_anomalies *q)
{
	return (struct todo){.key = q->alert ? arena_printf(d->a, "cost:%s", q->alert)
					     : arena_printf(d->a, "anomaly:%s", q->id),
		.kind = "cost",
		.project = q->project,
		.name = arena_printf(d->a, "cost anomaly %s", q->day),
		.severity = "warning",
		.detail = q->alert ? anomaly_order(d, q) : anomaly_words(d, q),
		.command = anomaly_command(d, q),
		.follows = true,
		.tone = TONE_WARN};
}
