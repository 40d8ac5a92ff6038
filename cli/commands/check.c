/* Command `check`: validates the configuration without network access. */
#include "base/fs.h"
#include "base/url/netguard.h"
#include "base/str.h"
#include "base/strmap.h"
#include "cli/cmd.h"
#include "cli/config/config.h"
#include "cli/query.h"
#include "rules/grant/zones.h"
#include "db/db.h"
#include "db_sql.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SECRET 8192

/* ---- problems that otherwise only sending would find ----------------------------------------- */

static void warn(struct app *app, const char *whose, const char *fmt, ...)
	printf_like(3, 4);
static void warn(struct app *app, const char *whose, const char *fmt, ...)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_add_args(&b, fmt);
	config_remark(&app->arena, &app->cfg->warnings, "%s: %s", whose, b.s);
}

/* The message names the file but not its content: a text that is not a URL may be a secret in the
 * wrong file. */
static void look_at_url(struct app *app, const char *whose, const char *path,
	const char *url, bool allow_private)
{
	struct err why = {0};
	const char *said;

	if (!net_url_check(url, allow_private, &why))
		return;
	said = strstr(why.msg, ": "); /* after the host */
	warn(app, whose, "secret file %s: its URL cannot be used%s%s%s", path,
		said ? said : "", *why.fix ? "; " : "", why.fix);
}

struct secret {
	const char *path;
	bool is_url, allow_private;
};

/* A credential of systemd exists only for its service. */
static void look_at_secret(struct app *app, const char *whose, struct secret s)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct err why = {0};
	size_t n;

	if (!s.path || str_starts(s.path, "credential:"))
		return;
	if (fs_read_secret(s.path, MAX_SECRET, &b, &why)) {
		warn(app, whose, "%s%s%s", why.msg, *why.fix ? "; " : "", why.fix);
	} else if (!b.len) {
		warn(app, whose, "secret file %s is empty", s.path);
	} else {
		n = strcspn(b.s, "\r\n");
		if (!n || n + strspn(b.s + n, "\r\n") != b.len)
			warn(app, whose, "secret file %s: it must contain one line",
				s.path);
		b.s[n] = '\0';
		if (n && s.is_url)
			look_at_url(app, whose, s.path, b.s, s.allow_private);
	}
	if (b.len)
		explicit_bzero(b.s, b.len);
}

/* With the key, other users of this machine have all permissions of the account. */
static void look_at_key(struct app *app, const char *path)
{
	cleanup(sbuf_done) struct sbuf word = SBUF_INIT;
	struct stat st;

	if (!path || str_eq(path, "adc"))
		return;
	if (stat(path, &st)) {
		config_remark(&app->arena, &app->cfg->warnings, "key file %s: %s", path,
			strerror(errno));
		return;
	}
	if (!S_ISREG(st.st_mode) || !(st.st_mode & 077))
		return;
	sbuf_add_shell(&word, path);
	config_remark(&app->arena, &app->cfg->warnings,
		"key file %s: readable by group or others (mode %04o); run: chmod "
		"600 %s",
		path, (unsigned)st.st_mode & 07777, word.s);
}

/* Directory of a file. */
static const char *dir_of(struct arena *a, const char *path)
{
	const char *end = strrchr(path, '/');

	return !end           ? "."
		: end == path ? "/"
			      : arena_strndup(a, path, (size_t)(end - path));
}

/* The first message creates the file. */
static void look_at_file(struct app *app, const char *whose, const char *path)
{
	const char *dir = dir_of(&app->arena, path);
	bool exists;
	struct stat st;

	exists = !stat(path, &st);
	if (exists && !S_ISREG(st.st_mode))
		warn(app, whose, "%s is not a regular file", path);
	else if (exists ? access(path, R_OK | W_OK) : errno != ENOENT)
		warn(app, whose, "cannot write %s: %s", path, strerror(errno));
	else if (!exists && (stat(dir, &st) || !S_ISDIR(st.st_mode)))
		warn(app, whose, "%s: directory %s does not exist", path, dir);
	else if (!exists && access(dir, W_OK | X_OK))
		warn(app, whose, "cannot create %s: directory: %s", path, strerror(errno));
}

static void look_at_channels(struct app *app)
{
	const struct config *cfg = app->cfg;

	for (size_t i = 0; i < cfg->n_channels; i++) {
		const struct channel *c = &cfg->channels[i];
		const char *whose = arena_printf(&app->arena, "channel %s", c->name);

		look_at_secret(app, whose, (struct secret){.path = c->password_file});
		look_at_secret(app, whose,
			(struct secret){.path = c->url_file,
				.is_url = true,
				.allow_private = c->allow_private});
		if (c->kind == CHANNEL_SENDMAIL && access(c->program, X_OK))
			warn(app, whose, "%s is not an executable program", c->program);
		if (c->kind == CHANNEL_FILE)
			look_at_file(app, whose, c->path);
	}
	look_at_secret(app, "heartbeat",
		(struct secret){.path = cfg->heartbeat_file, .is_url = true});
}

/* ---- exempt machines ---------------------------------------------------------------------------- */

struct known_names {
	struct strmap index; /* ids and names */
	const char **v;      /* the same names */
	size_t n, cap;
};

static void add_name(struct arena *a, struct known_names *k, const char *name)
{
	name = arena_strdup(a, name);
	if (!strmap_put(&k->index, name, 0))
		return;
	*arena_push(a, k) = name;
}

/* Reads the names of all resources and hosts, as of the last poll. Reads none if the database cannot be read. */
static void read_names(const struct app *app, struct arena *a, struct known_names *k)
{
	struct q_exempt_names q;
	struct db_rows rows;
	struct err ignored = {0};
	struct db *db;

	if (access(app->cfg->database, F_OK) ||
		db_open(app->cfg->database, DB_READ, app->clock, &db, &ignored))
		return;
	if (!q_exempt_names_open(db, &rows, &ignored)) {
		while (q_exempt_names_next(&rows, &q)) {
			add_name(a, k, q.id);
			add_name(a, k, q.name);
		}
		if (db_rows_close(&rows, &ignored))
			k->n = 0;
	}
	db_close(db);
}

/* A misspelled name protects nothing, which would be noticed only after the action. */
static void look_at_exempt(struct app *app)
{
	const struct enforcement_config *en = &app->cfg->enforcement;
	const struct yaml_node *n = yaml_get(en->node, "exempt");
	struct known_names k = {0};

	if (!n || !en->exempt.n)
		return;
	read_names(app, &app->arena, &k);
	for (size_t i = 0; k.n && i < en->exempt.n; i++) {
		const char *name = en->exempt.v[i], *near;

		if (strmap_get(&k.index, name))
			continue;
		near = str_nearest(name, k.v, k.n);
		config_remark(&app->arena, &app->cfg->warnings,
			"%s:%d:%d: exempt: '%s' exempts nothing: no machine of "
			"the last poll has that name or id%s%s%s",
			n->file, n->line, n->col, name, near ? "; did you mean '" : "",
			near ? near : "", near ? "'?" : "");
	}
	strmap_done(&k.index);
}

/* "2 projects, 1 grant line, 0 credits, ...", or the same as a row. */
static int print_summary(struct app *app, struct err *e)
{
	const struct config *cfg = app->cfg;
	const struct {
		const char *key, *one; /* NULL: not in the text */
		size_t n;
	} counts[] = {
		{"projects", NULL, cfg->projects.n},
		{"grant_lines", "grant line", cfg->n_grants},
		{"credits", "credit", cfg->n_credits},
		{"budgets", "budget", cfg->n_budgets},
		{"rules", "custom rule", cfg->n_rules},
		{"channels", "channel", cfg->n_channels},
		{"warnings", NULL, cfg->warnings.n},
	};
	struct doc_column cols[ARRAY_LEN(counts) + 1] = {{"file", .type = DOC_TEXT}};
	struct doc_section *t = doc_table(&app->arena, cols, ARRAY_LEN(cols));
	struct doc_cell *row = doc_row(t)->cells;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	row[0] = cell_text(cfg->path);
	sbuf_addf(&b, "%s: valid: %s", cfg->path, config_projects_text(cfg, &app->arena));
	for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
		cols[i + 1] = (struct doc_column){counts[i].key, .type = DOC_INT};
		row[i + 1] = cell_int((int64_t)counts[i].n);
		if (counts[i].one)
			sbuf_addf(&b, ", %zu %s%s", counts[i].n, counts[i].one,
				counts[i].n == 1 ? "" : "s");
	}
	sbuf_addc(&b, '\n');
	if (app->o.format)
		return query_print(app, t, "", e);
	return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}

int cmd_check(struct app *app, struct err *e)
{
	struct config *cfg;
	struct tpu_zones zones = {0};
	int rc;

	if (!config_load(app, e))
		zones_known(app, &zones);
	if (e->code || config_check_zones(app->cfg, &zones, &app->arena, e)) {
		/* file:line:col first, as editors and terminals expect it */
		say_err("", e);
		return EXIT_USAGE;
	}
	cfg = app->cfg;
	look_at_channels(app);
	look_at_key(app, cfg->credentials);
	if (!str_eq(cfg->enforcement.credentials, cfg->credentials))
		look_at_key(app, cfg->enforcement.credentials);
	look_at_exempt(app);
	for (size_t i = 0; i < cfg->warnings.n; i++)
		say("warning: %s", cfg->warnings.v[i]);
	for (size_t i = 0; i < cfg->notes.n; i++)
		say("note: %s", cfg->notes.v[i]);
	rc = print_summary(app, e);
	return !rc && cfg->warnings.n && app->o.strict ? EXIT_NO : rc;
}
