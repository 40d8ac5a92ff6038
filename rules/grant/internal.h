/* Declarations that the parts of coverage share. Private to rules/grant/. */
#ifndef TPUCOST_RULES_GRANT_INTERNAL_H
#define TPUCOST_RULES_GRANT_INTERNAL_H

#include "rules/grant/coverage.h"

#include <string.h>

/* Unknown values come first. */
static inline int cov_compare_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* One line of a grant, prepared.
 *
 * Lines that share room are in one pool: the same (family, type, zone, class, unit) in grants that
 * extend each other. Within a pool, the lines of one grant are a window: they begin and end
 * together and their counts add up. */
struct cov_line {
	const struct grant *g;
	size_t pool, window; /* index of the first line of each */
	int64_t room;        /* of the window, in the unit of the grant */
	ts_t created_since;  /* TPUs must be at least this young; TS_NONE: any */
};

/* A node, prepared. */
struct cov_item {
	const struct cov_node *n;
	size_t index;  /* in the input */
	char type[64]; /* as grants spell it; "" when unknown */
};

struct cov_engine {
	const struct cov_input *in;
	struct arena *a;
	struct cov_line *lines; /* in->n_grants, in their order */
	size_t *by_end;         /* indices of lines: those that end first come first */
	size_t *tried;          /* the ones that may cover the current node; see below */
	size_t n_tried;
	int64_t *taken;      /* per pool: units in use at the current instant */
	int64_t *line_taken; /* per line */
	int64_t *
		maybe; /* per pool: units that TPUs may use in addition, as a class is unknown */
	const struct cov_item **asked; /* per pool: the last of those TPUs */
	struct cov_item *items;        /* in->n_nodes, oldest first */
};

/* A verdict before it becomes text. */
struct cov_finding {
	enum why why;
	int64_t line;     /* the grant that covers it, or the nearest one; -1: none */
	unsigned differs; /* bits 1 << enum why: differences from the nearest one */
	int64_t taken;    /* no room, or perhaps: units that older TPUs use */
	int64_t maybe;    /* and may use in addition */
	int64_t needs;    /* and how many this one needs */
	ts_t at;          /* the instant, for "4 days ago"; TS_NONE: omit that */
};

void cov_prepare(struct cov_engine *en, const struct cov_input *in, struct arena *a);
/* Begin the evaluation of another instant: all room is free. */
void cov_reset(struct cov_engine *en);
/* Until the next call, try only lines that run at t, for nodes of the same family, zone and class
 * as `n`: others cannot cover them. Without this call, all lines are tried. */
void cov_narrow(struct cov_engine *en, const struct cov_node *n, ts_t t);
/* Evaluate one node that runs at t; older ones must have been evaluated before. */
struct cov_finding cov_judge(struct cov_engine *en, const struct cov_item *it, ts_t t);

/* The finding as a sentence; allocated from the arena. */
const char *cov_text(const struct cov_engine *en, const struct cov_item *it,
	const struct cov_finding *f);

#endif
