# Options that cannot be valid are refused with exit status 2, whatever the state of the database.
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config

refused() { # PART ARGS...
	part=$1
	shift
	run tpucost "$@"
	status "$*: status" 2
	has "$*: said" "$err" "$part"
}
no_database() {
	for c in ps burn cost coverage budget credit quota sources alerts egress hidden reconcile audit enforce \
		"silence list" "hold list" "grant list" "notify list" rules "db list" "why burn" "status"; do
		# shellcheck disable=SC2086
		refused "format" $c --format xml
	done
	refused "cannot group by 'nosuch'" cost --by nosuch
	refused "did you mean 'owner'?" burn --by ownr
	refused "use: --by grant" coverage --by nosuch
	refused "'2026-13' is not a valid month" cost --month 2026-13
}
no_database
run tpucost cost --by project
status "without a database, a valid question fails" 1
has "and says what to do" "$err" "run: tpucost collect"
tpucost collect -q
no_database

# Projects
refused "--project: there is no project 'nope'; see: tpucost sources" ps --project nope
refused "there is no project 'lab-tow'; did you mean 'lab-two'?" ps --project lab-one,lab-tow
refused "there is no project ''" ps --project lab-one,
for c in cost burn coverage enforce alerts budget rules "egress --since 7d"; do
	# shellcheck disable=SC2086
	refused "there is no project 'nope'" $c --project nope
done
run tpucost ps --project lab-two,lab-one --format json
is "known projects" "$(jq length stdout)" "$(tpucost ps --format json | jq length)"
# one that is no longer watched has rows still
sed -i 's/projects: .*/projects: [lab-one]/' tpucost.yaml
run tpucost ps --project lab-two --columns name --format csv
is "one that was watched: status" "$rc:$err" 0:
has "one that was watched" "$out" slice
sqlite3 t.db "DELETE FROM source_status WHERE project = 'lab-two'; DELETE FROM billed_project WHERE project = 'lab-two';
	DELETE FROM resource WHERE project = 'lab-two'"
run tpucost ps --project lab-two --since 30d --format json
status "one that only the history has" 0
run tpucost ps --project lab-tw
has "is not what was asked" "$err" "there is no project 'lab-tw'; see"
