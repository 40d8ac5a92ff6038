/* Machines by their names, and their states. */
#include "gcp/gcp.h"

#include "base/str.h"

#include <stdio.h>
#include <string.h>

static const char *const paths[] = {
	[GCP_VM] = "/projects/{}/zones/{}/instances/{}",
	[GCP_NODE] = "/projects/{}/locations/{}/nodes/{}",
	[GCP_QUEUED] = "/projects/{}/locations/{}/queuedResources/{}",
	[GCP_GROUP] = "/projects/{}/zones/{}/instanceGroupManagers/{}",
	[GCP_POOL] = "/projects/{}/locations/{}/clusters/{}/nodePools/{}",
};

const char *gcp_thing_place(const struct gcp_thing *t, char buf[GCP_PLACE_BUF])
{
	const char *dash = t->regional ? strrchr(t->location, '-') : NULL;

	snprintf(buf, GCP_PLACE_BUF, "%.*s",
		(int)(dash ? (size_t)(dash - t->location) : strlen(t->location)),
		t->location);
	return buf;
}

bool gcp_thing_compute(const struct gcp_thing *t)
{
	return t->kind == GCP_VM || t->kind == GCP_GROUP;
}

enum gcp_api gcp_thing_api(const struct gcp_thing *t)
{
	return t->kind == GCP_POOL     ? GCP_CONTAINER
		: gcp_thing_compute(t) ? GCP_COMPUTE
				       : GCP_TPU;
}

enum err_code gcp_thing_check(const struct gcp_thing *t, struct err *e)
{
	if (gcp_project_check(t->project, e))
		return e ? e->code : E_CONFIG;
	if (!gcp_name_valid(t->location) || !gcp_name_valid(t->name) ||
		(t->kind == GCP_POOL && !gcp_name_valid(t->cluster)))
		return err_set(e, E_CONFIG, "'%.60s' in '%.60s': malformed name", t->name,
			t->location);
	return E_OK;
}

void gcp_thing_url(const struct gcp *g, const struct gcp_thing *t, struct sbuf *out)
{
	if (t->kind == GCP_POOL)
		gcp_url(g, out, GCP_CONTAINER, paths[GCP_POOL], t->project, t->location,
			t->cluster, t->name, NULL);
	else
		gcp_url(g, out, gcp_thing_api(t),
			t->regional ? "/projects/{}/regions/{}/instanceGroupManagers/{}"
				    : paths[t->kind],
			t->project, gcp_thing_place(t, (char[GCP_PLACE_BUF]){0}), t->name,
			NULL);
}

bool gcp_pool_of(
	const char *project, const char *path, struct arena *a, struct gcp_thing *out)
{
	static const char *const words[] = {"locations/", "clusters/", "nodePools/"};
	const char *names[ARRAY_LEN(words)];

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		size_t n;

		if (!str_starts(path, words[i]))
			return false;
		path += strlen(words[i]);
		n = strcspn(path, "/");
		names[i] = arena_strndup(a, path, n);
		path += n + (path[n] == '/');
	}
	*out = (struct gcp_thing){.kind = GCP_POOL,
		.project = project,
		.location = names[0],
		.cluster = names[1],
		.name = names[2]};
	return !*path;
}

/* ---- states ------------------------------------------------------------------------------------ */

struct word {
	const char *google, *ours;
};

static const struct word vm_states[] = {
	{"RUNNING", "running"},
	{"PROVISIONING", "starting"},
	{"STAGING", "starting"},
	{"PENDING", "starting"},
	{"REPAIRING", "starting"},
	{"PENDING_STOP", "stopping"},
	{"STOPPING", "stopping"},
	{"SUSPENDING", "stopping"},
	{"SUSPENDED", "suspended"},
	{"TERMINATED", "stopped"},
	{"STOPPED", "stopped"},
	{"DEPROVISIONING", "deleting"},
	{NULL, NULL},
};

/* Only READY snapshots are charged. */
static const struct word node_states[] = {
	{"READY", "running"},
	{"CREATING", "starting"},
	{"STARTING", "starting"},
	{"RESTARTING", "starting"},
	{"REIMAGING", "starting"},
	{"REPAIRING", "starting"},
	{"UNHIDING", "starting"},
	{"STOPPING", "stopping"},
	{"HIDING", "stopping"},
	{"STOPPED", "stopped"},
	{"HIDDEN", "stopped"},
	{"PREEMPTED", "preempted"},
	{"TERMINATED", "failed"},
	{"DELETING", "deleting"},
	{NULL, NULL},
};

static const struct word queued_states[] = {
	{"ACTIVE", "running"},
	{"CREATING", "starting"},
	{"ACCEPTED", "starting"},
	{"PROVISIONING", "starting"},
	{"WAITING_FOR_RESOURCES", "starting"},
	{"SUSPENDING", "stopping"},
	{"SUSPENDED", "suspended"},
	{"FAILED", "failed"},
	{"DELETING", "deleting"},
	{NULL, NULL},
};

static const struct word *const states[] = {[GCP_VM] = vm_states,
	[GCP_NODE] = node_states,
	[GCP_QUEUED] = queued_states,
	[GCP_GROUP] = vm_states,
	[GCP_POOL] = vm_states};

/* Compute REST reference, instances: scheduling; Cloud TPU REST reference v2alpha1, queuedResources. */
static const struct word classes[] = {
	{"", ""},
	{"PROVISIONING_MODEL_UNSPECIFIED", ""},
	{"STANDARD", "on-demand"},
	{"SPOT", "spot"},
	{"FLEX_START", "flex-start"},
	{"RESERVATION_BOUND", "reserved"},
	{NULL, NULL},
};

static const char *word_ours(const struct word *w, const char *google)
{
	for (; w->google; w++)
		if (str_eq(w->google, google))
			return w->ours;
	return "unknown";
}

const char *gcp_state_ours(enum gcp_kind kind, const char *google)
{
	return word_ours(states[kind], google);
}

const char *gcp_class_ours(const char *model)
{
	return word_ours(classes, model);
}

ts_t gcp_end_after(ts_t start, int64_t seconds)
{
	ts_t end;

	return start == TS_NONE || !seconds || __builtin_add_overflow(start, seconds, &end)
		? TS_NONE
		: end;
}
