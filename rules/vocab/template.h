/* Message templates with figures: "{name} costs {gross_per_hour} {currency}/h". */
#ifndef TPUCOST_RULES_VOCAB_TEMPLATE_H
#define TPUCOST_RULES_VOCAB_TEMPLATE_H

#include "base/err.h"
#include "base/mem.h"
#include "base/sbuf.h"
#include "db/vocab.h"

struct db_cursor;
struct tz;

#define TEMPLATE_MAX 1000 /* bytes of a template; the result has at most as many */

struct template_part {
	const char *text;         /* literal, or NULL: */
	const struct column *col; /* a figure of the row */
};

struct template
{
	struct template_part *parts;
	size_t n;
	const struct tz *tz; /* zone for times; NULL: RFC 3339 in UTC */
};

/* "{{" is a brace. E_USAGE: a column that the view lacks (with the most similar name), or a brace
 * that is not closed. The text is copied to the arena. */
enum err_code template_parse(const char *text, const struct view *v, struct arena *a,
	struct template *out, struct err *e) must_check;

/* Insert the values of a row; those of the parts with a column follow each other in the row from
 * column `first` on. Amounts have the digits of the column `currency` of the row (without one, 2), percentages 1, as
 * in reports. NULL becomes "unknown", a time is "2026-11-21 08:00" in the zone of the template. */
void template_render(
	const struct template *t, const struct db_cursor *row, int first, struct sbuf *out);

#endif
