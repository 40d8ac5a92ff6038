/* Text of the findings: one for each cause, however many projects and sources it concerns. */
#include "base/str.h"
#include "cli/doctor/doctor.h"
#include "cli/out/out.h"

#include <string.h>

#define DETAIL 21 /* columns */
#define FIX 8
#define LONG_FIX 72 /* columns, with FIX the width of a terminal */
#define NAMED 3     /* projects or sources; more are counted */
#define SHORT_FIX 6 /* commands that are printed for many projects */

static const struct {
	const char *name, *color;
} statuses[] = {[DOCTOR_OK] = {"ok", "\033[32m"},
	[DOCTOR_WARN] = {"warn", "\033[33m"},
	[DOCTOR_FAIL] = {"fail", "\033[31m"},
	[DOCTOR_SKIP] = {"skip", "\033[2m"}};

const char *doctor_status_name(enum doctor_status status)
{
	return statuses[status].name;
}

const char *doctor_join(
	const struct doctor *d, const char *const *v, size_t n, const char *between)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	for (size_t i = 0; i < n; i++)
		sbuf_addf(&b, "%s%s", i ? between : "", v[i]);
	return arena_strdup(d->a, b.s);
}

/* Findings that differ only in project and source. */
struct group {
	const struct finding *first;
	const char *fix; /* with $project for the project */
	struct names {
		const char **v;
		size_t n, cap;
	} projects, sources;
	size_t n;
};

/* ---- groups ------------------------------------------------------------------------------------ */

/* The commands with $project for each word, or part of a path, that is the project. */
static const char *with_variable(const struct doctor *d, const struct finding *f)
{
	size_t len = f->project ? strlen(f->project) : 0;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	for (const char *p = f->fix; *p;) {
		if (len && str_starts(p, f->project) && p > f->fix &&
			strchr(" =/", p[-1]) && strchr(" /;", p[len])) {
			sbuf_adds(&b, "$project");
			p += len;
		} else {
			sbuf_addc(&b, *p++);
		}
	}
	return arena_strdup(d->a, b.s);
}

static const char *lines_cause_of(const struct finding *f)
{
	return f->cause ? f->cause : f->detail;
}

static bool belongs(const struct group *g, const struct finding *f, const char *fix)
{
	return g->first->project && f->project && g->first->status == f->status &&
		str_eq(g->first->check, f->check) && (f->plural || str_eq(g->fix, fix)) &&
		str_eq(lines_cause_of(g->first), lines_cause_of(f));
}

static void lines_add_name(const struct doctor *d, struct names *list, const char *name)
{
	if (name && !str_in(name, list->v, list->n))
		*arena_push(d->a, list) = name;
}

static struct group *gather(const struct doctor *d, size_t *n)
{
	struct group *v = arena_alloc(d->a, (d->n + 1) * sizeof(*v));

	*n = 0;
	for (size_t i = 0; i < d->n; i++) {
		const struct finding *f = &d->v[i];
		const char *fix = with_variable(d, f);
		struct group *g = v;

		while (g < v + *n && !belongs(g, f, fix))
			g++;
		if (g == v + *n) {
			*g = (struct group){.first = f, .fix = fix};
			++*n;
		}
		g->n++;
		lines_add_name(d, &g->projects, f->project);
		lines_add_name(d, &g->sources, f->source);
	}
	return v;
}

/* "a, b, c", or "all 12 projects", or "12 projects: a, b, c and 9 more" */
static const char *lines_projects(const struct doctor *d, const struct names *list)
{
	if (list->n <= NAMED)
		return doctor_join(d, list->v, list->n, ", ");
	if (list->n == d->n_projects)
		return arena_printf(d->a, "all %zu projects", list->n);
	return arena_printf(d->a, "%zu projects (%s and %zu more)", list->n,
		doctor_join(d, list->v, NAMED, ", "), list->n - NAMED);
}

static const char *lines_detail(const struct doctor *d, const struct group *g)
{
	const char *projects = lines_projects(d, &g->projects),
		   *between = *projects ? ": " : "", *sources;

	if (g->n == 1)
		return arena_printf(d->a, "%s%s%s", projects, between, g->first->detail);
	if (!g->sources.n)
		return arena_printf(
			d->a, "%s%s%s", projects, between, lines_cause_of(g->first));
	sources = g->sources.n <= NAMED
		? doctor_join(d, g->sources.v, g->sources.n, ", ")
		: arena_printf(d->a, "%zu %s", g->n,
			  g->first->plural ? g->first->plural : "sources");
	return arena_printf(
		d->a, "%s%s%s: %s", projects, between, sources, lines_cause_of(g->first));
}

/* Commands for each project, in a loop of the shell. */
static const char *lines_fix(const struct doctor *d, const struct group *g)
{
	const char *comment = strstr(g->fix, " # ");

	if (g->projects.n < 2 || g->first->plural || str_eq(g->fix, g->first->fix))
		return g->first->fix;
	return doctor_each_project(d, g->projects.v, g->projects.n,
		comment ? arena_strndup(d->a, g->fix, (size_t)(comment - g->fix)) : g->fix,
		comment ? comment : "");
}

const char *doctor_each_project(const struct doctor *d, const char *const *projects,
	size_t n, const char *commands, const char *after)
{
	return arena_printf(d->a, "for project in %s; do %s; done%s",
		doctor_join(d, projects, n, " "), commands, after);
}

/* ---- output ------------------------------------------------------------------------------------ */

/* Length of the command up to and including the next separator; 0: there is none. */
static size_t command_end(const char *fix)
{
	static const char *const ends[] = {" && ", " || ", "; do ", "; done"};

	for (const char *p = fix; *p && *p != '#'; p++)
		for (size_t i = 0; i < ARRAY_LEN(ends); i++)
			if (str_starts(p, ends[i]))
				return (size_t)(p - fix) + (i < 2 ? 4 : i < 3 ? 5 : 2);
	return 0;
}

/* All findings of many projects fit on a screen: long commands are printed for the check alone. */
static const char *lines_short_fix(
	const struct doctor *d, const char *check, const char *fix)
{
	size_t n = 1, end;

	for (const char *p = fix; strlen(fix) > LONG_FIX && (end = command_end(p));
		p += end)
		n++;
	return n > SHORT_FIX && d->n_projects > NAMED && !d->app->n_args
		? arena_printf(
			  d->a, "tpucost doctor %s # its %zu lines of commands", check, n)
		: fix;
}

/* Writes each command of a long fix on a line of its own; pasted together they do the same. */
static void write_fix(const struct doctor *d, struct sbuf *b, const char *fix)
{
	bool long_one = strlen(fix) > LONG_FIX;
	size_t end;

	while (long_one && (end = command_end(fix))) {
		sbuf_pad(b, ' ', FIX);
		sbuf_add_term(b, arena_strndup(d->a, fix, end - 1));
		sbuf_addc(b, '\n');
		fix += end;
	}
	sbuf_pad(b, ' ', FIX);
	sbuf_add_term(b, fix);
	sbuf_addc(b, '\n');
}

/* Does the group have a command that is different for each of many groups of its check? */
static bool lines_is_example(const struct group *g)
{
	return g->first->plural && *g->fix;
}

/* Number of examples that are printed: the findings of many projects fit on a screen. */
static size_t lines_examples(const struct doctor *d)
{
	return d->n_projects > NAMED ? 1 : NAMED;
}

/* Text for the findings of all other examples. */
static const char *lines_more(const struct doctor *d, const struct group *v, size_t n)
{
	size_t examples = 0, more = 0;
	const char *plural = "";

	for (size_t i = 0; i < n; i++)
		if (lines_is_example(&v[i]) && ++examples > lines_examples(d)) {
			more += v[i].n;
			plural = v[i].first->plural;
		}
	return arena_printf(d->a, "%zu more %s, with their commands:", more, plural);
}

/* Wrapped to the width of a terminal. Commands are on separate lines and never broken: a broken
 * command cannot be pasted. */
int doctor_print(const struct doctor *d, struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct out_style style = out_style_stdout();
	size_t width = style.width ? (size_t)style.width : SIZE_MAX, n, examples = 0;
	const struct group *v = gather(d, &n);

	for (size_t i = 0; i < n; i++) {
		const struct finding *f = v[i].first;
		const char *fix = lines_short_fix(d, f->check, lines_fix(d, &v[i]));
		const char *detail = lines_detail(d, &v[i]);

		examples += lines_is_example(&v[i]);
		if (lines_is_example(&v[i]) && examples > lines_examples(d)) {
			if (examples > lines_examples(d) + 1)
				continue;
			detail = lines_more(d, v, n);
			fix = "tpucost doctor --format json";
		}
		sbuf_addf(&b, "%s%-4s%s  %-13s  ",
			style.color ? statuses[f->status].color : "",
			statuses[f->status].name, style.color ? "\033[0m" : "", f->check);
		sbuf_add_wrapped(&b, detail, DETAIL, DETAIL, width);
		if (*fix)
			write_fix(d, &b, fix);
	}
	return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}
