/* Load jobs of BigQuery: rows into one day of a table that is partitioned by its column `date`. BigQuery REST
 * reference v2: datasets.get, jobs.insert (multipart upload), jobs.get, tabledata.list.
 *
 * The caller chooses the id of a job. Google accepts each id once, so a job whose outcome is unknown can be sent
 * again: it is never done twice. */
#ifndef TPUCOST_GCP_BILL_BQ_LOAD_H
#define TPUCOST_GCP_BILL_BQ_LOAD_H

#include "gcp/bill/bigquery.h"

#define BQ_LOAD_FIELD "date" /* the column of the partition: a DATE */

struct bq_load {
	struct bq_name table; /* its project also runs the job */
	const char *location; /* of the dataset */
	const char *job;      /* id: letters, digits, "_" and "-" */
	day_t day;
	bool replace; /* the rows replace those of the day; otherwise they are added */
	bool create;  /* the table does not exist yet */
	/* All columns; those that an existing table lacks are added to it. */
	const struct bq_field *fields;
	size_t n_fields;
	const char *rows; /* JSON objects, one per line */

	/* results */
	bool done;   /* the rows are in the table */
	bool failed; /* the job ended and changed nothing; its id is used */
};

/* May the account of the credentials write to a dataset, by its list of access? Roles on the project are not in
 * it. UNKNOWN: a group or a domain may, or the list cannot be read. */
enum bq_writes { BQ_WRITES_NO, BQ_WRITES_UNKNOWN, BQ_WRITES };

struct bq_dataset {
	const char *location; /* allocated from the arena */
	enum bq_writes writes;
};
/* `access`: reads the list, which needs another permission. */
enum err_code bq_dataset_get(struct gcp *g, const char *project, const char *dataset,
	bool access, struct arena *a, struct bq_dataset *out, struct err *e) must_check;
/* Command that grants it to `member`, in single quotes. Allocated from the arena. */
const char *bq_grant_writing(
	const char *project, const char *dataset, const char *member, struct arena *a);

/* Sends the job, or finds the one that was sent earlier with its id. E_OK with neither result: it runs. */
enum err_code bq_load_send(struct gcp *g, struct bq_load *l, struct err *e) must_check;
/* Finds the job, without rows. E_NOTFOUND: there is none. */
enum err_code bq_load_look(struct gcp *g, struct bq_load *l, struct err *e) must_check;

/* Has the table rows of that day? Of one that does not exist, *has is false. */
enum err_code bq_day_has_rows(struct gcp *g, const struct bq_name *table, day_t day,
	bool *has, struct err *e) must_check;

#endif
