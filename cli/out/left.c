/* Columns that tables were printed without, as there was no room for them. */
#include "cli/out/internal.h"

#include <string.h>

static struct sbuf unsaid; /* of all tables since they were said */

struct sbuf *out_left_out(const struct out_style *style)
{
	return style->left_out ? style->left_out : &unsaid;
}

/* Of several tables each name once. A currency stands beside its amounts instead. */
void out_leave(struct sbuf *b, const char *name)
{
	size_t n = strlen(name);

	if (!strcmp(name, "currency"))
		return;
	for (const char *s = b->len ? b->s : ""; *s; s += strspn(s, ", ")) {
		if (strcspn(s, ",") == n && !memcmp(s, name, n))
			return;
		s += strcspn(s, ",");
	}
	sbuf_addf(b, "%s%s", b->len ? ", " : "", name);
}

void out_left_take(struct sbuf *b)
{
	*b = unsaid;
	unsaid = (struct sbuf)SBUF_INIT;
}
