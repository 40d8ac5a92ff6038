/* The record of what was done, after somebody wrote into the file: whatever was put in, taken out or
 * changed, `audit verify` sees it; and who worked out all hashes anew is seen by the one that was noted
 * before. What has a line end in it is never taken into the record. */
#include "rules/act/audit.h"

#include "base/time/clock.h"
#include "base/net/digest.h"
#include "base/str.h"
#include "db/internal.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

#define NOW INT64_C(1795219200)
#define ENTRIES 4

static void put_entries(struct db *db)
{
	static const struct audit_entry all[ENTRIES] = {
		{.actor = "tpucost", .event = "began", .action = 1, .resource = "p/vm/z/m"},
		{.actor = "user ada",
			.event = "approved",
			.action = 1,
			.detail = "{\"n\":1}"},
		{.actor = "tpucost", .event = "sent", .resource = "p/vm/z/m"},
		{.actor = "tpucost",
			.event = "verified",
			.detail = "{\"state\":\"gone\"}"}};

	for (size_t i = 0; i < ENTRIES; i++)
		fuzz_require(audit_add(db, &all[i], NOW + (ts_t)i, NULL) == E_OK);
}

/* Every execution begins with the same record, made once. */
static struct db *open_once(void)
{
	static struct clock still;
	static struct db *db;
	struct err e = {0};

	if (db)
		return db;
	clock_fake_init(&still, NOW);
	fuzz_require(db_open_empty(&still, &db, &e) == E_OK);
	/* as who can write the file would */
	fuzz_require(db_exec(db,
			     "DROP TRIGGER audit_entry_no_update;"
			     "DROP TRIGGER audit_entry_no_delete;"
			     "DROP TRIGGER audit_entry_no_replace",
			     &e) == E_OK);
	put_entries(db);
	return db;
}

/* Preparing takes ten times as long as running: each statement is kept, for the one database. */
static sqlite3_stmt *prepared(struct db *db, sqlite3_stmt **kept, const char *sql)
{
	if (!*kept)
		fuzz_require(!sqlite3_prepare_v2(db->sq, sql, -1, kept, NULL));
	return *kept;
}

/* ---- what is added ----------------------------------------------------------------------------- */

static void check_added(struct db *db, char *s, struct arena *a)
{
	struct audit_entry entry = {.actor = s, .action = (int64_t)strlen(s)};
	char *event = strchr(s, '|'), *resource = event ? strchr(event + 1, '|') : NULL;
	char *detail = resource ? strchr(resource + 1, '|') : NULL;
	bool fine = !strchr(s, '\n');
	struct audit_verdict v;
	struct err e = {0};

	entry.event = event ? event + 1 : "";
	entry.resource = resource ? resource + 1 : NULL;
	entry.detail = detail ? detail + 1 : NULL;
	for (size_t i = 0; i < 3; i++)
		if ((char *[]){event, resource, detail}[i])
			*(char *[]){event, resource, detail}[i] = '\0';
	fuzz_require(audit_add(db, &entry, NOW, &e) == (fine ? E_OK : E_BUG));
	if (!fine)
		return;
	fuzz_require(audit_verify(db, NULL, a, &v, &e) == E_OK);
	fuzz_require(v.ok && v.entries == ENTRIES + 1 && v.head_seq == ENTRIES + 1);
}

/* ---- what is changed --------------------------------------------------------------------------- */

/* One statement; $1 is the entry, $2 the value as text and $3 as a number. False: the engine refuses. */
static bool run(sqlite3_stmt *st, int64_t seq, const uint8_t *value, size_t size)
{
	int64_t number = 0;
	bool ok;

	if (size)
		memcpy(&number, value, size < sizeof(number) ? size : sizeof(number));
	/* of what is not in it the index is 0, which is refused */
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, "$1"), seq);
	sqlite3_bind_text(st, sqlite3_bind_parameter_index(st, "$2"), (const char *)value,
		(int)size, SQLITE_STATIC);
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, "$3"), number);
	ok = sqlite3_step(st) == SQLITE_DONE && sqlite3_changes(sqlite3_db_handle(st)) > 0;
	sqlite3_reset(st);
	return ok;
}

/* All that is stored, byte by byte. */
static char *stored(struct db *db)
{
	static sqlite3_stmt *kept;
	sqlite3_stmt *st = prepared(db, &kept,
		"SELECT group_concat(seq || ' ' || at || ' ' || hex(actor) || ' ' || "
		"hex(event) || ' ' || COALESCE(action, '-') || ' ' || "
		"CASE WHEN resource IS NULL THEN '-' ELSE hex(resource) END || ' ' || "
		"hex(detail) || ' ' || hex(prev) || ' ' || hex(hash)) FROM (SELECT * FROM "
		"audit_entry ORDER BY seq)");
	char *out;

	fuzz_require(sqlite3_step(st) == SQLITE_ROW);
	out = fuzz_text(sqlite3_column_text(st, 0), (size_t)sqlite3_column_bytes(st, 0));
	sqlite3_reset(st);
	return out;
}

static bool change(
	struct db *db, unsigned what, int64_t seq, const uint8_t *value, size_t size)
{
#define COPY(at)                                                                      \
	"INSERT INTO audit_entry SELECT " at ", at, actor, event, action, resource, " \
	"detail, prev, hash FROM audit_entry WHERE seq = $1"
	static const char *const ways[] = {
		"UPDATE audit_entry SET actor = $2 WHERE seq = $1",
		"UPDATE audit_entry SET event = $2 WHERE seq = $1",
		"UPDATE audit_entry SET resource = $2 WHERE seq = $1",
		"UPDATE audit_entry SET detail = $2 WHERE seq = $1",
		"UPDATE audit_entry SET detail = detail || $2 WHERE seq = $1",
		"UPDATE audit_entry SET actor = CAST(substr(CAST(actor || $2 AS BLOB), 3) "
		"AS "
		"TEXT) WHERE seq = $1",
		"UPDATE audit_entry SET prev = $2 WHERE seq = $1",
		"UPDATE audit_entry SET hash = $2 WHERE seq = $1",
		"UPDATE audit_entry SET at = $3 WHERE seq = $1",
		"UPDATE audit_entry SET action = $3 WHERE seq = $1",
		"UPDATE audit_entry SET seq = $3 WHERE seq = $1",
		"UPDATE audit_entry SET action = NULL, resource = NULL WHERE seq = $1",
		"UPDATE audit_entry SET seq = seq - 1 WHERE seq >= $1",
		"UPDATE audit_entry SET seq = -seq WHERE seq >= $1",
		"DELETE FROM audit_entry WHERE seq = $1",
		"DELETE FROM audit_entry WHERE seq <= $1",
		COPY("$3"),
		COPY("seq + 4"),
	};
#undef COPY
	static sqlite3_stmt *kept[ARRAY_LEN(ways)];

	what %= ARRAY_LEN(ways);
	return run(prepared(db, &kept[what], ways[what]), seq, value, size);
}

/* From that entry to the end, as who knows how they are made would. */
static void hash_anew(struct db *db, int64_t from)
{
	static sqlite3_stmt *kept_prev, *kept_text, *kept_hash;
	sqlite3_stmt *prev = prepared(db, &kept_prev,
		"UPDATE audit_entry SET prev = (SELECT p.hash FROM audit_entry p "
		"WHERE p.seq = $1 - 1) WHERE seq = $1");
	sqlite3_stmt *text = prepared(db, &kept_text,
		"SELECT seq || char(10) || at || char(10) || actor || char(10) || event "
		"|| char(10) || COALESCE(action, '') || char(10) || "
		"COALESCE(resource, '') || char(10) || detail || char(10) || prev "
		"FROM audit_entry WHERE seq = $1");
	sqlite3_stmt *set = prepared(
		db, &kept_hash, "UPDATE audit_entry SET hash = $2 WHERE seq = $1");

	for (int64_t seq = from; seq <= ENTRIES; seq++) {
		char hash[DIGEST_HEX];

		if (seq > 1)
			(void)run(prev, seq, NULL, 0);
		sqlite3_bind_int64(text, 1, seq);
		fuzz_require(sqlite3_step(text) == SQLITE_ROW);
		fuzz_require(digest_sha256(sqlite3_column_text(text, 0),
			(size_t)sqlite3_column_bytes(text, 0), hash));
		sqlite3_reset(text);
		(void)run(set, seq, (const uint8_t *)hash, strlen(hash));
	}
}

static void check_changed(struct db *db, const uint8_t *data, size_t size, struct arena *a)
{
	static char *before, *head; /* of the record every execution begins with */
	int64_t seq = 1 + data[0] % ENTRIES;
	bool anew = data[1] % 4 == 0 && data[1] / 4 < 4;
	struct audit_verdict v;
	struct err e = {0};
	enum err_code rc;
	char *after;

	if (!before) {
		fuzz_require(audit_verify(db, NULL, a, &v, &e) == E_OK && v.ok);
		head = fuzz_text((const uint8_t *)v.head, strlen(v.head));
		before = stored(db);
	}
	if (change(db, anew ? data[1] / 4 : data[1], seq, data + 2, size - 2) && anew)
		hash_anew(db, seq);
	after = stored(db);
	rc = audit_verify(db, head, a, &v, &e);
	fuzz_require(rc == E_OK || (rc == E_DB && e.msg[0]));
	if (!strcmp(before, after))
		fuzz_require(!rc && v.ok && v.entries == ENTRIES);
	else if (!rc)
		fuzz_require(
			!v.ok && v.bad >= 1 && v.bad <= ENTRIES + 1 && v.why && *v.why);
	free(after);
}

int fuzz_audit(const uint8_t *data, size_t size)
{
	cleanup(db_tx_end) struct db_tx tx = {0}; /* nothing of it stays */
	struct db *db = open_once();
	struct arena a = {0};
	struct err e = {0};

	fuzz_require(db_begin(db, &tx, &e) == E_OK);
	if (size % 2) {
		char *s = fuzz_text(data, size);

		check_added(db, s, &a);
		free(s);
	} else if (size >= 2) {
		check_changed(db, data, size, &a);
	}
	arena_done(&a);
	return 0;
}
