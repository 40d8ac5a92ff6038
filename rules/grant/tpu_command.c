/* Commands for the user: to save the files of a TPU and delete it, and to create the same TPU on Compute Engine. */
#include "rules/grant/tpu.h"

#include "base/sbuf.h"
#include "base/str.h"
#include "rules/grant/tpu_internal.h"

#include <stdio.h>
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
	return !strcmp(t->source, "vm") || !strcmp(t->source, "slice");
}

static bool command_is_regional(const struct tpu_target *t)
{
	return str_starts(t->group, "regions/");
}

static bool command_is_pool(const struct tpu_target *t)
{
	return t->group && str_starts(t->group, "locations/");
}

/* " --region=R --project=P" of a managed instance group. */
static void command_add_group_place(
	struct sbuf *b, const struct tpu_target *t, struct arena *a)
{
	const char *place = strchr(t->group, '/') + 1;

	sbuf_adds(b, command_is_regional(t) ? " --region=" : " --zone=");
	sbuf_add_shell(b, arena_strndup(a, place, strcspn(place, "/")));
	sbuf_adds(b, " --project=");
	sbuf_add_shell(b, t->project);
}

/* gcloud reference, "compute instance-groups managed resize" and "delete-instances": a group creates
 * machines again that are deleted otherwise. */
static const char *command_shrink_group(const struct tpu_target *t, struct arena *a)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	const char *group = str_after_last(t->group, '/');
	bool whole = !strcmp(group, t->name);

	sbuf_addf(&b, "gcloud compute instance-groups managed %s ",
		whole ? "resize" : "delete-instances");
	sbuf_add_shell(&b, group);
	if (!whole) {
		sbuf_adds(&b, " --instances=");
		sbuf_add_shell(&b, t->name);
	}
	sbuf_adds(&b, whole ? " --size=0" : "");
	command_add_group_place(&b, t, a);
	return arena_strdup(a, b.s);
}

/* Appends the command `verb` for the cluster of a node pool, "locations/L/clusters/C/nodePools/N", with its
 * `flags`. False: the group names none. */
static bool command_add_cluster(struct sbuf *b, const struct tpu_target *t,
	const char *verb, const char *flags, struct arena *a)
{
	const char *place = strchr(t->group, '/') + 1;
	const char *cluster = strstr(place, "/clusters/");

	if (!cluster)
		return false;
	cluster += strlen("/clusters/");
	sbuf_addf(b, "gcloud container clusters %s ", verb);
	sbuf_add_shell(b, arena_strndup(a, cluster, strcspn(cluster, "/")));
	sbuf_addf(b, "%s --location=", flags);
	sbuf_add_shell(b, arena_strndup(a, place, strcspn(place, "/")));
	sbuf_adds(b, " --project=");
	sbuf_add_shell(b, t->project);
	return true;
}

/* gcloud reference, "container clusters resize". */
static const char *command_shrink_pool(const struct tpu_target *t, struct arena *a)
{
	cleanup(sbuf_done) struct sbuf flags = SBUF_INIT, b = SBUF_INIT;

	sbuf_adds(&flags, " --node-pool=");
	sbuf_add_shell(&flags, str_after_last(t->group, '/'));
	sbuf_adds(&flags, " --num-nodes=0");
	if (!command_add_cluster(&b, t, "resize", flags.s, a))
		return NULL;
	if (t->also)
		sbuf_addf(&b, " # also ends its nodes in %s", t->also);
	return arena_strdup(a, b.s);
}

/* gcloud reference, "compute instance-groups managed resize-requests cancel". */
static const char *command_cancel_resize(const struct tpu_target *t, struct arena *a)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_adds(&b, "gcloud compute instance-groups managed resize-requests cancel ");
	sbuf_add_shell(&b, str_after_last(t->group, '/'));
	sbuf_adds(&b, " --resize-requests=");
	sbuf_add_shell(&b, t->name);
	command_add_place(&b, t);
	return arena_strdup(a, b.s);
}

/* The TPUs of a queued resource are deleted with it, and only with it. */
const char *tpu_delete_command(const struct tpu_target *t, struct arena *a)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	bool queued = !command_is_machine(t) && (!strcmp(t->source, "queued") || t->queued);

	if (t->group && !strcmp(t->source, "resize"))
		return command_cancel_resize(t, a);
	if (t->group)
		return command_is_pool(t) ? command_shrink_pool(t, a)
					  : command_shrink_group(t, a);
	sbuf_adds(&b,
		command_is_machine(t) ? "gcloud compute instances delete "
			: queued      ? "gcloud compute tpus queued-resources delete "
				      : "gcloud compute tpus tpu-vm delete ");
	sbuf_add_shell(&b, queued && t->queued ? t->queued : t->name);
	command_add_place(&b, t);
	sbuf_adds(&b, queued ? " --force" : "");
	return arena_strdup(a, b.s);
}

/* Pods have the files of a node pool. kubectl reference, "kubectl cp". */
static const char *command_copy_pods(const struct tpu_target *t, struct arena *a)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	if (!command_add_cluster(&b, t, "get-credentials", "", a))
		return NULL;
	sbuf_adds(&b, " && kubectl cp NAMESPACE/POD:OUTPUT ");
	sbuf_add_shell(&b, arena_printf(a, "./%s/POD", t->name));
	sbuf_adds(&b, " # for each pod: set NAMESPACE, POD and OUTPUT");
	return arena_strdup(a, b.s);
}

/* Begins a loop over the hosts of a slice, which its group lists. gcloud reference, "compute instance-groups
 * managed list-instances". */
static void command_add_loop(struct sbuf *b, const struct tpu_target *t, struct arena *a)
{
	sbuf_adds(
		b, "for host in $(gcloud compute instance-groups managed list-instances ");
	sbuf_add_shell(b, str_after_last(t->group, '/'));
	command_add_group_place(b, t, a);
	if (command_is_regional(t)) {
		sbuf_adds(b, " --filter=");
		sbuf_add_shell(b, arena_printf(a, "instance~/zones/%s/", t->zone));
	}
	sbuf_adds(b, " --format='value(instance.basename())'); do ");
}

const char *tpu_copy_command(const struct tpu_target *t, struct arena *a)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT, into = SBUF_INIT;

	if (command_is_pool(t))
		return command_copy_pods(t, a);
	sbuf_add_shell(&into, arena_printf(a, "./%s/", t->name));
	if (t->group) {
		command_add_loop(&b, t, a);
		sbuf_addf(&b, "mkdir -p %s\"$host\"; ", into.s);
	}
	sbuf_adds(&b,
		command_is_machine(t)
			? "gcloud compute scp --recurse "
			: "gcloud compute tpus tpu-vm scp --recurse --worker=all ");
	if (t->group)
		sbuf_adds(&b, "\"$host:~/OUTPUT\"");
	else
		sbuf_add_shell(&b, arena_printf(a, "%s:~/OUTPUT", t->name));
	sbuf_addf(&b, " %s%s", into.s, t->group ? "\"$host\"/" : "");
	command_add_place(&b, t);
	sbuf_adds(&b, t->group ? "; done" : "");
	return arena_strdup(a, b.s);
}

const char *tpu_storage_command(
	const struct tpu_target *t, const char *bucket, struct arena *a)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	if (command_is_pool(t))
		return NULL;
	if (t->group)
		command_add_loop(&b, t, a);
	sbuf_adds(&b,
		command_is_machine(t) ? "gcloud compute ssh "
				      : "gcloud compute tpus tpu-vm ssh ");
	if (t->group)
		sbuf_adds(&b, "\"$host\"");
	else
		sbuf_add_shell(&b, t->name);
	command_add_place(&b, t);
	sbuf_adds(&b, command_is_machine(t) ? " --command=" : " --worker=all --command=");
	sbuf_add_shell(&b,
		arena_printf(a, "gcloud storage cp -r ~/OUTPUT gs://%s/%s/$(hostname)/",
			bucket ? bucket : "BUCKET", t->name));
	sbuf_adds(&b, t->group ? "; done" : "");
	return arena_strdup(a, b.s);
}

/* ---- the same TPU on Compute Engine --------------------------------------------------------------- */

/* Cloud TPU documentation, "Cloud TPU resources in Compute Engine": the image of the families that
 * its own API has. Without the scope, the machine cannot write to buckets. */
#define ORDER_MACHINE                                                           \
	" --maintenance-policy=TERMINATE"                                       \
	" --image-family=ubuntu-accel-2204-amd64-tpu-v5e-v5p-v6e"               \
	" --image-project=ubuntu-os-accelerator-images --scopes=cloud-platform" \
	" --boot-disk-size=100GB --boot-disk-type="
#define LONGEST_HOURS 168 /* of a flex-start TPU: 7 days */

/* NULL: unknown. Of a power of two Google chooses the shape with the most equal sides: "4x8", "2x2x4". */
static const char *order_topology(
	const struct tpu_order *o, const struct tpu_type *t, struct arena *a)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	int sides = tpu_sides(t->family);
	int power = __builtin_ctzll((uint64_t)t->chips);

	if (o->topology)
		return str_product(o->topology, TPU_MAX_NUMBER) == t->chips ? o->topology
									    : NULL;
	if (t->chips != INT64_C(1) << power)
		return NULL;
	for (int i = 0; i < sides; i++)
		sbuf_addf(&b, "%s%d", i ? "x" : "",
			1 << (power / sides + (i >= sides - power % sides)));
	return arena_strdup(a, b.s);
}

static void order_add(struct sbuf *b, const char *flag, const char *value)
{
	sbuf_adds(b, flag);
	sbuf_add_shell(b, value);
}

/* Flags of a machine, or of the template of several. gcloud reference, "compute instances create".
 * Flex-start and reserved machines are deleted at their end; only a machine of its own waits. */
static void order_add_machine(
	struct sbuf *b, const struct tpu_order *o, int64_t chips, bool alone)
{
	char type[TPU_NAME_BUF];
	int64_t hours = o->run_limit ? (o->run_limit + 3599) / 3600 : LONGEST_HOURS;

	snprintf(type, sizeof(type), "%s-%lldt", tpu_direct_machine(o->type),
		(long long)chips);
	sbuf_addf(b, " --machine-type=%s", type);
	if (str_eq(o->provisioning, "flex-start"))
		sbuf_addf(b,
			" --provisioning-model=FLEX_START --max-run-duration=%lldh"
			" --instance-termination-action=DELETE%s",
			(long long)(hours < LONGEST_HOURS ? hours : LONGEST_HOURS),
			alone ? " --request-valid-for-duration=2h" : "");
	else if (str_eq(o->provisioning, "reserved"))
		sbuf_adds(b,
			" --provisioning-model=RESERVATION_BOUND"
			" --instance-termination-action=DELETE"
			" --reservation-affinity=specific --reservation=RESERVATION");
	else
		sbuf_addf(b, " --provisioning-model=%s",
			str_eq(o->provisioning, "spot") ? "SPOT" : "STANDARD");
	sbuf_addf(b, ORDER_MACHINE "%s", tpu_boot_disk(type));
}

/* A slice of several hosts: its policy, the template of its machines and their group. gcloud
 * reference, "compute resource-policies create workload-policy", "compute instance-templates create"
 * and "compute instance-groups managed create". Compute Engine, "Create a MIG that uses the bulk mode":
 * only for flex-start and reserved machines. */
static void order_add_slice(struct sbuf *b, const struct tpu_order *o, int64_t hosts,
	const char *topology, struct arena *a)
{
	const char *dash = strrchr(o->zone, '-');
	const char *region = dash ? arena_strndup(a, o->zone, (size_t)(dash - o->zone))
				  : o->zone;
	bool bulk = str_eq(o->provisioning, "flex-start") ||
		str_eq(o->provisioning, "reserved");

	order_add(b, "gcloud compute resource-policies create workload-policy ", o->name);
	order_add(b, " --type=HIGH_THROUGHPUT --accelerator-topology=", topology);
	order_add(b, " --region=", region);
	order_add(b, " --project=", o->project);
	order_add(b, " && gcloud compute instance-templates create ", o->name);
	order_add_machine(b, o, TPU_HOST_CHIPS, false);
	order_add(b, " --project=", o->project);
	order_add(b, " && gcloud compute instance-groups managed create ", o->name);
	order_add(b, " --template=", o->name);
	sbuf_addf(b, " --size=%lld --default-action-on-vm-failure=do-nothing%s",
		(long long)hosts, bulk ? " --target-size-policy-mode=bulk" : "");
	order_add(b, " --workload-policy=",
		arena_printf(a, "projects/%s/regions/%s/resourcePolicies/%s", o->project,
			region, o->name));
	order_add(b, " --zone=", o->zone);
	order_add(b, " --project=", o->project);
}

const char *tpu_create_command(const struct tpu_order *o, struct arena *a)
{
	static const char *const classes[] = {
		"on-demand", "spot", "flex-start", "reserved"};
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	const char *topology;
	struct tpu_type t;

	if (!tpu_type_parse(o->type, &t) || !tpu_direct_machine(o->type) ||
		!o->provisioning || !str_in(o->provisioning, classes, ARRAY_LEN(classes)))
		return NULL;
	if (t.hosts > 1) {
		topology = order_topology(o, &t, a);
		if (!topology)
			return NULL;
		order_add_slice(&b, o, t.hosts, topology, a);
	} else {
		order_add(&b, "gcloud compute instances create ", o->name);
		order_add_machine(&b, o, t.chips, true);
		order_add(&b, " --zone=", o->zone);
		order_add(&b, " --project=", o->project);
	}
	if (str_eq(o->provisioning, "reserved"))
		sbuf_adds(&b, " # RESERVATION: the name of the reservation");
	return arena_strdup(a, b.s);
}
