# What keeps tpucost from working, a line each, with the command that mends it.
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
reader=tpucost@lab-one.iam.gserviceaccount.com
actor=tpucost-enforcer@lab-one.iam.gserviceaccount.com
reads='[compute.*.list, compute.instanceGroupManagers.get, compute.instanceTemplates.get, container.clusters.get, compute.machineTypes.get, compute.projects.get, tpu.*.list,
  cloudquotas.quotas.get, serviceusage.quotas.get, monitoring.timeSeries.list, storage.buckets.list,
  resourcemanager.projects.get, billing.anomalies.list, bigquery.jobs.create, bigquery.tables.get]'
stops='[compute.projects.get, compute.instances.get, compute.instances.stop,
  compute.zoneOperations.get, tpu.nodes.get, tpu.nodes.stop, tpu.operations.get]'
# patch YAML: changes the world
patch() {
	printf '%s\n' "$1" | curl -fs --data-binary @- "$url/_sandbox/world/patch" >/dev/null
}
faults() {
	printf '%s\n' "$1" | curl -fs --data-binary @- "$url/_sandbox/faults" >/dev/null
}
# found CHECK [PROJECT]: "status detail" of what was found of it
found() {
	jq -r --arg c "$1" --arg p "${2:-}" \
		'.[] | select(.check == $c and ($p == "" or .project == $p)) | "\(.status) \(.detail)"' stdout
}
fix() {
	jq -r --arg c "$1" --arg p "${2:-}" \
		'.[] | select(.check == $c and ($p == "" or .project == $p)) | .fix // empty' stdout
}
doctor() {
	run tpucost doctor --format json "$@"
}
least="iam:
  - {member: $reader, permissions: $reads}
  - {member: $actor, permissions: $stops}"
patch "$least"

# ---- nothing there yet
TPUCOST_CONFIG=$work/none.yaml run tpucost doctor --format json
status "without a configuration it fails" 1
has "and says so" "$(found configuration)" "fail "
has "the file is named" "$(found configuration)" "none.yaml"
is "and what makes one" "$(fix configuration)" "tpucost init"
write_config "notify:
  - name: log
    file: {path: messages.jsonl}"
printf 'color: yes\n' >>tpucost.yaml
doctor
status "a configuration that is wrong fails" 1
has "with file, line and column" "$(found configuration)" "tpucost.yaml:17:1: "
is "and the command that checks it" "$(fix configuration)" "tpucost check --config $work/tpucost.yaml"
is "nothing else can be looked at" "$(jq length stdout)" 1
sed -i '$d' tpucost.yaml

doctor
status "before the first poll nothing fails" 0
has "the database is missing" "$(found database)" "warn $work/t.db: does not exist yet"
is "and this makes it" "$(fix database)" "tpucost collect"
has "who reads" "$(found credentials)" "ok $reader reads (credentials file $work/service-account.json)"
has "may do it" "$(found reading lab-one)" "ok $reader can read what it needs"
has "in the other project too" "$(found reading lab-two)" "ok "
has "the clock is this machine's" "$(found clock)" "skip "
has "room on the disk" "$(found disk)" " MiB free in $work"
has "a channel that was never used" "$(found channels)" "warn log has not delivered a message yet"
is "and this uses it" "$(fix channels)" "tpucost notify test log"
has "nothing is armed" "$(found enforcement)" "ok dry-run: nothing is stopped"
has "nothing halts it" "$(found halt)" "ok "

# ---- after a poll all is well
run tpucost collect
run tpucost notify test log
doctor
status "all is well" 0
is "but for old billing data" "$(jq -r '.[] | select(.status != "ok" and .status != "skip") | .check' stdout)" billing
has "the database is whole" "$(found database)" "ok $work/t.db: valid and writable"
has "what was read" "$(found sources lab-one)" "ok all "
has "the billing table" "$(found billing)" "warn lab-one.billing.gcp_billing_export_v1_00AA11 can be queried; Google wrote to it 2d"
has "the channel" "$(found channels)" "ok log: last delivered "
run tpucost doctor
status "for people too" 0
is "a line each, projects with the same finding together" "$(grep -E '^(ok|warn|fail|skip) ' stdout | grep -vc tpu-api)" \
	"$(tpucost doctor --format json | jq '[.[] | select(.check != "tpu-api") | [.check, .status, .detail, .fix]] | unique | length')"
is "TPUs too, without their types" "$(grep ' tpu-api' stdout | tr -s ' ')" \
	"ok tpu-api lab-one, lab-two: 4 TPUs: on tpu.googleapis.com, which is frozen; there is no equivalent on Compute Engine"
is "all others are what mends it, as it is" "$(grep -vE '^(ok|warn|fail|skip) ' stdout | sed -e 's/^        //' -e ':a; /\(&&\|||\)$/{N; s/\n */ /; ba}')" \
	"$(tpucost doctor --format json | jq -r '.[].fix // empty')"
is "what was found is within a terminal" "$(COLUMNS=80 NO_COLOR=1 script -qec "'$B/tpucost' doctor" /dev/null | tr -d '\r' | grep -vE '^ {8}[^ ]|[^ ]{45}' | awk 'length($0) > 80' | wc -l)" 0
is "without colours where there is no terminal" "$(grep -c "$(printf '\033')" stdout)" 0
run tpucost doctor --format csv
is "the columns" "$(head -1 stdout | tr -d '\r')" "check,status,detail,fix,project"
run tpucost doctor --format html
status "other formats are refused" 2

# ---- what the reader lacks
patch "iam: [{member: $reader, project: lab-one, permissions: $reads},
  {member: $reader, project: lab-two, permissions: [compute.*.list, compute.projects.get]}]"
doctor --project lab-two
status "a reader that cannot read fails" 1
is "one project only" "$(jq -r '[.[].project // empty] | unique | join(" ")' stdout)" lab-two
has "what it lacks" "$(found reading)" "fail $reader cannot: compute.instanceGroupManagers.get, compute.instanceTemplates.get, container.clusters.get, compute.machineTypes.get, tpu.locations.list, tpu.nodes.list, "
has "what was read is no longer claimed" "$(found access)" "ok reached by earlier polls: inventory"
has "a role of Google's has it" "$(fix reading)" \
	"gcloud projects add-iam-policy-binding lab-two --member=serviceAccount:$reader --role=roles/tpu.viewer && "
is "each is granted once" "$(fix reading | grep -o 'roles/[a-zA-Z.]*' | sort | uniq -d)" ""
patch "iam: [{member: $reader, permissions: [compute.*.list, compute.projects.get, tpu.*.list, bigquery.*.*]}]"
doctor --project lab-one
status "what only makes answers poorer is a warning" 0
has "and named" "$(found reading)" "warn $reader cannot: compute.instanceGroupManagers.get, compute.instanceTemplates.get, container.clusters.get, compute.machineTypes.get, cloudquotas.quotas.get, "
patch "iam: [{member: $reader, permissions: [compute.*.list, tpu.*.list]}]"
doctor
status "without the billing data it fails" 1
has "the table's own grant" "$(fix billing)" \
	"bq add-iam-policy-binding --member=serviceAccount:$reader --role=roles/bigquery.dataViewer lab-one:billing.gcp_billing_export_v1_00AA11"
has "and the queries'" "$(fix billing)" \
	"gcloud projects add-iam-policy-binding lab-one --member=serviceAccount:$reader --role=roles/bigquery.jobUser"

# ---- what a refusal shows of the APIs
has "whether a refused API is enabled is not known" "$(found apis lab-one)" "skip whether monitoring.googleapis.com, \
cloudbilling.googleapis.com are enabled is unknown: test the API: HTTP 403"
doctor --project no-such-project
status "a project that does not exist fails" 1
has "its APIs are not called enabled" "$(found apis)" "warn whether they are enabled is unknown; the project does not exist, \
or $reader may not access it: test the API: HTTP 404 notFound: The resource 'projects/no-such-project' was not found"
is "the name may be wrong" "$(fix apis)" "\${EDITOR:-vi} '$work/tpucost.yaml' # check the name in \`projects:\`"

# ---- who sees the billing table may not query it
patch "iam: [{member: $reader, permissions: [compute.*.list, tpu.*.list, bigquery.tables.get]}]"
doctor billing
is "which is not called readable" "$(found billing | cut -d ' ' -f 1-3)" "fail $reader cannot
warn lab-one.billing.gcp_billing_export_v1_00AA11 exists;"

# ---- what accounts can do and need not
patch "iam: [{member: $reader, permissions: ['*']}, {member: $actor, permissions: $stops}]"
doctor --project lab-one
status "a reader that can do everything is a warning" 0
has "with the worst first" "$(found reading)" \
	"warn $reader can also: compute.instances.delete, compute.instances.stop, compute.instances.create, tpu.nodes.delete"
has "and the role that is enough" "$(found reading)" "grant it only tpucostReader"
has "the command makes that role" "$(fix reading)" "gcloud iam roles create tpucostReader --project=lab-one --permissions=\$p)"
has "of what reading needs" "$(fix reading)" "p=compute.instances.list,"
has "grants it" "$(fix reading)" "--member=serviceAccount:$reader --role=projects/lab-one/roles/tpucostReader"
has "and shows the others" "$(fix reading)" "gcloud projects remove-iam-policy-binding lab-one --member=serviceAccount:$reader --role=ROLE"

# ---- enforcement
arm() {
	sed -i '/^enforcement:/d; /^rules:/,$d' tpucost.yaml
	printf 'enforcement: {mode: %s, projects: [lab-one]%s}\n' "$1" "$2" >>tpucost.yaml
	printf 'rules: [{use: tpu-not-covered, then: {action: %s, grace: 30m, armed: true, allow_delete: %s}}]\n' \
		"${3:-stop}" "${4:-false}" >>tpucost.yaml
}
patch "$least"
arm armed ""
doctor
status "one account for both is a warning, but it must be able to" 1
has "the same one" "$(found actor)" "warn $reader reads and acts"
has "an account of its own" "$(fix actor)" "gcloud iam service-accounts create tpucost-stopper --project=lab-one && "
has "that the reader may be" "$(fix actor)" "--member=serviceAccount:$reader --role=roles/iam.serviceAccountTokenCreator"
has "it cannot stop" "$(found acting)" "fail $reader cannot: compute.instances.get, compute.instances.stop, "
has "this lets it" "$(fix acting)" "--role=projects/lab-one/roles/tpucostStopper"

arm armed ", credentials: enforcer.json"
doctor
status "two accounts with what they need: fine" 0
has "who acts" "$(found actor)" "ok $actor acts (credentials file $work/enforcer.json)"
has "it can" "$(found acting lab-one)" "ok $actor can stop all resources of the rules"
has "what is armed" "$(found enforcement)" "ok armed in lab-one: tpu-not-covered"
is "nothing is too much" "$(jq '[.[] | select(.detail | contains("can also"))] | length' stdout)" 0

arm armed ", impersonate: $actor"
doctor
has "the reader may act as the other" "$(found actor)" "ok $actor acts (service account $actor)"
is "which is what Google saw" \
	"$(jq -r 'select(.path == "/v3/projects/lab-one:testIamPermissions") | .as' requests | tail -1)" "$actor"
printf '%s\n' '- {match: "POST /v1/projects/-/serviceAccounts/", status: 403}' |
	curl -fs --data-binary @- "$url/_sandbox/faults" >/dev/null
doctor
status "unless it may not be that account" 1
has "which is said" "$(found actor)" "fail "
has "with what lets it" "$(fix actor)" "roles/iam.serviceAccountTokenCreator"
curl -fs --data-binary '' "$url/_sandbox/faults" >/dev/null

patch "iam: [{member: $reader, permissions: $reads},
  {member: $actor, permissions: [compute.instances.*, compute.projects.get, tpu.nodes.*, compute.disks.delete]}]"
arm armed ", credentials: enforcer.json"
doctor
status "what it cannot do fails" 1
has "and is named" "$(found acting | grep fail)" "fail $actor cannot: compute.zoneOperations.get, tpu.operations.get"
has "so is what it need not" "$(found acting | grep warn)" \
	"warn $actor can also: compute.instances.delete, compute.instances.create, tpu.nodes.delete, tpu.nodes.create, compute.disks.delete"
has "the role that is enough" "$(found acting | grep warn)" "grant it only tpucostStopper"
arm dry-run ", credentials: enforcer.json"
doctor
status "while nothing is armed, it is a warning" 0
arm armed ", credentials: enforcer.json, allow_delete: true" delete true
doctor
is "where rules may delete, deleting is not too much" "$(found acting | grep -c 'can also: compute.instances.create')" 1
has "and the roles are two" "$(found acting | grep warn)" "grant it only tpucostStopper and tpucostDeleter"
patch "$least"
doctor
has "without it the deleter is missed" "$(found acting)" "fail $actor cannot: compute.instances.delete, tpu.nodes.delete, tpu.nodes.list"
has "and given" "$(fix acting)" "p=compute.instances.delete,tpu.nodes.delete,tpu.nodes.list && p="

arm armed ", credentials: enforcer.json"
sed -i 's/projects: \[lab-one\]/projects: [lab-one, lab-nine]/' tpucost.yaml
doctor
has "a project that is not read" "$(found enforcement lab-nine)" "warn actions are allowed here, but this project is not watched"
has "nor known" "$(found acting lab-nine)" "fail "
sed -i 's/, lab-nine//' tpucost.yaml
sqlite3 t.db "INSERT INTO project VALUES ('lab-one', '100000000001', '', 1, 1)"
sed -i 's/projects: \[lab-one\]/projects: ["100000000001"]/' tpucost.yaml
doctor
status "projects by number are the same projects" 0
is "and are read" "$(found enforcement)" "ok armed in 100000000001: tpu-not-covered"
sed -i 's/projects: \["100000000001"\]/projects: [lab-one]/' tpucost.yaml
uid=$(tpucost sql "SELECT uid FROM resources WHERE name = 'big' AND kind = 'vm'" --format csv | tail -1 | tr -d '\r')
is "it does not run on any of them" "$(found own-host)" ""
sed "s/^name: small/&\nmetadata: {instance_id: \"$uid\"}/" "$ROOT/tests/sandbox/worlds/small.yaml" |
	curl -fs --data-binary @- "$url/_sandbox/world" >/dev/null
patch "$least"
doctor
is "unless it does" "$(found own-host)" "ok tpucost runs on big, which it never stops"
touch halt
doctor
has "halted" "$(found halt)" "warn $work/halt exists"
is "and this ends it" "$(fix halt)" "tpucost enforce resume"
rm halt
arm off ""
doctor
is "off: nobody acts" "$(found actor)$(found acting)" ""

# ---- commands can be pasted
for a in "$least" "iam: [{member: $reader, permissions: []}, {member: $actor, permissions: ['*']}]"; do
	patch "$a"
	arm armed ", credentials: enforcer.json"
	tpucost doctor --format json | jq -r '.[].fix // empty' >commands
	is "every command is one of a shell" "$(while read -r line; do printf '%s\n' "$line" | sh -n || echo "$line"; done <commands 2>&1)" ""
	is "with nothing left to fill in but the role that is too much" \
		"$(sed 's/ # then, for each other role:.*//' commands | grep -cE '\b(PROJECT|MEMBER|ROLE|READER)\b')" 0
done

# ---- a directory in place of the database
mkdir t.dir
sed 's/^database: .*/database: t.dir/' tpucost.yaml >dir.yaml
doctor --config dir.yaml
is "a directory is no file" "$rc $(found database) $(fix database)" "1 fail database t.dir: it is a directory set \`database:\` to a file"
for c in collect ps; do
	run tpucost $c --config dir.yaml
	is "$c says so" "$err" "tpucost: database t.dir: it is a directory; set \`database:\` to a file"
done

# ---- other credentials
echo '{"type":"authorized_user","client_id":"a","client_secret":"b","refresh_token":"sandbox-refresh"}' >user.json
chmod 600 user.json
arm dry-run ""
sed -i 's/^credentials: .*/credentials: user.json/' tpucost.yaml
doctor --project lab-one
has "a person's login can do more" "$(found reading)" "warn your login can also: "
has "and keeps it: tpucost gets an account" "$(fix reading)" "gcloud iam service-accounts create tpucost --project=lab-one && "
doctor
is "said once, not for every project" "$(found reading | grep -c 'can also')" 1
is "nothing is taken away" "$(fix reading | grep -c remove-iam-policy-binding)" 0
sed -i 's/^credentials: .*/# no credentials/' tpucost.yaml
run env GCE_METADATA_HOST=127.0.0.1:$port "$B/tpucost" doctor --format json
has "the metadata server says who" "$(found credentials)" "ok $reader reads (metadata server): its token works"
sed -i 's/^# no credentials/credentials: service-account.json/' tpucost.yaml

# ---- the search for projects
# searches PROJECTS: doctor of a database that does not exist yet, with such `projects:`
searches() {
	sed "s/^projects: .*/projects: $1/; s/^database: .*/database: none.db/" tpucost.yaml >search.yaml
	doctor --config "$work/search.yaml"
}
patch "$least"
edit="\${EDITOR:-vi} '$work/search.yaml' # change the patterns of \`projects:\` in the configuration"
searches '{billing_account: 0000AA-0000BB-0000CC}'
status "an account whose projects may not be listed" 1
has "before the first poll" "$(found reading)" "fail list projects of billing account: HTTP 403"
has "with what lets it" "$(fix reading)" "gcloud billing accounts add-iam-policy-binding 0000AA-0000BB-0000CC --member=serviceAccount:$reader --role=roles/billing.viewer"
has "the next step is not to list projects" "$(found access)" "; no project was found: see 'reading' above"
searches '{organization: "123"}'
is "another organization" "$rc $(fix reading)" \
	"1 gcloud organizations add-iam-policy-binding 123 --member=serviceAccount:$reader --role=roles/cloudasset.viewer"
searches '{organization: "8", except: [lab-*]}'
is "patterns that leave nothing" "$rc $(found reading) $(fix reading)" "1 fail organizations/8: none of 2 projects matches only: and except: $edit"
searches '{organization: "8"}'
is "what it finds is checked before the first poll" "$rc $(found reading | grep search) $(found apis lab-two)" \
	"0 ok the search for projects works: 2 found ok the APIs are enabled"
is "and the next step is a poll" "$(fix access)" "tpucost collect"
sed -i 's/^projects: .*/projects: {organization: 8}/' tpucost.yaml
faults '- {match: "GET /v1/organizations/", status: 403}'
tpucost collect project >/dev/null 2>&1
doctor
status "the search for projects failed" 1
is "which is said once" "$(jq -r '.[] | select(.detail | contains("search projects: ")) | "\(.status) \(.check)"' stdout)" "fail reading"
faults ''
doctor
has "what works now failed in the last poll" "$(found sources | grep fail)" "fail project: search projects: HTTP 403"
sed -i 's/^projects: .*/projects: [lab-one, lab-two]/' tpucost.yaml
doctor
is "nothing is said of a search that is not made" "$(found sources | grep -c search)" 0

# ---- sources of projects that are no longer configured
sed "s/^projects: .*/projects: [lab-two, no-such-project]/; s/^database: .*/database: other.db/" tpucost.yaml >other.yaml
faults '- {match: "POST /bigquery/", status: 403}
- {match: "GET /v1/services", status: 403}'
tpucost collect --config other.yaml >/dev/null 2>&1
doctor --config other.yaml sources access
status "a project that does not exist" 1
is "is said to fail" "$(found sources no-such-project | grep -c '^fail ')" 14
has "it counts" "$(found access)" "inventory (1 of 2 projects)"
# others PROJECTS: the sources that are not fine, and what is reached
others() {
	sed -i "s/^projects: .*/projects: $1/" other.yaml
	doctor --config other.yaml sources access
	jq -r '.[] | select(.check == "sources" and .status != "ok") | "\(.project // "-") \(.detail)"' stdout | sed 's/: .*//'
	found access | sed -n 's/^ok reached[a-z ]*: //p'
}
is "once corrected, it is not named" "$(others '[lab-two]')" "lab-one billing
- price
inventory (1 of 1 projects), metrics (1 of 1 projects)"
is "nor if there is another" "$(others '[lab-two, lab-one]')" "lab-one billing
- price
inventory (1 of 2 projects), metrics (1 of 2 projects)"
is "nor if there is none" "$(others '[]')" "lab-one billing
- price
files only: imported data can be queried"
faults ''

# ---- nobody answers
patch "$least"
printf '%s\n' '- {match: "POST /v3/", status: 503}' | curl -fs --data-binary @- "$url/_sandbox/faults" >/dev/null
doctor --project lab-one
status "what could not be asked is exit 4" 4
has "and says so" "$(found reading lab-one)" "skip could not be checked: "
curl -fs --data-binary '' "$url/_sandbox/faults" >/dev/null
chmod 644 service-account.json
arm armed ", credentials: enforcer.json"
doctor
status "a key that others can read fails" 1
is "without it, the projects are known all the same" "$(found enforcement)" "ok armed in lab-one: tpu-not-covered"
is "and who acts is looked at" "$(found acting)" "ok $actor can stop all resources of the rules"
has "with the command" "$(fix credentials)" "chmod 600"
chmod 600 service-account.json
echo "not a database" >t.db
doctor
status "a database that is none fails" 1
has "and says so" "$(found database)" "fail "
is "the rest is looked at" "$(found reading lab-one)" "ok $reader can read what it needs"

is "the doctor changed nothing" "$(jq -c 'select(.mutating)' requests)" ""
