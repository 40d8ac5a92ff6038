/* Duty cycles of TPUs, which Cloud Monitoring reports by zone. */
#include "base/str.h"
#include "db_sql.h"
#include "rules/derive/internal.h"

#include <stdlib.h>
#include <string.h>

/* TPUs that start or stop may have reported, too: then the expected number of hosts is unknown. */
static void duty_count_hosts(struct deriving *d, struct duty_zone *z)
{
	int zone = (int)strcspn(z->subject, "/");
	char *ids = arena_printf(&d->spent, "%s/tpu/%.*s/", z->project, zone, z->subject);

	for (size_t i = fact_first(d, ids); fact_has_id(d, i, ids); i++) {
		const struct fact *f = &d->facts[i];

		if (str_eq(f->state, "stopped") || str_eq(f->state, "preempted") ||
			str_eq(f->state, "failed"))
			continue;
		if (!str_eq(f->state, "running") || !f->hosts.set) {
			z->hosts = 0;
			return;
		}
		z->hosts += str_eq(f->source, "vm") ? 1 : f->hosts.v;
		z->tpus++;
	}
}

enum err_code duty_read(struct deriving *d, struct duty_zones *out, struct err *e)
{
	struct q_zone_signal_list *q;

	if (q_zone_signal_list_all(d->db, &d->spent, &q, &out->n, e))
		return e->code;
	out->v = arena_alloc(&d->spent, out->n * sizeof(*out->v));
	for (size_t i = 0; i < out->n; i++)
		out->v[i] = (struct duty_zone){.project = q[i].project,
			.subject = q[i].subject,
			.points = {.at = q[i].at,
				.idle_since = ts_of_opt(q[i].idle_since),
				.workers = q[i].series,
				.at_least = q[i].at_least}};
	for (size_t i = 0; i < out->n; i++)
		duty_count_hosts(d, &out->v[i]);
	return E_OK;
}

static int duty_of_fact(const void *fact, const void *zone)
{
	const struct fact *f = fact;
	const struct duty_zone *z = zone;
	size_t n = strlen(f->location);
	int order = strcmp(f->project, z->project);

	if (!order)
		order = strncmp(f->location, z->subject, n);
	return order ? order : strcmp("/*", z->subject + n);
}

/* A series does not name its node. So the TPUs are idle when each host of the zone reported and
 * none worked, and a TPU works when it is the only one. */
struct signal duty_says(const struct deriving *d, const struct duty_zones *zones,
	const struct fact *f, const struct active *what)
{
	struct active zone = *what;
	const struct duty_zone *z = bsearch(
		f, zones->v, zones->n, sizeof(*z), duty_of_fact);

	if (!z || z->points.workers != z->hosts ||
		(z->points.idle_since == TS_NONE && z->tpus != 1))
		return (struct signal){.says = SAYS_NOTHING};
	zone.hosts = z->hosts;
	return signal_read(&z->points, &zone, d->o->now);
}
