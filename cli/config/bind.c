/* Binding of YAML maps to structs. */
#include "cli/config/bind.h"

#include "base/time/civil.h"
#include "base/fs.h"
#include "base/money.h"
#include "base/sbuf.h"
#include "base/str.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FIELDS 32

/* word-wordN-word: two dashes, the middle part ends in a digit. */
bool zone_valid(const char *s)
{
	const char *first = strchr(s, '-'), *second = first ? strchr(first + 1, '-') : NULL;

	if (!second || first == s || second == first + 1 || !second[1] ||
		strchr(second + 1, '-') || !isdigit((unsigned char)second[-1]))
		return false;
	for (const char *p = s; *p; p++)
		if (!islower((unsigned char)*p) && !isdigit((unsigned char)*p) && *p != '-')
			return false;
	return strlen(s) < 64;
}

static enum err_code bind_texts(
	struct binder *b, const struct yaml_node *n, struct texts *out, struct err *e)
{
	struct texts t = {0};

	if (n->type == YAML_SCALAR) {
		t.v = arena_alloc(b->a, sizeof(*t.v));
		t.n = 1;
		if (yaml_str(n, &t.v[0], e))
			return e->code;
	} else if (n->type == YAML_SEQ) {
		t.v = arena_alloc(b->a, (n->n + 1) * sizeof(*t.v));
		YAML_EACH (item, n) {
			if (yaml_str(item, &t.v[t.n++], e))
				return e->code;
		}
	} else {
		return yaml_err(n, e, "expected a list of names");
	}
	*out = t;
	return E_OK;
}

/* ISO 4217, without funds, metals and tests. */
static const char *const currencies[] = {"AED", "AFN", "ALL", "AMD", "ANG", "AOA", "ARS",
	"AUD", "AWG", "AZN", "BAM", "BBD", "BDT", "BGN", "BHD", "BIF", "BMD", "BND", "BOB",
	"BRL", "BSD", "BTN", "BWP", "BYN", "BZD", "CAD", "CDF", "CHF", "CLP", "CNY", "COP",
	"CRC", "CUP", "CVE", "CZK", "DJF", "DKK", "DOP", "DZD", "EGP", "ERN", "ETB", "EUR",
	"FJD", "FKP", "GBP", "GEL", "GHS", "GIP", "GMD", "GNF", "GTQ", "GYD", "HKD", "HNL",
	"HTG", "HUF", "IDR", "ILS", "INR", "IQD", "IRR", "ISK", "JMD", "JOD", "JPY", "KES",
	"KGS", "KHR", "KMF", "KPW", "KRW", "KWD", "KYD", "KZT", "LAK", "LBP", "LKR", "LRD",
	"LSL", "LYD", "MAD", "MDL", "MGA", "MKD", "MMK", "MNT", "MOP", "MRU", "MUR", "MVR",
	"MWK", "MXN", "MYR", "MZN", "NAD", "NGN", "NIO", "NOK", "NPR", "NZD", "OMR", "PAB",
	"PEN", "PGK", "PHP", "PKR", "PLN", "PYG", "QAR", "RON", "RSD", "RUB", "RWF", "SAR",
	"SBD", "SCR", "SDG", "SEK", "SGD", "SHP", "SLE", "SOS", "SRD", "SSP", "STN", "SVC",
	"SYP", "SZL", "THB", "TJS", "TMT", "TND", "TOP", "TRY", "TTD", "TWD", "TZS", "UAH",
	"UGX", "USD", "UYU", "UZS", "VED", "VES", "VND", "VUV", "WST", "XAF", "XCD", "XCG",
	"XOF", "XPF", "YER", "ZAR", "ZMW", "ZWG"};

/* A bill is never in another currency: a budget or credit would stay unknown. */
static enum err_code bind_check_currency(
	const struct yaml_node *n, const char *cur, struct err *e)
{
	const char *near;

	if (str_in(cur, currencies, ARRAY_LEN(currencies)))
		return E_OK;
	near = str_nearest(cur, currencies, ARRAY_LEN(currencies));
	yaml_err(n, e,
		"'%.20s' is not a currency (expected three capital letters such as HKD)",
		cur);
	return near ? err_fix(e, "did you mean '%s'?", near) : e->code;
}

enum err_code bind_value(struct binder *b, const struct yaml_node *n, enum bind_type type,
	void *at, struct err *e)
{
	const char *s = NULL;
	char *full;

	if (type <= BIND_SCALAR && yaml_str(n, &s, e))
		return e->code;
	switch (type) {
	case BIND_TEXT:
		*(const char **)at = s;
		return E_OK;
	case BIND_PATH:
		full = fs_resolve(b->file, s);
		*(const char **)at = *arena_push(b->a, &b->paths) = arena_strdup(
			b->a, full);
		free(full);
		return E_OK;
	case BIND_DURATION:
		return duration_parse(s, at, e) ? yaml_err_at(n, e) : E_OK;
	case BIND_MONEY:
		if (money_parse(s, at, e))
			return yaml_err_at(n, e);
		return bind_check_currency(n, ((struct money *)at)->cur, e);
	case BIND_CURRENCY:
		if (bind_check_currency(n, s, e))
			return e->code;
		memcpy(at, s, 4);
		return E_OK;
	case BIND_ZONE:
		if (!zone_valid(s))
			return yaml_err(n, e,
				"'%s' is not a zone (expected one such as us-central1-f)",
				s);
		*(const char **)at = s;
		return E_OK;
	case BIND_FLAG:
		return yaml_bool(n, at, e);
	case BIND_COUNT:
		return yaml_i64(n, 0, 1000000000, at, e);
	case BIND_TEXTS:
		return bind_texts(b, n, at, e);
	case BIND_NODE:
		*(const struct yaml_node **)at = n;
		return E_OK;
	default:
		return err_set(e, E_BUG, "binding type");
	}
}

const char *bind_type_name(const struct field *f)
{
	static const char *const names[] = {
		[BIND_TEXT] = "text",
		[BIND_PATH] = "path",
		[BIND_FLAG] = "true or false",
		[BIND_COUNT] = "number",
		[BIND_DURATION] = "duration",
		[BIND_MONEY] = "amount",
		[BIND_CURRENCY] = "currency",
		[BIND_ZONE] = "zone",
		[BIND_TEXTS] = "list of text",
		[BIND_SCALAR] = "text",
		[BIND_WORD] = "word",
		[BIND_ENUM] = "word",
		[BIND_NODE] = "list",
		[BIND_MAP] = "map",
		[BIND_LIST] = "list",
		[BIND_OTHER] = "map",
	};

	if (f->shape)
		return f->shape;
	return f->sub && f->sub->list ? "list" : names[f->type];
}

static enum err_code bind_word(
	const struct yaml_node *n, const struct field *f, void *at, struct err *e)
{
	const char *word;
	unsigned count = 0, i = 0;

	while (f->words[count])
		count++;
	if (bind_one_of(n, f->words, count, &word, e))
		return e->code;
	while (f->words[i] != word)
		i++;
	if (f->type == BIND_ENUM)
		*(unsigned *)at = i;
	else if (f->type == BIND_FLAG)
		*(bool *)at = i;
	else
		*(const char **)at = word;
	return E_OK;
}

static enum err_code bind_field(struct binder *b, const struct yaml_node *n,
	const struct field *f, void *obj, struct err *e)
{
	void *at = (char *)obj + f->offset;
	const char *text;

	if (f->type == BIND_SCALAR && yaml_str(n, &text, e))
		return e->code;
	if (f->read)
		return f->read(b, n, at, e);
	if (f->words)
		return bind_word(n, f, at, e);
	if (f->type == BIND_LIST)
		return bind_items(b, n, f->key, f->sub, at, e);
	return f->type == BIND_MAP ? bind_set(b, n, f->sub, at, e)
				   : bind_value(b, n, f->type, at, e);
}

enum err_code bind_map(struct binder *b, const struct yaml_node *map, const char *what,
	const struct field *fields, size_t n, void *obj, struct err *e)
{
	const char *keys[MAX_FIELDS];

	if (n > MAX_FIELDS)
		return err_set(e, E_BUG, "too many fields for %s", what);
	for (size_t i = 0; i < n; i++)
		keys[i] = fields[i].key;
	if (yaml_check_keys(map, what, keys, n, e))
		return e->code;
	YAML_EACH (item, map)
		for (size_t i = 0; i < n; i++)
			if (!strcmp(keys[i], item->key) &&
				bind_field(b, item, &fields[i], obj, e))
				return e->code;
	for (size_t i = 0; i < n; i++)
		if (fields[i].required && !yaml_get(map, fields[i].key))
			return yaml_err(map, e, "%s: %s is missing", what, fields[i].key);
	return E_OK;
}

enum err_code bind_set(struct binder *b, const struct yaml_node *map,
	const struct field_set *set, void *obj, struct err *e)
{
	if (bind_map(b, map, set->what, set->v, set->n, obj, e))
		return e->code;
	return set->check ? set->check(b, map, obj, e) : E_OK;
}

static enum err_code bind_array(struct binder *b, const struct yaml_node *seq,
	const char *what, const struct field_set *set, void **out, size_t *n_out,
	struct err *e)
{
	char *array;
	size_t i = 0;

	if (yaml_is_null(seq)) {
		*n_out = 0;
		return E_OK;
	}
	if (seq->type != YAML_SEQ)
		return yaml_err(
			seq, e, "%s: expected a list (lines that begin with '- ')", what);
	array = arena_alloc(b->a, (seq->n + 1) * set->size);
	YAML_EACH (item, seq) {
		const char *name = arena_printf(b->a, "%s[%zu]", what, i);
		void *at = array + i++ * set->size;

		if (set->start)
			memcpy(at, set->start, set->size);
		if (item->type != YAML_MAP)
			return yaml_err(item, e, "%s: expected 'key: value' pairs", name);
		if (bind_map(b, item, name, set->v, set->n, at, e))
			return e->code;
	}
	*out = array;
	*n_out = i;
	i = 0;
	YAML_EACH (item, seq)
		if (set->check && set->check(b, item, array + i++ * set->size, e))
			return e->code;
	return E_OK;
}

enum err_code bind_list(struct binder *b, const struct yaml_node *seq, const char *what,
	const struct field *fields, size_t n, size_t size, void **out, size_t *n_out,
	struct err *e)
{
	const struct field_set set = {fields, n, .size = size};

	return bind_array(b, seq, what, &set, out, n_out, e);
}

enum err_code bind_items(struct binder *b, const struct yaml_node *seq, const char *what,
	const struct field_set *set, void *at, struct err *e)
{
	return bind_array(b, seq, what, set, at, (size_t *)((void **)at + 1), e);
}

enum err_code bind_one_of(const struct yaml_node *n, const char *const *words, size_t count,
	const char **out, struct err *e)
{
	cleanup(sbuf_done) struct sbuf all = SBUF_INIT;
	const char *s, *near;

	if (yaml_str(n, &s, e))
		return e->code;
	for (size_t i = 0; i < count; i++) {
		sbuf_addf(&all, "%s%s", i ? ", " : "", words[i]);
		if (!strcmp(words[i], s)) {
			*out = words[i];
			return E_OK;
		}
	}
	yaml_err(n, e, "'%.40s' is not valid (expected one of: %s)", s, all.s);
	near = str_nearest(s, words, count);
	return near ? err_fix(e, "did you mean '%s'?", near) : e->code;
}
