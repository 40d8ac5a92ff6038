#!/bin/sh
# The sources are as .clang-format writes them (version 14, Debian 12's).
set -u
bad=
for f in $(find base db gcp collector rules reports cli tests -name '*.[ch]' | sort); do
	clang-format "$f" | cmp -s - "$f" || bad="$bad $f"
done
[ -z "$bad" ] && echo "  ok    format" && exit 0
echo "  FAIL  format:$bad (run: make format)"
exit 1
