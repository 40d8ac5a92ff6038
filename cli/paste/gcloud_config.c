/* Settings of gcloud, read from its files. */
#include "cli/paste/paste.h"

#include "base/fs.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "cli/config/config.h"

#include <string.h>

#define MAX_FILE (256 * 1024)

/* Content of a file, or NULL. */
static char *gcloud_text_of(struct arena *a, const char *path)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct err ignored;

	return fs_read(path, MAX_FILE, &b, &ignored) ? NULL : arena_strdup(a, b.s);
}

static char *trim(char *s)
{
	size_t n;

	s += strspn(s, " \t\r\n");
	for (n = strlen(s); n && strchr(" \t\r\n", s[n - 1]); n--)
		s[n - 1] = '\0';
	return s;
}

static const char *active(struct arena *a, const char *dir)
{
	const char *name = config_env("CLOUDSDK_ACTIVE_CONFIG_NAME");
	char *text;

	if (name)
		return name;
	text = gcloud_text_of(a, arena_printf(a, "%s/active_config", dir));
	text = text ? trim(text) : NULL;
	return text && *text ? text : "default";
}

#define GC(field) offsetof(struct gcloud_config, field)
static const struct property {
	const char *section, *key, *env;
	size_t offset;
} properties[] = {
	{"core", "project", "CLOUDSDK_CORE_PROJECT", GC(project)},
	{"core", "account", "CLOUDSDK_CORE_ACCOUNT", GC(account)},
	{"compute", "zone", "CLOUDSDK_COMPUTE_ZONE", GC(zone)},
	{"compute", "region", "CLOUDSDK_COMPUTE_REGION", GC(region)},
};

static void gcloud_keep(
	struct gcloud_config *c, const char *section, const char *key, char *value)
{
	for (size_t i = 0; i < ARRAY_LEN(properties); i++)
		if (!strcmp(properties[i].section, section) &&
			!strcmp(properties[i].key, key) && *value)
			*(const char **)((char *)c + properties[i].offset) = value;
}

/* "[section]" and "key = value", in the format of Python's configparser. */
static void gcloud_read_file(struct gcloud_config *c, char *text)
{
	const char *section = "";
	char *line;

	while ((line = strsep(&text, "\n"))) {
		char *eq;

		line = trim(line);
		if (*line == '[' && str_ends(line, "]")) {
			line[strlen(line) - 1] = '\0';
			section = line + 1;
			continue;
		}
		eq = strchr(line, '=');
		if (!eq || *line == '#' || *line == ';')
			continue;
		*eq = '\0';
		gcloud_keep(c, section, trim(line), trim(eq + 1));
	}
}

void gcloud_config_read(struct arena *a, struct gcloud_config *out)
{
	const char *dir = config_env("CLOUDSDK_CONFIG"), *home = config_env("HOME");
	char *text = NULL;

	*out = (struct gcloud_config){0};
	if (!dir && home)
		dir = arena_printf(a, "%s/.config/gcloud", home);
	if (dir) {
		out->path = arena_printf(
			a, "%s/configurations/config_%s", dir, active(a, dir));
		text = gcloud_text_of(a, out->path);
	}
	if (text)
		gcloud_read_file(out, text);
	else
		out->path = NULL;
	for (size_t i = 0; i < ARRAY_LEN(properties); i++)
		if (config_env(properties[i].env))
			*(const char **)((char *)out + properties[i].offset) = config_env(
				properties[i].env);
}
