# Output that is longer than the screen goes through a pager, and only then.
. "$ROOT/tests/cli/lib.sh"
TERM=xterm LANG=C.UTF-8
export TERM LANG
start_sandbox "$ROOT/tests/sandbox/worlds/lab.yaml"
write_config
sed -i "s/projects: .*/projects: [tpu-develop]/" tpucost.yaml
tpucost collect -q >/dev/null
tty() {
	run python3 "$ROOT/tests/support/run/terminal.py" "$@" </dev/null
}
cat >pager <<'EOF'
#!/bin/sh
echo "$LESS" >"$0.less"
cat >"$0.read"
echo paged
EOF
chmod +x pager
PAGER=$work/pager
export PAGER
tty 80x10 "$B/tpucost" ps -q
has "a long table is paged" "$out" "paged"
is "all of it" "$(grep -c 'tpu-wrong' pager.read)" 1
is "less quits on a short text, keeps colours and the screen" "$(cat pager.less)" FRX
rm -f pager.read
tty 80x60 "$B/tpucost" ps -q
is "a short one is not" "$(ls pager.read 2>/dev/null)" ""
tty 80x10 "$B/tpucost" ps -q --no-pager
is "not with --no-pager" "$(ls pager.read 2>/dev/null)" ""
"$B/tpucost" ps -q >stdout
is "not into a file" "$(ls pager.read 2>/dev/null) $(grep -c tpu-wrong stdout)" " 1"
TPUCOST_PAGER=cat tty 80x10 "$B/tpucost" ps -q
is "TPUCOST_PAGER is before PAGER" "$(ls pager.read 2>/dev/null)" ""
PAGER=no-such-pager tty 80x10 "$B/tpucost" ps -q
status "without the pager" 0
has "it is shown all the same" "$out" "tpu-wrong"
# a directory is not a program, and some programs fail: the shell says 126, they say another status
for bad in "$work" false 'cat >/dev/null; exit 2'; do
	PAGER=$bad tty 80x10 "$B/tpucost" ps -q
	status "a pager that fails, $bad" 0
	has "what it did not show is shown" "$out" "tpu-wrong"
done
PAGER='head -1' tty 80x10 "$B/tpucost" ps -q
status "a reader who has seen enough" 0
