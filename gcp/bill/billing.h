/* Cloud Billing: the account that pays for a project, and the projects of an account. Cloud Billing
 * REST reference v1, projects.getBillingInfo and billingAccounts. A list is complete or an error,
 * see gcp/compute/compute.h. */
#ifndef TPUCOST_GCP_BILL_BILLING_H
#define TPUCOST_GCP_BILL_BILLING_H

#include "gcp/list.h"

struct billing_info {
	struct gcp_result r;
	const char *account; /* "01AB23-CD45EF-678901"; "" if no account is linked */
	bool enabled;        /* linked to an open account */
};

struct billing_account {
	const char *id;
	const char *display_name; /* may be "" */
	const char *currency;     /* of its bills; "" if absent */
	const char *parent;       /* parent account of a subaccount, or "" */
	bool open;
};

struct billed_project {
	const char *project_id;
	bool enabled;
};

GCP_ITEMS(billing_projects, struct billed_project);

/* For gcp_listing_start. Needs resourcemanager.projects.get on the project. */
extern const struct gcp_listing billing_info_listing;
/* Both need roles/billing.viewer on the account. E_CONFIG: the id is malformed. */
enum err_code billing_account(struct gcp *g, const char *account, struct arena *a,
	struct billing_account *out, struct err *e) must_check;
enum err_code billing_account_projects(struct gcp *g, const char *account, struct arena *a,
	struct billing_projects *out, struct err *e) must_check;

/* Checks the form of account ids: three groups of six capital letters or digits, separated by
 * hyphens. */
bool billing_account_valid(const char *account);

#endif
