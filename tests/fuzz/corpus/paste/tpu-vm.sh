gcloud compute tpus tpu-vm create node-1 --zone=europe-west4-a --accelerator-type=v3-8 --version=tpu-ubuntu2204-base --preemptible
