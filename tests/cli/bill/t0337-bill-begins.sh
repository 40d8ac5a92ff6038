# The beginning of the bill: of what it has no hours, no figure is complete. Days of usage are those of UTC, and west
# of it the bill begins within a day.
. "$ROOT/tests/cli/lib.sh"

# `from` and `until` are days of usage: the help names their zone, which is not `timezone`.
run tpucost help config billing
is "both in UTC" "$(grep -cE '(first|last) usage day to read, in UTC' stdout)" 4
