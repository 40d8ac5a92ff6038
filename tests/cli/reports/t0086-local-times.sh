# People read times of the configured zone, one and the same everywhere; data has UTC.
# acts
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config "rules: [{use: tpu-not-covered, for: 0m, then: {action: stop, grace: 30m, armed: true}}]
notify:
  - {name: log, file: {path: told.jsonl}}
enforcement:
  mode: armed
  projects: [lab-one]
  max_share: 100%"
# far from UTC at every time of the day, and without a summer time
sed -i 's/^timezone: .*/timezone: Pacific\/Kiritimati/' tpucost.yaml
id=lab-one/tpu/us-central1-a/wrong
db() {
	sqlite3 t.db "$1"
}
clock() { # RFC3339: on the clocks of Kiritimati
	TZ=Pacific/Kiritimati date '+%Y-%m-%d %H:%M' --date="$1"
}
# nothing of UTC, and nothing of the form of data, in what people read
local_only() { # TEXT: what is left of it
	printf '%s\n' "$1" | grep -E '[0-9]T[0-9]{2}:[0-9]{2}|[0-9]{2}:[0-9]{2}Z'
}

tpucost collect -q
run tpucost run --once
due=$(db "SELECT strftime('%Y-%m-%dT%H:%M:%SZ', due, 'unixepoch') FROM action WHERE name = 'wrong'")
has "who runs it" "$err" "WILL BE STOPPED $id (rule tpu-not-covered) at $(clock "$due") (Pacific/Kiritimati)"

until=$(day 3)
end=${until}T10:00:00Z # the day ends there at 10:00 UTC
run tpucost hold add wrong --until "$until" --comment x
has "what was held" "$out$err" "until $(clock "$end") Pacific/Kiritimati"
run tpucost hold list
has "the holds" "$out" "$(clock "$end")"
is "only local times" "$(local_only "$out")" ""
has "of which zone" "$err" " Pacific/Kiritimati."
is "data of it" "$(tpucost hold list --format json | jq -r '.[0].until')" "$end"
has "and CSV" "$(tpucost hold list --format csv)" "$end"
run tpucost hold list --columns until
has "selected columns" "$out" "$(clock "$end")"
is "of the same zone" "$err" "Times are in Pacific/Kiritimati."
is "which -q does not name" "$(tpucost hold list --columns until -q 2>&1 | grep -c Times)" 0
run tpucost coverage --since 2d --columns id,starts
has "a table of times" "$err" "Times are in Pacific/Kiritimati."
is "only local times" "$(local_only "$out")" ""
is "markdown too" "$(local_only "$(tpucost coverage --since 2d --columns id,starts -f markdown)")" ""
has "not data" "$(tpucost coverage --since 2d --columns id,starts -f csv)" "Z"

run tpucost audit
has "the audit" "$out" "until $(clock "$end")"
at=$(tpucost audit --format json | jq -r '.[0].at')
has "its own times" "$out" "$(clock "$at")"
is "only local times" "$(local_only "$out")" ""
has "markdown is for people" "$(tpucost audit --format markdown)" "$(clock "$at")"
has "data of it" "$(tpucost audit --format csv)" "$at"

run tpucost run --once
reason=$(db "SELECT reason FROM action WHERE name = 'wrong' ORDER BY action DESC LIMIT 1")
has "why it is left alone" "$reason" "hold until $(clock "$end") (Pacific/Kiritimati)"
action=$(db "SELECT MAX(action) FROM action WHERE name = 'wrong'")
for what in "action:$action" "$id"; do
	run tpucost why "$what"
	is "why $what: only local times" "$(local_only "$out")" ""
	has "of which zone" "$out" "Times are in Pacific/Kiritimati."
done
run tpucost why "action:$action"
has "what happened" "$out" "$(clock "$at" | cut -c1-15)"
run tpucost why "action:$action" -f json
has "data of it" "$(jq -r '.[].label' stdout)" "Z"
is "without the zone" "$(jq -r '.[] | .label, .value | strings | select(test("^[0-9-]{10} [0-9:]{5}"))' stdout)" ""

mv tpucost.yaml armed.yaml
sed 's/^timezone: .*/timezone: UTC/' armed.yaml >tpucost.yaml
tpucost enforce halt -q
has "the file of a halt" "$(cat ./*halt* 2>/dev/null)" "UTC"
