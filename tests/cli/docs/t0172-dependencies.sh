# Whatever the sources install has its line in docs/dependencies.md, with the reason.
. "$ROOT/tests/cli/lib.sh"

# lines: names on standard input without a line of a table in the page
missing() {
	while read -r name; do
		sed -n 's/^| \([^|]*\) |.*/, \1,/p' "$ROOT/docs/dependencies.md" | sed 's/npm:/npm,/' |
			grep -qF -e ", $name," || echo "$name"
	done
}
is "what is missing is found" "$(printf 'gcc\nhtml-validate\nleft-pad\n' | missing)" left-pad
grep -rl --include='*.json' '"dependencies": {' "$ROOT/tests" | while read -r list; do
	jq -r '.dependencies | keys[]' "$list"
done | sort -u >npm
is "libraries of npm are found" "$(grep -cx html-validate npm)" 1
is "and have a line" "$(missing <npm)" ""
sed -n '/\(packages\|build\)="/,/"\( ;;\)*$/p' "$ROOT/tests/support/packages.sh" |
	sed 's/.*\(packages\|build\)="//; s/".*//; s/\$build//' |
	tr -s ' ' '\n' | sed '/^$/d' | sort -u >apt
is "packages of Debian are found" "$(grep -cx -e gcc -e lintian -e clang -e openssl apt)" 4
is "and have a line too" "$(missing <apt)" ""
