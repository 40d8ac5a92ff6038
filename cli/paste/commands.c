/* Table of the gcloud commands that are read, and their readers. */
#include "cli/paste/internal.h"

#include "base/sbuf.h"

#include <string.h>

static const struct {
	const char *words; /* after gcloud and its alpha or beta */
	paste_fn *read;
} commands[] = {
	{"compute tpus tpu-vm create", paste_tpu_vm},
	{"compute tpus queued-resources create", paste_queued},
	{"compute tpus create", paste_tpu_node},
	{"compute tpus execution-groups create", paste_group},
	{"compute instances create", paste_vm},
	{"compute instances create-with-container", paste_vm},
	{"compute instances bulk create", paste_vm_bulk},
	{"compute instance-templates create", paste_template},
	{"compute instance-groups managed create", paste_managed_group},
	{"container node-pools create", paste_node_pool},
	{"compute disks create", paste_disk},
	{"compute addresses create", paste_address},
	{"storage buckets create", paste_bucket},
};

bool paste_is_track(const char *word)
{
	return !strcmp(word, "alpha") || !strcmp(word, "beta") || !strcmp(word, "preview");
}

const char *paste_understood(struct arena *a)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		sbuf_addf(&b, "%s%s", i ? ", " : "gcloud ", commands[i].words);
	sbuf_adds(&b, "; gsutil mb; ctpu up");
	return arena_strdup(a, b.s);
}

size_t paste_matched(const struct pasting *p, size_t at, const char *words)
{
	size_t i = at;

	while (*words) {
		size_t len = strcspn(words, " ");

		if (i == p->words.n || strlen(p->words.v[i].s) != len ||
			strncmp(p->words.v[i].s, words, len) != 0)
			return 0;
		i++;
		words += len + (words[len] == ' ');
	}
	return i;
}

/* Compares the words after gcloud, without flags, alpha and beta. */
static bool commands_are_words(const struct paste_word *v, size_t n, const char *words)
{
	for (size_t k = 0; k < n && *words; k++) {
		size_t len = strcspn(words, " ");

		if (strlen(v[k].s) == len && !strncmp(v[k].s, words, len))
			words += len + (words[len] == ' ');
		else if (v[k].s[0] != '-' && !(k && v[k - 1].s[0] == '-') &&
			!paste_is_track(v[k].s))
			return false;
	}
	return !*words;
}

bool paste_is_read(const struct paste_word *v, size_t n)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (commands_are_words(v, n, commands[i].words))
			return true;
	return false;
}

paste_fn *paste_reader(
	const struct pasting *p, size_t at, const char **words, size_t *behind)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		*words = commands[i].words;
		*behind = paste_matched(p, at, *words);
		if (*behind)
			return commands[i].read;
	}
	return NULL;
}
