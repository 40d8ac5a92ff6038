/* Heartbeat: a request to a service that raises an alarm when the requests stop ("dead man's
 * switch"). */
#ifndef TPUCOST_REPORTS_HEARTBEAT_H
#define TPUCOST_REPORTS_HEARTBEAT_H

#include "base/err.h"

struct http;

/* Sends GET to the URL once, for at most 10 s; any 2xx status is a success. The URL is a secret:
 * errors show only its host. E_CONFIG, E_NET, E_HTTP. In tpucost-net only. */
enum err_code heartbeat_send(struct http *h, const char *url, struct err *e) must_check;

#endif
