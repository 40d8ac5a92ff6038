/* A TPU or queued resource as the target of the commands that save its files and delete it. */
#include "base/sbuf.h"
#include "base/str.h"
#include "rules/derive/internal.h"
#include "rules/grant/tpu.h"

#include <string.h>

/* Other zones of its node pool, whose nodes end with it; NULL: none. */
static const char *target_zones(
	const struct deriving *d, const struct fact *f, struct arena *a)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	for (size_t i = 0; f->attached_to && i < d->n_facts; i++) {
		const struct fact *o = &d->facts[i];

		if (str_eq(o->source, "slice") && str_eq(o->attached_to, f->attached_to) &&
			!strcmp(o->project, f->project) &&
			strcmp(o->location, f->location) != 0 &&
			str_starts(f->attached_to, "locations/"))
			sbuf_addf(&b, "%s%s", b.len ? "," : "", o->location);
	}
	return b.len ? arena_strdup(a, b.s) : NULL;
}

struct tpu_target derive_target(
	const struct deriving *d, const struct fact *f, struct arena *a)
{
	bool slice = str_eq(f->source, "slice");

	return (struct tpu_target){.source = f->source,
		.project = f->project,
		.zone = f->location,
		.name = f->name,
		.queued = f->more->queued,
		.group = slice || str_eq(f->source, "resize") ? f->attached_to : NULL,
		.also = slice ? target_zones(d, f, a) : NULL};
}
