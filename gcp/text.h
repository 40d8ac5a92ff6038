/* Text from Google on its way into our messages. */
#ifndef TPUCOST_GCP_TEXT_H
#define TPUCOST_GCP_TEXT_H

#include <stddef.h>

/* Copy with control characters as blanks, runs of blanks as one; cut at `room` on a
 * whole UTF-8 character. */
void text_clean(const char *s, char *out, size_t room);

#endif
