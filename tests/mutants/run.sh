#!/bin/sh
# make mutants: breaks the program in each way of tests/mutants/*.list, in a copy of the tree,
# and runs the tests that have to notice. MUTANT=id for one, JOBS for fewer at once.
# Status 0 only when every one of them was noticed.
set -u
export LC_ALL=C
B=${B:-build/release} MODE=${MODE:-release} CC=${CC:-cc}
root=$(pwd)
lists=${LISTS:-tests/mutants/*.list}
jobs=${JOBS:-$(nproc 2>/dev/null || echo 1)}
unset MAKEFLAGS MFLAGS MAKEOVERRIDES # what is built is built in the copy
case $B in /*) B=${B#"$root"/} ;; esac
case $B in
/* | ../*)
	echo "mutants: $B is not below the tree: want a B such as build/release" >&2
	exit 2
	;;
esac

mutants() {
	awk -f "$root/tests/mutants/mutants.awk" "$@" $lists
}
header= # of SQL: made before the first mutant, and kept, since none changes a C type
built() { # TARGET...: in the copy
	make -s $header B="$B" MODE="$MODE" CC="$CC" "$@"
}
is_script() {
	case $1 in t[0-9]*) return 0 ;; esac
	return 1
}
program_of() { # TEST: the program that has this file of unit tests
	set -- tests/unit/*/"$1".c
	set -- "${1%/*}"
	echo "$B/unit/${1##*/}"
}
# note_link TEST: how it is linked, for link_with
note_link() {
	make -n -W "$B/libcore.a" B="$B" MODE="$MODE" CC="$CC" "$(program_of "$1")" 2>/dev/null |
		grep -e " -o $(program_of "$1") .* $B/libnet.a" >"$links/$1"
}
# compile FILE: it alone, as mutant.o; 1: it takes more than that, or a test has it in its own object
compile() {
	[ -s "$B/.flags" ] && ! grep -qsF "#include \"$1\"" tests/unit/*/*.c || return 1
	case $1 in
	*.c) source=$1 ;;
	*.sql) built build/gen/db_sql.c && source=build/gen/db_sql.c || return 1 ;;
	*) return 1 ;;
	esac
	eval "$(cat "$B/.flags") -w -c $source -o mutant.o"
}
# What is in an object of its own is not taken out of the library.
link_with() { # TEST
	eval "$(sed "s| $B/libsupport.a| mutant.o&|" "$links/$1")"
}
# prepare TEST: what it runs; execute TEST LOG: 0 when it passes
prepare() {
	if is_script "$1"; then
		built "$B/tpucost" "$B/tpucost-net" "$B/sandbox"
	else
		built "$(program_of "$1")"
	fi
}
execute() {
	if is_script "$1"; then
		ROOT=$PWD B=$PWD/$B timeout 120 sh tests/cli/*/"$1.sh" >"$2" 2>&1 </dev/null &&
			grep -q '^ok ' "$2" && ! grep -q '^not ok ' "$2"
	else
		CMOCKA_TEST_ABORT=1 LD_PRELOAD=$nosync timeout 120 "$(program_of "$1")" "$1" >"$2" 2>&1 </dev/null
	fi
}
# The first case that failed, of the log of a test: unit tests end there
failure() {
	awk '/^\[ RUN      \] / { last = $4 }
		/^\[  FAILED  \] [A-Za-z_0-9]*$/ || /^not ok / {
			sub(/^not ok |^\[  FAILED  \] /, ""); last = $0; exit
		}
		END { print last }' "$1"
}

copy() { # DIR: what is built on, with its times
	mkdir -p "$1/build" || return 1
	for part in Makefile base db gcp collector rules reports cli docs packaging tests \
		build/gen build/.deps; do
		[ ! -e "$part" ] || cp -a "$part" "$1/$part" || return 1
	done
	mkdir -p "$1/$B" && find "$B" -type f \( ! -path '*/tests/unit/*' -o -name '*.[od]' \) -print0 |
		xargs -0 -r cp -a --parents -t "$1"
}

# ---- a worker ------------------------------------------------------------------------------------

# one ID TESTS: what became of the mutant, in a line
one() {
	id=$1
	file=$(mutants -v want=file -v id="$id")
	if ! mutants -v want=apply -v id="$id" >mutated 2>why; then
		echo "does not apply: $(head -n 1 why)"
		return
	fi
	cp "$file" "$file.kept"
	cat mutated >"$file"
	verdict="SURVIVED $2" alone=no all=no
	! compile "$file" >build.log 2>&1 || alone=yes
	for test in $2; do
		if [ $alone = yes ] && [ -s "$links/$test" ]; then
			link_with "$test" >build.log 2>&1
		else
			all=yes
			prepare "$test" >build.log 2>&1
		fi
		if [ $? -ne 0 ]; then
			verdict="does not build: $(grep -m 1 'rror:\|rror [0-9]\|undefined' build.log)"
			break
		fi
		if ! execute "$test" test.log; then
			verdict="killed by $test $(failure test.log)"
			break
		fi
	done
	mv "$file.kept" "$file"
	touch "$file"
	[ $all = no ] || built "$B/libcore.a" "$B/libnet.a" >build.log 2>&1
	echo "$verdict"
}
work() { # DIR: takes mutants until there are none
	cd "$1" || exit 1
	while IFS='	' read -r id file tests; do
		mkdir "$out/$id" 2>/dev/null || continue
		one "$id" "$tests" >"$out/$id/said"
		printf '  %-34s %s\n' "$id" "$(cat "$out/$id/said")"
	done <"$out.names"
}

# ---- all of them ---------------------------------------------------------------------------------

dir=$(mktemp -d) || exit 1
out=$dir/out links=$dir/links
workers=
finish() {
	for pid in $workers; do kill "$pid" 2>/dev/null; done
	wait
	rm -rf "$dir"
}
trap finish EXIT
trap 'exit 1' INT TERM
mkdir "$out" "$links" || exit 1
nosync=$dir/nosync.so
$CC -shared -fPIC -o "$nosync" "$root/tests/mutants/nosync.c" 2>/dev/null || nosync=
ulimit -c 0
tab=$(printf '\t')
mutants -v want=names | grep -E "^(${MUTANT:-[^$tab]*})$tab" >"$out.names" || {
	echo "mutants: there is none with the name ${MUTANT:-}" >&2
	exit 2
}
total=$(wc -l <"$out.names" | tr -d ' ')
[ "$jobs" -le "$total" ] || jobs=$total
tests=$(cut -f 3 "$out.names" | tr ' ' '\n' | sort -u)

echo "mutants: $total, in $jobs copies of the tree"
copy "$dir/1" || exit 1
cd "$dir/1" || exit 1
for test in $tests; do
	if ! prepare "$test" >build.log 2>&1 || ! execute "$test" test.log; then
		echo "mutants: $test does not pass as it is" >&2
		tail -n 20 build.log test.log >&2
		exit 1
	fi
	is_script "$test" || note_link "$test"
done
header="-o build/gen/db_sql.h"
echo "mutants: the $(printf '%s\n' "$tests" | wc -l | tr -d ' ') tests pass as it is"
cd "$root" || exit 1
for i in $(seq 2 "$jobs"); do
	cp -a "$dir/1" "$dir/$i" || exit 1
done
for i in $(seq 1 "$jobs"); do
	work "$dir/$i" &
	workers="$workers $!"
done
wait $workers
workers=
cat "$out"/*/said | awk -v total="$total" '
	/^killed/ { killed++ }
	/^SURVIVED/ { survived++ }
	/^does not apply/ { stale++ }
	/^does not build/ { broken++ }
	END {
		printf "mutants: %d of %d killed, %d survived, %d do not apply, %d do not build\n", killed, total, survived, stale, broken
		exit killed != total
	}'
