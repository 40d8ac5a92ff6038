#include "base/ahead.h"

#include "base/mem.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK ((size_t)256 << 10)
#define CHUNKS 2

/* Filled by the thread while `full` is false, emptied by the caller while it is true. */
struct chunk {
	char *bytes;
	size_t n, taken; /* n = 0: the end, or an error */
	struct err failed;
	bool full;
};

struct ahead {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	ahead_source source;
	void *ctx;
	struct chunk chunks[CHUNKS];
	size_t at; /* the caller's chunk */
	bool quit;
};

/* Wait until the chunk is full or empty, as requested; false: the caller has stopped reading. */
static bool ahead_wait_for(struct ahead *a, const struct chunk *c, bool full)
{
	bool quit;

	pthread_mutex_lock(&a->lock);
	while (c->full != full && !a->quit)
		pthread_cond_wait(&a->changed, &a->lock);
	quit = a->quit;
	pthread_mutex_unlock(&a->lock);
	return !quit;
}

static void ahead_hand_over(struct ahead *a, struct chunk *c, bool full)
{
	pthread_mutex_lock(&a->lock);
	c->full = full;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
}

static void *ahead_work(void *arg)
{
	struct ahead *a = arg;
	bool more = true;

	for (size_t i = 0; more; i = (i + 1) % CHUNKS) {
		struct chunk *c = &a->chunks[i];

		if (!ahead_wait_for(a, c, false))
			break;
		c->taken = c->n = 0;
		if (a->source(a->ctx, c->bytes, CHUNK, &c->n, &c->failed))
			c->n = 0;
		more = c->n > 0;
		ahead_hand_over(a, c, true);
	}
	return NULL;
}

static void ahead_give_back(struct ahead *a)
{
	for (size_t i = 0; i < CHUNKS; i++)
		free(a->chunks[i].bytes);
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

struct ahead *ahead_start(ahead_source source, void *ctx)
{
	struct ahead *a = xcalloc(1, sizeof(*a));

	a->source = source;
	a->ctx = ctx;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	for (size_t i = 0; i < CHUNKS; i++)
		a->chunks[i].bytes = xcalloc(1, CHUNK);
	if (!pthread_create(&a->thread, NULL, ahead_work, a))
		return a;
	ahead_give_back(a);
	return NULL;
}

enum err_code ahead_read(struct ahead *a, char *buf, size_t room, size_t *n, struct err *e)
{
	struct chunk *c = &a->chunks[a->at];
	size_t left;

	*n = 0;
	ahead_wait_for(a, c, true);
	if (c->failed.code) {
		*e = c->failed;
		return e->code;
	}
	left = c->n - c->taken;
	*n = left < room ? left : room;
	memcpy(buf, c->bytes + c->taken, *n);
	c->taken += *n;
	if (c->n && c->taken == c->n) {
		a->at = (a->at + 1) % CHUNKS;
		ahead_hand_over(a, c, false);
	}
	return E_OK;
}

void ahead_stop(struct ahead *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->quit = true;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->thread, NULL);
	ahead_give_back(a);
}
