/* The first configuration: which table of the export is taken, what is written, and the lists that
 * `init` asks for. */
#include "cli/init/init.h"
#include "gcp/access/find.h"
#include "tests/support/assert.h"
#include "tests/support/gcp_sync.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/unit.h"

#include <string.h>

#define OURS "01AB23-CD45EF-678901"
#define ENDS "01AB23_CD45EF_678901"

/* ---- tables ------------------------------------------------------------------------------------ */

static void tables_of_the_export_are_known_by_their_names(void **state)
{
	static const struct {
		const char *name;
		bool is, detailed;
		const char *account;
	} t[] = {
		{"gcp_billing_export_v1_" ENDS, true, false, OURS},
		{"gcp_billing_export_resource_v1_" ENDS, true, true, OURS},
		{"gcp_billing_export_v1_00AA11", true, false, ""},
		{"gcp_billing_export_v1_", true, false, ""},
		{"gcp_billing_export_v2_" ENDS, false, false, ""},
		{"cloud_pricing_export", false, false, ""},
		{"my_gcp_billing_export_v1_" ENDS, false, false, ""},
		{"", false, false, ""},
	};
	struct arena a = {0};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct init_table got = {.account = ""};

		assert_int_equal(init_table_read(t[i].name, &a, &got), t[i].is);
		if (!t[i].is)
			continue;
		assert_int_equal(got.detailed, t[i].detailed);
		assert_string_equal(got.account, t[i].account);
	}
	arena_done(&a);
}

static const struct init_table four[] = {
	{"p.d.old", "EU", OURS, true, 10},
	{"p.d.standard", "EU", OURS, false, 90},
	{"p.d.new", "EU", OURS, true, 50},
	{"p.d.theirs", "US", "0000AA-0000BB-0000CC", true, 99},
};

/* The names after picking, in a line. */
static const char *picked(struct arena *a, const struct init_table *v, size_t n,
	const char *account, const char **why)
{
	struct init_found f = {.n_tables = n, .account = account};
	const char *names = "";

	f.tables = arena_alloc(a, (n + 1) * sizeof(*v));
	memcpy(f.tables, v, n * sizeof(*v));
	*why = init_pick_table(&f, a);
	for (size_t i = 0; i < n; i++)
		names = arena_printf(a, "%s%s%s", names, i ? " " : "", f.tables[i].name);
	return names;
}

static void the_accounts_detailed_newest_table_is_taken(void **state)
{
	struct arena a = {0};
	const char *why;

	assert_string_equal(
		picked(&a, four, 4, OURS, &why), "p.d.new p.d.old p.d.standard p.d.theirs");
	assert_string_equal(why, "it belongs to the billing account of the project, " OURS);
	assert_string_equal(picked(&a, four, 4, "0000AA-0000BB-0000CC", &why),
		"p.d.theirs p.d.old p.d.standard p.d.new");
	assert_string_equal(
		picked(&a, four, 4, NULL, &why), "p.d.theirs p.d.old p.d.standard p.d.new");
	assert_string_equal(why, "it is the detailed export");
	assert_string_equal(
		picked(&a, four, 3, OURS, &why), "p.d.new p.d.old p.d.standard");
	assert_string_equal(why, "it is the detailed export");
	assert_string_equal(picked(&a, four, 1, OURS, &why), "p.d.old");
	assert_null(why);
	assert_string_equal(picked(&a, four, 0, OURS, &why), "");
	assert_null(why);
	arena_done(&a);
}

static void of_two_alike_the_newer_one_is_taken(void **state)
{
	const struct init_table two[] = {four[0], four[2]};
	struct arena a = {0};
	const char *why;

	assert_string_equal(picked(&a, two, 2, OURS, &why), "p.d.new p.d.old");
	assert_string_equal(why, "it has the newest data");
	assert_string_equal(init_table_says(&four[3], &a),
		"detailed, US, account 0000AA-0000BB-0000CC");
	arena_done(&a);
}

static void the_table_of_another_account_is_doubted(void **state)
{
	struct init_table theirs = four[3];
	struct init_found f = {.timezone = "UTC",
		.day = "2026-11-21",
		.account = OURS,
		.tables = &theirs,
		.n_tables = 1};
	struct arena a = {0};
	struct sbuf b = SBUF_INIT;

	assert_string_equal(init_table_doubt(&f, &a),
		"it belongs to account 0000AA-0000BB-0000CC, but the projects are paid "
		"by " OURS ": check that they are in it");
	init_write(&f, &b);
	assert_non_null(strstr(b.s, "\nbilling:\n  # it belongs to account 0000AA-"));
	f.account = NULL;
	assert_null(init_table_doubt(&f, &a));
	f.account = theirs.account;
	assert_null(init_table_doubt(&f, &a));
	sbuf_done(&b);
	arena_done(&a);
}

/* ---- the file ---------------------------------------------------------------------------------- */

static void a_path_with_quotes_stays_one(void **state)
{
	struct init_found f = {
		.timezone = "Asia/Hong_Kong", .day = "2026-11-21", .key = "/it's: a #key"};
	struct sbuf b = SBUF_INIT;

	init_write(&f, &b);
	assert_non_null(strstr(b.s, "\ncredentials: '/it''s: a #key'\n"));
	assert_non_null(strstr(b.s, "\ntimezone: Asia/Hong_Kong "));
	assert_non_null(strstr(b.s, "\nprojects: [] "));
	assert_non_null(strstr(b.s, "\n# grants:\n"));
	assert_null(strstr(b.s, "\nbilling:"));
	assert_null(strstr(b.s, "\nendpoints:"));
	sbuf_done(&b);
}

/* ---- lists ------------------------------------------------------------------------------------- */

static void projects_are_found_over_pages(void **state)
{
	struct fault_step steps[] = {
		{.match = "GET /v3/projects:search?pageSize=500&prettyPrint=false ",
			.body = "{\"projects\":[{\"name\":\"projects/"
				"7\",\"projectId\":\"lab-"
				"one\",\"state\":\"ACTIVE\",\"displayName\":\"Lab\"}],"
				"\"nextPageToken\":\"x\"}"},
		{.match = "GET /v3/projects:search?pageSize=500&pageToken=x",
			.body = "{\"projects\":[{\"name\":\"projects/"
				"8\",\"projectId\":\"lab-"
				"two\",\"state\":\"DELETE_REQUESTED\"}]}"},
	};
	struct found_projects list = {0};
	struct gcp_world w;

	world_open(&w, steps, ARRAY_LEN(steps));
	list_start(&w, &find_project_listing, NULL, NULL, &list.r);
	assert_ok(gcp_run(w.g, &w.e), w.e);
	assert_ok(list.r.code, list.r.err);
	assert_int_equal(list.n, 2);
	assert_string_equal(list.v[0].project_id, "lab-one");
	assert_string_equal(list.v[0].number, "7");
	assert_string_equal(list.v[0].display_name, "Lab");
	assert_true(list.v[0].active);
	assert_false(list.v[1].active);
	world_close(&w);
}

static void what_is_no_project_is_no_list(void **state)
{
	static const char *const bodies[] = {
		"{\"projects\":[{\"name\":\"projects/7\",\"projectId\":\"X; rm\"}]}",
		"{\"projects\":[{\"name\":\"projects/x\",\"projectId\":\"lab-one\"}]}",
		"{\"projects\":[{\"name\":\"projects/7\"}]}",
		"{\"projects\":7}",
	};

	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		struct fault_step step = {.match = "GET /v3/", .body = bodies[i]};
		struct found_projects list = {0};
		struct gcp_world w;

		world_open(&w, &step, 1);
		list_start(&w, &find_project_listing, NULL, NULL, &list.r);
		assert_ok(gcp_run(w.g, &w.e), w.e);
		assert_int_equal(list.r.code, E_DATA);
		assert_int_equal(list.n, 0);
		world_close(&w);
	}
}

static void datasets_and_tables_are_listed(void **state)
{
	struct fault_step steps[] = {
		{.match = "GET /bigquery/v2/projects/lab-one/datasets?maxResults=500",
			.body = "{\"kind\":\"bigquery#datasetList\",\"datasets\":[{"
				"\"datasetReference\":{\"datasetId\":\"billing\","
				"\"projectId\":"
				"\"lab-one\"},\"location\":\"EU\"},{\"datasetReference\":{"
				"\"datasetId\":\"no way\"},\"location\":\"EU\"}]}"},
		{.match = "GET "
			  "/bigquery/v2/projects/lab-one/datasets/billing/"
			  "tables?maxResults="
			  "500",
			.body = "{\"kind\":\"bigquery#tableList\",\"tables\":[{"
				"\"tableReference\":{\"tableId\":\"a\"},\"type\":\"TABLE\"}"
				",{"
				"\"tableReference\":{\"tableId\":\"b; "
				"c\"}}],\"totalItems\":2}"},
		{.match = "GET /bigquery/v2/projects/lab-two/datasets",
			.body = "{\"kind\":\"bigquery#datasetList\"}"},
	};
	struct found_datasets sets = {0}, none = {0};
	struct found_tables tables = {0};
	struct gcp_world w;

	world_open(&w, steps, ARRAY_LEN(steps));
	list_start(&w, &find_dataset_listing, "lab-one", NULL, &sets.r);
	list_start(&w, &find_dataset_listing, "lab-two", NULL, &none.r);
	list_start(&w, &find_table_listing, "lab-one", "billing", &tables.r);
	assert_ok(gcp_run(w.g, &w.e), w.e);
	assert_ok(sets.r.code, sets.r.err);
	assert_int_equal(sets.n, 1);
	assert_string_equal(sets.v[0].id, "billing");
	assert_string_equal(sets.v[0].location, "EU");
	assert_ok(none.r.code, none.r.err);
	assert_int_equal(none.n, 0);
	assert_ok(tables.r.code, tables.r.err);
	assert_int_equal(tables.n, 1);
	assert_string_equal(tables.v[0].id, "a");
	assert_string_equal(tables.v[0].type, "TABLE");
	world_close(&w);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_of_the_export_are_known_by_their_names),
		cmocka_unit_test(the_accounts_detailed_newest_table_is_taken),
		cmocka_unit_test(of_two_alike_the_newer_one_is_taken),
		cmocka_unit_test(the_table_of_another_account_is_doubted),
		cmocka_unit_test(a_path_with_quotes_stays_one),
		cmocka_unit_test(projects_are_found_over_pages),
		cmocka_unit_test(what_is_no_project_is_no_list),
		cmocka_unit_test(datasets_and_tables_are_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
