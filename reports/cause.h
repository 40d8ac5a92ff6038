/* Cause of a failed poll: one cause, such as a wrong clock or no network, concerns many sources and projects. */
#ifndef TPUCOST_REPORTS_CAUSE_H
#define TPUCOST_REPORTS_CAUSE_H

#include "base/mem.h"

/* The part of the error of a source that is the same for all sources and projects with that cause. Errors that differ
 * in more than the list that met them are different causes. "" if `error` is NULL. A part of `error`, or allocated
 * from `a`. */
const char *cause_of(const char *error, struct arena *a);

#endif
