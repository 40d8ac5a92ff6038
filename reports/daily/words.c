/* Words and figures that several parts of the daily report share. */
#include "reports/daily/internal.h"

#include <string.h>

size_t daily_lines_in(
	const struct doc_section *s, int currency_column, const char *currency)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		const char *text = s->rows[i].cells[currency_column].text;

		n += !s->rows[i].total && !s->rows[i].folded && text &&
			!strcmp(text, currency);
	}
	return n;
}

const char *daily_plural(size_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

enum err_code daily_overflow(struct err *e, const char *what)
{
	return err_set(e, E_OVERFLOW, "%s: the sum does not fit", what);
}
