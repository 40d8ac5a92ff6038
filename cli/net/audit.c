/* Audit log: entries for decisions of the user, and verification of all entries. */
#include "base/data/json.h"
#include "cli/config/config.h"
#include "cli/enforce/enforce.h"
#include "cli/out/out.h"
#include "cli/cmd.h"
#include "db/db.h"
#include "rules/act/audit.h"
#include "rules/enforce/enforce.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* ---- entries ----------------------------------------------------------------------------------- */

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
	const char *why; /* is reported with the actions that are held */

	return enforce_note(app->db, &app->cfg->settings, &app->arena, &why, e)
		? e->code
		: leader_decided(app, false, e);
}

/* ---- verification ------------------------------------------------------------------------------ */

/* Reads --anchor, in upper or lower case. */
static enum err_code read_anchor(struct app *app, const char **anchor, struct err *e)
{
	char *copy = arena_strdup(&app->arena, app->o.anchor);

	*anchor = copy;
	if (!copy)
		return E_OK;
	if (strlen(copy) != AUDIT_HASH_BUF - 1 ||
		strspn(copy, "0123456789abcdefABCDEF") != AUDIT_HASH_BUF - 1)
		return err_set_fix(e, E_USAGE, "copy it from the end of a daily report",
			"--anchor: not a hash of 64 hexadecimal digits");
	for (char *p = copy; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return E_OK;
}

static void write_text(struct sbuf *b, const struct audit_verdict *v)
{
	sbuf_addf(b, "entries %" PRId64 "\n", v->entries);
	if (v->entries) {
		sbuf_addf(b, "head    %" PRId64 " ", v->head_seq);
		sbuf_add_term(b, v->head);
		sbuf_addc(b, '\n');
	}
	if (v->ok)
		sbuf_adds(b, "ok\n");
}

static void verify_write_json(struct sbuf *b, const struct audit_verdict *v)
{
	struct jw w = {.b = b};

	jw_begin(&w, '[');
	jw_begin(&w, '{');
	jw_key(&w, "ok");
	jw_bool(&w, v->ok);
	jw_ki64(&w, "entries", v->entries);
	jw_ki64(&w, "head_seq", v->head_seq);
	jw_kstr(&w, "head", v->entries ? v->head : NULL);
	jw_key(&w, "bad_seq");
	if (v->ok)
		jw_null(&w);
	else
		jw_i64(&w, v->bad);
	jw_kstr(&w, "why", v->why);
	jw_end(&w, '}');
	jw_end(&w, ']');
	sbuf_addc(b, '\n');
}

int cmd_audit_verify(struct app *app, struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct audit_verdict v;
	const char *anchor;

	if (app->format != OUT_TABLE && app->format != OUT_JSON)
		return cmd_refuse(e, "", "audit verify: --format must be table or json");
	if (read_anchor(app, &anchor, e) ||
		db_open(app->cfg->database, DB_READ, app->clock, &app->db, e) ||
		audit_verify(app->db, anchor, &app->arena, &v, e))
		return cmd_fail(e);
	if (app->format == OUT_JSON)
		verify_write_json(&b, &v);
	else if (!app->o.quiet)
		write_text(&b, &v);
	if (out_write(&b, e))
		return cmd_fail(e);
	if (v.ok)
		return EXIT_FINE;
	err_set_fix(e, E_DATA,
		"compare with a backup, and with the hashes in daily reports",
		"audit: entry %" PRId64 ": %s", v.bad, v.why);
	return cmd_fail(e);
}
