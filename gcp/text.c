#include "gcp/text.h"

#include "base/str.h"

#include <string.h>

void text_clean(const char *s, char *out, size_t room)
{
	size_t n = 0;

	while (*s) {
		size_t len;
		uint32_t c = utf8_next(s, &len);
		const char *p = s;

		s += len;
		if (c <= 0x20 || (c >= 0x7f && c < 0xa0) || (c == 0xfffd && len == 1)) {
			if (n == 0 || out[n - 1] == ' ')
				continue;
			p = " ";
			len = 1;
		}
		if (n + len >= room)
			break;
		memcpy(out + n, p, len);
		n += len;
	}
	while (n && out[n - 1] == ' ')
		n--;
	out[n] = '\0';
}
