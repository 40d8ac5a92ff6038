/* Location, name and provisioning of the resources of a pasted command. */
#include "cli/paste/internal.h"

#include "base/str.h"
#include "base/time/civil.h"

#include <ctype.h>
#include <string.h>

#define MAX_NAME 256
#define LONGEST_FLEX \
	(7 * DAY_SECONDS) /* Cloud TPU, "Request Cloud TPUs using flex-start" */

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

/* The last value of a flag; NULL: none. */
static const struct paste_word *last(const struct pasting *p, const char *flag)
{
	for (size_t i = p->flags.n; i > 0; i--)
		if (!strcmp(p->flags.v[i - 1].name, flag) && p->flags.v[i - 1].value.s)
			return &p->flags.v[i - 1].value;
	return NULL;
}

/* "$(gcloud config get-value project)" is the same as the default. */
static bool asks_gcloud(const struct paste_word *w)
{
	return w && w->hole == HOLE_RUN && strstr(w->source, "gcloud config get");
}

/* Region of a cluster: --location of its node pool can be one. */
static const char *read_cluster_region(struct pasting *p)
{
	const char *place = paste_has(p, "cluster") ? paste_value(p, "location") : NULL;

	return place && is_region(place) ? place : paste_value(p, "region");
}

const char *paste_zone(struct pasting *p, const char *flag, const char *zone)
{
	zone = str_after_last(zone, '/');
	if (!place_is_zone(zone))
		paste_refuse(p,
			is_region(zone)
				? "use a zone such as us-central1-b; a region is not enough"
				: "use a zone such as us-central1-b",
			"the pasted command: --%s: '%.60s' is not a zone", flag, zone);
	return zone;
}

static const char *read_zone(struct pasting *p)
{
	const char *flag = paste_has(p, "zone") ? "zone" : "location";
	const char *zone = (paste_has(p, "cluster") && read_cluster_region(p)) ||
			asks_gcloud(last(p, flag))
		? NULL
		: paste_value(p, flag);

	if (!zone && !paste_has(p, "region") && !paste_has(p, "cluster"))
		zone = by_default(
			p, "zone", p->zone, "CLOUDSDK_COMPUTE_ZONE", p->env->zone);
	return zone ? paste_zone(p, flag, zone) : NULL;
}

const char *paste_place_project(struct pasting *p)
{
	const struct paste_word *w = last(p, "project");
	bool asks = asks_gcloud(w);
	const char *project = asks ? NULL : paste_value_or_note(p, "project");

	if (!project && (!w || asks))
		project = by_default(
			p, "project", p->project, "CLOUDSDK_CORE_PROJECT", p->env->project);
	return paste_project(p, project);
}

struct paste_place paste_place(struct pasting *p)
{
	struct paste_place out = {.project = paste_place_project(p)};
	const char *region;

	out.zone = read_zone(p);
	out.region = paste_region_of(p, out.zone);
	region = read_cluster_region(p);
	if (!region || out.zone)
		return out;
	out.region = str_after_last(region, '/');
	if (!is_region(out.region))
		paste_refuse(p, "use a region such as us-central1",
			"the pasted command: --region: '%.60s' is not a region",
			out.region);
	return out;
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

int64_t paste_names(struct pasting *p, const char **name)
{
	*name = NULL;
	for (size_t i = 0; i < p->words.n; i++) {
		if (p->words.v[i].hole == HOLE_EXPANSION)
			paste_no(p, &p->words.v[i], "the name");
		*name = paste_name(p, &p->words.v[i]);
	}
	if (p->words.n != 1)
		*name = NULL;
	return (int64_t)p->words.n;
}

const char *paste_only_name(struct pasting *p)
{
	const char *name = NULL;
	bool found = false;

	for (size_t i = 0; i < p->words.n; i++) {
		const struct paste_word *w = &p->words.v[i];

		if (w->hole == HOLE_EXPANSION && *w->source == '{')
			paste_no(p, w, "the name"); /* several in most shells */
		if (!found && *w->s) {
			name = paste_name(p, w);
			found = true;
		} else if (w->hole != HOLE_NONE) {
			paste_note(p, "%.80s was ignored", w->source);
		} else {
			/* "/" instead of "\" at the end of a line occurs in published guides */
			paste_refuse(p,
				strcmp(w->s, "/") != 0
					? "it creates one resource: check for a missing "
					  "backslash at the end of a line, or -- before a "
					  "flag"
					: "a continued line ends in a backslash, not in "
					  "/",
				"%s: unexpected word '%.60s'", p->command, w->s);
		}
	}
	return name;
}

static bool same_model(const char *s, const char *want)
{
	for (; *s && *want; s++, want++)
		if (toupper((unsigned char)*s) != *want && !(*s == '-' && *want == '_'))
			return false;
	return !*s && !*want;
}

const char *paste_provisioning(struct pasting *p)
{
	const char *model = paste_value(p, "provisioning-model");

	if (model && same_model(model, "SPOT"))
		return "spot";
	if (model && same_model(model, "RESERVATION_BOUND"))
		return "reserved";
	if (model && same_model(model, "FLEX_START"))
		return "flex-start";
	if (model && !same_model(model, "STANDARD"))
		paste_refuse(p, "use STANDARD, SPOT, FLEX_START or RESERVATION_BOUND",
			"the pasted command: --provisioning-model: '%.40s' is not valid",
			model);
	if (paste_on(p, "spot") || paste_on(p, "preemptible") || paste_on(p, "best-effort"))
		return "spot";
	if (paste_on(p, "flex-start"))
		return "flex-start";
	return paste_on(p, "reserved") ? "reserved" : "on-demand";
}

int64_t paste_seconds(struct arena *a, const char *s)
{
	int64_t sum = 0, part;

	for (size_t n; *s; s += n) {
		n = strspn(s, "0123456789");
		if (duration_parse(arena_printf(a, "%.*s%c", (int)n, s, s[n] ? s[n] : 's'),
			    &part, NULL))
			return 0;
		sum += part;
		n += s[n] != '\0';
	}
	return sum;
}

ts_t paste_time(struct pasting *p, const char *flag)
{
	const char *text = paste_value(p, flag);
	ts_t t;

	if (!text)
		return TS_NONE;
	if (!rfc3339_parse(text, &t, NULL, NULL))
		return t;
	paste_note(
		p, "--%s was ignored: it is not a time such as 2026-11-01T09:00:00Z", flag);
	return TS_NONE;
}

/* It is not charged while it waits (Compute Engine, "VM instance lifecycle", PENDING; Cloud TPU, "Manage
 * queued resources"). */
static void note_wait(struct pasting *p)
{
	static const char *const flags[] = {
		"request-valid-for-duration", "valid-until-duration", "valid-until-time"};

	for (size_t i = 0; i < ARRAY_LEN(flags); i++)
		if (paste_value(p, flags[i]))
			paste_note(p,
				"it costs nothing while it waits for capacity (--%s %.40s)",
				flags[i], paste_value(p, flags[i]));
}

void paste_run(struct pasting *p, struct wish *w)
{
	const char *longest = paste_value(p, "max-run-duration");
	ts_t until = paste_time(p, "termination-time");

	note_wait(p);
	w->run_until = until == TS_NONE ? 0 : until;
	if (!longest)
		return;
	w->run_limit = paste_seconds(p->a, longest);
	paste_note(p, "it runs at most %.40s (--max-run-duration)%s", longest,
		w->run_limit ? "" : "; not used: expected a duration such as 2h");
	if (w->run_limit > LONGEST_FLEX && str_eq(w->provisioning, "flex-start"))
		paste_note(p, "flex-start runs at most 7 days: Google refuses more");
}
