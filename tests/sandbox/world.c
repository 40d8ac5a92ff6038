/* Reading a world from YAML. */
#include "tests/sandbox/world_parts.h"

#include "base/time/civil.h"
#include "base/str.h"
#include "rules/grant/tpu.h"

#include <string.h>

static ts_t now_of(struct binder *b)
{
	return ((struct reading *)b->ctx)->now;
}

/* "-26h", "+3d", "now", a date or an RFC 3339 instant. */
static enum err_code read_time(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	const char *s;
	int64_t seconds;
	day_t day;

	if (yaml_str(n, &s, e))
		return e->code;
	if (!strcmp(s, "now")) {
		*(ts_t *)obj = now_of(b);
	} else if ((*s == '-' || *s == '+') && !duration_parse(s + 1, &seconds, NULL)) {
		*(ts_t *)obj = now_of(b) + (*s == '-' ? -seconds : seconds);
	} else if (!date_parse(s, &day, NULL)) {
		*(ts_t *)obj = (ts_t)day * DAY_SECONDS;
	} else if (rfc3339_parse(s, obj, NULL, e)) {
		return yaml_err(n, e, "want a time: -26h, now, 2026-11-01 or RFC 3339");
	}
	return E_OK;
}

static enum err_code read_nanos(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	const char *s;

	(void)b;
	if (yaml_str(n, &s, e))
		return e->code;
	return nanos_parse(s, obj, e) ? yaml_err_at(n, e) : E_OK;
}

/* A map of strings as a JSON object. */
static enum err_code read_labels(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct sbuf text = SBUF_INIT;
	struct jw w = {.b = &text};

	if (n->type != YAML_MAP)
		return yaml_err(n, e, "want labels as a map");
	jw_begin(&w, '{');
	YAML_EACH (item, n)
		jw_kstr(&w, item->key, item->text ? item->text : "");
	jw_end(&w, '}');
	*(const char **)obj = arena_strdup(b->a, text.s);
	sbuf_done(&text);
	return E_OK;
}

#define AT(type, field) offsetof(struct type, field)
#define TEXT(type, field, must)                                            \
	{                                                                  \
#field, BIND_TEXT, AT(type, field), NULL, .required = must \
	}
#define TIME(type, field)                                                         \
	{                                                                         \
#field, BIND_OTHER, AT(type, field), read_time, .required = false \
	}
#define FLAG(type, field)                                                   \
	{                                                                   \
#field, BIND_FLAG, AT(type, field), NULL, .required = false \
	}
#define COUNT(type, field)                                                   \
	{                                                                    \
#field, BIND_COUNT, AT(type, field), NULL, .required = false \
	}
#define LABELS(type)                                                                   \
	{                                                                              \
		"labels", BIND_OTHER, AT(type, labels), read_labels, .required = false \
	}
/* A word that is the topology of no family is a mistake. */
static enum err_code world_read_topology(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	(void)b;
	if (yaml_str(n, obj, e))
		return e->code;
	return tpu_topology_valid(NULL, *(const char **)obj)
		? E_OK
		: yaml_err(n, e, "'%.40s' is not a TPU topology, such as 4x4 or 2x2x2",
			  *(const char **)obj);
}
#define TOPOLOGY(type, field)                                                   \
	{                                                                       \
#field, BIND_SCALAR, AT(type, field), world_read_topology, NULL \
	}

/* A slice of a known family has one of the topologies of that family. */
enum err_code world_check_topology(
	struct arena *a, const struct yaml_node *item, struct err *e)
{
	static const char *const keys[] = {"topology", "pool_topology"};
	const struct yaml_node *type = yaml_get(item, "type");

	for (size_t i = 0; type && i < ARRAY_LEN(keys); i++) {
		const struct yaml_node *n = yaml_get(item, keys[i]);

		if (n && !tpu_topology_valid(type->text, n->text))
			return yaml_err(n, e,
				"'%.40s' is not a topology of %.40s (expected %s)", n->text,
				type->text, tpu_topologies(type->text, a));
	}
	return E_OK;
}
static const char *const classes[] = {
	"on-demand", "spot", "flex-start", "reserved", "new", NULL};
static const char *const end_actions[] = {"stop", "delete", NULL};
#define CLASS(type)                                                                       \
	{                                                                                 \
		"provisioning", BIND_WORD, AT(type, provisioning), NULL, .words = classes \
	}
#define SECONDS(type, field)                                 \
	{                                                    \
#field, BIND_DURATION, AT(type, field), NULL \
	}
#define USERS(type)                                                           \
	{                                                                     \
		"users", BIND_TEXTS, AT(type, users), NULL, .required = false \
	}

static const struct field project_fields[] = {TEXT(project, id, true),
	TEXT(project, number, true), TEXT(project, state, false),
	{"disabled", BIND_TEXTS, AT(project, disabled), NULL, .required = false}};

static const struct field instance_fields[] = {TEXT(instance, project, false),
	TEXT(instance, zone, true), TEXT(instance, name, true), TEXT(instance, type, true),
	TEXT(instance, status, false), TEXT(instance, id, false), TIME(instance, created),
	TIME(instance, started), TIME(instance, stopped), FLAG(instance, spot),
	FLAG(instance, deletion_protection), CLASS(instance), TIME(instance, ends),
	SECONDS(instance, run_limit),
	{"at_end", BIND_WORD, AT(instance, at_end), NULL, .words = end_actions},
	TEXT(instance, reservation, false), TEXT(instance, created_by, false),
	TEXT(instance, startup_script, false), TEXT(instance, internal_ip, false),
	TEXT(instance, gpu, false), COUNT(instance, gpus), COUNT(instance, local_ssds),
	LABELS(instance)};

static const struct field group_fields[] = {TEXT(vm_group, project, false),
	TEXT(vm_group, zone, true), FLAG(vm_group, regional), TEXT(vm_group, name, true),
	TEXT(vm_group, id, false), TEXT(vm_group, type, true), TOPOLOGY(vm_group, topology),
	COUNT(vm_group, target), COUNT(vm_group, hosts), TIME(vm_group, created),
	CLASS(vm_group), LABELS(vm_group), TEXT(vm_group, reservation, false),
	TOPOLOGY(vm_group, pool_topology), FLAG(vm_group, autoscaling)};

static const struct field resize_request_fields[] = {TEXT(resize_request, project, false),
	TEXT(resize_request, zone, true), TEXT(resize_request, group, true),
	TEXT(resize_request, name, true), TEXT(resize_request, id, false),
	TEXT(resize_request, state, false), TEXT(resize_request, error, false),
	COUNT(resize_request, by), SECONDS(resize_request, run_limit),
	TIME(resize_request, created)};

static const char *const reservation_kinds[] = {
	"reservation", "future-reservation", "calendar", NULL};

static const struct field reservation_fields[] = {TEXT(reservation, project, false),
	TEXT(reservation, zone, true), TEXT(reservation, name, true),
	TEXT(reservation, id, false), TEXT(reservation, status, false),
	{"kind", BIND_WORD, AT(reservation, kind), NULL, .words = reservation_kinds},
	TEXT(reservation, type, true), COUNT(reservation, count), COUNT(reservation, used),
	TIME(reservation, created), TIME(reservation, starts), TIME(reservation, ends),
	TEXT(reservation, commitment, false),
	{"made", BIND_TEXTS, AT(reservation, made), NULL, .required = false}};

static const struct field preemption_fields[] = {TEXT(preemption, project, false),
	TEXT(preemption, zone, true), TEXT(preemption, name, true), TIME(preemption, at)};

static const struct field anomaly_fields[] = {TEXT(anomaly, project, false),
	TEXT(anomaly, id, true), TEXT(anomaly, severity, false),
	TEXT(anomaly, scope, false), TEXT(anomaly, currency, false),
	TIME(anomaly, detected),
	{"actual", BIND_OTHER, AT(anomaly, actual), read_nanos, .required = true},
	{"expected", BIND_OTHER, AT(anomaly, expected), read_nanos, .required = true},
	{"causes", BIND_TEXTS, AT(anomaly, causes), NULL, .required = false}};

static const struct field dataset_fields[] = {TEXT(dataset, project, false),
	TEXT(dataset, name, true), TEXT(dataset, location, false),
	{"writers", BIND_TEXTS, AT(dataset, writers), NULL, .required = false}};

static const struct field disk_fields[] = {TEXT(disk, project, false),
	TEXT(disk, zone, false), TEXT(disk, region, false), TEXT(disk, name, true),
	TEXT(disk, type, true), TEXT(disk, id, false), COUNT(disk, size_gb),
	TIME(disk, created), USERS(disk), LABELS(disk), FLAG(disk, keep)};

static const struct field address_fields[] = {TEXT(address, project, false),
	TEXT(address, region, true), TEXT(address, name, true),
	TEXT(address, address, false), TEXT(address, type, false),
	TEXT(address, status, false), TEXT(address, id, false), TIME(address, created),
	USERS(address)};

static const struct field node_fields[] = {TEXT(node, project, false),
	TEXT(node, zone, true), TEXT(node, name, true), TEXT(node, type, true),
	TEXT(node, state, false), TEXT(node, id, false), TEXT(node, queued, false),
	TIME(node, created), COUNT(node, hosts), FLAG(node, spot), CLASS(node),
	LABELS(node), FLAG(node, multislice), TEXT(node, internal_ip, false),
	TOPOLOGY(node, topology),
	{"data_disks", BIND_TEXTS, AT(node, data_disks), NULL, .required = false}};

static const struct field queued_fields[] = {TEXT(queued, project, false),
	TEXT(queued, zone, true), TEXT(queued, name, true), TEXT(queued, state, false),
	TEXT(queued, type, true), TEXT(queued, node, false), TEXT(queued, error, false),
	TIME(queued, created), TIME(queued, ends), SECONDS(queued, run_limit),
	CLASS(queued), FLAG(queued, spot)};

static const struct field credit_fields[] = {TEXT(credit_line, name, true),
	TEXT(credit_line, type, true), TEXT(credit_line, id, false),
	{"amount", BIND_OTHER, AT(credit_line, amount), read_nanos, .required = true}};

static enum err_code read_credits(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct billing_line *l = obj;

	return bind_list(b, n, "credits", credit_fields, ARRAY_LEN(credit_fields),
		sizeof(*l->credits), (void **)&l->credits, &l->n_credits, e);
}

static const struct field line_fields[] = {TEXT(billing_line, project, false),
	TEXT(billing_line, service_id, false), TEXT(billing_line, service, true),
	TEXT(billing_line, sku_id, false), TEXT(billing_line, sku, true),
	TEXT(billing_line, location, false), TEXT(billing_line, region, false),
	TEXT(billing_line, zone, false), TEXT(billing_line, resource, false),
	TEXT(billing_line, global_name, false), TEXT(billing_line, unit, false),
	TEXT(billing_line, cost_type, false), TEXT(billing_line, invoice, false),
	TIME(billing_line, from), TIME(billing_line, until),
	{"every", BIND_DURATION, AT(billing_line, every), NULL, .required = false},
	{"lag", BIND_DURATION, AT(billing_line, lag), NULL, .required = false},
	{"usage", BIND_OTHER, AT(billing_line, usage), read_nanos, .required = false},
	{"cost", BIND_OTHER, AT(billing_line, cost), read_nanos, .required = true},
	{"list_cost", BIND_OTHER, AT(billing_line, list_cost), read_nanos,
		.required = false},
	{"default_cost", BIND_OTHER, AT(billing_line, default_cost), read_nanos,
		.required = false},
	TEXT(billing_line, model, false), TEXT(billing_line, model_id, false),
	COUNT(billing_line, copies),
	{"labels", BIND_OTHER, AT(billing_line, labels), read_labels, .required = false},
	{"credits", BIND_OTHER, 0, read_credits, .required = false}};

static const struct field quota_fields[] = {TEXT(quota, project, false),
	TEXT(quota, region, false), TEXT(quota, metric, true), COUNT(quota, limit),
	COUNT(quota, usage)};

static const struct field limit_fields[] = {TEXT(limit, project, false),
	TEXT(limit, service, false), TEXT(limit, quota, true), TEXT(limit, metric, true),
	TEXT(limit, zone, false), TEXT(limit, region, false),
	TEXT(limit, tpu_family, false), TEXT(limit, value, true),
	{"locations", BIND_TEXTS, AT(limit, locations), NULL, .required = false}};

static const struct field sku_fields[] = {TEXT(sku, service_id, true),
	TEXT(sku, service, true), TEXT(sku, id, true), TEXT(sku, name, true),
	TEXT(sku, group, true), TEXT(sku, usage_type, false), TEXT(sku, unit, false),
	{"regions", BIND_TEXTS, AT(sku, regions), NULL, .required = true},
	{"price", BIND_OTHER, AT(sku, price), read_nanos, .required = true},
	COUNT(sku, free)};

static const struct field metric_fields[] = {TEXT(metric, project, false),
	TEXT(metric, type, true), TEXT(metric, zone, true), TEXT(metric, instance, false),
	TEXT(metric, node, false), TEXT(metric, worker, false), TEXT(metric, value, true),
	TEXT(metric, bucket, false), TEXT(metric, remote, false),
	TEXT(metric, quota, false), TEXT(metric, tpu_family, false), TIME(metric, from),
	TIME(metric, until), FLAG(metric, integer),
	{"every", BIND_DURATION, AT(metric, every), NULL, .required = false}};

static const struct field snapshot_fields[] = {TEXT(snapshot, project, false),
	TEXT(snapshot, name, true), TEXT(snapshot, disk, true), TEXT(snapshot, zone, true),
	TEXT(snapshot, id, false), COUNT(snapshot, size_gb), COUNT(snapshot, bytes),
	TIME(snapshot, created), LABELS(snapshot),
	{"locations", BIND_TEXTS, AT(snapshot, locations), NULL, .required = true}};

static const struct field bucket_fields[] = {TEXT(bucket, project, false),
	TEXT(bucket, name, true), TEXT(bucket, location, true),
	TEXT(bucket, location_type, false), TEXT(bucket, class, false),
	TIME(bucket, created), LABELS(bucket)};

static const struct field object_fields[] = {
	TEXT(object, name, true), TEXT(object, text, true)};

static const struct field iam_fields[] = {TEXT(iam_grant, member, true),
	TEXT(iam_grant, project, false),
	{"permissions", BIND_TEXTS, AT(iam_grant, permissions), NULL, .required = true}};

static const struct field fault_fields[] = {TEXT(fault, match, false),
	TEXT(fault, regex, false), TEXT(fault, how, false), TEXT(fault, body, false),
	TEXT(fault, reason, false), COUNT(fault, status), COUNT(fault, times),
	COUNT(fault, skip), COUNT(fault, retry_after), COUNT(fault, delay_ms),
	COUNT(fault, ahead), COUNT(fault, bytes)};

#define LIST(fn, type, list, fields) static SHARED_LIST(fn, type, list, fields)
#define SHARED_LIST(fn, type, list, fields)                                                \
	enum err_code fn(                                                                  \
		struct binder *b, const struct yaml_node *n, void *obj, struct err *e)     \
	{                                                                                  \
		struct world *w = obj;                                                     \
                                                                                           \
		if (bind_list(b, n, #list, fields, ARRAY_LEN(fields), sizeof(struct type), \
			    (void **)&w->list, &w->n_##list, e))                           \
			return e->code;                                                    \
		YAML_EACH (item, n)                                                        \
			if (world_check_topology(b->a, item, e))                           \
				return e->code;                                            \
		return E_OK;                                                               \
	}

LIST(read_projects, project, projects, project_fields)
LIST(read_instances, instance, instances, instance_fields)
LIST(read_groups, vm_group, groups, group_fields)
LIST(read_resize_requests, resize_request, resize_requests, resize_request_fields)
LIST(read_reservations, reservation, reservations, reservation_fields)
LIST(read_preemptions, preemption, preemptions, preemption_fields)
LIST(read_anomalies, anomaly, anomalies, anomaly_fields)
LIST(read_datasets, dataset, datasets, dataset_fields)
LIST(read_disks, disk, disks, disk_fields)
LIST(read_addresses, address, addresses, address_fields)
LIST(read_nodes, node, nodes, node_fields)
LIST(read_queued, queued, queued, queued_fields)
SHARED_LIST(world_read_lines, billing_line, lines, line_fields)
LIST(read_quotas, quota, quotas, quota_fields)
LIST(read_limits, limit, limits, limit_fields)
LIST(read_skus, sku, skus, sku_fields)
LIST(read_metrics, metric, metrics, metric_fields)
LIST(read_snapshots, snapshot, snapshots, snapshot_fields)
LIST(read_buckets, bucket, buckets, bucket_fields)
LIST(read_objects, object, objects, object_fields)
SHARED_LIST(world_read_iam, iam_grant, iam, iam_fields)
LIST(read_fault_list, fault, faults, fault_fields)

/* A misspelt fault would be a test that tests nothing. */
static enum err_code read_faults(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct world *w = obj;
	size_t i = 0;

	if (read_fault_list(b, n, obj, e))
		return e->code;
	YAML_EACH (item, n) {
		const char *why = fault_problem(&w->faults[i++]);

		if (why)
			return yaml_err(item, e, "%s", why);
	}
	return E_OK;
}

enum err_code world_read_operations(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	static const struct field fields[] = {COUNT(op_script, looks),
		{"seconds", BIND_DURATION, AT(op_script, seconds), NULL, .required = false},
		TEXT(op_script, error, false), FLAG(op_script, no_effect),
		FLAG(op_script, stuck)};
	struct world *w = obj;

	return bind_map(b, n, "operations", fields, ARRAY_LEN(fields), &w->op_script, e);
}

enum err_code world_read_unreachable(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	static const struct field fields[] = {
		{"compute", BIND_TEXTS, AT(world, unreachable_compute), NULL,
			.required = false},
		{"tpu", BIND_TEXTS, AT(world, unreachable_tpu), NULL, .required = false}};

	return bind_map(b, n, "unreachable", fields, ARRAY_LEN(fields), obj, e);
}

static enum err_code read_metadata(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	static const struct field fields[] = {TEXT(world, instance_id, false)};

	return bind_map(b, n, "metadata", fields, ARRAY_LEN(fields), obj, e);
}

static enum err_code read_billing(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	static const struct field fields[] = {TEXT(world, table, true),
		TEXT(world, location, false), TEXT(world, currency, false),
		{"other_tables", BIND_TEXTS, AT(world, other_tables), NULL,
			.required = false},
		{"rate", BIND_OTHER, AT(world, rate), read_nanos, .required = false},
		FLAG(world, standard), FLAG(world, slow_jobs), COUNT(world, page_rows),
		{"rows", BIND_OTHER, 0, world_read_lines, .required = false}};

	return bind_map(b, n, "billing", fields, ARRAY_LEN(fields), obj, e);
}

static const struct field world_fields[] = {TEXT(world, name, true),
	{"projects", BIND_OTHER, 0, read_projects, .required = true},
	COUNT(world, project_count), TEXT(world, project_template, false),
	COUNT(world, project_active), SECONDS(world, asset_lag),
	{"zones", BIND_TEXTS, AT(world, zones), NULL, .required = true},
	{"unreachable", BIND_OTHER, 0, world_read_unreachable, .required = false},
	{"instances", BIND_OTHER, 0, read_instances, .required = false},
	{"groups", BIND_OTHER, 0, read_groups, .required = false},
	{"resize_requests", BIND_OTHER, 0, read_resize_requests, .required = false},
	{"reservations", BIND_OTHER, 0, read_reservations, .required = false},
	{"preemptions", BIND_OTHER, 0, read_preemptions, .required = false},
	{"anomalies", BIND_OTHER, 0, read_anomalies, .required = false},
	{"datasets", BIND_OTHER, 0, read_datasets, .required = false},
	{"disks", BIND_OTHER, 0, read_disks, .required = false},
	{"addresses", BIND_OTHER, 0, read_addresses, .required = false},
	{"nodes", BIND_OTHER, 0, read_nodes, .required = false},
	{"queued", BIND_OTHER, 0, read_queued, .required = false},
	{"billing", BIND_OTHER, 0, read_billing, .required = false},
	{"quotas", BIND_OTHER, 0, read_quotas, .required = false},
	{"limits", BIND_OTHER, 0, read_limits, .required = false},
	{"skus", BIND_OTHER, 0, read_skus, .required = false},
	{"metrics", BIND_OTHER, 0, read_metrics, .required = false},
	{"snapshots", BIND_OTHER, 0, read_snapshots, .required = false},
	{"buckets", BIND_OTHER, 0, read_buckets, .required = false},
	{"objects", BIND_OTHER, 0, read_objects, .required = false},
	{"iam", BIND_OTHER, 0, world_read_iam, .required = false},
	{"operations", BIND_OTHER, 0, world_read_operations, .required = false},
	{"metadata", BIND_OTHER, 0, read_metadata, .required = false},
	{"faults", BIND_OTHER, 0, read_faults, .required = false}};

/* ---- what a patch may change ------------------------------------------------------------------- */

#define PATCHABLE(type, list, fields, project, name, zone, region)                      \
	{                                                                               \
#list, fields, ARRAY_LEN(fields), sizeof(struct type), AT(world, list), \
			AT(world, n_##list), project, name, zone, region                \
	}

const struct patchable patchables[] = {
	PATCHABLE(instance, instances, instance_fields, AT(instance, project),
		AT(instance, name), AT(instance, zone), SIZE_MAX),
	PATCHABLE(preemption, preemptions, preemption_fields, AT(preemption, project),
		AT(preemption, name), AT(preemption, zone), SIZE_MAX),
	PATCHABLE(vm_group, groups, group_fields, AT(vm_group, project), AT(vm_group, name),
		AT(vm_group, zone), SIZE_MAX),
	PATCHABLE(resize_request, resize_requests, resize_request_fields,
		AT(resize_request, project), AT(resize_request, name),
		AT(resize_request, zone), SIZE_MAX),
	PATCHABLE(reservation, reservations, reservation_fields, AT(reservation, project),
		AT(reservation, name), AT(reservation, zone), SIZE_MAX),
	PATCHABLE(dataset, datasets, dataset_fields, AT(dataset, project),
		AT(dataset, name), SIZE_MAX, SIZE_MAX),
	PATCHABLE(disk, disks, disk_fields, AT(disk, project), AT(disk, name),
		AT(disk, zone), AT(disk, region)),
	PATCHABLE(address, addresses, address_fields, AT(address, project),
		AT(address, name), SIZE_MAX, AT(address, region)),
	PATCHABLE(node, nodes, node_fields, AT(node, project), AT(node, name),
		AT(node, zone), SIZE_MAX),
	PATCHABLE(object, objects, object_fields, SIZE_MAX, AT(object, name), SIZE_MAX,
		SIZE_MAX),
	PATCHABLE(queued, queued, queued_fields, AT(queued, project), AT(queued, name),
		AT(queued, zone), SIZE_MAX),
};
const size_t n_patchables = ARRAY_LEN(patchables);

/* ---- defaults ---------------------------------------------------------------------------------- */

/* Ids beyond what a double holds, stable for a name. */
static const char *make_id(struct world *w, const char *kind, const char *project,
	const char *location, const char *name)
{
	uint64_t h = 0xcbf29ce484222325u;
	const char *parts[] = {project, kind, location, name};

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		for (const char *p = parts[i]; *p; p++)
			h = (h ^ (unsigned char)*p) * 0x100000001b3u;
	return arena_printf(&w->arena, "%llu",
		(unsigned long long)(h % 4000000000000000000u + 1000000000000000001u));
}

#define DEFAULT(field, value) ((field) = (field) ? (field) : (value))

static void account_defaults(struct world *w, const char *project, ts_t now)
{
	for (size_t i = 0; i < w->n_limits; i++) {
		DEFAULT(w->limits[i].project, project);
		DEFAULT(w->limits[i].service, "tpu.googleapis.com");
	}
	for (size_t i = 0; i < w->n_skus; i++) {
		DEFAULT(w->skus[i].usage_type, "OnDemand");
		DEFAULT(w->skus[i].unit, "h");
	}
	for (size_t i = 0; i < w->n_metrics; i++) {
		struct metric *x = &w->metrics[i];

		DEFAULT(x->project, project);
		DEFAULT(x->every, 60);
		DEFAULT(x->worker, "0");
		DEFAULT(x->from, now - 3600);
		DEFAULT(x->until, now + 366 * DAY_SECONDS);
	}
	for (size_t i = 0; i < w->n_snapshots; i++) {
		struct snapshot *x = &w->snapshots[i];

		DEFAULT(x->project, project);
		DEFAULT(x->labels, "{}");
		DEFAULT(x->created, now - 3600);
		DEFAULT(x->id, make_id(w, "snapshot", x->project, "global", x->name));
	}
	for (size_t i = 0; i < w->n_resize_requests; i++) {
		struct resize_request *x = &w->resize_requests[i];

		DEFAULT(x->project, project);
		DEFAULT(x->state, "ACCEPTED");
		DEFAULT(x->by, 1);
		DEFAULT(x->created, now - 3600);
		DEFAULT(x->id, make_id(w, "resize", x->project, x->zone, x->name));
	}
	for (size_t i = 0; i < w->n_reservations; i++) {
		struct reservation *x = &w->reservations[i];

		DEFAULT(x->project, project);
		DEFAULT(x->kind, "reservation");
		DEFAULT(x->status, strcmp(x->kind, "reservation") ? "COMMITTED" : "READY");
		DEFAULT(x->created, now - 3600);
		DEFAULT(x->id, make_id(w, x->kind, x->project, x->zone, x->name));
	}
	for (size_t i = 0; i < w->n_preemptions; i++) {
		struct preemption *x = &w->preemptions[i];

		DEFAULT(x->project, project);
		DEFAULT(x->at, now);
		x->target = make_id(w, "vm", x->project, x->zone, x->name);
	}
	for (size_t i = 0; i < w->n_datasets; i++) {
		struct dataset *x = &w->datasets[i];

		DEFAULT(x->project, project);
		DEFAULT(x->location, "US");
	}
	for (size_t i = 0; i < w->n_anomalies; i++) {
		struct anomaly *x = &w->anomalies[i];

		DEFAULT(x->project, project);
		DEFAULT(x->severity, "HIGH");
		DEFAULT(x->scope, "PROJECT");
		DEFAULT(x->currency, w->currency);
		DEFAULT(x->detected, now);
	}
	for (size_t i = 0; i < w->n_buckets; i++) {
		struct bucket *x = &w->buckets[i];

		DEFAULT(x->project, project);
		DEFAULT(x->location_type,
			strchr(x->location, '-') ? "region" : "multi-region");
		DEFAULT(x->class, "STANDARD");
		DEFAULT(x->labels, "{}");
		DEFAULT(x->created, now - 3600);
	}
}

void world_defaults(struct world *w, ts_t now)
{
	const char *project = w->projects[0].id;

	for (size_t i = 0; i < w->n_projects; i++)
		DEFAULT(w->projects[i].state, "ACTIVE");
	for (size_t i = 0; i < w->n_instances; i++) {
		struct instance *x = &w->instances[i];

		DEFAULT(x->project, project);
		DEFAULT(x->status, "RUNNING");
		DEFAULT(x->labels, "{}");
		DEFAULT(x->created, now - 3600);
		DEFAULT(x->started, x->created);
		DEFAULT(x->internal_ip, "10.164.0.2");
		DEFAULT(x->id, make_id(w, "vm", x->project, x->zone, x->name));
	}
	for (size_t i = 0; i < w->n_groups; i++) {
		struct vm_group *x = &w->groups[i];

		DEFAULT(x->project, project);
		DEFAULT(x->labels, "{}");
		DEFAULT(x->state, "STABLE");
		DEFAULT(x->created, now - 3600);
		DEFAULT(x->id, make_id(w, "group", x->project, x->zone, x->name));
	}
	for (size_t i = 0; i < w->n_disks; i++) {
		struct disk *x = &w->disks[i];

		DEFAULT(x->project, project);
		DEFAULT(x->labels, "{}");
		DEFAULT(x->created, now - 3600);
		DEFAULT(x->id,
			make_id(w, "disk", x->project, x->zone ? x->zone : x->region,
				x->name));
	}
	for (size_t i = 0; i < w->n_addresses; i++) {
		struct address *x = &w->addresses[i];

		DEFAULT(x->project, project);
		DEFAULT(x->address, "203.0.113.7");
		DEFAULT(x->type, "EXTERNAL");
		DEFAULT(x->status, x->users.n ? "IN_USE" : "RESERVED");
		DEFAULT(x->created, now - 3600);
		DEFAULT(x->id, make_id(w, "ip", x->project, x->region, x->name));
	}
	for (size_t i = 0; i < w->n_nodes; i++) {
		struct node *x = &w->nodes[i];

		DEFAULT(x->project, project);
		DEFAULT(x->state, "READY");
		DEFAULT(x->labels, "{}");
		DEFAULT(x->created, now - 3600);
		DEFAULT(x->hosts, 1);
		DEFAULT(x->id, make_id(w, "tpu", x->project, x->zone, x->name));
	}
	for (size_t i = 0; i < w->n_queued; i++) {
		struct queued *x = &w->queued[i];

		DEFAULT(x->project, project);
		DEFAULT(x->state, "ACTIVE");
		DEFAULT(x->created, now - 3600);
	}
	for (size_t i = 0; i < w->n_quotas; i++)
		DEFAULT(w->quotas[i].project, project);
	account_defaults(w, project, now);
	for (size_t i = 0; i < w->n_lines; i++) {
		struct billing_line *x = &w->lines[i];

		DEFAULT(x->cost_type, "regular");
		DEFAULT(x->every, 3600);
		DEFAULT(x->lag, 5 * 3600);
		DEFAULT(x->copies, 1);
		DEFAULT(x->list_cost, x->cost);
		DEFAULT(x->default_cost, x->cost);
		DEFAULT(x->model, "Default");
		DEFAULT(x->model_id, "7754-699E-0EBF");
		DEFAULT(x->until, x->from + x->every);
	}
	DEFAULT(w->location, "US");
	DEFAULT(w->currency, "USD");
}

/* ---- a fleet ----------------------------------------------------------------------------------- */

#define MAX_FLEET 99999
#define FLEET_ZONE "us-central1-a"

static bool has_zone(const struct world *w, const char *zone)
{
	for (size_t i = 0; i < w->zones.n; i++)
		if (!strcmp(w->zones.v[i], zone))
			return true;
	return false;
}

static void add_member(struct world *w, size_t number)
{
	struct project *p = &w->projects[w->n_projects++];
	struct instance *vm;

	p->id = arena_printf(&w->arena, "lab-%03zu", number);
	p->number = arena_printf(&w->arena, "2%011zu", number);
	if (w->project_template ||
		(w->project_active && number > (size_t)w->project_active))
		return;
	vm = &w->instances[w->n_instances++];
	vm->project = p->id;
	vm->zone = FLEET_ZONE;
	vm->name = "vm-1";
	vm->type = "n1-standard-4";
	vm->status = "RUNNING";
	/* of the project: all of them have the same name and zone */
	vm->id = make_id(w, "fleet", p->id, vm->zone, vm->name);
}

/* project_count: so many projects behind those that are listed, with one machine each or, with project_template,
 * with what that project has. */
static enum err_code add_fleet(struct world *w, const struct yaml_node *root, struct err *e)
{
	const struct yaml_node *at = yaml_get(root, "project_count");
	size_t n = (size_t)w->project_count;
	struct project *projects;
	struct instance *instances;

	if (!n)
		return E_OK;
	if (n > MAX_FLEET)
		return yaml_err(at, e, "project_count: want %d at most", MAX_FLEET);
	if (!has_zone(w, FLEET_ZONE))
		return yaml_err(at, e, "project_count: the world has no " FLEET_ZONE);
	if (w->project_template && !world_project(w, w->project_template))
		return yaml_err(at, e, "project_template: there is no project %s",
			w->project_template);
	projects = arena_alloc(&w->arena, (w->n_projects + n) * sizeof(*projects));
	memcpy(projects, w->projects, w->n_projects * sizeof(*projects));
	instances = arena_alloc(&w->arena, (w->n_instances + n) * sizeof(*instances));
	if (w->n_instances)
		memcpy(instances, w->instances, w->n_instances * sizeof(*instances));
	w->projects = projects;
	w->instances = instances;
	for (size_t i = 0; i < w->n_projects; i++)
		if (fleet_number(w, w->projects[i].id))
			return yaml_err(at, e, "project_count: %s is there already",
				w->projects[i].id);
	for (size_t i = 1; i <= n; i++)
		add_member(w, i);
	return E_OK;
}

/* ---- hosts of groups ----------------------------------------------------------------------------- */

#define MAX_HOSTS 9999 /* what four digits count */

const char *world_group_path(struct world *w, const struct vm_group *g)
{
	const char *dash = strrchr(g->zone, '-');
	int n = g->regional && dash ? (int)(dash - g->zone) : (int)strlen(g->zone);

	return arena_printf(&w->arena, "%s/%.*s/instanceGroupManagers/%s",
		g->regional ? "regions" : "zones", n, g->zone, g->name);
}

static void world_add_hosts(struct world *w, const struct vm_group *g)
{
	size_t n = g->hosts > MAX_HOSTS ? MAX_HOSTS : (size_t)g->hosts;
	struct instance *all = arena_alloc(&w->arena, (w->n_instances + n) * sizeof(*all));

	if (w->n_instances)
		memcpy(all, w->instances, w->n_instances * sizeof(*all));
	w->instances = all;
	for (size_t i = 1; i <= n; i++) {
		const char *name = arena_printf(&w->arena, "%s-%04zu", g->name, i);

		all[w->n_instances++] = (struct instance){.project = g->project,
			.zone = g->zone,
			.name = name,
			.type = g->type,
			.status = "RUNNING",
			.labels = g->labels,
			.id = make_id(w, "vm", g->project, g->zone, name),
			.created = g->created,
			.started = g->created,
			.provisioning = g->provisioning,
			.internal_ip = "10.164.0.2",
			.reservation = g->reservation,
			.created_by = arena_printf(&w->arena, "projects/%s/%s",
				world_project(w, g->project)->number,
				world_group_path(w, g))};
	}
}

/* ---- reading ----------------------------------------------------------------------------------- */

enum err_code world_read(const char *text, size_t len, const char *file, ts_t now,
	struct world *out, struct err *e)
{
	struct reading r = {.w = out, .now = now};
	struct binder b = {.file = file, .ctx = &r};
	struct yaml_node *root = NULL;

	memset(out, 0, sizeof(*out));
	b.a = &out->arena;
	out->now = now;
	out->op_script = (struct op_script){.looks = 2, .seconds = 60};
	if (yaml_parse(text, len, file, &out->arena, &root, e))
		return e->code;
	if (!root)
		return err_set(e, E_CONFIG, "%s: the world is empty", file);
	if (bind_map(&b, root, "world", world_fields, ARRAY_LEN(world_fields), out, e))
		return e->code;
	if (!out->n_projects)
		return yaml_err(root, e, "a world needs a project");
	if (add_fleet(out, root, e))
		return e->code;
	world_defaults(out, now);
	for (size_t i = 0; i < out->n_groups; i++)
		world_add_hosts(out, &out->groups[i]);
	return E_OK;
}

enum err_code faults_read(const char *text, size_t len, struct world *w, struct err *e)
{
	struct reading r = {.w = w, .now = w->now};
	struct binder b = {.a = &w->arena, .file = "faults", .ctx = &r};
	struct yaml_node *root = NULL;

	if (yaml_parse(text, len, "faults", &w->arena, &root, e))
		return e->code;
	w->faults = NULL;
	w->n_faults = 0;
	return root ? read_faults(&b, root, w, e) : E_OK;
}

void world_free(struct world *w)
{
	arena_done(&w->arena);
}

const struct project *world_project(const struct world *w, const char *id)
{
	for (size_t i = 0; i < w->n_projects; i++)
		if (!strcmp(w->projects[i].id, id) || !strcmp(w->projects[i].number, id))
			return &w->projects[i];
	return NULL;
}
