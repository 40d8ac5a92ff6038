"""What each command of `tpucost help --format json` is run with in the lab (tests/cli/lib-lab.sh, and the
files of start_files there), and the statuses that are right. Not here: no words, and 0."""
import datetime

SOON = (datetime.date.today() + datetime.timedelta(days=9)).isoformat()
MONTH = datetime.date.today().strftime("%Y-%m")
ARGS = {
    "init": (["--endpoint", "URL", "--credentials", "service-account.json", "--output", "-"], {0}),
    "collect": (["instances"], {0, 4}),
    "run": (["--once"], {0, 4}),
    "import": (["billing.json"], {0}),
    "doctor": ([], {0, 1, 3}),
    "grant": (["list"], {0}),
    "grant import": (["mail.eml"], {0}),
    "why": (["tpu-wrong"], {0}),
    "rules": (["list"], {0}),
    "rules test": (["world.yaml"], {0}),
    "rules replay": (["vm-forgotten"], {0}),
    "silence": (["list"], {0}),
    "hold": (["list"], {0}),
    "enforce approve": (["1"], {0, 1}),  # there may be none
    "report": (["daily"], {0}),
    "notify": (["list"], {0}),
    "notify test": (["lab"], {0}),
    "notify retry": (["lab"], {0, 1}),  # nothing was given up
    "db": (["list"], {0}),
    "sql": (["SELECT kind, name FROM resources ORDER BY id"], {0}),
    "estimate": (["--tpu", "v3-8", "--zone", "europe-west4-a"], {0, 3}),
    "backup": (["copy.db"], {0}),
    "completion": (["bash"], {0}),
    "web": (["--listen", "nowhere"], {2}),  # it would run until it is stopped
    "top": ([], {1, 2}),  # no terminal
    "audit verify": ([], {0}),
}
