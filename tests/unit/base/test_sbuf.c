#include "base/sbuf.h"

#include "tests/support/assert.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- growing ----------------------------------------------------------------------------- */

static void an_empty_buffer_is_an_empty_string(void **state)
{
	struct sbuf b = SBUF_INIT;
	char *s;

	assert_string_equal(b.s, "");
	assert_i64_eq(b.len, 0);
	sbuf_reset(&b);
	sbuf_trunc(&b, 0);
	sbuf_trunc(&b, 9);
	assert_string_equal(b.s, "");
	s = sbuf_detach(&b);
	assert_string_equal(s, "");
	free(s);
	sbuf_done(&b);
	sbuf_done(&b);
	assert_string_equal(b.s, "");
}

static void additions_follow_each_other(void **state)
{
	struct sbuf b = SBUF_INIT;

	assert_true(sbuf_adds(&b, "ab"));
	assert_true(sbuf_addc(&b, 'c'));
	assert_true(sbuf_addf(&b, "%d-%s", 42, "x"));
	assert_true(sbuf_add(&b, "yz!", 2));
	assert_true(sbuf_add(&b, NULL, 0));
	sbuf_pad(&b, '.', 3);
	sbuf_pad(&b, '?', 0);
	assert_string_equal(b.s, "abc42-xyz...");
	assert_i64_eq(b.len, strlen(b.s));
	sbuf_done(&b);
}

static void any_length_is_kept_and_terminated(void **state)
{
	struct sbuf b = SBUF_INIT;

	for (size_t i = 0; i < 70000; i++) {
		assert_true(sbuf_addc(&b, (char)('a' + i % 26)));
		assert_int_equal(b.s[b.len], 0);
	}
	assert_i64_eq(b.len, 70000);
	for (size_t i = 0; i < b.len; i++)
		assert_int_equal(b.s[i], 'a' + i % 26);
	sbuf_done(&b);
}

static void bytes_may_be_nul(void **state)
{
	struct sbuf b = SBUF_INIT;

	assert_true(sbuf_add(&b, "a\0b", 3));
	assert_true(sbuf_addc(&b, '\0'));
	assert_i64_eq(b.len, 4);
	assert_memory_equal(b.s, "a\0b\0", 5);
	sbuf_done(&b);
}

static void long_formatted_text_is_whole(void **state)
{
	struct sbuf b = SBUF_INIT;

	assert_true(sbuf_addf(&b, "%0*d", 10000, 5));
	assert_i64_eq(b.len, 10000);
	assert_int_equal(b.s[9999], '5');
	sbuf_done(&b);
}

static void formatted_text_of_any_length_follows_what_is_there(void **state)
{
	for (int had = 0; had < 70; had++)
		for (int more = 0; more < 200; more++) {
			struct sbuf b = SBUF_INIT;

			sbuf_pad(&b, 'a', (size_t)had);
			assert_true(sbuf_addf(&b, "%*s", more, ""));
			assert_i64_eq(b.len, had + more);
			assert_i64_eq(strlen(b.s), had + more);
			assert_i64_eq(strspn(b.s, "a"), had);
			assert_i64_eq(strspn(b.s + had, " "), more);
			sbuf_done(&b);
		}
}

/* ---- the cap ----------------------------------------------------------------------------- */

static void a_full_buffer_keeps_whole_additions_and_stays_full(void **state)
{
	struct sbuf b = SBUF_MAX(5);

	assert_true(sbuf_adds(&b, "abc"));
	assert_false(b.full);
	assert_false(sbuf_adds(&b, "def")); /* nothing of it */
	assert_true(b.full);
	assert_string_equal(b.s, "abc");
	assert_false(sbuf_addc(&b, 'd')); /* although it would fit */
	assert_false(sbuf_addf(&b, "%d", 1));
	sbuf_pad(&b, ' ', 1);
	assert_string_equal(b.s, "abc");
	sbuf_reset(&b);
	assert_false(b.full);
	assert_true(sbuf_adds(&b, "12345"));
	assert_false(b.full);
	assert_false(sbuf_addc(&b, '6'));
	assert_string_equal(b.s, "12345");
	sbuf_done(&b);
}

static void a_formatted_text_beyond_the_cap_is_refused_whole(void **state)
{
	struct sbuf b = SBUF_MAX(10);

	assert_false(sbuf_addf(&b, "%011d", 1));
	assert_string_equal(b.s, "");
	assert_true(b.full);
	sbuf_reset(&b);
	assert_true(sbuf_addf(&b, "%05d", 1));
	assert_false(sbuf_addf(&b, "%06d", 2)); /* there is room, but it may not be used */
	assert_string_equal(b.s, "00001");
	assert_i64_eq(b.len, 5);
	sbuf_done(&b);
	assert_false(b.full);
}

static void an_addition_as_long_as_memory_is_refused(void **state)
{
	struct sbuf b = SBUF_MAX(10);

	assert_true(sbuf_adds(&b, "abc"));
	sbuf_pad(&b, 'x', SIZE_MAX); /* the sum would wrap */
	assert_true(b.full);
	assert_string_equal(b.s, "abc");
	sbuf_done(&b);
}

/* ---- cutting and handing over ------------------------------------------------------------ */

static void cutting_keeps_the_beginning(void **state)
{
	struct sbuf b = SBUF_INIT;

	sbuf_adds(&b, "abcdef");
	sbuf_trunc(&b, 10);
	assert_string_equal(b.s, "abcdef");
	sbuf_trunc(&b, 2);
	assert_string_equal(b.s, "ab");
	sbuf_adds(&b, "X");
	assert_string_equal(b.s, "abX");
	sbuf_reset(&b);
	assert_string_equal(b.s, "");
	assert_i64_eq(b.len, 0);
	sbuf_done(&b);
}

static void a_detached_string_belongs_to_the_caller(void **state)
{
	struct sbuf b = SBUF_INIT;
	char *s;

	sbuf_adds(&b, "mine");
	s = sbuf_detach(&b);
	assert_string_equal(s, "mine");
	assert_string_equal(b.s, "");
	sbuf_adds(&b, "next");
	assert_string_equal(s, "mine");
	assert_string_equal(b.s, "next");
	free(s);
	sbuf_done(&b);
}

/* ---- escaping ---------------------------------------------------------------------------- */

struct escape {
	const char *in, *out;
};

static void check(
	void (*add)(struct sbuf *, const char *), const struct escape *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct sbuf b = SBUF_INIT;

		sbuf_adds(&b, ">");
		add(&b, rows[i].in);
		if (strcmp(b.s + 1, rows[i].out) != 0)
			fail_msg("row %zu: %s, want %s", i, b.s + 1, rows[i].out);
		sbuf_done(&b);
	}
}

static void json_strings_are_escaped(void **state)
{
	static const struct escape rows[] = {
		{"", "\"\""},
		{"a b/c", "\"a b/c\""},
		{"say \"hi\"\\", "\"say \\\"hi\\\"\\\\\""},
		{"a\nb", "\"a\\nb\""},
		{"\t\r\x01\x1f\x7f", "\"\\u0009\\u000d\\u0001\\u001f\\u007f\""},
		{"\xe9\xa6\x99", "\"\xe9\xa6\x99\""},
		{"\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\""},
		{"\xe2\x80\xa8", "\"\\u2028\""}, /* ends a line in JavaScript */
		{"\xe2\x80\xa9", "\"\\u2029\""},
		{"a\xff\xc3", "\"a\xef\xbf\xbd\xef\xbf\xbd\""},
		{"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
		{"\xef\xbf\xbd", "\"\xef\xbf\xbd\""},
		{"</script>", "\"</script>\""},
	};

	check(sbuf_add_json, rows, ARRAY_LEN(rows));
}

static void html_text_is_escaped(void **state)
{
	static const struct escape rows[] = {
		{"", ""}, {"a & b", "a &amp; b"},
		{"<script>alert('x')</script>",
			"&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"},
		{"\" onload=\"", "&quot; onload=&quot;"}, {"a\n\tb", "a\n\tb"},
		{"a\x01"
		 "b\x7f",
			"a\xef\xbf\xbd"
			"b\xef\xbf\xbd"},
		{"\xff<", "\xef\xbf\xbd&lt;"}, {"\xc3\xa4", "\xc3\xa4"},
		{"\xc3<b",
			"\xef\xbf\xbd&lt;b"}, /* a cut character must not eat the bracket */
	};

	check(sbuf_add_html, rows, ARRAY_LEN(rows));
}

static void csv_fields_are_quoted_where_needed(void **state)
{
	static const struct escape rows[] = {
		{"", ""},
		{"plain text", "plain text"},
		{"a,b", "\"a,b\""},
		{"say \"hi\"", "\"say \"\"hi\"\"\""},
		{"two\nlines", "\"two\nlines\""},
		{"cr\r", "\"cr\r\""},
		{"\"", "\"\"\"\""},
		{"semi;colon", "semi;colon"},
	};

	check(sbuf_add_csv, rows, ARRAY_LEN(rows));
}

static void add_cell(struct sbuf *b, const char *s)
{
	sbuf_add_markdown(b, s, false);
}

static void add_block(struct sbuf *b, const char *s)
{
	sbuf_add_markdown(b, s, true);
}

static void markdown_is_read_as_it_is(void **state)
{
	static const struct escape cells[] = {
		{"", ""},
		{"a|b", "a\\|b"},
		{"a\\|b", "a\\\\\\|b"},
		{"*a* _b_ ~~c~~ `d`", "\\*a\\* \\_b\\_ \\~\\~c\\~\\~ \\`d\\`"},
		{"<b>&amp;", "\\<b\\>\\&amp;"},
		{"a\nb", "a\\\\x0ab"},
		{"https://x www.x.org WWW.x w.x", "https\\://x www\\.x.org WWW\\.x w.x"},
		{"-1.5 # +", "-1.5 # +"},
	};
	static const struct escape blocks[] = {
		{"- a - b", "\\- a - b"},
		{"+1", "\\+1"},
		{"# a # b", "\\# a # b"},
		{"===", "\\==="},
		{"12. a. 3. b", "12\\. a. 3. b"},
		{"12)", "12\\)"},
		{"1.5", "1.5"},
		{"> a", "\\> a"},
	};

	check(add_cell, cells, ARRAY_LEN(cells));
	check(add_block, blocks, ARRAY_LEN(blocks));
}

static void csv_texts_are_no_formulas(void **state)
{
	static const struct escape rows[] = {
		{"", ""}, {" ", " "}, {"plain-text=1", "plain-text=1"},
		{"=HYPERLINK(\"x\")", "\"'=HYPERLINK(\"\"x\"\")\""}, {"+1", "'+1"},
		{"-2+3", "'-2+3"}, {"@x", "'@x"}, {"\t=1", "'\t=1"}, {"\r=1", "\"'\r=1\""},
		{"\n=1", "\"'\n=1\""}, {"  =1", "'  =1"}, {"\"=1\"", "\"'\"\"=1\"\"\""},
		{"'=1", "''=1"},
		{"\xef\xbc\x9d"
		 "1",
			"'\xef\xbc\x9d"
			"1"}, /* fullwidth = */
		{"\xef\xbc\x8b", "'\xef\xbc\x8b"}, {"\xef\xbc\x8d", "'\xef\xbc\x8d"},
		{"\xef\xbc\xa0", "'\xef\xbc\xa0"},
		{"\xef\xbc\xa1", "\xef\xbc\xa1"}, /* fullwidth A */
	};

	check(sbuf_add_csv_safe, rows, ARRAY_LEN(rows));
}

static void url_components_are_percent_encoded(void **state)
{
	static const struct escape rows[] = {
		{"", ""},
		{"AZaz09-._~", "AZaz09-._~"},
		{"a b/c?d=e&f#g%h+i", "a%20b%2Fc%3Fd%3De%26f%23g%25h%2Bi"},
		{"\xc3\xa4\xff", "%C3%A4%FF"},
		{"\n:@!'()*", "%0A%3A%40%21%27%28%29%2A"},
	};

	check(sbuf_add_url, rows, ARRAY_LEN(rows));
}

static const struct escape shell_rows[] = {
	{"", "''"},
	{"plain", "plain"},
	{"/var/lib/tpu.db", "/var/lib/tpu.db"},
	{"--zone=us-east1-d", "--zone=us-east1-d"},
	{"two words", "'two words'"},
	{"it's", "'it'\\''s'"},
	{"'", "''\\'''"},
	{"$(rm -rf x)", "'$(rm -rf x)'"},
	{"$HOME", "'$HOME'"},
	{"`id`", "'`id`'"},
	{"a;b|c&d", "'a;b|c&d'"},
	{"~root", "'~root'"},
	{"--file=~/x", "'--file=~/x'"},
	{"PATH=a:~/bin", "'PATH=a:~/bin'"},
	{"a*b?[c]", "'a*b?[c]'"},
	{"{a,b}", "'{a,b}'"},
	{"back\\slash\"quote", "'back\\slash\"quote'"},
	{"new\nline", "'new\nline'"},
	{"!history", "'!history'"},
	{"#comment", "'#comment'"},
	{"\xc3\xa4", "'\xc3\xa4'"},
};

static void a_shell_word_is_quoted_where_needed(void **state)
{
	check(sbuf_add_shell, shell_rows, ARRAY_LEN(shell_rows));
}

/* The judge is a shell: it must see each word as it was. */
static void a_shell_reads_the_word_back(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(shell_rows); i++) {
		struct sbuf cmd = SBUF_INIT;
		char got[256];
		int ends[2], status;
		ssize_t n;
		pid_t pid;

		sbuf_adds(&cmd, "printf %s ");
		sbuf_add_shell(&cmd, shell_rows[i].in);
		assert_int_equal(pipe(ends), 0);
		pid = fork();
		assert_true(pid >= 0);
		if (!pid) {
			dup2(ends[1], STDOUT_FILENO);
			execl("/bin/sh", "sh", "-c", cmd.s, (char *)NULL);
			_exit(127);
		}
		close(ends[1]);
		n = read(ends[0], got, sizeof(got) - 1);
		close(ends[0]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
		assert_true(n >= 0);
		got[n] = '\0';
		assert_string_equal(got, shell_rows[i].in);
		sbuf_done(&cmd);
	}
}

static void a_terminal_gets_nothing_it_would_obey(void **state)
{
	static const struct escape rows[] = {
		{"", ""},
		{"plain \xc3\xa4 \xe9\xa6\x99 \xf0\x9f\x98\x80",
			"plain \xc3\xa4 \xe9\xa6\x99 \xf0\x9f\x98\x80"},
		{"\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"},
		{"a\nb\rc\td\be\x7f", "a\\x0ab\\x0dc\\x09d\\x08e\\x7f"},
		{"\xc2\x9b"
		 "31m",
			"<U+009B>31m"}, /* the one-character form of ESC [ */
		{"\xff\xc3", "\\xff\\xc3"},
		{"abc\xe2\x80\xaexyz", "abc<U+202E>xyz"}, /* right-to-left override */
		{"a\xe2\x80\x8b"
		 "b",
			"a<U+200B>b"},
		{"\xe2\x81\xa6\xef\xbb\xbf\xc2\xad", "<U+2066><U+FEFF><U+00AD>"},
		{"\xe2\x80\x8f\xe2\x80\xa8\xe2\x81\xa0\xe2\x81\xa9",
			"<U+200F><U+2028><U+2060><U+2069>"},
		{"\xef\xbf\xb9\xef\xbf\xbb\xd8\x9c", "<U+FFF9><U+FFFB><U+061C>"},
		{"\xe2\x80\x90\xe2\x80\xa7",
			"\xe2\x80\x90\xe2\x80\xa7"}, /* hyphens are seen */
		{"\xf3\xa0\x81\xa1", "<U+E0061>"},   /* tag characters hide text */
		{"\xef\xbf\xbd", "\xef\xbf\xbd"},
	};

	check(sbuf_add_term, rows, ARRAY_LEN(rows));
}

static void a_quotation_is_cut_between_characters(void **state)
{
	static const struct {
		const char *in;
		size_t max;
		const char *out;
	} rows[] = {
		{"", 5, "''"},
		{"abcde", 5, "'abcde'"},
		{"abcdef", 5, "'abcde...'"},
		{"abc", 0, "'...'"},
		{"ab\xe9\xa6\x99", 4, "'ab...'"},
		{"ab\xe9\xa6\x99", 5, "'ab\xe9\xa6\x99'"},
		{"a\x1b", 10, "'a\\x1b'"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct sbuf b = SBUF_INIT;

		sbuf_add_quoted(&b, rows[i].in, rows[i].max);
		assert_string_equal(b.s, rows[i].out);
		sbuf_done(&b);
	}
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_buffer_is_an_empty_string),
		cmocka_unit_test(additions_follow_each_other),
		cmocka_unit_test(any_length_is_kept_and_terminated),
		cmocka_unit_test(bytes_may_be_nul),
		cmocka_unit_test(long_formatted_text_is_whole),
		cmocka_unit_test(formatted_text_of_any_length_follows_what_is_there),
		cmocka_unit_test(a_full_buffer_keeps_whole_additions_and_stays_full),
		cmocka_unit_test(a_formatted_text_beyond_the_cap_is_refused_whole),
		cmocka_unit_test(an_addition_as_long_as_memory_is_refused),
		cmocka_unit_test(cutting_keeps_the_beginning),
		cmocka_unit_test(a_detached_string_belongs_to_the_caller),
		cmocka_unit_test(json_strings_are_escaped),
		cmocka_unit_test(html_text_is_escaped),
		cmocka_unit_test(csv_fields_are_quoted_where_needed),
		cmocka_unit_test(csv_texts_are_no_formulas),
		cmocka_unit_test(markdown_is_read_as_it_is),
		cmocka_unit_test(url_components_are_percent_encoded),
		cmocka_unit_test(a_shell_word_is_quoted_where_needed),
		cmocka_unit_test(a_shell_reads_the_word_back),
		cmocka_unit_test(a_terminal_gets_nothing_it_would_obey),
		cmocka_unit_test(a_quotation_is_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
