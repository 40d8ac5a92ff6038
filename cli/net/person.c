/* Writing down what a person said of machines and rules. */
#include "cli/config/config.h"
#include "cli/enforce/person.h"
#include "rules/act/audit.h"
#include "rules/enforce/enforce.h"

enum err_code person_note(struct app *app, const char *event, int64_t action,
	const char *resource, const char *detail, struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct audit_entry entry = {.actor = audit_user(&app->arena),
		.event = event,
		.action = action,
		.resource = resource};
	struct jw w = {.b = &b};

	jw_begin(&w, '{');
	if (app->o.comment)
		jw_kstr(&w, "comment", app->o.comment);
	if (*detail)
		sbuf_addf(&b, "%s%s", w.comma ? "," : "", detail);
	jw_end(&w, '}');
	entry.detail = b.s;
	return audit_add(app->db, &entry, app->now, e);
}

enum err_code person_keep(struct app *app, struct err *e)
{
	const char *why; /* is told by what shows what is held */

	return enforce_note(app->db, &app->cfg->settings, &app->arena, &why, e);
}
