/* The projects of an organization: from a server that misbehaves, and from the sandbox, whose
 * answers for a fleet of projects go through the same clients. */
#include "base/str.h"
#include "tests/sandbox/sandbox.h"

#include "gcp/compute/compute.h"
#include "gcp/bill/billing.h"
#include "gcp/bill/catalog.h"
#include "tests/support/gcp_sync.h"
#include "tests/support/assert.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>
#include <stdio.h>

#define SEARCH                                                     \
	"GET /v1/organizations/123:searchAllResources?assetTypes=" \
	"cloudresourcemanager.googleapis.com%2FProject&pageSize=500"
#define TYPE "\"assetType\":\"cloudresourcemanager.googleapis.com/Project\""
#define NAME(id) "\"name\":\"//cloudresourcemanager.googleapis.com/projects/" id "\""

static enum err_code ask(struct gcp_world *w, struct asset_projects *out)
{
	return asset_projects(w->g, "organizations/123", &w->a, out, &w->e);
}

/* ---- projects ------------------------------------------------------------ */

static void projects_are_read_with_all_their_parts(void **state)
{
	struct fault_step step = {.match = SEARCH "&prettyPrint=false ",
		.body =
			"{\"results\":[{" NAME(
				"project-a") "," TYPE ",\"project\":\"projects/"
					     "123456789012\",\"folders\":[\"folders/"
					     "9\"],\"organization\":"
					     "\"organizations/123\",\"displayName\":\"The "
					     "lab\",\"state\":\"ACTIVE\","
					     "\"additionalAttributes\":{\"projectId\":"
					     "\"something-else\"}},{" NAME(
						     "project-b") "," TYPE
								  ",\"project\":\"projects/"
								  "7\",\"state\":"
								  "\"DELETE_REQUESTED\"},"
								  "{" NAME("project-c") "," TYPE "},{" NAME(
									  "example.com:old-"
									  "one") "," TYPE
										 ",\"state"
										 "\":"
										 "\"active"
										 "\"}]}"};
	struct asset_projects list = {0};
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_ok(ask(&w, &list), w.e);
	assert_int_equal(list.n, 4);
	assert_int_equal(list.r.pages, 1);
	assert_string_equal(list.v[0].project_id, "project-a");
	assert_string_equal(list.v[0].number, "123456789012");
	assert_string_equal(list.v[0].display_name, "The lab");
	assert_string_equal(list.v[0].state, "ACTIVE");
	assert_true(list.v[0].active);
	assert_string_equal(list.v[1].state, "DELETE_REQUESTED");
	assert_false(list.v[1].active);
	assert_string_equal(list.v[2].number, "");
	assert_string_equal(list.v[2].display_name, "");
	assert_string_equal(list.v[2].state, "");
	assert_false(list.v[2].active);
	assert_string_equal(list.v[3].project_id, "example.com:old-one");
	assert_false(list.v[3].active);
	assert_int_equal(fault_count_of(w.s, "GET "), 1);
	world_close(&w);
}

static void a_name_with_the_number_has_the_id_elsewhere(void **state)
{
	struct fault_step step = {.match = SEARCH,
		.body = "{\"results\":[{" NAME(
			"123456789012") "," TYPE ",\"additionalAttributes\":{\"projectId\":"
					"\"project-"
					"a\"}},{" NAME("123456789013") "," TYPE "}]}"};
	struct asset_projects list = {0};
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_ok(ask(&w, &list), w.e);
	assert_int_equal(list.n, 2);
	assert_string_equal(list.v[0].project_id, "project-a");
	assert_string_equal(list.v[1].project_id, "123456789013");
	world_close(&w);
}

static void other_assets_are_passed_over(void **state)
{
	struct fault_step step = {.match = SEARCH,
		.body = "{\"results\":[{\"name\":\"//compute.googleapis.com/projects/p1/"
			"zones/z/instances/vm\",\"assetType\":\"compute.googleapis.com/"
			"Instance\"},{" NAME(
				"project-a") ",\"assetType\":\"cloudresourcemanager."
					     "googleapis.com/"
					     "ProjectLien\"},{" NAME("project-b") "," TYPE
										  "}]}"};
	struct asset_projects list = {0};
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_ok(ask(&w, &list), w.e);
	assert_int_equal(list.n, 1);
	assert_string_equal(list.v[0].project_id, "project-b");
	world_close(&w);
}

static void pages_are_merged_and_the_latest_of_a_repeated_item_wins(void **state)
{
	struct fault_step steps[] = {
		{.match = SEARCH "&pageToken=p%262&",
			.body = "{\"results\":[{" NAME(
				"project-a") "," TYPE
					     ",\"state\":\"DELETE_REQUESTED\"},{" NAME(
						     "project-b") "," TYPE "}]}"},
		{.match = SEARCH "&pretty",
			.body = "{\"results\":[{" NAME(
				"project-a") "," TYPE ",\"state\":\"ACTIVE\"}],"
					     "\"nextPageToken\":\"p&2\"}"}};
	struct asset_projects list = {0};
	struct gcp_world w;

	world_open(&w, steps, 2);
	assert_ok(ask(&w, &list), w.e);
	assert_int_equal(list.n, 2);
	assert_int_equal(list.r.pages, 2);
	assert_int_equal(list.r.repeated, 1);
	assert_false(list.v[0].active);
	assert_string_equal(list.v[1].project_id, "project-b");
	world_close(&w);
}

static void an_empty_list_may_be_bare(void **state)
{
	static const char *const bodies[] = {
		"{}", "{\"results\":[]}", "{\"results\":null,\"nextPageToken\":\"\"}"};

	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		struct fault_step step = {.match = SEARCH, .body = bodies[i]};
		struct asset_projects list = {.n = 77};
		struct gcp_world w;

		world_open(&w, &step, 1);
		assert_ok(ask(&w, &list), w.e);
		assert_int_equal(list.n, 0);
		world_close(&w);
	}
}

/* ---- answers that are wrong ---------------------------------------------- */

static void a_member_that_reads_wrong_spoils_the_list(void **state)
{
	static const struct {
		const char *item, *part;
	} cases[] = {
		{"7", "not an object"},
		{"{}", "assetType"},
		{"{" NAME("project-a") "}", "assetType"},
		{"{" NAME("project-a") ",\"assetType\":7}", "assetType"},
		{"{" TYPE "}", "'name'"},
		{"{\"name\":7," TYPE "}", "'name'"},
		{"{\"name\":\"project-a\"," TYPE "}", "not a project"},
		{"{\"name\":\"//evil.example.com/projects/project-a\"," TYPE "}",
			"not a project"},
		{"{" NAME("") "," TYPE "}", "not a project"},
		{"{" NAME("../../x") "," TYPE "}", "not a project"},
		{"{" NAME("project-a/zones") "," TYPE "}", "not a project"},
		{"{" NAME("project-a$(id)") "," TYPE "}", "not a project"},
		{"{" NAME("123") "," TYPE
				 ",\"additionalAttributes\":{\"projectId\":\"../x\"}}",
			"not a project"},
		{"{" NAME("project-a") "," TYPE ",\"additionalAttributes\":[]}",
			"additionalAttributes"},
		{"{" NAME("project-a") "," TYPE ",\"project\":\"123\"}", "'project'"},
		{"{" NAME("project-a") "," TYPE ",\"project\":\"projects/x\"}",
			"'project'"},
		{"{" NAME("project-a") "," TYPE ",\"project\":\"projects/\"}", "'project'"},
		{"{" NAME("project-a") "," TYPE
				       ",\"project\":\"projects/123456789012345678901\"}",
			"'project'"},
		{"{" NAME("project-a") "," TYPE ",\"state\":1}", "state"},
		{"{" NAME("project-a") "," TYPE ",\"displayName\":{}}", "displayName"},
		{"{" NAME("project-a") ",\"NAME\":\"x\",\"assetType\":\"a\","
				       "\"assetType\":\"b\"}",
			"JSON"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sbuf b = SBUF_INIT;
		struct fault_step step = {.match = SEARCH};
		struct asset_projects list = {.n = 77};
		struct gcp_world w;

		sbuf_addf(&b, "{\"results\":[{" NAME("project-z") "," TYPE "},%s]}",
			cases[i].item);
		step.body = b.s;
		world_open(&w, &step, 1);
		if (ask(&w, &list) != E_DATA || !str_starts(w.e.msg, "search projects: ") ||
			!strstr(w.e.msg, cases[i].part))
			fail_msg("case %zu: %s", i, w.e.msg);
		assert_int_equal(list.n, 77);
		sbuf_done(&b);
		world_close(&w);
	}
}

static void what_is_no_list_or_never_ends_is_refused(void **state)
{
	static const char *const bodies[] = {"{\"results\":{}}", "{\"results\":7}", "[]",
		"{\"results\":[", "{\"results\":[],\"nextPageToken\":\"again\"}"};

	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		struct fault_step step = {.match = SEARCH, .body = bodies[i]};
		struct asset_projects list = {.n = 77};
		struct gcp_world w;

		world_open(&w, &step, 1);
		if (ask(&w, &list) != E_DATA)
			fail_msg("case %zu: %s", i, w.e.msg);
		assert_int_equal(list.n, 77);
		assert_true(fault_count_of(w.s, "GET ") <= 2);
		world_close(&w);
	}
}

/* ---- refusals ------------------------------------------------------------ */

static void a_denial_names_the_role_on_the_scope(void **state)
{
	static const struct {
		const char *scope, *fix;
	} cases[] = {
		{"organizations/123",
			"run: gcloud organizations add-iam-policy-binding 123 --member="
			"serviceAccount:" WORLD_EMAIL " --role=roles/cloudasset.viewer"},
		{"folders/9",
			"run: gcloud resource-manager folders add-iam-policy-binding 9 "
			"--member=serviceAccount:" WORLD_EMAIL
			" --role=roles/cloudasset.viewer"},
	};
	struct fault_step step = {.match = "GET ", .status = 403, .body = "{}"};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct asset_projects list = {0};
		struct gcp_world w;

		world_open(&w, &step, 1);
		assert_err(asset_projects(w.g, cases[i].scope, &w.a, &list, &w.e), w.e,
			E_DENIED, "search projects: HTTP 403");
		assert_string_equal(w.e.fix, cases[i].fix);
		world_close(&w);
	}
}

#define NOT_ALLOWED(reason)                                                        \
	"{\"error\":{\"code\":403,\"details\":[{\"@type\":\"type.googleapis.com/"  \
	"google.rpc.ErrorInfo\",\"reason\":\"" reason                              \
	"\",\"metadata\":{\"service\":\"cloudasset.googleapis.com\",\"consumer\":" \
	"\"projects/123456789012\"}}]}}"

static void what_is_missing_on_the_project_that_asks_is_said_of_it(void **state)
{
	static const struct {
		const char *body;
		enum err_code code;
		const char *fix;
	} cases[] = {
		{NOT_ALLOWED("SERVICE_DISABLED"), E_DISABLED,
			"run: gcloud services enable cloudasset.googleapis.com --project "
			"123456789012"},
		{NOT_ALLOWED("USER_PROJECT_DENIED"), E_DENIED,
			"run: gcloud projects add-iam-policy-binding 123456789012 --member="
			"serviceAccount:" WORLD_EMAIL
			" --role=roles/serviceusage.serviceUsageConsumer"},
		{NOT_ALLOWED("BILLING_DISABLED"), E_DENIED,
			"link a billing account: gcloud billing projects link 123456789012 "
			"--billing-account=ACCOUNT"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fault_step step = {
			.match = SEARCH, .status = 403, .body = cases[i].body};
		struct asset_projects list = {0};
		struct gcp_world w;

		world_open(&w, &step, 1);
		assert_int_equal(ask(&w, &list), cases[i].code);
		assert_string_equal(w.e.fix, cases[i].fix);
		world_close(&w);
	}
}

#define USER_JSON                                                                    \
	"{\"type\":\"authorized_user\",\"client_id\":\"c\",\"client_secret\":\"s\"," \
	"\"refresh_token\":\"r\",\"quota_project_id\":\"quota-project\"}"

/* Whose login it is we do not know; which project pays for quota we do. */
static void a_person_is_told_what_to_grant_and_enable(void **state)
{
	struct fault_step steps[] = {
		{.match = SEARCH, .times = 1, .status = 403, .body = "{}"},
		{.match = SEARCH,
			.status = 403,
			.body = "{\"error\":{\"errors\":[{\"reason\":"
				"\"accessNotConfigured\"}]}}"}};
	struct gcp_opts o = {0};
	struct asset_projects list = {0};
	struct gcp_world w;

	world_open_bare(&w, steps, 2);
	o.endpoint_all = fault_base(w.s);
	o.credentials = world_write(&w, "user.json", USER_JSON);
	o.http = w.http;
	o.clock = &w.clock;
	assert_ok(gcp_new(&o, &w.g, &w.e), w.e);
	assert_int_equal(ask(&w, &list), E_DENIED);
	assert_true(
		str_starts(w.e.fix, "grant roles/cloudasset.viewer to the account of "));
	assert_true(str_ends(w.e.fix, ": gcloud organizations add-iam-policy-binding 123"));
	assert_int_equal(ask(&w, &list), E_DISABLED);
	assert_string_equal(w.e.fix,
		"run: gcloud services enable cloudasset.googleapis.com "
		"--project quota-project");
	assert_contains(fault_request(w.s, 1), "X-Goog-User-Project: quota-project");
	world_close(&w);
}

static void scopes_that_are_none_are_not_searched(void **state)
{
	static const char *const scopes[] = {"", "organizations", "organizations/",
		"folders/", "folders/x", "folders/9/", "folders/9:x", "folders/-9",
		"Folders/9", "projects/my-project", "projects/123", "//folders/9",
		"organizations/../x", "organizations/123456789012345678901"};
	struct asset_projects list = {.n = 77};
	struct gcp_world w;

	world_open(&w, NULL, 0);
	for (size_t i = 0; i < ARRAY_LEN(scopes); i++) {
		assert_err(asset_projects(w.g, scopes[i], &w.a, &list, &w.e), w.e, E_CONFIG,
			"not an organization or folder");
		assert_contains(w.e.fix, "organizations/NUMBER");
		assert_int_equal(
			asset_projects(w.g, scopes[i], &w.a, &list, NULL), E_CONFIG);
	}
	assert_int_equal(fault_count(w.s), 0);
	assert_int_equal(list.n, 77);
	world_close(&w);
}

static void one_scope_failing_does_not_fail_the_other(void **state)
{
	struct fault_step steps[] = {
		{.match = "GET /v1/folders/9:", .status = 404, .body = "{}"},
		{.match = SEARCH,
			.body = "{\"results\":[{" NAME("project-a") "," TYPE "}]}"}};
	struct asset_projects folder = {0}, organization = {0};
	struct gcp_world w;

	world_open(&w, steps, 2);
	assert_int_equal(asset_projects(w.g, "folders/9", &w.a, &folder, &w.e), E_NOTFOUND);
	assert_int_equal(w.e.code, E_NOTFOUND);
	assert_int_equal(folder.n, 0);
	assert_null(folder.v);
	assert_ok(asset_projects(w.g, "organizations/123", &w.a, &organization, &w.e), w.e);
	assert_int_equal(organization.r.code, E_OK);
	assert_int_equal(organization.n, 1);
	world_close(&w);
}

/* ---- resources ----------------------------------------------------------- */

#define RESOURCES "GET /v1/organizations/123:searchAllResources?assetTypes=compute."
#define ASSET(type, project) "{\"assetType\":\"" type "\",\"project\":\"" project "\"}"

static void tell(void *ctx, const char *number, enum asset_kind kind)
{
	sbuf_addf(ctx, "%s%c ", number, "msb"[kind]);
}

static enum err_code search(struct gcp_world *w, const char *scope, struct sbuf *told)
{
	struct asset_search s = {.found = tell, .ctx = told};

	sbuf_reset(told);
	return gcp_typed_wait(
		w->g, asset_search_start(w->g, scope, &w->a, &s, &w->e), &s.none.r, &w->e);
}

static void resources_are_told_page_by_page(void **state)
{
	struct fault_step steps[] = {
		{.match = RESOURCES,
			.times = 1,
			.body = "{\"results\":[" ASSET("compute.googleapis.com/Instance",
				"projects/7") "," ASSET("compute.googleapis.com/Image",
				"projects/8") "," ASSET("tpu.googleapis.com/Node",
				"projects/9") "],\"nextPageToken\":\"a\"}"},
		{.match = RESOURCES,
			.body = "{\"results\":[" ASSET("compute.googleapis.com/Snapshot",
				"projects/7") "," ASSET("storage.googleapis.com/Bucket",
				"projects/10") "]}"}};
	struct sbuf told = SBUF_INIT;
	struct gcp_world w;

	world_open(&w, steps, 2);
	assert_ok(search(&w, "organizations/123", &told), w.e);
	assert_string_equal(told.s, "7m 9m 7s 10b ");
	assert_contains(fault_request(w.s, fault_count(w.s) - 1),
		"%7Cstorage.googleapis.com%2FBucket&readMask=name%2CassetType%2Cproject&"
		"pageSize=500&pageToken=a");
	world_close(&w);
	sbuf_done(&told);
}

static void a_resource_without_its_project_spoils_the_search(void **state)
{
	static const char *const bodies[] = {
		"{\"results\":[{\"assetType\":\"compute.googleapis.com/Disk\"}]}",
		"{\"results\":[" ASSET(
			"compute.googleapis.com/Disk", "projects/my-id") "]}",
		"{\"results\":[" ASSET("compute.googleapis.com/Disk", "7") "]}",
		"{\"results\":[{\"project\":\"projects/7\"}]}", "{\"results\":7}",
		"{\"results\":[],\"nextPageToken\":7}"};
	struct sbuf told = SBUF_INIT;

	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		struct fault_step step = {.match = RESOURCES, .body = bodies[i]};
		struct gcp_world w;

		world_open(&w, &step, 1);
		assert_int_equal(search(&w, "organizations/123", &told), E_DATA);
		assert_int_equal(search(&w, "projects/123", &told), E_CONFIG);
		assert_string_equal(told.s, "");
		world_close(&w);
	}
	sbuf_done(&told);
}

/* ---- the sandbox --------------------------------------------------------- */

#define NOW INT64_C(1795251600) /* 2026-11-21T09:00:00Z */

static const char fleet[] =
	"name: t\n"
	"projects:\n"
	"  - {id: lab-one, number: \"101\"}\n"
	"  - {id: lab-two, number: \"102\", state: DELETE_REQUESTED}\n"
	"project_count: 601\n"
	"zones: [us-central1-a]\n"
	"instances: [{zone: us-central1-a, name: vm-1, type: e2-micro}]\n"
	"billing: {table: lab-one.b.t, currency: HKD, rate: 7.8}\n"
	"skus:\n"
	"  - {service_id: E000-3F24-B8AA, service: Cloud TPU, id: AAAA-1, name: Tpu v3,\n"
	"     group: TPU, regions: [europe-west4], price: 2.2, free: 10}\n"
	"  - {service_id: 6F81-5844-456A, service: Compute Engine, id: BBBB-1, name: "
	"Core,\n"
	"     group: N1Standard, regions: [us-central1], price: 0.031611}\n";

struct page_request {
	const char *size, *token, *type, *currency;
};
static struct page_request asked;

static const char *param(const struct request *q, const char *name)
{
	(void)q;
	if (str_eq(name, "pageSize"))
		return asked.size;
	if (str_eq(name, "pageToken"))
		return asked.token;
	if (str_eq(name, "assetTypes"))
		return asked.type;
	return str_eq(name, "currencyCode") ? asked.currency : NULL;
}

/* The sandbox's answer to /v1/COLLECTION/ID; heap. */
static char *served(void (*serve)(const struct request *q, struct response *r),
	const char *collection, const char *id, int want)
{
	struct world w;
	struct err e = {0};
	struct request q = {.w = &w,
		.method = "GET",
		.now = NOW,
		.param = param,
		.seg = {"v1", collection, id},
		.n_seg = 3};
	struct response r = {.status = 200};

	assert_ok(world_read(fleet, strlen(fleet), "w.yaml", NOW, &w, &e), e);
	q.a = &w.arena;
	serve(&q, &r);
	assert_int_equal(r.status, want);
	world_free(&w);
	return sbuf_detach(&r.body);
}

static void a_fleet_is_found_on_pages_of_500(void **state)
{
	struct asset_projects list = {0};
	struct fault_step steps[] = {{.match = "GET /v1/folders/9:searchAllResources?"
					       "assetTypes=cloudresourcemanager."
					       "googleapis.com%2FProject&pageSize=500"
					       "&pageToken=Cj8%2B%2F500%3D%3D&"},
		{.match = "GET /v1/folders/9:searchAllResources?"}};
	char *p1, *p2;
	struct gcp_world w;

	asked = (struct page_request){
		.size = "500", .type = "cloudresourcemanager.googleapis.com/Project"};
	steps[1].body = p1 = served(serve_search, "folders", "9:searchAllResources", 200);
	asked.token = "Cj8+/500==";
	steps[0].body = p2 = served(serve_search, "folders", "9:searchAllResources", 200);
	world_open(&w, steps, 2);
	assert_ok(asset_projects(w.g, "folders/9", &w.a, &list, &w.e), w.e);
	assert_int_equal(list.n, 603);
	assert_int_equal(list.r.pages, 2);
	assert_int_equal(list.r.repeated, 0);
	assert_string_equal(list.v[0].project_id, "lab-one");
	assert_string_equal(list.v[0].number, "101");
	assert_true(list.v[0].active);
	assert_string_equal(list.v[1].state, "DELETE_REQUESTED");
	assert_false(list.v[1].active);
	assert_string_equal(list.v[2].project_id, "lab-001");
	assert_string_equal(list.v[2].number, "200000000001");
	assert_string_equal(list.v[602].project_id, "lab-601");
	assert_true(list.v[602].active);
	world_close(&w);
	free(p1), free(p2);
}

#define PAID "GET /v1/billingAccounts/" BILLING_ACCOUNT "/projects?pageSize=100"

static void an_account_pays_for_a_fleet_on_pages_of_100(void **state)
{
	struct fault_step steps[7] = {{0}};
	char match[7][160], token[7][32];
	struct billing_projects list = {0};
	struct gcp_world w;

	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		snprintf(token[i], sizeof(token[i]), "Cj8+/%zu==", i * 100);
		snprintf(match[i], sizeof(match[i]),
			PAID "&pageToken=Cj8%%2B%%2F%zu%%3D%%3D&", i * 100);
		/* more than the API gives is asked for here */
		asked = (struct page_request){.size = "5000", .token = i ? token[i] : NULL};
		steps[i].match = i ? match[i] : PAID "&prettyPrint";
		steps[i].body = served(
			serve_billing_projects, "billingAccounts", BILLING_ACCOUNT, 200);
	}
	world_open(&w, steps, ARRAY_LEN(steps));
	assert_ok(billing_account_projects(w.g, BILLING_ACCOUNT, &w.a, &list, &w.e), w.e);
	assert_int_equal(list.n, 603);
	assert_int_equal(list.r.pages, 7);
	assert_string_equal(list.v[101].project_id, "lab-100");
	assert_true(list.v[602].enabled);
	world_close(&w);
	for (size_t i = 0; i < ARRAY_LEN(steps); i++)
		free((void *)(uintptr_t)steps[i].body);
}

static void the_sandbox_has_an_account(void **state)
{
	struct fault_step steps[] = {{.match = "GET /v1/billingAccounts/"},
		{.match = "GET /v1/projects/lab-601/billingInfo?"}};
	struct billing_account acc = {0};
	struct billing_info info = {0};
	struct gcp_world w;
	char *p1, *p2;

	asked = (struct page_request){0};
	steps[0].body = p1 = served(
		serve_billing_account, "billingAccounts", BILLING_ACCOUNT, 200);
	steps[1].body = p2 = served(serve_billing_info, "projects", "lab-601", 200);
	world_open(&w, steps, 2);
	assert_ok(billing_account(w.g, BILLING_ACCOUNT, &w.a, &acc, &w.e), w.e);
	assert_true(acc.open);
	assert_string_equal(acc.display_name, "Lab");
	assert_string_equal(acc.currency, "HKD");
	assert_string_equal(acc.parent, "");
	assert_ok(billing_info(w.g, "lab-601", &w.a, &info, &w.e), w.e);
	assert_string_equal(info.account, BILLING_ACCOUNT);
	assert_true(info.enabled);
	world_close(&w);
	free(p1), free(p2);
}

static void the_sandbox_has_prices(void **state)
{
	struct fault_step step = {.match = "GET /v1/services/E000-3F24-B8AA/skus?"
					   "currencyCode=HKD&pageSize=5000&"};
	struct catalog_skus list = {0};
	struct gcp_world w;
	int64_t price = 0;
	char *p1;

	asked = (struct page_request){.size = "5000", .currency = "HKD"};
	step.body = p1 = served(serve_skus, "services", CATALOG_TPU, 200);
	world_open(&w, &step, 1);
	assert_ok(
		catalog_skus(w.g, CATALOG_TPU, "HKD", NULL, NULL, &w.a, &list, &w.e), w.e);
	assert_int_equal(list.n, 1);
	assert_string_equal(list.v[0].sku_id, "AAAA-1");
	assert_string_equal(list.v[0].regions[0], "europe-west4");
	assert_int_equal(list.v[0].n_tiers, 2);
	assert_i64_eq(list.v[0].tiers[1].start, 10 * NANOS);
	assert_true(catalog_price(&list.v[0], &price));
	assert_nanos_eq(price, INT64_C(17160000000)); /* 2.2 x 7.8 */
	assert_ts_eq(list.v[0].effective_time, NOW - NOW % 86400);
	world_close(&w);
	free(p1);
}

static void the_sandbox_refuses_others(void **state)
{
	char *body;

	asked = (struct page_request){0};
	body = served(serve_search, "organizations", "9:searchAllResources", 403);
	assert_contains(body, "PERMISSION_DENIED");
	free(body);
	free(served(serve_search, "folders", "8:searchAllResources", 403));
	free(served(serve_search, "folders", "9", 403));
	free(served(serve_billing_account, "billingAccounts", "000000-AAAAAA-999999", 403));
	free(served(
		serve_billing_projects, "billingAccounts", "000000-AAAAAA-999999", 403));
	asked.token = "3";
	free(served(serve_search, "folders", "9:searchAllResources", 400));
	free(served(serve_billing_projects, "billingAccounts", BILLING_ACCOUNT, 400));
	asked = (struct page_request){.type = "compute.googleapis.com/Instance"};
	body = served(serve_search, "folders", "9:searchAllResources", 200);
	assert_contains(body,
		"//compute.googleapis.com/projects/lab-001/zones/"
		"us-central1-a/instances/vm-1");
	free(body);
	asked.type = "compute.googleapis.com/Inst"; /* a pattern is of the whole type */
	free(served(serve_search, "folders", "9:searchAllResources", 400));
	asked.type = "compute.googleapis.com/(Disk|Bucket)";
	body = served(serve_search, "folders", "9:searchAllResources", 200);
	assert_string_equal(body, "{\"results\":[]}");
	free(body);
}

static void a_fleet_has_a_machine_in_each_project(void **state)
{
	struct world w;
	struct err e = {0};

	assert_ok(world_read(fleet, strlen(fleet), "w.yaml", NOW, &w, &e), e);
	assert_int_equal(w.n_projects, 603);
	assert_int_equal(w.n_instances, 602);
	assert_string_equal(w.instances[0].project, "lab-one");
	for (size_t i = 1; i < w.n_instances; i++) {
		const struct instance *vm = &w.instances[i];

		assert_string_equal(vm->project, w.projects[i + 1].id);
		assert_string_equal(vm->zone, "us-central1-a");
		assert_string_equal(vm->name, "vm-1");
		assert_string_equal(vm->type, "n1-standard-4");
		assert_string_equal(vm->status, "RUNNING");
		assert_string_equal(vm->labels, "{}");
		assert_string_not_equal(vm->id, w.instances[i - 1].id);
	}
	assert_int_equal(w.n_disks + w.n_nodes + w.n_addresses, 0);
	world_free(&w);
}

static void a_fleet_that_cannot_be_is_refused(void **state)
{
	static const struct {
		const char *more, *part;
	} cases[] = {
		{"zones: [us-central1-a]\nproject_count: 100000\n", "99999 at most"},
		{"zones: [us-central1-b]\nproject_count: 1\n", "no us-central1-a"},
		{"zones: [us-central1-a]\nproject_count: 7\n", "lab-007 is there already"},
		{"zones: [us-central1-a]\nproject_count: many\n", "w.yaml:4:"},
		{"zones: [us-central1-a]\nproject_count: 2\nproject_template: other\n",
			"no project other"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sbuf b = SBUF_INIT;
		struct err e = {0};
		struct world w;

		sbuf_addf(&b, "name: t\nprojects: [{id: lab-007, number: \"7\"}]\n%s",
			cases[i].more);
		assert_err(world_read(b.s, b.len, "w.yaml", NOW, &w, &e), e, E_CONFIG,
			cases[i].part);
		world_free(&w);
		sbuf_done(&b);
	}
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(projects_are_read_with_all_their_parts),
		cmocka_unit_test(a_name_with_the_number_has_the_id_elsewhere),
		cmocka_unit_test(other_assets_are_passed_over),
		cmocka_unit_test(pages_are_merged_and_the_latest_of_a_repeated_item_wins),
		cmocka_unit_test(an_empty_list_may_be_bare),
		cmocka_unit_test(a_member_that_reads_wrong_spoils_the_list),
		cmocka_unit_test(what_is_no_list_or_never_ends_is_refused),
		cmocka_unit_test(a_denial_names_the_role_on_the_scope),
		cmocka_unit_test(what_is_missing_on_the_project_that_asks_is_said_of_it),
		cmocka_unit_test(a_person_is_told_what_to_grant_and_enable),
		cmocka_unit_test(scopes_that_are_none_are_not_searched),
		cmocka_unit_test(one_scope_failing_does_not_fail_the_other),
		cmocka_unit_test(resources_are_told_page_by_page),
		cmocka_unit_test(a_resource_without_its_project_spoils_the_search),
		cmocka_unit_test(a_fleet_is_found_on_pages_of_500),
		cmocka_unit_test(an_account_pays_for_a_fleet_on_pages_of_100),
		cmocka_unit_test(the_sandbox_has_an_account),
		cmocka_unit_test(the_sandbox_has_prices),
		cmocka_unit_test(the_sandbox_refuses_others),
		cmocka_unit_test(a_fleet_has_a_machine_in_each_project),
		cmocka_unit_test(a_fleet_that_cannot_be_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
