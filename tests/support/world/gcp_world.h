/* A client of Google's APIs, on a fake clock, against a fault server, with a service
 * account key made for the occasion. */
#ifndef TPUCOST_TESTS_SUPPORT_GCP_WORLD_H
#define TPUCOST_TESTS_SUPPORT_GCP_WORLD_H

#include "base/time/clock.h"
#include "base/net/http.h"
#include "base/mem.h"
#include "gcp/gcp.h"
#include "tests/support/fault/fault_server.h"

#define WORLD_NOW INT64_C(1795237200) /* 2026-11-21T05:00:00Z */
#define WORLD_EMAIL "tpucost@my-project.iam.gserviceaccount.com"
#define WORLD_TOKEN "{\"access_token\":\"ya29.first\",\"expires_in\":3599}"

struct gcp_world {
	struct clock clock;
	struct http *http;
	struct fault_server *s;
	struct gcp *g;
	struct arena a;
	struct err e;
	char dir[64];       /* private, removed at the end */
	char key_file[128]; /* in dir */
};

/* Everything but w->g: directory, key, environment without credentials, server. After
 * the steps given come some that give tokens. */
void world_open_bare(struct gcp_world *w, const struct fault_step *steps, size_t n);
/* And a client with the service account, all of its APIs at the server. */
void world_open(struct gcp_world *w, const struct fault_step *steps, size_t n);
void world_close(struct gcp_world *w);

/* Write a file of mode 0600 into the directory; returns its path (until the next call).
 */
const char *world_write(struct gcp_world *w, const char *name, const char *text);
/* The text of the key file, with `token_uri`. Heap. */
char *world_key_json(const char *token_uri);
/* PEM of the test key (made once per process), private or public. */
const char *world_private_pem(void);
const char *world_public_pem(void);

/* Seconds slept since the beginning. */
int64_t world_waited(const struct gcp_world *w);

#endif
