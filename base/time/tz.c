#include "base/time/tz.h"

#include "base/time/civil.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/str.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_FILE ((size_t)256 * 1024)
#define MAX_NAME 64

/* Switching time of a rule of the POSIX footer, e.g. M3.2.0/2 */
struct rule {
	char kind; /* 'M' month.week.weekday, 'J' day 1..365 without Feb 29, 'D' day 0..365 */
	int month, week, day;
	int32_t time; /* seconds of local time, may be negative or beyond a day */
};

struct tz {
	char name[MAX_NAME];
	size_t n;        /* transitions */
	int64_t *at;     /* instants, ascending */
	int32_t *offset; /* from each transition on */
	int32_t first;   /* before the first */
	bool has_footer; /* rules after the last transition */
	int32_t std, dst;
	bool has_dst;
	struct rule start, end;
	uint64_t digest; /* of its file (FNV-1a) */
};

/* ---- the POSIX footer --------------------------------------------------------------------- */

static bool take_int(const char **p, int max, int *out)
{
	int v = 0, digits = 0;

	for (; **p >= '0' && **p <= '9' && digits < 5; ++*p, digits++)
		v = v * 10 + (**p - '0');
	*out = v;
	return digits > 0 && v <= max;
}

/* [+-]hh[:mm[:ss]] as seconds. */
static bool take_hms(const char **p, int max_hours, int32_t *out)
{
	int sign = 1, h, m = 0, s = 0;

	if (**p == '+' || **p == '-')
		sign = *(*p)++ == '-' ? -1 : 1;
	if (!take_int(p, max_hours, &h))
		return false;
	if (**p == ':' && (++*p, !take_int(p, 59, &m)))
		return false;
	if (**p == ':' && (++*p, !take_int(p, 59, &s)))
		return false;
	*out = sign * (h * 3600 + m * 60 + s);
	return true;
}

static bool skip_abbreviation(const char **p)
{
	const char *s = *p;

	if (*s == '<') {
		s = strchr(s, '>');
		if (!s)
			return false;
		*p = s + 1;
		return true;
	}
	while ((*s >= 'A' && *s <= 'Z') || (*s >= 'a' && *s <= 'z'))
		s++;
	if (s - *p < 3)
		return false;
	*p = s;
	return true;
}

static bool take_rule(const char **p, struct rule *r)
{
	*r = (struct rule){.time = 7200};
	if (**p == 'M') {
		r->kind = 'M';
		++*p;
		if (!take_int(p, 12, &r->month) || r->month < 1 || *(*p)++ != '.' ||
			!take_int(p, 5, &r->week) || r->week < 1 || *(*p)++ != '.' ||
			!take_int(p, 6, &r->day))
			return false;
	} else {
		r->kind = **p == 'J' ? 'J' : 'D';
		*p += r->kind == 'J';
		if (!take_int(p, 365, &r->day) || (r->kind == 'J' && !r->day))
			return false;
	}
	if (**p != '/')
		return true;
	++*p;
	return take_hms(p, 167, &r->time);
}

static bool parse_footer(const char *p, struct tz *tz)
{
	int32_t west;

	if (!skip_abbreviation(&p) || !take_hms(&p, 24, &west))
		return false;
	tz->std = -west;
	if (!*p)
		return true;
	if (!skip_abbreviation(&p))
		return false;
	tz->dst = tz->std + 3600;
	if (*p != ',') {
		if (!take_hms(&p, 24, &west))
			return false;
		tz->dst = -west;
	}
	tz->has_dst = true;
	return *p++ == ',' && take_rule(&p, &tz->start) && *p++ == ',' &&
		take_rule(&p, &tz->end) && !*p;
}

/* Local seconds since the epoch at which the rule switches in a year. */
static int64_t rule_at(const struct rule *r, int year)
{
	bool leap = civil_month_days(year, 2) == 29;
	day_t d;

	if (r->kind == 'M') {
		day_t first = civil_to_day(year, r->month, 1);
		int weekday = (civil_weekday(first) + 1) % 7; /* 0: Sunday */
		int day = 1 + (r->day - weekday + 7) % 7 + (r->week - 1) * 7;

		if (day > civil_month_days(year, r->month))
			day -= 7;
		d = first + day - 1;
	} else if (r->kind == 'J') {
		d = civil_to_day(year, 1, 1) + r->day - 1 + (leap && r->day >= 60);
	} else {
		d = civil_to_day(year, 1, 1) + r->day;
	}
	return (int64_t)d * DAY_SECONDS + r->time;
}

static int32_t footer_offset(const struct tz *tz, ts_t utc)
{
	int year;
	int64_t start, end;

	if (!tz->has_dst)
		return tz->std;
	year = civil_from_ts(utc + tz->std).year;
	start = rule_at(&tz->start, year) - tz->std;
	end = rule_at(&tz->end, year) - tz->dst;
	if (start < end)
		return utc >= start && utc < end ? tz->dst : tz->std;
	return utc >= end && utc < start ? tz->std : tz->dst;
}

/* ---- the file (RFC 8536) ------------------------------------------------------------------- */

#define HEADER ((size_t)44)

struct counts {
	uint32_t isut, isstd, leap, time, type, chars;
};

static uint32_t be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static bool read_header(
	const unsigned char *p, size_t left, struct counts *c, char *version)
{
	if (left < HEADER || memcmp(p, "TZif", 4) != 0)
		return false;
	*version = (char)p[4];
	c->isut = be32(p + 20);
	c->isstd = be32(p + 24);
	c->leap = be32(p + 28);
	c->time = be32(p + 32);
	c->type = be32(p + 36);
	c->chars = be32(p + 40);
	return c->isut <= 256 && c->isstd <= 256 && c->leap <= 1000 && c->time <= 10000 &&
		c->type >= 1 && c->type <= 256 && c->chars <= 1024;
}

static size_t block_size(const struct counts *c, size_t time_size)
{
	return c->time * (time_size + 1) + c->type * 6 + c->chars +
		c->leap * (time_size + 4) + c->isstd + c->isut;
}

/* RFC 8536 3.2: "SHOULD be between -89999 and 93599". Also keeps the sums here in range. */
static bool offset_sane(int32_t seconds)
{
	return seconds > -25 * 3600 && seconds < 26 * 3600;
}

static bool read_block(const unsigned char *p, const struct counts *c, struct tz *tz)
{
	const unsigned char *indexes = p + c->time * 8;
	const unsigned char *types = indexes + c->time;

	tz->n = c->time;
	tz->at = xcalloc(tz->n, sizeof(*tz->at));
	tz->offset = xcalloc(tz->n, sizeof(*tz->offset));
	for (size_t i = 0; i < c->type; i++)
		if (!offset_sane((int32_t)be32(types + i * 6)))
			return false;
	tz->first = (int32_t)be32(types); /* RFC 8536 3.2: type 0 holds before the first */
	for (size_t i = 0; i < tz->n; i++) {
		if (indexes[i] >= c->type)
			return false;
		tz->at[i] = (int64_t)((uint64_t)be32(p + i * 8) << 32 |
			be32(p + i * 8 + 4));
		tz->offset[i] = (int32_t)be32(types + (size_t)indexes[i] * 6);
		if (i && tz->at[i] <= tz->at[i - 1])
			return false;
	}
	return true;
}

/* Remainder of the file: a line feed, a POSIX rule or nothing, a line feed. */
static bool read_footer(const char *p, size_t left, struct tz *tz)
{
	cleanup(free_ptr) char *text = NULL;
	const char *end;

	if (left < 2 || *p != '\n')
		return false;
	end = memchr(p + 1, '\n', left - 1);
	if (!end)
		return false;
	if (end == p + 1)
		return true;
	text = xmalloc((size_t)(end - p));
	memcpy(text, p + 1, (size_t)(end - p - 1));
	text[end - p - 1] = '\0';
	tz->has_footer = parse_footer(text, tz);
	return tz->has_footer;
}

/* A first block with 32-bit instants, which is skipped, and one with 64 bits. */
static bool parse_file(const char *data, size_t len, struct tz *tz)
{
	const unsigned char *p = (const unsigned char *)data;
	struct counts c;
	char version;
	size_t skip;

	if (!read_header(p, len, &c, &version) || version < '2')
		return false;
	skip = HEADER + block_size(&c, 4);
	if (skip > len || !read_header(p + skip, len - skip, &c, &version))
		return false;
	skip += HEADER;
	/* "right/" zones count leap seconds; the instants here do not. */
	if (c.leap || block_size(&c, 8) > len - skip || !read_block(p + skip, &c, tz))
		return false;
	skip += block_size(&c, 8);
	return read_footer(data + skip, len - skip, tz);
}

/* ---- names --------------------------------------------------------------------------------- */

static const char *zone_dir(void)
{
	const char *dir = getenv("TZDIR");

	return dir && *dir ? dir : "/usr/share/zoneinfo";
}

static bool tz_name_valid(const char *name)
{
	size_t n = strspn(name,
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"0123456789_+-/");

	return *name && !name[n] && n < MAX_NAME && *name != '/' && !strstr(name, "//") &&
		name[n - 1] != '/';
}

struct names {
	const char **v;
	size_t n, cap;
	struct arena a;
};

/* One line of tzdata.zi (see zic(8)): "Z NAME ..." is a zone, "L TARGET NAME" a link. */
static void add_zi_line(struct names *names, char *line)
{
	char *key = strsep(&line, " "), *first = strsep(&line, " ");

	if (!first)
		return;
	if (!strcmp(key, "Z"))
		*arena_push(&names->a, names) = first;
	else if (!strcmp(key, "L") && line)
		*arena_push(&names->a, names) = line;
}

/* One line of zone1970.tab: countries, coordinates, name, comments. */
static void add_tab_line(struct names *names, char *line)
{
	char *countries = strsep(&line, "\t"), *where = strsep(&line, "\t");
	char *name = strsep(&line, "\t");

	if (*countries != '#' && where && name)
		*arena_push(&names->a, names) = name;
}

/* The zones that come with the zone files; the names point into `text`. */
static void list_zones(struct names *names, struct sbuf *text)
{
	static const struct {
		const char *file;
		void (*add)(struct names *names, char *line);
	} lists[] = {{"tzdata.zi", add_zi_line}, {"zone1970.tab", add_tab_line}};

	for (size_t i = 0; i < ARRAY_LEN(lists) && !names->n; i++) {
		cleanup(sbuf_done) struct sbuf path = SBUF_INIT;
		char *rest, *line;

		sbuf_reset(text);
		sbuf_addf(&path, "%s/%s", zone_dir(), lists[i].file);
		if (fs_read(path.s, MAX_FILE, text, NULL))
			continue;
		for (rest = text->s; (line = strsep(&rest, "\n"));)
			lists[i].add(names, line);
	}
}

static enum err_code unknown_zone(const char *name, struct err *e)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT, quoted = SBUF_INIT;
	struct names names = {0};
	const char *near;

	if (!e)
		return E_CONFIG;
	sbuf_add_quoted(&quoted, name, MAX_NAME);
	err_set(e, E_CONFIG, "unknown time zone %s", quoted.s);
	list_zones(&names, &text);
	near = str_nearest(name, names.v, names.n);
	/* "HKT" is not "HST": of abbreviations, many are near */
	if (near && (strlen(near) > 4 || str_ieq(near, name)))
		err_fix(e, "did you mean %s?", near);
	else
		err_fix(e,
			"use a name such as Asia/Hong_Kong or UTC (timedatectl "
			"list-timezones)");
	arena_done(&names.a);
	return E_CONFIG;
}

static uint64_t digest(const char *data, size_t len)
{
	uint64_t h = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)data[i]) * UINT64_C(1099511628211);
	return h;
}

static enum err_code tz_load(const char *name, struct tz *tz, struct err *e)
{
	cleanup(sbuf_done) struct sbuf path = SBUF_INIT, data = SBUF_INIT;

	sbuf_addf(&path, "%s/%s", zone_dir(), name);
	if (!fs_read(path.s, MAX_FILE, &data, NULL)) {
		tz->digest = digest(data.s, data.len);
		return parse_file(data.s, data.len, tz) ? E_OK : unknown_zone(name, e);
	}
	if (!strcmp(name, "UTC"))
		return E_OK; /* a machine without zone files still has it */
	if (!access(zone_dir(), F_OK))
		return unknown_zone(name, e);
	err_set(e, E_CONFIG, "time zone %s: there are no zone files in %s", name,
		zone_dir());
	err_fix(e, "run: apt-get install tzdata");
	return E_CONFIG;
}

enum err_code tz_open(const char *name, struct tz **out, struct err *e)
{
	cleanup(tz_free_ptr) struct tz *tz = NULL;
	enum err_code rc;

	if (!tz_name_valid(name))
		return unknown_zone(name, e);
	tz = xcalloc(1, sizeof(*tz));
	memcpy(tz->name, name, strlen(name) + 1);
	rc = tz_load(name, tz, e);
	if (rc)
		return rc;
	*out = tz;
	tz = NULL;
	return E_OK;
}

void tz_free(struct tz *tz)
{
	if (!tz)
		return;
	free(tz->at);
	free(tz->offset);
	free(tz);
}

void tz_free_ptr(struct tz **tz)
{
	tz_free(*tz);
	*tz = NULL;
}

const char *tz_name(const struct tz *tz)
{
	return tz->name;
}

const char *tz_stamp(const struct tz *tz, char buf[TZ_STAMP_BUF])
{
	if (tz->n || tz->has_dst)
		snprintf(buf, TZ_STAMP_BUF, "%s %016" PRIx64, tz->name, tz->digest);
	else
		snprintf(buf, TZ_STAMP_BUF, "%s", tz->name);
	return buf;
}

/* ---- queries ------------------------------------------------------------------------------- */

int32_t tz_offset(const struct tz *tz, ts_t utc)
{
	size_t low = 0, high = tz->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (tz->at[mid] <= utc)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == tz->n && tz->has_footer)
		return footer_offset(tz, utc);
	return low ? tz->offset[low - 1] : tz->first;
}

day_t tz_day(const struct tz *tz, ts_t utc)
{
	int64_t local = utc + tz_offset(tz, utc);

	return (day_t)(local / DAY_SECONDS - (local % DAY_SECONDS < 0));
}

#define WINDOW (3 * DAY_SECONDS)
#define MAX_CHANGES 20

/* Instants within the window around `t` at which the offset may change. */
static size_t changes_around(const struct tz *tz, ts_t t, ts_t out[MAX_CHANGES])
{
	int year = civil_from_ts(t).year;
	size_t n = 0;

	for (size_t i = 0; i < tz->n && n < 8; i++)
		if (tz->at[i] >= t - WINDOW && tz->at[i] <= t + WINDOW)
			out[n++] = tz->at[i];
	for (int y = year - 1; tz->has_dst && y <= year + 1; y++) {
		out[n++] = rule_at(&tz->start, y) - tz->std;
		out[n++] = rule_at(&tz->end, y) - tz->dst;
		/* a rule that leaves its year, because of negative hours, ends with it */
		out[n++] = civil_to_day(y, 1, 1) * DAY_SECONDS - tz->std;
	}
	return n;
}

static void keep_if_first(const struct tz *tz, int64_t local, ts_t t, ts_t *first)
{
	if (t + tz_offset(tz, t) >= local && t < *first)
		*first = t;
}

/* First instant whose local time is not before `local`: local time either reaches it normally, or
 * jumps over it at a change. */
static ts_t first_at_or_after(const struct tz *tz, int64_t local)
{
	ts_t changes[MAX_CHANGES], first = INT64_MAX;
	size_t n = changes_around(tz, local, changes);

	keep_if_first(tz, local, local - tz_offset(tz, local - WINDOW), &first);
	for (size_t i = 0; i < n; i++) {
		if (changes[i] < local - WINDOW || changes[i] > local + WINDOW)
			continue;
		keep_if_first(tz, local, changes[i], &first);
		keep_if_first(tz, local, local - tz_offset(tz, changes[i]), &first);
	}
	return first;
}

ts_t tz_day_start(const struct tz *tz, day_t day)
{
	return first_at_or_after(tz, (int64_t)day * DAY_SECONDS);
}

ts_t tz_local_to_ts(const struct tz *tz, day_t day, int hour, int minute)
{
	return first_at_or_after(
		tz, (int64_t)day * DAY_SECONDS + hour * 3600 + minute * 60);
}

/* Copy the zone name for a name or a path to a zone file; false if the zone does not exist. */
static bool known_zone(const char *text, char name[MAX_NAME])
{
	const char *in_path = strstr(text, "zoneinfo/");
	cleanup(tz_free_ptr) struct tz *tz = NULL;

	if (tz_open(in_path ? in_path + strlen("zoneinfo/") : text, &tz, NULL))
		return false;
	memcpy(name, tz->name, MAX_NAME);
	return true;
}

const char *tz_time(const struct tz *tz, ts_t utc, char buf[TZ_TIME_BUF])
{
	struct civil c = civil_from_ts(utc + tz_offset(tz, utc));

	snprintf(buf, TZ_TIME_BUF, "%04d-%02d-%02d %02d:%02d", c.year, c.month, c.day,
		c.hour, c.minute);
	return buf;
}

const char *tz_time_utc(const struct tz *tz, ts_t utc, char buf[TZ_TIME_BUF])
{
	size_t n = strlen(tz_time(tz, utc, buf));

	if (!strcmp(tz_name(tz), "UTC"))
		snprintf(buf + n, TZ_TIME_BUF - n, " UTC");
	return buf;
}

const char *tz_machine_name(void)
{
	/* The link first: /etc/timezone is a copy that some tools do not update. */
	return tz_machine_name_of(getenv("TZ"), "/etc/localtime", "/etc/timezone");
}

const char *tz_machine_name_of(const char *env, const char *localtime, const char *timezone)
{
	static char name[MAX_NAME];
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;
	char link[256];
	ssize_t n;

	if (env && !*env)
		return "UTC"; /* as POSIX says */
	if (env && known_zone(env + (*env == ':'), name))
		return name;
	n = readlink(localtime, link, sizeof(link) - 1);
	if (n > 0) {
		link[n] = '\0';
		if (known_zone(link, name))
			return name;
	}
	if (!fs_read(timezone, 4096, &text, NULL)) {
		sbuf_trunc(&text, strcspn(text.s, " \r\n"));
		if (known_zone(text.s, name))
			return name;
	}
	return "UTC";
}
