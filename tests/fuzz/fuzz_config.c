/* Configurations, rules with them. What is wrong is said in one line with its place; what is accepted
 * holds figures that the rules can work with, and no key that nobody knows. */
#include "base/mem.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "cli/config/config.h"
#include "rules/enforce/action.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A file in memory; its name is the same in all messages. */
static const char *config_file(const char *s, size_t n)
{
	static char path[64];
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("config.yaml", 0);
		fuzz_require(fd >= 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	fuzz_require(!ftruncate(fd, 0) && pwrite(fd, s, n, 0) == (ssize_t)n);
	return path;
}

/* "PATH:LINE:COL: message", or "PATH: message" on the file as a whole */
static void check_config_refusal(const struct err *e, const char *path)
{
	int line = 0, col = 0, len = 0;
	const char *rest = e->msg + strlen(path);

	fuzz_require(e->code == E_CONFIG && str_starts(e->msg, path));
	fuzz_require(!strpbrk(e->msg, "\n\r\x1b\x7f") && !strpbrk(e->fix, "\n\r\x1b\x7f"));
	fuzz_require(
		utf8_valid(e->msg, strlen(e->msg)) && utf8_valid(e->fix, strlen(e->fix)));
	fuzz_require(sscanf(rest, ":%d:%d: %n", &line, &col, &len) == 2 && len);
	fuzz_require(line >= 1 && col >= 1 && rest[len]);
}

static void check_thresholds(const struct thresholds *t)
{
	fuzz_require(t->n <= BUDGET_THRESHOLDS);
	for (size_t i = 0; i < t->n; i++)
		fuzz_require(t->at[i] >= 1 && t->at[i] <= 1000 &&
			(!i || t->at[i] > t->at[i - 1]));
}

static void check_rule(const struct rule *r)
{
	fuzz_require(r->name && *r->name && view_find(r->on) && (r->where || r->builtin));
	fuzz_require(r->hold_for >= 0 && r->keep_for >= 0 && r->repeat >= 0);
	fuzz_require(r->then.grace >= 0);
	/* nothing is deleted by a rule that does not say so twice */
	if (r->then.action && !strcmp(r->then.action, "delete") && r->then.armed)
		fuzz_require(r->then.allow_delete);
}

static void check_config(const struct config *c)
{
	fuzz_require(c->tz && c->database);
	fuzz_require(!*c->currency || currency_valid(c->currency));
	for (int i = 0; i < POLL_GROUPS; i++)
		fuzz_require(c->poll[i] >= 0);
	for (size_t i = 0; i < c->n_grants; i++) {
		const struct grant *g = &c->grants[i];

		fuzz_require(*g->name && g->zone && g->family && g->chips > 0);
		fuzz_require(g->starts == TS_NONE || g->until == TS_NONE ||
			g->until > g->starts);
	}
	for (size_t i = 0; i < c->n_credits; i++)
		fuzz_require(
			*c->credits[i].name && currency_valid(c->credits[i].amount.cur));
	for (size_t i = 0; i < c->n_budgets; i++) {
		const struct budget *b = &c->budgets[i];

		fuzz_require(
			*b->name && b->amount.nanos > 0 && currency_valid(b->amount.cur));
		fuzz_require(b->per != BUDGET_CUSTOM || b->ends > b->starts);
		check_thresholds(&b->alert_at);
		check_thresholds(&b->forecast_at);
	}
	for (size_t i = 0; i < c->n_prices; i++)
		fuzz_require(c->prices[i].per_chip_hour.nanos >= 0);
	for (size_t i = 0; i < c->settings.n_rules; i++)
		check_rule(&c->settings.rules[i]);
	if (c->enforcement.mode && !strcmp(c->enforcement.mode, "armed"))
		fuzz_require(c->enforcement.projects.n > 0);
}

/* A block of keys takes one more, which nobody knows. */
static void check_unknown_key(const char *s, size_t size, struct arena *a)
{
	cleanup(sbuf_done) struct sbuf more = SBUF_INIT;
	struct config c;
	struct err e = {0};

	sbuf_add(&more, s, size);
	sbuf_adds(&more, "\nqzxkey: 1\n");
	c = (struct config){0};
	fuzz_require(config_read(config_file(more.s, more.len), a, &c, &e) == E_CONFIG);
	tz_free(c.tz);
}

int fuzz_config(const uint8_t *data, size_t size)
{
	static struct arena a;
	cleanup(free_ptr) char *s = fuzz_text(data, size);
	const char *path = config_file(s, size);
	struct config c = {0};
	struct err e = {0};

	/* of time zones only UTC: to look for near names in all of them takes long */
	setenv("TZDIR", "/nonexistent", 1);
	setenv("TZ", "UTC", 1);
	if (config_read(path, &a, &c, &e)) {
		check_config_refusal(&e, path);
	} else {
		check_config(&c);
		check_unknown_key(s, size, &a);
	}
	tz_free(c.tz);
	arena_reset(&a);
	return 0;
}
