/* What a person is told of a configuration that can be worked with. */
#include "cli/config/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void add_text(
	struct arena *a, const char ***list, size_t *n, const char *fmt, va_list ap)
{
	const char **bigger = arena_alloc(a, (*n + 1) * sizeof(*bigger));
	char text[512];

	if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
		text[0] = '\0';
	if (*n)
		memcpy(bigger, *list, *n * sizeof(*bigger));
	bigger[(*n)++] = arena_strdup(a, text);
	*list = bigger;
}

void config_warn(struct config *cfg, struct arena *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_text(a, &cfg->warnings, &cfg->n_warnings, fmt, ap);
	va_end(ap);
}

void config_note(struct config *cfg, struct arena *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_text(a, &cfg->notes, &cfg->n_notes, fmt, ap);
	va_end(ap);
}
