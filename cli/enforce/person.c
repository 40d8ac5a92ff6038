#include "cli/enforce/person.h"

#include "base/time/civil.h"
#include "base/str.h"
#include "base/time/tz.h"
#include "cli/config/config.h"
#include "cli/say.h"
#include "cli/session.h"
#include "db/db.h"

#include <string.h>

#define MAX_COMMENT 1000

enum err_code person_comment(struct app *app, struct err *e)
{
	const char *s = app->o.comment;

	if (s && strlen(s) > MAX_COMMENT)
		return err_set(e, E_USAGE, "--comment: longer than %d bytes", MAX_COMMENT);
	if (s && !utf8_valid(s, strlen(s)))
		return err_set(e, E_USAGE, "--comment: it is not UTF-8");
	return E_OK;
}

enum err_code person_open(struct app *app, struct err *e)
{
	return session_open_to_write(app, e);
}

void person_done(struct app *app, const char *text)
{
	if (!app->o.quiet)
		say("%s", text);
}

const char *person_time(struct app *app, ts_t t)
{
	struct civil c = civil_from_ts(t + tz_offset(app->cfg->tz, t));

	return arena_printf(&app->arena, "%04d-%02d-%02d %02d:%02d %s", c.year, c.month,
		c.day, c.hour, c.minute, app->cfg->timezone);
}
