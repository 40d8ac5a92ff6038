/* What the files of Cloud TPU share. */
#ifndef TPUCOST_TESTS_SANDBOX_API_TPU_H
#define TPUCOST_TESTS_SANDBOX_API_TPU_H

#include "tests/sandbox/actions.h"

void tpu_write_node(const struct request *q, struct jw *w, const struct node *n);
/* Are the project and the location of the path there and in reach? If not, says so. */
bool tpu_path_fine(const struct request *q, struct response *r);
void tpu_not_found(const struct request *q, struct response *r, const char *rest);

#endif
