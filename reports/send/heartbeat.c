/* Heartbeat: a request to a service that raises an alarm when the requests stop. */
#include "reports/channel.h"

#include "base/net/http.h"
#include "base/url/netguard.h"
#include "base/url/url.h"

#define TIMEOUT_MS 10000

enum err_code heartbeat_send(struct http *h, const char *url, struct err *e)
{
	struct http_req r = {.method = "GET",
		.url = url,
		.idempotent = true,
		.max_attempts = 1, /* the next request follows anyway */
		.max_body = 1 << 20,
		.total_timeout_ms = TIMEOUT_MS,
		.secret_url = true};
	char host[URL_SHOWN_HOST];
	enum err_code code = net_url_check(url, false, e);

	if (code == E_OK)
		code = http_do(h, &r, e);
	if (code == E_OK && (r.status < 200 || r.status >= 300)) {
		code = err_set(
			e, E_HTTP, "GET %s: HTTP %ld", url_show_host(url, host), r.status);
		err_fix(e, "check the URL of the heartbeat");
	}
	http_req_done(&r);
	return code == E_OK ? E_OK : err_wrap(e, "heartbeat");
}
