#include "base/yaml.h"

#include "base/fs.h"
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

struct reader {
	yaml_parser_t parser;
	const char *file;
	struct arena *a;
	struct err *e;
};

static enum err_code at(struct reader *r, yaml_mark_t mark, const char *fmt, ...)
	printf_like(3, 4);

static enum err_code at(struct reader *r, yaml_mark_t mark, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(r->e, E_CONFIG, "%s:%zu:%zu: %s", r->file, mark.line + 1,
		mark.column + 1, text);
}

/* Where a byte offset is: libyaml tells only that for bad characters. */
static yaml_mark_t mark_of_offset(const struct reader *r, size_t offset)
{
	const unsigned char *s = r->parser.input.string.start;
	size_t len = (size_t)(r->parser.input.string.end - s);
	yaml_mark_t m = {0};

	for (size_t i = 0; i < offset && i < len; i++) {
		if (s[i] == '\n') {
			m.line++;
			m.column = 0;
		} else if ((s[i] & 0xc0) != 0x80) {
			m.column++;
		}
	}
	return m;
}

static enum err_code parser_error(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;
	const char *why = p->problem ? p->problem : "cannot be read";

	if (p->error == YAML_READER_ERROR)
		return at(r, mark_of_offset(r, p->problem_offset), "%s", why);
	if (p->error == YAML_MEMORY_ERROR)
		return err_set(r->e, E_LIMIT, "%s: out of memory", r->file);
	return at(r, p->problem_mark, "%s%s%s", p->context ? p->context : "",
		p->context ? ": " : "", why);
}

static enum err_code next_event(struct reader *r, yaml_event_t *ev)
{
	return yaml_parser_parse(&r->parser, ev) ? E_OK : parser_error(r);
}

/* Anchors, aliases and tags make one text mean another; none is needed here. */
static enum err_code check_plain(struct reader *r, const yaml_event_t *ev)
{
	const yaml_char_t *anchor = NULL, *tag = NULL;

	switch (ev->type) {
	case YAML_ALIAS_EVENT:
		return at(r, ev->start_mark, "aliases (*) are not allowed");
	case YAML_SCALAR_EVENT:
		anchor = ev->data.scalar.anchor;
		tag = ev->data.scalar.tag;
		break;
	case YAML_SEQUENCE_START_EVENT:
		anchor = ev->data.sequence_start.anchor;
		tag = ev->data.sequence_start.tag;
		break;
	case YAML_MAPPING_START_EVENT:
		anchor = ev->data.mapping_start.anchor;
		tag = ev->data.mapping_start.tag;
		break;
	default:
		break;
	}
	if (anchor)
		return at(r, ev->start_mark, "anchors (&) are not allowed");
	if (tag)
		return at(r, ev->start_mark, "tags (!) are not allowed");
	return E_OK;
}

static struct yaml_node *new_node(struct reader *r, enum yaml_type type, yaml_mark_t mark)
{
	struct yaml_node *n = arena_new(r->a, struct yaml_node);

	n->type = type;
	n->file = r->file;
	n->line = (int)mark.line + 1;
	n->col = (int)mark.column + 1;
	return n;
}

static enum err_code read_value(struct reader *r, yaml_event_t *ev, int depth,
	struct yaml_node **out);

static enum err_code read_scalar(struct reader *r, const yaml_event_t *ev,
	struct yaml_node **out)
{
	const char *text = (const char *)ev->data.scalar.value;
	size_t len = ev->data.scalar.length;
	struct yaml_node *n = new_node(r, YAML_SCALAR, ev->start_mark);

	if (strlen(text) != len)
		return at(r, ev->start_mark, "a NUL character is not allowed");
	n->text = arena_strndup(r->a, text, len);
	n->plain = ev->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	*out = n;
	return E_OK;
}

static enum err_code read_seq(struct reader *r, yaml_mark_t mark, int depth,
	struct yaml_node **out)
{
	struct yaml_node *seq = new_node(r, YAML_SEQ, mark), **last = &seq->child;

	for (;;) {
		yaml_event_t ev;
		enum err_code rc = next_event(r, &ev);

		if (rc)
			return rc;
		if (ev.type == YAML_SEQUENCE_END_EVENT) {
			yaml_event_delete(&ev);
			*out = seq;
			return E_OK;
		}
		rc = read_value(r, &ev, depth, last);
		if (rc)
			return rc;
		last = &(*last)->next;
		seq->n++;
	}
}

/* Maps are short: see the cap in read_key. */
static bool has_key(const struct yaml_node *map, const char *key)
{
	for (const struct yaml_node *c = map->child; c; c = c->next)
		if (c->key && !strcmp(c->key, key))
			return true;
	return false;
}

static enum err_code read_key(struct reader *r, const yaml_event_t *ev,
	const struct yaml_node *map, const char **key)
{
	enum err_code rc = check_plain(r, ev);
	const char *text;

	if (rc)
		return rc;
	if (ev->type != YAML_SCALAR_EVENT)
		return at(r, ev->start_mark, "a key must be a word");
	text = (const char *)ev->data.scalar.value;
	if (strlen(text) != ev->data.scalar.length)
		return at(r, ev->start_mark, "a NUL character is not allowed");
	if (!strcmp(text, "<<"))
		return at(r, ev->start_mark, "merge keys (<<) are not allowed");
	if (map->n >= 1000)
		return at(r, ev->start_mark, "more than 1000 keys in one map");
	if (has_key(map, text))
		return at(r, ev->start_mark, "key \"%.100s\" is given twice", text);
	*key = arena_strdup(r->a, text);
	return E_OK;
}

static enum err_code read_map(struct reader *r, yaml_mark_t mark, int depth,
	struct yaml_node **out)
{
	struct yaml_node *map = new_node(r, YAML_MAP, mark), **last = &map->child;

	for (;;) {
		yaml_event_t ev;
		yaml_mark_t key_mark;
		const char *key = NULL;
		struct yaml_node *value = NULL;
		enum err_code rc = next_event(r, &ev);

		if (rc)
			return rc;
		if (ev.type == YAML_MAPPING_END_EVENT) {
			yaml_event_delete(&ev);
			*out = map;
			return E_OK;
		}
		key_mark = ev.start_mark;
		rc = read_key(r, &ev, map, &key);
		yaml_event_delete(&ev);
		if (rc)
			return rc;
		rc = next_event(r, &ev);
		if (!rc)
			rc = read_value(r, &ev, depth, &value);
		if (rc)
			return rc;
		value->key = key;
		value->key_line = (int)key_mark.line + 1;
		value->key_col = (int)key_mark.column + 1;
		*last = value;
		last = &value->next;
		map->n++;
	}
}

/* Takes over the event. Depth is capped, so recursion is too. */
static enum err_code read_value(struct reader *r, yaml_event_t *ev, int depth,
	struct yaml_node **out)
{
	yaml_mark_t mark = ev->start_mark;
	yaml_event_type_t type = ev->type;
	enum err_code rc = check_plain(r, ev);

	if (!rc && type == YAML_SCALAR_EVENT)
		rc = read_scalar(r, ev, out);
	yaml_event_delete(ev);
	if (rc || type == YAML_SCALAR_EVENT)
		return rc;
	if (depth >= YAML_MAX_DEPTH)
		return at(r, mark, "nested more than %d deep", YAML_MAX_DEPTH);
	if (type == YAML_SEQUENCE_START_EVENT)
		return read_seq(r, mark, depth + 1, out);
	if (type == YAML_MAPPING_START_EVENT)
		return read_map(r, mark, depth + 1, out);
	return at(r, mark, "unexpected content");
}

static enum err_code expect(struct reader *r, yaml_event_type_t want, const char *what)
{
	yaml_event_t ev;
	enum err_code rc = next_event(r, &ev);

	if (rc)
		return rc;
	if (ev.type != want)
		rc = at(r, ev.start_mark, "%s", what);
	yaml_event_delete(&ev);
	return rc;
}

static enum err_code read_document(struct reader *r, struct yaml_node **out)
{
	struct yaml_node *root = NULL;
	yaml_event_t ev;
	enum err_code rc = expect(r, YAML_STREAM_START_EVENT, "not a YAML stream");

	if (!rc)
		rc = next_event(r, &ev);
	if (rc)
		return rc;
	if (ev.type == YAML_STREAM_END_EVENT) {
		yaml_event_delete(&ev);
		*out = NULL;
		return E_OK;
	}
	yaml_event_delete(&ev); /* the document starts */
	rc = next_event(r, &ev);
	if (!rc)
		rc = read_value(r, &ev, 0, &root);
	if (!rc)
		rc = expect(r, YAML_DOCUMENT_END_EVENT, "unexpected content");
	if (!rc)
		rc = expect(r, YAML_STREAM_END_EVENT, "a second document is not allowed");
	if (!rc)
		*out = root;
	return rc;
}

enum err_code yaml_parse(const char *text, size_t len, const char *file, struct arena *a,
	struct yaml_node **out, struct err *e)
{
	struct err dummy;
	struct reader r = {.file = arena_strdup(a, file), .a = a, .e = e ? e : &dummy};
	enum err_code rc;

	if (len > YAML_MAX_BYTES)
		return err_set(e, E_CONFIG, "%s:1:1: larger than %d KiB", file,
			YAML_MAX_BYTES / 1024);
	if (!yaml_parser_initialize(&r.parser))
		return err_set(e, E_LIMIT, "%s: out of memory", file);
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, len);
	rc = read_document(&r, out);
	yaml_parser_delete(&r.parser);
	return rc;
}

enum err_code yaml_load(const char *path, struct arena *a, struct yaml_node **out,
	struct err *e)
{
	struct sbuf b = SBUF_INIT;
	enum err_code rc = fs_read(path, YAML_MAX_BYTES, &b, e);

	if (!rc)
		rc = yaml_parse(b.s, b.len, path, a, out, e);
	sbuf_done(&b);
	return rc;
}

/* ---- reading the tree ---------------------------------------------------------------------- */

const struct yaml_node *yaml_get(const struct yaml_node *map, const char *key)
{
	if (!map || map->type != YAML_MAP)
		return NULL;
	YAML_EACH(it, map) {
		if (!strcmp(it->key, key))
			return it;
	}
	return NULL;
}

bool yaml_is_null(const struct yaml_node *n)
{
	return n->type == YAML_SCALAR && n->plain &&
		(!*n->text || !strcmp(n->text, "~") || !strcmp(n->text, "null"));
}

static enum err_code verr(struct err *e, const char *file, int line, int col, const char *fmt,
	va_list ap)
{
	char text[768];

	if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
		text[0] = '\0';
	return err_set(e, E_CONFIG, "%s:%d:%d: %s", file, line, col, text);
}

enum err_code yaml_err(const struct yaml_node *n, struct err *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	verr(e, n->file, n->line, n->col, fmt, ap);
	va_end(ap);
	return E_CONFIG;
}

enum err_code yaml_err_key(const struct yaml_node *n, struct err *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	verr(e, n->file, n->key ? n->key_line : n->line, n->key ? n->key_col : n->col, fmt, ap);
	va_end(ap);
	return E_CONFIG;
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

enum err_code yaml_check_keys(const struct yaml_node *map, const char *what,
	const char *const *keys, size_t n, struct err *e)
{
	if (map->type != YAML_MAP)
		return yaml_err(map, e, "%s: want \"key: value\" pairs", what);
	YAML_EACH(it, map) {
		const char *near;
		bool known = false;

		for (size_t i = 0; i < n && !known; i++)
			known = !strcmp(keys[i], it->key);
		if (known)
			continue;
		near = str_nearest(it->key, keys, n);
		yaml_err_key(it, e, "%s: unknown key \"%.100s\"", what, it->key);
		if (near)
			err_fix(e, "did you mean \"%s\"?", near);
		return E_CONFIG;
	}
	return E_OK;
}

enum err_code yaml_str(const struct yaml_node *n, const char **out, struct err *e)
{
	if (n->type != YAML_SCALAR)
		return yaml_err(n, e, "want one value, got a %s",
			n->type == YAML_SEQ ? "list" : "map");
	if (yaml_is_null(n))
		return yaml_err(n, e, "the value is missing");
	*out = n->text;
	return E_OK;
}

enum err_code yaml_bool(const struct yaml_node *n, bool *out, struct err *e)
{
	if (n->type == YAML_SCALAR && n->plain && !strcmp(n->text, "true"))
		*out = true;
	else if (n->type == YAML_SCALAR && n->plain && !strcmp(n->text, "false"))
		*out = false;
	else
		return yaml_err(n, e, "want true or false");
	return E_OK;
}

enum err_code yaml_i64(const struct yaml_node *n, int64_t min, int64_t max, int64_t *out,
	struct err *e)
{
	if (n->type != YAML_SCALAR || !str_to_i64(n->text, min, max, out))
		return yaml_err(n, e, "want a whole number from %lld to %lld", (long long)min,
			(long long)max);
	return E_OK;
}
