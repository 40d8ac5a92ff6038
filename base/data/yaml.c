#include "base/data/yaml.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/sbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

struct reader {
	yaml_parser_t parser;
	const char *text;
	size_t len;
	const char *file;
	struct arena *a;
	struct err *e; /* never NULL */
};

/* ---- errors ---------------------------------------------------------------------------- */

printf_like(3, 4) static enum err_code
	fail(struct reader *r, yaml_mark_t mark, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(r->e, E_CONFIG, "%s:%zu:%zu: %s", r->file, mark.line + 1,
		mark.column + 1, text);
}

/* First byte of the character at a mark, which counts characters; NUL at the end. */
static char char_at(const struct reader *r, const yaml_mark_t *mark)
{
	size_t chars = 0;

	for (size_t i = 0; i < r->len; i++) {
		if ((r->text[i] & 0xc0) == 0x80)
			continue;
		if (chars++ == mark->index)
			return r->text[i];
	}
	return '\0';
}

/* libyaml reports a bad character by its byte offset. */
static yaml_mark_t mark_of_byte(const struct reader *r, size_t offset)
{
	yaml_mark_t m = {0};

	for (size_t i = 0; i < offset && i < r->len; i++) {
		char c = r->text[i];

		if (c == '\n' ||
			(c == '\r' && (i + 1 == r->len || r->text[i + 1] != '\n'))) {
			m.line++;
			m.column = 0;
		} else if (c != '\r' && (c & 0xc0) != 0x80) {
			m.column++;
		}
	}
	return m;
}

/* Most common cause of an error of libyaml 0.2.5, by its message. */
static const char *likely_fix(const char *problem)
{
	static const char *const fixes[][2] = {
		{"mapping values are not allowed in this context",
			"put a value that contains ': ' in quotes, or fix the "
			"indentation"},
		{"found character that cannot start any token", "put the value in quotes"},
		{"did not find expected key", "check the indentation"},
		{"could not find expected ':'", "write 'key: value', with the colon"},
	};

	for (size_t i = 0; i < ARRAY_LEN(fixes); i++)
		if (!strcmp(fixes[i][0], problem))
			return fixes[i][1];
	return NULL;
}

/* "did not find expected key, while parsing a block mapping that begins in line 3" */
static enum err_code syntax_error(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;
	const char *fix = likely_fix(p->problem);

	if (char_at(r, &p->problem_mark) == '\t')
		return fail(r, p->problem_mark, "a tab cannot indent: use blanks");
	if (p->context && p->context_mark.line != p->problem_mark.line)
		fail(r, p->problem_mark, "%s, %s that begins in line %zu", p->problem,
			p->context, p->context_mark.line + 1);
	else
		fail(r, p->problem_mark, "%s", p->problem);
	if (fix)
		err_fix(r->e, "%s", fix);
	return E_CONFIG;
}

static enum err_code parser_error(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;

	if (p->error == YAML_READER_ERROR)
		return fail(r, mark_of_byte(r, p->problem_offset), "%s", p->problem);
	if (p->error == YAML_MEMORY_ERROR)
		out_of_memory(0); /* the file is valid */
	return syntax_error(r);
}

static enum err_code next_event(struct reader *r, yaml_event_t *ev)
{
	return yaml_parser_parse(&r->parser, ev) ? E_OK : parser_error(r);
}

/* ---- nodes ----------------------------------------------------------------------------- */

/* Anchors, aliases and tags can give one text another meaning; none is needed here. */
static enum err_code check_properties(struct reader *r, const yaml_event_t *ev)
{
	const yaml_char_t *anchor = NULL, *tag = NULL;

	switch (ev->type) {
	case YAML_ALIAS_EVENT:
		return fail(r, ev->start_mark, "aliases (*) are not allowed");
	case YAML_SCALAR_EVENT:
		anchor = ev->data.scalar.anchor;
		tag = ev->data.scalar.tag;
		break;
	case YAML_SEQUENCE_START_EVENT:
		anchor = ev->data.sequence_start.anchor;
		tag = ev->data.sequence_start.tag;
		break;
	default: /* YAML_MAPPING_START_EVENT */
		anchor = ev->data.mapping_start.anchor;
		tag = ev->data.mapping_start.tag;
		break;
	}
	if (anchor)
		return fail(r, ev->start_mark, "anchors (&) are not allowed");
	if (tag)
		return fail(r, ev->start_mark, "tags (!) are not allowed");
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

/* The text of a scalar event, in the arena; NULL after an error. */
static const char *scalar_text(struct reader *r, const yaml_event_t *ev)
{
	const char *text = (const char *)ev->data.scalar.value;
	size_t len = ev->data.scalar.length;

	if (strlen(text) == len)
		return arena_strndup(r->a, text, len);
	fail(r, ev->start_mark, "a NUL character (\\0) is not allowed");
	return NULL;
}

static enum err_code read_scalar(
	struct reader *r, const yaml_event_t *ev, struct yaml_node **out)
{
	struct yaml_node *n = new_node(r, YAML_SCALAR, ev->start_mark);

	n->text = scalar_text(r, ev);
	n->plain = ev->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	if (!n->text)
		return E_CONFIG;
	*out = n;
	return E_OK;
}

static enum err_code yaml_read_value(
	struct reader *r, yaml_event_t *ev, int depth, struct yaml_node **out);

static enum err_code read_seq(
	struct reader *r, yaml_mark_t mark, int depth, struct yaml_node **out)
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
		rc = yaml_read_value(r, &ev, depth, last);
		if (rc)
			return rc;
		last = &(*last)->next;
		seq->n++;
	}
}

/* ---- maps ------------------------------------------------------------------------------ */

static enum err_code read_key(struct reader *r, const yaml_event_t *ev, const char **out)
{
	enum err_code rc = check_properties(r, ev);
	const char *key;

	if (rc)
		return rc;
	if (ev->type != YAML_SCALAR_EVENT)
		return fail(r, ev->start_mark, "a key must be a word, not a list or map");
	key = scalar_text(r, ev);
	if (!key)
		return E_CONFIG;
	if (!*key)
		return fail(r, ev->start_mark, "the key is missing");
	if (!strcmp(key, "<<"))
		return fail(r, ev->start_mark, "merge keys (<<) are not allowed");
	*out = key;
	return E_OK;
}

static bool is_before(const struct yaml_node *a, const struct yaml_node *b)
{
	return a->key_line != b->key_line ? a->key_line < b->key_line
					  : a->key_col < b->key_col;
}

static int yaml_by_key(const void *a, const void *b)
{
	const struct yaml_node *x = *(const struct yaml_node *const *)a;
	const struct yaml_node *y = *(const struct yaml_node *const *)b;
	int order = strcmp(x->key, y->key);

	return order ? order : is_before(y, x) - is_before(x, y);
}

/* Sorting keeps a map of tens of thousands of keys fast. Reports the earliest duplicate key. */
static enum err_code check_duplicates(struct reader *r, const struct yaml_node *map)
{
	cleanup(free_ptr)
		const struct yaml_node **v = xcalloc(map->n, sizeof(struct yaml_node *));
	const struct yaml_node *twice = NULL, *first = NULL;
	cleanup(sbuf_done) struct sbuf key = SBUF_INIT;
	size_t n = 0;

	YAML_EACH (it, map)
		v[n++] = it;
	qsort(v, n, sizeof(struct yaml_node *), yaml_by_key);
	for (size_t i = 1; i < n; i++) {
		if (!strcmp(v[i - 1]->key, v[i]->key) &&
			(!twice || is_before(v[i], twice))) {
			first = v[i - 1];
			twice = v[i];
		}
	}
	if (!twice)
		return E_OK;
	sbuf_add_quoted(&key, twice->key, 60);
	return err_set(r->e, E_CONFIG, "%s:%d:%d: key %s is already in line %d", r->file,
		twice->key_line, twice->key_col, key.s, first->key_line);
}

/* Read one key, whose event this function owns, and its value. */
static enum err_code yaml_read_pair(
	struct reader *r, yaml_event_t *ev, int depth, struct yaml_node **out)
{
	yaml_mark_t mark = ev->start_mark;
	struct yaml_node *value = NULL;
	const char *key = NULL;
	enum err_code rc = read_key(r, ev, &key);

	yaml_event_delete(ev);
	if (!rc)
		rc = next_event(r, ev);
	if (!rc)
		rc = yaml_read_value(r, ev, depth, &value);
	if (rc)
		return rc;
	value->key = key;
	value->key_line = (int)mark.line + 1;
	value->key_col = (int)mark.column + 1;
	*out = value;
	return E_OK;
}

static enum err_code read_map(
	struct reader *r, yaml_mark_t mark, int depth, struct yaml_node **out)
{
	struct yaml_node *map = new_node(r, YAML_MAP, mark), **last = &map->child;

	for (;;) {
		yaml_event_t ev;
		enum err_code rc = next_event(r, &ev);

		if (rc)
			return rc;
		if (ev.type == YAML_MAPPING_END_EVENT) {
			yaml_event_delete(&ev);
			rc = check_duplicates(r, map);
			if (!rc)
				*out = map;
			return rc;
		}
		rc = yaml_read_pair(r, &ev, depth, last);
		if (rc)
			return rc;
		last = &(*last)->next;
		map->n++;
	}
}

/* Owns the event. The depth is limited, and with it the recursion. */
static enum err_code yaml_read_value(
	struct reader *r, yaml_event_t *ev, int depth, struct yaml_node **out)
{
	yaml_mark_t mark = ev->start_mark;
	yaml_event_type_t type = ev->type;
	enum err_code rc = check_properties(r, ev);

	if (!rc && type == YAML_SCALAR_EVENT)
		rc = read_scalar(r, ev, out);
	yaml_event_delete(ev);
	if (rc || type == YAML_SCALAR_EVENT)
		return rc;
	if (depth >= YAML_MAX_DEPTH)
		return fail(r, mark, "nested more than %d deep", YAML_MAX_DEPTH);
	/* libyaml sends nothing else here */
	return type == YAML_SEQUENCE_START_EVENT ? read_seq(r, mark, depth + 1, out)
						 : read_map(r, mark, depth + 1, out);
}

/* ---- documents ------------------------------------------------------------------------- */

/* The next event has no content; `type` receives its type and *mark its place. */
static enum err_code skip_event(
	struct reader *r, yaml_event_type_t *type, yaml_mark_t *mark)
{
	yaml_event_t ev;
	enum err_code rc = next_event(r, &ev);

	if (rc)
		return rc;
	*type = ev.type;
	*mark = ev.start_mark;
	if (ev.type == YAML_DOCUMENT_START_EVENT &&
		(ev.data.document_start.version_directive ||
			ev.data.document_start.tag_directives.start !=
				ev.data.document_start.tag_directives.end))
		rc = fail(r, ev.start_mark, "directives (%%) are not allowed");
	yaml_event_delete(&ev);
	return rc;
}

static enum err_code read_document(struct reader *r, struct yaml_node **out)
{
	struct yaml_node *root = NULL;
	yaml_event_type_t type;
	yaml_mark_t mark;
	yaml_event_t ev;
	enum err_code rc = skip_event(r, &type, &mark); /* the stream starts */

	if (!rc)
		rc = skip_event(r, &type, &mark);
	if (!rc && type == YAML_DOCUMENT_START_EVENT) {
		rc = next_event(r, &ev);
		if (!rc)
			rc = yaml_read_value(r, &ev, 0, &root);
		if (!rc)
			rc = skip_event(r, &type, &mark); /* the document ends */
		if (!rc)
			rc = skip_event(r, &type, &mark);
		if (!rc && type != YAML_STREAM_END_EVENT)
			rc = fail(r, mark, "a second document is not allowed");
	}
	if (rc)
		return rc;
	/* "---" and nothing else */
	if (root && root->type == YAML_SCALAR && root->plain && !*root->text)
		root = NULL;
	*out = root;
	return E_OK;
}

enum err_code yaml_parse(const char *text, size_t len, const char *file, struct arena *a,
	struct yaml_node **out, struct err *e)
{
	struct err unused;
	struct reader r = {.text = text, .len = len, .a = a, .e = e ? e : &unused};
	enum err_code rc;

	if (len > YAML_MAX_BYTES)
		return err_set(e, E_CONFIG, "%s:1:1: larger than %d KiB", file,
			YAML_MAX_BYTES / 1024);
	/* Some editors put a byte order mark before UTF-8, which YAML allows. */
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
		r.text += 3;
		r.len -= 3;
	}
	r.file = arena_strdup(a, file);
	if (!yaml_parser_initialize(&r.parser))
		out_of_memory(0);
	/* Set explicitly: otherwise libyaml would read UTF-16, too. */
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)r.text, r.len);
	rc = read_document(&r, out);
	yaml_parser_delete(&r.parser);
	return rc;
}

enum err_code yaml_load(
	const char *path, struct arena *a, struct yaml_node **out, struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct err unused;
	enum err_code rc = fs_read(path, YAML_MAX_BYTES, &b, e ? e : &unused);

	if (rc == E_LIMIT)
		return err_set(e, E_CONFIG, "%s:1:1: larger than %d KiB", path,
			YAML_MAX_BYTES / 1024);
	return rc ? rc : yaml_parse(b.s, b.len, path, a, out, e);
}
