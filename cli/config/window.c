/* `enforcement.windows`: when machines may be acted on. */
#include "base/str.h"
#include "cli/config/internal.h"

#include <string.h>

#define EVERY_DAY_BITS 0x7fU
#define MIDNIGHT_END "24:00"

static const char *const day_names[] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};

static bool windows_day_of(const char *s, size_t n, unsigned *day)
{
	for (unsigned i = 0; i < ARRAY_LEN(day_names); i++)
		if (n == 3 && !strncmp(day_names[i], s, n)) {
			*day = i;
			return true;
		}
	return false;
}

/* "mon-fri", "sat", and "fri-mon" over the end of the week. */
static bool windows_add_days(const char *s, size_t n, unsigned *bits)
{
	const char *dash = memchr(s, '-', n);
	size_t left = dash ? (size_t)(dash - s) : n;
	unsigned first, last;

	if (!windows_day_of(s, left, &first))
		return false;
	last = first;
	if (dash && !windows_day_of(dash + 1, n - left - 1, &last))
		return false;
	for (unsigned d = first;; d = (d + 1) % 7) {
		*bits |= 1U << d;
		if (d == last)
			return true;
	}
}

/* Several with commas between them. */
static bool windows_add_list(const char *s, unsigned *bits)
{
	for (;;) {
		size_t n;

		s += strspn(s, " ");
		n = strcspn(s, ", ");
		if (!windows_add_days(s, n, bits))
			return false;
		s += n;
		s += strspn(s, " ");
		if (!*s)
			return true;
		if (*s++ != ',')
			return false;
	}
}

static enum err_code windows_read_days(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct enforce_window *w = obj;
	struct texts t = {0};

	w->days = 0;
	if (bind_value(b, n, BIND_TEXTS, &t, e))
		return e->code;
	for (size_t i = 0; i < t.n; i++)
		if (!windows_add_list(t.v[i], &w->days))
			return yaml_err(n, e,
				"\"%.60s\" are no days: want mon tue wed thu fri sat sun, "
				"such as mon-fri or \"mon, wed\"",
				t.v[i]);
	return w->days ? E_OK : yaml_err(n, e, "days: there are none");
}

static enum err_code read_minute(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	const char *s;

	(void)b;
	if (yaml_str(n, &s, e))
		return e->code;
	if (str_eq(n->key, "to") && str_eq(s, MIDNIGHT_END))
		*(int *)obj = 24 * 60;
	else if (!config_minute_of_day(s, obj))
		return yaml_err(
			n, e, "\"%.60s\" is no time of day: want one such as \"09:00\"", s);
	return E_OK;
}

/* From midnight to midnight is the whole day; any other time twice is more likely a slip than a wish
 * for always. */
static enum err_code windows_check_window(
	const struct yaml_node *n, const struct enforce_window *w, struct err *e)
{
	if (w->from != w->until || !w->from)
		return E_OK;
	return yaml_err(n, e,
		"windows: a window from %02d:%02d to %02d:%02d is always open; for whole "
		"days say from \"00:00\" to \"24:00\"",
		w->from / 60, w->from % 60, w->until / 60, w->until % 60);
}

static const struct field window_fields[] = {
	{"days", BIND_OTHER, 0, windows_read_days,
		.doc = "mon tue wed thu fri sat sun, or mon-fri", .def = "every day",
		.shape = "list of days"},
	{"from", BIND_OTHER, offsetof(struct enforce_window, from), read_minute,
		.required = true, .doc = "begin, time of day in timezone",
		.shape = "time of day"},
	{"to", BIND_OTHER, offsetof(struct enforce_window, until), read_minute,
		.required = true,
		.doc = "end, time of day in timezone; it may go over midnight",
		.shape = "time of day"},
};
const struct field_set config_window_keys = {
	window_fields, ARRAY_LEN(window_fields), .list = true};

enum err_code config_read_windows(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct enforcement *en = &((struct enforcement_config *)obj)->made;
	struct enforce_window *w = NULL;

	if (bind_list(b, n, "windows", window_fields, ARRAY_LEN(window_fields), sizeof(*w),
		    (void **)&w, &en->n_windows, e))
		return e->code;
	if (!en->n_windows)
		return yaml_err(n, e,
			"windows: the list is empty; leave it out where anything may be "
			"done at any time");
	en->windows = w;
	YAML_EACH (item, n) {
		if (windows_check_window(item, w, e))
			return e->code;
		if (!w->days)
			w->days = EVERY_DAY_BITS;
		w++;
	}
	return E_OK;
}
