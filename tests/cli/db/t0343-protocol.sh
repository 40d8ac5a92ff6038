# A process that does not finish opening the database, such as a suspended one: others wait, and then name the reason
# and what to do.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-rows.sh"
url=http://127.0.0.1:9
config_one
rows 2026-01 10 >bill.json
tpucost import -q bill.json
# The index of the log is not valid, and who wants to write it again waits for the lock of its writer (byte 120).
python3 - <<'END' &
import fcntl, os, sqlite3, time
c = sqlite3.connect("t.db")
c.execute("SELECT COUNT(*) FROM meta").fetchall()
shm = os.open("t.db-shm", os.O_RDWR)
fcntl.lockf(shm, fcntl.LOCK_EX, 1, 120)
os.pwrite(shm, b"\xff" * 96, 0)
open("locked", "w").close()
while not os.path.exists("over"):
    time.sleep(0.02)
os._exit(0)
END
holder=$!
wait_until test -e locked
run tpucost ps
touch over
wait $holder
is "it fails as beside a writer" "$rc" 1
is "and says what to do" "$err" "tpucost: database $work/t.db: open: locking protocol; another tpucost is writing; try again"
run tpucost ps
is "afterwards all is well" "$rc" 0
