#include "reports/stop_command.h"

#include "base/sbuf.h"
#include "base/str.h"
#include "rules/grant/tpu_commands.h"

#include <string.h>

static bool is(const char *s, const char *word)
{
	return s && !strcmp(s, word);
}

static bool is_machine(const struct stop_target *t)
{
	return is(t->kind, "vm") || (is(t->kind, "tpu") && is(t->source, "vm"));
}

/* Slices of several hosts, spot and queued TPUs cannot be stopped, only deleted (Cloud TPU
 * reference: nodes.stop). A Compute instance can. What was on one that is deleted is lost. */
static bool stop_deletes(const struct stop_target *t)
{
	if (is_machine(t))
		return !is(t->kind, "vm") && !is(t->state, "running");
	return !is(t->kind, "tpu") || t->hosts > 1 || t->queued ||
		is(t->provisioning, "spot") || !is(t->state, "running");
}

static const char *what_of(const struct stop_target *t)
{
	if (is_machine(t))
		return "compute instances";
	if (is(t->kind, "tpu"))
		return "compute tpus tpu-vm";
	if (is(t->kind, "disk"))
		return "compute disks";
	return is(t->kind, "ip") ? "compute addresses" : NULL;
}

static void add_place(struct sbuf *b, const char *location)
{
	bool region = strchr(location, '-') == strrchr(location, '-');

	if (!strcmp(location, "global")) {
		sbuf_adds(b, " --global");
		return;
	}
	sbuf_adds(b, region ? " --region " : " --zone ");
	sbuf_add_shell(b, location);
}

const char *stop_command(const struct stop_target *t, struct arena *a)
{
	const char *what = what_of(t);
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	/* A TPU of a queued resource goes with it, and only with it. */
	if (is(t->kind, "queued") || (is(t->kind, "tpu") && t->queued && !is_machine(t))) {
		struct tpu_target target = {
			.source = is(t->kind, "queued") ? "queued" : "tpu",
			.project = t->project,
			.zone = t->location,
			.name = t->name,
			.queued = t->queued};

		return tpu_delete_command(&target, a);
	}
	if (!what)
		return NULL;
	sbuf_addf(&b, "gcloud %s %s ", what, stop_deletes(t) ? "delete" : "stop");
	sbuf_add_shell(&b, t->name);
	add_place(&b, t->location);
	sbuf_adds(&b, " --project ");
	sbuf_add_shell(&b, t->project);
	return arena_strdup(a, b.s);
}
