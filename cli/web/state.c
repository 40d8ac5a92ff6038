/* Identity of answers: hashes for ETag and nonce. They need no cryptography: an ETag is not a secret, and a nonce is
 * sent with its page only. */
#include "base/fs.h"
#include "base/time/tz.h"
#include "cli/config/config.h"
#include "cli/web/web.h"
#include "rules/enforce/halt.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

static uint64_t add(uint64_t h, const void *data, size_t n) /* FNV-1a */
{
	const unsigned char *p = data;

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * UINT64_C(0x100000001b3);
	return h;
}

static uint64_t stir(uint64_t h) /* splitmix64 */
{
	h = (h ^ (h >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	h = (h ^ (h >> 27)) * UINT64_C(0x94d049bb133111eb);
	return h ^ (h >> 31);
}

static uint64_t begin(void)
{
	return UINT64_C(0xcbf29ce484222325);
}

/* Each commit changes the length or the time of the file or of its log. A commit within the same tick of the
 * clock that overwrites the log would be missed until the minute ends, which ETag contains. */
static uint64_t add_file(uint64_t h, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return add(h, "-", 1);
	h = add(h, &st.st_ino, sizeof(st.st_ino));
	h = add(h, &st.st_size, sizeof(st.st_size));
	return add(h, &st.st_mtim, sizeof(st.st_mtim));
}

/* The configuration is read each time: it may name another database now. */
void web_state(const struct app *base, char out[WEB_HASH])
{
	struct app app = {.o.config = base->o.config};
	cleanup(sbuf_done) struct sbuf wal = SBUF_INIT;
	uint64_t h = add(begin(), TPUCOST_VERSION, strlen(TPUCOST_VERSION));
	const char *path = config_path(&app), *halt;
	struct config cfg = {0};
	struct err e = {0};

	h = add_file(h, path);
	if (!config_read(path, &app.arena, &cfg, &e)) { /* else no answer is kept */
		cleanup(free_ptr) char *real = fs_real(cfg.database);

		sbuf_addf(&wal, "%s-wal", real); /* SQLite names it so */
		h = add_file(add_file(h, cfg.database), wal.s);
		if (halt_found(&cfg.enforcement.made, NULL, &app.arena, &halt))
			h = add(h, halt, strlen(halt));
	}
	tz_free(cfg.tz);
	arena_done(&app.arena);
	snprintf(out, WEB_HASH, "%016llx", (unsigned long long)stir(h));
}

void web_hash(const char *a, const char *b, bool secret, char out[WEB_HASH])
{
	static uint64_t key[2];
	uint64_t h = add(begin(), a, strlen(a) + 1);

	h = add(h, b, strlen(b));
	while (secret && !key[0])
		if (getrandom(key, sizeof(key), 0) != sizeof(key))
			key[0] = 0;
	if (secret)
		h = stir(h ^ key[0]) + key[1];
	snprintf(out, WEB_HASH, "%016llx", (unsigned long long)stir(h));
}
