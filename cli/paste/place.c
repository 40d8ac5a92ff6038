/* Location, name and provisioning of the resources of a pasted command. */
#include "cli/paste/internal.h"

#include "base/str.h"

#include <ctype.h>
#include <string.h>

#define MAX_NAME 256

/* Length of a region such as "us-central1": letters, a dash, letters and a number. */
static size_t region_length(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz"), m;

	if (n < 2 || s[n] != '-')
		return 0;
	m = strspn(s + n + 1, "abcdefghijklmnopqrstuvwxyz");
	n += 1 + m;
	m = strspn(s + n, "0123456789");
	return m ? n + m : 0;
}

static bool place_is_zone(const char *s)
{
	size_t n = region_length(s), m;

	if (!n || s[n] != '-' || n > 40)
		return false;
	m = strspn(s + n + 1, "abcdefghijklmnopqrstuvwxyz0123456789");
	return m && m <= 8 && !s[n + 1 + m];
}

static bool is_region(const char *s)
{
	size_t n = region_length(s);

	return n && n <= 40 && !s[n];
}

const char *paste_region_of(struct pasting *p, const char *zone)
{
	return zone ? arena_strndup(p->a, zone, region_length(zone)) : NULL;
}

/* A project may have a domain as a prefix: "example.com:my-project". */
const char *paste_project(struct pasting *p, const char *s)
{
	size_t n = s ? strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-.:") : 0;

	if (!s || (n && !s[n] && n <= MAX_NAME))
		return s;
	paste_note(p, "the project is unknown: the given text is not a project id");
	return NULL;
}

/* Default from the text or from gcloud's configuration, with a note. */
static const char *by_default(struct pasting *p, const char *what, const char *set,
	const char *name, const char *configured)
{
	const struct paste_word *w = paste_variable(p, name);

	if (w && w->hole == HOLE_NONE && *w->s)
		return w->s;
	if (set)
		return set;
	if (configured)
		paste_note(p, "no --%s: %.80s of gcloud's configuration", what, configured);
	return configured;
}

/* "$(gcloud config get-value project)" is the same as the default. */
static bool asks_gcloud(const struct paste_word *w)
{
	return w->hole == HOLE_RUN && strstr(w->source, "gcloud config get");
}

static const struct paste_flag *last(const struct pasting *p, const char *flag)
{
	for (size_t i = p->args.n_flags; i > 0; i--)
		if (!strcmp(p->args.flags[i - 1].name, flag) &&
			p->args.flags[i - 1].has_value)
			return &p->args.flags[i - 1];
	return NULL;
}

static enum err_code read_zone(struct pasting *p, struct paste_place *out)
{
	const char *flag = paste_has(p, "zone") ? "zone" : "location";
	const struct paste_flag *f = last(p, flag);
	const char *zone = NULL;

	if (!(f && asks_gcloud(&f->value)) && paste_value(p, flag, &zone))
		return p->e->code;
	if (zone)
		zone = str_after_last(zone, '/');
	else if (!paste_has(p, "region"))
		zone = by_default(
			p, "zone", p->zone, "CLOUDSDK_COMPUTE_ZONE", p->env->zone);
	if (zone && !place_is_zone(zone))
		return paste_refuse(p,
			is_region(zone)
				? "use a zone such as us-central1-b; a region is not enough"
				: "use a zone such as us-central1-b",
			"the pasted command: --zone: '%.60s' is not a zone", zone);
	out->zone = zone;
	out->region = paste_region_of(p, zone);
	return E_OK;
}

enum err_code paste_place(struct pasting *p, struct paste_place *out)
{
	const struct paste_flag *f = last(p, "project");
	const char *project = NULL, *region = NULL;

	*out = (struct paste_place){0};
	if (!f || !asks_gcloud(&f->value))
		project = paste_value_or_note(p, "project");
	if (!project && (!f || asks_gcloud(&f->value)))
		project = by_default(
			p, "project", p->project, "CLOUDSDK_CORE_PROJECT", p->env->project);
	out->project = paste_project(p, project);
	if (read_zone(p, out) || paste_value(p, "region", &region))
		return p->e->code;
	if (!region)
		return E_OK;
	region = str_after_last(region, '/');
	if (!is_region(region))
		return paste_refuse(p, "use a region such as us-central1",
			"the pasted command: --region: '%.60s' is not a region", region);
	out->region = region;
	return E_OK;
}

const char *paste_region(struct pasting *p)
{
	return by_default(
		p, "region", p->region, "CLOUDSDK_COMPUTE_REGION", p->env->region);
}

void paste_put(struct wish *w, const struct paste_place *at)
{
	w->project = at->project;
	w->zone = at->zone;
	w->region = at->region;
}

/* Names are printed to terminals and files: only names that Google accepts are used. */
const char *paste_name(struct pasting *p, const struct paste_word *w)
{
	const char *s = w->s;
	size_t n;

	if (w->hole != HOLE_NONE) {
		paste_note(p, "the name %.80s is unknown", w->source);
		return NULL;
	}
	s = str_after_last(s, '/');
	for (n = 0; isalnum((unsigned char)s[n]) || (s[n] && strchr("-_.#:", s[n])); n++)
		;
	if (n && !s[n] && n <= MAX_NAME)
		return s;
	paste_note(p, "a name was ignored: Google does not accept it");
	return NULL;
}

enum err_code paste_names(struct pasting *p, const char **name, int64_t *count)
{
	*name = NULL;
	*count = 0;
	for (size_t i = 0; i < p->args.n_words; i++) {
		const struct paste_word *w = &p->args.words[i];

		if (w->hole == HOLE_EXPANSION)
			return paste_no(p, w, "the name");
		*name = paste_name(p, w);
		++*count;
	}
	if (*count != 1)
		*name = NULL;
	return E_OK;
}

enum err_code paste_only_name(struct pasting *p, const char **name)
{
	bool found = false;

	*name = NULL;
	for (size_t i = 0; i < p->args.n_words; i++) {
		const struct paste_word *w = &p->args.words[i];

		if (!found && *w->s) {
			*name = paste_name(p, w);
			found = true;
		} else if (w->hole != HOLE_NONE) {
			paste_note(p, "%.80s was ignored", w->source);
		} else {
			/* "/" instead of "\" at the end of a line occurs in published guides */
			return paste_refuse(p,
				strcmp(w->s, "/") != 0
					? "it creates one resource: check for a missing "
					  "backslash at the end of a line, or -- before a "
					  "flag"
					: "a continued line ends in a backslash, not in "
					  "/",
				"%s: unexpected word '%.60s'", p->command, w->s);
		}
	}
	return E_OK;
}

static bool same_model(const char *s, const char *want)
{
	for (; *s && *want; s++, want++)
		if (toupper((unsigned char)*s) != *want && !(*s == '-' && *want == '_'))
			return false;
	return !*s && !*want;
}

enum err_code paste_provisioning(struct pasting *p, const char **out)
{
	const char *model;

	*out = paste_on(p, "spot") || paste_on(p, "preemptible") ||
			paste_on(p, "best-effort")
		? "spot"
		: paste_on(p, "reserved") ? "reserved"
					  : "on-demand";
	if (paste_value(p, "provisioning-model", &model) || !model)
		return p->e->code;
	if (same_model(model, "SPOT")) {
		*out = "spot";
	} else if (same_model(model, "RESERVATION_BOUND")) {
		*out = "reserved";
	} else if (same_model(model, "FLEX_START")) {
		paste_note(p,
			"flex-start prices are unknown here; the on-demand prices used are "
			"higher");
	} else if (!same_model(model, "STANDARD")) {
		err_set(p->e, E_USAGE,
			"the pasted command: --provisioning-model: '%.40s' is not valid",
			model);
		return err_fix(p->e, "use STANDARD, SPOT, FLEX_START or RESERVATION_BOUND");
	}
	return E_OK;
}
