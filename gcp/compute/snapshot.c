#include "gcp/compute/snapshot.h"

#include "gcp/compute/aggregated.h"
#include "gcp/decode.h"

#include <string.h>

static void read_locations(struct dec *d, struct gce_snapshot *out)
{
	const struct cJSON *list = dec_array(d, "storageLocations");

	out->location = "";
	out->storage_locations = arena_alloc(
		d->a, (json_len(list) + 1) * sizeof(*out->storage_locations));
	JSON_EACH (j, list) {
		const char *place = json_text(j, "");

		if (!gcp_name_valid(place)) {
			dec_fail(d, "storageLocations", "an entry is no location");
			return;
		}
		out->storage_locations[out->n_storage_locations++] = arena_strdup(
			d->a, place);
	}
	if (out->n_storage_locations)
		out->location = out->storage_locations[0];
}

static enum err_code put_snapshot(struct gcp_typed *t, const struct cJSON *j, struct err *e)
{
	struct gce_snapshot s = {0};
	struct dec d = dec_begin(j, t->arena, e);

	s.id = dec_id(&d, "id", true);
	s.name = dec_name(&d, "name");
	s.status = dec_text(&d, "status");
	s.disk = dec_tail(&d, "sourceDisk");
	s.type = dec_text(&d, "snapshotType");
	s.storage_bytes = dec_count(&d, "storageBytes");
	s.created = dec_ts(&d, "creationTimestamp");
	s.labels = dec_labels(&d, "labels");
	read_locations(&d, &s);
	if (d.code == E_OK)
		memcpy(gcp_typed_slot(t, s.id), &s, sizeof(s));
	return d.code;
}

static enum err_code on_page(struct gcp_list *l, const struct cJSON *page, struct err *e)
{
	if (gce_incomplete(page))
		gcp_typed_incomplete(l->ctx, "global");
	return gcp_typed_page(l, page, "items", "list of snapshots", put_snapshot, e);
}

static GCP_DELIVER(deliver, struct gce_snapshots);

enum err_code gce_snapshots_start(struct gcp *g, const char *project, struct arena *a,
	struct gce_snapshots *out, struct err *e)
{
	struct gcp_typed *t = gcp_typed_new(g, GCP_COMPUTE, project, "list snapshots", a,
		&out->r, sizeof(struct gce_snapshot));

	gcp_url(g, &t->list.call.url, GCP_COMPUTE, "/projects/{}/global/snapshots", project,
		NULL);
	t->list.size_param = "maxResults";
	t->list.on_page = on_page;
	t->deliver = deliver;
	return gcp_typed_start(t, e);
}
