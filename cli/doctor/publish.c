/* Check of the dataset that history is published in. */
#include "base/time/civil.h"
#include "cli/config/config.h"
#include "cli/doctor/doctor.h"
#include "db/db.h"
#include "db_sql.h"
#include "gcp/bill/bq_load.h"

/* "; last published 5m ago" */
static const char *publish_last(struct doctor *d)
{
	struct q_source_state_in in = {.source = "publish", .project = ""};
	struct q_source_state row;
	char age[DURATION_BUF];
	struct err ignored;
	bool found;
	ts_t since;

	if (!d->has_db || q_source_state_one(d->app->db, &in, d->a, &row, &found, &ignored))
		return "";
	if (!found || !row.last_success.set)
		return "; nothing was published yet";
	since = clock_now(d->app->clock) - row.last_success.v;
	return arena_printf(d->a, "; last published %s ago",
		duration_format(since < 0 ? 0 : since, age));
}

/* "; 2 days are kept as another database published them (2026-11-18 to 2026-11-19)" */
static const char *publish_days_kept(struct doctor *d)
{
	char first[DATE_BUF], last[DATE_BUF];
	struct q_publish_kept row;
	struct err ignored;
	bool found;

	if (!d->has_db || q_publish_kept_one(d->app->db, NULL, &row, &found, &ignored) ||
		!row.days)
		return "";
	date_format((day_t)row.first.v, first);
	date_format((day_t)row.last.v, last);
	return row.days == 1
		? arena_printf(d->a,
			  "; 1 day is kept as another database published it (%s)", first)
		: arena_printf(d->a,
			  "; %lld days are kept as another database published them (%s to "
			  "%s)",
			  (long long)row.days, first, last);
}

void doctor_publish(struct doctor *d)
{
	static const char *const needed[] = {
		"bigquery.jobs.create", "bigquery.tables.updateData"};
	const char *project = d->app->cfg->publish.project;
	const char *dataset = d->app->cfg->publish.dataset;
	const struct identity *who = &d->reader;
	struct bq_dataset set;
	enum iam_has has[ARRAY_LEN(needed)];
	struct err e = {0};

	if (!dataset)
		return;
	if (d->app->cfg->enforcement.lease && !d->app->cfg->backup.to)
		doctor_add(d, DOCTOR_WARN,
			"there is a lease but no backup: after another machine takes over, "
			"days that were published before are not corrected, and the day of "
			"the change has a hole")
			->fix = doctor_edit(d, "backup: {to: gs://BUCKET/PREFIX}");
	if (bq_dataset_get(who->g, project, dataset, true, d->a, &set, &e) ||
		iam_test(who->g, project, needed, ARRAY_LEN(needed), has, &e)) {
		doctor_add_err(d, &e);
		return;
	}
	if (has[0] == IAM_NO)
		doctor_add(
			d, DOCTOR_FAIL, "%s cannot run load jobs: %s", who->name, needed[0])
			->fix = arena_printf(d->a,
			"gcloud projects add-iam-policy-binding %s --member=%s "
			"--role=roles/bigquery.jobUser",
			project, who->member);
	if (has[1] == IAM_YES || set.writes == BQ_WRITES)
		doctor_add(d, DOCTOR_OK, "%s can write to %s.%s in %s%s%s", who->name,
			project, dataset, set.location, publish_last(d),
			publish_days_kept(d));
	else if (set.writes == BQ_WRITES_UNKNOWN || who->person)
		doctor_add(d, DOCTOR_OK,
			"%s.%s in %s can be read; whether %s may write to it cannot be "
			"seen%s%s",
			project, dataset, set.location, who->name, publish_last(d),
			publish_days_kept(d));
	else
		doctor_add(d, DOCTOR_FAIL, "%s cannot write to %s.%s", who->name, project,
			dataset)
			->fix = bq_grant_writing(project, dataset, who->member, d->a);
	if (d->v[d->n - 1].status == DOCTOR_OK)
		doctor_unpolled_source(d, "publish");
}
