#include "gcp/list.h"

#include "base/str.h"
#include "base/url/url.h"
#include "gcp/decode.h"
#include "gcp/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TOKEN 8192
#define MAX_INCOMPLETE 2000 /* Google has about a hundred zones */
#define SMALLER 10          /* the size of a page that is too large is divided by ten */

/* ---- pages --------------------------------------------------------------- */

static void list_finish(struct gcp_list *l, enum err_code code)
{
	l->code = code;
	l->err.code = code;
	l->on_done(l); /* may free l */
}

static enum err_code list_ask(struct gcp_list *l, const char *token, struct err *e)
{
	char size[16];

	sbuf_trunc(&l->call.url, l->url_len);
	snprintf(size, sizeof(size), "%d", l->page_size);
	if (l->size_param)
		url_param(&l->call.url, l->size_param, size);
	if (token)
		url_param(&l->call.url, "pageToken", token);
	return gcp_call_start(&l->call, e);
}

/* *token: of the next page, or "" after the last. A token that is not text does not end the list:
 * the items on the other pages would seem to be gone. */
static enum err_code read_token(struct gcp_list *l, const char **token, struct err *e)
{
	const struct cJSON *j = json_get(l->call.json, "nextPageToken");

	*token = json_text(j, "");
	if (j && !json_is_string(j))
		return err_set(e, E_DATA, "%s: page %zu: its page token is not a string",
			l->call.what, l->pages);
	return E_OK;
}

static enum err_code check_token(struct gcp_list *l, const char *token, struct err *e)
{
	size_t most = (size_t)(l->max_pages ? l->max_pages : GCP_MAX_PAGES);

	if (strlen(token) > MAX_TOKEN)
		return err_set(e, E_DATA, "%s: page %zu: its page token is too long",
			l->call.what, l->pages);
	if (!strmap_put(&l->tokens, token, l->pages))
		return err_set(e, E_DATA, "%s: page %zu: the page token was repeated",
			l->call.what, l->pages);
	if (l->pages >= most)
		return err_set(e, E_LIMIT, "%s: more than %zu pages", l->call.what, most);
	return E_OK;
}

/* The first page exceeds the size limit: requests smaller pages, once. */
static bool retry_smaller(struct gcp_list *l)
{
	if (l->call.code != E_LIMIT || l->pages > 0 || l->smaller || !l->size_param ||
		l->page_size < SMALLER)
		return false;
	l->smaller = true;
	l->page_size /= SMALLER;
	return list_ask(l, NULL, &l->err) == E_OK;
}

static void on_call(struct gcp_call *c)
{
	struct gcp_list *l = c->ctx;
	const char *token;
	char *next;
	enum err_code rc;

	if (c->code != E_OK) {
		if (retry_smaller(l))
			return;
		l->err = c->err;
		if (l->pages > 0)
			err_wrap(&l->err, "page %zu", l->pages + 1);
		list_finish(l, c->code);
		return;
	}
	l->pages++;
	rc = l->on_page(l, c->json, &l->err);
	if (rc != E_OK) {
		err_wrap(&l->err, "%s: page %zu", c->what, l->pages);
		list_finish(l, rc);
		return;
	}
	rc = read_token(l, &token, &l->err);
	if (rc != E_OK || !*token) {
		list_finish(l, rc);
		return;
	}
	rc = check_token(l, token, &l->err);
	if (rc == E_OK) {
		next = xstrdup(token); /* c->json is freed with the next call */
		rc = list_ask(l, next, &l->err);
		free(next);
	}
	if (rc != E_OK)
		list_finish(l, rc);
}

void gcp_list_init(struct gcp_list *l, struct gcp *g, enum gcp_api api, const char *project,
	const char *what)
{
	*l = (struct gcp_list){.size_param = "pageSize", .page_size = 500};
	gcp_call_init(&l->call, g, api, project, what);
}

enum err_code gcp_list_start(struct gcp_list *l, struct err *e)
{
	l->call.done = on_call;
	l->call.ctx = l;
	l->url_len = l->call.url.len;
	return list_ask(l, NULL, e);
}

void gcp_list_free(struct gcp_list *l)
{
	gcp_call_free(&l->call);
	strmap_done(&l->tokens);
}

/* ---- typed lists --------------------------------------------------------- */

static void typed_free(struct gcp_typed *t)
{
	gcp_list_free(&t->list);
	strmap_done(&t->seen);
	free(t->item);
	free(t);
}

/* The results differ only in the type of their items; one of an object has no array. */
static void typed_deliver(struct gcp_typed *t)
{
	char *out = (char *)t->result;
	size_t head = sizeof(*t->result);

	if (t->kind->object) {
		memcpy(out + head, (char *)t->items + head, t->kind->size - head);
		return;
	}
	memcpy(out + offsetof(struct gcp_items, v), &t->items, sizeof(t->items));
	memcpy(out + offsetof(struct gcp_items, n), &t->n, sizeof(t->n));
}

static void typed_done(struct gcp_list *l)
{
	struct gcp_typed *t = l->ctx;
	struct gcp_result *r = t->result;

	r->code = l->code;
	r->err = l->err;
	r->status = l->call.status;
	r->pages = l->pages;
	if (r->code == E_OK)
		typed_deliver(t);
	else
		r->scopes = (struct gcp_scopes){0};
	typed_free(t);
	if (r->done)
		r->done(r, r->ctx);
}

static enum err_code typed_on_page(
	struct gcp_list *l, const struct cJSON *page, struct err *e)
{
	struct gcp_typed *t = l->ctx;

	return t->kind->page ? t->kind->page(t, page, e) : gcp_typed_page(t, page, e);
}

struct gcp_typed *gcp_typed_new(const struct gcp_listing *k, struct gcp *g,
	const char *project, struct arena *a, struct gcp_result *out, ...)
{
	struct gcp_typed *t = xcalloc(1, sizeof(*t));
	va_list ap;

	gcp_list_init(&t->list, g, k->api, project, k->what);
	if (k->object)
		t->list.size_param = NULL;
	else if (k->size_param)
		t->list.size_param = *k->size_param ? k->size_param : NULL;
	if (k->page_size)
		t->list.page_size = k->page_size;
	t->list.max_pages = k->max_pages;
	t->list.call.role = k->role;
	t->list.on_page = typed_on_page;
	t->list.on_done = typed_done;
	t->list.ctx = t;
	va_start(ap, out);
	gcp_url_v(g, &t->list.call.url, k->api, k->path, ap);
	va_end(ap);
	if (k->param)
		url_param(&t->list.call.url, k->param, k->value ? k->value : project);
	t->kind = k;
	t->arena = a;
	t->item = xcalloc(1, k->size);
	t->result = out;
	/* "Not finished" until the end sets another code. */
	out->code = err_set(&out->err, E_BUG, "%s: not run yet", k->what);
	out->scopes = (struct gcp_scopes){0};
	out->pages = out->repeated = 0;
	return t;
}

enum err_code gcp_typed_start(struct gcp_typed *t, struct err *e)
{
	enum err_code rc = gcp_list_start(&t->list, e);

	if (rc != E_OK)
		typed_free(t);
	return rc;
}

enum err_code gcp_listing_start(const struct gcp_listing *k, struct gcp *g,
	const char *project, const char *where, struct arena *a, struct gcp_result *out,
	struct err *e)
{
	return gcp_typed_start(gcp_typed_new(k, g, project, a, out, project,
				       where ? where : k->where, NULL),
		e);
}

void *gcp_typed_slot(struct gcp_typed *t, const char *key)
{
	size_t *at = strmap_get(&t->seen, key), size = t->kind->size;
	char *item;

	if (at) {
		t->result->repeated++;
		item = (char *)t->items + *at * size;
	} else {
		t->items = arena_grow(t->arena, t->items, t->n, &t->cap, size);
		strmap_put(&t->seen, key, t->n);
		item = (char *)t->items + t->n * size;
		t->n++;
	}
	return memset(item, 0, size);
}

enum err_code gcp_typed_read(struct gcp_typed *t, struct dec *d)
{
	memset(t->item, 0, t->kind->size);
	t->kind->read(d, t->item);
	if (d->code == E_OK && d->key)
		memcpy(gcp_typed_slot(t, d->key), t->item, t->kind->size);
	return d->code;
}

static enum err_code typed_put(struct gcp_typed *t, const struct cJSON *j, struct err *e)
{
	struct dec d = dec_begin(j, t->arena, e);

	return t->kind->put ? t->kind->put(t, j, e) : gcp_typed_read(t, &d);
}

enum err_code gcp_typed_page(struct gcp_typed *t, const struct cJSON *page, struct err *e)
{
	const struct gcp_listing *k = t->kind;
	struct dec d = dec_begin(page, t->arena, e);
	const struct cJSON *items;

	if (k->object)
		return typed_put(t, page, e);
	if (k->unreachable) {
		const struct cJSON *missing = dec_array(&d, k->unreachable);

		if (d.code != E_OK || gcp_typed_unreachable(t, missing, e) != E_OK)
			return e->code;
	}
	items = dec_array(&d, k->items);
	if (d.code == E_OK && k->page_is && !items && !json_get(page, "kind"))
		return err_set(e, E_DATA, "not a %s", k->page_is);
	JSON_EACH (j, items)
		if (d.code == E_OK)
			d.code = typed_put(t, j, e);
	return d.code;
}

void gcp_typed_incomplete(struct gcp_typed *t, const char *scope)
{
	struct gcp_scopes *s = &t->result->scopes;
	const char *location = str_after_last(scope, '/');
	const char **bigger;

	t->named++;
	for (size_t i = 0; i < s->n; i++)
		if (str_eq(s->incomplete[i], location))
			return;
	if (s->n >= MAX_INCOMPLETE)
		location = GCP_EVERYWHERE;
	if (s->n > MAX_INCOMPLETE)
		return;
	bigger = arena_alloc(t->arena, (s->n + 1) * sizeof(*bigger));
	if (s->n)
		memcpy(bigger, s->incomplete, s->n * sizeof(*bigger));
	bigger[s->n++] = arena_strdup(t->arena, location);
	s->incomplete = bigger;
}

/* "us-east1", "us-east1-d" or "global"? */
static bool typed_is_location(const char *s)
{
	size_t words = strspn(s, "abcdefghijklmnopqrstuvwxyz-"), digits;
	const char *zone;

	digits = strspn(s + words, "0123456789");
	zone = s + words + digits;
	if (!words || !digits || !memchr(s, '-', words) || s[words - 1] == '-')
		return str_eq(s, "global");
	return !*zone ||
		(*zone == '-' && zone[1] && gcp_name_valid(zone) &&
			!strpbrk(zone + 1, "-_."));
}

/* The location in one of Google's texts: itself, or a part of a path. Without one: GCP_EVERYWHERE. */
static const char *typed_location(struct gcp_typed *t, const char *text)
{
	static const char *const in[] = {"locations/", "zones/", "regions/"};
	const char *at = text, *location;

	for (size_t i = 0; at == text && i < ARRAY_LEN(in); i++) {
		const char *found = strstr(text, in[i]);

		if (found && (found == text || found[-1] == '/'))
			at = found + strlen(in[i]);
	}
	location = arena_strndup(t->arena, at, strcspn(at, "/"));
	return typed_is_location(location) ? location : GCP_EVERYWHERE;
}

enum err_code gcp_typed_unreachable(
	struct gcp_typed *t, const struct cJSON *array, struct err *e)
{
	JSON_EACH (u, array) {
		if (!json_is_string(u))
			return err_set(
				e, E_DATA, "an unreachable location is not a string");
		gcp_typed_incomplete(t, typed_location(t, json_text(u, "")));
	}
	return E_OK;
}

enum err_code gcp_typed_wait(
	struct gcp *g, enum err_code started, const struct gcp_result *r, struct err *e)
{
	enum err_code rc = started;

	if (rc == E_OK)
		rc = gcp_run(g, e);
	if (rc == E_OK && r->code != E_OK) {
		rc = r->code;
		if (e)
			*e = r->err;
	}
	return rc;
}
