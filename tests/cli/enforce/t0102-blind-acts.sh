# The credentials that act are missing: nothing is done, and who was warned hears why it is not done.
. "$ROOT/tests/cli/lib.sh"

cat >world.yaml <<'W'
name: leak
zones: [us-central1-b]
projects: [{id: lab-one, number: 101}]
instances:
  - {project: lab-one, zone: us-central1-b, name: big, type: n1-highmem-96, created: -3h}
W
start_sandbox world.yaml
config_one "rules:
$(armed_rule big-cpu "kind = 'vm' AND state = 'running' AND vcpus >= 64")
notify: [{name: log, file: {path: told.jsonl}}]
enforcement:
  mode: armed
  projects: [lab-one]
  credentials: missing.json"
said() { jq -r '.report.actions[]? | .event + " " + .name' told.jsonl | tr '\n' ';'; }
# A run of SECONDS later, for tpucost and for the cloud
later() {
	curl -s -X POST -d "{\"advance\": $(($1 - at))}" "$url/_sandbox/clock" >/dev/null
	at=$1
	clock_ahead "$1" "$B/tpucost" run --once -q >>said 2>>said_err
}
at=0
run tpucost run --once
later 300
is "at first it is only warned of" "$(said)" "warning big;"
later 1000
later 1100
is "then it is said once that it cannot be done" "$(said)" "warning big;held big;"
last() { jq -r ".report.actions[]? | select(.event == \"held\") | .$1" told.jsonl; }
has "and why" "$(last detail)" "missing.json: No such file or directory"
has "and what it costs" "$(last detail)" "It still costs about 5.68 USD/h. To do it manually:"
is "and how it is done by hand" "$(last command)" "gcloud compute instances stop big --zone us-central1-b --project lab-one"
is "nothing is done" "$(jq -r 'select(.mutating) | .path' requests)" ""
