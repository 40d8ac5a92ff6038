#include "base/mem.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE_BYTES ((size_t)4096)
#define LARGE ((size_t)4 * 1024 * 1024)
#define BLOCK_MIN ((size_t)16 * 1024)
#define KEPT_FREE ((size_t)4 * 1024 * 1024) /* memory that is free, and is not given back */
#define ALIGN _Alignof(max_align_t)

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	max_align_t data[];
};

void out_of_memory(size_t size)
{
	fprintf(stderr,
		"tpucost: out of memory: %zu bytes were refused; free some, or raise "
		"ulimit -v\n",
		size);
	_exit(EXIT_FAILURE); /* buffered output is incomplete */
}

/* The first use of each page of a large array costs more than the work on it: ask for pages of 2 MiB. It is the whole
 * mapping that asks, so that realloc() can move it without a copy. On systems without such pages nothing changes. */
static void *mem_large(void *p, size_t size)
{
	size_t before = (uintptr_t)p % PAGE_BYTES;

	if (size >= LARGE)
		(void)madvise((char *)p - before, before + size, MADV_HUGEPAGE);
	return p;
}

void *xmalloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p)
		out_of_memory(size);
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		out_of_memory(size);
	return mem_large(p, n * size);
}

void *xrealloc(void *old, size_t size)
{
	void *p = realloc(old, size ? size : 1);

	if (!p)
		out_of_memory(size);
	return mem_large(p, size);
}

char *xstrdup(const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(xmalloc(n), s, n);
}

void free_ptr(void *pp)
{
	free(*(void **)pp);
}

void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static size_t round_up(size_t n)
{
	if (n > SIZE_MAX / 2)
		out_of_memory(n);
	return (n + ALIGN - 1) / ALIGN * ALIGN;
}

/* `from` is where it begins in the newest block. */
static void *arena_take(struct arena *a, size_t from, size_t need)
{
	struct arena_block *b = a->head;

	if (!b || from > b->size || b->size - from < need) {
		size_t room = need > BLOCK_MIN ? need : BLOCK_MIN;

		b = xcalloc(1, sizeof(*b) + room);
		b->size = room;
		b->next = a->head;
		a->head = b;
		from = 0;
	}
	a->used += from + need - b->used;
	b->used = from + need;
	return (char *)b->data + from;
}

void *arena_alloc(struct arena *a, size_t size)
{
	return arena_take(
		a, a->head ? round_up(a->head->used) : 0, round_up(size ? size : 1));
}

/* Texts need no alignment: they follow one another. */
char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = arena_take(a, a->head ? a->head->used : 0, n + 1);

	memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return s ? arena_strndup(a, s, strlen(s)) : NULL;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	char brief[256]; /* sufficient for most texts: those are formatted once */
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(brief, sizeof(brief), fmt, ap);
	va_end(ap);
	if (n < 0)
		return arena_strdup(a, "");
	if ((size_t)n < sizeof(brief))
		return arena_strndup(a, brief, (size_t)n);
	p = arena_alloc(a, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
}

/* Free a block that holds only this. */
static void arena_drop(struct arena *a, const void *p, size_t size)
{
	struct arena_block **at = &a->head, *b;

	while ((b = *at) && (const void *)b->data != p)
		at = &b->next;
	if (!b || b->used != round_up(size))
		return;
	*at = b->next;
	a->used -= b->used;
	free(b);
}

void *arena_grow(struct arena *a, void *array, size_t n, size_t *cap, size_t size)
{
	size_t before = *cap;
	void *bigger;

	if (n < *cap)
		return array;
	*cap = *cap ? *cap * 2 : 8;
	if (*cap > SIZE_MAX / 2 / size)
		out_of_memory(*cap);
	bigger = arena_alloc(a, *cap * size);
	if (n)
		memcpy(bigger, array, n * size);
	if (before * size > BLOCK_MIN)
		arena_drop(a, array, before * size);
	return bigger;
}

static int arena_by_place(const void *pa, const void *pb)
{
	const struct arena_place *a = pa, *b = pb;

	return (a->from > b->from) - (a->from < b->from);
}

struct arena_places arena_places(const struct arena *a)
{
	struct arena_places out = {0};
	size_t blocks = 0;

	for (const struct arena_block *b = a->head; b; b = b->next)
		blocks++;
	out.v = xcalloc(blocks, sizeof(*out.v));
	for (const struct arena_block *b = a->head; b; b = b->next)
		out.v[out.n++] = (struct arena_place){
			(const char *)b->data, (const char *)b->data + b->used};
	if (out.n)
		qsort(out.v, out.n, sizeof(*out.v), arena_by_place);
	return out;
}

bool arena_has(struct arena_places *places, const char *text)
{
	const struct arena_place *v = places->v;
	size_t low = 0, high = places->n;

	if (!high)
		return false;
	if (text >= v[places->last].from && text < v[places->last].to)
		return true;
	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (text < v[mid].from)
			high = mid;
		else
			low = mid;
	}
	places->last = low;
	return text >= v[low].from && text < v[low].to;
}

void arena_places_done(struct arena_places *places)
{
	free(places->v);
	*places = (struct arena_places){0};
}

void arena_join(struct arena *a, struct arena *from)
{
	struct arena_block **at = a->head ? &a->head->next : &a->head, *rest = *at;

	*at = from->head;
	while (*at) /* `from` is the shorter list */
		at = &(*at)->next;
	*at = rest;
	a->used += from->used;
	*from = (struct arena){0};
}

#ifdef __GLIBC__
/* By itself glibc gives back whatever exceeds 128 KiB at the end of the heap, and asks for it again a moment later: of
 * a cycle that was a tenth. */
__attribute__((constructor)) static void mem_tune(void)
{
	(void)mallopt(M_TRIM_THRESHOLD, (int)KEPT_FREE);
	(void)mallopt(M_MMAP_THRESHOLD, (int)LARGE);
	(void)mallopt(M_TOP_PAD, 512 * 1024);
}

void mem_trim(void)
{
	if (mallinfo2().fordblks > KEPT_FREE)
		(void)malloc_trim(0);
}
#else
void mem_trim(void)
{
}
#endif

void arena_reset(struct arena *a)
{
	struct arena_block *b = a->head;

	if (!b)
		return;
	while (b->next) {
		struct arena_block *next = b->next->next;

		free(b->next);
		b->next = next;
	}
	if (b->size > BLOCK_MIN) {
		arena_done(a);
		return;
	}
	memset(b->data, 0, b->used);
	b->used = 0;
	a->used = 0;
}

void arena_done(struct arena *a)
{
	while (a->head) {
		struct arena_block *next = a->head->next;

		free(a->head);
		a->head = next;
	}
	a->used = 0;
}
