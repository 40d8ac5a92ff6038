# Sourced by the tests of the index of Cloud Asset Inventory.
. "$ROOT/tests/cli/lib.sh"
post() { curl -sS -X POST --data-binary @- "$url/_sandbox/$1" >/dev/null; }
# turn SECONDS: a pass of run, so much later; what it asked is in "asked"
clock=$NOW
turn() {
	clock=$((clock + $1))
	set_clock "=$clock"
	before=$(wc -l <requests)
	run tpucost run --once
	tail -n +$((before + 1)) requests >asked
}
# lists PROJECT: how many lists of resources were asked for
lists() {
	grep -cE '"path":"/(compute/v1|v2alpha1)/projects/'"$1"'/(aggregated|locations|global/snap)|"path":"/storage/v1/b".*project='"$1" asked
}
