/* Texts of grants. What is taken for a grant is one, whichever way it is asked for; its description is
 * read as the same grant; a line with more behind it that is not understood is refused. */
#include "base/sbuf.h"
#include "base/str.h"
#include "rules/grant/mail.h"
#include "rules/grant/tpu.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static bool same_grant(const struct grant *a, const struct grant *b)
{
	return str_eq(a->zone, b->zone) && str_eq(a->type, b->type) &&
		str_eq(a->family, b->family) && a->chips == b->chips &&
		str_eq(a->provisioning, b->provisioning);
}

static void check_grant(const struct grant *g, struct arena *a)
{
	struct grant again = {0};
	struct tpu_type t;
	struct err e = {0};
	const char *text;

	fuzz_require(g->count >= 1 && g->chips >= 1 && g->family && g->zone);
	fuzz_require(
		str_eq(g->provisioning, "on-demand") || str_eq(g->provisioning, "spot"));
	fuzz_require((g->unit == GRANT_DEVICES) == (g->type != NULL));
	if (g->unit == GRANT_DEVICES)
		fuzz_require(tpu_type_parse(g->type, &t) &&
			g->chips == g->count * t.chips && !strcmp(t.family, g->family));
	text = grant_describe(g, a);
	if (grant_parse_line(text, a, &again, &e) == E_OK)
		fuzz_require(same_grant(g, &again));
	else
		fuzz_require(g->unit != GRANT_DEVICES);
	/* a word that nobody knows is never passed over */
	fuzz_require(
		grant_parse_line(arena_printf(a, "%s qzx", text), a, &again, &e) == E_DATA);
}

static void check_line(const char *line, struct arena *a)
{
	struct grant g = {.name = "n", .starts = 5, .until = 6}, again = {0};
	struct err e = {0};

	if (grant_parse_line(line, a, &g, &e)) {
		fuzz_require(e.code == E_DATA && e.msg[0] && !g.zone);
		return;
	}
	fuzz_require(g.starts == 5 && g.until == 6 && str_eq(g.name, "n"));
	check_grant(&g, a);
	fuzz_require(grant_parse_line(grant_plain(line, a), a, &again, &e) == E_OK);
	fuzz_require(same_grant(&g, &again) && g.count == again.count);
}

static void check_remarks(const struct grant_mail_remarks *list, int lines)
{
	for (size_t i = 0; i < list->n; i++) {
		fuzz_require(list->v[i].line >= 1 && list->v[i].line <= lines);
		fuzz_require(list->v[i].source && list->v[i].text[0]);
	}
}

static void check_mail(const char *s, struct arena *a)
{
	struct grant_mail m, again;
	int lines = 1;

	for (const char *p = s; *p; p++)
		lines += *p == '\n';
	grant_mail_read(s, a, &m);
	fuzz_require(m.days >= 0 && m.days <= 3660);
	check_remarks(&m.refused, lines);
	check_remarks(&m.unread, lines);
	for (size_t i = 0; i < m.lines.n; i++) {
		fuzz_require(m.lines.v[i].line >= 1 && m.lines.v[i].line <= lines);
		fuzz_require(!strchr(m.lines.v[i].source, '\n'));
		check_grant(&m.lines.v[i].g, a);
	}
	grant_mail_read(s, a, &again);
	fuzz_require(m.refused.n
			? again.refused.n == m.refused.n && again.lines.n == m.lines.n
			: grant_mail_same(&m, &again));
}

int fuzz_grant(const uint8_t *data, size_t size)
{
	char *s = fuzz_text(data, size);
	struct arena a = {0};

	/* by turns; of a text that is cut at every length both are met */
	if (size % 2) {
		check_mail(s, &a);
	} else {
		s[strcspn(s, "\n")] = '\0';
		check_line(s, &a);
	}
	arena_done(&a);
	free(s);
	return 0;
}
