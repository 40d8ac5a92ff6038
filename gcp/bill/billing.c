#include "gcp/bill/billing.h"

#include "base/money.h"
#include "base/str.h"
#include "gcp/decode.h"
#include "gcp/list.h"

#include <string.h>

#define ACCOUNTS "billingAccounts/"
#define PAGE_SIZE 100 /* the most that Google gives, and the default */

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

static enum err_code check_account(const char *account, struct err *e)
{
	if (billing_account_valid(account))
		return E_OK;
	err_set(e, E_CONFIG, "billing account \"%.60s\" is not like 01AB23-CD45EF-678901",
		account);
	err_fix(e, "list yours with: gcloud billing accounts list");
	return E_CONFIG;
}

/* "billingAccounts/ID" -> "ID"; "" stays "". */
static const char *read_account(struct dec *d, const char *key)
{
	const char *full = dec_text(d, key), *id = full;

	if (d->code != E_OK || !*full)
		return "";
	if (str_starts(full, ACCOUNTS))
		id += strlen(ACCOUNTS);
	if (id == full || !billing_account_valid(id)) {
		dec_fail(d, key, "it is no billing account");
		return "";
	}
	return id;
}

static enum err_code ask(struct gcp_call *c, struct err *e)
{
	enum err_code rc = gcp_call_do(c, e);

	/* An answer without anything in it tells nothing. */
	if (rc == E_OK && !json_get(c->json, "name"))
		rc = err_set(e, E_DATA, "%s: the answer has no name", c->what);
	return rc;
}

static enum err_code end(struct gcp_call *c, enum err_code rc, struct err *e)
{
	if (rc != E_OK)
		err_wrap(e, "%s", c->what);
	return rc;
}

/* What is missing is a role on the account, not on a project. */
static void grant_on_account(struct gcp_call *c, const char *account)
{
	c->grant_group = "billing accounts";
	c->grant_name = account;
}

/* The object is the only page of a list of one. */
static enum err_code on_info(struct gcp_list *l, const struct cJSON *page, struct err *e)
{
	struct gcp_typed *t = l->ctx;
	struct dec d = dec_begin(page, t->arena, e);
	struct billing_info info = {0};

	if (!json_get(page, "name"))
		return err_set(e, E_DATA, "the answer has no name");
	info.account = read_account(&d, "billingAccountName");
	info.enabled = dec_bool(&d, "billingEnabled");
	if (d.code == E_OK)
		memcpy(gcp_typed_slot(t, "info"), &info, sizeof(info));
	return d.code;
}

static void deliver_info(struct gcp_typed *t)
{
	struct billing_info *out = (struct billing_info *)t->result;
	const struct billing_info *info = t->items;

	out->account = info->account;
	out->enabled = info->enabled;
}

enum err_code billing_info_start(struct gcp *g, const char *project, struct arena *a,
	struct billing_info *out, struct err *e)
{
	struct gcp_typed *t = gcp_typed_new(
		g, GCP_CLOUDBILLING, project, "get billing info", a, &out->r, sizeof(*out));

	gcp_url(g, &t->list.call.url, GCP_CLOUDBILLING, "/projects/{}/billingInfo", project,
		NULL);
	t->list.call.role = "roles/browser";
	t->list.size_param = NULL;
	t->list.on_page = on_info;
	t->deliver = deliver_info;
	return gcp_typed_start(t, e);
}

enum err_code billing_account(struct gcp *g, const char *account, struct arena *a,
	struct billing_account *out, struct err *e)
{
	struct billing_account own = {0};
	struct gcp_call c;
	struct dec d;
	enum err_code rc = check_account(account, e);

	if (rc != E_OK)
		return rc;
	gcp_call_init(&c, g, GCP_CLOUDBILLING, NULL, "get billing account");
	gcp_url(g, &c.url, GCP_CLOUDBILLING, "/billingAccounts/{}", account, NULL);
	grant_on_account(&c, account);
	rc = ask(&c, e);
	if (rc == E_OK) {
		d = dec_begin(c.json, a, e);
		own.id = read_account(&d, "name");
		own.display_name = dec_text(&d, "displayName");
		own.currency = dec_text(&d, "currencyCode");
		own.parent = read_account(&d, "masterBillingAccount");
		own.open = dec_bool(&d, "open");
		if (d.code == E_OK && !str_eq(own.id, account))
			dec_fail(&d, "name", "it is another account");
		if (d.code == E_OK && *own.currency && !currency_valid(own.currency))
			dec_fail(&d, "currencyCode", "it is no ISO 4217 code");
		rc = end(&c, d.code, e);
	}
	gcp_call_free(&c);
	if (rc == E_OK)
		*out = own;
	return rc;
}

/* ---- projects of an account ---------------------------------------------- */

static enum err_code put_project(struct gcp_typed *t, const struct cJSON *j, struct err *e)
{
	struct dec d = dec_begin(j, t->arena, e);
	struct billed_project p = {.project_id = dec_need(&d, "projectId")};

	p.enabled = dec_bool(&d, "billingEnabled");
	if (d.code == E_OK && !gcp_project_valid(p.project_id))
		dec_fail(&d, "projectId", "it is no project id");
	if (d.code == E_OK)
		memcpy(gcp_typed_slot(t, p.project_id), &p, sizeof(p));
	return d.code;
}

static enum err_code on_page(struct gcp_list *l, const struct cJSON *page, struct err *e)
{
	return gcp_typed_page(l, page, "projectBillingInfo", NULL, put_project, e);
}

static GCP_DELIVER(deliver, struct billing_projects);

enum err_code billing_account_projects_start(struct gcp *g, const char *account,
	struct arena *a, struct billing_projects *out, struct err *e)
{
	struct gcp_typed *t;
	enum err_code rc = check_account(account, e);

	if (rc != E_OK)
		return rc;
	t = gcp_typed_new(g, GCP_CLOUDBILLING, NULL, "list projects of billing account", a,
		&out->r, sizeof(struct billed_project));
	gcp_url(g, &t->list.call.url, GCP_CLOUDBILLING, "/billingAccounts/{}/projects",
		account, NULL);
	grant_on_account(&t->list.call, arena_strdup(a, account));
	t->list.page_size = PAGE_SIZE;
	t->list.on_page = on_page;
	t->deliver = deliver;
	return gcp_typed_start(t, e);
}

enum err_code billing_account_projects(struct gcp *g, const char *account, struct arena *a,
	struct billing_projects *out, struct err *e)
{
	struct billing_projects own = {0};
	enum err_code rc = billing_account_projects_start(g, account, a, &own, e);

	rc = gcp_typed_wait(g, rc, &own.r, e);
	if (rc == E_OK)
		*out = own;
	return rc;
}
