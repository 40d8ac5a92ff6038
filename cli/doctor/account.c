/* Account: its identity, missing and excess permissions, and the commands that grant its
 * roles. */
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/doctor/doctor.h"
#include "gcp/gcp.h"

#include <string.h>

#define MAX_NAMED 5  /* permissions in one message */
#define LONG_LIST 64 /* columns of a list of permissions in a command */

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

/* Assigns a list that is too long for a line of a terminal to a variable first: returns "p=a,b &&
 * p=$p,c && " and replaces the list by "$p". */
static const char *account_gather(
	const struct doctor *d, const char *const *names, size_t n, const char **list)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	size_t used = 0;

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
	*list = "$p";
	return arena_strdup(d->a, b.s);
}

static const char *give_role(
	const struct doctor *d, const char *project, const char *member, enum iam_role role)
{
	size_t n;
	const char **permissions = iam_role_permissions(role, d->a, &n), *list;
	const char *before = account_gather(d, permissions, n, &list);
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

bool doctor_probe(struct doctor *d, const struct identity *who, const char *const *needed,
	size_t n, struct probe *out)
{
	size_t all = n + n_iam_powers;
	const char **asked = arena_alloc(d->a, all * sizeof(*asked));
	enum iam_has *has = arena_alloc(d->a, all * sizeof(*has));
	struct err e = {0};

	*out = (struct probe){.missing = arena_alloc(d->a, all * sizeof(*out->missing)),
		.excess = arena_alloc(d->a, all * sizeof(*out->excess))};
	for (size_t i = 0; i < all; i++)
		asked[i] = i < n ? needed[i] : iam_powers[i - n];
	if (iam_test(who->g, d->project, asked, all, has, &e)) {
		doctor_add_err(d, &e);
		return false;
	}
	for (size_t i = 0; i < all; i++) {
		if (i < n && has[i] == IAM_NO)
			out->missing[out->n_missing++] = asked[i];
		else if (i >= n && has[i] == IAM_YES && !str_in(asked[i], needed, n))
			out->excess[out->n_excess++] = asked[i];
	}
	return true;
}

/* Lists the most dangerous permissions; the others are counted. */
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

void doctor_say_excess(
	struct doctor *d, const struct identity *who, const struct probe *p, unsigned roles)
{
	const char *project = d->project, *name, *member;
	struct finding *f = doctor_add(d, DOCTOR_WARN, "%s can also: %s; grant %s only %s",
		who->name, say_powers(d, p),
		who->person ? "a separate account for tpucost" : "it",
		name_roles(d, roles));

	if (!who->person) {
		f->fix = arena_printf(d->a,
			"%s && gcloud projects get-iam-policy %s --flatten=bindings "
			"--filter=bindings.members:%s --format='value(bindings.role)' # "
			"then, for each other role: gcloud projects "
			"remove-iam-policy-binding %s --member=%s --role=ROLE",
			doctor_give_roles(d, project, who->member, roles), project,
			who->member, project, who->member);
		return;
	}
	/* A user's own login keeps its roles: suggest a service account. */
	name = roles & 1u << IAM_READER ? "tpucost" : "tpucost-stopper";
	member = arena_printf(
		d->a, "serviceAccount:%s@%s.iam.gserviceaccount.com", name, project);
	f->fix = arena_printf(d->a,
		"gcloud iam service-accounts create %s --project=%s && %s # then run with "
		"that account, see docs/iam.md",
		name, project, doctor_give_roles(d, project, member, roles));
}
