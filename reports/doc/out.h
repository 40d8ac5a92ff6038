/* Output with a limit: what is added in parts is there whole or not at all, and after the first
 * part that does not fit nothing more is. Shared by the formats that people read. */
#ifndef TPUCOST_REPORTS_DOC_OUT_H
#define TPUCOST_REPORTS_DOC_OUT_H

#include "reports/doc/formats.h"

#define DOC_OUT_RESERVE 400 /* bytes kept free to say what is left out */

struct doc_out {
	struct sbuf *b;
	size_t end; /* length that parts may not pass; 0: no limit */
	bool full;
	size_t rows, sections; /* left out, as counted by the format */
};

/* Everything, where it fits; else as much as fits with what is said of the rest. */
void doc_out_whole(
	void (*render)(const struct doc *d, const struct format_opts *o, struct sbuf *b),
	const struct doc *d, const struct format_opts *o, struct sbuf *b);
struct doc_out doc_out(const struct format_opts *o, struct sbuf *b);
/* Moves the part over and empties it; false when it does not fit. */
bool doc_out_add(struct doc_out *o, struct sbuf *part);
/* "Shortened to fit: 12 rows and 3 more sections are left out."; nothing when all is there. */
void doc_out_left(const struct doc_out *o, struct sbuf *b);

#endif
