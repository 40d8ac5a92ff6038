/* Rewriting a pasted command with another zone, type or class. */
#include "base/sbuf.h"
#include "base/str.h"
#include "cli/estimate/estimate.h"
#include "rules/price/place.h"

#include <string.h>

static const char *command_zone_flag(const struct estimate_thing *t)
{
	return t->wish->zone_flag ? t->wish->zone_flag : "zone";
}

/* The nodes of a pool are in the region of its cluster. */
static const char *other_region(
	const struct estimate_thing *t, const struct estimate_advice *v, struct arena *a)
{
	char region[REGION_BUF];

	if (!v->zone || !str_eq(t->wish->zone_flag, "node-locations") ||
		!zone_to_region(v->zone, region) || str_eq(region, t->r.region))
		return NULL;
	return arena_strdup(a, region);
}

const char *estimate_flags(
	const struct estimate *x, const struct estimate_advice *v, struct arena *a)
{
	const struct estimate_thing *t = &x->things[v->thing];
	const char *region = other_region(t, v, a);
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	if (v->zone)
		sbuf_addf(&b, "--%s=%s", command_zone_flag(t), v->zone);
	if (region)
		sbuf_addf(&b, " in a cluster of %s", region);
	if (v->type)
		sbuf_addf(&b, "%stype %s", b.len ? ", " : "", v->type);
	if (v->provisioning)
		sbuf_addf(&b, "%s%s--%s", b.len ? ", " : "",
			str_eq(v->provisioning, "on-demand") ? "without " : "",
			str_eq(v->provisioning, "on-demand") ? t->r.provisioning
							     : v->provisioning);
	return arena_strdup(a, b.s);
}

struct editing {
	const struct proposal_word *words;
	size_t n;
	struct sbuf b;
	const char *zone_flag;
	bool zone, type; /* found */
};

/* Appends a word with a variable at its end unexpanded: "$NAME", --version="$VERSION". */
static void command_put_variable(struct editing *ed, const char *word)
{
	const char *at = strchr(word, '$');
	cleanup(sbuf_done) struct sbuf front = SBUF_INIT;

	sbuf_add(&front, word, (size_t)(at - word));
	if (front.len)
		sbuf_add_shell(&ed->b, front.s);
	sbuf_addf(&ed->b, "\"%s\"", at);
}

static void command_put(struct editing *ed, const struct proposal_word *w)
{
	sbuf_adds(&ed->b, ed->b.len ? " " : "");
	if (w->variable)
		command_put_variable(ed, w->s);
	else
		sbuf_add_shell(&ed->b, w->s);
}

static void put_text(struct editing *ed, const char *text)
{
	command_put(ed, &(struct proposal_word){.s = text});
}

/* Tests whether the word begins a flag of that name, with one dash or two. *value is set to the
 * text after "=", or to NULL if the value is the next word. */
static bool is_flag(const char *word, const char *name, const char **value)
{
	size_t n = strlen(name);

	if (*word != '-')
		return false;
	word += word[1] == '-' ? 2 : 1;
	if (strncmp(word, name, n) != 0 || (word[n] && word[n] != '='))
		return false;
	*value = word[n] ? word + n + 1 : NULL;
	return true;
}

/* Replaces the value of a flag at words[i]. Returns the number of words used; 0: it is another
 * flag. */
static size_t exchange(struct editing *ed, size_t i, const char *name, const char *to)
{
	const char *word = ed->words[i].s, *value;

	if (!is_flag(word, name, &value))
		return 0;
	sbuf_adds(&ed->b, ed->b.len ? " " : "");
	sbuf_addf(&ed->b, "%.*s=", (int)strcspn(word, "="), word);
	sbuf_add_shell(&ed->b, to);
	return value || i + 1 == ed->n ? 1 : 2;
}

/* Number of words at words[i] that set the class; 0: they set something else. */
static size_t class_words(const struct editing *ed, size_t i)
{
	static const char *const flags[] = {"spot", "preemptible", "best-effort",
		"reserved", "guaranteed", "flex-start"};
	static const char *const values[] = {
		"provisioning-model", "reservation-affinity", "reservation"};
	const char *word = ed->words[i].s, *value;

	for (size_t k = 0; k < ARRAY_LEN(flags); k++)
		if (is_flag(word, flags[k], &value))
			return 1;
	for (size_t k = 0; k < ARRAY_LEN(values); k++)
		if (is_flag(word, values[k], &value))
			return value || i + 1 == ed->n ? 1 : 2;
	return 0;
}

static size_t edit_zone_or_type(
	struct editing *ed, size_t i, const struct estimate_advice *v)
{
	static const char *const types[] = {"accelerator-type", "tpu-size"};
	size_t taken = v->zone ? exchange(ed, i, ed->zone_flag, v->zone) : 0;

	ed->zone = ed->zone || taken;
	for (size_t k = 0; !taken && v->type && k < ARRAY_LEN(types); k++) {
		taken = exchange(ed, i, types[k], v->type);
		ed->type = ed->type || taken;
	}
	return taken;
}

static bool has_word(const struct editing *ed, const char *word)
{
	for (size_t i = 0; i < ed->n; i++)
		if (str_eq(ed->words[i].s, word))
			return true;
	return false;
}

static bool has_flag(const struct editing *ed, const char *name)
{
	const char *value;

	for (size_t i = 0; i < ed->n; i++)
		if (is_flag(ed->words[i].s, name, &value))
			return true;
	return false;
}

/* Flags of the class, in the form that the command uses. A flex-start machine needs the longest time that
 * it runs; 7 days are the most (gcloud reference, "compute instances create"). */
static const char *class_flag(const struct editing *ed, const char *provisioning)
{
	bool machine = has_word(ed, "instances"), pool = has_word(ed, "node-pools");

	if (pool && str_eq(provisioning, "flex-start"))
		return "--flex-start";
	if (pool && str_eq(provisioning, "reserved"))
		return "--reservation-affinity=specific --reservation=RESERVATION";
	if (str_eq(provisioning, "flex-start"))
		return has_flag(ed, "max-run-duration")
			? "--provisioning-model=FLEX_START"
			: "--provisioning-model=FLEX_START --max-run-duration=168h";
	if (str_eq(provisioning, "reserved"))
		return machine ? "--provisioning-model=RESERVATION_BOUND" : "--reserved";
	if (machine)
		return "--provisioning-model=SPOT";
	return pool || has_word(ed, "tpu-vm") || has_word(ed, "queued-resources")
		? "--spot"
		: "--preemptible";
}

static const char *command_edit(const struct proposal *p, const struct estimate_thing *t,
	const struct estimate_advice *v, struct arena *a)
{
	struct editing ed = {.words = p->words,
		.n = p->n_words,
		.b = SBUF_INIT,
		.zone_flag = command_zone_flag(t)};
	const char *text = NULL;

	for (size_t i = 0; i < ed.n;) {
		size_t taken = edit_zone_or_type(&ed, i, v);

		if (!taken && v->provisioning)
			taken = class_words(&ed, i);
		if (!taken) {
			command_put(&ed, &ed.words[i]);
			taken = 1;
		}
		i += taken;
	}
	if (v->zone && !ed.zone)
		put_text(&ed, arena_printf(a, "--%s=%s", ed.zone_flag, v->zone));
	if (v->provisioning && !str_eq(v->provisioning, "on-demand"))
		sbuf_addf(&ed.b, " %s", class_flag(&ed, v->provisioning));
	if (!v->type || ed.type)
		text = arena_strdup(a, ed.b.s);
	sbuf_done(&ed.b);
	return text;
}

/* ---- options of tpucost ------------------------------------------------------------------------ */

static void command_add_option(struct sbuf *b, const char *name, const char *value)
{
	sbuf_addf(b, " --%s ", name);
	sbuf_add_shell(b, value);
}

static void command_add_options(
	struct sbuf *b, const char *name, const struct opt_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		command_add_option(b, name, list->v[i]);
}

/* Only for one kind of TPU: --zone and --spot apply to all of them. */
static const char *ask_again(const struct opts *o, const struct estimate_thing *t,
	const struct estimate_advice *v, struct arena *a)
{
	const char *class = v->provisioning ? v->provisioning : t->r.provisioning;
	const char *number = strchr(o->tpu.n == 1 ? o->tpu.v[0] : "", ':');
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	if (o->tpu.n != 1 || str_eq(t->wish->kind, "vm"))
		return NULL;
	sbuf_adds(&b, "tpucost estimate");
	command_add_option(&b, "tpu",
		arena_printf(
			a, "%s%s", v->type ? v->type : t->r.type, number ? number : ""));
	command_add_options(&b, "vm", &o->vm);
	command_add_options(&b, "disk", &o->disk);
	sbuf_adds(&b, o->ip ? " --ip" : "");
	if (o->count >= 0)
		sbuf_addf(&b, " --count %lld", (long long)o->count);
	command_add_option(&b, "zone", v->zone ? v->zone : t->r.zone);
	if (!str_eq(class, "on-demand"))
		sbuf_addf(&b, " --%s", class);
	if (o->project)
		command_add_option(&b, "project", o->project);
	return arena_strdup(a, b.s);
}

const char *estimate_command(const struct proposal *p, const struct opts *o,
	const struct estimate_thing *t, const struct estimate_advice *v, struct arena *a)
{
	size_t machines = 0;

	for (size_t i = 0; i < p->n; i++)
		machines += !p->v[i].beside;
	/* one flag is for one TPU: with several requests it is unclear which one to change */
	if (t->wish->beside || other_region(t, v, a) || (p->n_words && machines > 1))
		return NULL;
	if (p->n_words)
		return command_edit(p, t, v, a);
	return o->tpu.n ? ask_again(o, t, v, a) : NULL;
}
