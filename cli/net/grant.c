/* Conversion of the mail of a grant to `grants:` of the configuration. */
#include "base/time/civil.h"
#include "base/fs.h"
#include "base/data/json.h"
#include "base/net/mail.h"
#include "cli/config/config.h"
#include "cli/cmd.h"
#include "cli/net/wire.h"
#include "cli/out/out.h"
#include "cli/session.h"
#include "rules/grant/zones.h"
#include "rules/grant/mail.h"
#include "rules/grant/tpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define MAX_NAME 60
#define MAX_COMMENT 200
#define MAX_SAID 50 /* remarks of a kind; mails are shorter */

/* ---- reading ------------------------------------------------------------------------------- */

static enum err_code read_bytes(const char *path, struct sbuf *out, struct err *e)
{
	char buf[65536];
	size_t n;

	if (strcmp(path, "-") != 0)
		return fs_read(path, MAIL_MAX_BYTES, out, e);
	while ((n = fread(buf, 1, sizeof(buf), stdin)) > 0) {
		sbuf_add(out, buf, n);
		if (out->len > MAIL_MAX_BYTES)
			return err_set(e, E_LIMIT, "standard input: more than %d bytes",
				MAIL_MAX_BYTES);
	}
	return ferror(stdin) ? err_set(e, E_IO, "cannot read standard input") : E_OK;
}

static void problem(struct grant_import *x, int line, const char *source, const char *text)
{
	if (x->problems++ >= MAX_SAID)
		return;
	if (line && source)
		say("%s: line %d: %s: '%.200s'", x->path, line, text, source);
	else if (line)
		say("%s: line %d: %s", x->path, line, text);
	else
		say("%s: %s", x->path, text);
}

/* The mail may exist as plain text, as HTML, and forwarded inside another mail: all versions with a
 * grant must agree. The first one is used, without HTML if possible. */
static void pick_text(struct grant_import *x)
{
	struct arena *a = &x->app->arena;

	x->spans = arena_alloc(a, x->mail.n * sizeof(*x->spans));
	for (size_t i = 0; i < x->mail.n; i++) {
		const struct mail_text *t = &x->mail.texts[i];
		struct grant_mail m;

		grant_mail_read(t->text, a, &m);
		if (!m.lines.n && !m.refused.n)
			continue;
		x->spans[i] = (struct mail_span){m.first, m.last};
		if (!x->text) {
			x->text = t;
			x->read = m;
			continue;
		}
		if (!grant_mail_same(&x->read, &m))
			problem(x, 0, NULL,
				"its parts (plain text and HTML, or a mail inside it) "
				"differ");
		if (x->text->html && !t->html) {
			x->text = t;
			x->read = m;
		}
	}
}

/* As in the configuration: a zone that exists may have the type by now, which is only a warning. */
static void check_zone(
	struct grant_import *x, const struct grant_mail_line *l, const struct tpu_zones *z)
{
	const char *type = l->g.type ? l->g.type : l->g.family;
	struct err why = {0};

	if (!tpu_zone_check(z, type, l->g.zone, &why))
		return;
	if (!tpu_zone_may_be_new(z, type, l->g.zone))
		problem(x, l->line, NULL,
			arena_printf(&x->app->arena, "%s: '%.200s'%s%s", why.msg, l->source,
				*why.fix ? "; " : "", why.fix));
	else
		say("warning: line %d: %s: '%.200s'; %s", l->line, why.msg, l->source,
			why.fix);
}

static void check_lines(struct grant_import *x)
{
	const struct grant_mail *m = &x->read;
	struct tpu_zones zones;

	zones_known(x->app, &zones);

	if (!m->lines.n && !m->refused.n)
		problem(x, 0, NULL,
			"no line of a grant was found, such as '5 on-demand Cloud "
			"TPU v3-8 device(s) in zone europe-west4-a'");
	for (size_t i = 0; i < m->refused.n; i++)
		problem(x, m->refused.v[i].line, m->refused.v[i].source,
			m->refused.v[i].text);
	for (size_t i = 0; i < m->lines.n; i++) {
		const struct grant_mail_line *l = &m->lines.v[i];

		if (!zone_valid(l->g.zone))
			problem(x, l->line, l->source, "it does not name a valid zone");
		else
			check_zone(x, l, &zones);
	}
}

static enum err_code check_grant_name(const char *option, const char *name, struct err *e)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

	if (name && (!*name || name[strspn(name, allowed)] || strlen(name) > MAX_NAME))
		return err_set(e, E_USAGE,
			"--%s: '%.60s' is not valid (expected letters, digits, '.', '_' "
			"and '-')",
			option, name);
	return E_OK;
}

static enum err_code mailed_check_options(struct grant_import *x, struct err *e)
{
	const struct opts *o = &x->app->o;
	ts_t at;
	day_t day;

	if (o->starts && date_parse(o->starts, &day, NULL) &&
		rfc3339_parse(o->starts, &at, NULL, NULL))
		return err_set_fix(e, E_USAGE, "use 2026-11-01 or 2026-11-01T08:00:00Z",
			"--starts: '%.60s' is not a date", o->starts);
	if (o->days > 3660 || o->days == 0)
		return err_set(e, E_USAGE,
			"--days: %" PRId64 " is not valid (expected 1 to 3660)", o->days);
	if (check_grant_name("name", o->name, e) ||
		check_grant_name("extends", o->extends, e))
		return e->code;
	return E_OK;
}

/* The mail does not state the start of the grant: the date at which Google sent it is used, if all
 * versions agree. */
static void settle_start(struct grant_import *x)
{
	struct arena *a = &x->app->arena;
	struct mail_sent sent = {.at = TS_NONE};
	char when[RFC3339_BUF];

	x->starts = x->app->o.starts;
	x->starts_from = "--starts";
	for (size_t i = 0; !x->starts && !sent.why && i < x->mail.n; i++) {
		ts_t before = sent.at;

		if (!x->spans[i].last)
			continue;
		sent = mail_sent(&x->mail, x->spans, i, x->app->now, a);
		if (before != TS_NONE && sent.at != TS_NONE && sent.at != before)
			sent.why = "its parts have different dates";
	}
	if (x->starts)
		return;
	if (sent.why) {
		problem(x, 0, NULL,
			arena_printf(a, "the start is unknown: %s; give --starts DATE",
				sent.why));
		return;
	}
	x->starts = arena_strdup(a, rfc3339_format(sent.at, when));
	x->starts_from = sent.inner ? "the forwarded message's Date line"
				    : "the mail's Date";
}

/* As the configuration reads it: an instant ends N times 24 hours later, a day N days later. */
static void settle_end(struct grant_import *x)
{
	char when[RFC3339_BUF], date[DATE_BUF];
	ts_t at;
	day_t day;

	if (!date_parse(x->starts, &day, NULL))
		x->until = arena_strdup(
			&x->app->arena, date_format(day + (day_t)x->days, date));
	else if (!rfc3339_parse(x->starts, &at, NULL, NULL))
		x->until = arena_strdup(
			&x->app->arena, rfc3339_format(at + x->days * DAY_SECONDS, when));
}

const char *grant_mail_period(const struct grant_import *x)
{
	return arena_printf(&x->app->arena, "start %s from %s, end %s", x->starts,
		x->starts_from, x->until);
}

static void settle_days(struct grant_import *x)
{
	x->days = x->app->o.days > 0 ? x->app->o.days : x->read.days;
	if (!x->days)
		problem(x, 0, NULL, "it does not state the number of days; give --days N");
	else if (x->read.days && x->read.days != x->days)
		say("note: --days %" PRId64 " is used; the mail states %" PRId64, x->days,
			x->read.days);
}

/* ---- output -------------------------------------------------------------------------------- */

/* "32 v4 chips = v4-64, 8 hosts", "5 devices of v3-8 = 20 chips" */
static const char *meaning(struct arena *a, const struct grant *g)
{
	char slice[TPU_NAME_BUF];
	struct tpu_type t;
	const char *cores = "";

	if (g->unit == GRANT_DEVICES)
		return arena_printf(a, "%" PRId64 " of %s = %" PRId64 " chips", g->count,
			g->type, g->chips);
	if (g->unit == GRANT_CORES)
		cores = arena_printf(a, "%" PRId64 " cores = ", g->count);
	if (!tpu_type_parse(tpu_slice_name(g->family, g->chips, slice), &t))
		return arena_printf(
			a, "%s%" PRId64 " %s chips", cores, g->chips, g->family);
	return arena_printf(a, "%s%" PRId64 " %s chip%s = %s, %" PRId64 " host%s", cores,
		g->chips, g->family, g->chips == 1 ? "" : "s", slice, t.hosts,
		t.hosts == 1 ? "" : "s");
}

static const char *const grant_units[] = {
	[GRANT_DEVICES] = "devices",
	[GRANT_CHIPS] = "chips",
	[GRANT_CORES] = "cores",
};

static const char *canonical(struct arena *a, const struct grant *g)
{
	const char *unit = g->unit == GRANT_DEVICES ? "device(s)" : grant_units[g->unit];

	return arena_printf(a, "%" PRId64 " %s Cloud TPU %s %s in zone %s", g->count,
		g->provisioning, g->type ? g->type : g->family, unit, g->zone);
}

/* A grant is for the project of its mail. The project is written if it is one that is watched; else
 * (NULL) as a comment, because a mail may name it by its number. */
static void write_project(struct sbuf *b, const struct grant_import *x, const char *project)
{
	if (project)
		sbuf_addf(b, "    project: %s # only this project, according to the mail\n",
			project);
	else if (x->read.project && !strspn(x->read.project, "0123456789"))
		sbuf_addf(b,
			"    # project: %s # without this line: all watched projects\n",
			x->read.project);
}

/* Text of the mail goes into comments only as plain characters: YAML has more line ends than
 * most programs. */
static void add_comment(struct sbuf *b, const char *text)
{
	size_t n = 0;

	for (; *text && n < MAX_COMMENT; text++)
		if (((unsigned char)*text & 0xc0) != 0x80) { /* one "?" a character */
			sbuf_addc(b, *text >= ' ' && *text < 0x7f ? *text : '?');
			n++;
		}
	sbuf_adds(b, *text ? "..." : "");
}

static void mailed_write_head(struct sbuf *b, const struct grant_import *x)
{
	char when[RFC3339_BUF];

	sbuf_adds(b, "# From ");
	if (x->text->subject) {
		sbuf_adds(b, "the mail \"");
		add_comment(b, x->text->subject);
		sbuf_addc(b, '"');
	} else {
		sbuf_adds(b, "a mail");
	}
	if (x->text->date != TS_NONE)
		sbuf_addf(b, " of %s", rfc3339_format(x->text->date, when));
	sbuf_addf(b, "\n# sha256 %s\n", x->mail.sha256);
	if (x->read.project)
		sbuf_addf(b, "# for project %s\n", x->read.project);
}

/* Prints what this means for other projects, which would seem to be covered. */
static void say_project(const struct grant_import *x, bool written)
{
	if (x->app->o.quiet)
		return;
	if (!x->read.project)
		say("note: the mail does not name a project: without `project:`, the grant "
		    "covers all watched projects");
	else if (written)
		say("note: the grant is only for project %s", x->read.project);
	else
		say("note: according to the mail, the grant is only for project %s: add "
		    "`project:` if other projects are watched",
			x->read.project);
}

void grant_mail_write(struct sbuf *b, const struct grant_import *x, const char *project)
{
	struct arena *a = &x->app->arena;

	mailed_write_head(b, x);
	sbuf_addf(b, "grants:\n  - name: %s\n", x->name);
	if (x->app->o.extends)
		sbuf_addf(b, "    extends: %s\n", x->app->o.extends);
	write_project(b, x, project);
	sbuf_addf(b,
		"    starts: %s # from %s\n    days: %" PRId64 " # until %s\n    tpus:\n",
		x->starts, x->starts_from, x->days, x->until);
	for (size_t i = 0; i < x->read.lines.n; i++) {
		const struct grant_mail_line *l = &x->read.lines.v[i];
		const char *words = canonical(a, &l->g);
		bool same = !strcasecmp(words, l->source);

		if (!same) {
			sbuf_addf(b, "      # line %d: ", l->line);
			add_comment(b, l->source);
			sbuf_addc(b, '\n');
		}
		sbuf_addf(b, "      - %s # %s", words, meaning(a, &l->g));
		if (same)
			sbuf_addf(b, " (line %d)", l->line);
		sbuf_addc(b, '\n');
	}
	say_project(x, project != NULL);
}

static void write_json_line(
	struct jw *w, const struct grant_import *x, const struct grant_mail_line *l)
{
	struct arena *a = &x->app->arena;
	char slice[TPU_NAME_BUF];
	const struct grant *g = &l->g;

	jw_begin(w, '{');
	jw_kstr(w, "name", x->name);
	jw_kstr(w, "extends", x->app->o.extends);
	jw_kstr(w, "starts", x->starts);
	jw_kstr(w, "starts_from", x->starts_from);
	jw_ki64(w, "days", x->days);
	jw_kstr(w, "until", x->until);
	jw_kstr(w, "project", x->read.project);
	jw_ki64(w, "count", g->count);
	jw_kstr(w, "unit", grant_units[g->unit]);
	jw_kstr(w, "provisioning", g->provisioning);
	jw_kstr(w, "type", g->type);
	jw_kstr(w, "family", g->family);
	jw_kstr(w, "zone", g->zone);
	jw_ki64(w, "granted_chips", g->chips);
	jw_kstr(w, "slice", g->type ? NULL : tpu_slice_name(g->family, g->chips, slice));
	jw_kstr(w, "tpu", canonical(a, g));
	jw_ki64(w, "line", l->line);
	jw_kstr(w, "source", l->source);
	jw_kstr(w, "note", g->note);
	jw_kstr(w, "mail_sha256", x->mail.sha256);
	jw_end(w, '}');
}

static void mailed_write_json(struct sbuf *b, const struct grant_import *x)
{
	struct jw w = {.b = b};

	jw_begin(&w, '[');
	for (size_t i = 0; i < x->read.lines.n; i++)
		write_json_line(&w, x, &x->read.lines.v[i]);
	jw_end(&w, ']');
	sbuf_addc(b, '\n');
}

/* Prints notes on lines that were read but should be checked. */
static void mailed_say_notes(const struct grant_import *x)
{
	const struct grant_mail *m = &x->read;

	for (size_t i = 0; i < m->lines.n; i++) {
		const struct grant_mail_line *l = &m->lines.v[i];

		if (l->g.note)
			say("note: line %d: %s: '%.200s'", l->line, l->g.note, l->source);
		if (l->again)
			say("note: line %d has the same grant as an earlier line; they are "
			    "added: '%.200s'",
				l->line, l->source);
	}
	for (size_t i = 0; i < m->unread.n && i < MAX_SAID; i++)
		say("note: line %d %s: '%.200s'", m->unread.v[i].line, m->unread.v[i].text,
			m->unread.v[i].source);
}

/* Reads and interprets the mail. EXIT_NO: its problems were reported. */
static int import_mail(struct grant_import *x, struct err *e)
{
	cleanup(sbuf_done) struct sbuf bytes = SBUF_INIT;
	const char *cmd = x->app->cmd->name;

	if (read_bytes(x->path, &bytes, e) ||
		mail_read(bytes.s, bytes.len, &x->app->arena, &x->mail, e)) {
		err_wrap(e, "%s", cmd);
		return cmd_fail(e);
	}
	pick_text(x);
	check_lines(x);
	if (x->text) {
		settle_start(x);
		settle_days(x);
	}
	if (x->problems) {
		err_set(e, E_DATA,
			"%s: nothing was written: the mail is ambiguous or incomplete",
			cmd);
		err_fix(e,
			"give missing information as an option, or correct the lines in a "
			"copy");
		cmd_fail(e);
		return EXIT_NO;
	}
	settle_end(x);
	x->name = x->app->o.name
		? x->app->o.name
		: arena_printf(&x->app->arena, "trc-%.10s", x->starts ? x->starts : "");
	if (!x->app->o.quiet)
		mailed_say_notes(x);
	return EXIT_FINE;
}

int grant_mail_import(
	struct app *app, const char *path, struct grant_import *x, struct err *e)
{
	*x = (struct grant_import){.app = app, .path = path};
	return mailed_check_options(x, e) ? cmd_fail(e) : import_mail(x, e);
}

/* For the zones that were polled. A mail can be imported without a configuration. */
static void read_config(struct app *app)
{
	struct config *cfg = arena_new(&app->arena, struct config);
	struct err ignored = {0};

	if (config_read(config_path(app), &app->arena, cfg, &ignored))
		tz_free(cfg->tz);
	else
		app->cfg = cfg;
}

int cmd_grant_import(struct app *app, struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct grant_import x = {.app = app};
	int rc;

	x.path = app->args[0];
	if (mailed_check_options(&x, e))
		return cmd_fail(e);
	read_config(app);
	if (app->o.format && app->format != OUT_JSON && app->format != OUT_TABLE)
		return cmd_refuse(
			e, "", "grant import: --format must be json; omit it for YAML");
	rc = import_mail(&x, e);
	if (rc)
		return rc;
	say("note: %s", grant_mail_period(&x));
	if (app->format == OUT_JSON)
		mailed_write_json(&b, &x);
	else
		grant_mail_write(&b, &x, NULL);
	return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}
