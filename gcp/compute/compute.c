#include "gcp/compute/compute.h"

#include "base/str.h"
#include "gcp/compute/aggregated.h"

#include <ctype.h>
#include <string.h>

#define MAX_CHIPS 1000000

/* ---- aggregated lists ------------------------------------------------------ */

bool gce_incomplete(const struct cJSON *holder)
{
	const struct cJSON *w = json_get(holder, "warning");

	return w && !str_eq(json_text(json_get(w, "code"), ""), "NO_RESULTS_ON_PAGE");
}

static enum err_code gce_read_scope(
	struct gcp_typed *t, const struct cJSON *member, struct err *e)
{
	struct gce_scope s = {.key = json_key(member)};
	const struct cJSON *items = json_get(member, t->kind->items);

	s.zone = str_starts(s.key, "zones/");
	if (!s.zone && !str_starts(s.key, "regions/") && !str_eq(s.key, "global"))
		return err_set(
			e, E_DATA, "scope '%.100s': neither a zone nor a region", s.key);
	s.location = strchr(s.key, '/') ? strchr(s.key, '/') + 1 : s.key;
	if (!gcp_name_valid(s.location))
		return err_set(e, E_DATA, "scope '%.100s': not a valid location", s.key);
	if (!json_is_object(member) || (items && !json_is_array(items)))
		return err_set(e, E_DATA, "scope '%s': malformed", s.key);
	if (gce_incomplete(member))
		gcp_typed_incomplete(t, s.key);
	JSON_EACH (j, items) {
		struct dec d = dec_begin(j, t->arena, e);

		d.scope = &s;
		if (gcp_typed_read(t, &d))
			return err_wrap(e, "%s", s.key);
	}
	return E_OK;
}

/* Every page lists all scopes that the caller may access, most with a warning why they are
 * empty. */
enum err_code gce_aggregated_page(
	struct gcp_typed *t, const struct cJSON *page, struct err *e)
{
	const struct cJSON *items = json_get(page, "items");
	const struct cJSON *missing = json_get(page, "unreachables");
	size_t named = t->named;

	if ((items && !json_is_object(items)) || (missing && !json_is_array(missing)))
		return err_set(e, E_DATA, "'items' or 'unreachables' is malformed");
	/* A page of another kind would look like an empty list. */
	if (!items && !json_get(page, "kind"))
		return err_set(e, E_DATA, "not an aggregated list");
	JSON_EACH (scope, items)
		if (gce_read_scope(t, scope, e) != E_OK)
			return e->code;
	if (gcp_typed_unreachable(t, missing, e))
		return e->code;
	/* A warning for the whole page, and the page names no location. */
	if (gce_incomplete(page) && t->named == named)
		gcp_typed_incomplete(t, GCP_EVERYWHERE);
	return E_OK;
}

/* ---- instances ----------------------------------------------------------- */

static void gce_read_attached(struct dec *d, void *item)
{
	struct gce_attached *out = item;

	out->source = dec_tail(d, "source");
	out->type = dec_text(d, "type");
	out->boot = dec_bool(d, "boot");
	out->auto_delete = dec_bool(d, "autoDelete");
	out->size_gb = dec_count(d, "diskSizeGb");
}

static void gce_read_accelerator(struct dec *d, void *item)
{
	struct gce_accelerator *out = item;

	out->type = dec_tail(d, "acceleratorType");
	out->count = dec_count(d, "acceleratorCount");
}

static void gce_read_ips(struct dec *d, struct gce_instance *out)
{
	const struct cJSON *nics = dec_array(d, "networkInterfaces");
	static const char *const own[] = {"networkIP", "ipv6Address"};
	size_t most = 1;

	JSON_EACH (nic, nics)
		most += json_len(json_get(nic, "accessConfigs"));
	out->external_ips = arena_alloc(d->a, most * sizeof(*out->external_ips));
	out->addresses = arena_alloc(
		d->a, (2 * json_len(nics) + 1) * sizeof(*out->addresses));
	JSON_EACH (nic, nics)
		for (size_t i = 0; i < ARRAY_LEN(own); i++)
			out->addresses[out->n_addresses++] = arena_strdup(
				d->a, json_text(json_get(nic, own[i]), ""));
	JSON_EACH (nic, nics)
		JSON_EACH (access, json_get(nic, "accessConfigs")) {
			const char *ip = json_text(json_get(access, "natIP"), "");

			if (*ip)
				out->external_ips[out->n_external_ips++] = arena_strdup(
					d->a, ip);
		}
}

static const char *gce_created_by(const struct dec *d)
{
	JSON_EACH (item, json_path(d->obj, "metadata", "items", NULL))
		if (str_eq(json_text(json_get(item, "key"), ""), "created-by"))
			return arena_strdup(d->a, json_text(json_get(item, "value"), ""));
	return "";
}

/* End of the present run: as Google computed it, as requested, or by the longest run since its start.
 * Compute REST reference, instances: scheduling and resourceStatus.scheduling. */
static ts_t gce_read_end(struct dec *d, struct dec *sched, ts_t started)
{
	struct dec status = dec_enter(d, "resourceStatus"),
		   computed = dec_enter(&status, "scheduling"),
		   longest = dec_enter(sched, "maxRunDuration");
	ts_t ends = dec_ts(&computed, "terminationTimestamp"),
	     asked = dec_ts(sched, "terminationTime");
	int64_t seconds = dec_count(&longest, "seconds");

	dec_leave(sched, &longest);
	dec_leave(&status, &computed);
	dec_leave(d, &status);
	if (ends != TS_NONE || asked != TS_NONE)
		return ends != TS_NONE ? ends : asked;
	return gcp_end_after(started, seconds);
}

/* Compute REST reference, instances: resourceStatus.reservationConsumptionInfo. */
static const char *gce_read_reservation(struct dec *d)
{
	struct dec status = dec_enter(d, "resourceStatus"),
		   use = dec_enter(&status, "reservationConsumptionInfo");
	const char *name = dec_text(&use, "consumedReservation");

	dec_leave(&status, &use);
	dec_leave(d, &status);
	return name;
}

static const char *gce_read_class(struct dec *sched)
{
	const char *class = gcp_class_ours(dec_text(sched, "provisioningModel"));

	if (dec_bool(sched, "preemptible"))
		return "spot";
	return *class ? class : "on-demand";
}

/* All members except the labels. */
static void gce_read_most(struct dec *d, const char *zone, struct gce_instance *out)
{
	struct dec sched = dec_enter(d, "scheduling");

	out->id = d->key = dec_id(d, "id", true);
	out->name = dec_name(d, "name");
	out->zone = arena_strdup(d->a, zone);
	out->machine_type = dec_tail(d, "machineType");
	out->status = dec_need(d, "status");
	out->created = dec_ts(d, "creationTimestamp");
	out->last_start = dec_ts(d, "lastStartTimestamp");
	out->last_stop = dec_ts(d, "lastStopTimestamp");
	out->last_suspended = dec_ts(d, "lastSuspendedTimestamp");
	out->labels = "{}";
	out->created_by = gce_created_by(d);
	out->reservation = gce_read_reservation(d);
	out->deletion_protection = dec_bool(d, "deletionProtection");
	sched.code = d->code;
	out->class = gce_read_class(&sched);
	out->deleted = str_ieq(dec_text(&sched, "instanceTerminationAction"), "delete");
	out->ends = gce_read_end(d, &sched, out->last_start);
	if (!dec_leave(d, &sched))
		err_wrap(d->e, "'%s': scheduling", out->name);
	out->disks = dec_each(
		d, "disks", sizeof(*out->disks), gce_read_attached, &out->n_disks);
	out->accelerators = dec_each(d, "guestAccelerators", sizeof(*out->accelerators),
		gce_read_accelerator, &out->n_accelerators);
	gce_read_ips(d, out);
}

enum err_code gce_instance_read(const struct cJSON *j, const char *zone, struct arena *a,
	struct gce_instance *out, struct err *e)
{
	struct dec d = dec_begin(j, a, e);

	gce_read_most(&d, zone, out);
	return d.code;
}

static void gce_read_instance(struct dec *d, void *item)
{
	struct gce_instance *out = item;

	gce_read_most(d, d->scope->location, out);
	out->labels = dec_labels(d, "labels");
}

const struct gcp_listing gce_instance_listing = {
	.what = "list Compute Engine instances",
	AGGREGATED("/projects/{}/aggregated/instances", "instances"),
	.size = sizeof(struct gce_instance),
	.read = gce_read_instance,
};

/* ---- managed instance groups --------------------------------------------- */

/* After ".../projects/P/". A group has one, or several versions. */
static const char *gce_read_template_path(struct dec *d)
{
	const char *url = dec_text(d, "instanceTemplate");
	const char *project, *path;

	if (!*url)
		url = json_text(
			json_get(json_first(dec_array(d, "versions")), "instanceTemplate"),
			"");
	project = strstr(url, "projects/");
	path = project ? strchr(project + strlen("projects/"), '/') : NULL;
	return path && gcp_name_valid(str_after_last(path, '/'))
		? arena_strdup(d->a, path + 1)
		: "";
}

/* Compute REST reference, regionInstanceGroupManagers: distributionPolicy. */
static const char *gce_read_place(struct dec *d, const struct gce_group *g)
{
	const struct cJSON *zones = json_path(d->obj, "distributionPolicy", "zones", NULL);
	const char *zone = json_len(zones) == 1
		? str_after_last(json_text(json_get(json_first(zones), "zone"), ""), '/')
		: "";

	return *g->zone                ? g->zone
		: gcp_name_valid(zone) ? arena_strdup(d->a, zone)
				       : g->region;
}

static void gce_read_group(struct dec *d, void *item)
{
	struct gce_group *out = item;
	struct dec policies = dec_enter(d, "resourcePolicies");

	out->policy = dec_tail(&policies, "workloadPolicy");
	dec_leave(d, &policies);
	out->id = d->key = dec_id(d, "id", true);
	out->name = dec_name(d, "name");
	out->zone = dec_tail(d, "zone");
	out->region = dec_tail(d, "region");
	out->target_size = dec_count(d, "targetSize");
	out->template = gce_read_template_path(d);
	out->place = gce_read_place(d, out);
	out->created = dec_ts(d, "creationTimestamp");
}

enum err_code gce_group_read(
	const struct cJSON *j, struct arena *a, struct gce_group *out, struct err *e)
{
	struct dec d = dec_begin(j, a, e);

	gce_read_group(&d, out);
	return d.code;
}

const struct gcp_listing gce_group_listing = {
	.what = "list managed instance groups",
	AGGREGATED(
		"/projects/{}/aggregated/instanceGroupManagers", "instanceGroupManagers"),
	.size = sizeof(struct gce_group),
	.read = gce_read_group,
};

static void gce_read_policy(struct dec *d, void *item)
{
	struct gce_policy *out = item;
	struct dec workload = dec_enter(d, "workloadPolicy");

	out->topology = dec_text(&workload, "acceleratorTopology");
	if (!str_product(out->topology, MAX_CHIPS))
		out->topology = "";
	dec_leave(d, &workload);
	out->id = d->key = dec_id(d, "id", true);
	out->name = dec_name(d, "name");
	out->region = arena_strdup(d->a, d->scope->location);
}

const struct gcp_listing gce_policy_listing = {
	.what = "list resource policies",
	AGGREGATED("/projects/{}/aggregated/resourcePolicies", "resourcePolicies"),
	.size = sizeof(struct gce_policy),
	.read = gce_read_policy,
};

/* Compute REST reference, globalOperations: aggregatedList. The filter is that of Google's sample "List preemption
 * history". */
static void gce_read_preemption(struct dec *d, void *item)
{
	struct gce_preemption *out = item;

	if (!str_eq(dec_text(d, "operationType"), "compute.instances.preempted"))
		return;
	out->id = d->key = dec_id(d, "id", true);
	out->target = dec_id(d, "targetId", true);
	out->at = dec_ts(d, "insertTime");
}

const struct gcp_listing gce_preemption_listing = {
	.what = "list preemptions",
	.api = GCP_COMPUTE,
	.path = "/projects/{}/aggregated/operations?returnPartialSuccess=true",
	.items = "operations",
	.param = "filter",
	.value = "operationType=\"compute.instances.preempted\"",
	.size_param = "maxResults",
	.page = gce_aggregated_page,
	.size = sizeof(struct gce_preemption),
	.read = gce_read_preemption,
};

/* Compute REST reference, instanceTemplates: properties. */
static void gce_read_template(struct dec *d, void *item)
{
	struct gce_template *out = item;
	struct dec properties = dec_enter(d, "properties"),
		   sched = dec_enter(&properties, "scheduling");

	out->name = d->key = dec_name(d, "name");
	out->class = gce_read_class(&sched);
	dec_leave(&properties, &sched);
	out->machine_type = dec_tail(&properties, "machineType");
	out->labels = dec_labels(&properties, "labels");
	dec_leave(d, &properties);
}

static const struct gcp_listing gce_template_listing = {
	.api = GCP_COMPUTE,
	.what = "get instance template",
	.path = "/projects/{}/global/instanceTemplates/{}",
	.object = true,
	.size = sizeof(struct gce_template),
	.read = gce_read_template,
};

static const struct gcp_listing gce_regional_template_listing = {
	.api = GCP_COMPUTE,
	.what = "get instance template",
	.path = "/projects/{}/regions/{}/instanceTemplates/{}",
	.object = true,
	.size = sizeof(struct gce_template),
	.read = gce_read_template,
};

enum err_code gce_template_start(struct gcp *g, const char *project, const char *path,
	struct arena *a, struct gce_template *out, struct err *e)
{
	const char *name = str_after_last(path, '/');
	bool regional = str_starts(path, "regions/");
	const char *region = regional ? path + strlen("regions/") : name;

	region = arena_strndup(a, region, strcspn(region, "/"));
	if (!gcp_name_valid(name) || !gcp_name_valid(region))
		return err_set(e, E_CONFIG, "instance template '%.60s' is malformed", path);
	return gcp_typed_start(regional
			? gcp_typed_new(&gce_regional_template_listing, g, project, a,
				  &out->r, project, region, name, NULL)
			: gcp_typed_new(&gce_template_listing, g, project, a, &out->r,
				  project, name, NULL),
		e);
}

/* Compute REST reference, instanceGroupManagerResizeRequests. */
static void gce_read_resize(struct dec *d, void *item)
{
	struct gce_resize *out = item;
	struct dec run = dec_enter(d, "requestedRunDuration");

	out->run_limit = dec_count(&run, "seconds");
	dec_leave(d, &run);
	out->id = d->key = dec_id(d, "id", true);
	out->name = dec_name(d, "name");
	out->state = dec_text(d, "state");
	out->error = dec_error(d, json_path(d->obj, "status", "error", NULL));
	if (!out->error)
		out->error = dec_error(
			d, json_path(d->obj, "status", "lastAttempt", "error", NULL));
	out->by = dec_count(d, "resizeBy");
	out->created = dec_ts(d, "creationTimestamp");
}

static const struct gcp_listing gce_resize_listing = {
	.api = GCP_COMPUTE,
	.what = "list resize requests",
	.path = "/projects/{}/zones/{}/instanceGroupManagers/{}/resizeRequests",
	.size_param = "maxResults",
	.items = "items",
	.page_is = "list of resize requests",
	.size = sizeof(struct gce_resize),
	.read = gce_read_resize,
};

enum err_code gce_resize_start(struct gcp *g, const char *project, const char *zone,
	const char *group, struct arena *a, struct gce_resizes *out, struct err *e)
{
	return gcp_typed_start(gcp_typed_new(&gce_resize_listing, g, project, a, &out->r,
				       project, zone, group, NULL),
		e);
}

/* ---- disks --------------------------------------------------------------- */

static void gce_read_disk(struct dec *d, void *item)
{
	struct gce_disk *out = item;
	const struct gce_scope *s = d->scope;

	out->id = d->key = dec_id(d, "id", true);
	out->name = dec_name(d, "name");
	out->zone = s->zone ? arena_strdup(d->a, s->location) : "";
	out->region = s->zone ? "" : arena_strdup(d->a, s->location);
	out->type = dec_tail(d, "type");
	out->size_gb = dec_count(d, "sizeGb");
	out->status = dec_text(d, "status");
	out->users = dec_tails(d, "users", &out->n_users);
	out->created = dec_ts(d, "creationTimestamp");
	out->labels = dec_labels(d, "labels");
}

const struct gcp_listing gce_disk_listing = {
	.what = "list Compute Engine disks",
	AGGREGATED("/projects/{}/aggregated/disks", "disks"),
	.size = sizeof(struct gce_disk),
	.read = gce_read_disk,
};

/* ---- addresses ----------------------------------------------------------- */

static void gce_read_address(struct dec *d, void *item)
{
	struct gce_address *out = item;

	out->id = d->key = dec_id(d, "id", true);
	out->name = dec_name(d, "name");
	out->type = dec_text(d, "addressType");
	out->status = dec_need(d, "status");
	out->region = arena_strdup(d->a, d->scope->location);
	out->users = dec_tails(d, "users", &out->n_users);
	out->created = dec_ts(d, "creationTimestamp");
	out->labels = dec_labels(d, "labels");
}

const struct gcp_listing gce_address_listing = {
	.what = "list Compute Engine addresses",
	AGGREGATED("/projects/{}/aggregated/addresses", "addresses"),
	.size = sizeof(struct gce_address),
	.read = gce_read_address,
};

/* ---- snapshots ----------------------------------------------------------- */

static void gce_read_places(struct dec *d, struct gce_snapshot *out)
{
	const struct cJSON *list = dec_array(d, "storageLocations");

	out->location = "";
	out->storage_locations = arena_alloc(
		d->a, (json_len(list) + 1) * sizeof(*out->storage_locations));
	JSON_EACH (j, list) {
		const char *place = json_text(j, "");

		if (!gcp_name_valid(place)) {
			dec_fail(d, "storageLocations", "an entry is not a location");
			return;
		}
		out->storage_locations[out->n_storage_locations++] = arena_strdup(
			d->a, place);
	}
	if (out->n_storage_locations)
		out->location = out->storage_locations[0];
}

static void gce_read_snapshot(struct dec *d, void *item)
{
	struct gce_snapshot *out = item;

	out->id = d->key = dec_id(d, "id", true);
	out->name = dec_name(d, "name");
	out->status = dec_text(d, "status");
	out->disk = dec_tail(d, "sourceDisk");
	out->type = dec_text(d, "snapshotType");
	out->storage_bytes = json_get(d->obj, "storageBytes") ? dec_count(d, "storageBytes")
							      : -1;
	out->created = dec_ts(d, "creationTimestamp");
	out->labels = dec_labels(d, "labels");
	gce_read_places(d, out);
}

static enum err_code gce_snapshot_page(
	struct gcp_typed *t, const struct cJSON *page, struct err *e)
{
	if (gce_incomplete(page))
		gcp_typed_incomplete(t, "global");
	return gcp_typed_page(t, page, e);
}

const struct gcp_listing gce_snapshot_listing = {
	.api = GCP_COMPUTE,
	.what = "list snapshots",
	.path = "/projects/{}/global/snapshots",
	.size_param = "maxResults",
	.items = "items",
	.page_is = "list of snapshots",
	.size = sizeof(struct gce_snapshot),
	.read = gce_read_snapshot,
	.page = gce_snapshot_page,
};

/* ---- buckets ------------------------------------------------------------- */

#define MIN_BUCKET 3
#define MAX_BUCKET 222 /* with dots; 63 without */

/* The API returns "EUROPE-WEST4" where the other APIs return "europe-west4". */
static const char *gcs_lower(struct arena *a, const char *s)
{
	char *copy = arena_strdup(a, s);

	for (char *p = copy; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return copy;
}

/* Lower-case letters, digits, hyphens, dots and underscores ("About Cloud Storage buckets"). They
 * become parts of ids and of suggested commands. */
static bool gcs_name_valid(const char *name)
{
	size_t n = strlen(name);

	return n >= MIN_BUCKET && n <= MAX_BUCKET &&
		strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == n;
}

static void gcs_read_bucket(struct dec *d, void *item)
{
	struct gcs_bucket *out = item;

	out->name = d->key = dec_need(d, "name");
	out->location = gcs_lower(d->a, dec_need(d, "location"));
	out->location_type = dec_text(d, "locationType");
	out->storage_class = dec_text(d, "storageClass");
	out->project_number = dec_id(d, "projectNumber", false);
	out->created = dec_ts(d, "timeCreated");
	out->labels = dec_labels(d, "labels");
	if (!gcs_name_valid(out->name))
		dec_fail(d, "name", "not a valid bucket name");
	if (!gcp_name_valid(out->location))
		dec_fail(d, "location", "not a valid location");
}

static enum err_code gcs_page(struct gcp_typed *t, const struct cJSON *page, struct err *e)
{
	struct dec d = dec_begin(page, t->arena, e);

	/* "projects/_/buckets/NAME": the location is unknown */
	if (json_first(dec_array(&d, "unreachable")))
		gcp_typed_incomplete(t, "buckets");
	return d.code != E_OK ? d.code : gcp_typed_page(t, page, e);
}

const struct gcp_listing gcs_bucket_listing = {
	.api = GCP_STORAGE,
	.what = "list buckets",
	.path = "/b",
	.param = "project",
	.size_param = "maxResults",
	.items = "items",
	.page_is = "list of buckets",
	.size = sizeof(struct gcs_bucket),
	.read = gcs_read_bucket,
	.page = gcs_page,
};

/* ---- machine types ------------------------------------------------------- */

static void gce_read_gpu(struct dec *d, struct gce_machine_type *out)
{
	const struct cJSON *gpu = json_first(dec_array(d, "accelerators"));
	struct dec one;

	out->gpu_type = "";
	if (d->code != E_OK || !gpu)
		return;
	one = dec_begin(gpu, d->a, d->e);
	out->gpu_type = dec_tail(&one, "guestAcceleratorType");
	out->gpu_count = dec_count(&one, "guestAcceleratorCount");
	if (one.code != E_OK)
		d->code = err_wrap(d->e, "'%s': accelerators[0]", out->name);
}

static void gce_read_type(struct dec *d, void *item)
{
	struct gce_machine_type *out = item;

	out->name = d->key = dec_name(d, "name");
	out->vcpus = dec_i64(d, "guestCpus");
	out->memory_mib = dec_i64(d, "memoryMb");
	out->shared_cpu = dec_bool(d, "isSharedCpu");
	gce_read_gpu(d, out);
	if (out->vcpus < 1)
		dec_fail(d, "guestCpus", "not positive");
	if (out->memory_mib < 1)
		dec_fail(d, "memoryMb", "not positive");
}

static const struct gcp_listing gce_type_listing = {
	.api = GCP_COMPUTE,
	.what = "get machine type",
	.path = "/projects/{}/zones/{}/machineTypes/{}",
	.object = true,
	.size = sizeof(struct gce_machine_type),
	.read = gce_read_type,
};

enum err_code gce_machine_type_start(struct gcp *g, const char *project, const char *zone,
	const char *name, struct arena *a, struct gce_machine_type *out, struct err *e)
{
	if (!gcp_name_valid(zone))
		return err_set(e, E_CONFIG, "zone '%.60s' is malformed", zone);
	if (!gcp_name_valid(name))
		return err_set(e, E_CONFIG, "name '%.60s' is malformed", name);
	return gcp_typed_start(gcp_typed_new(&gce_type_listing, g, project, a, &out->r,
				       project, zone, name, NULL),
		e);
}

/* ---- project ------------------------------------------------------------- */

#define SUFFIX "-compute@developer.gserviceaccount.com"
#define MAX_NUMBER 20 /* digits */

static const char *gce_number_of(const struct cJSON *j, struct arena *a)
{
	const char *account = json_text(json_get(j, "defaultServiceAccount"), "");
	size_t digits = strspn(account, "0123456789");

	if (!digits || digits > MAX_NUMBER || !str_eq(account + digits, SUFFIX))
		return "";
	return arena_strndup(a, account, digits);
}

enum err_code gce_project_number(struct gcp *g, const char *project, struct arena *a,
	const char **number, struct err *e)
{
	cleanup(gcp_call_free) struct gcp_call c;
	const char *name, *n;

	gcp_call_init(&c, g, GCP_COMPUTE, project, "get project");
	if (gcp_project_check(project, e))
		return e->code;
	gcp_url(g, &c.url, GCP_COMPUTE, "/projects/{}", project, NULL);
	if (gcp_call_do(&c, e))
		return e->code;
	name = json_text(json_get(c.json, "name"), "");
	n = gce_number_of(c.json, a);
	if (!str_eq(name, project) && !str_eq(n, project))
		return err_set(e, E_DATA, "%s: requested %.40s, received %.40s", c.what,
			project, name);
	*number = n;
	return E_OK;
}
