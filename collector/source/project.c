/* Which projects there are, where the configuration leaves it to Google. */
#include "collector/discover.h"

static enum err_code poll_projects(struct poll *p, struct err *e)
{
	return discover(p, p->settings->discovery, e);
}

const struct source source_project = {
	.name = "project",
	.group = "quotas",
	.doc = "the projects of a billing account, organization or folder",
	.scope = PER_DISCOVERY,
	.poll = poll_projects,
};
