/* Declarations shared by base/net/http.c (scheduling), base/net/http_curl.c (one attempt) and
 * base/net/smtp.c. */
#ifndef TPUCOST_BASE_NET_HTTP_INTERNAL_H
#define TPUCOST_BASE_NET_HTTP_INTERNAL_H

#include "base/net/http.h"

#include <curl/curl.h>

#define HTTP_MAX_HEADERS (64u << 10) /* all response headers of one attempt */

enum http_state { HTTP_IDLE, HTTP_WAITING, HTTP_ACTIVE };

/* One request inside the client. */
struct http_priv {
	struct http *h;
	struct http_req *r;
	struct http_priv *prev, *next; /* in order: the waiting ones as they came */
	enum http_state state;
	char *method, *url, *body, **headers, *plain_host, *host;
	char *ca_file, *username, *password; /* or NULL */
	size_t body_len;
	int64_t not_before_ms; /* WAITING: when the next attempt may start */
	int64_t first_ms;      /* when the first attempt started, -1 = not yet */

	/* of the current attempt */
	void *easy; /* CURL */
	void *slist;
	size_t header_bytes;
	bool body_over, headers_over;
	int64_t downloaded; /* bytes */
	bool refused;       /* by the guard: the last address that was tried */
	char retry_after[64];
	char errbuf[256]; /* CURL_ERROR_SIZE */
};

struct http {
	struct http_opts o;             /* defaults filled in, strings owned */
	void *multi;                    /* CURLM */
	struct http_priv *first, *last; /* requests that are waiting or active */
	int n_active;
	bool running;
	int64_t pace_ms[HTTP_PACES +
		1]; /* when the attempts so far would end, one after the other */
	uint64_t rng;
};

/* Failure of one attempt below HTTP. */
enum http_fault {
	FAULT_NONE,
	FAULT_CONNECT, /* nothing can have reached the server; temporary */
	FAULT_BROKEN,  /* timeout or reset later on; temporary */
	FAULT_FINAL,   /* nothing was sent; a retry would not help */
	FAULT_GARBLED, /* an answer that cannot be read; a retry would not help */
	FAULT_LIMIT,   /* a limit of tpucost was exceeded */
};

/* Prepare the attempt's easy handle (p->easy). */
enum err_code http_attempt_start(struct http_priv *p, struct err *e) must_check;
/* Finish an attempt that ended with this CURLcode: set r->status or r->err, and free the handle. */
enum http_fault http_attempt_end(struct http_priv *p, int rc);
void http_attempt_drop(struct http_priv *p);

/* Milliseconds before attempt number `attempt` (2 = the first repetition): full jitter
 * over 1 s x 2^n, at most 32 s. */
int64_t http_backoff_ms(int attempt, uint64_t *rng);

/* ---- any use of libcurl ---- */

/* Every option is required: the first failure to set one makes `c` unusable, and is in `rc`. */
#define SET(opt, value)                                           \
	do {                                                      \
		if (rc == CURLE_OK)                               \
			rc = curl_easy_setopt(c, (opt), (value)); \
	} while (0)

/* Set trusted authorities and proxy: nothing is taken from the environment. NULL: no proxy, the
 * system's authorities. */
CURLcode curl_set_trust(CURL *c, const char *proxy, const char *ca_file);
/* Text from libcurl or a server on one line, without control characters. */
void curl_one_line(char *s);

#endif
