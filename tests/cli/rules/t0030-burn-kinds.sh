# Everything that costs, from Google's answers to `tpucost burn`, and whose price it is: the
# table's, the price list's, the bill's. The arithmetic stands beside each figure.
. "$ROOT/tests/cli/lib.sh"
unset -f jq # the order of keys counts
world() { # SKUS ROWS
	write_world kinds "us-central1-a, us-central1-b, europe-west4-a" <<WORLD
instances:
  - {project: lab-one, zone: us-central1-a, name: plain, type: n1-standard-2, created: -10h}
  - {project: lab-one, zone: us-central1-a, name: spot, type: n1-standard-2, spot: true, created: -10h}
  - {project: lab-one, zone: us-central1-a, name: custom, type: n2-custom-4-8192, created: -10h}
  - {project: lab-one, zone: us-central1-a, name: tiny, type: e2-micro, created: -10h}
  - {project: lab-one, zone: us-central1-a, name: gpus, type: n1-standard-2, gpu: nvidia-tesla-v100, gpus: 2, created: -10h}
  - {project: lab-one, zone: us-central1-a, name: ssd, type: n1-standard-2, local_ssds: 2, created: -10h}
  - {project: lab-one, zone: us-central1-a, name: off, type: n1-standard-2, status: TERMINATED, local_ssds: 1, created: -10h}
  - {project: lab-one, zone: us-central1-a, name: asleep, type: n1-standard-2, status: SUSPENDED, created: -10h}
disks:
  - {project: lab-one, zone: us-central1-a, name: off, type: pd-ssd, size_gb: 73, users: [off], created: -10h}
  - {project: lab-one, region: us-central1, name: both, type: pd-ssd, size_gb: 73, created: -10h}
  - {project: lab-one, zone: us-central1-a, name: fast, type: pd-extreme, size_gb: 73, created: -10h}
  - {project: lab-one, zone: us-central1-a, name: hyper, type: hyperdisk-balanced, size_gb: 73, created: -10h}
addresses:
  - {project: lab-one, region: us-central1, name: spare, created: -10h}
  - {project: lab-one, region: us-central1, name: used, users: [plain], status: IN_USE, created: -10h}
snapshots:
  - {project: lab-one, name: snap, disk: off, zone: us-central1-a, size_gb: 100, bytes: 730000000, locations: [us-central1], created: -10h}
nodes:
  - {project: lab-one, zone: us-central1-b, name: device, type: v2-8, created: -10h}
  - {project: lab-one, zone: us-central1-a, name: slice, type: v2-32, created: -10h}
skus:
$1
$BILL
    - {project: lab-one, service_id: 95FF-2EF5-5EA1, service: Cloud Storage, sku_id: AAAA-AAAA-AAAA, sku: Standard Storage, region: us-central1, unit: gibibyte month, usage: 1, cost: 1, from: -5d, until: -3d}
$2
WORLD
	[ -z "$sandbox_pid" ] || kill "$sandbox_pid" 2>/dev/null
	start_sandbox world.yaml
	write_config
	rm -f t.db*
	run tpucost collect
	status "collected" 0
	run tpucost ps --all --format json
}
price() { # NAME WANT: "gross source" of a resource
	is "$1" "$(jq -r --arg n "$1" '.[] | select(.name == $n and .kind != "disk") |
		"\(.gross_per_hour) \(.price_source)"' stdout)" "$2"
}
disk() {
	is "disk $1" "$(jq -r --arg n "$1" '.[] | select(.name == $n and .kind == "disk") |
		"\(.gross_per_hour) \(.price_source)"' stdout)" "$2"
}

world "  []" ""
# 2 x 0.031611 + 7.5 x 0.004237; spot 2 x 0.01115 + 7.5 x 0.001494
price plain "0.0949995 builtin"
price spot "0.033505 builtin"
# (4 x 0.031611 + 8 x 0.004237) x 1.05 = (0.126444 + 0.033896) x 1.05
price custom "0.168357 builtin"
# 2 vCPUs for the guest, 0.25 on the bill: 0.25 x 0.02181159 + 0.00292353 = 0.0083764275
price tiny "0.008376428 builtin"
# 0.0949995 + 2 x 2.48
price gpus "5.0549995 builtin"
# 0.0949995 + 750 x 0.08 / 730 = 0.0949995 + 0.082191781
price ssd "0.177191281 builtin"
price off "0 builtin"
price asleep "null unknown"
# 73 x 0.17 / 730, also while its machine is stopped; twice that in two zones
disk off "0.017 builtin"
disk both "0.034 builtin"
disk fast "null unknown"
disk hyper "null unknown"
price spare "0.01 builtin"
price used "0 builtin"
# 730000000 bytes x 0.05 / 730 / 2^30 = 0.0000465661...
price snap "4.6566e-05 builtin"
# a slice of 16 chips is not four devices of 4.50
price device "4.5 builtin"
price slice "24 builtin"
is "local SSDs are told" "$(jq -r '.[] | select(.name == "ssd") | .local_ssd_gib' stdout)" 750
run tpucost burn --format json
is "their part is disk, not cpu" "$(jq -r '.[] | select(.category == "disk" and .currency) |
	"\(.resources) \(.gross_per_hour)"' stdout)" "3 0.133191781"
is "what is not known is counted" "$(jq -c 'map(select(.currency == null) | [.category, .resources, .gross_per_hour])
	| sort' stdout)" '[["cpu",1,null],["disk",2,null]]'
# 0.0949995 x 3 + 0.033505 + 0.168357 + 0.008376428
is "cpu" "$(jq -r '.[] | select(.category == "cpu" and .currency) | .gross_per_hour' stdout)" 0.495236928
is "gpu" "$(jq -r '.[] | select(.category == "gpu") | .gross_per_hour' stdout)" 4.96

G="service_id: 6F81-5844-456A, service: Compute Engine"
SKUS="  - {$G, id: C, name: N1 Predefined Instance Core running in Americas, group: N1Standard, regions: [us-central1], price: 0.04}
  - {$G, id: R, name: N1 Predefined Instance Ram running in Americas, group: N1Standard, unit: GiBy.h, regions: [us-central1], price: 0.005}
  - {$G, id: c, name: Spot Preemptible N1 Predefined Instance Core running in Americas, usage_type: Preemptible, group: N1Standard, regions: [us-central1], price: 0.01}
  - {$G, id: r, name: Spot Preemptible N1 Predefined Instance Ram running in Americas, usage_type: Preemptible, group: N1Standard, unit: GiBy.h, regions: [us-central1], price: 0.001}
  - {$G, id: V, name: Nvidia Tesla V100 GPU running in Americas, group: GPU, regions: [us-central1], price: 2.5}
  - {$G, id: S, name: SSD backed PD Capacity, group: SSD, unit: GiBy.mo, regions: [us-central1], price: 0.2}
  - {$G, id: I, name: Static Ip Charge, group: IpAddress, regions: [us-central1], price: 0.02}
  - {$G, id: N, name: Storage PD Snapshot, group: PDSnapshot, unit: GiBy.mo, regions: [us-central1], price: 0}
  - {service_id: E000-3F24-B8AA, service: Cloud TPU, id: D, name: TPU-v2 Accelerator USA, group: TPU, regions: [us-central1], price: 4.6}
  - {service_id: E000-3F24-B8AA, service: Cloud TPU, id: P, name: Tpu-v2 Pod running in Iowa, group: TPU, regions: [us-central1], price: 6.4}"
world "$SKUS" ""
# 2 x 0.04 + 7.5 x 0.005; 2 x 0.01 + 7.5 x 0.001; and 2 x 2.5 more
price plain "0.1175 catalog"
price spot "0.0275 catalog"
price gpus "5.1175 catalog"
# local SSD is in no list but the table's, which prices all of the machine then
price ssd "0.177191281 builtin"
disk off "0.02 catalog"
disk both "0.034 builtin"
price spare "0.02 catalog"
price snap "4.6566e-05 builtin"
price device "4.6 catalog"
# 16 chips, 6.40 for four
price slice "25.6 catalog"

R="project: lab-one, $G, region: us-central1"
world "$SKUS" "    - {$R, sku_id: C, sku: N1 Predefined Instance Core running in Americas, unit: hour, usage: 10, cost: 0.5, from: -5d, until: -3d}
    - {$R, sku_id: C, sku: N1 Predefined Instance Core running in Americas, unit: hour, usage: 10, cost: 0.6, from: -3d, until: -1d}
    - {$R, sku_id: R, sku: N1 Predefined Instance Ram running in Americas, unit: gibibyte hour, usage: 10, cost: 0.06, from: -5d, until: -3d}
    - {$R, sku_id: S, sku: SSD backed PD Capacity, unit: gibibyte month, usage: 1, cost: 0.3, from: -5d, until: -3d}
    - {$R, sku_id: c, sku: Spot Preemptible N1 Predefined Instance Core running in Americas, unit: hour, usage: 10, cost: 0.3, from: -5d, until: -3d}
    - {$R, sku_id: X, sku: Static Ip Charge, unit: second, usage: 1, cost: 9, from: -5d, until: -3d}"
# the newest: 2 x 0.06 + 7.5 x 0.006
price plain "0.165 billed"
# of spot the bill knows the cores alone; of the machine with GPUs all but those
price spot "0.0275 catalog"
price gpus "5.1175 catalog"
disk off "0.03 billed"
# by the second: not the price of an hour
price spare "0.02 catalog"
price device "4.6 catalog"
run tpucost burn --by category --format json
# 3 x ... : plain 0.165 billed, spot 0.0275, custom 0.168357, tiny 0.008376428, gpus 2 x 0.04 +
# 7.5 x 0.005 = 0.1175, ssd 0.0949995
is "one sum of what several sources price" "$(jq -r '.[] | select(.category == "cpu" and .currency) |
	.gross_per_hour' stdout)" 0.581732928
