/* Local checks: configuration, database, disk, the last polls, channels. */
#include "base/str.h"
#include "base/time/civil.h"
#include "cli/config/config.h"
#include "cli/doctor/doctor.h"
#include "cli/net/wire.h"
#include "cli/session.h"
#include "collector/source/source.h"
#include "db/db.h"
#include "reports/cause.h"
#include "rules/grant/tpu.h"

#include <errno.h>
#include <libgen.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#define ROOM_FAIL (64 * MIB)
#define ROOM_WARN (1024 * MIB)

void doctor_config(struct doctor *d)
{
	const struct config *cfg;
	struct err e = {0};

	if (config_load(d->app, &e)) {
		struct finding *f = doctor_add(
			d, DOCTOR_FAIL, "%s%s%s", e.msg, *e.fix ? "; " : "", e.fix);

		if (access(config_path(d->app), F_OK))
			f->fix = d->app->o.config
				? arena_printf(d->a, "tpucost init --config '%s'",
					  d->app->o.config)
				: "tpucost init";
		else
			f->fix = arena_printf(
				d->a, "tpucost check --config %s", config_path(d->app));
		d->app->cfg = NULL;
		return;
	}
	cfg = d->app->cfg;
	if (cfg->warnings.n)
		doctor_add(d, DOCTOR_WARN, "%s: %zu warnings, the first: %s", cfg->path,
			cfg->warnings.n, cfg->warnings.v[0])
			->fix = arena_printf(d->a, "tpucost check --config %s", cfg->path);
	else
		doctor_add(d, DOCTOR_OK, "%s: %s, %zu rule%s, %zu channel%s", cfg->path,
			config_projects_text(cfg, d->a), cfg->settings.n_rules,
			cfg->settings.n_rules == 1 ? "" : "s", cfg->n_channels,
			cfg->n_channels == 1 ? "" : "s");
}

/* ---- database -------------------------------------------------------------------------------- */

static const char *directory_of(const struct doctor *d)
{
	return dirname(arena_strdup(d->a, d->app->cfg->database));
}

/* Command that shows what prevents writing, or creates the directory. */
static const char *fix_unwritable(const struct doctor *d, int why)
{
	const char *dir = directory_of(d);

	if (why == ENOENT)
		return arena_printf(d->a, "mkdir -p -m 700 '%s'", dir);
	return arena_printf(d->a, "%s '%s' # %s", why == EROFS ? "findmnt -T" : "ls -la",
		dir, db_sys_fix(why, true));
}

void doctor_database(struct doctor *d)
{
	const char *path = d->app->cfg->database;
	int why = db_unwritable(path);
	struct err e = {0};

	d->new_db = access(path, F_OK) && errno == ENOENT;
	d->has_db = !d->new_db && !session_open_for(d->app, TS_NONE, TS_NONE, &e) &&
		!db_check(d->app->db, &e);
	if (e.code)
		doctor_add_err(d, &e);
	else if (why)
		doctor_add(d, DOCTOR_FAIL, "%s: cannot be written: %s", path, strerror(why))
			->fix = fix_unwritable(d, why);
	else if (d->new_db)
		doctor_add(d, DOCTOR_WARN, "%s: does not exist yet", path)->fix =
			"tpucost collect";
	else
		doctor_add(d, DOCTOR_OK, "%s: valid and writable", path);
}

/* Numbers of statfs(2): NFS, SMB, CIFS, SMB2, 9p, AFS, Ceph. SQLite's locks, and the memory that
 * its processes share in WAL mode, work within one machine: sqlite.org/wal.html and
 * howtocorrupt.html. */
static bool of_network(const struct statfs *fs)
{
	static const uint32_t kinds[] = {
		0x6969, 0x517B, 0xFF534D42, 0xFE534D42, 0x01021997, 0x5346414F, 0x00C36400};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if ((uint32_t)fs->f_type == kinds[i])
			return true;
	return false;
}

static void look_for_network(struct doctor *d, const char *dir)
{
	struct statfs fs;

	if (!statfs(dir, &fs) && of_network(&fs))
		doctor_add(d, DOCTOR_WARN,
			"%s is on a network file system: use from two machines can damage "
			"the database",
			dir)
			->fix = "set `database:` to a file on a disk of this machine";
}

void doctor_room(struct doctor *d)
{
	const char *dir = directory_of(d);
	struct statvfs fs;
	struct stat st;
	int64_t room, size;
	bool low;

	look_for_network(d, dir);
	if (statvfs(dir, &fs)) /* doctor_database() has said it */
		return;
	room = (int64_t)fs.f_bavail * (int64_t)fs.f_frsize;
	size = stat(d->app->cfg->database, &st) ? 0 : (int64_t)st.st_size;
	low = room < ROOM_WARN || room < size;
	doctor_add(d,
		room < ROOM_FAIL ? DOCTOR_FAIL
			: low    ? DOCTOR_WARN
				 : DOCTOR_OK,
		"%lld MiB free in %s, size of the database: %lld MiB",
		(long long)(room / MIB), dir, (long long)(size / MIB))
		->fix = low ? arena_printf(d->a, "df -h '%s'", dir) : "";
}

/* ---- results of the last polls ---------------------------------------------------------------- */

/* Runs a statement with :name bound and passes each row to `row`. */
static void each_row(struct doctor *d, const char *sql, const char *name,
	void (*row)(struct doctor *d, const struct db_cursor *c, const char *name))
{
	struct db_cursor c;
	struct err e = {0};
	bool more;

	if (db_cursor_open(d->app->db, sql, DOCTOR_QUERY_MS, &c, &e)) {
		doctor_add_err(d, &e)->project = NULL;
		return;
	}
	db_cursor_bind(&c, ":name", name);
	while (!db_cursor_step(&c, &more, &e) && more)
		row(d, &c, name);
	db_cursor_close(&c);
	if (e.code)
		doctor_add_err(d, &e)->project = NULL;
}

static const char *local_text(struct doctor *d, const struct db_cursor *c, int i)
{
	const char *s = db_cursor_text(c, i);

	return arena_strdup(d->a, s ? s : "");
}

/* Reports whether doctor_apis() has said it: one cause, one line. */
static bool said_of_api(const struct doctor *d, const char *fix)
{
	for (size_t i = 0; i < d->n; i++)
		if (str_eq(d->v[i].check, "apis") && str_eq(d->v[i].fix, fix))
			return true;
	return false;
}

/* Without a token no source can be read; doctor_credentials() has said it. */
static bool said_of_credentials(
	const struct doctor *d, const char *state, const char *cause)
{
	for (size_t i = 0; i < d->n && !d->reader.works; i++)
		if (str_eq(d->v[i].check, "credentials"))
			return str_eq(state, "ok") || strstr(cause, ": token: ") ||
				str_eq(cause, cause_of(d->v[i].detail, d->a));
	return false;
}

static void source_row(struct doctor *d, const struct db_cursor *c, const char *project)
{
	const char *source = local_text(d, c, 0), *state = local_text(d, c, 1),
		   *error = local_text(d, c, 2);
	const char *fix = local_text(d, c, 3), *why = error, *cause;
	bool failed = !strcmp(state, "failed");
	/* these are recorded by cycles only */
	const char *again = str_in_list(source, COLLECT_OTHERS) ? "tpucost run --once"
								: "tpucost collect";
	bool repaired = failed && d->reader.works && strstr(error, ": token: ");
	struct finding *f;

	fix = !*fix ? again : fix + (str_starts(fix, "run: ") ? 5 : 0);
	if (!strcmp(state, "disabled") && said_of_api(d, fix))
		return;
	if (!strcmp(state, "disabled") && str_starts(fix, "gcloud services enable "))
		why = "its API is not enabled";
	else if (!strcmp(state, "ok"))
		why = arena_printf(
			d->a, "last read %lld minutes ago", (long long)db_cursor_i64(c, 4));
	else if (!strcmp(state, "partial"))
		why = arena_printf(d->a, "incomplete: %s", error);
	cause = failed ? cause_of(error, d->a) : why;
	if (said_of_credentials(d, state, cause))
		return;
	if (repaired) {
		cause = arena_printf(
			d->a, "the last poll failed, and the token works now: %s", cause);
		why = cause;
		fix = again;
	}
	f = doctor_add(
		d, failed && !repaired ? DOCTOR_FAIL : DOCTOR_WARN, "%s: %s", source, why);
	f->source = source;
	f->cause = cause;
	f->fix = fix;
	f->project = project;
}

static void count_row(struct doctor *d, const struct db_cursor *c, const char *project)
{
	long long all = db_cursor_i64(c, 0), bad = db_cursor_i64(c, 1);

	(void)project;
	if (!all)
		doctor_add(d, DOCTOR_WARN, "not polled yet")->fix = "tpucost collect";
	else if (!bad)
		doctor_add(d, DOCTOR_OK, "all %lld sources are complete", all);
}

/* Cost anomalies are optional; doctor_reading() names the permission. */
#define NOT_FINE                                                                           \
	"((state NOT IN ('ok', 'empty') OR stale = 1) AND (state <> 'disabled' OR source " \
	"<> "                                                                              \
	"'anomaly'))"

void doctor_sources(struct doctor *d)
{
	each_row(d,
		"SELECT COUNT(*), SUM(CASE WHEN " NOT_FINE
		" THEN 1 ELSE 0 END) FROM sources WHERE project = :name",
		d->project, count_row);
	each_row(d,
		"SELECT source, state, error, fix, CAST(age_minutes AS INTEGER) FROM "
		"sources WHERE project = :name AND " NOT_FINE " ORDER BY source",
		d->project, source_row);
}

/* Did doctor_search() fail now with this error, too? One cause, one line. */
static bool said_of_search(const struct doctor *d, const char *error)
{
	for (size_t i = 0; i < d->n; i++)
		if (str_eq(d->v[i].check, "reading") && !d->v[i].project &&
			d->v[i].status != DOCTOR_OK && strstr(d->v[i].detail, error))
			return true;
	return false;
}

/* Is this source of no listed project polled? A billing table has the name of its project, or its own: collect.c. */
static bool local_is_polled(const struct doctor *d, const char *name, const char *whose)
{
	const struct config *cfg = d->app->cfg;
	const struct source *s = source_find(name);

	if (s && (s->scope == PER_DISCOVERY || s->scope == PER_SCOPE))
		return cfg->discovery;
	if (!*whose || !s || s->scope != PER_TABLE)
		return !*whose;
	for (size_t i = 0; i < cfg->n_billing_tables; i++) {
		const char *table = cfg->billing_tables[i].name;

		if (str_starts(table, whose) && strchr(".", table[strlen(whose)]))
			return true;
	}
	return false;
}

/* Sources without a project: price lists, billing tables, the search for projects. The next poll drops those of projects
 * that are no longer configured. */
static void other_row(struct doctor *d, const struct db_cursor *c, const char *name)
{
	const char *source = local_text(d, c, 0), *whose = local_text(d, c, 5);

	(void)name;
	if (str_in_list(source, COLLECT_OTHERS))
		return; /* each has a check of its own */
	if (str_eq(source, "project") && said_of_search(d, local_text(d, c, 2)))
		return;
	for (size_t i = 0; i < d->n_projects; i++)
		if (str_eq(d->projects[i], whose))
			return;
	if (local_is_polled(d, source, whose))
		source_row(d, c, *whose ? whose : NULL);
}

void doctor_other_sources(struct doctor *d)
{
	if (!d->app->o.project)
		each_row(d,
			"SELECT source, state, error, fix, CAST(age_minutes AS INTEGER), "
			"project FROM sources WHERE " NOT_FINE " ORDER BY source, project",
			"", other_row);
}

void doctor_unpolled_source(struct doctor *d, const char *source)
{
	if (d->has_db)
		each_row(d,
			"SELECT source, state, error, fix, CAST(age_minutes AS INTEGER) "
			"FROM "
			"sources WHERE source = :name AND " NOT_FINE,
			source, source_row);
}

/* ---- TPUs of the Cloud TPU API --------------------------------------------------------------- */

#define FROZEN "on tpu.googleapis.com, which is frozen"

/* Cloud TPU documentation, "Cloud TPU resources in Compute Engine": that API gets no new types and
 * features; what exists continues to work, so this is information. */
static void frozen_row(struct doctor *d, const struct db_cursor *c, const char *project)
{
	struct tpu_order o = {.project = project,
		.name = local_text(d, c, 0),
		.zone = local_text(d, c, 1),
		.type = local_text(d, c, 2),
		.topology = db_cursor_text(c, 3) ? local_text(d, c, 3) : NULL,
		.provisioning = local_text(d, c, 4),
		.run_limit = db_cursor_i64(c, 5)};
	const char *command = tpu_create_command(&o, d->a), *cause;
	struct finding *f;

	if (command)
		cause = arena_printf(d->a,
			"%s (%s, %s) " FROZEN "; created on Compute Engine by:", o.type,
			o.provisioning, o.zone);
	else if (tpu_family_of_type(o.type) && !tpu_direct_machine(o.type))
		cause = FROZEN "; there is no equivalent on Compute Engine";
	else
		cause = FROZEN "; whether Compute Engine has an equivalent is unknown";
	f = doctor_add(d, DOCTOR_OK, "%s: %s%s%s", o.name, command ? "" : o.type,
		command || !*o.type ? "" : " ", cause);
	f->source = o.name;
	f->cause = cause;
	f->plural = "TPUs";
	f->fix = command ? command : "";
}

void doctor_tpu_api(struct doctor *d)
{
	each_row(d,
		"SELECT name, zone, type, topology, provisioning, "
		"strftime('%s', ends) - strftime('%s', created) FROM resources "
		"WHERE made_by IN ('node', 'queued') AND project = :name "
		"ORDER BY type, zone, provisioning, name",
		d->project, frozen_row);
}

/* ---- budgets --------------------------------------------------------------------------------- */

static void budget_row(struct doctor *d, const struct db_cursor *c, const char *name)
{
	(void)name;
	doctor_add(d, DOCTOR_WARN, "%s cannot alert, its figures are %s",
		local_text(d, c, 0), local_text(d, c, 1))
		->fix = "tpucost budget";
}

void doctor_budgets(struct doctor *d)
{
	size_t before = d->n;

	each_row(d, "SELECT name, basis FROM budgets WHERE expected IS NULL ORDER BY name",
		NULL, budget_row);
	if (d->n == before && d->app->cfg->n_budgets)
		doctor_add(d, DOCTOR_OK, "each one has figures");
}

/* ---- channels -------------------------------------------------------------------------------- */

static void never_delivered(struct doctor *d, const char *name)
{
	doctor_add(d, DOCTOR_WARN, "%s has not delivered a message yet", name)->fix =
		arena_printf(d->a, "tpucost notify test %s", name);
}

static void channel_row(struct doctor *d, const struct db_cursor *c, const char *name)
{
	const char *state = local_text(d, c, 0), *error = local_text(d, c, 1),
		   *sent = local_text(d, c, 2);
	char ago[DURATION_BUF];
	ts_t at;

	if (!strcmp(state, "off"))
		doctor_add(d, DOCTOR_FAIL, "%s is switched off: %s", name, error)->fix =
			arena_printf(d->a, "tpucost notify retry %s", name);
	else if (!strcmp(state, "failing"))
		doctor_add(d, DOCTOR_WARN, "%s did not accept the last message: %s", name,
			error)
			->fix = arena_printf(d->a, "tpucost notify test %s", name);
	else if (rfc3339_parse(sent, &at, NULL, NULL))
		never_delivered(d, name);
	else
		doctor_add(d, DOCTOR_OK, "%s: last delivered %s ago", name,
			duration_format(at < d->app->now ? d->app->now - at : 0, ago));
}

void doctor_channels(struct doctor *d)
{
	const struct config *cfg = d->app->cfg;
	struct outbox o = outbox_of(cfg);
	struct err e = {0};

	if (!cfg->n_channels)
		doctor_add(d, DOCTOR_WARN,
			"there is no channel: no messages are sent, and nothing is stopped "
			"without a delivered warning")
			->fix = doctor_edit(d, "add notify:, see docs/notify.md");
	for (size_t i = 0; i < cfg->n_channels; i++) {
		size_t before = d->n;
		const char *name = cfg->channels[i].name;

		if (d->has_db)
			each_row(d,
				"SELECT state, error, last_sent FROM channels WHERE name = "
				":name",
				name, channel_row);
		if (d->n == before)
			never_delivered(d, name);
	}
	if (d->has_db && outbox_add_owners(d->app->db, &o, false, d->a, &e))
		doctor_add_err(d, &e);
	else if (o.left_out.code)
		doctor_add(d, DOCTOR_WARN, "%s", o.left_out.msg)->fix = doctor_edit(
			d, o.left_out.fix);
}
