/* One authenticated call of a Google API with a JSON response.
 *
 * Errors: E_AUTH (401 after one renewal of the token), E_DISABLED, E_DENIED, E_RATE, E_NOTFOUND,
 * E_CONFLICT (409, 412), E_HTTP (any other status), E_DATA (unexpected JSON), E_UNCERTAIN (a write
 * whose outcome is unknown), or the errors of base/net/http.h. Statuses and reasons: "Error model"
 * in Google's API design guide (AIP-193), and google/api/error_reason.proto. */
#ifndef TPUCOST_GCP_CALL_H
#define TPUCOST_GCP_CALL_H

#include "base/data/json.h"
#include "gcp/auth/auth.h"
#include "gcp/gcp.h"

struct gcp_call {
	/* set by the caller; `url` is appended to (gcp_url, url_param) and then owned by the call;
	 * other strings must live until `done` */
	struct gcp *g;
	enum gcp_api api;
	const char *project; /* for the commands in suggested fixes; NULL: none */
	const char *what;    /* "list TPU nodes": prefix of every message */
	const char *method;  /* NULL = GET */
	struct sbuf url;
	const char *body;      /* JSON, or NULL */
	const char *body_type; /* "Content-Type: ...", if the body is not JSON */
	/* As in struct http_req. With a download, there is no `json`. */
	FILE *upload, *download;
	int64_t upload_size, max_download;
	bool text;        /* the answer is not read as JSON: it stays in req.resp */
	bool write;       /* changes something: sent twice only if that is safe */
	bool empty_ok;    /* an empty 2xx response is valid */
	long timeout_ms;  /* 0 = default of the client */
	int max_attempts; /* 0 = default of the client */
	size_t max_body;  /* 0 = HTTP_MAX_BODY */
	/* The array of the response that may be large: `json` has it empty, its elements come from
	 * `rows`. NULL = the response is small enough for one tree. */
	const char *rows_key;
	/* Resource of the role if it is not a project, as gcloud names it: "resource-manager
	 * folders" and "9". And the role, NULL = default of the API. */
	const char *grant_group, *grant_name, *role;
	void (*done)(struct gcp_call *c); /* may free the call, or send it again */
	void *ctx;

	/* results */
	enum err_code code;
	struct err err;
	struct cJSON *json;    /* an object; NULL if empty or on error */
	struct json_rows rows; /* until gcp_call_free */
	long status;           /* 0 = no response */
	char reason[80];       /* Google's reason of the error, "" if none */

	/* private */
	struct http_req req;
	struct auth_waiter waiter;
	uint64_t token;
	bool renewed;
};

void gcp_call_init(struct gcp_call *c, struct gcp *g, enum gcp_api api, const char *project,
	const char *what);
/* Sends the call; `done` is called once, from gcp_run or, if no token is available, before this
 * returns. It is not called if this fails (E_CONFIG). */
enum err_code gcp_call_start(struct gcp_call *c, struct err *e) must_check;
/* Sends the call and waits. Returns c->code. */
enum err_code gcp_call_do(struct gcp_call *c, struct err *e) must_check;
void gcp_call_free(struct gcp_call *c); /* frees its content, not the struct */

/* Content of an error response. */
struct gcp_refusal {
	int code;            /* of the body, else the HTTP status */
	char reason[80];     /* ErrorInfo.reason, errors[0].reason, status; "" if none */
	char message[400];   /* cleaned */
	char service[100];   /* ErrorInfo.metadata.service, "" if absent */
	char consumer[100];  /* ErrorInfo.metadata.consumer: the project's number, or "" */
	int64_t retry_after; /* RetryInfo.retryDelay in seconds, -1 = absent */
};
/* Reads the body of an error; for HTML, empty and malformed bodies only the status is set. */
void gcp_refusal_read(const char *body, size_t len, long status, struct gcp_refusal *out);
/* The same from an object that has an "error". */
void gcp_refusal_of(const struct cJSON *body, long status, struct gcp_refusal *out);
/* Reports whether the reason is a rate limit. */
bool gcp_reason_is_rate(const char *reason);

#endif
