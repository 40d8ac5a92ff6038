/* What Google says: who reads, what that account may do, the clock, the billing tables. */
#include "base/civil.h"
#include "base/str.h"
#include "base/url.h"
#include "cli/config.h"
#include "cli/doctor.h"
#include "collector/source.h"
#include "gcp/bigquery.h"
#include "gcp/gcp.h"

#include <stdlib.h>
#include <string.h>

#define SKEW_WARN 60 /* seconds */
#define SKEW_FAIL 300
#define MAX_NAMED 10         /* permissions in one line */
#define LONG_LIST 64         /* columns of them in a command */
#define BILL_OLD (36 * 3600) /* the export is loaded several times a day */

/* ---- who ------------------------------------------------------------------------------------- */

bool doctor_identify(struct doctor *d, const char *credentials, const char *impersonate,
	struct identity *out)
{
	const struct config *cfg = d->app->cfg;
	struct gcp_opts o = {.endpoint_all = cfg->endpoint_all,
		.credentials = credentials,
		.impersonate = impersonate,
		.clock = d->app->clock,
		.http = d->http};
	struct iam_who who = {0};
	struct err e = {0};

	if (gcp_new(&o, &out->g, &e) || iam_token(out->g, &e) ||
		iam_whose(out->g, d->a, &who, &e)) {
		doctor_add_err(d, &e);
		return false;
	}
	out->works = true;
	out->person = !who.member;
	out->member = who.member ? who.member : DOCTOR_PERSON;
	out->name = who.member ? strchr(who.member, ':') + 1 : "your login";
	out->source = who.source;
	return true;
}

void doctor_credentials(struct doctor *d, const char *project)
{
	struct identity *r = &d->reader;

	(void)project;
	if (doctor_identify(d, d->app->cfg->credentials, NULL, r))
		doctor_add(
			d, DOCTOR_OK, "%s reads (%s): its token works", r->name, r->source);
}

/* ---- what they may do ------------------------------------------------------------------------ */

/* A list that is too long for a line of a terminal is put together before: returns "p=a,b && p=$p,c
 * && " and makes "$p" of it. */
static const char *gather(
	const struct doctor *d, const char *const *names, size_t n, const char **list)
{
	struct sbuf b = SBUF_INIT;
	size_t used = 0;
	const char *made;

	*list = doctor_join(d, names, n, ",");
	if (strlen(*list) <= LONG_LIST)
		return "";
	for (size_t i = 0; i < n; i++) {
		bool new_line = !i || used + 1 + strlen(names[i]) > LONG_LIST;

		if (new_line)
			used = 0;
		sbuf_addf(&b, "%s%s", !i ? "p=" : new_line ? " && p=$p," : ",", names[i]);
		used += strlen(names[i]) + 1;
	}
	sbuf_adds(&b, " && ");
	made = arena_strdup(d->a, b.s);
	sbuf_done(&b);
	*list = "$p";
	return made;
}

static const char *give_role(
	const struct doctor *d, const char *project, const char *member, enum iam_role role)
{
	size_t n;
	const char **permissions = iam_role_permissions(role, d->a, &n), *list;
	const char *before = gather(d, permissions, n, &list);
	const char *name = iam_role_name(role);

	return arena_printf(d->a,
		"%s(gcloud iam roles update %s --project=%s --permissions=%s || gcloud iam "
		"roles create %s --project=%s --permissions=%s) && gcloud projects "
		"add-iam-policy-binding %s --member=%s --role=projects/%s/roles/%s",
		before, name, project, list, name, project, list, project, member, project,
		name);
}

const char *doctor_give_roles(
	const struct doctor *d, const char *project, const char *member, unsigned roles)
{
	const char *commands[IAM_ROLES];
	size_t n = 0;

	for (int r = 0; r < IAM_ROLES; r++)
		if (roles & 1u << r)
			commands[n++] = give_role(d, project, member, (enum iam_role)r);
	return doctor_join(d, commands, n, " && ");
}

static bool is_in(const char *const *v, size_t n, const char *s)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(v[i], s))
			return true;
	return false;
}

bool doctor_probe(struct doctor *d, const struct identity *who, const char *project,
	const char *const *needed, size_t n, struct probe *out)
{
	size_t all = n + n_iam_powers;
	const char **asked = arena_alloc(d->a, all * sizeof(*asked));
	enum iam_has *has = arena_alloc(d->a, all * sizeof(*has));
	struct err e = {0};

	*out = (struct probe){.missing = arena_alloc(d->a, all * sizeof(*out->missing)),
		.excess = arena_alloc(d->a, all * sizeof(*out->excess))};
	for (size_t i = 0; i < all; i++)
		asked[i] = i < n ? needed[i] : iam_powers[i - n];
	if (iam_test(who->g, project, asked, all, has, &e)) {
		doctor_add_err(d, &e)->project = project;
		return false;
	}
	for (size_t i = 0; i < all; i++) {
		if (i < n && has[i] == IAM_NO)
			out->missing[out->n_missing++] = asked[i];
		else if (i >= n && has[i] == IAM_YES && !is_in(needed, n, asked[i]))
			out->excess[out->n_excess++] = asked[i];
	}
	return true;
}

/* The worst come first; the others are named by their number. */
static const char *say_powers(const struct doctor *d, const struct probe *p)
{
	const char *list;

	if (p->n_excess <= MAX_NAMED)
		return doctor_join(d, p->excess, p->n_excess, ", ");
	list = doctor_join(d, p->excess, MAX_NAMED, ", ");
	return arena_printf(d->a, "%s and %zu more", list, p->n_excess - MAX_NAMED);
}

static const char *name_roles(const struct doctor *d, unsigned roles)
{
	const char *names[IAM_ROLES];
	size_t n = 0;

	for (int r = 0; r < IAM_ROLES; r++)
		if (roles & 1u << r)
			names[n++] = iam_role_name((enum iam_role)r);
	return doctor_join(d, names, n, " and ");
}

/* Nobody is to lose roles of their own over this. */
static void advise_account(
	struct doctor *d, const char *project, unsigned roles, struct finding *f)
{
	const char *name = roles & 1u << IAM_READER ? "tpucost" : "tpucost-stopper";
	const char *member = arena_printf(
		d->a, "serviceAccount:%s@%s.iam.gserviceaccount.com", name, project);

	f->fix = arena_printf(d->a,
		"gcloud iam service-accounts create %s --project=%s && %s # then run with "
		"that account, see docs/iam.md",
		name, project, doctor_give_roles(d, project, member, roles));
}

void doctor_say_excess(struct doctor *d, const struct identity *who, const char *project,
	const struct probe *p, unsigned roles)
{
	struct finding *f = doctor_add(d, DOCTOR_WARN, "%s can also: %s; grant %s only %s",
		who->name, say_powers(d, p),
		who->person ? "an account of tpucost's own" : "it", name_roles(d, roles));

	f->project = project;
	if (who->person)
		advise_account(d, project, roles, f);
	else
		f->fix = arena_printf(d->a,
			"%s && gcloud projects get-iam-policy %s --flatten=bindings "
			"--filter=bindings.members:%s --format='value(bindings.role)' # "
			"then, for each other role: gcloud projects "
			"remove-iam-policy-binding %s --member=%s --role=ROLE",
			doctor_give_roles(d, project, who->member, roles), project,
			who->member, project, who->member);
}

/* Google's smallest roles that have what is missing, each once. */
static const char *give_predefined(
	const struct doctor *d, const char *project, const struct probe *p)
{
	const char **commands = arena_alloc(d->a, n_iam_uses * sizeof(*commands));
	const char **roles = arena_alloc(d->a, n_iam_uses * sizeof(*roles));
	size_t n = 0;

	for (size_t i = 0; i < n_iam_uses; i++) {
		const struct iam_use *u = &iam_uses[i];

		if (u->role != IAM_READER || !u->predefined ||
			!is_in(p->missing, p->n_missing, u->permission) ||
			is_in(roles, n, u->predefined))
			continue;
		roles[n] = u->predefined;
		commands[n++] = arena_printf(d->a,
			"gcloud projects add-iam-policy-binding %s --member=%s --role=%s",
			project, d->reader.member, u->predefined);
	}
	return doctor_join(d, commands, n, " && ");
}

static bool misses_much(const struct probe *p)
{
	for (size_t i = 0; i < n_iam_uses; i++)
		if (iam_uses[i].must && iam_uses[i].role == IAM_READER &&
			is_in(p->missing, p->n_missing, iam_uses[i].permission))
			return true;
	return false;
}

/* What acting needs is not too much for who acts. */
static void leave_out(struct doctor *d, struct probe *p, bool deletes)
{
	size_t n, kept = 0;
	const char **acting = iam_actor_permissions(deletes, d->a, &n);

	for (size_t i = 0; i < p->n_excess; i++)
		if (!is_in(acting, n, p->excess[i]))
			p->excess[kept++] = p->excess[i];
	p->n_excess = kept;
}

/* Of who reads. Where one account does both, acting belongs to what it needs. */
void doctor_reading(struct doctor *d, const char *project)
{
	bool acts = d->one_account && doctor_may_act(d, project);
	unsigned roles = 1u << IAM_READER;
	const char **needed;
	struct finding *f;
	struct probe p;
	size_t n;

	needed = iam_role_permissions(IAM_READER, d->a, &n);
	if (!doctor_probe(d, &d->reader, project, needed, n, &p))
		return;
	if (p.n_missing) {
		f = doctor_add(d, misses_much(&p) ? DOCTOR_FAIL : DOCTOR_WARN,
			"%s cannot: %s", d->reader.name,
			doctor_join(d, p.missing, p.n_missing, ", "));
		f->fix = give_predefined(d, project, &p);
	} else {
		d->can_read++;
		f = doctor_add(d, DOCTOR_OK, "%s can read what it needs", d->reader.name);
	}
	f->project = project;
	if (acts)
		roles |= doctor_acting_roles(d);
	if (acts)
		leave_out(d, &p, doctor_rules(d).deletes);
	/* People may do more everywhere; once is enough to say so. */
	if (p.n_excess && !(d->reader.person && d->said_excess))
		doctor_say_excess(d, &d->reader, project, &p, roles);
	d->said_excess = d->said_excess || p.n_excess;
}

/* ---- the clock ------------------------------------------------------------------------------- */

void doctor_clock(struct doctor *d, const char *project)
{
	const char *endpoint = d->app->cfg->endpoint_all;
	int64_t ahead, off;
	struct url u;

	(void)project;
	if (endpoint && !url_parse(endpoint, &u, NULL) && url_is_loopback(&u)) {
		doctor_add(d, DOCTOR_SKIP,
			"this machine plays Google, and has the same clock");
		return;
	}
	if (gcp_clock_skew(d->reader.g, &ahead)) {
		doctor_add(d, DOCTOR_SKIP, "Google did not say what time it is");
		d->unasked = true;
		return;
	}
	off = llabs(ahead);
	doctor_add(d,
		off > SKEW_FAIL           ? DOCTOR_FAIL
			: off > SKEW_WARN ? DOCTOR_WARN
					  : DOCTOR_OK,
		"%lld seconds %s Google's", (long long)off,
		ahead < 0 ? "behind" : "ahead of")
		->fix = off > SKEW_WARN ? "sudo timedatectl set-ntp true" : "";
}

/* ---- billing --------------------------------------------------------------------------------- */

static void look_at_table(struct doctor *d, const char *name)
{
	char age[DURATION_BUF];
	struct bq_name table;
	struct bq_table t;
	struct err e = {0};
	int64_t old;

	if (bq_name_parse(name, d->a, &table, &e) ||
		bq_table_get(d->reader.g, &table, d->a, &t, &e)) {
		struct finding *f = doctor_add_err(d, &e);

		if (e.code == E_DENIED)
			f->fix = arena_printf(d->a,
				"bq add-iam-policy-binding --member=%s "
				"--role=roles/bigquery.dataViewer %s:%s.%s",
				d->reader.member, table.project, table.dataset,
				table.table);
		return;
	}
	old = clock_now(d->app->clock) - t.modified_ms / 1000;
	doctor_add(d, old > BILL_OLD ? DOCTOR_WARN : DOCTOR_OK,
		"%s can be read; Google wrote to it %s ago", name,
		duration_format(old < 0 ? 0 : old, age))
		->fix = old > BILL_OLD
		? "xdg-open https://console.cloud.google.com/billing/export"
		: "";
}

static void look_at_jobs(struct doctor *d, const char *name)
{
	static const char *const needed[] = {"bigquery.jobs.create"};
	enum iam_has has;
	struct bq_name table;
	struct finding *f;
	struct err e = {0};

	if (bq_name_parse(name, d->a, &table, &e))
		return;
	if (iam_test(d->reader.g, table.project, needed, 1, &has, &e)) {
		doctor_add_err(d, &e)->project = arena_strdup(d->a, table.project);
		return;
	}
	if (has != IAM_NO)
		return;
	f = doctor_add(
		d, DOCTOR_FAIL, "%s cannot run queries: %s", d->reader.name, needed[0]);
	f->project = table.project;
	f->fix = arena_printf(d->a,
		"gcloud projects add-iam-policy-binding %s --member=%s "
		"--role=roles/bigquery.jobUser",
		table.project, d->reader.member);
}

/* No command switches it on: somebody has to, in the console. */
static void say_no_export(struct doctor *d)
{
	const char *home = d->n_projects ? d->projects[0] : NULL;

	doctor_add(d, DOCTOR_WARN,
		"no billing export is configured: what was billed is not known. If there "
		"is "
		"one, tpucost init finds it. To switch it on, in the console: Billing "
		"export, BigQuery export, Detailed usage cost, Edit settings, data set "
		"%s:billing, Save; its first rows come within a day",
		home ? home : "PROJECT")
		->fix = home ? arena_printf(d->a,
				       "bq --location=US mk --dataset %s:billing && "
				       "xdg-open "
				       "https://console.cloud.google.com/billing/export "
				       "# a day later: tpucost init --overwrite",
				       home)
			     : "tpucost init --overwrite";
}

void doctor_billing(struct doctor *d, const char *project)
{
	const struct config *cfg = d->app->cfg;

	(void)project;
	if (!cfg->n_billing_tables)
		say_no_export(d);
	for (size_t i = 0; d->reader.works && i < cfg->n_billing_tables; i++) {
		look_at_table(d, cfg->billing_tables[i].name);
		look_at_jobs(d, cfg->billing_tables[i].name);
	}
}
