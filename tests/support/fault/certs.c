#include "tests/support/fault/certs.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>

#define DAY (24 * 3600L)

static void add(X509 *x, int nid, const char *value)
{
	X509V3_CTX ctx;
	X509_EXTENSION *ext;

	X509V3_set_ctx_nodb(&ctx);
	X509V3_set_ctx(&ctx, x, x, NULL, NULL, 0);
	ext = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
	if (!ext || !X509_add_ext(x, ext, -1))
		abort();
	X509_EXTENSION_free(ext);
}

void cert_make(const struct cert_opts *o, struct cert *out)
{
	static long serial;
	X509_NAME *name;

	out->key = EVP_EC_gen("P-256");
	out->x = X509_new();
	if (!out->key || !out->x || !X509_set_version(out->x, X509_VERSION_3) ||
		!X509_set_pubkey(out->x, out->key) ||
		!ASN1_INTEGER_set(X509_get_serialNumber(out->x), ++serial) ||
		!X509_gmtime_adj(X509_getm_notBefore(out->x), o->from_days * DAY) ||
		!X509_gmtime_adj(X509_getm_notAfter(out->x), o->until_days * DAY))
		abort();
	name = X509_get_subject_name(out->x);
	if (!X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
		    (const unsigned char *)(o->names ? "server" : o->name), -1, -1, 0) ||
		!X509_set_issuer_name(
			out->x, o->issuer ? X509_get_subject_name(o->issuer->x) : name))
		abort();
	if (o->names)
		add(out->x, NID_subject_alt_name, o->names);
	else
		add(out->x, NID_basic_constraints, "critical,CA:TRUE");
	if (!X509_sign(out->x, o->issuer ? o->issuer->key : out->key, EVP_sha256()))
		abort();
}

void cert_done(struct cert *c)
{
	X509_free(c->x);
	EVP_PKEY_free(c->key);
}

void cert_write(const struct cert *c, const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f || !PEM_write_X509(f, c->x) || fclose(f) != 0)
		abort();
}
