/* Any bytes: mail_read never crashes, gives text without NUL or refuses with a reason; what
 * grant_mail_read takes for a grant is one, read again as the same; and mail_sent gives a date or a
 * reason. */
#include "base/net/mail.h"

#include "rules/grant/mail.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static void check_remarks(const struct grant_mail_remarks *list)
{
	for (size_t i = 0; i < list->n; i++)
		fuzz_require(
			list->v[i].line >= 1 && list->v[i].source && list->v[i].text[0]);
}

static struct mail_span check_grants(const char *text, struct arena *a)
{
	struct grant_mail m, again;

	grant_mail_read(text, a, &m);
	fuzz_require(m.days >= 0 && m.days <= 3660);
	check_remarks(&m.refused);
	check_remarks(&m.unread);
	for (size_t i = 0; i < m.lines.n; i++) {
		const struct grant *g = &m.lines.v[i].g;

		fuzz_require(g->count >= 1 && g->chips >= 1 && g->family && g->zone);
		fuzz_require(g->unit == GRANT_DEVICES ? g->type != NULL : !g->type);
		fuzz_require(!strchr(m.lines.v[i].source, '\n'));
		grant_mail_read(m.lines.v[i].source, a, &again);
		fuzz_require(again.lines.n == 1 && again.lines.v[0].g.count == g->count);
		fuzz_require(again.lines.v[0].g.chips == g->chips);
	}
	fuzz_require(m.last >= m.first && (m.first > 0) == (m.last > 0));
	fuzz_require(m.last || !m.lines.n);
	return (struct mail_span){m.first, m.last};
}

static void check_dates(const struct mail *m, struct arena *a)
{
	struct mail_span spans[MAIL_MAX_PARTS] = {{0}};

	for (size_t i = 0; i < m->n; i++)
		spans[i] = check_grants(m->texts[i].text, a);
	for (size_t i = 0; i < m->n; i++) {
		struct mail_sent s;

		if (!spans[i].last)
			continue;
		s = mail_sent(m, spans, i, INT64_C(1794996000), a);
		fuzz_require((s.at == TS_NONE) == (s.why != NULL));
		fuzz_require(s.inner || s.at == TS_NONE || s.at == m->texts[i].date);
	}
}

int fuzz_mail(const uint8_t *data, size_t size)
{
	cleanup(free_ptr) char *text = xmalloc(size + 1);
	struct arena a = {0};
	struct mail m = {0};
	struct err e = {0};
	enum err_code rc;

	if (size)
		memcpy(text, data, size);
	rc = mail_read(text, size, &a, &m, &e);
	fuzz_require(rc ? (rc == E_DATA || rc == E_LIMIT) && e.msg[0] && !m.n
			: m.n >= 1 && m.n <= MAIL_MAX_PARTS && strlen(m.sha256) == 64);
	check_dates(&m, &a);
	arena_done(&a);
	return 0;
}
