/* Workers die at any moment while messages go out (case H10): none is lost, nothing is told that
 * did not happen, and a repeat is marked as one. The other side is a file that every letter is
 * appended to by one write. Workers are processes of their own; the clock moves on between
 * generations of them, so that what the dead had in hand is taken over. */
#include "tests/support/world/outbox_world.h"

#include "db/internal.h"
#include "db_sql.h"
#include "tests/support/assert.h"
#include "tests/support/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__ /* its processes are slow to start */
#define CRASHES 150
#define MESSAGES 200
#else
#define CRASHES 1000
#define MESSAGES 600
#endif
#define WORKERS 2
/* Seconds between generations: less than 20 messages an hour on a channel. */
#define STEP 190
#define CRASHED 86

/* One has a pace, one keeps the order. */
static const struct {
	const char *name;
	enum channel_kind kind;
} channels[] = {{"chat", CHANNEL_SLACK}, {"hook", CHANNEL_WEBHOOK}, {"log", CHANNEL_FILE},
	{"pager", CHANNEL_ALERTMANAGER}};

/* ---- a worker ---------------------------------------------------------------------------------- */

enum moment { ANY_STEP, BEFORE_SEND, AFTER_SEND, AFTER_NOTE, AFTER_COMPOSE, NEVER };

struct worker {
	struct db *db;
	struct clock clock;
	enum moment moment;
	long left;   /* so often that moment passes; then it is the last one */
	int refused; /* of 100 letters */
	bool sends, notes;
	int fd;
	const char *said; /* the file */
};
static struct worker me;

static void pass(enum moment m)
{
	if (m == me.moment && me.left-- <= 0)
		_exit(CRASHED);
}

/* In the middle of any statement, and also in that of a commit. */
static int on_steps(void *ctx)
{
	(void)ctx;
	pass(ANY_STEP);
	return 0;
}

/* The other worker holds the lock: it does so for microseconds. */
static int on_busy(void *ctx, int times)
{
	(void)ctx;
	usleep(300);
	return times < 100000;
}

static int on_commit(void *ctx)
{
	(void)ctx;
	for (int i = 0; i < 20; i++)
		pass(ANY_STEP);
	return 0;
}

static void must(enum err_code rc, const struct err *e)
{
	if (!rc)
		return;
	fprintf(stderr, "worker: %s\n", e->msg);
	_exit(1);
}

static void deliver(
	void *ctx, const struct channel *c, const struct letter *l, struct send_result *out)
{
	char line[160];
	int n = snprintf(line, sizeof(line), "%ld %s %s %d\n", (long)getpid(), c->name,
		l->id, l->may_be_repeat);

	(void)ctx;
	pass(BEFORE_SEND);
	if (rand() % 100 < me.refused) {
		out->class = SEND_LATER;
		err_set(&out->err, E_NET, "not now");
		return;
	}
	if (write(me.fd, line, (size_t)n) != n)
		_exit(1);
	pass(AFTER_SEND);
}

/* The next event of the world's: the alert and what is to be told of it in one transaction. */
static void note_next(void)
{
	static const char *const rules[] = {"tpu-not-covered", "disk-orphan", "budget"};
	char subject[32], sql[300];
	ts_t now = clock_now(&me.clock);
	struct said said = {.subject = subject, .summary = "x", .since = now};
	struct judgement j = {.said = &said, .n_said = 1};
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct err e = {0};
	int64_t n;

	must(db_begin(me.db, &tx, &e), &e);
	must(db_pragma(me.db, "SELECT COUNT(*) FROM alert_event", &n, &e), &e);
	snprintf(subject, sizeof(subject), "lab/vm/z/%lld", (long long)n);
	said.rule = rules[n % 3];
	said.event = EVENT_FIRING;
	said.severity = (enum severity)(n % 3);
	snprintf(sql, sizeof(sql),
		"INSERT INTO alert_event (at, rule, subject, kind, severity, summary, "
		"muted) VALUES (%lld, '%s', '%s', 'firing', '%s', 'x', 0)",
		(long long)now, said.rule, subject, severity_name(said.severity));
	must(db_exec(me.db, sql, &e), &e);
	must(outbox_note(me.db, &ow.o, &j, now, &e), &e);
	must(db_commit(&tx, &e), &e);
	pass(AFTER_NOTE);
}

static void work(void)
{
	struct outbox_post p = {.send = deliver, .clock = &me.clock, .max_seconds = 3600};
	struct arena a = {0};
	struct outbox_sent sent;
	struct err e = {0};

	me.fd = open(me.said, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	must(db_open(ow.t.path, DB_WRITE, &me.clock, &me.db, &e), &e);
	db_derived_empty(me.db);
	/* what dies is the process and not the machine */
	must(db_exec(me.db, "PRAGMA synchronous = OFF", &e), &e);
	sqlite3_busy_handler(me.db->sq, on_busy, NULL);
	sqlite3_progress_handler(me.db->sq, 20, on_steps, NULL);
	sqlite3_commit_hook(me.db->sq, on_commit, NULL);
	if (me.notes)
		note_next();
	must(outbox_compose(me.db, &ow.o, clock_now(&me.clock), &a, &e), &e);
	pass(AFTER_COMPOSE);
	if (me.sends)
		must(outbox_send(me.db, &ow.o, &p, &sent, &e), &e);
	arena_done(&a);
	db_close(me.db);
	_exit(0);
}

/* ---- the parent -------------------------------------------------------------------------------- */

struct sent {
	char key[64]; /* "CHANNEL ID" */
	long pid;
	bool marked;
};

static struct {
	char said[128];
	long at; /* so much of it was read */
	struct sent *sent;
	size_t n, cap;
	int crashes, killed, window;
	size_t repeats;
} world;

/* The database is not open in the parent while there are workers: a connection must not live on
 * in a child. */
static int64_t ask(const char *sql)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *st = NULL;
	int64_t n;

	if (sqlite3_open(ow.t.path, &db) || sqlite3_busy_timeout(db, 10000) ||
		sqlite3_prepare_v2(db, sql, -1, &st, NULL) ||
		sqlite3_step(st) != SQLITE_ROW)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	n = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return n;
}

static void read_sent(void)
{
	FILE *f = fopen(world.said, "r");
	struct sent got;
	char channel[16], id[33];
	int marked;

	if (!f)
		return;
	assert_int_equal(fseek(f, world.at, SEEK_SET), 0);
	while (fscanf(f, "%ld %15s %32s %d\n", &got.pid, channel, id, &marked) == 4) {
		got.marked = marked;
		snprintf(got.key, sizeof(got.key), "%s %s", channel, id);
		*arena_append(&ow.t.a, world.sent, world.n, world.cap) = got;
	}
	assert_true(feof(f));
	world.at = ftell(f);
	fclose(f);
}

/* What the dead one sent last and nobody knows of: it will be sent again. */
static void count_window(pid_t dead)
{
	char sql[200];

	for (size_t i = world.n; i-- > 0;) {
		if (world.sent[i].pid != dead)
			continue;
		snprintf(sql, sizeof(sql),
			"SELECT COUNT(*) FROM notification WHERE message = '%s' AND "
			"state = 'sending'",
			strchr(world.sent[i].key, ' ') + 1);
		world.window += (int)ask(sql);
		break;
	}
}

static pid_t start(const struct worker *w)
{
	pid_t pid = fork();

	if (pid == 0) {
		me = *w;
		work();
	}
	assert_true(pid > 0);
	return pid;
}

static struct worker plan(int generation, enum moment moment)
{
	static const long often[] = {[ANY_STEP] = 350,
		[BEFORE_SEND] = 2,
		[AFTER_SEND] = 2,
		[AFTER_NOTE] = 1,
		[AFTER_COMPOSE] = 1,
		[NEVER] = 1};
	struct worker w = {.moment = moment,
		.left = rand() % often[moment],
		.refused = moment == NEVER ? 0 : 5,
		.sends = true,
		.notes = moment != NEVER,
		.said = world.said};

	clock_fake_init(&w.clock, OW_NOW + (ts_t)generation * STEP);
	return w;
}

/* Did it die? */
static bool wait_for(pid_t pid, bool killed)
{
	int status;

	while (waitpid(pid, &status, 0) != pid)
		assert_int_equal(errno, EINTR);
	if (WIFSIGNALED(status)) {
		assert_true(killed);
		assert_int_equal(WTERMSIG(status), SIGKILL);
		world.killed++;
		return true;
	}
	if (WEXITSTATUS(status) == CRASHED) {
		world.crashes++;
		return true;
	}
	assert_int_equal(WEXITSTATUS(status), 0);
	return false;
}

static void run_generation(int generation)
{
	pid_t pid[WORKERS];
	bool kill_it[WORKERS], died[WORKERS];

	for (int i = 0; i < WORKERS; i++) {
		/* every fifth is killed from outside, the others end themselves */
		struct worker w = plan(generation,
			rand() % 5 ? (enum moment)(rand() % AFTER_COMPOSE) : NEVER);

		kill_it[i] = w.moment == NEVER;
		w.notes = i == 0 && generation % 2 == 0;
		pid[i] = start(&w);
	}
	for (int i = 0; i < WORKERS; i++) {
		if (!kill_it[i])
			continue;
		usleep((useconds_t)(rand() % 12000));
		kill(pid[i], SIGKILL);
	}
	for (int i = 0; i < WORKERS; i++)
		died[i] = wait_for(pid[i], kill_it[i]);
	read_sent();
	for (int i = 0; i < WORKERS; i++)
		if (died[i])
			count_window(pid[i]);
}

/* ---- afterwards -------------------------------------------------------------------------------- */

/* By channel and id, and those of one message in the order in which they were written. */
static int by_message(const void *a, const void *b)
{
	const struct sent *x = *(const struct sent *const *)a;
	const struct sent *y = *(const struct sent *const *)b;
	int rc = strcmp(x->key, y->key);

	return rc ? rc : (x > y) - (x < y);
}

/* The first one of a message may be marked, too: when somebody died before it went out. */
static size_t count_messages(void)
{
	const struct sent **v = arena_alloc(&ow.t.a, world.n * sizeof(*v));
	size_t messages = 0;

	for (size_t i = 0; i < world.n; i++)
		v[i] = &world.sent[i];
	qsort(v, world.n, sizeof(*v), by_message);
	for (size_t i = 0; i < world.n; i++) {
		bool first = !i || strcmp(v[i - 1]->key, v[i]->key) != 0;

		if (!first && !v[i]->marked)
			fail_msg("a repeat of %s is not marked", v[i]->key);
		messages += first;
		world.repeats += !first;
	}
	return messages;
}

static void each_event_has_one_item_on_each_channel(void)
{
	ow_expect("SELECT COUNT(*) FROM alert_event e WHERE (SELECT COUNT(*) FROM outbox o "
		  "WHERE o.rule = e.rule AND o.subject = e.subject) <> 4",
		"0");
	ow_expect("SELECT COUNT(*) FROM (SELECT 1 FROM outbox GROUP BY channel, rule, "
		  "subject HAVING COUNT(*) <> 1)",
		"0");
	ow_expect("SELECT COUNT(*) FROM outbox o WHERE NOT EXISTS (SELECT 1 FROM "
		  "alert_event e WHERE o.rule = e.rule AND o.subject = e.subject)",
		"0");
	ow_expect("SELECT COUNT(*) FROM outbox WHERE state <> 'told' OR message NOT IN "
		  "(SELECT message FROM notification)",
		"0");
}

static void drain(int generation)
{
	for (int i = 0; i < 100; i++) {
		struct worker w = plan(generation + i * 4, NEVER);

		w.notes = false;
		assert_false(wait_for(start(&w), false));
		if (!ask("SELECT COUNT(*) FROM notification WHERE state <> 'sent'") &&
			!ask("SELECT COUNT(*) FROM outbox WHERE state = 'waiting'"))
			break;
	}
	read_sent();
}

static void none_is_lost_when_workers_die(void **state)
{
	int generation = 0;
	size_t messages;
	struct err e = {0};

	for (size_t i = 0; i < ARRAY_LEN(channels); i++)
		ow_channel(channels[i].name)->kind = channels[i].kind;
	snprintf(world.said, sizeof(world.said), "%s.said", ow.t.path);
	db_close(ow.t.db);
	ow.t.db = NULL;
	while (world.crashes + world.killed < CRASHES / unit_step(1) ||
		ask("SELECT COUNT(*) FROM notification") < MESSAGES / unit_step(1))
		run_generation(++generation);
	drain(generation + 20);
	assert_ok(db_open(ow.t.path, DB_WRITE, &ow.t.clock, &ow.t.db, &e), e);
	ow_expect("PRAGMA integrity_check", "ok");
	ow_expect("SELECT COUNT(*) FROM notification WHERE state <> 'sent'", "0");
	each_event_has_one_item_on_each_channel();
	messages = count_messages();
	assert_i64_eq(messages, tempdb_int(&ow.t, "SELECT COUNT(*) FROM notification"));
	printf("%d crashes (%d of them kill -9), %zu messages, %zu sends, %zu repeats, all "
	       "marked as possible repeats\n",
		world.crashes + world.killed, world.killed, messages, world.n,
		world.repeats);
	/* repeats come from nothing but a crash between sending and noting that it was sent */
	assert_i64_eq(world.repeats, world.window);
	assert_true(world.repeats > 0);
	assert_true(messages >= (size_t)(MESSAGES / unit_step(1)));
	unlink(world.said);
}

/* ---- what is left in hand ---------------------------------------------------------------------- */

/* Whoever had it in hand died, and then nobody may send there any more. */
static void what_the_dead_had_in_hand_is_not_forgotten(void **state)
{
	ow_channel("log");
	ow_note("firing", "vm", "a", SEVERITY_WARNING);
	ow_note("firing", "vm", "b", SEVERITY_WARNING);
	ow_compose();
	ow_note("firing", "vm", "c", SEVERITY_WARNING);
	ow_compose();
	tempdb_exec(&ow.t,
		"UPDATE notification SET state = 'sending', fence = 1, attempts = 1, "
		"lease = 1795219200 + 300 WHERE id = 1");
	ow_fail("log", SEND_SWITCHED_OFF, 1);
	ow_post();
	ow_expect_states("1 log sending 1; 2 log dead 1");
	ow_advance(299);
	ow_cycle();
	ow_expect_states("1 log sending 1; 2 log dead 1"); /* it may come back */
	ow_advance(1);
	ow_cycle();
	ow_expect_states("1 log dead 1; 2 log dead 1");
	assert_int_equal(ow.sent.waiting, 0);
	assert_int_equal(ow.n, 1);
}

static void nobody_has_anything_in_hand_for_two_days(void **state)
{
	ow_channel("log");
	ow_note("firing", "vm", "a", SEVERITY_WARNING);
	ow_compose();
	tempdb_exec(&ow.t,
		"UPDATE notification SET state = 'sending', fence = 1, attempts = 1, "
		"lease = 1795219200 + 300");
	ow_advance(OUTBOX_MAX_AGE + 1);
	ow_cycle();
	ow_expect_states("1 log dead 1");
	assert_int_equal(ow.n, 0);
}

static void retry(int64_t id)
{
	struct q_notification_retry_in in = {.id = id, .now = clock_now(&ow.t.clock)};
	struct err e = {0};

	assert_ok(q_notification_retry(ow.t.db, &in, &e), e);
}

/* Given up, and then somebody wants it to be tried again. */
static void what_perhaps_arrived_says_so_when_it_is_tried_again(void **state)
{
	ow_channel("log");
	ow_note("firing", "vm", "a", SEVERITY_WARNING);
	ow_fail("log", SEND_UNCLEAR, 1);
	ow_cycle();
	ow_note("firing", "vm", "b", SEVERITY_WARNING);
	ow_fail("log", SEND_SWITCHED_OFF, 1);
	ow_cycle();
	ow_expect_states("1 log dead 1; 2 log dead 1");
	tempdb_exec(&ow.t, "UPDATE channel_state SET off_since = NULL");
	retry(1);
	retry(2);
	ow_post();
	assert_int_equal(ow.n, 4);
	assert_true(ow.letters[2].may_be_repeat);
	assert_false(ow.letters[3].may_be_repeat); /* that one was refused */
	ow_expect_states("1 log sent 2; 2 log sent 2");
}

/* The repeat was refused: it still may have arrived the first time. */
static void a_repeat_that_was_refused_is_one_when_it_is_tried_again(void **state)
{
	ow_channel("log");
	ow_note("firing", "vm", "a", SEVERITY_WARNING);
	ow_fail("log", SEND_UNCLEAR, 1);
	ow_cycle();
	ow_advance(300);
	ow_fail("log", SEND_REJECTED, 1);
	ow_cycle();
	ow_expect_states("1 log dead 2");
	retry(1);
	ow_post();
	assert_int_equal(ow.n, 3);
	assert_true(ow.letters[2].may_be_repeat);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, ow_setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(none_is_lost_when_workers_die),
		TEST(what_the_dead_had_in_hand_is_not_forgotten),
		TEST(what_perhaps_arrived_says_so_when_it_is_tried_again),
		TEST(a_repeat_that_was_refused_is_one_when_it_is_tried_again),
		TEST(nobody_has_anything_in_hand_for_two_days),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
