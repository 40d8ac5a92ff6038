/* The page in the browser: whatever bytes a connection sends, the real server on a small database answers with whole
 * responses, none of them an internal error; a page has no script but its own; and what was sent is never markup in it. */
#include "base/fs.h"
#include "base/mem.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/web/web.h"
#include "db/internal.h"
#include "tests/fuzz/fuzz.h"

#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define NOW INT64_C(1795219200)

static char dir[] = "/tmp/tpucost-fuzz-XXXXXX";
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static socklen_t address_len;

static const char settings[] =
	"database: fuzz.db\ncurrency: HKD\nprojects: [lab-tpus]\n"
	"grants:\n"
	"  - {name: trc, starts: 2026-11-01, days: 30, tpus: [64 spot Cloud TPU v6e chips "
	"in zone europe-west4-a]}\n"
	"credits:\n"
	"  - {name: trial, amount: 300 USD, starts: 2026-11-01, expires: 2027-01-01}\n"
	"budgets:\n"
	"  - {name: month, amount: 5000 HKD, per: month}\n"
	"rules:\n"
	"  - {name: big, on: resources, where: vcpus > 64}\n";

static const char rows[] =
	"INSERT INTO resource (id, uid, source, kind, project, location, zone, region, "
	"name, state, raw_state, type, labels, first_seen, last_seen, complete) VALUES "
	"('vm1', '1', 'vm', 'vm', 'lab-tpus', 'us-central1-a', 'us-central1-a', "
	"'us-central1', "
	"'<b>&vm1', 'running', 'RUNNING', 'n1-standard-96', '{\"a\":\"b\"}', 1795200000, "
	"1795219100, 1)";

static void remove_all(void)
{
	static const char *const names[] = {
		"fuzz.db", "fuzz.db-wal", "fuzz.db-shm", "fuzz.db.lock", "tpucost.yaml"};
	char path[64];

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	rmdir(dir);
}

static ts_t at_now(struct clock *c)
{
	(void)c;
	return NOW;
}

/* The wall clock stands still, so that an input shows the same again; limits of queries need the other one. */
static struct clock *still(void)
{
	static struct clock c;

	c = *clock_system();
	c.now = at_now;
	return &c;
}

static void *serve(void *socket)
{
	static struct app app;
	struct err e = {0};
	char config[64];

	snprintf(config, sizeof(config), "%s/tpucost.yaml", dir);
	app.clock = still();
	app.now = NOW;
	app.cmd = cmd_find("web");
	opts_init(&app.o);
	app.o.config = config;
	fuzz_require(config_load(&app, &e) == E_OK);
	fuzz_require(web_serve(&app, socket, &e) == E_OK);
	return NULL;
}

static void begin_once(void)
{
	static struct web_socket s = {.fd = -1, .local = true};
	char path[64];
	struct db *db;
	struct err e = {0};
	pthread_t thread;

	if (s.fd >= 0)
		return;
	fuzz_require(mkdtemp(dir) != NULL);
	atexit(remove_all);
	snprintf(path, sizeof(path), "%s/tpucost.yaml", dir);
	fuzz_require(
		fs_write_atomic(path, settings, sizeof(settings) - 1, 0600, &e) == E_OK);
	snprintf(path, sizeof(path), "%s/fuzz.db", dir);
	fuzz_require(db_open(path, DB_WRITE, still(), &db, &e) == E_OK);
	fuzz_require(db_exec(db, rows, &e) == E_OK);
	db_close(db);

	/* without a name in the file system */
	address_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
		(size_t)snprintf(
			address.sun_path + 1, sizeof(address.sun_path) - 1, "%s", dir));
	s.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	fuzz_require(s.fd >= 0 && !bind(s.fd, (struct sockaddr *)&address, address_len) &&
		!listen(s.fd, 16));
	snprintf(s.name, sizeof(s.name), "fuzz");
	fuzz_require(!pthread_create(&thread, NULL, serve, &s));
}

/* Ends the connection, unless it is taken as a part of the request before it. */
static const char last[] =
	"\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
#define WAIT_MS 100 /* for the rest of a request, which never comes */

/* All that the server sends until it closes the connection. */
static void ask(const uint8_t *data, size_t size, struct sbuf *answer)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char buf[65536];
	ssize_t n;

	fuzz_require(fd >= 0 && !connect(fd, (struct sockaddr *)&address, address_len));
	if (send(fd, data, size, MSG_NOSIGNAL) == (ssize_t)size &&
		send(fd, last, sizeof(last) - 1, MSG_NOSIGNAL) > 0)
		while (poll(&p, 1, WAIT_MS) > 0 && (n = read(fd, buf, sizeof(buf))) > 0)
			sbuf_add(answer, buf, (size_t)n);
	close(fd);
}

static void check_page(const char *page, size_t n)
{
	cleanup(free_ptr) char *text = fuzz_text((const uint8_t *)page, n);

	for (const char *p = text; (p = strcasestr(p, "<script")); p++)
		fuzz_require(str_starts(p, "<script nonce=\""));
}

/* One response; returns what follows it. NULL: it is not whole, or an error of the library, which sends some
 * headers twice. */
static const char *check_response(const char *s)
{
	static const unsigned long known[] = {200, 304, 400, 404, 405, 421, 503};
	const char *body = strstr(s, "\r\n\r\n"),
		   *at = strcasestr(s, "\r\nContent-Length: ");
	const char *html = strstr(s, "\r\nContent-Type: text/html");
	const char *nosniff;
	bool found = false;
	size_t n;

	fuzz_require(str_starts(s, "HTTP/1."));
	if (!body || !(nosniff = strstr(s, "\r\nX-Content-Type-Options: ")) ||
		nosniff > body)
		return NULL;
	body += 4;
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		found = found || known[i] == strtoul(s + strlen("HTTP/1.1 "), NULL, 10);
	fuzz_require(found);
	if (!at || at > body || str_starts(body, "HTTP/1."))
		return body;
	n = strtoul(at + strlen("\r\nContent-Length: "), NULL, 10);
	if (strlen(body) < n)
		return NULL;
	if (html && html < body)
		check_page(body, n);
	return body + n;
}

int fuzz_web(const uint8_t *data, size_t size)
{
	cleanup(sbuf_done) struct sbuf answer = SBUF_INIT;

	begin_once();
	ask(data, size, &answer);
	fuzz_require(strlen(answer.s) == answer.len);
	for (const char *s = answer.s; s && *s;)
		s = check_response(s);
	return 0;
}
