# The database that reports and queries are measured on: as many facts of a bill as FACTS says,
# made once. Read after lib.sh.
world=$work/world
make_world() {
	stamp=$world/made-$FACTS-$(date -u +%Y%m%d)
	if [ -f "$stamp" ] && [ -n "$(find "$stamp" -newer "$work/facts")" ]; then
		return
	fi
	rm -rf "$world"
	mkdir -p "$world"
	cat >"$world/tpucost.yaml" <<END
timezone: UTC
projects: [tpu-lab-1]
database: t.db
grants:
  - {name: trc, starts: $(date -u +%F --date="@$(($(date +%s) - 20 * 86400))"), days: 30, tpus: [50 on-demand Cloud TPU v3-8 device(s) in zone us-central1-b]}
credits: [{name: trial, amount: 300 USD}]
budgets: [{name: month, amount: 50000 USD, per: month}]
END
	progress "  making $FACTS facts"
	"$work/facts" "$world/t.db" "$FACTS" "$(date +%s)" || fail "no facts"
	progress ""
	: >"$stamp"
}
