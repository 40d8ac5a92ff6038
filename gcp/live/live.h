/* One look at one machine, for who is about to stop it: everything that may keep it from being
 * stopped, and what is needed to bring it back.
 *
 * Compute REST reference, instances: get; Cloud TPU REST reference v2, nodes: get,
 * queuedResources: get. Of a queued resource the nodes that it made are looked at too (nodes: list):
 * they go with it, so their labels, addresses and managers count as its own. */
#ifndef TPUCOST_GCP_LIVE_LIVE_H
#define TPUCOST_GCP_LIVE_LIVE_H

#include "gcp/thing.h"

#define GCP_MAX_RECORD (64u << 10)

/* Texts are the arena's. */
struct gcp_live {
	bool found; /* false: Google says by name that there is no such thing; nothing else is set */
	const char *uid; /* Google's number; "" of queued resources, which have none */
	const char *raw_state; /* Google's word */
	const char *state;     /* ours, as gcp_state_ours() */
	const char *type;      /* machine or accelerator type; "" unsaid */
	ts_t created;          /* TS_NONE: unsaid */
	ts_t started;          /* instances only, else TS_NONE */
	const char *labels;    /* JSON object, keys sorted; NULL: they do not read well */
	bool deletion_protection;
	bool local_ssd;
	bool own_host;
	const char *managed_by; /* in words; NULL: by nobody that is known */
	int64_t hosts;          /* 0: unsaid */
	const char *queued;     /* the queued resource that made the node, "" */
	bool multislice;
	bool spot;
	bool flex_start;
	const char *record;  /* JSON: the answer without metadata values and keys, capped */
	const char *restart; /* command that starts it again after a stop; "": cannot be */
	const char *recreate; /* command that makes one like it after a delete */
};

/* An answer that is not of that name, or does not read well, is E_DATA: nothing is known then. A
 * 404 that does not name the thing is E_HTTP: it may be about the project, the zone or a proxy. */
enum err_code gcp_live_get(struct gcp *g, const struct gcp_thing *t, struct arena *a,
	struct gcp_live *out, struct err *e) must_check;

/* ---- between gcp/live*.c only ------------------------------------------------------------------ */

struct cJSON;

enum err_code live_read_vm(struct gcp *g, const struct gcp_thing *t, const struct cJSON *j,
	struct arena *a, struct gcp_live *out, struct err *e) must_check;
enum err_code live_read_node(struct gcp *g, const struct gcp_thing *t,
	const struct cJSON *j, struct arena *a, struct gcp_live *out,
	struct err *e) must_check;
enum err_code live_read_queued(struct gcp *g, const struct gcp_thing *t,
	const struct cJSON *j, struct arena *a, struct gcp_live *out,
	struct err *e) must_check;

/* Labels as JSON, "{}" when there are none; NULL when they do not read well. */
const char *live_labels(const struct cJSON *j, struct arena *a);
/* Who owns a machine with these labels (JSON object as above, or NULL) and this value of the
 * metadata key created-by ("" none), in words; NULL: nobody that is known. */
const char *live_manager(const char *labels, const char *created_by, struct arena *a);
/* " --labels=a=b,c=d" of such an object, "" of none. */
const char *live_labels_option(const char *labels, struct arena *a);
/* "gcloud compute GROUP VERB NAME --project=P --zone=Z" */
const char *live_command(const struct gcp_thing *t, const char *verb, struct arena *a);

#endif
