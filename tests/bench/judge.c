/* judge RESOURCES RULES ROUNDS [DIRECTORY]: how long judging takes. A database in a scratch directory gets
 * that many machines, TPUs, disks and addresses; the rules are conditions as people write them,
 * each a little different; every tenth of them matches one machine in a hundred. Prints a line a round:
 * milliseconds of derive, milliseconds of judge, alerts that fire. With a directory the database
 * stays there, and the conditions beside it, one a line. */
#include "base/fs.h"
#include "base/time/clock.h"
#include "base/str.h"
#include "db/internal.h"
#include "rules/derive/derive.h"
#include "rules/judge/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOW INT64_C(1795219200)

static const char *const conditions[] = {
	"kind = 'vm' AND state = 'running' AND vcpus >= %zu AND running_hours > %zu",
	"kind = 'tpu' AND covered = 0 AND net_per_hour > %zu AND age_hours > %zu",
	"kind = 'disk' AND attached_to IS NULL AND size_gib > %zu AND age_hours > %zu",
	"name LIKE 'worker-%zu%%' AND labels NOT LIKE '%%owner-%zu%%'",
	"kind = 'vm' AND net_per_hour > %zu AND idle_minutes > %zu AND NOT EXISTS "
	"(SELECT 1 FROM resources t WHERE t.kind = 'tpu' AND t.state = 'running' AND "
	"t.zone = resources.zone)",
};

static const char matching[] = "kind = 'vm' AND state = 'running' AND vcpus >= 8 AND "
			       "CAST(substr(name, 8) AS INTEGER) %% 100 = %zu";

static void die(const struct err *e)
{
	fprintf(stderr, "judge: %s\n", e->msg);
	exit(1);
}

static void fill(struct db *db, size_t n)
{
	struct sbuf sql = SBUF_INIT;
	struct err e = {0};

	sbuf_addf(&sql,
		"INSERT INTO source_status (source, project, state, last_attempt, "
		"last_success, items, poll_group) VALUES ('vm', 'p', 'ok', %lld, %lld, "
		"1, 'instances');WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
		"FROM n WHERE i < %zu), k AS (SELECT i, CASE i %% 5 WHEN 0 THEN 'tpu' "
		"WHEN 1 THEN 'disk' WHEN 2 THEN 'ip' ELSE 'vm' END AS kind, CASE i %% 3 "
		"WHEN 0 THEN 'us-central1-f' WHEN 1 THEN 'europe-west4-a' ELSE "
		"'us-central1-b' END AS zone FROM n) INSERT INTO resource (id, uid, "
		"source, kind, project, location, zone, region, name, state, raw_state, "
		"type, provisioning, size_gib, labels, created, state_since, first_seen, "
		"last_seen, complete) SELECT 'p/' || kind || '/' || zone || '/worker-' "
		"|| i, i, kind, kind, 'p', zone, zone, substr(zone, 1, length(zone) - "
		"2), 'worker-' || i, 'running', 'RUNNING', CASE kind WHEN 'tpu' THEN "
		"'v3-8' WHEN 'vm' THEN 'n1-standard-8' WHEN 'disk' THEN 'pd-ssd' ELSE "
		"'external' END, 'on-demand', 100, '{\"owner\":\"owner-' || i %% 50 || "
		"'\"}', %lld - i, %lld - i, 1, %lld, 1 FROM k;INSERT INTO "
		"resource_interval (id, uid, starts, kind, project, location, name, "
		"state, type, provisioning, size_gib, created) SELECT id, uid, created, "
		"kind, project, location, name, state, type, provisioning, size_gib, "
		"created FROM resource",
		(long long)NOW, (long long)NOW, n, (long long)NOW - 86400,
		(long long)NOW - 86400, (long long)NOW);
	if (db_exec(db, sql.s, &e))
		die(&e);
	sbuf_done(&sql);
}

static struct rule *make_rules(struct arena *a, size_t n)
{
	struct rule *rules = arena_alloc(a, n * sizeof(*rules));

	for (size_t i = 0; i < n; i++) {
		size_t far = 100000 + i;
		struct sbuf where = SBUF_INIT;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		if (i % 10)
			sbuf_addf(&where, conditions[i % ARRAY_LEN(conditions)], far, far);
		else
			sbuf_addf(&where, matching, i / 10);
#pragma GCC diagnostic pop
		rules[i] = (struct rule){.name = arena_printf(a, "rule-%zu", i),
			.on = "resources",
			.where = arena_strdup(a, where.s),
			.summary = "{name} ({type}) costs {gross_per_hour} {currency}",
			.severity = SEVERITY_WARNING,
			.enabled = true};
		sbuf_done(&where);
	}
	return rules;
}

static void measure(struct db *db, const struct settings *s, ts_t now)
{
	struct derive_opts o = {
		.settings = s, .now = now, .since = TS_NONE, .until = TS_NONE};
	struct clock *clock = clock_system();
	struct arena arena = {0};
	struct judgement out;
	struct err e = {0};
	struct db_tx tx = {0};
	int64_t began = clock_mono_ms(clock), derived;

	if (db_begin(db, &tx, &e) || derive(db, &o, &e) || db_commit(&tx, &e))
		die(&e);
	derived = clock_mono_ms(clock);
	if (db_begin(db, &tx, &e) || judge(db, s, now, &arena, &out, &e) ||
		db_commit(&tx, &e))
		die(&e);
	printf("%lld %lld %zu\n", (long long)(derived - began),
		(long long)(clock_mono_ms(clock) - derived), out.firing);
	if (out.n_errors)
		fprintf(stderr, "judge: %s\n", out.errors[0]);
	arena_done(&arena);
}

static bool write_conditions(const char *dir, const struct rule *rules, size_t n)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/conditions", dir);
	f = fopen(path, "w");
	for (size_t i = 0; f && i < n; i++)
		fprintf(f, "%s\n", rules[i].where);
	return f && !fclose(f);
}

/* As `tpucost views --format sql` prints them. */
static void write_views(struct db *db, const struct settings *s, ts_t now, const char *dir)
{
	struct derive_opts o = {
		.settings = s, .now = now, .since = TS_NONE, .until = TS_NONE};
	struct sbuf b = SBUF_INIT;
	struct err e = {0};
	char path[4096];

	snprintf(path, sizeof(path), "%s/views", dir);
	if (derive_begin(db, &o, &e) || db_print_derived(db, &b, &e))
		die(&e);
	db_print_views(&b);
	if (fs_write_atomic(path, b.s, b.len, 0600, &e))
		die(&e);
	sbuf_done(&b);
}

int main(int argc, char **argv)
{
	char scratch[] = "/tmp/tpucost-judge-XXXXXX", path[4096];
	const char *dir = argc == 5 ? argv[4] : scratch;
	struct poll_interval interval = {"instances", 3600};
	struct arena arena = {0};
	struct settings s = {.currency = "USD", .intervals = &interval, .n_intervals = 1};
	int64_t n, n_rules, rounds;
	struct err e = {0};
	struct db *db;
	struct tz *tz;
	bool rebuilt;

	if (argc < 4 || argc > 5 || !str_to_i64(argv[1], 1, 1000000, &n) ||
		!str_to_i64(argv[2], 1, 10000, &n_rules) ||
		!str_to_i64(argv[3], 1, 1000, &rounds)) {
		fputs("usage: judge RESOURCES RULES ROUNDS [DIRECTORY]\n", stderr);
		return 1;
	}
	if (argc == 4 && !mkdtemp(scratch))
		return 1;
	snprintf(path, sizeof(path), "%s/t.db", dir);
	if (tz_open("UTC", &tz, &e) || db_open(path, DB_WRITE, clock_system(), &db, &e) ||
		db_keep_rollups(db, &rebuilt, &e))
		die(&e);
	s.tz = tz;
	s.rules = make_rules(&arena, (size_t)n_rules);
	s.n_rules = (size_t)n_rules;
	fill(db, (size_t)n);
	for (int64_t i = 0; i < rounds; i++)
		measure(db, &s, NOW + i * 60);
	if (argc == 5)
		write_views(db, &s, NOW + (rounds - 1) * 60, dir);
	db_close(db);
	if (argc == 4) {
		unlink(path);
		rmdir(dir);
	} else if (!write_conditions(dir, s.rules, s.n_rules)) {
		perror(dir);
		return 1;
	}
	tz_free(tz);
	arena_done(&arena);
	return 0;
}
