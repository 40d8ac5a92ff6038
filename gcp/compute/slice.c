#include "gcp/compute/slice.h"

#include "base/data/json.h"
#include "base/str.h"
#include "gcp/compute/compute.h"
#include "gcp/decode.h"

#include <ctype.h>
#include <string.h>

/* ---- one machine ------------------------------------------------------------------------------- */

ts_t gce_state_since(const struct gce_instance *vm, const char *state)
{
	if (str_eq(state, "running"))
		return vm->last_start;
	if (str_eq(state, "stopped"))
		return vm->last_stop;
	return str_eq(state, "suspended") ? vm->last_suspended : TS_NONE;
}

/* Text after a part of a path: after that word, or after any name. NULL: the path has another part. */
static const char *slice_after(const char *path, const char *word)
{
	size_t n = path ? strcspn(path, "/") : 0;
	bool fits = word
		? strlen(word) == n && !strncmp(path, word, n)
		: n && strspn(path, "abcdefghijklmnopqrstuvwxyz0123456789-.:") == n;

	return n && fits ? path + n + (path[n] == '/') : NULL;
}

/* created-by is "projects/NUMBER/zones/Z/instanceGroupManagers/NAME"; users may set it to any text. */
const char *gce_group_of(const struct gce_instance *vm)
{
	const char *group = slice_after(slice_after(vm->created_by, "projects"), NULL);
	const char *place = slice_after(group, "zones");

	if (!place)
		place = slice_after(group, "regions");
	place = slice_after(slice_after(place, NULL), "instanceGroupManagers");
	return place && gcp_name_valid(place) ? group : NULL;
}

/* ---- labels ------------------------------------------------------------------------------------ */

#define MAX_LABELS 1000 /* of all nodes of a queued resource, or hosts of a slice */

static void label_union_put(
	struct label_union *u, const char *key, const char *value, struct arena *a)
{
	for (size_t i = 0; i < u->n; i++) {
		if (!str_eq(u->v[i].key, key))
			continue;
		if (!str_eq(u->v[i].value, value) && str_starts(key, "tpucost"))
			u->unknown = true;
		return;
	}
	if (u->n == MAX_LABELS)
		u->unknown = true;
	else
		*arena_push(a, u) = (struct dec_pair){
			arena_strdup(a, key), arena_strdup(a, value)};
}

void label_union_add(struct label_union *u, const char *labels, struct arena *a)
{
	cleanup(json_free_ptr) struct cJSON *j = NULL;

	if (!labels || json_parse(labels, strlen(labels), &j, NULL))
		u->unknown = true;
	JSON_EACH (m, j)
		label_union_put(u, json_key(m), json_text(m, ""), a);
}

const char *label_union_text(const struct label_union *u, struct arena *a)
{
	return u->unknown ? NULL : dec_pairs_text(a, u->v, u->n);
}

/* ---- slices ------------------------------------------------------------------------------------ */

bool gce_slice_alike(const struct gce_host *hosts, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (!str_eq(hosts[i].zone, hosts[0].zone) ||
			!str_eq(hosts[i].type, hosts[0].type) ||
			!str_eq(hosts[i].provisioning, hosts[0].provisioning))
			return false;
	return true;
}

bool gce_type_is_tpu(const char *type)
{
	return (str_starts(type, "ct") && strchr(type, '-') &&
		       isdigit((unsigned char)type[2])) ||
		str_starts(type, "tpu");
}

#define MAX_CHIPS 1000000

/* Chips of a machine: the number before the "t" of "ct6e-standard-4t" or "tpu7x-standard-4t-tpu"; 0: unknown. */
static int64_t slice_host_chips(const char *type)
{
	const char *s = strchr(type, '-');
	int64_t chips = 0;

	for (; s && !isdigit((unsigned char)s[1]); s = strchr(s + 1, '-'))
		;
	for (s += s != NULL; s && isdigit((unsigned char)*s) && chips < MAX_CHIPS; s++)
		chips = chips * 10 + (*s - '0');
	return s && (!strcmp(s, "t") || !strcmp(s, "t-tpu")) ? chips : 0;
}

int64_t gce_topology_hosts(const char *topology, const char *type)
{
	int64_t chips = str_product(topology, MAX_CHIPS), each = slice_host_chips(type);

	return each && chips % each == 0 ? chips / each : 0;
}

/* Hosts that run decide the state, because they are charged; if none does, those that will run
 * again soonest. */
static const char *slice_state(const struct gce_host *hosts, size_t n)
{
	static const char *const first[] = {
		"running", "unknown", "starting", "stopping", "deleting", "suspended"};

	for (size_t s = 0; s < ARRAY_LEN(first); s++)
		for (size_t i = 0; i < n; i++)
			if (str_eq(hosts[i].state, first[s]))
				return first[s];
	return hosts[0].state;
}

/* Example: of 16 hosts 9 are RUNNING and 7 PROVISIONING. This is a running slice of "9 x
 * ct6e-standard-4t", "9 of 16 RUNNING", since the last of the 9 started. */
void gce_slice_sum(const struct gce_host *hosts, size_t n, int64_t target, struct arena *a,
	struct gce_slice *out)
{
	struct label_union labels = {0};
	const char *raw = "";
	bool since = true;

	*out = (struct gce_slice){.state = slice_state(hosts, n),
		.created = TS_NONE,
		.since = TS_NONE,
		.ends = hosts[0].ends};
	for (size_t i = 0; i < n; i++) {
		const struct gce_host *h = &hosts[i];

		label_union_add(&labels, h->labels, a);
		if (h->created != TS_NONE &&
			(out->created == TS_NONE || h->created < out->created))
			out->created = h->created;
		if (h->ends == TS_NONE || (out->ends != TS_NONE && h->ends > out->ends))
			out->ends = h->ends;
		if (!str_eq(h->state, out->state))
			continue;
		raw = h->raw_state;
		out->hosts++;
		since = since && h->since != TS_NONE;
		if (since && (out->since == TS_NONE || h->since > out->since))
			out->since = h->since;
	}
	if (!since)
		out->since = TS_NONE;
	out->labels = label_union_text(&labels, a);
	out->type = out->hosts > 1
		? arena_printf(a, "%lld x %s", (long long)out->hosts, hosts[0].type)
		: hosts[0].type;
	out->raw_state = target < 0 || out->hosts == target
		? raw
		: arena_printf(a, "%lld of %lld %s", (long long)out->hosts,
			  (long long)target, raw);
}
