# `run --once -q` from cron: a source that fails is printed when it begins, when its error changes, and when it ends.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: cron
projects: [{id: lab-one, number: "101"}]
zones: [us-central1-a]
instances: [{zone: us-central1-a, name: vm, type: n1-standard-1, created: -10h}]
W
start_sandbox world.yaml
config_one
faults() { curl -sS -X POST "$url/_sandbox/faults" --data-binary "$1" >/dev/null; }
# cron MINUTES: it runs so long after the beginning
cron() {
	set_clock =$((NOW + $1 * 60))
	run tpucost run --once -q
}
disks="match: GET /compute/v1/projects/lab-one/aggregated/disks"
cron 0
is "all is well" "$rc $out$err" "0 "
faults "[{$disks, status: 403}]"
cron 1
status "disks are refused" 4
has "that begins" "$err" "tpucost: disk of lab-one: list Compute Engine disks: HTTP 403"
set_clock =$((NOW + 180))
said=
for minute in 3 7 15; do
	cron $minute
	status "it goes on, minute $minute" 4
	said=$said$err
done
is "without a word" "$said" ""
faults "[{$disks, status: 404}]"
cron 21
has "another error is said" "$err" "tpucost: disk of lab-one: list Compute Engine disks: HTTP 404"
run tpucost collect -q
has "collect says it whenever it is asked" "$err" "tpucost: disk of lab-one: list Compute Engine disks: HTTP 404"
faults ''
cron 30
has "the end is said" "$err" "tpucost: disk of lab-one: resolved: list Compute Engine disks: HTTP 404"
is "once, and it is fine" "$rc $(printf '%s\n' "$err" | wc -l)" "0 1"
cron 31
is "then nothing" "$rc $out$err" "0 "

# ---- no source can be polled
mv service-account.json key.json
cron 40
has "the cause is said" "$err" "tpucost: open $work/service-account.json"
cron 41
is "once" "$rc $err" "1 "
mv key.json service-account.json
cron 42
has "and its end" "$err" "sources: open $work/service-account.json"
has "as the end" "$err" "tpucost: resolved: "
is "of all of them" "$rc $(printf '%s\n' "$err" | wc -l)" "0 1"
