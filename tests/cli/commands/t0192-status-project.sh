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
