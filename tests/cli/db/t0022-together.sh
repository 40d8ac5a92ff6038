# Many users of one database: one writes at a time and the others are told who; nobody who only
# reads sees an error or half a figure.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-rows.sh"
rows 2026-01 100 >small.json
rows 2026-03 1000 >large.json
small=$(nanos 100)
both=$(nanos 100 1000)
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config
database roomy.db
tpucost collect -q 2>/dev/null
want_polled=$(polled roomy.db)
database t.db
tpucost import -q small.json


# ---- one writer at a time, and the other is told who
# it gets no answer, so that it is still there however late this looks
mkfifo silent
timeout 900 python3 -c 'import socket
s = socket.create_server(("127.0.0.1", 0))
open("silent", "w").write(str(s.getsockname()[1]))
c = s.accept()
open("asked", "w").close()
open("silent").read()' &
silent=$!
sed "s|^endpoints: .*|endpoints: {all: \"http://127.0.0.1:$(cat silent)\"}|" tpucost.yaml >silent.yaml
"$B/tpucost" --config silent.yaml collect -q >/dev/null 2>&1 &
writer=$!
# it holds the lock, and has opened the database
wait_until test -e asked
kill -STOP $writer
for cmd in "import large.json" collect "db forget small.json"; do
	# shellcheck disable=SC2086 # words
	run tpucost $cmd
	refused "beside a writer: $cmd" "process $writer; wait until it ends"
done
is "beside a writer: readers" "$(readers_failed)" ""
is "beside a writer: nothing is written" "$(files t.db)" "$small"
kill -KILL $writer
wait $writer 2>/dev/null
: >silent
wait $silent
run tpucost import -q large.json
is "a lock dies with its holder" "$rc $(files t.db)" "0 $both"
# a number that was left behind is not the holder's
(
	exec 9<>t.db.lock
	flock 9
	echo 4194399 >t.db.lock
	touch locked
	wait_until test -e refused
) &
wait_until test -e locked
run tpucost collect
touch refused
refused "a holder without a name" "polling into $work/t.db; wait"
wait $!

# ---- a poll, imports and readers at once
rm -f t.db*
tpucost import -q small.json
mkdir many
month() { printf '%d-%02d' $((2012 + $1 / 12)) $((1 + $1 % 12)); }
n=0
while [ $n -lt 40 ]; do
	rows "$(month $n)" 300 >many/$n.json
	n=$((n + 1))
done
# Each ends when there is a file "stop", or this test is gone; what they complain about is kept.
going() { [ -e t.db ] && [ ! -e stop ]; }
writes() {
	until tpucost "$@" -q 2>complaint; do
		grep -q "another tpucost is polling into" complaint || { cat complaint >>bad; return; }
		sleep 0.02
	done
}
(while going; do writes collect && echo >>through; done) &
polls=$!
(
	k=0
	while [ $k -lt 40 ] && going; do
		until tpucost import -q many/$k.json 2>import_said; do
			grep -q "another tpucost is polling into" import_said || { cat import_said >>bad; break; }
			sleep 0.02
		done
		k=$((k + 1))
		echo $k >imported
	done
) &
imports=$!
reads() {
	while going; do
		tpucost "$@" --format csv >"read_$1" 2>"said_$1" || [ "$1 $?" = "ps 4" ] ||
			{ echo "$*" && cat "said_$1"; } >>bad
		grep -v "^note:" "said_$1" >>bad
		[ "$1" != cost ] || {
			grep "^201" read_cost >>days
			grep "^201" read_cost | cut -c -7 | sort | uniq -c | awk '{ print $1 }' >>counts
		}
	done
}
reads cost --by day &
r1=$!
reads ps &
r2=$!
reads sources &
r3=$!
# until a reader has seen a dozen files and three polls are through
seen() {
	[ -s days ] && [ "$(sort -u days | wc -l)" -gt 100 ] && [ -s through ] && [ "$(wc -l <through)" -gt 2 ]
}
wait_until seen
touch stop
wait $polls $imports $r1 $r2 $r3
n=$(cat imported)
is "all at once: no complaint" "$(sort -u bad | head -n 5)" ""
is "all at once: each day of a file has its sum" "$(sort -u days | cut -c 9- | sort -u | wc -l)" 9
is "all at once: of a file all nine days or none" "$(sort -u counts)" 9
is "all at once: readers saw it grow" "$(($(sort -u days | wc -l) > 27))" 1
# shellcheck disable=SC2046 # numbers
is "all at once: what was imported" "$(files t.db)" "$(nanos 100 $(yes 300 | head -n "$n"))"
run tpucost collect -q
is "all at once: what was polled" "$rc $(polled t.db)" "0 $want_polled"
is "all at once: the file" "$(whole t.db)" ok
