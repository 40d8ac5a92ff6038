# Fills "@part@" lines of a manual page with what the program prints of its tables.
# Run with -v tool=PROGRAM.
/^@[a-z]+@$/ {
	part = $0
	gsub(/@/, "", part)
	cmd = "'" tool "' manual " part
	lines = 0
	while ((cmd | getline line) > 0) {
		print line
		lines++
	}
	if (close(cmd) || !lines) {
		print FILENAME ":" FNR ": " cmd " failed" > "/dev/stderr"
		failed = 1
		exit 1
	}
	next
}
{ print }
END { exit failed }
