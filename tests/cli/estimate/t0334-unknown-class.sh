# Where Google does not state the class of a TPU, it may be in a grant: whether another one is covered is
# then unknown, and so are its cost, the use of the grant, and what estimate says of a new one.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: unknown
projects: [{id: lab-one, number: "101"}]
zones: [us-central2-b, us-east5-a]
nodes:
  - {zone: us-central2-b, name: n1, type: v4-16, queued: wish, created: -6h}
  - {zone: us-east5-a, name: n6, type: v6e-8, queued: w6, created: -6h}
queued:
  - {zone: us-central2-b, name: wish, type: v4-16, node: n1, created: -6h}
  - {zone: us-east5-a, name: w6, type: v6e-8, node: n6, created: -6h}
instances:
  - {zone: us-east5-a, name: m6, type: ct6e-standard-8t, created: -5h}
W
start_sandbox world.yaml --now $NOW
config_one "grants: [{name: a, starts: 2026-11-01, days: 60, tpus: [8 on-demand v4 chips in zone us-central2-b, 8 on-demand v6e chips in zone us-east5-a]}]
budgets: [{name: day, amount: 1000 USD, per: day}]"
set_clock =$NOW
rows() { tpucost sql --quiet --format csv "$1" 2>/dev/null | tr -d '\r' | tail -n +2; }
m6="SELECT covered, why, gross_per_hour, net_per_hour, gross_24h, net_24h FROM resources WHERE name = 'm6'"
curl -sS -X POST "$url/_sandbox/faults" --data-binary "[{match: GET /v2alpha1/, status: 403}]" >/dev/null

run tpucost collect
status "all else is read" 0
is "a younger one may be covered" "$(rows "$m6")" ",provisioning-unknown,21.6,,,"
is "the use is unknown" "$(rows "SELECT family, used_chips, free_chips FROM grants ORDER BY family")" "v4,,
v6e,,"
is "its past too" "$(tpucost coverage --since 1d --quiet --format json | jq -c '.[] | select(.id | test("m6")) | [.why, .gross, .net]')" \
	'["provisioning-unknown",108,null]'
is "and its burn" "$(tpucost burn --by resource --quiet --format json | jq -c '.[] | select(.resource | test("m6")) | [.gross_per_hour, .net_per_hour, .net_per_day, .net_24h]')" \
	"[null,null,null,null]"
is "its period has no price" "$(tpucost burn --by resource --since 1d --quiet --format json | jq -c '.[] | select(.resource | test("m6")) | [.gross, .net, .unpriced_hours]')" \
	"[null,null,5]"
is "a budget has no upper limit" "$(rows "SELECT forecast_high, basis LIKE '%3 resources have no price%' FROM budgets")" ",1"
tpucost ps --quiet >/dev/null
is "all was read" "$?" 0
has "why says so" "$(tpucost why m6 | tr -s '\n ' '  ')" \
	"a grants 8 on-demand v6e chips (v6e-8) in us-east5-a and older TPUs use 0, and perhaps 8 more: the class of one is unknown; this ct6e-standard-8t needs 8"
is "no alert" "$(tpucost alerts --quiet --format json | jq -r '.[] | select(.rule == "tpu-not-covered") | .subject')" ""
run tpucost estimate --tpu v4-16 --zone us-central2-b
status "a new one may be covered" 3
has "not free, not paid" "$out" "UNKNOWN: a grants 8 on-demand v4 chips"
has "nor is a budget evaluated" "$(echo "$out" | tr -s ' \n' ' ')" "budget unknown: an older TPU, whose class Google does not state, may use the grant"
is "and no project is at fault" "$(echo "$out" | grep -c projects:)" 0
is "its cost is unknown" "$(tpucost estimate --tpu v4-16 --zone us-central2-b --quiet --format json | jq -c '.[0] | [.covered, .net_per_hour]')" "[null,null]"

# ---- the class is stated
curl -sS -X POST "$url/_sandbox/faults" --data-binary '[]' >/dev/null
set_clock =$((NOW + 60))
rm -f t.db*
run tpucost collect
is "it is not covered" "$(rows "SELECT covered, why, net_per_hour FROM resources WHERE name = 'm6'")" "0,over-capacity,21.6"
is "the use is known" "$(rows "SELECT family, used_chips, free_chips FROM grants ORDER BY family")" "v4,8,0
v6e,8,0"
run tpucost estimate --tpu v4-16 --zone us-central2-b
has "and a new one is paid" "$out" "NOT FREE"
