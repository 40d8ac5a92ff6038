/* Credentials and access tokens. Follows Google's search order for Application Default Credentials:
 * $GOOGLE_APPLICATION_CREDENTIALS, gcloud's well-known file, the metadata server (AIP-4110).
 *
 * The token is kept in memory only. Getting it is a request like any other, so that it can happen
 * in the middle of a run: callers that need a token wait for it. */
#ifndef TPUCOST_GCP_AUTH_AUTH_H
#define TPUCOST_GCP_AUTH_AUTH_H

#include "gcp/gcp.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/net/http.h"

struct gcp;
struct gcp_auth;

/* `credentials` is a path, or NULL or "adc" for the default ones. */
enum err_code gcp_auth_new(struct gcp *g, const char *credentials, struct gcp_auth **out,
	struct err *e) must_check;
void gcp_auth_free(struct gcp_auth *a);
/* Replaces *a by the credentials of the service account `email`; the previous credentials of *a get
 * its tokens (IAM Service Account Credentials API, generateAccessToken). E_CONFIG if it is not an
 * address. */
enum err_code gcp_auth_impersonate(
	struct gcp_auth **a, const char *email, struct err *e) must_check;

/* Waiter for a token. `ready` is called from http_run, or at once if a valid token exists; code
 * E_OK: gcp_auth_header has a token. */
struct auth_waiter {
	void (*ready)(struct auth_waiter *w, enum err_code code, const struct err *why);
	struct auth_waiter *next; /* private to the list */
};
void gcp_auth_wait(struct gcp_auth *a, struct auth_waiter *w);
/* Removes a waiter that has not been called yet. */
void gcp_auth_unwait(struct gcp_auth *a, struct auth_waiter *w);

/* The current token as a header line, and its number. */
const char *gcp_auth_header(const struct gcp_auth *a, uint64_t *number);
/* Reports a refusal (401) of token `number`. True: the token is discarded, wait for another one.
 * False: a new token was also refused a short while ago, and another one would not help. */
bool gcp_auth_refused(struct gcp_auth *a, uint64_t number, bool was_second);

struct cJSON;
struct jwt_key;

/* AUTH_USER: a login (gcloud auth application-default login) */
enum auth_kind { AUTH_SERVICE_ACCOUNT, AUTH_USER, AUTH_METADATA, AUTH_IMPERSONATED };

/* The other files of gcp/ read only the first members. */

struct gcp_auth {
	struct gcp *g;
	enum auth_kind kind;
	/* of the members below; those that are secret are on the heap */
	struct arena texts;
	const char *source; /* for messages: "service account key /etc/tpucost/key.json" */
	/* "serviceAccount:x@y.iam.gserviceaccount.com" for IAM commands; NULL if unknown. */
	const char *member;
	const char *quota_project; /* or NULL */

	/* private to gcp/auth/ */
	const char *project; /* account in the key, or NULL */

	/* service account */
	struct jwt_key *key;
	const char *email, *key_id, *token_uri;
	/* user */
	const char *client_id;
	char *client_secret, *refresh_token;
	/* metadata */
	const char *metadata_host; /* host for which plain http is allowed, or NULL */
	bool metadata_seen;        /* it has responded before */

	/* impersonated: `email`, by */
	struct gcp_auth *base;
	struct auth_waiter base_waiter;
	uint64_t base_token;

	const char *token_url;

	/* the token */
	char *header; /* "Authorization: Bearer ..." or NULL */
	uint64_t number;
	ts_t obtained, stale_at;
	int64_t useless_until_ms; /* mono: new tokens are refused, do not request more */

	/* pending request */
	bool under_way;
	struct http_req req;
	struct auth_waiter *waiters;
	struct auth_waiter *telling; /* waiters that are currently called */
	struct err failed;           /* error of the last attempt, valid until: */
	int64_t failed_until_ms;     /* mono */
};

/* ---- private to gcp/auth/ ------------------------------------------------ */

enum err_code auth_sa_load(
	struct gcp_auth *a, const struct cJSON *file, struct err *e) must_check;
enum err_code auth_user_load(
	struct gcp_auth *a, const struct cJSON *file, struct err *e) must_check;
enum err_code auth_metadata_load(struct gcp_auth *a, struct err *e) must_check;
/* Asks the metadata server for the account of its tokens. */
enum err_code auth_metadata_email(
	struct gcp_auth *a, struct sbuf *out, struct err *e) must_check;

/* Body of the token request. */
enum err_code auth_sa_form(struct gcp_auth *a, struct sbuf *form, struct err *e) must_check;
void auth_user_form(struct gcp_auth *a, struct sbuf *form);

/* Reports whether this is the address of a service account that is safe in suggested commands. */
bool auth_email_valid(const char *s);

/* Lets the base credentials get a token, and with it one of the account. */
void auth_impersonated_ask(struct gcp_auth *a);
/* Lifetime of the token in the response, in seconds. */
int64_t auth_impersonated_life(
	const struct gcp_auth *a, const struct cJSON *answer, int64_t unsaid);
enum err_code auth_impersonated_refused(
	const struct gcp_auth *a, const struct http_req *r, struct err *e);

/* `done` of the request for a token, and its result for the waiters. */
void auth_on_answer(struct http_req *r);
void auth_tell_waiters(struct gcp_auth *a, enum err_code code, const struct err *why);

/* Explains Google's refusal: sets code, message and fix. */
enum err_code auth_explain(
	const struct gcp_auth *a, const struct http_req *r, struct err *e);

/* A non-empty variable of the environment, or NULL. */
const char *auth_env(const char *name);

/* Detects whether a machine is the one on which this program runs. One of three conditions is
 * sufficient: it has an address of this host, the name of this host, or the number from Google's
 * metadata server. If it cannot be determined, the result is yes. */

struct own_host_ask {
	const char *name;
	const char *uid; /* of an instance; "" if the metadata server does not have it */
	const char *const *addresses; /* internal ones */
	size_t n_addresses;
};

bool gcp_own_host(struct gcp *g, const struct own_host_ask *q);

/* The project of the machine on which this runs; NULL without a metadata server. Allocated from the
 * arena. */
const char *gcp_own_project(struct gcp *g, struct arena *a);

#endif
