# Sourced after lib.sh: the page in the browser, asked with curl.

web_pid=
trap '[ -z "$web_pid" ] || kill "$web_pid" 2>/dev/null; finish' EXIT

# start_web [OPTION...]: sets $web; where it listens: at any port, if no option says so
start_web() {
	rm -f web.out
	[ $# -gt 0 ] || set -- --listen 127.0.0.1:0
	"$B/tpucost" web "$@" >web.out 2>web.err &
	web_pid=$!
	wait_until web_answers || { cat web.err && exit 1; }
	web=$(head -1 web.out)
	web=${web%/}
}
web_answers() {
	[ -s web.out ] 2>/dev/null || ! kill -0 $web_pid 2>/dev/null
}
stop_web() {
	kill "$web_pid" 2>/dev/null
	wait "$web_pid"
	rc=$?
	web_pid=
}
# get PATH [OPTION...]: body in $out, status in $rc, headers in the file headers
get() {
	path=$1
	shift
	: >stdout # an answer without a body leaves it
	rc=$(curl -s --path-as-is -o stdout -D headers -w '%{http_code}' --max-time 300 "$@" "$web$path" 2>stderr)
	out=$(cat stdout)
	err=$(cat stderr)
}
# header NAME: of the last answer
header() {
	tr -d '\r' <headers | sed -n "s/^$1: //Ip" | tail -1
}
