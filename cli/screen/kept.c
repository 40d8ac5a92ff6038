/* The screen of `status` as of the last poll, for so many resources that their costs take seconds to compute: `collect`
 * and `run` store it at their end, with lines as long as they are, and `status` breaks them at the width of the terminal.
 * It is dropped by what changes an answer in between: every command that writes. An edited configuration, an old poll
 * or a wrong clock make it unused; `status` then computes as for few resources. */
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/screen/screen.h"
#include "cli/session.h"
#include "db/db.h"
#include "db_sql.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define KEPT_FROM 20000 /* resources; fewer take less than a second */
#define USUAL_WIDTH 79
#define DETAIL_INDENT 4
#define ITEM "! "
#define LEAST_ITEMS 2

bool kept_wanted(int64_t resources)
{
	return resources >= KEPT_FROM;
}

enum err_code kept_put(
	struct app *app, ts_t at, const char *screen, int exit_code, struct err *e)
{
	const struct q_meta_put_in in = {.key = STATUS_KEPT,
		.value = arena_printf(
			&app->arena, "%lld %d\n%s", (long long)at, exit_code, screen)};

	return q_meta_put(app->db, &in, e);
}

/* Is it as of the last poll, and of this configuration? */
static bool kept_is_current(const struct app *app, ts_t at)
{
	struct stat st;

	return !app->clock_wrong && !app->clock_unknown && at <= app->now &&
		app->now - at < 3 * config_poll_seconds(app->cfg, "instances") &&
		!stat(app->cfg->path, &st) && st.st_mtime < at;
}

static size_t kept_rows(const char *text)
{
	size_t n = 0;

	for (; (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

/* The lines below the actions to take: a word and its text. */
static void kept_add_rest(struct sbuf *b, char *text, size_t width)
{
	char *line;

	while ((line = strsep(&text, "\n")) && (*line || text)) {
		if (strlen(line) <= GLANCE_INDENT) {
			sbuf_addf(b, "%s\n", line);
			continue;
		}
		sbuf_add(b, line, GLANCE_INDENT);
		sbuf_add_wrapped(
			b, line + GLANCE_INDENT, GLANCE_INDENT, GLANCE_INDENT, width);
	}
}

/* The heading, actions that fit on the screen, and notes. */
static void kept_add_todo(struct sbuf *b, char *text, size_t width, size_t room)
{
	size_t items = 0, left = 0, whole = 0;
	char *line;

	while ((line = strsep(&text, "\n")) && text) {
		bool item = str_starts(line, ITEM), more = str_starts(line, "  and ");

		if (item)
			whole = b->len;
		if (left || more) {
			left += item   ? 1
				: more ? strtoul(line + strlen("  and "), NULL, 10)
				       : 0;
			if (item || more || *line == ' ')
				continue;
		}
		if (item) {
			sbuf_adds(b, ITEM);
			sbuf_add_wrapped(
				b, line + strlen(ITEM), strlen(ITEM), DETAIL_INDENT, width);
			items++;
		} else if (*line == ' ') {
			sbuf_addf(b, "%s\n", line);
		} else {
			sbuf_add_wrapped(b, line, 0, 2, width);
		}
		if (items > LEAST_ITEMS && kept_rows(b->s) > room &&
			(item || *line == ' ')) {
			sbuf_trunc(b, whole);
			left = 1;
		}
	}
	if (left)
		sbuf_addf(b, "  and %zu more: tpucost status --all\n", left);
	sbuf_addc(b, '\n');
}

enum err_code kept_show(struct app *app, const struct out_style *style, struct sbuf *b,
	int *exit_code, struct err *e)
{
	size_t width = style->width ? (size_t)style->width : USUAL_WIDTH;
	cleanup(sbuf_done) struct sbuf rest = SBUF_INIT;
	size_t room = SIZE_MAX, taken;
	const char *was;
	char *text, *end, *blank;
	ts_t at;

	if (db_meta(app->db, STATUS_KEPT, &app->arena, &was, e))
		return e->code;
	if (!*was)
		return E_OK;
	text = arena_strdup(&app->arena, was);
	at = strtoll(text, &end, 10);
	*exit_code = (int)strtol(end, &end, 10);
	blank = strstr(end, "\n\n");
	if (*end != '\n' || !blank || !kept_is_current(app, at))
		return E_OK;
	*++blank = '\0';
	kept_add_rest(&rest, blank + 1, width);
	taken = kept_rows(rest.s) + 3;
	if (style->height)
		room = (size_t)style->height > taken ? (size_t)style->height - taken : 0;
	kept_add_todo(b, end + 1, width, room);
	sbuf_add(b, rest.s, rest.len);
	if (!app->o.quiet)
		say("note: of many resources, status shows the last poll; as of now: "
		    "tpucost status --all");
	return E_OK;
}
