#include "tests/support/world/gcp_world.h"

#include "base/sbuf.h"
#include "tests/sandbox/sandbox.h"
#include "tests/support/tempdir.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *world_private_pem(void)
{
	return sandbox_key_pem;
}

const char *world_public_pem(void)
{
	static char pem[1024];
	BIO *in = BIO_new_mem_buf(sandbox_key_pem, -1), *out = BIO_new(BIO_s_mem());
	EVP_PKEY *key = in && out ? PEM_read_bio_PrivateKey(in, NULL, NULL, NULL) : NULL;

	if (!key || !PEM_write_bio_PUBKEY(out, key) ||
		BIO_read(out, pem, sizeof(pem) - 1) <= 0)
		abort();
	EVP_PKEY_free(key);
	BIO_free(in);
	BIO_free(out);
	return pem;
}

char *world_key_json(const char *token_uri)
{
	struct sbuf b = SBUF_INIT;

	sbuf_adds(&b,
		"{\"type\":\"service_account\",\"project_id\":\"my-project\","
		"\"private_key_id\":\"abc123\",\"client_email\":\"" WORLD_EMAIL
		"\",\"private_key\":");
	sbuf_add_json(&b, world_private_pem());
	sbuf_adds(&b, ",\"token_uri\":");
	sbuf_add_json(&b, token_uri);
	sbuf_addc(&b, '}');
	return sbuf_detach(&b);
}

const char *world_write(struct gcp_world *w, const char *name, const char *text)
{
	static char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", w->dir, name);
	f = fopen(path, "w");
	if (!f || chmod(path, 0600) != 0 || fputs(text, f) < 0 || fclose(f) != 0)
		abort();
	return path;
}

static void clean_environment(const struct gcp_world *w)
{
	static const char *const names[] = {"GOOGLE_APPLICATION_CREDENTIALS",
		"google_application_credentials", "GCE_METADATA_IP", "GCE_METADATA_HOST",
		"GOOGLE_CLOUD_QUOTA_PROJECT"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		unsetenv(names[i]);
	setenv("CLOUDSDK_CONFIG", w->dir, 1);
	setenv("HOME", w->dir, 1);
}

void world_open_bare(struct gcp_world *w, const struct fault_step *steps, size_t n)
{
	struct fault_step *all = xcalloc(n + 2, sizeof(*all));
	struct http_opts o = {.clock = &w->clock, .seed = 3};
	char *key = world_key_json("https://oauth2.googleapis.com/token");

	memset(w, 0, sizeof(*w));
	clock_fake_init(&w->clock, WORLD_NOW);
	tempdir_create(w->dir, sizeof(w->dir));
	clean_environment(w);
	snprintf(w->key_file, sizeof(w->key_file), "%s", world_write(w, "key.json", key));
	free(key);
	if (n)
		memcpy(all, steps, n * sizeof(*all));
	all[n] = (struct fault_step){.match = "POST /token ", .body = WORLD_TOKEN};
	all[n + 1] = (struct fault_step){.match = "GET /computeMetadata/",
		.headers = "Metadata-Flavor: Google\r\n",
		.body = WORLD_TOKEN};
	w->s = fault_start(all, n + 2);
	free(all);
	if (http_new(&o, &w->http, &w->e) != E_OK)
		abort();
}

void world_open(struct gcp_world *w, const struct fault_step *steps, size_t n)
{
	struct gcp_opts o = {0};

	world_open_bare(w, steps, n);
	o.endpoint_all = fault_base(w->s);
	o.credentials = w->key_file;
	o.http = w->http;
	o.clock = &w->clock;
	if (gcp_new(&o, &w->g, &w->e) != E_OK) {
		fprintf(stderr, "%s\n", w->e.msg);
		abort();
	}
}

void world_close(struct gcp_world *w)
{
	gcp_free(w->g);
	http_free(w->http);
	fault_stop(w->s);
	arena_done(&w->a);
	tempdir_delete(w->dir);
}

int64_t world_waited(const struct gcp_world *w)
{
	return w->clock.fake_now - WORLD_NOW;
}
