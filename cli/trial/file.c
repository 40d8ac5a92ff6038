/* A world file, from its text to the steps of a trial. */
#include "cli/trial/file.h"

#include "base/time/civil.h"
#include "base/fs.h"
#include "base/str.h"
#include "cli/trial/internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_TICK 600

/* ---- a step ------------------------------------------------------------------------------------ */

static enum err_code read_sources(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	static const char *const words[] = {"ok", "failed", "stale", "disabled"};
	struct trial_step *s = obj;

	if (n->type != YAML_MAP)
		return yaml_err(n, e, "sources: want \"source: answer\" pairs");
	s->sources = arena_alloc(b->a, n->n * sizeof(*s->sources));
	YAML_EACH (item, n) {
		struct trial_source *out = &s->sources[s->n_sources++];
		const char *word, *near;

		if (!world_source_known(item->key, &near)) {
			yaml_err_key(item, e, "sources: there is no source \"%.40s\"",
				item->key);
			return near ? err_fix(e, "did you mean \"%s\"?", near) : e->code;
		}
		if (bind_one_of(item, words, ARRAY_LEN(words), &word, e))
			return e->code;
		out->name = item->key;
		out->how = !strcmp(word, "ok")    ? ANSWERS
			: !strcmp(word, "failed") ? ANSWERS_NOT
			: !strcmp(word, "stale")  ? ANSWERS_OLD
						  : ANSWERS_NO_API;
	}
	return E_OK;
}

static enum err_code read_unreachable(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct trial_step *s = obj;
	struct texts zones = {0};

	if (bind_value(b, n, BIND_TEXTS, &zones, e))
		return e->code;
	s->unreachable = zones.v;
	s->n_unreachable = zones.n;
	s->zones_told = true;
	return E_OK;
}

#define ST(field) offsetof(struct trial_step, field)
static const struct field step_fields[] = {
	{"at", BIND_OTHER, ST(at), trial_read_when, .required = false},
	{"note", BIND_TEXT, ST(note), NULL, .required = false},
	{"resources", BIND_OTHER, 0, trial_read_things, .required = false},
	{"gone", BIND_OTHER, 0, trial_read_gone, .required = false},
	{"bill", BIND_OTHER, 0, trial_read_bill, .required = false},
	{"quotas", BIND_OTHER, 0, trial_read_quotas, .required = false},
	{"sources", BIND_OTHER, 0, read_sources, .required = false},
	{"unreachable", BIND_OTHER, 0, read_unreachable, .required = false},
	{"expect", BIND_OTHER, 0, trial_read_expect, .required = false},
	{"quiet", BIND_OTHER, 0, trial_read_quiet, .required = false},
	{"expect_none", BIND_FLAG, ST(expect_none), NULL, .required = false},
};

/* When it is must be known before the rest is read. */
static enum err_code read_at(struct binder *b, const struct yaml_node *n,
	const struct trial_step *before, ts_t *out, struct err *e)
{
	struct trial_reading *r = trial_reading_of(b);
	const struct yaml_node *at = yaml_get(n, "at");

	*out = r->trial->start;
	if (!at && before)
		return yaml_err(n, e, "step: \"at\" is missing");
	if (at && trial_read_when(b, at, out, e))
		return e->code;
	if (before ? *out <= before->at : *out < r->trial->start)
		return yaml_err(at, e, "\"%s\" is not after %s", at->text,
			before ? "the step before" : "the start");
	if (*out - r->trial->start > TRIAL_MAX_OFFSET)
		return yaml_err(at, e, "that is more than ten years after the start");
	return E_OK;
}

static enum err_code read_steps(
	struct binder *b, const struct yaml_node *n, struct trial *t, struct err *e)
{
	struct trial_reading *r = trial_reading_of(b);

	if (!n || n->type != YAML_SEQ || !n->n)
		return yaml_err(n, e, "steps: want a list (lines that begin with \"- \")");
	if (n->n > TRIAL_MAX_ENTRIES)
		return yaml_err(n, e, "more than %d steps", TRIAL_MAX_ENTRIES);
	t->steps = arena_alloc(b->a, n->n * sizeof(*t->steps));
	YAML_EACH (item, n) {
		struct trial_step *s = &t->steps[t->n_steps];

		if (item->type != YAML_MAP)
			return yaml_err(item, e, "step: want \"key: value\" pairs");
		if (read_at(b, item, t->n_steps ? s - 1 : NULL, &r->at, e) ||
			bind_map(
				b, item, "step", step_fields, ARRAY_LEN(step_fields), s, e))
			return e->code;
		s->at = r->at;
		t->n_steps++;
	}
	return E_OK;
}

/* ---- the file ---------------------------------------------------------------------------------- */

static enum err_code check_keys(const struct yaml_node *root, struct err *e)
{
	static const char *const all[] = {"config", "project", "start", "tick", "steps",
		"timezone", "currency", "poll", "grants", "credits", "budgets", "rules",
		"prices"};

	return yaml_check_keys(root, "world", all, ARRAY_LEN(all), e);
}

/* The configuration that the file names, else the one of the program, else none. */
static enum err_code load_config(
	struct app *app, const struct yaml_node *root, struct config *cfg, struct err *e)
{
	const struct yaml_node *n = yaml_get(root, "config");
	const char *path = config_path(app), *s;
	bool asked = app->o.config || getenv("TPUCOST_CONFIG");

	if (n && yaml_str(n, &s, e))
		return e->code;
	if (n && strcmp(s, "none") != 0) {
		char *full = fs_resolve(root->file, s);

		path = arena_strdup(&app->arena, full);
		free(full);
	} else if (n || (!asked && access(path, F_OK))) {
		config_empty(root->file, &app->arena, cfg);
		return E_OK;
	}
	if (config_read(path, &app->arena, cfg, e)) {
		e->code = E_CONFIG;
		return n && cfg->tz == NULL ? yaml_err_at(n, e) : e->code;
	}
	return E_OK;
}

static enum err_code read_frame(
	struct binder *b, const struct yaml_node *root, struct trial *t, struct err *e)
{
	struct trial_reading *r = trial_reading_of(b);
	const struct yaml_node *start = yaml_get(root, "start");
	const struct yaml_node *tick = yaml_get(root, "tick");
	const struct yaml_node *project = yaml_get(root, "project");

	r->project = "test";
	if (project && yaml_str(project, &r->project, e))
		return e->code;
	if (!start)
		return yaml_err(root, e,
			"\"start\" is missing: the moment when the world begins, such as "
			"2026-11-01T00:00:00Z");
	if (trial_read_when(b, start, &t->start, e))
		return e->code;
	t->tick = DEFAULT_TICK;
	if (tick && bind_value(b, tick, BIND_DURATION, &t->tick, e))
		return e->code;
	if (t->tick < 10)
		return yaml_err(tick, e, "tick: at least 10s");
	return read_steps(b, yaml_get(root, "steps"), t, e);
}

enum err_code trial_file_read(struct app *app, const char *path, struct config *cfg,
	struct trial *out, struct err *e)
{
	struct trial_reading r = {.a = &app->arena, .cfg = cfg, .trial = out};
	struct binder b = {.a = &app->arena, .file = path, .ctx = &r};
	struct yaml_node *root = NULL;

	memset(cfg, 0, sizeof(*cfg));
	*out = (struct trial){.file = path, .start = TS_NONE};
	if (yaml_load(path, &app->arena, &root, e)) {
		e->code = E_CONFIG;
		return e->code;
	}
	if (!root)
		return err_set(e, E_CONFIG, "%s:1:1: the file is empty", path);
	if (check_keys(root, e) || load_config(app, root, cfg, e) ||
		config_read_inline(root, &app->arena, cfg, e) ||
		read_frame(&b, root, out, e))
		return e->code;
	out->settings = &cfg->settings;
	return E_OK;
}
