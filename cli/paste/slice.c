/* Slices of pasted commands that are several machines: node pools of Kubernetes Engine, and managed
 * instance groups with the template in the same text. Defaults: the reference of gcloud, "container
 * node-pools create" (e2-medium; in each zone 3 nodes, or the hosts of one slice; a boot disk of
 * 100 GB), "compute instance-groups managed create" and "compute instance-templates create"; Kubernetes
 * Engine, "Creating a regional cluster" (3 zones). */
#include "cli/paste/internal.h"

#include "base/str.h"
#include "rules/grant/tpu.h"

#include <inttypes.h>
#include <string.h>

#define POOL_MACHINE "e2-medium"
#define POOL_NODES 3
#define POOL_ZONES 3
#define POOL_DISK "pd-balanced"
#define POOL_GIB 100

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
		paste_refuse(p,
			host ? arena_printf(p->a, "use %s", tpu_topologies(type, p->a))
			     : "use --machine-type=ct6e-standard-4t --tpu-topology=4x4",
			"the pasted command: --tpu-topology: '%.40s' does not fit %.40s",
			topology, type);
	return host ? chips / host : 0;
}

/* Nodes in each zone, or with *total in all of them. Pools of flex-start nodes begin with none
 * (Kubernetes Engine, "Flex-start"). */
static int64_t pool_nodes(struct pasting *p, int64_t hosts, bool *total)
{
	bool of_all = paste_has(p, "total-max-nodes");
	const char *most = of_all ? "total-max-nodes" : "max-nodes",
		   *n = paste_value(p, "num-nodes");

	*total = false;
	if (hosts > 1 && n && strcmp(n, "0") != 0 &&
		paste_count(p, "num-nodes", hosts) != hosts)
		paste_refuse(p, arena_printf(p->a, "use --num-nodes=%" PRId64, hosts),
			"the pasted command: --num-nodes: a slice of --tpu-topology=%.40s "
			"has %" PRId64 " hosts",
			paste_value(p, "tpu-topology"), hosts);
	if (hosts > 1)
		return hosts;
	if (!str_eq(n, "0")) {
		if (paste_has(p, most))
			paste_note(p, "nodes that are added up to --%s are not included",
				most);
		return paste_count(p, "num-nodes", POOL_NODES);
	}
	if (!paste_has(p, most)) {
		paste_note(p, "a pool of 0 nodes costs nothing until it is resized");
		return 0;
	}
	paste_note(p, "it begins with 0 nodes: estimated with all of --%s", most);
	*total = of_all;
	return paste_count(p, most, 0);
}

void paste_node_pool(struct pasting *p)
{
	const char *type = paste_value(p, "machine-type"),
		   *zones = paste_value(p, "node-locations"),
		   *disk = paste_value(p, "disk-type"), *gib = paste_value(p, "disk-size");
	struct paste_machine m = {.name = paste_only_name(p),
		.type = type ? type : POOL_MACHINE,
		.boot_type = disk ? disk : tpu_boot_disk(type),
		.boot_gib = gib ? paste_gib(p, "--disk-size", gib) : POOL_GIB,
		.no_address = paste_on(p, "enable-private-nodes"),
		.provisioning = paste_provisioning(p),
		.at = paste_place(p),
		.zone_flag = "node-locations"};
	struct paste_pairs list = {0};
	int64_t hosts = pool_hosts(p, m.type), nodes;
	bool total;
	struct wish *vm;

	m.boot_type = m.boot_type ? m.boot_type : POOL_DISK;
	m.slice = hosts > 1;
	if (!type)
		paste_note(p, "no --machine-type: %s, the default", POOL_MACHINE);
	if (zones)
		list = paste_pairs(p, zones);
	nodes = pool_nodes(p, hosts, &total);
	if (!zones && !m.at.zone && m.at.region) {
		nodes *= total ? 1 : POOL_ZONES;
		paste_note(p,
			"no --node-locations: a regional cluster has its nodes in %d zones "
			"by default; which ones is unknown",
			POOL_ZONES);
	}
	if (total && list.n > 1)
		paste_note(
			p, "--total-max-nodes counts all zones: estimated evenly in them");
	for (size_t i = 0; nodes && i < (list.n ? list.n : 1); i++) {
		for (size_t k = 0; k < i; k++)
			if (!strcmp(list.v[k].key, list.v[i].key))
				paste_refuse(p, "name each zone once",
					"the pasted command: --node-locations: %.60s twice",
					list.v[i].key);
		if (list.n)
			m.at.zone = paste_zone(p, m.zone_flag, list.v[i].key);
		if (list.n)
			m.at.region = paste_region_of(p, m.at.zone);
		m.count = !total || !list.n
			? nodes
			: (nodes + (int64_t)(list.n - i) - 1) / (int64_t)list.n;
		if (!m.count)
			continue;
		vm = paste_machine(p, &m);
		paste_run(p, vm);
		paste_accessories(p, vm);
	}
}

/* ---- managed instance groups ------------------------------------------------------------------- */

/* Creates nothing that costs money: it is kept for the groups of the text. */
void paste_template(struct pasting *p)
{
	const char *name = paste_only_name(p);

	if (name)
		*arena_push(p->a, &p->templates) = (struct paste_template){name, p->flags};
}

/* The last one of that name. */
static const struct paste_template *slice_template(
	const struct pasting *p, const char *name)
{
	for (size_t i = p->templates.n; name && i > 0; i--)
		if (!strcmp(p->templates.v[i - 1].name, str_after_last(name, '/')))
			return &p->templates.v[i - 1];
	return NULL;
}

void paste_managed_group(struct pasting *p)
{
	const char *from = paste_value(p, "template"), *zones = paste_value(p, "zones"),
		   *size = paste_value(p, "size");
	struct paste_machine m = {.name = paste_only_name(p),
		.count = str_eq(size, "0") ? 0 : paste_count(p, "size", 1),
		.slice = paste_has(p, "workload-policy"),
		.at = paste_place(p),
		.zone_flag = paste_has(p, "region") || zones ? "zones" : NULL};
	const struct paste_template *template = slice_template(p, from);
	struct paste_flags own = p->flags;

	if (!template) {
		paste_refuse(p, "also paste: gcloud compute instance-templates create",
			"the pasted command: the machine type of the template '%.60s' is "
			"unknown",
			from ? from : "");
		return;
	}
	if (zones && paste_pairs(p, zones).n == 1)
		m.at.zone = paste_zone(p, "zones", zones);
	if (!m.count)
		paste_note(p, "a group of size 0 costs nothing until it is resized");
	p->flags = template->flags;
	if (m.count)
		paste_machines(p, &m);
	p->flags = own;
}
