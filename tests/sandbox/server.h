/* The running server: a world, a clock and a log, behind one lock. */
#ifndef TPUCOST_TESTS_SANDBOX_SERVER_H
#define TPUCOST_TESTS_SANDBOX_SERVER_H

#include "tests/sandbox/sandbox.h"

#include <pthread.h>
#include <stdio.h>

struct server {
	struct world world;
	FILE *log;
	struct sbuf log_text; /* the same for GET /_sandbox/log */
	int64_t n_requests;
	bool clock_stands; /* --now: at `clock`; else that much ahead of the machine's */
	int64_t clock;
	pthread_mutex_t lock;
};

ts_t server_now(const struct server *s);
/* One line of JSON; secrets are left out (reqlog.c). */
void log_request(struct server *s, const struct request *q, int status);
/* Answers what is below /_sandbox/ (control.c). */
bool control(struct server *s, const struct request *q, struct response *r);

#endif
