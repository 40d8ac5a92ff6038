# Sourced after lib.sh: tools for assistants, asked as a client does.

# rpc LINES: answers in the file got, a line each
rpc() {
	printf '%s\n' "$1" >asked
	"$B/tpucost" mcp <asked >got 2>stderr
	rc=$?
	cp got stdout
}
# ask TOOL ARGUMENTS: one call; the answer is in got
ask() {
	rpc "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"$1\",\"arguments\":$2}}"
}
# answer FILTER: of what the tool answered
answer() {
	jq -c ".result.structuredContent | $1" got
}
