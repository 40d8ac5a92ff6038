/* Grants of free TPUs, in the wording of the mail of the TPU Research Cloud. */
#ifndef TPUCOST_RULES_GRANT_GRANT_H
#define TPUCOST_RULES_GRANT_GRANT_H

#include "base/err.h"
#include "base/mem.h"

enum grant_unit {
	GRANT_DEVICES, /* TPUs of exactly one type: "5 ... v3-8 device(s)" */
	GRANT_CHIPS,   /* any slices of the family */
	GRANT_CORES,   /* the same, counted in cores */
};

/* One line of a grant. A grant with several lines is several of these with the same name. */
struct grant {
	const char *name; /* "trc-nov" */
	const char *zone;
	const char *type;   /* canonical ("v3-8") for GRANT_DEVICES, else NULL */
	const char *family; /* canonical */
	enum grant_unit unit;
	int64_t count;            /* of the unit */
	int64_t chips;            /* granted, regardless of the unit */
	const char *provisioning; /* "on-demand" "spot" (also preemptible) "flex-start" */
	ts_t starts;              /* TS_NONE: no start */
	ts_t until;               /* first instant after it; TS_NONE: open */
	bool new_only;            /* only TPUs created since it began */
	const char *extends;      /* name of the grant this one renews, or NULL */
	const char *project;      /* the only one it covers; NULL: all watched ones */
	const char *note;         /* wording that a user should check, or NULL */
};

/* Read one line such as "5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a". Words may
 * come in any order and case, with list marks, quotes, emphasis or table bars around them; but
 * every word must be understood, and count, class, type and zone must each occur exactly once.
 * E_DATA names the missing, unknown or ambiguous part; nothing is guessed. Sets zone, type, family,
 * unit, count, chips, provisioning and note (strings are static or allocated from the arena); the
 * other fields are not changed. */
enum err_code grant_parse_line(
	const char *text, struct arena *a, struct grant *out, struct err *e) must_check;

/* Signs of a grant in a line of text; bits. */
enum grant_sign {
	GRANT_SIGN_COUNT = 1, /* "5" "1,024" "5x", and "5" with letters of another script */
	GRANT_SIGN_CLASS = 2,
	GRANT_SIGN_TYPE = 4,
	GRANT_SIGN_ZONE = 8,
	GRANT_SIGN_TPU = 16,    /* the word itself */
	GRANT_SIGN_BEGINS = 32, /* its first word, list marks aside, is a count */
	GRANT_SIGN_SHELL = 64,  /* it is a command: gcloud, --zone */
	GRANT_SIGN_NAMES = 128, /* it contains a type, also inside of other words */
};
unsigned grant_signs(const char *text);
/* The line as it is parsed: plain lower-case words with single blanks, without ASCII quotes, marks
 * and tags. Allocated from the arena. */
const char *grant_plain(const char *text, struct arena *a);

/* "5 on-demand v3-8 devices in europe-west4-a", "32 spot v4 chips (v4-64) in ...". Allocated from
 * the arena. */
const char *grant_describe(const struct grant *g, struct arena *a);

/* True from its start until its end. */
bool grant_runs_at(const struct grant *g, ts_t t);
/* A grant without an end is last. */
bool grant_ends_before(const struct grant *a, const struct grant *b);
/* Are both for the same TPUs? Counts, times and projects may differ. */
bool grant_alike(const struct grant *a, const struct grant *b);
/* Index of the first line of the grant of that name, or -1. */
int64_t grant_find(const struct grant *grants, size_t n, const char *name);

#endif
