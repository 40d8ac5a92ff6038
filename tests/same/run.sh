#!/bin/sh
# same/run.sh OLD NEW [WORLDS]: does the program of the build NEW say the same as that of OLD? Both are
# folders such as build/release of two working trees. For the worlds of the fake cloud, the scenarios of rules and
# WORLDS (50) random worlds, each program polls the same fake cloud at the same instant into a database
# of its own; then commands, reports and views are compared byte by byte, in all their formats.
# Prints a line a world, and the first lines of what differs.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
old=$(cd "$1" && pwd) new=$(cd "$2" && pwd)
worlds=${3:-50}
NOW=1794996000
work=$(mktemp -d)
pid=
finish() {
	[ -z "$pid" ] || kill "$pid" 2>/dev/null || true
	rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM
cd "$work"
ln -s "$new/machine.so" machine.so
ln -s "=$NOW" now
unset GOOGLE_APPLICATION_CREDENTIALS COLUMNS NO_COLOR
HOME=$work TZ=UTC LD_PRELOAD=$work/machine.so TEST_CLOCK=$work/now TPUCOST_CONFIG=$work/tpucost.yaml
export HOME TZ LD_PRELOAD TEST_CLOCK TPUCOST_CONFIG

# one NAME COMMAND...: its output, its messages and its status become files of that name
one() {
	name=$1
	shift
	rc=0
	"$@" >"$name.out" 2>"$name.err" </dev/null || rc=$?
	echo $rc >"$name.rc"
}
# ask BUILD: everything, into the current folder
ask() {
	t=$1/tpucost
	rm -f "$work"/t.db*
	one run "$t" run --once
	sort -o run.out run.out # as the sources answered
	sort -o run.err run.err
	for command in ps "ps --all" "ps --since 9d --until 2d" coverage "coverage --since 9d" burn "burn --since 3d" \
		cost "cost --by day,sku" "cost --by project,category" budget credit quota sources alerts hidden egress \
		reconcile "reconcile --since 20d" enforce "grant list" "grant plan" "rules list" audit hold silence; do
		for format in table json csv markdown; do
			# shellcheck disable=SC2086 # several words
			one "$(echo "$command.$format" | tr ' ' _)" "$t" $command --format $format
		done
	done
	one status "$t" status
	one status.json "$t" status --format json
	sed -i '/machine-type/d' sources.* # which project asks first for what both have is chance
	one doctor "$t" doctor
	sed -i '/ disk  /d' doctor.out # the machine's
	for report in daily weekly month grant; do
		for format in text html markdown json slack; do
			one "report.$report.$format" "$t" report $report --format $format
		done
	done
	for view in $("$t" views --format csv | awk -F, 'NR > 1 { print $1 }' | uniq); do
		one "view.$view" "$t" sql --format csv "SELECT * FROM $view"
		one "view.$view.since" "$t" sql --format csv --since 9d --until 1d "SELECT * FROM $view"
		for file in "view.$view.out" "view.$view.since.out"; do
			case $view in
			alert_events) sed -i 's/^[0-9]*,//' "$file" ;;
			sources) sed -i '/machine-type/d' "$file" ;;
			notifications) sed -i 's/\[tpucost\] .*(and [0-9]* more)//' "$file" ;; # what came first is chance
			esac
			sort -o "$file" "$file" # without ORDER BY they may come in any order
		done
	done
	n=0
	"$t" ps --all --format csv --columns id 2>/dev/null | sed 1d | head -n 8 >ids || true
	while read -r id; do
		n=$((n + 1))
		one "why.$n" "$t" why "$id"
	done <ids
	one estimate "$t" estimate --tpu v3-8 --zone europe-west4-a --vm n1-standard-8 --disk pd-ssd:100 --format json
	one estimate.text "$t" estimate --tpu v2-8 --zone us-central1-f --spot
}
differ=0
compare() { # NAME
	rm -rf a b
	for which in a b; do
		mkdir $which
		[ $which = a ] && build=$old || build=$new
		(cd $which && ask "$build")
	done
	if diff -r a b >difference; then
		echo "same: $1 ($(find b -type f | wc -l) files)"
	else
		differ=$((differ + 1))
		echo "DIFFERS: $1"
		head -n 20 difference
	fi
}
# cloud WORLD: sets $url
cloud() {
	rm -f port
	"$new/sandbox" --port 0 --port-file port --key-out "$work" "$1" >sandbox.out 2>&1 &
	pid=$!
	until [ -s port ]; do kill -0 $pid && sleep 0.01; done
	url=http://127.0.0.1:$(cat port)
}
end_cloud() {
	kill $pid
	wait $pid 2>/dev/null || true
	pid=
}

for world in lab small traffic; do # not "faulty": whom its faults hit is chance
	cloud "$root/tests/sandbox/worlds/$world.yaml"
	projects=$(sed -n 's/.*{id: *\([a-z0-9-]*\).*/\1/p' "$root/tests/sandbox/worlds/$world.yaml" | sort -u | paste -sd,)
	table=$(awk '/^billing:/ { on = 1 } on && /table:/ { print $2; exit }' "$root/tests/sandbox/worlds/$world.yaml")
	cat >tpucost.yaml <<-END
		timezone: Asia/Hong_Kong
		currency: HKD
		projects: [${projects:-lab-one}]
		credentials: service-account.json
		database: t.db
		${table:+billing: {table: $table\}}
		grants:
		  - name: trc
		    starts: 2026-11-01
		    days: 30
		    tpus: [5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a, 100 preemptible Cloud TPU v2-8 device(s) in zone us-central1-f]
		credits: [{name: trial, amount: 300 USD, starts: 2026-10-01, expires: 2026-12-30}]
		budgets: [{name: month, amount: 5000 HKD, per: month}, {name: cpu, amount: 100 HKD, per: day, where: "category = 'cpu'"}]
		rules: [{use: tpu-not-covered, then: {action: stop, grace: 30m, armed: true}}]
		notify: [{name: log, file: {path: told.jsonl}}]
		report: {daily: {at: "09:00", to: [log]}}
		enforcement: {mode: dry-run, projects: [${projects:-lab-one}]}
		endpoints: {all: "$url"}
	END
	compare "$world"
	end_cloud
done
for scenario in "$root"/tests/scenarios/*.yaml; do
	one "$work/old" "$old/tpucost" rules test "$scenario"
	one "$work/new" "$new/tpucost" rules test "$scenario"
	for part in out err rc; do
		cmp "$work/old.$part" "$work/new.$part" || differ=$((differ + 1))
	done
done
seed=1
while [ $seed -le "$worlds" ]; do
	PYTHONPATH=$root/tests/oracle /usr/bin/python3 -B - $seed $NOW <<-'END'
		import json, sys, world_make
		world, config = world_make.make(int(sys.argv[1]), int(sys.argv[2]))
		config["endpoints"] = {"all": "@URL@"}
		json.dump(world, open("world.yaml", "w"))
		json.dump(config, open("config", "w"))
	END
	cloud world.yaml
	sed "s,@URL@,$url," config >tpucost.yaml
	compare "random world $seed"
	end_cloud
	seed=$((seed + 1))
done
[ $differ -eq 0 ] && echo "the same everywhere" || { echo "$differ differ" && exit 1; }
