#!/bin/sh
# A slip of the pen is answered with what was meant: commands, options, columns, names.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-lab.sh"
start_lab

no() { # PART ARGS...
	part=$1
	shift
	run tpucost "$@"
	is "$*: status" "$rc" 2
	has "$*: meant" "$err" "$part"
}
no "unknown command 'grnt'; did you mean 'grant'?" grnt
no "unknown command 'statsu'; did you mean 'status'?" statsu
no "unknown command 'xyzzyx'; see: tpucost help" xyzzyx
no "unknown command 'halt'; did you mean 'enforce halt'?" halt
no "grant: unknown action 'plna'; did you mean 'grant plan'?" grant plna
no "did you mean 'grant list'?" grant lst
no 'use: tpucost rules explain' rules exlain vm-forgotten
no "did you mean 'notify test'?" notify tset lab
no "did you mean 'notify list'?" notify lst
no "did you mean 'silence list'?" silence lst
no "did you mean 'silence remove'?" silence remov 3
no "did you mean 'hold list'?" hold lst
no "did you mean 'enforce halt'?" enforce halp
no "did you mean 'enforce resume'?" enforce resum
no "did you mean 'audit verify'?" audit verfy
no "did you mean 'db forget'?" db forgt x
no "did you mean 'db list'?" db lsit
no 'did you mean --limit?' ps --limt 3
no 'did you mean --sort-by?' ps --sort-bye=name
no "did you mean 'json'?" ps --format jsno
no "did you mean 'json'?" report --format jsno
no "did you mean 'name'?" ps --columns nme
no "did you mean 'name'?" ps --sort-by nme
no "did you mean 'vcpus'?" ps --where "vcpu > 3"
no "did you mean 'category'?" burn --by catgory
no "did you mean 'sku'?" cost --by skuu
no 'use: --by grant' coverage --since 7d --by grnt
no "did you mean 'instances'?" collect instnces
no "did you mean 'vm'?" collect vmm
no "did you mean 'vm-forgotten'?" rules explain vm-forgoten
no "did you mean 'vm-forgotten'?" rules replay vm-forgoten
no "did you mean 'vm-forgotten'?" silence vm-forgoten --for 1h
no "did you mean 'lab'?" notify test labb
no "did you mean 'lab'?" notify retry labb
no "did you mean 'lab'?" report daily --send --to labb
no "report: --to names no channel; channels are configured under notify:" report daily --send --to ""
no "did you mean 'trc'?" grant plan tcr
no "did you mean 'trc'?" report grant tcr
no "did you mean 'trc'?" why grant:tcr
no "did you mean 'grant:trc'?" why grnat:trc
no "did you mean 'month'?" why budget:mnoth
no "did you mean 'imagenet'?" why imagnet
no "did you mean 'daily'?" report dialy
no "SQL: there is no view 'resource'; did you mean 'resources'?" sql "SELECT * FROM resource"
no "did you mean 'resources'?" sql "SELECT * FROM grants JOIN resorces USING (zone)"
no "no such column: nme; did you mean 'name'?" sql "SELECT nme FROM resources"
no "no such column: r.nme; did you mean 'name'?" sql "SELECT r.nme FROM resources r"
no "unknown command 'grnt'; did you mean 'grant'?" help grnt
no "did you mean 'config'?" help confg
no "help config: there is no key 'budgts'; did you mean 'budgets'?" help config budgts
no "did you mean 'notify[].email.to'?" help config notify.email.too

# Nothing near is nothing said, and hidden commands are nobody's meaning.
no 'see: tpucost help' complet-me-not
run tpucost sql "SELECT * FROM pg_class"
case $err in
*'did you mean'*) flunk "no view is near" "$err" ;;
*) pass "no view is near" ;;
esac

# What exists, for who protects it; a disk cannot be held, so its name is not offered.
run tpucost hold add tpu-vn --until 3d
is "hold: status" "$rc" 1
has "hold: the machine" "$err" "there is no machine or TPU 'tpu-vn'; did you mean 'tpu-vm'?"
run tpucost hold add tpu-develop/vm/us-central1-b/tpu-vn --until 3d
has "hold: the whole id" "$err" "did you mean 'tpu-develop/vm/us-central1-b/tpu-vm'?"
run tpucost hold remove tpu-vn
has "hold remove" "$err" "did you mean 'tpu-vm'?"
run tpucost hold add imagnet --until 3d
has "hold: not a disk" "$err" "machine or TPU 'imagnet'; see: tpucost ps --all"
is "nothing was held" "$(tpucost sql "SELECT count(*) AS n FROM holds" -f json | jq '.[0].n')" 0

run tpucost ps --project tpu-devlop
status "another project" 2
has "which is watched" "$err" "there is no project 'tpu-devlop'; did you mean 'tpu-develop'?"
run tpucost ps -q --project tpu-develop
is "the right one is right" "$rc:$err" 0:
