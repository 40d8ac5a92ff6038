/* `tpucost init`: what was found, and the configuration that is made of it. */
#ifndef TPUCOST_CLI_INIT_INIT_H
#define TPUCOST_CLI_INIT_INIT_H

#include "base/sbuf.h"
#include "cli/cmd.h"

/* Strings here and below are of the arena, or static. */
struct init_project {
	const char *id;
	const char *why;     /* why it is watched; NULL: it is not */
	const char *account; /* billing account that pays; "" when not known */
	bool seen;           /* the credentials can see it */
};

/* A table of the billing export. */
struct init_table {
	const char *name;     /* project.dataset.table */
	const char *location; /* "EU"; "" when unsaid */
	const char *
		account; /* "01AB23-CD45EF-678901", from its name; "" where that has none */
	bool detailed;   /* the export with resources */
	int64_t modified_ms; /* 0: not known */
};

struct init_found {
	const char *timezone;
	const char *currency; /* of the billing account; NULL */
	const char *endpoint; /* NULL: Google's */
	const char *key;      /* path of a key, absolute; NULL: the default credentials */
	const char *day;      /* "2026-11-21" */
	struct init_project *projects; /* those that are watched first */
	size_t n_projects;
	const char *account;       /* that pays for the first one; NULL */
	struct init_table *tables; /* the one that is taken first */
	size_t n_tables;
	const char *granted; /* project of the mail, where it is watched; NULL */
	const char *grants;  /* as `grants:`; NULL */
	bool works;          /* there are credentials, and Google takes them */
};

/* The configuration; `check` accepts it. */
void init_write(const struct init_found *f, struct sbuf *out);

/* Is this the name of a table of the export ("gcp_billing_export_v1_01AB23_CD45EF_678901")? Sets
 * `detailed` and `account`. Source: "Export Cloud Billing data to BigQuery". */
bool init_table_read(const char *table, struct arena *a, struct init_table *out);
/* Puts the one to take first: of the account (NULL: any), detailed, newest. Says why it is that one;
 * NULL when there was no choice. */
const char *init_pick_table(struct init_found *f, struct arena *a);
/* Why the one that is taken may be the wrong one: a sentence, or NULL. */
const char *init_table_doubt(const struct init_found *f, struct arena *a);
/* "standard, US, account 01AB23-CD45EF-678901" */
const char *init_table_says(const struct init_table *t, struct arena *a);

/* Asks Google, with one line on standard error for what it found or could not (cli/init/find.c).
 * `mail` is the project that the mail names, or NULL. */
void init_find(struct app *app, const char *mail, struct init_found *f);
/* One of those lines, unless --quiet. */
void init_say(const struct app *app, const char *fmt, ...) printf_like(2, 3);

#endif
