/* Permissions: those that tpucost needs, with the calls that need them, and those of an account on
 * a project. docs/iam.md documents them; a test compares the two.
 *
 * Sources: "Permissions" in Google's REST references of each method, the list of IAM permissions,
 * projects.testIamPermissions of Resource Manager v3. Queued resources have no permissions of their
 * own in roles/tpu.admin, which Google's guide to them requires: the permissions of nodes are
 * used. */
#ifndef TPUCOST_GCP_ACCESS_IAM_H
#define TPUCOST_GCP_ACCESS_IAM_H

#include "gcp/gcp.h"

/* A deleter is also a stopper, and a scaler (of node pools) a deleter: its role has only the additional
 * permissions. */
enum iam_role { IAM_READER, IAM_STOPPER, IAM_DELETER, IAM_SCALER, IAM_ROLES };
const char *iam_role_name(enum iam_role r); /* "tpucostReader" */

/* Resource on which a permission is granted. */
enum iam_on {
	IAM_ON_PROJECT,
	IAM_ON_TABLE_PROJECT,   /* the project of the billing table */
	IAM_ON_TABLE,           /* the billing table, or its dataset */
	IAM_ON_ACCOUNT,         /* the billing account */
	IAM_ON_SCOPE,           /* the organization or folder */
	IAM_ON_BUCKET,          /* the bucket of the lease or the backup */
	IAM_ON_ACTOR,           /* the service account that acts */
	IAM_ON_PUBLISH_PROJECT, /* the project of the dataset of publish: */
	IAM_ON_PUBLISH,         /* that dataset */
	IAM_ON_MORE,            /* the project; optional, so its role does not have it */
	IAM_ON_INIT, /* the resource that `tpucost init` looks for; not needed otherwise */
	IAM_ON_NOTHING, /* allowed for everyone */
};

struct iam_use {
	enum iam_role role;
	const char *permission; /* "" if none is needed */
	enum iam_on on;
	const char *method, *path; /* as in gcp_url(), after the version */
	const char *predefined;    /* the smallest predefined role that has it, or NULL */
	bool must; /* without it no useful data can be read; otherwise some data is missing */
};
extern const struct iam_use iam_uses[];
extern const size_t n_iam_uses;

/* Permissions that an account that watches or stops must not have, unless its role includes them;
 * the most dangerous first. */
extern const char *const iam_powers[];
extern const size_t n_iam_powers;

/* The permissions of a role on a project, without duplicates, in the order of the table. Allocated
 * from the arena. */
const char **iam_role_permissions(enum iam_role r, struct arena *a, size_t *n);
/* Permissions for actions: of the roles whose bits (1u << IAM_STOPPER) are set. Allocated from the arena. */
const char **iam_actor_permissions(unsigned roles, struct arena *a, size_t *n);

/* The optional permissions of the reader, and the command that adds them to its role. Allocated from the arena. */
const char **iam_more_permissions(struct arena *a, size_t *n);
const char *iam_give_more(const char *project, struct arena *a);

/* IAM_UNKNOWN: Google has no such permission for projects. */
enum iam_has { IAM_NO, IAM_YES, IAM_UNKNOWN };

/* Tests which of these the credentials have on the project. Changes nothing. */
enum err_code iam_test(struct gcp *g, const char *project, const char *const *permissions,
	size_t n, enum iam_has *has, struct err *e) must_check;

/* Gets a token, if there is none yet, to verify the credentials. */
enum err_code iam_token(struct gcp *g, struct err *e) must_check;
/* Identity of the credentials. Allocated from the arena. */
struct iam_who {
	/* "serviceAccount:x@y.iam.gserviceaccount.com"; NULL: a user login,
	 * which does not contain the account */
	const char *member;
	const char *source;        /* "credentials file /etc/key.json" */
	const char *project;       /* project of the key; NULL: unknown */
	const char *quota_project; /* project that the calls are charged to; or NULL */
	bool person, metadata;     /* a user login; the account of this machine */
};
enum err_code iam_whose(
	struct gcp *g, struct arena *a, struct iam_who *out, struct err *e) must_check;

/* APIs that must be enabled in a project to read its facts: a disabled one is found before the first poll.
 *
 * Each is tested with the smallest request that tpucost sends to it anyway, with no other permission. */

struct api_test {
	const char *project; /* borrowed */
	const char *service; /* "tpu.googleapis.com" */
	const char *missing; /* facts that it has: "TPUs" */
	/* E_DISABLED; E_DENIED and others do not show whether it is enabled */
	enum err_code code;
	struct err err;
};

/* Sends the requests for all projects at the same time. Allocated from the arena, a project after the other. Fails only
 * for reasons that concern all of them. */
enum err_code apis_test(struct gcp *g, const char *const *projects, size_t n, ts_t now,
	struct arena *a, struct api_test **out, size_t *n_out, struct err *e) must_check;

#endif
