/* Command line options: one table for parsing, help and completion. */
#ifndef TPUCOST_CLI_OPTS_H
#define TPUCOST_CLI_OPTS_H

#include "base/err.h"

struct cmd;

/* Maximum number of times that an option can be repeated. */
#define OPT_LIST_MAX 64
struct opt_list {
	const char *v[OPT_LIST_MAX];
	size_t n;
};

struct opts {
	const char *config;
	const char *format;
	const char *where;
	const char *sort_by;
	const char *columns;
	const char *project;
	const char *since;
	const char *until;
	const char *by;
	const char *what;
	const char *month;
	const char *output;
	const char *starts;
	const char *extends;
	const char *grant_mail;
	const char *billing_account;
	const char *endpoint;
	const char *credentials;
	const char *name;
	int64_t days; /* -1: not given */
	const char *subject;
	const char *hold_for;
	const char *comment;
	const char *to;
	const char *anchor;
	int64_t limit; /* -1: none */
	struct opt_list tpu, vm, disk;
	const char *zone;
	int64_t count; /* -1: not given */
	bool ip, spot, flex_start, reserved;
	int64_t watch; /* seconds; -1: not given */
	bool all, held;
	bool once;
	bool offline;
	bool strict;
	bool raw;
	bool send;
	bool allow_overlap;
	const char *billed_cost;
	const char *focus; /* version */
	bool dry_run;
	bool apply;
	bool exit_code;
	bool per_resource;
	const char *listen;
	bool overwrite;
	bool quiet;
	bool no_pager;
	bool verbose;
	bool help;
	bool version;
};

enum opt_type { OPT_FLAG, OPT_TEXT, OPT_COUNT, OPT_LIST };

struct opt {
	const char *name;
	char letter; /* 0: none */
	enum opt_type type;
	size_t offset; /* in struct opts */
	const char *help;
	const char *arg; /* NULL: a flag */
	bool common;     /* every command accepts it */
};

extern const struct opt options[];
extern const size_t n_options;

/* Finds an option by name or letter; NULL: there is none. */
const struct opt *opt_named(const char *name, size_t len);
const struct opt *opt_letter(char c);

void opts_init(struct opts *o);
/* Parses argv[1..]. Options may be anywhere; "--" ends them, and so does the first word of
 * another program's command, if the command accepts one (TAKES_WORDS). Positional arguments are
 * copied to the start of `args`, which must have space for argc pointers. E_USAGE suggests the
 * nearest option for an unknown one. */
enum err_code opts_parse(int argc, char **argv, struct opts *o, char **args, int *n_args,
	struct err *e) must_check;
/* Sets one option; `value` is not copied. E_USAGE: it is not valid, or must not be repeated. */
enum err_code opts_set(
	struct opts *o, const struct opt *opt, const char *value, struct err *e) must_check;
/* Tests whether the command accepts every given option. `what`: its first argument; NULL: none. */
enum err_code opts_check(int argc, char **argv, const struct cmd *cmd, const char *what,
	struct err *e) must_check;
bool opts_taken(const struct cmd *cmd, const struct opt *o);

#endif
