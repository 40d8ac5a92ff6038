/* Resources in a world file. A thing that is there already takes what a later step says of it
 * and keeps the rest. */
#include "base/time/civil.h"
#include "base/money.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "cli/trial/internal.h"

#include <stdlib.h>
#include <string.h>

struct entry {
	struct world_thing t;
	const char *zone, *region;
	struct opt_i64 memory_gib; /* nanos */
	int64_t copies;            /* 0: one, under its own name */
};

/* ---- fields ------------------------------------------------------------------------------------ */

static enum err_code read_kind(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	static const char *const words[] = {
		"tpu", "vm", "disk", "ip", "snapshot", "bucket", "queued"};

	(void)b;
	return bind_one_of(n, words, ARRAY_LEN(words), obj, e);
}

static enum err_code read_state(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	static const char *const words[] = {"running", "starting", "stopping", "stopped",
		"suspended", "preempted", "failed", "deleting", "unknown"};

	(void)b;
	return bind_one_of(n, words, ARRAY_LEN(words), obj, e);
}

static enum err_code read_provisioning(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	static const char *const words[] = {"on-demand", "spot", "reserved", "preemptible"};
	const char *word;

	(void)b;
	if (bind_one_of(n, words, ARRAY_LEN(words), &word, e))
		return e->code;
	*(const char **)obj = word == words[3] ? words[1] : word;
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
	ts_t at;

	if (trial_read_when(b, n, &at, e))
		return e->code;
	if (at > trial_reading_of(b)->at)
		return yaml_err(n, e, "created: that is after the step");
	*(struct opt_i64 *)obj = SOME(at);
	return E_OK;
}

static int by_key(const void *a, const void *b)
{
	return strcmp((*(const struct yaml_node *const *)a)->key,
		(*(const struct yaml_node *const *)b)->key);
}

static enum err_code read_labels(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	cleanup(sbuf_done) struct sbuf json = SBUF_INIT;
	const struct yaml_node **items;
	const char *value;
	size_t i = 0;

	if (n->type != YAML_MAP)
		return yaml_err(n, e, "labels: want \"key: value\" pairs");
	items = arena_alloc(b->a, n->n * sizeof(const struct yaml_node *));
	YAML_EACH (item, n)
		items[i++] = item;
	if (i)
		qsort(items, i, sizeof(const struct yaml_node *), by_key);
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

/* 0: it works; N: it has been idle for so long; null: nothing is known. */
static enum err_code read_idle(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
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
		t->idle_since = trial_reading_of(b)->at - minutes * 60;
	return E_OK;
}

static enum err_code read_gib(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct opt_i64 v = {.set = true};
	const char *s;

	(void)b;
	if (yaml_str(n, &s, e))
		return e->code;
	if (nanos_parse_exact(s, &v.v, e))
		return yaml_err_at(n, e);
	if (v.v <= 0)
		return yaml_err(n, e, "want a number above 0");
	*(struct opt_i64 *)obj = v;
	return E_OK;
}

#define TH(field) offsetof(struct entry, t.field)
#define EN(field) offsetof(struct entry, field)
static const struct field thing_fields[] = {
	{"kind", BIND_OTHER, TH(kind), read_kind, .required = false},
	{"project", BIND_TEXT, TH(project), NULL, .required = false},
	{"location", BIND_TEXT, TH(location), NULL, .required = false},
	{"zone", BIND_ZONE, EN(zone), NULL, .required = false},
	{"region", BIND_TEXT, EN(region), NULL, .required = false},
	{"name", BIND_TEXT, TH(name), NULL, .required = true},
	{"state", BIND_OTHER, TH(state), read_state, .required = false},
	{"raw_state", BIND_OTHER, TH(raw_state), read_text_or_null, .required = false},
	{"type", BIND_TEXT, TH(type), NULL, .required = false},
	{"provisioning", BIND_OTHER, TH(provisioning), read_provisioning,
		.required = false},
	{"attached_to", BIND_OTHER, TH(attached_to), read_text_or_null, .required = false},
	{"queued", BIND_OTHER, TH(queued), read_text_or_null, .required = false},
	{"owner", BIND_OTHER, TH(owner), read_text_or_null, .required = false},
	{"labels", BIND_OTHER, TH(labels), read_labels, .required = false},
	{"gpu_type", BIND_TEXT, TH(gpu_type), NULL, .required = false},
	{"gpu_count", BIND_OTHER, TH(gpu_count), trial_read_number, .required = false},
	{"hosts", BIND_OTHER, TH(hosts), trial_read_number, .required = false},
	{"size_gib", BIND_OTHER, TH(size_gib), trial_read_number, .required = false},
	{"created", BIND_OTHER, TH(created), read_created, .required = false},
	{"vcpus", BIND_OTHER, TH(vcpus), trial_read_number, .required = false},
	{"memory_gib", BIND_OTHER, EN(memory_gib), read_gib, .required = false},
	{"idle_minutes", BIND_OTHER, EN(t), read_idle, .required = false},
	{"copies", BIND_COUNT, EN(copies), NULL, .required = false},
	{"sent_bytes_per_second", BIND_OTHER, TH(sent), trial_read_number,
		.required = false},
	{"received_bytes_per_second", BIND_OTHER, TH(received), trial_read_number,
		.required = false},
};

/* ---- which one it is --------------------------------------------------------------------------- */

static bool key_is(const struct yaml_node *n, const char *key, const char *value)
{
	const struct yaml_node *item = yaml_get(n, key);

	return !item || (item->type == YAML_SCALAR && str_eq(item->text, value));
}

static const char *key_text(const struct yaml_node *n, const char *key)
{
	const struct yaml_node *item = yaml_get(n, key);

	return item && item->type == YAML_SCALAR ? item->text : NULL;
}

/* The thing that is there already and that all of its keys fit. */
static enum err_code find_known(struct trial_reading *r, const struct yaml_node *n,
	struct trial_thing **out, struct err *e)
{
	const char *name = key_text(n, "name");

	*out = NULL;
	for (size_t i = 0; name && i < r->n_things; i++) {
		struct trial_thing *k = &r->things[i];

		if (k->gone || strcmp(k->t.name, name) != 0 ||
			!key_is(n, "kind", k->t.kind) ||
			!key_is(n, "project", k->t.project) ||
			!key_is(n, "location", k->t.location) ||
			!key_is(n, "zone", k->t.location) ||
			!key_is(n, "region", k->t.location))
			continue;
		if (*out)
			return yaml_err(n, e,
				"\"%.60s\" may be %s or %s: give its kind and zone too",
				name, (*out)->id, k->id);
		*out = k;
	}
	return E_OK;
}

static enum err_code too_many(const struct yaml_node *n, struct err *e)
{
	return yaml_err(n, e, "more than %d resources in all steps", TRIAL_MAX_ENTRIES);
}

static struct trial_thing *find_id(struct trial_reading *r, const char *id)
{
	for (size_t i = 0; i < r->n_things; i++)
		if (!r->things[i].gone && !strcmp(r->things[i].id, id))
			return &r->things[i];
	return NULL;
}

static enum err_code place(const struct yaml_node *n, struct entry *x, struct err *e)
{
	int given = !!x->t.location + !!x->zone + !!x->region;

	if (given > 1)
		return yaml_err(n, e, "resource %s: give one of zone, region and location",
			x->t.name);
	if (!given)
		return yaml_err(n, e, "resource %s: \"%s\" is missing", x->t.name,
			!strcmp(x->t.kind, "ip") ? "region"
				: !strcmp(x->t.kind, "bucket") ||
					!strcmp(x->t.kind, "snapshot")
				? "location"
				: "zone");
	if (!x->t.location)
		x->t.location = x->zone ? x->zone : x->region;
	return E_OK;
}

static bool kind_is(const struct entry *x, const char *kind)
{
	return !strcmp(x->t.kind, kind);
}

static enum err_code complete_new(
	struct trial_reading *r, const struct yaml_node *n, struct entry *x, struct err *e)
{
	bool used = x->t.attached_to || !(kind_is(x, "disk") || kind_is(x, "ip"));

	if (place(n, x, e))
		return e->code;
	if (!x->t.type && (kind_is(x, "tpu") || kind_is(x, "vm") || kind_is(x, "disk")))
		return yaml_err(n, e, "resource %s: \"type\" is missing", x->t.name);
	if (!x->t.type && kind_is(x, "ip"))
		x->t.type = "external";
	if (!x->t.project)
		x->t.project = r->project;
	if (!x->t.state)
		x->t.state = used ? "running" : "stopped";
	if (!x->t.provisioning && (kind_is(x, "tpu") || kind_is(x, "vm")))
		x->t.provisioning = "on-demand";
	if (!x->t.created.set)
		x->t.created = SOME(r->at);
	return E_OK;
}

/* A disk that is taken off its machine is not in use any more, unless the step says so. */
static void follow_use(const struct yaml_node *n, struct entry *x)
{
	if (yaml_get(n, "attached_to") && !yaml_get(n, "state") &&
		(kind_is(x, "disk") || kind_is(x, "ip")))
		x->t.state = x->t.attached_to ? "running" : "stopped";
}

static enum err_code set_memory(const struct yaml_node *n, struct entry *x, struct err *e)
{
	int64_t mib;

	if (!x->memory_gib.set)
		return E_OK;
	if (!nanos_muldiv(x->memory_gib.v, 1024, NANOS, &mib))
		return yaml_err(n, e, "memory_gib: too large");
	x->t.memory_mib = SOME(mib);
	return E_OK;
}

/* What a step says of a thing, for this step and for the ones to come. */
static void keep(struct trial_reading *r, struct trial_step *s, struct trial_thing *known,
	const struct world_thing *t)
{
	if (!known) {
		r->things = arena_grow(
			r->a, r->things, r->n_things, &r->cap_things, sizeof(*r->things));
		known = &r->things[r->n_things++];
		*known = (struct trial_thing){.id = world_id(t, r->a)};
	}
	known->t = *t;
	s->things = arena_grow(
		r->a, s->things, s->n_things, &r->cap_step, sizeof(*s->things));
	s->things[s->n_things++] = *t;
}

/* NAME-1, NAME-2, ... */
static enum err_code keep_copies(struct trial_reading *r, struct trial_step *s,
	const struct yaml_node *n, const struct entry *x, struct err *e)
{
	struct world_thing t = x->t;

	if (x->copies > TRIAL_MAX_ENTRIES ||
		r->entries + (size_t)x->copies > TRIAL_MAX_ENTRIES)
		return too_many(n, e);
	r->entries += (size_t)x->copies;
	for (int64_t i = 1; i <= x->copies; i++) {
		t.name = arena_printf(r->a, "%s-%lld", x->t.name, (long long)i);
		if (find_id(r, world_id(&t, r->a)))
			return yaml_err(n, e, "resource %s is there already", t.name);
		keep(r, s, NULL, &t);
	}
	return E_OK;
}

static enum err_code read_thing(
	struct binder *b, const struct yaml_node *n, struct trial_step *s, struct err *e)
{
	struct trial_reading *r = trial_reading_of(b);
	struct entry x = {.t = {.idle_since = TS_NONE}};
	struct trial_thing *known;

	if (n->type != YAML_MAP)
		return yaml_err(n, e, "resources: want \"key: value\" pairs");
	if (find_known(r, n, &known, e))
		return e->code;
	if (known) {
		x.t = known->t;
		x.t.location = NULL;
	}
	if (bind_map(b, n, "resource", thing_fields, ARRAY_LEN(thing_fields), &x, e))
		return e->code;
	if (!x.t.kind)
		return yaml_err(n, e,
			"resource %s: \"kind\" is missing, and nothing of that name is "
			"there",
			x.t.name);
	if (known)
		x.t.location = known->t.location;
	else if (complete_new(r, n, &x, e))
		return e->code;
	follow_use(n, &x);
	if (set_memory(n, &x, e))
		return e->code;
	if (x.t.size_gib.set && kind_is(&x, "snapshot"))
		x.t.bytes = SOME(x.t.size_gib.v * INT64_C(1073741824));
	if (x.copies && known)
		return yaml_err(n, e, "copies: %s is there already", x.t.name);
	if (x.copies)
		return keep_copies(r, s, n, &x, e);
	keep(r, s, known, &x.t);
	return E_OK;
}

enum err_code trial_read_things(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct trial_reading *r = trial_reading_of(b);
	struct trial_step *s = obj;

	if (n->type != YAML_SEQ)
		return yaml_err(
			n, e, "resources: want a list (lines that begin with \"- \")");
	r->entries += n->n;
	if (r->entries > TRIAL_MAX_ENTRIES)
		return too_many(n, e);
	r->cap_step = 0;
	YAML_EACH (item, n)
		if (read_thing(b, item, s, e))
			return e->code;
	return E_OK;
}

/* ---- what goes --------------------------------------------------------------------------------- */

static enum err_code find_named(struct trial_reading *r, const struct yaml_node *n,
	const char *name, struct trial_thing **out, struct err *e)
{
	const char **names = arena_alloc(r->a, (r->n_things + 1) * sizeof(*names));
	size_t count = 0;
	const char *near;

	*out = NULL;
	for (size_t i = 0; i < r->n_things; i++) {
		struct trial_thing *k = &r->things[i];

		if (k->gone)
			continue;
		names[count++] = k->t.name;
		if (strcmp(k->t.name, name) != 0 && strcmp(k->id, name) != 0)
			continue;
		if (*out)
			return yaml_err(n, e,
				"\"%.60s\" may be %s or %s: give the whole id", name,
				(*out)->id, k->id);
		*out = k;
	}
	if (*out)
		return E_OK;
	near = str_nearest(name, names, count);
	yaml_err(n, e, "gone: there is no \"%.60s\"", name);
	return near ? err_fix(e, "did you mean \"%s\"?", near) : e->code;
}

enum err_code trial_read_gone(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct trial_reading *r = trial_reading_of(b);
	struct trial_step *s = obj;
	struct trial_thing *k;
	const char *name;

	if (n->type != YAML_SEQ)
		return yaml_err(n, e, "gone: want a list of names");
	s->gone = arena_alloc(b->a, n->n * sizeof(*s->gone));
	YAML_EACH (item, n) {
		if (yaml_str(item, &name, e) || find_named(r, item, name, &k, e))
			return e->code;
		k->gone = true;
		s->gone[s->n_gone++] = k->id;
	}
	return E_OK;
}
