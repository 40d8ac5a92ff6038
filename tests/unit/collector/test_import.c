/* Import of export files: the oracle is the database, to the nano-unit. */
#include "collector/bill/billed_price.h"
#include "collector/bill/store.h"
#include "collector/import/import.h"
#include "db_sql.h"

#include "base/fs.h"
#include "base/sbuf.h"
#include "base/time/tz.h"
#include "tests/support/assert.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define NOW INT64_C(1795237200) /* 2026-11-21T05:00:00Z */

static struct tempdb t;
static struct import_result r;
static struct err e;

static int setup(void **state)
{
	tempdb_open_as_of(&t, NOW);
	return 0;
}

/* Another empty database. */
static void fresh(void)
{
	tempdb_close(&t);
	tempdb_open_as_of(&t, NOW);
}

static const char *path_of(const char *name)
{
	static char path[160];

	snprintf(path, sizeof(path), "%s/%s", t.dir, name);
	return path;
}

static const char *put(const char *name, const char *text, size_t len)
{
	const char *path = path_of(name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	fclose(f);
	return path;
}

static enum err_code import_with(const char *path, bool may_overlap)
{
	struct import_opts o = {
		.db = t.db, .tz = t.tz, .now = NOW, .may_overlap = may_overlap};

	err_clear(&e);
	return import_file(&o, path, &r, &e);
}

static enum err_code import_text(const char *name, const char *text)
{
	return import_with(put(name, text, strlen(text)), false);
}

static void expect(const char *sql, const char *want)
{
	tempdb_expect(&t, sql, want);
}

/* A row as BigQuery extracts it, with what a test wants of it in the middle. */
#define ROW(more)                                                                        \
	"{\"billing_account_id\":\"01AB23-CD45EF-678901\",\"service\":{\"id\":\"6F81-"   \
	"5844-456A\","                                                                   \
	"\"description\":\"Compute "                                                     \
	"Engine\"},\"sku\":{\"id\":\"2E27-4F75-95CD\",\"description\":"                  \
	"\"N1 "                                                                          \
	"Core\"},\"project\":{\"id\":\"p-one\",\"number\":\"123\",\"labels\":[{\"key\":" \
	"\"a\","                                                                         \
	"\"value\":\"b\"}]},\"location\":{\"location\":\"us-central1\",\"region\":\"us-" \
	"central1\","                                                                    \
	"\"zone\":\"us-central1-a\"},\"invoice\":{\"month\":\"202611\"},\"currency\":"   \
	"\"USD\"," more "}"
#define AT(time, cost)                                                                   \
	"\"usage_start_time\":\"" time "\",\"export_time\":\"2026-11-20 07:00:00 UTC\"," \
	"\"cost\":" cost ",\"usage\":{\"amount\":\"3600\",\"unit\":\"seconds\","         \
	"\"amount_in_pricing_units\":\"1\",\"pricing_unit\":\"hour\"}"

/* ---- amounts ---------------------------------------------------------------------------------- */

static void amounts_are_exact_however_they_are_written(void **state)
{
	assert_ok(import_text("a.json",
			  ROW(AT("2026-11-19 10:00:00 UTC", "0.1")) "\n" ROW(AT(
				  "2026-11-19 10:00:00 UTC",
				  "\"0.000000002\"")) "\n" ROW(AT("2026-11-19 10:30:00 UTC",
				  "4.4E-5")) "\n" ROW(AT("2026-11-19 11:00:00 UTC",
				  "-2.5e+1")) "\n"),
		e);
	assert_int_equal(r.rows, 4);
	assert_int_equal(r.days, 1);
	expect("SELECT group_concat(hour || ' ' || cost || ' ' || usage || ' ' || "
	       "row_count, '; ') FROM usage",
		"1795082400 100044002 3000000000 3; 1795086000 -25000000000 1000000000 1");
	expect("SELECT cost_n || ' ' || usage_unit FROM costs_exact", "-24899955998 hour");
}

/* Sums are of rows rounded half to even; what that leaves out is known. */
static void what_rounding_left_out_is_kept(void **state)
{
	assert_ok(import_text("a.json",
			  ROW(AT("2026-11-19 10:00:00 UTC",
				  "0.123456789123456789123456789123")) "\n" ROW(AT("2026-"
										   "11-19 "
										   "10:00:"
										   "00 UTC",
				  "0.0000000005")) "\n" ROW(AT("2026-11-19 10:00:00 UTC",
				  "0.0000000015")) "\n"),
		e);
	expect("SELECT cost FROM usage", "123456791");
	expect("SELECT cost || ' ' || rounding FROM billing_unit_sum",
		"123456791 123456789");
}

#define PERIOD(start, end, cost) \
	"\"usage_start_time\":\"" start "\",\"usage_end_time\":\"" end "\",\"cost\":" cost

/* In exports by day, a row is of 23 to 25 hours; of a day that is not over, of the hours until the export. */
static void rows_of_a_day_are_spread_over_its_hours(void **state)
{
	static const struct {
		const char *rows, *want;
	} list[] = {
		{ROW("\"credits\":[{\"amount\":-1E-9,\"type\":\"DISCOUNT\"}]," PERIOD(
			 "2026-11-19 10:30:00 UTC", "2026-11-19 12:30:00 UTC", "1E-8")),
			"1795082400 3 0 1; 1795082400 0 0 0; 1795086000 4 0 0; 1795086000 "
			"0 -1 0; "
			"1795089600 3 0 0; 1795089600 0 0 0"},
		{ROW("\"export_time\":\"2026-11-21 02:00:00 UTC\"," PERIOD(
			 "2026-11-21 00:00:00 UTC", "2026-11-22 00:00:00 UTC", "1E-8")),
			"1795219200 5 0 1; 1795222800 5 0 0"},
		{ROW(PERIOD("2026-11-21 03:00:00 UTC", "2026-11-22 00:00:00 UTC", "1E-8")),
			"1795230000 5 0 1; 1795233600 5 0 0"},
		{ROW(PERIOD("2026-10-01 00:00:00-07", "2026-11-01 00:00:00-07", "5")),
			"1790838000 5000000000 0 1"},
		{ROW(PERIOD("2026-10-01 00:00:00 UTC", "", "6")),
			"1790812800 6000000000 0 1"},
	};

	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		assert_ok(import_text("a.json", list[i].rows), e);
		expect("SELECT group_concat(hour || ' ' || cost || ' ' || credits || ' ' "
		       "|| row_count, '; ') "
		       "FROM (SELECT * FROM usage ORDER BY hour, cost DESC, credits)",
			list[i].want);
		fresh();
	}
	assert_err(import_text("a.json",
			   ROW(PERIOD("2026-10-01 00:00:00 UTC", "tomorrow", "5"))),
		e, E_DATA, "usage_end_time: expected a time");
}

/* Months of Google's invoices end at midnight in California, in a UTC day of the next one. */
static void rows_of_a_day_may_end_in_the_first_of_another_file(void **state)
{
	assert_ok(import_text("oct.json",
			  ROW(PERIOD("2026-10-31 07:00:00 UTC", "2026-11-01 07:00:00 UTC",
				  "24"))),
		e);
	assert_ok(import_text("nov.json",
			  ROW(PERIOD("2026-11-01 07:00:00 UTC", "2026-11-02 08:00:00 UTC",
				  "25"))),
		e);
	expect("SELECT group_concat(day || ' ' || (cost_n / 1000000000), '; ') FROM "
	       "costs_exact",
		"2026-10-31 17; 2026-11-01 24; 2026-11-02 8");
	assert_err(import_text("again.json",
			   ROW(PERIOD("2026-11-01 08:00:00 UTC", "2026-11-02 08:00:00 UTC",
				   "25"))),
		e, E_CONFLICT, "usage of 2026-11-01");
}

/* The hours after midnight are stored, too: in either order, the same ones are refused, others are taken. */
static void hours_after_midnight_count_once(void **state)
{
#define OF_DAY ROW(PERIOD("2026-11-01 08:00:00 UTC", "2026-11-02 08:00:00 UTC", "24"))
#define OF_HOUR(at) ROW(AT("2026-11-02 " at ":00:00 UTC", "1"))
	static const struct {
		const char *first, *then;
		day_t days; /* of the second; 0: refused */
	} list[] = {{OF_DAY, OF_HOUR("06") "\n" OF_HOUR("07"), 0},
		{OF_HOUR("07") "\n" OF_HOUR("08"), OF_DAY, 0}, {OF_DAY, OF_HOUR("08"), 1},
		{OF_HOUR("08"), OF_DAY, 2},
		/* that of another SKU or project is not that of the row */
		{OF_DAY, "[" OF_HOUR("06") "]", 1}, {"[" OF_HOUR("07") "]", OF_DAY, 2}};

	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		const bool other = *list[i].first == '[' || *list[i].then == '[';

		assert_ok(import_text("first.json", list[i].first), e);
		if (other)
			tempdb_exec(&t,
				i % 2 ? "UPDATE billed_project SET project = 'p-two'"
				      : "UPDATE sku SET sku_id = 'other'");
		if (list[i].days) {
			assert_ok(import_text("then.json", list[i].then), e);
			assert_int_equal(r.days, (size_t)list[i].days);
			assert_int_equal(r.last, r.first + list[i].days - 1);
		} else
			assert_err(import_text("then.json", list[i].then), e, E_CONFLICT,
				"usage of 2026-11-02");
		assert_ok(import_text("first.json", list[i].first), e);
		assert_true(r.known);
		fresh();
	}
}

static void credits_are_kept_by_type(void **state)
{
	assert_ok(import_text("a.json",
			  ROW("\"credits\":[{\"name\":\"x\",\"amount\":-0.25,\"type\":"
			      "\"PROMOTION\"},"
			      "{\"amount\":\"-1E-9\",\"type\":\"DISCOUNT\",\"id\":\"y\"},{"
			      "\"amount\":-0.5,"
			      "\"type\":\"PROMOTION\"},{\"amount\":-1}]," AT(
				      "2026-11-19 10:00:00 UTC", "2")) "\n"),
		e);
	expect("SELECT group_concat(type || ' ' || credits, '; ') FROM (SELECT c.type AS "
	       "type, u.credits AS credits FROM usage u JOIN credit_type c ON c.credit_ref "
	       "= u.credit_ref WHERE u.credit_ref > 0 ORDER BY c.type)",
		"DISCOUNT -1; PROMOTION -750000000; UNKNOWN -1000000000");
	expect("SELECT cost_n || ' ' || credits_n || ' ' || promo_n FROM costs_exact",
		"2000000000 -1750000001 -750000000");
	expect("SELECT SUM(credits) FROM credit_day", "-1750000001");
	assert_int_equal((int64_t)r.sums[0].credits, -1750000001);
}

static void sums_beyond_what_can_be_kept_are_an_error_and_not_a_wrap(void **state)
{
	assert_int_equal(import_text("a.json",
				 ROW(AT("2026-11-19 10:00:00 UTC", "9000000000")) "\n" ROW(
					 AT("2026-11-19 10:00:00 UTC", "9000000000")) "\n"),
		E_OVERFLOW);
	assert_contains(e.msg, "a.json: ");
	assert_contains(e.msg, "too large");
	expect("SELECT COUNT(*) FROM usage", "0");
	assert_int_equal(import_text("b.json",
				 ROW(AT("2026-11-19 10:00:00 UTC", "99999999999")) "\n"),
		E_OVERFLOW);
	assert_contains(e.msg, "b.json:1: cost: ");
}

static void amounts_that_are_no_numbers_are_refused_with_their_line(void **state)
{
	static const char *const bad[] = {"\"NaN\"", "\"Infinity\"", "\"\"", "\" 1\"",
		"\"1,5\"", "\"0x10\"", "true", "{}", "[1]", "\"1e999\""};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct sbuf b = SBUF_INIT;

		sbuf_adds(&b, ROW(AT("2026-11-19 10:00:00 UTC", "1")) "\n\n");
		sbuf_addf(&b,
			"{\"usage_start_time\":\"2026-11-19 10:00:00 UTC\",\"currency\":"
			"\"USD\",\"cost\":%s}\n",
			bad[i]);
		if (!import_text("bad.json", b.s))
			fail_msg("%s was taken", bad[i]);
		assert_contains(e.msg, "bad.json:3: cost");
		sbuf_done(&b);
	}
	expect("SELECT COUNT(*) FROM usage", "0");
	expect("SELECT COUNT(*) FROM billing_table", "0");
}

/* ---- formats ---------------------------------------------------------------------------------- */

static void an_array_is_the_same_as_lines(void **state)
{
	assert_ok(import_text("a.json",
			  "[\n  " ROW(AT("2026-11-19 10:00:00 UTC", "1")) " ,\n" ROW(
				  AT("2026-11-18T23:59:59.999999Z", "2")) "\n]\n"),
		e);
	assert_int_equal(r.rows, 2);
	expect("SELECT group_concat(day || ' ' || cost) FROM (SELECT day, cost FROM costs "
	       "ORDER BY day)",
		"2026-11-18 2.0,2026-11-19 1.0");
}

#define HEADER                                                                            \
	"billing_account_id,service.id,service.description,sku.id,sku.description,"       \
	"usage_start_time,project.id,project.number,cost,currency,invoice.month,credits," \
	"labels,usage.amount,usage.unit,location.zone,extra\n"

static void a_flattened_csv_is_read_by_the_names_of_its_columns(void **state)
{
	assert_ok(import_text("a.csv",
			  "\xef\xbb\xbf" HEADER "01AB23-CD45EF-678901,6F81-5844-456A,"
			  "Compute Engine,AAAA,\"N1, \"\"core\"\"\","
			  "2026-11-19 10:00:00 UTC,p-one,123,0.5,USD,202611,"
			  "\"[{\"\"name\"\":\"\"c\"\",\"\"amount\"\":\"\"-0.2\"\","
			  "\"\"type\"\":"
			  "\"\"PROMOTION\"\"}]\",\"[]\",3600,seconds,us-central1-a,what\r\n"
			  ",,Support,,Fee,2026-11-19 11:00:00 "
			  "UTC,,,1.25,USD,202611,[],,,,,\r\n"),
		e);
	expect("SELECT cost || ' ' || credits || ' ' || promo || ' ' || sku || ' ' || "
	       "usage || usage_unit FROM costs WHERE project = 'p-one'",
		"0.5 -0.2 -0.2 N1, \"core\" 3600.0seconds");
	expect("SELECT cost || ' ' || sku FROM costs WHERE project IS NULL", "1.25 Fee");
}

/* In FOCUS the cost is after credits; the gross is put together again. */
static void a_focus_csv_is_read(void **state)
{
	assert_ok(
		import_text("focus.csv",
			"BilledCost,BillingAccountId,BillingCurrency,BillingPeriodStart,"
			"ChargeCategory,ChargePeriodStart,ServiceName,SkuId,"
			"ChargeDescription,ContractedCost,"
			"SubAccountId,RegionId,PricingQuantity,PricingUnit,x_Credits,x_"
			"CostType\n"
			"0.3,01AB23-CD45EF-678901,EUR,2026-11-01 07:00:00 UTC,Usage,"
			"2026-11-19 10:00:00 UTC,Compute Engine,AAAA,N1 "
			"core,1,p-one,us-central1,1,"
			"hour,\"[{\"\"Name\"\":\"\"c\"\",\"\"Amount\"\":-0.7,\"\"Type\"\":"
			"\"\"PROMOTION\"\"}]\",regular\n"
			"2,01AB23-CD45EF-678901,EUR,2026-10-01 07:00:00 UTC,Tax,"
			"2026-11-19 10:00:00 UTC,Invoice,,Tax,2,,,,,,\n"),
		e);
	expect("SELECT cost_n || ' ' || credits_n || ' ' || invoice_month FROM costs_exact "
	       "WHERE project = 'p-one'",
		"1000000000 -700000000 202611");
	expect("SELECT net || ' ' || cost_type || ' ' || invoice_month || ' ' || currency "
	       "FROM costs WHERE project IS NULL",
		"2.0 tax 202610 EUR");
}

#define FOCUS_COLUMNS                                                                    \
	"BilledCost,ContractedCost,ListCost,BillingCurrency,BillingPeriodStart,"         \
	"ChargePeriodStart,ServiceName,ChargeDescription,BillingAccountId,SubAccountId," \
	"ProviderName,PricingQuantity,PricingUnit,ConsumedQuantity,ConsumedUnit,"        \
	"x_CostType,x_Credits,x_Project"
#define FOCUS_ROW(hour, billed, cost, provider, credits)                  \
	billed "," cost ",2,USD,2026-11-01 07:00:00 UTC,2026-11-19 " hour \
	       ":00:00 UTC,Compute Engine,Core,A-1,A-1," provider         \
	       ",1,hour,3.5,hour,regular," credits                        \
	       ",\"{\"\"Id\"\":\"\"p-one\"\",\"\"Number\"\""              \
	       ":\"\"7\"\"}\"\n"
#define LESS(amount) \
	"\"[{\"\"Type\"\":\"\"PROMOTION\"\",\"\"Amount\"\":\"\"" amount "\"\"}]\""

/* Google's own view has BilledCost after credits, a copy of it before: both give the same bill. The
 * project is in x_Project, and PricingQuantity is the unit of a price. */
static void both_kinds_of_billed_cost_are_told_apart(void **state)
{
	static const char *const files[] = {FOCUS_COLUMNS
		"\n" FOCUS_ROW("10", "0.3", "1", "Google Cloud", LESS("-0.7"))
			FOCUS_ROW("11", "0.5", "0.5", "", "[]"),
		FOCUS_COLUMNS "\n" FOCUS_ROW("10", "1", "1", "gcp", LESS("-0.7"))
			FOCUS_ROW("11", "0.5", "0.5", "Google", "[]")};
	static const enum import_billed want[] = {
		IMPORT_BILLED_AFTER, IMPORT_BILLED_BEFORE};

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		fresh();
		assert_ok(import_text("f.csv", files[i]), e);
		assert_int_equal(r.billed, want[i]);
		expect("SELECT SUM(cost_n) || ' ' || SUM(credits_n) || ' ' || "
		       "SUM(list_cost_n) || ' ' || SUM(usage_n) || ' ' || MIN(project) "
		       "FROM "
		       "costs_exact",
			"1500000000 -700000000 4000000000 7000000000 p-one");
		expect("SELECT number FROM billed_project", "7");
	}
}

static void billed_cost_that_shows_nothing_is_asked_for(void **state)
{
	static const char *const files[][2] = {
		{FOCUS_COLUMNS "\n" FOCUS_ROW("10", "0.9", "1", "Google", LESS("-0.7")),
			"f.csv: BilledCost of 1 row with credits (line 2) is neither"},
		{FOCUS_COLUMNS "\n" FOCUS_ROW("10", "0.3", "", "Google", LESS("-0.7"))
				FOCUS_ROW("11", "1", "", "Google", LESS("-0.7")),
			"f.csv: BilledCost of 2 rows with credits (line 2, 3) is neither"},
		{FOCUS_COLUMNS "\n" FOCUS_ROW("10", "0.3", "1", "Google", LESS("-0.7"))
				FOCUS_ROW("11", "1", "1", "Google", LESS("-0.7")),
			"BilledCost is after credits in 1 row and before credits in 1"},
	};
	struct import_opts o = {.db = t.db, .tz = t.tz, .now = NOW};
	const char *text = files[0][0];

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		assert_int_equal(import_text("f.csv", files[i][0]), E_DATA);
		assert_contains(e.msg, files[i][1]);
		assert_contains(e.fix, "--billed-cost after-credits");
		expect("SELECT COUNT(*) FROM usage", "0");
	}
	o.billed = IMPORT_BILLED_BEFORE;
	assert_ok(import_file(&o, put("f.csv", text, strlen(text)), &r, &e), e);
	expect("SELECT SUM(cost_n) || ' ' || SUM(credits_n) FROM costs_exact",
		"900000000 -700000000");
}

static void other_providers_are_counted_and_left_out(void **state)
{
	assert_ok(import_text("f.csv",
			  FOCUS_COLUMNS "\n" FOCUS_ROW("10", "5", "5", "AWS", "")
				  FOCUS_ROW("10", "1", "1", "Google Cloud", "")
					  FOCUS_ROW("10", "7", "7", "Microsoft", "")
						  FOCUS_ROW("11", "7", "7", "AWS", "")),
		e);
	assert_i64_eq(r.foreign, 3);
	assert_string_equal(r.providers, "AWS, Microsoft");
	assert_i64_eq(r.rows, 1);
	expect("SELECT SUM(cost_n) FROM costs_exact", "1000000000");
	assert_int_equal(import_text("g.csv",
				 FOCUS_COLUMNS "\n" FOCUS_ROW("10", "5", "5", "AWS", "")),
		E_DATA);
	assert_contains(e.msg, "all 1 rows are of other providers: AWS");
}

/* FOCUS as BigQuery extracts it, with the columns of Google's table. */
static void focus_as_json_is_read(void **state)
{
	assert_ok(
		import_text("f.json",
			"{\"BilledCost\":\"0.3\",\"ContractedCost\":\"1\",\"ListCost\":"
			"\"1.5\",\"BillingCurrency\":\"USD\",\"BillingPeriodStart\":"
			"\"2026-11-01 07:00:00 UTC\",\"ChargePeriodStart\":\"2026-11-19 "
			"10:00:00 UTC\",\"ServiceName\":\"S\",\"SubAccountId\":\"p-one\","
			"\"PricingQuantity\":2,\"PricingUnit\":\"hour\",\"x_Labels\":[{"
			"\"Key\":\"owner\",\"Value\":\"ada\"}],\"x_Credits\":[{\"Type\":"
			"\"DISCOUNT\",\"Amount\":\"-0.7\"}],\"x_ConsumptionModelId\":\"M\","
			"\"x_ConsumptionModelDescription\":\"CUD\","
			"\"x_CostAtEffectivePriceDefault\":\"1.2\"}\n"),
		e);
	expect("SELECT cost || ' ' || credits || ' ' || list_cost || ' ' || usage || ' ' "
	       "|| "
	       "project || ' ' || owner || ' ' || consumption_model || ' ' || committed_n "
	       "FROM costs_exact",
		"1.0 -0.7 1.5 2.0 p-one ada CUD 200000000");
}

/* As dbt, Looker and Google's own samples flatten it; and objects over several lines. */
static void flattened_names_are_known(void **state)
{
	static const char *const files[] = {
		"[{\"usage_start_time\":\"2026-11-19 10:00:00 "
		"UTC\",\"service_description\":"
		"\"S\",\"sku_id\":\"K\",\"sku_description\":\"Core\",\"project_id\":\"p\","
		"\"location_region\":\"us-east1\",\"usage_amount_in_pricing_units\":3,"
		"\"usage_pricing_unit\":\"hour\",\"invoice_month\":\"202611\",\"currency\":"
		"\"USD\",\"cost\":2,\"cost_at_list\":2.5,\"consumption_model_description\":"
		"\"CUD\"}]",
		"usage_start_time,service_description,sku_id,sku_description,project_id,"
		"location_region,usage_amount_in_pricing_units,usage_pricing_unit,"
		"invoice_month,currency,cost,cost_at_list,consumption_model_description\n"
		"2026-11-19 10:00:00 UTC,S,K,Core,p,us-east1,3,hour,202611,USD,2,2.5,CUD\n",
		"{\n \"usage_start_time\": \"2026-11-19 10:00:00 UTC\",\n \"service\": "
		"{\n  \"description\": \"S\"},\n \"sku\": {\"id\": \"K\", "
		"\"description\": \"Core\"}, \"project\": {\"id\": \"p\"},\n "
		"\"location\": {\"region\": \"us-east1\"}, \"usage\": "
		"{\"amount_in_pricing_units\": 1, \"pricing_unit\": \"hour\"}, "
		"\"invoice\": {\"month\": \"202611\"}, \"currency\": \"USD\", \"cost\": 1, "
		"\"cost_at_list\": 1, \"consumption_model\": {\"description\": \"CUD\"}\n"
		"}\n{\n\"usage_start_time\": \"2026-11-19 10:00:00 UTC\",\n\"service\": "
		"{\"description\": \"S\"}, \"sku\": {\"id\": \"K\", \"description\": "
		"\"Core\"}, \"project\": {\"id\": \"p\"}, \"location\": {\"region\": "
		"\"us-east1\"}, \"usage\": {\"amount_in_pricing_units\": 2, "
		"\"pricing_unit\": \"hour\"}, \"invoice\": {\"month\": \"202611\"}, "
		"\"currency\": \"USD\", \"cost\": 1, \"cost_at_list\": 1.5, "
		"\"consumption_model\": {\"description\": \"CUD\"}}"};

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		fresh();
		assert_ok(import_text("f", files[i]), e);
		expect("SELECT service || ' ' || sku_id || ' ' || sku || ' ' || project || "
		       "' ' || region || ' ' || usage || usage_unit || ' ' || "
		       "invoice_month || ' ' || cost || ' ' || list_cost || ' ' || "
		       "consumption_model FROM costs",
			"S K Core p us-east1 3.0hour 202611 2.0 2.5 CUD");
	}
}

/* As TO_JSON_STRING writes them; Tags of the specification are an object. */
static void lists_in_json_may_be_text(void **state)
{
	static const char focus[] =
		"{\"BilledCost\":0.5,\"ContractedCost\":1,\"BillingCurrency\":\"USD\","
		"\"ChargePeriodStart\":\"2026-11-19T10:00:00Z\",\"ServiceName\":\"S\","
		"\"SkuId\":\"K\",\"ProviderName\":\"Google Cloud\","
		"\"x_Credits\":\"[{\\\"Type\\\":\\\"A\\\",\\\"Amount\\\":-0.5}]\","
		"\"x_Project\":\"{\\\"Id\\\":\\\"p\\\"}\",\"Tags\":{\"cost\":\"c\"}}\n";

	assert_ok(import_text("a.json",
			  ROW(AT("2026-11-19 10:00:00 UTC",
				  "1") ",\"credits\":\"[{\\\"type\\\":\\\"A\\\","
				       "\\\"amount\\\":-0.25}]\""
				       ",\"labels\":\"[{\\\"key\\\":\\\"owner\\\","
				       "\\\"value\\\":\\\"ada\\\"}]\"") "\n"),
		e);
	expect("SELECT owner || ' ' || credits FROM costs", "ada -0.25");
	fresh();
	assert_ok(import_text("b.json", focus), e);
	expect("SELECT project || ' ' || cost || ' ' || credits || ' ' || labels FROM "
	       "costs",
		"p 1.0 -0.5 {\"cost\":\"c\"}");
	assert_int_equal(import_text("c.json",
				 ROW(AT("2026-11-19 10:00:00 UTC",
					 "1") ",\"credits\":\"[{'type'\"") "\n"),
		E_DATA);
	assert_contains(e.msg, "c.json:1: credits: JSON: ");
	assert_contains(e.fix, "not a Python literal");
}

static void gzip_is_told_by_the_content(void **state)
{
	static const char text[] = ROW(AT("2026-11-19 10:00:00 UTC", "1")) "\n";
	char path[160];
	gzFile f;

	snprintf(path, sizeof(path), "%s", path_of("no-suffix"));
	f = gzopen(path, "wb");
	gzwrite(f, text, sizeof(text) - 1);
	gzclose(f);
	assert_ok(import_with(path, false), e);
	assert_int_equal(r.rows, 1);
	{ /* cut short: nothing of it counts */
		cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
		FILE *in = fopen(path, "r");
		char buf[4096];
		size_t n = fread(buf, 1, sizeof(buf), in);

		fclose(in);
		assert_int_equal(import_with(put("cut.gz", buf, n - 6), false), E_DATA);
		assert_contains(e.msg, "cut.gz");
		expect("SELECT COUNT(*) FROM billing_table", "1");
	}
}

struct refused {
	const char *text, *why;
};

static void refuses(const struct refused *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!import_text("f", v[i].text))
			fail_msg("taken: %s", v[i].text);
		if (!strstr(e.msg, v[i].why))
			fail_msg("%s\n says %s\n want %s", v[i].text, e.msg, v[i].why);
	}
}

/* Columns under names that nobody knows are not stored as empty ones, nor those that are empty in all rows. */
static void needed_columns_have_values(void **state)
{
	static const struct refused v[] = {
		{"[{\"usage_start_time\":\"2026-11-01 00:00:00 UTC\",\"currency\":\"USD\","
		 "\"cost\":1,\"serviceDescription\":\"Compute Engine\"}]",
			"f: no row has a service"},
		{"[{\"usage_start_time\":\"2026-11-01 00:00:00 UTC\",\"currency\":\"USD\","
		 "\"cost\":1,\"service_description\":\"S\",\"sku_name\":\"K\"}]",
			"f: no row has a SKU"},
		{"{\"usage_start_time\":\"2026-11-01 00:00:00 UTC\",\"currency\":\"USD\","
		 "\"cost\":1,\"service\":{\"description\":\"S\"},\"sku\":{\"id\":\"K\"},"
		 "\"project\":{\"id\":\"\"}}\n",
			"f: no row has a project"},
		{"usage_start_time,cost,currency,service.description,sku.description,"
		 "invoice.month,project.id\n2026-11-01 00:00:00 UTC,1,USD,S,K,202611,\n",
			"f: no row has a project"},
		{"usage_start_time,cost,currency,service.description,sku.description,"
		 "invoice.month\n2026-11-01 00:00:00 UTC,1,USD,,K,202611\n",
			"f: no row has a service"},
		{"usage_start_time,cost,currency,service.description,sku.description,"
		 "invoice.month\n2026-11-01 00:00:00 UTC,1,USD,S,,202611\n",
			"f: no row has a SKU"},
		{"usage_start_time,cost,currency,service.description,sku.description,"
		 "invoice.month\n,1,USD,S,K,202611\n",
			"f:2: usage_start_time is missing"},
		{"usage_start_time,cost,currency,service.description,sku.description,"
		 "invoice.month\n2026-11-01 00:00:00 UTC,,USD,S,K,202611\n",
			"f:2: cost is missing"},
		{"usage_start_time,cost,currency,service.description,sku.description,"
		 "invoice.month\n2026-11-01 00:00:00 UTC,1,,S,K,202611\n",
			"f:2: currency is missing"},
		{"ChargePeriodStart,BilledCost,BillingCurrency,ServiceName,"
		 "BillingPeriodStart,SkuId,SubAccountId,BillingAccountId\n2026-11-01T00:00:"
		 "00Z,1,USD,S,2026-11-01T00:00:00Z,K,A,A\n",
			"f: no row has a project"},
		{"ChargePeriodStart,BilledCost,BillingCurrency,ServiceName,"
		 "BillingPeriodStart,SkuId\n2026-11-01T00:00:00Z,1,USD,S,"
		 "2026-11-01T00:00:00Z,\n",
			"f: no row has a SKU"}};

	refuses(v, ARRAY_LEN(v));
	expect("SELECT COUNT(*) FROM usage", "0");
}

static void files_that_are_something_else_say_so(void **state)
{
	static const struct refused v[] = {{"", "the file is empty"},
		{"\n\n", "the file is empty"},
		{"hello\n", "column 'usage_start_time' is missing"},
		{"{\"a\":1}\n", "f:1: usage_start_time is missing"},
		{"[1]", "f:1: JSON: expected an object"},
		{"[{\"a\":1},", "f:1: usage_start_time"},
		{"{\"usage_start_time\":\"yesterday\",\"currency\":\"USD\",\"cost\":1}\n",
			"f:1: usage_start_time: expected a time"},
		{"{\"usage_start_time\":\"2026-02-30 00:00:00 UTC\",\"currency\":\"USD\","
		 "\"cost\":1}\n",
			"f:1: usage_start_time"},
		{"{\"usage_start_time\":\"2026-02-03 00:00:00 UTC\",\"currency\":\"usd\","
		 "\"cost\":1}\n",
			"f:1: currency: expected three capital letters"},
		{"{\"usage_start_time\":\"2026-02-03 00:00:00 "
		 "UTC\",\"currency\":\"USD\"}\n",
			"f:1: cost is missing"},
		{ROW(AT("2026-11-19 10:00:00 UTC", "1")) "\n{\"broken\n", "f:2: JSON:"},
		{"{\"usage_start_time\":\"1969-12-31 00:00:00 UTC\",\"currency\":\"USD\","
		 "\"cost\":1}\n",
			"f:1: usage_start_time: before Google Cloud existed"},
		{ROW(AT("2008-04-01 00:00:00 UTC", "1")) "\n" ROW(
			 AT("2008-03-31 23:00:00 UTC", "1")),
			"f:2: usage_start_time: before Google Cloud existed"},
		{ROW(AT("2026-11-23 05:00:00 UTC", "1")) "\n" ROW(
			 AT("9999-12-31 00:00:00 UTC", "1")),
			"f:2: usage_start_time: 9999-12-31T00:00:00Z is in the future"},
		{ROW(AT("2026-11-23 05:00:01 UTC", "1")),
			"f:1: usage_start_time: 2026-11-23T05:00:01Z is in the future"},
		{"{\"usage_start_time\":4102444800,\"currency\":\"USD\",\"cost\":1}\n",
			"f:1: usage_start_time: 2100-01-01T00:00:00Z is in the future"},
		{"{\"usage_start_time\":\"2026-11-01 00:00:00 "
		 "UTC\",\"currency\":\"USD\","
		 "\"cost\":1,\"export_time\":\"2999-01-01 00:00:00 UTC\"}\n",
			"f:1: export_time: 2999-01-01T00:00:00Z is in the future"},
		{"{\"usage_start_time\":\"2026-11-01 00:00:00 "
		 "UTC\",\"currency\":\"USD\",\"cost\":true}\n",
			"f:1: cost: expected a number"},
		{"{\"usage_start_time\":\"2026-11-01 00:00:00 "
		 "UTC\",\"currency\":\"USD\",\"cost\":[1]}\n",
			"f:1: cost: expected a number"},
		{"{\"usage_start_time\":\"2026-11-01 00:00:00 "
		 "UTC\",\"currency\":\"USD\",\"cost\":null}\n",
			"f:1: cost is missing"},
		{"{\"usage_start_time\":true,\"currency\":\"USD\",\"cost\":1}\n",
			"f:1: usage_start_time: expected text"},
		{"{\"usage_start_time\":20261101,\"currency\":\"USD\",\"cost\":1}\n",
			"f:1: usage_start_time: expected a time"},
		{"{\"usage_start_time\":\"2026-11-01 00:00:00 UTC\",\"currency\":\"USD\","
		 "\"cost\":1,\"invoice\":{\"month\":\"2026-11\"}}\n",
			"f:1: invoice.month: expected YYYYMM"},
		{"{\"usage_start_time\":\"2026-11-01 00:00:00 UTC\",\"currency\":\"USD\","
		 "\"sku\":{\"id\":\"A\"},\"service_id\":\"S\",\"cost\":9000000000,"
		 "\"credits\":[{\"amount\":9000000000}]}\n",
			"too large"},
		{"service.description,sku.description,usage_start_time,cost,currency,"
		 "invoice.month,credits.amount\n",
			"column 'credits.amount': one row per credit"},
		{"{\"usage_start_time\":\"2026-11-01 00:00:00 "
		 "UTC\",\"currency\":\"USD\",\"cost\":10,"
		 "\"credits_amount\":-6,\"credits_type\":\"PROMOTION\"}\n",
			"f:1: column 'credits_...': one row per credit"},
		{"{\"usage_start_time\":\"2026-11-01 00:00:00 "
		 "UTC\",\"currency\":\"USD\",\"cost\":10,"
		 "\"credits.amount\":-6}\n",
			"one row per credit"},
		{HEADER "a,b\n", "f:2: 2 fields, but the header has 17"},
		{HEADER HEADER, "f:2: credits: JSON: expected an array"},
		{"usage_start_time,cost,currency,service.description,sku.description,"
		 "invoice.month,credits\n2026-11-01 00:00:00 "
		 "UTC,1,USD,S,K,202611,\"[{'amount': "
		 "-1}]\"\n",
			"f:2: credits: JSON: expected a key in double quotes"},
		{"cost,cost,currency,usage_start_time,service.description,sku.description,"
		 "invoice.month\n",
			"column 'cost' occurs twice"}};

	refuses(v, ARRAY_LEN(v));
	expect("SELECT COUNT(*) FROM usage", "0");
	assert_int_equal(import_with(path_of("nowhere"), false), E_NOTFOUND);
	assert_int_not_equal(import_with(t.dir, false), E_OK);
}

/* Too many labels lose themselves, not the row and not the file. */
static void labels_are_dropped_only_if_they_are_too_long(void **state)
{
	const char *rest = ROW(AT("2026-11-19 10:00:00 UTC", "1")) "\n";
	struct sbuf b = SBUF_INIT;

	for (size_t more = 0; more < 2; more++) { /* {"a":"b","k":"xx..."} */
		sbuf_adds(&b, "{\"labels\":[{\"key\":\"k\",\"value\":\"");
		sbuf_pad(&b, 'x', 131072 - 16 + more);
		sbuf_addf(&b, "\"}],%s", rest + 1);
	}
	sbuf_adds(&b, "{\"labels\":[");
	for (int i = 0; i < 500; i++)
		sbuf_addf(&b, "%s{\"key\":\"k%d\",\"value\":\"\"}", i ? "," : "", i);
	sbuf_addf(&b, "],%s", rest + 1);
	assert_ok(import_text("labels.json", b.s), e);
	sbuf_done(&b);
	expect("SELECT SUM(cost) FROM usage", "3000000000");
	expect("SELECT group_concat(n) FROM (SELECT length(labels) AS n FROM "
	       "billed_resource ORDER BY n)",
		"0,4899,131072");
	expect("SELECT COUNT(*) FROM billed_resource r, json_each(r.labels) "
	       "WHERE length(r.labels) = 4899",
		"501");
}

static void a_row_of_a_megabyte_is_the_most(void **state)
{
	struct sbuf b = SBUF_INIT;

	sbuf_adds(&b, ROW(AT("2026-11-19 10:00:00 UTC", "1")) "\n{\"x\":\"");
	sbuf_pad(&b, 'a', 5 << 20);
	sbuf_adds(&b, "\"}\n");
	assert_int_equal(import_text("long.json", b.s), E_LIMIT);
	assert_contains(e.msg, "long.json:2: a row exceeds");
	sbuf_done(&b);
	expect("SELECT COUNT(*) FROM usage", "0");
}

/* Rows over the borders of every buffer. */
static void many_rows_are_all_there(void **state)
{
	struct sbuf b = SBUF_INIT;
	int64_t n = 30000;

	for (int i = 0; i < n; i++)
		sbuf_addf(&b,
			"{\"usage_start_time\":\"2026-11-%02d %02d:00:00 "
			"UTC\",\"currency\":\"%s\",\"sku\":{\"id\":\"A\"},\"service_id\":"
			"\"S\","
			"\"cost\":0.00000000%d,\"pad\":\"%0*d\"}\n",
			1 + i % 20, i % 24, i % 3 ? "USD" : "EUR", i % 10, i % 700, i);
	assert_ok(import_text("many.json", b.s), e);
	assert_int_equal(r.rows, n);
	expect("SELECT SUM(row_count) FROM usage", "30000");
	expect("SELECT SUM(row_count) FROM billing_unit", "30000");
	expect("SELECT SUM(cost_n) FROM costs_exact", "135000"); /* 3000 x (0 + ... + 9) */
	assert_int_equal(r.n_sums, 2);
	sbuf_done(&b);
}

/* ---- again, and over what is there ------------------------------------------------------------ */

static void the_same_file_again_changes_nothing(void **state)
{
	const char *text = ROW(AT("2026-11-19 10:00:00 UTC", "1")) "\n";

	assert_ok(import_text("a.json", text), e);
	assert_false(r.known);
	assert_ok(import_text("other-name.json", text), e);
	assert_true(r.known);
	assert_int_equal(r.imported, NOW);
	expect("SELECT SUM(cost_n) || ' ' || COUNT(*) FROM costs_exact", "1000000000 1");
	expect("SELECT COUNT(*) FROM import_file", "1");
}

static void days_that_are_there_are_refused_unless_wanted(void **state)
{
	const char *one = ROW(AT("2026-11-19 10:00:00 UTC", "1")) "\n";
	const char *two = ROW(AT("2026-11-19 20:00:00 UTC", "2")) "\n" ROW(
		AT("2026-11-20 20:00:00 UTC", "4")) "\n";

	assert_ok(import_text("one.json", one), e);
	assert_int_equal(import_text("two.json", two), E_CONFLICT);
	assert_contains(e.msg, "2026-11-19 (billing account 01AB23-CD45EF-678901)");
	assert_contains(e.msg, "one.json");
	assert_contains(e.fix, "--allow-overlap");
	expect("SELECT SUM(cost_n) FROM costs_exact", "1000000000");
	expect("SELECT COUNT(*) FROM billing_table", "1");
	assert_ok(import_with(path_of("two.json"), true), e);
	expect("SELECT SUM(cost_n) FROM costs_exact", "7000000000");
}

static void files_of_one_command_and_other_accounts_do_not_conflict(void **state)
{
	struct import_opts o = {.db = t.db, .tz = t.tz, .now = NOW};

	assert_ok(import_file(&o,
			  put("s1", ROW(AT("2026-11-19 10:00:00 UTC", "1")),
				  strlen(ROW(AT("2026-11-19 10:00:00 UTC", "1")))),
			  &r, &e),
		e);
	o.batch = r.batch;
	assert_ok(import_file(&o,
			  put("s2", ROW(AT("2026-11-19 11:00:00 UTC", "2")),
				  strlen(ROW(AT("2026-11-19 11:00:00 UTC", "2")))),
			  &r, &e),
		e);
	assert_ok(import_text("x.json",
			  "{\"sku\":{\"id\":\"A\"},\"service\":{\"id\":\"S\"},"
			  "\"billing_account_id\":\"FFFFFF-FFFFFF-FFFFFF\",\"usage_start_"
			  "time\":"
			  "\"2026-11-19 10:00:00 UTC\",\"currency\":\"USD\",\"cost\":4}\n"),
		e);
	expect("SELECT SUM(cost_n) FROM costs_exact", "7000000000");
}

static const char of_an_account[] = ROW(AT("2026-11-19 10:00:00 UTC", "1")) "\n";
static const char of_none[] = "usage_start_time,cost,currency,service.description,"
			      "sku.description,invoice.month\n"
			      "2026-11-19 11:00:00 UTC,1.5,USD,S,K,202611\n";

/* A file without accounts may be of any account, whichever of the two comes first. */
static void an_account_that_is_not_told_may_be_any(void **state)
{
	assert_ok(import_text("a.json", of_an_account), e);
	assert_int_equal(import_text("b.csv", of_none), E_CONFLICT);
	expect("SELECT SUM(cost_n) FROM costs_exact", "1000000000");
}

static void an_account_that_was_not_told_may_be_any(void **state)
{
	assert_ok(import_text("b.csv", of_none), e);
	assert_int_equal(import_text("a.json", of_an_account), E_CONFLICT);
	expect("SELECT SUM(cost_n) FROM costs_exact", "1500000000");
}

/* The same extract, compressed and not, and in two formats. */
static void one_extract_in_two_forms_counts_once(void **state)
{
	const char *text = ROW(AT("2026-11-19 10:00:00 UTC", "1")) "\n";
	struct import_opts o = {.db = t.db, .tz = t.tz, .now = NOW};
	struct import_result first, second;
	char path[160];
	gzFile f;

	assert_ok(import_file(&o, put("a.json", text, strlen(text)), &first, &e), e);
	o.batch = first.batch;
	snprintf(path, sizeof(path), "%s", path_of("a.json.gz"));
	f = gzopen(path, "wb");
	gzwrite(f, text, (unsigned)strlen(text));
	gzclose(f);
	assert_ok(import_file(&o, path, &second, &e), e);
	assert_true(second.known);
	/* other bytes, same rows */
	assert_int_equal(import_file(&o, put("b.json", "[", 1), &second, &e), E_DATA);
	{
		char array[2048];

		snprintf(array, sizeof(array), "[%s]", text);
		assert_int_equal(
			import_file(&o, put("c.json", array, strlen(array)), &second, &e),
			E_CONFLICT);
		assert_contains(e.msg, "it may be the same data");
		o.may_overlap = true;
		assert_ok(import_file(&o, path_of("c.json"), &second, &e), e);
	}
	expect("SELECT SUM(cost_n) FROM costs_exact", "2000000000");
}

/* Import a file of some lines; "19 10 A 5" is day, hour, SKU and cost. */
static enum err_code import_lines(const struct import_opts *o, const char *name,
	const char *const *lines, struct import_result *out)
{
	struct sbuf b = SBUF_INIT;
	enum err_code rc;

	for (; *lines; lines++)
		sbuf_addf(&b,
			"{\"billing_account_id\":\"01AB23-CD45EF-678901\",\"service\":{"
			"\"id\":"
			"\"6F81-5844-456A\",\"description\":\"Compute "
			"Engine\"},\"sku\":{\"id\":"
			"\"%.1s\",\"description\":\"s\"},\"currency\":\"USD\",\"cost\":%s,"
			"\"usage_start_time\":\"2026-11-%.5s:00:00 UTC\"}\n",
			*lines + 6, *lines + 8, *lines);
	err_clear(&e);
	rc = import_file(o, put(name, b.s, b.len), out, &e);
	sbuf_done(&b);
	return rc;
}

static void extracts_of_overlapping_periods_are_refused(void **state)
{
	static const char *const one[] = {"17 10 A 1", "17 11 A 2", "18 10 A 1", NULL};
	/* a month to date, and another one later */
	static const char *const more[] = {
		"17 10 A 1", "17 11 A 2", "18 10 A 1", "18 11 A 7", "19 10 A 9", NULL};
	/* later, with more in every hour */
	static const char *const late[] = {"17 10 A 2", "17 11 A 3", "18 10 A 5",
		"17 10 B 4", "17 11 B 4", "18 10 B 4", NULL};
	/* from where the last one stopped, one hour too early */
	static const char *const from[] = {"18 10 A 1", "19 12 A 4", NULL};
	static const char *const *const bad[] = {more, late, from};
	struct import_opts o = {.db = t.db, .tz = t.tz, .now = NOW};
	struct import_result first, second;

	assert_ok(import_lines(&o, "one.json", one, &first), e);
	o.batch = first.batch;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		assert_int_equal(
			import_lines(&o, "more.json", bad[i], &second), E_CONFLICT);
		assert_contains(e.msg, "it may be the same data");
		assert_contains(e.msg, "one.json");
		assert_contains(e.fix, "--allow-overlap");
	}
	expect("SELECT SUM(cost_n) FROM costs_exact", "4000000000");
	expect("SELECT COUNT(*) FROM billing_table", "1");
	/* as the second file of a command whose first one is known */
	assert_ok(import_file(&o, path_of("one.json"), &second, &e), e);
	assert_true(second.known);
	o.batch = second.batch;
	assert_int_equal(import_lines(&o, "more.json", more, &second), E_CONFLICT);
	assert_contains(e.msg, "3 of 3 lines");
	o.may_overlap = true;
	assert_ok(import_lines(&o, "more.json", more, &second), e);
	expect("SELECT SUM(cost_n) FROM costs_exact", "24000000000");
}

static void parts_of_one_extract_belong_together(void **state)
{
	static const char *const one[] = {"17 10 A 1", "17 11 A 2", "17 12 B 1", NULL};
	static const char *const two[] = {
		"17 10 B 1", "17 11 B 3", "17 12 B 2", "18 10 A 1", NULL};
	struct import_opts o = {.db = t.db, .tz = t.tz, .now = NOW};

	assert_ok(import_lines(&o, "part-1.json", one, &r), e);
	o.batch = r.batch;
	assert_ok(import_lines(&o, "part-2.json", two, &r), e);
	expect("SELECT SUM(cost_n) FROM costs_exact", "11000000000");
}

static void focus_credits_in_rows_of_their_own_are_credits(void **state)
{
	assert_ok(import_text("focus.csv",
			  "ChargePeriodStart,BilledCost,BillingCurrency,ServiceName,"
			  "BillingPeriodStart,ChargeCategory\n"
			  "2026-11-19T10:00:00Z,1.25,USD,S,2026-11-01T00:00:00Z,Usage\n"
			  "2026-11-19T10:00:00Z,-0.5,USD,S,2026-11-01T00:00:00Z,Credit\n"),
		e);
	assert_false(r.no_credits);
	expect("SELECT SUM(cost_n) || ' ' || SUM(credits_n) FROM costs_exact",
		"1250000000 -500000000");
}

/* A file knows nothing of what came after it was made; and one that does not say when that
 * was reaches as far as its last day. */
static void a_day_is_as_final_as_the_file_that_has_it(void **state)
{
	static const char *const lines[] = {"10 10 A 1", "13 10 A 1", "14 10 A 1", NULL};
	struct import_opts o = {.db = t.db, .tz = t.tz, .now = NOW};

	assert_ok(import_lines(&o, "old.json", lines, &r), e);
	tempdb_know_accounts(&t);
	expect("SELECT group_concat(status) FROM (SELECT * FROM costs ORDER BY day)",
		"settled,settling,partial");
	/* exported on the 20th */
	assert_ok(import_text("new.json", ROW(AT("2026-11-15 10:00:00 UTC", "1")) "\n"), e);
	tempdb_know_accounts(&t);
	expect("SELECT group_concat(status) FROM (SELECT * FROM costs ORDER BY day)",
		"settled,settling,partial,settled");
}

/* Rows of one hour that differ in their labels alone can be in any part. */
static void parts_that_bigquery_numbered_may_look_alike(void **state)
{
	static const char *const one[] = {"20 10 A 1", "20 11 A 2", NULL};
	static const char *const two[] = {"20 10 A 1", "20 11 A 3", NULL};
	static const char *const three[] = {"20 10 A 1", "20 11 A 4", NULL};
	static const char *const again[] = {"20 10 A 1", "20 11 A 2", "21 10 A 9", NULL};
	static const char *const others[] = {"out-2.json", "more-000000000002.json",
		"out-202611200000.json", "out-0000000000002.json",
		"out-000000000002.json.x"};
	struct import_opts o = {.db = t.db, .tz = t.tz, .now = NOW};

	assert_ok(import_lines(&o, "out-000000000000.json", one, &r), e);
	o.batch = r.batch;
	assert_ok(import_lines(&o, "out-000000000001.json", two, &r), e);
	expect("SELECT SUM(cost_n) FROM costs_exact", "7000000000");
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		assert_int_equal(import_lines(&o, others[i], three, &r), E_CONFLICT);
	/* one that was left over from an older extract has rows of the others */
	assert_int_equal(import_lines(&o, "out-000000000009.json", again, &r), E_CONFLICT);
	assert_contains(e.msg, "it may be the same data");
	/* the next extract, under the names of the last one */
	o.batch = 0;
	assert_int_equal(import_lines(&o, "out-000000000000.json", three, &r), E_CONFLICT);
}

/* The detailed export, the standard one, and FOCUS after credits: no line is the same. */
static void one_period_in_several_shapes_counts_once(void **state)
{
#define IN(resource, credits)                                                             \
	"{\"billing_account_id\":\"01AB23-CD45EF-678901\",\"service\":{\"id\":\"6F81\"}," \
	"\"sku\":{\"id\":\"A\"},\"project\":{\"id\":\"p\"}," resource                     \
	"\"usage_start_time\":\"2026-11-20 10:00:00 "                                     \
	"UTC\",\"currency\":\"USD\",\"cost\":3,"                                          \
	"\"credits\":[" credits "]}\n"
	static const char *const shapes[] = {
		IN("\"resource\":{\"name\":\"vm-1\"},",
			"{\"type\":\"PROMOTION\",\"amount\":-1}"),
		IN("", "{\"type\":\"PROMOTION\",\"amount\":-1}"),
		"ChargePeriodStart,BilledCost,BillingCurrency,ServiceName,"
		"BillingPeriodStart,"
		"SubAccountId,BillingAccountId\n2026-11-20T10:00:00Z,2,USD,S,"
		"2026-11-01T00:00:00Z,p,01AB23-CD45EF-678901\n"};
	struct import_opts o = {.db = t.db, .tz = t.tz, .now = NOW};

	assert_ok(import_file(&o, put("a", shapes[0], strlen(shapes[0])), &r, &e), e);
	o.batch = r.batch;
	for (size_t i = 1; i < ARRAY_LEN(shapes); i++) {
		assert_err(import_file(&o, put("b", shapes[i], strlen(shapes[i])), &r, &e),
			e, E_CONFLICT, "it may be the same data");
		assert_contains(e.msg, "1 of 1 hours have equal sums");
	}
	expect("SELECT SUM(cost_n) FROM costs_exact", "3000000000");
}

/* Two forms of one extract, and only one of them says whose it is. */
static void files_of_one_command_agree_on_whether_accounts_are_told(void **state)
{
	static const char *const one[] = {"20 10 A 1", NULL};
	struct import_opts o = {.db = t.db, .tz = t.tz, .now = NOW};
	const char *csv =
		"usage_start_time,cost,currency,service.description,sku.description,"
		"invoice.month\n2026-11-20 10:00:00 UTC,2,USD,S,K,202611\n";

	assert_ok(import_lines(&o, "one.json", one, &r), e);
	o.batch = r.batch;
	assert_int_equal(
		import_file(&o, put("one.csv", csv, strlen(csv)), &r, &e), E_CONFLICT);
	assert_contains(e.msg, "exists already");
}

/* What failed half-way is completed by giving all files again. */
static void a_command_that_failed_in_part_is_completed_by_another(void **state)
{
	const char *one = ROW(AT("2026-11-19 10:00:00 UTC", "1")) "\n";
	const char *two = ROW(AT("2026-11-19 11:00:00 UTC", "2")) "\n";
	struct import_opts o = {.db = t.db, .tz = t.tz, .now = NOW};

	assert_ok(import_file(&o, put("s1", one, strlen(one)), &r, &e), e);
	/* another command, the first file known, the second one mended */
	assert_ok(import_file(&o, path_of("s1"), &r, &e), e);
	assert_true(r.known);
	o.batch = r.batch;
	assert_ok(import_file(&o, put("s2", two, strlen(two)), &r, &e), e);
	expect("SELECT SUM(cost_n) FROM costs_exact", "3000000000");
	/* a stranger is still refused */
	assert_int_equal(import_text("s3", ROW(AT("2026-11-19 12:00:00 UTC", "4")) "\n"),
		E_CONFLICT);
}

static void usage_that_is_too_large_does_not_lose_the_money(void **state)
{
	assert_ok(import_text("a.json",
			  ROW("\"usage_start_time\":\"2026-11-19 10:00:00 "
			      "UTC\",\"cost\":1.5,"
			      "\"usage\":{\"amount\":\"2.3e15\",\"unit\":\"byte-"
			      "seconds\"}") "\n"),
		e);
	expect("SELECT cost_n || ' ' || COALESCE(usage_n, 'none') || ' ' || usage_unit "
	       "FROM costs_exact",
		"1500000000 none byte-seconds");
}

#define BYTES(time, amount)                                                             \
	ROW("\"usage_start_time\":\"" time                                              \
	    "\",\"cost\":1.5,\"usage\":{\"amount\":\"" amount "\",\"unit\":\"bytes\"}") \
	"\n"

static void sums_of_usage_that_are_too_large_do_not_lose_the_money(void **state)
{
	/* in one hour */
	assert_ok(import_text("a.json",
			  BYTES("2026-11-17 10:00:00 UTC", "5e9")
				  BYTES("2026-11-17 10:00:00 UTC", "5e9")),
		e);
	expect("SELECT cost_n || ' ' || COALESCE(usage_n, 'none') FROM costs_exact",
		"3000000000 none");
	/* in one day */
	assert_ok(import_text("b.json",
			  BYTES("2026-11-18 10:00:00 UTC", "5e9")
				  BYTES("2026-11-18 11:00:00 UTC", "5e9")),
		e);
	expect("SELECT group_concat(cost_n || ' ' || COALESCE(usage_n, 'none')) FROM "
	       "costs_exact",
		"3000000000 none,3000000000 none");
	/* and what is kept is exact to the last */
	assert_ok(import_text("c.json",
			  BYTES("2026-11-19 10:00:00 UTC", "4999999999.999999999")
				  BYTES("2026-11-19 11:00:00 UTC", "3999999999.999999999")
					  BYTES("2026-11-19 11:00:00 UTC", "-0.000000007")),
		e);
	expect("SELECT usage_n FROM costs_exact WHERE day = '2026-11-19'",
		"8999999999999999991");
}

static void a_mark_in_front_of_json_is_skipped(void **state)
{
	assert_ok(import_text("a.json",
			  "\xef\xbb\xbf" ROW(AT("2026-11-19 10:00:00 UTC", "1")) "\n"),
		e);
	assert_int_equal(r.rows, 1);
}

static void two_rates_of_a_day_are_two_charges(void **state)
{
	assert_ok(
		import_text("a.json",
			ROW(AT("2026-11-19 10:00:00 UTC",
				"1") ",\"currency_conversion_"
				     "rate\":7.75") "\n" ROW(AT("2026-11-19 10:00:00 UTC",
				"1") ",\"currency_conversion_rate\":7.8") "\n" ROW("\"credi"
										   "ts\":[{"
										   "\"amoun"
										   "t\":-1,"
										   "\"type"
										   "\":"
										   "\"X\"}]"
										   "," AT("2026-11-19 11:00:00 UTC",
											   "1")) "\n" ROW(AT("2026-11-19 12:00:00 UTC",
				"1")) "\n"),
		e);
	expect("SELECT group_concat(rate) FROM (SELECT DISTINCT c.rate AS rate FROM usage "
	       "JOIN charge c USING (charge_ref) ORDER BY rate)",
		"0,7750000000,7800000000");
	/* the credit of one row is not that of the next */
	expect("SELECT SUM(credits) FROM usage", "-1000000000");
}

/* What comes for days that had been reported is said to have come. */
static void days_that_change_are_restated(void **state)
{
	/* parts of one extract, or of one poll, restate nothing to each other */
	assert_ok(
		import_text("a.json", ROW(AT("2026-11-10 10:00:00 UTC", "0.25")) "\n"), e);
	assert_ok(import_with(
			  put("a2.json", ROW(AT("2026-11-10 12:00:00 UTC", "0.75")) "\n",
				  strlen(ROW(AT("2026-11-10 12:00:00 UTC", "0.75")) "\n")),
			  true),
		e);
	expect("SELECT COUNT(*) FROM restatement", "0");
	tempdb_exec(&t, "UPDATE billing_unit SET ingested = ingested - 60");
	assert_ok(
		import_with(put("b.json", ROW(AT("2026-11-10 11:00:00 UTC", "0.5")) "\n",
				    strlen(ROW(AT("2026-11-10 11:00:00 UTC", "0.5")) "\n")),
			true),
		e);
	expect("SELECT group_concat(date || ' ' || old_cost || ' ' || new_cost, '; ') FROM "
	       "(SELECT * FROM restatement ORDER BY new_cost)",
		"2026-11-10 1000000000 1500000000");
}

static void the_accounts_own_price_is_the_newest_on_the_bill(void **state)
{
	assert_ok(import_text("a.json",
			  ROW(AT("2026-11-19 12:00:00 UTC",
				  "1") ",\"price\":{\"effective_price\":\"0.03\",\"pricing_"
				       "unit_quantity\":1}") "\n" ROW(AT("2026-11-19 "
									 "11:00:00 UTC",
				  "1") ",\"price\":{\"effective_price\":\"0.02\",\"pricing_"
				       "unit_quantity\":1}") "\n" ROW(AT("2026-11-19 "
									 "13:00:00 UTC",
				  "0") ",\"price\":{\"effective_price\":0,\"pricing_unit_"
				       "quantity\":1}") "\n"),
		e);
	expect("SELECT sku_id || ' ' || unit || ' ' || price FROM billed_price",
		"2E27-4F75-95CD hour 30000000");
	expect("SELECT region || ' ' || sku_id FROM billed_region",
		"us-central1 2E27-4F75-95CD");
}

#define PRICED(day, price)                                                        \
	ROW(AT(day " 12:00:00 UTC", "1") ",\"price\":{\"effective_price\":" price \
					 ",\"pricing_unit_quantity\":1}")

static void the_prices_of_a_forgotten_file_are_forgotten(void **state)
{
	size_t units;

	tempdb_exec(&t,
		"INSERT INTO billed_price (service_id, sku_id, currency, unit, price, "
		"hour) "
		"VALUES ('s', 'old', 'USD', 'hour', 1, 1)");
	assert_ok(import_text("good.json", PRICED("2026-11-18", "0.03")), e);
	assert_ok(import_text("wrong.json", PRICED("2026-11-19", "9")), e);
	assert_ok(billing_forget(t.db, t.tz, NOW, path_of("wrong.json"), &units, &e), e);
	expect("SELECT group_concat(sku_id || ' ' || price, '; ') FROM billed_price",
		"2E27-4F75-95CD 30000000");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, tempdb_teardown)

static void a_price_is_kept_once_with_each_of_its_regions(void **state)
{
	static const struct {
		const char *sku, *currency, *unit, *region, *credit;
		int64_t hour, price;
	} lines[] = {{"k", "USD", "h", "r", "", 5, 7}, {"k", "USD", "h", "r", "", 5, 8},
		{"k", "USD", "h", "r", "", 4, 9}, {"k", "USD", "h", "q", "", 6, 10},
		{"k", "USD", "h", "r", "", 6, 11}, {"k", "USD", "h", "", "", 7, 12},
		{"k", "USD", "h", "x", "", 8, 0}, {"k", "USD", "h", "x", "", 8, -1},
		{"k", "USD", "h", "x", "PROMOTION", 8, 13},
		{"", "USD", "h", "x", "", 8, 14}, {"k", "HKD", "h", "r", "", 1, 15},
		{"k", "USD", "g", "r", "", 1, 16}, {"l", "USD", "h", "r", "", 1, 17}};
	struct billed_prices b = {0};

	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		struct usage_line l = {.service_id = "s",
			.sku_id = lines[i].sku,
			.currency = lines[i].currency,
			.usage_unit = lines[i].unit,
			.region = lines[i].region,
			.model = "",
			.credit_type = lines[i].credit,
			.hour = lines[i].hour};

		billed_prices_note(
			&b, &l, &(struct billed_rates){SOME(lines[i].price), NONE});
	}
	assert_i64_eq(b.n, 4);
	assert_i64_eq(b.n_regions, 3);
	assert_ok(billed_prices_put(&b, t.db, 1, &e), e);
	expect("SELECT group_concat(service_id || sku_id || currency || unit || price || "
	       "'/' || "
	       "hour, ' ') FROM (SELECT * FROM billed_price ORDER BY price)",
		"skUSDh12/7 skHKDh15/1 skUSDg16/1 slUSDh17/1");
	billed_prices_done(&b);
	assert_i64_eq(b.n, 0);
	assert_ok(billed_prices_put(&b, t.db, 1, &e), e);
}

/* A line of another consumption model states the price of the default one, too. */
static void the_default_price_is_kept_beside_that_of_a_model(void **state)
{
	struct usage_line l = {.service_id = "s",
		.sku_id = "k",
		.currency = "USD",
		.usage_unit = "h",
		.region = "r",
		.model = "M",
		.credit_type = "",
		.hour = 9};
	struct billed_prices b = {0};

	billed_prices_note(&b, &l, &(struct billed_rates){SOME(20), SOME(30)});
	l.model = BILLED_DEFAULT_MODEL;
	l.sku_id = "l";
	billed_prices_note(&b, &l, &(struct billed_rates){SOME(40), SOME(50)});
	assert_ok(billed_prices_put(&b, t.db, 1, &e), e);
	expect("SELECT group_concat(sku_id || model || price, ' ') FROM (SELECT * FROM "
	       "billed_price ORDER BY price)",
		"kM20 k30 l40");
	billed_prices_done(&b);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(amounts_are_exact_however_they_are_written),
		TEST(what_rounding_left_out_is_kept),
		TEST(rows_of_a_day_are_spread_over_its_hours),
		TEST(rows_of_a_day_may_end_in_the_first_of_another_file),
		TEST(hours_after_midnight_count_once),
		TEST(credits_are_kept_by_type),
		TEST(sums_beyond_what_can_be_kept_are_an_error_and_not_a_wrap),
		TEST(amounts_that_are_no_numbers_are_refused_with_their_line),
		TEST(an_array_is_the_same_as_lines),
		TEST(a_flattened_csv_is_read_by_the_names_of_its_columns),
		TEST(a_focus_csv_is_read),
		TEST(both_kinds_of_billed_cost_are_told_apart),
		TEST(billed_cost_that_shows_nothing_is_asked_for),
		TEST(other_providers_are_counted_and_left_out),
		TEST(focus_as_json_is_read),
		TEST(flattened_names_are_known),
		TEST(lists_in_json_may_be_text),
		TEST(gzip_is_told_by_the_content),
		TEST(files_that_are_something_else_say_so),
		TEST(needed_columns_have_values),
		TEST(labels_are_dropped_only_if_they_are_too_long),
		TEST(a_row_of_a_megabyte_is_the_most),
		TEST(many_rows_are_all_there),
		TEST(the_same_file_again_changes_nothing),
		TEST(days_that_are_there_are_refused_unless_wanted),
		TEST(files_of_one_command_and_other_accounts_do_not_conflict),
		TEST(an_account_that_is_not_told_may_be_any),
		TEST(an_account_that_was_not_told_may_be_any),
		TEST(one_extract_in_two_forms_counts_once),
		TEST(a_command_that_failed_in_part_is_completed_by_another),
		TEST(extracts_of_overlapping_periods_are_refused),
		TEST(parts_of_one_extract_belong_together),
		TEST(a_day_is_as_final_as_the_file_that_has_it),
		TEST(focus_credits_in_rows_of_their_own_are_credits),
		TEST(one_period_in_several_shapes_counts_once),
		TEST(parts_that_bigquery_numbered_may_look_alike),
		TEST(files_of_one_command_agree_on_whether_accounts_are_told),
		TEST(sums_of_usage_that_are_too_large_do_not_lose_the_money),
		TEST(usage_that_is_too_large_does_not_lose_the_money),
		TEST(a_mark_in_front_of_json_is_skipped),
		TEST(two_rates_of_a_day_are_two_charges),
		TEST(days_that_change_are_restated),
		TEST(the_accounts_own_price_is_the_newest_on_the_bill),
		TEST(the_prices_of_a_forgotten_file_are_forgotten),
		TEST(the_default_price_is_kept_beside_that_of_a_model),
		TEST(a_price_is_kept_once_with_each_of_its_regions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
