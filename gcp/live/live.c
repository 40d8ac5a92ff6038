#include "gcp/live/live.h"

#include "base/str.h"
#include "gcp/call.h"
#include "gcp/decode.h"

#include <string.h>

#define MAX_ANSWER (4u << 20)

static const struct {
	const char *what, *group;
	enum err_code (*read)(struct gcp *g, const struct gcp_thing *t,
		const struct cJSON *j, struct arena *a, struct gcp_live *out,
		struct err *e);
} kinds[] = {
	[GCP_VM] = {"get Compute Engine instance", "instances", live_read_vm},
	[GCP_NODE] = {"get TPU node", "tpus tpu-vm", live_read_node},
	[GCP_QUEUED] = {"get queued resource", "tpus queued-resources", live_read_queued},
	[GCP_GROUP] = {"get managed instance group", "instance-groups managed",
		live_read_group},
	[GCP_POOL] = {"get node pool", NULL, live_read_pool},
};

const char *live_labels(const struct cJSON *j, struct arena *a)
{
	struct err e = {0};
	struct dec d = dec_begin(j, a, &e);
	const char *labels = dec_labels(&d, "labels");

	return d.code ? NULL : labels;
}

void live_add_option(struct sbuf *b, const char *name, const char *value)
{
	if (!*value)
		return;
	sbuf_addf(b, " --%s=", name);
	sbuf_add_shell(b, value);
}

const char *live_command(const struct gcp_thing *t, const char *verb, struct arena *a)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_addf(&b, "gcloud compute %s %s ", kinds[t->kind].group, verb);
	sbuf_add_shell(&b, t->name);
	live_add_option(&b, "project", t->project);
	live_add_option(&b, t->regional ? "region" : "zone",
		gcp_thing_place(t, (char[GCP_PLACE_BUF]){0}));
	return arena_strdup(a, b.s);
}

/* ---- record ------------------------------------------------------------------------------------ */

/* Metadata often contains passwords and keys, and scripts with both. */
static const char *const secret_keys[] = {"value", "rawKey", "rsaEncryptedKey",
	"startup-script", "shutdown-script", "ssh-keys", "sshKeys"};

/* Replaces texts: all texts of a map of metadata, otherwise those of keys that hold secrets.
 * Collects the keys first: setting a member removes it from the list. */
static void cut_secrets(struct cJSON *j, bool all, struct arena *a)
{
	size_t n = 0, most = json_len(j);
	const char **keys = arena_alloc(a, (most + 1) * sizeof(*keys));

	JSON_EACH (m, j) {
		const char *key = json_key(m);

		if (json_is_object(m) || json_is_array(m))
			cut_secrets(m, str_eq(key, "metadata"), a);
		else if (json_is_object(j) && json_is_string(m) &&
			(all || str_in(key, secret_keys, ARRAY_LEN(secret_keys))))
			keys[n++] = arena_strdup(a, key);
	}
	for (size_t i = 0; i < n; i++)
		json_set_text(j, keys[i], "(left out)");
}

/* A text that is too long for a record is cut. */
static void short_record(const struct cJSON *j, struct sbuf *out)
{
	static const char *const keys[] = {"id", "name", "machineType", "acceleratorType",
		"status", "creationTimestamp", "createTime"};
	struct jw w = {.b = out};

	sbuf_reset(out);
	jw_begin(&w, '{');
	jw_key(&w, "cut");
	jw_bool(&w, true);
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const char *text = json_text(json_get(j, keys[i]), NULL);

		if (text && strlen(text) < 1000)
			jw_kstr(&w, keys[i], text);
	}
	jw_end(&w, '}');
}

/* The record of a response. Changes the response. */
static const char *live_record(struct cJSON *j, struct arena *a)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_MAX(GCP_MAX_RECORD);

	cut_secrets(j, false, a);
	json_print(&b, j);
	if (b.full)
		short_record(j, &b);
	return arena_strdup(a, b.s);
}

/* ---- live check -------------------------------------------------------------------------------- */

/* Google names the missing resource: "projects/P/zones/Z/instances/NAME", in quotes, but a node pool
 * with a full stop. */
static bool names_it(const struct gcp_call *c, const struct gcp_thing *t, struct arena *a)
{
	const char *end = t->kind == GCP_POOL ? arena_printf(a, "/nodePools/%s.", t->name)
					      : arena_printf(a, "/%s'", t->name);

	return c->reason[0] && strstr(c->err.msg, end);
}

enum err_code gcp_live_get(struct gcp *g, const struct gcp_thing *t, struct arena *a,
	struct gcp_live *out, struct err *e)
{
	struct gcp_live own = {.created = TS_NONE, .started = TS_NONE};
	struct err mine = {0};
	struct gcp_call c;
	enum err_code rc;

	e = e ? e : &mine;
	if (gcp_thing_check(t, e))
		return e->code;
	gcp_call_init(&c, g, gcp_thing_api(t), t->project, kinds[t->kind].what);
	gcp_thing_url(g, t, &c.url);
	c.max_body = MAX_ANSWER;
	rc = gcp_call_do(&c, e);
	if (rc == E_NOTFOUND && names_it(&c, t, a)) {
		err_clear(e);
		rc = E_OK;
	} else if (rc == E_NOTFOUND) {
		rc = e->code = E_HTTP;
	} else if (rc == E_OK) {
		own.found = true; /* a group without machines resets it */
		rc = kinds[t->kind].read(g, t, c.json, a, &own, e);
		if (rc != E_OK)
			err_wrap(e, "%s", c.what);
		else
			own.record = live_record(c.json, a);
	}
	gcp_call_free(&c);
	if (rc == E_OK)
		*out = own;
	return rc;
}
