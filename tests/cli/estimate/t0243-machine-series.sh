# Machine series whose price list has gaps: each type has a whole price, or the answer names the parts without one.
. "$ROOT/tests/cli/lib.sh"
write_world series us-central1-a <<'W'
instances: [{zone: us-central1-a, name: gpus, type: a3-highgpu-1g, gpu: nvidia-h100-80gb, gpus: 1, local_ssds: 2, created: -2h}]
W
start_sandbox world.yaml
config_one
set_clock =$NOW
tpucost collect vm disk >/dev/null 2>&1
# price TYPE [REGION]: of one, with the parts whose price is unknown
price() {
	tpucost estimate --vm "$1" --zone "${2:-us-central1-a}" --format json >json 2>notes
	printf '%s' "$(jq -r '.[0].gross_per_hour' json)"
	tpucost estimate --vm "$1" --zone "${2:-us-central1-a}" 2>&1 | tr -s ' \n' ' ' |
		grep -o "$1 in [-a-z0-9]*: unknown price of [A-Za-z ,]*[A-Za-z]" | sed 's/ note.*//; s/.* of / /' | sort -u
}
while read -r type want; do
	is "$type" "$(price "$type")" "$want"
done <<'LIST'
a3-highgpu-1g 11.061249988
a3-highgpu-8g 88.489999903
g4-standard-6 0.55955625
g4-standard-48 4.49993
g4-standard-384 35.99944
c4n-standard-2 0.154987
c4n-highmem-192 20.020368
m3-ultramem-32 6.0912
m3-megamem-128 14.4096
m4-megamem-56 4.4236704
m4-ultramem-224 41.46412736
z3-highmem-88-highlssd 13.000009479
z3-highmem-176-standardlssd 22.054813479
c4-standard-8-lssd 0.477531781
c4-standard-8 0.39534
LIST
while IFS='|' read -r type want; do
	is "$type" "$(price "$type")" "null $want"
done <<'LIST'
a3-megagpu-8g|vCPUs and memory, GPUs
a3-ultragpu-8g-nolssd|vCPUs and memory, GPUs
a4-highgpu-8g|vCPUs and memory, GPUs, local SSDs
a4x-highgpu-4g|vCPUs and memory, GPUs, local SSDs
h4d-standard-192|vCPUs and memory
h4d-highmem-192-lssd|vCPUs and memory, local SSDs
x4-480-6t-metal|vCPUs and memory
z3-highmem-88|vCPUs and memory, local SSDs
m4n-megamem-56|vCPUs and memory
LIST
is "in another region" "$(price c4n-standard-8 asia-east1-a)" "null vCPUs and memory"
is "spot" "$(tpucost estimate --vm g4-standard-96 --zone us-east1-b --spot --format json -q | jq '.[0].gross_per_hour')" 3.1674
is "what runs: GPUs and SSDs are in the price of the machine" \
	"$(tpucost ps -q --format csv --columns name,gross_per_hour | tr -d '\r' | tail -1)" gpus,11.061249988

# ---- the manual names each type without a price, and the GPUs that have one
lists=$ROOT/rules/prices
manual=$(tr -s '\n ' ' ' <"$ROOT/docs/figures.md")
without=$(echo "$manual" | sed 's/.*Without a catalog or bill, \(.*\) have no price\. .*/\1/; s/ and /, /; s/, /\n/g')
unpriced=$(awk -F, '/^#/ || /^(name|family|machine_type),/ { next }
	FILENAME !~ /types/ { priced[$1]; next }
	$7 != "tpu-host" && !($1 in priced) && !($2 in priced) { print $1 }' \
	"$lists/machine_prices.csv" "$lists/gpu_machine_prices.csv" "$lists/compute_prices.csv" \
	"$lists/new_compute_prices.csv" "$lists/machine_types.csv")
is "types without a price that the manual does not name" \
	"$(echo "$unpriced" | grep -Ev "^($(echo "$without" | paste -sd '|'))(-|\$)")" ""
is "names in the manual of types with a price" "$(for name in $without; do echo "$unpriced" | grep -Eq "^$name(-|\$)" || echo "$name"; done)" ""
is "GPUs of N1 machines that have a price" "$(grep -v '^#\|^gpu,' "$lists/gpu_prices.csv" | cut -d, -f1 | sort -ru | tr '\n' ' ')" "v100 k80 "
has "which the manual names" "$manual" "only v100 and k80 have one"
