#include "gcp/project.h"

#include "base/str.h"
#include "gcp/call.h"

#include <string.h>

#define SUFFIX "-compute@developer.gserviceaccount.com"
#define MAX_NUMBER 20 /* digits */

static const char *number_of(const struct cJSON *j, struct arena *a)
{
	const char *account = json_text(json_get(j, "defaultServiceAccount"), "");
	size_t digits = strspn(account, "0123456789");

	if (!digits || digits > MAX_NUMBER || !str_eq(account + digits, SUFFIX))
		return "";
	return arena_strndup(a, account, digits);
}

enum err_code gce_project_number(struct gcp *g, const char *project, struct arena *a,
	const char **number, struct err *e)
{
	struct gcp_call c;
	enum err_code rc;

	if (gcp_project_check(project, e))
		return e ? e->code : E_CONFIG;
	gcp_call_init(&c, g, GCP_COMPUTE, project, "get project");
	gcp_url(g, &c.url, GCP_COMPUTE, "/projects/{}", project, NULL);
	rc = gcp_call_do(&c, e);
	if (rc == E_OK) {
		const char *name = json_text(json_get(c.json, "name"), "");
		const char *n = number_of(c.json, a);

		if (str_eq(name, project) || str_eq(n, project))
			*number = n;
		else
			rc = err_set(e, E_DATA, "%s: asked for %.40s, got %.40s", c.what,
				project, name);
	}
	gcp_call_free(&c);
	return rc;
}
