# Sourced after lib.sh and start_sandbox: what estimate says beside a grant.

running="    starts: $(day -20)
    until: $(day +10)"

# config_with TPUS [LINES [DATES [PROJECTS]]]: the grant trc of these TPUs, more sections; its dates, `running`
# where none are given
config_with() {
	cat >tpucost.yaml <<C
timezone: UTC
projects: ${4:-[lab-one]}
credentials: service-account.json
database: t.db
endpoints: {all: "$url"}
grants:
  - name: trc
${3:-$running}
    tpus: $1
${2:-}
C
	TPUCOST_CONFIG=$work/tpucost.yaml
	export TPUCOST_CONFIG
}

# flat: what was said, in one line: lines are broken anywhere
flat() {
	tr -s '\n ' '  ' <stdout
}
