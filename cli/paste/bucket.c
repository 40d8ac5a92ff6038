/* Addresses and buckets of pasted commands. The future content of a bucket is unknown, so it has no
 * price; its location determines the price of its traffic. */
#include "cli/paste/internal.h"

#include "base/str.h"

#include <string.h>

#define DEFAULT_LOCATION "us" /* gsutil and gcloud: the multi-region US */
#define DEFAULT_CLASS "standard"

enum err_code paste_address(struct pasting *p)
{
	struct paste_place at;
	const char *list = paste_value_or_note(p, "addresses"), *name;
	bool internal = paste_has(p, "subnet");
	struct wish *w;
	int64_t count;
	size_t n = 0;

	if (list)
		paste_pairs(p, list, &n);
	if (paste_names(p, &name, &count) || paste_place(p, &at))
		return p->e->code;
	w = paste_wish(p, "ip");
	if (!w)
		return p->e->code;
	w->count = count ? count : n ? (int64_t)n : 1;
	w->name = name;
	w->project = at.project;
	w->region = paste_on(p, "global") ? "global"
		: paste_has(p, "region")  ? at.region
					  : paste_region(p);
	w->type = internal ? "internal" : "external";
	if (!w->region)
		paste_note(p, "no --region: required for the price");
	return E_OK;
}

static bool bucket_is_word(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-_");

	return n && n <= 40 && !s[n];
}

static enum err_code bucket_add_bucket(struct pasting *p, const struct paste_word *url,
	const char *location, const char *class, const char *project)
{
	struct paste_word name = *url;
	struct wish *w;

	location = paste_lower(p, location ? location : DEFAULT_LOCATION);
	class = paste_lower(p, class ? class : DEFAULT_CLASS);
	if (!bucket_is_word(location) || !bucket_is_word(class))
		return paste_refuse(p, "use one such as us-central1 or standard",
			"%s: '%.60s' is not a location or class of a bucket", p->command,
			bucket_is_word(location) ? class : location);
	w = paste_wish(p, "bucket");
	if (!w)
		return p->e->code;
	if (str_starts(name.s, "gs://"))
		name.s += strlen("gs://");
	w->name = paste_name(p, &name);
	w->project = project;
	w->region = location;
	w->type = class;
	return E_OK;
}

static enum err_code add_buckets(struct pasting *p, const struct paste_word *v, size_t n,
	const char *location, const char *class, const char *project)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (!str_starts(v[i].s, "gs://") && v[i].hole == HOLE_NONE)
			continue;
		any = true;
		if (bucket_add_bucket(p, &v[i], location, class, project))
			return p->e->code;
	}
	if (!any)
		return paste_refuse(
			p, "add gs://NAME", "%s: no bucket is given", p->command);
	if (!location)
		paste_note(p,
			"no location for the bucket: the multi-region %s, the default",
			DEFAULT_LOCATION);
	paste_note(p,
		"the price of a bucket depends on its content, which is not included here");
	return E_OK;
}

enum err_code paste_bucket(struct pasting *p)
{
	const char *location, *class;
	struct paste_args all = p->args;
	struct paste_place at;

	/* its --location is not a zone */
	p->args.flags = arena_alloc(p->a, all.n_flags * sizeof(*all.flags));
	p->args.n_flags = 0;
	for (size_t i = 0; i < all.n_flags; i++)
		if (!strcmp(all.flags[i].name, "project"))
			p->args.flags[p->args.n_flags++] = all.flags[i];
	if (paste_place(p, &at))
		return p->e->code;
	p->args = all;
	if (paste_value(p, "location", &location) ||
		paste_value(p, "default-storage-class", &class))
		return p->e->code;
	return add_buckets(p, all.words, all.n_words, location, class, at.project);
}

enum err_code paste_gsutil(struct pasting *p, const struct paste_word *v, size_t n)
{
	const char *location = NULL, *class = NULL, *project = p->project;
	size_t i = 0;

	for (; i < n && v[i].s[0] == '-'; i++) {
		const struct paste_word *value;

		/* its flags are single letters; these take a value */
		if (!v[i].s[1] || v[i].s[2] || !strchr("pclbak", v[i].s[1]) || i + 1 == n)
			continue;
		value = &v[i + 1];
		if (v[i].s[1] == 'l' && value->hole != HOLE_NONE)
			return paste_no(p, value, "-l");
		if (v[i].s[1] == 'l')
			location = value->s;
		else if (v[i].s[1] == 'c' && value->hole == HOLE_NONE)
			class = value->s;
		else if (v[i].s[1] == 'p')
			project = value->hole == HOLE_NONE ? value->s : NULL;
		i++;
	}
	return add_buckets(p, v + i, n - i, location, class,
		paste_project(p, project ? project : p->env->project));
}
