# The audit: listed, verified, not to be changed; the head in every daily report is an anchor.
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config
me="user $(id -un)"

run tpucost audit verify
status "before there is a database" 1
tpucost collect -q
run tpucost audit
status "nothing was done" 0
is "and it says so" "$out" "No actions were taken yet."
run tpucost audit verify
status "an empty record" 0
is "is in order" "$out" "entries 0
ok"
is "a report says nothing of it" "$(tpucost report daily --format json | jq -c .audit)" "[]"

until=$(day 3) after=$(day 4)
tpucost hold add big --until "$until" --comment 'one' -q
tpucost hold keep --until "$until" --comment 'it'"'"'s "two"
lines' -q
tpucost hold remove big -q
run tpucost audit --format json
status "list" 0
is "the newest first" "$(printf '%s' "$out" | jq -c '[.[] | [.seq, .actor, .event, .resource]]')" \
	"[[3,\"$me\",\"hold-removed\",\"lab-one/vm/us-central1-b/big\"],[2,\"$me\",\"hold-added\",\"lab-two/vm/us-central1-a/keep\"],[1,\"$me\",\"hold-added\",\"lab-one/vm/us-central1-b/big\"]]"
is "what was said" "$(printf '%s' "$out" | jq -r '.[1].detail | fromjson | .comment')" 'it'"'"'s "two"
lines'
has "until when" "$(printf '%s' "$out" | jq -r '.[2].detail')" "{\"comment\":\"one\",\"until\":\"${after}T00:00:00Z\"}"
is "--limit" "$(tpucost audit --limit 2 --format json | jq -c '[.[].seq]')" "[3,2]"
is "--where" "$(tpucost audit --where "event = 'hold-removed'" --format json | jq -c '[.[].seq]')" "[3]"
is "--since" "$(tpucost audit --since 1h --format json | jq length) $(tpucost audit --since "$until" --format json | jq length)" "3 0"
has "columns" "$(tpucost audit --columns seq,event)" "hold-removed"
has "for people, why" "$(tpucost audit --where 'seq = 1' | tr -s ' ')" "one; until $after 00:00"
has "and nothing of what is for programs" "$(tpucost audit --format markdown | head -1)" "| resource | why |"

# ---- verify -------------------------------------------------------------------------------------

hash() { # SEQ
	sqlite3 t.db "SELECT hash FROM audit_entry WHERE seq = $1"
}
head=$(hash 3)
run tpucost audit verify
status "in order" 0
is "how many, and the head" "$out" "entries 3
head    3 $head
ok"
run tpucost audit verify --format json --anchor "$(hash 2 | tr a-f A-F)"
status "an anchor that is there" 0
is "as JSON" "$out" "[{\"ok\":true,\"entries\":3,\"head_seq\":3,\"head\":\"$head\",\"bad_seq\":null,\"why\":null}]"
run tpucost audit verify --anchor 5e1f
status "half a hash" 2
has "is none" "$err" "not a hash of 64 hexadecimal digits"
for f in text json csv markdown slack html; do
	has "the head in $f" "$(tpucost report daily --format $f)" "$head"
done

for sql in "UPDATE audit_entry SET event = 'x'" "DELETE FROM audit_entry WHERE seq = 3" \
	"REPLACE INTO audit_entry SELECT * FROM audit_entry WHERE seq = 2"; do
	has "refused: $sql" "$(sqlite3 t.db "$sql" 2>&1)" "audit_entry is append-only"
done

cp t.db clean.db
tamper() { # NAME SQL WANT [OPTION...]
	cp clean.db t.db
	sqlite3 t.db "DROP TRIGGER audit_entry_no_update; DROP TRIGGER audit_entry_no_delete; DROP TRIGGER audit_entry_no_replace; $2"
	name=$1 want=$3
	shift 3
	run tpucost audit verify "$@"
	status "$name: status" 1
	has "$name" "$err" "$want"
}
tamper "edited" "UPDATE audit_entry SET actor = 'user eve' WHERE seq = 2" "audit: entry 2: it was edited"
is "head and number are said all the same" "$out" "entries 3
head    3 $head"
tamper "first one removed" "DELETE FROM audit_entry WHERE seq = 1" "audit: entry 1: it was removed"
tamper "middle removed" "DELETE FROM audit_entry WHERE seq = 2" "audit: entry 2: it was removed"
tamper "swapped" "UPDATE audit_entry SET seq = 9 WHERE seq = 1; UPDATE audit_entry SET seq = 1 WHERE seq = 2; UPDATE audit_entry SET seq = 2 WHERE seq = 9" \
	"audit: entry 1: it is out of order: it was entry 2"
tamper "cut off" "DELETE FROM audit_entry WHERE seq = 3" "audit: entry 3: no entry has the noted hash" --anchor "$head"
run tpucost audit verify
status "which does not show without an anchor" 0
tamper "all of it gone" "DELETE FROM audit_entry" "audit: entry 1: no entry has the noted hash" --anchor "$head"

# ---- it stays -----------------------------------------------------------------------------------

cp clean.db t.db
sqlite3 t.db "UPDATE hold SET until = 1000; INSERT INTO audit_entry VALUES (4, 5, 'tpucost', 'old', NULL, NULL, '{}', '$head', 'x')"
tpucost run --once -q >/dev/null 2>&1
is "old entries stay" "$(sqlite3 t.db 'SELECT count(*) FROM audit_entry WHERE seq <= 4')" 4
run tpucost audit verify
has "one that somebody else wrote shows" "$err" "audit: entry 4: it was edited"
