# Sourced after lib.sh: an armed rule that deletes one thing of world.yaml, and two runs of it.

# armed_world NAME [LINE]: a new database, after one poll of the world; LINE is of enforcement
armed_world() {
	config_one "notify: [{name: log, file: {path: told.jsonl}}]
rules:
$(armed_rule gone "name = '$1'" "action: delete, allow_delete: true")
enforcement: {mode: armed, projects: [lab-one], allow_delete: true, gke: true, ${2:+$2, }max_deletes_per_hour: 9, max_per_run: 9, max_per_hour: 9, max_per_rule_hour: 9, max_share: 100}"
	rm -f t.db* told.jsonl
	: >requests
	set_clock =$NOW
	curl -sf -X POST --data-binary @world.yaml "$url/_sandbox/world" >/dev/null || flunk "world" world.yaml
	tpucost collect -q >/dev/null 2>&1
}
# act: warns, and two minutes later acts
act() {
	run tpucost run --once
	set_clock =$(($(date +%s) + 120))
	run tpucost run --once
}
