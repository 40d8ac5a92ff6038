/* Commands beside those that are read, which make what is paid too: clusters, jobs, all that
 * terraform knows. To pass them over would call free what is not. Source: the references of
 * gcloud, bq and terraform. */
#include "cli/paste/internal.h"

#include "base/sbuf.h"
#include "base/str.h"

#include <string.h>

/* What it makes is free, or paid by what is put into it. */
static bool is_free_group(const char *word)
{
	static const char *const groups[] = {"networks", "network-firewall-policies",
		"firewall-rules", "routes", "routers", "health-checks", "resource-policies",
		"iam", "projects", "folders", "organizations", "resource-manager",
		"services", "config", "auth", "components", "billing", "logging",
		"monitoring", "pubsub", "source", "artifacts", "storage", "os-login"};

	return str_in(word, groups, ARRAY_LEN(groups));
}

/* Paid all the same, within those. */
static bool is_paid_group(const char *word)
{
	static const char *const groups[] = {"nats", "vpc-access"};

	return str_in(word, groups, ARRAY_LEN(groups));
}

/* Behind these stand names of things and words of other programs. */
static bool makes_nothing(const char *word)
{
	static const char *const verbs[] = {"ssh", "scp", "list", "describe", "delete",
		"update", "get", "set", "start", "stop", "reset", "add", "remove", "enable",
		"disable", "install", "cp", "rsync", "ls", "cat", "mv", "rm", "logs",
		"wait"};

	return str_in(word, verbs, ARRAY_LEN(verbs));
}

static bool makes(const char *word)
{
	static const char *const verbs[] = {
		"deploy", "submit", "resize", "run", "snapshot", "import", "clone"};

	return str_starts(word, "create") || str_in(word, verbs, ARRAY_LEN(verbs));
}

/* Where the verb stands that makes something which is paid; n: there is none. The words of gcloud
 * without itself; flags may stand among them. */
static size_t paid_verb(const struct paste_word *v, size_t n)
{
	bool first = true, is_free = false, paid = false;

	for (size_t i = 0; i < n && !makes_nothing(v[i].s); i++) {
		const char *s = v[i].s;

		if (*s == '-' || paste_is_track(s))
			continue;
		/* "gcloud run", "gcloud deploy" are groups */
		if (!first && makes(s))
			return is_free && !paid ? n : i;
		is_free = is_free || is_free_group(s);
		paid = paid || is_paid_group(s);
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

/* How many words from the program on name what it makes; 0: nothing that is paid. */
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

static enum err_code refuse_other(struct pasting *p, const struct paste_word *v, size_t n)
{
	struct sbuf b = SBUF_INIT;

	for (size_t i = 0; i < n; i++)
		if (v[i].s[0] != '-')
			sbuf_addf(&b, "%s%.40s", b.len ? " " : "", v[i].s);
	err_set(p->e, E_USAGE,
		"the pasted text: %.160s: it creates something, which is not read", b.s);
	sbuf_done(&b);
	return err_fix(p->e, "leave it out, and look up what it costs");
}

enum err_code paste_other(struct pasting *p, const struct paste_word *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t words = other_words(v + i, n - i);

		if (words)
			return refuse_other(p, v + i, words);
		if (!strcmp(str_after_last(v[i].s, '/'), "gcloud"))
			break; /* what stands behind is its own */
	}
	return E_OK;
}
