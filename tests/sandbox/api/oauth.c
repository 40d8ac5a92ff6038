/* Tokens: RS256 assertions of a service account, refresh tokens, the metadata server. */
#include "tests/sandbox/sandbox.h"

#include "base/time/civil.h"
#include "base/time/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/str.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EMAIL "tpucost@%s.iam.gserviceaccount.com"
#define ENFORCER "tpucost-enforcer@%s.iam.gserviceaccount.com"
#define TOKEN_SECONDS 3599

static EVP_PKEY *key;
static char email[256], enforcer[256], token_uri[256];
static int64_t issued;
static char **owners; /* of the tokens, by their numbers; the first is number 1 */

noreturn_fn static void die(const char *what)
{
	fprintf(stderr, "sandbox: %s\n", what);
	exit(1);
}

static void write_key(const char *dir, const char *file, const char *account,
	const char *pem, const struct world *w)
{
	struct sbuf json = SBUF_INIT, path = SBUF_INIT;
	struct jw j = {.b = &json};
	struct err e = {0};

	jw_begin(&j, '{');
	jw_kstr(&j, "type", "service_account");
	jw_kstr(&j, "project_id", w->projects[0].id);
	jw_kstr(&j, "private_key_id", "sandbox-1");
	jw_kstr(&j, "private_key", pem);
	jw_kstr(&j, "client_email", account);
	jw_kstr(&j, "client_id", "100000000000000000001");
	jw_kstr(&j, "token_uri", token_uri);
	jw_end(&j, '}');
	sbuf_addf(&path, "%s/%s", dir, file);
	if (fs_write_atomic(path.s, json.s, json.len, 0600, &e))
		die(e.msg);
	sbuf_done(&json);
	sbuf_done(&path);
}

/* One key for both accounts, which differ in their names; it is made with the build. */
void oauth_make_key(const char *dir, const char *base_url, const struct world *w)
{
	BIO *bio = BIO_new_mem_buf(sandbox_key_pem, -1);
	struct err e = {0};

	key = bio ? PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL) : NULL;
	if (!key)
		die("cannot read the key that the build made");
	BIO_free(bio);
	snprintf(email, sizeof(email), EMAIL, w->projects[0].id);
	snprintf(enforcer, sizeof(enforcer), ENFORCER, w->projects[0].id);
	snprintf(token_uri, sizeof(token_uri), "%s/token", base_url);
	if (dir && fs_mkdirs(dir, 0700, &e))
		die(e.msg);
	if (dir) {
		write_key(dir, "service-account.json", email, sandbox_key_pem, w);
		write_key(dir, "enforcer.json", enforcer, sandbox_key_pem, w);
	}
}

/* ---- assertions ------------------------------------------------------------------------------ */

static bool b64url(const char *s, size_t n, struct sbuf *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	uint32_t acc = 0;
	int bits = 0;

	for (size_t i = 0; i < n; i++) {
		const char *d = s[i] ? strchr(digits, s[i]) : NULL;

		if (!d)
			return false;
		acc = acc << 6 | (uint32_t)(d - digits);
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			sbuf_addc(out, (char)(acc >> bits & 0xff));
		}
	}
	return true;
}

static bool signature_fits(const char *text, size_t len, const struct sbuf *sig)
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	bool ok = ctx && EVP_DigestVerifyInit(ctx, NULL, EVP_sha256(), NULL, key) == 1 &&
		EVP_DigestVerify(ctx, (const unsigned char *)sig->s, sig->len,
			(const unsigned char *)text, len) == 1;

	EVP_MD_CTX_free(ctx);
	return ok;
}

/* Google's own libraries sign for Google's address whatever the key's token_uri says. */
static bool audience_fits(const char *aud)
{
	return !strcmp(aud, token_uri) ||
		!strcmp(aud, "https://oauth2.googleapis.com/token");
}

static bool is_within(ts_t now, ts_t iat, ts_t exp)
{
	return exp > now - 60 && iat <= now + 300;
}

/* At most an hour long, and now is within it: the sandbox's now, or the machine's, which
 * clients keep that do not know that the sandbox's clock was moved. */
static bool times_fit(const struct cJSON *c, ts_t now)
{
	int64_t iat, exp;

	return !json_get_i64(c, "iat", &iat, NULL) && !json_get_i64(c, "exp", &exp, NULL) &&
		exp - iat <= 3600 &&
		(is_within(now, iat, exp) ||
			is_within(clock_now(clock_system()), iat, exp));
}

/* NULL when the claims are fine, else what Google would say. */
static const char *claims_problem(const struct cJSON *c, ts_t now)
{
	const char *iss = json_text(json_get(c, "iss"), "");

	if (strcmp(iss, email) != 0 && strcmp(iss, enforcer) != 0)
		return "Invalid grant: account not found";
	if (!audience_fits(json_text(json_get(c, "aud"), "")))
		return "Invalid JWT: Failed audience check.";
	if (!times_fit(c, now))
		return "Invalid JWT: Token must be a short-lived token (60 minutes) and "
		       "in a reasonable timeframe. Check your iat and exp values in the "
		       "JWT claim.";
	if (!strstr(json_text(json_get(c, "scope"), ""), "auth/"))
		return "Invalid OAuth scope or ID token audience provided.";
	return NULL;
}

/* A self-signed token, sent as it is in place of one from the token endpoint: it names an
 * API as its audience, or scopes. */
static const char *bearer_problem(const struct cJSON *c, ts_t now)
{
	const char *iss = json_text(json_get(c, "iss"), "");
	const char *aud = json_text(json_get(c, "aud"), "");

	if (strcmp(iss, email) != 0 || strcmp(json_text(json_get(c, "sub"), ""), iss) != 0)
		return "not of this account";
	if (!times_fit(c, now))
		return "not of this time";
	if (!(str_starts(aud, "https://") && strstr(aud, ".googleapis.com/")) &&
		!strstr(json_text(json_get(c, "scope"), ""), "auth/"))
		return "for no API and no scope";
	return NULL;
}

/* Is it signed with the key, and what does `problem` say of its claims? */
static const char *jwt_problem(const char *jwt, ts_t now,
	const char *(*problem)(const struct cJSON *claims, ts_t now))
{
	const char *dot = strchr(jwt, '.'), *dot2 = dot ? strchr(dot + 1, '.') : NULL;
	struct sbuf sig = SBUF_INIT, claims = SBUF_INIT;
	struct cJSON *j = NULL;
	const char *why = "Invalid JWT Signature.";

	if (dot2 && b64url(dot2 + 1, strlen(dot2 + 1), &sig) &&
		signature_fits(jwt, (size_t)(dot2 - jwt), &sig) &&
		b64url(dot + 1, (size_t)(dot2 - dot - 1), &claims) &&
		!json_parse(claims.s, claims.len, &j, NULL))
		why = problem(j, now);
	json_free(j);
	sbuf_done(&sig);
	sbuf_done(&claims);
	return why;
}

/* ---- answers --------------------------------------------------------------------------------- */

/* Value of a field of a form, percent-decoded; arena. */
static const char *form_value(const struct request *q, const char *name)
{
	const char *p = q->body;
	size_t n = strlen(name);

	while (p && *p) {
		if (!strncmp(p, name, n) && p[n] == '=') {
			struct sbuf b = SBUF_INIT;
			const char *v;

			for (p += n + 1; *p && *p != '&'; p++) {
				unsigned byte;

				if (*p == '%' && sscanf(p + 1, "%2x", &byte) == 1) {
					sbuf_addc(&b, (char)byte);
					p += 2;
				} else {
					sbuf_addc(&b, *p == '+' ? ' ' : *p);
				}
			}
			v = arena_strdup(q->a, b.s);
			sbuf_done(&b);
			return v;
		}
		p = strchr(p, '&');
		p = p ? p + 1 : NULL;
	}
	return "";
}

/* A token of the account. */
static const char *new_token(const struct request *q, const char *account)
{
	owners = xrealloc(owners, ((size_t)issued + 1) * sizeof(*owners));
	owners[issued] = xstrdup(account);
	return arena_printf(q->a, "ya29.sandbox-%lld-%lld", (long long)++issued,
		(long long)(q->now + TOKEN_SECONDS));
}

static void give_token(const struct request *q, struct response *r, const char *account)
{
	struct jw w = {.b = &r->body};

	jw_begin(&w, '{');
	jw_kstr(&w, "access_token", new_token(q, account));
	jw_ki64(&w, "expires_in", TOKEN_SECONDS);
	jw_kstr(&w, "token_type", "Bearer");
	jw_end(&w, '}');
}

static void refuse_token(struct response *r, const char *error, const char *why)
{
	struct jw w = {.b = &r->body};

	r->status = 400;
	jw_begin(&w, '{');
	jw_kstr(&w, "error", error);
	jw_kstr(&w, "error_description", why);
	jw_end(&w, '}');
}

/* Of an assertion that was found good. */
static const char *issuer(const struct request *q, const char *jwt)
{
	const char *dot = strchr(jwt, '.'), *dot2 = strchr(dot + 1, '.');
	struct sbuf claims = SBUF_INIT;
	struct cJSON *j = NULL;
	const char *iss = "";

	if (b64url(dot + 1, (size_t)(dot2 - dot - 1), &claims) &&
		!json_parse(claims.s, claims.len, &j, NULL))
		iss = arena_strdup(q->a, json_text(json_get(j, "iss"), ""));
	json_free(j);
	sbuf_done(&claims);
	return iss;
}

void serve_token(const struct request *q, struct response *r)
{
	const char *grant = form_value(q, "grant_type"), *why;

	if (!strcmp(grant, "refresh_token")) {
		if (!strcmp(form_value(q, "refresh_token"), "sandbox-refresh"))
			give_token(q, r, "somebody");
		else
			refuse_token(
				r, "invalid_grant", "Token has been expired or revoked.");
		return;
	}
	if (strcmp(grant, "urn:ietf:params:oauth:grant-type:jwt-bearer") != 0) {
		refuse_token(r, "unsupported_grant_type", "Invalid grant_type");
		return;
	}
	why = jwt_problem(form_value(q, "assertion"), q->now, claims_problem);
	if (why)
		refuse_token(r, "invalid_grant", why);
	else
		give_token(q, r, issuer(q, form_value(q, "assertion")));
}

const char *oauth_token_of(const char *authorization)
{
	long long n, expires;

	if (!authorization ||
		sscanf(authorization, "Bearer ya29.sandbox-%lld-%lld", &n, &expires) != 2 ||
		n < 1 || n > issued)
		return "";
	return owners[n - 1];
}

bool oauth_token_valid(const char *authorization, ts_t now)
{
	long long n, expires;

	if (!authorization || !str_starts(authorization, "Bearer "))
		return false;
	authorization += strlen("Bearer ");
	if (sscanf(authorization, "ya29.sandbox-%lld-%lld", &n, &expires) == 2)
		return n <= issued && expires > now;
	return !jwt_problem(authorization, now, bearer_problem);
}

const char *oauth_account(const struct request *q)
{
	const char *owner;

	if (!oauth_token_valid(q->authorization, q->now))
		return NULL;
	owner = oauth_token_of(q->authorization);
	return *owner ? owner : issuer(q, q->authorization);
}

static bool metadata_allowed(const struct request *q, struct response *r)
{
	r->metadata_flavor = true;
	r->type = "text/plain";
	if (q->metadata_flavor && !strcmp(q->metadata_flavor, "Google"))
		return true;
	r->status = 403;
	sbuf_adds(&r->body, "Missing Metadata-Flavor:Google header.\n");
	return false;
}

void serve_metadata_token(const struct request *q, struct response *r)
{
	if (!metadata_allowed(q, r))
		return;
	r->type = "application/json";
	give_token(q, r, email);
}

void serve_metadata_project(const struct request *q, struct response *r)
{
	if (metadata_allowed(q, r))
		sbuf_adds(&r->body, q->w->projects[0].id);
}

void serve_metadata_number(const struct request *q, struct response *r)
{
	if (metadata_allowed(q, r))
		sbuf_adds(&r->body, q->w->projects[0].number);
}

void serve_metadata_id(const struct request *q, struct response *r)
{
	if (!metadata_allowed(q, r))
		return;
	if (q->w->instance_id) {
		sbuf_adds(&r->body, q->w->instance_id);
		return;
	}
	r->status = 404;
	sbuf_adds(&r->body, "Not Found");
}

/* What libraries ask for to see whether there is a metadata server at all. */
void serve_metadata_instance(const struct request *q, struct response *r)
{
	if (metadata_allowed(q, r))
		sbuf_adds(&r->body, "id\nservice-accounts/\nzone\n");
}

void serve_metadata_universe(const struct request *q, struct response *r)
{
	if (metadata_allowed(q, r))
		sbuf_adds(&r->body, "googleapis.com");
}

void serve_metadata_zone(const struct request *q, struct response *r)
{
	if (metadata_allowed(q, r))
		sbuf_addf(&r->body, "projects/%s/zones/%s", q->w->projects[0].number,
			q->w->zones.n ? q->w->zones.v[0] : "us-central1-a");
}

void serve_metadata_email(const struct request *q, struct response *r)
{
	if (metadata_allowed(q, r))
		sbuf_adds(&r->body, email);
}

/* ".../serviceAccounts/EMAIL:generateAccessToken" of IAM Credentials v1. */
void serve_access_token(const struct request *q, struct response *r)
{
	struct jw w = {.b = &r->body};

	if (!str_ends(q->seg[4], ":generateAccessToken")) {
		respond_rpc(r, 404, "NOT_FOUND", "Method not found.");
		return;
	}
	jw_begin(&w, '{');
	jw_kstr(&w, "accessToken",
		new_token(q,
			arena_strndup(q->a, q->seg[4],
				(size_t)(strrchr(q->seg[4], ':') - q->seg[4]))));
	jw_kstr(&w, "expireTime",
		rfc3339_format(q->now + TOKEN_SECONDS, (char[RFC3339_BUF]){0}));
	jw_end(&w, '}');
}
