/* Command `web`. */
#include "cli/config/config.h"
#include "cli/web/web.h"

#include <unistd.h>

#define USUAL "127.0.0.1:8420"

int cmd_web(struct app *app, struct err *e)
{
	const char *where = app->o.listen ? app->o.listen
		: app->cfg->web.listen    ? app->cfg->web.listen
					  : USUAL;
	struct web_socket s;
	enum err_code rc;

	if (web_listen(where, &s, e))
		return cmd_fail(e);
	if (!s.local && !app->cfg->web.hosts.n) {
		err_set_fix(e, E_USAGE,
			"put a proxy with TLS and a login in front of it, and name the "
			"host "
			"in web: {allowed_hosts: [...]} (docs/web.md)",
			"web: other machines can reach %s", where);
		close_fd(&s.fd);
		return cmd_fail(e);
	}
	rc = web_serve(app, &s, e);
	if (s.path)
		unlink(s.path);
	return rc ? cmd_fail(e) : EXIT_FINE;
}
