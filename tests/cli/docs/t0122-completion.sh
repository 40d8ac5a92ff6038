#!/bin/sh
# Completion: what is offered, and by which shell.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-lab.sh"

# without a configuration there are words of the tables, and no complaint
c() { # WORD...: candidates, in one line
	run tpucost complete -- "$@"
	out=$(cut -f1 stdout | tr '\n' ' ')
	out=${out% }
}
offers() { # NAME WANT WORD...
	n=$1 w=$2
	shift 2
	c "$@"
	is "$n" "$rc $err$out" "0 $w"
}
offers "commands" "check collect coverage commitments capacity cost credit completion" c
offers "nothing of the hidden ones" "" manu
offers "a value without a configuration" "" ps --project ""
offers "an id without one" "" hold add ""
offers "columns all the same" "gross_per_hour gross_24h" ps --columns gro
offers "nothing is broken by nothing" "" nonsense ""
run tpucost complete
is "no word at all" "$rc$out$err" 0
echo 'projects: [' >bad.yaml
offers "a broken configuration" "" --config bad.yaml ps --project ""

start_lab
tpucost hold add tpu-vm --until 3d -q
tpucost silence ip-unused --for 7d -q
offers "words below a command" "list plan import" grant ""
offers "and begun ones" "halt" enforce h
offers "options" "--sort-by --since" coverage --s
offers "of that command only" "" version --s
offers "an option's value in the same word" "--format=json" ps --format=j
offers "formats" "table json csv markdown" ps -f ""
offers "formats of reports" "html" report daily --format h
offers "a list goes on" "name,grant_name name,gross_per_hour name,gross_24h" ps -c name,gr
offers "groups" "category" burn --by cat
offers "the only group" "grant" coverage --since 7d --by ""
offers "projects" "tpu-develop" ps --project ""
offers "channels" "lab" report --send --to ""
offers "a channel" "lab" notify test ""
offers "grants" "trc" grant plan ""
offers "what a report is about" "trc" report grant ""
offers "reports" "daily" report d
is "and what each is" "$(cut -f2 stdout)" "actions to take now, run rate, grants, yesterday's cost"
offers "rules" "vm-forgotten" rules explain vm-f
offers "rules to replay" "vm-forgotten" rules replay vm-f
offers "rules to mute, and words" "list" silence li
offers "a rule to mute" "ip-unused" silence ip-
offers "its subjects" "tpu-develop/ip/us-central1/old-ip" silence ip-unused --subject tpu-develop/ip
offers "its number" "1" silence remove ""
offers "what can be held" "tpu-1 tpu-wrong tpu-driver tpu-vm" hold add tpu-
offers "by its id" "tpu-develop/tpu/europe-west4-a/tpu-1" hold add tpu-develop/tpu/e
offers "what is held" "tpu-develop/vm/us-central1-b/tpu-vm" hold remove ""
offers "what why knows" "grant:" why gra
offers "a grant of it" "grant:trc" why grant:
offers "a budget of it" "budget:month" why budget:m
offers "a disk of it" "imagenet" why im
offers "sources and groups" "instances ip index" collect i
offers "more than one" "instances ip index" collect vm i
offers "files" ":files" import ""
offers "files, for an option" ":files" --config ""
offers "commands, of help" "ps" help ps
offers "topics, too" "config conditions" help con
offers "keys" "budgets" help config bu
offers "behind -- no options" "" ps -- --f
is "sources are those that are polled" "$(tpucost sources --format json | jq -r '.[].source' |
	while read -r s; do tpucost complete -- collect "$s" | cut -f1 | grep -qx "$s" || echo "$s"; done)" ""

# a name that a shell would run is not offered
sqlite3 t.db "UPDATE resource SET name = 'a\$(touch x)', id = 'p/vm/z/a\$(touch x)' WHERE name = 'old-vm' AND kind = 'vm'"
offers "no name that is more than text" "" hold add a

# ---- bash, as it is started without anything
cat >ask.bash <<'END'
eval "$(tpucost completion bash)"
compopt() { :; } # only while readline asks
ask() { # WORD...: as readline splits the line
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	_tpucost
	printf '%s|' "${COMPREPLY[@]}"
	echo
}
ask tpucost gra
ask tpucost ps --format = js
ask tpucost ps --format=js
ask tpucost why grant : t
ask tpucost why grant :
ask tpucost ps --columns name,gross_p
ask tpucost import ask.
ask tpucost hold add a
ask tpucost ps --pro
COMP_WORDBREAKS=" "
ask tpucost ps --format=js
ask tpucost why grant:t
END
PATH=$B:$PATH bash --norc --noprofile ask.bash >stdout 2>stderr
is "bash says nothing else" "$(cat stderr)" ""
n=0
line() {
	n=$((n + 1))
	is "bash: $1" "$(sed -n "${n}p" stdout)" "$2"
}
line "a command" "grant|"
line "a value behind =" "json|"
line "the same in one word" "json|"
line "a name behind a colon" "trc|"
line "right behind it" "trc|"
line "a list" "name,gross_per_hour|"
line "a file" "ask.bash|"
line "nothing to run" "|"
line "an option" "--project|"
line "words that = does not end" "--format=json|"
line "nor a colon" "grant:trc|"
[ -e x ] && flunk "nothing was run" || pass "nothing was run"

# ---- the others, where they are
tpucost completion zsh >_tpucost
tpucost completion fish >tpucost.fish
if command -v zsh >/dev/null; then
	is "zsh: syntax" "$(zsh -n _tpucost 2>&1)" ""
	cat >ask.zsh <<'END'
compadd() { print -r -- "${plain[*]}"; }
compdef() { :; }
_files() { print -r -- files; }
source ./_tpucost
words=(tpucost grant "") CURRENT=3
_tpucost
words=(tpucost ps --format=j) CURRENT=3
_tpucost
words=(tpucost import "") CURRENT=3
_tpucost
END
	is "zsh: what it offers" "$(PATH=$B:$PATH zsh -f ask.zsh 2>&1)" "list plan import
--format=json
files"
fi
if command -v fish >/dev/null; then
	is "fish: syntax" "$(fish -n tpucost.fish 2>&1)" ""
	PATH=$B:$PATH fish --no-config -c 'source tpucost.fish; complete -C "tpucost grant "; complete -C "tpucost ps --format j"; complete -C "tpucost why grant:"' >stdout 2>stderr
	is "fish: what it offers" "$(cut -f1 stdout | tr '\n' ' ')" "import list plan json grant:trc "
fi
run tpucost completion bahs
status "no such shell" 2
has "which was meant" "$err" "did you mean 'bash'?"
