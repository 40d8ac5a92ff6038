/* Documents for tests of formats: one that uses everything a document can hold, one whose texts
 * are hostile, and one with many rows. */
#ifndef TPUCOST_TESTS_SUPPORT_SAMPLE_DOC_H
#define TPUCOST_TESTS_SUPPORT_SAMPLE_DOC_H

#include "reports/doc/doc.h"

#define SAMPLE_NOW INT64_C(1795219200) /* 2026-11-21T00:00:00Z, 08:00 in Hong Kong */

extern struct arena sample_arena; /* of the documents, until sample_teardown */

/* For cmocka; days are Hong Kong's. */
int sample_setup(void **state);
int sample_teardown(void **state);

/* Sections: "actions" (rows with details and commands), "days" (a chart over 30 days of which
 * 23 are folded), "burn" (two currencies, an unknown amount), "costs" (totals), "grants" (every
 * type of cell, a column only for programs), "quotas" (empty, with words), "restatements" (only
 * for programs). */
struct doc *sample_doc(void);

/* Titles, cells, details, commands, notes and facts are sample_texts: a row for each of them in
 * section "names", with the text as its name and its label. */
struct doc *sample_hostile(void);
extern const char *sample_texts[]; /* good after sample_hostile */
extern const size_t sample_n_texts;

/* A section "resources" of n rows with a detail and a command each, and a total. */
struct doc *sample_many(size_t n);

#endif
