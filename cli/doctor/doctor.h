/* Checks of `tpucost doctor`: each has one function and one line in the table in
 * cli/doctor/doctor.c. A check adds findings; an error in one check does not end the others. */
#ifndef TPUCOST_CLI_DOCTOR_DOCTOR_H
#define TPUCOST_CLI_DOCTOR_DOCTOR_H

#include "cli/cmd.h"
#include "gcp/access/iam.h"

#define DOCTOR_QUERY_MS 10000

enum doctor_status { DOCTOR_OK, DOCTOR_WARN, DOCTOR_FAIL, DOCTOR_SKIP };

/* All strings are allocated from the arena, or static. */
struct finding {
	enum doctor_status status;
	const char *check, *detail;
	const char *fix;     /* a command, with an explanation after a #; "" */
	const char *project; /* NULL: it concerns no project */
	const char *source;  /* of facts, at the beginning of `detail`; or NULL */
	const char *cause;   /* the part of `detail` that other sources share; NULL: all */
	/* Word for several of `source`, if it is not a source of facts: those that share the
	 * cause are one line, with the fix of the first. */
	const char *plural;
};

/* Account of credentials, once they were read. */
struct identity {
	struct gcp *g;      /* NULL: they could not be read */
	bool works;         /* Google gave a token */
	const char *name;   /* for output: the e-mail address, or "your login" */
	const char *source; /* place where they were found */
	const char *member; /* in the form of gcloud, quoted for a shell where necessary */
	bool person;        /* the login of a user */
};

/* Only gcloud knows the name of the login. Quoted, because the shell must run the command. */
#define DOCTOR_PERSON "user:\"$(gcloud config get-value account)\""

struct doctor {
	struct app *app;
	struct arena *a;
	const char *check;   /* the current check */
	const char *project; /* the current project; NULL: none */
	struct finding *v;
	size_t n, cap;
	bool unasked; /* a check could not be completed: neither good nor bad */
	bool has_db;  /* it can be read */
	bool new_db;  /* it does not exist yet */
	struct http *http;
	struct identity reader, actor;
	bool one_account; /* the account that reads also acts */
	const char *const *projects;
	size_t n_projects;
	size_t can_read;  /* projects in which the account has all permissions to read */
	size_t can_query; /* billing tables of which a query was tested */
	bool lacks_api;   /* an API of a project is not enabled, or could not be tested */
	bool said_excess; /* excess permissions of the reader were reported */
};

/* Adds a finding of the current check for d->project. Its fix and project can be set until the
 * next one is added. */
struct finding *doctor_add(struct doctor *d, enum doctor_status status, const char *fmt,
	...) printf_like(3, 4);
/* Adds a finding for an error: a failure, or a check that could not be completed. */
struct finding *doctor_add_err(struct doctor *d, const struct err *e);

/* Counts of rules that act, are armed, or may delete. */
struct doctor_rules {
	size_t acting, armed;
	bool deletes;
	const char *names; /* of the armed rules if there are any, else of those that act */
};
struct doctor_rules doctor_rules(const struct doctor *d);
/* Tests whether actions are allowed in the project. */
bool doctor_may_act(const struct doctor *d, const char *project);

/* Permissions of an account in d->project, compared with those that it needs. */
struct probe {
	const char **missing; /* permissions that it needs and does not have */
	size_t n_missing;
	const char **excess; /* iam_powers that it has and does not need */
	size_t n_excess;
};
/* Returns false if the permissions could not be determined; a finding was then added. */
bool doctor_probe(struct doctor *d, const struct identity *who, const char *const *needed,
	size_t n, struct probe *out);
/* Roles that acting requires, as bits: 1u << IAM_STOPPER. */
unsigned doctor_acting_roles(const struct doctor *d);
/* Adds a finding that an account has more permissions than these roles. */
void doctor_say_excess(struct doctor *d, const struct identity *who, const struct probe *p,
	unsigned roles);
/* Reads the key, gets a token and finds the name of the account. Returns false after adding a
 * finding. */
bool doctor_identify(struct doctor *d, const char *credentials, const char *impersonate,
	struct identity *out);
/* Command that creates or updates the roles and grants them to the account. */
const char *doctor_give_roles(
	const struct doctor *d, const char *project, const char *member, unsigned roles);
/* "a, b, c" */
const char *doctor_join(
	const struct doctor *d, const char *const *v, size_t n, const char *between);

/* "for project in a b; do COMMANDS; done AFTER": `commands` use $project. */
const char *doctor_each_project(const struct doctor *d, const char *const *projects,
	size_t n, const char *commands, const char *after);
const char *doctor_status_name(enum doctor_status status); /* "ok" */
/* Prints the findings as text, one for each cause. Returns the exit status. */
int doctor_print(const struct doctor *d, struct err *e);

/* Adds the problem that the newest cycle had with a source that is not polled, if any. */
void doctor_unpolled_source(struct doctor *d, const char *source);

/* Command that edits the configuration, with the required change as a comment. */
const char *doctor_edit(const struct doctor *d, const char *what);

typedef void doctor_check(struct doctor *d);
doctor_check doctor_config, doctor_database, doctor_room, doctor_sources, /* local.c */
	doctor_other_sources, doctor_tpu_api, doctor_budgets, doctor_channels;
doctor_check doctor_credentials, doctor_search, doctor_reading, doctor_apis, doctor_clock,
	doctor_billing;                                                    /* google.c */
doctor_check doctor_publish;                                               /* publish.c */
doctor_check doctor_access;                                                /* access.c */
doctor_check doctor_enforcement, doctor_halt, doctor_actor, doctor_acting, /* enforce.c */
	doctor_own_host, doctor_lease;

#endif
