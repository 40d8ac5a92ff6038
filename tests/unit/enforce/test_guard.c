/* Every guard with what it lets pass and what not: one thing is changed in a world where all of
 * them pass. */
#include "base/fs.h"
#include "base/str.h"
#include "rules/enforce/enforce.h"
#include "rules/enforce/generation.h"
#include "rules/enforce/guard.h"
#include "rules/enforce/halt.h"

#include "tests/support/assert.h"
#include "tests/support/fault/faultstmt.h"
#include "tests/support/world/guard_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOW GW_NOW
#define HOUR INT64_C(3600)
#define DAY INT64_C(86400)

static void nothing_is_in_the_way_of_a_plain_case(void **state)
{
	gw_passes();
	gw.ask.live = NULL; /* before anybody looked */
	gw_passes();
	gw_tpu();
	gw_passes();
	gw_queued();
	gw_passes();
}

/* ---- what people decided ----------------------------------------------------------------------- */

static void a_rule_that_is_gone_ends_it(void **state)
{
	gw.ask.rule = NULL;
	gw_refused("rule-gone", "rule r no longer exists");
	assert_int_equal(gw.no.end, GUARD_ANEW);
	gw.ask.rule = &gw.rule;
	gw.rule.enabled = false;
	gw_refused("rule-gone", "no longer exists");
	gw.rule.enabled = true;
	gw.step->action = NULL;
	gw_refused("rule-gone", "no longer has the action '");
	gw.step->action = gw.second ? "stop" : "delete";
	gw_refused("rule-gone", "no longer has the action '");
}

static void mode_rule_and_project_are_asked_last(void **state)
{
	static const char *const others[] = {"q", "123"};
	struct guard_no all[64];
	struct err e = {0};
	size_t n;

	gw.en.mode = ENFORCE_DRY_RUN;
	gw_refused("mode", "enforcement.mode is dry-run");
	gw.en.mode = ENFORCE_OFF;
	gw_refused("mode", "enforcement.mode is off");
	gw.step->armed = false;
	gw_refused("armed", "rule r is not armed");
	gw.en.projects = others;
	gw_refused("project", "project p is not in");
	assert_true(n_guards <= ARRAY_LEN(all));
	assert_ok(guard_all(&gw.ask, all, &n, &e), e);
	assert_i64_eq(n, 3);
	assert_string_equal(all[0].name, "project");
	assert_string_equal(all[1].name, "armed");
	assert_string_equal(all[2].name, "mode");
	gw.settings.enforcement = NULL;
	assert_ok(guard_all(&gw.ask, all, &n, &e), e);
	assert_i64_eq(n, 3);
	assert_contains(all[2].reason, "enforcement.mode is off");
}

static void a_project_may_be_listed_by_its_number(void **state)
{
	const char *numbers[] = {"123"};

	gw.en.projects = numbers;
	gw_refused("project", "p is not in");
	gw_exec("INSERT INTO project VALUES ('p', '123', '', 0, 0)");
	gw_passes();
	/* the id belonged to another project once: nobody knows which one is meant */
	gw_exec("INSERT INTO billed_project (project, number, account) VALUES ('p', '124', "
		"'')");
	gw_refused("project", "p is not in");
	numbers[0] = "124";
	gw_refused("project", "p is not in");
	gw.en.n_projects = 0;
	gw_refused("project", "p is not in");
}

static void put_file(const char *path)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fclose(f), 0);
}

/* What it is, and what a stop would do, are guesses: no machine of an invented family is touched. */
static void an_unknown_family_is_not_touched(void **state)
{
	static const char *const unknown[] = {"tpu9z-standard-4t", "ct9x-hightpu-16t"};
	static const char *const machines[] = {"n1-highmem-96", "ct6e-standard-4t", "ctx-4",
		"tpu-t", "tpux-4T", "c4t", "tpu9z-t"};

	for (size_t i = 0; i < ARRAY_LEN(machines); i++) {
		gw.subject.type = gw.live.type = machines[i];
		gw_passes();
	}
	for (size_t i = 0; i < ARRAY_LEN(unknown); i++) {
		gw.subject.type = gw.live.type = unknown[i];
		gw_refused("family", "does not know the TPU family of");
	}
	gw_tpu();
	gw.subject.type = gw.live.type = "v9-8";
	gw_refused("family", "does not know the TPU family of v9-8");
	gw.ask.subject = NULL;
	gw_refused("changed", "the last poll did not find it");
}

/* A grant for europe-west4-z is a misspelt one for europe-west4-a. */
static void a_grant_for_no_zone_may_be_meant_for_it(void **state)
{
	struct grant grants[] = {{.name = "trc",
					 .family = "v3",
					 .type = "v3-8",
					 .zone = "europe-west4-z",
					 .provisioning = "on-demand",
					 .starts = NOW - DAY,
					 .until = NOW + DAY},
		{.name = "more",
			.family = "v3",
			.type = "v3-8",
			.zone = "europe-west4-z",
			.provisioning = "on-demand",
			.starts = NOW - DAY,
			.until = NOW + DAY},
		{.name = "old",
			.family = "v3",
			.type = "v3-8",
			.zone = "europe-west4-z",
			.provisioning = "on-demand",
			.starts = NOW - 9 * DAY,
			.until = NOW - DAY},
		{.name = "other",
			.family = "v2",
			.type = "v2-8",
			.zone = "europe-west4-z",
			.provisioning = "on-demand",
			.starts = NOW - DAY,
			.until = NOW + DAY}};

	const struct price_override prices[] = {{.family = "v3", .zone = "us-central1-c"}};

	gw.settings.grants = grants;
	gw.settings.n_grants = ARRAY_LEN(grants);
	gw_passes(); /* a machine is no TPU */
	gw_tpu();
	gw_refused(
		"grant-zone", "grant trc: there is no zone europe-west4-z; v3-8 exists in");
	gw.action.approved = NOW - HOUR;
	gw_passes();
	gw.action.approved = TS_NONE;
	tempdb_put_quota(&gw.t,
		(struct q_quota_put_in){.service = "tpu.googleapis.com",
			.metric = "m",
			.location = "europe-west4-z",
			.quota_id = "TPUV3sPerProjectPerZoneForTPUAPI",
			.limit_value = SOME(16)});
	gw_passes(); /* by now there is such a zone */
	gw_exec("DELETE FROM quota_item");
	grants[0].family =
		"v2"; /* grants of another family do not count, wherever they are */
	gw_refused("grant-zone",
		"grant more: there is no zone europe-west4-z; v3-8 exists in");
	grants[0].family = "v3";
	grants[0].zone = grants[1].zone = "europe-west4-a";
	gw_passes();
	grants[0].zone = "us-central1-c"; /* it exists, and has other types */
	gw_refused("grant-zone",
		"grant trc: v3-8 does not exist in us-central1-c; it exists in "
		"us-central1-a");
	gw.settings.prices = prices; /* unless the user knows more */
	gw.settings.n_prices = 1;
	gw_passes();
	gw.ask.subject = NULL;
	gw_refused("changed", "the last poll did not find it");
}

static void a_halt_file_stops_everything(void **state)
{
	char there[160], inside[192], none[160];
	struct halt_file files[2] = {{.beside = none}, {.beside = gw.t.path}};
	const char *path;

	snprintf(there, sizeof(there), "%s/halt", gw.t.dir);
	snprintf(none, sizeof(none), "%s/none/t.db", gw.t.dir);
	gw.en.halt_files = files;
	gw.en.n_halt_files = 2;
	gw_passes();
	put_file(there);
	gw_refused("halt", there);
	assert_int_equal(remove(there), 0);
	/* a link to nothing is a file that somebody put there */
	assert_int_equal(symlink("/nowhere/at/all", there), 0);
	assert_true(halt_found(&gw.en, gw.t.db, &gw.t.a, &path));
	assert_string_equal(path, there);
	assert_int_equal(remove(there), 0);
	assert_false(halt_found(&gw.en, gw.t.db, &gw.t.a, &path));
	/* a path through what is no directory is not there */
	snprintf(inside, sizeof(inside), "%s/t.db", gw.t.path);
	files[0].beside = inside;
	assert_false(halt_found(&gw.en, gw.t.db, &gw.t.a, &path));
	/* what cannot be told is taken for halted: a link to itself leads nowhere */
	snprintf(inside, sizeof(inside), "%s/loop", gw.t.dir);
	assert_int_equal(symlink("loop", inside), 0);
	gw_refused("halt", "loop/halt");
	snprintf(inside, sizeof(inside), "%s/loop/t.db", gw.t.dir);
	gw_refused("halt", "loop/halt");
	snprintf(inside, sizeof(inside), "%s/loop", gw.t.dir);
	assert_int_equal(remove(inside), 0);
}

/* one -> sub/two -> ../end/three, which is not there */
static void a_halt_counts_beside_each_link(void **state)
{
	static const char *const dirs[] = {"sub", "end"};
	char path[4][160], at[160];
	struct halt_file file = {.beside = path[0], .written = true, .must = true};
	const struct halt_place *v;
	size_t n;

	for (size_t i = 0; i < 2; i++) {
		snprintf(path[3], sizeof(path[3]), "%s/%s", gw.t.dir, dirs[i]);
		assert_int_equal(mkdir(path[3], 0700), 0);
	}
	snprintf(path[0], sizeof(path[0]), "%s/one", gw.t.dir);
	snprintf(path[1], sizeof(path[1]), "%s/sub/two", gw.t.dir);
	assert_int_equal(symlink("sub/two", path[0]), 0);
	assert_int_equal(symlink("../end/three", path[1]), 0);
	gw.en.halt_files = &file;
	gw.en.n_halt_files = 1;
	gw_passes();
	v = halt_places(&gw.en, &gw.t.a, &n);
	assert_i64_eq(n, 3);
	for (size_t i = 0; i < n; i++) {
		/* the last is what every name of the file has in common */
		assert_int_equal(v[i].written, i == 2);
		assert_int_equal(v[i].must, i == 2);
		put_file(v[i].path);
		gw_refused("halt", v[i].path);
		assert_int_equal(remove(v[i].path), 0);
	}
	snprintf(at, sizeof(at), "%s/end/halt", gw.t.dir);
	put_file(at);
	gw_refused("halt", "sub/../end/halt");
	assert_int_equal(remove(at), 0);
	/* where it leads now */
	assert_int_equal(remove(path[0]), 0);
	assert_int_equal(symlink("end/four", path[0]), 0);
	v = halt_places(&gw.en, &gw.t.a, &n);
	assert_i64_eq(n, 2);
	assert_string_equal(v[1].path, at);
	assert_int_equal(remove(path[0]), 0);
	assert_int_equal(remove(path[1]), 0);
	for (size_t i = 0; i < 2; i++) {
		snprintf(path[3], sizeof(path[3]), "%s/%s", gw.t.dir, dirs[i]);
		assert_int_equal(rmdir(path[3]), 0);
	}
}

/* A link that led to the database when it was opened may lead elsewhere by now. */
static void a_halt_counts_beside_what_is_open(void **state)
{
	struct halt_file file = {.beside = "/nonexistent/t.db"};
	char at[160];

	gw.en.halt_files = &file;
	gw.en.n_halt_files = 1;
	gw_passes();
	snprintf(at, sizeof(at), "%s/halt", gw.t.dir);
	put_file(at);
	gw_refused("halt", at);
	assert_int_equal(remove(at), 0);
	gw_passes();
}

/* ---- a database that was restored or copied ----------------------------------------------------- */

static char note[160];

static void note_is(const char *text)
{
	FILE *f;

	snprintf(note, sizeof(note), "%s.generation", gw.t.path);
	f = fopen(note, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void keep(void)
{
	const char *why;
	struct err e = {0};

	assert_ok(enforce_note(gw.t.db, &gw.settings, &gw.t.a, &why, &e), e);
	assert_null(why);
	snprintf(note, sizeof(note), "%s.generation", gw.t.path);
}

/* One part of the file is another text. */
static void change(const char *was, const char *is)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT, out = SBUF_INIT;
	struct err e = {0};
	const char *at;

	keep();
	assert_ok(fs_read(note, 4096, &b, &e), e);
	at = strstr(b.s, was);
	assert_non_null(at);
	sbuf_add(&out, b.s, (size_t)(at - b.s));
	sbuf_adds(&out, is);
	sbuf_adds(&out, at + strlen(was));
	note_is(out.s);
}

static void a_new_database_may_act_and_is_noted_once(void **state)
{
	struct stat one, two;

	gw_passes();
	assert_i64_eq(
		tempdb_int(&gw.t, "SELECT COUNT(*) FROM meta WHERE key = 'generation'"), 0);
	keep();
	gw_passes();
	assert_int_equal(stat(note, &one), 0);
	keep(); /* nothing happened: it is not written */
	assert_int_equal(stat(note, &two), 0);
	assert_true(one.st_ino == two.st_ino);
	/* killed after the file, before the database has it */
	gw_exec("DELETE FROM meta WHERE key = 'generation'");
	gw_passes();
	keep();
	assert_i64_eq(
		tempdb_int(&gw.t, "SELECT COUNT(*) FROM meta WHERE key = 'generation'"), 1);
	assert_int_equal(unlink(note), 0);
	gw_refused(
		"restored", "t.db.generation is missing: it may be a copy; run: tpucost");
	assert_int_equal(gw.no.end, GUARD_CLEARS);
}

static void only_what_is_armed_begins_and_believes(void **state)
{
	static const enum enforce_mode modes[] = {ENFORCE_OFF, ENFORCE_DRY_RUN};
	const char *why = "";
	struct err e = {0};

	keep();
	assert_int_equal(unlink(note), 0);
	for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
		gw.en.mode = modes[i];
		gw_refused("mode", enforce_mode_name(modes[i]));
		assert_ok(enforce_note(gw.t.db, &gw.settings, &gw.t.a, &why, &e), e);
		assert_null(why);
		assert_ok(enforce_accept(gw.t.db, &gw.settings, &gw.t.a, &e), e);
		assert_int_equal(access(note, F_OK), -1);
	}
	gw.en.mode = ENFORCE_ARMED;
	gw_refused("restored", "is missing");
}

static void once_begun_it_is_kept_up_in_every_mode(void **state)
{
	struct generation_look l;
	const char *why;
	struct err e = {0};

	keep();
	gw_exec("INSERT INTO audit_entry VALUES (1, 5, 'user eve', 'x', NULL, NULL, '{}', "
		"'', 'abc')");
	gw.en.mode = ENFORCE_DRY_RUN;
	assert_ok(enforce_note(gw.t.db, &gw.settings, &gw.t.a, &why, &e), e);
	assert_ok(generation_look(gw.t.db, &gw.settings, NULL, &gw.t.a, &l, &e), e);
	assert_i64_eq(l.was.entry, 1);
	gw.settings.enforcement = NULL; /* as by a configuration without that section */
	gw_exec("INSERT INTO audit_entry VALUES (2, 5, 'user eve', 'x', NULL, NULL, '{}', "
		"'abc', 'abd')");
	assert_ok(enforce_note(gw.t.db, &gw.settings, &gw.t.a, &why, &e), e);
	assert_ok(generation_look(gw.t.db, &gw.settings, NULL, &gw.t.a, &l, &e), e);
	assert_i64_eq(l.was.entry, 2);
}

static void before_it_is_armed_there_is_nothing_to_accept(void **state)
{
	struct err e = {0};

	gw.en.mode = ENFORCE_DRY_RUN;
	assert_ok(enforce_accept(gw.t.db, &gw.settings, &gw.t.a, &e), e);
	snprintf(note, sizeof(note), "%s.generation", gw.t.path);
	assert_int_equal(access(note, F_OK), -1);
}

static void each_part_of_the_file_has_to_be_there(void **state)
{
	static const struct {
		const char *text, *why; /* NULL: it is whole */
	} cases[] = {
#define HOST "\"host\":\"h\""
#define FILE_ID "\"inode\":\"1\",\"born\":\"\""
		{"{\"generation\":1,\"entry\":0,\"hash\":\"\"," HOST "," FILE_ID "}", NULL},
		{"{\"generation\":1,\"entry\":-1,\"hash\":\"\"," HOST "," FILE_ID "}",
			"a part of it is missing"},
		{"{\"generation\":1,\"entry\":0," HOST "," FILE_ID "}",
			"a part of it is missing"},
		{"{\"generation\":1,\"entry\":0,\"hash\":\"\"," FILE_ID "}",
			"a part of it is missing"},
		{"{\"generation\":1,\"entry\":0,\"hash\":\"\"," HOST ",\"born\":\"\"}",
			"a part of it is missing"},
		{"{\"generation\":1,\"entry\":0,\"hash\":\"\"," HOST ",\"inode\":\"1\"}",
			"a part of it is missing"},
		{"{\"generation\":1,\"hash\":\"\"," HOST "," FILE_ID "}", "entry"},
		{"{\"entry\":0,\"hash\":\"\"," HOST "," FILE_ID "}", "generation"},
		{"{\"generation\":2,\"entry\":0,\"hash\":\"\"," HOST "," FILE_ID "}",
			"another version"},
		{"{\"generation\":1", ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct generation g = {0};
		struct err e = {0};
		enum err_code rc = generation_parse(
			cases[i].text, strlen(cases[i].text), &gw.t.a, &g, &e);

		assert_int_equal(rc, cases[i].why ? E_DATA : E_OK);
		if (cases[i].why)
			assert_contains(e.msg, cases[i].why);
	}
}

static void a_file_that_cannot_be_looked_at_is_named(void **state)
{
	struct file_id id;
	struct err e = {0};

	assert_int_equal(
		generation_file_id(-1, "/none/t.db", &gw.t.a, &id, &e), E_NOTFOUND);
	assert_contains(e.msg, "check /none/t.db: ");
	assert_int_equal(generation_file_id(-1, "/dev/null/t.db", &gw.t.a, &id, &e), E_IO);
	assert_contains(e.msg, "check /dev/null/t.db: ");
	assert_int_equal(generation_file_id(-1, NULL, &gw.t.a, &id, &e), E_IO);
	assert_contains(e.msg, "check the new file: ");
}

/* What is said of it came from another copy, with the database of that time. */
static void a_file_that_was_copied_over_itself_is_not_believed(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct err e = {0};

	keep();
	assert_ok(fs_read(note, 4096, &b, &e), e);
	assert_int_equal(unlink(note), 0);
	note_is(b.s);
	gw_refused("restored", "was copied over the existing file");
}

static void what_a_copy_looks_like(void **state)
{
	gw_exec("INSERT INTO audit_entry VALUES (1, 5, 'user eve', 'x', NULL, NULL, '{}', "
		"'', 'abc')");
	change("\"entry\":1", "\"entry\":2");
	gw_refused("restored", "it does not have entry 2 of the audit");
	assert_int_equal(unlink(note), 0);
	gw_exec("DELETE FROM meta WHERE key = 'generation'");
	change("\"hash\":\"abc\"", "\"hash\":\"abd\"");
	gw_refused("restored",
		"or a different database: it does not have entry 1 of the audit");
	note_is("{\"generation\":1,\"entry\":1,\"hash\":\"abc\",\"host\":\"\","
		"\"inode\":\"1\",\"born\":\"\"}");
	gw_refused("restored", "it is a copy: ");
	/* what is there already is looked at first */
	gw_exec("INSERT INTO meta VALUES ('backup', '1795219200')");
	gw_refused("restored", "it is a backup of 2026-11-21T00:00:00Z that was restored");
	gw_exec("UPDATE meta SET value = 'once' WHERE key = 'backup'");
	gw_refused("restored", "it is a backup that was restored");
}

static void a_file_system_may_begin_to_tell_births(void **state)
{
	struct generation_look l;
	struct err e = {0};

	keep();
	assert_ok(generation_look(gw.t.db, &gw.settings, NULL, &gw.t.a, &l, &e), e);
	if (*l.is.database.born)
		change(l.is.database.born, "");
	gw_passes();
	keep();
	assert_ok(generation_look(gw.t.db, &gw.settings, NULL, &gw.t.a, &l, &e), e);
	assert_string_equal(l.was.database.born, l.is.database.born);
	if (*l.is.database.born) { /* the inode is used again */
		change(l.is.database.born, "1.000000000");
		gw_refused("restored", "was written for another file");
	}
}

static void the_machine_is_known_by_a_hash_of_its_id(void **state)
{
	char path[160], one[DIGEST_HEX], two[DIGEST_HEX];
	struct generation_look l;
	struct err e = {0};
	FILE *f;

	static const struct {
		const char *text;
		bool known;
	} ids[] = {{"0123456789abcdef0123456789abcdef\n", true},
		{"0123456789abcdef0123456789abcdef", true}, {"", false},
		{"uninitialized\n", false}, {"0123456789abcdef\n", false}};

	snprintf(path, sizeof(path), "%s/machine-id", gw.t.dir);
	enforce_host(path, one);
	assert_string_equal(one, "");
	for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
		f = fopen(path, "w");
		assert_non_null(f);
		assert_true(fputs(ids[i].text, f) >= 0);
		assert_int_equal(fclose(f), 0);
		enforce_host(path, one);
		assert_int_equal(*one != '\0', ids[i].known);
		assert_true(!strstr(one, "0123456789abcdef"));
		if (i == 1)
			assert_string_equal(one, two);
		strcpy(two, one);
	}
	assert_int_equal(unlink(path), 0);
	keep();
	assert_ok(generation_look(gw.t.db, &gw.settings, NULL, &gw.t.a, &l, &e), e);
	assert_null(l.why); /* who cannot hash does not compare */
	assert_ok(generation_look(gw.t.db, &gw.settings, l.was.host, &gw.t.a, &l, &e), e);
	assert_null(l.why);
	assert_ok(generation_look(gw.t.db, &gw.settings, "x", &gw.t.a, &l, &e), e);
	assert_contains(l.why, "was written on another machine");
}

static void what_was_found_stays_until_a_person_resumes(void **state)
{
	const char *why;
	struct err e = {0};

	keep();
	assert_int_equal(unlink(note), 0);
	assert_ok(enforce_find_restored(gw.t.db, &gw.settings, NOW, &gw.t.a, &why, &e), e);
	assert_contains(why, "is missing");
	assert_ok(enforce_find_restored(gw.t.db, &gw.settings, NOW, &gw.t.a, &why, &e), e);
	assert_null(why);
	gw_exec("DELETE FROM meta WHERE key = 'generation'"); /* nothing is missing now */
	gw_exec("INSERT INTO audit_entry VALUES (80, 5, 'tpucost', 'held', NULL, NULL, "
		"'{}', '', 'ab')");
	gw_refused("restored", "is missing: it may be a copy");
	assert_ok(enforce_note(gw.t.db, &gw.settings, &gw.t.a, &why, &e), e);
	assert_contains(why, "is missing");
	assert_int_equal(
		access(note, F_OK), 0); /* the other one may come back, but not act */
	gw_action(8, "state = 'grace', ended = NULL");
	gw_action(9, "state = 'sent', ended = NULL, rule = 'other'");
	assert_ok(enforce_start_over(gw.t.db, &gw.settings, NOW, &gw.t.a, &why, &e), e);
	assert_contains(why, "is missing");
	tempdb_expect(&gw.t, "SELECT state FROM action WHERE action = 8", "cleared");
	tempdb_expect(&gw.t, "SELECT state FROM action WHERE action = 9", "failed");
	gw_exec("INSERT INTO audit_entry VALUES (90, 5, 'user eve', 'resumed', NULL, NULL, "
		"'{}', '', 'abc')");
	assert_ok(enforce_accept(gw.t.db, &gw.settings, &gw.t.a, &e), e);
	gw_passes();
	/* that of another run, with all guards of one moment asked once */
	gw.ask.memo = &(struct guard_memo){.looked = true, .restored = "told before"};
	gw.ask.live = NULL;
	gw_refused("restored", "actions are blocked for this database: told before");
	/* where nothing was restored, nothing starts over */
	gw_action(10, "state = 'grace', ended = NULL");
	assert_ok(enforce_start_over(gw.t.db, &gw.settings, NOW, &gw.t.a, &why, &e), e);
	assert_null(why);
	tempdb_expect(&gw.t, "SELECT state FROM action WHERE action = 10", "grace");
}

static enum err_code look_at_it(void *ctx, struct err *e)
{
	struct generation_look l;

	(void)ctx;
	return generation_look(gw.t.db, &gw.settings, NULL, &gw.t.a, &l, e);
}

static enum err_code note_it(void *ctx, struct err *e)
{
	const char *why;

	(void)ctx;
	return enforce_note(gw.t.db, &gw.settings, &gw.t.a, &why, e);
}

static void forget_it(void *ctx)
{
	(void)ctx;
	(void)!unlink(note);
	gw_exec("DELETE FROM meta WHERE key = 'generation'");
}

static enum err_code find_it(void *ctx, struct err *e)
{
	const char *why;

	(void)ctx;
	return enforce_find_restored(gw.t.db, &gw.settings, NOW, &gw.t.a, &why, e);
}

static enum err_code start_over(void *ctx, struct err *e)
{
	const char *why;

	(void)ctx;
	return enforce_start_over(gw.t.db, &gw.settings, NOW, &gw.t.a, &why, e);
}

static enum err_code ask_guard(void *ctx, struct err *e)
{
	(void)ctx;
	return guard_first(&gw.ask, &gw.no, e);
}

static void a_failing_database_does_not_pass_for_a_good_one(void **state)
{
	static const struct grant misspelt = {.name = "trc",
		.family = "v3",
		.type = "v3-8",
		.zone = "europe-west4-z",
		.starts = NOW - DAY,
		.until = NOW + DAY};

	keep();
	assert_true(faultstmt_sweep_both(gw.t.db, look_at_it, NULL, NULL) >= 4);
	assert_true(faultstmt_sweep_both(gw.t.db, note_it, forget_it, NULL) >= 6);
	assert_true(faultstmt_sweep_both(gw.t.db, ask_guard, NULL, NULL) >= 8);
	gw_tpu();
	gw.settings.grants = &misspelt;
	gw.settings.n_grants = 1;
	assert_true(faultstmt_sweep_both(gw.t.db, ask_guard, NULL, NULL) >= 10);
	gw.settings.n_grants = 0;
	assert_int_equal(unlink(note), 0);
	assert_true(faultstmt_sweep_both(gw.t.db, start_over, NULL, NULL) >= 4);
	assert_true(faultstmt_sweep_both(gw.t.db, find_it, NULL, NULL) >= 4);
}

static void what_cannot_be_written_is_an_error(void **state)
{
	const char *why;
	struct err e = {0};

	snprintf(note, sizeof(note), "%s.generation", gw.t.path);
	assert_int_equal(mkdir(note, 0700), 0);
	gw_refused("restored", "its last action cannot be read");
	assert_int_equal(enforce_accept(gw.t.db, &gw.settings, &gw.t.a, &e), E_IO);
	assert_contains(e.msg, "generation: nothing is stopped or deleted: write ");
	assert_contains(e.fix, "writable for the user that runs tpucost");
	assert_int_equal(rmdir(note), 0);
	assert_ok(enforce_note(gw.t.db, &gw.settings, &gw.t.a, &why, &e), e);
	gw_passes();
}

static void outside_a_window_nothing_is_done(void **state)
{
	struct enforce_window w = {.days = 0x7f, .from = 0, .until = 1};

	gw.en.windows = &w;
	gw.en.n_windows = 1;
	gw_passes();
	gw.ask.now = NOW + 60;
	gw_refused("window", "outside enforcement.windows (UTC)");
}

/* ---- exempt ------------------------------------------------------------------------------------ */

static void a_hold_exempts_until_its_end(void **state)
{
	gw_exec("INSERT INTO hold VALUES ('p/vm/us-central1-b/a', 0, %lld, '')",
		(long long)NOW + 1);
	gw_refused("exempt", "hold until 2026-11-21 00:00 (UTC)");
	assert_int_equal(gw.no.end, GUARD_CLEARS);
	assert_false(gw.no.can_approve);
	gw_exec("UPDATE hold SET until = %lld", (long long)NOW);
	gw_passes();
	gw_exec("UPDATE hold SET id = 'p/vm/us-central1-b/b', until = %lld",
		(long long)NOW + DAY);
	gw_passes();
}

static void labels_exempt_as_stored_and_as_seen(void **state)
{
	gw.subject.labels = gw.live.labels = "{\"tpucost-keep\":\"forever\"}";
	gw_refused("exempt", "label tpucost-keep=forever");
	gw.subject.labels = "{}"; /* put there in the last second */
	gw_refused("exempt", "label tpucost-keep=forever");
	gw.subject.labels = gw.live.labels = "{\"tpucost-keep\":\"until-20261120\"}";
	gw_passes();
	gw.subject.labels = gw.live.labels = "{\"tpucost-keep\":\"until-20261121\"}";
	gw_refused("exempt", "label tpucost-keep=until-20261121");
	gw.subject.labels = gw.live.labels = "{\"tpucost-keep\":\"oui\"}";
	gw_refused("exempt", "invalid value: 'oui'");
	gw.subject.labels = "{}";
	gw.live.labels = NULL;
	gw_refused("exempt", "its labels cannot be read");
	gw.live.labels = "{}";
	gw.subject.labels = "[]";
	gw_refused("exempt", "its labels cannot be read");
	gw.subject.labels = NULL;
	gw_refused("exempt", "its labels cannot be read");
	gw.subject.labels = "{}";
	gw.subject.exempt = true;
	gw_refused("exempt", "at the last poll");
}

static void the_configuration_exempts_by_id_and_name(void **state)
{
	const char *list[] = {"b", "x"};

	gw.en.exempt = list;
	gw.en.n_exempt = 2;
	gw_passes();
	list[1] = "a";
	gw_refused("exempt", "'a' is in enforcement.exempt");
	list[1] = "p/vm/us-central1-b/a";
	gw_refused("exempt", "'p/vm/us-central1-b/a' is in");
	list[1] = "a*"; /* patterns are none */
	gw_passes();
}

static void protect_exempts_unless_it_is_false(void **state)
{
	gw.en.protect = "name = 'b'";
	gw_passes();
	gw.en.protect = "name = 'a'";
	gw_refused("exempt", "enforcement.protect matches");
	gw.en.protect = "0.5"; /* SQL says that this is true */
	gw_refused("exempt", "enforcement.protect matches");
	gw.en.protect = "idle_minutes > 3"; /* NULL: nobody knows */
	gw_refused("exempt", "enforcement.protect is unknown");
	gw.ask.live = NULL;
	gw_refused("exempt", "enforcement.protect is unknown"); /* nor in a plan */
	gw.ask.live = &gw.live;
	gw.en.protect = "name = 'b' OR idle_minutes > 3";
	gw_refused("exempt", "enforcement.protect is unknown");
	gw.en.protect = "name = 'b' AND idle_minutes > 3";
	gw_passes();
	gw.en.protect = "nothing_like_it = 1";
	gw_refused("exempt", "no such column");
	/* too long for a rule */
	gw.en.protect = "(SELECT COUNT(*) FROM resources a, resources b, resources c, "
			"resources d, resources e, resources f, resources g) < 0";
	for (int i = 0; i < 20; i++)
		gw_exec("INSERT INTO resource (id, uid, source, kind, project, location, "
			"name, state, raw_state, labels, first_seen, last_seen, complete) "
			"SELECT id || %d, uid, source, kind, project, location, name || "
			"%d, "
			"state, raw_state, labels, first_seen, last_seen, complete FROM "
			"resource WHERE name = 'a'",
			i, i);
	gw_refused("exempt", "enforcement.protect cannot be evaluated");
	gw.en.protect = "name = 'b'";
	gw_exec("DELETE FROM resource");
	gw_refused("exempt", "not in the view resources");
}

static void a_node_protects_the_queued_resource_that_made_it(void **state)
{
	static const char *const list[] = {"n"}, *const ids[] = {"p/tpu/us-central1-b/n"};

	gw_queued();
	gw_exec("INSERT INTO resource (id, uid, source, kind, project, location, name, "
		"state, raw_state, labels, queued, first_seen, last_seen, complete) VALUES "
		"('p/tpu/us-central1-b/n', '7', 'tpu', 'tpu', 'p', 'us-central1-b', 'n', "
		"'running', 'READY', '{}', "
		"'projects/p/locations/us-central1-b/queuedResources/a', 0, 0, 1)");
	gw_passes();
	gw_exec("INSERT INTO hold VALUES ('p/tpu/us-central1-b/n', 0, %lld, '')",
		(long long)NOW + 1);
	gw_refused("exempt", "of its node p/tpu/us-central1-b/n: hold until");
	/* the first reason is the one that is told */
	gw.en.exempt = list;
	gw.en.n_exempt = 1;
	gw_refused("exempt", "of its node p/tpu/us-central1-b/n: hold until");
	gw_exec("UPDATE resource SET labels = '{\"tpucost-keep\":\"forever\"}' WHERE name "
		"= 'n'");
	gw_refused("exempt", "of its node p/tpu/us-central1-b/n: label tpucost-keep");
	gw.en.n_exempt = 0;
	gw_exec("DELETE FROM hold");
	gw_refused("exempt", "of its node p/tpu/us-central1-b/n: label tpucost-keep");
	gw_exec("UPDATE resource SET labels = '{}' WHERE name = 'n'");
	gw_passes();
	gw_exec("INSERT INTO hold VALUES ('p/tpu/us-central1-b/n', 0, %lld, '')",
		(long long)NOW);
	gw_passes();
	gw_exec("DELETE FROM hold");
	gw.en.exempt = list;
	gw.en.n_exempt = 1;
	gw_refused("exempt",
		"of its node p/tpu/us-central1-b/n: 'n' is in enforcement.exempt");
	gw.en.exempt = ids;
	gw_refused("exempt", "of its node p/tpu/us-central1-b/n: 'p/tpu/");
	gw.en.n_exempt = 0;
	gw.en.protect = "name = 'n'";
	gw_refused("exempt",
		"of its node p/tpu/us-central1-b/n: enforcement.protect matches it");
	gw.en.protect = "name = 'other'";
	gw_passes();
	gw_exec("UPDATE resource SET labels = '{\"tpucost-keep\":\"forever\"}', "
		"queued = 'other' WHERE name = 'n'");
	gw_passes();
	/* of several nodes each protects */
	gw_exec("UPDATE resource SET labels = '{}', queued = "
		"'projects/p/locations/us-central1-b/queuedResources/a' WHERE name = 'n'");
	gw_exec("INSERT INTO resource (id, uid, source, kind, project, location, name, "
		"state, raw_state, labels, queued, first_seen, last_seen, complete) "
		"SELECT id || '2', '8', source, kind, project, location, 'n2', state, "
		"raw_state, '{\"tpucost-keep\":\"forever\"}', queued, 0, 0, 1 "
		"FROM resource WHERE name = 'n'");
	gw.en.protect = NULL;
	gw_refused("exempt", "of its node p/tpu/us-central1-b/n2: label tpucost-keep");
	gw_exec("UPDATE resource SET labels = '{\"tpucost-keep\":\"forever\"}'"
		" WHERE name = 'n'");
	gw_refused("exempt", "of its node p/tpu/us-central1-b/n: label tpucost-keep");
}

/* A node pool is scaled to 0 in all of its zones, and a slice ends with all of its hosts. */
static void a_host_and_another_zone_protect_a_pool(void **state)
{
	static const char pool[] = "locations/us-central1/clusters/c/nodePools/p";

	gw_tpu();
	gw.action.t.group = pool;
	gw_exec("INSERT INTO resource (id, uid, source, kind, project, location, name, "
		"state, raw_state, labels, attached_to, first_seen, last_seen, complete) "
		"VALUES ('p/tpu/us-central1-c/s', '7', 'slice', 'tpu', 'p', "
		"'us-central1-c', 's', 'running', 'RUNNING', '{}', '%s', 0, 0, 1)",
		pool);
	gw_exec("INSERT INTO hold VALUES ('p/tpu/us-central1-c/s', 0, %lld, '')",
		(long long)NOW + 1);
	gw_refused("exempt", "of its node pool, p/tpu/us-central1-c/s: hold until");
	gw.action.t.group = "zones/us-central1-b/instanceGroupManagers/g";
	gw.live.managed_by = "a managed instance group";
	gw_refused("managed", ""); /* not a pool */
	gw.action.t.group = pool;
	gw_exec("DELETE FROM hold");
	gw_exec("INSERT INTO host (id, uid, project, zone, name, state, raw_state, type, "
		"provisioning, labels, group_path, slice, last_seen, complete) VALUES "
		"('p/host/us-central1-b/h1', '8', 'p', 'us-central1-b', 'h1', 'running', "
		"'RUNNING', 'ct6e-standard-4t', 'spot', '{}', '', '%s', 0, 1), "
		"('p/host/us-central1-c/h2', '9', 'p', 'us-central1-c', 'h2', 'running', "
		"'RUNNING', 'ct6e-standard-4t', 'spot', '{}', '', "
		"'p/tpu/us-central1-c/s', 0, 1)",
		gw.action.t.id);
	gw_exec("INSERT INTO hold VALUES ('p/host/us-central1-c/h2', 0, %lld, '')",
		(long long)NOW + 1);
	gw_refused("exempt", "of its host h2: hold until");
	/* as a TPU of its own, which it was before; the first host is the one that is told */
	gw_exec("INSERT INTO hold VALUES ('p/tpu/us-central1-b/h1', 0, %lld, '')",
		(long long)NOW + 1);
	gw_refused("exempt", "of its host h1: hold until");
	gw_exec("UPDATE hold SET until = %lld", (long long)NOW);
	gw_refused("kind", "its node pool is also in us-central1-c");
}

/* Its nodes are deleted with it: their cost ends with it. */
static void a_queued_resource_costs_what_its_nodes_cost(void **state)
{
	static const struct {
		const char *set;
		struct opt_i64 net;
		const char *currency;
	} cases[] = {{"net = net", SOME(11), "USD"},
		{"currency = 'HKD', net = 6", NONE, NULL}, {"net = NULL", NONE, "USD"},
		{"net = 9223372036854775807", NONE, "USD"}, {"net = 0", SOME(5), "USD"}};

	gw_queued();
	for (int i = 1; i <= 3; i++)
		gw_exec("INSERT INTO resource (id, uid, source, kind, project, location, "
			"name, "
			"state, raw_state, labels, queued, first_seen, last_seen, "
			"complete) "
			"VALUES ('n%d', '7', 'tpu', 'tpu', 'p', 'us-central1-b', 'n%d', "
			"'running', 'READY', '{}', 'q/%s', 0, 0, 1)",
			i, i, i < 3 ? "a" : "b");
	gw_exec("DELETE FROM verdict; INSERT INTO verdict (id, exempt, net, currency) "
		"VALUES "
		"('n1', 0, 5, 'USD'), ('n2', 0, 6, 'USD'), ('n3', 0, 7, 'EUR')");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct enforce_subject s;
		struct err e = {0};
		bool found;

		gw_exec("UPDATE verdict SET net = 6, currency = 'USD' WHERE id = 'n2'");
		gw_exec("UPDATE verdict SET %s WHERE id = 'n2'", cases[i].set);
		assert_ok(enforce_subject_get(
				  gw.t.db, gw.action.t.id, &gw.t.a, &s, &found, &e),
			e);
		assert_int_equal(s.net.set, cases[i].net.set);
		assert_i64_eq(s.net.set ? s.net.v : 0, cases[i].net.v);
		assert_true(str_eq(s.currency, cases[i].currency));
	}
}

/* What remains costs in the same currency, or it is not subtracted. */
static void what_remains_costs_in_the_same_currency(void **state)
{
	static const char *const currencies[] = {"USD", "HKD"};

	gw_exec("DELETE FROM verdict; INSERT INTO verdict (id, exempt, net, currency) "
		"VALUES "
		"(%Q, 0, 5, 'USD')",
		gw.action.t.id);
	for (size_t i = 0; i < ARRAY_LEN(currencies); i++) {
		struct enforce_subject s;
		struct err e = {0};
		bool found;

		gw_exec("DELETE FROM residual; INSERT INTO residual (id, gross, currency, "
			"text) "
			"VALUES (%Q, 3, %Q, 'disk')",
			gw.action.t.id, currencies[i]);
		assert_ok(enforce_subject_get(
				  gw.t.db, gw.action.t.id, &gw.t.a, &s, &found, &e),
			e);
		assert_i64_eq(s.net.v, 5);
		assert_int_equal(s.residual.set, i == 0);
		assert_i64_eq(i ? 0 : s.residual.v, i ? 0 : 3);
		assert_string_equal(s.remains, "disk");
	}
}

/* Nobody has judged it yet, so nobody knows. */
static void what_was_never_judged_counts_as_exempt(void **state)
{
	struct enforce_subject s;
	struct err e = {0};
	bool found;

	assert_ok(enforce_subject_get(gw.t.db, gw.action.t.id, &gw.t.a, &s, &found, &e), e);
	assert_true(found);
	assert_false(s.exempt);
	gw_exec("DELETE FROM verdict");
	assert_ok(enforce_subject_get(gw.t.db, gw.action.t.id, &gw.t.a, &s, &found, &e), e);
	assert_true(found);
	assert_true(s.exempt);
	gw.subject = s;
	gw_refused("exempt", "exempt at the last poll");
}

/* ---- what it is -------------------------------------------------------------------------------- */

static void only_what_has_a_stop_is_stopped(void **state)
{
	gw.action.t.kind = "disk";
	gw_refused("kind", "no action is ever taken on a disk");
	gw.action.verb = VERB_DELETE;
	gw.rule.then.action = "delete";
	gw_refused("kind", "no action is ever taken on a disk");
	gw_queued();
	gw.action.verb = VERB_STOP;
	gw.rule.then.action = "stop";
	gw_refused("kind", "a queued resource cannot be stopped, only deleted");
}

static void slices_cannot_be_stopped(void **state)
{
	gw_tpu();
	gw.live.hosts = 2;
	gw_refused("kind", "a TPU slice of several hosts cannot be stopped");
	gw.live.hosts = 1;
	gw.subject.hosts = 4;
	gw_refused("kind", "a TPU slice of several hosts cannot be stopped");
	gw.ask.live = NULL;
	gw_refused("kind", "a TPU slice of several hosts cannot be stopped");
	gw.subject.hosts = 0;
	gw_refused("hosts", "number of hosts is unknown");
	gw.ask.live = &gw.live; /* a look tells it */
	gw_passes();
	gw.subject.hosts = 1;
	gw.live.hosts = 0;
	gw_refused("hosts", "number of hosts is unknown");
	gw.live.hosts = 1; /* the type speaks against it */
	gw.live.type = gw.subject.type = "v3-32";
	gw_refused("kind", "a TPU slice of several hosts");
	gw.ask.live = NULL;
	gw_refused("kind", "a TPU slice of several hosts");
	gw.ask.live = &gw.live;
	gw.live.hosts = 0;
	gw_delete();
	gw_passes();
}

static void spot_and_flex_start_can_only_be_deleted(void **state)
{
	gw_tpu();
	gw.subject.provisioning = "spot";
	gw_refused("kind", "a spot TPU cannot be stopped");
	gw.subject.provisioning = "on-demand";
	gw.live.spot = true;
	gw_refused("kind", "a spot TPU cannot be stopped");
	gw_delete();
	gw_passes();
}

static void a_spot_machine_can_be_stopped_a_flex_start_one_not(void **state)
{
	gw.live.spot = true;
	gw_passes();
	gw.live.flex_start = true;
	gw_refused("kind", "a flex-start machine cannot be stopped");
	gw.live.flex_start = false;
	gw.subject.provisioning = "flex-start"; /* before a live check, too */
	gw_refused("kind", "a flex-start machine cannot be stopped");
	gw_delete();
	gw_passes();
}

static void a_node_of_a_queued_resource_is_never_alone(void **state)
{
	gw_tpu();
	gw.subject.queued = "q";
	gw_refused("kind", "it belongs to queued resource q");
	gw.ask.live = NULL; /* also before anybody looked: the plan says it */
	gw_refused("kind", "it belongs to queued resource q");
	gw.ask.live = &gw.live;
	gw.subject.queued = NULL;
	gw.live.queued = "projects/p/locations/z/queuedResources/q2";
	gw_refused("kind", "it belongs to queued resource q2:");
	gw_delete();
	gw_refused("kind", "it belongs to queued resource q2:");
	gw.live.queued = "";
	gw_passes();
	gw.live.multislice = true;
	gw_refused("kind", "part of a multislice");
	gw.action.verb = VERB_STOP;
	gw.rule.then.action = "stop";
	gw_refused("kind", "part of a multislice");
}

struct state_case {
	const char *raw, *state;
	bool stop, delete_;
};

static void check_states(const struct state_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		gw.live.raw_state = gw.subject.raw_state = cases[i].raw;
		gw.live.state = gw.subject.state = cases[i].state;
		for (int verb = 0; verb < 2; verb++) {
			bool want = verb ? cases[i].delete_ : cases[i].stop;

			gw.action.verb = verb ? VERB_DELETE : VERB_STOP;
			gw.rule.then.action = verb ? "delete" : "stop";
			gw.ask.live = &gw.live;
			gw_refused(want ? "" : "state", want ? "" : cases[i].raw);
			gw.ask.live = NULL;
			gw_refused(want ? "" : "state", want ? "" : cases[i].raw);
		}
	}
	gw.ask.live = &gw.live;
}

static void machines_are_acted_on_while_they_run(void **state)
{
	static const struct state_case cases[] = {
		{"RUNNING", "running", true, true},
		{"PROVISIONING", "starting", false, false},
		{"STAGING", "starting", false, false},
		{"REPAIRING", "starting", false, false},
		{"STOPPING", "stopping", false, false},
		{"SUSPENDED", "suspended", false, false},
		{"TERMINATED", "stopped", false, false},
		{"NEW_WORD", "unknown", false, false},
		{"READY", "running", false, false},
		{"", "unknown", false, false},
	};

	gw_delete();
	check_states(cases, ARRAY_LEN(cases));
	gw.live.raw_state = "RUNNING";
	gw.live.state = "unknown"; /* by our own table */
	gw.action.verb = VERB_STOP;
	gw.rule.then.action = "stop";
	gw_refused("state", "RUNNING");
	/* a look knows better than the last poll */
	gw.live.state = "running";
	gw_passes();
}

static void leftovers_of_tpus_can_be_deleted(void **state)
{
	static const struct state_case cases[] = {
		{"READY", "running", true, true},
		{"PREEMPTED", "preempted", false, true},
		{"PREEMPTED", "running", false, true}, /* whatever else is said of it */
		{"TERMINATED", "failed", false, true},
		{"STOPPED", "stopped", false, false},
		{"CREATING", "starting", false, false},
		{"REPAIRING", "starting", false, false},
		{"DELETING", "deleting", false, false},
		{"STATE_UNSPECIFIED", "unknown", false, false},
		{"RUNNING", "running", false, false},
	};

	gw_tpu();
	gw_delete();
	check_states(cases, ARRAY_LEN(cases));
}

/* Its second step deletes what was stopped; so does a rule of one step what is not meant to last. */
static void a_stopped_machine_is_deleted_by_a_second_step(void **state)
{
	static const struct {
		const char *raw, *provisioning;
		bool first, second;
	} cases[] = {{"TERMINATED", "on-demand", false, true},
		{"TERMINATED", "spot", true, true},
		{"TERMINATED", "flex-start", true, true},
		{"TERMINATED", "reserved", false, true},
		{"SUSPENDED", "spot", false, false}, {"STOPPING", "spot", false, false}};

	if (!gw.second)
		gw_stop();
	gw_passes();
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		gw.live.raw_state = gw.subject.raw_state = cases[i].raw;
		gw.subject.provisioning = cases[i].provisioning;
		gw.action.follows = GW_STOP;
		gw_refused(cases[i].second ? "" : "state", "");
		gw.action.follows = 0;
		gw_refused(cases[i].first ? "" : "state", "");
	}
	gw.action.follows = GW_STOP;
	gw_tpu();
	gw_passes();
	gw.action.follows = 0;
	gw_refused("state", "STOPPED");
	/* started since the last poll, which only a look sees of a TPU node */
	gw.action.follows = GW_STOP;
	gw.live.raw_state = "READY";
	gw.live.state = "running";
	gw_refused("state", "READY");
}

static void queued_resources_are_deleted_waiting_active_or_left(void **state)
{
	static const struct {
		const char *raw;
		bool want;
	} cases[] = {{"ACTIVE", true}, {"SUSPENDED", true}, {"FAILED", true},
		{"ACCEPTED", true}, {"WAITING_FOR_RESOURCES", true},
		{"PROVISIONING", false}, {"CREATING", false}, {"SUSPENDING", false},
		{"DELETING", false}, {"STATE_UNSPECIFIED", false}};

	gw_queued();
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		gw.live.raw_state = gw.subject.raw_state = cases[i].raw;
		gw_refused(cases[i].want ? "" : "state", cases[i].want ? "" : cases[i].raw);
	}
}

static void deleting_needs_two_permissions_and_an_age(void **state)
{
	gw_delete();
	gw_passes();
	gw.step->allow_delete = false;
	gw_refused("delete", "rule r does not set allow_delete");
	gw.step->allow_delete = true;
	gw.en.allow_delete = false;
	gw_refused("delete", "enforcement does not set allow_delete");
	gw.en.allow_delete = true;
	gw.live.created = gw.subject.created = NOW - HOUR;
	gw_passes();
	gw.action.began = NOW;
	gw.live.created = gw.subject.created = NOW - HOUR + 1;
	gw_refused("delete", "younger than an hour");
	gw.live.created = TS_NONE;
	gw_refused("delete", "its creation time is unknown");
	gw.ask.live = NULL;
	gw_refused("delete", "younger than an hour");
}

static void what_others_own_is_left_alone(void **state)
{
	static const char *const labels[] = {"{\"goog-gke-node\":\"\"}",
		"{\"a\":\"b\",\"goog-k8s-cluster-name\":\"c\"}",
		"{\"goog-dataproc-cluster-name\":\"c\"}",
		"{\"goog-dataflow-job-id\":\"j\"}",
		"{\"goog-composer-environment\":\"e\"}"};

	for (size_t i = 0; i < ARRAY_LEN(labels); i++) {
		gw.subject.labels = gw.live.labels = labels[i];
		gw_refused("managed", "it belongs to ");
	}
	gw.subject.labels = gw.live.labels = "{\"my-goog-gke-\":\"x\"}";
	gw_passes();
	gw.live.managed_by = "a managed instance group";
	gw_refused("managed", "it belongs to a managed instance group");
	/* before it is looked at, by the group of the inventory; that of a slice is the slice */
	gw.live.managed_by = NULL;
	gw.action.t.group = "zones/us-central1-a/instanceGroupManagers/workers";
	gw_refused("managed", "it belongs to the managed instance group workers");
	gw.action.t.group = arena_printf(
		&gw.t.a, "zones/us-central1-a/instanceGroupManagers/%s", gw.action.t.name);
	gw_passes();
}

static void what_protects_itself_is_left_alone(void **state)
{
	gw.live.deletion_protection = true;
	gw_refused("protected", "deletion protection");
	gw.live.deletion_protection = false;
	gw.live.local_ssd = true;
	gw_refused("local-ssd", "local SSDs");
	gw.live.local_ssd = false;
	gw_exec("UPDATE resource SET local_ssd_gib = -1");
	gw_refused("local-ssd", "local SSDs");
	gw_exec("UPDATE resource SET local_ssd_gib = 0");
	gw_passes();
	gw.live.own_host = true;
	gw_refused("own-host", "tpucost runs on it");
}

/* ---- is it still the same? --------------------------------------------------------------------- */

static void another_machine_of_the_name_is_another_episode(void **state)
{
	gw.live.uid = "2";
	gw_refused("identity", "id 2; the warning was about id 1");
	assert_int_equal(gw.no.end, GUARD_ANEW);
	gw.live.uid = "1";
	gw.subject.t.uid = "2";
	gw_refused("identity", "the last poll found another");
	gw.subject.t.uid = "1";
	gw.live.created++;
	gw_refused("identity", "created at another time");
	gw.live.created = gw.subject.created = gw.action.began + 300;
	gw_passes();
	gw.live.created = gw.subject.created = gw.action.began + 301;
	gw_refused("identity", "created after the warning");
	gw.live.created = gw.subject.created = TS_NONE;
	gw_passes();
	gw.live.uid = ""; /* not known is no proof of another one */
	gw_refused("changed", "Google does not report its id");
	assert_int_equal(gw.no.end, GUARD_WAITS);
}

static void a_queued_resource_is_known_by_its_creation(void **state)
{
	gw_queued();
	gw.en.allow_delete = true;
	gw.action.began = NOW - 2 * HOUR;
	gw_passes();
	gw.action.began--;
	gw_refused("identity", "created after the warning");
	gw.ask.live = NULL;
	gw_refused("identity", "created after the warning");
}

/* What a look tells are the labels of its nodes. */
static void a_queued_resource_has_no_labels_to_change(void **state)
{
	gw_queued();
	gw.live.labels = "{\"owner\":\"ada\"}";
	gw_passes();
	gw.live.labels = "{\"tpucost-keep\":\"forever\"}";
	gw_refused("exempt", "label tpucost-keep=forever");
}

static void a_restart_is_another_episode(void **state)
{
	gw.live.started++;
	gw_refused("restarted", "started again");
	assert_int_equal(gw.no.end, GUARD_ANEW);
	gw.live.started = TS_NONE; /* not told: what the last poll saw */
	gw_passes();
	gw.subject.started++;
	gw_refused("restarted", "started again");
	gw.subject.started = TS_NONE;
	gw_passes();
	gw.action.started = TS_NONE;
	gw.live.started = gw.action.began;
	gw_passes();
	gw.live.started++;
	gw_refused("restarted", "started again");
}

/* Who started it again is protected by this one, whatever the others say. */
static void a_restart_is_seen_by_one_guard_alone(void **state)
{
	struct guard_no no[40];
	struct err e = {0};
	size_t n;

	assert_true(n_guards <= ARRAY_LEN(no));
	gw.live.started = gw.subject.started = gw.action.started + 1;
	assert_ok(guard_all(&gw.ask, no, &n, &e), e);
	assert_int_equal(n, 1);
	assert_string_equal(no[0].name, "restarted");
	gw.live.started = gw.subject.started = gw.action.started - 1;
	gw_refused("restarted", "started again");
	/* nothing was known of its start: what is later than the warning counts */
	gw.action.started = TS_NONE;
	gw.live.started = gw.subject.started = gw.action.began;
	gw_passes();
	gw.live.started = gw.subject.started = gw.action.began + 1;
	assert_ok(guard_all(&gw.ask, no, &n, &e), e);
	assert_int_equal(n, 1);
	assert_string_equal(no[0].name, "restarted");
}

static void what_changed_waits_for_the_next_poll(void **state)
{
	gw.live.type = "n1-standard-4";
	gw_refused("changed", "its type is n1-standard-4 now and was n1-standard-2");
	assert_int_equal(gw.no.end, GUARD_WAITS);
	gw.subject.type = "n1-standard-4";
	gw_passes();
	gw.live.labels = "{\"a\":\"b\"}";
	gw_refused("changed", "labels");
	gw.subject.labels = "{\"a\":\"b\"}";
	gw_passes();
	gw.ask.subject = NULL;
	gw_refused("changed", "the last poll did not find it");
	gw.ask.live = NULL;
	gw_refused("state", "its state is unknown");
}

/* A suspended request that was granted in this minute is in use. */
static void what_is_not_dead_any_more_is_kept(void **state)
{
	gw_queued();
	gw.live.raw_state = gw.subject.raw_state = "SUSPENDED";
	gw_passes();
	gw.live.raw_state = "ACTIVE";
	gw_refused("changed", "its state is ACTIVE now and was SUSPENDED in the last poll");
	assert_int_equal(gw.no.end, GUARD_WAITS);
	gw.subject.raw_state = "ACTIVE";
	gw_passes();
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, gw_setup, tempdb_teardown)
/* of a second step */
#define AGAIN(fn) cmocka_unit_test_setup_teardown(fn, gw_setup_second, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_is_in_the_way_of_a_plain_case),
		TEST(a_rule_that_is_gone_ends_it),
		TEST(mode_rule_and_project_are_asked_last),
		TEST(a_project_may_be_listed_by_its_number),
		TEST(an_unknown_family_is_not_touched),
		TEST(a_grant_for_no_zone_may_be_meant_for_it),
		TEST(a_halt_file_stops_everything),
		TEST(a_halt_counts_beside_each_link),
		TEST(a_halt_counts_beside_what_is_open),
		TEST(a_new_database_may_act_and_is_noted_once),
		TEST(only_what_is_armed_begins_and_believes),
		TEST(once_begun_it_is_kept_up_in_every_mode),
		TEST(before_it_is_armed_there_is_nothing_to_accept),
		TEST(each_part_of_the_file_has_to_be_there),
		TEST(a_file_that_cannot_be_looked_at_is_named),
		TEST(a_file_that_was_copied_over_itself_is_not_believed),
		TEST(what_a_copy_looks_like),
		TEST(a_file_system_may_begin_to_tell_births),
		TEST(the_machine_is_known_by_a_hash_of_its_id),
		TEST(what_was_found_stays_until_a_person_resumes),
		TEST(a_failing_database_does_not_pass_for_a_good_one),
		TEST(what_cannot_be_written_is_an_error),
		TEST(outside_a_window_nothing_is_done),
		TEST(a_hold_exempts_until_its_end),
		TEST(labels_exempt_as_stored_and_as_seen),
		TEST(the_configuration_exempts_by_id_and_name),
		TEST(protect_exempts_unless_it_is_false),
		TEST(a_node_protects_the_queued_resource_that_made_it),
		TEST(a_host_and_another_zone_protect_a_pool),
		TEST(a_queued_resource_costs_what_its_nodes_cost),
		TEST(what_remains_costs_in_the_same_currency),
		TEST(what_was_never_judged_counts_as_exempt),
		TEST(only_what_has_a_stop_is_stopped),
		TEST(slices_cannot_be_stopped),
		TEST(spot_and_flex_start_can_only_be_deleted),
		TEST(a_spot_machine_can_be_stopped_a_flex_start_one_not),
		TEST(a_node_of_a_queued_resource_is_never_alone),
		TEST(machines_are_acted_on_while_they_run),
		TEST(leftovers_of_tpus_can_be_deleted),
		TEST(queued_resources_are_deleted_waiting_active_or_left),
		TEST(deleting_needs_two_permissions_and_an_age),
		TEST(what_others_own_is_left_alone),
		TEST(what_protects_itself_is_left_alone),
		TEST(another_machine_of_the_name_is_another_episode),
		TEST(a_queued_resource_is_known_by_its_creation),
		TEST(a_queued_resource_has_no_labels_to_change),
		TEST(a_restart_is_another_episode),
		TEST(a_restart_is_seen_by_one_guard_alone),
		TEST(what_changed_waits_for_the_next_poll),
		TEST(what_is_not_dead_any_more_is_kept),
		AGAIN(a_stopped_machine_is_deleted_by_a_second_step),
		AGAIN(a_rule_that_is_gone_ends_it),
		AGAIN(a_project_may_be_listed_by_its_number),
		AGAIN(an_unknown_family_is_not_touched),
		AGAIN(a_grant_for_no_zone_may_be_meant_for_it),
		AGAIN(a_halt_file_stops_everything),
		AGAIN(a_halt_counts_beside_each_link),
		AGAIN(a_halt_counts_beside_what_is_open),
		AGAIN(what_was_found_stays_until_a_person_resumes),
		AGAIN(a_failing_database_does_not_pass_for_a_good_one),
		AGAIN(what_cannot_be_written_is_an_error),
		AGAIN(outside_a_window_nothing_is_done),
		AGAIN(a_hold_exempts_until_its_end),
		AGAIN(labels_exempt_as_stored_and_as_seen),
		AGAIN(the_configuration_exempts_by_id_and_name),
		AGAIN(protect_exempts_unless_it_is_false),
		AGAIN(a_host_and_another_zone_protect_a_pool),
		AGAIN(what_remains_costs_in_the_same_currency),
		AGAIN(what_was_never_judged_counts_as_exempt),
		AGAIN(a_node_of_a_queued_resource_is_never_alone),
		AGAIN(what_others_own_is_left_alone),
		AGAIN(what_protects_itself_is_left_alone),
		AGAIN(what_changed_waits_for_the_next_poll),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
