/* The SQL statements that tpucost sends to BigQuery (GoogleSQL).
 *
 * The unit of ingestion is one partition of the export, because Google appends to and reloads
 * partitions: a unit is always read and replaced as a whole, so that late rows, corrections and
 * reloads neither duplicate nor lose costs. Column types are those of "Structure of
 * Standard/Detailed data export" (Cloud Billing documentation). */
#ifndef TPUCOST_COLLECTOR_BILL_SQL_H
#define TPUCOST_COLLECTOR_BILL_SQL_H

#include "base/err.h"
#include "base/sbuf.h"

/* Version of the columns that are read. A unit that was read with an older version is read
 * again. */
#define BILLING_RECIPE 4

/* Properties of the table from tables.get; older exports may not have the optional columns. */
struct billing_shape {
	bool has_partition_time; /* ingestion-time partitions: _PARTITIONTIME exists */
	bool has_account;        /* billing_account_id */
	bool has_number;         /* project.number */
	bool has_resource;       /* detailed export */
	bool has_rate;           /* currency_conversion_rate */
	bool has_cost_type;
	bool has_pricing_usage; /* usage.amount_in_pricing_units, usage.pricing_unit */
	bool has_price;         /* price.effective_price, price.pricing_unit_quantity */
	bool has_labels;        /* labels, project.labels */
	bool has_model;         /* consumption_model.id, consumption_model.description */
	bool has_list;          /* cost_at_list */
	bool has_list_model;    /* cost_at_list_consumption_model */
	bool has_default;       /* cost_at_effective_price_default */
	bool has_price_default; /* price.effective_price_default, in addition to has_price */
	bool has_cut; /* only usage of the days (UTC) from @usage_from to @usage_until */
	/* Not of the table: the hours of a day are added up. The caller hides the columns of resources and labels. */
	bool by_day;
	/* Nor of the table: lines of usage from @from to @until (TIMESTAMP), exported before @exported, of @month (STRING, '': of
	 * all), of @projects (ARRAY<STRING>, empty: of all), with the labels of @keys (the same). With `by_day` without their unit and other parts of a day; with
	 * `by_sum` without any time. */
	bool asks, by_sum;
};

/* "project.dataset.table": project ids with an optional domain; names of letters, digits and
 * underscores. The only text that is written into SQL without a parameter. */
bool billing_table_valid(const char *name);

/* Row counts and checksums of every unit from @since to @until (DATE): unit DATE, currency STRING,
 * row_count INT64, cost_sum NUMERIC, credits_sum NUMERIC, exported TIMESTAMP. */
void billing_sql_units(
	struct sbuf *b, const char *table, const struct billing_shape *shape);

/* The lines of @units (ARRAY<DATE>, all within @first and @last), summed by hour and all other
 * keys, ordered by unit and hour. A row of the export results in one line, and one more for each of
 * its credits: see the names in sql.c.
 *
 * With `by_day` they are summed by day of @zone (STRING). `hour` is then the last one with usage, so that every sum of days,
 * and the newest usage, are those of the hours. A line has usage of one day in UTC as well, by which tables are compared,
 * and of one invoice month of Google, which begins in California. first_hour TIMESTAMP shows that it is of day DATE here,
 * too. */
void billing_sql_rows(struct sbuf *b, const char *table, const struct billing_shape *shape);

#endif
