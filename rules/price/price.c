#include "rules/price/price.h"

#include "base/time/civil.h"
#include "base/str.h"
#include "rules/price/place.h"
#include "rules/price/machine.h"
#include "rules/grant/tpu.h"

#include <stdio.h>
#include <string.h>

#define MONTH_HOURS 730 /* in a month of Google's prices */
#define LIST_DAYS 31    /* after which the age of a built-in list is said */

const struct price price_unknown = {.source = PRICE_UNKNOWN};
const struct price price_free = {.known = true, .cur = "USD", .source = PRICE_BUILTIN};

static const char *const class_names[] = {[PRICE_ON_DEMAND] = "on-demand",
	[PRICE_SPOT] = "spot",
	[PRICE_FLEX] = "flex-start",
	[PRICE_RESERVED] = "reserved",
	[PRICE_UNSTATED] = "unknown"};

const char *price_class_name(enum price_class c)
{
	return class_names[c];
}

enum price_class price_class_of(const char *provisioning)
{
	for (int c = PRICE_ON_DEMAND; provisioning && c < PRICE_CLASSES; c++)
		if (!strcmp(provisioning, class_names[c]))
			return c;
	return provisioning ? PRICE_UNSTATED : PRICE_ON_DEMAND;
}

bool price_class_preemptible(const char *provisioning)
{
	enum price_class c = price_class_of(provisioning);

	return c == PRICE_SPOT || c == PRICE_FLEX;
}

bool price_eq(const struct price *a, const struct price *b)
{
	return a->nanos == b->nanos && a->known == b->known && a->source == b->source &&
		a->as_of == b->as_of && !strcmp(a->cur, b->cur);
}

const char *price_source_name(enum price_source s)
{
	static const char *const names[] = {
		[PRICE_CONFIG] = "config",
		[PRICE_BILLED] = "billed",
		[PRICE_CATALOG] = "catalog",
		[PRICE_BUILTIN] = "builtin",
		[PRICE_UNKNOWN] = "unknown",
	};

	return (size_t)s < ARRAY_LEN(names) ? names[s] : "unknown";
}

void price_book_init(
	struct price_book *b, const struct price_override *overrides, size_t n_overrides)
{
	memset(b, 0, sizeof(*b));
	b->overrides = overrides;
	b->n_overrides = n_overrides;
	price_book_add(b,
		&(struct price_list){.source = PRICE_BUILTIN, .find = price_builtin_find});
}

void price_book_add(struct price_book *b, const struct price_list *list)
{
	size_t i = 0;

	while (i < b->n_lists && b->lists[i].source < list->source)
		i++;
	if (i == b->n_lists || b->lists[i].source != list->source) {
		memmove(&b->lists[i + 1], &b->lists[i],
			(b->n_lists - i) * sizeof(b->lists[0]));
		b->n_lists++;
	}
	b->lists[i] = *list;
}

const struct price_rate *price_rate_of(const struct price_rates *r, const char *cur)
{
	for (size_t i = 0; r && i < r->n; i++)
		if (!strcmp(r->v[i].cur, cur))
			return &r->v[i];
	return NULL;
}

const char *price_term_cur(const struct price_term *t)
{
	return t->to ? t->to->cur : t->unit.cur;
}

/* Greatest common divisor. */
static __int128 divisor_of(__int128 a, __int128 b)
{
	while (b) {
		__int128 rest = a % b;

		a = b;
		b = rest;
	}
	return a < 0 ? -a : a;
}

/* Set the rates of a term if its price is to be converted, and can be. */
static void price_set_rates(const struct price_book *b, struct price_term *t)
{
	const struct price_rate *from = price_rate_of(b->rates, t->unit.cur), *to;

	if (!from || !b->currency || !strcmp(t->unit.cur, b->currency))
		return;
	to = price_rate_of(b->rates, b->currency);
	t->from = to ? from : NULL;
	t->to = to;
}

/* sum / den, converted if the term has rates. Rounded once: 96 x 0.031611 USD at 7.77305 HKD per USD are
 * 23.588532823 HKD, while 96 times the rounded 0.245713884 HKD would be 23.588532864. */
static bool price_round(
	const struct price_term *t, __int128 sum, __int128 den, int64_t *nanos)
{
	__int128 common;

	if (t->to) {
		common = divisor_of(t->to->per_usd, t->from->per_usd);
		if (__builtin_mul_overflow(sum, t->to->per_usd / common, &sum) ||
			__builtin_mul_overflow(den, t->from->per_usd / common, &den))
			return false;
	}
	return i128_div_round(sum, den, nanos);
}

const char *price_list_date(const struct price *p)
{
	return p->known && p->source == PRICE_BUILTIN ? p->as_of : NULL;
}

const char *price_date_words(const char *date, ts_t now, struct arena *a)
{
	day_t day, today = (day_t)(now / DAY_SECONDS);

	if (date_parse(date, &day, NULL) || today - day <= LIST_DAYS)
		return arena_strdup(a, date);
	return arena_printf(a, "%s (%d days old)", date, (int)(today - day));
}

/* Of two dates of one source. */
static const char *price_older(const char *a, const char *b)
{
	return !a || (b && strcmp(b, a) < 0) ? b : a;
}

static struct price price_of(
	enum price_source source, int64_t nanos, const char *cur, const char *as_of)
{
	struct price p = {.known = true, .nanos = nanos, .source = source, .as_of = as_of};

	snprintf(p.cur, sizeof(p.cur), "%s", cur);
	return p;
}

/* Report one term to the trace, if there is one. */
static void price_tell(const struct price_book *b, struct price_term *t)
{
	__int128 sum = (__int128)t->unit.nanos * t->quantity * t->percent;
	__int128 den = (__int128)t->quantity_per * 100 * t->unit.per * t->den;

	if (b->trace && price_round(t, sum, den, &t->amount))
		b->trace->term(b->trace->ctx, t);
}

/* The price of a single term, whose unit price is set. */
static struct price price_alone(const struct price_book *b, struct price_term *t)
{
	int64_t nanos;

	price_set_rates(b, t);
	if (!price_round(t, (__int128)t->unit.nanos * t->quantity,
		    (__int128)t->quantity_per * t->unit.per * t->den, &nanos))
		return price_unknown;
	price_tell(b, t);
	return price_of(t->source, nanos, price_term_cur(t), t->unit.as_of);
}

struct price price_item(
	const struct price_book *b, const struct price_key *key, int64_t num, int64_t den)
{
	for (size_t i = 0; i < b->n_lists; i++) {
		const struct price_list *list = &b->lists[i];
		struct price_term t = {.source = list->source,
			.item = key->item,
			.name = key->name,
			.place = key->place,
			.quantity = num,
			.quantity_per = 1,
			.percent = 100,
			.den = den};

		if (list->find(list->ctx, key, &t.unit))
			return price_alone(b, &t);
	}
	return price_unknown;
}

/* ---- TPUs -------------------------------------------------------------------------------------- */

/* An override for exactly this class takes precedence over one for both. */
static const struct price_override *override_find(const struct price_book *b,
	const char *family, const char *zone, enum price_class class)
{
	const struct price_override *both = NULL;

	for (size_t i = 0; i < b->n_overrides; i++) {
		const struct price_override *o = &b->overrides[i];

		if (!str_eq(o->family, family) || !str_eq(o->zone, zone))
			continue;
		if (str_eq(o->provisioning, price_class_name(class)))
			return o;
		if (!o->provisioning && !both)
			both = o;
	}
	return both;
}

static struct price price_by_override(
	const struct price_book *b, const struct price_override *o, int64_t chips)
{
	struct price_term t = {.source = PRICE_CONFIG,
		.item = PRICE_TPU,
		.name = o->family,
		.place = o->zone,
		.quantity = chips,
		.quantity_per = 1,
		.percent = 100,
		.unit = {.nanos = o->per_chip_hour.nanos, .per = 1},
		.den = 1};

	memcpy(t.unit.cur, o->per_chip_hour.cur, sizeof(t.unit.cur));
	return price_alone(b, &t);
}

struct price price_tpu(const struct price_book *b, const char *type, const char *zone,
	enum price_class class)
{
	const struct price_override *o;
	char region[REGION_BUF];
	struct price_key key = {.place = region, .class = class};
	struct tpu_type t;

	if (!zone || !zone_to_region(zone, region) || !tpu_type_parse(type, &t))
		return price_unknown;
	o = override_find(b, t.family, zone, class);
	if (o)
		return price_by_override(b, o, t.chips);
	key.item = t.device ? PRICE_TPU_DEVICE : PRICE_TPU;
	key.name = t.family;
	return price_item(b, &key, t.chips, 1);
}

/* ---- VMs ------------------------------------------------------------------------------------ */

/* Prices of a family's custom types: separate SKUs, or, where a price list has none, those of the
 * family with a surcharge (Compute Engine: "Pricing for custom machine types"). */
static const struct custom_price {
	const char *family;
	const char *own;
	int64_t percent; /* of the family's price; 0: there is no such rule */
} custom_prices[] = {
	{"n1", "n1-custom", 0},
	{"n2", "n2-custom", 105},
	{"n2d", "n2d-custom", 105},
	{"e2", NULL, 100},
};

/* Names that a VM needs from the price list. */
struct vm_need {
	const struct vm_spec *vm;
	struct machine m;
	char machine_name[64]; /* name of a whole machine */
	const char *own;       /* name of cores of its custom types, or NULL */
	const char *family;    /* name of cores */
	int64_t percent;       /* of those; 0: not priced by them */
};

static bool need_custom(struct vm_need *need)
{
	for (size_t i = 0; i < ARRAY_LEN(custom_prices); i++) {
		const struct custom_price *c = &custom_prices[i];

		if (!str_eq(c->family, need->m.family))
			continue;
		need->own = c->own;
		need->percent = c->percent;
		return true;
	}
	return false;
}

/* A type newer than the table: priced by the API's description. */
static bool need_described(const struct vm_spec *vm, struct machine *m)
{
	if (vm->vcpus.v < 1 || vm->memory_mib.v < 1 || vm->vcpus.v > 100000 ||
		vm->memory_mib.v > INT64_C(1000000000) ||
		strstr(vm->machine_type, "custom") ||
		!machine_family(vm->machine_type, m->family))
		return false;
	m->vcpus = vm->vcpus.v;
	m->memory_mib = vm->memory_mib.v;
	m->billed_vcpus = m->vcpus * NANOS;
	m->billed_mib = m->memory_mib * NANOS;
	return true;
}

static bool need_of(const struct vm_spec *vm, struct vm_need *need)
{
	const char *type = vm->machine_type;
	bool old_name;

	*need = (struct vm_need){.vm = vm, .percent = 100};
	if (!type || !vm->region || strlen(type) >= sizeof(need->machine_name))
		return false;
	if (!machine_parse(type, &need->m) && !need_described(vm, &need->m))
		return false;
	/* n1-megamem-96 is the old name of m1-megamem-96 */
	old_name = str_starts(type, "n1-megamem-") || str_starts(type, "n1-ultramem-");
	snprintf(need->machine_name, sizeof(need->machine_name), "%s%s",
		old_name ? "m1" : "", old_name ? type + 2 : type);
	need->family = old_name                   ? "m1"
		: str_eq(type, "m4-ultramem-224") ? "m4ultramem224" /* its own SKUs */
						  : need->m.family;
	return !need->m.tpu_host && (!need->m.custom || need_custom(need));
}

/* Set the unit price of a term whose item, name and quantity (in nanos) are set. */
static bool unit_find(
	const struct price_list *list, const struct vm_need *need, struct price_term *t)
{
	struct price_key key = {.item = t->item,
		.name = t->name,
		.place = need->vm->region,
		.class = need->vm->class};

	t->source = list->source;
	t->place = key.place;
	t->quantity_per = NANOS;
	return list->find(list->ctx, &key, &t->unit) && t->unit.per == 1;
}

/* vCPUs and memory from one list under one name, summed in 128 bits and rounded once. */
static bool vm_by_parts(const struct price_book *b, const struct price_list *list,
	const struct vm_need *need, const char *family, int64_t percent, struct price *out)
{
	const struct machine *m = &need->m;
	int64_t extended = m->extended_mib * NANOS, nanos;
	struct price_term terms[] = {
		{.item = PRICE_CORE,
			.name = family,
			.quantity = m->billed_vcpus,
			.percent = percent,
			.den = 1},
		{.item = PRICE_RAM,
			.name = family,
			.quantity = m->billed_mib - extended,
			.percent = percent,
			.den = 1024},
		{.item = PRICE_RAM_EXT,
			.name = m->family,
			.quantity = extended,
			.percent = 100,
			.den = 1024},
	};
	size_t n = extended ? 3 : 2;
	__int128 sum = 0;

	for (size_t i = 0; i < n; i++) {
		struct price_term *t = &terms[i];

		if (!unit_find(list, need, t) || !str_eq(t->unit.cur, terms[0].unit.cur))
			return false;
		price_set_rates(b, t);
		sum += (__int128)t->unit.nanos * t->quantity * t->percent * (1024 / t->den);
	}
	if (!price_round(&terms[0], sum, 100 * 1024 * NANOS, &nanos))
		return false;
	for (size_t i = 0; i < n; i++) {
		terms[0].unit.as_of = price_older(terms[0].unit.as_of, terms[i].unit.as_of);
		price_tell(b, &terms[i]);
	}
	*out = price_of(
		list->source, nanos, price_term_cur(&terms[0]), terms[0].unit.as_of);
	return true;
}

static bool vm_by_list(const struct price_book *b, const struct price_list *list,
	const struct vm_need *need, struct price *out, bool *as_whole)
{
	struct price_term whole = {.item = PRICE_MACHINE,
		.name = need->machine_name,
		.quantity = NANOS,
		.percent = 100,
		.den = 1};

	*as_whole = !need->m.custom && unit_find(list, need, &whole);
	if (*as_whole) {
		*out = price_alone(b, &whole);
		return out->known;
	}
	if (need->own && vm_by_parts(b, list, need, need->own, 100, out))
		return true;
	return need->percent &&
		vm_by_parts(b, list, need, need->family, need->percent, out);
}

const char *gpu_model(const char *type)
{
	if (str_starts(type, "nvidia-"))
		type += strlen("nvidia-");
	return str_starts(type, "tesla-") ? type + strlen("tesla-") : type;
}

static struct price price_gpus(const struct price_book *b, const struct vm_spec *vm)
{
	struct price_key key = {.item = PRICE_GPU, .place = vm->region, .class = vm->class};

	if (!vm->gpu_type || vm->gpus < 1)
		return price_unknown;
	key.name = gpu_model(vm->gpu_type);
	return price_item(b, &key, vm->gpus, 1);
}

/* Zero, in the currency of the other prices. */
static struct price nothing_like(const struct price *p)
{
	struct price zero = *p;

	zero.nanos = 0;
	return zero;
}

/* Local SSD of newer machines is more expensive and has a separate SKU for each family. */
static struct price price_local_ssd(
	const struct price_book *b, const struct vm_spec *vm, const char *family)
{
	static const char *const own[] = {
		"c4", "c4a", "c4d", "c4n", "g4", "h4d", "z3", "a4", "a4x"};
	char name[64] = "local-ssd";

	if (str_in(family, own, ARRAY_LEN(own)))
		snprintf(name, sizeof(name), "local-ssd-%s", family);
	return price_disk(b, name, vm->region, vm->local_ssd_gib, false, vm->class);
}

/* Each part from the first list that has it. `need` is NULL for an unknown machine. */
static struct vm_price price_vm_parts(
	const struct price_book *b, const struct vm_spec *vm, const struct vm_need *need)
{
	/* families whose machines are sold with their GPUs */
	static const char *const with_gpus[] = {"a2", "a3", "g2", "g4"};
	static const char *const with_ssds[] = {"a3", "z3"};
	struct vm_price out = {
		.cpu = price_unknown, .gpu = price_unknown, .local_ssd = price_unknown};
	bool gpus, whole = false;

	for (size_t i = 0; need && i < b->n_lists; i++)
		if (vm_by_list(b, &b->lists[i], need, &out.cpu, &whole))
			break;
	gpus = vm->gpu_type || vm->gpus || (need && need->m.gpus);
	if (!gpus ||
		(out.cpu.known && str_in(need->m.family, with_gpus, ARRAY_LEN(with_gpus))))
		out.gpu = nothing_like(&out.cpu);
	else
		out.gpu = price_gpus(b, vm);
	/* The price of some whole machines includes the local SSDs that they always have. */
	if (vm->local_ssd_gib == 0 ||
		(whole && out.cpu.known &&
			(str_starts(vm->machine_type, "a2-ultragpu-") ||
				str_in(need->m.family, with_ssds, ARRAY_LEN(with_ssds)))))
		out.local_ssd = nothing_like(&out.cpu);
	else if (need)
		out.local_ssd = price_local_ssd(b, vm, need->m.family);
	out.total = price_add(&out.cpu, &out.gpu);
	out.total = price_add(&out.total, &out.local_ssd);
	out.unpriced = (out.cpu.known ? 0 : VM_CPU) |
		(out.gpu.known || !gpus ? 0 : VM_GPU) |
		(out.local_ssd.known || !vm->local_ssd_gib ? 0 : VM_LOCAL_SSD);
	return out;
}

struct vm_price price_vm(const struct price_book *b, const struct vm_spec *vm)
{
	struct price_book one = *b;
	struct vm_need need;

	if (!need_of(vm, &need))
		return price_vm_parts(b, vm, NULL);
	/* All from one list, if one has all parts: others may be in another currency. */
	one.n_lists = 1;
	for (size_t i = 0; i < b->n_lists; i++) {
		struct vm_price out;

		one.lists[0] = b->lists[i];
		one.trace = NULL;
		out = price_vm_parts(&one, vm, &need);
		if (!out.total.known)
			continue;
		one.trace = b->trace;
		return b->trace ? price_vm_parts(&one, vm, &need) : out;
	}
	return price_vm_parts(b, vm, &need);
}

/* ---- other resources ------------------------------------------------------------------------ */

struct price price_disk(const struct price_book *b, const char *type, const char *region,
	int64_t size_gib, bool regional, enum price_class class)
{
	struct price_key key = {.item = PRICE_DISK, .place = region};
	char name[64];

	if (!type || !region || size_gib < 0 || strlen(type) > 40)
		return price_unknown;
	snprintf(name, sizeof(name), "%s%s",
		regional && !str_starts(type, "regional-") ? "regional-" : "", type);
	key.name = name;
	if (str_starts(type, "local-ssd"))
		key.class = class;
	return price_item(b, &key, size_gib, MONTH_HOURS);
}

struct price price_snapshot(const struct price_book *b, const char *location, int64_t bytes)
{
	static const char *const multi[][2] = {
		{"us", "us-multi"},
		{"eu", "europe-multi"},
		{"asia", "asia-multi"},
	};
	struct price_key key = {.item = PRICE_SNAPSHOT, .name = "", .place = location};

	if (!location || bytes < 0)
		return price_unknown;
	for (size_t i = 0; i < ARRAY_LEN(multi); i++)
		if (str_eq(location, multi[i][0]))
			key.place = multi[i][1];
	return price_item(b, &key, bytes, MONTH_HOURS * PRICE_GIB);
}

struct price price_ip(const struct price_book *b, const char *region, enum ip_use use,
	enum price_class class)
{
	struct price_key key = {.item = use == IP_ON_VM ? PRICE_IP_VM : PRICE_IP_UNUSED,
		.name = "",
		.place = region,
		/* only spot machines have a price of their own */
		.class = use == IP_ON_VM && class == PRICE_SPOT ? PRICE_SPOT
								: PRICE_ON_DEMAND};

	return region ? price_item(b, &key, 1, 1) : price_unknown;
}

struct price price_add(const struct price *a, const struct price *b)
{
	const struct price *weaker = a->source >= b->source ? a : b;
	const char *as_of = a->source == b->source ? price_older(a->as_of, b->as_of)
						   : weaker->as_of;
	int64_t nanos;

	if (!a->known || !b->known || (!str_eq(a->cur, b->cur) && a->nanos && b->nanos) ||
		!nanos_add(a->nanos, b->nanos, &nanos))
		return price_unknown;
	return price_of(weaker->source, nanos, a->nanos ? a->cur : b->cur, as_of);
}

struct opt_i64 price_hours(__int128 nanos_seconds)
{
	int64_t nanos;

	return i128_div_round(nanos_seconds, HOUR_SECONDS, &nanos) ? SOME(nanos) : NONE;
}

struct opt_i64 price_for(const struct price *p, int64_t seconds)
{
	return p->known ? price_hours((__int128)p->nanos * seconds) : NONE;
}

bool price_exchange(int64_t amount, const char *from, int64_t rate, const char *to,
	int64_t to_rate, int64_t *out)
{
	if (!strcmp(from, to) || !amount) {
		*out = amount;
		return true;
	}
	if (!strcmp(from, "USD"))
		rate = NANOS;
	return rate > 0 && to_rate > 0 && nanos_muldiv(amount, to_rate, rate, out);
}

/* ---- before rounding ------------------------------------------------------------------------ */

static void exact_reduce(struct price_exact *x)
{
	__int128 by = divisor_of(x->num, x->den);

	x->num /= by;
	x->den /= by;
}

static bool exact_product(__int128 *out, const int64_t *v, size_t n)
{
	*out = 1;
	for (size_t i = 0; i < n; i++)
		if (__builtin_mul_overflow(*out, (__int128)v[i], out))
			return false;
	return true;
}

/* a/b + c/d over the least common denominator. */
static bool exact_add(struct price_exact *x, const struct price_exact *more)
{
	__int128 by = divisor_of(x->den, more->den), left, right;

	if (__builtin_mul_overflow(x->num, more->den / by, &left) ||
		__builtin_mul_overflow(more->num, x->den / by, &right) ||
		__builtin_add_overflow(left, right, &x->num) ||
		__builtin_mul_overflow(x->den, more->den / by, &x->den))
		return false;
	exact_reduce(x);
	return true;
}

void price_exact_add(struct price_exact *x, const struct price_term *t)
{
	const int64_t num[] = {t->unit.nanos, t->quantity, t->percent};
	const int64_t den[] = {100, t->quantity_per, t->den, t->unit.per};
	struct price_exact term;

	if (!exact_product(&term.num, num, ARRAY_LEN(num)) ||
		!exact_product(&term.den, den, ARRAY_LEN(den)) || term.den < 1) {
		x->lost = true;
		return;
	}
	exact_reduce(&term);
	if (!x->den) {
		x->num = term.num;
		x->den = term.den;
		memcpy(x->cur, t->unit.cur, sizeof(x->cur));
	} else if (strcmp(x->cur, t->unit.cur) != 0 || !exact_add(x, &term)) {
		x->lost = true;
	}
}

bool price_exact_for(const struct price_exact *x, int64_t seconds, int64_t *nanos)
{
	struct price_exact all = *x;

	if (x->lost || !x->den ||
		__builtin_mul_overflow(x->num, (__int128)seconds, &all.num) ||
		__builtin_mul_overflow(x->den, (__int128)HOUR_SECONDS, &all.den))
		return false;
	exact_reduce(&all);
	return all.den <= INT64_MAX && i128_div_round(all.num, (int64_t)all.den, nanos);
}
