#!/bin/sh
# make bench, judge: how long 500 rules over 10,000 resources take, beside a script of Python that
# runs the same conditions over the same view.
. "$(dirname "$0")/lib.sh"
things=10000
rules=500
dir=$work/judging
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM

own_run() {
	rm -rf "$dir"
	mkdir -p "$dir"
	echo "tpucost $("$work/judge" $things $rules 2 "$dir" | tail -n 1)" >>"$runs"
}
python_run() {
	[ -f "$dir/t.db" ] || return 0
	numbers=$(python3 -B "$ROOT/tests/bench/judge.py" "$dir" <"$dir/views") ||
		fail "Python judged nothing"
	echo "python $numbers" >>"$runs"
}
no_peer() {
	:
}

begin judge "Judging $rules rules over $things resources"
peer=python_run
command -v python3 >/dev/null 2>&1 || {
	echo "  without Python: python3 is not installed"
	peer=no_peer
}
: >"$runs"
i=0
while [ $i -lt "$PAIRS" ]; do
	i=$((i + 1))
	progress "  evaluating $i of $PAIRS"
	own_run
	$peer
done
progress ""
[ "$(cut -d' ' -f4 "$runs" | sort -u | wc -l)" -eq 1 ] || fail "they do not match the same"
awk "$medians"'
	{ first[$1] = first[$1] " " $2; rules[$1] = rules[$1] " " $3; found[$1] = $4 }
	END {
		print "program\tprepare, ms\trules, ms\tmatches\trules, tpucost / it"
		printf "tpucost: derive, evaluate, keep alerts\t%d\t%d\t%d\t\n",
			median(first["tpucost"]), median(rules["tpucost"]), found["tpucost"]
		if (first["python"] != "")
			printf "Python sqlite3: a SELECT for each\t%d\t%d\t%d\t%.2f\n",
				median(first["python"]), median(rules["python"]), found["python"],
				ratios(rules["tpucost"], rules["python"])
	}' "$runs" | table judge
say judge
say judge "$rules rules over $things resources; medians of $PAIRS."
