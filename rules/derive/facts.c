/* Existing resources, as stored, and how to find one. */
#include "base/str.h"
#include "db/db.h"
#include "db_sql.h"
#include "rules/derive/internal.h"

#include <stdlib.h>
#include <string.h>

/* An end that passed has ended nothing: it still runs. While it is stopped, it has none. */
static struct opt_i64 fact_end(const struct q_resource_facts *q, ts_t now)
{
	bool runs = str_eq(q->state, "running") || str_eq(q->state, "starting");

	return runs && q->ends.set && q->ends.v > now ? q->ends : NONE;
}

/* Zonal disks that are attached to the machine and are deleted with it. */
static void fact_end_disks(struct deriving *d, const struct fact *vm)
{
	char *rest = arena_strdup(&d->kept, vm->more->end_disks), *name;

	while ((name = strtok_r(rest, " ", &rest))) {
		struct fact *disk = fact_find(d,
			arena_printf(&d->kept, "%s/disk/%s/%s", vm->project, vm->location,
				name));

		if (disk && str_eq(disk->attached_to, vm->name))
			disk->ends = vm->ends;
	}
}

static const struct fact_more *fact_more_of(
	struct deriving *d, const struct q_resource_facts *q)
{
	struct fact_more *more;

	if (!q->gpu_type && !q->queued && !q->end_disks && !q->bytes.set &&
		!q->gpu_count.set && !q->local_ssd_gib.set && !q->target_hosts.set &&
		!q->busy_hosts.set && !q->starting_hosts.set && !q->nodes.set)
		return &fact_no_more;
	more = arena_new(&d->kept, struct fact_more);
	*more = (struct fact_more){.gpu_type = q->gpu_type,
		.queued = q->queued,
		.end_disks = q->end_disks,
		.bytes = q->bytes,
		.gpu_count = q->gpu_count,
		.local_ssd_gib = q->local_ssd_gib,
		.target_hosts = q->target_hosts,
		.busy_hosts = q->busy_hosts,
		.starting_hosts = q->starting_hosts,
		.nodes = q->nodes};
	return more;
}

const struct keep fact_no_keep = {.until = TS_NONE};
const struct activity fact_no_activity = {.is = ACTIVITY_UNKNOWN};

static const struct keep *fact_keep(struct deriving *d, const struct fact *f)
{
	struct keep now = keep_read(f->labels, d->o->settings->tz, d->o->now, &d->kept);
	struct keep *kept;

	if (!now.exempt && !now.bad && now.until == TS_NONE && !now.why)
		return &fact_no_keep;
	kept = arena_new(&d->kept, struct keep);
	*kept = now;
	return kept;
}

static void add_fact(struct deriving *d, const struct q_resource_facts *q)
{
	struct fact *f;

	if (d->n_facts == d->cap_facts) {
		d->cap_facts = d->cap_facts ? d->cap_facts * 2 : 64;
		d->facts = xrealloc(d->facts, d->cap_facts * sizeof(*d->facts));
	}
	f = &d->facts[d->n_facts++];
	*f = (struct fact){.id = q->id,
		.uid = q->uid,
		.kind = q->kind,
		.project = q->project,
		.source = q->source,
		.location = q->location,
		.zone = q->zone,
		.region = q->region,
		.name = q->name,
		.state = q->state,
		.raw_state = q->raw_state,
		.type = q->type,
		.provisioning = q->provisioning,
		.labels = q->labels,
		.attached_to = q->attached_to,
		.more = fact_more_of(d, q),
		.activity = &fact_no_activity,
		.hosts = opt_narrow(q->hosts),
		.size_gib = opt_narrow(q->size_gib),
		.vcpus = opt_narrow(q->vcpus),
		.memory_mib = opt_narrow(q->memory_mib),
		.created = ts_of_opt(q->created),
		.running_since = ts_of_opt(q->running_since),
		.complete = q->complete,
		.ends = fact_end(q, d->o->now)};
	f->keep = fact_keep(d, f);
	fact_describe(f);
}

#define KINDS 8

/* The one before it of its kind has many texts in common. */
enum err_code facts_read(struct deriving *d, struct arena *texts, struct err *e)
{
	struct q_resource_facts row, last[KINDS] = {{0}};
	struct db_rows found;

	if (q_resource_facts_open(d->db, &found, e))
		return e->code;
	while (q_resource_facts_next(&found, &row)) {
		size_t k = 0;

		while (k + 1 < KINDS && last[k].kind && strcmp(last[k].kind, row.kind) != 0)
			k++;
		db_rows_keep(&found, &row, last[k].kind ? &last[k] : NULL, texts);
		add_fact(d, &row);
		last[k] = row;
	}
	if (db_rows_close(&found, e))
		return e->code;
	for (size_t i = 0; i < d->n_facts; i++)
		if (d->facts[i].ends.set && d->facts[i].more->end_disks)
			fact_end_disks(d, &d->facts[i]);
	return E_OK;
}

static int fact_is(const void *id, const void *fact)
{
	return strcmp(id, ((const struct fact *)fact)->id);
}

size_t fact_first(const struct deriving *d, const char *id)
{
	size_t from = 0, to = d->n_facts;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (strcmp(d->facts[middle].id, id) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

bool fact_has_id(const struct deriving *d, size_t at, const char *prefix)
{
	return at < d->n_facts && str_starts(d->facts[at].id, prefix);
}

struct fact *fact_find(const struct deriving *d, const char *id)
{
	return d->n_facts ? bsearch(id, d->facts, d->n_facts, sizeof(*d->facts), fact_is)
			  : NULL;
}
