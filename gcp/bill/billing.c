#include "gcp/bill/billing.h"

#include "base/money.h"
#include "base/str.h"
#include "gcp/decode.h"
#include "gcp/list.h"

#include <string.h>

#define ACCOUNTS "billingAccounts/"
#define PAGE_SIZE 100 /* Google's maximum, and the default */

bool billing_account_valid(const char *account)
{
	size_t i = 0;

	for (; account[i]; i++) {
		char c = account[i];
		bool hyphen = i == 6 || i == 13;

		if (i >= 20 || (hyphen && c != '-') ||
			(!hyphen && !(c >= '0' && c <= '9') && !(c >= 'A' && c <= 'Z')))
			return false;
	}
	return i == 20;
}

static enum err_code billing_check_account(const char *account, struct err *e)
{
	if (billing_account_valid(account))
		return E_OK;
	err_set(e, E_CONFIG,
		"'%.60s' is not a valid billing account (expected a form like "
		"01AB23-CD45EF-678901)",
		account);
	err_fix(e, "list yours with: gcloud billing accounts list");
	return E_CONFIG;
}

/* "billingAccounts/ID" -> "ID"; "" stays "". */
static const char *billing_read_account(struct dec *d, const char *key)
{
	const char *full = dec_text(d, key), *id = full;

	if (d->code != E_OK || !*full)
		return "";
	if (str_starts(full, ACCOUNTS))
		id += strlen(ACCOUNTS);
	if (id == full || !billing_account_valid(id)) {
		dec_fail(d, key, "not a billing account");
		return "";
	}
	return id;
}

/* The missing role is on the account, not on a project. */
static void billing_grant_on_account(struct gcp_call *c, const char *account)
{
	c->grant_group = "billing accounts";
	c->grant_name = account;
}

static void billing_read_info(struct dec *d, void *item)
{
	struct billing_info *out = item;

	if (!json_get(d->obj, "name"))
		d->code = err_set(d->e, E_DATA, "the response has no name");
	d->key = "info";
	out->account = billing_read_account(d, "billingAccountName");
	out->enabled = dec_bool(d, "billingEnabled");
}

const struct gcp_listing billing_info_listing = {
	.api = GCP_CLOUDBILLING,
	.what = "get billing info",
	.path = "/projects/{}/billingInfo",
	.role = "roles/browser",
	.object = true,
	.size = sizeof(struct billing_info),
	.read = billing_read_info,
};

enum err_code billing_account(struct gcp *g, const char *account, struct arena *a,
	struct billing_account *out, struct err *e)
{
	cleanup(gcp_call_free) struct gcp_call c;
	struct billing_account own = {0};
	struct dec d;

	gcp_call_init(&c, g, GCP_CLOUDBILLING, NULL, "get billing account");
	if (billing_check_account(account, e))
		return E_CONFIG;
	gcp_url(g, &c.url, GCP_CLOUDBILLING, "/billingAccounts/{}", account, NULL);
	billing_grant_on_account(&c, account);
	if (gcp_call_do(&c, e))
		return e->code;
	/* An empty response has no information. */
	if (!json_get(c.json, "name"))
		return err_set(e, E_DATA, "%s: the response has no name", c.what);
	d = dec_begin(c.json, a, e);
	own.id = billing_read_account(&d, "name");
	own.display_name = dec_text(&d, "displayName");
	own.currency = dec_text(&d, "currencyCode");
	own.parent = billing_read_account(&d, "masterBillingAccount");
	own.open = dec_bool(&d, "open");
	if (d.code == E_OK && !str_eq(own.id, account))
		dec_fail(&d, "name", "another account");
	if (d.code == E_OK && *own.currency && !currency_valid(own.currency))
		dec_fail(&d, "currencyCode", "not an ISO 4217 code");
	if (d.code != E_OK)
		return err_wrap(e, "%s", c.what);
	*out = own;
	return E_OK;
}

/* ---- projects of an account ---------------------------------------------- */

static void billing_read_project(struct dec *d, void *item)
{
	struct billed_project *out = item;

	out->project_id = d->key = dec_need(d, "projectId");
	out->enabled = dec_bool(d, "billingEnabled");
	if (!gcp_project_valid(out->project_id))
		dec_fail(d, "projectId", "not a valid project id");
}

static const struct gcp_listing billing_project_listing = {
	.api = GCP_CLOUDBILLING,
	.what = "list projects of billing account",
	.path = "/billingAccounts/{}/projects",
	.page_size = PAGE_SIZE,
	.items = "projectBillingInfo",
	.size = sizeof(struct billed_project),
	.read = billing_read_project,
};

enum err_code billing_account_projects(struct gcp *g, const char *account, struct arena *a,
	struct billing_projects *out, struct err *e)
{
	struct billing_projects own = {0};
	struct gcp_typed *t;
	enum err_code rc;

	if (billing_check_account(account, e))
		return E_CONFIG;
	t = gcp_typed_new(&billing_project_listing, g, NULL, a, &own.r, account, NULL);
	billing_grant_on_account(&t->list.call, account);
	rc = gcp_typed_wait(g, gcp_typed_start(t, e), &own.r, e);
	if (rc == E_OK)
		*out = own;
	return rc;
}
