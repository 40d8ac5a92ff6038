. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config "rules:
  - name: big
    on: resources
    where: kind = 'vm' AND vcpus >= 64 AND running_hours > 6
    for: 10m
    summary: \"{name} has {vcpus} vCPUs\"
  - {name: never, on: resources, where: vcpus > 1000}"
tpucost run --once -q >/dev/null
row() { jq -r --arg l "$1" "[.[] | select(.label == \$l)][0].$2" stdout; }
wrong=lab-one/tpu/us-central1-a/wrong
big=lab-one/vm/us-central1-b/big

run tpucost why tpu-not-covered $wrong -f json
status "rule and subject" 0
is "the state is that of alerts" "$(row state value) $(row severity value)" \
	"$(tpucost sql "SELECT state || ' ' || severity AS s FROM alerts WHERE rule = 'tpu-not-covered' AND subject = '$wrong'" -f json | jq -r '.[0].s')"
is "the summary too" "$(row summary value)" \
	"$(tpucost sql "SELECT summary FROM alerts WHERE subject = '$wrong'" -f json | jq -r '.[0].summary')"
has "it holds now" "$(row condition value)" "true: wrong (v3-8"
is "the data" "$(row data value)" "fresh: the condition was evaluated"
is "the figure" "$(row figure value)" 8
is "the row's figures" "$(row covered value) $(row net_per_hour value) $(row why_text value)" \
	"0 8 $(tpucost sql "SELECT why_text FROM resources WHERE id = '$wrong'" -f json | jq -r '.[0].why_text')"
is "the rule's text" "$(row where value) $(row where source)" "kind = 'tpu' AND state = 'running' AND covered = 0 built in"
is "what was said" "$(jq -r '[.[] | select(.section | startswith("Events")) | .value[:18]] | join(";")' stdout)" \
	"firing (critical):"
cp stdout by-words
run tpucost why alert:tpu-not-covered/$wrong -f json
is "or in one word" "$(jq -c 'map([.label, .value])' stdout)" "$(jq -c 'map([.label, .value])' by-words)"
run tpucost why alert tpu-not-covered wrong -f json
is "or in three" "$(jq -c 'map([.label, .value])' stdout)" "$(jq -c 'map([.label, .value])' by-words)"
run tpucost why budget big wrong
is "only of an alert" "$rc:$err" "2:tpucost: why: unexpected argument 'wrong'; see: tpucost why --help"
run tpucost why tpu-not-covered/$wrong -f json
is "even without its kind" "$(row figure value)" 8
run tpucost why wrong -f json
is "a short name is the resource, not its alert" "$(row type value)" v3-8
has "which names the rules that hold for it now" \
	"$(jq -r '.[] | select(.section == "Rules whose condition it meets now") | .label' stdout)" tpu-not-covered
has "and its alerts" \
	"$(jq -r '.[] | select(.section | startswith("Alerts about it")) | .value' stdout)" "firing, critical, data fresh: wrong"

run tpucost why big $big -f json
is "a rule of one's own is pending for 10m" "$(row state value) $(row for value)" "pending 10m"
has "and where it is written" "$(row where source)" "tpucost.yaml:"
is "with its figures" "$(row vcpus value)" 96
run tpucost why rule:big -f json
is "the rule alone" "$(row $big value)" "pending, warning: big has 96 vCPUs"
is "how it fared" "$(row "matched at that time" value)" 1
run tpucost why rule:never -f json
is "a rule without alerts" "$(row none value)" "see: tpucost rules explain never"
run tpucost why rule:bgi
status "a rule that is none" 2
has "is named" "$err" 'did you mean '"'"'big'"'"''
run tpucost why big nothing
status "an alert that is none" 2
has "says so" "$err" "alert 'big/nothing' does not exist"

# what changes: silenced, held, gone by
tpucost silence tpu-not-covered --subject $wrong --for 2h --comment "known" >/dev/null
tpucost hold $wrong --until "$(day 2)" --comment "paper" >/dev/null
run tpucost why tpu-not-covered $wrong -f json
has "a silence" "$(row "silence 1" value)" "active: from "
has "and why" "$(row "silence 1" value)" "this subject: known"
is "a hold" "$(row comment value)" paper
run tpucost why $wrong -f json
is "a hold on the resource" "$(row comment value)" paper
is "and no command to stop it" "$(row command value)" "not shown: it is exempt: hold until $(day 3)T00:00:00Z"
sqlite3 t.db "UPDATE source_status SET last_success = last_success - 180000;
	DELETE FROM resource WHERE name = 'big' AND kind = 'vm';
	UPDATE resource_interval SET ends = starts + 3600 WHERE name = 'big' AND kind = 'vm'"
run tpucost why big $big -f json
is "a row that is gone" "$(row row value)" "no longer exists"
run tpucost why $big -f json
status "a machine that is gone" 0
is "how it was" "$(jq -r '.[0].value' stdout | sed 's/until [^,]*/until T/')" "running until T, 60m, n1-highmem-96"
# 48 h x 3.034656 - 48 x 2
is "the bill remembers" "$(row "N1 Predefined Instance Core running in Americas" value)" 49.663488
run tpucost why vm/us-central1-b/big -f json
is "by a part of its id" "$(row "gone since" value | cut -c11-11)" T
run tpucost why tpu-not-covered $wrong -f json
is "stale data" "$(jq -r '[.[] | select(.label == "data") | .value] | last' stdout)" stale

for what in "tpu-not-covered $wrong" "big $big" rule:big rule:source-stale $big; do
	# shellcheck disable=SC2086 # words
	tpucost why $what >stdout 2>&1
	is "$what: 80 columns" "$(awk 'length > 80' stdout)" ""
done
