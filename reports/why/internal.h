/* Declarations shared by the parts of explain. Private to reports/why/. */
#ifndef TPUCOST_REPORTS_WHY_INTERNAL_H
#define TPUCOST_REPORTS_WHY_INTERNAL_H

#include "db_sql.h"
#include "reports/why/explain.h"

#define EXPLAIN_SHOWN 50 /* rows of a list; the others are counted */

/* Each has one function and one row in the table of explain.c. */
struct explain_kind {
	const char *name; /* "grant" in "grant:trc" */
	const char *view; /* that has its figures */
	/* A name without the kind must match the whole key: parts of it are other objects. */
	bool whole;
	/* Its keys are in q_explain_names(), those of the others in q_complete_names(). */
	bool derived;
	/* `key` is one of the names, or any text if the names cannot be listed. */
	void (*explain)(struct explaining *x, const char *key);
};

/* Begins a section for the rows that follow. */
void explain_section(struct explaining *x, const char *name);
/* Adds a row, which the caller may complete until the next row is added. Texts are copied. */
struct explain_row *explain_add(struct explaining *x, const char *label);
struct explain_row *explain_say(
	struct explaining *x, const char *label, const char *fmt, ...) printf_like(3, 4);
/* Adds nothing for a NULL text. */
void explain_fact(struct explaining *x, const char *label, const char *text);
struct explain_row *explain_nanos(
	struct explaining *x, const char *label, struct opt_i64 nanos, const char *unit);
struct explain_row *explain_count(
	struct explaining *x, const char *label, struct opt_i64 n, const char *unit);
/* Adds the number of omitted rows of a list of n; nothing if all are shown. `see` is the command
 * that lists them. */
void explain_more(struct explaining *x, size_t n, const char *see);
/* Adds rows for each row of a query, closes it, and returns their number; `section` begins
 * a section (NULL: none begins). The name of a column is the label, followed by a mark of the kind of
 * the value:
 *
 *   due @       a time               restart >   a command to paste
 *   saves $     an amount in nanos   used #      a count
 *
 * Text is shown as text in each of them. Unknown values are omitted, but of amounts and counts only
 * if a "?" follows. A column "=" has the label of the column `label`, a text or a time (NULL: no
 * row). The columns `unit`, `formula`, `source` and `read` (a time: the age of the source) complete
 * the row of the column before them, `unit` first; "+" continues its text. Several `formula` and
 * "+" are joined: texts, amounts in nanos, and times ("formula @", "+ @"). `section` begins a
 * section. `see` is the command that lists all rows, if at most EXPLAIN_SHOWN are added (NULL: all
 * are). */
size_t explain_rows(
	struct explaining *x, const char *section, struct db_rows rows, const char *see);
/* Adds nothing for an absent time. */
void explain_when(struct explaining *x, const char *label, struct opt_i64 at);
/* Amount per hour, "USD/h". */
struct explain_row *explain_rate(struct explaining *x, const char *label,
	struct opt_i64 nanos, const char *currency);
/* Sets the source of a row to the bill, with the age of the newest read of any export. */
void explain_from_bill(struct explaining *x, struct explain_row *row);

/* Adds a section with every source of the inventory and its age. */
void explain_inventory_age(struct explaining *x);

/* "12.5 USD", allocated from the arena. */
const char *explain_money(struct explaining *x, int64_t nanos, const char *currency);

/* Adds the rules over `view` that match this row now, the alerts about it, and its hold. */
void explain_alerts_of(struct explaining *x, const char *view, const char *subject);
void explain_hold(struct explaining *x, const char *id);
/* Adds the actions of rules on it, including dry runs. */
void explain_actions_of(struct explaining *x, const char *id);

/* ---- kinds ------------------------------------------------------------------------------------- */

void explain_alert(struct explaining *x, const char *key);
void explain_rule(struct explaining *x, const char *key);
void explain_action(struct explaining *x, const char *key);
void explain_gone(struct explaining *x, const char *key);
void explain_host(struct explaining *x, const char *key);
void explain_resource(struct explaining *x, const char *key);
void explain_grant(struct explaining *x, const char *key);
void explain_budget(struct explaining *x, const char *key);
void explain_credit(struct explaining *x, const char *key);
void explain_cost(struct explaining *x, const char *key);
void explain_burn(struct explaining *x, const char *key);
void explain_quota(struct explaining *x, const char *key);
void explain_source(struct explaining *x, const char *key);

/* ---- sections of a resource -------------------------------------------------------------------- */

/* List price per hour, term by term. */
void explain_gross(struct explaining *x, const struct q_explain_resource *r);
/* The part that a grant pays, or the reason why none pays, and the TPUs that use the capacity. */
void explain_net(struct explaining *x, const struct q_explain_resource *r);
/* The last 24 hours, and its history. */
void explain_lately(struct explaining *x, const char *id);
/* An interval in which it did not change. */
void explain_stretch(struct explaining *x, const struct q_explain_stretches *q);
/* Its lines on the bill of the last days. */
void explain_billed(struct explaining *x, const struct q_explain_resource *r);

#endif
