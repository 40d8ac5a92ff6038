/* The memory that one statement may take. SQLite's own limit needs its statistics of memory, which take a
 * lock at every allocation and so a tenth of the instructions of a poll: they are off, and what is
 * allocated is counted here, only while there is a limit. */
#include "db/internal.h"

static sqlite3_mem_methods usual;
static _Thread_local bool limited;
static _Thread_local int64_t bytes_left;

static void *memory_malloc(int size)
{
	void *p = limited && size > bytes_left ? NULL : usual.xMalloc(size);

	if (limited && p)
		bytes_left -= usual.xSize(p);
	return p;
}

static void memory_free(void *p)
{
	if (limited)
		bytes_left += usual.xSize(p);
	usual.xFree(p);
}

static void *memory_realloc(void *old, int size)
{
	int64_t before = limited ? usual.xSize(old) : 0;
	void *p = limited && size - before > bytes_left ? NULL : usual.xRealloc(old, size);

	if (limited && p)
		bytes_left -= usual.xSize(p) - before;
	return p;
}

void db_limit_memory(int64_t bytes)
{
	limited = bytes > 0;
	bytes_left = bytes;
}

/* Before main: SQLite accepts no other functions once a connection was opened. */
__attribute__((constructor)) static void memory_set_up(void)
{
	sqlite3_mem_methods counted;

	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual);
	counted = usual;
	counted.xMalloc = memory_malloc;
	counted.xFree = memory_free;
	counted.xRealloc = memory_realloc;
	sqlite3_config(SQLITE_CONFIG_MALLOC, &counted);
}
