#include "rules/grant/grant.h"

#include "base/sbuf.h"
#include "base/str.h"
#include "rules/grant/tpu.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#define MAX_LINE 1000
#define MAX_COUNT 1000000

/* ---- from a line of a mail to plain words --------------------------------------------------- */

/* Characters that mail programs, word processors and markdown insert. */
static const struct plain {
	uint32_t first, last;
	const char *to;
} plains[] = {
	{0x00a0, 0x00a0, " "}, /* no-break space */
	{0x00ad, 0x00ad, ""},  /* soft hyphen */
	{0x00b7, 0x00b7, " "}, /* middle dot */
	{0x00bb, 0x00bb, " "}, /* mark of a quoted line */
	{0x00d7, 0x00d7, " x "},
	{0x2007, 0x2007, " "},
	{0x200b, 0x200f, ""},  /* without width, and marks of the direction of text */
	{0x2010, 0x2015, "-"}, /* hyphens and dashes */
	{0x2018, 0x2019, " "}, /* quotation marks */
	{0x201c, 0x201d, " "},
	{0x2022, 0x2023, " "}, /* bullets */
	{0x202a, 0x202e, ""},
	{0x202f, 0x202f, " "},
	{0x203a, 0x203a, " "},
	{0x2043, 0x2043, " "},
	{0x2060, 0x2060, ""},
	{0x2066, 0x2069, ""},
	{0x2212, 0x2212, "-"}, /* minus */
	{0x2502, 0x2502, " "},
	{0x25aa, 0x25aa, " "},
	{0x25cf, 0x25cf, " "},
	{0x25e6, 0x25e6, " "},
	{0x3000, 0x3000, " "},
	{0xfeff, 0xfeff, ""},
	{0xff1e, 0xff1e, " "},
};

/* Length of text at s that counts as a blank: an HTML tag, a web address; 0 for neither. `close` is
 * the next '>', or the end of the text. */
static size_t blank_length(const char *s, const char *close)
{
	switch (*s) {
	case '<':
		return *close && (isalpha((unsigned char)s[1]) || s[1] == '/')
			? (size_t)(close - s) + 1
			: 0;
	case 'h':
	case 'H':
		return strncasecmp(s, "http://", 7) == 0 ||
				strncasecmp(s, "https://", 8) == 0
			? strcspn(s, " \t\r\n)>\"")
			: 0;
	case '&':
		return strncasecmp(s, "&nbsp;", 6) == 0 ? 6 : 0;
	default:
		return 0;
	}
}

/* Length of text that stays unchanged. An "h" may begin an address. */
static size_t plain_length(const char *s)
{
	size_t n = 0;

	while ((s[n] >= 'a' && s[n] <= 'z' && s[n] != 'h') ||
		(s[n] >= '0' && s[n] <= '9') || s[n] == '-' || s[n] == ' ')
		n++;
	return n;
}

/* Add a character, or a blank for its replacement; returns the length read. */
static size_t add_next(struct sbuf *b, const char *s, const char *close)
{
	size_t len = blank_length(s, close);
	uint32_t c;

	if (len) {
		sbuf_addc(b, ' ');
		return len;
	}
	if ((unsigned char)*s < 0x80) {
		bool blank = isspace((unsigned char)*s) || strchr("*`|_\"<>[]", *s);

		sbuf_addc(b, blank ? ' ' : (char)tolower((unsigned char)*s));
		return 1;
	}
	c = utf8_next(s, &len);
	for (size_t i = 0; i < ARRAY_LEN(plains); i++)
		if (c >= plains[i].first && c <= plains[i].last) {
			sbuf_adds(b, plains[i].to);
			return len;
		}
	sbuf_add(b, s, len);
	return len;
}

/* Each '>' is searched once: a mail may be one line of a mebibyte. */
static void to_plain(const char *text, struct sbuf *b)
{
	const char *close = strchrnul(text, '>');

	while (*text) {
		size_t len = plain_length(text);

		if (len) {
			sbuf_add(b, text, len);
		} else {
			if (close < text)
				close = strchrnul(text, '>');
			len = add_next(b, text, close);
		}
		text += len;
	}
}

/* ---- words ---------------------------------------------------------------------------------- */

enum unit_word { UNIT_NONE, UNIT_DEVICE, UNIT_SLICE, UNIT_CHIP, UNIT_CORE };

/* State of reading a line. */
struct reading {
	struct arena *a;
	bool counted;
	int64_t count;
	const char *provisioning;
	const char *type; /* as written, without "tpu" before it */
	const char *zone;
	enum unit_word unit;
	bool on; /* the last word was "on", of "on demand" */
};

static const char *const fillers[] = {
	"-", "x", "cloud", "google", "tpu", "tpus", "in", "the", "zone", "of", "type"};

/* A word is a class or a unit. */
static const struct known_word {
	const char *word, *provisioning;
	enum unit_word unit;
} known_words[] = {
	{"on-demand", "on-demand", UNIT_NONE},
	{"ondemand", "on-demand", UNIT_NONE},
	{"preemptible", "spot", UNIT_NONE},
	{"pre-emptible", "spot", UNIT_NONE},
	{"spot", "spot", UNIT_NONE},
	{"flex-start", "flex-start", UNIT_NONE},
	{"flexstart", "flex-start", UNIT_NONE},
	{"device", NULL, UNIT_DEVICE},
	{"devices", NULL, UNIT_DEVICE},
	{"slice", NULL, UNIT_SLICE},
	{"slices", NULL, UNIT_SLICE},
	{"pod", NULL, UNIT_SLICE},
	{"pods", NULL, UNIT_SLICE},
	{"chip", NULL, UNIT_CHIP},
	{"chips", NULL, UNIT_CHIP},
	{"core", NULL, UNIT_CORE},
	{"cores", NULL, UNIT_CORE},
};

static const struct known_word *known_word_find(const char *word)
{
	for (size_t i = 0; i < ARRAY_LEN(known_words); i++)
		if (str_eq(word, known_words[i].word))
			return &known_words[i];
	return NULL;
}

static size_t skip_while(const char *s, int (*is)(int))
{
	size_t n = 0;

	while (is((unsigned char)s[n]))
		n++;
	return n;
}

/* "us-central1", with or without "-f" after it: letters, '-', letters, digits. */
static const char *after_region(const char *s)
{
	size_t n = skip_while(s, isalpha);

	if (!n || s[n] != '-')
		return NULL;
	s += n + 1;
	n = skip_while(s, isalpha);
	if (!n || !isdigit((unsigned char)s[n]))
		return NULL;
	return s + n + skip_while(s + n, isdigit);
}

/* Zones may end in more than a letter: us-south1-ai1b. */
static bool grant_is_zone(const char *s)
{
	const char *rest = after_region(s);

	if (!rest || rest[0] != '-' || !rest[1] || strlen(s) > 60)
		return false;
	return !rest[1 + skip_while(rest + 1, isalnum)];
}

/* "1024" or "1,024"; separators are only valid between thousands. */
static bool grant_read_number(const char *word, int64_t *out)
{
	char digits[20];
	size_t n = strcspn(word, ",");

	if (n > (word[n] ? 3U : 12U))
		return false;
	memcpy(digits, word, n);
	for (word += n; *word; word += 4) {
		if (word[0] != ',' || strspn(word + 1, "0123456789") < 3 ||
			n + 3 >= sizeof(digits))
			return false;
		memcpy(digits + n, word + 1, 3);
		n += 3;
	}
	digits[n] = '\0';
	return str_to_i64(digits, 0, INT64_C(1000000000000), out);
}

static enum err_code grant_twice(
	struct err *e, const char *what, const char *first, const char *second)
{
	return err_set(e, E_DATA,
		"grant line: it has two %s, %.40s and %.40s: write a line for each", what,
		first, second);
}

static enum err_code grant_read_count(struct reading *r, const char *word, struct err *e)
{
	size_t len = strlen(word);
	char *digits = arena_strdup(r->a, word);
	int64_t n;

	if (len > 1 && word[len - 1] == 'x')
		digits[len - 1] = '\0';
	if (!grant_read_number(digits, &n))
		return err_set(e, E_DATA, "grant line: '%.40s' is not a count", word);
	if (r->counted)
		return grant_twice(
			e, "counts", arena_printf(r->a, "%" PRId64, r->count), word);
	if (n < 1 || n > MAX_COUNT)
		return err_set(e, E_DATA,
			"grant line: a count of %" PRId64
			" is not valid (expected 1 to %d)",
			n, MAX_COUNT);
	r->counted = true;
	r->count = n;
	return E_OK;
}

static enum err_code read_once(struct reading *r, const char **field, const char *what,
	const char *word, struct err *e)
{
	if (*field)
		return grant_twice(e, what, *field, word);
	*field = arena_strdup(r->a, word);
	return E_OK;
}

/* "v4", "v3-8", "tpuv4", "tpu-v3-8", "tpu7x-8", "ct5lp-hightpu-4t": where the type begins, or
 * NULL. */
static const char *type_in(const char *word)
{
	const char *s = word;

	if (str_starts(s, "tpu-"))
		s += 4;
	else if (str_starts(s, "tpu"))
		s += 3;
	if (s[0] == 'v' && isdigit((unsigned char)s[1]))
		return s;
	return tpu_family_of_type(word) ? word : NULL;
}

static enum err_code read_other(struct reading *r, const char *word, struct err *e)
{
	const char *type = type_in(word);

	if (isdigit((unsigned char)word[0]))
		return grant_read_count(r, word, e);
	if (type)
		return read_once(r, &r->type, "types", type, e);
	if (grant_is_zone(word))
		return read_once(r, &r->zone, "zones", word, e);
	if (str_eq(word, "+") || str_eq(word, "and") || str_eq(word, "&"))
		return err_set(e, E_DATA,
			"grant line: '%s' joins two grants: write a line for each", word);
	if (after_region(word) && !*after_region(word))
		return err_set(e, E_DATA,
			"grant line: %.40s is a region (expected a zone of it, such as "
			"%.40s-a)",
			word, word);
	return err_set(e, E_DATA, "grant line: the word '%.40s' is not understood", word);
}

static enum err_code read_word(struct reading *r, const char *word, struct err *e)
{
	const struct known_word *known = known_word_find(word);
	bool on = r->on;

	r->on = false;
	if (on && str_eq(word, "demand"))
		return read_once(r, &r->provisioning, "classes", "on-demand", e);
	if (on)
		return err_set(e, E_DATA, "grant line: the word 'on' is not understood");
	if (str_eq(word, "on")) {
		r->on = true;
		return E_OK;
	}
	if (str_in(word, fillers, ARRAY_LEN(fillers)))
		return E_OK;
	if (!known)
		return read_other(r, word, e);
	if (known->unit == UNIT_NONE)
		return read_once(r, &r->provisioning, "classes", known->provisioning, e);
	/* "pod slice" is one unit */
	if (r->unit != UNIT_NONE && !(r->unit == UNIT_SLICE && known->unit == UNIT_SLICE))
		return err_set(
			e, E_DATA, "grant line: it has two units: write a line for each");
	r->unit = known->unit;
	return E_OK;
}

/* Remove punctuation around a word, and the "(s)" of "device(s)"; the word may become empty. */
static char *trim_word(char *word)
{
	size_t len;

	while (*word && strchr("(,;:.#'", *word))
		word++;
	len = strlen(word);
	for (;;) {
		if (len > 3 && str_eq(word + len - 3, "(s)"))
			len -= 3;
		else if (len && strchr("),;:.'!", word[len - 1]))
			len--;
		else
			break;
		word[len] = '\0';
	}
	return word;
}

/* "1." or "2)" that numbers a list */
static bool is_list_mark(const char *word)
{
	size_t n = skip_while(word, isdigit);

	return n && n <= 3 && (word[n] == '.' || word[n] == ')') && !word[n + 1];
}

static enum err_code read_words(struct reading *r, char *text, struct err *e)
{
	char *save = NULL, *word;
	bool first = true;

	for (word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		if (first && is_list_mark(word)) {
			first = false;
			continue;
		}
		if (!str_eq(word, "-"))
			first = false;
		word = trim_word(word);
		if (*word && read_word(r, word, e))
			return e->code;
	}
	if (r->on)
		return err_set(e, E_DATA, "grant line: the word 'on' is not understood");
	return E_OK;
}

/* ---- meaning of the words ------------------------------------------------------------------- */

static enum err_code check_complete(const struct reading *r, struct err *e)
{
	const char *what = !r->counted ? "the count"
		: !r->provisioning     ? "on-demand, spot or preemptible"
		: !r->type             ? "the TPU type"
		: !r->zone             ? "the zone"
				       : NULL;

	return what ? err_set(e, E_DATA, "grant line: %s is missing", what) : E_OK;
}

/* "v3-8": the count is of TPUs of this type. */
static enum err_code resolve_sized(const struct reading *r, struct grant *g, struct err *e)
{
	char near[TPU_NAME_BUF];
	struct tpu_type t;

	if (!tpu_type_parse(r->type, &t)) {
		err_set(e, E_DATA, "grant line: there is no TPU type %.40s", r->type);
		return tpu_type_nearest(r->type, near)
			? err_fix(e, "did you mean '%s'?", near)
			: E_DATA;
	}
	if (r->unit == UNIT_CHIP || r->unit == UNIT_CORE)
		return err_set(e, E_DATA,
			"grant line: %s of %s is ambiguous (expected '%s %s' or '%s "
			"device(s)')",
			r->unit == UNIT_CHIP ? "chips" : "cores", t.name, t.family,
			r->unit == UNIT_CHIP ? "chips" : "cores", t.name);
	g->unit = GRANT_DEVICES;
	g->type = arena_strdup(r->a, t.name);
	g->family = t.family;
	g->chips = r->count * t.chips;
	if (r->unit == UNIT_NONE)
		g->note = arena_printf(
			r->a, "read as %" PRId64 " TPUs of type %s", r->count, t.name);
	return E_OK;
}

/* "v4": the count is of chips or cores of the family. */
static enum err_code resolve_family(const struct reading *r, struct grant *g, struct err *e)
{
	const char *family = tpu_family_canonical(r->type);
	int64_t per_chip = tpu_cores_per_chip(family);

	if (!family)
		return err_set(e, E_DATA,
			"grant line: there is no TPU type %.40s (expected " TPU_FAMILY_NAMES
			", with or without a size (v3-8))",
			r->type);
	if (r->unit == UNIT_NONE)
		return err_set(e, E_DATA,
			"grant line: %" PRId64
			" of what? (expected chips, cores or a type with its size (v3-8))",
			r->count);
	if (r->unit == UNIT_DEVICE || r->unit == UNIT_SLICE)
		return err_set(e, E_DATA,
			"grant line: %s of which size? (expected a type such as %s-8)",
			r->unit == UNIT_DEVICE ? "devices" : "slices", family);
	g->family = family;
	g->unit = r->unit == UNIT_CHIP ? GRANT_CHIPS : GRANT_CORES;
	g->chips = g->unit == GRANT_CHIPS ? r->count : r->count / per_chip;
	if (g->unit == GRANT_CORES && r->count % per_chip != 0)
		return err_set(e, E_DATA,
			"grant line: %" PRId64 " cores are not a whole number of %s chips",
			r->count, family);
	if (g->unit == GRANT_CORES && per_chip == 1)
		g->note = "cores of this family are read as chips";
	return E_OK;
}

enum err_code grant_parse_line(
	const char *text, struct arena *a, struct grant *out, struct err *e)
{
	struct reading r = {.a = a};
	cleanup(sbuf_done) struct sbuf plain = SBUF_INIT;
	struct grant g = *out;
	struct err own;
	enum err_code rc;

	e = e ? e : &own;
	if (strlen(text) > MAX_LINE)
		return err_set(e, E_DATA, "grant line: more than %d characters", MAX_LINE);
	g.type = NULL;
	g.note = NULL;
	to_plain(text, &plain);
	rc = plain.len ? read_words(&r, plain.s, e) : E_OK;
	if (!rc)
		rc = check_complete(&r, e);
	if (!rc)
		rc = strchr(r.type, '-') ? resolve_sized(&r, &g, e)
					 : resolve_family(&r, &g, e);
	if (rc && !*e->fix)
		err_fix(e,
			"write it as in the mail: '5 on-demand Cloud TPU v3-8 device(s) "
			"in zone europe-west4-a'");
	if (rc)
		return rc;
	g.count = r.count;
	g.provisioning = r.provisioning;
	g.zone = r.zone;
	*out = g;
	return E_OK;
}

/* ---- signs of a grant in a line ------------------------------------------------------------- */

static bool is_count_word(const char *word)
{
	size_t n = strspn(word, "0123456789,");

	if (!n || !isdigit((unsigned char)word[0]))
		return false;
	return !word[n] || (word[n] == 'x' && !word[n + 1]) || (word[n] & 0x80);
}

static unsigned signs_of_word(const char *word, const char *before)
{
	const struct known_word *known = known_word_find(word);

	if (is_count_word(word))
		return GRANT_SIGN_COUNT;
	if ((known && known->provisioning) ||
		(str_eq(word, "demand") && str_eq(before, "on")))
		return GRANT_SIGN_CLASS;
	if (str_eq(word, "tpu") || str_eq(word, "tpus"))
		return GRANT_SIGN_TPU;
	if (str_eq(word, "gcloud") || str_starts(word, "--"))
		return GRANT_SIGN_SHELL;
	if (type_in(word))
		return GRANT_SIGN_TYPE;
	return grant_is_zone(word) ? GRANT_SIGN_ZONE : 0;
}

/* "v3-8" or "v4" anywhere, also without blanks around it. */
static bool names_type(const char *plain)
{
	for (const char *s = strchr(plain, 'v'); s; s = strchr(s + 1, 'v')) {
		size_t n = 2;

		if ((s > plain && isalnum((unsigned char)s[-1])) || s[1] < '2' ||
			s[1] > '9')
			continue;
		n += strspn(s + n, "elitpod");
		if (s[n] == '-')
			n += 1 + skip_while(s + n + 1, isdigit);
		if (!isalnum((unsigned char)s[n]) && s[n] != '.')
			return true;
	}
	return false;
}

unsigned grant_signs(const char *text)
{
	cleanup(sbuf_done) struct sbuf plain = SBUF_INIT;
	char *save = NULL, *word;
	const char *before = "";
	bool first = true;
	unsigned signs = 0;

	to_plain(text, &plain);
	if (!plain.len)
		return 0;
	if (names_type(plain.s))
		signs |= GRANT_SIGN_NAMES;
	for (word = strtok_r(plain.s, " ", &save); word;
		word = strtok_r(NULL, " ", &save)) {
		unsigned sign;

		if (first && (is_list_mark(word) || !word[strspn(word, "-#+.:")]))
			continue;
		word = trim_word(word);
		sign = *word ? signs_of_word(word, before) : 0;
		if (first && *word && sign == GRANT_SIGN_COUNT)
			signs |= GRANT_SIGN_BEGINS;
		first = first && !*word;
		before = word;
		signs |= sign;
	}
	return signs;
}

const char *grant_plain(const char *text, struct arena *a)
{
	cleanup(sbuf_done) struct sbuf plain = SBUF_INIT, out = SBUF_INIT;
	char *save = NULL, *word;

	to_plain(text, &plain);
	if (plain.len)
		for (word = strtok_r(plain.s, " ", &save); word;
			word = strtok_r(NULL, " ", &save))
			sbuf_addf(&out, "%s%s", out.len ? " " : "", word);
	return arena_strdup(a, out.s);
}

/* ---- description ---------------------------------------------------------------------------- */

const char *grant_describe(const struct grant *g, struct arena *a)
{
	char slice[TPU_NAME_BUF];

	if (g->unit == GRANT_DEVICES)
		return arena_printf(a, "%" PRId64 " %s %s device%s in %s", g->count,
			g->provisioning, g->type, g->count == 1 ? "" : "s", g->zone);
	return arena_printf(a, "%" PRId64 " %s %s chip%s (%s) in %s", g->chips,
		g->provisioning, g->family, g->chips == 1 ? "" : "s",
		tpu_slice_name(g->family, g->chips, slice), g->zone);
}

bool grant_runs_at(const struct grant *g, ts_t t)
{
	return g->starts <= t && /* TS_NONE is before every time */
		(g->until == TS_NONE || t < g->until);
}

bool grant_ends_before(const struct grant *a, const struct grant *b)
{
	return a->until != TS_NONE && (b->until == TS_NONE || a->until < b->until);
}

bool grant_alike(const struct grant *a, const struct grant *b)
{
	return a->unit == b->unit && str_eq(a->family, b->family) &&
		str_eq(a->type, b->type) && str_eq(a->zone, b->zone) &&
		str_eq(a->provisioning, b->provisioning);
}

int64_t grant_find(const struct grant *grants, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(grants[i].name, name))
			return (int64_t)i;
	return -1;
}
