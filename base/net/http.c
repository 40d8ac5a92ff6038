#include "base/net/http.h"

#include "base/net/http_internal.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/url/url.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_INFLIGHT 32
#define DEFAULT_CONNECT_MS 10000L
#define DEFAULT_TOTAL_MS 60000L
#define DEFAULT_LOW_SPEED_S 30L
#define DEFAULT_ATTEMPTS 5
#define DEFAULT_BUDGET_MS (INT64_C(300) * 1000)
#define POLL_MAX_MS 1000
#define MANY_ACTIVE 16
#define TOGETHER_MS 3

/* ---- the client ---------------------------------------------------------- */

static char *dup_opt(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

static uint64_t seed(const struct http_opts *o)
{
	uint64_t s = o->seed;

	if (!s)
		s = (uint64_t)clock_now(o->clock) * UINT64_C(1000003) ^
			(uint64_t)clock_mono_ms(o->clock);
	return s ? s * UINT64_C(0x9e3779b97f4a7c15) | 1 : 1;
}

enum err_code http_new(const struct http_opts *opts, struct http **out, struct err *e)
{
	struct http *h;
	CURLM *multi;

	if (!opts->clock)
		return err_set(e, E_BUG, "http client: it needs a clock");
	/* Prevent libcurl from writing session keys to a file named in the environment. */
	unsetenv("SSLKEYLOGFILE");
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return err_set(e, E_NET, "http client: cannot initialize libcurl");
	multi = curl_multi_init();
	if (!multi) {
		curl_global_cleanup();
		return err_set(e, E_NET, "http client: cannot initialize libcurl");
	}
	h = xcalloc(1, sizeof(*h));
	h->o = *opts;
	h->o.user_agent = xstrdup(opts->user_agent ? opts->user_agent : "tpucost (gzip)");
	h->o.ca_file = dup_opt(opts->ca_file);
	h->o.proxy = dup_opt(opts->proxy);
	if (h->o.max_inflight <= 0)
		h->o.max_inflight = DEFAULT_INFLIGHT;
	if (h->o.connect_timeout_ms <= 0)
		h->o.connect_timeout_ms = DEFAULT_CONNECT_MS;
	if (h->o.total_timeout_ms <= 0)
		h->o.total_timeout_ms = DEFAULT_TOTAL_MS;
	if (h->o.low_speed_s <= 0)
		h->o.low_speed_s = DEFAULT_LOW_SPEED_S;
	if (h->o.max_attempts <= 0)
		h->o.max_attempts = DEFAULT_ATTEMPTS;
	if (h->o.retry_budget_ms <= 0)
		h->o.retry_budget_ms = DEFAULT_BUDGET_MS;
	h->multi = multi;
	h->rng = seed(opts);
	curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)h->o.max_inflight);
	*out = h;
	return E_OK;
}

static void unlink_req(struct http_priv *p)
{
	struct http *h = p->h;

	if (p->state == HTTP_IDLE)
		return;
	*(p->prev ? &p->prev->next : &h->first) = p->next;
	*(p->next ? &p->next->prev : &h->last) = p->prev;
	h->n_active -= p->state == HTTP_ACTIVE;
	p->prev = p->next = NULL;
	p->state = HTTP_IDLE;
}

static void link_req(struct http_priv *p, enum http_state state)
{
	struct http *h = p->h;

	p->state = state;
	p->prev = h->last;
	*(p->prev ? &p->prev->next : &h->first) = p;
	h->last = p;
	h->n_active += state == HTTP_ACTIVE;
}

void http_free(struct http *h)
{
	if (!h)
		return;
	while (h->first)
		http_req_done(h->first->r);
	curl_multi_cleanup(h->multi);
	curl_global_cleanup();
	free_ptr(&h->o.user_agent);
	free_ptr(&h->o.ca_file);
	free_ptr(&h->o.proxy);
	free(h);
}

/* ---- requests ------------------------------------------------------------ */

/* Headers contain tokens: they are erased from memory. */
static void wipe_free(char *s, size_t len)
{
	if (s)
		explicit_bzero(s, len);
	free(s);
}

static void priv_free(struct http_priv *p)
{
	unlink_req(p);
	http_attempt_drop(p);
	for (char **h = p->headers; h && *h; h++)
		wipe_free(*h, strlen(*h));
	free(p->headers);
	wipe_free(p->body, p->body_len);
	free(p->method);
	wipe_free(p->url, strlen(p->url));
	free(p->plain_host);
	free(p->ca_file);
	free(p->username);
	if (p->password)
		wipe_free(p->password, strlen(p->password));
	free(p->host);
	free(p);
}

void http_req_done(struct http_req *r)
{
	if (r->priv)
		priv_free(r->priv);
	r->priv = NULL;
	if (r->resp.s)
		sbuf_done(&r->resp);
}

static bool printable(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			return false;
	return true;
}

static enum err_code client_check(const struct http_req *r, struct err *e)
{
	struct url u;

	if (!str_eq(r->method, "GET") && !str_eq(r->method, "POST") &&
		!str_eq(r->method, "DELETE") && !str_eq(r->method, "PUT") &&
		!str_eq(r->method, "PATCH"))
		return err_set(e, E_BUG, "http: unknown method");
	for (const char *const *h = r->headers; h && *h; h++)
		if (!printable(*h) || !strchr(*h, ':'))
			return err_set(e, E_BUG, "http: a header is malformed");
	if (r->secret_url && !http_url_allowed(r->url, NULL))
		return err_set(e, E_CONFIG, "http: this URL is not allowed");
	if (url_parse(r->url, &u, e) != E_OK)
		return e ? e->code : E_CONFIG;
	if (r->plain_http_host && str_eq(u.host, r->plain_http_host))
		return E_OK;
	return http_url_allowed(r->url, e) ? E_OK : (e ? e->code : E_CONFIG);
}

static char **copy_headers(const char *const *headers)
{
	size_t n = 0;
	char **out;

	while (headers && headers[n])
		n++;
	out = xcalloc(n + 1, sizeof(*out));
	for (size_t i = 0; i < n; i++)
		out[i] = xstrdup(headers[i]);
	return out;
}

static char *host_of(const char *url)
{
	struct url u;

	return xstrdup(url_parse(url, &u, NULL) == E_OK ? u.host : "");
}

enum err_code http_submit(struct http *h, struct http_req *r, struct err *e)
{
	struct http_priv *p;

	if (client_check(r, e) != E_OK)
		return e ? e->code : E_CONFIG;
	if (r->pace < 0 || r->pace > HTTP_PACES)
		return err_set(e, E_BUG, "http: there is no pace %d", r->pace);
	p = xcalloc(1, sizeof(*p));
	p->h = h;
	p->r = r;
	p->method = xstrdup(r->method);
	p->url = xstrdup(r->url);
	p->headers = copy_headers(r->headers);
	p->plain_host = dup_opt(r->plain_http_host);
	p->host = host_of(r->url);
	p->ca_file = dup_opt(r->ca_file);
	p->username = dup_opt(r->username);
	p->password = dup_opt(r->password);
	if (r->body) {
		p->body = xmalloc(r->body_len);
		p->body_len = r->body_len;
		memcpy(p->body, r->body, r->body_len);
	}
	p->first_ms = -1;
	http_req_done(r); /* it may contain an earlier request */
	r->resp = SBUF_INIT;
	r->priv = p;
	r->code = E_OK;
	err_clear(&r->err);
	r->status = 0;
	r->attempts = 0;
	link_req(p, HTTP_WAITING);
	return E_OK;
}

/* ---- running ------------------------------------------------------------- */

static void client_finish(struct http_priv *p, enum err_code code)
{
	struct http_req *r = p->r;

	unlink_req(p);
	r->code = code;
	r->err.code = code;
	if (code == E_OK)
		err_clear(&r->err);
	else if (r->attempts > 1)
		err_wrap(&r->err, "after %d attempts", r->attempts);
	if (r->done)
		r->done(r); /* may free r and p */
}

/* Wait `ms` and try again, unless that would leave the request's budget. */
static bool try_again(struct http_priv *p, int64_t ms)
{
	struct http *h = p->h;
	int most = p->r->max_attempts ? p->r->max_attempts : h->o.max_attempts;
	int64_t now = clock_mono_ms(h->o.clock);

	if (p->r->attempts >= most || now - p->first_ms + ms > h->o.retry_budget_ms)
		return false;
	unlink_req(p);
	p->not_before_ms = now + ms;
	link_req(p, HTTP_WAITING);
	return true;
}

static int64_t wait_ms(struct http_priv *p)
{
	int64_t backoff = http_backoff_ms(p->r->attempts + 1, &p->h->rng);

	return p->r->retry_after >= 0 ? p->r->retry_after * 1000 : backoff;
}

static void client_on_answer(struct http_priv *p)
{
	struct http_req *r = p->r;
	enum http_class class;

	if (p->retry_after[0])
		r->retry_after = http_retry_after(p->retry_after,
			r->date != TS_NONE ? r->date : clock_now(p->h->o.clock));
	class = r->classify ? r->classify(r) : http_status_class(r->status);
	/* "Rate limited" means that nothing was done; a 503 may come after a part was done. */
	if (class == HTTP_RATE || (class == HTTP_RETRY && r->idempotent))
		if (try_again(p, wait_ms(p)))
			return;
	client_finish(p, E_OK);
}

static void on_fault(struct http_priv *p, enum http_fault fault)
{
	struct http_req *r = p->r;
	bool may_have_arrived = fault == FAULT_BROKEN || fault == FAULT_LIMIT ||
		fault == FAULT_GARBLED;

	if (fault == FAULT_CONNECT || (fault == FAULT_BROKEN && r->idempotent))
		if (try_again(p, wait_ms(p)))
			return;
	if (may_have_arrived && !r->idempotent)
		client_finish(p, E_UNCERTAIN);
	else
		client_finish(p, r->err.code);
}

#define PACE_SAVED_MS 5000

/* Milliseconds until the rate allows another attempt. */
static int64_t pace_left(const struct http_priv *p, int64_t now)
{
	return p->r->per_minute ? p->h->pace_ms[p->r->pace] - PACE_SAVED_MS - now : 0;
}

static void pace_count(const struct http_priv *p)
{
	int64_t *at = &p->h->pace_ms[p->r->pace], now = clock_mono_ms(p->h->o.clock);

	if (p->r->per_minute)
		*at = (*at > now ? *at : now) + 60000 / p->r->per_minute;
}

static void client_start(struct http_priv *p)
{
	struct http_req *r = p->r;

	unlink_req(p);
	if (p->first_ms < 0)
		p->first_ms = clock_mono_ms(p->h->o.clock);
	pace_count(p);
	if (http_attempt_start(p, &r->err) != E_OK) {
		client_finish(p, r->err.code);
		return;
	}
	r->attempts++;
	link_req(p, HTTP_ACTIVE);
}

/* A host that hangs blocks only its own share of the connections. */
static bool has_place(const struct http *h, const struct http_priv *p)
{
	int n = 0;

	if (h->n_active >= h->o.max_inflight)
		return false;
	if (!h->o.max_per_host)
		return true;
	for (const struct http_priv *a = h->first; a; a = a->next)
		n += a->state == HTTP_ACTIVE && !strcmp(a->host, p->host);
	return n < h->o.max_per_host;
}

/* Start requests that are due; returns milliseconds until the next is, -1 when none waits. `finish`
 * may change the list, so each start begins at the front again. */
static int64_t start_due(struct http *h)
{
	int64_t now, soonest;
	struct http_priv *p;

again:
	if (h->n_active >= h->o.max_inflight)
		return -1; /* only after an answer */
	now = clock_mono_ms(h->o.clock);
	soonest = -1;
	for (p = h->first; p; p = p->next) {
		int64_t left = p->not_before_ms - now, pace = pace_left(p, now);

		if (p->state == HTTP_ACTIVE)
			continue;
		if (left < pace)
			left = pace;
		if (left <= 0 && has_place(h, p)) {
			client_start(p);
			goto again;
		}
		if (left <= 0)
			continue; /* a connection becomes free only after an answer */
		if (soonest < 0 || left < soonest)
			soonest = left;
	}
	return soonest;
}

static void take_results(struct http *h)
{
	CURLMsg *m;
	int left;

	while ((m = curl_multi_info_read(h->multi, &left))) {
		struct http_priv *p = NULL;
		enum http_fault fault;

		if (m->msg != CURLMSG_DONE ||
			curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&p) !=
				CURLE_OK)
			continue;
		fault = http_attempt_end(p, (int)m->data.result);
		if (fault == FAULT_NONE)
			client_on_answer(p);
		else
			on_fault(p, fault);
	}
}

/* One iteration of the transfer; waits for at most `wait` ms (-1 = until something happens). */
static enum err_code turn(struct http *h, int64_t wait, struct err *e)
{
	int running = 0;
	CURLMcode rc = curl_multi_perform(h->multi, &running);

	if (rc == CURLM_OK && running == h->n_active) {
		int timeout = wait >= 0 && wait < POLL_MAX_MS ? (int)wait : POLL_MAX_MS;

		rc = curl_multi_poll(h->multi, NULL, 0, timeout > 0 ? timeout : 1, NULL);
		/* Each turn checks all connections: of many answers, some arrive in this time. */
		if (h->n_active >= MANY_ACTIVE)
			clock_sleep_ms(clock_system(), TOGETHER_MS);
	}
	if (rc != CURLM_OK)
		return err_set(e, E_NET, "http client: %s", curl_multi_strerror(rc));
	take_results(h);
	return E_OK;
}

/* The client itself failed: every request gets the error. */
static void fail_all(struct http *h, const struct err *why)
{
	while (h->first) {
		struct http_priv *p = h->first;

		p->r->err = *why;
		http_attempt_drop(p);
		client_finish(p, why->code);
	}
}

enum err_code http_run(struct http *h, struct err *e)
{
	struct err own;

	if (h->running)
		return err_set(e, E_BUG, "http client: http_run inside http_run");
	h->running = true;
	while (h->first) {
		int64_t wait = start_due(h);

		if (h->n_active) {
			if (turn(h, wait, &own) != E_OK) {
				fail_all(h, &own);
				h->running = false;
				return err_set(e, own.code, "%s", own.msg);
			}
		} else if (wait > 0) {
			clock_sleep_ms(h->o.clock, wait);
		}
	}
	h->running = false;
	return E_OK;
}

enum err_code http_turn(struct http *h, struct err *e)
{
	int running = 0;
	CURLMcode rc;

	if (h->running)
		return err_set(e, E_BUG, "http client: http_turn inside http_run");
	if (!h->first)
		return E_OK;
	h->running = true;
	start_due(h);
	rc = curl_multi_perform(h->multi, &running);
	if (rc == CURLM_OK)
		take_results(h);
	h->running = false;
	return rc == CURLM_OK
		? E_OK
		: err_set(e, E_NET, "http client: %s", curl_multi_strerror(rc));
}

enum err_code http_do(struct http *h, struct http_req *r, struct err *e)
{
	r->done = NULL;
	if (http_submit(h, r, e) != E_OK || http_run(h, e) != E_OK)
		return e ? e->code : E_NET;
	if (r->code != E_OK && e)
		*e = r->err;
	return r->code;
}
