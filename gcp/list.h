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

/* A typed list: decodes the items of each page into an array in an arena, one entry per
 * key. What compute.c and tpu.c build theirs on. */
struct gcp_typed {
	struct gcp_list list;
	const void *kind; /* the caller's description of what is listed */
	struct arena *arena;
	struct gcp_result *result;
	size_t item_size;
	void *items;
	size_t n, cap;
	struct strmap seen; /* key -> index */
	/* When all is read: hand over the array. */
	void (*deliver)(struct gcp_typed *t);
};

/* A function that hands it to a result with members `r`, `v` and `n`. */
#define GCP_DELIVER(name, type)                \
	void name(struct gcp_typed *t)         \
	{                                      \
		type *out = (type *)t->result; \
                                               \
		out->v = t->items;             \
		out->n = t->n;                 \
	}                                      \
	_Static_assert(offsetof(type, r) == 0, "it is found by its first member")

/* A new job on the heap; frees itself at its end. */
struct gcp_typed *gcp_typed_new(struct gcp *g, enum gcp_api api, const char *project,
	const char *what, struct arena *a, struct gcp_result *result, size_t item_size);
enum err_code gcp_typed_start(struct gcp_typed *t, struct err *e) must_check;
/* Room for the item `key`: a new one, or the one that came before (latest wins). */
void *gcp_typed_slot(struct gcp_typed *t, const char *key);
/* What reads an item and puts it into its slot. */
typedef enum err_code gcp_typed_put(
	struct gcp_typed *t, const struct cJSON *item, struct err *e);
/* All items of the array `field` of a page of the list `l`, whose ctx is the gcp_typed. An empty list
 * may be a bare {}, as members that hold their default are left out. Of an API whose pages always
 * say their "kind", `what` is what they are ("list of regions"), and one with neither is E_DATA;
 * of the others NULL. */
enum err_code gcp_typed_page(struct gcp_list *l, const struct cJSON *page,
	const char *field, const char *what, gcp_typed_put *put, struct err *e) must_check;
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
