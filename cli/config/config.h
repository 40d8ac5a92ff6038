/* The configuration file. */
#ifndef TPUCOST_CLI_CONFIG_CONFIG_H
#define TPUCOST_CLI_CONFIG_CONFIG_H

#include "cli/config/bind.h"
#include "reports/schedule.h"
#include "rules/settings.h"

struct app;

enum poll_group { POLL_INSTANCES, POLL_BILLING, POLL_QUOTAS, POLL_PRICES, POLL_METRICS };
#define POLL_GROUPS 5
#define CONFIG_SCHEDULES 3 /* kinds of reports that can be sent by the clock */
extern const char *const poll_group_names[POLL_GROUPS];

struct rule_config {
	struct rule rule; /* what is said of it */
	const char *use;  /* the built-in one that it changes; or NULL */
	const struct yaml_node *node;
};

struct enforcement_config {
	const char *mode; /* off dry-run armed */
	struct texts projects, exempt;
	const char *credentials;      /* of who acts; NULL: the same as of who reads */
	const char *impersonate;      /* a service account that those may act as; or NULL */
	const struct yaml_node *node; /* for messages; NULL: it is not there */
	struct enforcement made;      /* for the rules: its other keys, and all this */
};

/* Projects that are found instead of listed. */
struct discovery_config {
	const char *billing_account; /* "01AB23-CD45EF-678901" */
	const char *scope;           /* "organizations/8", "folders/9" */
	struct texts only, except;   /* patterns of project ids, as in file names */
};

struct config {
	const char *path;
	const char *timezone;
	struct tz *tz;
	char currency[4];
	const char *database;
	bool database_absolute; /* it does not depend on what the configuration is called */
	struct texts projects;
	struct discovery_config discovery;
	const char *credentials; /* NULL: application default credentials */
	const struct billing_export *billing_tables;
	size_t n_billing_tables;
	int64_t billing_max_gib;
	int64_t poll[POLL_GROUPS];
	struct grant *grants;
	size_t n_grants;
	struct credit *credits;
	size_t n_credits;
	struct budget *budgets;
	size_t n_budgets;
	const struct yaml_node **budget_nodes; /* for messages */
	struct rule_config *rules;
	size_t n_rules;
	struct channel *channels;
	size_t n_channels;
	struct schedule schedules[CONFIG_SCHEDULES];
	const struct yaml_node *schedule_nodes[CONFIG_SCHEDULES]; /* for messages */
	size_t n_schedules;
	const char *heartbeat,
		*heartbeat_file; /* a URL that is asked for after each cycle */
	struct enforcement_config enforcement;
	struct halt_file halts[5]; /* of `enforcement` */
	struct price_override *prices;
	size_t n_prices;
	const char *endpoint_all;
	struct settings settings;       /* the part that rules/ works with */
	const char **warnings, **notes; /* notes: nothing is wrong, but good to know */
	size_t n_warnings, n_notes;
};

/* Load --config, $TPUCOST_CONFIG, ~/.config/tpucost/config.yaml or
 * /etc/tpucost/config.yaml into app->cfg (in app->arena). Every mistake is E_CONFIG
 * "file:line:col: what"; a file that is missing says how to make one. */
enum err_code config_load(struct app *app, struct err *e) must_check;
/* The file that it takes, whether it exists or not. */
const char *config_path(struct app *app);
/* The same for a given file; `tz` inside must be freed with config_free. */
enum err_code config_read(
	const char *path, struct arena *a, struct config *out, struct err *e) must_check;
/* How often the group of sources is polled; 0: there is none of that name. */
int64_t config_poll_seconds(const struct config *cfg, const char *group);
void config_free(struct app *app);
/* Stay with that database, whatever the file says now; what halts it by the file halts it too.
 * `database` has to live as long as `cfg`. */
void config_keep_database(struct config *cfg, const char *database);
/* Somebody may have edited the file since it was read: who halts now does so beside the database that it
 * names now, so that is looked at as well. In the arena only what differs. */
void config_look_for_halts(struct config *cfg, struct arena *a);

/* ---- the reference of keys, from the tables that read them --------------------------------------- */

struct config_key {
	const char
		*path; /* "billing.tables[].from"; "[]" stands for each entry of a list */
	const struct field *field;
	int depth;
};

/* All keys in the order of the tables, each before those inside it. In the arena. */
size_t config_doc_keys(struct arena *a, struct config_key **out);
/* Does `path` name the key or one that it is inside of? "[]" may be left out. */
bool config_key_within(const char *key, const char *path);

/* For files that carry a part of a configuration in them. Keys that they may: */
/* Defaults and nothing else, in UTC; paths are relative to `path`. */
void config_empty(const char *path, struct arena *a, struct config *out);
/* Put those keys of the map into `cfg`, in place of what is there; keys of other meaning are
 * left alone. Afterwards `tz` inside must be freed by the caller. */
enum err_code config_read_inline(const struct yaml_node *map, struct arena *a,
	struct config *cfg, struct err *e) must_check;

#endif
