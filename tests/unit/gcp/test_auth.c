#include "gcp/auth/auth.h"

#include "base/data/json.h"
#include "base/str.h"
#include "gcp/call.h"
#include "gcp/internal.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/unit.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define USER_JSON                                                                     \
	"{\"type\":\"authorized_user\",\"client_id\":\"cid.apps\",\"client_secret\":" \
	"\"s3cret\",\"refresh_token\":\"1//"                                          \
	"refresh\",\"quota_project_id\":\"quota-project\"}"

/* One call that needs a token: any will do. */
static enum err_code ask(struct gcp_world *w)
{
	struct gcp_call c;
	enum err_code rc;

	gcp_call_init(&c, w->g, GCP_TPU, "my-project", "ask");
	gcp_url(w->g, &c.url, GCP_TPU, "/x", NULL);
	rc = gcp_call_do(&c, &w->e);
	gcp_call_free(&c);
	return rc;
}

static enum err_code make(struct gcp_world *w, const char *credentials, bool overridden)
{
	struct gcp_opts o = {.http = w->http, .clock = &w->clock};

	o.credentials = credentials;
	if (overridden)
		o.endpoint_all = fault_base(w->s);
	return gcp_new(&o, &w->g, &w->e);
}

/* Value of a form field in a request, percent-decoded as far as these tests need it. */
static void form_value(const char *request, const char *name, char *out, size_t room)
{
	const char *p = strstr(request, "\r\n\r\n");
	size_t n = 0, len = strlen(name);

	assert_non_null(p);
	for (p += 4; strncmp(p, name, len) != 0 || p[len] != '='; p++) {
		p = strchr(p, '&');
		assert_non_null(p);
	}
	for (p += len + 1; *p && *p != '&' && n + 1 < room; n++) {
		unsigned v;

		if (*p == '%' && sscanf(p + 1, "%2x", &v) == 1) {
			out[n] = (char)v;
			p += 3;
		} else {
			out[n] = *p++;
		}
	}
	out[n] = '\0';
}

static struct cJSON *jwt_part(const char *jwt, int part)
{
	char padded[2048];
	unsigned char text[2048];
	struct cJSON *j = NULL;
	size_t n = 0;
	int len;

	for (; part; part--)
		jwt = strchr(jwt, '.') + 1;
	for (; jwt[n] && jwt[n] != '.'; n++)
		padded[n] = (char)(jwt[n] == '-' ? '+' : jwt[n] == '_' ? '/' : jwt[n]);
	while (n % 4)
		padded[n++] = '=';
	padded[n] = '\0';
	len = EVP_DecodeBlock(text, (unsigned char *)padded, (int)n);
	while (padded[--n] == '=')
		len--;
	assert_int_equal(json_parse((char *)text, (size_t)len, &j, NULL), E_OK);
	return j;
}

/* ---- service accounts ---------------------------------------------------- */

static void a_key_buys_a_token_with_a_signed_claim(void **state)
{
	struct fault_step step = {.match = "GET /v2/x", .body = "{}"};
	struct cJSON *header, *claims;
	struct gcp_world w;
	char jwt[4096], grant[128];
	const char *req;
	int64_t v;

	world_open(&w, &step, 1);
	assert_int_equal(ask(&w), E_OK);
	req = fault_request(w.s, 0);
	assert_true(str_starts(req, "POST /token HTTP/1.1\r\n"));
	assert_non_null(strstr(req, "Content-Type: application/x-www-form-urlencoded\r\n"));
	form_value(req, "grant_type", grant, sizeof(grant));
	assert_string_equal(grant, "urn:ietf:params:oauth:grant-type:jwt-bearer");
	form_value(req, "assertion", jwt, sizeof(jwt));
	header = jwt_part(jwt, 0);
	claims = jwt_part(jwt, 1);
	assert_string_equal(json_text(json_get(header, "alg"), ""), "RS256");
	assert_string_equal(json_text(json_get(header, "kid"), ""), "abc123");
	assert_string_equal(json_text(json_get(claims, "iss"), ""), WORLD_EMAIL);
	/* the audience is what the key says, wherever the request goes */
	assert_string_equal(json_text(json_get(claims, "aud"), ""),
		"https://oauth2.googleapis.com/token");
	assert_string_equal(json_text(json_get(claims, "scope"), ""),
		"https://www.googleapis.com/auth/cloud-platform");
	assert_int_equal(json_get_i64(claims, "iat", &v, NULL), E_OK);
	assert_int_equal(v, WORLD_NOW);
	assert_int_equal(json_get_i64(claims, "exp", &v, NULL), E_OK);
	assert_int_equal(v, WORLD_NOW + 3600);
	assert_non_null(
		strstr(fault_request(w.s, 1), "\r\nAuthorization: Bearer ya29.first\r\n"));
	assert_string_equal(w.g->auth->member, "serviceAccount:" WORLD_EMAIL);
	assert_false(w.g->auth->kind == AUTH_USER);
	json_free(header);
	json_free(claims);
	world_close(&w);
}

static void without_an_endpoint_the_request_goes_where_the_key_says(void **state)
{
	struct gcp_world w;
	char uri[128], *key;
	struct gcp_opts o = {0};

	world_open_bare(&w, (struct fault_step[]){{.match = "GET /v2/x", .body = "{}"}}, 1);
	snprintf(uri, sizeof(uri), "%s/token", fault_base(w.s));
	key = world_key_json(uri);
	o.credentials = world_write(&w, "other.json", key);
	o.endpoints[GCP_TPU] = fault_base(w.s);
	o.http = w.http;
	o.clock = &w.clock;
	assert_int_equal(gcp_new(&o, &w.g, &w.e), E_OK);
	assert_int_equal(ask(&w), E_OK);
	assert_int_equal(fault_count_of(w.s, "POST /token "), 1);
	free(key);
	world_close(&w);
}

static void a_token_serves_until_five_minutes_before_its_end(void **state)
{
	struct fault_step step = {.match = "GET /v2/x", .body = "{}"};
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_int_equal(ask(&w), E_OK);
	clock_fake_advance(&w.clock, 3599 - 300 - 1);
	assert_int_equal(ask(&w), E_OK);
	assert_int_equal(fault_count_of(w.s, "POST /token"), 1);
	clock_fake_advance(&w.clock, 1);
	assert_int_equal(ask(&w), E_OK);
	assert_int_equal(fault_count_of(w.s, "POST /token"), 2);
	/* a clock that was set back makes the age unknown */
	clock_fake_advance(&w.clock, -7200);
	assert_int_equal(ask(&w), E_OK);
	assert_int_equal(fault_count_of(w.s, "POST /token"), 3);
	world_close(&w);
}

static void a_short_lived_token_is_used_and_renewed(void **state)
{
	struct fault_step steps[] = {{.match = "GET /v2/x", .body = "{}"},
		{.match = "POST /token",
			.body = "{\"access_token\":\"brief\",\"expires_in\":60}"}};
	struct gcp_world w;

	world_open(&w, steps, 2);
	assert_int_equal(ask(&w), E_OK);
	assert_int_equal(ask(&w), E_OK);
	assert_int_equal(fault_count_of(w.s, "POST /token"), 1);
	clock_fake_advance(&w.clock, 45);
	assert_int_equal(ask(&w), E_OK);
	assert_int_equal(fault_count_of(w.s, "POST /token"), 2);
	world_close(&w);
}

/* ---- refusals ------------------------------------------------------------ */

static void a_refusal_names_its_cause_and_the_way_out(void **state)
{
	static const struct {
		const char *headers, *body;
		int status;
		enum err_code code;
		const char *msg, *fix;
	} cases[] = {
		{NULL,
			"{\"error\":\"invalid_grant\",\"error_description\":\"Invalid "
			"JWT Signature.\"}",
			400, E_AUTH, "invalid_grant: Invalid JWT Signature",
			"gcloud iam service-accounts keys create"},
		{"Date: Sat, 21 Nov 2026 04:50:00 GMT\r\n",
			"{\"error\":\"invalid_grant\",\"error_description\":\"Invalid "
			"JWT: Token must be a short-lived token (60 minutes) and in a "
			"reasonable timeframe. Check your iat and exp values in the JWT "
			"claim.\"}",
			400, E_AUTH,
			"token: the clock of this machine is ahead of Google's",
			"run: sudo timedatectl set-ntp true # it is 600 s ahead"},
		{"Date: Sat, 21 Nov 2026 06:00:00 GMT\r\n",
			"{\"error\":\"invalid_grant\",\"error_description\":\"Check "
			"your iat\"}",
			400, E_AUTH, "token: the clock of this machine is behind Google's",
			"it is 3600 s behind"},
		/* so wrong that its words do not matter, and not so wrong */
		{"Date: Sat, 21 Nov 2026 04:54:59 GMT\r\n", "{\"error\":\"invalid_grant\"}",
			400, E_AUTH, "the clock of this machine is ahead of Google's",
			"301 s ahead"},
		{"Date: Sat, 21 Nov 2026 06:00:01 GMT\r\n", "{\"error\":\"invalid_grant\"}",
			400, E_AUTH, "the clock of this machine is behind Google's",
			"3601 s behind"},
		{"Date: Sat, 21 Nov 2026 04:55:00 GMT\r\n", "{\"error\":\"invalid_grant\"}",
			400, E_AUTH, "invalid_grant", "the key was deleted or disabled"},
		{"Date: Sat, 21 Nov 2026 06:00:00 GMT\r\n", "{\"error\":\"invalid_grant\"}",
			400, E_AUTH, "invalid_grant", "the key was deleted or disabled"},
		{NULL,
			"{\"error\":\"invalid_grant\",\"error_description\":\"Check "
			"your iat\"}",
			400, E_AUTH, "invalid_grant", "seems to be wrong"},
		{NULL,
			"{\"error\":\"invalid_grant\",\"error_description\":\"Invalid "
			"grant: account not found\"}",
			400, E_AUTH, "account not found", "no longer exists"},
		{NULL, "{\"error\":\"disabled_client\"}", 401, E_AUTH, "disabled_client",
			"disabled or deleted"},
		{NULL, "<html>Bad\ngateway</html>", 404, E_HTTP, "token: HTTP 404", ""},
		{NULL, "", 503, E_HTTP, "token: HTTP 503", ""},
		{NULL, "{\"access_token\":\"\"}", 200, E_AUTH, "no usable access_token",
			""},
		{NULL, "{\"access_token\":\"a b\"}", 200, E_AUTH, "no usable access_token",
			""},
		{NULL, "{\"access_token\":\"a\\r\\nX: y\"}", 200, E_AUTH,
			"no usable access_token", ""},
		{NULL, "{\"access_token\":", 200, E_AUTH, "token", ""},
		{NULL, "", 200, E_AUTH, "token", ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fault_step step = {.match = "POST /token",
			.status = cases[i].status,
			.headers = cases[i].headers,
			.body = cases[i].body};
		struct gcp_world w;

		world_open(&w, &step, 1);
		assert_int_equal(ask(&w), cases[i].code);
		if (!strstr(w.e.msg, cases[i].msg) || !strstr(w.e.fix, cases[i].fix))
			fail_msg("case %zu: %s; %s", i, w.e.msg, w.e.fix);
		assert_non_null(strstr(w.e.msg, "credentials file "));
		assert_null(strchr(w.e.msg, '\n'));
		assert_int_equal(
			fault_count_of(w.s, "POST /token"), cases[i].status == 503 ? 5 : 1);
		world_close(&w);
	}
}

static void a_refused_credential_is_not_tried_by_every_call(void **state)
{
	struct fault_step step = {.match = "POST /token",
		.status = 400,
		.body = "{\"error\":\"invalid_grant\"}"};
	struct gcp_world w;

	world_open(&w, &step, 1);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(ask(&w), E_AUTH);
		assert_non_null(strstr(w.e.msg, "invalid_grant"));
	}
	assert_int_equal(fault_count(w.s), 1);
	clock_fake_advance(&w.clock, 60);
	assert_int_equal(ask(&w), E_AUTH);
	assert_int_equal(fault_count(w.s), 2);
	world_close(&w);
}

/* ---- persons ------------------------------------------------------------- */

static void a_login_is_renewed_with_its_refresh_token(void **state)
{
	struct fault_step step = {.match = "GET /v2/x", .body = "{}"};
	struct gcp_world w;
	char v[128];

	world_open_bare(&w, &step, 1);
	assert_int_equal(make(&w, world_write(&w, "user.json", USER_JSON), true), E_OK);
	assert_int_equal(ask(&w), E_OK);
	form_value(fault_request(w.s, 0), "grant_type", v, sizeof(v));
	assert_string_equal(v, "refresh_token");
	form_value(fault_request(w.s, 0), "refresh_token", v, sizeof(v));
	assert_string_equal(v, "1//refresh");
	form_value(fault_request(w.s, 0), "client_id", v, sizeof(v));
	assert_string_equal(v, "cid.apps");
	form_value(fault_request(w.s, 0), "client_secret", v, sizeof(v));
	assert_string_equal(v, "s3cret");
	assert_non_null(strstr(
		fault_request(w.s, 1), "\r\nX-Goog-User-Project: quota-project\r\n"));
	assert_true(w.g->auth->kind == AUTH_USER);
	assert_null(w.g->auth->member);
	world_close(&w);
}

static void a_login_that_ended_says_how_to_log_in(void **state)
{
	struct fault_step step = {.match = "POST /token",
		.status = 400,
		.body = "{\"error\":\"invalid_grant\",\"error_description\":\"Token "
			"has been "
			"expired or revoked.\"}"};
	struct gcp_world w;

	world_open_bare(&w, &step, 1);
	assert_int_equal(make(&w, world_write(&w, "user.json", USER_JSON), true), E_OK);
	assert_int_equal(ask(&w), E_AUTH);
	assert_non_null(strstr(w.e.fix, "gcloud auth application-default login"));
	assert_null(strstr(w.e.msg, "1//refresh"));
	world_close(&w);
}

static void the_quota_project_comes_from_config_then_environment_then_file(void **state)
{
	static const char *const want[] = {
		"config-project", "env-project", "quota-project"};

	for (size_t i = 0; i < 3; i++) {
		struct gcp_opts o = {0};
		struct gcp_world w;

		world_open_bare(&w, NULL, 0);
		o.credentials = world_write(&w, "user.json", USER_JSON);
		o.http = w.http;
		o.clock = &w.clock;
		if (i == 0)
			o.quota_project = want[0];
		if (i <= 1)
			setenv("GOOGLE_CLOUD_QUOTA_PROJECT", want[1], 1);
		assert_int_equal(gcp_new(&o, &w.g, &w.e), E_OK);
		assert_string_equal(w.g->quota_project, want[i]);
		world_close(&w);
	}
	unsetenv("GOOGLE_CLOUD_QUOTA_PROJECT");
}

/* ---- the metadata server ------------------------------------------------- */

static void a_vm_gets_its_token_from_the_metadata_server(void **state)
{
	struct fault_step step = {.match = "GET /v2/x", .body = "{}"};
	struct gcp_world w;

	world_open_bare(&w, &step, 1);
	assert_int_equal(make(&w, NULL, true), E_OK);
	assert_int_equal(w.e.code, E_OK); /* that gcloud left no file is no error */
	assert_int_equal(ask(&w), E_OK);
	assert_true(str_starts(fault_request(w.s, 0),
		"GET "
		"/computeMetadata/v1/instance/service-accounts/default/token?scopes="));
	assert_non_null(strstr(fault_request(w.s, 0), "\r\nMetadata-Flavor: Google\r\n"));
	assert_non_null(strstr(fault_request(w.s, 1), "Bearer ya29.first"));
	world_close(&w);
}

static void the_environment_may_name_the_metadata_server(void **state)
{
	static const char *const variables[] = {"GCE_METADATA_IP", "GCE_METADATA_HOST"};

	for (size_t i = 0; i < 4; i++) {
		struct gcp_opts o = {0};
		struct gcp_world w;
		const char *name = variables[i / 2];

		world_open_bare(
			&w, (struct fault_step[]){{.match = "GET /v2/x", .body = "{}"}}, 1);
		/* with and without scheme */
		setenv(name, fault_base(w.s) + (i % 2 ? 7 : 0), 1);
		o.endpoints[GCP_TPU] = fault_base(w.s);
		o.credentials = "adc";
		o.http = w.http;
		o.clock = &w.clock;
		assert_int_equal(gcp_new(&o, &w.g, &w.e), E_OK);
		assert_int_equal(ask(&w), E_OK);
		unsetenv(name);
		world_close(&w);
	}
}

static void a_metadata_server_elsewhere_is_refused(void **state)
{
	static const char *const hosts[] = {
		"metadata.example.org", "http://10.0.0.1", "x y", "ftp://127.0.0.1"};

	for (size_t i = 0; i < ARRAY_LEN(hosts); i++) {
		struct gcp_world w;

		world_open_bare(&w, NULL, 0);
		setenv("GCE_METADATA_HOST", hosts[i], 1);
		assert_int_equal(make(&w, NULL, true), E_AUTH);
		assert_non_null(strstr(w.e.msg, "GCE_METADATA_HOST"));
		unsetenv("GCE_METADATA_HOST");
		world_close(&w);
	}
}

static void metadata_answers_that_are_none(void **state)
{
	static const struct {
		struct fault_step step;
		const char *msg, *fix;
	} cases[] = {
		{{.body = WORLD_TOKEN}, "not a metadata server", ""},
		{{.status = 404, .headers = "Metadata-Flavor: Google\r\n"}, "HTTP 404",
			"no service account"},
		{{.status = 403, .headers = "Metadata-Flavor: Google\r\n"}, "HTTP 403",
			"scope"},
		{{.how = FAULT_CLOSE}, "no Google credentials",
			"gcloud auth application-default login"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct gcp_world w;

		world_open_bare(&w, &cases[i].step, 1);
		assert_int_equal(make(&w, NULL, true), E_OK);
		assert_int_equal(ask(&w), E_AUTH);
		if (!strstr(w.e.msg, cases[i].msg) || !strstr(w.e.fix, cases[i].fix))
			fail_msg("case %zu: %s; %s", i, w.e.msg, w.e.fix);
		assert_int_equal(fault_count(w.s), 1); /* off Google Cloud nobody waits */
		assert_int_equal(world_waited(&w), 0);
		world_close(&w);
	}
}

/* ---- where credentials come from ----------------------------------------- */

static void the_environment_variable_wins_over_gclouds_file(void **state)
{
	struct gcp_world w;

	world_open_bare(&w, NULL, 0);
	world_write(&w, "application_default_credentials.json", USER_JSON);
	assert_int_equal(make(&w, NULL, true), E_OK);
	assert_true(w.g->auth->kind == AUTH_USER);
	gcp_free(w.g);
	w.g = NULL;
	setenv("GOOGLE_APPLICATION_CREDENTIALS", w.key_file, 1);
	assert_int_equal(make(&w, "adc", true), E_OK);
	assert_false(w.g->auth->kind == AUTH_USER);
	assert_string_equal(w.g->auth->source + strlen("credentials file "), w.key_file);
	unsetenv("GOOGLE_APPLICATION_CREDENTIALS");
	world_close(&w);
}

static void a_named_file_that_is_missing_is_an_error(void **state)
{
	struct gcp_world w;

	world_open_bare(&w, NULL, 0);
	world_write(&w, "application_default_credentials.json", USER_JSON);
	setenv("GOOGLE_APPLICATION_CREDENTIALS", "/nonexistent/key.json", 1);
	assert_int_equal(make(&w, NULL, true), E_AUTH);
	assert_non_null(strstr(w.e.msg, "GOOGLE_APPLICATION_CREDENTIALS"));
	assert_non_null(strstr(w.e.msg, "/nonexistent/key.json"));
	unsetenv("GOOGLE_APPLICATION_CREDENTIALS");
	assert_int_equal(make(&w, "/nonexistent/key.json", true), E_AUTH);
	assert_null(w.g);
	world_close(&w);
}

static void a_key_that_others_can_read_is_refused(void **state)
{
	struct gcp_world w;

	world_open_bare(&w, NULL, 0);
	assert_int_equal(chmod(w.key_file, 0644), 0);
	assert_int_equal(make(&w, w.key_file, true), E_AUTH);
	assert_non_null(strstr(w.e.msg, w.key_file));
	/* gcloud's own file is held to the same rule */
	chmod(world_write(&w, "application_default_credentials.json", USER_JSON), 0640);
	assert_int_equal(make(&w, NULL, true), E_AUTH);
	assert_null(w.g);
	world_close(&w);
}

static void files_that_cannot_serve_are_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"", "credentials file"},
		{"not json", "credentials file"},
		{"[]", "of type '' are not supported"},
		{"{\"type\":\"external_account\"}", "'external_account' are not supported"},
		{"{\"type\":\"impersonated_service_account\"}", "are not supported"},
		{"{\"type\":\"authorized_user\",\"client_id\":\"x\",\"client_secret\":"
		 "\"y\"}",
			"missing member 'refresh_token'"},
		{"{\"type\":\"service_account\"}", "missing member 'client_email'"},
		{"{\"type\":\"service_account\",\"client_email\":\"a;rm -rf@x\"}",
			"malformed"},
		{"{\"type\":\"service_account\",\"client_email\":\"a@x\"}",
			"missing member 'token_uri'"},
		{"{\"type\":\"service_account\",\"client_email\":\"a@x\",\"token_uri\":"
		 "\"http://evil.example/\"}",
			"plain http"},
		{"{\"type\":\"service_account\",\"client_email\":\"a@x\",\"token_uri\":"
		 "\"https://x/\",\"private_key\":\"nonsense\"}",
			"not a PEM private key"},
		{"{\"type\":\"authorized_user\",\"universe_domain\":\"example.org\"}",
			"universe"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct gcp_world w;

		world_open_bare(&w, NULL, 0);
		assert_int_equal(
			make(&w, world_write(&w, "other.json", cases[i].text), true),
			E_AUTH);
		if (!strstr(w.e.msg, cases[i].why))
			fail_msg("case %zu: %s", i, w.e.msg);
		assert_null(w.g);
		assert_null(strstr(w.e.msg, "nonsense"));
		if (strstr(w.e.msg, "missing member") || strstr(w.e.msg, "PEM"))
			assert_non_null(strstr(w.e.fix, "gcloud "));
		world_close(&w);
	}
}

static void endpoints_are_https_or_loopback(void **state)
{
	static const char *const bad[] = {
		"http://example.org", "127.0.0.1:80", "http://127.0.0.1/?x=y", ""};
	struct gcp_world w;

	world_open_bare(&w, NULL, 0);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct gcp_opts o = {.endpoint_all = bad[i],
			.credentials = w.key_file,
			.http = w.http,
			.clock = &w.clock};

		assert_int_equal(gcp_new(&o, &w.g, &w.e), E_CONFIG);
		assert_non_null(strstr(w.e.msg, "endpoints"));
	}
	world_close(&w);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_key_buys_a_token_with_a_signed_claim),
		cmocka_unit_test(without_an_endpoint_the_request_goes_where_the_key_says),
		cmocka_unit_test(a_token_serves_until_five_minutes_before_its_end),
		cmocka_unit_test(a_short_lived_token_is_used_and_renewed),
		cmocka_unit_test(a_refusal_names_its_cause_and_the_way_out),
		cmocka_unit_test(a_refused_credential_is_not_tried_by_every_call),
		cmocka_unit_test(a_login_is_renewed_with_its_refresh_token),
		cmocka_unit_test(a_login_that_ended_says_how_to_log_in),
		cmocka_unit_test(
			the_quota_project_comes_from_config_then_environment_then_file),
		cmocka_unit_test(a_vm_gets_its_token_from_the_metadata_server),
		cmocka_unit_test(the_environment_may_name_the_metadata_server),
		cmocka_unit_test(a_metadata_server_elsewhere_is_refused),
		cmocka_unit_test(metadata_answers_that_are_none),
		cmocka_unit_test(the_environment_variable_wins_over_gclouds_file),
		cmocka_unit_test(a_named_file_that_is_missing_is_an_error),
		cmocka_unit_test(a_key_that_others_can_read_is_refused),
		cmocka_unit_test(files_that_cannot_serve_are_refused),
		cmocka_unit_test(endpoints_are_https_or_loopback),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
