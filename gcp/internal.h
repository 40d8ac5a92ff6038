/* What the files of gcp/ share and others need not see. */
#ifndef TPUCOST_GCP_INTERNAL_H
#define TPUCOST_GCP_INTERNAL_H

#include "gcp/gcp.h"

#include <stdarg.h>

struct gcp_auth;

struct gcp {
	struct http *http;
	struct clock *clock;
	char *base[GCP_N_APIS]; /* without a slash at the end */
	char *metadata_base;    /* endpoint_all, or NULL */
	bool oauth_overridden;  /* the token goes to base[GCP_OAUTH], whatever the key
				   says */
	char *quota_project;    /* or NULL */
	struct gcp_auth *auth;
	bool own_asked; /* the metadata server was asked who we are */
	char *own_id;   /* what it said, or NULL */
	struct gcp_skew {
		bool told;
		int64_t seconds; /* that our clock is ahead */
	} skew[GCP_N_APIS];
};

/* The role to grant for reading this API, per Google's IAM reference. */
const char *gcp_role(enum gcp_api api);

void gcp_url_v(const struct gcp *g, struct sbuf *out, enum gcp_api api, const char *tmpl,
	va_list ap);

/* Copy text from Google, for our messages: control characters as blanks, runs of blanks as one;
 * cut at `room` on a whole UTF-8 character. */
void text_clean(const char *s, char *out, size_t room);

/* An answer of this API came with this date (TS_NONE: with none). */
void gcp_note_date(struct gcp *g, enum gcp_api api, const char *url, ts_t date);

/* The URL of a path of the metadata server, and the host that plain http is allowed to (heap).
 * E_AUTH when the environment names a host that cannot be one. */
enum err_code gcp_metadata_url(struct gcp *g, const char *path, struct sbuf *url,
	char **host, struct err *e) must_check;

#endif
