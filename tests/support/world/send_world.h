/* A letter on its way to a server that answers as a test wants. */
#ifndef TPUCOST_TESTS_SUPPORT_SEND_WORLD_H
#define TPUCOST_TESTS_SUPPORT_SEND_WORLD_H

#include "base/net/http.h"
#include "reports/channel.h"
#include "tests/support/fault/fault_server.h"
#include "tests/support/tempdir.h"

#define SEND_NOW INT64_C(1795237200) /* 2026-11-21T05:00:00Z */
#define SEND_PATH "/services/T0AB1CD2E/B0AB1CD2E/hunter2hunter2hunter2xyz"
#define SEND_ID "c0ffee00c0ffee00c0ffee00c0ffee00"

struct cJSON;

struct send_world {
	struct clock clock;
	struct http *http;
	struct fault_server *server;
	struct tempdir dir;
	char url[300], url_file[128], password_file[128], path[128];
	struct sender sender;
	struct channel channel; /* of `kind`, name "lab", url_file with SEND_PATH */
	struct letter letter;
	struct send_result result;
	struct cJSON *posted; /* of send_posted */
};

/* `more` may be NULL; the client is guarded in any case. */
void send_open(struct send_world *w, enum channel_kind kind, const struct http_opts *more,
	const struct fault_step *steps, size_t n);
void send_close(struct send_world *w);
void send_url(struct send_world *w, const char *url); /* another one for url_file */
/* Send it; checks that the result is whole and holds no secret; returns the class. */
enum send_class send_now(struct send_world *w);
/* The body of a request, which must be valid JSON. Until the next call. */
const struct cJSON *send_posted(struct send_world *w, size_t i);
const char *send_posted_text(struct send_world *w, size_t i); /* the same, as it came */

#endif
