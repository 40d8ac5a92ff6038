/* The server: requests in, faults and routes, answers out. */
#include "tests/sandbox/actions.h"
#include "tests/sandbox/server.h"

#include "base/time/civil.h"
#include "base/time/clock.h"
#include "base/fs.h"
#include "base/str.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_BODY ((size_t)64 << 20) /* backups */
#define LOG_TEXT ((size_t)32 << 20)

/* One request while its body comes in. */
struct pending {
	struct sbuf body;
	struct arena a;
};

noreturn_fn static void die(const char *what, const char *which)
{
	fprintf(stderr, "sandbox: %s%s%s\n", what, which ? ": " : "", which ? which : "");
	exit(1);
}

/* ---- routing ----------------------------------------------------------------------------------- */

static void split_path(struct request *q)
{
	char *copy = arena_strdup(q->a, q->path + 1), *part;

	while ((part = strsep(&copy, "/")) && q->n_seg < ARRAY_LEN(q->seg))
		q->seg[q->n_seg++] = part;
	if (q->n_seg > 1 && !*q->seg[q->n_seg - 1])
		q->n_seg--; /* a slash at the end */
	if (!strcmp(q->seg[0], "v2alpha1"))
		q->seg[0] = "v2"; /* of Cloud TPU: the same, with a few members more */
}

static bool path_fits(const struct request *q, const char *pattern)
{
	char *copy = arena_strdup(q->a, pattern + 1), *part;
	size_t i = 0;

	for (; (part = strsep(&copy, "/")); i++)
		if (i >= q->n_seg || (strcmp(part, "*") && strcmp(part, q->seg[i])))
			return false;
	return i == q->n_seg;
}

/* The API that a path belongs to, for `disabled:`. */
static const char *api_of(const char *path, const char **service)
{
	static const struct {
		const char *prefix, *part, *api, *service;
	} apis[] = {
		{"/compute/", "", "compute", "compute.googleapis.com"},
		{"/v2/", "", "tpu", "tpu.googleapis.com"},
		{"/v2alpha1/", "", "tpu", "tpu.googleapis.com"},
		{"/bigquery/", "", "bigquery", "bigquery.googleapis.com"},
		{"/v1/", "/quotaInfos", "quotas", "cloudquotas.googleapis.com"},
		{"/v1/", "/billingInfo", "billing", "cloudbilling.googleapis.com"},
		{"/v1beta/", "", "billing", "cloudbilling.googleapis.com"},
		{"/v3/", "", "monitoring", "monitoring.googleapis.com"},
	};

	for (size_t i = 0; i < ARRAY_LEN(apis); i++) {
		if (str_starts(path, apis[i].prefix) && strstr(path, apis[i].part)) {
			*service = apis[i].service;
			return apis[i].api;
		}
	}
	return NULL;
}

static bool api_disabled(const struct request *q, struct response *r)
{
	const char *service, *api = api_of(q->path, &service);
	const struct project *p = NULL;

	for (size_t i = 0; !p && i + 1 < q->n_seg; i++)
		if (!strcmp(q->seg[i], "projects"))
			p = world_project(q->w, q->seg[i + 1]);
	for (size_t i = 0; api && p && i < p->disabled.n; i++) {
		if (!strcmp(p->disabled.v[i], api)) {
			respond_disabled(r, p, service);
			return true;
		}
	}
	return false;
}

void route(const struct request *asked, struct response *r)
{
	struct request own = *asked, *q = &own;

	own.w = fleet_world(asked);
	for (size_t i = 0; i < n_routes; i++) {
		if (strcmp(routes[i].method, q->method) != 0 ||
			!path_fits(q, routes[i].path))
			continue;
		if (!routes[i].open && !q->account)
			respond_error(r, 401, "authError",
				"Request had invalid authentication credentials. "
				"Expected OAuth 2 access token, login cookie or other "
				"valid authentication credential.");
		else if (!api_disabled(q, r) && !iam_refuses(q, r))
			routes[i].serve(q, r);
		return;
	}
	respond_error(
		r, 404, "notFound", "The requested URL was not found on this server.");
}

/* ---- libmicrohttpd ------------------------------------------------------------------------------- */

static const char *query_param(const struct request *q, const char *name)
{
	return MHD_lookup_connection_value(q->connection, MHD_GET_ARGUMENT_KIND, name);
}

static enum MHD_Result add_to_query(
	void *ctx, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct sbuf *b = ctx;

	(void)kind;
	if (b->len)
		sbuf_addc(b, '&');
	sbuf_add_url(b, key);
	if (value) {
		sbuf_addc(b, '=');
		sbuf_add_url(b, value);
	}
	return MHD_YES;
}

static const char *query_text(struct MHD_Connection *c, struct arena *a)
{
	struct sbuf b = SBUF_MAX(65536);
	const char *text;

	MHD_get_connection_values(c, MHD_GET_ARGUMENT_KIND, add_to_query, &b);
	text = arena_strdup(a, b.s);
	sbuf_done(&b);
	return text;
}

/* A body that ends early or goes on: what there is, then filling or the end. */
struct stream {
	char *text;
	size_t len;
	uint64_t end;
	bool cut;
};

static ssize_t read_stream(void *ctx, uint64_t at, char *buf, size_t max)
{
	const struct stream *s = ctx;
	size_t n = at < s->end ? (size_t)(s->end - at) : 0;

	if (!n)
		return s->cut ? MHD_CONTENT_READER_END_WITH_ERROR
			      : MHD_CONTENT_READER_END_OF_STREAM;
	if (n > max)
		n = max;
	for (size_t i = 0; i < n; i++)
		buf[i] = at + i < s->len ? s->text[at + i] : 'x';
	return (ssize_t)n;
}

static void free_stream(void *ctx)
{
	struct stream *s = ctx;

	free(s->text);
	free(s);
}

static struct MHD_Response *make_response(struct response *r)
{
	struct stream *s;
	uint64_t size;

	if (!r->cut && !r->more)
		return MHD_create_response_from_buffer(
			r->body.len, r->body.s, MHD_RESPMEM_MUST_COPY);
	s = xcalloc(1, sizeof(*s));
	size = r->cut ? r->body.len : MHD_SIZE_UNKNOWN;
	s->len = r->body.len;
	s->end = r->cut ? r->body.len / 2 : r->body.len + (uint64_t)r->more;
	s->cut = r->cut;
	s->text = sbuf_detach(&r->body);
	return MHD_create_response_from_callback(size, 65536, read_stream, s, free_stream);
}

static enum MHD_Result send_response(struct MHD_Connection *c, struct response *r)
{
	struct MHD_Response *out = make_response(r);
	enum MHD_Result rc;
	char seconds[32];

	MHD_add_response_header(out, "Content-Type", r->type);
	if (r->metadata_flavor)
		MHD_add_response_header(out, "Metadata-Flavor", "Google");
	if (r->generation) {
		snprintf(seconds, sizeof(seconds), "%lld", (long long)r->generation);
		MHD_add_response_header(out, "X-Goog-Generation", seconds);
	}
	if (r->encoding)
		MHD_add_response_header(out, "Content-Encoding", r->encoding);
	if (r->retry_after) {
		snprintf(seconds, sizeof(seconds), "%lld", (long long)r->retry_after);
		MHD_add_response_header(out, "Retry-After", seconds);
	}
	rc = MHD_queue_response(c, (unsigned)r->status, out);
	MHD_destroy_response(out);
	return rc;
}

/* The fault that is due, copied: the world may be another when its delay is over. */
static bool take_fault(struct server *s, const struct request *q, struct fault *out)
{
	const struct fault *f = fault_find(&s->world, q);

	if (!f)
		return false;
	*out = *f;
	out->how = arena_strdup(q->a, f->how);
	out->body = arena_strdup(q->a, f->body);
	out->reason = arena_strdup(q->a, f->reason);
	return true;
}

/* Moves the monotonic clock of the programs under test (tests/support/machine.c), while they wait for this reply. */
static void move_clock(const struct request *q, int64_t seconds)
{
	const char *link = getenv("TEST_MONOTONIC"), *next;
	int64_t is = 0;
	char text[32];
	ssize_t n;

	if (!link)
		return;
	n = readlink(link, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	(void)!str_to_i64(text, 0, INT64_MAX, &is);
	next = arena_printf(q->a, "%s.sandbox", link);
	if (!symlink(arena_printf(q->a, "%lld", (long long)(is + seconds)), next))
		(void)!rename(next, link);
}

static void serve(struct server *s, struct request *q, struct response *r)
{
	struct fault fault;
	bool faulty;

	pthread_mutex_lock(&s->lock);
	q->now = server_now(s);
	q->account = oauth_account(q);
	operations_settle(&s->world, q->now);
	ends_settle(&s->world, q->now);
	faulty = take_fault(s, q, &fault);
	if (faulty && fault.ahead)
		move_clock(q, fault.ahead);
	if (faulty && fault.delay_ms) {
		printf("held %s %s\n", q->method, q->path);
		fflush(stdout);
		pthread_mutex_unlock(&s->lock);
		clock_sleep_ms(clock_system(), fault.delay_ms);
		pthread_mutex_lock(&s->lock);
	}
	if (faulty)
		fault_apply(&fault, q, r);
	else if (!control(s, q, r))
		route(q, r);
	log_request(s, q, r->close ? 0 : r->status);
	pthread_mutex_unlock(&s->lock);
}

static enum MHD_Result answer(struct server *s, struct MHD_Connection *c, struct pending *p,
	const char *url, const char *method)
{
	struct request q = {.w = &s->world,
		.method = method,
		.path = url,
		.query = query_text(c, &p->a),
		.body = p->body.s,
		.body_len = p->body.len,
		.authorization = MHD_lookup_connection_value(
			c, MHD_HEADER_KIND, "Authorization"),
		.metadata_flavor = MHD_lookup_connection_value(
			c, MHD_HEADER_KIND, "Metadata-Flavor"),
		.param = query_param,
		.connection = c,
		.a = &p->a};
	struct response r = {.status = 200,
		.type = "application/json; charset=UTF-8",
		.body = SBUF_INIT};
	enum MHD_Result rc = MHD_NO;

	split_path(&q);
	if (p->body.full)
		respond_error(&r, 413, "uploadTooLarge", "The request is too large.");
	else
		serve(s, &q, &r);
	if (!r.close)
		rc = send_response(c, &r);
	sbuf_done(&r.body);
	return rc;
}

static enum MHD_Result on_request(void *ctx, struct MHD_Connection *c, const char *url,
	const char *method, const char *version, const char *data, size_t *size,
	void **state)
{
	struct pending *p = *state;

	(void)version;
	if (!p) {
		p = xcalloc(1, sizeof(*p));
		p->body = SBUF_MAX(MAX_BODY);
		*state = p;
		return MHD_YES;
	}
	if (*size) {
		sbuf_add(&p->body, data, *size);
		*size = 0;
		return MHD_YES;
	}
	return answer(ctx, c, p, url, method);
}

static void on_completed(void *ctx, struct MHD_Connection *c, void **state,
	enum MHD_RequestTerminationCode why)
{
	struct pending *p = *state;

	(void)ctx;
	(void)c;
	(void)why;
	if (!p)
		return;
	sbuf_done(&p->body);
	arena_done(&p->a);
	free(p);
	*state = NULL;
}

/* ---- start --------------------------------------------------------------------------------------- */

struct args {
	const char *port, *port_file, *log, *now, *key_out, *world;
};

static void read_args(int argc, char **argv, struct args *a)
{
	const struct {
		const char *name;
		const char **at;
	} known[] = {{"--port", &a->port}, {"--port-file", &a->port_file},
		{"--log", &a->log}, {"--now", &a->now}, {"--key-out", &a->key_out}};

	for (int i = 1; i < argc; i++) {
		size_t k = 0;

		while (k < ARRAY_LEN(known) && strcmp(argv[i], known[k].name) != 0)
			k++;
		if (k < ARRAY_LEN(known) && i + 1 < argc)
			*known[k].at = argv[++i];
		else if (argv[i][0] != '-' && !a->world)
			a->world = argv[i];
		else
			die("usage: sandbox [--port N] [--port-file F] [--log F] "
			    "[--now TIME] [--key-out DIR] WORLD.yaml; what is this",
				argv[i]);
	}
	if (!a->world)
		die("no world given", NULL);
}

/* Seconds since 1970 or RFC 3339: there the clock stands until it is moved. */
static void set_clock(struct server *s, const char *text)
{
	ts_t at;

	if (!str_to_i64(text, 0, INT64_C(4102444800), &at) &&
		rfc3339_parse(text, &at, NULL, NULL))
		die("bad --now", text);
	s->clock = at;
	s->clock_stands = true;
}

ts_t server_now(const struct server *s)
{
	return s->clock + (s->clock_stands ? 0 : clock_now(clock_system()));
}

static void load_world(struct server *s, const char *path)
{
	struct sbuf text = SBUF_INIT;
	struct err e = {0};

	if (fs_read(path, YAML_MAX_BYTES, &text, &e) ||
		world_read(text.s, text.len, path, server_now(s), &s->world, &e))
		die(e.msg, NULL);
	sbuf_done(&text);
}

int main(int argc, char **argv)
{
	struct server s = {
		.lock = PTHREAD_MUTEX_INITIALIZER, .log_text = SBUF_MAX(LOG_TEXT)};
	struct args args = {.port = "0"};
	struct sockaddr_in at = {.sin_family = AF_INET};
	const union MHD_DaemonInfo *info;
	struct MHD_Daemon *d;
	struct err e = {0};
	char url[64], port[16];
	int64_t number;
	sigset_t set;
	int sig;

	read_args(argc, argv, &args);
	if (args.now)
		set_clock(&s, args.now);
	load_world(&s, args.world);
	if (!str_to_i64(args.port, 0, 65535, &number))
		die("bad port", args.port);
	at.sin_port = htons((uint16_t)number);
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (args.log && !(s.log = fopen(args.log, "ae")))
		die("cannot write", args.log);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	pthread_mutex_lock(&s.lock); /* nobody is answered before all is ready */
	d = MHD_start_daemon(
		MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION, 0, NULL,
		NULL, on_request, &s, MHD_OPTION_SOCK_ADDR, &at,
		MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL, MHD_OPTION_END);
	if (!d)
		die("cannot listen on port", args.port);
	info = MHD_get_daemon_info(d, MHD_DAEMON_INFO_BIND_PORT);
	snprintf(port, sizeof(port), "%u\n", info->port);
	snprintf(url, sizeof(url), "http://127.0.0.1:%u", info->port);
	oauth_make_key(args.key_out, url, &s.world);
	printf("sandbox: %s world %s\n", url, s.world.name);
	fflush(stdout);
	if (args.port_file && fs_write_atomic(args.port_file, port, strlen(port), 0644, &e))
		die(e.msg, NULL);
	pthread_mutex_unlock(&s.lock);
	sigwait(&set, &sig);
	MHD_stop_daemon(d);
	world_free(&s.world);
	sbuf_done(&s.log_text);
	if (s.log)
		fclose(s.log);
	return 0;
}
