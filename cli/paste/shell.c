/* Text split into commands and words as by a POSIX shell, as far as pasted commands need it
 * (POSIX.1-2017, Shell Command Language, 2.2 quoting, 2.3 tokens, 2.6.2 parameters). Nothing is
 * run: text that only a shell can expand stays a hole in the word. */
#include "cli/paste/internal.h"

#include "base/sbuf.h"
#include "base/str.h"

#include <ctype.h>
#include <string.h>

#define MAX_VALUE (16 * 1024) /* of one word */
#define MAX_COMMANDS 2048
#define MAX_DEPTH 16 /* loops within loops */
#define MAX_FUNCTIONS 64

struct reader {
	struct pasting *p;
	const char *at;
	struct paste_commands *out;
	struct paste_words words; /* of the command being read */
	/* the word being read */
	struct sbuf text;
	struct paste_word word;
	bool open;                    /* a word was begun, even if it is empty */
	const char *loops[MAX_DEPTH]; /* open loops */
	bool in_body[MAX_DEPTH];
	bool until_fails[MAX_DEPTH]; /* the condition of the loop ends it when it fails */
	size_t n_loops;
	/* Code that may not run, or not in this shell. A variable that is set in it is unknown afterwards. */
	size_t ifs;       /* open "if" and "case" */
	size_t subshells; /* open ( */
	bool unsure; /* until the end of the line: after || or a test and &&, in a pipe */
	bool after_test;      /* the last command was a test */
	const char *function; /* that is defined here; NULL: none */
	size_t braces, function_braces;
	struct maybe {
		struct maybe_set {
			const char *name;
			const struct paste_word *was;
		} * v;
		size_t n, cap;
	} maybe; /* set in such code */
};

static size_t name_length(const char *s)
{
	size_t n = 0;

	if (!isalpha((unsigned char)*s) && *s != '_')
		return 0;
	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	return n;
}

/* ---- variables ------------------------------------------------------------------------------ */

static bool is_certain(const struct reader *r)
{
	return !r->ifs && !r->subshells && !r->unsure && !r->function && !r->n_loops;
}

static void shell_set(struct reader *r, const char *name, const struct paste_word *value)
{
	const struct paste_word *was = paste_variable(r->p, name);
	struct paste_word *kept = NULL;

	if (!is_certain(r)) {
		if (was) {
			kept = arena_new(r->p->a, struct paste_word);
			*kept = *was;
		}
		*arena_push(r->p->a, &r->maybe) = (struct maybe_set){name, kept};
	}
	paste_set(r->p, name, value);
}

/* Z=a; if true; then Z=b; fi: afterwards, it may be both. */
static void shell_settle(struct reader *r)
{
	for (size_t i = 0; is_certain(r) && i < r->maybe.n; i++) {
		const struct maybe_set *m = &r->maybe.v[i];
		const struct paste_word *is = paste_variable(r->p, m->name);

		if (!(m->was && is->hole == HOLE_NONE && m->was->hole == HOLE_NONE &&
			    str_eq(is->s, m->was->s)))
			paste_set(r->p, m->name,
				&(struct paste_word){
					.s = arena_printf(r->p->a, "$%s", m->name),
					.hole = HOLE_MAYBE,
					.source = arena_printf(r->p->a, "$%s", m->name)});
	}
	if (is_certain(r))
		r->maybe.n = 0;
}

/* Its value is not known from here on. */
static void shell_forget(struct reader *r, const struct paste_word *w, enum paste_hole why)
{
	size_t n = name_length(w->s);
	const char *name = arena_strndup(r->p->a, w->s, n);

	if (n && !w->s[n])
		paste_set(r->p, name,
			&(struct paste_word){.s = arena_printf(r->p->a, "$%s", name),
				.hole = why,
				.source = arena_printf(r->p->a, "$%s", name)});
}

/* ---- words --------------------------------------------------------------------------------- */

/* Copies the unknown text at r->at to the word unchanged. */
static void hole(struct reader *r, enum paste_hole what, size_t len)
{
	if (r->word.hole == HOLE_NONE) {
		r->word.hole = what;
		r->word.source = arena_strndup(r->p->a, r->at, len < 80 ? len : 80);
	}
	sbuf_add(&r->text, r->at, len);
	r->open = true;
	r->at += len;
}

static void shell_add_char(struct reader *r, char c)
{
	sbuf_addc(&r->text, c);
	r->open = true;
}

static void end_word(struct reader *r)
{
	struct pasting *p = r->p;

	if (!r->open)
		return;
	p->bytes += r->text.len + 1;
	if (r->text.full || p->bytes > PASTE_MAX_TEXT || r->words.n == PASTE_MAX_WORDS)
		paste_limit(p, "",
			"the pasted text is too long: at most %d words per command, %d "
			"bytes per word",
			PASTE_MAX_WORDS, MAX_VALUE);
	r->word.s = arena_strndup(p->a, r->text.s, r->text.len);
	if (r->word.hole == HOLE_RUN && paste_creates(r->word.s))
		paste_refuse(p, "paste the inner command alone",
			"the pasted text: %.60s creates resources within another command",
			r->word.source);
	*arena_push(p->a, &r->words) = r->word;
	r->word = (struct paste_word){0};
	sbuf_reset(&r->text);
	r->open = false;
}

/* Appends the value of a variable; outside of quotes it is split at blanks. */
static void shell_put_value(struct reader *r, const struct paste_word *value, bool quoted)
{
	const char *s = value->s;

	if (value->hole != HOLE_NONE && r->word.hole == HOLE_NONE) {
		r->word.hole = value->hole;
		r->word.source = value->source;
	}
	if (*s || quoted)
		r->open = r->open || quoted || value->hole != HOLE_NONE;
	for (; *s; s++)
		if (!quoted && value->hole == HOLE_NONE && strchr(" \t\n", *s))
			end_word(r);
		else
			shell_add_char(r, *s);
}

/* Reads the variable that is named in the next `len` bytes. */
static void shell_put_variable(struct reader *r, const char *name, size_t len, bool quoted)
{
	const struct paste_word *set = paste_variable(r->p, name);
	const char *from = set || !r->p->env->variable ? NULL : r->p->env->variable(name);

	if (!set && !from) {
		hole(r, HOLE_UNSET, len);
		return;
	}
	r->at += len;
	if (!set)
		paste_note(r->p, "$%s is taken from the environment", name);
	shell_put_value(r, set ? set : &(struct paste_word){.s = from}, quoted);
}

/* Number of bytes up to and including the bracket that closes the one at s[0]; all bytes if none
 * does. */
static size_t bracket_length(const char *s, char open, char close)
{
	int depth = 0;
	size_t n = 0;

	for (; s[n]; n++) {
		if (s[n] == open)
			depth++;
		else if (s[n] == close && --depth == 0)
			return n + 1;
	}
	return n;
}

/* Operator after the name in braces: "" none, "-" a default, "?" an error message; any other is
 * expanded only by a shell. */
static char braced_kind(const char *rest)
{
	rest += *rest == ':';
	if (*rest == '}')
		return '}';
	return *rest == '=' ? '-' : *rest;
}

/* "${NAME}", "${NAME:-word}", "${NAME?}"; other expansions of shells stay a hole. */
static void read_braced(struct reader *r, bool quoted)
{
	const char *start = r->at, *name_at = start + 2;
	size_t len = 1 + bracket_length(start + 1, '{', '}');
	size_t digits = strspn(name_at, "0123456789"),
	       n = digits ? digits : name_length(name_at);
	const char *name = arena_strndup(r->p->a, name_at, n), *rest = name_at + n, *word;
	const struct paste_word *set = paste_variable(r->p, name);
	char kind = braced_kind(rest);
	bool closed = start[len - 1] == '}';
	size_t word_len;

	if (!closed)
		paste_refuse(r->p, "", "the pasted text: '${' is not closed");
	if (digits && r->function) { /* each call has its own */
		hole(r, HOLE_UNSET, len);
		return;
	}
	if (!closed || !n || !strchr("}-?", kind) || (kind == '}' && *rest == ':')) {
		hole(r, HOLE_EXPANSION, len);
		return;
	}
	word = rest + 1 + (*rest == ':');
	word_len = (size_t)(start + len - 1 - word);
	if (kind != '-' || (set && (*set->s || *rest != ':')) ||
		(!set && r->p->env->variable && r->p->env->variable(name))) {
		shell_put_variable(r, name, len, quoted);
	} else if (memchr(word, '$', word_len)) {
		hole(r, HOLE_EXPANSION, len);
	} else {
		r->at += len;
		word = arena_strndup(r->p->a, word, word_len);
		shell_put_value(r, &(struct paste_word){.s = word}, quoted);
	}
}

static void read_dollar(struct reader *r, bool quoted)
{
	const char *start = r->at;
	size_t n = name_length(start + 1);

	if (start[1] == '{')
		read_braced(r, quoted);
	else if (start[1] == '(')
		hole(r, start[2] == '(' ? HOLE_EXPANSION : HOLE_RUN,
			1 + bracket_length(start + 1, '(', ')'));
	else if (n)
		shell_put_variable(r, arena_strndup(r->p->a, start + 1, n), n + 1, quoted);
	else if (start[1] && strchr("0123456789@*#?$!", start[1]))
		hole(r, HOLE_UNSET, 2);
	else
		shell_add_char(r, *r->at++);
}

static void read_backquote(struct reader *r)
{
	const char *end = strchr(r->at + 1, '`');

	hole(r, HOLE_RUN, end ? (size_t)(end - r->at) + 1 : strlen(r->at));
}

static void shell_read_double(struct reader *r)
{
	r->at++;
	r->open = r->word.quoted = true;
	while (*r->at && *r->at != '"') {
		if (*r->at == '\\' && r->at[1] && strchr("$`\"\\\n", r->at[1])) {
			if (r->at[1] != '\n')
				sbuf_addc(&r->text, r->at[1]);
			r->at += 2;
		} else if (*r->at == '$') {
			read_dollar(r, true);
		} else if (*r->at == '`') {
			read_backquote(r);
		} else {
			sbuf_addc(&r->text, *r->at++);
		}
	}
	if (!*r->at)
		paste_refuse(r->p, "", "the pasted text: a \" is not closed");
	else
		r->at++;
}

static void read_single(struct reader *r)
{
	size_t len = strcspn(r->at + 1, "'");

	sbuf_add(&r->text, r->at + 1, len);
	r->open = r->word.quoted = true;
	r->at += 1 + len;
	if (!*r->at)
		paste_refuse(r->p, "", "the pasted text: a ' is not closed");
	else
		r->at++;
}

/* "<your-zone>", "<name of the TPU>": a placeholder, not a redirection. 0: it is none. */
static size_t angle_length(const char *s)
{
	size_t n = 1;

	if (*s != '<' || !isalpha((unsigned char)s[1]))
		return 0;
	while (n < 100 && s[n] && !strchr("<>\n\"", s[n]))
		n++;
	return s[n] == '>' && n < 100 ? n + 1 : 0;
}

/* "{1..4}", "{a,b}": several words in most shells. 0: it is none. */
static size_t brace_length(const char *s)
{
	size_t n = 1;
	bool several = false;

	if (*s != '{')
		return 0;
	for (; n < 100 && s[n] && !strchr("} \t\n", s[n]); n++)
		several = several || s[n] == ',' || (s[n] == '.' && s[n + 1] == '.');
	return several && s[n] == '}' ? n + 1 : 0;
}

/* Length of a backslash, or the equivalent of other shells, at the end of a line, with blanks
 * after it and the line end; 0 if there is none. */
static size_t continuation_length(const char *s)
{
	size_t n = 1;

	if (*s != '\\' && *s != '^' && *s != '`')
		return 0;
	n += strspn(s + 1, " \t");
	if (s[n] != '\n')
		return 0;
	return n + 1;
}

/* ---- commands ------------------------------------------------------------------------------ */

static bool is_one_of(const struct paste_word *w, const char *const *words, size_t n)
{
	return !w->quoted && w->hole == HOLE_NONE && str_in(w->s, words, n);
}

static bool is_bare(const struct paste_word *w, const char *word)
{
	return is_one_of(w, &word, 1);
}

/* Length of NAME in "NAME=value"; 0: it is not an assignment. */
static size_t assigned_name(const struct paste_word *w)
{
	size_t n = name_length(w->s);

	return n && w->s[n] == '=' ? n : 0;
}

static void assign(struct reader *r, const struct paste_word *w)
{
	struct paste_word value = *w;
	size_t n = assigned_name(w);

	if (!n)
		return;
	value.s = w->s + n + 1;
	shell_set(r, arena_strndup(r->p->a, w->s, n), &value);
}

static void open_loop(struct reader *r, const char *word)
{
	if (r->n_loops == MAX_DEPTH) {
		paste_limit(r->p, "", "the pasted text has more than %d nested loops",
			MAX_DEPTH);
		return;
	}
	r->loops[r->n_loops] = word;
	r->until_fails[r->n_loops] = !strcmp(word, "while");
	/* a "for" has no condition: without "do" it is a loop of fish, and everything after it is
	 * the body */
	r->in_body[r->n_loops++] = !strcmp(word, "for") || !strcmp(word, "select");
}

/* Reads keywords of the shell before a command. Returns their number: all words for a "for". */
static size_t take_keywords(struct reader *r)
{
	static const char *const passed[] = {"then", "elif", "else", "time"};
	static const char *const loops[] = {"for", "select", "while", "until"};
	size_t i = 0;

	for (; i < r->words.n; i++) {
		const struct paste_word *w = &r->words.v[i];

		if (is_one_of(w, loops, ARRAY_LEN(loops))) {
			open_loop(r, w->s);
			if (is_one_of(w, loops, 2)) { /* "for" and "select" use all */
				if (i + 1 < r->words.n)
					shell_forget(r, w + 1, HOLE_EXPANSION);
				return r->words.n;
			}
		} else if (is_bare(w, "do")) {
			if (r->n_loops)
				r->in_body[r->n_loops - 1] = true;
		} else if (is_bare(w, "done")) {
			r->n_loops -= r->n_loops > 0;
		} else if (is_bare(w, "if")) {
			r->ifs++;
		} else if (is_bare(w, "fi") || is_bare(w, "esac")) {
			r->ifs -= r->ifs > 0;
		} else if (is_bare(w, "{")) {
			r->braces++;
		} else if (is_bare(w, "}")) {
			r->braces -= r->braces > 0;
			if (r->braces == r->function_braces)
				r->function = NULL;
		} else if (is_bare(w, "!")) {
			if (r->n_loops && !r->in_body[r->n_loops - 1])
				r->until_fails[r->n_loops - 1] ^= true;
		} else if (!is_one_of(w, passed, ARRAY_LEN(passed))) {
			break;
		}
	}
	return i;
}

static void shell_add_command(struct reader *r, const struct paste_word *v, size_t n)
{
	struct paste_command c = {.v = arena_alloc(r->p->a, n * sizeof(*v)), .n = n};

	memcpy(c.v, v, n * sizeof(*v));
	for (size_t i = 0; i < r->n_loops; i++) {
		if (r->in_body[i] || r->until_fails[i])
			c.loop = r->loops[i];
		else
			c.in_test = true;
	}
	c.function = r->function;
	if (r->out->n == MAX_COMMANDS)
		paste_limit(r->p, "", "the pasted text has more than %d commands",
			MAX_COMMANDS);
	*arena_push(r->p->a, r->out) = c;
}

/* Name that is set by `$zone = "a"` of PowerShell, `ZONE = "a"` of a notebook's Python or `set -x
 * ZONE a` of fish; NULL: not an assignment. The value is the last word. */
static const char *foreign_name(const struct paste_word *v, size_t n)
{
	bool sets = n >= 3 && (is_bare(&v[0], "set") || is_bare(&v[0], "setenv")) &&
		(v[1].s[0] == '-' || n == 3);
	const char *name = n == 3 && is_bare(&v[1], "=") ? v[0].s + (v[0].s[0] == '$')
		: sets                                   ? v[n - 2].s
							 : "";

	return name_length(name) ? name : NULL;
}

static void end_command(struct reader *r)
{
	static const char *const declare[] = {
		"export", "declare", "local", "readonly", "typeset", "%env", "setenv"};
	static const char *const tests[] = {"[", "[[", "test", "false", "grep"};
	static const char *const forgets[] = {"read", "unset", "mapfile", "readarray"};
	const struct paste_word *v;
	const char *name;
	size_t i, n;

	end_word(r);
	i = take_keywords(r);
	v = r->words.v;
	n = r->words.n;
	r->words.n = 0;
	if (i < n && is_one_of(&v[i], declare, ARRAY_LEN(declare)))
		for (i++; i < n; i++)
			assign(r, &v[i]);
	for (; i < n && assigned_name(&v[i]); i++)
		assign(r, &v[i]);
	if (i == n)
		return;
	r->after_test = is_one_of(&v[i], tests, ARRAY_LEN(tests));
	r->ifs += is_bare(&v[i], "case");
	for (size_t k = i + 1; is_one_of(&v[i], forgets, ARRAY_LEN(forgets)) && k < n; k++)
		shell_forget(r, &v[k], is_bare(&v[i], "unset") ? HOLE_UNSET : HOLE_MAYBE);
	name = foreign_name(v + i, n - i);
	if (name)
		shell_set(r, arena_strndup(r->p->a, name, name_length(name)), &v[n - 1]);
	else
		shell_add_command(r, v + i, n - i);
}

/* Skips ">file", "2>&1", "< file" with the file. */
static void skip_redirection(struct reader *r)
{
	if (str_starts(r->at, "<<") && r->at[2] != '<')
		paste_refuse(r->p, "paste the create command alone",
			"the pasted text has a here-document (<<), which is not supported");
	r->at += strspn(r->at, "<>&|");
	r->at += strspn(r->at, " \t");
	r->at += strcspn(r->at, " \t\n;|&()<>");
}

/* NAME=( ... ): a list. */
static bool take_list(struct reader *r)
{
	if (!r->open || r->text.len < 2 || r->text.s[r->text.len - 1] != '=' ||
		name_length(r->text.s) + 1 != r->text.len)
		return false;
	hole(r, HOLE_EXPANSION, bracket_length(r->at, '(', ')'));
	return true;
}

/* NAME(): the commands after it are those of a function. */
static void take_function(struct reader *r)
{
	const char *close = r->at + 1 + strspn(r->at + 1, " \t");

	if (*close != ')')
		return;
	end_word(r);
	if (!r->words.n)
		return;
	if (r->out->functions.n == MAX_FUNCTIONS)
		paste_limit(r->p, "", "the pasted text has more than %d functions",
			MAX_FUNCTIONS);
	*arena_push(r->p->a, &r->out->functions) = r->words.v[r->words.n - 1].s;
	if (close[1 + strspn(close + 1, " \t\n")] != '{')
		paste_refuse(r->p, "write its body in { }",
			"the pasted text: the function %.60s is not supported",
			r->words.v[r->words.n - 1].s);
	r->function = r->words.v[r->words.n - 1].s;
	r->function_braces = r->braces;
	r->words.n = 0;
}

/* Reads the characters between words. */
static void read_operator(struct reader *r)
{
	char c = *r->at;

	if (c == '(' && take_list(r))
		return;
	if (c == '(')
		take_function(r);
	if (c == '<' || c == '>' || (c == '&' && r->at[1] == '>')) {
		/* "2>": the number belongs to it */
		if (r->open && !r->word.quoted && r->text.len == 1 &&
			isdigit((unsigned char)r->text.s[0])) {
			sbuf_reset(&r->text);
			r->open = false;
		}
		end_word(r);
		skip_redirection(r);
	} else {
		bool twice = (c == '&' || c == '|') && r->at[1] == c;

		r->at += 1 + twice;
		r->unsure = r->unsure || (!twice && (c == '|' || c == '&'));
		end_command(r);
		r->unsure = twice ? r->unsure || c == '|' || r->after_test
				  : c == '|' && r->unsure;
		r->subshells += c == '(';
		r->subshells -= c == ')' && r->subshells;
		r->after_test = r->after_test && twice;
		shell_settle(r);
	}
}

static void read_plain(struct reader *r)
{
	size_t name = *r->at == '{' ? name_length(r->at + 1) : 0;
	size_t braces = brace_length(r->at);

	/* a notebook replaces the variable; a shell leaves it unchanged */
	if (name && r->at[1 + name] == '}')
		shell_put_variable(
			r, arena_strndup(r->p->a, r->at + 1, name), name + 2, false);
	else if (braces)
		hole(r, HOLE_EXPANSION, braces);
	else
		shell_add_char(r, *r->at++);
}

static void read_next(struct reader *r)
{
	size_t continued = continuation_length(r->at), angle = angle_length(r->at);
	char c = *r->at;

	if (continued || c == ' ' || c == '\t') {
		/* within a word there are no characters after a backslash, but web pages add a blank */
		r->at += continued ? continued : 1;
		end_word(r);
	} else if (c == '#' && !r->open) {
		r->at += strcspn(r->at, "\n");
	} else if (angle) {
		hole(r, HOLE_PLACEHOLDER, angle);
	} else if (strchr("\n;|&()<>", c)) {
		read_operator(r);
	} else if (c == '\'') {
		read_single(r);
	} else if (c == '"') {
		shell_read_double(r);
	} else if (c == '$') {
		read_dollar(r, false);
	} else if (c == '`') {
		read_backquote(r);
	} else if (c == '\\') {
		r->at++;
		r->open = r->word.quoted = true;
		if (*r->at)
			sbuf_addc(&r->text, *r->at++);
	} else {
		read_plain(r);
	}
}

void paste_split(struct pasting *p, const char *text, struct paste_commands *out)
{
	struct reader r = {.p = p, .at = text, .out = out, .text = SBUF_MAX(MAX_VALUE)};

	while (*r.at && !p->e->code)
		read_next(&r);
	if (!p->e->code)
		end_command(&r);
	sbuf_done(&r.text);
}
