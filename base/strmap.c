#include "base/strmap.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct strmap_slot {
	char *key; /* NULL = free */
	size_t value;
};

/* FNV-1a in steps of eight bytes, and folded, because slots are selected by the lower bits. */
static uint64_t map_mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 32;
}

static uint64_t map_hash(const char *s)
{
	size_t n = strlen(s);
	uint64_t h = n, v = 0;

	for (; n >= sizeof(v); n -= sizeof(v), s += sizeof(v)) {
		memcpy(&v, s, sizeof(v));
		h = map_mix(h, v);
	}
	v = 0;
	memcpy(&v, s, n);
	return map_mix(h, v);
}

/* The slot of `key`, or the free one for it. */
static struct strmap_slot *map_find(struct strmap_slot *slots, size_t room, const char *key)
{
	size_t i = (size_t)map_hash(key) & (room - 1);

	while (slots[i].key && strcmp(slots[i].key, key) != 0)
		i = (i + 1) & (room - 1);
	return &slots[i];
}

size_t *strmap_get(const struct strmap *m, const char *key)
{
	struct strmap_slot *s = m->room ? map_find(m->slots, m->room, key) : NULL;

	return s && s->key ? &s->value : NULL;
}

static void map_grow(struct strmap *m)
{
	size_t room = m->room ? m->room * 2 : 16;
	struct strmap_slot *slots = xcalloc(room, sizeof(*slots));

	for (size_t i = 0; i < m->room; i++)
		if (m->slots[i].key)
			*map_find(slots, room, m->slots[i].key) = m->slots[i];
	free(m->slots);
	m->slots = slots;
	m->room = room;
}

bool strmap_put(struct strmap *m, const char *key, size_t value)
{
	struct strmap_slot *s;

	if (m->n >= m->room / 2)
		map_grow(m);
	s = map_find(m->slots, m->room, key);
	if (s->key)
		return false;
	s->key = xstrdup(key);
	s->value = value;
	m->n++;
	return true;
}

void strmap_done(struct strmap *m)
{
	for (size_t i = 0; i < m->room; i++)
		free(m->slots[i].key);
	free(m->slots);
	*m = (struct strmap){0};
}
