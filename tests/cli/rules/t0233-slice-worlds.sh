# TPUs of every family, made in each of the five ways, in every class, and random slices whose hosts are in any
# state: what tpucost says of them beside an independent table.
. "$ROOT/tests/cli/lib.sh"
if ! command -v python3 >/dev/null 2>&1; then
	pass "skipped: python3 is not installed"
	exit 0
fi
oracle() { run python3 -B "$ROOT/tests/oracle/slice_oracle.py" --bin "$B" "$@"; }
oracle --root "$ROOT" --seed 0 --worlds 1
status "every family, way and class" 0
has "with every figure" "$out" " of 1 worlds, 0 differ"
is "of which there are many" "$([ "${out%% *}" -gt 1300 ] && echo many)" many
oracle --root "$ROOT" --seed 1 --worlds 20
status "slices in every state" 0
has "agree" "$out" " of 20 worlds, 0 differ"
# the oracle sees what is wrong: a price list that is not the one that was built in
mkdir -p rules
cp -r "$ROOT/rules/prices" rules
sed -i 's/^\(v6e,slice,[a-z0-9-]*,1\),2/\1,3/' rules/prices/tpu_prices.csv
oracle --root . --seed 0 --worlds 1
status "another price is seen" 1
has "and said" "$out" "gross: got"
