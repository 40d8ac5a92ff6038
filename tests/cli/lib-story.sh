# A story: what a new user types, from an empty folder, and every line that it prints.
# Its transcript, with the number of commands and the seconds that they took, is kept in $B/stories.
story=${0##*/}
story=$work/${story%.sh}.txt
commands=0 began=$(date +%s)
: >"$story"
# types COMMAND...: as at a terminal of 80 columns; $out has both streams
types() {
	commands=$((commands + 1))
	printf '\n$ %s\n' "$*" >>"$story"
	COLUMNS=80 "$@" >stdout 2>&1
	rc=$?
	out=$(cat stdout) err=''
	cat stdout >>"$story"
	: >stderr
	[ "$rc" -eq 0 ] || echo "(exit status $rc)" >>"$story"
}
# the_end NAME MOST: no more commands than that, no line of a message wider than it may be, and the transcript is kept
the_end() {
	is "$1: in at most $2 commands" "$([ "$commands" -le "$2" ] && echo yes || echo "$commands")" yes
	hasnot "$1: nothing broke" "$(cat "$story")" "internal error"
	printf '\n%d commands, %d s\n' "$commands" "$(($(date +%s) - began))" >>"$story"
	mkdir -p "$B/stories"
	cp "$story" "$B/stories/"
}
hasnot() { # NAME TEXT PART
	case $2 in
	*"$3"*) flunk "$1" "it has: $3" ;;
	*) pass "$1" ;;
	esac
}
