# Every rule of docs/cookbook.md: it is right as it stands there, and its world in
# tests/scenarios/cookbook shows when it fires, when it is silent, and what it says.
. "$ROOT/tests/cli/lib.sh"
page=$ROOT/docs/cookbook.md
awk '/^## [0-9]/ { n = $2 + 0 } /^```/ { inside = /yaml/; next } inside { print > ("recipe" n) }' "$page"
is "ten recipes" "$(ls recipe* | wc -l)" 10
is "ten worlds" "$(ls "$ROOT"/tests/scenarios/cookbook/*.yaml | wc -l)" 10
for n in 1 2 3 4 5 6 7 8 9 10; do
	{ echo "projects: [my-project]" && cat "recipe$n"; } >alone.yaml
	run tpucost --config alone.yaml check
	is "recipe $n passes check" "$rc $err" "0 "
done
# all together, as somebody would have them who pasted everything
{
	printf 'projects: [my-project]\nrules:\n'
	cat recipe* | grep -v '^rules:\|^budgets:\|name: egress'
	grep -h '^budgets:\|name: egress' recipe8
} >cookbook.yaml
for world in "$ROOT"/tests/scenarios/cookbook/*.yaml; do
	name=$(basename "$world" .yaml)
	cp "$world" .
	run tpucost rules test "$name.yaml"
	is "$name is as its world says" "$rc $(grep '^not ok' stdout)" "0 "
	n=$(expr "${name%%-*}" + 0)
	said=$(awk -v n="$n" '/^## / { here = $2 + 0 == n } here && /^> / { print substr($0, 3) }' "$page")
	is "$name: the page quotes what it says" "$(grep -cF "summary: \"$said\"" "$world")" 1
	has "$name: and it does" "$out" "says \"$said\""
done
