/* One authenticated call of a Google API with a JSON answer.
 *
 * Errors: E_AUTH (401 after one renewal of the token), E_DISABLED, E_DENIED, E_RATE,
 * E_NOTFOUND, E_CONFLICT (409, 412), E_HTTP (any other status), E_DATA (not the JSON it
 * should be), E_UNCERTAIN (a write whose outcome is unknown), or what base/net/http.h says.
 * Statuses and reasons: "Error model" in Google's API design guide (AIP-193), and
 * google/api/error_reason.proto. */
#ifndef TPUCOST_GCP_CALL_H
#define TPUCOST_GCP_CALL_H

#include "base/data/json.h"
#include "base/data/json_rows.h"
#include "gcp/auth/auth.h"
#include "gcp/gcp.h"

struct gcp_call {
	/* set by the caller; `url` is appended to (gcp_url, url_param) and then owned
	 * here; other strings must live until `done` */
	struct gcp *g;
	enum gcp_api api;
	const char *project; /* for the commands that errors suggest; NULL: of none */
	const char *what;    /* "list TPU nodes": begins every message */
	const char *method;  /* NULL = GET */
	struct sbuf url;
	const char *body; /* JSON, or NULL */
	bool write;       /* changes something: never sent twice unless that is safe */
	bool empty_ok;    /* an empty 2xx answer is fine */
	long timeout_ms;  /* 0 = the client's */
	int max_attempts; /* 0 = the client's */
	size_t max_body;  /* 0 = HTTP_MAX_BODY */
	/* The array of the answer that may be large: `json` has it empty, its elements come
	 * from `rows`. NULL = the answer is small enough to be one tree. */
	const char *rows_key;
	/* What a role is granted on where that is no project, in gcloud's words:
	 * "resource-manager folders" and "9". And which role, NULL = the API's usual. */
	const char *grant_group, *grant_name, *role;
	void (*done)(struct gcp_call *c); /* may free the call, or send it again */
	void *ctx;

	/* filled in */
	enum err_code code;
	struct err err;
	struct cJSON *json;    /* an object; NULL when empty or on error */
	struct json_rows rows; /* until gcp_call_free */
	long status;           /* 0 = no answer */
	char reason[80];       /* Google's reason of the error, "" when none */

	/* private */
	struct http_req req;
	struct auth_waiter waiter;
	uint64_t token;
	bool renewed;
};

void gcp_call_init(struct gcp_call *c, struct gcp *g, enum gcp_api api, const char *project,
	const char *what);
/* Send; `done` is called once, from gcp_run or, when there can be no token, before this
 * returns. It is not called when this fails (E_CONFIG). */
enum err_code gcp_call_start(struct gcp_call *c, struct err *e) must_check;
/* Send and wait. Returns c->code. */
enum err_code gcp_call_do(struct gcp_call *c, struct err *e) must_check;
void gcp_call_free(struct gcp_call *c); /* its content, not the struct */

/* What an error answer says. */
struct gcp_refusal {
	int code;            /* of the body, else the HTTP status */
	char reason[80];     /* ErrorInfo.reason, errors[0].reason, status; "" when none */
	char message[400];   /* cleaned */
	char service[100];   /* ErrorInfo.metadata.service, "" when unsaid */
	char consumer[100];  /* ErrorInfo.metadata.consumer: the project's number, or "" */
	int64_t retry_after; /* RetryInfo.retryDelay in seconds, -1 = unsaid */
};
/* Read the body of an error; HTML, empty and broken ones give the status alone. */
void gcp_refusal_read(const char *body, size_t len, long status, struct gcp_refusal *out);
/* As above from an object that has an "error". */
void gcp_refusal_of(const struct cJSON *body, long status, struct gcp_refusal *out);
/* Does this reason say "slow down"? */
bool gcp_reason_is_rate(const char *reason);

#endif
