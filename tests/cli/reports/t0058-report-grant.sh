# The report of a grant has hours and no money; and an independent oracle agrees with all kinds.
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config "credits: [{name: trial, amount: 300 USD}]
currency: HKD"
tpucost run --once >/dev/null 2>&1
run tpucost report grant --format json
status "report grant" 0
is "a line of the grant each" "$(jq -c '[.grants[] | [.grant_name, .type, .granted_chips]]' stdout)" \
	'[["trc","v3-8",20],["trc","v4",32]]'
is "the TPU that is covered" "$(jq -c '[.types[] | [.type, .zone, .tpus]]' stdout)" '[["v3-8","europe-west4-a",1]]'
is "what nobody watched is not 0" "$(jq -c '.grants[1].chip_hours' stdout)" null
has "and it is said" "$(jq -r '.grants[1].detail' stdout)" "is unknown"
for format in text html markdown json slack csv; do
	run tpucost report grant trc --format $format
	status "$format" 0
	is "$format: no money and no names" \
		"$(grep -Ec 'USD|HKD|EUR|[0-9] ?\$|cost|price|lab-one|lab-two|00AA11|tpu/|example\.' stdout)" 0
	has "$format: zone and type" "$out" "europe-west4-a"
done
later() { # DAYS COMMAND...: as it looks when nothing is polled for so long
	away=$1
	shift
	run clock_ahead $((away * 86400)) "$B/tpucost" "$@"
}
later 2 report grant --format json
then=$(jq -c '[.grants[0].chip_hours, .weeks]' stdout)
is "unwatched: stale is said first" "$(jq -r '.headline | startswith("DATA STALE since ")' stdout)" true
has "and until when it was watched" "$(jq -r '.grants[0].detail' stdout)" "later use is unknown"
is "and no records without gaps until now" "$(jq -r '.headline | contains("no gaps since")' stdout)" false
for kind in daily weekly month; do
	later 2 report $kind
	has "report $kind: stale is said first" "$(sed -n 3p stdout)" "DATA STALE since $(day 0) 10:00 ("
done
later 5 report grant --format json
is "later use is not counted" "$(jq -c '[.grants[0].chip_hours, .weeks]' stdout)" "$then"
chips=$(jq .grants[0].chip_hours stdout)
later 5 coverage --since 30d --where covered --format json
is "nor in coverage" "$(jq "([.[].chip_hours] | add) - $chips | fabs < 0.001" stdout)" true
later 9 report weekly --format json
is "nor in the week after" "$(jq -c .tpus stdout)" "[]"
is "of which nothing is said to have cost" "$(jq -r '.headline | contains("TPUs outside")' stdout)" false
has "because" "$out" "DATA STALE since"
later 5 report daily --format json
is "nor yesterday and today" "$(jq -c '[.coverage_yesterday, .today_estimate]' stdout)" "[[],[]]"
# of a login, whose tokens know no time
echo '{"type":"authorized_user","client_id":"a","client_secret":"b","refresh_token":"sandbox-refresh"}' >user.json
chmod 600 user.json
sed -i 's/^credentials: .*/credentials: user.json/' tpucost.yaml
later 5 run --once
later 5 report grant --format json
is "the next poll says no less" "$(jq ".grants[0].chip_hours >= $chips" stdout)" true
is "and is fresh" "$(jq -r '.headline | startswith("Thank you")' stdout)" true
run tpucost report grant trd
is "no such grant" "$rc" 2
has "and which it may be" "$err" 'did you mean'
run tpucost report grant --since 2026-01-02 --until 2026-01-01
is "no such time" "$rc" 2
run tpucost report grant --since 2020-01-01 --until 2020-02-01
status "before it began" 0
has "is said" "$out" "None of these grants was valid"
if ! command -v python3 >/dev/null 2>&1; then
	pass "skipped: python3 is not installed"
	exit 0
fi
run python3 -B "$ROOT/tests/oracle/report_oracle.py" --bin "$B" --seed 1 --worlds 6
status "the oracle agrees" 0
has "with every figure" "$out" " of 6 worlds, 0 differ"
is "of which there are many" "$([ "${out%% *}" -gt 1500 ] && echo many)" many
