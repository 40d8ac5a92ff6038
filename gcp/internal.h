/* Declarations shared by the files of gcp/ only. */
#ifndef TPUCOST_GCP_INTERNAL_H
#define TPUCOST_GCP_INTERNAL_H

#include "gcp/gcp.h"

#include <stdarg.h>

struct gcp_auth;

struct gcp {
	struct http *http;
	struct clock *clock;
	struct arena texts;           /* of the members below */
	const char *base[GCP_N_APIS]; /* without a trailing slash */
	const char *metadata_base;    /* endpoint_all, or NULL */
	bool oauth_overridden; /* tokens are requested from base[GCP_OAUTH], regardless of the
				 * key */
	const char *quota_project; /* or NULL */
	struct gcp_auth *auth;
	bool own_asked;     /* the metadata server was asked for the account */
	const char *own_id; /* its response, or NULL */
	struct gcp_skew {
		bool told;
		int64_t seconds; /* by which the local clock is ahead */
	} skew[GCP_N_APIS];
};

/* The role for reading this API, according to Google's IAM reference. */
const char *gcp_role(enum gcp_api api);

/* Limits the rate of the request to the quota of calls of this API. */
void gcp_pace(const struct gcp *g, enum gcp_api api, struct http_req *r);

void gcp_url_v(const struct gcp *g, struct sbuf *out, enum gcp_api api, const char *tmpl,
	va_list ap);

/* Copies text from Google for messages: control characters become blanks, runs of blanks become
 * one; cut at `room` at a whole UTF-8 character. */
void text_clean(const char *s, char *out, size_t room);

/* Records the date of a response of this API (TS_NONE: no date). Only that of https counts: what answers on
 * plain http is not Google. */
void gcp_note_date(struct gcp *g, enum gcp_api api, const char *url, ts_t date);
/* E_AUTH if the clock is more than GCP_CLOCK_OFF from Google's, according to the last response of this API: what is read
 * now would be stored under a wrong time. */
enum err_code gcp_check_clock(
	const struct gcp *g, enum gcp_api api, struct err *e) must_check;
/* The error of a clock that is `off` seconds ahead of Google's (behind if negative), with its fix. */
enum err_code gcp_clock_err(int64_t off, struct err *e);

/* The URL of a path of the metadata server, and the host for which plain http is allowed (from
 * the arena). E_AUTH if the environment names an invalid host. */
enum err_code gcp_metadata_url(struct gcp *g, const char *path, struct arena *a,
	struct sbuf *url, const char **host, struct err *e) must_check;

#endif
