/* Machines of pasted commands, with their disks and their address. Defaults: the
 * reference of gcloud, "compute instances create": n1-standard-1, a boot disk of the image's
 * size, an ephemeral external address. */
#include "cli/paste/internal.h"

#include "base/str.h"
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

static enum err_code vm_type_of(
	struct pasting *p, const char *what, const char *s, const char **out)
{
	s = str_after_last(s, '/');
	if (!is_type(s))
		return paste_refuse(p,
			arena_printf(p->a, "use a type such as %s",
				strstr(what, "disk") || strstr(what, "type=")
					? "pd-ssd"
					: "n1-standard-8"),
			"the pasted command: %s: '%.60s' is not a type", what, s);
	*out = s;
	return E_OK;
}

/* ---- a machine with its disks and address -------------------------------------------------- */

static const char *vm_owner_of(const struct paste_machine *m)
{
	return m->name ? m->name : "vm";
}

static struct wish *vm_add_disk(
	struct pasting *p, const struct paste_machine *m, const char *type, int64_t gib)
{
	struct wish *w = paste_wish(p, "disk");

	if (!w)
		return NULL;
	paste_put(w, &m->at);
	w->type = type;
	w->size_gib = gib;
	w->count = m->count;
	w->beside = vm_owner_of(m);
	return w;
}

/* An ephemeral address is charged by the hour while its machine runs. */
static enum err_code vm_add_address(struct pasting *p, const struct paste_machine *m)
{
	struct wish *w = m->no_address ? NULL : paste_wish(p, "ip");

	if (!w)
		return p->e->code;
	paste_put(w, &m->at);
	w->type = "external";
	w->provisioning = m->provisioning;
	w->count = m->count;
	w->beside = vm_owner_of(m);
	return E_OK;
}

enum err_code paste_machine(
	struct pasting *p, const struct paste_machine *m, struct wish **vm)
{
	struct machine known;
	const char *type = m->type;
	struct wish *w = paste_wish(p, "vm");

	if (!w || (type && vm_type_of(p, "--machine-type", type, &type)))
		return p->e->code;
	if (type && !machine_parse(type, &known))
		paste_note(p, "the machine type %s is unknown: it has no price here", type);
	else if (type && known.tpu_host)
		w->kind = "tpu"; /* a TPU that is a Compute instance */
	paste_put(w, &m->at);
	w->name = m->name;
	w->type = type;
	w->provisioning = m->provisioning;
	w->count = m->count;
	*vm = w;
	if (!m->at.zone && !m->at.region)
		paste_note(p, "no --zone: required for price and coverage");
	if (!m->no_boot && !vm_add_disk(p, m, m->boot_type, m->boot_gib))
		return p->e->code;
	return vm_add_address(p, m);
}

/* ---- flags of instances -------------------------------------------------------------------- */

/* --custom-cpu and --custom-memory form the name of a type: "custom-4-5120", in another family
 * "n2-custom-4-5120". */
static enum err_code custom_type(struct pasting *p, const char **out)
{
	const char *cpu, *memory, *family;
	int64_t vcpus, mib;

	if (paste_value(p, "custom-cpu", &cpu) ||
		paste_value(p, "custom-memory", &memory) ||
		paste_value(p, "custom-vm-type", &family))
		return p->e->code;
	if (!cpu && !memory)
		return E_OK;
	if (!cpu || !memory || !str_to_i64(cpu, 1, 1024, &vcpus) ||
		!paste_size(memory, 'G', &mib) || !mib || (family && !is_type(family)))
		return paste_refuse(p, "use --custom-cpu=4 --custom-memory=16GB",
			"the pasted command: --custom-cpu=%.20s --custom-memory=%.20s is "
			"not a valid machine",
			cpu ? cpu : "", memory ? memory : "");
	*out = arena_printf(p->a, "%s%scustom-%" PRId64 "-%" PRId64 "%s",
		family && strcmp(family, "n1") != 0 ? family : "",
		family && strcmp(family, "n1") != 0 ? "-" : "", vcpus, mib,
		paste_on(p, "custom-extensions") ? "-ext" : "");
	return E_OK;
}

static enum err_code machine_type(struct pasting *p, const char **out)
{
	bool templated = paste_has(p, "source-instance-template") ||
		paste_has(p, "source-machine-image");

	if (paste_value(p, "machine-type", out))
		return p->e->code;
	if (!*out && custom_type(p, out))
		return p->e->code;
	if (*out)
		return E_OK;
	if (templated) {
		paste_note(p,
			"the machine and its disks are those of a template or an image, "
			"which cannot be read: no price");
		return E_OK;
	}
	paste_note(p, "no --machine-type: %s, the default", DEFAULT_MACHINE);
	*out = DEFAULT_MACHINE;
	return E_OK;
}

static enum err_code boot_disk(struct pasting *p, struct paste_machine *m)
{
	const char *size, *type;

	m->boot_type = DEFAULT_DISK;
	m->boot_gib = IMAGE_GIB;
	if (paste_value(p, "boot-disk-size", &size) ||
		paste_value(p, "boot-disk-type", &type))
		return p->e->code;
	if (type && vm_type_of(p, "--boot-disk-type", type, &m->boot_type))
		return p->e->code;
	if (size)
		return paste_gib(p, "--boot-disk-size", size, &m->boot_gib);
	if (!m->no_boot)
		paste_note(p,
			"no --boot-disk-size: %d GB assumed; the disk is as large as the "
			"image, and images for machine learning have 50 GB or more",
			IMAGE_GIB);
	return E_OK;
}

/* Default size of gcloud for a disk of that type. */
static int64_t default_gib(const char *type)
{
	if (!strcmp(type, "pd-standard"))
		return 500;
	return !strcmp(type, "pd-extreme") ? 1000 : 100;
}

struct new_disk {
	const char *type;
	int64_t gib;
	bool boot;
};

static enum err_code read_new_disk(
	struct pasting *p, const struct paste_word *w, struct new_disk *d)
{
	size_t n;
	const struct paste_pair *v;
	const char *size, *type, *boot;

	if (w->hole != HOLE_NONE)
		return paste_no(p, w, "--create-disk");
	v = paste_pairs(p, w->s, &n);
	size = paste_pair(v, n, "size");
	type = paste_pair(v, n, "type");
	boot = paste_pair(v, n, "boot");
	*d = (struct new_disk){.type = DEFAULT_DISK};
	d->boot = boot && (str_ieq(boot, "yes") || str_ieq(boot, "true"));
	if (type && vm_type_of(p, "--create-disk=type", type, &d->type))
		return p->e->code;
	if (size)
		return paste_gib(p, "--create-disk=size", size, &d->gib);
	d->gib = d->boot || paste_pair(v, n, "image") || paste_pair(v, n, "image-family")
		? IMAGE_GIB
		: default_gib(d->type);
	paste_note(p, "--create-disk without size: %" PRId64 " GB assumed", d->gib);
	return E_OK;
}

/* Tests whether a disk with boot=yes replaces the machine's own boot disk. */
static bool boots_elsewhere(const struct pasting *p)
{
	for (size_t i = 0; i < p->args.n_flags; i++) {
		const struct paste_flag *f = &p->args.flags[i];

		if ((!strcmp(f->name, "create-disk") || !strcmp(f->name, "disk")) &&
			f->has_value && strstr(f->value.s, "boot=yes"))
			return true;
	}
	return false;
}

static enum err_code add_new_disks(struct pasting *p, const struct paste_machine *m)
{
	for (size_t i = 0; i < p->args.n_flags; i++) {
		struct new_disk d;

		if (strcmp(p->args.flags[i].name, "create-disk") != 0 ||
			!p->args.flags[i].has_value)
			continue;
		if (read_new_disk(p, &p->args.flags[i].value, &d) ||
			!vm_add_disk(p, m, d.type, d.gib))
			return p->e->code;
	}
	if (paste_has(p, "disk"))
		paste_note(p, "--disk attaches an existing disk, which is already paid");
	return E_OK;
}

static enum err_code read_local_ssd(struct pasting *p, struct wish *vm)
{
	for (size_t i = 0, disks = 0; i < p->args.n_flags; i++) {
		const struct paste_flag *f = &p->args.flags[i];
		const char *size;
		size_t n;
		int64_t gib = LOCAL_SSD_GIB;
		const struct paste_pair *v;

		if (strcmp(f->name, "local-ssd") != 0)
			continue;
		v = f->has_value ? paste_pairs(p, f->value.s, &n) : NULL;
		size = v ? paste_pair(v, n, "size") : NULL;
		if ((size && paste_gib(p, "--local-ssd=size", size, &gib)))
			return p->e->code;
		if (++disks > MAX_LOCAL_SSD)
			return err_set(p->e, E_LIMIT,
				"the pasted command: more than %d --local-ssd",
				MAX_LOCAL_SSD);
		vm->local_ssd_gib += gib;
	}
	return E_OK;
}

static enum err_code vm_read_gpu(struct pasting *p, struct wish *vm)
{
	const char *text, *type, *count;
	const struct paste_pair *v;
	size_t n;

	if (paste_value(p, "accelerator", &text) || !text)
		return p->e->code;
	v = paste_pairs(p, text, &n);
	type = paste_pair(v, n, "type");
	count = paste_pair(v, n, "count");
	vm->gpu_count = 1;
	if (!type || vm_type_of(p, "--accelerator", type, &vm->gpu_type) ||
		(count && !str_to_i64(count, 1, 1024, &vm->gpu_count)))
		return paste_refuse(p, "use --accelerator=type=nvidia-tesla-t4,count=1",
			"the pasted command: --accelerator: '%.60s' is not valid", text);
	return E_OK;
}

/* Tests for no external address: --no-address, or all interfaces without one. */
static bool is_internal(const struct pasting *p)
{
	bool any = false, all = true;

	for (size_t i = 0; i < p->args.n_flags; i++) {
		const struct paste_flag *f = &p->args.flags[i];

		if (strcmp(f->name, "network-interface") != 0 || !f->has_value)
			continue;
		any = true;
		all = all && strstr(f->value.s, "no-address");
	}
	return paste_on(p, "no-address") || (any && all);
}

static void note_throughput(struct pasting *p, const char *type)
{
	if (type && str_starts(type, "hyperdisk-"))
		paste_note(p,
			"%.40s is charged by capacity, IOPS and throughput: no price here",
			type);
}

static enum err_code vm_add_machines(struct pasting *p, const char *name, int64_t count)
{
	struct paste_machine m = {.name = name, .count = count};
	struct wish *vm;

	m.no_boot = boots_elsewhere(p);
	m.no_address = is_internal(p);
	if (paste_place(p, &m.at) || paste_provisioning(p, &m.provisioning) ||
		machine_type(p, &m.type) || boot_disk(p, &m))
		return p->e->code;
	m.no_boot = m.no_boot || (!m.type && !paste_has(p, "boot-disk-size"));
	note_throughput(p, m.boot_type);
	if (paste_machine(p, &m, &vm) || vm_read_gpu(p, vm) || read_local_ssd(p, vm))
		return p->e->code;
	return add_new_disks(p, &m);
}

enum err_code paste_vm(struct pasting *p)
{
	const char *name = NULL;
	int64_t count = 0;

	for (size_t i = 0; i < p->args.n_words; i++) {
		const struct paste_word *w = &p->args.words[i];

		/* gcloud accepts several names; "{1..4}" would be an unknown number of them */
		if (w->hole == HOLE_EXPANSION)
			return paste_no(p, w, "the name");
		if (!*w->s)
			continue;
		name = paste_name(p, w);
		count++;
	}
	if (count > PROPOSAL_MAX_COUNT)
		return err_set(p->e, E_LIMIT, "the pasted command: too many names");
	return vm_add_machines(p, count == 1 ? name : NULL, count ? count : 1);
}

enum err_code paste_vm_bulk(struct pasting *p)
{
	const char *names = paste_value_or_note(p, "predefined-names");
	int64_t count = 0;
	size_t n = 0;

	if (names)
		paste_pairs(p, names, &n);
	if (paste_count(p, "count", &count))
		return p->e->code;
	count = count ? count : (int64_t)n;
	if (!count)
		return paste_refuse(
			p, "use --count=4", "%s: --count is missing", p->command);
	return vm_add_machines(p, NULL, count);
}

/* ---- disks --------------------------------------------------------------------------------- */

static enum err_code disk_size(struct pasting *p, const char *type, int64_t *gib)
{
	const char *size;

	if (paste_value(p, "size", &size))
		return p->e->code;
	if (size)
		return paste_gib(p, "--size", size, gib);
	if (paste_has(p, "source-snapshot") || paste_has(p, "source-disk")) {
		paste_note(p,
			"no --size: it is as large as its source, whose size is "
			"unknown");
		return E_OK;
	}
	*gib = paste_has(p, "image") || paste_has(p, "image-family") ? IMAGE_GIB
								     : default_gib(type);
	paste_note(p, "no --size: %" PRId64 " GB assumed", *gib);
	return E_OK;
}

/* Two zones make a regional disk, at another price, even if only its replica zones are given. */
static enum err_code replicated(struct pasting *p, struct paste_place *at)
{
	const char *zones;
	size_t n;

	if (paste_value(p, "replica-zones", &zones) || !zones)
		return p->e->code;
	at->zone = NULL;
	if (!paste_has(p, "region"))
		at->region = paste_region_of(
			p, str_after_last(paste_pairs(p, zones, &n)->key, '/'));
	return E_OK;
}

enum err_code paste_disk(struct pasting *p)
{
	const char *type, *name;
	struct paste_place at;
	struct wish *w;
	int64_t gib = 0, count;

	if (paste_names(p, &name, &count) || paste_place(p, &at) || replicated(p, &at) ||
		paste_value(p, "type", &type) ||
		(type && vm_type_of(p, "--type=type=", type, &type)) ||
		disk_size(p, type ? type : DEFAULT_DISK, &gib))
		return p->e->code;
	w = paste_wish(p, "disk");
	if (!w)
		return p->e->code;
	paste_put(w, &at);
	w->name = name;
	w->type = type ? type : DEFAULT_DISK;
	w->size_gib = gib;
	w->count = count ? count : 1;
	if (!at.zone && !at.region)
		paste_note(p, "no --zone: required for the price");
	note_throughput(p, w->type);
	return E_OK;
}
