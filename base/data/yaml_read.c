/* Values of a YAML tree, with the place of errors. */
#include "base/data/yaml.h"

#include "base/sbuf.h"
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct yaml_node *yaml_get(const struct yaml_node *map, const char *key)
{
	if (!map || map->type != YAML_MAP)
		return NULL;
	YAML_EACH (it, map)
		if (!strcmp(it->key, key))
			return it;
	return NULL;
}

bool yaml_is_null(const struct yaml_node *n)
{
	return !n ||
		(n->type == YAML_SCALAR && n->plain &&
			(!*n->text || !strcmp(n->text, "~") || !strcmp(n->text, "null")));
}

/* ---- errors ---------------------------------------------------------------------------- */

/* The message may contain text of the file: a control character in it must neither break the line
 * nor reach a terminal. */
static enum err_code err_at(
	struct err *e, const char *file, int line, int col, const char *text)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_add_term(&b, text);
	if (!file)
		return err_set(e, E_CONFIG, "%s", b.s);
	return err_set(e, E_CONFIG, "%s:%d:%d: %s", file, line, col, b.s);
}

enum err_code yaml_err(const struct yaml_node *n, struct err *e, const char *fmt, ...)
{
	char text[768];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_at(e, n ? n->file : NULL, n ? n->line : 0, n ? n->col : 0, text);
}

enum err_code yaml_err_key(const struct yaml_node *n, struct err *e, const char *fmt, ...)
{
	char text[768];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!n || !n->key)
		return yaml_err(n, e, "%s", text);
	return err_at(e, n->file, n->key_line, n->key_col, text);
}

enum err_code yaml_err_at(const struct yaml_node *n, struct err *e)
{
	char why[sizeof(e->msg)], fix[sizeof(e->fix)];

	if (!e)
		return E_CONFIG;
	memcpy(why, e->msg, sizeof(why));
	memcpy(fix, e->fix, sizeof(fix));
	yaml_err(n, e, "%s", why);
	if (fix[0])
		err_fix(e, "%s", fix);
	return E_CONFIG;
}

/* ---- keys ------------------------------------------------------------------------------ */

static enum err_code unknown_key(const struct yaml_node *it, const char *what,
	const char *const *keys, size_t n, struct err *e)
{
	const char *near = str_nearest(it->key, keys, n);
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_add_quoted(&b, it->key, 60);
	yaml_err_key(it, e, "%s: unknown key %s", what, b.s);
	sbuf_reset(&b);
	for (size_t i = 0; i < n; i++)
		sbuf_addf(&b, "%s%s", i ? ", " : "", keys[i]);
	if (near)
		err_fix(e, "did you mean '%s'?", near);
	else if (n)
		err_fix(e, "keys here: %s", b.s);
	return E_CONFIG;
}

enum err_code yaml_check_keys(const struct yaml_node *map, const char *what,
	const char *const *keys, size_t n, struct err *e)
{
	if (!map || map->type != YAML_MAP)
		return yaml_err(map, e, "%s: expected 'key: value' pairs", what);
	YAML_EACH (it, map)
		if (!str_in(it->key, keys, n))
			return unknown_key(it, what, keys, n, e);
	return E_OK;
}

/* ---- scalars --------------------------------------------------------------------------- */

/* "<want>, got <what the node is>" */
static enum err_code mistyped(const struct yaml_node *n, struct err *e, const char *want)
{
	cleanup(sbuf_done) struct sbuf got = SBUF_INIT;

	if (yaml_is_null(n))
		return yaml_err(n, e, "the value is missing: %s", want);
	if (n->type == YAML_SCALAR)
		sbuf_add_quoted(&got, n->text, 60);
	else
		sbuf_adds(&got, n->type == YAML_SEQ ? "a list" : "a map");
	return yaml_err(n, e, "%s, got %s", want, got.s);
}

enum err_code yaml_str(const struct yaml_node *n, const char **out, struct err *e)
{
	if (yaml_is_null(n) || n->type != YAML_SCALAR)
		return mistyped(n, e, "expected one value");
	*out = n->text;
	return E_OK;
}

enum err_code yaml_bool(const struct yaml_node *n, bool *out, struct err *e)
{
	bool plain = n && n->type == YAML_SCALAR && n->plain;

	if (plain && !strcmp(n->text, "true"))
		*out = true;
	else if (plain && !strcmp(n->text, "false"))
		*out = false;
	else
		return mistyped(n, e, "expected true or false");
	return E_OK;
}

enum err_code yaml_i64(
	const struct yaml_node *n, int64_t min, int64_t max, int64_t *out, struct err *e)
{
	char want[80];

	if (n && n->type == YAML_SCALAR && str_to_i64(n->text, min, max, out))
		return E_OK;
	snprintf(want, sizeof(want), "expected a whole number from %lld to %lld",
		(long long)min, (long long)max);
	return mistyped(n, e, want);
}
