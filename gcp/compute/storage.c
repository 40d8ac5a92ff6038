#include "gcp/compute/storage.h"

#include "base/url/url.h"
#include "gcp/decode.h"
#include "gcp/list.h"

#include <ctype.h>
#include <string.h>

#define MIN_NAME 3
#define MAX_NAME 222 /* with dots; 63 without */

/* The API says "EUROPE-WEST4" where all others say "europe-west4". */
static const char *lower(struct arena *a, const char *s)
{
	char *copy = arena_strdup(a, s);

	for (char *p = copy; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return copy;
}

/* Small letters, digits, dashes, dots and underscores ("About Cloud Storage buckets"). They
 * become parts of ids and of commands to run. */
static bool name_valid(const char *name)
{
	size_t n = strlen(name);

	return n >= MIN_NAME && n <= MAX_NAME &&
		strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == n;
}

static enum err_code put_bucket(struct gcp_typed *t, const struct cJSON *j, struct err *e)
{
	struct gcs_bucket b = {0};
	struct dec d = dec_begin(j, t->arena, e);

	b.name = dec_need(&d, "name");
	b.location = lower(t->arena, dec_need(&d, "location"));
	b.location_type = dec_text(&d, "locationType");
	b.storage_class = dec_text(&d, "storageClass");
	b.project_number = dec_id(&d, "projectNumber", false);
	b.created = dec_ts(&d, "timeCreated");
	b.labels = dec_labels(&d, "labels");
	if (d.code == E_OK && !name_valid(b.name))
		dec_fail(&d, "name", "it is no bucket name");
	if (d.code == E_OK && !gcp_name_valid(b.location))
		dec_fail(&d, "location", "it is no location");
	if (d.code == E_OK)
		memcpy(gcp_typed_slot(t, b.name), &b, sizeof(b));
	return d.code;
}

static enum err_code on_page(struct gcp_list *l, const struct cJSON *page, struct err *e)
{
	struct gcp_typed *t = l->ctx;
	struct dec d = dec_begin(page, t->arena, e);
	const struct cJSON *missing = dec_array(&d, "unreachable");

	/* "projects/_/buckets/NAME": which location that was, is not said */
	if (json_first(missing))
		gcp_typed_incomplete(t, "buckets");
	return d.code != E_OK
		? d.code
		: gcp_typed_page(l, page, "items", "list of buckets", put_bucket, e);
}

static GCP_DELIVER(deliver, struct gcs_buckets);

enum err_code gcs_buckets_start(struct gcp *g, const char *project, struct arena *a,
	struct gcs_buckets *out, struct err *e)
{
	struct gcp_typed *t = gcp_typed_new(g, GCP_STORAGE, project, "list buckets", a,
		&out->r, sizeof(struct gcs_bucket));

	gcp_url(g, &t->list.call.url, GCP_STORAGE, "/b", NULL);
	url_param(&t->list.call.url, "project", project);
	t->list.size_param = "maxResults";
	t->list.on_page = on_page;
	t->deliver = deliver;
	return gcp_typed_start(t, e);
}
