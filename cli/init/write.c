/* Configuration that `tpucost init` writes. Uses no network and no clock. */
#include "base/str.h"
#include "cli/init/init.h"

#include <string.h>

#define DETAILED "gcp_billing_export_resource_v1_"
#define STANDARD "gcp_billing_export_v1_"
#define COMMENT_AT 40 /* column */

/* ---- tables of the export ------------------------------------------------------------------ */

/* "01AB23_CD45EF_678901" -> "01AB23-CD45EF-678901"; "" if it is not an account. */
static const char *account_of(const char *s, struct arena *a)
{
	char *account = arena_strdup(a, s);

	if (strlen(s) != 20 || s[6] != '_' || s[13] != '_')
		return "";
	for (char *p = account; *p; p++)
		if (*p == '_')
			*p = '-';
	return account;
}

bool init_table_read(const char *table, struct arena *a, struct init_table *out)
{
	out->detailed = str_starts(table, DETAILED);
	if (!out->detailed && !str_starts(table, STANDARD))
		return false;
	out->account = account_of(
		table + (out->detailed ? strlen(DETAILED) : strlen(STANDARD)), a);
	return true;
}

static bool written_is_of(const struct init_table *t, const char *account)
{
	return account && str_eq(t->account, account);
}

static bool is_better(
	const struct init_table *t, const struct init_table *than, const char *account)
{
	if (written_is_of(t, account) != written_is_of(than, account))
		return written_is_of(t, account);
	if (t->detailed != than->detailed)
		return t->detailed;
	return t->modified_ms > than->modified_ms;
}

const char *init_pick_table(struct init_found *f, struct arena *a)
{
	bool ours = false, others = false, detailed = false, standard = false;
	struct init_table taken;
	size_t best = 0;

	for (size_t i = 1; i < f->n_tables; i++)
		if (is_better(&f->tables[i], &f->tables[best], f->account))
			best = i;
	if (f->n_tables < 2)
		return NULL;
	taken = f->tables[best];
	memmove(f->tables + 1, f->tables, best * sizeof(taken));
	f->tables[0] = taken;
	for (size_t i = 0; i < f->n_tables; i++) {
		ours = ours || written_is_of(&f->tables[i], f->account);
		others = others || !written_is_of(&f->tables[i], f->account);
		detailed = detailed || f->tables[i].detailed;
		standard = standard || !f->tables[i].detailed;
	}
	if (ours && others)
		return arena_printf(a,
			"it belongs to the billing account of the project, %s", f->account);
	if (detailed && standard)
		return "it is the detailed export";
	return "it has the newest data";
}

const char *init_table_doubt(const struct init_found *f, struct arena *a)
{
	const struct init_table *t = f->tables;

	if (!f->n_tables || !f->account || !*t->account || written_is_of(t, f->account))
		return NULL;
	return arena_printf(a,
		"it belongs to account %s, but the projects are paid by %s: check that "
		"they are in it",
		t->account, f->account);
}

const char *init_table_says(const struct init_table *t, struct arena *a)
{
	return arena_printf(a, "%s%s%s%s%s", t->detailed ? "detailed" : "standard",
		*t->location ? ", " : "", t->location, *t->account ? ", account " : "",
		t->account);
}

/* ---- the file ------------------------------------------------------------------------------ */

/* Appends a line with a comment that explains it. */
static void written_add_line(struct sbuf *b, const char *comment, const char *fmt, ...)
	printf_like(3, 4);
static void written_add_line(struct sbuf *b, const char *comment, const char *fmt, ...)
{
	size_t from = b->len;

	sbuf_add_args(b, fmt);
	if (*comment) {
		size_t len = b->len - from;

		sbuf_pad(b, ' ', len < COMMENT_AT ? COMMENT_AT - len : 1);
		sbuf_addf(b, "# %s", comment);
	}
	sbuf_addc(b, '\n');
}

/* Appends a path in quotes; a quote in it is doubled. */
static void written_add_quoted(struct sbuf *b, const char *s)
{
	sbuf_addc(b, '\'');
	for (; *s; s++) {
		if (*s == '\'')
			sbuf_addc(b, '\'');
		sbuf_addc(b, *s);
	}
	sbuf_addc(b, '\'');
}

static void written_write_head(const struct init_found *f, struct sbuf *b)
{
	sbuf_addf(b,
		"# Written by `tpucost init` on %s. Lines that begin with # are\n"
		"# examples or alternatives that were not chosen. `tpucost check` checks "
		"the "
		"file, and\n"
		"# `tpucost doctor` shows the commands for missing steps.\n\n",
		f->day);
	written_add_line(b, "of days and reports; that of this machine", "timezone: %s",
		f->timezone);
	if (f->currency)
		written_add_line(b, "of reports; that of the billing account",
			"currency: %s", f->currency);
	else
		written_add_line(b, "of reports; default: USD", "# currency: EUR");
	written_add_line(b, "in the directory of this file", "# database: tpucost.db");
}

/* Writes the other projects after the list, as a block of comments. */
static void write_others(const struct init_found *f, struct sbuf *b)
{
	bool any = false;

	for (size_t i = 0; i < f->n_projects; i++) {
		const struct init_project *p = &f->projects[i];

		if (p->why)
			continue;
		if (!any)
			sbuf_adds(b,
				"  # Not watched, but visible with these credentials:\n");
		any = true;
		sbuf_addf(b, "  # - %s\n", p->id);
	}
}

static void write_projects(const struct init_found *f, struct sbuf *b)
{
	sbuf_adds(b, "\n# Projects to watch, in all zones.\n");
	if (f->whole_account) {
		written_add_line(b, "all that it pays for",
			"projects: {billing_account: %s}", f->account);
		return;
	}
	if (!f->n_projects || !f->projects[0].why) {
		written_add_line(b, "none was found", "projects: []");
		sbuf_adds(b,
			"# Replace the line above by your projects (gcloud projects "
			"list):\n# projects:\n#   - my-project\n");
	} else {
		sbuf_adds(b, "projects:\n");
		for (size_t i = 0; i < f->n_projects && f->projects[i].why; i++)
			written_add_line(
				b, f->projects[i].why, "  - %s", f->projects[i].id);
	}
	write_others(f, b);
}

static void write_credentials(const struct init_found *f, struct sbuf *b)
{
	sbuf_adds(b,
		"\n# Credentials to read with: the default ones of gcloud, those of the "
		"machine, "
		"or a key:\n");
	if (f->key) {
		sbuf_adds(b, "credentials: ");
		written_add_quoted(b, f->key);
		sbuf_addc(b, '\n');
	} else {
		sbuf_adds(b, "# credentials: /etc/tpucost/key.json\n");
	}
	if (f->endpoint)
		sbuf_addf(b, "endpoints: {all: \"%s\"} # not Google's\n", f->endpoint);
}

static void write_tables(const struct init_found *f, struct sbuf *b)
{
	struct arena a = {0};
	const char *doubt = init_table_doubt(f, &a);

	sbuf_adds(b,
		"\n# Billing export. Without it, resources, coverage, run rate and "
		"enforcement work, but billed\n# amounts are unknown.\n");
	if (f->n_tables) {
		sbuf_adds(b, "billing:\n");
		if (doubt)
			sbuf_addf(b, "  # %s\n", doubt);
		written_add_line(b, f->tables[0].detailed ? "detailed" : "standard",
			"  table: %s", f->tables[0].name);
		if (*f->tables[0].location)
			sbuf_addf(b, "  location: %s\n", f->tables[0].location);
	} else {
		sbuf_adds(b,
			"# No table was found. To enable the export in the console: "
			"Billing, Billing export,\n# BigQuery export, Edit settings "
			"(https://console.cloud.google.com/billing/export);\n# then enter "
			"its table here:\n"
			"# billing:\n"
			"#   table: "
			"my-project.billing.gcp_billing_export_resource_v1_01AB23_CD45EF_"
			"678901\n");
	}
	for (size_t i = 1; i < f->n_tables; i++)
		sbuf_addf(b, "  # table: %s # %s\n", f->tables[i].name,
			init_table_says(&f->tables[i], &a));
	arena_done(&a);
}

static void write_grants(const struct init_found *f, struct sbuf *b)
{
	if (f->grants) {
		sbuf_addf(b,
			"\n# Grants, read from the mail; check them.\n"
			"%s",
			f->grants);
		return;
	}
	sbuf_adds(b,
		"\n# Grants, as in the mail: tpucost grant import mail.eml writes this "
		"section.\n"
		"# grants:\n"
		"#   - name: trc\n"
		"#     starts: 2026-11-01 # the date of the mail\n"
		"#     days: 30\n"
		"#     tpus:\n"
		"#       - 5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a\n");
}

static void write_more(struct sbuf *b)
{
	sbuf_adds(b,
		"\n# Promotional credits, limits, and recipients of alerts:\n"
		"# credits:\n"
		"#   - {name: free-trial, amount: 300 USD, starts: 2026-10-01, expires: "
		"2026-12-30}\n"
		"# budgets:\n"
		"#   - {name: month, amount: 50 USD, per: month, alert_at: [50, 80, 100], "
		"forecast_at: [100]}\n"
		"# notify:\n"
		"#   - name: me\n"
		"#     sendmail: {to: [me@example.org], from: tpucost@example.org}\n"
		"# report: {daily: {at: \"09:00\"}}\n"
		"\n# Nothing is stopped unless this is armed: docs/enforce.md\n"
		"# enforcement: {mode: dry-run}\n");
}

void init_write(const struct init_found *f, struct sbuf *out)
{
	written_write_head(f, out);
	write_projects(f, out);
	write_credentials(f, out);
	write_tables(f, out);
	write_grants(f, out);
	write_more(out);
}
