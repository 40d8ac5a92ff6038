#include "rules/grant/tpu_commands.h"

#include "base/sbuf.h"

#include <string.h>

static void command_add_place(struct sbuf *b, const struct tpu_target *t)
{
	sbuf_adds(b, " --zone=");
	sbuf_add_shell(b, t->zone);
	sbuf_adds(b, " --project=");
	sbuf_add_shell(b, t->project);
}

static bool command_is_machine(const struct tpu_target *t)
{
	return !strcmp(t->source, "vm");
}

/* The TPUs of a queued resource are deleted with it, and only with it. */
const char *tpu_delete_command(const struct tpu_target *t, struct arena *a)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	bool queued = !command_is_machine(t) && (!strcmp(t->source, "queued") || t->queued);

	sbuf_adds(&b,
		command_is_machine(t) ? "gcloud compute instances delete "
			: queued      ? "gcloud compute tpus queued-resources delete "
				      : "gcloud compute tpus tpu-vm delete ");
	sbuf_add_shell(&b, queued && t->queued ? t->queued : t->name);
	command_add_place(&b, t);
	sbuf_adds(&b, queued ? " --force" : "");
	return arena_strdup(a, b.s);
}

const char *tpu_copy_command(const struct tpu_target *t, struct arena *a)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_adds(&b,
		command_is_machine(t)
			? "gcloud compute scp --recurse "
			: "gcloud compute tpus tpu-vm scp --recurse --worker=all ");
	sbuf_add_shell(&b, arena_printf(a, "%s:~/OUTPUT", t->name));
	sbuf_addc(&b, ' ');
	sbuf_add_shell(&b, arena_printf(a, "./%s/", t->name));
	command_add_place(&b, t);
	return arena_strdup(a, b.s);
}

const char *tpu_storage_command(
	const struct tpu_target *t, const char *bucket, struct arena *a)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_adds(&b,
		command_is_machine(t) ? "gcloud compute ssh "
				      : "gcloud compute tpus tpu-vm ssh ");
	sbuf_add_shell(&b, t->name);
	command_add_place(&b, t);
	sbuf_adds(&b, command_is_machine(t) ? " --command=" : " --worker=all --command=");
	sbuf_add_shell(&b,
		arena_printf(a, "gcloud storage cp -r ~/OUTPUT gs://%s/%s/$(hostname)/",
			bucket ? bucket : "BUCKET", t->name));
	return arena_strdup(a, b.s);
}
