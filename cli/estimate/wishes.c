/* Options or a pasted command converted to a proposal, with defaults for missing zones. */
#include "base/str.h"
#include "cli/estimate/estimate.h"
#include "cli/paste/paste.h"
#include "rules/grant/tpu.h"
#include "rules/price/place.h"

#include <stdio.h>
#include <string.h>

struct making {
	struct app *app;
	struct proposal *out;
	struct gcloud_config gcloud;
};

static struct wish *wish_add(struct making *m, const char *kind, struct err *e)
{
	const struct opts *o = &m->app->o;
	struct wish *w = &m->out->v[m->out->n];

	if (m->out->n == PROPOSAL_MAX) {
		err_set(e, E_LIMIT, "more than %d resources at once", PROPOSAL_MAX);
		return NULL;
	}
	m->out->n++;
	*w = (struct wish){
		.kind = kind, .count = o->count < 0 ? 1 : o->count, .from = TS_NONE};
	return w;
}

/* "v3-8:5" -> "v3-8" and 5. Without a number, *n is not changed. */
static enum err_code wish_split(struct making *m, const char *option, const char *text,
	const char **type, int64_t max, int64_t *n, struct err *e)
{
	const char *colon = strchr(text, ':');

	*type = colon ? arena_strndup(&m->app->arena, text, (size_t)(colon - text)) : text;
	if (!**type || strpbrk(*type, " \t\r\n/")) {
		err_set(e, E_USAGE, "--%s: '%.80s' is not a valid type", option, text);
		return err_fix(e, "use --%s %s", option,
			str_eq(option, "disk")          ? "pd-ssd:800"
				: str_eq(option, "tpu") ? "v3-8, or v3-8:5 for five"
							: "n1-standard-2");
	}
	if (!colon || str_to_i64(colon + 1, 1, max, n))
		return E_OK;
	err_set(e, E_USAGE,
		"--%s: '%.80s' is not valid (expected a whole number from 1 to %lld after "
		"the colon)",
		option, text, (long long)max);
	return err_fix(
		e, "use --%s %s:%d", option, *type, str_eq(option, "disk") ? 800 : 2);
}

static const char *provisioning(const struct opts *o)
{
	return o->reserved      ? "reserved"
		: o->flex_start ? "flex-start"
		: o->spot       ? "spot"
				: "on-demand";
}

/* In a pasted command, an unknown type is one with an unknown price: it may be newer than this list. */
static enum err_code check_type(const char *type, struct err *e)
{
	char near[TPU_NAME_BUF];
	struct tpu_type t;

	if (tpu_type_parse(type, &t))
		return E_OK;
	err_set(e, E_USAGE, "--tpu: there is no TPU type '%.40s'", type);
	if (!tpu_family_of_type(type))
		return err_fix(e,
			"types begin with one of " TPU_FAMILY_NAMES "; for a newer "
			"type, give its gcloud command");
	return tpu_type_nearest(type, near)
		? err_fix(e, "did you mean '%s'?", near)
		: err_fix(e, "use a type with its size, such as v3-8, v4-32 or v6e-8");
}

static enum err_code wish_add_machines(
	struct making *m, const char *kind, const struct opt_list *list, struct err *e)
{
	for (size_t i = 0; i < list->n; i++) {
		struct wish *w = wish_add(m, kind, e);
		int64_t n = 1;

		if (!w ||
			wish_split(
				m, kind, list->v[i], &w->type, PROPOSAL_MAX_COUNT, &n, e))
			return e->code;
		if (!strcmp(kind, "tpu") && check_type(w->type, e))
			return e->code;
		w->count *= n;
		w->provisioning = provisioning(&m->app->o);
		if (w->count > PROPOSAL_MAX_COUNT)
			return err_set(e, E_LIMIT, "more than %d of one resource",
				PROPOSAL_MAX_COUNT);
	}
	return E_OK;
}

#define DISK_MAX_GIB 1000000

static enum err_code wish_add_disks(struct making *m, const char *beside, struct err *e)
{
	const struct opt_list *list = &m->app->o.disk;

	for (size_t i = 0; i < list->n; i++) {
		struct wish *w = wish_add(m, "disk", e);

		if (!w ||
			wish_split(m, "disk", list->v[i], &w->type, DISK_MAX_GIB,
				&w->size_gib, e))
			return e->code;
		w->beside = beside;
		if (!w->size_gib) {
			err_set(e, E_USAGE, "--disk: '%.80s' has no size", list->v[i]);
			return err_fix(e, "add the size in GiB: --disk %.40s:100", w->type);
		}
	}
	return E_OK;
}

static enum err_code from_options(struct making *m, struct err *e)
{
	const struct opts *o = &m->app->o;
	const char *beside = o->vm.n ? "vm" : o->tpu.n ? "tpu" : NULL;
	struct wish *ip;

	if (!o->count)
		return err_set_fix(e, E_USAGE, "use --count 2",
			"--count: expected a whole number from 1");
	if (o->spot + o->flex_start + o->reserved > 1)
		return err_set_fix(e, E_USAGE, "use one of them",
			"--spot, --flex-start and --reserved exclude each other");
	m->out->v = arena_alloc(&m->app->arena, PROPOSAL_MAX * sizeof(*m->out->v));
	if (wish_add_machines(m, "tpu", &o->tpu, e) ||
		wish_add_machines(m, "vm", &o->vm, e) || wish_add_disks(m, beside, e))
		return e->code;
	if (o->ip) {
		ip = wish_add(m, "ip", e);
		if (!ip)
			return e->code;
		ip->beside = beside;
		ip->provisioning = provisioning(o);
	}
	if (m->out->n)
		return E_OK;
	return err_set_fix(e, E_USAGE,
		"try: tpucost estimate --tpu v3-8 --zone europe-west4-a, or: tpucost "
		"estimate -- gcloud compute tpus tpu-vm create ...",
		"estimate: no resources are given");
}

/* ---- pasted ------------------------------------------------------------------------------------ */

static enum err_code read_stdin(struct arena *a, const char **out, struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_MAX(PASTE_MAX_TEXT);
	char buf[4096];
	size_t n;

	while ((n = fread(buf, 1, sizeof(buf), stdin)) > 0) {
		if (memchr(buf, '\0', n))
			return err_set(e, E_USAGE, "standard input is not text");
		if (!sbuf_add(&b, buf, n))
			return err_set(e, E_LIMIT, "standard input is longer than %d bytes",
				PASTE_MAX_TEXT);
	}
	if (ferror(stdin))
		return err_set(e, E_IO, "cannot read standard input");
	*out = arena_strdup(a, b.s);
	return E_OK;
}

/* Options must not repeat what the command says about its resources. */
static enum err_code wish_check_options(const struct opts *o, struct err *e)
{
	const char *bad = o->tpu.n ? "--tpu"
		: o->vm.n          ? "--vm"
		: o->disk.n        ? "--disk"
		: o->ip            ? "--ip"
		: o->spot          ? "--spot"
		: o->flex_start    ? "--flex-start"
		: o->reserved      ? "--reserved"
		: o->count >= 0    ? "--count"
				   : NULL;

	if (!bad)
		return E_OK;
	return err_set_fix(e, E_USAGE, "put it into the command, or omit the command",
		"estimate: %s cannot be used with a command", bad);
}

static enum err_code from_command(struct making *m, struct err *e)
{
	struct app *app = m->app;
	const char *text = app->args[0];
	struct paste_env env;

	if (wish_check_options(&app->o, e))
		return e->code;
	paste_env_read(&app->arena, &env);
	if (app->o.zone)
		env.zone = app->o.zone;
	if (app->o.project)
		env.project = app->o.project;
	if (app->n_args > 1)
		return paste_words(&app->arena, (const char *const *)app->args,
			(size_t)app->n_args, &env, m->out, e);
	if (app->served)
		env.variable = NULL;
	else if (!strcmp(text, "-") && read_stdin(&app->arena, &text, e))
		return e->code;
	return paste_text(&app->arena, text, &env, m->out, e);
}

/* ---- defaults ---------------------------------------------------------------------------------- */

void estimate_say(struct arena *a, struct proposal *p, const char *text)
{
	const char **more = arena_alloc(a, (p->n_notes + 1) * sizeof(*more));

	if (p->n_notes)
		memcpy(more, p->notes, p->n_notes * sizeof(*more));
	more[p->n_notes++] = text;
	p->notes = more;
}

static enum err_code fill_places(struct making *m, struct err *e)
{
	const char *zone = m->app->o.zone ? m->app->o.zone : m->gcloud.zone;
	bool said = m->app->o.zone != NULL;

	for (size_t i = 0; i < m->out->n; i++) {
		struct wish *w = &m->out->v[i];

		if (w->zone || w->region)
			continue;
		if (!zone)
			return err_set_fix(e, E_USAGE, "add --zone ZONE",
				"estimate: no zone is given; price and coverage depend "
				"on it");
		if (!said)
			estimate_say(&m->app->arena, m->out,
				arena_printf(&m->app->arena,
					"no --zone: %s, the default of gcloud", zone));
		said = true;
		w->zone = zone;
	}
	return E_OK;
}

static enum err_code check_zones(const struct proposal *p, struct err *e)
{
	char region[REGION_BUF];

	for (size_t i = 0; i < p->n; i++) {
		const char *zone = p->v[i].zone;

		if (!zone || (zone_to_region(zone, region) && !strchr(zone, '/')))
			continue;
		return err_set_fix(e, E_USAGE,
			"a zone is like us-central1-f: a region, a dash and a letter",
			"estimate: '%.60s' is not a valid zone", zone);
	}
	return E_OK;
}

enum err_code estimate_wishes(struct app *app, struct proposal *out, struct err *e)
{
	struct making m = {.app = app, .out = out};

	*out = (struct proposal){0};
	gcloud_config_read(&app->arena, &m.gcloud);
	if (app->n_args ? from_command(&m, e) : from_options(&m, e))
		return e->code;
	return fill_places(&m, e) ? e->code : check_zones(out, e);
}
