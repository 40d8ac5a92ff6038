#include "base/str.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool str_to_i64(const char *s, int64_t min, int64_t max, int64_t *out)
{
	bool negative = *s == '-';
	const char *p = s + negative;
	int64_t v = 0;

	if (!*p || (*p == '0' && (p[1] || negative)))
		return false;
	for (; *p; p++) {
		int digit = *p - '0';

		if (digit < 0 || digit > 9 || __builtin_mul_overflow(v, 10, &v) ||
			__builtin_sub_overflow(v, digit, &v)) /* negative holds one more */
			return false;
	}
	if (!negative && v == INT64_MIN)
		return false;
	v = negative ? v : -v;
	if (v < min || v > max)
		return false;
	*out = v;
	return true;
}

bool str_starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

bool str_ends(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n >= m && !strcmp(s + n - m, suffix);
}

bool str_eq(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

bool str_ieq(const char *a, const char *b)
{
	return a && b ? !strcasecmp(a, b) : a == b;
}

const char *str_after_last(const char *s, char sep)
{
	const char *p = strrchr(s, sep);

	return p ? p + 1 : s;
}

#define NEAR_MAX 64

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

/* Edits (insert, delete, replace, swap neighbours) from a to b. */
static size_t distance(const char *a, const char *b)
{
	size_t row[3][NEAR_MAX + 1], n = strlen(a), m = strlen(b);
	size_t *before = row[0], *prev = row[1], *cur = row[2];

	if (n > NEAR_MAX || m > NEAR_MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= m; j++)
		prev[j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t *oldest = before;

		cur[0] = i;
		for (size_t j = 1; j <= m; j++) {
			cur[j] = min3(prev[j] + 1, cur[j - 1] + 1,
				prev[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
				before[j - 2] + 1 < cur[j])
				cur[j] = before[j - 2] + 1;
		}
		before = prev;
		prev = cur;
		cur = oldest;
	}
	return prev[m];
}

const char *str_nearest(const char *word, const char *const *words, size_t n)
{
	size_t len = strlen(word), best = len < 4 ? 1 : len < 8 ? 2 : 3;
	const char *found = NULL;

	for (size_t i = 0; i < n; i++) {
		size_t d = distance(word, words[i]);

		if (d < best || (d == best && !found)) {
			best = d;
			found = words[i];
		}
	}
	return found;
}

uint32_t utf8_next(const char *s, size_t *len)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *p = (const unsigned char *)s;
	size_t n;
	uint32_t c;

	*len = 1;
	if (p[0] < 0x80)
		return p[0];
	if (p[0] >= 0xc2 && p[0] <= 0xdf)
		n = 2, c = p[0] & 0x1fu;
	else if (p[0] >= 0xe0 && p[0] <= 0xef)
		n = 3, c = p[0] & 0x0fu;
	else if (p[0] >= 0xf0 && p[0] <= 0xf4)
		n = 4, c = p[0] & 0x07u;
	else
		return 0xfffd;
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0xfffd;
		c = c << 6 | (p[i] & 0x3fu);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0xfffd;
	*len = n;
	return c;
}

bool utf8_valid(const char *s, size_t len)
{
	for (size_t i = 0; i < len;) {
		char tail[5] = {0};
		size_t n, left = len - i;

		memcpy(tail, s + i, left < 4 ? left : 4);
		if (utf8_next(tail, &n) == 0xfffd && n == 1)
			return false;
		if (n > left)
			return false;
		i += n;
	}
	return true;
}

struct range {
	uint32_t first, last;
};

static bool in_ranges(const struct range *r, size_t n, uint32_t c)
{
	for (size_t i = 0; i < n; i++)
		if (c >= r[i].first && c <= r[i].last)
			return true;
	return false;
}

/* The common ranges of Unicode's East Asian Width W and F, and of combining marks. */
static const struct range wide[] = {{0x1100, 0x115f}, {0x231a, 0x231b}, {0x23e9, 0x23ec},
	{0x25fd, 0x25fe}, {0x2614, 0x2615}, {0x2648, 0x2653}, {0x26a1, 0x26a1},
	{0x26bd, 0x26be}, {0x2705, 0x2705}, {0x270a, 0x270b}, {0x2728, 0x2728},
	{0x274c, 0x274c}, {0x2753, 0x2757}, {0x2795, 0x2797}, {0x2b50, 0x2b50},
	{0x2e80, 0x303e}, {0x3041, 0x33ff}, {0x3400, 0x4dbf}, {0x4e00, 0x9fff},
	{0xa000, 0xa4cf}, {0xa960, 0xa97c}, {0xac00, 0xd7a3}, {0xf900, 0xfaff},
	{0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f004, 0x1f004},
	{0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f320},
	{0x1f32d, 0x1f335}, {0x1f337, 0x1f37c}, {0x1f37e, 0x1f393}, {0x1f3a0, 0x1f3ca},
	{0x1f3cf, 0x1f3d3}, {0x1f3e0, 0x1f3f0}, {0x1f3f4, 0x1f3f4}, {0x1f3f8, 0x1f43e},
	{0x1f440, 0x1f440}, {0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d}, {0x1f54b, 0x1f567},
	{0x1f57a, 0x1f57a}, {0x1f595, 0x1f596}, {0x1f5a4, 0x1f5a4}, {0x1f5fb, 0x1f64f},
	{0x1f680, 0x1f6c5}, {0x1f6cc, 0x1f6cc}, {0x1f6d0, 0x1f6d2}, {0x1f6d5, 0x1f6d7},
	{0x1f6eb, 0x1f6ec}, {0x1f6f4, 0x1f6fc}, {0x1f7e0, 0x1f7eb}, {0x1f90c, 0x1f9ff},
	{0x1fa70, 0x1faff}, {0x20000, 0x3fffd}};
static const struct range zero[] = {{0x300, 0x36f}, {0x483, 0x489}, {0x591, 0x5bd},
	{0x610, 0x61a}, {0x64b, 0x65f}, {0x6d6, 0x6dc}, {0x900, 0x902}, {0xe31, 0xe31},
	{0xe34, 0xe3a}, {0xe47, 0xe4e}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f},
	{0x202a, 0x202e}, {0x2060, 0x2064}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f},
	{0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0100, 0xe01ef}};

size_t utf8_width(const char *s)
{
	size_t width = 0, n;

	for (; *s; s += n) {
		uint32_t c = utf8_next(s, &n);

		if (c >= 0x300 && in_ranges(zero, ARRAY_LEN(zero), c))
			continue;
		width += c >= 0x1100 && in_ranges(wide, ARRAY_LEN(wide), c) ? 2 : 1;
	}
	return width;
}
