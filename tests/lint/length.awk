# Functions beyond 100 lines and files beyond 700 are tables written as code, or two jobs in
# one place. Relies on the formatter: a function ends at a brace in the first column.
FNR == 1 { start = 0 }
/^[A-Za-z_].*[^;]$/ && !/^(struct|enum|union|static const|const|typedef|extern)[^(]*$/ { head = FNR; name = $0 }
/^{/ { start = FNR }
/^}/ {
	if (start && FNR - start > 100) {
		printf "%s:%d: function of %d lines: %s\n", FILENAME, start, FNR - start, name
		bad = 1
	}
	start = 0
}
FNR == 701 && FILENAME !~ /^tests\// { printf "%s: more than 700 lines\n", FILENAME; bad = 1 }
END { exit bad }
