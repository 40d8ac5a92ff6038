#include "rules/grant/tpu.h"

#include "base/sbuf.h"
#include "base/str.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MAX_NUMBER 1000000

struct family {
	const char *name, *alias;
	const char *quota;      /* in names of quotas; NULL: its name */
	int64_t cores_per_chip; /* as counted by the number in its type names */
	bool has_devices;       /* a single host is a device, several hosts are a pod */
	bool small_slices;      /* 1 and 8 chips on a single host are possible too */
};

/* Cloud TPU documentation, the pages of each version. Hosts have 4 chips, apart from
 * the single-host slices of 1 and 8 chips of v5litepod and v6e. */
static const struct family families[] = {
	{"v2", NULL, NULL, 2, true, false},
	{"v3", NULL, NULL, 2, true, false},
	{"v4", NULL, NULL, 2, false, false},
	{"v5litepod", "v5e", "v5s", 1, false, true},
	{"v5p", NULL, NULL, 2, false, false},
	{"v6e", NULL, NULL, 1, false, true},
};

#define HOST_CHIPS 4

/* Compute Engine machine types with TPU chips are named PREFIXNt, N chips on one host.
 */
static const struct host_type {
	const char *prefix, *family;
	bool pod; /* a host of a pod slice, where relevant */
} host_types[] = {
	{"ct3-hightpu-", "v3", false},
	{"ct3p-hightpu-", "v3", true},
	{"ct4p-hightpu-", "v4", false},
	{"ct5l-hightpu-", "v5litepod", false},
	{"ct5lp-hightpu-", "v5litepod", false},
	{"ct5p-hightpu-", "v5p", false},
	{"ct6e-standard-", "v6e", false},
};

static const struct family *family_find(const char *word)
{
	for (size_t i = 0; i < ARRAY_LEN(families); i++)
		if (str_ieq(word, families[i].name) ||
			(families[i].alias && str_ieq(word, families[i].alias)))
			return &families[i];
	return NULL;
}

const char *tpu_family_canonical(const char *word)
{
	const struct family *f = word ? family_find(word) : NULL;

	return f ? f->name : NULL;
}

int64_t tpu_cores_per_chip(const char *family)
{
	const struct family *f = family ? family_find(family) : NULL;

	return f ? f->cores_per_chip : 1;
}

static const struct host_type *host_type_find(const char *type)
{
	for (size_t i = 0; i < ARRAY_LEN(host_types); i++)
		if (str_starts(type, host_types[i].prefix))
			return &host_types[i];
	return NULL;
}

/* Do slices of that many chips exist? */
static bool slice_exists(const struct family *f, int64_t chips)
{
	if (f->small_slices && (chips == 1 || chips == 8))
		return true;
	return chips % HOST_CHIPS == 0;
}

static void tpu_fill(const struct family *f, int64_t chips, struct tpu_type *out)
{
	bool one_host = chips <= HOST_CHIPS || (f->small_slices && chips == 8);

	out->family = f->name;
	out->chips = chips;
	out->cores = chips * f->cores_per_chip;
	out->hosts = one_host ? 1 : chips / HOST_CHIPS;
	out->device = f->has_devices && one_host;
}

static bool host_type_parse(const char *type, struct tpu_type *out)
{
	const struct host_type *h = host_type_find(type);
	const char *rest = h ? type + strlen(h->prefix) : "";
	int64_t chips;

	if (strlen(rest) != 2 || rest[1] != 't' || !strchr("148", rest[0]))
		return false;
	chips = rest[0] - '0';
	if (!slice_exists(family_find(h->family), chips))
		return false;
	tpu_fill(family_find(h->family), chips, out);
	out->device = out->device && !h->pod;
	snprintf(out->name, sizeof(out->name), "%s", type);
	return true;
}

static void tpu_lower(const char *s, size_t len, char *out)
{
	for (size_t i = 0; i < len; i++)
		out[i] = (char)tolower((unsigned char)s[i]);
	out[len] = '\0';
}

bool tpu_type_parse(const char *type, struct tpu_type *out)
{
	char text[TPU_NAME_BUF], *dash;
	const struct family *f;
	struct tpu_type t = {0};
	int64_t number;

	if (!type || !strchr(type, '-') || strlen(type) >= sizeof(text))
		return false; /* most words are not */
	tpu_lower(type, strlen(type), text);
	if (host_type_parse(text, &t)) {
		*out = t;
		return true;
	}
	dash = strchr(text, '-');
	if (!str_to_i64(dash + 1, 1, MAX_NUMBER, &number))
		return false;
	*dash = '\0';
	f = family_find(text);
	if (!f || number % f->cores_per_chip != 0 ||
		!slice_exists(f, number / f->cores_per_chip))
		return false;
	tpu_fill(f, number / f->cores_per_chip, &t);
	snprintf(t.name, sizeof(t.name), "%s-%d", f->name, (int)number);
	*out = t;
	return true;
}

const char *tpu_family_of_type(const char *type)
{
	char word[TPU_NAME_BUF];
	const struct host_type *h = type ? host_type_find(type) : NULL;
	size_t len = type ? strcspn(type, "-") : 0;

	if (h)
		return h->family;
	if (!type || len >= sizeof(word))
		return NULL;
	tpu_lower(type, len, word);
	return tpu_family_canonical(word);
}

/* Machine types of TPU hosts are named like ct6e-standard-4t and tpu7x-standard-4t. */
static bool is_host_type(const char *type)
{
	size_t n = strlen(type), digits = 0;

	if (!str_starts(type, "ct") && !str_starts(type, "tpu"))
		return false;
	while (n > digits + 1 && isdigit((unsigned char)type[n - 2 - digits]))
		digits++;
	return digits && type[n - 1] == 't' && type[n - 2 - digits] == '-';
}

bool tpu_family_unknown(const char *type, bool tpu)
{
	return type && (tpu || is_host_type(type)) && !tpu_family_of_type(type);
}

char *tpu_slice_name(const char *family, int64_t chips, char buf[TPU_NAME_BUF])
{
	snprintf(buf, TPU_NAME_BUF, "%.12s-%d", family,
		(int)(chips * tpu_cores_per_chip(family)));
	return buf;
}

const char *tpu_type_nearest(const char *type, char buf[TPU_NAME_BUF])
{
	enum { SIZES = 12 };
	char names[ARRAY_LEN(families) * SIZES][TPU_NAME_BUF];
	const char *valid[ARRAY_LEN(families) * SIZES], *near;
	struct tpu_type t;
	size_t n = 0;

	for (size_t f = 0; f < ARRAY_LEN(families); f++)
		for (int i = 0; i < SIZES; i++) {
			snprintf(names[n], sizeof(names[n]), "%s-%d", families[f].name,
				1 << i);
			if (!tpu_type_parse(names[n], &t))
				continue;
			valid[n] = names[n];
			n++;
		}
	near = str_nearest(type, valid, n);
	if (!near)
		return NULL;
	snprintf(buf, TPU_NAME_BUF, "%s", near);
	return buf;
}

/* Names of Cloud Quotas ("TPUV5sPreemptibleLitepodPerProjectPerZoneForTPUAPI") and metrics of
 * Service Usage ("tpu.googleapis.com/tpu-v5s-litepod-preemptible"), in lower case. Serving has
 * separate quotas. */
bool tpu_quota_read(const char *name, struct arena *a, struct tpu_quota *out)
{
	char *lower = arena_strdup(a, name), *at;

	tpu_lower(name, strlen(name), lower);
	at = strstr(lower, "tpuv");
	at = at ? at + 3 : strstr(lower, "tpu-v");
	if (!at || strstr(lower, "serving"))
		return false;
	at += *at == 'v' ? 0 : 4;
	for (size_t i = 0; i < ARRAY_LEN(families); i++) {
		const struct family *f = &families[i];

		if (!str_starts(at, f->quota ? f->quota : f->name))
			continue;
		*out = (struct tpu_quota){
			.family = f->name, .spot = strstr(lower, "preemptible") != NULL};
		return true;
	}
	return false;
}

bool tpu_quota_covers(const char *location, const char *zone)
{
	size_t n = strlen(location);

	return !strncmp(zone, location, n) && (!zone[n] || (zone[n] == '-' && zone[n + 1]));
}

/* ---- commands ----------------------------------------------------------------------------------- */

static void command_add_place(struct sbuf *b, const struct tpu_target *t)
{
	sbuf_adds(b, " --zone=");
	sbuf_add_shell(b, t->zone);
	sbuf_adds(b, " --project=");
	sbuf_add_shell(b, t->project);
}

static bool command_is_machine(const struct tpu_target *t)
{
	return !strcmp(t->source, "vm");
}

/* The TPUs of a queued resource are deleted with it, and only with it. */
const char *tpu_delete_command(const struct tpu_target *t, struct arena *a)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	bool queued = !command_is_machine(t) && (!strcmp(t->source, "queued") || t->queued);

	sbuf_adds(&b,
		command_is_machine(t) ? "gcloud compute instances delete "
			: queued      ? "gcloud compute tpus queued-resources delete "
				      : "gcloud compute tpus tpu-vm delete ");
	sbuf_add_shell(&b, queued && t->queued ? t->queued : t->name);
	command_add_place(&b, t);
	sbuf_adds(&b, queued ? " --force" : "");
	return arena_strdup(a, b.s);
}

const char *tpu_copy_command(const struct tpu_target *t, struct arena *a)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_adds(&b,
		command_is_machine(t)
			? "gcloud compute scp --recurse "
			: "gcloud compute tpus tpu-vm scp --recurse --worker=all ");
	sbuf_add_shell(&b, arena_printf(a, "%s:~/OUTPUT", t->name));
	sbuf_addc(&b, ' ');
	sbuf_add_shell(&b, arena_printf(a, "./%s/", t->name));
	command_add_place(&b, t);
	return arena_strdup(a, b.s);
}

const char *tpu_storage_command(
	const struct tpu_target *t, const char *bucket, struct arena *a)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_adds(&b,
		command_is_machine(t) ? "gcloud compute ssh "
				      : "gcloud compute tpus tpu-vm ssh ");
	sbuf_add_shell(&b, t->name);
	command_add_place(&b, t);
	sbuf_adds(&b, command_is_machine(t) ? " --command=" : " --worker=all --command=");
	sbuf_add_shell(&b,
		arena_printf(a, "gcloud storage cp -r ~/OUTPUT gs://%s/%s/$(hostname)/",
			bucket ? bucket : "BUCKET", t->name));
	return arena_strdup(a, b.s);
}
