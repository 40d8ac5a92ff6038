#include "reports/fix.h"

#include "base/sbuf.h"
#include "base/str.h"
#include "base/time/civil.h"
#include "rules/grant/tpu.h"

#include <string.h>

#define HOLD_DAYS 7

/* ---- subject of an alert ----------------------------------------------------------------------- */

const struct rule *fix_rule(const struct settings *s, const char *name)
{
	for (size_t i = 0; i < s->n_rules; i++)
		if (str_eq(s->rules[i].name, name))
			return &s->rules[i];
	return NULL;
}

bool fix_ends_unsaid(const struct settings *s, const struct said *x)
{
	const struct rule *r = fix_rule(s, x->rule);

	return x->worse || (r && r->end_unsaid);
}

const char *fix_kind(const struct rule *r, const char *name)
{
	return r && r->builtin ? r->builtin : name;
}

enum fix fix_of(const struct rule *r, const char *kind, const struct q_thing *t)
{
	static const char *const stops[] = {"tpu-not-covered", "vm-forgotten"};
	static const char *const deletes[] = {"disk-orphan", "ip-unused", "tpu-leftover"};
	bool runs = str_eq(t->state, "running") || str_eq(t->state, "unknown");

	if (tpu_family_unknown(t->type, t->kind))
		return FIX_LOOK;
	if (str_in(kind, stops, ARRAY_LEN(stops)))
		return FIX_STOP;
	if (str_eq(kind, "tpu-idle"))
		return t->covered.set && t->covered.v ? FIX_LOOK : FIX_STOP;
	if (str_in(kind, deletes, ARRAY_LEN(deletes)))
		return FIX_DELETE;
	if (r && runs && r->then.action && strcmp(r->then.action, "notify") != 0)
		return FIX_STOP;
	return FIX_LOOK;
}

const char *fix_thing(
	const struct rule *r, const char *kind, const struct q_thing *t, struct arena *a)
{
	if (fix_of(r, kind, t) == FIX_LOOK || t->held) /* its owner wants to keep it */
		return NULL;
	return fix_stop(t, a);
}

/* A command that ends in a blank or colon continues with the first part of the subject. */
static const struct {
	const char *rule, *what, *command;
} figures[] = {
	{"budget", "budget", "tpucost budget"},
	{"budget-forecast", "budget", "tpucost budget"},
	{"credit-low", "credit", "tpucost credit"},
	{"quota-high", "quota", "tpucost quota --where 'percent >= 90'"},
	{"burn-high", "burn", "tpucost burn --by resource --project "},
	{"cost-jump", "cost", "tpucost why cost:"},
	{"billed-but-covered", "bill", "tpucost reconcile"},
	{"grant-over-used", "grant", "tpucost coverage"},
	{"grant-ending", "grant", "tpucost grant plan "},
	{"source-stale", "source", "tpucost sources"},
};

const char *fix_with(const char *command, const char *word, struct arena *a)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_adds(&b, command);
	sbuf_add_shell(&b, word);
	return arena_strdup(a, b.s);
}

const char *fix_figure(const char *kind, const char *subject, struct arena *a,
	const char **what, const char **name)
{
	const char *first = arena_strndup(a, subject, strcspn(subject, "/"));

	for (size_t i = 0; i < ARRAY_LEN(figures); i++) {
		const char *command = figures[i].command;
		bool goes_on = str_ends(command, " ") || str_ends(command, ":");

		if (strcmp(figures[i].rule, kind) != 0)
			continue;
		*what = figures[i].what;
		*name = goes_on ? first : subject;
		return goes_on ? fix_with(command, first, a) : command;
	}
	return NULL;
}

const char *fix_why(const char *rule, const char *subject, struct arena *a)
{
	return fix_with("tpucost why ", arena_printf(a, "alert:%s/%s", rule, subject), a);
}

/* ---- one resource ------------------------------------------------------------------------------ */

/* Resources that do not run cannot be stopped. Deleting a TPU deletes its data. */
bool fix_deletes(const struct q_thing *t)
{
	bool runs = str_eq(t->state, "running");

	if (!runs || !str_in(t->kind, (const char *const[]){"tpu", "vm"}, 2))
		return !str_eq(t->kind, "vm");
	return only_deleted(&(struct stop_facts){.kind = t->kind,
		       .source = t->source,
		       .type = t->type,
		       .hosts = t->hosts.set ? t->hosts.v : 0,
		       .queued = t->queued != NULL,
		       .spot = price_class_preemptible(t->provisioning),
		       .flex_start = str_eq(t->provisioning, "flex-start")}) != NULL;
}

const char *fix_warning(const struct q_thing *t)
{
	bool has_data = str_in(t->kind, (const char *const[]){"disk", "tpu", "vm"}, 3);

	return has_data && fix_deletes(t) ? "Deleting it deletes its data." : NULL;
}

static const char *stop_noun(const struct q_thing *t)
{
	if (str_eq(t->kind, "vm") || str_eq(t->kind, "tpu"))
		return str_eq(t->kind, "vm") || str_eq(t->source, "vm")
			? "compute instances"
			: "compute tpus tpu-vm";
	if (str_eq(t->kind, "disk"))
		return "compute disks";
	return str_eq(t->kind, "ip") ? "compute addresses" : NULL;
}

/* "NAME --zone ZONE --project PROJECT" */
static void add_target(
	struct sbuf *b, const char *name, const char *location, const char *project)
{
	bool region = strchr(location, '-') == strrchr(location, '-');

	sbuf_add_shell(b, name);
	if (!strcmp(location, "global")) {
		sbuf_adds(b, " --global");
	} else {
		sbuf_adds(b, region ? " --region " : " --zone ");
		sbuf_add_shell(b, location);
	}
	sbuf_adds(b, " --project ");
	sbuf_add_shell(b, project);
}

const char *fix_stop(const struct q_thing *t, struct arena *a)
{
	const char *noun = stop_noun(t);
	bool queued = str_eq(t->kind, "queued");
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	/* A TPU of a queued resource is deleted together with it, and cannot be deleted alone. */
	if (queued || t->slice_group ||
		(str_eq(t->kind, "tpu") && t->queued && !str_eq(t->source, "vm"))) {
		struct tpu_target target = {.source = str_eq(t->source, "resize") ? "resize"
				: queued                                          ? "queued"
										  : "tpu",
			.project = t->project,
			.zone = t->location,
			.name = t->name,
			.queued = t->queued,
			.group = t->slice_group,
			.also = t->pool_zones};

		return tpu_delete_command(&target, a);
	}
	if (!noun)
		return NULL;
	sbuf_addf(&b, "gcloud %s %s ", noun, fix_deletes(t) ? "delete" : "stop");
	add_target(&b, t->name, t->location, t->project);
	return arena_strdup(a, b.s);
}

/* gcloud reference, "compute reservations delete" and "update". The number of reserved chips cannot be
 * changed with them. */
const char *fix_reservation(const struct q_daily_unused *r, struct arena *a)
{
	bool all = r->unused == r->amount;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	if (!r->fixed.set || r->fixed.v || (!all && !str_eq(r->unit, "machines")))
		return NULL;
	sbuf_addf(&b, "gcloud compute reservations %s ", all ? "delete" : "update");
	add_target(&b, r->name, r->location, r->project);
	if (!all)
		sbuf_addf(&b, " --vm-count %lld", (long long)(r->amount - r->unused));
	return arena_strdup(a, b.s);
}

const char *hold_command(const char *id, const struct tz *tz, ts_t now, struct arena *a)
{
	char date[DATE_BUF];

	return arena_printf(a, "%s --until %s", fix_with("tpucost hold add ", id, a),
		date_format(tz_day(tz, now) + HOLD_DAYS, date));
}

const char *restart_command(const struct action *x, struct arena *a)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	if (x->restart || x->verb == VERB_DELETE)
		return x->restart;
	sbuf_addf(&b, "gcloud compute %s start ",
		str_eq(x->t.source, "vm") ? "instances" : "tpus tpu-vm");
	add_target(&b, x->t.name, x->t.location, x->t.project);
	return arena_strdup(a, b.s);
}

/* ---- text of an error -------------------------------------------------------------------------- */

/* "..., or name a key file" continues the sentence: the fix is more than a command. */
const char *fix_command(const char *fix, struct arena *a)
{
	const char *at = fix ? strstr(fix, "run: ") : NULL, *end;

	if (!at)
		return NULL;
	at += strlen("run: ");
	end = strstr(at, ", or ");
	return arena_strndup(a, at, end ? (size_t)(end - at) : strlen(at));
}

const char *reason_fix(const char *reason, struct arena *a)
{
	const char *at = strstr(reason, "; run: "), *end;

	if (!at)
		return NULL;
	end = strstr(at + 1, "; ");
	return fix_command(end ? arena_strndup(a, at, (size_t)(end - at)) : at, a);
}

const char *reason_without_fix(const char *reason, struct arena *a)
{
	const char *at = strstr(reason, "; run: ");

	return at ? arena_strndup(a, reason, (size_t)(at - reason)) : reason;
}
