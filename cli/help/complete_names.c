/* Candidates in the format of the shell scripts, and names from tables, configuration and
 * database. */
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/help/help.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/kinds.h"
#include "db/vocab.h"

#include <ctype.h>
#include <string.h>

#define MOST 1000 /* more candidates are not useful */

/* Tests that no shell can interpret the text as anything but text. */
static bool names_is_plain(const char *s)
{
	size_t n = strspn(s,
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/:=@,+-");

	return *s && !s[n] && n < 1000;
}

void complete_add(struct completing *c, const char *text, const char *meaning)
{
	if (!names_is_plain(text) || !str_starts(text, c->word + c->kept))
		return;
	sbuf_addf(c->out, "%.*s%s", (int)c->kept, c->word, text);
	if (meaning) {
		sbuf_addc(c->out, '\t');
		for (const char *p = meaning; *p && *p != '\n'; p++)
			sbuf_addc(c->out, iscntrl((unsigned char)*p) ? ' ' : *p);
	}
	sbuf_addc(c->out, '\n');
}

/* ---- configuration and database, if they can be read ------------------------------------------ */

static const struct config *config_of(struct completing *c)
{
	struct app *app = c->app;
	struct err e = {0};

	if (!c->opened) {
		c->opened = true;
		app->cfg = arena_new(&app->arena, struct config);
		if (config_read(config_path(app), &app->arena, app->cfg, &e)) {
			tz_free(app->cfg->tz);
			app->cfg = NULL;
		}
		if (app->cfg &&
			db_open(app->cfg->database, DB_READ, app->clock, &app->db, &e))
			app->db = NULL;
	}
	return app->cfg;
}

static struct db *db_of(struct completing *c)
{
	return config_of(c) ? c->app->db : NULL;
}

/* Adds the names of n structs of `size` bytes, the first one at `name`; `meaning` is the same of
 * their meanings, or NULL. */
static void add_list(struct completing *c, const char *prefix, const void *name,
	const void *meaning, size_t n, size_t size)
{
	for (size_t i = 0; i < n; i++)
		complete_add(c,
			arena_printf(&c->app->arena, "%s%s", prefix,
				*(const char *const *)((const char *)name + i * size)),
			meaning ? *(const char *const *)((const char *)meaning + i * size)
				: NULL);
}

/* Lists of the configuration, whose elements begin with their name. */
#define NAMED(list, n, type) \
	offsetof(struct config, list), offsetof(struct config, n), sizeof(type)
static const struct {
	const char *kind;
	size_t list, n, size, meaning;
} named[] = {
	{"grant", NAMED(grants, n_grants, struct grant)},
	{"channel", NAMED(channels, n_channels, struct channel)},
	{"budget", NAMED(budgets, n_budgets, struct budget)},
	{"credit", NAMED(credits, n_credits, struct credit)},
	{"project", NAMED(projects.v, projects.n, const char *)},
	{"rule", NAMED(settings.rules, settings.n_rules, struct rule),
		offsetof(struct rule, doc)},
};

/* Adds names of a kind given as "grant" or "grant:". Returns false if there is no such kind. */
static bool add_named(struct completing *c, const char *kind, const char *prefix)
{
	size_t len = strcspn(kind, ":");

	for (size_t i = 0; i < ARRAY_LEN(named); i++) {
		const char *cfg, *at;

		if (strncmp(named[i].kind, kind, len) != 0 || named[i].kind[len])
			continue;
		cfg = (const char *)config_of(c);
		at = cfg ? *(const char *const *)(cfg + named[i].list) : NULL;
		if (at)
			add_list(c, prefix, at,
				named[i].meaning ? at + named[i].meaning : NULL,
				*(const size_t *)(cfg + named[i].n), named[i].size);
		return true;
	}
	return false;
}

/* Adds short names, or whole ids once the word contains a "/". */
static void add_resources(struct completing *c, bool acts)
{
	struct q_complete_resources_in in = {.most = MOST};
	struct q_complete_resources row;
	struct db_rows rows;
	struct err e = {0};

	if (!db_of(c) || q_complete_resources_open(c->app->db, &in, &rows, &e))
		return;
	while (q_complete_resources_next(&rows, &row))
		if (!acts || !strcmp(row.kind, "vm") || !strcmp(row.kind, "tpu") ||
			!strcmp(row.kind, "queued"))
			complete_add(c, strchr(c->word, '/') ? row.id : row.name, row.kind);
	db_rows_close(&rows, &e);
}

static void names_sources(struct completing *c)
{
	/* as in collector/collect.c, which is part of tpucost-net */
	static const char *const names[] = {"vm", "disk", "ip", "tpu", "queued", "snapshot",
		"bucket", "project", "account", "quota", "tpu-quota", "price",
		"machine-type", "metric", "billing"};

	for (size_t i = 0; i < POLL_GROUPS; i++)
		complete_add(c, poll_group_names[i], "group");
	add_list(c, "", names, NULL, ARRAY_LEN(names), sizeof(names[0]));
}

static void names_ids(struct completing *c)
{
	add_resources(c, true);
}

/* Adds everything that `why` explains. */
static void names_things(struct completing *c)
{
	static const char *const kinds[] = {"burn", "grant:", "budget:", "credit:", "rule:",
		"source:", "alert:", "quota:", "cost:", "action:", "gone:"};
	const char *colon = strchr(c->word, ':'), *prefix = "";

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (!colon)
			complete_add(c, kinds[i], NULL);
		else if (str_starts(c->word, kinds[i]))
			prefix = kinds[i];
	}
	if (!add_named(c, prefix, prefix))
		add_resources(c, false);
}

static void names_reports(struct completing *c)
{
	add_list(c, "", &report_kinds[0].name, &report_kinds[0].summary, n_report_kinds,
		sizeof(report_kinds[0]));
}

static void names_keys(struct completing *c)
{
	struct config_key *keys;
	size_t n = config_doc_keys(&c->app->arena, &keys);

	for (size_t i = 0; i < n; i++)
		if (!strchr(keys[i].path, '['))
			complete_add(c, keys[i].path, keys[i].field->doc);
}

static void names_topics(struct completing *c)
{
	const char *names[16];
	size_t n = help_topic_names(names, ARRAY_LEN(names));

	for (size_t i = 0; i < n; i++)
		complete_add(c, names[i], "topic");
}

static void names_views(struct completing *c)
{
	for (size_t i = 0; i < n_views; i++)
		complete_add(c, views[i]->name, views[i]->doc);
}

static const struct {
	const char *kind;
	void (*add)(struct completing *c);
} kinds[] = {
	{"source", names_sources},
	{"id", names_ids},
	{"thing", names_things},
	{"report", names_reports},
	{"key", names_keys},
	{"topic", names_topics},
	{"view", names_views},
};

/* Adds names from the database: the rows of the query of that kind. */
static void names_add_known(struct completing *c, const char *kind)
{
	struct q_complete_names_in in = {.kind = kind, .most = MOST};
	struct q_complete_names row;
	struct db_rows rows;
	struct err e = {0};

	if (!db_of(c) || q_complete_names_open(c->app->db, &in, &rows, &e))
		return;
	while (q_complete_names_next(&rows, &row))
		complete_add(c, row.name, row.meaning);
	db_rows_close(&rows, &e);
}

void complete_names(struct completing *c, const char *kind)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (!strcmp(kinds[i].kind, kind)) {
			kinds[i].add(c);
			return;
		}
	if (!add_named(c, kind, ""))
		names_add_known(c, kind);
}
