/* Pasted commands, from the text to the resources that they would create. */
#include "cli/paste/internal.h"

#include "base/sbuf.h"
#include "base/str.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define FREE_POLICIES "compute resource-policies create"

/* ---- commands ------------------------------------------------------------------------------ */

static bool is_create(const struct pasting *p, size_t at)
{
	for (size_t i = at; i < p->words.n && i < at + 5; i++)
		if (str_starts(p->words.v[i].s, "create"))
			return true;
	return false;
}

static const char *first_words(struct pasting *p, const char *program, size_t max)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_adds(&b, program);
	for (size_t i = 0; i < p->words.n && i < max; i++)
		sbuf_addf(&b, " %.40s", p->words.v[i].s);
	return arena_strdup(p->a, b.s);
}

static void paste_creates_nothing(struct pasting *p, const char *command)
{
	paste_refuse(p,
		arena_printf(p->a, "supported commands: %s", paste_understood(p->a)),
		"%.160s: not a supported create command", command);
}

/* "gcloud config set compute/zone us-central1-b" applies to the commands after it. */
static bool paste_take_config(struct pasting *p, size_t at)
{
	size_t i = paste_matched(p, at, "config set");
	const char *key, *value;

	if (!i || p->words.n < i + 2)
		return false;
	key = p->words.v[i].s;
	value = p->words.v[i + 1].hole == HOLE_NONE ? p->words.v[i + 1].s : NULL;
	if (!strcmp(key, "project") || !strcmp(key, "core/project"))
		p->project = value;
	else if (!strcmp(key, "compute/zone"))
		p->zone = value;
	else if (!strcmp(key, "compute/region"))
		p->region = value;
	return true;
}

/* Other sources that gcloud would read: a file of flags, a configuration other than the active
 * one. */
static void refuse_files(struct pasting *p)
{
	if (paste_has(p, "flags-file"))
		paste_refuse(p, "write the flags into the command",
			"%s: --flags-file is not supported", p->command);
	if (!paste_has(p, "configuration"))
		return;
	if (!paste_has(p, "zone") && !paste_has(p, "location") && !paste_has(p, "region"))
		paste_refuse(p, "add --zone ZONE",
			"%s: --configuration: its zone is unknown", p->command);
	if (!paste_has(p, "project"))
		paste_refuse(p, "add --project PROJECT",
			"%s: --configuration: its project is unknown", p->command);
}

/* Runs the reader of a create command on the words after those of the command itself. */
static void read_create(struct pasting *p, paste_fn *read, size_t behind)
{
	p->words.v += behind;
	p->words.n -= behind;
	p->made = true;
	read(p);
}

static void read_gcloud(struct pasting *p, const struct paste_word *v, size_t n)
{
	const char *words;
	size_t at, behind;
	paste_fn *read;

	/* flags of a command that creates nothing need not be known */
	p->command = "gcloud";
	paste_args_read(p, v, n);
	at = p->words.n && paste_is_track(p->words.v[0].s);
	read = paste_reader(p, at, &words, &behind);
	if (read) {
		p->command = arena_printf(p->a, "gcloud %s", words);
		refuse_files(p);
		read_create(p, read, behind);
	} else if (paste_take_config(p, at)) {
		return;
	} else if (p->alone) {
		paste_creates_nothing(p, first_words(p, "gcloud", at + 4));
	} else if (is_create(p, at) && !paste_matched(p, at, FREE_POLICIES)) {
		paste_note(p, "not read: %s", first_words(p, "gcloud", at + 4));
	}
}

static void read_ctpu(struct pasting *p, const struct paste_word *v, size_t n)
{
	p->command = "ctpu up";
	paste_args_read(p, v, n);
	if (p->words.n && !strcmp(p->words.v[0].s, "up"))
		read_create(p, paste_ctpu, 1);
	else if (p->alone)
		paste_creates_nothing(p, first_words(p, "ctpu", 2));
}

static void read_gsutil(struct pasting *p, const struct paste_word *v, size_t n)
{
	size_t i = 0;

	/* -o NAME=VALUE and similar flags have a value */
	while (i < n && v[i].s[0] == '-')
		i += strlen(v[i].s) == 2 && strchr("ohiu", v[i].s[1]) ? 2 : 1;
	p->command = "gsutil mb";
	if (i < n && !strcmp(v[i].s, "mb")) {
		p->made = true;
		paste_gsutil(p, v + i + 1, n - i - 1);
	} else if (p->alone) {
		paste_creates_nothing(
			p, arena_printf(p->a, "gsutil %.40s", i < n ? v[i].s : ""));
	}
}

static const struct program {
	const char *name;
	/* Reads the words after the name. Sets p->made if they create resources. */
	void (*read)(struct pasting *p, const struct paste_word *v, size_t n);
} programs[] = {{"gcloud", read_gcloud}, {"ctpu", read_ctpu}, {"gsutil", read_gsutil}};

static const struct program *program_of(const char *word)
{
	for (size_t i = 0; i < ARRAY_LEN(programs); i++)
		if (!strcmp(str_after_last(word, '/'), programs[i].name))
			return &programs[i];
	return NULL;
}

/* The program of a command and its index: words before it do not change it (sudo -u me, timeout
 * 60, time, env A=b). NULL: none of the table. */
static const struct program *find_program(const struct paste_word *v, size_t n, size_t *at)
{
	static const char *const wrappers[] = {"sudo", "time", "env", "exec", "command",
		"nohup", "builtin", "nice", "yes", "do", "then", "timeout", "ionice",
		"stdbuf", "caffeinate"};
	bool wrapped = n && str_in(v[0].s, wrappers, ARRAY_LEN(wrappers));

	for (*at = 0; *at < (wrapped ? n : n > 0); ++*at)
		if (program_of(v[*at].s))
			return program_of(v[*at].s);
	return NULL;
}

/* Tests whether the words could be a command that creates resources. The flags of other commands
 * are not read: "ssh" accepts flags that are unknown here. */
static bool may_create(const struct paste_word *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_starts(v[i].s, "create") || !strcmp(v[i].s, "up") ||
			!strcmp(v[i].s, "mb") || !strcmp(v[i].s, "config"))
			return true;
	return false;
}

/* ---- words for the rewritten command ------------------------------------------------------- */

/* Tests whether the word is known except for one variable at its end. */
static bool ends_in_variable(const struct paste_word *w)
{
	const char *at = strchr(w->s, '$');
	size_t n;

	if (w->hole != HOLE_UNSET || !at || strcmp(at, w->source) != 0)
		return false;
	at += 1 + (at[1] == '{');
	for (n = 0; isalnum((unsigned char)at[n]) || at[n] == '_'; n++)
		;
	return n && !isdigit((unsigned char)*at) && (!at[n] || !strcmp(at + n, "}"));
}

/* With several commands, it is unclear which one to rewrite. */
static void keep_words(struct pasting *p, const struct paste_word *v, size_t n)
{
	struct proposal_word *words = arena_alloc(p->a, n * sizeof(*words));

	p->out.n_words = 0;
	if (p->n_made++)
		return;
	for (size_t i = 0; i < n; i++) {
		words[i] = (struct proposal_word){v[i].s, ends_in_variable(&v[i])};
		if (v[i].hole != HOLE_NONE && !words[i].variable)
			return;
	}
	p->out.words = words;
	p->out.n_words = n;
}

/* ---- words and text ------------------------------------------------------------------------ */

static void paste_begin(
	struct pasting *p, struct arena *a, const struct paste_env *env, struct err *e)
{
	static const struct paste_env nothing;

	*p = (struct pasting){.a = a, .env = env ? env : &nothing, .e = e};
	err_clear(e);
}

enum err_code paste_words(struct arena *a, const char *const *words, size_t n,
	const struct paste_env *env, struct proposal *out, struct err *e)
{
	struct paste_word *v = arena_alloc(a, n * sizeof(*v));
	const struct program *program;
	struct pasting p;
	size_t at;

	paste_begin(&p, a, env, e);
	p.alone = true;
	if (n > PASTE_MAX_WORDS)
		return err_set(e, E_LIMIT, "the pasted command has more than %d words",
			PASTE_MAX_WORDS);
	for (size_t i = 0; i < n; i++) {
		v[i].s = paste_plain_word(&p, words[i]);
		p.bytes += strlen(words[i]) + 1;
	}
	if (p.bytes > PASTE_MAX_TEXT)
		return err_set(e, E_LIMIT, "the pasted command has more than %d bytes",
			PASTE_MAX_TEXT);
	program = find_program(v, n, &at);
	if (program)
		program->read(&p, v + at + 1, n - at - 1);
	else
		p.command = n ? arena_printf(a, "%.80s", words[0]) : "no command";
	if (!p.made)
		paste_creates_nothing(&p, p.command);
	if (e->code)
		return e->code;
	keep_words(&p, v, n);
	*out = p.out;
	return E_OK;
}

static void read_command(struct pasting *p, const struct paste_command *c)
{
	size_t at;
	const struct program *program = find_program(c->v, c->n, &at);

	if (str_starts(c->v[0].s, "--"))
		paste_refuse(p,
			"end the line above with a backslash if the command continues",
			"the pasted text: a command begins with %.60s", c->v[0].s);
	if (!program) {
		paste_hidden(p, c);
		return;
	}
	paste_other(p, c->v + at, c->n - at);
	if (!may_create(c->v + at, c->n - at))
		return;
	p->made = false;
	program->read(p, c->v + at + 1, c->n - at - 1);
	if (!p->made)
		return;
	if (c->loop)
		paste_refuse(p, "paste the command alone, once, with its values",
			"%s: it is in a loop (%s): the number of runs is unknown",
			p->command, c->loop);
	if (c->in_test)
		paste_note(p, "repeated until it succeeds: counted once");
	if (c->function)
		*arena_push(p->a, &p->made_in) = c->function;
	keep_words(p, c->v, c->n);
}

enum err_code paste_text(struct arena *a, const char *text, const struct paste_env *env,
	struct proposal *out, struct err *e)
{
	struct paste_commands list = {0};
	struct pasting p;

	paste_begin(&p, a, env, e);
	if (strlen(text) > PASTE_MAX_TEXT)
		return err_set(e, E_LIMIT, "the pasted text has more than %d bytes",
			PASTE_MAX_TEXT);
	paste_split(&p, paste_plain(&p, text), &list);
	for (size_t i = 0; i < list.n && !e->code; i++)
		read_command(&p, &list.v[i]);
	if (p.n_made)
		paste_check_calls(&p, &list);
	else
		paste_creates_nothing(&p,
			list.n ? arena_printf(a, "%.80s", list.v[0].v[0].s)
			       : "the pasted text");
	if (!e->code)
		*out = p.out;
	return e->code;
}

static const char *from_environment(const char *name)
{
	return getenv(name);
}

void paste_env_read(struct arena *a, struct paste_env *out)
{
	struct gcloud_config c;

	gcloud_config_read(a, &c);
	*out = (struct paste_env){.project = c.project,
		.zone = c.zone,
		.region = c.region,
		.variable = from_environment};
}
