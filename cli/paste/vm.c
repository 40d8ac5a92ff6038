/* Machines of pasted commands, with their disks and their address. Defaults: the
 * reference of gcloud, "compute instances create": n1-standard-1, a boot disk of the image's
 * size, an ephemeral external address. */
#include "cli/paste/internal.h"

#include "base/str.h"
#include "rules/grant/tpu.h"
#include "rules/price/machine.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#define DEFAULT_MACHINE "n1-standard-1"
#define DEFAULT_DISK "pd-standard"
#define IMAGE_GIB 10      /* of public Linux images */
#define LOCAL_SSD_GIB 375 /* each */
#define MAX_LOCAL_SSD 64

/* Tests for a valid name of a machine or disk type. */
static bool is_type(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-");

	return n && n <= 60 && !s[n] && isalpha((unsigned char)*s);
}

/* Name of a type in a value or URL, NULL for no value. */
static const char *vm_type_of(struct pasting *p, const char *what, const char *s)
{
	s = s ? str_after_last(s, '/') : NULL;
	if (s && !is_type(s))
		paste_refuse(p,
			arena_printf(p->a, "use a type such as %s",
				strstr(what, "disk") || strstr(what, "type=")
					? "pd-ssd"
					: "n1-standard-8"),
			"the pasted command: %s: '%.60s' is not a type", what, s);
	return s;
}

static const char *vm_default_disk(const char *machine)
{
	const char *type = tpu_boot_disk(machine);

	return type ? type : DEFAULT_DISK;
}

/* ---- a machine with its disks and address -------------------------------------------------- */

/* Adds what belongs to the machine. */
static struct wish *vm_add(struct pasting *p, const struct paste_machine *m,
	const char *kind, const char *type)
{
	struct wish *w = paste_wish(p, kind);

	paste_put(w, &m->at);
	w->type = type;
	w->count = m->count;
	w->beside = m->name ? m->name : "vm";
	return w;
}

struct wish *paste_machine(struct pasting *p, const struct paste_machine *m)
{
	struct machine known;
	struct wish *w = paste_wish(p, "vm");
	const char *type = vm_type_of(p, "--machine-type", m->type);
	bool slice = m->slice && type && tpu_host_chips(type) && m->count > 1;

	if (type && machine_parse(type, &known) && known.tpu_host)
		w->kind = "tpu"; /* a TPU that is a Compute instance */
	paste_put(w, &m->at);
	w->name = m->name;
	w->type = slice ? arena_printf(p->a, "%" PRId64 " x %s", m->count, type) : type;
	w->provisioning = m->provisioning;
	w->count = slice ? 1 : m->count;
	w->zone_flag = m->zone_flag;
	if (!m->at.zone && !m->at.region)
		paste_note(p, "no --zone: required for price and coverage");
	else if (!m->at.zone && type && tpu_host_chips(type))
		paste_refuse(p,
			arena_printf(p->a, "use --%s=%s-a, or another single zone",
				m->zone_flag ? m->zone_flag : "zone", m->at.region),
			"the pasted command: %.40s: price and coverage depend on the zone, "
			"which is unknown",
			type);
	if (!m->no_boot) {
		struct wish *disk = vm_add(p, m, "disk", m->boot_type);

		disk->size_gib = m->boot_gib;
		disk->stays = m->boot_stays;
	}
	/* an ephemeral address is charged by the hour while its machine runs */
	if (!m->no_address)
		vm_add(p, m, "ip", "external")->provisioning = m->provisioning;
	return w;
}

/* ---- flags of instances -------------------------------------------------------------------- */

/* --custom-cpu and --custom-memory form the name of a type: "custom-4-5120", in another family
 * "n2-custom-4-5120". NULL: neither is given. */
static const char *custom_type(struct pasting *p)
{
	const char *cpu = paste_value(p, "custom-cpu"),
		   *memory = paste_value(p, "custom-memory"),
		   *family = paste_value(p, "custom-vm-type");
	int64_t vcpus, mib;
	bool other = family && strcmp(family, "n1") != 0;

	if (!cpu && !memory)
		return NULL;
	if (cpu && memory && str_to_i64(cpu, 1, 1024, &vcpus) &&
		paste_size(memory, 'G', &mib) && mib && (!family || is_type(family)))
		return arena_printf(p->a, "%s%scustom-%" PRId64 "-%" PRId64 "%s",
			other ? family : "", other ? "-" : "", vcpus, mib,
			paste_on(p, "custom-extensions") ? "-ext" : "");
	paste_refuse(p, "use --custom-cpu=4 --custom-memory=16GB",
		"the pasted command: --custom-cpu=%.20s --custom-memory=%.20s is "
		"not a valid machine",
		cpu ? cpu : "", memory ? memory : "");
	return NULL;
}

static const char *machine_type(struct pasting *p)
{
	const char *type = paste_value(p, "machine-type");

	type = type ? type : custom_type(p);
	if (type)
		return type;
	if (paste_has(p, "source-instance-template") ||
		paste_has(p, "source-machine-image")) {
		paste_note(p,
			"the machine and its disks are those of a template or an image, "
			"which cannot be read: no price");
		return NULL;
	}
	paste_note(p, "no --machine-type: %s, the default", DEFAULT_MACHINE);
	return DEFAULT_MACHINE;
}

/* Default size of gcloud for a disk of that type. */
static int64_t default_gib(const char *type)
{
	if (!strcmp(type, "pd-standard"))
		return 500;
	return !strcmp(type, "pd-extreme") ? 1000 : 100;
}

/* Size of a disk if none is given; 0: that of its source, so that it has no price. */
static int64_t unstated_gib(struct pasting *p, const char *missing, bool has_source,
	bool has_image, const char *type)
{
	int64_t gib = has_image ? IMAGE_GIB : default_gib(type);

	if (!has_source) {
		paste_note(p, "%s: %" PRId64 " GB assumed", missing, gib);
		return gib;
	}
	paste_note(p, "%s: it is as large as its source, whose size is unknown", missing);
	return 0;
}

static bool has_source(const struct pasting *p)
{
	return paste_has(p, "source-snapshot") || paste_has(p, "source-disk") ||
		paste_has(p, "source-instant-snapshot");
}

static void boot_disk(struct pasting *p, struct paste_machine *m)
{
	const char *size = paste_value(p, "boot-disk-size"),
		   *type = vm_type_of(
			   p, "--boot-disk-type", paste_value(p, "boot-disk-type"));

	m->boot_type = type ? type : vm_default_disk(m->type);
	m->boot_gib = size ? paste_gib(p, "--boot-disk-size", size) : IMAGE_GIB;
	if (size || m->no_boot)
		return;
	if (has_source(p))
		m->boot_gib = unstated_gib(
			p, "no --boot-disk-size", true, false, m->boot_type);
	else
		paste_note(p,
			"no --boot-disk-size: %d GB assumed; the disk is as large as the "
			"image, and images for machine learning have 50 GB or more",
			IMAGE_GIB);
}

static void add_new_disk(
	struct pasting *p, const struct paste_machine *m, const struct paste_word *w)
{
	struct paste_pairs pairs = paste_pairs(p, w->s);
	const char *size = paste_pair(&pairs, "size"), *boot = paste_pair(&pairs, "boot");
	const char *type = vm_type_of(p, "--create-disk=type", paste_pair(&pairs, "type"));
	bool boots = boot && (str_ieq(boot, "yes") || str_ieq(boot, "true"));
	bool image = paste_pair(&pairs, "image") || paste_pair(&pairs, "image-family");
	bool source = paste_pair(&pairs, "source-snapshot") ||
		paste_pair(&pairs, "source-instant-snapshot");
	struct wish *disk;

	type = type ? type : vm_default_disk(m->type);
	disk = vm_add(p, m, "disk", type);
	disk->size_gib = size ? paste_gib(p, "--create-disk=size", size)
			      : unstated_gib(p, "--create-disk without size", source,
					boots || image, type);
	disk->stays = str_eq(paste_pair(&pairs, "auto-delete"), "no");
	disk->regional = paste_pair(&pairs, "replica-zones") != NULL;
	if (disk->regional)
		disk->zone = NULL;
}

/* The next value of a flag that may be repeated, from the flag *i on; NULL: no more. */
static const struct paste_word *each_value(
	const struct pasting *p, const char *flag, size_t *i)
{
	for (; *i < p->flags.n; ++*i)
		if (!strcmp(p->flags.v[*i].name, flag) && p->flags.v[*i].value.s)
			return &p->flags.v[(*i)++].value;
	return NULL;
}

/* Tests whether a disk with boot=yes replaces the machine's own boot disk. */
static bool boots_elsewhere(const struct pasting *p)
{
	static const char *const flags[] = {"create-disk", "disk"};
	const struct paste_word *w;

	for (size_t k = 0; k < ARRAY_LEN(flags); k++)
		for (size_t i = 0; (w = each_value(p, flags[k], &i));)
			if (strstr(w->s, "boot=yes"))
				return true;
	return false;
}

static void add_new_disks(struct pasting *p, const struct paste_machine *m)
{
	const struct paste_word *w;

	for (size_t i = 0; (w = each_value(p, "create-disk", &i));) {
		if (w->hole != HOLE_NONE)
			paste_no(p, w, "--create-disk");
		add_new_disk(p, m, w);
	}
	if (paste_has(p, "disk"))
		paste_note(p, "--disk attaches an existing disk, which is already paid");
}

/* Local SSDs of the flags of node pools: "count=2" or "2". Without a number, and for types that
 * include them, the type decides (Kubernetes Engine, "LocalSsdCount": "zero or unset"). */
static void pool_local_ssd(struct pasting *p, const char *flag, struct wish *vm)
{
	const char *text, *count;
	struct paste_pairs pairs;
	int64_t n = 0;
	size_t at = 0;

	text = each_value(p, flag, &at) ? paste_value(p, flag) : NULL;
	if (!text || machine_bundled_ssd_gib(vm->type))
		return;
	pairs = paste_pairs(p, text);
	count = pairs.v[0].value ? paste_pair(&pairs, "count") : text;
	if (count && !str_to_i64(count, 0, MAX_LOCAL_SSD, &n))
		paste_refuse(p, "",
			"the pasted command: --%s: '%.40s' is not valid (expected 0 to %d)",
			flag, text, MAX_LOCAL_SSD);
	vm->local_ssd_gib += n * LOCAL_SSD_GIB;
}

static void read_local_ssd(struct pasting *p, struct wish *vm)
{
	static const char *const of_pools[] = {
		"ephemeral-storage-local-ssd", "local-nvme-ssd-block", "local-ssd-count"};

	for (size_t i = 0; i < ARRAY_LEN(of_pools); i++)
		pool_local_ssd(p, of_pools[i], vm);
	for (size_t i = 0, disks = 0; i < p->flags.n; i++) {
		const struct paste_flag *f = &p->flags.v[i];
		struct paste_pairs pairs;
		const char *size;

		if (strcmp(f->name, "local-ssd") != 0)
			continue;
		pairs = paste_pairs(p, f->value.s ? f->value.s : "");
		size = paste_pair(&pairs, "size");
		vm->local_ssd_gib += size ? paste_gib(p, "--local-ssd=size", size)
					  : LOCAL_SSD_GIB;
		if (++disks > MAX_LOCAL_SSD)
			paste_limit(p, "", "the pasted command: more than %d --local-ssd",
				MAX_LOCAL_SSD);
	}
}

static void vm_read_gpu(struct pasting *p, struct wish *vm)
{
	const char *text = paste_value(p, "accelerator"), *type, *count;
	struct paste_pairs pairs;

	if (!text)
		return;
	pairs = paste_pairs(p, text);
	type = paste_pair(&pairs, "type");
	count = paste_pair(&pairs, "count");
	vm->gpu_type = type ? str_after_last(type, '/') : "";
	vm->gpu_count = 1;
	if (!is_type(vm->gpu_type) ||
		(count && !str_to_i64(count, 1, 1024, &vm->gpu_count)))
		paste_refuse(p, "use --accelerator=type=nvidia-tesla-t4,count=1",
			"the pasted command: --accelerator: '%.60s' is not valid", text);
}

/* Compute Engine, "Sole-tenancy", "Confidential VM pricing" and "Tier_1 networking". */
static void note_unpriced(struct pasting *p)
{
	static const char *const flags[] = {"node", "node-group", "node-affinity-file",
		"confidential-compute", "confidential-compute-type",
		"network-performance-configs"};

	for (size_t i = 0; i < ARRAY_LEN(flags); i++)
		if (paste_on(p, flags[i]))
			paste_note(p,
				"--%s may have a price of its own, which is not included",
				flags[i]);
}

void paste_accessories(struct pasting *p, struct wish *vm)
{
	note_unpriced(p);
	vm_read_gpu(p, vm);
	read_local_ssd(p, vm);
	if (vm->local_ssd_gib && !strcmp(vm->kind, "tpu"))
		paste_note(p, "the local SSDs of a TPU are not included: no price here");
}

bool paste_is_internal(const struct pasting *p)
{
	const struct paste_word *w;
	bool any = false, all = true;

	for (size_t i = 0; (w = each_value(p, "network-interface", &i)); any = true)
		all = all && strstr(w->s, "no-address");
	return paste_on(p, "no-address") || (any && all);
}

static void note_throughput(struct pasting *p, const char *type)
{
	if (type && str_starts(type, "hyperdisk-"))
		paste_note(p,
			"%.40s is charged by capacity, IOPS and throughput: no price here",
			type);
}

void paste_machines(struct pasting *p, struct paste_machine *m)
{
	const char *action = paste_value(p, "instance-termination-action");
	struct wish *vm;

	if (action && !str_ieq(action, "stop") && !str_ieq(action, "delete"))
		paste_refuse(p, "use STOP or DELETE",
			"the pasted command: --instance-termination-action: '%.40s' is not "
			"valid",
			action);
	m->boot_stays = paste_has(p, "no-boot-disk-auto-delete");
	m->no_boot = boots_elsewhere(p);
	m->no_address = paste_is_internal(p);
	m->provisioning = paste_provisioning(p);
	m->type = machine_type(p);
	boot_disk(p, m);
	m->no_boot = m->no_boot || (!m->type && !paste_has(p, "boot-disk-size"));
	if (!m->no_boot)
		note_throughput(p, m->boot_type);
	vm = paste_machine(p, m);
	paste_run(p, vm);
	vm->stops = !str_eq(m->provisioning, "flex-start") &&
		!str_ieq(action ? action : "", "delete");
	paste_accessories(p, vm);
	add_new_disks(p, m);
}

static void vm_add_machines(struct pasting *p, const char *name, int64_t count)
{
	struct paste_machine m = {.name = name, .count = count, .at = paste_place(p)};

	paste_machines(p, &m);
}

void paste_vm(struct pasting *p)
{
	const char *name = NULL;
	int64_t count = 0;

	for (size_t i = 0; i < p->words.n; i++) {
		const struct paste_word *w = &p->words.v[i];

		/* gcloud accepts several names; "{1..4}" would be an unknown number of them */
		if (w->hole == HOLE_EXPANSION)
			paste_no(p, w, "the name");
		if (!*w->s)
			continue;
		name = paste_name(p, w);
		count++;
	}
	if (count > PROPOSAL_MAX_COUNT)
		paste_limit(p, "", "the pasted command: too many names");
	if (paste_has(p, "count"))
		paste_note(p, "--count was ignored: only instances bulk create has it");
	vm_add_machines(p, count == 1 ? name : NULL, count ? count : 1);
}

void paste_vm_bulk(struct pasting *p)
{
	const char *names = paste_value_or_note(p, "predefined-names");
	int64_t count = paste_count(
		p, "count", names ? (int64_t)paste_pairs(p, names).n : 0);

	if (!count)
		paste_refuse(p, "use --count=4", "%s: --count is missing", p->command);
	vm_add_machines(p, NULL, count);
}

/* ---- disks --------------------------------------------------------------------------------- */

static int64_t disk_size(struct pasting *p, const char *type)
{
	const char *size = paste_value(p, "size");

	if (size)
		return paste_gib(p, "--size", size);
	return unstated_gib(p, "no --size", has_source(p),
		paste_has(p, "image") || paste_has(p, "image-family"), type);
}

/* Two zones make a regional disk, at another price, even if only its replica zones are given. */
static void replicated(struct pasting *p, struct paste_place *at)
{
	const char *zones = paste_value(p, "replica-zones");

	if (!zones)
		return;
	at->zone = NULL;
	if (!paste_has(p, "region"))
		at->region = paste_region_of(
			p, str_after_last(paste_pairs(p, zones).v[0].key, '/'));
}

void paste_disk(struct pasting *p)
{
	const char *type, *name;
	int64_t count = paste_names(p, &name), gib;
	struct paste_place at = paste_place(p);
	struct wish *w;

	replicated(p, &at);
	type = vm_type_of(p, "--type=type=", paste_value(p, "type"));
	type = type ? type : DEFAULT_DISK;
	gib = disk_size(p, type);
	w = paste_wish(p, "disk");
	paste_put(w, &at);
	w->name = name;
	w->type = type;
	w->size_gib = gib;
	w->count = count ? count : 1;
	if (!at.zone && !at.region)
		paste_note(p, "no --zone: required for the price");
	note_throughput(p, w->type);
}
