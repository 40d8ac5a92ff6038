#include "gcp/bill/anomaly.h"

#include "base/money.h"
#include "base/str.h"
#include "gcp/decode.h"

#include <string.h>

#define PAGE_SIZE 1000 /* Google's maximum */
#define CAUSES 3       /* named; Google lists the largest first */
#define CAUSE_TEXT 300 /* bytes of all of them */

/* All amounts of an anomaly have one currency. */
static struct opt_i64 anomaly_read_money(
	struct dec *d, const char *key, const char **currency)
{
	struct dec in = dec_enter(d, key);
	int64_t amount;

	if (!in.obj)
		return NONE;
	if (!**currency)
		*currency = dec_text(&in, "currencyCode");
	amount = dec_money(&in, *currency);
	if (in.code == E_OK && !currency_valid(*currency) && (**currency || amount))
		dec_fail(&in, "currencyCode", "not an ISO 4217 code");
	if (!dec_leave(d, &in))
		err_wrap(d->e, "%s", key);
	return SOME(amount);
}

static void anomaly_read_deviation(struct dec *d, struct billing_anomaly *out)
{
	struct dec in = dec_enter(d, "deviation");

	out->currency = "";
	if (!in.obj)
		return;
	out->actual = anomaly_read_money(&in, "actualSpend", &out->currency);
	out->expected = anomaly_read_money(&in, "expectedSpend", &out->currency);
	out->deviation = anomaly_read_money(&in, "deviationAmount", &out->currency);
	if (!dec_leave(d, &in))
		err_wrap(d->e, "deviation");
}

/* "Compute Engine (TpuV6e running in Columbus)": a cause and the first of its own causes. */
static void anomaly_read_cause(struct dec *d, void *item)
{
	const char **out = item, *name = dec_text(d, "displayName"), *sub = "";
	const struct cJSON *first = json_first(dec_array(d, "subCauses"));

	if (d->code == E_OK && json_is_object(first)) {
		struct dec in = dec_begin(first, d->a, d->e);

		sub = dec_text(&in, "displayName");
		d->code = in.code;
	}
	*out = *sub ? arena_printf(d->a, "%s (%s)", name, sub) : name;
}

static const char *anomaly_read_causes(struct dec *d)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	size_t n;
	const char **names = dec_each(
		d, "rootCauses", sizeof(*names), anomaly_read_cause, &n);

	for (size_t i = 0; d->code == E_OK && i < n && i < CAUSES; i++)
		if (*names[i] && b.len + strlen(names[i]) < CAUSE_TEXT)
			sbuf_addf(&b, "%s%s", b.len ? ", " : "", names[i]);
	return arena_strdup(d->a, b.s);
}

static void anomaly_read(struct dec *d, void *item)
{
	struct billing_anomaly *out = item;

	(void)dec_need(d, "name");
	out->id = d->key = dec_tail(d, "name");
	if (d->code == E_OK && !gcp_name_valid(out->id))
		dec_fail(d, "name", "not a valid resource name");
	out->scope = dec_text(d, "scope");
	out->severity = dec_text(d, "severity");
	out->detected = dec_ts(d, "detectionTime");
	if (d->code == E_OK && out->detected == TS_NONE)
		dec_fail(d, "detectionTime", "missing or empty");
	out->updated = dec_ts(d, "updateTime");
	anomaly_read_deviation(d, out);
	out->causes = anomaly_read_causes(d);
}

const struct gcp_listing billing_anomaly_listing = {
	.api = GCP_CLOUDBILLING_BETA,
	.what = "list cost anomalies",
	.path = "/projects/{}/anomalies",
	.page_size = PAGE_SIZE,
	.items = "anomalies",
	.size = sizeof(struct billing_anomaly),
	.read = anomaly_read,
};
