# The commands of tutorials, as they are printed: each has the price and the verdict that the price lists
# and the grants give by another road. And how a command is handed over.
. "$ROOT/tests/cli/lib.sh"
cat >tpucost.yaml <<EOC
timezone: UTC
projects: [lab-one, lab-two, lab-three, my-project, my-awesome-gcp-project, tpu-advanced-research, tpu-develop, tpunode, your-tpu-project]
database: none.db
grants:
  - name: trc
    starts: $(day -20)
    days: 30
    tpus:
      - 5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a
      - 100 preemptible Cloud TPU v2-8 device(s) in zone us-central1-f
      - 32 on-demand Cloud TPU v4 chips in zone us-central2-b
EOC
TPUCOST_CONFIG=$work/tpucost.yaml
export TPUCOST_CONFIG
python3 "$ROOT/tests/support/run/tutorials.py" "$B/tpucost" "$ROOT" us-central1-f

# ---- three ways to hand a command over: words, text, standard input; and without the dashes
words="gcloud compute tpus tpu-vm create t --zone=europe-west4-a --accelerator-type=v3-8 --version=v --project=lab-two"
run tpucost estimate -- $words
status "words" 0
first=$out
run tpucost estimate "$words"
is "text" "$out" "$first"
printf '%s\n' "$words" | tpucost estimate - >stdout 2>stderr
is "standard input" "$(cat stdout)" "$first"
run tpucost estimate $words
is "words without --" "$out" "$first"
run tpucost estimate --format json $words --format=yaml --quiet
is "what is behind them is gcloud's" "$(jq -r '.[0].name' stdout)" t
run tpucost estimate "$words" --format json
is "what is behind a text is ours" "$(jq -r '.[0].name' stdout)" t
run tpucost estimate --project lab-three -- gcloud compute tpus tpu-vm create t --zone=europe-west4-a --accelerator-type=v3-8 --version=v
status "a project beside it" 0
run tpucost estimate --zone europe-west4-a --format json -- gcloud compute tpus tpu-vm create t --accelerator-type=v3-8 --version=v
is "a zone beside it" "$(jq -r '.[0] | .zone + " " + .why' stdout)" "europe-west4-a covered"

# ---- the same command with what would make it free
instead() { # NAME WANT WORD...
	name=$1 want=$2
	shift 2
	run tpucost estimate -q -- "$@"
	status "$name: 3" 3
	is "$name" "$(grep '^  gcloud' stdout)" "  $want"
}
instead "another zone" "gcloud compute tpus tpu-vm create t --zone=europe-west4-a --accelerator-type=v3-8 --version=v" \
	gcloud compute tpus tpu-vm create t --zone us-central1-a --accelerator-type=v3-8 --version=v
instead "spot" "gcloud compute tpus tpu-vm create t --zone=us-central1-f --accelerator-type=v2-8 --version=v --spot" \
	gcloud compute tpus tpu-vm create t --zone=us-central1-f --accelerator-type=v2-8 --version=v
instead "preemptible, as it was called" "gcloud compute tpus create t --zone=us-central1-f --accelerator-type=v2-8 --version=2.4 --preemptible" \
	gcloud compute tpus create t --zone=us-central1-f --accelerator-type=v2-8 --version=2.4
instead "not spot" "gcloud compute tpus tpu-vm create t --zone=europe-west4-a --accelerator-type=v3-8 --version=v" \
	gcloud compute tpus tpu-vm create t --zone=europe-west4-a --preemptible --accelerator-type=v3-8 --version=v
instead "another type" "gcloud compute tpus tpu-vm create t --zone=europe-west4-a --accelerator-type=v3-8 --version=v" \
	gcloud compute tpus tpu-vm create t --zone=europe-west4-a --accelerator-type v3-32 --version=v
instead "two things, quoted for a shell" "gcloud compute tpus tpu-vm create t --zone=us-central1-f --accelerator-type=v2-8 --version=v '--metadata=a=b c' --spot" \
	gcloud compute tpus tpu-vm create t --zone=us-central1-b --accelerator-type=v2-8 --version=v '--metadata=a=b c'

# ---- as a guard
run sh -c "tpucost() { \"$B/tpucost\" \"\$@\"; }; tpuguard() { tpucost estimate -q -- \"\$@\" >&2 && \"\$@\"; }
	gcloud() { echo created; }; tpuguard $words; tpuguard gcloud compute tpus tpu-vm create t --zone=us-east1-d --accelerator-type=v3-8 --version=v"
is "only what is free is created" "$out" "created"
status "the other one is refused" 3

# the function of the page, in a shell with a gcloud that only says what it was asked
mkdir bin
printf '#!/bin/sh\necho "ran $3"\n' >bin/gcloud
chmod +x bin/gcloud
awk '/^```/ { on = 0 } on; /^```sh/ { on = 1 }' "$ROOT/docs/estimate.md" | grep -v '^tpucost' >functions.sh
guarded() {
	run env PATH="$work/bin:$B:$PATH" sh -c '. ./functions.sh; gcloud "$@"' sh "$@"
}
guarded compute tpus tpu-vm create t --zone=europe-west4-a --accelerator-type=v3-8 --version=v
is "what is free goes on" "$out" "ran tpu-vm"
guarded compute tpus tpu-vm create t --zone=us-east1-d --accelerator-type=v3-8 --version=v
is "what is not free does not" "$rc $out" "3 "
guarded compute tpus tpu-vm list --zone=us-east1-d
is "other commands are not asked about" "$out$err" "ran tpu-vm"
guarded compute networks create n
is "what is not understood goes on" "$out" "ran create"

# ---- what cannot be read: 2, and no answer
refuses() { # NAME MESSAGE ARGUMENT...
	name=$1 want=$2
	shift 2
	run tpucost estimate "$@"
	status "$name: 2" 2
	has "$name: why" "$err" "$want"
	is "$name: no answer" "$out" ""
}
refuses "an option beside a command" "estimate: --spot cannot be used with a command" --spot -- $words
refuses "another program" "gcloud" -- rm -rf create
refuses "a command that creates nothing" "not a supported create command" -- gcloud compute tpus list --zone=us-central1-a
refuses "an empty text" "create" " "
printf '' | tpucost estimate - >stdout 2>stderr
is "nothing on standard input" "$?" 2
printf 'gcloud\0compute' | tpucost estimate - >stdout 2>stderr
is "what is no text" "$?" 2
head -c 400000 /dev/zero | tr '\0' 'x' | tpucost estimate - >stdout 2>stderr
is "more than is read" "$?" 1
esc=$(printf 'x\033[31my')
run tpucost estimate -- gcloud compute tpus tpu-vm create "$esc" --zone=us-central1-a --accelerator-type=v3-8 --version=v
is "no escape reaches the terminal" "$(cat stdout stderr | grep -c "$(printf '\033')")" 0
