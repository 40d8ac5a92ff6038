#include "gcp/compute/machine_type.h"

#include "gcp/compute/aggregated.h"
#include "gcp/decode.h"

#include <string.h>

static void read_gpu(struct dec *d, struct gce_machine_type *out)
{
	const struct cJSON *gpu = json_first(dec_array(d, "accelerators"));
	struct dec one;

	out->gpu_type = "";
	if (d->code != E_OK || !gpu)
		return;
	one = dec_begin(gpu, d->a, d->e);
	out->gpu_type = dec_tail(&one, "guestAcceleratorType");
	out->gpu_count = dec_count(&one, "guestAcceleratorCount");
	if (one.code != E_OK)
		d->code = err_wrap(d->e, "\"%s\": accelerators[0]", out->name);
}

static enum err_code read_type(
	const struct cJSON *j, struct arena *a, struct gce_machine_type *out, struct err *e)
{
	struct dec d = dec_begin(j, a, e);

	out->name = dec_name(&d, "name");
	out->vcpus = dec_i64(&d, "guestCpus");
	out->memory_mib = dec_i64(&d, "memoryMb");
	out->shared_cpu = dec_bool(&d, "isSharedCpu");
	read_gpu(&d, out);
	if (d.code == E_OK && out->vcpus < 1)
		dec_fail(&d, "guestCpus", "it is not positive");
	if (d.code == E_OK && out->memory_mib < 1)
		dec_fail(&d, "memoryMb", "it is not positive");
	return d.code;
}

/* The object is the only page of a list of one. */
static enum err_code on_type(struct gcp_list *l, const struct cJSON *page, struct err *e)
{
	struct gcp_typed *t = l->ctx;
	struct gce_machine_type m = {0};
	enum err_code rc = read_type(page, t->arena, &m, e);

	if (rc == E_OK)
		memcpy(gcp_typed_slot(t, "type"), &m, sizeof(m));
	return rc;
}

static void deliver_type(struct gcp_typed *t)
{
	struct gce_machine_type *out = (struct gce_machine_type *)t->result;
	const struct gce_machine_type *m = t->items;
	struct gcp_result r = out->r;

	*out = *m;
	out->r = r;
}

enum err_code gce_machine_type_start(struct gcp *g, const char *project, const char *zone,
	const char *name, struct arena *a, struct gce_machine_type *out, struct err *e)
{
	struct gcp_typed *t;
	enum err_code rc = gce_names_check(zone, name, e);

	if (rc != E_OK)
		return rc;
	t = gcp_typed_new(g, GCP_COMPUTE, project, "get machine type", a, &out->r,
		sizeof(struct gce_machine_type));
	gcp_url(g, &t->list.call.url, GCP_COMPUTE, "/projects/{}/zones/{}/machineTypes/{}",
		project, zone, name, NULL);
	t->list.size_param = NULL;
	t->list.on_page = on_type;
	t->deliver = deliver_type;
	return gcp_typed_start(t, e);
}
