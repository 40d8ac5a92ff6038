# Whoever watches tpucost hears of each good cycle, of no bad one, and a heartbeat that fails spoils
# nothing else.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-notify.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
start_hooks
printf '%s/beat/s3cretCANARY\n' "$hook" >beat_url
chmod 600 beat_url
write_config "heartbeat: {url_file: beat_url}
notify:
  - {name: hook, webhook: {url: \"$hook/hook\"}}"
run tpucost run --once -v
is "a good cycle" "$rc $(came beat) $(came beat '.[0].method')" "0 1 GET"
run tpucost run --once -v
is "each of them" "$rc $(came beat)" "0 2"
run tpucost collect -q
run tpucost report daily
is "and nothing else" "$(came beat)" 2
answer beat '{"status":500,"body":"/beat/s3cretCANARY"}'
run tpucost run --once -v
status "one that fails is no failure of the cycle" 0
has "but is said" "$err" "heartbeat: GET $hook/...: HTTP 500; check the URL of the heartbeat"
is "without its secret" "$(grep -c CANARY stdout stderr)" "stdout:0
stderr:0"
answer beat
echo '- {match: POST /token, status: 400, body: "{\"error\":\"invalid_grant\"}"}' |
	curl -sS -X POST --data-binary @- "$url/_sandbox/faults" >/dev/null
before=$(came beat)
db 'UPDATE source_status SET last_attempt = last_attempt - 100000, last_success = last_success - 100000'
run tpucost run --once -q
is "a cycle that could ask nobody has no heartbeat" "$rc $(($(came beat) - before))" "1 0"
sed -i 's/^credentials: .*/credentials: none.json/' tpucost.yaml
run tpucost run --once -q
is "nor has one without credentials" "$rc $(($(came beat) - before))" "1 0"
chmod 644 beat_url
sed -i 's/^credentials: .*/credentials: service-account.json/' tpucost.yaml
: | curl -sS -X POST --data-binary @- "$url/_sandbox/faults" >/dev/null
run tpucost run --once -q
has "a secret that others can read is refused" "$err" "chmod 600"
is "and nobody is asked" "$(($(came beat) - before))" 0
