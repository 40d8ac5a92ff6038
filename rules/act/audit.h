/* The record of what was done to machines and why, and of what people said about that: entries
 * chained by SHA-256, so that a change, a removal or another order shows. Cutting off the end
 * shows against a hash that was noted outside (every daily report prints the newest).
 *
 * hash = SHA-256 of "seq\nat\nactor\nevent\naction\nresource\ndetail\nprev" (decimal numbers, ""
 * for what is NULL) in lower-case hex; prev of the first entry is 64 zeros. Part of tpucost-net:
 * hashing is libcrypto's. */
#ifndef TPUCOST_RULES_ACT_AUDIT_H
#define TPUCOST_RULES_ACT_AUDIT_H

#include "base/err.h"
#include "base/mem.h"

struct db;

#define AUDIT_HASH_BUF 65

struct audit_entry {
	const char *actor; /* "tpucost", "user ada": who did it */
	const char *
		event; /* began warned held intent sent verified failed approved halted ... */
	int64_t action;       /* 0: none */
	const char *resource; /* or NULL */
	const char *detail;   /* JSON object, keys sorted; NULL: {} */
};

/* Append one entry, in the transaction of what it is about. */
enum err_code audit_add(
	struct db *db, const struct audit_entry *entry, ts_t now, struct err *e) must_check;

struct audit_verdict {
	bool ok;
	int64_t entries, bad;      /* bad: seq of the first that is wrong, 0 = none */
	const char *why;           /* what is wrong with it; arena */
	char head[AUDIT_HASH_BUF]; /* "" of an empty record */
	int64_t head_seq;
};
/* `anchor`: a hash that was noted before, which must still be in it; or NULL. */
enum err_code audit_verify(struct db *db, const char *anchor, struct arena *a,
	struct audit_verdict *out, struct err *e) must_check;

/* "user NAME" of who runs this program. Arena. */
const char *audit_user(struct arena *a);
/* The same of a login ("": none is known) and a number. */
const char *audit_user_of(const char *login, unsigned long uid, struct arena *a);

#endif
