/* The lease that machines share: its content, its steps, and two machines with two databases that die, sleep, lose the network and
 * the time at random (nothing is acted on twice, or without a warning, or against a hold). */
#include "base/fs.h"
#include "db/internal.h"
#include "rules/act/audit.h"
#include "rules/act/leader.h"
#include "rules/derive/derive.h"
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

#define MACHINES 3
#define GRACE 120
#ifdef __SANITIZE_ADDRESS__
#define HISTORIES 4
#else
#define HISTORIES 8 /* HISTORIES=60 has more than 1000 faults */
#endif
#define ROUNDS 60
#define SQLITE_STEPS 3000

/* ---- what all processes share ------------------------------------------------------------------ */

static struct sky {
	struct clock clock[2]; /* of the machines; the monotonic ones are equal */
	struct {
		bool tpu;
		enum { RUNNING, STOPPING, STOPPED } state;
		int start, looks;
		ts_t started;
		bool held;  /* a user was told that it is */
		bool tried; /* a hold failed, but may be in a database */
	} m[MACHINES];
	char text[LEASE_MAX];
	int64_t generation, newest; /* 0: there is no object */
	bool copied;
	bool cut[2]; /* the machine does not reach Cloud Storage */
	int lost;    /* percent of writes that are done, and whose answer is lost */
	bool standby[2];
	struct leader_watch watch[2];
	int64_t epoch[2]; /* in which it acted */
	struct {
		int m, start, host;
		ts_t at;
		bool effect;
		char id[40];
	} log[400];
	int n, told[MACHINES][64];
	ts_t told_at[MACHINES][64];
} * sky;
static int me; /* the machine of this process */

static struct {
	const char *step;
	int signal;
	long left;
} fate = {.left = -1};

static struct {
	int histories, kills, sleeps, cuts, jumps, deletions, holds, takes, acts, repeats;
} sum;

/* ---- the object -------------------------------------------------------------------------------- */

static enum err_code sky_get(
	void *ctx, struct arena *a, const char **text, int64_t *generation, struct err *e)
{
	(void)ctx;
	if (sky->cut[me])
		return err_set(e, E_NET, "read object: no connection");
	if (!sky->generation)
		return err_set(e, E_NOTFOUND, "read object: HTTP 404");
	*text = arena_strdup(a, sky->text);
	*generation = sky->generation;
	return E_OK;
}

static enum err_code sky_put(void *ctx, const char *text, int64_t generation, struct err *e)
{
	(void)ctx;
	if (sky->cut[me])
		return err_set(e, E_NET, "write object: no connection");
	if (generation != sky->generation)
		return err_set(e, E_CONFLICT, "write object: HTTP 412");
	snprintf(sky->text, sizeof(sky->text), "%s", text);
	sky->generation = ++sky->newest;
	if (rand() % 100 < sky->lost)
		return err_set(e, E_UNCERTAIN, "write object: the connection ended");
	return E_OK;
}

static const struct leader_store store = {
	.name = "gs://b/lease", .get = sky_get, .put = sky_put};

static struct leader leader_at(int host)
{
	me = host;
	return (struct leader){.store = &store,
		.clock = &sky->clock[host],
		.owner = host ? "boot-b:1:2" : "boot-a:1:2",
		.host = host ? "vm-b" : "vm-a",
		.why = "it does not hold the lease",
		.backups = true};
}

/* ---- Google ------------------------------------------------------------------------------------ */

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

static int machine_of(const struct target *t)
{
	return t->name[1] - '0';
}

static void stop_goes_on(int i)
{
	if (sky->m[i].state == STOPPING && sky->m[i].looks-- <= 0)
		sky->m[i].state = STOPPED;
}

static enum err_code look(void *ctx, const struct target *t, enum verb verb,
	struct arena *a, struct live *out, struct err *e)
{
	static const char *const words[] = {"running", "stopping", "stopped"};
	int i = machine_of(t);

	(void)ctx;
	(void)verb;
	(void)e;
	stop_goes_on(i);
	*out = (struct live){.found = true,
		.uid = arena_printf(a, "%d", 7001 + i),
		.raw_state = sky->m[i].state == STOPPING ? "STOPPING"
			: sky->m[i].state == RUNNING ? (sky->m[i].tpu ? "READY" : "RUNNING")
			: sky->m[i].tpu              ? "STOPPED"
						     : "TERMINATED",
		.state = words[sky->m[i].state],
		.type = sky->m[i].tpu ? "v3-8" : "n1-highmem-96",
		.created = EW_NOW - 3600,
		.started = sky->m[i].tpu ? TS_NONE : sky->m[i].started,
		.labels = "{}",
		.hosts = 1,
		.queued = "",
		.record = "{}",
		.restart = "start"};
	return E_OK;
}

static enum err_code act(void *ctx, const struct target *t, enum verb verb,
	const char *request_id, struct arena *a, const char **operation, struct err *e)
{
	int i = machine_of(t), n = sky->n++;

	(void)ctx;
	(void)verb;
	(void)e;
	assert_true(n < (int)ARRAY_LEN(sky->log));
	sky->log[n].m = i;
	sky->log[n].start = sky->m[i].start;
	sky->log[n].host = me;
	sky->log[n].at = clock_now(&sky->clock[me]);
	snprintf(sky->log[n].id, sizeof(sky->log[n].id), "%s", request_id);
	sky->log[n].effect = sky->m[i].state == RUNNING;
	if (sky->m[i].state == RUNNING) {
		sky->m[i].state = STOPPING;
		sky->m[i].looks = 1;
	}
	pass("after the request");
	*operation = arena_strdup(a, "operation-1");
	return E_OK;
}

static enum err_code operation(void *ctx, const struct target *t, const char *name,
	struct arena *a, struct op_state *out, struct err *e)
{
	int i = machine_of(t);

	(void)ctx;
	(void)name;
	(void)a;
	(void)e;
	stop_goes_on(i);
	*out = (struct op_state){
		.outcome = sky->m[i].state == STOPPING ? OP_RUNNING : OP_DONE};
	return E_OK;
}

static void see_machines(void)
{
	static const char *const words[] = {"running", "stopping", "stopped"};

	for (int i = 0; i < MACHINES; i++) {
		ew.m[i].state = words[sky->m[i].state];
		ew.m[i].started = sky->m[i].started;
	}
}

/* ---- one machine of tpucost -------------------------------------------------------------------- */

static const char *path_of(int host)
{
	return arena_printf(&ew.t.a, "%s/%s.db", ew.t.dir, host ? "b" : "a");
}

static const char *copy_path(void)
{
	return arena_printf(&ew.t.a, "%s/copy.db", ew.t.dir);
}

#define OR_DIE(call)                                                                   \
	do {                                                                           \
		if (call) {                                                            \
			fprintf(stderr, "%s: %s: %s\n", me ? "b" : "a", #call, e.msg); \
			_exit(1);                                                      \
		}                                                                      \
	} while (0)

static void open_own(void)
{
	struct err e = {0};

	OR_DIE(db_open(path_of(me), DB_WRITE, &sky->clock[me], &ew.t.db, &e));
	OR_DIE(db_exec(ew.t.db, "PRAGMA synchronous = OFF", &e));
	sqlite3_progress_handler(ew.t.db->sq, 10, on_sqlite, NULL);
}

static bool restore(void)
{
	struct db *copy = NULL;
	struct err e = {0};
	bool wanted;

	if (!sky->copied)
		return false;
	OR_DIE(db_open(copy_path(), DB_WRITE, &sky->clock[me], &copy, &e));
	OR_DIE(leader_wants_backup(ew.t.db, copy, &ew.t.a, &wanted, &e));
	if (wanted)
		OR_DIE(leader_mark_backup(copy, "former", false, &e));
	db_close(copy);
	if (!wanted)
		return false;
	db_close(ew.t.db);
	OR_DIE(db_restore(path_of(me), copy_path(), &e));
	pass("restored");
	open_own();
	return true;
}

/* Those that a message is about to be sent for. */
static void note_warned(void)
{
	for (int i = 0; i < MACHINES; i++)
		if (tempdb_int(&ew.t,
			    arena_printf(&ew.t.a,
				    "SELECT COUNT(*) FROM action WHERE name = 'm%d' AND "
				    "state = 'warning'",
				    i)) &&
			!sky->told[i][sky->m[i].start]) {
			sky->told[i][sky->m[i].start] = 1;
			sky->told_at[i][sky->m[i].start] = clock_now(&sky->clock[me]);
		}
}

static bool enter(struct leader *l, struct lease *is)
{
	struct leader_facts facts;
	struct err e = {0};
	const char *why;
	int64_t known;
	bool restored;

	OR_DIE(leader_facts_of(ew.t.db, &ew.settings, &ew.t.a, &facts, &e));
	OR_DIE(leader_epoch_of(ew.t.db, &ew.t.a, &known, &e));
	if (leader_step(l, &facts, &sky->watch[me], known, &ew.t.a, is, &e))
		return !sky->standby[me] &&
			!tempdb_int(&ew.t,
				"SELECT COUNT(*) FROM meta WHERE key IN ('backup', "
				"'lease_former')");
	pass("stepped");
	sky->standby[me] = !leader_holds(l, is);
	if (sky->standby[me])
		return false;
	l->epoch = is->epoch;
	if (is->ready)
		return true;
	restored = restore();
	if (!leader_take_over(
		    l, ew.t.db, &ew.settings, is, restored, NULL, &ew.t.a, &why, &e))
		return true;
	l->epoch = 0;
	return false;
}

static void ship(const struct leader *l)
{
	const char *tmp = arena_printf(&ew.t.a, "%s.new%d", copy_path(), me);
	struct leader_facts facts;
	struct err e = {0};
	const char *why;

	OR_DIE(enforce_note(ew.t.db, &ew.settings, &ew.t.a, &why, &e));
	if (why)
		return;
	OR_DIE(leader_facts_of(ew.t.db, &ew.settings, &ew.t.a, &facts, &e));
	OR_DIE(db_backup(ew.t.db, tmp, true, &e));
	if (leader_confirm(l, &ew.t.a, &e))
		return;
	pass("confirmed");
	if (rename(tmp, copy_path()))
		_exit(1);
	sky->copied = true;
	pass("shipped");
	(void)!leader_shipped(l, facts.newest, &ew.t.a, &e);
}

static void cycle(void)
{
	struct derive_opts o = {
		.settings = &ew.settings, .since = TS_NONE, .until = TS_NONE};
	struct leader l = leader_at(me);
	struct lease is;
	struct err e = {0};

	open_own();
	if (!enter(&l, &is))
		return;
	ew.t.clock = sky->clock[me];
	ew.opts.clock = &sky->clock[me];
	ew.opts.owner = me ? "host-b:1" : "host-a:1";
	ew.opts.step = on_step;
	ew.opts.leader = &l;
	o.now = clock_now(&sky->clock[me]);
	OR_DIE(derive(ew.t.db, &o, &e));
	ew.opts.recover = true;
	ew_run();
	ew.opts.recover = false;
	see_machines();
	ew.deliver = false;
	ew_track(0);
	note_warned();
	ew.deliver = true;
	ew_track(0);
	pass("warned");
	ew_run();
	pass("acted");
	if (l.epoch)
		ship(&l);
}

static pid_t start(int host)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	me = host;
	setenv("CMOCKA_TEST_ABORT", "1", 1);
	signal(SIGABRT, SIG_DFL);
	cycle();
	_exit(0);
}

/* Did it sleep? Otherwise it ended, or was killed as fate had it. */
static bool wait_for(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	if (WIFSTOPPED(status))
		return true;
	if (WIFSIGNALED(status)) {
		assert_int_equal(WTERMSIG(status), SIGKILL);
		sum.kills++;
		return false;
	}
	assert_int_equal(WEXITSTATUS(status), 0);
	return false;
}

static void run_cycle(int host)
{
	assert_false(wait_for(start(host)));
}

static void wait_seconds(int64_t seconds)
{
	for (int h = 0; h < 2; h++)
		clock_fake_advance(&sky->clock[h], seconds);
}

/* ---- users ------------------------------------------------------------------------------------- */

/* As `hold add` does, on the machine that may hold the lease. True if it reports that the machine is protected. */
static bool add_hold(int host, int m)
{
	struct audit_entry entry = {
		.actor = "user ada", .event = "hold-added", .detail = "{}"};
	struct q_hold_put_in in = {.until = EW_NOW + 10 * 86400, .comment = ""};
	struct leader l = leader_at(host);
	struct leader_facts facts;
	struct db_tx tx = {0};
	struct err e = {0};
	bool done;

	open_own();
	in.created = clock_now(&sky->clock[host]);
	in.id = arena_printf(&ew.t.a, "p-lab1/%s/m%d",
		sky->m[m].tpu ? "tpu/us-central1-a" : "vm/us-central1-b", m);
	entry.resource = in.id;
	OR_DIE(db_begin(ew.t.db, &tx, &e));
	OR_DIE(q_hold_put(ew.t.db, &in, &e));
	OR_DIE(audit_add(ew.t.db, &entry, in.created, &e));
	OR_DIE(db_commit(&tx, &e));
	OR_DIE(leader_epoch_of(ew.t.db, &ew.t.a, &l.epoch, &e));
	OR_DIE(leader_facts_of(ew.t.db, &ew.settings, &ew.t.a, &facts, &e));
	done = !leader_note_decision(&l, ew.t.db, &facts, false, &ew.t.a, &e);
	db_close(ew.t.db);
	ew.t.db = NULL;
	return done;
}

/* As `enforce resume` does. */
static void resume(int host)
{
	struct audit_entry entry = {
		.actor = "user ada", .event = "resumed", .detail = "{}"};
	ts_t now = clock_now(&sky->clock[host]);
	struct leader l = leader_at(host);
	struct leader_facts facts;
	struct db_tx tx = {0};
	struct err e = {0};
	const char *why;

	open_own();
	OR_DIE(db_begin(ew.t.db, &tx, &e));
	OR_DIE(enforce_start_over(ew.t.db, &ew.settings, now, &ew.t.a, &why, &e));
	if (why)
		OR_DIE(audit_add(ew.t.db, &entry, now, &e));
	OR_DIE(db_commit(&tx, &e));
	OR_DIE(enforce_accept(ew.t.db, &ew.settings, &ew.t.a, &e));
	OR_DIE(leader_epoch_of(ew.t.db, &ew.t.a, &l.epoch, &e));
	OR_DIE(leader_facts_of(ew.t.db, &ew.settings, &ew.t.a, &facts, &e));
	(void)!leader_note_decision(&l, ew.t.db, &facts, true, &ew.t.a, &e);
	db_close(ew.t.db);
	ew.t.db = NULL;
}

static void start_again(int m)
{
	if (sky->m[m].state != STOPPED || sky->m[m].start >= 60)
		return;
	sky->m[m].state = RUNNING;
	sky->m[m].start++;
	sky->m[m].started = clock_now(&sky->clock[0]);
}

/* ---- random histories -------------------------------------------------------------------------- */

static void copy_empty_to(int host)
{
	struct sbuf b = SBUF_INIT;
	struct err e = {0};

	OR_DIE(fs_read(ew.t.path, 64 << 20, &b, &e));
	OR_DIE(fs_write_atomic(path_of(host), b.s, b.len, 0600, &e));
	sbuf_done(&b);
}

static void begin(void)
{
	ew_setup(NULL);
	db_close(ew.t.db);
	ew.t.db = NULL;
	copy_empty_to(0);
	copy_empty_to(1);
	memset(sky, 0, sizeof(*sky));
	for (int h = 0; h < 2; h++)
		sky->clock[h] = ew.t.clock;
	for (int i = 0; i < MACHINES; i++) {
		char name[] = {'m', (char)('0' + i), 0};

		sky->m[i].tpu = i == 2;
		sky->m[i].started = (i == 2 ? ew_tpu(name) : ew_vm(name))->started;
	}
	ew_rule("r", "state = 'running'", GRACE);
	ew.en.max_per_run = ew.en.max_per_hour = ew.en.max_per_rule_hour =
		ew.en.max_per_day = 1000;
	ew.hands.look = look;
	ew.hands.act = act;
	ew.hands.operation = operation;
	fate.step = NULL;
	fate.left = -1;
}

static void check(void)
{
	for (int i = 0; i < sky->n; i++) {
		int m = sky->log[i].m, s = sky->log[i].start;

		sum.acts++;
		if (!sky->told[m][s])
			fail_msg("m%d, start %d: nobody was warned", m, s);
		assert_true(sky->told_at[m][s] + GRACE <= sky->log[i].at + 700);
		for (int k = 0; k < i; k++)
			if (sky->log[k].m == m && sky->log[k].start == s) {
				sum.repeats++;
				/* a lost answer of the same machine */
				if (sky->log[k].host != sky->log[i].host &&
					strcmp(sky->log[k].id, sky->log[i].id) != 0)
					fail_msg("m%d, start %d: acted on twice", m, s);
				assert_false(sky->log[k].effect && sky->log[i].effect);
			}
	}
}

/* Signals that the steps of a run pass. */
static const char *const steps[] = {"stepped", "restored", "warned", "looked", "intent",
	"noted", "fenced", "after the request", "asked", "sent", "verify", "acted",
	"confirmed", "shipped"};

struct history {
	pid_t asleep[2];
	int64_t wakes[2], now;
	int jumped; /* host + 1 */
	int64_t jump;
};

static void jump_clock(struct history *x, int host, int64_t by)
{
	sky->clock[host].fake_now += by;
	x->jumped = by ? host + 1 : 0;
	x->jump = by;
}

static void trouble(struct history *x, int host)
{
	int m = rand() % MACHINES;

	switch (rand() % 14) {
	case 0:
		sky->cut[host] = !sky->cut[host];
		sum.cuts++;
		break;
	case 1:
		sky->generation = 0;
		sum.deletions++;
		/* Without a backup either, nothing tells a new machine of them. */
		for (int i = 0; i < MACHINES && !sky->copied; i++)
			sky->m[i].held = false;
		break;
	case 2:
		if (x->jumped)
			break;
		jump_clock(x, host, rand() % 2 ? 600 : -600);
		sum.jumps++;
		break;
	case 3:
		if (x->jumped) {
			sky->clock[x->jumped - 1].fake_now -= x->jump;
			x->jumped = 0;
		}
		break;
	case 4:
		if (!x->asleep[host] && sky->epoch[host] >= 0 && !sky->m[m].held &&
			!access(path_of(host), F_OK) && sky->standby[host] == false &&
			rand() % 4 == 0) {
			sky->m[m].tried = true;
			sky->m[m].held = add_hold(host, m);
			sum.holds += sky->m[m].held;
		}
		break;
	case 5:
	case 6:
		start_again(m);
		break;
	case 7:
		sky->lost = sky->lost ? 0 : 20;
		break;
	default:
		break;
	}
}

static void show(int host)
{
	char rows[3000], audit[3000];

	me = host;
	open_own();
	tempdb_text(&ew.t,
		"SELECT group_concat(name || ' ' || state || ' ' || held || ': ' || "
		"reason, "
		"x'0a') FROM action WHERE ended IS NULL",
		rows, sizeof(rows));
	tempdb_text(&ew.t,
		"SELECT group_concat(event || ' ' || COALESCE(resource, '') || ' ' || "
		"substr(detail, 1, 60), x'0a') FROM (SELECT * FROM audit_entry ORDER BY "
		"seq DESC LIMIT 12)",
		audit, sizeof(audit));
	fprintf(stderr, "%s, %s; lease %s%s\naudit, newest first:\n%s\n", host ? "b" : "a",
		sky->standby[host] ? "standby" : "holder", sky->text, rows, audit);
	db_close(ew.t.db);
	ew.t.db = NULL;
}

static void host_round(struct history *x, int host)
{
	int n = sky->n;
	pid_t pid;

	if (x->asleep[host]) {
		if (x->now < x->wakes[host])
			return;
		pid = x->asleep[host];
		x->asleep[host] = 0;
		kill(pid, SIGCONT);
	} else {
		fate.left = rand() % 4 ? -1 : rand() % SQLITE_STEPS;
		fate.step = rand() % 3 ? NULL : steps[(size_t)rand() % ARRAY_LEN(steps)];
		fate.signal = rand() % 2 ? SIGKILL : SIGSTOP;
		pid = start(host);
		fate.step = NULL;
		fate.left = -1;
	}
	if (wait_for(pid)) {
		sum.sleeps++;
		x->asleep[host] = pid;
		x->wakes[host] = x->now + rand() % 300;
	}
	for (int i = n; i < sky->n; i++)
		if (sky->m[sky->log[i].m].held) {
			show(0);
			show(1);
			fail_msg("m%d is on hold; %s acted", sky->log[i].m,
				sky->log[i].host ? "b" : "a");
		}
}

static bool all_stopped(void)
{
	for (int i = 0; i < MACHINES; i++) {
		stop_goes_on(i);
		if (sky->m[i].state == RUNNING && !sky->m[i].tried)
			return false;
	}
	return true;
}

/* Without trouble, what should be stopped is. */
static void heal(struct history *x)
{
	for (int h = 0; h < 2; h++) {
		sky->cut[h] = false;
		if (x->asleep[h])
			kill(x->asleep[h], SIGCONT);
		if (x->asleep[h])
			wait_for(x->asleep[h]);
	}
	sky->lost = 0;
	if (x->jumped)
		sky->clock[x->jumped - 1].fake_now -= x->jump;
	for (int i = 0; i < 30 && !all_stopped(); i++) {
		wait_seconds(i < 8
				? 60
				: 4 * 3600); /* those that were started again wait a day */
		for (int h = 0; h < 2; h++) {
			if (i == 8 && !access(path_of(h), F_OK))
				resume(h);
			run_cycle(h);
		}
	}
	if (!all_stopped()) {
		show(0);
		show(1);
		fail_msg("a machine runs on: %d %d %d", sky->m[0].state, sky->m[1].state,
			sky->m[2].state);
	}
}

static void a_history(unsigned seed)
{
	struct history x = {0};
	struct lease is = {0};
	struct err e = {0};

	srand(seed);
	begin();
	for (int i = 0; i < ROUNDS; i++) {
		int64_t seconds = 15 + rand() % 50;
		int first = rand() % 2;

		wait_seconds(seconds);
		x.now += seconds;
		trouble(&x, rand() % 2);
		host_round(&x, first);
		if (rand() % 3)
			host_round(&x, !first);
	}
	heal(&x);
	check();
	if (sky->generation && !lease_parse(sky->text, strlen(sky->text), &ew.t.a, &is, &e))
		sum.takes += (int)is.epoch;
	sum.histories++;
	tempdb_close(&ew.t);
}

static void test_random_histories(void **state)
{
	(void)state;
	const char *more = getenv("HISTORIES");
	unsigned n = more ? (unsigned)strtoul(more, NULL, 10) : HISTORIES;

	for (unsigned i = 0; i < n; i += (unsigned)unit_step(1))
		a_history(1000 + i);
	fprintf(stderr,
		"%d histories: %d killed, %d asleep, %d cut off, %d clocks set, %d leases "
		"deleted, %d holds; %d epochs, %d requests, %d repeated\n",
		sum.histories, sum.kills, sum.sleeps, sum.cuts, sum.jumps, sum.deletions,
		sum.holds, sum.takes, sum.acts, sum.repeats);
}

/* ---- one thing after the other ------------------------------------------------------------------ */

static enum err_code step(struct leader *l, struct leader_watch *w, struct lease *is)
{
	struct err e = {0};

	return leader_step(l, NULL, w, 0, &ew.t.a, is, &e);
}

/* As the other one does it: ready at once. */
static void make_ready(void)
{
	char *at = strstr(sky->text, "\"ready\":false");

	assert_non_null(at);
	memcpy(at, "\"ready\":true ", 13);
}

static void test_content(void **state)
{
	static const char *const wrong[] = {"", "{}", "[1]", "text",
		"{\"tpucost_lease\":2,\"owner\":\"x\",\"host\":\"x\",\"epoch\":1,"
		"\"seconds\":45}",
		"{\"tpucost_lease\":1,\"owner\":\"x\",\"epoch\":1,\"seconds\":45}",
		"{\"tpucost_lease\":1,\"owner\":\"x\",\"host\":\"x\",\"epoch\":0,"
		"\"seconds\":45}",
		"{\"tpucost_lease\":1,\"owner\":\"x\",\"host\":\"x\",\"epoch\":1,"
		"\"seconds\":45,"
		"\"acted\":[{\"entry\":1}]}"};
	struct lease_acted acted[] = {{12, "p/vm/z/a"}, {13, "p/tpu/z/b"}};
	struct lease l = {.owner = "boot:1:2",
		.host = "vm \"a\"",
		.epoch = 7,
		.seconds = 50,
		.ready = true,
		.acting = 7,
		.from = "",
		.decided = 11,
		.decided_hash = "ab",
		.halt_file = "/etc/tpucost/halt",
		.halted = "user ada",
		.blocked = "a hold is missing",
		.acted = acted,
		.n_acted = 2};
	struct sbuf b = SBUF_INIT, again = SBUF_INIT;
	struct arena a = {0};
	struct err e = {0};
	struct lease out;

	lease_print(&l, &b);
	assert_string_equal(b.s,
		"{\"tpucost_lease\":1,\"owner\":\"boot:1:2\",\"host\":\"vm "
		"\\\"a\\\"\",\"epoch\":7,\"seconds\":50,\"ready\":true,\"acting\":7,"
		"\"from\":\"\",\"left\":null,\"decided\":11,\"decided_hash\":\"ab\","
		"\"halt_file\":\"/etc/tpucost/halt\",\"halted\":\"user "
		"ada\",\"blocked\":\"a hold is missing\",\"acted\":[{\"entry\":12,"
		"\"resource\":\"p/vm/z/a\"},{\"entry\":13,\"resource\":\"p/tpu/z/b\"}]}\n");
	assert_ok(lease_parse(b.s, b.len, &a, &out, &e), e);
	lease_print(&out, &again);
	assert_string_equal(again.s, b.s);
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
		assert_int_equal(
			lease_parse(wrong[i], strlen(wrong[i]), &a, &out, &e), E_DATA);
	sbuf_done(&b);
	sbuf_done(&again);
	arena_done(&a);
}

static void test_take_over_in_time(void **state)
{
	struct leader_watch wa = {0}, wb = {0};
	struct leader a, b;
	struct lease is;
	struct err e = {0};

	begin();
	b = leader_at(1);
	a = leader_at(0);
	assert_int_equal(step(&a, &wa, &is), E_OK);
	assert_false(leader_holds(&a, &is));
	wait_seconds(2 * LEASE_SECONDS - 1);
	assert_int_equal(step(&a, &wa, &is), E_OK);
	assert_false(leader_holds(&a, &is));
	wait_seconds(1);
	assert_int_equal(step(&a, &wa, &is), E_OK);
	assert_true(leader_holds(&a, &is));
	assert_i64_eq(is.epoch, 1);
	assert_false(is.ready);
	make_ready();
	/* as long as it is renewed, it is not free */
	for (int i = 0; i < 20; i++) {
		wait_seconds(LEASE_RENEW);
		assert_int_equal(step(&a, &wa, &is), E_OK);
		assert_int_equal(step(&b, &wb, &is), E_OK);
		assert_false(leader_holds(&b, &is));
	}
	/* the clock of the day does not count */
	sky->clock[1].fake_now += 86400;
	assert_int_equal(step(&b, &wb, &is), E_OK);
	assert_false(leader_holds(&b, &is));
	wait_seconds(2 * LEASE_SECONDS);
	assert_int_equal(step(&b, &wb, &is), E_OK);
	assert_true(leader_holds(&b, &is));
	assert_i64_eq(is.epoch, 2);
	assert_string_equal(is.from, "vm-a");
	assert_int_equal(step(&a, &wa, &is), E_OK);
	assert_false(leader_holds(&a, &is));
	/* one that gives it up leaves it to the other one */
	make_ready();
	b.epoch = 2;
	assert_ok(leader_give_up(&b, &ew.t.a, &e), e);
	wb = wa = (struct leader_watch){0};
	for (int i = 0; i < 2; i++) {
		assert_int_equal(step(&b, &wb, &is), E_OK);
		assert_false(leader_holds(&b, &is));
		assert_int_equal(step(&a, &wa, &is), E_OK);
		if (!i)
			wait_seconds(2 * LEASE_SECONDS);
	}
	assert_true(leader_holds(&a, &is));
	assert_i64_eq(is.epoch, 3);
	assert_string_equal(is.from, "vm-b");
	assert_null(is.left);
	tempdb_close(&ew.t);
}

/* Whoever takes the lease later obeys. */
static void test_halt_before_there_is_a_lease(void **state)
{
	struct leader_watch wa = {0};
	struct leader a;
	struct lease is;
	struct err e = {0};

	begin();
	a = leader_at(0);
	assert_ok(leader_halt(&a, "user ada", &ew.t.a, &is, &e), e);
	assert_int_equal(step(&a, &wa, &is), E_OK);
	assert_false(leader_holds(&a, &is));
	wait_seconds(2 * LEASE_SECONDS);
	assert_int_equal(step(&a, &wa, &is), E_OK);
	assert_true(leader_holds(&a, &is));
	assert_i64_eq(is.epoch, 2);
	assert_string_equal(is.halted, "user ada");
	tempdb_close(&ew.t);
}

/* The first one dies when a machine is due; the other one looks every LEASE_RENEW seconds. */
static void test_leak_is_stopped_in_three_minutes(void **state)
{
	int64_t since = 0;

	begin();
	for (int i = 0; i < 10 && !sky->told[0][0]; i++) {
		wait_seconds(60);
		run_cycle(0);
		run_cycle(1);
	}
	assert_int_equal(sky->told[0][0], 1);
	wait_seconds(GRACE);
	assert_int_equal(sky->n, 0);
	while (sky->m[0].state == RUNNING && since < 1000) {
		wait_seconds(LEASE_RENEW);
		since += LEASE_RENEW;
		run_cycle(1);
	}
	assert_true(since <= 180);
	assert_int_equal(sky->n, MACHINES);
	check();
	tempdb_close(&ew.t);
}

/* A hold that only the first one has; the second one finds that and dies before its backup; the third one has the
 * first backup. */
static void test_what_is_blocked_stays_blocked(void **state)
{
	struct lease is;
	struct err e = {0};

	begin();
	for (int i = 0; i < 4; i++) {
		wait_seconds(60);
		run_cycle(0);
	}
	assert_true(add_hold(0, 1));
	for (int i = 0; i < 3; i++) {
		wait_seconds(60);
		run_cycle(1);
	}
	assert_ok(lease_parse(sky->text, strlen(sky->text), &ew.t.a, &is, &e), e);
	assert_string_equal(is.host, "vm-b");
	assert_non_null(strstr(is.blocked, "a decision of a user on vm-a is missing here"));
	wait_seconds(GRACE);
	run_cycle(1);
	assert_int_equal(sky->n, 0);
	/* the third one: a new database */
	copy_empty_to(0);
	for (int i = 0; i < 6; i++) {
		wait_seconds(60);
		run_cycle(0);
	}
	assert_ok(lease_parse(sky->text, strlen(sky->text), &ew.t.a, &is, &e), e);
	assert_string_equal(is.host, "vm-a");
	assert_int_equal(sky->n, 0);
	resume(0);
	assert_ok(lease_parse(sky->text, strlen(sky->text), &ew.t.a, &is, &e), e);
	assert_null(is.blocked);
	for (int i = 0; i < 6; i++) {
		wait_seconds(60);
		run_cycle(0);
	}
	assert_int_equal(sky->n, MACHINES);
	tempdb_close(&ew.t);
}

/* It stays if no other machine acted since. */
static void test_backup_that_a_person_restored(void **state)
{
	static const struct {
		const char *ours, *theirs;
		bool restored, wants;
	} rows[] = {{"2", "2", true, false}, {"3", "2", true, false},
		{"2", "3", true, true}, {"2", "2", false, true}, {"2", "3", false, true}};
	struct err e = {0};

	begin();
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct db *v[2];
		bool wants;

		for (int h = 0; h < 2; h++) {
			copy_empty_to(h);
			assert_ok(db_open(path_of(h), DB_WRITE, &sky->clock[h], &v[h], &e),
				e);
			assert_ok(db_exec(v[h],
					  arena_printf(&ew.t.a,
						  "INSERT INTO meta VALUES ('lease_epoch', "
						  "'%s')",
						  h ? rows[i].theirs : rows[i].ours),
					  &e),
				e);
		}
		if (rows[i].restored)
			assert_ok(db_exec(v[0], "INSERT INTO meta VALUES ('backup', '1')",
					  &e),
				e);
		assert_ok(leader_wants_backup(v[0], v[1], &ew.t.a, &wants, &e), e);
		assert_int_equal(wants, rows[i].wants);
		db_close(v[0]);
		db_close(v[1]);
	}
	tempdb_close(&ew.t);
}

static int share_sky(void **state)
{
	sky = mmap(NULL, sizeof(*sky), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		-1, 0);
	return sky == MAP_FAILED;
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_content),
		cmocka_unit_test(test_take_over_in_time),
		cmocka_unit_test(test_halt_before_there_is_a_lease),
		cmocka_unit_test(test_leak_is_stopped_in_three_minutes),
		cmocka_unit_test(test_what_is_blocked_stays_blocked),
		cmocka_unit_test(test_backup_that_a_person_restored),
		cmocka_unit_test(test_random_histories),
	};

	return cmocka_run_group_tests_name("leader", tests, share_sky, NULL);
}
