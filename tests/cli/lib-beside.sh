# Sourced after lib.sh: TPUs, and the disks and the machine that are paid beside them.

# world_beside NAME: the beginning of world.yaml
world_beside() {
	write_world "$1" "us-central1-a, europe-west4-a, us-central2-b" <<EOF
nodes:
  - {project: lab-one, zone: europe-west4-a, name: good, type: v3-8, created: -10h, data_disks: [data]}
  - {project: lab-one, zone: us-central1-a, name: pair, type: v3-8, created: -10h}
  - {project: lab-two, zone: us-central2-b, name: slice, type: v4-16, hosts: 2, created: -10h}
instances:
  - {project: lab-one, zone: us-central1-a, name: pair, type: n1-standard-1, created: -10h}
disks:
  - {project: lab-one, zone: europe-west4-a, name: data, type: pd-ssd, size_gb: 730, created: -10h}
  - {project: lab-one, zone: us-central1-a, name: pair, type: pd-standard, size_gb: 730, users: [pair], created: -10h}
EOF
}
