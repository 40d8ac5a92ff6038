# acts
# Google does not report when a TPU node was started: one that its owner starts again is not deleted by the second
# step, whether it runs at the next poll as if nothing had happened, or while tpucost is away.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: nodes
projects: [{id: lab-one, number: "101"}]
zones: [us-central1-a, us-central1-b]
nodes:
  - {zone: us-central1-b, name: at-once, type: v3-8, created: -26h}
  - {zone: us-central1-b, name: later, type: v3-8, created: -26h}
  - {zone: us-central1-b, name: never, type: v3-8, created: -26h}
operations: {looks: 1, seconds: 0s}
W
db() { sqlite3 t.db "$1"; }
ahead() { # SECONDS: from now
	set_clock =$(($(date +%s) + $1))
	run tpucost run --once
}
node() { # NAME STATE
	curl -sf -X POST --data-binary "nodes: [{zone: us-central1-b, name: $1, state: $2}]" \
		"$url/_sandbox/world/patch" >/dev/null || flunk "patch" "$1"
}
changes() {
	grep '"mutating":true' requests | sed 's/.*"method":"\([A-Z]*\)","path":"[^"]*nodes\/\([^"]*\)".*/\1 \2/' | sort | tr '\n' ' '
}
actions() { db "SELECT group_concat(verb || ' ' || state, ', ') FROM (SELECT * FROM action WHERE name = '$1' ORDER BY action)"; }
begin() { # the nodes are stopped
	set_clock =$NOW
	rm -f t.db*
	if [ -n "$sandbox_pid" ]; then
		curl -sf -X POST --data-binary @world.yaml "$url/_sandbox/world" >/dev/null || flunk "world" world.yaml
	else
		start_sandbox world.yaml
	fi
	: >requests
	config_one "notify: [{name: log, file: {path: told.jsonl}}]
rules:
  - name: forgotten
    on: resources
    where: kind = 'tpu' AND state = 'running'
    then:
      - {action: stop, grace: 30m, armed: true}
      - {action: delete, after: 2d, armed: true, allow_delete: true}
enforcement: {mode: armed, projects: [lab-one], allow_delete: true, max_deletes_per_hour: 9, max_per_run: 9, max_per_hour: 9, max_share: 100}"
	run tpucost run --once
	ahead 1800
	is "all are stopped" "$(changes)" "POST at-once:stop POST later:stop POST never:stop "
}
hours() { # FIRST LAST: polls
	i=$1
	while [ "$i" -le "$2" ]; do
		ahead 3600
		i=$((i + 1))
	done
}

begin
set_clock =$(($(date +%s) + 30))
node at-once READY
ahead 30
is "its second run is another one" "$(db "SELECT group_concat(state || ' ' || (starts - $NOW) || COALESCE('-' || (ends - $NOW), ''), ', ')
	FROM (SELECT * FROM resource_interval WHERE name = 'at-once' ORDER BY starts)")" "running -93600-1800, running 1860"
is "and may be stopped again" "$(actions at-once)" "stop done, stop pending"
node at-once STOPPED
hours 1 3
node later READY
hours 4 4
node later STOPPED
hours 5 53
is "who stays stopped is deleted" "$(changes)" "DELETE never POST at-once:stop POST later:stop POST never:stop "
is "what its owner stopped is kept" "$(actions at-once)" "stop done, stop cleared"
is "also later" "$(actions later)" "stop done, delete cleared, stop cleared"

# ---- tpucost is away for a day, and one is used ----
begin
ahead 60
ahead 3600
is "the second steps have begun" "$(actions later)" "stop done, delete pending"
set_clock =$(($(date +%s) + 3600))
node later READY
set_clock =$(($(date +%s) + 72000))
node later STOPPED
ahead 10800
is "nobody knows which one ran" "$(actions later); $(actions never)" \
	"stop done, delete cleared; stop done, delete cleared"
hours 1 60
is "none is deleted" "$(changes)" "POST at-once:stop POST later:stop POST never:stop "
