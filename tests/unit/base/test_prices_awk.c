/* rules/prices.awk, run as the build runs it, from the top of the tree. */
#include "base/base.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUT_MAX 8192

/* awk on a table given as text; its exit status; standard output and error together in out.
 * Both texts are small enough for a pipe to hold. */
static int convert(const char *csv, char out[OUT_MAX])
{
	size_t len = 0;
	ssize_t got;
	int in[2], fds[2], status;
	pid_t pid;

	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(in[0], 0);
		dup2(fds[1], 1);
		dup2(fds[1], 2);
		close(in[1]);
		close(fds[0]);
		execlp("awk", "awk", "-f", "rules/prices.awk", "-", (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(fds[1]);
	assert_int_equal(write(in[1], csv, strlen(csv)), (ssize_t)strlen(csv));
	close(in[1]);
	while ((got = read(fds[0], out + len, OUT_MAX - 1 - len)) > 0)
		len += (size_t)got;
	close(fds[0]);
	out[len] = '\0';
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define DISK \
	"# date: 2026-07-30\ndisk_type,region,usd_per_gib_month,spot_usd_per_gib_month\n"

struct decimal {
	const char *text, *row;
};

/* per unit, nano-USD, spot, flex-start: digits are moved, never rounded */
static const struct decimal decimals[] = {
	{"pd,r,0.17,", ", 1, {170000000, -1, -1}}"},
	{"pd,r,0.000000001,12.88", ", 1, {1, 12880000000, -1}}"},
	{"pd,r,1.999999999,0.0", ", 1, {1999999999, 0, -1}}"},
	{"pd,r,123456789.123456789,7", ", 1, {123456789123456789, 7000000000, -1}}"},
	{"pd,r,007.50,", ", 1, {7500000000, -1, -1}}"},
	{"pd,r,,0.1", ", 1, {-1, 100000000, -1}}"},
};

static void decimals_become_nanos_exactly(void **state)
{
	char csv[256], out[OUT_MAX];

	for (size_t i = 0; i < ARRAY_LEN(decimals); i++) {
		snprintf(csv, sizeof(csv), "%s%s\n", DISK, decimals[i].text);
		assert_int_equal(convert(csv, out), 0);
		if (!strstr(out, decimals[i].row))
			fail_msg("%s gives %s", decimals[i].text, out);
		assert_non_null(strstr(out, "price_table_date[] = \"2026-07-30\""));
	}
}

struct mistake {
	const char *csv, *because;
};

static const struct mistake mistakes[] = {
	{DISK "pd,r,1e-3,\n", ":3: not a decimal: 1e-3"},
	{DISK "pd,r,-1,\n", "not a decimal"},
	{DISK "pd,r,.5,\n", "not a decimal"},
	{DISK "pd,r,1 USD,\n", "not a decimal"},
	{DISK "pd,r,0.1234567891,\n", "more than nine fraction digits"},
	{DISK "pd,r,12345678901,\n", "too large"},
	{DISK "pd,r,1\n", "expected 4 fields, found 3"},
	{DISK "pd,r,1,,\n", "expected 4 fields, found 5"},
	{DISK "pd,r,1,\npd,r,2,\n", "a second price of pd in r"},
	{DISK "\"pd\",r,1,\n", "strange text"},
	{"disk_type,region,a,b\npd,r,1,\n", "date: YYYY-MM-DD"},
	{"# date: soon\ndisk_type,region,a,b\npd,r,1,\n", "date: YYYY-MM-DD"},
	{"# date: 2026-07-30\nwhat,ever\nx,1\n", "unknown table"},
	{"# date: 2026-07-30\ngeneration,kind,zone,chips_per_unit,a,b\n"
	 "v4,lump,z,4,1,1\n",
		"unknown kind: lump"},
	{"# date: 2026-07-30\nitem,region,a,b\nnat.gateway,r,1,\n", "unknown table or row"},
	{"# date: 2026-07-30\nname,family,vcpus,memory_gib,billed_vcpus,billed_gib,kind\n"
	 "n1-b,n1,1,1,1,1,general\nn1-a,n1,1,1,1,1,general\n",
		"sorted by name"},
	{"# date: 2026-07-30\nname,family,vcpus,memory_gib,billed_vcpus,billed_gib,kind\n"
	 "n1-b,n1,1.5,1,1,1,general\n",
		"bad machine type"},
	{"# date: 2026-07-30\n# source: a \"book\"\nitem,region,a,b\n", "strange text"},
};

static void a_mistake_in_a_table_stops_the_build_at_its_line(void **state)
{
	char out[OUT_MAX];

	for (size_t i = 0; i < ARRAY_LEN(mistakes); i++) {
		int rc = convert(mistakes[i].csv, out);

		if (rc != 1 || !strstr(out, mistakes[i].because))
			fail_msg("%s gives %d: %s", mistakes[i].csv, rc, out);
		assert_null(strstr(out, "#include"));
	}
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decimals_become_nanos_exactly),
		cmocka_unit_test(a_mistake_in_a_table_stops_the_build_at_its_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
