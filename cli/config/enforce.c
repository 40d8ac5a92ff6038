/* Section `enforcement` of the configuration. */
#include "base/str.h"
#include "cli/config/internal.h"

#include <string.h>

#define EVERY_DAY_BITS 0x7fU

/* 50 or "50%" */
static enum err_code read_share(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	if (!config_percent(b->a, n->text, 0, 100, obj))
		return yaml_err(n, e,
			"'%.60s' is not a percentage (expected one such as 50%%)", n->text);
	return E_OK;
}

/* An empty path would be the directory of the configuration. */
static enum err_code read_key_file(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	const char *s = n->text;

	if (!*s)
		return yaml_err(n, e,
			"credentials: expected the path of a key file; omit the key to "
			"act with the credentials that collect");
	return bind_value(b, n, BIND_PATH, obj, e);
}

/* The account becomes a part of a URL. */
static enum err_code enforcement_read_account(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	const char *s = n->text, *at;

	(void)b;
	at = strchr(s, '@');
	if (!at || at == s || !str_ends(s, ".gserviceaccount.com") ||
		s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-.@")] ||
		strchr(at + 1, '@'))
		return yaml_err(n, e,
			"'%.80s' is not a service account (expected its e-mail address, "
			"such as tpucost-stopper@my-project.iam.gserviceaccount.com)",
			s);
	*(const char **)obj = s;
	return E_OK;
}

/* Ids or numbers, no patterns: projects where actions are allowed must be named. */
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
				n, e, "'%.60s' is not a project id or number", t->v[i]);
	return E_OK;
}

/* A pattern would be taken as a name and protect nothing. */
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
				"exempt: '%.60s' is not an id or name of a machine; "
				"use protect for conditions, such as \"name LIKE 'db-%%'\"",
				t->v[i]);
	return E_OK;
}

/* ---- windows: times when actions are allowed --------------------------------------------------------- */

static const char *const day_names[] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};

static bool windows_day_of(const char *s, size_t n, unsigned *day)
{
	for (unsigned i = 0; i < ARRAY_LEN(day_names); i++)
		if (n == 3 && !strncmp(day_names[i], s, n)) {
			*day = i;
			return true;
		}
	return false;
}

/* "mon-fri", "sat", and "fri-mon", which includes the weekend. */
static bool windows_add_days(const char *s, size_t n, unsigned *bits)
{
	const char *dash = memchr(s, '-', n);
	size_t left = dash ? (size_t)(dash - s) : n;
	unsigned first, last;

	if (!windows_day_of(s, left, &first))
		return false;
	last = first;
	if (dash && !windows_day_of(dash + 1, n - left - 1, &last))
		return false;
	for (unsigned d = first;; d = (d + 1) % 7) {
		*bits |= 1U << d;
		if (d == last)
			return true;
	}
}

/* Several, separated by commas. */
static bool windows_add_list(const char *s, unsigned *bits)
{
	for (;;) {
		size_t n;

		s += strspn(s, " ");
		n = strcspn(s, ", ");
		if (!windows_add_days(s, n, bits))
			return false;
		s += n;
		s += strspn(s, " ");
		if (!*s)
			return true;
		if (*s++ != ',')
			return false;
	}
}

static enum err_code windows_read_days(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct enforce_window *w = obj;
	struct texts t = {0};

	w->days = 0;
	if (bind_value(b, n, BIND_TEXTS, &t, e))
		return e->code;
	for (size_t i = 0; i < t.n; i++)
		if (!windows_add_list(t.v[i], &w->days))
			return yaml_err(n, e,
				"'%.60s' is not valid (expected days mon tue wed thu fri "
				"sat sun, such as mon-fri or \"mon, wed\")",
				t.v[i]);
	return w->days ? E_OK : yaml_err(n, e, "days: no day is given");
}

/* From midnight to midnight is the whole day. Any other time given twice is more likely a mistake
 * than a window without end. */
static enum err_code check_window(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	const struct enforce_window *w = obj;

	(void)b;
	if (w->from != w->until || !w->from)
		return E_OK;
	return yaml_err(n, e,
		"windows: a window from %02d:%02d to %02d:%02d is always open; for whole "
		"days use from \"00:00\" to \"24:00\"",
		w->from / 60, w->from % 60, w->until / 60, w->until % 60);
}

static const struct field window_fields[] = {
	{"days", BIND_OTHER, 0, windows_read_days,
		.doc = "mon tue wed thu fri sat sun, or mon-fri", .def = "every day",
		.shape = "list of days"},
	{"from", BIND_SCALAR, offsetof(struct enforce_window, from), config_read_minute,
		.required = true, .doc = "begin, time of day in timezone",
		.shape = "time of day"},
	{"to", BIND_SCALAR, offsetof(struct enforce_window, until), config_read_minute,
		.required = true,
		.doc = "end, time of day in timezone; may be after midnight",
		.shape = "time of day"},
};
static const struct field_set window_keys = {window_fields, ARRAY_LEN(window_fields),
	.list = true, .check = check_window, .size = sizeof(struct enforce_window),
	.start = &(const struct enforce_window){.days = EVERY_DAY_BITS}};

static enum err_code read_windows(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	if (bind_items(b, n, "windows", &window_keys, obj, e))
		return e->code;
	return n->n ? E_OK
		    : yaml_err(n, e,
			      "windows: the list is empty; omit it to allow actions "
			      "at any time");
}

/* ---- the section ------------------------------------------------------------------------------- */

static const char *const modes[] = {"off", "dry-run", "armed", NULL};

#define EN(field) offsetof(struct enforcement_config, field)
static const struct field enforcement_fields[] = {
	{"mode", BIND_ENUM, EN(made.mode),
		.doc = "off, dry-run (only shows what it would do) or armed",
		.def = "dry-run", .words = modes},
	{"projects", BIND_OTHER, EN(projects), read_projects,
		.doc = "ids or numbers of the projects where actions are allowed; required "
		       "for armed",
		.shape = "list of projects"},
	{"max_per_run", BIND_COUNT, EN(made.max_per_run),
		.doc = "maximum number of actions per cycle", .def = "3"},
	{"max_per_hour", BIND_COUNT, EN(made.max_per_hour),
		.doc = "maximum number of actions per hour", .def = "5"},
	{"max_per_rule_hour", BIND_COUNT, EN(made.max_per_rule_hour),
		.doc = "maximum number of actions per rule and hour", .def = "3"},
	{"max_per_day", BIND_COUNT, EN(made.max_per_day),
		.doc = "maximum number of actions per day", .def = "10"},
	{"max_deletes_per_hour", BIND_COUNT, EN(made.max_deletes_per_hour),
		.doc = "maximum number of deletions per hour", .def = "1"},
	{"max_share", BIND_SCALAR, EN(made.max_share), read_share,
		.doc = "maximum percentage of the running machines of a kind that are "
		       "acted on per hour; at least one machine",
		.def = "50", .shape = "percent"},
	{"protect", BIND_TEXT, EN(made.protect),
		.doc = "SQL condition over resources: no action is taken on those that "
		       "match"},
	{"exempt", BIND_OTHER, EN(exempt), read_exempt,
		.doc = "names or ids of machines on which no action is taken",
		.shape = "list of text"},
	{"windows", BIND_OTHER, EN(made.windows), read_windows,
		.doc = "times when actions are allowed", .def = "always",
		.sub = &window_keys},
	{"credentials", BIND_SCALAR, EN(credentials), read_key_file,
		.doc = "key file of the account that acts", .def = "that of credentials",
		.shape = "path"},
	{"impersonate", BIND_SCALAR, EN(impersonate), enforcement_read_account,
		.doc = "e-mail address of the service account to impersonate",
		.shape = "text"},
	{"lease", BIND_SCALAR, EN(lease), config_read_object,
		.doc = "object of Cloud Storage that machines share; only the one that "
		       "holds it polls, sends messages and acts",
		.shape = "gs://bucket/object"},
	{"allow_delete", BIND_FLAG, EN(made.allow_delete),
		.doc = "true: rules may delete resources that cannot be stopped",
		.def = "false"},
	{"gke", BIND_FLAG, EN(made.gke),
		.doc = "true: rules with the action delete may scale TPU node pools of "
		       "Kubernetes Engine to 0",
		.def = "false"},
};

static enum err_code check_enforcement(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct enforcement_config *en = obj;

	(void)b;
	en->node = n;
	if (en->made.mode == ENFORCE_ARMED && !en->projects.n)
		return yaml_err(n, e,
			"enforcement: mode armed needs projects: the projects where "
			"actions are allowed");
	return E_OK;
}

const struct field_set config_enforcement_keys = {enforcement_fields,
	ARRAY_LEN(enforcement_fields), .what = "enforcement", .check = check_enforcement};

enum err_code config_check_lease(const struct config *cfg, struct err *e)
{
	const char *lease = cfg->enforcement.lease, *to = cfg->backup.to;

	return lease && to && str_starts(lease, to) &&
			!strcmp(lease + strlen(to), "/tpucost.db")
		? yaml_err(cfg->enforcement.node, e,
			  "lease: %s is the copy of backup.to; name another object", lease)
		: E_OK;
}

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

/* Halt files are in the directory of the database or of the configuration, or for the whole
 * machine. A process that acts on this database checks its directory, by every name of the
 * database. A process that acts by this configuration may have another database: one relative to
 * another name of the configuration, or the one that the file named before an edit. */
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
	en->made.lease = en->lease != NULL;
	en->made.projects = en->projects.v;
	en->made.n_projects = en->projects.n;
	en->made.exempt = en->exempt.v;
	en->made.n_exempt = en->exempt.n;
	find_halt_files(cfg);
	return &en->made;
}
