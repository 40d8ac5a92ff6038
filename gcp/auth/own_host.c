/* Is a machine the one on which this program runs? */

#include "base/str.h"
#include "gcp/auth/auth.h"
#include "gcp/internal.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define METADATA_MS 1000L
#define MAX_ID 20 /* digits */

/* ---- addresses --------------------------------------------------------------------------------- */

/* Loopback and link-local addresses are the same on every machine, and identify none. */
static bool same_address(const struct sockaddr *ours, const char *text)
{
	struct in6_addr six;
	struct in_addr four;

	if (ours->sa_family == AF_INET && inet_pton(AF_INET, text, &four) == 1) {
		uint32_t a = ntohl(four.s_addr);

		return (a >> 24) != 127 && (a >> 16) != 0xa9fe &&
			!memcmp(&((const struct sockaddr_in *)(const void *)ours)->sin_addr,
				&four, sizeof(four));
	}
	if (ours->sa_family == AF_INET6 && inet_pton(AF_INET6, text, &six) == 1)
		return !IN6_IS_ADDR_LOOPBACK(&six) && !IN6_IS_ADDR_LINKLOCAL(&six) &&
			!memcmp(&((const struct sockaddr_in6 *)(const void *)ours)
					 ->sin6_addr,
				&six, sizeof(six));
	return false;
}

static bool has_our_address(const struct own_host_ask *q)
{
	struct ifaddrs *list = NULL;
	bool found = false;

	if (!q->n_addresses)
		return false;
	if (getifaddrs(&list))
		return true;
	for (const struct ifaddrs *i = list; i && !found; i = i->ifa_next)
		for (size_t k = 0; i->ifa_addr && !found && k < q->n_addresses; k++)
			found = same_address(i->ifa_addr, q->addresses[k]);
	freeifaddrs(list);
	return found;
}

/* ---- name -------------------------------------------------------------------------------------- */

static bool has_our_name(const struct own_host_ask *q)
{
	char name[256] = "";

	if (gethostname(name, sizeof(name) - 1))
		return true;
	name[strcspn(name, ".")] = '\0';
	return *name && str_ieq(name, q->name);
}

/* ---- metadata server --------------------------------------------------------------------------- */

/* "About VM metadata". Appends the text of a path of the local metadata server to *out, or nothing
 * without a server. */
static void ask_metadata(struct gcp *g, const char *path, struct sbuf *out)
{
	static const char *const headers[] = {"Metadata-Flavor: Google", NULL};
	struct http_req r = {.method = "GET",
		.headers = headers,
		.max_body = 4096,
		.idempotent = true,
		.max_attempts = 1,
		.total_timeout_ms = METADATA_MS,
		.resp = SBUF_INIT};
	cleanup(sbuf_done) struct sbuf url = SBUF_INIT;
	cleanup(arena_done) struct arena a = {0};

	if (gcp_metadata_url(g, path, &a, &url, &r.plain_http_host, NULL) == E_OK) {
		r.url = url.s;
		if (http_do(g->http, &r, NULL) == E_OK && r.status == 200 &&
			str_eq(r.metadata_flavor, "Google"))
			sbuf_add(out, r.resp.s, r.resp.len);
	}
	http_req_done(&r);
}

/* instance/id is the number of the requesting instance. */
static void ask_own_id(struct gcp *g)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;
	size_t digits;

	g->own_asked = true;
	ask_metadata(g, "/computeMetadata/v1/instance/id", &text);
	digits = text.len ? strspn(text.s, "0123456789") : 0;
	if (digits && digits <= MAX_ID)
		g->own_id = arena_strndup(&g->texts, text.s, digits);
}

const char *gcp_own_project(struct gcp *g, struct arena *a)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;

	ask_metadata(g, "/computeMetadata/v1/project/project-id", &text);
	return text.len && gcp_project_valid(text.s) ? arena_strdup(a, text.s) : NULL;
}

bool gcp_own_host(struct gcp *g, const struct own_host_ask *q)
{
	if (!g->own_asked && *q->uid)
		ask_own_id(g);
	/* The first machine of every default network has the same address, and names are not
	 * unique. */
	if (g->own_id && *q->uid)
		return str_eq(g->own_id, q->uid);
	return has_our_address(q) || has_our_name(q);
}
