/* Enforcement checks: what is armed, the account that acts, and its permissions. */
#include "base/str.h"
#include "base/url/url.h"
#include "cli/config/config.h"
#include "cli/doctor/doctor.h"
#include "db/db.h"
#include "db_sql.h"
#include "gcp/auth/auth.h"
#include "gcp/storage.h"
#include "rules/act/leader.h"
#include "rules/enforce/enforce.h"
#include "rules/enforce/generation.h"
#include "rules/enforce/halt.h"

#include <string.h>

#define ACCOUNT "tpucost-stopper"

static bool is_armed(const struct doctor *d)
{
	return d->app->cfg->enforcement.made.mode == ENFORCE_ARMED;
}

static bool actor_is_off(const struct doctor *d)
{
	return d->app->cfg->enforcement.made.mode == ENFORCE_OFF;
}

struct doctor_rules doctor_rules(const struct doctor *d)
{
	const struct settings *s = &d->app->cfg->settings;
	const char **acting = arena_alloc(d->a, (s->n_rules + 1) * sizeof(*acting));
	const char **armed = arena_alloc(d->a, (s->n_rules + 1) * sizeof(*armed));
	struct doctor_rules out = {0};

	for (size_t i = 0; i < s->n_rules; i++) {
		const struct rule *r = &s->rules[i];
		const struct rule_action *deletes = enforce_step(r, VERB_DELETE);
		enum verb verb;

		if (!enforce_acts(r, &verb))
			continue;
		acting[out.acting++] = r->name;
		if (r->then.armed)
			armed[out.armed++] = r->name;
		out.deletes = out.deletes || (deletes && deletes->allow_delete);
	}
	out.deletes = out.deletes && d->app->cfg->enforcement.made.allow_delete;
	out.names = out.armed ? doctor_join(d, armed, out.armed, ", ")
			      : doctor_join(d, acting, out.acting, ", ");
	return out;
}

/* Number of a project, "" if it is unknown. */
static const char *actor_number_of(const struct doctor *d, const char *project)
{
	struct q_project_number_in in = {.project = project};
	struct q_project_number row;
	struct err e = {0};
	bool found;

	if (!d->has_db || q_project_number_one(d->app->db, &in, d->a, &row, &found, &e) ||
		!found)
		return "";
	return row.number;
}

/* Projects where actions are allowed can be named by number. */
static bool actor_is_project(const struct doctor *d, const char *named, const char *id)
{
	return str_eq(named, id) || str_eq(named, actor_number_of(d, id));
}

bool doctor_may_act(const struct doctor *d, const char *project)
{
	const struct enforcement *en = &d->app->cfg->enforcement.made;

	for (size_t i = 0; !actor_is_off(d) && i < en->n_projects; i++)
		if (actor_is_project(d, en->projects[i], project))
			return true;
	return false;
}

/* ---- mode and rules ---------------------------------------------------------------------------- */

static void say_mode(struct doctor *d)
{
	struct doctor_rules r = doctor_rules(d);

	if (actor_is_off(d))
		doctor_add(d, DOCTOR_OK, "off: nothing is planned or stopped");
	else if (!is_armed(d))
		doctor_add(d, DOCTOR_OK,
			"dry-run: nothing is stopped; %zu rule%s would act%s%s", r.acting,
			r.acting == 1 ? "" : "s", r.acting ? ": " : "", r.names);
	else if (r.armed)
		doctor_add(d, DOCTOR_OK, "armed in %s: %s",
			doctor_join(d, d->app->cfg->enforcement.made.projects,
				d->app->cfg->enforcement.made.n_projects, ", "),
			r.names);
	else
		doctor_add(d, DOCTOR_WARN,
			"mode is armed, but no rule is armed: nothing is stopped")
			->fix = doctor_edit(
			d, "set armed: true in a rule, see docs/enforce.md");
}

static bool actor_is_watched(const struct doctor *d, const char *project)
{
	for (size_t i = 0; i < d->n_projects; i++)
		if (actor_is_project(d, project, d->projects[i]))
			return true;
	return false;
}

/* Reports disarmed rules with their current definition: changing a rule arms it again. */
static void say_disarmed(
	struct doctor *d, const struct rule *r, enum verb verb, const char *project)
{
	struct q_disarmed_get_in in = {.rule = r->name,
		.policy = enforce_policy(r, verb, d->a),
		.project = project};
	struct q_disarmed_get row;
	struct finding *f;
	struct err e = {0};
	bool found;

	if (q_disarmed_get_one(d->app->db, &in, d->a, &row, &found, &e)) {
		doctor_add_err(d, &e);
		return;
	}
	if (!found)
		return;
	f = doctor_add(d, DOCTOR_WARN, "%s is disarmed: %s", r->name, row.reason);
	f->project = project;
	f->fix = "tpucost enforce resume";
}

static void look_for_disarmed(struct doctor *d)
{
	const struct settings *s = &d->app->cfg->settings;
	static const enum verb verbs[] = {VERB_STOP, VERB_DELETE};
	enum verb first;

	for (size_t i = 0; d->has_db && i < s->n_rules; i++)
		for (size_t v = 0; v < ARRAY_LEN(verbs); v++)
			for (size_t k = 0; enforce_acts(&s->rules[i], &first) &&
				enforce_step(&s->rules[i], verbs[v]) && k < d->n_projects;
				k++)
				say_disarmed(d, &s->rules[i], verbs[v], d->projects[k]);
}

static void look_for_restore(struct doctor *d)
{
	struct generation_look look;
	struct err e = {0};

	if (!d->has_db)
		return;
	if (generation_look(d->app->db, &d->app->cfg->settings, NULL, d->a, &look, &e))
		doctor_add_err(d, &e);
	else if (look.why)
		doctor_add(d, DOCTOR_WARN,
			"not armed: actions are blocked for this database: %s", look.why)
			->fix = "tpucost enforce resume";
}

void doctor_enforcement(struct doctor *d)
{
	const struct enforcement *en = &d->app->cfg->enforcement.made;
	struct finding *f;

	say_mode(d);
	look_for_restore(d);
	look_for_disarmed(d);
	/* With --project, or before the first search, it is not known whether other projects
	 * exist. */
	for (size_t i = 0; !d->app->o.project && d->n_projects && i < en->n_projects; i++) {
		if (actor_is_watched(d, en->projects[i]))
			continue;
		f = doctor_add(d, DOCTOR_WARN,
			"actions are allowed here, but this project is not watched");
		f->project = en->projects[i];
		f->fix = doctor_edit(
			d, "add it to projects:, or remove it from enforcement:");
	}
}

void doctor_halt(struct doctor *d)
{
	const char *path;

	if (halt_found(&d->app->cfg->enforcement.made, d->app->db, d->a, &path))
		doctor_add(d, DOCTOR_WARN,
			"%s exists, or cannot be checked: nothing is stopped", path)
			->fix = "tpucost enforce resume";
	else
		doctor_add(d, DOCTOR_OK,
			"not halted; to stop all enforcement: tpucost enforce halt");
}

/* ---- the account that acts --------------------------------------------------------------------- */

static void say_same(struct doctor *d)
{
	const struct enforcement *en = &d->app->cfg->enforcement.made;
	const char *home = en->n_projects ? en->projects[0]
		: d->app->cfg->projects.n ? d->app->cfg->projects.v[0]
					  : "PROJECT";
	const char *name = d->reader.works ? d->reader.name : "one account";
	struct finding *f;

	/* only shortly before arming is this worth a warning */
	if (!is_armed(d) &&
		(actor_is_off(d) || !en->n_projects || !doctor_rules(d).acting)) {
		doctor_add(d, DOCTOR_OK,
			"no action is taken yet; %s would both read and act: see "
			"docs/iam.md",
			name);
		return;
	}
	f = doctor_add(d, DOCTOR_WARN,
		"%s reads and acts: anyone with its key can stop machines", name);
	f->fix = arena_printf(d->a,
		"gcloud iam service-accounts create " ACCOUNT
		" --project=%s && gcloud iam service-accounts "
		"add-iam-policy-binding " ACCOUNT
		"@%s.iam.gserviceaccount.com --project=%s --member=%s "
		"--role=roles/iam.serviceAccountTokenCreator # then enforcement: "
		"{impersonate: " ACCOUNT "@%s.iam.gserviceaccount.com}",
		home, home, home,
		d->reader.works ? d->reader.member : "serviceAccount:READER", home);
}

void doctor_actor(struct doctor *d)
{
	const struct enforcement_config *en = &d->app->cfg->enforcement;
	const char *reader = d->app->cfg->credentials;

	d->one_account = true;
	d->actor = d->reader;
	if (actor_is_off(d))
		return;
	if (!en->impersonate && (!en->credentials || str_eq(en->credentials, reader))) {
		say_same(d);
		return;
	}
	d->actor = (struct identity){0};
	d->one_account = false;
	if (!doctor_identify(d, en->credentials ? en->credentials : reader, en->impersonate,
		    &d->actor))
		return;
	d->one_account = d->reader.works && str_eq(d->actor.member, d->reader.member);
	if (d->one_account)
		say_same(d);
	else
		doctor_add(d, DOCTOR_OK, "%s acts (%s): its token works", d->actor.name,
			d->actor.source);
}

/* ---- permissions ------------------------------------------------------------------------------- */

unsigned doctor_acting_roles(const struct doctor *d)
{
	unsigned roles = 1u << IAM_STOPPER;

	if (doctor_rules(d).deletes)
		roles |= 1u << IAM_DELETER |
			(d->app->cfg->enforcement.made.gke ? 1u << IAM_SCALER : 0);
	return roles;
}

static void look_at_project(struct doctor *d)
{
	bool deletes = doctor_rules(d).deletes;
	struct probe p;
	size_t n;
	const char **needed = iam_actor_permissions(doctor_acting_roles(d), d->a, &n);

	if (!doctor_probe(d, &d->actor, needed, n, &p))
		return;
	if (p.n_missing)
		doctor_add(d, is_armed(d) ? DOCTOR_FAIL : DOCTOR_WARN, "%s cannot: %s",
			d->actor.name, doctor_join(d, p.missing, p.n_missing, ", "))
			->fix = doctor_give_roles(
			d, d->project, d->actor.member, doctor_acting_roles(d));
	else
		doctor_add(d, DOCTOR_OK, "%s can %s all resources of the rules",
			d->actor.name, deletes ? "stop and delete" : "stop");
	/* With one account for both, doctor_reading() reports it. */
	if (p.n_excess && !d->one_account)
		doctor_say_excess(d, &d->actor, &p, doctor_acting_roles(d));
}

void doctor_acting(struct doctor *d)
{
	const struct enforcement *en = &d->app->cfg->enforcement.made;

	for (size_t i = 0; !actor_is_off(d) && d->actor.works && i < en->n_projects; i++) {
		d->project = en->projects[i];
		if (!d->app->o.project ||
			actor_is_project(d, d->project, d->app->o.project))
			look_at_project(d);
	}
}

/* ---- lease and backup -------------------------------------------------------------------------- */

static void look_at_lease(struct doctor *d, const struct gcs_object *o, const char *url)
{
	struct lease is;
	struct err e = {0};
	const char *text;
	int64_t generation;

	switch (gcs_read(d->reader.g, o, LEASE_MAX, d->a, &text, &generation, &e)) {
	case E_OK:
		if (lease_parse(text, strlen(text), d->a, &is, &e))
			break;
		doctor_add(d, DOCTOR_OK, "%s can use the lease %s; %s holds it",
			d->reader.name, url, *is.host ? is.host : "no machine");
		return;
	case E_NOTFOUND:
		doctor_add(d, DOCTOR_OK, "%s can use the lease %s; no machine has held it",
			d->reader.name, url);
		return;
	default:
		break;
	}
	if (e.code == E_DATA || e.code == E_LIMIT) {
		lease_refuse(&e);
		e.code = E_DATA; /* it is too long: not a check that could not be made */
	}
	err_wrap(&e, "lease %s", url);
	doctor_add_err(d, &e);
}

static void look_at_bucket(struct doctor *d, const char *url, bool is_lease)
{
	const char *what = is_lease ? "lease" : "backup";
	static const char *const needed[] = {"storage.objects.get", "storage.objects.list",
		"storage.objects.create", "storage.objects.delete"};
	const char *missing[ARRAY_LEN(needed)];
	struct gcs_object o;
	bool has[ARRAY_LEN(needed)];
	struct err e = {0};
	size_t n = 0;

	if (!url || !url_of_object(url, d->a, &o.bucket, &o.name))
		return;
	if (gcs_test(d->reader.g, o.bucket, needed, ARRAY_LEN(needed), has, &e)) {
		err_wrap(&e, "%s %s", what, url);
		doctor_add_err(d, &e);
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(needed); i++)
		if (!has[i])
			missing[n++] = needed[i];
	if (n)
		doctor_add(d, DOCTOR_FAIL, "%s cannot use the %s %s: %s", d->reader.name,
			what, url, doctor_join(d, missing, n, ", "))
			->fix = arena_printf(d->a,
			"gcloud storage buckets add-iam-policy-binding gs://%s --member=%s "
			"--role=roles/storage.objectUser",
			o.bucket, d->reader.member);
	else if (is_lease)
		look_at_lease(d, &o, url);
	else
		doctor_add(d, DOCTOR_OK, "%s can use the %s %s", d->reader.name, what, url);
	if (d->v[d->n - 1].status == DOCTOR_OK)
		doctor_unpolled_source(d, what);
}

void doctor_lease(struct doctor *d)
{
	const struct config *cfg = d->app->cfg;

	look_at_bucket(d, cfg->enforcement.lease, true);
	look_at_bucket(d, cfg->backup.to, false);
	if (cfg->enforcement.lease && !cfg->backup.to)
		doctor_add(d, DOCTOR_WARN,
			"there is a lease but no backup: after another machine takes over, "
			"holds are missing and all actions start over")
			->fix = doctor_edit(d, "backup: {to: gs://BUCKET/PREFIX}");
}

/* ---- own machine ------------------------------------------------------------------------------- */

void doctor_own_host(struct doctor *d)
{
	struct db_cursor c;
	struct err e = {0};
	bool more;

	if (actor_is_off(d) || !doctor_may_act(d, d->project))
		return;
	if (db_cursor_open(d->app->db,
		    "SELECT name, uid FROM resources WHERE kind = 'vm' AND project = "
		    ":project AND state = 'running' ORDER BY id",
		    DOCTOR_QUERY_MS, &c, &e)) {
		doctor_add_err(d, &e);
		return;
	}
	db_cursor_bind(&c, ":project", d->project);
	while (!db_cursor_step(&c, &more, &e) && more) {
		/* its addresses are not stored: it is found by name and number */
		const struct own_host_ask q = {
			.name = db_cursor_text(&c, 0), .uid = db_cursor_text(&c, 1)};

		if (gcp_own_host(d->reader.g, &q))
			doctor_add(d, DOCTOR_OK, "tpucost runs on %s, which it never stops",
				q.name);
	}
	db_cursor_close(&c);
	if (e.code)
		doctor_add_err(d, &e);
}
