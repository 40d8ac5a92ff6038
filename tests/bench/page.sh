#!/bin/sh
# docs/performance.md with the figures of the last `make bench`, as $B/bench/performance.md: what
# lies between "<!-- bench: NAME -->" and "<!-- end -->" is the tables of that part, and stays
# as it is where the part has not been run.
. "$(dirname "$0")/lib.sh"
page=$work/performance.md

field() {
	sed -n "s/^$1[[:space:]]*:[[:space:]]*//p" "$2" | head -n 1
}

machine() {
	printf '%s, %s processors (%s), %s GiB of memory, %s; SQLite %s, %s.\n' \
		"$(date -u +%Y-%m-%d)" "$(nproc)" "$(field 'model name' /proc/cpuinfo)" \
		"$(awk '/^MemTotal/ { printf "%.0f", $2 / 1048576 }' /proc/meminfo)" \
		"$(. /etc/os-release && echo "$PRETTY_NAME")" \
		"$(sqlite3 --version | cut -d ' ' -f 1)" "$("$B/tpucost" version | head -n 1)"
}

machine >"$tables/machine.md"
awk -v tables="$tables" '
	/^<!-- bench: .* -->$/ {
		print
		name = tables "/" $3 ".md"
		found = (getline text < name) > 0
		if (found) {
			print ""
			do print text; while ((getline text < name) > 0)
			print ""
		}
		close(name)
		inside = found
		next
	}
	/^<!-- end -->$/ { inside = 0 }
	!inside' "$ROOT/docs/performance.md" >"$page.new"
mv "$page.new" "$page"
printf '\nAll tables: %s\n' "$page"
