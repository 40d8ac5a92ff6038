#include "base/str.h"

#include <string.h>

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
			__builtin_sub_overflow(v, digit, &v)) /* has one more value */
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

int64_t str_product(const char *s, int64_t max)
{
	int64_t product = 1;

	for (int sides = 1;; sides++) {
		int64_t side = 0;

		if (*s < '0' || *s > '9')
			return 0;
		for (; *s >= '0' && *s <= '9'; s++) {
			side = side * 10 + (*s - '0');
			if (side > max)
				return 0;
		}
		product *= side;
		if (product > max)
			return 0;
		if (!*s)
			return sides > 1 ? product : 0;
		if ((*s != 'x' && *s != 'X') || sides == 3)
			return 0;
		s++;
	}
}

bool str_starts(const char *s, const char *prefix)
{
	while (*prefix && *s == *prefix) {
		s++;
		prefix++;
	}
	return !*prefix;
}

bool str_ends(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n >= m && !strcmp(s + n - m, suffix);
}

bool str_eq(const char *a, const char *b)
{
	/* most different strings differ in the first letter */
	return a && b ? *a == *b && !strcmp(a, b) : a == b;
}

bool str_in(const char *s, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(s, words[i]))
			return true;
	return false;
}

bool str_in_list(const char *word, const char *list)
{
	size_t n = strlen(word);

	for (list += strspn(list, ", "); *list; list += strspn(list, ", ")) {
		size_t len = strcspn(list, ", ");

		if (len == n && !memcmp(list, word, n))
			return true;
		list += len;
	}
	return false;
}

/* Not tolower(), which depends on the locale. */
static char to_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool str_ieq(const char *a, const char *b)
{
	if (!a || !b)
		return a == b;
	while (*a && to_lower(*a) == to_lower(*b)) {
		a++;
		b++;
	}
	return to_lower(*a) == to_lower(*b);
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

static bool same_letter(char a, char b)
{
	return to_lower(a) == to_lower(b);
}

/* Edits (insert, delete, replace, swap neighbors) from a to b, ignoring case. */
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
				prev[j - 1] + !same_letter(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
				same_letter(a[i - 2], b[j - 1]) &&
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
		size_t other = strlen(words[i]), d;

		if ((other > len ? other - len : len - other) > best)
			continue; /* it takes at least that many edits */
		d = distance(word, words[i]);
		if (d >= len) /* no letter of the word remains */
			continue;
		if (d < best || (d == best && !found)) {
			best = d;
			found = words[i];
		}
	}
	return found;
}
