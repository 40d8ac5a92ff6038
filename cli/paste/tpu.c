/* TPUs of pasted commands: TPU VMs, TPU nodes, queued resources, and TPUs that execution groups and
 * ctpu create together with a machine. Defaults: the reference of gcloud, "compute tpus",
 * and ctpu's help (v2-8; 250 GB; n1-standard-1 of the groups, n1-standard-2 of ctpu). */
#include "cli/paste/internal.h"

#include "base/str.h"
#include "base/time/civil.h"
#include "rules/grant/tpu.h"

#include <string.h>

#define MAX_CHIPS 100000
#define DEFAULT_TYPE "v2-8"
#define DEFAULT_DISK_GIB 250

static void refuse_type(struct pasting *p, const char *flag, const char *type)
{
	char near[TPU_NAME_BUF];

	paste_refuse(p,
		tpu_type_nearest(type, near)
			? arena_printf(p->a, "did you mean '%s'?", near)
			: "use a type such as v3-8 or v5litepod-16",
		"the pasted command: --%s: '%.60s' is not a TPU type", flag, type);
}

/* A type that is newer than the table is kept unchanged: its price is unknown. */
static bool is_newer(const char *type)
{
	size_t n = strcspn(type, "0123456789");

	return (n == 1 || n == 3) && (type[0] == 'v' || str_starts(type, "tpu")) &&
		type[n] && strchr(type, '-') && !tpu_family_of_type(type);
}

static const char *tpus_read_type(struct pasting *p, const char *flag, const char *type)
{
	struct tpu_type t;

	type = paste_lower(p, str_after_last(type, '/'));
	if (tpu_type_parse(type, &t)) {
		if (!tpu_is_in_api(t.family))
			paste_note(p,
				"the Cloud TPU API has no %s: it is created on Compute "
				"Engine "
				"or Kubernetes Engine",
				t.family);
		return arena_strdup(p->a, t.name);
	}
	if (!is_newer(type) || strlen(type) > 40 ||
		type[strspn(type, "abcdefghijklmnopqrstuvwxyz0123456789-")])
		refuse_type(p, flag, type);
	paste_note(p, "the TPU type %s is unknown: it has no price here", type);
	return type;
}

static const char *read_topology(struct pasting *p, const char *family)
{
	const char *topology = paste_value(p, "topology"),
		   *known = tpu_family_canonical(family);
	int64_t chips = topology ? str_product(topology, MAX_CHIPS) : 0;
	char name[TPU_NAME_BUF];

	if (!topology)
		paste_refuse(p, "use --topology=2x2x1, or --accelerator-type",
			"the pasted command: --type=%.40s needs --topology", family);
	else if (!known)
		paste_refuse(p, "use --type=v4 --topology=2x2x2",
			"the pasted command: --type: '%.40s' is not a TPU version", family);
	else if (!chips || !tpu_topology_valid(known, topology))
		paste_refuse(p, arena_printf(p->a, "use %s", tpu_topologies(known, p->a)),
			"the pasted command: --topology: '%.40s' is not a topology of %s",
			topology, known);
	else
		return tpus_read_type(p, "topology", tpu_slice_name(known, chips, name));
	return NULL;
}

static const char *tpu_type(struct pasting *p)
{
	/* for a TPU, --accelerator is an abbreviation of --accelerator-type */
	const char *flag = paste_has(p, "tpu-size") ? "tpu-size"
		: paste_has(p, "accelerator") && !paste_has(p, "accelerator-type")
		? "accelerator"
		: "accelerator-type";
	const char *word = paste_value(p, flag), *family = paste_value(p, "type");

	if (word && (family || paste_has(p, "topology")))
		paste_refuse(p, "omit one of them",
			"the pasted command: --%s cannot be used together with --%s", flag,
			family ? "type" : "topology");
	if (!word && !family && paste_has(p, "topology"))
		paste_refuse(p, "use --type=v4 --topology=2x2x2",
			"the pasted command: --topology needs --type");
	if (!word && family)
		return read_topology(p, family);
	if (!word)
		paste_note(p, "no --%s: %s, the default", flag, DEFAULT_TYPE);
	return tpus_read_type(p, flag, word ? word : DEFAULT_TYPE);
}

static struct wish *add_tpu(struct pasting *p, const char *name)
{
	const char *type = tpu_type(p);
	struct paste_place at = paste_place(p);
	const char *provisioning = paste_provisioning(p);
	struct wish *w = paste_wish(p, "tpu");

	w->name = name;
	w->type = type;
	w->provisioning = provisioning;
	paste_put(w, &at);
	if (!at.zone)
		paste_note(p, "no --zone: required for price and coverage");
	return w;
}

static void note_of_vm(struct pasting *p)
{
	paste_note(p,
		"the boot disk of a TPU VM (100 GB) and its external address are not "
		"included: whether they are billed is unknown");
}

void paste_tpu_vm(struct pasting *p)
{
	add_tpu(p, paste_only_name(p));
	note_of_vm(p);
	if (paste_has(p, "data-disk"))
		paste_note(
			p, "--data-disk attaches an existing disk, which is already paid");
}

void paste_tpu_node(struct pasting *p)
{
	add_tpu(p, paste_only_name(p));
	paste_note(p,
		"this creates only the TPU: the machine that uses it is charged "
		"separately");
}

/* A start that is not understood may be after the end of a grant: it is refused. */
static void tpus_read_start(struct pasting *p, struct wish *w)
{
	const char *from = paste_value(p, "valid-after-time");
	const char *wait = paste_value(p, "valid-after-duration");

	if (from && rfc3339_parse(from, &w->from, NULL, NULL))
		paste_refuse(p, "use a time such as 2026-11-01T09:00:00Z",
			"the pasted command: --valid-after-time: '%.40s' cannot be read",
			from);
	w->wait = wait ? paste_seconds(p->a, wait) : 0;
	if (wait && !w->wait)
		paste_refuse(p, "use a duration such as 11h or 1d12h",
			"the pasted command: --valid-after-duration: '%.40s' cannot be "
			"read",
			wait);
}

void paste_queued(struct pasting *p)
{
	const char *flag = paste_has(p, "node-prefix") ? "node-prefix" : "node-id", *node;
	struct wish *w;

	paste_only_name(p);
	w = add_tpu(p, NULL);
	w->count = paste_count(p, "node-count", 1);
	node = paste_value_or_note(p, flag);
	w->name = node ? paste_name(p, &(struct paste_word){.s = node}) : NULL;
	w->queued = true;
	note_of_vm(p);
	tpus_read_start(p, w);
	paste_run(p, w);
}

/* ---- with a machine ------------------------------------------------------------------------ */

static void read_pair(struct pasting *p, const char *machine, const char *size_flag)
{
	struct paste_machine m = {
		.provisioning = paste_on(p, "preemptible-vm") ? "spot" : "on-demand",
		.count = 1,
		.boot_gib = DEFAULT_DISK_GIB,
		.boot_type = "pd-standard"};
	bool with_tpu = !paste_on(p, "vm-only"), with_vm = !paste_on(p, "tpu-only");
	const char *name = paste_value_or_note(p, "name"), *word = paste_only_name(p);
	const char *size;
	struct wish *vm;

	m.name = name ? paste_name(p, &(struct paste_word){.s = name}) : word;
	if (!with_tpu && !with_vm)
		paste_refuse(p, "omit one of them",
			"%s: --tpu-only and --vm-only cannot be used together", p->command);
	if (with_tpu)
		add_tpu(p, m.name);
	if (!with_vm)
		return;
	m.type = paste_value(p, "machine-type");
	size = paste_value(p, size_flag);
	m.at = paste_place(p);
	if (size)
		m.boot_gib = paste_gib(p, arena_printf(p->a, "--%s", size_flag), size);
	if (!m.type)
		paste_note(p, "no --machine-type: %s, the default", machine);
	m.type = m.type ? m.type : machine;
	if (!size)
		paste_note(p, "no --%s: %d GB, the default", size_flag, DEFAULT_DISK_GIB);
	vm = paste_machine(p, &m);
	if (with_tpu)
		vm->beside = m.name ? m.name : "tpu";
}

void paste_group(struct pasting *p)
{
	read_pair(p, "n1-standard-1", "disk-size");
}

void paste_ctpu(struct pasting *p)
{
	read_pair(p, "n1-standard-2",
		paste_has(p, "disk-size") ? "disk-size" : "disk-size-gb");
}
