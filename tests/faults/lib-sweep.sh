# Sourced by the sweeps, after tests/cli/lib.sh and lib-rows.sh: what is done under faults, how what
# came of it is compared with what an undisturbed run leaves, and the world that it is done to.

# Places in a sweep: so many of those that there are, spread over all of them.
PLACES=${PLACES:-${QUICK:+3}}
PLACES=${PLACES:-40}
# places N: which of N
places() {
	awk -v n="$1" -v most="$PLACES" 'BEGIN { step = n > most ? n / most : 1
		for (i = 1; i <= n && int(i + .5) <= n; i += step) print int(i + .5) }'
}

now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
# start_world: a fake cloud whose clock stands, so that the bill of a second run is that of the first
start_world() {
	cat >world.yaml <<-W
		$(sed 's/^name: small/name: sweep/' "$ROOT/tests/sandbox/worlds/small.yaml")
		operations: {looks: 1, seconds: 0s}
	W
	start_sandbox world.yaml --now "$now"
	rows 2026-01 100 >small.json
	rows 2026-03 1500 >large.json
	write_config "rules:
  - {use: tpu-not-covered, for: 0m, then: {action: stop, grace: 0m, armed: true}}
notify:
  - {name: log, file: {path: told.jsonl}}
enforcement: {mode: armed, projects: [lab-one], max_share: 100%, max_per_run: 5}"
	tpucost import -q small.json
	mv t.db imported.db
	cp imported.db t.db
	tpucost collect -q >/dev/null 2>&1
	collected=$(date +%s)
	mv t.db collected.db
	rm -f t.db* imported.db-* collected.db-*
}
# world_again: as it was in the beginning
world_again() {
	curl -sS -o answer --data-binary @world.yaml "$url/_sandbox/world"
	curl -sS -o answer --data-binary '' "$url/_sandbox/faults"
	before=$(wc -l <requests)
}
# asked: how often a change was asked for since then, and under how many request ids
asked() {
	tail -n +$((before + 1)) requests | jq -r 'select(.mutating) | .path + " " + (.query // "")' >changes
	echo "$(wc -l <changes) $(sort -u changes | wc -l)"
}
db() { sqlite3 -cmd '.timeout 5000' t.db "$1"; }

# What is done: prepare_X makes what was before, the words are the command, left_X what it leaves.
acts="collect import notify report enforce backup migrate"
words() {
	case $1 in
	collect) echo collect -q ;;
	import) echo import -q large.json ;;
	notify) echo run --once -q ;;
	report) echo report daily --send --to log ;;
	enforce) echo run --once -q ;;
	backup) echo backup --overwrite copy.db ;;
	migrate) echo import -q large.json ;;
	esac
}
# just_collected: what was read is as young as it was, or that it is old is one more message
just_collected() {
	age=$(($(date +%s) - collected))
	cp collected.db t.db
	db "UPDATE source_status SET last_attempt = last_attempt + $age, last_success = last_success + $age"
}
prepare() {
	rm -f t.db* told.jsonl copy.db*
	case $1 in
	collect | import) cp imported.db t.db ;;
	notify) # nothing is acted on
		just_collected
		sed -i 's/mode: armed/mode: off/' tpucost.yaml
		world_again
		;;
	report)
		just_collected
		sed -i 's/mode: armed/mode: off/' tpucost.yaml
		world_again
		;;
	backup) cp collected.db t.db ;;
	enforce)
		just_collected
		sed -i 's/mode: off/mode: armed/' tpucost.yaml
		world_again
		;;
	migrate) sqlite3 t.db <"$ROOT/tests/data/schema1.sql" ;;
	esac
}
# left ACT: what there is when it is done; the same whatever stood in the way, and how often
left() {
	case $1 in
	collect) polled t.db && files t.db ;;
	import) files t.db && polled t.db ;;
	notify | report)
		# each message is there, and what came twice says that it may be a repeat
		# a report that is asked for by hand comes as often as it was asked for
		db "SELECT kind, state, CASE kind WHEN 'daily' THEN '' ELSE COUNT(*) END FROM notification GROUP BY 1, 2"
		db "SELECT COUNT(*) FROM outbox WHERE state <> 'told'"
		db "SELECT message FROM notification ORDER BY 1" >messages
		jq -r .id told.jsonl | sort -u | cmp - messages
		jq -r '.id + " " + (.may_be_repeat | tostring)' told.jsonl | awk 'seen[$1]++ && $2 != "true"'
		;;
	enforce)
		db "SELECT rule, name, state, COUNT(*) FROM action GROUP BY 1, 2, 3"
		asked | cut -d ' ' -f 2
		tpucost audit verify >/dev/null && echo "the record is whole"
		;;
	backup) files copy.db && polled copy.db && files t.db ;;
	migrate) files t.db && db "SELECT SUM(cost), SUM(credits), COUNT(*) > 0 FROM usage; PRAGMA user_version" ;;
	esac 2>&1
}
# again ACT: done again until it is done; gives the last status
again() {
	tries=0
	while :; do
		tries=$((tries + 1))
		# shellcheck disable=SC2046 # words
		tpucost $(words "$1") >stdout 2>stderr
		rc=$?
		case $1 in
		notify | report | enforce)
			# what a dead one had in hand is free after a while; what was not sent is tried again, and
			# what was not read is read again when its time has come
			db "UPDATE notification SET next_at = next_at - 4000, lease = lease - 4000;
				UPDATE channel_state SET next_at = next_at - 4000, off_since = off_since - 4000;
				UPDATE lease SET until = until - 4000;
				UPDATE source_status SET last_attempt = last_attempt - 4000 WHERE state <> 'ok';
				UPDATE action SET next_at = next_at - 4000"
			if [ "$1" = report ]; then
				tpucost run --once -q >stdout 2>stderr
				rc=$?
			fi
			[ "$tries" -lt 3 ] || break
			;;
		*) break ;;
		esac
	done
	echo $rc
}
# undisturbed ACT: into the file want.ACT
undisturbed() {
	prepare "$1"
	rc=$(again "$1")
	is "$1, undisturbed" "$rc" 0
	left "$1" >"want.$1"
}
# whole_again ACT: nothing is half, and the next time it is done, to the same; says what is not so
whole_again() {
	if [ -s t.db ] && ! tpucost db check >checked 2>&1; then
		# what was not migrated yet is whole when SQLite says so
		grep -q 'created by an older tpucost' checked && [ "$(whole t.db)" = ok ] || { echo "db check:" && cat checked; }
	fi
	rc=$(again "$1")
	[ "$rc" = 0 ] || { echo "again: status $rc" && cat stderr; }
	left "$1" >got
	cmp -s "want.$1" got && return
	diff "want.$1" got
	[ "$1" != enforce ] || db "SELECT name, state, held, reason FROM action"
}
# ended RC KILLED: what is no end: a signal, unless it was killed, or an error without a word
ended() {
	[ "$1 $act" != "0 report" ] || grep -q '"kind":"daily"' told.jsonl || echo "said to be sent, and is not"
	case $1 in
	0 | 4) ;;
	# what became of a channel is the answer of who sends to it
	1) grep -q '^tpucost: ' stderr || { [ "$act" = report ] && [ -s stdout ]; } || echo "status 1 and no word" ;;
	137) [ -n "$2" ] || echo "killed" ;;
	*) echo "status $1: $(head -c 300 stderr)" ;;
	esac
}
