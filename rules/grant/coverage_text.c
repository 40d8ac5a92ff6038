/* Sentences on missing coverage of a TPU. */
#include "rules/grant/internal.h"

#include "base/time/civil.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "rules/grant/tpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WHEN_BUF 64

/* "2026-12-01" for midnight, "2026-12-01 14:05" otherwise, in the zone of the input. */
static const char *text_when(const struct cov_engine *en, ts_t t, char buf[WHEN_BUF])
{
	const struct tz *tz = en->in->tz;
	struct civil c = civil_from_ts(tz ? t + tz_offset(tz, t) : t);

	if (!c.hour && !c.minute && !c.second)
		snprintf(buf, WHEN_BUF, "%04d-%02d-%02d", c.year, c.month, c.day);
	else
		snprintf(buf, WHEN_BUF, "%04d-%02d-%02d %02d:%02d%s", c.year, c.month,
			c.day, c.hour, c.minute, tz ? "" : " UTC");
	return buf;
}

/* "v3-8" of a grant of devices, else "v4" */
static const char *text_thing(const struct grant *g)
{
	return g->type ? g->type : g->family;
}

static const char *text_class_of(const struct cov_node *n)
{
	return n->provisioning && strcmp(n->provisioning, "unknown") != 0
		? n->provisioning
		: "of an unknown class";
}

static const char *zone_of(const struct cov_node *n)
{
	return n->zone ? n->zone : "an unknown zone";
}

static void say_type(struct sbuf *b, const struct cov_item *it)
{
	if (!it->type[0])
		sbuf_adds(b, "has an unknown type");
	else if (!it->n->chips.set)
		sbuf_addf(b, "is a %s of unknown size", it->type);
	else
		sbuf_addf(b, "is a %s", it->type);
}

/* "32 on-demand v4 chips (v4-64)", "5 on-demand v3-8 devices" */
static void say_room(struct sbuf *b, const struct cov_line *line)
{
	static const char *const units[] = {
		[GRANT_DEVICES] = "device",
		[GRANT_CHIPS] = "chip",
		[GRANT_CORES] = "core",
	};
	const struct grant *g = line->g;
	char slice[TPU_NAME_BUF];

	sbuf_addf(b, "%" PRId64 " %s %s %s%s", line->room, g->provisioning, text_thing(g),
		units[g->unit], line->room == 1 ? "" : "s");
	if (g->unit == GRANT_CHIPS)
		sbuf_addf(b, " (%s)", tpu_slice_name(g->family, line->room, slice));
}

static void say_over_capacity(struct sbuf *b, const struct cov_engine *en,
	const struct cov_item *it, const struct cov_finding *f)
{
	const struct cov_line *line = &en->lines[f->line];

	sbuf_addf(b, "%s grants ", line->g->name);
	say_room(b, line);
	sbuf_addf(b, " in %s", line->g->zone);
	if (f->needs <= line->room)
		sbuf_addf(b, " and older TPUs use %" PRId64, f->taken);
	if (f->maybe)
		sbuf_addf(b, ", and perhaps %" PRId64 " more: the class of one is unknown",
			f->maybe);
	sbuf_addf(b, "; this %s needs %" PRId64 "%s",
		line->g->unit == GRANT_DEVICES ? "one" : it->type, f->needs,
		f->needs > line->room ? ", more than the whole grant" : "");
}

/* ", 4 days ago" or ", in 4 days"; empty for less than a minute. */
static void say_distance(
	struct sbuf *b, const struct cov_engine *en, const struct cov_finding *f, ts_t t)
{
	static const struct {
		int64_t seconds;
		const char *name;
	} units[] = {{DAY_SECONDS, "day"}, {HOUR_SECONDS, "hour"}, {60, "minute"}};
	int64_t distance;

	if (f->at == TS_NONE ||
		__builtin_sub_overflow(en->in->now ? en->in->now : f->at, t, &distance))
		return;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		int64_t n = (distance < 0 ? -distance : distance) / units[i].seconds;

		/* 47 hours are more precise than 1 day */
		if (n < (i + 1 < ARRAY_LEN(units) ? 2 : 1))
			continue;
		sbuf_addf(b, ", %s%" PRId64 " %s%s%s", distance < 0 ? "in " : "", n,
			units[i].name, n == 1 ? "" : "s", distance < 0 ? "" : " ago");
		return;
	}
}

/* "the grant begins 2026-12-01, in 4 days". Of a moment in the future, an end before it may be in the
 * future as well. */
static void say_edge(struct sbuf *b, const struct cov_engine *en,
	const struct cov_finding *f, const struct grant *g, bool over)
{
	ts_t at = over ? g->until : g->starts;
	char t[WHEN_BUF];

	sbuf_addf(b, " %s %s",
		!over                                           ? "begins"
			: en->in->now && g->until > en->in->now ? "ends"
								: "ended",
		text_when(en, at, t));
	say_distance(b, en, f, at);
}

/* A single difference. */
static void say_one(struct sbuf *b, const struct cov_engine *en, const struct cov_item *it,
	const struct cov_finding *f)
{
	const struct cov_line *line = &en->lines[f->line];
	const struct grant *g = line->g;
	char t1[WHEN_BUF], t2[WHEN_BUF];

	if (f->why == WHY_OVER_CAPACITY || f->maybe) {
		say_over_capacity(b, en, it, f);
		return;
	}
	if (f->why == WHY_EXPIRED || f->why == WHY_NOT_STARTED) {
		sbuf_addf(b, "the grant of %s in %s (%s)", text_thing(g), g->zone, g->name);
		say_edge(b, en, f, g, f->why == WHY_EXPIRED);
		return;
	}
	if (f->why == WHY_CREATED_BEFORE) {
		sbuf_addf(b, "%s covers TPUs created since %s; this one was created %s",
			g->name, text_when(en, line->created_since, t1),
			text_when(en, it->n->created, t2));
		return;
	}
	if (f->why == WHY_WRONG_PROVISIONING) {
		sbuf_addf(b, "%s is granted as %s in %s; this one is %s", text_thing(g),
			g->provisioning, g->zone, text_class_of(it->n));
	} else if (f->why == WHY_PROVISIONING_UNKNOWN) {
		sbuf_addf(b,
			"%s is granted as %s in %s; the class of this one is unknown: "
			"Google does not state it, or states a new one",
			text_thing(g), g->provisioning, g->zone);
	} else if (f->why == WHY_WRONG_TYPE) {
		sbuf_addf(b, "%s is granted in %s; this one ", text_thing(g), g->zone);
		say_type(b, it);
	} else {
		sbuf_addf(b, "%s is granted in %s; this one is in %s", text_thing(g),
			g->zone, zone_of(it->n));
	}
	sbuf_addf(b, " (grant %s)", g->name);
}

/* Several differences: name the nearest grant and all of them. */
static void text_say_all(struct sbuf *b, const struct cov_engine *en,
	const struct cov_item *it, const struct cov_finding *f)
{
	const struct grant *g = en->lines[f->line].g;
	unsigned d = f->differs;
	const char *comma = " this one ";
	char t1[WHEN_BUF];

	sbuf_addf(b, "nearest is %s (%s), but", grant_describe(g, en->a), g->name);
	if (d & 1U << WHY_WRONG_ZONE) {
		sbuf_addf(b, "%sis in %s", comma, zone_of(it->n));
		comma = ", ";
	}
	if (d & 1U << WHY_WRONG_TYPE) {
		sbuf_adds(b, comma);
		say_type(b, it);
		comma = ", ";
	}
	if (d & (1U << WHY_WRONG_PROVISIONING | 1U << WHY_PROVISIONING_UNKNOWN)) {
		sbuf_addf(b, "%sis %s", comma, text_class_of(it->n));
		comma = ", ";
	}
	if (d & 1U << WHY_CREATED_BEFORE) {
		sbuf_addf(b, "%swas created %s", comma, text_when(en, it->n->created, t1));
		comma = ", ";
	}
	if (d & (1U << WHY_EXPIRED | 1U << WHY_NOT_STARTED)) {
		sbuf_addf(b, "%s the grant", comma[0] == ',' ? ", and" : "");
		say_edge(b, en, f, g, d & 1U << WHY_EXPIRED);
	}
}

/* If no grant matches it: one of its family, which is then for another project. */
static const struct grant *other_project(
	const struct cov_engine *en, const struct cov_item *it)
{
	for (size_t i = 0; i < en->in->n_grants; i++) {
		const struct grant *g = en->lines[i].g;

		if (g->project && str_eq(g->family, it->n->family))
			return g;
	}
	return NULL;
}

const char *cov_text(
	const struct cov_engine *en, const struct cov_item *it, const struct cov_finding *f)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	if (en->in->wordless)
		return "";
	if (f->line < 0 && it->n->family && other_project(en, it))
		sbuf_addf(&b, "%s is granted only to project %s (grant %s)",
			text_thing(other_project(en, it)), other_project(en, it)->project,
			other_project(en, it)->name);
	else if (f->line < 0 && it->n->family)
		sbuf_addf(&b, "no grant is for %s", it->n->family);
	else if (f->line < 0)
		sbuf_adds(&b, "this version of tpucost does not know its TPU family");
	else if (f->why == WHY_COVERED)
		sbuf_addf(&b, "covered by %s: %s", en->lines[f->line].g->name,
			grant_describe(en->lines[f->line].g, en->a));
	else if (f->why == WHY_NO_GRANT)
		text_say_all(&b, en, it, f);
	else
		say_one(&b, en, it, f);
	return arena_strdup(en->a, b.s);
}
