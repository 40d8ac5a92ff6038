/* Commands as people paste them. What is made of a text keeps the promises of a proposal or is refused
 * with words; and the one command that it was, written again with its words quoted, is the same. */
#include "base/sbuf.h"
#include "base/str.h"
#include "cli/paste/paste.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/paste.h"

#include <string.h>

static const char *paste_variable_of(const char *name)
{
	return strcmp(name, "ZONE") != 0 ? NULL : "us-west4-a";
}

static const struct paste_env around = {.project = "lab",
	.zone = "us-central1-f",
	.region = "us-central1",
	.variable = paste_variable_of};

static bool is_one_of(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(word, *list))
			return true;
	return false;
}

static void check_wish(const struct wish *w)
{
	static const char *const kinds[] = {"tpu", "vm", "disk", "ip", "bucket", NULL};
	static const char *const classes[] = {"on-demand", "spot", "reserved", NULL};

	fuzz_require(is_one_of(w->kind, kinds));
	fuzz_require(w->count >= 1 && w->count <= PROPOSAL_MAX_COUNT);
	fuzz_require(w->size_gib >= 0 && w->vcpus >= 0 && w->memory_mib >= 0);
	fuzz_require(w->gpu_count >= 0 && w->local_ssd_gib >= 0);
	fuzz_require(!w->provisioning || is_one_of(w->provisioning, classes));
	fuzz_require((w->gpu_count > 0) == (w->gpu_type != NULL));
	/* all of them together can be counted */
	fuzz_require(w->size_gib <= INT64_MAX / PROPOSAL_MAX_COUNT);
}

/* The words of the command, each quoted for a shell. */
static void write_words(struct sbuf *b, const struct proposal *p, bool *variable)
{
	for (size_t i = 0; i < p->n_words; i++) {
		sbuf_adds(b, i ? " " : "");
		*variable = *variable || p->words[i].variable;
		sbuf_add_shell(b, p->words[i].s);
	}
}

static void check_again(struct arena *a, const struct proposal *p)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;
	const char *first = proposal_summary(a, p, false), *again;
	struct proposal same = {0};
	const char **words = arena_alloc(a, p->n_words * sizeof(*words));
	struct err e = {0};
	bool variable = false;

	write_words(&text, p, &variable);
	if (variable)
		return; /* quoted they are no variables any more */
	again = paste_summary(a, text.s, &around, false);
	if (strcmp(first, again) != 0)
		fprintf(stderr, "%s\nwas:   %s\nagain: %s\n", text.s, first, again);
	fuzz_require(!strcmp(first, again));
	for (size_t i = 0; i < p->n_words; i++)
		words[i] = p->words[i].s;
	fuzz_require(paste_words(a, words, p->n_words, &around, &same, &e) == E_OK);
	fuzz_require(!strcmp(first, proposal_summary(a, &same, false)));
}

int fuzz_paste(const uint8_t *data, size_t size)
{
	char *s = fuzz_text(data, size);
	struct proposal p = {0};
	struct arena a = {0};
	struct err e = {0};
	enum err_code rc = paste_text(&a, s, &around, &p, &e);

	if (rc) {
		fuzz_require((rc == E_USAGE || rc == E_LIMIT) && e.code == rc && e.msg[0]);
	} else {
		fuzz_require(p.n >= 1 && p.n <= PROPOSAL_MAX);
		for (size_t i = 0; i < p.n; i++)
			check_wish(&p.v[i]);
		for (size_t i = 0; i < p.n_notes; i++)
			fuzz_require(p.notes[i][0]);
		/* where a line before it set the project or the zone, that is not in its words */
		if (p.n_words && !strstr(s, "config"))
			check_again(&a, &p);
	}
	arena_done(&a);
	free(s);
	return 0;
}
