/* The table of commands. Compiled twice: into tpucost, where commands that need the network
 * are left to tpucost-net, and with TPUCOST_NET into tpucost-net, which holds them all. */
#include "cli/cmd.h"

#include <stdio.h>
#include <string.h>

#ifdef TPUCOST_NET
#define NET(fn) fn
#else
#define NET(fn) NULL
#endif

int (*const report_sender)(struct app *app, const struct report_kind *kind,
	const struct doc *doc, struct err *e) = NET(send_report);

int (*const enforce_applier)(struct app *app, struct err *e) = NET(cmd_enforce_apply);

#define LISTING "format raw where sort-by limit columns"
#define WATCHED LISTING " watch"
#define PROJECTS WATCHED " project"
#define PERIODS PROJECTS " since until"

/* Texts are paragraphs, wrapped when they are shown: "\n" ends one, and one that begins with
 * blanks is indented. */
/* clang-format off */
const struct cmd cmds[] = {
	{"init", "",
	 "write a first configuration, with what is found",
	 "Finds credentials, project, billing account and its currency, the table of the "
	 "billing export and the time zone, reads the mail of a grant, and writes "
	 "~/.config/tpucost/config.yaml, with comments. What was not found stands there as an example. "
	 "Says what it took and what else there was. A file that exists is left alone, "
	 "unless --overwrite is given. Only reads in Google Cloud. --project takes "
	 "several with commas between them.\n"
	 "Exit status 3: the mail cannot be used without guessing; then nothing is "
	 "written.",
	 "tpucost init --grant-mail mail.eml",
	 NEED_NET, 0,
	 "project credentials grant-mail starts days name output overwrite endpoint",
	 NET(cmd_init),
	 .group = GROUP_FIRST},
	{"check", "",
	 "check the configuration, without network",
	 "Exit status 2 when it is wrong; with --strict, 3 when there are warnings.",
	 "tpucost check --config tpucost.yaml",
	 0, 0, "strict format", cmd_check,
	 .group = GROUP_FIRST},
	{"doctor", "",
	 "what keeps tpucost from working, and the command that mends it",
	 "Looks at the configuration, the database and the disk, whose credentials are "
	 "used and what they may do in each project, the clock, the last polls, the "
	 "billing tables, the channels, and enforcement: who acts, and whether that "
	 "account can do what it must and nothing else. A line each: ok, warn, fail or "
	 "skip, and below it what mends it, to paste. Changes nothing.\n"
	 "Exit status 1 when something fails, 4 when something could not be asked.",
	 "tpucost doctor",
	 NEED_NET, 0, "format raw project", NET(cmd_doctor),
	 .group = GROUP_FIRST},
	{"collect", "[GROUP|SOURCE...]",
	 "poll Google once and store what it says",
	 "Polls everything, or the named sources or groups: instances (vm disk ip tpu "
	 "queued snapshot bucket), quotas, prices, metrics and billing. What answers is "
	 "stored even when something else fails.\n"
	 "Exit status 4: some source failed or some zone did not answer.",
	 "tpucost collect instances",
	 NEED_CONFIG | NEED_NET, 32, "format", NET(cmd_collect),
	 .group = GROUP_FIRST, .takes = "source"},
	{"run", "[--once]",
	 "watch: poll what is due, judge, act, tell, report",
	 "Stays, and does all of it whenever something is due, at least every minute, "
	 "until it is asked to end (SIGTERM, control-C). Its log is on standard error; "
	 "what lasts is said when it begins and when it is over. SIGHUP reads the "
	 "configuration anew; one that is wrong changes nothing. Under systemd, in cron "
	 "or by hand: docs/daemon.md.\n"
	 "--once: one cycle, then the end, for cron. Polls only the sources whose "
	 "interval (poll: in the configuration) has passed, and prints what needs "
	 "attention; with --quiet, only alerts that began, got worse or ended.",
	 "tpucost run --once",
	 NEED_CONFIG | NEED_NET | MAY_ACT, 0, "once format", NET(cmd_run),
	 .group = GROUP_FIRST},
	{"import", "FILE...",
	 "store files of the billing export",
	 "Reads what BigQuery extracts write: JSON lines, CSV with dotted column names, "
	 "a JSON array, or a FOCUS CSV; each may be compressed with gzip. A file is "
	 "stored whole or not at all; the same file again changes nothing. Days of a "
	 "billing account that are there already are refused unless --allow-overlap is "
	 "given; the parts of one extract go into one command.",
	 "tpucost import billing-*.json.gz",
	 NEED_CONFIG | NEED_NET, 1000, "format allow-overlap", NET(cmd_import),
	 .group = GROUP_FIRST, .takes = "file"},
	{"status", "",
	 "how things stand, on one screen",
	 "What is to be done now with the command that does it, grants, what burns, "
	 "budgets, coupons, messages that could not be delivered, and what was not "
	 "read. Also what tpucost says without a command.\n"
	 "Exit status 4 when a message of the last week was given up.",
	 "tpucost status",
	 NEED_CONFIG, 0, "format all watch", cmd_status,
	 .group = GROUP_EXISTS},
	{"top", "",
	 "what runs and what it burns, drawn again every 5 seconds",
	 "Burn, budgets and grants in the head lines, below them what runs, the dearest "
	 "first, as much as the terminal has room for. q leaves, the space bar asks at "
	 "once. The data is what the last poll saw: keep `tpucost run` or a cron job "
	 "going beside it. Needs a terminal; elsewhere: tpucost ps --watch 5.",
	 "tpucost top --where \"kind = 'tpu'\"",
	 NEED_CONFIG, 0, "where sort-by limit project watch all", cmd_top,
	 .group = GROUP_EXISTS},
	{"ps", "",
	 "all that exists, what it burns, covered or not and why",
	 "Lists TPUs, machines, disks and addresses of every zone and project. Machines "
	 "that are stopped are left out unless --all is given; their disks are not. With --since or "
	 "--until: what there was at some time of that period, gone or not, and what it cost.",
	 "tpucost ps --where \"kind = 'vm' AND vcpus >= 32\"",
	 NEED_CONFIG | NEED_DB, 0, PERIODS " all", cmd_ps,
	 .group = GROUP_EXISTS, .view = "resources"},
	{"coverage", "",
	 "TPUs and grants side by side: what is free, what is not, why",
	 "One row per running TPU with the verdict of this moment. With --since, one "
	 "row per TPU and stretch of time: chip-hours, and what they cost at list "
	 "price; --by grant sums them: what each grant saved, and what leaked and why.",
	 "tpucost coverage --since 7d",
	 NEED_CONFIG | NEED_DB, 0, PERIODS " by", cmd_coverage,
	 .group = GROUP_EXISTS, .view = "coverage"},
	{"grant", "list",
	 "the grants of the configuration and how much of them is used",
	 "One row per line of a grant. --since and --until leave those that run in that time, "
	 "--project those that pay in it.",
	 "tpucost grant list",
	 NEED_CONFIG | NEED_DB, 1, PERIODS, cmd_grant,
	 .group = GROUP_EXISTS, .view = "grants"},
	{"grant plan", "[NAME]",
	 "what becomes paid when grants end, and what to do before",
	 "For each grant that runs, or ended in the last two days: when it ends, which "
	 "TPUs nothing covers then (a renewal or another grant is taken into account), "
	 "what they cost per hour together, and the commands that copy their files and "
	 "delete them. Queued resources that wait are in it too. Nothing is changed.",
	 "tpucost grant plan --format markdown",
	 NEED_CONFIG | NEED_DB, 1, "format raw watch", cmd_grant_plan,
	 .group = GROUP_EXISTS, .takes = "grant"},
	{"grant import", "FILE|-",
	 "read the mail of a grant into `grants:` of the configuration",
	 "FILE is the mail as it was saved (.eml), its text, or markdown or HTML of it; "
	 "- is standard input. Writes YAML to look through and to put into the "
	 "configuration, or with --format json what was read, a row per line of the "
	 "grant. It begins at the date of the mail unless --starts is given.\n"
	 "Exit status 3: a line can be read in two ways, or something is missing; then "
	 "each is named and nothing is written. 1: the mail is damaged.",
	 "tpucost grant import mail.eml",
	 NEED_NET, 1, "format starts days name extends", NET(cmd_grant_import),
	 .group = GROUP_EXISTS, .takes = "file"},
	{"quota", "",
	 "limits of projects, and how much of them is used",
	 "Project and regional quotas of Compute Engine, and the TPU quotas of each "
	 "zone. A quota is not a grant: what it allows may still cost money. Of each the newest "
	 "reading is kept; --since and --until leave those that were taken then.",
	 "tpucost quota --where \"percent > 80\"",
	 NEED_CONFIG | NEED_DB, 0, PERIODS, cmd_quota,
	 .group = GROUP_EXISTS, .view = "quotas"},
	{"sources", "",
	 "what is polled, how fresh it is and what is wrong",
	 "Every figure rests on these polls: their age, and what to do when one fails. --since and "
	 "--until leave what was last read completely in that time.",
	 "tpucost sources",
	 NEED_CONFIG | NEED_DB, 0, PERIODS, cmd_sources,
	 .group = GROUP_EXISTS, .view = "sources"},
	{"hidden", "",
	 "what is paid beside the TPUs: disks, machines, addresses",
	 "A grant pays for the TPU alone. Lists what goes with each, free or not: "
	 "attached disks and addresses as Google says (certain 1), and machines and "
	 "buckets that are called or labelled like it (certain 0). What costs nothing "
	 "is left out. With --since or --until: what it cost in that time.",
	 "tpucost hidden --format json",
	 NEED_CONFIG | NEED_DB, 0, PERIODS, cmd_hidden,
	 .group = GROUP_EXISTS, .view = "hidden_costs"},
	{"egress", "",
	 "what machines send and receive now, and what it may cost",
	 "Reads the network counters of running machines and TPUs, which are minutes "
	 "old where the bill is a day late. They tell how much, not where to: the low "
	 "estimate is for traffic with the project's own buckets in other regions, the "
	 "high one for the internet. Neither is a figure to pay. Of older traffic the bill has what it "
	 "cost: with --since or --until that is shown, by resource and SKU.",
	 "tpucost egress --where \"gib_last_hour > 10\"",
	 NEED_CONFIG | NEED_DB, 0, PERIODS, cmd_egress,
	 .group = GROUP_EXISTS, .view = "egress"},
	{"estimate", "[-- COMMAND... | TEXT | -]",
	 "what something would cost, and whether it is free, before you create it",
	 "Takes options, or a command of gcloud or ctpu as it is in a tutorial: its words "
	 "after --, the whole of it in quotes, or on standard input (-). Nothing is created "
	 "and nobody is asked.\n"
	 "Says what each thing costs, whether a grant covers the TPU beside what runs now, "
	 "and if not why, and what would be free instead; then quota, budgets, rules, and "
	 "what is in the wrong place. New is youngest: it gets the room that is left.\n"
	 "Exit status 3: the answer is no. A TPU is not covered, or a rule of your "
	 "configuration forbids one of the things; without a TPU, a budget or such a rule "
	 "would break; or it is not known, because the project is not watched. 4: a rule of "
	 "your configuration could not be judged. So this creates only what is free:\n"
	 "  tpucost estimate -- COMMAND && COMMAND\n"
	 "See docs/estimate.md.",
	 "tpucost estimate --tpu v3-8 --zone europe-west4-a --vm n1-standard-2 --disk pd-ssd:100",
	 TAKES_WORDS, 4096, LISTING " tpu vm disk ip zone spot reserved count project",
	 cmd_estimate,
	 .group = GROUP_MONEY, .view = "estimate"},
	{"burn", "",
	 "what runs now costs, per hour and day, and has cost lately",
	 "Gross is the list price; net leaves out what a grant covers. A row without "
	 "currency counts resources whose price is not known. --by sums by other "
	 "columns: resource, project, category, owner, kind, label:KEY; what ran in the "
	 "last 24 h or 7 days counts also when it is gone. With --since or --until: what that time "
	 "cost at today's list prices, as far as it was watched.",
	 "tpucost burn --by owner,category",
	 NEED_CONFIG | NEED_DB, 0, PERIODS " by", cmd_burn,
	 .group = GROUP_MONEY, .view = "burn"},
	{"cost", "",
	 "what Google billed",
	 "Sums the billing export by day, or by the columns given with --by. cost is "
	 "before credits, net is what is left to pay. Days are days of the configured "
	 "time zone; --month takes Google's invoice month instead.",
	 "tpucost cost --by project,category --since 30d",
	 NEED_CONFIG | NEED_DB, 0, PERIODS " by month", cmd_cost,
	 .group = GROUP_MONEY, .view = "costs"},
	{"budget", "",
	 "budgets: spent, expected, forecast, and when they run out",
	 "Expected is what is billed plus the live burn since; the forecast goes on "
	 "with the burn of now until the end of the period, and beside it stands the "
	 "one for the case that what is advised to stop is stopped. All but spent are "
	 "estimates. With --since or --until: what the bill says of each period that began or "
	 "ended then. --project leaves those that count it.",
	 "tpucost budget",
	 NEED_CONFIG | NEED_DB, 0, PERIODS, cmd_budget,
	 .group = GROUP_MONEY, .view = "budgets"},
	{"credit", "",
	 "coupons and trial credit: used, left, until when",
	 "Used is what the bill shows as promotion credits since the coupon began. "
	 "--since and --until leave coupons that run in that time; --project says what a project used.",
	 "tpucost credit",
	 NEED_CONFIG | NEED_DB, 0, PERIODS, cmd_credit,
	 .group = GROUP_MONEY, .view = "credits"},
	{"reconcile", "",
	 "TPUs as seen against TPUs as billed, day by day",
	 "Finds TPUs that a grant covers and that are to be paid nevertheless, and free "
	 "hours that no grant explains, in the last 35 days or from --since on. One row "
	 "per day, project, generation and place; with --all also those that are in "
	 "order.",
	 "tpucost reconcile --since 2026-11-01",
	 NEED_CONFIG | NEED_DB, 0, PROJECTS " all since until", cmd_reconcile,
	 .group = GROUP_MONEY, .view = "reconciliation"},
	{"why", "ID | KIND NAME",
	 "any figure taken apart: rows, price, formula, source, age",
	 "ID is an id of ps, or a part of a name that only one thing has; or\n"
	 "  grant:NAME budget:NAME credit:NAME source:NAME "
	 "quota:PROJECT/LOCATION/METRIC\n"
	 "  alert:RULE/SUBJECT (or RULE SUBJECT, as alerts shows them), rule:NAME "
	 "gone:ID action:NUMBER\n"
	 "  burn: what runs now, together\n"
	 "  cost:2026-11-20, a day; cost:2026-11, an invoice month\n"
	 "Exit status 2 when nothing has that name, or several have: then they are "
	 "listed.",
	 "tpucost why tpu-1",
	 NEED_CONFIG | NEED_DB, 2, "format raw watch", cmd_why,
	 .group = GROUP_MONEY, .takes = "thing"},
	{"rules", "[list | explain NAME]",
	 "what is watched, and what matches now",
	 "Lists the rules that are built in and those of the configuration. \"explain\" "
	 "shows the condition of one, the rows that match now, and those that lack a "
	 "single part. With --project only rules over what projects have, and of their hits those "
	 "of that project.",
	 "tpucost rules explain vm-forgotten",
	 NEED_CONFIG, 2, LISTING " project all", cmd_rules,
	 .group = GROUP_RULES, .view = "rule_list"},
	{"rules test", "FILE...",
	 "what rules say of a small world in YAML",
	 "Each file is a world that changes step by step, and what must fire, and what "
	 "not: docs/rules-test.md. Needs no network, no account and no database.\n"
	 "Exit status 3 when something is not as expected; 2 when a file cannot be "
	 "understood.",
	 "tpucost rules test tests/*.yaml",
	 0, 1000, "format raw", cmd_rules_test,
	 .group = GROUP_RULES, .takes = "file"},
	{"rules replay", "NAME",
	 "when a rule would have fired on what was recorded",
	 "Goes through the recorded history, 30 days or from --since on, and says when "
	 "the rule would have fired and what stopping then would have saved, at the "
	 "list prices and with the grants and budgets of today. What no history is kept "
	 "of is refused, never guessed. Changes nothing.",
	 "tpucost rules replay vm-forgotten --since 30d",
	 NEED_CONFIG, 1, "format raw since until", cmd_rules_replay,
	 .group = GROUP_RULES, .takes = "rule"},
	{"alerts", "",
	 "what is wrong now",
	 "Conditions of rules that hold: pending until they held long enough, then "
	 "firing. What was resolved is shown for a day, with --all for a week. data "
	 "says whether it can be judged now: what is stale or unknown keeps its last "
	 "state.",
	 "tpucost alerts --where \"severity = 'critical'\"",
	 NEED_CONFIG | NEED_DB, 0, PERIODS " all", cmd_alerts,
	 .group = GROUP_RULES, .view = "alerts"},
	{"silence", "RULE | list | remove NUMBER",
	 "no messages of a rule for a while",
	 "Mutes a rule, or one subject of it with --subject, for the time of --for. It "
	 "goes on being judged and shown.",
	 "tpucost silence ip-unused --for 7d --comment \"ordered that way\"",
	 NEED_CONFIG, 2, LISTING " subject for comment", cmd_silence,
	 .group = GROUP_RULES, .view = "silences", .takes = "rule"},
	{"enforce", "",
	 "what would be stopped, why, what it saves, what is in the way",
	 "For every rule with `then: {action: stop}` (or delete): what its condition "
	 "holds for now, when that is due, and every guard that says no. Changes "
	 "nothing, asks nobody. Nothing is ever stopped unless mode is armed, the "
	 "project is listed and the rule is armed, all in the configuration: "
	 "docs/enforce.md. --all shows what ended in the last 7 days too. --apply polls "
	 "the machines, judges, warns and does what is due, as run does, and shows what "
	 "is left. --exit-code: exit status 3 when something is to be done, or would be "
	 "if it were armed.",
	 "tpucost enforce --format json",
	 NEED_CONFIG, 0,
	 PROJECTS " all dry-run exit-code apply", cmd_enforce,
	 .group = GROUP_ACT, .view = "enforce"},
	{"enforce halt", "",
	 "stop nothing any more, at once",
	 "Writes the file \"halt\" beside the database and beside the configuration. "
	 "While one of them (or /etc/tpucost/halt) is there, nothing is stopped or "
	 "deleted; what Google was asked for already goes on. Any way to create the "
	 "file does.\n"
	 "Exit status 1: NOT halted, a file could not be written where a run looks; 4: "
	 "halted, but it could not be written into the audit.",
	 "tpucost enforce halt --comment \"maintenance\"",
	 NEED_CONFIG | NEED_NET, 0, "comment", NET(cmd_enforce_halt),
	 .group = GROUP_ACT},
	{"enforce resume", "",
	 "go on after a halt, or with a restored database",
	 "Removes the files that halt, and lets rules act again that were disarmed "
	 "because Google refused them or another machine was met. A database that was "
	 "restored or copied may act from then on: everything starts over from its "
	 "warning.\n"
	 "Exit status 1: one of the files could not be removed, so all stays halted; or "
	 "the file DATABASE.generation could not be written.",
	 "tpucost enforce resume",
	 NEED_CONFIG | NEED_NET, 0, "comment", NET(cmd_enforce_resume),
	 .group = GROUP_ACT},
	{"enforce approve", "ID",
	 "let an action pass the limits, once",
	 "For an action that is held by what only a person can decide: limits, a "
	 "machine that was started again, a bill that jumped. All other guards stay. ID "
	 "is its number in actions. Shows what it is going to do.",
	 "tpucost enforce approve 1 --comment \"meant to\"",
	 NEED_CONFIG | NEED_NET, 1, "comment", NET(cmd_enforce_approve),
	 .group = GROUP_ACT, .takes = "action"},
	{"hold", "[add] ID | list | remove ID",
	 "protect a resource from actions until a date",
	 "Nothing acts on it until then. --until takes a date (that day included), an "
	 "instant, or a time from now such as 3d. The label tpucost-keep does the same "
	 "for ever.\n"
	 "Exit status 3: an action on it is under way, and the hold is for what comes "
	 "after.",
	 "tpucost hold add tpu-vm --until 3d",
	 NEED_CONFIG | NEED_NET, 2, LISTING " until comment", NET(cmd_hold),
	 .group = GROUP_ACT, .view = "holds", .takes = "id"},
	{"audit", "",
	 "what was done to machines, by whom and why",
	 "The newest first. Entries are never changed nor deleted; each holds a hash "
	 "over the one before: audit verify.",
	 "tpucost audit --since 7d",
	 NEED_CONFIG | NEED_DB, 0, PERIODS, cmd_audit,
	 .group = GROUP_ACT, .view = "audit"},
	{"audit verify", "",
	 "was the audit changed, cut or reordered?",
	 "Computes all hashes again and names the first entry that is wrong. That the "
	 "end was cut off shows with --anchor and a hash that was noted elsewhere: "
	 "every daily report ends with the newest.\n"
	 "Exit status 1: something is wrong.",
	 "tpucost audit verify --anchor 5e1f...",
	 NEED_CONFIG | NEED_NET, 0, "format anchor", NET(cmd_audit_verify),
	 .group = GROUP_ACT},
	{"report", "[KIND] [NAME]",
	 "what happened and what to do, to read or to pass on",
	 "Kinds: daily (what to do now, grants, money, what runs, whether it can be "
	 "trusted), weekly (seven whole days before today or --until, beside the seven "
	 "before them), month (an invoice month, --month, tied to Google's bill and the "
	 "calendar) and grant (what was used of a grant, or of all, without money, to "
	 "ask for its renewal). --format text, html, markdown, json, slack or csv. JSON "
	 "and CSV hold everything; the others show 50 rows of each part, with --all "
	 "every one. CSV is safe for spreadsheets unless --raw is given. --send puts it "
	 "into the outbox and sends it, to the channels of its schedule, else to all, "
	 "or to those of --to, in the form of each; exit status 1 when one does not take it.",
	 "tpucost report daily --format html --output report.html",
	 NEED_CONFIG, 2, "format raw output since until month all send to", cmd_report,
	 .group = GROUP_SEND, .takes = "report"},
	{"notify", "[list]",
	 "where messages go, and whether they get there",
	 "Lists the channels: do they work, what waits, what was given up (dead). "
	 "\"list\" shows the messages. States: pending sending sent; unclear, it may "
	 "have arrived; dead, it was refused or could not be sent for two days; "
	 "dropped, its channel is gone.",
	 "tpucost notify list --where \"state = 'dead'\"",
	 NEED_CONFIG | NEED_DB, 1, WATCHED " since until", cmd_notify,
	 .group = GROUP_SEND, .view = "notifications"},
	{"notify test", "NAME",
	 "send a test message on a channel, now",
	 "Says what the other side answered.\n"
	 "Exit status 1 when it was not sent.",
	 "tpucost notify test lab",
	 NEED_CONFIG | NEED_NET, 1, "", NET(cmd_notify_test),
	 .group = GROUP_SEND, .takes = "channel"},
	{"notify retry", "NAME | ID",
	 "try again what was given up",
	 "Takes the dead letters of a channel, or one message, and switches the channel "
	 "on again; the next run sends them.",
	 "tpucost notify retry lab",
	 NEED_CONFIG, 1, "", cmd_notify_retry,
	 .group = GROUP_SEND, .takes = "channel"},
	{"backup", "FILE",
	 "a safe copy of the database, also while others write",
	 "The copy is of one moment, checked, on the disk before it gets its name, and "
	 "readable for you alone. A file that is there already is kept unless "
	 "--overwrite is given. It is marked as a copy: restored, it stops nothing "
	 "before \"tpucost enforce resume\". To restore it, begin with \"tpucost enforce "
	 "halt\"; how to go on, and what else there is to keep: docs/daemon.md.",
	 "tpucost backup /mnt/safe/tpucost.db --overwrite",
	 NEED_CONFIG, 1, "overwrite", cmd_backup,
	 .group = GROUP_KEEP, .takes = "file"},
	{"db", "[list | forget NAME | check | compact]",
	 "the database: the billing data in it, is it whole, make it smaller",
	 "Lists the tables that were polled and the files that were imported. "
	 "\"forget\" takes one of them out again, with all of its figures: for a table "
	 "that another one took the place of, or a file that was imported by mistake.\n"
	 "\"check\" reads all of it: every page and index, every reference, and whether the "
	 "rows of the bill are the sums that were stored with them; exit status 1 when "
	 "something is wrong. \"compact\" gives free room in the file back to the disk; it "
	 "needs twice the size of the database meanwhile.",
	 "tpucost db forget billing-2026-10.json.gz",
	 NEED_CONFIG | NEED_NET, 2, LISTING, NET(cmd_db),
	 .group = GROUP_KEEP, .view = "billing_tables"},
	{"sql", "\"SELECT ...\"",
	 "a read-only query over the views",
	 "The views and their columns: tpucost views. --since and --until say the period of those "
	 "that are of one: coverage, period_burn and others.",
	 "tpucost sql \"SELECT kind, count(*) FROM resources GROUP BY kind\"",
	 NEED_CONFIG | NEED_DB, 1, "format raw limit watch since until", cmd_sql,
	 .group = GROUP_KEEP},
	{"views", "[NAME]",
	 "the views and columns that queries, rules and messages use",
	 "With NAME that view alone. --format sql prints all of them as SQL, and what was derived "
	 "for this moment, for other tools that open the database: neither is in it.",
	 "tpucost views resources",
	 0, 1, "format", cmd_views,
	 .takes = "view", .group = GROUP_KEEP},
	{"version", "",
	 "version of tpucost",
	 "",
	 "tpucost version",
	 0, 0, "format", cmd_version,
	 .group = GROUP_KEEP},
	{"help", "[COMMAND | TOPIC]",
	 "this list, or help on a command",
	 "Also on topics: config, conditions, formats, times. With --format json it is the list "
	 "of commands, their options and an example of each.",
	 "tpucost help ps",
	 0, 2, "format", cmd_help,
	 .group = GROUP_KEEP},
	{"completion", "bash | zsh | fish",
	 "the script that completes words in a shell",
	 "For the shell that runs now: eval \"$(tpucost completion bash)\", in zsh the same with "
	 "zsh, in fish tpucost completion fish | source. Packages install it for good. Commands, "
	 "options, columns and the names of what exists are completed, without any network.",
	 "tpucost completion bash",
	 0, 1, "", cmd_completion,
	 .group = GROUP_KEEP},
	{"complete", "WORD...",
	 "what may stand in place of the last word",
	 "",
	 "tpucost complete -- p",
	 0, 1000, "", cmd_complete,
	 .group = GROUP_HIDDEN},
	{"manual", "PART",
	 "parts of the manual pages, for make man",
	 "",
	 "tpucost manual commands",
	 0, 1, "", cmd_manual,
	 .group = GROUP_HIDDEN},
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
