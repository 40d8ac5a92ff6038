# acts
# A halt that is said through an edited configuration counts for a daemon that has not read it anew.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-daemon.sh"
cat >world.yaml <<'W'
name: leak
zones: [us-central1-b]
projects: [{id: lab-one, number: 101}]
instances:
  - {project: lab-one, zone: us-central1-b, name: big, type: n1-highmem-96, created: -3h}
W
start_sandbox world.yaml
mkdir real new
cat >tpucost.yaml <<END
timezone: UTC
projects: [lab-one]
credentials: service-account.json
database: $work/real/t.db
poll: {instances: 10s}
rules:
  - name: all
    on: resources
    where: kind = 'vm' AND state = 'running'
    for: 0m
    then: {action: stop, grace: 0m, armed: true}
notify: [{name: log, file: {path: told.jsonl}}]
enforcement: {mode: armed, projects: [lab-one], max_share: 100%}
endpoints: {all: "$url"}
END
TPUCOST_CONFIG=$work/tpucost.yaml
export TPUCOST_CONFIG
stops() { grep '"mutating":true' requests | grep -c '"path":"[^"]*stop"'; }
polls() { grep -c '"path":"/compute/v1/projects/lab-one/aggregated/instances' requests; }
more_polls() { [ "$(polls)" -ge $((before + 2)) ]; }
stopped() { [ "$(stops)" -gt 0 ]; }

touch real/halt
start_daemon
wait_for "it was told" told.jsonl warning
sed -i "s|real/t.db|new/t.db|" tpucost.yaml
run tpucost enforce halt
status "halted by the edited configuration" 0
has "beside the database that it names" "$err" "$work/new/halt exists"
# as if nobody might write beside the configuration
rm halt real/halt
before=$(polls)
wait_until more_polls
is "the daemon looks there, too" "$(stops)" 0
rm new/halt
if wait_until stopped; then pass "and acts when it is gone"; else flunk "and acts when it is gone"; fi
