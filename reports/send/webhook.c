/* POST of JSON to any server: the whole report for programs, and `text` for chat services that
 * accept Slack's simplest form (Discord's ".../slack" URLs, Mattermost, Rocket.Chat). */
#include "base/data/json.h"
#include "base/str.h"
#include "reports/send/internal.h"

#include <string.h>

#define TEXT_MAX 2000 /* Discord's limit: at most that many UTF-16 units */
#define MORE_ROOM 40

static size_t units(const char *s)
{
	size_t n = 0, len;

	for (; *s; s += len)
		n += utf8_next(s, &len) > 0xffff ? 2 : 1;
	return n;
}

/* Names come from other users: "@everyone" and "<!channel>" must not notify anyone, so a zero-width
 * character follows the first character. */
static void add_harmless(struct sbuf *b, const char *s)
{
	cleanup(sbuf_done) struct sbuf seen = SBUF_INIT;

	sbuf_add_term(&seen, s);
	for (const char *p = seen.s; *p; p++) {
		sbuf_addc(b, *p);
		if (*p == '@' || *p == '<')
			sbuf_adds(b, "\xe2\x80\x8b");
	}
}

struct text {
	struct sbuf b;
	size_t left_out; /* lines */
};

/* Appends a whole line, or nothing after a line did not fit. */
static void add_line(struct text *t, const char *mark, const char *s)
{
	size_t before = t->b.len;

	if (t->left_out) {
		t->left_out++;
		return;
	}
	if (before)
		sbuf_addc(&t->b, '\n');
	sbuf_adds(&t->b, mark);
	add_harmless(&t->b, s);
	if (units(t->b.s) > TEXT_MAX - MORE_ROOM) {
		sbuf_trunc(&t->b, before);
		t->left_out++;
	}
}

static void add_rows(struct text *t, const struct cJSON *rows, const char *mark)
{
	JSON_EACH (row, rows)
		add_line(t, mark, json_text(json_get(row, "summary"), ""));
}

/* Actions on machines, with the command to paste. */
static void add_actions(struct text *t, const struct cJSON *rows)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	JSON_EACH (row, rows) {
		const char *command = json_text(json_get(row, "command"), NULL);
		const char *restart = json_text(json_get(row, "restart"), NULL);

		sbuf_reset(&b);
		sbuf_addf(&b, "%s %s: %s", json_text(json_get(row, "name"), ""),
			json_text(json_get(row, "news"), ""),
			json_text(json_get(row, "detail"), ""));
		add_line(t, "- ", b.s);
		if (command)
			add_line(t, "  ", command);
		if (restart && str_eq(json_text(json_get(row, "event"), NULL), "warning"))
			add_line(t, "  To start it again after that: ", restart);
	}
}

static void make_text(const struct letter *l, const struct cJSON *body, struct text *t)
{
	const struct cJSON *firing = json_get(body, "firing");
	const struct cJSON *resolved = json_get(body, "resolved");
	bool news = str_eq(json_text(json_get(body, "report"), NULL), "alerts");
	const struct cJSON *actions = news ? json_get(body, "actions") : NULL;
	const char *headline = json_text(json_get(body, "headline"), NULL);

	sbuf_adds(&t->b, l->may_be_repeat ? "[may be a repeat] " : "");
	add_harmless(&t->b, l->subject);
	send_shorten(&t->b, TEXT_MAX / 4, TEXT_MAX / 4); /* always the subject */
	if (json_len(actions) || json_len(firing) + json_len(resolved) > 1) {
		add_actions(t, actions);
		add_rows(t, firing, "- ");
		add_rows(t, resolved, "- resolved: ");
	} else if (headline && !strstr(l->subject, headline)) {
		add_line(t, "", headline);
	}
	if (t->left_out)
		sbuf_addf(&t->b, "\n+%zu more", t->left_out);
}

void send_webhook(struct sender *s, const struct channel *c, const struct letter *l,
	struct send_result *out)
{
	cleanup(json_free_ptr) struct cJSON *body = NULL;
	struct sbuf key = SBUF_INIT, b = SBUF_INIT;
	struct text text = {.b = SBUF_INIT};
	const char *headers[2] = {NULL};
	struct post p = {.s = s, .c = c, .header = headers};

	if (!send_parse_body(l, &body, out))
		return;
	make_text(l, body, &text);
	send_envelope(l, body, text.b.s, &b);
	sbuf_addf(&key, "Idempotency-Key: %s", l->id);
	headers[0] = key.s;
	if (post_open(&p, out) && post_json(&p, b.s, b.len, out))
		post_result(&p, post_class(p.r.status), out);
	post_done(&p);
	sbuf_done(&text.b);
	sbuf_done(&key);
	sbuf_done(&b);
}
