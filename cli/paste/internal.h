/* What the files of cli/paste/paste.h share. */
#ifndef TPUCOST_CLI_PASTE_INTERNAL_H
#define TPUCOST_CLI_PASTE_INTERNAL_H

#include "cli/paste/paste.h"

/* Why the text of a word is not all known. */
enum paste_hole {
	HOLE_NONE,
	HOLE_UNSET,       /* a variable that nobody set */
	HOLE_RUN,         /* the output of a command */
	HOLE_EXPANSION,   /* what only a shell works out: ${X%...}, {1..4}, a list */
	HOLE_PLACEHOLDER, /* <your-zone>: to be replaced by the reader */
};

struct paste_word {
	const char *s; /* with the holes as they were written */
	enum paste_hole hole;
	const char *source; /* of the first hole: "$ZONE" */
	bool quoted;        /* some of it was: no keyword, no assignment */
};

struct paste_command {
	struct paste_word *v;
	size_t n;
	const char *loop; /* the body of which loop it stands in: "for"; or NULL */
	bool in_test;     /* what "while" or "until" try: it succeeds once */
};

struct paste_commands {
	struct paste_command *v;
	size_t n;
	const char **functions; /* that the text defines */
	size_t n_functions;
};

/* A flag of the command that is read. */
struct paste_flag {
	const char *name; /* as the table spells it */
	struct paste_word value;
	bool has_value;
};

struct paste_args {
	struct paste_word *words; /* those that are no flags, without the command's own */
	size_t n_words;
	struct paste_flag *flags;
	size_t n_flags;
};

/* ---- one reading --------------------------------------------------------------------------- */

struct pasting {
	struct arena *a;
	const struct paste_env *env;
	struct proposal out;
	size_t cap_notes;
	size_t n_made; /* commands that create something */
	bool alone;    /* a single command: one that creates nothing is an error */
	bool made;     /* the command in hand creates something */
	const char *project, *zone, *region; /* what "gcloud config set" of the text said */
	struct paste_var {
		const char *name;
		struct paste_word value;
	} * vars;
	size_t n_vars, cap_vars;
	size_t bytes;           /* of all words, against PASTE_MAX_TEXT */
	struct paste_args args; /* of the command in hand */
	const char *command;    /* "gcloud compute disks create", for messages */
	struct err *e;
};

/* ---- cli/paste/reading.c -------------------------------------------------------------------- */

/* One sentence of proposal.notes, each once. */
void paste_note(struct pasting *p, const char *fmt, ...) printf_like(2, 3);
/* E_USAGE, and what to do about it. */
enum err_code paste_refuse(struct pasting *p, const char *fix, const char *fmt, ...)
	printf_like(3, 4);
const char *paste_lower(struct pasting *p, const char *s); /* in ASCII */
/* One more thing of the proposal, with a count of 1 and the arena's strings; NULL beyond the cap,
 * then *p->e says so. */
struct wish *paste_wish(struct pasting *p, const char *kind);
/* The value that the text gave a variable last; NULL: none. */
const struct paste_word *paste_variable(const struct pasting *p, const char *name);
enum err_code paste_set(
	struct pasting *p, const char *name, const struct paste_word *value);

/* ---- from text to words: cli/paste/plain.c, shell.c --------------------------------------- */

/* Typographic marks of web pages, prompts and ends of lines, as a shell wants them. */
const char *paste_plain(struct pasting *p, const char *text);
/* The dashes of a word that no text of ours split: "–zone" is "--zone". */
const char *paste_plain_word(struct pasting *p, const char *word);
enum err_code paste_split(struct pasting *p, const char *text, struct paste_commands *out);

/* ---- what is not read: cli/paste/hidden.c --------------------------------------------------------- */

/* Is there a create command in the text of a word: "$(gcloud ... create ...)"? */
bool paste_creates(const char *text);
/* E_USAGE when something is created by a command that is not read itself: xargs gcloud, bash -c
 * "gcloud ...", $GCLOUD. To pass it over would make the answer too good. */
enum err_code paste_hidden(struct pasting *p, const struct paste_command *c);
/* The same when a function of the text is called in a loop. */
enum err_code paste_called_in_loop(struct pasting *p, const struct paste_commands *list);
/* The same for commands of other kinds, which are not read: gcloud container clusters create,
 * terraform apply. */
enum err_code paste_other(struct pasting *p, const struct paste_word *v, size_t n);

/* ---- flags --------------------------------------------------------------------------------- */

/* Into p->args, which the others look at. */
enum err_code paste_args_read(struct pasting *p, const struct paste_word *v, size_t n);
bool paste_has(const struct pasting *p, const char *flag);
/* A switch is on: given, and not "=false". */
bool paste_on(const struct pasting *p, const char *flag);
/* The value of a flag, the last one where it is repeated; *out stays NULL when it is not given.
 * E_USAGE when it has none or has a hole. */
enum err_code paste_value(struct pasting *p, const char *flag, const char **out);
/* The same for what may stay unknown: then a note says so. */
const char *paste_value_or_note(struct pasting *p, const char *flag);
/* "key=value,key,..." split; NULL as value: no "=". */
struct paste_pair {
	const char *key, *value;
};
struct paste_pair *paste_pairs(struct pasting *p, const char *text, size_t *n);
const char *paste_pair(const struct paste_pair *v, size_t n, const char *key);
/* "200GB", "1TB", "200" (then of `unit`: 'G' or 'M') -> MiB. False when it is no such size. */
bool paste_size(const char *text, char unit, int64_t *mib);
/* The same of a flag or key, in GiB rounded up; E_USAGE when it cannot be read. */
enum err_code paste_gib(
	struct pasting *p, const char *what, const char *text, int64_t *gib);
enum err_code paste_count(struct pasting *p, const char *flag, int64_t *out);
enum err_code paste_no(struct pasting *p, const struct paste_word *w, const char *what);

/* ---- places and names: cli/paste/place.c --------------------------------------------------------- */

/* Project and zone of the flags, of the text, of gcloud's configuration. */
struct paste_place {
	const char *project, *zone, *region;
};
enum err_code paste_place(struct pasting *p, struct paste_place *out);
void paste_put(struct wish *w, const struct paste_place *at);
/* The region where no flag names one: of the text, of gcloud's configuration; NULL: of neither. */
const char *paste_region(struct pasting *p);
const char *paste_region_of(struct pasting *p, const char *zone);
/* The text if it can be a project, else NULL and a note. */
const char *paste_project(struct pasting *p, const char *s);
/* The name of a thing if it can be one, else NULL and a note. */
const char *paste_name(struct pasting *p, const struct paste_word *w);
/* The names of a command that makes several things: how many, and *name where it is one. E_USAGE for
 * "{1..4}", an unknown number of them. */
enum err_code paste_names(struct pasting *p, const char **name, int64_t *count);
/* The name of a command that makes one thing: its only word. */
enum err_code paste_only_name(struct pasting *p, const char **name);
/* "on-demand", "spot" or "reserved" of the flags. */
enum err_code paste_provisioning(struct pasting *p, const char **out);

/* ---- commands ------------------------------------------------------------------------------ */

typedef enum err_code paste_fn(struct pasting *p);
paste_fn paste_tpu_node, paste_tpu_vm, paste_queued, paste_group, paste_ctpu;
paste_fn paste_vm, paste_vm_bulk, paste_disk, paste_address, paste_bucket;

/* A machine with its boot disk and its address. */
struct paste_machine {
	const char *name, *type, *provisioning;
	int64_t count, boot_gib;
	const char *boot_type;
	bool no_boot, no_address;
	struct paste_place at;
};
enum err_code paste_machine(
	struct pasting *p, const struct paste_machine *m, struct wish **vm);

/* "gsutil mb ...": words after "mb". */
enum err_code paste_gsutil(struct pasting *p, const struct paste_word *v, size_t n);

/* ---- cli/paste/commands.c ------------------------------------------------------------------------ */

bool paste_is_track(const char *word); /* "alpha", "beta" */
/* The commands that are understood, joined with ", ". */
const char *paste_understood(struct arena *a);
/* Up to which word of the command they are `words`, from `at` on: 0 when they are others. */
size_t paste_matched(const struct pasting *p, size_t at, const char *words);
/* Are these, behind gcloud, the words of a command that is read? */
bool paste_is_read(const struct paste_word *v, size_t n);
/* Who reads the command of gcloud whose words begin at `at`; *words gets them, *behind where they
 * end. NULL: nobody. */
paste_fn *paste_reader(
	const struct pasting *p, size_t at, const char **words, size_t *behind);

#endif
