/* Channels in the configuration: each has one kind and its settings. Errors are found here and
 * not when the first alert is sent. */
#include "base/url/address.h"
#include "base/fs.h"
#include "base/url/netguard.h"
#include "base/str.h"
#include "base/url/url.h"
#include "cli/config/internal.h"
#include "reports/outbox/outbox.h"
#include "rules/vocab/subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_NAME 64
#define MAX_CHANNELS 50
#define MAX_CREDENTIAL 65536
#define PEOPLE_INTERVAL 300 /* seconds between messages of channels that people read */

/* One entry of `notify:` as written. */
struct entry {
	struct channel c;
	struct texts to;
	const char *tls;
	const struct yaml_node *kind; /* the map of the kind */
};

#define CH(field) (offsetof(struct entry, c) + offsetof(struct channel, field))

/* File with a secret; "credential:NAME" is a credential that systemd passes to the service
 * (systemd.exec(5), LoadCredential). Without systemd the name is kept: only the sender needs it. */
enum err_code config_read_secret_path(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	const char *dir = getenv("CREDENTIALS_DIRECTORY"), *s = n->text;

	if (!str_starts(s, "credential:"))
		return bind_value(b, n, BIND_PATH, obj, e);
	s += strlen("credential:");
	if (!*s || strchr(s, '/') || str_starts(s, "."))
		return yaml_err(n, e,
			"'%s' is not a name of a credential (expected credential:NAME)", s);
	*(const char **)obj = dir && *dir ? arena_printf(b->a, "%s/%s", dir, s)
					  : arena_printf(b->a, "credential:%s", s);
	return E_OK;
}

static const struct field email_fields[] = {
	{"to", BIND_TEXTS, offsetof(struct entry, to), .required = true,
		.doc = "1 to 20 addresses"},
	{"from", BIND_TEXT, CH(from), .required = true, .doc = "address of the sender"},
	{"smtp", BIND_TEXT, CH(smtp), .required = true,
		.doc = "server: smtps://HOST for TLS, smtp://HOST for STARTTLS"},
	{"username", BIND_TEXT, CH(username), .doc = "login"},
	{"password_file", BIND_SCALAR, CH(password_file), config_read_secret_path,
		.doc = "file with the password; or credential:NAME", .shape = "path"},
	{"tls", BIND_TEXT, offsetof(struct entry, tls),
		.doc = "off: no encryption, allowed only to this machine", .def = "on"},
	{"ca_file", BIND_PATH, CH(ca_file),
		.doc = "CA certificates of a private authority"},
	{"allow_private", BIND_FLAG, CH(allow_private),
		.doc = "true: the server may have a private address", .def = "false"},
};

static const struct field sendmail_fields[] = {
	{"to", BIND_TEXTS, offsetof(struct entry, to), .required = true,
		.doc = "1 to 20 addresses"},
	{"from", BIND_TEXT, CH(from), .required = true, .doc = "address of the sender"},
	{"program", BIND_PATH, CH(program), .doc = "the program",
		.def = "/usr/sbin/sendmail"},
};

static const struct field slack_fields[] = {
	{"webhook_file", BIND_SCALAR, CH(url_file), config_read_secret_path,
		.required = true,
		.doc = "file with the URL of the webhook; or credential:NAME",
		.shape = "path"},
	{"ca_file", BIND_PATH, CH(ca_file),
		.doc = "CA certificates of a private authority"},
	{"allow_private", BIND_FLAG, CH(allow_private),
		.doc = "true: the server may have a private address", .def = "false"},
};

static const struct field webhook_fields[] = {
	{"url", BIND_TEXT, CH(url), .doc = "URL that receives the JSON"},
	{"url_file", BIND_SCALAR, CH(url_file), config_read_secret_path,
		.doc = "file with the URL, if the URL is a secret; or credential:NAME",
		.shape = "path"},
	{"ca_file", BIND_PATH, CH(ca_file),
		.doc = "CA certificates of a private authority"},
	{"allow_private", BIND_FLAG, CH(allow_private),
		.doc = "true: the server may have a private address", .def = "false"},
};

static const struct field alertmanager_fields[] = {
	{"url", BIND_TEXT, CH(url), .required = true, .doc = "base URL of Alertmanager"},
	{"username", BIND_TEXT, CH(username), .doc = "login"},
	{"password_file", BIND_SCALAR, CH(password_file), config_read_secret_path,
		.doc = "file with the password; or credential:NAME", .shape = "path"},
	{"ca_file", BIND_PATH, CH(ca_file),
		.doc = "CA certificates of a private authority"},
	{"allow_private", BIND_FLAG, CH(allow_private),
		.doc = "true: the server may have a private address", .def = "false"},
};

static const struct field file_fields[] = {{"path", BIND_PATH, CH(path), .required = true,
	.doc = "file to which each message is appended as a line of JSON"}};

static const struct field_set kinds[CHANNEL_KINDS] = {
	[CHANNEL_EMAIL] = {email_fields, ARRAY_LEN(email_fields), .what = "email"},
	[CHANNEL_SENDMAIL] = {sendmail_fields, ARRAY_LEN(sendmail_fields),
		.what = "sendmail"},
	[CHANNEL_SLACK] = {slack_fields, ARRAY_LEN(slack_fields), .what = "slack"},
	[CHANNEL_WEBHOOK] = {webhook_fields, ARRAY_LEN(webhook_fields), .what = "webhook"},
	[CHANNEL_ALERTMANAGER] = {alertmanager_fields, ARRAY_LEN(alertmanager_fields),
		.what = "alertmanager"},
	[CHANNEL_FILE] = {file_fields, ARRAY_LEN(file_fields), .what = "file"},
};

/* "22:00-07:30", in the configured zone; may extend over midnight. */
static enum err_code read_quiet(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct entry *entry = obj;
	const char *s = n->text;
	char from[6];

	(void)b;
	snprintf(from, sizeof(from), "%.5s", s);
	if (strlen(s) == 11 && s[5] == '-' &&
		config_minute_of_day(from, &entry->c.quiet_from) &&
		config_minute_of_day(s + 6, &entry->c.quiet_until) &&
		entry->c.quiet_from != entry->c.quiet_until)
		return E_OK;
	return yaml_err(n, e,
		"'%s' is not valid (expected quiet hours such as \"22:00-07:30\")", s);
}

static const struct field entry_fields[] = {
	{"name", BIND_TEXT, CH(name), .required = true,
		.doc = "name of the channel: letters, digits, '.', '_' and '-'"},
	{"email", BIND_MAP, 0, .doc = "mail over SMTP", .sub = &kinds[CHANNEL_EMAIL]},
	{"sendmail", BIND_MAP, 0, .doc = "mail through the local sendmail",
		.sub = &kinds[CHANNEL_SENDMAIL]},
	{"slack", BIND_MAP, 0, .doc = "Slack webhook", .sub = &kinds[CHANNEL_SLACK]},
	{"webhook", BIND_MAP, 0, .doc = "JSON to a URL, or to Discord",
		.sub = &kinds[CHANNEL_WEBHOOK]},
	{"alertmanager", BIND_MAP, 0, .doc = "alerts to Alertmanager",
		.sub = &kinds[CHANNEL_ALERTMANAGER]},
	{"file", BIND_MAP, 0, .doc = "lines of JSON in a file",
		.sub = &kinds[CHANNEL_FILE]},
	{"min_severity", BIND_ENUM, CH(min_severity),
		.doc = "the lowest severity that is sent: info, warning or critical",
		.def = "info", .words = config_severities},
	{"quiet_hours", BIND_SCALAR, 0, read_quiet,
		.doc = "hours when only critical alerts are sent, such as 22:00-07:30",
		.shape = "hours"},
	{"group_wait", BIND_DURATION, CH(group_wait),
		.doc = "time to collect alerts before the first message", .def = "0s"},
	{"group_interval", BIND_DURATION, CH(group_interval),
		.doc = "minimum time between two messages",
		.def = "5m for email, sendmail and slack, else 0s"},
};
const struct field_set config_notify_keys = {
	entry_fields, ARRAY_LEN(entry_fields), .list = true};

/* ---- validation -------------------------------------------------------------------------------- */

static enum err_code channels_check_name(const struct yaml_node *n,
	const struct config *cfg, const char *name, struct err *e)
{
	static const char fine[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

	if (!*name || strlen(name) > MAX_NAME || name[strspn(name, fine)] || *name == '-')
		return yaml_err(n, e,
			"notify: invalid name (expected letters, digits, '.', '_' and '-', "
			"at most %d characters)",
			MAX_NAME);
	for (size_t i = 0; i < cfg->n_channels; i++)
		if (!strcmp(cfg->channels[i].name, name))
			return yaml_err(
				n, e, "notify: two channels have the name '%s'", name);
	return E_OK;
}

static enum err_code check_people(struct entry *entry, struct err *e)
{
	const struct yaml_node *to = yaml_get(entry->kind, "to");
	const struct yaml_node *from = yaml_get(entry->kind, "from");

	if (!entry->to.n || entry->to.n > CHANNEL_MAX_RECIPIENTS)
		return yaml_err(
			to, e, "to: expected 1 to %d addresses", CHANNEL_MAX_RECIPIENTS);
	for (size_t i = 0; i < entry->to.n; i++) {
		if (mail_address_check(entry->to.v[i], e))
			return yaml_err_at(to, e);
		for (size_t k = 0; k < i; k++)
			if (mail_address_same(entry->to.v[i], entry->to.v[k]))
				return yaml_err(
					to, e, "to: '%s' is listed twice", entry->to.v[i]);
	}
	if (mail_address_check(entry->c.from, e))
		return yaml_err_at(from, e);
	entry->c.to = entry->to.v;
	entry->c.n_to = entry->to.n;
	return E_OK;
}

/* The error was found in an equivalent URL, as in "URL https://...: why". Keeps only the cause. */
static enum err_code smtp_err(const struct yaml_node *n, struct err *e)
{
	const struct err was = *e;
	const char *why = strstr(was.msg, ": ");

	yaml_err(n, e, "smtp%s", why ? why : ": malformed");
	return *was.fix ? err_fix(e, "%s", was.fix) : e->code;
}

/* Checks "smtp://host" as an equivalent URL that the other checks can read. */
static enum err_code check_smtp(struct entry *entry, struct err *e)
{
	const struct yaml_node *n = yaml_get(entry->kind, "smtp");
	const struct yaml_node *tls = yaml_get(entry->kind, "tls");
	const char *s = entry->c.smtp, *rest;
	cleanup(sbuf_done) struct sbuf web = SBUF_INIT;
	struct url u;

	rest = str_starts(s, "smtps://")   ? s + strlen("smtps://")
		: str_starts(s, "smtp://") ? s + strlen("smtp://")
					   : NULL;
	if (!rest)
		return yaml_err(n, e,
			"smtp: '%s' is not a server (expected smtps://HOST for TLS or "
			"smtp://HOST for STARTTLS)",
			s);
	sbuf_addf(&web, "https://%s", rest);
	if (net_url_check(web.s, entry->c.allow_private, e) || url_parse(web.s, &u, e))
		return smtp_err(n, e);
	if (*u.path && strcmp(u.path, "/") != 0)
		return yaml_err(n, e, "smtp: unexpected text after the host");
	if (entry->tls && strcmp(entry->tls, "off") != 0 && strcmp(entry->tls, "on") != 0)
		return yaml_err(tls, e, "tls: expected on or off");
	entry->c.plain = entry->tls && !strcmp(entry->tls, "off");
	if (entry->c.plain && (!url_is_loopback(&u) || str_starts(s, "smtps:")))
		return yaml_err(tls, e,
			"tls: off is only allowed for smtp:// to this machine: mail and "
			"password would be sent without encryption");
	return E_OK;
}

static enum err_code check_login(const struct entry *entry, struct err *e)
{
	if (!entry->c.username == !entry->c.password_file)
		return E_OK;
	return yaml_err(entry->kind, e, "username and password_file must be used together");
}

static enum err_code check_url(const struct entry *entry, struct err *e)
{
	const struct yaml_node *n = yaml_get(entry->kind, "url");

	if (!entry->c.url == !entry->c.url_file)
		return yaml_err(
			entry->kind, e, "expected url, or url_file if the URL is a secret");
	if (entry->c.url && net_url_check(entry->c.url, entry->c.allow_private, e))
		return yaml_err_at(n, e);
	return E_OK;
}

static enum err_code check_kind(struct entry *entry, struct err *e)
{
	switch (entry->c.kind) {
	case CHANNEL_EMAIL:
		if (check_people(entry, e) || check_smtp(entry, e))
			return e->code;
		return check_login(entry, e);
	case CHANNEL_SENDMAIL:
		if (!entry->c.program)
			entry->c.program = "/usr/sbin/sendmail";
		return check_people(entry, e);
	case CHANNEL_SLACK:
	case CHANNEL_WEBHOOK:
		return check_url(entry, e);
	case CHANNEL_ALERTMANAGER:
		return check_url(entry, e) ? e->code : check_login(entry, e);
	case CHANNEL_FILE:
		break;
	}
	return E_OK;
}

/* ---- hash of the settings ---------------------------------------------------------------------- */

static uint64_t channels_mix(uint64_t h, const char *s)
{
	for (s = s ? s : ""; *s; s++)
		h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
	return (h ^ 0xff) * UINT64_C(0x100000001b3);
}

/* systemd writes its copy again at every start of a service, so only the content shows whether it
 * changed. Twelve bits of its hash are kept: enough to detect a change, and of no use for
 * guessing the secret. */
static uint64_t mix_credential(uint64_t h, const char *path)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	char text[8];

	if (!fs_read(path, MAX_CREDENTIAL, &b, NULL)) {
		snprintf(text, sizeof(text), "%03x",
			(unsigned)(channels_mix(UINT64_C(0xcbf29ce484222325), b.s) >> 40 &
				0xfff));
		h = channels_mix(h, text);
	}
	if (b.len)
		explicit_bzero(b.s, b.len);
	return channels_mix(h, path);
}

/* A change of a secret is detected by the modification time of its file, not by its content. */
static uint64_t mix_file(uint64_t h, const char *path)
{
	char text[96];
	struct stat st;
	const char *dir = getenv("CREDENTIALS_DIRECTORY");

	if (path && dir && *dir && str_starts(path, dir) && path[strlen(dir)] == '/')
		return mix_credential(h, path);
	if (!path || stat(path, &st))
		return channels_mix(h, path);
	snprintf(text, sizeof(text), "%lld.%ld %lld %llu", (long long)st.st_mtim.tv_sec,
		(long)st.st_mtim.tv_nsec, (long long)st.st_size,
		(unsigned long long)st.st_ino);
	return channels_mix(channels_mix(h, path), text);
}

static const char *version_of(const struct channel *c, struct arena *a)
{
	uint64_t h = channels_mix(
		UINT64_C(0xcbf29ce484222325), channel_traits[c->kind].name);

	for (size_t i = 0; i < c->n_to; i++)
		h = channels_mix(h, c->to[i]);
	h = channels_mix(
		channels_mix(channels_mix(channels_mix(h, c->from), c->smtp), c->program),
		c->username);
	h = channels_mix(
		channels_mix(channels_mix(h, c->url), c->path), c->plain ? "plain" : "");
	h = channels_mix(h, c->allow_private ? "private" : "");
	h = mix_file(mix_file(mix_file(h, c->password_file), c->ca_file), c->url_file);
	return arena_printf(a, "%016llx", (unsigned long long)h);
}

/* ---- reading ----------------------------------------------------------------------------------- */

static enum err_code read_entry(
	struct binder *b, const struct yaml_node *n, struct config *cfg, struct err *e)
{
	struct entry entry = {
		.c = {.quiet_from = -1, .quiet_until = -1, .group_interval = -1}};
	int n_kinds = 0;

	if (bind_map(b, n, "notify", entry_fields, ARRAY_LEN(entry_fields), &entry, e) ||
		channels_check_name(yaml_get(n, "name"), cfg, entry.c.name, e))
		return e->code;
	for (int k = 0; k < CHANNEL_KINDS; k++) {
		const struct yaml_node *kind = yaml_get(n, channel_traits[k].name);

		if (!kind)
			continue;
		entry.c.kind = (enum channel_kind)k;
		entry.kind = kind;
		n_kinds++;
	}
	if (n_kinds > 1)
		return yaml_err(n, e,
			"notify: '%s' has %d kinds; make a channel for each, with its own "
			"name",
			entry.c.name, n_kinds);
	if (!n_kinds)
		return yaml_err(n, e,
			"notify: '%s' needs one of email, sendmail, slack, webhook, "
			"alertmanager, file",
			entry.c.name);
	if (check_kind(&entry, e))
		return e->code;
	if (entry.c.group_interval < 0)
		entry.c.group_interval = channel_traits[entry.c.kind].per_recipient ||
				entry.c.kind == CHANNEL_SLACK
			? PEOPLE_INTERVAL
			: 0;
	entry.c.version = version_of(&entry.c, b->a);
	cfg->channels[cfg->n_channels++] = entry.c;
	return E_OK;
}

enum err_code config_read_notify(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct config *cfg = obj;

	if (yaml_is_null(n))
		return E_OK;
	if (n->type != YAML_SEQ)
		return yaml_err(n, e, "notify: expected a list of channels");
	if (n->n > MAX_CHANNELS)
		return yaml_err(n, e, "notify: more than %d channels", MAX_CHANNELS);
	cfg->channels = arena_alloc(b->a, n->n * sizeof(*cfg->channels));
	YAML_EACH (item, n)
		if (read_entry(b, item, cfg, e))
			return e->code;
	return E_OK;
}

/* ---- mail to owners ------------------------------------------------------------------------------ */

/* The channel that sends the mails of the rule: the one named, or the only one that sends mail. */
static enum err_code to_owner_channel(
	const struct config *cfg, struct rule *r, const struct yaml_node *n, struct err *e)
{
	const struct yaml_node *named = yaml_get(n, "channel");
	const char *names[MAX_CHANNELS], *near;
	size_t n_names = 0;

	for (size_t i = 0; i < cfg->n_channels; i++)
		if (channel_traits[cfg->channels[i].kind].per_recipient)
			names[n_names++] = cfg->channels[i].name;
	if (!named && n_names == 1) {
		r->notify.channel = names[0];
		return E_OK;
	}
	for (size_t i = 0; named && i < n_names; i++)
		if (!strcmp(names[i], r->notify.channel))
			return E_OK;
	if (!n_names) {
		yaml_err(n, e, "rule %s: no channel sends mail to owners", r->name);
		return err_fix(e, "add a channel with email or sendmail under notify:");
	}
	if (!named) {
		yaml_err(n, e, "rule %s: %zu channels can send mail to owners", r->name,
			n_names);
		return err_fix(e, "choose one, as in channel: %s", names[0]);
	}
	near = str_nearest(r->notify.channel, names, n_names);
	yaml_err(named, e, "rule %s: there is no channel '%.60s' that sends mail", r->name,
		r->notify.channel);
	return near ? err_fix(e, "did you mean '%s'?", near)
		    : err_fix(e, "channels that send mail: %s", names[0]);
}

enum err_code config_check_to_owner(const struct config *cfg, struct rule *r,
	const struct rule_config *c, struct err *e)
{
	const struct yaml_node *n = yaml_get(c->node, "notify"),
			       *to = n ? yaml_get(n, "to_owner") : NULL;
	const char *s = r->notify.to_owner, *owner = s ? strstr(s, "{owner}") : NULL;
	const struct subject *subject = subject_of(view_find(r->on));
	cleanup(arena_done) struct arena a = {0};

	if (!to)
		return E_OK;
	if (!subject || strcmp(subject->key, "id") != 0) {
		yaml_err(to, e, "rule %s: rows of %s have no owner", r->name, r->on);
		return err_fix(e, "move the condition to a rule on resources");
	}
	if (!owner || strchr(owner + 1, '{') || strchr(s, '@') < owner ||
		!outbox_owner_address(s, "ann", &a)) {
		yaml_err(to, e, "rule %s: '%.80s' is not an address with an owner", r->name,
			s);
		return err_fix(e, "write it as {owner}@example.org");
	}
	return to_owner_channel(cfg, r, n, e);
}
