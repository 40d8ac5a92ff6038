/* Flags in the forms that gcloud accepts: anywhere, "--flag=value" or "--flag value", shortened
 * if unique. One table is used for all commands: flags that are read, and known flags that do not
 * change the price. Sources: the reference of gcloud, "compute instances|disks|addresses|tpus
 * create"; the help of ctpu. */
#include "cli/paste/internal.h"

#include "base/str.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Flags with "=" have a value. Read: they change what is created, where, or its cost. */
static const char *const read_flags[] = {"project=", "zone=", "location=", "region=",
	"name=", "accelerator-type=", "type=", "topology=", "tpu-size=", "spot",
	"preemptible", "preemptible-vm", "reserved", "best-effort", "guaranteed",
	"provisioning-model=", "node-id=", "node-count=", "node-prefix=",
	"max-run-duration=", "termination-time=", "valid-until-duration=",
	"valid-until-time=", "valid-after-time=", "valid-after-duration=", "internal-ips",
	"machine-type=", "disk-size=", "disk-size-gb=", "tpu-only", "vm-only",
	"boot-disk-size=", "boot-disk-type=", "create-disk=", "disk=", "local-ssd=",
	"accelerator=", "custom-cpu=", "custom-memory=", "custom-vm-type=",
	"custom-extensions", "no-address", "address=", "addresses=", "network-interface=",
	"image=", "image-family=", "image-project=", "source-instance-template=",
	"source-machine-image=", "source-snapshot=", "source-disk=", "count=",
	"name-pattern=", "predefined-names=", "per-instance-disks=", "size=", "template=",
	"zones=", "workload-policy=", "tpu-topology=", "num-nodes=", "max-nodes=",
	"total-max-nodes=", "node-locations=", "disk-type=", "flex-start",
	"enable-private-nodes", "ephemeral-storage-local-ssd=", "local-nvme-ssd-block=",
	"local-ssd-count=", "replica-zones=", "global",
	"subnet=", "default-storage-class=", "provisioned-iops=", "provisioned-throughput=",
	"boot-disk-provisioned-iops=", "boot-disk-provisioned-throughput=", "data-disk="};
/* Known flags that do not change the price. */
static const char *const free_flags[] = {"account=", "access-token-file=",
	"billing-project=", "configuration=", "flags-file=", "flatten=", "format=",
	"impersonate-service-account=", "trace-token=", "verbosity=", "filter=",
	"description=", "network=", "subnetwork=", "version=", "range=", "service-account=",
	"scopes=", "labels=", "metadata=", "metadata-from-file=", "tags=",
	"runtime-version=", "tf-version=", "gce-image=", "gcp-network=", "network-tier=",
	"private-network-ip=", "maintenance-policy=", "min-cpu-platform=",
	"boot-disk-device-name=", "boot-disk-kms-key=", "hostname=", "resource-policies=",
	"reservation=", "reservation-affinity=", "instance-termination-action=",
	"container-image=", "container-command=", "container-arg=", "container-env=",
	"container-env-file=", "container-mount-host-path=", "container-mount-tmpfs=",
	"container-restart-policy=", "container-mount-disk=", "threads-per-core=",
	"visible-core-count=", "key-revocation-action-type=", "node=", "node-group=",
	"node-affinity-file=", "source-image=", "kms-key=", "kms-keyring=", "kms-location=",
	"kms-project=", "physical-block-size=", "guest-os-features=", "licenses=",
	"purpose=", "prefix-length=", "ip-version=", "public-ptr-domain=",
	"ipv6-network-tier=", "stack-type=", "log-level=", "min-count=", "location-policy=",
	"target-distribution-shape=", "source-instance-template-region=", "architecture=",
	"access-mode=", "csek-key-file=", "local-nvdimm=", "performance-monitoring-unit=",
	"shielded-instance=", "discard-local-ssds=", "host-error-timeout-seconds=",
	"maintenance-interval=", "availability-domain=", "workload-type=",
	"server-binding=", "tpu-name=", "require-permissions=", "resource-manager-tags=",
	"numa-node-count=", "turbo-mode=", "max-run-time=", "node-prefix-range=",
	"autocheckpoint-enabled=", "multihost-type=", "network-performance-configs=",
	"accelerator-network-profile=", "confidential-compute-type=", "igmp-query=",
	"public-access-prevention=", "retention-period=", "soft-delete-duration=",
	"endpoint-type=", "secure-tags=", "partner-metadata=", "metadata-from-files=",
	"instance-name-prefix=", "source-disk-zone=", "storage-pool=",
	"request-valid-for-duration=", "graceful-shutdown=", "source-instant-snapshot=",
	"multi-nic=", "additional-pod-network=", "base-instance-name=",
	"target-size-policy-mode=", "default-action-on-vm-failure=",
	"instance-redistribution-type=", "stateful-disk=", "health-check=",
	"initial-delay=", "cluster=", "node-labels=", "node-taints=", "node-version=",
	"image-type=", "max-pods-per-node=", "min-nodes=", "total-min-nodes=",
	"placement-type=", "placement-policy=", "workload-metadata=", "logging-variant=",
	"max-surge-upgrade=", "max-unavailable-upgrade=", "pod-ipv4-range=",
	"system-config-from-file=", "enable-autoscaling", "no-enable-autoscaling",
	"enable-autorepair", "no-enable-autorepair", "enable-autoupgrade",
	"no-enable-autoupgrade", "enable-gvnic", "enable-image-streaming",
	"enable-queued-provisioning", "no-enable-private-nodes", "quiet", "q", "async",
	"help", "log-http", "user-output-enabled", "dry-run", "noconf", "print-welcome",
	"forward-ports", "forward-agent", "use-dl-images", "use-with-notebook", "no-scopes",
	"no-service-account", "can-ip-forward", "deletion-protection",
	"enable-display-device", "no-boot-disk-auto-delete", "boot-disk-auto-delete",
	"restart-on-failure", "no-restart-on-failure", "shielded-secure-boot",
	"shielded-vtpm", "shielded-integrity-monitoring", "confidential-compute",
	"enable-nested-virtualization", "use-service-networking", "service-networking",
	"container-privileged", "container-stdin", "container-tty",
	"require-csek-key-create", "erase-windows-vss-signature", "no-public-dns",
	"public-dns", "public-ptr", "enable-secure-boot", "shielded-learn-integrity-policy",
	"force", "enable-external-ips", "no-enable-external-ips", "enable-autockpt",
	"autocheckpoint", "uniform-bucket-level-access", "enable-autoclass",
	"enable-hierarchical-namespace", "skip-guest-os-shutdown", "enable-uefi-networking",
	"no-shielded-secure-boot", "enable-confidential-compute", "no-user-output-enabled",
	"ipv6", "verbose", "v", "h", "no-async"};

struct known {
	const char *name;
	bool takes_value, is_read;
};

/* Finds a flag by its whole name, or by a unique abbreviation:
 *
 *	zone       zone, which has a value
 *	spo        spot, the only flag that begins so
 *	disk       disk itself, though disk-size begins so too
 *	boot-disk  none: size, type and others begin so
 *	sp         none: an abbreviation has at least three letters */
static bool flags_find_known(
	struct pasting *p, const char *given, size_t len, struct known *out)
{
	const char *best = NULL;
	char name[64];
	size_t found = 0;

	if (len >= sizeof(name))
		return false;
	/* "--accelerator_type": gcloud accepts both forms */
	for (size_t i = 0; i < len; i++)
		name[i] = given[i] == '_' ? '-' : given[i];
	for (size_t i = 0; i < ARRAY_LEN(read_flags) + ARRAY_LEN(free_flags); i++) {
		bool is_read = i < ARRAY_LEN(read_flags);
		const char *flag = is_read ? read_flags[i]
					   : free_flags[i - ARRAY_LEN(read_flags)];
		bool whole = strcspn(flag, "=") == len;

		if (strncmp(flag, name, len) != 0 || (!whole && len < 3))
			continue;
		best = flag;
		out->is_read = is_read;
		found = whole ? 1 : found + 1;
		if (whole)
			break;
	}
	if (found != 1)
		return false;
	out->name = arena_strndup(p->a, best, strcspn(best, "="));
	out->takes_value = str_ends(best, "=");
	return true;
}

static const char *nearest_read(struct pasting *p, const char *name)
{
	char names[ARRAY_LEN(read_flags)][64];
	const char *words[ARRAY_LEN(read_flags)];

	for (size_t i = 0; i < ARRAY_LEN(read_flags); i++) {
		snprintf(names[i], sizeof(names[i]), "%.*s",
			(int)strcspn(read_flags[i], "="), read_flags[i]);
		words[i] = names[i];
	}
	return arena_strdup(p->a, str_nearest(name, words, ARRAY_LEN(words)));
}

static bool looks_like_flag(const struct paste_word *w)
{
	return w->s[0] == '-' && isalpha((unsigned char)w->s[1 + (w->s[1] == '-')]);
}

/* Handles an unknown flag: a newer gcloud may know it. A flag that differs slightly from one that
 * is read is taken as misspelled. */
static void take_unknown(struct pasting *p, const char *plain)
{
	const char *near = nearest_read(p, plain);

	/* gcloud accepts abbreviations, and knows the flags of each command */
	for (size_t i = 0; i < ARRAY_LEN(read_flags); i++)
		if (str_starts(read_flags[i], plain)) {
			paste_refuse(p,
				arena_printf(p->a, "write the full name, such as --%.*s",
					(int)strcspn(read_flags[i], "="), read_flags[i]),
				"the pasted command: --%.60s is an abbreviation of a flag",
				plain);
			return;
		}
	if (near)
		paste_refuse(p, arena_printf(p->a, "did you mean --%s?", near),
			"the pasted command: unknown flag --%.60s", plain);
	paste_note(p, "--%.60s was ignored", plain);
}

/* Reads the flag at v[*i], with its value if that is the next word. */
static void take_flag(struct pasting *p, const struct paste_word *v, size_t n, size_t *i)
{
	const struct paste_word *w = &v[*i];
	const char *name = w->s + 1 + (w->s[1] == '-'), *eq = strchr(name, '=');
	size_t len = eq ? (size_t)(eq - name) : strlen(name);
	bool apart = !eq && *i + 1 < n && !looks_like_flag(&v[*i + 1]);
	struct paste_flag f = {0};
	struct known k;

	if (!eq && w->hole != HOLE_NONE)
		paste_no(p, w, w->s);
	if (flags_find_known(p, name, len, &k)) {
		if (eq && k.is_read && !k.takes_value && w->hole != HOLE_NONE)
			paste_no(p, w, arena_printf(p->a, "--%s", k.name));
		if (eq) {
			f.value = *w;
			f.value.s = eq + 1;
		} else if (k.takes_value && apart) {
			f.value = v[++*i];
		}
	} else if (len > 3 && !strncmp(name, "no-", 3) &&
		flags_find_known(p, name + 3, len - 3, &k)) {
		f.value.s = "false"; /* "--spot --no-spot": the last one applies */
	} else {
		take_unknown(p, arena_strndup(p->a, name, len));
		*i += apart;
		return;
	}
	f.name = k.name;
	*arena_push(p->a, &p->flags) = f;
}

void paste_args_read(struct pasting *p, const struct paste_word *v, size_t n)
{
	bool only_words = false;

	p->words = (struct paste_words){0};
	memset(&p->flags, 0, sizeof(p->flags));
	for (size_t i = 0; i < n; i++) {
		if (only_words || !looks_like_flag(&v[i])) {
			if (only_words || strcmp(v[i].s, "--") != 0)
				*arena_push(p->a, &p->words) = v[i];
			else
				only_words = true;
		} else {
			take_flag(p, v, n, &i);
		}
	}
}

/* ---- values -------------------------------------------------------------------------------- */

static const struct paste_flag *find_flag(const struct pasting *p, const char *flag)
{
	for (size_t i = p->flags.n; i > 0; i--)
		if (!strcmp(p->flags.v[i - 1].name, flag))
			return &p->flags.v[i - 1];
	return NULL;
}

bool paste_has(const struct pasting *p, const char *flag)
{
	return find_flag(p, flag) != NULL;
}

bool paste_on(const struct pasting *p, const char *flag)
{
	const struct paste_flag *f = find_flag(p, flag);

	return f &&
		!(f->value.s &&
			(str_ieq(f->value.s, "false") || str_eq(f->value.s, "0") ||
				str_ieq(f->value.s, "f")));
}

void paste_no(struct pasting *p, const struct paste_word *w, const char *what)
{
	if (w->hole == HOLE_UNSET)
		paste_refuse(p,
			"replace it by its value, or also paste the line that sets it",
			"the pasted command: %.80s: %.80s is not set", what, w->source);
	paste_refuse(p, "replace it by its value", "the pasted command: %.80s: %s%.80s%s",
		what, w->hole == HOLE_EXPANSION ? "only a shell can expand " : "",
		w->source,
		w->hole == HOLE_RUN ? " is the output of a command, which is not run"
			: w->hole == HOLE_PLACEHOLDER ? " is a placeholder"
			: w->hole == HOLE_MAYBE       ? " is set in code that may not run"
						      : "");
}

const char *paste_value(struct pasting *p, const char *flag)
{
	const struct paste_flag *f = find_flag(p, flag);

	if (!f)
		return NULL;
	if (f->value.s && f->value.hole != HOLE_NONE)
		paste_no(p, &f->value, arena_printf(p->a, "--%s", flag));
	else if (!f->value.s || !*f->value.s)
		paste_refuse(p, "check whether it is an unset variable",
			"the pasted command: --%s has no value", flag);
	else
		return f->value.s;
	return NULL;
}

const char *paste_value_or_note(struct pasting *p, const char *flag)
{
	const struct paste_flag *f = find_flag(p, flag);

	if (!f || !f->value.s)
		return NULL;
	if (f->value.hole == HOLE_NONE && *f->value.s)
		return f->value.s;
	paste_note(p, "--%s is unknown: %s", flag,
		f->value.hole != HOLE_NONE ? f->value.source : "it is empty");
	return NULL;
}

int64_t paste_count(struct pasting *p, const char *flag, int64_t other)
{
	const char *s = paste_value(p, flag);

	if (s && !str_to_i64(s, 1, PROPOSAL_MAX_COUNT, &other))
		paste_refuse(p, "",
			"the pasted command: --%s: '%.40s' is not valid (expected 1 to %d)",
			flag, s, PROPOSAL_MAX_COUNT);
	return other;
}

struct paste_pairs paste_pairs(struct pasting *p, const char *text)
{
	char *rest = arena_strdup(p->a, text);
	struct paste_pairs out = {0};

	while (rest && *rest) {
		char *value = strsep(&rest, ","), *key = strsep(&value, "=");

		*arena_push(p->a, &out) = (struct paste_pair){key, value};
	}
	return out;
}

const char *paste_pair(const struct paste_pairs *pairs, const char *key)
{
	for (size_t i = pairs->n; i > 0; i--)
		if (!strcmp(pairs->v[i - 1].key, key) && pairs->v[i - 1].value)
			return pairs->v[i - 1].value;
	return NULL;
}

/* Units of gcloud are multiples of 1024, whatever their names: its sizes are binary. */
bool paste_size(const char *text, char unit, int64_t *mib)
{
	static const struct {
		char letter;
		int64_t mib;
	} units[] = {
		{'M', 1}, {'G', 1024}, {'T', INT64_C(1) << 20}, {'P', INT64_C(1) << 30}};
	size_t n = strspn(text, "0123456789");
	char digits[8] = "";
	const char *tail = text + n;
	int64_t number;

	if (!n || n >= sizeof(digits))
		return false;
	memcpy(digits, text, n);
	if (!str_to_i64(digits, 0, 9999999, &number))
		return false;
	if (*tail)
		unit = (char)toupper((unsigned char)*tail++);
	if (*tail && !str_ieq(tail, "B") && !str_ieq(tail, "iB"))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (units[i].letter == unit) {
			*mib = number * units[i].mib;
			return true;
		}
	return false;
}

int64_t paste_gib(struct pasting *p, const char *what, const char *text)
{
	int64_t mib;

	if (paste_size(text, 'G', &mib) && mib)
		return (mib + 1023) / 1024;
	paste_refuse(p, "use a size such as 200GB or 2TB",
		"the pasted command: %s: '%.40s' is not a valid size", what, text);
	return 0;
}
