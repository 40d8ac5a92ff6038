#include "base/sha256.h"

#include <string.h>

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t k[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b,
	0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6,
	0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d,
	0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
	0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585,
	0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa,
	0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

static uint32_t load(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void expand(const uint8_t *p, uint32_t w[64])
{
	for (int i = 0; i < 16; i++)
		w[i] = load(p + i * 4);
	for (int i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
			(rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
}

static void compress(uint32_t h[8], const uint8_t *p)
{
	uint32_t w[64], a = h[0], b = h[1], c = h[2], d = h[3];
	uint32_t e = h[4], f = h[5], g = h[6], i = h[7];

	expand(p, w);
	for (int t = 0; t < 64; t++) {
		uint32_t one = i + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
			((e & f) ^ (~e & g)) + k[t] + w[t];
		uint32_t two = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
			((a & b) ^ (a & c) ^ (b & c));

		i = g;
		g = f;
		f = e;
		e = d + one;
		d = c;
		c = b;
		b = a;
		a = one + two;
	}
	h[0] += a;
	h[1] += b;
	h[2] += c;
	h[3] += d;
	h[4] += e;
	h[5] += f;
	h[6] += g;
	h[7] += i;
}

void sha256_init(struct sha256 *s)
{
	/* the same of the square roots of the first eight primes */
	static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

	*s = (struct sha256){0};
	memcpy(s->h, start, sizeof(start));
}

void sha256_add(struct sha256 *s, const void *data, size_t len)
{
	const uint8_t *p = data;
	size_t have = s->len % sizeof(s->block);

	s->len += len;
	if (have) {
		size_t n = sizeof(s->block) - have;

		n = len < n ? len : n;
		memcpy(s->block + have, p, n);
		p += n;
		len -= n;
		if (have + n < sizeof(s->block))
			return;
		compress(s->h, s->block);
	}
	for (; len >= sizeof(s->block); len -= sizeof(s->block), p += sizeof(s->block))
		compress(s->h, p);
	if (len)
		memcpy(s->block, p, len);
}

void sha256_hex(const struct sha256 *s, char hex[SHA256_HEX])
{
	static const char digits[] = "0123456789abcdef";
	static const uint8_t padding[64] = {0x80};
	struct sha256 last = *s;
	uint8_t bits[8];

	for (int i = 0; i < 8; i++)
		bits[i] = (uint8_t)(s->len * 8 >> (56 - i * 8));
	/* up to 8 bytes before the end of a block */
	sha256_add(&last, padding, 64 - (s->len + 8) % 64);
	sha256_add(&last, bits, sizeof(bits));
	for (size_t i = 0; i < 64; i++)
		hex[i] = digits[last.h[i / 8] >> (28 - i % 8 * 4) & 0xf];
	hex[64] = '\0';
}
