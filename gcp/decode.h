/* Reading one object of an answer into a struct. The first member that does not read
 * well is remembered and makes everything after it a no-op: check `code` once, at the
 * end. */
#ifndef TPUCOST_GCP_DECODE_H
#define TPUCOST_GCP_DECODE_H

#include "base/data/json.h"
#include "base/mem.h"

struct dec {
	const struct cJSON *obj;
	struct arena *a; /* texts are copied here */
	struct err *e;
	enum err_code code;
	const struct gce_scope *scope; /* where it was found (gcp/compute/compute.h) */
	const char *key;               /* for struct gcp_listing: what the reader found */
};

struct dec dec_begin(const struct cJSON *obj, struct arena *a, struct err *e);

/* Members; absent and null are "", false, 0, TS_NONE. A wrong type is E_DATA. */
const char *dec_text(struct dec *d, const char *key);
const char *dec_need(struct dec *d, const char *key); /* absent or "" is E_DATA */
const char *dec_tail(struct dec *d, const char *key); /* last segment of a URL or path */
const char *dec_name(struct dec *d, const char *key); /* required, a resource's name */
const char *dec_id(struct dec *d, const char *key, bool required); /* digits */
bool dec_bool(struct dec *d, const char *key);
int64_t dec_i64(struct dec *d, const char *key);
int64_t dec_count(struct dec *d, const char *key); /* of things, bytes: not below 0 */
ts_t dec_ts(struct dec *d, const char *key);       /* RFC 3339 with any offset */
/* A number, or the text of one; "Infinity" is how protocol buffers write it. False: it is neither. */
bool dec_double(const struct cJSON *j, double *out);
/* A map of text to text as compact JSON with sorted keys; "{}" when absent. */
const char *dec_labels(struct dec *d, const char *key);
struct dec_pair {
	const char *key, *value;
};
/* Such pairs as compact JSON; they get sorted. */
const char *dec_pairs_text(struct arena *a, struct dec_pair *v, size_t n);
/* Last segments of an array of URLs. */
const char **dec_tails(struct dec *d, const char *key, size_t *n);
/* The array or object under `key`, or NULL when absent. */
const struct cJSON *dec_array(struct dec *d, const char *key);
const struct cJSON *dec_object(struct dec *d, const char *key);
/* The object under `key`, or one without members when it is absent; and back with how it went.
 * False: it did not read well, and nothing had been wrong before. */
struct dec dec_enter(struct dec *d, const char *key);
bool dec_leave(struct dec *d, const struct dec *in);
/* The objects of the array under `key`, each read into one of *n structs of `size` bytes. */
void *dec_each(struct dec *d, const char *key, size_t size,
	void (*read)(struct dec *one, void *item), size_t *n);
/* Note an error of one's own. */
void dec_fail(struct dec *d, const char *key, const char *why);

#endif
