/* Memory. If memory runs out, small bounded allocations end the program with a message and status
 * 1; every size that comes from outside is limited before. State changes only in database
 * transactions, so an end at any point is safe. */
#ifndef TPUCOST_BASE_MEM_H
#define TPUCOST_BASE_MEM_H

#include "base/base.h"

/* Report that `size` bytes could not be allocated (0: unknown number), and exit. */
noreturn_fn void out_of_memory(size_t size);

/* Like malloc, calloc, realloc and strdup, but never return NULL. */
void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t size);
char *xstrdup(const char *s);

/* For the cleanup attribute: `cleanup(free_ptr) char *path = NULL;` */
void free_ptr(void *pp);
void close_fd(int *fd);

/* Arena: allocations that are freed together. Results of a unit of work (a poll, a report, a
 * command) are plain arrays in the caller's arena; nothing is freed separately. */
struct arena {
	struct arena_block *head;
	size_t used; /* bytes allocated, for statistics and limits */
};

/* Zeroed memory aligned for any type. Never NULL; size 0 gives a valid pointer. */
void *arena_alloc(struct arena *a, size_t size);
char *arena_strdup(struct arena *a, const char *s); /* NULL stays NULL */
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) printf_like(2, 3);

/* Make space for one more element of `size` bytes in `array` of `n` elements: returns the array,
 * moved to twice the space when `n` has reached *cap: pointers to its elements are then invalid. */
void *arena_grow(struct arena *a, void *array, size_t n, size_t *cap, size_t size);

/* Append one element to an array of `n`, with room for `cap`: `*arena_append(a, v, n, cap) = x;` */
#define arena_append(a, array, n, cap) \
	((array) = arena_grow((a), (array), (n), &(cap), sizeof(*(array))), &(array)[(n)++])
/* To a list with the members v, n and cap. */
#define arena_push(a, list) arena_append((a), (list)->v, (list)->n, (list)->cap)

/* Blocks of an arena that no longer changes, to find out whether a text is in it. */
struct arena_places {
	struct arena_place {
		const char *from, *to;
	} * v;
	size_t n,
		last; /* the one of the last answer: the next text is often in it as well */
};
struct arena_places arena_places(const struct arena *a);
bool arena_has(struct arena_places *places, const char *text);
void arena_places_done(struct arena_places *places);

/* Moves what is in `from` to the arena. */
void arena_join(struct arena *a, struct arena *from);
/* Gives memory that was freed back to the system: after work that needed much. */
void mem_trim(void);
/* Discard all allocations, but keep a block for the next ones: for work that repeats. */
void arena_reset(struct arena *a);
void arena_done(struct arena *a); /* frees everything; the arena may be used again */

#define arena_new(a, type) ((type *)arena_alloc((a), sizeof(type)))

#endif
