/* Declarations that the parts of tpu.h share. Private to rules/grant/. */
#ifndef TPUCOST_RULES_GRANT_TPU_INTERNAL_H
#define TPUCOST_RULES_GRANT_TPU_INTERNAL_H

#include "base/base.h"

#define TPU_MAX_NUMBER 1000000 /* of chips or cores */
#define TPU_HOST_CHIPS 4       /* of a host of a slice with several */

/* Sides of the shapes of a family: 2 of "2x4", 3 of "2x2x1". */
int tpu_sides(const char *family);

#endif
