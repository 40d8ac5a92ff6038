/* Machines by their names, and their states. */
#include "gcp/gcp.h"

#include "base/str.h"

static const char *const paths[] = {
	[GCP_VM] = "/projects/{}/zones/{}/instances/{}",
	[GCP_NODE] = "/projects/{}/locations/{}/nodes/{}",
	[GCP_QUEUED] = "/projects/{}/locations/{}/queuedResources/{}",
};

enum gcp_api gcp_thing_api(const struct gcp_thing *t)
{
	return t->kind == GCP_VM ? GCP_COMPUTE : GCP_TPU;
}

enum err_code gcp_thing_check(const struct gcp_thing *t, struct err *e)
{
	if (gcp_project_check(t->project, e))
		return e ? e->code : E_CONFIG;
	if (!gcp_name_valid(t->location) || !gcp_name_valid(t->name))
		return err_set(e, E_CONFIG, "'%.60s' in '%.60s': malformed name", t->name,
			t->location);
	return E_OK;
}

void gcp_thing_url(const struct gcp *g, const struct gcp_thing *t, struct sbuf *out)
{
	gcp_url(g, out, gcp_thing_api(t), paths[t->kind], t->project, t->location, t->name,
		NULL);
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

static const struct word *const states[] = {
	[GCP_VM] = vm_states, [GCP_NODE] = node_states, [GCP_QUEUED] = queued_states};

const char *gcp_state_ours(enum gcp_kind kind, const char *google)
{
	for (const struct word *w = states[kind]; w->google; w++)
		if (str_eq(w->google, google))
			return w->ours;
	return "unknown";
}
