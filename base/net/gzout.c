#include "base/net/gzout.h"

#include "base/fs.h"
#include "base/mem.h"

#include <stdlib.h>
#include <zlib.h>

#define GZIP (MAX_WBITS + 16) /* gzip, neither zlib nor a raw stream */
#define MEMORY 8              /* the default of zlib */

struct gzout {
	z_stream z;
	unsigned char out[65536];
};

static enum err_code gzout_end(struct gzout **state, enum err_code rc)
{
	deflateEnd(&(*state)->z);
	free_ptr(state);
	return rc;
}

static enum err_code gzout_begin(struct gzout **state, struct err *e)
{
	*state = xcalloc(1, sizeof(**state));
	if (deflateInit2(&(*state)->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, MEMORY,
		    Z_DEFAULT_STRATEGY) == Z_OK)
		return E_OK;
	free_ptr(state);
	return err_set(e, E_BUG, "gzip could not begin");
}

enum err_code gzout_write(struct gzout **state, int fd, const char *name, const void *data,
	size_t len, bool last, struct err *e)
{
	z_stream *z;
	int rc;

	if (!*state && gzout_begin(state, e))
		return e->code;
	z = &(*state)->z;
	z->next_in = (unsigned char *)(uintptr_t)data;
	z->avail_in = (unsigned)len;
	do {
		z->next_out = (*state)->out;
		z->avail_out = sizeof((*state)->out);
		rc = deflate(z, last ? Z_FINISH : Z_NO_FLUSH);
		if (fs_write_all(fd, name, (*state)->out,
			    sizeof((*state)->out) - z->avail_out, e))
			return gzout_end(state, e->code);
	} while (rc == Z_OK && (z->avail_in || !z->avail_out || last));
	return last ? gzout_end(state, E_OK) : E_OK;
}
