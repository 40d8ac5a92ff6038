/* Certificates made for a test: an authority, and what it or nobody signed. */
#ifndef TPUCOST_TESTS_SUPPORT_CERTS_H
#define TPUCOST_TESTS_SUPPORT_CERTS_H

#include <openssl/x509.h>

struct cert {
	X509 *x;
	EVP_PKEY *key;
};

struct cert_opts {
	const struct cert *issuer; /* NULL: signs itself */
	const char *name;          /* of an authority; the subject */
	const char *names;         /* "IP:127.0.0.1,DNS:localhost"; NULL: an authority */
	int from_days, until_days; /* from now on */
};

void cert_make(const struct cert_opts *o, struct cert *out); /* aborts when it cannot */
void cert_done(struct cert *c);
/* The certificate without its key, as a file for http_opts.ca_file. */
void cert_write(const struct cert *c, const char *path);

#endif
