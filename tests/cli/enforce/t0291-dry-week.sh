# A dry run of a week: what would be stopped and deleted, and when, as the program prints it on each of nine days.
# Worlds: the lab, the small one, and the stories of tests/scenarios with their second week. Nothing is sent to Google.
. "$ROOT/tests/cli/lib.sh"
day=86400
config() { # PROJECT
	config_one "notify: [{name: log, file: {path: told.jsonl}}]
rules:
  - use: vm-forgotten
    then:
      - {action: stop, grace: 30m, armed: true}
      - {action: delete, after: 7d, armed: true, allow_delete: true}
  - use: tpu-leftover
    then: {action: delete, after: 2d, armed: true, allow_delete: true}
enforcement: {mode: dry-run, projects: [$1], allow_delete: true}"
	sed -i "s/^projects: .*/projects: [$1]/" tpucost.yaml
}
world() { # FILE PROJECT: begins on day 0 at 10:00
	set_clock =$NOW
	rm -f t.db* told.jsonl plans lines texts
	if [ -n "$sandbox_pid" ]; then
		curl -sf -X POST --data-binary @"$1" "$url/_sandbox/world" >/dev/null || flunk "world" "$1"
	else
		start_sandbox "$1"
	fi
	config "$2"
}
patch() { curl -sf -X POST --data-binary "$1" "$url/_sandbox/world/patch" >/dev/null || flunk "patch" "$1"; }
# The plan of day N as lines "N NAME stop 0+00:30, delete 7+00:30": days since the beginning, and the time after 10:00.
plan() { # N
	run tpucost enforce --format json
	echo "$out" >>plans
	echo "$out" | jq -r --argjson now "$NOW" --arg day "$1" '
		def two: tostring | if length < 2 then "0" + . else . end;
		def when: fromdate - $now | "\(. / 86400 | floor)+\(. % 86400 / 3600 | floor | two):\(. % 3600 / 60 | floor | two)";
		.[] | select(.todo == 1) | "\($day) \(.name) \(.action) \(.due | when)" +
			if .delete_due then ", delete \(.delete_due | when)" else "" end' >>lines
	echo "$out" | jq -r '.[] | select(.todo == 1) |
		"\(.action) \(.name): \(.delete_due // "-" | .[:16] | sub("T"; " "))"' | sort >wanted
	run tpucost enforce
	echo "$out" >>texts
	echo "$out" | awk '/^[^ ].*\([0-9]+\)$/ { on = /^Would be done/ }
		on && /^  (stop|delete) / { name = $1 " " $2 ":"; all = "" }
		name { all = all " " $0 }
		name && / (lab-one|tpu-develop)\// {
			gsub(/ +/, " ", all)
			print name, match(all, /later, not before [-0-9]+ [0-9:]+/) ? substr(all, RSTART + 18, 16) : "-"
			name = ""
		}' | sort >got
	is "the text of day $1 has the same actions and dates" "$(cat got)" "$(cat wanted)"
}
days() { # FROM TO
	n=$1
	while [ "$n" -le "$2" ]; do
		set_clock =$((NOW + n * day))
		run tpucost run --once
		plan "$n"
		n=$((n + 1))
	done
}
# Each line with the first and the last day on which it is printed.
table() {
	awk '{ d = $1; sub(/^[0-9]+ /, ""); if (!($0 in first)) first[$0] = d; last[$0] = d; n[$0]++ }
		END { for (l in n) print "days " first[l] "-" last[l] \
			(n[l] == last[l] - first[l] + 1 ? "" : " (not all)") ": " l }' lines | LC_ALL=C sort
}
always() { # NAME OTHER...: of a world, at its end
	is "$1: only machines, TPUs and requests are in a plan" \
		"$(jq -r '.[] | select(.kind | IN("vm", "tpu", "queued") | not) | .resource' plans)" ""
	is "$1: a blocked action has no date of a second step" \
		"$(jq -r '.[] | select(.todo == 0 and .delete_due) | .name' plans)" ""
	is "$1: nor does the text print one" \
		"$(tr -s '\n ' '  ' <texts | grep -o 'deleted 7d later' | wc -l)" "$(grep -c ' stop ' lines)"
	world=$1
	shift
	for other; do
		is "$world: $other is never in it" "$(grep -w -e "$other" lines texts)" ""
	done
}
told() { # NAME: what the messages of the dry run say of it, in order
	jq -r --arg name "$1" '.report.firing[]? | select(.name == $name) | .detail' told.jsonl |
		grep -o 'It would be .*' | uniq
}

# ---- the small world: nothing is known of the activity of its machine ----
world "$ROOT/tests/sandbox/worlds/small.yaml" lab-one
days 0 2
is "small: a preempted node, after two days" "$(table)" "days 0-2: pre delete 2+00:00"
always small big spare spare-ip off

# ---- the lab ----
world "$ROOT/tests/sandbox/worlds/lab.yaml" tpu-develop
days 0 8
is "lab: the big machine is stopped, and deleted a week later; what is dead goes after two days" "$(table)" \
	"days 0-8: sweep-2 delete 2+00:00
days 0-8: tpu-vm stop 0+00:30, delete 7+00:30
days 0-8: want-v4 delete 2+00:00"
always lab tpu-driver old-vm imagenet old-vm-2026 old-ip tpu-develop-data

# ---- stories: who comes back, holds, or removes what it is about ----
cpu() { # NAME VALUE FROM [UNTIL]: how busy it is
	printf '  - {type: compute.googleapis.com/instance/cpu/utilization, zone: %s, instance: %s, value: "%s", from: %s%s}\n' \
		"$(sed -n "s/.*zone: \([^,]*\), name: $1, type.*/\1/p" week.yaml)" "$1" "$2" "$3" "${4:+, until: $4}"
}
cat >week.yaml <<'W'
name: week
projects: [{id: lab-one, number: "101"}]
zones: [us-central1-a, us-central1-b, us-central1-f, europe-west4-a]
instances:
  - {zone: us-central1-a, name: forgotten, type: n1-highmem-96, created: -26h}
  - {zone: us-central1-b, name: by-its-tpu, type: n1-highmem-96, created: -26h}
  - {zone: us-central1-a, name: spot, type: n1-standard-4, created: -26h, spot: true}
  - {zone: us-central1-a, name: restarted, type: n1-standard-4, created: -26h}
  - {zone: us-central1-a, name: used-again, type: n1-standard-4, created: -26h}
  - {zone: us-central1-a, name: on-hold, type: n1-standard-4, created: -26h}
  - {zone: us-central1-a, name: removed, type: n1-standard-4, created: -26h}
  - {zone: us-central1-a, name: kept, type: n1-standard-4, created: -26h, labels: {tpucost-keep: forever}}
  - {zone: us-central1-a, name: busy, type: n1-standard-4, created: -26h}
  - {zone: us-central1-a, name: silent, type: n1-standard-4, created: -26h}
  - {zone: us-central1-a, name: stopped-by-owner, type: n1-standard-4, created: -26h, status: TERMINATED}
disks:
  - {zone: us-central1-a, name: boot-disk, type: pd-ssd, size_gb: 250, users: [forgotten], created: -26h}
  - {zone: us-central1-a, name: data-disk, type: pd-ssd, size_gb: 800, created: -26h}
addresses: [{region: us-central1, name: spare-ip, created: -26h}]
snapshots:
  - {name: backup, disk: boot-disk, zone: us-central1-a, size_gb: 250, bytes: 900000000, locations: [us], created: -26h}
nodes:
  - {zone: us-central1-b, name: trainer, type: v3-8, created: -26h}
  - {zone: us-central1-f, name: preempted, type: v2-8, spot: true, state: PREEMPTED, created: -26h}
  - {zone: us-central1-f, name: preempted-later, type: v2-8, spot: true, created: -26h}
  - {zone: us-central1-f, name: failed, type: v2-8, state: TERMINATED, created: -26h}
queued:
  - {zone: europe-west4-a, name: dead, type: v6e-16, state: SUSPENDED, created: -26h, spot: true}
  - {zone: europe-west4-a, name: refused, type: v6e-16, state: FAILED, created: -26h, spot: true}
  - {zone: europe-west4-a, name: tried-again, type: v6e-16, state: SUSPENDED, created: -26h, spot: true}
metrics:
W
{
	for name in forgotten by-its-tpu spot restarted on-hold removed kept stopped-by-owner; do cpu $name 0.004 -26h; done
	cpu busy 0.63 -26h
	cpu used-again 0.004 -26h +71h
	cpu used-again 0.63 +71h +119h # an hour before the poll of day 3 until that of day 5
	cpu used-again 0.004 +119h
} >metrics.yaml
cat metrics.yaml >>week.yaml
world week.yaml lab-one
days 0 0
run tpucost hold add on-hold --until "$(day 4)"
patch "remove: {nodes: [{zone: us-central1-b, name: trainer}]}
queued: [{zone: europe-west4-a, name: tried-again, state: WAITING_FOR_RESOURCES}]"
days 1 1
patch "remove: {instances: [{zone: us-central1-a, name: removed}]}"
days 2 2
set_clock =$((NOW + 3 * day))
patch "instances: [{zone: us-central1-a, name: restarted, started: now}]
nodes: [{zone: us-central1-f, name: preempted-later, state: PREEMPTED}]"
days 3 3
patch "queued: [{zone: europe-west4-a, name: tried-again, state: SUSPENDED}]"
days 4 8
# Stopped half an hour after a poll finds it idle for an hour, and deleted a week after that: by-its-tpu on the day
# after its TPU went, restarted when it has been idle again, on-hold on the day after the last one of its hold.
is "week: what would be stopped and deleted, and when" "$(table)" \
	"days 0-0: on-hold stop 0+00:30, delete 7+00:30
days 0-0: tried-again delete 2+00:00
days 0-1: removed stop 0+00:30, delete 7+00:30
days 0-2: restarted stop 0+00:30, delete 7+00:30
days 0-2: used-again stop 0+00:30, delete 7+00:30
days 0-8: dead delete 2+00:00
days 0-8: failed delete 2+00:00
days 0-8: forgotten stop 0+00:30, delete 7+00:30
days 0-8: preempted delete 2+00:00
days 0-8: refused delete 2+00:00
days 0-8: spot stop 0+00:30, delete 7+00:30
days 1-8: by-its-tpu stop 1+00:30, delete 8+00:30
days 3-8: preempted-later delete 5+00:00
days 4-8: restarted stop 4+00:30, delete 11+00:30
days 4-8: tried-again delete 6+00:00
days 5-8: on-hold stop 5+00:30, delete 12+00:30
days 6-8: used-again stop 6+00:30, delete 13+00:30"
always week busy silent stopped-by-owner boot-disk data-disk spare-ip backup trainer
is "the messages have both dates, too" "$(told on-hold)" \
	"It would be stopped at 10:30, and deleted at $(day 7) 10:30 (dry run).
It would be stopped at 10:30, and deleted at $(day 12) 10:30 (dry run).
It would be stopped at $(day 5) 10:30, and deleted at $(day 12) 10:30 (dry run)."
is "and that of a request" "$(told dead | head -n 1)" "It would be deleted at $(day 2) 10:00 (dry run)."
is "none of it asked Google for a change" "$(grep -c '"mutating":true' requests)" 0
