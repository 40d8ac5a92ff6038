/* `tpucost init`: results of the search, and the configuration that is written from them. */
#ifndef TPUCOST_CLI_INIT_INIT_H
#define TPUCOST_CLI_INIT_INIT_H

#include "base/sbuf.h"
#include "cli/cmd.h"

/* Strings here and below are allocated from the arena, or static. */
struct init_project {
	const char *id;
	const char *why;     /* reason why it is watched; NULL: it is not */
	const char *account; /* billing account that pays for it; "" if unknown */
	bool seen;           /* the credentials can see it */
};

/* A table of the billing export. */
struct init_table {
	const char *name;     /* project.dataset.table */
	const char *location; /* "EU"; "" if not given */
	const char *account;  /* "01AB23-CD45EF-678901", from its name; "" if it has none */
	bool detailed;        /* the export with resources */
	int64_t modified_ms;  /* 0: unknown */
};

struct init_found {
	const char *timezone;
	const char *currency; /* of the billing account; NULL: unknown */
	const char *endpoint; /* NULL: that of Google */
	const char *key;      /* absolute path of a key; NULL: the default credentials */
	const char *day;      /* "2026-11-21" */
	struct init_project *projects; /* watched ones first */
	size_t n_projects;
	bool whole_account;  /* all projects of `account` are watched, also later ones */
	const char *account; /* billing account of the first project; NULL: unknown */
	struct init_table *tables; /* the one that is used first */
	size_t n_tables;
	const char *granted; /* project of the mail, if it is watched; else NULL */
	const char *grants;  /* text of `grants:`; NULL: none */
	bool works;          /* there are credentials, and Google accepts them */
	bool unreached;      /* they may: Google could not be asked */
};

/* Writes the configuration; `check` accepts it. */
void init_write(const struct init_found *f, struct sbuf *out);

/* Tests whether this is the name of a table of the export
 * ("gcp_billing_export_v1_01AB23_CD45EF_678901"). Sets `detailed` and `account`. Source: "Export
 * Cloud Billing data to BigQuery". */
bool init_table_read(const char *table, struct arena *a, struct init_table *out);
/* Puts the best table first: of the account (NULL: any), detailed, newest. Returns the reason, or
 * NULL if there was no choice. */
const char *init_pick_table(struct init_found *f, struct arena *a);
/* Reason why the table that is used may be the wrong one, as a sentence; or NULL. */
const char *init_table_doubt(const struct init_found *f, struct arena *a);
/* "standard, US, account 01AB23-CD45EF-678901" */
const char *init_table_says(const struct init_table *t, struct arena *a);

/* Queries Google and prints one line on standard error for each result or error (cli/init/find.c).
 * `mail` is the project that the mail names, or NULL. */
void init_find(struct app *app, const char *mail, struct init_found *f);

#endif
