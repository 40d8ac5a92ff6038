# Every command with a database that is missing, read-only, too new, or none at all.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-lab.sh"
start_lab
start_files
cp "$ROOT/tests/scenarios/price-not-known.yaml" small.yaml
program=$B/tpucost
# Root may write anything, so it becomes somebody else.
as_user=
if [ "$(id -u)" -eq 0 ]; then
	mkdir bin
	cp "$B/tpucost" "$B/tpucost-net" "$B/tpucost-web" bin
	chmod 755 "$work" bin
	chmod 644 ./*.json ./*.yaml mail.eml
	chmod 600 service-account.json
	program=$work/bin/tpucost
	as_user="setpriv --reuid=65534 --regid=65534 --clear-groups"
else
	as_user=env
fi
# shellcheck disable=SC2086 # words
timeout 600 python3 "$ROOT/tests/support/run/storage_run.py" "$program" "$url" $as_user
