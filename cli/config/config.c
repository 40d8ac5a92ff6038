/* Reading of the configuration: its location, its keys and what is derived from them. */
#include "cli/config/config.h"

#include "base/fs.h"
#include "base/net/http.h"
#include "base/url/netguard.h"
#include "base/str.h"
#include "base/url/url.h"
#include "base/time/tz.h"
#include "cli/cmd.h"
#include "cli/config/internal.h"
#include "collector/collect.h"
#include "cli/out/out.h"
#include "db/db.h"
#include "rules/enforce/halt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DATASET_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
#define PUBLISH_SECONDS (12 * INT64_C(3600)) /* old after three times that */
#define CFG(field) offsetof(struct config, field)

const char *const poll_group_names[POLL_GROUPS] = {
	[POLL_INSTANCES] = "instances",
	[POLL_BILLING] = "billing",
	[POLL_QUOTAS] = "quotas",
	[POLL_PRICES] = "prices",
	[POLL_METRICS] = "metrics",
};

static enum err_code read_database(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	const char *s = n->text, *name = str_after_last(s, '/');

	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return yaml_err(n, e, "'%.200s' is not the path of a file", s);
	config_of(b)->database_absolute = *s == '/';
	return bind_value(b, n, BIND_PATH, obj, e);
}

static enum err_code read_credentials(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	const char *s = n->text;

	if (!strcmp(s, "adc"))
		return E_OK;
	return bind_value(b, n, BIND_PATH, obj, e);
}

enum err_code config_read_object(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	const char *bucket, *name;

	if (!url_of_object(n->text, b->a, &bucket, &name))
		return yaml_err(n, e,
			"'%.80s' is not an object of Cloud Storage (expected "
			"gs://BUCKET/NAME)",
			n->text);
	return bind_value(b, n, BIND_TEXT, obj, e);
}

/* Reports of the month before last need more than 60 days. */
static enum err_code read_history(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	if (bind_value(b, n, BIND_DURATION, obj, e))
		return e->code;
	if (*(const int64_t *)obj < 90 * DAY_SECONDS)
		return yaml_err(n, e, "keep_history: expected at least 90d");
	return E_OK;
}

static const struct field poll_fields[POLL_GROUPS] = {
	{"instances", BIND_DURATION, CFG(poll[POLL_INSTANCES]),
		.doc = "machines, TPUs, disks, addresses, snapshots, buckets, queued "
		       "resources, reservations",
		.def = "1m"},
	{"billing", BIND_DURATION, CFG(poll[POLL_BILLING]), .doc = "the billing export",
		.def = "1h"},
	{"quotas", BIND_DURATION, CFG(poll[POLL_QUOTAS]),
		.doc = "quotas, billing accounts, cost anomalies, preemptions",
		.def = "30m"},
	{"prices", BIND_DURATION, CFG(poll[POLL_PRICES]),
		.doc = "list prices and machine types", .def = "24h"},
	{"metrics", BIND_DURATION, CFG(poll[POLL_METRICS]),
		.doc = "use of machines and TPUs", .def = "5m"},
};

static enum err_code check_poll(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	const struct config *cfg = obj;

	(void)b;
	YAML_EACH (item, n)
		if (config_poll_seconds(cfg, item->key) < 10)
			return yaml_err(item, e, "poll: expected at least 10s");
	return E_OK;
}

static const struct field_set config_poll_keys = {
	poll_fields, POLL_GROUPS, .what = "poll", .check = check_poll};

static const struct field endpoint_fields[] = {{"all", BIND_TEXT, CFG(endpoint_all),
	.doc = "base URL of all APIs; http only for this machine"}};

static enum err_code check_endpoints(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	const struct config *cfg = obj;

	(void)b;
	if (cfg->endpoint_all && !http_url_allowed(cfg->endpoint_all, e))
		return yaml_err_at(yaml_get(n, "all"), e);
	return E_OK;
}

static const struct field_set endpoint_keys = {endpoint_fields, ARRAY_LEN(endpoint_fields),
	.what = "endpoints", .check = check_endpoints};

static const struct field heartbeat_fields[] = {
	{"url", BIND_TEXT, CFG(heartbeat), .doc = "the URL"},
	{"url_file", BIND_SCALAR, CFG(heartbeat_file), config_read_secret_path,
		.doc = "a file with the URL, if the URL is a secret; or credential:NAME",
		.shape = "path"},
};

/* Checks the URL of the service that notices when tpucost itself has stopped. */
static enum err_code check_heartbeat(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	const struct config *cfg = obj;

	(void)b;
	if (!cfg->heartbeat == !cfg->heartbeat_file)
		return yaml_err(n, e, "expected url, or url_file if the URL is a secret");
	if (cfg->heartbeat && net_url_check(cfg->heartbeat, false, e))
		return yaml_err_at(yaml_get(n, "url"), e);
	return E_OK;
}

static const struct field_set heartbeat_keys = {heartbeat_fields,
	ARRAY_LEN(heartbeat_fields), .what = "heartbeat", .check = check_heartbeat};

static const char *const backup_times[] = {"cycle", "day", NULL};
static const struct field backup_fields[] = {
	{"to", BIND_SCALAR, CFG(backup.to), config_read_object, .required = true,
		.doc = "prefix of objects in Cloud Storage; the copy is PREFIX/tpucost.db",
		.shape = "gs://bucket/prefix"},
	{"every", BIND_FLAG, CFG(backup.daily),
		.doc = "cycle, or day: with the first cycle of each day", .def = "cycle",
		.shape = "word", .words = backup_times},
};
static const struct field_set backup_keys = {
	backup_fields, ARRAY_LEN(backup_fields), .what = "backup"};

static const struct field web_fields[] = {
	{"listen", BIND_TEXT, CFG(web.listen),
		.doc = "address of `tpucost web`, or unix:PATH", .def = "127.0.0.1:8420"},
	{"allowed_hosts", BIND_TEXTS, CFG(web.hosts),
		.doc = "names, without a port, under which a browser may ask for it, in "
		       "addition "
		       "to localhost"},
	{"header_user", BIND_TEXT, CFG(web.user),
		.doc = "header in which the proxy names the user; it is only shown"},
};

static enum err_code check_web(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	const struct config *cfg = obj;
	const char *listen = cfg->web.listen;
	union net_address a;

	(void)b;
	if (!listen)
		return E_OK;
	n = yaml_get(n, "listen");
	if (str_starts(listen, "unix:"))
		return listen[strlen("unix:")] == '/'
			? E_OK
			: yaml_err(n, e, "listen: expected an absolute path after unix:");
	if (!net_listen_parse(listen, &a))
		return yaml_err(n, e,
			"listen: '%.80s' is not an address (expected ADDRESS:PORT, with a "
			"port of at most 65535)",
			listen);
	return net_address_is_loopback(&a.any) || cfg->web.hosts.n
		? E_OK
		: yaml_err(n, e,
			  "listen: other machines can reach %s: put a proxy with TLS and a "
			  "login in front of it, and name the host in allowed_hosts",
			  listen);
}

static const struct field_set web_keys = {
	web_fields, ARRAY_LEN(web_fields), .what = "web", .check = check_web};

/* "project.dataset" */
static enum err_code read_dataset(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct config *cfg = obj;
	const char *dot = strrchr(n->text, '.');

	if (!dot || !dot[1] || strlen(dot) > 1024 ||
		dot[1 + strspn(dot + 1, DATASET_LETTERS)] ||
		!config_project_valid(
			arena_strndup(b->a, n->text, (size_t)(dot - n->text))))
		return yaml_err(n, e,
			"'%.200s' is not a dataset (expected project.dataset)", n->text);
	cfg->publish.project = arena_strndup(b->a, n->text, (size_t)(dot - n->text));
	cfg->publish.dataset = dot + 1;
	return E_OK;
}

static const struct field publish_fields[] = {
	{"bigquery", BIND_SCALAR, 0, read_dataset, .required = true,
		.doc = "dataset of BigQuery that gets tables with the history of views",
		.shape = "project.dataset"}};
static const struct field_set publish_keys = {
	publish_fields, ARRAY_LEN(publish_fields), .what = "publish"};

static const struct field config_fields[] = {
	{"timezone", BIND_TEXT, CFG(timezone),
		.doc = "time zone of days, of report times and of displayed times",
		.def = "the machine's", .shape = "IANA name, such as Asia/Hong_Kong"},
	{"currency", BIND_CURRENCY, CFG(currency),
		.doc = "currency of figures, three letters",
		.def = "that of the bill, else USD"},
	{"database", BIND_SCALAR, CFG(database), read_database,
		.doc = "path of the SQLite database, relative to this file",
		.def = "tpucost.db", .shape = "path"},
	{"projects", BIND_OTHER, 0, config_read_projects,
		.doc = "project ids to watch, or how to find them; [] to import files only",
		.shape = "list of project ids, or a map", .sub = &config_discovery_keys},
	{"credentials", BIND_SCALAR, CFG(credentials), read_credentials,
		.doc = "adc: application default credentials of Google; or the path of a "
		       "service account key",
		.def = "adc", .shape = "adc or path"},
	{"billing", BIND_OTHER, 0, config_read_billing,
		.doc = "the billing export in BigQuery; required for cost and credit "
		       "only",
		.sub = &config_billing_keys},
	{"keep_history", BIND_DURATION, CFG(settings.keep_history), read_history,
		.doc = "how long ended intervals of resources, events of alerts, actions "
		       "and messages are kept, at least 90d; the bill and the audit are "
		       "kept for ever",
		.def = "730d"},
	{"poll", BIND_MAP, 0, .doc = "poll interval of each group of sources, at least 10s",
		.sub = &config_poll_keys},
	{"grants", BIND_OTHER, 0, config_read_grants,
		.doc = "grants of the TPU Research Cloud", .sub = &config_grant_keys},
	{"credits", BIND_LIST, CFG(credits), .doc = "promotional credits and trial credit",
		.sub = &config_credit_keys},
	{"budgets", BIND_LIST, CFG(budgets), .doc = "limits of spending",
		.sub = &config_budget_keys},
	{"rules", BIND_LIST, CFG(rules),
		.doc = "custom rules, and changes to built-in rules",
		.sub = &config_rule_keys},
	{"notify", BIND_OTHER, 0, config_read_notify,
		.doc = "channels for messages, each of one kind; at most 50",
		.sub = &config_notify_keys},
	{"report", BIND_MAP, 0, .doc = "reports that are sent at fixed times",
		.sub = &config_report_keys},
	{"publish", BIND_MAP, 0, .doc = "where history is published, see docs/publish.md",
		.sub = &publish_keys},
	{"web", BIND_MAP, 0, .doc = "the page in the browser", .sub = &web_keys},
	{"backup", BIND_MAP, 0,
		.doc = "a copy of the database in Cloud Storage, which a machine that "
		       "takes over enforcement.lease restores",
		.sub = &backup_keys},
	{"heartbeat", BIND_MAP, 0,
		.doc = "a URL that is requested after each successful cycle, so that a "
		       "monitoring service notices when the requests stop",
		.sub = &heartbeat_keys},
	{"enforcement", BIND_MAP, CFG(enforcement),
		.doc = "resources that may be stopped, and limits of actions",
		.sub = &config_enforcement_keys},
	{"prices", BIND_LIST, CFG(prices),
		.doc = "contract prices that replace list prices",
		.sub = &config_price_keys},
	{"endpoints", BIND_MAP, 0,
		.doc = "base URLs that replace those of Google, for tests",
		.sub = &endpoint_keys},
};
static const struct field_set config_keys = {
	config_fields, ARRAY_LEN(config_fields), .what = "configuration"};

/* ---- the reference of keys ------------------------------------------------------------------------ */

struct listing {
	struct arena *a;
	struct config_key *v;
	size_t n, cap;
};

static void config_add_keys(
	struct listing *l, const struct field_set *set, const char *prefix, int depth)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct field *f = &set->v[i];
		const char *path = arena_printf(l->a, "%s%s", prefix, f->key);

		*arena_push(l->a, l) = (struct config_key){
			.path = path, .field = f, .depth = depth};
		if (f->sub)
			config_add_keys(l, f->sub,
				arena_printf(l->a, "%s%s.", path, f->sub->list ? "[]" : ""),
				depth + 1);
	}
}

size_t config_doc_keys(struct arena *a, struct config_key **out)
{
	struct listing l = {.a = a};

	config_add_keys(&l, &config_keys, "", 0);
	*out = l.v;
	return l.n;
}

bool config_key_within(const char *key, const char *path)
{
	while (*path) {
		if (key[0] == '[' && path[0] != '[')
			key += 2;
		if (*key++ != *path++)
			return false;
	}
	return !*key || *key == '.' || *key == '[';
}

/* ---- reading ------------------------------------------------------------------------------------- */

static void set_defaults(struct config *cfg, const char *path, struct arena *a)
{
	char *db = fs_resolve(path, "tpucost.db");

	memset(cfg, 0, sizeof(*cfg));
	cfg->path = path;
	cfg->timezone = tz_machine_name();
	cfg->database = arena_strdup(a, db);
	cfg->billing_max_gib = 20;
	cfg->billing_question_gib = 10;
	cfg->poll[POLL_INSTANCES] = 60;
	cfg->poll[POLL_BILLING] = 3600;
	cfg->poll[POLL_QUOTAS] = 1800;
	cfg->poll[POLL_PRICES] = 86400;
	cfg->poll[POLL_METRICS] = 300;
	config_default_enforcement(&cfg->enforcement);
	free(db);
}

/* Dates in other sections need the zone, wherever it is in the file. */
static enum err_code open_zone(
	struct config *cfg, const struct yaml_node *root, struct err *e)
{
	const struct yaml_node *n = yaml_get(root, "timezone");

	if (n && yaml_str(n, &cfg->timezone, e))
		return e->code;
	if (tz_open(cfg->timezone, &cfg->tz, e))
		return n ? yaml_err_at(n, e) : e->code;
	return E_OK;
}

static void fill_settings(struct config *cfg, struct arena *a)
{
	struct poll_interval *list = arena_alloc(a, sizeof(*list) * (POLL_GROUPS + 3));

	for (size_t i = 0; i < POLL_GROUPS; i++)
		list[i] = (struct poll_interval){
			.group = poll_group_names[i], .seconds = cfg->poll[i]};
	list[POLL_GROUPS] = (struct poll_interval){
		.group = COLLECT_PUBLISH, .seconds = PUBLISH_SECONDS};
	list[POLL_GROUPS + 1] = (struct poll_interval){.group = COLLECT_BACKUP,
		.seconds = cfg->backup.daily ? PUBLISH_SECONDS : cfg->poll[POLL_INSTANCES]};
	list[POLL_GROUPS + 2] = (struct poll_interval){
		.group = COLLECT_LEASE, .seconds = cfg->poll[POLL_INSTANCES]};
	cfg->settings = (struct settings){.tz = cfg->tz,
		.currency = cfg->currency[0] ? cfg->currency : "USD",
		.grants = cfg->grants,
		.n_grants = cfg->n_grants,
		.credits = cfg->credits,
		.n_credits = cfg->n_credits,
		.budgets = cfg->budgets,
		.n_budgets = cfg->n_budgets,
		.prices = cfg->prices,
		.n_prices = cfg->n_prices,
		.intervals = list,
		.n_intervals = POLL_GROUPS + 3,
		.enforcement = config_make_enforcement(cfg),
		.keep_history = cfg->settings.keep_history,
		.watches = cfg->projects.n || cfg->discovery,
		.listed = cfg->projects.v,
		.n_listed = cfg->projects.n,
		.n_export_tables = cfg->n_billing_tables};
}

bool config_only_files(const struct config *cfg)
{
	return !cfg->projects.n && !cfg->discovery && !cfg->n_billing_tables &&
		!cfg->credentials && !cfg->enforcement.credentials &&
		!cfg->enforcement.lease && !cfg->backup.to && !cfg->publish.dataset &&
		!config_env("GOOGLE_APPLICATION_CREDENTIALS");
}

const char *config_owns(const struct config *cfg, const char *path)
{
	const char *why = db_owns(cfg->database, path);
	const struct enforcement *en = &cfg->enforcement.made;
	cleanup(arena_done) struct arena a = {0};
	struct halt_place *halts;
	size_t n;

	if (!why && fs_same(path, cfg->path))
		why = "is the configuration";
	halts = halt_places(en, &a, &n);
	for (size_t i = 0; !why && i < n; i++)
		if (fs_same(path, halts[i].path))
			why = "would halt enforcement";
	return why;
}

/* A line at the end of one of these would damage it. */
static enum err_code check_channel_files(const struct config *cfg, struct err *e)
{
	for (size_t i = 0; i < cfg->n_channels; i++) {
		const struct channel *c = &cfg->channels[i];
		const char *why = c->path ? config_owns(cfg, c->path) : NULL;

		if (why)
			return err_set_fix(e, E_CONFIG, "choose another file",
				"%s: channel %s: %s %s", cfg->path, c->name, c->path, why);
	}
	return E_OK;
}

enum err_code config_read(
	const char *path, struct arena *a, struct config *out, struct err *e)
{
	struct binder b = {.a = a, .file = path, .ctx = out};
	struct yaml_node *root = NULL;

	set_defaults(out, path, a);
	if (yaml_load(path, a, &root, e))
		return e->code;
	if (!root)
		return err_set(e, E_CONFIG, "%s:1:1: the configuration is empty", path);
	if (open_zone(out, root, e))
		return e->code;
	if (bind_set(&b, root, &config_keys, out, e))
		return e->code;
	out->files = (struct texts){b.paths.v, b.paths.n};
	if (!yaml_get(root, "projects"))
		return yaml_err(root, e,
			"projects is missing: list the projects to watch ([] to import "
			"files only)");
	if (config_check_lease(out, e) || config_check_schedules(out, a, e))
		return e->code;
	fill_settings(out, a);
	if (check_channel_files(out, e))
		return e->code;
	if (config_make_rules(out, a, e) || config_check_detail(out, root, e))
		return e->code;
	config_look_at_actions(out, a);
	return E_OK;
}

int64_t config_poll_seconds(const struct config *cfg, const char *group)
{
	for (size_t i = 0; i < POLL_GROUPS; i++)
		if (!strcmp(poll_group_names[i], group))
			return cfg->poll[i];
	return 0;
}

void config_look_for_halts(struct config *cfg, struct arena *a)
{
	struct arena scratch = {0};
	struct config now = {0};
	struct err e = {0};

	/* a file that cannot be read now names no other database, and `enforce halt` refuses it */
	if (!config_read(cfg->path, &scratch, &now, &e) &&
		!str_eq(now.database, cfg->database)) {
		if (cfg->enforcement.made.n_halt_files == 3)
			cfg->halts[3] = cfg->halts[0];
		cfg->halts[4] = (struct halt_file){.beside = arena_strdup(a, now.database)};
		cfg->enforcement.made.n_halt_files = 5;
	}
	tz_free(now.tz);
	arena_done(&scratch);
}

static const char *const inline_keys[] = {
	"timezone", "currency", "poll", "grants", "credits", "budgets", "rules", "prices"};

void config_empty(const char *path, struct arena *a, struct config *out)
{
	set_defaults(out, path, a);
	out->timezone = "UTC";
}

enum err_code config_read_inline(
	const struct yaml_node *map, struct arena *a, struct config *cfg, struct err *e)
{
	struct binder b = {.a = a, .file = cfg->path, .ctx = cfg};

	if (yaml_get(map, "timezone")) {
		tz_free(cfg->tz);
		cfg->tz = NULL;
	}
	if (!cfg->tz && open_zone(cfg, map, e))
		return e->code;
	YAML_EACH (item, map) {
		struct yaml_node one = *item,
				 parent = {.type = YAML_MAP,
					 .file = map->file,
					 .line = map->line,
					 .col = map->col,
					 .child = &one,
					 .n = 1};

		one.next = NULL;
		if (str_in(item->key, inline_keys, ARRAY_LEN(inline_keys)) &&
			bind_set(&b, &parent, &config_keys, cfg, e))
			return e->code;
	}
	fill_settings(cfg, a);
	return config_make_rules(cfg, a, e);
}

const char *config_env(const char *name)
{
	const char *s = getenv(name);

	return s && *s ? s : NULL;
}

const char *config_user_path(struct arena *a)
{
	const char *xdg = config_env("XDG_CONFIG_HOME"), *home = config_env("HOME");

	return xdg || home ? arena_printf(a, "%s%s/tpucost/config.yaml", xdg ? xdg : home,
				     xdg ? "" : "/.config")
			   : NULL;
}

/* The path given, or the first existing default path. */
const char *config_path(struct app *app)
{
	const char *env = config_env("TPUCOST_CONFIG"), *user;

	if (app->o.config || env)
		return app->o.config ? app->o.config : env;
	user = config_user_path(&app->arena);
	if (user && (!access(user, F_OK) || access(MACHINE_CONFIG, F_OK)))
		return user;
	return MACHINE_CONFIG;
}

/* The configuration of the machine may exist but be readable by others only. */
static enum err_code no_config(const struct app *app, const char *path, struct err *e)
{
	if (!app->o.config && access(MACHINE_CONFIG, F_OK) && errno == EACCES)
		return err_set_fix(e, E_CONFIG,
			"join the group of that directory and log in again "
			"(docs/operate.md), or write your own with: tpucost init",
			"no configuration: %s does not exist, and this user cannot "
			"read " MACHINE_CONFIG,
			path);
	return err_set_fix(e, E_CONFIG,
		"write one with: tpucost init; or name it with --config FILE",
		"no configuration: %s does not exist", path);
}

enum err_code config_load(struct app *app, struct err *e)
{
	const char *path = config_path(app);

	/* Without a part of the configuration, what protects resources or what a grant covers
	 * would be lost. */
	if (app->o.apply || (app->cmd->needs & MAY_ACT))
		fs_wait_written(path, app->clock);
	app->cfg = arena_new(&app->arena, struct config);
	if (config_read(path, &app->arena, app->cfg, e)) {
		if (e->code == E_NOTFOUND)
			return no_config(app, path, e);
		e->code = E_CONFIG;
		return e->code;
	}
	/* A query does not wait for it: in a query, a budget with an invalid condition is unknown, and
	 * `protect` exempts all resources. */
	if (!(app->cmd->needs & (NEED_DB | OPENS_DB)) &&
		config_check_conditions(app->cfg, e))
		return e->code;
	out_zone(app->cfg->tz, !app->o.quiet);
	return E_OK;
}

void config_free(struct app *app)
{
	if (app->cfg)
		tz_free(app->cfg->tz);
}
