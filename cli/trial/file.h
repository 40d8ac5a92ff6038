/* Files for `rules test`: a small world in YAML and what its rules must say. The format is in
 * docs/rules-test.md. */
#ifndef TPUCOST_CLI_TRIAL_FILE_H
#define TPUCOST_CLI_TRIAL_FILE_H

#include "cli/cmd.h"
#include "cli/config/config.h"
#include "rules/trial/trial.h"

/* Strings and arrays are in app->arena, settings in *cfg, whose `tz` the caller frees, after an
 * error too. Every mistake is E_CONFIG "file:line:col: what". */
enum err_code trial_file_read(struct app *app, const char *path, struct config *cfg,
	struct trial *out, struct err *e) must_check;

#endif
