/* A pasted command with a zone, type or class exchanged. */
#include "base/sbuf.h"
#include "base/str.h"
#include "cli/estimate.h"

#include <string.h>

const char *estimate_flags(const struct estimate_advice *v, struct arena *a)
{
	struct sbuf b = SBUF_INIT;
	const char *text;

	if (v->zone)
		sbuf_addf(&b, "--zone=%s", v->zone);
	if (v->type)
		sbuf_addf(&b, "%stype %s", b.len ? ", " : "", v->type);
	if (v->provisioning)
		sbuf_addf(&b, "%s%s", b.len ? ", " : "",
			str_eq(v->provisioning, "spot") ? "--spot" : "without --spot");
	text = arena_strdup(a, b.s);
	sbuf_done(&b);
	return text;
}

struct editing {
	char *const *words;
	int n;
	struct sbuf b;
	bool zone, type; /* found */
};

static void put(struct editing *ed, const char *word)
{
	sbuf_adds(&ed->b, ed->b.len ? " " : "");
	sbuf_add_shell(&ed->b, word);
}

/* Does the word begin a flag of that name, with one dash or two? The value is behind "=", or NULL:
 * in the next word. */
static bool is_flag(const char *word, const char *name, const char **value)
{
	size_t n = strlen(name);

	if (*word != '-')
		return false;
	word += word[1] == '-' ? 2 : 1;
	if (strncmp(word, name, n) != 0 || (word[n] && word[n] != '='))
		return false;
	*value = word[n] ? word + n + 1 : NULL;
	return true;
}

/* Exchange the value of a flag at words[i]; returns how many words that took, 0: it is another. */
static int exchange(struct editing *ed, int i, const char *name, const char *to)
{
	const char *value;

	if (!is_flag(ed->words[i], name, &value))
		return 0;
	sbuf_adds(&ed->b, ed->b.len ? " " : "");
	sbuf_addf(&ed->b, "%.*s=", (int)strcspn(ed->words[i], "="), ed->words[i]);
	sbuf_add_shell(&ed->b, to);
	return value || i + 1 == ed->n ? 1 : 2;
}

static bool says_class(const char *word)
{
	static const char *const flags[] = {
		"spot", "preemptible", "best-effort", "reserved", "guaranteed"};
	const char *value;

	for (size_t i = 0; i < ARRAY_LEN(flags); i++)
		if (is_flag(word, flags[i], &value))
			return true;
	return false;
}

static int edit_zone_or_type(struct editing *ed, int i, const struct estimate_advice *v)
{
	static const char *const types[] = {"accelerator-type", "tpu-size"};
	int taken = v->zone ? exchange(ed, i, "zone", v->zone) : 0;

	ed->zone = ed->zone || taken;
	for (size_t k = 0; !taken && v->type && k < ARRAY_LEN(types); k++) {
		taken = exchange(ed, i, types[k], v->type);
		ed->type = ed->type || taken;
	}
	return taken;
}

/* The word that older commands know. */
static const char *spot_word(const struct editing *ed)
{
	for (int i = 0; i < ed->n; i++)
		if (str_eq(ed->words[i], "tpu-vm") ||
			str_eq(ed->words[i], "queued-resources"))
			return "--spot";
	return "--preemptible";
}

/* One word stands for one TPU: of several wishes it is not clear whose flag it is. */
static bool is_editable(char *const *words, int n, const struct estimate_thing *t)
{
	return n > 1 && !t->wish->beside && strlen(words[0]) < 4096;
}

const char *estimate_command(char *const *words, int n, const struct estimate_thing *t,
	const struct estimate_advice *v, struct arena *a)
{
	struct editing ed = {.words = words, .n = n, .b = SBUF_INIT};
	const char *text = NULL;

	if (!is_editable(words, n, t))
		return NULL;
	for (int i = 0; i < n;) {
		int taken = edit_zone_or_type(&ed, i, v);

		if (!taken && v->provisioning && says_class(words[i]))
			taken = 1;
		else if (!taken)
			put(&ed, words[i]), taken = 1;
		i += taken;
	}
	if (v->zone && !ed.zone)
		put(&ed, arena_printf(a, "--zone=%s", v->zone));
	if (str_eq(v->provisioning, "spot"))
		put(&ed, spot_word(&ed));
	if (!v->type || ed.type)
		text = arena_strdup(a, ed.b.s);
	sbuf_done(&ed.b);
	return text;
}
