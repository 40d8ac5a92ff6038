# Every rule of packaging/examples/rules.yaml: it is right as it is there, and its world in
# tests/scenarios/cookbook shows when it fires, when it is silent, and what it says.
. "$ROOT/tests/cli/lib.sh"
page=$ROOT/packaging/examples/rules.yaml
# recipeN: the rule that follows the comment "# N.", with the key of its section
awk '/^[a-z]+:$/ { section = $0; next }
	/^  # [0-9]+\./ { n = $2 + 0; print section > ("recipe" n) }
	n { print > ("recipe" n) }' "$page"
is "ten recipes" "$(ls recipe* | wc -l)" 10
is "ten worlds" "$(ls "$ROOT"/tests/scenarios/cookbook/*.yaml | wc -l)" 10
for n in 1 2 3 4 5 6 7 8 9 10; do
	{ echo "projects: [my-project]" && cat "recipe$n"; } >alone.yaml
	run tpucost --config alone.yaml check
	is "recipe $n passes check" "$rc $err" "0 "
done
# all together, as somebody would have them who pasted everything
{
	echo "projects: [my-project]"
	cat "$page"
} >cookbook.yaml
for world in "$ROOT"/tests/scenarios/cookbook/*.yaml; do
	name=$(basename "$world" .yaml)
	cp "$world" .
	run tpucost rules test "$name.yaml"
	is "$name is as its world says" "$rc $(grep '^not ok' stdout)" "0 "
	n=$(expr "${name%%-*}" + 0)
	said=$(sed -n '3s/^  # *"\(.*\)"$/\1/p' "recipe$n")
	is "$name: the file quotes what it says" "$(grep -cF "summary: \"$said\"" "$world")" 1
	has "$name: and it does" "$out" "summary '$said'"
done
