#!/bin/sh
# make test-model: every run of tests/model/enforce.pml and lease.pml, and that each of their broken variants is
# found out. QUICK=1 leaves out the large ones. LIVES=3 MOVES=2 ... look further, for hours; DELETED=1 looks at 20
# million states of a lease that is deleted.
set -eu
model=$PWD/tests/model/enforce.pml
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
all=-O2
[ -z "${QUICK:-}" ] || all=-O0 # compiling takes longer than the one small search

# search NAME OPTION...: explores the variant; its report is in NAME.out
search() {
	name=$1
	shift
	mkdir -p "$dir/$name"
	(
		cd "$dir/$name"
		spin -a ${LIVES:+-DLIVES=$LIVES} ${MOVES:+-DMOVES=$MOVES} "$@" "$model" >spin.out 2>&1 || {
			cat spin.out
			exit 1
		}
		${CC:-cc} ${how:-$all} -w -DSAFETY -DCOLLAPSE -DNOFAIR -DMEMLIM="${MEMLIM:-3000}" -o pan pan.c
		./pan -E -m1000000 >../"$name.out" 2>&1
	)
}
# holds NAME OPTION...: nothing goes wrong, and everything was looked at
holds() {
	search "$@"
	states=$(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' "$dir/$1.out")
	if grep -q 'errors: 0$' "$dir/$1.out" && ! grep -qi "search not completed\|truncated\|bound" \
		"$dir/$1.out"; then
		echo "ok $1: $states states, 0 errors"
	else
		echo "not ok $1"
		cat "$dir/$1.out"
		failed=1
	fi
}
# finds NAME ASSERTION OPTION...: that assertion does not hold. The shortest runs are looked at first.
finds() {
	name=$1 what=$2
	shift 2
	how="-O0 -DBFS" search "$name" "$@"
	if grep -F 'assertion violated' "$dir/$name.out" | grep -Fq -- "$what"; then
		echo "ok $name: found that $what does not hold"
	else
		echo "not ok $name: $what was expected to be violated"
		cat "$dir/$name.out"
		failed=1
	fi
}

[ -n "${QUICK:-}" ] || holds vm
[ -n "${QUICK:-}" ] || holds tpu -DTPU
[ -n "${QUICK:-}" ] || holds vm-window -DWINDOW
[ -n "${QUICK:-}" ] || holds tpu-window -DWINDOW -DTPU
[ -n "${QUICK:-}" ] || holds restored -DRESTORE
[ -n "${QUICK:-}" ] || holds tpu-restored -DRESTORE -DTPU
[ -n "${QUICK:-}" ] || holds second -DSECOND
[ -n "${QUICK:-}" ] || holds second-tpu -DSECOND -DTPU
holds copied -DRESTORE -DCOPY -DTPU
finds no-fence 'fence==me' -DNO_FENCE
finds no-recheck 'start==wire_start' -DNO_RECHECK
finds new-id 'wire_id[1]!=id' -DNEW_ID
finds unwarned 'told[' -DUNWARNED
finds silent 'stray[' -DWINDOW -DSILENT
finds forgets 'stray[' -DWINDOW -DTPU -DFORGETS
finds no-state 'wire_deletes[' -DSECOND -DTPU -DNO_STATE
finds unwarned-deletion 'told_deletion[' -DSECOND -DUNWARNED
finds no-generation 'stands[' -DRESTORE -DTPU -DNO_GENERATION
finds sent-first 'stands[' -DRESTORE -DTPU -DSENT_FIRST
finds not-void 'stands[' -DRESTORE -DTPU -DNOT_VOID
finds no-host 'stands[' -DRESTORE -DCOPY -DTPU -DNO_HOST

model=$PWD/tests/model/lease.pml
[ -n "${QUICK:-}" ] || holds lease
[ -z "${DELETED:-}" ] || holds lease-deleted -DDELETED -DDECISIONS=1
finds no-reason 'forbidden' -DNO_REASON -DDELETED -DDECISIONS=1 -DMOVES=0
finds lease-no-fence 'owner==' -DNO_FENCE
finds lease-no-wait 'owner==' -DNO_WAIT
finds ready-at-once 'forbidden' -DREADY_AT_ONCE
finds misses-decision 'forbidden' -DMISSES_DECISION
finds keeps-actions 'stands[' -DKEEPS_ACTIONS -DTAKES=3
finds late-copy 'stands[' -DLATE_COPY
[ -n "${QUICK:-}" ] || finds not-listed 'stands[' -DNOT_LISTED
[ "$failed" -eq 0 ]
