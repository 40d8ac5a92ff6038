/* Prices of existing resources: hourly cost of each fact. */
#include "base/str.h"
#include "rules/derive/internal.h"
#include "rules/grant/tpu.h"

#include <stdio.h>
#include <string.h>

static void describe_tpu(struct fact *f)
{
	struct tpu_type t;

	f->family = tpu_family_of_type(f->type);
	if (!tpu_type_parse(f->type, &t)) {
		t.chips = tpu_host_chips(f->type);
		if (t.chips) /* of a family that is not known */
			f->chips = opt_narrow(SOME(t.chips));
		return;
	}
	f->family = t.family;
	f->chips = opt_narrow(SOME(t.chips));
	if (!f->hosts.set)
		f->hosts = opt_narrow(SOME(t.hosts));
}

static void describe_machine(struct fact *f)
{
	struct machine m;

	if (!f->vcpus.set && machine_parse(f->type, &m)) {
		f->vcpus = opt_narrow(SOME(m.vcpus));
		f->memory_mib = opt_narrow(SOME(m.memory_mib));
	}
	if (!machine_family(f->type, f->machine))
		*f->machine = '\0';
}

void fact_describe(struct fact *f)
{
	if (!f->type)
		return;
	if (str_eq(f->kind, "tpu") || str_eq(f->kind, "queued"))
		describe_tpu(f);
	if (str_eq(f->kind, "vm"))
		describe_machine(f);
}

const struct fact_more fact_no_more = {0};

struct fact fact_then(const struct q_interval_past *q, struct fact_then_buf *buf)
{
	bool zone = zone_to_region(q->location, buf->region);

	buf->more = (struct fact_more){.gpu_type = q->gpu_type,
		.bytes = q->bytes,
		.gpu_count = q->gpu_count,
		.local_ssd_gib = q->local_ssd_gib};
	return (struct fact){.id = q->id,
		.kind = q->kind,
		.location = q->location,
		.zone = zone ? q->location : NULL,
		.region = zone ? buf->region : q->location,
		.name = q->name,
		.state = q->state,
		.raw_state = "",
		.type = q->type,
		.provisioning = q->provisioning,
		.labels = "{}",
		.more = &buf->more,
		.keep = &fact_no_keep,
		.activity = &fact_no_activity,
		.created = TS_NONE,
		.running_since = TS_NONE,
		.size_gib = opt_narrow(q->size_gib),
		.vcpus = opt_narrow(q->vcpus),
		.memory_mib = opt_narrow(q->memory_mib)};
}

/* A fact, and where its parts are added. */
struct pricing {
	struct fact *f;
	struct burn_part *parts;
};

static void prices_add_part(struct pricing *x, const char *category, struct price p)
{
	x->parts[x->f->n_parts++] = (struct burn_part){category, p};
}

/* The whole cost is in one category. */
static void prices_set(struct pricing *x, const char *category, struct price p)
{
	x->f->price = p;
	prices_add_part(x, category, p);
}

static void price_machine(struct deriving *d, struct pricing *x)
{
	struct fact *f = x->f;
	struct vm_spec spec = {.machine_type = f->type,
		.region = f->region,
		.class = price_class_of(f->provisioning),
		.gpu_type = f->more->gpu_type,
		.gpus = f->more->gpu_count.set ? f->more->gpu_count.v : 0,
		.local_ssd_gib = f->more->local_ssd_gib.set ? f->more->local_ssd_gib.v : 0,
		.vcpus = opt_wide(f->vcpus),
		.memory_mib = opt_wide(f->memory_mib)};
	struct vm_price p;

	if (str_eq(f->state, "suspended")) {
		prices_set(x, "cpu", price_unknown); /* stored memory: not listed */
		return;
	}
	/* Charged from staging until it has stopped (Compute Engine: VM instance lifecycle); an
	 * unknown state counts as running. */
	if (!str_eq(f->state, "running") && !str_eq(f->state, "stopping") &&
		!str_eq(f->state, "unknown") && !str_eq(f->raw_state, "STAGING")) {
		f->price = price_free;
		return;
	}
	p = f->type && f->region ? price_vm(&d->book, &spec)
				 : (struct vm_price){.total = price_unknown,
					   .cpu = price_unknown,
					   .gpu = price_unknown,
					   .local_ssd = price_unknown};
	f->price = p.total;
	f->unpriced = p.unpriced & 0xff;
	prices_add_part(x, "cpu", p.cpu);
	if (spec.gpus || spec.gpu_type)
		prices_add_part(x, "gpu", p.gpu);
	if (spec.local_ssd_gib)
		prices_add_part(x, "disk", p.local_ssd);
}

/* Charged only while READY (Cloud TPU pricing). A node that is a suspended machine pays for its
 * memory, at a price not listed. */
static void price_node(struct deriving *d, struct pricing *x)
{
	struct fact *f = x->f;

	if (str_eq(f->state, "suspended"))
		prices_set(x, "tpu", price_unknown);
	else if (!str_eq(f->state, "running") && !str_eq(f->state, "unknown"))
		f->price = price_free;
	else
		prices_set(x, "tpu",
			f->type && f->zone ? price_tpu(&d->book, f->type, f->zone,
						     price_class_of(f->provisioning))
					   : price_unknown);
}

/* Disks that are also sold by IOPS and throughput have no price: no list of disks contains these
 * values. */
static void price_volume(struct deriving *d, struct pricing *x)
{
	struct fact *f = x->f;
	bool by_capacity = f->type && strcmp(f->type, "pd-extreme") != 0 &&
		!str_starts(f->type, "hyperdisk-");

	prices_set(x, "disk",
		by_capacity && f->size_gib.set ? price_disk(&d->book, f->type, f->region,
							 f->size_gib.v, !f->zone, false)
					       : price_unknown);
}

/* Charged for the stored bytes, from the moment the snapshot is complete. */
static void price_of_snapshot(struct deriving *d, struct pricing *x)
{
	struct fact *f = x->f;

	if (!str_eq(f->state, "running") && !str_eq(f->state, "unknown"))
		f->price = price_free;
	else
		prices_set(x, "snapshot",
			f->more->bytes.set && str_eq(f->type, "standard")
				? price_snapshot(&d->book, f->location, f->more->bytes.v)
				: price_unknown);
}

/* An address costs money only while it is not in use. Internal addresses are free. */
static void price_address(struct deriving *d, struct pricing *x)
{
	struct fact *f = x->f;

	if (str_eq(f->type, "internal") || str_eq(f->state, "running") ||
		str_eq(f->state, "starting"))
		f->price = price_free;
	else
		prices_set(x, "ip",
			price_ip(&d->book, f->location, IP_UNUSED, PRICE_ON_DEMAND));
}

void fact_price(struct deriving *d, struct fact *f, struct burn_part parts[PARTS_MAX])
{
	struct pricing x = {f, parts};

	f->parts = parts;
	f->n_parts = 0;
	if (str_eq(f->kind, "vm"))
		price_machine(d, &x);
	else if (str_eq(f->kind, "tpu"))
		price_node(d, &x);
	else if (str_eq(f->kind, "disk"))
		price_volume(d, &x);
	else if (str_eq(f->kind, "ip"))
		price_address(d, &x);
	else if (str_eq(f->kind, "snapshot"))
		price_of_snapshot(d, &x);
	else if (str_eq(f->kind,
			 "queued")) { /* its TPUs are charged; its own past is not read */
		f->price = price_free;
		f->gross_24h = f->net_24h = SOME(0);
	}
	/* The size of a bucket is not reported: its burn is unknown. */
	else
		f->price = price_unknown;
	if (f->price.known && !f->price.nanos &&
		price_rate_of(d->book.rates, d->book.currency)) /* 0 in any currency */
		snprintf(f->price.cur, sizeof(f->price.cur), "%s", d->book.currency);
}

/* Free resources have a currency of the others: there is no sum in a currency that no price is in. */
static void prices_name_free(struct deriving *d)
{
	const char *cur = NULL;

	for (size_t i = 0; i < d->n_facts; i++) {
		const struct price *p = &d->facts[i].price;

		if (p->known && p->nanos && (!cur || !strcmp(p->cur, d->book.currency)))
			cur = p->cur;
	}
	for (size_t i = 0; cur && i < d->n_facts; i++) {
		struct price *p = &d->facts[i].price;

		if (p->known && !p->nanos)
			memcpy(p->cur, cur, sizeof(p->cur));
	}
}

static bool prices_are_same(const struct burn_part *a, const struct burn_part *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!str_eq(a[i].category, b[i].category) ||
			!price_eq(&a[i].price, &b[i].price))
			return false;
	return true;
}

/* Resources that follow one another are often of one type. */
static void prices_share(struct deriving *d, struct fact *f)
{
	const struct fact *before = f > d->facts ? f - 1 : NULL;
	struct burn_part *kept;

	if (before && before->n_parts == f->n_parts &&
		prices_are_same(before->parts, f->parts, f->n_parts)) {
		f->parts = before->parts;
		return;
	}
	kept = arena_alloc(&d->kept, f->n_parts * sizeof(*kept));
	for (size_t i = 0; i < f->n_parts; i++)
		kept[i] = f->parts[i];
	f->parts = kept;
}

void derive_prices(struct deriving *d)
{
	struct burn_part parts[PARTS_MAX];

	for (size_t i = 0; i < d->n_facts; i++) {
		fact_price(d, &d->facts[i], parts);
		prices_share(d, &d->facts[i]);
	}
	if (!price_rate_of(d->book.rates, d->book.currency))
		prices_name_free(d);
}
