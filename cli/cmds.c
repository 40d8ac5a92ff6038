/* Table of commands. It is compiled three times: into tpucost, which passes the commands that need the
 * network over to tpucost-net, and the page to tpucost-web; with TPUCOST_NET into tpucost-net; and with
 * TPUCOST_WEB into tpucost-web. */
#include "cli/cmd.h"
#ifdef TPUCOST_NET
#include "base/net/gzout.h"
#endif

#include <stdio.h>
#include <string.h>

#ifdef TPUCOST_NET
#define NET(fn) fn
#else
#define NET(fn) NULL
#endif

#ifdef TPUCOST_WEB
#define WEB(fn) fn
#else
#define WEB(fn) NULL
#endif

report_fn *const report_sender = NET(send_report);
gz_fn *const gz_writer = NET(gzout_write);
detail_fn *const detail_asker = NET(detail_ask);
lease_fn *const lease_asker = NET(leader_ask);
cmd_fn *const enforce_applier = NET(cmd_enforce_apply);

#define LISTING "format raw where sort-by limit columns"
#define WATCHED LISTING " watch"
#define PROJECTS WATCHED " project"
#define PERIODS PROJECTS " since until"

/* Texts consist of paragraphs, wrapped when they are printed: "\n" ends a paragraph, and one that
 * begins with blanks is indented. */
/* clang-format off */
const struct cmd cmds[] = {
	{"init", "",
	 "Write a first configuration",
	 "Finds the credentials, project, billing account and its currency, the table of "
	 "the billing export and the time zone. Reads the mail of a grant, if one is given. Writes "
	 "~/.config/tpucost/config.yaml with comments; settings that were not found are written as "
	 "examples. Prints what was chosen and the alternatives. An existing file is not changed "
	 "unless --overwrite is given. Only reads from Google Cloud. --project accepts "
	 "several projects, separated by commas; --billing-account finds those of an account "
	 "with each poll.\n"
	 "Exit status 3: the mail of the grant is ambiguous or incomplete; nothing was "
	 "written.",
	 "tpucost init --grant-mail mail.eml",
	 NEED_NET, 0,
	 "project billing-account credentials grant-mail starts days name output overwrite endpoint",
	 NET(cmd_init), GROUP_FIRST},
	{"check", "",
	 "Check the configuration without network access",
	 "Exit status 2 if the configuration is invalid; with --strict, 3 if there are warnings.",
	 "tpucost check --config tpucost.yaml",
	 0, 0, "strict format", cmd_check, GROUP_FIRST},
	{"doctor", "[CHECK...]",
	 "Find problems in the setup and show how to fix them",
	 "Checks the configuration, the database and the disk, the credentials and their "
	 "permissions in each project, the clock, the last polls, the billing tables, the "
	 "channels and enforcement: which account acts, and whether it has the permissions "
	 "that it needs and no others. Prints one line per check (ok, warn, fail or skip) "
	 "and, where possible, the command that fixes the problem. With more than three projects, "
	 "long commands are printed only for the named checks: doctor reading. Changes nothing.\n"
	 "Exit status 1 if a check fails, 4 if a check could not be completed.",
	 "tpucost doctor",
	 NEED_NET, 16, "format raw project", NET(cmd_doctor), GROUP_FIRST},
	{"collect", "[GROUP|SOURCE...]",
	 "Poll Google Cloud once, store the results and evaluate the rules",
	 "Polls all sources, or the named sources or groups: instances (vm disk ip tpu "
	 "queued snapshot bucket slice reservation), quotas, prices, metrics and billing. "
	 "Results are stored even if other sources fail. Then evaluates the rules. It stops nothing and sends no "
	 "message: run does.\n"
	 "Exit status 4: a source failed or a zone was unreachable.",
	 "tpucost collect instances",
	 NEED_CONFIG | NEED_NET, 32, "format", NET(cmd_collect), GROUP_FIRST, .takes = "source"},
	{"run", "[--once]",
	 "Poll, evaluate rules, act and send messages continuously",
	 "Runs until it is stopped (SIGTERM, control-C). Does whatever is due, at least once a "
	 "minute. The log is written to standard error; a lasting problem is logged when it "
	 "begins and when it ends. SIGHUP reloads the configuration; an invalid configuration "
	 "is rejected and the old one stays in use. For systemd, cron and a terminal, see "
	 "docs/operate.md.\n"
	 "--once: run one cycle and exit, for cron. Polls only the sources whose "
	 "interval (poll: in the configuration) has passed, and prints what needs "
	 "attention; with --quiet, only alerts and failures that began, changed or ended.",
	 "tpucost run --once",
	 NEED_CONFIG | NEED_NET | MAY_ACT, 0, "once format", NET(cmd_run), GROUP_FIRST},
	{"import", "FILE...",
	 "Import files of the billing export",
	 "Reads BigQuery extracts and FOCUS files, as JSON or CSV, nested or flattened "
	 "(service.description, service_description); each may be compressed with gzip. "
	 "BilledCost of FOCUS is after credits, in some copies of Google's view before: a file "
	 "that does not show it needs --billed-cost. Rows of other providers are skipped, with "
	 "exit status 4. A file is stored completely or "
	 "not at all; importing the same file again changes nothing. Days of a billing "
	 "account that are already stored are refused unless --allow-overlap is given. "
	 "Import all parts of one extract with one command.",
	 "tpucost import billing-*.json.gz",
	 NEED_CONFIG | NEED_NET, 1000, "format allow-overlap billed-cost", NET(cmd_import), GROUP_FIRST,
	 .lacks = "no file is given; see: tpucost help import",
	 .takes = "file"},
	{"status", "",
	 "Summarize grants, cost and problems on one screen",
	 "Shows the actions to take now with their commands, grants, the run rate, "
	 "budgets, promotional credits, messages that could not be delivered, and "
	 "incomplete polls. This is also the output of tpucost without a command. With "
	 "--project: actions, burn and grants of these projects.\n"
	 "Exit status 4 if a message became undeliverable in the last week.",
	 "tpucost status",
	 NEED_CONFIG | OWN_FORMATS, 0, "format all watch project", cmd_status, GROUP_EXISTS},
	{"top", "",
	 "Show what is running, updated every 5 seconds",
	 "Shows the run rate, budgets and grants, and below them the running resources, the most "
	 "expensive first, as many as fit on the terminal. Press q to quit, the space bar to "
	 "refresh now. The data is that of the last poll: keep `tpucost run` or a cron job "
	 "running. Needs a terminal; without one, use: tpucost ps --watch 5.",
	 "tpucost top --where \"kind = 'tpu'\"",
	 NEED_CONFIG, 0, "where sort-by limit project watch all", cmd_top, GROUP_EXISTS},
	{"ps", "",
	 "List resources with their cost and coverage",
	 "Lists TPUs, machines, disks and addresses of all zones and projects. Stopped machines "
	 "are omitted unless --all is given; their disks are listed. --all also lists the hosts "
	 "of a TPU slice below it; cost and chips are those of the slice. With --since or "
	 "--until: lists the resources that existed in that period, with their cost.",
	 "tpucost ps --where \"kind = 'vm' AND vcpus >= 32\"",
	 NEED_CONFIG | NEED_DB, 0, PERIODS " all", cmd_ps, GROUP_EXISTS, .view = "resources"},
	{"coverage", "",
	 "Show which TPUs are covered by grants, and why others are not",
	 "One row per running TPU with its current coverage. With --since, one row per TPU "
	 "and interval: chip-hours and their cost at list price. --by grant sums them: "
	 "the amount that each grant saved, and the cost that was not covered, with the reason.",
	 "tpucost coverage --since 7d",
	 NEED_CONFIG | OPENS_DB, 0, PERIODS " by", cmd_coverage, GROUP_EXISTS,
	 .view = "coverage"},
	{"grant", "list",
	 "List the grants and their use",
	 "One row per line of a grant. --since and --until select grants that are valid in that "
	 "period, --project those that apply to the project.",
	 "tpucost grant list",
	 NEED_CONFIG | NEED_DB, 1, PERIODS, cmd_grant, GROUP_EXISTS, .view = "grants"},
	{"grant plan", "[NAME]",
	 "Show what is charged when grants end, and what to do before",
	 "For each grant that is valid, or ended in the last two days: its end, the TPUs that "
	 "are not covered from then on (renewals and other grants are taken into account), "
	 "their total cost per hour, and the commands that copy their files and delete "
	 "them. Includes waiting queued resources. Changes nothing.",
	 "tpucost grant plan --format markdown",
	 NEED_CONFIG | NEED_DB, 1, "format raw watch", cmd_grant_plan, GROUP_EXISTS,
	 .takes = "grant"},
	{"grant import", "FILE|-",
	 "Convert the mail of a grant to `grants:` of the configuration",
	 "FILE is the saved mail (.eml), or its text, markdown or HTML; - is standard input. "
	 "Prints YAML to review and add to the configuration. With --format json: prints "
	 "one row per line of the grant. The grant starts on the date of the mail unless "
	 "--starts is given, which a mail that was forwarded or quoted usually needs.\n"
	 "Exit status 3: a line is ambiguous or information is missing; each problem is "
	 "reported and nothing is written. 1: the mail is damaged.",
	 "tpucost grant import mail.eml",
	 NEED_NET, 1, "format starts days name extends", NET(cmd_grant_import), GROUP_EXISTS,
	 .lacks = "no file is given; give the saved mail, or - for standard input",
	 .takes = "file"},
	{"commitments", "",
	 "List reserved capacity, and how much of it is used",
	 "Lists reservations, future reservations and those of calendar mode. They are charged "
	 "whether machines use them or not, so no rule or budget can stop that cost. Forecasts "
	 "include the unused part, because the machines that use the other part are counted "
	 "themselves. --since and --until select those seen in that period.",
	 "tpucost commitments --where \"unused > 0\"",
	 NEED_CONFIG | NEED_DB, 0, PERIODS, cmd_commitments, GROUP_EXISTS,
	 .view = "commitments"},
	{"capacity", "",
	 "Show where TPUs were granted, after what wait, and how long spot nodes lived",
	 "Shows per zone, TPU family and class what polls observed: requests, how many were granted, the time "
	 "from request to running (median and 90 %), how long spot nodes ran until Google preempted them, "
	 "the last success, and the last error that means a lack of capacity. It is the experience of this "
	 "database, not a forecast. Of fewer than 5 observations no average is shown. --since and --until "
	 "select rows whose last success was in that period; the figures are of all that was observed.",
	 "tpucost capacity --where \"family = 'v6e'\"",
	 NEED_CONFIG | NEED_DB, 0, PERIODS, cmd_capacity, GROUP_EXISTS, .view = "capacity"},
	{"quota", "",
	 "Show quotas and their use",
	 "Shows project and regional quotas of Compute Engine, and the TPU quotas of the Cloud TPU "
	 "API and of Compute Engine: family, pool, use, and the chips held by resources that are of "
	 "no use. --held lists these, how long they have held them, and the command that deletes each, "
	 "with its data. A note names the quota that is too small for a grant. A quota is not a grant: resources within it may still cost money. Only the newest "
	 "value of each quota is stored; --since and --until select those read in that period.",
	 "tpucost quota --where \"percent > 80\"",
	 NEED_CONFIG | NEED_DB, 0, PERIODS " held", cmd_quota, GROUP_EXISTS, .view = "quotas"},
	{"sources", "",
	 "Show what is polled, its age and errors",
	 "All figures are based on these polls. Shows the age of each, and how to fix errors. --since "
	 "and --until select sources whose last complete poll was in that period. Over 200 sources are "
	 "counted by source and state, and the first 20 with a problem are listed; --all, other formats and "
	 "selections list each.",
	 "tpucost sources",
	 NEED_CONFIG | NEED_DB, 0, PERIODS " all", cmd_sources, GROUP_EXISTS, .view = "sources"},
	{"hidden", "",
	 "Show what is paid in addition to the TPUs",
	 "A grant pays for the TPU only. Lists the resources that are used with each TPU, covered or "
	 "not: disks and addresses attached according to Google (certain 1), and machines and "
	 "buckets with a similar name or label (certain 0). Resources that cost nothing are "
	 "omitted. With --since or --until: their cost in that period.",
	 "tpucost hidden --format json",
	 NEED_CONFIG | NEED_DB, 0, PERIODS, cmd_hidden, GROUP_EXISTS, .view = "hidden_costs"},
	{"egress", "",
	 "Show network traffic and its estimated cost",
	 "Reads the network counters of running machines, TPUs and buckets. They are minutes old, "
	 "while the bill is a day late. They show the volume but not the destination: the low "
	 "estimate assumes traffic to buckets of the project in other regions, the high one "
	 "traffic to the internet. Neither is a billed amount. What a bucket sends is compared with "
	 "what machines receive at the same time: those in its location receive it free of charge, "
	 "those elsewhere are named. With --since or --until: shows the "
	 "billed cost of traffic by resource and SKU.",
	 "tpucost egress --where \"gib_last_hour > 10\"",
	 NEED_CONFIG | OPENS_DB, 0, PERIODS, cmd_egress, GROUP_EXISTS, .view = "egress"},
	{"estimate", "[-- COMMAND... | TEXT | -]",
	 "Estimate the cost and coverage of resources before you create them",
	 "Takes options, or a gcloud or ctpu command as shown in a tutorial: its words "
	 "after --, the whole command in quotes, or on standard input (-). Creates nothing and "
	 "sends no requests.\n"
	 "Shows the cost of each resource, and whether a grant covers the TPU in addition to what "
	 "is running now. If not, shows the reason and an alternative that would be free. Also "
	 "checks quotas, budgets and rules, and resources in the wrong location. The new TPU is the "
	 "youngest, so it gets only the remaining capacity of a grant.\n"
	 "Exit status 3: the answer is no. This means one of:\n"
	 "  a TPU is not covered\n"
	 "  a rule of your configuration forbids one of the resources\n"
	 "  there is no TPU, and it would exceed a budget or break such a rule\n"
	 "  there is no TPU, and a machine or disk type is unknown: probably misspelled\n"
	 "  the answer is unknown, because the project is not watched\n"
	 "Exit status 4: a rule of your configuration could not be evaluated.\n"
	 "To create TPUs only if they are free, and others only within budgets and rules:\n"
	 "  tpucost estimate -- COMMAND && COMMAND\n"
	 "See docs/estimate.md.",
	 "tpucost estimate --tpu v3-8 --zone europe-west4-a --vm n1-standard-2 --disk pd-ssd:100",
	 TAKES_WORDS, 4096, LISTING " tpu vm disk ip zone spot flex-start reserved count project",
	 cmd_estimate, GROUP_MONEY, .view = "estimate"},
	{"burn", "",
	 "Show the run rate: cost per hour and day, and recent cost",
	 "Gross is the list price; net excludes what a grant covers. A row without "
	 "currency counts resources with unknown price. --by groups by other columns: "
	 "resource, project, category, owner, kind, label:KEY. The sums of the last 24 h and 7 "
	 "days include resources that no longer exist. With --since or --until: the cost of that "
	 "period at today's list prices, as far as it was watched.",
	 "tpucost burn --by owner,category",
	 NEED_CONFIG | OPENS_DB, 0, PERIODS " by", cmd_burn, GROUP_MONEY, .view = "burn"},
	{"cost", "",
	 "Show the billed cost",
	 "Sums the billing export by day, or by the columns given with --by: columns of the "
	 "view costs, and label:KEY. A resource is shown with its project. owner and labels are those on the bill. cost is the "
	 "amount before credits, net the amount after credits. Days are days of the configured "
	 "time zone; --month selects Google's invoice month instead. list_cost and savings are "
	 "in data formats and with --columns.\n"
	 "--format focus writes the lines of the bill by hour as CSV of FOCUS (--focus 1.2, 1.3 or "
	 "1.4), compressed if --output ends with .gz.\n"
	 "With billing: {detail: bigquery}, sums by resource, owner or label, conditions on them or on "
	 "amounts, and FOCUS are asked of BigQuery, which says first how much it reads; "
	 "billing.question_gib limits it. The answer is kept until the bill changes. --offline "
	 "uses only kept answers.",
	 "tpucost cost --by project,category --since 30d",
	 NEED_CONFIG | OPENS_DB | OWN_FORMATS, 0, PERIODS " by month focus output offline", cmd_cost, GROUP_MONEY, .view = "costs"},
	{"budget", "[NAME]",
	 "Show budgets: spent, expected and forecast",
	 "Expected is the billed cost plus the run rate since then. The forecast assumes the "
	 "current run rate until the end of the period, and the full price of TPUs from the end of "
	 "their grant on; a second forecast assumes that the "
	 "resources that tpucost advises to stop are stopped. All figures except spent are "
	 "estimates. With --since or --until: the billed cost of each period that began or ended "
	 "in that time. NAME selects one budget, --project those that count the project.",
	 "tpucost budget",
	 NEED_CONFIG | OPENS_DB, 1, PERIODS, cmd_budget, GROUP_MONEY, .view = "budgets",
	 .takes = "budget"},
	{"credit", "",
	 "Show promotional credits: used, remaining and expiry",
	 "Used is the sum of promotional credits on the bill since the credit started. --since "
	 "and --until select credits that are valid in that period; --project shows the use by "
	 "project.",
	 "tpucost credit",
	 NEED_CONFIG | NEED_DB, 0, PERIODS, cmd_credit, GROUP_MONEY, .view = "credits"},
	{"reconcile", "",
	 "Compare observed TPUs with billed TPUs",
	 "Finds TPUs that a grant covers but that were charged, and free hours that no grant "
	 "explains, in the last 35 days or since --since. One row per day, project, generation "
	 "and location; --all includes days without differences.\n"
	 "--what egress: traffic and operations of buckets as they were estimated at the time, compared with the bill "
	 "of that day. One row per day, bucket and kind. With billing: {detail: bigquery}, BigQuery is asked about the "
	 "buckets; --offline uses only kept answers.",
	 "tpucost reconcile --since 2026-11-01",
	 NEED_CONFIG | NEED_DB, 0, PROJECTS " all what since until offline", cmd_reconcile, GROUP_MONEY,
	 .view = "reconciliation"},
	{"why", "ID | KIND [PROJECT/]NAME | alert RULE SUBJECT",
	 "Explain how a figure is calculated",
	 "Shows the rows, price, formula, source and age of a figure. ID is an id of ps, NAME, "
	 "KIND/NAME, PROJECT/NAME, KIND/PROJECT/NAME, or a part that identifies one resource. Of several resources "
	 "with the name, a TPU is explained, else a machine, and the others are listed. Of a host, its slice is "
	 "explained. Or ID is\n"
	 "  grant:NAME budget:NAME credit:NAME source:NAME "
	 "quota:PROJECT/LOCATION/METRIC\n"
	 "  alert:RULE/SUBJECT (or alert RULE SUBJECT, or RULE SUBJECT), rule:NAME "
	 "gone:ID host:ID action:NUMBER\n"
	 "  burn: the total run rate\n"
	 "  cost:2026-11-20, a day; cost:2026-11, an invoice month\n"
	 "With billing: {detail: bigquery}, BigQuery is asked about the resource; --offline uses only kept answers.\n"
	 "Exit status 2 if there is no such name, or if several match; the first five are "
	 "then listed.",
	 "tpucost why tpu-1",
	 NEED_CONFIG | NEED_DB, 3, "format raw watch offline", cmd_why, GROUP_MONEY,
	 .lacks = "no id or name is given; try: tpucost why burn; ids: tpucost ps --columns id",
	 .takes = "thing"},
	{"rules", "[list | explain NAME]",
	 "List rules and what matches them now",
	 "Lists built-in rules and the rules of the configuration. 'explain' shows the "
	 "condition of a rule, the rows that match now, and those for which only one part of "
	 "the condition does not hold. --project selects rules on resources of projects, and "
	 "their matches in that project.",
	 "tpucost rules explain vm-forgotten",
	 NEED_CONFIG, 2, LISTING " project all", cmd_rules, GROUP_RULES, .view = "rule_list"},
	{"rules test", "FILE...",
	 "Test rules with resources described in YAML",
	 "Each file describes resources that change step by step, and the alerts that must and "
	 "must not fire: docs/rules.md. Needs no network, account or database.\n"
	 "Exit status 3 if a result is not as expected; 2 if a file is not "
	 "valid.",
	 "tpucost rules test tests/*.yaml",
	 0, 1000, "format raw", cmd_rules_test, GROUP_RULES,
	 .lacks = "no file is given; for the format, see docs/rules.md",
	 .takes = "file"},
	{"rules replay", "NAME",
	 "Show when a rule would have fired in the recorded history",
	 "Evaluates the rule over the recorded history of 30 days, or since --since. Shows when "
	 "it would have fired, and what stopping the resources would have saved with the list "
	 "prices, grants and budgets of today. Rules on data without a recorded history are "
	 "refused. Changes nothing.",
	 "tpucost rules replay vm-forgotten --since 30d",
	 NEED_CONFIG, 1, "format raw since until", cmd_rules_replay, GROUP_RULES,
	 .lacks = "no rule is given; see: tpucost rules list",
	 .takes = "rule"},
	{"alerts", "",
	 "List active alerts",
	 "Lists the conditions of rules that hold: pending until they have held long enough, "
	 "then firing. Resolved alerts are listed for a day, with --all for a week. The column "
	 "data shows whether the rule can be evaluated now: with stale or unknown data, an "
	 "alert keeps its last state.",
	 "tpucost alerts --where \"severity = 'critical'\"",
	 NEED_CONFIG | NEED_DB, 0, PERIODS " all", cmd_alerts, GROUP_RULES, .view = "alerts"},
	{"silence", "[add] RULE | list | remove NUMBER",
	 "Suppress the messages of a rule for some time",
	 "Silences a rule, or one subject of it with --subject, for the time of --for. The "
	 "subject is the whole name of a resource, as for hold, also of a deleted one, or another "
	 "row of the view of the rule, such as a budget. The rule is still evaluated, "
	 "`alerts` shows it, and `status` and reports count what is left out.",
	 "tpucost silence ip-unused --for 7d --comment \"ordered that way\"",
	 NEED_CONFIG, 2, LISTING " subject for comment", cmd_silence, GROUP_RULES,
	 .view = "silences", .takes = "rule", .lists = "list"},
	{"enforce", "[ID]",
	 "Show what would be stopped, why, and what blocks it",
	 "For each rule with `then: {action: stop}` (or delete): the resources that match now, "
	 "the time when the action is due, and every guard that blocks it. ID selects one machine "
	 "or TPU by its whole name, as for hold. Changes nothing and sends no requests. Nothing is ever stopped unless mode is armed, the project is "
	 "listed and the rule is armed, all in the configuration: docs/enforce.md. --all "
	 "includes actions that ended in the last 7 days. --apply polls the machines, evaluates "
	 "the rules, sends warnings and does what is due, as run does, and shows what remains. "
	 "--exit-code: exit status 3 if an action is to be taken, or would be if enforcement "
	 "were armed.",
	 "tpucost enforce --format json",
	 NEED_CONFIG, 1,
	 PROJECTS " all dry-run exit-code apply", cmd_enforce, GROUP_ACT, .view = "enforce",
	 .takes = "id"},
	{"enforce halt", "",
	 "Stop all enforcement immediately",
	 "Creates a file 'halt' in the directory of the database and in that of the "
	 "configuration. While one of them (or /etc/tpucost/halt) exists, nothing is stopped or "
	 "deleted. Operations already requested from Google continue. You can also create the "
	 "file in any other way.\n"
	 "Exit status 1: NOT halted, a required file could not be written; 4: halted, but the "
	 "audit entry could not be written.",
	 "tpucost enforce halt --comment \"maintenance\"",
	 NEED_CONFIG | NEED_NET, 0, "comment", NET(cmd_enforce_halt), GROUP_ACT},
	{"enforce resume", "",
	 "Resume enforcement after a halt or a restore",
	 "Removes the halt files. Arms rules again that were disarmed because Google refused an "
	 "action or because another machine was found under the same name. Allows a restored or "
	 "copied database to act again: all actions start over from their warning.\n"
	 "Exit status 1: one of the files could not be removed, so enforcement is still halted; or "
	 "the file DATABASE.generation could not be written.",
	 "tpucost enforce resume",
	 NEED_CONFIG | NEED_NET, 0, "comment", NET(cmd_enforce_resume), GROUP_ACT},
	{"enforce approve", "ID",
	 "Let an action exceed the limits once",
	 "For an action that is held for a decision: by the limits, because the machine was "
	 "started again, or because the cost jumped. All other guards still apply. ID is its "
	 "number in the view actions. Shows what the action does.",
	 "tpucost enforce approve 1 --comment \"meant to\"",
	 NEED_CONFIG | NEED_NET, 1, "comment", NET(cmd_enforce_approve), GROUP_ACT,
	 .takes = "open action"},
	{"hold", "[add] ID | list | remove ID",
	 "Protect a resource from actions until a date",
	 "No action is taken on the resource until then. ID is an id of ps, NAME, KIND/NAME, "
	 "PROJECT/NAME or KIND/PROJECT/NAME, if only one machine or TPU has it. The beginning of a name is not "
	 "accepted, because it may be that of another machine. A host of a TPU slice means the whole "
	 "slice. --until "
	 "accepts a date (inclusive), an instant, or a time from now such as 3d. The label "
	 "tpucost-keep protects a resource permanently.\n"
	 "Exit status 3: an action on the resource is already in progress; the hold applies to "
	 "later actions.",
	 "tpucost hold add tpu-vm --until 3d",
	 NEED_CONFIG | NEED_NET, 2, LISTING " until comment", NET(cmd_hold), GROUP_ACT,
	 .view = "holds", .takes = "id", .lists = "list"},
	{"audit", "",
	 "Show the audit log of actions",
	 "Shows what was done to machines, by whom and why, the newest first. Entries are never "
	 "changed or deleted. Each contains a hash of the previous entry: see audit verify.",
	 "tpucost audit --since 7d",
	 NEED_CONFIG | NEED_DB, 0, PERIODS, cmd_audit, GROUP_ACT, .view = "audit"},
	{"audit verify", "",
	 "Verify that the audit log was not changed",
	 "Computes all hashes again and reports the first invalid entry. To detect missing "
	 "entries at the end, give --anchor with a hash that was recorded elsewhere: every "
	 "daily report ends with the newest one.\n"
	 "Exit status 1: the audit log is not valid.",
	 "tpucost audit verify --anchor 5e1f...",
	 NEED_CONFIG | NEED_NET, 0, "format anchor", NET(cmd_audit_verify), GROUP_ACT},
	{"report", "[KIND] [NAME]",
	 "Print or send a report",
	 "Kinds: daily (actions to take, grants, cost, running resources, quality of the data), "
	 "weekly (the seven days before today or --until, compared with the seven days before), "
	 "month (an invoice month, --month, reconciled with Google's bill and the calendar) and "
	 "grant (the use of one or all grants, without amounts, to apply for a "
	 "renewal). --format text, html, markdown, json, slack or csv. JSON and CSV contain all "
	 "rows; the other formats 50 rows of each section, with --all all rows. CSV is safe for "
	 "spreadsheets unless --raw is given. --send queues the report and sends it, in the "
	 "format of each channel, to the channels of --to, else of its schedule, else to all "
	 "channels; exit status 1 if a channel does not accept it.\n"
	 "With billing: {detail: bigquery}, BigQuery is asked about owners (daily) and resources (weekly), as by "
	 "cost; without an answer, the report says why. --offline uses only kept answers.",
	 "tpucost report daily --format html --output report.html",
	 NEED_CONFIG | OWN_FORMATS, 2, "format raw output since until month all send to offline", cmd_report,
	 GROUP_SEND, .takes = "report"},
	{"notify", "[list]",
	 "List channels and the state of their messages",
	 "Shows for each channel whether it works, the waiting messages and the undeliverable "
	 "ones (dead). 'list' shows the messages. States: pending, sending, sent; unclear: it "
	 "may have been delivered; dead: it was refused or could not be sent for two days; "
	 "dropped: its channel no longer exists.",
	 "tpucost notify list --where \"state = 'dead'\"",
	 NEED_CONFIG | NEED_DB, 1, WATCHED " since until", cmd_notify, GROUP_SEND,
	 .view = "notifications"},
	{"notify test", "NAME",
	 "Send a test message to a channel",
	 "Prints the reply of the server.\n"
	 "Exit status 1 if the message was not sent.",
	 "tpucost notify test lab",
	 NEED_CONFIG | NEED_NET, 1, "", NET(cmd_notify_test), GROUP_SEND,
	 .lacks = "no channel is given; use: tpucost notify test NAME", .takes = "channel"},
	{"notify retry", "NAME | ID",
	 "Retry undeliverable messages",
	 "Retries the dead messages of a channel, or one message, and enables the channel "
	 "again; the next run sends them.",
	 "tpucost notify retry lab",
	 NEED_CONFIG, 1, "", cmd_notify_retry, GROUP_SEND,
	 .lacks = "no channel or message is given; use: tpucost notify retry NAME, or the id of a message",
	 .takes = "channel"},
	{"metrics", "",
	 "Print the figures as metrics for Prometheus",
	 "In the text format: run rate, budgets, grants, credits, chips, quotas, alerts, age of the data, and "
	 "delivery of messages. --output replaces a file as a whole, for the textfile collector of "
	 "node_exporter; every user of this machine can read it. --format prints the list of metrics instead: as markdown, it is docs/metrics.md.",
	 "tpucost metrics --output tpucost.prom",
	 0, 0, "format output per-resource", cmd_metrics, GROUP_SEND},
	{"web", "",
	 "Show all figures in a browser",
	 "Prints the address when it answers, and runs until it is stopped. It only reads: commands are shown "
	 "to be copied. Every table can be sorted and filtered with the conditions of --where, and read as JSON "
	 "or CSV: /resources.json?where=... Metrics are at /metrics. The default address is 127.0.0.1:8420, or "
	 "that of web: in the configuration. --listen accepts ADDRESS:PORT (port 0: any) or unix:PATH. With socket activation of systemd, it "
	 "uses that socket. There is no login and no TLS: other machines reach it through a proxy (docs/web.md).",
	 "tpucost web --listen 127.0.0.1:8420",
	 NEED_CONFIG | NEED_WEB, 0, "listen", WEB(cmd_web), GROUP_EXISTS},
	{"mcp", "",
	 "Answer the questions of an assistant with the figures of tpucost",
	 "For programs that speak the Model Context Protocol, which start it: see docs/mcp.md. Reads "
	 "requests from standard input and writes answers to standard output, until the input ends. "
	 "Eight tools: status, coverage, query (rows of any view), why, estimate, grant_plan, quota and check_rules. Their "
	 "answers are those of the commands as JSON, with their basis, age and completeness. It only "
	 "reads: commands are returned for you to run.",
	 "tpucost mcp --config tpucost.yaml",
	 0, 0, "", cmd_mcp, GROUP_EXISTS},
	{"backup", "FILE",
	 "Copy the database, also while it is in use",
	 "The copy is consistent and verified, is written to disk before it gets its name, and is "
	 "readable by you only. An existing file is not changed unless --overwrite is given. The "
	 "copy is marked: after a restore, it stops nothing before 'tpucost enforce resume'. To "
	 "restore it, begin with 'tpucost enforce halt'. For the other steps, and for other files "
	 "to back up, see docs/operate.md.",
	 "tpucost backup /mnt/safe/tpucost.db --overwrite",
	 NEED_CONFIG, 1, "overwrite", cmd_backup, GROUP_KEEP,
	 .lacks = "no file is given; use: tpucost backup FILE",
	 .takes = "file"},
	{"db", "[list | plan | forget NAME | check | compact]",
	 "List, check and maintain the billing data in the database",
	 "Lists the tables that were polled and the files that were imported. 'plan' says what the "
	 "bill needs in disk space, and in bytes that BigQuery reads and their price: as it is read "
	 "now, and as sums of days. It asks BigQuery how much a read would scan, which is free; with "
	 "--offline it knows only the disk space. 'forget' removes "
	 "one of them with all of its figures: a table that was replaced by another one, or a "
	 "file that was imported by mistake.\n"
	 "'check' reads all pages, indexes and references, and compares the rows of the bill "
	 "with the sums that were stored with them; exit status 1 if there is an error. "
	 "'compact' returns free space in the file to the disk; it needs twice the size of the "
	 "database temporarily.",
	 "tpucost db forget billing-2026-10.json.gz",
	 NEED_CONFIG | NEED_NET, 2, LISTING " offline", NET(cmd_db), GROUP_KEEP, .view = "billing_tables",
	 .lists = "list,plan"},
	{"sql", "\"SELECT ...\"",
	 "Run a read-only SQL query over the views",
	 "For the views and their columns, see tpucost views. --since and --until set the period "
	 "of the views that have one: coverage, period_burn and others.",
	 "tpucost sql \"SELECT kind, count(*) FROM resources GROUP BY kind\"",
	 NEED_CONFIG | NEED_DB, 1, "format raw limit watch since until", cmd_sql, GROUP_KEEP,
	 .lacks = "no query given; try: tpucost sql \"SELECT * FROM resources\"; views: tpucost views"},
	{"views", "[NAME]",
	 "Describe the views and columns for queries, rules and messages",
	 "With NAME, only that view. --format sql prints all views as SQL, together with the data "
	 "derived for this moment, for other tools that open the database. The database itself "
	 "contains neither.",
	 "tpucost views resources",
	 OWN_FORMATS, 1, "format", cmd_views, GROUP_KEEP, .takes = "view"},
	{"version", "",
	 "Print the version",
	 "",
	 "tpucost version",
	 0, 0, "format", cmd_version, GROUP_KEEP},
	{"help", "[COMMAND | TOPIC]",
	 "Show this list, or the help of a command",
	 "There is also help on topics: config, conditions, formats, times. --format json prints "
	 "all commands with their options and an example of each.",
	 "tpucost help ps",
	 0, 2, "format", cmd_help, GROUP_KEEP},
	{"completion", "bash | zsh | fish",
	 "Print the completion script for a shell",
	 "To use it in the current shell: eval \"$(tpucost completion bash)\", in zsh the same with "
	 "zsh, in fish tpucost completion fish | source. Packages install it permanently. It "
	 "completes commands, options, columns and names of resources without network access.",
	 "tpucost completion bash",
	 0, 1, "", cmd_completion, GROUP_KEEP},
	{"complete", "WORD...",
	 "List completions of the last word",
	 "",
	 "tpucost complete -- p",
	 0, 1000, "", cmd_complete, GROUP_HIDDEN},
	{"query", "VIEW",
	 "Read rows of a view",
	 "All figures are rows of views. An answer has all columns, unless some are chosen. Conditions are SQL "
	 "(SQLite) over the columns of the view. by and month are for the view costs. Views and their columns:",
	 "tpucost query resources --format json",
	 NEED_CONFIG | OPENS_DB, 1, PERIODS " by month", cmd_query, GROUP_HIDDEN,
	 .lacks = "no view is given; see: tpucost views"},
	{"manual", "PART",
	 "Print a part of the manual pages, for make man",
	 "",
	 "tpucost manual commands",
	 0, 1, "", cmd_manual, GROUP_HIDDEN},
};
/* clang-format on */
const size_t n_cmds = ARRAY_LEN(cmds);

const struct cmd *cmd_find(const char *name)
{
	for (size_t i = 0; i < n_cmds; i++)
		if (!strcmp(cmds[i].name, name))
			return &cmds[i];
	return NULL;
}

const struct cmd *cmd_find_words(char *const *args, int n, int *used)
{
	char two[64];

	*used = 2;
	if (n >= 2 &&
		(size_t)snprintf(two, sizeof(two), "%s %s", args[0], args[1]) <
			sizeof(two) &&
		cmd_find(two))
		return cmd_find(two);
	*used = 1;
	return n ? cmd_find(args[0]) : NULL;
}

bool cmd_is_under(const struct cmd *parent, const struct cmd *c)
{
	size_t n = strlen(parent->name);

	return !strncmp(c->name, parent->name, n) && c->name[n] == ' ';
}
