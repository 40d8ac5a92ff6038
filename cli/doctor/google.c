/* Checks against Google: the account that reads, its permissions, the clock, the billing tables. */
#include "base/time/civil.h"
#include "base/str.h"
#include "base/url/url.h"
#include "cli/config/config.h"
#include "cli/doctor/doctor.h"
#include "cli/net/wire.h"
#include "collector/bill/read.h"
#include "collector/source/source.h"
#include "gcp/access/iam.h"
#include "gcp/bill/bigquery.h"
#include "gcp/gcp.h"
#include "reports/cause.h"

#include <stdlib.h>
#include <string.h>

#define SKEW_WARN 60         /* seconds */
#define BILL_OLD (36 * 3600) /* the export is loaded several times a day */

/* ---- account --------------------------------------------------------------------------------- */

void doctor_credentials(struct doctor *d)
{
	struct identity *r = &d->reader;

	if (config_only_files(d->app->cfg))
		doctor_add(d, DOCTOR_SKIP, "none are needed: only files are imported");
	else if (doctor_identify(d, d->app->cfg->credentials, NULL, r))
		doctor_add(
			d, DOCTOR_OK, "%s reads (%s): its token works", r->name, r->source);
}

/* ---- projects --------------------------------------------------------------------------------- */

/* Before the first poll, all other checks are of the projects that Google lists now. */
void doctor_search(struct doctor *d)
{
	const struct discovery *search = d->app->cfg->discovery;
	const char *const *found;
	struct finding *f;
	struct err e = {0};
	size_t n;

	if (!search || d->app->o.project)
		return;
	if (discoverable(d->reader.g, search, d->a, &found, &n, &e)) {
		f = doctor_add_err(d, &e);
		if (e.code == E_CONFIG || e.code == E_NOTFOUND)
			f->fix = doctor_edit(d, *f->fix ? f->fix : "check `projects:`");
		return;
	}
	doctor_add(d, DOCTOR_OK, "the search for projects works: %zu found", n);
	if (!d->n_projects) {
		d->projects = found;
		d->n_projects = n;
	}
}

/* ---- permissions ----------------------------------------------------------------------------- */

/* Commands that grant the smallest predefined roles with the missing permissions, each role once.
 * */
static const char *give_predefined(const struct doctor *d, const struct probe *p)
{
	const char **commands = arena_alloc(d->a, n_iam_uses * sizeof(*commands));
	const char **roles = arena_alloc(d->a, n_iam_uses * sizeof(*roles));
	size_t n = 0;

	for (size_t i = 0; i < n_iam_uses; i++) {
		const struct iam_use *u = &iam_uses[i];

		if (u->role != IAM_READER || !u->predefined ||
			!str_in(u->permission, p->missing, p->n_missing) ||
			str_in(u->predefined, roles, n))
			continue;
		roles[n] = u->predefined;
		commands[n++] = arena_printf(d->a,
			"gcloud projects add-iam-policy-binding %s --member=%s --role=%s",
			d->project, d->reader.member, u->predefined);
	}
	return doctor_join(d, commands, n, " && ");
}

static bool misses_much(const struct probe *p)
{
	for (size_t i = 0; i < n_iam_uses; i++)
		if (iam_uses[i].must && iam_uses[i].role == IAM_READER &&
			str_in(iam_uses[i].permission, p->missing, p->n_missing))
			return true;
	return false;
}

/* Permissions that acting needs are not in excess for the account that acts. */
static void google_leave_out(struct doctor *d, struct probe *p)
{
	size_t n, kept = 0;
	const char **acting = iam_actor_permissions(doctor_acting_roles(d), d->a, &n);

	for (size_t i = 0; i < p->n_excess; i++)
		if (!str_in(p->excess[i], acting, n))
			p->excess[kept++] = p->excess[i];
	p->n_excess = kept;
}

/* Takes the optional permissions from the missing ones. Returns them, or NULL: none is missing. */
static const char *google_take_more(struct doctor *d, struct probe *p)
{
	size_t n, kept = 0, n_lacks = 0;
	const char **more = iam_more_permissions(d->a, &n);
	const char **lacks = arena_alloc(d->a, (n + 1) * sizeof(*lacks));

	for (size_t i = 0; i < p->n_missing; i++)
		if (str_in(p->missing[i], more, n))
			lacks[n_lacks++] = p->missing[i];
		else
			p->missing[kept++] = p->missing[i];
	p->n_missing = kept;
	return n_lacks ? doctor_join(d, lacks, n_lacks, ", ") : NULL;
}

/* Checks the account that reads. If it also acts, the permissions for acting are needed. */
void doctor_reading(struct doctor *d)
{
	unsigned roles = 1u << IAM_READER;
	struct probe p;
	size_t n, n_more;
	const char **needed = iam_role_permissions(IAM_READER, d->a, &n), *lacks;
	const char **more = iam_more_permissions(d->a, &n_more);

	for (size_t i = 0; i < n_more; i++)
		needed[n + i] = more[i];
	if (!doctor_probe(d, &d->reader, needed, n + n_more, &p))
		return;
	lacks = google_take_more(d, &p);
	if (p.n_missing) {
		doctor_add(d, misses_much(&p) ? DOCTOR_FAIL : DOCTOR_WARN, "%s cannot: %s",
			d->reader.name, doctor_join(d, p.missing, p.n_missing, ", "))
			->fix = give_predefined(d, &p);
	} else {
		d->can_read++;
		doctor_add(d, DOCTOR_OK, "%s can read what it needs%s%s", d->reader.name,
			lacks ? "; not Google's cost anomalies, which are optional: " : "",
			lacks ? lacks : "")
			->fix = lacks ? iam_give_more(d->project, d->a) : "";
	}
	if (d->one_account && doctor_may_act(d, d->project)) {
		roles |= doctor_acting_roles(d);
		google_leave_out(d, &p);
	}
	/* The login of a user may have more permissions everywhere: one report is enough. */
	if (p.n_excess && !(d->reader.person && d->said_excess))
		doctor_say_excess(d, &d->reader, &p, roles);
	d->said_excess = d->said_excess || p.n_excess;
}

/* ---- APIs ------------------------------------------------------------------------------------ */

static bool google_refused(enum err_code code)
{
	return code == E_DENIED || code == E_NOTFOUND;
}

/* A refusal does not show whether the API is enabled. doctor_reading() has the roles. */
static void google_say_refused(struct doctor *d, const struct api_test *v, size_t n)
{
	const char **names = arena_alloc(d->a, n * sizeof(*names)), *cause;
	const struct err *first = NULL;
	size_t refused = 0;

	for (size_t i = 0; i < n; i++) {
		if (!google_refused(v[i].code))
			continue;
		first = first ? first : &v[i].err;
		names[refused++] = v[i].service;
	}
	if (!refused)
		return;
	cause = cause_of(first->msg, d->a);
	if (refused < n)
		doctor_add(d, DOCTOR_SKIP, "whether %s %s enabled is unknown: %s",
			doctor_join(d, names, refused, ", "), refused == 1 ? "is" : "are",
			cause);
	else
		doctor_add(d, DOCTOR_WARN,
			"whether they are enabled is unknown; the project does not exist, "
			"or %s may not access it: %s",
			d->reader.name, cause)
			->fix = doctor_edit(d, "check the name in `projects:`");
}

/* Returns whether all APIs of the project replied. */
static bool google_say_apis(struct doctor *d, const struct api_test *v, size_t n)
{
	bool fine = true;

	google_say_refused(d, v, n);
	for (size_t i = 0; i < n; i++) {
		const struct err *e = &v[i].err;
		struct finding *f;

		if (!v[i].code)
			continue;
		fine = false;
		d->lacks_api = true;
		if (google_refused(v[i].code))
			continue;
		if (v[i].code != E_DISABLED) {
			f = doctor_add_err(d, e);
			f->cause = arena_printf(d->a, "%s%s",
				f->status == DOCTOR_SKIP ? "could not be checked: " : "",
				cause_of(e->msg, d->a));
			continue;
		}
		f = doctor_add(d, DOCTOR_WARN, "%s is not enabled: %s are unknown",
			v[i].service, v[i].missing);
		f->fix = arena_strdup(d->a, e->fix + (str_starts(e->fix, "run: ") ? 5 : 0));
	}
	return fine;
}

void doctor_apis(struct doctor *d)
{
	struct api_test *v;
	struct err e = {0};
	size_t n;

	if (apis_test(d->reader.g, d->projects, d->n_projects, clock_now(d->app->clock),
		    d->a, &v, &n, &e)) {
		d->lacks_api = true;
		doctor_add_err(d, &e);
		return;
	}
	for (size_t i = 0; i < d->n_projects; i++) {
		size_t each = n / d->n_projects;

		d->project = d->projects[i];
		if (google_say_apis(d, v + i * each, each))
			doctor_add(d, DOCTOR_OK, "the APIs are enabled");
	}
}

/* ---- the clock ------------------------------------------------------------------------------- */

void doctor_clock(struct doctor *d)
{
	const char *endpoint = d->app->cfg->endpoint_all;
	int64_t ahead, off;
	struct url u;

	if (endpoint && !url_parse(endpoint, &u, NULL) && url_is_loopback(&u)) {
		doctor_add(d, DOCTOR_SKIP,
			"Google is simulated on this machine, with the same clock");
		return;
	}
	if (gcp_clock_skew(d->reader.g, &ahead)) {
		doctor_add(d, DOCTOR_SKIP, "Google did not send a time");
		d->unasked = true;
		return;
	}
	off = llabs(ahead);
	doctor_add(d,
		off > GCP_CLOCK_OFF       ? DOCTOR_FAIL
			: off > SKEW_WARN ? DOCTOR_WARN
					  : DOCTOR_OK,
		"%lld seconds %s Google's", (long long)off,
		ahead < 0 ? "behind" : "ahead of")
		->fix = off > SKEW_WARN ? "sudo timedatectl set-ntp true" : "";
}

/* ---- billing --------------------------------------------------------------------------------- */

static bool google_open_table(
	struct doctor *d, struct billing_reading *r, struct bq_table *t)
{
	struct bq_name table;
	struct finding *f;
	struct err e = {0};

	if (!bq_name_parse(r->p->table->name, d->a, &table, &e) &&
		!billing_table_open(r, t, &e))
		return true;
	f = doctor_add_err(d, &e);
	if (e.code == E_DENIED)
		f->fix = arena_printf(d->a,
			"bq add-iam-policy-binding --member=%s "
			"--role=roles/bigquery.dataViewer %s:%s.%s",
			d->reader.member, table.project, table.dataset, table.table);
	return false;
}

/* An account that reads the properties of a table may lack the permission to query it. */
static bool google_can_query(struct doctor *d, struct billing_reading *r)
{
	int64_t bytes;
	struct err e = {0};

	if (!billing_dry_units(r, (day_t)(r->p->now / DAY_SECONDS) - 1, &bytes, &e))
		return true;
	err_wrap(&e, "%s exists, but a test of a query failed", r->table);
	doctor_add_err(d, &e);
	return false;
}

static void google_say_age(
	struct doctor *d, const char *name, const struct bq_table *t, const char *state)
{
	int64_t old = clock_now(d->app->clock) - t->modified_ms / 1000;
	char age[DURATION_BUF];

	doctor_add(d, old > BILL_OLD ? DOCTOR_WARN : DOCTOR_OK,
		"%s %s; Google wrote to it %s ago", name, state,
		duration_format(old < 0 ? 0 : old, age))
		->fix = old > BILL_OLD
		? "xdg-open https://console.cloud.google.com/billing/export"
		: "";
}

/* Returns false after adding a finding. */
static bool google_may_query(struct doctor *d, const char *name)
{
	static const char *const needed[] = {"bigquery.jobs.create"};
	enum iam_has has;
	struct bq_name table;
	struct finding *f;
	struct err e = {0};

	if (bq_name_parse(name, d->a, &table, &e))
		return false; /* google_open_table() has said it */
	if (iam_test(d->reader.g, table.project, needed, 1, &has, &e)) {
		doctor_add_err(d, &e)->project = arena_strdup(d->a, table.project);
		return false;
	}
	if (has != IAM_NO)
		return true;
	f = doctor_add(
		d, DOCTOR_FAIL, "%s cannot run queries: %s", d->reader.name, needed[0]);
	f->project = table.project;
	f->fix = arena_printf(d->a,
		"gcloud projects add-iam-policy-binding %s --member=%s "
		"--role=roles/bigquery.jobUser",
		table.project, d->reader.member);
	return false;
}

static void google_look_at_table(struct doctor *d, const struct collect_settings *s,
	const struct billing_export *table)
{
	struct poll p = {.settings = s,
		.table = table,
		.gcp = d->reader.g,
		.arena = d->a,
		.now = clock_now(d->app->clock)};
	struct billing_reading r = {.p = &p};
	struct bq_table t;
	bool opened = google_open_table(d, &r, &t);
	bool can_query = google_may_query(d, table->name) && opened &&
		google_can_query(d, &r);

	d->can_query += can_query;
	if (opened)
		google_say_age(d, table->name, &t, can_query ? "can be queried" : "exists");
}

/* There is no command for this: the export must be enabled in the console. */
static void say_no_export(struct doctor *d)
{
	const char *home = d->n_projects ? d->projects[0] : NULL;

	doctor_add(d, DOCTOR_WARN,
		"no billing export is configured: billed amounts are unknown. If there "
		"is one, tpucost init finds it. To enable it in the console: Billing "
		"export, BigQuery export, Detailed usage cost, Edit settings, data set "
		"%s:billing, Save; the first rows arrive within a day",
		home ? home : "PROJECT")
		->fix = home
		? arena_printf(d->a,
			  "bq --location=US mk --dataset %s:billing && xdg-open "
			  "https://console.cloud.google.com/billing/export # a day later: "
			  "tpucost init --overwrite",
			  home)
		: "tpucost init --overwrite";
}

void doctor_billing(struct doctor *d)
{
	struct collect_settings s = net_settings(d->app->cfg);

	if (!s.n_tables)
		say_no_export(d);
	for (size_t i = 0; d->reader.works && i < s.n_tables; i++)
		google_look_at_table(d, &s, &s.tables[i]);
}
