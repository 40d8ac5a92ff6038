/* Audit log of actions on machines, of their reasons, and of what users decided about them. Entries
 * are chained by SHA-256, so that a change, a removal or a new order is detected. Removal of
 * entries at the end is detected with a hash that was noted outside (every daily report prints the
 * newest).
 *
 * hash = SHA-256 of "seq\nat\nactor\nevent\naction\nresource\ndetail\nprev" (decimal numbers, ""
 * for NULL) in lower-case hex; prev of the first entry is 64 zeros. Part of tpucost-net, because
 * libcrypto computes the hashes. */
#ifndef TPUCOST_RULES_ACT_AUDIT_H
#define TPUCOST_RULES_ACT_AUDIT_H

#include "base/err.h"
#include "base/mem.h"

struct db;

#define AUDIT_HASH_BUF 65

struct audit_entry {
	const char *actor; /* author: "tpucost", "user ada" */
	/* began warned held intent sent verified failed approved halted ... */
	const char *event;
	int64_t action;       /* 0: none */
	const char *resource; /* or NULL */
	const char *detail;   /* JSON object, keys sorted; NULL: {} */
};

/* Append one entry, in the transaction of the change that it records. */
enum err_code audit_add(
	struct db *db, const struct audit_entry *entry, ts_t now, struct err *e) must_check;

struct audit_verdict {
	bool ok;
	int64_t entries, bad;      /* bad: seq of the first wrong entry, 0 = none */
	const char *why;           /* reason; allocated from the arena */
	char head[AUDIT_HASH_BUF]; /* "" of an empty record */
	int64_t head_seq;
};
/* Verify all entries. `anchor`: a previously noted hash that must be among them; or NULL. */
enum err_code audit_verify(struct db *db, const char *anchor, struct arena *a,
	struct audit_verdict *out, struct err *e) must_check;

/* "user NAME" of the user that runs this program; allocated from `a`. */
const char *audit_user(struct arena *a);
/* The same from a login name ("": unknown) and a user number. */
const char *audit_user_of(const char *login, unsigned long uid, struct arena *a);

#endif
