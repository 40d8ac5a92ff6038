# TPUs of the frozen Cloud TPU API: which they are, and the command that creates the same on Compute Engine.
# `estimate` reads that command as a TPU with as many chips.
. "$ROOT/tests/cli/lib.sh"
projects=$(for i in 01 02 03 04 05 06 07 08 09 10 11 12; do printf 'lab-%s ' "$i"; done)
{
	printf 'name: frozen\nzones: [us-east5-a, us-east5-b, us-central1-f]\nprojects:\n'
	for p in $projects; do printf '  - {id: %s, number: "6000000000%s"}\n' "$p" "${p#lab-}"; done
	printf 'iam: [{member: tpucost@lab-01.iam.gserviceaccount.com, permissions: ["*"]}]\nnodes:\n'
	for p in $projects; do
		printf '  - {project: %s, zone: us-east5-a, name: run-%s, type: v6e-8, spot: true}\n' "$p" "${p#lab-}"
		printf '  - {project: %s, zone: us-central1-f, name: old, type: v2-8}\n' "$p"
	done
	cat <<'W'
  - {project: lab-02, zone: us-east5-b, name: pod, type: v6e-16, hosts: 4, topology: 4x4}
  - {project: lab-02, zone: us-east5-a, name: long, type: v5p-1536, hosts: 192, topology: 8x8x12, spot: true}
  - {project: lab-02, zone: us-east5-a, name: bent, type: v5p-1536, hosts: 192, spot: true}
  - {project: lab-02, zone: us-east5-a, name: kept, type: v5p-8, provisioning: reserved}
  - {project: lab-02, zone: us-east5-a, name: flex-0, type: v6e-4, queued: flex, created: -1h, provisioning: flex-start}
  - {project: lab-02, zone: us-east5-a, name: lite, type: v5litepod-4}
  - {project: lab-02, zone: us-east5-a, name: later, type: v9-8}
queued:
  - {project: lab-02, zone: us-east5-a, name: flex, type: v6e-4, node: flex-0, state: ACTIVE, created: -2h, provisioning: flex-start, ends: +3h}
instances: [{project: lab-02, zone: us-east5-a, name: direct, type: ct6e-standard-4t}]
groups: [{project: lab-02, zone: us-east5-a, name: slice, type: ct6e-standard-4t, topology: 4x4, target: 4, hosts: 4}]
W
} >world.yaml
start_sandbox world.yaml
config_one
sed -i "s/^projects:.*/projects: [$(echo $projects | sed 's/ /, /g')]/" tpucost.yaml
tpucost collect -q >/dev/null 2>&1
found() { jq -r --arg n "$1: " '.[] | select(.check == "tpu-api" and (.detail | startswith($n))) | .'"$2" doctor.json; }
chips() { # COMMAND: type, class, chips and place in which estimate reads it
	tpucost estimate --format json - <<C | jq -r '[.[] | select(.kind == "tpu") | "\(.type) \(.provisioning) \(.chips) \(.project) \(.zone)"] | join(", ")'
$1
C
}

# ---- for programs: each TPU
run tpucost doctor --format json
cp stdout doctor.json
status "it is information" 0
is "of each TPU of that API" "$(jq -r '[.[] | select(.check == "tpu-api") | .status] | group_by(.) | map("\(length) \(.[0])") | join(" ")' stdout)" "31 ok"
is "not of one of Compute Engine" "$(found direct status)$(found slice status)" ""
is "a TPU of one host" "$(found run-07 detail)|$(found run-07 project)" \
	"run-07: v6e-8 (spot, us-east5-a) on tpu.googleapis.com, which is frozen; created on Compute Engine by:|lab-07"
has "is a machine" "$(found run-07 fix)" "gcloud compute instances create run-07 --machine-type=ct6e-standard-8t --provisioning-model=SPOT "
has "there" "$(found run-07 fix)" " --zone=us-east5-a --project=lab-07"
is "an old one has no equivalent" "$(found old 'detail + "|" + (.fix // "")' | sort -u)" \
	"old: v2-8 on tpu.googleapis.com, which is frozen; there is no equivalent on Compute Engine|"
has "nor has v5e, of which only Kubernetes Engine creates machines" "$(found lite detail)" "there is no equivalent"
has "an unknown type is unknown" "$(found later detail)" "whether Compute Engine has an equivalent is unknown"
is "so is a shape that Google does not state" "$(found bent 'detail + (.fix // "")')" \
	"bent: v5p-1536 on tpu.googleapis.com, which is frozen; whether Compute Engine has an equivalent is unknown"
is "each command is one of a shell" "$(jq -r '.[] | select(.check == "tpu-api") | .fix // empty' doctor.json |
	while read -r line; do printf '%s\n' "$line" | sh -n || echo "$line"; done 2>&1)" ""

# ---- estimate reads what doctor prints
is "a machine has the same chips" "$(chips "$(found run-07 fix)")" "ct6e-standard-8t spot 8 lab-07 us-east5-a"
is "so has a slice of several hosts" "$(chips "$(found pod fix)")" "4 x ct6e-standard-4t on-demand 16 lab-02 us-east5-b"
is "and a larger one" "$(chips "$(found long fix)")" "192 x ct5p-hightpu-4t spot 768 lab-02 us-east5-a"
is "a reserved one" "$(chips "$(found kept fix)")" "ct5p-hightpu-4t reserved 4 lab-02 us-east5-a"
is "one of flex-start" "$(chips "$(found flex-0 fix)")" "ct6e-standard-4t flex-start 4 lab-02 us-east5-a"
has "with its longest run" "$(found flex-0 fix)" " --max-run-duration=4h "
is "and the chips are those of the TPU" "$(tpucost sql --format csv "SELECT name, topology, chips, made_by FROM resources
	WHERE project = 'lab-02' AND kind = 'tpu' AND made_by <> 'vm' ORDER BY name" | tr -d '\r' | tail -n +2)" \
	"bent,,768,node
flex-0,,4,queued
kept,,4,node
later,,,node
lite,,4,node
long,8x8x12,768,node
old,,4,node
pod,4x4,16,node
run-02,,8,node
slice,4x4,16,group"
tpucost estimate - >stdout 2>stderr <<C
$(found pod fix)
C
is "nothing of it is left unread" "$(grep -c 'not read' stdout stderr | tr '\n' ' ')" "stdout:0 stderr:0 "

# ---- for readers: one line for each group, with an example
run tpucost doctor
is "at most 40 lines of 12 projects" "$(($(wc -l <stdout) <= 40))" 1
is "each group is a line" "$(grep ' tpu-api' stdout | tr -s ' ')" \
	"ok tpu-api all 12 projects: old, lite: on tpu.googleapis.com, which is frozen; there is no equivalent on Compute Engine
ok tpu-api all 12 projects: 12 TPUs: v6e-8 (spot, us-east5-a) on tpu.googleapis.com, which is frozen; created on Compute Engine by:
ok tpu-api lab-02: bent, later: on tpu.googleapis.com, which is frozen; whether Compute Engine has an equivalent is unknown
ok tpu-api 4 more TPUs, with their commands:"
is "with the command of the first" "$(grep -A1 '12 TPUs:' stdout | tail -1 | tr -s ' ')" " $(found run-01 fix)"
is "and one that shows the others" "$(grep -A1 '4 more TPUs' stdout | tail -1 | tr -s ' ')" " tpucost doctor --format json"
run tpucost doctor --project lab-02
is "one project has more examples" "$(grep -c 'created on Compute Engine by:' stdout) $(grep -c '[0-9] more TPU' stdout)" "3 1"

# ---- as printed for readers, over several lines
block() { sed -n "/$1: /,/^[a-z]/p" stdout | grep '^ '; }
is "the commands of a slice are on several lines" "$(block pod | wc -l)" 3
block pod >command
is "which estimate reads, too" "$(chips "$(cat command)")" "4 x ct6e-standard-4t on-demand 16 lab-02 us-east5-b"
is "also as one argument" "$(tpucost estimate -q --format json -- "$(cat command)" | jq -r '.[] | select(.kind == "tpu") | .chips')" 16

# ---- every size and class: the same chips, class, place and price
kill "$sandbox_pid"
{
	printf 'name: sizes\nzones: [us-east5-a, us-east5-b]\nprojects: [{id: lab-one, number: "101"}]\nnodes:\n'
	for type in v6e-1 v6e-4 v6e-8 v6e-16 v6e-32 v6e-64 v6e-128 v6e-256 v5p-8 v5p-16 v5p-64 v5p-256 v5p-1024 v5p-8192; do
		for class in on-demand spot reserved; do
			printf '  - {zone: us-east5-b, name: %s-%s, type: %s, provisioning: %s}\n' $type $class $type $class
		done
	done
} >world.yaml
start_sandbox world.yaml
rm t.db
config_one
tpucost collect -q >/dev/null 2>&1
tpucost doctor --format json | jq -r '.[] | select(.check == "tpu-api" and .fix) | .fix' >commands
while read -r line; do
	printf '%s\n' "$line" | tpucost estimate -q --format json - |
		jq -r '.[] | select(.kind == "tpu") | "\(.name) \(.provisioning) \(.chips) \(.zone) \(.gross_per_hour)"'
done <commands | sort >read
tpucost sql --format json "SELECT * FROM resources WHERE kind = 'tpu'" |
	jq -r '.[] | "\(.name) \(.provisioning) \(.chips) \(.zone) \(.gross_per_hour)"' | sort >stored
is "all of them" "$(wc -l <read) $(diff stored read)" "42 "
