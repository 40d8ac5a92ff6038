/* TPUs of pasted commands: TPU VMs, TPU nodes, queued resources, and TPUs that execution groups and
 * ctpu create together with a machine. Defaults: the reference of gcloud, "compute tpus",
 * and ctpu's help (v2-8; 250 GB; n1-standard-1 of the groups, n1-standard-2 of ctpu). */
#include "cli/paste/internal.h"

#include "base/time/civil.h"
#include "base/str.h"
#include "rules/grant/tpu.h"

#include <ctype.h>
#include <string.h>

#define MAX_CHIPS 100000
#define DEFAULT_TYPE "v2-8"
#define DEFAULT_DISK_GIB 250

static enum err_code refuse_type(struct pasting *p, const char *flag, const char *type)
{
	static const char *const examples[] = {
		"v2-8", "v3-8", "v4-8", "v5litepod-8", "v5p-8", "v6e-8"};
	const char *near = str_nearest(type, examples, ARRAY_LEN(examples));

	err_set(p->e, E_USAGE, "the pasted command: --%s: '%.60s' is not a TPU type", flag,
		type);
	return near ? err_fix(p->e, "did you mean '%s'?", near)
		    : err_fix(p->e, "use a type such as v3-8 or v5litepod-16");
}

/* A type that is newer than the table is kept unchanged: its price is unknown. */
static bool is_newer(const char *type)
{
	size_t n = strcspn(type, "0123456789");

	return (n == 1 || n == 3) && (type[0] == 'v' || str_starts(type, "tpu")) &&
		type[n] && strchr(type, '-') && !tpu_family_of_type(type);
}

static enum err_code tpus_read_type(
	struct pasting *p, const char *flag, const char *type, const char **out)
{
	struct tpu_type t;

	type = paste_lower(p, str_after_last(type, '/'));
	if (tpu_type_parse(type, &t)) {
		*out = arena_strdup(p->a, t.name);
		return E_OK;
	}
	if (!is_newer(type) || strlen(type) > 40 ||
		type[strspn(type, "abcdefghijklmnopqrstuvwxyz0123456789-")])
		return refuse_type(p, flag, type);
	paste_note(p, "the TPU type %s is unknown: it has no price here", type);
	*out = type;
	return E_OK;
}

/* "2x2x4" -> 16; 0: it is not such a product. */
static int64_t tpus_chips_of(const char *topology)
{
	int64_t chips = 1;

	for (int sides = 1;; sides++) {
		size_t n = strspn(topology, "0123456789");
		char digits[8] = "";
		int64_t side;

		if (!n || n >= sizeof(digits))
			return 0;
		memcpy(digits, topology, n);
		if (!str_to_i64(digits, 1, MAX_CHIPS, &side) || chips * side > MAX_CHIPS)
			return 0;
		chips *= side;
		topology += n;
		if (!*topology)
			return sides >= 2 && sides <= 3 ? chips : 0;
		if (tolower((unsigned char)*topology++) != 'x' || sides == 3)
			return 0;
	}
}

static enum err_code read_topology(struct pasting *p, const char *family, const char **type)
{
	const char *topology;
	char name[TPU_NAME_BUF];
	int64_t chips;

	if (paste_value(p, "topology", &topology))
		return p->e->code;
	if (!topology)
		return paste_refuse(p, "use --topology=2x2x1, or --accelerator-type",
			"the pasted command: --type=%.40s needs --topology", family);
	chips = tpus_chips_of(topology);
	if (!chips)
		return paste_refuse(p, "use --type=v4 --topology=2x2x2",
			"the pasted command: --topology: '%.40s' is not a topology",
			topology);
	if (!tpu_family_canonical(family))
		return paste_refuse(p, "use --type=v4 --topology=2x2x2",
			"the pasted command: --type: '%.40s' is not a TPU version", family);
	return tpus_read_type(p, "topology",
		tpu_slice_name(tpu_family_canonical(family), chips, name), type);
}

static enum err_code tpu_type(struct pasting *p, const char **type)
{
	/* for a TPU, --accelerator is an abbreviation of --accelerator-type */
	const char *flag = paste_has(p, "tpu-size") ? "tpu-size"
		: paste_has(p, "accelerator") && !paste_has(p, "accelerator-type")
		? "accelerator"
		: "accelerator-type";
	const char *word, *family;

	if (paste_value(p, flag, &word) || paste_value(p, "type", &family))
		return p->e->code;
	if (!word && family)
		return read_topology(p, family, type);
	if (!word)
		paste_note(p, "no --%s: %s, the default", flag, DEFAULT_TYPE);
	return tpus_read_type(p, flag, word ? word : DEFAULT_TYPE, type);
}

static enum err_code add_tpu(struct pasting *p, const char *name, struct wish **out)
{
	const char *type, *provisioning;
	struct paste_place at;
	struct wish *w;

	if (tpu_type(p, &type) || paste_place(p, &at) ||
		paste_provisioning(p, &provisioning))
		return p->e->code;
	w = paste_wish(p, "tpu");
	if (!w)
		return p->e->code;
	w->name = name;
	w->type = type;
	w->provisioning = provisioning;
	paste_put(w, &at);
	if (!at.zone)
		paste_note(p, "no --zone: required for price and coverage");
	*out = w;
	return E_OK;
}

static void note_of_vm(struct pasting *p)
{
	paste_note(p,
		"the boot disk of a TPU VM (100 GB) and its external address are not "
		"included: whether they are billed is unknown");
}

enum err_code paste_tpu_vm(struct pasting *p)
{
	const char *name;
	struct wish *w;

	if (paste_only_name(p, &name) || add_tpu(p, name, &w))
		return p->e->code;
	note_of_vm(p);
	if (paste_has(p, "data-disk"))
		paste_note(
			p, "--data-disk attaches an existing disk, which is already paid");
	return E_OK;
}

enum err_code paste_tpu_node(struct pasting *p)
{
	const char *name;
	struct wish *w;

	if (paste_only_name(p, &name) || add_tpu(p, name, &w))
		return p->e->code;
	paste_note(p,
		"this creates only the TPU: the machine that uses it is charged "
		"separately");
	return E_OK;
}

static enum err_code tpus_read_start(struct pasting *p, struct wish *w)
{
	const char *start, *longest;
	ts_t from;

	if (paste_value(p, "valid-after-time", &start) ||
		paste_value(p, "max-run-duration", &longest))
		return p->e->code;
	if (start && !rfc3339_parse(start, &from, NULL, NULL))
		w->from = from;
	else if (start)
		paste_note(p,
			"--valid-after-time was ignored: it is not a time such as "
			"2026-11-01T09:00:00Z");
	if (paste_has(p, "valid-after-duration"))
		paste_note(
			p, "it starts later (--valid-after-duration): estimated as if now");
	if (longest)
		paste_note(p, "it runs at most %.40s (--max-run-duration)", longest);
	return E_OK;
}

enum err_code paste_queued(struct pasting *p)
{
	const char *name, *flag = paste_has(p, "node-prefix") ? "node-prefix" : "node-id";
	const char *node;
	struct wish *w;

	if (paste_only_name(p, &name) || add_tpu(p, NULL, &w) ||
		paste_count(p, "node-count", &w->count))
		return p->e->code;
	node = paste_value_or_note(p, flag);
	w->name = node ? paste_name(p, &(struct paste_word){.s = node}) : NULL;
	w->queued = true;
	note_of_vm(p);
	return tpus_read_start(p, w);
}

/* ---- with a machine ------------------------------------------------------------------------ */

struct pair {
	const char *name, *machine, *size_flag;
};

static enum err_code add_pair(struct pasting *p, const struct pair *pair)
{
	struct paste_machine m = {.name = pair->name,
		.provisioning = paste_on(p, "preemptible-vm") ? "spot" : "on-demand",
		.count = 1,
		.boot_gib = DEFAULT_DISK_GIB,
		.boot_type = "pd-standard"};
	bool with_tpu = !paste_on(p, "vm-only"), with_vm = !paste_on(p, "tpu-only");
	const char *size;
	struct wish *tpu = NULL, *vm;

	if (!with_tpu && !with_vm)
		return paste_refuse(p, "omit one of them",
			"%s: --tpu-only and --vm-only cannot be used together", p->command);
	if (with_tpu && add_tpu(p, pair->name, &tpu))
		return p->e->code;
	if (!with_vm)
		return E_OK;
	if (paste_value(p, "machine-type", &m.type) ||
		paste_value(p, pair->size_flag, &size) || paste_place(p, &m.at))
		return p->e->code;
	if (size &&
		paste_gib(
			p, arena_printf(p->a, "--%s", pair->size_flag), size, &m.boot_gib))
		return p->e->code;
	if (!m.type)
		paste_note(p, "no --machine-type: %s, the default", pair->machine);
	m.type = m.type ? m.type : pair->machine;
	if (!size)
		paste_note(p, "no --%s: %d GB, the default", pair->size_flag,
			DEFAULT_DISK_GIB);
	if (paste_machine(p, &m, &vm))
		return p->e->code;
	if (with_tpu)
		vm->beside = pair->name ? pair->name : "tpu";
	return E_OK;
}

static enum err_code tpus_read_pair(struct pasting *p, struct pair pair)
{
	const char *name = paste_value_or_note(p, "name"), *word;

	if (paste_only_name(p, &word))
		return p->e->code;
	pair.name = name ? paste_name(p, &(struct paste_word){.s = name}) : word;
	return add_pair(p, &pair);
}

enum err_code paste_group(struct pasting *p)
{
	return tpus_read_pair(
		p, (struct pair){.machine = "n1-standard-1", .size_flag = "disk-size"});
}

enum err_code paste_ctpu(struct pasting *p)
{
	return tpus_read_pair(p,
		(struct pair){.machine = "n1-standard-2",
			.size_flag = paste_has(p, "disk-size") ? "disk-size"
							       : "disk-size-gb"});
}
