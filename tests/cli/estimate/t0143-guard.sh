# The guard of docs/estimate.md against what hides a TPU that is not free: exit status, and that
# nothing behind it runs.
. "$ROOT/tests/cli/lib.sh"
url=http://127.0.0.1:9
write_config
mkdir bin
cat >bin/gcloud <<'E2'
#!/bin/sh
echo "$*" >>"$HOME/created"
E2
chmod +x bin/gcloud
PATH=$work/bin:$PATH
tpuguard() { tpucost estimate -- "$@" && "$@"; }

# guarded NAME STATUS WORDS...: a refused one runs nothing
guarded() {
	name=$1 want=$2
	shift 2
	rm -f created
	run tpuguard "$@"
	status "$name: $want" "$want"
	is "$name: runs" "$(cat created 2>/dev/null)" "$([ "$want" != 0 ] || echo "$*" | cut -d' ' -f2-)"
}
tpu="gcloud compute tpus tpu-vm create t --version=x"
guarded "the granted one" 0 $tpu --accelerator-type=v3-8 --zone=europe-west4-a
guarded "a letter off" 3 $tpu --accelerator-type=v3-8 --zone=europe-west4-b
guarded "a flag cut short" 3 $tpu --accelerator=v3-256 --zone=europe-west4-a
guarded "one that may be several" 2 $tpu --acc=v3-256 --zone=europe-west4-a
guarded "flags of a file" 2 $tpu --flags-file=f.yaml --zone=europe-west4-a
guarded "another configuration" 2 $tpu --accelerator-type=v3-8 --configuration=other
guarded "behind timeout" 3 timeout 5 $tpu --accelerator-type=v3-256 --zone=europe-west4-a
guarded "behind xargs" 2 xargs $tpu --accelerator-type=v3-8 --zone=europe-west4-a
guarded "another shell" 2 sh -c "$tpu --accelerator-type=v3-8 --zone=europe-west4-a"

# a project that is not watched
run tpucost estimate -- $tpu --accelerator-type=v3-8 --zone=europe-west4-a --project=other
has "of another project nothing is known" "$err" \
	"note: project other is not in projects: of the configuration: its resources and grants are unknown"
run tpucost estimate -- $tpu --accelerator-type=v3-8 --zone=europe-west4-a --project=lab-two
is "of one that is watched, no note" "$(grep -c 'is not in' stderr)" 0

# text: what stands beside one that is free
free="$tpu --accelerator-type=v3-8 --zone=europe-west4-a"
for by in 'seq 8 | xargs -I{}' repeat\ 8 '$GCLOUD; eval'; do
	run tpucost estimate "$free
$by $free"
	status "beside it, by way of $by" 2
done
run tpucost estimate "$free
OUT=\$($tpu --accelerator-type=v3-256 --zone=europe-west4-a)"
status "in the output of another" 2
run tpucost estimate "mk() { $free; }
for i in 1 2 3 4 5 6; do mk; done"
status "by a function in a loop" 2
has "and says so" "$err" "the function mk is called in a loop (for)"

# the guard of gcloud checks every supported command, and refuses a no
run tpucost estimate -- gcloud foo
list=$(echo "$err" | sed -n 's/.*supported commands: gcloud \(.*\); gsutil mb; ctpu up$/\1/p' | sed 's/, /,/g')
is "the supported commands are listed" "$(echo "$list" | tr ',' '\n' | grep -c ' create')" \
	"$(grep -c '^	{"' "$ROOT/cli/paste/commands.c")"
sed -n '/^gcloud() {/,/^}/p' "$ROOT/docs/estimate.md" >guard.sh
tpucost() { echo "$*" >asked && return 3; }
. ./guard.sh
check() { # WORDS...
	rm -f asked created
	gcloud "$@" 2>/dev/null
	echo "$? $(cat asked created 2>/dev/null)"
}
OLD=$IFS
IFS=,
for c in $list; do
	IFS=$OLD
	# shellcheck disable=SC2086 # words of a command
	is "$c is checked" "$(check $c x)" "3 estimate -- gcloud $c x"
done
IFS=$OLD
is "with flags between its words" "$(check --project=p beta container node-pools --zone=z create x)" \
	"3 estimate -- gcloud --project=p beta container node-pools --zone=z create x"
is "what creates nothing runs" "$(check compute instances list)" "0 compute instances list"
