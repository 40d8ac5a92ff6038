/* Lists: all pages of one, as a job that runs beside others.
 *
 * A list is whole or an error: when page 2 fails, page 1 does not count. Guards against
 * servers that never end: a page token that comes again, and a cap on pages. */
#ifndef TPUCOST_GCP_LIST_H
#define TPUCOST_GCP_LIST_H

#include "base/strmap.h"
#include "gcp/call.h"

#define GCP_MAX_PAGES 1000

struct gcp_list {
	/* set by the caller; `call.url` holds everything but page size and page token
	 */
	struct gcp_call call;
	/* "pageSize" or "maxResults"; NULL: one object instead of a list, its only page */
	const char *size_param;
	int page_size;
	int max_pages; /* 0 = GCP_MAX_PAGES */
	/* One page, in order. An error ends and fails the list. */
	enum err_code (*on_page)(
		struct gcp_list *l, const struct cJSON *page, struct err *e);
	/* Called once at the end, like gcp_call.done; l->code says how it went. */
	void (*on_done)(struct gcp_list *l);
	void *ctx;

	/* filled in */
	enum err_code code;
	struct err err;
	size_t pages;

	/* private */
	size_t url_len;
	bool smaller; /* the page size was reduced already */
	struct strmap tokens;
};

void gcp_list_init(struct gcp_list *l, struct gcp *g, enum gcp_api api, const char *project,
	const char *what);
/* As gcp_call_start. */
enum err_code gcp_list_start(struct gcp_list *l, struct err *e) must_check;
void gcp_list_free(struct gcp_list *l); /* its content, not the struct */

/* ---- lists into arrays ------------------------------------------------------ */

struct dec;
struct gcp_typed;

/* What differs between lists: the APIs have a table of it for each of theirs, which the results
 * (struct gcp_items with a type) are read by. */
struct gcp_listing {
	enum gcp_api api;
	const char *what;  /* "list TPU nodes": begins every message */
	const char *path;  /* for gcp_url; its first string is the project */
	const char *where; /* its second string, where that is always the same */
	/* A parameter that is always sent; NULL for a value: the project. */
	const char *param, *value;
	const char *size_param; /* NULL: "pageSize"; "": there is but one page */
	int page_size;          /* 0: 500 */
	int max_pages;          /* 0: GCP_MAX_PAGES */
	const char *role;       /* that reading takes, NULL = the API's usual */
	/* The array of a page that has the items. An empty list may be a bare {}, as members
	 * that hold their default are left out. */
	const char *items;
	/* Of an API whose pages always say their "kind": what they are ("list of regions").
	 * One with neither is E_DATA. Of the others NULL. */
	const char *page_is;
	const char *unreachable; /* array of a page: locations that are missing; or NULL */
	/* Not a list but one object; the result is a struct that begins with a gcp_result, and
	 * read fills in what is behind that. */
	bool object;
	size_t size; /* of an item */
	/* Reads an object into an item of zeros. d->key tells it from others; left NULL: it is
	 * not wanted. */
	void (*read)(struct dec *d, void *item);
	/* In place of `read`: keeps what it wants of an object with gcp_typed_slot. */
	enum err_code (*put)(struct gcp_typed *t, const struct cJSON *item, struct err *e);
	/* Reads a page of another shape; NULL: gcp_typed_page. */
	enum err_code (*page)(struct gcp_typed *t, const struct cJSON *page, struct err *e);
};

/* Any result of a list: the APIs have one of this shape for each of theirs, with the type of its
 * items. */
struct gcp_items {
	struct gcp_result r;
	void *v;
	size_t n;
};

/* A list under way: one entry per key. */
struct gcp_typed {
	struct gcp_list list;
	const struct gcp_listing *kind;
	const void *more; /* the caller's */
	struct arena *arena;
	struct gcp_result *result;
	void *item; /* room for one */
	void *items;
	size_t n, cap;
	struct strmap seen; /* key -> index */
};

/* Queue a list of a project; after gcp_run, out->code says how it went. `out` is the head of the
 * result; it and `k` must live until then. */
enum err_code gcp_listing_start(const struct gcp_listing *k, struct gcp *g,
	const char *project, struct arena *a, struct gcp_result *out,
	struct err *e) must_check;

/* The same in steps, for more strings of the path and other parameters: a new job on the heap,
 * which frees itself at its end. The strings are those of the path. */
struct gcp_typed *gcp_typed_new(const struct gcp_listing *k, struct gcp *g,
	const char *project, struct arena *a, struct gcp_result *out, ...)
	__attribute__((sentinel));
enum err_code gcp_typed_start(struct gcp_typed *t, struct err *e) must_check;

/* Room for the item `key`: a new one, or the one that came before (latest wins). */
void *gcp_typed_slot(struct gcp_typed *t, const char *key);
/* Read an object as kind->read does, and keep it. What is wrong stands in *d, which began with it. */
enum err_code gcp_typed_read(struct gcp_typed *t, struct dec *d) must_check;
/* All items of a page. */
enum err_code gcp_typed_page(
	struct gcp_typed *t, const struct cJSON *page, struct err *e) must_check;
/* Note a location whose part is missing: "zones/us-east1-d" -> "us-east1-d". */
void gcp_typed_incomplete(struct gcp_typed *t, const char *scope);
/* The same for each of an array of them (or NULL). E_DATA when one is no text: not knowing
 * which location did not answer, nothing could be said of any. */
enum err_code gcp_typed_unreachable(
	struct gcp_typed *t, const struct cJSON *array, struct err *e) must_check;

/* Run what `started` queued and report the result of this one. */
enum err_code gcp_typed_wait(struct gcp *g, enum err_code started,
	const struct gcp_result *r, struct err *e) must_check;

#endif
