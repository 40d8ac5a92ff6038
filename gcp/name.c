/* Names that Google allows: of projects, and of resources in them. */
#include "gcp/gcp.h"

#include <string.h>

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool name_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* 6 to 30 characters, beginning with a letter and not ending with a hyphen (Resource Manager:
 * project ids). */
static bool id_valid(const char *s)
{
	size_t n = strlen(s);

	if (n < 6 || n > 30 || !is_lower(s[0]) || s[n - 1] == '-')
		return false;
	for (; *s; s++)
		if (!is_lower(*s) && !name_is_digit(*s) && *s != '-')
			return false;
	return true;
}

static bool domain_valid(const char *s, size_t n)
{
	if (n < 3 || n > 100 || s[0] == '.' || s[n - 1] == '.' || !memchr(s, '.', n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!is_lower(s[i]) && !name_is_digit(s[i]) && s[i] != '-' && s[i] != '.')
			return false;
	return true;
}

bool gcp_project_valid(const char *project)
{
	const char *colon = strchr(project, ':');
	size_t digits = strspn(project, "0123456789");

	if (digits > 0 && !project[digits])
		return digits <= 20;
	if (colon)
		return domain_valid(project, (size_t)(colon - project)) &&
			id_valid(colon + 1);
	return id_valid(project);
}

enum err_code gcp_project_check(const char *project, struct err *e)
{
	if (gcp_project_valid(project))
		return E_OK;
	err_set(e, E_CONFIG, "'%.60s' is not a valid project id", project);
	err_fix(e, "list yours with: gcloud projects list");
	return E_CONFIG;
}

bool gcp_name_valid(const char *name)
{
	size_t n = strlen(name), dots = strspn(name, ".");

	if (n == 0 || n > 128 || dots == n)
		return false;
	for (; *name; name++)
		if (!is_lower(*name) && !name_is_digit(*name) &&
			!(*name >= 'A' && *name <= 'Z') && !strchr("-_.", *name))
			return false;
	return true;
}
