/* Output with a size limit: a part is appended as a whole or not at all, and nothing is appended
 * after the first part that does not fit. Shared by the formats for reading. */
#ifndef TPUCOST_REPORTS_DOC_OUT_H
#define TPUCOST_REPORTS_DOC_OUT_H

#include "reports/doc/formats.h"

#define DOC_OUT_RESERVE 400 /* bytes reserved for the note about omitted parts */

struct doc_out {
	struct sbuf *b;
	bool used[STATUS_PARTIAL + 1]; /* marks of figures that need the legend */
	size_t end;                    /* maximum length without that note; 0: no limit */
	bool full;
	size_t rows, sections; /* omitted parts, as counted by the format */
};

/* Returns everything if it fits; otherwise the parts that fit and a note about the others. */
void doc_out_whole(
	void (*render)(const struct doc *d, const struct format_opts *o, struct sbuf *b),
	const struct doc *d, const struct format_opts *o, struct sbuf *b);
struct doc_out doc_out(const struct format_opts *o, struct sbuf *b);
/* Moves the part over and empties it; false if it does not fit. */
bool doc_out_add(struct doc_out *o, struct sbuf *part);
/* "Shortened to fit: 12 rows and 3 more sections omitted."; nothing if everything fits. */
void doc_out_left(const struct doc_out *o, struct sbuf *b);

#endif
