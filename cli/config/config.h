/* The configuration file. */
#ifndef TPUCOST_CLI_CONFIG_CONFIG_H
#define TPUCOST_CLI_CONFIG_CONFIG_H

#include "cli/config/bind.h"
#include "reports/schedule.h"
#include "rules/settings.h"

struct app;
struct discovery; /* collector/source/source.h */

enum poll_group { POLL_INSTANCES, POLL_BILLING, POLL_QUOTAS, POLL_PRICES, POLL_METRICS };
#define POLL_GROUPS 5
#define CONFIG_SCHEDULES 3 /* kinds of reports that can be scheduled */
extern const char *const poll_group_names[POLL_GROUPS];

struct remarks {
	const char **v;
	size_t n, cap;
};

struct rule_config {
	struct rule rule; /* the keys that are set */
	const char *use;  /* the built-in rule that it changes; or NULL */
	const struct yaml_node *node;
};

struct enforcement_config {
	const char *mode; /* off dry-run armed */
	struct texts projects, exempt;
	const char *credentials; /* of the account that acts; NULL: those of the reader */
	const char *impersonate; /* service account to impersonate; or NULL */
	const char *
		lease; /* "gs://bucket/object" that is shared with other machines; or NULL */
	const struct yaml_node *node; /* for messages; NULL: the section is absent */
	struct enforcement made;      /* the other keys and these, for the rules */
};

struct config {
	const char *path;
	const char *timezone;
	struct tz *tz;
	char currency[4];      /* "": not configured */
	char bill_currency[4]; /* set with the database: see session_present() */
	const char *database;
	bool database_absolute; /* it does not depend on the path of the configuration */
	struct texts projects;
	const struct discovery *discovery; /* search for projects; NULL: they are listed */
	const char *credentials;           /* NULL: application default credentials */
	const struct billing_export *billing_tables;
	size_t n_billing_tables;
	int64_t billing_max_gib, billing_question_gib;
	bool billing_by_day; /* only sums of days are kept */
	int64_t poll[POLL_GROUPS];
	struct grant *grants;
	size_t n_grants;
	const struct yaml_node **grant_nodes; /* of each line, for messages */
	struct credit *credits;
	size_t n_credits;
	struct budget *budgets;
	size_t n_budgets;
	const struct yaml_node *budget_node; /* of the first one, for messages */
	struct rule_config *rules;
	size_t n_rules;
	struct channel *channels;
	size_t n_channels;
	struct schedule schedules[CONFIG_SCHEDULES];
	const struct yaml_node *schedule_nodes[CONFIG_SCHEDULES]; /* for messages */
	size_t n_schedules;
	const char *heartbeat,
		*heartbeat_file; /* a URL that is requested after each cycle */
	struct {
		const char *listen;
		struct texts hosts;
		const char *user; /* name of the header with the user; NULL: none */
	} web;
	struct {
		const char *to; /* "gs://bucket/prefix"; NULL: none */
		bool daily;
	} backup; /* that other machines can restore */
	struct {
		const char *project, *dataset; /* NULL: nothing is published */
	} publish;
	struct enforcement_config enforcement;
	struct halt_file halts[5]; /* files that halt enforcement */
	struct price_override *prices;
	size_t n_prices;
	const char *endpoint_all;
	struct settings settings; /* the part that rules/ uses */
	struct remarks warnings;  /* it can be used, but should be checked */
	struct remarks notes;     /* correct settings that may surprise */
	struct texts files;       /* all files that it names */
};

/* Loads --config, $TPUCOST_CONFIG, ~/.config/tpucost/config.yaml or /etc/tpucost/config.yaml into
 * app->cfg, allocated from app->arena. Errors in the file are E_CONFIG "file:line:col: what"; the
 * error for a missing file says how to create one. */
enum err_code config_load(struct app *app, struct err *e) must_check;
/* Path of the configuration file, whether it exists or not. */
const char *config_path(struct app *app);
/* Path of the user's own file; NULL: there is no home directory. Allocated from `a`. */
const char *config_user_path(struct arena *a);
/* Value of an environment variable; NULL: not set, or empty. */
const char *config_env(const char *name);
/* Reads the given file. The caller frees `tz` inside with config_free. */
enum err_code config_read(
	const char *path, struct arena *a, struct config *out, struct err *e) must_check;
/* Adds a sentence to the warnings or notes of a configuration, allocated from `a`. */
void config_remark(struct arena *a, struct remarks *list, const char *fmt, ...)
	printf_like(3, 4);
/* Poll interval of the group of sources, in seconds; 0: there is no such group. */
int64_t config_poll_seconds(const struct config *cfg, const char *group);
void config_free(struct app *app);
/* Keeps `database` in use, whatever the file names now; its halt files halt the configured one too.
 * `database` must remain valid as long as `cfg`. */
void config_keep_database(struct config *cfg, const char *database);
/* Adds the halt files of the database that the file names now. The file may have been edited
 * since it was read, and `enforce halt` writes to the directory of the database that it names
 * now. Differences are allocated from `a`. */
void config_look_for_halts(struct config *cfg, struct arena *a);

/* ---- the reference of keys, from the tables that read them --------------------------------------- */

struct config_key {
	const char *path; /* "billing.tables[].from"; "[]" is for each entry of a list */
	const struct field *field;
	int depth;
};

/* All keys in the order of the tables, each before those inside it. Allocated from `a`. */
size_t config_doc_keys(struct arena *a, struct config_key **out);
/* Tests whether `path` names the key or a key that contains it. "[]" may be omitted. */
bool config_key_within(const char *key, const char *path);

/* Nothing is read from Google or written there, and no credentials are configured: none are needed. */
bool config_only_files(const struct config *cfg);
/* Says what `path` is, if it is the configuration, its database or a file that halts: "is the database itself"; NULL:
 * none of these. */
const char *config_owns(const struct config *cfg, const char *path);

/* Sets `out` to the defaults, in UTC, for files that contain a part of a configuration or none;
 * paths are relative to `path`. */
void config_empty(const char *path, struct arena *a, struct config *out);
/* Sets these keys of the map in `cfg`, replacing earlier values; ignores all other keys. The caller
 * frees `tz` inside afterwards. */
enum err_code config_read_inline(const struct yaml_node *map, struct arena *a,
	struct config *cfg, struct err *e) must_check;

/* Checks the zones of all grants: E_USAGE with file, line and column of the first one that does not
 * exist, and a warning for a type that is not known to exist there. Not done when the configuration is
 * read: the built-in list may be too old, and then nothing would run. */
struct tpu_zones;
enum err_code config_check_zones(struct config *cfg, const struct tpu_zones *z,
	struct arena *a, struct err *e) must_check;

/* Watched projects: "2 projects", or "projects of billing account ...". Static, or allocated from `a`. */
const char *config_projects_text(const struct config *cfg, struct arena *a);

#endif
