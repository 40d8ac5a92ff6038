/* Levels of access that are reached, and the steps to the next one. */
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/doctor/doctor.h"
#include "db/db.h"
#include "db_sql.h"

#include <string.h>

#define LEVELS 5

/* Level of the view `access`; before the first poll, none is reached. */
struct level {
	const char *basis; /* or NULL */
	bool have, tried;
};

static const struct {
	const char *name;
	const char *why;   /* purpose */
	const char *apis;  /* that must be enabled in a project */
	const char *roles; /* the smallest predefined roles */
	const char *collect;
} levels[LEVELS] = {
	{.name = "files"},
	{"inventory", "to list machines, TPUs, disks and addresses and their coverage",
		"compute.googleapis.com tpu.googleapis.com "
		"cloudresourcemanager.googleapis.com",
		"roles/compute.viewer roles/tpu.viewer", "tpucost collect"},
	{"metrics", "to detect idle resources and network traffic",
		"monitoring.googleapis.com", "roles/monitoring.viewer",
		"tpucost collect metrics"},
	{"billing export", "for billed amounts: cost, credit and budgets", NULL, NULL,
		"tpucost collect billing"},
	{.name = "stop"},
};

/* The view counts all projects in the database, which may have some that are no longer configured. */
static void access_count_projects(struct doctor *d, struct level *v)
{
	size_t counts[LEVELS] = {0};
	struct q_access_projects q;
	struct db_rows rows;
	struct err e = {0};

	if (q_access_projects_open(d->app->db, &rows, &e)) {
		doctor_add_err(d, &e);
		return;
	}
	while (q_access_projects_next(&rows, &q))
		counts[q.level] += str_in(q.project, d->projects, d->n_projects);
	if (db_rows_close(&rows, &e))
		doctor_add_err(d, &e);
	for (int i = 1; i < 3; i++) {
		v[i].have = counts[i] > 0;
		v[i].basis = arena_printf(
			d->a, "%zu of %zu projects", counts[i], d->n_projects);
	}
}

static void access_read_levels(struct doctor *d, struct level *v)
{
	struct q_access_levels q;
	struct db_rows rows;
	struct err e = {0};

	v[4].have = d->app->cfg->enforcement.made.mode == ENFORCE_ARMED;
	if (!d->has_db)
		return;
	if (q_access_levels_open(d->app->db, &rows, &e)) {
		doctor_add_err(d, &e);
		return;
	}
	while (q_access_levels_next(&rows, &q)) {
		if (q.level < 0 || q.level >= LEVELS)
			continue;
		v[q.level].have = q.have;
		v[q.level].tried = str_eq(q.fix, "tpucost doctor");
		v[q.level].basis = q.basis ? arena_strdup(d->a, q.basis) : NULL;
	}
	if (db_rows_close(&rows, &e))
		doctor_add_err(d, &e);
	access_count_projects(d, v);
}

/* Commands that enable the APIs and grant the roles in each project; the last one polls with
 * them. */
static const char *commands(const struct doctor *d, int level)
{
	const char *member = d->reader.member ? d->reader.member : DOCTOR_PERSON;
	const char *project = d->n_projects == 1 ? d->projects[0] : "$project";
	const char *collect = levels[level].collect, *each;
	char *roles, *role;

	if (!levels[level].apis)
		return collect;
	each = arena_printf(d->a, "gcloud services enable %s --project=%s",
		levels[level].apis, project);
	roles = arena_strdup(d->a, levels[level].roles);
	while ((role = strsep(&roles, " ")))
		each = arena_printf(d->a,
			"%s && gcloud projects add-iam-policy-binding %s --member=%s "
			"--role=%s",
			each, project, member, role);
	if (d->n_projects == 1)
		return arena_printf(d->a, "%s && %s", each, collect);
	return doctor_each_project(
		d, d->projects, d->n_projects, each, arena_printf(d->a, " && %s", collect));
}

static void access_say_next(struct doctor *d, const struct level *v, int next)
{
	if (next == 4) {
		doctor_add(d, DOCTOR_OK,
			"next: stop: nothing is stopped unless enforcement is armed; the "
			"steps: docs/enforce.md");
	} else if (next == 3 && !d->app->cfg->n_billing_tables) {
		doctor_add(d, DOCTOR_OK, "next: billing export, %s; see 'billing' above",
			levels[3].why);
	} else if (next == 3 && v[3].tried) {
		doctor_add(d, DOCTOR_WARN,
			"next: billing export, %s; its table is configured but could not "
			"be read: see '%s' above",
			levels[3].why,
			d->can_query < d->app->cfg->n_billing_tables ? "billing"
								     : "sources")
			->fix = levels[3].collect;
	} else if (next == 1 && d->can_read == d->n_projects) {
		/* It was tested just now and works: it only needs a poll. */
		doctor_add(d, DOCTOR_WARN, "next: %s, %s", levels[1].name, levels[1].why)
			->fix = levels[1].collect;
	} else {
		doctor_add(
			d, DOCTOR_WARN, "next: %s, %s", levels[next].name, levels[next].why)
			->fix = commands(d, next);
	}
}

void doctor_access(struct doctor *d)
{
	bool search = d->app->cfg->discovery != NULL;
	struct level v[LEVELS] = {0};
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	int next = 0;

	/* Earlier polls do not show what the account can read now. */
	if (((d->n_projects || search) && !d->reader.works) || !(d->has_db || d->new_db)) {
		doctor_add(d, DOCTOR_SKIP, "not checked: see the problems above");
		return;
	}
	access_read_levels(d, v);
	for (int i = 0; i < LEVELS; i++)
		if (v[i].have)
			sbuf_addf(&b, "%s%s%s%s%s", b.len ? ", " : "", levels[i].name,
				v[i].basis ? " (" : "", v[i].basis ? v[i].basis : "",
				v[i].basis ? ")" : "");
	doctor_add(d, DOCTOR_OK, "reached%s: %s",
		b.len && (d->can_read < d->n_projects || d->lacks_api) ? " by earlier polls"
								       : "",
		b.len ? b.s : "files only: imported data can be queried");
	/* Files are for users without access; they do not lead to another level. */
	for (int i = LEVELS - 1; i > 0; i--)
		if (!v[i].have)
			next = i;
	if (next && d->n_projects)
		access_say_next(d, v, next);
	else if (next && search)
		doctor_add(d, DOCTOR_WARN,
			"next: inventory, %s; no project was found: see 'reading' above",
			levels[1].why);
	else if (next)
		doctor_add(d, DOCTOR_OK,
			"next: inventory, %s: list your project under projects:",
			levels[1].why);
}
