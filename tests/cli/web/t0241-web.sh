#!/bin/sh
# The page in the browser as a server: who may ask, for what, and how it answers when something is wrong.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-lab.sh"
. "$ROOT/tests/cli/lib-web.sh"
start_lab
start_web
has "it prints its address" "$web" http://127.0.0.1:
get /
status "a page" 200
is "it is HTML" "$(header Content-Type)" "text/html; charset=utf-8"
has "it says what to do" "$out" tpu-wrong
nonce=$(header Content-Security-Policy | sed "s/.*script-src 'nonce-\([^']*\)'.*/\1/")
is "scripts and styles are those of the page" "$(header Content-Security-Policy)" \
	"default-src 'none'; style-src 'nonce-$nonce'; script-src 'nonce-$nonce'; img-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
is "which have its nonce" "$(grep -c "nonce=\"$nonce\"" stdout)" 2
is "nothing is inline" "$(grep -cE '<style|<script nonce="[^"]*">| style=| on[a-z]+=' stdout)" 0
is "nothing comes from elsewhere" "$(grep -oE '(src|href)="(https?:)?//' stdout)" ""
for h in "X-Content-Type-Options: nosniff" "Referrer-Policy: no-referrer" "Cache-Control: private, no-cache" \
	"Cross-Origin-Resource-Policy: same-origin"; do
	is "$h" "$(header "${h%%:*}")" "${h#*: }"
done
is "no other site may read it" "$(header Access-Control-Allow-Origin)" ""

# caches
set_clock "=$(($(date +%s) / 60 * 60 + 10))" # the minute does not end
get /
is "the script knows when it was made" "$(grep -o 'data-time="[^"]*"' stdout)" \
	"data-time=\"$(TZ=Asia/Hong_Kong date '+%Y-%m-%d %H:%M')\""
tag=$(header ETag)
first=$out
get / -H "If-None-Match: $tag"
is "nothing new" "$rc$out $(header ETag)" "304 $tag"
is "without a policy, which the stored page has" "$(header Content-Security-Policy)" ""
get /
is "the same page" "$(header ETag) $(printf '%s' "$out" | cksum)" "$tag $(printf '%s' "$first" | cksum)"
sqlite3 t.db "INSERT INTO meta (key, value) VALUES ('other', '1')"
get / -H "If-None-Match: $tag"
is "new data" "$rc" 200
old=$(header ETag)
echo "# another" >>tpucost.yaml
get / -H "If-None-Match: $old"
is "another configuration" "$rc" 200
sed -i 's/^database: .*/database: other.db/' tpucost.yaml
cp t.db-wal other.db-wal
cp t.db other.db
get / -H "If-None-Match: $(header ETag)"
is "another database" "$rc" 200
sqlite3 other.db "INSERT INTO meta (key, value) VALUES ('another', '1')"
get / -H "If-None-Match: $(header ETag)"
is "new data in it" "$rc" 200
# behind a symbolic link, with a program that keeps it open: all is in its log
mv other.db real.db && ln -s real.db other.db && mkfifo statements
sqlite3 real.db <statements >said &
writer=$!
exec 9>statements
put() {
	echo "INSERT INTO meta (key, value) VALUES ('$1', '1'); SELECT '$1';" >&9
	while ! grep -q "$1" said; do sleep 0.02; done
}
put first
get /
now=$(header ETag)
put second
get / -H "If-None-Match: $now"
is "new data behind a symbolic link" "$rc" 200
exec 9>&-
wait $writer
sed -i 's/^database: .*/database: t.db/' tpucost.yaml
get /
now=$(header ETag)
set_clock "=$(($(date +%s) / 60 * 60 + 70))"
get / -H "If-None-Match: $now"
is "another minute" "$rc" 200
for f in css js; do
	file=$(grep -o "/s/[0-9a-f]*\.$f" stdout | head -1)
	get "$file"
	is "$f" "$rc $(header Cache-Control)" "200 public, max-age=31536000, immutable"
	get /
done
is "the script is short" "$([ "$(curl -s "$web$(grep -o '/s/[0-9a-f]*\.js' stdout)" | wc -c)" -lt 3000 ] && echo yes)" yes

# requests that no browser sends
for target in .json .csv xresources; do
	get / --request-target $target
	is "a path without a slash: $target" "$rc" 404
done
get /nothing -H 'If-None-Match: *'
is "no page is not an unchanged page" "$rc" 404
get / -H 'Host: elsewhere.example'
is "a refusal has its style" "$rc $(grep -c "<link rel=\"stylesheet\" nonce=\"$(header Content-Security-Policy |
	sed "s/.*script-src 'nonce-\([^']*\)'.*/\1/")\"" stdout)" "421 1"

# a condition that would compute for minutes, or take all memory
get "/resources.json?where=length(printf('%25.*c',900000000,'x'))>0"
is "printf, which the engine cannot interrupt" "$rc" 400
get "/resources.json?where=length(\"Format\"('%25.*c',900000000,'x'))>0"
is "format" "$rc" 400
get "/resources.json?where=instr(hex(hex(hex(hex(hex(hex(hex(name))))))),hex(hex(hex(hex(hex(hex(name))))))||'b')=1"
is "a search in long texts" "$rc $out" "200 []"

# methods
curl -s -I "$web/" >headers
is "HEAD: no body, the same length" "$(header Content-Length)" "$(get / && wc -c <stdout | tr -d ' ')"
for m in POST PUT DELETE OPTIONS PATCH; do
	get / -X $m -d x=1
	is "$m" "$rc $(header Allow)" "405 GET, HEAD"
done

# names
for host in evil.example evil.example:80 localhost.evil.example 127.0.0.1.evil.example '' 'localhost:x' 10.0.0.1 '[::2]'; do
	get / -H "Host: $host"
	case $rc in
	421 | 400) pass "refused: Host: $host" ;;
	*) flunk "refused: Host: $host" "$rc" ;;
	esac
	is "and shows no figure" "$(grep -c tpu-wrong stdout)" 0
done
for host in localhost LOCALHOST:1 127.0.0.1 '[::1]:8420'; do
	get / -H "Host: $host"
	is "allowed: $host" "$rc" 200
done
get /resources.json -H "Origin: http://evil.example"
is "a page of another site" "$rc" 421
get /resources.json -H "Origin: null"
is "or of none" "$rc" 421
get / -H "X-A: b
Host: evil.example"
is "a second name" "$rc" 421
get /metrics -H "Host: evil.example"
is "metrics are not for others either" "$rc" 421

# paths
for p in /nope /../etc/passwd /..%2f..%2fetc%2fpasswd //etc/passwd /s/ /s/x.css /resources.xml /resources.json/ /.json \
	/sqlite_master.json /usage.json /%ff /resources%00.json '/%0d%0aX-Y:%20z'; do
	get "$p"
	case $rc in
	404 | 400) pass "no such page: $p" ;;
	*) flunk "no such page: $p" "$rc" ;;
	esac
	is "nothing of it is a header" "$(header X-Y)" ""
done
get "/<script>alert(1)</script>"
is "nothing of it is markup" "$rc $(grep -c '<script>' stdout)" "404 0"
get "/resources?where=%3Cscript%3E"
is "nor of a condition" "$rc $(grep -c '<script>' stdout)" "400 0"
get "/$(head -c 60000 /dev/zero | tr '\0' a)"
is "a long address" "$rc" 414
get / -H "X: $(head -c 60000 /dev/zero | tr '\0' a)"
is "a long header" "$rc" 431

# conditions: the errors of the command line
for where in "nope = 1" "kind =" "1) OR (1" "kind = 'vm' -- x" "(SELECT 1 FROM sqlite_master)" "load_extension('x')" "kind = 'vm'; DROP TABLE resource"; do
	get /resources.json -G --data-urlencode "where=$where"
	body=$out
	run tpucost ps --where "$where"
	is "where $where" "400 $body" "400 $err"
done
get /resources.json?sort-by=nope
run tpucost ps --sort-by nope
is "an order" "$(cat stderr)" "$(curl -s "$web/resources.json?sort-by=nope")"
for args in limit=-1 limit=x since=nope columns=nope since=2026-11-10\&until=2026-11-01 project=nope where=1\&where=1 \
	nope=1 per-resource=1 format=json config=/etc/passwd output=x 'where=%00' "$(seq -f 'a%g=1' 1 20 | paste -sd '&')"; do
	get "/resources.json?$args"
	is "refused: $(printf %.30s "$args")" "$rc $(grep -c '"id"' stdout)" "400 0"
	get "/resources?$args"
	is "on the page, too" "$rc" 400
done
get "/gaps?since=1d"
is "no period there" "$rc" 400
get "/silences.json?project=lab"
is "no project there" "$rc" 400
get /resources.json -G --data-urlencode "where=(WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c) > 1"
is "what takes too long" "$rc" 400
has "ends" "$out" "took too long"
get "/metrics?per-resource=0"
is "a flag has no other value" "$rc" 400
get /healthz
is "and the next one is answered" "$rc $out" "200 ok"

# the database
mv t.db away.db
mv t.db-wal away.db-wal
get /
is "a missing database" "$rc" 503
has "is named" "$out" t.db
get /resources.json
is "as text for programs" "$rc $(header Content-Type)" "503 text/plain; charset=utf-8"
mv away.db t.db
mv away.db-wal t.db-wal
get /
is "it is back" "$rc" 200
cp t.db new.db
sqlite3 new.db "PRAGMA user_version = 9999"
sed -i 's/^database: .*/database: new.db/' tpucost.yaml
get /resources
is "a database of a newer version" "$rc" 503
head -c 20000 /dev/urandom >new.db
get /resources.csv
is "no database" "$rc" 503
sed -i 's/^database: .*/database: t.db/' tpucost.yaml
echo "nope: 1" >>tpucost.yaml
get /
is "a configuration that became invalid" "$rc" 500
has "with its place" "$out" "nope"
sed -i '/^nope/d' tpucost.yaml
sqlite3 t.db "BEGIN EXCLUSIVE; SELECT 1;" "SELECT 1;" ".shell curl -s -o stdout -w '%{http_code}' '$web/sources' >code" >/dev/null
is "while somebody writes" "$(cat code)" 200

# slow and many clients
python3 - "$web" <<'PY' >stdout
import socket, sys, time, urllib.request
host, port = sys.argv[1][7:].split(":")
held = []
for i in range(400):
    s = socket.create_connection((host, int(port)))
    s.setblocking(False)
    s.send(b"GET / HTTP/1.1\r\nHost: loc")
    held.append(s)
    if i % 50 == 49:
        with urllib.request.urlopen(sys.argv[1] + "/healthz", timeout=10) as r:
            print(r.status)
PY
is "hundreds of clients that do not finish" "$(sort stdout | uniq -c | tr -s ' ')" " 8 200"
get /
is "do no harm" "$rc" 200

stop_web
is "it ends when asked" "$rc$(cat web.err)" 0

# addresses
start_web --listen 127.0.0.2:0
get /
is "the address that it prints is allowed" "$rc" 200
get / -H "Origin: $web"
is "also as the origin" "$rc" 200
get / -H "Host: 127.0.0.3"
is "and no other" "$rc" 421
stop_web
run tpucost web --listen 0.0.0.0:0
is "not for other machines" "$rc" 2
has "says what to do" "$err" allowed_hosts
for bad in nope 127.0.0.1 127.0.0.1:99999 '[::1:1' example.org:80 unix:; do
	run tpucost web --listen "$bad"
	is "no address: $bad" "$rc" 2
done
printf 'web: {listen: "unix:web.sock"}\n' | cat tpucost.yaml - >bad.yaml
run tpucost check --config bad.yaml
is "a path that depends on the directory" "$rc" 2
printf 'web:\n  listen: unix:'"$work"'/web.sock\n  allowed_hosts: [lab.example]\n  header_user: X-User\n' >>tpucost.yaml
sed 's|unix:.*web.sock|127.0.0.1:0|' tpucost.yaml >hosts.yaml
start_web -q
is "a socket" "$(cat web.out) $(stat -c %a web.sock)" "unix:$work/web.sock 660"
web=http://lab.example
get / --unix-socket web.sock -H "X-User: Ada <b>"
has "the user is shown" "$out" "User: Ada &lt;b&gt;"
get / --unix-socket web.sock
is "nobody else gets that page" "$(grep -c Ada stdout)" 0
get / --unix-socket web.sock -H "Host: other.example"
is "another name" "$rc" 421
run tpucost web
is "in use" "$rc $err" "1 tpucost: web: listen on $work/web.sock: Address already in use; stop the program that uses it, or choose another one"
run tpucost web --listen 203.0.113.1:0 --config "$work/hosts.yaml"
is "of another machine" "$rc $err" "1 tpucost: web: listen on 203.0.113.1:0: Cannot assign requested address; use an address of this machine: see ip address"
stop_web
is "it is removed" "$(ls web.sock 2>&1 | grep -c No)" 1
python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('web.sock')"
start_web -q
web=http://localhost
get /healthz --unix-socket web.sock
is "one that was left is replaced" "$rc" 200
stop_web
sed -i '/^web:/,$d' tpucost.yaml

# systemd
if command -v systemd-socket-activate >/dev/null 2>&1; then
	python3 - <<'PY' >port
import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])
PY
	web=http://127.0.0.1:$(cat port)
	systemd-socket-activate -E TEST_CLOCK -E LD_PRELOAD -E ASAN_OPTIONS -E TPUCOST_CONFIG -E HOME -l "127.0.0.1:$(cat port)" "$B/tpucost" web >web.out 2>web.err &
	web_pid=$!
	healthy() { get /healthz && [ "$rc" = 200 ]; }
	wait_until healthy
	is "started by systemd" "$rc" 200
	stop_web
else
	pass "skipped: systemd-socket-activate is not installed"
fi
