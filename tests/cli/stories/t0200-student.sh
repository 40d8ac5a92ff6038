# A student has a grant mail, a TPU and a forgotten machine, and types what README says.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-story.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
# the simulated Google of this test
GCE_METADATA_HOST=127.0.0.1:1 GOOGLE_APPLICATION_CREDENTIALS=$work/service-account.json TPUCOST_ENDPOINT=$url
export GCE_METADATA_HOST GOOGLE_APPLICATION_CREDENTIALS TPUCOST_ENDPOINT
mail() { # SUBJECT, and before the text
	printf 'From: TPU Research Cloud <trc-support@google.com>\nTo: ann@example.org\nSubject: %s\n' "$1"
	printf 'Date: Mon, 16 Nov 2026 10:00:00 +0800\nContent-Type: text/plain\n\n%s' "$2"
	cat <<'EOF'
Hi Ann,

Your Google Cloud project lab-one now has access to the following quota free of charge for 30 days:

20 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a

This free 30-day trial is only available for new Cloud TPUs you create in the zones listed above.
EOF
}
mail "Fwd: You have access to free Cloud TPUs" "---------- Forwarded message ---------
From: TPU Research Cloud <trc-support@google.com>
Date: Mon, 2 Nov 2026 at 10:15
Subject: You have access to free Cloud TPUs

" >forwarded.eml
mail "You have access to free Cloud TPUs" "" >mail.eml

# the mail came by way of a colleague: its date is not that of the grant
types tpucost init --project lab-one --grant-mail forwarded.eml --overwrite
has "a forwarded mail asks" "$out" "give --starts DATE"
types tpucost init --project lab-one --grant-mail mail.eml --overwrite
status "the mail itself is enough" 0
has "start and end are printed" "$out" "start 2026-11-16T02:00:00Z from the mail's Date, end 2026-12-16"
types tpucost doctor
types tpucost collect
has "collect names what is not covered" "$out" "ALERT critical tpu-not-covered: wrong"
types tpucost
has "the first screen says what to stop" "$out" "! wrong, about 8.00 USD/h"
has "with the command" "$out" "gcloud compute tpus tpu-vm stop wrong --zone us-central1-a --project lab-one"
types tpucost ps
has "and what it costs" "$out" "wrong-zone"
types tpucost why wrong
has "why" "$(echo $out)" "v3-8 is granted in europe-west4-a; this one is in us-central1-a"
types tpucost estimate --tpu v3-8 --zone europe-west4-z
is "a zone that does not exist is not priced" "$([ "$rc" -ne 0 ] && echo refused)" refused
has "and the right ones are named" "$out" "there is no zone europe-west4-z"
types tpucost report daily
has "the report says the one thing first" "$(sed -n 3p stdout)" "Stop "
the_end student 9
