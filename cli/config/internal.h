/* Functions shared by the files of the configuration. Private to cli/config/. */
#ifndef TPUCOST_CLI_CONFIG_INTERNAL_H
#define TPUCOST_CLI_CONFIG_INTERNAL_H

#include "cli/config/config.h"

#define MACHINE_CONFIG "/etc/tpucost/config.yaml"

/* Returns ctx of the binder: the configuration being read, its time zone already open. */
static inline struct config *config_of(struct binder *b)
{
	return b->ctx;
}

extern const char *const config_severities[]; /* by enum severity; NULL ends them */

/* Readers, as required by struct field. A date (its first instant in the configured zone) or an RFC
 * 3339 instant; `obj` is ts_t. */
bind_fn config_read_instant;
/* A time of day; `obj` is an int of minutes. "24:00" is one for the key "to". */
bind_fn config_read_minute;
/* The path of a file with a secret, or "credential:NAME" of systemd. */
bind_fn config_read_secret_path;
/* "gs://bucket/name" of an object of Cloud Storage; `obj` is const char *. */
bind_fn config_read_object;
/* Readers of top-level keys; `obj` is struct config. */
bind_fn config_read_projects, config_read_billing, config_read_grants, config_read_notify;

/* Keys of the sections. */
extern const struct field_set config_billing_keys, config_budget_keys, config_credit_keys,
	config_discovery_keys, config_enforcement_keys, config_grant_keys,
	config_notify_keys, config_price_keys, config_report_keys, config_rule_keys;

/* Tests whether `s` is a project id, with or without a domain (Resource Manager: projects). */
bool config_project_valid(const char *s);
/* "01AB23-CD45EF-678901" (Cloud Billing: billing account ids). */
bool config_account_valid(const char *s);
/* "09:30" -> 570. */
bool config_minute_of_day(const char *s, int *minute) must_check;
/* "80" or "80%", a whole percentage in [min, max]. */
bool config_percent(
	struct arena *a, const char *s, int64_t min, int64_t max, int64_t *out) must_check;

void config_default_enforcement(struct enforcement_config *en);
/* Compiles `protect` and the conditions of budgets. Takes some milliseconds. E_CONFIG at the place
 * of the error. */
enum err_code config_check_conditions(const struct config *cfg, struct err *e) must_check;
/* Tests whether the actions under `then` of the rule are possible for its rows. */
enum err_code config_check_then(
	const struct rule *r, const struct rule_config *c, struct err *e) must_check;
/* Checks `notify:` of a rule, and finds the channel that sends its mails. */
enum err_code config_check_to_owner(const struct config *cfg, struct rule *r,
	const struct rule_config *c, struct err *e) must_check;
/* Adds warnings and notes on enforcement settings. Call it after everything else. */
void config_look_at_actions(struct config *cfg, struct arena *a);
/* The settings of enforcement that the rules need. */
const struct enforcement *config_make_enforcement(struct config *cfg);
/* Tests whether the lease is another object than the backup. */
enum err_code config_check_lease(const struct config *cfg, struct err *e) must_check;
/* Tests whether reports go to existing channels. Call it after everything else was read. */
enum err_code config_check_schedules(
	struct config *cfg, struct arena *a, struct err *e) must_check;

/* Tests whether sums of days, if only they are kept, are enough for all sections. Call it after everything else was
 * read. */
enum err_code config_check_detail(
	const struct config *cfg, const struct yaml_node *root, struct err *e) must_check;

/* Merges the rules of the configuration with the built-in ones, and compiles all SQL of the user.
 * Call it after everything else was read. */
enum err_code config_make_rules(
	struct config *cfg, struct arena *a, struct err *e) must_check;

#endif
