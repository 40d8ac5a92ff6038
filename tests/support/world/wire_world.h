/* Polls through a line that fails: a good one fills the database, one meets the fault, a good one
 * follows, an hour apart. What fails is one step on the way to machines, TPUs or costs. The
 * oracle is the database and what was asked of the server. One world at a time. */
#ifndef TPUCOST_TESTS_SUPPORT_WIRE_WORLD_H
#define TPUCOST_TESTS_SUPPORT_WIRE_WORLD_H

#include "collector/collect.h"
#include "tests/support/front.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/tempdb.h"

/* Where the fault is. */
enum wire_on {
	ON_VMS,   /* the list of machines */
	ON_TPUS,  /* the list of TPUs */
	ON_TOKEN, /* the token for the list of machines */
	ON_TABLE, /* tables.get of the billing export */
	ON_UNITS, /* its first query, for check sums */
	ON_ROWS,  /* its second query, for the lines themselves */
	ON_ALL
};
#define BIT(on) (1u << (on))
#define LISTS_ONLY (BIT(ON_VMS) | BIT(ON_TPUS))
#define QUERIES_ONLY (BIT(ON_UNITS) | BIT(ON_ROWS))
#define ALL_APIS (LISTS_ONLY | QUERIES_ONLY | BIT(ON_TABLE))
#define EVERYWHERE (ALL_APIS | BIT(ON_TOKEN))

/* How the client gets there; all zero: straight to the server, as usual. */
struct wire {
	struct http_opts http; /* its clock is set by wire_poll */
	const char *base;      /* of the step that fails, instead of the server's */
	bool metadata;         /* no key file: the metadata server, at `base` */
	/* Stands before the server; `base` has %s for where it is. */
	const struct front_opts *front;
	/* Stands before that; http.proxy has %s for where it is. */
	const struct front_opts *proxy;
};

struct wire_outcome {
	struct collect_result r;
	size_t requests; /* for the step that fails, which reached the server */
	size_t tokens;   /* requests for a token */
	size_t all;
	int64_t waited;     /* seconds slept */
	size_t connections; /* to the front */
	size_t handshakes;  /* of TLS */
	char heard[4096];   /* by the proxy, first */
};

struct wire_world {
	struct tempdb t;
	struct gcp_world w; /* of the poll under way */
	enum wire_on on;
	const char *row; /* of a table, for messages */
	int phase;       /* polls so far */
};
extern struct wire_world ww;

/* Of a group of tests. */
int wire_setup(void **state);
int wire_teardown(void **state);

/* The database as a good poll fills it. */
void wire_begin(enum wire_on on, const char *row);
/* Poll with these answers before the usual ones, which are good and tell of something new.
 * Steps without `match` are for the step that fails. */
struct wire_outcome wire_poll(
	const struct fault_step *steps, size_t n, const struct wire *via);
/* After wire_poll. `failed`: that and nothing else happened, `error` (and the step's name) is
 * in the message; what was known is as it was, and marked. */
void wire_expect_kept(const char *state, const char *error);
/* The latter alone. */
void wire_expect_facts(void);
/* It went well: the new is there. */
void wire_expect_new(const char *state);
/* A good poll sets everything right. */
void wire_heal(void);

void wire_expect(const char *sql, const char *want);
void wire_expect_error(const char *part);
void wire_expect_fix(const char *part);

/* What the step answers when all is well, in the poll that comes next. */
const char *wire_good_body(void);
const char *wire_match(enum wire_on on); /* "GET /..." */
const char *wire_source(enum wire_on on);

#endif
