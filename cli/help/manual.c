/* `tpucost manual PART`: generated parts of the manual pages; the other parts are in docs/man/. */
#include "base/time/civil.h"
#include "cli/config/config.h"
#include "cli/cmd.h"
#include "base/sbuf.h"
#include "cli/out/out.h"
#include "rules/judge/alert.h"
#include "rules/judge/judge.h"
#include "db/vocab.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- text as mdoc(7) ------------------------------------------------------------------------ */

/* Appends a character as text: without escapes, and not as a request at the start of a line. */
static void manual_add_char(struct sbuf *b, char c, bool at_start)
{
	static const char *const escapes[] = {['\\'] = "\\e",
		['-'] = "\\-",
		['`'] = "\\(ga",
		['\''] = "\\(aq",
		['~'] = "\\(ti",
		['^'] = "\\(ha"};
	unsigned char at = (unsigned char)c;

	if (at_start && (c == '.' || c == '\''))
		sbuf_adds(b, "\\&");
	if (at < ARRAY_LEN(escapes) && escapes[at])
		sbuf_adds(b, escapes[at]);
	else
		sbuf_addc(b, c);
}

/* Appends one paragraph. Each sentence begins a line, and lines are short, as mandoc requires. */
static void manual_add_text(struct sbuf *b, const char *s, size_t len)
{
	size_t col = 0;

	for (size_t i = 0; i < len;) {
		size_t n = 0;
		bool ends;

		while (i + n < len && s[i + n] != ' ')
			n++;
		if (col && col + 1 + n > 60) {
			sbuf_addc(b, '\n');
			col = 0;
		}
		if (col)
			sbuf_addc(b, ' ');
		for (size_t k = 0; k < n; k++)
			manual_add_char(b, s[i + k], !col && !k);
		col += n + 1;
		ends = n && strchr(".!?", s[i + n - 1]);
		if (n > 1 && s[i + n - 1] == ')' && strchr(".!?", s[i + n - 2]))
			ends = true;
		i += n;
		while (i < len && s[i] == ' ')
			i++;
		if (ends && i < len) {
			sbuf_addc(b, '\n');
			col = 0;
		}
	}
	if (len)
		sbuf_addc(b, '\n');
}

/* Appends one or more words as one argument of a macro. */
static void add_arg(struct sbuf *b, const char *s)
{
	sbuf_addc(b, '"');
	for (; *s; s++) {
		if (*s == '"')
			sbuf_adds(b, "\\(dq");
		else
			manual_add_char(b, *s, false);
	}
	sbuf_addc(b, '"');
}

static void manual_add_literal(struct sbuf *b, const char *macro, const char *s)
{
	sbuf_addf(b, ".%s ", macro);
	add_arg(b, s);
	sbuf_addc(b, '\n');
}

static void add_paragraphs(struct sbuf *b, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		if (*text == ' ') {
			char line[512];

			snprintf(line, sizeof(line), "%.*s", (int)n, text);
			manual_add_literal(b, "Dl", line + strspn(line, " "));
		} else {
			manual_add_text(b, text, n);
		}
		text += n + (text[n] == '\n');
		if (*text && *text != ' ' && *text != '\n')
			sbuf_adds(b, ".Pp\n");
	}
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void manual_add_option(struct sbuf *b, const struct opt *o)
{
	sbuf_adds(b, ".It ");
	if (o->letter)
		sbuf_addf(b, "Fl %c , ", o->letter);
	sbuf_addf(b, "Fl \\-%s", o->name);
	if (o->arg)
		sbuf_addf(b, " Ar %s", o->arg);
	sbuf_addc(b, '\n');
	manual_add_text(b, o->help, strlen(o->help));
}

static void part_options(struct sbuf *b)
{
	sbuf_adds(b, ".Bl -tag -width Ds\n");
	for (size_t i = 0; i < n_options; i++)
		manual_add_option(b, &options[i]);
	sbuf_adds(b, ".El\n");
}

static void manual_add_command(struct sbuf *b, const struct cmd *c)
{
	cleanup(sbuf_done) struct sbuf names = SBUF_INIT;

	sbuf_addf(b, ".It Cm %s", c->name);
	if (*c->args) {
		sbuf_adds(b, " Ar ");
		add_arg(b, c->args);
	}
	sbuf_addc(b, '\n');
	sbuf_addf(&names, "%c%s.", toupper((unsigned char)*c->summary), c->summary + 1);
	manual_add_text(b, names.s, names.len);
	sbuf_reset(&names);
	if (*c->text) {
		sbuf_adds(b, ".Pp\n");
		add_paragraphs(b, c->text);
	}
	for (size_t i = 0; i < n_options; i++)
		if (!options[i].common && opts_taken(c, &options[i]))
			sbuf_addf(&names, "%s--%s",
				names.len ? ", " : "Options: ", options[i].name);
	if (names.len) {
		sbuf_adds(b, ".Pp\n");
		sbuf_addc(&names, '.');
		manual_add_text(b, names.s, names.len);
	}
	manual_add_literal(b, "Dl", c->example);
}

static void part_commands(struct sbuf *b)
{
	for (int k = 1; k <= CMD_GROUPS; k++) {
		enum cmd_group g = k == CMD_GROUPS ? GROUP_OTHER : (enum cmd_group)k;
		bool any = false;

		for (size_t i = 0; i < n_cmds; i++) {
			if (cmds[i].group != g)
				continue;
			if (!any) {
				manual_add_literal(b, "Ss", cmd_group_names[g]);
				sbuf_adds(b, ".Bl -tag -width Ds\n");
			}
			any = true;
			manual_add_command(b, &cmds[i]);
		}
		sbuf_adds(b, any ? ".El\n" : "");
	}
}

static void part_keys(struct sbuf *b)
{
	struct arena a = {0};
	struct config_key *keys;
	size_t n = config_doc_keys(&a, &keys);

	for (size_t i = 0; i < n; i++) {
		const struct field *f = keys[i].field;
		char text[1024];

		if (!keys[i].depth)
			sbuf_addf(b, "%s.Ss %s\n.Bl -tag -width Ds\n", i ? ".El\n" : "",
				f->key);
		sbuf_addf(b, ".It Cm %s Pq ", keys[i].path);
		add_arg(b, bind_type_name(f));
		snprintf(text, sizeof(text), "%c%s.%s%s%s%s",
			toupper((unsigned char)*f->doc), f->doc + 1,
			f->required ? " Required." : "", f->def ? " Default: " : "",
			f->def ? f->def : "", f->def ? "." : "");
		sbuf_addc(b, '\n');
		manual_add_text(b, text, strlen(text));
	}
	sbuf_adds(b, ".El\n");
	arena_done(&a);
}

static void part_views(struct sbuf *b)
{
	for (size_t i = 0; i < n_views; i++) {
		sbuf_addf(b, ".Ss %s\n", views[i]->name);
		manual_add_text(b, views[i]->doc, strlen(views[i]->doc));
		sbuf_adds(b, ".Bl -tag -width Ds\n");
		for (size_t k = 0; k < views[i]->n; k++) {
			const struct column *c = &views[i]->columns[k];

			sbuf_addf(
				b, ".It Va %s Pq %s\n", c->name, column_type_name(c->type));
			manual_add_text(b, c->doc, strlen(c->doc));
		}
		sbuf_adds(b, ".El\n");
	}
}

static void part_rules(struct sbuf *b)
{
	char age[DURATION_BUF], line[256];

	sbuf_adds(b, ".Bl -tag -width Ds\n");
	for (size_t i = 0; i < n_builtin_rules; i++) {
		const struct rule *r = &builtin_rules[i];

		sbuf_addf(b, ".It Cm %s Pq on %s\n", r->name, r->on);
		if (r->doc)
			manual_add_text(b, r->doc, strlen(r->doc));
		snprintf(line, sizeof(line), "Severity: %s%s%s.",
			severity_name(r->severity), r->hold_for ? "; after " : "",
			r->hold_for ? duration_format(r->hold_for, age) : "");
		manual_add_text(b, line, strlen(line));
		manual_add_literal(b, "Dl", r->where);
	}
	sbuf_adds(b, ".El\n");
}

static const struct {
	const char *name;
	void (*add)(struct sbuf *b);
} parts[] = {
	{"commands", part_commands},
	{"options", part_options},
	{"keys", part_keys},
	{"views", part_views},
	{"rules", part_rules},
};

int cmd_manual(struct app *app, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

		if (!app->n_args || strcmp(parts[i].name, app->args[0]) != 0)
			continue;
		parts[i].add(&b);
		return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
	}
	err_set(e, E_USAGE, "manual: expected commands, options, keys, views or rules");
	return cmd_fail(e);
}
