/* The far ends of the record: no hash to be had, no number left, a first entry that somebody hashed anew;
 * and a database that fails at any of the questions. Nothing is added half, nothing passes as whole. */
#include "rules/act/audit.h"

#include "base/net/digest.h"
#include "db/db.h"
#include "tests/support/assert.h"
#include "tests/support/fault/faultstmt.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#define NOW INT64_C(1795219200)

static struct tempdb t;
static struct audit_verdict verdict;

static int setup(void **state)
{
	tempdb_open(&t, NOW);
	return 0;
}

static enum err_code add(const char *resource, struct err *e)
{
	const struct audit_entry entry = {
		.actor = "tpucost", .event = "sent", .resource = resource, .action = 7};

	return audit_add(t.db, &entry, NOW, e);
}

static enum err_code add_one(void *ctx, struct err *e)
{
	return add(ctx, e);
}

static enum err_code verify(void *ctx, struct err *e)
{
	return audit_verify(t.db, ctx, &t.a, &verdict, e);
}

static void add_some(int n)
{
	struct err e = {0};

	while (n--)
		assert_ok(add("p/vm/z/m", &e), e);
}

/* As somebody would who can write the file. */
static void unlock(void)
{
	tempdb_exec(&t, "DROP TRIGGER audit_entry_no_update");
	tempdb_exec(&t, "DROP TRIGGER audit_entry_no_delete");
	tempdb_exec(&t, "DROP TRIGGER audit_entry_no_replace");
}

static void expect(int64_t bad, const char *why)
{
	struct err e = {0};

	assert_ok(verify(NULL, &e), e);
	assert_i64_eq(verdict.bad, bad);
	assert_string_equal(verdict.why ? verdict.why : "", why);
}

static void an_empty_resource_is_none(void **state)
{
	struct err e = {0};

	assert_ok(add("", &e), e);
	assert_ok(add(NULL, &e), e);
	tempdb_expect(&t, "SELECT COUNT(*) FROM audit_entry WHERE resource IS NULL", "2");
	expect(0, "");
}

/* A libcrypto that may not hash (a policy, a broken installation): nothing is written without a hash, and
 * nothing is called fine that was not checked. */
static void without_hashing_nothing_is_added_or_verified(void **state)
{
	struct err e = {0};

	add_some(2);
	assert_int_equal(EVP_set_default_properties(NULL, "provider=none"), 1);
	assert_err(add("p/vm/z/m", &e), e, E_BUG, "libcrypto could not hash an entry");
	assert_err(verify(NULL, &e), e, E_BUG, "libcrypto could not hash an entry");
	assert_int_equal(EVP_set_default_properties(NULL, ""), 1);
	tempdb_expect(&t, "SELECT COUNT(*) FROM audit_entry", "2");
	expect(0, "");
}

static void behind_the_last_number_there_is_none(void **state)
{
	struct err e = {0};

	add_some(1);
	unlock();
	tempdb_exec(&t, "UPDATE audit_entry SET seq = 9223372036854775807");
	assert_err(add(NULL, &e), e, E_OVERFLOW, "no number is left for another entry");
	tempdb_expect(&t, "SELECT COUNT(*) FROM audit_entry", "1");
}

static void a_line_end_in_the_hash_before_shows(void **state)
{
	add_some(2);
	unlock();
	tempdb_exec(&t, "UPDATE audit_entry SET prev = prev || char(10) WHERE seq = 2");
	expect(2, "it was edited: it contains a line end");
}

static void the_first_entry_has_none_before_it(void **state)
{
	char text[300], hash[DIGEST_HEX];

	add_some(1);
	unlock();
	tempdb_text(&t,
		"SELECT seq || char(10) || at || char(10) || actor || char(10) || event || "
		"char(10) || action || char(10) || resource || char(10) || detail || "
		"char(10) || 'x' FROM audit_entry",
		text, sizeof(text));
	assert_true(digest_sha256(text, strlen(text), hash));
	tempdb_execf(&t, "UPDATE audit_entry SET prev = 'x', hash = '%s'", hash);
	expect(1, "it was edited: the first entry must not have a previous hash");
}

static void a_user_without_a_name_is_a_number(void **state)
{
	assert_string_equal(audit_user_of("ada", 1000, &t.a), "user ada");
	assert_string_equal(audit_user_of("", 1000, &t.a), "user 1000");
	assert_string_equal(audit_user_of("a\nb\x1b\x7f", 1, &t.a), "user a?b??");
	assert_string_equal(audit_user_of("z\xc3\xb6", 1, &t.a), "user z\xc3\xb6");
}

static void no_failure_of_the_database_is_taken_for_a_record(void **state)
{
	char entry[] = "p/vm/z/m";

	assert_true(faultstmt_sweep_both(t.db, add_one, NULL, entry) >= 6);
	/* both sweeps end with one that worked: what failed left nothing behind */
	tempdb_expect(&t, "SELECT COUNT(*) FROM audit_entry", "2");
	assert_true(faultstmt_sweep_both(t.db, verify, NULL, NULL) >= 6);
	assert_true(verdict.ok);
	assert_i64_eq(verdict.entries, 2);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(an_empty_resource_is_none),
		TEST(without_hashing_nothing_is_added_or_verified),
		TEST(behind_the_last_number_there_is_none),
		TEST(a_line_end_in_the_hash_before_shows),
		TEST(the_first_entry_has_none_before_it),
		TEST(a_user_without_a_name_is_a_number),
		TEST(no_failure_of_the_database_is_taken_for_a_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
