# One name for several resources: `why` prefers the TPU and says so; what changes something asks which one.
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config
tpucost collect -q
# a machine and a disk with the name of the TPU, as gcloud makes them; a TPU with the beginning of another one
copy() { # KIND LOCATION NAME OF
	sqlite3 t.db "CREATE TEMP TABLE r AS SELECT * FROM resource WHERE name = '$4' AND kind = '$1';
		UPDATE r SET id = 'lab-one/$1/$2/$3', location = '$2', name = '$3', uid = id;
		INSERT INTO resource SELECT * FROM r"
}
copy vm us-central1-b good big
copy disk us-central1-b good spare
tpu=lab-one/tpu/europe-west4-a/good vm=lab-one/vm/us-central1-b/good disk=lab-one/disk/us-central1-b/good

title() { # NAME WORD ID
	# shellcheck disable=SC2086 # words
	run tpucost why $2
	is "$1" "$rc:$(printf '%s\n' "$out" | head -n 1)" "0:$3"
}
title "the TPU first" good $tpu
is "and the others" "$err" "note: 3 resources are named good; this is the TPU; others: vm/good, disk/good"
run tpucost why good --quiet
is "not with --quiet" "$err" ""
run tpucost why good --format json
has "nor in the rows" "$err" "note: 3 resources"
is "which are of the TPU" "$(jq -r '[.[] | select(.label == "kind")][0].value' stdout)" tpu
title "KIND/NAME" vm/good $vm
is "is the only one" "$err" ""
title "the kind in any case" TPU/good $tpu
title "of any kind" disk/good $disk
# the beginning of a rule's name may be that of a kind
title "KIND NAME" "tpu wrong" lab-one/tpu/us-central1-a/wrong
title "KIND NAME, where others have the name" "VM good" $vm
run tpucost why vm wrong
is "KIND NAME: none" "$rc:$err" "2:tpucost: why: resource 'vm/wrong' does not exist; did you mean 'wrong'?"
title "PROJECT/NAME" lab-two/keep lab-two/vm/us-central1-a/keep
title "KIND PROJECT/NAME" "vm lab-one/good" $vm
title "KIND/PROJECT/NAME" disk/lab-one/good $disk
title "PROJECT/KIND/NAME" lab-one/vm/good $vm
run tpucost why tpu lab-two/good
is "KIND PROJECT/NAME: not in that project" "$rc:$err" "2:tpucost: why: resource 'tpu/lab-two/good' does not exist; run: tpucost why --help"
title "LOCATION/NAME, where a machine is preferred" us-central1-b/good $vm
title "a machine before its disk" big lab-one/vm/us-central1-b/big
title "the beginning of a name" wro lab-one/tpu/us-central1-a/wrong
title "the beginning of one name" goo $tpu
title "with its kind" vm/of lab-one/vm/us-central1-a/off
run tpucost why spar
is "the beginning of several: status" "$rc" 2
is "the beginning of several" "$err" \
	"tpucost: 'spar' is ambiguous (2 matches): lab-one/disk/us-central1-b/spare, lab-one/ip/us-central1/spare-ip; type one of them"
run tpucost why lab-two/good
is "not in that project" "$rc" 2

# What changes something never takes the first
run tpucost hold good --until 3d
is "hold: several: status" "$rc" 2
is "hold: several" "$err" "tpucost: 'good' is ambiguous (2 matches): $tpu, $vm; type one of them"
is "nothing is held" "$(tpucost hold list --format json)" "[]"
run tpucost hold vm/good --until 3d
is "hold: KIND/NAME" "$rc:$(tpucost hold list --format json | jq -r '.[].id')" "0:$vm"
run tpucost hold remove vm/lab-one/good
is "of the held ones it is the only one" "$rc:$(tpucost hold list --format json)" "0:[]"
run tpucost hold add bi --until 3d
is "hold: the beginning of a name is too little" "$rc:$err" \
	"1:tpucost: there is no machine or TPU 'bi'; did you mean 'lab-one/vm/us-central1-b/big'?"
run tpucost hold add ood --until 3d
is "hold: a part is too little" "$rc:$err" "1:tpucost: there is no machine or TPU 'ood'; did you mean 'good'?"
run tpucost hold add disk/good --until 3d
is "hold: a disk cannot be stopped" "$rc" 1
run tpucost hold remove wrong
is "hold remove: not held" "$rc:$err" "1:tpucost: there is no hold on lab-one/tpu/us-central1-a/wrong; see: tpucost hold list"

# The subject of a silence is a whole id
run tpucost silence vm-forgotten --subject good --for 2h
is "silence: several" "$rc:$(tpucost silence list --format json)" "2:[]"
has "silence: which" "$err" "'good' is ambiguous (3 matches): $tpu, $vm, $disk; type one of them"
run tpucost silence vm-forgotten --subject vm/good --for 2h
has "silence: said" "$err" "vm-forgotten is silenced until $(at 7200 '%F %H:%M')"
is "silence: KIND/NAME" "$(tpucost silence list --format json | jq -r '.[].subject')" "$vm"
tpucost silence remove 1 -q
# an alert about one of them decides
sqlite3 t.db "INSERT INTO alert (rule, subject, state, data, severity, since, last_true, stage, summary, labels)
	VALUES ('vm-forgotten', '$vm', 'firing', 'fresh', 'warning', 1, 1, 0, '', '{}')"
run tpucost silence vm-forgotten --subject good --for 2h
is "silence: the one with the alert" "$(tpucost silence list --format json | jq -r '.[].subject')" "$vm"
tpucost silence remove "$(tpucost silence list --format json | jq ".[].silence")" -q
silenced() { # NAME RULE WORD SUBJECT
	run tpucost silence "$2" --subject "$3" --for 2h
	is "silence: $1" "$rc:$(tpucost silence list --format json | jq -r '.[].subject')" "0:$4"
	tpucost silence remove "$(tpucost silence list --format json | jq ".[].silence")" -q
}
nothing_silenced() { # NAME RULE WORD ERROR
	run tpucost silence "$2" --subject "$3" --for 2h
	is "silence: $1" "$rc:$err" "1:tpucost: rule $2: there is no subject '$3'; $4"
	is "silence: $1: nothing is" "$(tpucost silence list --format json)" "[]"
}
nothing_silenced "what does not exist" vm-forgotten later "see: tpucost ps --all"
nothing_silenced "the beginning of a name is too little" tpu-not-covered wro "did you mean 'lab-one/tpu/us-central1-a/wrong'?"
nothing_silenced "a misspelt id" tpu-not-covered lab-one/tpu/us-central1-a/wrng "did you mean 'lab-one/tpu/us-central1-a/wrong'?"
nothing_silenced "resources are no budgets" budget wrong 'see: tpucost sql "SELECT * FROM budgets"'
silenced "kinds in any case" tpu-not-covered TPU/wrong lab-one/tpu/us-central1-a/wrong
silenced "KIND/PROJECT/NAME" tpu-not-covered tpu/lab-one/wrong lab-one/tpu/us-central1-a/wrong
for act in hold silence enforce; do
	has "$act: its help asks for whole names" "$(tpucost $act --help | tr -s '\n ' ' ')" \
		"$([ $act = hold ] && echo "The beginning of a name is not accepted" || echo "whole name")"
done
# an existing resource without an alert, a deleted one, and what is not a resource
silenced "without an alert" tpu-idle wrong lab-one/tpu/us-central1-a/wrong
sqlite3 t.db "INSERT INTO resource_interval (id, uid, kind, project, location, name, state, starts, ends)
	VALUES ('lab-one/tpu/us-central1-a/past', '77', 'tpu', 'lab-one', 'us-central1-a', 'past', 'running', 1, 2)"
silenced "deleted" tpu-not-covered past lab-one/tpu/us-central1-a/past
write_config "budgets: [{name: May/week, amount: 7 USD, per: week}]"
silenced "a budget" budget-forecast May/week May/week
nothing_silenced "a misspelt budget" budget-forecast May/weak "did you mean 'May/week'?"
silenced "a grant" grant-over-used trc/europe-west4-a/v3-8/on-demand trc/europe-west4-a/v3-8/on-demand
silenced "the end of a grant" grant-ending trc trc
silenced "a source" source-stale vm/lab-one vm/lab-one
