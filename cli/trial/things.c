/* Resources in a world file. A later step changes the given keys of an existing resource and
 * keeps the others. */
#include "base/time/civil.h"
#include "base/money.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "cli/trial/file.h"
#include "rules/grant/tpu.h"

#include <stdlib.h>
#include <string.h>

struct entry {
	struct world_thing t;
	const char *zone, *region;
	struct opt_i64 memory_gib; /* nanos */
	int64_t copies;            /* 0: a single one with its own name */
};

static const char *const kinds[] = {
	"tpu", "vm", "disk", "ip", "snapshot", "bucket", "queued", NULL};
static const char *const states[] = {"running", "starting", "stopping", "stopped",
	"suspended", "preempted", "failed", "deleting", "unknown", "attached", "unattached",
	NULL};

static enum err_code read_provisioning(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	static const char *const words[] = {
		"on-demand", "spot", "flex-start", "reserved", "unknown", "preemptible"};
	const char *word;

	(void)b;
	if (bind_one_of(n, words, ARRAY_LEN(words), &word, e))
		return e->code;
	*(const char **)obj = str_eq(word, "preemptible") ? "spot" : word;
	return E_OK;
}

static enum err_code read_text_or_null(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	(void)b;
	if (!yaml_is_null(n))
		return yaml_str(n, obj, e);
	*(const char **)obj = NULL;
	return E_OK;
}

static enum err_code read_created(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	const struct trial_reading *r = b->ctx;
	ts_t at;

	if (trial_read_when(b, n, &at, e))
		return e->code;
	if (at > r->at)
		return yaml_err(n, e, "created: the time is after the step");
	*(struct opt_i64 *)obj = SOME(at);
	return E_OK;
}

static enum err_code read_ends(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	ts_t at;

	if (trial_read_when(b, n, &at, e))
		return e->code;
	*(struct opt_i64 *)obj = SOME(at);
	return E_OK;
}

static int trial_thing_by_key(const void *a, const void *b)
{
	return strcmp((*(const struct yaml_node *const *)a)->key,
		(*(const struct yaml_node *const *)b)->key);
}

static enum err_code trial_thing_read_labels(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	cleanup(sbuf_done) struct sbuf json = SBUF_INIT;
	const struct yaml_node **items;
	const char *value;
	size_t i = 0;

	if (n->type != YAML_MAP)
		return yaml_err(n, e, "labels: expected 'key: value' pairs");
	items = arena_alloc(b->a, n->n * sizeof(const struct yaml_node *));
	YAML_EACH (item, n)
		items[i++] = item;
	if (i)
		qsort(items, i, sizeof(const struct yaml_node *), trial_thing_by_key);
	for (i = 0; i < n->n; i++) {
		if (yaml_str(items[i], &value, e))
			return e->code;
		sbuf_adds(&json, i ? "," : "{");
		sbuf_add_json(&json, items[i]->key);
		sbuf_addc(&json, ':');
		sbuf_add_json(&json, value);
	}
	sbuf_adds(&json, n->n ? "}" : "{}");
	*(const char **)obj = arena_strdup(b->a, json.s);
	return E_OK;
}

/* 0: it is in use; N: it has been idle for that time; null: unknown. */
static enum err_code read_idle(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	const struct trial_reading *r = b->ctx;
	struct world_thing *t = obj;
	int64_t minutes;

	t->measured = false;
	t->idle_since = TS_NONE;
	if (yaml_is_null(n))
		return E_OK;
	if (yaml_i64(n, 0, 10000000, &minutes, e))
		return e->code;
	t->measured = true;
	if (minutes)
		t->idle_since = r->at - minutes * 60;
	return E_OK;
}

static enum err_code read_gib(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct opt_i64 v = {.set = true};

	(void)b;
	if (nanos_parse_exact(n->text, &v.v, e))
		return yaml_err_at(n, e);
	if (v.v <= 0)
		return yaml_err(n, e, "expected a number above 0");
	*(struct opt_i64 *)obj = v;
	return E_OK;
}

#define TH(field) offsetof(struct entry, t.field)
#define RE(field) offsetof(struct entry, t.r.field)
#define EN(field) offsetof(struct entry, field)
static const struct field thing_fields[] = {
	{"kind", BIND_WORD, RE(kind), .words = kinds},
	{"project", BIND_TEXT, RE(project)},
	{"location", BIND_TEXT, RE(location)},
	{"zone", BIND_ZONE, EN(zone)},
	{"region", BIND_TEXT, EN(region)},
	{"name", BIND_TEXT, RE(name), .required = true},
	{"state", BIND_WORD, RE(state), .words = states},
	{"raw_state", BIND_OTHER, RE(raw_state), read_text_or_null},
	{"type", BIND_TEXT, RE(type)},
	{"provisioning", BIND_OTHER, RE(provisioning), read_provisioning},
	{"attached_to", BIND_OTHER, RE(attached_to), read_text_or_null},
	{"queued", BIND_OTHER, RE(queued), read_text_or_null},
	{"owner", BIND_OTHER, RE(owner), read_text_or_null},
	{"labels", BIND_OTHER, RE(labels), trial_thing_read_labels},
	{"gpu_type", BIND_TEXT, RE(gpu_type)},
	{"gpu_count", BIND_OTHER, RE(gpu_count), trial_read_number},
	{"topology", BIND_TEXT, RE(topology)},
	{"hosts", BIND_OTHER, RE(hosts), trial_read_number},
	{"target_hosts", BIND_OTHER, RE(target_hosts), trial_read_number},
	{"size_gib", BIND_OTHER, RE(size_gib), trial_read_number},
	{"created", BIND_OTHER, RE(created), read_created},
	{"ends", BIND_OTHER, RE(ends), read_ends},
	{"vcpus", BIND_OTHER, TH(vcpus), trial_read_number},
	{"memory_gib", BIND_SCALAR, EN(memory_gib), read_gib},
	{"idle_minutes", BIND_OTHER, EN(t), read_idle},
	{"copies", BIND_COUNT, EN(copies)},
	{"sent_bytes_per_second", BIND_OTHER, TH(sent), trial_read_number},
	{"received_bytes_per_second", BIND_OTHER, TH(received), trial_read_number},
};

/* ---- identity ---------------------------------------------------------------------------------- */

/* Tests whether the map has this value for the key, or does not have the key. */
static bool key_is(const struct yaml_node *n, const char *key, const char *value)
{
	const struct yaml_node *item = yaml_get(n, key);

	return !item || (item->type == YAML_SCALAR && str_eq(item->text, value));
}

/* Finds the existing resource that matches all of the keys. */
static enum err_code trial_thing_find_known(struct trial_reading *r,
	const struct yaml_node *n, struct trial_thing **out, struct err *e)
{
	*out = NULL;
	for (size_t i = 0; yaml_get(n, "name") && i < r->n_things; i++) {
		struct trial_thing *k = &r->things[i];

		if (k->gone || !key_is(n, "name", k->t.r.name) ||
			!key_is(n, "kind", k->t.r.kind) ||
			!key_is(n, "project", k->t.r.project) ||
			!key_is(n, "location", k->t.r.location) ||
			!key_is(n, "zone", k->t.r.location) ||
			!key_is(n, "region", k->t.r.location))
			continue;
		if (*out)
			return yaml_err(n, e,
				"'%.60s' may be %s or %s: add its kind and zone",
				k->t.r.name, (*out)->t.r.id, k->t.r.id);
		*out = k;
	}
	return E_OK;
}

static enum err_code count_entries(
	struct trial_reading *r, const struct yaml_node *n, size_t more, struct err *e)
{
	r->entries += more;
	return r->entries <= TRIAL_MAX_ENTRIES
		? E_OK
		: yaml_err(n, e, "more than %d resources in all steps", TRIAL_MAX_ENTRIES);
}

static enum err_code trial_thing_place(
	const struct yaml_node *n, struct entry *x, struct err *e)
{
	int given = !!x->t.r.location + !!x->zone + !!x->region;

	if (given > 1)
		return yaml_err(n, e,
			"resource %s: expected only one of zone, region and location",
			x->t.r.name);
	if (!given)
		return yaml_err(n, e, "resource %s: %s is missing", x->t.r.name,
			!strcmp(x->t.r.kind, "ip") ? "region"
				: !strcmp(x->t.r.kind, "bucket") ||
					!strcmp(x->t.r.kind, "snapshot")
				? "location"
				: "zone");
	if (!x->t.r.location)
		x->t.r.location = x->zone ? x->zone : x->region;
	return E_OK;
}

static bool kind_is(const struct entry *x, const char *kind)
{
	return !strcmp(x->t.r.kind, kind);
}

/* State of a resource for which the file names none. */
static const char *trial_thing_state(const struct entry *x)
{
	bool used = x->t.r.attached_to || !(kind_is(x, "disk") || kind_is(x, "ip"));

	if (kind_is(x, "disk"))
		return used ? "attached" : "unattached";
	return used ? "running" : "stopped";
}

static enum err_code complete_new(
	struct trial_reading *r, const struct yaml_node *n, struct entry *x, struct err *e)
{
	if (trial_thing_place(n, x, e))
		return e->code;
	if (!x->t.r.type && (kind_is(x, "tpu") || kind_is(x, "vm") || kind_is(x, "disk")))
		return yaml_err(n, e, "resource %s: type is missing", x->t.r.name);
	if (!x->t.r.type && kind_is(x, "ip"))
		x->t.r.type = "external";
	if (!x->t.r.project)
		x->t.r.project = r->project;
	if (!x->t.r.state)
		x->t.r.state = trial_thing_state(x);
	if (!x->t.r.provisioning && (kind_is(x, "tpu") || kind_is(x, "vm")))
		x->t.r.provisioning = "on-demand";
	if (!x->t.r.created.set)
		x->t.r.created = SOME(r->at);
	return E_OK;
}

/* Sizes and shapes of families that are known are checked; of others any is possible. */
static enum err_code check_tpu(struct trial_reading *r, const struct yaml_node *n,
	const struct entry *x, struct err *e)
{
	bool tpu = kind_is(x, "tpu") || kind_is(x, "queued");
	const char *type = tpu ? x->t.r.type : NULL, *topology = x->t.r.topology;
	char near[TPU_NAME_BUF];
	struct tpu_type t;

	if (type && yaml_get(n, "type") && tpu_family_of_type(type) &&
		!tpu_type_parse(type, &t)) {
		yaml_err(yaml_get(n, "type"), e, "there is no TPU type %.40s", type);
		return tpu_host_chips(type) || !tpu_type_nearest(type, near)
			? e->code
			: err_fix(e, "did you mean '%s'?", near);
	}
	if (!topology || tpu_topology_valid(type, topology))
		return E_OK;
	return yaml_err(yaml_get(n, "topology") ? yaml_get(n, "topology") : n, e,
		"'%.40s' is not a topology of %.40s (expected %s)", topology,
		type ? type : "TPUs", tpu_topologies(type ? type : "", r->a));
}

/* Stores the state of a resource, for this step and later ones. */
static void trial_thing_keep(struct trial_reading *r, struct trial_step *s,
	struct trial_thing *known, const struct world_thing *t)
{
	if (!known) {
		known = arena_append(r->a, r->things, r->n_things, r->cap_things);
		*known = (struct trial_thing){0};
	}
	known->t = *t;
	known->t.r.id = world_id(t, r->a);
	*arena_append(r->a, s->things, s->n_things, r->cap_step) = *t;
}

/* NAME-1, NAME-2, ... */
static enum err_code keep_copies(struct trial_reading *r, struct trial_step *s,
	const struct yaml_node *n, const struct entry *x, struct err *e)
{
	struct world_thing t = x->t;

	if (count_entries(r, n, (size_t)x->copies, e))
		return e->code;
	for (int64_t i = 1; i <= x->copies; i++) {
		t.r.name = arena_printf(r->a, "%s-%lld", x->t.r.name, (long long)i);
		t.r.id = world_id(&t, r->a);
		for (size_t k = 0; k < r->n_things; k++)
			if (!r->things[k].gone && !strcmp(r->things[k].t.r.id, t.r.id))
				return yaml_err(
					n, e, "resource %s already exists", t.r.name);
		trial_thing_keep(r, s, NULL, &t);
	}
	return E_OK;
}

static enum err_code read_thing(
	struct binder *b, const struct yaml_node *n, struct trial_step *s, struct err *e)
{
	struct trial_reading *r = b->ctx;
	struct entry x = {.t = {.idle_since = TS_NONE}};
	struct trial_thing *known;
	int64_t mib;

	if (n->type != YAML_MAP)
		return yaml_err(n, e, "resources: expected 'key: value' pairs");
	if (trial_thing_find_known(r, n, &known, e))
		return e->code;
	if (known) {
		x.t = known->t;
		x.t.r.location = NULL;
	}
	if (bind_map(b, n, "resource", thing_fields, ARRAY_LEN(thing_fields), &x, e))
		return e->code;
	if (!x.t.r.kind)
		return yaml_err(n, e,
			"resource %s: kind is missing, and there is no resource with that "
			"name",
			x.t.r.name);
	if (known)
		x.t.r.location = known->t.r.location;
	else if (complete_new(r, n, &x, e))
		return e->code;
	if (check_tpu(r, n, &x, e))
		return e->code;
	/* A disk that is detached from its machine is no longer in use, unless the step sets its
	 * state. */
	if (yaml_get(n, "attached_to") && !yaml_get(n, "state") &&
		(kind_is(&x, "disk") || kind_is(&x, "ip")))
		x.t.r.state = trial_thing_state(&x);
	if (x.memory_gib.set && !nanos_muldiv(x.memory_gib.v, 1024, NANOS, &mib))
		return yaml_err(n, e, "memory_gib: too large");
	if (x.memory_gib.set)
		x.t.memory_mib = SOME(mib);
	if (x.t.r.size_gib.set && kind_is(&x, "snapshot"))
		x.t.r.bytes = SOME(x.t.r.size_gib.v * INT64_C(1073741824));
	if (x.copies && known)
		return yaml_err(n, e, "copies: %s already exists", x.t.r.name);
	if (x.copies)
		return keep_copies(r, s, n, &x, e);
	trial_thing_keep(r, s, known, &x.t);
	return E_OK;
}

enum err_code trial_read_things(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct trial_reading *r = b->ctx;
	struct trial_step *s = obj;

	if (n->type != YAML_SEQ)
		return yaml_err(
			n, e, "resources: expected a list (lines that begin with '- ')");
	if (count_entries(r, n, n->n, e))
		return e->code;
	r->cap_step = 0;
	YAML_EACH (item, n)
		if (read_thing(b, item, s, e))
			return e->code;
	return E_OK;
}

static enum err_code find_named(struct trial_reading *r, const struct yaml_node *n,
	const char *name, struct trial_thing **out, struct err *e)
{
	const char **names = arena_alloc(r->a, (r->n_things + 1) * sizeof(*names));
	size_t count = 0;

	*out = NULL;
	for (size_t i = 0; i < r->n_things; i++) {
		struct trial_thing *k = &r->things[i];

		if (k->gone)
			continue;
		names[count++] = k->t.r.name;
		if (strcmp(k->t.r.name, name) != 0 && strcmp(k->t.r.id, name) != 0)
			continue;
		if (*out)
			return yaml_err(n, e, "'%.60s' may be %s or %s: give the full id",
				name, (*out)->t.r.id, k->t.r.id);
		*out = k;
	}
	if (*out)
		return E_OK;
	yaml_err(n, e, "gone: there is no resource '%.60s'", name);
	return near_fix(e, str_nearest(name, names, count), "");
}

enum err_code trial_read_gone(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct trial_reading *r = b->ctx;
	struct trial_step *s = obj;
	struct trial_thing *k;
	const char *name;

	if (n->type != YAML_SEQ)
		return yaml_err(n, e, "gone: expected a list of names");
	s->gone = arena_alloc(b->a, n->n * sizeof(*s->gone));
	YAML_EACH (item, n) {
		if (yaml_str(item, &name, e) || find_named(r, item, name, &k, e))
			return e->code;
		k->gone = true;
		s->gone[s->n_gone++] = k->t.r.id;
	}
	return E_OK;
}
