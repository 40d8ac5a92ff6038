# The create commands of public guides, pasted as they are: each is answered with the things that
# it makes, or refused with what is wrong. What they become: tests/data/tutorials/README.md.
. "$ROOT/tests/cli/lib.sh"
unset CLOUDSDK_CONFIG CLOUDSDK_CORE_PROJECT CLOUDSDK_COMPUTE_ZONE CLOUDSDK_ACTIVE_CONFIG_NAME
HOME=$work
USER=kim
export HOME USER

mkdir entries
awk '
/^@@ / { n++; base = sprintf("entries/%03d", n); part = "text"; next }
!n { next }
/^=> / {
	count = 1
	for (i = 7; i <= NF; i++)
		if ($i ~ /^x[0-9]+$/)
			count = substr($i, 2)
	if ($5 == "-")
		print > (base ".nowhere")
	print $2, $6, count > (base ".want")
	part = ""
	next
}
/^!> / { print substr($0, 4) > (base ".error"); part = ""; next }
part == "text" { print > (base ".text") }
' "$ROOT"/tests/data/tutorials/*.txt

seen=0 wrong=
for text in entries/*.text; do
	base=${text%.text}
	seen=$((seen + 1))
	zone=
	if [ -e "$base.nowhere" ]; then
		tpucost estimate - <"$text" >"$base.out" 2>"$base.err"
		[ $? = 2 ] && grep -qF "no zone is given; price and coverage depend on it" "$base.err" ||
			wrong="$wrong $text:zone"
		zone=--zone=us-central1-f
	fi
	tpucost estimate --quiet --format json $zone - <"$text" >"$base.out" 2>"$base.err"
	rc=$?
	if [ -e "$base.error" ]; then
		[ "$rc" = 2 ] && grep -qF -e "$(cat "$base.error")" "$base.err" ||
			wrong="$wrong $text:$rc"
		continue
	fi
	jq -r '.[] | "\(.kind) \(.type) \(.count)"' "$base.out" >"$base.got" 2>&1
	{ [ "$rc" = 0 ] || [ "$rc" = 3 ]; } && cmp -s "$base.want" "$base.got" ||
		wrong="$wrong $text:$rc"
done
is "every command gives its things, or its error" "$wrong" ""
is "and there are many" "$([ "$seen" -ge 100 ] && echo yes)" yes

# ---- a guard: words of a shell, the same as text
run tpucost estimate --format json -- sudo gcloud compute tpus tpu-vm create t \
	--zone=us-central1-f --accelerator-type=v2-8 --version=tpu-vm-base
status "words: no grant is no" 3
is "words: what and where" "$(jq -r '.[] | "\(.name) \(.type) \(.zone)"' stdout)" \
	"t v2-8 us-central1-f"
run tpucost estimate "gcloud compute tpus tpu-vm create t --zone=us-central1"
status "one argument is text" 2
has "the mistake and what to do" "$err" "is not a zone; use a zone such as us-central1-b"
run tpucost estimate -- gcloud compute tpus tpu-vm create t --zone=us-central1-f --acelerator-type=v2-8
status "a slip of the hand" 2
has "what was meant" "$err" "unknown flag --acelerator-type; did you mean --accelerator-type?"

# ---- what gcloud was told to use
mkdir -p .config/gcloud/configurations
printf 'default' >.config/gcloud/active_config
printf '[core]\nproject = from-gcloud\n[compute]\nzone = us-central1-f\n' \
	>.config/gcloud/configurations/config_default
run tpucost estimate --format json -- gcloud compute tpus tpu-vm create t --accelerator-type=v2-8
is "zone and project of gcloud" "$(jq -r '.[] | "\(.project) \(.zone)"' stdout)" \
	"from-gcloud us-central1-f"
has "and it is said" "$err" "no --zone: us-central1-f of gcloud's configuration"
