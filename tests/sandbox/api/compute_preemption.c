/* Compute Engine v1: operations by which Google ended spot machines. After the Compute REST reference,
 * globalOperations: aggregatedList; others are not listed, and the filter must ask for these. */
#include "tests/sandbox/api/compute.h"

#include "tests/sandbox/actions.h"

static const struct preemption *preemption_at(const struct request *q, size_t i)
{
	return &q->w->preemptions[i];
}

static size_t n_preemptions(const struct request *q)
{
	return q->w->n_preemptions;
}

/* One to come is not listed. */
static const char *preemption_project(const struct request *q, size_t i)
{
	return preemption_at(q, i)->at <= q->now ? preemption_at(q, i)->project : "";
}

static const char *preemption_scope(const struct request *q, size_t i)
{
	return arena_printf(q->a, "zones/%s", preemption_at(q, i)->zone);
}

static const char *preemption_item(const struct request *q, size_t i, const char **id)
{
	*id = preemption_at(q, i)->target;
	return preemption_at(q, i)->name;
}

static void write_preemption(const struct request *q, struct jw *w, size_t i)
{
	const struct preemption *x = preemption_at(q, i);
	const char *scope = preemption_scope(q, i);

	jw_begin(w, '{');
	jw_kstr(w, "kind", "compute#operation");
	jw_kstr(w, "id", arena_printf(q->a, "%zu", 700000 + i));
	jw_kstr(w, "name", arena_printf(q->a, "systemevent-%zu", i + 1));
	gce_url(w, q, "zone", x->project, scope);
	jw_kstr(w, "operationType", "compute.instances.preempted");
	gce_url(w, q, "targetLink", x->project,
		arena_printf(q->a, "%s/instances/%s", scope, x->name));
	jw_kstr(w, "targetId", x->target);
	jw_kstr(w, "status", "DONE");
	jw_kstr(w, "statusMessage", "Instance was preempted.");
	jw_kstr(w, "user", "system");
	jw_ki64(w, "progress", 100);
	add_pacific(w, "insertTime", x->at);
	add_pacific(w, "endTime", x->at);
	jw_end(w, '}');
}

const struct gce_kind gce_operations = {"operations", "operation", n_preemptions,
	preemption_project, preemption_scope, preemption_item, write_preemption,
	"operationType=\"compute.instances.preempted\""};
