# Every shell line and every configuration of README.md, CONTRIBUTING.md and docs/: what begins with
# tpucost is run against the fake cloud and ends as the page says; the rest is at least good shell.
# A configuration passes `tpucost check`, together with that of the README.
. "$ROOT/tests/cli/lib.sh"
PATH=$B:$PATH
export PATH
# shellcheck disable=SC2046 # words
python3 "$ROOT/tests/support/run/docs_blocks.py" blocks "$ROOT" \
	$(cd "$ROOT" && ls README.md CONTRIBUTING.md docs/*.md packaging/*.md 2>/dev/null) || flunk "the pages can be taken apart"

# The lab of the demo in the project of the examples, with the machines that the pages speak of.
sed 's/tpu-develop/my-project/g' "$ROOT/tests/sandbox/worlds/lab.yaml" >world.yaml
start_sandbox world.yaml
curl -s -X POST --data-binary 'nodes: [{zone: europe-west4-a, name: my-tpu, type: v3-8}, {zone: europe-west4-a, name: bert-3, type: v3-8}]
instances: [{zone: us-central1-b, name: bert-vm, type: n1-standard-8}]' "$url/_sandbox/world/patch" >/dev/null
mkdir -p secrets safe
printf 'https://hooks.slack.com/services/T/B/x\n' >secrets/slack
printf 'https://hb.example.org/x\n' >secrets/heartbeat
printf 'secret\n' >secrets/smtp
chmod 600 secrets/*
cp service-account.json enforcer.json
chmod 600 enforcer.json
# here FILE: with the places of this test
here() {
	sed -i "s|/run/secrets/|$work/secrets/|g" "$1"
}
# merged BASE PART...: a configuration with the sections of PARTs in place of those of BASE. A section is a key
# at the beginning of a line, to the next one.
merged() {
	awk 'FNR == 1 { file++; name = "" }
		match($0, /^[a-z_]+:/) {
			name = substr($0, 1, RLENGTH)
			if (from[name] == file) {
				print FILENAME ": " name " twice" >"/dev/stderr"
				exit bad = 1
			}
		}
		from[name] != file { text[name] = ""; from[name] = file }
		!(name in at) { at[name] = ++n; names[n] = name }
		{ text[name] = text[name] $0 "\n" }
		END { for (i = 1; i <= n && !bad; i++) printf "%s", text[names[i]]; exit bad }' "$@"
}

# The configuration of the README is the base of all others.
base=$(ls blocks/README.md/*.conf | head -1)
cat >place.yaml <<CONF
credentials: $work/service-account.json
database: $work/t.db
endpoints: {all: "$url"}
CONF
n=0
for conf in blocks/*.md/*.conf blocks/*/*.md/*.conf; do
	merged "$base" place.yaml "$conf" >conf.yaml 2>merge.err || {
		flunk "$conf can be merged" "$(cat merge.err)"
		continue
	}
	here conf.yaml
	run tpucost --config conf.yaml check
	if [ "$rc" -eq 0 ]; then pass "$conf passes check"; else flunk "$conf passes check"; fi
	n=$((n + 1))
done
is "there were configurations" "$([ $n -ge 10 ] && echo yes)" yes

# The commands: with rules of the pages, and channels that are files.
starts=$(day -26)
cat >more.yaml <<CONF
rules:
$(sed -n '/^  - name: big-machine/,$p' "$ROOT/packaging/examples/rules.yaml" | sed '/^budgets:/,$d' | awk '/^  - / { n++ } n == 1')
$(awk '/^  - / { n++ } n == 1' blocks/docs/rules.md/001.conf | sed '/^rules:/d')
  - use: tpu-not-covered
    then: {action: stop, grace: 30m, armed: true}
enforcement: {mode: dry-run, projects: [my-project]}
notify:
  - {name: me, file: {path: me.jsonl}}
  - {name: lab, file: {path: lab.jsonl}}
report:
  daily: {at: "00:00"}
  month: {at: "00:00", on: 1}
web: {listen: "127.0.0.1:0"}
CONF
merged "$base" place.yaml more.yaml | sed "s/starts: 2026-11-01/starts: $starts/" >base.yaml
here base.yaml
run tpucost --config base.yaml check
status "the base passes check" 0
cat >mail.eml <<MAIL
Date: $(day -26 "%a, %d %b %Y 00:00:00 +0000")
From: trc-support@google.com
Subject: [TRC] You have access to free Cloud TPUs

Your Google Cloud project my-project now has access to the following quota free of charge for 30 days:
5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a
This free 30-day trial is only available for new Cloud TPUs you create in the zones listed above.
MAIL
day=$(day -70)
month=$(day -70 %Y%m)
printf '{"billing_account_id":"01AB23-CD45EF-678999","service":{"id":"6F81-5844-456A","description":"Compute Engine"},"sku":{"id":"2E27-4F75-95CD","description":"N1 Core"},"usage_start_time":"%s 00:00:00 UTC","usage_end_time":"%s 01:00:00 UTC","project":{"id":"other"},"export_time":"%s 06:00:00 UTC","cost":"12.4","currency":"USD","currency_conversion_rate":"1","usage":{"amount":"1","unit":"hour","amount_in_pricing_units":"1","pricing_unit":"hour"},"credits":[],"labels":[],"invoice":{"month":"%s"},"cost_type":"regular"}\n' \
	"$day" "$day" "$day" "$month" | gzip >billing-000.json.gz
cp "$ROOT/tests/scenarios/machine-forgotten.yaml" world-rules.yaml
awk '/^```/ { on = 0 } /^config: config.yaml$/ { on = 1 } on' "$ROOT/docs/rules.md" >big-cpu.yaml
{ echo "projects: []" && cat blocks/docs/rules.md/001.conf; } >config.yaml
run tpucost --config base.yaml collect -q
run tpucost --config base.yaml run --once -q
cp t.db first.db

# The dates of the pages, moved to today.
dates="s/2026-11-16/$(day 0)/g;s/2026-11-20/$(day -1)/g;s/2026-12-01/$(day 9)/g
s|/mnt/safe|$work/safe|g;s/2026-11-01/$starts/g;s/2026-11\\b/$(day 0 %Y-%m)/g"
n=0
# `tpucost run` goes on until it is told to end, here as soon as it runs
daemon() {
	"$B/tpucost" run &
	wait_until grep -q ': running: ' ../stderr
	kill $!
	wait $!
}
# `tpucost web`, too
page() {
	"$B/tpucost" web >address &
	wait_until test -s address
	kill $!
	wait $!
}
# one PAGE: its commands in the order of the page, in a directory and on a database of its own
one() {
	page=$1
	rm -rf here t.db*
	cp first.db t.db
	mkdir here
	rm -f safe/*
	cp mail.eml billing-000.json.gz big-cpu.yaml config.yaml here
	cp world-rules.yaml here/world.yaml
	TPUCOST_CONFIG=$work/base.yaml
	export TPUCOST_CONFIG
	cat "blocks/$page"/*.run 2>/dev/null | sed "$dates" >lines
	while IFS="	" read -r want line; do
		if ! printf '%s\n' "$line" | sh -n 2>stderr; then
			flunk "$page: good shell: $line"
			continue
		fi
		[ "$want" != - ] || continue
		case $line in # somebody who has no configuration yet
		"tpucost init"*) set -- env -u TPUCOST_CONFIG HOME="$work/here" sh -c "tpucost init --endpoint $url --credentials $work/service-account.json${line#tpucost init}" ;;
		*) set -- sh -c "$line" ;;
		esac
		[ "$line" != "tpucost run" ] || set -- daemon
		case $line in "tpucost web" | "tpucost web "*"#"*) set -- page ;; esac
		n=$((n + 1))
		(cd here && "$@" >../stdout 2>../stderr </dev/null)
		rc=$?
		if [ "$rc" -eq "$want" ]; then pass "$page: $line"; else flunk "$page: $line" "got: $rc" "want: $want"; fi
	done <lines
}
for dir in blocks/*.md blocks/*/*.md; do
	one "${dir#blocks/}"
done
is "there were commands" "$([ $n -ge 100 ] && echo yes)" yes
