#include "collector/source/vacant.h"

#include "base/str.h"
#include "base/time/civil.h"
#include "db/db.h"
#include "db_sql.h"
#include "gcp/compute/slice.h"

#include <string.h>

#define AT_ONCE 20 /* requests; the others follow in the next poll */

const char *vacant_path(struct poll *p, const struct gce_group *g)
{
	return arena_printf(p->arena, "%s/%s/instanceGroupManagers/%s",
		*g->zone ? "zones" : "regions", *g->zone ? g->zone : g->region, g->name);
}

static bool vacant_has(const struct q_group_members *members, size_t n, const char *path)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(members[i].group_path, path))
			return true;
	return false;
}

static enum err_code vacant_find(
	struct poll *p, const struct gce_groups *groups, struct vacants *out, struct err *e)
{
	struct q_group_members_in in = {.project = p->project};
	struct q_group_members *members;
	size_t n;

	if (q_group_members_all(p->db, &in, p->arena, &members, &n, e))
		return e->code;
	for (size_t i = 0; i < groups->n; i++) {
		const struct gce_group *g = &groups->v[i];
		const char *path = vacant_path(p, g);

		if (*g->template && !vacant_has(members, n, path))
			*arena_push(p->arena, out) = (struct vacant){.group = g,
				.path = path,
				.provisioning = "",
				.labels = "{}"};
	}
	return E_OK;
}

/* Templates that an earlier poll read count until they are read again. Those of groups that have machines now, or are
 * gone, are of no use. */
static enum err_code vacant_recall(
	struct poll *p, struct vacants *out, bool all, bool *fresh, struct err *e)
{
	struct q_group_templates_in in = {.project = p->project};
	struct q_group_templates *v;
	size_t n;

	if (q_group_templates_all(p->db, &in, p->arena, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++) {
		struct q_group_template_drop_in drop = {
			.project = p->project, .group_path = v[i].group_path};
		size_t k = 0;

		while (k < out->n && strcmp(out->v[k].path, v[i].group_path) != 0)
			k++;
		if (k == out->n) {
			if (all && q_group_template_drop(p->db, &drop, e))
				return e->code;
			continue;
		}
		if (strcmp(out->v[k].group->template, v[i].template) != 0)
			continue;
		fresh[k] = v[i].read + DAY_SECONDS >= p->now;
		out->v[k].type = v[i].type;
		out->v[k].provisioning = v[i].provisioning;
		out->v[k].labels = v[i].labels;
	}
	return E_OK;
}

enum err_code vacant_ask(struct poll *p, const struct gce_groups *groups,
	struct vacants *out, bool *asked, struct err *e)
{
	size_t n = 0;
	bool *fresh;

	*asked = false;
	if (vacant_find(p, groups, out, e))
		return e->code;
	fresh = arena_alloc(p->arena, out->n + 1);
	if (vacant_recall(p, out, !groups->r.scopes.n, fresh, e))
		return e->code;
	/* those that are not known first */
	for (size_t i = 0; i < 2 * out->n && n < AT_ONCE; i++) {
		struct vacant *x = &out->v[i % out->n];

		if (fresh[i % out->n] || (x->type != NULL) != (i >= out->n))
			continue;
		n++;
		*asked = x->asked = true;
		poll_await(p, &x->template.r);
		if (poll_started(p,
			    gce_template_start(p->gcp, p->project, x->group->template,
				    p->arena, &x->template, e)))
			return e->code;
	}
	return E_OK;
}

enum err_code vacant_take(struct poll *p, struct vacants *v, struct err *e)
{
	for (size_t i = 0; i < v->n; i++) {
		struct vacant *x = &v->v[i];
		const struct gce_template *t = &x->template;
		struct q_group_template_put_in in = {.project = p->project,
			.group_path = x->path,
			.template = x->group->template,
			.place = x->group->place,
			.type = "",
			.provisioning = "",
			.labels = "{}",
			.now = p->now};

		if (!x->asked)
			continue;
		/* Without the permission only new groups without machines are unknown. */
		if (t->r.code && t->r.code != E_NOTFOUND) {
			p->note = arena_printf(p->arena,
				"new groups without machines are not shown: %s",
				t->r.err.msg);
			continue;
		}
		x->type = "";
		if (!t->r.code && gce_type_is_tpu(t->machine_type)) {
			in.type = x->type = t->machine_type;
			in.provisioning = x->provisioning = t->class;
			in.labels = x->labels = t->labels;
		}
		if (q_group_template_put(p->db, &in, e))
			return e->code;
	}
	return E_OK;
}
