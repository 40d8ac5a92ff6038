/* Slices of pasted commands that are several machines: node pools of Kubernetes Engine, and managed
 * instance groups with the template in the same text. Defaults: the reference of gcloud, "container
 * node-pools create" (e2-medium; in each zone 3 nodes, or the hosts of one slice; a boot disk of
 * 100 GB), "compute instance-groups managed create" and "compute instance-templates create". */
#include "cli/paste/internal.h"

#include "base/str.h"
#include "rules/grant/tpu.h"

#include <inttypes.h>

#define POOL_MACHINE "e2-medium"
#define POOL_NODES 3
#define POOL_DISK "pd-balanced"
#define POOL_GIB 100

/* Machines; those of a TPU slice are one TPU: "16 x ct6e-standard-4t". */
static void slice_add(
	struct pasting *p, const struct paste_machine *m, const char *longest, bool slice)
{
	struct wish *w = paste_machine(p, m);

	paste_run_limit(p, w, longest);
	if (slice && m->type && tpu_host_chips(m->type) && m->count > 1) {
		w->type = arena_printf(p->a, "%" PRId64 " x %s", m->count, m->type);
		w->count = 1;
	}
}

/* ---- node pools -------------------------------------------------------------------------------- */

/* Hosts of a slice of --tpu-topology; 0 if the flag is absent or was refused. */
static int64_t pool_hosts(struct pasting *p, const char *type)
{
	const char *topology = paste_value(p, "tpu-topology");
	int64_t chips = topology ? str_product(topology, 100000) : 0;
	int64_t host = tpu_host_chips(type);

	if (!topology)
		return 0;
	if (!chips || !host || chips % host != 0 || !tpu_topology_valid(type, topology))
		paste_refuse(p, "use --machine-type=ct6e-standard-4t --tpu-topology=4x4",
			"the pasted command: --tpu-topology: '%.40s' does not fit %.40s",
			topology, type);
	return host ? chips / host : 0;
}

/* Nodes in each zone. Pools of flex-start nodes begin with none (Kubernetes Engine, "Flex-start"). */
static int64_t pool_nodes(struct pasting *p, int64_t hosts)
{
	const char *most = paste_value(p, "max-nodes");

	if (hosts > 1)
		return hosts;
	if (!str_eq(paste_value(p, "num-nodes"), "0")) {
		if (most)
			paste_note(p,
				"nodes that are added up to --max-nodes are not included");
		return paste_count(p, "num-nodes", POOL_NODES);
	}
	if (!most) {
		paste_note(p, "a pool of 0 nodes costs nothing until it is resized");
		return 0;
	}
	paste_note(p, "it begins with 0 nodes: estimated with all of --max-nodes");
	return paste_count(p, "max-nodes", 0);
}

void paste_node_pool(struct pasting *p)
{
	const char *type = paste_value(p, "machine-type"),
		   *zones = paste_value(p, "node-locations"),
		   *disk = paste_value(p, "disk-type"), *gib = paste_value(p, "disk-size");
	struct paste_machine m = {.name = paste_only_name(p),
		.type = type ? type : POOL_MACHINE,
		.boot_type = disk ? disk : POOL_DISK,
		.boot_gib = gib ? paste_gib(p, "--disk-size", gib) : POOL_GIB,
		.no_address = paste_on(p, "enable-private-nodes"),
		.provisioning = paste_provisioning(p),
		.at = paste_place(p),
		.zone_flag = "node-locations"};
	struct paste_pairs list = {0};
	int64_t hosts = pool_hosts(p, m.type);
	const char *longest = paste_value(p, "max-run-duration");

	if (!type)
		paste_note(p, "no --machine-type: %s, the default", POOL_MACHINE);
	if (zones)
		list = paste_pairs(p, zones);
	else if (!m.at.zone)
		paste_note(p,
			"a regional cluster has nodes in several zones: one is assumed, "
			"without --node-locations");
	m.count = pool_nodes(p, hosts);
	for (size_t i = 0; m.count && i < (list.n ? list.n : 1); i++) {
		if (list.n)
			m.at.zone = paste_zone(p, m.zone_flag, list.v[i].key);
		if (list.n)
			m.at.region = paste_region_of(p, m.at.zone);
		slice_add(p, &m, longest, hosts > 1);
	}
}

/* ---- managed instance groups ------------------------------------------------------------------- */

static const char *slice_template(struct pasting *p, const char *name, const char *what)
{
	return arena_printf(
		p->a, "instance-template %s %s", str_after_last(name, '/'), what);
}

static void slice_keep(
	struct pasting *p, const char *name, const char *what, const char *value)
{
	const struct paste_word w = {.s = value};

	if (value)
		paste_set(p, slice_template(p, name, what), &w);
}

/* Creates nothing that costs money: it is kept for the groups of the text. */
void paste_template(struct pasting *p)
{
	const char *name = paste_only_name(p);

	if (!name)
		return;
	slice_keep(p, name, "type", paste_value(p, "machine-type"));
	slice_keep(p, name, "class", paste_provisioning(p));
	slice_keep(p, name, "disk", paste_value(p, "boot-disk-type"));
	slice_keep(p, name, "size", paste_value(p, "boot-disk-size"));
	slice_keep(p, name, "longest", paste_value(p, "max-run-duration"));
	slice_keep(p, name, "internal", paste_is_internal(p) ? "" : NULL);
}

static const char *slice_kept(struct pasting *p, const char *name, const char *what)
{
	const struct paste_word *w = paste_variable(p, slice_template(p, name, what));

	return w ? w->s : NULL;
}

void paste_managed_group(struct pasting *p)
{
	const char *from = paste_value(p, "template"), *zones = paste_value(p, "zones"),
		   *size = paste_value(p, "size"), *disk, *gib;
	struct paste_machine m = {.name = paste_only_name(p),
		.count = str_eq(size, "0") ? 0 : paste_count(p, "size", 1),
		.at = paste_place(p),
		.zone_flag = paste_has(p, "region") || zones ? "zones" : NULL};

	if (!from || !slice_kept(p, from, "type")) {
		paste_refuse(p, "also paste: gcloud compute instance-templates create",
			"the pasted command: the machine type of the template '%.60s' is "
			"unknown",
			from ? from : "");
		return;
	}
	m.type = slice_kept(p, from, "type");
	m.provisioning = slice_kept(p, from, "class");
	m.no_address = slice_kept(p, from, "internal");
	disk = slice_kept(p, from, "disk");
	gib = slice_kept(p, from, "size");
	m.boot_type = disk;
	m.boot_gib = gib ? paste_gib(p, "--boot-disk-size", gib) : 0;
	m.no_boot = !disk || !gib;
	if (zones && paste_pairs(p, zones).n == 1)
		m.at.zone = paste_zone(p, "zones", zones);
	if (m.no_boot)
		paste_note(p,
			"the boot disks of the template have no type or size: they "
			"are not included");
	if (m.count)
		slice_add(p, &m, slice_kept(p, from, "longest"),
			paste_has(p, "workload-policy"));
	else
		paste_note(p, "a group of size 0 costs nothing until it is resized");
}
