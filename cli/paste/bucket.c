/* Addresses and buckets of pasted commands. The future content of a bucket is unknown, so it has no
 * price; its location determines the price of its traffic. */
#include "cli/paste/internal.h"

#include "base/str.h"

#include <string.h>

#define DEFAULT_LOCATION "us" /* gsutil and gcloud: the multi-region US */
#define DEFAULT_CLASS "standard"

void paste_address(struct pasting *p)
{
	const char *list = paste_value_or_note(p, "addresses"), *name;
	int64_t count = paste_names(p, &name);
	struct paste_place at = paste_place(p);
	struct wish *w = paste_wish(p, "ip");

	if (!count && list)
		count = (int64_t)paste_pairs(p, list).n;
	w->count = count ? count : 1;
	w->name = name;
	w->project = at.project;
	w->region = paste_on(p, "global") ? "global"
		: paste_has(p, "region")  ? at.region
					  : paste_region(p);
	w->type = paste_has(p, "subnet") ? "internal" : "external";
	if (!w->region)
		paste_note(p, "no --region: required for the price");
}

static bool bucket_is_word(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-_");

	return n && n <= 40 && !s[n];
}

static void bucket_add_bucket(struct pasting *p, const struct paste_word *url,
	const char *location, const char *class, const char *project)
{
	struct paste_word name = *url;
	struct wish *w;

	location = paste_lower(p, location ? location : DEFAULT_LOCATION);
	class = paste_lower(p, class ? class : DEFAULT_CLASS);
	if (!bucket_is_word(location) || !bucket_is_word(class))
		paste_refuse(p, "use one such as us-central1 or standard",
			"%s: '%.60s' is not a location or class of a bucket", p->command,
			bucket_is_word(location) ? class : location);
	w = paste_wish(p, "bucket");
	if (str_starts(name.s, "gs://"))
		name.s += strlen("gs://");
	w->name = paste_name(p, &name);
	w->project = project;
	w->region = location;
	w->type = class;
}

static void add_buckets(struct pasting *p, const struct paste_word *v, size_t n,
	const char *location, const char *class, const char *project)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (!str_starts(v[i].s, "gs://") && v[i].hole == HOLE_NONE)
			continue;
		any = true;
		bucket_add_bucket(p, &v[i], location, class, project);
	}
	if (!any)
		paste_refuse(p, "add gs://NAME", "%s: no bucket is given", p->command);
	if (!location)
		paste_note(p,
			"no location for the bucket: the multi-region %s, the default",
			DEFAULT_LOCATION);
	paste_note(p,
		"the price of a bucket depends on its content, which is not included here");
}

void paste_bucket(struct pasting *p)
{
	const char *project = paste_place_project(p);
	const char *location = paste_value(p, "location");
	const char *class = paste_value(p, "default-storage-class");

	add_buckets(p, p->words.v, p->words.n, location, class, project);
}

void paste_gsutil(struct pasting *p, const struct paste_word *v, size_t n)
{
	const char *location = NULL, *class = NULL, *project = p->project;
	size_t i = 0;

	for (; i < n && v[i].s[0] == '-'; i++) {
		char flag = v[i].s[1];
		const struct paste_word *value;

		/* its flags are single letters; these take a value */
		if (!flag || v[i].s[2] || !strchr("pclbak", flag) || i + 1 == n)
			continue;
		value = &v[++i];
		if (flag == 'l' && value->hole != HOLE_NONE)
			paste_no(p, value, "-l");
		else if (flag == 'l')
			location = value->s;
		else if (flag == 'c' && value->hole == HOLE_NONE)
			class = value->s;
		else if (flag == 'p')
			project = value->hole == HOLE_NONE ? value->s : NULL;
	}
	add_buckets(p, v + i, n - i, location, class,
		paste_project(p, project ? project : p->env->project));
}
