# Machines of owners, and a program `sendmail` that keeps each mail as sent/RECIPIENT.NUMBER; it refuses a recipient for
# whom a file refuse-RECIPIENT exists. MACHINES has more lines of the world.
cat >world.yaml <<W
name: owners
projects: [{id: lab-one, number: 101}]
zones: [us-central1-a, us-central1-b]
instances:
  - {project: lab-one, zone: us-central1-b, name: ada-1, type: n1-standard-8, created: -10h, labels: {owner: ada}}
  - {project: lab-one, zone: us-central1-b, name: ada-2, type: n1-standard-4, created: -10h, labels: {owner: ada}}
  - {project: lab-one, zone: us-central1-b, name: bob-1, type: n1-standard-2, created: -10h, labels: {owner: bob}}
${MACHINES:-}
W
start_sandbox world.yaml
cat >sendmail <<'END'
#!/bin/sh
for to; do :; done
cd "$(dirname "$0")" && [ ! -e "refuse-$to" ] || exit 75
mkdir -p sent && cat >"sent/$to.$(ls sent | grep -c "^$to")"
END
chmod 755 sendmail
sent() { (cd sent 2>/dev/null && ls); }
