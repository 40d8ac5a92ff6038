# A name in enforcement.exempt that no machine has protects nothing: `check` says so, as soon as there is an
# inventory to compare with.
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config
cp tpucost.yaml plain.yaml
tpucost collect -q
name=$(sqlite3 t.db "SELECT name FROM resource WHERE kind = 'tpu' ORDER BY id LIMIT 1")
id=$(sqlite3 t.db "SELECT id FROM resource WHERE kind = 'vm' ORDER BY id LIMIT 1")
exempt() { # LIST
	{
		echo "enforcement: {exempt: [$1]}"
		cat plain.yaml
	} >tpucost.yaml
}

exempt "$name, $id"
run tpucost check
is "a name and an id" "$rc $err" "0 "
exempt "$name, ${name}x"
run tpucost check
is "a typing error" "$rc $err" \
	"0 warning: $work/tpucost.yaml:1:23: exempt: '${name}x' exempts nothing: no machine of the last poll has that name or id; did you mean '$name'?"
run tpucost check --strict
status "strictly" 3
run tpucost check --format json
is "it is counted" "$(jq '.[0].warnings' stdout)" 1
exempt "${id%?}"
run tpucost check
has "in an id" "$err" "did you mean '$id'?"
exempt "quite-another-thing"
run tpucost check
has "nothing like it" "$err" "'quite-another-thing' exempts nothing: no machine of the last poll has that name or id"
is "and no advice" "$(echo "$err" | grep -c 'did you mean')" 0

# ---- hosts of a slice
curl -sf -X POST "$url/_sandbox/world/patch" --data-binary "groups: [{zone: us-central1-a, name: pod, type: ct6e-standard-4t, topology: 4x4, target: 4}]
instances: [{zone: us-central1-a, name: pod-0001, type: ct6e-standard-4t, created_by: projects/100000000001/zones/us-central1-a/instanceGroupManagers/pod}]" >/dev/null
tpucost collect -q
hosts=$(tpucost sql --format json "SELECT id, name, REPLACE(id, '/host/', '/tpu/') AS tpu FROM hosts" | jq -r '.[][]')
is "a slice and a node have hosts" "$(echo "$hosts" | grep -v / | tr '\n' ' ')" "pod-0001 slice-w-0 slice-w-1 "
exempt "$(echo $hosts | tr ' ' ',')"
run tpucost check
is "their names and ids" "$rc $err" "0 "

# ---- nothing to compare with
sqlite3 t.db "DELETE FROM resource; DELETE FROM host"
run tpucost check
is "an empty inventory" "$rc $err" "0 "
echo "no database" >t.db
rm -f t.db-wal t.db-shm
run tpucost check
is "a database that cannot be read" "$rc $err" "0 "
rm t.db*
run tpucost check
is "none" "$rc $err" "0 "
is "and none is made" "$(ls t.db* 2>/dev/null)" ""
