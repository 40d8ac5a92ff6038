/* The server: requests in, log and faults, routes, answers out. */
#include "tests/sandbox/sandbox.h"

#include "base/clock.h"
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

#define MAX_BODY ((size_t)4 << 20)
#define LOG_BODY 65536

struct server {
	struct world world;
	FILE *log;
	struct clock *clock;
	int64_t n_requests;
};

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

/* ---- log --------------------------------------------------------------------------------------- */

/* Nothing secret goes into the log: assertions and refresh tokens are cut. */
static void log_request(struct server *s, const struct request *q, int status)
{
	struct sbuf b = SBUF_INIT;
	struct jw w = {.b = &b};
	bool secret = !strcmp(q->path, "/token");

	if (!s->log)
		return;
	jw_begin(&w, '{');
	jw_ki64(&w, "n", ++s->n_requests);
	jw_kstr(&w, "method", q->method);
	jw_kstr(&w, "path", q->path);
	jw_ki64(&w, "status", status);
	jw_key(&w, "mutating");
	jw_bool(&w,
		!secret && strcmp(q->method, "GET") != 0 && !strstr(q->path, "/queries") &&
			!str_starts(q->path, "/_sandbox"));
	jw_kstr(&w, "body",
		secret ? "***"
		       : arena_strndup(q->a, q->body,
				 q->body_len < LOG_BODY ? q->body_len : LOG_BODY));
	jw_end(&w, '}');
	fprintf(s->log, "%s\n", b.s);
	fflush(s->log);
	sbuf_done(&b);
}

/* ---- routing ----------------------------------------------------------------------------------- */

static void split_path(struct request *q)
{
	char *copy = arena_strdup(q->a, q->path + 1), *part;

	while ((part = strsep(&copy, "/")) && q->n_seg < ARRAY_LEN(q->seg))
		q->seg[q->n_seg++] = part;
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
	static const char *const apis[][3] = {
		{"/compute/", "compute", "compute.googleapis.com"},
		{"/v2/", "tpu", "tpu.googleapis.com"},
		{"/bigquery/", "bigquery", "bigquery.googleapis.com"},
	};

	for (size_t i = 0; i < ARRAY_LEN(apis); i++) {
		if (str_starts(path, apis[i][0])) {
			*service = apis[i][2];
			return apis[i][1];
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

static void route(const struct request *q, struct response *r)
{
	for (size_t i = 0; i < n_routes; i++) {
		if (strcmp(routes[i].method, q->method) != 0 ||
			!path_fits(q, routes[i].path))
			continue;
		if (!routes[i].open && !oauth_token_valid(q->authorization, q->now))
			respond_error(r, 401, "authError",
				"Request had invalid authentication credentials. Expected "
				"OAuth 2 "
				"access token, login cookie or other valid authentication "
				"credential.");
		else if (!api_disabled(q, r))
			routes[i].serve(q, r);
		return;
	}
	respond_error(
		r, 404, "notFound", "The requested URL was not found on this server.");
}

/* ---- faults and control ------------------------------------------------------------------------- */

static struct fault *find_fault(struct world *w, const struct request *q)
{
	const char *line = arena_printf(q->a, "%s %s", q->method, q->path);

	for (size_t i = 0; i < w->n_faults; i++) {
		struct fault *f = &w->faults[i];

		if (!str_starts(line, f->match))
			continue;
		f->seen++;
		if (f->seen > f->skip && (!f->times || f->seen <= f->skip + f->times))
			return f;
	}
	return NULL;
}

/* Fills the answer as the fault says; false: let the route answer. */
static bool apply_fault(const struct fault *f, const struct request *q, struct response *r)
{
	const char *how = f->how ? f->how : "status";

	if (f->delay_ms)
		usleep((useconds_t)f->delay_ms * 1000);
	if (!strcmp(how, "empty")) {
		r->status = f->status ? (int)f->status : 200;
		return true;
	}
	if (!strcmp(how, "html")) {
		r->status = f->status ? (int)f->status : 200;
		r->type = "text/html";
		sbuf_adds(&r->body, "<html><body>502 Bad Gateway</body></html>");
		return true;
	}
	if (!strcmp(how, "truncate")) {
		route(q, r);
		sbuf_trunc(&r->body, r->body.len / 2);
		return true;
	}
	if (f->body) {
		r->status = f->status ? (int)f->status : 200;
		sbuf_adds(&r->body, f->body);
		return true;
	}
	if (f->status) {
		respond_error(r, (int)f->status,
			f->status == 429 ? "rateLimitExceeded" : "forbidden",
			"scripted fault");
		return true;
	}
	return false;
}

/* POST /_sandbox/world and /_sandbox/faults take YAML. */
static bool control(struct server *s, const struct request *q, struct response *r)
{
	struct err e = {0};
	struct world next;

	if (!str_starts(q->path, "/_sandbox/"))
		return false;
	if (!strcmp(q->path, "/_sandbox/faults")) {
		if (faults_read(q->body, q->body_len, &s->world, &e))
			respond_error(r, 400, "invalid", e.msg);
	} else if (!strcmp(q->path, "/_sandbox/world")) {
		if (world_read(q->body, q->body_len, "world", q->now, &next, &e)) {
			respond_error(r, 400, "invalid", e.msg);
			world_free(&next);
		} else {
			world_free(&s->world);
			s->world = next;
		}
	} else {
		respond_error(r, 404, "notFound", "world or faults");
	}
	return true;
}

/* ---- libmicrohttpd ------------------------------------------------------------------------------- */

static const char *query_param(const struct request *q, const char *name)
{
	return MHD_lookup_connection_value(q->connection, MHD_GET_ARGUMENT_KIND, name);
}

static enum MHD_Result send_response(
	struct MHD_Connection *c, struct response *r, const struct fault *f)
{
	struct MHD_Response *out = MHD_create_response_from_buffer(
		r->body.len, r->body.s, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result rc;
	char seconds[32];

	MHD_add_response_header(out, "Content-Type", r->type);
	if (r->metadata_flavor)
		MHD_add_response_header(out, "Metadata-Flavor", "Google");
	if (f && f->retry_after) {
		snprintf(seconds, sizeof(seconds), "%lld", (long long)f->retry_after);
		MHD_add_response_header(out, "Retry-After", seconds);
	}
	rc = MHD_queue_response(c, (unsigned)r->status, out);
	MHD_destroy_response(out);
	return rc;
}

static enum MHD_Result answer(struct server *s, struct MHD_Connection *c, struct pending *p,
	const char *url, const char *method)
{
	struct request q = {.w = &s->world,
		.method = method,
		.path = url,
		.body = p->body.s,
		.body_len = p->body.len,
		.authorization = MHD_lookup_connection_value(
			c, MHD_HEADER_KIND, "Authorization"),
		.metadata_flavor = MHD_lookup_connection_value(
			c, MHD_HEADER_KIND, "Metadata-Flavor"),
		.param = query_param,
		.connection = c,
		.now = clock_now(s->clock),
		.a = &p->a};
	struct response r = {.status = 200,
		.type = "application/json; charset=UTF-8",
		.body = SBUF_INIT};
	struct fault *f;
	enum MHD_Result rc;

	split_path(&q);
	f = find_fault(&s->world, &q);
	if (f && f->how && !strcmp(f->how, "close")) {
		log_request(s, &q, 0);
		return MHD_NO;
	}
	if (!control(s, &q, &r) && !(f && apply_fault(f, &q, &r)))
		route(&q, &r);
	log_request(s, &q, r.status);
	rc = send_response(c, &r, f);
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
	const char *port, *port_file, *log, *key_out, *world;
};

static void read_args(int argc, char **argv, struct args *a)
{
	const struct {
		const char *name;
		const char **at;
	} known[] = {{"--port", &a->port}, {"--port-file", &a->port_file},
		{"--log", &a->log}, {"--key-out", &a->key_out}};

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
			    "[--key-out DIR] "
			    "WORLD.yaml; what is this",
				argv[i]);
	}
	if (!a->world)
		die("no world given", NULL);
}

static void load_world(struct server *s, const char *path)
{
	struct sbuf text = SBUF_INIT;
	struct err e = {0};

	if (fs_read(path, YAML_MAX_BYTES, &text, &e) ||
		world_read(text.s, text.len, path, clock_now(s->clock), &s->world, &e))
		die(e.msg, NULL);
	sbuf_done(&text);
}

int main(int argc, char **argv)
{
	struct server s = {.clock = clock_system()};
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
	d = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, on_request, &s,
		MHD_OPTION_SOCK_ADDR, &at, MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL,
		MHD_OPTION_END);
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
	sigwait(&set, &sig);
	MHD_stop_daemon(d);
	world_free(&s.world);
	if (s.log)
		fclose(s.log);
	return 0;
}
