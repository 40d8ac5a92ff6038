# docs/enforce.md: every command of its section on the scope exists and changes nothing; the limits of
# docs/config.md are the defaults; `why` knows actions.
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
page=$ROOT/docs/enforce.md

# ---- the limits ----------------------------------------------------------------------------------

limits=$(sed -n 's/^| `enforcement\.\(max_[a-z_]*\)` | [a-z]* | \([0-9]*\) |.*/\1: \2/p' "$ROOT/docs/config.md")
is "the reference has six" "$(echo "$limits" | wc -l)" 6
yaml="rules: [{use: tpu-not-covered, then: {action: stop, grace: 30m, armed: true}}]
enforcement:
  mode: dry-run
  projects: [lab-one]
$(echo "$limits" | sed 's/^/  /')"
write_config "$yaml"
run tpucost check
status "it is read" 0
tpucost collect -q
run tpucost enforce
status "and used" 0
has "as it says" "$out" "tpu-not-covered (stop after a grace of 30m, armed)"
has "its limits" "$out" "Limits: 3 per run; used 0 of 5 per hour, 0 of 10 per day"
write_config
is "which are the defaults" "$(tpucost enforce --all | grep -c Limits)" 0
write_config "rules: [{use: tpu-not-covered, then: {action: stop}}]"
has "all of them" "$(tpucost enforce)" "Limits: 3 per run; used 0 of 5 per hour, 0 of 10 per day"

# ---- commands ------------------------------------------------------------------------------------

sed -n '/^## Scope/,/^## States/p' "$page" | grep '^tpucost ' | sed 's/  *#.*//; s/tpu-wrong/wrong/' >commands
is "there are commands" "$([ "$(wc -l <commands)" -ge 4 ] && echo yes)" yes
while read -r line; do
	eval "run $line"
	case $line in
	*approve*) status "$line: there is no such action" 1 ;;
	*--exit-code*) status "$line" 3 ;;
	*) status "$line" 0 ;;
	esac
done <commands
is "none of it changes anything" "$(jq -c 'select(.mutating == true)' requests | wc -l)" 0
