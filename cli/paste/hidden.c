/* Create commands that are not read: after other programs, in text for another shell, in
 * functions called by loops; and those of other kinds that also cost money: clusters, jobs,
 * everything that terraform creates. Ignoring them would report paid resources as free. Source:
 * the references of gcloud, bq and terraform. */
#include "cli/paste/internal.h"

#include "base/sbuf.h"
#include "base/str.h"

#include <string.h>

bool paste_creates(const char *text)
{
	return (strstr(text, "gcloud") && strstr(text, " create")) ||
		strstr(text, "ctpu up") || strstr(text, "terraform apply");
}

static void refuse_hidden(struct pasting *p, const char *behind)
{
	paste_refuse(p, "paste the create command alone, with its values",
		"the pasted text: resources created through %.60s cannot be estimated",
		behind);
}

/* "create" after "compute": the words of gcloud, whatever the name of the program. */
static bool creates_from(const struct paste_word *v, size_t n)
{
	bool compute = false;

	for (size_t i = 0; i < n; i++) {
		compute = compute || !strcmp(v[i].s, "compute");
		if (compute && !strcmp(v[i].s, "create"))
			return true;
		if (i && !strcmp(v[i].s, "up") && str_starts(v[i - 1].s, "ctpu"))
			return true;
	}
	return false;
}

/* ---- commands of other kinds ------------------------------------------------------------------ */

/* These create resources that are free, or whose cost depends on their content. */
static const char *const free_groups[] = {"networks", "network-firewall-policies",
	"firewall-rules", "routes", "routers", "health-checks", "resource-policies", "iam",
	"projects", "folders", "organizations", "resource-manager", "services", "config",
	"auth", "components", "billing", "logging", "monitoring", "pubsub", "source",
	"artifacts", "storage", "os-login"};
/* Groups within those that cost money. */
static const char *const paid_groups[] = {"nats", "vpc-access"};
/* These are followed by names and by words of other programs. */
static const char *const idle_verbs[] = {"ssh", "scp", "list", "describe", "delete",
	"update", "get", "set", "start", "stop", "reset", "add", "remove", "enable",
	"disable", "install", "cp", "rsync", "ls", "cat", "mv", "rm", "logs", "wait"};
static const char *const making_verbs[] = {
	"deploy", "submit", "resize", "run", "snapshot", "import", "clone"};

/* Index of the verb that creates a paid resource; n: there is none. `v` is the words of gcloud
 * after "gcloud"; flags may be among them. */
static size_t paid_verb(const struct paste_word *v, size_t n)
{
	bool first = true, is_free = false, paid = false;

	for (size_t i = 0; i < n && !str_in(v[i].s, idle_verbs, ARRAY_LEN(idle_verbs));
		i++) {
		const char *s = v[i].s;

		if (*s == '-' || paste_is_track(s))
			continue;
		/* "gcloud run", "gcloud deploy" are groups */
		if (!first &&
			(str_starts(s, "create") ||
				str_in(s, making_verbs, ARRAY_LEN(making_verbs))))
			return is_free && !paid ? n : i;
		is_free = is_free || str_in(s, free_groups, ARRAY_LEN(free_groups));
		paid = paid || str_in(s, paid_groups, ARRAY_LEN(paid_groups));
		first = false;
	}
	return n;
}

static const struct {
	const char *program, *verb;
} others[] = {
	{"bq", "mk"},
	{"terraform", "apply"},
	{"tofu", "apply"},
	{"pulumi", "up"},
	{"xpk", "create"},
	{"sky", "launch"},
	{"ray", "up"},
};

/* Number of words from the program on that name what it creates; 0: nothing that costs money. */
static size_t other_words(const struct paste_word *v, size_t n)
{
	const char *program = str_after_last(v[0].s, '/');
	size_t at;

	if (!strcmp(program, "gcloud")) {
		at = paid_verb(v + 1, n - 1);
		return at == n - 1 || paste_is_read(v + 1, at + 1) ? 0 : at + 2;
	}
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		for (at = 1; !strcmp(program, others[i].program) && at < n; at++)
			if (!strcmp(v[at].s, others[i].verb))
				return at + 1;
	return 0;
}

static void refuse_other(struct pasting *p, const struct paste_word *v, size_t n)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	for (size_t i = 0; i < n; i++)
		if (v[i].s[0] != '-')
			sbuf_addf(&b, "%s%.40s", b.len ? " " : "", v[i].s);
	paste_refuse(p, "omit it, and check its cost separately",
		"the pasted text: %.160s: it creates a resource, but is not supported",
		b.s);
}

void paste_other(struct pasting *p, const struct paste_word *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t words = other_words(v + i, n - i);

		if (words)
			refuse_other(p, v + i, words);
		if (!strcmp(str_after_last(v[i].s, '/'), "gcloud"))
			break; /* the words after it are its own */
	}
}

/* ---- after another program -------------------------------------------------------------------- */

void paste_hidden(struct pasting *p, const struct paste_command *c)
{
	static const char *const shows[] = {
		"echo", "printf", "print", "alias", "which", "man", "grep", "history"};

	if (str_in(c->v[0].s, shows, ARRAY_LEN(shows)))
		return;
	if (creates_from(c->v, c->n))
		refuse_hidden(p, c->v[0].s);
	for (size_t i = 1; i < c->n; i++)
		if (strchr(c->v[i].s, ' ') && paste_creates(c->v[i].s))
			refuse_hidden(p, c->v[0].s);
	paste_other(p, c->v, c->n);
}

/* Number of calls outside of functions; `args`: one of them has arguments, or is in a function. */
static size_t hidden_calls(const struct paste_commands *list, const char *name, bool *args)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++) {
		const struct paste_command *c = &list->v[i];

		if (!str_eq(c->v[0].s, name))
			continue;
		*args = *args || c->n > 1 || c->function;
		n++;
	}
	return n;
}

void paste_check_calls(struct pasting *p, const struct paste_commands *list)
{
	static const char fix[] = "paste the create command alone, once, with its values";

	for (size_t i = 0; i < list->n; i++)
		if (list->v[i].loop &&
			str_in(list->v[i].v[0].s, list->functions.v, list->functions.n))
			paste_refuse(p, fix,
				"the pasted text: the function %.60s is called in a loop "
				"(%s): the number of calls is unknown",
				list->v[i].v[0].s, list->v[i].loop);
	for (size_t i = 0; i < p->made_in.n; i++) {
		bool args = false;
		size_t n = hidden_calls(list, p->made_in.v[i], &args);

		if (n != 1 || args)
			paste_refuse(p, fix,
				"the pasted text: the function %.60s creates resources, "
				"and is "
				"called %zu times%s",
				p->made_in.v[i], n, args ? ", with arguments" : "");
	}
}
