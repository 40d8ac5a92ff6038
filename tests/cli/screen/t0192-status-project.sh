# status --project: actions, burn and grants of one project; never a sum over the others.
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config "  - {name: two, starts: $(day -1), days: 30, project: lab-two, tpus: [8 spot Cloud TPU v2 chips in zone us-central1-f]}"
sed -i '/^endpoints/d' tpucost.yaml
echo "endpoints: {all: \"$url\"}" >>tpucost.yaml
tpucost collect -q

run tpucost status --project lab-two
status "status --project" 0
has "its actions" "$out" "! slice, "
case $out in *wrong* | *lab-one*) flunk "no others" ;; *) pass "no others" ;; esac
has "their number" "$out" "Do now (1), "
has "its burn" "$out" "Burn now about 7.42 USD/h net"
has "its grant" "$out" "two: "
is "what covers all is said" "$err" "note: budgets and credits cover all projects"
run tpucost status --project lab-one -q
has "of the other one" "$out" "! wrong, "
case $out in *slice* | *"two: "*) flunk "not of the first" ;; *) pass "not of the first" ;; esac
is "quiet" "$err" ""

json() { # ARGS... : what programs read
	tpucost status -f json -q "$@" | jq -c '[([.burn[] | select(.category == "tpu") | .net_per_hour][0]), .to_do, (.do_now | length), ([.grants[].name] | unique), .headline]'
}
is "as JSON" "$(json --project lab-two)" '[7.372,1,1,["trc","two"],null]'
is "as JSON, the other" "$(json --project lab-one)" '[8,1,1,["trc"],null]'
is "both" "$(json --project lab-one,lab-two | jq -c '.[:4]')" "$(json | jq -c '.[:4]')"
run tpucost status --project lab-tow
is "not a project" "$rc:$err" "2:tpucost: --project: there is no project 'lab-tow'; did you mean 'lab-two'?"
run tpucost top --project lab-tow
has "top needs a terminal" "$err" "standard output is not a terminal"

# ---- figures of the other project: neither to do nor left out
for rule in quota-high/lab-one/s/CPUS/global cost-jump/2026-11-17/lab-one/USD source-stale/disk/lab-one \
	burn-high/lab-one/gpu/USD billed-but-covered/2026-11-17/lab-one/v3/-; do
	sqlite3 t.db "INSERT OR REPLACE INTO alert (rule, subject, state, data, severity, since, last_true, fired, stage, summary, labels)
		VALUES ('${rule%%/*}', '${rule#*/}', 'firing', 'fresh', 'warning', 0, 0, 0, 0, 'text of ${rule%%/*}', '{}')"
done
texts() { grep -c 'text of' stdout; }
run tpucost status -q --all --project lab-two
is "not to do" "$(texts)" 0
run tpucost status -q --all --project lab-one
is "to do in its own" "$(texts)" 4
is "with its project, for programs" "$(tpucost status -f json -q | jq -r '[.do_now[], .consequences[] | select(.name | test("quota|burn|cost")) | .project] | unique[]')" lab-one
for rule in quota-high cost-jump source-stale burn-high billed-but-covered; do
	tpucost silence $rule --for 2h >/dev/null 2>&1
done
run tpucost status -q --project lab-two
is "not left out" "$(grep -c 'Left out' stdout)" 0
run tpucost status -q --project lab-one
has "left out in its own" "$out" "Left out: 4 silenced ("
