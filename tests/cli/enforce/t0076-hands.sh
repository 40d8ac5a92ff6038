# Stopping for real, against the fake cloud: what is sent, as whom, once; and what is lost on the way.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: hands
projects: [{id: lab-one, number: "101"}]
zones: [us-central1-a, us-central1-f]
instances:
  - {zone: us-central1-a, name: big, type: n1-highmem-96, created: -26h, startup_script: "KEY=CANARY"}
  - {zone: us-central1-a, name: small, type: e2-micro, created: -26h}
disks:
  - {zone: us-central1-a, name: big, type: pd-ssd, size_gb: 250, users: [big]}
nodes:
  - {zone: us-central1-f, name: tpu-1, type: v3-8, created: -26h}
operations: {looks: 1, seconds: 0s}
W
# config RULE-CONDITION ACTION [MORE]: of an armed rule without any wait
config() {
	config_one "notify: [{name: log, file: {path: alerts.jsonl}}]
rules:
$(armed_rule waste "$1" "action: $2")
enforcement: {mode: armed, projects: [lab-one], credentials: enforcer.json${3:-}}"
}
sandbox() { # PATH BODY
	curl -sf -X POST --data-binary "$2" "$url/_sandbox/$1" >/dev/null || echo "not ok sandbox $1"
}
again() { # a new cloud and a new database
	sandbox world "$(cat world.yaml)"
	sandbox faults "${1:-}"
	rm -f t.db* alerts.jsonl
	: >requests
}
changes() {
	grep '"mutating":true' requests | sed 's/.*"method":"\([A-Z]*\)","path":"\([^"]*\)","query":"\([^"]*\)".*"as":"\([^"]*\)".*/\1 \2?\3 \4/'
}
count() {
	changes | grep -c .
}
db() {
	sqlite3 t.db "$1"
}
of_machine() { # its status
	curl -s -H "Authorization: Bearer $token" "$url/compute/v1/projects/lab-one/zones/us-central1-a/instances/$1" |
		sed -n 's/.*"status":"\([A-Z]*\)".*/\1/p'
}
start_sandbox world.yaml
token=$(curl -s -H 'Metadata-Flavor: Google' "$url/computeMetadata/v1/instance/service-accounts/default/token" |
	sed 's/.*"access_token":"\([^"]*\)".*/\1/')
uuid='[0-9a-f]\{8\}-[0-9a-f]\{4\}-5[0-9a-f]\{3\}-[89ab][0-9a-f]\{3\}-[0-9a-f]\{12\}'
enforcer=tpucost-enforcer@lab-one.iam.gserviceaccount.com

# ---- a machine and a TPU --------------------------------------------------------------------------

again
config "name = 'big' AND state = 'running'" stop
run tpucost run --once
status "a machine is stopped" 0
is "by one request, of the account that acts" "$(changes | sed "s/$uuid/UUID/")" \
	"POST /compute/v1/projects/lab-one/zones/us-central1-a/instances/big/stop?requestId=UUID&prettyPrint=false $enforcer"
is "it stands" "$(of_machine big)" TERMINATED
is "its neighbour runs" "$(of_machine small)" RUNNING
is "the collector never uses that account" \
	"$(grep aggregated requests | grep -c "$enforcer")" 0
is "nor is the collector's used for the look" \
	"$(grep '/instances/big' requests | grep -v "$enforcer" | grep -c .)" 1
is "the record holds no secrets" "$(db 'SELECT count(*) FROM action WHERE record LIKE '"'%CANARY%'")" 0
has "and what it was" "$(db 'SELECT record FROM action')" '/machineTypes/n1-highmem-96'
is "and how to start it" "$(db 'SELECT restart FROM action')" \
	"gcloud compute instances start big --project=lab-one --zone=us-central1-a"
run tpucost run --once
is "and it is not stopped twice" "$(count)" 1

again
config "kind = 'tpu' AND state = 'running'" stop
run tpucost run --once
status "a TPU is stopped" 0
is "by one request, which can have no id" "$(changes)" \
	"POST /v2/projects/lab-one/locations/us-central1-f/nodes/tpu-1:stop?prettyPrint=false $enforcer"
is "done" "$(db 'SELECT state FROM action')" done
has "how to start it" "$(db 'SELECT restart FROM action')" \
	"gcloud compute tpus tpu-vm start tpu-1 --project=lab-one --zone=us-central1-f"

# ---- who acts -------------------------------------------------------------------------------------

again
config "name = 'big' AND state = 'running'" stop
rm -f enforcer.off && mv enforcer.json enforcer.off
run tpucost run --once
is "without its credentials nothing is sent" "$(count)" 0
is "and the machine runs" "$(of_machine big)" RUNNING
has "which is said" "$err$(db 'SELECT reason FROM action')" enforcer.json
mv enforcer.off enforcer.json

again
config "name = 'big' AND state = 'running'" stop ", impersonate: bot@lab-one.iam.gserviceaccount.com"
run tpucost run --once
is "it acts as another account" "$(changes | sed 's/.* //')" bot@lab-one.iam.gserviceaccount.com
is "whose token those of its own credentials get" \
	"$(grep -c "bot@lab-one.iam.gserviceaccount.com:generateAccessToken.*\"as\":\"$enforcer\"" requests)" 1
again '- {match: "POST /v1/", status: 403}'
run tpucost run --once
is "or does not act" "$(count)" 0
has "which says why" "$(db 'SELECT reason FROM action')" \
	"service account bot@lab-one.iam.gserviceaccount.com: token: HTTP 403"

# ---- what is lost on the way ----------------------------------------------------------------------

again '- {match: "POST /compute/", how: lost, times: 1}'
config "name = 'big' AND state = 'running'" stop
run tpucost run --once
run tpucost run --once
is "a lost answer is not asked for again" "$(count)" 1
is "the machine tells" "$(db 'SELECT state FROM action')" done
is "it stands" "$(of_machine big)" TERMINATED

# It waits a minute for what may still arrive: interrupted.
again '- {match: "POST /compute/", how: close, times: 1}'
"$B/tpucost" run --once >stdout 2>stderr &
lost=$!
asked() { [ "$(count)" -gt 0 ]; }
wait_until asked
kill -TERM $lost
wait $lost
is "a lost request is one request" "$(count)" 1
is "and no end" "$(db "SELECT count(*) FROM action WHERE state IN ('done', 'failed')")" 0
is "the machine runs" "$(of_machine big)" RUNNING

again '- {match: "POST /compute/", status: 403}'
run tpucost run --once
is "a refusal is asked for once" "$(count)" 1
is "and is the end" "$(db 'SELECT state FROM action')" failed
run tpucost run --once
is "for good" "$(count)" 1

again '- {match: "GET /compute/v1/projects/lab-one/zones/us-central1-a/instances/big", status: 500}'
run tpucost run --once
is "after a look that failed nothing is sent" "$(count)" 0

again '- {match: "GET /compute/v1/projects/lab-one/zones/us-central1-a/instances/big", body: "{\"error\":{\"code\":404}}", status: 404}'
run tpucost run --once
is "a 404 that names nothing does not mean gone" "$(count)" 0
is "the action waits" "$(db "SELECT count(*) FROM action WHERE ended IS NOT NULL")" 0
