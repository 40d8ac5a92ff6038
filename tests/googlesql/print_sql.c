/* print_sql TABLE: every SQL text that may be sent for that table, one JSON object a line:
 *   {"query": "units" or "rows", "has": [what the table has], "sql": "..."}
 * Two texts for every shape a table can have, and one for sums of days. Exit status 1: TABLE is no name of a table. */
#include "base/base.h"
#include "base/sbuf.h"
#include "collector/bill/sql.h"

#include <stdio.h>

static const char *const flags[] = {"partition_time", "account", "number", "resource",
	"rate", "cost_type", "pricing_usage", "price", "labels", "model", "list",
	"list_model", "default", "price_default", "cut", "by_day", "asks", "by_sum"};

/* Columns that came in 2025, with the cost at list prices before them: with all combinations of the
 * others only all or none of them, else the texts would be 65536. */
#define NEW_FLAGS (31U << 9)
#define BY_DAY \
	(1U << 15) /* not of a table: what it reads has neither resources nor labels */
#define ASKS (BY_DAY << 1) /* a question */
#define BY_SUM (BY_DAY << 2)
#define DETAIL (8U | 256U)

/* A flag that is new in the shape must get its texts as well. */
_Static_assert(sizeof(struct billing_shape) == ARRAY_LEN(flags) * sizeof(bool),
	"a name for every member of struct billing_shape, in its order");

static struct billing_shape shape_of(unsigned bits)
{
	return (struct billing_shape){
		.has_partition_time = bits & 1U,
		.has_account = bits & 2U,
		.has_number = bits & 4U,
		.has_resource = bits & 8U,
		.has_rate = bits & 16U,
		.has_cost_type = bits & 32U,
		.has_pricing_usage = bits & 64U,
		.has_price = bits & 128U,
		.has_labels = bits & 256U,
		.has_model = bits & 512U,
		.has_list = bits & 1024U,
		.has_list_model = bits & 2048U,
		.has_default = bits & 4096U,
		.has_price_default = bits & 8192U,
		.has_cut = bits & 16384U,
		.by_day = bits & BY_DAY,
		.asks = bits & ASKS,
		.by_sum = bits & BY_SUM,
	};
}

static bool is_printed(unsigned bits)
{
	unsigned new = bits &NEW_FLAGS, all = BY_DAY - 1;

	/* of questions: of the oldest and the newest table, with and without each detail, and a cut */
	if (bits & (ASKS | BY_SUM))
		return (bits & ASKS) && !((bits & BY_DAY) && (bits & BY_SUM)) &&
			((bits & ~DETAIL & 511U) == 1 || (bits & ~DETAIL & 511U) == 0x77) &&
			(!new || new == NEW_FLAGS) && !(bits & 128U);
	if (bits & BY_DAY)
		return !(bits & DETAIL) && (!new || new == NEW_FLAGS);
	return !new || new == NEW_FLAGS || (bits | NEW_FLAGS) == all;
}

static void print(const char *query, unsigned bits, const struct sbuf *sql)
{
	struct sbuf text = SBUF_INIT;
	const char *comma = "";

	sbuf_add_json(&text, sql->s);
	printf("{\"query\":\"%s\",\"has\":[", query);
	for (size_t i = 0; i < ARRAY_LEN(flags); i++)
		if (bits & 1U << i) {
			printf("%s\"%s\"", comma, flags[i]);
			comma = ",";
		}
	printf("],\"sql\":%s}\n", text.s);
	sbuf_done(&text);
}

int main(int argc, char **argv)
{
	struct sbuf sql = SBUF_INIT;

	if (argc != 2 || !billing_table_valid(argv[1])) {
		fprintf(stderr, "usage: print_sql PROJECT.DATASET.TABLE\n");
		return 1;
	}
	for (unsigned bits = 0; bits < 1U << ARRAY_LEN(flags); bits++) {
		struct billing_shape shape = shape_of(bits);

		if (!is_printed(bits))
			continue;

		if (!shape.by_day && !shape.asks) {
			sbuf_reset(&sql);
			billing_sql_units(&sql, argv[1], &shape);
			print("units", bits, &sql);
		}
		sbuf_reset(&sql);
		billing_sql_rows(&sql, argv[1], &shape);
		print(shape.asks ? "ask" : "rows", bits, &sql);
	}
	sbuf_done(&sql);
	return 0;
}
