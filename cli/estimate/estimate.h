/* Parts of the command `estimate`. */
#ifndef TPUCOST_CLI_ESTIMATE_ESTIMATE_H
#define TPUCOST_CLI_ESTIMATE_ESTIMATE_H

#include "base/sbuf.h"
#include "cli/cmd.h"
#include "cli/out/out.h"
#include "rules/estimate/estimate.h"

/* Reads the requested resources from options or a pasted command, and fills in every zone. E_USAGE
 * names what is missing. */
enum err_code estimate_wishes(
	struct app *app, struct proposal *out, struct err *e) must_check;
/* Adds a note to the proposal; the text is kept by reference. */
void estimate_say(struct arena *a, struct proposal *p, const char *text);

/* Basis of the answer. */
struct estimate_basis {
	bool config, database; /* they exist */
	bool polled;           /* a source was polled at least once */
	bool stale;
	ts_t oldest; /* last complete poll; 0: never */
};

/* The changes as flags, such as "--zone=europe-west4-a --spot". Allocated from `a`. */
const char *estimate_flags(
	const struct estimate *x, const struct estimate_advice *v, struct arena *a);
/* The single pasted command with these changes, or the options of tpucost with them, as a shell
 * command; NULL if the word to change is ambiguous. Allocated from the arena. */
const char *estimate_command(const struct proposal *p, const struct opts *o,
	const struct estimate_thing *t, const struct estimate_advice *v, struct arena *a);

#define ESTIMATE_MONTH (730 * HOUR_SECONDS) /* as Google counts */
/* Cost of all items for so many seconds; empty if unknown. */
static inline struct doc_cell estimate_cell(
	const struct estimate_thing *t, bool net, int64_t seconds)
{
	return cell_amount(estimate_cost(t, net, seconds));
}

/* The answer as text, `width` columns wide. */
void estimate_text(struct app *app, const struct proposal *p, const struct estimate *x,
	const struct estimate_basis *basis, struct sbuf *b);

#endif
