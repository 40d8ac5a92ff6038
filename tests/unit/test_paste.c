/* Pasted commands: what each becomes, and what is refused with which words. */
#include "cli/paste.h"
#include "tests/support/paste.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct arena arena;

static int teardown(void **state)
{
	(void)state;
	arena_done(&arena);
	return 0;
}

static const struct paste_env bare = {0};

static void expect(const char *text, const char *want)
{
	const char *got = paste_summary(&arena, text, &bare, false);

	if (strcmp(got, want) != 0)
		fail_msg("%s\n  gave %s\n  want %s", text, got, want);
}

static void tpu_vms(void **state)
{
	(void)state;
	expect("gcloud compute tpus tpu-vm create t1 --zone=europe-west4-a "
	       "--accelerator-type=v3-8 --version=tpu-vm-base --project=p1",
		"tpu t1 p1 europe-west4-a v3-8 on-demand");
	expect("gcloud alpha compute tpus tpu-vm create t1 --zone us-central2-b --type v4 "
	       "--topology 4x4x4 --version x --spot",
		"tpu t1 - us-central2-b v4-128 spot");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tpu_vms),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}
