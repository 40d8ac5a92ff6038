/* Any bytes: yaml_parse never crashes, refuses only with "file:line:col: message", and what
 * it accepts is a tree within the promised bounds that reads the same when written again. */
#include "base/data/yaml.h"

#include "base/sbuf.h"
#include "base/str.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_scalar(const struct yaml_node *n)
{
	const char *s = NULL;
	int64_t v = 0;
	bool b;

	fuzz_require(n->text && utf8_valid(n->text, strlen(n->text)));
	fuzz_require((yaml_str(n, &s, NULL) == E_OK) == !yaml_is_null(n));
	if (yaml_i64(n, -5, 5, &v, NULL) == E_OK)
		fuzz_require(v >= -5 && v <= 5);
	if (yaml_bool(n, &b, NULL) == E_OK)
		fuzz_require(n->plain);
}

static void check_yaml_tree(const struct yaml_node *n, int depth)
{
	size_t items = 0;

	fuzz_require(n->line >= 1 && n->col >= 1 && !strcmp(n->file, "f"));
	if (n->type == YAML_SCALAR) {
		check_scalar(n);
		fuzz_require(!n->child);
		return;
	}
	fuzz_require(depth < YAML_MAX_DEPTH);
	YAML_EACH (it, n) {
		items++;
		if (n->type == YAML_MAP)
			fuzz_require(it->key && *it->key && it->key_line >= 1 &&
				it->key_col >= 1 && yaml_get(n, it->key) == it);
		else
			fuzz_require(!it->key);
		check_yaml_tree(it, depth + 1);
	}
	fuzz_require(items == n->n);
}

/* "f:LINE:COL: message", one line of UTF-8 */
static void check_yaml_refusal(const struct err *e)
{
	int line = 0, col = 0, len = 0;

	fuzz_require(e->code == E_CONFIG);
	fuzz_require(sscanf(e->msg, "f:%d:%d: %n", &line, &col, &len) == 2 && len);
	fuzz_require(line >= 1 && col >= 1 && e->msg[len] && !strchr(e->msg, '\n'));
	fuzz_require(utf8_valid(e->msg, strlen(e->msg)));
}

static void write_quoted(struct sbuf *b, const char *s)
{
	sbuf_addc(b, '"');
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c < 0x20 || c == 0x7f)
			sbuf_addf(b, "\\x%02x", c);
		else if (c == '"' || c == '\\')
			sbuf_addf(b, "\\%c", c);
		else
			sbuf_addc(b, *s);
	}
	sbuf_addc(b, '"');
}

static void write_flow(struct sbuf *b, const struct yaml_node *n)
{
	if (n->type == YAML_SCALAR) {
		write_quoted(b, n->text);
		return;
	}
	sbuf_addc(b, n->type == YAML_SEQ ? '[' : '{');
	YAML_EACH (it, n) {
		if (n->type == YAML_MAP) {
			sbuf_adds(b, "? ");
			write_quoted(b, it->key);
			sbuf_adds(b, " : ");
		}
		write_flow(b, it);
		sbuf_adds(b, ",\n");
	}
	sbuf_addc(b, n->type == YAML_SEQ ? ']' : '}');
}

/* Characters that libyaml folds, or refuses when they are not escaped. */
static bool is_delicate(const char *s)
{
	size_t n;

	for (; *s; s += n) {
		uint32_t c = utf8_next(s, &n);

		if ((c >= 0x80 && c < 0xa0) || c == 0x2028 || c == 0x2029 || c == 0xfeff ||
			c == 0xfffe || c == 0xffff)
			return true;
	}
	return false;
}

static void check_round_trip(const struct yaml_node *n, struct arena *a)
{
	cleanup(sbuf_done) struct sbuf once = SBUF_INIT, twice = SBUF_INIT;
	struct yaml_node *again = NULL;
	struct err e = {0};

	write_flow(&once, n);
	if (once.len <= YAML_MAX_BYTES && !is_delicate(once.s)) {
		fuzz_require(yaml_parse(once.s, once.len, "f", a, &again, &e) == E_OK);
		fuzz_require(again != NULL);
		write_flow(&twice, again);
		fuzz_require(!strcmp(once.s, twice.s));
	}
}

int fuzz_yaml(const uint8_t *data, size_t size)
{
	cleanup(free_ptr) char *text = xmalloc(size);
	struct yaml_node *n = NULL;
	struct arena a = {0};
	struct err e = {0};

	if (size)
		memcpy(text, data, size);
	if (yaml_parse(text, size, "f", &a, &n, &e) != E_OK) {
		fuzz_require(!n);
		check_yaml_refusal(&e);
	} else if (n) {
		check_yaml_tree(n, 0);
		check_round_trip(n, &a);
	}
	arena_done(&a);
	return 0;
}
