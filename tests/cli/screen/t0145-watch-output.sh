# --watch into something that is no terminal: who has gone is an end, what cannot be written a failure.
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config
tpucost collect -q

"$B/tpucost" ps --watch 1 >/dev/full 2>stderr
rc=$?
status "a full device fails" 1
is "and says so" "$(tail -1 stderr)" "tpucost: write to standard output: No space left on device; free some space on the disk"
"$B/tpucost" ps --watch 1 --format json >/dev/full 2>stderr
rc=$?
status "json, too" 1
{
	"$B/tpucost" ps --watch 1 2>stderr
	echo $? >rc
} | head -n 1 >stdout
rc=$(cat rc)
status "a reader that leaves is no failure" 0
is "nothing is said of it" "$(grep -c 'write to' stderr)" 0

# ---- and what init says to do next holds in any directory
mkdir elsewhere
run tpucost init --output "elsewhere/a b.yaml" --endpoint "$url" --credentials service-account.json
status "init" 0
next=$(sed -n 's/^next: \(export [^;]*\);.*/\1/p' stderr)
has "the whole path" "$next" "export TPUCOST_CONFIG='$work/elsewhere/a b.yaml'"
(
	eval "$next"
	cd / && "$B/tpucost" check >"$work/stdout" 2>&1
	echo $? >"$work/rc"
)
is "found from anywhere" "$(cat rc)" 0
