/* The log of the daemon on standard error, one line an event:
 * "2026-11-21T04:59:00Z tpucost[run]: warn: disk full". Only the daemon logs; other code returns
 * errors. Text from outside is escaped; secrets have no way in. */
#ifndef TPUCOST_BASE_LOG_H
#define TPUCOST_BASE_LOG_H

#include "base/base.h"

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

/* `journal`: lines begin with the "<6>" of systemd, which adds the time and the name. */
void log_setup(enum log_level level, bool journal);
bool log_enabled(enum log_level level);
void log_write(enum log_level level, const char *fmt, ...) printf_like(2, 3);

#define log_error(...) log_write(LOG_ERROR, __VA_ARGS__)
#define log_warn(...) log_write(LOG_WARN, __VA_ARGS__)
#define log_info(...) log_write(LOG_INFO, __VA_ARGS__)
#define log_debug(...) log_write(LOG_DEBUG, __VA_ARGS__)

#endif
