/* Views whose columns stand in files of their own. Private to rules/vocab/. */
#ifndef TPUCOST_RULES_VOCAB_INTERNAL_H
#define TPUCOST_RULES_VOCAB_INTERNAL_H

#include "rules/vocab/vocab.h"

/* rules/vocab/bill.c */
extern const struct view view_reconciliation, view_daily_costs, view_hidden_costs,
	view_estimate_errors;
/* rules/vocab/rules.c */
extern const struct view view_alerts, view_alert_events, view_silences, view_holds,
	view_rules, view_gaps, view_present, view_rates;
/* rules/vocab/period.c */
extern const struct view view_period_resources, view_period_burn, view_period_hidden,
	view_budget_periods, view_credit_projects;
/* rules/vocab/access.c */
extern const struct view view_access;
/* rules/vocab/enforce.c */
extern const struct view view_actions, view_audit;
/* rules/vocab/notify.c */
extern const struct view view_notifications, view_channels;

#endif
