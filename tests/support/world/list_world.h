/* The lists of machines and of TPUs, polled one by one against a server that is told what to
 * answer, into a database of their own. One world at a time. */
#ifndef TPUCOST_TESTS_SUPPORT_LIST_WORLD_H
#define TPUCOST_TESTS_SUPPORT_LIST_WORLD_H

#include "collector/collect.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/tempdb.h"

#define ZONE "us-central1-a"
#define PATH "projects/my-project/locations/" ZONE "/nodes/"

/* Texts of answers have ' where JSON has ". An item's blanks: id, name, members. */
#define VMS(items) "{'kind':'k','items':{'zones/" ZONE "':{'instances':[" items "]}}}"
#define NODES(items) "{'nodes':[" items "]}"
#define VM(id, name, more)                                                          \
	"{'id':" id ",'name':'" name                                                \
	"','status':'RUNNING','machineType':'t/n1-standard-1','creationTimestamp':" \
	"'2026-11-20T00:00:00Z'" more "}"
#define NODE(id, name, more)                                                         \
	"{'id':" id ",'name':'" PATH name                                            \
	"','state':'READY','acceleratorType':'v3-8','createTime':'2026-11-20T00:00:" \
	"00Z'" more "}"
#define KEPT_VM VM("'11'", "kept", ",'labels':{'owner':'ada'}")
#define KEPT_NODE NODE("'11'", "kept", ",'labels':{'owner':'ada'}")

enum which_list { MACHINES, TPUS, LISTS };
struct list {
	const char *source, *match;
	const char *good;        /* one machine, "kept" */
	const char *head, *tail; /* of a page of it and one item more */
	int depth;               /* of a member of an item, from 1 */
};
extern const struct list lists[LISTS];

struct list_world {
	struct tempdb t;
	struct gcp_world w;
	const char *project; /* that is polled; "my-project" */
	const char *other;   /* one more, or NULL */
	const char *row;     /* of a table, for messages */
	struct arena texts;  /* of the case at hand */
};
extern struct list_world lw;

/* Of a group of tests. The zone of the process is not UTC. */
int list_setup(void **state);

/* A fresh database, and a server that gives these answers to the list in turn, the last one
 * for ever. */
void list_begin(const struct list *l, const char *const *bodies, size_t n);
void list_finish(void);
/* With the quotes of JSON; in lw.texts. */
char *list_json(const char *text);

struct list_outcome {
	const struct list *of;
	struct collect_result r;
	size_t requests; /* for the list */
	enum err_code code;
};
/* Poll this list alone. The first one asserts nothing and may run in another thread. */
struct list_outcome list_poll_of(const struct list *l, ts_t now, struct db *db);
struct list_outcome list_poll(const struct list *l, ts_t now);

void list_expect(const char *sql, const char *want);
/* The poll before a fault, at WORLD_NOW: `good` is stored. */
void list_good(const struct list *l);
/* The poll at WORLD_NOW + 60 was refused for `why` after one request, and left what was known
 * as it was; the next one is good again. */
void list_refused_and_healed(const struct list *l, struct list_outcome o, const char *why);
/* All of it for one answer. */
void list_expect_refused(enum which_list k, const char *body, const char *why);

struct list_item {
	const char *name;
	const char *id, *leaf, *more; /* id and members as JSON, the name without path */
	const char *why;
};
/* A page of the machine that was known and another item; in lw.texts. */
const char *list_page(const struct list *l, const struct list_item *it);

#endif
