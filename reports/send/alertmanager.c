/* Prometheus Alertmanager, POST /api/v2/alerts (api/v2/openapi.yaml of the project).
 *
 * Labels identify an alert in Alertmanager: the same labels are the same alert, and posting it
 * again has no side effect. Therefore:
 * - A letter that may have been delivered is sent again.
 * - The severity is a label, because routes depend on it. With another severity it is another alert
 *   in Alertmanager, so those of the others are ended.
 * - Values that change are not labels: owner, project and similar values are annotations.
 * - An alert without endsAt ends after Alertmanager's resolve_timeout, 5 minutes: clients are
 *   expected to repeat it. tpucost writes when an alert changes, and once in `repeat`; an alert
 *   lives for two of those, so that one lost message has no effect.
 * - Actions on machines are alerts named "tpucost-action", with the label `event`. */
#include "base/time/civil.h"
#include "base/data/json.h"
#include "base/str.h"
#include "reports/send/internal.h"
#include "rules/judge/alert.h"

#include <string.h>

#define TOLD_EVERY (24 * 3600)
#define CRITICAL_TOLD_EVERY (4 * 3600)
#define LONGEST_TOLD (INT64_C(10000) * 86400)
#define TEST_LASTS (10 * 60)

struct am {
	struct jw w;
	ts_t now;
};

static bool is_label_name(const char *s)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

	return *s && !strchr("0123456789", *s) && !s[strspn(s, letters)];
}

/* An empty label is the same as no label in Alertmanager. */
static void add_text(struct am *m, const char *key, const char *value)
{
	if (value && *value)
		jw_kstr(&m->w, key, value);
}

static void add_rule_labels(struct am *m, const char *text)
{
	cleanup(json_free_ptr) struct cJSON *labels = NULL;

	if (!text || json_parse(text, strlen(text), &labels, NULL) != E_OK)
		return;
	JSON_EACH (label, labels) {
		const char *key = json_key(label);

		if (key && is_label_name(key) &&
			!str_in_list(key, "alertname,subject,severity"))
			add_text(m, key, json_text(label, NULL));
	}
}

static void add_times(struct am *m, ts_t since, ts_t ends)
{
	char buf[RFC3339_BUF];

	/* The beginning must not be after the end; a clock may have been set back. */
	if (since != TS_NONE && since <= ends)
		jw_kstr(&m->w, "startsAt", rfc3339_format(since, buf));
	jw_kstr(&m->w, "endsAt", rfc3339_format(ends, buf));
}

static const char *member(const struct cJSON *row, const char *key)
{
	return json_text(json_get(row, key), NULL);
}

/* One alert. Absent texts are NULL. */
struct am_alert {
	const char *name, *subject, *event, *severity, *labels;
	const char *summary, *description;
	const struct cJSON *row; /* has the other annotations; NULL: none */
	ts_t starts, ends;
};

static void add_one(struct am *m, const struct am_alert *x)
{
	static const char *const keys[] = {"command", "name", "project", "owner"};

	jw_begin(&m->w, '{');
	jw_key(&m->w, "labels");
	jw_begin(&m->w, '{');
	jw_kstr(&m->w, "alertname", x->name);
	add_text(m, "subject", x->subject);
	add_text(m, "event", x->event);
	add_text(m, "severity", x->severity);
	add_rule_labels(m, x->labels);
	jw_end(&m->w, '}');
	jw_key(&m->w, "annotations");
	jw_begin(&m->w, '{');
	add_text(m, "summary", x->summary);
	add_text(m, "description", x->description);
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		add_text(m, keys[i], member(x->row, keys[i]));
	jw_end(&m->w, '}');
	add_times(m, x->starts, x->ends);
	jw_end(&m->w, '}');
}

static void add_alert(
	struct am *m, const struct cJSON *row, const char *severity, ts_t ends)
{
	struct am_alert x = {.name = member(row, "rule"),
		.subject = member(row, "subject"),
		.severity = severity,
		.labels = member(row, "labels"),
		.summary = member(row, "summary"),
		.row = row,
		.ends = ends};
	const char *since = member(row, "since");

	if (!since || rfc3339_parse(since, &x.starts, NULL, NULL))
		x.starts = TS_NONE;
	add_one(m, &x);
}

/* Ends what was reported with other severities: they are other alerts there. */
static void end_others(struct am *m, const struct cJSON *row)
{
	for (int i = SEVERITY_INFO; i <= SEVERITY_CRITICAL; i++)
		if (!str_eq(severity_name((enum severity)i), member(row, "severity")))
			add_alert(m, row, severity_name((enum severity)i), m->now);
}

static void add_firing(struct am *m, const struct cJSON *row)
{
	const char *severity = member(row, "severity");
	bool critical = str_eq(severity, severity_name(SEVERITY_CRITICAL));
	int64_t every = critical ? CRITICAL_TOLD_EVERY : TOLD_EVERY, own;

	if (!member(row, "rule"))
		return;
	if (!json_opt_i64(row, "repeat_seconds", 0, &own, NULL) && own > every &&
		own <= LONGEST_TOLD)
		every = own;
	add_alert(m, row, severity, m->now + 2 * every);
	if (!str_eq(member(row, "event"), "firing"))
		end_others(m, row);
}

static void add_action(struct am *m, const struct cJSON *row, const char *event,
	const char *severity, ts_t ends)
{
	add_one(m,
		&(struct am_alert){.name = "tpucost-action",
			.subject = member(row, "resource"),
			.event = event,
			.severity = severity,
			.summary = member(row, "detail"),
			.row = row,
			.starts = TS_NONE,
			.ends = ends});
}

/* Ends the earlier alerts about the action: a warning had the severity of its rule, the others are
 * always critical. */
static void end_earlier(struct am *m, const struct cJSON *row, const char *event)
{
	static const char *const grave[] = {"held", "unclear"};

	if (str_eq(event, "warning"))
		return;
	for (int i = SEVERITY_INFO; i <= SEVERITY_CRITICAL; i++)
		add_action(m, row, "warning", severity_name((enum severity)i), m->now);
	for (size_t i = 0; i < ARRAY_LEN(grave) && !str_eq(grave[i], event); i++)
		add_action(m, row, grave[i], severity_name(SEVERITY_CRITICAL), m->now);
}

static void add_news(struct am *m, const struct cJSON *row)
{
	const char *event = member(row, "event");

	if (!event || !member(row, "resource"))
		return;
	end_earlier(m, row, event);
	if (!str_eq(event, "cancelled"))
		add_action(m, row, event, member(row, "severity"), m->now + TOLD_EVERY);
}

/* A message without an alert: a test, or a report of undelivered messages. */
static void add_message(struct am *m, const struct letter *l, const struct cJSON *body)
{
	const char *kind = member(body, "report");
	bool test = str_eq(kind, "test");

	add_one(m,
		&(struct am_alert){.name = "tpucost",
			.subject = kind,
			.severity = severity_name(test ? SEVERITY_INFO : SEVERITY_WARNING),
			.summary = l->subject,
			.description = member(body, "headline"),
			.starts = l->created,
			.ends = m->now + (test ? TEST_LASTS : TOLD_EVERY)});
}

static void add_alerts(struct am *m, const struct letter *l, const struct cJSON *body)
{
	const struct cJSON *firing = json_get(body, "firing");
	const struct cJSON *resolved = json_get(body, "resolved");
	const struct cJSON *actions = json_get(body, "actions");

	jw_begin(&m->w, '[');
	if (!firing && !resolved && !actions)
		add_message(m, l, body);
	JSON_EACH (row, actions)
		add_news(m, row);
	JSON_EACH (row, firing)
		add_firing(m, row);
	JSON_EACH (row, resolved)
		if (member(row, "rule")) {
			add_alert(m, row, member(row, "severity"), m->now);
			end_others(m, row);
		}
	jw_end(&m->w, ']');
}

void send_alertmanager(struct sender *s, const struct channel *c, const struct letter *l,
	struct send_result *out)
{
	cleanup(json_free_ptr) struct cJSON *body = NULL;
	struct sbuf b = SBUF_INIT;
	struct am m = {.w = {.b = &b}, .now = clock_now(s->clock)};
	struct post p = {.s = s, .c = c, .path = "/api/v2/alerts", .repeatable = true};

	if (!send_parse_body(l, &body, out))
		return;
	add_alerts(&m, l, body);
	if (post_open(&p, out) && post_json(&p, b.s, b.len, out))
		post_result(&p, post_class(p.r.status), out);
	post_done(&p);
	sbuf_done(&b);
}
