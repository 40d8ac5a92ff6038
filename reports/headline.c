#include "reports/report.h"

#include <stdio.h>
#include <string.h>

static void add_count(struct sbuf *b, size_t n, const char *one, const char *many)
{
	sbuf_addf(b, "%zu %s", n, n == 1 ? one : many);
}

/* Sums of the items' net per currency, at most a handful. */
static void add_item_sums(struct sbuf *b, const struct report_items *items)
{
	struct amounts sums[8];
	size_t n = 0;
	char buf[64];

	for (size_t i = 0; i < items->n; i++) {
		const struct report_item *it = &items->v[i];
		size_t k = 0;

		if (!it->net.set || !it->currency)
			continue;
		while (k < n && strcmp(sums[k].currency, it->currency) != 0)
			k++;
		if (k == n && n == ARRAY_LEN(sums))
			continue;
		if (k == n)
			sums[n++] = (struct amounts){.currency = it->currency};
		if (__builtin_add_overflow(sums[k].net, it->net.v, &sums[k].net))
			sums[k].net = INT64_MAX;
	}
	if (!n)
		sbuf_adds(b, " at a price that is not known");
	for (size_t k = 0; k < n; k++)
		sbuf_addf(b, "%s%s/h", k ? " + " : " ",
			report_amount(sums[k].net, sums[k].currency, buf, sizeof(buf)));
}

void report_headline(const struct report *r, struct sbuf *b)
{
	char buf[64];

	if (r->inventory_age_from == TS_NONE && !r->inventory_unsure) {
		sbuf_adds(b,
			r->n_days ? "What runs was never collected (run: tpucost "
				    "collect); the costs are those that were imported."
				  : "No data yet: nothing was collected. Run: tpucost "
				    "collect");
		return;
	}
	if (r->uncovered.n) {
		add_count(b, r->uncovered.n, "TPU runs", "TPUs run");
		sbuf_adds(b, " outside every grant:");
		add_item_sums(b, &r->uncovered);
		sbuf_adds(b, ". ");
	} else if (r->inventory_unsure) {
		sbuf_adds(b,
			"Not everything could be read; no TPU outside the grants is "
			"known. ");
	} else if (r->covered.n) {
		sbuf_adds(b, "Every running TPU is covered. ");
	} else {
		sbuf_adds(b, "No TPU runs. ");
	}
	if (r->machines.n) {
		add_count(b, r->machines.n, "machine runs:", "machines run:");
		add_item_sums(b, &r->machines);
		sbuf_adds(b, ". ");
	}
	if (!r->n_burn && !r->unknown_prices && !r->inventory_unsure)
		sbuf_adds(b, "Nothing burns money now.");
	for (size_t i = 0; i < r->n_burn; i++)
		sbuf_addf(b, "%s%s/h net", i ? " + " : "All together ",
			report_amount(
				r->burn[i].net, r->burn[i].currency, buf, sizeof(buf)));
	if (r->n_burn)
		sbuf_adds(b, ".");
	if (r->unknown_prices)
		sbuf_addf(b, "%sOf %zu%s the price is not known.", r->n_burn ? " " : "",
			r->unknown_prices, r->n_burn ? " more" : "");
	if (r->uncovered.n && r->inventory_unsure)
		sbuf_addf(b, "%sNot everything could be read lately: tpucost sources.",
			b->s[b->len - 1] == ' ' ? "" : " ");
	if (b->len && b->s[b->len - 1] == ' ')
		sbuf_trunc(b, b->len - 1);
}
