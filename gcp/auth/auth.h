/* Credentials and access tokens. Google's search order for Application Default
 * Credentials: $GOOGLE_APPLICATION_CREDENTIALS, gcloud's well-known file, the metadata
 * server (AIP-4110).
 *
 * The token is kept in memory only. Getting one is a request like any other, so that it
 * can happen in the middle of a run: who needs a token waits for it. */
#ifndef TPUCOST_GCP_AUTH_AUTH_H
#define TPUCOST_GCP_AUTH_AUTH_H

#include "base/err.h"
#include "base/net/http.h"

struct gcp;
struct gcp_auth;

/* `credentials` is a path, or NULL or "adc" for the default ones. */
enum err_code gcp_auth_new(struct gcp *g, const char *credentials, struct gcp_auth **out,
	struct err *e) must_check;
void gcp_auth_free(struct gcp_auth *a);
/* From now on *a are those of the service account `email`, for whom the ones that were in *a get
 * tokens (IAM Service Account Credentials API, generateAccessToken). E_CONFIG when it is no address. */
enum err_code gcp_auth_impersonate(
	struct gcp_auth **a, const char *email, struct err *e) must_check;

/* Quota project that the credentials name, or NULL. */
const char *gcp_auth_quota_project(const struct gcp_auth *a);
/* "serviceAccount:x@y.iam.gserviceaccount.com" for IAM commands; NULL when not known.
 */
const char *gcp_auth_member(const struct gcp_auth *a);
/* Is this a person's own login (gcloud auth application-default login)? */
bool gcp_auth_is_user(const struct gcp_auth *a);
/* For messages: "service account key /etc/tpucost/key.json". */
const char *gcp_auth_source(const struct gcp_auth *a);

/* Someone who waits for a token. `ready` is called from http_run, or at once when there
 * is a valid one; code E_OK means that gcp_auth_header has one. */
struct auth_waiter {
	void (*ready)(struct auth_waiter *w, enum err_code code, const struct err *why);
	struct auth_waiter *next; /* the list's */
};
void gcp_auth_wait(struct gcp_auth *a, struct auth_waiter *w);
/* Take back a waiter that has not been called yet. */
void gcp_auth_unwait(struct gcp_auth *a, struct auth_waiter *w);

/* The present token as a header line, and the number of that token. */
const char *gcp_auth_header(const struct gcp_auth *a, uint64_t *number);
/* Token `number` was refused (401). True: it has been dropped, wait for another one.
 * False: a fresh one was refused a short while ago too, another would not help. */
bool gcp_auth_refused(struct gcp_auth *a, uint64_t number, bool was_second);

/* ---- between gcp/auth*.c only -------------------------------------------- */

struct cJSON;
struct jwt_key;

enum auth_kind { AUTH_SERVICE_ACCOUNT, AUTH_USER, AUTH_METADATA, AUTH_IMPERSONATED };

struct gcp_auth {
	struct gcp *g;
	enum auth_kind kind;
	char *source;        /* for messages */
	char *member;        /* or NULL */
	char *quota_project; /* or NULL */
	char *project;       /* that a key says it is of, or NULL */

	/* service account */
	struct jwt_key *key;
	char *email, *key_id, *token_uri;
	/* user */
	char *client_id, *client_secret, *refresh_token;
	/* metadata */
	char *metadata_host; /* that plain http is allowed to, or NULL */
	bool metadata_seen;  /* it has answered before */

	/* impersonated: `email`, by */
	struct gcp_auth *base;
	struct auth_waiter base_waiter;
	uint64_t base_token;

	char *token_url;

	/* the token */
	char *header; /* "Authorization: Bearer ..." or NULL */
	uint64_t number;
	ts_t obtained, stale_at;
	int64_t useless_until_ms; /* mono: fresh tokens are refused, do not ask for more
				   */

	/* getting one */
	bool under_way;
	struct http_req req;
	struct auth_waiter *waiters;
	struct auth_waiter *telling; /* those who are just being told */
	struct err failed;           /* why the last attempt failed, valid until: */
	int64_t failed_until_ms;     /* mono */
};

enum err_code auth_sa_load(
	struct gcp_auth *a, const struct cJSON *file, struct err *e) must_check;
enum err_code auth_user_load(
	struct gcp_auth *a, const struct cJSON *file, struct err *e) must_check;
enum err_code auth_metadata_load(struct gcp_auth *a, struct err *e) must_check;
/* Ask the metadata server which account it gives tokens of. */
enum err_code auth_metadata_email(
	struct gcp_auth *a, struct sbuf *out, struct err *e) must_check;

/* Body of the token request. */
enum err_code auth_sa_form(struct gcp_auth *a, struct sbuf *form, struct err *e) must_check;
void auth_user_form(struct gcp_auth *a, struct sbuf *form);

/* Is this the address of a service account, fit for commands that people are told to run? */
bool auth_email_valid(const char *s);

/* Have the base get a token, and with it one of the account. */
void auth_impersonated_ask(struct gcp_auth *a);
/* Seconds that the token of the answer is good for. */
int64_t auth_impersonated_life(
	const struct gcp_auth *a, const struct cJSON *answer, int64_t unsaid);
enum err_code auth_impersonated_refused(
	const struct gcp_auth *a, const struct http_req *r, struct err *e);

/* `done` of the request for a token, and its end for those who wait. */
void auth_on_answer(struct http_req *r);
void auth_tell_waiters(struct gcp_auth *a, enum err_code code, const struct err *why);

/* What Google's refusal means and what mends it: sets code, message and fix. */
enum err_code auth_explain(
	const struct gcp_auth *a, const struct http_req *r, struct err *e);

/* A variable of the environment that is not empty, or NULL. */
const char *auth_env(const char *name);

#endif
