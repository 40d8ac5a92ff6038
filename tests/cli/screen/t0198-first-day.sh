# What a new user meets on the first day: keys that others can read, found projects, machines to keep.
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config "notify: [{name: log, file: {path: messages.jsonl}}]
enforcement: {mode: dry-run, projects: [lab-two]}
rules:
  - {name: big-vm, on: resources, where: kind = 'vm' AND state = 'running', for: 0m, then: {action: stop, grace: 30m}}"

# ---- check
chmod 600 service-account.json
run tpucost check
is "a key of the owner only is fine" "$(printf '%s' "$err" | grep -c 'key file')" 0
chmod 644 service-account.json
run tpucost check
has "a key that others can read is a warning" "$err" \
	"warning: key file $work/service-account.json: readable by group or others (mode 0644); run: chmod 600 $work/service-account.json"
run tpucost check --strict
status "which --strict refuses" 3
mv service-account.json aside
run tpucost check
has "a key that is not there, too" "$err" "warning: key file $work/service-account.json: No such file or directory"
mv aside service-account.json
chmod 600 service-account.json
has "projects are counted" "$out" "tpucost.yaml: valid: 2 projects, 2 grant lines, "
sed 's/^projects:.*/projects: {billing_account: 01AB23-CD45EF-678901}/' tpucost.yaml >found.yaml
run tpucost check --config found.yaml
has "found projects are not 0" "$out" "valid: projects of billing account 01AB23-CD45EF-678901, 2 grant lines"
run tpucost doctor --config found.yaml
has "nor for doctor" "$out" "found.yaml: projects of billing account 01AB23-CD45EF-678901, "
sed 's/^projects:.*/projects: {folder: "9"}/' tpucost.yaml >scope.yaml
run tpucost check --config scope.yaml
has "or those of a folder" "$out" "valid: projects of folders/9, "

# ---- messages of a dry run
# told SUBJECT: "detail | command" in the last message
told() {
	sqlite3 t.db "SELECT body FROM notification ORDER BY id DESC LIMIT 1" |
		jq -r --arg s "$1" '.firing[] | select(.subject == $s) | "\(.detail) | \(.command)"'
}
big=lab-one/vm/us-central1-b/big
keep=lab-two/vm/us-central1-a/keep
tpucost run --once >/dev/null 2>&1
is "no stop is announced in a project that is not listed" "$(told $big)" \
	"$big | gcloud compute instances stop big --zone us-central1-b --project lab-one"
is "an exempt machine has no command that stops it" "$(told $keep)" "$keep | tpucost why alert:big-vm/$keep"
rm -f t.db t.db-*
sed -i 's/projects: \[lab-two\]/projects: [lab-one]/' tpucost.yaml
tpucost run --once >/dev/null 2>&1
has "in a listed one it is" "$(told $big)" "$big. It would be stopped at 10:30 (dry run). | gcloud "

# ---- init for all projects of a billing account
run tpucost init --billing-account 01AB23-CD45EF-678901 --endpoint "$url" --credentials service-account.json --output all.yaml
status "init takes a billing account" 0
is "whose projects are watched" "$(grep '^projects:' all.yaml)" "projects: {billing_account: 01AB23-CD45EF-678901} # all that it pays for"
is "none is listed" "$(grep -c 'lab-two' all.yaml)" 0
has "with the number that is visible" "$err" "project: all that billing account 01AB23-CD45EF-678901 pays for; the credentials can see 2 of them"
has "its currency" "$err" "billing account: 01AB23-CD45EF-678901, its currency is USD"
is "and its export is found" "$(grep -c 'lab-one.billing.gcp_billing_export_v1_00AA11' all.yaml)" 1
case $err in
*"list your project"*) flunk "nothing is left to list" ;;
*) pass "nothing is left to list" ;;
esac
tpucost collect --config all.yaml >/dev/null 2>&1
has "a poll finds them" "$(tpucost ps --config all.yaml --format json | jq -r '[.[].project] | unique | join(" ")')" "lab-one lab-two"
run tpucost init --billing-account 123 --output bad.yaml
status "another form is refused" 2
has "with the expected one" "$err" "--billing-account: '123' is not a billing account (expected 01AB23-CD45EF-678901); list your accounts with: gcloud billing accounts list"
run tpucost init --billing-account 01AB23-CD45EF-678901 --project lab-one --output bad.yaml
status "as is a list of projects in addition" 2
is "nothing was written" "$(test -e bad.yaml && echo written)" ""
