# Every command of the steps of docs/enforce.md, as users paste it: none fails, nothing is stopped before
# its time, and what is to be stopped in the end is. The commands of docs/iam.md are well-formed.
# acts
. "$ROOT/tests/cli/lib.sh"
sed 's/lab-one/my-project/g; s/name: big, type: n1/name: bert-vm, type: n1/; s/users: \[big\]/users: [bert-vm]/' \
	"$ROOT/tests/sandbox/worlds/small.yaml" >world.yaml
start_sandbox world.yaml
reader=tpucost@my-project.iam.gserviceaccount.com
stopper=tpucost-stopper@my-project.iam.gserviceaccount.com
# What the roles of docs/iam.md hold.
permissions() { # ROLE
	grep -A1 "^gcloud iam roles create $1 " "$ROOT/docs/iam.md" | sed -n 's/.*--permissions=//p'
}
cat >iam.yaml <<EOF_IAM
iam:
  - {member: $reader, permissions: [$(permissions tpucostReader),bigquery.jobs.create,bigquery.tables.get]}
  - {member: $stopper, permissions: [$(permissions tpucostStopper)]}
EOF_IAM
curl -fs --data-binary @iam.yaml "$url/_sandbox/world/patch" >/dev/null || echo "not ok the roles are taken"
# gcloud: what it would have been called with
mkdir bin
ln -s "$B/tpucost" bin/tpucost
printf '#!/bin/sh\nprintf "%%s\\n" "$*" >>"%s/gcloud.log"\n' "$work" >bin/gcloud
chmod +x bin/gcloud
PATH=$work/bin:$PATH

write_config ""
sed -i 's/^projects: .*/projects: [my-project]/; s/lab-one/my-project/' tpucost.yaml
cat >>tpucost.yaml <<EOF_NOTIFY
notify:
  - name: me
    file: {path: messages.jsonl}
EOF_NOTIFY
cp tpucost.yaml base.yaml
tpucost collect >/dev/null 2>&1

# ---- the blocks, in order: NUMBER.yaml and NUMBER.sh -------------------------------------------------
awk '/^## / { on = / rule$| actions$/ } on && /^```(yaml|sh)$/ { n++; file = sprintf("%02d.%s", n, substr($0, 4)); next }
	/^```/ { file = ""; next }
	file { print > file }' "$ROOT/docs/enforce.md"
is "the blocks were found" "$(($(ls [0-9]*.yaml | wc -l) >= 2 && $(ls [0-9]*.sh | wc -l) >= 6))" 1
commands=0
for block in [0-9]*.yaml [0-9]*.sh; do echo "$block"; done | sort >blocks
while read -r block <&3; do
	case $block in
	*.yaml)
		cat base.yaml "$block" >tpucost.yaml
		continue
		;;
	esac
	# a line each, those that go on joined
	sed -e ':a' -e '/\\$/{N' -e 's/\\\n *//' -e 'ta' -e '}' "$block" >lines
	while IFS= read -r line <&4; do
		commands=$((commands + 1))
		run sh -c "$line"
		[ "$rc" = 0 ] || status "$line" 0
		case $line in
		*doctor*) cp stdout doctor.out ;;
		*"enforce halt"*)
			has "status says that it is halted" "$(tpucost status)" "halt"
			has "and doctor" "$(tpucost doctor)" "$work/halt exists"
			;;
		esac
	done 4<lines
done 3<blocks
is "they were run" "$((commands >= 20))" 1
is "nothing was stopped: the warning has its grace" "$(jq -c 'select(.mutating)' requests)" ""
is "the doctor was content" "$(grep -c '^fail' doctor.out)" 0
is "with both accounts" "$(grep -c 'can also' doctor.out)" 0
has "the one that stops" "$(cat doctor.out)" "$stopper can stop all resources of the rules"
has "and what is armed" "$(cat doctor.out)" "armed in my-project: tpu-not-covered"
has "the hold is there" "$(tpucost hold list --format json)" "my-project/vm/us-central1-b/bert-vm"
has "the halt and its end are on record" "$(tpucost audit --format json)" "halt"
# the account that stops, as docs/iam.md makes it
awk '/^## / { on = $0 == "## Create the stopper" } on && /^```/ { if (sh) exit; sh = 1; next } on && sh' "$ROOT/docs/iam.md" |
	sed 's/\([=/ ]\)[PH]\([ /]\|$\)/\1my-project\2/g; s/@H\./@my-project./g' >stopper.sh
run sh -e stopper.sh
status "the account that stops is made" 0
is "gcloud was called for all that is to be made" \
	"$(grep -cE '^(iam roles create tpucostStopper|iam service-accounts create tpucost-stopper|projects add-iam-policy-binding my-project|iam service-accounts add-iam-policy-binding|services enable iamcredentials|compute instances add-labels bert-vm) ?' gcloud.log)" 6
is "with the permissions of docs/iam.md" \
	"$(sed -n 's/.*create tpucostStopper .*--permissions=//p' gcloud.log)" "$(permissions tpucostStopper)"

# ---- the pages' other commands -----------------------------------------------------------------------
awk '/^```sh$/ { on = 1; next } /^```/ { on = 0 } on' "$ROOT/docs/iam.md" >iam.sh
is "docs/iam.md is of a shell" "$(sh -n iam.sh 2>&1)" ""
for name in $(grep -oE '`tpucost [a-z]+' "$ROOT/docs/enforce.md" "$ROOT/docs/iam.md" | sed 's/.*tpucost //' | sort -u); do
	run tpucost help "$name"
	[ "$rc" = 0 ] || status "tpucost $name is a command" 0
done
for link in $(grep -oE '\]\([a-zA-Z0-9./_-]+\)' "$ROOT/docs/enforce.md" "$ROOT/docs/iam.md" | sed 's/.*](//; s/)//'); do
	[ -e "$ROOT/docs/$link" ] || flunk "the page links to $link"
done

# ---- and in the end ------------------------------------------------------------------------------------
sed -i 's/grace: 30m/grace: 0m/; /windows:/d' tpucost.yaml
run tpucost run --once
is "the TPU that no grant covers is stopped, by the account for that" \
	"$(jq -r 'select(.mutating) | "\(.method) \(.path) \(.status) \(.as)"' requests)" \
	"POST /v2/projects/my-project/locations/us-central1-a/nodes/wrong:stop 200 $stopper"
is "with the command that undoes it" \
	"$(tpucost sql "SELECT restart FROM actions WHERE stage = 'done'" --format csv | tail -1 | tr -d '\r')" \
	"gcloud compute tpus tpu-vm start wrong --project=my-project --zone=us-central1-a"
