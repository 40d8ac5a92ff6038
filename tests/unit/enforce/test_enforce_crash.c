/* Those who act die, sleep and meet each other at every step (I1, I2, I5, I23, A36). Each is a process
 * of its own on one database; Google is memory that all of them share, with a log of what it was
 * asked. People do something to the machine in between. The oracle is that log, the table action
 * and the audit. */
#include "base/fs.h"
#include "db/internal.h"
#include "rules/derive/derive.h"
#include "rules/act/audit.h"
#include "tests/support/assert.h"
#include "tests/support/world/enforce_world.h"
#include "tests/support/unit.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__ /* its processes are slow to start */
#define ROUNDS 6
#define DEED_STEP 2 /* every other one of what people do */
#else
#define DEED_STEP 1
#define ROUNDS 50
#endif
#define FENCED_OUT 40
#define STEPS 400 /* about as often as a run passes on_sqlite() */

/* ---- Google ------------------------------------------------------------------------------------ */

struct asked {
	char id[40], uid[24];
	ts_t at, started;
	enum verb verb;
	bool effect;
};

/* In memory that processes share. */
struct cloud {
	struct clock clock;
	bool tpu, gone;
	char uid[24];
	ts_t created, started;
	enum { RUNNING, STOPPING, STOPPED } state;
	int looks_left; /* while it is stopping */
	int anew;       /* so often it was made anew */
	bool anew_before_act;
	struct asked log[64];
	int n, looks;
};
static struct cloud *cloud;

static struct {
	const char *step; /* where to end; NULL: nowhere */
	int signal;
	long left; /* of SQLite's steps; -1: not by those */
} fate;

static struct {
	int kills, stops, effects, repeats, runs;
} sum;

static void pass(const char *step)
{
	if (fate.step && !strcmp(fate.step, step)) {
		fate.step = NULL;
		kill(getpid(), fate.signal);
	}
}

static void on_step(void *ctx, const char *name)
{
	(void)ctx;
	pass(name);
}

static int on_sqlite(void *ctx)
{
	(void)ctx;
	if (fate.left >= 0 && fate.left-- == 0)
		kill(getpid(), SIGKILL);
	return 0;
}

static void stop_goes_on(void)
{
	if (cloud->state == STOPPING && cloud->looks_left-- <= 0)
		cloud->state = STOPPED;
}

static enum err_code look(void *ctx, const struct target *t, enum verb verb,
	struct arena *a, struct live *out, struct err *e)
{
	static const char *const words[] = {"running", "stopping", "stopped"};

	(void)ctx;
	(void)t;
	(void)verb;
	(void)e;
	cloud->looks++;
	stop_goes_on();
	*out = (struct live){.found = !cloud->gone,
		.uid = arena_strdup(a, cloud->uid),
		.raw_state = cloud->state == RUNNING ? (cloud->tpu ? "READY" : "RUNNING")
			: cloud->tpu && cloud->state == STOPPED ? "STOPPED"
								: "TERMINATED",
		.state = words[cloud->state],
		.type = cloud->tpu ? "v3-8" : "n1-highmem-96",
		.created = cloud->created,
		.started = cloud->tpu ? TS_NONE : cloud->started,
		.labels = "{}",
		.hosts = 1,
		.queued = "",
		.record = "{}",
		.restart = "start"};
	return E_OK;
}

/* A request id that it has seen gets the operation of that time, but a TPU has none. */
static bool seen_before(const char *id)
{
	for (int i = 0; i < cloud->n; i++)
		if (!cloud->tpu && !strcmp(cloud->log[i].id, id))
			return true;
	return false;
}

static void make_anew(void)
{
	snprintf(cloud->uid, sizeof(cloud->uid), "%d", 7002 + cloud->anew++);
	cloud->created = cloud->started = clock_now(&cloud->clock);
	cloud->state = RUNNING;
	cloud->gone = false;
}

static enum err_code act(void *ctx, const struct target *t, enum verb verb,
	const char *request_id, struct arena *a, const char **operation, struct err *e)
{
	struct asked *q;
	bool seen;

	(void)ctx;
	(void)t;
	pass("before the request");
	if (cloud->n == ARRAY_LEN(cloud->log))
		return err_set(e, E_BUG, "asked too often");
	if (cloud->anew_before_act)
		make_anew();
	seen = seen_before(request_id);
	q = &cloud->log[cloud->n];
	snprintf(q->id, sizeof(q->id), "%s", request_id);
	snprintf(q->uid, sizeof(q->uid), "%s", cloud->uid);
	q->at = clock_now(&cloud->clock);
	q->started = cloud->started;
	q->verb = verb;
	q->effect = !seen && !cloud->gone &&
		(verb == VERB_DELETE || cloud->state == RUNNING);
	cloud->n++;
	if (q->effect && verb == VERB_DELETE) {
		cloud->gone = true;
	} else if (q->effect) {
		cloud->state = STOPPING;
		cloud->looks_left = 1;
	}
	pass("after the request");
	if (cloud->gone && !seen && !q->effect)
		return err_set(e, E_NOTFOUND, "there is none");
	*operation = arena_strdup(a, "operation-1");
	return E_OK;
}

static enum err_code operation(void *ctx, const struct target *t, const char *name,
	struct arena *a, struct op_state *out, struct err *e)
{
	(void)ctx;
	(void)t;
	(void)name;
	(void)a;
	(void)e;
	stop_goes_on();
	*out = (struct op_state){
		.outcome = cloud->state == STOPPING ? OP_RUNNING : OP_DONE};
	return E_OK;
}

static enum err_code project(
	void *ctx, const char *name, struct arena *a, const char **number, struct err *e)
{
	(void)ctx;
	(void)name;
	(void)a;
	(void)e;
	*number = "";
	return E_OK;
}

/* ---- what people do ---------------------------------------------------------------------------- */

enum deed { NOTHING, START, ANEW, STOP };
static const char *const deeds[] = {"nothing", "start", "anew", "stop"};

static void do_deed(enum deed d)
{
	/* Google does one thing after the other. */
	if (d != NOTHING && cloud->state == STOPPING)
		cloud->state = STOPPED;
	if (d == START && !cloud->gone) {
		cloud->state = RUNNING;
		cloud->started = clock_now(&cloud->clock);
	} else if (d == ANEW) {
		make_anew();
	} else if (d == STOP) {
		cloud->state = STOPPED;
	}
}

/* ---- those who act ----------------------------------------------------------------------------- */

static void wait_seconds(int64_t seconds)
{
	clock_fake_advance(&cloud->clock, seconds);
	ew.t.clock = cloud->clock;
}

static void open_db(void)
{
	struct err e = {0};

	assert_ok(db_open(ew.t.path, DB_WRITE, &cloud->clock, &ew.t.db, &e), e);
	assert_ok(db_exec(ew.t.db, "PRAGMA synchronous = OFF", &e), e);
}

static void close_db(void)
{
	db_close(ew.t.db);
	ew.t.db = NULL;
}

/* Never while the database is open here. */
static pid_t start(const char *owner)
{
	struct derive_opts o = {
		.settings = &ew.settings, .since = TS_NONE, .until = TS_NONE};
	struct err e = {0};
	pid_t pid = fork();
	enum err_code rc;

	assert_true(pid >= 0);
	sum.runs++;
	if (pid)
		return pid;
	ew.opts.owner = owner;
	o.now = clock_now(&cloud->clock);
	if (db_open(ew.t.path, DB_WRITE, &cloud->clock, &ew.t.db, &e) ||
		db_exec(ew.t.db, "PRAGMA synchronous = OFF", &e) || derive(ew.t.db, &o, &e))
		_exit(1);
	sqlite3_progress_handler(ew.t.db->sq, 10, on_sqlite, NULL);
	rc = enforce_run(ew.t.db, &ew.opts, &ew.t.a, &ew.result, &e);
	if (rc && rc != E_BUSY)
		fprintf(stderr, "%s: %s\n", owner, e.msg);
	_exit(rc == E_BUSY ? FENCED_OUT : rc ? 1 : 0);
}

/* How it ended: 0, FENCED_OUT, or 128 when it was killed. */
static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) != pid)
		assert_int_equal(errno, EINTR);
	if (WIFSIGNALED(status)) {
		assert_int_equal(WTERMSIG(status), SIGKILL);
		sum.kills++;
		return 128;
	}
	assert_true(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == FENCED_OUT);
	return WEXITSTATUS(status);
}

static void see_machine(void)
{
	static const char *const words[] = {"running", "stopping", "stopped"};
	struct ew_machine *m = &ew.m[0];

	snprintf(m->uid, sizeof(m->uid), "%s", cloud->uid);
	m->created = cloud->created;
	m->started = cloud->started;
	m->state = words[cloud->state];
	m->there = !cloud->gone;
}

/* What `run` does: what is in flight first, then a poll, then what is due. */
static void cycle(int64_t seconds)
{
	wait_seconds(seconds);
	ew.opts.owner = "host-2:9";
	ew.opts.recover = true;
	ew_run();
	ew.opts.recover = false;
	see_machine();
	ew.t.clock = cloud->clock;
	ew_track(0);
	ew_run();
	ew.t.clock = cloud->clock;
}

/* ---- one world --------------------------------------------------------------------------------- */

/* `second`: it was stopped, and the deletion is due. */
static void begin_step(bool tpu, bool second)
{
	ew_setup(NULL);
	/* what dies is the process and not the machine */
	tempdb_exec(&ew.t, "PRAGMA synchronous = OFF");
	if (tpu)
		ew_tpu("big");
	else
		ew_vm("big");
	ew_rule("r", "name = 'big' AND state = 'running'", 0);
	memset(cloud, 0, sizeof(*cloud));
	cloud->clock = ew.t.clock;
	cloud->tpu = tpu;
	snprintf(cloud->uid, sizeof(cloud->uid), "%s", ew.m[0].uid);
	cloud->created = ew.m[0].created;
	cloud->started = ew.m[0].started;
	ew.hands = (struct hands){
		.project = project, .look = look, .act = act, .operation = operation};
	ew.opts.clock = &cloud->clock;
	ew.opts.step = on_step;
	memset(&fate, 0, sizeof(fate));
	fate.left = -1;
	if (second) {
		ew.rules[0].later = (struct rule_action){.action = "delete",
			.after = 600,
			.grace = 300,
			.armed = true,
			.allow_delete = true};
		ew.en.allow_delete = true;
		cycle(60);
		cycle(60);
		ew_expect_actions("big done; big pending");
		cloud->n = 0;
		cycle(300);
		ew_expect_actions("big done; big grace");
		wait_seconds(300);
		see_machine();
	}
	ew_track(second ? 0 : 60);
	cloud->clock = ew.t.clock;
	close_db();
}

static void begin(bool tpu)
{
	begin_step(tpu, false);
}

static int64_t ask(const char *format, ...)
{
	char sql[500];
	va_list ap;

	va_start(ap, format);
	vsnprintf(sql, sizeof(sql), format, ap);
	va_end(ap);
	return tempdb_int(&ew.t, sql);
}

/* What was stopped was that machine, at that start, and a channel had taken a warning of it. */
static void check_effect(const struct asked *q)
{
	if (q->verb == VERB_DELETE)
		assert_true(ask("SELECT COUNT(*) FROM action WHERE uid = '%s' AND verb = "
				"'delete' AND warned <= %lld - 300 AND began <= %lld - 600",
				    q->uid, (long long)q->at, (long long)q->at) > 0);
	else
		assert_true(
			ask("SELECT COUNT(*) FROM action WHERE uid = '%s' AND started = "
			    "%lld AND warned <= %lld",
				q->uid, (long long)q->started, (long long)q->at) > 0);
	for (int i = 0; i < cloud->n; i++) {
		const struct asked *o = &cloud->log[i];

		if (o != q && !strcmp(o->uid, q->uid) && o->started == q->started &&
			o->verb == q->verb) {
			assert_string_equal(o->id, q->id);
			assert_false(o->effect);
			sum.repeats++;
		}
	}
}

static void show(const char *what)
{
	char rows[2000];

	tempdb_text(&ew.t,
		"SELECT group_concat(uid || ' ' || state || ' ' || held || ': ' || reason, "
		"x'0a') FROM action",
		rows, sizeof(rows));
	fprintf(stderr, "%s\n%s\n%d asked\n", what, rows, cloud->n);
}

static void check(void)
{
	for (int i = 0; i < cloud->n; i++) {
		if (!cloud->log[i].effect)
			continue;
		sum.effects++;
		check_effect(&cloud->log[i]);
	}
	ew_expect_audit();
	if (ask("SELECT COUNT(*) FROM action WHERE state IN ('intent', 'sent', 'verify', "
		"'unknown')"))
		show("still under way");
	assert_i64_eq(ask("SELECT COUNT(*) FROM action WHERE state IN ('intent', 'sent', "
			  "'verify', 'unknown')"),
		0);
}

static int effects_on(const char *uid)
{
	int n = 0;

	for (int i = 0; i < cloud->n; i++)
		n += cloud->log[i].effect && !strcmp(cloud->log[i].uid, uid);
	return n;
}

/* After the deed, everything that people can see is right, and the machine that is there was
 * stopped once at most. */
static void check_deed(enum deed d, bool tpu, const char *step)
{
	char what[100];

	snprintf(what, sizeof(what), "%s at \"%s\", then %s", tpu ? "tpu" : "vm", step,
		deeds[d]);
	switch (d) {
	case NOTHING: /* one stop, told as done */
		if (effects_on("7001") != 1 ||
			ask("SELECT COUNT(*) FROM action WHERE state = 'done'") != 1 ||
			ask("SELECT COUNT(*) FROM action") != 1)
			show(what);
		assert_int_equal(effects_on("7001"), 1);
		ew_expect_actions("big done");
		break;
	case START:
		/* No war: who starts it again keeps it. Only of a TPU, which does not tell of its
		 * starts, may nobody know that it was stopped; then it is warned of anew. */
		if (effects_on("7001") > 1 + tpu)
			show(what);
		assert_true(effects_on("7001") <= 1 + tpu);
		break;
	case ANEW: /* the new one is another episode */
		if (effects_on("7002") != 1)
			show(what);
		assert_true(effects_on("7001") <= 1);
		assert_int_equal(effects_on("7002"), 1);
		break;
	case STOP:
		if (effects_on("7001") > 1)
			show(what);
		assert_true(effects_on("7001") <= 1);
		assert_i64_eq(ask("SELECT COUNT(*) FROM action WHERE ended IS NULL"), 0);
		break;
	}
	check();
}

static void end(void)
{
	tempdb_teardown(NULL);
}

/* ---- tests ------------------------------------------------------------------------------------- */

static const char *const steps[] = {"looked", "intent", "noted", "before the request",
	"after the request", "asked", "sent", "verify", "seen", "ended"};

static void kill_at(const char *step, bool tpu, enum deed d)
{
	pid_t pid;

	begin(tpu);
	fate.step = step;
	fate.signal = SIGKILL;
	pid = start("host-1:1");
	assert_int_equal(wait_for(pid), 128);
	fate.step = NULL;
	open_db();
	wait_seconds(100);
	do_deed(d);
	/* The lease of the dead one runs out. */
	wait_seconds(ENFORCE_LEASE);
	for (int i = 0; i < 5; i++)
		cycle(60);
	/* "It says that it is done, and it runs" takes its time. */
	for (int i = 0; d == START && i < 4; i++)
		cycle(300);
	check_deed(d, tpu, step);
	end();
}

static void test_killed_at_every_step(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(steps); i += (size_t)unit_step(1))
		for (int d = NOTHING; d <= STOP; d += DEED_STEP)
			for (int tpu = 0; tpu < 2; tpu++)
				kill_at(steps[i], tpu, (enum deed)d);
}

/* The same of a deletion. Who started it in time keeps it. */
static void kill_second_at(const char *step, bool tpu, enum deed d)
{
	bool kept;

	begin_step(tpu, true);
	fate.step = step;
	fate.signal = SIGKILL;
	/* it ends in a later run, when no list has it any more */
	assert_int_equal(wait_for(start("host-1:1")), strcmp(step, "ended") != 0 ? 128 : 0);
	fate.step = NULL;
	open_db();
	wait_seconds(100);
	kept = d == START && !cloud->gone;
	do_deed(d);
	wait_seconds(ENFORCE_LEASE);
	for (int i = 0; i < 5; i++)
		cycle(60);
	if (kept == cloud->gone && d != ANEW)
		show(step);
	if (kept)
		assert_false(cloud->gone);
	else if (d == ANEW)
		assert_int_equal(effects_on("7002"), 1); /* stopped, after a warning */
	else
		ew_expect_actions("big done; big done");
	assert_true(effects_on("7001") <= 1 + kept);
	check();
	end();
}

static void test_deletion_killed_at_every_step(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(steps); i += (size_t)unit_step(1))
		for (int d = NOTHING; d < STOP; d += DEED_STEP)
			for (int tpu = 0; tpu < 2; tpu++)
				kill_second_at(steps[i], tpu, (enum deed)d);
}

/* In the middle of any statement, and the recovery as well. */
static void test_killed_anywhere(void **state)
{
	int before = sum.kills;

	srand(20261121);
	for (int i = 0; i < ROUNDS; i += (int)unit_step(1)) {
		bool tpu = i % 2, second = i % 4 > 1;
		enum deed d = (enum deed)(rand() % (second ? 3 : 4));
		bool kept;

		begin_step(tpu, second);
		for (int k = 0; k < 2; k++) {
			fate.left = rand() % STEPS;
			wait_for(start(k ? "host-1:2" : "host-1:1"));
			wait_seconds(70);
		}
		fate.left = -1;
		open_db();
		wait_seconds(100);
		kept = second && d == START && !cloud->gone;
		do_deed(d);
		wait_seconds(ENFORCE_LEASE);
		for (int k = 0; k < 5; k++)
			cycle(k && !second ? 300 : 60);
		if (d == NOTHING && second)
			ew_expect_actions("big done; big done");
		else if (d == NOTHING)
			check_deed(d, tpu, "any step");
		assert_false(kept && cloud->gone);
		check();
		end();
	}
	assert_true(sum.kills - before > ROUNDS / unit_step(2));
}

/* Of one host: each takes the lease from the other at once, as if it were dead. */
static void test_two_at_once(void **state)
{
	for (int i = 0; i < ROUNDS; i += (int)unit_step(1)) {
		pid_t one, two;
		int a, b;

		begin_step(i % 2, i % 4 > 1);
		one = start("host-1:1");
		two = start("host-1:2");
		a = wait_for(one);
		b = wait_for(two);
		assert_true(a == 0 || b == 0);
		open_db();
		wait_seconds(100);
		for (int k = 0; k < 3; k++)
			cycle(60);
		if (i % 4 > 1) {
			ew_expect_actions("big done; big done");
			assert_int_equal(effects_on("7001"), 1);
			check();
		} else {
			check_deed(NOTHING, i % 2, "two at once");
		}
		end();
	}
}

/* I2: asleep at that step for longer than the lease, while another one does the work. */
static void sleep_at(const char *step, bool tpu, enum deed d)
{
	pid_t pid;
	int status, n;

	begin(tpu);
	fate.step = step;
	fate.signal = SIGSTOP;
	pid = start("host-1:1");
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
	sum.stops++;
	fate.step = NULL;
	wait_seconds(ENFORCE_LEASE + 1);
	open_db();
	for (int i = 0; i < 3; i++)
		cycle(60);
	do_deed(d);
	n = cloud->n;
	close_db();
	kill(pid, SIGCONT);
	status = wait_for(pid);
	/* It had its turn, or nothing was left to write. */
	if (status != FENCED_OUT)
		fail_msg("woken at \"%s\", it went on", step);
	/* Whoever slept before the call itself makes it; under an id that is known. */
	assert_int_equal(cloud->n, n + (strcmp(step, "before the request") ? 0 : 1));
	open_db();
	for (int i = 0; i < 3; i++)
		cycle(60);
	if (d == NOTHING)
		check_deed(d, tpu, step);
	assert_int_equal(effects_on("7001"), 1);
	check();
	end();
}

static void test_asleep_over_its_lease(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		sleep_at(steps[i], false, NOTHING);
		sleep_at(steps[i], true, NOTHING);
		/* Started again by then: a late request of a machine does nothing to it. */
		sleep_at(steps[i], false, START);
	}
}

/* I5, where the name was taken by another TPU in the last moment and the process died: it is told,
 * and the rule acts no more. */
static void test_wrong_target_is_told_after_a_crash(void **state)
{
	for (size_t i = 4; i < ARRAY_LEN(steps) - 1; i++) {
		begin(true);
		cloud->anew_before_act = true;
		fate.step = steps[i];
		fate.signal = SIGKILL;
		wait_for(start("host-1:1"));
		fate.step = NULL;
		cloud->anew_before_act = false;
		open_db();
		wait_seconds(ENFORCE_LEASE + 1);
		cycle(60);
		cycle(60);
		if (ask("SELECT COUNT(*) FROM action WHERE state = 'failed' AND reason "
			"LIKE "
			"'WRONG TARGET%%'") != 1)
			show(steps[i]);
		ew_expect("SELECT state || ' ' || substr(reason, 1, 12) FROM action ORDER "
			  "BY action LIMIT 1",
			"failed WRONG TARGET");
		ew_expect("SELECT COUNT(*) FROM disarmed", "1");
		assert_int_equal(cloud->n, 1);
		ew_expect_audit();
		end();
	}
}

/* ---- restored ---------------------------------------------------------------------------------- */

static void read_image(struct sbuf *image)
{
	struct err e = {0};

	assert_ok(fs_read(ew.t.path, 1 << 24, image, &e), e);
}

/* As a copy by other means than ours: into the very file. */
static void write_image(const struct sbuf *image)
{
	static const char *const logs[] = {"-wal", "-shm"};
	char path[128];
	FILE *f = fopen(ew.t.path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(image->s, 1, image->len, f), image->len);
	assert_int_equal(fclose(f), 0);
	for (size_t i = 0; i < ARRAY_LEN(logs); i++) {
		snprintf(path, sizeof(path), "%s%s", ew.t.path, logs[i]);
		unlink(path);
	}
}

static void person_resumes(void)
{
	struct audit_entry entry = {.actor = "user ada", .event = "resumed"};
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct err e = {0};
	const char *why;
	ts_t now = clock_now(&cloud->clock);

	assert_ok(db_begin(ew.t.db, &tx, &e), e);
	assert_ok(enforce_start_over(ew.t.db, &ew.settings, now, &ew.t.a, &why, &e), e);
	assert_non_null(why);
	assert_ok(audit_add(ew.t.db, &entry, now, &e), e);
	assert_ok(db_commit(&tx, &e), e);
	assert_ok(enforce_accept(ew.t.db, &ew.settings, &ew.t.a, &e), e);
}

/* It was warned of and copied; then a run died at that step, its owner started it again, and the copy
 * came back. What was sent by then is known outside of the database, and nothing more is sent before a
 * person says so and another warning is taken. */
static void restore_at(const char *step, bool tpu, bool noted)
{
	cleanup(sbuf_done) struct sbuf image = SBUF_INIT;
	int asked;

	begin(tpu);
	read_image(&image);
	fate.step = step;
	fate.signal = SIGKILL;
	assert_int_equal(wait_for(start("host-1:1")), 128);
	fate.step = NULL;
	asked = cloud->n;
	write_image(&image);
	open_db();
	wait_seconds(100);
	if (noted)
		do_deed(START);
	for (int i = 0; i < 3; i++)
		cycle(60);
	if (!noted) { /* nothing was lost */
		assert_int_equal(asked, 0);
		check_deed(NOTHING, tpu, step);
		end();
		return;
	}
	assert_int_equal(cloud->n, asked);
	assert_i64_eq(ask("SELECT COUNT(*) FROM action WHERE ended IS NULL"), 0);
	assert_i64_eq(
		ask("SELECT COUNT(*) FROM action WHERE state IN ('cleared', 'superseded')"),
		1);
	person_resumes();
	cycle(60);
	assert_int_equal(cloud->n, asked + 1);
	assert_i64_eq(
		ask("SELECT COUNT(*) FROM action WHERE warned >= (SELECT MAX(at) FROM "
		    "audit_entry WHERE event = 'resumed')"),
		1);
	ew_expect_audit();
	end();
}

static void test_restored_after_every_step(void **state)
{
	bool noted = false;

	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		noted = noted || !strcmp(steps[i], "noted");
		restore_at(steps[i], false, noted);
		restore_at(steps[i], true, noted);
	}
}

static int make_cloud(void **state)
{
	cloud = mmap(NULL, sizeof(*cloud), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return cloud == MAP_FAILED;
}

static int say_sums(void **state)
{
	printf("%d runs, %d killed, %d put to sleep: %d effective stops, %d repeats under "
	       "the same request id\n",
		sum.runs, sum.kills, sum.stops, sum.effects, sum.repeats);
	return munmap(cloud, sizeof(*cloud));
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_killed_at_every_step),
		cmocka_unit_test(test_deletion_killed_at_every_step),
		cmocka_unit_test(test_killed_anywhere),
		cmocka_unit_test(test_two_at_once),
		cmocka_unit_test(test_asleep_over_its_lease),
		cmocka_unit_test(test_wrong_target_is_told_after_a_crash),
		cmocka_unit_test(test_restored_after_every_step),
	};

	return cmocka_run_group_tests_name("enforce_crash", tests, make_cloud, say_sums);
}
