. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config

chmod 644 service-account.json
run tpucost collect
status "a key that others can read is refused" 1
has "with the command that mends it" "$err" "chmod 600"
is "and nothing was asked" "$(cat requests 2>/dev/null)" ""
chmod 600 service-account.json

sed -i 's/"client_email":"tpucost@/"client_email":"other@/' service-account.json
run tpucost collect
status "a key that Google does not know: nothing can be read" 1
has "is one clear reason" "$err" "invalid_grant"
is "said once" "$(grep -c invalid_grant stderr)" 1
is "asked once, not over and over" "$(jq -r 'select(.path == "/token") | .path' requests | wc -l)" 1

openssl genrsa 2048 2>/dev/null >other.pem
jq --rawfile k other.pem '.private_key = $k | .client_email = "tpucost@lab-one.iam.gserviceaccount.com"' service-account.json >k2.json
chmod 600 k2.json
sed -i 's/credentials: .*/credentials: k2.json/' tpucost.yaml
run tpucost collect vm
status "a signature that does not fit is refused" 1
has "and said" "$err" "Invalid JWT Signature"

echo '{"type":"authorized_user","client_id":"a","client_secret":"b","refresh_token":"sandbox-refresh"}' >user.json
chmod 600 user.json
sed -i 's/credentials: .*/credentials: user.json/' tpucost.yaml
run tpucost collect vm
status "gcloud's own login works" 0

sed -i '/^credentials:/d' tpucost.yaml
run env GCE_METADATA_HOST=127.0.0.1:$port "$B/tpucost" collect vm
status "and so does the metadata server" 0
run env GOOGLE_APPLICATION_CREDENTIALS="$work/user.json" "$B/tpucost" collect vm
status "and the environment's file" 0
run env GOOGLE_APPLICATION_CREDENTIALS="$work/none.json" "$B/tpucost" collect vm
status "a file that is named and missing is an error, not the next try" 1
has "and is named" "$err" "none.json"
mkdir -p .config/gcloud && cp user.json .config/gcloud/application_default_credentials.json
run tpucost collect vm
status "the well-known file is found" 0

# a link is whose who made it, and may lead elsewhere tomorrow
ln -s user.json link.json
run env GOOGLE_APPLICATION_CREDENTIALS="$work/link.json" "$B/tpucost" collect vm
status "a link to a secret" 1
has "is refused, with the file to name" "$err" "link.json: it is a symbolic link; use the file that it points to: $work/user.json"
