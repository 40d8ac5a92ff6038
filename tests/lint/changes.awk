# Who may change the cloud. Requests that are more than questions are made in gcp/live/act.c and nowhere
# else, and only what joins it to the rules may call it. What asks by POST was looked at one by one.
BEGIN {
	post["gcp/auth/auth.c"] = "tokens"
	post["gcp/auth/impersonate.c"] = "tokens"
	post["gcp/bill/bq_query.c"] = "queries"
	post["gcp/access/iam.c"] = "testIamPermissions"
	post["gcp/storage.c"] = "objects of the lease and the backup"
	post["gcp/bill/bq_load.c"] = "rows of tpucost, only into the dataset of publish:"
	calls["gcp/live/act.c"] = calls["cli/net/hands.c"] = calls["tests/unit/gcp/test_act.c"] = 1
}
FNR == 1 { comment = 0 }
{
	line = $0
	if (comment) { if (sub(/^.*\*\//, "", line)) comment = 0; else next }
	gsub(/\/\*[^*]*\*\//, "", line)
	if (sub(/\/\*.*$/, "", line)) comment = 1
}
# A list of what calls need; it can call nothing.
FILENAME == "gcp/access/iam_table.c" {
	if (line ~ /#[ \t]*include/ && line !~ /"(gcp\/access\/iam|base\/str)\.h"/) {
		printf "%s:%d: the list of permissions needs no %s\n", FILENAME, FNR, $0; bad = 1
	}
	next
}
FILENAME ~ /^(gcp|collector|cli)\// && FILENAME != "gcp/live/act.c" {
	if (line ~ /"(DELETE|PUT|PATCH)"/ || (line ~ /"POST"/ && !(FILENAME in post))) {
		printf "%s:%d: only gcp/live/act.c changes the cloud: %s\n", FILENAME, FNR, $0; bad = 1
	}
	if (FILENAME ~ /^gcp\// && line ~ /[:\/](stop|start|suspend|resume|setLabels|reset)["?]/) {
		printf "%s:%d: only gcp/live/act.c knows such URLs: %s\n", FILENAME, FNR, $0; bad = 1
	}
	if (line ~ /GCP_STORAGE_UPLOAD/ && FILENAME !~ /^gcp\/(storage\.c|api\.c|gcp\.h)$/) {
		printf "%s:%d: only gcp/storage.c writes objects: %s\n", FILENAME, FNR, $0; bad = 1
	}
	if (line ~ /(\.|->)write[ ]*=[ ]*(true|1)/) {
		printf "%s:%d: only gcp/live/act.c writes: %s\n", FILENAME, FNR, $0; bad = 1
	}
}
/#[ \t]*include[ \t]*"gcp\/live\/act.h"/ && !(FILENAME in calls) {
	printf "%s:%d: only cli/net/hands.c may act\n", FILENAME, FNR; bad = 1
}
/#[ \t]*include[ \t]*"gcp\/live\/act.h"/ { seen = 1 }
END {
	if (!seen) { # it was moved: this lint would find nobody
		print "nobody includes gcp/live/act.h"; bad = 1
	}
	exit bad
}
