#include "gcp/snapshot.h"

#include "base/str.h"
#include "gcp/decode.h"
#include "gcp/list.h"

#include <string.h>

/* ".../zones/us-central1-a/disks/d1" -> "us-central1-a"; "" for a regional disk. */
static const char *zone_of(struct arena *a, const char *disk)
{
	const char *at = strstr(disk, "/zones/");

	if (!at)
		return "";
	at += strlen("/zones/");
	return arena_strndup(a, at, strcspn(at, "/"));
}

static enum err_code put_snapshot(struct gcp_typed *t, const struct cJSON *j, struct err *e)
{
	struct gce_snapshot s = {0};
	struct dec d = dec_begin(j, t->arena, e);
	const struct cJSON *places = dec_array(&d, "storageLocations");

	s.id = dec_id(&d, "id", true);
	s.name = dec_name(&d, "name");
	s.status = dec_text(&d, "status");
	s.zone = zone_of(t->arena, dec_text(&d, "sourceDisk"));
	s.disk = dec_tail(&d, "sourceDisk");
	s.location = arena_strdup(t->arena, json_text(json_first(places), ""));
	s.type = dec_text(&d, "snapshotType");
	s.disk_size_gb = dec_i64(&d, "diskSizeGb");
	s.storage_bytes = dec_i64(&d, "storageBytes");
	s.automatic = dec_bool(&d, "autoCreated");
	s.created = dec_ts(&d, "creationTimestamp");
	s.labels = dec_labels(&d, "labels");
	if (d.code == E_OK && *s.location && !gcp_name_valid(s.location))
		dec_fail(&d, "storageLocations", "it is no location");
	if (d.code == E_OK && (s.disk_size_gb < 0 || s.storage_bytes < 0))
		dec_fail(&d, "storageBytes", "it is negative");
	if (d.code == E_OK)
		memcpy(gcp_typed_slot(t, s.id), &s, sizeof(s));
	return d.code;
}

static enum err_code on_page(struct gcp_list *l, const struct cJSON *page, struct err *e)
{
	struct gcp_typed *t = l->ctx;
	struct dec d = dec_begin(page, t->arena, e);
	const struct cJSON *items = dec_array(&d, "items");

	if (d.code == E_OK && !items && !json_get(page, "kind"))
		return err_set(e, E_DATA, "it is no list of snapshots");
	JSON_EACH (j, items)
		if (d.code == E_OK)
			d.code = put_snapshot(t, j, e);
	if (json_path(page, "warning", "code", NULL))
		gcp_typed_incomplete(t, "global");
	return d.code;
}

static void deliver(struct gcp_typed *t)
{
	struct gce_snapshots *out = (struct gce_snapshots *)t->result;

	out->v = t->items;
	out->n = t->n;
}

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

enum err_code gce_snapshots(struct gcp *g, const char *project, struct arena *a,
	struct gce_snapshots *out, struct err *e)
{
	struct gce_snapshots own = {0};
	enum err_code rc = gce_snapshots_start(g, project, a, &own, e);

	rc = gcp_typed_wait(g, rc, &own.r, e);
	if (rc == E_OK)
		*out = own;
	return rc;
}
