/* Search for settings at Google and on this machine. No error is fatal: what cannot be determined
 * is reported and omitted. */
#include "base/str.h"
#include "cli/config/internal.h"
#include "cli/paste/paste.h"
#include "cli/init/init.h"
#include "gcp/bill/bigquery.h"
#include "gcp/bill/billing.h"
#include "gcp/access/find.h"
#include "gcp/gcp.h"
#include "gcp/access/iam.h"
#include "gcp/auth/auth.h"
#include "reports/cause.h"

#include <string.h>

#define RETRY_MS 5000 /* a user is waiting */
#define ATTEMPTS 2
#define ANSWER_MS 10000 /* for each of them */
#define MAX_ASKED 50    /* projects that are queried */
#define MAX_TABLES 20   /* tables of the export that are queried */
#define MAX_WATCHED 10  /* projects that were not chosen one by one */

struct finding_out {
	struct app *app;
	struct arena *a;
	struct init_found *f;
	struct http *http;
	struct gcp *g; /* NULL: no credentials */
	struct iam_who who;
	struct gcloud_config gcloud;
	const char *mail; /* project that the mail names; or NULL */
	struct found_projects seen;
	size_t cap_projects, cap_tables;
	size_t watched;
	struct unlisted {
		const char *why,
			*names; /* projects and datasets that could not be listed */
	} * unlisted;
	size_t n_unlisted, cap_unlisted;
};

/* ---- credentials ----------------------------------------------------------------------------- */

static enum err_code ask_token(struct finding_out *x, struct err *e)
{
	struct http_opts http = {.user_agent = "tpucost/" TPUCOST_VERSION " (gzip)",
		.clock = x->app->clock,
		.max_attempts = ATTEMPTS,
		.total_timeout_ms = ANSWER_MS,
		.retry_budget_ms = RETRY_MS};
	struct gcp_opts o = {.endpoint_all = x->f->endpoint,
		.credentials = x->f->key,
		.clock = x->app->clock};

	if (http_new(&http, &x->http, e))
		return e->code;
	o.http = x->http;
	if (gcp_new(&o, &x->g, e))
		return e->code;
	return iam_token(x->g, e) ? e->code : iam_whose(x->g, x->a, &x->who, e);
}

/* Returns false if no credentials work. */
static bool find_credentials(struct finding_out *x)
{
	const char *account = x->gcloud.account;
	struct err e = {0};

	if (ask_token(x, &e)) {
		say_unless_quiet("credentials: %s%s%s", e.msg, *e.fix ? "; " : "", e.fix);
		x->f->unreached = e.code == E_NET;
		return false;
	}
	if (x->who.member)
		account = strchr(x->who.member, ':') + 1;
	say_unless_quiet("credentials: %s%s%s%s work", account ? account : "",
		account ? " (" : "", x->who.source, account ? ")" : "");
	return true;
}

/* ---- projects -------------------------------------------------------------------------------- */

static struct init_project *project_at(const struct finding_out *x, const char *id)
{
	for (size_t i = 0; i < x->f->n_projects; i++)
		if (str_eq(x->f->projects[i].id, id))
			return &x->f->projects[i];
	return NULL;
}

static struct init_project *finding_add_project(struct finding_out *x, const char *id)
{
	struct init_project *p = project_at(x, id);

	if (p)
		return p;
	p = arena_append(x->a, x->f->projects, x->f->n_projects, x->cap_projects);
	*p = (struct init_project){.id = id, .account = ""};
	return p;
}

static void watch(struct finding_out *x, const char *id, const char *why)
{
	struct init_project *p = finding_add_project(x, id);

	if (p->why)
		return;
	p->why = why;
	x->watched++;
}

/* The mail can name the project by its number. */
static const char *mail_project(const struct finding_out *x)
{
	if (x->mail && config_project_valid(x->mail))
		return x->mail;
	for (size_t i = 0; x->mail && i < x->seen.n; i++)
		if (str_eq(x->seen.v[i].number, x->mail))
			return x->seen.v[i].project_id;
	return NULL;
}

/* Watches one project: that of the first source that names one. Reports the others. */
static void watch_named(struct finding_out *x)
{
	const struct {
		const char *id, *why;
	} named[] = {
		{x->gcloud.project, "gcloud's own project"},
		{x->who.quota_project, "the quota project of the credentials"},
		{x->who.project, "the project of the key"},
		{x->who.metadata ? gcp_own_project(x->g, x->a) : NULL,
			"the project of this machine"},
	};
	const char *mail = mail_project(x);
	bool chosen = false;

	if (mail)
		watch(x, mail, "the project of the grant");
	for (size_t i = 0; i < ARRAY_LEN(named); i++) {
		if (!named[i].id || !config_project_valid(named[i].id))
			continue;
		if (!chosen)
			watch(x, named[i].id, named[i].why);
		else
			finding_add_project(x, named[i].id);
		chosen = true;
	}
}

static void search_projects(struct finding_out *x)
{
	struct err e = {0};

	if (gcp_listing_start(
		    &find_project_listing, x->g, NULL, NULL, x->a, &x->seen.r, &e) ||
		gcp_run(x->g, &e) || x->seen.r.code)
		x->seen.n = 0;
}

/* Finds the billing account of each project, and its currency. */
static void find_accounts(struct finding_out *x)
{
	size_t n = x->f->n_projects < MAX_ASKED ? x->f->n_projects : MAX_ASKED;
	struct billing_info *info = arena_alloc(x->a, (n + 1) * sizeof(*info));
	struct billing_account account;
	struct err e = {0};

	for (size_t i = 0; i < n; i++)
		if (gcp_listing_start(&billing_info_listing, x->g, x->f->projects[i].id,
			    NULL, x->a, &info[i].r, &e))
			info[i].r.code = e.code;
	if (gcp_run(x->g, &e))
		return;
	for (size_t i = 0; i < n; i++)
		if (!info[i].r.code && info[i].account)
			x->f->projects[i].account = info[i].account;
	if (!x->f->whole_account && (!x->watched || !*x->f->projects[0].account))
		return;
	if (!x->f->whole_account)
		x->f->account = x->f->projects[0].account;
	if (!billing_account(x->g, x->f->account, x->a, &account, &e) && *account.currency)
		x->f->currency = account.currency;
}

static bool is_more(const struct finding_out *x, const struct init_project *p, bool any)
{
	return p->seen && !p->why && (any || str_eq(p->account, x->f->account));
}

/* Watches more projects if none was named. `any`: all that the credentials can see; else those with
 * the same billing account, as they are on the same bill. */
static void watch_more(struct finding_out *x, bool any)
{
	size_t more = 0;

	for (size_t i = 0; i < x->f->n_projects; i++)
		more += is_more(x, &x->f->projects[i], any);
	if (more + x->watched > MAX_WATCHED) {
		say_unless_quiet(
			"project: %zu more could be watched; list those that you need, or "
			"see `projects: {billing_account: ...}` in README.md",
			more);
		return;
	}
	for (size_t i = 0; i < x->f->n_projects; i++)
		if (is_more(x, &x->f->projects[i], any))
			watch(x, x->f->projects[i].id,
				any ? "the credentials can see it"
				    : "paid by the same billing account");
}

/* Puts watched projects first, in the order in which they were found. */
static void sort_projects(struct finding_out *x)
{
	struct init_project *v = arena_alloc(x->a, (x->f->n_projects + 1) * sizeof(*v));
	size_t n = 0;

	for (int unwatched = 0; unwatched < 2; unwatched++)
		for (size_t i = 0; i < x->f->n_projects; i++)
			if ((x->f->projects[i].why == NULL) == (unwatched == 1))
				v[n++] = x->f->projects[i];
	x->f->projects = v;
}

static void say_projects(struct finding_out *x)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	size_t others = 0;

	for (size_t i = 0; i < x->f->n_projects; i++) {
		const struct init_project *p = &x->f->projects[i];

		if (p->why)
			sbuf_addf(&b, "%s%s (%s%s)", i ? ", " : "", p->id, p->why,
				x->seen.n && !p->seen ? "; the credentials cannot see it"
						      : "");
		else if (others++ < MAX_WATCHED)
			sbuf_addf(&b, "%s%s",
				others == 1 ? (x->watched ? "; not watched: "
							  : "none was chosen of: ")
					    : ", ",
				p->id);
	}
	if (others > MAX_WATCHED)
		sbuf_addf(&b, " and %zu more", others - MAX_WATCHED);
	if (b.len)
		say_unless_quiet("project: %s", b.s);
	else
		say_unless_quiet(
			"project: none was found; give --project ID, or list it in the "
			"file");
}

/* Each poll finds its projects; those that the credentials can see show now whether it is right. */
static void say_account(struct finding_out *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->f->n_projects; i++)
		n += str_eq(x->f->projects[i].account, x->f->account);
	if (x->g && x->f->n_projects <= MAX_ASKED)
		say_unless_quiet(
			"project: all that billing account %s pays for; the credentials "
			"can "
			"see %zu of them",
			x->f->account, n);
	else
		say_unless_quiet(
			"project: all that billing account %s pays for", x->f->account);
}

/* Project of the mail, if it is watched. */
static const char *finding_granted(const struct finding_out *x)
{
	const char *id = mail_project(x);
	const struct init_project *p = id ? project_at(x, id) : NULL;

	if (x->f->whole_account && p && !str_eq(p->account, x->f->account))
		return NULL;
	return p && p->why ? p->id : NULL;
}

static void finding_find_projects(struct finding_out *x)
{
	char *given = arena_strdup(x->a, x->app->o.project), *id;

	if (x->g)
		search_projects(x);
	while ((id = strsep(&given, ",")))
		watch(x, id, "--project");
	if (!x->app->o.project)
		watch_named(x);
	x->f->account = x->app->o.billing_account;
	x->f->whole_account = x->f->account != NULL;
	for (size_t i = 0; i < x->seen.n; i++)
		if (x->seen.v[i].active)
			finding_add_project(x, x->seen.v[i].project_id)->seen = true;
	if (!x->watched && !x->f->whole_account)
		watch_more(x, true);
	sort_projects(x);
	if (x->g)
		find_accounts(x);
	if (!x->app->o.project && !x->f->whole_account)
		watch_more(x, false);
	sort_projects(x);
	if (x->f->whole_account)
		say_account(x);
	else
		say_projects(x);
	if (x->f->account)
		say_unless_quiet("billing account: %s%s%s", x->f->account,
			x->f->currency ? ", its currency is " : "",
			x->f->currency ? x->f->currency : "");
}

/* ---- the billing export ---------------------------------------------------------------------- */

/* A dataset whose tables are listed. */
struct looked {
	const char *project;
	const struct found_dataset *dataset;
	struct found_tables tables;
};

static void add_tables(struct finding_out *x, const struct looked *l)
{
	for (size_t i = 0; i < l->tables.n; i++) {
		struct init_table t = {.location = l->dataset->location};

		if (!init_table_read(l->tables.v[i].id, x->a, &t))
			continue;
		t.name = arena_printf(
			x->a, "%s.%s.%s", l->project, l->dataset->id, l->tables.v[i].id);
		*arena_append(x->a, x->f->tables, x->f->n_tables, x->cap_tables) = t;
	}
}

static void add_unlisted(
	struct finding_out *x, const char *name, const struct gcp_result *r)
{
	const char *why = r->code == E_DENIED
		? "not allowed to list"
		: arena_printf(x->a, "could not list (%s)", cause_of(r->err.msg, x->a));

	for (size_t i = 0; i < x->n_unlisted; i++) {
		struct unlisted *u = &x->unlisted[i];

		if (!str_eq(u->why, why))
			continue;
		u->names = arena_printf(x->a, "%s, %s", u->names, name);
		return;
	}
	*arena_append(x->a, x->unlisted, x->n_unlisted,
		x->cap_unlisted) = (struct unlisted){why, arena_strdup(x->a, name)};
}

/* "; not allowed to list: lab-one, lab-two; could not list (CAUSE): lab-three" */
static const char *say_unlisted(const struct finding_out *x)
{
	const char *out = "";

	for (size_t i = 0; i < x->n_unlisted; i++)
		out = arena_printf(
			x->a, "%s; %s: %s", out, x->unlisted[i].why, x->unlisted[i].names);
	return out;
}

/* Lists the tables of a dataset. A failure is recorded in the result. */
static void list_tables(struct finding_out *x, struct found_datasets *sets, size_t n)
{
	struct looked *v;
	size_t all = 0, k = 0;
	struct err e = {0};

	for (size_t i = 0; i < n; i++)
		all += sets[i].r.code ? 0 : sets[i].n;
	v = arena_alloc(x->a, (all + 1) * sizeof(*v));
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; !sets[i].r.code && j < sets[i].n; j++) {
			v[k] = (struct looked){
				.project = x->f->projects[i].id, .dataset = &sets[i].v[j]};
			if (gcp_listing_start(&find_table_listing, x->g, v[k].project,
				    v[k].dataset->id, x->a, &v[k].tables.r, &e))
				v[k].tables.r = (struct gcp_result){
					.code = e.code, .err = e};
			k++;
		}
	if (gcp_run(x->g, &e))
		return;
	for (size_t i = 0; i < k; i++)
		if (!v[i].tables.r.code)
			add_tables(x, &v[i]);
		else
			add_unlisted(x,
				arena_printf(x->a, "%s.%s", v[i].project, v[i].dataset->id),
				&v[i].tables.r);
}

static void ask_tables(struct finding_out *x)
{
	for (size_t i = 0; i < x->f->n_tables && i < MAX_TABLES; i++) {
		struct init_table *t = &x->f->tables[i];
		struct bq_name name;
		struct bq_table told;
		struct err e = {0};

		if (bq_name_parse(t->name, x->a, &name, &e) ||
			bq_table_get(x->g, &name, x->a, &told, &e))
			continue;
		t->modified_ms = told.modified_ms;
		t->location = told.location;
	}
}

static void say_tables(struct finding_out *x, size_t asked)
{
	const char *why = init_pick_table(x->f, x->a);
	const char *doubt = init_table_doubt(x->f, x->a);

	if (!x->f->n_tables)
		say_unless_quiet(
			"billing export: no table found in the %zu project%s that could "
			"be searched%s; without it, billed amounts are unknown",
			asked, asked == 1 ? "" : "s", say_unlisted(x));
	else
		say_unless_quiet("billing export: %s (%s)%s%s", x->f->tables[0].name,
			init_table_says(&x->f->tables[0], x->a), why ? ": " : "",
			why ? why : "");
	if (doubt)
		say_unless_quiet("billing export: %s", doubt);
	for (size_t i = 1; i < x->f->n_tables; i++)
		say_unless_quiet("billing export: not used: %s (%s)", x->f->tables[i].name,
			init_table_says(&x->f->tables[i], x->a));
}

static void find_tables(struct finding_out *x)
{
	size_t n = x->f->n_projects < MAX_ASKED ? x->f->n_projects : MAX_ASKED;
	struct found_datasets *sets = arena_alloc(x->a, (n + 1) * sizeof(*sets));
	size_t asked = 0;
	struct err e = {0};

	for (size_t i = 0; i < n; i++)
		if (gcp_listing_start(&find_dataset_listing, x->g, x->f->projects[i].id,
			    NULL, x->a, &sets[i].r, &e))
			sets[i].r = (struct gcp_result){.code = e.code, .err = e};
	if (gcp_run(x->g, &e)) {
		say_unless_quiet("billing export: could not be searched: %s", e.msg);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		asked += !sets[i].r.code;
		if (sets[i].r.code)
			add_unlisted(x, x->f->projects[i].id, &sets[i].r);
	}
	list_tables(x, sets, n);
	ask_tables(x);
	say_tables(x, asked);
}

/* ---- the whole search ------------------------------------------------------------------------ */

void init_find(struct app *app, const char *mail, struct init_found *f)
{
	struct finding_out x = {.app = app, .a = &app->arena, .f = f, .mail = mail};

	gcloud_config_read(x.a, &x.gcloud);
	if (!find_credentials(&x)) {
		gcp_free(x.g);
		x.g = NULL;
	}
	f->works = x.g != NULL;
	finding_find_projects(&x);
	f->granted = finding_granted(&x);
	if (x.g)
		find_tables(&x);
	say_unless_quiet("time zone: %s", f->timezone);
	gcp_free(x.g);
	http_free(x.http);
}
