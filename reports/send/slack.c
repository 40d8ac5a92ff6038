/* Slack's incoming webhooks. Responses: "ok", or a word with 400, 403, 404 or 410 (docs.slack.dev,
 * "Sending messages using incoming webhooks", "Handling errors"). */
#include "base/data/json.h"
#include "base/str.h"
#include "reports/send/internal.h"

#define REPEAT "[may be a repeat] "
#define HEADER_MAX 150 /* characters */

/* Puts REPEAT before the text of an object of at most `max` characters. */
static void mark(struct cJSON *obj, size_t max)
{
	const char *text = json_text(json_get(obj, "text"), NULL);
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	if (!text)
		return;
	sbuf_adds(&b, REPEAT);
	sbuf_adds(&b, text);
	send_shorten(&b, max, max - 3);
	json_set_text(obj, "text", b.s);
}

static void mark_repeat(struct cJSON *payload)
{
	const struct cJSON *first = json_first(json_get(payload, "blocks"));

	mark(payload, SIZE_MAX);
	if (str_eq(json_text(json_get(first, "type"), NULL), "header"))
		mark(json_get(first, "text"), HEADER_MAX);
}

/* ---- responses --------------------------------------------------------------------------- */

/* The webhook fails for any message. */
static bool is_withdrawn(const char *word)
{
	static const char *const words[] = {"action_prohibited", "channel_is_archived",
		"channel_not_found", "invalid_token", "no_active_hooks", "no_service",
		"no_service_id", "no_team", "posting_to_general_channel_denied",
		"team_disabled"};

	return str_in(word, words, ARRAY_LEN(words));
}

/* Slack's other methods report failure as {"ok": false, ...}: the URL is one of those. */
static bool says_no(const struct http_req *r)
{
	cleanup(json_free_ptr) struct cJSON *j = NULL;
	const struct cJSON *ok;

	if (json_parse(r->resp.s, r->resp.len, &j, NULL) != E_OK)
		return false;
	ok = json_get(j, "ok");
	return ok && !json_true(ok);
}

static enum send_class class_of(const struct post *p, const char *reply)
{
	long status = p->r.status;

	if (status >= 400 && status < 500 && is_withdrawn(reply))
		return SEND_SWITCHED_OFF;
	if (status < 200 || status >= 300 || str_eq(reply, "ok"))
		return post_class(status);
	if (says_no(&p->r))
		return SEND_SWITCHED_OFF;
	/* The server accepted the message but does not respond like Slack: a gateway with its own
	 * page, or another chat service. The message may have been delivered. */
	return SEND_UNCLEAR;
}

/* A refused payload is sent without its blocks: a plain message is better than none. */
static void send_payload(struct post *p, const struct cJSON *payload, const char *subject,
	struct send_result *out)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct jw w = {.b = &b};
	bool answered;

	json_print(&b, payload);
	answered = post_json(p, b.s, b.len, out);
	if (answered && class_of(p, out->reply) == SEND_REJECTED &&
		(p->r.status == 400 || p->r.status == 413)) { /* the payload is wrong */
		sbuf_reset(&b);
		jw_begin(&w, '{');
		jw_kstr(&w, "text", json_text(json_get(payload, "text"), subject));
		jw_end(&w, '}');
		answered = post_json(p, b.s, b.len, out);
	}
	if (answered)
		post_result(p, class_of(p, out->reply), out);
}

void send_slack(struct sender *s, const struct channel *c, const struct letter *l,
	struct send_result *out)
{
	cleanup(json_free_ptr) struct cJSON *payload = NULL;
	struct post p = {.s = s, .c = c};

	if (!send_parse_body(l, &payload, out))
		return;
	if (l->may_be_repeat)
		mark_repeat(payload);
	if (post_open(&p, out))
		send_payload(&p, payload, l->subject, out);
	post_done(&p);
}
