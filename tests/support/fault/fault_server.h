/* An HTTP server on loopback that misbehaves on request, in threads of this process.
 * Each request is answered by the first step that matches it and is not used up yet. */
#ifndef TPUCOST_TESTS_SUPPORT_FAULT_SERVER_H
#define TPUCOST_TESTS_SUPPORT_FAULT_SERVER_H

#include "base/base.h"

enum fault_how {
	FAULT_ANSWER,     /* status, headers, body with Content-Length */
	FAULT_RAW,        /* exactly `raw`, then close */
	FAULT_CLOSE,      /* read the request, close */
	FAULT_RESET,      /* read the request, send RST */
	FAULT_SILENT,     /* read the request, say nothing until the client gives up */
	FAULT_ENDLESS,    /* a chunked body without end */
	FAULT_BIG_GZIP,   /* 64 MiB of zeros in some 64 KiB of gzip */
	FAULT_BIG_HEAD,   /* 400 KB of header lines */
	FAULT_RENDEZVOUS, /* answer once `status` requests have come (others are under
			     way) */
};

struct fault_step {
	const char *match; /* begins "METHOD /target"; NULL = every request */
	int times;         /* 0 = for ever */
	enum fault_how how;
	int status;          /* 0 = 200 */
	const char *headers; /* "Name: value\r\n" ... or NULL */
	const char *body;    /* or NULL */
	const char *raw;
	size_t count;
};

struct fault_server; /* opaque */

struct fault_server *fault_start(const struct fault_step *steps, size_t n);
void fault_stop(struct fault_server *s);

const char *fault_base(const struct fault_server *s); /* "http://127.0.0.1:PORT" */
/* What came, in order of arrival: request line, header lines, blank line, body. NULL
 * when there is no such request. Lives as long as the server. */
const char *fault_request(struct fault_server *s, size_t i);
size_t fault_count(struct fault_server *s);
/* The same after `n` of them, at most 30 s later: a client that gives up can be faster than a busy
 * server. */
size_t fault_await(struct fault_server *s, size_t n);
size_t fault_connections(struct fault_server *s);
/* How many requests begin with `match`. */
size_t fault_count_of(struct fault_server *s, const char *match);

/* A loopback URL that nobody listens on. */
const char *fault_dead_url(char buf[64]);

#endif
