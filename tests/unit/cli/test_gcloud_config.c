/* What gcloud was told to use: files, environment, and what is broken. */
#include "cli/paste/paste.h"

#include "tests/support/assert.h"
#include "tests/support/tempdir.h"
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct home {
	struct tempdir t;
	struct arena a;
	struct gcloud_config c;
};

static const char *const variables[] = {"CLOUDSDK_ACTIVE_CONFIG_NAME",
	"CLOUDSDK_CORE_PROJECT", "CLOUDSDK_CORE_ACCOUNT", "CLOUDSDK_COMPUTE_ZONE",
	"CLOUDSDK_COMPUTE_REGION"};

static int setup(void **state)
{
	struct home *h = xcalloc(1, sizeof(*h));

	tempdir_make(&h->t);
	for (size_t i = 0; i < ARRAY_LEN(variables); i++)
		unsetenv(variables[i]);
	setenv("CLOUDSDK_CONFIG", h->t.path, 1);
	mkdir(tempdir_name(&h->t, "configurations"), 0700);
	*state = h;
	return 0;
}

static int teardown(void **state)
{
	struct home *h = *state;

	unsetenv("CLOUDSDK_CONFIG");
	for (size_t i = 0; i < ARRAY_LEN(variables); i++)
		unsetenv(variables[i]);
	arena_done(&h->a);
	tempdir_remove(&h->t);
	free(h);
	return 0;
}

static void put(struct home *h, const char *name, const char *text)
{
	tempdir_write(&h->t, name, text, strlen(text), 0600);
}

static void test_default_file(void **state)
{
	struct home *h = *state;

	put(h, "configurations/config_default",
		"[core]\naccount = me@example.org\nproject = my-lab\n"
		"# project = old\n\n[compute]\r\nzone=us-central1-f\r\n"
		"region = us-central1\n[auth]\nimpersonate_service_account = r@x\n");
	gcloud_config_read(&h->a, &h->c);
	assert_string_equal(h->c.project, "my-lab");
	assert_string_equal(h->c.account, "me@example.org");
	assert_string_equal(h->c.zone, "us-central1-f");
	assert_string_equal(h->c.region, "us-central1");
	assert_contains(h->c.path, "/configurations/config_default");
}

/* A key counts in its own section only. */
static void test_sections(void **state)
{
	struct home *h = *state;

	put(h, "configurations/config_default",
		"project = nowhere\n[builds]\nproject = other\nzone = z\n[core]\nproject "
		"=\n");
	gcloud_config_read(&h->a, &h->c);
	assert_null(h->c.project);
	assert_null(h->c.zone);
	assert_non_null(h->c.path);
}

static void test_active_configuration(void **state)
{
	struct home *h = *state;

	put(h, "configurations/config_default", "[core]\nproject = a\n");
	put(h, "configurations/config_tpu", "[core]\nproject = b\n");
	put(h, "active_config", "tpu\n");
	gcloud_config_read(&h->a, &h->c);
	assert_string_equal(h->c.project, "b");
	setenv("CLOUDSDK_ACTIVE_CONFIG_NAME", "default", 1);
	gcloud_config_read(&h->a, &h->c);
	assert_string_equal(h->c.project, "a");
}

static void test_environment_first(void **state)
{
	struct home *h = *state;

	put(h, "configurations/config_default", "[core]\nproject = a\naccount = b\n");
	setenv("CLOUDSDK_CORE_PROJECT", "of-the-shell", 1);
	setenv("CLOUDSDK_CORE_ACCOUNT", "", 1);
	gcloud_config_read(&h->a, &h->c);
	assert_string_equal(h->c.project, "of-the-shell");
	assert_string_equal(h->c.account, "b");
}

static void test_nothing_there(void **state)
{
	struct home *h = *state;

	gcloud_config_read(&h->a, &h->c);
	assert_null(h->c.path);
	assert_null(h->c.project);
	put(h, "active_config", "gone");
	setenv("CLOUDSDK_COMPUTE_ZONE", "us-east1-d", 1);
	gcloud_config_read(&h->a, &h->c);
	assert_null(h->c.path);
	assert_string_equal(h->c.zone, "us-east1-d");
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_default_file, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sections, setup, teardown),
		cmocka_unit_test_setup_teardown(test_active_configuration, setup, teardown),
		cmocka_unit_test_setup_teardown(test_environment_first, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nothing_there, setup, teardown),
	};

	return cmocka_run_group_tests_name("gcloud_config", tests, NULL, NULL);
}
