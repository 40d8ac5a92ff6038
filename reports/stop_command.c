#include "reports/stop_command.h"

#include "base/sbuf.h"

#include <string.h>

/* Slices of several hosts, spot and queued TPUs cannot be stopped, only deleted (Cloud TPU
 * reference: nodes.stop). */
const char *stop_command(const struct stop_target *t, struct arena *a)
{
	struct sbuf b = SBUF_INIT;
	const char *verb = NULL, *what = NULL, *where = "--zone";
	const char *command;

	if (!strcmp(t->kind, "tpu")) {
		bool only_delete = t->hosts > 1 || t->queued ||
			(t->provisioning && !strcmp(t->provisioning, "spot")) ||
			strcmp(t->state, "running") != 0;

		what = "compute tpus tpu-vm";
		verb = only_delete ? "delete" : "stop";
	} else if (!strcmp(t->kind, "vm")) {
		what = "compute instances";
		verb = "stop";
	} else if (!strcmp(t->kind, "disk")) {
		what = "compute disks";
		verb = "delete";
	} else if (!strcmp(t->kind, "ip")) {
		what = "compute addresses";
		verb = "delete";
	} else {
		return NULL;
	}
	if (strchr(t->location, '-') == strrchr(t->location, '-'))
		where = "--region";
	sbuf_addf(&b, "gcloud %s %s ", what, verb);
	sbuf_add_shell(&b, t->name);
	if (!strcmp(t->location, "global")) {
		sbuf_adds(&b, " --global");
	} else {
		sbuf_addf(&b, " %s ", where);
		sbuf_add_shell(&b, t->location);
	}
	sbuf_adds(&b, " --project ");
	sbuf_add_shell(&b, t->project);
	command = arena_strdup(a, b.s);
	sbuf_done(&b);
	return command;
}
