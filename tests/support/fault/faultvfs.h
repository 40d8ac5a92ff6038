/* A disk that fails on request: an SQLite VFS in front of the usual one. The Nth write, sync,
 * truncation or shared memory call fails, once or from then on. It also keeps what would be
 * on the disk if the power went now: what was synced, and any part of the rest.
 *
 * One for the whole process. Syncs are not passed on: no test here outlives the machine. */
#ifndef TPUCOST_TESTS_SUPPORT_FAULTVFS_H
#define TPUCOST_TESTS_SUPPORT_FAULTVFS_H

#include "base/base.h"

enum fault_op {
	FAULT_OP_WRITE = 1,
	FAULT_OP_SYNC = 2,
	FAULT_OP_TRUNCATE = 4,
	FAULT_OP_SHM = 8, /* growing the shared memory of WAL mode */
	FAULT_OP_READ = 16,
	FAULT_OP_OPEN = 32,
	FAULT_OP_CHANGE = FAULT_OP_WRITE | FAULT_OP_SYNC | FAULT_OP_TRUNCATE | FAULT_OP_SHM,
};

struct faultvfs {
	unsigned ops;     /* calls that are counted */
	int64_t at;       /* the one that fails, from 1; 0: none */
	bool for_ever;    /* and every one after it */
	bool full;        /* the disk is full; else it is broken */
	int64_t calls;    /* counted since it was armed */
	int64_t failed;   /* of these */
	int64_t slept_ms; /* that SQLite wanted to sleep, and did not */
	bool track;       /* keep what is synced, for faultvfs_power_off */
	/* Called before every counted call, for taking pictures of the disk. */
	void (*before)(void *ctx);
	void *ctx;
};
extern struct faultvfs faultvfs;

/* Make it the VFS of every database opened from now on. */
void faultvfs_install(void);
void faultvfs_arm(unsigned ops, int64_t at, bool for_ever, bool full);
void faultvfs_disarm(void); /* and stop tracking */

/* Begin to keep what is synced; call it while no database is open. */
void faultvfs_track(void);
/* Write what a disk that lost power now would hold into `dir`. Seed 0: nothing of what was
 * not synced; 1: all of it; others: some of the writes, by chance. */
void faultvfs_power_off(const char *dir, unsigned seed);

/* SQLite's own memory: the Nth allocation fails, once or from then on; at 0: none. */
struct faultmem {
	int64_t at;
	bool for_ever;
	int64_t calls, failed;
};
extern struct faultmem faultmem;
/* Before the first use of SQLite in the process. */
void faultmem_install(void);
void faultmem_arm(int64_t at, bool for_ever);

#endif
