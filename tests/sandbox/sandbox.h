/* A fake Google Cloud on loopback: a world from a YAML file, Google's paths and shapes.
 * See tests/sandbox/README.md. Test program: what cannot be helped ends it. */
#ifndef TPUCOST_TESTS_SANDBOX_SANDBOX_H
#define TPUCOST_TESTS_SANDBOX_SANDBOX_H

#include "base/data/json.h"
#include "base/mem.h"
#include "base/money.h"
#include "cli/config/bind.h"

#include <regex.h>

/* What every project of a world belongs to. */
#define BILLING_ACCOUNT "01AB23-CD45EF-678901"
#define ORGANIZATION "8"
#define FOLDER "9"

struct project {
	const char *id, *number;
	const char *state;     /* ACTIVE, DELETE_REQUESTED */
	struct texts disabled; /* compute tpu bigquery */
};

struct instance {
	const char *project, *zone, *name, *type, *status, *labels, *id;
	ts_t created, started, stopped; /* stopped: 0 = never */
	const char *provisioning; /* "on-demand" "spot" "flex-start" "reserved" "new" */
	ts_t ends;                /* requested end; 0 = none */
	int64_t run_limit;        /* longest run, seconds; 0 = none */
	const char *at_end;       /* "stop" "delete" */
	bool spot, deletion_protection; /* spot: short for that provisioning */
	const char *created_by;         /* value of that metadata key */
	const char *startup_script;     /* another one */
	const char *reservation;        /* name of the one that it uses, in its zone */
	const char *internal_ip;
	const char *gpu;
	int64_t gpus, local_ssds; /* of 375 GB each */
};

/* A managed instance group: of a zone, or of a region with its machines in `zone`. */
struct vm_group {
	const char *project, *zone, *name, *id;
	bool regional;
	const char *type;     /* of its machines */
	const char *topology; /* of its workload policy, NAME-policy; NULL: it has none */
	const char *state;    /* STABLE, or RESIZING to 0 */
	int64_t target;       /* machines that it is to have */
	int64_t hosts;        /* machines that it has when the world is read */
	ts_t created;
	const char *provisioning;
	const char *labels;
	const char *reservation; /* that its machines use */
	const char
		*pool_topology; /* of a node pool without a policy; NULL: as `topology` */
	bool autoscaling; /* as a node pool of Kubernetes Engine, which its labels make it */
};

/* A request for machines of a group. */
struct resize_request {
	const char *project, *zone, *group, *name, *id;
	const char *state; /* as of the API */
	const char *error; /* of it or, while it waits, of its last attempt */
	int64_t by;
	int64_t run_limit;
	ts_t created;
};

/* A reservation, or a future reservation, as `kind` says. */
struct reservation {
	const char *project, *zone, *name, *id;
	const char *kind;   /* reservation, future-reservation, calendar */
	const char *status; /* as of the API */
	const char *type;   /* of its machines; of chips their family: "ct6e" */
	int64_t count, used;
	ts_t created, starts, ends; /* ends: 0: of a reservation, none is set */
	const char *commitment;     /* that it is a part of */
	struct texts made;          /* names of the reservations that it created */
};

/* An instance that Google ended. */
struct preemption {
	const char *project, *zone, *name, *target; /* target: its number */
	ts_t at;
};

/* A cost anomaly that Google found. */
struct anomaly {
	const char *project, *id, *severity, *scope;
	const char *currency;
	ts_t detected;            /* any time of its Pacific day */
	int64_t actual, expected; /* nanos */
	struct texts causes;      /* display names */
};

/* A dataset of BigQuery that has no tables of the export. */
struct dataset {
	const char *project, *name, *location;
	struct texts
		writers; /* e-mail addresses that its access list has; of a group: group-... */
};

struct disk {
	const char *project, *zone, *region, *name, *type, *labels, *id;
	int64_t size_gb;
	ts_t created;
	struct texts users;
	bool keep; /* stays when its machine is deleted */
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
	const char
		*provisioning; /* as of an instance; the API v2 states spot and reserved */
	bool spot, multislice;
	const char *topology;    /* NULL: the reply has none */
	const char *internal_ip; /* of its first host */
	struct texts data_disks; /* names, in its zone */
};

struct queued {
	const char *project, *zone, *name, *state, *type, *node;
	const char *error;        /* of a failed one */
	const char *provisioning; /* as of an instance; the API v2 states spot only */
	ts_t created, ends;       /* ends: of its nodes */
	int64_t run_limit;        /* of its nodes */
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
	const char *labels;           /* JSON object with sorted keys; NULL: none */
	const char *model, *model_id; /* consumption model; "Default" */
	ts_t from, until;
	int64_t every, lag; /* lag: from the end of usage to the load */
	int64_t usage, cost;
	int64_t list_cost, default_cost; /* at list prices, in the default model; as cost */
	int64_t copies;
	struct credit_line *credits;
	size_t n_credits;
};

struct fault {
	const char *match; /* "GET /compute/": beginning of method and path */
	const char *regex; /* extended, on method, path and query: "GET /x?a=b" */
	const char *how;   /* see fault.c; NULL: `body` or `status` */
	const char *body, *reason;
	int64_t status, times, skip, retry_after, delay_ms, ahead, bytes;
	int64_t seen;
};

/* A quota of a region, or of the project where no region is given. */
struct quota {
	const char *project, *region, *metric;
	int64_t limit, usage;
};

/* A limit of Cloud Quotas: of a zone or region, of a TPU family in it or anywhere, or the default of
 * the locations that are listed. */
struct limit {
	const char *project, *service, *quota, *metric, *zone, *region, *tpu_family;
	const char *value; /* "0" is sent as nothing at all, "-1" is unlimited */
	struct texts locations;
};

/* A line of the price list; `free` units a month cost nothing. */
struct sku {
	const char *service_id, *service, *id, *name, *group, *usage_type, *unit;
	struct texts regions;
	int64_t price; /* nanos of USD a unit */
	int64_t free;
};

/* A series of one value, a point every `every` seconds in [from, until). */
struct metric {
	const char *project, *type, *zone, *instance, *node, *worker, *value;
	const char *bucket; /* `zone` is its location */
	const char
		*remote; /* region of the other end of flows, "EXTERNAL", or another type */
	const char *quota, *tpu_family; /* of the usage of quotas; `zone` is its location */
	ts_t from, until;
	int64_t every;
	bool integer;
};

struct snapshot {
	const char *project, *name, *disk, *zone, *labels, *id;
	struct texts locations;
	int64_t size_gb, bytes;
	ts_t created;
};

struct bucket {
	const char *project, *name, *location, *location_type, *class, *labels;
	ts_t created;
};

/* In a bucket of this world. */
struct object {
	const char *name, *text; /* "BUCKET/NAME" */
	size_t len;              /* 0: of the text */
	int64_t generation;      /* 0: not asked for yet */
};

/* How operations go: done after so many looks or seconds, whichever comes first. */
struct op_script {
	int64_t looks, seconds;
	const char *error; /* the code they fail with */
	bool no_effect;    /* they say done and change nothing */
	bool stuck;        /* they never end */
};

struct operation;

/* What an account may do. One that has none of these may do everything. */
struct iam_grant {
	const char *member;       /* e-mail */
	const char *project;      /* id; NULL: in every one */
	struct texts permissions; /* "compute.instances.stop", "compute.*.list" */
};

struct world {
	const char *name;
	ts_t now; /* when it was read */
	struct project *projects;
	size_t n_projects;
	int64_t project_count; /* projects that were added */
	const char *
		project_template; /* whose resources each of them has; NULL: a machine each */
	int64_t project_active;   /* only the first of them have those; 0: all */
	int64_t asset_lag;        /* seconds after which the index shows a resource */
	struct texts zones;
	struct texts unreachable_compute, unreachable_tpu;
	struct instance *instances;
	size_t n_instances;
	struct vm_group *groups;
	size_t n_groups;
	struct resize_request *resize_requests;
	size_t n_resize_requests;
	struct reservation *reservations;
	size_t n_reservations;
	struct anomaly *anomalies;
	size_t n_anomalies;
	struct preemption *preemptions;
	size_t n_preemptions;
	struct dataset *datasets;
	size_t n_datasets;
	struct disk *disks;
	size_t n_disks;
	struct address *addresses;
	size_t n_addresses;
	struct node *nodes;
	size_t n_nodes;
	struct queued *queued;
	size_t n_queued;
	const char *instance_id; /* what the metadata server says; NULL: nothing */
	const char *table, *location, *currency;
	struct texts other_tables; /* of the export, no longer written to */
	int64_t rate;              /* units of currency in one USD, nanos; 0: none */
	bool standard, slow_jobs;
	int64_t page_rows; /* of a query result, whatever is asked; 0: as asked */
	struct billing_line *lines;
	size_t n_lines;
	struct quota *quotas;
	size_t n_quotas;
	struct limit *limits;
	size_t n_limits;
	struct sku *skus;
	size_t n_skus;
	struct metric *metrics;
	size_t n_metrics;
	struct snapshot *snapshots;
	size_t n_snapshots;
	struct bucket *buckets;
	size_t n_buckets;
	struct object *objects;
	size_t n_objects;
	int64_t n_generations;
	struct fault *faults;
	size_t n_faults;
	struct iam_grant *iam;
	size_t n_iam;
	struct op_script op_script;
	struct operation *ops; /* newest first */
	int64_t n_ops;
	struct arena arena;
};

/* Read a world; times in it are relative to `now`. */
enum err_code world_read(const char *text, size_t len, const char *file, ts_t now,
	struct world *out, struct err *e) must_check;
/* Change a world that is running: things are set, added or removed. */
enum err_code world_patch(
	const char *text, size_t len, ts_t now, struct world *w, struct err *e) must_check;
enum err_code faults_read(
	const char *text, size_t len, struct world *w, struct err *e) must_check;
/* What is wrong with a fault, or NULL (fault.c). */
const char *fault_problem(const struct fault *f);
void world_free(struct world *w);
/* "zones/Z/instanceGroupManagers/NAME", or of its region. */
const char *world_group_path(struct world *w, const struct vm_group *g);
const struct project *world_project(const struct world *w, const char *id);

/* ---- one request ---------------------------------------------------------------------------- */

struct request {
	struct world *w;
	const char *method, *path, *body;
	const char *query; /* "a=b&c=d", encoded; "" */
	size_t body_len;
	const char *authorization, *metadata_flavor;
	/* value of a query parameter, or NULL */
	const char *(*param)(const struct request *r, const char *name);
	void *connection;
	const char *account; /* e-mail of whose token it is; NULL: no token was needed */
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
	int64_t generation; /* of an object; 0: none */
	/* what only faults do */
	const char *encoding;      /* Content-Encoding */
	int64_t retry_after, more; /* more: bytes of filling behind the body */
	bool cut;                  /* the connection ends in the middle of the body */
	bool close;                /* and here before any of it */
};

/* An error body as Google writes it. */
void respond_error(struct response *r, int status, const char *reason, const char *message);
/* The same with an ErrorInfo, whose reason is in capitals. */
void respond_info(struct response *r, int status, const char *reason,
	const struct project *p, const char *service, const char *message);
void respond_disabled(struct response *r, const struct project *p, const char *service);
/* RFC 3339 with the offset of US Pacific standard time, as Compute sends it. */
void add_pacific(struct jw *w, const char *key, ts_t ts);
void add_utc(struct jw *w, const char *key, ts_t ts);
/* An error of the newer APIs (TPU): a canonical code such as "FAILED_PRECONDITION". */
void respond_rpc(struct response *r, int status, const char *word, const char *message);
/* Opaque to clients, and full of what needs encoding in a URL. Arena. */
const char *page_token(const struct request *q, size_t from);
/* The page that pageSize and pageToken ask for: items [*from, *to). False: it says why. */
bool page_read(const struct request *q, struct response *r, size_t *from, size_t *to);
bool page_token_read(const char *token, size_t *from);

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
void serve_metadata_zone(const struct request *q, struct response *r);
void serve_metadata_email(const struct request *q, struct response *r);
void serve_metadata_project(const struct request *q, struct response *r);
void serve_metadata_number(const struct request *q, struct response *r);
void serve_metadata_id(const struct request *q, struct response *r);
void serve_metadata_instance(const struct request *q, struct response *r);
void serve_metadata_universe(const struct request *q, struct response *r);
void serve_instances(const struct request *q, struct response *r);
void serve_disks(const struct request *q, struct response *r);
void serve_addresses(const struct request *q, struct response *r);
void serve_groups(const struct request *q, struct response *r);
void serve_policies(const struct request *q, struct response *r);
void serve_reservations(const struct request *q, struct response *r);
void serve_futures(const struct request *q, struct response *r);
void serve_node_pool(const struct request *q, struct response *r);
void serve_node_pool_size(const struct request *q, struct response *r);
void serve_container_operation(const struct request *q, struct response *r);
void serve_resize_requests(const struct request *q, struct response *r);
void serve_group_resize(const struct request *q, struct response *r);
void serve_group(const struct request *q, struct response *r);
void serve_policy(const struct request *q, struct response *r);
void serve_template(const struct request *q, struct response *r);
void serve_instance(const struct request *q, struct response *r);
void serve_machine_type(const struct request *q, struct response *r);
void serve_nodes(const struct request *q, struct response *r);
void serve_node(const struct request *q, struct response *r);
void serve_queued(const struct request *q, struct response *r);
void serve_locations(const struct request *q, struct response *r);
void serve_project(const struct request *q, struct response *r);
void serve_regions(const struct request *q, struct response *r);
void serve_region(const struct request *q, struct response *r);
void serve_zones(const struct request *q, struct response *r);
void serve_zone(const struct request *q, struct response *r);
void serve_machine_types(const struct request *q, struct response *r);
void serve_zone_instances(const struct request *q, struct response *r);
void serve_instance_delete(const struct request *q, struct response *r);
void serve_instance_verb(const struct request *q, struct response *r);
void serve_zone_disks(const struct request *q, struct response *r);
void serve_disk(const struct request *q, struct response *r);
void serve_zone_machine_types(const struct request *q, struct response *r);
void serve_region_addresses(const struct request *q, struct response *r);
void serve_address(const struct request *q, struct response *r);
void serve_operations(const struct request *q, struct response *r);
void serve_operation(const struct request *q, struct response *r);
void serve_operation_wait(const struct request *q, struct response *r);
void serve_location(const struct request *q, struct response *r);
void serve_accelerator_types(const struct request *q, struct response *r);
void serve_accelerator_type(const struct request *q, struct response *r);
void serve_node_verb(const struct request *q, struct response *r);
void serve_node_delete(const struct request *q, struct response *r);
void serve_queued_one(const struct request *q, struct response *r);
void serve_queued_delete(const struct request *q, struct response *r);
void serve_tpu_operations(const struct request *q, struct response *r);
void serve_tpu_operation(const struct request *q, struct response *r);
void serve_quota_infos(const struct request *q, struct response *r);
void serve_quota_info(const struct request *q, struct response *r);
void serve_consumer_quotas(const struct request *q, struct response *r);
void serve_services(const struct request *q, struct response *r);
void serve_skus(const struct request *q, struct response *r);
void serve_series(const struct request *q, struct response *r);
void serve_snapshots(const struct request *q, struct response *r);
void serve_buckets(const struct request *q, struct response *r);
void serve_object(const struct request *q, struct response *r);
void serve_object_write(const struct request *q, struct response *r);
void serve_bucket_permissions(const struct request *q, struct response *r);
void serve_access_token(const struct request *q, struct response *r);
void serve_test_permissions(const struct request *q, struct response *r);
void serve_billing_info(const struct request *q, struct response *r);
void serve_preemptions(const struct request *q, struct response *r);
void serve_anomalies(const struct request *q, struct response *r);
void serve_billing_account(const struct request *q, struct response *r);
void serve_billing_projects(const struct request *q, struct response *r);
void serve_search(const struct request *q, struct response *r);
/* Items [from, to) of those with these types (asset.c). */
void serve_assets(const struct request *q, struct response *r, const regex_t *types,
	size_t from, size_t to);
void serve_search_projects(const struct request *q, struct response *r);
void serve_datasets(const struct request *q, struct response *r);
void serve_dataset(const struct request *q, struct response *r);
void serve_tables(const struct request *q, struct response *r);
void serve_table(const struct request *q, struct response *r);
void serve_rows(const struct request *q, struct response *r);
void serve_query(const struct request *q, struct response *r);
void serve_results(const struct request *q, struct response *r);
void serve_upload(const struct request *q, struct response *r);
void serve_job(const struct request *q, struct response *r);
void serve_table_delete(const struct request *q, struct response *r);
void serve_table_patch(const struct request *q, struct response *r);
/* Of datasets of the world and tables that were loaded; false: it is not one (load.c). */
bool load_serve_dataset(const struct request *q, struct response *r);
bool load_serve_table(const struct request *q, struct response *r);
bool load_serve_rows(const struct request *q, struct response *r);

/* The number of "lab-042" or of its project number; 0: `project_count` did not add it (fleet.c). */
size_t fleet_number(const struct world *w, const char *project);
/* The world that a request asks about: of a project like `project_template`, only that one (fleet.c). */
struct world *fleet_world(const struct request *q);
/* The answer as the routes give it. */
void route(const struct request *asked, struct response *r);
/* A fault that is due for the request, counted as met; NULL: none (fault.c). */
const struct fault *fault_find(struct world *w, const struct request *q);
void fault_apply(const struct fault *f, const struct request *q, struct response *r);

/* Key and token keeping (oauth.c). */
extern const char sandbox_key_pem[]; /* RSA, private; build/gen/sandbox_key.c */
void oauth_make_key(const char *dir, const char *base_url, const struct world *w);
/* Whose token it is: an e-mail address, "" unknown. */
const char *oauth_token_of(const char *authorization);
bool oauth_token_valid(const char *authorization, ts_t now);
/* Whose token came with the request; NULL when it is none that holds. */
const char *oauth_account(const struct request *q);

/* May the account of the request have what it asks for? If not, Google's refusal (iam.c). */
bool iam_refuses(const struct request *q, struct response *r);

/* ---- shared ---------------------------------------------------------------------------------- */

struct jw;
/* {"projectId": .., "datasetId": .., "tableId": ..}; the last one where there is one. */
void dataset_reference(
	struct jw *w, const char *project, const char *dataset, const char *table);
/* Seconds that this table ("project.dataset.table") is behind the export; -1: there is none. */
int64_t table_age(const struct request *q, const char *name);
/* May whoever asks do that in the project? */
bool iam_may(const struct request *q, const char *project, const char *permission);

#endif
