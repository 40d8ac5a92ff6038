# Worlds that nobody wrote: what tpucost says of them beside an independent oracle.
. "$ROOT/tests/cli/lib.sh"
if ! command -v python3 >/dev/null 2>&1; then
	pass "skipped: python3 is not installed"
	exit 0
fi
run python3 -B "$ROOT/tests/oracle/world_oracle.py" --root "$ROOT" --bin "$B" --seed 1 --worlds 12
status "the oracle agrees" 0
has "with every figure" "$out" " of 12 worlds, 0 differ"
is "of which there are many" "$([ "${out%% *}" -gt 5000 ] && echo many)" many
# the oracle sees what is wrong: a price list that is not the one that was built in
mkdir -p rules
cp -r "$ROOT/rules/prices" rules
sed -i 's/^\(pd-[a-z]*,[a-z0-9-]*\),0/\1,1/' rules/prices/disk_prices.csv
run python3 -B "$ROOT/tests/oracle/world_oracle.py" --root . --bin "$B" --seed 1 --worlds 2
status "another price is seen" 1
has "and said" "$out" "gross_per_hour: got"
