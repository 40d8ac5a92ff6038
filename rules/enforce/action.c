#include "rules/enforce/action.h"

#include "base/str.h"
#include "rules/grant/tpu.h"

static const char *const state_names[ACTION_STATES] = {
	[ACTION_PENDING] = "pending",
	[ACTION_WARNING] = "warning",
	[ACTION_GRACE] = "grace",
	[ACTION_RECHECK] = "recheck",
	[ACTION_INTENT] = "intent",
	[ACTION_SENT] = "sent",
	[ACTION_VERIFY] = "verify",
	[ACTION_UNKNOWN] = "unknown",
	[ACTION_DONE] = "done",
	[ACTION_FAILED] = "failed",
	[ACTION_SUPERSEDED] = "superseded",
	[ACTION_CLEARED] = "cleared",
};

const char *action_state_name(enum action_state s)
{
	return state_names[s];
}

enum action_state action_state_of(const char *name)
{
	for (int i = 0; i < ACTION_STATES; i++)
		if (str_eq(state_names[i], name))
			return (enum action_state)i;
	return ACTION_CLEARED;
}

bool action_over(enum action_state s)
{
	return s >= ACTION_DONE;
}

bool action_in_flight(enum action_state s)
{
	return s >= ACTION_INTENT && s <= ACTION_UNKNOWN;
}

const char *verb_name(enum verb v)
{
	return v == VERB_DELETE ? "delete" : "stop";
}

enum verb verb_of(const char *word)
{
	return str_eq(word, verb_name(VERB_DELETE)) ? VERB_DELETE : VERB_STOP;
}

const char *verb_past(enum verb v)
{
	return v == VERB_DELETE ? "deleted" : "stopped";
}

const struct rule_action *enforce_step(const struct rule *r, enum verb verb)
{
	const char *name = verb_name(verb);

	if (r && str_eq(r->then.action, name))
		return &r->then;
	return r && str_eq(r->later.action, name) ? &r->later : NULL;
}

ts_t enforce_later(const struct rule *r, enum verb verb, ts_t at)
{
	return r && r->later.action && verb == VERB_STOP && at != TS_NONE
		? at + r->later.after
		: TS_NONE;
}

bool target_is_pool(const struct target *t)
{
	return t->group && str_starts(t->group, "locations/");
}

const char *enforce_mode_name(enum enforce_mode m)
{
	static const char *const names[] = {"off", "dry-run", "armed"};

	return names[m];
}

int64_t hosts_of_type(const char *type)
{
	struct tpu_type t;

	return type && tpu_type_parse(type, &t) ? t.hosts : 0;
}

const char *only_deleted(const struct stop_facts *f)
{
	bool tpu = str_eq(f->kind, "tpu");

	if (str_eq(f->kind, "queued"))
		return "a queued resource";
	if (tpu && (f->hosts > 1 || hosts_of_type(f->type) > 1))
		return "a TPU slice of several hosts";
	if (str_eq(f->source, "slice"))
		return "a managed instance group";
	if (tpu && !str_eq(f->source, "vm") && (f->spot || f->queued))
		return f->spot ? "a spot TPU" : "a TPU of a queued resource";
	return f->flex_start ? "a flex-start machine" : NULL;
}
