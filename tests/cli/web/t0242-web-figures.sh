#!/bin/sh
# Figures of the page, of its data, of the metrics and of the command line are the same.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-lab.sh"
. "$ROOT/tests/cli/lib-web.sh"
start_lab "enforcement: {mode: dry-run, projects: [tpu-develop]}
rules:
  - use: tpu-not-covered
    then: {action: stop, grace: 30m, armed: true}"
set_clock "=$(($(date +%s) + 60))"
start_web

# every view, as JSON and as CSV
for view in $(tpucost views --format json | jq -r '.[].view' | uniq); do
	get "/$view.json"
	page=$out
	run tpucost sql "SELECT * FROM $view" --format json
	is "$view: JSON" "$(printf '%s' "$page" | jq 'map(tojson) | sort')" "$(printf '%s' "$out" | jq 'map(tojson) | sort')"
	get "/$view.csv"
	run tpucost sql "SELECT * FROM $view" --format csv
	is "$view: CSV" "$(curl -s "$web/$view.csv" | sort | cksum)" "$(sort stdout | cksum)"
	get "/$view"
	is "$view: page" "$rc" 200
done

# with options, those of the commands
same() { # PATH COMMAND...
	path=$1
	shift
	get "$path"
	page=$rc$out
	run tpucost "$@" --format json
	is "$path" "$page" "200$out"
	is "there are rows: $path" "$([ "$(jq length stdout)" -gt 0 ] && echo yes)" yes
}
same "/resources.json?where=kind%20%3D%20%27tpu%27&sort-by=-net_per_hour&limit=2&columns=name,net_per_hour" \
	ps --all --where "kind = 'tpu' AND slice IS NULL" --sort-by -net_per_hour --limit 2 --columns name,net_per_hour
same "/costs.json?by=day,category&since=30d" cost --by day,category --since 30d
same "/costs.json?by=project&month=$(date +%Y-%m)" cost --by project --month "$(date +%Y-%m)"
same "/alerts.json?since=7d" alerts --since 7d
same "/grants.json?project=tpu-develop" grant list --project tpu-develop
same "/sources.json" sources
same "/quotas.json" quota
same "/budgets.json" budget
same "/credits.json" credit
same "/coverage.json?since=7d" coverage --since 7d
same "/notifications.json" notify list
# the period of a view of the present
from=$(day -2) to=$(day 0)
same "/resources.json?since=$from&until=$to" ps --all --since "$from" --until "$to"
same "/burn.json?since=$from&until=$to" burn --since "$from" --until "$to"
same "/budgets.json?since=$(day -40)&until=$to" budget --since "$(day -40)" --until "$to"
get "/daily_costs.json?since=2d"
is "days" "$(jq -r '[.[].day] | unique | join(" ")' stdout)" "$(jq -rn --arg a "$(day -2)" --arg b "$(day -1)" --arg c "$(day 0)" '[$a, $b, $c] | join(" ")')"
get "/gaps.json?since=2d"
is "rows without a period" "$out" "tpucost: --since, --until: rows of gaps are not of a period; omit them"
get "/metrics"
is "metrics" "$out" "$(tpucost metrics)"
get "/metrics?per-resource=1"
is "of resources, too" "$out" "$(tpucost metrics --per-resource)"

# pages: what a reader sees is what the data has
words() { # of a page, as text
	get "$1"
	sed 's/<[^>]*>/ /g' stdout | tr -s ' \n' ' '
}
amount() { # NUMBER: as it is shown
	awk -v v="$1" 'BEGIN { printf "%.2f HKD", v }'
}
cost=$(words /cost)
for what in category project; do
	tpucost cost --by $what --since 30d --format json | jq -r '.[] | select(.net >= 0.01) | .net' >nets
	for net in $(cat nets); do
		has "cost by $what: $net" "$cost" "$(amount "$net")"
	done
done
has "the period of the page is in its links" "$(cat stdout)" "/costs.json?by=day,category&amp;since=30d"
is "a chart, with its table" "$(grep -c '<svg class="plot"' stdout) $(grep -c '<details><summary>Show as a table' stdout)" "1 1"
month=$(date +%Y-%m)
has "an invoice month is named" "$(words "/cost?month=$month")" "Billed cost of the invoice month $month"
has "and stays in effect with a condition" "$(cat stdout)" "name=\"month\" class=\"short\" value=\"$month\""
get "/cost?where=net%20%3E%201&since=&until=&month=$month&project=" # as the form sends it
has "as it is sent" "$rc $(cat stdout)" "/costs.json?by=project&amp;where=net%20%3E%201&amp;month=$month\""
now=$(words /)
for p in $(tpucost burn --format json | jq -r '.[] | select(.net_per_hour >= 0.01) | .net_per_hour'); do
	has "burn: $p" "$now" "$(amount "$p")/h"
done
tpus=$(words /tpus)
has "a TPU that is not covered" "$tpus" "!! tpu-wrong"
has "its price" "$tpus" "62.00 HKD/h"
has "a link to its derivation" "$(cat stdout)" "/why?of=tpu-develop%2Ftpu%2Fus-central1-a%2Ftpu-wrong"
is "a timeline" "$(grep -c '<svg class="times"' stdout)" 1
is "its bars: red is charged" "$(grep -c '<rect class="fr"' stdout)" \
	"$(tpucost coverage --since 7d --format json | jq '[.[] | select(.covered == 0)] | length')"
why=$(words "/why?of=tpu-wrong")
has "why" "$why" "v3-8 is granted in europe-west4-a; this one is in us-central1-a"
for of in burn budget:month grant:trc credit:free-trial source:tpu; do
	get "/why?of=$of"
	is "why $of" "$rc" 200
	run tpucost why "$of"
	title=$(head -1 stdout)
	has "with its title: $of" "$(words "/why?of=$of")" "$title"
done
get "/why?of=nobody"
is "why nobody" "$rc" 400
run tpucost why nobody
is "with the same error" "$(words "/why?of=nobody" | grep -cF "$(printf '%s' "$err" | sed "s/^tpucost: //; s/'/\&#39;/g")")" 1
for page in / /cost /tpus /grants /activity /sources /views; do
	get "$page"
	is "$page" "$rc" 200
	# every link of it answers
	for link in $(grep -o 'href="/[^"]*"' stdout | sed 's/^href="//; s/"$//; s/&amp;/\&/g' | sort -u | head -40); do
		code=$(curl -s -o /dev/null -w '%{http_code}' "$web$link")
		[ "$code" = 200 ] || flunk "$page leads to $link" "$code"
	done
	is "$page is not large" "$([ "$(wc -c <stdout)" -lt 200000 ] && echo yes)" yes
	get "$page?project=tpu-develop"
	case $page in
	/views) is "no project: $page" "$rc" 400 ;;
	*) is "of a project: $page" "$rc" 200 ;;
	esac
done
get "/tpus?where=covered%20%3D%200"
sed '/<h2[^>]*id="coverage"/,$d' stdout >table
is "a condition on the page" "$(grep -c 'tpu-1<' table) $(grep -c 'tpu-wrong<' table)" "0 1"
has "is in the form" "$(cat stdout)" 'value="covered = 0"'
has "and in the link to the data" "$(cat stdout)" "/resources.json?where=%28kind%20%3D%20%27tpu%27%29%20AND%20%28covered%20%3D%200%29"
# its period: what the command shows for it
get "/tpus?since=$from&until=$to"
link=$(grep -o '"/period_resources.json[^"]*' stdout | sed 's/^"//; s/&amp;/\&/g')
is "a period of the TPUs" "$(grep -c '>seen from<' stdout) $(grep -c '>net per hour<' stdout)" "1 0"
same "$link" ps --since "$from" --until "$to" --where "kind = 'tpu'"
get "/tpus"
is "without one, its table and its links are of the present" "$(grep -c 'href="/tpus?[^"]*since' stdout)" 0
get "/tpus?since=&until=&where="
is "empty fields of a form are none" "$rc $(grep -c '"/coverage.json?since=7d"' stdout)" "200 1"
get "/resources?sort-by=name"
is "sorted" "$(grep -o '/why?of=[^"]*">[^<]*' stdout | head -1 | sed 's/.*>//')" \
	"$(tpucost ps --all --sort-by name --limit 1 --format json | jq -r '.[0].name')"

# labels from the cloud are text
sqlite3 t.db "UPDATE resource SET name = '<script>alert(1)</script>', owner = '\" onmouseover=\"x' WHERE name = 'tpu-1'"
for page in / /tpus /resources; do
	get "$page"
	is "a hostile name: $page" "$rc $(grep -c '<script>alert\| onmouseover="' stdout)" "200 0"
done
stop_web
