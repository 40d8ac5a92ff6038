/* Permissions: what Google answers to who asks for them, and that the list of what each call needs
 * is complete, and the same in docs/iam.md. */
#include "gcp/access/iam.h"

#include "base/fs.h"
#include "base/str.h"
#include "tests/support/assert.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/unit.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

#define P "my-project"
#define PATH "POST /v3/projects/my-project:testIamPermissions"

/* ---- asking ---------------------------------------------------------------------------------- */

static const char *const three[] = {
	"compute.instances.stop", "compute.instances.stopAll", "tpu.nodes.stop"};

/* "NYU" of the answers; "" on an error, which is in w->e. */
static const char *ask(struct gcp_world *w, const char *const *asked, size_t n)
{
	enum iam_has *has = arena_alloc(&w->a, n * sizeof(*has));
	char *text = arena_alloc(&w->a, n + 1);

	if (iam_test(w->g, P, asked, n, has, &w->e))
		return "";
	for (size_t i = 0; i < n; i++)
		text[i] = has[i] == IAM_YES ? 'Y' : has[i] == IAM_NO ? 'N' : 'U';
	return text;
}

static const char *ask_for(struct gcp_world *w, const char *body)
{
	const struct fault_step step = {.match = PATH, .body = body};

	world_open(w, &step, 1);
	return ask(w, three, 3);
}

static void test_granted(void **state)
{
	struct gcp_world w;

	assert_string_equal(ask_for(&w,
				    "{\"permissions\":[\"tpu.nodes.stop\",\"compute."
				    "instances.stop\"]}"),
		"YNY");
	world_close(&w);
	/* none is granted: the list is left out, as everywhere in Google's JSON */
	assert_string_equal(ask_for(&w, "{}"), "NNN");
	world_close(&w);
	assert_string_equal(
		ask_for(&w, "{\"permissions\":[\"compute.instances.delete\"]}"), "NNN");
	world_close(&w);
	assert_string_equal(ask_for(&w, "{\"permissions\":{}}"), "");
	assert_int_equal(w.e.code, E_DATA);
	world_close(&w);
}

/* The body of the i-th question, from 0. */
static const char *body_of(struct gcp_world *w, size_t i)
{
	for (size_t k = 0; k < fault_count(w->s); k++) {
		const char *request = fault_request(w->s, k);

		if (str_starts(request, PATH) && !i--)
			return strstr(request, "\r\n\r\n") + 4;
	}
	return "";
}

static void test_request(void **state)
{
	struct gcp_world w;

	ask_for(&w, "{}");
	assert_string_equal(body_of(&w, 0),
		"{\"permissions\":[\"compute.instances.stop\",\"compute.instances."
		"stopAll\","
		"\"tpu.nodes.stop\"]}");
	assert_int_equal(fault_count_of(w.s, PATH), 1);
	world_close(&w);
}

/* More than a hundred are asked for in several calls. */
static void test_many(void **state)
{
	const struct fault_step steps[] = {
		{.match = PATH, .times = 1, .body = "{\"permissions\":[\"a.b.c0\"]}"},
		{.match = PATH, .body = "{\"permissions\":[\"a.b.c100\"]}"}};
	char names[101][16];
	const char *asked[101];
	struct gcp_world w;
	const char *got;

	for (size_t i = 0; i < ARRAY_LEN(asked); i++) {
		snprintf(names[i], sizeof(names[i]), "a.b.c%zu", i);
		asked[i] = names[i];
	}
	world_open(&w, steps, ARRAY_LEN(steps));
	got = ask(&w, asked, ARRAY_LEN(asked));
	assert_int_equal(strlen(got), 101);
	assert_int_equal(got[0], 'Y');
	assert_int_equal(got[1], 'N');
	assert_int_equal(got[100], 'Y');
	assert_int_equal(fault_count_of(w.s, PATH), 2);
	assert_string_equal(body_of(&w, 1), "{\"permissions\":[\"a.b.c100\"]}");
	world_close(&w);
}

#define REFUSED(permission)                                             \
	"{\"error\":{\"code\":400,\"message\":\"Permission " permission \
	" is not valid for this resource.\",\"status\":\"INVALID_ARGUMENT\"}}"

/* One that Google does not know is left out, and the others are asked for again. */
static void test_unknown(void **state)
{
	const struct fault_step steps[] = {
		{.match = PATH,
			.times = 1,
			.status = 400,
			.body = REFUSED("compute.instances.stopAll")},
		{.match = PATH, .body = "{\"permissions\":[\"tpu.nodes.stop\"]}"}};
	struct gcp_world w;

	world_open(&w, steps, ARRAY_LEN(steps));
	assert_string_equal(ask(&w, three, 3), "NUY");
	assert_string_equal(body_of(&w, 1),
		"{\"permissions\":[\"compute.instances.stop\",\"tpu.nodes.stop\"]}");
	world_close(&w);
}

static void test_only_unknown(void **state)
{
	static const char *const one[] = {"a.b.c"};
	const struct fault_step steps[] = {
		{.match = PATH, .status = 400, .body = REFUSED("a.b.c")}};
	struct gcp_world w;

	world_open(&w, steps, ARRAY_LEN(steps));
	assert_string_equal(ask(&w, one, 1), "U");
	assert_int_equal(fault_count_of(w.s, PATH), 1);
	world_close(&w);
}

/* A 400 that names none of them is an error, not a question without end. */
static void test_refused(void **state)
{
	static const struct {
		int status;
		const char *body;
		enum err_code code;
		const char *fix;
	} cases[] = {
		{400, REFUSED("a.b.c"), E_HTTP, ""},
		{403,
			"{\"error\":{\"code\":403,\"message\":\"no\",\"status\":"
			"\"PERMISSION_DENIED\"}}",
			E_DENIED, ""},
		{403,
			"{\"error\":{\"code\":403,\"message\":\"off\",\"status\":"
			"\"PERMISSION_DENIED\",\"details\":[{\"@type\":\"type.googleapis."
			"com/google.rpc.ErrorInfo\",\"reason\":\"SERVICE_DISABLED\","
			"\"domain\":\"googleapis.com\",\"metadata\":{\"service\":"
			"\"cloudresourcemanager.googleapis.com\",\"consumer\":\"projects/"
			"123456\"}}]}}",
			E_DISABLED,
			"run: gcloud services enable cloudresourcemanager.googleapis.com "
			"--project 123456"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct fault_step step = {
			.match = PATH, .status = cases[i].status, .body = cases[i].body};
		struct gcp_world w;

		world_open(&w, &step, 1);
		assert_string_equal(ask(&w, three, 3), "");
		assert_int_equal(w.e.code, cases[i].code);
		assert_string_equal(w.e.fix, cases[i].fix);
		world_close(&w);
	}
}

static void test_bad_project(void **state)
{
	enum iam_has has[3];
	struct gcp_world w;

	world_open(&w, NULL, 0);
	assert_int_equal(iam_test(w.g, "a/b", three, 3, has, &w.e), E_CONFIG);
	assert_int_equal(fault_count(w.s), 0);
	world_close(&w);
}

/* ---- who ------------------------------------------------------------------------------------- */

static void test_whose_key(void **state)
{
	struct iam_who who;
	struct gcp_world w;

	world_open(&w, NULL, 0);
	assert_int_equal(iam_token(w.g, &w.e), E_OK);
	assert_int_equal(iam_token(w.g, &w.e), E_OK);
	assert_int_equal(fault_count_of(w.s, "POST /token"), 1);
	assert_int_equal(iam_whose(w.g, &w.a, &who, &w.e), E_OK);
	assert_string_equal(who.member, "serviceAccount:" WORLD_EMAIL);
	assert_true(str_starts(who.source, "credentials file "));
	world_close(&w);
}

#define EMAIL "GET /computeMetadata/v1/instance/service-accounts/default/email"

static enum err_code whose_metadata(const char *email, int status, struct iam_who *who)
{
	const struct fault_step step = {.match = EMAIL,
		.status = status,
		.headers = "Content-Type: text/plain\r\n",
		.body = email};
	struct gcp_opts o = {0};
	enum err_code rc;
	struct gcp_world w;

	world_open_bare(&w, &step, 1);
	o = (struct gcp_opts){
		.endpoint_all = fault_base(w.s), .http = w.http, .clock = &w.clock};
	assert_int_equal(gcp_new(&o, &w.g, &w.e), E_OK);
	rc = iam_whose(w.g, &w.a, who, &w.e);
	if (rc == E_OK) {
		assert_string_equal(
			who->member, "serviceAccount:x@y.iam.gserviceaccount.com");
		assert_string_equal(who->source, "metadata server");
		assert_non_null(strstr(fault_request(w.s, 0), "Metadata-Flavor: Google"));
	}
	world_close(&w);
	return rc;
}

static void test_whose_metadata(void **state)
{
	struct iam_who who;

	assert_int_equal(whose_metadata("x@y.iam.gserviceaccount.com", 200, &who), E_OK);
	assert_int_equal(whose_metadata("x@y;reboot", 200, &who), E_AUTH);
	assert_int_equal(whose_metadata("", 200, &who), E_AUTH);
	assert_int_equal(whose_metadata("no", 404, &who), E_AUTH);
}

static void test_whose_person(void **state)
{
	struct gcp_opts o = {0};
	struct iam_who who;
	struct gcp_world w;

	world_open_bare(&w, NULL, 0);
	o = (struct gcp_opts){.endpoint_all = fault_base(w.s),
		.http = w.http,
		.clock = &w.clock,
		.credentials = world_write(&w, "user.json",
			"{\"type\":\"authorized_user\",\"client_id\":\"a\","
			"\"client_secret\":\"b\",\"refresh_token\":\"c\"}")};
	assert_int_equal(gcp_new(&o, &w.g, &w.e), E_OK);
	assert_int_equal(iam_whose(w.g, &w.a, &who, &w.e), E_OK);
	assert_null(who.member);
	world_close(&w);
}

/* ---- the table ------------------------------------------------------------------------------- */

static const char *list_of(enum iam_role r, struct arena *a)
{
	struct sbuf b = SBUF_INIT;
	const char **v, *text;
	size_t n;

	v = iam_role_permissions(r, a, &n);
	for (size_t i = 0; i < n; i++)
		sbuf_addf(&b, "%s%s", i ? "," : "", v[i]);
	text = arena_strdup(a, b.s);
	sbuf_done(&b);
	return text;
}

static void test_roles(void **state)
{
	struct arena a = {0};
	const char **v;
	size_t n;

	assert_string_equal(list_of(IAM_STOPPER, &a),
		"compute.projects.get,compute.instances.get,compute.instances.stop,"
		"compute.zoneOperations.get,tpu.nodes.get,tpu.nodes.stop,tpu.operations."
		"get");
	assert_string_equal(list_of(IAM_DELETER, &a),
		"compute.instances.delete,tpu.nodes.delete,tpu.nodes.list,"
		"compute.instances.list,compute.instanceGroupManagers.get,"
		"compute.instanceGroupManagers.update,compute.regionOperations.get");
	assert_string_equal(list_of(IAM_SCALER, &a),
		"container.clusters.get,container.clusters.update,container.operations."
		"get");
	v = iam_actor_permissions(1u << IAM_STOPPER, &a, &n);
	assert_int_equal(n, 7);
	v = iam_actor_permissions(1u << IAM_STOPPER | 1u << IAM_DELETER, &a, &n);
	assert_int_equal(n, 14);
	assert_string_equal(v[7], "compute.instances.delete");
	v = iam_actor_permissions(
		1u << IAM_STOPPER | 1u << IAM_DELETER | 1u << IAM_SCALER, &a, &n);
	assert_int_equal(n, 17);
	arena_done(&a);
}

/* A reader can change nothing: none of what it needs is a power. */
static void test_reader_is_harmless(void **state)
{
	for (size_t i = 0; i < n_iam_uses; i++) {
		const struct iam_use *u = &iam_uses[i];

		for (size_t k = 0; k < n_iam_powers; k++)
			if (u->role == IAM_READER && u->on == IAM_ON_PROJECT)
				assert_string_not_equal(u->permission, iam_powers[k]);
		if (u->role == IAM_READER && !str_eq(u->method, "GET"))
			assert_int_not_equal(u->on, IAM_ON_PROJECT);
	}
}

static bool is_power(const char *permission)
{
	for (size_t i = 0; i < n_iam_powers; i++)
		if (str_eq(permission, iam_powers[i]))
			return true;
	return false;
}

/* And all that changes something is one. */
static void test_actions_are_powers(void **state)
{
	for (size_t i = 0; i < n_iam_uses; i++)
		if (iam_uses[i].role != IAM_READER)
			assert_int_equal(is_power(iam_uses[i].permission),
				!str_eq(iam_uses[i].method, "GET"));
}

static const char *read_text(const char *path, struct arena *a)
{
	struct sbuf b = SBUF_INIT;
	struct err e = {0};
	const char *text;

	if (fs_read(path, 1 << 20, &b, &e))
		fail_msg("%s", e.msg);
	text = arena_strdup(a, b.s);
	sbuf_done(&b);
	return text;
}

/* The rows and commands of docs/iam.md. */
static void test_docs(void **state)
{
	static const char *const roles[IAM_ROLES] = {
		"reader", "stopper", "deleter", "scaler"};
	static const char *const on[] = {[IAM_ON_PROJECT] = "",
		[IAM_ON_TABLE_PROJECT] = "the table's project",
		[IAM_ON_TABLE] = "the table",
		[IAM_ON_ACCOUNT] = "the billing account",
		[IAM_ON_SCOPE] = "the organization or folder",
		[IAM_ON_BUCKET] = "the bucket of the lease or backup",
		[IAM_ON_ACTOR] = "the stopper",
		[IAM_ON_PUBLISH_PROJECT] = "the project of `publish:`",
		[IAM_ON_PUBLISH] = "the dataset of `publish:`",
		[IAM_ON_MORE] = "optional",
		[IAM_ON_INIT] = "what `init` finds",
		[IAM_ON_NOTHING] = ""};
	struct arena a = {0};
	const char *doc = read_text("docs/iam.md", &a), *table, *row;
	struct sbuf want = SBUF_INIT;

	for (size_t i = 0; i < n_iam_uses; i++) {
		const struct iam_use *u = &iam_uses[i];
		const char *q = *u->permission ? "`" : "";

		sbuf_addf(&want, "| %s | %s%s%s | %s | `%s %s` |\n", roles[u->role], q,
			*u->permission ? u->permission : "none", q, on[u->on], u->method,
			u->path);
	}
	table = strstr(doc, "| --- | --- | --- | --- |\n");
	assert_non_null(table);
	row = strchr(table, '\n') + 1;
	assert_string_equal(row, want.s);
	sbuf_done(&want);
	for (int r = 0; r < IAM_ROLES; r++) {
		const char *command = arena_printf(&a,
			"gcloud iam roles create %s --project=P ",
			iam_role_name((enum iam_role)r));
		const char *at = strstr(doc, command),
			   *list = at ? strstr(at, "permissions=") : 0;

		assert_non_null(list);
		list += strlen("permissions=");
		assert_string_equal(arena_strndup(&a, list, strcspn(list, " \n")),
			list_of((enum iam_role)r, &a));
		assert_null(strstr(at + 1, command));
	}
	arena_done(&a);
}

static bool is_used(const char *text, struct arena *a)
{
	const char *path = arena_strndup(a, text, strcspn(text, "?"));

	for (size_t i = 0; i < n_iam_uses; i++)
		if (str_eq(iam_uses[i].path, path) || str_eq(iam_uses[i].permission, text))
			return true;
	return false;
}

/* "/projects/{}/..." or "/b": the path of a call. "compute.instances.stop": a permission.
 * "compute.instances.preempted" is the type of an operation. */
static bool is_call(const char *s)
{
	return (s[0] == '/' && (strstr(s, "{}") || str_eq(s, "/b"))) ||
		((str_starts(s, "compute.") || str_starts(s, "tpu.")) &&
			!strstr(s, ".preempted") && !strstr(s, "googleapis.com") &&
			!strpbrk(s, "/ "));
}

/* Every text between quotes of a file. */
static size_t look_through(const char *path, struct arena *a)
{
	const char *p = read_text(path, a);
	size_t n = 0;

	while ((p = strchr(p, '"'))) {
		size_t len = strcspn(p + 1, "\"\n");
		const char *text = arena_strndup(a, p + 1, len);

		p += len + 2;
		if (!is_call(text))
			continue;
		if (!is_used(text, a))
			fail_msg("%s: %s is not in iam_uses of gcp/access/iam_table.c",
				path, text);
		n++;
	}
	return n;
}

/* Whoever adds a call says what it takes. */
static void test_every_call(void **state)
{
	struct arena a = {0};
	size_t n = 0;
	glob_t g;

	assert_int_equal(glob("gcp/*.c", 0, NULL, &g), 0);
	assert_int_equal(glob("gcp/*/*.c", GLOB_APPEND, NULL, &g), 0);
	for (size_t i = 0; i < g.gl_pathc; i++)
		if (!strstr(g.gl_pathv[i], "iam_table"))
			n += look_through(g.gl_pathv[i], &a);
	globfree(&g);
	assert_true(n > 30);
	arena_done(&a);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_granted),
		cmocka_unit_test(test_request),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_only_unknown),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_bad_project),
		cmocka_unit_test(test_whose_key),
		cmocka_unit_test(test_whose_metadata),
		cmocka_unit_test(test_whose_person),
		cmocka_unit_test(test_roles),
		cmocka_unit_test(test_reader_is_harmless),
		cmocka_unit_test(test_actions_are_powers),
		cmocka_unit_test(test_docs),
		cmocka_unit_test(test_every_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
