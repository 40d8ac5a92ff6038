# The first configuration: what is found, what is taken and why, and what is never written over.
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
reader=tpucost@lab-one.iam.gserviceaccount.com
table=lab-one.billing.gcp_billing_export_v1_00AA11
home=$work/.config/tpucost/config.yaml
GCE_METADATA_HOST=127.0.0.1:1
export GCE_METADATA_HOST
unset XDG_CONFIG_HOME CLOUDSDK_CONFIG CLOUDSDK_CORE_PROJECT CLOUDSDK_CORE_ACCOUNT GOOGLE_CLOUD_QUOTA_PROJECT
patch() {
	printf '%s\n' "$1" | curl -fs --data-binary @- "$url/_sandbox/world/patch" >/dev/null
}
faults() {
	printf '%s' "$1" | curl -fs --data-binary @- "$url/_sandbox/faults" >/dev/null
}
# fresh [OPTION...]: init into a new file, which check takes without a word
fresh() {
	rm -f new.yaml
	run tpucost init --output new.yaml "$@"
	said=$err first=$rc
	run tpucost check --config new.yaml --strict
	is "what init $* wrote is right" "$rc $err" "0 "
	err=$said rc=$first
}
# taken KEY: the lines of the new file that are no comments
taken() {
	sed 's/ *#.*//; /^$/d' new.yaml
}
projects() {
	taken | sed -n 's/^  - \(lab-[a-z0-9]*\)$/\1/p' | tr '\n' ' '
}

# ---- nothing there at all
run tpucost init
status "it works with nothing" 0
is "on standard output, nothing" "$out" ""
has "no credentials" "$err" "credentials: no Google credentials"
has "no project" "$err" "project: none was found; give --project ID"
has "what comes next" "$err" "next: gcloud auth application-default login; list your project in $home (or tpucost init --overwrite); tpucost doctor; tpucost collect; tpucost ps"
is "for its owner alone" "$(stat -c %a "$home" "$work/.config/tpucost" | tr '\n' ' ')" "600 700 "
is "no projects, no table, no grant" "$(sed 's/ *#.*//; /^$/d' "$home")" "timezone: UTC
projects: []"
run tpucost check --strict
is "the file is right" "$rc $err" "0 "
is "and the examples in it too" "$(sed -e 's/^projects: .*//' -e '/^# [A-Z]/d; /^# examples/d; /^# .tpucost doc/d; /^# BigQ/d; /^# its table/d; /^# amounts/d; /^# then enter/d' -e 's/^# \( *[-a-z_]*:\? \?.*\)$/\1/' -e 's/^#  /  /' "$home" >examples.yaml; tpucost check --config examples.yaml 2>&1 | sed -n 's/.*: valid: //p')" \
	"1 project, 1 grant line, 1 credit, 1 budget, 0 custom rules, 1 channel"

# ---- a file that is there
before=$(cat "$home")
run tpucost init
status "a file that is there" 2
is "stays" "$(cat "$home")" "$before"
has "and is named" "$err" "tpucost: init: $home already exists; "
has "with the ways on" "$err" "--overwrite, which keeps the old one as $home.bak"
echo "# mine" >>"$home"
run tpucost init --overwrite --project lab-two
status "unless it is asked for" 0
has "the old one is kept" "$err" "kept: the old file, as $home.bak"
is "as it was" "$(tail -1 "$home.bak")" "# mine"
run tpucost init --overwrite --project lab-one
has "and the one before that, too" "$err" "as $home.bak.1"
is "as it was" "$(sed -n 's/^  - \([-a-z]*\).*/\1/p' "$home.bak.1" | head -1)" lab-two
ln -s "$work/nowhere" link.yaml
run tpucost init --output link.yaml
status "a link that leads nowhere is there too" 2
rm -f "$home"

# ---- where it goes
run env -u HOME "$B/tpucost" init
status "no home directory" 2
has "what to do" "$err" "give --output FILE, or - for standard output"
run env -u HOME "$B/tpucost" init --output -
status "standard output wants none" 0
printf '%s\n' "$out" >given.yaml
run tpucost check --strict --config given.yaml
is "and gets all of it" "$rc $err" "0 "
run env XDG_CONFIG_HOME="$work/xdg" "$B/tpucost" init -q
is "quiet" "$rc $out$err" "0 "
is "XDG_CONFIG_HOME" "$(find xdg -type f)" xdg/tpucost/config.yaml
TPUCOST_CONFIG=$work/deep/er/c.yaml run tpucost init
has "TPUCOST_CONFIG" "$err" "wrote: $work/deep/er/c.yaml"
case $err in
*"export TPUCOST_CONFIG"*) flunk "is known to the next command" "$err" ;;
*) pass "is known to the next command" ;;
esac
run tpucost init --config own.yaml
has "--config is not" "$err" "next: export TPUCOST_CONFIG=$work/own.yaml; "
echo file >file
run tpucost init --output file/c.yaml
status "a directory that cannot be made" 1
has "says so" "$err" "file"
ls -A >listing
run tpucost init --output /proc/tpucost.yaml
status "nor be written to" 1
is "nothing is left behind" "$(ls -A | grep -v '^std')" "$(grep -v '^std' listing)"

# ---- endpoint
for u in http://example.org https://127.0.0.1.example.org http://10.0.0.1:80 'http://127.0.0.1:1/?a' nonsense; do
	run tpucost init --output no.yaml --endpoint "$u"
	is "no endpoint: $u" "$rc $(test -e no.yaml && echo written)" "2 "
done
TPUCOST_ENDPOINT=$url
export TPUCOST_ENDPOINT

# ---- the metadata server alone
unset GCE_METADATA_HOST
fresh
status "the machine's account" 0
has "who" "$err" "credentials: $reader (metadata server) work"
has "its project, and what is on the same bill" "$err" "project: lab-one (the project of this machine), lab-two (paid by the same billing account)"
has "the account" "$err" "billing account: 01AB23-CD45EF-678901, its currency is USD"
has "the export" "$err" "billing export: $table (standard, EU)"
has "the time zone" "$err" "time zone: UTC"
is "the file" "$(taken)" "timezone: UTC
currency: USD
projects:
  - lab-one
  - lab-two
endpoints: {all: \"$url\"}
billing:
  table: $table
  location: EU"
is "without the environment it is the same" \
	"$(env -u TPUCOST_ENDPOINT "$B/tpucost" collect --config new.yaml 2>&1 | sed -n 's/^\([0-9]*\) polled: \1 complete$/all/p')" all
rm -f tpucost.db
GCE_METADATA_HOST=127.0.0.1:1
export GCE_METADATA_HOST

# ---- keys and logins
fresh --credentials service-account.json
has "a key" "$err" "credentials: $reader (credentials file $work/service-account.json) work"
has "its project" "$err" "project: lab-one (the project of the key)"
has "stands in the file" "$(taken)" "credentials: '$work/service-account.json'"
GOOGLE_APPLICATION_CREDENTIALS=service-account.json fresh
has "also that of the environment, for cron has none" "$(taken)" "credentials: '$work/service-account.json'"
is "but nothing of what is in it" "$(grep -cE 'PRIVATE|@' new.yaml)" 1
run tpucost init --output unreached.yaml --credentials service-account.json --endpoint http://127.0.0.1:1
has "Google cannot be reached: said" "$err" "connection refused"
is "no login is needed then" "$(printf '%s' "$err" | grep -c 'application-default login')" 0
run tpucost init --output no.yaml --credentials nowhere.json
is "a key that is not there" "$rc $(test -e no.yaml && echo written)" "2 "
mkdir -p .config/gcloud/configurations
echo '{"type":"authorized_user","client_id":"a","client_secret":"b","refresh_token":"sandbox-refresh","quota_project_id":"lab-two"}' >.config/gcloud/application_default_credentials.json
chmod 600 .config/gcloud/application_default_credentials.json
fresh
has "a login" "$err" "credentials: credentials file $work/.config/gcloud/application_default_credentials.json work"
has "its quota project" "$err" "project: lab-two (the quota project of the credentials), lab-one (paid by the same billing account)"
printf '[core]\naccount = ada@example.org\nproject = lab-one\n' >.config/gcloud/configurations/config_default
fresh
has "gcloud knows whose" "$err" "credentials: ada@example.org (credentials file"
has "and comes first" "$err" "project: lab-one (gcloud's own project), lab-two (paid"
is "the first stands first" "$(projects)" "lab-one lab-two "
is "the refresh token is nowhere" "$(grep -rl sandbox-refresh . | grep -v '^./\.config')" ""
fresh --project lab-two
has "what is asked for is all" "$err" "project: lab-two (--project); not watched: lab-one"
is "the other one is a comment" "$(projects)$(grep -c '^  # - lab-one$' new.yaml)" "lab-two 1"
fresh --project lab-two,lab-one
is "several" "$(projects)" "lab-two lab-one "
run tpucost init --output no.yaml --project 100000000001
is "a number is none" "$rc $(test -e no.yaml && echo written)" "2 "
patch "projects: []" 2>/dev/null
faults '- {match: "GET /v1/projects/", status: 403}'
fresh
has "not known who pays: one project" "$err" "project: lab-one (gcloud's own project); not watched: lab-two"
is "no currency either" "$(taken | grep -c currency)" 0
rm -rf .config/gcloud/configurations
sed -i 's/,"quota_project_id":"lab-two"//' .config/gcloud/application_default_credentials.json
fresh
has "none named: all that can be seen" "$err" "project: lab-one (the credentials can see it), lab-two (the credentials can see it)"
faults '- {match: "GET /v3/projects:search", status: 403}'
fresh
has "none named and none seen" "$err" "project: none was found"
fresh --project lab-one
has "one named" "$err" "project: lab-one (--project)"
has "its export is found" "$err" "billing export: $table"
faults ''

# ---- the export
faults '- {match: "GET /bigquery/", status: 403}'
fresh
has "no right to look" "$err" "billing export: no table found in the 0 projects that could be searched; not allowed to list: lab-one, lab-two; "
is "none in the file" "$(taken | grep -c billing)" 0
has "but how" "$(cat new.yaml)" "https://console.cloud.google.com/billing/export"
faults '- {match: "GET /bigquery/v2/projects/lab-one/datasets/billing/tables?", status: 403}'
fresh
has "a data set that is closed" "$err" "not allowed to list: lab-one.billing; "
faults '- {regex: "projects/lab-(one|two)/datasets", status: 503, body: ""}'
fresh
has "no answer is no refusal, and said once" "$err" "no table found in the 0 projects that could be searched; could not list (HTTP 503): lab-one, lab-two; without"
faults ''
sed "s|^  table: .*|  table: lab-one.billing.gcp_billing_export_v1_01AB23_CD45EF_678901\\n  other_tables: [lab-one.billing.gcp_billing_export_resource_v1_01AB23_CD45EF_678901, lab-two.old.gcp_billing_export_resource_v1_01AB23_CD45EF_678901, lab-two.old.gcp_billing_export_resource_v1_0000AA_0000BB_0000CC, lab-two.old.gcp_billing_export_v1_0000AA_0000BB_0000CC, lab-two.old.cloud_pricing_export]|" \
	"$ROOT/tests/sandbox/worlds/small.yaml" | curl -fs --data-binary @- "$url/_sandbox/world" >/dev/null
fresh
has "of several, the account's" "$err" "billing export: lab-one.billing.gcp_billing_export_resource_v1_01AB23_CD45EF_678901 (detailed, EU, account 01AB23-CD45EF-678901): it belongs to the billing account of the project, 01AB23-CD45EF-678901"
is "the others are said" "$(printf '%s\n' "$err" | grep -c 'billing export: not used: ')" 4
is "and are comments" "$(grep -c '^  # table: ' new.yaml)" 4
is "one is taken" "$(taken | grep table:)" "  table: lab-one.billing.gcp_billing_export_resource_v1_01AB23_CD45EF_678901"
sed "/^billing:/,\$d" "$ROOT/tests/sandbox/worlds/small.yaml" | curl -fs --data-binary @- "$url/_sandbox/world" >/dev/null
fresh
has "no export" "$err" "billing export: no table found in the 2 projects that could be searched; without it"
curl -fs --data-binary "@$ROOT/tests/sandbox/worlds/small.yaml" "$url/_sandbox/world" >/dev/null

# ---- the mail
cat >mail.eml <<'MAIL'
From: trc-support@google.com
Date: Sun, 01 Nov 2026 08:00:00 +0000
Subject: [TRC] You have access to free Cloud TPUs

Your Google Cloud project lab-two now has access to the following quota free of charge for 30 days:
5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a
32 on-demand Cloud TPU v4 chips in zone us-central2-b
MAIL
fresh --grant-mail mail.eml
has "the grant" "$err" "grant: trc-2026-11-01, 2 lines of the mail; start 2026-11-01T08:00:00Z from the mail's Date, end 2026-12-01T08:00:00Z"
has "its project is watched" "$err" "project: lab-two (the project of the grant), lab-one (paid by the same billing account)"
run tpucost check --config new.yaml
has "it is in the file" "$out" "2 grant lines"
sed "/^billing:/,\$d" "$ROOT/tests/sandbox/worlds/small.yaml" | curl -fs --data-binary @- "$url/_sandbox/world" >/dev/null
fresh --grant-mail mail.eml
is "no export, and the grant all the same" "$(taken | grep -c -e table: -e 'name: trc-2026-11-01')" 1
run tpucost check --config new.yaml
has "with its lines" "$out" "2 grant lines"
curl -fs --data-binary "@$ROOT/tests/sandbox/worlds/small.yaml" "$url/_sandbox/world" >/dev/null
sed 's/project lab-two/project 100000000002/' mail.eml | tpucost init -q --grant-mail - --output number.yaml
is "a mail with the number" "$(sed -n 's/^  - \(lab-[a-z]*\) .*the grant/\1/p' number.yaml)" lab-two
is "also as that for which the grant is" "$(sed -n 's/^    project: \([^ ]*\).*/\1/p' number.yaml)" lab-two
fresh --grant-mail mail.eml
is "and so with the name" "$(sed -n 's/^    project: \([^ ]*\).*/\1/p' new.yaml)" lab-two
fresh --grant-mail mail.eml --project lab-one
is "where it is not watched, that is for the reader to say" "$(grep -c '^    # project: lab-two # without this line' new.yaml)" 1
printf '%s\n' "- 32 spot + 32 on-demand Cloud TPU v4 chips in us-central2-b" >>mail.eml
rm -f new.yaml
run tpucost init --output new.yaml --grant-mail mail.eml
status "a line that can be read in two ways" 3
has "is named" "$err" 'line 4: '
has "and nothing is written" "$err" "tpucost: init: nothing was written: the mail is ambiguous or incomplete"
is "nothing at all" "$(test -e new.yaml && echo written)" ""
run tpucost init --output new.yaml --grant-mail nowhere.eml
is "a mail that is not there" "$rc $(test -e new.yaml && echo written)" "1 "

# ---- what comes next works
sed -i '$d' mail.eml
run tpucost init --grant-mail mail.eml
has "next" "$err" "next: tpucost doctor; tpucost collect; tpucost ps"
run tpucost doctor --format json
is "who may read all needs no more than to poll" "$(jq -r '.[] | select(.detail | contains("next: inventory")) | .fix' stdout)" "tpucost collect"
run tpucost collect
status "it collects" 0
run tpucost alerts
has "and evaluates the rules" "$out" "Firing ("
run tpucost ps --format json
is "and lists" "$(jq -r 'map(.name) | sort | join(" ")' stdout)" "big big good keep pre slice spare spare-ip wrong"
is "init changed nothing" "$(jq -c 'select(.mutating)' requests)" ""
