/* Reads one object of a response into a struct. The first malformed member is recorded and turns
 * all later calls into no-ops: check `code` once, at the end. */
#ifndef TPUCOST_GCP_DECODE_H
#define TPUCOST_GCP_DECODE_H

#include "base/data/json.h"
#include "base/mem.h"

struct dec {
	const struct cJSON *obj;
	struct arena *a; /* receives copies of the texts */
	struct err *e;
	enum err_code code;
	const struct gce_scope
		*scope;  /* location of the object (gcp/compute/aggregated.h) */
	const char *key; /* for struct gcp_listing: result of the reader */
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
int64_t dec_count(struct dec *d, const char *key);   /* counts and bytes: not negative */
ts_t dec_ts(struct dec *d, const char *key);         /* RFC 3339 with any offset */
int64_t dec_seconds(struct dec *d, const char *key); /* whole seconds of "86400s", "1.5s" */
/* A number, or its text; "Infinity" is the form of protocol buffers. False: neither. */
bool dec_double(const struct cJSON *j, double *out);
/* The google.type.Money that the object is, in nanos: units and nanos of the same sign, either is omitted if
 * it is 0. A currency is omitted only with both. */
int64_t dec_money(struct dec *d, const char *currency);
/* A map of text to text as compact JSON with sorted keys; "{}" if absent. */
const char *dec_labels(struct dec *d, const char *key);
struct dec_pair {
	const char *key, *value;
};
/* Such pairs as compact JSON; sorts them. */
const char *dec_pairs_text(struct arena *a, struct dec_pair *v, size_t n);
/* Last segments of an array of URLs. */
const char **dec_tails(struct dec *d, const char *key, size_t *n);
/* The array or object under `key`, or NULL if absent. */
const struct cJSON *dec_array(struct dec *d, const char *key);
const struct cJSON *dec_object(struct dec *d, const char *key);
/* The object under `key`, or one without members if it is absent; the second function returns to
 * the outer object with the result. False: it is malformed, and no error was recorded before. */
struct dec dec_enter(struct dec *d, const char *key);
bool dec_leave(struct dec *d, const struct dec *in);
/* "CODE: message" of a google.rpc.Status, or of the first one of the `errors` of Compute Engine; NULL: there is
 * none. It is only shown, so a malformed one is none. Allocated from the arena. */
const char *dec_error(struct dec *d, const struct cJSON *error);
/* The objects of the array under `key`, each read into one of *n structs of `size` bytes. */
void *dec_each(struct dec *d, const char *key, size_t size,
	void (*read)(struct dec *one, void *item), size_t *n);
/* Records an error of the caller. */
void dec_fail(struct dec *d, const char *key, const char *why);

#endif
