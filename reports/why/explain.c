/* Finds the object that a name refers to, and explains it. */
#include "reports/why/explain.h"

#include "base/str.h"
#include "reports/why/internal.h"
#include "rules/vocab/named.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define MAX_NAME 1000

static const struct explain_kind kinds[] = {
	{"resource", "resources", false, false, explain_resource},
	{"grant", "grants", false, true, explain_grant},
	{"budget", "budgets", false, true, explain_budget},
	{"credit", "credits", false, true, explain_credit},
	{"burn", "burn", false, false, explain_burn},
	{"cost", "costs", false, false, explain_cost},
	{"quota", "quotas", true, false, explain_quota},
	{"source", "sources", true, false, explain_source},
	{"alert", "alerts", true, false, explain_alert},
	{"rule", "alerts", true, false, explain_rule},
	{"action", "actions", true, false, explain_action},
	{"host", "hosts", true, false, explain_host},
	{"gone", "resources", true, false, explain_gone},
};

struct explain_names {
	const char **v;
	size_t n, cap;
};

static void why_add_name(struct explaining *x, struct explain_names *out, const char *name)
{
	*arena_push(x->a, out) = arena_strdup(x->a, name);
}

static enum err_code names_of(struct explaining *x, const struct explain_kind *k,
	struct explain_names *out, struct err *e)
{
	struct q_complete_names_in in = {.kind = k->name, .most = INT64_MAX};
	struct q_explain_names_in derived = {.kind = k->name};
	struct db_rows rows;

	if (k->explain == explain_burn)
		why_add_name(x, out, "burn");
	for (size_t i = 0; k->explain == explain_rule && i < x->settings->n_rules; i++)
		why_add_name(x, out, x->settings->rules[i].name);
	if (k->derived ? q_explain_names_open(x->db, &derived, &rows, e)
		       : q_complete_names_open(x->db, &in, &rows, e))
		return e->code;
	while (db_rows_step(&rows))
		why_add_name(x, out, db_rows_cell(&rows, 0).text);
	return db_rows_close(&rows, e);
}

static const struct explain_kind *kind_find(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (strlen(kinds[i].name) == len && !strncasecmp(kinds[i].name, name, len))
			return &kinds[i];
	return NULL;
}

/* ---- lookup of names ---------------------------------------------------------------------- */

struct lookup {
	const char *word;
	enum named_fit best;
	const struct explain_kind *kind; /* of the first best match */
	const char *key;
	bool named; /* the user typed the kind as well */
	size_t hits;
	struct explain_names all, matches;
	struct named resources;
};

static enum err_code look_in(
	struct explaining *x, struct lookup *l, const struct explain_kind *k, struct err *e)
{
	struct explain_names names = {0};

	if (names_of(x, k, &names, e))
		return e->code;
	for (size_t i = 0; i < names.n; i++) {
		enum named_fit fit = named_fit(names.v[i], l->word);

		why_add_name(x, &l->all, names.v[i]);
		why_add_name(x, &l->all, str_after_last(names.v[i], '/'));
		if (k == &kinds[0])
			named_add(&l->resources, x->a, names.v[i], l->word);
		if (fit > l->best || fit == NAMED_NONE)
			continue;
		if (fit != NAMED_KEY && k->whole && !l->named)
			continue;
		if (fit < l->best) {
			l->best = fit;
			l->hits = 0;
			l->matches.n = 0;
			l->kind = k;
			l->key = names.v[i];
		}
		l->hits++;
		if (l->hits <= NAMED_SHOWN)
			why_add_name(x, &l->matches,
				k == &kinds[0]
					? names.v[i]
					: arena_printf(x->a, "%s:%s", k->name, names.v[i]));
	}
	return E_OK;
}

/* "grnat" -> "grant". */
static const char *nearest_kind(const char *word, size_t len)
{
	const char *names[ARRAY_LEN(kinds)];
	char buf[32];

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		names[i] = kinds[i].name;
	snprintf(buf, sizeof(buf), "%.*s", (int)(len < sizeof(buf) ? len : 0), word);
	return str_nearest(buf, names, ARRAY_LEN(names));
}

static enum err_code not_found(
	struct lookup *l, const struct explain_kind *only, struct err *e)
{
	const char *near = strlen(l->word) < 100 ? str_nearest(l->word, l->all.v, l->all.n)
						 : NULL;
	const char *colon = only ? NULL : strchr(l->word, ':'), *kind;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_add_quoted(&b, l->word, 80);
	if (only)
		err_set(e, E_USAGE, "why: %s %s does not exist", only->name, b.s);
	else
		err_set(e, E_USAGE, "why: no object is named %s", b.s);
	if (near)
		return err_fix(e, "did you mean '%.200s'?", near);
	kind = colon ? nearest_kind(l->word, (size_t)(colon - l->word)) : NULL;
	if (kind)
		return err_fix(e, "did you mean '%s%.200s'?", kind, colon);
	return err_fix(e, "%s",
		only ? "run: tpucost why --help"
		     : "ids: tpucost ps --all --columns id; other names: tpucost why "
		       "--help");
}

static enum err_code explain_object(struct explaining *x, const struct explain_kind *kind,
	const char *key, struct err *e)
{
	struct err first = {0};

	x->e = &first;
	x->view = kind->view;
	kind->explain(x, key);
	x->e = NULL;
	if (first.code)
		*e = first;
	return first.code;
}

/* The only object that `word` names, of one kind or of all kinds. */
static enum err_code explain_word(struct explaining *x, const struct explain_kind *only,
	const char *word, struct err *e)
{
	struct lookup l = {.word = word,
		.best = NAMED_NONE,
		.named = only != NULL,
		.resources = NAMED_INIT};
	const char *preferred;

	if (only && only->explain == explain_cost) /* any date is valid */
		return explain_object(x, only, word, e);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if ((!only || only == &kinds[i]) && look_in(x, &l, &kinds[i], e))
			return e->code;
	/* hosts match only if nothing else does, and deleted resources only if no host does */
	l.named = true;
	if (!l.hits && !only && look_in(x, &l, kind_find("host", 4), e))
		return e->code;
	if (!l.hits && !only && look_in(x, &l, kind_find("gone", 4), e))
		return e->code;
	if (!l.hits)
		return not_found(&l, only, e);
	preferred = l.kind == &kinds[0] ? named_preferred(&l.resources) : NULL;
	if (l.hits > 1 && (!preferred || l.hits != l.resources.n))
		return named_ambiguous(word, l.matches.v, l.hits, e);
	x->others = preferred ? named_others(&l.resources, x->a) : NULL;
	return explain_object(x, l.kind, preferred ? preferred : l.key, e);
}

/* "2026-11-20" and "2026-11" do not need the prefix "cost:". */
static bool why_is_date(const char *word)
{
	size_t n = 0;

	while (word[n] &&
		(n == 4 || n == 7 ? word[n] == '-' : isdigit((unsigned char)word[n])))
		n++;
	return !word[n] && (n == 7 || n == 10);
}

enum err_code explain(
	struct explaining *x, const char *const *words, size_t n, struct err *e)
{
	const struct explain_kind *kind = NULL;
	const char *word = words[0];
	size_t len = strcspn(word, ":");

	for (size_t i = 0; i < n; i++)
		if (!*words[i] || strlen(words[i]) > MAX_NAME) {
			err_set(e, E_USAGE, "why: a name has %zu characters",
				strlen(words[i]));
			return err_fix(e, "expected 1 to %d", MAX_NAME);
		}
	if (n > 1 || !word[len])
		kind = kind_find(word, strlen(word));
	else
		kind = kind_find(word, len);
	if (n > 2 && (!kind || kind->explain != explain_alert)) {
		err_set(e, E_USAGE, "why: unexpected argument '%.80s'", words[2]);
		return err_fix(e, "see: tpucost why --help");
	} else if (n > 1 && (n > 2 || !kind)) { /* kind and name, else rule and subject */
		const char *of = n == 2 && named_kind(word) ? "resource" : "alert";

		kind = kind_find(of, strlen(of));
		word = arena_printf(x->a, "%s/%s", words[n - 2], words[n - 1]);
	} else if (n > 1) {
		word = words[1];
	} else if (kind && word[len]) {
		word += len + 1;
	} else if (why_is_date(word)) {
		kind = kind_find("cost", 4);
	} else if (kind && kind->explain == explain_burn) {
		word = kind->name;
	} else {
		kind = NULL; /* an object may have the name of a kind */
	}
	if (!*word) {
		err_set(e, E_USAGE, "why: %s: missing name", kind ? kind->name : "");
		return err_fix(e, "run: tpucost why --help");
	}
	return explain_word(x, kind, word, e);
}
