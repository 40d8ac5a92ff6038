/* Objects of Cloud Storage, written under a condition on their generation: each write gives an object another one, and of
 * two writers with the same condition one fails. Objects are read as they were last written, without delay (Cloud Storage
 * documentation, "Request preconditions" and "Consistency"). */
#ifndef TPUCOST_GCP_STORAGE_H
#define TPUCOST_GCP_STORAGE_H

#include "gcp/gcp.h"

struct cJSON;

struct gcs_object {
	const char *bucket, *name;
};

/* Text of a small object of at most `max` bytes, and its generation. E_NOTFOUND: the bucket has no such object, or does not
 * exist. One attempt of a few seconds. */
enum err_code gcs_read(struct gcp *g, const struct gcs_object *o, size_t max,
	struct arena *a, const char **text, int64_t *generation, struct err *e) must_check;
enum err_code gcs_stat(struct gcp *g, const struct gcs_object *o, int64_t *generation,
	struct err *e) must_check;
/* Writes it if it has that generation; 0: if it does not exist. *written (or NULL): its new generation. E_CONFLICT: it has
 * another one. E_UNCERTAIN: it may have been written. One attempt of a few seconds. */
enum err_code gcs_write(struct gcp *g, const struct gcs_object *o, const char *text,
	int64_t generation, int64_t *written, struct err *e) must_check;

/* The same for files; with the attempts of the client. `generation` < 0: without a condition. */
enum err_code gcs_upload(struct gcp *g, const struct gcs_object *o, FILE *file,
	int64_t size, int64_t generation, int64_t *written, struct err *e) must_check;
enum err_code gcs_download(struct gcp *g, const struct gcs_object *o, FILE *file,
	int64_t max, int64_t *generation, struct err *e) must_check;

/* Tests these permissions of the credentials on the bucket. Changes nothing. */
enum err_code gcs_test(struct gcp *g, const char *bucket, const char *const *permissions,
	size_t n, bool *has, struct err *e) must_check;

#endif
