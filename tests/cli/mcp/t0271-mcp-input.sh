#!/bin/sh
# What is no request, what is too much, and a database that cannot be read: an answer each time, and the next request is
# answered.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-lab.sh"
. "$ROOT/tests/cli/lib-mcp.sh"
start_lab ""
before=$(cksum <t.db)
ping='{"jsonrpc":"2.0","id":9,"method":"ping"}'
call='{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"quota","arguments":{"limit":0}}}'

# says NAME LINE ANSWERS: id and code of each answer; then a ping is answered
says() {
	rpc "$2
$ping"
	is "$1" "$(jq -c '[.id, .error.code]' got | xargs) $rc" "$3${3:+ }[9,null] 0"
}
says "not JSON" '{"jsonrpc":"2.0","id":1,' '[null,-32700]'
says "two values in a line" '{} {}' '[null,-32700]'
says "a key twice" '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}' '[null,-32700]'
says "a text that ends early" '{"jsonrpc":"2.0","id":1,"method":"ping\u0000x"}' '[null,-32700]'
says "invalid UTF-8" "$(printf '{"jsonrpc":"2.0","id":1,"method":"\377\376"}')" '[null,-32700]'
says "depth" "$(printf '%2000s' '' | tr ' ' '[')" '[null,-32700]'
says "a batch" "[$ping,$ping]" '[null,-32600]'
says "an empty batch" '[]' '[null,-32600]'
says "a number" '5' '[null,-32600]'
says "another version of JSON-RPC" '{"jsonrpc":"1.0","id":1,"method":"ping"}' '[1,-32600]'
says "no version of it" '{"id":1,"method":"ping"}' '[1,-32600]'
says "no method" '{"jsonrpc":"2.0","id":1}' '[1,-32600]'
says "a method that is no text" '{"jsonrpc":"2.0","id":1,"method":1}' '[1,-32600]'
says "id null" '{"jsonrpc":"2.0","id":null,"method":"ping"}' '[null,-32600]'
says "id with a fraction" '{"jsonrpc":"2.0","id":1.5,"method":"ping"}' '[null,-32600]'
says "id that is a list" '{"jsonrpc":"2.0","id":[1],"method":"ping"}' '[null,-32600]'
says "unknown method" '{"jsonrpc":"2.0","id":"a","method":"resources/list"}' '[a,-32601]'
says "params that are a list" '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[1]}' '[1,-32602]'
says "a page that does not exist" '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}' '[1,-32602]'
says "unknown tool" '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"collect"}}' '[1,-32602]'
says "no tool" '{"jsonrpc":"2.0","id":1,"method":"tools/call"}' '[1,-32602]'
says "arguments that are a text" '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"quota","arguments":"x"}}' '[1,-32602]'
says "a handshake without a version" '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}' '[1,-32602]'
says "a notification" '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"quota"}}' ''
says "an unknown notification" '{"jsonrpc":"2.0","method":"notifications/x"}' ''
says "cancel of what is not asked" '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}' ''
says "an answer" '{"jsonrpc":"2.0","id":4,"result":{}}' ''
says "an error" '{"jsonrpc":"2.0","id":4,"error":{"code":1,"message":"x"}}' ''
says "empty lines" '

' ''
says "the end of a line as Windows has it" "$(printf '%s\r' "$ping")" '[9,null]'

# ---- too much
{
	printf '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"'
	head -c 3000000 /dev/zero | tr '\0' x
	printf '"}}\n%s\n' "$ping"
} >asked
run tpucost mcp <asked
is "a line of 3 MB" "$(jq -c '[.id, .error.code]' stdout | xargs) $rc" "[null,-32600] [9,null] 0"
{
	printf '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"'
	head -c 1000000 /dev/zero | tr '\0' x
	printf '"}}\n'
} >asked
run tpucost mcp <asked
is "a line of 1 MB" "$(jq -c .result stdout)" '{}'
head -c 20000000 /dev/zero >asked
run tpucost mcp <asked
is "zeros without an end" "$(jq -c '[.id, .error.code]' stdout) $rc" "[null,-32600] 0"
sqlite3 t.db "UPDATE resource SET labels = json_object('x', hex(zeroblob(100000)))" # 200 kB in each of its rows
ask query '{"view": "resources"}'
has "an answer of megabytes" "$(jq -r '.result.content[0].text' got)" "more than 262144 bytes; use limit, where, columns or project"
ask query '{"view": "resources", "columns": "name"}'
is "a part of it" "$(answer '.data | length > 5')" true
is "it is what was asked for" "$(jq -r '.result.isError' got)" null
before=$(cksum <t.db)

# ---- ends
run tpucost mcp </dev/null
is "no input" "$rc $out$err" "0 "
printf '%s' "$ping" >asked
run tpucost mcp <asked
is "the last line has no end" "$rc $(jq -c .id stdout)" "0 9"
seq 2000 | sed "s/.*/$ping/" >asked
"$B/tpucost" mcp <asked 2>stderr | head -1 >stdout
is "a client that leaves" "$(cat stderr)" ""
if [ -c /dev/full ]; then
	"$B/tpucost" mcp <asked >/dev/full 2>stderr
	is "a full disk" "$?" 1
fi
run tpucost mcp --format json </dev/null
is "an option that it does not have" "$rc" 2

# ---- databases and configurations
# unread NAME TEXT: the tool says TEXT
unread() {
	rpc "$call
$ping"
	is "$1: an error, and the next answer" "$(jq -c '[.id, .result.isError]' got | xargs) $rc" "[9,true] [9,null] 0"
	has "$1: says" "$(jq -r '.result.content[0].text' got | head -1)" "$2"
}
mv t.db kept.db
unread "no database" "t.db"
is "it makes none" "$(ls t.db 2>/dev/null)" ""
head -c 5000 /dev/urandom >t.db
unread "another file" "t.db"
cp kept.db t.db
sqlite3 t.db "PRAGMA user_version = 9999" >/dev/null
unread "a newer database" "newer"
sqlite3 t.db "PRAGMA user_version = 3" >/dev/null
unread "an older database" "older"
cp kept.db t.db
if [ "$(id -u)" -ne 0 ]; then
	chmod 0 t.db
	unread "a database of somebody else" "t.db"
	chmod 600 t.db
fi
cp tpucost.yaml kept.yaml
echo "budgets: 5" >tpucost.yaml
unread "a broken configuration" "tpucost.yaml:1"
rm tpucost.yaml
unread "no configuration" "tpucost.yaml"
cp kept.yaml tpucost.yaml

# changed while it runs: each call reads them again. A writer in the middle of a transaction blocks nobody.
mkfifo in
: >got # it has an answer with this id
"$B/tpucost" mcp <in >>got 2>stderr &
server=$!
exec 3>in
printf '%s\n' "$call" >&3
wait_until grep -q '"id":9' got
is "a database that was replaced" "$(jq -r '.result.isError' got)" null
rm -f t.db t.db-wal t.db-shm
printf '%s\n' "$call" >&3
two() { [ "$(wc -l <got)" -ge "$1" ]; }
wait_until two 2
is "is missed" "$(tail -1 got | jq -r '.result.isError')" true
cp kept.db t.db
{
	echo "BEGIN IMMEDIATE; UPDATE resource SET name = 'x';"
	touch locked
	wait_until two 3
	echo "ROLLBACK;"
} | sqlite3 t.db &
writer=$!
wait_until test -e locked
printf '%s\n' "$call" >&3
wait_until two 3
is "and read again, also while another process writes" "$(tail -1 got | jq -r '.result.isError')" null
wait $writer
exec 3>&-
wait $server
is "it ends with its input" "$?" 0
rm -f t.db-wal t.db-shm

# ---- chance: lines that were cut, joined and changed
before=$(cksum <t.db)
/usr/bin/python3 - >asked <<'PY'
import random
r = random.Random(7)
seeds = [b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"why","arguments":{"of":"x"}}}',
         b'{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"query","arguments":{"view":"quotas","where":"percent > 1"}}}',
         b'{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}',
         b'{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}',
         b'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"estimate","arguments":{"tpu":["v3-8"],"zone":"a"}}}',
         b'[{"jsonrpc":"2.0","method":"x"}]']
tokens = [b'null', b'{', b'}', b'[', b']', b'"', b',', b':', b'-1e999', b'\\u0000', b'\xff', b'true', b'0', b'""', b'id', b'params']
out = bytearray()
for _ in range(10000):
    s = bytearray(r.choice(seeds))
    for _ in range(r.randrange(1, 6)):
        at = r.randrange(len(s) + 1)
        kind = r.randrange(4)
        if kind == 0:
            s[at:at + r.randrange(1, 20)] = b''
        elif kind == 1:
            s[at:at] = r.choice(tokens)
        elif kind == 2:
            s[at:at + 1] = bytes([r.randrange(256)])
        else:
            s = s[:at] + bytearray(r.choice(seeds))[at:]
    out += bytes(s).replace(b'\n', b' ') + b'\n'
import sys
sys.stdout.buffer.write(bytes(out) + b'{"jsonrpc":"2.0","id":"last","method":"ping"}\n')
PY
"$B/tpucost" mcp <asked >got 2>stderr
is "10,000 lines of chance" "$? $(tail -1 got)" '0 {"jsonrpc":"2.0","id":"last","result":{}}'
is "every answer is JSON with either a result or an error" \
	"$(jq -c 'select(.jsonrpc != "2.0" or (has("result") == has("error")))' got | head -1)" ""
is "of all kinds" "$(jq -r '.error.code // "result"' got | sort -u | xargs)" "-32022 -32600 -32601 -32602 -32700 result"
is "and nothing was written" "$(cksum <t.db) $(cat stderr)" "$before "
