/* Functions shared by the files of cli/paste/paste.h. */
#ifndef TPUCOST_CLI_PASTE_INTERNAL_H
#define TPUCOST_CLI_PASTE_INTERNAL_H

#include "cli/paste/paste.h"

/* Reason why the text of a word is not completely known. */
enum paste_hole {
	HOLE_NONE,
	HOLE_UNSET,       /* a variable that is not set */
	HOLE_RUN,         /* the output of a command */
	HOLE_EXPANSION,   /* an expansion of a shell: ${X%...}, {1..4}, a list */
	HOLE_PLACEHOLDER, /* <your-zone>: to be replaced by the reader */
	HOLE_MAYBE,       /* a variable that is set in code that may not run */
};

struct paste_word {
	const char *s; /* with the holes as written */
	enum paste_hole hole;
	const char *source; /* of the first hole, such as "$ZONE" */
	bool quoted;        /* part of it was quoted: not a keyword or assignment */
};

struct paste_words {
	struct paste_word *v;
	size_t n, cap;
};

struct paste_command {
	struct paste_word *v;
	size_t n;
	const char *loop;     /* keyword of the loop that contains it: "for"; or NULL */
	bool in_test;         /* in the condition of "until": it succeeds once */
	const char *function; /* that contains it; NULL: none */
};

struct paste_commands {
	struct paste_command *v;
	size_t n, cap;
	struct {
		const char **v;
		size_t n, cap;
	} functions; /* defined by the text */
};

/* Flag of the command that is being read. */
struct paste_flag {
	const char *name;        /* as in the table */
	struct paste_word value; /* s is NULL: none */
};

struct paste_flags {
	struct paste_flag *v;
	size_t n, cap;
};

/* ---- state of one reading ------------------------------------------------------------------ */

/* An error does not end the functions below: the first one is kept in `e`, they continue with NULL
 * or 0, and all results are discarded at the end. */
struct pasting {
	struct arena *a;
	const struct paste_env *env;
	struct proposal out;
	size_t cap_notes;
	struct wish spare; /* beyond the limit */
	size_t n_made;     /* commands that create resources */
	struct {
		const char **v;
		size_t n, cap;
	} made_in;  /* functions with such a command */
	bool alone; /* a single command: it is an error if it creates nothing */
	bool made;  /* the current command creates resources */
	const char *project, *zone, *region; /* set by "gcloud config set" in the text */
	struct {
		struct paste_var {
			const char *name;
			struct paste_word value;
		} * v;
		size_t n, cap;
	} vars;
	struct {
		struct paste_template {
			const char *name;
			struct paste_flags flags;
		} * v;
		size_t n, cap;
	} templates;  /* of machines, created by the text */
	size_t bytes; /* of all words, against PASTE_MAX_TEXT */
	/* of the current command */
	const char *command; /* "gcloud compute disks create", for messages */
	struct paste_words
		words; /* that are not flags, without those of the command itself */
	struct paste_flags flags;
	struct err *e;
};

/* ---- cli/paste/reading.c -------------------------------------------------------------------- */

/* Adds a sentence to proposal.notes, if it is not there yet. */
void paste_note(struct pasting *p, const char *fmt, ...) printf_like(2, 3);
/* Sets E_USAGE or E_LIMIT with a fix ("": none), unless there is an error. */
void paste_refuse(struct pasting *p, const char *fix, const char *fmt, ...)
	printf_like(3, 4);
void paste_limit(struct pasting *p, const char *fix, const char *fmt, ...)
	printf_like(3, 4);
const char *paste_lower(struct pasting *p, const char *s); /* ASCII only */
/* Adds a resource to the proposal, with a count of 1 and strings from the arena; E_LIMIT. */
struct wish *paste_wish(struct pasting *p, const char *kind);
/* The last value that the text assigned to a variable; NULL: none. */
const struct paste_word *paste_variable(const struct pasting *p, const char *name);
void paste_set(struct pasting *p, const char *name, const struct paste_word *value);

/* ---- from text to words: cli/paste/plain.c, shell.c --------------------------------------- */

/* Replaces typographic characters of web pages, prompts and line ends by those of a shell. */
const char *paste_plain(struct pasting *p, const char *text);
/* Replaces typographic dashes of a word that was split by a shell: "–zone" becomes "--zone". */
const char *paste_plain_word(struct pasting *p, const char *word);
void paste_split(struct pasting *p, const char *text, struct paste_commands *out);

/* ---- commands that cannot be read: cli/paste/hidden.c --------------------------------------------- */

/* Tests for a create command in the text of a word: "$(gcloud ... create ...)". */
bool paste_creates(const char *text);
/* E_USAGE if resources are created by a command that cannot be read: xargs gcloud, bash -c
 * "gcloud ...", $GCLOUD. Ignoring it would make the estimate too low. */
void paste_hidden(struct pasting *p, const struct paste_command *c);
/* E_USAGE if a function of the text is called in a loop, or if one that creates resources is not called exactly once,
 * without arguments. */
void paste_check_calls(struct pasting *p, const struct paste_commands *list);
/* E_USAGE for commands of other kinds, which cannot be read: gcloud container clusters create,
 * terraform apply. */
void paste_other(struct pasting *p, const struct paste_word *v, size_t n);

/* ---- flags --------------------------------------------------------------------------------- */

/* Reads the flags into p->flags and the other words into p->words, for the functions below. */
void paste_args_read(struct pasting *p, const struct paste_word *v, size_t n);
bool paste_has(const struct pasting *p, const char *flag);
/* Tests whether a switch is given and not "=false". */
bool paste_on(const struct pasting *p, const char *flag);
/* Value of a flag, the last one if it is repeated; NULL if the flag is absent. E_USAGE if it has
 * no value or a hole. */
const char *paste_value(struct pasting *p, const char *flag);
/* Value of a flag that may be unknown: adds a note in that case. */
const char *paste_value_or_note(struct pasting *p, const char *flag);
/* Parts of "key=value,key,..."; NULL as value: no "=". */
struct paste_pairs {
	struct paste_pair {
		const char *key, *value;
	} * v;
	size_t n, cap;
};
struct paste_pairs paste_pairs(struct pasting *p, const char *text);
const char *paste_pair(const struct paste_pairs *pairs, const char *key);
/* "200GB", "1TB", "200" (in `unit`: 'G' or 'M') -> MiB. False if it is not a size. */
bool paste_size(const char *text, char unit, int64_t *mib);
/* Size of a flag or key in GiB, rounded up; E_USAGE if it cannot be read. */
int64_t paste_gib(struct pasting *p, const char *what, const char *text);
/* Value of a flag that is a number of resources, or `other` if it is absent; E_USAGE. */
int64_t paste_count(struct pasting *p, const char *flag, int64_t other);
/* E_USAGE for a word with a hole. */
void paste_no(struct pasting *p, const struct paste_word *w, const char *what);

/* ---- places and names: cli/paste/place.c --------------------------------------------------------- */

/* Project and zone, from the flags, the text or gcloud's configuration. */
struct paste_place {
	const char *project, *zone, *region;
};
struct paste_place paste_place(struct pasting *p);
/* A zone, without the URL around it; E_USAGE if it is none. */
const char *paste_zone(struct pasting *p, const char *flag, const char *zone);
/* Project alone: a bucket has no zone. */
const char *paste_place_project(struct pasting *p);
void paste_put(struct wish *w, const struct paste_place *at);
/* Region if no flag gives one: from the text or gcloud's configuration; NULL: neither. */
const char *paste_region(struct pasting *p);
const char *paste_region_of(struct pasting *p, const char *zone);
/* Returns the text if it is a valid project id, else NULL and adds a note. */
const char *paste_project(struct pasting *p, const char *s);
/* Returns the name of a resource if it is valid, else NULL and adds a note. */
const char *paste_name(struct pasting *p, const struct paste_word *w);
/* Names of a command that creates several resources: their number, and *name if there is one.
 * E_USAGE for "{1..4}", an unknown number of names. */
int64_t paste_names(struct pasting *p, const char **name);
/* Name for a command that creates one resource: its only word. */
const char *paste_only_name(struct pasting *p);
/* Time of a flag, TS_NONE if it is absent or, with a note, cannot be read. */
ts_t paste_time(struct pasting *p, const char *flag);
/* Seconds of "2h", "1d12h" or "7200", as gcloud writes durations; 0 if it is none. */
int64_t paste_seconds(struct arena *a, const char *s);
/* Its longest run, its end, and how long it waits for capacity, with notes. */
void paste_run(struct pasting *p, struct wish *w);
/* Tests for machines without an external address: --no-address, or all interfaces without one. */
bool paste_is_internal(const struct pasting *p);
/* "on-demand", "spot", "flex-start" or "reserved", from the flags. */
const char *paste_provisioning(struct pasting *p);

/* ---- commands ------------------------------------------------------------------------------ */

typedef void paste_fn(struct pasting *p);
paste_fn paste_tpu_node, paste_tpu_vm, paste_queued, paste_group, paste_ctpu;
paste_fn paste_template, paste_managed_group, paste_node_pool;
paste_fn paste_vm, paste_vm_bulk, paste_disk, paste_address, paste_bucket;

/* Machine with its boot disk and its address. */
struct paste_machine {
	const char *name, *type, *provisioning;
	int64_t count, boot_gib;
	const char *boot_type;
	bool no_boot, no_address, boot_stays;
	bool slice; /* its machines are the hosts of one TPU: "16 x ct6e-standard-4t" */
	struct paste_place at;
	const char *zone_flag; /* as in struct wish */
};
/* E_USAGE for a TPU in a region: its zone decides price and coverage. */
struct wish *paste_machine(struct pasting *p, const struct paste_machine *m);
/* Adds the GPUs and local SSDs of the flags to a machine. */
void paste_accessories(struct pasting *p, struct wish *vm);
/* As paste_machine(), of the type and with the disks, limits and class of the flags of "compute instances create". */
void paste_machines(struct pasting *p, struct paste_machine *m);

/* Reads "gsutil mb ...": the words after "mb". */
void paste_gsutil(struct pasting *p, const struct paste_word *v, size_t n);

/* ---- cli/paste/commands.c ------------------------------------------------------------------------ */

bool paste_is_track(const char *word); /* "alpha", "beta" */
/* Names of the commands that can be read, "gcloud compute disks create, storage buckets create; gsutil mb":
 * they have to fit into a hint, so gcloud is named once. */
const char *paste_understood(struct arena *a);
/* Index after the words of the command, if those from `at` on are `words`; 0 if not. */
size_t paste_matched(const struct pasting *p, size_t at, const char *words);
/* Tests whether these words after gcloud are a command that is read. */
bool paste_is_read(const struct paste_word *v, size_t n);
/* Reader of the gcloud command whose words begin at `at`; *words is set to them, *behind to the
 * index after them. NULL: there is none. */
paste_fn *paste_reader(
	const struct pasting *p, size_t at, const char **words, size_t *behind);

#endif
