/* After the JSON API of Cloud Storage v1: objects.get with alt=media, objects.insert with uploadType=media,
 * buckets.testIamPermissions. */
#include "gcp/storage.h"

#include "base/str.h"
#include "base/url/url.h"
#include "gcp/call.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define QUICK_MS 5000L
#define FILE_MS 1500000L /* of one attempt; one that transfers nothing ends earlier */

static void storage_begin(struct gcp_call *c, struct gcp *g, const struct gcs_object *o,
	bool write, const char *what)
{
	gcp_call_init(c, g, write ? GCP_STORAGE_UPLOAD : GCP_STORAGE, NULL, what);
	c->write = write;
	c->method = write ? "POST" : "GET";
	c->grant_group = "storage buckets";
	c->grant_name = o->bucket;
	c->role = "roles/storage.objectUser";
	if (write)
		gcp_url(g, &c->url, c->api, "/b/{}/o", o->bucket, NULL);
	else
		gcp_url(g, &c->url, c->api, "/b/{}/o/{}", o->bucket, o->name, NULL);
	if (write) {
		url_param(&c->url, "uploadType", "media");
		url_param(&c->url, "name", o->name);
	}
}

static void storage_quick(struct gcp_call *c)
{
	c->timeout_ms = QUICK_MS;
	c->max_attempts = 1;
}

static enum err_code storage_generation(
	const struct gcp_call *c, const char *text, int64_t *out, struct err *e)
{
	if (str_to_i64(text, 1, INT64_MAX, out))
		return E_OK;
	return err_set(e, c->write ? E_UNCERTAIN : E_DATA,
		"%s: the response has no generation", c->what);
}

/* A missing bucket is not a missing object: its name is wrong. */
static enum err_code storage_call(struct gcp_call *c, struct err *e)
{
	if (gcp_call_do(c, e) == E_NOTFOUND && strstr(e->msg, "bucket does not exist")) {
		e->code = E_CONFIG;
		err_fix(e,
			"create it or correct its name: gcloud storage buckets create "
			"gs://%s",
			c->grant_name);
	}
	return e->code;
}

static enum err_code storage_get(struct gcp_call *c, int64_t *generation, struct err *e)
{
	url_param(&c->url, "alt", "media");
	return storage_call(c, e) ? e->code
				  : storage_generation(c, c->req.generation, generation, e);
}

/* Sends the write. Repeated ones cannot do harm: the second one fails on the condition. */
static enum err_code storage_put(
	struct gcp_call *c, int64_t generation, int64_t *written, struct err *e)
{
	char text[24];
	int64_t ignored;

	snprintf(text, sizeof(text), "%" PRId64, generation);
	if (generation >= 0)
		url_param(&c->url, "ifGenerationMatch", text);
	return storage_call(c, e)
		? e->code
		: storage_generation(c, json_text(json_get(c->json, "generation"), ""),
			  written ? written : &ignored, e);
}

enum err_code gcs_read(struct gcp *g, const struct gcs_object *o, size_t max,
	struct arena *a, const char **text, int64_t *generation, struct err *e)
{
	struct gcp_call c;
	enum err_code rc;

	storage_begin(&c, g, o, false, "read object");
	storage_quick(&c);
	c.max_body = max;
	c.text = true;
	rc = storage_get(&c, generation, e);
	if (!rc)
		*text = arena_strndup(a, c.req.resp.s, c.req.resp.len);
	gcp_call_free(&c);
	return rc;
}

enum err_code gcs_stat(
	struct gcp *g, const struct gcs_object *o, int64_t *generation, struct err *e)
{
	struct gcp_call c;
	enum err_code rc;

	storage_begin(&c, g, o, false, "read metadata of object");
	rc = storage_call(&c, e);
	if (!rc)
		rc = storage_generation(
			&c, json_text(json_get(c.json, "generation"), ""), generation, e);
	gcp_call_free(&c);
	return rc;
}

enum err_code gcs_write(struct gcp *g, const struct gcs_object *o, const char *text,
	int64_t generation, int64_t *written, struct err *e)
{
	struct gcp_call c;
	enum err_code rc;

	storage_begin(&c, g, o, true, "write object");
	storage_quick(&c);
	c.body = text;
	rc = storage_put(&c, generation, written, e);
	gcp_call_free(&c);
	return rc;
}

enum err_code gcs_upload(struct gcp *g, const struct gcs_object *o, FILE *file,
	int64_t size, int64_t generation, int64_t *written, struct err *e)
{
	struct gcp_call c;
	enum err_code rc;

	storage_begin(&c, g, o, true, "upload object");
	c.timeout_ms = FILE_MS;
	c.upload = file;
	c.upload_size = size;
	rc = storage_put(&c, generation, written, e);
	gcp_call_free(&c);
	return rc;
}

enum err_code gcs_download(struct gcp *g, const struct gcs_object *o, FILE *file,
	int64_t max, int64_t *generation, struct err *e)
{
	struct gcp_call c;
	enum err_code rc;

	storage_begin(&c, g, o, false, "download object");
	c.timeout_ms = FILE_MS;
	c.download = file;
	c.max_download = max;
	rc = storage_get(&c, generation, e);
	gcp_call_free(&c);
	return rc;
}

enum err_code gcs_test(struct gcp *g, const char *bucket, const char *const *permissions,
	size_t n, bool *has, struct err *e)
{
	struct gcp_call c;
	enum err_code rc;

	gcp_call_init(&c, g, GCP_STORAGE, NULL, "test permissions of bucket");
	c.grant_group = "storage buckets";
	c.grant_name = bucket;
	c.role = "roles/storage.objectUser";
	gcp_url(g, &c.url, GCP_STORAGE, "/b/{}/iam/testPermissions", bucket, NULL);
	for (size_t i = 0; i < n; i++) {
		url_param(&c.url, "permissions", permissions[i]);
		has[i] = false;
	}
	rc = storage_call(&c, e);
	JSON_EACH (x, json_get(c.json, "permissions"))
		for (size_t i = 0; i < n; i++)
			has[i] = has[i] || str_eq(json_text(x, ""), permissions[i]);
	gcp_call_free(&c);
	return rc;
}
