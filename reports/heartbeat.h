/* A sign of life for a service that gives alarm when it stays away ("dead man's switch"). */
#ifndef TPUCOST_REPORTS_HEARTBEAT_H
#define TPUCOST_REPORTS_HEARTBEAT_H

#include "base/err.h"

struct http;

/* GET the URL once, for at most 10 s; any 2xx will do. The URL is a secret: errors show its host
 * alone. E_CONFIG, E_NET, E_HTTP. In tpucost-net only. */
enum err_code heartbeat_send(struct http *h, const char *url, struct err *e) must_check;

#endif
