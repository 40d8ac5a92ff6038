# Sourced by tests/cli/t*.sh: a scratch directory, a sandbox, and checks.
set -u
work=$(mktemp -d) || exit 1
sandbox_pid=
finish() {
	[ -z "$sandbox_pid" ] || kill "$sandbox_pid" 2>/dev/null
	[ -z "$sandbox_pid" ] || wait "$sandbox_pid" 2>/dev/null
	[ -z "${REQUESTS:-}" ] || [ ! -f "$work/requests" ] || cat "$work/requests" >"$REQUESTS"
	chmod -R u+rwX "$work" 2>/dev/null # who is not root removes nothing from a read-only directory
	rm -rf "$work"
}
trap finish EXIT
trap 'exit 1' INT TERM
cd "$work" || exit 1
unset GOOGLE_APPLICATION_CREDENTIALS TPUCOST_CONFIG COLUMNS NO_COLOR
HOME=$work TZ=UTC PAGER=cat
export HOME TZ PAGER
unset TPUCOST_PAGER

# The clock: it is Wednesday 2026-11-18 10:00:00 UTC when a test begins, for all programs that it runs, and
# time runs on (tests/support/machine.c). Nothing of a test is laid out by the machine's date.
NOW=1794996000
# set_clock [=]TIME: the time is TIME, UTC seconds or a date, and runs on; after "=" it stands still
set_clock() { make_clock now "$1"; }
# clock_at [=]TIME COMMAND..., clock_ahead SECONDS COMMAND...: runs COMMAND with such a clock
clock_at() {
	make_clock other "$1"
	shift
	TEST_CLOCK=$work/.test/other "$@"
}
clock_ahead() {
	late=$(($(date +%s) + $1))
	shift
	clock_at "$late" "$@"
}
make_clock() { # NAME [=]TIME
	case $2 in
	=*-*) set -- "$1" "=$(date -u +%s --date="${2#=}")" ;;
	*-*) set -- "$1" "$(date -u +%s --date="$2")" ;;
	esac
	ln -sfT "$2" "$work/.test/$1" # by a rename
}
# at SECONDS [FORMAT]: the moment so long after NOW; day DAYS [FORMAT]: that date
at() { LC_ALL=C date -u "+${2:-%Y-%m-%dT%H:%M:%SZ}" --date="@$((NOW + $1))"; }
day() { at $(($1 * 86400)) "${2:-%Y-%m-%d}"; }
# LD_PRELOAD takes no path with a blank, which that of the tree may have
mkdir .test && ln -s "$B/machine.so" "$B/faults/preload.so" .test || exit 1
set_clock $NOW
TEST_CLOCK=$work/.test/now LD_PRELOAD=$work/.test/machine.so
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
export TEST_CLOCK LD_PRELOAD ASAN_OPTIONS

# A program is killed at a place in its run and not after a time: the machine may be fast or slow.
# allocations COMMAND...: how many it makes in one run
allocations() {
	rm -f .test/count
	LD_PRELOAD=$LD_PRELOAD:$work/.test/preload.so FAIL_COUNT=$work/.test/count "$@" >/dev/null 2>&1
	cat .test/count
}
# die_at N COMMAND...: it dies at the Nth, as by kill -9
die_at() {
	place=$1
	shift
	LD_PRELOAD=$LD_PRELOAD:$work/.test/preload.so KILL_AT=$place "$@" >/dev/null 2>&1
}
needs_kills() {
	case $B in
	*asan*) pass "skipped: the sanitizer has the allocations to itself" && exit 0 ;;
	esac
}

# What a test asked of the sandbox is counted by tests/run-cli.sh: nothing of it may change the cloud,
# unless the test says "# acts" in a line of its own.

# wait_until COMMAND...: until it succeeds. It fails after minutes: that is against hanging, no limit of a test.
wait_until() {
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 3000 ] || return
		# each look starts programs, which takes the processor from what is waited for
		if [ $tries -le 5 ]; then sleep 0.01; else sleep 0.04; fi
	done
}

# start_sandbox WORLD [OPTION...]: sets $url and $port; the key is in $work, the log in $work/requests
start_sandbox() {
	rm -f port
	"$B/sandbox" --port 0 --port-file port --log requests --key-out "$work" "$@" >sandbox.out 2>&1 &
	sandbox_pid=$!
	wait_until test -s port || { cat sandbox.out && exit 1; }
	port=$(cat port)
	url=http://127.0.0.1:$port
}

# config_one [LINES]: a configuration of the project lab-one, with more lines at the end
config_one() {
	cat >tpucost.yaml <<EOF
timezone: UTC
projects: [lab-one]
credentials: service-account.json
database: t.db
endpoints: {all: "$url"}
${1:-}
EOF
	TPUCOST_CONFIG=$work/tpucost.yaml
	export TPUCOST_CONFIG
}
# write_config [LINES]: that of most tests: of two projects, with a bill and a grant
write_config() {
	config_one "billing: {table: lab-one.billing.gcp_billing_export_v1_00AA11}
grants:
  - name: trc
    starts: $(day -20)
    days: 30
    tpus:
      - 5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a
      - 32 on-demand Cloud TPU v4 chips in zone us-central2-b
${1:-}"
	sed -i 's/^projects: .*/projects: [lab-one, lab-two]/' tpucost.yaml
}
# armed_rule NAME WHERE [THEN]: lines of a rule of resources that stops them at once, or does what THEN says
armed_rule() {
	printf '  - name: %s\n    on: resources\n    where: "%s"\n    for: 0m\n    severity: critical\n' "$1" "$2"
	printf '    then: {%s, grace: 0m, armed: true}\n' "${3:-action: stop}"
}
# lines of a world: a bill whose rows follow
BILL="billing:
  table: lab-one.billing.gcp_billing_export_v1_00AA11
  location: EU
  currency: USD
  rows:"
# write_world NAME ZONES: world.yaml of lab-one and lab-two, with more lines from the input
write_world() {
	printf 'name: %s\nprojects: [{id: lab-one, number: "%s"}, {id: lab-two, number: "%s"}]\nzones: [%s]\n' \
		"$1" 100000000001 100000000002 "$2" >world.yaml
	cat >>world.yaml
}

# It starts in a tenth of the time of jq 1.6. Where the order of keys counts: command jq, or unset -f jq.
jq() { gojq "$@"; }
# some WORD...: for loops over the places where something can fail; one in TEST_QUICK, as unit_step()
some() {
	[ -n "${TEST_QUICK:-}" ] || { echo "$*" && return; }
	printf '%s\n' "$@" | sed -n "1~${TEST_QUICK}p"
}
# read_file FILE: $_text is its content, as of $(cat FILE). To start cat takes longer than to read 20 lines here.
newline='
'
read_file() {
	_text= _lines=0
	while IFS= read -r _line || [ -n "$_line" ]; do
		_text=$_text$_line$newline
		_lines=$((_lines + 1))
		[ $_lines -lt 20 ] || break
	done <"$1"
	[ $_lines -lt 20 ] || _text=$(cat "$1")
	while [ "${_text%"$newline"}" != "$_text" ]; do _text=${_text%"$newline"}; done
}
# run COMMAND...: output in $out, messages in $err, status in $rc
run() {
	"$@" >stdout 2>stderr
	rc=$?
	read_file stdout
	out=$_text
	read_file stderr
	err=$_text
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
