/* What the files of the configuration share. Private to cli/config/. */
#ifndef TPUCOST_CLI_CONFIG_INTERNAL_H
#define TPUCOST_CLI_CONFIG_INTERNAL_H

#include "cli/config/config.h"

#define MACHINE_CONFIG "/etc/tpucost/config.yaml"

/* ctx of the binder: the configuration being read, its time zone already open. */
static inline struct config *config_of(struct binder *b)
{
	return b->ctx;
}

extern const char *const config_severities[]; /* by enum severity; NULL ends them */

/* Something a person should look at, though it can be worked with. */
void config_warn(struct config *cfg, struct arena *a, const char *fmt, ...)
	printf_like(3, 4);
/* The same for what is as it should be, but may surprise. */
void config_note(struct config *cfg, struct arena *a, const char *fmt, ...)
	printf_like(3, 4);

/* Readers, as struct field wants them. A date (its first moment in the configured zone) or an RFC 3339
 * instant; `obj` is ts_t. */
bind_fn config_read_instant;
/* The path of a file with a secret, or "credential:NAME" of systemd. */
bind_fn config_read_secret_path;
/* Of the top-level keys; `obj` is struct config. */
bind_fn config_read_projects, config_read_billing, config_read_grants, config_read_credits,
	config_read_budgets, config_read_prices, config_read_rules, config_read_notify;

/* Keys of the parts. */
extern const struct field_set config_billing_keys, config_budget_keys, config_credit_keys,
	config_discovery_keys, config_enforcement_keys, config_grant_keys,
	config_notify_keys, config_price_keys, config_report_keys, config_rule_keys;

/* Do the conditions of budgets compile? Takes some milliseconds. E_CONFIG at the place. */
enum err_code config_check_budgets(const struct config *cfg, struct err *e) must_check;
/* A project id, or one with a domain before it (Resource Manager: projects). */
bool config_project_valid(const char *s);
/* "09:30" -> 570. */
bool config_minute_of_day(const char *s, int *minute) must_check;

void config_default_enforcement(struct enforcement_config *en);
/* Does the condition `protect` compile? Takes some milliseconds. E_CONFIG at the place. */
enum err_code config_check_protect(const struct config *cfg, struct err *e) must_check;
/* Can what the rule says under `then` be done to what it is about? */
enum err_code config_check_then(
	const struct rule *r, const struct rule_config *c, struct err *e) must_check;
/* Warnings and notes on what is going to be acted on, and what not. After everything else. */
void config_look_at_actions(struct config *cfg, struct arena *a);
/* What the rules get of it. */
const struct enforcement *config_make_enforcement(struct config *cfg);
/* Do reports go to channels that there are? After everything else was read. */
enum err_code config_check_schedules(
	struct config *cfg, struct arena *a, struct err *e) must_check;

/* Put the rules of the configuration and those that are built in together, and check what
 * people wrote in SQL. After everything else was read. */
enum err_code config_make_rules(
	struct config *cfg, struct arena *a, struct err *e) must_check;

#endif
