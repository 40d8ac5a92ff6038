/* Resources that are attached to a machine or TPU and are billed in addition.
 *
 * Google reports the attachment of disks and addresses. It does not report which machine drives a
 * TPU of the older kind: one of the same name in the same zone (ctpu created both that way), or one
 * with a label like tpu=NAME, is assumed to belong to it. */
#include "base/data/json.h"
#include "base/money.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "db_sql.h"
#include "rules/derive/internal.h"

#include <stdlib.h>
#include <string.h>

#define REST_CURRENCIES 4

struct belong {
	struct deriving *d;
	struct arena arena; /* of this work; the rows are copied */
	struct sbuf key;
	const struct fact **by_name; /* machines and TPUs, by project and name */
	size_t n_owners;
	struct q_volumes_known *known; /* projects whose disks and addresses were read */
	size_t n_known;
	/* For each fact that is a machine or TPU: */
	struct rest {
		struct rest_sum {
			int64_t nanos;
			const char *currency;
		} * sums;
		uint8_t n;
		bool unknown, has_disk;
	} * rest;
	const struct fact **driven_by; /* the TPU that a machine belongs to, or NULL */
};

static bool belong_is_kind(const struct fact *f, const char *kind)
{
	return f && !strcmp(f->kind, kind);
}

/* From the list of Compute Engine: machines, and TPUs that are machines. */
static bool is_instance(const struct fact *f)
{
	return str_eq(f->source, "vm") || str_eq(f->source, "slice");
}

static int belong_by_name(const void *pa, const void *pb)
{
	const struct fact *a = *(const struct fact *const *)pa,
			  *b = *(const struct fact *const *)pb;
	int order = strcmp(a->project, b->project);

	if (!order)
		order = strcmp(a->name, b->name);
	return order ? order : strcmp(a->id, b->id);
}

static void sort_facts(struct belong *x)
{
	struct deriving *d = x->d;

	x->by_name = arena_alloc(&x->arena, (d->n_facts + 1) * sizeof(*x->by_name));
	for (size_t i = 0; i < d->n_facts; i++) {
		const struct fact *f = &d->facts[i];

		if (belong_is_kind(f, "vm") || belong_is_kind(f, "tpu"))
			x->by_name[x->n_owners++] = f;
	}
	if (x->n_owners)
		qsort(x->by_name, x->n_owners, sizeof(*x->by_name), belong_by_name);
	x->rest = arena_alloc(&x->arena, d->n_facts * sizeof(*x->rest));
	x->driven_by = arena_alloc(&x->arena, d->n_facts * sizeof(*x->driven_by));
}

/* First machine or TPU of that name in the project, as a place in by_name. */
static size_t first_of_name(const struct belong *x, const char *project, const char *name)
{
	const struct fact key = {.project = project, .name = name, .id = ""}, *k = &key;
	size_t lo = 0, hi = x->n_owners;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (belong_by_name(&x->by_name[mid], &k) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool has_name(
	const struct belong *x, size_t i, const char *project, const char *name)
{
	return i < x->n_owners && !strcmp(x->by_name[i]->project, project) &&
		!strcmp(x->by_name[i]->name, name);
}

/* A zonal part is used in its zone, a regional one in any zone of its region. */
static bool may_use(const struct fact *owner, const struct fact *part)
{
	if (part->zone)
		return str_eq(owner->zone, part->zone);
	return !part->region || str_eq(owner->region, part->region);
}

/* ---- rows --------------------------------------------------------------------------------- */

/* Its price once no running resource uses it. */
static struct price belong_rest(struct belong *x, const struct fact *part)
{
	return belong_is_kind(part, "ip") && !str_eq(part->type, "internal")
		? price_ip(&x->d->book, part->location, IP_UNUSED, PRICE_ON_DEMAND)
		: part->price;
}

static enum err_code belong_put(struct belong *x, const struct fact *owner,
	const struct fact *part, const struct fact *via, const char *relation, bool certain,
	struct err *e)
{
	struct price rest = belong_rest(x, part);
	struct row_belonging in = {.id = owner->id,
		.part = part->id,
		.via = via ? via->id : NULL,
		.relation = relation,
		.certain = certain,
		.gross = price_amount(&part->price),
		.rest = price_amount(&rest),
		.currency = part->price.known ? part->price.cur
			: rest.known          ? rest.cur
					      : NULL};

	return derived_put_belonging(x->d->db, &in, e);
}

static void belong_add_rest(
	struct belong *x, const struct fact *owner, const struct fact *part)
{
	struct rest *r = &x->rest[owner - x->d->facts];
	size_t i = 0;
	struct price p = belong_rest(x, part);

	r->has_disk = r->has_disk || belong_is_kind(part, "disk");
	while (p.known && i < r->n && strcmp(r->sums[i].currency, p.cur) != 0)
		i++;
	if (!p.known || (p.nanos && i == REST_CURRENCIES) ||
		(p.nanos && i < r->n &&
			!nanos_add(r->sums[i].nanos, p.nanos, &r->sums[i].nanos))) {
		r->unknown = true;
		return;
	}
	if (p.nanos && i == r->n) {
		struct rest_sum *sums = arena_alloc(&x->arena, (i + 1) * sizeof(*sums));

		for (size_t k = 0; k < i; k++) /* as a rule, there is one currency */
			sums[k] = r->sums[k];
		sums[i] = (struct rest_sum){p.nanos, arena_strdup(&x->arena, p.cur)};
		r->sums = sums;
		r->n++;
	}
}

/* A part belongs to the resource it is attached to, and to the TPU that this resource drives. */
static enum err_code put_part(struct belong *x, const struct fact *owner,
	const struct fact *part, const char *relation, bool certain, struct err *e)
{
	const struct fact *tpu = x->driven_by[owner - x->d->facts];

	belong_add_rest(x, owner, part);
	if (belong_put(x, owner, part, NULL, relation, certain, e))
		return e->code;
	return tpu ? belong_put(x, tpu, part, owner, relation, false, e) : E_OK;
}

/* ---- attached ----------------------------------------------------------------------------- */

/* Disks and addresses name instances; a TPU node is one only if no machine has that name. */
static enum err_code belong_attach(struct belong *x, const struct fact *part, struct err *e)
{
	size_t first = first_of_name(x, part->project, part->attached_to), n = 0, vms = 0;

	for (size_t i = first; has_name(x, i, part->project, part->attached_to); i++) {
		n += may_use(x->by_name[i], part);
		vms += may_use(x->by_name[i], part) && is_instance(x->by_name[i]);
	}
	for (size_t i = first; n && has_name(x, i, part->project, part->attached_to); i++)
		if (may_use(x->by_name[i], part) && (!vms || is_instance(x->by_name[i])) &&
			put_part(x, x->by_name[i], part, "attached", (vms ? vms : n) == 1,
				e))
			return e->code;
	return E_OK;
}

static enum err_code attach_all(struct belong *x, struct err *e)
{
	for (size_t i = 0; i < x->d->n_facts; i++) {
		const struct fact *f = &x->d->facts[i];

		if (f->attached_to &&
			(belong_is_kind(f, "disk") || belong_is_kind(f, "ip")) &&
			belong_attach(x, f, e))
			return e->code;
	}
	return E_OK;
}

/* A disk in the list of the TPU; one that names the TPU itself is already added. */
static enum err_code data_disk(
	struct belong *x, const struct fact *tpu, const char *name, struct err *e)
{
	const char *const places[] = {tpu->zone, tpu->region};

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		const struct fact *disk = places[i]
			? fact_find(x->d,
				  arena_printf(&x->arena, "%s/disk/%s/%s", tpu->project,
					  places[i], name))
			: NULL;

		if (!disk)
			continue;
		if (str_eq(disk->attached_to, tpu->name))
			return E_OK;
		return put_part(x, tpu, disk, "data-disk", true, e);
	}
	/* the disk exists, but was not read */
	x->rest[tpu - x->d->facts].unknown = true;
	return E_OK;
}

static enum err_code data_disks(struct belong *x, struct err *e)
{
	struct q_tpu_disk_list *v;
	size_t n;

	if (q_tpu_disk_list_all(x->d->db, &x->arena, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++) {
		const struct fact *tpu = fact_find(x->d, v[i].id);
		char *list = arena_strdup(&x->arena, v[i].disks), *name;

		while (belong_is_kind(tpu, "tpu") && (name = strsep(&list, " ")))
			if (data_disk(x, tpu, name, e))
				return e->code;
	}
	return E_OK;
}

/* ---- by name ------------------------------------------------------------------------------ */

static const struct fact *tpu_named(
	struct belong *x, const struct fact *f, const char *name)
{
	const struct fact *tpu;

	if (!f->zone)
		return NULL;
	sbuf_reset(&x->key);
	sbuf_addf(&x->key, "%s/tpu/%s/%s", f->project, f->zone, name);
	tpu = fact_find(x->d, x->key.s);
	return belong_is_kind(tpu, "tpu") ? tpu : NULL;
}

/* The TPU that a label names: tpu=NAME, tpu-name=NAME, ... */
static const struct fact *tpu_of_labels(struct belong *x, const struct fact *f)
{
	cleanup(json_free_ptr) struct cJSON *j = NULL;

	if (!strstr(f->labels, "tpu") || json_parse(f->labels, strlen(f->labels), &j, NULL))
		return NULL;
	JSON_EACH (item, j) {
		const char *value = json_text(item, NULL);
		const struct fact *tpu;

		if (!value || !json_key(item) || !strstr(json_key(item), "tpu"))
			continue;
		tpu = tpu_named(x, f, value);
		if (tpu)
			return tpu;
	}
	return NULL;
}

static enum err_code belong_drivers(struct belong *x, struct err *e)
{
	for (size_t i = 0; i < x->n_owners; i++) {
		const struct fact *vm = x->by_name[i], *tpu;
		const char *relation = "same-name";

		if (!belong_is_kind(vm, "vm"))
			continue;
		tpu = tpu_named(x, vm, vm->name);
		if (!tpu) {
			relation = "label";
			tpu = tpu_of_labels(x, vm);
		}
		x->driven_by[vm - x->d->facts] = tpu;
		if (tpu && belong_put(x, tpu, vm, NULL, relation, false, e))
			return e->code;
	}
	return E_OK;
}

/* Google does not assign a bucket to a TPU; a bucket named after a TPU probably holds its data. */
static enum err_code bucket_of(
	struct belong *x, const struct fact *bucket, const char *name, struct err *e)
{
	size_t k = first_of_name(x, bucket->project, name);

	for (; has_name(x, k, bucket->project, name); k++)
		if (belong_is_kind(x->by_name[k], "tpu") &&
			belong_put(x, x->by_name[k], bucket, NULL, "same-name", false, e))
			return e->code;
	return E_OK;
}

/* "a-b-c" belongs to the TPUs "a", "a-b" and "a-b-c". */
static enum err_code belong_buckets(struct belong *x, struct err *e)
{
	for (size_t i = 0; i < x->d->n_facts; i++) {
		const struct fact *b = &x->d->facts[i];
		size_t len = strlen(b->name);

		for (size_t n = 1; belong_is_kind(b, "bucket") && n <= len; n++)
			if (strchr("-_", b->name[n]) && /* also matches the end */
				bucket_of(x, b, arena_strndup(&x->arena, b->name, n), e))
				return e->code;
	}
	return E_OK;
}

/* ---- residual costs ----------------------------------------------------------------------- */

static int belong_known_order(const void *project, const void *known)
{
	return strcmp(project, ((const struct q_volumes_known *)known)->project);
}

static bool belong_is_known(const struct belong *x, const char *project)
{
	return x->n_known &&
		bsearch(project, x->known, x->n_known, sizeof(*x->known),
			belong_known_order);
}

/* "0.53 HKD/h + 0.01 USD/h"; "" for nothing. */
static const char *rest_text(struct belong *x, const struct rest *r)
{
	const char *text = "";
	char buf[NANOS_BUF];

	for (size_t i = 0; i < r->n; i++)
		text = arena_printf(&x->arena, "%s%s%s %s/h", text, i ? " + " : "",
			nanos_format_short(r->sums[i].nanos, buf), r->sums[i].currency);
	return text;
}

/* Every machine has a disk: where none was read, the list of disks is not complete. */
static enum err_code put_residuals(struct belong *x, struct err *e)
{
	for (size_t i = 0; i < x->n_owners; i++) {
		const struct fact *f = x->by_name[i];
		const struct rest *r = &x->rest[f - x->d->facts];
		struct row_residual in = {.id = f->id, .text = rest_text(x, r)};

		if (r->unknown || (belong_is_kind(f, "vm") && !r->has_disk) ||
			!belong_is_known(x, f->project))
			continue;
		if (r->n < 2) {
			in.gross = SOME(r->n ? r->sums[0].nanos : 0);
			in.currency = r->n ? r->sums[0].currency : "USD";
		}
		if (derived_put_residual(x->d->db, &in, e))
			return e->code;
	}
	return E_OK;
}

enum err_code derive_belongings(struct deriving *d, struct err *e)
{
	struct belong x = {.d = d, .key = SBUF_INIT};

	enum err_code rc;

	sort_facts(&x);
	rc = q_volumes_known_all(d->db, &x.arena, &x.known, &x.n_known, e) ||
			belong_drivers(&x, e) || attach_all(&x, e) || data_disks(&x, e) ||
			belong_buckets(&x, e) || put_residuals(&x, e)
		? e->code
		: E_OK;
	sbuf_done(&x.key);
	arena_done(&x.arena);
	return rc;
}
