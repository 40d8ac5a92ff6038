/* Hours, resources, owners and labels of the bill, where only sums of days are kept: stored answers of BigQuery. */
#ifndef TPUCOST_CLI_DETAIL_H
#define TPUCOST_CLI_DETAIL_H

#include "cli/cmd.h"
#include "db/answer.h"

/* Makes sure that there is an answer, if the question needs one. Where the program can, it asks BigQuery, in at most
 * `max_ms` (0: as long as it takes), and closes app->db. E_NOTFOUND: it is not asked here, but by `command`; with
 * app->needs_net, tpucost-net asks it. */
enum err_code detail_have(struct app *app, const struct billing_question *q, int64_t max_ms,
	const char *command, struct err *e) must_check;

/* The same for a command that says in its answer why there is none: that text, allocated from app->arena, or NULL. */
const char *detail_try(struct app *app, const struct billing_question *q, int64_t max_ms,
	const char *command);
/* The same for a report. */
struct report_ask;
struct report_kind;
const char *detail_for_report(struct app *app, const struct report_kind *kind,
	const struct report_ask *ask, int64_t max_ms);

/* For `cost`: fills in the period, month and projects of the options, and if lines of the bill are missing for the
 * question, shows the answer in their place until detail_end(). The database is open, before and after. */
enum err_code detail_begin(
	struct app *app, struct billing_question *q, struct err *e) must_check;
void detail_end(struct app *app);

#endif
