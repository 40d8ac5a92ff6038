/* HTTP client over libcurl: one multi handle, keep-alive, HTTP/2, gzip, a byte cap that
 * is enforced while receiving, timeouts, retries with full jitter, no redirects, https
 * only (plain http on loopback). Single thread.
 *
 * Requests are submitted and run together: a request's `done` may submit further ones
 * (the next page). At most `max_inflight` are on the wire at once. */
#ifndef TPUCOST_BASE_NET_HTTP_H
#define TPUCOST_BASE_NET_HTTP_H

#include "base/time/clock.h"
#include "base/err.h"
#include "base/sbuf.h"

#include <stdio.h>

#define HTTP_MAX_BODY (32u << 20)
#define HTTP_PACES 32

struct http; /* opaque client */

struct http_opts {
	const char *user_agent;
	const char *ca_file;     /* NULL = $SSL_CERT_FILE, or the system trust store */
	const char *proxy;       /* NULL = none; never taken from the environment */
	int max_inflight;        /* 0 = 32 */
	int max_per_host;        /* of these, to one host; 0 = no separate limit */
	long connect_timeout_ms; /* 0 = 10 s */
	long total_timeout_ms;   /* 0 = 60 s, of one attempt */
	long low_speed_s;        /* below 100 bytes a second for so long; 0 = 30 s */
	int max_attempts;        /* 0 = 5 */
	int64_t retry_budget_ms; /* 0 = 5 min, all attempts and waits of one request */
	unsigned seed;           /* jitter; 0 = from the clock */
	struct clock *clock;     /* required */
	/* For URLs that users choose (base/url/netguard.h): the address of each connection is
	 * checked when it is made, so it does not matter if a name resolves to another address
	 * later. Loopback only for URLs that name it. A configured proxy checks addresses
	 * itself. */
	bool guard;
};

/* Treatment of an answer or failure of one attempt. */
enum http_class {
	HTTP_FINAL, /* return it to the caller */
	HTTP_RETRY, /* wait and try again (429, 5xx, connection errors) */
	HTTP_RATE,  /* as RETRY; the server limits the rate */
};

struct http_req {
	/* set by the caller before http_submit; strings are copied */
	const char *method; /* "GET", "POST", "DELETE" */
	const char *url;
	const char *const *headers; /* "Name: value", NULL-terminated; may be NULL */
	const char *body;           /* NULL = none (POST then sends Content-Length: 0) */
	size_t body_len;
	/* Larger bodies: of a request (POST), `upload_size` bytes from the beginning of the file; of an answer 2xx, at most
	 * `max_download` bytes, which replace the content of the file. NULL = none. Borrowed until `done`. */
	FILE *upload, *download;
	int64_t upload_size, max_download;
	size_t max_body;       /* response cap; 0 = HTTP_MAX_BODY */
	long total_timeout_ms; /* 0 = the client's */
	/* Attempts of all requests with this number, up to HTTP_PACES, begin no more often than so many times a minute,
	 * except for those of five seconds that were saved up. 0 = no limit. */
	int pace, per_minute;
	bool idempotent;                 /* may be repeated after it may have arrived */
	int max_attempts;                /* 0 = the client's */
	const char *ca_file;             /* NULL = the client's */
	const char *username, *password; /* Basic authentication; NULL = none */
	bool allow_private; /* for a guarded client: permit private addresses, too */
	bool secret_url;    /* messages show only the host of the URL */
	/* The only host, exactly, that this request may use plain http with in addition to loopback (a
	 * cloud's metadata server); NULL = none. */
	const char *plain_http_host;
	/* Optional second check of a complete answer (for example a 403 whose body reports a rate
	 * limit). NULL = by status only: 408, 429, 500, 502, 503, 504 retry. It may set
	 * `retry_after` from the body. */
	enum http_class (*classify)(struct http_req *r);
	/* Called once, after the last attempt, from http_run. May submit or free requests,
	 * including this one. */
	void (*done)(struct http_req *r);
	void *ctx;

	/* filled in for `done` */
	enum err_code code; /* E_OK: an HTTP answer was received, with any status */
	struct err err;     /* E_NET, E_LIMIT, or E_UNCERTAIN for an unfinished write */
	long status;
	struct sbuf resp;
	char content_type[128];
	char metadata_flavor[32]; /* header Metadata-Flavor */
	char generation[32];      /* header X-Goog-Generation (Cloud Storage) */
	ts_t date;                /* header Date, TS_NONE if absent or unreadable */
	int64_t retry_after;      /* seconds that the server requests to wait, -1 = none */
	int attempts;

	struct http_priv *priv; /* owned by the client */
};

enum err_code http_new(
	const struct http_opts *opts, struct http **out, struct err *e) must_check;
void http_free(struct http *h);

/* Queue a request. The caller owns the struct, which must live until `done`. Refuses URLs that are
 * not https (or http on loopback), and header or URL text with control bytes. */
enum err_code http_submit(struct http *h, struct http_req *r, struct err *e) must_check;
/* Run until no request is queued or in progress. Must not be called from a `done`. */
enum err_code http_run(struct http *h, struct err *e) must_check;
/* One iteration without waiting: a caller with other work calls it from time to time, so that
 * http_run has less to do. Must not be called from a `done`. */
enum err_code http_turn(struct http *h, struct err *e) must_check;
/* Submit and run one request; its `done` is replaced. Returns r->code. */
enum err_code http_do(struct http *h, struct http_req *r, struct err *e) must_check;

void http_req_done(struct http_req *r); /* frees the response and private parts */

/* Seconds to wait from a Retry-After value ("7" or an HTTP date), limited to 1 s..15 min; -1 when
 * it is not valid (negative, text, "1e99"). */
int64_t http_retry_after(const char *value, ts_t now);
/* Class of an HTTP status without its body. */
enum http_class http_status_class(long status);
/* An HTTP date in the present form, "Sun, 06 Nov 1994 08:49:37 GMT". */
bool http_date_parse(const char *s, ts_t *out);
/* Is plain http permitted for this URL (127.0.0.0/8, ::1, localhost)? */
bool http_url_allowed(const char *url, struct err *e);

#endif
