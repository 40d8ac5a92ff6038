/* Enforcement in the configuration. */
#include "base/str.h"
#include "cli/config/internal.h"

#include <string.h>

/* 50 or "50%" */
static enum err_code read_share(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	const char *s, *end;
	int64_t share;

	(void)b;
	if (yaml_str(n, &s, e))
		return e->code;
	end = s + strlen(s);
	if (end > s && end[-1] == '%')
		end--;
	if (!str_to_i64(arena_strndup(b->a, s, (size_t)(end - s)), 0, 100, &share))
		return yaml_err(
			n, e, "\"%.60s\" is no share: want a percentage such as 50%%", s);
	*(int64_t *)obj = share;
	return E_OK;
}

/* Nothing is no file: the folder of the configuration would be taken for the key. */
static enum err_code read_key_file(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	const char *s;

	if (yaml_str(n, &s, e))
		return e->code;
	if (!*s)
		return yaml_err(n, e,
			"credentials: want the path of a key file; leave the key out to "
			"act with the credentials that collect");
	return bind_value(b, n, BIND_PATH, obj, e);
}

/* It becomes a part of a URL. */
static enum err_code enforcement_read_account(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	const char *s, *at;

	(void)b;
	if (yaml_str(n, &s, e))
		return e->code;
	at = strchr(s, '@');
	if (!at || at == s || !str_ends(s, ".gserviceaccount.com") ||
		s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-.@")] ||
		strchr(at + 1, '@'))
		return yaml_err(n, e,
			"\"%.80s\" is no service account: want its e-mail address, such as "
			"tpucost-stopper@my-project.iam.gserviceaccount.com",
			s);
	*(const char **)obj = s;
	return E_OK;
}

/* Ids or numbers, never patterns: what may be acted on is named. */
static enum err_code read_projects(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct texts *t = obj;

	if (bind_value(b, n, BIND_TEXTS, t, e))
		return e->code;
	for (size_t i = 0; i < t->n; i++)
		if (!config_project_valid(t->v[i]) &&
			(!*t->v[i] || t->v[i][strspn(t->v[i], "0123456789")]))
			return yaml_err(
				n, e, "\"%.60s\" is no project id or number", t->v[i]);
	return E_OK;
}

/* A pattern would be taken for a name, and protect nothing. */
static enum err_code read_exempt(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	static const char in_ids[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:/";
	struct texts *t = obj;

	if (bind_value(b, n, BIND_TEXTS, t, e))
		return e->code;
	for (size_t i = 0; i < t->n; i++)
		if (!*t->v[i] || t->v[i][strspn(t->v[i], in_ids)])
			return yaml_err(n, e,
				"exempt: \"%.60s\" is no id or name of a machine; "
				"conditions go into protect, such as \"name LIKE 'db-%%'\"",
				t->v[i]);
	return E_OK;
}

static const char *const modes[] = {"off", "dry-run", "armed", NULL};

#define EN(field) offsetof(struct enforcement_config, field)
static const struct field enforcement_fields[] = {
	{"mode", BIND_ENUM, EN(made.mode),
		.doc = "off, dry-run (only says what it would do) or armed",
		.def = "dry-run", .words = modes},
	{"projects", BIND_OTHER, EN(projects), read_projects,
		.doc = "ids or numbers of the projects that may be acted on; armed needs "
		       "some",
		.shape = "list of projects"},
	{"max_per_run", BIND_COUNT, EN(made.max_per_run),
		.doc = "the most actions of one cycle", .def = "3"},
	{"max_per_hour", BIND_COUNT, EN(made.max_per_hour),
		.doc = "the most actions in an hour", .def = "5"},
	{"max_per_rule_hour", BIND_COUNT, EN(made.max_per_rule_hour),
		.doc = "the most actions of one rule in an hour", .def = "3"},
	{"max_per_day", BIND_COUNT, EN(made.max_per_day),
		.doc = "the most actions in a day", .def = "10"},
	{"max_deletes_per_hour", BIND_COUNT, EN(made.max_deletes_per_hour),
		.doc = "the most deletions in an hour", .def = "1"},
	{"max_share", BIND_OTHER, EN(made.max_share), read_share,
		.doc = "the most percent of the running machines of a kind that are acted "
		       "on in an hour; at least one machine",
		.def = "50", .shape = "percent"},
	{"protect", BIND_TEXT, EN(made.protect),
		.doc = "SQL condition over resources: nothing for which it holds is acted "
		       "on"},
	{"exempt", BIND_OTHER, EN(exempt), read_exempt,
		.doc = "names or ids of machines that are never acted on",
		.shape = "list of text"},
	{"windows", BIND_OTHER, 0, config_read_windows,
		.doc = "times in which anything may be done", .def = "always",
		.sub = &config_window_keys},
	{"credentials", BIND_OTHER, EN(credentials), read_key_file,
		.doc = "key file of the account that acts", .def = "that of credentials",
		.shape = "path"},
	{"impersonate", BIND_OTHER, EN(impersonate), enforcement_read_account,
		.doc = "e-mail address of the service account to act as", .shape = "text"},
	{"allow_delete", BIND_FLAG, EN(made.allow_delete),
		.doc = "true: rules may delete what cannot be stopped", .def = "false"},
};

static enum err_code check_enforcement(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct enforcement_config *en = obj;

	(void)b;
	en->node = n;
	if (en->made.mode == ENFORCE_ARMED && !en->projects.n)
		return yaml_err(n, e,
			"enforcement: mode armed needs the projects that may be acted on");
	return E_OK;
}

const struct field_set config_enforcement_keys = {enforcement_fields,
	ARRAY_LEN(enforcement_fields), .what = "enforcement", .check = check_enforcement};

void config_default_enforcement(struct enforcement_config *en)
{
	en->made = (struct enforcement){.mode = ENFORCE_DRY_RUN,
		.max_per_run = 3,
		.max_per_hour = 5,
		.max_per_rule_hour = 3,
		.max_per_day = 10,
		.max_share = 50,
		.max_deletes_per_hour = 1};
}

/* Beside the database, beside the configuration, or of the whole machine. Who acts on this database
 * looks beside it, by whatever name. Who acts by this configuration may have another database: one
 * that is relative to another name of the configuration, or the one that it named before an edit. */
static void find_halt_files(struct config *cfg)
{
	cfg->halts[0] = (struct halt_file){
		.beside = cfg->database, .written = true, .must = true};
	cfg->halts[1] = (struct halt_file){
		.beside = cfg->path, .written = true, .must = !cfg->database_absolute};
	cfg->halts[2] = (struct halt_file){.beside = MACHINE_CONFIG};
	cfg->enforcement.made.halt_files = cfg->halts;
	cfg->enforcement.made.n_halt_files = 3;
}

void config_keep_database(struct config *cfg, const char *database)
{
	cfg->halts[3] = (struct halt_file){.beside = database};
	cfg->enforcement.made.n_halt_files = 4;
	cfg->database = database;
}

const struct enforcement *config_make_enforcement(struct config *cfg)
{
	struct enforcement_config *en = &cfg->enforcement;

	en->mode = modes[en->made.mode];
	en->made.projects = en->projects.v;
	en->made.n_projects = en->projects.n;
	en->made.exempt = en->exempt.v;
	en->made.n_exempt = en->exempt.n;
	find_halt_files(cfg);
	return &en->made;
}
