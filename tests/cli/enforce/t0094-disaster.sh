# The tutorials' disaster: two machines are stopped in time, traffic is told of in time, and docs/faq.md has the figures that the
# program gives (make disaster, here with a poll every five minutes).
# acts
. "$ROOT/tests/cli/lib.sh"
cd "$ROOT" || exit 1
STEP=5 sh tests/disaster/run.sh >"$work/stdout" 2>"$work/stderr"
rc=$?
cd "$work" || exit 1
status "it is played to its end" 0
is "both are stopped at the end of their grace" "$(grep -c '^| tpucost: .* | 18:40 | 0:40 |' stdout)" 1
sed '/^$/d' stdout >lines
is "two headlines, a table of four and one of three" "$(wc -l <lines)" 13
is "traffic is told of within ten minutes" "$(grep -c "^| tpucost: .egress-fast.* | 18:05 | 0:05 |" stdout)" 1
while IFS= read -r line; do
	is "docs/faq.md says: $(echo "$line" | cut -c1-40)" "$(grep -cFx -- "$line" "$ROOT/docs/faq.md")" 1
done <lines
