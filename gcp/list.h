/* Lists: all pages of one, as a job that runs in parallel with others.
 *
 * A list is complete or an error: if page 2 fails, page 1 is discarded. Two limits protect against
 * servers that never end a list: a repeated page token is an error, and the number of pages is
 * limited. */
#ifndef TPUCOST_GCP_LIST_H
#define TPUCOST_GCP_LIST_H

#include "base/strmap.h"
#include "gcp/call.h"

#define GCP_MAX_PAGES 1000

struct gcp_list {
	/* set by the caller; `call.url` holds everything but page size and page token
	 */
	struct gcp_call call;
	/* "pageSize" or "maxResults"; NULL: one object instead of a list, as its only page */
	const char *size_param;
	int page_size;
	int max_pages; /* 0 = GCP_MAX_PAGES */
	/* One page, in order. An error ends and fails the list. */
	enum err_code (*on_page)(
		struct gcp_list *l, const struct cJSON *page, struct err *e);
	/* Called once at the end, like gcp_call.done; l->code has the result. */
	void (*on_done)(struct gcp_list *l);
	void *ctx;

	/* results */
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
void gcp_list_free(struct gcp_list *l); /* frees its content, not the struct */

/* ---- lists into arrays ------------------------------------------------------ */

struct dec;
struct gcp_typed;

/* Properties of a list: each API has a table of its lists, with which the results (struct gcp_items
 * with a type) are read. */
struct gcp_listing {
	enum gcp_api api;
	const char *what;  /* "list TPU nodes": prefix of every message */
	const char *path;  /* for gcp_url; its first string is the project */
	const char *where; /* its second string by default */
	/* A constant parameter; NULL as its value: the project. */
	const char *param, *value;
	const char *size_param; /* NULL: "pageSize"; "": the list has only one page */
	int page_size;          /* 0: 500 */
	int max_pages;          /* 0: GCP_MAX_PAGES */
	const char *role;       /* role for reading it, NULL = default of the API */
	/* The array of a page with the items. An empty list may be a bare {}, because members with
	 * their default value are omitted. */
	const char *items;
	/* For APIs whose pages always have a "kind": its value ("list of regions"). A page with
	 * neither is E_DATA. For other APIs NULL. */
	const char *page_is;
	const char *unreachable; /* array of a page: locations that are missing; or NULL */
	/* Not a list but one object; the result is a struct that begins with a gcp_result, and
	 * `read` fills in the members after it. */
	bool object;
	size_t size; /* of an item */
	/* Reads an object into a zeroed item. d->key identifies it; if it stays NULL, the item is
	 * skipped. */
	void (*read)(struct dec *d, void *item);
	/* Instead of `read`: stores the selected parts of an object with gcp_typed_slot. */
	enum err_code (*put)(struct gcp_typed *t, const struct cJSON *item, struct err *e);
	/* Reads a page of another form; NULL: gcp_typed_page. */
	enum err_code (*page)(struct gcp_typed *t, const struct cJSON *page, struct err *e);
};

/* Result of any list: each list of an API has a struct of this form, with the type of its items. */
GCP_ITEMS(gcp_items, void);

/* A running list: one entry per key. */
struct gcp_typed {
	struct gcp_list list;
	const struct gcp_listing *kind;
	const void *more; /* owned by the caller */
	struct arena *arena;
	struct gcp_result *result;
	size_t named; /* locations that all pages named as missing, with repetitions */
	void *item;   /* capacity for one */
	void *items;
	size_t n, cap;
	struct strmap seen; /* key -> index */
};

/* Queues a list of a project; after gcp_run, out->code has the result. `where` is the second string
 * of the path; NULL: k->where. `out` is the head of the result; it and `k` must live until then. */
enum err_code gcp_listing_start(const struct gcp_listing *k, struct gcp *g,
	const char *project, const char *where, struct arena *a, struct gcp_result *out,
	struct err *e) must_check;

/* The same in steps, for additional strings of the path and other parameters: a new job on the
 * heap, which frees itself at its end. The strings are those of the path. */
struct gcp_typed *gcp_typed_new(const struct gcp_listing *k, struct gcp *g,
	const char *project, struct arena *a, struct gcp_result *out, ...)
	__attribute__((sentinel));
enum err_code gcp_typed_start(struct gcp_typed *t, struct err *e) must_check;

/* Returns the slot of the item `key`: a new one, or the existing one (the latest wins). */
void *gcp_typed_slot(struct gcp_typed *t, const char *key);
/* Reads an object as kind->read does, and stores it. Errors are recorded in *d, which was
 * initialized with it. */
enum err_code gcp_typed_read(struct gcp_typed *t, struct dec *d) must_check;
/* All items of a page. */
enum err_code gcp_typed_page(
	struct gcp_typed *t, const struct cJSON *page, struct err *e) must_check;
/* Records a location whose part is missing: "zones/us-east1-d" -> "us-east1-d". */
void gcp_typed_incomplete(struct gcp_typed *t, const char *scope);
/* The same for each entry of an array (or NULL), also of a path within a location; an entry without a
 * known form of a location is GCP_EVERYWHERE. E_DATA if an entry is not a string: without its
 * name, the data of all locations would be uncertain. */
enum err_code gcp_typed_unreachable(
	struct gcp_typed *t, const struct cJSON *array, struct err *e) must_check;

/* Runs the jobs that `started` queued and returns the result of this one. */
enum err_code gcp_typed_wait(struct gcp *g, enum err_code started,
	const struct gcp_result *r, struct err *e) must_check;

#endif
