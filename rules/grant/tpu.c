#include "rules/grant/tpu.h"

#include "base/sbuf.h"
#include "base/str.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MAX_NUMBER 1000000

static const struct family {
	const char *name, *aliases;
	int64_t cores_per_chip; /* as counted by the number in its type names */
	const char
		*one_host; /* chips of slices on a single host; others have hosts with 4 */
	bool has_devices;  /* those on a single host are devices, the others pods */
	const char *machines; /* see tpu_families.csv */
	const char *quota;
	const char *api;
} families[] = {
#define F(...) {__VA_ARGS__},
	TPU_FAMILIES(F)
#undef F
};

#define HOST_CHIPS 4

static const struct family *family_find(const char *word)
{
	for (size_t i = 0; i < ARRAY_LEN(families); i++)
		if (!strcmp(word, families[i].name) ||
			str_in_list(word, families[i].aliases))
			return &families[i];
	return NULL;
}

static bool tpu_lower(const char *s, size_t len, char out[TPU_NAME_BUF])
{
	if (len >= TPU_NAME_BUF)
		return false;
	for (size_t i = 0; i < len; i++)
		out[i] = (char)tolower((unsigned char)s[i]);
	out[len] = '\0';
	return true;
}

const char *tpu_family_canonical(const char *word)
{
	char lower[TPU_NAME_BUF];
	const struct family *f = word && tpu_lower(word, strlen(word), lower)
		? family_find(lower)
		: NULL;

	return f ? f->name : NULL;
}

int64_t tpu_cores_per_chip(const char *family)
{
	const struct family *f = family ? family_find(family) : NULL;

	return f ? f->cores_per_chip : 1;
}

/* Is that a number of chips on a single host of the family? */
static bool fits_host(const struct family *f, int64_t chips)
{
	char number[8];

	snprintf(number, sizeof(number), "%d", (int)chips);
	return str_in_list(number, f->one_host);
}

static void tpu_fill(const struct family *f, int64_t chips, struct tpu_type *out)
{
	out->family = f->name;
	out->chips = chips;
	out->cores = chips * f->cores_per_chip;
	out->hosts = fits_host(f, chips) ? 1 : chips / HOST_CHIPS;
	out->device = f->has_devices && out->hosts == 1;
}

/* ---- machine types of TPU hosts ----------------------------------------------------------------- */

int64_t tpu_host_chips(const char *type)
{
	static const char lower[] = "abcdefghijklmnopqrstuvwxyz", digits[] = "0123456789";
	const char *s = type +
		(str_starts(type, "ct")                   ? 2
				: str_starts(type, "tpu") ? 3
							  : 0);
	size_t n = strspn(s, digits);
	int64_t chips = 0;

	if (s == type || !n)
		return 0;
	s += n;
	s += strspn(s, lower);
	n = *s == '-' ? strcspn(s + 1, "-") : 0;
	if (!n || s[n + 1] != '-')
		return 0;
	for (s += n + 2; isdigit((unsigned char)*s) && chips < MAX_NUMBER; s++)
		chips = chips * 10 + (*s - '0');
	return !strcmp(s, "t") || !strcmp(s, "t-tpu") ? chips : 0;
}

/* The family with that machine type, also one of a size that does not exist. */
static const struct family *host_family(const char *type, bool *pod)
{
	for (size_t i = 0; i < ARRAY_LEN(families); i++) {
		const char *m = families[i].machines;

		for (size_t n; *m; m += n + (m[n] == ' ')) {
			size_t len;

			n = strcspn(m, " ");
			len = strcspn(m, " /");
			*pod = len < n;
			if (!strncmp(type, m, len) && type[len] == '-')
				return &families[i];
		}
	}
	return NULL;
}

/* A machine type of a known family has the chips of its name, if a host can have them. */
static bool host_type_parse(const char *type, struct tpu_type *out)
{
	bool pod;
	const struct family *f = host_family(type, &pod);
	int64_t chips = f ? tpu_host_chips(type) : 0;

	if (!chips || !fits_host(f, chips))
		return false;
	tpu_fill(f, chips, out);
	out->device = out->device && !pod;
	snprintf(out->name, sizeof(out->name), "%s", type);
	return true;
}

/* ---- accelerator types --------------------------------------------------------------------------- */

bool tpu_type_parse(const char *type, struct tpu_type *out)
{
	char text[TPU_NAME_BUF], *dash;
	const struct family *f;
	struct tpu_type t = {0};
	int64_t number;

	if (!type || !strchr(type, '-') || !tpu_lower(type, strlen(type), text))
		return false; /* most words are not */
	if (host_type_parse(text, &t)) {
		*out = t;
		return true;
	}
	dash = strchr(text, '-');
	if (!str_to_i64(dash + 1, 1, MAX_NUMBER, &number))
		return false;
	*dash = '\0';
	f = family_find(text);
	if (!f || number % f->cores_per_chip != 0)
		return false;
	number /= f->cores_per_chip;
	if (number % HOST_CHIPS != 0 && !fits_host(f, number))
		return false;
	tpu_fill(f, number, &t);
	tpu_slice_name(f->name, number, t.name);
	*out = t;
	return true;
}

const char *tpu_family_of_type(const char *type)
{
	char word[TPU_NAME_BUF];
	const struct family *f;
	bool pod;

	if (!type || !tpu_lower(type, strcspn(type, "-"), word))
		return NULL;
	f = family_find(word);
	if (!f || tpu_host_chips(type))
		f = host_family(type, &pod);
	return f ? f->name : NULL;
}

bool tpu_family_unknown(const char *type, const char *kind)
{
	bool tpu = str_eq(kind, "tpu") || str_eq(kind, "queued");

	return type && (tpu || tpu_host_chips(type)) && !tpu_family_of_type(type);
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

	for (char *p = lower; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	at = strstr(lower, "tpuv");
	at = at ? at + 3 : strstr(lower, "tpu-v");
	if (!at || strstr(lower, "serving"))
		return false;
	at += *at == 'v' ? 0 : 4;
	for (size_t i = 0; i < ARRAY_LEN(families); i++) {
		const struct family *f = &families[i];

		if (!*f->quota || !str_starts(at, f->quota))
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
