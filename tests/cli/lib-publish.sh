# Sourced after lib.sh: a world with a dataset, and what was published in it.

# start_publishing [LINES]: the small world, its dataset history in EU and bucket lab-state, and a configuration
start_publishing() {
	{
		cat "$ROOT/tests/sandbox/worlds/small.yaml"
		echo 'datasets: [{name: history, location: EU}]'
		echo 'buckets: [{name: lab-state, location: us-central1}]'
	} >world.yaml
	start_sandbox world.yaml
	write_config "publish: {bigquery: lab-one.history}
${1:-}"
	BQ=$url/bigquery/v2/projects/lab-one/datasets/history/tables
}
faults() { curl -fsS -X POST "$url/_sandbox/faults" --data-binary "$1" >/dev/null; }
patch() { printf '%s\n' "$1" | curl -fsS --data-binary @- "$url/_sandbox/world/patch" >/dev/null; }
# rows TABLE JQ: the rows of a table in BigQuery as objects, oldest first, through jq
rows() {
	token=$(curl -fsS -H 'Metadata-Flavor: Google' "$url/computeMetadata/v1/instance/service-accounts/default/token" | jq -r .access_token)
	curl -fsS -H "Authorization: Bearer $token" "$BQ/$1" >table.json || { echo '[]' | jq -r "$2"; return; }
	curl -fsS -H "Authorization: Bearer $token" "$BQ/$1/data" >data.json
	jq -n --slurpfile t table.json --slurpfile d data.json \
		'[$d[0].rows[] | [[$t[0].schema.fields[].name], [.f[].v]] | transpose | map({(.[0]): .[1]}) | add]' | jq -r "$2"
}
# said COLUMNS: of the source
said() { tpucost sql "SELECT $1 FROM sources WHERE source = 'publish'" --format csv | tr -d '\r' | tail -n +2; }
uploads() { jq -r 'select(.path | startswith("/upload")) | .status' requests | wc -l; }
waiting() { sqlite3 t.db 'SELECT COUNT(*) FROM publish_load'; }
