/* Channels, reports and enforcement in the configuration. */
#include "cli/config_parts.h"

#include <stdio.h>
#include <string.h>

static enum err_code read_mode(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	static const char *const words[] = {"off", "dry-run", "armed"};

	(void)b;
	return config_one_of(n, words, ARRAY_LEN(words), obj, e);
}

#define EM(field) offsetof(struct email_config, field)
static const struct field email_fields[] = {
	{"to", BIND_TEXTS, EM(to), NULL, true},
	{"from", BIND_TEXT, EM(from), NULL, true},
	{"smtp", BIND_TEXT, EM(smtp), NULL, true},
	{"username", BIND_TEXT, EM(username), NULL, false},
	{"password_file", BIND_PATH, EM(password_file), NULL, false},
	{"tls", BIND_TEXT, EM(tls), NULL, false},
	{"ca_file", BIND_PATH, EM(ca_file), NULL, false},
};

static enum err_code read_email(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct email_config *mail = arena_new(b->a, struct email_config);

	*(struct email_config **)obj = mail;
	return bind_map(b, n, "email", email_fields, ARRAY_LEN(email_fields), mail, e);
}

#define NO(field) offsetof(struct notify_config, field)
static enum err_code read_slack(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	static const struct field fields[] = {{"webhook_file", BIND_PATH, 0, NULL, true}};

	return bind_map(b, n, "slack", fields, ARRAY_LEN(fields), obj, e);
}

static enum err_code read_webhook(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	static const struct field fields[] = {
		{"url", BIND_TEXT, NO(webhook_url), NULL, true},
		{"allow_private", BIND_FLAG, NO(allow_private), NULL, false},
	};

	return bind_map(b, n, "webhook", fields, ARRAY_LEN(fields), obj, e);
}

static enum err_code read_file_channel(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	static const struct field fields[] = {{"path", BIND_PATH, 0, NULL, true}};

	return bind_map(b, n, "file", fields, ARRAY_LEN(fields), obj, e);
}

static const struct field notify_fields[] = {
	{"name", BIND_TEXT, NO(name), NULL, true},
	{"email", BIND_OTHER, NO(email), read_email, false},
	{"slack", BIND_OTHER, NO(slack_webhook_file), read_slack, false},
	{"webhook", BIND_OTHER, 0, read_webhook, false},
	{"file", BIND_OTHER, NO(file_path), read_file_channel, false},
	{"min_severity", BIND_OTHER, NO(min_severity), config_read_severity, false},
};

enum err_code config_read_notify(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct config *cfg = obj;

	return bind_list(b, n, "notify", notify_fields, ARRAY_LEN(notify_fields),
		sizeof(struct notify_config), (void **)&cfg->notify, &cfg->n_notify, e);
}

static enum err_code read_time_of_day(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	const char *s;
	int hour, minute, end = 0;

	(void)b;
	if (yaml_str(n, &s, e))
		return e->code;
	if (sscanf(s, "%2d:%2d%n", &hour, &minute, &end) != 2 || s[end] || strlen(s) != 5 ||
		hour > 23 || minute > 59 || hour < 0 || minute < 0)
		return yaml_err(
			n, e, "\"%s\" is no time of day: want one such as \"09:00\"", s);
	*(const char **)obj = s;
	return E_OK;
}

static enum err_code read_daily(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	static const struct field fields[] = {
		{"at", BIND_OTHER, offsetof(struct report_config, daily_at),
			read_time_of_day, false},
		{"to", BIND_TEXTS, offsetof(struct report_config, daily_to), NULL, false},
	};

	return bind_map(b, n, "report.daily", fields, ARRAY_LEN(fields), obj, e);
}

enum err_code config_read_report(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	static const struct field fields[] = {{"daily", BIND_OTHER, 0, read_daily, false}};

	return bind_map(b, n, "report", fields, ARRAY_LEN(fields), obj, e);
}

#define EN(field) offsetof(struct enforcement_config, field)
static const struct field enforcement_fields[] = {
	{"mode", BIND_OTHER, EN(mode), read_mode, false},
	{"projects", BIND_TEXTS, EN(projects), NULL, false},
	{"max_per_run", BIND_COUNT, EN(max_per_run), NULL, false},
	{"max_per_hour", BIND_COUNT, EN(max_per_hour), NULL, false},
	{"max_per_day", BIND_COUNT, EN(max_per_day), NULL, false},
	{"protect", BIND_TEXT, EN(protect), NULL, false},
	{"credentials", BIND_PATH, EN(credentials), NULL, false},
	{"allow_delete", BIND_FLAG, EN(allow_delete), NULL, false},
};

enum err_code config_read_enforcement(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct enforcement_config *en = obj;

	if (bind_map(b, n, "enforcement", enforcement_fields, ARRAY_LEN(enforcement_fields),
		    en, e))
		return e->code;
	if (en->mode && !strcmp(en->mode, "armed") && !en->projects.n)
		return yaml_err(n, e,
			"enforcement: mode armed needs the projects that may be acted on");
	return E_OK;
}
