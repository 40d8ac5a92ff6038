/* A fake Google Cloud on loopback: a world from a YAML file, Google's paths and shapes.
 * See tests/sandbox/README.md. Test program: what cannot be helped ends it. */
#ifndef TPUCOST_TESTS_SANDBOX_SANDBOX_H
#define TPUCOST_TESTS_SANDBOX_SANDBOX_H

#include "base/json.h"
#include "base/mem.h"
#include "base/money.h"
#include "cli/bind.h"

struct project {
	const char *id, *number;
	struct texts disabled; /* compute tpu bigquery */
};

struct instance {
	const char *project, *zone, *name, *type, *status, *labels, *id;
	ts_t created, started;
	bool spot, deletion_protection;
	const char *gpu;
	int64_t gpus;
};

struct disk {
	const char *project, *zone, *region, *name, *type, *labels, *id;
	int64_t size_gb;
	ts_t created;
	struct texts users;
};

struct address {
	const char *project, *region, *name, *address, *type, *status, *id;
	ts_t created;
	struct texts users;
};

struct node {
	const char *project, *zone, *name, *type, *state, *labels, *id, *queued;
	ts_t created;
	int64_t hosts;
	bool spot;
};

struct queued {
	const char *project, *zone, *name, *state, *type, *node;
	ts_t created;
	bool spot;
};

struct credit_line {
	const char *name, *type, *id;
	int64_t amount; /* nanos, negative */
};

/* A row of the export, or many alike: one every `every` seconds in [from, until). */
struct billing_line {
	const char *project, *service_id, *service, *sku_id, *sku, *location, *region,
		*zone;
	const char *resource, *global_name, *unit, *cost_type, *invoice;
	ts_t from, until;
	int64_t every, lag; /* lag: from the end of usage to the load */
	int64_t usage, cost;
	int64_t copies;
	struct credit_line *credits;
	size_t n_credits;
};

struct fault {
	const char *match; /* "GET /compute/": beginning of method and path */
	const char *how;   /* status close empty html truncate json */
	const char *body;
	int64_t status, times, skip, retry_after, delay_ms;
	int64_t seen;
};

struct world {
	const char *name;
	ts_t now; /* when it was read */
	struct project *projects;
	size_t n_projects;
	struct texts zones;
	struct texts unreachable_compute, unreachable_tpu;
	struct instance *instances;
	size_t n_instances;
	struct disk *disks;
	size_t n_disks;
	struct address *addresses;
	size_t n_addresses;
	struct node *nodes;
	size_t n_nodes;
	struct queued *queued;
	size_t n_queued;
	const char *table, *location, *currency;
	int64_t rate; /* units of currency in one USD, nanos; 0: none */
	bool standard, slow_jobs;
	struct billing_line *lines;
	size_t n_lines;
	struct fault *faults;
	size_t n_faults;
	struct arena arena;
};

/* Read a world; times in it are relative to `now`. */
enum err_code world_read(const char *text, size_t len, const char *file, ts_t now,
	struct world *out, struct err *e) must_check;
enum err_code faults_read(
	const char *text, size_t len, struct world *w, struct err *e) must_check;
void world_free(struct world *w);
const struct project *world_project(const struct world *w, const char *id);

/* ---- one request ---------------------------------------------------------------------------- */

struct request {
	struct world *w;
	const char *method, *path, *body;
	size_t body_len;
	const char *authorization, *metadata_flavor;
	/* value of a query parameter, or NULL */
	const char *(*param)(const struct request *r, const char *name);
	void *connection;
	ts_t now;
	/* path segments between slashes, percent-decoded */
	const char *seg[16];
	size_t n_seg;
	struct arena *a;
};

struct response {
	int status;
	const char *type;
	struct sbuf body;
	bool metadata_flavor;
};

/* An error body as Google writes it. */
void respond_error(struct response *r, int status, const char *reason, const char *message);
void respond_disabled(struct response *r, const struct project *p, const char *service);
/* RFC 3339 with the offset of US Pacific standard time, as Compute sends it. */
void add_pacific(struct jw *w, const char *key, ts_t ts);
void add_utc(struct jw *w, const char *key, ts_t ts);

struct route {
	const char *method;
	const char *path; /* segments, "*" matches one */
	void (*serve)(const struct request *q, struct response *r);
	bool open; /* needs no token */
};
extern const struct route routes[];
extern const size_t n_routes;

void serve_token(const struct request *q, struct response *r);
void serve_metadata_token(const struct request *q, struct response *r);
void serve_metadata_project(const struct request *q, struct response *r);
void serve_metadata_number(const struct request *q, struct response *r);
void serve_metadata_instance(const struct request *q, struct response *r);
void serve_metadata_universe(const struct request *q, struct response *r);
void serve_instances(const struct request *q, struct response *r);
void serve_disks(const struct request *q, struct response *r);
void serve_addresses(const struct request *q, struct response *r);
void serve_instance(const struct request *q, struct response *r);
void serve_machine_type(const struct request *q, struct response *r);
void serve_nodes(const struct request *q, struct response *r);
void serve_node(const struct request *q, struct response *r);
void serve_queued(const struct request *q, struct response *r);
void serve_locations(const struct request *q, struct response *r);
void serve_dataset(const struct request *q, struct response *r);
void serve_table(const struct request *q, struct response *r);
void serve_rows(const struct request *q, struct response *r);
void serve_query(const struct request *q, struct response *r);
void serve_results(const struct request *q, struct response *r);

/* Key and token keeping (oauth.c). */
void oauth_make_key(const char *dir, const char *base_url, const struct world *w);
bool oauth_token_valid(const char *authorization, ts_t now);

#endif
