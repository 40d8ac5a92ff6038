/* What hides a create command, or a flag of one: pasted text must not look cheaper than it is. */
#include "cli/paste/paste.h"

#include "base/str.h"
#include "tests/support/assert.h"
#include "tests/support/paste.h"
#include "tests/support/unit.h"

#include <string.h>

static struct arena arena;

static int teardown(void **state)
{
	arena_done(&arena);
	return 0;
}

static const struct paste_env bare = {0};
static const struct paste_env configured = {
	.project = "lab", .zone = "us-central1-f", .region = "us-central1"};

static void expect_in(const struct paste_env *env, const char *text, const char *want)
{
	const char *got = paste_summary(&arena, text, env, true);

	if (!str_starts(got, want))
		fail_msg("%s\n  gave %s\n  want %s", text, got, want);
}

static void expect(const char *text, const char *want)
{
	expect_in(&bare, text, want);
}

#define TPU_VM "gcloud compute tpus tpu-vm create "
#define AT " --zone=us-central2-b"
#define FREE TPU_VM "t --accelerator-type=v3-8" AT "\n"
#define BIG TPU_VM "u --accelerator-type=v3-256" AT
#define ONE "tpu t - us-central2-b v3-8 on-demand"
#define TWO ONE "; tpu u - us-central2-b v3-256 on-demand"

static void wrapped(void **state)
{
	expect(FREE "timeout 60 " BIG, TWO);
	expect(FREE "nice -n 10 sudo -u me " BIG, TWO);
	expect(FREE "env A=b " BIG, TWO);
	expect(FREE "GC=gcloud\n$GC compute tpus tpu-vm create u "
		    "--accelerator-type=v3-256" AT,
		TWO);
}

/* A wish too few would be an answer too good. */
static void hidden(void **state)
{
	static const char *const by_way[][2] = {
		{"seq 8 | xargs -I{} " BIG, "xargs"},
		{"parallel " BIG " ::: 1 2", "parallel"},
		{"repeat 8 " BIG, "repeat"},
		{"bash -c '" BIG "'", "bash"},
		{"eval \"" BIG "\"", "eval"},
		{"$G compute tpus tpu-vm create u" AT, "$G"},
		{"watch ctpu up" AT, "watch"},
	};

	for (size_t i = 0; i < ARRAY_LEN(by_way); i++)
		expect(arena_printf(&arena, FREE "%s", by_way[i][0]),
			arena_printf(&arena,
				"!the pasted text: resources created through %s cannot be "
				"estimated; paste the create command alone",
				by_way[i][1]));
	expect(FREE "OUT=$(" BIG ")", "!the pasted text: $(gcloud compute tpus tpu-vm ");
	expect(FREE "echo `" BIG "`", "!the pasted text: `gcloud compute tpus tpu-vm ");
	expect("run `" BIG "` now", "!the pasted text: `gcloud compute tpus tpu-vm ");
	/* what only shows it, or asks */
	expect(FREE "echo \"" BIG "\"; echo " BIG, ONE);
	expect("IP=$(gcloud compute tpus describe t)\n" FREE, ONE);
	expect(FREE "bash setup.sh 'create all'", ONE);
}

/* What is not read and paid, beside one that is free. */
static void others(void **state)
{
	static const char *const paid[][2] = {
		{"gcloud container clusters create c --num-nodes=4",
			"gcloud container clusters create"},
		{"gcloud --project lab beta container clusters create-auto c",
			"gcloud lab beta container clusters create-auto"},
		{"sudo -u me gcloud dataproc clusters create c",
			"gcloud dataproc clusters create"},
		{"gcloud compute routers nats create n",
			"gcloud compute routers nats create"},
		{"gcloud compute disks bulk create", "gcloud compute disks bulk create"},
		{"gcloud ai-platform jobs submit training j",
			"gcloud ai-platform jobs submit"},
		{"gcloud run deploy s", "gcloud run deploy"},
		{"seq 3 | xargs gcloud sql instances create",
			"gcloud sql instances create"},
		{"bq --location=US mk d", "bq mk"},
		{"cd tf && terraform -chdir=x apply -auto-approve", "terraform apply"},
		{"sudo ./bin/terraform apply", "./bin/terraform apply"},
		{"xpk cluster create --tpu-type=v5litepod-16", "xpk cluster create"},
	};
	static const char *const harmless[] = {"gcloud compute tpus tpu-vm list",
		"gcloud container clusters list",
		"gcloud container clusters get-credentials c",
		"gcloud compute tpus tpu-vm ssh t --command='terraform apply'",
		"gcloud compute ssh create-it -- create",
		"gcloud compute scp create t:", "gcloud config set project lab",
		"gcloud config configurations create lab",
		"gcloud services enable tpu.googleapis.com",
		"gcloud beta services identity create --service tpu.googleapis.com",
		"gcloud storage cp create gs://b", "gsutil cp a gs://b", "bq ls",
		"gcloud compute firewall-rules create f",
		"gcloud compute networks create n", "gcloud iam service-accounts create s",
		"pip install terraform ray", "terraform init", "terraform plan",
		"gcloud auth login", "echo terraform apply", "gcloud run services list"};

	for (size_t i = 0; i < ARRAY_LEN(paid); i++)
		expect(arena_printf(&arena, FREE "%s", paid[i][0]),
			arena_printf(&arena,
				"!the pasted text: %s: it creates a resource, but is "
				"not supported; omit it, and check its cost separately",
				paid[i][1]));
	expect(FREE "bash -c 'terraform apply'",
		"!the pasted text: resources created through bash cannot be estimated");
	for (size_t i = 0; i < ARRAY_LEN(harmless); i++)
		expect(arena_printf(&arena, FREE "%s", harmless[i]), "tpu t ");
}

static void loops(void **state)
{
	expect("mk() { " BIG "; }\nfor i in 1 2; do mk $i; done",
		"!the pasted text: the function mk is called in a loop (for): the number "
		"of calls");
	expect("mk () {\n" BIG "\n}\nwhile true; do\n  mk\ndone",
		"!the pasted text: the function mk is called in a loop (while)");
	expect("mk() { " BIG "; }\nmk", "tpu u - us-central2-b v3-256 on-demand");
	/* fish has no "do" */
	expect("for i in (seq 8); " BIG "; end",
		"!gcloud compute tpus tpu-vm create: it is in a loop (for)");
}

/* A loop that runs while it succeeds is no retry. */
static void retries(void **state)
{
	expect("until " BIG "; do sleep 9; done", "tpu u - us-central2-b v3-256 on-demand");
	expect("while ! " BIG "; do sleep 9; done",
		"tpu u - us-central2-b v3-256 on-demand");
	expect("while " BIG "; do sleep 9; done",
		"!gcloud compute tpus tpu-vm create: it is in a loop (while)");
	expect("until ! " BIG "; do sleep 9; done",
		"!gcloud compute tpus tpu-vm create: it is in a loop (until)");
}

static void functions(void **state)
{
	expect("mk() { " BIG "; }\nmk; mk\nmk",
		"!the pasted text: the function mk creates resources, and is called 3 "
		"times; "
		"paste the create command alone, once, with its values");
	expect("mk() { " BIG "; }\nls",
		"!the pasted text: the function mk creates resources, and is called 0 "
		"times");
	expect("mk() { " BIG "; }\nmk us-central1-a",
		"!the pasted text: the function mk creates resources, and is called 1 "
		"times, "
		"with arguments");
	expect("mk() { " TPU_VM
	       "u --accelerator-type=v3-8 --zone=${1:-us-central2-b}; }\nmk",
		"!the pasted command: --zone: ${1:-us-central2-b} is not set");
	expect("hi() { echo hi; }\nhi; hi there\n" FREE, ONE);
	expect("mk() (" BIG ")\nmk", "!the pasted text: the function mk is not supported");
}

#define OF_Z TPU_VM "t --accelerator-type=v3-8 --zone=$Z"
#define MAYBE "!the pasted command: --zone: $Z is set in code that may not run"

/* What a variable has after code that may not run, or runs in another shell. */
static void variables(void **state)
{
	static const char *const unknown[] = {"Z=a; (Z=us-central2-b)",
		"Z=a; echo hi | Z=us-central2-b", "Z=us-central2-b | cat",
		"Z=a; pick() { Z=us-central2-b; }",
		"Z=a; if [ -n \"$EU\" ]; then Z=us-central2-b; fi",
		"Z=a; [ -n \"$CHEAP\" ] && Z=us-central2-b", "Z=a; ls || Z=us-central2-b",
		"case $1 in us) Z=a;; eu) Z=us-central2-b;; esac",
		"Z=a; while read L; do Z=us-central2-b; done", "Z=us-central2-b; read Z",
		"Z=us-central2-b &"};
	static const char *const known[] = {"Z=us-central2-b",
		"Z=us-central2-b; if true; then Z=us-central2-b; fi",
		"export P=lab && export Z=us-central2-b && gcloud auth list",
		"gcloud auth list && Z=us-central2-b", "Z=us-central2-b; (Y=a)",
		"Z=us-central2-b; if true; then echo; else ls; fi",
		"if true; then Z=a; fi; Z=us-central2-b",
		"f() { Y=1; }; { Z=us-central2-b; }"};

	for (size_t i = 0; i < ARRAY_LEN(unknown); i++)
		expect(arena_printf(&arena, "%s\n" OF_Z, unknown[i]), MAYBE);
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		expect(arena_printf(&arena, "%s\n" OF_Z, known[i]), ONE);
	/* within that code it is what it was set to */
	expect("if true; then Z=us-central2-b; " OF_Z "; fi", ONE);
	expect("[ -n x ] && Z=us-central2-b && " OF_Z, ONE);
	expect("Z=us-central2-b; for Z in a; do :; done\n" OF_Z,
		"!the pasted command: --zone: only a shell can expand $Z");
	expect("Z=us-central2-b; unset Z\n" OF_Z,
		"!the pasted command: --zone: $Z is not set");
	expect(TPU_VM "t{1..6} --accelerator-type=v3-8" AT,
		"!the pasted command: the name: only a shell can expand {1..6}");
}

/* gcloud takes the beginning of a flag. */
static void beginnings(void **state)
{
	expect(TPU_VM "t --accelerator=v3-8" AT, ONE);
	expect(TPU_VM "t --acc v3-8" AT,
		"!the pasted command: --acc is an abbreviation of a flag; write the full "
		"name, such as --accelerator-type");
	expect_in(&configured, TPU_VM "t --accelerator-type=v3-8 --z us-west1-b",
		"!the pasted command: --z is an abbreviation of a flag; write the full "
		"name, such as --zone");
	expect(TPU_VM "t --accelerator-type=v3-8 --spot --no-spot" AT, ONE);
	expect(TPU_VM "t --accelerator-type=v3-8 --no-spot --spot" AT,
		"tpu t - us-central2-b v3-8 spot");
}

static void files(void **state)
{
	expect(TPU_VM "t --flags-file=f.yaml" AT,
		"!gcloud compute tpus tpu-vm create: --flags-file is not supported; write "
		"the flags into the command");
	expect_in(&configured,
		"gcloud --configuration=other compute tpus tpu-vm create t "
		"--accelerator-type=v3-8" AT,
		"!gcloud compute tpus tpu-vm create: --configuration: its project is "
		"unknown; add --project PROJECT");
	expect_in(&configured,
		"gcloud --configuration=other --project=lab-two compute tpus tpu-vm create "
		"t --accelerator-type=v3-8" AT,
		"tpu t lab-two us-central2-b v3-8 on-demand");
	expect_in(&configured, TPU_VM "t --configuration=other --accelerator-type=v3-8",
		"!gcloud compute tpus tpu-vm create: --configuration: its zone is unknown; "
		"add --zone ZONE");
}

/* The source of a page, lists, prompts and assignments of other shells. */
static void pages(void **state)
{
	expect(TPU_VM "&quot;t&quot; --accelerator-type=v3-8 --labels=&#39;a=b&#39;" AT,
		ONE " # typographic");
	expect(TPU_VM "t&nbsp;--accelerator-type=v3-8" AT " &amp;&amp; " BIG, TWO);
	expect(TPU_VM "t --zone=&lt;zone&gt; --accelerator-type=v3-8",
		"!the pasted command: --zone: <zone> is a placeholder");
	expect(TPU_VM "t \uFF0D\uFF0Daccelerator-type=v3-8" AT, ONE " # typographic");
	expect("- `" TPU_VM "t --accelerator-type=v3-8" AT "`\n* " BIG, TWO);
	expect("%%bash -e \"x\"\n" TPU_VM "t --accelerator-type=v3-8" AT "\n```\n", ONE);
	expect(TPU_VM "t --accelerator-type=v3-8 --description='50\n%%'" AT, ONE);
	expect(TPU_VM "t --accelerator-type=v3-8 --description=\"a\n~~~\"" AT, ONE);
	expect("1. " FREE "2) `" BIG "`  \r\n", TWO);
	expect("PS C:\\Users\\me> " TPU_VM "t `\n --accelerator-type=v3-8" AT, ONE);
	expect("C:\\> " TPU_VM "t ^\r\n --accelerator-type=v3-8" AT, ONE);
	expect("$z = \"us-central2-b\"\n" TPU_VM "t --accelerator-type=v3-8 --zone=$z",
		ONE);
	expect("z = 'us-central2-b'  #@param\n!" TPU_VM
	       "t --accelerator-type=v3-8 --zone={z}",
		ONE);
	expect("set -x z us-central2-b\nset y v3-8\n" TPU_VM
	       "t --accelerator-type=$y --zone=$z",
		ONE);
	expect(TPU_VM "t --accelerator-type=v3-8 --zone={z}",
		"!the pasted command: --zone: {z} is not set");
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrapped),
		cmocka_unit_test(hidden),
		cmocka_unit_test(others),
		cmocka_unit_test(loops),
		cmocka_unit_test(retries),
		cmocka_unit_test(functions),
		cmocka_unit_test(variables),
		cmocka_unit_test(beginnings),
		cmocka_unit_test(files),
		cmocka_unit_test(pages),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}
