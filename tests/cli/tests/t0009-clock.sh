# The clock of the tests: all programs of a test have it, it runs, stands and moves as the test says; and what
# is shipped knows nothing of it.
. "$ROOT/tests/cli/lib.sh"
unset -f jq # the order of keys counts
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config
near() { # NAME SECONDS: at most a minute after NOW
	is "$1" "$(($2 >= NOW && $2 < NOW + 60))" 1
}
near "date" "$(date +%s)"
near "sqlite3" "$(sqlite3 :memory: "SELECT strftime('%s', 'now')")"
near "jq" "$(jq -n 'now | floor')"
near "python3" "$(python3 -c 'import time; print(int(time.time()))')"
near "the fake cloud" "$(curl -sS -D - -o answer "$url/" | tr -d '\r' | sed -n 's/^[Dd]ate: //p' | xargs -I{} date +%s --date={})"
tpucost collect -q
made() { date +%s --date="$("$B/tpucost" report daily --format json | jq -r .made)"; }
near "tpucost" "$(made)"
set_clock =2031-05-05T05:05:05Z
is "it stands" "$(date -u +%FT%T) $(made)" "2031-05-05T05:05:05 1935723905"
set_clock 2031-05-05T05:05:05Z
before=$(date +%s%N)
while [ "$(date +%s%N)" -le "$before" ]; do :; done
pass "it runs"
is "and for one command it is another" "$(clock_at =2032-01-01T00:00:00Z date +%s) $(clock_ahead 3600 date +%Y-%H)" "1956528000 2031-06"

# ---- what is shipped
for program in tpucost tpucost-net; do
	is "$program has no word of it" "$(grep -c -e TEST_CLOCK -e TEST_WALL -e TEST_MONOTONIC "$B/$program")" 0
done
machine=$(env -u LD_PRELOAD date +%s)
got=$(LD_PRELOAD= made)
is "without the library it has the machine's clock" "$((got >= machine && got < machine + 60))" 1
