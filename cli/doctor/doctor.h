/* What `tpucost doctor` looks at: one function and one line of the table in cli/doctor/doctor.c for
 * each check. A check adds findings; nothing it meets ends the others. */
#ifndef TPUCOST_CLI_DOCTOR_DOCTOR_H
#define TPUCOST_CLI_DOCTOR_DOCTOR_H

#include "cli/cmd.h"
#include "gcp/access/iam.h"

#define DOCTOR_QUERY_MS 10000

enum doctor_status { DOCTOR_OK, DOCTOR_WARN, DOCTOR_FAIL, DOCTOR_SKIP };

/* All texts are of the arena, or static. */
struct finding {
	enum doctor_status status;
	const char *check, *detail;
	const char *fix;     /* a command, with what is to be known of it behind a #; "" */
	const char *project; /* NULL: it is about none */
};

/* Credentials, once they are read. */
struct identity {
	struct gcp *g;      /* NULL: they could not be read */
	bool works;         /* Google gave a token */
	const char *name;   /* for people: the e-mail, or "your login" */
	const char *source; /* where they come from */
	const char *member; /* as gcloud wants it, quoted for a shell where it must be */
	bool person;        /* somebody's own login */
};

/* Whose login it is gcloud knows; quoted, or a shell would not ask it. */
#define DOCTOR_PERSON "user:\"$(gcloud config get-value account)\""

struct doctor {
	struct app *app;
	struct arena *a;
	const char *check;   /* the one that runs */
	const char *project; /* that it is about; NULL: none */
	struct finding *v;
	size_t n, cap;
	bool unasked; /* something could not be asked: neither good nor bad */
	bool has_db;
	struct http *http;
	struct identity reader, actor;
	bool one_account; /* who reads also acts */
	const char *const *projects;
	size_t n_projects;
	size_t can_read;  /* projects in which the reader may read all that it needs */
	bool said_excess; /* that it may do more in one */
};

/* A finding of the check that runs, in d->project; its fix and project can be set until the next one. */
struct finding *doctor_add(struct doctor *d, enum doctor_status status, const char *fmt,
	...) printf_like(3, 4);
/* What an error means: a failure, or something that could not be asked. */
struct finding *doctor_add_err(struct doctor *d, const struct err *e);

/* Does any rule act, is one armed, may one of them delete? */
struct doctor_rules {
	size_t acting, armed;
	bool deletes;
	const char *names; /* of those that act, or of those that are armed if any is */
};
struct doctor_rules doctor_rules(const struct doctor *d);
/* Is the project one where things may be stopped? */
bool doctor_may_act(const struct doctor *d, const char *project);

/* What an account may do in d->project, of what it needs and of what it had better not. */
struct probe {
	const char **missing; /* of what it needs */
	size_t n_missing;
	const char **excess; /* iam_powers that it has and does not need */
	size_t n_excess;
};
/* False: it could not be told; then there is a finding. */
bool doctor_probe(struct doctor *d, const struct identity *who, const char *const *needed,
	size_t n, struct probe *out);
/* Roles are bits: 1u << IAM_STOPPER. What acting takes: */
unsigned doctor_acting_roles(const struct doctor *d);
/* The finding that an account can do more than these roles do. */
void doctor_say_excess(struct doctor *d, const struct identity *who, const struct probe *p,
	unsigned roles);
/* Read the key, get a token, and find out whose it is. False: then there is a finding. */
bool doctor_identify(struct doctor *d, const char *credentials, const char *impersonate,
	struct identity *out);
/* A command that makes the roles, or makes them what they should be, and gives them to the account. */
const char *doctor_give_roles(
	const struct doctor *d, const char *project, const char *member, unsigned roles);
/* "a, b, c" */
const char *doctor_join(
	const struct doctor *d, const char *const *v, size_t n, const char *between);

/* A command that edits the configuration, with what is to be done there. */
const char *doctor_edit(const struct doctor *d, const char *what);

typedef void doctor_check(struct doctor *d);
doctor_check doctor_config, doctor_database, doctor_room, doctor_sources, /* local.c */
	doctor_other_sources, doctor_channels;
doctor_check doctor_credentials, doctor_reading, doctor_clock,
	doctor_billing;                                                    /* google.c */
doctor_check doctor_access;                                                /* access.c */
doctor_check doctor_enforcement, doctor_halt, doctor_actor, doctor_acting, /* enforce.c */
	doctor_own_host;

#endif
