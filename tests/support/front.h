/* What stands between a client and a server on loopback: an end of TLS, a proxy, a line that
 * drips, or somebody who never answers. In threads of this process. */
#ifndef TPUCOST_TESTS_SUPPORT_FRONT_H
#define TPUCOST_TESTS_SUPPORT_FRONT_H

#include "base/base.h"
#include "tests/support/fault/certs.h"

enum front_how {
	FRONT_TLS,   /* ends TLS, and passes on to `to` */
	FRONT_H2,    /* ends TLS, and answers every request with `text` by HTTP/2 */
	FRONT_PROXY, /* passes every CONNECT on to `to`, wherever it was meant for */
	FRONT_DRIP,  /* passes on to `to`; answers come back byte by byte */
	FRONT_SAY,   /* reads a first line or so, says `text`, closes */
	FRONT_MUTE,  /* accepts connections and says nothing */
	FRONT_FULL,  /* its queue is full: no connection is ever made */
};

struct front_opts {
	enum front_how how;
	const char *to; /* base URL; "http://127.0.0.1:PORT" */
	const struct cert *cert;
	int max_version; /* TLS1_1_VERSION; 0: all */
	const char *text;
	size_t goaways; /* FRONT_H2: so many connections end with GOAWAY instead */
	long drip_ms;   /* between two bytes */
	size_t at_once; /* bytes that come before, without waiting */
};

struct front; /* opaque */

/* Strings and certificate stay the caller's until the end. */
struct front *front_start(const struct front_opts *o);
void front_stop(struct front *f);
const char *front_at(const struct front *f); /* "127.0.0.1:PORT" */
size_t front_connections(struct front *f);
size_t front_handshakes(struct front *f); /* of TLS, that the client agreed to */
/* What came first on the first connection, in the clear; "" when nothing did. */
const char *front_heard(struct front *f);

#endif
