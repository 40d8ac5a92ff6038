/* What import.c gives to the readers of the formats, import_json.c and import_csv.c. */
#ifndef TPUCOST_COLLECTOR_IMPORT_INPUT_H
#define TPUCOST_COLLECTOR_IMPORT_INPUT_H

#include "base/err.h"
#include "collector/import/row.h"

/* Where the bytes of a file come from, and the row at hand for messages. */
struct import_input {
	enum err_code (*read)(void *ctx, char *buf, size_t room, size_t *n, struct err *e);
	void *ctx;
	void (*turn)(void *ctx, int64_t rows); /* now and then */
	int64_t line;     /* of the row at hand, from 1; 0: the message says it */
	const char *name; /* of the file, for messages */
	/* what was read to find out about the format */
	const char *head;
	size_t n_head;
};

#define IMPORT_MAX_ROW ((size_t)1 << 20)

/* Bytes from the head, then from the file. */
enum err_code import_more(struct import_input *in, char *buf, size_t room, size_t *n,
	struct err *e) must_check;

/* Read every row of a file in one of the formats. */
enum err_code import_json(
	struct import_input *in, struct import_rows *rows, struct err *e) must_check;
enum err_code import_csv(
	struct import_input *in, struct import_rows *rows, struct err *e) must_check;
/* The credits of a row from JSON text: [{"type": ..., "amount": ...}, ...]. */
enum err_code import_credits(
	struct import_rows *rows, const char *text, size_t len, struct err *e) must_check;

#endif
