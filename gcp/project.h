/* Compute Engine v1: the project itself. Compute REST reference, projects: get. Needs
 * compute.projects.get. */
#ifndef TPUCOST_GCP_PROJECT_H
#define TPUCOST_GCP_PROJECT_H

#include "gcp/gcp.h"

/* Is the project there for these credentials, and what is its number? Google's `id` of it is not
 * that: the number is in the name of its default service account. "" where that does not tell.
 * Arena. E_DATA when Google answers about another project. */
enum err_code gce_project_number(struct gcp *g, const char *project, struct arena *a,
	const char **number, struct err *e) must_check;

#endif
