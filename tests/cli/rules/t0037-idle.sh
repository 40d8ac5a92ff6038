# Who is idle: from Monitoring's points to idle_minutes, and who is never called so.
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/traffic.yaml"
write_config
sed -i 's/projects: .*/projects: [lab-one, lab-two, lab-three]/' tpucost.yaml
run tpucost collect instances metrics
status "everything is read" 0

run tpucost ps --all --format json
one() { jq -r ".[] | select(.name == \"$1\" and (.kind == \"vm\" or .kind == \"tpu\")) | $2" stdout; }
verdict() { one "$1" '"\(.idle_minutes == null) \(.idle_minutes // 0 | . >= 59) \(.idle_basis)"'; }
works() { one "$1" '"\(.idle_minutes) \(.idle_basis)"'; }
is "little CPU and keepalives: idle for the hour that is seen" "$(verdict asleep)" "false true cpu,network"
is "in words: no longer than was read" "$(one asleep .idle_text | sed 's/[0-9][0-9]*/N/g')" \
	"idle for at least N minutes (as far back as was read), up for N h"
is "little CPU and 40 MiB/s: it works" "$(works reader)" "0 cpu,network"
is "what fell silent is not known" "$(verdict silent)" "true false null"
is "the network alone shows work" "$(works sender)" "0 network"
is "without Monitoring nothing is known" "$(verdict blind)" "true false null"
is "a host that sleeps while its chips work: it works" "$(works trains)" "0 cpu,network,tpu"
is "a duty cycle of 0 in a zone with one TPU: idle" "$(verdict lazy)" "false true cpu,tpu"
is "a slice without news of its chips: it moves bytes" "$(works half)" "0 network"
is "what is stopped is not idle" "$(verdict stopped)" "true false null"

# a second TPU in the zone: whose duty cycle is it?
echo 'nodes: [{project: lab-one, zone: us-central1-a, name: other, type: v3-8, created: -10h}]' |
	curl -sS -X POST --data-binary @- "$url/_sandbox/world/patch" >/dev/null
run tpucost collect instances metrics
run tpucost ps --all --format json
is "of two TPUs one told: neither is known to be idle" "$(verdict lazy)" "true false cpu"
is "nor the other one" "$(verdict other)" "true false null"

run tpucost ps --where "idle_minutes > 30" --format json
is "it can be asked for" "$(jq -r '[.[].name] | join(" ")' stdout)" asleep
