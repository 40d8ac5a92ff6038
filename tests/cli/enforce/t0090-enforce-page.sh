# docs/enforce.md: its example is a configuration that works, with the limits that are the defaults;
# every command of it exists; `why` knows actions.
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
page=$ROOT/docs/enforce.md

# ---- the example ---------------------------------------------------------------------------------

yaml=$(sed -n '/^```yaml/,/^```$/p' "$page" | sed '/^```/d' | sed 's/my-project/lab-one/')
has "there is one" "$yaml" "enforcement:"
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

sed -n '/^```sh/,/^```$/p' "$page" | grep '^tpucost ' | sed 's/  *#.*//; s/tpu-wrong/wrong/' >commands
is "there are commands" "$([ "$(wc -l <commands)" -ge 7 ] && echo yes)" yes
while read -r line; do
	eval "run $line"
	case $line in
	*approve*) status "$line: there is no such action" 1 ;;
	*--exit-code*) status "$line" 3 ;;
	*) status "$line" 0 ;;
	esac
done <commands
is "none of it changes anything" "$(jq -c 'select(.mutating == true)' requests | wc -l)" 0
