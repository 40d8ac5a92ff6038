/* What the forms of output share. Private to cli/out*.c. */
#ifndef TPUCOST_CLI_OUT_PARTS_H
#define TPUCOST_CLI_OUT_PARTS_H

#include "cli/out.h"

/* The cell as it is, every digit of it. */
void cell_exact(struct sbuf *b, const struct cell *c);
bool column_numeric(const struct column *c);
void out_table(struct sbuf *b, const struct table *t, const struct out_style *style);

#endif
