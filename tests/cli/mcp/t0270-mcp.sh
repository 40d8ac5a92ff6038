#!/bin/sh
# Tools for assistants: each answers what its command prints, in both eras of the protocol, and writes nothing.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-lab.sh"
. "$ROOT/tests/cli/lib-mcp.sh"
start_lab "enforcement: {mode: dry-run, projects: [tpu-develop]}"
set_clock "=$(($(date +%s) + 60))" # figures that grow stand still
before=$(cksum <t.db)
asked=$(wc -l <requests)

# ---- each tool is its command
# same TOOL ARGUMENTS COMMAND...: data and exit status are those of the command, and data is not empty
same() {
	tool=$1
	ask "$1" "$2"
	shift 2
	tpucost "$@" --format json >want 2>/dev/null
	rc=$?
	is "$tool is: $*" "$(answer .data)" "$(jq -c . want)"
	is "$tool has data: $*" "$(jq 'length > 0' want)" true
	is "$tool has the exit status: $*" "$(answer .exit_status)" "$rc"
	is "$tool repeats it as text: $*" "$(jq -c '.result.content[0].text | fromjson' got)" "$(answer .)"
	is "$tool has one line: $*" "$(wc -l <got)" 1
}
create="gcloud compute tpus tpu-vm create new --zone=us-central1-a --accelerator-type=v3-8 --version=tpu-ubuntu2204-base"
same status '{}' status
same status '{"project": "tpu-develop"}' status --project tpu-develop
same coverage '{}' coverage
same coverage '{"since": "7d", "by": "grant"}' coverage --since 7d --by grant
same coverage '{"where": "covered = 0", "sort-by": "-net", "limit": 1, "columns": "id,net,currency"}' \
	coverage --where "covered = 0" --sort-by -net --limit 1 --columns id,net,currency
same why '{"of": "tpu-wrong"}' why tpu-wrong
same why '{"of": "budget:month"}' why budget:month
same estimate "{\"command\": \"$create\"}" estimate "$create"
same estimate '{"tpu": ["v3-8"], "vm": ["n1-standard-2"], "zone": "europe-west4-a", "ip": true, "spot": false}' \
	estimate --tpu v3-8 --vm n1-standard-2 --zone europe-west4-a --ip
same grant_plan '{}' grant plan
same grant_plan '{"grant": "trc"}' grant plan trc
same quota '{"where": "percent >= 100"}' quota --where "percent >= 100"
same check_rules '{"all": true, "limit": "2"}' rules --all --limit 2
same check_rules '{"rule": "tpu-not-covered"}' rules explain tpu-not-covered
same query '{"view": "resources", "project": "", "limit": null}' query resources
same query '{"view": "costs", "by": "day,category", "since": "3d"}' cost --by day,category --since 3d
for view in $(tpucost views --format json | jq -r '.[].view' | uniq); do
	ask query "{\"view\": \"$view\"}"
	tpucost sql "SELECT * FROM $view" --format json >want
	is "query: $view" "$(answer '.data | sort')" "$(jq -c sort want)"
done

# ---- basis, age, completeness
facts='[.basis, .complete, .age_minutes, .oldest, .as_of] | map(tostring) | join(" ")'
now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
polled=$(tpucost sources --where "source = 'vm'" --format json | jq -r '.[0].last_success')
ask coverage '{}'
is "based on the inventory" "$(answer "$facts")" "\"inventory true 1 $polled $now\""
ask query '{"view": "costs", "limit": 1}'
is "on the bill" "$(answer '"\(.basis) \(.complete)"')" '"billing true"'
ask query '{"view": "audit"}'
is "on its own records, which have no age" "$(answer '"\(.basis) \(.complete) \(.age_minutes)"')" '"records true null"'
set_clock "=$(($(date +%s) + 36000))"
ask coverage '{}'
is "old data is not complete" "$(answer '"\(.complete) \(.age_minutes)"')" '"false 601"'
has "and a note says so" "$(answer '.notes | join(" ")')" "10h 1m old"

# ---- errors of a tool are results that say what to do
# fails TOOL ARGUMENTS TEXT
fails() {
	ask "$1" "$2"
	is "$1 $2: is an error" "$(jq -c '[.result.isError, .result.structuredContent]' got)" '[true,null]'
	has "$1 $2: says" "$(jq -r '.result.content[0].text' got)" "$3"
}
fails query '{"view": "resorces"}' "did you mean 'resources'?"
fails query '{}' "no view is given"
fails query '{"view": "resources", "by": "kind"}' "resources has no groups"
fails query '{"view": "resources", "where": "vcpu > 1"}' "did you mean 'vcpus'?"
fails query '{"view": "resources", "where": "1) UNION SELECT * FROM sqlite_master --"}' "--where"
fails query '{"view": "resources", "where": "(SELECT count(*) FROM resource) > 0"}' "only of the views"
fails query '{"view": "resources", "where": "load_extension('"'x'"') = 1"}' "SQL"
fails query '{"view": "resources", "where": "(WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r) SELECT count(*) FROM r) > 0"}' "took too long"
fails query '{"view": "resources", "where": "length(printf('"'%.*c',900000000,'x'"')) > 0"}' "not authorized to use function: printf"
fails query '{"view": "resources", "since": "yesterdy"}' "'yesterdy' is not a valid time"
fails query '{"view": "resources", "limit": -1}' "not a whole number"
fails query '{"view": "resources", "limit": 1.5}' "not a whole number"
fails query '{"view": "resources", "output": "x"}' "query has no argument 'output'"
fails query '{"view": "resources", "config": "/etc/passwd"}' "query has no argument 'config'"
fails coverage '{"all": true}' "coverage has no argument 'all'"
fails check_rules '{"all": "often"}' "use true or false"
fails check_rules '{"rule": "tpu-not-coverd"}' "did you mean 'tpu-not-covered'?"
fails why '{}' "no id or name is given"
fails why '{"of": "no-such"}' "no-such"
fails status '{"project": "tpu-devlop"}' "did you mean 'tpu-develop'?"
fails estimate '{"command": "-"}' "not a supported create command"
SECRET=hunter2
export SECRET
ask estimate '{"command": "gcloud compute tpus tpu-vm create a --zone=us-central1-a --accelerator-type=$SECRET --version=x"}'
is "the environment stays private" "$(grep -c hunter2 got)" 0
run tpucost estimate 'gcloud compute tpus tpu-vm create a --zone=us-central1-a --accelerator-type=$SECRET --version=x'
has "which a user of the command line has" "$out$err" hunter2

# ---- it only reads
is "nothing was written" "$(cksum <t.db)" "$before"
is "nothing was asked of the cloud" "$(wc -l <requests)" "$asked"
ask status '{}'
has "what can be done is a command" "$(answer '.data.do_now | map(.command) | join(" ")')" "gcloud compute"

# ---- eras
rpc '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":"two","method":"tools/list","params":{}}
{"jsonrpc":"2.0","id":3,"method":"ping"}'
is "handshake: one answer per request" "$(jq -c .id got | xargs)" "1 two 3"
is "the version of the client" "$(jq -r 'select(.id == 1) | .result.protocolVersion' got)" 2025-06-18
is "a ping is empty" "$(jq -c 'select(.id == 3) | .result' got)" '{}'
is "old clients get no new members" "$(jq -c 'select(.id == "two") | .result.resultType' got)" null
for version in 2024-11-05 2025-11-25; do
	rpc "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"$version\"}}"
	is "version $version" "$(jq -r .result.protocolVersion got)" $version
done
for version in 2026-07-28 2023-01-01; do
	rpc "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"$version\"}}"
	is "a handshake of $version" "$(jq -r .result.protocolVersion got)" 2025-11-25
done
meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
rpc "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{$meta}}
{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{$meta}}
{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{$meta,\"name\":\"quota\",\"arguments\":{\"limit\":1}}}
{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\",\"params\":{$meta}}
{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"initialize\",\"params\":{$meta,\"protocolVersion\":\"2025-11-25\"}}"
is "no handshake: each result says that it is complete" "$(jq -r '.result.resultType' got | xargs)" "complete complete complete null null"
is "and who answers" "$(jq -r '.result._meta["io.modelcontextprotocol/serverInfo"].name' got | sort | uniq -c | xargs)" "2 null 3 tpucost"
is "versions" "$(jq -r 'select(.id == 1) | .result.supportedVersions[0]' got)" 2026-07-28
is "lists may be kept" "$(jq -c 'select(.id < 3) | [.result.ttlMs, .result.cacheScope]' got | xargs)" "[3600000,public] [3600000,public]"
is "what was removed" "$(jq -c 'select(.id > 3) | .error.code' got | xargs)" "-32601 -32601"
rpc '{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}
{"jsonrpc":"2.0","id":2,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
{"jsonrpc":"2.0","id":3,"method":"server/discover"}'
is "another version" "$(jq -c 'select(.id == 1) | [.error.code, .error.data.requested, .error.data.supported[0]]' got)" '[-32022,"2099-01-01","2026-07-28"]'
is "an incomplete request" "$(jq -c 'select(.id > 1) | .error.code' got | xargs)" "-32602 -32602"

# ---- the tools
rpc '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
is "eight tools" "$(jq -r '.result.tools[].name' got | xargs)" "status coverage query why estimate grant_plan quota check_rules"
is "all of them read only" "$(jq -c '.result.tools[].annotations' got | sort -u)" \
	'{"destructiveHint":false,"idempotentHint":true,"openWorldHint":false,"readOnlyHint":true}'
is "views and columns are described" "$(jq -r '.result.tools[2].description' got | grep -c '^[a-z_]*: [a-z_ 0-9]*$')" \
	"$(tpucost views --format json | jq -r '.[].view' | uniq | wc -l)"
is "what is required" "$(jq -c '.result.tools | map({(.name): .inputSchema.required}) | add' got)" \
	'{"check_rules":[],"coverage":[],"estimate":[],"grant_plan":[],"query":["view"],"quota":[],"status":[],"why":["of"]}'
is "types of arguments" "$(jq -c '.result.tools[4].inputSchema.properties | map_values(.type)' got)" \
	'{"command":"string","count":"integer","disk":"array","flex-start":"boolean","ip":"boolean","project":"string","reserved":"boolean","spot":"boolean","tpu":"array","vm":"array","zone":"string"}'
jq -c '.result.tools' got >tools.json
ask quota '{}'
jq -c .result.structuredContent got >content.json
run /usr/bin/python3 - <<'PY'
import json, jsonschema
for t in json.load(open("tools.json")):
    for schema in (t["inputSchema"], t["outputSchema"]):
        jsonschema.Draft202012Validator.check_schema(schema)
jsonschema.validate(json.load(open("content.json")), t["outputSchema"])
PY
is "schemas are valid, and the answer fits" "$rc $err" "0 "
