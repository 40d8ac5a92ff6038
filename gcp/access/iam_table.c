/* Permissions that tpucost needs, by API call. */
#include "gcp/access/iam.h"

#include "base/str.h"

#define COMPUTE "roles/compute.viewer"
#define TPU "roles/tpu.viewer"
#define BILLING "roles/billing.viewer"

const struct iam_use iam_uses[] = {
	{IAM_READER, "compute.instances.list", IAM_ON_PROJECT, "GET",
		"/projects/{}/aggregated/instances", COMPUTE, true},
	{IAM_READER, "compute.disks.list", IAM_ON_PROJECT, "GET",
		"/projects/{}/aggregated/disks", COMPUTE, true},
	{IAM_READER, "compute.addresses.list", IAM_ON_PROJECT, "GET",
		"/projects/{}/aggregated/addresses", COMPUTE, true},
	{IAM_READER, "compute.instanceGroupManagers.list", IAM_ON_PROJECT, "GET",
		"/projects/{}/aggregated/instanceGroupManagers", COMPUTE, false},
	{IAM_READER, "compute.instanceGroupManagers.get", IAM_ON_PROJECT, "GET",
		"/projects/{}/zones/{}/instanceGroupManagers/{}/resizeRequests", COMPUTE,
		false},
	{IAM_READER, "compute.instanceTemplates.get", IAM_ON_PROJECT, "GET",
		"/projects/{}/global/instanceTemplates/{}", COMPUTE, false},
	{IAM_READER, "compute.instanceTemplates.get", IAM_ON_PROJECT, "GET",
		"/projects/{}/regions/{}/instanceTemplates/{}", COMPUTE, false},
	{IAM_READER, "container.clusters.get", IAM_ON_PROJECT, "GET",
		"/projects/{}/locations/{}/clusters/{}/nodePools/{}",
		"roles/container.clusterViewer", false},
	{IAM_READER, "compute.resourcePolicies.list", IAM_ON_PROJECT, "GET",
		"/projects/{}/aggregated/resourcePolicies", COMPUTE, false},
	{IAM_READER, "compute.reservations.list", IAM_ON_PROJECT, "GET",
		"/projects/{}/aggregated/reservations", COMPUTE, false},
	{IAM_READER, "compute.futureReservations.list", IAM_ON_PROJECT, "GET",
		"/projects/{}/aggregated/futureReservations", COMPUTE, false},
	{IAM_READER, "compute.globalOperations.list", IAM_ON_PROJECT, "GET",
		"/projects/{}/aggregated/operations", COMPUTE, false},
	{IAM_READER, "compute.snapshots.list", IAM_ON_PROJECT, "GET",
		"/projects/{}/global/snapshots", COMPUTE, false},
	{IAM_READER, "compute.machineTypes.get", IAM_ON_PROJECT, "GET",
		"/projects/{}/zones/{}/machineTypes/{}", COMPUTE, false},
	{IAM_READER, "compute.projects.get", IAM_ON_PROJECT, "GET", "/projects/{}", COMPUTE,
		false},
	{IAM_READER, "compute.regions.list", IAM_ON_PROJECT, "GET", "/projects/{}/regions",
		COMPUTE, false},
	{IAM_READER, "tpu.locations.list", IAM_ON_PROJECT, "GET", "/projects/{}/locations",
		TPU, true},
	{IAM_READER, "tpu.nodes.list", IAM_ON_PROJECT, "GET",
		"/projects/{}/locations/{}/nodes", TPU, true},
	{IAM_READER, "tpu.nodes.list", IAM_ON_PROJECT, "GET",
		"/projects/{}/locations/{}/queuedResources", TPU, true},
	{IAM_READER, "cloudquotas.quotas.get", IAM_ON_PROJECT, "GET",
		"/projects/{}/locations/global/services/{}/quotaInfos",
		"roles/cloudquotas.viewer", false},
	{IAM_READER, "serviceusage.quotas.get", IAM_ON_PROJECT, "GET",
		"/projects/{}/services/{}/consumerQuotaMetrics",
		"roles/serviceusage.serviceUsageConsumer", false},
	{IAM_READER, "monitoring.timeSeries.list", IAM_ON_PROJECT, "GET",
		"/projects/{}/timeSeries", "roles/monitoring.viewer", false},
	{IAM_READER, "storage.buckets.list", IAM_ON_PROJECT, "GET", "/b",
		"roles/storage.bucketViewer", false},
	{IAM_READER, "resourcemanager.projects.get", IAM_ON_PROJECT, "GET",
		"/projects/{}/billingInfo", "roles/browser", false},
	{IAM_READER, "billing.anomalies.list", IAM_ON_MORE, "GET", "/projects/{}/anomalies",
		NULL, false},
	{IAM_READER, "bigquery.jobs.create", IAM_ON_TABLE_PROJECT, "POST",
		"/projects/{}/queries", "roles/bigquery.jobUser", true},
	{IAM_READER, "", IAM_ON_NOTHING, "GET", "/projects/{}/queries/{}", NULL, false},
	{IAM_READER, "", IAM_ON_NOTHING, "POST", "/projects/{}/jobs/{}/cancel", NULL,
		false},
	{IAM_READER, "bigquery.tables.get", IAM_ON_TABLE, "GET",
		"/projects/{}/datasets/{}/tables/{}", "roles/bigquery.dataViewer", true},
	{IAM_READER, "bigquery.tables.getData", IAM_ON_TABLE, "POST",
		"/projects/{}/queries", "roles/bigquery.dataViewer", true},
	{IAM_READER, "bigquery.jobs.create", IAM_ON_PUBLISH_PROJECT, "POST",
		"/projects/{}/jobs", "roles/bigquery.jobUser", false},
	{IAM_READER, "", IAM_ON_NOTHING, "GET", "/projects/{}/jobs/{}", NULL, false},
	{IAM_READER, "bigquery.datasets.get", IAM_ON_PUBLISH, "GET",
		"/projects/{}/datasets/{}", "roles/bigquery.dataEditor", false},
	{IAM_READER, "bigquery.tables.get", IAM_ON_PUBLISH, "GET",
		"/projects/{}/datasets/{}/tables/{}", "roles/bigquery.dataEditor", false},
	{IAM_READER, "bigquery.tables.getData", IAM_ON_PUBLISH, "GET",
		"/projects/{}/datasets/{}/tables/{}/data", "roles/bigquery.dataEditor",
		false},
	{IAM_READER, "bigquery.tables.create", IAM_ON_PUBLISH, "POST", "/projects/{}/jobs",
		"roles/bigquery.dataEditor", false},
	{IAM_READER, "bigquery.tables.update", IAM_ON_PUBLISH, "POST", "/projects/{}/jobs",
		"roles/bigquery.dataEditor", false},
	{IAM_READER, "bigquery.tables.updateData", IAM_ON_PUBLISH, "POST",
		"/projects/{}/jobs", "roles/bigquery.dataEditor", false},
	{IAM_READER, "billing.accounts.get", IAM_ON_ACCOUNT, "GET", "/billingAccounts/{}",
		BILLING, false},
	{IAM_READER, "billing.resourceAssociations.list", IAM_ON_ACCOUNT, "GET",
		"/billingAccounts/{}/projects", BILLING, false},
	{IAM_READER, "cloudasset.assets.searchAllResources", IAM_ON_SCOPE, "GET",
		"/organizations/{}:searchAllResources", "roles/cloudasset.viewer", false},
	{IAM_READER, "cloudasset.assets.searchAllResources", IAM_ON_SCOPE, "GET",
		"/folders/{}:searchAllResources", "roles/cloudasset.viewer", false},
	{IAM_READER, "storage.objects.get", IAM_ON_BUCKET, "GET", "/b/{}/o/{}",
		"roles/storage.objectUser", false},
	{IAM_READER, "storage.objects.list", IAM_ON_BUCKET, "GET", "/b/{}/o/{}",
		"roles/storage.objectUser", false},
	{IAM_READER, "storage.objects.create", IAM_ON_BUCKET, "POST", "/b/{}/o",
		"roles/storage.objectUser", false},
	{IAM_READER, "storage.objects.delete", IAM_ON_BUCKET, "POST", "/b/{}/o",
		"roles/storage.objectUser", false},
	{IAM_READER, "", IAM_ON_NOTHING, "GET", "/b/{}/iam/testPermissions", NULL, false},
	{IAM_READER, "resourcemanager.projects.get", IAM_ON_INIT, "GET", "/projects:search",
		"roles/browser", false},
	{IAM_READER, "bigquery.datasets.get", IAM_ON_INIT, "GET", "/projects/{}/datasets",
		"roles/bigquery.metadataViewer", false},
	{IAM_READER, "bigquery.tables.list", IAM_ON_INIT, "GET",
		"/projects/{}/datasets/{}/tables", "roles/bigquery.metadataViewer", false},
	{IAM_READER, "", IAM_ON_NOTHING, "GET", "/services/{}/skus", NULL, false},
	{IAM_READER, "", IAM_ON_NOTHING, "POST", "/projects/{}:testIamPermissions", NULL,
		false},
	{IAM_READER, "iam.serviceAccounts.getAccessToken", IAM_ON_ACTOR, "POST",
		"/projects/-/serviceAccounts/{}:generateAccessToken",
		"roles/iam.serviceAccountTokenCreator", false},
	{IAM_STOPPER, "compute.projects.get", IAM_ON_PROJECT, "GET", "/projects/{}", NULL,
		true},
	{IAM_STOPPER, "compute.instances.get", IAM_ON_PROJECT, "GET",
		"/projects/{}/zones/{}/instances/{}", NULL, true},
	{IAM_STOPPER, "compute.instances.stop", IAM_ON_PROJECT, "POST",
		"/projects/{}/zones/{}/instances/{}/stop", NULL, true},
	{IAM_STOPPER, "compute.zoneOperations.get", IAM_ON_PROJECT, "GET",
		"/projects/{}/zones/{}/operations/{}", NULL, true},
	{IAM_STOPPER, "tpu.nodes.get", IAM_ON_PROJECT, "GET",
		"/projects/{}/locations/{}/nodes/{}", NULL, true},
	{IAM_STOPPER, "tpu.nodes.get", IAM_ON_PROJECT, "GET",
		"/projects/{}/locations/{}/queuedResources/{}", NULL, true},
	{IAM_STOPPER, "tpu.nodes.stop", IAM_ON_PROJECT, "POST",
		"/projects/{}/locations/{}/nodes/{}:stop", NULL, true},
	{IAM_STOPPER, "tpu.operations.get", IAM_ON_PROJECT, "GET",
		"/projects/{}/locations/{}/operations/{}", NULL, true},
	{IAM_DELETER, "compute.instances.delete", IAM_ON_PROJECT, "DELETE",
		"/projects/{}/zones/{}/instances/{}", NULL, true},
	{IAM_DELETER, "tpu.nodes.delete", IAM_ON_PROJECT, "DELETE",
		"/projects/{}/locations/{}/nodes/{}", NULL, true},
	{IAM_DELETER, "tpu.nodes.delete", IAM_ON_PROJECT, "DELETE",
		"/projects/{}/locations/{}/queuedResources/{}", NULL, true},
	{IAM_DELETER, "tpu.nodes.list", IAM_ON_PROJECT, "GET",
		"/projects/{}/locations/{}/nodes", NULL, true},
	{IAM_DELETER, "compute.instances.list", IAM_ON_PROJECT, "GET",
		"/projects/{}/aggregated/instances", NULL, false},
	{IAM_DELETER, "compute.instanceGroupManagers.get", IAM_ON_PROJECT, "GET",
		"/projects/{}/zones/{}/instanceGroupManagers/{}", NULL, false},
	{IAM_DELETER, "compute.instanceGroupManagers.get", IAM_ON_PROJECT, "GET",
		"/projects/{}/regions/{}/instanceGroupManagers/{}", NULL, false},
	{IAM_DELETER, "compute.instanceGroupManagers.update", IAM_ON_PROJECT, "POST",
		"/projects/{}/zones/{}/instanceGroupManagers/{}/resize", NULL, false},
	{IAM_DELETER, "compute.instanceGroupManagers.update", IAM_ON_PROJECT, "POST",
		"/projects/{}/regions/{}/instanceGroupManagers/{}/resize", NULL, false},
	{IAM_DELETER, "compute.regionOperations.get", IAM_ON_PROJECT, "GET",
		"/projects/{}/regions/{}/operations/{}", NULL, false},
	{IAM_SCALER, "container.clusters.get", IAM_ON_PROJECT, "GET",
		"/projects/{}/locations/{}/clusters/{}/nodePools/{}", NULL, false},
	{IAM_SCALER, "container.clusters.update", IAM_ON_PROJECT, "POST",
		"/projects/{}/locations/{}/clusters/{}/nodePools/{}:setSize", NULL, false},
	{IAM_SCALER, "container.operations.get", IAM_ON_PROJECT, "GET",
		"/projects/{}/locations/{}/operations/{}", NULL, false},
};
const size_t n_iam_uses = ARRAY_LEN(iam_uses);

const char *const iam_powers[] = {
	"compute.instances.delete",
	"compute.instances.stop",
	"compute.instances.create",
	"tpu.nodes.delete",
	"tpu.nodes.stop",
	"tpu.nodes.create",
	"compute.instanceGroupManagers.update",
	"container.clusters.update",
	"compute.disks.delete",
	"storage.buckets.delete",
	"resourcemanager.projects.setIamPolicy",
	"resourcemanager.projects.deleteBillingAssignment",
	"compute.addresses.delete",
	"compute.disks.create",
	"compute.instances.setIamPolicy",
	"compute.instances.setMetadata",
	"compute.instances.setServiceAccount",
	"compute.instances.start",
	"compute.instances.suspend",
	"compute.instances.update",
	"compute.snapshots.delete",
	"tpu.nodes.start",
	"tpu.nodes.update",
	"storage.buckets.create",
	"storage.buckets.setIamPolicy",
	"storage.buckets.update",
	"storage.objects.delete",
	"bigquery.datasets.delete",
	"bigquery.tables.delete",
	"iam.roles.update",
	"iam.serviceAccountKeys.create",
	"iam.serviceAccounts.actAs",
	"iam.serviceAccounts.getAccessToken",
	"iam.serviceAccounts.setIamPolicy",
	"resourcemanager.projects.createBillingAssignment",
	"resourcemanager.projects.delete",
	"resourcemanager.projects.update",
	"serviceusage.services.disable",
	"serviceusage.services.enable",
};
const size_t n_iam_powers = ARRAY_LEN(iam_powers);

const char *iam_role_name(enum iam_role r)
{
	static const char *const names[IAM_ROLES] = {
		"tpucostReader", "tpucostStopper", "tpucostDeleter", "tpucostScaler"};

	return names[r];
}

static const char **iam_permissions_on(
	enum iam_role r, enum iam_on on, struct arena *a, size_t *n)
{
	const char **v = arena_alloc(a, n_iam_uses * sizeof(*v));

	*n = 0;
	for (size_t i = 0; i < n_iam_uses; i++)
		if (iam_uses[i].role == r && iam_uses[i].on == on &&
			!str_in(iam_uses[i].permission, v, *n))
			v[(*n)++] = iam_uses[i].permission;
	return v;
}

const char **iam_role_permissions(enum iam_role r, struct arena *a, size_t *n)
{
	return iam_permissions_on(r, IAM_ON_PROJECT, a, n);
}

const char **iam_more_permissions(struct arena *a, size_t *n)
{
	return iam_permissions_on(IAM_READER, IAM_ON_MORE, a, n);
}

const char *iam_give_more(const char *project, struct arena *a)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	size_t n;
	const char **v = iam_more_permissions(a, &n);

	sbuf_addf(&b, "gcloud iam roles update %s --project=%s --add-permissions=",
		iam_role_name(IAM_READER), project);
	for (size_t i = 0; i < n; i++)
		sbuf_addf(&b, "%s%s", i ? "," : "", v[i]);
	return arena_strdup(a, b.s);
}

const char **iam_actor_permissions(unsigned roles, struct arena *a, size_t *n)
{
	const char **v = arena_alloc(a, IAM_ROLES * n_iam_uses * sizeof(*v)), **more;
	size_t n_more;

	*n = 0;
	for (int r = 0; r < IAM_ROLES; r++) {
		if (!(roles & 1u << r))
			continue;
		more = iam_role_permissions((enum iam_role)r, a, &n_more);
		for (size_t i = 0; i < n_more; i++)
			v[(*n)++] = more[i];
	}
	return v;
}
