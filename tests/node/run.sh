#!/bin/sh
# Google's own client libraries for Node against the fake Google Cloud: what they read there
# is what tpucost collected there. Needs node, npm and, the first time, npm's registry; the
# libraries go to build/node. The last line is "N passed, N failed".
set -u
B=${B:-build/release}
ROOT=$(pwd)
case $B in /*) ;; *) B=$ROOT/$B ;; esac
libraries=$ROOT/build/node
export B ROOT

for program in node npm; do
	if ! command -v $program >/dev/null 2>&1; then
		echo "skipped: $program is not installed"
		exit 0
	fi
done

# The script must lie beside the libraries for node to find them.
install_libraries() {
	mkdir -p "$libraries" || return 1
	cp tests/node/*.mjs "$libraries/"
	cmp -s tests/node/package.json "$libraries/.installed" && return 0
	cp tests/node/package.json "$libraries/"
	(cd "$libraries" && npm install --no-package-lock --no-audit --no-fund \
		--ignore-scripts >npm.log 2>&1) || return 1
	cp tests/node/package.json "$libraries/.installed"
}

# world_config WORLD: the configuration for it; sets $table and $projects
world_config() {
	table=$(sed -n 's/^  table: //p' "$1")
	projects=$(sed -n 's/^  - {id: \([a-z0-9-]*\), number: .*/\1/p' "$1" | xargs)
	cat >tpucost.yaml <<EOF
timezone: UTC
projects: [$(printf '%s' "$projects" | sed 's/ /, /g')]
credentials: service-account.json
database: t.db
billing: {table: $table}
endpoints: {all: "$url"}
EOF
	TPUCOST_CONFIG=$work/tpucost.yaml
	export TPUCOST_CONFIG
}

# read_with KEY: what the libraries understood, in node.json
read_with() {
	NO_PROXY=127.0.0.1 GCE_METADATA_HOST=127.0.0.1:$port \
		run node "$libraries/inventory.mjs" "$url" "$1" "$table" $projects
	cp stdout node.json
}

# The export grows on the full hour: what was read on both sides of one does not compare.
read_both() {
	hour=$(date +%H)
	run tpucost collect
	status "$1: tpucost collects" 0
	tpucost ps --all --where "kind <> 'host'" --format json >ps.json
	tpucost cost --format json >cost.json
	read_with "$2"
	[ "$(date +%H)" = "$hour" ] || read_both "$1" "$2"
}

sorted='sort_by(.id) | map("\(.id) \(.kind) \(.location) \(.name) \(.type) \(.state)") | .[]'
nanos='group_by(.currency) | map({key: .[0].currency, value: {
	cost: (map(.cost * 1e9 | round) | add), credits: (map(.credits * 1e9 | round) | add)}})
	| from_entries | tojson'

# same_answers WORLD KEY: the libraries, with that key, and tpucost agree on everything
same_answers() {
	about="$(basename "$1" .yaml) with ${2%.json}"
	read_both "$about" "$2"
	status "$about: the libraries read everything" 0
	[ "$rc" -eq 0 ] || return
	is "$about: and warn of nothing" "$err" ""
	is "$about: the same resources" "$(jq -r ".resources | $sorted" node.json)" \
		"$(jq -r "map(.state = .raw_state) | $sorted" ps.json)"
	is "$about: as many as there are in the world" "$(jq '.resources | length' node.json)" \
		"$(grep -c '^  - {.*name: [^,]*, \(type\|created\|address\)' "$1")"
	is "$about: the same sums, to the nano-unit" \
		"$(jq -r '.billing.sums | map_values(map_values(tonumber)) | tojson' node.json)" \
		"$(jq -r "$nanos" cost.json)"
	is "$about: every row of every page" \
		"$(jq '.billing.rows' node.json)" "$(jq -r '.billing.numRows' node.json)"
	is "$about: records and times are what they are" "$(jq -c '.billing.problems' node.json)" "[]"
	is "$about: times as floats are the same rows" "$(jq '.billing.sameTwice' node.json)" true
	is "$about: dataset and table agree on where they are" \
		"$(jq -r '.billing.dataset' node.json)" "$(jq -r '.billing.location' node.json)"
	is "$about: no column twice" "$(jq '.billing.columns | length' node.json)" \
		"$(jq '.billing.columns | unique | length' node.json)"
}

# nothing_written: the libraries only read
nothing_written() {
	is "$1: nothing in the cloud was changed" "$(jq -s 'map(select(.mutating)) | length' requests)" 0
	is "$1: nothing was refused" \
		"$(jq -s -c 'map(select(.status >= 400) | .path) | unique' requests)" "[]"
}

# A key of the same account that the sandbox did not give out: the exchange is refused, and
# so is a token that is signed with it and sent as it is.
foreign_key_refused() {
	openssl genrsa 2048 2>/dev/null >foreign.pem
	jq --rawfile pem foreign.pem '.private_key = $pem' service-account.json >foreign.json
	read_with foreign.json
	has "$1: a foreign key gets no token" "$rc $err" "invalid_grant"
	claims=$(jq -c --argjson now "$(date +%s)" '{iss: .client_email, sub: .client_email,
		aud: "https://tpu.googleapis.com/", iat: $now, exp: ($now + 3600)}' service-account.json)
	for pem in own foreign; do
		jq -j .private_key service-account.json >own.pem
		head=$(printf '{"alg":"RS256"}' | b64).$(printf '%s' "$claims" | b64)
		jwt=$head.$(printf '%s' "$head" | openssl dgst -sha256 -sign $pem.pem | b64)
		run curl -s -o body -w '%{http_code}' -H "Authorization: Bearer $jwt" \
			"$url/v2/projects/${projects%% *}/locations"
		echo "$pem $out"
	done >answers
	is "$1: only the own key makes a bearer token" "$(cat answers)" "own 200
foreign 401"
}
b64() {
	openssl base64 -A | tr '+/' '-_' | tr -d =
}

# The libraries stop, start, label and delete. In the node that an operation ends with, they
# give the state as its number: 8 is STOPPED.
libraries_act() (
	. "$ROOT/tests/cli/lib.sh"
	start_sandbox "$1"
	run node "$libraries/actions.mjs" "$url" service-account.json
	status "actions: the libraries go through with all" 0
	is "actions: and it happens" "$out" '["stop","PENDING","STOPPING","DONE",null,"TERMINATED"]
["start",true,"PENDING","STAGING","DONE",null,"RUNNING"]
["labels",{"owner":"ben"},412]
["delete",404]
["stop node","STOPPING",8,"STOPPED"]
["delete node",5]
["stop slice",3]'
	is "actions: the log marks those that change something" \
		"$(jq -r 'select(.mutating) | .path | sub(".*[/:]"; "")' requests | xargs)" \
		"stop start start setLabels setLabels big stop wrong stop"
)

in_world() (
	. "$ROOT/tests/cli/lib.sh"
	start_sandbox "$1"
	world_config "$1"
	same_answers "$1" service-account.json
	same_answers "$1" metadata
	nothing_written "$(basename "$1" .yaml)"
	foreign_key_refused "$(basename "$1" .yaml)"
)

if ! install_libraries; then
	cat "$libraries/npm.log"
	echo "the libraries could not be installed: npm's own words are above"
	exit 1
fi
log=$libraries/checks.log
for world in lab small; do
	in_world "$ROOT/tests/sandbox/worlds/$world.yaml" </dev/null ||
		echo "not ok $world did not run to its end"
done >"$log" 2>&1
libraries_act "$ROOT/tests/sandbox/worlds/small.yaml" </dev/null >>"$log" 2>&1 ||
	echo "not ok the actions did not run to their end" >>"$log"
grep -v '^ok ' "$log"
passed=$(grep -c '^ok ' "$log")
failed=$(grep -c '^not ok ' "$log")
echo "node: $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
