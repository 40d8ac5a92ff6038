/* JSON lines as written by BigQuery extracts, and arrays of the same objects. */
#include "base/data/json.h"
#include "collector/import/row.h"

#include <stdlib.h>
#include <string.h>

#define BUFFER (2 * IMPORT_MAX_ROW)
#define TURN_ROWS 20000

#define SCALAR(name, field)                     \
	{                                       \
		JSON_KEY(name), .slot = (field) \
	}
#define RECORD(name, list)                                              \
	{                                                               \
		JSON_KEY(name), .sub = (list), .n_sub = ARRAY_LEN(list) \
	}

#define ITEMS(field, list_of) \
	.slot = (field), .sub = (list_of), .n_sub = ARRAY_LEN(list_of), .list = true
#define LIST(name, field, list_of)                    \
	{                                             \
		JSON_KEY(name), ITEMS(field, list_of) \
	}

static const struct json_wish service[] = {
	SCALAR("id", IMPORT_SERVICE_ID), SCALAR("description", IMPORT_SERVICE)};
static const struct json_wish sku[] = {
	SCALAR("id", IMPORT_SKU_ID), SCALAR("description", IMPORT_SKU)};
static const struct json_wish label[] = {
	SCALAR("key", IMPORT_LABEL_KEY), SCALAR("value", IMPORT_LABEL_VALUE)};
static const struct json_wish project[] = {SCALAR("id", IMPORT_PROJECT),
	SCALAR("number", IMPORT_NUMBER), LIST("labels", IMPORT_PROJECT_LABELS_JSON, label)};
static const struct json_wish location[] = {SCALAR("location", IMPORT_LOCATION),
	SCALAR("region", IMPORT_REGION), SCALAR("zone", IMPORT_ZONE)};
static const struct json_wish resource[] = {
	SCALAR("name", IMPORT_RESOURCE), SCALAR("global_name", IMPORT_GLOBAL_NAME)};
static const struct json_wish usage[] = {SCALAR("amount", IMPORT_USAGE),
	SCALAR("unit", IMPORT_UNIT),
	SCALAR("amount_in_pricing_units", IMPORT_PRICING_USAGE),
	SCALAR("pricing_unit", IMPORT_PRICING_UNIT)};
static const struct json_wish invoice[] = {SCALAR("month", IMPORT_INVOICE)};
static const struct json_wish price[] = {SCALAR("effective_price", IMPORT_PRICE),
	SCALAR("pricing_unit_quantity", IMPORT_PRICE_QUANTITY),
	SCALAR("effective_price_default", IMPORT_PRICE_DEFAULT)};
static const struct json_wish model[] = {
	SCALAR("id", IMPORT_MODEL), SCALAR("description", IMPORT_MODEL_NAME)};
static const struct json_wish credit[] = {
	SCALAR("type", IMPORT_CREDIT_TYPE), SCALAR("amount", IMPORT_CREDIT_AMOUNT)};

/* In the order of the table's columns, which is usually the order of the keys. */
static const struct json_wish row_wishes[] = {SCALAR("billing_account_id", IMPORT_ACCOUNT),
	RECORD("service", service), RECORD("sku", sku),
	SCALAR("usage_start_time", IMPORT_START), RECORD("project", project),
	RECORD("location", location), RECORD("resource", resource),
	SCALAR("export_time", IMPORT_EXPORTED), SCALAR("cost", IMPORT_COST),
	SCALAR("currency", IMPORT_CURRENCY),
	SCALAR("currency_conversion_rate", IMPORT_RATE), RECORD("usage", usage),
	LIST("credits", IMPORT_CREDITS_JSON, credit),
	LIST("labels", IMPORT_LABELS_JSON, label), RECORD("invoice", invoice),
	SCALAR("cost_type", IMPORT_COST_TYPE), SCALAR("cost_at_list", IMPORT_LIST_COST),
	RECORD("price", price), RECORD("consumption_model", model),
	SCALAR("cost_at_effective_price_default", IMPORT_DEFAULT_COST),
	SCALAR("cost_at_list_consumption_model", IMPORT_LIST_COST_MODEL)};

/* FOCUS uses upper case for the same word. */
static const struct json_wish focus_credit[] = {SCALAR("Type", IMPORT_CREDIT_TYPE),
	SCALAR("Amount", IMPORT_CREDIT_AMOUNT), SCALAR("type", IMPORT_CREDIT_TYPE),
	SCALAR("amount", IMPORT_CREDIT_AMOUNT)};
static const struct json_wish lists[] = {{ITEMS(IMPORT_CREDITS_JSON, focus_credit)},
	{ITEMS(IMPORT_LABELS_JSON, label)}, {ITEMS(IMPORT_PROJECT_LABELS_JSON, label)}};

static enum err_code rows_on_item(void *ctx, const struct json_wish *list, struct err *e)
{
	return list->slot == IMPORT_CREDITS_JSON
		? import_credit(ctx, e)
		: import_label(ctx, list->slot == IMPORT_PROJECT_LABELS_JSON, e);
}

static struct json_picker rows_picker_for(
	struct import_rows *rows, const struct json_wish *wishes, size_t n)
{
	return (struct json_picker){.wishes = wishes,
		.n = n,
		.slots = rows->v,
		.n_slots = IMPORT_FIELDS,
		.on_item = rows_on_item,
		.ctx = rows,
		.scratch = &rows->scratch};
}

enum err_code import_list(struct import_rows *rows, enum import_field list,
	const char *text, size_t len, struct err *e)
{
	struct json_picker p = rows_picker_for(rows, &lists[list - IMPORT_CREDITS_JSON], 1);

	return json_pick(&p, text, len, e);
}

/* ---- buffer ------------------------------------------------------------------------------------- */

struct window {
	struct import_input *in;
	char *buf; /* BUFFER bytes plus one */
	size_t from, to;
	bool ended;
};

/* Moves the remaining bytes to the beginning and fills the buffer. False at the end of the file. */
static bool rows_fill(struct window *w, struct err *e)
{
	size_t n = 0;

	memmove(w->buf, w->buf + w->from, w->to - w->from);
	w->to -= w->from;
	w->from = 0;
	if (import_more(w->in, w->buf + w->to, BUFFER - w->to, &n, e))
		return false;
	w->to += n;
	w->ended = n == 0;
	return n > 0;
}

static enum err_code rows_one_row(
	struct window *w, struct import_rows *rows, size_t len, struct err *e)
{
	struct json_picker p = rows_picker_for(rows, row_wishes, ARRAY_LEN(row_wishes));
	char *text = w->buf + w->from, kept = text[len];
	enum err_code rc;

	text[len] = '\0';
	rc = json_pick(&p, text, len, e);
	text[len] = kept;
	if (!rc)
		rc = import_row(rows, e);
	if (!rc && rows->rows % TURN_ROWS == 0 && w->in->turn)
		w->in->turn(w->in->ctx, rows->rows);
	return rc;
}

static enum err_code rows_too_long(struct err *e)
{
	return err_set(e, E_LIMIT, "a row exceeds %zu bytes", IMPORT_MAX_ROW);
}

/* ---- lines -------------------------------------------------------------------------------------- */

static enum err_code rows_read_lines(
	struct window *w, struct import_rows *rows, struct err *e)
{
	for (;;) {
		char *start = w->buf + w->from;
		char *nl = memchr(start, '\n', w->to - w->from);
		size_t len = nl ? (size_t)(nl - start) : w->to - w->from;

		if (!nl && len > IMPORT_MAX_ROW)
			return rows_too_long(e);
		if (!nl && !w->ended) {
			if (!rows_fill(w, e) && e->code)
				return e->code;
			continue;
		}
		if (len > IMPORT_MAX_ROW)
			return rows_too_long(e);
		w->buf[w->to] = '\0';
		if (len && strspn(start, " \t\r") < len && rows_one_row(w, rows, len, e))
			return e->code;
		w->in->line++;
		if (!nl)
			return E_OK;
		w->from += len + 1;
	}
}

/* ---- arrays ------------------------------------------------------------------------------------- */

/* Skips blanks and counts lines. False: only blanks are left. */
static bool rows_next_byte(struct window *w, struct err *e)
{
	for (;;) {
		while (w->from < w->to) {
			char c = w->buf[w->from];

			if (c != ' ' && c != '\t' && c != '\r' && c != '\n')
				return true;
			w->in->line += c == '\n';
			w->from++;
		}
		if (w->ended || !rows_fill(w, e))
			return false;
	}
}

static void rows_count_lines(struct window *w, size_t len)
{
	const char *p = w->buf + w->from, *end = p + len;

	while ((p = memchr(p, '\n', (size_t)(end - p)))) {
		w->in->line++;
		p++;
	}
}

static enum err_code rows_element(struct window *w, struct import_rows *rows, struct err *e)
{
	size_t len;

	for (;;) {
		len = json_value_end(w->buf, w->to, w->from) - w->from;
		if (w->from + len < w->to || w->ended)
			break;
		if (len > IMPORT_MAX_ROW)
			return rows_too_long(e);
		if (!rows_fill(w, e) && e->code)
			return e->code;
	}
	if (len > IMPORT_MAX_ROW)
		return rows_too_long(e);
	if (rows_one_row(w, rows, len, e))
		return e->code;
	rows_count_lines(w, len);
	w->from += len;
	return E_OK;
}

static enum err_code rows_want(struct err *e, const char *what)
{
	return e->code ? e->code : err_set(e, E_DATA, "JSON: expected %s", what);
}

static enum err_code rows_read_array(
	struct window *w, struct import_rows *rows, struct err *e)
{
	bool more = true;

	w->from++; /* the opening bracket */
	if (!rows_next_byte(w, e))
		return rows_want(e, "a row or ']'");
	if (w->buf[w->from] == ']')
		more = false;
	while (more) {
		if (!rows_next_byte(w, e))
			return rows_want(e, "a row");
		if (rows_element(w, rows, e))
			return e->code;
		if (!rows_next_byte(w, e))
			return rows_want(e, "',' or ']'");
		more = w->buf[w->from] == ',';
		if (!more && w->buf[w->from] != ']')
			return rows_want(e, "',' or ']'");
		w->from += more;
	}
	w->from++;
	return rows_next_byte(w, e) ? rows_want(e, "nothing after the array") : e->code;
}

enum err_code import_json(struct import_input *in, struct import_rows *rows, struct err *e)
{
	struct window w = {.in = in, .buf = xmalloc(BUFFER + 1)};
	enum err_code rc = E_OK;

	err_clear(e);
	in->line = 1;
	if (rows_next_byte(&w, e))
		rc = w.buf[w.from] == '[' ? rows_read_array(&w, rows, e)
					  : rows_read_lines(&w, rows, e);
	else
		rc = e->code;
	free(w.buf);
	return rc;
}
