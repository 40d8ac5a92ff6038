/* What the readers of a world file share. Private to cli/trial/. */
#ifndef TPUCOST_CLI_TRIAL_INTERNAL_H
#define TPUCOST_CLI_TRIAL_INTERNAL_H

#include "cli/trial/file.h"

#define TRIAL_MAX_ENTRIES 10000 /* steps, and resources in all of them */
#define TRIAL_MAX_OFFSET (3660 * DAY_SECONDS)

/* A thing as the last step left it. */
struct trial_thing {
	struct world_thing t;
	const char *id;
	bool gone;
};

/* ctx of the binder. */
struct trial_reading {
	struct arena *a;
	struct config *cfg;
	struct trial *trial;
	const char *project; /* of what does not say its own */
	ts_t at;             /* of the step */
	struct trial_thing *things;
	size_t n_things, cap_things;
	size_t entries, cap_step;
};

static inline struct trial_reading *trial_reading_of(struct binder *b)
{
	return b->ctx;
}

/* ---- cli/trial/values.c ------------------------------------------------------------------------ */

/* "+1d2h" and "-30m" count from the start; else a date or an RFC 3339 instant. `obj` is ts_t. */
enum err_code trial_read_when(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e) must_check;
/* A whole number of 0 or more, or null; `obj` is struct opt_i64. */
enum err_code trial_read_number(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e) must_check;

/* ---- the lists of a step ----------------------------------------------------------------------- */

/* `obj` is struct trial_step. */
enum err_code trial_read_things(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e) must_check;
enum err_code trial_read_gone(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e) must_check;
enum err_code trial_read_bill(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e) must_check;
enum err_code trial_read_quotas(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e) must_check;
enum err_code trial_read_expect(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e) must_check;
enum err_code trial_read_quiet(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e) must_check;

#endif
