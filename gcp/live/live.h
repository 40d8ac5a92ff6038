/* Live check of one machine before a stop: everything that may prevent the stop, and the data
 * needed to restore the machine.
 *
 * Compute REST reference, instances: get; Cloud TPU REST reference v2, nodes: get, queuedResources:
 * get. For a queued resource, the nodes that it created are read as well (nodes: list): they are
 * deleted with it, so their labels, addresses and managers count as its own. The same for a managed
 * instance group that is one TPU slice, and its machines (instanceGroupManagers: get, instances:
 * aggregatedList); a group that has and is to have no machine does not exist as a slice. For a node pool
 * of Kubernetes Engine, its group is read as well (Kubernetes Engine API v1, nodePools: get). */
#ifndef TPUCOST_GCP_LIVE_LIVE_H
#define TPUCOST_GCP_LIVE_LIVE_H

#include "gcp/gcp.h"

#define GCP_MAX_RECORD (64u << 10)

/* Texts are allocated from the arena. */
struct gcp_live {
	bool found; /* false: Google reports by name that the resource does not exist; nothing else
		     * is set */
	const char *uid; /* Google's number; "" for queued resources, which have none */
	const char *raw_state; /* as Google names it */
	const char *state;     /* as gcp_state_ours() names it */
	const char *type;      /* machine or accelerator type; "" if absent */
	ts_t created;          /* TS_NONE: absent */
	ts_t started;          /* instances only, else TS_NONE */
	const char *labels;    /* JSON object, keys sorted; NULL: malformed */
	bool deletion_protection;
	bool local_ssd;
	bool own_host;
	const char *managed_by; /* in words; NULL: none is known */
	int64_t hosts;          /* 0: absent */
	const char *queued;     /* the queued resource that created the node, "" */
	bool multislice;
	bool spot;
	bool flex_start;
	/* JSON: the response without metadata values and keys, limited in
	 * size */
	const char *record;
	/* command that starts it again after a stop; "": not possible */
	const char *restart;
	const char *recreate; /* command that creates a similar machine after a delete */
};

/* A response for another name, or a malformed one, is E_DATA: the state is then unknown. A 404 that
 * does not name the resource is E_HTTP: it may be about the project, the zone or a proxy. */
enum err_code gcp_live_get(struct gcp *g, const struct gcp_thing *t, struct arena *a,
	struct gcp_live *out, struct err *e) must_check;

/* ---- private to gcp/live/ ---------------------------------------------------------------------- */

struct cJSON;
struct gce_instance;

enum err_code live_read_vm(struct gcp *g, const struct gcp_thing *t, const struct cJSON *j,
	struct arena *a, struct gcp_live *out, struct err *e) must_check;
enum err_code live_read_group(struct gcp *g, const struct gcp_thing *t,
	const struct cJSON *j, struct arena *a, struct gcp_live *out,
	struct err *e) must_check;
enum err_code live_read_pool(struct gcp *g, const struct gcp_thing *t,
	const struct cJSON *j, struct arena *a, struct gcp_live *out,
	struct err *e) must_check;
enum err_code live_read_node(struct gcp *g, const struct gcp_thing *t,
	const struct cJSON *j, struct arena *a, struct gcp_live *out,
	struct err *e) must_check;
enum err_code live_read_queued(struct gcp *g, const struct gcp_thing *t,
	const struct cJSON *j, struct arena *a, struct gcp_live *out,
	struct err *e) must_check;

/* Is it the machine on which tpucost runs? */
bool live_vm_is_own_host(struct gcp *g, const struct gce_instance *vm);

/* Labels as JSON, "{}" if there are none; NULL if malformed. */
const char *live_labels(const struct cJSON *j, struct arena *a);
/* Manager of a machine with these labels (JSON object as above, or NULL) and this value of the
 * metadata key created-by ("" none), in words; NULL: none is known. */
const char *live_manager(const char *labels, const char *created_by, struct arena *a);
/* " --labels=a=b,c=d" of such an object, "" without labels. */
const char *live_labels_option(const char *labels, struct arena *a);
/* Appends " --NAME=VALUE", or nothing if the value is "". */
void live_add_option(struct sbuf *b, const char *name, const char *value);
/* "gcloud compute GROUP VERB NAME --project=P --zone=Z" */
const char *live_command(const struct gcp_thing *t, const char *verb, struct arena *a);

#endif
