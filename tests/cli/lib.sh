# Sourced by tests/cli/t*.sh: a scratch directory, a sandbox, and checks.
set -u
work=$(mktemp -d) || exit 1
sandbox_pid=
finish() {
	[ -z "$sandbox_pid" ] || kill "$sandbox_pid" 2>/dev/null
	[ -z "$sandbox_pid" ] || wait "$sandbox_pid" 2>/dev/null
	[ -z "${REQUESTS:-}" ] || [ ! -f "$work/requests" ] || cat "$work/requests" >"$REQUESTS"
	rm -rf "$work"
}
trap finish EXIT
trap 'exit 1' INT TERM
cd "$work" || exit 1
unset GOOGLE_APPLICATION_CREDENTIALS TPUCOST_CONFIG COLUMNS NO_COLOR
HOME=$work TZ=UTC
export HOME TZ

# What a test asked of the sandbox is counted by tests/run-cli.sh: nothing of it may change the cloud,
# unless the test says "# acts" in a line of its own.

# start_sandbox WORLD [OPTION...]: sets $url and $port; the key is in $work, the log in $work/requests
start_sandbox() {
	rm -f port
	"$B/sandbox" --port 0 --port-file port --log requests --key-out "$work" "$@" >sandbox.out 2>&1 &
	sandbox_pid=$!
	i=0
	while [ ! -s port ]; do
		i=$((i + 1))
		if [ $i -gt 100 ]; then
			cat sandbox.out
			exit 1
		fi
		sleep 0.1
	done
	port=$(cat port)
	url=http://127.0.0.1:$port
}

# write_config [LINES]: the configuration of most tests, with more lines at the end
write_config() {
	cat >tpucost.yaml <<EOF
timezone: UTC
projects: [lab-one, lab-two]
credentials: service-account.json
database: t.db
billing: {table: lab-one.billing.gcp_billing_export_v1_00AA11}
grants:
  - name: trc
    starts: $(date -u -d '-20 days' +%Y-%m-%d)
    days: 30
    tpus:
      - 5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a
      - 32 on-demand Cloud TPU v4 chips in zone us-central2-b
endpoints: {all: "$url"}
${1:-}
EOF
	TPUCOST_CONFIG=$work/tpucost.yaml
	export TPUCOST_CONFIG
}

# run COMMAND...: output in $out, messages in $err, status in $rc
run() {
	"$@" >stdout 2>stderr
	rc=$?
	out=$(cat stdout)
	err=$(cat stderr)
}
tpucost() {
	"$B/tpucost" "$@"
}

pass() {
	echo "ok $1"
}
flunk() {
	echo "not ok $1"
	shift
	printf '    %s\n' "$@"
	printf '    stdout: %s\n' "$(head -c 2000 stdout)"
	printf '    stderr: %s\n' "$(head -c 2000 stderr)"
}
# is NAME GOT WANT
is() {
	if [ "$2" = "$3" ]; then pass "$1"; else flunk "$1" "got:  $2" "want: $3"; fi
}
# has NAME TEXT PART
has() {
	case $2 in
	*"$3"*) pass "$1" ;;
	*) flunk "$1" "no \"$3\" in: $2" ;;
	esac
}
# status NAME WANT: exit status of the last run
status() {
	is "$1" "$rc" "$2"
}
