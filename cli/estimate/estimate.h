/* The parts of the command `estimate`. */
#ifndef TPUCOST_CLI_ESTIMATE_ESTIMATE_H
#define TPUCOST_CLI_ESTIMATE_ESTIMATE_H

#include "base/sbuf.h"
#include "cli/cmd.h"
#include "cli/out/out.h"
#include "rules/estimate/estimate.h"

/* What was asked for, from options or from a pasted command, with every zone filled in. E_USAGE
 * says what is missing. */
enum err_code estimate_wishes(
	struct app *app, struct proposal *out, struct err *e) must_check;
/* Fill in projects, and which are not watched; app->db is NULL where there is no database. */
enum err_code estimate_projects(
	struct app *app, struct proposal *p, struct err *e) must_check;
/* One more note of the proposal; the text is kept by reference. */
void estimate_say(struct arena *a, struct proposal *p, const char *text);

/* What the answer rests on. */
struct estimate_basis {
	bool config, database; /* are there any? */
	bool polled;           /* was anything ever read? */
	bool stale;
	ts_t oldest; /* last complete poll; 0: never */
};

/* "--zone=europe-west4-a --spot": what is to be exchanged. Arena. */
const char *estimate_flags(
	const struct estimate *x, const struct estimate_advice *v, struct arena *a);
/* The one pasted command with that exchanged, or our own options with it, as a line for the shell;
 * NULL where it cannot be told which word it is. Arena. */
const char *estimate_command(const struct proposal *p, const struct opts *o,
	const struct estimate_thing *t, const struct estimate_advice *v, struct arena *a);

enum { ESTIMATE_HOUR = 1, ESTIMATE_DAY = 24, ESTIMATE_MONTH = 730 }; /* as Google counts */
/* What all of it costs for so long; empty where that is not known. */
struct doc_cell estimate_cell(const struct estimate_thing *t, bool net, int64_t hours);

/* The answer for people, `width` columns. */
void estimate_text(struct app *app, const struct proposal *p, const struct estimate *x,
	const struct estimate_basis *basis, struct sbuf *b);
/* The answer as rows: JSON, CSV, markdown. */
int estimate_rows(struct app *app, const struct estimate *x, struct err *e);

#endif
