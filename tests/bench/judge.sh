#!/bin/sh
# make bench, judge: how long 500 rules over 10,000 resources take.
. "$(dirname "$0")/lib.sh"
things=10000
rules=500

begin judge "Judging $rules rules over $things resources, $PAIRS cycles"
"$work/judge" $things $rules "$PAIRS" | awk "$medians"'
	{ derived = derived " " $1; judged = judged " " $2; fire = $3 }
	END {
		print "step\tms\tfor"
		printf "derive\t%d\t%d resources\n", median(derived), '$things'
		printf "judge\t%d\t%d rules, %d alerts fire\n", median(judged), '$rules', fire
	}' | table judge
