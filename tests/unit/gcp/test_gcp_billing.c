/* Which account pays for a project, what an account is, and all that it pays for. */
#include "gcp/bill/billing.h"

#include "base/str.h"
#include "tests/support/gcp_sync.h"
#include "tests/support/assert.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define P "my-project"
#define ID "01AB23-CD45EF-678901"
#define INFO "GET /v1/projects/my-project/billingInfo?prettyPrint=false "
#define ACCOUNT "GET /v1/billingAccounts/" ID "?prettyPrint=false "
#define LIST "GET /v1/billingAccounts/" ID "/projects?pageSize=100"
#define GRANT                                                     \
	"run: gcloud billing accounts add-iam-policy-binding " ID \
	" --member=serviceAccount:" WORLD_EMAIL " --role=roles/billing.viewer"

/* ---- a project ----------------------------------------------------------- */

static void a_project_has_an_account_or_none(void **state)
{
	static const struct {
		const char *members, *account;
		bool enabled;
	} cases[] = {
		{"\"projectId\":\"my-project\",\"billingAccountName\":\"billingAccounts/" ID
		 "\",\"billingEnabled\":true",
			ID, true},
		/* of an account that is closed */
		{"\"billingAccountName\":\"billingAccounts/" ID "\"", ID, false},
		{"\"billingAccountName\":\"billingAccounts/" ID
		 "\",\"billingEnabled\":false",
			ID, false},
		{"\"billingAccountName\":\"\",\"billingEnabled\":false", "", false},
		{"\"billingAccountName\":null", "", false},
		{"\"projectId\":\"my-project\"", "", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sbuf b = SBUF_INIT;
		struct fault_step step = {.match = INFO};
		struct billing_info info = {0};
		struct gcp_world w;

		sbuf_addf(&b, "{\"name\":\"projects/my-project/billingInfo\",%s}",
			cases[i].members);
		step.body = b.s;
		world_open(&w, &step, 1);
		assert_ok(billing_info(w.g, P, &w.a, &info, &w.e), w.e);
		assert_string_equal(info.account, cases[i].account);
		assert_int_equal(info.enabled, cases[i].enabled);
		assert_int_equal(fault_count_of(w.s, "GET "), 1);
		sbuf_done(&b);
		world_close(&w);
	}
}

static void billing_info_that_reads_wrong_is_refused(void **state)
{
	static const char *const bodies[] = {"{}", "[]", "", "<html></html>",
		"{\"name\":\"n\",\"billingAccountName\":7}",
		"{\"name\":\"n\",\"billingAccountName\":\"" ID "\"}",
		"{\"name\":\"n\",\"billingAccountName\":\"billingAccounts/\"}",
		"{\"name\":\"n\",\"billingAccountName\":\"billingAccounts/../x\"}",
		"{\"name\":\"n\",\"billingAccountName\":\"billingAccounts/" ID "/\"}",
		"{\"name\":\"n\",\"billingAccountName\":\"billingAccounts/01ab23-CD45EF-"
		"678901\"}",
		"{\"name\":\"n\",\"billingAccountName\":\"billingAccounts/01AB23-CD45EF-"
		"67890$\"}",
		"{\"name\":\"n\",\"billingEnabled\":\"true\"}",
		"{\"name\":\"n\",\"billingEnabled\":true,\"billingEnabled\":false}"};

	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		struct fault_step step = {.match = INFO, .body = bodies[i]};
		struct billing_info info = {.account = "kept", .enabled = true};
		struct gcp_world w;

		world_open(&w, &step, 1);
		if (billing_info(w.g, P, &w.a, &info, &w.e) != E_DATA ||
			!str_starts(w.e.msg, "get billing info: "))
			fail_msg("case %zu: %s", i, w.e.msg);
		assert_string_equal(info.account, "kept");
		world_close(&w);
	}
}

static void a_denied_project_names_the_role_that_reads_it(void **state)
{
	struct fault_step step = {.match = INFO, .status = 403, .body = "{}"};
	struct billing_info info = {0};
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_err(billing_info(w.g, P, &w.a, &info, &w.e), w.e, E_DENIED, "HTTP 403");
	assert_string_equal(w.e.fix,
		"run: gcloud projects add-iam-policy-binding my-project --member="
		"serviceAccount:" WORLD_EMAIL " --role=roles/browser");
	assert_int_equal(billing_info(w.g, "No Project", &w.a, &info, &w.e), E_CONFIG);
	assert_int_equal(fault_count_of(w.s, "GET "), 1);
	world_close(&w);
}

/* ---- an account ---------------------------------------------------------- */

static void an_account_is_read_with_all_its_parts(void **state)
{
	struct fault_step step = {.match = ACCOUNT,
		.body = "{\"name\":\"billingAccounts/" ID
			"\",\"open\":true,\"displayName\":"
			"\"Lab "
			"\\u001b[1m\",\"currencyCode\":\"HKD\",\"masterBillingAccount\":"
			"\"billingAccounts/000000-AAAAAA-999999\"}"};
	struct billing_account acc = {0};
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_ok(billing_account(w.g, ID, &w.a, &acc, &w.e), w.e);
	assert_string_equal(acc.id, ID);
	assert_true(acc.open);
	assert_string_equal(acc.display_name, "Lab \033[1m"); /* as it came */
	assert_string_equal(acc.currency, "HKD");
	assert_string_equal(acc.parent, "000000-AAAAAA-999999");
	world_close(&w);
}

static void a_closed_account_leaves_out_that_it_is_open(void **state)
{
	struct fault_step step = {
		.match = ACCOUNT, .body = "{\"name\":\"billingAccounts/" ID "\"}"};
	struct billing_account acc = {.open = true};
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_ok(billing_account(w.g, ID, &w.a, &acc, &w.e), w.e);
	assert_false(acc.open);
	assert_string_equal(acc.display_name, "");
	assert_string_equal(acc.currency, "");
	assert_string_equal(acc.parent, "");
	world_close(&w);
}

static void an_account_that_reads_wrong_is_refused(void **state)
{
	static const struct {
		const char *body, *part;
	} cases[] = {
		{"{}", "no name"},
		{"{\"name\":7}", "'name'"},
		{"{\"name\":\"x\"}", "'name'"},
		{"{\"name\":\"billingAccounts/000000-AAAAAA-999999\"}", "another account"},
		{"{\"name\":\"billingAccounts/" ID "\",\"currencyCode\":\"dollar\"}",
			"currencyCode"},
		{"{\"name\":\"billingAccounts/" ID "\",\"currencyCode\":[]}",
			"currencyCode"},
		{"{\"name\":\"billingAccounts/" ID "\",\"open\":\"yes\"}", "'open'"},
		{"{\"name\":\"billingAccounts/" ID "\",\"masterBillingAccount\":\"x\"}",
			"masterBillingAccount"},
		{"{\"name\":\"billingAccounts/" ID "\",\"displayName\":1}", "displayName"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fault_step step = {.match = ACCOUNT, .body = cases[i].body};
		struct billing_account acc = {.id = "kept"};
		struct gcp_world w;

		world_open(&w, &step, 1);
		if (billing_account(w.g, ID, &w.a, &acc, &w.e) != E_DATA ||
			!str_starts(w.e.msg, "get billing account: ") ||
			!strstr(w.e.msg, cases[i].part))
			fail_msg("case %zu: %s", i, w.e.msg);
		assert_string_equal(acc.id, "kept");
		world_close(&w);
	}
}

static void a_denied_account_names_the_role_on_the_account(void **state)
{
	struct fault_step step = {.match = "GET ", .status = 403, .body = "{}"};
	struct billing_account acc = {0};
	struct billing_projects list = {.n = 77};
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_err(billing_account(w.g, ID, &w.a, &acc, &w.e), w.e, E_DENIED, "HTTP 403");
	assert_string_equal(w.e.fix, GRANT);
	assert_err(billing_account_projects(w.g, ID, &w.a, &list, &w.e), w.e, E_DENIED,
		"HTTP 403");
	assert_string_equal(w.e.fix, GRANT);
	assert_int_equal(list.n, 77);
	world_close(&w);
}

static void malformed_account_ids_are_not_asked_for(void **state)
{
	static const char *const ids[] = {"", "01AB23", "01AB23-CD45EF-67890",
		"01AB23-CD45EF-6789012", "01ab23-CD45EF-678901", "01AB23_CD45EF_678901",
		"01AB23-CD45EF-67890/", "01AB23CD45EF-67890-1", "-------------------",
		"billingAccounts/" ID, "../../projects/my-pr"};
	struct billing_account acc = {.id = "kept"};
	struct billing_projects list = {.n = 77};
	struct gcp_world w;

	assert_true(billing_account_valid(ID));
	world_open(&w, NULL, 0);
	for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
		assert_false(billing_account_valid(ids[i]));
		assert_err(billing_account(w.g, ids[i], &w.a, &acc, &w.e), w.e, E_CONFIG,
			"01AB23-CD45EF-678901");
		assert_err(billing_account_projects(w.g, ids[i], &w.a, &list, &w.e), w.e,
			E_CONFIG, "not a valid billing account");
		assert_contains(w.e.fix, "gcloud billing accounts list");
	}
	assert_int_equal(fault_count(w.s), 0);
	assert_string_equal(acc.id, "kept");
	assert_int_equal(list.n, 77);
	world_close(&w);
}

/* ---- its projects -------------------------------------------------------- */

static void projects_of_all_pages_are_listed(void **state)
{
	struct fault_step steps[] = {
		{.match = LIST "&pageToken=a%2Bb%3D&prettyPrint=false ",
			.body = "{\"projectBillingInfo\":[{\"projectId\":\"project-b\","
				"\"billingEnabled\":true},{\"projectId\":\"example.com:old-"
				"one\","
				"\"billingEnabled\":true}],\"nextPageToken\":\"\"}"},
		{.match = LIST "&prettyPrint=false ",
			.body = "{\"projectBillingInfo\":[{\"name\":\"projects/project-a/"
				"billingInfo\",\"projectId\":\"project-a\","
				"\"billingAccountName\":"
				"\"billingAccounts/" ID "\",\"billingEnabled\":true},{"
				"\"projectId\":\"project-b\"}],\"nextPageToken\":\"a+b="
				"\"}"}};
	struct billing_projects list = {0};
	struct gcp_world w;

	world_open(&w, steps, 2);
	assert_ok(billing_account_projects(w.g, ID, &w.a, &list, &w.e), w.e);
	assert_int_equal(list.n, 3);
	assert_int_equal(list.r.pages, 2);
	assert_int_equal(list.r.repeated, 1);
	assert_string_equal(list.v[0].project_id, "project-a");
	assert_true(list.v[0].enabled);
	assert_string_equal(list.v[1].project_id, "project-b");
	assert_true(list.v[1].enabled); /* as the later page says */
	assert_string_equal(list.v[2].project_id, "example.com:old-one");
	assert_int_equal(fault_count_of(w.s, "GET "), 2);
	world_close(&w);
}

static void an_empty_list_may_be_bare(void **state)
{
	static const char *const bodies[] = {"{}", "{\"projectBillingInfo\":[]}",
		"{\"projectBillingInfo\":null,\"nextPageToken\":\"\"}"};

	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		struct fault_step step = {.match = LIST, .body = bodies[i]};
		struct billing_projects list = {.n = 77};
		struct gcp_world w;

		world_open(&w, &step, 1);
		assert_ok(billing_account_projects(w.g, ID, &w.a, &list, &w.e), w.e);
		assert_int_equal(list.n, 0);
		world_close(&w);
	}
}

static void a_member_that_reads_wrong_spoils_the_list(void **state)
{
	static const struct {
		const char *item, *part;
	} cases[] = {
		{"7", "not an object"},
		{"{}", "projectId"},
		{"{\"projectId\":\"\"}", "projectId"},
		{"{\"projectId\":7}", "projectId"},
		{"{\"projectid\":\"project-a\"}", "projectId"},
		{"{\"projectId\":\"../../x\"}", "projectId"},
		{"{\"projectId\":\"my-project;reboot\"}", "projectId"},
		{"{\"projectId\":\"--help\"}", "projectId"},
		{"{\"projectId\":\"project-a\\n\"}", "projectId"},
		{"{\"projectId\":\"project-a\",\"billingEnabled\":\"no\"}",
			"billingEnabled"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sbuf b = SBUF_INIT;
		struct fault_step step = {.match = LIST};
		struct billing_projects list = {.n = 77};
		struct gcp_world w;

		sbuf_addf(&b, "{\"projectBillingInfo\":[{\"projectId\":\"project-z\"},%s]}",
			cases[i].item);
		step.body = b.s;
		world_open(&w, &step, 1);
		if (billing_account_projects(w.g, ID, &w.a, &list, &w.e) != E_DATA ||
			!str_starts(
				w.e.msg, "list projects of billing account: page 1: ") ||
			!strstr(w.e.msg, cases[i].part))
			fail_msg("case %zu: %s", i, w.e.msg);
		assert_int_equal(list.n, 77);
		sbuf_done(&b);
		world_close(&w);
	}
}

static void what_is_no_list_or_never_ends_is_refused(void **state)
{
	static const char *const bodies[] = {"{\"projectBillingInfo\":{}}",
		"{\"projectBillingInfo\":\"project-a\"}", "{\"projectBillingInfo\":[",
		"{\"projectBillingInfo\":[],\"nextPageToken\":\"again\"}"};

	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		struct fault_step step = {.match = LIST, .body = bodies[i]};
		struct billing_projects list = {.n = 77};
		struct gcp_world w;

		world_open(&w, &step, 1);
		if (billing_account_projects(w.g, ID, &w.a, &list, &w.e) != E_DATA)
			fail_msg("case %zu: %s", i, w.e.msg);
		assert_int_equal(list.n, 77);
		assert_true(fault_count_of(w.s, "GET ") <= 2);
		world_close(&w);
	}
}

static void page_two_failing_leaves_nothing(void **state)
{
	struct fault_step steps[] = {
		{.match = LIST,
			.times = 1,
			.body = "{\"projectBillingInfo\":[{\"projectId\":\"project-a\"}],"
				"\"nextPageToken\":\"2\"}"},
		{.match = LIST, .status = 403, .body = "{}"}};
	struct billing_projects list = {0};
	struct gcp_world w;

	world_open(&w, steps, 2);
	assert_err(billing_account_projects(w.g, ID, &w.a, &list, &w.e), w.e, E_DENIED,
		"page 2");
	assert_string_equal(w.e.fix, GRANT);
	assert_int_equal(list.n, 0);
	assert_int_equal(list.r.pages, 0);
	assert_int_equal(list.r.scopes.n, 0);
	assert_int_equal(fault_count_of(w.s, "GET "), 2);
	assert_null(list.v);
	world_close(&w);
}

static void a_disabled_api_is_said_to_be(void **state)
{
	struct fault_step step = {.match = "GET ",
		.status = 403,
		.body = "{\"error\":{\"code\":403,\"details\":[{\"@type\":\"type."
			"googleapis."
			"com/google.rpc.ErrorInfo\",\"reason\":\"SERVICE_DISABLED\","
			"\"metadata\":{\"consumer\":\"projects/123456789012\"}}]}}"};
	struct billing_info info = {0};
	struct billing_account acc = {0};
	struct gcp_world w;

	world_open(&w, &step, 1);
	/* the project that was asked about comes first */
	assert_int_equal(billing_info(w.g, P, &w.a, &info, &w.e), E_DISABLED);
	assert_string_equal(w.e.fix,
		"run: gcloud services enable "
		"cloudbilling.googleapis.com --project my-project");
	assert_int_equal(billing_account(w.g, ID, &w.a, &acc, &w.e), E_DISABLED);
	assert_string_equal(w.e.fix,
		"run: gcloud services enable "
		"cloudbilling.googleapis.com --project 123456789012");
	world_close(&w);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_project_has_an_account_or_none),
		cmocka_unit_test(billing_info_that_reads_wrong_is_refused),
		cmocka_unit_test(a_denied_project_names_the_role_that_reads_it),
		cmocka_unit_test(an_account_is_read_with_all_its_parts),
		cmocka_unit_test(a_closed_account_leaves_out_that_it_is_open),
		cmocka_unit_test(an_account_that_reads_wrong_is_refused),
		cmocka_unit_test(a_denied_account_names_the_role_on_the_account),
		cmocka_unit_test(malformed_account_ids_are_not_asked_for),
		cmocka_unit_test(projects_of_all_pages_are_listed),
		cmocka_unit_test(an_empty_list_may_be_bare),
		cmocka_unit_test(a_member_that_reads_wrong_spoils_the_list),
		cmocka_unit_test(what_is_no_list_or_never_ends_is_refused),
		cmocka_unit_test(page_two_failing_leaves_nothing),
		cmocka_unit_test(a_disabled_api_is_said_to_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
