/* What the parts of explain share. Private to reports/why/. */
#ifndef TPUCOST_REPORTS_WHY_INTERNAL_H
#define TPUCOST_REPORTS_WHY_INTERNAL_H

#include "db_sql.h"
#include "reports/why/explain.h"

#define EXPLAIN_SHOWN 50 /* of a list; the rest is counted */

/* One function and one line in the table of explain.c each. */
struct explain_kind {
	const char *name; /* "grant" of "grant:trc" */
	/* By the name alone only the whole key is meant: parts of it are other things. */
	bool whole;
	/* Every key of the kind; NULL where none is in the database. */
	enum err_code (*names)(struct db *db, struct db_rows *rows, struct err *e);
	/* `key` is one of the names, or any text where they cannot be listed. */
	enum err_code (*explain)(struct explaining *x, const char *key, struct err *e);
};

/* Rows that follow belong to this section. */
void explain_section(struct explaining *x, const char *name);
/* The row may be completed until the next one is added. Texts are copied. */
struct explain_row *explain_add(struct explaining *x, const char *label);
struct explain_row *explain_say(
	struct explaining *x, const char *label, const char *fmt, ...) printf_like(3, 4);
/* Nothing is added for a NULL text. */
void explain_fact(struct explaining *x, const char *label, const char *text);
struct explain_row *explain_nanos(
	struct explaining *x, const char *label, struct opt_i64 nanos, const char *unit);
struct explain_row *explain_count(
	struct explaining *x, const char *label, struct opt_i64 n, const char *unit);
/* How many of a list of n are not shown; nothing when all are. `see` tells where they are. */
void explain_more(struct explaining *x, size_t n, const char *see);
/* Nothing is added for an absent time. */
void explain_when(struct explaining *x, const char *label, struct opt_i64 at);
/* Amount per hour, "USD/h". */
struct explain_row *explain_rate(struct explaining *x, const char *label,
	struct opt_i64 nanos, const char *currency);
/* Name the source of a row, with its age; NULL rows are left alone. */
enum err_code explain_from(struct explaining *x, struct explain_row *row,
	const char *source, const char *project, struct err *e) must_check;
/* The same for figures of the bill: the newest look at any export. */
enum err_code explain_from_bill(
	struct explaining *x, struct explain_row *row, struct err *e) must_check;

/* A section with every source of the inventory and its age. */
enum err_code explain_inventory_age(struct explaining *x, struct err *e) must_check;

/* "12.5 USD" in the arena. */
const char *explain_money(struct explaining *x, int64_t nanos, const char *currency);

/* Rules over `view` that hold for this row of it now, alerts whose subject it is, and whether it
 * is on hold. */
enum err_code explain_alerts_of(struct explaining *x, const char *view, const char *subject,
	struct err *e) must_check;
enum err_code explain_hold(struct explaining *x, const char *id, struct err *e) must_check;
/* What rules did to it, or would have done. */
enum err_code explain_actions_of(
	struct explaining *x, const char *id, struct err *e) must_check;

/* ---- kinds ------------------------------------------------------------------------------------- */

enum err_code explain_alert(struct explaining *x, const char *key, struct err *e);
enum err_code explain_rule(struct explaining *x, const char *key, struct err *e);
enum err_code explain_action(struct explaining *x, const char *key, struct err *e);
enum err_code explain_gone(struct explaining *x, const char *key, struct err *e);
enum err_code explain_resource(struct explaining *x, const char *key, struct err *e);
enum err_code explain_grant(struct explaining *x, const char *key, struct err *e);
enum err_code explain_budget(struct explaining *x, const char *key, struct err *e);
enum err_code explain_credit(struct explaining *x, const char *key, struct err *e);
enum err_code explain_cost(struct explaining *x, const char *key, struct err *e);
enum err_code explain_burn(struct explaining *x, const char *key, struct err *e);
enum err_code explain_quota(struct explaining *x, const char *key, struct err *e);
enum err_code explain_source(struct explaining *x, const char *key, struct err *e);

/* ---- sections of a resource -------------------------------------------------------------------- */

/* List price per hour, term by term. */
enum err_code explain_gross(
	struct explaining *x, const struct q_explain_resource *r, struct err *e) must_check;
/* What a grant pays of it, or why none does, and who has the room. */
enum err_code explain_net(
	struct explaining *x, const struct q_explain_resource *r, struct err *e) must_check;
/* The last 24 hours, and how it was over time. */
enum err_code explain_lately(
	struct explaining *x, const struct q_explain_resource *r, struct err *e) must_check;
/* A stretch of time in which nothing of it changed. */
void explain_stretch(struct explaining *x, const struct q_explain_stretches *q);
/* What the bill of the last days says of it. */
enum err_code explain_billed(
	struct explaining *x, const struct q_explain_resource *r, struct err *e) must_check;

#endif
