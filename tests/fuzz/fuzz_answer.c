/* Google's answers: machines, TPUs, queued resources, rows of BigQuery. What is read has a name that can be
 * one, and nothing that is NULL where texts are promised; what does not read well is refused, all of it;
 * and what is kept does not live in the answer. */
#include "base/data/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "gcp/bill/bigquery.h"
#include "gcp/compute/compute.h"
#include "gcp/tpu.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static void require_refused(enum err_code rc, const struct err *e)
{
	fuzz_require(rc == E_DATA || rc == E_LIMIT || rc == E_OVERFLOW);
	fuzz_require(e->code == rc && e->msg[0] && utf8_valid(e->msg, strlen(e->msg)));
}

static void require_text(const char *s)
{
	fuzz_require(s && utf8_valid(s, strlen(s)));
}

static void require_name(const char *s)
{
	require_text(s);
	fuzz_require(*s && !strpbrk(s, "/ \t\r\n\"'\\?#%") && strlen(s) < 256);
}

static void require_texts(const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		require_text(list[i]);
}

static void read_instance(const struct cJSON *j, struct arena *a)
{
	struct gce_instance vm = {0};
	struct err e = {0};
	enum err_code rc = gce_instance_read(j, "us-central1-a", a, &vm, &e);

	if (rc) {
		require_refused(rc, &e);
		return;
	}
	require_name(vm.name);
	fuzz_require(
		!vm.id[strspn(vm.id, "0123456789")] && !strcmp(vm.zone, "us-central1-a"));
	require_text(vm.machine_type);
	require_text(vm.status);
	require_text(vm.class);
	fuzz_require(!strcmp(vm.labels, "{}"));
	for (size_t i = 0; i < vm.n_disks; i++) {
		require_text(vm.disks[i].source);
		require_text(vm.disks[i].type);
		fuzz_require(vm.disks[i].size_gb >= 0);
	}
	for (size_t i = 0; i < vm.n_accelerators; i++) {
		require_text(vm.accelerators[i].type);
		fuzz_require(vm.accelerators[i].count >= 0);
	}
	require_texts(vm.external_ips, vm.n_external_ips);
}

static void read_node(const struct cJSON *j, struct arena *a)
{
	struct tpu_node t = {0};
	struct err e = {0};
	enum err_code rc = tpu_node_read(j, a, &t, &e);

	if (rc) {
		require_refused(rc, &e);
		return;
	}
	require_name(t.name);
	require_name(t.location);
	require_text(t.accelerator_type);
	require_text(t.state);
	require_text(t.runtime_version);
	require_text(t.queued_resource);
	require_texts(t.addresses, t.n_endpoints);
	require_texts(t.data_disks, t.n_data_disks);
}

static void read_queued(const struct cJSON *j, struct arena *a)
{
	struct tpu_queued q = {0};
	struct err e = {0};
	enum err_code rc = tpu_queued_read(j, a, &q, &e);

	if (rc) {
		require_refused(rc, &e);
		return;
	}
	require_name(q.name);
	require_name(q.location);
	require_text(q.state);
	require_texts(q.accelerator_types, q.n_nodes);
	require_texts(q.node_ids, q.n_nodes);
	for (size_t i = 0; i < q.n_nodes; i++)
		fuzz_require(q.node_counts[i] >= 1);
}

static void read_value(const struct bq_row *row, const char *column)
{
	struct opt_i64 v = NONE;
	struct err e = {0};
	const char *s = NULL;

	if (bq_text(row, column, &s, &e) == E_OK && s)
		require_text(s);
	if (bq_i64(row, column, &v, &e))
		require_refused(e.code, &e);
	v = NONE;
	if (bq_nanos(row, column, &v, &e))
		require_refused(e.code, &e);
	v = NONE;
	if (bq_ts(row, column, &v, &e))
		require_refused(e.code, &e);
	else if (v.set)
		fuzz_require(v.v <= INT64_MAX / 1000000 && v.v >= INT64_MIN / 1000000 - 1);
}

/* {"schema": {"fields": [...]}, "rows": [{"f": [...]}]} */
static void read_query(const struct cJSON *j, struct arena *a)
{
	struct bq_columns columns = {0};
	struct bq_row row = {.columns = &columns};
	struct err e = {0};
	enum err_code rc = bq_read_fields(
		json_get(j, "schema"), a, &columns.fields, &columns.n, &e);

	if (rc) {
		require_refused(rc, &e);
		return;
	}
	fuzz_require(columns.n <= BQ_MAX_COLUMNS);
	row.cells = arena_alloc(a, columns.n * sizeof(*row.cells));
	JSON_EACH (it, json_get(j, "rows")) {
		cleanup(sbuf_done) struct sbuf text = SBUF_INIT;

		json_print(&text, it);
		rc = bq_read_row(&row, text.s, text.len, &e);
		if (rc) {
			require_refused(rc, &e);
			continue;
		}
		for (size_t i = 0; i < columns.n; i++)
			read_value(&row, columns.fields[i].name);
	}
	bq_row_done(&row);
}

int fuzz_answer(const uint8_t *data, size_t size)
{
	static struct arena a;
	struct cJSON *j = NULL;
	char *s = fuzz_text(data, size);

	if (json_parse(s, size, &j, NULL) == E_OK) {
		read_instance(j, &a);
		read_node(j, &a);
		read_queued(j, &a);
		read_query(j, &a);
	}
	json_free(j);
	free(s);
	arena_reset(&a);
	return 0;
}
