/* Daemon's log of lasting problems: a line when one begins, and a line when it ends. */
#include "base/log.h"
#include "cli/daemon/daemon.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TROUBLES ((size_t)500)

struct trouble {
	char *key, *text;
	bool met;
};

/* "timed out after 30012 milliseconds" is the same problem a minute later: a number with a unit of
 * time after it is ignored. */
static size_t skip_time(const char *s)
{
	static const char *const units[] = {"milliseconds", "seconds", "minutes", "ms", "s",
		"min", "m", "h", "days", "d"};
	size_t n = strspn(s, "0123456789.");
	const char *unit = s + n + (s[n] == ' ');

	for (size_t i = 0; n && i < ARRAY_LEN(units); i++) {
		size_t len = strlen(units[i]);

		if (!strncmp(unit, units[i], len) && !isalnum((unsigned char)unit[len]))
			return n;
	}
	return 0;
}

static char *make_key(const char *record, size_t len)
{
	struct sbuf b = SBUF_INIT;

	for (size_t i = 0; i < len;) {
		bool inside = i && isalnum((unsigned char)record[i - 1]);
		size_t n = inside ? 0 : skip_time(record + i);

		sbuf_addc(&b, n ? '#' : record[i]);
		i += n ? n : 1;
	}
	return sbuf_detach(&b);
}

bool trouble_is_same(const char *text, const char *other)
{
	cleanup(free_ptr) char *a = make_key(text, strlen(text));
	cleanup(free_ptr) char *b = make_key(other, strlen(other));

	return !strcmp(a, b);
}

void troubles_round(struct troubles *t)
{
	for (size_t i = 0; i < t->n; i++)
		t->v[i].met = false;
	t->left_out = 0;
}

void troubles_met(struct troubles *t, const char *record)
{
	const char *tab = strchr(record, '\t'), *text = tab ? tab + 1 : record;
	char *key = make_key(record, tab ? (size_t)(tab - record) : strlen(record));
	size_t i = 0;

	while (i < t->n && strcmp(t->v[i].key, key) != 0)
		i++;
	if (i < t->n || t->n == MAX_TROUBLES) {
		if (i < t->n)
			t->v[i].met = true;
		else
			t->left_out++;
		free(key);
		return;
	}
	if (t->n == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 16;
		t->v = xrealloc(t->v, t->cap * sizeof(*t->v));
	}
	t->v[t->n++] = (struct trouble){.key = key, .text = xstrdup(text), .met = true};
	log_warn("%s", text);
}

void troubles_over(struct troubles *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (t->v[i].met) {
			t->v[kept++] = t->v[i];
			continue;
		}
		log_info("resolved: %s", t->v[i].text);
		free(t->v[i].key);
		free(t->v[i].text);
	}
	t->n = kept;
}

void troubles_done(struct troubles *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->v[i].key);
		free(t->v[i].text);
	}
	free(t->v);
	*t = (struct troubles){0};
}
