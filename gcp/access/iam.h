/* Who may do what: the permissions that tpucost needs, with the calls that need them, and those of
 * an account on a project. docs/iam.md says the same for people; a test compares the two.
 *
 * Sources: "Permissions" in Google's REST references of each method, the list of IAM permissions,
 * projects.testIamPermissions of Resource Manager v3. Queued resources have no permissions of their
 * own in roles/tpu.admin, which Google's guide to them asks for: those of nodes are taken. */
#ifndef TPUCOST_GCP_ACCESS_IAM_H
#define TPUCOST_GCP_ACCESS_IAM_H

#include "gcp/gcp.h"

/* Who deletes is a stopper too: the role of the deleter has only what that one lacks. */
enum iam_role { IAM_READER, IAM_STOPPER, IAM_DELETER, IAM_ROLES };
const char *iam_role_name(enum iam_role r); /* "tpucostReader" */

/* What a permission is granted on. */
enum iam_on {
	IAM_ON_PROJECT,
	IAM_ON_TABLE_PROJECT, /* the project of the billing table */
	IAM_ON_TABLE,         /* the billing table, or its data set */
	IAM_ON_ACCOUNT,       /* the billing account */
	IAM_ON_SCOPE,         /* the organization or folder */
	IAM_ON_ACTOR,         /* the service account that acts */
	IAM_ON_INIT,          /* what `tpucost init` is to find; nothing else needs it */
	IAM_ON_NOTHING,       /* everybody may */
};

struct iam_use {
	enum iam_role role;
	const char *permission; /* "" where none is needed */
	enum iam_on on;
	const char *method, *path; /* as in gcp_url(), after the version */
	const char *predefined;    /* smallest role of Google's that has it, or NULL */
	bool must; /* without it nothing of use is read; else something is missing */
};
extern const struct iam_use iam_uses[];
extern const size_t n_iam_uses;

/* What an account that watches or stops must not be able to do, unless its role says so; the worst
 * first. */
extern const char *const iam_powers[];
extern const size_t n_iam_powers;

/* The permissions of a role on a project, each once, in the order of the table. Arena. */
const char **iam_role_permissions(enum iam_role r, struct arena *a, size_t *n);
/* What acting takes: of the stopper, and of the deleter as well. Arena. */
const char **iam_actor_permissions(bool deletes, struct arena *a, size_t *n);

/* IAM_UNKNOWN: Google knows no such permission of projects. */
enum iam_has { IAM_NO, IAM_YES, IAM_UNKNOWN };

/* Which of these do the credentials have on the project? Changes nothing. */
enum err_code iam_test(struct gcp *g, const char *project, const char *const *permissions,
	size_t n, enum iam_has *has, struct err *e) must_check;

/* Get a token, if there is none yet: are the credentials good? */
enum err_code iam_token(struct gcp *g, struct err *e) must_check;
/* Whose credentials these are. Arena. */
struct iam_who {
	const char *
		member; /* "serviceAccount:x@y.iam.gserviceaccount.com"; NULL: a person's login,
				which does not say whose it is */
	const char *source;        /* "credentials file /etc/key.json" */
	const char *project;       /* that the key is of; NULL: it does not say */
	const char *quota_project; /* that calls are counted for; or NULL */
	bool person, metadata;     /* somebody's own login; the account of this machine */
};
enum err_code iam_whose(
	struct gcp *g, struct arena *a, struct iam_who *out, struct err *e) must_check;

#endif
