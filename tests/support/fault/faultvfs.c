#include "tests/support/fault/faultvfs.h"

#include "base/mem.h"
#include "db/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct faultvfs faultvfs;
struct faultmem faultmem;

static sqlite3_vfs *below;

/* ---- what is on the disk --------------------------------------------------------------------- */

/* A write that was not synced yet; data NULL: the file was cut at `at`. */
struct pending {
	struct pending *next;
	int64_t at;
	size_t len;
	unsigned char *data;
};

struct image {
	struct image *next;
	char *path;
	unsigned char *data; /* as of the last sync */
	size_t len;
	struct pending *first, **last;
};

static struct image *images;

static void apply(unsigned char **data, size_t *len, const struct pending *p)
{
	size_t end = (size_t)p->at + p->len;

	if (!p->data) {
		*len = (size_t)p->at < *len ? (size_t)p->at : *len;
		return;
	}
	if (end > *len) {
		*data = xrealloc(*data, end);
		memset(*data + *len, 0, end - *len);
		*len = end;
	}
	memcpy(*data + p->at, p->data, p->len);
}

static void settle(struct image *im, bool keep)
{
	while (im->first) {
		struct pending *p = im->first;

		if (keep)
			apply(&im->data, &im->len, p);
		im->first = p->next;
		free(p->data);
		free(p);
	}
	im->last = &im->first;
}

static void forget(struct image **at)
{
	struct image *im = *at;

	*at = im->next;
	settle(im, false);
	free(im->data);
	free(im->path);
	free(im);
}

static struct image **find(const char *path)
{
	struct image **at = &images;

	while (*at && strcmp((*at)->path, path) != 0)
		at = &(*at)->next;
	return at;
}

/* What is in the file already lies on the disk. */
static struct image *image_of(const char *path)
{
	struct image **at = find(path), *im;
	FILE *f;

	if (*at)
		return *at;
	im = *at = xcalloc(1, sizeof(*im));
	im->path = xstrdup(path);
	im->last = &im->first;
	f = fopen(path, "r");
	if (f) {
		unsigned char buf[65536];
		size_t n;

		while ((n = fread(buf, 1, sizeof(buf), f)) > 0) {
			im->data = xrealloc(im->data, im->len + n);
			memcpy(im->data + im->len, buf, n);
			im->len += n;
		}
		fclose(f);
	}
	return im;
}

static void note(struct image *im, int64_t at, const void *data, size_t len)
{
	struct pending *p = xcalloc(1, sizeof(*p));

	p->at = at;
	p->len = len;
	if (data)
		p->data = memcpy(xmalloc(len), data, len);
	*im->last = p;
	im->last = &p->next;
}

void faultvfs_track(void)
{
	while (images)
		forget(&images);
	faultvfs.track = true;
}

void faultvfs_power_off(const char *dir, unsigned seed)
{
	uint64_t chance = seed;

	for (const struct image *im = images; im; im = im->next) {
		const char *slash = strrchr(im->path, '/');
		unsigned char *data = xmalloc(im->len);
		size_t len = im->len;
		char path[512];
		FILE *f;

		if (len)
			memcpy(data, im->data, len);
		for (const struct pending *p = im->first; p; p = p->next) {
			chance = chance * 6364136223846793005u + 1442695040888963407u;
			if (seed == 1 || (seed && chance >> 63))
				apply(&data, &len, p);
		}
		snprintf(path, sizeof(path), "%s/%s", dir, slash ? slash + 1 : im->path);
		f = fopen(path, "w");
		if (!f || fwrite(data, 1, len, f) != len || fclose(f))
			abort();
		free(data);
	}
}

/* ---- files ------------------------------------------------------------------------------------ */

struct file {
	sqlite3_file base;
	struct image *image; /* NULL: temporary, or not tracked */
	sqlite3_file *real;
};

static sqlite3_file *real_of(sqlite3_file *f)
{
	return ((struct file *)f)->real;
}

static bool fails(enum fault_op op)
{
	bool hit;

	if (!(faultvfs.ops & op))
		return false;
	if (faultvfs.before)
		faultvfs.before(faultvfs.ctx);
	faultvfs.calls++;
	hit = faultvfs.at &&
		(faultvfs.calls == faultvfs.at ||
			(faultvfs.for_ever && faultvfs.calls > faultvfs.at));
	faultvfs.failed += hit;
	return hit;
}

static int file_close(sqlite3_file *f)
{
	return real_of(f)->pMethods->xClose(real_of(f));
}

static int file_read(sqlite3_file *f, void *buf, int len, sqlite3_int64 at)
{
	return fails(FAULT_OP_READ) ? SQLITE_IOERR_READ
				    : real_of(f)->pMethods->xRead(real_of(f), buf, len, at);
}

/* A full disk takes a part of what is written. */
static int file_write(sqlite3_file *f, const void *buf, int len, sqlite3_int64 at)
{
	struct image *im = ((struct file *)f)->image;
	bool hit = fails(FAULT_OP_WRITE);
	int n = hit ? len / 2 : len;
	int rc = real_of(f)->pMethods->xWrite(real_of(f), buf, n, at);

	if (im && faultvfs.track)
		note(im, at, buf, (size_t)n);
	return !hit ? rc : faultvfs.full ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}

static int file_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	struct image *im = ((struct file *)f)->image;

	if (fails(FAULT_OP_TRUNCATE))
		return SQLITE_IOERR_TRUNCATE;
	if (im && faultvfs.track)
		note(im, size, NULL, 0);
	return real_of(f)->pMethods->xTruncate(real_of(f), size);
}

static int file_sync(sqlite3_file *f, int flags)
{
	struct image *im = ((struct file *)f)->image;

	(void)flags;
	if (fails(FAULT_OP_SYNC))
		return SQLITE_IOERR_FSYNC;
	if (im && faultvfs.track)
		settle(im, true);
	return SQLITE_OK;
}

static int file_size(sqlite3_file *f, sqlite3_int64 *size)
{
	return real_of(f)->pMethods->xFileSize(real_of(f), size);
}

static int file_lock(sqlite3_file *f, int how)
{
	return real_of(f)->pMethods->xLock(real_of(f), how);
}

static int file_unlock(sqlite3_file *f, int how)
{
	return real_of(f)->pMethods->xUnlock(real_of(f), how);
}

static int file_check_reserved(sqlite3_file *f, int *out)
{
	return real_of(f)->pMethods->xCheckReservedLock(real_of(f), out);
}

static int file_control(sqlite3_file *f, int op, void *arg)
{
	return real_of(f)->pMethods->xFileControl(real_of(f), op, arg);
}

static int file_sector(sqlite3_file *f)
{
	return real_of(f)->pMethods->xSectorSize(real_of(f));
}

/* Nothing that a good disk promises: no safe overwriting, no order of writes. */
static int file_traits(sqlite3_file *f)
{
	(void)f;
	return 0;
}

/* A first page that is there needs no room; growing does. */
static int shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out)
{
	if (extend && fails(FAULT_OP_SHM)) {
		*out = NULL;
		return faultvfs.full ? SQLITE_IOERR_SHMSIZE : SQLITE_IOERR_SHMMAP;
	}
	return real_of(f)->pMethods->xShmMap(real_of(f), page, size, extend, out);
}

static int shm_lock(sqlite3_file *f, int at, int n, int flags)
{
	return real_of(f)->pMethods->xShmLock(real_of(f), at, n, flags);
}

static void shm_barrier(sqlite3_file *f)
{
	real_of(f)->pMethods->xShmBarrier(real_of(f));
}

static int shm_unmap(sqlite3_file *f, int delete)
{
	return real_of(f)->pMethods->xShmUnmap(real_of(f), delete);
}

static const sqlite3_io_methods methods = {.iVersion = 2,
	.xClose = file_close,
	.xRead = file_read,
	.xWrite = file_write,
	.xTruncate = file_truncate,
	.xSync = file_sync,
	.xFileSize = file_size,
	.xLock = file_lock,
	.xUnlock = file_unlock,
	.xCheckReservedLock = file_check_reserved,
	.xFileControl = file_control,
	.xSectorSize = file_sector,
	.xDeviceCharacteristics = file_traits,
	.xShmMap = shm_map,
	.xShmLock = shm_lock,
	.xShmBarrier = shm_barrier,
	.xShmUnmap = shm_unmap};

/* ---- the VFS ---------------------------------------------------------------------------------- */

static int vfs_open(
	sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out_flags)
{
	struct file *mine = (struct file *)f;
	int rc;

	(void)v;
	*mine = (struct file){.real = (sqlite3_file *)(mine + 1)};
	if (fails(FAULT_OP_OPEN))
		return faultvfs.full ? SQLITE_FULL : SQLITE_CANTOPEN;
	if (name && faultvfs.track && !(flags & SQLITE_OPEN_DELETEONCLOSE))
		mine->image = image_of(name);
	rc = below->xOpen(below, name, mine->real, flags, out_flags);
	if (mine->real->pMethods)
		mine->base.pMethods = &methods;
	return rc;
}

static int vfs_delete(sqlite3_vfs *v, const char *name, int sync_dir)
{
	struct image **at = find(name);

	(void)v;
	(void)sync_dir;
	if (*at)
		forget(at);
	return below->xDelete(below, name, 0);
}

/* The busy handler sleeps here: no test waits for it. */
static int vfs_sleep(sqlite3_vfs *v, int us)
{
	(void)v;
	faultvfs.slept_ms += us / 1000;
	return us;
}

/* The same numbers each time: runs that do the same leave the same bytes in a -wal file. */
static int vfs_randomness(sqlite3_vfs *v, int size, char *out)
{
	(void)v;
	memset(out, 1, (size_t)size);
	return size;
}

void faultvfs_install(void)
{
	static sqlite3_vfs vfs;

	if (below)
		return;
	below = sqlite3_vfs_find(NULL);
	vfs = *below;
	vfs.iVersion = 2;
	vfs.zName = "fault";
	vfs.pNext = NULL;
	vfs.szOsFile = below->szOsFile + (int)sizeof(struct file);
	vfs.xOpen = vfs_open;
	vfs.xDelete = vfs_delete;
	vfs.xSleep = vfs_sleep;
	vfs.xRandomness = vfs_randomness;
	if (sqlite3_vfs_register(&vfs, 1))
		abort();
}

void faultvfs_arm(unsigned ops, int64_t at, bool for_ever, bool full)
{
	faultvfs.ops = ops;
	faultvfs.at = at;
	faultvfs.for_ever = for_ever;
	faultvfs.full = full;
	faultvfs.calls = faultvfs.failed = faultvfs.slept_ms = 0;
	sqlite3_randomness(0, NULL); /* from the beginning again */
}

void faultvfs_disarm(void)
{
	faultvfs.ops = 0;
	faultvfs.at = 0;
	faultvfs.track = false;
	faultvfs.before = NULL;
}

/* ---- memory ------------------------------------------------------------------------------------- */

static sqlite3_mem_methods usual;

static bool no_memory(void)
{
	bool hit;

	faultmem.calls++;
	hit = faultmem.at &&
		(faultmem.calls == faultmem.at ||
			(faultmem.for_ever && faultmem.calls > faultmem.at));
	faultmem.failed += hit;
	return hit;
}

static void *mem_alloc(int size)
{
	return no_memory() ? NULL : usual.xMalloc(size);
}

static void *mem_realloc(void *p, int size)
{
	return no_memory() ? NULL : usual.xRealloc(p, size);
}

void faultmem_install(void)
{
	sqlite3_mem_methods mine;

	sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual);
	mine = usual;
	mine.xMalloc = mem_alloc;
	mine.xRealloc = mem_realloc;
	if (sqlite3_config(SQLITE_CONFIG_MALLOC, &mine))
		abort();
}

void faultmem_arm(int64_t at, bool for_ever)
{
	faultmem = (struct faultmem){.for_ever = for_ever};
	sqlite3_randomness(0, NULL);
	faultmem.calls = 0;
	faultmem.at = at;
}
