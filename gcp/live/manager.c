/* Detects the product that manages a machine, and would create it again after a stop: by the labels
 * and metadata that Google's products set on their machines. */
#include "gcp/live/live.h"

#include "base/data/json.h"
#include "base/str.h"

#include <string.h>

/* Prefixes of label keys. The first match counts. Google reserves "goog-" for its products: an
 * unknown label with this prefix is from an unknown product. */
static const struct {
	const char *key, *manager;
} labels_of[] = {
	/* These describe how the machine was created, but no product manages it. */
	{"goog-terraform-provisioned", NULL},
	{"goog-pulumi-provisioned", NULL},
	{"goog-ops-agent-policy", NULL},
	{"goog-ec-src", NULL},
	{"goog-gke-", "Google Kubernetes Engine"},
	{"goog-k8s-", "Google Kubernetes Engine"},
	{"goog-fleet-", "Google Kubernetes Engine"},
	{"goog-dataproc", "Dataproc"},
	{"goog-composer", "Cloud Composer"},
	{"goog-dataflow", "Dataflow"},
	{"goog-batch", "Batch"},
	{"goog-caip-", "Vertex AI Workbench"},
	{"goog-notebooks", "Vertex AI Workbench"},
	{"goog-vertex", "Vertex AI"},
	{"goog-aiplatform", "Vertex AI"},
	{"notebooks-product", "Vertex AI Workbench"},
	{"dataflow_job_id", "Dataflow"},
	{"batch-job-id", "Batch"},
	{"batch-job-uid", "Batch"},
	{"managed-by-cnrm", "Config Connector"},
};

static const char *manager_of_key(const char *key, struct arena *a)
{
	for (size_t i = 0; i < ARRAY_LEN(labels_of); i++)
		if (str_starts(key, labels_of[i].key))
			return labels_of[i].manager;
	if (str_starts(key, "goog-"))
		return arena_printf(a, "a Google product that sets the label %.63s", key);
	return NULL;
}

static const char *manager_of_labels(const char *labels, struct arena *a)
{
	cleanup(json_free_ptr) struct cJSON *j = NULL;
	const char *found = NULL;

	if (!labels || json_parse(labels, strlen(labels), &j, NULL))
		return NULL;
	JSON_EACH (m, j)
		found = found ? found : manager_of_key(json_key(m), a);
	return found;
}

/* "projects/1/zones/Z/instanceGroupManagers/NAME". Users may use that key for other names, which
 * are not paths. */
const char *live_manager(const char *labels, const char *created_by, struct arena *a)
{
	if (strstr(created_by, "/instanceGroupManagers/"))
		return arena_printf(a, "the managed instance group %.63s",
			str_after_last(created_by, '/'));
	if (strchr(created_by, '/'))
		return arena_printf(a, "its creator, %.100s", created_by);
	return manager_of_labels(labels, a);
}

const char *live_labels_option(const char *labels, struct arena *a)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT, out = SBUF_INIT;
	cleanup(json_free_ptr) struct cJSON *j = NULL;

	if (!labels || json_parse(labels, strlen(labels), &j, NULL))
		return "";
	JSON_EACH (m, j)
		sbuf_addf(&b, "%s%s=%s", b.len ? "," : "", json_key(m), json_text(m, ""));
	live_add_option(&out, "labels", b.s);
	return arena_strdup(a, out.s);
}
