/* Files for `rules test`: resources in YAML and the expected alerts. For the format, see
 * docs/rules.md. */
#ifndef TPUCOST_CLI_TRIAL_FILE_H
#define TPUCOST_CLI_TRIAL_FILE_H

#include "cli/cmd.h"
#include "cli/config/config.h"
#include "rules/trial/trial.h"

/* Reads a file. Strings and arrays are allocated from app->arena; settings are in *cfg, whose
 * `tz` the caller frees, also after an error. Every error is E_CONFIG "file:line:col: what". */
enum err_code trial_file_read(struct app *app, const char *path, struct config *cfg,
	struct trial *out, struct err *e) must_check;

/* ---- shared by the readers of a file: private to cli/trial/ ------------------------------------ */

#define TRIAL_MAX_ENTRIES 10000 /* steps, and resources in all of them */
#define TRIAL_MAX_OFFSET (3660 * DAY_SECONDS)

/* A resource in its state after the last step. */
struct trial_thing {
	struct world_thing t; /* with its id */
	bool gone;
};

/* ctx of the binder. */
struct trial_reading {
	struct arena *a;
	struct config *cfg;
	struct trial *trial;
	const char *project; /* default project of resources */
	ts_t at;             /* time of the step */
	struct trial_thing *things;
	size_t n_things, cap_things;
	size_t entries, cap_step;
};

/* "+1d2h" and "-30m" are relative to the start; else a date or an RFC 3339 instant. `obj` is
 * ts_t. */
enum err_code trial_read_when(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e) must_check;
/* A whole number >= 0, or null; for "limit_value": >= -1. `obj` is struct opt_i64. */
enum err_code trial_read_number(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e) must_check;

/* ---- the lists of a step ----------------------------------------------------------------------- */

/* `obj` is struct trial_step. */
enum err_code trial_read_things(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e) must_check;
enum err_code trial_read_gone(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e) must_check;

#endif
