. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config 'credits: [{name: trial, amount: 300 USD}]'
run tpucost run --once
status "run --once exits 0" 0
has "and says how things stand" "$out" "to save about"
n=$(wc -l <requests)
run tpucost run --once
status "a second run at once exits 0" 0
is "and polls nothing before it is due" "$(wc -l <requests)" "$n"

run tpucost report daily
status "text report" 0
has "the uncovered TPU" "$out" "wrong"
has "with its reason" "$out" "v3-8 is granted in europe-west4-a"
has "and the command that stops it" "$out" "gcloud compute tpus tpu-vm stop wrong --zone us-central1-a --project lab-one"
has "running machines" "$out" "n1-highmem-96"
has "the grant with days left" "$out" "days left"
has "the age of the data" "$out" "Inventory: "
has "yesterday" "$out" "yesterday"
has "net burn" "$out" "Net burn now: about "
is "no line beyond 78 columns but commands" "$(awk 'length($0) > 78' stdout | grep -vc gcloud)" 0
run tpucost report daily --format json
is "json: uncovered TPUs" "$(jq -r '[.running[] | select(.covered == false) | .name] | sort | join(" ")' stdout)" "slice wrong"
is "json: net burn equals burn" "$(jq -r '.burn_per_hour[0].net_per_hour' stdout)" \
	"$(tpucost burn --format json | jq -r 'map(.net_per_hour * 1e9 | round) | add / 1e9')"
is "json: the credit goes down" "$(jq -r '.credits[0].left' stdout)" 228
umask 022
run tpucost report daily --format html --output r.html
status "html report to a file" 0
is "nobody else reads it" "$(stat -c %a r.html)" 600
chmod 644 r.html
tpucost report daily --format html --output r.html
is "nor where others could" "$(stat -c %a r.html)" 600
chmod 400 r.html
tpucost report daily --format html --output r.html
is "and who may not write still may not" "$(stat -c %a r.html)" 400
has "it is a whole page" "$(cat r.html)" "</html>"
has "with the reason" "$(cat r.html)" "v3-8 is granted in europe-west4-a"
is "and no script" "$(grep -ci '<script' r.html)" 0

# a name that is not nice
sed 's/name: wrong/name: "<script>alert(1)<\/script>"/' "$ROOT/tests/sandbox/worlds/small.yaml" |
	curl -sS -X POST --data-binary @- "$url/_sandbox/world" >/dev/null
run tpucost collect tpu -q
run tpucost report daily --format html
is "hostile names stay text" "$(grep -c '<script>' stdout)" 0

# when a credit is used up is an estimate, and status says so
run tpucost collect
left_of() { # AMOUNT: status of a credit of it
	write_config "credits: [{name: trial, amount: $1 USD}]"
	run tpucost status
}
left_of 300
has "the end of a credit is an estimate" "$out" "left; used up about in "
used=$(tpucost -q sql "SELECT used FROM credits" --format csv | tail -n 1 | tr -d '\r')
left_of "$(awk -v used="$used" 'BEGIN { printf "%.2f", used + 0.5 }')"
has "one that ran dry since the newest usage on the bill" "$(tr -s '\n ' ' ' <stdout)" \
	"left, about used up by unbilled use"
run tpucost report daily
has "and so says the report" "$(sed -n '/^Credit/,$p' stdout)" "about used up by unbilled use"
run tpucost why credit trial
has "and its explanation" "$(grep 'runs out' stdout)" "about used up by unbilled use"
has "with what it counts" "$(tr -s ' \n' '  ' <stdout)" "and, from the end of their grants on, of TPUs that are covered now"
