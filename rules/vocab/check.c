#include "rules/vocab/check.h"

#include "rules/vocab/condition.h"
#include "rules/vocab/subject.h"
#include "rules/vocab/template.h"

static enum err_code check_one(struct db *db, const struct view *v, const char *key,
	const char *text, struct err *e)
{
	if (text && condition_check(db, v, text, e))
		return err_wrap(e, "%s", key);
	return E_OK;
}

enum err_code rule_check(struct db *db, const struct rule *r, struct err *e)
{
	const struct view *v = view_find(r->on);
	struct arena a = {0};
	struct template t;
	enum err_code rc = E_OK;

	if (!v || !subject_of(v)) {
		err_set(e, E_USAGE, "on: rules cannot use the view %s", r->on);
		return err_fix(
			e, "use a view such as resources, grants, budgets or quotas");
	}
	if (check_one(db, v, "where", r->where, e) ||
		check_one(db, v, "critical_when", r->critical_when, e) ||
		check_one(db, v, "stage", r->stage, e) ||
		check_one(db, v, "value", r->value, e))
		return e->code;
	if (r->summary && template_parse(r->summary, v, &a, &t, e))
		rc = err_wrap(e, "summary");
	arena_done(&a);
	return rc;
}
