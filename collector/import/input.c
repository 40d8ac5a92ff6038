#include "collector/import/input.h"

#include <string.h>

enum err_code import_more(
	struct import_input *in, char *buf, size_t room, size_t *n, struct err *e)
{
	if (!in->n_head)
		return in->read(in->ctx, buf, room, n, e);
	*n = in->n_head < room ? in->n_head : room;
	memcpy(buf, in->head, *n);
	in->head += *n;
	in->n_head -= *n;
	return E_OK;
}
