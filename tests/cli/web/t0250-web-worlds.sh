#!/bin/sh
# In random worlds, the pages, their data, the metrics and the command line have the same figures.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-web.sh"
if ! command -v python3 >/dev/null; then
	pass "skipped: the worlds need python3"
	exit 0
fi
for seed in $(some 1 2 3 4); do
	PYTHONPATH=$ROOT/tests/oracle python3 -B - $seed $NOW <<-'END'
		import json, sys, world_make
		world, config = world_make.make(int(sys.argv[1]), int(sys.argv[2]))
		config["endpoints"] = {"all": "@URL@"}
		json.dump(world, open("world.yaml", "w"))
		json.dump(config, open("config", "w"))
	END
	set_clock =$NOW
	start_sandbox world.yaml
	sed "s,@URL@,$url," config >tpucost.yaml
	export TPUCOST_CONFIG="$work/tpucost.yaml"
	rm -f t.db*
	run tpucost run --once -q
	start_web
	views=$(tpucost views --format json | jq -r '.[].view' | uniq)
	for view in $views; do
		get "/$view.json"
		page=$(printf '%s' "$out" | jq 'map(tojson) | sort')
		run tpucost sql "SELECT * FROM $view" --format json
		[ "$page" = "$(printf '%s' "$out" | jq 'map(tojson) | sort')" ] || flunk "world $seed: $view" "$page"
	done
	pass "world $seed: the data of the page is that of the command line"
	# shellcheck disable=SC2086 # several names
	run python3 -B "$ROOT/tests/support/run/web_cells.py" "$web" $views
	is "world $seed: its cells" "$(printf '%s' "$out" | sed 's/^[0-9]\{3,\} cells$/cells/')" cells
	get "/metrics?per-resource=1"
	is "world $seed: its metrics" "$out" "$(tpucost metrics --per-resource)"
	stop_web
	kill "$sandbox_pid"
	wait "$sandbox_pid" 2>/dev/null
	sandbox_pid=
done
