/* Pasted commands: what each becomes, and what is refused with which words. */
#include "cli/paste/paste.h"

#include "base/str.h"
#include "tests/support/assert.h"
#include "tests/support/paste.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct arena arena;

static int teardown(void **state)
{
	arena_done(&arena);
	return 0;
}

static const char *variable(const char *name)
{
	return strcmp(name, "SHELL_ZONE") != 0 ? NULL : "us-west4-a";
}

static const struct paste_env bare = {0};
static const struct paste_env configured = {.project = "lab",
	.zone = "us-central1-f",
	.region = "us-central1",
	.variable = variable};

static void compare(const char *text, const char *got, const char *want)
{
	if (strcmp(got, want) != 0)
		fail_msg("%s\n  gave %s\n  want %s", text, got, want);
}

static void expect(const char *text, const char *want)
{
	compare(text, paste_summary(&arena, text, &bare, false), want);
}

/* A part of the notes, or of the error. */
static void expect_says(const char *text, const struct paste_env *env, const char *part)
{
	const char *got = paste_summary(&arena, text, env, true);

	if (!strstr(got, part))
		fail_msg("%s\n  gave %s\n  want in it %s", text, got, part);
}

static void expect_silent(const char *text, const char *part)
{
	const char *got = paste_summary(&arena, text, &bare, true);

	if (strstr(got, part))
		fail_msg("%s\n  gave %s\n  want nothing of %s", text, got, part);
}

#define TPU_VM "gcloud compute tpus tpu-vm create "
#define VM "gcloud compute instances create "
#define DISK "gcloud compute disks create "
#define AT " --zone=us-central2-b"

static void tpu_types(void **state)
{
	expect(TPU_VM "t --zone=europe-west4-a --accelerator-type=v3-8 --project=p1",
		"tpu t p1 europe-west4-a v3-8 on-demand");
	expect("gcloud alpha compute tpus tpu-vm create t --zone us-central2-b --type v4 "
	       "--topology 4x4x4 --version x --spot",
		"tpu t - us-central2-b v4-128 spot");
	expect(TPU_VM "t --type=v5p --topology=2x2x1" AT,
		"tpu t - us-central2-b v5p-8 on-demand");
	expect(TPU_VM "t --type=v5litepod --topology=4X4" AT,
		"tpu t - us-central2-b v5litepod-16 on-demand");
	expect(TPU_VM "t --accelerator-type=V5E-16" AT,
		"tpu t - us-central2-b v5litepod-16 on-demand");
	expect(TPU_VM "t --type=v4" AT,
		"!the pasted command: --type=v4 needs --topology; use --topology=2x2x1, or "
		"--accelerator-type");
	expect(TPU_VM "t --type=v4 --topology=2x2x2x2" AT,
		"!the pasted command: --topology: '2x2x2x2' is not a topology of v4; use "
		"one "
		"of 2x2x1 2x2x2 2x2x4 2x4x4 or three multiples of 4, such as 4x4x8");
	expect(TPU_VM "t --type=v6e --topology=99999x99999" AT,
		"!the pasted command: --topology: '99999x99999' is not a topology of v6e; "
		"use "
		"one of 1x1 2x2 2x4 4x4 4x8 8x8 8x16 16x16");
	expect(TPU_VM "t --type=v9z --topology=0x0" AT,
		"!the pasted command: --type: 'v9z' is not a TPU version; use --type=v4 "
		"--topology=2x2x2");
	expect(TPU_VM "t --accelerator-type=v6e-7" AT,
		"!the pasted command: --accelerator-type: 'v6e-7' is not a TPU type; did "
		"you "
		"mean 'v6e-8'?");
	expect_says(TPU_VM "t --accelerator-type=tpu7x-8" AT, &bare,
		"the Cloud TPU API has no tpu7x: it is created on Compute Engine or "
		"Kubernetes Engine");
	expect_silent(TPU_VM "t --accelerator-type=v6e-8" AT, "has no v6e");
	expect(TPU_VM "t --accelerator-type=v38" AT,
		"!the pasted command: --accelerator-type: 'v38' is not a TPU type; did you "
		"mean 'v3-8'?");
	expect(TPU_VM "t --accelerator-type=v2-7" AT,
		"!the pasted command: --accelerator-type: 'v2-7' is not a TPU type; did "
		"you mean 'v2-8'?");
}

static void classes(void **state)
{
	expect(TPU_VM "t --preemptible --accelerator-type=v3-8" AT,
		"tpu t - us-central2-b v3-8 spot");
	expect(TPU_VM "t --reserved --accelerator-type=v3-8" AT,
		"tpu t - us-central2-b v3-8 reserved");
	expect(TPU_VM "t --provisioning-model=standard --accelerator-type=v3-8" AT,
		"tpu t - us-central2-b v3-8 on-demand");
	expect(TPU_VM "t --provisioning-model=SPOTTY --accelerator-type=v3-8" AT,
		"!the pasted command: --provisioning-model: 'SPOTTY' is not valid; use "
		"STANDARD, SPOT, FLEX_START or RESERVATION_BOUND");
	expect("gcloud compute tpus queued-resources create q --node-id=n --guaranteed "
	       "--accelerator-type=v4-8 --valid-after-time=2026-12-01T09:00:00Z" AT,
		"tpu n - us-central2-b v4-8 on-demand queued from=2026-12-01T09:00:00Z");
	expect("gcloud compute tpus queued-resources create q --node-id=n "
	       "--accelerator-type=v4-8 --valid-after-duration=1d1h30m" AT,
		"tpu n - us-central2-b v4-8 on-demand queued wait=91800");
	expect("gcloud compute tpus queued-resources create q --node-id=n "
	       "--accelerator-type=v4-8 --valid-after-duration=P1D" AT,
		"!the pasted command: --valid-after-duration: 'P1D' cannot be read; use a "
		"duration such as 11h or 1d12h");
	expect("gcloud compute tpus queued-resources create q --node-id=n "
	       "--provisioning-model=FLEX_START --max-run-duration=1d12h "
	       "--accelerator-type=v6e-8" AT,
		"tpu n - us-central2-b v6e-8 flex-start queued limit=129600");
	expect("gcloud compute instances create m --no-address --no-boot-disk "
	       "--max-run-duration=90m --machine-type=ct6e-standard-4t" AT,
		"tpu m - us-central2-b ct6e-standard-4t on-demand limit=5400 stops; disk - "
		"- "
		"us-central2-b hyperdisk-balanced - 10GiB of=m stays");
	expect(VM "m --no-address --machine-type=e2-small --boot-disk-size=9 "
		  "--termination-time=2026-12-01T09:00:00Z --no-boot-disk-auto-delete "
		  "--instance-termination-action=DELETE "
		  "--create-disk=size=7,auto-delete=no" AT,
		"vm m - us-central2-b e2-small on-demand until=2026-12-01T09:00:00Z; disk "
		"- - us-central2-b pd-standard - 9GiB of=m stays; disk - - us-central2-b "
		"pd-standard - 7GiB of=m stays");
	expect(VM "m --instance-termination-action=EXPLODE" AT,
		"!the pasted command: --instance-termination-action: 'EXPLODE' is not "
		"valid; "
		"use STOP or DELETE");
	expect_says(VM "m --termination-time=tomorrow" AT, &bare,
		"--termination-time was ignored: it is not a time such as 2026-11-01T09");
	expect_says(VM "m --request-valid-for-duration=2h" AT, &bare,
		"it costs nothing while it waits for capacity "
		"(--request-valid-for-duration 2h)");
	expect_says(VM "m --provisioning-model=FLEX_START --max-run-duration=604801s" AT,
		&bare, "flex-start runs at most 7 days: Google refuses more");
	expect("gcloud compute tpus queued-resources create q --node-id=n "
	       "--max-run-duration=7200 --accelerator-type=v6e-8" AT,
		"tpu n - us-central2-b v6e-8 on-demand queued limit=7200");
	expect("gcloud compute tpus queued-resources create q --node-id=n "
	       "--max-run-duration=soon --accelerator-type=v6e-8" AT,
		"tpu n - us-central2-b v6e-8 on-demand queued");
	expect("gcloud compute tpus queued-resources create q --node-count=0 "
	       "--accelerator-type=v4-8" AT,
		"!the pasted command: --node-count: '0' is not valid (expected 1 to "
		"100000); ");
}

static void places(void **state)
{
	compare("configured",
		paste_summary(
			&arena, TPU_VM "t --accelerator-type=v2-8", &configured, false),
		"tpu t lab us-central1-f v2-8 on-demand");
	expect_says(TPU_VM "t", &configured, "no --zone: us-central1-f of gcloud's");
	expect_says(TPU_VM "t", &configured, "no --project: lab of gcloud's");
	expect_says(TPU_VM "t", &bare, "required for price and coverage");
	compare("the text before the configuration",
		paste_summary(&arena,
			"gcloud config set compute/zone us-west4-a; "
			"CLOUDSDK_CORE_PROJECT=p "
			"gcloud compute tpus tpu-vm create t --accelerator-type=v2-8",
			&configured, false),
		"tpu t p us-west4-a v2-8 on-demand");
	expect(TPU_VM "t --accelerator-type=v2-8 --zone="
		      "https://www.googleapis.com/compute/v1/projects/p/zones/us-west4-a",
		"tpu t - us-west4-a v2-8 on-demand");
	expect(TPU_VM "t --accelerator-type=v2-8 --zone us-central1",
		"!the pasted command: --zone: 'us-central1' is not a zone; use a zone such "
		"as us-central1-b; a region is not enough");
	expect(TPU_VM "t --accelerator-type=v2-8 --zone=",
		"!the pasted command: --zone has no value; check whether it is an unset "
		"variable");
	expect(TPU_VM "t --zone --accelerator-type=v2-8",
		"!the pasted command: --zone has no value; check whether it is an unset "
		"variable");
	expect(TPU_VM "t --accelerator-type=v2-8 --zone us-south1-ai1b --project "
		      "example.com:my-lab",
		"tpu t example.com:my-lab us-south1-ai1b v2-8 on-demand");
}

#define POOL "gcloud container node-pools create pool --cluster=c "
#define GPU_NODE                                                           \
	"--zone=us-central1-a --machine-type=n1-standard-8 --num-nodes=2 " \
	"--enable-private-nodes "
#define TEMPLATE                                                                      \
	"gcloud compute instance-templates create t --machine-type=ct6e-standard-4t " \
	"--provisioning-model=FLEX_START\n"
#define GROUP "gcloud compute instance-groups managed create pod --template=t "

static void pools(void **state)
{
	expect(POOL
		"--location=us-east5 --node-locations=us-east5-a "
		"--machine-type=ct6e-standard-4t --tpu-topology=4x8 --num-nodes=8 --spot",
		"tpu pool - us-east5-a 8 x ct6e-standard-4t spot; disk - - us-east5-a "
		"hyperdisk-balanced - x8 100GiB of=pool; ip - - us-east5-a external spot "
		"x8 "
		"of=pool");
	expect(POOL "--zone=us-east5-a --machine-type=ct6e-standard-4t --tpu-topology=2x2 "
		    "--flex-start --enable-private-nodes --disk-size=200 "
		    "--disk-type=pd-ssd --max-run-duration=2h",
		"tpu pool - us-east5-a ct6e-standard-4t flex-start x3 limit=7200; disk - - "
		"us-east5-a pd-ssd - x3 200GiB of=pool");
	expect(POOL "--region=us-central1 --node-locations=us-central1-a,us-central1-b "
		    "--num-nodes=2 --enable-private-nodes",
		"vm pool - us-central1-a e2-medium on-demand x2; disk - - us-central1-a "
		"pd-balanced - x2 100GiB of=pool; vm pool - us-central1-b e2-medium "
		"on-demand x2; disk - - us-central1-b pd-balanced - x2 100GiB of=pool");
	expect(POOL GPU_NODE "--accelerator=type=nvidia-tesla-v100,count=2 "
			     "--ephemeral-storage-local-ssd=count=2",
		"vm pool - us-central1-a n1-standard-8 on-demand x2 "
		"gpu=2xnvidia-tesla-v100 ssd=750; disk - - us-central1-a pd-balanced - x2 "
		"100GiB of=pool");
	expect(POOL GPU_NODE "--local-nvme-ssd-block=count=1 --local-ssd-count=2",
		"vm pool - us-central1-a n1-standard-8 on-demand x2 ssd=1125; disk - - "
		"us-central1-a pd-balanced - x2 100GiB of=pool");
	expect(POOL GPU_NODE "--machine-type=c3-standard-8-lssd "
			     "--ephemeral-storage-local-ssd=count=1 --local-nvme-ssd-block",
		"vm pool - us-central1-a c3-standard-8-lssd on-demand x2; disk - - "
		"us-central1-a pd-balanced - x2 100GiB of=pool");
	expect_says(POOL GPU_NODE "--machine-type=ct5lp-hightpu-4t --local-ssd-count=1",
		&bare, "the local SSDs of a TPU are not included");
	expect(POOL GPU_NODE "--local-nvme-ssd-block=count=all",
		"!the pasted command: --local-nvme-ssd-block: 'count=all' is not valid "
		"(expected 0 to 64); ");
	expect(POOL "--region=us-central1 --num-nodes=100001",
		"!the pasted command: --num-nodes: '100001' is not valid (expected 1 to "
		"100000); ");
	expect(POOL "--zone=us-east5-a --machine-type=ct6e-standard-1t --num-nodes=0 "
		    "--max-nodes=4 --enable-autoscaling --enable-private-nodes",
		"tpu pool - us-east5-a ct6e-standard-1t on-demand x4; disk - - us-east5-a "
		"hyperdisk-balanced - x4 100GiB of=pool");
	expect_says(POOL "--zone=us-east5-a --num-nodes=0 --max-nodes=4", &bare,
		"begins with 0 nodes");
	expect_says(POOL "--zone=us-east5-a --num-nodes=1 --max-nodes=4", &bare,
		"added up to --max-nodes are not included");
	expect(POOL "--location=us-east5-a --machine-type=ct6e-standard-8t --flex-start "
		    "--enable-autoscaling --num-nodes=0 --total-max-nodes=5 "
		    "--location-policy=ANY --enable-private-nodes",
		"tpu pool - us-east5-a ct6e-standard-8t flex-start x5; disk - - us-east5-a "
		"hyperdisk-balanced - x5 100GiB of=pool");
	expect(POOL "--region=us-central1 --num-nodes=0 --total-max-nodes=4 "
		    "--enable-private-nodes",
		"vm pool - us-central1 e2-medium on-demand x4; disk - - us-central1 "
		"pd-balanced - x4 100GiB of=pool");
	expect(POOL "--region=us-central1 --node-locations=us-central1-a,us-central1-b "
		    "--num-nodes=0 --total-max-nodes=3 --enable-private-nodes",
		"vm pool - us-central1-a e2-medium on-demand x2; disk - - us-central1-a "
		"pd-balanced - x2 100GiB of=pool; vm pool - us-central1-b e2-medium "
		"on-demand; disk - - us-central1-b pd-balanced - 100GiB of=pool");
	expect(POOL "--region=us-central1 --node-locations=us-central1-a,us-central1-b "
		    "--num-nodes=0 --total-max-nodes=1 --enable-private-nodes",
		"vm pool - us-central1-a e2-medium on-demand; disk - - us-central1-a "
		"pd-balanced - 100GiB of=pool");
	expect_says(POOL "--zone=us-east5-a --num-nodes=0 --total-max-nodes=4", &bare,
		"begins with 0 nodes: estimated with all of --total-max-nodes");
	expect_says(POOL "--zone=us-east5-a --num-nodes=1 --total-max-nodes=4", &bare,
		"added up to --total-max-nodes are not included");
	expect_says(POOL "--zone=us-east5-a --num-nodes=0\n" VM "m" AT, &bare,
		"a pool of 0 nodes costs nothing until it is resized");
	expect(POOL "--zone=us-east5-a --machine-type=ct6e-standard-4t --tpu-topology=3x3",
		"!the pasted command: --tpu-topology: '3x3' does not fit "
		"ct6e-standard-4t; use one of 2x2 2x4 4x4 4x8 8x8 8x16 16x16");
	expect(POOL "--zone=us-east5-a --machine-type=ct9z-hightpu-4t --tpu-topology=0x0",
		"!the pasted command: --tpu-topology: '0x0' does not fit ct9z-hightpu-4t; "
		"use "
		"a shape such as 4x4 or 2x2x2");
	expect(POOL "--zone=us-east5-a --machine-type=ct6e-standard-4t --tpu-topology=4x4 "
		    "--num-nodes=3",
		"!the pasted command: --num-nodes: a slice of --tpu-topology=4x4 has 4 "
		"hosts; "
		"use --num-nodes=4");
	expect(POOL "--region=us-east5 --node-locations=us-east5-a,us-east5-a",
		"!the pasted command: --node-locations: us-east5-a twice; name each zone "
		"once");
}

static void groups(void **state)
{
	expect(TEMPLATE GROUP "--size=16 --zone=us-east5-a --workload-policy=p",
		"tpu pod - us-east5-a 16 x ct6e-standard-4t flex-start; disk - - "
		"us-east5-a hyperdisk-balanced - x16 10GiB of=pod; ip - - us-east5-a "
		"external flex-start x16 of=pod");
	expect_says(TEMPLATE GROUP "--size=1 --zone=us-east5-a", &bare,
		"no --boot-disk-size: 10 GB assumed");
	expect_says(TEMPLATE GROUP "--size=1 --zone=us-east5-a", &bare,
		"hyperdisk-balanced is charged by capacity, IOPS and throughput");
	expect("gcloud compute instance-templates create t --no-address "
	       "--machine-type=n1-standard-8 --boot-disk-size=50 --local-ssd=size=375 "
	       "--accelerator=type=nvidia-tesla-t4 --create-disk=size=9,type=pd-ssd\n" GROUP
	       "--size=3 --zone=us-east5-a",
		"vm pod - us-east5-a n1-standard-8 on-demand x3 gpu=1xnvidia-tesla-t4 "
		"ssd=375; disk - - us-east5-a pd-standard - x3 50GiB of=pod; disk - - "
		"us-east5-a pd-ssd - x3 9GiB of=pod");
	expect("gcloud compute instance-templates create t --machine-type=ct6e-standard-4t "
	       "--no-address --max-run-duration=4h --boot-disk-size=50GB "
	       "--boot-disk-type=pd-ssd\n" GROUP
	       "--size=4 --zone=us-east5-a --workload-policy=p",
		"tpu pod - us-east5-a 4 x ct6e-standard-4t on-demand limit=14400 stops; "
		"disk - - "
		"us-east5-a pd-ssd - x4 50GiB of=pod");
	expect(TEMPLATE GROUP "--size=2 --zones=us-east5-b --region=us-east5",
		"tpu pod - us-east5-b ct6e-standard-4t flex-start x2; disk - - us-east5-b "
		"hyperdisk-balanced - x2 10GiB of=pod; ip - - us-east5-b external "
		"flex-start x2 of=pod");
	expect(GROUP "--size=2 --zone=us-east5-a",
		"!the pasted command: the machine type of the template 't' is unknown; "
		"also paste: gcloud compute instance-templates create");
	expect_says(TEMPLATE GROUP "--size=0 --zone=us-east5-a\n" TPU_VM
				   "x --accelerator-type=v2-8" AT,
		&bare, "a group of size 0 costs nothing until it is resized");
}

static void flags(void **state)
{
	/* anywhere, shortened where that is unique, "--" ends them */
	expect("gcloud --project=p --quiet compute --format json tpus tpu-vm create "
	       "--async "
	       "-q --accelerator-type=v2-8" AT " -- t",
		"tpu t p us-central2-b v2-8 on-demand");
	expect(TPU_VM "t --topo 2x2x1 --type v4" AT,
		"tpu t - us-central2-b v4-8 on-demand");
	expect(TPU_VM "t --acelerator-type=v3-8" AT,
		"!the pasted command: unknown flag --acelerator-type; did you mean "
		"--accelerator-type?");
	expect(TPU_VM "t --premptible" AT,
		"!the pasted command: unknown flag --premptible; "
		"did you mean --preemptible?");
	expect_says(TPU_VM "t --brand-new-thing 7 --accelerator-type=v2-8" AT, &bare,
		"--brand-new-thing was ignored");
	expect_silent(TPU_VM "t --metadata=a=b --tags x --labels=l=1 --no-async" AT,
		"was ignored");
	expect(TPU_VM "t --accelerator-type=v4-8 --type=v4 --topology=4x4x4" AT,
		"!the pasted command: --accelerator-type cannot be used together with "
		"--type; omit one of them");
	expect(TPU_VM "t --accelerator-type=v4-8 --topology=4x4x4" AT,
		"!the pasted command: --accelerator-type cannot be used together with "
		"--topology; omit one of them");
	expect(TPU_VM "t --topology=4x4x4" AT,
		"!the pasted command: --topology needs --type; use --type=v4 "
		"--topology=2x2x2");
	expect_says(VM "m --node-group=g" AT, &bare,
		"--node-group may have a price of its own, which is not included");
	expect_says(VM "m --confidential-compute-type=SEV" AT, &bare,
		"--confidential-compute-type may have a price of its own");
	expect_silent(VM "m --no-confidential-compute" AT, "price of its own");
	expect_says(VM "m --count=3" AT, &bare,
		"--count was ignored: only instances bulk create has it");
	expect(TPU_VM "t extra" AT,
		"!gcloud compute tpus tpu-vm create: unexpected word 'extra'; it creates "
		"one resource: check for a missing backslash at the end of a line, or -- "
		"before a flag");
}

static void machines(void **state)
{
	expect(VM
		"a b c --zone=us-west1-b --boot-disk-size=1TB --boot-disk-type=pd-balanced "
		"--no-address --machine-type=https://x/zones/z/machineTypes/n2-standard-4",
		"vm - - us-west1-b n2-standard-4 on-demand x3; disk - - us-west1-b "
		"pd-balanced - x3 1024GiB of=vm");
	expect(VM "a --zone=us-west1-b --custom-cpu=6 --custom-memory=3072MB "
		  "--custom-vm-type=n2 --custom-extensions --boot-disk-size=20 "
		  "--network-interface=no-address",
		"vm a - us-west1-b n2-custom-6-3072-ext on-demand; disk - - us-west1-b "
		"pd-standard - 20GiB of=a");
	expect(VM
		"a --zone=us-west1-b --custom-cpu=4 --custom-memory=5 --boot-disk-size=20 "
		"--provisioning-model=SPOT",
		"vm a - us-west1-b custom-4-5120 spot; disk - - us-west1-b pd-standard - "
		"20GiB of=a; ip - - us-west1-b external spot of=a");
	expect(VM "a --zone=us-west1-b --machine-type=n1-standard-1 --no-address "
		  "--create-disk=boot=yes,size=50,type=pd-ssd "
		  "--create-disk=name=data --disk=name=old,mode=rw",
		"vm a - us-west1-b n1-standard-1 on-demand; disk - - us-west1-b pd-ssd - "
		"50GiB of=a; disk - - us-west1-b pd-standard - 500GiB of=a");
	expect(VM "a --zone=us-west1-b --machine-type=n1-standard-1 --no-address "
		  "--source-snapshot=s --create-disk=size=9,replica-zones=us-west1-a "
		  "--create-disk=source-snapshot=t",
		"vm a - us-west1-b n1-standard-1 on-demand; disk - - us-west1-b "
		"pd-standard - of=a; disk - - us-west1 pd-standard - 9GiB of=a; disk - - "
		"us-west1-b pd-standard - of=a");
	expect_says(VM "a --zone=us-west1-b --create-disk=source-snapshot=t", &bare,
		"--create-disk without size: it is as large as its source, whose size is "
		"unknown");
	expect("gcloud compute instances bulk create --name-pattern='w-##' --count=4 "
	       "--zone=us-west1-b --machine-type=e2-small --boot-disk-size=10GB "
	       "--no-address",
		"vm - - us-west1-b e2-small on-demand x4; disk - - us-west1-b pd-standard "
		"- "
		"x4 10GiB of=vm");
	expect("gcloud compute instances bulk create --name-pattern='w-##' "
	       "--zone=us-west1-b",
		"!gcloud compute instances bulk create: --count is missing; use --count=4");
	expect_says(VM "a --source-instance-template=t --zone=us-west1-b", &bare,
		"vm a - us-west1-b - on-demand;");
	expect_says(VM "a --zone=us-west1-b", &bare, "n1-standard-1, the default");
	expect(VM "a-{1..4} --zone=us-west1-b",
		"!the pasted command: the name: only a shell can expand {1..4}; replace it "
		"by its value");
	expect(VM "a --zone=us-west1-b --boot-disk-size=big",
		"!the pasted command: --boot-disk-size: 'big' is not a valid size; use a "
		"size such as 200GB or 2TB");
}

static void disks_and_more(void **state)
{
	expect(DISK "d --size=200 --type=pd-ssd" AT,
		"disk d - us-central2-b pd-ssd - 200GiB");
	expect(DISK "d e --region=us-west1 --replica-zones=us-west1-a,us-west1-b",
		"disk - - us-west1 pd-standard - x2 500GiB");
	expect(DISK "d --source-snapshot=s --type=pd-balanced" AT,
		"disk d - us-central2-b pd-balanced -");
	expect("gcloud compute addresses create a b --region=us-west1",
		"ip - - us-west1 external - x2");
	expect("gcloud compute addresses create a --global", "ip a - global external -");
	expect("gcloud config set compute/region us-east1\ngcloud compute addresses create "
	       "a",
		"ip a - us-east1 external -");
	expect("gcloud compute addresses create a", "ip a - - external -");
	expect_says("gcloud compute addresses create a", &configured,
		"no --region: us-central1 of gcloud's configuration");
	expect("gsutil -m mb -l EUROPE-WEST4 -c nearline -b on gs://my-data/",
		"bucket - - europe-west4 nearline -");
	expect("gcloud storage buckets create gs://my-data --location=us-west1",
		"bucket my-data - us-west1 standard -");
	/* its location is not a zone, and no zone is assumed */
	expect_says("gcloud storage buckets create gs://my-data --location=us-west1",
		&configured,
		"bucket my-data lab us-west1 standard - # no --project: lab of gcloud's "
		"configuration # the price of a bucket depends on its content, which is "
		"not included here");
	expect("gsutil mb my-data", "!gsutil mb: no bucket is given; add gs://NAME");
}

static void shell_text(void **state)
{
	expect("ZONE=us-west1-b\nTYPE='v2'\"-8\"\nNAME=t\\\n1\n" TPU_VM
	       "$NAME --zone ${ZONE} --accelerator-type=\"${TYPE}\"",
		"tpu t - us-west1-b v2-8 on-demand");
	expect("FLAGS='--zone=us-west1-b --spot'\n" TPU_VM
	       "t $FLAGS --accelerator-type=v2-8",
		"tpu t - us-west1-b v2-8 spot");
	expect(TPU_VM "t --zone=${ZONE:-us-west1-b} --accelerator-type=${T-v2-8}",
		"tpu t - us-west1-b v2-8 on-demand");
	expect(TPU_VM "t \\  \n --zone=us-west1-b \\\r\n--accelerator-type=v2-8\r\n",
		"tpu t - us-west1-b v2-8 on-demand");
	expect(TPU_VM "\"t\\\n1\" --zone=\"us-west1\\\n-b\" --accelerator-type=v2-8",
		"tpu t1 - us-west1-b v2-8 on-demand");
	expect("PS C:\\> echo 'a prompt of another shell'\n" TPU_VM
	       "t ^\n --zone=us-west1-b `\n --accelerator-type=v2-8",
		"tpu t - us-west1-b v2-8 on-demand");
	expect("(vm)$ " TPU_VM "t \\\n> --zone=us-west1-b \\\n> --accelerator-type=v2-8 "
	       "2>&1 | tee log > /dev/null && echo done",
		"tpu t - us-west1-b v2-8 on-demand");
	expect("time sudo -E " TPU_VM
	       "t --accelerator-type=v2-8 --zone=us-west1-b # --spot",
		"tpu t - us-west1-b v2-8 on-demand");
	expect("if ! gcloud compute tpus describe t; then\n  ~/bin/" TPU_VM
	       "t --accelerator-type=v2-8 --zone=us-west1-b\nfi",
		"tpu t - us-west1-b v2-8 on-demand");
	expect("NAMES=(a b)\n" TPU_VM "t --accelerator-type=v2-8 --zone=us-west1-b",
		"tpu t - us-west1-b v2-8 on-demand");
	compare("the environment",
		paste_summary(&arena, TPU_VM "t --zone=$SHELL_ZONE --accelerator-type=v2-8",
			&configured, false),
		"tpu t lab us-west4-a v2-8 on-demand");
}

static void typeset_text(void **state)
{
	expect("gcloud compute tpus tpu\u2011vm create t \u2013\u2013zone=us-west1-b "
	       "\u2014accelerator\u2010type=\u201Cv2-8\u201D \u2013spot\u00A0\u2013project "
	       "\u2018p\u2019",
		"tpu t p us-west1-b v2-8 spot");
	expect_says(TPU_VM "t \u2013zone=us-west1-b", &bare, "typographic quotes");
}

static void refusals(void **state)
{
	expect(TPU_VM "t --zone=$ZONE",
		"!the pasted command: --zone: $ZONE is not set; replace it by its value, "
		"or also paste the line that sets it");
	expect(TPU_VM "t --zone=$(pick)",
		"!the pasted command: --zone: $(pick) is the output of a command, which is "
		"not run; replace it by its value");
	expect("A=`pick`; " TPU_VM "t --zone=$A",
		"!the pasted command: --zone: `pick` is the output of a command, which is "
		"not run; replace it by its value");
	expect(TPU_VM "t --zone='us-west1-b", "!the pasted text: a ' is not closed; ");
	expect(TPU_VM "t --zone=\"us", "!the pasted text: a \" is not closed; ");
	expect(TPU_VM "t --zone=${ZONE", "!the pasted text: '${' is not closed; ");
	expect("cat <<EOF\nx\nEOF\n",
		"!the pasted text has a here-document (<<), which is not supported; paste "
		"the create command alone");
	expect("while true; do\n" TPU_VM "t --accelerator-type=v2-8" AT "\ndone",
		"!gcloud compute tpus tpu-vm create: it is in a loop (while): the number "
		"of runs is unknown; paste the command alone, once, with its values");
	expect_says("gcloud compute tpus tpu-vm list" AT, &bare,
		"not a supported create command; supported commands: gcloud compute "
		"tpus tpu-vm create, ");
	expect_says("gcloud compute tpus tpu-vm list", &bare,
		"compute addresses create, storage buckets create; gsutil mb; ctpu up");
	expect("ctpu up --tpu-only --vm-only",
		"!ctpu up: --tpu-only and --vm-only cannot be used together; omit one of "
		"them");
	expect_says("", &bare, "!the pasted text: not a supported create command");
	expect_says("gcloud container clusters create c\n" TPU_VM
		    "t --accelerator-type=v2-8" AT,
		&bare,
		"!the pasted text: gcloud container clusters create: it creates a "
		"resource, but is not supported; omit it, and check its cost separately");
	expect_says("gcloud compute networks create n\n" TPU_VM
		    "t --accelerator-type=v2-8" AT,
		&bare, "not read: gcloud compute networks create");
}

static const char *words_summary(const char *const *v, size_t n)
{
	struct proposal p = {0};
	struct err e = {0};

	if (paste_words(&arena, v, n, &bare, &p, &e))
		return arena_printf(&arena, "!%s; %s", e.msg, e.fix);
	return proposal_summary(&arena, &p, false);
}

#define WORDS(...)                                        \
	words_summary((const char *const[]){__VA_ARGS__}, \
		ARRAY_LEN(((const char *const[]){__VA_ARGS__})))

/* Words of a shell are what they are: "$" in one is no variable any more. */
static void words(void **state)
{
	assert_string_equal(
		WORDS("sudo", "gcloud", "compute", "tpus", "tpu-vm", "create", "t",
			"\u2013zone", "us-west1-b", "--accelerator-type=v2-8"),
		"tpu t - us-west1-b v2-8 on-demand");
	assert_string_equal(WORDS("env", "A=b", "ctpu", "--zone=us-west1-b", "up",
				    "--tpu-only", "--name", "kim"),
		"tpu kim - us-west1-b v2-8 on-demand");
	assert_string_equal(WORDS("gcloud", "compute", "tpus", "tpu-vm", "create", "$X",
				    "--zone=us-west1-b", "--accelerator-type=v2-8"),
		"tpu - - us-west1-b v2-8 on-demand");
	assert_true(str_starts(WORDS("gcloud", "compute", "instances", "delete", "x"),
		"!gcloud compute instances delete x: not a supported create command"));
	assert_true(str_starts(WORDS("ls", "-l"),
		"!ls: not a supported create command; supported commands: "));
	assert_true(str_starts(
		words_summary(NULL, 0), "!no command: not a supported create command"));
	assert_string_equal(
		WORDS("~/google-cloud-sdk/bin/gcloud", "compute", "tpus", "tpu-vm",
			"create", "t", "--zone=us-west1-b", "--accelerator-type=v2-8"),
		"tpu t - us-west1-b v2-8 on-demand");
	assert_true(str_starts(WORDS("gcloudx", "compute", "disks", "create", "d"),
		"!gcloudx: not a supported create command"));
}

static char *repeated(const char *s, size_t n)
{
	size_t len = strlen(s);
	char *out = arena_alloc(&arena, n * len + 1);

	for (size_t i = 0; i < n; i++)
		memcpy(out + i * len, s, len);
	return out;
}

static void caps(void **state)
{
	struct proposal p = {0};
	struct err e = {0};
	const char *doubling = "A=xxxxxxxxxxxxxxxx\n";

	assert_err(paste_text(&arena, repeated("x", PASTE_MAX_TEXT + 1), &bare, &p, &e), e,
		E_LIMIT, "more than");
	assert_err(paste_text(&arena, repeated("x ", PASTE_MAX_WORDS + 1), &bare, &p, &e),
		e, E_LIMIT, "too long");
	assert_err(
		paste_text(&arena, repeated(TPU_VM "t\n", PROPOSAL_MAX + 1), &bare, &p, &e),
		e, E_LIMIT, "more than 64 resources");
	assert_err(paste_text(&arena,
			   arena_printf(&arena, "%s%s", doubling, repeated("A=$A$A\n", 64)),
			   &bare, &p, &e),
		e, E_LIMIT, "too long");
	assert_err(paste_text(&arena, repeated("while x; do ", 17), &bare, &p, &e), e,
		E_LIMIT, "loops");
	assert_int_equal(p.n, 0); /* untouched */
}

/* Names go to terminals and files. */
static void hostile_names(void **state)
{
	expect(TPU_VM "'t\033[2J' --accelerator-type=v2-8" AT,
		"tpu - - us-central2-b v2-8 on-demand");
	expect(TPU_VM "t --accelerator-type=v2-8 --project='a;b'" AT,
		"tpu t - us-central2-b v2-8 on-demand");
	expect("gcloud compute instances create x --machine-type=\"n1-$(id)\"" AT,
		"!the pasted command: --machine-type: $(id) is the output of a command, "
		"which is not run; replace it by its value");
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tpu_types),
		cmocka_unit_test(classes),
		cmocka_unit_test(places),
		cmocka_unit_test(flags),
		cmocka_unit_test(pools),
		cmocka_unit_test(groups),
		cmocka_unit_test(machines),
		cmocka_unit_test(disks_and_more),
		cmocka_unit_test(shell_text),
		cmocka_unit_test(typeset_text),
		cmocka_unit_test(refusals),
		cmocka_unit_test(words),
		cmocka_unit_test(caps),
		cmocka_unit_test(hostile_names),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}
